/* spent.c - see spent.h. */
#include "triage/activity/spent.h"

#include <stdlib.h>

#include "triage/activity/window.h"
#include "triage/sentence.h"
#include "triage/tables/stacks.h"

/* ---- tasks and regions --------------------------------------------------------------------------------- */

/* Few parts are named, so that a line of a screen has room for them. */
enum { NAMED = 3, REASONS = 8, PARTS = REASONS + 6, WALK_MOST = 200000 };
struct part {
    int64_t ns;
    const char *word; /* NULL: waits for that reason */
    uint32_t reason;
};

/* Adds a part, or more of one, to v[0..n). Returns how many there are now. */
static unsigned spend(struct part *v, unsigned n, struct part p)
{
    unsigned i = 0;
    while (i < n && (v[i].word != p.word || v[i].reason != p.reason))
        i++;
    if (i == n)
        v[n++] = p;
    else
        v[i].ns = ns_add(v[i].ns, p.ns);
    return n;
}

/* Waits by reason, as long as there is room for reasons and the interval has not too many spans. */
static unsigned spend_waits(struct part *v, const struct trace *tr, struct lane l, int64_t t0, int64_t t1)
{
    struct span_iter it;
    unsigned n = 0;
    bool more = span_seek(&it, tr, l, t0);
    for (int left = WALK_MOST; more && left && n < REASONS && span_get(&it)->t0 < t1; left--) {
        const struct span *s = span_get(&it);
        const int64_t a = s->t0 > t0 ? s->t0 : t0, z = s->t1 < t1 ? s->t1 : t1;
        if (s->state == ST_WAITING && z > a)
            n = spend(v, n, (struct part){z - a, NULL, s->reason});
        more = span_next(&it);
    }
    return n;
}

/* What a goroutine spent [t0,t1) on. The parts add up to all of it. */
static unsigned spend_all(struct part *v, const struct trace *tr, struct lane l, int64_t t0, int64_t t1)
{
    struct shares sh;
    trace_shares(tr, l, t0, t1, &sh);
    unsigned n = spend_waits(v, tr, l, t0, t1);
    int64_t rest = sh.ns[ST_WAITING];
    for (unsigned i = 0; i < n; i++)
        rest -= v[i].ns;
    const struct part more[] = {{sh.ns[ST_RUNNING], "running", 0},      {sh.ns[ST_RUNNABLE], "runnable", 0},
                                {sh.ns[ST_SYSCALL], "system calls", 0}, {rest, "other waits", 0},
                                {sh.ns[ST_UNKNOWN], "not recorded", 0}, {sh.ns[ST_NONE], "not there", 0}};
    for (unsigned i = 0; i < sizeof more / sizeof *more; i++)
        n = spend(v, n, more[i]);
    return n;
}

static int by_time(const void *a, const void *b)
{
    const struct part *x = a, *y = b;
    return (x->ns < y->ns) - (x->ns > y->ns);
}

static void spent_part(struct text *t, const struct trace *tr, const char *before, const struct part *p,
                       int64_t all)
{
    text_say(t, tr, before);
    if (p->word)
        text_say(t, tr, p->word);
    else
        text_say(t, tr, t_wait(p->reason, 0));
    text_say(t, NULL, " ", t_dur(p->ns), " ", t_share((double)p->ns, (double)all));
}

void spent_text(struct text *t, const struct trace *tr, bool region, uint32_t index)
{
    const struct task *task;
    const struct region *reg;
    struct part v[PARTS] = {{0}}, rest = {.word = "rest"};
    if (index >= (region ? trace_regions(tr, &reg) : trace_tasks(tr, &task)))
        return;
    const int64_t t0 = region ? reg[index].t0 : task[index].t0, t1 = region ? reg[index].t1 : task[index].t1;
    const uint32_t g = region ? reg[index].g : task[index].g;
    if (g == NO_LANE || t1 <= t0)
        return;
    const unsigned n = spend_all(v, tr, (struct lane){LANE_G, g}, t0, t1);
    qsort(v, n, sizeof *v, by_time);
    text_lit(t, "its goroutine:");
    for (unsigned i = 0; i < n && v[i].ns > 0; i++)
        if (i < NAMED)
            spent_part(t, tr, i ? ", " : " ", &v[i], t1 - t0);
        else
            rest.ns = ns_add(rest.ns, v[i].ns);
    if (rest.ns)
        spent_part(t, tr, ", ", &rest, t1 - t0);
}

/* ---- stops --------------------------------------------------------------------------------------------- */

bool spent_stop(struct text *t, const struct trace *tr, const struct range *r)
{
    struct moment m = {r->t0, r->t1, r->owner, NO_LANE};
    struct span held = {.who = NO_LANE}, was;
    int64_t after = 0;
    const uint32_t last = triage_last_to_stop(tr, &m, &held, &after);
    if (last == NO_LANE)
        return false;
    text_say(t, NULL, "last to stop: P", trace_lane_who(tr, (struct lane){LANE_P, last}).id, " after ",
             t_dur(after));
    if (held.who == NO_LANE)
        return true;
    text_say(t, tr, ", it ran ", t_who(held.who));
    if (trace_span_at(tr, (struct lane){LANE_G, held.who}, held.t1 - 1, &was) && was.stack_end)
        text_say(t, tr, ", which stopped in ", t_where(was.stack_end, 60));
    return true;
}

/* ---- bands --------------------------------------------------------------------------------------------- */

/* Whether a processor in that state does what the band shows; never for a band that no processor state
 * belongs to. */
static bool of_band(enum band b, uint8_t state)
{
    return (b == BAND_GC && (state == ST_GCWORK || state == ST_ASSIST)) ||
           (b == BAND_ASSIST && state == ST_ASSIST) || (b == BAND_SWEEP && state == ST_SWEEP);
}

/* Returns the processor that did it longest in [t0,t1); NO_LANE: none did. */
static uint32_t most_of_band(const struct trace *tr, enum band b, int64_t t0, int64_t t1)
{
    uint32_t best = NO_LANE;
    int64_t most = 0;
    for (uint32_t p = 0, n = trace_nlanes(tr, LANE_P); p < n; p++) {
        struct shares sh;
        int64_t ns = 0;
        trace_shares(tr, (struct lane){LANE_P, p}, t0, t1, &sh);
        for (int k = 0; k < ST_COUNT; k++)
            ns = time_add(ns, of_band(b, (uint8_t)k) ? sh.ns[k] : 0);
        best = ns > most ? p : best;
        most = ns > most ? ns : most;
    }
    return best;
}

bool spent_band(const struct trace *tr, enum band b, int64_t t0, int64_t t1, uint32_t *p, int64_t *at)
{
    enum { SPANS = 10000 };
    struct span_iter it;
    int64_t most = 0;
    *p = most_of_band(tr, b, t0, t1);
    *at = t0;
    if (*p == NO_LANE || !span_seek(&it, tr, (struct lane){LANE_P, *p}, t0))
        return false;
    for (int i = 0; i < SPANS; i++) {
        const struct span *s = span_get(&it);
        const int64_t from = s->t0 > t0 ? s->t0 : t0, len = time_sub(s->t1 < t1 ? s->t1 : t1, from);
        if (of_band(b, s->state) && len > most) {
            *at = from;
            most = len;
        }
        if (s->t1 >= t1 || !span_next(&it))
            break;
    }
    return true;
}
