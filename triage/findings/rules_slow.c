/*
 * rules_slow.c - why slow tasks are slow: the slow ones explained beside the usual ones, what differs most first.
 */
#include "triage/findings/causes.h"
#include "triage/findings/story.h"
#include "triage/findings/leaves.h"
#include "triage/findings/instances.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/retell.h"

#include <stdlib.h>
#include <string.h>

#define USUAL 24
#define MOMENTS 16
#define SAMPLES_DUE 8 /* fewer are chance */
#define MOMENT 3      /* slow ones that lie across one moment are more than chance */

struct ran_at {
    const struct trace *tr;
    uint32_t func, stack, frame;
};

static uint32_t ran_part(void *arg, uint32_t up, const struct explain_part *p)
{
    struct ran_at *r = arg;
    struct ran ran;
    (void)up;
    if (p->cat == EX_RUN && p->depth == 0) {
        const uint32_t func = explain_place(r->tr, p, &r->stack, &r->frame, &ran);
        const bool sure = ran.how <= RAN_ABOUT || ran.how == RAN_BETWEEN;
        r->func = sure && stacks_is_program(r->tr, func) ? func : 0;
    }
    return 0;
}

/* Where a processor's run was when the runtime stopped it: of what it did until then the best guess. */
static void stopped_in(const struct causes *c, const struct span *run, struct ran_at *r)
{
    struct span behind;
    if (trace_span_at(c->tr, (struct lane){LANE_G, run->who}, run->t1, &behind) && behind.state == ST_RUNNABLE &&
        behind.who == NO_LANE && behind.stack) {
        r->stack = behind.stack;
        r->frame = stacks_user_frame(c->tr, behind.stack);
        r->func = causes_place(c->tr, behind.stack);
    }
}

bool causes_ran_instead(struct causes *c, int64_t t0, int64_t t1, struct leaf *out)
{
    struct leaf v[MOMENTS];
    uint32_t n = 0, best = 0;
    uint64_t all = 0;
    for (int k = 0; k < MOMENTS; k++) {
        int64_t t = t0 + (t1 - t0) * (2 * k + 1) / (2 * MOMENTS);
        for (uint32_t p = 0; p < c->tg->np && p < 256; p++) {
            struct span s;
            uint32_t i = 0;
            if (!trace_span_at(c->tr, (struct lane){LANE_P, p}, t, &s) || s.state != ST_RUNNING ||
                s.who >= c->tg->ng) {
                continue;
            }
            struct ran_at r = {.tr = c->tr};
            bool cut = false;
            c->rs->failed |= !explain_walk(c->x, s.who, t, t + 1, ran_part, &r, &cut);
            if (!r.func) {
                stopped_in(c, &s, &r);
            }
            all++;
            while (i < n && v[i].func != r.func) {
                i++;
            }
            if (!r.func || i == MOMENTS) {
                continue;
            }
            if (i == n) {
                v[n++] = (struct leaf){.func = r.func, .stack = r.stack, .frame = r.frame, .g = s.who};
            }
            best = ++v[i].count > v[best].count ? i : best;
        }
    }
    if (n) {
        *out = v[best];
    }
    return n > 0 && out->count * 2 > all;
}

/* Had all processors somebody running, at nearly each moment of [t0,t1)? */
static bool all_ran(const struct causes *c, int64_t t0, int64_t t1)
{
    uint32_t full = 0;
    for (int k = 0; k < MOMENTS; k++) {
        const int64_t t = t0 + (int64_t)((double)(t1 - t0) * (2 * k + 1) / (2 * MOMENTS));
        bool all = c->tg->np > 0;
        for (uint32_t p = 0; all && p < c->tg->np; p++) {
            struct span s;
            all = trace_span_at(c->tr, (struct lane){LANE_P, p}, t, &s) && s.state == ST_RUNNING && s.who < c->tg->ng;
        }
        full += all;
    }
    return full >= MOMENTS - 1;
}

/*
 * A timer that went off late, or an answer that was there and not looked for: it is the scheduler that looks, between two
 * goroutines, and once in 10 ms or so when nothing else does. Of a wait that usually takes `usual` that is the likelier
 * story where all processors ran for the rest of it.
 */
static bool looked_for_late(const struct causes *c, const struct leaf *l, int64_t usual)
{
    return (l->cat == EX_TIMER || explain_waits_outside(l->cat)) && usual > 0 && l->t1 - l->t0 > 2 * usual &&
           all_ran(c, l->t0 + usual, l->t1);
}

/* The function where the time itself is waited, for half of it or more: 0 none. */
static uint32_t waits_most_at(const struct explain_tree *t)
{
    for (uint32_t k = t->v[0].first; k != NO_LANE; k = t->v[k].next) {
        if (t->v[k].cat == EX_WAIT && t->v[k].ns >= t->v[0].ns / 2) {
            return t->v[k].func;
        }
    }
    return 0;
}

