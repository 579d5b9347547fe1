/*
 * sql_functions.c - SQL functions for questions about a trace.
 */
#include <math.h>
#include <string.h>

#include "triage/query/goto.h"
#include "triage/query/filter.h"
#include "triage/sql/sql_priv.h"

const struct sql_function sql_function_docs[] = {
    {"p(q, x)", "percentile of x over the group, q from 0 to 100, exact (nearest rank)"},
    {"hist(x)", "how many of the group lie in each decade of ns: '1us 12, 10us 340'"},
    {"bucket(x)", "the decade x lies in: the largest power of ten that is no larger; to group by"},
    {"overlap(a, b, c, d)", "ns that [a,b) and [c,d) have in common"},
    {"in_gc(t0, t1), in_gc(t)", "ns of [t0,t1) within mark phases; 1 if t lies in one, else 0"},
    {"in_stw(t0, t1), in_stw(t)", "the same of stops of the world"},
    {"ns('1.2ms')", "a time as it is typed elsewhere in gotop: 1.2s, 300ms, 40%, 14:03:22.5"},
    {"dur(x)", "ns in words: 1.23ms"},
    {"state('syscall')", "the name that column state has; an error if no state is called so"},
    {"at(t, 'g', id)",
     "'g17@1250000ns', a place: what `explain`, `--lane` and the viewer's `:` take; also of 'p' and 'm'"},
    {"link(t, 'g', id)",
     "'trace.out@1250000ns:g17', the same with its file: what `find` prints, and gotop opens"},
};
const unsigned sql_nfunctions = sizeof sql_function_docs / sizeof *sql_function_docs;

static struct sql *sql_of(sqlite3_context *x)
{
    return sqlite3_user_data(x);
}

static bool any_null(int n, sqlite3_value **v)
{
    for (int i = 0; i < n; i++)
        if (sqlite3_value_type(v[i]) == SQLITE_NULL)
            return true;
    return false;
}

static struct str text_arg(sqlite3_value *v)
{
    const char *p = (const char *)sqlite3_value_text(v);
    return (struct str){p ? p : "", p ? (uint32_t)sqlite3_value_bytes(v) : 0};
}

/* ---- of one row ---------------------------------------------------------------------------------------- */

static int64_t minus(int64_t a, int64_t b)
{
    int64_t r;
    return __builtin_sub_overflow(a, b, &r) ? INT64_MAX : r;
}

static void f_overlap(sqlite3_context *x, int n, sqlite3_value **v)
{
    int64_t t[4];
    if (any_null(n, v))
        return;
    for (int i = 0; i < 4; i++)
        t[i] = sqlite3_value_int64(v[i]);
    const int64_t a = t[0] > t[2] ? t[0] : t[2], b = t[1] < t[3] ? t[1] : t[3];
    sql_put_int(x, b > a ? minus(b, a) : 0);
}

static void covered_by(sqlite3_context *x, int n, sqlite3_value **v, enum band b)
{
    if (any_null(n, v))
        return;
    const int64_t t0 = sqlite3_value_int64(v[0]), one = t0 < INT64_MAX ? t0 + 1 : t0;
    sql_put_int(x, tri_in_band(sql_of(x)->tr, b, t0, n == 2 ? sqlite3_value_int64(v[1]) : one));
}

static void f_in_gc(sqlite3_context *x, int n, sqlite3_value **v)
{
    covered_by(x, n, v, BAND_GC);
}

static void f_in_stw(sqlite3_context *x, int n, sqlite3_value **v)
{
    covered_by(x, n, v, BAND_STW);
}

static void f_ns(sqlite3_context *x, int n, sqlite3_value **v)
{
    const char *why = NULL;
    int64_t ns;
    if (any_null(n, v))
        return;
    if (sqlite3_value_type(v[0]) == SQLITE_INTEGER) {
        sqlite3_result_value(x, v[0]);
        return;
    }
    if (goto_when(sql_of(x)->tr, text_arg(v[0]).p, &ns, &why))
        sql_put_int(x, ns);
    else
        sqlite3_result_error(x, why, -1);
}

