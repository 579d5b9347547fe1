/*
 * rules_work.c - what the work of a program that answers consists of: requests, what goroutines do between two waits
 * for more of it, goroutines begun for one thing each. Told where the main goroutine's way says nothing, since it
 * waits for all of them.
 */
#include "triage/findings/causes.h"
#include "triage/findings/asks.h"
#include "triage/findings/works.h"
#include "triage/findings/leaves.h"
#include "triage/findings/waits_at.h"
#include "triage/findings/instances.h"
#include "triage/findings/let_go.h"
#include "triage/findings/requests.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"

#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"

#define GROUPS 32     /* looked at, of those whose goroutines live longest together */
#define LOOKED 16     /* goroutines of each */
#define STEPS 4000    /* spans of each */
#define ENOUGH 20000  /* spans of a group: more goroutines are looked at where these have fewer (a connection each) */
#define SERVED 200000 /* spans of a server's goroutines together */
#define EXPLAINED 2000 /* pieces of each group: among 400 one long run decided */

struct pieces {
    struct workpiece *v;
    size_t n, cap;
    int64_t ns, seen; /* together; of the goroutines' lives */
    uint32_t goroutines;
    bool cut; /* not all that they did was looked at */
};

static bool piece_add(struct pieces *k, uint32_t g, int64_t t0, int64_t t1)
{
    struct workpiece *p = t1 > t0 ? mem_grow(k->v, &k->cap, k->n + 1, sizeof *p) : NULL;
    if (!p) {
        return t1 <= t0;
    }
    k->v = p;
    p[k->n++] = workpiece_of_g(g, t0, t1);
    k->ns = ns_add(k->ns, t1 - t0);
    return true;
}

static bool more_is_waited_for(const struct causes *c, uint32_t name, uint32_t questions, const struct span *s)
{
    if (instance_wants_more(c->tr, name, s->reason, s->stack)) {
        return true;
    }
    return questions && stacks_wait_kind(c->tr, s->reason, s->stack) == WK_NET &&
           causes_place(c->tr, s->stack) == questions;
}

/* Where goroutines of a group wait for questions, if most of them say so: one's first may have been there already. */
static uint32_t questions_of(const struct causes *c, uint32_t group)
{
    uint32_t place = 0, n = 0, of = 0;
    for (uint32_t i = 0; i < c->of[group].n && i < LOOKED; i++, of++) { /* a majority vote */
        const uint32_t at = calls_questions(c, causes_member(c, group, i, LOOKED));
        place = n ? place : at;
        n = at == place ? n + 1 : n - 1;
    }
    n = 0;
    for (uint32_t i = 0; place && i < of; i++) {
        n += calls_questions(c, causes_member(c, group, i, LOOKED)) == place;
    }
    return n * 2 > of ? place : 0;
}

/*
 * Of a goroutine with more spans than may be looked at, so many stretches are, evenly over its life: what a program
 * does as the trace begins is not what it does all the time.
 */
#define STRETCHES 16
struct stretch {
    uint64_t from; /* index of its first span */
    uint32_t steps;
};

static uint32_t stretches_of(const struct causes *c, uint32_t g, uint32_t steps, struct stretch v[STRETCHES])
{
    const uint64_t all = trace_count(c->tr, (struct lane){LANE_G, g}, 0, c->tg->end + 1);
    const uint32_t n = all > steps && steps >= STRETCHES ? STRETCHES : 1;
    for (uint32_t i = 0; i < n; i++) {
        v[i] = (struct stretch){all / n * i, steps / n};
    }
    return n;
}

/* What g does between two waits for more of it. */
static bool pieces_in(const struct causes *c, uint32_t g, uint32_t questions, const struct stretch *at,
                      struct pieces *k)
{
    const uint32_t name = c->tg->groups[gstat_group(c->tg->g, g)].name;
    int64_t since = NO_TIME;
    struct walk w;
    bool ok = true;
    uint32_t last = 0;
    bool is = false;
    walk_from(&w, c->tr, g, at->from, at->steps);
    for (const struct span *s; ok && (s = walk_next(&w));) {
        k->seen = ns_add(k->seen, s->t1 - s->t0);
        if (s->state != ST_WAITING) {
            continue;
        }
        is = s->stack == last ? is : more_is_waited_for(c, name, questions, s);
        last = s->stack;
        if (is) {
            ok = since == NO_TIME || piece_add(k, g, since, s->t0);
            since = s->t1;
        }
    }
    return ok;
}

