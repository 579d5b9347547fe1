/*
 * rules_conns.c - connections that are opened anew for nearly each question, over the network or with net/http.
 */
#include "triage/findings/asks.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"

#define PLACES 32
#define WALKED 32   /* goroutines looked at */
#define STEPS 20000 /* spans of each */

struct conns {                     /* by the function of the program that asked */
    uint32_t func, by;             /* by: whose answers are counted, if it asks nothing itself: a caller */
    uint64_t opened, asked, backs; /* backs: until one that others had came back */
    uint64_t pooled;               /* of those opened: of net/http's */
    int64_t answers;               /* waited for these */
    int64_t waited, back;
    const struct pair_row *most;
};

static void conns_finding(struct causes *c, const struct conns *k, double share)
{
    struct draft d;
    draft_start(&d, RULE_CONNS, (int64_t)((double)c->tg->end * share));
    d.f.won_hi = d.f.severity_ns;
    draft_about(&d, c->rs, k->func, k->most->stack);
    draft_moment(&d, &k->most->longest);
    text_add(&d.amount, "%llu", (unsigned long long)k->opened);
    text_say(&d.text, c->tr, t_place(k->most->stack, 3), " waits for a new connection ", k->opened, " times");
    if (k->by) {
        text_say(&d.text, c->tr, " (", t_func(k->by), " waits for ", k->asked, " answers)");
    } else if (k->asked) {
        text_say(&d.text, c->tr, " for ", k->asked, " answers");
    }
    text_say(&d.text, c->tr, ": ", t_dur(k->waited / (int64_t)k->opened), " each on average, ", t_dur(k->waited),
             " in all.");
    if (!k->asked) {
        text_lit(&d.text, " How many requests each serves the trace does not show.");
    }
    text_lit(&d.next,
             "Reuse connections: one client for all requests, response bodies read to the end and closed, and as "
             "many idle connections per host (MaxIdleConnsPerHost) as there are concurrent requests.");
    if (k->asked) {
        draft_end(c->rs, &d);
    } else {
        draft_titled(c->rs, &d, "new connections all the time");
    }
}

/* Connections of net/http are waited for, and no answer ever is: they fail, so none can be kept. */
static void nothing_finding(struct causes *c, const struct conns *k, double share)
{
    struct draft d;
    draft_start(&d, RULE_CONNS, (int64_t)((double)c->tg->end * share));
    d.f.won_hi = d.f.severity_ns;
    d.f.inferred = true;
    draft_about(&d, c->rs, k->func, k->most->stack);
    draft_moment(&d, &k->most->longest);
    text_add(&d.amount, "%llu", (unsigned long long)k->opened);
    text_say(&d.text, c->tr, t_place(k->most->stack, 3), " waits for a connection of net/http ", k->opened,
             " times, ", t_dur(k->waited / (int64_t)k->opened), " each on average, ", t_dur(k->waited),
             " in all, and nothing in this trace ever waits for an answer over one: connecting fails, or is given up "
             "(inferred).");
    text_lit(&d.next, "Look at the errors these calls return: the name, the address, a proxy, a certificate; and let "
                      "retries wait longer each time.");
    draft_titled(c->rs, &d, "connections that come to nothing");
}

/* Of a group's goroutines those that wait in that function, on average: a server of this process may begin where those that ask it do. */
static double askers(const struct causes *c, uint32_t group, uint32_t func)
{
    int64_t asks = 0, all = 0;
    for (uint32_t i = 0; i < c->of[group].n && i < WALKED; i++) {
        const uint32_t g = causes_member(c, group, i, WALKED);
        const struct lane_info li = trace_lane(c->tr, (struct lane){LANE_G, g});
        struct walk w;
        bool there = false;
        walk_g(&w, c->tr, g, STEPS);
        for (const struct span *s; !there && (s = walk_next(&w));) {
            there = s->state == ST_WAITING && causes_place(c->tr, s->stack) == func;
        }
        all = ns_add(all, li.last - li.first);
        asks = there ? ns_add(asks, li.last - li.first) : asks;
    }
    return all > 0 ? c->life[group].n * (double)asks / (double)all : c->life[group].n;
}

