/* leak_why.c - see leak_why.h. */
#include "triage/findings/leak_why.h"
#include "triage/findings/thresholds.h"

#define RECEIVERS 64 /* goroutines of one start function */
#define KINDS 8      /* of receivers, of functions that signal */
#define ENDED 4096   /* goroutines looked at */
#define BACK 64      /* spans of each */

static uint32_t program_frame(const struct trace *tr, uint32_t stack)
{
    return trace_frame(tr, stack, stacks_user_frame(tr, stack)).func;
}

/* ---- nobody receives any more ---------------------------------------------------------------------------------------- */

static uint32_t group_of(const struct triage *tg, uint32_t name)
{
    for (uint32_t i = 0; i < tg->ngroups; i++) {
        if (tg->groups[i].name == name) {
            return i;
        }
    }
    return UINT32_MAX;
}

/* Are all goroutines of p's waiters over by then? *last: when the last of them ended, *g: its lane. */
static bool over_by(const struct triage *tg, const struct pair_row *p, int64_t since, int64_t *last, uint32_t *g)
{
    const uint32_t group = group_of(tg, p->waiter);
    uint32_t n = 0;
    for (uint32_t i = 0; group != UINT32_MAX && (i = gstats_next(tg->g, i, group)) != NO_LANE; i++) {
        struct lifetime life;
        trace_lives(tg->tr, LANE_G, i, 1, &life);
        if (!life.over || life.last > since || ++n > RECEIVERS) {
            return false;
        }
        if (*g == NO_LANE || life.last > *last) {
            *last = life.last;
            *g = i;
        }
    }
    return n > 0;
}

bool leak_gone(const struct triage *tg, uint32_t stack, int64_t since, struct leak_gone *out)
{
    const uint32_t sends = stack ? program_frame(tg->tr, stack) : 0;
    uint32_t seen[KINDS];
    *out = (struct leak_gone){.g = NO_LANE};
    for (uint32_t i = 0; sends && i < tg->npairs; i++) {
        const struct pair_row *p = &tg->pairs[i];
        bool known = p->from_scheduler || (p->kind != WK_RECV && p->kind != WK_SELECT) || !p->waker_stack ||
                     program_frame(tg->tr, p->waker_stack) != sends;
        for (uint32_t k = 0; k < out->kinds && !known; k++) {
            known = seen[k] == p->waiter;
        }
        if (known) {
            continue;
        }
        if (out->kinds == KINDS || !over_by(tg, p, since, &out->last, &out->g)) {
            return false;
        }
        seen[out->kinds++] = p->waiter;
        out->most = out->most ? out->most : p;
    }
    return out->most != NULL;
}

void leak_gone_text(struct text *t, struct text *next, const struct rules *rs, const struct leak_gone *k)
{
    text_say(t, rs->tr, " What received the values sent there, ", t_who(k->g));
    if (trace_g_name(rs->tr, k->g) == k->most->waiter) {
        text_say(t, rs->tr, " in ", t_place(k->most->stack, 1));
    }
    text_say(t, rs->tr, k->kinds > 1 ? " as the last" : "", ", ended at ", t_dur(k->last),
             ": nobody receives them any more (inferred).");
    text_lit(next, "Find out why it ended (an error, a recovered panic, a context). It must go on receiving, or tell "
                   "the senders to stop: select on a context at each send.");
}

/* ---- one is woken, the others are not ---------------------------------------------------------------------------------- */

/* Where the waker of g's last wait at that place stood; 0: it had none, or nobody woke it. */
static uint32_t last_woken(const struct trace *tr, uint32_t g, const struct leak_row *r)
{
    const struct lane_info li = trace_lane(tr, (struct lane){LANE_G, g});
    struct span_iter it;
    uint32_t by = 0;
    bool more = li.nspans && span_seek_index(&it, tr, (struct lane){LANE_G, g}, li.nspans - 1);
    for (int i = 0; more && i < BACK; i++, more = span_prev(&it)) {
        const struct span *s = span_get(&it);
        if (s->state == ST_WAITING) {
            return s->reason == r->reason && s->stack == r->stack ? by : 0;
        }
        by = s->state == ST_RUNNABLE ? s->stack : by;
    }
    return 0;
}

struct signals { /* of a function: whose last waits there it ended */
    uint32_t stack;
    uint64_t ended;
};

static void count_last(const struct rules *rs, const struct leak_row *r, uint32_t group, struct signals v[KINDS],
                       uint32_t *n)
{
    uint32_t looked = 0;
    for (uint32_t g = 0; looked < ENDED && (g = gstats_next(rs->tg->g, g, group)) != NO_LANE; g++) {
        const struct lane_info li = trace_lane(rs->tr, (struct lane){LANE_G, g});
        if (!li.ended || li.create_stack != r->create_stack) {
            continue;
        }
        looked++;
        const uint32_t by = last_woken(rs->tr, g, r);
        uint32_t k = 0;
        if (!by || !stacks_through(rs->tr, by, "sync.(*Cond).Signal")) {
            continue;
        }
        while (k < *n && program_frame(rs->tr, v[k].stack) != program_frame(rs->tr, by)) {
            k++;
        }
        if (k < KINDS) {
            v[k].stack = k < *n ? v[k].stack : by;
            v[k].ended++;
            *n = k < *n ? *n : k + 1;
        }
    }
}

/* How many waits there were ended from the function of that stack, all in all. */
static uint64_t ended_from(const struct rules *rs, const struct leak_row *r, uint32_t stack)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < rs->tg->npairs; i++) {
        const struct pair_row *p = &rs->tg->pairs[i];
        const bool it = p->waiter == r->name && p->stack == r->stack && p->waker_stack &&
                        program_frame(rs->tr, p->waker_stack) == program_frame(rs->tr, stack);
        n += it ? p->count : 0;
    }
    return n;
}

bool leak_one_signalled(struct text *t, const struct rules *rs, const struct leak_row *r)
{
    const uint32_t group = group_of(rs->tg, r->name);
    struct signals v[KINDS] = {0};
    uint32_t n = 0;
    if (group != UINT32_MAX && r->kind == WK_COND) {
        count_last(rs, r, group, v, &n);
    }
    for (uint32_t k = 0; k < n; k++) {
        const uint64_t all = ended_from(rs, r, v[k].stack);
        if ((double)v[k].ended < threshold(TH_LEAK_SIGNALS) ||
            (double)v[k].ended < threshold(TH_LEAK_SIGNALLED) * (double)all) {
            continue;
        }
        text_say(t, rs->tr, " Goroutines that ", t_place(v[k].stack, 2), " wakes there end, ", v[k].ended, " of ",
                 all, " times: it uses Signal, which wakes only one.");
        return true;
    }
    return false;
}