/* What g answers. */
static bool requests_in(const struct causes *c, uint32_t g, const struct stretch *at, struct pieces *k)
{
    struct request_cut cut = {.since = NO_TIME};
    struct span_iter it;
    int64_t t0, t1;
    bool more = span_seek_index(&it, c->tr, (struct lane){LANE_G, g}, at->from), ok = true;
    for (uint32_t i = 0; ok && more && i < at->steps; i++, more = span_next(&it)) {
        const struct span *s = span_get(&it);
        k->seen = ns_add(k->seen, s->t1 - s->t0);
        if (request_step(&cut, c->tr, s, &t0, &t1)) {
            ok = piece_add(k, g, t0, t1);
        }
    }
    k->cut |= more;
    if (!more && trace_lane(c->tr, (struct lane){LANE_G, g}).ended && request_last(&cut, &t0, &t1)) {
        ok = ok && piece_add(k, g, t0, t1);
    }
    return ok;
}

/* What one of a group did: what it answered, or did between two waits for more. */
static bool work_of_one(const struct causes *c, uint32_t g, bool http, uint32_t questions, uint32_t steps,
                        struct pieces *k)
{
    struct stretch v[STRETCHES];
    const uint32_t n = stretches_of(c, g, steps, v);
    bool ok = true;
    for (uint32_t i = 0; ok && i < n; i++) {
        ok = http ? requests_in(c, g, &v[i], k) : pieces_in(c, g, questions, &v[i], k);
    }
    k->goroutines++;
    return ok;
}

static bool lives_of(const struct causes *c, uint32_t group, struct pieces *k)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < c->of[group].n && i < EXPLAINED; i++) {
        const uint32_t g = causes_member(c, group, i, EXPLAINED);
        const struct lane_info li = trace_lane(c->tr, (struct lane){LANE_G, g});
        ok = !li.created || !li.ended || piece_add(k, g, li.first, li.last);
    }
    return ok;
}

/* Is each goroutine of the group begun for one thing, done soon? */
static bool short_lived(const struct causes *c, const struct group *grp)
{
    return (double)grp->ended >= threshold(TH_TIME_PIECES) &&
           (uint64_t)grp->created * 10 >= (uint64_t)grp->count * 9 &&
           (double)grp->d[GM_LIFE].total / grp->count <= threshold(TH_TIME_PIECE) * (double)c->tg->end;
}

static bool explained(struct causes *c, const struct pieces *k, struct leaves *out)
{
    struct explain_tree t;
    const size_t step = k->n / EXPLAINED + 1;
    bool ok = explain_tree_init(&t, c->tr);
    for (size_t i = 0; ok && i < k->n; i += step) {
        ok = explain_add_piece(c->x, &t, &k->v[i]);
    }
    if (ok) {
        causes_tops(&t, out);
    }
    explain_tree_free(&t);
    return ok;
}

/*
 * Of what is looked at in part the watchers' number is nearer; of all, more of them say that some requests weren't
 * told from each other.
 */
static void number_of_requests(const struct causes *c, uint32_t group, const struct pieces *k, struct work_kind *w)
{
    const uint64_t watchers = request_watchers(c->tg), edges = 2 * (uint64_t)k->goroutines;
    const bool whole = !k->cut && c->of[group].n == k->goroutines;
    w->about = !whole;
    w->merged = whole && watchers > k->n + k->n / 50 + edges;
    if (w->merged || (!whole && watchers >= w->n / 4 * 3)) {
        w->n = watchers;
    }
}

enum { PARTS = 4096 };
struct met { /* of so many parts of the trace those that something meets */
    uint8_t part[PARTS / 8];
    uint32_t n;
};

