/* work_text.c - see work_text.h. */
#include "triage/work/work_text.h"

#include "triage/sentence.h"

static const char *cat_word(const struct tree_node *n)
{
    static const char *const word[EX_CATS] = {
        "running", "mark assist", "system call", "runnable", "runnable, a P idle", "stopped world", "network",
        "pipe",    "timer",       "collector",   "no end",   "waiting",            "absent",        "not recorded"};
    return n->cat == EX_WAIT ? wait_kind_name((enum wait_kind)n->kind) : word[n->cat];
}

void work_head(struct text *t, const struct works *all, const struct work *w)
{
    const struct trace *tr = all->tr;
    const uint32_t name = w->user ? w->user : w->name;
    text_add(t, "%llu ", (unsigned long long)w->n);
    if (w->kind == WORK_TASKS) {
        text_say(t, tr, "tasks \"", t_str(w->name), "\"");
    } else if (w->kind == WORK_MAIN) {
        text_say(t, tr, "main goroutine ", t_func(w->name));
    } else {
        text_say(t, tr, work_kind_name(w->kind), " of ", t_func(name));
    }
    if (w->n > 1) {
        text_say(t, tr, "  p50 ", t_dur(w->d.p50), "  p99 ", t_dur(w->d.p99));
    }
    text_say(t, tr, "  most ", t_dur(w->d.max));
}

void node_what(struct text *t, const struct works *all, const struct tree_node *n)
{
    const struct trace *tr = all->tr;
    text_add(t, "%s", cat_word(n));
    if (n->leaf && n->leaf != n->user) {
        text_say(t, tr, " at ", t_func(n->leaf));
    }
    if (n->user) {
        text_say(t, tr, " in ", t_func(n->user));
    }
}

static void branch(struct text *t, const struct works *all, const struct work *w, uint32_t i, int depth)
{
    const struct tree_node *n = &w->tree.v[i];
    const double a = tree_share(&w->tree, i, TREE_ALL), s = tree_share(&w->tree, i, TREE_SLOW);
    if (a < 0.04 && s < 0.08) {
        return;
    }
    text_add(t, "  %5.1f %5.1f %5.1f  %*s", 100 * a, 100 * tree_share(&w->tree, i, TREE_USUAL), 100 * s, 2 * depth, "");
    node_what(t, all, n);
    const uint32_t pieces = n->pieces[TREE_ALL] ? n->pieces[TREE_ALL] : 1;
    text_add(t, "  x%.1f in %u of %u", (double)n->n[TREE_ALL] / pieces, n->pieces[TREE_ALL], w->tree.pieces[TREE_ALL]);
    if (n->let_go) {
        text_say(t, all->tr, " <- ", t_func(n->let_go), " by ", t_func(n->by != NO_LANE ? trace_g_name(all->tr, n->by) : 0));
    }
    text_lit(t, "\n");
    for (uint32_t k = n->first; k != NO_LANE && depth < 12; k = w->tree.v[k].next) {
        branch(t, all, w, k, depth + 1);
    }
}

void works_text(struct text *t, const struct works *all)
{
    for (uint32_t i = 0; i < all->n; i++) {
        const struct work *w = &all->v[i];
        text_add(t, "%s%.2f ", w->background ? "(background) " : "", w->weight);
        work_head(t, all, w);
        const int64_t ns = w->tree.v[0].ns[TREE_ALL];
        text_add(t, "  idle %.0f%%%s\n", ns > 0 ? 100.0 * (double)w->tree.idle[TREE_ALL] / (double)ns : 0,
                 w->tree.cut ? " cut" : "");
        if (w->weight > 0.02) {
            for (uint32_t k = w->tree.v[0].first; k != NO_LANE; k = w->tree.v[k].next) {
                branch(t, all, w, k, 0);
            }
        }
    }
}
