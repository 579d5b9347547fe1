/*
 * rules_turns.c - goroutines that are asked one after the other: one tells another what to do, waits until that is
 * done, and tells the next only then, which has been at rest meanwhile. A service that is shut down worker by worker;
 * a question to all shards, put to one at a time.
 *
 * The calls over the network of one goroutine in a row are told by rules_calls.c. Here each is another goroutine's,
 * and whether it is a call or work does not matter: had all been asked at once, all would have been done when the
 * slowest is.
 */
#include "triage/findings/causes.h"
#include "triage/findings/leaves.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/waits_at.h"
#include "triage/findings/walk.h"

#include "decode/base/mem.h"

#define WALKED 32   /* goroutines of a group */
#define STEPS 20000 /* spans of each */
#define BACK 64     /* spans of who is asked, looked at before it answers */
#define IN_ROW 256  /* of a longer row the first */
#define PLACES 8

struct turn_row { /* waits of one goroutine that follow each other, each ended by another one */
    uint32_t who[IN_ROW];
    uint32_t n;
    int64_t t0, t1, sum, longest;
    int64_t last; /* how long the last of them was */
};
struct turns {
    const struct pair_row *p;
    bool partner; /* rows of questions to one and the same goroutine are looked for */
    uint64_t waits, rows;
    int64_t all, lost; /* lost: all but the longest of each row */
    struct {
        uint32_t g, n;
        int64_t t0, t1;
    } best; /* the longest row */
};

static bool in_row(const struct turn_row *r, uint32_t who)
{
    for (uint32_t i = 0; i < r->n; i++) {
        if (r->who[i] == who) {
            return true;
        }
    }
    return false;
}

static void row_ends(struct turns *t, uint32_t g, struct turn_row *r)
{
    if ((double)r->n >= threshold(t->partner ? TH_TURNS_PARTNER : TH_TURNS_ROW)) {
        t->rows++;
        t->waits += r->n;
        t->all = ns_add(t->all, r->sum);
        t->lost = ns_add(t->lost, r->sum - r->longest);
        if (r->sum > t->best.t1 - t->best.t0) {
            t->best.g = g;
            t->best.n = r->n;
            t->best.t0 = r->t0;
            t->best.t1 = r->t1;
        }
    }
    r->n = 0;
}

/*
 * Who ended that wait of g: since when had it been at rest when g woke it for that, about where the wait begins?
 * NO_TIME: g did not.
 */
static int64_t at_rest_since(const struct causes *c, uint32_t who, uint32_t g, const struct span *wait)
{
    const int64_t late = (wait->t1 - wait->t0) / 4;
    struct span_iter it;
    struct span next = {.state = ST_NONE};
    bool more = span_seek(&it, c->tr, (struct lane){LANE_G, who}, wait->t1);
    for (int i = 0; more && i < BACK; i++, more = span_prev(&it)) {
        const struct span *s = span_get(&it);
        if (s->state == ST_WAITING && next.state == ST_RUNNABLE && next.who == g && s->t1 < wait->t1) {
            return s->t1 >= wait->t0 - late ? s->t0 : NO_TIME;
        }
        if (s->t1 < wait->t0 - late) {
            return NO_TIME;
        }
        next = *s;
    }
    return NO_TIME;
}

static void wait_ended(const struct causes *c, uint32_t g, uint32_t who, const struct span *wait, struct turns *t,
                       struct turn_row *r)
{
    const int64_t ns = wait->t1 - wait->t0;
    if (t->partner && ns < threshold_ns(TH_TURNS_EACH) / 4) {
        return; /* until its question is taken */
    }
    const int64_t rest = at_rest_since(c, who, g, wait);
    /* it follows at once, and could have been asked while the one before was waited for */
    const bool follows = r->n && r->n < IN_ROW && rest != NO_TIME && wait->t0 - r->t1 <= r->last;
    const bool goes_on = follows && (t->partner ? r->who[0] == who : !in_row(r, who) && rest <= r->t1 - r->last / 2);
    if (!goes_on) {
        row_ends(t, g, r);
    }
    if (rest == NO_TIME) {
        return;
    }
    if (r->n == 0) {
        *r = (struct turn_row){.t0 = wait->t0};
    }
    r->who[r->n++] = who;
    r->sum = ns_add(r->sum, ns);
    r->longest = ns > r->longest ? ns : r->longest;
    r->last = ns;
    r->t1 = wait->t1;
}

