/*
 * watch_targets.c - see watch.h: the targets, each over one connection after the other.
 *
 * A connection that ends is made again: after a second, and after twice as long for each failure in a row,
 * up to half a minute. The log says so, at the first failure and each time their number doubles. These end
 * for good: a stream that can't be asked again (standard input), a request that makes no sense, and
 * --seconds that have been recorded.
 */
#include <stdlib.h>
#include <string.h>

#include "decode/base/door.h"
#include "decode/base/host.h"
#include "decode/base/mem.h"
#include "triage/live/watch.h"
#include "triage/sentence.h"
#include "triage/say.h"

#define SECOND INT64_C(1000000000)
#define WAIT_MOST (30 * SECOND)
#define ROOM ((uint64_t)256 << 20)     /* bytes that wait to be checked, of all targets, */
#define ROOM_LEAST ((uint64_t)8 << 20) /* ... and of each */
#define LOOK_BYTES ((size_t)64 << 20)
enum { LOOKS = 4, BEHIND = 4, FLOOD = 64 };

static int say(const struct target *t, const char *what)
{
    return say_failed("watch", t->where, what);
}

/* ---- which --------------------------------------------------------------------------------------------- */

static struct target *find(const struct watch *w, const char *where)
{
    for (uint32_t i = 0; i < w->ntargets; i++)
        if (strcmp(w->target[i]->where, where) == 0)
            return w->target[i];
    return NULL;
}

int watch_add(struct watch *w, const char *where, bool given)
{
    struct target *t = find(w, where);
    if (!t) {
        if (w->ntargets == TARGETS_MAX)
            return say_failed("watch", where, "too many programs: at most 64");
        if (strlen(where) >= FEED_WHERE || !*where)
            return say_failed("watch", where, "is no place of a program");
        if (!(t = mem_zalloc(sizeof *t)))
            return say_failed("watch", where, "out of memory");
        w->target[w->ntargets++] = t;
    }
    if (t->over) {
        text_free(&t->values);
        *t = (struct target){.clock_ns = t->clock_ns, .seen_ns = t->seen_ns, .given = t->given};
    }
    snprintf(t->where, sizeof t->where, "%s", where);
    t->wanted = true;
    t->given |= given;
    return 0;
}

int watch_list(struct watch *w, const char *text)
{
    char where[FEED_WHERE];
    struct err e = {0};
    for (uint32_t i = 0; i < w->ntargets; i++)
        w->target[i]->wanted = w->target[i]->given;
    for (;;) {
        if (feed_list_next(&text, where, &e))
            return say_failed("watch", w->list, e.what);
        if (!*where)
            return 0;
        int status = watch_add(w, where, false);
        if (status)
            return status;
    }
}

static void target_free(struct target *t)
{
    live_close(&t->line);
    text_free(&t->values);
    mem_free(t);
}

void watch_free(struct watch *w)
{
    for (uint32_t i = 0; i < w->ntargets; i++)
        target_free(w->target[i]);
    w->ntargets = 0;
}

/* ---- connections --------------------------------------------------------------------------------------- */

/* Returns what is left of --seconds; 0: there is no limit. */
static uint64_t seconds_left(const struct watch *w)
{
    const int64_t left = w->until_ns - host_now();
    return !w->until_ns ? 0 : left <= SECOND ? 1 : (uint64_t)((left + SECOND / 2) / SECOND);
}

static void hang_up(struct target *t)
{
    live_close(&t->line);
    t->open = t->based = false;
    t->asked = t->written = t->alone = 0;
    memset(t->edge, 0, sizeof t->edge);
}

/* Lets it be tried again later, and says why. */
static void later(struct watch *w, struct target *t, const char *why)
{
    struct text line = {.ascii = true};
    t->failures++;
    t->wait_ns = t->wait_ns ? t->wait_ns : SECOND;
    t->again_ns = host_now() + t->wait_ns;
    text_add(&line, "%s: connects again in %ds", why, (int)(t->wait_ns / SECOND));
    if (t->failures > 1)
        text_add(&line, " (%llu failures in a row)", (unsigned long long)t->failures);
    if (w->tells)
        door_wipe();
    if (!(t->failures & (t->failures - 1)))
        (void)say(t, text_ok(&line) ? line.p : why);
    t->wait_ns = t->wait_ns * 2 < WAIT_MOST ? t->wait_ns * 2 : WAIT_MOST;
    text_free(&line);
}

