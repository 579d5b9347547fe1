/*
 * rules_join.c - one decides for many: a goroutine that hands to one after the other and is held by the slowest (a
 * hub), goroutines that all wait for one of their own kind, and rounds of several that are as long as the slowest of
 * them.
 *
 * Who ended which wait is recorded; that the others had nothing else to do is read off their lanes.
 */
#include "triage/findings/causes.h"
#include "triage/findings/commits.h"
#include "triage/findings/leaves.h"
#include "triage/findings/shares_of.h"
#include "triage/findings/waits_at.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"

#include <stdlib.h>

#include "decode/base/mem.h"

#define STEPS 20000 /* spans of each goroutine */
#define LOOKED 48   /* waits, and rounds, that are explained */
#define MEMBERS 8   /* goroutines of a group that are walked */

/* ---- a hub ----------------------------------------------------------------------------------------------------- */

#define READERS 64

struct reader {
    uint32_t g, stack; /* stack: where the hub waits to hand to it */
    int64_t ns, longest, t0, t1;
    uint32_t n;
};
struct hub {
    uint32_t g;
    struct reader v[READERS];
    uint32_t n;
    int64_t all; /* of its waits to hand something over */
};

/* Does a group take what another hands out, again and again? */
static bool takes_from(const struct causes *c, uint32_t taker, uint32_t from)
{
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        if (!p->from_scheduler && p->waiter == c->tg->groups[taker].name && p->waker == c->tg->groups[from].name &&
            (p->kind == WK_RECV || p->kind == WK_SELECT) && (double)p->count >= threshold(TH_HUB_WAITS)) {
            return true;
        }
    }
    return false;
}

static bool hands_over(const struct causes *c, const struct span *s, const struct span *next, uint32_t group)
{
    if (s->state != ST_WAITING || next->state != ST_RUNNABLE || next->who >= c->tg->ng) {
        return false;
    }
    enum wait_kind k = stacks_wait_kind(c->tr, s->reason, s->stack);
    return k == WK_SEND || (k == WK_SELECT && takes_from(c, gstat_group(c->tg->g, next->who), group));
}

static void hub_wait(struct hub *h, const struct span *s, uint32_t by)
{
    uint32_t i = 0;
    const int64_t ns = s->t1 - s->t0;
    h->all = ns_add(h->all, ns);
    while (i < h->n && h->v[i].g != by) {
        i++;
    }
    if (i == READERS) {
        return;
    }
    struct reader *r = &h->v[i];
    if (i == h->n) {
        h->n++;
        *r = (struct reader){.g = by, .longest = -1};
    }
    r->ns = ns_add(r->ns, ns);
    r->n++;
    if (ns > r->longest) {
        r->longest = ns;
        r->t0 = s->t0;
        r->t1 = s->t1;
        r->stack = s->stack;
    }
}

static void hub_of(const struct causes *c, uint32_t g, struct hub *h)
{
    struct walk w;
    const struct span *next = walk_first(&w, c->tr, g, STEPS);
    *h = (struct hub){.g = g};
    for (struct span s; walk_pair(&w, &s, &next);) {
        if (next && hands_over(c, &s, next, gstat_group(c->tg->g, g))) {
            hub_wait(h, &s, next->who);
        }
    }
}

/* What the reader did while the hub waited for it. */
static bool hub_waits_for(struct causes *c, const struct hub *h, const struct reader *r, struct leaves *out)
{
    struct explain_tree t;
    struct walk w;
    bool ok = explain_tree_init(&t, c->tr);
    uint32_t seen = 0;
    const struct span *next = walk_first(&w, c->tr, h->g, STEPS);
    for (struct span s; ok && explain_left(c->x) && walk_pair(&w, &s, &next);) {
        if (next && next->who == r->g && hands_over(c, &s, next, gstat_group(c->tg->g, h->g)) &&
            seen++ % (r->n / LOOKED + 1) == 0) {
            ok = explain_add(c->x, &t, h->g, s.t0, s.t1);
        }
    }
    *out = (struct leaves){0};
    if (ok) {
        causes_leaves(&t, out);
    }
    explain_tree_free(&t);
    return ok;
}

