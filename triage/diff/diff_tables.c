/*
 * diff_tables.c - the tables of one run beside those of another, matched by name: the evidence for the
 * verdict (claims.h). Two runs of an unchanged program differ here, too; nothing is claimed.
 */
#include <stdio.h>
#include <string.h>

#include "decode/base/mem.h"
#include "triage/diff/diff_parts.h"
#include "triage/sentence.h"

#define GROUPS_MAX 12

void diff_change(struct text *t, const struct metric_value *a, const struct metric_value *b)
{
    struct text cell = {0};
    metric_text(&cell, a);
    text_add(t, "%12s", cell.p ? cell.p : "");
    text_free(&cell);
    metric_text(&cell, b);
    text_add(t, " -> %-12s", cell.p ? cell.p : "");
    text_free(&cell);
    if (a->known && b->known && a->v > 0 && a->unit != UNIT_SHARE)
        text_add(t, " %+7.1f%%", (b->v / a->v - 1) * 100);
    else if (a->known && b->known && a->unit == UNIT_SHARE)
        text_add(t, " %+7.2f points", (b->v - a->v) * 100);
}

static void metrics(struct text *t, const struct loaded *a, const struct loaded *b)
{
    static const char *const shown[] = {
        "duration",     "procs",       "events",     "goroutines", "goroutines.stuck",
        "busy.share",   "idle.missed", "gc.cycles",  "gc.share",   "gc.assist",
        "heap.max",     "mmu(10ms)",   "count(stw)", "max(stw)",   "total(stw)",
        "count(sched)", "p50(sched)",  "p99(sched)", "max(sched)",
    };
    text_lit(t, "\nNUMBERS\n");
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        struct metric_value x, y;
        size_t start = t->n;
        if (metric_get(a, shown[i], &x, NULL) != ERR_OK || metric_get(b, shown[i], &y, NULL) != ERR_OK)
            continue;
        text_add(t, "  %s", shown[i]);
        text_pad(t, start, 20);
        diff_change(t, &x, &y);
        text_lit(t, "\n");
    }
}

static bool has_key(const struct findings *fs, const char *key)
{
    for (uint32_t i = 0; i < fs->n; i++)
        if (strcmp(fs->f[i].key, key) == 0)
            return true;
    return false;
}

static void findings_only(struct text *t, const struct loaded *x, const struct loaded *other,
                          const char *word, bool *any)
{
    for (uint32_t i = 0; i < x->fs.n; i++) {
        const struct finding *f = &x->fs.f[i];
        if (has_key(&other->fs, f->key) || findings_is_what(f))
            continue;
        text_say(t, NULL, "  ", word, " ", t_clean(f->amount), "  ", f->title, " [", t_clean(f->key), "]\n");
        *any = true;
    }
}

static void findings(struct text *t, const struct loaded *a, const struct loaded *b)
{
    bool any = false;
    text_lit(t, "\nFINDINGS\n");
    findings_only(t, b, a, "new ", &any);
    findings_only(t, a, b, "gone", &any);
    for (uint32_t i = 0; i < b->fs.n; i++) {
        const struct finding *f = &b->fs.f[i];
        for (uint32_t k = 0; k < a->fs.n; k++) {
            const struct finding *g = &a->fs.f[k];
            if (strcmp(f->key, g->key) == 0 && !findings_is_what(f)) {
                text_say(t, NULL, "  both ", f->title, "  ", t_clean(g->amount), " -> ", t_clean(f->amount),
                         "\n");
                any = true;
                break;
            }
        }
    }
    if (!any)
        text_lit(t, "  none in either\n");
}

/* ---- tables matched by name ---------------------------------------------------------------------------- */

static bool same_name(const struct trace *x, uint32_t a, const struct trace *y, uint32_t b)
{
    struct str s = trace_str(x, a), u = trace_str(y, b);
    return s.len == u.len && memcmp(s.p, u.p, s.len) == 0;
}

static void dist_line(struct text *t, const char *what, const struct dist *x, const struct dist *y)
{
    size_t start = t->n;
    if (x->total == 0 && y->total == 0)
        return;
    text_add(t, "      %s", what);
    text_pad(t, start, 22);
    text_say(t, NULL, "avg ", t_dur(dist_avg(x)), " (sd ", t_dur((int64_t)dist_sd(x)), ") -> ",
             t_dur(dist_avg(y)), " (sd ", t_dur((int64_t)dist_sd(y)), ")\n");
}

static const struct group *group_like(const struct loaded *l, const struct trace *tr, uint32_t str)
{
    for (uint32_t i = 0; i < l->tg->ngroups; i++)
        if (same_name(l->tr, l->tg->groups[i].name, tr, str))
            return &l->tg->groups[i];
    return NULL;
}

/* What is compared of each goroutine, of both traces. */
static const enum gmetric per_goroutine[] = {GM_EXEC, GM_SCHED, GM_WAIT, GM_SYSCALL};
#define PER (sizeof per_goroutine / sizeof *per_goroutine)
struct dists {
    struct dist *a[PER], *b[PER];
};

static bool dists_of(struct dists *d, const struct loaded *a, const struct loaded *b)
{
    bool ok = true;
    for (size_t k = 0; k < PER; k++) {
        d->a[k] = triage_group_dists(a->tg, per_goroutine[k]);
        d->b[k] = triage_group_dists(b->tg, per_goroutine[k]);
        ok = ok && d->a[k] && d->b[k];
    }
    return ok;
}

static void dists_free(struct dists *d)
{
    for (size_t k = 0; k < PER; k++) {
        mem_free(d->a[k]);
        mem_free(d->b[k]);
    }
}

