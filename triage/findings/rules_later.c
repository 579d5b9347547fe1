/*
 * rules_later.c - answers over the network that take several times as long from some moment on: what is lost since then is the finding, and
 * not that those who wait for them are few, as long as they were enough before.
 */
#include "triage/findings/asks.h"
#include "triage/findings/call_rows.h"
#include "triage/findings/course.h"
#include "triage/findings/thresholds.h"

#define PLACES 64
#define ASKED 4    /* places */
#define MEMBERS 16 /* goroutines that ask */

/* Do they send something before most of these waits? Who only listens waits longer when there is less to hear. */
static bool asked_for(const struct causes *c, const struct waits_at *p)
{
    const uint32_t group = gstat_group(c->tg->g, p->most->longest.g);
    struct rows r = {0};
    for (uint32_t i = 0; i < c->of[group].n && i < MEMBERS; i++) {
        rows_of(c, causes_member(c, group, i, MEMBERS), p, 0, true, &r);
    }
    return r.asked * 2 > r.calls;
}

/* Of the lives of those that wait there since that moment, what the waits last longer than before; ns by the clock. */
static int64_t lost_since(const struct causes *c, const struct course *k, const struct change *v)
{
    const double width = (double)c->tg->end / COURSE_SLICES;
    double lost = 0;
    for (int i = v->at; i < COURSE_SLICES; i++) {
        const double each = k->n[i] > 0 ? k->ns[i] / k->n[i] : v->since;
        if (k->seen[i] > 0 && each > v->before) {
            lost += width * k->there[i] / k->seen[i] * (1 - v->before / each);
        }
    }
    return (int64_t)lost;
}

/* A pool that was large enough until then is not told as too small: a note that says so goes. */
static void not_too_few(struct causes *c, uint32_t place)
{
    for (uint32_t i = c->rs->out->n; i-- > 0;) {
        const struct finding *f = &c->rs->out->f[i];
        if (f->rule == RULE_POOL && f->note && f->stack && causes_place(c->tr, f->stack) == place) {
            findings_leave_out(c->rs->out, i);
        }
    }
}

/* Is it said already what these waits cost? */
static bool told(const struct causes *c, uint32_t place)
{
    for (uint32_t i = 0; i < c->rs->out->n; i++) {
        const struct finding *f = &c->rs->out->f[i];
        if ((!f->note || f->rule == RULE_BACKEND) && f->stack && causes_place(c->tr, f->stack) == place) {
            return true;
        }
    }
    return false;
}

static void finding(struct causes *c, const struct waits_at *p, const struct change *v, int64_t lost)
{
    const int64_t when = course_moment(c, v);
    struct draft d;
    draft_start(&d, RULE_BACKEND, lost);
    d.f.won_hi = lost;
    d.f.later = true;
    d.f.note = causes_beside_requests(c, gstat_group(c->tg->g, p->most->longest.g));
    draft_about(&d, c->rs, p->place, p->most->stack);
    draft_moment(&d, &p->most->longest);
    text_share(&d.amount, (double)lost, (double)c->tg->end);
    waits_at_text(&d.text, c, p);
    text_say(&d.text, c->tr, " waits for answers over the network, since about ", t_dur(when), " for ",
             t_dur((int64_t)v->since), " on average, until then for ", t_dur((int64_t)v->before),
             ". Nothing in the trace says whether the other side or the way to it got slow, or whether more is asked "
             "for.");
    text_say(&d.next, c->tr, "Look at the other side: what changed there, or in what it is asked, at about ",
             t_dur(when),
             ". More goroutines that wait for it would only hide that, and ask a slow one more at once.");
    draft_titled(c->rs, &d, "answers take longer than before");
}

static bool asks(const struct causes *c, const struct pair_row *p)
{
    return p->kind == WK_NET && !calls_accepting(c->tr, p->stack) && !calls_connecting(c->tr, p->stack) &&
           !causes_writes(c->tr, p->stack) && p->longest.g < c->tg->ng;
}

void rules_later(struct causes *c)
{
    struct waits_at v[PLACES];
    uint32_t asked = 0;
    if (c->idle < threshold(TH_CALLS_IDLE) * c->procs) {
        return;
    }
    const uint32_t n = waits_at_rows(c, v, PLACES, UINT32_MAX, asks);
    for (uint32_t i = 0; i < n && asked < ASKED && !c->rs->failed; i++) {
        struct course k;
        struct change w;
        if ((double)v[i].count < threshold(TH_CALLS_WAITS) ||
            !threshold_reached(TH_BACKEND_SINCE, v[i].total, c->tg->end) || told(c, v[i].place) ||
            calls_serves(c, v[i].most->longest.g) || calls_for_questions(c, v[i].most, v[i].place) ||
            meant_for_questions(c, v[i].most->longest.g, v[i].place)) {
            continue;
        }
        asked++;
        if (course_at(c, v[i].place, &k) && course_longer(&k, &w)) {
            const int64_t lost = lost_since(c, &k, &w);
            if (threshold_reached(TH_BACKEND_SINCE, lost, c->tg->end) && asked_for(c, &v[i]) &&
                !meant_for_news(c, &v[i]) && !calls_answered_inside(c, &v[i])) {
                not_too_few(c, v[i].place);
                finding(c, &v[i], &w, lost);
            }
        }
    }
}
