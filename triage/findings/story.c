/*
 * story.c - one story is one finding: rules look at the same trouble from several sides, so what is a sign of another
 * finding's cause goes under it, and what a finding is about is named first.
 *
 * Signs are scheduler latency, idle processors with work at hand, mutator utilisation, assists, the collector's stops,
 * and locks that a crowd queues for. Where no cause is told they stay, as notes.
 */
#include "triage/findings/causes.h"
#include "triage/findings/holder.h"
#include "triage/findings/let_go.h"
#include "triage/findings/thresholds.h"

#include <string.h>

#include "decode/base/mem.h"

#define WAITS_LOOKED_AT 48
#define CONVOYS_TOLD 32 /* of more, the holders stay untold: each looks at all waits for locks */

static void drop(struct rules *rs, uint32_t i)
{
    struct finding *f = &rs->out->f[i];
    mem_free(f->amount);
    mem_free(f->title);
    mem_free(f->text);
    mem_free(f->next);
    mem_free(f->won);
    memmove(f, f + 1, (--rs->out->n - i) * sizeof *f);
}

static bool has(const struct rules *rs, enum rule r)
{
    for (uint32_t i = 0; i < rs->out->n; i++) {
        if (rs->out->f[i].rule == r) {
            return true;
        }
    }
    return false;
}

void causes_retell(struct rules *rs, struct finding *f, struct text *before, struct text *behind)
{
    struct text t = {0};
    text_raw(&t, before->p ? before->p : "", before->n);
    text_raw(&t, f->text, strlen(f->text));
    text_raw(&t, behind->p ? behind->p : "", behind->n);
    char *s = text_ok(before) && text_ok(behind) ? text_take(&t) : NULL;
    text_free(&t);
    text_free(before);
    text_free(behind);
    if (!s) {
        rs->failed = true;
        return;
    }
    mem_free(f->text);
    f->text = s;
}

void causes_tell_before(struct rules *rs, struct finding *f, struct text *before)
{
    causes_retell(rs, f, before, &(struct text){0});
}

void causes_tell_behind(struct rules *rs, struct finding *f, struct text *behind)
{
    causes_retell(rs, f, &(struct text){0}, behind);
}

void causes_advise(struct rules *rs, struct finding *f, const char *what)
{
    struct text next = {0};
    text_add(&next, "%s", what);
    char *say = text_take(&next);
    rs->failed |= !say;
    if (say) {
        mem_free(f->next);
        f->next = say;
    }
}

static void rename_rule(struct rules *rs, struct finding *f, enum rule r)
{
    struct text t = {0};
    text_add(&t, "%s", rule_title(r));
    char *s = text_take(&t);
    if (!s) {
        rs->failed = true;
        return;
    }
    mem_free(f->title);
    f->title = s;
    f->rule = r;
    f->view = rule_view(r);
}

/* ---- locks: what the holders did ------------------------------------------------------------------------------------ */

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

/* A convoy behind threads that had no processor is the host's, however it looks. One goroutine alone may be in a call that can't be
 * stopped: it takes several. */
static void convoy_of_the_host(struct finding *f, const struct hostlike *h, struct text *behind)
{
    if (!h->several || (double)h->run < threshold(TH_HOST_HOLDER) * (double)h->all) {
        return;
    }
    f->note = true;
    text_lit(behind, " The host had threads of theirs elsewhere, it seems: ");
    text_share(behind, (double)h->run, (double)h->all);
    text_lit(behind,
             " of that were runs longer than the runtime lets anyone run. On a quiet host there may be no convoy.");
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
    text_say(behind, c->tr, " ", l.bursts, " times one goroutine, the last time ", t_who(l.g),
             ", gave several locks back at one moment (", t_f1((double)l.waits / l.bursts),
             " of those that waited went on each time): it had held them all until then (inferred).");
    causes_advise(
        c->rs, f,
        "Give each lock back when what it is for is done (a defer in a loop gives all back at its end), or take "
        "one at a time.");
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
    if (most && queued > v->all / 2 && causes_ran_instead(c, most->t0, most->t1, &ran)) {
        text_lit(behind, " Who has it waits for a processor for most of that; the processors had ");
        causes_calls_text(behind, c->tr, &ran);
        text_lit(behind, " meanwhile.");
        causes_advise(
            c->rs, f,
            "The lock is not what is short: let fewer of those that have the processors run at once than there "
            "are, or in shorter pieces; and hold the lock for less, so that nobody is stopped with it.");
    }
}