static void met_add(const struct causes *c, struct met *m, const struct workpiece *one)
{
    const double part = (double)c->tg->end / PARTS, a = (double)one->t0 / part, z = (double)one->t1 / part;
    for (unsigned at = a > 0 ? (unsigned)a : 0; at < PARTS && (double)at < z; at++) {
        m->n += !(m->part[at / 8] >> at % 8 & 1);
        m->part[at / 8] |= (uint8_t)(1 << at % 8);
    }
}

/* By the clock, so long at most. */
static int64_t met_ns(const struct causes *c, const struct met *m)
{
    return (int64_t)((double)c->tg->end / PARTS * m->n);
}

static int64_t there_of(const struct causes *c, const struct pieces *k)
{
    struct met m = {.n = 0};
    for (size_t i = 0; i < k->n; i++) {
        met_add(c, &m, &k->v[i]);
    }
    return met_ns(c, &m);
}

/*
 * How many of a group are looked at. Of 16 connections with a request or two each the time that all requests take can't
 * be told: what these wait for at one place then seemed longer than they are.
 */
static uint32_t looked_of(const struct causes *c, uint32_t group)
{
    const uint32_t n = c->of[group].n, least = n < LOOKED ? n : LOOKED;
    uint64_t spans = 1;
    for (uint32_t i = 0; i < least; i++) {
        const struct lane l = {LANE_G, causes_member(c, group, i, LOOKED)};
        spans += trace_count(c->tr, l, 0, c->tg->end + 1);
    }
    const uint64_t more = spans < ENOUGH ? (uint64_t)least * ENOUGH / spans : least,
                   most = n < EXPLAINED ? n : EXPLAINED;
    return (uint32_t)(more < most ? more : most);
}

/* How many are done, and how long all of these took: what has not ended yet may be stuck, and is not among the pieces. */
static void lives_done(const struct pieces *k, const struct group *grp, struct work_kind *w)
{
    if (k->n == 0 || grp->ended == grp->count) {
        w->n = k->n ? grp->count : 0;
        w->ns = grp->d[GM_LIFE].total;
        return;
    }
    w->n = grp->count <= EXPLAINED ? k->n : grp->ended;
    w->ns = (int64_t)((double)k->ns * (double)w->n / (double)k->n);
}

/* Of a group, what it is; w->n = 0: its goroutines have no pieces. */
static bool work_in(struct causes *c, uint32_t group, struct pieces *k, struct work_kind *w)
{
    const struct group *grp = &c->tg->groups[group];
    const bool http = request_serves(c->tr, grp->name);
    bool ok = true;
    *w = (struct work_kind){.group = group, .requests = http};
    if (grp->is_system || grp->count == 0 || !(http || c->life[group].program)) {
        return true;
    }
    const uint32_t looked = looked_of(c, group), questions = http ? 0 : questions_of(c, group);
    for (uint32_t i = 0; ok && i < looked && slices_tick(); i++) {
        const uint32_t g = causes_member(c, group, i, looked), first = looked < LOOKED ? looked : LOOKED;
        ok = work_of_one(c, g, http, questions, http ? SERVED / first : STEPS, k);
    }
    if (ok && (double)k->n >= threshold(TH_TIME_PIECES) && k->seen > 0) {
        const double times = (double)grp->d[GM_LIFE].total / (double)k->seen;
        w->fed = !http && !questions;
        w->n = (uint64_t)((double)k->n * (times > 1 ? times : 1) + 0.5);
        w->ns = (int64_t)((double)k->ns * (times > 1 ? times : 1));
        if (http) {
            number_of_requests(c, group, k, w);
        }
        w->there = looked == c->of[group].n && times <= 1 ? there_of(c, k) : c->tg->end;
    } else if (ok && !http && short_lived(c, grp)) {
        k->n = 0;
        ok = lives_of(c, group, k);
        lives_done(k, grp, w);
        w->there = grp->count <= EXPLAINED ? there_of(c, k) : c->tg->end;
        w->lives = true;
    }
    return ok;
}

