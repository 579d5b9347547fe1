/* holds.c - see holds.h. */
#include "decode/holds.h"

#include <string.h>

#include "decode/fold.h"
#include "decode/mem.h"

static uint8_t idle_state(const struct hold *h)
{
    return h->g != EV_NONE ? ST_SYSCALL : ST_IDLE;
}

enum {
    REC_MAX = 10 + 1 + 10 * (SPAN_SLOTS - 1),
    PART = 32 /* moments within a hold that are looked up at once */
};

static uint8_t *put_varint(uint8_t *o, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        *o++ = (uint8_t)(v | 0x80);
    *o++ = (uint8_t)v;
    return o;
}

static inline const uint8_t *get_varint(const uint8_t *p, uint64_t *v)
{
    unsigned shift = 7;
    for (*v = *p & 0x7f; *p++ & 0x80; shift += 7)
        *v |= (uint64_t)(*p & 0x7f) << shift;
    return p;
}

/* What hold i did up to each of n ascending moments within it, on top of tot and c. The P's slots are the M's:
   states.def gives both the same numbers. n <= PART. */
static void hold_part(const struct fold *f, const struct mlane *l, size_t i, const int64_t *t, uint32_t n, const int64_t tot[SPAN_SLOTS],
                      uint64_t c, int64_t (*out)[SPAN_SLOTS], uint64_t *count)
{
    const struct hold *h = &l->h[i];
    int64_t end = holds_end(f, l, i), at[PART + 2], v[PART + 2][SPAN_SLOTS];
    uint64_t spans[PART + 2]; /* that start before each */
    uint32_t from = 0, k = 0; /* the first moments may be the hold's very start */
    for (; from < n && t[from] <= h->t0; from++) {
        memcpy(out[from], tot, sizeof out[from]);
        if (count)
            count[from] = c;
    }
    if (from == n)
        return;
    if (h->p != EV_NONE) {
        at[k++] = h->t0;
        if (count)
            at[k++] = h->t0 + 1;
        for (uint32_t j = from; j < n; j++)
            at[k + j - from] = t[j] < end ? t[j] : end;
        spans_totals(&f->pool, LANE_P, &f->lane[LANE_P][h->p], at, k + n - from, f->end, v, count ? spans : NULL);
    }
    for (uint32_t j = from; j < n; j++) {
        memcpy(out[j], tot, sizeof out[j]);
        if (h->p == EV_NONE)
            out[j][f->pool.slot[LANE_M][idle_state(h)]] += (t[j] < end ? t[j] : end) - h->t0;
        for (int s = 0; h->p != EV_NONE && s < SPAN_SLOTS; s++)
            out[j][s] += v[k + j - from][s] - v[0][s];
        if (count)
            count[j] = c + (h->p == EV_NONE ? 1 : spans[k + j - from] - spans[1] + (spans[1] > 0));
    }
}

/* The open hold is over: add it up and note what it came to. */
static bool hold_close(struct fold *f, struct mlane *l, int64_t t)
{
    const struct hold *h = &l->h[l->n - 1];
    int64_t longest = t - h->t0, v[1][SPAN_SLOTS];
    uint64_t count = l->now.count;
    memcpy(v[0], l->now.tot, sizeof v[0]);
    if (h->p == EV_NONE || t > f->end || !spans_since(&f->pool, LANE_P, &f->lane[LANE_P][h->p], h->t0, t, v[0], &count))
        hold_part(f, l, l->n - 1, &t, 1, l->now.tot, l->now.count, v, &count);
    if (h->p != EV_NONE) {
        uint8_t *rec = mem_grow(l->rec, &l->caprec, l->now.rec + REC_MAX, 1), *o;
        if (!rec)
            return false;
        l->rec = rec;
        o = put_varint(rec + l->now.rec, count - l->now.count);
        uint8_t *slots = o++;
        int64_t rest = t - h->t0; /* slot 0 has what the others don't, also where the P's lane knows less than the hold */
        for (int s = 1; s < SPAN_SLOTS; s++)
            rest -= v[0][s] - l->now.tot[s];
        v[0][0] = l->now.tot[0] + rest;
        *slots = 0;
        for (int s = 0; s < SPAN_SLOTS; s++) {
            if (v[0][s] == l->now.tot[s])
                continue;
            if (*slots)
                o = put_varint(o, (uint64_t)(v[0][s] - l->now.tot[s]));
            *slots |= (uint8_t)(1u << s);
        }
        l->now.rec = (size_t)(o - rec);
        const struct spanlane *p = &f->lane[LANE_P][h->p];
        int64_t tail = p->begun && t > p->t0 ? t - p->t0 : 0;
        longest = f->p[h->p].longest > tail ? f->p[h->p].longest : tail;
        f->p[h->p].held = t;
    }
    memcpy(l->now.tot, v[0], sizeof l->now.tot);
    l->now.count = count;
    struct holdsum *g = &l->sum[(l->n - 1) / HOLD_GROUP];
    if (longest > g->longest)
        g->longest = longest;
    if (longest > l->far[(l->n - 1) / HOLD_FAR])
        l->far[(l->n - 1) / HOLD_FAR] = longest;
    return true;
}