static void hub_finding(struct causes *c, const struct hub *h, const struct reader *r, uint32_t readers)
{
    struct leaves v;
    struct draft d;
    const int64_t life = gstat_ns(c->tg->g, h->g, GM_LIFE);
    if (!hub_waits_for(c, h, r, &v)) {
        c->rs->failed = true;
        return;
    }
    draft_start(&d, RULE_HUB, r->ns);
    d.f.won_hi = ns_add(
        h->all, gstat_ns(c->tg->g, h->g, GM_SCHED)); /* with room, it waits for none, and never for its way back */
    draft_about(&d, c->rs, causes_place(c->tr, r->stack), r->stack);
    draft_at(&d, r->t0, r->t1, LANE_G, r->g);
    text_share(&d.amount, (double)r->ns, (double)life);
    text_say(&d.text, c->tr, t_place(r->stack, 3), " passes items to ", readers,
             " goroutines in turn and is held up by one of them: ", t_who(r->g), ", for which it waits ",
             t_share((double)r->ns, (double)life), " of its life (", r->n, " waits of ", t_dur(r->ns / r->n),
             " on average; all others together ", t_share((double)(h->all - r->ns), (double)life), ").");
    if (v.n) {
        text_lit(&d.text, " What that one does meanwhile: ");
        leaves_text(&d.text, c->tr, &v, 3, 20);
        text_lit(&d.text, ".");
    }
    text_lit(&d.next, "Don't let the slowest reader hold up the others: give it a buffered queue and drop the "
                      "excess, or its own goroutine; or make its work cheaper.");
    draft_end(c->rs, &d);
}

static bool same_line(const struct trace *tr, uint32_t stack, uint32_t other)
{
    struct frame a = trace_frame(tr, stack, stacks_user_frame(tr, stack)),
                 b = trace_frame(tr, other, stacks_user_frame(tr, other));
    return a.func == b.func && a.line == b.line;
}

/*
 * Goroutines that are handed to by the statement that the slow one holds: others get something else. waits: of the
 * others for a piece; who hands each piece to all sees each of them wait about as often as it is held itself, else
 * one gets most of the work.
 */
static uint32_t readers_of(const struct causes *c, uint32_t group, const struct reader *slow, uint64_t *waits)
{
    uint32_t n = 0, its = gstat_group(c->tg->g, slow->g);
    for (uint32_t i = 0; i < c->tg->ngroups; i++) {
        bool in = false;
        for (uint32_t k = 0; k < c->tg->npairs; k++) {
            const struct pair_row *p = &c->tg->pairs[k];
            const bool takes =
                !p->from_scheduler && p->waiter == c->tg->groups[i].name && p->waker == c->tg->groups[group].name &&
                (p->kind == WK_RECV || p->kind == WK_SELECT) && same_line(c->tr, p->waker_stack, slow->stack);
            in |= takes;
            *waits += takes ? p->count : 0;
        }
        n += i != group && (i == its || in) ? c->of[i].n : 0;
    }
    return n;
}

/* Is it held for that one, and not by chance once for long? */
static bool mostly_for(const struct hub *h, const struct reader *r)
{
    return (double)(r->ns - r->longest) >= threshold(TH_HUB_ONE) * (double)(h->all - r->longest);
}

/* Does one of the others of its kind rest at that moment? */
static bool another_rests(const struct causes *c, uint32_t its, uint32_t slow, int64_t t)
{
    for (uint32_t k = 0; k < c->of[its].n && k < READERS; k++) {
        const uint32_t g = causes_nth(c, its, k);
        struct span_iter it;
        if (g != slow && span_seek(&it, c->tr, (struct lane){LANE_G, g}, t) && span_get(&it)->state == ST_WAITING) {
            return true;
        }
    }
    return false;
}

/*
 * Is it that one which is waited for? Where all take from one channel, whoever is done first ends the wait, and the
 * others are at work until then: were one of them at rest, it would have taken it. Who is handed to by a channel of
 * its own rests while another one is waited for.
 */
static bool others_rest(const struct causes *c, const struct hub *h, const struct reader *r)
{
    const uint32_t its = gstat_group(c->tg->g, r->g), group = gstat_group(c->tg->g, h->g);
    uint32_t looked = 0, rest = 0;
    struct walk w;
    struct span wait = {.state = ST_NONE};
    walk_g(&w, c->tr, h->g, STEPS);
    for (const struct span *s; c->of[its].n > 1 && looked < LOOKED && (s = walk_next(&w));) {
        if (s->who == r->g && hands_over(c, &wait, s, group)) {
            looked++;
            rest += another_rests(c, its, r->g, wait.t0 + (wait.t1 - wait.t0) / 2);
        }
        wait = *s;
    }
    return rest * 2 >= looked;
}

