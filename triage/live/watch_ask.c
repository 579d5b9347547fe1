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
    if (u->rule == RULE_COUNT) {
        const bool got = metric_get(l, u->cond.metric, &v, &e) == ERR_OK && v.known;
        if (got)
            metric_text(t, &v);
        return got && condition_holds(&u->cond, v.v);
    }
    for (uint32_t i = 0; i < l->fs.n; i++) {
        const struct finding *f = &l->fs.f[i];
        if (f->rule == u->rule && !f->note) {
            text_add(t, "%s", f->amount);
            return true;
        }
    }
    return false;
}

/* A condition has begun to hold: a capture is pending, or has one more reason; or the log gets a line. */
static void edge(struct watch *w, struct until *u, const char *reason)
{
    const int64_t ago = w->clock_ns - u->fired_ns;
    if (u->fired && ago < w->o.cooldown_ns && !w->pending) {
        struct text line = {.ascii = true};
        text_say(&line, NULL, "held ", reason,
                 ": no file, there is one for it from before (--cooldown): ", t_dur(ago));
        watch_note(w, live_wall_now(), &line);
        return;
    }
    const size_t n = w->pending ? strlen(w->reason) : 0;
    u->fired = true;
    u->fired_ns = w->clock_ns;
    snprintf(w->reason + n, sizeof w->reason - n, "%s%s", n ? "; " : "", reason);
    if (w->pending)
        return;
    w->pending = true;
    w->due_ns = w->clock_ns + w->o.after_ns;
    w->wall_ns = live_wall_now();
    text_free(&w->values);
}

void watch_ask(struct watch *w, const struct loaded *in)
{
    struct text values = {.ascii = true};
    const bool was = w->pending;
    for (uint32_t i = 0; i < w->n; i++) {
        struct until *u = &w->until[i];
        struct text found = {.ascii = true}, reason = {.ascii = true};
        const bool on = holds(u, in, &found);
        text_say(&values, NULL, "  ", t_clean(u->text), t_to(32), " ", found.n ? found.p : "-",
                 on ? "   holds" : "", "\n"); /* for the page */
        if (on && !u->on) {
            text_say(&reason, NULL, t_clean(u->text), ": ", found.p ? found.p : "");
            edge(w, u, text_ok(&reason) ? reason.p : u->text);
        }
        u->on = on;
        text_free(&found);
        text_free(&reason);
    }
    if (w->pending && !was)
        w->values = values;
    else
        text_free(&values);
}

void watch_end(struct watch *w, const char *why)
{
    for (uint32_t i = 0; i < w->n; i++) {
        struct text reason = {.ascii = true};
        if (!w->until[i].end)
            continue;
        text_say(&reason, NULL, "end: ", t_clean(why));
        edge(w, &w->until[i], text_ok(&reason) ? reason.p : "end");
        text_free(&reason);
        return;
    }
}
