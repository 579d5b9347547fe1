/*
 * rules_knot.c - goroutines that stand on each other for good: each waits at the end of the trace for what the next one did before,
 * round to the first. These are told, not those that wait behind them.
 *
 * Who was to end a wait is told by the past: who ended waits at that place, and whose waits its sends there ended. Who holds a lock
 * that nobody had to wait for before is not in the trace: one that stands on a channel in a method of the type whose method asks
 * for the lock. A ring in which all only wait to receive may be at rest; one that waits to send, or for a lock, is not.
 */
#include "triage/findings/causes.h"
#include "triage/findings/thresholds.h"

#include "decode/base/mem.h"

#define NODES 32
#define LANES 4096 /* looked at, of groups of at most */
#define OF_A_GROUP 256

struct standing { /* goroutines of a group that wait at one place at the end, and have for long */
    uint32_t group, place, stack, reason;
    enum wait_kind kind;
    uint32_t n, g; /* g: the first to */
    int64_t since, usual;
};
struct knot {
    struct causes *c;
    struct standing v[NODES];
    uint32_t n;
    uint32_t next[NODES]; /* bits: whose groups were to end its waits */
    uint32_t held[NODES]; /* bits, of `next`: who holds its lock by the type alone */
    uint32_t took[NODES]; /* bits: where it stands its waits ended by what these, where they stand, sent */
};

static bool of_kind(enum wait_kind k)
{
    return k == WK_SEND || k == WK_RECV || k == WK_SELECT || k == WK_LOCK || k == WK_COND;
}

/* What the longest wait there took that ended: who stands for long was never so late before. */
static int64_t usual_at(const struct causes *c, uint32_t reason, uint32_t stack)
{
    for (uint32_t i = 0; i < c->tg->nwaits; i++) {
        if (c->tg->waits[i].reason == reason && c->tg->waits[i].stack == stack) {
            return c->tg->waits[i].longest_done;
        }
    }
    return 0;
}

/* false: it is not known to stand: no room, no place, or no longer than usual. */
static bool stands(struct knot *k, uint32_t group, uint32_t g, const struct span *s)
{
    const uint32_t place = causes_place(k->c->tr, s->stack);
    uint32_t i = 0;
    while (i < k->n && !(k->v[i].group == group && k->v[i].stack == s->stack && k->v[i].reason == s->reason)) {
        i++;
    }
    if (!place || i == NODES) {
        return false;
    }
    if (i == k->n) {
        k->v[k->n++] = (struct standing){.group = group,
                                         .place = place,
                                         .stack = s->stack,
                                         .reason = s->reason,
                                         .kind = stacks_wait_kind(k->c->tr, s->reason, s->stack),
                                         .g = g,
                                         .since = s->t0,
                                         .usual = usual_at(k->c, s->reason, s->stack)};
    }
    k->v[i].n++;
    if (s->t0 < k->v[i].since) {
        k->v[i].since = s->t0;
        k->v[i].g = g;
    }
    return (double)(s->t1 - s->t0) >= threshold(TH_KNOT_LONGER) * (double)k->v[i].usual;
}

/* Who stands at the end; *all: whether all that are left of the group do. */
static void look_at(struct knot *k, uint32_t group)
{
    const struct causes *c = k->c;
    const int64_t least = (int64_t)(threshold(TH_KNOT_SHARE) * (double)c->tg->end);
    const uint32_t before = k->n;
    bool all = true;
    for (uint32_t i = 0; i < c->of[group].n && i < OF_A_GROUP && all; i++) {
        const uint32_t g = causes_nth(c, group, i);
        struct lifetime l;
        struct span s;
        trace_lives(c->tr, LANE_G, g, 1, &l);
        if (!l.begun || l.over) {
            continue;
        }
        all = trace_span_at(c->tr, (struct lane){LANE_G, g}, c->tg->end - 1, &s) && s.state == ST_WAITING &&
              s.open_end && s.t1 - s.t0 >= least && of_kind(stacks_wait_kind(c->tr, s.reason, s.stack)) &&
              stands(k, group, g, &s);
    }
    k->n = all ? k->n : before; /* one is left that may go on for the others */
}

/* Are both at the same line of the same function of the program? */
static bool same_line(const struct trace *tr, uint32_t a, uint32_t b)
{
    const struct frame x = trace_frame(tr, a, stacks_user_frame(tr, a)),
                       y = trace_frame(tr, b, stacks_user_frame(tr, b));
    return a == b || (x.func && x.func == y.func && x.line == y.line);
}

/* Does the pair say that a waits for what goroutines of b did? */
static bool says(const struct causes *c, const struct pair_row *p, const struct standing *a, const struct standing *b)
{
    const uint32_t from = c->tg->groups[a->group].name, to = c->tg->groups[b->group].name;
    if (p->waiter == from && p->waker == to && p->kind == a->kind && same_line(c->tr, p->stack, a->stack)) {
        return true;
    }
    /* b received what a sent there; where b waits to receive there now, it is something else that a sends */
    return a->kind == WK_SEND && (p->kind == WK_RECV || p->kind == WK_SELECT) && p->waiter == to &&
           p->waker == from && !same_line(c->tr, p->stack, b->stack) && same_line(c->tr, p->waker_stack, a->stack);
}

