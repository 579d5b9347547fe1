/* parts.c - see parts.h. */
#include "decode/base/host.h"
#include "decode/model/parts.h"

#include <string.h>
#include <sys/mman.h>

#include "decode/base/mem.h"
#include "decode/model/past.h"
#include "decode/model/trace_priv.h"

#define STEP_MIN ((size_t)256 << 10)
#define COUNTING 256 /* bytes that whoever counts a part (triage) takes for each of its goroutines, about */

/* The model of a part may grow until this much is live: the rest is for whoever looks at it. */
static size_t full(const struct parts *p)
{
    size_t usual = p->limit / 8 * 5, half = p->fixed < p->limit ? p->fixed + (p->limit - p->fixed) / 2 : 0;
    return usual > half ? usual : half;
}

/* What it takes to count what is held. */
static size_t counting(const struct trace *tr)
{
    return tr->fold.nlane[LANE_G] * COUNTING;
}

/* Where many short-lived goroutines come, counting them takes more than the model of them. */
static bool is_full(const struct trace *tr, size_t live)
{
    const struct parts *p = &tr->parts;
    size_t most = p->limit / 8 * 7;
    bool many = tr->fold.nlane[LANE_G] > 2 * (size_t)p->carried + 4096; /* less there can't be */
    return live >= full(p) || (many && live + counting(tr) >= most);
}

/* Live memory at which to look again: a step further, or where it may be full if things go on as they did. */
static size_t next_look(const struct trace *tr, size_t live)
{
    const struct parts *p = &tr->parts;
    size_t most = p->limit / 8 * 7, used = live + counting(tr), next = live + p->step;
    double grown = live > p->fixed + (1 << 16) ? (double)(live - p->fixed) : 0;
    double each = grown > 0 ? 1 + (double)counting(tr) / grown : 4, room = used < most ? (double)(most - used) : 0;
    if (room / each < (double)p->step)
        next = live + (size_t)(room / each) + (STEP_MIN < p->step / 8 ? STEP_MIN : p->step / 8);
    return next > full(p) && live < full(p) ? full(p) : next;
}

void parts_init(struct trace *tr)
{
    struct parts *p = &tr->parts;
    p->able = tr->src.ops->mark != NULL;
    p->limit = tr->opts.max_memory > SIZE_MAX / 2 ? SIZE_MAX / 2 : (size_t)tr->opts.max_memory;
    p->step = p->limit / 8 > STEP_MIN ? p->limit / 8 : STEP_MIN;
    p->last = p->fixed = mem_live();
    p->next = !p->limit ? SIZE_MAX : !p->able ? p->limit : p->last + p->step;
    p->ov.budget = p->limit / 16;
}

static void mark_free(const struct trace *tr, struct part_mark *m)
{
    if (m->fold)
        fold_free(m->fold);
    mem_free(m->fold);
    if (m->src)
        tr->src.ops->mark_free(m->src);
    mem_free(m->sums.v);
    *m = (struct part_mark){0};
}

void parts_free(struct trace *tr)
{
    struct parts *p = &tr->parts;
    for (size_t i = 0; i < p->n; i++)
        mark_free(tr, &p->mark[i]);
    mem_free(p->mark);
    mem_free(p->s0.v);
    mem_free(p->s1.v);
    mem_free(p->gb);
    overview_free(&p->ov);
    memset(p, 0, sizeof *p);
}

/* ---- sums ------------------------------------------------------------------------------------------------- */

static const struct ov_sum *sum_of(const struct part_sums *s, enum lane_kind k, uint32_t i)
{
    if (!s->v || (k == LANE_P ? i >= s->np : k != LANE_BAND || i >= BAND_COUNT))
        return NULL;
    return &s->v[k == LANE_P ? i : s->np + i];
}

