/*
 * scene_help.h - a small made-up trace, or another one of a few lines, and what a screen says of it.
 */
#ifndef GOTOP_TESTS_SCENE_HELP_H
#define GOTOP_TESTS_SCENE_HELP_H

#include "layout_help.h"

#include "tests/support/tracegen.h"

/* Times are nanoseconds; its first event takes place a nanosecond after the batch begins. */
static const char *const UNUSED scene =
    "go 1.26\n"
    "batch m=7 t=1000\n"
    "ProcStatus +0 p=0 running\n"
    "GoStatus +0 g=1 m=7 running\n"
    "STWBegin +1001 kind=\"start trace\" stack=runtime.stop:1\n"
    "STWEnd +1000\n"
    "GoCreate +8000 new_g=2 new_stack=net/http.(*conn).serve:30 stack=main.start:12,main.main:20\n"
    "GoBlock +990000 reason=\"chan receive\" stack=runtime.chanrecv1:9,main.wait:14,main.main:21\n"
    "GoStart +1000 g=2 g_seq=1\n"
    "GoUnblock +3000000 g=1 g_seq=1 stack=runtime.chansend1:5,net/http.(*conn).serve:31\n"
    "GoBlock +999000 reason=\"network\" stack=internal/poll.(*FD).Read:77,net/http.(*conn).serve:33\n"
    "GoStart +5000000 g=1 g_seq=2\n"
    "GoStop +5000000 reason=\"preempted\" stack=main.work:44,main.main:22\n"
    "GoStart +500000 g=1 g_seq=3\n"
    "GoStop +500000 reason=\"preempted\" stack=main.work:44,main.main:22\n";

struct scene {
    struct trace *tr;
    uint8_t *bytes;
    struct view v;
    struct grid g;
    struct frame_text txt;
};

static inline UNUSED void scene_text(struct scene *s, const char *text, int w, int h)
{
    size_t n;
    struct err e;
    memset(s, 0, sizeof *s);
    s->bytes = tracegen_bytes(text, &n);
    if (trace_open_mem(s->bytes, n, NULL, &s->tr, &e))
        fail_msg("%s", e.what);
    trace_load(s->tr, INT64_MAX);
    if (trace_fatal(s->tr))
        fail_msg("%s", trace_fatal(s->tr)->what);
    assert_true(view_init(&s->v, s->tr));
    view_resize(&s->v, w, h);
    s->v.scr.tier = TIER_ASCII;
}

static inline UNUSED void scene_open(struct scene *s, int w, int h)
{
    scene_text(s, scene, w, h);
    assert_int_equal(trace_info(s->tr)->ndamages, 0);
}

static inline UNUSED void scene_close(struct scene *s)
{
    grid_free(&s->g);
    view_free(&s->v);
    trace_close(s->tr);
    free(s->bytes);
}

static inline UNUSED const char *line(struct scene *s, int y)
{
    static char buf[4][2400];
    static int k;
    k = (k + 1) % 4;
    if (y < 0)
        y += s->g.h;
    grid_line(&s->g, y, buf[k], sizeof buf[k]);
    return buf[k];
}

static inline UNUSED void draw(struct scene *s)
{
    assert_true(frame_draw(&s->g, &s->v, &s->txt));
}

static inline UNUSED bool screen_has(struct scene *s, const char *text)
{
    for (int y = 0; y < s->g.h; y++)
        if (strstr(line(s, y), text))
            return true;
    return false;
}

static inline UNUSED void must_have(struct scene *s, const char *text)
{
    if (screen_has(s, text))
        return;
    for (int y = 0; y < s->g.h; y++)
        print_message("|%s\n", line(s, y));
    fail_msg("not on the screen: %s", text);
}

#endif