static void ends(struct watch *w, struct target *t, const char *why)
{
    t->over = true;
    if (why)
        w->failed = say(t, why);
}

static void dial(struct watch *w, struct target *t)
{
    struct live_opts o = w->live;
    struct err e = {0};
    const uint64_t room = ROOM / w->ntargets;
    o.where = t->where;
    o.feed.seconds = seconds_left(w);
    t->line = (struct live){.room = room > ROOM_LEAST ? room : ROOM_LEAST};
    t->open = live_open(&t->line, &o, &e) == ERR_OK;
    if (t->open)
        return;
    live_close(&t->line);
    if (t->looked || t->failures) /* it existed, so it may come back */
        later(w, t, e.what);
    else
        ends(w, t, e.what);
}

/* Returns whether the target has ended for good, with nothing wrong. */
static bool final(const struct watch *w, const struct target *t, enum live_state s, const struct err *e)
{
    if (strcmp(t->where, "-") == 0 || !t->wanted || live_stop_asked())
        return true;
    if (w->until_ns && (s == LIVE_END || host_now() >= w->until_ns))
        return true;
    return !t->looked && s == LIVE_FAILED && (e->code == ERR_ARG || e->code == ERR_VERSION);
}

/* Ends a connection of which no more comes: what is pending is written, as far as it came. */
static void ended(struct watch *w, struct target *t, enum live_state s, const struct err *e)
{
    const char *why = s == LIVE_FAILED ? e->what : "the program ended its trace";
    const bool nothing = !t->based && s == LIVE_END;
    const bool over = final(w, t, s, e);
    if ((t->based || live_rest(&t->line)) && t->wanted && !(over && s == LIVE_END && w->until_ns))
        watch_end(w, t, why);
    if (t->pending)
        watch_capture(w, t, true);
    t->pending = false;
    hang_up(t);
    if (!over)
        later(w, t, nothing ? live_too_short : why);
    else
        ends(w, t, s == LIVE_FAILED ? why : t->looked ? NULL : live_too_short);
}

/* ---- what came ----------------------------------------------------------------------------------------- */

static void tell_late(struct target *t)
{
    if (t->line.late_ns < LIVE_LATE || t->told_late)
        return;
    t->told_late = true;
    (void)say(t, "what comes is late: the line is slower than the trace, and the program holds the rest in "
                 "its memory");
}

