/*
 * report_text.c - one page of plain text: works and findings, then a few lines of numbers. Tables are the
 * viewer's and SQL's.
 */
#include "triage/findings/asked.h"
#include "triage/numbers.h"
#include "triage/report/report.h"
#include "triage/work/work_text.h"

#include <string.h>

#define INDENT 10
#define FIELD 3          /* column of what stands before a finding's field */
#define FINDINGS_LONG 64 /* with text, whole; the rest one line each */

/* Adds a line, and those that continue it below column `hang`. Frees u. */
static void page_folded(struct text *t, struct text *u, size_t hang)
{
    text_fold(t, u->p ? u->p : "", u->n, t->width ? t->width : REPORT_WIDTH, hang);
    text_lit(t, "\n");
    t->failed |= u->failed;
    text_free(u);
}

/* Adds "  what    ..", and nothing where there are no words. Findings are kept as UTF-8; the page may have to
 * be ASCII. */
static void page_field(struct text *t, const char *name, const char *s)
{
    struct text u = {.ascii = t->ascii};
    if (!s || !*s)
        return;
    text_add(&u, "%*s%-*s", FIELD, "", INDENT - FIELD, name);
    text_clean(&u, s, strlen(s), 0);
    page_folded(t, &u, INDENT);
}

static void page_head(struct text *t, const struct loaded *l)
{
    const struct trace_info *in = trace_info(l->tr);
    text_lit(t, "gotop report: ");
    text_tail(t, l->path, strlen(l->path), REPORT_WIDTH - 14);
    text_say(t, NULL, "\n", in->dialect, ", ");
    if (in->has_clock)
        text_dur(t, in->end);
    else
        text_add(t, "%lld ticks (no clock rate in the file)", (long long)in->end);
    const double procs = triage_mean_procs(l->tg);
    if (procs >= l->tg->np + 0.5) /* those that ran nothing have no lane, but count as processors */
        text_add(t, ", %u of %.3g Ps used", l->tg->np, procs);
    else
        text_add(t, ", %u P%s", l->tg->np, l->tg->np == 1 ? "" : "s");
    text_say(t, NULL, ", ", l->tg->ng, " goroutine", l->tg->ng == 1 ? "" : "s", " (", l->tg->g_created,
             " created, ", l->tg->g_ended, " ended), ", in->events, " events, ", t_bytes(in->bytes_done),
             "B\n");
    if (in->clock_assumed)
        text_lit(t, "The clock rate is an assumption: times may be wrong by a factor.\n");
    for (uint32_t i = 0; i < in->nwarnings && i < 3; i++) {
        const struct err *w = trace_warning(l->tr, i);
        struct text u = {.ascii = t->ascii};
        text_say(&u, NULL, "WARNING: ", t_clean(w->what));
        page_folded(t, &u, 0);
    }
    if (l->partial) {
        const struct err *d = trace_damage(l->tr, 0);
        struct text u = {.ascii = t->ascii};
        text_add(&u, "PARTIAL: %s%u place%s damaged; numbers are for what is there. First: ",
                 in->more_damages ? "more than " : "", in->ndamages, in->ndamages == 1 ? "" : "s");
        if (d->offset != ERR_NO_OFFSET)
            text_add(&u, "byte %llu: ", (unsigned long long)d->offset);
        text_clean(&u, d->what, strlen(d->what), 0);
        page_folded(t, &u, 0);
    }
}

/* Adds a finding's mark, share, title, where and when, and its rule for scripts. */
static void page_finding(struct text *t, const struct loaded *l, const struct finding *f)
{
    const size_t start = t->n;
    struct text rest = {.ascii = t->ascii, .ticks = t->ticks};
    text_say(&rest, NULL, "  at ", t_dur(f->v.t0));
    if (f->lane.kind == LANE_G && f->lane.i != NO_LANE)
        text_say(&rest, NULL, " G", f->lane_id);
    if (!f->note && f->severity_ns > 0)
        text_say(&rest, NULL, ", cost ", t_dur(f->severity_ns));
    text_add(&rest, "  [%s]", rule_id(f->v.rule));
    text_add(t, "%-2s %s ", level_mark(f->v.level), f->amount);
    text_pad(t, start, INDENT);
    text_say(t, NULL, t_clean(f->title));
    if (f->v.culprit.user && t->n - start + rest.n + 16 < REPORT_WIDTH)
        text_say(t, l->tr, "  ", t_func_cut(f->v.culprit.user, REPORT_WIDTH - (t->n - start) - rest.n - 11));
    text_add(t, "%s%s", f->inferred ? " (likely)" : "", rest.p ? rest.p : "");
    text_free(&rest);
    text_lit(t, "\n");
}

