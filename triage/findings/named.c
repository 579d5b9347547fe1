/*
 * named.c - what the rules on the tables told is named, before the rules about causes speak: who holds a convoy's
 * lock, who wakes a herd, who stops the world, what the busiest goroutines run.
 */
#include "triage/findings/causes.h"
#include "triage/findings/holder.h"
#include "triage/findings/leaves.h"
#include "triage/findings/let_go.h"
#include "triage/findings/retell.h"
#include "triage/findings/story.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/works.h"

#include <string.h>

#define WAITS_LOOKED_AT 48
#define CONVOYS_TOLD 32 /* of more, the holders stay untold: each looks at all waits for locks */

/* Readers that wait for a writer which itself waits for a reader. */
static bool behind_a_writer(const struct explain_tree *t)
{
    int64_t all = 0, behind = 0;
    for (uint32_t i = 1; i < t->n; i++) {
        const struct explain_node *n = &t->v[i];
        if (n->up == 0 && stacks_has(t->tr, n->stack, "RWMutex).RLock")) {
            all = ns_add(all, n->ns);
            for (uint32_t k = n->first; k != NO_LANE; k = t->v[k].next) {
                behind = t->v[k].cat == EX_WAIT && stacks_has(t->tr, t->v[k].stack, "RWMutex).Lock")
                             ? ns_add(behind, t->v[k].ns)
                             : behind;
            }
        }
    }
    return all > 0 && behind > all / 2;
}

/* Of what holders did: runs longer than the runtime lets anyone run, and whose they were. */
struct hostlike {
    int64_t run, all;
    bool stops; /* it does stop who runs long */
    uint32_t g; /* one of them, NO_LANE none */
    bool several;
};

static uint32_t hostlike_part(void *arg, uint32_t up, const struct explain_part *p)
{
    struct hostlike *h = arg;
    if (!p->followed) {
        h->all = ns_add(h->all, p->t1 - p->t0);
        if (h->stops && p->cat == EX_RUN && p->t1 - p->t0 >= threshold_ns(TH_HOST_RUN)) {
            h->run = ns_add(h->run, p->t1 - p->t0);
            h->several |= h->g != NO_LANE && h->g != p->g;
            h->g = p->g;
        }
    }
    return up;
}

/*
 * A convoy behind threads that had no processor is the host's, however it looks. One goroutine alone may be in a call
 * that can't be stopped: it takes several.
 */
static void convoy_of_the_host(struct finding *f, const struct hostlike *h, struct text *behind)
{
    if (!h->several || (double)h->run < threshold(TH_HOST_HOLDER) * (double)h->all) {
        return;
    }
    f->note = true;
    text_lit(behind, " The host seems to have taken their threads off the processors: ");
    text_share(behind, (double)h->run, (double)h->all);
    text_lit(behind, " of that were runs longer than the runtime allows. On a quiet host there may be no convoy.");
}

/* Who of several callers it is that holds most. */
static void most_calls(struct text *t, const struct trace *tr, const struct leaf *l)
{
    const struct caller by = callers_most(&l->callers, l->ns);
    if (by.func) {
        text_say(t, tr, t_func(by.func), " calls ", t_func(l->func), " for ", by.least ? "at least " : "",
                 t_share(by.share, 1), " of the time that it holds the others. ");
    }
}

/* Who holds many locks until it is done with the last. */
static void tell_bursts(struct causes *c, struct finding *f, uint32_t place, struct text *behind)
{
    struct let_go l;
    if (!let_go_bursts(c, place, &l)) {
        return;
    }
    text_say(behind, c->tr, " ", l.bursts, " times one goroutine, most recently ", t_who(l.g),
             ", released several locks at one moment (", t_f1((double)l.waits / l.bursts),
             " waiters went on each time): it had held them all until then (inferred).");
    retell_next(c->rs, f,
                "Release each lock as soon as its work is done (a defer inside a loop releases them all when the "
                "function ends), or take one at a time.");
}

