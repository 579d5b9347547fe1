/*
 * export_folded.c - `gotop folded`: one line per stack, outermost function first, for flame graph tools.
 *
 * A line is FRAME;FRAME;.. NUMBER. The reason for the time is a frame of its own, at the root (so that each
 * reason has its tower) or, on request, at the leaf. Lines are built one at a time.
 */
#include <inttypes.h>
#include <string.h>

#include "triage/exports/export.h"
#include "triage/exports/export_run.h"
#include "triage/tables/stacks.h"
#include "triage/tables/stackweights.h"

static const char usage_head[] =
    "usage: gotop folded [options] TRACE\n"
    "Folded stacks: one line per stack, frames from the outermost on, joined by ';', then a number.\n";

/* Whether a row of time off the processor is of that kind. */
static bool is_part(const struct trace *tr, enum sw_kind k, const struct sw_row *v)
{
    return k == SW_SYSCALL ? v->state == ST_SYSCALL
           : k == SW_SCHED ? v->state == ST_RUNNABLE
           : k == SW_OFF   ? true
                           : v->state == ST_WAITING && sw_counts(tr, k, v->reason);
}

static void add_name(struct text *t, const struct trace *tr, uint32_t str)
{
    out_name(t, trace_str(tr, str), ";");
}

static void add_reason(struct text *t, const struct trace *tr, const struct sw_row *v)
{
    text_add(t, "%s", state_name((enum state)v->state));
    if (v->reason) {
        text_raw(t, " (", 2);
        out_name(t, stacks_reason(tr, v->reason, v->stack), ";");
        text_raw(t, ")", 1);
    }
}

static void add_frames(struct text *t, const struct trace *tr, const struct sw_row *v)
{
    uint32_t n = trace_stack(tr, v->stack);
    if (!v->stack) {
        if (v->func)
            add_name(t, tr, v->func);
        else
            text_raw(t, "?", 1);
    }
    for (uint32_t i = n; v->stack && i-- > 0;) {
        struct frame f = trace_frame(tr, v->stack, i);
        if (f.func)
            add_name(t, tr, f.func);
        else
            text_add(t, "0x%" PRIx64, f.pc);
        text_raw(t, ";", i > 0);
    }
}

static void line(struct export *x, const struct sw_row *v, bool samples, struct text *t)
{
    t->n = 0;
    if (!samples && !x->o->reason_last) {
        add_reason(t, x->tr, v);
        text_raw(t, ";", 1);
    }
    add_frames(t, x->tr, v);
    if (!samples && x->o->reason_last) {
        text_raw(t, ";", 1);
        add_reason(t, x->tr, v);
    }
    text_add(t, " %" PRIu64 "\n", samples ? v->count : (uint64_t)v->ns);
    out_text(x->out, t);
}

/* A kind is one of the words that options.def has. */
static enum err_code write_folded(struct export *x, struct err *e)
{
    const char *kind = x->o->kind ? x->o->kind : "all";
    const bool all = strcmp(kind, "all") == 0, run = strcmp(kind, "run") == 0;
    enum sw_kind part = SW_OFF;
    if (!all && !run)
        (void)sw_kind_parse(kind, &part);
    struct sw_filter f = export_filter(x);
    f.run = all || run;
    f.no_off = run;
    struct sw_table w;
    struct text t = {0};
    const enum err_code rc = stackweights_build(x->tr, part == SW_CPU ? SW_CPU : SW_OFF, &f, &w, e);
    for (uint32_t i = 0; rc == ERR_OK && i < w.n && !out_broken(x->out); i++)
        if (part == SW_CPU || is_part(x->tr, part, &w.row[i]))
            line(x, &w.row[i], part == SW_CPU, &t);
    text_free(&t);
    stackweights_free(&w);
    return rc;
}

static const struct export_command command = {.command = {"folded", CMD_FOLDED, usage_head, EXPORT_TAIL},
                                              .write = write_folded};

int folded_main(int argc, char **argv)
{
    return export_main(&command, argc, argv);
}