static void rule_hub(struct causes *c)
{
    for (uint32_t i = 0; i < c->tg->ngroups && i < 64; i++) {
        const struct group_life *l = &c->life[i];
        if (!l->program || l->n > 1.5 || l->life <= 0 || c->idle < causes_idle_least(c) ||
            (double)ns_add(l->by[WK_SEND], l->by[WK_SELECT]) < threshold(TH_HUB_LIFE) * (double)l->life) {
            continue;
        }
        for (uint32_t m = 0; m < c->of[i].n && m < MEMBERS; m++) {
            struct hub h;
            const struct reader *most = NULL;
            hub_of(c, causes_member(c, i, m, MEMBERS), &h);
            for (uint32_t k = 0; k < h.n; k++) {
                most = !most || h.v[k].ns > most->ns ? &h.v[k] : most;
            }
            if (!most || (double)most->n < threshold(TH_HUB_WAITS) || !causes_place(c->tr, most->stack) ||
                (double)most->ns < threshold(TH_HUB_LIFE) * (double)gstat_ns(c->tg->g, h.g, GM_LIFE) ||
                !mostly_for(&h, most) || !threshold_reached(TH_HUB_TRACE, most->ns, c->tg->end)) {
                continue;
            }
            uint64_t waits = 0;
            uint32_t readers = readers_of(c, i, most, &waits);
            if ((double)readers >= threshold(TH_HUB_READERS) &&
                (double)waits >= threshold(TH_HUB_EVEN) * (double)most->n * (readers - 1) &&
                others_rest(c, &h, most)) {
                hub_finding(c, &h, most, readers);
            }
        }
    }
}

/* ---- all for one of their own ---------------------------------------------------------------------------------- */

#define SOON 50000 /* ns of running: who waits again by then has got nothing */

/* Is b's creator, or its creator's, a? Then a waits for what it has begun, not for its like. */
static bool descends(const struct causes *c, uint32_t a, uint32_t b)
{
    for (int i = 0; i < 16 && b < c->tg->ng; i++) {
        b = trace_lane(c->tr, (struct lane){LANE_G, b}).creator;
        if (b == a) {
            return true;
        }
    }
    return false;
}

/* Of a goroutine's waits at a place, how many were followed by another one there before it had done anything. */
static void again_of(const struct causes *c, uint32_t g, uint32_t place, uint64_t *waits, uint64_t *again)
{
    struct walk w;
    int64_t ran = SOON;
    walk_g(&w, c->tr, g, STEPS);
    for (const struct span *s; (s = walk_next(&w));) {
        if (s->state == ST_WAITING && causes_place(c->tr, s->stack) == place) {
            ++*waits;
            *again += ran < SOON;
            ran = 0;
        } else if (s->state == ST_RUNNING || s->state == ST_SYSCALL) {
            ran = ns_add(ran, s->t1 - s->t0);
        } else if (s->state == ST_WAITING || s->state == ST_NONE) {
            ran = SOON;
        }
    }
}

static bool own_doing(struct causes *c, uint32_t group, uint32_t place, struct leaves *out)
{
    struct explain_tree t;
    bool ok = explain_tree_init(&t, c->tr);
    uint32_t looked = 0;
    for (uint32_t m = 0; ok && m < c->of[group].n && m < MEMBERS; m++) {
        uint32_t g = causes_member(c, group, m, MEMBERS), mine = 0, here = 0;
        struct walk w;
        walk_g(&w, c->tr, g, STEPS);
        for (const struct span *s; ok && mine < LOOKED / MEMBERS && (s = walk_next(&w));) {
            here = s->state == ST_NONE ? 0 : here;
            if (s->state == ST_WAITING && !s->open_end && causes_place(c->tr, s->stack) == place &&
                here < walk_share(&w, LOOKED / MEMBERS)) {
                ok = explain_add(c->x, &t, g, s->t0, s->t1);
                here++;
                mine++;
                looked++;
            }
        }
    }
    *out = (struct leaves){0};
    if (ok && looked) {
        causes_leaves(&t, out);
    }
    explain_tree_free(&t);
    return ok;
}

