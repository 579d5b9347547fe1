/* alive.c - see alive.h. A summary may say too little of a chunk, never too much: then its lanes are asked. */
#include "decode/model/alive.h"

#include "decode/base/mem.h"
#include "decode/model/trace_priv.h"

struct alive_chunk {
    int64_t first0, first1;   /* the earliest and the latest first moment */
    int64_t last0, last1;     /* the same of the last */
    int64_t end;              /* the trace's when this was found out; INT64_MAX: it stays */
    bool roughly;             /* first0 and last1 are bounds, the others say nothing: most are never asked for more */
    struct alive_lives *each; /* NULL: none */
};

/*
 * Where some of a chunk live and others don't, windows are asked for one after the other: when each lives, in units of the trace's
 * 16384th part or smaller ones. Only who begins or ends in the unit that a window does is asked itself.
 */
struct alive_lives {
    int64_t end; /* the trace's when it was made, of one in which something may grow; INT64_MAX: nothing does */
    uint16_t first[ALIVE_CHUNK], last[ALIVE_CHUNK];
    bool grows[ALIVE_CHUNK]; /* its last is as of then, and so may be its first */
};
enum { LIVES_MOST = 1024 /* chunks: 2.6 MB */ };

static void wider(struct alive_chunk *c, const int64_t first[2], const int64_t last[2])
{
    c->first0 = first[0] < c->first0 ? first[0] : c->first0;
    c->first1 = first[1] > c->first1 ? first[1] : c->first1;
    c->last0 = last[0] < c->last0 ? last[0] : c->last0;
    c->last1 = last[1] > c->last1 ? last[1] : c->last1;
}

/* Something may come of it yet. */
static bool may_grow(const struct trace_info *ti, enum lane_kind k, const struct lifetime *l)
{
    return (!ti->done || ti->more) && !(k == LANE_G && l->over && l->begun);
}

static void add_one(struct alive_chunk *c, const struct trace *tr, enum lane_kind k, uint32_t lane)
{
    const struct trace_info *ti = trace_info(tr);
    struct lifetime l;
    trace_lives(tr, k, lane, 1, &l);
    const bool grows = may_grow(ti, k, &l);
    wider(c, (int64_t[2]){l.first, l.first}, (int64_t[2]){l.last, grows ? INT64_MAX : l.last});
    if (grows)
        c->end = ti->end;
    if (grows && !l.begun) { /* anything may come of it */
        c->first1 = INT64_MAX;
        c->last0 = INT64_MIN;
    }
}

/* Those that were put away together are over: nothing comes of them. */
static void sum_up(struct alive_chunk *c, const struct trace *tr, enum lane_kind k, uint32_t lane)
{
    int64_t first[2], last[2];
    *c = (struct alive_chunk){INT64_MAX, INT64_MIN, INT64_MAX, INT64_MIN, INT64_MAX, false, c->each};
    for (uint32_t i = 0, n; i < ALIVE_CHUNK; i += n) {
        n = k == LANE_G ? trace_extent(tr, lane + i, ALIVE_CHUNK - i, first, last) : 0;
        if (n) {
            wider(c, first, last);
        } else {
            add_one(c, tr, k, lane + i);
            n = 1;
        }
    }
}

/* The same of those that were put away, without a look at each. false: not all of them were. */
static bool sum_up_roughly(struct alive_chunk *c, const struct trace *tr, enum lane_kind k, uint32_t lane)
{
    *c = (struct alive_chunk){INT64_MAX, INT64_MAX, INT64_MIN, INT64_MIN, INT64_MAX, true, NULL};
    for (uint32_t i = 0, n; i < ALIVE_CHUNK; i += n) {
        int64_t from, till;
        n = k == LANE_G ? trace_within(tr, lane + i, ALIVE_CHUNK - i, &from, &till) : 0;
        if (!n)
            return false;
        c->first0 = from < c->first0 ? from : c->first0;
        c->last1 = till > c->last1 ? till : c->last1;
    }
    return true;
}

