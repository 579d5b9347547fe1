/*
 * tri_flame.c - where time went, by stack: callees are below their callers, and widths are shares (an
 * icicle).
 *
 * The tree is merged once per table from rows of (stack, weight); nodes are in one array, children linked
 * from the heaviest on. Drawing starts at `root`, which fills the width. Off-CPU time has the reason as its
 * first level.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "decode/base/mem.h"
#include "layout/views/tri.h"
#include "triage/text.h"

struct fnode {
    uint64_t pc;              /* of a frame without a name; 0: it has a name */
    uint32_t name;            /* string */
    uint32_t up, child, next; /* 0 = none: the root is no child */
    int64_t w;                /* callees included: ns, or samples */
    int64_t self;
    uint64_t count;
};

enum { NODES_MOST = 4 << 20, AT_ONCE_NS = 30000000 };

static const struct {
    const char *title;
    enum style style;
    bool samples;
} kinds[SW_KINDS] = {
    [SW_ONCPU] = {"running: where goroutines stopped running", STYLE_RUNNING, false},
    [SW_OFFCPU] = {"not running: where the program waited, by reason", STYLE_RUNQ, false},
    [SW_SCHED] = {"runnable: by who made them so", STYLE_RUNNABLE, false},
    [SW_SYNC] = {"where the program waited for channels, select, sync", STYLE_RUNQ, false},
    [SW_NET] = {"where the program waited for the network", STYLE_RUNQ, false},
    [SW_SYSCALL] = {"in system calls", STYLE_SYSCALL, false},
    [SW_ASSIST] = {"assisting the collector", STYLE_ASSIST, false},
    [SW_CPU] = {"CPU samples", STYLE_SAMPLE, true},
};
static const enum sw_kind turn[] = {SW_ONCPU,  SW_OFFCPU, SW_SCHED, SW_SYSCALL,
                                    SW_ASSIST, SW_CPU,    SW_SYNC,  SW_NET};
enum { TURNS = sizeof turn / sizeof *turn };

void flame_free(struct flame *f)
{
    slices_free(f->making); /* first: the rest is the computation's until then */
    f->making = NULL;
    mem_free(f->node);
    f->node = NULL;
    f->n = f->cap = f->root = f->cur = 0;
    f->built = false;
}

/* ---- the tree ------------------------------------------------------------------------------------------ */

static uint32_t new_node(struct flame *f, uint32_t up, uint32_t name, uint64_t pc)
{
    if (f->n == f->cap) {
        uint32_t cap = f->cap ? f->cap * 2 : 256;
        struct fnode *n = cap <= NODES_MOST ? mem_resize(f->node, cap * sizeof *n) : NULL;
        if (!n)
            return 0;
        f->node = n;
        f->cap = cap;
    }
    f->node[f->n] = (struct fnode){.name = name, .pc = pc, .up = up};
    return f->n++;
}

/* A frame without a name is identified by its program counter; in one program these differ in the lower
 * bits. */
static uint32_t child_of(struct flame *f, struct tab *m, uint32_t up, uint32_t name, uint64_t pc)
{
    const uint32_t no_string = 1u << 31; /* no string number has this bit */
    pc = name ? 0 : pc;
    const uint32_t key = pc ? no_string | (uint32_t)pc : name, at = tab_put(m, up, key, f->n);
    if (at == TAB_NONE)
        return 0;
    return at == f->n ? new_node(f, up, name, pc) : at;
}

static bool add_stack(const struct trace *tr, struct flame *f, struct tab *m, uint32_t first, uint32_t stack,
                      int64_t w, uint64_t count)
{
    uint32_t at = 0, n = trace_stack(tr, stack);
    if (w <= 0)
        return true;
    f->node[0].w = ns_add(f->node[0].w, w);
    f->node[0].count += count;
    for (uint32_t i = first ? n + 1 : n; i > 0; i--) {
        const struct frame x = i > n ? (struct frame){.func = first} : trace_frame(tr, stack, i - 1);
        uint32_t to = child_of(f, m, at, x.func, x.pc);
        if (!to)
            return false;
        at = to;
        f->node[at].w = ns_add(f->node[at].w, w);
        f->node[at].count += count;
    }
    f->node[at].self = ns_add(f->node[at].self, w);
    return true;
}

