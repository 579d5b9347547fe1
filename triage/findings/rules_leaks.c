/*
 * rules_leaks.c - rules about goroutines by their number and their share of the work: leaks, workers, tasks.
 */
#include "triage/findings/leak_why.h"
#include "triage/findings/thresholds.h"

#include <stdlib.h>

#include "decode/base/mem.h"

static bool ends_from_within(enum wait_kind k)
{
    return k == WK_RECV || k == WK_SEND || k == WK_SELECT || k == WK_LOCK || k == WK_COND;
}

static void leak_growth(struct text *t, const struct leak_row *r)
{
    text_add(t, " Created in the quarters of the trace: %u, %u, %u, %u.", r->quarter[0], r->quarter[1], r->quarter[2],
             r->quarter[3]);
}

/*
 * Goroutines that may never go on: they came to this place for the first time and stay. Where (nearly) none of their
 * kind ended that is enough; where others did, some are on their way at any time, so they must have come all along.
 */
static bool leaks(const struct triage *tg, const struct leak_row *r)
{
    int64_t share = (int64_t)(threshold(TH_LEAK_SHARE) * (double)tg->end), time = threshold_ns(TH_LEAK_TIME);
    int quarters = 0, steady = 0;
    for (int i = 0; i < 4; i++) {
        quarters += r->quarter[i] > 0;
        steady +=
            i < 3 && r->quarter[i] >= threshold(TH_LEAK_QUARTER) * r->lost; /* the last ones may be on their way */
    }
    /* (who waits for a WaitGroup may wait for long work: only beside siblings that did not, or where they come all along) */
    const bool grows = steady == 3 && r->ended > threshold(TH_LEAK_ENDED) * r->created;
    const bool waits_for_good =
        ends_from_within(r->kind) || (r->kind == WK_WAITGROUP && (r->ended > r->lost || grows));
    return r->lost >= threshold(TH_LEAK_COUNT) && r->lost > r->count / 2 && waits_for_good &&
           r->oldest >= (share < time ? share : time) &&
           (r->ended <= threshold(TH_LEAK_ENDED) * r->created || quarters >= 3);
}

/* Is the frame that stands for a stack one of the program's own? */
static bool has_program(const struct trace *tr, uint32_t stack)
{
    const uint32_t at = stack ? stacks_user_frame(tr, stack) : 0;
    return stack && at < trace_stack(tr, stack) && stacks_is_program(tr, trace_frame(tr, stack, at).func);
}

#define BEGUN_BY 4 /* goroutines, one begun by the other */

/* What a library's goroutine begins it begins for somebody: the first of the program among those that began one another. */
static void begun_for_text(struct text *t, const struct trace *tr, uint32_t g)
{
    struct lane_info li = trace_lane(tr, (struct lane){LANE_G, g});
    for (int k = 0; k < BEGUN_BY && !has_program(tr, li.create_stack); k++) {
        if (li.creator == NO_LANE) {
            return;
        }
        li = trace_lane(tr, (struct lane){LANE_G, li.creator});
        if (has_program(tr, li.create_stack)) {
            text_say(t, tr, ", for ", t_place(li.create_stack, 3));
        }
    }
}

static void leak_text(struct text *t, const struct rules *rs, const struct leak_row *r)
{
    text_say(t, rs->tr, t_func_cut(r->name, 60), ": ", r->created, " created, ", r->ended, " ended; ", r->count,
             " blocked (");
    text_wait(t, rs->tr, r->reason, r->stack);
    text_say(t, rs->tr, ") at ", t_where(r->stack, 60));
    const bool all =
        r->quarter[0] + r->quarter[1] + r->quarter[2] + r->quarter[3] < r->lost; /* some had gone on before */
    text_lit(t, ", ");
    if (r->lost < r->count) {
        text_add(t, "%u of them ", r->lost);
    }
    if (!all) {
        if (r->again.count) {
            text_say(t, rs->tr, t_f0(threshold(TH_LEAK_AGAIN)),
                     " times as long as any wait there that ended, and more, ");
        } else {
            text_say(t, rs->tr, r->vain.count ? "at most woken there in vain, " : "never woken there, ");
        }
    }
    text_say(t, rs->tr, "for up to ", t_dur(r->oldest));
    if (r->since + r->oldest < rs->tg->end) {
        text_lit(t, " until their record ends");
    }
    text_say(t, rs->tr, ". Created at ",
             has_program(rs->tr, r->create_stack) ? t_place(r->create_stack, 3) : t_where(r->create_stack, 60));
    begun_for_text(t, rs->tr, r->example);
    text_lit(t, ".");
    if (!all) {
        leak_growth(t, r);
    }
}