static struct ov_sum fold_at(const struct fold *f, enum lane_kind k, uint32_t i, int64_t t)
{
    struct ov_sum out = {{0}};
    int64_t tot[1][SPAN_SLOTS];
    uint64_t n = 0;
    if (i >= f->nlane[k] || !f->lane[k][i].begun)
        return out;
    spans_totals(&f->pool, k, &f->lane[k][i], &t, 1, f->end, tot, &n);
    memcpy(out.v, tot[0], sizeof out.v);
    out.v[0] = (int64_t)n;
    return out;
}

/* What a lane had done when the detail began. */
static struct ov_sum base_of(const struct trace *tr, enum lane_kind k, uint32_t i)
{
    const struct parts *p = &tr->parts;
    const struct ov_sum *s = sum_of(&p->s0, k, i);
    struct ov_sum none = {{0}};
    if (s || !p->t0 || !p->whole) /* one that is new in the first pass has all it ever did in this fold */
        return s ? *s : none;
    return overview_at(&p->ov, k, i, p->t0, 0, 0, NULL, NULL); /* it wasn't known then */
}

/* The sums of all lanes up to the end of the detail. */
static bool sums_now(const struct trace *tr, struct part_sums *out)
{
    const struct fold *f = &tr->fold;
    struct part_sums s = {.np = f->nlane[LANE_P]};
    if (!(s.v = mem_alloc((s.np + BAND_COUNT) * sizeof *s.v)))
        return false;
    for (size_t i = 0; i < s.np + BAND_COUNT; i++) {
        enum lane_kind k = i < s.np ? LANE_P : LANE_BAND;
        uint32_t l = (uint32_t)(i < s.np ? i : i - s.np);
        struct ov_sum b = base_of(tr, k, l), from = {{0}}, to = fold_at(f, k, l, f->end);
        if (tr->parts.t0 && (sum_of(&tr->parts.s0, k, l) || tr->parts.whole))
            from = fold_at(f, k, l, tr->parts.t0);
        for (int j = 0; j < SPAN_SLOTS; j++)
            b.v[j] += to.v[j] - from.v[j];
        s.v[i] = b;
    }
    mem_free(out->v);
    *out = s;
    return true;
}

static bool sums_copy(struct part_sums *to, const struct part_sums *from)
{
    struct ov_sum *v = NULL;
    size_t n = from->v ? (from->np + BAND_COUNT) * sizeof *v : 0;
    if (n && !(v = mem_alloc(n)))
        return false;
    if (n)
        memcpy(v, from->v, n);
    mem_free(to->v);
    *to = (struct part_sums){v, from->np};
    return true;
}

void parts_totals(const struct trace *tr, struct lane l, const int64_t *t, uint32_t n, int64_t (*out)[SPAN_SLOTS],
                  uint64_t *count)
{
    const struct parts *p = &tr->parts;
    const struct fold *f = &tr->fold;
    bool here = l.i < f->nlane[l.kind] && f->lane[l.kind][l.i].begun;
    struct ov_sum base = base_of(tr, l.kind, l.i), zero = {{0}};
    int64_t from[1][SPAN_SLOTS] = {{0}};
    uint64_t from_n = 0;
    if (here && p->t0 && (sum_of(&p->s0, l.kind, l.i) || p->whole))
        spans_totals(&f->pool, l.kind, &f->lane[l.kind][l.i], &p->t0, 1, f->end, from, &from_n);
    uint32_t i = 0;
    while (i < n) {
        if (!here && p->ov.end) { /* the detail doesn't know of it: the trace tells later that it was there */
            struct ov_sum s = overview_at(&p->ov, l.kind, l.i, t[i], 0, 0, NULL, NULL);
            memcpy(out[i], s.v, sizeof out[i]);
            if (count)
                count[i] = (uint64_t)s.v[0];
            i++;
            continue;
        }
        if (t[i] < p->t0 || (t[i] > p->t1 && p->t1 < p->ov.end)) {
            struct ov_sum s = overview_at(&p->ov, l.kind, l.i, t[i], p->t0, p->t1,
                                          p->t0 ? sum_of(&p->s0, l.kind, l.i) : &zero, sum_of(&p->s1, l.kind, l.i));
            memcpy(out[i], s.v, sizeof out[i]);
            if (count)
                count[i] = (uint64_t)s.v[0];
            i++;
            continue;
        }
        uint32_t k = i;
        while (k < n && t[k] >= p->t0 && (t[k] <= p->t1 || p->t1 >= p->ov.end))
            k++;
        if (here)
            spans_totals(&f->pool, l.kind, &f->lane[l.kind][l.i], t + i, k - i, f->end, out + i,
                         count ? count + i : NULL);
        else
            memset(out + i, 0, (k - i) * sizeof *out);
        for (; i < k; i++) {
            for (int s = 1; s < SPAN_SLOTS; s++)
                out[i][s] += base.v[s] - from[0][s];
            if (count)
                count[i] = (here ? count[i] - from_n : 0) + (uint64_t)base.v[0];
        }
    }
}

