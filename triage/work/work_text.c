/* work_text.c - see work_text.h. */
#include "triage/work/work_text.h"

#include "triage/sentence.h"

enum { WORKS_SAID = 3, DEEP = 12, BRANCHES = 9 };
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

void work_head(struct text *t, const struct works *all, const struct work *w)
{
    const struct trace *tr = all->tr;
    const uint32_t name = w->user ? w->user : w->name;
    if (w->kind == WORK_TASKS) {
        text_say(t, tr, w->n, w->n == 1 ? " task \"" : " tasks \"", t_str(w->name), "\"");
    } else if (w->kind == WORK_MAIN) {
        text_say(t, tr, "the main goroutine");
    } else {
        text_say(t, tr, w->n, " ", w->n == 1 ? work_one(w->kind) : work_kind_name(w->kind), " of ",
                 t_func(name));
    }
}

void work_times(struct text *t, const struct works *all, const struct work *w)
{
    if (w->n > 1 && !w->standing)
        text_say(t, all->tr, "p50 ", t_dur(w->d.p50), "  p99 ", t_dur(w->d.p99), "  most ", t_dur(w->d.max));
    else
        text_say(t, all->tr, w->n > 1 ? "longest " : "", t_dur(w->d.max));
}

void node_what(struct text *t, const struct works *all, const struct tree_node *n)
{
    const struct trace *tr = all->tr;
    text_add(t, "%s", node_word(n));
    if (n->leaf && n->leaf != n->user)
        text_say(t, tr, " at ", t_func(n->leaf));
    if (n->user)
        text_say(t, tr, n->cat == EX_RUN ? ran_word(ran_how(&n->ran), n->owner != OWNER_PROGRAM) : " in ",
                 t_func(n->user));
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
    node_what(t, all, n);
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
    for (uint32_t i = 0; i < all->n && said < WORKS_SAID; i++) {
        const struct work *w = &all->v[i];
        if (!w->background && !w->inner && w->tree.n && w->weight >= SAID / 2) {
            work_text(t, all, w);
            said++;
        }
    }
}