/* Did what b sends in the function where it stands end a's waits where that stands? Then a isn't who is to receive it: each would let the other go. */
static bool took_from(const struct causes *c, const struct pair_row *p, const struct standing *a,
                      const struct standing *b)
{
    return b->kind == WK_SEND && a->kind == WK_RECV && p->kind == WK_RECV &&
           p->waiter == c->tg->groups[a->group].name && p->waker == c->tg->groups[b->group].name &&
           same_line(c->tr, p->stack, a->stack) && causes_place(c->tr, p->waker_stack) == b->place;
}

static void edges_of(struct knot *k, const struct pair_row *p)
{
    for (uint32_t a = 0; a < k->n; a++) {
        for (uint32_t b = 0; b < k->n; b++) {
            if (k->v[a].group != k->v[b].group) {
                k->next[a] |= says(k->c, p, &k->v[a], &k->v[b]) ? 1u << b : 0;
                k->took[a] |= took_from(k->c, p, &k->v[a], &k->v[b]) ? 1u << b : 0;
            }
        }
    }
}

/* Are the functions where both stand, pkg.(*T).a and pkg.(*T).b, methods of one type? */
static bool one_type(const struct trace *tr, uint32_t a, uint32_t b)
{
    const struct str x = trace_str(tr, a), y = trace_str(tr, b);
    uint32_t n = 0;
    while (n < x.len && n < y.len && x.p[n] == y.p[n]) {
        n++;
    }
    while (n > 0 && x.p[n - 1] != '.') {
        n--;
    }
    return n > 1 && x.p[n - 2] == ')';
}

/* Who waits for a lock that nobody was seen to give back: for whom stands in a method of the lock's type, on no lock. */
static void edges_of_locks(struct knot *k)
{
    for (uint32_t a = 0; a < k->n; a++) {
        for (uint32_t b = 0; b < k->n && k->v[a].kind == WK_LOCK; b++) {
            if (k->v[a].group != k->v[b].group && k->v[b].kind != WK_LOCK && k->v[b].kind != WK_COND &&
                one_type(k->c->tr, k->v[a].place, k->v[b].place)) {
                k->held[a] |= 1u << b & ~k->next[a];
                k->next[a] |= 1u << b;
            }
        }
    }
}

static void edges(struct knot *k)
{
    const struct causes *c = k->c;
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        bool waits = false, wakes = false;
        for (uint32_t a = 0; a < k->n && !p->from_scheduler; a++) {
            waits |= c->tg->groups[k->v[a].group].name == p->waiter;
            wakes |= c->tg->groups[k->v[a].group].name == p->waker;
        }
        if (waits && wakes) {
            edges_of(k, p);
        }
    }
    for (uint32_t a = 0; a < k->n; a++) {
        for (uint32_t b = 0; b < k->n; b++) {
            k->next[b] &= k->took[a] >> b & 1 ? ~(1u << a) : ~0u;
        }
    }
    edges_of_locks(k);
}

/* The ring through `from` with fewest in it: rows into ring[], how many; 0 none. */
static uint32_t ring_of(const struct knot *k, uint32_t from, uint32_t *ring)
{
    uint32_t before[NODES], queue[NODES], head = 0, tail = 0, seen = 0;
    queue[tail++] = from;
    while (head < tail) {
        const uint32_t at = queue[head++];
        for (uint32_t b = 0; b < k->n; b++) {
            if (!(k->next[at] >> b & 1)) {
                continue;
            }
            if (b == from) {
                uint32_t n = 0, i = at;
                for (; i != from; i = before[i]) {
                    n++;
                }
                for (uint32_t j = n, x = at; j > 0; x = before[x]) {
                    ring[j--] = x;
                }
                ring[0] = from;
                return n + 1;
            }
            if (!(seen >> b & 1)) {
                seen |= 1u << b;
                before[b] = at;
                queue[tail++] = b;
            }
        }
    }
    return 0;
}

static bool holds_fast(const struct knot *k, const uint32_t *ring, uint32_t n)
{
    bool any = false;
    for (uint32_t i = 0; i < n; i++) {
        any |= k->v[ring[i]].kind == WK_SEND || k->v[ring[i]].kind == WK_LOCK;
    }
    return any;
}

static void one_text(struct text *t, const struct knot *k, const struct standing *s, bool first)
{
    static const char *const what[WK_KINDS] = {[WK_SEND] = "to send",
                                               [WK_RECV] = "to receive",
                                               [WK_SELECT] = "to receive or send",
                                               [WK_LOCK] = "for a lock",
                                               [WK_COND] = "on a condition"};
    text_add(t, "%s", first ? "" : "; ");
    if (s->n > 1) {
        text_say(t, k->c->tr, s->n, " goroutines of ", t_func(k->c->tg->groups[s->group].name), " wait ");
    } else {
        text_say(t, k->c->tr, t_who(s->g), " waits ");
    }
    text_say(t, k->c->tr, what[s->kind], " in ", t_place(s->stack, 2), " since ", t_dur(s->since));
}