bool parts_minmax(const struct trace *tr, enum metric m, int64_t t0, int64_t t1,
                  bool (*f)(const struct trace *, enum metric, int64_t, int64_t, uint64_t *, uint64_t *),
                  uint64_t *min, uint64_t *max)
{
    const struct parts *p = &tr->parts;
    int64_t stop = p->t1 < p->ov.end ? p->t1 : INT64_MAX; /* behind it the overview knows more */
    uint64_t a[3], z[3];
    bool have[3] = {t0 < p->t0 && overview_minmax(&p->ov, m, t0, t1 < p->t0 ? t1 : p->t0, &a[0], &z[0]),
                    t1 > p->t0 && t0 < stop && f(tr, m, t0 > p->t0 ? t0 : p->t0, t1 < stop ? t1 : stop, &a[1], &z[1]),
                    t1 > stop && overview_minmax(&p->ov, m, t0 > stop ? t0 : stop, t1, &a[2], &z[2])};
    *min = UINT64_MAX;
    *max = 0;
    for (int i = 0; i < 3; i++) {
        *min = have[i] && a[i] < *min ? a[i] : *min;
        *max = have[i] && z[i] > *max ? z[i] : *max;
    }
    return have[0] || have[1] || have[2];
}

/* ---- marks ------------------------------------------------------------------------------------------------ */

/* About what a mark takes: the goroutines that live. */
static size_t mark_cost(const struct trace *tr)
{
    const struct fold *f = &tr->fold;
    uint64_t live = 0;
    for (int k = 0; k < GC_COUNT; k++)
        live += f->gnow[k];
    return (size_t)live * (sizeof(struct spanlane) + sizeof(struct ginfo) + 64) + 32768;
}

/* sums: those of now, which it takes over. */
static bool mark_make(struct trace *tr, struct part_mark *m, struct part_sums *sums)
{
    struct gmap map = {0};
    size_t before = mem_live();
    *m = (struct part_mark){.t = tr->fold.end};
    m->src = tr->src.ops->mark(&tr->src, &map);
    struct fold *f = m->src ? mem_zalloc(sizeof *f) : NULL;
    bool ok = f && fold_carry(f, &tr->fold, &map);
    mem_free(map.to);
    if (!ok) {
        mem_free(f);
        mark_free(tr, m);
        return false;
    }
    m->fold = f;
    m->sums = *sums;
    *sums = (struct part_sums){0};
    m->nstr = tr->names.strs.n < UINT32_MAX ? (uint32_t)tr->names.strs.n : UINT32_MAX;
    m->most_g = tr->parts.most_g;
    m->cost = mem_live() - before;
    return true;
}

/* One mark goes, where they cost too much together: that whose going leaves the shortest stretch, so that stretches
   stay about alike over the whole file. Not the last one: its stretch isn't over. */
static void marks_thin(struct trace *tr)
{
    struct parts *p = &tr->parts;
    size_t best = 1;
    for (size_t i = 2; i + 1 < p->n; i++)
        if (p->mark[i - 1].model + p->mark[i].model < p->mark[best - 1].model + p->mark[best].model)
            best = i;
    p->cost -= p->mark[best].cost;
    p->mark[best - 1].model += p->mark[best].model;
    mark_free(tr, &p->mark[best]);
    p->n--;
    memmove(&p->mark[best], &p->mark[best + 1], (p->n - best) * sizeof *p->mark);
}

