/*
 * gstats.c - see gstats.h. Values that few goroutines have are stored separately, only for chunks in which
 * some goroutine has one.
 */
#include "triage/tables/gstats.h"

#include <string.h>

#include "decode/base/columns.h"
#include "decode/base/mem.h"
#include "triage/tables/tab.h"

_Static_assert((int)GSTATS_ROWS <= (int)COLUMNS_ROWS, "a chunk is as many rows as columns take");

/* GM_ASSIST is stored separately, and so is the part of GM_LIFE outside the first six, which is nearly
 * always 0. */
enum { RUNS = GV_RUNS, SCHEDS = GV_SCHEDS, WAITS = GV_WAITS, SYSCALLS = GV_SYSCALLS, VALUES = GV_COUNT };

struct chunk {
    struct columns *c; /* NULL: nothing is stored yet */
    uint32_t *groups;  /* NULL: all are in one group */
    uint32_t group;
    int64_t *assist;
};

struct gstats {
    uint32_t n;
    struct gstat first[GSTATS_ALONE];
    uint32_t first_group[GSTATS_ALONE];
    struct chunk *chunk;
};

static uint32_t chunks(const struct gstats *s)
{
    return s->n > GSTATS_ALONE ? (s->n - GSTATS_ALONE + GSTATS_ROWS - 1) / GSTATS_ROWS : 0;
}

static inline struct chunk *chunk_of(const struct gstats *s, uint32_t g, uint32_t *row)
{
    *row = (g - GSTATS_ALONE) % GSTATS_ROWS;
    return &s->chunk[(g - GSTATS_ALONE) / GSTATS_ROWS];
}

static uint32_t rows_of(const struct gstats *s, uint32_t g)
{
    const uint32_t from = g - (g - GSTATS_ALONE) % GSTATS_ROWS;
    return s->n - from < GSTATS_ROWS ? s->n - from : GSTATS_ROWS;
}

struct gstats *gstats_new(uint32_t n)
{
    struct gstats *s = mem_zalloc(sizeof *s);
    if (!s)
        return NULL;
    s->n = n;
    s->chunk = mem_zalloc(((size_t)chunks(s) + 1) * sizeof *s->chunk);
    if (!s->chunk) {
        gstats_free(s);
        return NULL;
    }
    return s;
}

void gstats_free(struct gstats *s)
{
    for (uint32_t i = 0; s && s->chunk && i < chunks(s); i++) {
        mem_free(s->chunk[i].c);
        mem_free(s->chunk[i].groups);
        mem_free(s->chunk[i].assist);
    }
    if (s)
        mem_free(s->chunk);
    mem_free(s);
}

/* Whether all values are below a limit; this decides the width of a column. */
static bool chunk_below(const struct chunk *c, enum gmetric m, uint64_t least)
{
    if (!c->c)
        return least > 0;
    const struct column *k = &c->c->col[m];
    return k->width < 7 && k->least + (((uint64_t)1 << 8 * k->width) - 1) < least;
}

static int64_t first_six(const int64_t ns[GM_COUNT])
{
    int64_t sum = 0;
    for (int m = GM_EXEC; m <= GM_UNKNOWN; m++)
        sum += ns[m];
    return sum;
}

static void put_first(struct gstats *s, uint32_t g, const struct gstat_rows *r)
{
    struct gstat *st = &s->first[g];
    for (int m = 0; m < GM_COUNT; m++)
        st->ns[m] = (int64_t)r->v[m][0];
    st->ns[GM_LIFE] += first_six(st->ns);
    st->runs = (uint32_t)r->v[RUNS][0];
    st->scheds = (uint32_t)r->v[SCHEDS][0];
    st->waits = (uint32_t)r->v[WAITS][0];
    st->syscalls = (uint32_t)r->v[SYSCALLS][0];
    st->moves = (uint32_t)r->v[GV_MOVES][0];
    s->first_group[g] = r->group[0];
}

