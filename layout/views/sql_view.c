/*
 * sql_view.c - the answer to `:sql SELECT ..` as a table (table.h) of one kind a row, whose columns are the
 * query's.
 */
#include "layout/views/sql_view.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"
#include "layout/views/table.h"
#include "triage/places.h"
#include "triage/query/goto.h"
#include "triage/sql/sql.h"

enum { CELL = 60, COLUMNS = 60 }; /* characters of a cell that show; columns */

struct asked_row {
    int64_t t0, t1;
    uint64_t id;
    enum lane_kind kind; /* LANE_KINDS: it is no place */
};
struct asked_cell {
    uint32_t at; /* its text in asked.text */
    bool real;   /* v holds a double's bits */
    int64_t v;
};
struct asked {
    struct text text; /* of the heads and the cells, each ended by a 0 */
    struct tcol col[COLUMNS];
    bool whole[COLUMNS]; /* a column of integers */
    int columns;
    struct asked_cell *cell;
    struct asked_row *row;
    size_t ncells, cap_cells, cap;
    uint32_t n;
    bool more; /* there were more rows */
    char *query;
};

void sql_view_free(struct asked *a)
{
    if (a) {
        text_free(&a->text);
        mem_free(a->cell);
        mem_free(a->row);
        mem_free(a->query);
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

/* Adds a text to those of the answer, and makes its column as wide. Returns where it is. */
static size_t sql_view_text(struct asked *a, int column, const char *p, size_t n)
{
    struct tcol *k = &a->col[column];
    const size_t from = a->text.n;
    text_clean(&a->text, p, n, 0);
    const size_t shown = text_width(&a->text, from), w = (shown < CELL ? shown : CELL) + (column ? 2 : 0);
    k->w = (int)w > k->w ? (int)w : k->w;
    text_raw(&a->text, "", 1);
    return from;
}

/* Returns what a text that begins with a digit is ordered by: "8.2ms", "12.5%". */
static double sql_view_amount(const char *s)
{
    char *end;
    const char *rest;
    int64_t ns;
    const double r = strtod(s, &end);
    return isalpha((unsigned char)*end) && goto_time(s, 1, &ns, &rest) && !*rest ? (double)ns : r;
}

static void sql_view_cell(struct asked *a, int column, const struct sql_cell *c)
{
    struct tcol *k = &a->col[column];
    char number[40] = "";
    double r = c->r;
    if (c->kind == SQL_INT)
        snprintf(number, sizeof number, "%" PRId64, c->i);
    else if (c->kind == SQL_REAL)
        snprintf(number, sizeof number, "%.6g", c->r);
    const bool is_text = c->kind == SQL_TEXT;
    const size_t at =
        sql_view_text(a, column, is_text ? c->s.p : number, is_text ? c->s.len : strlen(number));
    if (is_text) {
        k->kind = c->s.len && isdigit((unsigned char)c->s.p[0]) ? k->kind : TCOL_TEXT;
        r = k->kind == TCOL_CELL && a->text.p ? sql_view_amount(a->text.p + at) : 0;
    }
    struct asked_cell *to = &a->cell[a->ncells++];
    *to = (struct asked_cell){.at = (uint32_t)at, .real = is_text || c->kind == SQL_REAL, .v = c->i};
    to->v = c->kind == SQL_NULL ? INT64_MIN : to->v;
    if (to->real)
        memcpy(&to->v, &r, sizeof r);
    a->whole[column] &= !to->real;
}

static bool sql_view_collect(struct asked *a, struct sql_query *q, struct err *e)
{
    const struct columns_of k = {sql_view_column(q, "t0") >= 0 ? sql_view_column(q, "t0")
                                                               : sql_view_column(q, "t"),
                                 sql_view_column(q, "t1"),
                                 sql_view_column(q, "dur"),
                                 {sql_view_column(q, "g"), sql_view_column(q, "p"), sql_view_column(q, "m")}};
    bool row = true;
    size_t head[COLUMNS];
    a->columns = sql_width(q) < COLUMNS ? (int)sql_width(q) : COLUMNS;
    for (int i = 0; i < a->columns; i++) {
        a->whole[i] = true;
        a->col[i].kind = TCOL_CELL;
        head[i] = sql_view_text(a, i, sql_head(q, (unsigned)i).p, sql_head(q, (unsigned)i).len);
    }
    while (text_ok(&a->text) && sql_next(q, &row, e) == ERR_OK && row) {
        a->more = a->n == SQL_VIEW_ROWS || a->text.n > UINT32_MAX / 2;
        if (a->more || !mem_room(a->cell, a->cap_cells, a->ncells + (size_t)a->columns) ||
            !mem_add(a->row, a->cap, a->n, sql_view_place(q, &k)))
            break;
        for (int i = 0; i < a->columns; i++) {
            const struct sql_cell c = sql_cell(q, (unsigned)i);
            sql_view_cell(a, i, &c);
        }
    }
    for (int i = 0; i < a->columns && text_ok(&a->text); i++)
        a->col[i].head = a->col[i].what = a->text.p + head[i];
    return text_ok(&a->text) && (a->more || !row);
}

/* ---- asking -------------------------------------------------------------------------------------------- */

/* Asks the query. Returns false if it fails, as *e says, or when out of memory. */
static bool sql_view_answer(struct asked *a, const struct trace *tr, const char *text, struct err *e)
{
    struct sql *s;
    struct sql_query *q = NULL;
    size_t used;
    if (sql_open(tr, &s, e) != ERR_OK)
        return false;
    sql_time(s, SQL_VIEW_SECONDS * INT64_C(1000000000));
    bool ok = sql_query(s, text, strlen(text), &q, &used, e) == ERR_OK;
    if (ok && !q)
        ok = err_set(e, ERR_ARG, ERR_NO_OFFSET, "ask something: :sql select name, count(*) from span") ==
             ERR_OK;
    ok = ok && sql_view_collect(a, q, e);
    sql_end(q);
    sql_close(s);
    return ok;
}

/* After an error the old answer stays. */
static unsigned sql_view_take(struct view *v, const char *text)
{
    struct err e = {.offset = ERR_NO_OFFSET};
    struct asked *a = mem_zalloc(sizeof *a);
    const size_t n = strlen(text);
    if (!a || !(a->query = mem_alloc(n + 1)) || !sql_view_answer(a, v->tr, text, &e)) {
        if (e.offset != ERR_NO_OFFSET && e.offset < n)
            view_message(v, true, "SQL: %s, at '%.20s'", e.what, text + e.offset);
        else
            view_message(v, true, "SQL: %s", e.what[0] ? e.what : "out of memory");
        sql_view_free(a);
        return VR_DRAW | VR_BELL;
    }
    memcpy(a->query, text, n + 1);
    table_forget(v, VIEW_SQL);
    sql_view_free(v->asked);
    v->asked = a;
    const unsigned flags = view_show(v, VIEW_SQL);
    v->at.row = v->at.top = 0;
    if (a->more)
        view_message(v, false,
                     "the first %" PRIu32 " rows; an order by orders all, gotop sql --limit 0 prints all",
                     a->n);
    else
        view_message(v, false, "%s", "");
    return VR_DRAW | flags;
}

/* ---- queries of the reader's own: NAME.sql beside the keymaps ------------------------------------------ */

static void sql_view_add_name(void *arg, const char *name)
{
    struct text *t = arg;
    text_add(t, "%s", t->n ? ", " : "");
    text_clean(t, name, strlen(name), 40);
}

/* Returns its text, or NULL: there is none, or it can't be read and *why says so. */
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
        const unsigned f = sql_view_take(v, text);
        mem_free(text);
        return f;
    }
    places_list("sql", sql_view_add_name, &t);
    const unsigned f =
        move_fail(v, "%.40s: %s%s%.200s", name, why, t.n ? "; there are: " : "", t.n ? t.p : "");
    text_free(&t);
    return f;
}