static void walk(const struct causes *c, uint32_t g, uint32_t asked, struct turns *t, struct turn_row *r)
{
    struct walk w;
    struct span wait = {.state = ST_NONE};
    const uint32_t place = causes_place(c->tr, t->p->stack);
    r->n = 0;
    walk_g(&w, c->tr, g, STEPS);
    for (const struct span *s; (s = walk_next(&w));) {
        if (s->state == ST_NONE) {
            row_ends(t, g, r);
        }
        if (wait.state == ST_WAITING && s->state == ST_RUNNABLE && s->who < c->tg->ng &&
            gstat_group(c->tg->g, s->who) == asked) {
            wait_ended(c, g, s->who, &wait, t, r);
        }
        const bool may = s->state == ST_WAITING && s->stack && causes_place(c->tr, s->stack) == place;
        wait = may ? *s : (struct span){.state = ST_NONE};
    }
    row_ends(t, g, r);
}

/* What those that are asked do meanwhile: of the longest row. */
static bool meanwhile(struct causes *c, const struct turns *t, struct leaves *v)
{
    c->rs->failed |= !leaves_between(c, t->best.g, t->best.t0, t->best.t1, v);
    return v->n && v->all > 0;
}

static void finding(struct causes *c, const struct turns *t, double share)
{
    const uint32_t place = causes_place(c->tr, t->p->stack);
    struct leaves v;
    struct draft d;
    if (!meanwhile(c, t, &v)) {
        return;
    }
    const bool needs_none = explain_waits_outside(v.v[0].cat) || v.v[0].cat == EX_SYSCALL || v.v[0].cat == EX_TIMER;
    const double spread = needs_none ? 1 : c->idle / (1 + c->idle);
    draft_start(&d, RULE_SERIAL_CALLS, (int64_t)(share * spread * (double)c->tg->end));
    d.f.won_hi = (int64_t)(share * (double)c->tg->end);
    draft_about(&d, c->rs, place, t->p->stack);
    draft_at(&d, t->best.t0, t->best.t1, LANE_G, t->best.g);
    d.f.inferred = true;
    text_add(&d.amount, "%u in turn", (unsigned)t->best.n);
    text_say(
        &d.text, c->tr, t_place(t->p->stack, 3), " asks goroutines of ", t_func(t->p->waker),
        " one after the other: it waits until each is done before it asks the next one, which is idle meanwhile. "
        "Up to ",
        t->best.n, " in a row, ", t->waits, " waits of ", t_dur(t->all / (int64_t)t->waits), " on average; ",
        t_f1(c->idle), " of ", t_f0(c->procs), " processors were idle. Meanwhile the one that was asked was ");
    leaves_text(&d.text, c->tr, &v, 2, 10);
    text_lit(&d.text, ".");
    text_lit(&d.next, "Ask all of them first, then wait for all: that takes as long as the slowest of them, unless "
                      "one needs another one's result.");
    draft_titled(c->rs, &d, "asked one after the other");
}

/*
 * All to the same goroutine, which has nothing else to do: as a row of calls over the network would be told, were its
 * partner not in the same process. Whether one question could ask for all only its author knows.
 */
