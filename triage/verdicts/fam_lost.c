/*
 * fam_lost.c - answers that get lost: at a place where who waits is answered soon, some wait until a time
 * limit is up, while others that began to wait later are answered. So the other side is there, and is quick;
 * what was for these never came, or came when nobody looked. The next one they ask for comes.
 *
 * Who only waits for more, until then or then, is told from that: it waits so several times in a row, or its
 * usual waits come near the limit.
 */
#include "triage/findings/requests.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"
#include "triage/verdicts/verdict.h"

enum { ROWS = 512, MEMBERS = 64, STEPS = 8192, LOOKED = 32, LATER = 256 };

/* Of one kind of goroutine at one place: waits that an answer ended, and those that a limit did. */
struct waits {
    uint32_t waiter, stack;
    uint64_t answered, vain;
    int64_t answered_ns, answered_most, vain_ns, vain_most;
    const struct pair_row *answer; /* by whom, most of them */
};

static bool is_vain(const struct trace *tr, const struct pair_row *p)
{
    return p->from_scheduler || (p->longest_waker != NO_LANE && verdict_by_timer(tr, p->longest_waker));
}

static void waits_of(const struct causes *c, const struct pair_row *first, struct waits *k)
{
    *k = (struct waits){.waiter = first->waiter, .stack = first->stack};
    for (uint32_t i = 0; i < works_pairs(c); i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        if (p->waiter != k->waiter || p->stack != k->stack)
            continue;
        const int64_t most = p->longest.t1 - p->longest.t0;
        if (is_vain(c->tr, p)) {
            k->vain += p->count;
            k->vain_ns = ns_add(k->vain_ns, p->total);
            k->vain_most = most > k->vain_most ? most : k->vain_most;
        } else {
            k->answered += p->count;
            k->answered_ns = ns_add(k->answered_ns, p->total);
            k->answered_most = most > k->answered_most ? most : k->answered_most;
            k->answer = !k->answer || p->count > k->answer->count ? p : k->answer;
        }
    }
}

/* Are they answered soon and most of the times, and is a limit, always the same, much longer than that? */
static bool stand_out(const struct waits *k)
{
    const double each = k->vain ? (double)k->vain_ns / (double)k->vain : 0;
    const double usual = k->answered ? (double)k->answered_ns / (double)k->answered : 0;
    return (double)k->vain >= threshold(TH_SEVERAL) &&
           (double)k->vain <= threshold(TH_ROOM) * (double)(k->vain + k->answered) &&
           each >= (double)threshold_ns(TH_FELT) && each >= threshold(TH_LEAK_AGAIN) * usual &&
           each >= threshold(TH_DOUBLE) * (double)k->answered_most &&
           (double)k->vain_most < threshold(TH_DOUBLE) * each &&
           (double)k->vain_ns >= threshold(TH_SHARE) * (double)(k->vain_ns + k->answered_ns);
}

/* Do those who answer read it from the network? Then it is the remote end that does not answer, and nothing
 * got lost here. */
static bool remote_answers(const struct causes *c, const struct waits *k)
{
    for (uint32_t i = 0; i < works_pairs(c); i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        const uint32_t by = causes_group(c, p->waker);
        if (p->waiter == k->waiter && p->stack == k->stack && !is_vain(c->tr, p) && by != UINT32_MAX &&
            c->of[by].hands_on)
            return true;
    }
    return false;
}

/* Does a goroutine that the waiter began for it answer? Then that one is late; no answer is lost. */
static bool own_answers(const struct trace *tr, const struct waits *k)
{
    const uint32_t by = trace_lane_who(tr, (struct lane){LANE_G, k->answer->longest_waker}).creator;
    return by != NO_LANE && trace_g_name(tr, by) == k->waiter;
}

struct seen {
    uint32_t vain, again, overtaken, looked;
    struct moment example;
};

