/*
 * rules_dials.c - connections that nobody takes: who dials waits until its time limit, and goes on with another address or without.
 *
 * Who is woken because a connection stands asks for its state (getsockopt), and that system call is recorded; whose time is up closes the
 * descriptor. net/http dials in goroutines of its own: what becomes of these is told of those that wait for one of its connections.
 */
#include "triage/findings/causes.h"
#include "triage/findings/asks.h"
#include "triage/findings/waits_at.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"

#define PLACES 8
#define WALKED 256 /* goroutines of a group */
#define STEPS 4000 /* spans of each */
#define NEXT 10    /* spans behind a wait until a system call */

struct dials {      /* of one place */
    uint32_t place; /* 0: the library's own */
    bool library;   /* in goroutines that it begins */
    uint64_t up, came;
    uint64_t second; /* of `up`: another is dialled at once, by the same goroutine */
    int64_t total, life;
};

static bool dials(const struct trace *tr, uint32_t stack)
{
    return stack && calls_connecting(tr, stack) && !calls_pooled(tr, stack);
}

/* (Behind it one may wait there for the goroutine that looks after its limit.) */
static bool connects(const struct trace *tr, const struct span *s)
{
    return s->state == ST_WAITING && dials(tr, s->stack) && stacks_wait_kind(tr, s->reason, s->stack) == WK_NET;
}

/* How many spans behind a wait for a connection it was closed; 0: it stands, or is refused (*came), or that is not known. */
static int closed_behind(struct span_iter it, bool *came)
{
    *came = false;
    for (int i = 1; i <= NEXT && span_next(&it); i++) {
        const struct span *s = span_get(&it);
        if (s->state == ST_SYSCALL && s->stack) {
            *came = !stacks_has(it.tr, s->stack, "syscall.Close");
            return *came ? 0 : i;
        }
        if (s->state == ST_WAITING && !dials(it.tr, s->stack)) {
            return 0;
        }
    }
    return 0;
}

/* Does it dial again without having waited for anything? */
static bool dials_next(struct span_iter it, int from)
{
    for (int i = 1; i <= from + NEXT && span_next(&it); i++) {
        const struct span *s = span_get(&it);
        if (i > from && s->state != ST_RUNNING && dials(it.tr, s->stack)) {
            return true;
        }
        if (i > from && s->state == ST_WAITING) {
            return false;
        }
    }
    return false;
}

static void walk(const struct causes *c, uint32_t g, struct dials *v)
{
    struct walk w;
    walk_g(&w, c->tr, g, STEPS);
    for (const struct span *s; (s = walk_next(&w));) {
        v->life = ns_add(v->life, s->t1 - s->t0);
        if (s->open_start || s->open_end || !connects(c->tr, s) || causes_place(c->tr, s->stack) != v->place) {
            continue;
        }
        bool came;
        const int at = closed_behind(w.it, &came);
        v->came += came;
        if (!at) {
            continue;
        }
        v->up++;
        v->second += dials_next(w.it, at);
        v->total = ns_add(v->total, s->t1 - s->t0);
    }
}

/* false: too few of them are closed again. */
static bool walk_group(struct causes *c, uint32_t group, struct dials *v)
{
    const uint32_t n = c->of[group].n, look = n < WALKED ? n : WALKED;
    for (uint32_t i = 0; i < look; i++) {
        walk(c, causes_member(c, group, i, WALKED), v);
    }
    c->dials_up += look ? v->up * n / look : 0;
    return (double)v->up >= threshold(TH_NETLIMIT_TIMES);
}

/* Does anybody wait for goroutines of a group, in this trace or outside? Who looks from time to time who is there holds up nobody. */
static bool holds_up(const struct causes *c, uint32_t group)
{
    const uint32_t name = c->tg->groups[group].name;
    bool any = calls_group_serves(c, group);
    for (uint32_t i = 0; i < c->tg->npairs && !any; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        const uint32_t who = p->waker == name && !p->from_scheduler ? causes_group(c, p->waiter) : UINT32_MAX;
        any = who != UINT32_MAX && who != group && c->life[who].program; /* (a dial's own helper does) */
    }
    return any;
}