static bool put_groups(struct chunk *c, const uint32_t *group, uint32_t n)
{
    uint32_t differs = 0;
    for (uint32_t i = 1; i < n; i++)
        differs |= group[i] ^ group[0];
    c->group = group[0];
    if (!differs)
        return true;
    c->groups = mem_alloc(n * sizeof *c->groups);
    if (c->groups)
        memcpy(c->groups, group, n * sizeof *c->groups);
    return c->groups != NULL;
}

bool gstats_put(struct gstats *s, uint32_t g, const struct gstat_rows *r, uint32_t n)
{
    const uint64_t *col[VALUES];
    uint32_t row;
    if (g < GSTATS_ALONE) {
        put_first(s, g, r);
        return true;
    }
    struct chunk *c = chunk_of(s, g, &row);
    for (int i = 0; i < VALUES; i++)
        col[i] = r->used >> i & 1 ? r->v[i] : NULL;
    c->c = columns_of(col, n, VALUES);
    return c->c && put_groups(c, r->group, n);
}

void gstats_regroup(struct gstats *s, uint32_t g0, uint32_t g1, const uint32_t *to)
{
    uint32_t g = g0, row;
    for (; g < g1 && g < GSTATS_ALONE; g++)
        s->first_group[g] = to[s->first_group[g]];
    for (uint32_t n; g < g1; g += n) {
        struct chunk *c = chunk_of(s, g, &row);
        n = rows_of(s, g);
        c->group = to[c->group];
        for (uint32_t i = 0; c->groups && i < n; i++)
            c->groups[i] = to[c->groups[i]];
    }
}

bool gstats_assist(struct gstats *s, uint32_t g, int64_t more)
{
    uint32_t row;
    if (g < GSTATS_ALONE) {
        s->first[g].ns[GM_ASSIST] = ns_add(s->first[g].ns[GM_ASSIST], more);
        return true;
    }
    struct chunk *c = chunk_of(s, g, &row);
    if (!c->assist)
        c->assist = mem_zalloc(rows_of(s, g) * sizeof *c->assist);
    if (c->assist)
        c->assist[row] = ns_add(c->assist[row], more);
    return c->assist != NULL;
}

/* ---- reading ------------------------------------------------------------------------------------------- */

static uint64_t value(const struct gstats *s, uint32_t g, unsigned i)
{
    uint32_t row;
    const struct chunk *c = chunk_of(s, g, &row);
    return c->c ? columns_get(c->c, VALUES, row, i) : 0;
}

int64_t gstat_ns(const struct gstats *s, uint32_t g, enum gmetric m)
{
    uint32_t row;
    if (g < GSTATS_ALONE)
        return s->first[g].ns[m];
    if (m == GM_ASSIST) {
        const struct chunk *c = chunk_of(s, g, &row);
        return c->assist ? c->assist[row] : 0;
    }
    int64_t ns = (int64_t)value(s, g, m);
    for (unsigned i = GM_EXEC; m == GM_LIFE && i <= GM_UNKNOWN; i++)
        ns += (int64_t)value(s, g, i);
    return ns;
}

/* Reads n values of a column; for lives, the columns they are the sum of. */
static void columns_sum(const struct columns *c, enum gmetric m, uint32_t row, uint32_t n, uint64_t *sum)
{
    uint64_t all = 0; /* of columns that are one value all along */
    unsigned wide[GM_COUNT], nwide = 0;
    for (unsigned k = m == GM_LIFE ? 0 : m; c && k <= (unsigned)m; k++) {
        if (k > GM_UNKNOWN && k != (unsigned)m)
            continue;
        if (c->col[k].width)
            wide[nwide++] = k;
        else
            all += c->col[k].least;
    }
    for (uint32_t i = 0; i < n; i++)
        sum[i] = all;
    for (unsigned k = 0; k < nwide; k++)
        columns_add(c, wide[k], row, n, sum);
}

