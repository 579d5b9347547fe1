/*
 * numbers.c - see numbers.h.
 */
#include "triage/numbers.h"

#include "decode/base/order.h"
#include "triage/text.h"

/* Returns what was searched when nothing was found. Of a damaged trace that is only the part that is left. */
static const char *in_what(const struct triage *tg)
{
    return trace_info(tg->tr)->ndamages ? "the part of this trace that is left" : "this trace";
}

/* Returns a time; a 0 that the dialect cannot know is "not recorded". */
static struct say_part time_or_unknown(int64_t ns, bool known)
{
    return ns || known ? t_dur(ns) : say_words("not recorded");
}

/* Appends " (dedicated 12.3ms, idle 1.2ms)": the modes that have 1 % of it or more. */
static void worker_modes(struct text *t, const struct triage *tg)
{
    bool any = false;
    for (int i = 0; i < GC_MODES; i++) {
        if (tg->label_ns[i] > tg->p_sum.ns[ST_GCWORK] / 100) {
            text_say(t, tg->tr, any ? ", " : " (", gc_mode_name((enum gc_mode)i), " ",
                     t_dur(tg->label_ns[i]));
            any = true;
        }
    }
    text_raw(t, ")", any);
}

static void say_gc(struct text *t, const struct triage *tg)
{
    const int64_t work = triage_gc_work(tg);
    if (!tg->gc_cycles && !work) {
        text_say(t, NULL, "no cycle in ", in_what(tg));
        return;
    }
    text_say(t, NULL, tg->gc_cycles, tg->gc_cycles == 1 ? " cycle" : " cycles");
    if (triage_knows_workers(tg->tr))
        text_say(t, NULL, ", ", t_share(work, tg->capacity), " of P time");
    text_say(t, NULL, ", marking ", t_share(tg->gc_mark_ns, tg->end), " of the time; workers ",
             time_or_unknown(tg->p_sum.ns[ST_GCWORK], triage_knows_workers(tg->tr)));
    worker_modes(t, tg);
    text_say(t, NULL, ", assists ", time_or_unknown(tg->p_sum.ns[ST_ASSIST], triage_knows_assists(tg->tr)),
             ", sweep ", t_dur(tg->p_sum.ns[ST_SWEEP]));
}

static void say_stops(struct text *t, const struct triage *tg)
{
    const struct stw_row *r = tg->stw; /* the one with the longest */
    struct span held = {.who = NO_LANE};
    int64_t after;
    if (!tg->stw_all.n) {
        text_say(t, NULL, "none in ", in_what(tg));
        return;
    }
    text_say(t, NULL, tg->stw_all.n, tg->stw_all.n == 1 ? " stop, " : " stops, ", t_dur(tg->stw_all.total),
             " in all");
    if (!tg->nstw)
        return;
    text_say(t, tg->tr, "; longest ", t_dur(r->longest.t1 - r->longest.t0), " at ", t_dur(r->longest.t0));
    if (r->kind)
        text_say(t, tg->tr, " (", t_str(r->kind), ")");
    if (r->longest.g != NO_LANE)
        text_say(t, tg->tr, " by ", t_who(r->longest.g));
    const uint32_t last = triage_last_to_stop(tg->tr, &r->longest, &held, &after);
    if (last != NO_LANE)
        text_say(t, NULL, ", last to stop: P", trace_lane_who(tg->tr, lane_p(last)).id);
    if (last != NO_LANE && held.who != NO_LANE)
        text_say(t, tg->tr, " with ", t_func(trace_g_name(tg->tr, held.who)));
}

void stop_text(struct text *t, const struct trace *tr, const struct range *r)
{
    const struct moment m = stop_moment(r);
    struct span held = {.who = NO_LANE}, was;
    int64_t after = 0;
    const uint32_t last = triage_last_to_stop(tr, &m, &held, &after);
    if (last == NO_LANE) {
        text_lit(t, "no processor had to be waited for");
        return;
    }
    text_say(t, NULL, "last to stop: P", trace_lane_who(tr, lane_p(last)).id, " after ", t_dur(after));
    if (held.who == NO_LANE)
        return;
    text_say(t, tr, ", it ran ", t_who(held.who));
    if (trace_span_at(tr, lane_g(held.who), held.t1 - 1, &was) && was.stack_end)
        text_say(t, tr, ", which stopped in ", t_where(was.stack_end, 60));
}

