/*
 * report_waitfor.c - who waits for whom (waitfor.h), as lines of the page and as JSON.
 */
#include "triage/findings/causes.h"
#include "triage/findings/waitfor.h"
#include "triage/report/json_out.h"
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
        text_add(t, "%s", shown++ ? "" : "\nWAITS FOR  who for whom, summed over all waits\n");
        report_cell(t, e->ns, 10);
        text_add(t, " %9llu x  ", (unsigned long long)e->count);
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
        report_wrapped(t, u.p ? u.p : "", 2, 20);
        t->failed |= u.failed;
        text_free(&u);
    }
    waitfor_free(w);
}

void out_waitfor(struct out *o, json_t *root)
{
    static const char *const what[] = {"group", "network", "pipe", "timer", "nobody"};
    struct waitfor *w = waitfor_new(o->l->tg);
    json_t *all = object(o, root, "waits_for"), *edges = array(o, all, "edges"),
           *ends = array(o, all, "finally");
    o->failed |= !w;
    for (uint32_t i = 0; w && i < w->nedges && i < TOP; i++) {
        const struct waitfor_edge *e = &w->edge[i];
        json_t *r = row(o, edges);
        name(o, r, "waiter", e->from);
        words(o, r, "kind", what[e->what], strlen(what[e->what]));
        name(o, r, "waited_for", e->to);
        num(o, r, "total_ns", e->ns);
        big(o, r, "count", e->count);
        num(o, r, "knot", e->knot);
        moment(o, r, "longest", &e->longest);
    }
    for (uint32_t i = 0; w && i < w->nends; i++) {
        json_t *r = row(o, ends), *of = array(o, r, "of");
        name(o, r, "waiter", w->end[i].from);
        num(o, r, "total_ns", w->end[i].ns);
        for (uint32_t k = 0; k < w->end[i].n; k++) {
            json_t *x = row(o, of);
            const char *id = explain_cat_id((enum explain_cat)w->end[i].of[k].cat);
            name(o, x, "waited_for", w->end[i].of[k].who);
            words(o, x, "what", id, strlen(id));
            name(o, x, "func", w->end[i].of[k].func);
            out_ran(o, x,
                    w->end[i].of[k].cat == EX_RUN && w->end[i].of[k].stack ? &w->end[i].of[k].ran : NULL);
            put(o, x, "share", json_real(w->end[i].of[k].share));
        }
    }
    waitfor_free(w);
}
