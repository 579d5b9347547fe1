/*
 * tri_findings.c - view 1: the headline numbers, and below them what stands out, the costliest first.
 *
 * The head answers "is it GC, are processors idle, is the scheduler late" without a key; each line is one
 * subject, the most telling number first, so that a narrow screen cuts the least.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "decode/base/mem.h"
#include "layout/draw/fmt.h"
#include "layout/draw/status.h"
#include "layout/draw/lines.h"
#include "layout/draw/wrap.h"
#include "layout/views/tri_priv.h"
#include "triage/findings/asked.h"

static uint32_t count(const struct view *v)
{
    return v->tri->fs ? v->tri->fs->n : 0;
}

/* ---- head ----------------------------------------------------------------------------------------------- */

static void line_time(struct text *t, const struct view *v)
{
    const struct triage *tg = v->tri->tg;
    text_add(t, "%s", v->tri->so_far ? "so far  " : "trace   ");
    text_dur(t, tg->end);
    uint64_t least, most;
    status_procs(v, &least, &most);
    if (least == most)
        text_add(t, ", %" PRIu64 " processor%s", most, most == 1 ? "" : "s");
    else
        text_add(t, ", %" PRIu64 " to %" PRIu64 " processors, %.3g on average", least, most,
                 tg->end > 0 ? (double)tg->capacity / (double)tg->end : 0.0);
    if (tg->busy_p99 < most && tg->lost <= tg->capacity / 100) { /* else nobody knows */
        if (tg->busy_p99)
            text_add(t, ", no more than %u of them busy for 99%% of it", tg->busy_p99);
        else
            text_add(t, ", %s busy for 99%% of it", most == 1 ? "not" : "none of them");
    }
    char n[FMT_MAX], made[FMT_MAX], over[FMT_MAX];
    text_add(t, "; %s goroutine%s: %s created, %s ended", fmt_count(tg->ng, n), tg->ng == 1 ? "" : "s",
             fmt_count(tg->g_created, made), fmt_count(tg->g_ended, over));
}

/* Parts of a whole, the largest first: a narrow screen cuts what matters least. */
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

static void line_idle(struct text *t, const struct view *v)
{
    const struct triage *tg = v->tri->tg;
    struct part p[IDLE_WHYS];
    static const char *const words[IDLE_WHYS] = {[IDLE_STW] = "while the world was stopped",
                                                 [IDLE_MISSED] = "though goroutines had been runnable for 50us",
                                                 [IDLE_SYSCALL] = "goroutines in system calls instead",
                                                 [IDLE_NOWORK] = "nothing to run",
                                                 [IDLE_SHORT] = "in gaps under 10us"};
    text_lit(t, "idle    ");
    size_t before = t->n;
    for (int i = 0; i < IDLE_WHYS; i++)
        p[i] = (struct part){words[i], tg->idle[i]};
    shares_of(t, p, IDLE_WHYS, tg->capacity);
    if (t->n == before)
        text_lit(t, "never");
}

/* "of the slowest instances, so much ran while the collector marked" */
static void slow_overlap(struct text *t, const struct triage *tg)
{
    int64_t gc = 0, all = 0;
    for (uint32_t i = 0; i < tg->ntypes; i++)
        for (uint32_t k = 0; k < tg->types[i].nslow; k++) {
            gc = ns_add(gc, tg->types[i].slow[k].b.gc);
            all = ns_add(all, tg->types[i].slow[k].t1 - tg->types[i].slow[k].t0);
        }
    if (all <= 0)
        return;
    text_lit(t, "; slowest tasks lie in GC for ");
    text_share(t, (double)gc, (double)all);
}

/* Where nothing was found: of a damaged trace that says nothing of what is missing. */
static const char *in_what(const struct view *v)
{
    return trace_info(v->tr)->ndamages ? "the part of this trace that is left" : "this trace";
}

