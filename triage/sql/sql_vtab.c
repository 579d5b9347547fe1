/*
 * sql_vtab.c - the tables of sql_tables.def as virtual tables of SQLite's: read-only, there without being
 * created.
 *
 * A plan is a text of two characters for each constraint that is handed down: which comparison, which column
 * ('A' on); behind '#' the columns that rows are grouped by.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "decode/base/host.h"
#include "decode/base/mem.h"
#include "triage/sql/sql_priv.h"

#define X(name) extern const struct sql_table sql_##name;
#include "triage/sql/sql_tables.def"
#undef X
const struct sql_table *const sql_tables[] = {
#define X(name) &sql_##name,
#include "triage/sql/sql_tables.def"
#undef X
};
const unsigned sql_ntables = sizeof sql_tables / sizeof *sql_tables;

struct sql_bound { /* what SQLite hands to connect() */
    struct sql *s;
    const struct sql_table *table;
};
struct vtab {
    sqlite3_vtab base;
    struct sql_bound b;
};

bool sql_stop(struct sql *s)
{
    s->late |= s->deadline && host_now() > s->deadline;
    return s->late;
}

/* ---- the plan ------------------------------------------------------------------------------------------ */

static int connect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **out, char **why)
{
    const struct sql_bound *b = aux;
    struct text t = {0};
    (void)argc, (void)argv, (void)why;
    text_lit(&t, "CREATE TABLE x(");
    for (unsigned i = 0; i < b->table->columns; i++) {
        const struct sql_column *c = &b->table->column[i];
        text_add(&t, "%s\"%s\" %s%s", i ? ", " : "", c->name,
                 c->unit == SQL_U_NAME   ? "TEXT"
                 : c->unit == SQL_U_REAL ? "REAL"
                                         : "INTEGER",
                 sql_hidden(c) ? " HIDDEN" : "");
    }
    text_lit(&t, ")");
    const bool trusted = b->s->trusted;
    b->s->trusted = true; /* it is asked whether this may be, too */
    int rc = text_ok(&t) ? sqlite3_declare_vtab(db, t.p) : SQLITE_NOMEM;
    b->s->trusted = trusted;
    text_free(&t);
    struct vtab *v = rc == SQLITE_OK ? mem_zalloc(sizeof *v) : NULL;
    if (v) {
        v->b = *b;
        *out = &v->base;
        (void)sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
    }
    return rc != SQLITE_OK ? rc : v ? SQLITE_OK : SQLITE_NOMEM;
}

static int disconnect(sqlite3_vtab *v)
{
    mem_free(v);
    return SQLITE_OK;
}

static char op_of(const struct sql_column *c, int op)
{
    const bool number = c->push != SQL_P_STATE && c->push != SQL_P_NAME;
    switch (op) {
    case SQLITE_INDEX_CONSTRAINT_EQ: return '=';
    case SQLITE_INDEX_CONSTRAINT_GT: return number ? '>' : 0;
    case SQLITE_INDEX_CONSTRAINT_GE: return number ? 'g' : 0;
    case SQLITE_INDEX_CONSTRAINT_LT: return number ? '<' : 0;
    case SQLITE_INDEX_CONSTRAINT_LE: return number ? 'l' : 0;
    default: return 0;
    }
}

/* Guesses the share of the rows that a constraint leaves, which decides the table that is looked at first. */
static double rows_share(const struct sql_column *c, char op)
{
    switch (c->push) {
    case SQL_P_ID: return op == '=' ? 1e-4 : .5;
    case SQL_P_T0:
    case SQL_P_T1: return op == '=' ? 1e-4 : .2;
    case SQL_P_DUR: return .2;
    case SQL_P_NAME: return .1;
    case SQL_P_STATE: return .5;
    default: return 1;
    }
}

/* Returns the operator if constraint i is handed down to the provider, else 0. Several states at once ("in")
 * are not, since SQLite would scan the table once for each. */
