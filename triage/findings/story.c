/* story.c - see story.h. */
#include "triage/findings/story.h"

#include <string.h>

#include "triage/findings/retell.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/under.h"

bool story_has(const struct rules *rs, enum rule r)
{
    for (uint32_t i = 0; i < rs->out->n; i++) {
        if (rs->out->f[i].rule == r) {
            return true;
        }
    }
    return false;
}

bool story_gc_stop(const struct finding *f)
{
    const char *k = strchr(f->key, ':');
    return f->rule == RULE_STW && k && (strncmp(k + 1, "GC ", 3) == 0 || k[1] == 0);
}

/* Stops that take so much are a finding, unless the collector is told for its work. */
bool story_many_gc_stops(const struct rules *rs, const struct finding *f)
{
    return story_gc_stop(f) && (double)rs->tg->gc_cycles >= threshold(TH_GCA_CYCLES) &&
           threshold_reached(TH_STW_GC, f->severity_ns, rs->tg->end) && !story_has(rs, RULE_GC_SHARE) &&
           !story_has(rs, RULE_GC_ASSIST) && !story_has(rs, RULE_FORCED);
}

bool story_is_sign_rule(enum rule r)
{
    return r == RULE_SCHED || r == RULE_IDLE || r == RULE_MMU;
}

/* Where the host takes the processors, a stop lasts until the thread that it took is back; nobody is named that runs on. */
static bool host_stops(const struct rules *rs, const struct finding *f)
{
    return story_has(rs, RULE_HOST) && !f->inferred && rs->tg->stw_gc.n &&
           f->severity_ns / (int64_t)rs->tg->stw_gc.n >= threshold_ns(TH_STW_LONGEST);
}

bool story_is_sign(const struct rules *rs, const struct finding *f)
{
    return story_is_sign_rule(f->rule) || (f->rule == RULE_GC_ASSIST && story_has(rs, RULE_GC_SHARE)) ||
           (story_gc_stop(f) && (!story_many_gc_stops(rs, f) || host_stops(rs, f)));
}

/* What the signs are signs of: the finding that costs most; if none does, the host. */
struct finding *story_worst(const struct rules *rs)
{
    struct finding *w = NULL;
    for (uint32_t i = 0; i < rs->out->n; i++) {
        struct finding *f = &rs->out->f[i];
        bool tells = (!f->note && f->severity_ns > 0 && !story_is_sign(rs, f)) || f->rule == RULE_HOST ||
                     f->rule == RULE_BLOCKING || f->rule == RULE_PROCS_BELOW;
        if (tells && (!w || f->note < w->note || (f->note == w->note && f->severity_ns > w->severity_ns))) {
            w = f;
        }
    }
    return w;
}

/* May that be about garbage, or keep a stop from its end? Who only waits does neither. */
static bool may_collect(enum rule r)
{
    return r == RULE_GC_SHARE || r == RULE_GC_ASSIST || r == RULE_FORCED || r == RULE_STW || r == RULE_HOST ||
           r == RULE_CHURN || r == RULE_EXPLOSION || r == RULE_GRAIN || r == RULE_CONTEXTS || r == RULE_TREND ||
           r == RULE_FINALIZERS || r == RULE_BUSY_LOOP || r == RULE_STORM || r == RULE_SLOW_TASK;
}

/* Can that be a sign of it? What stands for others outside, or for a clock, makes neither queues nor collections. */
static bool sign_of(const struct rules *rs, const struct finding *worst, const struct finding *f)
{
    if (!worst || !story_is_sign(rs, f)) {
        return false;
    }
    if ((f->rule == RULE_MMU || f->rule == RULE_GC_ASSIST || story_gc_stop(f)) && !may_collect(worst->rule)) {
        return false;
    }
    switch (worst->rule) {
    case RULE_BACKEND: return worst->own_side;
    case RULE_CONNS:
    case RULE_PIECES:
    case RULE_RETRY:
    case RULE_LINGER: return false;
    case RULE_PROCS_BELOW: return f->rule == RULE_SCHED;
    case RULE_SERIAL: return f->rule != RULE_SCHED; /* while one works alone nobody waits for a processor */
    default: return true;
    }
}

static void sign_text(struct text *t, const struct finding *f)
{
    text_add(t, "%s%s %s", t->n ? ", " : " Symptoms: ", f->title, f->amount);
}

bool story_says(const struct rules *rs, const struct finding *f, uint32_t func)
{
    struct text t = {0};
    text_func(&t, rs->tr, func, 0);
    const bool said = t.p && t.n && memmem(f->text, strlen(f->text), t.p, t.n);
    text_free(&t);
    return said;
}