/* Of others of the group: how many waits there began and were answered in [t0,t1)? */
static uint32_t answered_in(const struct causes *c, uint32_t group, const struct waits *k, uint32_t self,
                            int64_t t0, int64_t t1)
{
    const uint32_t n = c->of[group].n < MEMBERS ? c->of[group].n : MEMBERS;
    uint32_t answered = 0;
    for (uint32_t i = 0; i < n && answered < threshold(TH_SEVERAL); i++) {
        const uint32_t g = causes_member(c, group, i, MEMBERS);
        struct span wait = {.state = ST_NONE};
        struct walk w;
        walk_at(&w, c->tr, g, t0, LATER);
        for (const struct span *s; g != self && (s = walk_next(&w)) && s->t1 < t1;) {
            answered += wait.state == ST_WAITING && wait.stack == k->stack && wait.t0 > t0 &&
                        s->state == ST_RUNNABLE && !verdict_by_timer(c->tr, s->who);
            wait = *s;
        }
    }
    return answered;
}

/* Its waits at that place that a limit ended; `again`: so did the one before. */
static void see(const struct causes *c, uint32_t group, const struct waits *k, uint32_t g, struct seen *out)
{
    bool last = false;
    struct walk w;
    struct span s;
    const struct span *next = walk_first(&w, c->tr, g, STEPS);
    while (walk_pair(&w, &s, &next)) {
        if (s.state != ST_WAITING || s.stack != k->stack || !next || next->state != ST_RUNNABLE)
            continue;
        const bool vain = verdict_by_timer(c->tr, next->who);
        out->vain += vain;
        out->again += vain && last;
        last = vain;
        if (vain && out->looked < LOOKED) {
            out->looked++;
            out->overtaken += answered_in(c, group, k, g, s.t0, s.t1) >= threshold(TH_SEVERAL);
            out->example = (struct moment){s.t0, s.t1, g, NO_LANE};
        }
    }
}

static bool look(struct causes *c, const struct works *w, const struct pair_row *first, struct verdicts *out)
{
    struct waits k;
    struct seen s = {0};
    const uint32_t group = causes_group(c, first->waiter);
    waits_of(c, first, &k);
    if (group == UINT32_MAX || c->tg->groups[group].is_system || !stand_out(&k) || own_answers(c->tr, &k) ||
        waits_for_more(c->tr, k.waiter, first->reason, first->stack))
        return true;
    const uint32_t n = c->of[group].n < MEMBERS ? c->of[group].n : MEMBERS;
    for (uint32_t i = 0; i < n; i++)
        see(c, group, &k, causes_member(c, group, i, MEMBERS), &s);
    if (s.vain < threshold(TH_SEVERAL) || s.again * 2 > s.vain || s.overtaken * 2 < s.looked)
        return true;
    struct verdict v = verdict_new(remote_answers(c, &k) ? RULE_DEAD : RULE_LOST,
                                   (double)k.vain_ns / (double)(k.vain_ns + k.answered_ns));
    v.where = verdict_place(w, k.stack);
    v.waiter.group = k.waiter;
    v.holder = (struct role){.group = k.answer->waker,
                             .g = k.answer->longest_waker,
                             .at = verdict_place(w, k.answer->waker_stack)};
    verdict_shows(&v, s.example.g, s.example.t0, s.example.t1);
    v.sure = SURE_INFERRED;
    v.level = LEVEL_WARN;
    verdict_ev(&v, EV_COUNT, (double)k.vain);
    verdict_ev(&v, EV_LONGEST, (double)k.vain_most);
    verdict_ev(&v, EV_EACH, (double)k.vain_ns / (double)k.vain);
    verdict_ev(&v, EV_ENDED, (double)k.answered);
    verdict_ev(&v, EV_FIRST, (double)k.answered_ns / (double)k.answered);
    return verdict_add(out, &v);
}

bool fam_lost(struct causes *c, const struct works *w, struct verdicts *out)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < works_pairs(c) && i < ROWS; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        const bool may = p->stack && (p->kind == WK_SELECT || p->kind == WK_RECV || p->kind == WK_COND) &&
                         p->count >= threshold(TH_SEVERAL) && is_vain(c->tr, p);
        ok = !may || look(c, w, p, out);
    }
    return ok;
}