static void line_gc(struct text *t, const struct view *v)
{
    const struct triage *tg = v->tri->tg;
    int64_t work = ns_add(ns_add(tg->p_sum.ns[ST_GCWORK], tg->p_sum.ns[ST_ASSIST]), tg->p_sum.ns[ST_SWEEP]);
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
    slow_overlap(t, tg);
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
        text_lit(t, " @");
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
    const struct triage *tg = v->tri->tg;
    int shown = 0;
    if (!tg->gc_cycles && !tg->nmmu)
        return;
    text_lit(t, "MMU     ");
    for (uint32_t i = 0; i < tg->nmmu; i++) {
        int64_t w = tg->mmu[i].window;
        if (w != 1000000 && w != 10000000 && w != 100000000)
            continue;
        if (t->ticks)
            text_add(t, "%s%" PRId64 "t %.0f%%", shown++ ? ", " : "", w, tg->mmu[i].mmu * 100);
        else
            text_add(t, "%s%s %.0f%%", shown++ ? ", " : "",
                     w == 1000000    ? "1ms"
                     : w == 10000000 ? "10ms"
                                     : "100ms",
                     tg->mmu[i].mmu * 100);
    }
    if (shown && !triage_knows_assists(v->tr))
        text_lit(t, " without assists (not recorded)");
    text_add(t, "%s",
             shown      ? ": the program's share of the processors in its worst stretch that long"
             : tg->nmmu ? t->ticks ? "the trace is shorter than 1000000t" : "the trace is shorter than a millisecond"
                        : "no GC cycle: the processors were the program's");
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
    if (h->over > 0)
        text_add(t, ", up to %.0f%% above its goal", h->over * 100);
}

/* What is wrong with the file comes first: all numbers are of what is left. Where it is stands in the first line, which may be all there is. */
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

static void (*const lines[])(struct text *, const struct view *) = {
    line_damage, line_warning, line_gc, line_stw, line_mmu, line_procs, line_idle, line_sched, line_heap, line_time};
static bool by_size(int i) /* the largest first */
{
    return lines[i] == line_procs || lines[i] == line_idle;
}

enum { LINES = sizeof lines / sizeof *lines, SUBJECT = 8, WITHOUT = 3 }; /* so many need no tables */

/* Draw the numbers (g NULL: count lines). One line a subject, and more while there are lines to spare. */
static int numbers(struct grid *g, const struct view *v, int y, int room, bool *cut)
{
    int used = 0, left = 0;
    struct text t[LINES] = {{0}};
    for (int i = 0; i < (v->tri->tg ? LINES : WITHOUT); i++) {
        t[i].ticks = when_ticks(v->tr);
        lines[i](&t[i], v);
        left += t[i].n > 0;
    }
    for (int i = 0; i < LINES && used < room; i++) {
        if (!t[i].n)
            continue;
        left--;
        int most = room - used - left;
        if (g)
            tri_say(g, 0, y + used, SUBJECT, STYLE_STATUS_KEY, "%.7s", t[i].p);
        struct str rest = {t[i].n > SUBJECT ? t[i].p + SUBJECT : "",
                           t[i].n > SUBJECT ? (uint32_t)t[i].n - SUBJECT : 0};
        most = most > 1 ? most : 1;
        int n = (by_size(i) ? wrap_list : wrap_draw)(g, SUBJECT, y + used, v->w - SUBJECT, most, STYLE_NORMAL, rest);
        if (cut && wrap_draw(NULL, 0, 0, v->w - SUBJECT, most + 1, STYLE_NORMAL, rest) > most)
            *cut = true;
        used += n > 1 ? n : 1;
    }
    if (cut && left > 0)
        *cut = true;
    for (int i = 0; i < LINES; i++)
        text_free(&t[i]);
    return used;
}

/* A screen shows at least four findings, and all numbers if there is room. */
static int head_lines(const struct view *v, int rows)
{
    int n = (int)(count(v) < 4 ? count(v) : 4), room = rows - (n ? n : 1) - 2;
    return room < 1 ? 0 : numbers(NULL, v, 0, room, NULL) + 2;
}

bool tri_lacking(struct text *t, const struct view *v)
{
    const char *why;
    enum { MANY = 10 }; /* below findings fewer are not worth the line that says what stands before each */
    unsigned n = v->tri->tg ? rules_lacking(v->tri->tg, &why) : 0;
    n = count(v) && n < MANY ? 0 : n;
    if (n)
        text_add(t,
                 count(v) ? "; %u kinds can't be told: %s"
                          : "nothing stands out; %u kinds of findings can't be told: %s",
                 n, why);
    return n > 0;
}

