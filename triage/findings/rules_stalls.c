/*
 * rules_stalls.c - writes over the network that stand until a limit is up: few waits to write are nearly all of the time, about as long as each
 * other, and behind them it goes on elsewhere. Where nobody reads meanwhile, both sides may be writing.
 */
#include "triage/findings/asks.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"

struct stalls {
    int64_t longest, shortest, sum, all; /* of the long ones; all: of all waits there */
    uint32_t n;
    uint64_t of;
    int64_t mid; /* within the longest */
};

static bool writes_at(const struct causes *c, const struct span *s, uint32_t place)
{
    return s->state == ST_WAITING && s->stack && causes_place(c->tr, s->stack) == place &&
           causes_writes(c->tr, s->stack);
}

/* Of one goroutine's waits to write there those half as long as the longest or longer. */
static struct stalls stalls_of(const struct causes *c, uint32_t g, uint32_t place, int64_t longest)
{
    enum { STEPS = 20000 };
    struct stalls v = {.shortest = INT64_MAX};
    struct walk w;
    walk_g(&w, c->tr, g, STEPS);
    for (const struct span *s; (s = walk_next(&w));) {
        const int64_t ns = s->t1 - s->t0;
        if (!writes_at(c, s, place)) {
            continue;
        }
        v.of++;
        v.all = ns_add(v.all, ns);
        if (ns >= longest / 2) {
            v.n++;
            v.sum = ns_add(v.sum, ns);
            v.mid = ns > v.longest ? s->t0 + ns / 2 : v.mid;
            v.longest = ns > v.longest ? ns : v.longest;
            v.shortest = ns < v.shortest ? ns : v.shortest;
        }
    }
    return v;
}

/* Does any goroutine wait to read an answer at that moment? Of very many not all are looked at: then it is taken for so. */
static bool reads_at(const struct causes *c, int64_t t)
{
    enum { ASKED = 4096 };
    for (uint32_t g = 0; g < c->tg->ng && g < ASKED; g++) {
        struct span s;
        if (trace_span_at(c->tr, (struct lane){LANE_G, g}, t, &s) && s.state == ST_WAITING &&
            stacks_wait_kind(c->tr, s.reason, s.stack) == WK_NET && !causes_writes(c->tr, s.stack) &&
            !calls_accepting(c->tr, s.stack)) {
            return true;
        }
    }
    return c->tg->ng > ASKED;
}

bool write_stalls(struct draft *d, const struct causes *c, const struct waits_at *p)
{
    const struct moment *m = &p->most->longest;
    const struct stalls v = stalls_of(c, m->g, p->place, m->t1 - m->t0);
    if ((double)v.n < threshold(TH_STALL_TIMES) || (double)v.n * 2 > (double)v.of ||
        !threshold_reached(TH_STALL_PART, v.sum, p->total) ||
        (double)(v.longest - v.shortest) > threshold(TH_STALL_ALIKE) * (double)v.longest) {
        return false;
    }
    text_say(&d->text, c->tr, " But ", (uint64_t)v.n, " of these waits are ",
             t_share((double)v.sum, (double)p->total), " of that time, ", t_dur(v.shortest), " to ", t_dur(v.longest),
             ", all about equally long: it seems to stall until a timeout (inferred).");
    if (reads_at(c, v.mid)) {
        text_lit(&d->next, "Find out why the other side reads nothing at all then.");
        return true;
    }
    text_lit(&d->text, " No goroutine waits to read from the network meanwhile: if the other side answers while this "
                       "side writes, its answers fill the connection and it stops reading.");
    text_lit(&d->next, "Read the answers while you write, in a separate goroutine, or write in portions and read "
                       "their answers in between.");
    return true;
}
