/*
 * rules_calls.c - waits for answers over the network: one call after the other, or a back end that is slow. One of these is told of each place,
 * or one of the findings that asks.h names.
 */
#include "triage/findings/asks.h"
#include "triage/findings/call_rows.h"
#include "triage/findings/leaves.h"
#include "triage/findings/retell.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/works.h"

#include <string.h>

#define SHARE threshold(TH_CALLS_SHARE)
#define ROW threshold(TH_CALLS_ROW)
#define SLOW threshold_ns(TH_BACKEND_SLOW)
#define ALONE threshold(TH_CALLS_ALONE)
#define WALKED 32 /* goroutines looked at */
#define ROOTS 12  /* handlers whose waits at one place are told apart */
#define PLACES 32

static bool locked_at(const struct causes *c, const struct pair_row *p, uint32_t stack)
{
    const uint32_t place = causes_place(c->tr, p->stack);
    return place && stacks_passes(c->tr, stack, place);
}

/* Do goroutines of other groups wait for those of that one, or their own kind for a lock that is held there? */
static bool waited_for(const struct causes *c, uint32_t group, const struct waits_at *at)
{
    int64_t ns = 0;
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        const bool its = !p->from_scheduler && p->waker == c->tg->groups[group].name &&
                         (p->waiter != p->waker || (p->kind == WK_LOCK && locked_at(c, p, at->most->stack)));
        ns = its ? ns_add(ns, p->total) : ns;
    }
    return threshold_reached(TH_CALLS_FOR, ns, c->tg->end);
}

/*
 * Goroutines for which none of the program waits, and which don't answer anybody outside, nor are parts of tasks, decide about
 * nothing that a trace shows, if the main goroutine's way is told without them. Where it only waits for a timer, somebody
 * outside may still wait for what they do.
 */
enum waited { WAITED, WAITED_OUTSIDE, WAITED_BY_NOBODY, WAITED_ASIDE };
static enum waited nobody_waits(struct causes *c, const struct waits_at *p)
{
    const struct task *k;
    const struct region *r;
    const uint32_t g = p->most->longest.g, group = gstat_group(c->tg->g, g);
    struct leaves v;
    int64_t others = 0, its = 0, timer = 0;
    if (causes_beside_requests(c, group)) {
        return WAITED_ASIDE;
    }
    if (waited_for(c, group, p) || calls_serves(c, g) || trace_tasks(c->tr, &k) || trace_regions(c->tr, &r) ||
        !causes_main_way(c, &v, NULL)) {
        return WAITED;
    }
    for (uint32_t i = 0; i < v.n; i++) {
        const bool theirs = v.v[i].who == c->tg->groups[group].name || v.v[i].func == p->place;
        const bool works = v.v[i].cat == EX_RUN || v.v[i].cat == EX_SYSCALL || v.v[i].cat == EX_SCHED ||
                           v.v[i].cat == EX_NOBODY || v.v[i].cat == EX_ASSIST || explain_waits_outside(v.v[i].cat);
        its = theirs ? ns_add(its, v.v[i].ns) : its;
        others = !theirs && works ? ns_add(others, v.v[i].ns) : others;
        timer = v.v[i].cat == EX_TIMER ? ns_add(timer, v.v[i].ns) : timer;
    }
    if (threshold_reached(TH_CALLS_FOR, its, v.all)) {
        return WAITED;
    }
    return (double)others >= threshold(TH_CALLS_OTHERS) * (double)v.all  ? WAITED_BY_NOBODY
           : (double)timer >= threshold(TH_CALLS_ASLEEP) * (double)v.all ? WAITED_OUTSIDE
                                                                         : WAITED;
}

static void nobody_text(struct draft *d, enum waited nobody)
{
    if (nobody == WAITED) {
        return;
    }
    d->f.severity_ns = d->f.won_hi = 0;
    if (nobody == WAITED_ASIDE) {
        text_lit(&d->text, " This process serves connections, and the goroutines that serve them wait neither for "
                           "these calls nor for anything that waits for them: the calls cost the responses nothing.");
        return;
    }
    text_add(&d->text, " No other goroutine waits for these, and the main goroutine's critical path %s",
             nobody == WAITED_BY_NOBODY
                 ? "runs through other work: this costs the trace nothing."
                 : "is a timer: unless something outside waits for what they do, this costs nothing.");
}

