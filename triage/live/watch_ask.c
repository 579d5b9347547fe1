/*
 * watch_ask.c - see watch.h: when a condition begins to hold, and whether that makes a capture.
 *
 * A condition fires when it holds and did not hold at the last check. While it goes on holding, nothing
 * more happens. If it begins again within --cooldown, the log gets a line and there is no file.
 */
#include <stdio.h>
#include <string.h>

#include "triage/live/watch.h"
#include "triage/sentence.h"

/* Returns whether the condition holds. *t says what was found, also if it does not. */
static bool holds(const struct until *u, const struct loaded *l, struct text *t)
{
    struct err e = {0};
    struct metric_value v;
    if (u->end)
        return false;
    if (u->rule < 0) {
        const bool got = metric_get(l, u->cond.metric, &v, &e) == ERR_OK && v.known;
        if (got)
            metric_text(t, &v);
        return got && condition_holds(&u->cond, v.v);
    }
    for (uint32_t i = 0; i < l->fs.n; i++) {
        const struct finding *f = &l->fs.f[i];
        if (f->rule == (enum rule)u->rule && !f->note) {
            text_add(t, "%s", f->amount);
            return true;
        }
    }
    return false;
}

static void name(struct text *t, const struct until *u)
{
    text_clean(t, u->text, strlen(u->text), 0);
}

/* Returns whether one more file of this target may be written within --per. */
static bool within(const struct watch *w, struct target *t)
{
    if (w->ends)
        return w->captured < w->max;
    if (!t->per_count || t->clock_ns - t->per_ns >= w->per_ns) {
        t->per_ns = t->clock_ns;
        t->per_count = 0;
    }
    return t->per_count < w->max;
}

/* Makes a capture pending, or adds one more reason to a pending one. */
static void want(struct target *t, const char *reason, int64_t due_ns)
{
    const size_t n = t->pending ? strlen(t->reason) : 0;
    snprintf(t->reason + n, sizeof t->reason - n, "%s%s", n ? "; " : "", reason);
    if (t->pending)
        return;
    t->pending = true;
    t->due_ns = due_ns;
    t->wall_ns = live_wall_now();
    t->per_count++;
    text_free(&t->values);
}

/* Logs "held WHAT: no file, ..". */
static void no_file(struct watch *w, struct target *t, const char *reason, const char *why, int64_t ns)
{
    struct text line = {.ascii = true};
    text_say(&line, NULL, "held ", reason);
    if (w->ntargets > 1) {
        char shown[FEED_SHOWN];
        const char *s = feed_shown(t->where, shown);
        text_say(&line, NULL, " of ", t_clean(s));
    }
    text_add(&line, ": no file, %s", why);
    if (ns >= 0)
        text_dur(&line, ns);
    watch_note(w, live_wall_now(), &line);
}

/* Decides what follows when a condition has begun to hold: a capture, or a line in the log. */
static void edge(struct watch *w, struct target *t, struct edge *e, const char *reason)
{
    const int64_t ago = t->clock_ns - e->fired_ns;
    if (e->fired && ago < w->cooldown_ns && !t->pending) {
        no_file(w, t, reason, "there is one for it from before (--cooldown): ", ago);
    } else if (!t->pending && !within(w, t)) {
        no_file(w, t, reason, "there are as many as there may be (--max)", -1);
    } else {
        e->fired = true;
        e->fired_ns = t->clock_ns;
        want(t, reason, t->clock_ns + w->after_ns);
    }
}

/* Adds a line for the page: a condition and its value. */
static void put_value(struct text *t, const struct until *u, const struct text *found, bool on)
{
    const size_t from = t->n;
    text_lit(t, "  ");
    name(t, u);
    text_pad(t, from, 32);
    text_add(t, " %s%s\n", found->n ? found->p : "-", on ? "   holds" : "");
}

void watch_ask(struct watch *w, struct target *t, const struct loaded *in)
{
    struct text values = {.ascii = true};
    const bool was = t->pending;
    for (uint32_t i = 0; i < w->n; i++) {
        const struct until *u = &w->until[i];
        struct text found = {.ascii = true}, reason = {.ascii = true};
        const bool on = holds(u, in, &found);
        put_value(&values, u, &found, on);
        if (on && !t->edge[i].on) {
            name(&reason, u);
            text_add(&reason, ": %s", found.p ? found.p : "");
            edge(w, t, &t->edge[i], text_ok(&reason) ? reason.p : u->text);
        }
        t->edge[i].on = on;
        text_free(&found);
        text_free(&reason);
    }
    if (t->pending && !was)
        t->values = values;
    else
        text_free(&values);
}

void watch_end(struct watch *w, struct target *t, const char *why)
{
    for (uint32_t i = 0; i < w->n; i++) {
        struct text reason = {.ascii = true};
        if (!w->until[i].end)
            continue;
        text_say(&reason, NULL, "end: ", t_clean(why));
        if (t->pending || within(w, t))
            want(t, text_ok(&reason) ? reason.p : "end", t->clock_ns);
        else
            no_file(w, t, reason.p ? reason.p : "end", "there are as many as there may be (--max)", -1);
        text_free(&reason);
        return;
    }
}
