/*
 * interactive.c - the loop: keys first, then a slice of work, then at most one frame.
 *
 * All keys that have arrived are obeyed before anything is drawn, so a held key never queues up pictures. A
 * frame comes at most every FRAME_MS, later where the terminal takes long to swallow one, and only if
 * something changed.
 */
#include "viewer/session/interactive.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "decode/base/door.h"
#include "decode/base/host.h"
#include "layout/views/tri.h"
#include "viewer/session/app_live.h"
#include "viewer/session/pair.h"
#include "viewer/session/picture.h"
#include "viewer/term/signals.h"

enum {
    FRAME_MS = 50,
    WHOLE_MS = 40,
    PROGRESS_MS = 100,
    SLICE_NS = 15 * 1000 * 1000,
    LIVE_MS = 40,
    EMPTY_MS = 250,
    ANSWER_MS = 50 /* most answer within a few ms; the first picture has the right colours then */
};

struct loop {
    struct app *a;
    struct term *t;
    bool dirty, quit, live_busy;
    int64_t next_frame; /* ms; no frame before that */
    int64_t next_progress;
    int64_t empty;  /* ms; since when the view has nothing to show. 0: it has */
    uint64_t drawn; /* bytes of the last frame */
    int64_t began;
    bool logs; /* for --debug and bench/term-bytes: write the cost of each frame */
    size_t frames;
    uint32_t keys;
    int yank_fd; /* the file that copies go to, too; -1: none yet */
    char yank_path[256];
};

static int64_t now_us(void)
{
    return host_now() / 1000;
}

static int64_t now_ms(void)
{
    return now_us() / 1000;
}

/* Obey what the terminal has answered: UTF-8, its ground. */
static void answers(struct loop *l)
{
    struct app *a = l->a;
    const struct term_now now = term_now(l->t);
    if (now.utf8 && !a->utf8) {
        a->utf8 = true;
        a->view.scr.tier = a->utf8_tier;
        l->dirty = true;
    }
    if (!l->frames && !now.awaits)
        l->next_frame = 0;
    if (!a->colours.by_ground || now.ground == GROUND_UNKNOWN)
        return;
    a->colours.by_ground = false;
    a->colours.palette = palette_on(a->colours.palette, now.ground);
    if (!a->colours.none)
        term_palette(l->t, a->colours.palette, a->view.scr.mono);
    l->dirty = true;
}

static void resized(struct loop *l)
{
    int w, h;
    term_size(l->t, &w, &h);
    (void)app_resize(l->a, w, h);
    l->dirty = true;
}

/* Nothing tells whether a terminal, tmux or ssh lets a copy through to the clipboard. So a copy also goes
 * into a private file, one for all copies, which is removed when gotop ends. */
static bool yank_to_file(struct loop *l)
{
    const struct app *a = l->a;
    size_t n = strlen(a->yank);
    if (l->yank_fd < 0)
        l->yank_fd = signals_copy(l->yank_path, sizeof l->yank_path);
    return l->yank_fd >= 0 && ftruncate(l->yank_fd, 0) == 0 &&
           pwrite(l->yank_fd, a->yank, n, 0) == (ssize_t)n;
}

static void yank(struct loop *l)
{
    struct view *v = &l->a->view;
    const size_t n = strlen(l->a->yank);
    const bool taken = term_clipboard(l->t, l->a->yank, n), kept = yank_to_file(l);
    enum { WORDS_COLS = 40 };
    char what[4 * WORDS_COLS + 1];
    if (!taken) {
        view_message(v, !kept,
                     kept ? "the terminal's clipboard does not take it: it is in %s until gotop ends"
                          : "the terminal's clipboard does not take it, and gotop can't write %s",
                     l->yank_path);
    } else if (kept && strncmp(v->msg.text, "copied: ", 8) == 0) {
        (void)str_head(str_of(v->msg.text + 8), WORDS_COLS, what, sizeof what);
        const bool cut = strlen(v->msg.text + 8) > strlen(what);
        view_message(v, false, "copied, until gotop ends also to %s: %s%s", l->yank_path, what,
                     cut ? " .." : "");
    }
}

static void obey(struct loop *l, unsigned flags)
{
    struct app *a = l->a;
    if (flags & ~(unsigned)VR_WORK)
        l->dirty = true;
    if (flags & AR_PALETTE)
        term_palette(l->t, a->colours.palette, a->view.scr.mono);
    if (flags & AR_REDRAW)
        term_redraw(l->t);
    if (flags & VR_YANK)
        yank(l);
    if (flags & AR_PICTURE)
        l->dirty |= picture_write(a) != VR_NONE;
    if (flags & VR_QUIT)
        l->quit = true;
    if ((flags & AR_SUSPEND) && !l->quit) {
        if (a->follow)
            app_live_pause(a);
        if (!term_suspend(l->t))
            move_fail(&a->view, "there is no shell to suspend to");
        resized(l);
    }
}

static void take_keys(struct loop *l)
{
    struct key_event ev;
    while (!l->quit && term_key(l->t, &ev)) {
        l->keys++;
        obey(l, app_key(l->a, &ev));
        l->a = pair_shown(l->a);
    }
}

