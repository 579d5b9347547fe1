/*
 * rules_again.c - a few goroutines of many ask the same over the network again and again, thousands of times, each question at once
 * behind the answer to the one before, where their siblings ask a handful of times.
 *
 * Whether they try again what failed, without a pause, or have so much more to ask, a trace does not tell: a note.
 */
#include "triage/findings/causes.h"
#include "triage/findings/asks.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"

#include <stdlib.h>

#include "decode/base/mem.h"

#define STEPS 20000  /* spans looked at */
#define MEMBERS 1024 /* goroutines of a start function, at most */

struct row { /* of questions of one goroutine */
    uint64_t n, sent;
    uint32_t stack;
    int64_t t0, t1, waited;
};

/* The longest row of waits for the network at one place, nothing else waited for between. */
static struct row row_of(const struct causes *c, uint32_t g)
{
    struct row now = {0}, best = {0};
    struct walk w;
    bool sent = false;
    walk_g(&w, c->tr, g, STEPS);
    for (const struct span *s; (s = walk_next(&w));) {
        if (s->state == ST_SYSCALL) {
            sent |= s->stack && causes_sends(c->tr, s->stack);
        } else if (s->state == ST_WAITING) {
            const bool net = stacks_wait_kind(c->tr, s->reason, s->stack) == WK_NET;
            if (!net ||
                (now.n && s->stack != now.stack && causes_place(c->tr, s->stack) != causes_place(c->tr, now.stack))) {
                now = (struct row){0};
            }
            if (net) {
                now.t0 = now.n ? now.t0 : s->t0;
                now.n++;
                now.sent += sent;
                now.stack = s->stack;
                now.t1 = s->t1;
                now.waited = ns_add(now.waited, s->t1 - s->t0);
                best = now.n > best.n ? now : best;
            }
            sent = false;
        }
    }
    return best;
}

static int cmp_count(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void again_finding(struct causes *c, uint32_t group, uint32_t g, const struct row *r, uint32_t many,
                          uint32_t of, uint64_t usual)
{
    struct draft d;
    draft_start(&d, RULE_SERIAL_CALLS, 0);
    d.f.note = true;
    draft_about(&d, c->rs, causes_place(c->tr, r->stack), r->stack);
    draft_at(&d, r->t0, r->t1, LANE_G, g);
    text_add(&d.amount, "%.0f/s", (double)r->n / (double)(r->t1 - r->t0) * 1e9);
    text_say(&d.text, c->tr, t_place(r->stack, 4), ": ", t_who(g),
             " asks again and again: it waits for the network at least ", r->n, " times in a row, ",
             t_dur(r->waited / (int64_t)r->n), " each, ", t_f0((double)r->n / (double)(r->t1 - r->t0) * 1e9),
             " times a second, and for nothing else in between. Of ", of, " goroutines of ",
             t_func(c->tg->groups[group].name), " that were there then ", many, " wait", many == 1 ? "s" : "", " ",
             t_f0(threshold(TH_AGAIN_TIMES)), " times as often as the median of them or more, which is ", usual,
             " times or less in all.");
    text_lit(&d.next, "If it retries what failed, pause before each retry, longer each time, and give up eventually. "
                      "If each call asks for something else, ask for many at once.");
    draft_end(c->rs, &d);
}

/* How often those of a group waited that were there at any time of that row, in order: others were at something else. */
static uint32_t beside(struct causes *c, uint32_t group, const struct row *r, uint64_t *waits)
{
    uint32_t k = 0;
    for (uint32_t i = 0; i < c->of[group].n; i++) {
        const uint32_t g = causes_nth(c, group, i);
        const struct lane_info li = trace_lane(c->tr, (struct lane){LANE_G, g});
        const int64_t from = li.first > r->t0 ? li.first : r->t0, to = li.last < r->t1 ? li.last : r->t1;
        if (from < to) {
            waits[k++] = gstat_waits(c->tg->g, g);
        }
    }
    qsort(waits, k, sizeof *waits, cmp_count);
    return k;
}

static void of_group(struct causes *c, uint32_t group)
{
    uint32_t most = causes_nth(c, group, 0), many = 0;
    for (uint32_t i = 1; i < c->of[group].n; i++) {
        const uint32_t g = causes_nth(c, group, i);
        most = gstat_waits(c->tg->g, g) > gstat_waits(c->tg->g, most) ? g : most;
    }
    if ((double)gstat_waits(c->tg->g, most) < threshold(TH_AGAIN_ROW)) {
        return;
    }
    const struct row r = row_of(c, most);
    uint64_t *waits = mem_alloc(c->of[group].n * sizeof *waits);
    c->rs->failed |= !waits;
    const uint32_t n = waits ? beside(c, group, &r, waits) : 0;
    const uint64_t usual = n ? waits[n / 2] : 0;
    for (uint32_t i = 0; i < n; i++) {
        many += (double)waits[i] >= threshold(TH_AGAIN_TIMES) * (double)(usual ? usual : 1);
    }
    mem_free(waits);
    if (n >= 3 && many && many * 2 < n && (double)r.n >= threshold(TH_AGAIN_ROW) && r.sent * 2 > r.n && r.t1 > r.t0 &&
        causes_place(c->tr, r.stack) && (double)r.n / (double)(r.t1 - r.t0) * 1e9 >= threshold(TH_AGAIN_RATE) &&
        !causes_told_at(c, RULE_SERIAL_CALLS, causes_place(c->tr, r.stack))) {
        again_finding(c, group, most, &r, many, n, usual);
    }
}

void rules_again(struct causes *c)
{
    for (uint32_t i = 0; i < c->tg->ngroups; i++) {
        if (c->life[i].program && c->life[i].by[WK_NET] > 0 && c->of[i].n >= 3 && c->of[i].n <= MEMBERS) {
            of_group(c, i);
        }
    }
}