/*
 * What was found out when the trace ended there is worth to be found out again. It holds all the same: who grew then lived as long at
 * least. So not at each step of loading.
 */
static bool outdated(int64_t then, const struct trace_info *ti)
{
    return then != INT64_MAX && ((ti->done && !ti->more) || ti->end - then > ti->end / 64);
}

/* NULL: nothing is known of the chunk that begins with this lane. */
static const struct alive_chunk *chunk_of(struct alive *a, const struct trace *tr, enum lane_kind k, uint32_t lane)
{
    size_t i = lane / ALIVE_CHUNK;
    if (i > a->n || (uint64_t)(i + 1) * ALIVE_CHUNK > trace_nlanes(tr, k))
        return NULL;
    if (i == a->n) {
        if (!mem_room(a->chunk, a->cap, a->n + 1))
            return NULL;
        a->chunk[i].each = NULL;
        if (!sum_up_roughly(&a->chunk[a->n], tr, k, lane))
            sum_up(&a->chunk[a->n], tr, k, lane);
        a->n++;
    }
    struct alive_chunk *c = &a->chunk[i];
    if (outdated(c->end, trace_info(tr)))
        sum_up(c, tr, k, lane);
    return c;
}

static bool apart(const struct alive_chunk *c, int64_t t0, int64_t t1)
{
    return c->first0 >= t1 || c->last1 < t0;
}

/* ---- each of a chunk ---------------------------------------------------------------------------------------- */

static uint16_t unit_of(const struct alive *a, int64_t t)
{
    t = t < 0 ? 0 : t >> a->shift;
    return (uint16_t)(t < UINT16_MAX ? t : UINT16_MAX);
}

static void drop_lives(struct alive *a)
{
    for (size_t i = 0; i < a->n; i++) {
        mem_free(a->chunk[i].each);
        a->chunk[i].each = NULL;
    }
    a->nlives = 0;
}

static void fill_lives(const struct alive *a, struct alive_lives *x, const struct trace *tr, enum lane_kind k,
                       uint32_t lane)
{
    enum { AT_ONCE = 256 };
    const struct trace_info *ti = trace_info(tr);
    struct lifetime life[AT_ONCE];
    x->end = INT64_MAX;
    for (uint32_t i = 0; i < ALIVE_CHUNK; i++) {
        const struct lifetime *l = &life[i % AT_ONCE];
        if (i % AT_ONCE == 0)
            trace_lives(tr, k, lane + i, AT_ONCE, life);
        x->grows[i] = may_grow(ti, k, l);
        x->first[i] = unit_of(a, x->grows[i] && !l->begun ? INT64_MAX : l->first);
        x->last[i] = unit_of(a, l->last);
        if (x->grows[i])
            x->end = ti->end;
    }
}

/* NULL: there are too many already, or out of memory. */
static const struct alive_lives *lives_of(struct alive *a, const struct trace *tr, enum lane_kind k, uint32_t lane)
{
    enum { UNITS = 16384 };
    struct alive_chunk *c = &a->chunk[lane / ALIVE_CHUNK];
    const struct trace_info *ti = trace_info(tr);
    if (ti->end >> a->shift > 2 * UNITS) { /* it has grown: larger units, of which there is room for as many more */
        drop_lives(a);
        while (ti->end >> a->shift > UNITS)
            a->shift++;
    }
    if (c->each && !outdated(c->each->end, ti))
        return c->each;
    if (!c->each) {
        if (a->nlives == LIVES_MOST || !(c->each = mem_alloc(sizeof *c->each)))
            return NULL;
        a->nlives++;
    }
    fill_lives(a, c->each, tr, k, lane / ALIVE_CHUNK * ALIVE_CHUNK);
    return c->each;
}