bool work_each(struct causes *c, uint32_t group, struct work_kind *w,
               void (*one)(void *arg, const struct workpiece *p), void *arg)
{
    struct pieces k = {0};
    const bool ok = work_in(c, group, &k, w);
    for (size_t i = 0; ok && w->n && i < k.n; i++) {
        one(arg, &k.v[i]);
    }
    mem_free(k.v);
    return ok;
}

/* ---- what requests wait for ------------------------------------------------------------------------------------ */

void works_name(struct text *t, const struct causes *c, const struct work_kind *w)
{
    text_say(t, c->tr,
             w->requests ? "requests ("
             : w->lives  ? "goroutines of "
                         : "pieces of work of ",
             t_func(c->tg->groups[w->group].name), w->requests ? ")" : "");
}

/* By the clock: while at least one is there, at most. */
double work_in_flight(const struct work_kind *w)
{
    return (double)(w->ns < w->there ? w->ns : w->there);
}

/* Who had it waited for the network with it? */
static bool who_had_it(struct text *t, struct text *next, struct causes *c, const struct pair_row *p)
{
    struct leaves v;
    leaves_between(c, p->longest.g, p->longest.t0, p->longest.t1, &v);
    return leaves_holder(t, next, c->tr, &v);
}

static bool of_own(const struct causes *c, const struct pair_row *p)
{
    const bool hands = wait_on_channel(p->kind) || (p->kind == WK_COND && p->futile * 4 <= p->count);
    const bool own = hands && !p->from_scheduler && p->waker == p->waiter;
    /* (between two pieces, each waits for its own next one) */
    return own && !instance_wants_more(c->tr, p->waiter, p->reason, p->stack);
}

static void given_back_finding(struct causes *c, const struct waits_at *p, const struct work_kind *w,
                               const struct let_go *l, bool kept)
{
    const struct pair_row *m = p->most;
    const double share = (double)p->total / (double)w->ns;
    struct draft d;
    draft_start(&d, RULE_POOL, (int64_t)(share * work_in_flight(w)));
    draft_about(&d, c->rs, p->place, m->stack);
    draft_moment(&d, &m->longest);
    d.f.inferred = true;
    d.f.won_hi = d.f.severity_ns;
    text_share(&d.amount, share, 1);
    if (kept) {
        let_go_together_text(&d.text, &d.next, c, l);
    }
    text_say(&d.text, c->tr, t_place(m->stack, 3), ": ");
    works_name(&d.text, c, w);
    text_say(&d.text, c->tr, " waited there for ", t_share(share, 1), " of their time (", p->count, " waits of ",
             t_dur(p->total / (int64_t)p->count), " on average) for what others of them released in ",
             t_func(trace_frame(c->tr, m->waker_stack, stacks_user_frame(c->tr, m->waker_stack)).func), "; ",
             t_f1(c->idle), " of ", t_f0(c->procs), " processors were idle.");
    if (!kept && !who_had_it(&d.text, &d.next, c, m)) {
        text_lit(&d.next, "Make the pool larger, or hold what comes from it more briefly.");
    }
    draft_titled(c->rs, &d, kept ? LET_GO_KEEPS : rule_title(RULE_POOL));
}

#define PLACES 32

/* Of fewer goroutines than rules_pools.c asks for, but a good part of what requests take. */
static void given_back(struct causes *c)
{
    struct waits_at v[PLACES];
    const uint32_t n = waits_at_rows(c, v, PLACES, PAIRS_ALL, of_own);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t g = causes_group(c, v[i].most->waiter);
        struct pieces k = {0};
        struct work_kind w = {0};
        const bool look = g != UINT32_MAX && (double)v[i].count >= threshold(TH_BOTTLE_WAITS) &&
                          c->idle >= threshold(TH_POOL_IDLE_SOME) * c->procs &&
                          !causes_told_at(c, RULE_POOL, v[i].place) && !causes_all_at_once(c, v[i].most, g);
        c->rs->failed |= look && !work_in(c, g, &k, &w);
        const bool most = c->idle < threshold(TH_POOL_IDLE) * c->procs;
        if (w.n && !w.lives && v[i].total <= w.ns &&
            threshold_reached(most ? TH_POOL_MOST : TH_POOL_REQUESTS, v[i].total, w.ns)) {
            struct let_go l;
            const bool kept = let_go_together(c, g, v[i].place, &l);
            if (!l.for_all) {
                given_back_finding(c, &v[i], &w, &l, kept);
            }
        }
        mem_free(k.v);
    }
}

