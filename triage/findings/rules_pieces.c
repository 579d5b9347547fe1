/*
 * rules_pieces.c - a question written in pieces, and answers that take as long as the system puts off acknowledging: the second piece is
 * held back until the first one is acknowledged (Nagle's algorithm), which the other side does late, as it has nothing to say yet.
 *
 * Neither is recorded. What is: two writes or more before each wait, and waits that are all about as long as that delay.
 */
#include "triage/findings/causes.h"
#include "triage/findings/asks.h"
#include "triage/findings/waits_at.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"

#define WALKED 16   /* goroutines of a group */
#define STEPS 20000 /* spans of each */

/* By what systems put off acknowledging: Linux 40 ms, others 200 ms; and not much longer, for the answer itself. */
static const int64_t delays[] = {40000000, 200000000};
#define DELAYS (sizeof delays / sizeof *delays)

struct pieces { /* waits at one place */
    uint64_t n, twice, like[DELAYS];
};

static void walk(const struct causes *c, uint32_t g, uint32_t place, struct pieces *v)
{
    struct walk w;
    uint32_t known = 0, at = 0, writes = 0;
    bool sends = false, here = false;
    walk_g(&w, c->tr, g, STEPS);
    for (const struct span *s; (s = walk_next(&w));) {
        writes = s->state == ST_NONE ? 0 : writes;
        if (s->state == ST_SYSCALL && s->stack) {
            sends = s->stack == known ? sends : causes_sends(c->tr, s->stack);
            known = s->stack;
            writes += sends;
        } else if (s->state == ST_WAITING && stacks_wait_kind(c->tr, s->reason, s->stack) == WK_NET) {
            here = s->stack == at ? here : causes_place(c->tr, s->stack) == place;
            at = s->stack;
            const double ns = (double)(s->t1 - s->t0);
            v->n += here;
            v->twice += here && writes > 1;
            for (size_t k = 0; here && writes > 1 && k < DELAYS; k++) {
                v->like[k] += ns >= (1 - threshold(TH_PIECES_LESS)) * (double)delays[k] &&
                              ns <= (1 + threshold(TH_PIECES_MORE)) * (double)delays[k];
            }
            writes = 0;
        }
    }
}

bool pieces_finding(struct causes *c, const struct waits_at *p, double share)
{
    const uint32_t group = gstat_group(c->tg->g, p->most->longest.g);
    struct pieces v = {0};
    struct draft d;
    size_t k = 0;
    if (p->most->kind != WK_NET || p->total / (int64_t)p->count < delays[0] / 2) {
        return false;
    }
    for (uint32_t i = 0; i < c->of[group].n && i < WALKED; i++) {
        walk(c, causes_member(c, group, i, WALKED), p->place, &v);
    }
    for (size_t i = 1; i < DELAYS; i++) {
        k = v.like[i] > v.like[k] ? i : k;
    }
    if ((double)v.like[k] < threshold(TH_PIECES_WAITS) ||
        (double)v.like[k] < threshold(TH_PIECES_PART) * (double)v.n) {
        return false;
    }
    draft_start(&d, RULE_PIECES, (int64_t)((double)c->tg->end * share));
    draft_about(&d, c->rs, p->place, p->most->stack);
    draft_moment(&d, &p->most->longest);
    d.f.inferred = true;
    text_dur(&d.amount, p->total / (int64_t)p->count);
    waits_at_text(&d.text, c, p);
    text_say(&d.text, c->tr, ": waits for an answer over the network, ", p->count, " waits of ",
             t_dur(p->total / (int64_t)p->count), " on average, and writes twice or more before each: ", v.like[k],
             " of ", v.n, " waits examined last ", t_dur(delays[k]),
             " or a little more, which is how long systems delay acknowledgements. The second write seems to be held "
             "back until the first is acknowledged (Nagle's algorithm; inferred). ",
             t_f1((double)p->total / (double)c->tg->end), " goroutines wait there at any time while ",
             t_f1(c->running), " run.");
    text_lit(&d.next, "Write each request in one call (a bufio.Writer, flushed once before waiting), or leave "
                      "TCP_NODELAY on, as Go does unless SetNoDelay(false) is called.");
    draft_end(c->rs, &d);
    return true;
}
