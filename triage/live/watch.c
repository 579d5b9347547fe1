/*
 * watch.c - `gotop watch`: a flight recorder outside the program. It keeps the last seconds of the trace.
 * When a condition begins to hold, it writes them to a file, and goes on, whatever happens to the
 * connection.
 *
 * Conditions are checked each time a generation is whole, on the newest ones (--window), which are a trace
 * of their own. A condition fires when it holds and did not hold at the last check. While it goes on holding,
 * nothing more happens. If it begins again within --cooldown, the log gets a line and there is no file.
 *
 * A connection that ends is made again: after a second, and after twice as long for each failure in a row,
 * up to half a minute. The log says so, at the first failure and each time their number doubles. These end
 * for good: a stream that can't be asked again (standard input), a request that makes no sense, and
 * --seconds that have been recorded.
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

enum { STEP_MS = 200, BEHIND = 4, FLOOD = 64, WAITS = 5 /* before the longest */ };
#define SECOND INT64_C(1000000000)
#define MINUTE (60 * SECOND)
#define HOUR (60 * MINUTE)
#define WAIT_MOST (30 * SECOND)
#define ROOM ((uint64_t)256 << 20) /* bytes that wait to be checked */
#define LOOK_BYTES ((size_t)64 << 20)

static const struct command command = {
    "watch", CMD_WATCH,
    "usage: gotop watch [options] --until CONDITION -o DIR WHERE\nKeeps the last moments of a running "
    "program's trace, and writes them to a file when a condition begins to hold.\nIt goes on until it is "
    "told to end, and connects again by itself. Meanwhile nobody else can trace it. Each file is a line of "
    "output, for a loop of the shell (docs/RECIPES.md).\n",
    LIVE_WHERE "Exit status: 0 it ended as asked; 2 wrong usage, a file can't be written, or the program was "
               "never reached.\n"};

/* ---- the command line ---------------------------------------------------------------------------------- */