/* Waits for answers there that a limit ends, or who no longer wants them: the connection of each is closed for that. */
static uint64_t given_up(const struct causes *c, uint32_t func)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        const bool ends = p->kind == WK_SELECT && causes_place(c->tr, p->stack) == func;
        n += ends && (p->from_scheduler || !str_starts(trace_str(c->tr, p->waker), "net/http.")) ? p->count : 0;
    }
    return n;
}

/* kept: they are there still, idle, so whoever asks next has none of them. */
static void closed_why(const struct causes *c, struct draft *d, bool kept)
{
    if (kept) {
        text_say(&d->text, c->tr, ", and ", t_f1(limits_kept(c)),
                 " connections are there at a time: they stay open, but are hardly used again, as where each request "
                 "has a "
                 "Transport (or a client with one) of its own, or asks another host (inferred). ");
    } else {
        text_lit(&d->text,
                 ": most are closed again after an answer, because keep-alives are off, fewer idle ones are kept "
                 "than there are concurrent requests, or a body is not read to the end (inferred). ");
    }
}

static void closed_advice(struct draft *d, bool kept)
{
    if (kept) {
        text_lit(&d->next,
                 "Use one client, or one Transport, for all requests: each Transport keeps connections of its own, "
                 "which stay open until they were idle for too long.");
    } else {
        text_lit(&d->next, "Allow as many idle connections per host (MaxIdleConnsPerHost, default 2) as there are "
                           "concurrent requests, without DisableKeepAlives; read bodies to the end and close them.");
    }
}

/*
 * Connections that are kept are as many as ask at once. Where several times as many are opened, and a part of the questions waits for them,
 * they are closed again behind the answers: no more idle ones may be kept. What opening them costs the other side, which then answers
 * others late, no trace tells.
 */
static bool closed_again(struct causes *c, const struct conns *k, uint64_t pooled)
{
    const uint32_t group = k->most ? causes_group(c, k->most->waiter) : UINT32_MAX;
    if (group == UINT32_MAX || !k->asked || !k->pooled || k->pooled * 5 < pooled * 4 || c->life[group].life <= 0) {
        return false;
    }
    const struct group_life *l = &c->life[group];
    const uint64_t opened = limits_opened(c);
    if ((double)opened < threshold(TH_CONNS_COUNT) || (double)opened < threshold(TH_CONNS_PART) * (double)k->asked) {
        return false;
    }
    const double ask = given_up(c, k->func) * 2 < opened ? askers(c, group, k->func) : 0;
    if (ask <= 0 || (double)opened < threshold(TH_CONNS_TIMES) * (ask + 1)) {
        return false;
    }
    const double there = (double)(l->last - l->first), lives = (double)l->life * ask / l->n,
                 waited = (double)k->waited / lives, all = (double)ns_add(k->waited, k->answers) / lives;
    struct draft d;
    draft_start(&d, RULE_CONNS, (int64_t)(there * (waited < 1 ? waited : 1)));
    d.f.won_hi = (int64_t)(there * (all < 1 ? all : 1));
    const bool kept = limits_kept(c) >= threshold(TH_CONNS_TIMES) * (ask + 1);
    d.f.inferred = true;
    d.f.note = waited < threshold(TH_CONNS_TRACE); /* hardly waited for: what they cost beside is not recorded */
    draft_about(&d, c->rs, k->func, k->most->stack);
    draft_moment(&d, &k->most->longest);
    text_add(&d.amount, "%llu opened", (unsigned long long)opened);
    text_say(&d.text, c->tr, t_place(k->most->stack, 3), ": net/http opens ", opened, " connections for ", k->asked,
             " answers, where ", t_f1(ask), " goroutines of ", t_func(c->tg->groups[group].name), " ask on average");
    closed_why(c, &d, kept);
    text_say(&d.text, c->tr, k->opened, " times a request waits for one, ", t_dur(k->waited / (int64_t)k->opened),
             " on average, ", t_dur(k->waited),
             " in all. A trace does not show what each costs the other side (a handshake), which may delay other "
             "answers.");
    closed_advice(&d, kept);
    draft_titled(c->rs, &d, kept ? "connections not used again" : "connections closed and reopened");
    return true;
}