/* How many findings there are, and what can't be told. */
static void lacks(struct grid *g, struct view *v, int y, const char *what)
{
    char all[400];
    snprintf(all, sizeof all, "%u finding%s%s", count(v), count(v) == 1 ? "" : "s", what);
    tri_say(g, 0, y, g->w, STYLE_WARN, "%s", all);
    v->cut |= wrap_draw(NULL, 0, 0, g->w, 2, STYLE_WARN, str_of(all)) > 1;
}

static void head(struct grid *g, struct view *v, int y, int n)
{
    struct text t = {0};
    numbers(g, v, y, n - 2, &v->cut);
    if (!trace_info(v->tr)->has_clock) /* there are no findings: the lines below are free */
        (void)wrap_draw(g, 0, y + n - 1, g->w, 3, STYLE_WARN,
                        str_of("no clock rate in the file: it stands at its end. Times are ticks, nothing can be "
                               "called long; " CLOCK_HINT));
    else if (!count(v) && tri_lacking(&t, v)) /* the lines below are free */
        (void)wrap_draw(g, 0, y + n - 1, g->w, 3, STYLE_WARN, str_of(t.p ? t.p : ""));
    else if (!count(v))
        tri_say(g, 0, y + n - 1, g->w, STYLE_STATUS_KEY, "nothing stands out%s", v->tri->so_far ? " so far" : "");
    else if (tri_lacking(&t, v))
        lacks(g, v, y + n - 1, t.p ? t.p : "");
    else
        tri_say(g, 0, y + n - 1, g->w, STYLE_RULER, "%u finding%s, and the share of the trace %s costs", count(v),
                count(v) == 1 ? "" : "s", count(v) == 1 ? "it" : "each");
    text_free(&t);
}

/* ---- rows ----------------------------------------------------------------------------------------------- */

enum { WIDEST = 160 }; /* columns that are easily read from one end to the other */

void tri_lead(const struct view *v, const struct finding *f, char out[FMT_MAX])
{
    struct text t = {0};
    finding_lead(&t, f);
    snprintf(out, FMT_MAX, "%s", t.p ? t.p : "");
    text_free(&t);
}

/* As much of a text as there is room for; if that is less than the function it begins with, the end of the name. */
static void begin_of(struct grid *g, const struct view *v, int x, int y, int w, enum style s, const char *text)
{
    const struct str first = {text, (uint32_t)strcspn(text, " ,:")};
    char name[400];
    if (str_width(first, w - 1) <= w - 2) {
        tri_say(g, x, y, w, s, "%s", text);
        return;
    }
    (void)str_shorten(first, w, glyph_dots(v->tier), name, sizeof name);
    grid_str(g, x, y, w, name, s);
}

/* What it is, what it cost, when; with its text behind it. */
static void head_of(struct grid *g, const struct view *v, const struct finding *f, int y, bool focus, bool text)
{
    char at[FMT_MAX], lead[FMT_MAX];
    tri_lead(v, f, lead);
    int w = g->w < WIDEST ? g->w : WIDEST, when = w >= 50 ? 10 : 0;
    enum style s = focus ? STYLE_LANE_FOCUS : STYLE_NORMAL;
    if (focus)
        grid_fill(g, 0, y, g->w, 1, ' ', s);
    tri_say(g, 0, y, 2, focus ? s : f->note ? STYLE_DIM : STYLE_WARN, f->note ? "." : "!");
    tri_say(g, 2, y, 8, s, "%s", lead);
    int x = tri_say(g, 11, y, w - 11 - when, text || focus ? s : STYLE_STATUS_KEY, "%s%s", f->title,
                    f->inferred ? " (inferred)" : "") +
            2;
    if (x < 30)
        x = 30;
    enum { TELLING = 14 }; /* of fewer columns of it nobody would learn anything */
    if (text && w - x - when - 1 >= TELLING)
        begin_of(g, v, x, y, w - x - when - 1, focus ? s : STYLE_DIM, f->text);
    if (when) {
        char t[FMT_MAX + 1];
        snprintf(t, sizeof t, "@%s", tri_dur(v->tr, f->t0, at));
        tri_cell(g, w - when, y, when, s, t);
    }
}

static void row(struct grid *g, struct view *v, uint32_t i, int y, bool focus)
{
    head_of(g, v, &v->tri->fs->f[i], y, focus, true);
}

