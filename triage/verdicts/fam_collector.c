/*
 * fam_collector.c - the collector: what it takes, who allocates, whether it has room, and a heap that grows.
 *
 * Who allocates most is told by the evidence of allocs.h. None of it counts bytes, so the place is inferred,
 * and said only where it is clear.
 */
#include "triage/findings/thresholds.h"
#include "triage/tables/allocs.h"
#include "triage/verdicts/verdict.h"

enum { LOOKED = 20000 };

struct site allocates_most(const struct causes *c, const struct works *w)
{
    struct allocs a;
    struct site p = {0};
    if (allocs_of(c->tr, &a)) {
        p = a.clear ? verdict_place(w, a.row[0].stack) : p;
        allocs_free(&a);
    }
    return p;
}

/* By how much of what survives the heap grows until the next collection, on average over the cycles; < 0 not
 * known. */
static double room_of(const struct causes *c)
{
    const struct range *r;
    const size_t n = trace_ranges(c->tr, RANGE_GC, &r);
    double sum = 0, times = 0;
    for (size_t i = 0; i + 1 < n && i < LOOKED; i++) {
        uint64_t least, most;
        if (!r[i].open_end && trace_minmax(c->tr, METRIC_HEAP, r[i].t1, r[i + 1].t0, &least, &most) &&
            least) {
            sum += (double)most / (double)least - 1;
            times++;
        }
    }
    return times > 0 ? sum / times : -1;
}

enum { ASKERS = 8 };

/* One function asks for so many of them. took: the collector's share of the processor time, where most
 * collections were asked for; else 0. */
static bool forced_by(const struct works *w, uint32_t stack, double count, double took, struct verdicts *out)
{
    struct verdict v = verdict_new(RULE_FORCED, 0, verdict_place(w, stack));
    verdict_ev(&v, EV_COUNT, count);
    verdict_in_works(w, &v, 1u << EX_GC);
    verdict_ev(&v, EV_SHARE, v.harm.share);
    if (took > v.harm.share)
        v.harm = (struct harm){.work = NO_LANE, .of_work = NO_LANE, .share = took};
    v.score = v.harm.share;
    v.level = v.harm.share >= threshold(TH_SHARE) && count >= 4 ? LEVEL_WARN : LEVEL_NOTE;
    return count < 2 || v.harm.share < threshold(TH_NOTED) || verdict_add(out, &v);
}

static bool forced(struct causes *c, const struct works *w, double took, struct verdicts *out)
{
    const struct range *r;
    const size_t n = trace_ranges(c->tr, RANGE_GC, &r);
    uint32_t user[ASKERS] = {0}, stack[ASKERS] = {0}, found = 0;
    double count[ASKERS] = {0};
    for (size_t i = 0; i < n && i < LOOKED; i++) {
        const uint32_t at = gc_begun_at(c->tr, &r[i]);
        const struct site p = verdict_place(w, at);
        const uint32_t k = find_first(j, found, user[j] == p.user);
        if (p.user && k < ASKERS && stacks_may(c->tr, at, STACK_COLLECTS)) {
            found += k == found;
            user[k] = p.user;
            stack[k] = at;
            count[k]++;
        }
    }
    bool ok = true;
    for (uint32_t k = 0; ok && k < found; k++)
        ok = forced_by(w, stack[k], count[k], took, out);
    return ok;
}

/* Were most collections asked for? */
static bool mostly_forced(const struct causes *c)
{
    const struct range *r;
    const size_t n = trace_ranges(c->tr, RANGE_GC, &r);
    return 2 * (size_t)sum_over(k, r, n < LOOKED ? n : LOOKED, stacks_may(c->tr, k->stack, STACK_COLLECTS)) >
           n;
}

/* Whether what survives a collection has grown much. *on: in the last half of the trace, too. */
static bool heap_grows(const struct causes *c, bool *on)
{
    const struct heap_stat *h = &c->tg->heap;
    const double first = (double)h->low_first, last = (double)h->low_last;
    const int64_t end = c->tg->end;
    uint64_t least, most;
    *on = trace_minmax(c->tr, METRIC_HEAP, end / 2, end - end / 4, &least, &most) &&
          last >= (1 + threshold(TH_SHARE)) * (double)least;
    return h->known && (double)c->tg->gc_cycles >= threshold(TH_HEAP_CYCLES) && h->low_first &&
           last >= threshold(TH_DOUBLE) * first && last - first >= threshold(TH_HEAP_GROWN);
}

/* A verdict about the heap. share: what the collector takes of the processor time in use; 0: little. */
static struct verdict of_heap(const struct causes *c, const struct works *w, enum rule rule, double share)
{
    struct verdict v = verdict_new(rule, share, allocates_most(c, w));
    v.lane = LANE_BAND;
    v.g = BAND_GC;
    v.t1 = c->tg->end;
    v.grows = rule == RULE_HEAP;
    v.sure = v.where.user || !v.grows ? SURE_INFERRED : SURE_RECORDED;
    verdict_ev(&v, EV_COUNT, (double)c->tg->gc_cycles);
    if (v.grows) {
        verdict_ev(&v, EV_BEFORE, (double)c->tg->heap.low_first);
        verdict_ev(&v, EV_AFTER, (double)c->tg->heap.low_last);
    }
    return v;
}

bool fam_collector(struct causes *c, const struct works *w, struct verdicts *out)
{
    const struct triage *tg = c->tg;
    const int64_t worked =
        ns_add(tg->p_sum.ns[ST_GCWORK], ns_add(tg->p_sum.ns[ST_ASSIST], tg->p_sum.ns[ST_SWEEP])) -
        tg->label_ns[GC_IDLE];
    int64_t used = 0;
    for (int s = ST_RUNNING; s <= ST_SYSCALL; s++)
        used = ns_add(used, tg->p_sum.ns[s]);
    const double share = used > 0 && worked > 0 ? (double)worked / (double)used : 0;
    const bool few = share < threshold(TH_GC_NOTED), asked = few || mostly_forced(c);
    const double room = asked ? -1 : room_of(c);
    const bool narrow = room >= 0 && room < threshold(TH_GC_ROOM);
    bool on;
    const bool grows = heap_grows(c, &on), full = grows && on && narrow; /* up to its limit */
    struct verdict v;
    if (grows && !full) {
        v = of_heap(c, w, RULE_HEAP, 0);
        v.clock = ns_share(worked, tg->capacity); /* what the growth costs so far */
        if (!verdict_add(out, &v))
            return false;
    }
    if (asked)
        return forced(c, w, few ? 0 : share, out);
    v = of_heap(c, w, full ? RULE_HEAP : narrow ? RULE_GC_SETTING : RULE_GC_SHARE, share);
    verdict_in_works(w, &v, 1u << EX_ASSIST | 1u << EX_GC);
    v.clock = ns_share(worked, tg->capacity);
    v.score = v.harm.of_work == NO_LANE ? v.clock : v.harm.share;
    verdict_ev(&v, EV_SHARE, share);
    verdict_ev(&v, EV_ROOM, room > 0 ? room : 0);
    v.level = v.clock < threshold(TH_SHARE) || v.harm.share < threshold(TH_GC_SHARE) ? LEVEL_NOTE
              : share >= threshold(TH_SEVERE)                                        ? LEVEL_SEVERE
                                                                                     : LEVEL_WARN;
    return verdict_add(out, &v) && forced(c, w, 0, out);
}