static char in_handed(const struct sql_table *t, sqlite3_index_info *in, int i)
{
    const int col = in->aConstraint[i].iColumn;
    if (col < 0 || t->column[col].push == SQL_P_NO || t->column[col].push == SQL_P_KEY ||
        !in->aConstraint[i].usable)
        return 0;
    const struct sql_column *c = &t->column[col];
    const char op = op_of(c, in->aConstraint[i].op);
    if (op && (c->push == SQL_P_STATE || c->push == SQL_P_NAME)) {
        const char *by = sqlite3_vtab_collation(in, i);
        if ((by && strcmp(by, "BINARY") != 0) || sqlite3_vtab_in(in, i, -1))
            return 0;
    }
    if (c->push == SQL_P_FROM || c->push == SQL_P_TO)
        return op == '=' ? op : 0;
    return op;
}

/* Returns whether SQLite drops most rows by a constraint that isn't handed down, so it has few to sort. */
static bool few_left(const struct sql_table *t, sqlite3_index_info *in)
{
    for (int i = 0; i < in->nConstraint; i++) {
        const int col = in->aConstraint[i].iColumn, op = in->aConstraint[i].op;
        const bool alike = op == SQLITE_INDEX_CONSTRAINT_EQ || op == SQLITE_INDEX_CONSTRAINT_LIKE ||
                           op == SQLITE_INDEX_CONSTRAINT_GLOB || op == SQLITE_INDEX_CONSTRAINT_IS;
        if (alike && in->aConstraint[i].usable &&
            (col < 0 || t->column[col].push == SQL_P_NO || t->column[col].push == SQL_P_KEY))
            return true;
    }
    return false;
}

/* Returns by what the table shall group its rows: SQLite wants it and the table can. The columns go to
 * by[]. */
static unsigned grouped(const struct sql_table *t, sqlite3_index_info *in, char *by)
{
    unsigned all = 0;
    if (!in->nOrderBy || in->nOrderBy > SQL_BY || sqlite3_vtab_distinct(in) < 1 ||
        sqlite3_vtab_distinct(in) > 2)
        return 0;
    for (int i = 0; i < in->nOrderBy; i++) {
        const int col = in->aOrderBy[i].iColumn;
        const enum sql_push push = col < 0 ? SQL_P_NO : t->column[col].push;
        all |= 1u << push;
        by[i] = (char)('A' + col);
        by[i + 1] = '\0';
    }
    if (!(all & ~t->groups))
        return all;
    const unsigned keys = SQL_GROUP(ID) | SQL_GROUP(NAME) | SQL_GROUP(STATE) | SQL_GROUP(KEY);
    return t->keyed && !(all & ~keys) && !few_left(t, in) ? SQL_GROUP(KEY) : 0;
}

static int best_index(sqlite3_vtab *base, sqlite3_index_info *in)
{
    const struct vtab *v = (const struct vtab *)base;
    const struct sql_table *t = v->b.table;
    double rows = t->rows ? t->rows(v->b.s, t) : 100, part = 1;
    char *plan = sqlite3_malloc(2 * in->nConstraint + 2 + SQL_BY);
    int n = 0;
    if (!plan)
        return SQLITE_NOMEM;
    for (int i = 0; i < in->nConstraint; i++) {
        const int col = in->aConstraint[i].iColumn;
        const enum sql_push push = col < 0 ? SQL_P_NO : t->column[col].push;
        const char op = in_handed(t, in, i);
        if (op) {
            plan[2 * n] = op;
            plan[2 * n + 1] = (char)('A' + col);
            in->aConstraintUsage[i].argvIndex = ++n;
            part *= rows_share(&t->column[col], op);
        } else if ((push == SQL_P_FROM || push == SQL_P_TO) &&
                   in->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_EQ && !in->aConstraint[i].usable) {
            sqlite3_free(plan); /* arguments that are not known yet */
            return SQLITE_CONSTRAINT;
        }
    }
    in->idxNum = (int)grouped(t, in, plan + 2 * n + 1);
    plan[2 * n] = in->idxNum & (int)SQL_GROUP(KEY) ? '#' : '\0';
    in->idxStr = plan;
    in->orderByConsumed = in->idxNum != 0;
    in->needToFreeIdxStr = 1;
    rows *= part;
    in->estimatedRows = (sqlite3_int64)(rows < 1 ? 1 : rows);
    in->estimatedCost = 2 + rows;
    return SQLITE_OK;
}

