/*
 * watch_line.c - see watch.h: the program, over one connection after the other.
 *
 * A connection that ends is made again: after a second, and after twice as long for each failure in a row,
 * up to half a minute. The log says so, at the first failure and each time their number doubles. These end
 * for good: a stream that can't be asked again (standard input), a request that makes no sense, and
 * --seconds that have been recorded.
 */
#include <string.h>

#include "decode/base/door.h"
#include "decode/base/host.h"
#include "decode/base/mem.h"
#include "triage/live/watch.h"
#include "triage/sentence.h"
#include "triage/say.h"

#define SECOND INT64_C(1000000000)
#define WAIT_MOST (30 * SECOND)
#define ROOM ((uint64_t)256 << 20) /* bytes that wait to be checked */
#define LOOK_BYTES ((size_t)64 << 20)
enum { BEHIND = 4, FLOOD = 64 };

static int say(const struct watch *w, const char *what)
{
    return say_failed("watch", w->o.path, what);
}

/* ---- connections --------------------------------------------------------------------------------------- */

/* Returns what is left of --seconds; 0: there is no limit. */
static uint64_t seconds_left(const struct watch *w)
{
    const int64_t left = w->until_ns - host_now();
    return !w->until_ns ? 0 : left <= SECOND ? 1 : (uint64_t)((left + SECOND / 2) / SECOND);
}

static void hang_up(struct watch *w)
{
    live_close(&w->line);
    w->open = w->based = false;
    w->asked = w->written = w->alone = 0;
    for (uint32_t i = 0; i < w->n; i++)
        w->until[i].on = false;
}

/* Lets it be tried again later, and says why. */
static void later(struct watch *w, const char *why)
{
    struct text line = {.ascii = true};
    w->failures++;
    w->wait_ns = w->wait_ns ? w->wait_ns : SECOND;
    w->again_ns = host_now() + w->wait_ns;
    text_add(&line, "%s: connects again in %ds", why, (int)(w->wait_ns / SECOND));
    if (w->failures > 1)
        text_add(&line, " (%llu failures in a row)", (unsigned long long)w->failures);
    if (w->tells)
        door_wipe();
    if (!(w->failures & (w->failures - 1)))
        (void)say(w, text_ok(&line) ? line.p : why);
    w->wait_ns = w->wait_ns * 2 < WAIT_MOST ? w->wait_ns * 2 : WAIT_MOST;
    text_free(&line);
}

static void ends(struct watch *w, const char *why)
{
    w->over = true;
    if (why)
        w->failed = say(w, why);
}

static void dial(struct watch *w)
{
    struct options o = w->o;
    struct err e = {0};
    o.feed.seconds = seconds_left(w);
    w->line = (struct live){.room = ROOM};
    w->open = live_open(&w->line, &o, &e) == ERR_OK;
    if (w->open)
        return;
    live_close(&w->line);
    if (w->looked || w->failures) /* it existed, so it may come back */
        later(w, e.what);
    else
        ends(w, e.what);
}

/* Returns whether it has ended for good, with nothing wrong. */
static bool final(const struct watch *w, enum live_state s, const struct err *e)
{
    if (strcmp(w->o.path, "-") == 0 || live_stop_asked())
        return true;
    if (w->until_ns && (s == LIVE_END || host_now() >= w->until_ns))
        return true;
    return !w->looked && s == LIVE_FAILED && (e->code == ERR_ARG || e->code == ERR_VERSION);
}

/* Ends a connection of which no more comes: what is pending is written, as far as it came. */
static void ended(struct watch *w, enum live_state s, const struct err *e)
{
    const char *why = s == LIVE_FAILED ? e->what : "the program ended its trace";
    const bool nothing = !w->based && s == LIVE_END;
    const bool over = final(w, s, e);
    if ((w->based || live_rest(&w->line)) && !(over && s == LIVE_END && w->until_ns))
        watch_end(w, why);
    if (w->pending)
        watch_capture(w, true);
    w->pending = false;
    hang_up(w);
    if (!over)
        later(w, nothing ? live_too_short : why);
    else
        ends(w, s == LIVE_FAILED ? why : w->looked ? NULL : live_too_short);
}

/* ---- what came ----------------------------------------------------------------------------------------- */

static void tell_late(struct watch *w)
{
    if (w->line.late_ns < LIVE_LATE || w->told_late)
        return;
    w->told_late = true;
    (void)say(w, "what comes is late: the line is slower than the trace, and the program holds the rest in "
                 "its memory");
}