/* No question and no answer: what is written is not taken fast enough. */
static void write_finding(struct causes *c, const struct waits_at *p, double share)
{
    struct draft d;
    draft_start(&d, RULE_BACKEND, (int64_t)((double)c->tg->end * share));
    d.f.won_hi = d.f.severity_ns;
    draft_about(&d, c->rs, p->place, p->most->stack);
    draft_moment(&d, &p->most->longest);
    text_dur(&d.amount, p->total / (int64_t)p->count);
    waits_at_text(&d.text, c, p);
    text_say(&d.text, c->tr, ": waits to write to ", stacks_pipe(c->tr, p->most->stack) ? "a pipe" : "the network",
             ", ", p->count, " waits of ", t_dur(p->total / (int64_t)p->count),
             " on average: the other side does not read as fast as this side writes. ",
             t_f1((double)p->total / (double)c->tg->end), " goroutines wait there at any time while ",
             t_f1(c->running), " run.");
    const enum waited nobody = nobody_waits(c, p);
    if (nobody == WAITED_BY_NOBODY || nobody == WAITED_ASIDE) {
        d.f.note = true;
        nobody_text(&d, nobody);
    }
    if (!write_stalls(&d, c, p)) {
        text_lit(&d.next, CAUSES_WRITE_LESS);
    }
    draft_end(c->rs, &d);
}

/* Tasks that last longer and longer while one goroutine makes these calls: they queue for it. */
static void backlog_text(struct text *t, const struct causes *c)
{
    const struct task *k;
    const size_t n = trace_tasks(c->tr, &k);
    const struct span_type *y = NULL;
    int64_t sum[2] = {0};
    size_t seen = 0, many[2] = {0};
    for (uint32_t i = 0; i < c->tg->ntypes; i++) {
        y = !c->tg->types[i].is_region && (!y || c->tg->types[i].d.n > y->d.n) ? &c->tg->types[i] : y;
    }
    for (size_t i = 0; y && i < n; i++) {
        const size_t q = seen * 4 / (y->d.n ? y->d.n : 1);
        if (k[i].name == y->name && !k[i].open_start && !k[i].open_end) {
            seen++;
            if (q == 0 || q == 3) {
                sum[q / 3] = ns_add(sum[q / 3], k[i].t1 - k[i].t0);
                many[q / 3]++;
            }
        }
    }
    if (!y || (double)y->d.n < threshold(TH_TREND_COUNT) || !many[0] || !many[1]) {
        return;
    }
    const int64_t early = sum[0] / (int64_t)many[0], late = sum[1] / (int64_t)many[1];
    if ((double)late < threshold(TH_CALLS_BACKLOG) * (double)early) {
        return;
    }
    text_say(t, c->tr, " Meanwhile the tasks \"", t_str(y->name), "\" take ", t_dur(early),
             " in their first quarter and ", t_dur(late),
             " in their last: they arrive faster than they finish, and queue.");
}

/* One goroutine of the program makes them all, and it is not the main one: others like it could make them beside it. */
static bool one_makes_all(const struct causes *c, const struct waits_at *p)
{
    const uint32_t g = p->most->longest.g, main_lane = trace_find_lane(c->tr, LANE_G, 1);
    const uint32_t group = g < c->tg->ng ? gstat_group(c->tg->g, g) : UINT32_MAX;
    return group != UINT32_MAX && g != main_lane && c->of[group].n == 1 && c->life[group].program;
}

/* Longer rows are counted as of that length. */
static void row_text(struct text *t, uint32_t row)
{
    const bool all = row >= ROW_MOST;
    text_add(t, "%s%u times in a row%s (at least half of the waits), ", all ? "more than " : "",
             all ? ROW_MOST - 1 : row, all ? "" : " or more");
}

/* News that are each answered would look the same. */
static void through_text(struct draft *d, const struct causes *c, const struct waits_at *p)
{
    text_say(&d->text, c->tr, " It continues when something arrives over the network at ",
             t_where(p->most->waker_stack, 0),
             ", and has mostly sent something before: if these are answers, the other side takes that long "
             "(inferred); pushed messages look the same, and cost nothing.");
    d->f.note = d->f.inferred = true;
    d->f.severity_ns = 0;
}

