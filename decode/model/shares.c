/*
 * shares.c - time per state (decode/trace.h), exact or as closely as the caller needs it.
 *
 * The exact time up to a moment requires unpacking the block of spans that covers it. A cell of the screen
 * needs less, if its column has many blocks: the index alone gives bounds, and only columns for which these
 * do not do are looked at more closely. So a picture of a whole large trace touches a few bytes of memory per
 * cell.
 */
#include <string.h>

#include "decode/model/trace_priv.h"

enum { PIECE = 128, SETS = 8, MANY = 8 };

/* ---- exact --------------------------------------------------------------------------------------------- */

/* The slots of the states that a kind of lane distinguishes; NO_SLOT for the others. */
enum { NO_SLOT = SPAN_SLOTS };
struct slots {
    uint8_t slot[ST_COUNT];
};

static struct slots slots_of(const struct trace *tr, enum lane_kind k)
{
    struct slots slots;
    for (int s = ST_NONE; s < ST_COUNT; s++) {
        uint8_t slot = tr->fold.pool.slot[k][s];
        slots.slot[s] = s != ST_NONE && slot && (k == LANE_BAND ? s >= ST_GC : s < ST_GC) ? slot : NO_SLOT;
    }
    return slots;
}

static inline void shares_fill(const struct slots *slots, const int64_t *a, const int64_t *b, int64_t len,
                               struct shares *out)
{
    int64_t d[SPAN_SLOTS + 1], sum = 0;
    for (int i = 0; i < SPAN_SLOTS; i++)
        d[i] = b[i] - a[i];
    d[NO_SLOT] = 0;
    for (int i = ST_NONE; i < ST_COUNT; i++) {
        const int64_t ns = d[slots->slot[i]];
        out->ns[i] = ns;
        sum += ns;
    }
    out->ns[ST_NONE] = len - sum;
}

/* Some columns and their edges; neighbours share an edge. */
struct some {
    uint32_t n, nt, col[PIECE];
    uint16_t at[PIECE]; /* index in t of the column's first edge; its last edge is the next one */
    int64_t t[2 * PIECE];
};

/* Take columns that are not sure, from `from` on, as many as there is room for. Returns where to go on. */
static uint32_t some_of(struct some *s, const struct shares_ask *ask, uint32_t from)
{
    s->n = s->nt = 0;
    for (; from < ask->columns && s->n < PIECE; from++) {
        if (ask->sure && ask->sure[from])
            continue;
        if (!s->n || s->col[s->n - 1] + 1 != from)
            s->t[s->nt++] = ask->edges[from];
        s->at[s->n] = (uint16_t)(s->nt - 1);
        s->t[s->nt++] = ask->edges[from + 1];
        s->col[s->n++] = from;
    }
    return from;
}

/*
 * A damaged first-family trace may tell something of a P after a thread's hold of it was summed up; these
 * sums then lack it. Take that time from the state with the most, so that no time is negative.
 */
static void ascend(const int64_t a[SPAN_SLOTS], int64_t b[SPAN_SLOTS])
{
    int most = 0;
    int64_t lacks = 0;
    for (int s = 0; s < SPAN_SLOTS; s++) {
        if (b[s] < a[s]) {
            lacks += a[s] - b[s];
            b[s] = a[s];
        }
        most = b[s] - a[s] > b[most] - a[most] ? s : most;
    }
    b[most] -= lacks;
}

static void exact(const struct trace *tr, struct lane lane, const struct shares_ask *ask, struct shares *out)
{
    int64_t tot[2 * PIECE][SPAN_SLOTS];
    static const int64_t zero[SPAN_SLOTS];
    struct slots slots = slots_of(tr, lane.kind);
    struct some s;
    for (uint32_t i = 0; i < ask->columns;) {
        i = some_of(&s, ask, i);
        if (!s.n)
            break;
        bool any = pieces_totals(tr, lane, &(struct totals){s.t, s.nt, tot, NULL});
        for (uint32_t j = 0; j < s.n; j++) {
            uint32_t a = s.at[j], c = s.col[j];
            if (lane.kind == LANE_M && any)
                ascend(tot[a], tot[a + 1]);
            shares_fill(&slots, any ? tot[a] : zero, any ? tot[a + 1] : zero, s.t[a + 1] - s.t[a], &out[c]);
            /* The sweep and assist bands use the same slot: the lane tells which one it is. */
            if (lane.kind == LANE_BAND && any) {
                int64_t d = tot[a + 1][3] - tot[a][3];
                out[c].ns[lane.i == BAND_SWEEP ? ST_SWEEP : ST_ASSIST] = d;
                out[c].ns[ST_NONE] -= d;
            }
        }
    }
}

void trace_columns(const struct trace *tr, struct lane lane, const int64_t *edges, uint32_t n,
                   struct shares *out)
{
    exact(tr, lane, &(struct shares_ask){.edges = edges, .columns = n}, out);
}

void trace_shares(const struct trace *tr, struct lane lane, int64_t t0, int64_t t1, struct shares *out)
{
    int64_t e[2] = {t0, t1};
    trace_columns(tr, lane, e, 1, out);
}

