/* holds.c - see holds.h. */
#include "decode/holds.h"

#include <string.h>

#include "decode/fold.h"
#include "decode/mem.h"

static uint8_t idle_state(const struct hold *h)
{
    return h->g != EV_NONE ? ST_SYSCALL : ST_IDLE;
}

/* Add what hold i did up to t (within it) to the totals, and how many spans that were. The P's slots are the M's:
   states.def gives both the same numbers. */
static void hold_add(const struct fold *f, const struct mlane *l, size_t i, int64_t t, int64_t tot[SPAN_SLOTS], uint64_t *count)
{
    const struct hold *h = &l->h[i];
    if (t <= h->t0)
        return;
    if (h->p == EV_NONE) {
        tot[f->pool.slot[LANE_M][idle_state(h)]] += t - h->t0;
        ++*count;
        return;
    }
    int64_t at[3] = {h->t0, h->t0 + 1, t}, v[3][SPAN_SLOTS];
    uint64_t n[3]; /* spans that start before each */
    spans_totals(&f->pool, LANE_P, &f->lane[LANE_P][h->p], at, 3, f->end, v, n);
    for (int s = 0; s < SPAN_SLOTS; s++)
        tot[s] += v[2][s] - v[0][s];
    *count += n[2] - n[1] + (n[1] > 0);
}

static void hold_close(struct fold *f, struct mlane *l, int64_t t)
{
    const struct hold *h = &l->h[l->n - 1];
    hold_add(f, l, l->n - 1, t, l->now.tot, &l->now.count);
    int64_t longest = t - h->t0;
    if (h->p != EV_NONE) {
        const struct spanlane *p = &f->lane[LANE_P][h->p];
        int64_t tail = p->begun && t > p->t0 ? t - p->t0 : 0;
        longest = f->p[h->p].longest > tail ? f->p[h->p].longest : tail;
        f->p[h->p].held = t;
    }
    struct holdsum *g = &l->sum[(l->n - 1) / HOLD_GROUP];
    if (longest > g->longest)
        g->longest = longest;
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
            hold_close(f, l, t);
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

void holds_totals(const struct fold *f, uint32_t m, const int64_t *t, uint32_t n, int64_t (*out)[SPAN_SLOTS], uint64_t *count)
{
    const struct mlane *l = &f->m[m].lane;
    int64_t tot[SPAN_SLOTS] = {0};
    uint64_t c = 0;
    size_t at = SIZE_MAX; /* tot holds everything before this hold */
    for (uint32_t k = 0; k < n; k++) {
        memset(out[k], 0, sizeof out[k]);
        if (count)
            count[k] = 0;
        if (!l->n || t[k] <= l->h[0].t0)
            continue;
        size_t i = holds_find(l, t[k]), from = i / HOLD_GROUP * HOLD_GROUP;
        if (at == SIZE_MAX || at < from || at > i) {
            memcpy(tot, l->sum[i / HOLD_GROUP].tot, sizeof tot);
            c = l->sum[i / HOLD_GROUP].count;
            at = from;
        }
        for (; at < i; at++)
            hold_add(f, l, at, l->h[at + 1].t0, tot, &c);
        memcpy(out[k], tot, sizeof tot);
        uint64_t x = c;
        int64_t end = holds_end(f, l, i);
        hold_add(f, l, i, t[k] < end ? t[k] : end, out[k], &x);
        if (count)
            count[k] = x;
    }
}

size_t holds_skip(const struct mlane *l, size_t i, size_t last, int64_t min_ns)
{
    while (i <= last && i < l->n) {
        size_t g = i / HOLD_GROUP;
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
}
