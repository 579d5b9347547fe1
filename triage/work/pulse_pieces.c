/*
 * pulse_pieces.c - the pieces that are held, and queries on them: see pulse.h.
 */
#include "decode/base/mem.h"
#include "decode/base/order.h"
#include "triage/work/pulse_priv.h"

const double pulse_bound_s[PULSE_BOUNDS] = {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                            0.1,    0.25,    0.5,    1,     2.5,    5,     10,   30,    60};

void pulse_forget(struct pulse *p, int64_t t)
{
    size_t n = 0;
    for (size_t i = 0; i < p->n; i++)
        if (p->piece[i].t1 >= t)
            p->piece[n++] = p->piece[i];
    p->n = n;
    p->since = t > p->since ? t : p->since;
}

/* Drop half of the time that is held. */
static void thin(struct pulse *p)
{
    int64_t least = INT64_MAX, most = INT64_MIN;
    for (size_t i = 0; i < p->n; i++) {
        least = p->piece[i].t1 < least ? p->piece[i].t1 : least;
        most = p->piece[i].t1 > most ? p->piece[i].t1 : most;
    }
    pulse_forget(p, least + (most - least) / 2 + 1);
}

void pulse_add(struct pulse *p, struct known *k, int64_t t0, int64_t t1)
{
    if (!k || t1 <= t0)
        return;
    if (p->n == PULSE_PIECES)
        thin(p);
    if (!mem_room(p->piece, p->cap, p->n + 1)) {
        p->failed = true;
        return;
    }
    const uint64_t most = ((uint64_t)1 << DUR_BITS) - 1,
                   d = (uint64_t)(t1 - t0) < most ? (uint64_t)(t1 - t0) : most;
    p->piece[p->n++] = (struct piece){t1, (uint64_t)(k - p->row), d};
    k->row.bucket[find_first(b, PULSE_BOUNDS, (double)d <= pulse_bound_s[b] * 1e9)]++;
    k->row.n++;
    k->row.total_ns += (double)d;
}

uint32_t pulse_rows(const struct pulse *p)
{
    return p->nrows;
}

const struct pulse_row *pulse_row(const struct pulse *p, uint32_t i)
{
    return i < p->nrows ? &p->row[i].row : NULL;
}

int64_t pulse_end(const struct pulse *p)
{
    return p->end;
}

int64_t pulse_since(const struct pulse *p)
{
    return p->since;
}

bool pulse_of(const struct pulse *p, int64_t t0, int64_t t1, struct dist out[PULSE_ROWS])
{
    size_t n[PULSE_ROWS] = {0}, at[PULSE_ROWS], all = 0;
    for (size_t i = 0; i < p->n; i++)
        n[p->piece[i].row] += p->piece[i].t1 > t0 && p->piece[i].t1 <= t1;
    for (uint32_t r = 0; r < PULSE_ROWS; r++) {
        at[r] = all;
        all += n[r];
    }
    int64_t *v = mem_alloc((all + 1) * sizeof *v);
    if (!v)
        return false;
    for (size_t i = 0; i < p->n; i++)
        if (p->piece[i].t1 > t0 && p->piece[i].t1 <= t1)
            v[at[p->piece[i].row]++] = (int64_t)p->piece[i].dur;
    for (uint32_t r = 0; r < PULSE_ROWS; r++)
        dist_of(&out[r], v + at[r] - n[r], n[r]);
    mem_free(v);
    return true;
}

struct place {
    int rank;
    int64_t total;
};

ORDER_AT(by_wait, struct place, LEAST(r->rank) MOST(r->total))

static int rank(enum work_kind_id k)
{
    return k == WORK_REQUESTS ? 0 : k == WORK_TASKS ? 1 : k == WORK_ITEMS ? 2 : 3;
}

void pulse_order(const struct pulse *p, const struct dist d[PULSE_ROWS], uint32_t order[PULSE_ROWS])
{
    struct place at[PULSE_ROWS];
    for (uint32_t i = 0; i < p->nrows; i++) {
        order[i] = i;
        at[i] = (struct place){rank(p->row[i].row.kind), d[i].total};
    }
    sort_at(order, p->nrows, at, by_wait);
}