uint64_t trace_count(const struct trace *tr, struct lane lane, int64_t t0, int64_t t1)
{
    int64_t t[2] = {t0 + 1, t1}, tot[2][SPAN_SLOTS] = {{0}};
    uint64_t n[2] = {0, 0}; /* spans that start before each */
    uint32_t np = pieces_n(tr, lane);
    struct piece p = {.l = NULL};
    if (np && lane.kind != LANE_M)
        pieces_get(tr, lane, np - 1, &p);
    if (lane.kind == LANE_M && t1 > trace_last(tr)) /* what a thread begins at the very end is no span yet */
        t[1] = trace_last(tr);
    if (t1 <= t0 || t0 == INT64_MAX || (p.l && p.l->ended && t0 >= p.l->t0) ||
        !pieces_totals(tr, lane, &(struct totals){t, 2, tot, n}))
        return 0;
    return n[1] - (n[0] ? n[0] - 1 : 0);
}

/* ---- bounds -------------------------------------------------------------------------------------------- */

/* The slots of each set of states. */
struct sets {
    unsigned n;
    uint8_t nslots[SETS], slot[SETS][SPAN_SLOTS];
};

static struct sets sets_of(const struct trace *tr, enum lane_kind k, const struct shares_ask *ask)
{
    struct sets s = {.n = ask->n < SETS ? ask->n : SETS};
    for (unsigned i = 0; i < s.n; i++)
        for (int st = ST_NONE + 1; st < ST_GC; st++)
            if (ask->set[i] >> st & 1 && tr->fold.pool.slot[k][st])
                s.slot[i][s.nslots[i]++] = tr->fold.pool.slot[k][st];
    return s;
}

/* The least and the most time that each set can have had up to t. */
static inline void edge_bounds(const struct sets *sets, const struct totals_near *x, int64_t t,
                               int64_t lo[SETS], int64_t hi[SETS])
{
    for (unsigned i = 0; i < sets->n; i++) {
        int64_t a = 0, b = 0;
        for (unsigned k = 0; k < sets->nslots[i]; k++) {
            a += x->tot[0][sets->slot[i][k]];
            b += x->tot[1][sets->slot[i][k]];
        }
        int64_t least = b - (x->t[1] - t), most = a + (t - x->t[0]);
        lo[i] = least > a ? least : a;
        hi[i] = most < b ? most : b;
    }
}

/* Some columns of a lane, and what the index knows around their edges. */
struct about {
    struct some s;
    struct sets sets;
    struct totals_near x[2 * PIECE];
};

/* Ask enough() about the columns, and set `sure`. */
static void sure_of(const struct about *a, const struct shares_ask *ask)
{
    const struct some *s = &a->s;
    const unsigned n = a->sets.n;
    int64_t lo[2][SETS], hi[2][SETS], least[SETS], most[SETS];
    uint32_t have = UINT32_MAX; /* the edge whose bounds are in [1] */
    for (uint32_t j = 0; j < s->n; j++) {
        const uint32_t e = s->at[j];
        const struct totals_near *x = &a->x[e];
        const int64_t len = s->t[e + 1] - s->t[e];
        if (x[1].count[0] < x[0].count[1] + MANY)
            continue;
        if (have == e) {
            memcpy(lo[0], lo[1], sizeof lo[0]);
            memcpy(hi[0], hi[1], sizeof hi[0]);
        } else {
            edge_bounds(&a->sets, x, s->t[e], lo[0], hi[0]);
        }
        edge_bounds(&a->sets, x + 1, s->t[e + 1], lo[1], hi[1]);
        have = e + 1;
        for (unsigned k = 0; k < n; k++) {
            int64_t d = lo[1][k] - hi[0][k], u = hi[1][k] - lo[0][k];
            least[k] = d > 0 ? d : 0;
            most[k] = u < len ? u : len;
        }
        ask->sure[s->col[j]] = ask->enough(ask->arg, s->col[j], least, most);
    }
}

/* Try bounds for the columns that are not sure yet. far: of a thread, from groups of holds. */
static void try_bounds(const struct trace *tr, struct lane lane, const struct shares_ask *ask, bool far)
{
    struct about a;
    a.sets = sets_of(tr, lane.kind, ask);
    for (uint32_t i = 0; i < ask->columns;) {
        i = some_of(&a.s, ask, i);
        pieces_near(tr, lane, &(struct nearby){.t = a.s.t, .n = a.s.nt, .far = far, .out = a.x});
        sure_of(&a, ask);
    }
}

void trace_columns_about(const struct trace *tr, struct lane lane, const struct shares_ask *ask,
                         struct shares *out)
{
    enum {
        PAYS_BLOCKS = 2,
        PAYS_HOLDS = 4
    }; /* steps of the index per column; with fewer most columns would not be sure */
    const uint32_t n = ask->columns;
    memset(ask->sure, 0, n * sizeof *ask->sure);
    if (lane.kind != LANE_BAND && n && pieces_n(tr, lane)) {
        const uint64_t each = pieces_steps(tr, lane, ask->edges[0], ask->edges[n]) / n;
        if (lane.kind == LANE_M && each / HOLD_GROUP >= PAYS_HOLDS)
            try_bounds(tr, lane, ask, true);
        if (each >= (lane.kind == LANE_M ? PAYS_HOLDS : PAYS_BLOCKS))
            try_bounds(tr, lane, ask, false);
    }
    exact(tr, lane, ask, out);
}
