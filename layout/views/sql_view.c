/*
 * sql_view.c - the answer to `:sql SELECT ..`: text in aligned columns, with a cursor.
 */
#include "layout/views/sql_view.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "decode/base/mem.h"
#include "layout/cells/lines.h"
#include "layout/views/tri_priv.h"
#include "triage/sql/sql.h"

enum { CELL = 60, COLUMNS = 64 }; /* characters of a cell, columns that are shown */
#define APART '\x1f' /* between the cells of a line before they are aligned: no cell has such a byte */

struct asked_row {
    int64_t t0, t1;
    uint64_t id;
    enum lane_kind kind; /* LANE_KINDS: it is no place */
};
struct asked {
    struct lines *lines; /* heads, then rows */
    struct asked_row *row;
    size_t cap;
    uint32_t n;
    bool more; /* there were more rows */
    char query[VIEW_TEXT];
};

void sql_view_free(struct asked *a)
{
    if (a) {
        lines_free(a->lines);
        mem_free(a->row);
    }
    mem_free(a);
}

/* ---- rows
 * --------------------------------------------------------------------------------------------------- */

struct columns_of { /* where the columns are that make a row a place; -1: nowhere */
    int t0, t1, dur, lane[3];
};

static int column(const struct sql_query *q, const char *name)
{
    for (unsigned i = 0; i < sql_width(q); i++) {
        const struct str h = sql_head(q, i);
        if (h.len == strlen(name) && memcmp(h.p, name, h.len) == 0)
            return (int)i;
    }
    return -1;
}

static bool number(const struct sql_query *q, int column, int64_t *v)
{
    if (column < 0)
        return false;
    const struct sql_cell c = sql_cell(q, (unsigned)column);
    *v = c.i;
    return c.kind == SQL_INT;
}

static struct asked_row place(const struct sql_query *q, const struct columns_of *k)
{
    static const enum lane_kind kinds[] = {LANE_G, LANE_P, LANE_M};
    struct asked_row r = {.kind = LANE_KINDS};
    int64_t id, ns;
    if (!number(q, k->t0, &r.t0))
        return r;
    if (!number(q, k->t1, &r.t1))
        r.t1 = number(q, k->dur, &ns) && ns > 0 && r.t0 < INT64_MAX - ns ? r.t0 + ns : r.t0;
    for (int i = 0; i < 3 && r.kind == LANE_KINDS; i++) {
        if (number(q, k->lane[i], &id)) {
            r.kind = kinds[i];
            r.id = (uint64_t)id;
        }
    }
    return r;
}

static void add_cell(struct text *t, const struct sql_cell *c)
{
    switch (c->kind) {
    case SQL_NULL: break;
    case SQL_INT: text_add(t, "%" PRId64, c->i); break;
    case SQL_REAL: text_add(t, "%.6g", c->r); break;
    case SQL_TEXT: text_clean(t, c->s.p, c->s.len, CELL); break;
    }
}

static unsigned shown(const struct sql_query *q)
{
    return sql_width(q) < COLUMNS ? sql_width(q) : COLUMNS;
}

/* The rows of a query as lines of cells apart by APART; right[]: columns of numbers. */
static bool collect(struct asked *a, struct sql_query *q, struct text *t, bool right[COLUMNS], struct err *e)
{
    const struct columns_of k = {column(q, "t0") >= 0 ? column(q, "t0") : column(q, "t"),
                                 column(q, "t1"),
                                 column(q, "dur"),
                                 {column(q, "g"), column(q, "p"), column(q, "m")}};
    bool row = true;
    for (unsigned i = 0; i < shown(q); i++) {
        const struct str h = sql_head(q, i);
        right[i] = true;
        text_raw(t, (const char[]){APART}, i > 0);
        text_clean(t, h.p, h.len, CELL);
    }
    text_lit(t, "\n");
    while (text_ok(t) && sql_next(q, &row, e) == ERR_OK && row) {
        a->more = a->n == SQL_VIEW_ROWS;
        if (a->more || !mem_room(a->row, a->cap, a->n + 1))
            break;
        a->row[a->n++] = place(q, &k);
        for (unsigned i = 0; i < shown(q); i++) {
            const struct sql_cell c = sql_cell(q, i);
            right[i] &= c.kind != SQL_TEXT;
            text_raw(t, (const char[]){APART}, i > 0);
            add_cell(t, &c);
        }
        text_lit(t, "\n");
    }
    return text_ok(t) && (a->more || !row);
}

