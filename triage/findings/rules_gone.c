/*
 * rules_gone.c - workers that are lost one after the other: each asks over the network, again and again, until an answer does not come,
 * and stands there to the end. What ended on average is quick; it is those that never end that take the set its hands.
 *
 * Where all begin to stand at one moment the other side is gone, and where they begin late in the trace an answer may yet come: of neither
 * is anything said here.
 */
#include "triage/findings/causes.h"
#include "triage/findings/asks.h"
#include "triage/findings/waits_at.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"

#define WALKED 64  /* goroutines */
#define STEPS 8000 /* spans of each */

struct gone {
    uint32_t n, lost, g; /* goroutines; those that stand there; the one that does longest */
    uint64_t ended;
    int64_t life, waited, longest; /* of all; of the waits that ended */
    int64_t stood, first, last;    /* of the others: together; when the first and the last of them began */
};

/* Stands g there at the end, having sent something before? s: that wait. */
static bool stands(const struct causes *c, uint32_t g, const struct waits_at *p, struct span *s)
{
    struct span_iter it;
    if (!trace_span_at(c->tr, (struct lane){LANE_G, g}, c->tg->end - 1, s) || s->state != ST_WAITING ||
        !s->open_end || s->open_start || !s->index || stacks_wait_kind(c->tr, s->reason, s->stack) != WK_NET ||
        causes_place(c->tr, s->stack) != p->place) {
        return false;
    }
    bool more = span_seek_index(&it, c->tr, (struct lane){LANE_G, g}, s->index - 1);
    for (int i = 0; more && i < 16 && span_get(&it)->state != ST_WAITING; i++, more = span_prev(&it)) {
        const struct span *b = span_get(&it);
        if (b->state == ST_SYSCALL && b->stack && causes_sends(c->tr, b->stack)) {
            return true;
        }
    }
    return false;
}

static void ended_there(const struct causes *c, uint32_t g, const struct waits_at *p, struct gone *k)
{
    struct walk w;
    uint32_t last = 0;
    bool at = false;
    walk_g(&w, c->tr, g, STEPS);
    for (const struct span *s; (s = walk_next(&w));) {
        if (s->state != ST_WAITING || s->open_end) {
            continue;
        }
        at = s->stack == last ? at : causes_place(c->tr, s->stack) == p->place;
        last = s->stack;
        if (at) {
            const int64_t ns = s->t1 - s->t0;
            k->ended++;
            k->waited = ns_add(k->waited, ns);
            k->longest = ns > k->longest ? ns : k->longest;
        }
    }
}

static void look_at(const struct causes *c, uint32_t g, const struct waits_at *p, struct gone *k)
{
    struct lifetime life;
    struct span s;
    trace_lives(c->tr, LANE_G, g, 1, &life);
    k->n++;
    k->life = ns_add(k->life, life.last - life.first);
    ended_there(c, g, p, k);
    if (!life.over && stands(c, g, p, &s)) {
        k->g = k->lost == 0 || s.t0 < k->first ? g : k->g;
        k->first = k->lost == 0 || s.t0 < k->first ? s.t0 : k->first;
        k->last = k->lost == 0 || s.t0 > k->last ? s.t0 : k->last;
        k->stood = ns_add(k->stood, s.t1 - s.t0);
        k->lost++;
    }
}

static bool lost(const struct causes *c, const struct gone *k)
{
    const int64_t least = c->tg->end - k->last; /* the last of them stands as long */
    return k->ended && (double)k->lost >= threshold(TH_GONE_LOST) &&
           threshold_reached(TH_GONE_SHARE, k->lost, k->n) &&
           (double)least >= threshold(TH_GONE_LONG) * (double)k->longest &&
           threshold_reached(TH_GONE_APART, k->last - k->first, c->tg->end) &&
           threshold_reached(TH_GONE_LIFE, k->stood, k->life);
}

static void finding(struct causes *c, const struct waits_at *p, uint32_t group, const struct gone *k)
{
    const double share = (double)k->stood / (double)k->life,
                 there = (double)(c->life[group].last - c->life[group].first);
    struct draft d;
    draft_start(&d, RULE_SLOTS, (int64_t)(share * there));
    d.f.won_hi = d.f.severity_ns;
    draft_about(&d, c->rs, p->place, p->most->stack);
    draft_at(&d, k->first, c->tg->end, LANE_G, k->g);
    d.f.inferred = true;
    text_add(&d.amount, "%u lost", k->lost);
    waits_at_text(&d.text, c, p);
    text_say(&d.text, c->tr, ": ", k->lost == k->n ? "all " : "", k->lost, " goroutines of ",
             t_func(c->tg->groups[group].name));
    if (k->lost != k->n) {
        text_add(&d.text, ", of %u,", k->n);
    }
    text_say(&d.text, c->tr,
             " are stuck there at the end, each waiting for an answer over the network that has not come: the first "
             "since ",
             t_dur(k->first), ", the last since ", t_dur(k->last), ". The ", k->ended,
             " waits there that ended took ", t_dur(k->waited / (int64_t)k->ended), " on average, ",
             t_dur(k->longest), " at most; these take ", t_share(share, 1),
             " of the lives of those goroutines. They seem to be lost one after the other, with nothing to limit how "
             "long each waits (inferred): ",
             k->lost == k->n ? "none is left." : "fewer and fewer are left.");
    text_lit(&d.next, "Limit how long an answer may take (SetReadDeadline before each request, a context, a client's "
                      "Timeout), and continue with a new connection after a timeout.");
    draft_titled(c->rs, &d, "workers lost to answers that do not come");
}

bool gone_finding(struct causes *c, const struct waits_at *p)
{
    const uint32_t group = gstat_group(c->tg->g, p->most->longest.g);
    struct gone k = {0};
    if (p->most->kind != WK_NET || !c->life[group].program || c->of[group].n > WALKED ||
        (double)c->of[group].n < threshold(TH_GONE_LOST) || causes_writes(c->tr, p->most->stack)) {
        return false;
    }
    for (uint32_t i = 0; i < c->of[group].n; i++) {
        look_at(c, causes_member(c, group, i, WALKED), p, &k);
    }
    if (!lost(c, &k)) {
        return false;
    }
    finding(c, p, group, &k);
    return true;
}
