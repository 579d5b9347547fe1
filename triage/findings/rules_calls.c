/*
 * rules_calls.c - rules about waiting for the world outside: back ends over the network, one call after the other or
 * slow ones; system calls that keep threads. (Sleeps that last longer than what they wait for: rules_polls.c.)
 */
#include "triage/findings/causes.h"
#include "triage/findings/asks.h"
#include "triage/findings/works.h"
#include "triage/findings/leaves.h"
#include "triage/findings/waits_at.h"
#include "triage/findings/thresholds.h"

#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"

#define SHARE threshold(TH_CALLS_SHARE)
#define ROW threshold(TH_CALLS_ROW)
#define SLOW threshold_ns(TH_BACKEND_SLOW)
#define ALONE threshold(TH_CALLS_ALONE)
#define WALKED 32   /* goroutines looked at */
#define STEPS 20000 /* spans of each */
#define ROOTS 12    /* handlers whose waits at one place are told apart */
#define PLACES 32
#define TASKS 128 /* of all that there are */

/* ---- the network ---------------------------------------------------------------------------------------------------- */

#define ROW_MOST 63
struct rows {                   /* how many calls followed each other */
    uint32_t len[ROW_MOST + 1]; /* [i]: rows of i calls, the last one: or more */
    uint64_t in[ROW_MOST + 1];  /* the calls in these */
    uint64_t n;
    uint64_t calls, asked; /* calls, and those before which it had sent something */
};

static void row_end(struct rows *r, uint32_t *now, bool bounded)
{
    if (*now && bounded) {
        const uint32_t i = *now < ROW_MOST ? *now : ROW_MOST;
        r->len[i]++;
        r->in[i] += *now;
        r->n++;
    }
    *now = 0;
}

static bool stack_through(const struct trace *tr, uint32_t stack, const char *const *func)
{
    uint32_t n = trace_stack(tr, stack);
    for (uint32_t i = 0; i < n && i < 16; i++) {
        struct str s = trace_str(tr, trace_frame(tr, stack, i).func);
        for (size_t k = 0; func[k]; k++) {
            if (str_is(s, func[k])) {
                return true;
            }
        }
    }
    return false;
}
static const char *const accepting[] = {"net.(*netFD).accept", "internal/poll.(*FD).Accept", NULL};
bool calls_accepting(const struct trace *tr, uint32_t stack)
{
    return stack_through(tr, stack, accepting);
}

/* The rest of an answer that has begun: no question of its own. */
static const char *const reading_on[] = {"net/http.(*persistConn).Read", "net/http.(*bodyEOFSignal).Read",
                                         "net/http.(*body).Read", NULL};
static const char *const pooled[] = {"net/http.(*Transport).getConn", NULL};
/* For a connection that others have: no answer. */
static const char *const sql_pool[] = {"database/sql.(*DB).conn", NULL};
static const char *const connecting[] = {"net.(*netFD).connect", "net/http.(*Transport).getConn", NULL};

/*
 * Was a wait of goroutine g that lasted until t ended by a goroutine of that start function? `behind` is the span behind it, read
 * already; only where that took no time the one behind it must be looked for.
 */
static bool ended_by(const struct causes *c, uint32_t g, int64_t t, const struct span *behind, uint32_t name)
{
    struct span s;
    if (behind->t0 != t || behind->t1 == t) {
        behind = trace_span_at(c->tr, (struct lane){LANE_G, g}, t, &s) ? &s : NULL;
    }
    return behind && behind->state == ST_RUNNABLE && behind->who < c->tg->ng &&
           c->tg->groups[gstat_group(c->tg->g, behind->who)].name == name;
}

/* The outermost function of the program's in a stack: of a server's goroutine, that begins in the library, the handler. */
static uint32_t root_of(const struct trace *tr, uint32_t stack)
{
    for (uint32_t i = trace_stack(tr, stack); i--;) {
        const uint32_t f = trace_frame(tr, stack, i).func;
        if (stacks_is_program(tr, f)) {
            return f;
        }
    }
    return 0;
}

