/*
 * rules_waves.c - a stampede: many ask for, or work out, the same at once, because what was kept of it is gone.
 *
 * A trace doesn't say what is asked for. What it shows: goroutines go many rounds without asking at a place, then several ask there
 * at once, all of them before the first has its answer, and once that one has it nobody asks for a while. Who is woken or begun by
 * one goroutine at that moment asks because of that, and who asks in each of its rounds asks for its own.
 */
#include "triage/findings/causes.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/waves.h"

#include <math.h>
#include <stdlib.h>

#include "decode/base/mem.h"

#define STEPS 20000  /* spans of each goroutine */
#define SPANS 600000 /* of all */
#define MEMBERS 4096
#define PLACES 16 /* of a group */
#define SLICE \
    9000000 /* ns: the runtime lets run for 10 ms before it stops one for the others; who is stopped sooner is so for something else */
#define CALL 200000 /* ns: shorter system calls ask nobody */

struct known_callers { /* by stack, found once, + 1: who called its function of the program */
    uint32_t *by, n;
};
struct waves {
    struct causes *c;
    struct known_callers *known;
    uint32_t group;
    bool asks; /* may they ask anybody? If not, only where they were stopped counts */
    struct asked at[PLACES];
    uint32_t n;
    uint64_t rounds, left; /* left: spans that may be passed */
};

/* The next function of the program outwards. */
static uint32_t caller_of(const struct trace *tr, uint32_t stack, uint32_t place)
{
    return stacks_caller(tr, stack, stacks_user_frame(tr, stack) + 1, place);
}

static uint32_t known_caller(struct waves *w, uint32_t stack, uint32_t place)
{
    const struct known_callers *k = w->known;
    if (stack >= k->n) {
        return caller_of(w->c->tr, stack, place);
    }
    if (!k->by[stack]) {
        k->by[stack] = caller_of(w->c->tr, stack, place) + 1;
    }
    return k->by[stack] - 1;
}

static bool ask_add(struct waves *w, uint32_t place, uint32_t caller, uint32_t stack, bool runs, const struct ask *a)
{
    uint32_t i = 0;
    while (i < w->n && (w->at[i].place != place || w->at[i].caller != caller || w->at[i].runs != runs)) {
        i++;
    }
    if (!place || i == PLACES) {
        return true;
    }
    struct asked *k = &w->at[i];
    if (i == w->n) {
        w->n++;
        *k = (struct asked){.place = place, .caller = caller, .stack = stack, .runs = runs};
    }
    struct ask *v = mem_grow(k->v, &k->cap, k->n + 1, sizeof *v);
    if (!v) {
        w->c->rs->failed = true;
        return false;
    }
    k->v = v;
    v[k->n++] = *a;
    k->total = ns_add(k->total, a->t1 - a->t0);
    return true;
}

/* What a goroutine waits for at one place, one wait behind the other: a queue for the answer is part of asking. */
struct visit {
    struct ask a;
    uint32_t place, first, stack; /* first: the first wait's, whose caller it is */
    int64_t ran;
    bool asks; /* not only for one of its own, which asks for it, too */
};

static bool visit_end(struct waves *w, struct visit *v)
{
    const bool ok =
        !v->place || !v->asks || ask_add(w, v->place, known_caller(w, v->first, v->place), v->stack, false, &v->a);
    v->place = 0;
    return ok;
}

/* Most waits are at another place than the one before, and no questions: who called them needn't be known. */
static bool visit_goes_on(struct waves *w, const struct visit *v, uint32_t place, uint32_t stack)
{
    return v->place == place && v->ran < CALL &&
           (!place || v->first == stack || known_caller(w, v->first, place) == known_caller(w, stack, place));
}