static uint32_t begun_in(const struct trace *tr, const struct leak_row *r)
{
    return r->create_stack ? trace_frame(tr, r->create_stack, 0).func : 0;
}

#define NEAR 64 /* rows on either side that are looked at for another half of the same leak */

/* Two that one function begins as often as each other, a reader and a writer of one connection, are one leak. */
static bool one_leak(const struct trace *tr, const struct leak_row *a, const struct leak_row *b)
{
    const uint32_t apart = a->created > b->created ? a->created - b->created : b->created - a->created;
    return a->name != b->name && begun_in(tr, a) && begun_in(tr, a) == begun_in(tr, b) && apart <= a->created / 20;
}

static bool told_before(const struct rules *rs, uint32_t row)
{
    for (uint32_t i = row > NEAR ? row - NEAR : 0; i < row; i++) {
        if (leaks(rs->tg, &rs->tg->leaks[i]) && one_leak(rs->tr, &rs->tg->leaks[i], &rs->tg->leaks[row])) {
            return true;
        }
    }
    return false;
}

/* Those that stay with a row's. */
static void beside_text(struct text *t, const struct rules *rs, uint32_t row)
{
    for (uint32_t i = row + 1; i < rs->tg->nleaks && i <= row + NEAR; i++) {
        const struct leak_row *r = &rs->tg->leaks[i];
        if (leaks(rs->tg, r) && one_leak(rs->tr, &rs->tg->leaks[row], r)) {
            text_say(t, rs->tr, " With them ", t_func_cut(r->name, 60), ": ", r->created, " created, ", r->ended,
                     " ended, ", r->lost, " blocked.");
        }
    }
}

/* Of the readers of connections that stay with a row's, how many do so behind an answer's head (in the loop itself), or read? */
static void readers_of(const struct rules *rs, uint32_t row, uint32_t *behind, uint32_t *reading)
{
    *behind = *reading = 0;
    for (uint32_t i = row; i < rs->tg->nleaks && i <= row + NEAR; i++) {
        const struct leak_row *r = &rs->tg->leaks[i];
        if ((i != row && !one_leak(rs->tr, &rs->tg->leaks[row], r)) ||
            !str_is(trace_str(rs->tr, r->name), "net/http.(*persistConn).readLoop")) {
            continue;
        }
        if (stacks_has(rs->tr, r->stack, "net/http.(*persistConn).Read")) {
            *reading += r->count; /* over whatever kind of connection, a pipe in memory too */
        } else if (r->kind == WK_SELECT) {
            *behind += r->count;
        }
    }
}

static bool body_open(const struct rules *rs, uint32_t row)
{
    uint32_t behind, reading;
    readers_of(rs, row, &behind, &reading);
    return behind > reading / 4;
}

/* Do most of them wait for what comes next? Between two answers a connection does. */
static bool idle_connections(const struct rules *rs, uint32_t row)
{
    uint32_t behind, reading;
    readers_of(rs, row, &behind, &reading);
    return reading > rs->tg->leaks[row].count / 2;
}

static const char *leak_advice(const struct rules *rs, uint32_t row)
{
    if (body_open(rs, row)) {
        return "Their connections wait for the response body to be read to the end or closed: do both, on every "
               "return path.";
    }
    if (idle_connections(rs, row)) {
        return "Their connections are idle, or wait for an answer. Each http.Transport keeps its own idle ones: use "
               "one "
               "for all, set IdleConnTimeout, or call CloseIdleConnections when done with it.";
    }
    return rs->tg->leaks[row].vain.count
               ? "The condition they check when woken was not true: change it under the lock, before the Signal or "
                 "Broadcast; and give such waits a way out."
               : "Who should have woken them? Give such waits a way out (a context, a closed channel, a timeout), or "
                 "use the one they have: cancel it, close it.";
}

#define SENDS_ASKED 64   /* rows, the largest, of which who is missing is asked: sends */
#define SIGNALS_ASKED 16 /* waits for conditions, each a walk over a group */