/* Shows on a terminal that it goes on, and how near the first conditions are. */
static void tell_now(const struct watch *w, const struct loaded *in)
{
    enum { COLS = 79 };
    struct text line = {.ascii = true};
    struct metric_value v;
    struct err e;
    if (!w->tells)
        return;
    text_say(&line, NULL, "watching, ", t_dur(w->line.st.gen[w->asked - 1].t1 - w->line.st.gen[0].t0),
             " kept, ", w->captured, " file", w->captured == 1 ? "" : "s");
    for (uint32_t i = 0; i < w->n && line.n < COLS / 2; i++) {
        const struct until *u = &w->until[i];
        if (u->rule != RULE_COUNT || u->end || metric_get(in, u->cond.metric, &v, &e) != ERR_OK || !v.known)
            continue;
        text_say(&line, NULL, "; ", t_clean(u->text), ": now ");
        metric_text(&line, &v);
    }
    door_wipe();
    if (text_ok(&line)) {
        char shown[COLS + 1];
        snprintf(shown, sizeof shown, "%.*s", (int)line.n, line.p);
        door_status(shown);
    }
    text_free(&line);
}

/* Returns how many generations up to this one make up the window. When more than a few wait, each is
 * checked alone: all are checked, and it takes half the time. None of these is in a later window, since
 * what held in it would seem to begin again. */
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
static void tick(struct watch *w, int64_t t1)
{
    const int64_t now = host_now();
    if (!w->based) {
        w->base_ns = w->clock_ns + (w->seen_ns ? now - w->seen_ns : 0);
        w->first_ns = t1;
        w->based = true;
    }
    const int64_t is = w->base_ns + (t1 - w->first_ns);
    w->clock_ns = is > w->clock_ns ? is : w->clock_ns;
    w->seen_ns = now;
}

static void less(size_t *n, size_t by)
{
    *n -= by < *n ? by : *n;
}

static void drop(struct watch *w, size_t n)
{
    stream_drop(&w->line.st, n);
    less(&w->asked, n);
    less(&w->written, n);
    less(&w->alone, n);
}

/* Drops checked generations beyond the bounds; the newest stays, for the next window. */
static void forget(struct watch *w)
{
    const struct stream *st = &w->line.st;
    size_t n = 0;
    uint64_t held = st->held;
    const int64_t newest = w->asked ? st->gen[w->asked - 1].t1 : 0;
    while (n + 1 < w->asked &&
           ((!w->by_bytes && st->gen[n].t1 < newest - w->o.keep.ns) ||
            (n < w->written && st->gen[n].t1 < newest - w->o.window_ns) || held > w->o.keep.bytes))
        held -= stream_cost(&st->gen[n++]);
    drop(w, n);
}

/* Checks the next generations that have come. */
static void look(struct watch *w)
{
    struct live *l = &w->line;
    struct loaded in;
    struct err e = {0};
    uint8_t *mem;
    size_t at, n = next_look(w, &at);
    if (w->failures)
        (void)say(w, "it is there: recording");
    w->looked = true;
    w->failures = 0;
    w->wait_ns = 0;
    if (live_load(l, at + 1 - n, n, &w->o.trace, &in, &mem, &e)) {
        l->st.gen[at].broken = true;
        if (e.code == ERR_NOMEM)
            w->failed = say(w, e.what);
    } else {
        for (size_t i = at + 1 - n; i < at; i++) /* checked for the first time */
            if (!l->st.gen[i].t1)
                l->st.gen[i].t0 = l->st.gen[i].t1 = l->st.gen[at].t1;
        tick(w, l->st.gen[at].t1);
        tell_late(w);
        watch_ask(w, &in);
        tell_now(w, &in);
        load_free(&in);
        mem_free(mem);
    }
    if (w->pending && w->clock_ns >= w->due_ns)
        watch_capture(w, false);
    forget(w);
}

bool watch_step(struct watch *w, int timeout_ms)
{
    struct err e = {0};
    if (!w->open) {
        const int64_t now = host_now();
        if (w->until_ns && now >= w->until_ns)
            ends(w, w->looked ? NULL : "it was never reached");
        else if (now >= w->again_ns)
            dial(w);
        return w->open || w->over;
    }
    /* More is taken only once all is checked: so what waits is bounded, by ROOM. */
    const enum live_state s =
        w->asked < stream_whole(&w->line.st) ? LIVE_GEN : live_step(&w->line, timeout_ms, &e);
    live_tell(&w->line, s, "watch", w->o.path);
    if (w->asked < stream_whole(&w->line.st) && !live_stop_asked())
        look(w);
    if (s == LIVE_END || s == LIVE_FAILED) {
        ended(w, s, &e);
        return true;
    }
    return s == LIVE_GEN;
}
