/*
 * alive.c - see alive.h. A chunk's summary may be too weak but never wrong; where it does not decide, the
 * lanes are looked at.
 */
#include "decode/model/alive.h"

#include "decode/base/mem.h"
#include "decode/model/trace_priv.h"

struct alive_chunk {
    int64_t first0, first1; /* the earliest and latest first moment */
    int64_t last0, last1;   /* the earliest and latest last moment */
    int64_t end;            /* the trace's end when this was computed; INT64_MAX: final */
};

/* Returns whether the lane may still change. */
static bool may_grow(const struct trace_info *ti, enum lane_kind k, const struct lifetime *l)
{
    return (!ti->done || ti->more) && !(k == LANE_G && l->over && l->started);
}

static void sum_up(struct alive_chunk *c, const struct trace *tr, enum lane_kind k, uint32_t lane)
{
    enum { AT_ONCE = 256 };
    const struct trace_info *ti = trace_info(tr);
    struct lifetime life[AT_ONCE];
    *c = (struct alive_chunk){INT64_MAX, INT64_MIN, INT64_MAX, INT64_MIN, INT64_MAX};
    for (uint32_t i = 0; i < ALIVE_CHUNK; i++) {
        const struct lifetime *l = &life[i % AT_ONCE];
        if (i % AT_ONCE == 0)
            trace_lives(tr, k, lane + i, AT_ONCE, life);
        const bool grows = may_grow(ti, k, l), anything = grows && !l->started; /* it may begin at any time */
        const int64_t first1 = anything ? INT64_MAX : l->first, last0 = anything ? INT64_MIN : l->last,
                      last1 = grows ? INT64_MAX : l->last;
        c->first0 = l->first < c->first0 ? l->first : c->first0;
        c->first1 = first1 > c->first1 ? first1 : c->first1;
        c->last0 = last0 < c->last0 ? last0 : c->last0;
        c->last1 = last1 > c->last1 ? last1 : c->last1;
        c->end = grows ? ti->end : c->end;
    }
}

/* Returns whether a chunk that was computed when the trace ended at `then` is worth computing again. The old
 * summary still holds, as it allows for lanes that grow. So this is not done at each step of loading. */
static bool outdated(int64_t then, const struct trace_info *ti)
{
    return then != INT64_MAX && ((ti->done && !ti->more) || ti->end - then > ti->end / 64);
}

/* Returns the summary of the chunk that begins with this lane; NULL if there is none. */
static const struct alive_chunk *chunk_of(struct alive *a, const struct trace *tr, enum lane_kind k,
                                          uint32_t lane)
{
    size_t i = lane / ALIVE_CHUNK;
    if (i > a->n || (uint64_t)(i + 1) * ALIVE_CHUNK > trace_nlanes(tr, k))
        return NULL;
    if (i == a->n) {
        if (!mem_room(a->chunk, a->cap, a->n + 1))
            return NULL;
        sum_up(&a->chunk[a->n++], tr, k, lane);
    }
    struct alive_chunk *c = &a->chunk[i];
    if (outdated(c->end, trace_info(tr)))
        sum_up(c, tr, k, lane);
    return c;
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
        if (c && (c->first0 >= q->t1 || c->last1 < q->t0)) {
            lane = end;
            continue;
        }
        if (c && c->first1 < q->t1 && c->last0 >= q->t0)
            return lane;
        end = end < q->n ? end : q->n;
        while (lane < end) { /* a few at a time; more, the longer none is found */
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
    while (a->n < end && most-- && chunk_of(a, tr, k, (uint32_t)(a->n * ALIVE_CHUNK))) {
    }
}

void alive_free(struct alive *a)
{
    mem_free(a->chunk);
    *a = (struct alive){0};
}
