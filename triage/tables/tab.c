/*
 * tab.c - see tab.h. The map is open addressing with linear probing, at most 70 % full; rows are never
 * removed.
 */
#include "triage/tables/tab.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decode/base/hash.h"
#include "decode/base/mem.h"
#include "triage/tables/slices.h"

#define SORT_MANY 4096
#define FEW 128 /* numbers that are sorted at once */

void tab_free(struct tab *m)
{
    mem_free(m->slot);
    *m = (struct tab){0};
}

static struct tab_slot *tab_find(const struct tab *m, uint64_t a, uint64_t b)
{
    uint32_t i = (uint32_t)hash_last(hash_next(hash_first(a), b)) & (m->cap - 1);
    while (m->slot[i].row && (m->slot[i].a != a || m->slot[i].b != b))
        i = (i + 1) & (m->cap - 1);
    return &m->slot[i];
}

/* Slots, `cap` or more, of which so many rows fill less than 70 %; 0: they are too many. */
static uint32_t slots_for(uint32_t cap, uint64_t rows)
{
    cap = cap ? cap : 64;
    while (rows >= cap / 10 * 7 && cap <= UINT32_MAX / 4)
        cap *= 2;
    return rows >= cap / 10 * 7 ? 0 : cap;
}

static bool tab_widen(struct tab *m, uint64_t rows)
{
    struct tab big = {.cap = slots_for(m->cap, rows), .used = m->used};
    if (!big.cap || !(big.slot = mem_zalloc(big.cap * sizeof *big.slot)))
        return false;
    for (uint32_t i = 0; i < m->cap; i++)
        if (m->slot[i].row)
            *tab_find(&big, m->slot[i].a, m->slot[i].b) = m->slot[i];
    mem_free(m->slot);
    *m = big;
    return true;
}

uint32_t tab_get(const struct tab *m, uint64_t a, uint64_t b)
{
    return m->cap ? tab_find(m, a, b)->row - 1 : TAB_NONE; /* a free slot's 0 wraps to TAB_NONE */
}

uint32_t tab_put(struct tab *m, uint64_t a, uint64_t b, uint32_t fresh)
{
    struct tab_slot *s;
    if (m->used >= m->cap / 10 * 7 && !tab_widen(m, m->used))
        return TAB_NONE;
    s = tab_find(m, a, b);
    if (!s->row) {
        *s = (struct tab_slot){a, b, fresh + 1};
        m->used++;
    }
    return s->row - 1;
}

void rowtab_free(struct rowtab *m)
{
    mem_free(m->slot);
    *m = (struct rowtab){0};
}

uint32_t rowtab_hash(uint64_t a, uint64_t b)
{
    return (uint32_t)hash_last(hash_next(hash_first(a), b));
}

static void rowtab_set(struct rowtab *m, struct rowtab_slot x)
{
    uint32_t i = x.hash & (m->cap - 1);
    while (m->slot[i].row)
        i = (i + 1) & (m->cap - 1);
    m->slot[i] = x;
}

bool rowtab_room(struct rowtab *m, uint32_t n)
{
    const uint64_t rows = (uint64_t)m->used + n;
    struct rowtab big = {.used = m->used};
    if (rows < m->cap / 10 * 7)
        return true;
    big.cap = slots_for(m->cap, rows);
    if (!big.cap || !(big.slot = mem_zalloc(big.cap * sizeof *big.slot)))
        return false;
    for (uint32_t i = 0; i < m->cap; i++)
        if (m->slot[i].row)
            rowtab_set(&big, m->slot[i]);
    mem_free(m->slot);
    *m = big;
    return true;
}

bool rowtab_put(struct rowtab *m, uint32_t hash, uint32_t row)
{
    if (!rowtab_room(m, 1))
        return false;
    rowtab_set(m, (struct rowtab_slot){hash, row + 1});
    m->used++;
    return true;
}

int64_t dist_avg(const struct dist *d)
{
    return d->n ? d->total / (int64_t)d->n : 0;
}

double dist_sd(const struct dist *d)
{
    double n = (double)d->n, mean, var;
    if (d->n < 2)
        return 0;
    mean = (double)d->total / n;
    var = (d->sumsq - n * mean * mean) / (n - 1);
    return var > 0 ? sqrt(var) : 0;
}

