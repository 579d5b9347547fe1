/*
 * v1_lack.c - see v1_damage.h.
 *
 * A batch that isn't in the file leaves no hole: those around it continue, and often nothing in them
 * contradicts. Two things show the loss all the same. The runtime enters a stack in its table when it
 * writes an event with it, so in a complete trace each stack of the table has an event. And in Go 1.5 each
 * event takes the next number of one counter; the end of a system call takes its number when the call
 * returns, but is written when its goroutine runs next, if that is still within the trace.
 */
#include "decode/damage/v1_damage.h"

#include <inttypes.h>

#include "decode/base/mem.h"
#include "decode/v1/v1_names.h"

/* The table's stacks that some event has, by row: of struct v1_ids, dense or e. */
struct met {
    struct v1_ids *table;
    uint8_t *row;
    size_t n, left;
};

static uint64_t *val_at(const struct v1_ids *m, size_t i)
{
    return m->dense ? &m->dense[i] : &m->e[i].val;
}

/* Mark those that the reader of events has used. Returns false if out of memory. */
static bool met_init(struct met *m, struct v1_ids *table)
{
    *m = (struct met){.table = table, .n = table->dense ? (size_t)table->ndense : table->n};
    m->row = mem_zalloc(m->n + 1);
    for (size_t i = 0; m->row && i < m->n; i++) {
        m->row[i] = (*val_at(table, i) & (V1_KNOWN | V1_MET)) != 0; /* or there are none at all */
        m->left += !m->row[i];
    }
    return m->row;
}

static void meet(struct met *m, uint64_t id)
{
    const uint64_t *val = id ? v1_ids_find(m->table, id) : NULL;
    if (!val)
        return;
    const size_t i =
        m->table->dense ? (size_t)id
                        : (size_t)((const char *)val - (const char *)&m->table->e->val) / sizeof *m->table->e;
    m->left -= !m->row[i];
    m->row[i] = 1;
}

static void meet_event(struct met *m, const struct v1_index *ix, const struct v1_raw *r)
{
    const struct v1_shape *shape = &ix->dialect.shape[r->type];
    for (unsigned i = shape->timed; shape->timed && i < shape->n; i++)
        if (shape->is[i - shape->timed] == 'k' || shape->is[i - shape->timed] == 'f')
            meet(m, r->v[i]);
}

static void meet_batch(struct met *m, const struct v1_index *ix, const struct source *s,
                       const struct v1_batch *b)
{
    const uint8_t *p = s->data + b->off, *end = p + b->len;
    struct v1_raw r;
    const char *why;
    while (m->left && p < end && v1_read(&ix->dialect, &p, end, &r, &why) == V1_READ_OK)
        meet_event(m, ix, &r);
}

/* stacks - Count the stacks of the table that no event has. Starts at the end, to find what only the
 * tracer's own last events have at once. */
static size_t stacks(struct v1_index *ix, const struct source *s)
{
    struct met m;
    struct v1_raw r;
    if (!met_init(&m, &ix->stacks))
        return 0;
    for (size_t i = ix->nsample; m.left && i--;)
        if (v1_index_at(ix, s, ix->sample[i].off, V1_CPU_SAMPLE, &r))
            meet_event(&m, ix, &r);
    for (size_t i = ix->nbatch; m.left && i--;)
        meet_batch(&m, ix, s, &ix->batch[i]);
    mem_free(m.row);
    return m.left;
}

/* numbers - Count the numbers of Go 1.5 that no event has, without those of system calls that may have
 * returned. */
static uint64_t numbers(const struct v1_index *ix)
{
    const struct v1_counted *k = &ix->counted;
    uint64_t used = k->events, open = k->calls > 0 ? (uint64_t)k->calls : 0;
    for (size_t i = 0; i < ix->nexit; i++)
        used += ix->exit[i].key >= k->least && ix->exit[i].key <= k->most;
    const uint64_t there = k->most - k->least;
    return !k->events || there < used || there - used < open ? 0 : there - used - open + 1;
}

bool v1_lack(struct v1_index *ix, struct source *s)
{
    if (!ix->done || ix->incomplete || !ix->has_footer || s->st.ndamages || !ix->dialect.version)
        return false;
    const uint64_t n = ix->dialect.version == 1005 ? numbers(ix) : 0;
    if (n) {
        source_damage(s, ERR_FORMAT, 0, ERR_NO_OFFSET,
                      "the numbers of its events have gaps, %" PRIu64
                      " in all: events are missing, or have wrong numbers",
                      n);
        return true;
    }
    const size_t none = stacks(ix, s);
    if (none)
        source_damage(
            s, ERR_FORMAT, 0, ERR_NO_OFFSET,
            "%zu stack%s in its table belong%s to no event: events are missing, and nothing tells when", none,
            none == 1 ? "" : "s", none == 1 ? "s" : "");
    return none;
}
