/* work_text.c - see work_text.h. */
#include "triage/work/work_text.h"

#include "triage/text.h"

enum { WORKS_SAID = 3, DEEP = 12, BRANCHES = 9, LISTED_DEEP = 8 };
#define LISTED 0.005   /* share of the time, of all or of the slow ones, in a tree by itself */
#define SAID 0.04      /* share of the time; smaller branches are omitted */
#define SAID_SLOW 0.08 /* share of the slow ones' time */

const char *node_word(const struct tree_node *n)
{
    static const char *const name[EX_CATS] = {
#define CAT(c, key, word, said) [EX_##c] = word,
#include "triage/words.def"
    };
    const bool kind = n->cat == EX_WAIT || (n->cat == EX_TIMER && n->kind == WK_SLEEP);
    return kind ? wait_kind_name((enum wait_kind)n->kind) : name[n->cat];
}

const char *work_one(enum work_kind_id k)
{
    static const char *const one[WORK_KINDS] = {"task", "request", "item", "goroutine", "run"};
    return (unsigned)k < WORK_KINDS ? one[k] : "one";
}

static void title(struct text *t, const struct trace *tr, const struct work *w, bool one)
{
    const char *kind = one ? work_one(w->kind) : work_kind_name(w->kind);
    if (w->kind == WORK_TASKS)
        text_say(t, tr, kind, " \"", t_str(w->name), "\"");
    else if (w->kind == WORK_MAIN)
        text_say(t, tr, "the main goroutine");
    else
        text_say(t, tr, kind, " of ", t_func(w->user ? w->user : w->name));
}

void work_title(struct text *t, const struct trace *tr, const struct work *w)
{
    title(t, tr, w, false);
}

void work_head(struct text *t, const struct works *all, const struct work *w)
{
    if (w->kind != WORK_MAIN)
        text_say(t, NULL, w->n, " ");
    title(t, all->tr, w, w->n == 1);
}

void work_times(struct text *t, const struct works *all, const struct work *w)
{
    if (w->n > 1 && !w->standing)
        text_say(t, all->tr, "p50 ", t_dur(w->d.p50), "  p99 ", t_dur(w->d.p99), "  most ", t_dur(w->d.max));
    else
        text_say(t, all->tr, w->n > 1 ? "longest " : "", t_dur(w->d.max));
    if (work_rest(w) >= LISTED)
        text_say(t, all->tr, ", ", t_share(work_rest(w), 1), " at rest");
}

/* Append " in main.ask", " in or around main.serve": its function. */
static void node_place(struct text *t, const struct trace *tr, const struct tree_node *n)
{
    if (n->user)
        text_say(t, tr, n->cat == EX_RUN ? ran_word(ran_how(&n->ran), n->owner != OWNER_PROGRAM) : " in ",
                 t_func(n->user));
}

void node_what(struct text *t, const struct trace *tr, const struct tree_node *n)
{
    const bool behind = n->cat == EX_RUNNABLE || n->cat == EX_NOBODY; /* the leaf is where it was before */
    text_add(t, "%s", node_word(n));
    if (n->cat == EX_OPEN && n->kind != WK_OTHER)
        text_say(t, tr, " (", wait_kind_name((enum wait_kind)n->kind), ")");
    if (n->leaf && n->leaf != n->user && !behind && n->kind != WK_SLEEP)
        text_say(t, tr, " at ", t_func(n->leaf));
    node_place(t, tr, n);
}

void node_ends(struct text *t, const struct trace *tr, const struct work_tree *x, uint32_t node,
               enum tree_set s)
{
    uint32_t end = node, at, k;
    while ((k = x->v[end].first) != NO_LANE && x->v[k].ns[s] >= x->v[end].ns[s] / 2)
        end = k;
    for (at = end; at && x->v[at].owner != OWNER_PROGRAM;)
        at = x->v[at].up;
    if (end != node)
        text_say(t, tr, ": ", node_word(&x->v[end]), " ", t_share(tree_share(x, end, s), 1));
    node_place(t, tr, &x->v[at ? at : end]);
}

uint32_t node_frame(const struct trace *tr, const struct tree_node *n)
{
    return n->cat == EX_RUN || n->owner >= OWNER_LIBRARY ? n->frame : stacks_user_frame(tr, n->stack);
}