/* Many, as many in each quarter, of which none ends and none was ever woken. */
static bool grows_evenly(const struct leak_row *r)
{
    bool even = r->ended == 0 && r->lost >= threshold(TH_LEAK_GROWS) && r->once >= r->lost;
    for (int i = 0; i < 4; i++) {
        even &= r->quarter[i] >= threshold(TH_LEAK_QUARTER) * r->lost;
    }
    return even;
}

/*
 * Many that come one by one from some moment on, about as many in each quarter of the time since, of which none ends and none was ever woken:
 * what is late to begin has not yet waited for as long as what was there before.
 */
static bool come_late(const struct triage *tg, const struct leak_row *r)
{
    uint32_t quarter[4] = {0};
    if (r->ended || r->lost < threshold(TH_LEAK_GROWS) || r->once < r->count || r->lost < r->count ||
        !ends_from_within(r->kind) || !threshold_reached(TH_LEAK_LATE, r->oldest, tg->end)) {
        return false;
    }
    const int64_t from = trace_lane(tg->tr, (struct lane){LANE_G, r->example}).first, since = tg->end - from;
    const uint32_t group = gstat_group(tg->g, r->example);
    uint32_t n = 0;
    for (uint32_t g = 0; since > 0 && (g = gstats_next(tg->g, g, group)) != NO_LANE; g++) {
        const struct lane_info li = trace_lane(tg->tr, (struct lane){LANE_G, g});
        if (li.create_stack == r->create_stack && li.first >= from) {
            const int64_t q = (int64_t)((double)(li.first - from) / (double)since * 4);
            quarter[q < 3 ? q : 3]++;
            n++;
        }
    }
    bool even = n >= r->count;
    for (int i = 0; i < 4; i++) {
        even &= quarter[i] >= threshold(TH_LEAK_QUARTER) * n;
    }
    return even;
}

/* Do they come all along? A send that nobody takes, or an answer that nobody reads, is none at rest. */
static bool pile_up(const struct rules *rs, uint32_t row)
{
    const struct leak_row *r = &rs->tg->leaks[row];
    int quarters = 0;
    for (int i = 0; i < 4; i++) {
        quarters += r->quarter[i] > 0;
    }
    return quarters >= 3 && (r->kind == WK_SEND || body_open(rs, row) || grows_evenly(r));
}

/*
 * Who is missing, and what to do. Where that is known, or sends or unread answers pile up, it stands for good: no note. It costs time by the clock where all that
 * are left of their kind stand.
 */
static void leak_why(struct draft *d, const struct rules *rs, uint32_t row)
{
    const struct leak_row *r = &rs->tg->leaks[row];
    struct leak_gone gone;
    if (r->no_receiver && leak_gone(rs->tg, r->stack, r->since, &gone)) {
        leak_gone_text(&d->text, &d->next, rs, &gone);
        d->f.note = false;
        d->f.severity_ns = r->lost == r->created - r->ended ? r->oldest : 0;
    } else if (r->vain.count && row < SIGNALS_ASKED && leak_one_signalled(&d->text, rs, r)) {
        d->f.note = false;
        text_lit(&d->next, "Use Broadcast there, so that all check again and those that must end do.");
    } else {
        d->f.note = !pile_up(rs, row);
        text_add(&d->next, "%s", leak_advice(rs, row));
    }
}

static void rule_leak(struct rules *rs)
{
    const struct triage *tg = rs->tg;
    for (uint32_t i = 0; i < tg->nleaks; i++) {
        const struct leak_row *r = &tg->leaks[i];
        struct draft d;
        const bool is = leaks(tg, r), late = !is && i < SENDS_ASKED && come_late(tg, r);
        if (!(is || late) || told_before(rs, i)) {
            continue;
        }
        draft_start(&d, RULE_LEAK, 0);
        draft_about(&d, rs, r->name, r->stack);
        draft_at(&d, r->since, r->since + r->oldest, LANE_G, r->example);
        text_add(&d.amount, "+%u", r->lost);
        leak_text(&d.text, rs, r);
        beside_text(&d.text, rs, i);
        leak_why(&d, rs, i);
        d.f.note &= !late || r->kind != WK_SEND; /* who waits to send has something that nobody takes */
        draft_end(rs, &d);
    }
}

