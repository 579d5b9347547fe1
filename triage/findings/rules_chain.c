/*
 * rules_chain.c - goroutines in a chain, each handing on to the next over a channel, of which nobody is the slowest: each works by itself for
 * a part of its life only, and waits for its neighbours, now for room and now for more. Their stalls don't coincide, and there is no room
 * between them to go on meanwhile.
 *
 * A joint is one that waits to send until the next takes, and this one that waits to receive until the other sends. What a member does
 * else is its own: work, calls, the network, sleep. With room enough the chain would take as long as the one with most of that.
 */
#include "triage/findings/causes.h"
#include "triage/findings/thresholds.h"

#include "decode/base/mem.h"

#define GROUPS 24 /* of which joints are asked */
#define LONGEST 8

struct joint {                               /* from one that sends to one that receives */
    const struct pair_row *sends, *receives; /* the longest of these waits */
    int64_t full, empty;                     /* all of them */
    uint64_t nfull, nempty;
};
struct chain {
    const struct causes *c;
    struct joint j[GROUPS][GROUPS];
    uint32_t v[LONGEST], n; /* its groups, the first sends to the second */
    double own[LONGEST], busiest;
};

/* One goroutine of the program, or hardly more, that is there for most of the trace. */
static bool may_be_in(const struct causes *c, uint32_t g)
{
    const struct group_life *l = &c->life[g];
    return l->program && l->n <= threshold(TH_HAND_MEMBERS) && c->of[g].n <= (uint32_t)threshold(TH_HAND_MEMBERS) &&
           l->last - l->first >= c->tg->end / 2;
}

static void joints(struct chain *k)
{
    const struct triage *tg = k->c->tg;
    for (uint32_t i = 0; i < tg->npairs; i++) {
        const struct pair_row *p = &tg->pairs[i];
        const bool sends = p->kind == WK_SEND, receives = p->kind == WK_RECV || p->kind == WK_SELECT;
        const uint32_t a = p->from_scheduler || !(sends || receives) ? UINT32_MAX : causes_group(k->c, p->waiter),
                       b = a == UINT32_MAX ? a : causes_group(k->c, p->waker);
        if (a >= GROUPS || b >= GROUPS || a == b) {
            continue;
        }
        struct joint *j = sends ? &k->j[a][b] : &k->j[b][a];
        const struct pair_row **most = sends ? &j->sends : &j->receives;
        int64_t *ns = sends ? &j->full : &j->empty;
        *(sends ? &j->nfull : &j->nempty) += p->count;
        *ns = ns_add(*ns, p->total);
        *most = !*most || p->total > (*most)->total ? p : *most;
    }
}

/* Does each wait there for the other, a part of its life? */
static bool both_ways(const struct chain *k, uint32_t a, uint32_t b)
{
    const struct joint *j = &k->j[a][b];
    return (double)j->nfull >= threshold(TH_BOTTLE_WAITS) && (double)j->nempty >= threshold(TH_BOTTLE_WAITS) &&
           threshold_reached(TH_HAND_JOINT, j->full, k->c->life[a].life) &&
           threshold_reached(TH_HAND_JOINT, j->empty, k->c->life[b].life) && may_be_in(k->c, a) && may_be_in(k->c, b);
}

/* The one that hands on to b (or, forth, that b hands on to); GROUPS: there is none, or more than one. */
static uint32_t beside(const struct chain *k, uint32_t b, bool forth)
{
    uint32_t found = GROUPS, n = 0;
    for (uint32_t a = 0; a < GROUPS && a < k->c->tg->ngroups; a++) {
        if (forth ? both_ways(k, b, a) : both_ways(k, a, b)) {
            found = a;
            n++;
        }
    }
    return n == 1 ? found : GROUPS;
}

static bool is_in(const struct chain *k, uint32_t g)
{
    uint32_t i = 0;
    while (i < k->n && k->v[i] != g) {
        i++;
    }
    return i < k->n;
}

/* The chain that begins with a group; a ring is none. */
static void follow(struct chain *k, uint32_t first)
{
    k->n = 0;
    for (uint32_t g = first; g < GROUPS && k->n < LONGEST && !is_in(k, g); g = beside(k, g, true)) {
        k->v[k->n++] = g;
    }
}