/* Links children from the heaviest on; of those as heavy the one that came first stands first. */
static bool link_children(struct flame *f)
{
    struct keyed_row *by = mem_alloc((size_t)f->n * sizeof *by);
    for (uint32_t i = 0; by && i < f->n; i++)
        by[i] = (struct keyed_row){most_first(f->node[i].w), i};
    const bool ok = by && rows_sort(by, f->n);
    for (uint32_t i = f->n; ok && i-- > 0;) {
        struct fnode *n = &f->node[by[i].row];
        if (!by[i].row)
            continue;
        n->next = f->node[n->up].child;
        f->node[n->up].child = by[i].row;
    }
    mem_free(by);
    return ok;
}

static bool add_rows(struct tri *t, struct flame *f, struct tab *m)
{
    const struct triage *tg = t->tg;
    bool ok = true;
    if (f->kind == SW_OFFCPU && !f->t1) { /* triage has them by reason */
        for (uint32_t i = 0; ok && i < tg->nwaits; i++)
            ok = add_stack(t->tr, f, m, tg->waits[i].reason, tg->waits[i].stack, tg->waits[i].total,
                           tg->waits[i].count);
        return ok;
    }
    struct sw_filter sf = {.t0 = f->t0, .t1 = f->t1, .share = &f->share};
    struct sw_table tab = {0};
    if (!stackweights_build(t->tr, f->kind, &sf, &tab))
        return false;
    for (uint32_t i = 0; ok && i < tab.n; i++)
        ok =
            add_stack(t->tr, f, m, 0, tab.row[i].stack,
                      kinds[f->kind].samples ? (int64_t)tab.row[i].count : tab.row[i].ns, tab.row[i].count) &&
            (i % 256 || slices_tick());
    stackweights_free(&tab);
    return ok;
}

static bool make_tree(void *arg)
{
    struct tri *t = arg;
    struct flame *f = &t->flame;
    struct tab map = {0};
    (void)new_node(f, 0, 0, 0);
    const bool ok = f->node && add_rows(t, f, &map) && link_children(f);
    tab_free(&map);
    return ok;
}

/* Returns true when the tree is there, or failed. */
static bool flame_work(struct tri *t, int64_t budget_ns)
{
    struct flame *f = &t->flame;
    const enum slices_state st = f->making ? slices_run(f->making, budget_ns) : SLICES_FAILED;
    if (st == SLICES_MORE)
        return false;
    slices_free(f->making);
    f->making = NULL;
    if (st == SLICES_FAILED)
        flame_free(f);
    f->built = true;
    f->failed = st == SLICES_FAILED;
    return true;
}

/* Makes the flame graph of the selected range, or of all of the trace. */
static bool flame_build(struct view *v)
{
    struct flame *f = &v->tri->flame;
    flame_free(f);
    f->t0 = v->sel.stands ? v->sel.t0 : 0;
    f->t1 = v->sel.stands ? v->sel.t1 : 0;
    f->share = 0;
    f->making = slices_new(make_tree, v->tri);
    return flame_work(v->tri, AT_ONCE_NS);
}

/* ---- moving -------------------------------------------------------------------------------------------- */

static bool flame_under(const struct flame *f, uint32_t node, uint32_t root)
{
    while (node != root && node)
        node = f->node[node].up;
    return node == root;
}

static const char *why_no_flame(const struct view *v)
{
    const struct flame *f = &v->tri->flame;
    return f->failed                ? "out of memory for the tree"
           : kinds[f->kind].samples ? "no CPU samples in this trace: Go writes them while a CPU profile runs"
           : f->kind == SW_ASSIST && !triage_knows_assists(v->tr) ? "not recorded before Go 1.9"
                                                                  : "no such time in this trace";
}

static unsigned flame_none(struct view *v)
{
    const struct flame *f = &v->tri->flame;
    if (f->making)
        return move_not_yet(v, "the tree is not done yet");
    return move_fail(v, "%s", why_no_flame(v));
}

static bool flame_empty(const struct flame *f)
{
    return f->making || f->failed || !f->n || !f->node[0].w;
}

static unsigned flame_move(struct view *v, int n)
{
    struct flame *f = &v->tri->flame;
    uint32_t was = f->cur;
    if (flame_empty(f))
        return flame_none(v);
    for (; n > 0 && f->node[f->cur].child; n--)
        f->cur = f->node[f->cur].child;
    for (; n < 0 && f->cur != f->root; n++)
        f->cur = f->node[f->cur].up;
    return f->cur != was ? VR_DRAW
                         : move_fail(v, n > 0 ? "it calls nobody" : "this is the top; zoom out shows more");
}