/* Fewer than leak, but who waits to send has something that nobody takes: receivers wait for work, senders don't. */
static void rule_sends(struct rules *rs)
{
    const struct triage *tg = rs->tg;
    int64_t share = (int64_t)(threshold(TH_LEAK_SHARE) * (double)tg->end), time = threshold_ns(TH_LEAK_TIME);
    uint32_t asked = 0;
    for (uint32_t i = 0; i < tg->nwaits; i++) {
        const struct wait_row *w = &tg->waits[i];
        int64_t ns = w->longest.t1 - w->longest.t0;
        struct leak_gone gone;
        struct draft d;
        if (w->kind != WK_SEND || (double)w->open < threshold(TH_SENDS_COUNT) ||
            (double)w->open >= threshold(TH_LEAK_COUNT) || w->longest.t1 < tg->end ||
            ns < (share < time ? share : time) || w->longest.g >= tg->ng) {
            continue;
        }
        draft_start(&d, RULE_SENDS, 0);
        draft_about(&d, rs, trace_frame(rs->tr, w->stack, stacks_user_frame(rs->tr, w->stack)).func, w->stack);
        draft_moment(&d, &w->longest);
        d.f.note = true;
        text_add(&d.amount, "%llu stuck", (unsigned long long)w->open);
        text_say(&d.text, rs->tr, t_place(w->stack, 3), ": ", w->open,
                 " goroutines wait at the end to send what nobody has received, the longest (", t_who(w->longest.g),
                 ") for ", t_dur(ns), ".");
        if (asked++ < SENDS_ASKED && leak_gone(tg, w->stack, w->longest.t0, &gone)) {
            leak_gone_text(&d.text, &d.next, rs, &gone);
        } else {
            text_lit(&d.next, "Who should receive? If these are each other's receivers, they are deadlocked: receive "
                              "while sending (select), or give the channel a buffer.");
        }
        draft_end(rs, &d);
    }
}

/* ---- workers ------------------------------------------------------------------------------------------------ */

/*
 * Goroutines of one group with one creation, begun together with the one that ran most. Those that begin each other
 * are no team but steps of one (a recursion, a test within a test), and who had ended before it began did not work beside it.
 */
struct team {
    uint32_t n, top;
    int64_t all, most;
    int64_t work, most_work; /* the same with system calls */
};
#define TEAM_MOST 1024

/* Stops of the world by who made them, and those of one that are asked for next. */
struct stops {
    const struct range *r;
    struct keyed_row *by; /* goroutine, row of r */
    size_t n, at;
};

static bool stops_of(const struct triage *tg, struct stops *s)
{
    const size_t all = trace_ranges(tg->tr, RANGE_STW, &s->r);
    s->by = mem_alloc((all + 1) * sizeof *s->by);
    for (size_t i = 0; s->by && i < all; i++) {
        if (!s->r[i].scope_p && s->r[i].owner < tg->ng) {
            s->by[s->n++] = (struct keyed_row){s->r[i].owner, (uint32_t)i};
        }
    }
    return s->by && rows_sort_here(s->by, s->n);
}

/* What a goroutine ran for itself: without assisting, and without stopping the world in passing. Later ones are found at once. */
static int64_t own_run(const struct triage *tg, struct stops *s, uint32_t g)
{
    int64_t ns = gstat_ns(tg->g, g, GM_EXEC) - gstat_ns(tg->g, g, GM_ASSIST);
    s->at = s->at && s->by[s->at - 1].key >= g ? 0 : s->at;
    while (s->at < s->n && s->by[s->at].key < g) {
        s->at++;
    }
    for (size_t i = s->at; i < s->n && s->by[i].key == g; i++) {
        const struct range *r = &s->r[s->by[i].row];
        ns = ns_add(ns, r->t0 - r->t1);
    }
    return ns;
}

static bool of_its_own(const struct triage *tg, uint32_t g, uint32_t group)
{
    const struct lane_info li = trace_lane(tg->tr, (struct lane){LANE_G, g});
    return li.creator < tg->ng && gstat_group(tg->g, li.creator) == group;
}

/* At work, or on the way to it, for such a share of its life? Else it has room, however little the others have to do. */
static bool at_work(const struct triage *tg, uint32_t g, double share)
{
    const int64_t work = ns_add(ns_add(gstat_ns(tg->g, g, GM_EXEC), gstat_ns(tg->g, g, GM_SCHED)),
                                ns_add(gstat_ns(tg->g, g, GM_SYSCALL), gstat_ns(tg->g, g, GM_SYSBLOCK)));
    return (double)work >= share * (double)gstat_ns(tg->g, g, GM_LIFE);
}

