/*
 * tri_waits.c - view 6: who waited for whom, for processors, where, and in which system calls; one list in
 * sections.
 *
 * Contention comes first and the cursor starts there: the question "who holds the lock" is then view, Enter
 * (the longest wait, on its lane), cause (who ended it). What goroutines wait for at rest (receiving,
 * selecting, sleeping) is no contention and stands in the section of places only.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"
#include "layout/cells/fmt.h"
#include "layout/move/move.h"
#include "layout/views/tri_priv.h"
#include "triage/findings/holder.h"
#include "triage/tables/stacks.h"
#include "triage/tables/tab.h"
#include "layout/move/naming.h"

enum { SCHED_RUNTIME = UINT16_MAX }; /* of WAIT_SCHED: the runtime's own */
enum section { SECTION_PAIRS, SECTION_SCHED, SECTION_PLACES, SECTION_SYSCALLS };
enum { ROWS_MOST = 1 << 20 };

static bool contended(const struct pair_row *p)
{
    return !p->from_scheduler && (p->kind == WK_LOCK || p->kind == WK_SEND || p->kind == WK_COND ||
                                  p->kind == WK_WAITGROUP || p->kind == WK_OTHER);
}

/* Locks before all other: that is what people look for. */
static int rank(const struct pair_row *p)
{
    return p->kind == WK_LOCK || p->kind == WK_COND ? 0 : p->kind == WK_SEND ? 1 : 2;
}

/* Rows that would read alike are one: the longest wait stands for all, their
 * times and counts are added up. */
struct wait_pair {
    struct pair_row p;
    uint32_t from, to,
        asks; /* functions: who waited, who ended it, who asked for the lock (0: the one that waited) */
    uint32_t places; /* pairs of stacks */
};

static uint32_t function_of(const struct trace *tr, uint32_t stack)
{
    return trace_frame(tr, stack, stacks_user_frame(tr, stack)).func;
}

/* Of what no kind tells: is it something of the collector, in the middle of what the program does? */
static bool for_collector(const struct trace *tr, const struct pair_row *p)
{
    return stacks_for_collector(tr, (enum wait_kind)p->kind, p->stack);
}

/* What is waited for: a kind, or the reason where that is all that is known. */
static struct str kind_word(const struct trace *tr, const struct pair_row *p)
{
    const struct str reason = trace_str(tr, p->reason);
    return for_collector(tr, p)                ? str_of(wait_kind_name(WK_GC))
           : p->kind == WK_OTHER && reason.len ? reason
                                               : str_of(stacks_wait_name(tr, p->kind, p->stack));
}

/* Rows of one number say the same word. */
static uint64_t kind_number(const struct trace *tr, const struct pair_row *p)
{
    const bool pipe = p->kind == WK_NET && stacks_pipe(tr, p->stack);
    return pipe                   ? UINT64_MAX
           : for_collector(tr, p) ? WK_GC
           : p->kind == WK_OTHER  ? (uint64_t)WK_KINDS + p->reason
                                  : p->kind;
}

static struct wait_pair pair_of(const struct trace *tr, const struct pair_row *p)
{
    struct wait_pair w = {*p, function_of(tr, p->stack), function_of(tr, p->waker_stack), 0, 1};
    uint32_t asks = p->kind == WK_LOCK ? holder_place(tr, p->stack) : 0;
    w.asks = asks == w.from ? 0 : asks;
    return w;
}

static void pair_more(struct wait_pair *w, const struct pair_row *p)
{
    const int64_t was = w->p.longest.t1 - w->p.longest.t0;
    struct pair_row sum = p->longest.t1 - p->longest.t0 > was ? *p : w->p;
    sum.total = ns_add(w->p.total, p->total);
    sum.count = w->p.count + p->count;
    sum.futile = w->p.futile + p->futile;
    w->p = sum;
    w->places++;
}

