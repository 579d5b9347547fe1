/*
 * sql_view.c - the answer to `:sql SELECT ..`: text in aligned columns, with a cursor.
 */
#include "layout/views/sql_view.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "decode/base/mem.h"
#include "triage/query/filter.h"
#include "triage/query/match.h"
#include "triage/sql/sql_pipe.h"
#include "layout/views/tri_priv.h"
#include "triage/places.h"
#include "triage/sql/sql.h"

enum { CELL = 60, COLUMNS = 64 }; /* characters of a cell, columns that are shown */
#define APART '\t'                /* between the cells of a line: no cell has such a byte */

struct asked_row {
    int64_t t0, t1;
    uint64_t id;
    enum lane_kind kind; /* LANE_KINDS: it is no place */
    size_t at;           /* its line in asked.lines */
};
struct asked {
    struct text lines; /* of heads, then of each row: cells with APART between them, and a 0 */
    size_t width[COLUMNS];
    bool right[COLUMNS]; /* a column of numbers */
    struct asked_row *row;
    size_t cap;
    uint32_t n;
    bool more; /* there were more rows */
    char *query;
    char *pipe;            /* the filter line that it is made of; NULL: none is */
    struct filter *filter; /* of that */
    char *head[COLUMNS];   /* of its columns, before they are ordered */
    unsigned columns;
    bool number[COLUMNS]; /* it has numbers, or times */
    int sort;             /* the column; -1: as the query has it */
    bool invert;
    char find[VIEW_TEXT]; /* what the rows that show contain */
    uint32_t *pick, npick;
};