static bool opens_one(const struct causes *c, const struct pair_row *p)
{
    return calls_connecting(c->tr, p->stack) && !dials_for_http(c, p); /* (who waits for these is told) */
}

/* Where several callers ask in one function, each with connections of its own, the one that has most opened is told. */
static void by_caller(const struct causes *c, struct conns *k)
{
    struct callers by = {0};
    int64_t all = 0;
    for (int told = 0; told < 2; told++) {
        const uint32_t most = told ? callers_most(&by, all).func : 0;
        k->most = most ? NULL : k->most;
        for (uint32_t i = 0; i < c->tg->npairs && (!told || most); i++) {
            const struct pair_row *p = &c->tg->pairs[i];
            if (causes_place(c->tr, p->stack) != k->func || !opens_one(c, p)) {
                continue;
            }
            const uint32_t caller = text_caller(c->tr, p->stack, stacks_user_frame(c->tr, p->stack), 1);
            if (!told && caller) {
                callers_add(&by, caller, (int64_t)p->count);
            }
            all += told ? 0 : (int64_t)p->count;
            k->most = told && caller == most && (!k->most || p->total > k->most->total) ? p : k->most;
        }
    }
}

/* Who opens a connection may do so for a caller that waits for the answer itself. */
static void answers_around(const struct trace *tr, struct conns *v, uint32_t n, uint32_t of)
{
    for (uint32_t i = 0; i < n && v[of].most; i++) {
        if (i != of && !v[i].opened && stacks_passes(tr, v[of].most->stack, v[i].func)) {
            v[of].asked += v[i].asked;
            v[of].answers = ns_add(v[of].answers, v[i].answers);
        }
    }
}

/*
 * A function that only opens connections (a dial of the program's own) waits for no answer: its caller does, or that one's. Of the nearest one
 * that waits for any these count, so a crew that opens its connections once and asks on them all the time is not told to open them anew.
 */
static void answers_of_callers(const struct causes *c, struct conns *k)
{
    const uint32_t n = k->most && !k->asked ? trace_stack(c->tr, k->most->stack) : 0;
    bool above = false;
    for (uint32_t i = 0; i < n && !k->asked; i++) {
        const uint32_t by = trace_frame(c->tr, k->most->stack, i).func;
        const bool caller = above && by != k->func && stacks_is_program(c->tr, by);
        above |= by == k->func;
        for (uint32_t j = 0; caller && j < c->tg->npairs && j < PAIRS_ASKED; j++) {
            const struct pair_row *p = &c->tg->pairs[j];
            const bool asks =
                (p->kind == WK_NET && !calls_reading_on(c->tr, p->stack) && !calls_connecting(c->tr, p->stack)) ||
                calls_by_library(c, p);
            if (asks && stacks_passes(c->tr, p->stack, by) && !stacks_passes(c->tr, p->stack, k->func)) {
                k->asked += p->count;
                k->answers = ns_add(k->answers, p->total);
            }
        }
        k->by = k->asked ? by : 0;
    }
}

struct greets {        /* connections that one function opens */
    uint32_t func, by; /* by: who calls it */
    uint64_t opened, sent, first,
        asked; /* sent: by that one, outside of it. first: answers waited for there; asked: outside of it */
    int64_t opening, waited, answers;
    const struct pair_row *most;
};

/* Who opens connections by itself, as a stack of that says: that function, and who calls it. false: it begins there. */
static bool opener(const struct trace *tr, uint32_t stack, uint32_t func, struct greets *v)
{
    const uint32_t n = trace_stack(tr, stack);
    *v = (struct greets){.func = func};
    bool seen = false;
    for (uint32_t i = 0; i < n && v->func && !v->by; i++) {
        const uint32_t at = trace_frame(tr, stack, i).func;
        v->by = seen && at != v->func && stacks_is_program(tr, at) ? at : 0;
        seen |= at == v->func;
    }
    return v->by != 0;
}