/* Take a mark into the list, if it isn't there. grown: what the model took since the one before it. */
static bool mark_keep(struct trace *tr, struct part_mark *m, size_t grown)
{
    struct parts *p = &tr->parts;
    size_t at = p->n;
    if (!p->n) {
        struct part_mark *first = mem_grow(p->mark, &p->cap, 2, sizeof *first);
        if (!first)
            return false;
        p->mark = first;
        first[0] = (struct part_mark){0};
        p->n = at = 1;
    }
    while (at > 1 && p->mark[at - 1].t > m->t)
        at--;
    if (p->mark[at - 1].t >= m->t)
        return false;
    struct part_mark *v = mem_grow(p->mark, &p->cap, p->n + 1, sizeof *v);
    if (!v)
        return false;
    p->mark = v;
    memmove(&v[at + 1], &v[at], (p->n - at) * sizeof *v);
    v[at] = *m;
    if (at < p->n) /* in the middle of a stretch that is known */
        v[at].model = v[at - 1].model > grown ? v[at - 1].model - grown : 0;
    v[at - 1].model = grown;
    p->n++;
    p->cost += m->cost;
    *m = (struct part_mark){0};
    while (p->cost > p->limit / 8 && p->n > 3)
        marks_thin(tr);
    return true;
}

static uint32_t no_g(void *arg, uint64_t id)
{
    (void)arg, (void)id;
    return NO_LANE;
}

/* What was read of the file is the kernel's to keep, not ours. */
static void file_forget(struct trace *tr)
{
    if (tr->in.mapped)
        (void)madvise(tr->in.map, tr->in.maplen, MADV_DONTNEED);
}

/* The fold of a mark takes the place of the one there is, and the reader goes back there. once: the mark is spent. */
static bool restore(struct trace *tr, struct part_mark *m, bool once)
{
    struct parts *p = &tr->parts;
    static const struct gmap same;
    struct fold *f = &tr->fold;
    struct gbucket *gb = NULL;
    struct gback *back = NULL;
    if (!p->whole) { /* the first pass: these go on */
        gb = f->gb;
        back = f->back;
        f->gb = NULL;
        f->back = NULL;
    } else if (!p->gb) {
        fold_back_counts(f);
        p->gb = f->gb;
        p->ngb = f->ngb;
        p->gb_shift = f->gb_shift;
        f->gb = NULL;
    }
    const struct names *names = f->names;
    fold_free(f);
    bool ok = true;
    if (m->fold && once) {
        *f = *m->fold;
        mem_free(m->fold);
        m->fold = NULL;
    } else {
        ok = m->fold ? fold_carry(f, m->fold, &same) : fold_init(f, names) == ERR_OK;
    }
    if (!f->gb) {
        f->gb = gb;
        f->back = back;
    }
    if (ok && !f->gb)
        ok = (f->gb = mem_zalloc(GB_MAX * sizeof *f->gb));
    ok = ok && sums_copy(&p->s0, &m->sums) && tr->src.ops->resume(&tr->src, m->src);
    for (int k = 0; k < LANE_KINDS; k++) {
        idmap_free(&tr->find[k]);
        tr->found[k] = 0;
    }
    if (p->whole) /* until the detail is complete, nobody's indices are known */
        (void)overview_owners(&p->ov, no_g, NULL);
    p->t0 = p->t1 = m->t;
    p->carried = (uint32_t)f->nlane[LANE_G];
    p->spans0 = f->nlane[LANE_G] + f->nlane[LANE_P];
    tr->info.epoch++;
    p->counted = 0;
    host_trim();
    file_forget(tr);
    p->last = p->fixed = mem_live();
    p->next = next_look(tr, p->last);
    return ok;
}

/* ---- the first pass --------------------------------------------------------------------------------------- */