static bool visit_wait(struct waves *w, struct visit *v, uint32_t stack, const struct ask *a, bool asks)
{
    const uint32_t place = causes_place(w->c->tr, stack);
    bool ok = true;
    if (!visit_goes_on(w, v, place, stack)) {
        ok = visit_end(w, v);
        *v = (struct visit){.a = *a, .place = place, .first = stack, .stack = stack};
    }
    v->stack = asks && !v->asks ? stack : v->stack;
    v->asks |= asks;
    v->a.t1 = a->t1;
    v->a.ended = a->ended;
    v->ran = 0;
    return ok;
}

struct wait_seen { /* at the end of the spans at hand: who ended it is told by the next one */
    bool is, open_end;
    uint32_t reason, stack;
};

/* Is a wait one for what somebody else does, or has? Nor the goroutine's own loop, which asks for more work. */
static bool wait_asks(const struct waves *w, const struct wait_seen *s, uint32_t by)
{
    const enum wait_kind k = stacks_wait_kind(w->c->tr, s->reason, s->stack);
    const bool own = by < w->c->tg->ng && gstat_group(w->c->tg->g, by) == w->group;
    return (k == WK_NET || k == WK_RECV || k == WK_SELECT || k == WK_SLEEP) && !own;
}

struct asking { /* one goroutine's questions */
    struct waves *w;
    struct ask now;
    struct visit v;
    struct wait_seen wait;
    int64_t began, ran; /* ran: since */
    uint32_t within, steps;
    bool ok;
};

/* The last wait is over: `by` ended it. */
static bool wait_ends(struct asking *k, uint32_t by)
{
    struct waves *w = k->w;
    const struct wait_seen *s = &k->wait;
    const uint32_t place = causes_place(w->c->tr, s->stack);
    const bool turn = place == w->c->tg->groups[w->group].name ||
                      (!place && !w->c->life[w->group].program); /* a library's server: a request */
    const bool asks = wait_asks(w, s, by);
    k->now.ended = by;
    k->wait.is = false;
    w->rounds += turn && asks;
    k->now.round += turn && asks;
    return turn || s->open_end ? visit_end(w, &k->v) : visit_wait(w, &k->v, s->stack, &k->now, asks);
}

/* A piece of work within which it was stopped is one for the function it was stopped in. */
static bool wait_begins(struct asking *k, int64_t t, const struct wait_seen *s)
{
    struct waves *w = k->w;
    const struct causes *c = w->c;
    const uint32_t in = k->within ? causes_place(c->tr, k->within) : 0, name = c->tg->groups[w->group].name;
    bool ok = true;
    if (in && in != name && known_caller(w, k->within, in) != name && k->began != NO_TIME && k->ran >= SLICE &&
        !host_held(c, k->now.g, k->began, t)) { /* not what all rounds do */
        const struct ask ran = {k->now.g, k->now.by, k->began, t, k->now.woken, NO_LANE, k->now.round};
        ok = ask_add(w, in, known_caller(w, k->within, in), k->within, true, &ran);
    }
    k->wait = *s;
    k->wait.is = w->asks;
    k->began = NO_TIME;
    k->within = 0;
    return ok;
}

static bool asks_seen(void *arg, const struct span_run *r)
{
    struct asking *k = arg;
    struct waves *w = k->w;
    int64_t t = r->t0;
    for (uint32_t i = 0; i < r->n && k->ok; i++, k->steps++, w->left--) {
        const struct span_tag *kind = &r->kind[r->tag[i]];
        const uint8_t state = kind->state;
        const uint32_t by = state == ST_RUNNABLE ? span_run_g(r, i) : NO_LANE, stack = r->stack[i];
        k->ok = !k->wait.is || wait_ends(k, by);
        if (!k->ok || k->steps == STEPS || !w->left) {
            return false;
        }
        k->now.t0 = t;
        k->now.t1 = t += r->dur[i];
        if (state == ST_WAITING) {
            k->ok =
                wait_begins(k, k->now.t0,
                            &(struct wait_seen){
                                .open_end = r->open_end && i + 1 == r->n, .reason = kind->reason, .stack = stack});
        } else if (state == ST_SYSCALL && r->dur[i] >= CALL) {
            k->now.ended = NO_LANE;
            k->ok = visit_wait(w, &k->v, stack, &k->now, true);
        } else if (state == ST_RUNNABLE && by != NO_LANE) {
            k->now.by = by;
            k->now.woken = t;
        } else if (state == ST_RUNNABLE && kind->reason && stack && !k->within) {
            k->within = stack;
        } else if (state == ST_RUNNING) {
            k->ran = k->began == NO_TIME ? r->dur[i] : ns_add(k->ran, r->dur[i]);
            k->began = k->began == NO_TIME ? k->now.t0 : k->began;
            k->v.ran = ns_add(k->v.ran, r->dur[i]);
        }
    }
    return k->ok;
}