static bool tree_of_instances(struct causes *c, const struct span_type *y, struct leaves *slow, struct leaves *usual,
                              uint32_t *waits_at)
{
    const struct task *k;
    const struct region *r;
    size_t n = y->is_region ? trace_regions(c->tr, &r) : trace_tasks(c->tr, &k), seen = 0;
    struct explain_tree s, u;
    bool ok = explain_tree_init(&s, c->tr);
    ok = explain_tree_init(&u, c->tr) && ok;
    for (uint32_t i = 0; ok && i < y->nslow && y->slow[i].t1 - y->slow[i].t0 > 2 * y->d.p50; i++) {
        const struct instance *o = &y->slow[i];
        const struct workpiece p =
            y->is_region ? workpiece_of_g(o->g, o->t0, o->t1) : workpiece_of_task(c->tr, o->index);
        ok = explain_add_piece(c->x, &s, &p);
    }
    for (size_t i = 0; ok && i < n && seen < USUAL; i++) {
        const uint32_t name = y->is_region ? r[i].name : k[i].name;
        const struct workpiece p =
            y->is_region ? workpiece_of_g(r[i].g, r[i].t0, r[i].t1) : workpiece_of_task(c->tr, i);
        if (name == y->name && p.t1 - p.t0 <= y->d.p50) {
            seen++;
            ok = explain_add_piece(c->x, &u, &p);
        }
    }
    if (ok) {
        causes_leaves(&s, slow);
        causes_leaves(&u, usual);
        *waits_at = waits_most_at(&s);
    }
    explain_tree_free(&s);
    explain_tree_free(&u);
    return ok;
}

/* Per instance, what a leaf takes in the usual ones. */
static int64_t usually(const struct leaves *u, const struct leaf *l, uint64_t n)
{
    for (uint32_t i = 0; i < u->n && n; i++) {
        if (u->v[i].cat == l->cat && u->v[i].func == l->func) {
            return u->v[i].ns / (int64_t)n;
        }
    }
    return 0;
}

/*
 * Do nearly all slow ones lie across one moment? Then something stood still there, once: the host, a service, the disk. What is slow
 * again and again doesn't. *at: that moment.
 */
static bool one_moment(const struct causes *c, const struct span_type *y, int64_t *at)
{
    const struct task *k;
    const struct region *r;
    const size_t n = y->is_region ? trace_regions(c->tr, &r) : trace_tasks(c->tr, &k);
    int64_t end = INT64_MAX, all = 0, elsewhere = 0;
    *at = y->slow[0].t0;
    for (uint32_t i = 0; i < y->nslow && i < MOMENT; i++) {
        *at = y->slow[i].t0 > *at ? y->slow[i].t0 : *at;
        end = y->slow[i].t1 < end ? y->slow[i].t1 : end;
    }
    for (size_t i = 0; i < n && y->nslow >= MOMENT && *at < end; i++) {
        const uint32_t name = y->is_region ? r[i].name : k[i].name;
        const int64_t t0 = y->is_region ? r[i].t0 : k[i].t0, t1 = y->is_region ? r[i].t1 : k[i].t1;
        if (name == y->name && (double)(t1 - t0) >= threshold(TH_SLOW_MEDIAN) * (double)y->d.p50) {
            all = ns_add(all, t1 - t0);
            elsewhere = t0 > *at || t1 < *at ? ns_add(elsewhere, t1 - t0) : elsewhere;
        }
    }
    return all > 0 && !threshold_reached(TH_SLOW_ELSEWHERE, elsewhere, all);
}

/* Slow instances beside usual ones: where they spend their time. */
struct slow {
    const struct span_type *y;
    struct leaves s, u;
    uint64_t n;           /* how many are slow: more than twice the median */
    const struct leaf *l; /* what they spend most more time on */
    int64_t usual;        /* what the usual ones spend there */
};

/* false: there is nothing to tell. */
static bool slow_most(struct slow *o)
{
    uint32_t best = 0;
    int64_t most = 0;
    while (o->n < o->y->nslow && o->y->slow[o->n].t1 - o->y->slow[o->n].t0 > 2 * o->y->d.p50)
        o->n++;
    if (o->s.n == 0 || o->n == 0)
        return false;
    for (uint32_t k = 0; k < o->s.n; k++) {
        const int64_t d = o->s.v[k].ns / (int64_t)o->n - usually(&o->u, &o->s.v[k], USUAL);
        if (!k || d > most) {
            best = k;
            most = d;
        }
    }
    o->l = &o->s.v[best];
    o->usual = usually(&o->u, o->l, USUAL);
    return o->l->stack;
}