/* ---- bounds -------------------------------------------------------------------------------------------- */

static int64_t whole(double d, bool up)
{
    d = up ? ceil(d) : floor(d);
    return d >= 9223372036854775807.0 ? INT64_MAX : d <= -9223372036854775808.0 ? INT64_MIN : (int64_t)d;
}

/* Narrows a bound by a number. A text that is no number compares in ways of SQLite's own, so it sets none. */
static void bound(struct sql_where *w, enum sql_push push, char op, sqlite3_value *v)
{
    const int type = sqlite3_value_numeric_type(v);
    if (type != SQLITE_INTEGER && type != SQLITE_FLOAT)
        return;
    const bool real = type == SQLITE_FLOAT;
    const double d = real ? sqlite3_value_double(v) : 0;
    const int64_t i = real ? 0 : sqlite3_value_int64(v);
    int64_t lo = real ? whole(d, true) : i, hi = real ? whole(d, false) : i;
    if (op == '>' && (!real || (double)lo == d)) /* -0.0, 1e300: one too many is looked at */
        lo = real || lo == INT64_MAX ? lo : lo + 1;
    if (op == '<' && !real)
        hi = hi == INT64_MIN ? hi : hi - 1;
    if (op != '<' && op != 'l' && lo > w->lo[push])
        w->lo[push] = lo;
    if (op != '>' && op != 'g' && hi < w->hi[push])
        w->hi[push] = hi;
}

static bool bound_word(struct sql *s, struct sql_where *w, enum sql_push push, sqlite3_value *v)
{
    if (sqlite3_value_type(v) != SQLITE_TEXT)
        return true;
    const char *p = (const char *)sqlite3_value_text(v);
    const size_t n = (size_t)sqlite3_value_bytes(v);
    if (!p)
        return false;
    if (push == SQL_P_NAME)
        return sql_name(s, p, n, w);
    uint32_t set = 0;
    for (int st = 0; st < ST_COUNT; st++)
        if (strlen(state_name((enum state)st)) == n && memcmp(state_name((enum state)st), p, n) == 0)
            set |= 1u << st;
    w->states &= set;
    return true;
}

static bool where(struct sql_cursor *c, const char *plan, sqlite3_value **v)
{
    struct sql_where *w = &c->w;
    bool ok = true;
    *w = (struct sql_where){.states = UINT32_MAX, .name = SQL_ANY_NAME};
    for (int i = 0; i < SQL_PUSHES; i++) {
        w->lo[i] = INT64_MIN;
        w->hi[i] = INT64_MAX;
    }
    for (int i = 0; plan[2 * i] && plan[2 * i] != '#' && ok; i++) {
        const enum sql_push push = c->table->column[plan[2 * i + 1] - 'A'].push;
        if (sqlite3_value_type(v[i]) == SQLITE_NULL)
            w->none = true;
        else if (push == SQL_P_STATE || push == SQL_P_NAME)
            ok = bound_word(c->s, w, push, v[i]);
        else
            bound(w, push, plan[2 * i], v[i]);
    }
    for (int i = 0; i < SQL_PUSHES; i++)
        w->none |= w->lo[i] > w->hi[i];
    w->none |= !w->states;
    return ok;
}

/* ---- cursors ------------------------------------------------------------------------------------------- */