/* What a band is of: as high as its share of the column. */
static void where_band(struct grid *g, const struct view *v, const struct finding *f, int x, int y, int w)
{
    static const enum state of[BAND_COUNT] = {ST_GC, ST_STW, ST_SWEEP, ST_ASSIST};
    const struct window all = window_of(0, view_end(v));
    int64_t *edges = mem_alloc(((size_t)w + 1) * sizeof *edges);
    struct shares *col = mem_alloc((size_t)w * sizeof *col);
    if (edges && col) {
        window_edges(all, w, edges);
        trace_columns(v->tr, f->lane, edges, (uint32_t)w, col);
    }
    for (int i = 0; edges && col && i < w; i++) {
        const int64_t on = col[i].ns[of[f->lane.i]], len = edges[i + 1] - edges[i];
        grid_put(g, x + i, y, on > 0 ? glyph_level(v->tier, on, len) : glyph_mark(v->tier, MARK_H),
                 on <= 0   ? STYLE_DIM
                 : f->note ? STYLE_STATUS
                           : STYLE_WARN);
    }
    mem_free(edges);
    mem_free(col);
}

/* Where in the trace it costs: a line of cells for the whole of it. */
static void where(struct grid *g, const struct view *v, const struct finding *f, int x, int y, int w)
{
    struct window all = window_of(0, view_end(v));
    if (w < 1) /* high, but narrower than what stands in front of it */
        return;
    if (f->lane.kind == LANE_BAND && f->lane.i < trace_nlanes(v->tr, LANE_BAND)) {
        where_band(g, v, f, x, y, w);
        return;
    }
    int a = window_col(all, w, f->t0), b = window_col(all, w, f->t1 > f->t0 ? f->t1 - 1 : f->t0);
    a = a < 0 ? 0 : a;
    b = b < a ? a : b >= w ? w - 1 : b;
    for (int i = 0; i < w; i++)
        grid_put(g, x + i, y, i >= a && i <= b ? glyph_height(v->tier, 4) : glyph_mark(v->tier, MARK_H),
                 i >= a && i <= b ? (f->note ? STYLE_STATUS : STYLE_WARN) : STYLE_DIM);
}

static void won(struct text *t, const struct finding *f)
{
    if (f->won) {
        text_lit(t, " ");
        text_clean(t, f->won, strlen(f->won), 0);
    }
}

/* What it says, and what to do: drawn from line y on in columns 11 .. ; how many lines that takes. */
enum { IN = 11 };
static int say(struct grid *g, const struct view *v, const struct finding *f, int y, bool advice)
{
    struct text t = {.ticks = when_ticks(v->tr)};
    const int w = (v->w < WIDEST ? v->w : WIDEST) - IN - 1;
    text_clean(&t, f->text, strlen(f->text), 0);
    won(&t, f);
    int n = wrap_draw(g, IN, y, w, 1000, STYLE_NORMAL, (struct str){t.p ? t.p : "", (uint32_t)t.n});
    text_free(&t);
    if (advice) {
        text_clean(&t, f->next, strlen(f->next), 0);
        n += wrap_draw(g, IN, y + n, w, 1000, STYLE_STATUS_KEY, (struct str){t.p ? t.p : "", (uint32_t)t.n});
        text_free(&t);
    }
    return n;
}

/* Its line, the whole text below it, and where it is. */
static int whole(struct grid *g, const struct view *v, uint32_t i, int y, bool focus, enum tri_room room)
{
    const struct finding *f = &v->tri->fs->f[i];
    const int w = v->w - IN - 1, n = say(g, v, f, y + 1, room == ROOM_ALL);
    if (g) {
        head_of(g, v, f, y, focus, false);
        where(g, v, f, IN, y + 1 + n, w > 100 ? 100 : w);
    }
    return n + 2;
}

static void told(struct text *t, const struct view *v, uint32_t i, int line, enum tri_room room)
{
    const struct finding *f = &v->tri->fs->f[i];
    const char *s = line ? f->next : f->text;
    if (room == ROOM_ALL || (room == ROOM_WHOLE && !line)) /* stands above, then */
        s = "";
    text_clean(t, s, strlen(s), 0);
    if (line && room == ROOM_LINES && f->won) {
        text_add(t, " %s", f->won);
    }
}

static void detail(struct text *t, const struct view *v, uint32_t i, int line)
{
    told(t, v, i, line, tri_room(v));
}