static int by_total(const void *a, const void *b)
{
    const struct wait_pair *x = a, *y = b;
    return x->p.total != y->p.total ? (x->p.total < y->p.total) - (x->p.total > y->p.total)
           : x->p.longest.t0 != y->p.longest.t0
               ? (x->p.longest.t0 > y->p.longest.t0) - (x->p.longest.t0 < y->p.longest.t0)
               : (x->from > y->from) - (x->from < y->from);
}

static bool pairs_list(struct tri *t)
{
    const struct triage *tg = t->tg;
    struct tab map = {0};
    struct wait_pair *v = mem_resize(t->pair, ((size_t)tg->npairs + 1) * sizeof *v);
    bool ok = v != NULL;
    if (ok)
        t->pair = v;
    t->npairs = 0;
    for (uint32_t i = 0; ok && i < tg->npairs; i++) {
        const struct pair_row *p = &tg->pairs[i];
        if (!contended(p))
            continue;
        struct wait_pair w = pair_of(t->tr, p);
        /* without names nothing is known to be the same */
        uint64_t a = kind_number(t->tr, p) << 32 | (w.from ? w.from : UINT32_MAX - p->stack),
                 b = (uint64_t)w.asks << 32 | (w.to ? w.to : UINT32_MAX - p->waker_stack);
        uint32_t k = tab_put(&map, a, b, t->npairs);
        ok = k != TAB_NONE;
        if (ok && k == t->npairs)
            v[t->npairs++] = w;
        else if (ok)
            pair_more(&v[k], p);
    }
    tab_free(&map);
    if (ok && t->npairs)
        qsort(v, t->npairs, sizeof *v, by_total);
    return ok;
}

int64_t waits_pairs(const struct tri *t)
{
    int64_t n = 0;
    for (uint32_t i = 0; i < t->npairs; i++)
        n += (int64_t)t->pair[i].p.count;
    return n;
}

static void add(struct tri *t, enum wait_row_kind k, uint32_t i)
{
    t->wait[t->nwait++] = (struct wait_ref){(uint8_t)k, i};
}

bool waits_list(struct tri *t)
{
    const struct triage *tg = t->tg;
    size_t most = 8 + (size_t)tg->npairs + tg->nworst + tg->nwaits + tg->nsyscalls;
    t->nwait = 0;
    struct wait_ref *w = most < ROWS_MOST * (size_t)8 ? mem_resize(t->wait, most * sizeof *w) : NULL;
    if (!w)
        return false;
    t->wait = w;
    if (!pairs_list(t))
        return false;
    add(t, WAIT_HEAD, SECTION_PAIRS);
    for (int k = 0; k < 3; k++)
        for (uint32_t i = 0; i < t->npairs; i++)
            if (rank(&t->pair[i].p) == k)
                add(t, WAIT_PAIR, i);
    if (t->nwait == 1)
        t->nwait = 0;
    add(t, WAIT_HEAD, SECTION_SCHED);
    add(t, WAIT_SCHED, 0);
    if (tg->sched_system.n)
        add(t, WAIT_SCHED, SCHED_RUNTIME);
    for (uint32_t i = 0; i < tg->nworst; i++)
        add(t, WAIT_WORST, i);
    if (tg->nwaits)
        add(t, WAIT_HEAD, SECTION_PLACES);
    for (uint32_t i = 0; i < tg->nwaits; i++)
        add(t, WAIT_PLACE, i);
    if (tg->nsyscalls)
        add(t, WAIT_HEAD, SECTION_SYSCALLS);
    for (uint32_t i = 0; i < tg->nsyscalls; i++)
        add(t, WAIT_SYSCALL, i);
    return true;
}

static uint32_t count(const struct view *v)
{
    return v->tri->nwait;
}

static bool skip(const struct view *v, uint32_t row)
{
    return v->tri->wait[row].kind == WAIT_HEAD;
}

/* ---- moving -------------------------------------------------------------------------------------------- */