static void team_of(const struct triage *tg, uint32_t group, struct stops *stops, struct team *t)
{
    struct lane_info top;
    int64_t apart;
    *t = (struct team){.top = NO_LANE};
    for (uint32_t g = 0; (g = gstats_next(tg->g, g, group)) != NO_LANE; g++) {
        const int64_t own = own_run(tg, stops, g);
        if (t->top == NO_LANE || own > t->most) {
            t->top = g;
            t->most = own;
        }
    }
    if (t->top == NO_LANE || of_its_own(tg, t->top, group)) {
        return;
    }
    top = trace_lane(tg->tr, (struct lane){LANE_G, t->top});
    apart = (int64_t)((double)(top.last - top.first) * threshold(TH_TEAM_APART));
    for (uint32_t g = 0; (g = gstats_next(tg->g, g, group)) != NO_LANE; g++) {
        struct lane_info li = trace_lane(tg->tr, (struct lane){LANE_G, g});
        bool in = li.create_stack == top.create_stack && li.first >= top.first - apart &&
                  li.first <= top.first + apart && (li.last > top.first || !li.ended) && !of_its_own(tg, g, group);
        const int64_t own = in ? own_run(tg, stops, g) : 0, calls = in ? gstat_ns(tg->g, g, GM_SYSCALL) : 0;
        t->n += in;
        t->all = ns_add(t->all, own > 0 ? own : 0);
        t->work = ns_add(t->work, ns_add(own > 0 ? own : 0, calls));
        t->most_work = g == t->top ? ns_add(own, calls) : t->most_work;
    }
}

static bool held_run(void *arg, const struct span *s)
{
    int64_t *held = arg;
    *held = ns_add(*held, s->open_start ? 0 : s->t1 - s->t0);
    return true;
}

/*
 * Runs longer than the runtime lets a goroutine run are the host's doing as much as its own (rules_host.c). What the one ran in these is not
 * counted: without them it has to have much more than the others still.
 */
static struct team not_held(const struct triage *tg, const struct team *t)
{
    struct team own = *t;
    int64_t held = 0;
    if (trace_info(tg->tr)->version >= 1014 && t->top != NO_LANE) {
        trace_wide(tg->tr, (struct lane){LANE_G, t->top},
                   &(struct wide_ask){0, tg->end, threshold_ns(TH_HOST_RUN), held_run, &held, 1u << ST_RUNNING});
        held = held < own.most ? held : own.most;
        own.most -= held;
        own.all -= held;
        own.work -= held;
        own.most_work -= held;
    }
    return own;
}

/*
 * Of few, the mean is much that one's own: then what the others ran on average, while most processors had nothing to do.
 */
static bool idles_rest(const struct triage *tg, const struct team *t)
{
    const double others = (double)(t->all - t->most) / (t->n - 1);
    return (double)t->most >= threshold(TH_TEAM_OTHERS) * others &&
           threshold_reached(TH_TEAM_OF_ALL, t->most, t->all) &&
           threshold_reached(TH_TEAM_IDLE, triage_idle_known(tg), tg->capacity);
}

static bool unbalanced(const struct triage *tg, const struct team *t)
{
    return t->top != NO_LANE && at_work(tg, t->top, threshold(TH_TEAM_BUSY)) && t->n >= threshold(TH_TEAM_WORKERS) &&
           t->n <= TEAM_MOST && threshold_reached(TH_TEAM_SHARE, t->most, tg->end) &&
           ((double)t->most >= threshold(TH_TEAM_MEAN) * (double)t->all / t->n || idles_rest(tg, t)) &&
           (threshold_reached(TH_TEAM_OF_ALL, t->most, t->all) || at_work(tg, t->top, threshold(TH_TEAM_FULL))) &&
           (double)t->most_work * t->n >= threshold(TH_SPLIT_MEAN) * (double)t->work &&
           t->most - t->all / (int64_t)t->n >= threshold_ns(TH_TEAM_LOST);
}

/*
 * Who gives out the work, where those with little to do wait for it on channels: the one that has most never waits with them, so what it
 * has is kept for it alone.
 */