/*
 * By digits from the lowest on, those that all share left out: of as many bits as it takes to have few of
 * them, but of a byte where there are few elements. KEY: of an element, from bit `least` on.
 */
enum { DIGIT = 11, DIGIT_FEW = 8, SORT_PART = 4096 };

/* How many bits a digit has, of so many that differ. */
static unsigned digit_of(unsigned bits, size_t n)
{
    const unsigned most = n < (size_t)1 << DIGIT ? DIGIT_FEW : DIGIT, digits = (bits + most - 1) / most;
    return digits ? (bits + digits - 1) / digits : 1;
}

#define SORT_BY_DIGITS(type, KEY, least) \
    do { \
        uint64_t all = UINT64_MAX, any = 0; \
        type *t = n ? mem_alloc(n * sizeof *t) : NULL, *from = v, *to = t; \
        bool ok = t || !n; \
        for (size_t i = 0; i < n; i++) { \
            all &= KEY(v[i]); \
            any |= KEY(v[i]); \
        } \
        const uint64_t apart = n ? (all ^ any) >> (least) << (least) : 0; \
        const unsigned low = apart ? (unsigned)__builtin_ctzll(apart) : 0, \
                       bits = apart ? 64 - low - (unsigned)__builtin_clzll(apart) : 0, \
                       digit = digit_of(bits, n), mask = (1u << digit) - 1; \
        for (unsigned b = low; b < low + bits && ok; b += digit) { \
            size_t at[1 << DIGIT], sum = 0; \
            if ((apart >> b & mask) == 0) \
                continue; \
            memset(at, 0, ((size_t)mask + 1) * sizeof *at); \
            for (size_t i = 0; i < n; i++) \
                at[KEY(from[i]) >> b & mask]++; \
            for (unsigned j = 0; j <= mask; j++) { \
                const size_t more = at[j]; \
                at[j] = sum; \
                sum += more; \
            } \
            for (size_t i = 0; i < n && ok;) { \
                for (const size_t end = n - i < SORT_PART ? n : i + SORT_PART; i < end; i++) \
                    to[at[KEY(from[i]) >> b & mask]++] = from[i]; \
                ok = slices_tick(); \
            } \
            type *swap = from; \
            from = to; \
            to = swap; \
        } \
        if (ok && from != v) \
            memcpy(v, from, n * sizeof *v); \
        mem_free(t); \
        return ok; \
    } while (0)
#define KEY_OF_ROW(x) ((x).key)
#define KEY_ITSELF(x) (x)

bool rows_sort(struct keyed_row *v, size_t n)
{
    SORT_BY_DIGITS(struct keyed_row, KEY_OF_ROW, 0);
}

static void rows_insert(struct keyed_row *v, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const struct keyed_row x = v[i];
        size_t k = i;
        for (; k && v[k - 1].key > x.key; k--)
            v[k] = v[k - 1];
        v[k] = x;
    }
}

enum { BINS = 256, BIN_ROWS = 8 };
struct bins { /* of numbers from `least` on: n of them, by (number - least) >> shift */
    uint64_t least;
    unsigned shift, n;
};

static inline unsigned bin_of(const struct bins *b, uint64_t key)
{
    return (unsigned)((key - b->least) >> b->shift);
}

/* As many bins as there is use for: BIN_ROWS rows each, if these are few. */
static struct bins bins_of(const struct keyed_row *v, size_t n)
{
    uint64_t least = UINT64_MAX, most = 0;
    for (size_t i = 0; i < n; i++) {
        least = v[i].key < least ? v[i].key : least;
        most = v[i].key > most ? v[i].key : most;
    }
    struct bins b = {.least = least};
    const size_t room = n / BIN_ROWS < BINS ? n / BIN_ROWS : BINS;
    while ((most - least) >> b.shift >= room)
        b.shift++;
    b.n = (unsigned)((most - least) >> b.shift) + 1;
    return b;
}

/* Each row to where those of its bin begin, by swaps: at[j] is where the next of bin j goes, up to end[j]. */
static void rows_deal(struct keyed_row *v, const struct bins *b, size_t at[BINS], const size_t end[BINS])
{
    for (unsigned j = 0; j < b->n; j++) {
        while (at[j] < end[j]) {
            const struct keyed_row x = v[at[j]];
            const unsigned to = bin_of(b, x.key);
            v[at[j]] = v[at[to]];
            v[at[to]++] = x;
        }
    }
}

