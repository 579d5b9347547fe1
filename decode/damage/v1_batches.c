/*
 * v1_batches.c - see v1_damage.h.
 *
 * A processor writes one batch after the other, so its batches are taken in the order of their times. What
 * then goes on into the next one, or begins before the end of the one before, has a wrong time, which
 * v1_decode.c leaves out.
 */
#include "decode/damage/v1_damage.h"

#include <inttypes.h>
#include <string.h>

#include "decode/base/mem.h"
#include "decode/base/order.h"

struct row {
    uint32_t batch;
    int64_t from;
};

ORDER(by_time, struct row, LEAST(r->from) LEAST(r->batch))

static bool same(const struct v1_index *ix, const struct source *s, const struct row *x, const struct row *y)
{
    const struct v1_batch *a = &ix->batch[x->batch], *b = &ix->batch[y->batch];
    return x->from == y->from && a->len == b->len && !memcmp(s->data + a->off, s->data + b->off, a->len);
}

static void note(const struct v1_index *ix, struct source *s, uint32_t batch, int64_t p, const char *what)
{
    source_damage(s, ERR_FORMAT, 0, ix->batch[batch].off, "a batch of processor %" PRId64 " %s", p, what);
}

/* Put a processor's batches in the order of their times, each once. w: room for all batches. */
static void mend(struct v1_index *ix, struct source *s, struct v1_proc *p, struct row *w)
{
    size_t n = 0, k = 0;
    uint32_t moved = V1_NO_BATCH;
    for (uint32_t b = p->first; b != V1_NO_BATCH; b = ix->batch[b].next, n++) {
        w[n] = (struct row){b, (int64_t)ix->batch[b].ticks};
        if (n && w[n].from < w[n - 1].from && moved == V1_NO_BATCH)
            moved = b;
    }
    sort(w, n, by_time);
    for (size_t i = 0; i < n; i++) {
        if (!k || !same(ix, s, &w[k - 1], &w[i])) {
            w[k++] = w[i];
            continue;
        }
        note(ix, s, w[i].batch, p->id, "stands there twice: the second one is left out");
        ix->batch[w[k - 1].batch].gap |= ix->batch[w[i].batch].gap;
    }
    if (moved != V1_NO_BATCH && k == n)
        note(ix, s, moved, p->id, "stands in another order than it was written");
    p->first = w[0].batch;
    p->last = w[k - 1].batch;
    for (size_t i = 0; i < k; i++)
        ix->batch[w[i].batch].next = (i + 1 < k ? w[i + 1].batch : V1_NO_BATCH) & V1_NO_BATCH;
}

/* ---- before the trace, after it ------------------------------------------------------------------------ */

/* lists - Whether a batch begins with a goroutine that existed before, as the trace's first one does. */
static bool lists(const struct v1_index *ix, const struct source *s, uint32_t batch)
{
    const struct v1_batch *b = &ix->batch[batch];
    const uint8_t *p = s->data + b->off, *end = p + b->len;
    struct v1_raw r = {0};
    const char *why;
    while (p < end && v1_read(&ix->dialect, &p, end, &r, &why) == V1_READ_OK)
        if (ix->dialect.shape[r.type].timed)
            return r.type == V1_GO_CREATE;
    return false;
}

struct bounds {
    uint64_t lo, hi; /* UINT64_MAX: none */
    size_t before, behind;
};

/* Find out whether a batch has a time outside of the trace, and which. */
static int out(const struct bounds *b, uint64_t t)
{
    return t < b->lo ? -1 : t > b->hi ? 1 : 0;
}

/* The trace begins with a list of all goroutines, and ends before its tables are written. */
static struct bounds bounds(const struct v1_index *ix, const struct source *s)
{
    const uint64_t skew = v1_index_skew(ix);
    struct bounds b = {.hi = ix->end_ticks ? ix->end_ticks + skew : UINT64_MAX};
    uint64_t first = UINT64_MAX;
    const bool listed = lists(ix, s, ix->first);
    for (uint32_t i = 0; !listed && i < ix->nbatch; i++)
        if (ix->batch[i].ticks < first && lists(ix, s, i))
            first = ix->batch[i].ticks;
    if (first != UINT64_MAX && first > skew)
        b.lo = first - skew;
    for (uint32_t i = 0; i < ix->nbatch; i++) {
        b.before += out(&b, ix->batch[i].ticks) < 0;
        b.behind += out(&b, ix->batch[i].ticks) > 0;
    }
    return b;
}

/* Leave out batches before the trace or after it, if they are so few that their times, not the bounds, are
 * wrong. */
static void late_batches(struct v1_index *ix, struct source *s)
{
    struct bounds b = bounds(ix, s);
    const size_t few = ix->nbatch < 2 ? 0 : ix->nbatch < 8 ? 1 : ix->nbatch / 8;
    const double unit = 1e-2 / (double)v1_index_skew(ix);
    if (b.before > few)
        b.lo = 0;
    if (b.behind > few) {
        b.hi = UINT64_MAX;
        ix->end_ticks = 0;
    }
    if (b.lo)
        ix->first_ticks = b.lo + v1_index_skew(ix);
    for (size_t i = 0; i < ix->nproc; i++) {
        struct v1_proc *p = &ix->proc[i];
        uint32_t last = V1_NO_BATCH, next;
        for (uint32_t k = p->first; k != V1_NO_BATCH; k = next) {
            const uint64_t t = ix->batch[k].ticks;
            const int is = out(&b, t);
            next = ix->batch[k].next;
            if (!is) {
                last = k;
                continue;
            }
            source_damage(s, ERR_CLOCK, 0, ix->batch[k].off,
                          "a batch of processor %" PRId64 " is left out: its time is %.6f s %s", p->id,
                          (double)(is < 0 ? b.lo - t : t - b.hi) * unit,
                          is < 0 ? "before the trace begins" : "behind its end");
            if (last == V1_NO_BATCH)
                p->first = next;
            else
                ix->batch[last].next = next & V1_NO_BATCH, ix->batch[last].gap = 1;
        }
        p->last = last;
    }
}

/* numbers - Check processor numbers: they count from 0 on, and there are GOMAXPROCS of them. */
static void numbers(const struct v1_index *ix, struct source *s)
{
    for (size_t i = 0; i < ix->nproc && ix->procs && !ix->incomplete; i++)
        if (ix->proc[i].id >= 0 && (uint64_t)ix->proc[i].id >= ix->procs && ix->proc[i].first != V1_NO_BATCH)
            source_damage(s, ERR_FORMAT, 0, ix->batch[ix->proc[i].first].off,
                          "a batch of processor %" PRId64 ", where GOMAXPROCS is %" PRIu64
                          ": it is another's, or there are more",
                          ix->proc[i].id, ix->procs);
}

enum err_code v1_batches_mend(struct v1_index *ix, struct source *s)
{
    numbers(ix, s);
    const bool listed = !ix->nbatch || lists(ix, s, ix->first); /* the earliest batch is the trace's first */
    if (!listed || (ix->end_ticks && ix->last_ticks > ix->end_ticks))
        late_batches(ix, s);
    if (!ix->unsorted)
        return ERR_OK;
    struct row *w = mem_alloc(ix->nbatch * sizeof *w);
    if (!w)
        return ERR_NOMEM;
    for (size_t i = 0; i < ix->nproc; i++)
        if (ix->proc[i].id >= 0 && ix->proc[i].first != V1_NO_BATCH)
            mend(ix, s, &ix->proc[i], w);
    mem_free(w);
    return ERR_OK;
}