unsigned sql_view_ask(struct view *v, const char *query)
{
    const struct trace_info *i = trace_info(v->tr);
    query += strspn(query, " ");
    const size_t n = strcspn(query, " ");
    if (!i->done || i->more)
        return move_fail(v, "SQL asks a trace that has been read to its end");
    if (n && !query[n + strspn(query + n, " ")]) /* one word is no query */
        return ask_own(v, query, n);
    return sql_view_take(v, query);
}

/* Returns whether an earlier table has a column of that name. */
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

/* ---- the table ----------------------------------------------------------------------------------------- */

static bool asked_take(struct table *t, struct view *v)
{
    t->own = v->asked;
    t->type_col = v->asked ? v->asked->col : NULL;
    t->ntype_cols = v->asked ? v->asked->columns : 0;
    t->cut = v->asked && v->asked->more;
    return v->asked != NULL;
}

static bool asked_list(struct table *t)
{
    const struct asked *a = t->own;
    for (uint32_t i = 0; i < a->n; i++) {
        const struct asked_row *r = &a->row[i];
        const uint32_t g = r->kind == LANE_G ? trace_find_lane(t->tr, LANE_G, r->id) : NO_LANE;
        if (!table_add(t, table_type(t, i, 0),
                       (struct thing){.t0 = r->t0, .t1 = r->t1, .g = g, .untimed = g == NO_LANE}))
            return false;
    }
    return true;
}