/* Those that have the processors: others, or the slow ones' own kind, of which all that are at work at once are slow. */
static void slow_instead(struct causes *c, struct finding *f, const struct slow *o, const struct leaf *ran)
{
    const uint32_t g = o->y->slow[0].g;
    const bool own = g < c->tg->ng && ran->g < c->tg->ng && trace_g_name(c->tr, g) == trace_g_name(c->tr, ran->g);
    f->note |= own;
    retell_next(
        c->rs, f,
        own ? "They compete for the processors: make what they run there cheaper, run fewer at once, or give the "
              "program more processors."
            : "Run fewer of those at once than there are processors, in shorter pieces, or in their own process.");
}

/* What the usual ones have there; NULL: the slow ones don't wait there twice as often as these, and that for more than longer answers. */
static const struct leaf *more_often(const struct slow *o)
{
    const struct leaf *l = o->l, *u = NULL;
    for (uint32_t i = 0; i < o->u.n && !u; i++) {
        u = o->u.v[i].cat == l->cat && o->u.v[i].func == l->func ? &o->u.v[i] : NULL;
    }
    if (!u || !u->count || !l->count || !explain_waits_outside(l->cat) || o->y->d.n < 2 * USUAL) {
        return NULL;
    }
    const double times = (double)l->count / (double)o->n / ((double)u->count / USUAL);
    const double longer = (double)l->ns / (double)l->count / ((double)u->ns / (double)u->count);
    return times >= 2 && times >= longer ? u : NULL;
}

/* By what they spend more time on, and whose time it is. */
static const char *slow_next(const struct causes *c, const struct slow *o)
{
    const bool own = o->y->slow[0].g < c->tg->ng && o->l->who == trace_g_name(c->tr, o->y->slow[0].g);
    switch (o->l->cat) {
    case EX_NET:
    case EX_PIPE:
        if (more_often(o)) {
            return "They ask again and again: see why (tries that fail, one question for each of many things), "
                   "ask for all at once, or pause between two tries.";
        }
        return "Some answers take longer than usual: see what is asked for then, ask for it earlier or for less, or "
               "don't wait for it.";
    case EX_TIMER:
        return "A timer ends their wait: see whether what they wait for can still come; let it wake them, or wait "
               "more briefly.";
    case EX_GC:
    case EX_ASSIST:
        return "Collections hold these up: don't force one there, allocate less, or give the heap more room.";
    case EX_SYSCALL: return "The call sometimes takes longer: make it where nobody waits for it, or once for many.";
    case EX_RUN:
        if (!own) {
            return "They wait for what runs there: let it hold them up less, or not at all (elsewhere, on a copy, in "
                   "shorter pieces).";
        }
        break;
    default: break;
    }
    return "Open the slowest (its lane) beside one of median length: what it does more of there is what to change.";
}

/* What it is that the slow ones spend more time on, or what has the processors instead. */
static void slow_blames(struct causes *c, struct finding *f, const struct slow *o, struct text *before)
{
    const struct leaf *l = o->l;
    const bool late = looked_for_late(c, l, o->usual);
    struct leaf ran;
    f->queued = l->cat == EX_SCHED || late;
    f->ends_with = l->who;
    if (l->cat == EX_SCHED && causes_ran_instead(c, l->t0, l->t1, &ran)) {
        causes_calls_text(before, c->tr, &ran);
        text_lit(before, " has the processors while the slow ones wait for one. ");
        slow_instead(c, f, o, &ran);
    } else if (late && causes_ran_instead(c, l->t0 + o->usual, l->t1, &ran)) {
        causes_calls_text(before, c->tr, &ran);
        text_say(before, c->tr, " has the processors when the slow ones' ",
                 l->cat == EX_TIMER ? "timer is due" : "answer comes, most likely",
                 ": all of them keep running, and none polls. ");
        slow_instead(c, f, o, &ran);
    } else {
        f->blames = l->func;
        causes_calls_text(before, c->tr, l);
        text_lit(before, " is what the slow ones spend more time on. ");
        retell_next(c->rs, f, slow_next(c, o));
    }
}

/* Where their time was, and what had the processors while they waited for one. */
static void slow_spent(struct causes *c, const struct slow *o, struct text *behind)
{
    struct leaf ran;
    text_add(behind, " On their critical paths the %llu slowest were ", (unsigned long long)o->n);
    for (uint32_t k = 0; k < o->s.n && k < 3 && (k == 0 || o->s.v[k].ns > o->s.all / 20); k++) {
        text_raw(behind, "; ", k ? 2 : 0);
        causes_leaf_text(behind, c->tr, &o->s.v[k], o->s.all);
    }
    text_lit(behind, ".");
    const struct leaf *u = more_often(o);
    if (u) {
        text_say(behind, c->tr, " They wait there ", t_f1((double)o->l->count / (double)o->n), " times each, ",
                 t_dur(o->l->ns / (int64_t)o->l->count), " each time; the usual ones ",
                 t_f1((double)u->count / USUAL), " times, ", t_dur(u->ns / (int64_t)u->count), ".");
    }
    for (uint32_t k = 0; k < o->s.n; k++) {
        const struct leaf *l = &o->s.v[k];
        if (l->cat == EX_SCHED && l != o->l && l->ns > o->s.all / 10 && causes_ran_instead(c, l->t0, l->t1, &ran)) {
            text_lit(behind, " While they waited for a processor, the processors had ");
            causes_calls_text(behind, c->tr, &ran);
            text_lit(behind, ".");
            return;
        }
    }
}