/* Holders that wait for a processor most of the time: who has the processors is what all wait for. */
static void held_up_text(struct causes *c, struct finding *f, const struct leaves *v, struct text *behind)
{
    int64_t queued = 0;
    const struct leaf *most = NULL;
    struct leaf ran;
    for (uint32_t i = 0; i < v->n; i++) {
        queued = v->v[i].cat == EX_SCHED ? ns_add(queued, v->v[i].ns) : queued;
        most = !most && v->v[i].cat == EX_SCHED ? &v->v[i] : most;
    }
    if (most && queued > v->all / 2 && causes_ran_instead(c, most->t0, most->t1, &ran) &&
        holder_lock(c->tg, ran.func) !=
            holder_lock(c->tg, holder_place(c->tr, f->stack))) { /* or it may be that work itself */
        text_lit(behind, " For most of that the holder waits for a processor; the processors had ");
        causes_calls_text(behind, c->tr, &ran);
        text_lit(behind, " meanwhile.");
        retell_next(c->rs, f,
                    "The lock is not the bottleneck, the processors are: run fewer of the goroutines that occupy "
                    "them at once, or in shorter pieces; and hold the lock more briefly, so that nobody is preempted "
                    "while holding it.");
    }
}

/* During so many waits of n. */
static void during_text(struct text *t, uint32_t looked, uint32_t n)
{
    text_lit(t, " During these waits");
    if (looked < n) {
        text_add(t, " (%u of %u examined)", looked, n);
    }
    text_lit(t, " the lock's holder, or whoever the holder waited for, was ");
}

/*
 * What who had the lock did. Of a wait that is not over it is not known who that is: nobody has given the lock back
 * yet.
 */
static void had_it_text(struct text *t, const struct trace *tr, const struct leaves *v, uint32_t looked, uint32_t n)
{
    int64_t open = 0;
    uint32_t told = 0;
    for (uint32_t i = 0; i < v->n; i++) {
        open += v->v[i].cat == EX_OPEN ? v->v[i].ns : 0;
    }
    for (uint32_t i = 0; i < v->n && told < 4; i++) {
        if (v->v[i].cat != EX_OPEN && (told == 0 || v->v[i].ns > v->all / 20)) {
            if (told++) {
                text_lit(t, "; ");
            } else {
                during_text(t, looked, n);
            }
            causes_leaf_text(t, tr, &v->v[i], v->all);
        }
    }
    text_add(t, "%s", told ? " (inferred)." : "");
    if (open > v->all / 20) {
        text_lit(t, " For ");
        text_share(t, (double)open, (double)v->all);
        text_lit(t, " of the waiting it is still held when the trace ends; by whom is not recorded.");
    }
}

