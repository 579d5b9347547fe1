/*
 * report_waitfor.c - which goroutines wait for which (waitfor.h), as lines of the page and as JSON.
 */
#include "triage/findings/causes.h"
#include "triage/findings/waitfor.h"
#include "triage/report/report_parts.h"
#include "triage/sentence.h"

#define LINES 5
#define ENDS 2

static bool worth(const struct waitfor_edge *e, const struct triage *tg)
{
    return (e->what == WF_GROUP || e->what == WF_NOBODY) && stacks_is_program(tg->tr, e->from) &&
           e->ns > tg->end / 100;
}

void report_waitfor(struct text *t, const struct loaded *l)
{
    struct waitfor *w = waitfor_within(l->tg, WAITFOR_SPANS, ENDS);
    uint32_t shown = 0;
    t->failed |= !w;
    for (uint32_t i = 0; w && i < w->nedges && shown < LINES; i++) {
        const struct waitfor_edge *e = &w->edge[i];
        if (!worth(e, l->tg))
            continue;
        text_say(t, NULL, shown++ ? "" : "\nWAITS FOR  who for whom, summed over all waits\n",
                 t_cell(e->ns, 10), " ", t_right(e->count, 9), " x  ");
        waitfor_edge_text(t, l->tr, e);
        if (e->knot)
            text_lit(t, ", and that one for it");
        text_lit(t, "\n");
    }
    for (uint32_t i = 0; w && i < w->nends && i < ENDS && shown; i++) {
        struct text u = {.ascii = t->ascii, .ticks = t->ticks};
        if (w->end[i].n == 0 || w->end[i].ns < l->tg->end / 100)
            continue;
        text_say(&u, l->tr, t_func(w->end[i].from), " ultimately waits for (inferred): ");
        waitfor_end_text(&u, l->tr, &w->end[i]);
        text_lit(&u, ".");
        report_wrapped(t, &u, 2, 20);
    }
    waitfor_free(w);
}

void out_waitfor(json_t *root, const struct loaded *l)
{
    static const char *const what[] = {"group", "network", "pipe", "timer", "nobody"};
    struct waitfor *w = waitfor_new(l->tg);
    json_t *all = json_under(root, "waits_for"), *edges = json_list(all, "edges"),
           *ends = json_list(all, "finally");
    if (!w)
        json_fail();
    for (uint32_t i = 0; w && i < w->nedges && i < TOP; i++) {
        const struct waitfor_edge *e = &w->edge[i];
        json_row(edges, l->tr, "waiter", j_str(e->from), "kind", what[e->what], "waited_for", j_str(e->to),
                 "total_ns", e->ns, "count", e->count, "knot", e->knot, "longest", j_moment(&e->longest));
    }
    for (uint32_t i = 0; w && i < w->nends; i++) {
        const struct waitfor_end *f = &w->end[i];
        json_t *r = json_append(ends), *of = json_list(r, "of");
        json_put(r, l->tr, "waiter", j_str(f->from), "total_ns", f->ns);
        for (uint32_t k = 0; k < f->n; k++) {
            json_t *x =
                json_row(of, l->tr, "waited_for", j_str(f->of[k].who), "what",
                         explain_cat_id((enum explain_cat)f->of[k].cat), "func", j_str(f->of[k].func));
            json_ran(x, l->tr, f->of[k].cat == EX_RUN && f->of[k].stack ? &f->of[k].ran : NULL);
            json_put(x, NULL, "share", f->of[k].share);
        }
    }
    waitfor_free(w);
}