/* Goroutines that stand too and wait, in the end, for those in the ring. */
static void behind_text(struct text *t, const struct knot *k, uint32_t in)
{
    uint32_t reach = in, n = 0;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < k->n; i++) {
            if (!(reach >> i & 1) && k->next[i] & reach) {
                reach |= 1u << i;
                more = true;
            }
        }
    }
    for (uint32_t i = 0; i < k->n; i++) {
        if ((reach & ~in) >> i & 1) {
            text_say(t, k->c->tr, n++ ? ", " : " Behind them wait ", k->v[i].n, " in ", t_func(k->v[i].place));
        }
    }
    text_raw(t, ".", n ? 1 : 0);
}

static const char *knot_advice(const struct knot *k, const uint32_t *ring, uint32_t n)
{
    uint32_t locks = 0;
    for (uint32_t i = 0; i < n; i++) {
        locks += k->v[ring[i]].kind == WK_LOCK;
    }
    if (locks == n) {
        return "Take the locks in the same order everywhere, or don't wait for one while holding the other.";
    }
    return locks ? "Don't send or receive while holding the lock: copy what is needed under the lock, unlock, then "
                   "send."
                 : "None of them should block on a send without receiving meanwhile: select on both, or send from a "
                   "separate goroutine; a larger channel buffer only makes it rarer.";
}

/* How it is known that each is to end the wait of the one before it. */
static void known_text(struct text *t, const struct knot *k, const uint32_t *ring, uint32_t n)
{
    bool typed = false;
    for (uint32_t i = 0; i < n; i++) {
        const struct standing *b = &k->v[ring[(i + 1) % n]];
        if (k->held[ring[i]] >> ring[(i + 1) % n] & 1) {
            text_say(t, k->c->tr, " The holder of the lock of ", t_func(k->v[ring[i]].place),
                     " is not in the trace: ", t_func(b->place), " is a method of the same type, and is stuck.");
            typed = true;
        }
    }
    if (!typed) {
        text_add(t, " Until then each did what the %s waits for.", n > 2 ? "one before it" : "other");
    }
}

static void knot_finding(const struct knot *k, const uint32_t *ring, uint32_t n)
{
    const struct causes *c = k->c;
    const struct standing *first = &k->v[ring[0]];
    uint32_t in = 0;
    int64_t since = 0;
    struct draft d;
    for (uint32_t i = 0; i < n; i++) {
        in |= 1u << ring[i];
        since = k->v[ring[i]].since > since ? k->v[ring[i]].since : since;
    }
    draft_start(&d, RULE_KNOT, c->tg->end - since);
    draft_about(&d, c->rs, first->place, first->stack);
    draft_at(&d, since, c->tg->end, LANE_G, first->g);
    d.f.inferred = true;
    text_dur(&d.amount, c->tg->end - since);
    for (uint32_t i = 0; i < n; i++) {
        text_raw(&d.text, i + 1 < n ? ", " : " and ", i == 0 ? 0 : i + 1 < n ? 2 : 5);
        text_func(&d.text, c->tr, k->v[ring[i]].place, 0);
    }
    text_lit(&d.text, " block each other forever (inferred): ");
    for (uint32_t i = 0; i < n; i++) {
        one_text(&d.text, k, &k->v[ring[i]], i == 0);
    }
    text_lit(&d.text, ".");
    known_text(&d.text, k, ring, n);
    behind_text(&d.text, k, in);
    text_add(&d.next, "%s", knot_advice(k, ring, n));
    draft_end(c->rs, &d);
}

void rules_knot(struct causes *c)
{
    struct knot *k = mem_zalloc(sizeof *k);
    uint32_t lanes = 0, best = 0, some[NODES], ring[NODES];
    if (!k) {
        c->rs->failed = true;
        return;
    }
    k->c = c;
    for (uint32_t i = 0; i < c->tg->ngroups && lanes < LANES && k->n < NODES; i++) {
        if (!c->tg->groups[i].is_system && c->of[i].n <= OF_A_GROUP) {
            lanes += c->of[i].n;
            look_at(k, i);
        }
    }
    edges(k);
    for (uint32_t i = 0; i < k->n; i++) { /* the one that began to stand first, and of its rings a shortest */
        const uint32_t n = ring_of(k, i, some);
        if (n && holds_fast(k, some, n) && (!best || k->v[i].since < k->v[ring[0]].since)) {
            best = n;
            for (uint32_t j = 0; j < n; j++) {
                ring[j] = some[j];
            }
        }
    }
    if (best) {
        knot_finding(k, ring, best);
    }
    mem_free(k);
}
