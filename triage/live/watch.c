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
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode/base/door.h"
#include "decode/base/host.h"
#include "decode/base/mem.h"
#include "triage/exports/outside.h"
#include "triage/live/watch.h"
#include "triage/options.h"
#include "triage/say.h"

enum { STEP_MS = 200, TURN_MS = 20, PATIENCE_MS = 10000 };
#define SECOND INT64_C(1000000000)
#define MINUTE (60 * SECOND)
#define HOUR (60 * MINUTE)

static const char usage_head[] =
    "usage: gotop watch [options] --until CONDITION -o DIR WHERE..\n"
    "Keeps the last moments of running programs' traces, and writes them to files when a condition begins to "
    "hold.\n"
    "It goes on until it is told to end, and connects again by itself. Meanwhile nobody else can trace "
    "them.\n";
static const char usage_tail[] = LIVE_WHERE
    "Of several each is watched; @FILE names one on each line, and is read again at SIGHUP.\n"
    "Exit status: 0 it ended as asked; 2 wrong usage, a file can't be written, a command failed, or "
    "a program was never reached.\n";
static const struct command command = {"watch", CMD_WATCH, usage_head, usage_tail};

/* ---- the command line ---------------------------------------------------------------------------------- */

/* Parses one --until. Returns -1, or 2 after an error was printed. */
static int until(const char *text, struct until *u)
{
    struct err e = {0};
    *u = (struct until){.text = text, .rule = -1, .end = strcmp(text, "end") == 0};
    for (int r = 0; r < RULE_COUNT; r++)
        if (strcmp(text, rule_id((enum rule)r)) == 0)
            u->rule = r;
    if (u->rule >= 0 || u->end)
        return -1;
    if (!strpbrk(text, "<>=!"))
        return say_failed("watch", text,
                          "neither a condition, as stw.max>1ms (gotop report --metrics), nor the id of a "
                          "finding (gotop report --rules), nor end");
    if (condition_parse(text, false, &u->cond, &e) || condition_check(&u->cond, &e))
        return say_failed("watch", text, e.what);
    return -1;
}

/* Adds a target, or the targets listed in @FILE. Returns 0, or the exit status after an error was printed.
 * */
static int take_where(struct watch *w, const char *where)
{
    struct err e = {0};
    char *text = NULL;
    if (*where != '@')
        return watch_add(w, where, true);
    if (w->list)
        return say_failed("watch", where, "one list at a time");
    w->list = where + 1;
    int status =
        feed_list_read(w->list, &text, &e) ? say_failed("watch", w->list, e.what) : watch_list(w, text);
    if (!status)
        feed_outside_list(w->list, text);
    mem_free(text);
    return status;
}

/* Makes the folder of -o if it is missing. Returns -1 to go on, else the exit status. */
static int folder(const struct watch *w)
{
    struct stat st;
    if (mkdir(w->dir, 0777) && errno != EEXIST) {
        char why[160];
        snprintf(why, sizeof why, "can't be made: %s", strerror(errno));
        return say_failed("watch", w->dir, why);
    }
    if (stat(w->dir, &st) || !S_ISDIR(st.st_mode))
        return say_failed("watch", w->dir, "is no folder");
    return -1;
}

static void settle(struct watch *w, const struct options *o)
{
    w->live = (struct live_opts){o->feed, o->trace, NULL};
    w->by_bytes = o->keep.bytes > 0;
    w->keep_bytes = w->by_bytes ? o->keep.bytes : host_memory() / 4;
    w->keep_ns = o->keep.ns ? o->keep.ns : 30 * SECOND;
    w->after_ns = o->after_ns;
    w->window_ns = o->window_ns ? o->window_ns : 2 * SECOND;
    w->cooldown_ns = o->cooldown_ns >= 0 ? o->cooldown_ns : 5 * MINUTE;
    w->max = o->count ? o->count : CAPTURES;
    w->ends = o->count && !o->per_ns;
    w->per_ns = o->per_ns ? o->per_ns : HOUR;
    w->files_max = o->keep_files.bytes;
    w->files_ns = o->keep_files.ns;
    w->dir = o->out;
}