/* There is no going on: nothing is held, but for what was counted. */
static void give_up(struct trace *tr)
{
    struct fold *f = &tr->fold, was = *f;
    fold_free(f);
    f->names = was.names;
    f->events = was.events;
    memcpy(f->count, was.count, sizeof f->count);
    f->procs = was.procs;
    f->end = was.end;
    tr->parts.t0 = tr->parts.t1 = was.end;
    tr->info.epoch++;
    for (int k = 0; k < LANE_KINDS; k++) {
        idmap_free(&tr->find[k]);
        tr->found[k] = 0;
    }
}

static void count_detail(struct trace *tr)
{
    struct parts *p = &tr->parts;
    const struct fold *f = &tr->fold;
    struct spanlane room;
    uint64_t n = 0;
    for (int k = LANE_P; k <= LANE_G; k++)
        for (size_t i = 0; i < f->nlane[k]; i++)
            n += spans_count(k == LANE_G ? fold_g_lane(f, (uint32_t)i, &room) : &f->lane[k][i]);
    p->ov.nspans += n - p->spans0;
    p->ov.ngoroutines += f->nlane[LANE_G] - p->carried;
}

static void count_ids(struct trace *tr)
{
    struct parts *p = &tr->parts;
    for (; p->counted < tr->fold.nlane[LANE_G]; p->counted++) {
        uint64_t id = fold_g_id(&tr->fold, p->counted);
        p->most_g = id > p->most_g ? id : p->most_g;
    }
}

static enum part seek_look(struct trace *tr);

enum part parts_look(struct trace *tr)
{
    struct parts *p = &tr->parts;
    size_t live = mem_live();
    p->t1 = tr->fold.end;
    if (p->able)
        file_forget(tr);
    if (!p->able) {
        p->next = SIZE_MAX;
        return PART_STOP;
    }
    if (p->seeking)
        return seek_look(tr);
    bool must = is_full(tr, live), stuck = tr->fold.end <= p->t0;
    if (stuck || (!must && tr->st.generations <= 1)) { /* goroutines may yet be told of that were there all along */
        p->next = live + p->step;
        return stuck && live > p->limit ? PART_STOP : PART_ON;
    }
    size_t grown = live > p->last ? live - p->last : 0;
    p->next = next_look(tr, live);
    count_ids(tr);
    if (!must) {
        struct part_sums now = {0};
        struct part_mark m = {0};
        if (grown < p->step / 4 * 3 || mark_cost(tr) > grown / 4 || !sums_now(tr, &now) || !mark_make(tr, &m, &now) ||
            !mark_keep(tr, &m, grown))
            mark_free(tr, &m);
        else
            p->last = live;
        mem_free(now.v);
        return PART_ON;
    }
    if (!overview_take(&p->ov, &tr->fold, false) || !sums_now(tr, &p->s1))
        return PART_STOP;
    p->bounded = p->ready = true;
    count_detail(tr);
    return PART_READY;
}

bool parts_leave(struct trace *tr)
{
    struct parts *p = &tr->parts;
    struct part_mark m = {0};
    struct part_sums now = {0};
    size_t live = mem_live(), grown = live > p->last ? live - p->last : 0;
    bool keep = mark_cost(tr) <= p->limit / 8;
    p->ready = false;
    bool ok = sums_copy(&now, &p->s1);
    fold_strip(&tr->fold);
    p->need = mem_live() + mark_cost(tr);
    ok = ok && p->need < p->limit && mark_make(tr, &m, &now) && restore(tr, &m, !keep);
    if (!keep || !ok || !mark_keep(tr, &m, grown))
        mark_free(tr, &m);
    mem_free(now.v);
    if (!ok)
        give_up(tr);
    p->last = p->fixed = mem_live(); /* the mark is part of it */
    return ok && mem_live() < p->limit / 8 * 7;
}

