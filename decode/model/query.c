/*
 * query.c - answers questions about the model (decode/trace.h): names, lanes, overlaps. Spans: span_iter.c,
 * walk.c. Time per state: shares.c.
 *
 * Everything is computed from the fold's data. Nothing is cached, so answers are right while loading.
 */
#include "decode/model/retired.h"
#include "decode/model/trace_priv.h"

static const char *const states[ST_COUNT] = {
#define X(id, name, ...) name,
#include "decode/model/states.def"
#undef X
};

const char *state_name(enum state s)
{
    return s < ST_COUNT ? states[s] : "?";
}

/* ---- names --------------------------------------------------------------------------------------------- */

uint32_t trace_nstr(const struct trace *tr)
{
    return tr->st.nstrs;
}

struct str trace_str(const struct trace *tr, uint32_t id)
{
    return names_get(&tr->names, id);
}

uint32_t trace_nstacks(const struct trace *tr)
{
    return tr->st.nstacks;
}

uint32_t trace_stack(const struct trace *tr, uint32_t stack)
{
    return names_depth(&tr->names, stack);
}

uint32_t trace_frames(const struct trace *tr, uint32_t stack, uint32_t from, uint32_t *id, uint32_t most)
{
    return names_ids(&tr->names, stack, from, id, most);
}

struct frame trace_frame_at(const struct trace *tr, uint32_t id)
{
    return names_frame_at(&tr->names, id);
}

struct frame trace_frame(const struct trace *tr, uint32_t stack, uint32_t i)
{
    return names_frame(&tr->names, stack, i);
}

uint64_t trace_memo(const struct trace *tr, enum memo m, uint32_t id)
{
    return id < tr->nmemo[m] ? __atomic_load_n(&tr->memo[m][id], __ATOMIC_RELAXED) : 0;
}

void trace_memo_set(const struct trace *tr, enum memo m, uint32_t id, uint64_t bits)
{
    if (id < tr->nmemo[m])
        (void)__atomic_fetch_or(&tr->memo[m][id], bits, __ATOMIC_RELAXED);
}

/* ---- lanes --------------------------------------------------------------------------------------------- */

uint32_t trace_nlanes(const struct trace *tr, enum lane_kind k)
{
    const struct join *j = &tr->join;
    if (!j->n || k == LANE_BAND)
        return (uint32_t)tr->fold.nlane[k];
    return (uint32_t)(k == LANE_P ? j->np : k == LANE_M ? j->nm_reported : j->ng);
}

static uint64_t lane_id(const struct trace *tr, enum lane_kind k, uint32_t i)
{
    const struct join *j = &tr->join;
    if (k == LANE_G) {
        const struct home h = trace_home(tr, i);
        return fold_g_id(h.f, h.local);
    }
    return k == LANE_BAND     ? i
           : k == LANE_P      ? (j->n ? j->p[i].id : tr->fold.p[i].id)
           : !j->n            ? tr->fold.m[i].id
           : j->m[i].reported ? j->m[i].id
                              : 0;
}

/* Finds the life of goroutine g, new at h, and its number of spans. Reads what it needs of the first and the
 * last piece without making pieces of them. */
static struct lifetime life_of(const struct trace *tr, uint32_t g, const struct home *h, uint64_t *nspans)
{
    const struct join *j = &tr->join;
    struct spanlane room, last;
    const struct spanlane *l = fold_g_lane(h->f, h->local, &room);
    const int64_t end = trace_last(tr);
    *nspans = 0;
    if (!j->n && !l->started)
        return (struct lifetime){.over = fold_g_flags(h->f, h->local) & GI_ENDED};
    const int64_t first = spans_first(l);
    const uint32_t cross = j->n && !l->ended ? idmap_get(&j->crosses, g) : IDMAP_NONE;
    if (cross != IDMAP_NONE && j->cross[cross].n) { /* without memory it may have none */
        const struct jpiece *p = &j->cross[cross].v[j->cross[cross].n - 1];
        *nspans = p->index0;
        l = fold_g_lane(j->seg[p->seg]->f, p->i, &last);
    }
    *nspans += spans_count(l);
    return (struct lifetime){first, l->ended || l->t0 > end ? l->t0 : end, *nspans > 0,
                             j->n ? l->ended : fold_g_flags(h->f, h->local) & GI_ENDED};
}

