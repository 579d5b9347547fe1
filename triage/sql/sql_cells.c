/*
 * sql_cells.c - what cells are made of: names, ids, and time within mark phases and stops.
 */
#include <string.h>

#include "decode/base/hash.h"
#include "decode/base/mem.h"
#include "decode/base/utf8.h"
#include "triage/exports/export_out.h"
#include "triage/sql/sql_priv.h"
#include "triage/tables/stacks.h"

/* ---- names --------------------------------------------------------------------------------------------- */

/* Whether a string can be shown as it is. utf8_plain() accepts tabs. */
static bool is_plain(struct str s)
{
    return utf8_plain(s.p, s.len) && !memchr(s.p, '\t', s.len) && !memchr(s.p, '\r', s.len);
}

static bool plain_str(const struct sql *s, uint32_t str, struct str v)
{
    uint64_t *known = &s->checked[str / 64], *plain = &s->plain[str / 64];
    const uint64_t bit = UINT64_C(1) << (str & 63);
    if (!(*known & bit)) {
        *known |= bit;
        *plain |= is_plain(v) ? bit : 0;
    }
    return *plain & bit;
}

struct str sql_str(const struct sql *s, uint32_t str, struct text *t)
{
    struct str v = trace_str(s->tr, str);
    if (!v.len || plain_str(s, str, v))
        return v;
    t->n = 0;
    out_name(t, v, NULL);
    return (struct str){t->p, (uint32_t)t->n};
}

struct sql_value v_foreign(const char *text)
{
    struct text t = {0};
    out_name(&t, (struct str){text, (uint32_t)strlen(text)}, NULL);
    return v_own(text_take(&t));
}

enum { ALIKE = 5 }; /* strings with one hash that by_name holds: only a hostile trace has more */

/* Fill by_name with the strings by the text of their cells: its hash, and a number among those with it. */
static bool names_index(struct sql *s)
{
    struct text t = {0};
    bool ok = true;
    for (uint32_t i = 1, n = trace_nstr(s->tr); ok && i < n; i++) {
        const struct str v = sql_str(s, i, &t);
        const uint64_t hash = hash_bytes(v.p, v.len);
        uint32_t is = 0;
        for (unsigned k = 0; k < ALIKE && is != i && is != TAB_NONE; k++)
            is = tab_put(&s->by_name, hash, k, i);
        ok = text_ok(&t) && is != TAB_NONE;
    }
    text_free(&t);
    if (!ok)
        tab_free(&s->by_name);
    return ok;
}

bool sql_names(struct sql *s, const char *p, size_t n, struct sql_where *w)
{
    struct text t = {0};
    const uint64_t hash = hash_bytes(p, n);
    uint32_t row, k = 0, found = 0, name[ALIKE];
    bool ok = s->by_name.cap || names_index(s);
    for (; ok && k < ALIKE && (row = tab_get(&s->by_name, hash, k)) != TAB_NONE; k++) {
        const struct str v = sql_str(s, row, &t);
        ok = text_ok(&t);
        if (ok && v.len == n && memcmp(v.p, p, n) == 0)
            name[found++] = row;
    }
    text_free(&t);
    if (k == ALIKE) /* each row is checked */
        return ok;
    memcpy(w->name, name, found * sizeof *name);
    w->names = found;
    return ok;
}

const uint32_t *sql_canon(struct sql *s)
{
    const uint32_t n = trace_nstr(s->tr);
    struct text t = {0};
    if (s->canon)
        return s->canon;
    struct keyed_row *v = mem_alloc((n + 1) * sizeof *v);
    uint32_t *canon = mem_alloc((n + 1) * sizeof *canon);
    bool ok = v && canon;
    for (uint32_t i = 0; ok && i < n; i++) {
        const struct str c = sql_str(s, i, &t);
        v[i] = (struct keyed_row){hash_bytes(c.p, c.len), i};
    }
    ok = ok && text_ok(&t) && rows_sort(v, n);
    for (uint32_t i = 0, first = 0; ok && i < n; i++) {
        first = i && v[i].key == v[i - 1].key ? first : v[i].row;
        canon[v[i].row] = first;
    }
    text_free(&t);
    mem_free(v);
    if (ok)
        s->canon = canon;
    else
        mem_free(canon);
    return s->canon;
}