/* root 0: any */
static bool is_of(const struct trace *tr, uint32_t stack, uint32_t place, uint32_t root)
{
    return causes_place(tr, stack) == place && (!root || root_of(tr, stack) == root);
}

/*
 * A row ends where something else is waited for, longer than a call usually takes. What a goroutine does all its life is
 * no row, unless it is (nearly) the only one that does: `alone`.
 */
static void rows_of(const struct causes *c, uint32_t g, const struct waits_at *p, uint32_t root, bool alone,
                    struct rows *r)
{
    struct span_iter it;
    uint32_t now = 0, last = 0, stack = 0;
    int64_t usual = p->total / (int64_t)p->count, between = 0;
    bool bounded = alone, sent = false;
    const bool own = p->most->kind != WK_NET && reader_ends(c, p->most);
    bool more = span_seek_index(&it, c->tr, (struct lane){LANE_G, g}, 0);
    for (int i = 0; more && i < STEPS; i++) {
        const struct span s = *span_get(&it);
        more = span_next(&it);
        if (s.state == ST_WAITING) {
            enum wait_kind kind = stacks_wait_kind(c->tr, s.reason, s.stack);
            bool net = kind == WK_NET;
            if (!net && kind == p->most->kind && !ended_by(c, g, s.t1, span_get(&it), p->most->waker)) {
                between += s.t1 - s.t0; /* the same question's other waits */
            } else if (kind == p->most->kind && (s.stack == last || is_of(c->tr, s.stack, p->place, root))) {
                last = s.stack;
                if (between > usual) {
                    row_end(r, &now, bounded);
                    bounded = true;
                }
                now++;
                r->calls++;
                r->asked +=
                    sent || (!net && !own) || stack_through(c->tr, s.stack, connecting); /* the library's sends */
                between = 0;
            } else if (net || s.t1 - s.t0 > usual) {
                row_end(r, &now, bounded);
                bounded = true;
                between = 0;
            } else {
                between += s.t1 - s.t0;
            }
            sent = false;
        } else {
            between += s.t1 - s.t0;
            if (s.state == ST_SYSCALL && s.stack && !sent) {
                sent = s.stack == stack || causes_sends(c->tr, s.stack);
                stack = sent ? s.stack : stack;
            }
        }
    }
    row_end(r, &now, alone);
}

/* Where work is marked as tasks, a row is what one of them waits so. */
static void rows_of_tasks(const struct causes *c, const struct waits_at *p, struct rows *r)
{
    const struct task *k;
    size_t n = trace_tasks(c->tr, &k);
    for (size_t i = 0, looked = 0; i < n && looked < TASKS; i += n / TASKS + 1, looked++) {
        struct span_iter it;
        uint32_t now = 0;
        bool whole = k[i].g < c->tg->ng && !k[i].open_start && !k[i].open_end;
        bool more = whole && span_seek(&it, c->tr, (struct lane){LANE_G, k[i].g}, k[i].t0);
        for (int steps = 0; more && steps < 500 && span_get(&it)->t0 < k[i].t1; steps++) {
            const struct span s = *span_get(&it);
            more = span_next(&it);
            now += s.state == ST_WAITING && s.t0 >= k[i].t0 && causes_place(c->tr, s.stack) == p->place &&
                   stacks_wait_kind(c->tr, s.reason, s.stack) == p->most->kind &&
                   (p->most->kind == WK_NET || ended_by(c, k[i].g, s.t1, span_get(&it), p->most->waker));
        }
        row_end(r, &now, true);
    }
}

static uint32_t row_median(const struct rows *r)
{
    uint64_t seen = 0;
    for (uint32_t i = 1; i <= ROW_MOST; i++) {
        seen += r->len[i];
        if (seen * 2 >= r->n && r->n) {
            return i;
        }
    }
    return 0;
}

/*
 * Half of the calls are in rows so long or longer. Where one goroutine does nothing but call, a host that takes its thread away now
 * and then cuts off many short rows and leaves few long ones; those have the calls.
 */
