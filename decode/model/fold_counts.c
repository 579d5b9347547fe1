/*
 * fold_counts.c - how many goroutines are in which state over time: buckets of equal width, which doubles as
 * needed.
 */
#include <string.h>

#include "decode/model/fold_priv.h"
#include "decode/base/mem.h"

const uint8_t fold_gcount_of[ST_COUNT] = {
    [ST_RUNNABLE] = GC_RUNNABLE + 1,
    [ST_RUNNING] = GC_RUNNING + 1,
    [ST_SYSCALL] = GC_SYSCALL + 1,
    [ST_WAITING] = GC_WAITING + 1,
};

/* This is what back-dating adds: a goroutine first reported at t has existed since 0. It is collected per
 * bucket, and added up when read. */
struct gback {
    uint64_t part[GC_COUNT]; /* sum of (t - start of the bucket) */
    int32_t n[GC_COUNT];     /* below 0: fewer than were counted */
};

/* Note that up to t there were `more` (1 or -1) goroutines in the state than are counted. */
static void gcount_back(struct fold *f, uint8_t state, int64_t t, int32_t more)
{
    unsigned k = fold_gcount_of[state];
    size_t i = (size_t)(t >> f->gb_shift);
    if (!k-- || i >= f->ngb || !mem_noted(&f->oom, mem_room_zeros(f->back, f->nback, i + 1)))
        return;
    f->back[i].n[k] += more;
    f->back[i].part[k] += (uint64_t)(int64_t)more * (uint64_t)(t - ((int64_t)i << f->gb_shift));
}

void fold_gcount_lost(struct fold *f, uint8_t state, int64_t t0, int64_t t1)
{
    gcount_back(f, state, t0, 1);
    gcount_back(f, state, t1, -1);
}

void fold_gcount_add(struct fold *f, uint8_t state, int64_t t0, int64_t t1)
{
    if (t0 > 0)
        fold_gcount_lost(f, state, t1, t0);
    else
        gcount_back(f, state, t1, 1);
}

void fold_back_counts(struct fold *f)
{
    if (!f->back)
        return;
    uint64_t later[GC_COUNT] = {0}, width = (uint64_t)1 << f->gb_shift;
    for (size_t i = f->nback < f->ngb ? f->nback : f->ngb; i-- > 0;)
        for (int k = 0; k < GC_COUNT; k++) {
            const struct gback *b = &f->back[i];
            f->gb[i].ns[k] += later[k] * width + b->part[k];
            int64_t max = (int64_t)(f->gb[i].max[k] + later[k]);
            f->gb[i].max[k] = max > UINT32_MAX ? UINT32_MAX : max < 0 ? 0 : (uint32_t)max;
            later[k] += (uint64_t)(int64_t)b->n[k];
        }
    mem_free(f->back);
    f->back = NULL;
    f->nback = 0;
}

/* Merge bucket a[1] into a[0]. */
static inline struct gbucket two_buckets(const struct gbucket *a)
{
    struct gbucket sum;
    for (int k = 0; k < GC_COUNT; k++)
        sum.ns[k] = a[0].ns[k] + a[1].ns[k];
    for (int k = 0; k < GC_COUNT; k++)
        sum.max[k] = a[0].max[k] > a[1].max[k] ? a[0].max[k] : a[1].max[k];
    return sum;
}

void fold_gcount_trim(struct fold *f)
{
    if (f->gb) {
        mem_fit(f->gb, f->capgb, f->ngb);
        f->gb_last = &f->gb[f->ngb - 1];
    }
}

/* Make room for n buckets, but at most GB_MAX. Returns the number of buckets that fit; sets f->oom when out
 * of memory. */
static size_t bucket_room(struct fold *f, uint64_t n)
{
    if (n <= f->capgb || f->capgb == GB_MAX)
        return f->capgb;
    size_t cap = n > 2 * f->capgb ? n : 2 * f->capgb;
    cap = n < GB_MAX && cap < GB_MAX ? cap : GB_MAX;
    struct gbucket *gb = mem_resize(f->gb, cap * sizeof *gb);
    if (!mem_noted(&f->oom, gb))
        return f->capgb;
    memset(gb + f->capgb, 0, (cap - f->capgb) * sizeof *gb);
    f->gb = gb;
    f->gb_last = &gb[f->ngb - 1];
    return f->capgb = cap;
}

/*
 * Merge pairs of buckets until t has a bucket and the shift is at least `least`. A pair begins with an even
 * number, so the first and the last bucket may remain alone.
 */
static void gcount_widen(struct fold *f, int64_t t, unsigned least)
{
    const unsigned shift = f->gb_shift > least ? f->gb_shift : least;
    const size_t room = bucket_room(f, ((uint64_t)t >> shift) - (f->gb_first >> (shift - f->gb_shift)) + 1);
    if (((uint64_t)t >> f->gb_shift) - f->gb_first < room && f->gb_shift >= least)
        return;
    fold_back_counts(f);
    while (((uint64_t)t >> f->gb_shift) - f->gb_first >= room || f->gb_shift < least) {
        const size_t alone = f->gb_first & 1;
        size_t used = alone, i = alone; /* an odd first bucket has no partner */
        for (; i < f->ngb && i + 1 < room; i += 2)
            f->gb[used++] = two_buckets(&f->gb[i]);
        if (i < f->ngb)
            f->gb[used++] = f->gb[i];
        memset(&f->gb[used], 0, (f->ngb - used) * sizeof *f->gb);
        f->ngb = used;
        f->gb_first >>= 1;
        f->gb_shift++;
    }
}

