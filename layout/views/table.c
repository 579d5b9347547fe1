/*
 * table.c - see table.h. Things are always found in a table of their own, view.coming; when its rows are
 * there, it replaces the one shown. One job finds the things (once) and sorts the wanted rows; the old rows
 * stay until it is done. A job runs only while view_work() waits for it, so its data needs no lock.
 */
#include "layout/views/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "decode/base/mem.h"

enum { AT_ONCE_NS = 30 * 1000 * 1000, LOADING_NS = 2 * 1000 * 1000 };

static bool table_job(void *arg)
{
    struct table *t = arg;
    if (!t->listed && !table_list(t))
        return false;
    t->listed = true;
    return table_order_rows(t);
}

static unsigned job_over(struct table *t, enum slices_state st)
{
    if (st == SLICES_MORE)
        return VR_DRAW | VR_WORK;
    slices_free(t->job);
    t->job = NULL;
    t->failed = st == SLICES_FAILED;
    return VR_DRAW;
}

/* Finds the things if needed, and sorts the wanted rows; short work is done at once. */
static unsigned table_begin(struct table *t, int64_t budget_ns)
{
    slices_free(t->job);
    t->job = slices_new(table_job, t);
    t->failed = !t->job;
    return t->job ? job_over(t, slices_run(t->job, budget_ns)) : VR_DRAW;
}

/* ---- life ---------------------------------------------------------------------------------------------- */

void table_free(struct table *t)
{
    if (!t)
        return;
    slices_free(t->job); /* first: it uses the rest */
    table_forget_lengths(t);
    mem_free(t->thing);
    mem_free(t->type);
    mem_free(t->row);
    mem_free(t->sorted);
    tab_free(&t->map);
    spectrum_free(&t->spectrum);
    if (t->own && t->from->drop)
        t->from->drop(t->own);
    mem_free(t);
}

void table_stop(struct view *v)
{
    struct table *t = v->table;
    table_free(v->coming);
    v->coming = NULL;
    if (!t)
        return;
    slices_free(t->job);
    t->job = NULL;
    t->epoch = UINT32_MAX;
}

void table_forget(struct view *v, int view)
{
    const struct table_from *from = kind_of(view)->things;
    struct table **const all[] = {&v->table, &v->coming};
    memset(v->orders.sort[view], 0, sizeof v->orders.sort[view]);
    memset(v->orders.invert[view], 0, sizeof v->orders.invert[view]);
    for (int i = 0; i < 2; i++)
        if (*all[i] && (*all[i])->from == from) {
            table_free(*all[i]);
            *all[i] = NULL;
        }
}

static const struct table_from *table_of(const struct view *v)
{
    return kind_here(v)->things;
}

/* Returns what its things are found in, if that isn't the trace alone. */
static const struct triage *table_counted(const struct view *v)
{
    return table_of(v)->counted && v->tri ? v->tri->tg : NULL;
}

/* Returns whether its things are the shown view's, or were until the trace grew or the moment moved. */
static bool table_kept(const struct table *t, const struct view *v)
{
    return t && t->from == table_of(v) && t->tr == v->tr && t->tg == table_counted(v) &&
           t->epoch == trace_info(v->tr)->epoch;
}

static void table_asks(const struct table_from *from, const struct view *v, int64_t of[3])
{
    of[0] = of[1] = of[2] = 0;
    if (from->asks)
        from->asks(v, &of[0], &of[1], &of[2]);
}

static bool table_stale(const struct table *t, const struct view *v)
{
    int64_t of[3];
    if (!table_kept(t, v) || t->end != trace_info(v->tr)->end)
        return true;
    table_asks(t->from, v, of);
    return t->t0 != of[0] || t->t1 != of[1] || t->at != of[2];
}

bool table_ready(const struct view *v)
{
    const struct table *t = v->table;
    return table_kept(t, v) && t->listed && t->made;
}

static int table_level(const struct table_order *o)
{
    return table_shows_types(o) ? 0 : 1;
}