/* Is it this process that answers, and at work for it? Then nobody outside is slow. */
static bool own_answers(struct causes *c, const struct waits_at *p)
{
    return (!calls_accept(c) || threshold_reached(TH_BACKEND_INSIDE, calls_answering(c), p->total)) &&
           calls_answered_inside(c, p);
}

static void own_side_text(struct draft *d, struct causes *c, const struct waits_at *p)
{
    if (d->f.rule == RULE_BACKEND && own_answers(c, p)) {
        d->f.own_side = d->f.inferred = true;
        text_lit(&d->text, " Goroutines of this process write these answers (inferred): what they do before that is "
                           "what takes so long.");
    } else if (calls_accept(c) && !calls_serves(c, p->most->longest.g)) {
        text_lit(&d->text,
                 " This process accepts connections itself; a trace does not show whether it talks to itself.");
    }
}

static const char *backend_advice(const struct finding *f, bool unknown)
{
    return f->own_side ? "Look at what the goroutines that answer do meanwhile; or ask less often, or don't go over "
                         "the network for what is in the same process."
           : unknown ? "Find out who answers: if it is this process, look at what its goroutines do before answering "
                       "(gotop explain); if another, ask less often (cache answers), ask earlier, or make that "
                       "service faster."
                     : "The time is the other side's: ask less often (cache answers), ask earlier, or make that "
                       "service faster.";
}

struct asking {   /* of the trace */
    double share; /* that waits for answers, of what waits so or runs */
    double most;  /* by the clock, while at least one waits there */
    int64_t soon; /* an answer that came while a processor was free, on average; 0: most did */
};

/* Who sleeps for longer than it waits there: where is said, since that is what most of its life goes into. */
static void pauses_text(struct text *t, const struct causes *c, const struct waits_at *p)
{
    const uint32_t g = causes_group(c, p->most->waiter);
    const struct pair_row *most = NULL;
    int64_t asleep = 0;
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *q = &c->tg->pairs[i];
        if (q->from_scheduler && q->kind == WK_SLEEP && q->waiter == p->most->waiter) {
            asleep = ns_add(asleep, q->total);
            most = !most || q->total > most->total ? q : most;
        }
    }
    if (g != UINT32_MAX && most && asleep > p->total && c->life[g].life > 0) {
        text_say(t, c->tr, " The goroutines that wait there sleep for longer (time.Sleep): ",
                 t_share((double)asleep, (double)c->life[g].life), " of the lives of goroutines of ",
                 t_func(p->most->waiter), ", mostly in ", t_place(most->stack, 2), ".");
    }
}

