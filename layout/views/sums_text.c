/*
 * sums_text.c - see sums_text.h.
 */
#include "layout/views/sums_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"
#include "layout/cells/cells.h"
#include "layout/cells/fmt.h"
#include "layout/cells/when.h"
#include "layout/move/naming.h"
#include "triage/activity/window.h"
#include "triage/triage.h"

enum { TOP = 10 };

/* ---- as text ------------------------------------------------------------------------------------------- */

static void sums_states(const struct sums *s, struct lines *t, const char *title, enum lane_kind kind,
                        const struct shares *sh, bool timed, int64_t whole)
{
    char line[400] = "", d[FMT_MAX], p[FMT_MAX];
    size_t n = 0;
    bool done[ST_COUNT] = {false};
    for (;;) {
        int best = -1;
        for (int k = 0; k < ST_COUNT; k++)
            if (!done[k] && sh->ns[k] > 0 && (best < 0 || sh->ns[k] > sh->ns[best]))
                best = k;
        if (best < 0)
            break;
        done[best] = true;
        const bool none = best == ST_SYSCALL && !timed;
        int k = snprintf(line + n, sizeof line - n, "  %s %s%s%s", name_state(kind, (enum state)best),
                         none ? TRI_NOT_TIMED : when_dur(s->tr, sh->ns[best], d), none ? "" : " ",
                         none ? "" : fmt_percent(sh->ns[best], whole, p));
        if (k < 0 || (size_t)k >= sizeof line - n)
            break;
        n += (size_t)k;
    }
    lines_add(t, "%s:%s", title, n ? line : "  nothing");
}

static int name_room(int w)
{
    int room = w - 46;
    return room > 60 ? 60 : room < 10 ? 10 : room;
}

static void sums_text_head(struct lines *t, const char *what, int w)
{
    lines_add(t, "%s", "");
    lines_add(t, "%-*.*s %8s %8s %8s %8s %7s", name_room(w), name_room(w), what, "running", "runnable",
              "waiting", "syscall", "count");
}

static void put_row(const struct sums *s, struct lines *t, const char *name, const struct sums_row *r, int w)
{
    char a[BY_COUNT][FMT_MAX], c[FMT_MAX];
    int room = name_room(w), used = str_width(str_of(name), room);
    for (int k = 0; k < BY_COUNT; k++)
        if (k == BY_SYSCALL && r->ns[k] && !r->timed)
            snprintf(a[k], sizeof a[k], "%s", TRI_UNTIMED);
        else
            when_dur(s->tr, r->ns[k], a[k]);
    lines_add(t, "%s%*s %8s %8s %8s %8s %7s", name, room - used, "", a[0], a[1], a[2], a[3],
              fmt_count(r->count, c));
}

static int by_most(const void *a, const void *b)
{
    const struct sums_row *x = a, *y = b;
    int64_t m = 0, n = 0;
    for (int k = 0; k < BY_COUNT; k++) /* waiting alone would put goroutines that sleep forever first */
        m = time_add(m, k == BY_WAITING ? 0 : x->ns[k]), n = time_add(n, k == BY_WAITING ? 0 : y->ns[k]);
    if (m != n)
        return m > n ? -1 : 1;
    if (x->ns[BY_WAITING] != y->ns[BY_WAITING])
        return x->ns[BY_WAITING] > y->ns[BY_WAITING] ? -1 : 1;
    return x->key < y->key ? -1 : x->key > y->key;
}

static int by_wait(const void *a, const void *b)
{
    const struct sums_row *x = a, *y = b;
    int64_t m = time_add(x->ns[BY_WAITING], x->ns[BY_SYSCALL]),
            n = time_add(y->ns[BY_WAITING], y->ns[BY_SYSCALL]);
    return m != n ? (m > n ? -1 : 1) : x->key < y->key ? -1 : x->key > y->key;
}

static void sums_table(const struct sums *s, const struct view *v, struct lines *t, const char *what,
                       const struct sums_row *rows, int (*order)(const void *, const void *), int w)
{
    struct sums_row *r = mem_alloc(((size_t)s->nstr + 1) * sizeof *r);
    size_t n = 0;
    char name[400], c[FMT_MAX];
    if (!r)
        return;
    for (uint32_t i = 0; i < s->nstr; i++)
        if (rows[i].count) {
            r[n] = rows[i];
            r[n++].key = i;
        }
    if (n) {
        qsort(r, n, sizeof *r, order);
        sums_text_head(t, what, w);
    }
    for (size_t i = 0; i < n && i < TOP; i++) {
        if (r[i].key)
            str_shorten(trace_str(s->tr, r[i].key), name_room(w), glyph_dots(v->scr.tier), name, sizeof name);
        else
            snprintf(name, sizeof name, "(unknown)");
        put_row(s, t, name, &r[i], w);
    }
    if (n > TOP)
        lines_add(t, "and %s more", fmt_count(n - TOP, c));
    mem_free(r);
}