void node_text(struct text *t, const struct trace *tr, const struct tree_node *n, bool own)
{
    const unsigned calls = n->mixed ? 1 : NODE_CALLS;
    if (n->cat == EX_QUEUED) {
        text_say(t, tr, explain_cat_name(EX_QUEUED), " by ", t_func_cut(n->who, 48));
        return;
    }
    if (!own)
        text_say(t, tr, t_func_cut(n->who, 48), ": ");
    const bool torn = n->cat == EX_OPEN && trace_info(tr)->ndamages; /* its end may be in the missing part */
    text_add(t, "%s", torn ? "waiting, no end recorded" : explain_cat_name((enum explain_cat)n->cat));
    if (n->cat == EX_WAIT || n->cat == EX_OPEN || n->cat == EX_TIMER || n->cat == EX_STOPPED) {
        if (n->kind != WK_OTHER)
            text_say(t, tr, " (", wait_kind_name((enum wait_kind)n->kind), ")");
        else if (trace_str(tr, n->reason).len)
            text_say(t, tr, " (", t_str(n->reason), ")");
    }
    if (n->stack && n->cat == EX_RUN) {
        ran_text(t, tr, &n->ran, n->stack, n->frame, calls);
    } else if (n->stack && n->cat != EX_ABSENT) {
        text_add(t,
                 n->cat == EX_RUNNABLE || n->cat == EX_NOBODY || n->cat == EX_STOPPED ? " behind " : " at ");
        if (n->leaf != n->user && n->kind != WK_SLEEP && n->cat != EX_RUNNABLE && n->cat != EX_NOBODY)
            text_say(t, tr, t_func(n->leaf), " in ");
        text_calls(t, tr, n->stack, node_frame(tr, n), calls);
    }
}

static void lines_of(struct text *t, const struct trace *tr, const struct work_tree *x, uint32_t i, int depth,
                     int *left)
{
    const struct tree_node *v = x->v;
    for (uint32_t k = v[i].first; k != NO_LANE && *left > 0; k = v[k].next) {
        const struct tree_node *n = &v[k];
        char share[SHARE_MAX];
        if (tree_share(x, k, TREE_ALL) < LISTED && tree_share(x, k, TREE_SLOW) < LISTED)
            continue;
        for (int s = 0; s < TREE_SETS; s++)
            if (v[0].pieces[s])
                text_add(t, "%7s ", share_of((double)n->ns[s], (double)v[0].ns[s], share));
        text_say(t, tr, t_cell(n->ns[TREE_ALL], 8), " ", t_right(n->n[TREE_ALL], 7));
        text_add(t, "  %*s", 2 * depth, "");
        node_text(t, tr, n, depth ? n->who == v[i].who : !x->handed);
        text_lit(t, "\n");
        --*left;
        if (depth + 1 < LISTED_DEEP)
            lines_of(t, tr, x, k, depth + 1, left);
    }
}

void tree_text(struct text *t, const struct trace *tr, const struct work_tree *x, int lines)
{
    text_add(t, "  share %s    time   count  what\n", x->v[0].pieces[TREE_SLOW] ? "   slow " : "");
    lines_of(t, tr, x, 0, 0, &lines);
}

static void column(struct text *t, double share)
{
    if (share >= 0.001)
        text_add(t, " %5.1f", 100 * share);
    else
        text_lit(t, "     -");
}

static void branch(struct text *t, const struct works *all, const struct work *w, uint32_t i, int depth,
                   int *left)
{
    const struct tree_node *n = &w->tree.v[i];
    const double a = tree_share(&w->tree, i, TREE_ALL), s = tree_share(&w->tree, i, TREE_SLOW);
    if ((a < SAID && s < SAID_SLOW) || *left == 0)
        return;
    --*left;
    text_lit(t, "  ");
    column(t, a);
    if (!w->standing) {
        column(t, tree_share(&w->tree, i, TREE_USUAL));
        column(t, s);
    }
    text_add(t, "  %*s", 2 * depth, "");
    node_what(t, all->tr, n);
    const enum tree_set set = n->pieces[TREE_ALL] ? TREE_ALL : TREE_SLOW;
    const double times = n->pieces[set] ? (double)n->n[set] / n->pieces[set] : 0;
    if (times >= 1.5)
        text_add(t, " %.0fx", times);
    if (n->let_go)
        text_say(t, all->tr, ", ended in ", t_func(n->let_go));
    text_lit(t, "\n");
    for (uint32_t k = n->first; k != NO_LANE && depth < DEEP; k = w->tree.v[k].next)
        branch(t, all, w, k, depth + 1, left);
}

void work_text(struct text *t, const struct works *all, const struct work *w)
{
    int left = BRANCHES;
    work_head(t, all, w);
    text_lit(t, ": ");
    work_times(t, all, w);
    text_lit(t, "\n");
    text_add(t, "     %s\n", w->standing ? "all %" : "all % usual slow");
    for (uint32_t k = w->tree.v[0].first; k != NO_LANE; k = w->tree.v[k].next)
        branch(t, all, w, k, 0, &left);
}

void works_text(struct text *t, const struct works *all)
{
    int said = 0;
    each_of(w, all->v, all->n) {
        if (said < WORKS_SAID && work_counts(w) && w->tree.n && w->weight >= SAID / 2) {
            work_text(t, all, w);
            said++;
        }
    }
}
