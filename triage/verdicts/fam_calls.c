/* fam_calls.c - system calls that keep a thread each, child processes, and timers by the thousand. */
#include "triage/findings/asks.h"
#include "triage/findings/thresholds.h"
#include "triage/verdicts/verdict.h"

enum { ROWS = 64, MEMBERS = 512 };

/* How many goroutines of the group of the longest call are in a call at the same place at that moment. */
static uint32_t crowd_of(const struct causes *c, const struct works *w, const struct syscall_row *r)
{
    const struct site at = verdict_place(w, r->stack);
    const int64_t t = r->longest.t0 + (r->longest.t1 - r->longest.t0) / 2;
    const uint32_t group = r->longest.g < c->tg->ng ? gstat_group(c->tg->g, r->longest.g) : UINT32_MAX;
    uint32_t n = 0;
    for (uint32_t i = 0; group != UINT32_MAX && i < c->of[group].n && i < MEMBERS; i++) {
        struct span s;
        n += trace_span_at(c->tr, (struct lane){LANE_G, causes_member(c, group, i, MEMBERS)}, t, &s) &&
             s.state == ST_SYSCALL && s.stack && verdict_place(w, s.stack).user == at.user;
    }
    return n;
}

/* Whether a longer call of the same function is for the same children: who starts one waits for it, too. */
static bool told_before(const struct causes *c, const struct works *w, uint32_t row)
{
    const uint32_t user = verdict_place(w, c->tg->syscalls[row].stack).user;
    bool told = false;
    for (uint32_t i = 0; i < row && !told; i++) {
        const uint32_t stack = c->tg->syscalls[i].stack;
        told = calls_child(c->tr, stack) && verdict_place(w, stack).user == user;
    }
    return told;
}

static bool calls(struct causes *c, const struct works *w, struct verdicts *out)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < c->tg->nsyscalls && i < ROWS; i++) {
        const struct syscall_row *r = &c->tg->syscalls[i];
        const bool child = calls_child(c->tr, r->stack);
        if (r->blocking < 4 || r->count == 0 || (child && told_before(c, w, i)))
            continue;
        struct verdict v = verdict_new(child ? RULE_CHILDREN : RULE_BLOCKING, 0);
        v.where = verdict_place(w, r->stack);
        v.g = r->longest.g;
        v.t0 = r->longest.t0;
        v.t1 = r->longest.t1;
        verdict_ev(&v, EV_COUNT, (double)r->count);
        verdict_ev(&v, EV_EACH, (double)r->total / (double)r->count);
        if (child) {
            verdict_in_works(w, &v, v.where.user, 0);
            v.score = v.harm.share;
            const bool tiny = v.ev[EV_EACH] <= (double)threshold_ns(TH_CHILD_EACH);
            v.level = v.harm.share >= threshold(TH_SHARE) && r->count >= 8 && tiny ? LEVEL_WARN : LEVEL_NOTE;
            ok = v.harm.share < threshold(TH_SHARE) || verdict_add(out, &v);
            continue;
        }
        const uint32_t crowd = crowd_of(c, w, r);
        verdict_ev(&v, EV_CROWD, crowd);
        ok = crowd < threshold(TH_MANY) || verdict_add(out, &v);
    }
    return ok;
}

static bool storm(struct causes *c, const struct works *w, struct verdicts *out)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < works_pairs(c); i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        const double rate = c->tg->end > 0 ? (double)p->count * 1e9 / (double)c->tg->end : 0;
        const bool timer = p->kind == WK_SLEEP || (p->from_scheduler && wait_on_channel(p->kind));
        if (!timer || rate < threshold(TH_STORM_RATE))
            continue;
        struct verdict v = verdict_new(RULE_STORM, 0);
        v.where = verdict_place(w, p->stack);
        v.g = p->longest.g;
        v.t0 = p->longest.t0;
        v.t1 = p->longest.t1;
        verdict_ev(&v, EV_RATE, rate);
        verdict_ev(&v, EV_COUNT, (double)p->count);
        v.level = LEVEL_WARN;
        ok = verdict_add(out, &v);
    }
    return ok;
}

/* Connections opened at one place: by system calls that connect, or, where they are not recorded, by waits
 * for that. */
