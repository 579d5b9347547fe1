/*
 * rules_conns.c - connections that are opened anew for nearly each question, over the network or with net/http.
 */
#include "triage/findings/asks.h"
#include "triage/findings/thresholds.h"

#define PLACES 32

struct conns { /* by the function of the program that asked */
    uint32_t func;
    uint64_t opened, asked, backs; /* backs: until one that others had came back */
    int64_t waited, back;
    const struct pair_row *most;
};

static void conns_finding(struct causes *c, const struct conns *k, double share)
{
    struct draft d;
    draft_start(&d, RULE_CONNS, (int64_t)((double)c->tg->end * share));
    draft_about(&d, c->rs, k->func, k->most->stack);
    draft_moment(&d, &k->most->longest);
    text_add(&d.amount, "%llu", (unsigned long long)k->opened);
    text_say(&d.text, c->tr, t_place(k->most->stack, 3), " waits for a new connection ", k->opened, " times where ",
             k->asked, " answers are waited for: ", t_dur(k->waited / (int64_t)k->opened), " each on average, ",
             t_dur(k->waited), " in all.");
    text_lit(&d.next, "Keep connections: one client for all questions, bodies read to their end and closed, and as "
                      "many idle connections kept for each host (MaxIdleConnsPerHost) as ask at once.");
    draft_end(c->rs, &d);
}

void rule_conns(struct causes *c)
{
    struct conns v[PLACES] = {0};
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        if (i + STACKS_AHEAD < c->tg->npairs) {
            stacks_ahead(c->tr, p[STACKS_AHEAD].stack);
        }
        bool opens = calls_connecting(c->tr, p->stack);
        bool asks = (p->kind == WK_NET && !calls_reading_on(c->tr, p->stack)) || calls_by_library(c, p);
        uint32_t func = opens || asks ? causes_place(c->tr, p->stack) : 0, k = 0;
        while (k < n && v[k].func != func) {
            k++;
        }
        if (!func || k == PLACES) {
            continue;
        }
        n += k == n;
        v[k].func = func;
        if (opens) {
            v[k].opened += p->count;
            v[k].waited = ns_add(v[k].waited, p->total);
            if (limits_back(c, p)) {
                v[k].backs += p->count;
                v[k].back = ns_add(v[k].back, p->total);
            }
            v[k].most = !v[k].most || p->total > v[k].most->total ? p : v[k].most;
        } else {
            v[k].asked += p->count;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        const struct conns *k = &v[i];
        double waiting = (double)k->waited / (double)c->tg->end, share = waiting / (waiting + c->running);
        share = waiting < 1 ? share * waiting : share;
        if ((double)k->opened >= threshold(TH_CONNS_COUNT) &&
            (double)k->opened >= threshold(TH_CONNS_SHARE) * (double)k->asked && share >= threshold(TH_CONNS_TRACE)) {
            if (limits_conns(c, k->opened, k->waited, k->back)) {
                limits_tell(c, k->func, k->most, k->backs, k->back);
            } else {
                conns_finding(c, k, share);
            }
        }
    }
}