void parts_end(struct trace *tr)
{
    struct parts *p = &tr->parts;
    p->next = SIZE_MAX;
    p->t1 = trace_last(tr);
    if (!p->bounded)
        return;
    count_ids(tr);
    if (!p->n) { /* the start of the file, at least */
        struct part_mark *first = mem_grow(p->mark, &p->cap, 1, sizeof *first);
        p->mark = first ? first : p->mark;
        if (first)
            first[p->n++] = (struct part_mark){0};
    }
    if (p->n)
        p->mark[p->n - 1].model += mem_live() > p->last ? mem_live() - p->last : 0;
    (void)overview_take(&p->ov, &tr->fold, true);
    count_detail(tr);
    (void)sums_now(tr, &p->s1);
    p->whole = true;
}

/* ---- back to a part --------------------------------------------------------------------------------------- */

/* What begins at a mark's very moment is in the part before it: that one is needed for it. */
static size_t mark_before(const struct parts *p, int64_t t)
{
    size_t i = p->n ? p->n - 1 : 0;
    while (i && p->mark[i].t >= t)
        i--;
    return i;
}

/* Where a window begins, clipped; what its marks say it takes. */
static size_t model_of(const struct parts *p, int64_t t0, int64_t t1, size_t *need)
{
    size_t i = mark_before(p, t0);
    *need = 0;
    for (size_t k = i; k < p->n && p->mark[k].t < t1; k++)
        *need += p->mark[k].model;
    return i;
}

enum wanted trace_held(const struct trace *tr, int64_t t0, int64_t t1)
{
    const struct parts *p = &tr->parts;
    size_t need;
    t0 = t0 < 0 ? 0 : t0;
    t1 = t1 > p->ov.end ? p->ov.end : t1;
    if (!p->bounded || t1 <= t0 || ((t0 > p->t0 || !p->t0) && t1 <= p->t1))
        return WANT_HELD;
    size_t i = model_of(p, t0, t1, &need);
    size_t last = i + 1 + (i + 1 < p->n && p->mark[i + 1].t == t0);
    bool one = last >= p->n || p->mark[last].t >= t1; /* less there can't be */
    /* What the marks say is rough, each part's own slack is in it: if in doubt it is tried, and `reach` tells. */
    if (p->lost || (!one && need / 2 + p->fixed > full(p)) ||
        (i < p->n && t0 <= p->mark[i].reach_from && t1 > p->mark[i].reach && p->mark[i].reach))
        return WANT_WIDE;
    return p->seeking && (t0 > p->t0 || !p->t0) && t1 <= p->until ? WANT_COMING : WANT_AWAY;
}

enum wanted trace_want(struct trace *tr, int64_t t0, int64_t t1)
{
    struct parts *p = &tr->parts;
    enum wanted w = trace_held(tr, t0, t1);
    size_t need;
    if (w != WANT_AWAY || !p->whole)
        return w;
    p->want0 = t0 < 0 ? 0 : t0;
    p->want1 = p->until = t1 > p->ov.end ? p->ov.end : t1;
    size_t i = model_of(p, p->want0, p->want1, &need), k = i;
    while (k < p->n && p->mark[k].t < p->want1)
        k++;
    for (; k <= p->n; k++) { /* to the end of that part, and as much behind it as a quarter of the memory takes */
        p->until = k < p->n ? p->mark[k].t : p->ov.end;
        if (k == p->n || need + p->mark[k].model + p->fixed > p->limit / 4)
            break;
        need += p->mark[k].model;
    }
    p->lost = !trace_seek(tr, i);
    return p->lost ? WANT_WIDE : WANT_COMING;
}

bool trace_stretch(const struct trace *tr, int64_t t, int dir, int64_t *t0, int64_t *t1)
{
    const struct parts *p = &tr->parts;
    size_t room = full(p) > p->fixed ? (full(p) - p->fixed) / 2 : 0, need = 0, i;
    if (!p->whole || (dir > 0 ? t >= p->ov.end : t <= 0))
        return false;
    i = mark_before(p, t);
    *t0 = dir > 0 ? t : i < p->n ? p->mark[i].t : 0;
    *t1 = dir > 0 ? p->ov.end : t;
    if (dir > 0) {
        for (need = i < p->n ? p->mark[i].model : 0; ++i < p->n; need += p->mark[i].model)
            if (p->mark[i].t > t && need + p->mark[i].model > room) {
                *t1 = p->mark[i].t;
                break;
            }
        return true;
    }
    for (need = i < p->n ? p->mark[i].model : 0; i > 0 && need + p->mark[i - 1].model <= room;
         need += p->mark[i].model)
        *t0 = p->mark[--i].t;
    *t0 += *t0 > 0;
    return true;
}