static void net_finding(struct causes *c, const struct waits_at *p, uint32_t row, const struct asking *a)
{
    /* of those who run or wait so, and while at least one waits: the least of both, where one alone does it */
    const double waiting = (double)p->total / (double)c->tg->end, of = waiting / (waiting + c->running),
                 at_once = of < waiting ? of : waiting, hi = at_once < a->most ? at_once : a->most;
    int64_t each = p->total / (int64_t)p->count;
    bool many = row >= ROW;
    struct draft d;
    draft_start(&d, many ? RULE_SERIAL_CALLS : RULE_BACKEND,
                (int64_t)((double)c->tg->end * a->share * (many ? 1 - 1.0 / row : 1)));
    d.f.won_hi = (int64_t)((double)c->tg->end * (a->share > hi ? a->share : hi) * (many ? 1 - 1.0 / row : 1));
    draft_about(&d, c->rs, p->place, p->most->stack);
    draft_moment(&d, &p->most->longest);
    const bool through = p->most->kind != WK_NET && reader_ends(c, p->most); /* its reader's work is its own */
    const enum waited nobody = through ? WAITED : nobody_waits(c, p);
    const int64_t news = many || nobody ? 0 : meant_for_news(c, p);
    const double pace = nobody || news ? 0 : pace_of(c, p);
    const bool at_pace = pace >= threshold(TH_CALLS_PACE);
    d.f.note = nobody || news || at_pace || (!many && (a->soon ? a->soon : each) < threshold_ns(TH_BACKEND_ALARM));
    text_dur(&d.amount, each);
    waits_at_text(&d.text, c, p);
    const bool pipe = stacks_pipe(c->tr, p->most->stack);
    if (many) {
        text_add(&d.text, ": waits for %s ", pipe ? "a pipe" : "the network");
        row_text(&d.text, row);
    } else {
        text_add(&d.text, ": waits for %s %s, ", through ? "what comes over" : "an answer over",
                 pipe ? "a pipe" : "the network");
    }
    text_say(&d.text, c->tr, p->count, " waits of ", t_dur(each), " on average; ",
             t_f1((double)p->total / (double)c->tg->end), " goroutines wait there at any time while ",
             t_f1(c->running), " run.");
    if (a->soon && !many) {
        text_say(&d.text, c->tr,
                 " Those that ended while a processor was free and the collector was not marking took ",
                 t_dur(a->soon),
                 " on average; the extra time of the others is not the other side's doing: no processor polled the "
                 "network (inferred).");
        d.f.severity_ns = (int64_t)((double)d.f.severity_ns * (double)a->soon / (double)each);
        d.f.won_hi = (int64_t)((double)d.f.won_hi * (double)a->soon / (double)each);
        d.f.inferred = true;
    }
    nobody_text(&d, nobody);
    if (news) {
        text_say(&d.text, c->tr, " Most of that time is answers that take about ", t_dur(news),
                 ", after which it asks again at once, while after the quick ones it has much to do: this looks like "
                 "long polling, and waiting for news costs nothing (inferred).");
        d.f.severity_ns = d.f.won_hi = 0;
        d.f.inferred = true;
    }
    if (at_pace) {
        text_say(&d.text, c->tr,
                 " It asks at a fixed pace: of its waiting for answers and for a clock (a ticker, a limit) ",
                 t_share(pace, 1), " is for the clock, so quicker answers alone would not speed it up.");
        d.f.severity_ns = d.f.won_hi = 0;
    }
    if (through) {
        through_text(&d, c, p);
    }
    if (!nobody && !news) {
        own_side_text(&d, c, p);
    }
    pauses_text(&d.text, c, p);
    const bool fed = pace_fed(c, p, &d);
    const bool alone = many && one_makes_all(c, p);
    if (alone) {
        backlog_text(&d.text, c);
        backlog_since_text(&d.text, c, p->most->longest.g);
    }
    text_add(&d.next, "%s",
             at_pace || (fed && d.f.note) ? "Nothing, if that pace is intended. If not, change the pace first."
             : alone ? "One goroutine makes all these calls, each after the answer to the previous one: let several "
                       "like it make them in parallel, or ask for all at once; if each needs the previous answer (a "
                       "cursor), ask for the next while working on the last."
             : news  ? "Nothing, if it is long polling. If the long answers should bring something, the other side "
                       "gives up after that time: look there."
             : many  ? "Ask for all at once, or in parallel: each call waits for the previous answer."
                     : backend_advice(&d.f, calls_accept(c) && !calls_serves(c, p->most->longest.g)));
    nested_also(&d, c, p->most->stack);
    draft_end(c->rs, &d);
}

/* Who may be its own back end keeps some processors busy by that. */
static double idle_wanted(const struct causes *c)
{
    return threshold(calls_accept(c) ? TH_CALLS_OWN : TH_CALLS_IDLE) * c->procs;
}

/* Rows in what one handler of several does, of those whose goroutines are a server's. false: nothing is told. */
static bool by_handler(struct causes *c, const struct waits_at *p, const struct asking *a)
{
    struct waits_at v[ROOTS];
    const uint32_t group = gstat_group(c->tg->g, p->most->longest.g);
    uint32_t n = 0;
    bool told = false;
    for (uint32_t i = 0; i < c->tg->npairs && !c->life[group].program; i++) {
        const struct pair_row *q = &c->tg->pairs[i];
        if (q->kind == p->most->kind && q->waiter == p->most->waiter && causes_place(c->tr, q->stack) == p->place) {
            waits_at_add(v, &n, ROOTS, rows_root(c->tr, q->stack), q);
        }
    }
    for (uint32_t k = 0; k < n && n > 1; k++) {
        struct rows r = {0};
        const uint32_t root = v[k].place;
        const struct asking its = {a->share * (double)v[k].total / (double)p->total, a->most, a->soon};
        v[k].place = p->place;
        if (its.share < SHARE || (double)v[k].count < threshold(TH_CALLS_WAITS)) {
            continue;
        }
        for (uint32_t i = 0; i < c->of[group].n && i < WALKED; i++) {
            rows_of(c, causes_member(c, group, i, WALKED), &v[k], root, false, &r);
        }
        const uint32_t row = row_median(&r);
        if (row >= ROW && row < ROW_MOST && (double)r.n >= threshold(TH_CALLS_ROWS) && rows_alike(&r, row) &&
            r.asked * 2 > r.calls) {
            net_finding(c, &v[k], row, &its);
            told = true;
        }
    }
    return told;
}