static void greets_add(const struct causes *c, struct greets *v)
{
    for (uint32_t i = 0; i < c->tg->npairs && i < PAIRS_ASKED; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        if (p->kind != WK_NET || calls_reading_on(c->tr, p->stack) || !stacks_passes(c->tr, p->stack, v->by) ||
            calls_for_questions(c, p, causes_place(c->tr, p->stack))) {
            continue;
        }
        const bool in = stacks_passes(c->tr, p->stack, v->func), connects = in && calls_connecting(c->tr, p->stack);
        v->first += in && !connects ? p->count : 0;
        v->asked += in ? 0 : p->count;
        *(connects ? &v->opening
          : in     ? &v->waited
                   : &v->answers) = ns_add(connects ? v->opening
                                       : in     ? v->waited
                                                : v->answers,
                                       p->total);
        v->most = in && !connects && (!v->most || p->total > v->most->total) ? p : v->most;
    }
    for (uint32_t i = 0; i < c->tg->nsyscalls; i++) {
        const struct syscall_row *s = &c->tg->syscalls[i];
        if (s->stack && stacks_passes(c->tr, s->stack, v->by)) {
            const bool in = stacks_passes(c->tr, s->stack, v->func);
            v->opened += in && stacks_has(c->tr, s->stack, "syscall.Connect") ? s->count : 0;
            v->sent += !in && causes_sends(c->tr, s->stack) ? s->count : 0;
        }
    }
}

static void greets_finding(struct causes *c, const struct greets *v)
{
    const struct group_life *l = &c->life[causes_group(c, v->most->waiter)];
    const int64_t waited = ns_add(v->opening, v->waited);
    const double there = (double)(l->last - l->first), share = (double)waited / (double)l->life,
                 all = (double)ns_add(waited, v->answers) / (double)l->life;
    struct draft d;
    draft_start(&d, RULE_CONNS, (int64_t)(there * (share < 1 ? share : 1)));
    d.f.won_hi = (int64_t)(there * (all < 1 ? all : 1));
    d.f.inferred = true;
    draft_about(&d, c->rs, causes_place(c->tr, v->most->stack), v->most->stack);
    draft_moment(&d, &v->most->longest);
    text_add(&d.amount, "%llu opened", (unsigned long long)v->opened);
    text_say(&d.text, c->tr, t_func(v->func), ", called by ", t_func(v->by), " opens a connection ", v->opened,
             " times for ", v->asked, " answers, and first waits in ", t_place(v->most->stack, 2),
             " for what is exchanged on it, ", t_dur(waited / (int64_t)v->opened),
             " each on average (a greeting, a login: inferred). That is ", t_share(share < 1 ? share : 1, 1),
             " of the lives of goroutines of ", t_func(v->most->waiter), ".");
    text_lit(&d.next, "Keep connections and use them again: a pool with as many idle ones as there are concurrent "
                      "requests; don't close one whose answer was read to the end.");
    draft_end(c->rs, &d);
}

/* Connections that such a function's caller closes again; beside: not within that function, 0: wherever. */
static uint64_t closed_by(const struct causes *c, uint32_t by, uint32_t beside)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < c->tg->nsyscalls; i++) {
        const struct syscall_row *s = &c->tg->syscalls[i];
        const bool closes =
            s->stack && stacks_has(c->tr, s->stack, "net.(*netFD).Close") && stacks_passes(c->tr, s->stack, by);
        n += closes && (!beside || !stacks_passes(c->tr, s->stack, beside)) ? s->count : 0;
    }
    return n;
}

/* Of what goroutines of a group wait for over the network, the share that is the first wait on a new connection. */
static double first_share(const struct causes *c, uint32_t group)
{
    int64_t first = 0, all = 0;
    for (uint32_t i = 0; i < c->of[group].n && i < WALKED; i++) {
        struct walk w;
        bool fresh = false;
        walk_g(&w, c->tr, causes_member(c, group, i, WALKED), STEPS);
        for (const struct span *s; (s = walk_next(&w));) {
            if (s->state == ST_NONE) {
                fresh = false;
            } else if (s->state == ST_SYSCALL && s->stack && stacks_has(c->tr, s->stack, "syscall.Connect")) {
                fresh = true;
            } else if (s->state == ST_WAITING && stacks_wait_kind(c->tr, s->reason, s->stack) == WK_NET &&
                       !calls_connecting(c->tr, s->stack)) {
                first = ns_add(first, fresh ? s->t1 - s->t0 : 0);
                all = ns_add(all, s->t1 - s->t0);
                fresh = false;
            }
        }
    }
    return all > 0 ? (double)first / (double)all : 0;
}