void causes_tell_holders(struct causes *c, struct finding *f)
{
    const uint32_t place = holder_place(c->tr, f->stack), lock = holder_lock(c->tg, place);
    uint32_t n = 0, seen = 0, looked = 0;
    struct explain_tree t;
    struct leaves v;
    struct text before = {0}, behind = {0};
    struct hostlike host = {.stops = trace_info(c->tr)->version >= 1014, .g = NO_LANE};
    if (!explain_tree_init(&t, c->tr)) {
        c->rs->failed = true;
        return;
    }
    for (uint32_t i = 0; i < c->tg->nlock_waits; i++) {
        n += c->tg->lock_waits[i].lock == lock;
    }
    for (uint32_t i = 0; i < c->tg->nlock_waits && explain_left(c->x); i++) {
        const struct lock_wait *w = &c->tg->lock_waits[i];
        if (w->lock == lock && seen++ % (n / WAITS_LOOKED_AT + 1) == 0) {
            looked++;
            bool cut = false;
            if (!explain_walk(c->x, w->g, w->t0, w->t1, hostlike_part, &host, &cut) ||
                !explain_add(c->x, &t, w->g, w->t0, w->t1)) {
                c->rs->failed = true;
                break;
            }
        }
    }
    causes_leaves(&t, &v);
    bool writer = behind_a_writer(&t);
    explain_tree_free(&t);
    if (v.n == 0 || v.all <= 0 || c->rs->failed) {
        return;
    }
    f->ends_with = v.v[0].who;
    if (explain_waits_outside(v.v[0].cat) && v.v[0].ns > v.all / 2 && f->next && strcmp(f->next, HOLDER_WAITS) == 0) {
        retell_next(c->rs, f, v.v[0].cat == EX_PIPE ? HOLDER_PIPE : HOLDER_NET); /* for one that does */
    }
    if (v.v[0].stack && (stacks_once(c->tr, f->stack) || !stacks_passes(c->tr, v.v[0].stack, place))) {
        /* else the text begins with the place itself */
        causes_calls_text(&before, c->tr, &v.v[0]);
        text_lit(&before, " is what they wait for. ");
    } else if (v.v[0].stack && v.v[0].mixed) {
        most_calls(&before, c->tr, &v.v[0]);
    }
    had_it_text(&behind, c->tr, &v, looked, n);
    if (v.v[0].cat == EX_RUN && untimed_calls(c, v.v[0].func)) {
        untimed_text(&behind, c, v.v[0].func);
        f->at_device = untimed_keeps(c, v.v[0].func);
        if (f->at_device) {
            retell_next(c->rs, f, KEEPS_TOGETHER);
        }
    }
    held_up_text(c, f, &v, &behind);
    tell_bursts(c, f, place, &behind);
    convoy_of_the_host(f, &host, &behind);
    if (writer) {
        text_lit(&behind,
                 " Readers wait because a writer queues ahead of them, behind a reader that keeps its read lock.");
        retell_as(c->rs, f, RULE_WRITER);
        retell_next(c->rs, f,
                    "Hold the read lock more briefly there (copy what is needed, then unlock), or let the writer "
                    "swap in a new copy.");
    }
    retell(c->rs, f, &before, &behind);
}

static void tell_waker(struct causes *c, struct finding *f)
{
    const struct pair_row *most = NULL;
    struct text before = {0};
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        most = p->stack == f->stack && !p->from_scheduler && (!most || p->futile > most->futile) ? p : most;
    }
    if (most && causes_place(c->tr, most->waker_stack)) {
        text_say(&before, c->tr, t_place(most->waker_stack, 3), " wakes more goroutines than it needs to: ");
    }
    retell_before(c->rs, f, &before);
}

/*
 * Where some of the collector's stops are quite short, a stop as such takes no longer: what they cost are the others,
 * for which stops_held() knows nobody that runs on.
 */
static bool few_long(struct causes *c, struct finding *f)
{
    const int64_t quick = hist_quantile(&c->tg->stw_gc, 0.25);
    struct text behind = {0};
    if (c->tg->stw_gc.n == 0 ||
        (double)quick * (double)c->tg->stw_gc.n > threshold(TH_STW_USUAL) * (double)f->severity_ns) {
        return false;
    }
    f->note = true;
    text_say(&behind, c->tr, " A quarter of them took ", t_dur(quick),
             " or less: a few long ones are most of it, and the last goroutine to stop is not always at the same "
             "line, so the host may have taken threads off the processors (inferred). Collecting less often only "
             "makes them rarer.");
    retell_next(c->rs, f,
                "Trace again on a quiet host, with GOMAXPROCS no higher than the CPUs it really provides, before you "
                "change the program.");
    retell_behind(c->rs, f, &behind);
    return true;
}

static bool long_run(void *arg, const struct span *s)
{
    bool *one = arg;
    *one |= s->state == ST_RUNNING;
    return !*one;
}

/* Nearly all that a goroutine ran, it ran at one go: its work, or the host's doing. */
static bool at_one_go(const struct causes *c, uint32_t g)
{
    bool one = false;
    trace_wide(c->tr, (struct lane){LANE_G, g},
               &(struct wide_ask){0, c->tg->end, gstat_ns(c->tg->g, g, GM_EXEC) * 4 / 5 + 1, long_run, &one,
                                  1u << ST_RUNNING});
    return one;
}