static void own_finding(struct causes *c, const struct waits_at *o, uint32_t group, double waiting, double share)
{
    const struct group_life *l = &c->life[group];
    struct leaves v;
    struct draft d;
    uint64_t waits = 0, again = 0;
    const double active = l->n - waiting > 0 ? l->n - waiting : 0;
    for (uint32_t m = 0; m < c->of[group].n && m < MEMBERS; m++) {
        again_of(c, causes_member(c, group, m, MEMBERS), o->place, &waits, &again);
    }
    if (!own_doing(c, group, o->place, &v)) {
        c->rs->failed = true;
        return;
    }
    struct shares_of in;
    const bool shares = shares_of(c, group, o->place, &in);
    const uint64_t commits = shares ? 0 : commits_at(c, group, o->place);
    const bool in_vain = waits && (double)again >= threshold(TH_OWN_AGAIN) * (double)waits;
    draft_start(&d, RULE_OWN,
                (int64_t)((double)(l->last - l->first) * (share < 1 ? share : 1) * c->idle / (c->idle + active)));
    draft_about(&d, c->rs, o->place, o->most->stack);
    draft_moment(&d, &o->most->longest);
    d.f.inferred = true;
    if (commits) {
        d.f.note = true;
        d.f.severity_ns = 0;
    }
    text_add(&d.amount, "%.0f wait", waiting);
    text_say(&d.text, c->tr, t_func(o->place), ": ", t_f1(waiting), " goroutines of ", t_func(o->most->waiter),
             " wait there on average, ", t_share(share, 1), " of their lives (", o->count,
             " waits), until one of their own is done");
    if (in_vain) {
        text_say(&d.text, c->tr, "; and ", t_share((double)again, (double)waits),
                 " of the waits follow at once on another one there: what they waited for was not what they need, so "
                 "they go one after the other");
    }
    text_lit(&d.text, ".");
    if (shares) {
        shares_text(&d.text, &d.next, c->tr, &in);
    }
    if (v.n) {
        text_lit(&d.text, " What that one did meanwhile: ");
        leaves_text(&d.text, c->tr, &v, 3, 20);
        text_lit(&d.text, " (inferred).");
    }
    if (commits) {
        text_say(&d.text, c->tr, " That is ", commits, " calls that have the device keep what was written.");
    }
    text_add(&d.text, " %.1f of %.0f processors were idle.", c->idle, c->procs);
    if (!shares) {
        text_add(&d.next, "%s",
                 commits ? COMMITS_ADVICE
                 : in_vain && o->most->kind == WK_COND
                     ? "If they must go in order: do the long part before waiting for the turn, and after it only "
                       "what needs the order. If not, let only those wait for each other that need the same thing."
                 : in_vain ? "Let only those wait for each other that ask for the same thing: a key per question, "
                             "instead of one lock or flight that all share."
                           : "Don't let everyone wait for one: use the previous answer meanwhile, let different "
                             "questions run in parallel; or balance the work, if this is where they meet.");
    }
    draft_titled(c->rs, &d, shares ? SHARES_TITLE : rule_title(RULE_OWN));
}

static bool for_own(const struct causes *c, const struct pair_row *p)
{
    (void)c;
    const bool kind = p->kind == WK_WAITGROUP || p->kind == WK_RECV || p->kind == WK_SELECT || p->kind == WK_COND;
    return !p->from_scheduler && p->waker == p->waiter && kind;
}

static void rule_own(struct causes *c)
{
    enum { PLACES = 64 };
    struct waits_at v[PLACES];
    const uint32_t n = waits_at_rows(c, v, PLACES, PAIRS_ALL, for_own);
    for (uint32_t i = 0; i < n; i++) {
        const struct pair_row *p = v[i].most;
        uint32_t g = causes_group(c, p->waiter);
        const struct group_life *l = g == UINT32_MAX ? NULL : &c->life[g];
        double span = l && l->last > l->first ? (double)(l->last - l->first) : 1, waiting = (double)v[i].total / span;
        double share = l && l->life > 0 ? (double)v[i].total / (double)l->life : 0;
        if (l && l->program && (double)v[i].count >= threshold(TH_BOTTLE_WAITS) && share >= threshold(TH_OWN_LIFE) &&
            waiting >= threshold(TH_POOL_WAITING) && c->idle >= threshold(TH_OWN_IDLE) * c->procs &&
            causes_all_at_once(c, p, g) && !descends(c, p->longest.g, p->longest_waker)) {
            own_finding(c, &v[i], g, waiting, share);
        }
    }
}