static uint32_t flame_before(const struct flame *f, uint32_t node)
{
    uint32_t at = f->node[f->node[node].up].child;
    if (at == node)
        return 0;
    while (at && f->node[at].next != node)
        at = f->node[at].next;
    return at;
}

static unsigned flame_side(struct view *v, int n)
{
    struct flame *f = &v->tri->flame;
    if (flame_empty(f))
        return flame_none(v);
    if (f->cur == f->root)
        return move_fail(v, "nothing stands beside it");
    uint32_t to = n < 0 ? flame_before(f, f->cur) : f->node[f->cur].next;
    if (!to) { /* past the caller's edge: the neighbour's callees */
        uint32_t up = f->node[f->cur].up;
        while (!to && up != f->root && up) {
            to = n < 0 ? flame_before(f, up) : f->node[up].next;
            up = f->node[up].up;
        }
    }
    if (!to)
        return move_fail(v, n < 0 ? "this is the heaviest" : "nothing lighter stands here");
    f->cur = to;
    return VR_DRAW;
}

static unsigned flame_zoom(struct view *v, int n)
{
    struct flame *f = &v->tri->flame;
    if (flame_empty(f))
        return flame_none(v);
    uint32_t was = f->root;
    if (n == 0)
        f->root = 0;
    else if (n > 0)
        f->root = f->cur;
    else if (f->root)
        f->root = f->node[f->root].up;
    return f->root != was ? VR_DRAW
                          : move_fail(v, n > 0 ? "it fills the screen already" : "this is all of it");
}

static unsigned flame_back(struct view *v, int n)
{
    (void)n;
    return v->tri->flame.root ? flame_zoom(v, -1) : VR_QUIT;
}

static unsigned flame_kind(struct view *v, int n)
{
    struct tri *t = v->tri;
    const int at = (int)find_first(i, TURNS, turn[i] == t->flame.kind);
    t->flame.kind = turn[((at + n) % TURNS + TURNS) % TURNS];
    bool done = flame_build(v);
    view_message(v, false, "%s", kinds[t->flame.kind].title);
    return done ? VR_DRAW : VR_DRAW | VR_WORK;
}

/* ---- drawing ------------------------------------------------------------------------------------------- */

struct picture {
    struct grid *g;
    const struct view *v;
    const struct flame *f;
    int y, h;
    int at_x, at_y; /* without a grid: finds the frame at a position */
    uint32_t *hit;
};

/* Writes a function's name in w columns: with package or type if they fit, else only its own name; its end
 * only where that is recognizable; else "". */
static void func_name(struct str s, int w, bool dots, char *out, size_t size)
{
    enum { TELLS = 12 };
    const char *own = out;
    str_shorten(s, w, dots, out, size);
    if (w >= TELLS || str_width(s, w + 1) <= w || !strstr(out, dots ? ".." : "\xe2\x80\xa6"))
        return;
    for (const char *c = s.p; c < s.p + s.len; c++)
        own = *c == '.' ? c + 1 : own;
    const struct str last = {own, own == out ? 0 : (uint32_t)(s.p + s.len - own)};
    const bool named = last.len && !str_starts(last, "func") && str_width(last, w + 1) <= w;
    if (named)
        str_safe(last, out, size);
    else
        *out = '\0';
}

static const char *node_name(const struct view *v, const struct flame *f, uint32_t n, int w, char *out,
                             size_t size)
{
    struct str s = trace_str(v->tr, f->node[n].name);
    if (n == 0)
        snprintf(out, size, "all");
    else if (!s.len && f->node[n].pc)
        out[snprintf(out, size, "0x%" PRIx64, f->node[n].pc) > w ? 0 : size - 1] =
            0; /* a cut address would be another one */
    else if (!s.len)
        snprintf(out, size, "?");
    else
        func_name(s, w, glyph_dots(v->scr.tier), out, size);
    return out;
}

/* The program's own functions have the table's colour, libraries another one, and the runtime is grey. */
static enum style flame_style(const struct picture *p, uint32_t n)
{
    uint32_t name = p->f->node[n].name;
    if (!n || stacks_is_program(p->v->tr, name))
        return kinds[p->f->kind].style;
    return str_starts(trace_str(p->v->tr, name), "runtime.") ? STYLE_DIM : STYLE_HEAP;
}