/* Returns -1 to go on, else the exit status. */
static int parse(struct watch *w, int argc, char **argv)
{
    struct options o;
    int status = options_read(&command, argc, argv, &o);
    if (status >= 0)
        return status;
    settle(w, &o);
    for (; w->n < o.conditions.n; w->n++)
        if (until(o.conditions.v[w->n], &w->until[w->n]) >= 0)
            return 2;
    for (uint32_t i = 0; i < o.noperands; i++)
        if ((status = take_where(w, o.operand[i])))
            return status;
    if (!o.noperands || !w->n || !w->dir)
        return options_lack(&command, !o.noperands ? "WHERE" : !w->n ? "--until CONDITION" : "-o DIR");
    w->exec = o.exec;
    if (w->exec && !watch_command(w))
        return say_failed("watch", "--exec", "no command, or one of more than 64 words");
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

static atomic_bool hung_up; /* SIGHUP: read the list again */

static void on_hangup(int sig)
{
    (void)sig;
    hung_up = true;
}

/* Called only with a list: without one, SIGHUP ends the process. */
static void hear_hangup(void)
{
    const struct sigaction a = {.sa_handler = on_hangup, .sa_flags = SA_RESTART};
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGHUP);
    (void)sigaction(SIGHUP, &a, NULL);
    (void)sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static void list_again(struct watch *w)
{
    struct err e = {0};
    char *text = NULL;
    struct text t = {.ascii = true};
    if (feed_list_again(w->list, &text, &e)) {
        (void)say_failed("watch", w->list, e.what); /* the old list stays */
        return;
    }
    if (watch_list(w, text))
        w->failed = 2;
    mem_free(text);
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->ntargets; i++)
        n += w->target[i]->wanted;
    text_add(&t, "read the list again: %u program%s", n, n == 1 ? "" : "s");
    watch_note(w, live_wall_now(), &t);
}

static bool all_over(const struct watch *w)
{
    for (uint32_t i = 0; i < w->ntargets; i++)
        if (!w->target[i]->over)
            return false;
    return true;
}

static void watch_on(struct watch *w)
{
    int64_t second = 0, hour = 0;
    while (!live_stop_asked() && !all_over(w) && !(w->ends && w->captured >= w->max)) {
        bool any = false;
        if (atomic_exchange(&hung_up, false))
            list_again(w);
        for (uint32_t i = 0; i < w->ntargets && !live_stop_asked(); i++)
            any |= watch_step(w, w->target[i], w->ntargets == 1 ? STEP_MS : 0);
        const int64_t now = host_now();
        if (now - second > SECOND) {
            watch_reap(w, 0);
            second = now;
        }
        if (!hour || now - hour > HOUR) {
            watch_tidy(w);
            hour = now;
        }
        if (!any && (w->ntargets != 1 || !w->target[0]->open))
            poll(NULL, 0, TURN_MS);
    }
    for (uint32_t i = 0; i < w->ntargets; i++)
        if (w->target[i]->pending)
            watch_capture(w, w->target[i], false);
    watch_reap(w, PATIENCE_MS);
}

/* Tells the clerk which places may be asked, before the sandbox closes. */
static void say_places(struct watch *w)
{
    struct text given = {0};
    w->live.where = w->ntargets ? w->target[0]->where : "-";
    for (uint32_t i = 0; i < w->ntargets; i++)
        text_add(&given, "%s\n", w->target[i]->where);
    feed_outside_list(NULL, given.p ? given.p : "");
    text_free(&given);
}

int watch_main(int argc, char **argv)
{
    static struct watch w; /* tens of kilobytes, too much for the stack */
    w = (struct watch){0};
    int status = parse(&w, argc, argv);
    if (status >= 0) {
        watch_free(&w);
        return status;
    }
    outside_folder(w.dir);
    say_places(&w);
    watch_deeds(&w);
    live_shut(&w.live, NULL);
    live_stop_hold();
    if (w.list)
        hear_hangup();
    if (w.live.feed.seconds)
        w.until_ns = host_now() + (int64_t)w.live.feed.seconds * SECOND;
    w.tells = isatty(STDERR_FILENO);
    if (w.tells)
        door_status("watching: waiting for the program's first second");
    watch_on(&w);
    if (w.tells)
        door_wipe();
    live_stop_tell("watch", w.live.where);
    watch_free(&w);
    return w.failed;
}