/* The first lane from `lane` on, below `end`, of one chunk; `end`: none. */
static uint32_t next_of(const struct alive *a, const struct alive_lives *x, const struct alive_ask *q, uint32_t lane,
                        uint32_t end)
{
    const uint16_t from = unit_of(a, q->t0), till = unit_of(a, q->t1);
    for (; lane < end; lane++) {
        const uint32_t i = lane % ALIVE_CHUNK;
        struct lifetime l;
        if (x->first[i] < till && x->last[i] > from)
            return lane;
        if (!x->grows[i] && (x->first[i] > till || x->last[i] < from))
            continue;
        trace_lives(q->tr, q->k, lane, 1, &l);
        if (l.first < q->t1 && l.last >= q->t0)
            return lane;
    }
    return end;
}

uint32_t alive_next(struct alive *a, const struct alive_ask *q, uint32_t lane)
{
    enum { AT_ONCE = 256 };
    uint32_t look = 1;
    while (lane < q->n) {
        const struct alive_chunk *c = NULL;
        uint32_t end = lane / ALIVE_CHUNK * ALIVE_CHUNK + ALIVE_CHUNK;
        size_t i = lane / ALIVE_CHUNK;
        if (lane % ALIVE_CHUNK == 0)
            c = chunk_of(a, q->tr, q->k, lane);
        else if (i < a->n)
            c = &a->chunk[i];
        if (c && c->roughly && !apart(c, q->t0, q->t1))
            sum_up(&a->chunk[i], q->tr, q->k, lane / ALIVE_CHUNK * ALIVE_CHUNK);
        if (c && apart(c, q->t0, q->t1)) {
            lane = end;
            continue;
        }
        if (c && c->first1 < q->t1 && c->last0 >= q->t0)
            return lane;
        end = end < q->n ? end : q->n;
        const struct alive_lives *each = i < a->n ? lives_of(a, q->tr, q->k, lane) : NULL;
        if (each && (lane = next_of(a, each, q, lane, end)) < end)
            return lane;
        while (lane < end) { /* a few at a time, more of them the longer none does */
            struct lifetime life[AT_ONCE];
            uint32_t here = end - lane < look ? end - lane : look;
            trace_lives(q->tr, q->k, lane, here, life);
            for (uint32_t j = 0; j < here; j++, lane++)
                if (life[j].first < q->t1 && life[j].last >= q->t0)
                    return lane;
            look = look < AT_ONCE ? look * 4 : look;
        }
    }
    return NO_LANE;
}

uint32_t alive_run(const struct alive *a, int64_t t0, int64_t t1, uint32_t lane, uint32_t n)
{
    uint32_t at = lane;
    for (size_t i; at < n && (i = at / ALIVE_CHUNK) < a->n; at = (uint32_t)(i + 1) * ALIVE_CHUNK)
        if (a->chunk[i].first1 >= t1 || a->chunk[i].last0 < t0)
            break;
    at = at > n ? n : at;
    return at > lane ? at - lane : 1;
}

bool alive_some(struct alive *a, const struct alive_ask *q, uint32_t *lane)
{
    enum { CHUNKS = 8 };
    struct alive_ask near = *q;
    if (*lane >= q->n)
        return false;
    if (q->n - *lane > CHUNKS * ALIVE_CHUNK)
        near.n = (*lane / ALIVE_CHUNK + CHUNKS) * ALIVE_CHUNK;
    const uint32_t at = alive_next(a, &near, *lane);
    *lane = at == NO_LANE ? near.n : at;
    return at != NO_LANE;
}

void alive_know(struct alive *a, const struct trace *tr, enum lane_kind k, size_t most)
{
    enum { BEHIND = 16 };
    size_t full = trace_nlanes(tr, k) / ALIVE_CHUNK, end = full > BEHIND ? full - BEHIND : 0;
    while (a->n < end && most-- && chunk_of(a, tr, k, (uint32_t)(a->n * ALIVE_CHUNK)))
        if (a->chunk[a->n - 1].roughly)
            sum_up(&a->chunk[a->n - 1], tr, k, (uint32_t)((a->n - 1) * ALIVE_CHUNK));
}

void alive_free(struct alive *a)
{
    drop_lives(a);
    mem_free(a->chunk);
    *a = (struct alive){0};
}