static void given_out_by(struct draft *d, const struct rules *rs, const struct group *g, const struct team *t)
{
    const struct pair_row *most = NULL;
    uint64_t n = 0, all = 0;
    for (uint32_t i = 0; i < rs->tg->npairs; i++) {
        const struct pair_row *p = &rs->tg->pairs[i];
        if (!p->from_scheduler && p->waiter == g->name && p->waker != g->name &&
            (p->kind == WK_RECV || p->kind == WK_SELECT) && stacks_place(rs->tr, p->waker_stack)) {
            most = !most || p->count > most->count ? p : most;
            all += p->count;
        }
    }
    for (uint32_t i = 0; most && i < rs->tg->npairs; i++) {
        const struct pair_row *p = &rs->tg->pairs[i];
        n += p->waiter == g->name && p->waker_stack == most->waker_stack ? p->count : 0;
    }
    if (!most || n < t->n || n * 4 < all * 3 || !at_work(rs->tg, t->top, threshold(TH_TEAM_FULL))) {
        return;
    }
    text_say(&d->text, rs->tr, " ", t_place(most->waker_stack, 3),
             " hands out their work, and the others wait for it (", n,
             " waits) while that one always has more: what it gets is for it alone (inferred).");
    text_say(&d->next, rs->tr, "Look at how ", t_place(most->waker_stack, 1),
             " distributes the work: most of it should not go to one of them. ");
}

static void team_finding(struct rules *rs, const struct group *g, const struct team *t)
{
    int64_t mean = t->all / (int64_t)t->n;
    struct draft d;
    draft_start(&d, RULE_UNBALANCED, t->most - mean);
    draft_subject(&d, rs, g->name);
    draft_at(&d, 0, rs->tg->end, LANE_G, t->top);
    text_share(&d.amount, (double)t->most, (double)t->all);
    text_say(&d.text, rs->tr, "Of ", t->n, " goroutines of ", t_func_cut(g->name, 60), " started together, G",
             (unsigned long long)trace_lane(rs->tr, (struct lane){LANE_G, t->top}).id, " ran ", t_dur(t->most), ", ",
             t_share((double)t->most, (double)t->all), " of what they ran together; the mean is ", t_dur(mean),
             ", that of the others ", t_dur((t->all - t->most) / (int64_t)(t->n > 1 ? t->n - 1 : 1)), ".");
    given_out_by(&d, rs, g, t);
    text_lit(&d.next, "Split the work into smaller pieces, or let idle workers take from one queue.");
    draft_end(rs, &d);
}

static void rule_workers(struct rules *rs)
{
    const struct triage *tg = rs->tg;
    struct stops stops = {0};
    for (uint32_t i = 0; i < tg->ngroups && i < 16; i++) {
        const struct group *g = &tg->groups[i];
        struct team t;
        if (g->is_system || g->name == 0 || g->count < 3 ||
            !threshold_reached(TH_TEAM_SHARE, g->d[GM_EXEC].max, tg->end)) {
            continue;
        }
        if (!stops.by && !stops_of(tg, &stops)) {
            rs->failed = true;
            break;
        }
        team_of(tg, i, &stops, &t);
        const struct team own = unbalanced(tg, &t) ? not_held(tg, &t) : t;
        if (unbalanced(tg, &own)) {
            team_finding(rs, g, &t);
        }
    }
    mem_free(stops.by);
}

/* ---- tasks -------------------------------------------------------------------------------------------------- */

static void share_text(struct text *t, const char *what, int64_t ns, int64_t all, bool *first)
{
    if (ns < all / 20 || ns <= 0) {
        return; /* less than 5 % */
    }
    text_add(t, "%s%s ", *first ? "" : ", ", what);
    text_dur(t, ns);
    *first = false;
}

static void breakdown_text(struct text *t, const struct rules *rs, const struct breakdown *b)
{
    bool first = true;
    share_text(t, "running", b->running, b->all, &first);
    for (uint32_t i = 0; i < b->nreasons; i++) {
        struct text why = {0};
        text_lit(&why, "waiting (");
        text_reason(&why, rs->tr, b->reason[i]);
        text_lit(&why, ")");
        share_text(t, why.p ? why.p : "waiting", b->reason_ns[i], b->all, &first);
        text_free(&why);
    }
    share_text(t, "system calls", b->syscall, b->all, &first);
    share_text(t, "waiting for a processor", b->sched, b->all, &first);
    share_text(t, "GC assist", b->assist, b->all, &first);
    share_text(t, "not recorded", breakdown_unknown(b), b->all, &first);
}

/* Of how many types it is told that some are slow: those that cost most. Names are the program's, which may make one for each request. */
#define SLOW_TYPES 16
struct slow_type {
    const struct span_type *y;
    int64_t lost; /* what its slow ones took above the median */
};