/* Calls over the network in a row at one line, within a piece of work. */
struct in_line {
    uint32_t stack, example;
    uint64_t calls, pieces, longest;
    int64_t ns, won; /* won: all of a row but one call */
    int64_t of;      /* what the pieces take that have such rows */
    struct met there;
};

struct line_row { /* the row that goes on */
    uint32_t stack, calls;
    int64_t ns;
};

static void line_end(struct in_line *v, uint32_t *n, struct line_row *r)
{
    uint32_t k = 0;
    if ((double)r->calls >= threshold(TH_CALLS_ROW_LINE)) {
        while (k < *n && v[k].stack != r->stack) {
            k++;
        }
        if (k < PLACES) {
            v[k] = k == *n ? (struct in_line){.stack = r->stack} : v[k];
            *n += k == *n;
            v[k].calls += r->calls;
            v[k].pieces++;
            v[k].longest = r->calls > v[k].longest ? r->calls : v[k].longest;
            v[k].ns = ns_add(v[k].ns, r->ns);
            v[k].won = ns_add(v[k].won, r->ns - r->ns / r->calls);
        }
    }
    *r = (struct line_row){0};
}

/* All rows of a group's work. */
struct in_lines {
    struct in_line v[PLACES];
    uint32_t n;
    struct in_line apart[PLACES]; /* the same by function (.stack), with whatever is between */
    uint32_t napart;
    struct pieces k; /* but for the pieces themselves, of which the first is left */
    struct workpiece first;
    struct work_kind w;
};

#define PER 16
/* Calls of one piece of work, by the function where they wait, whatever else it does between them. */
struct apart_calls {
    struct line_row of[PER]; /* .stack: the function */
    uint32_t stack[PER], n;  /* an example of each */
    uint32_t last;           /* of these the one of the last call */
    uint32_t known[64][2];   /* stacks' functions, found once */
};

static uint32_t apart_place(const struct causes *c, struct apart_calls *a, uint32_t stack)
{
    uint32_t *const k = a->known[stack % 64];
    if (k[0] != stack) {
        k[0] = stack;
        k[1] = causes_place(c->tr, stack);
    }
    return k[1];
}

static void apart_add(const struct causes *c, struct apart_calls *a, const struct span *s)
{
    const uint32_t place = apart_place(c, a, s->stack);
    uint32_t i = 0;
    a->last = PER;
    while (i < a->n && a->of[i].stack != place) {
        i++;
    }
    if (place && i < PER) {
        a->stack[i] = i == a->n ? s->stack : a->stack[i];
        a->of[i] = i == a->n ? (struct line_row){.stack = place} : a->of[i];
        a->n += i == a->n;
        a->of[i].calls++;
        a->of[i].ns = ns_add(a->of[i].ns, s->t1 - s->t0);
        a->last = i;
    }
}

/* Of net/http's client the end of writing a question ends a wait, too: that was no answer. */
static bool only_written(const struct causes *c, const struct span *s)
{
    return s->state == ST_RUNNABLE && s->who < c->tg->ng &&
           str_is(trace_str(c->tr, trace_g_name(c->tr, s->who)), "net/http.(*persistConn).writeLoop");
}

static void apart_end(struct apart_calls *a, struct in_line *v, uint32_t *n)
{
    for (uint32_t i = 0; i < a->n; i++) {
        const uint32_t before = *n;
        line_end(v, n, &a->of[i]);
        if (*n > before) {
            v[before].example = a->stack[i];
        }
    }
    a->n = 0;
}

