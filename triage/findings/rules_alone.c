/*
 * rules_alone.c - calls in a row by the only goroutines at work: for a stretch of the trace one, or a few of one kind side by side, ask
 * over the network and wait for the answer again and again at one function, the main goroutine waits for that, and nothing else runs.
 *
 * rules_calls.c looks at all that wait at a function. What one of them does there at the end, or all its life, is no row to it.
 */
#include "triage/findings/causes.h"
#include "triage/findings/asks.h"
#include "triage/findings/leaves.h"
#include "triage/findings/waits_at.h"
#include "triage/findings/thresholds.h"

#define GROUPS 64   /* looked at */
#define MEMBERS 96  /* goroutines of each */
#define STEPS 20000 /* spans of each */
#define MOMENTS 64
#define SET 8 /* goroutines that ask side by side; more are a set of workers */

struct row {
    uint32_t g, place, stack;
    uint64_t calls;
    int64_t t0, t1, ns; /* ns: of waiting for answers */
    bool open;          /* the trace ends within a call */
};

static void row_end(struct row *now, struct row *best)
{
    if (now->calls && !now->open && now->ns > best->ns) {
        *best = *now;
    }
    *now = (struct row){0};
}

static void call(const struct causes *c, const struct span *s, uint32_t g, struct row *now, struct row *best)
{
    const uint32_t place = s->stack == now->stack ? now->place : causes_place(c->tr, s->stack);
    if (place != now->place) {
        row_end(now, best);
    }
    if (!now->calls) {
        *now = (struct row){.g = g, .place = place, .stack = s->stack, .t0 = s->t0};
    }
    now->calls += place != 0;
    now->ns = ns_add(now->ns, s->t1 - s->t0);
    now->t1 = s->t1;
    now->open = s->t1 >= c->tg->end;
}

/* Something else that it waits for: a pause always ends a row, the rest if it is longer than a call. */
static bool ends_row(const struct row *now, enum wait_kind kind, const struct span *s)
{
    return kind == WK_SLEEP ||
           (kind != WK_GC && kind != WK_NET && (s->t1 - s->t0) * (int64_t)(now->calls ? now->calls : 1) > now->ns);
}

/* net/http's client waits twice: until its question is written, and then for the answer. */
static bool written_only(const struct causes *c, const struct span *behind)
{
    return behind->state == ST_RUNNABLE && behind->who < c->tg->ng &&
           str_is(trace_str(c->tr, c->tg->groups[gstat_group(c->tg->g, behind->who)].name),
                  "net/http.(*persistConn).writeLoop");
}

/* The longest row of a goroutine. What is waited for without having asked is the rest of an answer, or a connection. */
static struct row row_of(const struct causes *c, uint32_t g)
{
    struct span_iter it;
    struct row now = {0}, best = {0};
    bool asked = false, more = span_seek_index(&it, c->tr, (struct lane){LANE_G, g}, 0);
    for (int i = 0; more && i < STEPS; i++) {
        const struct span s = *span_get(&it);
        more = span_next(&it);
        if (s.state == ST_SYSCALL) {
            asked = asked || (s.stack && causes_sends(c->tr, s.stack));
        } else if (s.state == ST_WAITING) {
            const enum wait_kind kind = stacks_wait_kind(c->tr, s.reason, s.stack);
            const bool http = calls_over_http(c, kind, &s);
            if (http && more && written_only(c, span_get(&it))) {
                continue;
            }
            if ((kind == WK_NET && asked && !causes_writes(c->tr, s.stack)) || http) {
                call(c, &s, g, &now, &best);
                asked = false;
            } else if (ends_row(&now, kind, &s)) {
                row_end(&now, &best);
            }
        }
    }
    row_end(&now, &best);
    return best;
}

static bool long_row(const struct causes *c, const struct row *r)
{
    return (double)r->calls >= threshold(TH_ALONE_CALLS) &&
           r->ns / (int64_t)r->calls >= threshold_ns(TH_ALONE_EACH) &&
           threshold_reached(TH_CALLS_SHARE, r->ns, c->tg->end) &&
           threshold_reached(TH_ALONE_WAITS, r->ns, r->t1 - r->t0);
}

/* Where work is marked as tasks, each is a piece for itself, like a request. */
static bool many_tasks(const struct causes *c, const struct row *r)
{
    const struct task *k;
    const size_t n = trace_tasks(c->tr, &k);
    uint32_t within = 0;
    for (size_t i = 0; i < n && within < 2; i++) {
        within += k[i].g == r->g && k[i].t0 >= r->t0 && k[i].t0 < r->t1;
    }
    return within > 1;
}

/* Those of a group that ask in long rows at one function; *n > SET: too many. The longest is the first. */
static void rows_in(const struct causes *c, uint32_t group, struct row *v, uint32_t *n)
{
    *n = 0;
    for (uint32_t i = 0; i < c->of[group].n && i < MEMBERS && *n <= SET; i++) {
        const uint32_t g = causes_member(c, group, i, MEMBERS);
        const struct row r = row_of(c, g);
        if (!long_row(c, &r) || many_tasks(c, &r) || (*n && r.place != v[0].place)) {
            continue;
        }
        if (*n < SET) {
            v[*n] = r;
            if (r.ns > v[0].ns) {
                v[*n] = v[0];
                v[0] = r;
            }
        }
        (*n)++;
    }
}