static void order_wanted(const struct view *v, struct table *t, uint32_t open)
{
    t->want.open = open;
    const int level = table_level(&t->want);
    const int8_t s = v->orders.sort[v->at.view][level];
    const int first = t->from->nameless ? t->ntype_cols : t->type_col ? t->from->type_first : TYPE_TOTAL;
    t->want.sort = s ? s - 1 : table_shows_types(&t->want) ? first : t->from->first;
    t->want.invert = v->orders.invert[v->at.view][level];
}

static void table_is_of_now(struct table *t, const struct view *v)
{
    int64_t of[3];
    table_asks(t->from, v, of);
    t->t0 = of[0];
    t->t1 = of[1];
    t->at = of[2];
    t->end = trace_info(v->tr)->end;
}

/* Makes the table of the view shown, which has no rows yet. It is wanted as the one before it, if that is of
 * this view; types have new numbers. NULL: out of memory. */
static struct table *table_new(struct view *v)
{
    const struct table *was = v->coming ? v->coming : v->table;
    const struct table_from *from = table_of(v);
    struct table *t = mem_zalloc(sizeof *t);
    if (!t)
        return NULL;
    t->from = from;
    t->type_col = from->type_col;
    t->ntype_cols = from->ntype_cols;
    t->view = v;
    t->tr = v->tr;
    t->tg = table_counted(v);
    t->works = t->tg && v->tri->fs ? &v->tri->fs->works : NULL;
    t->epoch = trace_info(v->tr)->epoch;
    table_is_of_now(t, v);
    if (from->take && !from->take(t, v)) {
        table_free(t);
        return NULL;
    }
    if (was && was->from == from)
        t->want = was->want;
    if (!was || was->from != from || (from->types && !table_shows_types(&t->want)))
        order_wanted(v, t, from->types ? TABLE_TYPES : 0);
    return t;
}

/* Returns whether those of the view shown can be found. */
static bool table_can(const struct view *v)
{
    const struct table_from *f = table_of(v);
    return f && (trace_info(v->tr)->done || f->early) && (!f->counted || table_counted(v));
}

/* Shows the new rows: the cursor stays with its type, or on the first row. */
static unsigned table_exchange(struct view *v)
{
    struct table *was = v->table, *t = v->coming;
    const bool ready = table_ready(v), at = ready && v->at.row && v->at.row < was->nrows;
    const struct ttype *k = at && table_shows_types(&was->have) ? &was->type[was->row[v->at.row]] : NULL;
    for (uint32_t i = 0; k && i < t->nrows; i++)
        if (t->type[t->row[i]].a == k->a && t->type[t->row[i]].b == k->b)
            v->at.row = i;
    if (ready && (table_shows_types(&was->want) || !t->from->types))
        t->want = was->want;
    v->table = t;
    v->coming = NULL;
    table_free(was);
    return memcmp(&t->want, &t->have, sizeof t->want) ? table_begin(t, AT_ONCE_NS)
                                                      : VR_DRAW; /* another order is asked */
}

/* Shows the rows of t, which has worked, if they are there. After a failure any old ones stay. */
static unsigned table_worked(struct view *v, struct table *t, unsigned f)
{
    if (t->job)
        return f;
    move_ready(v);
    if (t == v->table)
        return f;
    if (!t->failed || !table_ready(v))
        return table_exchange(v);
    table_free(t);
    v->coming = NULL;
    v->table->failed = true;
    table_is_of_now(v->table, v);
    return VR_DRAW;
}

/* Returns what is under way: ordering the rows that are there, or finding them anew. NULL: nothing is. */
static struct table *table_under_way(const struct view *v)
{
    struct table *const t = v->table && v->table->job ? v->table : v->coming;
    return t && t->job && table_kept(t, v) ? t : NULL;
}

static unsigned table_go_on(struct view *v, int64_t budget_ns)
{
    struct table *t = table_under_way(v);
    return t ? table_worked(v, t, job_over(t, slices_run(t->job, budget_ns))) : VR_NONE;
}

/* Starts finding the things of the view shown, unless they are there. What is under way goes on while the
 * trace grows, but not if it is of another moment. */