static bool asks_of(struct waves *w, uint32_t g)
{
    struct asking k = {.w = w, .now = {.g = g, .by = NO_LANE, .ended = NO_LANE}, .began = NO_TIME, .ok = true};
    if (w->left) {
        trace_states(w->c->tr, (struct lane){LANE_G, g},
                     &(struct states_ask){.t0 = INT64_MIN, .t1 = INT64_MAX, .all = true, .f = asks_seen, .arg = &k});
    }
    const bool ok = k.ok && (!k.wait.is || wait_ends(&k, NO_LANE));
    return visit_end(w, &k.v) && ok;
}

/* May goroutines of a group ask anybody? By what they wait for, and for how long they are in system calls. */
static bool may_ask(const struct causes *c, uint32_t group)
{
    const int64_t *const by = c->life[group].by;
    const struct group_sum *d = c->tg->groups[group].d;
    return by[WK_NET] || by[WK_RECV] || by[WK_SELECT] || by[WK_SLEEP] ||
           ns_add(d[GM_SYSCALL].max, d[GM_SYSBLOCK].max) >= CALL;
}

static int cmp_ask(const void *a, const void *b)
{
    const struct ask *x = a, *y = b;
    return x->t0 != y->t0 ? (x->t0 > y->t0) - (x->t0 < y->t0) : (x->g > y->g) - (x->g < y->g);
}

struct told {                                              /* of a place */
    uint32_t handed;                                       /* waves that one goroutine ended, all at once */
    uint32_t waves, most, in_waves, caused, follow, apart; /* apart: of those that follow another, behind a pause */
    int64_t busy, lost, least, first, last, t0, t1; /* least: the quickest answer; first, last: of a wave, summed */
    uint32_t g;
};

bool waves_caused(const struct ask *v, size_t n)
{
    size_t best = 0;
    for (size_t i = 0; i < n; i++) {
        size_t same = 0;
        for (size_t k = 0; k < n && k < 64; k++) {
            same += v[k].by == v[i].by && v[i].by != NO_LANE && v[k].t0 - v[k].woken < CALL &&
                    llabs((long long)(v[k].woken - v[i].woken)) < CALL;
        }
        best = same > best ? same : best;
    }
    return best * 2 > n;
}

/* Did one goroutine end most of them, all at one moment? Then that is what they waited for: nobody got anything by itself. */
static bool waves_handed(const struct ask *v, size_t n)
{
    size_t best = 0;
    for (size_t i = 0; i < n && i < 64; i++) {
        size_t same = 0;
        for (size_t k = 0; k < n; k++) {
            same += v[k].ended != NO_LANE && v[k].ended == v[i].ended && llabs((long long)(v[k].t1 - v[i].t1)) < CALL;
        }
        best = same > best ? same : best;
    }
    return best * 2 > n;
}

/* As long as the wave behind it, at least; half as long, where that is what many wait who are answered one after the other. */
static bool is_pause(int64_t pause, int64_t wave, int64_t first)
{
    return pause >= wave || (pause >= wave / 2 && (double)pause >= threshold(TH_STAMPEDE_PAUSE) * (double)first);
}