/* Into bins as wide as the numbers are apart, and each of those again. */
bool rows_sort_here(struct keyed_row *v, size_t n)
{
    enum { SMALL = 32 };
    size_t at[BINS], end[BINS], begin = 0;
    if (n <= SMALL) {
        rows_insert(v, n);
        return true;
    }
    const struct bins b = bins_of(v, n);
    memset(at, 0, b.n * sizeof *at);
    for (size_t i = 0; i < n; i++)
        at[bin_of(&b, v[i].key)]++;
    for (unsigned j = 0; j < b.n; j++) {
        begin += at[j];
        end[j] = begin;
        at[j] = begin - at[j];
    }
    rows_deal(v, &b, at, end);
    bool ok = slices_tick();
    begin = 0;
    for (unsigned j = 0; b.shift && j < b.n && ok; j++) {
        ok = end[j] - begin < 2 || rows_sort_here(v + begin, end[j] - begin);
        begin = end[j];
    }
    return ok;
}

/*
 * What stands at i is put aside, and each place of the circle that leads back to it is filled from the one
 * that belongs there.
 */
bool rows_order(void *rows, size_t size, struct keyed_row *order, size_t n)
{
    enum { LOOK = 1024 };
    unsigned char *const v = rows, *aside = mem_alloc(size);
    unsigned moved = 0;
    bool ok = aside;
    for (size_t i = 0; ok && i < n; i++) {
        size_t to = i, from = order[i].row;
        if (from == i)
            continue;
        memcpy(aside, v + i * size, size);
        for (; ok && from != i; to = from, from = order[to].row) {
            memcpy(v + to * size, v + from * size, size);
            order[to].row = (uint32_t)to;
            ok = ++moved % LOOK || slices_tick();
        }
        memcpy(v + to * size, aside, size);
        order[to].row = (uint32_t)to;
    }
    mem_free(aside);
    return ok;
}

bool keys_sort(uint64_t *v, size_t n, unsigned bit)
{
    SORT_BY_DIGITS(uint64_t, KEY_ITSELF, bit);
}

