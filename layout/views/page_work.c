/*
 * page_work.c - the program's repeated work: how long a piece takes, and where a usual and a slow one spend
 * the time. See page.h.
 */
#include <stdio.h>
#include <string.h>

#include "layout/views/page.h"
#include "triage/work/work_text.h"

bool page_counts(const struct work *w)
{
    return !w->background && !w->inner && w->tree.n > 0 && tree_ns(&w->tree, TREE_ALL) > 0;
}

const struct work *page_work_of(const struct view *v, const struct finding *f)
{
    const struct works *all = &v->tri->fs->works;
    if (f && f->v.harm.work != NO_LANE && f->v.harm.work < all->n)
        return &all->v[f->v.harm.work];
    const uint32_t i = find_first(k, all->n, page_counts(&all->v[k]));
    return i < all->n ? &all->v[i] : NULL;
}

/* ---- bars ---------------------------------------------------------------------------------------------- */

enum state page_state(enum explain_cat cat)
{
    static const enum state of[EX_CATS] = {
        [EX_RUN] = ST_RUNNING,       [EX_ASSIST] = ST_ASSIST,   [EX_SYSCALL] = ST_SYSCALL,
        [EX_RUNNABLE] = ST_RUNNABLE, [EX_NOBODY] = ST_RUNNABLE, [EX_STOPPED] = ST_STW,
        [EX_NET] = ST_WAITING,       [EX_PIPE] = ST_WAITING,    [EX_DEADLINE] = ST_WAITING,
        [EX_TIMER] = ST_WAITING,     [EX_GC] = ST_GC,           [EX_OPEN] = ST_WAITING,
        [EX_WAIT] = ST_WAITING,      [EX_QUEUED] = ST_WAITING,  [EX_ABSENT] = ST_UNKNOWN,
        [EX_UNKNOWN] = ST_UNKNOWN};
    return of[cat];
}

/* Returns the glyph of a bar's cell: full, or a letter where there are no colours. */
static uint32_t cell(const struct view *v, enum state s)
{
    return v->scr.tier == TIER_ASCII ? glyph_state(v->scr.tier, s) : glyph_height(v->scr.tier, 8);
}

enum { PARTS = 16 };
struct part {
    const struct tree_node *of; /* the first of its kind */
    double share[TREE_SETS];
};

static int add_part(struct part *p, int n, const struct work *w, uint32_t k)
{
    const struct tree_node *node = &w->tree.v[k];
    int i = 0;
    while (i < n && !(p[i].of->cat == node->cat && p[i].of->kind == node->kind))
        i++;
    if (i == PARTS)
        return n;
    if (i == n)
        p[n++] = (struct part){.of = node};
    for (int s = 0; s < TREE_SETS; s++)
        p[i].share[s] += tree_share(&w->tree, k, (enum tree_set)s);
    return n;
}

/* Collects the branches below a node, merged by category. A wait for a WaitGroup is replaced by what its
 * branches did. */
static int add_parts(struct part *p, int n, const struct work *w, uint32_t node)
{
    for (uint32_t k = w->tree.v[node].first; k != NO_LANE; k = w->tree.v[k].next) {
        const struct tree_node *t = &w->tree.v[k];
        const bool joins = t->cat == EX_WAIT && t->kind == WK_WAITGROUP && t->first != NO_LANE;
        n = joins ? add_parts(p, n, w, k) : add_part(p, n, w, k);
    }
    return n;
}

/* Sorts by the share in the slow ones and in all together. */
static int sort_parts(const struct work *w, struct part *p)
{
    const int n = add_parts(p, 0, w, 0);
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && p[k].share[TREE_ALL] + p[k].share[TREE_SLOW] >
                                     p[k - 1].share[TREE_ALL] + p[k - 1].share[TREE_SLOW];
             k--) {
            const struct part x = p[k];
            p[k] = p[k - 1];
            p[k - 1] = x;
        }
    return n;
}