/* ---- the slowest of a lot -------------------------------------------------------------------------------------- */

#define CHILDREN 1500     /* of a group, looked at */
#define STEPS_ASKED 60000 /* moments of workers */
#define WORKERS 64
#define FIRST 64

struct kid {
    uint32_t creator, g;
    int64_t first, last;
};
struct rounds { /* of one place that waits */
    uint32_t group, place, stack, kids;
    uint32_t
        begun_in; /* the function in which its kids begin: where a helper begins them, they were given different things */
    uint32_t n, of;   /* rounds; goroutines in them all */
    uint32_t parents; /* that begin them, or give them work */
    int64_t until;    /* behind that not all was looked at; 0: it was */
    bool steps;       /* the same ones each time, given work */
    int64_t alone, all, life;
    int64_t longest, t0, t1;
    uint32_t g, parent;
    struct last_one {
        uint32_t g;
        int64_t t0, t1;
    } some[LOOKED];
};

static int cmp_kid(const void *a, const void *b)
{
    const struct kid *x = a, *y = b;
    return x->creator != y->creator ? (x->creator > y->creator) - (x->creator < y->creator)
           : x->first != y->first   ? (x->first > y->first) - (x->first < y->first)
                                    : (x->g > y->g) - (x->g < y->g);
}

static bool waits_for_kids(const struct causes *c, uint32_t g, int64_t t, struct span *s)
{
    if (!trace_span_at(c->tr, (struct lane){LANE_G, g}, t, s) || s->state != ST_WAITING) {
        return false;
    }
    enum wait_kind k = stacks_wait_kind(c->tr, s->reason, s->stack);
    return k == WK_WAITGROUP || k == WK_RECV || k == WK_SELECT || k == WK_COND;
}

/* Kids [i, k) were there together: what their parent waits for when only the last of them is left. */
static void round_add(const struct causes *c, struct rounds *r, const struct kid *v, size_t i, size_t k)
{
    int64_t last = 0, second = 0;
    size_t slow = i;
    struct span s;
    for (size_t m = i; m < k; m++) {
        if (v[m].last > last) {
            second = last;
            last = v[m].last;
            slow = m;
        } else if (v[m].last > second) {
            second = v[m].last;
        }
    }
    if ((double)(k - i) < threshold(TH_SLOWEST_OF)) {
        return;
    }
    r->all = ns_add(r->all, last - v[i].first);
    r->of += (uint32_t)(k - i);
    r->n++;
    if (!waits_for_kids(c, v[i].creator, second + (last - second) / 2, &s)) {
        return;
    }
    r->some[r->n % LOOKED] = (struct last_one){v[slow].g, second, last};
    r->alone = ns_add(r->alone, last - second);
    if (last - second > r->longest) {
        r->longest = last - second;
        r->t0 = second;
        r->t1 = last;
        r->g = v[slow].g;
        r->parent = v[i].creator;
        r->stack = s.stack;
        r->place = causes_place(c->tr, s.stack);
    }
}

/* The function in which a group's goroutines begin: a helper, if it is not the one that they are named by. */
static uint32_t begun_in(const struct causes *c, uint32_t group)
{
    const struct lane_info li = trace_lane_who(c->tr, (struct lane){LANE_G, causes_nth(c, group, 0)});
    const uint32_t func = li.start_stack ? trace_frame(c->tr, li.start_stack, 0).func : 0;
    return func ? func : c->tg->groups[group].name;
}

static void kids_in(const struct causes *c, uint32_t group, uint32_t parents, struct kid *v, size_t *n)
{
    const size_t had = *n;
    for (uint32_t i = 0; i < c->of[group].n && *n < CHILDREN && (*n > had || i < FIRST); i++) {
        uint32_t g = causes_nth(c, group, i); /* who begins them begins some of the first */
        struct lane_info li = trace_lane(c->tr, (struct lane){LANE_G, g});
        if (li.created && li.ended && li.creator < c->tg->ng && gstat_group(c->tg->g, li.creator) == parents) {
            v[(*n)++] = (struct kid){li.creator, g, li.first, li.last};
        }
    }
}