uint32_t gstats_ns(const struct gstats *s, uint32_t g, enum gmetric m, int64_t v[GSTATS_ROWS])
{
    uint32_t row;
    if (g < GSTATS_ALONE) {
        *v = s->first[g].ns[m];
        return 1;
    }
    const struct chunk *c = chunk_of(s, g, &row);
    const uint32_t n = rows_of(s, g) - row;
    if (m == GM_ASSIST)
        for (uint32_t i = 0; i < n; i++)
            v[i] = c->assist ? c->assist[row + i] : 0;
    else
        columns_sum(c->c, m, row, n, (uint64_t *)v);
    return n;
}

bool gstats_none(const struct gstats *s, uint32_t g, enum gmetric m, uint32_t *n)
{
    uint32_t row;
    if (g < GSTATS_ALONE) {
        *n = 1;
        return !s->first[g].ns[m];
    }
    const struct chunk *c = chunk_of(s, g, &row);
    *n = rows_of(s, g) - row;
    return m == GM_ASSIST ? !c->assist
           : m == GM_LIFE ? false
                          : !c->c || (!c->c->col[m].width && !c->c->col[m].least);
}

bool gstats_alike(const struct gstats *s, uint32_t g, uint32_t *group)
{
    uint32_t row;
    *group = gstat_group(s, g);
    return g < GSTATS_ALONE || !chunk_of(s, g, &row)->groups;
}

uint32_t gstats_next(const struct gstats *s, uint32_t g, uint32_t group)
{
    uint32_t row;
    for (; g < s->n; g++) {
        const struct chunk *c = g < GSTATS_ALONE ? NULL : chunk_of(s, g, &row);
        if (gstat_group(s, g) == group)
            return g;
        if (c && !c->groups)
            g += rows_of(s, g) - row - 1;
    }
    return NO_LANE;
}

uint32_t gstats_next_with(const struct gstats *s, uint32_t g, enum gmetric m, int64_t least)
{
    uint32_t row;
    for (; g < s->n; g++) {
        const struct chunk *c = g < GSTATS_ALONE ? NULL : chunk_of(s, g, &row);
        if (gstat_ns(s, g, m) >= least)
            return g;
        if (c && m < GM_ASSIST && chunk_below(c, m, (uint64_t)least))
            g += rows_of(s, g) - row - 1;
    }
    return NO_LANE;
}

struct gstat gstat_of(const struct gstats *s, uint32_t g)
{
    uint32_t row;
    struct gstat v;
    if (g < GSTATS_ALONE)
        return s->first[g];
    for (unsigned m = 0; m < GM_COUNT; m++)
        v.ns[m] = (int64_t)value(s, g, m);
    const struct chunk *c = chunk_of(s, g, &row);
    v.ns[GM_ASSIST] = c->assist ? c->assist[row] : 0;
    v.ns[GM_LIFE] += first_six(v.ns);
    v.runs = (uint32_t)value(s, g, RUNS);
    v.scheds = (uint32_t)value(s, g, SCHEDS);
    v.waits = (uint32_t)value(s, g, WAITS);
    v.syscalls = (uint32_t)value(s, g, SYSCALLS);
    v.moves = (uint32_t)value(s, g, GV_MOVES);
    return v;
}

uint32_t gstat_waits(const struct gstats *s, uint32_t g)
{
    return g < GSTATS_ALONE ? s->first[g].waits : (uint32_t)value(s, g, WAITS);
}

uint32_t gstat_moves(const struct gstats *s, uint32_t g)
{
    return g < GSTATS_ALONE ? s->first[g].moves : (uint32_t)value(s, g, GV_MOVES);
}

uint32_t gstat_group(const struct gstats *s, uint32_t g)
{
    uint32_t row;
    if (g < GSTATS_ALONE)
        return s->first_group[g];
    const struct chunk *c = chunk_of(s, g, &row);
    return c->groups ? c->groups[row] : c->group;
}