static uint32_t row_of_calls(const struct rows *r)
{
    uint64_t all = 0, seen = 0;
    uint32_t i = ROW_MOST;
    for (uint32_t k = 1; k <= ROW_MOST; k++) {
        all += r->in[k];
    }
    for (; i && all; i--) {
        seen += r->in[i];
        if (seen * 2 >= all) {
            return i;
        }
    }
    return 0;
}

/* Rows that a program makes are of about one length; where they only happen to end, lengths are all over the place. */
static bool alike(const struct rows *r, uint32_t median)
{
    uint64_t n = 0;
    for (uint32_t i = median / 2 ? median / 2 : 1; i <= median * 2 && i <= ROW_MOST; i++) {
        n += r->len[i];
    }
    return (double)n >= threshold(TH_CALLS_ALIKE) * (double)r->n;
}

static bool is_server(const struct causes *c, uint32_t g);

/* Do goroutines of other groups wait for those of that one? */
static bool waited_for(const struct causes *c, uint32_t group)
{
    int64_t ns = 0;
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        bool its = !p->from_scheduler && p->waker == c->tg->groups[group].name && p->waiter != p->waker;
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
    if (waited_for(c, group) || is_server(c, g) || trace_tasks(c->tr, &k) || trace_regions(c->tr, &r) ||
        !causes_main_way(c, &v, NULL)) {
        return WAITED;
    }
    for (uint32_t i = 0; i < v.n; i++) {
        const bool theirs = v.v[i].who == c->tg->groups[group].name || v.v[i].func == p->place;
        const bool works = v.v[i].cat == EX_RUN || v.v[i].cat == EX_SYSCALL || v.v[i].cat == EX_SCHED ||
                           v.v[i].cat == EX_NOBODY || v.v[i].cat == EX_ASSIST || v.v[i].cat == EX_NET;
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
             " on average: the other side does not take it as fast as it is written. ",
             t_f1((double)p->total / (double)c->tg->end), " goroutines wait there at any time while ",
             t_f1(c->running), " run.");
    if (nobody_waits(c, p) == WAITED_BY_NOBODY) {
        d.f.note = true;
        d.f.severity_ns = 0;
    }
    text_add(&d.next, "%s", CAUSES_WRITE_LESS);
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
             " in their last: they come faster than they are done, and queue.");
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
    text_add(t, "%s%u times in a row%s (half of the waits, at least), ", all ? "more than " : "",
             all ? ROW_MOST - 1 : row, all ? "" : " or more");
}

/* News that are each answered would look the same. */
static void through_text(struct draft *d, const struct causes *c, const struct waits_at *p)
{
    text_say(&d->text, c->tr, " It is let go on when something has come over the network to ",
             t_where(p->most->waker_stack, 0),
             ", and has mostly sent something before: answers, it seems (inferred).");
    d->f.note = d->f.inferred = true;
    d->f.severity_ns = 0;
}

static int64_t answering(const struct causes *c);

/* Is it this process that answers, and at work for it? Then nobody outside is slow. */
static bool own_answers(struct causes *c, const struct waits_at *p)
{
    return calls_accept(c) && threshold_reached(TH_BACKEND_INSIDE, answering(c), p->total) &&
           calls_answered_inside(c, p);
}

static void own_side_text(struct draft *d, struct causes *c, const struct waits_at *p)
{
    if (d->f.rule == RULE_BACKEND && own_answers(c, p)) {
        d->f.own_side = d->f.inferred = true;
        text_lit(
            &d->text,
            " Goroutines of this process write these answers (inferred): what they do until then is what takes so "
            "long.");
    } else if (calls_accept(c) && !is_server(c, p->most->longest.g)) {
        text_lit(&d->text,
                 " This process accepts connections itself: whether it is its own other side no trace tells.");
    }
}

static const char *backend_advice(const struct finding *f)
{
    return f->own_side
               ? "Look at what the goroutines that answer do meanwhile; or ask less often, or don't ask over the "
                 "network what is in the same process."
               : "The time is the other side's: ask less often (keep answers), ask earlier, or make that service "
                 "faster.";
}