static struct kid *kids_of(struct causes *c, const struct rounds *r, uint32_t parents, size_t *n)
{
    struct kid *v = mem_alloc((CHILDREN + 1) * sizeof *v);
    const bool helper = r->begun_in != c->tg->groups[r->kids].name;
    *n = 0;
    c->rs->failed |= !v;
    for (uint32_t i = 0; v && i < c->tg->ngroups; i++) {
        if (i == r->kids || (helper && c->of[i].n && begun_in(c, i) == r->begun_in)) {
            kids_in(c, i, parents, v, n);
        }
    }
    if (*n) {
        qsort(v, *n, sizeof *v, cmp_kid);
    }
    return v;
}

/* From the first to the last of a parent's kids that are looked at. */
static int64_t seen_of(const struct kid *v, size_t i, size_t n)
{
    int64_t last = v[i].last;
    for (size_t k = i; k < n && v[k].creator == v[i].creator; k++) {
        last = v[k].last > last ? v[k].last : last;
    }
    return last - v[i].first;
}

static void rounds_of(struct causes *c, uint32_t parents, uint32_t kids, struct rounds *r)
{
    size_t n;
    struct kid *v = kids_of(c, r, parents, &n);
    for (size_t i = 0, k; v && i < n; i = k) {
        int64_t last = v[i].last;
        for (k = i + 1; k < n && v[k].creator == v[i].creator && v[k].first < last; k++) {
            last = v[k].last > last ? v[k].last : last;
        }
        if (i == 0 || v[i].creator != v[i - 1].creator) {
            const int64_t life = gstat_ns(c->tg->g, v[i].creator, GM_LIFE), seen = seen_of(v, i, n);
            r->life = ns_add(r->life, c->of[kids].n > CHILDREN && seen < life ? seen : life);
            r->parents++;
        }
        round_add(c, r, v, i, k);
    }
    mem_free(v);
}

/*
 * When did a goroutine become idle that is so at t: it waits for work, or to hand over what it did? NO_TIME: it
 * isn't.
 */
static int64_t idle_since(const struct causes *c, uint32_t g, int64_t t)
{
    struct span s;
    if (!trace_span_at(c->tr, (struct lane){LANE_G, g}, t, &s) || s.state != ST_WAITING) {
        return NO_TIME;
    }
    const enum wait_kind k = stacks_wait_kind(c->tr, s.reason, s.stack);
    return k == WK_RECV || k == WK_SELECT || k == WK_SEND || k == WK_COND || k == WK_WAITGROUP ? s.t0 : NO_TIME;
}

/* A wait that one of the workers ended when all others had done their part: the end of a round. */
static void step_add(const struct causes *c, struct rounds *r, const struct last_one *w, uint32_t parent,
                     const struct span *s, int64_t *before)
{
    int64_t second = s->t0;
    uint32_t took = 1;
    for (uint32_t i = 0; i < c->of[r->kids].n; i++) {
        const uint32_t g = causes_nth(c, r->kids, i);
        const int64_t since = g == w->g ? s->t0 : idle_since(c, g, s->t1 - 1);
        if (since == NO_TIME) {
            return;
        }
        took += g != w->g && since > *before;
        second = since > second ? since : second;
    }
    const int64_t began = *before;
    *before = s->t1;
    if ((double)took < threshold(TH_SLOWEST_OF) || began == NO_TIME) {
        return;
    }
    r->all = ns_add(r->all, s->t1 - began);
    r->of += took;
    r->n++;
    r->some[r->n % LOOKED] = (struct last_one){w->g, second, s->t1};
    r->alone = ns_add(r->alone, s->t1 - second);
    if (s->t1 - second > r->longest) {
        r->longest = s->t1 - second;
        r->t0 = second;
        r->t1 = s->t1;
        r->g = w->g;
        r->parent = parent;
        r->stack = s->stack;
        r->place = causes_place(c->tr, s->stack);
    }
}