/*
 * Nothing is waited for where they are opened, but each has only a few answers and is closed again. What is asked first on a connection may be
 * part of opening it (a login): a trace can't tell.
 */
static void fresh_finding(struct causes *c, const struct greets *v, const struct pair_row *most, uint32_t group)
{
    const struct group_life *l = &c->life[group];
    const double each = (double)v->asked / (double)v->opened, there = (double)(l->last - l->first),
                 first = each < 1.5 ? 0 : (double)v->answers * first_share(c, group),
                 share = (first + (double)v->opening) / (double)l->life;
    struct draft d;
    draft_start(&d, RULE_CONNS, 0);
    d.f.severity_ns = d.f.won_hi = (int64_t)(there * (share < 1 ? share : 1));
    d.f.inferred = d.f.note = true;
    draft_about(&d, c->rs, v->func, most->stack);
    draft_moment(&d, &most->longest);
    text_add(&d.amount, "%llu opened", (unsigned long long)v->opened);
    text_say(&d.text, c->tr, t_func(v->by), " opens a connection ", v->opened, " times (in ", t_func(v->func),
             ") for ", v->asked, " answers and closes it again: ", t_f1(each), " answers each, ",
             t_dur(v->answers / (int64_t)v->asked), " on average. ",
             each < 1.5 ? "A" : "The first of them may be part of opening it (a login). Whether it is a",
             " trace does not show",
             each < 1.5 ? " what opening each costs the other side."
                        : ", nor what opening each costs the other side.");
    text_lit(&d.next, "Keep connections and use them again: a pool with as many idle ones as there are concurrent "
                      "requests.");
    draft_end(c->rs, &d);
}

static void fresh(struct causes *c, const struct greets *v)
{
    const struct pair_row *most = NULL;
    for (uint32_t i = 0; i < c->tg->npairs && i < PAIRS_ASKED; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        most = p->kind == WK_NET && (!most || p->total > most->total) && stacks_passes(c->tr, p->stack, v->by) ? p
                                                                                                               : most;
    }
    const uint32_t group = most ? causes_group(c, most->waiter) : UINT32_MAX;
    const double opened = (double)v->opened;
    if (group != UINT32_MAX && c->life[group].life > 0 && v->asked && v->first < v->opened / 2 &&
        opened >= threshold(TH_CONNS_SHARE) * (double)v->asked &&
        opened >= threshold(TH_CONNS_TIMES) * c->life[group].n &&
        threshold_reached(TH_CONNS_TRACE, v->answers, c->life[group].life) &&
        closed_by(c, v->by, 0) * 2 >= v->opened) {
        fresh_finding(c, v, most, group);
    }
}

/* Is enough of it waited for within that function, and asked by its caller behind it? */
static bool greeted(const struct causes *c, const struct greets *v)
{
    const uint32_t group = v->most ? causes_group(c, v->most->waiter) : UINT32_MAX;
    const double opened = (double)v->opened;
    return group != UINT32_MAX && c->life[group].life > 0 && v->asked && v->first >= v->opened / 2 &&
           v->sent >= v->opened / 2 && opened >= threshold(TH_CONNS_SHARE) * (double)v->asked &&
           opened >= threshold(TH_CONNS_TIMES) * c->life[group].n &&
           threshold_reached(TH_CONNS_TRACE, ns_add(v->opening, v->waited), c->life[group].life);
}

/* The same one function further out, where a helper dials: that one logs in, and its caller closes what it was given again. */
static bool outer_greets(const struct causes *c, uint32_t stack, uint32_t by, struct greets *v)
{
    struct greets o;
    if (!opener(c->tr, stack, by, &o)) {
        return false;
    }
    greets_add(c, &o);
    if (!greeted(c, &o) || closed_by(c, o.by, o.func) * 2 < o.opened) {
        return false;
    }
    *v = o;
    return true;
}