static void sums_tops(const struct sums *s, const struct view *v, struct lines *t, int w)
{
    static const char *const titles[BY_COUNT] = {"goroutines that ran most", "goroutines runnable longest",
                                                 NULL, "longest in system calls"};
    char name[400];
    for (int k = 0; k < BY_COUNT; k++) {
        if (!titles[k] || !s->ntop[k])
            continue;
        sums_text_head(t, titles[k], w);
        for (int i = 0; i < s->ntop[k] && i < (k ? 5 : TOP); i++) {
            name_goroutine(v, s->top[k][i].key, name_room(w), name, sizeof name);
            put_row(s, t, name, &s->top[k][i], w);
        }
    }
}

/* Sums all goroutines of its start function: those of a folded group's row. */
static void group_states(const struct sums *s, const struct view *v, struct lines *t, int w)
{
    const uint32_t name = trace_lane(s->tr, s->lane).name;
    const struct sums_row *r = &s->func[name < s->nstr ? name : 0];
    struct shares sh = {.ns = {[ST_RUNNING] = r->ns[BY_RUNNING],
                               [ST_RUNNABLE] = r->ns[BY_RUNNABLE],
                               [ST_WAITING] = r->ns[BY_WAITING],
                               [ST_SYSCALL] = r->ns[BY_SYSCALL]}};
    char what[400], title[460], c[FMT_MAX];
    int64_t whole = 0;
    for (int k = 0; k < COLLECTS; k++) {
        sh.ns[sums_collects[k]] = r->collected[k];
        sh.ns[ST_RUNNING] = time_sub(sh.ns[ST_RUNNING], r->collected[k]);
    }
    str_shorten(trace_str(s->tr, name), name_room(w), glyph_dots(v->scr.tier), what, sizeof what);
    for (int k = 0; k < BY_COUNT; k++)
        whole = time_add(whole, r->ns[k]);
    snprintf(title, sizeof title, "all %s goroutines %s", fmt_count(r->count, c), what);
    if (s->done)
        sums_states(s, t, title, LANE_G, &sh, r->timed, whole);
    else
        lines_add(t, "all goroutines %s: adding up", what);
}

void sums_text(const struct sums *s, const struct view *v, struct lines *t, int w)
{
    char a[FMT_MAX], b[FMT_MAX], d[FMT_MAX], id[32], c[FMT_MAX];
    int64_t len = time_sub(s->t1, s->t0);
    uint32_t np = trace_nlanes(s->tr, LANE_P);
    lines_add(t, "%s .. %s: %s", when_exact(s->tr, s->t0, a), when_exact(s->tr, s->t1, b),
              when_exact(s->tr, len, d));
    if (s->group && s->lane.kind == LANE_G && s->lane.i < trace_nlanes(s->tr, LANE_G)) {
        group_states(s, v, t, w);
    } else if (s->lane.i < trace_nlanes(s->tr, s->lane.kind)) {
        name_lane(v, s->lane, id);
        sums_states(s, t, id, s->lane.kind, &s->mine, s->mine_timed, len);
    }
    sums_states(s, t, "all processors", LANE_P, &s->procs, s->procs_timed,
                len > INT64_MAX / ((int64_t)np + 1) ? INT64_MAX : len * (int64_t)np);
    if (!s->done)
        lines_add(t, "goroutines: adding up, %d%% so far", sums_share(s));
    int64_t all = 0;
    for (int k = 0; k < ST_COUNT; k++)
        all = time_add(all, s->all.ns[k]);
    fmt_count(s->lanes, c);
    if (!s->done)
        lines_add(t, "%s of those that live here are added up", c);
    else
        lines_add(t, s->lanes == 1 ? "%s goroutine lives here" : "%s goroutines live here", c);
    sums_states(s, t, "all goroutines", LANE_G, &s->all, s->all_timed, all);
    lines_add(t, "%s time%s a goroutine ran on another processor than before", fmt_count(s->moves, c),
              s->moves == 1 ? "" : "s");
    if (s->runtime_ready)
        lines_add(t, "runnable: %s of the program's goroutines, %s of the runtime's own",
                  when_dur(s->tr, s->all.ns[ST_RUNNABLE] - s->runtime_ready, a),
                  when_dur(s->tr, s->runtime_ready, b));
    if (s->all.ns[ST_GCWORK] || s->all.ns[ST_ASSIST] || s->all.ns[ST_SWEEP])
        lines_add(t, "below, running is also what ran for the collector: GC workers, mark assists");
    sums_table(s, v, t, "by start function", s->func, by_most, w);
    sums_tops(s, v, t, w);
    sums_table(s, v, t, "waits and calls by place", s->place, by_wait, w);
    if (s->cut)
        lines_add(t, "too many spans: places and moves are not complete (the other sums are exact)");
}