/* Rounds of workers that stay: each is given something, and all are waited for. */
static void steps_of(const struct causes *c, uint32_t parents, uint32_t kids, struct rounds *r)
{
    uint32_t left = STEPS_ASKED / (c->of[kids].n + 1);
    const uint32_t asked = c->of[parents].n < MEMBERS ? c->of[parents].n : MEMBERS;
    const uint32_t spans = STEPS / 4 < 3 * left ? STEPS / 4 : 3 * left, steps = spans / (asked ? asked : 1);
    r->steps = true;
    r->parents = c->of[parents].n;
    for (uint32_t m = 0; m < c->of[parents].n && m < MEMBERS; m++) {
        struct walk w;
        const uint32_t g = causes_member(c, parents, m, MEMBERS);
        int64_t before = NO_TIME;
        const struct span *next = walk_first(&w, c->tr, g, steps);
        for (struct span s; left && walk_pair(&w, &s, &next);) {
            const uint32_t by = next && s.state == ST_WAITING && next->state == ST_RUNNABLE ? next->who : NO_LANE;
            r->life = ns_add(r->life, s.t1 - s.t0); /* of which is counted what only the slowest is left for */
            before = s.state == ST_NONE ? NO_TIME : before;
            const enum wait_kind k = by < c->tg->ng ? stacks_wait_kind(c->tr, s.reason, s.stack) : WK_OTHER;
            if ((k == WK_RECV || k == WK_WAITGROUP || k == WK_SELECT || k == WK_COND) &&
                gstat_group(c->tg->g, by) == kids) {
                left--;
                step_add(c, r, &(struct last_one){.g = by}, g, &s, &before);
            }
        }
        r->until = causes_until(r->until, next ? next->t0 : walk_until(&w));
    }
}

/* What to name first of what the last ones did: the first that tells more than where they begin. */
static const struct leaf *last_does(const struct causes *c, const struct rounds *r, const struct leaves *v)
{
    for (uint32_t i = 0; i < v->n && i < 3 && (i == 0 || v->v[i].ns > v->all / 20); i++) {
        if (v->v[i].stack && v->v[i].func != c->tg->groups[r->kids].name) {
            return &v->v[i];
        }
    }
    return v->n && v->v[0].stack ? &v->v[0] : NULL;
}

/* All begin together, so the slowest can begin no earlier, unless there are fewer processors than they. */
static void slowest_advice(struct text *t, const struct causes *c, const struct rounds *r, const struct leaves *v)
{
    const bool waits = v->n && (explain_waits_outside(v->v[0].cat) || v->v[0].cat == EX_TIMER);
    if (r->parents == 1) { /* one lot after another, and no lot for each of those that ask */
        text_lit(t, "Unless the next batch needs all of this one: don't wait for it, let the same number of "
                    "goroutines take the next item as soon as they finish one. Otherwise make");
    }
    text_add(t, "%s that part faster or split it", t->n ? "" : "Make");
    text_add(t, "%s", !waits && (double)r->of > c->procs * r->n ? "; begin the longest first" : "");
    text_add(t, "%s.", waits ? "; or go on without it (a timeout, a partial answer)" : "");
}

/* What of it the slowest wait for a time limit of their own, behind which they go on: one is there already. */
static int64_t limits_itself(const struct causes *c, const struct rounds *r, const struct leaves *v)
{
    int64_t ns = 0;
    for (uint32_t i = 0; i < v->n; i++) {
        const struct leaf *l = &v->v[i];
        const bool own = l->who == c->tg->groups[r->kids].name;
        ns = own && l->cat == EX_TIMER && l->kind == WK_SELECT ? ns_add(ns, l->ns) : ns;
    }
    return ns;
}

