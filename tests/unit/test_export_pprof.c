/* test_export_pprof.c - profiles: read back by a reader of our own, held against the model and against Go's
 * figures.
 */
#include "tests/unit/export_help.h"

enum kind { NET, SYNC, SYSCALL, SCHED, KINDS };
static const char *const kinds[KINDS] = {"net", "sync", "syscall", "sched"};

static bool is_of(const struct trace *tr, enum kind k, const struct span *s)
{
    struct str r = trace_str(tr, s->reason);
    char reason[200];
    snprintf(reason, sizeof reason, "%.*s", (int)r.len, r.p);
    switch (k) {
    case NET: return s->state == ST_WAITING && !strcmp(reason, "network");
    case SYNC:
        return s->state == ST_WAITING &&
               (strstr(reason, "chan") || strstr(reason, "sync") || strstr(reason, "select"));
    case SYSCALL: return s->state == ST_SYSCALL;
    default: return s->state == ST_RUNNABLE;
    }
}

/* ---- a reader ------------------------------------------------------------------------------------------ */

#define STACK_TEXT 4096
struct sum {
    char stack[STACK_TEXT]; /* functions, innermost first */
    int64_t count, ns;
};
struct profile {
    struct bytes raw;
    uint32_t nstrs, nlocs, nfuncs, nsamples;
    struct field *strs;
    struct pb *locs, *funcs, *samples; /* by id; locs[0], funcs[0] unused */
    uint64_t types[2][2], period_type[2], period, duration;
    int64_t count, ns;
};

static void by_id(struct pb **v, uint32_t *n, struct pb m)
{
    uint64_t id = pb_get(m, 1, 0);
    assert_true(id > 0 && id < 1000000);
    if (id >= *n) {
        *v = realloc(*v, (id + 1) * sizeof **v);
        while (*n <= id)
            (*v)[(*n)++] = (struct pb){0};
    }
    assert_null((*v)[id].p); /* each id once */
    (*v)[id] = m;
}

static struct profile profile_read(struct bytes raw)
{
    struct profile p = {.raw = raw};
    struct pb m = pb_of(raw);
    struct field f;
    int ntypes = 0;
    while (pb_next(&m, &f)) {
        switch (f.num) {
        case 1:
            assert_true(ntypes < 2);
            p.types[ntypes][0] = pb_get(f.sub, 1, 0);
            p.types[ntypes++][1] = pb_get(f.sub, 2, 0);
            break;
        case 2:
            p.samples = realloc(p.samples, (p.nsamples + 1) * sizeof *p.samples);
            p.samples[p.nsamples++] = f.sub;
            break;
        case 4: by_id(&p.locs, &p.nlocs, f.sub); break;
        case 5: by_id(&p.funcs, &p.nfuncs, f.sub); break;
        case 6:
            assert_true(text_fine((const char *)f.sub.p, f.v));
            p.strs = realloc(p.strs, (p.nstrs + 1) * sizeof *p.strs);
            p.strs[p.nstrs++] = f;
            break;
        case 10: p.duration = f.v; break;
        case 11:
            p.period_type[0] = pb_get(f.sub, 1, 0);
            p.period_type[1] = pb_get(f.sub, 2, 0);
            break;
        case 12: p.period = f.v; break;
        case 9:
        case 13: break;
        default: fail_msg("field %u", f.num);
        }
    }
    assert_int_equal(ntypes, 2);
    assert_true(p.nstrs > 0 && p.strs[0].v == 0);
    return p;
}

static const char *word(const struct profile *p, uint64_t i)
{
    static char buf[STACK_TEXT];
    assert_true(i < p->nstrs && p->strs[i].v < sizeof buf);
    snprintf(buf, sizeof buf, "%.*s", (int)p->strs[i].v, (const char *)p->strs[i].sub.p);
    return buf;
}