void causes_tell_holders(struct causes *c, struct finding *f)
{
    uint32_t place = trace_frame(c->tr, f->stack, stacks_user_frame(c->tr, f->stack)).func, n = 0, seen = 0,
             looked = 0;
    struct explain_tree t;
    struct leaves v;
    struct text before = {0}, behind = {0};
    struct hostlike host = {.stops = trace_info(c->tr)->version >= 1014, .g = NO_LANE};
    if (!explain_tree_init(&t, c->tr)) {
        c->rs->failed = true;
        return;
    }
    for (uint32_t i = 0; i < c->tg->nlock_waits; i++) {
        uint32_t s = c->tg->lock_waits[i].stack;
        n += trace_frame(c->tr, s, stacks_user_frame(c->tr, s)).func == place;
    }
    for (uint32_t i = 0; i < c->tg->nlock_waits && explain_left(c->x); i++) {
        const struct lock_wait *w = &c->tg->lock_waits[i];
        if (trace_frame(c->tr, w->stack, stacks_user_frame(c->tr, w->stack)).func == place &&
            seen++ % (n / WAITS_LOOKED_AT + 1) == 0) {
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
    if (v.v[0].cat == EX_NET && v.v[0].ns > v.all / 2 && f->next && strcmp(f->next, HOLDER_WAITS) == 0) {
        causes_advise(c->rs, f, stacks_pipe(c->tr, v.v[0].stack) ? HOLDER_PIPE : HOLDER_NET); /* for one that does */
    }
    if (v.v[0].stack && (stacks_once(c->tr, f->stack) || !stacks_passes(c->tr, v.v[0].stack, place))) {
        /* else the text begins with the place itself */
        causes_calls_text(&before, c->tr, &v.v[0]);
        text_lit(&before, " is what they wait for. ");
    } else if (v.v[0].stack && v.v[0].mixed) {
        most_calls(&before, c->tr, &v.v[0]);
    }
    text_add(&behind, " Over %u of its %u waits, hand-offs followed, who had it was ", looked, n);
    for (uint32_t i = 0; i < v.n && i < 4 && (i == 0 || v.v[i].ns > v.all / 20); i++) {
        text_raw(&behind, "; ", i ? 2 : 0);
        causes_leaf_text(&behind, c->tr, &v.v[i], v.all);
    }
    text_lit(&behind, " (inferred).");
    held_up_text(c, f, &v, &behind);
    tell_bursts(c, f, place, &behind);
    convoy_of_the_host(f, &host, &behind);
    if (writer) {
        text_lit(&behind, " Readers wait because a writer waits in front of them for a reader that holds on.");
        rename_rule(c->rs, f, RULE_WRITER);
        causes_advise(c->rs, f,
                      "Hold the read lock for less there (copy what is read and let go), or let the writer put a "
                      "new copy in place.");
    }
    causes_retell(c->rs, f, &before, &behind);
}

/* ---- herds: who asks for them ----------------------------------------------------------------------------------------- */

static void tell_waker(struct causes *c, struct finding *f)
{
    const struct pair_row *most = NULL;
    struct text before = {0};
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        most = p->stack == f->stack && !p->from_scheduler && (!most || p->futile > most->futile) ? p : most;
    }
    if (most && causes_place(c->tr, most->waker_stack)) {
        text_say(&before, c->tr, t_place(most->waker_stack, 3), " wakes more than it needs: ");
    }
    causes_tell_before(c->rs, f, &before);
}

static bool is_gc_stop(const struct finding *f)
{
    const char *k = strchr(f->key, ':');
    return f->rule == RULE_STW && k && (strncmp(k + 1, "GC ", 3) == 0 || k[1] == 0);
}

/* Stops that take so much are a finding, unless the collector is told for its work. */
static bool many_gc_stops(const struct rules *rs, const struct finding *f)
{
    return is_gc_stop(f) && (double)rs->tg->gc_cycles >= threshold(TH_GCA_CYCLES) &&
           threshold_reached(TH_STW_GC, f->severity_ns, rs->tg->end) && !has(rs, RULE_GC_SHARE) &&
           !has(rs, RULE_GC_ASSIST) && !has(rs, RULE_FORCED);
}

/*
 * Where some of the collector's stops are quite short, a stop as such takes no longer: what they cost are the others, for which
 * stops_held() knows nobody that runs on.
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
             " or less: the long ones are most of that, and who stops last is not always at one line; it may be the "
             "host that had threads elsewhere (inferred). Collecting less often only makes them rarer.");
    causes_advise(c->rs, f,
                  "Trace again on a quiet host, with no more processors (GOMAXPROCS) than it gives, before you "
                  "change the program.");
    causes_tell_behind(c->rs, f, &behind);
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
    trace_wide(c->tr, (struct lane){LANE_G, g}, 0, c->tg->end, gstat_ns(c->tg->g, g, GM_EXEC) * 4 / 5 + 1, long_run,
               &one);
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
        uint32_t m = c->member[c->of[best].at + i];
        g = g == NO_LANE || gstat_ns(c->tg->g, m, GM_EXEC) > gstat_ns(c->tg->g, g, GM_EXEC) ? m : g;
    }
    return g;
}

/* The function that a goroutine runs most, named first, where the trace tells. */
static void tell_work(struct causes *c, struct finding *f, uint32_t g, const char *words)
{
    struct explain_tree t;
    struct leaves v = {0};
    struct text before = {0};
    if (g == NO_LANE) {
        return;
    }
    struct lane_info li = trace_lane(c->tr, (struct lane){LANE_G, g});
    if (explain_tree_init(&t, c->tr) && explain_add(c->x, &t, g, li.first, li.last)) {
        causes_leaves(&t, &v);
    } else {
        c->rs->failed = true;
    }
    explain_tree_free(&t);
    for (uint32_t i = 0; i < v.n; i++) {
        if (v.v[i].cat == EX_RUN && v.v[i].g == g && v.v[i].stack && stacks_is_program(c->tr, v.v[i].func)) {
            causes_calls_text(&before, c->tr, &v.v[i]);
            text_add(&before, "%s", words);
            break;
        }
    }
    causes_tell_before(c->rs, f, &before);
}

void story_names(struct causes *c)
{
    struct rules *rs = c->rs;
    unsigned convoys = 0;
    for (uint32_t i = rs->out->n; i-- > 0 && !rs->failed;) {
        struct finding *f = &rs->out->f[i];
        if (f->rule == RULE_CHURN && f->lane.i != NO_LANE && !c->life[gstat_group(c->tg->g, f->lane.i)].program) {
            drop(rs, i); /* what the library begins nobody can change */
        } else if (f->rule == RULE_UNBALANCED && f->lane.i != NO_LANE) {
            f->note |= at_one_go(c, f->lane.i);
            tell_work(c, f, f->lane.i, " is what it runs. ");
        } else if (f->rule == RULE_PROCS_BELOW && c->tg->ngroups && f->note) {
            tell_work(c, f, most_running(c), " runs most. ");
        } else if (f->rule == RULE_CONVOY && f->stack && convoys++ < CONVOYS_TOLD) {
            f->note |= causes_place(c->tr, f->stack) == 0 &&
                       !threshold_reached(TH_CONVOY_LIBRARY, f->severity_ns, c->tg->end); /* the library's own */
            causes_tell_holders(c, f);
        } else if (f->rule == RULE_STW && !is_gc_stop(f)) {
            stops_asked(c, f);
        } else if (is_gc_stop(f) && f->severity_ns > 0 && many_gc_stops(rs, f) && stops_held(c, f)) {
            continue;
        } else if (f->severity_ns > 0 && many_gc_stops(rs, f) && few_long(c, f)) {
            continue;
        } else if (f->rule == RULE_GC_SHARE || f->rule == RULE_HEAP || many_gc_stops(rs, f) ||
                   (f->rule == RULE_GC_ASSIST && !has(rs, RULE_GC_SHARE))) {
            causes_tell_gc(c, i);
        } else if (f->rule == RULE_HERD) {
            tell_waker(c, f);
        }
    }
}

/* ---- what goes under what ----------------------------------------------------------------------------------------------- */

static bool story_is_sign_rule(enum rule r)
{
    return r == RULE_SCHED || r == RULE_IDLE || r == RULE_MMU;
}

/* Where the host takes the processors, a stop lasts until the thread that it took is back; nobody is named that runs on. */
static bool host_stops(const struct rules *rs, const struct finding *f)
{
    return has(rs, RULE_HOST) && !f->inferred && rs->tg->stw_gc.n &&
           f->severity_ns / (int64_t)rs->tg->stw_gc.n >= threshold_ns(TH_STW_LONGEST);
}

bool story_is_sign(const struct rules *rs, const struct finding *f)
{
    return story_is_sign_rule(f->rule) || (f->rule == RULE_GC_ASSIST && has(rs, RULE_GC_SHARE)) ||
           (is_gc_stop(f) && (!many_gc_stops(rs, f) || host_stops(rs, f)));
}

/* What the signs are signs of: the finding that costs most; if none does, the host. */
static struct finding *worst(const struct rules *rs)
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

static bool same_subject(const struct finding *a, const struct finding *b)
{
    const char *x = strchr(a->key, ':'), *y = strchr(b->key, ':');
    return x && y && strcmp(x, y) == 0;
}

/* The start function of the goroutine that a finding is about, 0: none. */
static uint32_t whose(const struct rules *rs, const struct finding *f)
{
    return f->lane.kind == LANE_G && f->lane.i < rs->tg->ng ? trace_g_name(rs->tr, f->lane.i) : 0;
}

/* A convoy whose holders themselves wait in the end for what b is about; or a hub that is held by it. */
static bool ends_with(const struct rules *rs, const struct finding *a, const struct finding *b)
{
    uint32_t who = whose(rs, b);
    return who && (a->rule == RULE_HUB ? whose(rs, a) : a->ends_with) == who && a->severity_ns >= b->severity_ns / 2;
}

static bool same_place(const struct rules *rs, const struct finding *a, const struct finding *b)
{
    uint32_t x = causes_place(rs->tr, a->stack);
    return x && x == causes_place(rs->tr, b->stack);
}

/* Does most of the one's time lie outside the other's? */
static bool apart(const struct finding *a, const struct finding *b)
{
    const int64_t t0 = a->t0 > b->t0 ? a->t0 : b->t0, t1 = a->t1 < b->t1 ? a->t1 : b->t1;
    return t1 - t0 < (b->t1 - b->t0) / 2;
}

/* A convoy whose holders are the very goroutines that come and go. */
static bool held_by_churn(const struct rules *rs, const struct finding *a, const struct finding *b)
{
    const struct holder_row *h = b->stack ? holder_at(rs->tg, holder_place(rs->tr, b->stack)) : NULL;
    return h && whose(rs, a) && h->name == whose(rs, a);
}

/* Are the wake-ups in vain that a tells those of the function that b says wakes a crowd? */
static bool in_vain_by(const struct rules *rs, const struct finding *a, const struct finding *b)
{
    const uint32_t place = causes_place(rs->tr, b->stack);
    bool any = false;
    for (uint32_t i = 0; i < rs->tg->nherds && place; i++) {
        const struct pair_row *p = &rs->tg->pairs[rs->tg->herds[i].pair];
        any |= p->stack == a->stack && p->stack != b->stack && causes_place(rs->tr, p->waker_stack) == place;
    }
    return any;
}

bool causes_says(const struct rules *rs, const struct finding *f, uint32_t func)
{
    struct text t = {0};
    text_func(&t, rs->tr, func, 0);
    const bool said = t.p && t.n && memmem(f->text, strlen(f->text), t.p, t.n);
    text_free(&t);
    return said;
}

/* Who stands behind those that stand on each other. */
static bool told_by_knot(const struct rules *rs, const struct finding *a, const struct finding *b)
{
    const uint32_t place = b->stack ? causes_place(rs->tr, b->stack) : 0;
    return a->rule == RULE_KNOT && place && causes_says(rs, a, place);
}

/* Do those queue that nobody waits for any more? */
static bool crowd_of(const struct finding *a, const struct finding *b)
{
    return (b->rule == RULE_CONVOY || b->rule == RULE_POOL) && b->ends_with && a->ends_with == b->ends_with &&
           a->severity_ns >= b->severity_ns / 2;
}

/* Is the other side waited for by those that have what more wait for, and longer? Then they have it for too long, or there is too little of it. */
static bool held_meanwhile(const struct rules *rs, const struct finding *a, const struct finding *b)
{
    const uint32_t held = b->stack ? causes_place(rs->tr, b->stack) : 0,
                   set = a->stack ? causes_place(rs->tr, a->stack) : 0;
    int64_t answers = 0, turns = 0;
    const bool waits = a->rule == RULE_POOL || ((a->rule == RULE_CONVOY || a->rule == RULE_WRITER) &&
                                                !causes_writes(rs->tr, b->stack)); /* one takes it as slowly */
    if (!waits || a->note || !held || !set || !causes_says(rs, a, held)) {
        return false;
    }
    for (uint32_t i = 0; i < rs->tg->npairs; i++) {
        const struct pair_row *p = &rs->tg->pairs[i];
        const uint32_t place = causes_place(rs->tr, p->stack);
        answers = place == held && p->kind == WK_NET ? ns_add(answers, p->total) : answers;
        turns = place == set && p->kind != WK_NET && !p->from_scheduler ? ns_add(turns, p->total) : turns;
    }
    return turns > answers;
}

/* Where the answers are this process's own, what holds those up that write them. */
static bool answers_itself(const struct finding *a, const struct finding *b)
{
    const bool holds = a->rule == RULE_CONVOY || a->rule == RULE_WRITER || a->rule == RULE_BOTTLENECK ||
                       a->rule == RULE_POOL || a->rule == RULE_OWN || a->rule == RULE_GC_SHARE;
    return b->own_side && holds && !a->note && a->severity_ns >= b->severity_ns / 2;
}

/* Who brings more than one takes off waits for the network: quicker answers would bring more still. */
static bool brings_more(const struct rules *rs, const struct finding *a, const struct finding *b)
{
    return a->rule == RULE_BOTTLENECK && !a->note && a->ends_with && a->ends_with == whose(rs, b);
}

/* What stands for good: who waits for a limit meanwhile waits for that. */
static bool for_good(const struct finding *a)
{
    return a->rule == RULE_STUCK || a->rule == RULE_KNOT || a->rule == RULE_SENDS;
}

/* What those suffer from that stand as each holds what the others wait for. */
static bool holds_up(const struct rules *rs, const struct finding *a, const struct finding *b)
{
    return (b->rule == RULE_LINGER && same_place(rs, a, b)) || (b->rule == RULE_POOL && same_place(rs, a, b)) ||
           (b->rule == RULE_SLOW_TASK && b->blames && causes_says(rs, a, b->blames) &&
            a->severity_ns >= b->severity_ns / 2);
}

/* Does a tell whom the slow tasks of b wait for, and what that one does meanwhile? Then it is exact about what they only suffer from. */
static bool explains_slow(const struct rules *rs, const struct finding *a, const struct finding *b)
{
    const bool waits = a->rule == RULE_OWN || a->rule == RULE_POOL || a->rule == RULE_CONVOY ||
                       a->rule == RULE_WRITER || a->rule == RULE_SLOTS;
    if (a->rule == RULE_GC_SHARE && !a->note && b->blames && causes_place(rs->tr, a->stack) == b->blames) {
        return a->severity_ns >=
               b->severity_ns / 4; /* who allocates most works for the collector, and waits for it */
    }
    return waits && !a->note && b->waits_at && b->blames && causes_place(rs->tr, a->stack) == b->waits_at &&
           a->severity_ns >= b->severity_ns / 2 && causes_says(rs, a, b->blames);
}

/* A test's calls are what it is to do: that they are one after the other is the tests that wait for each other. */
static bool runs_tests(const struct rules *rs, const struct finding *a, const struct finding *b)
{
    return a->rule == RULE_POOL && b->rule == RULE_SERIAL_CALLS && limits_test_slot(rs->tr, a->stack) &&
           whose(rs, a) && whose(rs, a) == whose(rs, b) && a->severity_ns >= b->severity_ns / 2;
}

/* Is it the one goroutine that others queue for that waits for these answers? Then that they come one by one is why it is slow. */
static bool one_keeper(const struct rules *rs, const struct finding *a, const struct finding *b)
{
    return a->rule == RULE_BOTTLENECK && !a->note && whose(rs, a) && whose(rs, a) == whose(rs, b) &&
           (causes_writes(rs->tr, b->stack) ||
            (a->lane.i == b->lane.i && b->rule == RULE_SERIAL_CALLS && a->severity_ns >= b->severity_ns / 2));
}

/* A loop that looks whether there is something to do, and has so much of the processors that the work would have had them else. */
static bool fills(const struct rules *rs, const struct finding *a)
{
    return a->rule == RULE_BUSY_LOOP && a->looks && threshold_reached(TH_BELOW_SPINS, a->severity_ns, rs->tg->end);
}

/* Is b told by a as well? */
static bool covers(const struct rules *rs, const struct finding *a, const struct finding *b)
{
    bool service = a->rule == RULE_CONVOY || a->rule == RULE_WRITER || (a->rule == RULE_BOTTLENECK && !a->note) ||
                   a->rule == RULE_POOL || a->rule == RULE_SERIAL_CALLS || a->rule == RULE_SLOW_TASK ||
                   a->rule == RULE_IN_ORDER || a->rule == RULE_LINGER || a->rule == RULE_HUB || a->rule == RULE_OWN ||
                   a->rule == RULE_SLOWEST;
    if ((a->rule == RULE_HOLD && holds_up(rs, a, b)) || (for_good(a) && b->rule == RULE_LAST && b->t0 >= a->t0) ||
        (a->rule == RULE_LEFT && crowd_of(a, b))) {
        return true;
    }
    switch (b->rule) {
    case RULE_SLOW_TASK: /* what the slow ones wait for, told */
        return (b->queued && a->rule == RULE_PROCS_BELOW && !a->note) ||
               (b->queued && a->rule == RULE_LINE && a->queued) || explains_slow(rs, a, b) ||
               (b->note && a->rule == RULE_HOST && a->quota) ||
               (a->rule == RULE_GRAIN && !a->note && b->blames && causes_says(rs, a, b->blames) &&
                a->severity_ns >= b->severity_ns / 2) ||
               (a->rule == RULE_BUSY_LOOP && !a->note && b->blames && causes_place(rs->tr, a->stack) == b->blames &&
                a->severity_ns >= b->severity_ns / 2) ||
               (a->rule == RULE_UNBALANCED && !a->note && b->ends_with && b->ends_with == whose(rs, a) &&
                a->severity_ns >= b->severity_ns / 2);
    case RULE_SLOWEST: return a->rule == RULE_LINGER && same_place(rs, a, b);
    case RULE_SYSCALL: return a->rule == RULE_CONVOY || a->rule == RULE_WRITER;
    case RULE_CONVOY:
        return a->rule == RULE_WRITER || (a->rule == RULE_CHURN && held_by_churn(rs, a, b)) ||
               (a->rule == RULE_CONTEXTS && whose(rs, a) == whose(rs, b)) ||
               (a->rule == RULE_HERD && (double)b->severity_ns <= threshold(TH_HERD_CONVOY) * (double)a->severity_ns);
    case RULE_HERD: /* what all get at once makes the queue; or the same wake-ups are told as in vain */
        return (a->rule == RULE_HERD && in_vain_by(rs, a, b)) ||
               (a->rule == RULE_STORM && !a->note && same_place(rs, a, b)) ||
               (a->rule == RULE_STAMPEDE && !a->note && whose(rs, a) && whose(rs, a) == whose(rs, b));
    case RULE_STAMPEDE: /* each gets one of a set: nothing is asked anew */
        return a->rule == RULE_POOL && !a->note && same_place(rs, a, b);
    case RULE_STORM: return a->rule == RULE_TICKERS;
    case RULE_SERIAL: return (service && !(a->rule == RULE_SLOW_TASK && apart(a, b))) || a->rule == RULE_UNBALANCED;
    case RULE_UNBALANCED:
        return (a->rule == RULE_SERIAL && a->severity_ns > b->severity_ns) || a->rule == RULE_CONVOY ||
               (a->rule == RULE_HUB && ends_with(rs, a, b));
    case RULE_CHURN: return a->rule == RULE_EXPLOSION;
    case RULE_HANDOFF:
        return service || a->rule == RULE_GRAIN || (a->rule == RULE_HANDOFF && a->severity_ns > b->severity_ns);
    case RULE_LEAK: return (a->rule == RULE_TICKERS && same_subject(a, b)) || told_by_knot(rs, a, b);
    case RULE_LINE:
        return (a->rule == RULE_HUB && ends_with(rs, a, b)) ||
               (a->rule == RULE_BOTTLENECK && !b->note && whose(rs, a) == whose(rs, b) &&
                a->severity_ns >= b->severity_ns);
    case RULE_BOTTLENECK:
    case RULE_POOL:
        return a->rule == RULE_IN_ORDER || a->rule == RULE_LINGER || ends_with(rs, a, b) ||
               ((a->rule == RULE_GRAIN || a->rule == RULE_SHARE) && same_place(rs, a, b)) ||
               (a->rule == RULE_SLOTS && same_place(rs, a, b));
    case RULE_PROCS_BELOW:
        return b->note && (a->rule == RULE_FULL || fills(rs, a) || (a->rule == RULE_HOST && a->quota) ||
                           (!a->note && ((a->rule == RULE_LINE && a->queued) || a->rule == RULE_EXPLOSION ||
                                         a->rule == RULE_HERD || a->rule == RULE_CONTEXTS)));
    case RULE_PROCS_ABOVE: /* who waits for something else uses no processor */
        return !a->note && threshold_reached(TH_ABOVE_CAUSE, a->severity_ns, rs->tg->end);
    case RULE_SCHED: /* whose work it waits for is told */
        return ((a->rule == RULE_TIME || a->rule == RULE_FULL || a->rule == RULE_HOT) && a->queued && !worst(rs)) ||
               fills(rs, a);
    case RULE_SENDS: return (a->rule == RULE_SLOTS && same_place(rs, a, b)) || told_by_knot(rs, a, b);
    case RULE_POLL: /* told of the main goroutine's way, where nothing else is */
        return b->note && a->rule != RULE_POLL && a->rule != RULE_TIME && a->rule != RULE_HOT &&
               a->rule != RULE_PROCS_ABOVE && !story_is_sign_rule(a->rule);
    case RULE_BACKEND:
    case RULE_SERIAL_CALLS:
        return (b->rule == RULE_BACKEND && (held_meanwhile(rs, a, b) || answers_itself(a, b) ||
                                            (a->rule == RULE_STAMPEDE && !a->note && same_place(rs, a, b)))) ||
               one_keeper(rs, a, b) || (a->rule == RULE_CONNS && same_subject(a, b)) || sql_covers(rs->tr, a, b) ||
               runs_tests(rs, a, b) || (a->rule == RULE_LINGER && same_place(rs, a, b)) ||
               (a->rule == RULE_READER && same_place(rs, a, b)) || brings_more(rs, a, b) ||
               (a->rule == RULE_PHASES && !a->note && a->severity_ns >= b->severity_ns / 3) ||
               (a->rule == RULE_ACCEPT && b->note); /* who it lets wait may be in this process */
    case RULE_BUSY_LOOP: return b->note && ((!a->note && !story_is_sign(rs, a)) || a->rule == RULE_LINE);
    default: return false;
    }
}

/* What goes under another and tells more than that does is said there. */
static void keep_words(struct rules *rs, struct finding *a, const struct finding *b)
{
    if (b->rule == RULE_SLOW_TASK && explains_slow(rs, a, b)) {
        struct text t = {0};
        text_add(&t, " It is what makes tasks slow, the slowest %s.", b->amount);
        struct text next = {0};
        if (logged_text(&t, &next, rs, b)) {
            causes_advise(rs, a, text_ok(&next) ? next.p : a->next);
        }
        text_free(&next);
        causes_tell_behind(rs, a, &t);
    }
    if (b->rule == RULE_SCHED && (a->rule == RULE_TIME || a->rule == RULE_FULL || a->rule == RULE_HOT)) {
        struct text t = {0};
        text_add(&t, " Of the waits for a processor 1 %% lasted %s or more.", b->amount);
        causes_tell_behind(rs, a, &t);
    }
    if (b->rule == RULE_SLOWEST) {
        struct text t = {0};
        text_add(&t, " %s", b->text);
        a->severity_ns = a->severity_ns > b->severity_ns ? a->severity_ns : b->severity_ns;
        causes_tell_behind(rs, a, &t);
    }
    if ((a->rule == RULE_CHURN || (a->rule == RULE_CONTEXTS && b->rule == RULE_CONVOY)) &&
        b->severity_ns > a->severity_ns) {
        a->severity_ns = b->severity_ns;
    }
}

static void put_under(struct rules *rs)
{
    for (uint32_t i = rs->out->n; i-- > 0;) {
        for (uint32_t k = 0; k < rs->out->n; k++) {
            if (k != i && covers(rs, &rs->out->f[k], &rs->out->f[i])) {
                keep_words(rs, &rs->out->f[k], &rs->out->f[i]);
                drop(rs, i);
                break;
            }
        }
    }
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
            drop(rs, i);
        }
    }
    if (kinds) {
        if (kinds > 4) {
            text_add(&more, " and %u kinds more", kinds - 4);
        }
        text_lit(&more, ".");
        causes_tell_behind(rs, first, &more);
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
            drop(rs, i);
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
    put_under(rs);
    for (uint32_t i = 0; i < rs->out->n; i++) { /* what costs less than 1 % is no cause for signs to go under */
        struct finding *f = &rs->out->f[i];
        f->note |= !story_is_sign(rs, f) && !threshold_reached(TH_TIME_FINDING, f->severity_ns, c->tg->end) &&
                   f->rule != RULE_STUCK && f->rule != RULE_LEAK && !f->for_good;
    }
    bool cause = worst(rs) != NULL;
    for (uint32_t i = rs->out->n; i-- > 0;) {
        struct finding *f = &rs->out->f[i];
        f->severity_ns = f->severity_ns > c->tg->end ? c->tg->end : f->severity_ns;
        if (story_is_sign(rs, f) && cause) {
            sign_text(&signs, f);
            gc_stops = is_gc_stop(f) ? ns_add(gc_stops, f->severity_ns) : gc_stops;
        } else {
            bool sign = story_is_sign(rs, f) && !(is_gc_stop(f) && trace_info(c->tr)->version < 1014);
            f->note |= sign || (!threshold_reached(TH_TIME_FINDING, f->severity_ns, c->tg->end) &&
                                f->rule != RULE_STUCK && f->rule != RULE_LEAK && !f->for_good);
        }
    }
    for (uint32_t i = rs->out->n; i-- > 0 && cause;) {
        if (story_is_sign(rs, &rs->out->f[i])) {
            drop(rs, i);
        }
    }
    for (uint32_t i = rs->out->n; i-- > 0 && !cause;) { /* small signs of nothing */
        if (story_is_sign(rs, &rs->out->f[i]) && rs->out->f[i].note &&
            !threshold_reached(TH_TIME_SIGN, rs->out->f[i].severity_ns, c->tg->end)) {
            drop(rs, i);
        }
    }
    struct finding *first = cause && signs.n ? worst(rs) : NULL;
    if (first) { /* NULL: what costs less than 1 % has become a note meanwhile */
        text_lit(&signs, ".");
        causes_tell_behind(rs, first, &signs);
    }
    for (uint32_t i = 0; i < rs->out->n; i++) {
        struct finding *f = &rs->out->f[i];
        if (f->rule == RULE_GC_SHARE ||
            (f->rule == RULE_GC_ASSIST && !has(rs, RULE_GC_SHARE))) { /* fewer collections, fewer stops */
            f->severity_ns =
                ns_add(f->severity_ns, gc_stops) < c->tg->end ? ns_add(f->severity_ns, gc_stops) : c->tg->end;
        }
    }
    drop_time(rs);
    hot_last(rs);
    merge_churn(c);
    text_free(&signs);
}