/* What they wait for, of all there: `lost` by goroutines of a group, at the stack of the longest such wait that is known. */
static void finding(struct causes *c, const struct dials *v, const struct waits_at *p, int64_t lost)
{
    const uint32_t group = causes_group(c, p->most->waiter);
    const struct group_life *l = &c->life[group];
    const double lives = (double)lost / (double)l->life, share = lives < 1 ? lives : 1;
    const bool costs = holds_up(c, group);
    struct draft d;
    draft_start(&d, RULE_LINGER, costs ? (int64_t)(share * (double)(l->last - l->first)) : 0);
    draft_about(&d, c->rs, p->place, p->most->stack);
    draft_moment(&d, &p->most->longest);
    d.f.inferred = true;
    d.f.note = !costs || share < threshold(TH_LINGER_LIFE);
    text_share(&d.amount, share, 1);
    text_say(&d.text, c->tr, t_place(p->most->stack, 3), " waits for a connection until a timeout: ", v->up, " of ",
             v->up + v->came, v->library ? " that net/http dials and" : "",
             " that are not established at once are given up, after ", t_dur(v->total / (int64_t)v->up),
             " on average");
    if (v->second * 2 > v->up) {
        text_say(&d.text, c->tr, "; ", v->second, " times the same goroutine dials again at once");
    }
    text_say(&d.text, c->tr, ". That is ", t_share(share, 1), " of the lives of goroutines of ",
             t_func(c->tg->groups[group].name), "; ", t_f1(c->idle), " of ", t_f0(c->procs), " processors were idle.",
             costs ? "" : " In this trace nobody waits for these goroutines.");
    text_lit(&d.next, "Nobody accepts these connections: find out which address it is (a host that is gone, dropped "
                      "packets, a full accept queue). After a timeout skip that address for a while instead of "
                      "waiting again; try several in parallel, or shorten the timeout.");
    draft_titled(c->rs, &d, "connections that nobody accepts");
}

/* Of the goroutines that net/http dials in: what became of it, in all of them; up is 0 where too few were closed again. */
static struct dials library(struct causes *c, const struct pair_row *p)
{
    struct dials v = {.place = p ? causes_place(c->tr, p->stack) : 0, .library = true};
    const uint32_t group = p ? causes_group(c, p->waiter) : UINT32_MAX;
    if (group == UINT32_MAX || !walk_group(c, group, &v)) {
        return (struct dials){0};
    }
    const double times = (double)c->of[group].n / (c->of[group].n < WALKED ? c->of[group].n : WALKED);
    v.up = (uint64_t)((double)v.up * times);
    v.came = (uint64_t)((double)v.came * times);
    v.total = (int64_t)((double)v.total * times);
    return v;
}

static void tell_place(struct causes *c, const struct waits_at *p, const struct dials *of_library)
{
    const uint32_t group = causes_group(c, p->most->waiter);
    const bool pooled = calls_pooled(c->tr, p->most->stack);
    struct dials v = {.place = p->place};
    if (group == UINT32_MAX || c->life[group].life <= 0 || (double)p->count < threshold(TH_NETLIMIT_TIMES) ||
        !threshold_reached(TH_NETLIMIT_LIFE, p->total, c->life[group].life)) {
        return;
    }
    int64_t lost = 0;
    if (pooled && of_library->up) {
        v = *of_library;
        lost = v.total < p->total ? v.total : p->total;
    } else if (!pooled && walk_group(c, group, &v)) {
        lost = (int64_t)((double)v.total / (double)v.life * (double)c->life[group].life);
    }
    if (lost > 0 && threshold_reached(TH_NETLIMIT_LIFE, lost, c->life[group].life)) {
        finding(c, &v, p, lost);
    }
}

bool dials_for_http(const struct causes *c, const struct pair_row *p)
{
    const struct str who = trace_str(c->tr, p->waiter);
    return str_starts(who, "net/http.(*Transport).") && dials(c->tr, p->stack);
}

void rules_dials(struct causes *c)
{
    struct waits_at at[PLACES];
    const struct pair_row *inside = NULL;
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        const bool dial = p->kind == WK_NET && dials(c->tr, p->stack), own = !dials_for_http(c, p);
        const uint32_t place = (dial && own) || calls_pooled(c->tr, p->stack) ? causes_place(c->tr, p->stack) : 0;
        if (place) {
            waits_at_add(at, &n, PLACES, place, p);
        }
        inside = dial && !own && (!inside || p->total > inside->total) ? p : inside;
    }
    const struct dials of_library = library(c, inside);
    for (uint32_t k = 0; k < n; k++) {
        tell_place(c, &at[k], &of_library);
    }
}