static void f_dur(sqlite3_context *x, int n, sqlite3_value **v)
{
    struct text t = {.ticks = !trace_info(sql_of(x)->tr)->has_clock};
    if (any_null(n, v))
        return;
    text_dur(&t, sqlite3_value_int64(v[0]));
    sql_put(x, sql_of(x), v_own(text_take(&t)));
}

static void f_state(sqlite3_context *x, int n, sqlite3_value **v)
{
    if (any_null(n, v))
        return;
    const uint32_t named = states_named(text_arg(v[0]).p);
    if (named) /* "gc": of mark workers and assists, the first */
        sql_put(x, sql_of(x), v_word(state_name((enum state)__builtin_ctz(named))));
    else
        sqlite3_result_error(
            x,
            "state(): there is no such state; there are running, runnable, waiting, system call, "
            "not recorded, idle, looking for work, GC worker, mark assist, sweep",
            -1);
}

static void f_bucket(sqlite3_context *x, int n, sqlite3_value **v)
{
    int64_t b = 1;
    if (any_null(n, v))
        return;
    const int64_t ns = sqlite3_value_int64(v[0]);
    while (b <= ns / 10)
        b *= 10;
    sql_put_int(x, ns < 1 ? 0 : b);
}

/* Reads the lane of a place: a moment, 'g', 'p' or 'm', and an id. */
static bool lane_kind_of(sqlite3_context *x, sqlite3_value **v, enum lane_kind *k)
{
    const struct str lane = text_arg(v[1]);
    *k = lane.len != 1 ? LANE_KINDS : lane.p[0] == 'g' ? LANE_G : lane.p[0] == 'p' ? LANE_P : LANE_M;
    if (lane.len == 1 && strchr("gpm", lane.p[0]))
        return true;
    sqlite3_result_error(x, "at(t, lane, id), link(t, lane, id): the lane is 'g', 'p' or 'm'", -1);
    return false;
}

static void f_at(sqlite3_context *x, int n, sqlite3_value **v)
{
    char place[LINK_PLACE];
    enum lane_kind k;
    if (any_null(n, v) || !lane_kind_of(x, v, &k))
        return;
    link_place(place, sqlite3_value_int64(v[0]), k, (uint64_t)sqlite3_value_int64(v[2]));
    sqlite3_result_text(x, place, -1, SQLITE_TRANSIENT);
}

static void f_link(sqlite3_context *x, int n, sqlite3_value **v)
{
    struct text t = {0};
    enum lane_kind k;
    if (any_null(n, v) || !lane_kind_of(x, v, &k))
        return;
    link_add(&t, trace_info(sql_of(x)->tr)->path, sqlite3_value_int64(v[0]), k,
             (uint64_t)sqlite3_value_int64(v[2]));
    sql_put(x, sql_of(x), v_own(text_take(&t)));
}

/* ---- of a group ---------------------------------------------------------------------------------------- */

struct many { /* the values of a group, as integers that sort like the values */
    int64_t *v;
    sqlite3_uint64 n, cap;
    double q;
    bool real, wrong, failed;
};

/* Convert a real to an integer that sorts alike, and back. */
static int64_t real_key(double d)
{
    int64_t k;
    memcpy(&k, &d, sizeof k);
    return k < 0 ? k ^ INT64_MAX : k;
}

static double real_of(int64_t k)
{
    double d;
    k = k < 0 ? k ^ INT64_MAX : k;
    memcpy(&d, &k, sizeof d);
    return d;
}