static unsigned table_follow(struct view *v)
{
    const bool done = trace_info(v->tr)->done;
    if (!table_can(v) || (v->table && !table_stale(v->table, v)))
        return VR_NONE;
    const struct table *n = table_under_way(v);
    if (n && (!table_stale(n, v) || n->end != trace_info(v->tr)->end))
        return done ? VR_WORK : table_go_on(v, LOADING_NS);
    struct table *t = table_new(v);
    table_free(v->coming);
    v->coming = t;
    if (!table_kept(v->table, v)) {
        table_free(v->table);
        v->table = NULL;
    }
    if (!t && v->table)
        table_is_of_now(v->table, v);
    if (!t)
        return VR_DRAW;
    return table_worked(v, t, table_begin(t, done ? AT_ONCE_NS : LOADING_NS));
}

/* Returns the table whose order changes: the one shown, else the one that comes, perhaps before it can be
 * found. NULL: out of memory. */
static struct table *table_ordered(struct view *v)
{
    if (table_ready(v))
        return v->table;
    if (v->coming && v->coming->from == table_of(v))
        return v->coming;
    struct table *t = table_new(v);
    table_free(v->coming);
    v->coming = t;
    if (t)
        t->tr = NULL; /* it is found anew once that can be */
    return t;
}

unsigned table_open(struct view *v, int no)
{
    (void)tri_open(v, no);
    if (!table_can(v))
        (void)table_ordered(v); /* once it can be found, it is pending */
    return VR_DRAW | table_follow(v);
}

bool table_pending(const struct view *v)
{
    return table_under_way(v) ||
           ((v->table || v->coming) && trace_info(v->tr)->done && table_can(v) && table_stale(v->table, v));
}

unsigned table_work(struct view *v, int64_t budget_ns)
{
    return !table_pending(v) ? VR_NONE : table_under_way(v) ? table_go_on(v, budget_ns) : table_follow(v);
}

/* ---- what keys do -------------------------------------------------------------------------------------- */

static unsigned table_again(struct view *v, struct table *t)
{
    v->at.row = v->at.top = 0;
    return VR_DRAW | (t->listed ? table_begin(t, AT_ONCE_NS) : VR_NONE);
}

static unsigned order_changed(struct view *v, struct table *t)
{
    const int level = table_level(&t->want);
    v->orders.sort[v->at.view][level] = (int8_t)(t->want.sort + 1);
    v->orders.invert[v->at.view][level] = t->want.invert;
    const unsigned f = table_again(v, t);
    const struct tcol c = table_col(t, &t->want, t->want.sort);
    view_message(v, false, "by %s%s", c.kind == TCOL_NAME && t->from->nameless ? "the query" : c.what,
                 !t->want.invert                                ? ""
                 : c.kind == TCOL_TIME || table_by_text(c.kind) ? ", the last first"
                                                                : ", the smallest first");
    return f;
}

unsigned table_sort(struct view *v, int n)
{
    struct table *t = table_ordered(v);
    if (!t)
        return move_fail(v, "out of memory: the order stays");
    const int all = table_cols(t, &t->want), s = (t->want.sort + n) % all;
    t->want.sort = s < 0 ? s + all : s;
    t->want.invert = false;
    return order_changed(v, t);
}

unsigned table_invert(struct view *v, int n)
{
    struct table *t = table_ordered(v);
    (void)n;
    if (!t)
        return move_fail(v, "out of memory: the order stays");
    t->want.invert = !t->want.invert;
    return order_changed(v, t);
}

/* Restricts rows to those overlapping the window of the lanes, or the selected range. */
unsigned table_here(struct view *v, int n)
{
    struct table *t = v->table;
    char a[FMT_MAX], b[FMT_MAX];
    (void)n;
    t->want.windowed = !t->want.windowed;
    t->want.win = v->sel.stands ? window_of(v->sel.t0, v->sel.t1) : v->at.win;
    unsigned f = table_again(v, t);
    if (t->want.windowed)
        view_message(v, false, "only what overlaps %s..%s, the %s", when_exact(v->tr, t->want.win.t0, a),
                     when_exact(v->tr, t->want.win.t1, b),
                     v->sel.stands ? "selected range" : "window of the lanes");
    else
        view_message(v, false, "of the whole trace");
    return f;
}