/* Set the fields that depend on the spans of a lane that is no goroutine's. *over: its last piece has
 * ended. */
static void spans_info(const struct trace *tr, struct lane l, struct lane_info *info, bool *over)
{
    uint32_t n = pieces_n(tr, l);
    struct piece p;
    *over = false;
    if (!n)
        return;
    pieces_get(tr, l, 0, &p);
    info->first = info->seen = p.t0;
    if (l.kind == LANE_M) {
        info->last = trace_last(tr);
        int64_t tot[1][SPAN_SLOTS];
        pieces_totals(tr, l, &(struct totals){&info->last, 1, tot, &info->nspans});
        return;
    }
    if (n > 1)
        pieces_get(tr, l, n - 1, &p);
    info->last = p.l->ended || p.l->t0 > trace_last(tr) ? p.l->t0 : trace_last(tr);
    info->nspans = p.index0 + spans_count(p.l);
    *over = p.l->ended;
}

/* Name a goroutine that left no telling stack: as others with the same creation stack (fold_names.c), or, if
 * a helper of the program started it, after its callback (callback.h). *inferred: the name is. */
uint32_t trace_name(const struct trace *tr, uint32_t i, const struct ginfo *g, bool *inferred)
{
    const uint32_t callback = tr->callback.n ? callback_name(&tr->callback, i, g) : IDMAP_NONE;
    if (callback != IDMAP_NONE) {
        *inferred = g->create_stack || !g->start_stack;
        return callback;
    }
    const struct idmap *runs = &tr->fold.runs;
    const uint32_t run = g->create_stack && runs->used && names_helper(&tr->names, g->name)
                             ? idmap_get(runs, g->create_stack)
                             : IDMAP_NONE;
    *inferred = run && run != IDMAP_NONE;
    return *inferred ? run : g->name;
}

/* Returns the lane_info of goroutine i, new at h, without first, last and nspans. */
struct lane_info trace_who_at(const struct trace *tr, uint32_t i, const struct home *h)
{
    struct ginfo room;
    const struct ginfo *g = fold_g_info(h->f, h->local, &room);
    const int64_t end = trace_last(tr);
    bool inferred;
    const uint32_t name = trace_name(tr, i, g, &inferred);
    struct lane_info li = {
        .seen = g->seen,
#define KEPT(ID, field, ...) .field = g->field,
#include "decode/model/facts.def"
    };
    li.name = name;
    li.no_p_ns += g->no_p_since != NO_TIME && end > g->no_p_since ? end - g->no_p_since : 0;
    li.creator = segment_g(h->seg, g->creator);
    lane_flags(&li, g->flags);
    li.name_inferred |= inferred;
    return li;
}

struct lane_info trace_lane_at(const struct trace *tr, uint32_t g, const struct home *h)
{
    struct lane_info info = trace_who_at(tr, g, h);
    const struct lifetime life = life_of(tr, g, h, &info.nspans);
    info.first = life.first;
    info.last = life.last;
    return info;
}

struct lane_info trace_lane_who(const struct trace *tr, struct lane l)
{
    struct lane_info info = {.creator = NO_LANE};
    if (l.kind >= LANE_KINDS || l.i >= trace_nlanes(tr, l.kind))
        return info;
    if (l.kind != LANE_G) {
        info.id = lane_id(tr, l.kind, l.i);
        return info;
    }
    const struct home h = trace_home(tr, l.i);
    return trace_who_at(tr, l.i, &h);
}

struct lane_info trace_lane(const struct trace *tr, struct lane l)
{
    bool over;
    if (l.kind == LANE_G && l.i < trace_nlanes(tr, LANE_G)) {
        const struct home h = trace_home(tr, l.i);
        return trace_lane_at(tr, l.i, &h);
    }
    struct lane_info info = trace_lane_who(tr, l);
    if (l.kind < LANE_KINDS && l.i < trace_nlanes(tr, l.kind))
        spans_info(tr, l, &info, &over);
    return info;
}

uint32_t trace_g_name(const struct trace *tr, uint32_t g)
{
    bool inferred;
    if (g >= trace_nlanes(tr, LANE_G))
        return 0;
    const struct home h = trace_home(tr, g);
    const uint32_t name = fold_g_name(h.f, h.local);
    if (!trace_helper(tr, name))
        return name;
    struct ginfo room;
    return trace_name(tr, g, fold_g_info(h.f, h.local, &room), &inferred);
}