/* Draws a frame's box: its first column is an edge, which separates neighbours without colours. */
static void flame_box(const struct picture *p, uint32_t n, int x0, int x1, int y)
{
    char name[600];
    if (!p->g) {
        if (p->at_y == y && p->at_x >= x0 && p->at_x < x1)
            *p->hit = n;
        return;
    }
    bool focus = n == p->f->cur;
    enum style s = focus ? STYLE_LANE_FOCUS : flame_style(p, n);
    bool plain = p->v->scr.tier == TIER_ASCII || p->v->scr.mono;
    grid_fill(p->g, x0, y, x1 - x0, 1, ' ', s);
    if (x1 - x0 > 2)
        tri_say(p->g, x0 + 1, y, x1 - x0 - 1, s, "%s",
                node_name(p->v, p->f, n, x1 - x0 - 1, name, sizeof name));
    grid_put(p->g, x0, y, plain ? '|' : glyph_mark(p->v->scr.tier, MARK_V), STYLE_DIM);
    if (!focus && !plain && x1 - x0 > 1)
        grid_flags(p->g, x0 + 1, y, x1 - x0 - 1, 1, CELL_REVERSE);
}

static void subtree(const struct picture *p, uint32_t n, int x0, int x1, int depth)
{
    if (x1 <= x0 || depth >= p->h)
        return;
    flame_box(p, n, x0, x1, p->y + depth);
    int64_t sum = 0, all = p->f->node[n].w;
    for (uint32_t c = p->f->node[n].child; c; c = p->f->node[c].next) {
        int from = x0 + (int)time_muldiv(x1 - x0, sum, all > 0 ? all : 1);
        sum = ns_add(sum, p->f->node[c].w);
        int to = x0 + (int)time_muldiv(x1 - x0, sum, all > 0 ? all : 1);
        if (to > x1)
            to = x1;
        if (to > from)
            subtree(p, c, from, to, depth + 1);
        else if (p->f->node[c].w < all / (x1 - x0) / 4) /* the rest is lighter still */
            break;
    }
}

/* Draws from the frame it is zoomed to, or from further in if the cursor would be below the screen. */
static void flame_tree(const struct picture *p)
{
    const struct flame *f = p->f;
    uint32_t top = f->root;
    int deep = 0;
    for (uint32_t n = f->cur; n != f->root; n = f->node[n].up)
        deep++;
    if (deep >= p->h - 1) {
        top = f->cur;
        for (int i = 0; i < p->h - 2; i++)
            top = f->node[top].up;
    }
    subtree(p, top, 0, p->v->scr.w, 0);
}

static void draw_tree(struct grid *g, struct view *v, int y, int h)
{
    struct flame *f = &v->tri->flame;
    char from[FMT_MAX], to[FMT_MAX], name[400];
    if (!f->built)
        (void)flame_build(v);
    grid_fill(g, 0, y, g->w, 1, ' ', STYLE_RULER);
    int x = tri_say(g, 0, y, g->w, STYLE_STATUS_KEY, "%s", kinds[f->kind].title);
    if (f->t1)
        x = tri_say(g, x + 2, y, g->w - x - 2, STYLE_RULER, "%s .. %s", when_dur(v->tr, f->t0, from),
                    when_dur(v->tr, f->t1, to));
    if (!flame_empty(f) && f->root)
        tri_say(g, x + 2, y, g->w - x - 2, STYLE_RULER, "below %s",
                node_name(v, f, f->root, g->w - x - 8 > 8 ? g->w - x - 8 : 8, name, sizeof name));
    if (flame_empty(f)) {
        if (f->making)
            tri_say(g, 0, y + 2, g->w, STYLE_DIM, "adding up stacks: %d%%", (int)(f->share * 100));
        else
            tri_say(g, 0, y + 2, g->w, STYLE_DIM, "%s", why_no_flame(v));
        return;
    }
    if (!flame_under(f, f->cur, f->root))
        f->cur = f->root;
    flame_tree(&(struct picture){.g = g, .v = v, .f = f, .y = y + 1, .h = h - 1});
}

static void say_name(struct text *t, const struct view *v, const struct fnode *n, size_t max)
{
    if (n->pc)
        text_add(t, "pc 0x%" PRIx64, n->pc);
    else
        text_func(t, v->tr, n->name, max);
}