unsigned table_find(struct view *v, const char *text)
{
    struct table *t = v->table;
    if (!table_ready(v))
        return move_not_yet(v, "the table is not done yet");
    if (strcmp(t->want.filter, text) == 0)
        return VR_DRAW;
    snprintf(t->want.filter, sizeof t->want.filter, "%s", text);
    return table_again(v, t);
}

unsigned table_back(struct view *v, int n)
{
    struct table *t = v->table;
    (void)n;
    if (!t || !table_ready(v))
        return VR_QUIT;
    if (t->want.filter[0])
        return table_find(v, "");
    if (!table_shows_types(&t->want) && t->from->types) {
        order_wanted(v, t, TABLE_TYPES);
        unsigned f = table_begin(t, AT_ONCE_NS);
        v->at.row = v->orders.type_row;
        v->at.top = v->orders.type_top;
        return f;
    }
    return VR_QUIT;
}

const char *table_back_word(const struct view *v)
{
    const struct table *t = v->table;
    return !t || !table_ready(v)                            ? NULL
           : t->want.filter[0]                              ? "no filter"
           : !table_shows_types(&t->want) && t->from->types ? "back"
                                                            : NULL;
}

static unsigned open_type(struct view *v, uint32_t type)
{
    struct table *t = v->table;
    v->orders.type_row = v->at.row;
    v->orders.type_top = v->at.top;
    t->want.filter[0] = 0;
    order_wanted(v, t, type);
    return table_again(v, t);
}

static void table_took(struct text *out, const struct thing *x)
{
    if (x->untimed) {
        text_lit(out, TRI_NOT_TIMED);
        return;
    }
    if (x->open)
        text_lit(out, "at least ");
    text_dur(out, x->t1 - x->t0);
}

unsigned table_enter(struct view *v)
{
    struct table *t = v->table;
    if (t->job) /* the rows are those of another order */
        (void)job_over(t, slices_run(t->job, INT64_MAX));
    if (v->at.row >= t->nrows)
        return move_fail(v, "nothing here");
    uint32_t row = t->row[v->at.row];
    if (table_shows_types(&t->have) && (t->type[row].n > 1 || !t->type[row].kept))
        return open_type(v, row);
    row = table_shows_types(&t->have) ? t->type[row].longest : row; /* of a type of one thing: that */
    struct thing x = t->thing[row];
    struct lane l = t->from->lane ? t->from->lane(t, &x) : lane_g(x.g);
    struct text of = {.ticks = when_ticks(v->tr)}, say = {.ticks = of.ticks};
    text_add(&of, "%s%s", t->from->thing,
             x.untimed ? ", " : " of "); /* it stands below the words of a span */
    table_took(&of, &x);
    if (t->from->say)
        t->from->say(&say, v, &x);
    if (t->from->moment)
        t->from->moment(v, &x, &x.t0, &x.t1);
    unsigned f = tri_goto(v, l, x.t0, x.t1);
    if (of.p && say.n)
        view_message(v, false, "%s: %s", of.p, say.p);
    text_free(&of);
    text_free(&say);
    return f;
}

bool table_about_row(const struct view *v, uint32_t *g, int64_t *t0, int64_t *t1)
{
    const struct table *t = v->table;
    if (!table_ready(v) || v->at.row >= t->nrows)
        return false;
    const struct thing *x = table_thing(t, t->row[v->at.row]);
    *g = x->g;
    *t0 = x->t0;
    *t1 = x->t1;
    return !x->untimed;
}

/* ---- rows for tri.c ------------------------------------------------------------------------------------ */

uint32_t table_rows(const struct view *v)
{
    return v->table->nrows;
}