/* Shows on a terminal that it goes on, and how near the first conditions are. */
static void tell_now(const struct watch *w, const struct target *t, const struct loaded *in)
{
    enum { COLS = 79 };
    struct text line = {.ascii = true};
    struct metric_value v;
    struct err e;
    if (!w->tells)
        return;
    text_lit(&line, "watching");
    if (w->ntargets > 1)
        text_add(&line, " %u programs", w->ntargets);
    text_say(&line, NULL, ", ", t_dur(t->line.st.gen[t->asked - 1].t1 - t->line.st.gen[0].t0), " kept, ",
             w->captured, " file", w->captured == 1 ? "" : "s");
    for (uint32_t i = 0; i < w->n && line.n < COLS / 2; i++) {
        const struct until *u = &w->until[i];
        if (u->rule >= 0 || u->end || metric_get(in, u->cond.metric, &v, &e) != ERR_OK || !v.known)
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
static size_t window(const struct watch *w, const struct target *t, size_t at)
{
    const struct stream_gen *g = t->line.st.gen;
    const size_t gap = live_gap(&t->line, at + 1), from = gap > t->alone ? gap : t->alone;
    size_t n = 1;
    while (at + 1 - n > from && g[at - n].t1 && (n < 2 || g[at - 1].t1 - g[at + 1 - n].t0 < w->window_ns))
        n++;
    return n;
}

/* Finds the next generation to check (*at) and returns how many are checked with it. If more waits than a
 * program makes in minutes, ever more are checked at once, up to LOOK_BYTES. */
static size_t next_look(const struct watch *w, struct target *t, size_t *at)
{
    const struct stream_gen *g = t->line.st.gen;
    const size_t wait = stream_whole(&t->line.st) - t->asked;
    size_t n = 1;
    *at = t->asked;
    if (wait <= BEHIND) {
        t->asked++;
        return window(w, t, *at);
    }
    for (size_t bytes = g[*at].n; n < wait / FLOOD && !g[*at + 1].lost_before; n++)
        if ((bytes += g[++*at].n) > LOOK_BYTES)
            break;
    t->asked = t->alone = *at + 1;
    return n;
}

/* Sets the target's clock to the end of the generation that was checked. */
static void tick(struct target *t, int64_t t1)
{
    const int64_t now = host_now();
    if (!t->based) {
        t->base_ns = t->clock_ns + (t->seen_ns ? now - t->seen_ns : 0);
        t->first_ns = t1;
        t->based = true;
    }
    const int64_t is = t->base_ns + (t1 - t->first_ns);
    t->clock_ns = is > t->clock_ns ? is : t->clock_ns;
    t->seen_ns = now;
}

static void less(size_t *n, size_t by)
{
    *n -= by < *n ? by : *n;
}

static void drop(struct target *t, size_t n)
{
    stream_drop(&t->line.st, n);
    less(&t->asked, n);
    less(&t->written, n);
    less(&t->alone, n);
}

/* Drops checked generations beyond the bounds; the newest stays, for the next window. */
static void forget(struct watch *w, struct target *t)
{
    struct live *l = &t->line;
    size_t n = 0;
    const int64_t newest = t->asked ? l->st.gen[t->asked - 1].t1 : 0;
    while (n + 1 < t->asked && ((!w->by_bytes && l->st.gen[n].t1 < newest - w->keep_ns) ||
                                (n < t->written && l->st.gen[n].t1 < newest - w->window_ns)))
        n++;
    drop(t, n);
}

/* Keeps all targets together within --keep SIZE: the target with most drops its oldest. */
static void bound(struct watch *w)
{
    for (;;) {
        uint64_t sum = 0;
        size_t n = 0;
        struct target *most = NULL;
        for (uint32_t i = 0; i < w->ntargets; i++) {
            struct target *t = w->target[i];
            sum += t->line.st.held;
            if (t->asked > 1 && (!most || t->line.st.held > most->line.st.held))
                most = t;
        }
        if (sum <= w->keep_bytes || !most)
            return;
        while (sum > w->keep_bytes && n + 1 < most->asked && n <= most->asked / 16)
            sum -= stream_cost(&most->line.st.gen[n++]);
        drop(most, n);
    }
}

/* Checks the next generations that have come. */
static void look(struct watch *w, struct target *t)
{
    struct live *l = &t->line;
    struct loaded in;
    struct err e = {0};
    uint8_t *mem;
    size_t at, n = next_look(w, t, &at);
    if (t->failures)
        (void)say(t, "it is there: recording");
    t->looked = true;
    t->failures = 0;
    t->wait_ns = 0;
    if (live_load(l, at + 1 - n, n, &w->live.trace, &in, &mem, &e)) {
        l->st.gen[at].broken = true;
        if (e.code == ERR_NOMEM)
            w->failed = say(t, e.what);
    } else {
        for (size_t i = at + 1 - n; i < at; i++) /* checked for the first time */
            if (!l->st.gen[i].t1)
                l->st.gen[i].t0 = l->st.gen[i].t1 = l->st.gen[at].t1;
        tick(t, l->st.gen[at].t1);
        tell_late(t);
        watch_ask(w, t, &in);
        tell_now(w, t, &in);
        load_free(&in);
        mem_free(mem);
    }
    if (t->pending && t->clock_ns >= t->due_ns)
        watch_capture(w, t, false);
    forget(w, t);
    bound(w);
}

bool watch_step(struct watch *w, struct target *t, int timeout_ms)
{
    struct err e = {0};
    if (t->over)
        return false;
    if (!t->wanted && !t->open) {
        t->over = true;
        return false;
    }
    if (!t->open) {
        const int64_t now = host_now();
        if (w->until_ns && now >= w->until_ns)
            ends(w, t, t->looked ? NULL : "it was never reached");
        else if (now >= t->again_ns)
            dial(w, t);
        return t->open || t->over;
    }
    if (!t->wanted)
        live_stop(&t->line);
    const enum live_state s = live_step(&t->line, timeout_ms, &e);
    live_tell(&t->line, s, "watch", t->where);
    size_t looks = 0;
    while (t->asked < stream_whole(&t->line.st) && looks < LOOKS && !live_stop_asked()) {
        look(w, t);
        looks++;
    }
    if ((s == LIVE_END || s == LIVE_FAILED || !t->wanted) &&
        (t->asked == stream_whole(&t->line.st) || live_stop_asked())) {
        ended(w, t, s, &e);
        return true;
    }
    return looks || s == LIVE_GEN;
}