static int open_cursor(sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
    const struct vtab *v = (const struct vtab *)base;
    struct sql_cursor *c = mem_zalloc(v->b.table->cursor);
    if (!c)
        return SQLITE_NOMEM;
    c->s = v->b.s;
    c->table = v->b.table;
    *out = &c->base;
    return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
    sql_groups_free(((struct sql_cursor *)base)->groups);
    mem_free(base);
    return SQLITE_OK;
}

static int said(const struct sql_cursor *c, bool ok)
{
    return ok ? SQLITE_OK : c->s->late ? SQLITE_INTERRUPT : SQLITE_NOMEM;
}

static int filter(sqlite3_vtab_cursor *base, int number, const char *plan, int argc, sqlite3_value **argv)
{
    struct sql_cursor *c = (struct sql_cursor *)base;
    (void)argc;
    c->grouped = (unsigned)number;
    c->nby = 0;
    for (const char *by = plan ? strchr(plan, '#') : NULL; by && by[1]; by++)
        c->by[c->nby++] = (uint8_t)(by[1] - 'A');
    c->eof = false;
    if (!where(c, plan ? plan : "", argv))
        return said(c, false);
    if (c->w.none)
        c->eof = true;
    return said(c, c->eof || c->table->begin(c));
}

static int next(sqlite3_vtab_cursor *base)
{
    struct sql_cursor *c = (struct sql_cursor *)base;
    return said(c, c->table->next(c));
}

static int eof(sqlite3_vtab_cursor *base)
{
    return ((const struct sql_cursor *)base)->eof;
}

static int vtab_column(sqlite3_vtab_cursor *base, sqlite3_context *x, int i)
{
    struct sql_cursor *c = (struct sql_cursor *)base;
    const enum sql_push push = c->table->column[i].push;
    if (push == SQL_P_FROM || push == SQL_P_TO) {
        const int64_t lo = c->w.lo[push], hi = c->w.hi[push];
        if (lo == hi)
            sql_put_int(x, lo);
    } else {
        sql_put(x, c->s, c->table->cell(c, (unsigned)i));
    }
    return SQLITE_OK;
}

static int rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
    *out = ((const struct sql_cursor *)base)->rowid;
    return SQLITE_OK;
}

static const sqlite3_module module = {.xConnect = connect, /* no xCreate: each is there, by its name */
                                      .xBestIndex = best_index,
                                      .xDisconnect = disconnect,
                                      .xDestroy = disconnect,
                                      .xOpen = open_cursor,
                                      .xClose = close_cursor,
                                      .xFilter = filter,
                                      .xNext = next,
                                      .xEof = eof,
                                      .xColumn = vtab_column,
                                      .xRowid = rowid};

bool sql_rows_from(struct sql_cursor *base, int64_t i, int64_t n)
{
    struct sql_row_cursor *c = (struct sql_row_cursor *)base;
    base->rowid = c->i = i;
    c->n = n;
    base->eof = i >= n;
    return true;
}

bool sql_rows_next(struct sql_cursor *base)
{
    struct sql_row_cursor *c = (struct sql_row_cursor *)base;
    base->rowid = ++c->i;
    base->eof = c->i >= c->n;
    return true;
}

bool sql_vtabs(struct sql *s, const char *prefix)
{
    char name[64];
    if (!s->bound)
        s->bound = mem_zalloc(sql_ntables * sizeof *s->bound);
    for (unsigned i = 0; s->bound && i < sql_ntables; i++) {
        s->bound[i] = (struct sql_bound){s, sql_tables[i]};
        snprintf(name, sizeof name, "%s%s", prefix, sql_tables[i]->name);
        if (sqlite3_create_module_v2(s->db, name, &module, &s->bound[i], NULL) != SQLITE_OK)
            return false;
    }
    return s->bound != NULL;
}

void sql_vtabs_free(struct sql *s)
{
    mem_free(s->bound);
    s->bound = NULL;
}
