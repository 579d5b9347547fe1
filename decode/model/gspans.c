/* gspans.c - see gspans.h. */
#include "decode/model/gspans.h"

/* Returns each lane's number of spans; 0 if the numbers differ, or a lane has more than few waiting spans. */
static unsigned spans_each(const struct spanlane *l)
{
    const unsigned n = spans_nwait(l);
    for (unsigned i = 0; i < GSPANS_LANES; i++)
        if (!spans_few(&l[i]) || spans_nwait(&l[i]) != n)
            return 0;
    return n <= GSPANS_MOST ? n : 0;
}

/* Set one lane's values. Returns false if it cannot be stored like this. */
static bool values(const struct spanlane *l, unsigned n, uint64_t *v)
{
    const struct waitspan *w = spans_wait(l);
    int64_t lasted = 0;
    bool longs = false;
    for (unsigned k = 0; k < n; k++) {
        v[gspans_rest(k)] = w[k].rest;
        v[gspans_who(n, k)] = wait_who(&w[k]);
        if (k)
            v[gspans_dur(n, k)] = (uint32_t)w[k].dur_who;
        longs |= wait_is_long(&w[k]);
        lasted += (uint32_t)w[k].dur_who;
    }
    return !longs && lasted == l->t0 - l->wait_t0;
}

const struct columns *gspans_make(struct span_pool *sp, const struct spanlane *l)
{
    uint64_t v[GSPANS_LANES * GSPANS_COLUMNS];
    const unsigned n = spans_each(l), columns = 3 * n - 1;
    for (unsigned i = 0; i < GSPANS_LANES; i++)
        if (!n || !values(&l[i], n, v + (size_t)i * columns))
            return NULL;
    return columns_make(v, GSPANS_LANES, columns, pool_bytes, sp);
}

struct waitspan gspans_at(const struct columns *c, unsigned row, unsigned n, unsigned k, int64_t lasted)
{
    const unsigned columns = 3 * n - 1;
    const uint64_t rest = columns_get(c, columns, row, gspans_rest(k)),
                   who = columns_get(c, columns, row, gspans_who(n, k));
    uint64_t dur = k ? columns_get(c, columns, row, gspans_dur(n, k)) : (uint64_t)lasted;
    for (unsigned i = 1; !k && i < n; i++)
        dur -= columns_get(c, columns, row, gspans_dur(n, i));
    return (struct waitspan){dur | who << 32, rest};
}

void gspans_all(const struct columns *c, struct gspans_rows *out)
{
    for (unsigned i = 0; i < c->n; i++)
        out->step[i] = columns_all(c, c->n, GSPANS_LANES, i, out->v[i]);
}