/* Of those that mostly pause it is the calls' share of their lives, if that is less: quicker ones leave them their pauses. */
static double beside_pauses(const struct causes *c, uint32_t group, const struct waits_at *p, double share)
{
    const struct group_life *l = &c->life[group];
    if (l->life <= 0 || !threshold_reached(TH_CALLS_PAUSES, l->by[WK_SLEEP], l->life)) {
        return share;
    }
    const double of = (double)p->total / (double)l->life * (double)(l->last - l->first) / (double)c->tg->end;
    return of < share ? of : share;
}

static bool asking_much(struct causes *c, const struct waits_at *p, struct asking *a)
{
    const double waiting = (double)p->total / (double)c->tg->end, of = waiting / (waiting + c->running);
    const double share =
        beside_pauses(c, gstat_group(c->tg->g, p->most->longest.g), p, waiting < 1 ? of * waiting : of);
    if (share < SHARE || (double)p->count < threshold(TH_CALLS_WAITS) ||
        c->idle < idle_wanted(c)) { /* who waits while all are busy loses nothing */
        return false;
    }
    const struct waits_seen w = waits_seen(c, p);
    const double clock = (double)w.clock / (double)c->tg->end;
    const bool late = (double)w.free >= threshold(TH_CALLS_WAITS) &&
                      (double)(w.n - w.free) >= threshold(TH_BACKEND_LATE) * (double)w.n &&
                      (double)w.each >= threshold(TH_BACKEND_LATER) * (double)w.soon;
    *a = (struct asking){share < clock ? share : clock, clock, late ? w.soon : 0};
    return a->share >= SHARE;
}

/* v: all such places. */
static void network(struct causes *c, const struct waits_at *p, const struct waits_at *v, uint32_t n)
{
    const double waiting = (double)p->total / (double)c->tg->end;
    struct rows r = {0};
    uint32_t group = gstat_group(c->tg->g, p->most->longest.g);
    struct asking a;
    if (gone_finding(c, p) || !asking_much(c, p, &a)) {
        return;
    }
    if (causes_writes(c->tr, p->most->stack)) {
        write_finding(c, p, a.share);
        return;
    }
    if (pieces_finding(c, p, a.share) || few_finding(c, p)) {
        return;
    }
    uint32_t who = 0; /* make such calls */
    for (uint32_t i = 0; i < c->of[group].n && i < WALKED; i++) {
        const uint64_t before_it = r.calls;
        rows_of(c, causes_member(c, group, i, WALKED), p, 0, waiting < ALONE, &r);
        who += r.calls > before_it;
    }
    uint32_t row = who == 1 ? row_of_calls(&r) : row_median(&r);
    if (waiting >= ALONE && !((double)r.n >= threshold(TH_CALLS_ROWS) && rows_alike(&r, row))) {
        struct rows of_tasks = {0};
        rows_of_tasks(c, p, &of_tasks);
        memcpy(r.len, of_tasks.len, sizeof r.len);
        memcpy(r.in, of_tasks.in, sizeof r.in);
        r.n = of_tasks.n;
        row = row_median(&r);
    }
    row = waiting < ALONE || ((double)r.n >= threshold(TH_CALLS_ROWS) && row < ROW_MOST && rows_alike(&r, row)) ? row
                                                                                                                : 0;
    if (row < ROW && waiting >= ALONE && by_handler(c, p, &a)) {
        return;
    }
    if (row < ROW && p->most->kind == WK_NET && !meant_for_news(c, p)) {
        row = rows_between_runs(c, group, p->place);
    }
    if (row < ROW && alone_finding(c, v, n)) {
        return;
    }
    if (r.asked * 2 > r.calls && (row >= ROW || (a.soon ? a.soon : p->total / (int64_t)p->count) >= SLOW)) {
        net_finding(c, p, row, &a);
    }
}

