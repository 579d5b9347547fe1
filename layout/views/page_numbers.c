/*
 * page_numbers.c - the numbers of view 1: the important ones in one line, and all of them for the pop-up.
 * See page.h.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "layout/cells/fmt.h"
#include "layout/cells/lines.h"
#include "layout/views/page.h"
#include "layout/move/record.h"

/* ---- all of them: a line a subject --------------------------------------------------------------------- */

static void line_time(struct text *t, const struct view *v)
{
    const struct triage *tg = v->tri->tg;
    text_add(t, "%s", v->tri->so_far ? "so far  " : "trace   ");
    text_dur(t, tg->end);
    uint64_t least, most;
    record_procs(v, &least, &most);
    if (least == most)
        text_add(t, ", %" PRIu64 " processor%s", most, most == 1 ? "" : "s");
    else
        text_add(t, ", %" PRIu64 " to %" PRIu64 " processors, %.3g on average", least, most,
                 tg->end > 0 ? (double)tg->capacity / (double)tg->end : 0.0);
    char n[FMT_MAX], made[FMT_MAX], over[FMT_MAX];
    text_add(t, "; %s goroutine%s: %s created, %s ended", fmt_count(tg->ng, n), tg->ng == 1 ? "" : "s",
             fmt_count(tg->g_created, made), fmt_count(tg->g_ended, over));
}

/* Lists parts of a whole, the largest first: a narrow screen cuts the least important. */
struct part {
    const char *name;
    int64_t ns;
};

static void shares_of(struct text *t, struct part *p, int n, int64_t whole)
{
    for (int k = 0; k < n; k++) {
        int best = -1;
        for (int i = 0; i < n; i++)
            if (p[i].ns > 0 && (best < 0 || p[i].ns > p[best].ns))
                best = i;
        if (best < 0)
            return;
        text_add(t, "%s", k ? ", " : "");
        text_share(t, (double)p[best].ns, (double)whole);
        text_add(t, " %s", p[best].name);
        p[best].ns = 0;
    }
}

static void line_procs(struct text *t, const struct view *v)
{
    const struct triage *tg = v->tri->tg;
    struct part p[ST_COUNT] = {{"idle", tg->p_sum.ns[ST_IDLE]}, {"not recorded", tg->unused}};
    int n = 2;
    for (int i = ST_SYSCALL; i >= ST_SCHED; i--)
        p[n++] = (struct part){state_name((enum state)i), tg->p_sum.ns[i]};
    text_lit(t, "P time  ");
    shares_of(t, p, n, tg->capacity);
}

/* Where nothing was found: of a damaged trace that says nothing of what is missing. */
static const char *in_what(const struct view *v)
{
    return trace_info(v->tr)->ndamages ? "the part of this trace that is left" : "this trace";
}

static void line_gc(struct text *t, const struct view *v)
{
    const struct triage *tg = v->tri->tg;
    const int64_t work = triage_gc_work(tg);
    text_lit(t, "GC      ");
    if (!tg->gc_cycles && !work) {
        text_add(t, "no cycle in %s", in_what(v));
        return;
    }
    text_share(t, (double)work, (double)tg->capacity);
    text_add(t, " of P time, %" PRIu64 " cycle%s, assist ", tg->gc_cycles, tg->gc_cycles == 1 ? "" : "s");
    if (triage_knows_assists(v->tr))
        text_share(t, (double)tg->p_sum.ns[ST_ASSIST], (double)tg->capacity);
    else
        text_lit(t, "not recorded");
    text_lit(t, ", marking ");
    text_share(t, (double)tg->gc_mark_ns, (double)tg->end);
    text_lit(t, " of the time");
}

static void line_stw(struct text *t, const struct view *v)
{
    const struct triage *tg = v->tri->tg;
    const struct stw_row *most = tg->nstw ? &tg->stw[0] : NULL;
    if (!tg->stw_all.n) {
        text_add(t, "STW     %s%s", trace_info(v->tr)->ndamages ? "none in " : "never",
                 trace_info(v->tr)->ndamages ? in_what(v) : "");
        return;
    }
    text_add(t, "STW     %" PRIu64 " stop%s, longest ", tg->stw_all.n, tg->stw_all.n == 1 ? "" : "s");
    text_dur(t, tg->stw_all.max);
    if (most) {
        text_lit(t, " at ");
        text_dur(t, most->longest.t0);
        if (most->longest.g != NO_LANE) {
            text_lit(t, " by ");
            text_who(t, v->tr, most->longest.g);
        }
    }
    text_lit(t, ", total ");
    text_dur(t, tg->stw_all.total);
}