static bool has_slow(const struct triage *tg, const struct span_type *y)
{
    return !(y->is_region && tg->ntask_types) && (double)y->d.n >= threshold(TH_SLOW_TASKS) && y->nslow > 0 &&
           (double)y->d.max >= threshold(TH_SLOW_MEDIAN) * (double)y->d.p50 &&
           y->d.max - y->d.p50 >= threshold_ns(TH_SLOW_ABOVE);
}

static int64_t lost_to_slow(const struct span_type *y)
{
    int64_t lost = 0;
    for (uint32_t i = 0; i < y->nslow; i++) {
        const int64_t ns = y->slow[i].t1 - y->slow[i].t0;
        if ((double)ns < threshold(TH_SLOW_MEDIAN) * (double)y->d.p50) {
            break;
        }
        lost = ns_add(lost, ns - y->d.p50);
    }
    return lost;
}

/* The costliest first. Returns how many types have slow ones. */
static uint32_t slow_types(const struct triage *tg, struct slow_type v[SLOW_TYPES], uint32_t *n)
{
    uint32_t all = 0;
    *n = 0;
    for (uint32_t i = 0; i < tg->ntypes; i++) {
        if (!has_slow(tg, &tg->types[i])) {
            continue;
        }
        const struct slow_type t = {&tg->types[i], lost_to_slow(&tg->types[i])};
        uint32_t at = *n < SLOW_TYPES ? (*n)++ : SLOW_TYPES;
        for (; at > 0 && v[at - 1].lost < t.lost; at--) {
            if (at < SLOW_TYPES) {
                v[at] = v[at - 1];
            }
        }
        if (at < SLOW_TYPES) {
            v[at] = t;
        }
        all++;
    }
    return all;
}

static void slow_finding(struct rules *rs, const struct slow_type *s, uint32_t all)
{
    const struct triage *tg = rs->tg;
    const struct span_type *y = s->y;
    const char *what = y->is_region ? "regions" : "tasks";
    struct draft d;
    draft_start(&d, RULE_SLOW_TASK, s->lost < tg->end ? s->lost : tg->end);
    d.f.note = tg->end < threshold_ns(TH_SLOW_TRACE);
    draft_subject(&d, rs, y->name);
    draft_at(&d, y->slow[0].t0, y->slow[0].t1, LANE_G, y->slow[0].g);
    text_dur(&d.amount, y->d.max);
    text_say(&d.text, rs->tr, "Of ", y->d.n, " ", what, " \"", t_str(y->name), "\" the slowest took ",
             t_dur(y->d.max), ", half of them ", t_dur(y->d.p50), " or less. The slowest");
    if (y->slow[0].b.goroutines > 1) { /* the one that began it counts all along, others while they work for it */
        text_add(&d.text, " (%u goroutines, summed)", y->slow[0].b.goroutines);
    }
    text_lit(&d.text, ": ");
    breakdown_text(&d.text, rs, &y->slow[0].b);
    text_say(&d.text, rs->tr, "; ", t_share((double)y->slow[0].b.gc, (double)y->d.max), " of it during a GC cycle, ",
             t_dur(y->slow[0].b.stw), " stopped.");
    if (all > SLOW_TYPES) {
        text_say(&d.text, rs->tr, " Of the ", all, " names of ", what, " with slow ones, only the ",
                 (uint32_t)SLOW_TYPES, " costliest are reported.");
    }
    text_lit(&d.next, "Open its lane: the widest span shows what to change. Compare with one of median length.");
    draft_end(rs, &d);
}

static int cmp_slow_types(const void *a, const void *b)
{
    const struct slow_type *x = a, *y = b;
    return (x->y > y->y) - (x->y < y->y);
}

static void rule_tasks(struct rules *rs)
{
    struct slow_type v[SLOW_TYPES];
    uint32_t n;
    const uint32_t all = slow_types(rs->tg, v, &n);
    const struct span_type *most = n ? v[0].y : NULL;
    qsort(v, n, sizeof *v, cmp_slow_types); /* findings that cost the same stand in the types' order */
    for (uint32_t i = 0; i < n; i++) {
        slow_finding(rs, &v[i], v[i].y == most ? all : 0);
    }
}

void rules_leaks(struct rules *rs)
{
    rule_leak(rs);
    rule_sends(rs);
    rule_workers(rs);
    rule_tasks(rs);
}