static void slowest_finding(struct causes *c, const struct rounds *r)
{
    struct explain_tree t;
    struct leaves v = {0};
    struct draft d;
    const struct group_life *l = &c->life[r->group];
    double share = (double)r->alone / (double)r->life;
    bool ok = explain_tree_init(&t, c->tr);
    for (uint32_t i = 0; ok && i < LOOKED; i++) {
        ok = r->some[i].t1 <= r->some[i].t0 || explain_add(c->x, &t, r->some[i].g, r->some[i].t0, r->some[i].t1);
    }
    if (ok) {
        causes_leaves(&t, &v);
    }
    explain_tree_free(&t);
    c->rs->failed |= !ok;
    draft_start(&d, RULE_SLOWEST, (int64_t)(share * (double)(l->last - l->first)));
    draft_subject(&d, c->rs, r->place);
    draft_at(&d, r->t0, r->t1, LANE_G, r->g);
    const struct leaf *what = last_does(c, r, &v);
    d.f.stack = what ? what->stack : r->stack;
    d.f.inferred = true;
    text_share(&d.amount, (double)r->alone, (double)r->all);
    if (what) {
        causes_calls_text(&d.text, c->tr, what);
        text_lit(&d.text, " decides: ");
    }
    text_place(&d.text, c->tr, r->stack, 2);
    text_add(&d.text, r->steps ? " has %.0f goroutines of " : " starts %.0f goroutines of ", (double)r->of / r->n);
    text_say(&d.text, c->tr, t_func(r->steps ? c->tg->groups[r->kids].name : r->begun_in), " at ",
             r->steps ? "work" : "a time", " (", r->n, " times) and waits for all: for ",
             t_share((double)r->alone, (double)r->all), " of that time only the slowest of them is left, ",
             t_dur(r->alone / r->n), " each time.");
    if (v.n) {
        text_lit(&d.text, " What the slowest did then: ");
        leaves_text(&d.text, c->tr, &v, 3, 20);
        text_lit(&d.text, ".");
    }
    const uint32_t begun = c->of[r->kids].n;
    causes_counted(&d.text, !r->steps && begun > CHILDREN ? CHILDREN : begun, begun, r->until);
    if (threshold_reached(TH_SLOWEST_LIMIT, limits_itself(c, r, &v), v.all)) {
        d.f.note = true;
        text_lit(&d.text, " They have their own timeout, then, and do something else after it.");
        text_lit(&d.next, "Use a shorter timeout, if the usual ones finish long before it; otherwise make that part "
                          "faster or split it.");
    } else {
        slowest_advice(&d.next, c, r, &v);
    }
    draft_end(c->rs, &d);
}

/* How long a group waits for all that a helper begins. */
static int64_t ended_by(const struct causes *c, uint32_t waiter, uint32_t helper)
{
    int64_t ns = 0;
    for (uint32_t i = 0; i < c->tg->npairs && i < PAIRS_ASKED; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        const bool waits = !p->from_scheduler && p->waiter == c->tg->groups[waiter].name;
        const uint32_t by = waits ? causes_group(c, p->waker) : UINT32_MAX;
        ns = by != UINT32_MAX && begun_in(c, by) == helper ? ns_add(ns, p->total) : ns;
    }
    return ns;
}

static void rule_slowest(struct causes *c)
{
    enum { PAIRS = 12, SUMS = 64 };
    uint64_t seen[PAIRS];
    uint32_t n = 0, sums = 0;
    for (uint32_t i = 0; i < c->tg->npairs && n < PAIRS && !c->rs->failed; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        bool kind = p->kind == WK_WAITGROUP || p->kind == WK_RECV || p->kind == WK_SELECT || p->kind == WK_COND;
        uint32_t a = causes_group(c, p->waiter),
                 b = p->from_scheduler || !kind ? UINT32_MAX : causes_group(c, p->waker), k = 0;
        if (a == UINT32_MAX || b == UINT32_MAX || a == b || c->idle < causes_idle_least(c)) {
            continue;
        }
        const uint32_t begun = begun_in(c, b);
        const uint64_t key = (uint64_t)a << 32 | begun;
        while (k < n && seen[k] != key) {
            k++;
        }
        const double least = threshold(TH_SLOWEST_LIFE) / 2 * (double)c->life[a].life;
        const bool helper = k == n && (double)p->total < least && begun != c->tg->groups[b].name && sums++ < SUMS;
        if (k < n || (double)(helper ? ended_by(c, a, begun) : p->total) < least) {
            continue;
        }
        seen[n++] = key;
        struct rounds r = {.group = a, .kids = b, .begun_in = begun, .longest = -1};
        rounds_of(c, a, b, &r);
        if (r.n == 0 && (double)c->of[b].n >= threshold(TH_SLOWEST_OF) && c->of[b].n <= WORKERS &&
            c->of[a].n <= MEMBERS) {
            r = (struct rounds){.group = a, .kids = b, .begun_in = begun, .longest = -1};
            steps_of(c, a, b, &r);
        }
        if (r.place && r.life > 0 && (double)r.n >= threshold(TH_SLOWEST_ROUNDS) &&
            (double)r.alone >= threshold(TH_SLOWEST_ROUND) * (double)r.all &&
            (double)r.alone >= threshold(TH_SLOWEST_LIFE) * (double)r.life) {
            slowest_finding(c, &r);
        }
    }
}

void rules_join(struct causes *c)
{
    rule_hub(c);
    rule_own(c);
    rule_slowest(c);
}
