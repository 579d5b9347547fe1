/*
 * fam_stall.c - a program that went on by itself and does not any more: one that kept its own pace (it slept,
 * again and again, and waited for others for little) has waited for others since a moment, to the end of the
 * trace, and from that moment on nothing of the program ran but what timers wake.
 *
 * Who is idle is told from that: goroutines came or ended at that moment (who had brought the work), or
 * somebody sleeps since then (who will bring more).
 */
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"
#include "triage/verdicts/verdict.h"

enum { MOST = 4096, STEPS = 8192, BACK = 64 };

/* The span with which a goroutine's part of the trace ends. */
static bool last_of(const struct causes *c, uint32_t g, struct span_iter *it)
{
    return span_seek_at(it, c->tr, (struct lane){LANE_G, g}, c->tg->end - 1);
}

struct pace { /* of one goroutine, before its last wait */
    uint32_t sleeps, waits;
    int64_t slept, waited, longest; /* longest: wait for others */
};

static struct pace pace_of(const struct causes *c, const struct stand *last)
{
    struct pace k = {0};
    struct walk w;
    walk_g(&w, c->tr, last->g, STEPS);
    for (const struct span *s; (s = walk_next(&w)) && s->t0 < last->since;) {
        const int64_t ns = s->t1 - s->t0;
        if (s->state != ST_WAITING)
            continue;
        if (stacks_wait_kind(c->tr, s->reason, s->stack) == WK_SLEEP) {
            k.sleeps++;
            k.slept = ns_add(k.slept, ns);
        } else {
            k.waits++;
            k.waited = ns_add(k.waited, ns);
            k.longest = s->stack && ns > k.longest ? ns : k.longest;
        }
    }
    return k;
}

/* Has it kept its own pace, and waits now for others, for much longer than it ever did? */
static bool stands(const struct causes *c, const struct stand *s)
{
    const int64_t ns = c->tg->end - s->since;
    if (!gstat_waits(c->tg, s->g, threshold(TH_MANY)) ||
        !(wait_passes_on((enum wait_kind)s->kind) || s->kind == WK_LOCK) ||
        !threshold_reached(TH_STUCK_PART, ns, c->tg->end))
        return false;
    const struct pace k = pace_of(c, s);
    return k.sleeps >= threshold(TH_MANY) && k.waits >= threshold(TH_MANY) && k.slept > k.waited &&
           (double)ns >= threshold(TH_LEAK_AGAIN) * (double)k.longest;
}

/* Does something but a timer let it go on in [t0,t1)? */
static bool goes_on(const struct causes *c, struct span_iter *it, int64_t t0, int64_t t1)
{
    bool is = false, more = true;
    for (int i = 0; i < BACK && more && !is && span_get(it)->t1 > t0; i++, more = span_prev(it)) {
        const struct span *s = span_get(it);
        is = (s->state == ST_RUNNABLE && s->t0 > t0 && s->t0 < t1 && !verdict_by_timer(c->tr, s->who)) ||
             (s->state == ST_WAITING && s->t1 < t1 && s->t1 > t0 &&
              stacks_wait_kind(c->tr, s->reason, s->stack) == WK_NET);
    }
    return is;
}

/*
 * From t on: does nothing of the program come, end or run but what timers wake, and nobody sleep since? What
 * ends the trace does not count. *n: so many others that had gone on before wait since about then; *other:
 * one of them that waits for a goroutine, too.
 */
static bool still(const struct causes *c, const struct works *w, int64_t t, uint32_t self, uint32_t *n,
                  uint32_t *other)
{
    const int64_t part = (int64_t)(threshold(TH_NOTED) * (double)(c->tg->end - t)), about = t - part;
    for (uint32_t g = 0; g < c->tg->ng && slices_tick(); g++) {
        const struct lane_info li = trace_lane(c->tr, (struct lane){LANE_G, g});
        struct span_iter it = {.tr = NULL};
        if (li.is_system)
            continue;
        if ((li.ended && li.last >= about && li.last < c->tg->end - part) ||
            (li.created && li.first >= about))
            return false;
        const struct stand *s = stand_of(w, g);
        if (s && s->since < t && s->kind == WK_SLEEP)
            return false;
        const bool since = s && s->since >= about && s->since <= t && gstat_waits(c->tg, g, 2);
        const bool inside = since && wait_passes_on((enum wait_kind)s->kind);
        *n += since && g != self;
        *other = *other == NO_LANE && inside && g != self ? g : *other;
        if (!li.ended && last_of(c, g, &it) && goes_on(c, &it, t, c->tg->end - part))
            return false;
    }
    return true;
}

bool fam_stall(struct causes *c, const struct works *w, struct verdicts *out)
{
    uint32_t i = 0, other = NO_LANE, n = 0;
    if (c->tg->ng > MOST)
        return true;
    while (i < w->nstands && slices_tick() && !stands(c, &w->stand[i]))
        i++;
    if (i == w->nstands || !still(c, w, w->stand[i].since, w->stand[i].g, &n, &other))
        return true;
    struct verdict v = verdict_standing(c, w, RULE_STALL, &w->stand[i], n);
    const struct stand *s = other != NO_LANE ? stand_of(w, other) : NULL;
    if (s)
        v.holder = (struct role){trace_g_name(c->tr, other), other, verdict_place(w, s->stack), 0};
    v.sure = SURE_INFERRED;
    return verdict_add(out, &v);
}