/* Progress must not fill a slow line, since keys need it. */
static int64_t progress_ms(const struct loop *l)
{
    enum { BYTES_A_MS = 20 };
    int64_t ms = (int64_t)(l->drawn / BYTES_A_MS);
    return ms > PROGRESS_MS ? ms : PROGRESS_MS;
}

/* A file that is still being written ends as a damaged one does. */
static void tell_writing(struct app *a)
{
    enum { FRESH_S = 10 };
    struct stat st;
    const struct trace_info *ti = trace_info(a->tr);
    if (!ti->ndamages || stat(ti->path, &st) || !S_ISREG(st.st_mode) || time(NULL) - st.st_mtime > FRESH_S)
        return;
    view_message(&a->view, true, "this file was written just now and may not be complete yet: %s",
                 ti->second_family ? "gotop --follow FILE shows it as it comes" : "open it again later");
}

/* Do a slice of what is due. Progress is shown now and then. */
static void loop_work(struct loop *l)
{
    struct app *a = l->a;
    unsigned flags;
    if (a->follow)
        obey(l, app_live(a, SLICE_NS, &l->live_busy));
    unsigned phase = app_step(a, SLICE_NS, &flags);
    obey(l, flags);
    if (phase == DUE_LOAD) {
        if (!app_has(a, DUE_LOAD)) {
            a->took_ms = now_ms() - l->began;
            l->quit |= trace_fatal(a->tr) != NULL;
            tell_writing(a);
        }
    }
    if (phase == DUE_LOAD && now_ms() >= l->next_progress) {
        l->dirty = true;
        l->next_progress = now_ms() + progress_ms(l);
    }
}

/* Draw into app.grid. What the picture lacks is often a few milliseconds of work, so that is done first: then
 * the terminal gets one picture, and not one without it and one with it. */
static bool draw_whole(struct app *a, int64_t until)
{
    bool ok = app_draw(a);
    while (ok && app_phase(a) == DUE_VIEW && now_ms() < until) {
        (void)app_work(a, (until - now_ms()) * 1000000);
        ok = app_draw(a);
    }
    return ok;
}

/* A view whose table is there in a moment is not shown empty first: what stands there stays that long. */
static bool full_soon(struct loop *l)
{
    const bool empty = l->frames && tri_lacks(&l->a->view);
    l->empty = !empty ? 0 : l->empty ? l->empty : now_ms();
    return empty && now_ms() < l->empty + EMPTY_MS;
}

static void draw(void *arg)
{
    struct loop *l = arg;
    int64_t t0 = now_ms(), us = now_us();
    uint64_t b0 = term_written(l->t);
    const bool drawn = draw_whole(l->a, t0 + WHOLE_MS);
    if (full_soon(l))
        return;
    if (drawn)
        term_paint(l->t, &l->a->grid, l->a->cursor_x, l->a->cursor_y);
    int64_t cost = now_ms() - t0;
    us = now_us() - us;
    uint64_t bytes = l->drawn = term_written(l->t) - b0;
    if (l->a->show_debug)
        snprintf(l->a->debug, sizeof l->a->debug, "%lluB %lldms", (unsigned long long)bytes, (long long)cost);
    l->frames++;
    if (l->logs)
        door_printf(stderr, "frame %zu: key %u, %u bytes, %u us\n", l->frames, l->keys, (unsigned)bytes,
                    (unsigned)us);
    int64_t rest = cost * (l->live_busy ? 8 : 2); /* decoding comes before drawing */
    l->next_frame = t0 + cost + (rest > FRAME_MS ? rest : FRAME_MS);
    l->dirty = false;
}

/* Returns the ms to wait for a key: 0 with work to do, until the next frame may come, or -1, for ever. */
static int timeout(const struct loop *l)
{
    if (app_busy(l->a))
        return 0;
    if (l->live_busy)
        return 0;
    if (!l->dirty || app_still(l->a))
        return app_live_waits(l->a) ? LIVE_MS : -1;
    int64_t left = l->next_frame - now_ms();
    return left > 0 ? (int)left : 0;
}

/* Ctrl-C ends a prompt or a search; where there is none, the program. */
static bool interrupted(struct loop *l)
{
    if (!app_interruptible(l->a) || !term_forgive(l->t))
        return false;
    obey(l, app_interrupt(l->a));
    return true;
}

int interactive_run(struct app *a, struct term *t, bool logs)
{
    struct loop loop = {.a = a, .t = t, .dirty = true, .logs = logs, .began = now_ms(), .yank_fd = -1},
                *l = &loop;
    l->next_frame = l->began + ANSWER_MS;
    a->hint = true;
    a->show = draw;
    a->show_arg = l;
    resized(l);
    while (!l->quit) {
        unsigned what = term_wait(t, timeout(l));
        if ((what & TERM_LEAVE) && !interrupted(l))
            break;
        if (what & TERM_RESIZE)
            resized(l);
        if (what & TERM_PAINT)
            l->dirty = true;
        if (what & TERM_SUSPEND)
            obey(l, AR_SUSPEND);
        take_keys(l);
        answers(l);
        if (!l->quit)
            loop_work(l);
        if (!l->quit && l->dirty && !app_still(l->a) && now_ms() >= l->next_frame)
            draw(l);
    }
    if (l->yank_fd >= 0)
        close(l->yank_fd);
    return term_signal(t);
}