static void many_add(struct many *m, sqlite3_value *v)
{
    const int type = sqlite3_value_numeric_type(v);
    if (m->n == m->cap) { /* allocated by SQLite, which counts it against the limit of the query */
        const sqlite3_uint64 cap = m->cap ? m->cap * 2 : 64;
        int64_t *more = sqlite3_realloc64(m->v, cap * sizeof *more);
        m->failed |= !more;
        if (!more)
            return;
        m->v = more;
        m->cap = cap;
    }
    if (type == SQLITE_FLOAT && !m->real) {
        for (sqlite3_uint64 i = 0; i < m->n; i++)
            m->v[i] = real_key((double)m->v[i]);
        m->real = true;
    }
    m->v[m->n++] = m->real ? real_key(sqlite3_value_double(v)) : sqlite3_value_int64(v);
}

static void p_step(sqlite3_context *x, int n, sqlite3_value **v)
{
    struct many *m = sqlite3_aggregate_context(x, sizeof *m);
    if (!m || any_null(n, v))
        return;
    m->q = sqlite3_value_double(v[0]);
    m->wrong |= !(m->q >= 0 && m->q <= 100);
    many_add(m, v[1]);
}

static void p_end(sqlite3_context *x)
{
    struct many *m = sqlite3_aggregate_context(x, 0);
    if (!m)
        return;
    if (m->wrong) {
        sqlite3_result_error(x, "p(q, x): q is a percentage, from 0 to 100", -1);
    } else if (m->failed) {
        sqlite3_result_error_nomem(x);
    } else if (m->n) {
        int64_t k = (int64_t)ceil(m->q / 100 * (double)m->n);
        k = k < 1 ? 1 : k > (int64_t)m->n ? (int64_t)m->n : k;
        ns_sort(m->v, m->n);
        if (m->real)
            sqlite3_result_double(x, real_of(m->v[k - 1]));
        else
            sql_put_int(x, m->v[k - 1]);
    }
    sqlite3_free(m->v);
}

enum { DECADES = 20 };
struct decades {
    int64_t n[DECADES]; /* [0]: below 1 */
};

static void hist_step(sqlite3_context *x, int n, sqlite3_value **v)
{
    struct decades *d = sqlite3_aggregate_context(x, sizeof *d);
    int i = 0;
    if (!d || any_null(n, v))
        return;
    for (int64_t ns = sqlite3_value_int64(v[0]); ns > 0; ns /= 10)
        i++;
    d->n[i]++;
}

static void hist_end(sqlite3_context *x)
{
    const struct decades *d = sqlite3_aggregate_context(x, 0);
    struct text t = {0};
    int64_t from = 1;
    for (int i = 0; d && i < DECADES; i++) {
        if (d->n[i]) {
            text_raw(&t, ", ", t.n ? 2 : 0);
            text_dur(&t, i ? from : 0);
            text_add(&t, " %lld", (long long)d->n[i]);
        }
        from = i && i < DECADES - 1 ? from * 10 : from;
    }
    sql_put(x, sqlite3_user_data(x), v_own(text_take(&t)));
}

bool sql_functions(struct sql *s)
{
    static const struct {
        const char *name;
        int args;
        void (*f)(sqlite3_context *, int, sqlite3_value **);
        void (*end)(sqlite3_context *); /* of an aggregate */
    } rows[] = {{"overlap", 4, f_overlap, NULL}, {"in_gc", 1, f_in_gc, NULL},   {"in_gc", 2, f_in_gc, NULL},
                {"in_stw", 1, f_in_stw, NULL},   {"in_stw", 2, f_in_stw, NULL}, {"ns", 1, f_ns, NULL},
                {"dur", 1, f_dur, NULL},         {"state", 1, f_state, NULL},   {"bucket", 1, f_bucket, NULL},
                {"at", 3, f_at, NULL},           {"link", 3, f_link, NULL},     {"p", 2, p_step, p_end},
                {"hist", 1, hist_step, hist_end}};
    const int how = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof rows / sizeof *rows; i++) {
        const bool group = rows[i].end != NULL;
        ok = sqlite3_create_function_v2(s->db, rows[i].name, rows[i].args, how, s, group ? NULL : rows[i].f,
                                        group ? rows[i].f : NULL, rows[i].end, NULL) == SQLITE_OK;
    }
    return ok;
}
