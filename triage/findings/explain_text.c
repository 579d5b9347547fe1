/* explain_text.c - see explain_text.h. */
#include "triage/findings/explain_text.h"
#include "triage/sentence.h"

#define DEEP 8 /* levels */

void explain_node_text(struct text *t, const struct trace *tr, const struct explain_node *n, bool own)
{
    if (n->cat == EX_QUEUED) {
        text_say(t, tr, explain_cat_name(EX_QUEUED), " by ", t_func_cut(n->who, 48));
        return;
    }
    if (!own)
        text_say(t, tr, t_func_cut(n->who, 48), ": ");
    const bool torn = n->cat == EX_OPEN && trace_info(tr)->ndamages; /* its end may be in the missing part */
    text_add(t, "%s", torn ? "waiting, no end recorded" : explain_cat_name((enum explain_cat)n->cat));
    if (n->cat == EX_WAIT || n->cat == EX_OPEN || n->cat == EX_TIMER || n->cat == EX_STOPPED) {
        const struct str r = trace_str(tr, n->reason);
        const enum wait_kind k = str_is(r, "sync") ? stacks_wait_kind(tr, n->reason, n->stack)
                                                   : WK_OTHER; /* it may be any of several */
        text_add(t, "%s", r.len ? " (" : "");
        if (k != WK_OTHER)
            text_add(t, "%s", wait_kind_name(k));
        else
            text_clean(t, r.p, r.len, 40);
        text_add(t, "%s", r.len ? ")" : "");
    }
    if (n->stack && n->cat == EX_RUN) {
        ran_text(t, tr, &n->ran, n->stack, n->frame, n->mixed ? 1 : EXPLAIN_CALLS);
    } else if (n->stack && n->cat != EX_ABSENT) {
        text_add(t, n->cat == EX_SCHED || n->cat == EX_NOBODY || n->cat == EX_STOPPED ? " behind " : " at ");
        text_calls(t, tr, n->stack, n->frame, n->mixed ? 1 : EXPLAIN_CALLS);
    }
}

static void tree_text(struct text *t, const struct explain_tree *x, uint32_t i, int depth, uint32_t who,
                      int *lines)
{
    for (uint32_t k = x->v[i].first; k != NO_LANE && *lines > 0; k = x->v[k].next) {
        const struct explain_node *n = &x->v[k];
        struct text cell = {0};
        if (n->ns < x->v[0].ns / 200)
            continue; /* half a per cent */
        text_share(&cell, (double)n->ns, (double)x->v[0].ns);
        text_add(t, "%7s ", cell.p ? cell.p : "");
        text_free(&cell);
        text_dur(&cell, n->ns);
        text_add(t, "%8s %7llu  %*s", cell.p ? cell.p : "", (unsigned long long)n->count, 2 * depth, "");
        text_free(&cell);
        explain_node_text(t, x->tr, n, (depth == 0 && !x->handed) || n->who == who);
        text_lit(t, "\n");
        --*lines;
        if (depth + 1 < DEEP)
            tree_text(t, x, k, depth + 1, n->who, lines);
    }
}

void explain_text(struct text *t, const struct explain_tree *x, int lines)
{
    text_lit(t, "  share     time   count  what\n");
    tree_text(t, x, 0, 0, 0, &lines);
}