/* Does each wait for its neighbours for long, and does none work by itself all the time? */
static bool nobody_is_slowest(struct chain *k)
{
    bool all = true;
    k->busiest = 0;
    for (uint32_t i = 0; i < k->n; i++) {
        const struct group *g = &k->c->tg->groups[k->v[i]];
        const int64_t life = k->c->life[k->v[i]].life, up = i ? k->j[k->v[i - 1]][k->v[i]].empty : 0,
                      down = i + 1 < k->n ? k->j[k->v[i]][k->v[i + 1]].full : 0;
        all &= threshold_reached(TH_HAND_CHAIN, ns_add(up, down), life);
        const int64_t own = life - ns_add(ns_add(up, down), g->d[GM_SCHED].total);
        k->own[i] = own > 0 ? (double)own / (double)life : 0;
        k->busiest = k->own[i] > k->busiest ? k->own[i] : k->busiest;
    }
    return all && k->busiest <= threshold(TH_HAND_BUSIEST);
}

/* The function in which a member waits for its neighbours. */
static uint32_t where(const struct chain *k, uint32_t i)
{
    const struct pair_row *p = i ? k->j[k->v[i - 1]][k->v[i]].receives : k->j[k->v[0]][k->v[1]].sends;
    const uint32_t f = causes_place(k->c->tr, p->stack);
    return f ? f : k->c->tg->groups[k->v[i]].name;
}

static void finding(const struct chain *k)
{
    const struct causes *c = k->c;
    const struct joint *first = &k->j[k->v[0]][k->v[1]];
    struct draft d;
    draft_start(&d, RULE_HANDOFF, (int64_t)((1 - k->busiest) * (double)c->tg->end));
    d.f.won_hi = d.f.severity_ns;
    draft_about(&d, c->rs, where(k, 0), first->sends->stack);
    draft_moment(&d, &first->sends->longest);
    text_share(&d.amount, k->busiest, 1);
    for (uint32_t i = 0; i < k->n; i++) {
        text_say(&d.text, c->tr, i == 0 ? "" : i + 1 < k->n ? ", " : " and ", t_func(where(k, i)));
    }
    text_lit(
        &d.text,
        " pass items from one to the next, and none of them is the bottleneck: by themselves they are busy for ");
    for (uint32_t i = 0; i < k->n; i++) {
        text_say(&d.text, c->tr, i == 0 ? "" : i + 1 < k->n ? ", " : " and ", t_share(k->own[i], 1));
    }
    text_lit(&d.text,
             " of their lives (including system calls, the network and sleep), and otherwise wait for each other: ");
    for (uint32_t i = 0; i + 1 < k->n; i++) {
        const struct joint *j = &k->j[k->v[i]][k->v[i + 1]];
        text_say(&d.text, c->tr, i ? "; " : "", t_func(where(k, i)), " for room at the next one, ", j->nfull,
                 " times, ", t_dur(j->full), ", and that one for more items, ", j->nempty, " times, ",
                 t_dur(j->empty));
    }
    text_say(&d.text, c->tr, ". When one of them pauses, all the others stop with it (inferred). ", t_f1(c->idle),
             " of ", t_f0(c->procs), " processors were idle.");
    d.f.inferred = true;
    text_lit(&d.next, "Give the channels between them enough buffer to bridge such pauses, or pass more at once. "
                      "Then the whole takes as long as the busiest stage by itself.");
    draft_end(c->rs, &d);
}

void rules_chain(struct causes *c)
{
    struct chain *k = c->idle >= causes_idle_least(c) ? mem_zalloc(sizeof *k) : NULL;
    c->rs->failed |= !k && c->idle >= causes_idle_least(c);
    if (k) {
        k->c = c;
        joints(k);
    }
    for (uint32_t g = 0; k && g < c->tg->ngroups && g < GROUPS; g++) {
        if (beside(k, g, true) < GROUPS && beside(k, g, false) == GROUPS) {
            follow(k, g);
            if (k->n > 1 && nobody_is_slowest(k)) {
                finding(k);
            }
        }
    }
    mem_free(k);
}
