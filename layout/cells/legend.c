/*
 * legend.c - see legend.h.
 */
#include "layout/cells/legend.h"

struct utf8 {
    char s[5];
};

static struct utf8 text(uint32_t glyph)
{
    struct utf8 u;
    u.s[utf8_write(glyph, u.s)] = 0;
    return u;
}

/* Adds the glyph of a state in its colour, and its word. */
static void state(struct rich *r, uint32_t glyph, enum state s, enum style words)
{
    rich_add(r, (enum style)(STYLE_STATE + (int)s), "%s", text(glyph).s);
    rich_add(r, words, " %s  ", state_name(s));
}

static void legend_mark(struct rich *r, uint32_t glyph, enum style s, const char *word)
{
    rich_add(r, s, "%s", text(glyph).s);
    rich_add(r, STYLE_POPUP, " %s  ", word);
}

static uint32_t work_glyph(enum tier t, bool mono, enum state s)
{
    return s != ST_RUNNING && (mono || t == TIER_ASCII) ? glyph_busy(s, true) : glyph_height(t, 8);
}

static void legend_work(struct rich *r, enum tier t, bool mono, enum style words)
{
    static const enum state of[] = {ST_RUNNING, ST_GCWORK, ST_ASSIST, ST_SWEEP, ST_SYSCALL};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        state(r, work_glyph(t, mono, of[i]), of[i], words);
    state(r, glyph_state(t, ST_SCHED), ST_SCHED, words);
}

static void lives(struct rich *r, enum tier t, bool mono, enum style words)
{
    static const enum state of[] = {ST_RUNNING, ST_RUNNABLE, ST_SYSCALL, ST_WAITING, ST_UNKNOWN};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        state(r, glyph_state(t, of[i]), of[i], words);
    state(r, work_glyph(t, mono, ST_ASSIST), ST_ASSIST, words);
}

void legend_line(enum tier t, bool mono, bool goroutines, struct rich *out)
{
    (goroutines ? lives : legend_work)(out, t, mono, STYLE_FOOTER);
}

void legend_page(enum tier t, struct rich *out)
{
    static const enum state bar[] = {ST_RUNNING, ST_RUNNABLE, ST_SYSCALL, ST_WAITING, ST_ASSIST, ST_STW};
    rich_say(out, STYLE_POPUP_HEAD, "What the page shows");
    rich_add(out, STYLE_POPUP, "Findings:  ");
    rich_add(out, STYLE_ERROR, "!!");
    rich_add(out, STYLE_POPUP, " takes half of the time or more,  ");
    rich_add(out, STYLE_WARN, "!");
    rich_add(out, STYLE_POPUP, " takes less,  . is a note.");
    rich_say(out, STYLE_POPUP,
             "WORK: what the program does again and again. usual: those around the median; slow: "
             "the slowest tenth, or fewer that stand out.");
    rich_add(out, STYLE_POPUP, "Bars:  ");
    for (size_t i = 0; i < sizeof bar / sizeof *bar; i++)
        state(out, t == TIER_ASCII ? glyph_state(t, bar[i]) : glyph_height(t, 8), bar[i], STYLE_POPUP);
    rich_para(out);
    rich_add(out, STYLE_POPUP, "busy: of the processors. queue: runnable goroutines, on average.  ");
    legend_mark(out, glyph_height(t, 8), STYLE_RUNQ_OVER, "more than there are processors");
    rich_para(out);
    rich_add(out, STYLE_POPUP, "when: a full mark is where Enter leads, half a mark is a slow one.");
}

void legend_all(enum tier t, bool mono, struct rich *out)
{
    const bool signs = mono || t == TIER_ASCII;
    rich_say(out, STYLE_POPUP_HEAD, "What the screen shows");
    rich_add(out, STYLE_POPUP, "Processors, threads: the height is how busy, the %s says with what:  ",
             signs ? "sign" : "colour");
    legend_work(out, t, mono, STYLE_POPUP);
    rich_para(out);
    rich_add(out, STYLE_POPUP, "Goroutines:  ");
    lives(out, t, mono, STYLE_POPUP);
    legend_mark(out, glyph_mark(t, MARK_TRACE), STYLE_RUNNABLE,
                signs ? "mostly waiting" : "waits mostly; the colour says what else");
    rich_add(out, STYLE_POPUP, "x8 is eight of one function, added up.");
    rich_para(out);
    rich_add(out, STYLE_POPUP, "Bands:  ");
    legend_mark(out, glyph_height(t, 8), STYLE_GC, "GC mark phase");
    legend_mark(out, glyph_mark(t, MARK_STW), STYLE_STW, "stop-the-world, however short");
    rich_para(out);
    rich_add(out, STYLE_POPUP, "Curves:  ");
    legend_mark(out, glyph_height(t, 8), STYLE_HEAP, "heap");
    legend_mark(out, glyph_height(t, 8), STYLE_HEAP_OVER, "above goal");
    legend_mark(out, glyph_mark(t, MARK_GOAL), STYLE_GOAL, "goal");
    legend_mark(out, glyph_height(t, 8), STYLE_RUNQ, "queue: runnable goroutines");
    legend_mark(out, glyph_height(t, 8), STYLE_RUNQ_OVER, "longer than there are processors");
    rich_para(out);
    rich_add(out, STYLE_POPUP, "Numbers beside names count the window; heap and queue are at the cursor.");
}