/* To the next or previous section's first row. */
static unsigned waits_side(struct view *v, int n)
{
    const struct tri *t = v->tri;
    int64_t r = v->at.row;
    int by = n < 0 ? -1 : 1;
    if (n < 0) { /* the head of this section, so that the step leads before it */
        while (r > 0 && t->wait[r].kind != WAIT_HEAD)
            r--;
        r--;
    }
    while (r >= 0 && r < t->nwait && t->wait[r].kind != WAIT_HEAD)
        r += by;
    if (r < 0 || r + 1 >= t->nwait)
        return move_fail(v, n < 0 ? "this is the first section" : "this is the last section");
    move_push(v, STEP_JUMP);
    v->at.row = (uint32_t)r + 1;
    v->at.top = (uint32_t)r;
    return VR_DRAW;
}

static struct moment moment_of(const struct tri *t, struct wait_ref w)
{
    const struct triage *tg = t->tg;
    switch (w.kind) {
    case WAIT_PAIR: return t->pair[w.i].p.longest;
    case WAIT_PLACE: return tg->waits[w.i].longest;
    case WAIT_SYSCALL: return tg->syscalls[w.i].longest;
    case WAIT_SCHED:
    case WAIT_WORST: /* the first of these is the longest of the program's waits */
        if (w.i < tg->nworst)
            return (struct moment){tg->worst[w.i].t0, tg->worst[w.i].t1, tg->worst[w.i].g, NO_LANE};
        break;
    default: break;
    }
    return (struct moment){0, 0, NO_LANE, NO_LANE};
}

static void detail(struct text *t, const struct view *v, uint32_t row, int line);

/* A wait for a processor is looked at where the others had it: on the processors, at that time. */
static unsigned enter(struct view *v)
{
    struct wait_ref w = v->tri->wait[v->at.row];
    struct moment m = moment_of(v->tri, w);
    struct text t = {.ticks = when_ticks(v->tr)};
    if (m.g == NO_LANE)
        return move_fail(v, "%s",
                         w.kind == WAIT_SCHED && w.i == SCHED_RUNTIME
                             ? "gotop does not keep which of these waits was the longest; view 5 has these "
                               "goroutines by group"
                             : "there was no such wait");
    detail(&t, v, v->at.row, 1); /* who had the processors meanwhile */
    unsigned f = tri_goto(v, tri_g(m.g), m.t0, m.t1);
    if (t.p && (w.kind == WAIT_SCHED || w.kind == WAIT_WORST))
        view_message(v, false, "%s", t.p);
    text_free(&t);
    return f;
}