/* Waves: who begins before the first of them is done. */
static void waves_of(const struct asked *k, struct told *t)
{
    int64_t till = k->v[0].t0;
    *t = (struct told){.least = INT64_MAX, .g = NO_LANE};
    for (size_t i = 0; i < k->n; i++) {
        t->least = k->v[i].t1 - k->v[i].t0 < t->least ? k->v[i].t1 - k->v[i].t0 : t->least;
    }
    for (size_t i = 0, j; i < k->n; i = j) {
        int64_t done = INT64_MAX, all = 0, lost = 0;
        for (j = i; j < k->n && k->v[j].t0 <= done; j++) {
            const struct ask *a = &k->v[j];
            done = a->t1 < done ? a->t1 : done;
            all = a->t1 > all ? a->t1 : all;
            int64_t over = a->t1 - k->v[i].t0 - t->least;
            lost = over > 0 ? ns_add(lost, over) : lost;
        }
        const int64_t from = k->v[i].t0 > till ? k->v[i].t0 : till;
        t->busy = ns_add(t->busy, all > from ? all - from : 0);
        const bool pause = i > 0 && is_pause(k->v[i].t0 - till, all - k->v[i].t0, done - k->v[i].t0);
        till = all > till ? all : till;
        if (j - i < threshold(TH_STAMPEDE_ATONCE)) {
            continue;
        }
        t->follow += t->waves > 0;
        t->apart += t->waves > 0 && pause;
        t->waves++;
        t->in_waves += (uint32_t)(j - i);
        t->caused += waves_caused(&k->v[i], j - i);
        t->handed += waves_handed(&k->v[i], j - i);
        t->lost = ns_add(t->lost, lost);
        t->first = ns_add(t->first, done - k->v[i].t0);
        t->last = ns_add(t->last, all - k->v[i].t0);
        if (j - i > t->most) {
            t->most = (uint32_t)(j - i);
            t->t0 = k->v[i].t0;
            t->t1 = all;
            t->g = k->v[i].g;
        }
    }
}

static int cmp_who(const void *a, const void *b)
{
    const struct ask *x = a, *y = b;
    return x->g != y->g ? (x->g > y->g) - (x->g < y->g) : cmp_ask(a, b);
}

/* What the one of them that asked longest waited there: it may be the one that all wait for at the end. Sorts them by who asks. */
static int64_t most_of_one(struct asked *k)
{
    int64_t most = 0, its = 0;
    qsort(k->v, k->n, sizeof *k->v, cmp_who);
    for (size_t i = 0; i < k->n; i++) {
        its = ns_add(i && k->v[i].g == k->v[i - 1].g ? its : 0, k->v[i].t1 - k->v[i].t0);
        most = its > most ? its : most;
    }
    return most;
}

static void stampede_finding(struct causes *c, uint32_t group, struct asked *k, const struct told *t, uint64_t rounds)
{
    const struct group_life *l = &c->life[group];
    struct draft d;
    draft_start(&d, RULE_STAMPEDE, (int64_t)((double)t->lost / (double)l->life * (double)(l->last - l->first)));
    draft_about(&d, c->rs, k->place, k->stack);
    draft_at(&d, t->t0, t->t1, LANE_G, t->g);
    d.f.inferred = true;
    d.f.note = (double)t->in_waves < threshold(TH_STAMPEDE_CROWD) * t->waves && /* chance makes small waves, too */
               (double)t->lost < threshold(TH_STAMPEDE_ALARM) * (double)l->life;
    const int64_t all = (int64_t)((double)k->total / (double)l->life * (double)(l->last - l->first)),
                  one = most_of_one(k);
    d.f.won_hi = one > all ? one : all;
    text_add(&d.amount, "%u at once", t->most);
    text_say(&d.text, c->tr, t_place(k->stack, 3), ": ", t->waves, " times several goroutines of ",
             t_func(c->tg->groups[group].name), " ", k->runs ? "work" : "ask", " there at once, ",
             t_f0((double)t->in_waves / t->waves), " on average and up to ", t->most,
             ", all before the first of them was done, and then none for a while, though they make ",
             t_f0((double)rounds / (double)k->n),
             " times as many rounds: a cached value seems to be gone, and each of them fetches it again (inferred). "
             "The first was done after ",
             t_dur(t->first / t->waves), " on average, the last after ", t_dur(t->last / t->waves), ".");
    text_lit(&d.next, "Let one fetch it while the others wait for that one (singleflight) or use the old value; or "
                      "refresh it before it expires, not all at once.");
    draft_end(c->rs, &d);
}

