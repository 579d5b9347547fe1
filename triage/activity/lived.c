/* lived.c - see lived.h. */
#include "triage/activity/lived.h"

#include <stdlib.h>

#include "triage/triage.h"

static struct lived_reason *lived_reason_of(struct lived *k, uint32_t str, uint8_t state)
{
    int i = 0;
    while (i < k->n && (k->r[i].str != str || k->r[i].state != state))
        i++;
    if (i < k->n)
        return &k->r[i];
    if (k->n == LIVED_REASONS)
        return NULL;
    k->r[k->n] = (struct lived_reason){.str = str, .state = state, .longest = -1};
    return &k->r[k->n++];
}

static void count_span(struct lived *k, const struct span *s)
{
    const bool waits = s->state == ST_WAITING || s->state == ST_RUNNABLE;
    struct lived_reason *r = lived_reason_of(k, waits ? s->reason : s->label, s->state);
    const int64_t d = s->t1 - s->t0;
    if (!r) {
        k->others = true;
        return;
    }
    r->n++;
    r->ns += d;
    r->at = d > r->longest ? s->t0 : r->at;
    r->longest = d > r->longest ? d : r->longest;
}

static int lived_by_ns(const void *a, const void *b)
{
    const struct lived_reason *x = a, *y = b;
    return x->ns != y->ns ? (x->ns > y->ns ? -1 : 1) : (int)x->state - (int)y->state;
}

void lived_count(const struct trace *tr, uint32_t g, struct lived *k)
{
    enum { WALK = 1000000 };
    struct span_iter it;
    uint32_t on = NO_LANE; /* the P it ran on last */
    int left = WALK;
    bool more = span_seek_index(&it, tr, (struct lane){LANE_G, g}, 0);
    *k = (struct lived){.n = 0};
    for (; more && left > 0; left--, more = span_next(&it)) {
        const struct span *s = span_get(&it);
        count_span(k, s);
        if (s->state == ST_RUNNING && s->who != NO_LANE) {
            k->moves += on != NO_LANE && on != s->who;
            on = s->who;
        }
    }
    k->cut = more;
    qsort(k->r, (size_t)k->n, sizeof *k->r, lived_by_ns);
}

bool lived_none_timed(const struct trace *tr, const struct lived_reason *r)
{
    return r->state == ST_SYSCALL && tri_none_timed(tr, r->n, r->ns);
}

bool lived_timed(const struct trace *tr, const struct lived *k)
{
    for (int i = 0; i < k->n; i++)
        if (k->r[i].state == ST_SYSCALL && !lived_none_timed(tr, &k->r[i]))
            return true;
    return k->cut || k->others;
}
