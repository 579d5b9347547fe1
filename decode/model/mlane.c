/* mlane.c - see mlane.h. */
#include "decode/model/mlane.h"

#include <string.h>

#include "decode/model/fold_priv.h"
#include "decode/base/rows.h"
#include "decode/base/mem.h"

enum { REC_MAX = 10 + 1 + 10 * (SPAN_SLOTS - 1) };

/* Returns the end of hold i. */
static int64_t hold_end(const struct fold *f, const struct mlane *l, size_t i)
{
    return i + 1 < l->n ? l->h[i + 1].t0 : f->end > l->h[i].t0 ? f->end : l->h[i].t0;
}

/* Close the open hold at t: add it to the sums and write its record. */
static bool hold_close(struct fold *f, uint32_t m, int64_t t)
{
    struct mlane *l = &f->m[m].lane;
    const struct hold *h = &l->h[l->n - 1];
    int64_t *const was = l->now.tot;
    struct span_sums to = {.count = l->now.count}; /* up to t */
    memcpy(to.tot, was, sizeof to.tot);
    if (hold_p(h) == EV_NONE) {
        to.tot[f->pool.slot[LANE_M][hold_bare(h)]] += t - h->t0;
        to.count++;
    } else if (t > f->end || !spans_since(&f->pool, LANE_P, &f->lane[LANE_P][hold_p(h)], h->t0, t, &to)) {
        mlane_totals(f, m, &(struct totals){&t, 1, &to.tot, &to.count});
    }
    if (hold_p(h) != EV_NONE) {
        if (!mem_room(l->rec, l->caprec, l->now.rec + REC_MAX))
            return false;
        uint8_t *o = l->rec + l->now.rec;
        o += bytes_put_varint(o, to.count - l->now.count);
        uint8_t *slots = o++;
        int64_t rest = t - h->t0; /* slot 0 takes the rest, even if the P's lane covers less than the hold */
        for (int s = 1; s < SPAN_SLOTS; s++)
            rest -= to.tot[s] - was[s];
        to.tot[0] = was[0] + rest;
        *slots = 0;
        for (int s = 0; s < SPAN_SLOTS; s++) {
            if (to.tot[s] == was[s])
                continue;
            if (*slots)
                o += bytes_put_varint(o, (uint64_t)(to.tot[s] - was[s]));
            *slots |= (uint8_t)(1u << s);
        }
        l->now.rec = (size_t)(o - l->rec);
        f->p[hold_p(h)].held = t;
    }
    memcpy(was, to.tot, sizeof to.tot);
    l->now.count = to.count;
    return true;
}

bool mlane_set(struct fold *f, uint32_t m, int64_t t, uint32_t who)
{
    struct mlane *l = &f->m[m].lane;
    if (l->n) {
        struct hold *h = &l->h[l->n - 1];
        if (h->who == who)
            return true;
        if (h->t0 < t) {
            if (!hold_close(f, m, t))
                return false;
        } else { /* no time has passed, or the event is back-dated: the later state counts, from h->t0 on */
            t = h->t0;
            l->n--;
        }
    }
    if (l->n % HOLD_GROUP == 0) {
        if (!mem_room(l->sum, l->capsum, l->n / HOLD_GROUP + 1))
            return false;
        l->sum[l->n / HOLD_GROUP] = l->now;
    }
    return mem_add(l->h, l->cap, l->n, (struct hold){t, who});
}

size_t mlane_find(const struct mlane *l, int64_t t)
{
    size_t after = 1;
    bisect(after, l->n, i, l->h[i].t0 <= t);
    return after - 1;
}

/* A walk over holds keeps the totals before hold `at`, whose record is at rec. */
struct hold_walk {
    size_t at, rec;
    int64_t tot[SPAN_SLOTS];
    uint64_t count;
};