int cmp_ns(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static size_t rank_of(double q, size_t n)
{
    double r = ceil(q * (double)n);
    return r < 1 ? 0 : r > (double)n ? n - 1 : (size_t)r - 1;
}

/* Values between `low` and `high`, in so many steps: how many of v[0..n) are in each. */
enum { STEPS = 2048 };
struct steps {
    int64_t low;
    unsigned shift;
    size_t count[STEPS];
};

static inline unsigned step_of(const struct steps *s, int64_t v)
{
    return (unsigned)(((uint64_t)v - (uint64_t)s->low) >> s->shift);
}

static void steps_of(struct steps *s, const int64_t *v, size_t n, int64_t low, int64_t high)
{
    const uint64_t apart = (uint64_t)high - (uint64_t)low;
    *s = (struct steps){.low = low};
    while (apart >> s->shift >= STEPS)
        s->shift++;
    for (size_t i = 0; i < n; i++)
        s->count[step_of(s, v[i])]++;
    (void)slices_tick();
}

/*
 * The value of a rank among v[0..n), which `s` tells of: of its step's values, and theirs, until they are few
 * or the same.
 */
static int64_t rank_value(struct steps *s, int64_t *v, size_t n, size_t rank)
{
    for (;;) {
        int64_t low = INT64_MAX, high = INT64_MIN;
        unsigned k = 0;
        size_t to = 0;
        while (rank >= s->count[k])
            rank -= s->count[k++];
        if (!s->shift)
            return (int64_t)((uint64_t)s->low + k);
        for (size_t i = 0; i < n; i++) { /* its values to the front */
            const int64_t x = v[i];
            v[i] = v[to];
            v[to] = x;
            to += step_of(s, x) == k;
        }
        n = to;
        if (n <= FEW) {
            qsort(v, n, sizeof *v, cmp_ns);
            return v[rank];
        }
        for (size_t i = 0; i < n; i++) {
            low = v[i] < low ? v[i] : low;
            high = v[i] > high ? v[i] : high;
        }
        steps_of(s, v, n, low, high);
    }
}

/*
 * Where a value stands above the least one, each octave in 32: what goroutines do takes most of them little
 * and a few very long, and a step of one width would hold nearly all.
 */
enum { SLOT_EXACT = 64 };
static inline unsigned slot_of(uint64_t above)
{
    if (above < SLOT_EXACT)
        return (unsigned)above;
    const unsigned e = 63u - (unsigned)__builtin_clzll(above); /* 6..63 */
    return (e - 5) * 32 + (unsigned)(above >> (e - 5));
}
_Static_assert((63 - 5) * 32 + 63 < STEPS, "there is a count for each slot");

struct ranked { /* the value of a rank: its slot, and its rank there */
    unsigned slot;
    size_t rank;
};

static struct ranked slot_of_rank(const size_t *count, size_t rank)
{
    struct ranked r = {UINT_MAX, rank};
    for (r.slot = rank == SIZE_MAX ? UINT_MAX : 0; r.slot != UINT_MAX && r.rank >= count[r.slot]; r.slot++)
        r.rank -= count[r.slot];
    return r;
}

/* Those of v[0..n) that are in one of so many slots, to its front: how many. */
static size_t to_front(int64_t *v, size_t n, int64_t low, const struct ranked *r, int nr)
{
    bool is[STEPS] = {false};
    for (int q = 0; q < nr; q++)
        if (r[q].slot < STEPS)
            is[r[q].slot] = true;
    size_t to = 0;
    for (size_t i = 0; i < n; i++) {
        const int64_t x = v[i];
        const unsigned k = slot_of((uint64_t)x - (uint64_t)low);
        v[i] = v[to];
        v[to] = x;
        to += is[k];
    }
    return to;
}

static int64_t ranked_value(struct steps *s, int64_t *v, size_t n, int64_t least, struct ranked r)
{
    int64_t low = INT64_MAX, high = INT64_MIN;
    if (r.slot < SLOT_EXACT)
        return (int64_t)((uint64_t)least + r.slot);
    n = to_front(v, n, least, &r, 1);
    for (size_t i = 0; i < n; i++) {
        low = v[i] < low ? v[i] : low;
        high = v[i] > high ? v[i] : high;
    }
    steps_of(s, v, n, low, high);
    return rank_value(s, v, n, r.rank);
}

enum { QUANTILES = 5 };
static const double quantile_share[QUANTILES] = {0.5, 0.9, 0.95, 0.99, 0.999};

static void quantiles_to(struct dist *d, const int64_t p[QUANTILES])
{
    d->p50 = p[0];
    d->p90 = p[1];
    d->p95 = p[2];
    d->p99 = p[3];
    d->p999 = p[4];
}

/*
 * Quantiles of many numbers, which to sort would cost more; low: none is below; rank: SIZE_MAX for who is not
 * asked for. false: out    of memory.
 */
static bool quantiles(int64_t *v, size_t n, int64_t low, const size_t rank[QUANTILES], int64_t p[QUANTILES])
{
    struct steps *s = mem_zalloc(sizeof *s);
    if (s) {
        for (size_t i = 0; i < n; i++)
            s->count[slot_of((uint64_t)v[i] - (uint64_t)low)]++;
        struct ranked r[QUANTILES];
        for (int q = 0; q < QUANTILES; q++)
            r[q] = slot_of_rank(s->count, rank[q]);
        n = to_front(v, n, low, r, QUANTILES);
        for (int q = 0; q < QUANTILES; q++)
            p[q] = rank[q] == SIZE_MAX ? 0 : ranked_value(s, v, n, low, r[q]);
        (void)slices_tick();
    }
    mem_free(s);
    return s != NULL;
}

/* Where a slot's values begin. */
static int64_t slot_begin(unsigned i)
{
    return i < SLOT_EXACT ? (int64_t)i : (int64_t)(i % 32 + 32) << (i / 32 - 1);
}

struct dist_many {
    struct dist d;
    struct picked { /* the values of a slot that is asked for */
        uint64_t low, width;
        int64_t *v; /* room for one more than there are */
        size_t n, room;
    } slot[QUANTILES];
    struct ranked r[QUANTILES];
    int64_t *v; /* all of theirs */
    struct steps s;
};

struct dist_many *dist_many_new(void)
{
    struct dist_many *m = mem_zalloc(sizeof *m);
    if (m)
        m->d.min = INT64_MAX;
    return m;
}

bool dist_many_add(struct dist_many *m, const int64_t *v, size_t n)
{
    struct dist d = m->d;
    uint64_t total = (uint64_t)d.total;
    for (size_t i = 0; i < n; i++) {
        const int64_t x = v[i];
        if ((uint64_t)x >= (uint64_t)NS_MAX)
            return false;
        d.min = x < d.min ? x : d.min;
        d.max = x > d.max ? x : d.max;
        d.sumsq += (double)x * (double)x;
        total += (uint64_t)x;
        total = total < (uint64_t)NS_MAX ? total : (uint64_t)NS_MAX;
        m->s.count[slot_of((uint64_t)x)]++;
    }
    d.total = (int64_t)total;
    d.n += n;
    m->d = d;
    return true;
}

void dist_many_zeros(struct dist_many *m, size_t n)
{
    m->s.count[0] += n;
    m->d.n += n;
    m->d.min = n ? 0 : m->d.min;
}

bool dist_many_ranks(struct dist_many *m)
{
    size_t room = 0;
    for (int q = 0; q < QUANTILES; q++) {
        struct ranked *r = &m->r[q];
        struct picked *p = &m->slot[q];
        *r = slot_of_rank(m->s.count, rank_of(quantile_share[q], m->d.n));
        if (r->slot >= SLOT_EXACT &&
            !(q && r->slot == r[-1].slot)) { /* slots of one value are known without it */
            p->low = (uint64_t)slot_begin(r->slot);
            p->width = (uint64_t)slot_begin(r->slot + 1) - p->low;
            p->room = m->s.count[r->slot];
        }
        room += p->room + 1;
    }
    m->v = mem_alloc(room * sizeof *m->v);
    for (int q = 0; m->v && q < QUANTILES; q++)
        m->slot[q].v = q ? m->slot[q - 1].v + m->slot[q - 1].room + 1 : m->v;
    return m->v;
}

/* Each value is written, and stays if it belongs there: whether it does no branch could foretell. */
static void pick(struct picked *p, const int64_t *v, size_t n)
{
    const uint64_t low = p->low, width = p->width;
    int64_t *to = p->v + p->n;
    for (size_t i = 0; i < n; i++) {
        *to = v[i];
        to += (uint64_t)v[i] - low < width;
    }
    p->n = (size_t)(to - p->v);
}

void dist_many_pick(struct dist_many *m, const int64_t *v, size_t n)
{
    for (int q = 0; q < QUANTILES; q++)
        if (m->slot[q].n < m->slot[q].room)
            pick(&m->slot[q], v, n);
}

/* The value of a rank among those of its slot. */
static int64_t picked_value(struct dist_many *m, const struct picked *p, size_t rank)
{
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (size_t i = 0; i < p->n; i++) {
        low = p->v[i] < low ? p->v[i] : low;
        high = p->v[i] > high ? p->v[i] : high;
    }
    steps_of(&m->s, p->v, p->n, low, high);
    return rank_value(&m->s, p->v, p->n, rank);
}

void dist_many_end(struct dist_many *m, struct dist *d)
{
    int64_t to[QUANTILES] = {0};
    const struct picked *p = m->slot;
    for (int q = 0; q < QUANTILES && m->d.n; q++) {
        const struct ranked *r = &m->r[q];
        p = m->slot[q].room ? &m->slot[q] : p; /* or it is that of the quantile before */
        to[q] = r->slot < SLOT_EXACT ? (int64_t)r->slot : picked_value(m, p, r->rank);
    }
    m->d.min = m->d.n ? m->d.min : 0;
    quantiles_to(&m->d, to);
    *d = m->d;
}

void dist_many_free(struct dist_many *m)
{
    if (m)
        mem_free(m->v);
    mem_free(m);
}

/* dist_of_rest() of many. false: out of memory, or not such as dist_many_add() takes. */
static bool many_of_rest(struct dist *d, const int64_t *v, size_t n, size_t zeros)
{
    struct dist_many *m = dist_many_new();
    bool ok = m && dist_many_add(m, v, n);
    if (ok) {
        dist_many_zeros(m, zeros);
        ok = slices_tick() && dist_many_ranks(m);
    }
    if (ok) {
        dist_many_pick(m, v, n);
        dist_many_end(m, d);
    }
    dist_many_free(m);
    return ok;
}

void dist_of(struct dist *d, int64_t *v, size_t n)
{
    dist_of_rest(d, v, n, 0);
}

/* Sorted, the zeros stand behind what is below them. */
void dist_of_rest(struct dist *d, int64_t *v, size_t n, size_t zeros)
{
    const size_t all = n + zeros;
    size_t below = 0, rank[QUANTILES];
    int64_t p[QUANTILES];
    *d = (struct dist){.n = all};
    if (all == 0)
        return;
    if (all > SORT_MANY && many_of_rest(d, v, n, zeros))
        return;
    if (all <= SORT_MANY && n)
        qsort(v, n, sizeof *v, cmp_ns);
    d->min = d->max = zeros ? 0 : v[0];
    for (size_t i = 0; i < n; i++) {
        d->min = v[i] < d->min ? v[i] : d->min;
        d->max = v[i] > d->max ? v[i] : d->max;
        d->total = ns_add(d->total, v[i]);
        d->sumsq += (double)v[i] * (double)v[i];
        below += v[i] < 0;
    }
    if (d->min == d->max) {
        for (int q = 0; q < QUANTILES; q++)
            p[q] = d->min;
        quantiles_to(d, p);
        return;
    }
    for (int q = 0; q < QUANTILES; q++) {
        rank[q] = rank_of(quantile_share[q], all);
        rank[q] = rank[q] < below || !zeros ? rank[q] : rank[q] - below < zeros ? SIZE_MAX : rank[q] - zeros;
    }
    if (all <= SORT_MANY || !quantiles(v, n, d->min, rank, p)) {
        if (all > SORT_MANY) /* no memory for it */
            qsort(v, n, sizeof *v, cmp_ns);
        for (int q = 0; q < QUANTILES; q++)
            p[q] = rank[q] == SIZE_MAX ? 0 : v[rank[q]];
    }
    quantiles_to(d, p);
}

static int64_t slot_low(uint32_t i)
{
    return i < 64 ? (int64_t)i : i >= HIST_BUCKETS ? INT64_MAX : (int64_t)(i % 32 + 32) << (i / 32 - 1);
}

void hist_add_all(struct hist *h, const int64_t *ns, uint32_t n)
{
    struct hist_part part = hist_part(h);
    int64_t total = 0;
    for (uint32_t i = 0; i < n; i++) {
        const int64_t x = ns[i] < 0 ? 0 : ns[i];
        hist_part_add(h, &part, x);
        total = ns_more(total, x);
    }
    hist_part_end(h, &part, total);
}

void hist_sum(struct hist *h, const struct hist *more)
{
    if (!more->n)
        return;
    for (uint32_t i = 0; i < HIST_BUCKETS; i++)
        h->count[i] += more->count[i];
    h->min = h->n == 0 || more->min < h->min ? more->min : h->min;
    h->max = more->max > h->max ? more->max : h->max;
    h->total = ns_add(h->total, more->total);
    h->sumsq += more->sumsq;
    h->n += more->n;
}

int64_t hist_quantile(const struct hist *h, double q)
{
    uint64_t want, seen = 0;
    if (h->n == 0)
        return 0;
    want = rank_of(q, h->n) + 1;
    if (want >= h->n)
        return h->max;
    for (uint32_t i = 0; i < HIST_BUCKETS; i++) {
        seen += h->count[i];
        if (seen >= want) {
            int64_t mid = i < 64 ? (int64_t)i : slot_low(i) + (slot_low(i + 1) - slot_low(i)) / 2;
            return mid < h->min ? h->min : mid > h->max ? h->max : mid;
        }
    }
    return h->max;
}

void hist_dist(const struct hist *h, struct dist *d)
{
    *d = (struct dist){.n = h->n, .min = h->min, .max = h->max, .total = h->total, .sumsq = h->sumsq};
    int64_t p[QUANTILES];
    for (int q = 0; q < QUANTILES; q++)
        p[q] = hist_quantile(h, quantile_share[q]);
    quantiles_to(d, p);
}

uint64_t hist_between(const struct hist *h, int64_t lo, int64_t hi)
{
    uint64_t n = 0;
    for (uint32_t i = hist_slot(lo); i < HIST_BUCKETS && slot_low(i) < hi; i++)
        n += h->count[i];
    return n;
}
