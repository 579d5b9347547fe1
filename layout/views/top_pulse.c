/* top_pulse.c - see top_pulse.h. */
#include "layout/views/top_pulse.h"

#include <stdio.h>
#include <string.h>

#include "decode/base/mem.h"
#include "layout/views/tri_priv.h"
#include "triage/work/pulse.h"

#define ANEW_NS INT64_C(30000000000) /* how often to ask which goroutines work in pieces */
enum { MOST = 3, ROWS_LEAST = 12, CELL = 8, CELLS = 6, NAME_LEAST = 20 };

struct top_pulse {
    struct pulse *p;
    const struct findings *learned; /* the tables whose works were last read, and when */
    int64_t heard_ns;               /* the trace's clock; NO_TIME: never */
    uint64_t events;                /* of the trace, when that was counted */
    const struct trace *tr;
    bool walking, failed;
    /* of the time that was asked for last */
    int64_t t0, t1, upto; /* the trace's clock */
    struct dist d[PULSE_ROWS];
    uint32_t row[MOST];
    int n;
};

void top_pulse_free(struct top_pulse *t)
{
    if (t)
        pulse_free(t->p);
    mem_free(t);
}

/* Whether the trace includes the moment up to which was counted; if not, it is another program's. */
static bool goes_on(const struct top_pulse *t, const struct trace_info *ti)
{
    const int64_t at = pulse_end(t->p);
    return !t->tr || (ti->first_ns <= at && at <= ti->first_ns + ti->end);
}

static struct top_pulse *made(struct top_pulse **to)
{
    struct top_pulse *t = *to = mem_zalloc(sizeof *t);
    if (t)
        t->heard_ns = NO_TIME;
    if (t && !(t->p = pulse_new())) {
        mem_free(t);
        t = *to = NULL;
    }
    return t;
}

void top_pulse_follow(struct top_pulse **to, const struct view *v)
{
    const struct trace_info *ti = trace_info(v->tr);
    const struct findings *fs = v->tri ? v->tri->fs : NULL;
    struct top_pulse *t = *to ? *to : made(to);
    if (t && !t->walking && !goes_on(t, ti)) {
        top_pulse_free(t);
        t = made(to);
    }
    if (!t || t->failed || !ti->done || !ti->has_clock)
        return;
    if (fs && fs != t->learned && t->heard_ns == NO_TIME &&
        t->tr) { /* recount everything with the works known now */
        top_pulse_free(t);
        if (!(t = made(to)))
            return;
    }
    if (fs && fs != t->learned) {
        t->failed |= !pulse_learn(t->p, v->tr, &fs->works);
        t->heard_ns = ti->first_ns + ti->end;
    }
    t->learned = fs;
    if (t->tr == v->tr && (t->walking || t->events == ti->events))
        return; /* complete the count in progress first */
    if (t->tr)
        pulse_forget(t->p, ti->first_ns);
    t->tr = v->tr;
    t->events = ti->events;
    t->walking = true;
    pulse_begin(t->p, v->tr);
}

bool top_pulse_asks(const struct top_pulse *t, const struct view *v)
{
    const struct trace_info *ti = trace_info(v->tr);
    return ti->has_clock &&
           (!t || (!t->failed && (t->heard_ns == NO_TIME || ti->first_ns + ti->end - t->heard_ns > ANEW_NS)));
}

bool top_pulse_pending(const struct top_pulse *t)
{
    return t && t->walking && !t->failed;
}

bool top_pulse_work(struct top_pulse *t, int64_t budget_ns)
{
    bool failed = false;
    if (!top_pulse_pending(t))
        return true;
    if (!pulse_step(t->p, budget_ns, &failed))
        return false;
    t->walking = false;
    t->failed |= failed;
    return true;
}

int top_pulse_lines(struct top_pulse *t, const struct view *v, int64_t t0, int64_t t1, int rows)
{
    uint32_t order[PULSE_ROWS];
    if (!t || t->failed || rows < ROWS_LEAST || v->scr.w < NAME_LEAST + CELL * CELLS)
        return 0;
    const int64_t zero = trace_info(v->tr)->first_ns;
    t0 += zero;
    t1 += zero;
    if (!t->walking && (t->t0 != t0 || t->t1 != t1 || t->upto != pulse_end(t->p))) {
        if (!pulse_of(t->p, t0, t1, t->d))
            return 0;
        t->t0 = t0;
        t->t1 = t1;
        t->upto = pulse_end(t->p);
        pulse_order(t->p, t->d, order);
        t->n = 0;
        for (uint32_t i = 0; i < pulse_rows(t->p) && t->n < MOST; i++)
            if (t->d[order[i]].n)
                t->row[t->n++] = order[i];
    }
    return t->n ? t->n + 1 : 0;
}

static void line(const struct top_pulse *t, struct grid *g, const struct view *v, int y, uint32_t row)
{
    const struct pulse_row *w = pulse_row(t->p, row);
    const struct dist *d = &t->d[row];
    const int64_t since = pulse_since(t->p), from = since > t->t0 ? since : t->t0;
    const int64_t ns[] = {d->p50, d->p95, d->p99, d->p999, d->max};
    const double rate = t->t1 > from ? (double)d->n * 1e9 / (double)(t->t1 - from) : 0;
    int x = g->w - CELL * CELLS;
    char buf[FMT_MAX];
    struct text name = {0};
    const char *slash = strrchr(w->handler, '/'), *of = slash ? slash + 1 : w->handler;
    text_add(&name, "%s ", work_kind_name(w->kind));
    text_tail(&name, of, strlen(of), (size_t)(x - 1) - name.n);
    tri_say(g, 0, y, x - 1, STYLE_NORMAL, "%s", name.p ? name.p : "");
    text_free(&name);
    snprintf(buf, sizeof buf, rate < 10 ? "%.1f" : "%.0f", rate);
    grid_right(g, x, y, CELL, buf, STYLE_NORMAL);
    for (int i = 0; i < 5; i++)
        grid_right(g, x += CELL, y, CELL, when_dur(v->tr, ns[i], buf), STYLE_NORMAL);
}

void top_pulse_draw(const struct top_pulse *t, struct grid *g, const struct view *v, int y, int n,
                    const char *when)
{
    static const char *const title[CELLS] = {"per s", "p50", "p95", "p99", "p99.9", "most"};
    int x = g->w - CELL * CELLS;
    grid_fill(g, 0, y, g->w, 1, ' ', STYLE_RULER);
    tri_say(g, 0, y, x, STYLE_RULER, "work, %s", when);
    for (int i = 0; i < CELLS; i++, x += CELL)
        grid_right(g, x, y, CELL, title[i], STYLE_RULER);
    for (int i = 0; i + 1 < n && i < t->n; i++)
        line(t, g, v, y + 1 + i, t->row[i]);
}