static void sample_read(const struct profile *p, uint32_t i, struct sum *out)
{
    struct field f;
    struct pb m = p->samples[i];
    int nvalues = 0;
    size_t n = 0;
    *out = (struct sum){0};
    while (pb_next(&m, &f)) {
        assert_true(f.is_bytes && (f.num == 1 || f.num == 2)); /* both packed */
        while (f.sub.p < f.sub.end) {
            uint64_t v = pb_varint(&f.sub);
            struct pb line;
            if (f.num == 2) {
                *(nvalues++ ? &out->ns : &out->count) = (int64_t)v;
                continue;
            }
            assert_true(v > 0 && v < p->nlocs && p->locs[v].p);
            if (pb_sub(p->locs[v], 4, &line)) {
                uint64_t fn = pb_get(line, 1, 0);
                assert_true(fn > 0 && fn < p->nfuncs && p->funcs[fn].p);
                n += (size_t)snprintf(out->stack + n, sizeof out->stack - n, "%s;",
                                      word(p, pb_get(p->funcs[fn], 2, 0)));
            } else {
                n += (size_t)snprintf(out->stack + n, sizeof out->stack - n, "0x%" PRIx64 ";",
                                      pb_get(p->locs[v], 3, 0));
            }
            assert_true(n < sizeof out->stack);
        }
    }
    assert_int_equal(nvalues, 2);
}

static struct profile profile_of(const char *path, const char *kind)
{
    struct profile p = profile_read(EXPORT(pprof_main, "--kind", kind, path));
    for (uint32_t i = 0; i < p.nsamples; i++) {
        struct sum s;
        sample_read(&p, i, &s);
        p.count += s.count;
        p.ns += s.ns;
    }
    return p;
}

static void profile_free(struct profile *p)
{
    free(p->raw.p);
    free(p->strs);
    free(p->locs);
    free(p->funcs);
    free(p->samples);
}

/* ---- figures of go tool trace -------------------------------------------------------------------------- */

static void test_go(void **state)
{
    (void)state;
    FILE *f = fopen("tests/golden/export-pprof.tsv", "r");
    char line[256], name[100], kind[20], path[128];
    int rows = 0;
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        uint32_t stacks;
        int64_t count, ns;
        if (*line == '#')
            continue;
        assert_int_equal(sscanf(line, "%99s %19s %u %" SCNd64 " %" SCNd64, name, kind, &stacks, &count, &ns),
                         5);
        snprintf(path, sizeof path, "samples/%s", name);
        struct profile p = profile_of(path, kind);
        if (p.count != count || p.ns != ns || p.nsamples != stacks)
            fail_msg("%s %s: %u stacks %" PRId64 " x %" PRId64 " ns, Go says %u, %" PRId64 " x %" PRId64,
                     name, kind, p.nsamples, p.count, p.ns, stacks, count, ns);
        assert_string_equal(word(&p, p.types[0][0]), "contentions");
        assert_string_equal(word(&p, p.types[0][1]), "count");
        assert_string_equal(word(&p, p.types[1][0]), "delay");
        assert_string_equal(word(&p, p.types[1][1]), "nanoseconds");
        profile_free(&p);
        rows++;
    }
    fclose(f);
    assert_true(rows > 100);
}

/* ---- the model, counted naively ------------------------------------------------------------------------ */

/* The stack of a span as profile and test write it. */
static void stack_text(const struct trace *tr, uint32_t stack, char *out, size_t size)
{
    size_t n = 0;
    *out = 0;
    for (uint32_t i = 0; i < trace_stack(tr, stack); i++) {
        struct frame f = trace_frame(tr, stack, i);
        struct str s = trace_str(tr, f.func);
        if (f.func)
            n += (size_t)snprintf(out + n, size - n, "%.*s;", (int)s.len, s.p);
        else if (f.pc || trace_stack(tr, stack) > 1)
            n += (size_t)snprintf(out + n, size - n, "0x%" PRIx64 ";", f.pc);
        assert_true(n < size);
    }
}

struct sums {
    struct sum *v;
    uint32_t n;
};

static void sums_add(struct sums *t, const char *stack, int64_t count, int64_t ns)
{
    uint32_t i = 0;
    while (i < t->n && strcmp(t->v[i].stack, stack))
        i++;
    if (i == t->n) {
        t->v = realloc(t->v, (t->n + 1) * sizeof *t->v);
        t->v[t->n] = (struct sum){0};
        strcpy(t->v[t->n++].stack, stack);
    }
    t->v[i].count += count;
    t->v[i].ns += ns;
}