static bool waiter_serves(const struct causes *c, const struct pair_row *p)
{
    return calls_serves(c, p->longest.g) || calls_group_serves(c, gstat_group(c->tg->g, p->longest.g));
}

/* Places where an answer over the network is waited for, itself or through a library's or the program's reader; `served`: also by those who
 * serve a connection. */
static uint32_t asking_places(struct causes *c, struct waits_at v[PLACES], bool served)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        const bool asks = ((p->kind == WK_NET && !dials_for_http(c, p)) || calls_by_library(c, p) ||
                           (i < PAIRS_ASKED && p->kind != WK_SEND && reader_ends(c, p))) &&
                          !calls_pooled(c->tr, p->stack);
        const uint32_t place = asks ? causes_place(c->tr, p->stack) : 0; /* for connections: rule_conns */
        if (place && p->longest.g < c->tg->ng && (served || !waiter_serves(c, p))) {
            waits_at_add(v, &n, PLACES, place, p);
        }
    }
    return n;
}

void rule_network(struct causes *c)
{
    struct waits_at v[PLACES];
    const uint32_t n = asking_places(c, v, true);
    uint32_t before = c->rs->out->n;
    for (uint32_t i = 0; i < n;
         i++) { /* where servers wait themselves, who asks them in the same process waits for that */
        const uint32_t g = v[i].most->longest.g, group = gstat_group(c->tg->g, g);
        if (calls_serves(c, g) && !calls_for_questions(c, v[i].most, v[i].place)) {
            if (!c->life[group].program) {
                work_in_lines(c, group); /* of a library's server requests tell more than its goroutines do */
            }
            if (!causes_told_at(c, RULE_SERIAL_CALLS, v[i].place)) {
                network(c, &v[i], v, n);
            }
        }
    }
    const int64_t inside = n && calls_accept(c) ? calls_answering(c) : 0;
    for (uint32_t i = 0; i < n && c->rs->out->n == before; i++) {
        if (!calls_serves(c, v[i].most->longest.g) && !calls_for_questions(c, v[i].most, v[i].place) &&
            !threshold_reached(TH_BACKEND_INSIDE, inside, v[i].total)) {
            network(c, &v[i], v, n);
        }
    }
    if (n && c->rs->out->n == before && c->idle >= idle_wanted(c)) {
        (void)alone_finding(c, v, n);
    }
}

/* Is it said of what goroutines that serve a connection do one after the other? */
static bool of_served(const struct causes *c, const struct finding *f)
{
    return f->rule == RULE_SERIAL_CALLS && f->lane.kind == LANE_G && f->lane.i < c->tg->ng &&
           calls_group_serves(c, gstat_group(c->tg->g, f->lane.i));
}

/* Who asks this process from within waits for what is told of those that answer: that is no other side, and goes under it. */
static void asked_from_within(struct causes *c, const struct waits_at *p)
{
    for (uint32_t i = 0; i < c->rs->out->n; i++) {
        struct finding *f = &c->rs->out->f[i];
        struct text t = {0};
        if (!of_served(c, f) || f->own_side || (double)p->count < threshold(TH_CALLS_WAITS) ||
            !calls_answered_inside(c, p)) {
            continue;
        }
        f->own_side = true;
        text_say(&t, c->tr, " ", t_place(p->most->stack, 3),
                 " asks from within this process and waits for it (inferred): ", p->count, " waits of ",
                 t_dur(p->total / (int64_t)p->count), " on average.");
        retell_behind(c->rs, f, &t);
        return;
    }
}

void rules_within(struct causes *c)
{
    struct waits_at v[PLACES];
    bool any = false;
    for (uint32_t i = 0; i < c->rs->out->n && !any; i++) {
        any = of_served(c, &c->rs->out->f[i]);
    }
    const uint32_t n = any ? asking_places(c, v, false) : 0;
    const int64_t inside = n && calls_accept(c) ? calls_answering(c) : 0;
    for (uint32_t i = 0; i < n && inside; i++) {
        if (threshold_reached(TH_BACKEND_INSIDE, inside, v[i].total)) {
            asked_from_within(c, &v[i]);
        }
    }
}
