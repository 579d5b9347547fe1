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

static void sign_text(struct text *t, const struct finding *f)
{
    text_add(t, "%s%s %s", t->n ? ", " : " Signs of it: ", f->title, f->amount);
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
            text_add(&more, " and %u kinds more", kinds - 4);
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

void story_end(struct causes *c)
{
    struct rules *rs = c->rs;
    struct text signs = {0};
    int64_t gc_stops = 0;
    under_all(rs);
    for (uint32_t i = 0; i < rs->out->n; i++) { /* what costs less than 1 % is no cause for signs to go under */
        struct finding *f = &rs->out->f[i];
        f->note |= !story_is_sign(rs, f) && !threshold_reached(TH_TIME_FINDING, f->severity_ns, c->tg->end) &&
                   f->rule != RULE_STUCK && f->rule != RULE_LEAK && !f->for_good;
    }
    bool cause = story_worst(rs) != NULL;
    for (uint32_t i = rs->out->n; i-- > 0;) {
        struct finding *f = &rs->out->f[i];
        f->severity_ns = f->severity_ns > c->tg->end ? c->tg->end : f->severity_ns;
        if (story_is_sign(rs, f) && cause) {
            sign_text(&signs, f);
            gc_stops = story_gc_stop(f) ? ns_add(gc_stops, f->severity_ns) : gc_stops;
        } else {
            bool sign = story_is_sign(rs, f) && !(story_gc_stop(f) && trace_info(c->tr)->version < 1014);
            f->note |= sign || (!threshold_reached(TH_TIME_FINDING, f->severity_ns, c->tg->end) &&
                                f->rule != RULE_STUCK && f->rule != RULE_LEAK && !f->for_good);
        }
    }
    for (uint32_t i = rs->out->n; i-- > 0 && cause;) {
        if (story_is_sign(rs, &rs->out->f[i])) {
            findings_leave_out(rs->out, i);
        }
    }
    for (uint32_t i = rs->out->n; i-- > 0 && !cause;) { /* small signs of nothing */
        if (story_is_sign(rs, &rs->out->f[i]) && rs->out->f[i].note &&
            !threshold_reached(TH_TIME_SIGN, rs->out->f[i].severity_ns, c->tg->end)) {
            findings_leave_out(rs->out, i);
        }
    }
    struct finding *first = cause && signs.n ? story_worst(rs) : NULL;
    if (first) { /* NULL: what costs less than 1 % has become a note meanwhile */
        text_lit(&signs, ".");
        retell_behind(rs, first, &signs);
    }
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
    text_free(&signs);
}