static void nobody_text(struct draft *d, enum waited nobody)
{
    if (nobody == WAITED) {
        return;
    }
    d->f.severity_ns = 0;
    if (nobody == WAITED_ASIDE) {
        text_lit(&d->text,
                 " The process answers what comes over connections, and what does so waits neither for "
                 "these nor for who waits for them: they work beside that, and it costs the answers nothing.");
        return;
    }
    text_add(&d->text, " No other goroutine waits for these, and the way that the main goroutine waits along %s",
             nobody == WAITED_BY_NOBODY
                 ? "is others' work: it costs this trace nothing."
                 : "is a timer: unless somebody outside waits for what they do, it costs nothing.");
}

static void net_finding(struct causes *c, const struct waits_at *p, uint32_t row, double share)
{
    /* of those who run or wait so, and while at least one waits: the least of both, where one alone does it */
    const double waiting = (double)p->total / (double)c->tg->end, of = waiting / (waiting + c->running),
                 at_once = of < waiting ? of : waiting;
    int64_t each = p->total / (int64_t)p->count;
    bool many = row >= ROW;
    struct draft d;
    draft_start(&d, many ? RULE_SERIAL_CALLS : RULE_BACKEND,
                (int64_t)((double)c->tg->end * share * (many ? 1 - 1.0 / row : 1)));
    d.f.won_hi = (int64_t)((double)c->tg->end * (share > at_once ? share : at_once) * (many ? 1 - 1.0 / row : 1));
    draft_about(&d, c->rs, p->place, p->most->stack);
    draft_moment(&d, &p->most->longest);
    const bool through = p->most->kind != WK_NET && reader_ends(c, p->most); /* its reader's work is its own */
    const enum waited nobody = through ? WAITED : nobody_waits(c, p);
    const int64_t news = many || nobody ? 0 : meant_for_news(c, p);
    const double pace = nobody || news ? 0 : pace_of(c, p);
    const bool at_pace = pace >= threshold(TH_CALLS_PACE);
    d.f.note = nobody || news || at_pace || (!many && each < threshold_ns(TH_BACKEND_ALARM));
    text_dur(&d.amount, each);
    waits_at_text(&d.text, c, p);
    const bool pipe = stacks_pipe(c->tr, p->most->stack);
    if (many) {
        text_add(&d.text, ": waits for %s ", pipe ? "a pipe" : "the network");
        row_text(&d.text, row);
    } else {
        text_add(&d.text, ": waits for an answer over %s, ", pipe ? "a pipe" : "the network");
    }
    text_say(&d.text, c->tr, p->count, " waits of ", t_dur(each), " on average; ",
             t_f1((double)p->total / (double)c->tg->end), " goroutines wait there at any time while ",
             t_f1(c->running), " run.");
    nobody_text(&d, nobody);
    if (news) {
        text_say(&d.text, c->tr, " Most of that time are answers after about ", t_dur(news),
                 ", behind which it asks again at once, while behind the quick ones it has much to do: it seems to "
                 "ask for news, and where there are none that costs nothing (inferred).");
        d.f.severity_ns = d.f.won_hi = 0;
        d.f.inferred = true;
    }
    if (at_pace) {
        text_say(&d.text, c->tr,
                 " It asks at a pace: of what one of them waits for answers and for a clock (a ticker, a limit) ",
                 t_share(pace, 1), " is for the clock, and quicker answers alone would not hurry that.");
        d.f.severity_ns = d.f.won_hi = 0;
    }
    if (through) {
        through_text(&d, c, p);
    }
    if (!nobody && !news) {
        own_side_text(&d, c, p);
    }
    const bool fed = pace_fed(c, p, &d);
    const bool alone = many && one_makes_all(c, p);
    if (alone) {
        backlog_text(&d.text, c);
        backlog_since_text(&d.text, c, p->most->longest.g);
    }
    text_add(
        &d.next, "%s",
        at_pace || (fed && d.f.note) ? "Nothing, if that pace is meant. If not, quicken it first."
        : alone
            ? "One goroutine makes all these calls, each behind the answer to the one before: let several like it "
              "make them side by side, or ask for all at once."
        : news ? "Nothing, if it asks for news. If the long answers should bring something, the other side gives "
                 "up after that time: look there."
        : many ? "Ask for all at once, or ask side by side: each answer is waited for before the next question."
               : backend_advice(&d.f));
    draft_end(c->rs, &d);
}