void sql_view_free(struct asked *a)
{
    if (a) {
        text_free(&a->lines);
        mem_free(a->row);
        mem_free(a->query);
        mem_free(a->pipe);
        mem_free(a->pick);
        filter_free(a->filter);
        for (unsigned i = 0; i < a->columns; i++)
            mem_free(a->head[i]);
    }
    mem_free(a);
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

struct columns_of { /* where the columns are that make a row a place; -1: nowhere */
    int t0, t1, dur, lane[3];
};

static int sql_view_column(const struct sql_query *q, const char *name)
{
    for (unsigned i = 0; i < sql_width(q); i++) {
        const struct str h = sql_head(q, i);
        if (h.len == strlen(name) && memcmp(h.p, name, h.len) == 0)
            return (int)i;
    }
    return -1;
}

static bool sql_view_number(const struct sql_query *q, int column, int64_t *v)
{
    if (column < 0)
        return false;
    const struct sql_cell c = sql_cell(q, (unsigned)column);
    *v = c.i;
    return c.kind == SQL_INT;
}

static struct asked_row sql_view_place(const struct sql_query *q, const struct columns_of *k)
{
    static const enum lane_kind kinds[] = {LANE_G, LANE_P, LANE_M};
    struct asked_row r = {.kind = LANE_KINDS};
    int64_t id, ns;
    if (!sql_view_number(q, k->t0, &r.t0))
        return r;
    if (!sql_view_number(q, k->t1, &r.t1))
        r.t1 = sql_view_number(q, k->dur, &ns) && ns > 0 && r.t0 < INT64_MAX - ns ? r.t0 + ns : r.t0;
    for (int i = 0; i < 3 && r.kind == LANE_KINDS; i++) {
        if (sql_view_number(q, k->lane[i], &id)) {
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
    case SQL_TEXT: text_clean(t, c->s.p, c->s.len, 0); break;
    }
}

static unsigned sql_view_shown(const struct sql_query *q)
{
    return sql_width(q) < COLUMNS ? sql_width(q) : COLUMNS;
}

/* A cell is behind `from`: how wide it shows. */
static void sql_view_widen(struct asked *a, unsigned i, size_t from)
{
    const size_t w = text_width(&a->lines, from), most = w < CELL ? w : CELL;
    a->width[i] = most > a->width[i] ? most : a->width[i];
}

static void begin_cell(struct text *t, unsigned i)
{
    text_raw(t, (const char[]){APART}, i > 0);
}

/* The rows of a query. */
static bool sql_view_collect(struct asked *a, struct sql_query *q, struct err *e)
{
    struct text *t = &a->lines;
    const struct columns_of k = {sql_view_column(q, "t0") >= 0 ? sql_view_column(q, "t0")
                                                               : sql_view_column(q, "t"),
                                 sql_view_column(q, "t1"),
                                 sql_view_column(q, "dur"),
                                 {sql_view_column(q, "g"), sql_view_column(q, "p"), sql_view_column(q, "m")}};
    bool row = true;
    for (unsigned i = 0; i < sql_view_shown(q); i++) {
        const struct str h = sql_head(q, i);
        a->right[i] = a->number[i] = true;
        begin_cell(t, i);
        const size_t from = t->n;
        text_clean(t, h.p, h.len, 0);
        sql_view_widen(a, i, from);
    }
    text_raw(t, "", 1);
    while (text_ok(t) && sql_next(q, &row, e) == ERR_OK && row) {
        a->more = a->n == SQL_VIEW_ROWS;
        if (a->more || !mem_room(a->row, a->cap, a->n + 1))
            break;
        a->row[a->n] = sql_view_place(q, &k);
        a->row[a->n++].at = t->n;
        for (unsigned i = 0; i < sql_view_shown(q); i++) {
            const struct sql_cell c = sql_cell(q, i);
            a->right[i] &= c.kind != SQL_TEXT;
            a->number[i] &= c.kind != SQL_TEXT || (c.s.len && isdigit((unsigned char)c.s.p[0]));
            begin_cell(t, i);
            const size_t from = t->n;
            add_cell(t, &c);
            sql_view_widen(a, i, from);
        }
        text_raw(t, "", 1);
    }
    return text_ok(t) && (a->more || !row);
}

/* ---- asking -------------------------------------------------------------------------------------------- */

static const char *sql_view_line_of(const struct asked *a, uint32_t row)
{
    return a->lines.p + a->row[row].at;
}

static char *sql_view_copy(const char *s, size_t n)
{
    char *to = mem_alloc(n + 1);
    if (to) {
        memcpy(to, s, n);
        to[n] = '\0';
    }
    return to;
}

/* Reduces a query to its first statement, the first n bytes, without what ends it, so that it can be
 * nested. */
static void one_statement(char *query, size_t n)
{
    while (n && (isspace((unsigned char)query[n - 1]) || query[n - 1] == ';'))
        n--;
    query[n] = '\0';
}

static struct asked *asked_new(const char *query, size_t n)
{
    struct asked *a = mem_zalloc(sizeof *a);
    if (!a)
        return NULL;
    a->sort = -1;
    a->query = sql_view_copy(query, n);
    if (!a->query) {
        sql_view_free(a);
        return NULL;
    }
    return a;
}

static bool heads_of(struct asked *a, const struct sql_query *q)
{
    for (; a->columns < sql_view_shown(q); a->columns++) {
        const struct str h = sql_head(q, a->columns);
        if (!(a->head[a->columns] = sql_view_copy(h.p, h.len)))
            return false;
    }
    return true;
}

/* Wraps the query in another order if requested. Its columns get unique names here, as several may be
 * alike; the original names are shown. */
static void sql_view_ordered(struct text *t, const struct asked *a)
{
    if (a->sort < 0) {
        text_raw(t, a->query, strlen(a->query));
        return;
    }
    text_lit(t, "with gotop_q(");
    for (unsigned i = 0; i < a->columns; i++)
        text_add(t, "%sc%u", i ? "," : "", i);
    text_lit(t, ") as (");
    text_raw(t, a->query, strlen(a->query));
    text_lit(t, "\n) select ");
    for (unsigned i = 0; i < a->columns; i++) {
        text_add(t, "%sc%u \"", i ? "," : "", i);
        for (const char *h = a->head[i]; *h; h++)
            text_raw(t, *h == '"' ? "\"\"" : h, *h == '"' ? 2 : 1);
        text_lit(t, "\"");
    }
    text_add(t, " from gotop_q order by sort_key(c%d)%s", a->sort,
             a->number[a->sort] != a->invert ? " desc" : "");
}

static bool sql_view_shows(void *arg, uint32_t g, const struct span *s)
{
    const struct filter *f = arg;
    return filter_shows(f, g) && filter_span(f, g, s);
}

/* false: *e says why, or there is no memory. */
static bool sql_view_answer(struct asked *a, const struct trace *tr, struct err *e)
{
    struct text sql = {0};
    struct sql *s;
    struct sql_query *q = NULL;
    size_t used;
    if (sql_open(tr, &s, e) != ERR_OK)
        return false;
    sql_time(s, SQL_VIEW_SECONDS * INT64_C(1000000000));
    if (a->filter)
        sql_matches(s, sql_view_shows, a->filter);
    sql_view_ordered(&sql, a);
    bool ok = text_ok(&sql) && sql_query(s, sql.p ? sql.p : "", sql.n, &q, &used, e) == ERR_OK;
    if (ok && a->sort < 0)
        one_statement(a->query, used);
    if (ok && !q)
        ok = err_set(e, ERR_ARG, ERR_NO_OFFSET, "ask something: :sql select sql_view_count(*) from span") ==
             ERR_OK;
    ok = ok && heads_of(a, q) && sql_view_collect(a, q, e);
    text_free(&sql);
    sql_end(q);
    sql_close(s);
    return ok;
}

static void say_rows(struct view *v)
{
    const struct asked *a = v->asked;
    char order[VIEW_TEXT] = "";
    if (a->sort >= 0)
        snprintf(order, sizeof order, "; by %.40s, %s", a->head[a->sort],
                 !a->number[a->sort] ? (a->invert ? "from Z" : "from A")
                 : a->invert         ? "the smallest first"
                                     : "the largest first");
    view_message(v, false, a->more ? "the first %d rows%s; gotop sql --limit 0 prints all" : "%d rows%s",
                 a->more ? SQL_VIEW_ROWS : (int)a->n, order);
}

/* Runs the query; after an error the old answer stays. */
static unsigned sql_view_take(struct view *v, struct asked *a)
{
    struct err e = {.offset = ERR_NO_OFFSET};
    if (!a || !sql_view_answer(a, v->tr, &e)) {
        if (a && a->sort < 0 && !a->pipe && e.offset != ERR_NO_OFFSET && e.offset < strlen(a->query))
            view_message(v, true, "SQL: %s, at '%.20s'", e.what, a->query + e.offset);
        else
            view_message(v, true, "SQL: %s", e.what[0] ? e.what : "out of memory");
        sql_view_free(a);
        return VR_DRAW | VR_BELL;
    }
    sql_view_free(v->asked);
    v->asked = a;
    const unsigned f = view_show(v, VIEW_SQL);
    tri_set_row(v, 0);
    say_rows(v);
    return VR_DRAW | f;
}

static bool sql_view_whole(struct view *v, unsigned *f)
{
    const struct trace_info *i = trace_info(v->tr);
    const bool is = i->done && !i->more;
    if (!is)
        *f = move_fail(v, "SQL asks a trace that has been read to its end");
    return is;
}

/* ---- queries of the reader's own: NAME.sql beside the keymaps ------------------------------------------ */

static void sql_view_add_name(void *arg, const char *name)
{
    struct text *t = arg;
    text_add(t, "%s", t->n ? ", " : "");
    text_clean(t, name, strlen(name), 40);
}

/* Its text; NULL: there is none, or it can't be read, *why. */
static char *own_query(const char *name, size_t n, size_t *len, const char **why)
{
    char word[64], path[PLACES_PATH], *text;
    *why = "no query of that name";
    if (n >= sizeof word || memchr(name, '/', n))
        return NULL;
    snprintf(word, sizeof word, "%.*s", (int)n, name);
    for (int place = 0; place < PLACE_INSTALLED; place++) {
        if (!places_path(place, word, "sql", path))
            continue;
        const enum err_code c = places_read(place, path, &text, len);
        if (c == ERR_OK)
            return text;
        if (c == ERR_ARG)
            *why = PLACES_UNTRUSTED;
    }
    return NULL;
}

static unsigned ask_own(struct view *v, const char *name, size_t n)
{
    const char *why;
    size_t len;
    struct text t = {0};
    char *text = own_query(name, n, &len, &why);
    if (text) {
        struct asked *a = asked_new(text, len);
        mem_free(text);
        return sql_view_take(v, a);
    }
    places_list("sql", sql_view_add_name, &t);
    const unsigned f =
        move_fail(v, "%.40s: %s%s%.200s", name, why, t.n ? "; there are: " : "", t.n ? t.p : "");
    text_free(&t);
    return f;
}

unsigned sql_view_ask(struct view *v, const char *query)
{
    unsigned f;
    query += strspn(query, " ");
    const size_t n = strcspn(query, " ");
    if (!sql_view_whole(v, &f))
        return f;
    if (n && !query[n + strspn(query + n, " ")]) /* one word is no query */
        return ask_own(v, query, n);
    return sql_view_take(v, asked_new(query, strlen(query)));
}

/* ---- a filter line that groups ------------------------------------------------------------------------- */

static struct filter *filter_of(struct view *v, const char *line, unsigned *f)
{
    char text[VIEW_TEXT];
    struct filter_error e;
    snprintf(text, sizeof text, "%.*s", (int)sql_pipe_filter(line), line);
    struct filter *made = filter_new(v->tr, text[0] ? text : "dur>=0", &e);
    if (!made)
        *f = e.at < 0 ? move_fail(v, "%s", e.what)
                      : move_fail(v, "filter, at '%.20s': %s", text + e.at, e.what);
    while (made && !filter_step(made, INT64_MAX))
        continue;
    return made;
}

unsigned sql_view_pipe(struct view *v, const char *line)
{
    struct text sql = {0};
    struct err e = {0};
    unsigned f = 0;
    struct filter *filter = sql_view_whole(v, &f) ? filter_of(v, line, &f) : NULL;
    if (!filter)
        return f;
    struct asked *a = NULL;
    if (!sql_pipe_query(line, filter_wide(filter), &sql, &e))
        f = move_fail(v, "%s", e.what[0] ? e.what : "out of memory");
    else
        a = asked_new(sql.p, sql.n);
    text_free(&sql);
    if (a) {
        a->filter = filter;
        a->pipe = sql_view_copy(line, strlen(line));
        return sql_view_take(v, a);
    }
    filter_free(filter);
    return f ? f : sql_view_take(v, NULL);
}

/* ---- order, and rows that contain a text --------------------------------------------------------------- */

static unsigned sql_view_again(struct view *v, int sort, bool invert)
{
    struct asked *old = v->asked, *a = asked_new(old->query, strlen(old->query));
    unsigned f;
    if (a) {
        a->sort = sort;
        a->invert = invert;
        memcpy(a->number, old->number, sizeof a->number);
        for (; a->columns < old->columns &&
               (a->head[a->columns] = sql_view_copy(old->head[a->columns], strlen(old->head[a->columns])));)
            a->columns++;
        a->pipe = old->pipe ? sql_view_copy(old->pipe, strlen(old->pipe)) : NULL;
        a->filter = old->pipe ? filter_of(v, old->pipe, &f) : NULL;
        if (old->pipe && (!a->pipe || !a->filter)) {
            sql_view_free(a);
            a = NULL;
        }
    }
    return sql_view_take(v, a);
}

static unsigned sql_view_sort(struct view *v, int n)
{
    if (!v->asked || !v->asked->columns)
        return move_fail(v, "there is nothing to order");
    const int all = (int)v->asked->columns, at = v->asked->sort;
    const int to = (at < 0 ? (n < 0 ? all - 1 : 0) : at + n) % all;
    return sql_view_again(v, to < 0 ? to + all : to, false);
}

static unsigned sql_view_invert(struct view *v, int n)
{
    (void)n;
    if (!v->asked || v->asked->sort < 0)
        return move_fail(v, "the rows have the query's order: add an order by to the query");
    return sql_view_again(v, v->asked->sort, !v->asked->invert);
}

static unsigned sql_view_find(struct view *v, const char *text)
{
    struct asked *a = v->asked;
    struct match m;
    char why[VIEW_MESSAGE];
    if (!a || strcmp(text, a->find) == 0)
        return VR_DRAW;
    if (!a->pick && !(a->pick = mem_alloc((a->n + 1) * sizeof *a->pick)))
        return move_fail(v, "out of memory");
    if (text[0] && !match_init(&m, text, false, why, sizeof why))
        return move_fail(v, "%s", why);
    snprintf(a->find, sizeof a->find, "%s", text);
    a->npick = 0;
    for (uint32_t i = 0; text[0] && i < a->n; i++)
        if (match_str(&m, str_of(sql_view_line_of(a, i))))
            a->pick[a->npick++] = i;
    if (text[0])
        match_free(&m);
    tri_set_row(v, 0);
    if (text[0])
        view_message(v, false, "%u of %s%u rows", a->npick, a->more ? "the first " : "", a->n);
    return VR_DRAW;
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

/* ---- the view ------------------------------------------------------------------------------------------ */

static uint32_t sql_view_count(const struct view *v)
{
    return !v->asked ? 0 : v->asked->find[0] ? v->asked->npick : v->asked->n;
}

/* Which of all rows is the i-th that shows. */
static uint32_t sql_view_picked(const struct view *v, uint32_t i)
{
    return v->asked->find[0] ? v->asked->pick[i] : i;
}

static const char *sql_view_row_line(const struct view *v, uint32_t i)
{
    return sql_view_line_of(v->asked, sql_view_picked(v, i));
}

/* A line with its cells below those of others. */
static void sql_view_draw_line(struct grid *g, const struct asked *a, const char *line, int y, enum style s)
{
    struct text t = {0};
    const char *at = line;
    for (unsigned i = 0; i < COLUMNS; i++) {
        const size_t n = strcspn(at, (const char[]){APART, '\0'}), from = t.n;
        struct text cell = {0};
        text_clean(&cell, at, n, CELL);
        const size_t w = cell.n ? text_width(&cell, 0) : 0, pad = a->width[i] > w ? a->width[i] - w : 0;
        text_add(&t, "%s%*s%s", i ? "  " : "", a->right[i] ? (int)pad : 0, "", cell.p ? cell.p : "");
        text_free(&cell);
        text_pad(&t, from, a->width[i] + (i ? 2 : 0));
        at += n + 1;
        if (!at[-1])
            break;
    }
    if (t.p)
        (void)wrap_draw(g, 0, y, g->w, 1, s, str_of(t.p));
    text_free(&t);
}

static int sql_view_head_lines(const struct view *v, int rows)
{
    (void)rows;
    return v->asked ? 1 : 0;
}

static void sql_view_head(struct grid *g, struct view *v, int y, int n)
{
    if (n > 0)
        sql_view_draw_line(g, v->asked, v->asked->lines.p, y, STYLE_STATUS_KEY);
}

static void sql_view_row(struct grid *g, struct view *v, uint32_t i, int y, bool focus)
{
    const enum style s = focus ? STYLE_LANE_FOCUS : STYLE_NORMAL;
    if (focus)
        grid_fill(g, 0, y, g->w, 1, ' ', s);
    sql_view_draw_line(g, v->asked, sql_view_row_line(v, i), y, s);
}

/* The row under the cursor. */
static void sql_view_detail(struct text *t, const struct view *v, uint32_t i, int line)
{
    if (line == 1)
        for (const char *s = v->asked->pipe ? v->asked->pipe : v->asked->query; *s && t->n < 400; s++)
            text_raw(t, *s == '\n' ? " " : s, 1);
    for (const char *s = sql_view_row_line(v, i); line == 0 && *s; s++)
        text_raw(t, *s == APART ? " " : s, 1);
}

static unsigned sql_view_enter(struct view *v)
{
    const struct asked_row *r =
        v->at.row < sql_view_count(v) ? &v->asked->row[sql_view_picked(v, v->at.row)] : NULL;
    if (!r || r->kind == LANE_KINDS)
        return move_fail(v, "Enter can't go there: the row needs a column t0 or t, and one of g, p, m");
    const struct lane l = {r->kind, trace_find_lane(v->tr, r->kind, r->id)};
    if (l.i == NO_LANE)
        return move_fail(v, "nothing has this number");
    return tri_goto(v, l, r->t0, r->t1);
}

static bool sql_view_ready(const struct view *v)
{
    return v->asked != NULL;
}

static void sql_view_draw(struct grid *g, struct view *v, const struct plan *p)
{
    if (sql_view_ready(v))
        tri_draw(g, v, p);
    else
        tri_note(g, 0, p->y[ROW_LANES], p->n[ROW_LANES],
                 "Ask in SQL: :sql select name, sql_view_count(*), dur(sum(dur)) from wait group by name. "
                 "Tables and "
                 "columns: "
                 "gotop sql "
                 "--schema. Enter on a row with t0 and g goes there.");
}

static void sql_view_line(struct text *out, const struct view *v, uint32_t i)
{
    text_raw(out, sql_view_row_line(v, i), strlen(sql_view_row_line(v, i)));
}

static bool sql_view_tsv(const struct view *v, FILE *f)
{
    return v->asked && tri_tsv(v, f, v->asked->lines.p, sql_view_count(v), sql_view_line);
}

const struct view_kind kind_sql = {
    TIMELESS_PLAN,
    .has = sql_view_ready,
    .open = tri_open,
    .draw = sql_view_draw,
    .touch = tri_touch,
    .speak = tri_speak,
    .where = tri_where,
    .rows = sql_view_count,
    .head = sql_view_head,
    .head_lines = sql_view_head_lines,
    .row = sql_view_row,
    .detail = sql_view_detail,
    .enter = sql_view_enter,
    .ready = sql_view_ready,
    .tsv = sql_view_tsv,
    .refuse = "Enter goes to a row's place",
    .find = sql_view_find,
    .answer = {ANSWER_ROWS,
               ANSWER_SIDE(sql_view_sort), [REQ_SORT] = sql_view_sort, [REQ_INVERT] = sql_view_invert},
    .refusal = {REFUSE_ZOOM, REFUSE_SELECT},
    .word = {[REQ_LANE] = "row", ANSWER_SIDE("column"), [REQ_SORT] = NULL, [REQ_DETAILS] = "go there"},
};
