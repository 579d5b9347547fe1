/*
 * rules_unheeded.c - a context's time limit is up, and nobody takes notice: the goroutine that the timer begins for it wakes nobody, and
 * those that ran before run on as before. Who looks at its context (Err, Done) now and then would end soon; whose limit it was no
 * trace tells, so this is a note, with an if.
 */
#include "triage/findings/causes.h"
#include "triage/findings/thresholds.h"

#define LIMIT "context.WithDeadline" /* the function that the timer calls begins so */
#define MEMBERS 64                   /* of a group, looked at */

/* The first limit that is up, where there are few of them and none wakes anybody. NO_TIME: none. */
static int64_t unheeded_at(const struct causes *c, uint32_t *g)
{
    const struct triage *tg = c->tg;
    int64_t at = NO_TIME;
    uint32_t n = 0;
    for (uint32_t i = 0; i < tg->ngroups; i++) {
        n += str_starts(trace_str(c->tr, tg->groups[i].name), LIMIT) ? c->of[i].n : 0;
        for (uint32_t k = 0; k < c->of[i].n && n && n <= (uint32_t)threshold(TH_LEFT_LIMITS) &&
                             str_starts(trace_str(c->tr, tg->groups[i].name), LIMIT);
             k++) {
            const uint32_t m = causes_nth(c, i, k);
            const struct lane_info li = trace_lane(c->tr, (struct lane){LANE_G, m});
            if (li.created && (at == NO_TIME || li.first < at)) {
                at = li.first;
                *g = m;
            }
        }
    }
    for (uint32_t i = 0; i < tg->npairs; i++) {
        if (str_starts(trace_str(c->tr, tg->pairs[i].waker), LIMIT)) {
            return NO_TIME;
        }
    }
    return n <= (uint32_t)threshold(TH_LEFT_LIMITS) ? at : NO_TIME;
}

struct runs {             /* of a group's goroutines that were there before */
    double before, after; /* on average */
    int64_t last;         /* the last of them ends */
};

static struct runs runs_of(const struct causes *c, uint32_t group, int64_t t)
{
    const int64_t end = c->tg->end;
    const uint32_t n = c->of[group].n < MEMBERS ? c->of[group].n : MEMBERS;
    struct runs r = {0};
    for (uint32_t i = 0; i < n; i++) {
        const struct lane l = {LANE_G, causes_member(c, group, i, MEMBERS)};
        const struct lane_info li = trace_lane(c->tr, l);
        struct shares a, b;
        if (li.first < t) {
            trace_shares(c->tr, l, 0, t, &a);
            trace_shares(c->tr, l, t, end, &b);
            r.before += (double)a.ns[ST_RUNNING];
            r.after += (double)b.ns[ST_RUNNING];
            r.last = li.last > r.last ? li.last : r.last;
        }
    }
    return r;
}

void rules_unheeded(struct causes *c)
{
    uint32_t limit = NO_LANE, best = UINT32_MAX;
    const int64_t t = unheeded_at(c, &limit), end = c->tg->end;
    struct runs most = {0};
    struct draft d;
    if (t == NO_TIME || t <= end / 50 || !threshold_reached(TH_LEFT_ON, end - t, end)) {
        return;
    }
    for (uint32_t i = 0; i < c->tg->ngroups; i++) {
        const struct runs r = c->life[i].program ? runs_of(c, i, t) : (struct runs){0};
        if (r.after > most.after) {
            most = r;
            best = i;
        }
    }
    const double before = most.before / (double)t, after = most.after / (double)(most.last > t ? most.last - t : 1);
    if (best == UINT32_MAX || !threshold_reached(TH_LEFT_ON, most.last - t, end) || after < before / 2 ||
        after < threshold(TH_LEFT_RUNS) * c->procs) {
        return;
    }
    draft_start(&d, RULE_LEFT, 0);
    draft_subject(&d, c->rs, c->tg->groups[best].name);
    draft_at(&d, t, most.last, LANE_G, limit);
    d.f.note = true;
    d.f.inferred = true;
    text_dur(&d.amount, most.last - t);
    text_say(&d.text, c->tr, "A context expired at ", t_dur(t), ", and that woke nobody. Goroutines of ",
             t_func(c->tg->groups[best].name), " that existed by then went on for ", t_dur(most.last - t),
             ": they ran ", t_f1(before), " at a time before and ", t_f1(after),
             " after it. Whose context it was is not recorded; if it was theirs, they don't check it (inferred).");
    text_lit(&d.next, "Check the context between two pieces of work (ctx.Err(), or ctx.Done() in each select that "
                      "sends or receives), and stop there.");
    draft_titled(c->rs, &d, "goes on after its context expired");
}
