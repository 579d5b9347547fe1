/*
 * sql_save.c - write all tables to a plain SQLite file.
 */
#include <string.h>

#include "triage/sql/sql_priv.h"

static bool argument(const struct sql_column *c)
{
    return c->push == SQL_P_FROM || c->push == SQL_P_TO;
}

/* Run a statement of our own; its first parameter, if any, is the trace's name. */
static bool run_own(struct sql *s, const struct text *t, const char *trace)
{
    sqlite3_stmt *st = NULL;
    bool ok = text_ok(t) && sqlite3_prepare_v2(s->db, t->p, (int)t->n, &st, NULL) == SQLITE_OK;
    if (ok && sqlite3_bind_parameter_count(st))
        ok = sqlite3_bind_text(st, 1, trace, -1, SQLITE_STATIC) == SQLITE_OK;
    ok = ok && sqlite3_step(st) == SQLITE_DONE;
    return sqlite3_finalize(st) == SQLITE_OK && ok;
}

static bool save_table(struct sql *s, const struct sql_table *b, const char *trace, bool more)
{
    struct text make = {0}, put = {0};
    text_add(&make, "CREATE TABLE \"%s\"(trace TEXT", b->name);
    text_add(&put, "INSERT INTO \"%s\" SELECT ?1", b->name);
    for (unsigned i = 0; i < b->columns; i++) {
        const struct sql_column *c = &b->column[i];
        if (argument(c))
            continue;
        text_add(&make, ", \"%s\" %s", c->name,
                 c->unit == SQL_U_NAME   ? "TEXT"
                 : c->unit == SQL_U_REAL ? "REAL"
                                         : "INTEGER");
        text_add(&put, ", \"%s\"", c->name);
    }
    text_lit(&make, ")");
    text_add(&put, " FROM live_%s", b->name);
    const bool ok = (more || run_own(s, &make, trace)) && run_own(s, &put, trace);
    text_free(&make);
    text_free(&put);
    return ok;
}

enum err_code sql_save(const struct trace *tr, int fd, const char *trace, bool more, struct err *e)
{
    static const char settings[] =
        "PRAGMA journal_mode=memory; PRAGMA synchronous=off; PRAGMA locking_mode=exclusive; "
        "BEGIN";
    struct text name = {0};
    struct sql *s;
    enum err_code c = sql_open_at(tr, fd, &s, e);
    if (c != ERR_OK)
        return c;
    text_clean(&name, trace, strlen(trace), 0);
    bool ok = text_ok(&name) && sqlite3_exec(s->db, settings, NULL, NULL, NULL) == SQLITE_OK;
    for (unsigned i = 0; ok && i < sql_ntables; i++)
        if (strcmp(sql_tables[i]->name, "tick") != 0)
            ok = save_table(s, sql_tables[i], name.p ? name.p : "", more);
    ok = ok && sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK;
    if (!ok) {
        const bool memory = sqlite3_errcode(s->db) == SQLITE_NOMEM || !text_ok(&name);
        c = err_set(e, memory ? ERR_NOMEM : ERR_IO, ERR_NO_OFFSET, "%s",
                    memory ? "out of memory for the tables" : sqlite3_errmsg(s->db));
    }
    text_free(&name);
    sql_close(s);
    return c;
}