/* ---- lines
 * -------------------------------------------------------------------------------------------------- */

static size_t chars(const char *p, size_t n)
{
    size_t w = 0;
    for (size_t i = 0; i < n; i++)
        w += ((unsigned char)p[i] & 0xC0) != 0x80;
    return w;
}

/* One line of cells, with f for each; returns where the next line begins. */
static const char *each_cell(const char *at, void (*f)(void *arg, unsigned i, const char *p, size_t n),
                             void *arg)
{
    for (unsigned i = 0;; i++) {
        const size_t n = strcspn(at, "\x1f\n");
        f(arg, i, at, n);
        at += n + 1;
        if (at[-1] == '\n')
            return at;
    }
}

struct align {
    size_t width[COLUMNS];
    bool right[COLUMNS];
    struct text line;
};

static void widen(void *arg, unsigned i, const char *p, size_t n)
{
    struct align *l = arg;
    const size_t w = chars(p, n);
    l->width[i] = w > l->width[i] ? w : l->width[i];
}

static void put(void *arg, unsigned i, const char *p, size_t n)
{
    struct align *l = arg;
    const int pad = (int)(l->width[i] - chars(p, n));
    text_add(&l->line, "%s%*s", i ? "  " : "", l->right[i] ? pad : 0, "");
    text_raw(&l->line, p, n);
    text_add(&l->line, "%*s", l->right[i] ? 0 : pad, "");
}

static bool lay_out(struct asked *a, const struct text *t, struct align *l)
{
    for (const char *at = t->p; *at;)
        at = each_cell(at, widen, l);
    for (const char *at = t->p; *at;) {
        l->line.n = 0;
        at = each_cell(at, put, l);
        if (!text_ok(&l->line))
            return false;
        lines_add(a->lines, "%s", l->line.p);
    }
    return !a->lines->oom;
}

/* ---- asking
 * ------------------------------------------------------------------------------------------------- */

static struct asked *asked_new(const char *query)
{
    struct asked *a = mem_zalloc(sizeof *a);
    if (a) {
        a->lines = lines_new("sql");
        snprintf(a->query, sizeof a->query, "%s", query);
    }
    if (a && !a->lines) {
        sql_view_free(a);
        a = NULL;
    }
    return a;
}

/* false: *e says why, or there is no memory. */
static bool answer(struct asked *a, const struct trace *tr, struct err *e)
{
    struct align l = {.line = {0}};
    struct text t = {0};
    struct sql *s;
    struct sql_query *q = NULL;
    size_t used;
    if (sql_open(tr, &s, e) != ERR_OK)
        return false;
    sql_time(s, SQL_VIEW_SECONDS * INT64_C(1000000000));
    bool ok = sql_query(s, a->query, strlen(a->query), &q, &used, e) == ERR_OK;
    if (ok && !q)
        ok = err_set(e, ERR_ARG, ERR_NO_OFFSET, "ask something: :sql select count(*) from span") == ERR_OK;
    ok = ok && collect(a, q, &t, l.right, e) && lay_out(a, &t, &l);
    text_free(&t);
    text_free(&l.line);
    sql_end(q);
    sql_close(s);
    return ok;
}

unsigned sql_view_ask(struct view *v, const char *query)
{
    struct err e = {.offset = ERR_NO_OFFSET};
    const struct trace_info *i = trace_info(v->tr);
    if (!i->done || i->more)
        return move_fail(v, "SQL asks a trace that has been read to its end");
    struct asked *a = asked_new(query);
    if (!a || !answer(a, v->tr, &e)) {
        sql_view_free(a);
        if (e.offset != ERR_NO_OFFSET && e.offset < strlen(query))
            view_message(v, true, "SQL: %s, at '%.20s'", e.what, query + e.offset);
        else
            view_message(v, true, "SQL: %s", e.what[0] ? e.what : "out of memory");
        return VR_DRAW | VR_BELL;
    }
    sql_view_free(v->asked);
    v->asked = a;
    const unsigned f = view_show(v, VIEW_SQL);
    tri_set_row(v, 0);
    view_message(v, false, a->more ? "the first %d rows; gotop sql --limit 0 prints all" : "%d rows",
                 a->more ? SQL_VIEW_ROWS : (int)a->n);
    return VR_DRAW | f;
}