static void hold_walk_to(const struct fold *f, const struct mlane *l, struct hold_walk *w, size_t i)
{
    size_t from = i / HOLD_GROUP * HOLD_GROUP;
    if (w->at == SIZE_MAX || w->at < from || w->at > i) {
        const struct holdsum *s = &l->sum[i / HOLD_GROUP];
        memcpy(w->tot, s->tot, sizeof w->tot);
        w->count = s->count;
        w->rec = s->rec;
        w->at = from;
    }
    for (; w->at < i; w->at++) {
        const struct hold *h = &l->h[w->at];
        int64_t rest = h[1].t0 - h->t0;
        if (hold_p(h) == EV_NONE) {
            w->tot[f->pool.slot[LANE_M][hold_bare(h)]] += rest;
            w->count++;
            continue;
        }
        uint64_t v;
        const uint8_t *end = l->rec + l->caprec, *p = bytes_varint(l->rec + w->rec, end, &v);
        w->count += v;
        unsigned slots = *p++;
        if (slots) {
            int lowest = __builtin_ctz(slots);
            for (slots &= slots - 1; slots; slots &= slots - 1) {
                p = bytes_varint(p, end, &v);
                w->tot[__builtin_ctz(slots)] += (int64_t)v;
                rest -= (int64_t)v;
            }
            w->tot[lowest] += rest;
        }
        w->rec = (size_t)(p - l->rec);
    }
}

/* Add what the P did from the start of hold i up to t. states.def gives Ps and Ms the same slots. Both
 * moments are looked up together, as they mostly lie in the same block of spans. */
static void ask_p(const struct fold *f, const struct mlane *l, size_t i, int64_t t, int64_t tot[SPAN_SLOTS],
                  uint64_t *count)
{
    const int64_t t0 = l->h[i].t0, end = hold_end(f, l, i), at[3] = {t0, t0 + 1, t < end ? t : end};
    int64_t v[3][SPAN_SLOTS];
    uint64_t n[3];
    if (end <= t0)
        return;
    spans_totals(&f->pool, LANE_P, &f->lane[LANE_P][hold_p(&l->h[i])], f->end, &(struct totals){at, 3, v, n});
    for (int s = 0; s < SPAN_SLOTS; s++)
        tot[s] += v[2][s] - v[0][s];
    if (count)
        *count += n[2] - n[1] + (n[1] > 0);
}

void mlane_totals(const struct fold *f, uint32_t m, const struct totals *to)
{
    const struct mlane *l = &f->m[m].lane;
    struct hold_walk w = {.at = SIZE_MAX};
    for (uint32_t k = 0; k < to->n; k++) {
        const int64_t t = to->t[k];
        int64_t *const tot = to->tot[k];
        uint64_t *const count = to->count ? to->count + k : NULL;
        if (!l->n || t <= l->h[0].t0) {
            memset(tot, 0, sizeof to->tot[k]);
            if (count)
                *count = 0;
            continue;
        }
        const size_t i = mlane_find(l, t);
        const struct hold *h = &l->h[i];
        hold_walk_to(f, l, &w, i);
        memcpy(tot, w.tot, sizeof w.tot);
        if (count)
            *count = w.count;
        if (t <= h->t0)
            continue; /* the hold's very start */
        if (hold_p(h) != EV_NONE) {
            ask_p(f, l, i, t, tot, count);
            continue;
        }
        const int64_t end = hold_end(f, l, i);
        tot[f->pool.slot[LANE_M][hold_bare(h)]] += (t < end ? t : end) - h->t0;
        if (count)
            ++*count;
    }
}

void mlane_trim(struct mlane *l)
{
    mem_fit(l->h, l->cap, l->n);
    mem_fit(l->rec, l->caprec, l->now.rec);
    mem_fit(l->sum, l->capsum, (l->n + HOLD_GROUP - 1) / HOLD_GROUP);
}

void mlane_free(struct mlane *l)
{
    mem_free(l->h);
    mem_free(l->sum);
    mem_free(l->rec);
}
