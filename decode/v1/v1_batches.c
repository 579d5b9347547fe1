/*
 * v1_batches.c - see v1_batches.h.
 *
 * A processor writes one batch after the other, and none begins before the one in front of it ends. If that is so once they are
 * sorted by time, some were moved or doubled; if not, one of them says a wrong time, and is left out.
 */
#include "decode/v1/v1_batches.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"

struct row {
    uint32_t batch;
    int64_t from, to;
};

static int by_time(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->batch < y->batch ? -1 : x->batch > y->batch;
}

static void span_of(const struct v1_index *ix, const struct source *s, struct row *w)
{
    const struct v1_batch *b = &ix->batch[w->batch];
    const uint8_t *p = s->data + b->off, *end = p + b->len;
    uint64_t t = 0;
    struct v1_raw r;
    const char *why;
    while (p < end && v1_read(&ix->dialect, &p, end, &r, &why) == V1_READ_OK) {
        const unsigned timed = ix->dialect.shape[r.type].timed;
        if (r.type == V1_BATCH)
            w->from = (int64_t)(t = r.v[r.n - 1]);
        else if (timed)
            t += r.v[timed - 1];
    }
    w->to = (int64_t)t;
}

static bool sorted(const struct row *w, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (w[i].from <= w[i - 1].from)
            return false;
    return true;
}

static bool apart(const struct row *w, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (w[i].from < w[i - 1].to)
            return false;
    return true;
}

static bool same(const struct v1_index *ix, const struct source *s, const struct row *x, const struct row *y)
{
    const struct v1_batch *a = &ix->batch[x->batch], *b = &ix->batch[y->batch];
    return x->from == y->from && x->to == y->to && a->len == b->len &&
           !memcmp(s->data + a->off, s->data + b->off, a->len);
}

static void note(const struct v1_index *ix, struct source *s, const struct row *w, int64_t p, const char *what)
{
    source_damage(s, ERR_FORMAT, 0, ix->batch[w->batch].off, "a batch of processor %" PRId64 " %s", p, what);
}

static size_t undouble(struct v1_index *ix, struct source *s, struct row *w, size_t n, int64_t p)
{
    size_t k = 0;
    for (size_t i = 0; i < n; i++) {
        if (!k || !same(ix, s, &w[k - 1], &w[i])) {
            w[k++] = w[i];
            continue;
        }
        note(ix, s, &w[i], p, "stands there twice: the second one is left out");
        ix->batch[w[k - 1].batch].gap |= ix->batch[w[i].batch].gap;
    }
    return k;
}

/* In the file's order; who begins before the one in front of it does is left out. */
static size_t left_out(struct v1_index *ix, struct source *s, struct row *w, size_t n, int64_t p)
{
    size_t k = 0;
    for (size_t i = 0; i < n; i++) {
        if (!k || w[i].from >= w[k - 1].from) {
            w[k++] = w[i];
            continue;
        }
        note(ix, s, &w[i], p, "says a time before that of the one in front of it: it is left out");
        ix->batch[w[k - 1].batch].gap = 1;
    }
    return k;
}

static void mend(struct v1_index *ix, struct source *s, struct v1_proc *p, struct row *w)
{
    size_t n = 0;
    for (uint32_t b = p->first; b != V1_NO_BATCH; b = ix->batch[b].next)
        w[n++].batch = b;
    for (size_t i = 0; i < n; i++)
        span_of(ix, s, &w[i]);
    if (sorted(w, n))
        return;
    struct row *v = w + n;
    memcpy(v, w, n * sizeof *w);
    qsort(v, n, sizeof *v, by_time);
    size_t k = undouble(ix, s, v, n, p->id);
    if (!apart(v, k)) {
        v = w;
        k = left_out(ix, s, w, n, p->id);
    } else if (k == n) {
        for (size_t i = 0; i < n; i++)
            if (v[i].batch != w[i].batch) {
                note(ix, s, &w[i], p->id, "stands in another order than it was written");
                break;
            }
    }
    p->first = v[0].batch;
    p->last = v[k - 1].batch;
    for (size_t i = 0; i < k; i++)
        ix->batch[v[i].batch].next = (i + 1 < k ? v[i + 1].batch : V1_NO_BATCH) & V1_NO_BATCH;
}

enum err_code v1_batches_mend(struct v1_index *ix, struct source *s)
{
    struct row *w = mem_alloc(2 * ix->nbatch * sizeof *w);
    if (!w)
        return ERR_NOMEM;
    for (size_t i = 0; i < ix->nproc; i++)
        if (ix->proc[i].id >= 0 && ix->proc[i].first != V1_NO_BATCH)
            mend(ix, s, &ix->proc[i], w);
    mem_free(w);
    return ERR_OK;
}