/* Several kinds of goroutines that come and go, none of them a finding: one note. */
static void merge_churn(const struct causes *c)
{
    struct rules *rs = c->rs;
    struct finding *first = NULL;
    struct text more = {0};
    uint32_t kinds = 0;
    for (uint32_t i = 0; i < rs->out->n;) {
        struct finding *f = &rs->out->f[i];
        if (f->rule != RULE_CHURN || !f->note || f->lane.i >= c->tg->ng) {
            i++;
        } else if (!first) {
            first = f;
            i++;
        } else {
            if (kinds++ < 4) {
                text_say(&more, c->tr, kinds == 1 ? " So did those of " : ", ",
                         t_func_cut(c->tg->groups[gstat_group(c->tg->g, f->lane.i)].name, 60), " (", f->amount, ")");
            }
            findings_leave_out(rs->out, i);
        }
    }
    if (kinds) {
        if (kinds > 4) {
            text_add(&more, " and %u more kinds", kinds - 4);
        }
        text_lit(&more, ".");
        retell_behind(rs, first, &more);
    }
    text_free(&more);
}

/* Where the time went is said where no finding says it. */
static void drop_time(struct rules *rs)
{
    bool told = false;
    for (uint32_t i = 0; i < rs->out->n; i++) {
        told |= !rs->out->f[i].note && rs->out->f[i].severity_ns > 0;
    }
    for (uint32_t i = rs->out->n; i-- > 0 && told;) {
        if (rs->out->f[i].rule == RULE_TIME || rs->out->f[i].rule == RULE_FULL || rs->out->f[i].rule == RULE_HOT) {
            findings_leave_out(rs->out, i);
        }
    }
}

/* What one function works at is told behind whatever else costs something: that may be why it works so long. */
static void hot_last(struct rules *rs)
{
    bool other = false;
    for (uint32_t i = 0; i < rs->out->n; i++) {
        const struct finding *f = &rs->out->f[i];
        other |= f->rule != RULE_HOT && f->rule != RULE_TIME && f->severity_ns > 0 && !story_is_sign_rule(f->rule);
    }
    for (uint32_t i = 0; i < rs->out->n && other; i++) {
        struct finding *f = &rs->out->f[i];
        f->severity_ns = f->rule == RULE_HOT ? 0 : f->severity_ns;
    }
}

/* What costs hardly anything is a note; a sign of no cause is one, too. */
static void noted(const struct rules *rs, struct finding *f, bool sign)
{
    f->note |= sign || (!threshold_reached(TH_TIME_FINDING, f->severity_ns, rs->tg->end) && f->rule != RULE_STUCK &&
                        f->rule != RULE_LEAK && !f->for_good);
}

/* Signs of the worst are told in its text, and no more by themselves. Returns what of them the collector's stops cost. */
static int64_t signs_go_under(struct rules *rs, struct finding worst)
{
    struct text signs = {0};
    int64_t gc_stops = 0;
    for (uint32_t i = rs->out->n; i-- > 0;) {
        struct finding *f = &rs->out->f[i];
        if (sign_of(rs, &worst, f)) {
            sign_text(&signs, f);
            gc_stops = story_gc_stop(f) ? ns_add(gc_stops, f->severity_ns) : gc_stops;
        }
    }
    for (uint32_t i = rs->out->n; i-- > 0;) {
        if (sign_of(rs, &worst, &rs->out->f[i])) {
            findings_leave_out(rs->out, i);
        }
    }
    struct finding *first = signs.n ? story_worst(rs) : NULL;
    if (first) {
        text_lit(&signs, ".");
        retell_behind(rs, first, &signs);
    }
    text_free(&signs);
    return gc_stops;
}

/* Those that are left are notes; small ones, and queues for a processor beside a cause that makes none, are nothing. */
static void lone_signs(struct rules *rs, bool cause)
{
    for (uint32_t i = rs->out->n; i-- > 0;) {
        struct finding *f = &rs->out->f[i];
        const bool sign = story_is_sign(rs, f);
        noted(rs, f, sign && (cause || !(story_gc_stop(f) && trace_info(rs->tr)->version < 1014)));
        const bool queue = f->rule == RULE_SCHED || f->rule == RULE_IDLE;
        if (sign && f->note && ((cause && queue) || !threshold_reached(TH_TIME_SIGN, f->severity_ns, rs->tg->end))) {
            findings_leave_out(rs->out, i);
        }
    }
}

void story_end(struct causes *c)
{
    struct rules *rs = c->rs;
    int64_t gc_stops = 0;
    under_all(rs);
    for (uint32_t i = 0; i < rs->out->n; i++) { /* what costs less than 1 % is no cause for signs to go under */
        struct finding *f = &rs->out->f[i];
        f->severity_ns = f->severity_ns > rs->tg->end ? rs->tg->end : f->severity_ns;
        if (!story_is_sign(rs, f)) {
            noted(rs, f, false);
        }
    }
    const struct finding *w = story_worst(rs);
    gc_stops = w ? signs_go_under(rs, *w) : 0; /* a copy: findings move */
    lone_signs(rs, w != NULL);
    for (uint32_t i = 0; i < rs->out->n; i++) {
        struct finding *f = &rs->out->f[i];
        if (f->rule == RULE_GC_SHARE ||
            (f->rule == RULE_GC_ASSIST && !story_has(rs, RULE_GC_SHARE))) { /* fewer collections, fewer stops */
            f->severity_ns =
                ns_add(f->severity_ns, gc_stops) < c->tg->end ? ns_add(f->severity_ns, gc_stops) : c->tg->end;
        }
    }
    drop_time(rs);
    hot_last(rs);
    merge_churn(c);
}