static void partner_finding(struct causes *c, const struct turns *t, double share)
{
    struct leaves v;
    struct draft d;
    if (!meanwhile(c, t, &v)) {
        return;
    }
    draft_start(&d, RULE_SERIAL_CALLS, 0);
    d.f.won_hi = (int64_t)(share * (double)c->tg->end);
    draft_about(&d, c->rs, causes_place(c->tr, t->p->stack), t->p->stack);
    draft_at(&d, t->best.t0, t->best.t1, LANE_G, t->best.g);
    d.f.inferred = d.f.note = true;
    text_add(&d.amount, "%s%u in a row", t->best.n == IN_ROW ? "over " : "", (unsigned)t->best.n);
    text_say(&d.text, c->tr, t_place(t->p->stack, 4), " asks the same goroutine of ", t_func(t->p->waker),
             " again and again, each time after its answer to the previous question: ",
             t->best.n == IN_ROW ? "over " : "up to ", t->best.n, " times in a row, ", t->waits, " waits of ",
             t_dur(t->all / (int64_t)t->waits), " on average, ", t_share(share, 1), " of the lives of goroutines of ",
             t_func(t->p->waiter), ". Meanwhile the one that was asked was ");
    leaves_text(&d.text, c->tr, &v, 2, 10);
    text_lit(&d.text, ".");
    text_lit(&d.next, "Unless each question needs the previous answer: ask for all with one question, or let several "
                      "goroutines answer.");
    draft_titled(c->rs, &d, "one question after the other");
}

/* Does one of a group wait for those of the other as a server does, in the loop that it began with? */
static bool serves(const struct causes *c, uint32_t group, uint32_t asks)
{
    const uint32_t name = c->tg->groups[group].name;
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        if (!p->from_scheduler && p->waiter == name && p->waker == c->tg->groups[asks].name &&
            causes_place(c->tr, p->stack) == name) {
            return true;
        }
    }
    return false;
}

/* Waits for the answers of another kind of goroutines; several of them, or one at a time. */
static bool may_be(const struct causes *c, const struct pair_row *p, bool partner)
{
    const uint32_t asked = p->from_scheduler ? UINT32_MAX : causes_group(c, p->waker),
                   asks = asked == UINT32_MAX ? UINT32_MAX : causes_group(c, p->waiter);
    return asks != UINT32_MAX && asks != asked && (p->kind == WK_RECV || p->kind == WK_SELECT) &&
           c->life[asked].program && c->life[asks].program &&
           (partner ? p->total / (int64_t)p->count >= threshold_ns(TH_TURNS_EACH) &&
                          causes_place(c->tr, p->stack) != p->waiter && serves(c, asked, asks)
                    : (double)c->of[asked].n >= threshold(TH_TURNS_ROW)) &&
           (double)p->count >= threshold(TH_TURNS_ROW) && c->life[asks].life > 0 &&
           threshold_reached(TH_CALLS_SHARE, p->total, c->life[asks].life);
}

static void turns_of(struct causes *c, struct turn_row *r, bool partner)
{
    for (uint32_t i = 0, looked = 0; i < c->tg->npairs && i < PAIRS_ASKED && looked < PLACES; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        if (c->idle < causes_idle_least(c) || !may_be(c, p, partner) ||
            causes_told_at(c, RULE_SERIAL_CALLS, causes_place(c->tr, p->stack))) {
            continue;
        }
        const uint32_t asks = causes_group(c, p->waiter), asked = causes_group(c, p->waker);
        struct turns t = {.p = p, .partner = partner};
        int64_t life = 0;
        looked++;
        for (uint32_t k = 0; k < c->of[asks].n && k < WALKED; k++) {
            const uint32_t g = causes_member(c, asks, k, WALKED);
            walk(c, g, asked, &t, r);
            life = ns_add(life, gstat_ns(c->tg->g, g, GM_LIFE));
        }
        if (t.rows && (double)t.waits >= threshold(TH_CALLS_WAITS) &&
            threshold_reached(TH_CALLS_SHARE, t.lost, life)) {
            (partner ? partner_finding : finding)(c, &t, (double)t.lost / (double)life);
        }
    }
}

void rules_turns(struct causes *c)
{
    struct turn_row *r = mem_alloc(sizeof *r);
    c->rs->failed |= !r;
    if (r) {
        turns_of(c, r, false);
        turns_of(c, r, true);
    }
    mem_free(r);
}