/* Make the bucket of t the last one. */
static void last_bucket(struct fold *f, int64_t t)
{
    f->ngb = (size_t)(((uint64_t)t >> f->gb_shift) - f->gb_first) + 1;
    f->gb_last = &f->gb[f->ngb - 1];
    const uint64_t edge = (f->gb_first + f->ngb) << f->gb_shift;
    f->gb_end = edge > INT64_MAX ? INT64_MAX : (int64_t)edge;
}

bool fold_gcount_init(struct fold *f)
{
    enum { FIRST = GB_MAX < 64 ? GB_MAX : 64 };
    f->gb_shift = 10;
    f->ngb = 1;
    f->gb_end = 1024;
    f->gb = f->gb_last = mem_zalloc(FIRST * sizeof *f->gb);
    f->capgb = FIRST;
    return f->gb;
}

void fold_gcount_segment(struct fold *f, int64_t t0, int64_t last)
{
    while (last >> f->gb_shift >= GB_MAX)
        f->gb_shift++;
    f->gb_first = (uint64_t)t0 >> f->gb_shift;
    f->gb_end = (int64_t)((f->gb_first + 1) << f->gb_shift);
    f->gb_until = t0;
    const uint64_t n = ((uint64_t)last >> f->gb_shift) - f->gb_first + 1;
    (void)bucket_room(f, n + n / 8); /* it goes on a little after the start of its last batch */
    for (int k = 0; k < GC_COUNT; k++) {
        f->gnow[k] = FOLD_MANY;
        f->gb[0].max[k] = (uint32_t)FOLD_MANY;
    }
}

void fold_reaches(struct fold *f, int64_t t)
{
    gcount_widen(f, t > f->end ? t : f->end, 0);
    last_bucket(f, f->end);
}

/* Bring all integrals up to t, which may be in a later bucket than before. */
static void gcount_until(struct fold *f, int64_t t)
{
    gcount_widen(f, t, 0);
    const uint64_t *const now = f->gnow;
    int64_t at = f->gb_until;
    for (struct gbucket *b = f->gb + ((uint64_t)(at >> f->gb_shift) - f->gb_first); at < t; b++) {
        const uint64_t edge = (f->gb_first + (uint64_t)(b - f->gb) + 1) << f->gb_shift;
        const int64_t next = edge < (uint64_t)t ? (int64_t)edge : t;
#pragma GCC unroll 4
        for (int k = 0; k < GC_COUNT; k++) {
            b->ns[k] += now[k] * (uint64_t)(next - at);
            b->max[k] = now[k] > b->max[k] ? (uint32_t)now[k] : b->max[k];
        }
        at = next;
    }
    f->gb_until = at;
    last_bucket(f, t);
    for (int k = 0; k < GC_COUNT; k++) /* a bucket's highest count may be the one it begins with */
        if (f->gnow[k] > f->gb_last->max[k])
            f->gb_last->max[k] = (uint32_t)f->gnow[k];
}

void fold_counts_add(struct fold *f, const struct fold *s)
{
    fold_back_counts(f);
    gcount_widen(f, s->end, s->gb_shift);
    const unsigned d = f->gb_shift - s->gb_shift;
    for (size_t i = 0; i < s->ngb; i++) {
        const uint64_t n = s->gb_first + i;
        const int64_t a = (int64_t)(n << s->gb_shift), z = (int64_t)((n + 1) << s->gb_shift);
        const uint64_t len = (uint64_t)((z < s->end ? z : s->end) - (a > s->t0 ? a : s->t0));
        struct gbucket *to = &f->gb[(n >> d) - f->gb_first];
        for (int k = 0; k < GC_COUNT; k++) {
            const uint64_t max = f->gnow[k] + s->gb[i].max[k] - FOLD_MANY;
            to->ns[k] += s->gb[i].ns[k] + (f->gnow[k] - FOLD_MANY) * len;
            to->max[k] = max > to->max[k] ? (uint32_t)max : to->max[k];
        }
    }
    for (int k = 0; k < GC_COUNT; k++)
        f->gnow[k] += s->gnow[k] - FOLD_MANY;
    f->gb_until = s->end;
    last_bucket(f, s->end);
}

/*
 * While a run of events is folded, the last bucket counts ahead as if nothing changed until its end; a
 * transition then only moves the rest of the bucket from one state to the other. Between two runs the counts
 * end at f->end, as readers want them. The arithmetic is unsigned, so taking back what was counted ahead is
 * exact.
 */
void fold_gcount_ahead(struct fold *f)
{
    f->gb_last = &f->gb[f->ngb - 1];
    for (int k = 0; k < GC_COUNT; k++)
        f->gb_last->ns[k] += f->gnow[k] * (uint64_t)(f->gb_end - f->gb_until);
    f->gb_until = f->gb_end;
}

/* Take back what was counted ahead of f->end, at the end of a run. */
void fold_gcount_back_to_end(struct fold *f)
{
    int64_t t = f->end;
    if (t >= f->gb_end) {
        gcount_until(f, t);
        return;
    }
    struct gbucket *gb = &f->gb[f->ngb - 1];
    for (int k = 0; k < GC_COUNT; k++)
        gb->ns[k] -= f->gnow[k] * (uint64_t)(f->gb_end - t);
    f->gb_until = t;
}

void fold_gcount_next_bucket(struct fold *f, int64_t t)
{
    gcount_until(f, t);
    fold_gcount_ahead(f);
}
