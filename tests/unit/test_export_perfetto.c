/* test_export_perfetto.c - Perfetto traces: read back packet by packet, slices matched, time held against the
 * model.
 */
#include "tests/unit/export_help.h"

struct name {
    char text[2048];
};
struct track {
    uint64_t id, parent;
    char name[600];
    bool counter;
    uint32_t depth, instants, counts;
    int64_t begun, sum, last_value; /* of the outermost slice; of all */
    int64_t ns[ST_COUNT + 4];       /* by category */
    struct {
        int64_t t;
        uint32_t category;
        char name[200];
    } open[16];
};
struct pf {
    struct track *track;
    uint32_t ntracks;
    struct name *table[4]; /* categories, events, notes, words: by number */
    uint32_t ntable[4];
    uint32_t packets, open;
};

static struct track *find(struct pf *p, uint64_t id)
{
    for (uint32_t i = 0; i < p->ntracks; i++)
        if (p->track[i].id == id)
            return &p->track[i];
    return NULL;
}

static struct track *find_name(struct pf *p, const char *name)
{
    for (uint32_t i = 0; i < p->ntracks; i++)
        if (!strcmp(p->track[i].name, name))
            return &p->track[i];
    return NULL;
}

static void copy(char *out, size_t size, struct pb s)
{
    size_t n = (size_t)(s.end - s.p);
    assert_true(n < size);
    memcpy(out, s.p, n);
    out[n] = 0;
}

static void read_names(struct pf *p, struct pb m)
{
    static const uint32_t nums[] = {1, 2, 3, 29};
    struct field f;
    while (pb_next(&m, &f)) {
        int k = 0;
        struct pb s = {0};
        while (k < 4 && nums[k] != f.num)
            k++;
        assert_true(k < 4);
        assert_int_equal(pb_get(f.sub, 1, 0), p->ntable[k] + 1); /* dense, each once */
        assert_true(pb_sub(f.sub, 2, &s));
        p->table[k] = realloc(p->table[k], (p->ntable[k] + 1) * sizeof *p->table[k]);
        copy(p->table[k][p->ntable[k]++].text, sizeof p->table[k]->text, s);
        for (const uint8_t *c = s.p, *e; c < s.end; c = e + 1) { /* lines of stacks are ours */
            e = memchr(c, '\n', (size_t)(s.end - c));
            e = e ? e : s.end;
            assert_true(text_fine((const char *)c, (size_t)(e - c)));
        }
    }
}

static void read_track(struct pf *p, struct pb m)
{
    struct pb s = {0};
    struct track t = {.id = pb_get(m, 1, 0), .parent = pb_get(m, 5, 0), .counter = pb_sub(m, 8, &s)};
    assert_true(t.id != 0 && !find(p, t.id));
    assert_true(!t.parent || find(p, t.parent));
    assert_true(pb_sub(m, 2, &s));
    copy(t.name, sizeof t.name, s);
    assert_true(text_fine(t.name, strlen(t.name)));
    p->track = realloc(p->track, (p->ntracks + 1) * sizeof *p->track);
    p->track[p->ntracks++] = t;
}

static const char *lookup(const struct pf *p, int k, uint64_t id)
{
    assert_true(id > 0 && id <= p->ntable[k]);
    return p->table[k][id - 1].text;
}

static void read_notes(struct pf *p, struct pb m)
{
    struct field f;
    while (pb_next(&m, &f))
        if (f.num == 4) {
            struct pb s;
            uint64_t word = pb_get(f.sub, 17, 0);
            lookup(p, 2, pb_get(f.sub, 1, 0));
            if (word)
                lookup(p, 3, word);
            else
                assert_true(pb_sub(f.sub, 6, &s) || pb_get(f.sub, 3, UINT64_MAX) != UINT64_MAX);
        }
}

