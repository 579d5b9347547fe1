/*
 * watch.c - `gotop watch`: a flight recorder outside the program. It keeps the last seconds of the trace.
 * When a condition begins to hold, it writes them to a file, and goes on, whatever happens to the
 * connection.
 *
 * Conditions are checked each time a generation is whole, on the newest ones (--window), which are a trace
 * of their own. This file has the command line and the loop; watch.h has the rest.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode/base/door.h"
#include "decode/base/host.h"
#include "triage/exports/outside.h"
#include "triage/live/watch.h"
#include "triage/say.h"

enum { STEP_MS = 200 };
#define SECOND INT64_C(1000000000)
#define MINUTE (60 * SECOND)
#define HOUR (60 * MINUTE)

static const char usage_head[] =
    "usage: gotop watch [options] --until CONDITION -o DIR WHERE\n"
    "Keeps the last moments of a running program's trace, and writes them to a file when a condition begins "
    "to "
    "hold.\n"
    "It goes on until it is told to end, and connects again by itself. Meanwhile nobody else can trace "
    "it. Each file is a line of output, for a loop of the shell (docs/RECIPES.md).\n";
static const char usage_tail[] = LIVE_WHERE
    "Exit status: 0 it ended as asked; 2 wrong usage, a file can't be written, or the program was never "
    "reached.\n";
static const struct command command = {"watch", CMD_WATCH, usage_head, usage_tail};

/* ---- the command line ---------------------------------------------------------------------------------- */

/* Parses one --until. Returns -1, or 2 after an error was printed. */
static int until(const char *text, struct until *u)
{
    struct err e = {0};
    const struct str name = {text, (uint32_t)strlen(text)};
    *u = (struct until){.text = text, .rule = rule_named(name), .end = str_is(name, "end")};
    if (u->rule != RULE_COUNT || u->end)
        return -1;
    if (!strpbrk(text, "<>=!"))
        return say_failed("watch", text,
                          "neither a condition, as stw.max>1ms (gotop report --metrics), nor the id of a "
                          "finding (gotop report --rules), nor end");
    if (condition_parse(text, false, &u->cond, &e))
        return say_failed("watch", text, e.what);
    return -1;
}

/* Makes the folder of -o if it is missing. Returns -1 to go on, else the exit status. */
static int folder(const struct watch *w)
{
    struct stat st;
    if (mkdir(w->o.out, 0777) && errno != EEXIST) {
        char why[160];
        snprintf(why, sizeof why, "can't be made: %s", strerror(errno));
        return say_failed("watch", w->o.out, why);
    }
    if (stat(w->o.out, &st) || !S_ISDIR(st.st_mode))
        return say_failed("watch", w->o.out, "is no folder");
    return -1;
}

static void settle(struct watch *w)
{
    struct options *o = &w->o;
    w->by_bytes = o->keep.bytes > 0;
    o->keep.bytes = w->by_bytes ? o->keep.bytes : host_memory() / 4;
    o->keep.ns = o->keep.ns ? o->keep.ns : 30 * SECOND;
    o->window_ns = o->window_ns ? o->window_ns : 2 * SECOND;
    o->cooldown_ns = o->cooldown_ns >= 0 ? o->cooldown_ns : 5 * MINUTE;
}

/* Returns -1 to go on, else the exit status. */
static int parse(struct watch *w, int argc, char **argv)
{
    const int status = live_parse(&command, argc, argv, &w->o);
    if (status >= 0)
        return status;
    settle(w);
    for (; w->n < w->o.conditions.n; w->n++)
        if (until(w->o.conditions.v[w->n], &w->until[w->n]) >= 0)
            return 2;
    if (!w->n || !w->o.out)
        return options_lack(&command, !w->n ? "--until CONDITION" : "-o DIR");
    return folder(w);
}

/* ---- the log ------------------------------------------------------------------------------------------- */

void watch_note(struct watch *w, int64_t wall_ns, struct text *t)
{
    struct text line = {.ascii = true};
    struct err e = {0};
    char stamp[64];
    live_stamp(wall_ns, false, stamp, sizeof stamp);
    text_add(&line, "%s ", stamp);
    text_raw(&line, t->p ? t->p : "", t->n);
    text_lit(&line, "\n");
    line.failed |= t->failed;
    if (w->tells)
        door_wipe();
    if (!live_out(&line, &e) && e.code)
        w->failed = say_failed("watch", "standard output", e.what);
    text_free(&line);
    text_free(t);
}

/* ---- the loop ------------------------------------------------------------------------------------------ */

static void watch_on(struct watch *w)
{
    int64_t hour = 0;
    while (!live_stop_asked() && !w->over && !(w->o.count && w->captured >= w->o.count)) {
        const bool any = watch_step(w, STEP_MS);
        const int64_t now = host_now();
        if (!hour || now - hour > HOUR) {
            watch_tidy(w);
            hour = now;
        }
        if (!any && !w->open)
            poll(NULL, 0, STEP_MS);
    }
    if (w->pending)
        watch_capture(w, false);
}

int watch_main(int argc, char **argv)
{
    static struct watch w; /* tens of kilobytes, too much for the stack */
    w = (struct watch){0};
    const int status = parse(&w, argc, argv);
    if (status >= 0)
        return status;
    outside_folder(w.o.out);
    watch_tidy_asked(&w);
    live_shut(&w.o, NULL);
    live_stop_hold();
    if (w.o.feed.seconds)
        w.until_ns = host_now() + (int64_t)w.o.feed.seconds * SECOND;
    w.tells = isatty(STDERR_FILENO);
    if (w.tells)
        door_status("watching: waiting for the program's first second");
    watch_on(&w);
    if (w.tells)
        door_wipe();
    live_stop_tell("watch", w.o.path);
    live_close(&w.line);
    text_free(&w.values);
    return w.failed;
}