struct conns {
    uint32_t user, stack, g;
    uint64_t calls, waits;
    int64_t ns, t0, t1;
};

static void conns_add(struct conns *v, uint32_t *n, const struct works *w, uint32_t stack,
                      const struct moment *m, uint64_t calls, uint64_t waits, int64_t ns)
{
    const uint32_t user = verdict_place_of(w, stack, m->g).user;
    uint32_t k = 0;
    while (k < *n && v[k].user != user)
        k++;
    if (k == ROWS || !user)
        return;
    if (k == *n)
        v[(*n)++] = (struct conns){.user = user, .stack = stack, .g = m->g, .t0 = m->t0, .t1 = m->t1};
    v[k].calls += calls;
    v[k].waits += waits;
    v[k].ns = ns_add(v[k].ns, ns);
}

/* How many pieces there are of the work that has most: who opens far fewer connections keeps them. */
static double most_pieces(const struct works *w)
{
    double most = 0;
    for (uint32_t i = 0; i < w->n; i++) {
        const struct work *k = &w->v[i];
        most = !k->background && !k->inner && !k->standing && (double)k->n > most ? (double)k->n : most;
    }
    return most;
}

/* Whether tasks or requests open them of which the usual ones find one open, and that takes a good part of
 * the time of all: too few are kept. */
static bool too_few_kept(const struct works *w, uint32_t user, double count)
{
    bool is = false;
    for (uint32_t i = 0; i < w->n && !is; i++) {
        const struct work *k = &w->v[i];
        struct harm h = {0};
        if (!work_awaited(k) || !work_counts(k) || count * 10 < (double)k->n)
            continue;
        verdict_share_at(&k->tree, user, 0, &h);
        is = h.all >= threshold(TH_SET_SHARE) && h.usual * 3 < h.all;
    }
    return is;
}

static bool conns(struct causes *c, const struct works *w, struct verdicts *out)
{
    struct conns v[ROWS];
    uint32_t n = 0;
    bool ok = true;
    for (uint32_t i = 0; i < c->tg->nsyscalls; i++) {
        const struct syscall_row *r = &c->tg->syscalls[i];
        const bool connects =
            stacks_has(c->tr, r->stack, "syscall.connect") || stacks_has(c->tr, r->stack, "syscall.Connect");
        if (connects && !stacks_has(c->tr, r->stack, "net.(*sysDialer).dialUDP")) /* which connects nothing */
            conns_add(v, &n, w, r->stack, &r->longest, r->count, 0, r->total);
    }
    for (uint32_t i = 0; i < c->tg->nwaits; i++) {
        const struct wait_row *r = &c->tg->waits[i];
        if (r->kind == WK_NET && calls_connecting(c->tr, r->stack))
            conns_add(v, &n, w, r->stack, &r->longest, 0, r->count, r->total);
    }
    for (uint32_t i = 0; ok && i < n; i++) {
        const uint64_t count = v[i].calls > v[i].waits ? v[i].calls : v[i].waits;
        const struct site at = verdict_place_of(w, v[i].stack, v[i].g);
        const bool few = (double)count >= threshold(TH_MANY) && too_few_kept(w, at.user, (double)count);
        if ((double)count < threshold(TH_MANY) || (!few && (double)count * 2 < most_pieces(w)))
            continue;
        struct verdict d = verdict_new(RULE_CONNS, 0);
        d.where = at;
        d.level = few ? LEVEL_WARN : LEVEL_NOTE;
        d.g = v[i].g;
        d.t0 = v[i].t0;
        d.t1 = v[i].t1;
        verdict_in_works(w, &d, d.where.user, 1u << EX_NET | 1u << EX_SYSCALL);
        d.score = d.harm.share;
        verdict_ev(&d, EV_COUNT, (double)count);
        verdict_ev(&d, EV_RATE, (double)count * 1e9 / (double)c->tg->end);
        verdict_ev(&d, EV_EACH, (double)v[i].ns / (double)count);
        ok = verdict_add(out, &d);
    }
    return ok;
}

bool fam_calls(struct causes *c, const struct works *w, struct verdicts *out)
{
    return calls(c, w, out) && conns(c, w, out) && storm(c, w, out);
}