/* Writes how often it was there, with all that it called. */
static void how_often(struct text *t, const struct view *v, const struct fnode *n)
{
    const struct flame *f = &v->tri->flame;
    if (f->cur)
        say_name(t, v, n, 0);
    else
        text_lit(t, "all");
    text_lit(t, "  ");
    if (kinds[f->kind].samples)
        text_add(t, "%" PRId64 " sample%s", n->w, n->w == 1 ? "" : "s");
    else
        text_dur(t, n->w);
    text_say(t, NULL, "  ", t_share(n->w, f->node[0].w), " of all");
    if (!kinds[f->kind].samples)
        text_add(t, ", %" PRIu64 " time%s", n->count, n->count == 1 ? "" : "s");
}

static void flame_detail(struct text *t, const struct view *v, uint32_t row, int line)
{
    const struct flame *f = &v->tri->flame;
    (void)row;
    if (flame_empty(f))
        return;
    const struct fnode *n = &f->node[f->cur];
    if (line == 0) {
        how_often(t, v, n);
        return;
    }
    if (f->cur || n->self)
        text_say(t, NULL, f->cur ? "itself " : "no stack recorded for ", t_share(n->self, f->node[0].w));
    if (f->cur && n->up) {
        text_lit(t, ", called from ");
        say_name(t, v, &f->node[n->up], 60);
    }
}

/* ---- the object ---------------------------------------------------------------------------------------- */

static unsigned flame_begin(struct view *v)
{
    if (v->tri && v->tri->tg && !v->tri->flame.built)
        (void)flame_build(v);
    return v->tri && v->tri->flame.making ? VR_DRAW | VR_WORK : VR_DRAW;
}

static unsigned flame_open(struct view *v, int no)
{
    (void)tri_open(v, no);
    return flame_begin(v);
}

static bool flame_pending(const struct view *v)
{
    return v->tri && v->tri->flame.making;
}

static unsigned flame_go_on(struct view *v, int64_t budget_ns)
{
    if (!flame_pending(v))
        return VR_NONE;
    if (!flame_work(v->tri, budget_ns))
        return VR_DRAW | VR_WORK;
    move_ready(v);
    return VR_DRAW;
}

static void flame_draw(struct grid *g, struct view *v, const struct plan *p)
{
    int y = p->y[ROW_LANES], h = p->n[ROW_LANES];
    v->scr.rows = h - 1;
    if (tri_begin(g, v, y, h))
        draw_tree(g, v, y, h);
}

/* Returns the frame at that position; frames narrower than a column have none. */
static unsigned flame_touch(struct view *v, const struct plan *p, int x, int y)
{
    struct flame *f = v->tri && v->tri->tg ? &v->tri->flame : NULL;
    uint32_t hit = NO_LANE;
    if (!f || !f->built || flame_empty(f))
        return VR_NONE;
    flame_tree(&(struct picture){.v = v,
                                 .f = f,
                                 .y = p->y[ROW_LANES] + 1,
                                 .h = p->n[ROW_LANES] - 1,
                                 .at_x = x,
                                 .at_y = y,
                                 .hit = &hit});
    if (hit == NO_LANE)
        return VR_NONE;
    f->cur = hit;
    return VR_DRAW;
}

static unsigned flame_in(struct view *v, int n)
{
    (void)n;
    return flame_zoom(v, 1);
}

static unsigned flame_all(struct view *v, int n)
{
    (void)n;
    return flame_zoom(v, 0);
}

static const char *back_word(const struct view *v)
{
    return v->tri && v->tri->flame.root ? "zoom out" : NULL;
}

const struct view_kind kind_flame = {
    TIMELESS_PLAN,
    .over = true,
    .open = flame_open,
    .draw = flame_draw,
    .touch = flame_touch,
    .speak = tri_speak,
    .detail = flame_detail,
    .pending = flame_pending,
    .work = flame_go_on,
    .back_word = back_word,
    .refuse = "a flame graph has no lanes: 2 and 3 show lanes",
    .answer = {[REQ_LANE] = flame_move,
               ANSWER_SIDE(flame_side),
               [REQ_DETAILS] = flame_in,
               [REQ_FIT] = flame_in,
               [REQ_SWAP] = flame_in,
               [REQ_ZOOM] = flame_zoom,
               [REQ_ZOOM_ALL] = flame_all,
               [REQ_SORT] = flame_kind,
               [REQ_BACK] = flame_back},
    .word = {[REQ_SORT] = "table", [REQ_LANE] = "callee", [REQ_DETAILS] = "zoom in"},
};