/* What is waited for without having asked, the rest of an answer, is no call of its own. */
static void lines_of(const struct causes *c, const struct workpiece *one, struct span_iter *it, struct in_lines *l,
                     struct apart_calls *a)
{
    struct line_row r = {0};
    bool asked = false, http = false, more = span_seek_on(it, c->tr, (struct lane){LANE_G, one->g}, one->t0);
    for (int i = 0; more && i < STEPS && span_get(it)->t0 < one->t1; i++, more = span_next(it)) {
        const struct span *s = span_get(it);
        if (http && r.calls && only_written(c, s)) {
            r.calls--;
            if (a->last < a->n) {
                a->of[a->last].calls--;
            }
        }
        http = false;
        if (s->state == ST_SYSCALL) {
            asked = asked || (s->stack && causes_sends(c->tr, s->stack));
        } else if (s->state == ST_WAITING && s->t0 >= one->t0) {
            const enum wait_kind kind = stacks_wait_kind(c->tr, s->reason, s->stack);
            const bool writes = kind == WK_NET && causes_writes(c->tr, s->stack); /* the question is on its way */
            const bool call = (kind == WK_NET && asked && !writes) || calls_over_http(c, kind, s);
            const bool rest = (kind == WK_NET && !call) || calls_reading_on(c->tr, s->stack);
            if (!rest && !(call && s->stack == r.stack)) {
                line_end(l->v, &l->n, &r);
            }
            if (call) {
                r.stack = s->stack;
                r.calls++;
                http = kind != WK_NET;
                apart_add(c, a, s);
            }
            if (r.stack) {
                r.ns = ns_add(r.ns, s->t1 - s->t0);
            }
            asked = asked && writes;
        }
    }
    line_end(l->v, &l->n, &r);
    apart_end(a, l->apart, &l->napart);
}

static bool asked_there(const struct causes *c, uint32_t group, uint32_t place)
{
    bool is = false;
    for (uint32_t i = 0; !is && i < c->of[group].n && i < LOOKED; i++) {
        is = calls_is_asked(c, causes_member(c, group, i, LOOKED), place);
    }
    return is;
}

struct in_lines **in_lines_new(const struct triage *tg)
{
    return mem_zalloc(((size_t)tg->ngroups + 1) * sizeof(struct in_lines *));
}

void in_lines_free(struct causes *c)
{
    for (uint32_t i = 0; c->lines && i < c->tg->ngroups; i++) {
        mem_free(c->lines[i]);
    }
    mem_free(c->lines);
}

/* NULL: out of memory. */
static const struct in_lines *lines_once(struct causes *c, uint32_t group)
{
    struct in_lines *l = c->lines[group];
    struct span_iter it;
    if (l || !(l = mem_zalloc(sizeof *l))) {
        return l;
    }
    it.tr = NULL;
    struct apart_calls apart = {.n = 0};
    bool ok = work_in(c, group, &l->k, &l->w);
    for (size_t i = 0; l->w.n && !l->w.fed && i < l->k.n && slices_tick(); i++) {
        uint64_t before[PLACES] = {0};
        for (uint32_t k = 0; k < l->n; k++) {
            before[k] = l->v[k].pieces;
        }
        lines_of(c, &l->k.v[i], &it, l, &apart);
        for (uint32_t k = 0; k < l->n; k++) {
            if (l->v[k].pieces > before[k]) {
                l->v[k].of = ns_add(l->v[k].of, l->k.v[i].t1 - l->k.v[i].t0);
                met_add(c, &l->v[k].there, &l->k.v[i]);
            }
        }
    }
    l->first = l->k.n ? l->k.v[0] : l->first;
    mem_free(l->k.v);
    l->k.v = NULL;
    if (!ok) {
        mem_free(l);
        return NULL;
    }
    return c->lines[group] = l;
}

/*
 * What would go, by the clock: of the time in which pieces with such rows are there. Those without may be the answers
 * to these.
 */
static int64_t line_cost(const struct causes *c, const struct in_line *l, const struct in_lines *of)
{
    const double times = of->k.ns > 0 ? (double)of->w.ns / (double)of->k.ns : 1, all = (double)l->of * times;
    const double there = (double)(times <= 1 ? met_ns(c, &l->there) : c->tg->end);
    return l->of > 0 ? (int64_t)((double)l->won / (double)l->of * (all < there ? all : there)) : 0;
}