/*
 * What is waited for where a connection is opened, before its caller sends what it has to ask, is part of opening it: a greeting, a login, the
 * keys of TLS. On a fast network that is all there is to wait for.
 */
static void greets(struct causes *c)
{
    uint32_t told[PLACES], n = 0;
    for (uint32_t i = 0; i < c->tg->nsyscalls && n < PLACES; i++) {
        const struct syscall_row *s = &c->tg->syscalls[i];
        struct greets v;
        if (!s->stack || (double)s->count < threshold(TH_CONNS_COUNT) ||
            !stacks_has(c->tr, s->stack, "syscall.Connect") || sql_within(c->tr, s->stack) ||
            !opener(c->tr, s->stack, causes_place(c->tr, s->stack), &v) || causes_told_at(c, RULE_CONNS, v.func) ||
            causes_told_at(c, RULE_LINGER, v.func)) {
            continue;
        }
        bool seen = false;
        for (uint32_t k = 0; k < n; k++) {
            seen |= told[k] == v.func;
        }
        if (seen) {
            continue;
        }
        told[n++] = v.func;
        greets_add(c, &v);
        if (greeted(c, &v) || outer_greets(c, s->stack, v.by, &v)) {
            greets_finding(c, &v);
        } else {
            fresh(c, &v);
        }
    }
}

void rule_conns(struct causes *c)
{
    struct conns v[PLACES] = {0};
    uint32_t n = 0;
    uint64_t pooled = 0;
    bool answered = false; /* by what net/http, or another library, has running for it */
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        if (i + STACKS_AHEAD < c->tg->npairs) {
            stacks_ahead(c->tr, p[STACKS_AHEAD].stack);
        }
        bool opens = opens_one(c, p);
        const bool library = calls_by_library(c, p),
                   asks = library || (p->kind == WK_NET && !calls_reading_on(c->tr, p->stack));
        answered =
            answered || (library && !opens) ||
            (p->kind == WK_SELECT && !opens && stacks_has(c->tr, p->stack, "net/http.(*persistConn).roundTrip"));
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
            v[k].pooled += calls_pooled(c->tr, p->stack) ? p->count : 0;
            pooled += calls_pooled(c->tr, p->stack) ? p->count : 0;
            v[k].waited = ns_add(v[k].waited, p->total);
            if (limits_back(c, p)) {
                v[k].backs += p->count;
                v[k].back = ns_add(v[k].back, p->total);
            }
            v[k].most = !v[k].most || p->total > v[k].most->total ? p : v[k].most;
        } else {
            v[k].asked += p->count;
            v[k].answers = ns_add(v[k].answers, p->total);
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        struct conns *k = &v[i];
        if ((double)k->opened >= threshold(TH_CONNS_COUNT)) {
            by_caller(c, k);
        }
        if (k->opened && causes_told_at(c, RULE_LINGER, k->func)) { /* most of that is limits that are waited out */
            continue;
        }
        answers_around(c->tr, v, n, i);
        double waiting = (double)k->waited / (double)c->tg->end, share = waiting / (waiting + c->running);
        share = waiting < 1 ? share * waiting : share;
        const bool many = (double)k->opened >= threshold(TH_CONNS_COUNT) && share >= threshold(TH_CONNS_TRACE);
        if (many) {
            answers_of_callers(c, k);
        }
        if (many && (double)k->opened >= threshold(TH_CONNS_SHARE) * (double)k->asked) {
            if (!k->asked && k->pooled * 2 > k->opened) {
                if (!answered) { /* else the answers are another function's: of how many these are is not known */
                    nothing_finding(c, k, share);
                }
                continue;
            }
            if (limits_conns(c, k->opened, k->waited, k->back)) {
                limits_tell(c, k->func, k->most, k->backs, k->back);
            } else {
                conns_finding(c, k, share);
            }
        } else {
            (void)closed_again(c, k, pooled);
        }
    }
    greets(c);
}