bool holds_set(struct fold *f, uint32_t m, int64_t t, uint32_t p, uint32_t g)
{
    struct mlane *l = &f->m[m].lane;
    if (p != EV_NONE)
        g = EV_NONE;
    if (l->n) {
        struct hold *h = &l->h[l->n - 1];
        if (h->p == p && h->g == g)
            return true;
        if (h->t0 < t) {
            if (!hold_close(f, l, t))
                return false;
        } else { /* nothing lasted, or back-dated news of a known thread: the later word counts, from where it stands */
            t = h->t0;
            l->n--;
        }
    }
    struct hold *h = mem_grow(l->h, &l->cap, l->n + 1, sizeof *h);
    if (!h)
        return false;
    l->h = h;
    if (l->n % HOLD_GROUP == 0) {
        struct holdsum *s = mem_grow(l->sum, &l->capsum, l->n / HOLD_GROUP + 1, sizeof *s);
        if (!s)
            return false;
        l->sum = s;
        if (l->n % HOLD_FAR == 0) {
            int64_t *far = mem_grow(l->far, &l->capfar, l->n / HOLD_FAR + 1, sizeof *far);
            if (!far)
                return false;
            l->far = far;
            far[l->n / HOLD_FAR] = 0;
        }
        s[l->n / HOLD_GROUP] = l->now;
        s[l->n / HOLD_GROUP].longest = 0;
    }
    h[l->n++] = (struct hold){t, p, g};
    if (p != EV_NONE)
        f->p[p].longest = 0;
    return true;
}

size_t holds_find(const struct mlane *l, int64_t t)
{
    size_t lo = 0, hi = l->n;
    while (lo + 1 < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (l->h[mid].t0 <= t)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

int64_t holds_end(const struct fold *f, const struct mlane *l, size_t i)
{
    return i + 1 < l->n ? l->h[i + 1].t0 : f->end > l->h[i].t0 ? f->end : l->h[i].t0;
}

/* A walk over the holds: totals before hold `at`, whose record begins at rec. */
struct hold_walk {
    size_t at, rec;
    int64_t tot[SPAN_SLOTS];
    uint64_t count;
};

static void walk_to(const struct fold *f, const struct mlane *l, struct hold_walk *w, size_t i)
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
        if (h->p == EV_NONE) {
            w->tot[f->pool.slot[LANE_M][idle_state(h)]] += rest;
            w->count++;
            continue;
        }
        uint64_t v;
        const uint8_t *p = get_varint(l->rec + w->rec, &v);
        w->count += v;
        unsigned slots = *p++;
        if (slots) {
            int lowest = __builtin_ctz(slots);
            for (slots &= slots - 1; slots; slots &= slots - 1) {
                p = get_varint(p, &v);
                w->tot[__builtin_ctz(slots)] += (int64_t)v;
                rest -= (int64_t)v;
            }
            w->tot[lowest] += rest;
        }
        w->rec = (size_t)(p - l->rec);
    }
}

void holds_totals(const struct fold *f, uint32_t m, const int64_t *t, uint32_t n, int64_t (*out)[SPAN_SLOTS], uint64_t *count)
{
    const struct mlane *l = &f->m[m].lane;
    struct hold_walk w = {.at = SIZE_MAX};
    uint32_t k = 0;
    for (; k < n && (!l->n || t[k] <= l->h[0].t0); k++) {
        memset(out[k], 0, sizeof out[k]);
        if (count)
            count[k] = 0;
    }
    while (k < n) {
        size_t i = holds_find(l, t[k]);
        uint32_t here = 1;
        while (here < PART && k + here < n && (i + 1 >= l->n || t[k + here] < l->h[i + 1].t0))
            here++;
        walk_to(f, l, &w, i);
        hold_part(f, l, i, t + k, here, w.tot, w.count, out + k, count ? count + k : NULL);
        k += here;
    }
}

size_t holds_skip(const struct mlane *l, size_t i, size_t last, int64_t min_ns)
{
    while (i <= last && i < l->n) {
        size_t g = i / HOLD_GROUP, far = i / HOLD_FAR;
        if (i % HOLD_FAR == 0 && (far + 1) * HOLD_FAR < l->n && l->far[far] < min_ns) {
            i = (far + 1) * HOLD_FAR;
            continue;
        }
        if ((g + 1) * HOLD_GROUP >= l->n || l->sum[g].longest >= min_ns)
            break; /* the open group's longest isn't known yet */
        i = (g + 1) * HOLD_GROUP;
    }
    return i;
}

void holds_free(struct mlane *l)
{
    mem_free(l->h);
    mem_free(l->sum);
    mem_free(l->far);
    mem_free(l->rec);
}