void table_detail(struct text *out, const struct view *v, uint32_t row, int line)
{
    const struct table *t = v->table;
    uint32_t i = t->row[row];
    if (table_shows_types(&t->have) && t->from->type_say) {
        t->from->type_say(out, v, &t->type[i], line);
        return;
    }
    if (table_shows_types(&t->have) && line == 0) {
        const struct ttype *k = &t->type[i];
        table_name(out, t, &t->have, i);
        text_say(out, NULL, ": ", k->n, " ", k->n == 1 ? t->from->thing : t->from->things, ", ");
        if (k->untimed == k->n) {
            text_lit(out, TRI_NOT_TIMED);
            return;
        }
        text_say(out, NULL, t_dur(k->total), " in all");
        if (k->p50 >= 0)
            text_say(out, NULL, "; p50 ", t_dur(k->p50), ", p90 ", t_dur(k->p90), ", p99 ", t_dur(k->p99));
        if (k->open > k->untimed)
            text_add(out, "; %" PRIu64 " not whole in this trace", k->open - k->untimed);
        if (k->untimed)
            text_add(out, "; %" PRIu64 " not timed", k->untimed);
        return;
    }
    const struct thing *x = table_thing(t, i);
    if (table_shows_types(&t->have) && !t->type[i].kept)
        return; /* all are shorter than those listed */
    if (line == 0)
        table_name(out, t, &t->have, i);
    if (line == 0 || table_shows_types(&t->have)) {
        text_raw(out, line == 0 ? ": " : "the longest: ", line == 0 ? 2 : 13);
        table_took(out, x);
        text_say(out, NULL, x->untimed ? " at " : " from ", t_dur(x->t0));
        if (line == 0)
            return;
    }
    struct text say = {.ticks = out->ticks}, name = {.ticks = out->ticks};
    if (t->from->say)
        t->from->say(&say, v, x);
    if (!table_shows_types(&t->have))
        table_name(&name, t, &t->have, i);
    if (say.n && (say.n != name.n || memcmp(say.p, name.p, say.n) != 0)) /* the first line has it already */
        text_add(out, "%s%s", out->n ? "; " : "", say.p);
    text_free(&say);
    text_free(&name);
}

/* The trace grew, or another part of it is loaded: the things have to be found once more. */
void table_draw(struct grid *g, struct view *v, const struct plan *p)
{
    (void)table_follow(v);
    tri_draw(g, v, p);
}

/* ---- as text for another program ----------------------------------------------------------------------- */

static int tsv_cols(const struct table *t)
{
    return table_cols(t, &t->have) - t->from->nameless;
}

static void tsv_head(const struct table *t, struct text *to)
{
    for (int c = 0; c < tsv_cols(t); c++) {
        struct tcol k = table_col(t, &t->have, c);
        const char *unit = k.kind == TCOL_DUR || k.kind == TCOL_TIME ? when_ticks(t->tr) ? " ticks" : " ns"
                           : k.kind == TCOL_BYTES                    ? " bytes"
                           : k.kind == TCOL_SHARE                    ? " ppm"
                                                                     : "";
        text_add(to, "%s%s%s", c ? "\t" : "", k.kind == TCOL_NAME ? "name" : k.head, unit);
    }
}

static void tsv_row(const struct table *t, uint32_t i, struct text *to)
{
    for (int c = 0; c < tsv_cols(t); c++) {
        text_raw(to, c ? "\t" : "\n", 1);
        if (table_cell(to, t, &t->have, t->row[i], c))
            continue;
        const int64_t x = table_value(t, &t->have, t->row[i], c);
        if (x >= 0 && table_col(t, &t->have, c).kind == TCOL_MEAN)
            text_add(to, "%.6g", (double)x / SHARE_WHOLE);
        else if (x >= 0 || table_col(t, &t->have, c).kind == TCOL_TIME)
            text_add(to, "%" PRId64, x);
    }
}

bool table_tsv(const struct view *v, struct text *to)
{
    const struct table *t = v->table;
    if (!table_ready(v) || !t->nrows)
        return false;
    tsv_head(t, to);
    for (uint32_t i = 0; i < t->nrows && i < KIND_COPIED; i++)
        tsv_row(t, i, to);
    text_lit(to, "\n");
    return true;
}

void table_name_string(struct text *out, const struct table *t, const struct ttype *k)
{
    if (trace_str(t->tr, (uint32_t)k->a).len)
        text_str(out, t->tr, (uint32_t)k->a);
    else
        text_lit(out, "(no name)");
}
