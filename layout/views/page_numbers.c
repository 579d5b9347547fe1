/*
 * page_numbers.c - the numbers of view 1: the important ones in one line, and all of them for the pop-up.
 * See page.h.
 */
#include <inttypes.h>
#include <string.h>

#include "layout/views/page.h"
#include "layout/move/record.h"
#include "triage/numbers.h"

/* ---- all of them: a line a subject --------------------------------------------------------------------- */

static void line_time(struct text *t, const struct view *v)
{
    const struct triage *tg = v->tri->tg;
    uint64_t least, most;
    text_say(t, NULL, v->tri->so_far ? "so far  " : "trace   ", t_dur(tg->end));
    record_procs(v, &least, &most);
    if (least == most)
        text_add(t, ", %" PRIu64 " processor%s", most, most == 1 ? "" : "s");
    else
        text_add(t, ", %" PRIu64 " to %" PRIu64 " processors, %.3g on average", least, most,
                 triage_mean_procs(tg));
    char n[FMT_MAX], made[FMT_MAX], over[FMT_MAX];
    text_add(t, "; %s goroutine%s: %s created, %s ended", fmt_count(tg->ng, n), tg->ng == 1 ? "" : "s",
             fmt_count(tg->g_created, made), fmt_count(tg->g_ended, over));
}

/* The file's problems come first: all numbers cover only the rest. The first line, which may be the only
 * one, has the position. */
static void line_damage(struct text *t, const struct view *v)
{
    const struct trace_info *ti = trace_info(v->tr);
    if (!ti->ndamages)
        return;
    const struct err *first = trace_damage(v->tr, 0);
    text_add(t, "PARTIAL %s%u place%s damaged, first: ", ti->more_damages ? "more than " : "", ti->ndamages,
             ti->ndamages == 1 ? "" : "s");
    if (first->offset != ERR_NO_OFFSET)
        text_add(t, "byte %" PRIu64 ": ", first->offset);
    text_clean(t, first->what, strlen(first->what), 0);
    text_lit(t, "; numbers are of what is there");
}

static void line_warning(struct text *t, const struct view *v)
{
    const struct trace_info *ti = trace_info(v->tr);
    for (uint32_t i = 0; i < ti->nwarnings && i < 4; i++) {
        const char *what = trace_warning(v->tr, i)->what;
        text_add(t, "%s", i ? "; " : "note    ");
        text_clean(t, what, strlen(what), 0);
    }
}

typedef void say_line(struct text *, const struct view *);
static say_line *const problems[] = {line_damage, line_warning};
enum { PROBLEMS = sizeof problems / sizeof *problems };

static void page_line(const struct view *v, say_line *line, struct rich *out)
{
    struct text t = {.ticks = when_ticks(v->tr)};
    line(&t, v);
    if (t.n)
        rich_say(out, STYLE_POPUP, "%s", t.p);
    text_free(&t);
}

void page_read_numbers(const struct view *v, struct rich *out)
{
    for (int i = 0; i < NUMBERS; i++) {
        struct text t = {.ticks = when_ticks(v->tr)};
        text_add(&t, "%-8s", numbers[i].name);
        const size_t before = t.n;
        numbers[i].say(&t, v->tri->tg);
        if (t.n > before)
            rich_say(out, STYLE_POPUP, "%s", t.p);
        text_free(&t);
    }
    page_line(v, line_time, out);
}

void page_read(const struct view *v, struct rich *out)
{
    for (int i = 0; i < PROBLEMS; i++)
        page_line(v, problems[i], out);
    page_read_numbers(v, out);
}

/* ---- a line or two on the page ------------------------------------------------------------------------- */

int page_notes(struct grid *g, const struct view *v, struct box b)
{
    int used = 0;
    for (int i = 0; i < PROBLEMS; i++) {
        struct text t = {.ticks = when_ticks(v->tr)};
        problems[i](&t, v);
        if (t.n && used < b.h)
            used += wrap_draw(g, b.x, b.y + used, b.w, b.h - used > 2 ? 2 : b.h - used, STYLE_WARN,
                              (struct str){t.p, (uint32_t)t.n});
        text_free(&t);
    }
    return used;
}

static void short_gc(struct text *t, const struct view *v)
{
    const struct triage *tg = v->tri->tg;
    const int64_t work = triage_gc_work(tg);
    if (!tg->gc_cycles && !work)
        text_lit(t, "GC no cycle");
    else
        text_say(t, NULL, "GC ", t_share(work, tg->capacity), ", ", tg->gc_cycles,
                 tg->gc_cycles == 1 ? " cycle" : " cycles");
}

static void short_stw(struct text *t, const struct view *v)
{
    const struct triage *tg = v->tri->tg;
    if (!tg->stw_all.n)
        text_lit(t, "STW none");
    else
        text_say(t, NULL, "STW ", tg->stw_all.n, ", longest ", t_dur(tg->stw_all.max));
}

static void short_sched(struct text *t, const struct view *v)
{
    struct dist d;
    hist_dist(&v->tri->tg->sched, &d);
    text_say(t, NULL, "longest wait for a P ", t_dur(d.max));
}

static void short_mmu(struct text *t, const struct view *v)
{
    const struct triage *tg = v->tri->tg;
    for (uint32_t i = 0; i < tg->nmmu; i++)
        if (tg->mmu[i].window == 10000000)
            text_say(t, NULL, "worst 10ms: program got ", t_share(tg->mmu[i].mmu, 1));
}

static void short_goroutines(struct text *t, const struct view *v)
{
    const struct triage *tg = v->tri->tg;
    char n[FMT_MAX], made[FMT_MAX];
    text_add(t, "%s goroutine%s, %s created", fmt_count(tg->ng, n), tg->ng == 1 ? "" : "s",
             fmt_count(tg->g_created, made));
}

int page_numbers(struct grid *g, const struct view *v, struct box b)
{
    static void (*const part[])(struct text *, const struct view *) = {short_gc, short_stw, short_sched,
                                                                       short_mmu, short_goroutines};
    int x = b.x;
    if (b.h < 1)
        return 0;
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        struct text t = {.ticks = when_ticks(v->tr)};
        part[i](&t, v);
        const struct str s = {t.p ? t.p : "", (uint32_t)t.n};
        if (s.len && x + str_width(s, b.w + 1) <= b.x + b.w)
            x = grid_text(g, x, b.y, b.w, s, STYLE_DIM) + 3;
        text_free(&t);
    }
    return 1;
}