static void in_line_finding(struct causes *c, const struct in_line *l, const struct in_lines *of)
{
    const struct pieces *k = &of->k;
    const struct work_kind *w = &of->w;
    const bool part = l->of < k->ns;
    const uint32_t frame = stacks_user_frame(c->tr, l->stack);
    const bool lots = w->lives && works_in_lots(c, w->group, l->ns / (int64_t)l->calls);
    struct draft d;
    draft_start(&d, RULE_SERIAL_CALLS, line_cost(c, l, of));
    d.f.note = lots;
    draft_about(&d, c->rs, trace_frame(c->tr, l->stack, frame).func, l->stack);
    draft_at(&d, of->first.t0, of->first.t1, LANE_G, of->first.g);
    d.f.won_hi = d.f.severity_ns;
    text_share(&d.amount, (double)l->won, (double)l->of);
    text_say(&d.text, c->tr, t_calls(l->stack, frame, 4), ": waits for the network ",
             t_f0((double)l->calls / (double)l->pieces), " times in a row on average at one line, ");
    if (l->pieces > k->n) { /* several rows in some */
        text_add(&d.text, "%.1f such rows in each of the ", (double)l->pieces / (double)k->n);
    } else {
        text_say(&d.text, c->tr, "in ", t_share((double)l->pieces, (double)k->n), " of the ");
    }
    works_name(&d.text, c, w);
    text_say(&d.text, c->tr, ", waits of ", t_dur(l->ns / (int64_t)l->calls), " on average. That is ",
             t_share((double)l->ns, (double)l->of), " of what ", part ? "these" : "all of these",
             " take; asked for at once, or in parallel, ", t_share((double)l->won, (double)l->of),
             " would be saved.");
    if (lots) {
        text_lit(&d.text, " They are started several at a time and finish together: if they share the work, they "
                          "already run in parallel.");
    }
    text_lit(&d.next, "Ask for all at once, or in parallel: each call waits for the previous answer.");
    draft_end(c->rs, &d);
}

/*
 * They come from several lines, or other waits stand between them: whether each needs the answer before it is less
 * sure. A note.
 */
static void apart_finding(struct causes *c, const struct in_line *l, const struct in_lines *of)
{
    const struct pieces *k = &of->k;
    const double share = (double)l->won / (double)k->ns;
    const uint32_t frame = stacks_user_frame(c->tr, l->example);
    struct draft d;
    draft_start(&d, RULE_SERIAL_CALLS, (int64_t)(share * work_in_flight(&of->w)));
    draft_subject(&d, c->rs, l->stack);
    draft_at(&d, of->first.t0, of->first.t1, LANE_G, of->first.g);
    d.f.note = true;
    d.f.stack = l->example;
    d.f.won_hi = (int64_t)((double)l->ns / (double)k->ns * work_in_flight(&of->w));
    text_share(&d.amount, share, 1);
    text_say(&d.text, c->tr, t_calls(l->example, frame, 4), ": ", t_share((double)l->pieces, (double)k->n),
             " of the ");
    works_name(&d.text, c, &of->w);
    text_say(&d.text, c->tr, " wait there for answers over the network ", t_f0((double)l->calls / (double)l->pieces),
             " times each, one after the other, ", t_dur(l->ns / (int64_t)l->calls),
             " on average: ", t_share((double)l->ns, (double)k->ns), " of what all of these take.");
    text_lit(
        &d.next,
        "Ask for all of them in one request (a batch), or in parallel where one doesn't need the previous answer; "
        "and hand what needs no answer at all (a log line, a span, a counter) to a separate goroutine, in batches.");
    draft_end(c->rs, &d);
}