static void read_event(struct pf *p, struct pb m, int64_t t)
{
    struct track *k = find(p, pb_get(m, 11, 0));
    uint64_t type = pb_get(m, 9, 0), category = pb_get(m, 3, 0);
    struct pb packed;
    assert_non_null(k);
    assert_int_equal(k->counter, type == 4);
    if (pb_sub(m, 3, &packed))
        category = pb_varint(&packed);
    if (type == 1 || type == 3) {
        lookup(p, 0, category);
        read_notes(p, m);
    }
    if (type == 1) {
        assert_true(k->depth < 16 && category < ST_COUNT + 4);
        k->open[k->depth].t = t;
        k->open[k->depth].category = (uint32_t)category;
        snprintf(k->open[k->depth++].name, 200, "%.199s", lookup(p, 1, pb_get(m, 10, 0)));
    } else if (type == 2) {
        assert_true(k->depth > 0);
        k->depth--;
        assert_true(t >= k->open[k->depth].t);
        k->ns[k->open[k->depth].category] += t - k->open[k->depth].t;
    } else if (type == 3) {
        k->instants++;
    } else {
        assert_int_equal(type, 4);
        k->last_value = (int64_t)pb_get(m, 30, UINT64_MAX);
        assert_true(k->last_value >= 0);
        k->counts++;
    }
}

static void read_packet(struct pf *p, struct pb m)
{
    struct pb s;
    uint64_t flags = pb_get(m, 13, 0), t = pb_get(m, 8, UINT64_MAX);
    assert_int_equal(pb_get(m, 10, 0), 1);
    assert_int_equal(flags & 1, p->packets == 0); /* names begin anew, once */
    if (pb_sub(m, 12, &s))
        read_names(p, s);
    if (pb_sub(m, 60, &s))
        read_track(p, s);
    if (pb_sub(m, 11, &s)) {
        struct pb x;
        assert_true(t != UINT64_MAX);
        assert_true(pb_get(s, 10, 0) == 0 || flags & 2);
        read_event(p, s, (int64_t)t);
        (void)x;
    }
    p->packets++;
}

static struct pf pf_read(struct bytes raw)
{
    struct pf p = {0};
    struct pb m = pb_of(raw);
    struct field f;
    while (pb_next(&m, &f)) {
        assert_true(f.num == 1 && f.is_bytes);
        read_packet(&p, f.sub);
    }
    for (uint32_t i = 0; i < p.ntracks; i++)
        p.open += p.track[i].depth;
    free(raw.p);
    return p;
}

static void pf_free(struct pf *p)
{
    free(p->track);
    for (int k = 0; k < 4; k++)
        free(p->table[k]);
}

/* ---- against the model --------------------------------------------------------------------------------- */

/* What a lane's slices must add up to in [from,to): what did not end is not counted, as it has no end. */
static void lane_sums(const struct trace *tr, struct lane l, int64_t from, int64_t to, int64_t *ns)
{
    struct span_iter it;
    memset(ns, 0, ST_COUNT * sizeof *ns);
    for (bool ok = span_seek_index(&it, tr, l, 0); ok; ok = span_next(&it)) {
        const struct span *s = span_get(&it);
        int64_t t0 = s->t0 > from ? s->t0 : from, t1 = s->t1 < to ? s->t1 : to;
        bool shown =
            s->state != ST_NONE && s->state != ST_UNKNOWN && (l.kind == LANE_G || s->state != ST_IDLE);
        if (shown && t1 > t0 && (!s->open_end || s->t1 > to))
            ns[s->state] += t1 - t0;
    }
}

static void check_lanes(struct pf *p, const struct trace *tr, enum lane_kind k, int64_t from, int64_t to)
{
    int64_t ns[ST_COUNT];
    for (uint32_t i = 0; i < trace_nlanes(tr, k); i++) {
        struct lane_info info = trace_lane(tr, (struct lane){k, i});
        char name[600];
        struct str s = trace_str(tr, info.name);
        if (k == LANE_G)
            snprintf(name, sizeof name, "G %" PRIu64 " %.*s", info.id, (int)s.len, s.p);
        else
            snprintf(name, sizeof name, "%c %" PRIu64, k == LANE_P ? 'P' : 'M', info.id);
        struct track *t = find_name(p, name);
        lane_sums(tr, (struct lane){k, i}, from, to, ns);
        for (int st = 0; st < ST_COUNT; st++)
            if ((t ? t->ns[st + 1] : 0) != ns[st])
                fail_msg("%s, %s: %" PRId64 " ns, want %" PRId64, name, state_name(st), t ? t->ns[st + 1] : 0,
                         ns[st]);
    }
}

