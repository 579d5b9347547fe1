/*
 * rules_churn.c - goroutines that come and go, each for a moment: what beginning them takes, and who begins them again
 * and again.
 */
#include "triage/findings/rules.h"
#include "triage/findings/thresholds.h"

#include "decode/base/mem.h"

#define BEGINS 1000.0 /* ns that beginning and ending a goroutine takes, about */

enum { SAMPLE = 64 }; /* of a group, so many are looked at */

/* Do timers begin a group's goroutines (time.AfterFunc)? */
static bool begun_by_timers(const struct rules *rs, uint32_t group)
{
    uint32_t seen = 0, timed = 0;
    for (uint32_t g = 0; seen < 16 && (g = gstats_next(rs->tg->g, g, group)) != NO_LANE; g++) {
        const struct lane_info li = trace_lane(rs->tr, (struct lane){LANE_G, g});
        seen += li.created;
        timed += tri_by_timer(rs->tr, (struct lane){LANE_G, g}, &li);
    }
    return timed > 0 && timed == seen;
}

/* Of a group's goroutines, how many begin in each quarter of the trace: of so many looked at. */
static void begun_in_quarters(const struct rules *rs, uint32_t group, uint32_t quarter[4])
{
    enum { ASKED = 8192 };
    const uint32_t step = rs->tg->ng / ASKED + 1;
    for (uint32_t g = 0; g < rs->tg->ng; g += step) {
        if (gstat_group(rs->tg->g, g) == group) {
            const struct lane_info li = trace_lane(rs->tr, (struct lane){LANE_G, g});
            const int64_t q = li.created ? li.first / (rs->tg->end / 4 + 1) : -1;
            quarter[q < 0 ? 0 : q > 3 ? 3 : q] += q >= 0;
        }
    }
}

/* Timers that begin more and more of them: nobody stops those that are no longer needed. */
static bool timers_pile_up(struct draft *d, const struct rules *rs, uint32_t group, double rate)
{
    uint32_t q[4] = {0};
    begun_in_quarters(rs, group, q);
    const double all = q[0] + q[1] + q[2] + q[3];
    if (!(q[0] < q[1] && q[1] < q[2] && q[2] < q[3]) || q[3] < threshold(TH_CHURN_GROWS) * q[0] || all < 16) {
        return false;
    }
    text_say(&d->text, rs->tr, " They become more: ", t_f0(4 * rate * q[0] / all),
             " a second in the first quarter of the trace, ", t_f0(4 * rate * q[3] / all), " in the last.");
    text_lit(&d->next, "Stop each timer when its purpose is over, and don't let it rearm itself: they add up. One "
                       "timer per thing with Reset is enough, or one goroutine that handles all deadlines.");
    return true;
}

/* Of a group, those that came and went: without the few that stay, each of which would count for thousands of them. */
struct brief {
    uint32_t n, stay; /* stay: at most SAMPLE of them are looked for */
    int64_t ran, queued, waited;
};

/* Who waited so long in all stays. */
static int64_t stays_from(void)
{
    return 10 * threshold_ns(TH_CHURN_WAITED);
}

/* May so many that came and went be churn, whatever they ran? */
static bool many_enough(const struct rules *rs, uint32_t n)
{
    return n > 0 && (double)n >= threshold(TH_CHURN_COUNT) &&
           (double)n / ((double)rs->tg->end / 1e9) >= threshold(TH_CHURN_RATE);
}

static struct brief brief_of(const struct rules *rs, const struct group *g)
{
    const uint32_t came = g->created < g->ended ? g->created : g->ended;
    return (struct brief){.n = g->is_system || !many_enough(rs, came) ? 0 : came,
                          .ran = g->d[GM_EXEC].total,
                          .queued = g->d[GM_SCHED].total,
                          .waited = g->d[GM_WAIT].total};
}