bool calls_accept(const struct causes *c)
{
    bool any = false;
    for (uint32_t i = 0; i < c->tg->nwaits && i < 4096 && !any; i++) {
        any = c->tg->waits[i].kind == WK_NET && stack_through(c->tr, c->tg->waits[i].stack, accepting);
    }
    return any;
}

/* Who may be its own back end keeps some processors busy by that. */
static double idle_wanted(const struct causes *c)
{
    return threshold(calls_accept(c) ? TH_CALLS_OWN : TH_CALLS_IDLE) * c->procs;
}

/* Rows in what one handler of several does, of those whose goroutines are a server's. false: nothing is told. */
static bool by_handler(struct causes *c, const struct waits_at *p, double share)
{
    struct waits_at v[ROOTS];
    const uint32_t group = gstat_group(c->tg->g, p->most->longest.g);
    uint32_t n = 0;
    bool told = false;
    for (uint32_t i = 0; i < c->tg->npairs && !c->life[group].program; i++) {
        const struct pair_row *q = &c->tg->pairs[i];
        if (q->kind == p->most->kind && q->waiter == p->most->waiter && causes_place(c->tr, q->stack) == p->place) {
            waits_at_add(v, &n, ROOTS, root_of(c->tr, q->stack), q);
        }
    }
    for (uint32_t k = 0; k < n && n > 1; k++) {
        struct rows r = {0};
        const uint32_t root = v[k].place;
        const double its = share * (double)v[k].total / (double)p->total;
        v[k].place = p->place;
        if (its < SHARE || (double)v[k].count < threshold(TH_CALLS_WAITS)) {
            continue;
        }
        for (uint32_t i = 0; i < c->of[group].n && i < WALKED; i++) {
            rows_of(c, causes_member(c, group, i, WALKED), &v[k], root, false, &r);
        }
        const uint32_t row = row_median(&r);
        if (row >= ROW && row < ROW_MOST && (double)r.n >= threshold(TH_CALLS_ROWS) && alike(&r, row) &&
            r.asked * 2 > r.calls) {
            net_finding(c, &v[k], row, its);
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

/* v: all such places. */
static void network(struct causes *c, const struct waits_at *p, const struct waits_at *v, uint32_t n)
{
    double waiting = (double)p->total / (double)c->tg->end, share = waiting / (waiting + c->running);
    struct rows r = {0};
    uint32_t group = gstat_group(c->tg->g, p->most->longest.g);
    share = waiting < 1 ? share * waiting : share;
    share = beside_pauses(c, group, p, share);
    if (gone_finding(c, p)) {
        return;
    }
    if (share < SHARE || (double)p->count < threshold(TH_CALLS_WAITS) ||
        c->idle < idle_wanted(c)) { /* who waits while all are busy loses nothing */
        return;
    }
    if (causes_writes(c->tr, p->most->stack)) {
        write_finding(c, p, share);
        return;
    }
    if (pieces_finding(c, p, share) || few_finding(c, p)) {
        return;
    }
    uint32_t who = 0; /* make such calls */
    for (uint32_t i = 0; i < c->of[group].n && i < WALKED; i++) {
        const uint64_t before_it = r.calls;
        rows_of(c, causes_member(c, group, i, WALKED), p, 0, waiting < ALONE, &r);
        who += r.calls > before_it;
    }
    uint32_t row = who == 1 ? row_of_calls(&r) : row_median(&r);
    if (waiting >= ALONE && !((double)r.n >= threshold(TH_CALLS_ROWS) && alike(&r, row))) {
        struct rows of_tasks = {0};
        rows_of_tasks(c, p, &of_tasks);
        memcpy(r.len, of_tasks.len, sizeof r.len);
        r.n = of_tasks.n;
        row = row_median(&r);
    }
    row = waiting < ALONE || ((double)r.n >= threshold(TH_CALLS_ROWS) && row < ROW_MOST && alike(&r, row)) ? row : 0;
    if (row < ROW && waiting >= ALONE && by_handler(c, p, share)) {
        return;
    }
    if (row < ROW && p->most->kind == WK_NET && !meant_for_news(c, p)) {
        row = rows_between_runs(c, group, p->place);
    }
    if (row < ROW && alone_finding(c, v, n)) {
        return;
    }
    if (r.asked * 2 > r.calls && (row >= ROW || p->total / (int64_t)p->count >= SLOW)) {
        net_finding(c, p, row, share);
    }
}

/* Does the library wait, not the program itself? */
static bool in_library(const struct trace *tr, uint32_t stack)
{
    const uint32_t n = trace_stack(tr, stack);
    uint32_t i = 0;
    while (i < n && str_starts(trace_str(tr, trace_frame(tr, stack, i).func), "runtime.")) {
        i++;
    }
    return i < n && !stacks_is_program(tr, trace_frame(tr, stack, i).func);
}

/* A wait in what the program called that a goroutine of the library ended, one that waits for the network itself: an HTTP client's. */
static bool by_library(const struct causes *c, const struct pair_row *p)
{
    const bool asks = !p->from_scheduler && p->kind == WK_SELECT && in_library(c->tr, p->stack) &&
                      !stack_through(c->tr, p->stack, sql_pool);
    uint32_t g = asks ? causes_group(c, p->waker) : UINT32_MAX;
    return g != UINT32_MAX && !c->tg->groups[g].is_system && !c->life[g].program && c->life[g].by[WK_NET] > 0;
}

bool calls_over_http(const struct causes *c, enum wait_kind kind, const struct span *s)
{
    static const char *const asking[] = {"net/http.(*persistConn).roundTrip", NULL};
    return kind == WK_SELECT && stack_through(c->tr, s->stack, asking);
}

/* Was a goroutine begun by one that accepts connections? Then it is the side that is asked. */
static bool is_server(const struct causes *c, uint32_t g)
{
    struct lane_info li = trace_lane(c->tr, (struct lane){LANE_G, g});
    uint32_t by = li.creator < c->tg->ng ? c->tg->groups[gstat_group(c->tg->g, li.creator)].name : 0;
    for (uint32_t i = 0; i < c->tg->nwaits && i < 4096 && by == 0 && li.create_stack; i++) {
        const struct wait_row *w = &c->tg->waits[i]; /* begun before the trace: by where, not by whom */
        if (w->kind == WK_NET && stack_through(c->tr, w->stack, accepting) &&
            causes_place(c->tr, w->stack) == causes_place(c->tr, li.create_stack)) {
            return true;
        }
    }
    for (uint32_t i = 0; i < c->tg->npairs && i < 4096 && by; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        if (p->waiter == by && p->kind == WK_NET && stack_through(c->tr, p->stack, accepting)) {
            return true;
        }
    }
    return false;
}

/* The function of a goroutine's first wait for the network: where a server reads what it is asked, before it asks itself. */
static uint32_t first_place(const struct causes *c, uint32_t g)
{
    struct span_iter it;
    bool more = span_seek_index(&it, c->tr, (struct lane){LANE_G, g}, 0);
    for (int i = 0; i < 64 && more; i++, more = span_next(&it)) {
        const struct span *s = span_get(&it);
        if (s->state == ST_WAITING && stacks_wait_kind(c->tr, s->reason, s->stack) == WK_NET) {
            return causes_place(c->tr, s->stack);
        }
    }
    return 0;
}

bool calls_serves(const struct causes *c, uint32_t g)
{
    return is_server(c, g);
}

uint32_t calls_questions(const struct causes *c, uint32_t g)
{
    return is_server(c, g) ? first_place(c, g) : 0;
}

bool calls_is_asked(const struct causes *c, uint32_t g, uint32_t place)
{
    return is_server(c, g) && (meant_for_questions(c, g, place) || meant_for_session(c, g, place));
}

/*
 * Are the waits there a server's for the next question, not for an answer? Of connections that were there before the trace
 * that can't be seen; in a process that accepts any, and in a goroutine's own loop, such waits are taken for a server's.
 */
bool calls_for_questions(const struct causes *c, const struct pair_row *p, uint32_t place)
{
    uint32_t g = p->longest.g;
    bool born = trace_lane(c->tr, (struct lane){LANE_G, g}).created;
    const uint32_t group = gstat_group(c->tg->g, g);
    bool own = place == c->tg->groups[group].name;
    const bool library = !c->life[group].program && place; /* a library's server reads what it is asked itself */
    return p->kind == WK_NET && !library && (born ? is_server(c, g) : own || calls_accept(c)) &&
           (first_place(c, g) == place ||
            (born && (meant_for_questions(c, g, place) || meant_for_session(c, g, place))));
}

/*
 * How long goroutines that answer connections were at it: all their lives but for the waits for the next question, and sleep. Where
 * the same process asks them, what its clients wait for is in this trace, and nobody outside is slow.
 */
static int64_t answering(const struct causes *c)
{
    int64_t ns = 0;
    for (uint32_t i = 0; i < c->tg->ngroups; i++) {
        const uint32_t g = c->of[i].n ? c->member[c->of[i].at] : NO_LANE;
        if (g == NO_LANE || c->tg->groups[i].is_system || !c->life[i].by[WK_NET] || !is_server(c, g)) {
            continue;
        }
        const uint32_t asked = c->life[i].program ? first_place(c, g) : 0;
        int64_t questions = 0;
        for (uint32_t k = 0; k < c->tg->npairs; k++) {
            const struct pair_row *p = &c->tg->pairs[k];
            if (p->waiter == c->tg->groups[i].name && p->kind == WK_NET && causes_place(c->tr, p->stack) == asked) {
                questions = ns_add(questions, p->total);
            }
        }
        questions = ns_add(questions, c->life[i].by[WK_SLEEP]);
        ns = ns_add(ns, c->life[i].life > questions ? c->life[i].life - questions : 0);
    }
    return ns;
}

void rule_network(struct causes *c)
{
    struct waits_at v[PLACES];
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        const bool asks =
            (p->kind == WK_NET || by_library(c, p) || (i < PAIRS_ASKED && p->kind != WK_SEND && reader_ends(c, p))) &&
            !stack_through(c->tr, p->stack, pooled);
        const uint32_t place = asks ? causes_place(c->tr, p->stack) : 0; /* for connections: rule_conns */
        if (place && p->longest.g < c->tg->ng) {
            waits_at_add(v, &n, PLACES, place, p);
        }
    }
    uint32_t before = c->rs->out->n;
    for (uint32_t i = 0; i < n;
         i++) { /* where servers wait themselves, who asks them in the same process waits for that */
        const uint32_t g = v[i].most->longest.g, group = gstat_group(c->tg->g, g);
        if (is_server(c, g) && !calls_for_questions(c, v[i].most, v[i].place)) {
            if (!c->life[group].program) {
                work_in_lines(c, group); /* of a library's server requests tell more than its goroutines do */
            }
            if (!causes_told_at(c, RULE_SERIAL_CALLS, v[i].place)) {
                network(c, &v[i], v, n);
            }
        }
    }
    const int64_t inside = n && calls_accept(c) ? answering(c) : 0;
    for (uint32_t i = 0; i < n && c->rs->out->n == before; i++) {
        if (!is_server(c, v[i].most->longest.g) && !calls_for_questions(c, v[i].most, v[i].place) &&
            !threshold_reached(TH_BACKEND_INSIDE, inside, v[i].total)) {
            network(c, &v[i], v, n);
        }
    }
    if (n && c->rs->out->n == before && c->idle >= idle_wanted(c)) {
        (void)alone_finding(c, v, n);
    }
}

/* ---- connections ------------------------------------------------------------------------------------------------------- */

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
            trace_stack_ahead(c->tr, p[STACKS_AHEAD].stack);
        }
        bool opens = stack_through(c->tr, p->stack, connecting);
        bool asks = (p->kind == WK_NET && !stack_through(c->tr, p->stack, reading_on)) || by_library(c, p);
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

/* ---- system calls ------------------------------------------------------------------------------------------------------- */

void rule_blocking(struct causes *c)
{
    int64_t ns = 0, most = 0;
    uint32_t g = 0;
    const struct syscall_row *row = NULL;
    struct draft d;
    for (uint32_t i = 0; i < c->tg->ngroups; i++) {
        int64_t b = c->tg->groups[i].is_system ? 0 : c->tg->groups[i].d[GM_SYSBLOCK].total;
        ns = ns_add(ns, b);
        g = b > most ? i : g;
        most = b > most ? b : most;
    }
    for (uint32_t i = 0; i < c->tg->nsyscalls; i++) {
        const struct syscall_row *r = &c->tg->syscalls[i];
        row = causes_place(c->tr, r->stack) && (double)(r->blocking + r->open) >= threshold(TH_BLOCKING_CALLS) &&
                      (!row || r->total > row->total)
                  ? r
                  : row;
    }
    double threads = (double)ns / (double)c->tg->end, at_once = row ? (double)row->total / (double)c->tg->end : 0;
    const struct group *of =
        row && row->longest.g < c->tg->ng ? &c->tg->groups[gstat_group(c->tg->g, row->longest.g)] : NULL;
    bool slow = row && at_once >= threshold(TH_BLOCKING_LIFE) &&
                row->total / (int64_t)row->count >= threshold_ns(TH_BACKEND_SLOW);
    bool place = of && (slow || at_once >= threshold(TH_BLOCKING_PLACE)) && c->idle >= threshold(TH_BOTTLE_IDLE) &&
                 (double)(of->d[GM_SYSBLOCK].total + of->d[GM_SYSCALL].total) >=
                     threshold(TH_BLOCKING_LIFE) * (double)of->d[GM_LIFE].total;
    if (!row ||
        (!place && (threads < threshold(TH_BLOCKING_PROCS) * c->procs || threads < threshold(TH_BLOCKING_THREADS)))) {
        return;
    }
    draft_start(&d, RULE_BLOCKING, 0);
    d.f.note = true;
    draft_about(&d, c->rs, causes_place(c->tr, row->stack), row->stack);
    draft_moment(&d, &row->longest);
    text_add(&d.amount, "%.0f threads", threads);
    text_say(&d.text, c->tr, t_place(row->stack, 3), " sits in system calls that block: ", row->count, " calls of ",
             t_dur(row->total / (int64_t)row->count), " on average; ", t_f1(threads),
             " goroutines of the program are in such calls at any time, each with a thread of its own (there are ",
             t_f0(c->procs), " processors).");
    if (place) {
        d.f.won_hi = (int64_t)(at_once > of->count ? 1 : at_once / of->count * (double)c->tg->end);
        text_say(&d.text, c->tr, " Its goroutines spend ",
                 t_share((double)(of->d[GM_SYSBLOCK].total + of->d[GM_SYSCALL].total), (double)of->d[GM_LIFE].total),
                 " of their lives in calls: whether they queue for one thing outside (a file's lock, a slow device) "
                 "no trace tells.");
    }
    text_add(
        &d.next, "%s",
        place ? "If they queue for one thing outside, give each its own or let one goroutine do it for all; if they "
                "only read and wait, read through the poller (os.File, net.Conn, a non-blocking descriptor)."
              : "Read through the poller (os.File, net.Conn, a non-blocking descriptor), or let few goroutines "
                "make these calls.");
    draft_end(c->rs, &d);
}
