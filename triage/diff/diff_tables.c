/*
 * diff_tables.c - the numbers of one run beside those of another. Two runs of an unchanged program differ
 * here, too; nothing is claimed.
 */
#include <string.h>

#include "triage/diff/diff_parts.h"
#include "triage/sentence.h"

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
        text_add(t, b->v >= 10 * a->v ? " %7.1f times" : " %+7.1f%%",
                 b->v >= 10 * a->v ? b->v / a->v : (b->v / a->v - 1) * 100);
    else if (a->known && b->known && a->unit == UNIT_SHARE)
        text_add(t, " %+7.2f points", (b->v - a->v) * 100);
}

static void diff_numbers(struct text *t, const struct loaded *a, const struct loaded *b)
{
    static const char *const shown[] = {
        "duration",  "procs",      "events",       "goroutines", "goroutines.stuck", "busy.share",
        "gc.cycles", "gc.share",   "gc.assist",    "heap.max",   "mmu(10ms)",        "count(stw)",
        "max(stw)",  "total(stw)", "count(sched)", "p50(sched)", "p99(sched)",       "max(sched)",
    };
    text_lit(t, "\nNUMBERS\n");
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        struct metric_value x, y;
        if (metric_get(a, shown[i], &x, NULL) != ERR_OK || metric_get(b, shown[i], &y, NULL) != ERR_OK)
            continue;
        text_say(t, NULL, "  ", shown[i], t_to(20));
        diff_change(t, &x, &y);
        text_lit(t, "\n");
    }
}

static const struct finding *of_key(const struct findings *fs, const char *key)
{
    for (uint32_t i = 0; i < fs->n; i++)
        if (strcmp(fs->f[i].key, key) == 0)
            return &fs->f[i];
    return NULL;
}

/* "gone 69.6%  lock held in  main.(*bank).clerk"; was: its amount in the other one. */
static void finding_line(struct text *t, const struct loaded *x, const struct finding *f, const char *word,
                         const char *was)
{
    text_say(t, NULL, "  ", word, " ", t_clean(was ? was : ""), was ? " -> " : "", t_clean(f->amount), "  ",
             f->title);
    if (f->v.culprit.user) {
        text_lit(t, "  ");
        site_text(t, x->tr, &f->v.culprit);
    }
    text_lit(t, "\n");
}

/* Those that the other one has, too, or those that it has not. */
static void side_findings(struct text *t, const struct loaded *x, const struct loaded *other, bool both,
                          const char *word, bool *any)
{
    for (uint32_t i = 0; i < x->fs.n; i++) {
        const struct finding *f = &x->fs.f[i], *g = of_key(&other->fs, f->key);
        if (both != (g != NULL) || findings_is_what(f))
            continue;
        finding_line(t, x, f, word, g ? g->amount : NULL);
        *any = true;
    }
}

static void diff_findings(struct text *t, const struct loaded *a, const struct loaded *b)
{
    bool any = false;
    text_lit(t, "\nFINDINGS\n");
    side_findings(t, b, a, false, "new ", &any);
    side_findings(t, a, b, false, "gone", &any);
    side_findings(t, b, a, true, "both", &any);
    if (!any)
        text_lit(t, "  none in either\n");
}

void diff_tables(struct text *t, const struct loaded *a, const struct loaded *b)
{
    if (trace_info(a->tr)->has_clock && trace_info(b->tr)->has_clock) /* else ticks of unknown length */
        diff_works(t, a, b);
    diff_findings(t, a, b);
    diff_numbers(t, a, b);
}