/* A goroutine of the group that ran most. */
static uint32_t most_running(const struct causes *c)
{
    uint32_t best = NO_LANE, g = NO_LANE;
    for (uint32_t i = 0; i < c->tg->ngroups; i++) {
        const struct group *x = &c->tg->groups[i];
        if (!x->is_system && (best == NO_LANE || x->d[GM_EXEC].total > c->tg->groups[best].d[GM_EXEC].total)) {
            best = i;
        }
    }
    for (uint32_t i = 0; best != NO_LANE && i < c->of[best].n; i++) {
        uint32_t m = causes_nth(c, best, i);
        g = g == NO_LANE || gstat_ns(c->tg->g, m, GM_EXEC) > gstat_ns(c->tg->g, g, GM_EXEC) ? m : g;
    }
    return g;
}

/*
 * Where goroutine g runs most. What it stood in before and behind is not where it ran: moments inside its runs tell
 * that, where there are any; else it is said between what.
 */
static void runs_most_text(struct text *t, const struct causes *c, const struct leaf *l, uint32_t g,
                           const char *words)
{
    struct inside in;
    if (ran_how(&l->ran) == RAN_IN) {
        causes_calls_text(t, c->tr, l);
        text_add(t, "%s", words);
    } else if (moments_inside(c, gstat_group(c->tg->g, g), &in)) {
        inside_name(t, c, &in, 3);
        text_add(t, "%s", words);
    } else {
        text_say(t, c->tr, t_func(trace_g_name(c->tr, g)), " runs most");
        ran_text(t, c->tr, &l->ran, l->stack, l->frame, l->mixed ? 1 : EXPLAIN_CALLS);
        text_lit(t, ". ");
    }
}

/* The function that a goroutine runs most, named first, where the trace tells. */
static void tell_work(struct causes *c, struct finding *f, uint32_t g, const char *words)
{
    struct leaves v;
    struct text before = {0};
    if (g == NO_LANE) {
        return;
    }
    struct lane_info li = trace_lane(c->tr, (struct lane){LANE_G, g});
    c->rs->failed |= !leaves_between(c, g, li.first, li.last, &v);
    for (uint32_t i = 0; i < v.n; i++) {
        if (v.v[i].cat == EX_RUN && v.v[i].g == g && v.v[i].stack && stacks_is_program(c->tr, v.v[i].func)) {
            runs_most_text(&before, c, &v.v[i], g, words);
            break;
        }
    }
    retell_before(c->rs, f, &before);
}

void story_names(struct causes *c)
{
    struct rules *rs = c->rs;
    unsigned convoys = 0;
    for (uint32_t i = rs->out->n; i-- > 0 && !rs->failed;) {
        struct finding *f = &rs->out->f[i];
        if (f->rule == RULE_CHURN && f->lane.i != NO_LANE && !c->life[gstat_group(c->tg->g, f->lane.i)].program) {
            findings_leave_out(rs->out, i); /* what the library begins nobody can change */
        } else if (f->rule == RULE_UNBALANCED && f->lane.i != NO_LANE) {
            f->note |= at_one_go(c, f->lane.i);
            tell_work(c, f, f->lane.i, " is what it runs. ");
        } else if (f->rule == RULE_PROCS_BELOW && c->tg->ngroups && f->note) {
            tell_work(c, f, most_running(c), " runs most. ");
        } else if (f->rule == RULE_CONVOY && f->stack && convoys++ < CONVOYS_TOLD) {
            f->note |= causes_place(c->tr, f->stack) == 0 &&
                       !threshold_reached(TH_CONVOY_LIBRARY, f->severity_ns, c->tg->end); /* the library's own */
            causes_tell_holders(c, f);
        } else if (f->rule == RULE_STW && !story_gc_stop(f)) {
            stops_asked(c, f);
        } else if (story_gc_stop(f) && f->severity_ns > 0 && story_many_gc_stops(rs, f) && stops_held(c, f)) {
            continue;
        } else if (f->severity_ns > 0 && story_many_gc_stops(rs, f) && few_long(c, f)) {
            continue;
        } else if (f->rule == RULE_GC_SHARE || f->rule == RULE_HEAP || story_many_gc_stops(rs, f) ||
                   (f->rule == RULE_GC_ASSIST && !story_has(rs, RULE_GC_SHARE))) {
            causes_tell_gc(c, i);
        } else if (f->rule == RULE_HERD) {
            tell_waker(c, f);
        }
    }
}