static void waves_told(struct waves *w)
{
    const struct group_life *l = &w->c->life[w->group];
    uint64_t rounds = w->rounds > w->c->tg->groups[w->group].count ? w->rounds : w->c->tg->groups[w->group].count;
    for (uint32_t i = 0; i < w->n; i++) { /* rounds: by what they do most often */
        rounds = w->at[i].n > rounds ? w->at[i].n : rounds;
    }
    for (uint32_t i = 0; i < w->n; i++) {
        struct asked *k = &w->at[i];
        struct told t;
        if ((double)rounds < threshold(TH_STAMPEDE_ROUNDS) * (double)k->n ||
            (double)k->total < threshold(TH_STAMPEDE_LIFE) * (double)l->life) {
            continue;
        }
        qsort(k->v, k->n, sizeof *k->v, cmp_ask);
        waves_of(k, &t);
        const double span = (double)(l->last - l->first), busy = (double)t.busy / span;
        const double by_chance = 1 - exp(-(double)k->total / span); /* if each came when it pleased */
        const double least =
            threshold(TH_STAMPEDE_WAVES) + k->runs; /* a host that stalls lets many run for long at once */
        if ((double)t.waves >= least && t.caused * 2 < t.waves && t.handed * 2 < t.waves && t.apart * 2 >= t.follow &&
            (double)t.in_waves >= threshold(TH_STAMPEDE_PART) * (double)k->n &&
            busy <= 1 - threshold(TH_STAMPEDE_QUIET) && busy <= threshold(TH_STAMPEDE_CHANCE) * by_chance) {
            stampede_finding(w->c, w->group, k, &t, rounds);
        } else if ((t.handed * 2 < t.waves || t.waves == 0) && !crowds_told(w->c, w->group, k, rounds)) {
            bursts_told(w->c, w->group, k);
        }
    }
}

void rules_waves(struct causes *c)
{
    uint64_t left = SPANS;
    struct known_callers known = {.n = trace_nstacks(c->tr)};
    known.by = mem_zalloc(((size_t)known.n + 1) * sizeof *known.by);
    if (!known.by) {
        c->rs->failed = true;
        return;
    }
    for (uint32_t i = 0; i < c->tg->ngroups && i < 24 && left && !c->rs->failed; i++) {
        struct waves w = {.c = c, .known = &known, .group = i, .left = left, .asks = may_ask(c, i)};
        const struct group_life *l = &c->life[i];
        const bool serves =
            !c->tg->groups[i].is_system && l->by[WK_NET] > 0; /* a library's, that calls the program */
        if (!(l->program || serves) || c->of[i].n < threshold(TH_STAMPEDE_ATONCE) || l->last <= l->first) {
            continue;
        }
        for (uint32_t m = 0; m < c->of[i].n && m < MEMBERS; m++) {
            if (!w.left || !asks_of(&w, causes_nth(c, i, m))) {
                break;
            }
        }
        left = w.left;
        waves_told(&w);
        for (uint32_t k = 0; k < w.n; k++) {
            mem_free(w.at[k].v);
        }
    }
    mem_free(known.by);
}
