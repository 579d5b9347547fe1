/*
 * table_runnable.c - waits for a processor, of the program's goroutines and of the runtime's own: how long,
 * when, and what the processors did during the longest.
 */
#include "layout/views/table_spans.h"

static void runnable_type_name(struct text *out, const struct table *t, const struct ttype *k)
{
    (void)t;
    text_add(out, "%s", k->a ? "the runtime's own goroutines" : "the program's goroutines");
}

/* Writes one of several parts of a whole; nothing if it is 0. */
static int64_t runnable_part(struct text *t, const char *name, int64_t ns, int64_t all)
{
    if (ns <= 0)
        return 0;
    text_say(t, NULL, t->n && t->p[t->n - 1] != ' ' ? ", " : "", name, " ", t_share(ns, all));
    return ns;
}

static void runnable_meanwhile(struct text *t, const struct trace *tr, const struct meanwhile *w)
{
    int64_t rest = w->all_ns;
    text_lit(t, "; processors meanwhile: ");
    for (uint32_t i = 0; i < w->nran; i++) {
        text_say(t, tr, i ? ", " : "", t_func_cut(w->ran[i], 40), " ", t_share(w->ran_ns[i], w->all_ns));
        rest -= w->ran_ns[i];
    }
    rest -= runnable_part(t, "idle", w->idle_ns, w->all_ns);
    rest -= runnable_part(t, "system calls", w->syscall_ns, w->all_ns);
    rest -= runnable_part(t, "stop-the-world", w->stopped_ns, w->all_ns);
    (void)runnable_part(t, "others, or looking for work", rest, w->all_ns);
    if (w->gc_ns > 0) /* by goroutines that are named above, or others */
        text_say(t, NULL, "; of all this for the collector ", t_share(w->gc_ns, w->all_ns));
}

static void runnable_say(struct text *t, const struct view *v, const struct thing *x)
{
    const struct triage *tg = v->table->tg;
    struct span s;
    text_who(t, v->tr, x->g);
    if (trace_span_at(v->tr, lane_g(x->g), x->t0, &s) && s.who != NO_LANE)
        text_say(t, v->tr, ", woken by ", t_who(s.who));
    for (uint32_t i = 0; i < tg->longest_runnable.n; i++) {
        const struct sched_wait *w = &tg->longest_runnable.v[i];
        if (w->g != x->g || w->t0 != x->t0)
            continue;
        text_add(t, "%s", w->preempted ? ", stopped while it ran" : "");
        const struct meanwhile m = triage_meanwhile(tg, w);
        if (m.all_ns > 0)
            runnable_meanwhile(t, v->tr, &m);
    }
}

static const struct table_from runnable = {
    .bar = STYLE_RUNNABLE,
    .thing = "wait for a processor",
    .things = "waits for a processor",
    .types = "who waits for a processor",
    .none = "no goroutine waited for a processor in this trace",
    .counted = true,
    .list = table_spans,
    .spans = &(const struct spans_from){.state = ST_RUNNABLE},
    .type_name = runnable_type_name,
    .say = runnable_say,
};
const struct view_kind kind_runnable = {IS_THINGS(&runnable)};