/* ---- lanes, stacks ------------------------------------------------------------------------------------- */

struct sql_value v_lane(const struct sql *s, enum lane_kind k, uint32_t i)
{
    return v_if(i != NO_LANE, v_id(trace_lane_who(s->tr, (struct lane){k, i}).id));
}

struct sql_value v_g_name(const struct sql *s, uint32_t g)
{
    return v_if(g != NO_LANE, v_str(trace_g_name(s->tr, g)));
}

struct sql_value v_func(const struct sql *s, uint32_t stack)
{
    return v_if(stack, v_str(trace_frame(s->tr, stack, 0).func));
}

struct sql_value v_user(const struct sql *s, uint32_t stack)
{
    return v_if(stack, v_str(stacks_user(s->tr, stack)));
}

/* A plain text is borrowed; it lives as long as the trace. */
static void put_str(sqlite3_context *x, const struct sql *s, uint32_t str)
{
    struct text t = {0};
    const struct str v = trace_str(s->tr, str);
    if (!v.len)
        return;
    if (plain_str(s, str, v)) {
        sqlite3_result_text(x, v.p, (int)v.len, SQLITE_STATIC);
    } else {
        out_name(&t, v, NULL);
        sql_put(x, s, v_own(text_take(&t)));
    }
}

void sql_put(sqlite3_context *x, const struct sql *s, struct sql_value v)
{
    switch (v.what) {
    case SQL_V_NULL: break;
    case SQL_V_INT: sqlite3_result_int64(x, v.n); break;
    case SQL_V_REAL: sqlite3_result_double(x, v.real); break;
    case SQL_V_STR: put_str(x, s, v.str); break;
    case SQL_V_WORD:
        if (v.word && *v.word)
            sqlite3_result_text(x, v.word, -1, SQLITE_STATIC);
        break;
    case SQL_V_OWN:
        if (*v.own)
            sqlite3_result_text(x, v.own, -1, mem_free);
        else
            mem_free(v.own);
        break;
    case SQL_V_NOMEM: sqlite3_result_error_nomem(x); break;
    }
}

uint64_t sql_key(const struct sql *s, struct sql_value v)
{
    switch (v.what) {
    case SQL_V_INT: return (uint64_t)v.n + 1;
    case SQL_V_STR: return s->canon[v.str]; /* of "": 0, as of NULL */
    case SQL_V_WORD: return v.word ? hash_bytes(v.word, strlen(v.word)) : 0;
    default: return 0;
    }
}

/* ---- states -------------------------------------------------------------------------------------------- */

enum state sql_state(const char *p, size_t n)
{
    static const struct {
        const char *word;
        enum state st;
    } also[] = {{"syscall", ST_SYSCALL},  {"blocked", ST_WAITING}, {"unknown", ST_UNKNOWN},
                {"assist", ST_ASSIST},    {"gc", ST_GC},           {"mark", ST_GC},
                {"stw", ST_STW},          {"runq", ST_RUNNABLE},   {"worker", ST_GCWORK},
                {"gc worker", ST_GCWORK}, {"sched", ST_SCHED},     {"scheduler", ST_SCHED}};
    for (int st = 0; st < ST_COUNT; st++)
        if (strlen(state_name((enum state)st)) == n && memcmp(state_name((enum state)st), p, n) == 0)
            return (enum state)st;
    for (size_t i = 0; i < sizeof also / sizeof *also; i++)
        if (strlen(also[i].word) == n && memcmp(also[i].word, p, n) == 0)
            return also[i].st;
    return ST_COUNT;
}