/* The lines that the longest of them takes below the list, so that the page stands still under the cursor; at most `most`. */
static int longest(const struct view *v, int most)
{
    int n = 2;
    for (uint32_t i = 0; i < count(v) && n < most; i++) {
        struct rich r;
        rich_init(&r);
        for (int line = 0; line < 2; line++) {
            struct text t = {.ticks = when_ticks(v->tr)};
            rich_para(&r);
            told(&t, v, i, line, ROOM_LINES);
            rich_str(&r, STYLE_STATUS, (struct str){t.p ? t.p : "", (uint32_t)t.n});
            text_free(&t);
        }
        int k = rich_draw(&r, NULL, 0, 0, v->w, most);
        n = k > n ? k : n;
    }
    return n;
}

/* The finding with the cursor, then the numbers. */
static void read_all(const struct view *v, struct lines *out, int w)
{
    struct text t = {.ticks = when_ticks(v->tr)};
    if (!v->tri || !v->tri->tg)
        return;
    if (v->at.row < count(v)) {
        const struct finding *f = &v->tri->fs->f[v->at.row];
        char lead[FMT_MAX], at[FMT_MAX];
        tri_lead(v, f, lead);
        lines_add(out, "%s%s%s%s  @%s", lead, *lead ? "  " : "", f->title, f->inferred ? " (inferred)" : "",
                  tri_dur(v->tr, f->t0, at));
        const char *const said[] = {f->text, f->next, f->won ? f->won : ""};
        for (int i = 0; i < 3; i++) {
            t.n = 0;
            text_clean(&t, said[i], strlen(said[i]), 0);
            lines_wrap(out, t.n ? t.p : "", w);
        }
        lines_add(out, "%s", "");
    }
    t.n = 0;
    if (tri_lacking(&t, v)) {
        lines_wrap(out, t.p + strspn(t.p, "; "), w);
        lines_add(out, "%s", "");
    }
    for (int i = 0; i < LINES; i++) {
        t.n = 0;
        lines[i](&t, v);
        if (t.n)
            lines_wrap(out, t.p, w);
    }
    text_free(&t);
}

static unsigned enter(struct view *v)
{
    uint32_t i = v->at.row;
    const struct finding *f = &v->tri->fs->f[i];
    char lead[FMT_MAX];
    v->tri->finding = i;
    unsigned flags = tri_evidence(v, f);
    tri_lead(v, f, lead);
    view_message(v, false, "%s%s%s: %s %s %s", lead, *lead ? " " : "", f->title, f->text, f->next,
                 f->won ? f->won : "");
    return flags;
}

static int status_most(const struct view *v)
{
    enum { OWN = 7, FRAME = 2 }; /* what its text takes at least; title, footer */
    if (!v->tri || !count(v))
        return OWN;
    if (tri_room(v) != ROOM_LINES)
        return 2;
    int own = OWN, rows = v->h - FRAME - own, used = rows > 0 ? head_lines(v, rows) : 0;
    if (rows > 0 && used < head_lines(v, 1000)) { /* numbers are cut: what no finding's text takes is theirs */
        own = longest(v, OWN);
        rows = v->h - FRAME - own;
        used = own < OWN ? head_lines(v, rows) : used;
    }
    const int spare = rows > 0 ? rows - used - (int)count(v) : 0;
    if (spare <= 0)
        return own;
    return own + spare - (longest(v, own + spare) < own + spare); /* a blank line below the list, if none is needed */
}

#define BESIDE "up and down walk the findings, Enter looks there"
static bool can(const struct view *v, enum deed d)
{
    return d != DEED_DETAILS || count(v) > 0;
}

const struct tri_view tri_findings = {.rows = count,
                                      .head = head,
                                      .head_lines = head_lines,
                                      .row = row,
                                      .detail = detail,
                                      .enter = enter,
                                      .whole = whole};
const struct view_kind kind_triage = {
    IS_TABLE,
    .plan = PLAN_FINDINGS,
    .list = &tri_findings,
    .status_most = status_most,
    .read = read_all,
    .can = can,
    .answer = {ANSWER_ROWS},
    .refusal = {REFUSE_ZOOM, REFUSE_SORT, REFUSE_SELECT, ANSWER_SIDE(BESIDE)},
};