/* All groups, the caller's; n is 0 where it is no churn by its number alone. One walk over all who wait for long. NULL: out of memory. */
static struct brief *briefs(const struct rules *rs)
{
    const struct triage *tg = rs->tg;
    struct brief *all = mem_zalloc(((size_t)tg->ngroups + 1) * sizeof *all);
    bool any = false;
    for (uint32_t i = 0; all && i < tg->ngroups; i++) {
        all[i] = brief_of(rs, &tg->groups[i]);
        any |= all[i].n > 0;
    }
    for (uint32_t i = 0; any && (i = gstats_next_with(tg->g, i, GM_WAIT, stays_from())) != NO_LANE; i++) {
        struct brief *b = &all[gstat_group(tg->g, i)];
        if (b->n && b->stay < SAMPLE) {
            struct lifetime l;
            trace_lives(rs->tr, LANE_G, i, 1, &l);
            b->stay++;
            b->n -= l.over;
            b->ran -= gstat_ns(tg->g, i, GM_EXEC);
            b->queued -= gstat_ns(tg->g, i, GM_SCHED);
            b->waited -= gstat_ns(tg->g, i, GM_WAIT);
        }
    }
    return all;
}

/* again_by - who begins the next one when the last is over. NO_LANE: nobody does, of one in ten or more. */
static uint32_t again_by(const struct rules *rs, uint32_t group)
{
    struct lane_info last = {.creator = NO_LANE};
    uint32_t seen = 0, again = 0;
    for (uint32_t g = rs->tg->groups[group].first_member; seen < SAMPLE; g++) {
        g = gstats_next(rs->tg->g, g, group);
        if (g == NO_LANE) {
            break;
        }
        const struct lane_info li = trace_lane(rs->tr, (struct lane){LANE_G, g});
        if (li.created && gstat_ns(rs->tg->g, g, GM_WAIT) < threshold_ns(TH_CHURN_WAITED)) {
            seen++;
            again += li.creator != NO_LANE && li.creator == last.creator && li.first >= last.last;
            last = li;
        }
    }
    return seen == SAMPLE && again >= SAMPLE * 9 / 10 ? last.creator : NO_LANE;
}

static void churn_next(struct draft *d, const struct rules *rs, uint32_t group, const struct brief *b)
{
    const uint32_t by = b->stay ? again_by(rs, group) : NO_LANE;
    if (begun_by_timers(rs, group)) {
        text_lit(&d->text, " Timers start them (time.AfterFunc, a timer each), not goroutines.");
        d->f.for_good = timers_pile_up(d, rs, group, (double)b->n / ((double)rs->tg->end / 1e9));
        if (!d->f.for_good) {
            text_lit(&d->next, "Keep one timer per thing and Reset it, Stop what is no longer needed, or let one "
                               "goroutine handle all deadlines.");
        }
    } else if (by != NO_LANE) {
        text_say(&d->text, rs->tr, " ", t_who(by), " starts the next one as soon as the last has ended, while ",
                 b->stay, b->stay == SAMPLE ? " or more" : "", " of the same function stay for ", t_dur(stays_from()),
                 " or more: these end at once and are restarted (inferred).");
        text_lit(&d->next,
                 "Find out why they end at once (an unreported error?), and back off before restarting one.");
    } else {
        text_lit(&d->next, "Starting one costs about as much as the work it does: do the work in place, or in "
                           "batches by a few workers.");
    }
}

static void churn(struct rules *rs, uint32_t group, const struct brief *b)
{
    const struct triage *tg = rs->tg;
    const struct group *g = &tg->groups[group];
    const double n = (double)b->n;
    const int64_t took = ns_add(b->ran, (int64_t)(BEGINS * n)), severity = took / rules_procs(rs);
    struct draft d;
    draft_start(&d, RULE_CHURN, severity < tg->end ? severity : tg->end);
    draft_subject(&d, rs, g->name);
    draft_at(&d, 0, tg->end, LANE_G, g->first_member);
    text_add(&d.amount, "%u", b->n);
    text_say(&d.text, rs->tr, b->n, " goroutines of ", t_func_cut(g->name, 60), " came and went (",
             t_f0(n / ((double)tg->end / 1e9)), " a second) and ran ", t_dur(b->ran / b->n),
             " each on average, after waiting ", t_dur(b->queued / b->n), " for a processor.");
    churn_next(&d, rs, group, b);
    draft_end(rs, &d);
}

void rules_churn(struct rules *rs)
{
    struct brief *all = briefs(rs);
    rs->failed |= !all;
    for (uint32_t i = 0; all && i < rs->tg->ngroups; i++) {
        const struct brief *b = &all[i];
        const double n = (double)b->n;
        if (many_enough(rs, b->n) && (double)b->ran <= n * threshold(TH_CHURN_RUN) &&
            (double)b->waited <= n * threshold(TH_CHURN_WAITED)) { /* what waits longer can't be done in place */
            churn(rs, i, b);
        }
    }
    mem_free(all);
}