static bool about(const struct view *v, uint32_t *g, int64_t *t0, int64_t *t1)
{
    if (!tri_rows(v) || v->at.row >= tri_rows(v))
        return false;
    const struct wait_ref w = v->tri->wait[v->at.row];
    const struct moment m = moment_of(v->tri, w);
    *g = m.g;
    *t0 = m.t0;
    *t1 = m.t1;
    return m.g != NO_LANE && !(w.kind == WAIT_SYSCALL && tri_untimed(v->tr, m.t1 - m.t0));
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

static int head_lines(const struct view *v, int rows)
{
    (void)v;
    return rows > 4 ? 1 : 0;
}

/* Where the words begin: a narrow screen has no column for the longest and for bars. */
enum { NARROW = 64, WIDE = 100, BAR_AT = 30 };
static int bar_width(int w)
{
    return w < NARROW ? 0 : w < WIDE ? 6 : 10;
}

static int words_at(int w)
{
    return w < NARROW ? 20 : BAR_AT + bar_width(w) + 2;
}

/* Where who ended a wait stands, in a column of its own; 0: there is no room, and an arrow leads to it. */
static int ended_at(int w)
{
    const int x = words_at(w), least = 40;
    return w - x < least ? 0 : x + (w - x) * 3 / 5;
}

static void head(struct grid *g, struct view *v, int y, int n)
{
    (void)v;
    if (!n)
        return;
    grid_fill(g, 0, y, g->w, 1, ' ', STYLE_RULER);
    tri_say(g, 2, y, g->w, STYLE_RULER, "   total    count%s", g->w < NARROW ? "" : "  longest");
    tri_say(g, words_at(g->w), y, g->w - words_at(g->w), STYLE_RULER, "what");
}

static void section(struct grid *g, const struct view *v, uint32_t i, int y)
{
    static const char *const names[] = {"Contention", "Runnable: waits for a processor",
                                        "Waits by reason and place", "System calls by place"};
    const int x = tri_say(g, 0, y, g->w, STYLE_STATUS_KEY, "%s", names[i]), at = ended_at(g->w);
    (void)v;
    if (i)
        return;
    if (!at) {
        tri_say(g, x, y, g->w - x, STYLE_STATUS_KEY, ": who waited <- who ended the wait");
        return;
    }
    tri_say(g, words_at(g->w), y, at - words_at(g->w), STYLE_STATUS_KEY, "who waited");
    tri_say(g, at, y, g->w - at, STYLE_STATUS_KEY, "%s",
            g->w - at >= 32 ? "ended by (not always the holder)" : "ended by");
}

/* So much of what the first row of its section has, which is the longest. */
static void bar(struct grid *g, const struct view *v, int y, int64_t total, int64_t most, enum style s)
{
    tri_bar(g, v, BAR_AT, y, bar_width(g->w), total, most, s);
}

/* The largest total among the pairs: they are in three groups, each with its largest first. */
static int64_t pairs_most(const struct tri *t)
{
    int64_t most = 0;
    for (uint32_t i = 0; i < t->npairs; i++)
        most = t->pair[i].p.total > most ? t->pair[i].p.total : most;
    return most;
}

static void numbers(struct grid *g, const struct view *v, int y, enum style s, int64_t total, uint64_t n,
                    int64_t longest)
{
    char d[FMT_MAX];
    tri_cell(g, 2, y, 8, s, tri_dur(v->tr, total, d));
    tri_cell(g, 10, y, 9, s, fmt_count(n, d));
    if (g->w >= NARROW)
        tri_cell(g, 19, y, 9, s, tri_dur(v->tr, longest, d));
}

static void call_numbers(struct grid *g, const struct view *v, int y, enum style s,
                         const struct syscall_row *r)
{
    char n[FMT_MAX];
    if (!tri_none_timed(v->tr, r->count, r->total)) {
        numbers(g, v, y, s, r->total, r->count, r->longest.t1 - r->longest.t0);
        return;
    }
    tri_cell(g, 2, y, 8, s, TRI_UNTIMED);
    tri_cell(g, 10, y, 9, s, fmt_count(r->count, n));
    if (g->w >= NARROW)
        tri_cell(g, 19, y, 9, s, "-");
}

static struct str name_of(const struct trace *tr, uint32_t func)
{
    return func ? trace_str(tr, func) : str_of("(not recorded)");
}

/* Where there are no names the caller's program counter tells places apart: that of the call itself is the
 * library's. */
static struct str place_of(const struct trace *tr, uint32_t func, uint32_t stack, char pc[32])
{
    const uint32_t n = func ? 0 : trace_stack(tr, stack);
    if (!n)
        return name_of(tr, func);
    snprintf(pc, 32, "0x%" PRIx64, trace_frame(tr, stack, n > 1).pc);
    return str_of(pc);
}

/* Who waited, and in the other column who ended it. */
static void pair_ends(struct grid *g, const struct view *v, const struct wait_pair *p, int y, enum style s)
{
    char from_pc[32], to_pc[32], kind[64], name[512];
    const int x = words_at(g->w), at = ended_at(g->w);
    const bool ascii = glyph_dots(v->scr.tier);
    const struct str from = place_of(v->tr, p->from, p->p.stack, from_pc),
                     to = place_of(v->tr, p->to, p->p.waker_stack, to_pc);
    (void)str_shorten(kind_word(v->tr, &p->p), 12, ascii, kind, sizeof kind);
    const int room = at - x - (int)strlen(kind) - 3, wide = str_width(from, room);
    (void)str_shorten(from, room, ascii, name, sizeof name);
    int end = tri_say(g, x, y, at - x - 2, s, "%s %s", kind, name);
    if (p->asks && room - wide >= 16) {
        (void)str_shorten(name_of(v->tr, p->asks), room - wide - 4, ascii, name, sizeof name);
        (void)tri_say(g, end, y, at - end - 2, s, " at %s", name);
    }
    (void)str_shorten(to, g->w - at, ascii, name, sizeof name);
    grid_str(g, at, y, g->w - at, name, s);
}

/* Both ends of the arrow whole, or each in half of the room, and in what the other leaves free; who asked for
 * the lock, where that is another function and all has room. */
static void pair_text(struct text *t, const struct view *v, const struct wait_pair *p)
{
    char from_pc[32], to_pc[32];
    const struct str from = place_of(v->tr, p->from, p->p.stack, from_pc),
                     to = place_of(v->tr, p->to, p->p.waker_stack, to_pc);
    const bool ascii = glyph_dots(v->scr.tier);
    char a[512], b[512], c[512] = "", kind[64];
    (void)str_shorten(kind_word(v->tr, &p->p), 24, ascii, kind, sizeof kind);
    int room = v->scr.w - words_at(v->scr.w) - (int)strlen(kind) - 5;
    room = room < 8 ? 8 : room;
    const int wa = str_width(from, room), wb = str_width(to, room);
    const int left = wa + wb <= room ? wa : wa <= room / 2 ? wa : wb <= room / 2 ? room - wb : room / 2;
    const int spare = room - wa - wb - 4; /* " at " */
    if (p->asks && spare >= 16)
        (void)str_shorten(name_of(v->tr, p->asks), spare, ascii, c, sizeof c);
    (void)str_shorten(from, left, ascii, a, sizeof a);
    (void)str_shorten(to, room - left, ascii, b, sizeof b);
    text_add(t, "%s %s%s%s <- %s", kind, a, *c ? " at " : "", c, b);
}

static void place_text(struct text *t, const struct view *v, uint32_t reason, uint32_t stack)
{
    text_wait(t, v->tr, reason, stack);
    if (trace_stack(v->tr, stack)) {
        text_lit(t, " at ");
        text_where(t, v->tr, stack, 100);
    }
}

static void sched_numbers(struct grid *g, const struct view *v, int y, enum style s, bool system,
                          struct text *t)
{
    const struct triage *tg = v->tri->tg;
    struct dist d;
    hist_dist(system ? &tg->sched_system : &tg->sched, &d);
    numbers(g, v, y, s, runnable_total(tg, system), d.n, d.max);
    char p50[FMT_MAX], p90[FMT_MAX], p99[FMT_MAX],
        max[FMT_MAX]; /* short: a line cut within a number is wrong */
    text_add(t, "%s: p50 %s p90 %s p99 %s", system ? "runtime" : "program", tri_dur(v->tr, d.p50, p50),
             tri_dur(v->tr, d.p90, p90), tri_dur(v->tr, d.p99, p99));
    if (g->w < NARROW) /* else a column has it */
        text_add(t, " max %s", tri_dur(v->tr, d.max, max));
}

static void words(struct grid *g, const struct view *v, int x, int y, enum style s, const struct text *t)
{
    char safe[1200];
    str_where((struct str){t->p ? t->p : "", (uint32_t)t->n}, g->w - x, glyph_dots(v->scr.tier), safe,
              sizeof safe);
    grid_str(g, x, y, g->w - x, safe, s);
}

static void row(struct grid *g, struct view *v, uint32_t i, int y, bool focus)
{
    const struct triage *tg = v->tri->tg;
    struct wait_ref w = v->tri->wait[i];
    enum style s = focus ? STYLE_LANE_FOCUS : STYLE_NORMAL;
    struct text t = {.ticks = when_ticks(v->tr)};
    char d[FMT_MAX], who[400];
    if (w.kind == WAIT_HEAD) {
        section(g, v, w.i, y);
        return;
    }
    if (focus)
        grid_fill(g, 0, y, g->w, 1, ' ', s);
    switch (w.kind) {
    case WAIT_PAIR:
        numbers(g, v, y, s, v->tri->pair[w.i].p.total, v->tri->pair[w.i].p.count,
                moment_of(v->tri, w).t1 - moment_of(v->tri, w).t0);
        bar(g, v, y, v->tri->pair[w.i].p.total, pairs_most(v->tri), STYLE_WAITING);
        if (ended_at(g->w))
            pair_ends(g, v, &v->tri->pair[w.i], y, s);
        else
            pair_text(&t, v, &v->tri->pair[w.i]);
        break;
    case WAIT_PLACE:
        numbers(g, v, y, s, tg->waits[w.i].total, tg->waits[w.i].count,
                moment_of(v->tri, w).t1 - moment_of(v->tri, w).t0);
        bar(g, v, y, tg->waits[w.i].total, tg->waits[0].total, STYLE_WAITING);
        place_text(&t, v, tg->waits[w.i].reason, tg->waits[w.i].stack);
        break;
    case WAIT_SYSCALL:
        call_numbers(g, v, y, s, &tg->syscalls[w.i]);
        if (!tri_none_timed(v->tr, tg->syscalls[w.i].count, tg->syscalls[w.i].total))
            bar(g, v, y, tg->syscalls[w.i].total, tg->syscalls[0].total, STYLE_SYSCALL);
        text_where(&t, v->tr, tg->syscalls[w.i].stack, 100);
        break;
    case WAIT_SCHED: sched_numbers(g, v, y, s, w.i == SCHED_RUNTIME, &t); break;
    case WAIT_WORST:
        tri_cell(g, g->w < NARROW ? 10 : 19, y, 9, s,
                 tri_dur(v->tr, tg->worst[w.i].t1 - tg->worst[w.i].t0, d));
        bar(g, v, y, tg->worst[w.i].t1 - tg->worst[w.i].t0, tg->worst[0].t1 - tg->worst[0].t0,
            STYLE_RUNNABLE);
        text_lit(&t, "@");
        text_dur(&t, tg->worst[w.i].t0);
        text_lit(&t, "  ");
        name_goroutine(v, tg->worst[w.i].g, v->scr.w - words_at(v->scr.w) - (int)t.n, who, sizeof who);
        text_add(&t, "%s", who);
        break;
    default: break;
    }
    const int x = words_at(g->w);
    if (w.kind == WAIT_SCHED) /* numbers: what has no room is left out */
        tri_say(g, x, y, g->w - x, s, "%s", t.p ? t.p : "");
    else
        words(g, v, x, y, s, &t);
    text_free(&t);
}

/* ---- status -------------------------------------------------------------------------------------------- */

static void detail_pair(struct text *t, const struct view *v, const struct wait_pair *w, int line)
{
    const struct pair_row *p = &w->p;
    if (line == 0) {
        if (p->waiter) {
            text_func(t, v->tr, p->waiter, 40);
            text_lit(t, " ");
        }
        text_lit(t, "waited at ");
        text_at(t, v->tr, p->stack, 80);
        if (w->places > 1) /* what stands here and below is of the longest */
            text_add(t, "; one of %u pairs of stacks", w->places);
        return;
    }
    const struct holder_row *h =
        p->kind == WK_LOCK ? holder_at(v->tri->tg, holder_place(v->tr, p->stack)) : NULL;
    if (h && h->told > 0) { /* who woke it may have held it for a moment only: the holder first */
        text_lit(t, "held by ");
        holder_text(t, v->tr, h);
        text_lit(t, "; ");
    }
    text_lit(t, "ended by ");
    if (p->longest_waker != NO_LANE)
        text_who(t, v->tr, p->longest_waker);
    else
        text_func(t, v->tr, p->waker, 40);
    if (trace_stack(v->tr, p->waker_stack)) {
        text_lit(t, " at ");
        text_where(t, v->tr, p->waker_stack, 80);
    }
    if (p->futile)
        text_add(t, "; %" PRIu64 " of %" PRIu64 " ran for less than %dus and waited there again", p->futile,
                 p->count, FUTILE_RUN / 1000);
}

static void detail_worst(struct text *t, const struct view *v, const struct sched_wait *w, int line);

static void power(struct text *t, int64_t ns)
{
    static const char *const unit[] = {"ns", "us", "ms", "s"};
    int u = 0;
    for (; !t->ticks && u < 3 && ns >= 1000; u++)
        ns /= 1000;
    text_add(t, "%" PRId64 "%s", ns, t->ticks ? "t" : unit[u]);
}

/* How many by decade, the longest first: "lasted 10ms..100ms: 71, 1ms..10ms: 169, .., less: 4". */
static void detail_sched(struct text *t, const struct view *v, bool system, int line)
{
    enum { LEAST = 1000 };
    const int64_t most = 1000000000000;
    const struct triage *tg = v->tri->tg;
    const struct hist *h = system ? &tg->sched_system : &tg->sched;
    if (line == 1) {
        const int64_t before = runnable_total(tg, system) - h->total;
        if (before > 0) {
            text_lit(t, "the total alone counts those that began before the trace: ");
            text_dur(t, before);
        } else if (tg->nworst && !system) {
            text_lit(t, "the longest: ");
            detail_worst(t, v, &tg->worst[0], 1);
        }
        return;
    }
    text_lit(t, "lasted ");
    bool first = true;
    for (int64_t hi = most; hi >= LEAST; hi /= 10) {
        const int64_t lo = hi > LEAST ? hi / 10 : 0;
        const uint64_t n =
            hist_between(h, 0, hi < most ? hi : INT64_MAX) - hist_between(h, 0, lo); /* each counts once */
        if (!n)
            continue;
        text_raw(t, ", ", first ? 0 : 2);
        if (lo) {
            power(t, lo);
            text_lit(t, "..");
            power(t, hi);
        } else {
            text_lit(t, "less");
        }
        text_add(t, ": %" PRIu64, n);
        first = false;
    }
}

/* One of several parts of a whole; none is not told. */
static int64_t part(struct text *t, const char *name, int64_t ns, int64_t all)
{
    if (ns <= 0)
        return 0;
    text_add(t, "%s%s ", t->n && t->p[t->n - 1] != ' ' ? ", " : "", name);
    text_share(t, (double)ns, (double)all);
    return ns;
}

static void detail_worst(struct text *t, const struct view *v, const struct sched_wait *w, int line)
{
    if (line == 0) {
        text_who(t, v->tr, w->g);
        text_lit(t, " was runnable for ");
        text_dur(t, w->t1 - w->t0);
        text_add(t, "%s", w->preempted ? ", stopped while it ran" : ", woken by ");
        if (!w->preempted)
            text_who(t, v->tr, w->waker);
        return;
    }
    int64_t left = w->all_ns;
    if (left <= 0)
        return;
    text_lit(t, "processors meanwhile: ");
    for (uint32_t i = 0; i < w->nran; i++) {
        text_raw(t, ", ", i ? 2 : 0);
        text_func(t, v->tr, w->ran[i], 40);
        text_lit(t, " ");
        text_share(t, (double)w->ran_ns[i], (double)w->all_ns);
        left -= w->ran_ns[i];
    }
    left -= part(t, "idle", w->idle_ns, w->all_ns);
    left -= part(t, "system calls", w->syscall_ns, w->all_ns);
    left -= part(t, "stop-the-world", w->stopped_ns, w->all_ns);
    (void)part(t, "others, or looking for work", left, w->all_ns);
    if (w->gc_ns > 0) { /* by goroutines that are named above, or others */
        text_lit(t, "; of all this for the collector ");
        text_share(t, (double)w->gc_ns, (double)w->all_ns);
    }
}

static void detail_place(struct text *t, const struct view *v, const struct wait_row *w, int line)
{
    if (line == 0) {
        place_text(t, v, w->reason, w->stack);
        return;
    }
    text_add(t, "%" PRIu64 " wait%s", w->count, w->count == 1 ? "" : "s");
    if (w->open)
        text_add(t, ", %" PRIu64 " not over at the end", w->open);
    text_lit(t, "; longest ");
    text_dur(t, w->longest.t1 - w->longest.t0);
    text_lit(t, " @");
    text_dur(t, w->longest.t0);
    text_lit(t, " of ");
    text_who(t, v->tr, w->longest.g);
}

static void detail_syscall(struct text *t, const struct view *v, const struct syscall_row *s, int line)
{
    if (line == 0) {
        text_lit(t, "system call at ");
        text_where(t, v->tr, s->stack, 100);
        return;
    }
    text_add(t, "%" PRIu64 " call%s, ", s->count, s->count == 1 ? "" : "s");
    if (tri_none_timed(v->tr, s->count, s->total)) {
        text_lit(t, TRI_NOT_TIMED ": before Go 1.22 only those that lost their processor are; the first @");
        text_dur(t, s->longest.t0);
        text_lit(t, " of ");
        text_who(t, v->tr, s->longest.g);
        return;
    }
    text_add(t, "%" PRIu64 " lost %s processor; longest ", s->blocking, s->blocking == 1 ? "its" : "their");
    text_dur(t, s->longest.t1 - s->longest.t0);
    text_lit(t, " @");
    text_dur(t, s->longest.t0);
    text_lit(t, " of ");
    text_who(t, v->tr, s->longest.g);
}

static void detail(struct text *t, const struct view *v, uint32_t i, int line)
{
    const struct triage *tg = v->tri->tg;
    struct wait_ref w = v->tri->wait[i];
    switch (w.kind) {
    case WAIT_PAIR: detail_pair(t, v, &v->tri->pair[w.i], line); break;
    case WAIT_SCHED: detail_sched(t, v, w.i == SCHED_RUNTIME, line); break;
    case WAIT_WORST: detail_worst(t, v, &tg->worst[w.i], line); break;
    case WAIT_PLACE: detail_place(t, v, &tg->waits[w.i], line); break;
    case WAIT_SYSCALL: detail_syscall(t, v, &tg->syscalls[w.i], line); break;
    default: break;
    }
}

/* Who held the lock, or ended the wait, comes first: that stands where there is room for a part only. */
static bool lists(const struct view *v, uint32_t i)
{
    return v->tri->wait[i].kind == WAIT_PAIR;
}

static const struct tri_view tri_waits = {.rows = count,
                                          .skip = skip,
                                          .head = head,
                                          .head_lines = head_lines,
                                          .row = row,
                                          .detail = detail,
                                          .lists = lists,
                                          .enter = enter};
const struct view_kind kind_waits = {
    IS_TABLE,
    .status_most = tri_status_most,
    .about = about,
    .list = &tri_waits,
    .answer = {ANSWER_ROWS, ANSWER_SIDE(waits_side)},
    .refusal = {REFUSE_ZOOM, REFUSE_SORT, REFUSE_SELECT},
    .word = {[REQ_DETAILS] = "the longest", ANSWER_SIDE("section")},
};
