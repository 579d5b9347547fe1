/*
 * interactive.c - the loop: keys first, then a slice of work, then at most one frame.
 *
 * All keys that have arrived are obeyed before anything is drawn, so a held key never queues up pictures. A frame
 * comes at most every FRAME_MS, later where the terminal takes long to swallow one, and only if something changed.
 */
#include "viewer/interactive.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { FRAME_MS = 50, PROGRESS_MS = 100, SLICE_NS = 15 * 1000 * 1000 };

struct loop {
    struct app *a;
    struct term *t;
    bool debug, dirty, quit;
    int64_t next_frame;   /* not before, ms */
    int64_t next_progress;
    int64_t began;
};

static int64_t now_ms(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static void resized(struct loop *l)
{
    int w, h;
    term_size(l->t, &w, &h);
    (void)app_resize(l->a, w, h);
    l->dirty = true;
}

static void obey(struct loop *l, unsigned flags)
{
    struct app *a = l->a;
    if (flags & ~(unsigned)VR_WORK) l->dirty = true;
    if (flags & AR_PALETTE) term_palette(l->t, a->palette, a->mono);
    if (flags & AR_REDRAW) term_redraw(l->t);
    if ((flags & VR_YANK) && !term_clipboard(l->t, a->yank, strlen(a->yank)))
        view_message(&a->view, true, "too long for the clipboard");
    if (flags & VR_QUIT) l->quit = true;
    if ((flags & AR_SUSPEND) && !l->quit) {
        term_suspend(l->t);
        resized(l);
    }
}

static void take_keys(struct loop *l)
{
    struct key_event ev;
    while (!l->quit && term_key(l->t, &ev)) obey(l, app_key(l->a, &ev));
}

static void work(struct loop *l)
{
    struct app *a = l->a;
    if (a->loading) {
        bool more = app_load(a, SLICE_NS);
        int64_t now = now_ms(), spent = now - l->began;
        const struct trace_info *ti = trace_info(a->tr);
        a->rate = spent > 200 ? (double)ti->bytes_done * 1000 / (double)spent : 0;
        if (!more && trace_fatal(a->tr)) l->quit = true;
        if (!more || now >= l->next_progress) {
            l->dirty = true;
            l->next_progress = now + PROGRESS_MS;
        }
    } else if (a->triaging && !a->working) {
        obey(l, app_triage(a, SLICE_NS));
        if (a->triaging && now_ms() >= l->next_progress) l->next_progress = now_ms() + PROGRESS_MS;
    } else if (a->working) {
        obey(l, app_work(a, SLICE_NS));
        l->dirty = true;
    }
}

static void draw(struct loop *l)
{
    int64_t t0 = now_ms();
    uint64_t b0 = l->debug ? term_written(l->t) : 0;
    if (app_draw(l->a)) term_paint(l->t, &l->a->grid, l->a->cursor_x, l->a->cursor_y);
    int64_t cost = now_ms() - t0;
    if (l->debug)
        snprintf(l->a->debug, sizeof l->a->debug, "%lluB %lldms", (unsigned long long)(term_written(l->t) - b0),
                 (long long)cost);
    l->next_frame = t0 + cost + (cost * 2 > FRAME_MS ? cost * 2 : FRAME_MS);
    l->dirty = false;
}

/* How long to sleep: not at all with work to do, until the next frame may come, or for ever. */
static int timeout(const struct loop *l)
{
    if (l->a->loading || l->a->working || l->a->triaging) return 0;
    if (!l->dirty) return -1;
    int64_t left = l->next_frame - now_ms();
    return left > 0 ? (int)left : 0;
}

int interactive_run(struct app *a, struct term *t, bool debug)
{
    struct loop l = {.a = a, .t = t, .debug = debug, .dirty = true, .began = now_ms()};
    a->hint = true;
    resized(&l);
    while (!l.quit) {
        unsigned what = term_wait(t, timeout(&l));
        if (what & TERM_LEAVE) break;
        if (what & TERM_RESIZE) resized(&l);
        if (what & TERM_PAINT) l.dirty = true;
        if (what & TERM_SUSPEND) obey(&l, AR_SUSPEND);
        take_keys(&l);
        if (!l.quit) work(&l);
        if (!l.quit && l.dirty && now_ms() >= l.next_frame) draw(&l);
    }
    return term_signal(t);
}