static void line_mmu(struct text *t, const struct view *v)
{
    static const struct {
        int64_t ns;
        const char *name;
    } of[] = {{1000000, "1ms"}, {10000000, "10ms"}, {100000000, "100ms"}};
    const struct triage *tg = v->tri->tg;
    int shown = 0;
    if (!tg->gc_cycles && !tg->nmmu)
        return;
    text_lit(t, "MMU     ");
    for (uint32_t i = 0; i < tg->nmmu; i++)
        for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
            if (tg->mmu[i].window != of[k].ns)
                continue;
            text_add(t, "%s", shown++ ? ", " : "the program got in its worst ");
            if (t->ticks)
                text_add(t, "%" PRId64 "t", of[k].ns);
            else
                text_add(t, "%s", of[k].name);
            text_lit(t, " ");
            text_share(t, tg->mmu[i].mmu, 1);
        }
    text_add(t, "%s",
             shown ? " of the processors"
             : tg->nmmu
                 ? t->ticks ? "the trace is shorter than 1000000t" : "the trace is shorter than a millisecond"
                 : "no GC cycle: the processors were the program's");
    if (shown && !triage_knows_assists(v->tr))
        text_lit(t, ", without assists (not recorded)");
}

static void line_sched(struct text *t, const struct view *v)
{
    const struct triage *tg = v->tri->tg;
    struct dist d;
    hist_dist(&tg->sched, &d);
    char n[FMT_MAX];
    text_add(t, "sched   %s wait%s for a processor: p50 ", fmt_count(d.n, n), d.n == 1 ? "" : "s");
    text_dur(t, d.p50);
    text_lit(t, ", p99 ");
    text_dur(t, d.p99);
    text_lit(t, ", longest ");
    text_dur(t, d.max);
}

static void line_heap(struct text *t, const struct view *v)
{
    const struct heap_stat *h = &v->tri->tg->heap;
    text_lit(t, "heap    ");
    if (!h->known) {
        text_lit(t, "not recorded");
        return;
    }
    text_bytes(t, h->last);
    text_lit(t, " at the end, most ");
    text_bytes(t, h->max);
    text_lit(t, " at ");
    text_dur(t, h->max_at);
    if (h->over > 0) {
        text_lit(t, ", up to ");
        text_share(t, h->over, 1);
        text_lit(t, " above its goal");
    }
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

static void read_lines(const struct view *v, say_line *const line[], size_t n, struct lines *out, int w)
{
    struct text t = {.ticks = when_ticks(v->tr)};
    for (size_t i = 0; i < n; i++) {
        t.n = 0;
        line[i](&t, v);
        if (t.n)
            lines_wrap(out, t.p, w);
    }
    text_free(&t);
}

void page_read_numbers(const struct view *v, struct lines *out, int w)
{
    static say_line *const line[] = {line_gc,    line_stw,  line_mmu, line_procs,
                                     line_sched, line_heap, line_time};
    read_lines(v, line, sizeof line / sizeof *line, out, w);
}

void page_read(const struct view *v, struct lines *out, int w)
{
    static say_line *const line[] = {line_damage, line_warning};
    read_lines(v, line, sizeof line / sizeof *line, out, w);
    page_read_numbers(v, out, w);
}

/* ---- a line or two on the page ------------------------------------------------------------------------- */

int page_notes(struct grid *g, const struct view *v, struct box b)
{
    static void (*const lines[])(struct text *, const struct view *) = {line_damage, line_warning};
    int used = 0;
    for (size_t i = 0; i < 2; i++) {
        struct text t = {.ticks = when_ticks(v->tr)};
        lines[i](&t, v);
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
    if (!tg->gc_cycles && !work) {
        text_lit(t, "GC no cycle");
        return;
    }
    text_lit(t, "GC ");
    text_share(t, (double)work, (double)tg->capacity);
    text_add(t, ", %" PRIu64 " cycle%s", tg->gc_cycles, tg->gc_cycles == 1 ? "" : "s");
}

static void short_stw(struct text *t, const struct view *v)
{
    const struct triage *tg = v->tri->tg;
    if (!tg->stw_all.n) {
        text_lit(t, "STW none");
        return;
    }
    text_add(t, "STW %" PRIu64 ", longest ", tg->stw_all.n);
    text_dur(t, tg->stw_all.max);
}

static void short_sched(struct text *t, const struct view *v)
{
    struct dist d;
    hist_dist(&v->tri->tg->sched, &d);
    text_lit(t, "longest wait for a P ");
    text_dur(t, d.max);
}

static void short_mmu(struct text *t, const struct view *v)
{
    const struct triage *tg = v->tri->tg;
    for (uint32_t i = 0; i < tg->nmmu; i++)
        if (tg->mmu[i].window == 10000000) {
            text_lit(t, "worst 10ms: program got ");
            text_share(t, tg->mmu[i].mmu, 1);
        }
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