int64_t trace_name_since(const struct trace *tr, uint32_t str)
{
    int64_t t = 0;
    for (size_t i = 0; tr->parts.whole && i < tr->parts.n; i++)
        if (tr->parts.mark[i].nstr <= str)
            t = tr->parts.mark[i].t + (i > 0);
    return t;
}

int64_t trace_goroutine_since(const struct trace *tr, uint64_t id)
{
    int64_t t = 0;
    if (tr->parts.whole && id > tr->parts.most_g)
        return INT64_MAX;
    for (size_t i = 0; tr->parts.whole && i < tr->parts.n; i++)
        if (tr->parts.mark[i].most_g < id)
            t = tr->parts.mark[i].t + (i > 0);
    return t;
}

bool parts_seek(struct trace *tr, size_t mark)
{
    static struct part_mark start;
    struct parts *p = &tr->parts;
    p->seeking = true;
    return restore(tr, mark < p->n ? &p->mark[mark] : &start, false);
}

static enum part seek_look(struct trace *tr)
{
    struct parts *p = &tr->parts;
    size_t live = mem_live(), used = live + counting(tr) / 2, most = full(p);
    p->next = next_look(tr, live);
    /* Before the window half the room may be taken, so that there is some left for the window itself. */
    bool before = tr->fold.end < p->want0 && tr->fold.end > p->t0;
    if (!is_full(tr, live) && !(before && used > p->fixed && used - p->fixed > (most - p->fixed) / 2))
        return PART_ON;
    if (!before)
        return PART_STOP; /* what there is of it is held */
    struct part_mark m = {0};
    struct part_sums now = {0};
    size_t grown = mem_live() > p->last ? mem_live() - p->last : 0;
    bool ok = sums_now(tr, &now), keep = mark_cost(tr) <= p->limit / 8;
    fold_strip(&tr->fold);
    ok = ok && mark_make(tr, &m, &now) && restore(tr, &m, !keep);
    if (!ok || !keep || !mark_keep(tr, &m, grown))
        mark_free(tr, &m);
    mem_free(now.v);
    if (!ok)
        give_up(tr);
    return ok ? PART_ON : PART_STOP;
}

bool parts_found(const struct trace *tr)
{
    return tr->fold.end >= tr->parts.until;
}

void parts_seek_end(struct trace *tr)
{
    struct parts *p = &tr->parts;
    size_t i = mark_before(p, p->t0 + 1);
    p->seeking = false;
    p->next = SIZE_MAX;
    if (i < p->n && tr->fold.end < p->want1) {
        p->mark[i].reach = tr->fold.end > 0 ? tr->fold.end : 1;
        p->mark[i].reach_from = p->want0;
    }
    fold_finish(&tr->fold);
    parts_shown(tr);
}

static uint32_t find_g(void *arg, uint64_t id)
{
    return trace_find_lane(arg, LANE_G, id);
}

void parts_shown(struct trace *tr)
{
    struct parts *p = &tr->parts;
    struct trace_info *i = &tr->info;
    p->t1 = trace_last(tr);
    i->bounded = p->bounded;
    bool taken = p->whole || p->ready; /* the detail is in the overview, too */
    i->goroutines = !p->bounded ? trace_nlanes(tr, LANE_G)
                                : p->ov.ngoroutines + (taken ? 0 : tr->fold.nlane[LANE_G] - p->carried);
    i->detail_t0 = p->t0;
    i->detail_t1 = p->bounded ? p->t1 : i->end;
    if (!p->bounded)
        return;
    (void)sums_now(tr, &p->s1);
    if (p->whole && !p->seeking)
        (void)overview_owners(&p->ov, find_g, tr);
}