/* Parses one --until. Returns -1, or 2 after an error was printed. */
static int until(const char *text, struct until *u)
{
    struct err e = {0};
    const struct str name = {text, (uint32_t)strlen(text)};
    *u =
        (struct until){.text = text, .rule = rule_named(name), .end = str_is(name, "end"), .fired_ns = NEVER};
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

/* Returns -1 to go on, else the exit status. */
static int watch_parse(struct watch *w, int argc, char **argv)
{
    const int status = live_parse(&command, argc, argv, &w->o);
    struct options *o = &w->o;
    if (status >= 0)
        return status;
    o->keep.ns = o->keep.bytes ? NS_MAX : o->keep.ns ? o->keep.ns : 30 * SECOND;
    o->keep.bytes = o->keep.bytes ? o->keep.bytes : host_memory() / 4;
    o->window_ns = o->window_ns ? o->window_ns : 2 * SECOND;
    o->cooldown_ns = o->cooldown_ns >= 0 ? o->cooldown_ns : 5 * MINUTE;
    for (; w->n < o->conditions.n; w->n++)
        if (until(o->conditions.v[w->n], &w->until[w->n]) >= 0)
            return 2;
    if (!w->n || !o->out)
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
    door_wipe();
    if (!live_out(&line, &e) && e.code)
        w->failed = say_failed("watch", "standard output", e.what);
    text_free(&line);
    text_free(t);
}

/* ---- when a condition begins to hold ------------------------------------------------------------------- */

/* Returns whether the condition holds. *t says what was found, also if it does not. */
static bool until_holds(const struct until *u, const struct loaded *l, struct text *t)
{
    struct err e = {0};
    struct metric_value v;
    if (u->end)
        return false;
    if (u->rule == RULE_COUNT) {
        const bool got = metric_get(l, u->cond.metric, &v, &e) == ERR_OK && v.known;
        if (got)
            metric_text(t, &v);
        return got && condition_holds(&u->cond, v.v);
    }
    const uint32_t i = find_first(k, l->fs.n, l->fs.f[k].v.rule == u->rule && !l->fs.f[k].note);
    text_add(t, "%s", i < l->fs.n ? l->fs.f[i].amount : "");
    return i < l->fs.n;
}

/* Notes that a condition begins to hold: a capture is pending or has a new reason, or the log gets a line. */
static void edge(struct watch *w, struct until *u, const char *reason)
{
    const int64_t ago = w->clock_ns - u->fired_ns;
    if (ago < w->o.cooldown_ns && !w->pending) {
        struct text line = {.ascii = true};
        text_say(&line, NULL, "held ", reason,
                 ": no file, there is one for it from before (--cooldown): ", t_dur(ago));
        watch_note(w, live_wall_now(), &line);
        return;
    }
    const size_t n = w->pending ? strlen(w->reason) : 0;
    u->fired_ns = w->clock_ns;
    snprintf(w->reason + n, sizeof w->reason - n, "%s%s", n ? "; " : "", reason);
    if (w->pending)
        return;
    w->pending = true;
    w->due_ns = w->clock_ns + w->o.after_ns;
    w->wall_ns = live_wall_now();
    text_free(&w->values);
}

/* Checks the conditions on a window that ends with the newest generation. A terminal shows how near the first
 * ones are. */
static void watch_ask(struct watch *w, const struct loaded *in)
{
    struct text values = {.ascii = true}, now = {.ascii = true};
    const bool was = w->pending;
    text_say(&now, NULL, "watching, ", t_dur(w->line.st.gen[w->asked - 1].t1 - w->line.st.gen[0].t0),
             " kept, ", w->captured, " file", w->captured == 1 ? "" : "s");
    each_of(u, w->until, w->n) {
        struct text found = {.ascii = true}, reason = {.ascii = true};
        const bool on = until_holds(u, in, &found);
        text_say(&values, NULL, "  ", t_clean(u->text), t_to(32), " ", found.n ? found.p : "-",
                 on ? "   holds" : "", "\n"); /* for the page */
        if (u->rule == RULE_COUNT && found.n)
            text_say(&now, NULL, "; ", t_clean(u->text), ": now ", found.p);
        if (on && !u->on) {
            text_say(&reason, NULL, t_clean(u->text), ": ", found.p ? found.p : "");
            edge(w, u, text_ok(&reason) ? reason.p : u->text);
        }
        u->on = on;
        text_free(&found);
        text_free(&reason);
    }
    if (w->tells && text_ok(&now)) {
        door_wipe();
        door_status(now.p);
    }
    text_free(&now);
    if (w->pending && !was)
        w->values = values;
    else
        text_free(&values);
}

/* Makes a capture pending if a condition asks for the last moments of a connection, which has ended. */
static void watch_end(struct watch *w, const char *why)
{
    const uint32_t i = find_first(k, w->n, w->until[k].end);
    struct text reason = {.ascii = true};
    if (i == w->n)
        return;
    text_say(&reason, NULL, "end: ", t_clean(why));
    edge(w, &w->until[i], text_ok(&reason) ? reason.p : "end");
    text_free(&reason);
}

/* ---- connections --------------------------------------------------------------------------------------- */

static int say(const struct watch *w, const char *what)
{
    return say_failed("watch", w->o.path, what);
}

/* Lets the connection be tried again later, and says why. */
static void try_later(struct watch *w, const char *why)
{
    struct text line = {.ascii = true};
    const int64_t wait_ns = w->failures < WAITS ? SECOND << w->failures : WAIT_MOST;
    w->failures++;
    w->again_ns = host_now() + wait_ns;
    text_add(&line, "%s: connects again in %ds", why, (int)(wait_ns / SECOND));
    if (w->failures > 1)
        text_add(&line, " (%llu failures in a row)", (unsigned long long)w->failures);
    if (!(w->failures & (w->failures - 1)))
        (void)say(w, text_ok(&line) ? line.p : why);
    text_free(&line);
}

static void watch_ends(struct watch *w, const char *why)
{
    w->over = true;
    if (why)
        w->failed = say(w, why);
}

static void dial(struct watch *w)
{
    struct options o = w->o;
    struct err e = {0};
    const int64_t left = w->until_ns - host_now();
    o.feed.seconds = !w->until_ns ? 0 : left <= SECOND ? 1 : (uint64_t)((left + SECOND / 2) / SECOND);
    w->line = (struct live){.room = ROOM};
    w->open = live_open(&w->line, &o, &e) == ERR_OK;
    if (w->open)
        return;
    live_close(&w->line);
    if (w->looked || w->failures) /* it existed, so it may come back */
        try_later(w, e.what);
    else
        watch_ends(w, e.what);
}

/* Ends a connection that has nothing more to send: what is pending is written, as far as it came. */
static void connection_ended(struct watch *w)
{
    const struct err e = w->line.why;
    const char *why = e.code ? e.what : "the program ended its trace";
    const bool nothing = !w->based && !e.code;
    const bool over = strcmp(w->o.path, "-") == 0 || live_stop_asked() ||
                      (w->until_ns && (!e.code || host_now() >= w->until_ns)) ||
                      (!w->looked && (e.code == ERR_ARG || e.code == ERR_VERSION));
    if ((w->based || live_rest(&w->line)) && !(over && !e.code && w->until_ns))
        watch_end(w, why);
    if (w->pending)
        watch_capture(w, true);
    live_close(&w->line);
    w->pending = w->open = w->based = false;
    w->asked = w->written = w->alone = 0;
    each_of(u, w->until, w->n)
        u->on = false;
    if (!over)
        try_later(w, nothing ? live_too_short : why);
    else
        watch_ends(w, e.code ? why : w->looked ? NULL : live_too_short);
}

/* ---- what came ----------------------------------------------------------------------------------------- */

/* Returns how many generations up to this one make up the window. When more than a few wait, each is checked
 * alone: all are checked, in half the time. None of these is in a later window, since what held in it would
 * seem to begin again. */
static size_t window(const struct watch *w, size_t at)
{
    const struct stream_gen *g = w->line.st.gen;
    const size_t gap = live_gap(&w->line, at + 1), from = gap > w->alone ? gap : w->alone;
    size_t n = 1;
    while (at + 1 - n > from && g[at - n].t1 && (n < 2 || g[at - 1].t1 - g[at + 1 - n].t0 < w->o.window_ns))
        n++;
    return n;
}

/* Finds the next generation to check (*at) and returns how many are checked with it. If more waits than a
 * program makes in minutes, ever more are checked at once, up to LOOK_BYTES. */
static size_t next_look(struct watch *w, size_t *at)
{
    const struct stream_gen *g = w->line.st.gen;
    const size_t wait = stream_whole(&w->line.st) - w->asked;
    size_t n = 1;
    *at = w->asked;
    if (wait <= BEHIND) {
        w->asked++;
        return window(w, *at);
    }
    for (size_t bytes = g[*at].n; n < wait / FLOOD && !g[*at + 1].lost_before; n++)
        if ((bytes += g[++*at].n) > LOOK_BYTES)
            break;
    w->asked = w->alone = *at + 1;
    return n;
}

/* Sets the clock to the end of the generation that was checked. */
static void set_clock(struct watch *w, int64_t t1)
{
    const int64_t now = host_now();
    if (!w->based) {
        w->ahead_ns = w->clock_ns + (w->seen_ns ? now - w->seen_ns : 0) - t1;
        w->based = true;
    }
    const int64_t is = w->ahead_ns + t1;
    w->clock_ns = is > w->clock_ns ? is : w->clock_ns;
    w->seen_ns = now;
}

/* Drops checked generations beyond the bounds; the newest stays, for the next window. */
static void drop_checked(struct watch *w)
{
    const struct stream *st = &w->line.st;
    size_t n = 0;
    uint64_t held = st->held;
    const int64_t newest = w->asked ? st->gen[w->asked - 1].t1 : 0;
    while (n + 1 < w->asked &&
           (st->gen[n].t1 < newest - w->o.keep.ns ||
            (n < w->written && st->gen[n].t1 < newest - w->o.window_ns) || held > w->o.keep.bytes))
        held -= stream_cost(&st->gen[n++]);
    stream_drop(&w->line.st, n);
    w->asked -= n;
    w->written -= n < w->written ? n : w->written;
    w->alone -= n < w->alone ? n : w->alone;
}

/* Checks the next generations that have come. */
static void watch_look(struct watch *w)
{
    struct live *l = &w->line;
    struct loaded in;
    struct err e = {0};
    size_t at, n = next_look(w, &at);
    if (w->failures)
        (void)say(w, "it is there: recording");
    w->looked = true;
    w->failures = 0;
    if (live_load(l, at + 1 - n, n, &w->o.trace, &in, &e)) {
        l->st.gen[at].broken = true;
        if (e.code == ERR_NOMEM)
            w->failed = say(w, e.what);
    } else {
        for (size_t i = at + 1 - n; i < at; i++) /* checked for the first time */
            if (!l->st.gen[i].t1)
                l->st.gen[i].t0 = l->st.gen[i].t1 = l->st.gen[at].t1;
        set_clock(w, l->st.gen[at].t1);
        if (l->late_ns >= LIVE_LATE && !w->reported_late)
            (void)say(w, "what comes is late: the line is slower than the trace, and the program holds the "
                         "rest in its memory");
        w->reported_late |= l->late_ns >= LIVE_LATE;
        watch_ask(w, &in);
        load_free(&in);
    }
    if (w->pending && w->clock_ns >= w->due_ns)
        watch_capture(w, false);
    drop_checked(w);
}

/* Takes what has come, and waits at most that long for it. Returns false when nothing came. */
static bool watch_step(struct watch *w, int timeout_ms)
{
    if (!w->open) {
        const int64_t now = host_now();
        if (w->until_ns && now >= w->until_ns)
            watch_ends(w, w->looked ? NULL : "it was never reached");
        else if (now >= w->again_ns)
            dial(w);
        return w->open || w->over;
    }
    /* More is taken only once all is checked, so ROOM bounds what waits. */
    const bool came = w->asked < stream_whole(&w->line.st) || live_step(&w->line, timeout_ms);
    live_tell(&w->line, came, "watch", w->o.path);
    if (w->asked < stream_whole(&w->line.st) && !live_stop_asked())
        watch_look(w);
    if (w->line.ended)
        connection_ended(w);
    return came;
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
    const int status = watch_parse(&w, argc, argv);
    if (status >= 0)
        return status;
    outside_folder(w.o.out);
    watch_tidy_asked(&w);
    live_shut(&w.o, NULL);
    live_stop_hold(true);
    if (w.o.feed.seconds)
        w.until_ns = host_now() + (int64_t)w.o.feed.seconds * SECOND;
    w.tells = isatty(STDERR_FILENO);
    if (w.tells)
        door_status("watching: waiting for the program's first second");
    watch_on(&w);
    door_wipe();
    live_stop_tell("watch", w.o.path);
    live_close(&w.line);
    text_free(&w.values);
    return w.failed;
}