/*
 * More work, or a host that took the thread away? A CPU sample comes for each so much that a thread really runs: where as many fell on the
 * slow ones as elsewhere in the trace they ran, and where hardly any did they only seemed to.
 */
static void longer_text(struct text *t, struct causes *c, const struct span_type *y)
{
    const struct sample *m;
    struct legs l = {0};
    struct legs_cpu slow = {0};
    int64_t ran = 0;
    for (uint32_t i = 0; i < y->nslow; i++) {
        const struct instance *o = &y->slow[i];
        const struct workpiece p =
            y->is_region ? workpiece_of_g(o->g, o->t0, o->t1) : workpiece_of_task(c->tr, o->index);
        c->rs->failed |= !explain_legs(c->x, &p, &l);
        legs_cpu(c->tr, &l, &slow);
    }
    legs_free(&l);
    for (uint32_t i = 0; i < c->tg->ngroups; i++) {
        ran = ns_add(ran, c->tg->groups[i].d[GM_EXEC].total);
    }
    const size_t all = trace_samples(c->tr, &m);
    const double due = ran > 0 ? (double)all / (double)ran * (double)slow.ran : 0;
    if (due < SAMPLES_DUE) {
        text_add(t, "more work, or a host that took the thread away; %s.",
                 all ? "the trace has too few CPU samples to tell" : "without CPU samples a trace cannot tell which");
        return;
    }
    const double part = (double)slow.samples / due;
    text_say(t, c->tr,
             part >= 0.6   ? "more work"
             : part <= 0.3 ? "a host that took the thread away"
                           : "more work and a host that took the thread away, both",
             " (", slow.samples, " CPU samples fell on the slowest, where in this trace ", t_f0(due), " are usual).");
}

/* What may be no fault of theirs: something outside stood still, or all of them do it. */
static void slow_doubt(struct causes *c, struct finding *f, const struct slow *o, struct text *behind)
{
    int64_t at;
    if (one_moment(c, o->y, &at)) {
        text_say(behind, c->tr, " Most of the slow ones' time falls on one moment (@", t_dur(at),
                 "): something stalled then, once, perhaps outside the process.");
        f->note = true;
        retell_next(c->rs, f,
                    "See what stalled at that moment: the host, a service, a disk. If it recurs, wait for it less.");
    }
    if (o->l->cat == EX_RUN && o->usual > 0) { /* what all of them do, only longer */
        text_lit(behind, " They ran longer in the same code as the usual ones: ");
        longer_text(behind, c, o->y);
        f->note = true;
    }
}

/* What they log, if that tells the slow ones from the others. */
static void tell_logged(struct causes *c, struct finding *f)
{
    struct text behind = {0}, next = {0};
    if (logged_text(&behind, &next, c->rs, f)) {
        retell_advice(c->rs, f, &next);
        retell_behind(c->rs, f, &behind);
    }
    text_free(&behind);
    text_free(&next);
}

static void tell_slow(struct causes *c, struct finding *f)
{
    struct slow o = {.y = c->tg->types};
    struct text before = {0}, behind = {0};
    const struct span_type *end = c->tg->types + c->tg->ntypes;
    while (o.y < end && (!o.y->nslow || o.y->slow[0].t0 != f->t0 || o.y->slow[0].t1 != f->t1)) {
        o.y++;
    }
    if (o.y == end) {
        return;
    }
    if (!tree_of_instances(c, o.y, &o.s, &o.u, &f->waits_at)) {
        c->rs->failed = true;
        return;
    }
    if (slow_most(&o)) {
        slow_blames(c, f, &o, &before);
        slow_spent(c, &o, &behind);
        slow_doubt(c, f, &o, &behind);
        retell(c->rs, f, &before, &behind);
    }
}

void rules_slow(struct causes *c)
{
    for (uint32_t i = 0; i < c->rs->out->n && !c->rs->failed; i++) {
        if (c->rs->out->f[i].rule == RULE_SLOW_TASK) {
            tell_slow(c, &c->rs->out->f[i]);
            tell_logged(c, &c->rs->out->f[i]);
        }
    }
}