/* Draws its name, share and end inside its part of the bar, or its name, or a short one: what fits. */
static void part_label(struct grid *g, const struct view *v, const struct work *w, const struct part *p,
                       enum tree_set s, struct box b)
{
    enum { ENDS = 40 }; /* columns in which the end can be read */
    char first[200], of[SHARE_MAX];
    const char *name = node_word(p->of), *comma = strstr(name, ", "); /* "runnable, a P idle" */
    const char *say[] = {first, name, p->of->cat == EX_SYSCALL ? "syscall" : comma ? comma + 2 : name};
    const uint32_t node = (uint32_t)(p->of - w->tree.v);
    struct text t = {0};
    text_add(&t, "%s %s", name, share_of(p->share[s], 1, of));
    if (b.w >= ENDS && tree_share(&w->tree, node, s) >= p->share[s] / 2)
        node_ends(&t, v->tr, &w->tree, node, s);
    (void)str_where(str_of(t.p ? t.p : name), b.w < ENDS ? ENDS : b.w - 2, v->scr.tier == TIER_ASCII, first,
                    sizeof first);
    text_free(&t);
    int i = 0;
    while (i < 3 && str_width(str_of(say[i]), b.w + 1) > b.w - 2)
        i++;
    const enum style style = (enum style)(STYLE_STATE + (int)page_state(p->of->cat));
    const int to = i < 3 ? grid_str(g, b.x + 1, b.y, b.w - 2, say[i], style) : b.x + 1;
    grid_flags(g, b.x + 1, b.y, to - b.x - 1, 1, CELL_REVERSE);
}

static int64_t one_takes(const struct work *w, enum tree_set s)
{
    return w->tree.pieces[s] ? tree_ns(&w->tree, s) / w->tree.pieces[s] : 0;
}

static void bar_line(struct grid *g, const struct view *v, const struct work *w, enum tree_set s,
                     struct box b)
{
    static const char *const name[TREE_SETS] = {"all", "usual", "slow"};
    struct part p[PARTS];
    const int n = sort_parts(w, p), beside = b.w >= 40 ? 10 : 0, x = b.x + page_label(b.w),
              wide = b.w - page_label(b.w) - beside;
    char d[FMT_MAX];
    double at = 0;
    grid_str(g, b.x, b.y, page_label(b.w) - 1, name[s], STYLE_DIM);
    for (int i = 0; i < n; i++) {
        const int from = (int)(at * wide + 0.5), to = (int)((at + p[i].share[s]) * wide + 0.5);
        const enum state st = page_state(p[i].of->cat);
        at += p[i].share[s];
        grid_fill(g, x + from, b.y, to - from, 1, cell(v, st), (enum style)(STYLE_STATE + (int)st));
        if (to - from > 2 && i + 1 < n && to < wide) /* the next part may have the same colour */
            grid_put(g, x + to - 1, b.y, ' ', STYLE_NORMAL);
        part_label(g, v, w, &p[i], s, (struct box){x + from, b.y, to - from - 1, 1});
    }
    if (beside)
        grid_right(g, b.x + b.w - beside, b.y, beside - 1, when_dur(v->tr, one_takes(w, s), d),
                   s == TREE_SLOW ? STYLE_STATUS_KEY : STYLE_NORMAL);
}

/* Draws the name and the times; only the name if both do not fit. */
static void work_line(struct grid *g, const struct view *v, const struct work *w, struct box b)
{
    enum { NAMED = 26 }; /* columns that are enough for most names */
    struct text times = {.ticks = when_ticks(v->tr)}, head = {.ticks = times.ticks};
    char name[600];
    const int label = page_label(b.w), room = b.w - label;
    work_times(&times, &v->tri->fs->works, w);
    char *say = times.p, *last = say ? strstr(say, "  most ") : NULL;
    if (last && str_width(str_of(say), room + 1) + NAMED > room)
        *last = '\0';
    const int wide = say ? str_width(str_of(say), room + 1) : 0;
    const bool both = wide + NAMED <= room;
    grid_str(g, b.x, b.y, label - 1, "WORK", STYLE_DIM);
    work_head(&head, &v->tri->fs->works, w);
    str_where(str_of(head.p ? head.p : ""), both ? room - wide - 2 : room, glyph_dots(v->scr.tier), name,
              sizeof name);
    grid_str(g, b.x + label, b.y, room, name, STYLE_STATUS_KEY);
    if (both && say)
        grid_right(g, b.x + label, b.y, room - (b.w >= 40), say, STYLE_NORMAL);
    text_free(&times);
    text_free(&head);
}