static void work_apart(struct causes *c, uint32_t group, const struct in_lines *l)
{
    for (uint32_t i = 0; i < l->napart; i++) {
        const struct in_line *a = &l->apart[i];
        if (threshold_reached(TH_CALLS_APART, a->won, l->k.ns) &&
            threshold_reached(TH_CALLS_APART, (int64_t)a->pieces, (int64_t)l->k.n) &&
            (double)a->pieces >= threshold(TH_CALLS_WAITS) && !causes_told_at(c, RULE_SERIAL_CALLS, a->stack) &&
            !causes_told_at(c, RULE_BACKEND, a->stack) && !asked_there(c, group, a->stack)) {
            apart_finding(c, a, l);
        }
    }
}

void work_in_lines(struct causes *c, uint32_t group)
{
    const struct in_lines *l = lines_once(c, group);
    c->rs->failed |= !l;
    for (uint32_t i = 0; l && i < l->n; i++) {
        const uint32_t place = causes_place(c->tr, l->v[i].stack);
        if (threshold_reached(TH_CALLS_REQUESTS, l->v[i].won, l->k.ns) && place &&
            !causes_told_at(c, RULE_SERIAL_CALLS, place) && (double)l->v[i].pieces >= threshold(TH_CALLS_WAITS) &&
            !asked_there(c, group, place)) {
            in_line_finding(c, &l->v[i], l);
        }
    }
    if (l) {
        work_apart(c, group, l);
    }
}

/* Where there is so much waiting for calls that rows of them are looked for. */
static bool has_calls(const struct causes *c, uint32_t group)
{
    const struct group_life *l = &c->life[group];
    return ns_add(l->by[WK_NET], l->by[WK_SELECT]) > l->life / 10 && c->idle >= threshold(TH_CALLS_IDLE) * c->procs;
}

void in_lines_ahead(struct causes *c)
{
    for (uint32_t i = 0; i < c->tg->ngroups && i < GROUPS; i++) {
        if (has_calls(c, i)) {
            (void)lines_once(c, i);
        }
    }
}

void rules_work(struct causes *c)
{
    given_back(c);
    for (uint32_t i = 0; i < c->tg->ngroups && i < GROUPS && !c->rs->failed; i++) {
        if (has_calls(c, i)) {
            work_in_lines(c, i);
        }
    }
}

/* ---- where their time goes ------------------------------------------------------------------------------------- */

bool works_of(struct causes *c, struct work_kind *out, uint32_t *n)
{
    bool ok = true;
    *n = 0;
    for (uint32_t i = 0; ok && i < c->tg->ngroups && i < GROUPS; i++) {
        struct pieces k = {0};
        struct work_kind w;
        ok = work_in(c, i, &k, &w);
        uint32_t at = *n;
        while (at > 0 && out[at - 1].ns < w.ns) {
            at--;
        }
        if (ok && w.n && at < WORKS && threshold_reached(TH_TIME_WORK, w.ns, c->tg->end)) {
            ok = explained(c, &k, &w.v);
            if (ok && w.v.n) {
                const uint32_t moved = (*n < WORKS ? *n : WORKS - 1) - at;
                memmove(&out[at + 1], &out[at], moved * sizeof *out);
                out[at] = w;
                *n += *n < WORKS;
            }
        }
        mem_free(k.v);
    }
    return ok;
}

static void one_text(struct text *t, const struct causes *c, const struct work_kind *w)
{
    const bool pieces = w->fed && !w->lives; /* where there is more at once, one can't be told from the next */
    text_add(t, "%s%llu ", w->merged || pieces ? "at least " : w->about ? "about " : "", (unsigned long long)w->n);
    works_name(t, c, w);
    if (!w->merged) {
        text_say(t, c->tr, w->requests ? " of " : ", ", t_dur(w->ns / (int64_t)w->n), " on average",
                 pieces ? " from one wait for more to the next" : "");
    }
    text_add(t, ", %.1f at a time: ", (double)w->ns / (double)c->tg->end);
    leaves_text(t, c->tr, &w->v, 4, 12);
}

void work_text(struct text *t, const struct causes *c, const struct work_kind *w, uint32_t n)
{
    for (uint32_t i = 0; i < n && w[i].ns > w[0].ns / 10; i++) {
        text_raw(t, "  ", i ? 1 : 0);
        one_text(t, c, &w[i]);
        text_lit(t, ".");
    }
}