static struct sums model_sums(const struct trace *tr, enum kind k, int64_t from, int64_t to)
{
    struct sums t = {0};
    char text[STACK_TEXT];
    for (uint32_t g = 0; g < trace_nlanes(tr, LANE_G); g++) {
        struct span_iter it;
        bool runs = false, ran = false;
        int64_t seen = trace_lane(tr, (struct lane){LANE_G, g}).seen;
        for (bool ok = span_seek_index(&it, tr, (struct lane){LANE_G, g}, 0); ok; ok = span_next(&it))
            runs |= span_get(&it)->state == ST_RUNNING;
        for (bool ok = span_seek_index(&it, tr, (struct lane){LANE_G, g}, 0); ok; ok = span_next(&it)) {
            const struct span *s = span_get(&it);
            ran |= s->state == ST_RUNNING;
            int64_t t0 = s->t0 > seen ? s->t0 : seen, t1 = s->t1 < to ? s->t1 : to;
            t0 = t0 > from ? t0 : from;
            if ((runs && !ran) || s->open_end || t0 >= t1 || !is_of(tr, k, s))
                continue;
            stack_text(tr, s->stack, text, sizeof text);
            sums_add(&t, text, 1, t1 - t0);
        }
    }
    return t;
}

static void same_sums(const char *what, const struct profile *p, const struct sums *want)
{
    struct sums got = {0};
    for (uint32_t i = 0; i < p->nsamples; i++) {
        struct sum s;
        sample_read(p, i, &s);
        sums_add(&got, s.stack, s.count, s.ns);
    }
    if (got.n != want->n)
        fail_msg("%s: %u stacks, want %u", what, got.n, want->n);
    for (uint32_t i = 0; i < want->n; i++) {
        uint32_t k = 0;
        while (k < got.n && strcmp(got.v[k].stack, want->v[i].stack))
            k++;
        if (k == got.n || got.v[k].count != want->v[i].count || got.v[k].ns != want->v[i].ns)
            fail_msg("%s: %s: %s", what, k < got.n ? "other sums" : "not there", want->v[i].stack);
    }
    free(got.v);
}

static void each_sample(const char *path, const uint8_t *bytes, size_t n)
{
    struct trace *tr;
    struct err e;
    assert_int_equal(load_bytes_opts(bytes, n, NULL, &tr, &e), 0);
    int64_t end = trace_info(tr)->end, from = end / 3, to = end / 2;
    char a[24], b[24];
    snprintf(a, sizeof a, "%" PRId64, from);
    snprintf(b, sizeof b, "%" PRId64 "ns", to);
    for (enum kind k = NET; k < KINDS; k++) {
        struct sums all = model_sums(tr, k, 0, INT64_MAX), part = model_sums(tr, k, from, to);
        struct profile p = profile_of(path, kinds[k]);
        same_sums(path, &p, &all);
        profile_free(&p);
        p = profile_read(EXPORT(pprof_main, "--kind", kinds[k], "--from", a, "--to", b, path));
        same_sums(path, &p, &part);
        assert_int_equal(p.duration, to - from);
        profile_free(&p);
        free(all.v);
        free(part.v);
    }
    const struct sample *s;
    size_t ns = trace_samples(tr, &s);
    if (ns) {
        struct profile p = profile_of(path, "cpu");
        assert_int_equal(p.count, ns);
        assert_int_equal(p.ns, ns * 10000000);
        assert_int_equal(p.period, 10000000);
        profile_free(&p);
    } else { /* an empty profile would say that nothing ran */
        assert_int_equal(RUN(pprof_main, "--kind", "cpu", path), 2);
    }
    trace_close(tr);
}

static void test_samples(void **state)
{
    (void)state;
    assert_true(each_trace("samples", 60000, each_sample) > 20);
}

/* ---- by hand ------------------------------------------------------------------------------------------- */

static const char hand[] =
    "go 1.26\n"
    "batch m=7 t=100\n"
    "ProcStatus +1 p=0 running\n"
    "GoStatus +1 g=1 m=7 running\n"
    "GoCreate +10 new_g=2 new_stack=main.worker:30 stack=main.main:12\n" /* at 11: first wait of g2, 6 ns: Go
                                                                            leaves it out */
    "GoBlock +5 reason=\"chan receive\" stack=main.main:14\n"            /* at 16: never over */
    "GoStart +1 g=2 g_seq=1\n"
    "GoStop +20 reason=\"preempted\" stack=main.worker:33\n" /* runnable 8 */
    "GoStart +8 g=2 g_seq=2\n"
    "GoBlock +5 reason=\"network\" stack=net.Read:7,main.worker:40\n" /* at 50: 30 ns of network */
    "GoUnblock +30 g=2 g_seq=3 stack=0\n"                             /* 4 ns runnable, no stack */
    "GoStart +4 g=2 g_seq=4\n"
    "GoSyscallBegin +6 p_seq=1 stack=syscall.read:1,main.worker:50\n" /* 11 */
    "GoSyscallEnd +11\n"
    "GoDestroy +9\n";