static void groups_of(struct text *t, const struct loaded *a, const struct loaded *b, const struct dists *d)
{
    uint32_t shown = 0;
    const bool timed =
        trace_info(a->tr)->second_family && trace_info(b->tr)->second_family; /* system calls are */
    text_lit(t, "\nGOROUTINES by start function (per goroutine)\n");
    for (uint32_t i = 0; i < b->tg->ngroups && shown < GROUPS_MAX; i++) {
        const struct group *y = &b->tg->groups[i], *x = group_like(a, b->tr, y->name);
        if (y->is_system)
            continue;
        shown++;
        text_say(t, b->tr, "  ", t_func_cut(y->name, 60), ": ", x ? x->count : 0, " -> ", y->count,
                 x ? "" : "  (new)", "\n");
        for (size_t k = 0; x && k < PER; k++) {
            if (per_goroutine[k] == GM_SYSCALL && !timed)
                continue;
            dist_line(t, gmetric_name(per_goroutine[k]), &d->a[k][x - a->tg->groups], &d->b[k][i]);
        }
    }
    for (uint32_t i = 0; i < a->tg->ngroups && shown < GROUPS_MAX; i++) {
        if (!a->tg->groups[i].is_system && !group_like(b, a->tr, a->tg->groups[i].name)) {
            shown++;
            text_say(t, a->tr, "  ", t_func_cut(a->tg->groups[i].name, 60), ": ", a->tg->groups[i].count,
                     " -> 0  (gone)\n");
        }
    }
}

static void groups(struct text *t, const struct loaded *a, const struct loaded *b)
{
    struct dists d;
    if (dists_of(&d, a, b))
        groups_of(t, a, b, &d);
    else
        t->failed = true;
    dists_free(&d);
}

static void types(struct text *t, const struct loaded *a, const struct loaded *b)
{
    uint32_t shown = 0;
    for (uint32_t i = 0; i < b->tg->ntypes && shown < GROUPS_MAX; i++) {
        const struct span_type *y = &b->tg->types[i];
        for (uint32_t k = 0; k < a->tg->ntypes; k++) {
            const struct span_type *x = &a->tg->types[k];
            if (x->is_region != y->is_region || !same_name(a->tr, x->name, b->tr, y->name))
                continue;
            if (shown++ == 0)
                text_lit(t, "\nTASKS and regions\n");
            text_say(t, b->tr, "  ", y->is_region ? "region" : "task", " ", t_str(y->name), ": ", x->d.n,
                     " -> ", y->d.n, ", p50 ", t_dur(x->d.p50), " -> ", t_dur(y->d.p50), ", p99 ",
                     t_dur(x->d.p99), " -> ", t_dur(y->d.p99), "\n");
        }
    }
}

static bool same_where(const struct loaded *a, const struct wait_row *x, const struct loaded *b,
                       const struct wait_row *y)
{
    struct text s = {0}, u = {0};
    bool same = same_name(a->tr, x->reason, b->tr, y->reason);
    if (same) {
        text_where(&s, a->tr, x->stack, 0);
        text_where(&u, b->tr, y->stack, 0);
        same = s.p && u.p && strcmp(s.p, u.p) == 0;
    }
    text_free(&s);
    text_free(&u);
    return same;
}

struct waited {
    uint64_t count;
    int64_t total;
};

/* Sums all of l's waits that read like row y of b, since stacks that differ in lines may be one place. */
static struct waited waited_like(const struct loaded *l, const struct loaded *b, const struct wait_row *y)
{
    struct waited w = {0};
    for (uint32_t k = 0; k < l->tg->nwaits && k < 2000; k++) {
        if (same_where(l, &l->tg->waits[k], b, y)) {
            w.count += l->tg->waits[k].count;
            w.total = ns_add(w.total, l->tg->waits[k].total);
        }
    }
    return w;
}

/* Waiting per second of trace: traces differ in length. */
static int64_t per_second(const struct waited *w, const struct loaded *l)
{
    return l->tg->end > 0 ? (int64_t)((double)w->total / ((double)l->tg->end / 1e9)) : 0;
}

static bool said_before(const struct loaded *b, uint32_t i)
{
    for (uint32_t k = 0; k < i; k++)
        if (same_where(b, &b->tg->waits[k], b, &b->tg->waits[i]))
            return true;
    return false;
}

static void waits(struct text *t, const struct loaded *a, const struct loaded *b)
{
    text_lit(t, "\nWAITS by reason and place (waiting per second of trace)\n");
    for (uint32_t i = 0, shown = 0; i < b->tg->nwaits && i < 40 && shown < 10; i++) {
        const struct wait_row *y = &b->tg->waits[i];
        struct waited was, is;
        if (said_before(b, i))
            continue;
        shown++;
        was = waited_like(a, b, y);
        is = waited_like(b, b, y);
        text_say(t, b->tr, "  ", t_dur(per_second(&was, a)), " -> ", t_dur(per_second(&is, b)), ", ",
                 was.count, " -> ", is.count, " waits, ", t_wait(y->reason, y->stack));
        if (trace_stack(b->tr, y->stack))
            text_say(t, b->tr, " at ", t_where(y->stack, 48));
        text_lit(t, "\n");
    }
}

void diff_tables(struct text *t, const struct loaded *a, const struct loaded *b)
{
    findings(t, a, b);
    metrics(t, a, b);
    diff_paths(t, a, b);
    groups(t, a, b);
    types(t, a, b);
    waits(t, a, b);
}