static void each_sample(const char *path, const uint8_t *bytes, size_t n)
{
    struct trace *tr;
    struct err e;
    assert_int_equal(load_bytes_opts(bytes, n, NULL, &tr, &e), 0);
    int64_t end = trace_info(tr)->end;
    struct pf p = pf_read(EXPORT(perfetto_main, "--lanes=p,g,m", path));
    for (int k = LANE_P; k <= LANE_M; k++)
        check_lanes(&p, tr, k, 0, INT64_MAX);
    const struct range *r;
    size_t nr = trace_ranges(tr, RANGE_STW, &r);
    int64_t stw = 0;
    for (size_t i = 0; i < nr; i++)
        stw += r[i].open_end ? 0 : r[i].t1 - r[i].t0;
    struct track *t = find_name(&p, "stop-the-world");
    assert_int_equal(t ? t->ns[ST_STW + 1] : 0, stw);
    const size_t np = trace_npoints(tr, METRIC_HEAP);
    t = find_name(&p, "heap");
    assert_int_equal(t ? t->counts : 0, np);
    if (np)
        assert_int_equal(t->last_value, trace_point(tr, METRIC_HEAP, np - 1).v);
    const struct logmsg *lg;
    uint32_t instants = 0;
    for (uint32_t i = 0; i < p.ntracks; i++)
        instants += p.track[i].instants;
    assert_int_equal(instants, trace_logs(tr, &lg));
    pf_free(&p);

    char to[32];
    snprintf(to, sizeof to, "%" PRId64, end / 2);
    p = pf_read(EXPORT(perfetto_main, "--from", "10%", "--to", to, path));
    check_lanes(&p, tr, LANE_P, (int64_t)((double)end * 10 / 100), end / 2);
    check_lanes(&p, tr, LANE_G, (int64_t)((double)end * 10 / 100), end / 2);
    assert_null(find_name(&p, "threads"));
    pf_free(&p);
    trace_close(tr);
}

static void test_samples(void **state)
{
    (void)state;
    assert_true(each_trace("samples", 16000, each_sample) > 10);
}

/* Tasks and regions: their slices add up, the tree is as said. */
static void test_tasks(void **state)
{
    (void)state;
    const char *path = "samples/tasks-1.27.trace";
    struct loaded l = load_path(path);
    struct pf p = pf_read(EXPORT(perfetto_main, path));
    const struct task *t;
    const struct region *r;
    size_t nt = trace_tasks(l.tr, &t), nr = trace_regions(l.tr, &r);
    int64_t want_t = 0, want_r = 0, tasks = 0, regions = 0;
    for (size_t i = 0; i < nt; i++)
        want_t += t[i].open_end ? 0 : t[i].t1 - t[i].t0;
    for (size_t i = 0; i < nr; i++)
        want_r += r[i].open_end ? 0 : r[i].t1 - r[i].t0;
    for (uint32_t i = 0; i < p.ntracks; i++) {
        tasks += p.track[i].ns[ST_COUNT + 1];
        regions += p.track[i].ns[ST_COUNT + 2];
    }
    assert_true(nt > 20 && nr > 20);
    assert_int_equal(tasks, want_t);
    assert_int_equal(regions, want_r);
    struct track *g = find_name(&p, "G 1 main.main");
    assert_non_null(g);
    assert_string_equal(find(&p, g->parent)->name, "main.main");
    assert_string_equal(find(&p, find(&p, g->parent)->parent)->name, "goroutines");
    assert_string_equal(p.track[0].name, "tasks-1.27.trace (go 1.26 or 1.27)");
    pf_free(&p);
    p = pf_read(EXPORT(perfetto_main, "--lanes", "p", path));
    assert_null(find_name(&p, "goroutines"));
    assert_non_null(find_name(&p, "P 0"));
    pf_free(&p);
    p = pf_read(EXPORT(perfetto_main, "--lanes", "g", "--goroutine", "1", path));
    assert_null(find_name(&p, "processors"));
    uint32_t n = 0;
    for (uint32_t i = 0; i < p.ntracks; i++)
        n += !strncmp(p.track[i].name, "G ", 2) && !strstr(p.track[i].name, "regions");
    assert_int_equal(n, 1);
    pf_free(&p);
    unload(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tasks), cmocka_unit_test(test_samples)};
    return cmocka_run_group_tests(tests, make_out, remove_out);
}