static void page_long(struct text *t, const struct loaded *l, const struct finding *f)
{
    struct text saves = {0}, cost = {0}, base = {0};
    page_finding(t, l, f);
    if (f->v.harm.work == NO_LANE) /* else its sentence says of what that is a share */
        verdict_base(&base, &l->fs.works, &f->v);
    if (base.n)
        text_add(&cost, "%s %s%s", f->amount, base.p, *f->harm ? ". " : ".");
    text_add(&cost, "%s", f->harm);
    verdict_saves(&saves, &l->fs.works, &f->v);
    page_field(t, "line", f->at);
    page_field(t, "what", f->what);
    page_field(t, f->v.holder.group || f->v.holder.at.user ? "who" : "why", f->why);
    page_field(t, "cost", cost.p);
    page_field(t, "do", f->next);
    page_field(t, "saves", saves.p);
    text_free(&base);
    text_free(&cost);
    text_free(&saves);
}

static void page_findings(struct text *t, const struct loaded *l)
{
    text_lit(t, "\nFINDINGS\n");
    if (!trace_info(l->tr)->has_clock) {
        text_lit(t, "  none: without a clock rate nothing can be called long;\n  " CLOCK_HINT "\n");
        return;
    }
    if (!findings_stand_out(&l->fs)) {
        const char *why;
        text_add(t, "  nothing stands out%s\n", rules_lacking(l->tg, &why) ? " of what it can tell" : "");
    }
    for (uint32_t i = 0; i < l->fs.n; i++) {
        const struct finding *f = &l->fs.f[i];
        if (i < FINDINGS_LONG)
            page_long(t, l, f);
        else
            page_finding(t, l, f);
    }
    struct text u = {0};
    text_lit(&u, "  ");
    rules_not_asked_text(&u, l->tg);
    u.n = u.n > 2 ? u.n : 0; /* none: an empty line */
    page_folded(t, &u, 2);
}

static void page_work(struct text *t, const struct loaded *l)
{
    struct text u = {.ascii = t->ascii};
    works_text(&u, &l->fs.works);
    if (u.p) {
        text_lit(t, "\nWORK  what the program does again and again, and where that time goes\n");
        for (const char *p = u.p, *end; *p && (end = strchr(p, '\n')); p = end + 1) {
            size_t n = (size_t)(end - p);
            for (size_t to = REPORT_WIDTH; n > REPORT_WIDTH && to > 0;
                 to--) /* what ended it goes as a whole */
                n = p[to] == ',' ? to : n;
            text_raw(t, p, n < REPORT_WIDTH ? n : REPORT_WIDTH);
            text_lit(t, "\n");
        }
    }
    text_free(&u);
}

static void page_numbers(struct text *t, const struct loaded *l)
{
    text_lit(t, "\nNUMBERS\n");
    for (int i = 0; i < NUMBERS; i++) {
        struct text u = {.ascii = t->ascii, .ticks = t->ticks};
        numbers[i].say(&u, l->tg);
        page_field(t, numbers[i].name, u.p);
        t->failed |= u.failed;
        text_free(&u);
    }
}

void report_text(struct text *t, const struct loaded *l)
{
    struct text u = {.ascii = t->ascii, .ticks = !trace_info(l->tr)->has_clock, .width = t->width};
    page_head(&u, l);
    page_work(&u, l);
    page_findings(&u, l);
    page_numbers(&u, l);
    t->failed |= !text_ok(&u);
    for (const char *s = u.p ? u.p : ""; *s; s += *s == '\n') { /* none longer than the page is wide */
        const size_t n = strcspn(s, "\n");
        text_clean(t, s, n, REPORT_WIDTH);
        text_lit(t, "\n");
        s += n;
    }
    text_free(&u);
}