/* Does an earlier table have a column of that name? */
static bool named_before(size_t table, const char *name)
{
    const char *other;
    for (size_t i = 0; i < table; i++)
        for (size_t c = 0; (other = sql_column(i, c)) != NULL; c++)
            if (strcmp(other, name) == 0)
                return true;
    return false;
}

const char *sql_view_word(unsigned i)
{
    const char *name;
    unsigned n = 0;
    for (size_t t = 0; (name = sql_table(t)) != NULL; t++)
        if (n++ == i)
            return name;
    for (size_t t = 0; sql_table(t); t++)
        for (size_t c = 0; (name = sql_column(t, c)) != NULL; c++)
            if (n++ == i)
                return named_before(t, name) ? NULL : name;
    return NULL;
}

/* ---- the view
 * ----------------------------------------------------------------------------------------------- */

static uint32_t count(const struct view *v)
{
    return v->asked ? v->asked->n : 0;
}

static int head_lines(const struct view *v, int rows)
{
    (void)rows;
    return v->asked ? 1 : 0;
}

static void head(struct grid *g, struct view *v, int y, int n)
{
    if (n > 0)
        (void)wrap_draw(g, 0, y, g->w, 1, STYLE_STATUS_KEY, str_of(v->asked->lines->line[0]));
}

static void row(struct grid *g, struct view *v, uint32_t i, int y, bool focus)
{
    const enum style s = focus ? STYLE_LANE_FOCUS : STYLE_NORMAL;
    if (focus)
        grid_fill(g, 0, y, g->w, 1, ' ', s);
    (void)wrap_draw(g, 0, y, g->w, 1, s, str_of(v->asked->lines->line[i + 1]));
}

/* The row under the cursor, without the blanks that align it. */
static void detail(struct text *t, const struct view *v, uint32_t i, int line)
{
    if (line == 1)
        text_add(t, "%s", v->asked->query);
    for (const char *s = v->asked->lines->line[i + 1]; line == 0 && *s;) {
        const size_t n = strcspn(s, " ");
        text_raw(t, s, n);
        s += n + strspn(s + n, " ");
        text_raw(t, " ", *s != '\0');
    }
}

static unsigned enter(struct view *v)
{
    const struct asked_row *r = v->at.row < count(v) ? &v->asked->row[v->at.row] : NULL;
    if (!r || r->kind == LANE_KINDS)
        return move_fail(v, "this row is no place: that takes a column t0 or t, and one of g, p, m");
    const struct lane l = {r->kind, trace_find_lane(v->tr, r->kind, r->id)};
    if (l.i == NO_LANE)
        return move_fail(v, "nothing has this number");
    return tri_goto(v, l, r->t0, r->t1);
}

static bool ready(const struct view *v)
{
    return v->asked != NULL;
}

static void draw(struct grid *g, struct view *v, const struct plan *p)
{
    if (ready(v))
        tri_draw(g, v, p);
    else
        tri_note(g, 0, p->y[ROW_LANES], p->n[ROW_LANES],
                 "Ask in SQL: :sql select name, count(*), dur(sum(dur)) from wait group by name. Tables and "
                 "columns: "
                 "gotop sql "
                 "--schema. Enter on a row with t0 and g goes there.");
}

static bool tsv(const struct view *v, FILE *f)
{
    for (size_t i = 0; v->asked && i < v->asked->lines->n; i++)
        fprintf(f, "%s\n", v->asked->lines->line[i]);
    return count(v) > 0;
}

static const struct tri_view list = {.rows = count,
                                     .head = head,
                                     .head_lines = head_lines,
                                     .row = row,
                                     .detail = detail,
                                     .enter = enter,
                                     .ready = ready};
const struct view_kind kind_sql = {
    .lanes = LANE_KINDS,
    .table = true,
    .plan = PLAN_TABLE,
    .gutter = GUTTER_SHORT,
    .has = ready,
    .open = tri_open,
    .show = kind_show,
    .draw = draw,
    .touch = tri_touch,
    .speak = tri_speak,
    .hold = tri_hold,
    .list = &list,
    .tsv = tsv,
    .refuse = "Enter goes to a row's place",
    .answer = {ANSWER_ROWS},
    .refusal = {REFUSE_ZOOM, REFUSE_SELECT, [DEED_SORT] = "the query has an order by",
                [DEED_INVERT] = "the query has an order by"},
    .word = {[DEED_LANE] = "row", [DEED_DETAILS] = "go there"},
};