/* Does trace_lives() for goroutine i and its neighbours in the segment where they are new. Returns how
 * many. */
static uint32_t lives_at(const struct trace *tr, uint32_t i, uint32_t n, struct lifetime *out)
{
    struct home h = trace_home(tr, i);
    const uint32_t run = h.run < n ? h.run : n;
    uint64_t nspans;
    for (uint32_t k = 0, here; k < run; k += here, h.local += here) {
        here = RETIRED_GS - h.local % RETIRED_GS;
        here = here < run - k ? here : run - k;
        if (fold_g_retired(h.f, h.local)) { /* a goroutine that ended in that segment has no other pieces */
            retired_lives(h.f->seg[h.local / RETIRED_GS].retired, h.local, here, out + k);
        } else {
            here = 1;
            out[k] = life_of(tr, i + k, &h, &nspans);
        }
    }
    return run;
}

void trace_lives(const struct trace *tr, enum lane_kind k, uint32_t i, uint32_t n, struct lifetime *out)
{
    const uint32_t all = trace_nlanes(tr, k);
    for (uint32_t here; n; i += here, out += here, n -= here) {
        if (k == LANE_G && i < all) {
            here = lives_at(tr, i, n < all - i ? n : all - i, out);
            continue;
        }
        struct lane_info li = {.nspans = 0};
        bool over = false;
        if (i < all)
            spans_info(tr, (struct lane){k, i}, &li, &over);
        *out = (struct lifetime){li.first, li.last, li.nspans > 0, over};
        here = 1;
    }
}

uint32_t trace_find_lane(const struct trace *tr, enum lane_kind k, uint64_t id)
{
    const struct join *j = &tr->join;
    const uint32_t n = trace_nlanes(tr, k);
    for (uint32_t i = 0; k != LANE_G && i < n; i++)
        if (lane_id(tr, k, i) == id)
            return i;
    if (k == LANE_G && !j->n)
        return fold_g_find(&tr->fold, id);
    for (size_t s = j->n; k == LANE_G && s-- > 0;) {
        const uint32_t local = fold_g_find(j->seg[s]->f, id);
        if (local != NO_LANE)
            return segment_g(j->seg[s], local);
    }
    return NO_LANE;
}

/* ---- what overlaps ------------------------------------------------------------------------------------- */

static void patch(const struct trace *tr)
{
    if (!tr->done)
        fold_patch_open((struct fold *)(uintptr_t)&tr->fold,
                        trace_last(tr)); /* sets only the ends of what is open */
}

size_t trace_ranges(const struct trace *tr, enum range_kind k, const struct range **out)
{
    patch(tr);
    *out = tr->fold.range[k].v;
    return tr->fold.range[k].n;
}

size_t trace_stop(const struct range *r, size_t n, size_t i, struct range *out)
{
    for (*out = r[i++]; out->scope_p && i < n && r[i].scope_p && r[i].name == out->name && r[i].t0 < out->t1;
         i++) {
        out->t1 = r[i].t1 > out->t1 ? r[i].t1 : out->t1;
        out->open_end |= r[i].open_end;
    }
    return i;
}

#define LIST(name, type) \
    size_t trace_##name(const struct trace *tr, const struct type **out) \
    { \
        patch(tr); \
        *out = tr->fold.name.v; \
        return tr->fold.name.n; \
    }
LIST(tasks, task)
LIST(regions, region)
LIST(logs, logmsg)
LIST(samples, sample)

bool trace_minmax(const struct trace *tr, enum metric m, int64_t t0, int64_t t1, uint64_t *min, uint64_t *max)
{
    struct extent x;
    trace_extents(tr, m, (int64_t[]){t0, t1}, 1, &x);
    if (x.known) {
        *min = x.min;
        *max = x.max;
    }
    return x.known;
}

size_t trace_gcounts(const struct trace *tr, int64_t *width, const struct gbucket **out)
{
    fold_back_counts((struct fold *)(uintptr_t)&tr->fold);
    *width = (int64_t)1 << tr->fold.gb_shift;
    *out = tr->fold.gb;
    return tr->fold.ngb;
}

size_t trace_first_stacks(const struct trace *tr, const struct first_stack **out)
{
    *out = tr->fold.first;
    return tr->fold.nfirst;
}