static bool one_of(const struct row *v, uint32_t n, uint32_t g)
{
    uint32_t i = 0;
    while (i < n && v[i].g != g) {
        i++;
    }
    return i < n;
}

/* Processors that run others meanwhile, on average. */
static double others_run(const struct causes *c, const struct row *v, uint32_t n)
{
    uint32_t others = 0;
    for (int k = 0; k < MOMENTS; k++) {
        const int64_t t = v->t0 + (int64_t)((double)(v->t1 - v->t0) * (k + 0.5) / MOMENTS);
        for (uint32_t p = 0; p < c->tg->np && p < 256; p++) {
            struct span s;
            others += trace_span_at(c->tr, (struct lane){LANE_P, p}, t, &s) && s.state == ST_RUNNING &&
                      s.who < c->tg->ng && !c->tg->groups[gstat_group(c->tg->g, s.who)].is_system &&
                      !one_of(v, n, s.who);
        }
    }
    return (double)others / MOMENTS;
}

/* The part of the main goroutine's way that is waiting for the network there. */
static bool on_main_way(struct causes *c, const struct row *r)
{
    struct leaves way;
    int64_t ns = 0;
    if (!causes_main_way(c, &way, NULL)) {
        return false;
    }
    for (uint32_t i = 0; i < way.n; i++) {
        ns = way.v[i].func == r->place && explain_waits_outside(way.v[i].cat) ? ns_add(ns, way.v[i].ns) : ns;
    }
    return threshold_reached(TH_ALONE_WAY, ns, way.all);
}

static void finding(struct causes *c, const struct row *v, uint32_t n, uint32_t group)
{
    uint64_t calls = 0, least = v->calls;
    int64_t ns = 0;
    struct draft d;
    draft_start(&d, RULE_SERIAL_CALLS, v->ns - v->ns / (int64_t)v->calls);
    d.f.note = n > 1; /* alike: they may share out pieces of work with a call in each */
    d.f.won_hi = d.f.severity_ns;
    draft_about(&d, c->rs, v->place, v->stack);
    draft_at(&d, v->t0, v->t1, LANE_G, v->g);
    for (uint32_t i = 0; i < n; i++) {
        calls += v[i].calls;
        least = v[i].calls < least ? v[i].calls : least;
        ns = ns_add(ns, v[i].ns);
    }
    const char *how = stacks_pipe(c->tr, v->stack) ? " through a pipe " : " over the network ";
    text_add(&d.amount, "%llu in a row", (unsigned long long)v->calls);
    text_say(&d.text, c->tr, t_place(v->stack, 4), ": ");
    if (n == 1) {
        text_say(&d.text, c->tr, t_who(v->g), " waits for answers", how, calls, " times in a row, ");
    } else {
        text_say(&d.text, c->tr, n, " goroutines of ", t_func(c->tg->groups[group].name), " each wait for answers",
                 how, least < v->calls ? "up to " : "", v->calls, " times in a row, ");
    }
    text_say(&d.text, c->tr, t_dur(ns / (int64_t)calls), " each, for ", t_dur(v->t1 - v->t0),
             ", while hardly anything else of the program runs; ", t_f1(c->idle), " of ", t_f0(c->procs),
             " processors are idle.");
    text_add(&d.next,
             "Unless each request needs the previous answer: ask for more at once (larger pages, a batch), or %s.",
             n == 1 ? "for several in parallel" : "let more of them ask in parallel");
    draft_end(c->rs, &d);
}

/* Do they ask for news, or at a pace? v: what waits for the network, by function. */
static bool on_purpose(struct causes *c, const struct row *r, const struct waits_at *v, uint32_t n)
{
    uint32_t i = 0;
    while (i < n && v[i].place != r->place) {
        i++;
    }
    return i < n && (meant_for_news(c, &v[i]) || pace_of(c, &v[i]) >= threshold(TH_CALLS_PACE));
}

bool alone_finding(struct causes *c, const struct waits_at *waits, uint32_t nwaits)
{
    const uint32_t first = trace_find_lane(c->tr, LANE_G, 1);
    const uint32_t mains = first != NO_LANE ? gstat_group(c->tg->g, first) : UINT32_MAX;
    const bool asked = c->alone_asked, accepts = !asked && calls_accept(c);
    c->alone_asked = true;
    for (uint32_t i = 0; i < c->tg->ngroups && i < GROUPS && !asked && !rule_is_off(RULE_SERIAL_CALLS); i++) {
        struct row v[SET];
        uint32_t n;
        const bool may = i == mains || (c->life[i].program && !accepts); /* who is asked is not alone */
        if (c->tg->groups[i].is_system || !may ||
            !threshold_reached(TH_CALLS_SHARE, c->tg->groups[i].d[GM_LIFE].max, c->tg->end)) {
            continue;
        }
        rows_in(c, i, v, &n);
        if (n && n <= threshold(TH_ALONE_FEW) && n <= SET && others_run(c, v, n) <= threshold(TH_ALONE_OTHERS) &&
            !on_purpose(c, v, waits, nwaits) && on_main_way(c, v)) {
            finding(c, v, n, i);
            return true;
        }
    }
    return false;
}
