/*
 * rules_backlog.c - one goroutine for which work queues where nobody can be seen to wait: it takes from a channel with room, found that
 * empty again and again, and from some moment on never more, while it goes on as before.
 */
#include "triage/findings/causes.h"
#include "triage/findings/asks.h"
#include "triage/findings/leaves.h"
#include "triage/findings/instances.h"
#include "triage/findings/thresholds.h"

#define GROUPS 64
#define STEPS 40000 /* spans: of more it is not said */
#define PLACES 32

struct backlog {     /* of one that takes from a channel, and from t on never finds it empty */
    uint64_t more;   /* waits for more work until then */
    uint32_t rounds; /* times since then that it did what it did before */
    int64_t t, end;
};
struct rounds { /* by the stack of a call, or of a wait for anything but more work */
    uint32_t stack[PLACES], n[PLACES];
};
struct take {
    uint64_t more; /* waits for more work */
    struct rounds before, since;
    int64_t t, end; /* when the last of them was over, when it was seen last */
    int64_t held;   /* since then it waited to hand on, or for locks: then another is what is short */
};

static void round_add(struct rounds *r, uint32_t stack)
{
    int k = 0;
    while (k < PLACES && r->n[k] && r->stack[k] != stack) {
        k++;
    }
    if (k < PLACES) {
        r->stack[k] = stack;
        r->n[k]++;
    }
}

static void rounds_join(struct rounds *to, struct rounds *from)
{
    for (int k = 0; k < PLACES && from->n[k]; k++) {
        int i = 0;
        while (i < PLACES && to->n[i] && to->stack[i] != from->stack[k]) {
            i++;
        }
        if (i < PLACES) {
            to->stack[i] = from->stack[k];
            to->n[i] += from->n[k];
        }
    }
    *from = (struct rounds){{0}, {0}};
}

/* What it did as often before as since, most often: so many times since. */
static uint32_t goes_on(const struct take *k)
{
    uint32_t most = 0;
    for (int i = 0; i < PLACES && k->since.n[i]; i++) {
        for (int b = 0; b < PLACES && k->before.n[b]; b++) {
            const bool same = k->before.stack[b] == k->since.stack[i] && k->before.n[b] >= threshold(TH_BACKLOG_MORE);
            most = same && k->since.n[i] > most ? k->since.n[i] : most;
        }
    }
    return most;
}

/* false: there is more of it than is looked at. */
static bool take_of(const struct causes *c, uint32_t g, struct take *k)
{
    const uint32_t name = c->tg->groups[gstat_group(c->tg->g, g)].name;
    struct span_iter it;
    bool more = span_seek_index(&it, c->tr, (struct lane){LANE_G, g}, 0), is = false, fed = false;
    uint32_t last = 0;
    *k = (struct take){.more = 0};
    for (int i = 0; more; i++, more = span_next(&it)) {
        const struct span *s = span_get(&it);
        const bool waits = s->state == ST_WAITING;
        if (i == STEPS) {
            return false;
        }
        k->end = s->t1;
        if ((!waits && s->state != ST_SYSCALL) || !s->stack) {
            continue;
        }
        if (waits && s->stack != last) {
            fed = instance_wants_more(c->tr, name, s->reason, s->stack);
            last = s->stack;
        }
        is = waits && fed;
        if (is && !s->open_end) {
            rounds_join(&k->before, &k->since);
            k->more++;
            k->t = s->t1;
            k->held = 0;
        } else if (is) {
            return false; /* it stands there at the end */
        } else {
            const enum wait_kind w = waits ? stacks_wait_kind(c->tr, s->reason, s->stack) : WK_KINDS;
            const bool held = w == WK_SEND || w == WK_LOCK || w == WK_COND || w == WK_SELECT;
            round_add(&k->since, s->stack);
            k->held = held ? ns_add(k->held, s->t1 - s->t0) : k->held;
        }
    }
    return true;
}

static bool backlog_of(const struct causes *c, uint32_t g, struct backlog *b)
{
    struct take k;
    const struct lane_info li = trace_lane(c->tr, (struct lane){LANE_G, g});
    if (!take_of(c, g, &k) || (double)k.more < threshold(TH_BACKLOG_MORE) ||
        !threshold_reached(TH_BACKLOG_REST, k.end - k.t, li.last - li.first) || k.held * 4 > k.end - k.t ||
        (double)goes_on(&k) < threshold(TH_BOTTLE_WAITS)) {
        return false;
    }
    *b = (struct backlog){.more = k.more, .t = k.t, .end = k.end, .rounds = goes_on(&k)};
    return true;
}

static void since_text(struct text *t, const struct causes *c, uint32_t g, const struct backlog *b)
{
    text_say(t, c->tr, " ", t_who(g), " waited for more work ", b->more, " times until ", t_dur(b->t),
             " and never since (for ", t_dur(b->end - b->t),
             "), though it kept working: its channel had more ready all that time (inferred).");
}

void backlog_since_text(struct text *t, const struct causes *c, uint32_t g)
{
    struct backlog b;
    if (backlog_of(c, g, &b)) {
        since_text(t, c, g, &b);
    }
}

static void backlog_finding(struct causes *c, uint32_t group, uint32_t g, const struct backlog *b)
{
    struct leaves v = {0};
    struct draft d;
    draft_start(&d, RULE_BOTTLENECK, (int64_t)((double)(b->end - b->t) * c->idle / (1 + c->idle)));
    d.f.note = d.f.inferred = true;
    d.f.won_hi = d.f.severity_ns;
    draft_subject(&d, c->rs, c->tg->groups[group].name);
    draft_at(&d, b->t, b->end, LANE_G, g);
    text_dur(&d.amount, b->end - b->t);
    text_say(&d.text, c->tr, t_func(c->tg->groups[group].name),
             ", a single goroutine, takes its work from a channel.");
    since_text(&d.text, c, g, b);
    text_add(&d.text, " %.1f of %.0f processors were idle.", c->idle, c->procs);
    c->rs->failed |= !causes_doing(c, group, &v);
    leaves_work(&d, c->tr, &v);
    const bool writes = v.n && explain_waits_outside(v.v[0].cat) && causes_writes(c->tr, v.v[0].stack);
    text_add(&d.next, "%s",
             writes ? CAUSES_WRITE_LESS
                    : "Let several goroutines receive from that channel, or process several items at once; a larger "
                      "buffer only hides that items arrive faster than they are processed, or all at once.");
    draft_titled(c->rs, &d, "work queues for one goroutine");
}

void rules_backlog(struct causes *c)
{
    for (uint32_t i = 0; i < c->tg->ngroups && i < GROUPS && c->idle >= causes_idle_least(c); i++) {
        struct backlog b;
        const uint32_t g = c->of[i].n == 1 ? causes_nth(c, i, 0) : NO_LANE;
        if (g != NO_LANE && c->life[i].program && threshold_reached(TH_BACKLOG_LIFE, c->life[i].life, c->tg->end) &&
            !causes_told_of(c, i) && backlog_of(c, g, &b)) {
            backlog_finding(c, i, g, &b);
        }
    }
}
