/*
 * sql_cells.c - what cells are made of: names, ids, and time within mark phases and stops.
 */
#include <string.h>

#include "decode/base/rows.h"
#include "decode/base/hash.h"
#include "decode/base/mem.h"
#include "decode/base/utf8.h"
#include "triage/exports/export_out.h"
#include "triage/sql/sql_priv.h"
#include "triage/tables/stacks.h"

/* ---- names --------------------------------------------------------------------------------------------- */

/* Returns whether a string can be shown as it is. utf8_plain() accepts tabs. */
static bool shows_as_is(struct str s)
{
    return utf8_plain(s.p, s.len) && !memchr(s.p, '\t', s.len) && !memchr(s.p, '\r', s.len);
}

static bool plain_str(const struct sql *s, uint32_t str, struct str v)
{
    uint64_t *known = &s->checked[str / 64], *plain = &s->plain[str / 64];
    const uint64_t bit = UINT64_C(1) << (str & 63);
    if (!(*known & bit)) {
        *known |= bit;
        *plain |= shows_as_is(v) ? bit : 0;
    }
    return *plain & bit;
}

struct str sql_str(const struct sql *s, uint32_t str, struct text *t)
{
    struct str v = trace_str(s->tr, str);
    if (!v.len || plain_str(s, str, v))
        return v;
    t->n = 0;
    out_name(t, v);
    return (struct str){t->p, (uint32_t)t->n};
}

struct sql_value v_foreign(const char *text)
{
    struct text t = {0};
    out_name(&t, (struct str){text, (uint32_t)strlen(text)});
    return v_own(text_take(&t));
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
    if (!ok) {
        mem_free(v);
        mem_free(canon);
        return NULL;
    }
    s->by_text = v;
    return s->canon = canon;
}

bool sql_name(struct sql *s, const char *p, size_t n, struct sql_where *w)
{
    const uint64_t hash = hash_bytes(p, n);
    uint32_t at = 0;
    if (!sql_canon(s))
        return false;
    bisect(at, trace_nstr(s->tr), i, s->by_text[i].key < hash);
    if (at < trace_nstr(s->tr) && s->by_text[at].key == hash)
        w->name = s->by_text[at].row;
    else
        w->none = true;
    return true;
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
        out_name(&t, v);
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
