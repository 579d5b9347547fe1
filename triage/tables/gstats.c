/* gstats.c - see gstats.h. What few goroutines have stands apart: by chunk, where one of the chunk has it. */
#include "triage/tables/gstats.h"

#include "decode/base/columns.h"
#include "decode/base/mem.h"
#include "triage/tables/tab.h"

_Static_assert((int)GSTATS_ROWS <= (int)COLUMNS_ROWS, "a chunk is as many rows as columns take");

/* GM_ASSIST stands apart; of GM_LIFE what the first six don't add up to: nothing, nearly always. */
enum { RUNS = GM_COUNT, SCHEDS, WAITS, SYSCALLS, VALUES };

struct chunk {
    struct columns *c;
    uint32_t *ended; /* NULL: nobody here did */
    int64_t *assist;
};

struct gstats {
    uint32_t n;
    struct gstat first[GSTATS_ALONE];
    uint32_t first_ended[GSTATS_ALONE];
    uint32_t *group;
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
    if (!s) {
        return NULL;
    }
    s->n = n;
    s->group = mem_zalloc(((size_t)n + 1) * sizeof *s->group);
    s->chunk = mem_zalloc(((size_t)chunks(s) + 1) * sizeof *s->chunk);
    if (!s->group || !s->chunk) {
        gstats_free(s);
        return NULL;
    }
    return s;
}

void gstats_free(struct gstats *s)
{
    for (uint32_t i = 0; s && s->chunk && i < chunks(s); i++) {
        mem_free(s->chunk[i].c);
        mem_free(s->chunk[i].ended);
        mem_free(s->chunk[i].assist);
    }
    if (s) {
        mem_free(s->group);
        mem_free(s->chunk);
    }
    mem_free(s);
}

static int64_t first_six(const int64_t ns[GM_COUNT])
{
    int64_t sum = 0;
    for (int m = GM_EXEC; m <= GM_UNKNOWN; m++) {
        sum += ns[m];
    }
    return sum;
}

bool gstats_put(struct gstats *s, uint32_t g, const struct gstat *v, uint32_t n)
{
    uint64_t x[GSTATS_ROWS][VALUES];
    uint32_t row;
    if (g < GSTATS_ALONE) {
        s->first[g] = *v;
        return true;
    }
    for (uint32_t i = 0; i < n; i++) {
        for (int m = 0; m < GM_COUNT; m++) {
            x[i][m] = (uint64_t)v[i].ns[m];
        }
        x[i][GM_ASSIST] = 0;
        x[i][GM_LIFE] = (uint64_t)(v[i].ns[GM_LIFE] - first_six(v[i].ns));
        x[i][RUNS] = v[i].runs;
        x[i][SCHEDS] = v[i].scheds;
        x[i][WAITS] = v[i].waits;
        x[i][SYSCALLS] = v[i].syscalls;
    }
    struct chunk *c = chunk_of(s, g, &row);
    c->c = columns_make(x[0], n, VALUES);
    return c->c != NULL;
}

void gstats_group(struct gstats *s, uint32_t g, uint32_t group)
{
    s->group[g] = group;
}

bool gstats_ended(struct gstats *s, uint32_t g, uint32_t more)
{
    uint32_t row;
    if (g < GSTATS_ALONE) {
        s->first_ended[g] += more;
        return true;
    }
    struct chunk *c = chunk_of(s, g, &row);
    if (!c->ended) {
        c->ended = mem_zalloc(rows_of(s, g) * sizeof *c->ended);
    }
    if (c->ended) {
        c->ended[row] += more;
    }
    return c->ended != NULL;
}

bool gstats_assist(struct gstats *s, uint32_t g, int64_t more)
{
    uint32_t row;
    if (g < GSTATS_ALONE) {
        s->first[g].ns[GM_ASSIST] = ns_add(s->first[g].ns[GM_ASSIST], more);
        return true;
    }
    struct chunk *c = chunk_of(s, g, &row);
    if (!c->assist) {
        c->assist = mem_zalloc(rows_of(s, g) * sizeof *c->assist);
    }
    if (c->assist) {
        c->assist[row] = ns_add(c->assist[row], more);
    }
    return c->assist != NULL;
}

/* ---- reading ------------------------------------------------------------------------------------------------ */

static uint64_t value(const struct chunk *c, uint32_t row, unsigned i)
{
    return c->c ? columns_get(c->c, VALUES, row, i) : 0;
}

int64_t gstat_ns(const struct gstats *s, uint32_t g, enum gmetric m)
{
    uint32_t row;
    if (g < GSTATS_ALONE) {
        return s->first[g].ns[m];
    }
    const struct chunk *c = chunk_of(s, g, &row);
    if (m == GM_ASSIST) {
        return c->assist ? c->assist[row] : 0;
    }
    int64_t ns = (int64_t)value(c, row, m);
    for (int i = GM_EXEC; m == GM_LIFE && i <= GM_UNKNOWN; i++) {
        ns += (int64_t)value(c, row, (unsigned)i);
    }
    return ns;
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
    uint64_t sum[GSTATS_ROWS] = {0};
    if (m == GM_ASSIST) {
        for (uint32_t i = 0; i < n; i++) {
            v[i] = c->assist ? c->assist[row + i] : 0;
        }
        return n;
    }
    for (int k = GM_EXEC; c->c && m == GM_LIFE && k <= GM_UNKNOWN; k++) {
        columns_add(c->c, VALUES, row, n, (unsigned)k, sum);
    }
    if (c->c) {
        columns_add(c->c, VALUES, row, n, m, sum);
    }
    for (uint32_t i = 0; i < n; i++) {
        v[i] = (int64_t)sum[i];
    }
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
    return m == GM_ASSIST ? !c->assist : m != GM_LIFE && (!c->c || (!c->c->col[m].width && !c->c->col[m].least));
}

struct gstat gstat_of(const struct gstats *s, uint32_t g)
{
    uint32_t row;
    struct gstat v;
    if (g < GSTATS_ALONE) {
        return s->first[g];
    }
    const struct chunk *c = chunk_of(s, g, &row);
    for (unsigned m = 0; m < GM_COUNT; m++) {
        v.ns[m] = (int64_t)value(c, row, m);
    }
    v.ns[GM_ASSIST] = c->assist ? c->assist[row] : 0;
    v.ns[GM_LIFE] += first_six(v.ns);
    v.runs = (uint32_t)value(c, row, RUNS);
    v.scheds = (uint32_t)value(c, row, SCHEDS);
    v.waits = (uint32_t)value(c, row, WAITS);
    v.syscalls = (uint32_t)value(c, row, SYSCALLS);
    return v;
}

uint32_t gstat_waits(const struct gstats *s, uint32_t g)
{
    uint32_t row;
    if (g < GSTATS_ALONE) {
        return s->first[g].waits;
    }
    const struct chunk *c = chunk_of(s, g, &row);
    return (uint32_t)value(c, row, WAITS);
}

uint32_t gstat_group(const struct gstats *s, uint32_t g)
{
    return s->group[g];
}

uint32_t gstat_ended(const struct gstats *s, uint32_t g)
{
    uint32_t row;
    if (g < GSTATS_ALONE) {
        return s->first_ended[g];
    }
    const struct chunk *c = chunk_of(s, g, &row);
    return c->ended ? c->ended[row] : 0;
}