static void expect(const char *path, const char *kind, const char *extra, const struct sum *want, uint32_t n)
{
    struct profile p = profile_read(extra ? EXPORT(pprof_main, "--kind", kind, path, extra)
                                          : EXPORT(pprof_main, "--kind", kind, path));
    struct sums w = {(struct sum *)(uintptr_t)want, n};
    same_sums(kind, &p, &w);
    profile_free(&p);
}

/* The traces stay until the end: another file could get the number of one that is gone, and nothing is
 * written over what was read. */
static char hand_path[] = "/tmp/gotop-trace-XXXXXX", places_path[] = "/tmp/gotop-trace-XXXXXX";

static int remove_all(void **state)
{
    unlink(hand_path);
    unlink(places_path);
    return remove_out(state);
}

static void test_hand(void **state)
{
    (void)state;
    char *const path = hand_path;
    close(mkstemp(path));
    struct loaded l = text_file(hand, path);
    static const struct sum net[] = {{"net.Read;main.worker;", 1, 30}},
                            call[] = {{"syscall.read;main.worker;", 1, 11}},
                            sched[] = {{"main.worker;", 1, 8}, {"", 1, 4}},
                            first[] = {{"main.worker;", 1, 8}, {"", 1, 4}, {"main.main;", 1, 6}};
    expect(path, "net", NULL, net, 1);
    expect(path, "sync", NULL, NULL, 0);
    expect(path, "syscall", NULL, call, 1);
    expect(path, "sched", NULL, sched, 2);
    expect(path, "sched", "--all", first, 3);
    expect(path, "sync", "--all", (const struct sum[]){{"main.main;", 1, 94}}, 1);
    expect(path, "net", "--from=79ns", (const struct sum[]){{"net.Read;main.worker;", 1, 1}}, 1);
    expect(path, "net", "--from=80", NULL, 0);
    unload(&l);
}

/* One program counter in two functions, one function at two lines: each is a place of its own. */
static void test_places(void **state)
{
    (void)state;
    char *const path = places_path;
    close(mkstemp(path));
    struct loaded l =
        text_file("go 1.26\nbatch m=7 t=100\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\n"
                  "GoSyscallBegin +1 p_seq=1 stack=main.a:1!0x77\nGoSyscallEnd +10\n"
                  "GoSyscallBegin +1 p_seq=2 stack=main.b:1!0x77\nGoSyscallEnd +20\n"
                  "GoSyscallBegin +1 p_seq=3 stack=main.a:9!0x78\nGoSyscallEnd +40\n",
                  path);
    static const struct sum want[] = {{"main.a;", 2, 50}, {"main.b;", 1, 20}};
    struct profile p = profile_of(path, "syscall");
    struct sums w = {(struct sum *)(uintptr_t)want, 2};
    same_sums("places", &p, &w);
    assert_int_equal(p.nsamples, 3);
    assert_int_equal(p.nlocs, 4); /* and none with the number 0 */
    assert_int_equal(p.nfuncs, 3);
    profile_free(&p);
    unload(&l);
}

/* Equal input, equal bytes. */
static void test_stable(void **state)
{
    (void)state;
    const char *words[] = {"--kind", "sched", "samples/http-1.26.trace", "--threads", "1", NULL};
    assert_int_equal(run(pprof_main, words), 0);
    size_t n, m;
    uint8_t *a = read_file(out_path, &n);
    words[4] = "4";
    assert_int_equal(run(pprof_main, words), 0);
    uint8_t *b = read_file(out_path, &m);
    assert_int_equal(n, m);
    assert_memory_equal(a, b, n);
    assert_true(a[0] == 0x1f && a[1] == 0x8b && !a[4] && !a[5] && !a[6] && !a[7]); /* gzip, without a time */
    free(a);
    free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_hand), cmocka_unit_test(test_places),
                                       cmocka_unit_test(test_go), cmocka_unit_test(test_samples),
                                       cmocka_unit_test(test_stable)};
    return cmocka_run_group_tests(tests, make_out, remove_all);
}