static void say_mmu(struct text *t, const struct triage *tg)
{
    bool any = false;
    for (uint32_t i = 0; i < tg->nmmu; i++) {
        const int64_t w = tg->mmu[i].window;
        const bool decade = w == 100000 || w == 1000000 || w == 10000000 || w == 100000000 || w == 1000000000;
        if (decade || i + 1 == tg->nmmu) {
            if (any)
                text_say(t, tg->tr, ", in ", t_dur(w), " ", t_share(tg->mmu[i].mmu, 1));
            else
                text_say(t, tg->tr, "in its worst ", t_dur(w), " the program got ",
                         t_share(tg->mmu[i].mmu, 1), " of the processors");
            any = true;
        }
    }
    if (any)
        text_say(t, NULL, triage_knows_assists(tg->tr) ? "" : ", without assists (not recorded)",
                 tg->lost ? ", as far as it is recorded" : "");
}

struct part {
    const char *name;
    int64_t ns;
};

ORDER(by_time, struct part, MOST(r->ns))

/* Appends the parts of a whole, the largest first: a narrow screen cuts the least important. */
static void say_procs(struct text *t, const struct triage *tg)
{
    struct part p[ST_COUNT] = {{"idle", tg->p_sum.ns[ST_IDLE]}, {"not recorded", tg->unused}};
    int n = 2;
    for (int i = ST_SYSCALL; i >= ST_SCHED; i--, n++) {
        p[n].name = state_name((enum state)i);
        p[n].ns = tg->p_sum.ns[i];
    }
    sort(p, (size_t)n, by_time);
    for (int i = 0; i < n && p[i].ns > 0; i++)
        text_say(t, NULL, i ? ", " : "", t_share(p[i].ns, tg->capacity), " ", p[i].name);
}

static void say_sched(struct text *t, const struct triage *tg)
{
    const struct sched_wait *w = &tg->longest_runnable.v[0];
    struct dist d;
    hist_dist(&tg->sched, &d);
    text_say(t, NULL, d.n, d.n == 1 ? " wait for a processor, " : " waits for a processor, ", t_dur(d.total),
             " in all: p50 ", t_dur(d.p50), ", p90 ", t_dur(d.p90), ", p99 ", t_dur(d.p99), ", longest ",
             t_dur(d.max));
    if (tg->longest_runnable.n && w->t1 > w->t0) {
        const struct meanwhile m = triage_meanwhile(tg, w);
        text_say(t, tg->tr, " at ", t_dur(w->t0), " of ", t_who(w->g), " (Ps then ",
                 t_share(m.idle_ns, m.all_ns), " idle");
        if (m.nran && m.ran[0])
            text_say(t, tg->tr, ", ", t_share(m.ran_ns[0], m.all_ns), " in ", t_func(m.ran[0]));
        text_lit(t, ")");
    }
}

static void say_heap(struct text *t, const struct triage *tg)
{
    const struct heap_stat *h = &tg->heap;
    if (!h->known) {
        text_lit(t, "not recorded");
        return;
    }
    text_say(t, NULL, t_bytes(h->last), " at the end, most ", t_bytes(h->max), " at ", t_dur(h->max_at));
    if (h->over > 0)
        text_say(t, NULL, ", up to ", t_share(h->over, 1), " above its goal");
    if (h->low_last)
        text_say(t, NULL, "; ", t_bytes(h->low_first), " to ", t_bytes(h->low_last), " when cycles end");
}

const struct number numbers[NUMBERS] = {{"GC", say_gc},        {"STW", say_stops},   {"MMU", say_mmu},
                                        {"P time", say_procs}, {"sched", say_sched}, {"heap", say_heap}};