static const struct asked_cell *asked_at(const struct table *t, const struct ttype *k, int col)
{
    const struct asked *a = t->own;
    return &a->cell[k->a * (uint64_t)a->columns + (unsigned)col];
}

/* Numbers that aren't all integers are ordered as doubles are. */
static int64_t asked_value(const struct table *t, const struct ttype *k, int col)
{
    const struct asked_cell *c = asked_at(t, k, col);
    double r = (double)c->v;
    int64_t bits;
    if (((const struct asked *)t->own)->whole[col])
        return c->v;
    if (c->real)
        memcpy(&r, &c->v, sizeof r);
    memcpy(&bits, &r, sizeof r);
    return bits < 0 ? bits ^ INT64_MAX : bits;
}

static const char *asked_text(const struct table *t, const struct ttype *k, int col)
{
    return ((const struct asked *)t->own)->text.p + asked_at(t, k, col)->at;
}

static void asked_cell(struct text *out, const struct table *t, const struct ttype *k, int col)
{
    text_add(out, "%s", asked_text(t, k, col));
}

static void asked_name(struct text *out, const struct table *t, const struct ttype *k)
{
    for (int i = 0; i < t->ntype_cols; i++)
        text_add(out, "%s%s", i ? " " : "", asked_text(t, k, i));
}

static void asked_say(struct text *out, const struct view *v, const struct ttype *k, int line)
{
    if (line == 0)
        asked_name(out, v->table, k);
    for (const char *s = v->asked->query; line == 1 && *s && out->n < 400; s++)
        text_raw(out, *s == '\n' ? " " : s, 1);
}

static const struct table_from asked_rows = {
    .types = "rows",
    .none = "no rows",
    .nameless = true,
    .take = asked_take,
    .list = asked_list,
    .type_value = asked_value,
    .type_cell = asked_cell,
    .type_name = asked_name,
    .type_say = asked_say,
};

static unsigned sql_view_enter(struct view *v)
{
    const struct table *t = v->table;
    const struct asked_row *r = &v->asked->row[t->type[t->row[v->at.row]].a];
    if (r->kind == LANE_KINDS)
        return move_fail(v, "Enter can't go there: the row needs a column t0 or t, and one of g, p, m");
    const struct lane l = {r->kind, trace_find_lane(v->tr, r->kind, r->id)};
    if (l.i == NO_LANE)
        return move_fail(v, "nothing has this number");
    return tri_goto(v, l, r->t0, r->t1);
}

static bool sql_view_has(const struct view *v)
{
    return v->asked != NULL;
}

const struct view_kind kind_sql = {
    TABLE_ROWS(&asked_rows),
    .over = true,
    .has = sql_view_has,
    .open = table_open,
    .draw = table_draw,
    .none = "Ask in SQL: :sql select name, count(*), dur(sum(dur)) from wait group by name. Tables and "
            "columns: gotop sql --schema. Enter on a row with t0 and g goes there.",
    .enter = sql_view_enter,
    .pending = table_pending,
    .work = table_work,
    .refuse = "Enter goes to a row's place",
    .answer = {ANSWER_TABLE, ANSWER_SIDE(table_sort)},
    .refusal = {REFUSE_ZOOM, REFUSE_SELECT},
    .word = {[REQ_LANE] = "row", ANSWER_SIDE("column"), [REQ_SORT] = NULL, [REQ_DETAILS] = "go there"},
};