/* Returns whether there is nothing to compare: a single piece, or no usual and slow ones with known times. */
static bool single(const struct work *w)
{
    return w->standing || w->n <= 1 || !tree_ns(&w->tree, TREE_USUAL) || !tree_ns(&w->tree, TREE_SLOW);
}

int page_work(struct grid *g, const struct view *v, const struct work *w, struct box b)
{
    const bool one = single(w);
    if (b.h < 1)
        return 0;
    work_line(g, v, w, b);
    if (b.h < (one ? 2 : 3))
        return 1;
    if (one) {
        bar_line(g, v, w, TREE_ALL, (struct box){b.x, b.y + 1, b.w, 1});
        return 2;
    }
    bar_line(g, v, w, TREE_USUAL, (struct box){b.x, b.y + 1, b.w, 1});
    bar_line(g, v, w, TREE_SLOW, (struct box){b.x, b.y + 2, b.w, 1});
    return 3;
}

/* ---- the tree ------------------------------------------------------------------------------------------ */

/* Smaller branches are not shown: shares of the time, of that of slow pieces; of both where there is room. */
#define SAID 0.03
#define SAID_SLOW 0.06
#define SAID_ROOM 0.005
enum { ROOM = 70, DEEP = 12, SHARE = 7, TREE_BAR = 10 };

struct tree_pen {
    struct grid *g;
    const struct view *v;
    const struct work *w;
    uint32_t user;
    struct box b;
    int used;
};

static void share_cell(const struct tree_pen *p, int x, int y, double share, enum style s)
{
    char buf[SHARE_MAX];
    grid_right(p->g, x, y, SHARE - 1, share > 0 ? share_of(share, 1, buf) : "-", s);
}

static void tree_line(const struct tree_pen *p, uint32_t i, int depth, int y)
{
    const struct tree_node *n = &p->w->tree.v[i];
    const bool one = single(p->w), here = p->user && (n->user == p->user || n->let_go == p->user);
    const enum state st = page_state(n->cat);
    struct text t = {.ticks = when_ticks(p->v->tr)};
    char buf[600];
    int x = p->b.x;
    for (int s = one ? TREE_ALL : TREE_USUAL; s <= (one ? TREE_ALL : TREE_SLOW); s++, x += SHARE)
        share_cell(p, x, y, tree_share(&p->w->tree, i, (enum tree_set)s), STYLE_NORMAL);
    if (p->b.w >= 60) {
        const int len = (int)(tree_share(&p->w->tree, i, one ? TREE_ALL : TREE_SLOW) * TREE_BAR + 0.5);
        grid_fill(p->g, x, y, len, 1, cell(p->v, st), (enum style)(STYLE_STATE + (int)st));
        x += TREE_BAR + 1;
    }
    x += 2 * depth;
    node_what(&t, p->v->tr, n);
    const int room = p->b.x + p->b.w - x;
    if (room > 8) {
        str_where(str_of(t.p ? t.p : ""), room, glyph_dots(p->v->scr.tier), buf, sizeof buf);
        grid_str(p->g, x, y, room, buf, here ? STYLE_STATUS_KEY : STYLE_NORMAL);
    }
    text_free(&t);
}

static void branches(struct tree_pen *p, uint32_t node, int depth)
{
    const struct work_tree *t = &p->w->tree;
    for (uint32_t k = t->v[node].first; k != NO_LANE && p->used < p->b.h && depth < DEEP; k = t->v[k].next) {
        const bool room = p->b.h >= ROOM;
        if (tree_share(t, k, TREE_ALL) < (room ? SAID_ROOM : SAID) &&
            tree_share(t, k, TREE_SLOW) < (room ? SAID_ROOM : SAID_SLOW))
            continue;
        tree_line(p, k, depth, p->b.y + p->used++);
        branches(p, k, depth + 1);
    }
}

int page_tree(struct grid *g, const struct view *v, const struct work *w, uint32_t user, struct box b)
{
    struct tree_pen p = {g, v, w, user, b, 1};
    const bool one = single(w);
    if (b.h < 3 || b.w < 30)
        return 0;
    branches(&p, 0, 0);
    if (p.used == 1)
        return 0;
    grid_str(g, b.x, b.y, b.w, one ? "   all  where the time goes" : " usual   slow  where the time goes",
             STYLE_RULER);
    return p.used;
}
