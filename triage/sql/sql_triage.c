/*
 * sql_triage.c - the tables of what triage makes of a trace: work, place, edge, verdict. It is counted when a
 * query first asks for one of them.
 */
#include <string.h>

#include "triage/sql/sql_priv.h"

enum { DIFFER_SPANS = 1000000 }; /* that may be looked at to tell what the slow pieces of one row have */

struct row_cursor {
    struct sql_cursor c;
    uint32_t i, n;
    bool differs; /* of work: d is this row's */
    struct instance_diff d;
};

/* ---- counted when first asked for ---------------------------------------------------------------------- */

const struct triage *sql_tables_of(struct sql *s)
{
    struct err e;
    enum triage_state st = TRIAGE_DONE;
    if (s->tg)
        return s->tg;
    if (triage_new(s->tr, &s->tg, &e) != ERR_OK)
        return NULL;
    while ((st = triage_step(s->tg, INT64_MAX)) == TRIAGE_MORE)
        continue;
    if (st == TRIAGE_NOMEM) {
        triage_free(s->tg);
        s->tg = NULL;
    }
    return s->tg;
}

/* What stands out. The one place that knows where verdicts come from. */
const struct findings *sql_findings(struct sql *s)
{
    struct err e;
    const struct triage *tg = sql_tables_of(s);
    if (tg && !s->has_fs)
        s->has_fs = findings_of(tg, &s->fs, &e) == ERR_OK;
    return s->has_fs ? &s->fs : NULL;
}

const struct instances_all *sql_instances(struct sql *s)
{
    const struct triage *tg = sql_tables_of(s);
    if (tg && !s->has_in)
        s->has_in = instances_all(tg, DIFFER_SPANS, &s->in);
    return s->has_in ? &s->in : NULL;
}

const struct waitfor *sql_waitfor(struct sql *s)
{
    const struct triage *tg = sql_tables_of(s);
    if (tg && !s->wf)
        s->wf = waitfor_new(tg);
    return s->wf;
}

void sql_triage_free(struct sql *s)
{
    waitfor_free(s->wf);
    if (s->has_in)
        instances_all_free(&s->in);
    if (s->has_fs)
        findings_free(&s->fs);
    triage_free(s->tg);
}

static bool rows_from(struct sql_cursor *base, bool made, uint32_t n)
{
    struct row_cursor *c = (struct row_cursor *)base;
    base->rowid = c->i = 0;
    c->n = n;
    c->differs = false;
    base->eof = n == 0;
    return made;
}

static bool row_next(struct sql_cursor *base)
{
    struct row_cursor *c = (struct row_cursor *)base;
    base->eof = ++c->i >= c->n;
    base->rowid = c->i;
    c->differs = false;
    return true;
}

static double some(struct sql *s)
{
    (void)s;
    return 100;
}

static void put_clean(sqlite3_context *x, const char *text)
{
    if (text && *text)
        sqlite3_result_text(x, text, -1, SQLITE_TRANSIENT);
}

/* ---- work ---------------------------------------------------------------------------------------------- */

#define WORK(X) \
    X(W_KIND, "kind", NAME, NO, \
      "task, region, group (whole goroutines), piece (of work), place (contended)") \
    X(W_NAME, "name", NAME, NO, "type of task, region; start function; function that waited") \
    X(W_WAIT, "wait", NAME, NO, "of a place: what for") \
    X(W_N, "n", COUNT, NO, "how many have both ends in the trace and were looked at") \
    X(W_OF, "of", COUNT, NO, \
      "how many there are (pieces, places: goroutines); more than were looked at: a sample") \
    X(W_OPEN, "open", COUNT, NO, "begun before the trace, or not ended in it") \
    X(W_TOTAL, "total_ns", NS, NO, "all together") \
    X(W_MIN, "min_ns", NS, NO, "the shortest") \
    X(W_P50, "p50_ns", NS, NO, "half are no longer") \
    X(W_P90, "p90_ns", NS, NO, "nine of ten are no longer") \
    X(W_P99, "p99_ns", NS, NO, "99 of 100 are no longer") \
    X(W_MAX, "max_ns", NS, NO, "the longest") \
    X(W_T0, "t0", NS, NO, "the longest: when it began") \
    X(W_T1, "t1", NS, NO, "and ended") \
    X(W_G, "g", ID, NO, "its goroutine") \
    X(W_USUAL, "usual_ns", NS, NO, "average of those around the median; NULL: too few, or all alike") \
    X(W_SLOW, "slow_ns", NS, NO, "average of the slowest tenth") \
    X(W_DIFFERS, "differs", NAME, NO, "what the slow ones do more of, in words")
enum { WORK(SQL_COLUMN_ID) };
static const struct sql_column work_columns[] = {WORK(SQL_COLUMN_ROW)};

static bool work_begin(struct sql_cursor *c)
{
    const struct instances_all *k = sql_instances(c->s);
    return rows_from(c, k, k ? k->in.n : 0);
}

static void put_differs(struct row_cursor *c, const struct instance_row *r, unsigned column,
                        sqlite3_context *x)
{
    const struct instances_all *k = &c->c.s->in;
    struct text t = {0};
    bool ok = true;
    if (!c->differs) { /* each row may look at as much, whichever was asked for before */
        explain_budget(k->x, DIFFER_SPANS);
        ok = c->differs = instances_differ(k->x, &k->in, r, &c->d);
    }
    if (ok && c->d.nusual && column == W_DIFFERS) {
        instance_diff_text(&t, c->c.s->tr, &c->d);
        ok = text_ok(&t);
        put_clean(x, t.p);
    } else if (ok && c->d.nusual) {
        sql_put_int(x, column == W_SLOW ? c->d.slow : c->d.usual);
    }
    if (!ok)
        sqlite3_result_error_nomem(x);
    text_free(&t);
}

static void work_cell(struct sql_cursor *base, unsigned column, sqlite3_context *x)
{
    struct row_cursor *c = (struct row_cursor *)base;
    const struct instances *in = &base->s->in.in;
    const struct instance_row *r = &in->row[c->i];
    const struct workpiece *worst = &in->one[r->at];
    switch (column) {
    case W_KIND: sql_put_word(x, instance_kind_id(r->kind)); break;
    case W_NAME: sql_put_str(x, base->s, r->name); break;
    case W_WAIT:
        if (r->kind == IN_PLACE)
            sql_put_word(x, wait_kind_name(r->wait));
        break;
    case W_N: sql_put_id(x, r->d.n); break;
    case W_OF: sql_put_id(x, r->of); break;
    case W_OPEN: sql_put_id(x, r->open); break;
    case W_TOTAL: sql_put_int(x, r->d.total); break;
    case W_MIN: sql_put_int(x, r->d.min); break;
    case W_P50: sql_put_int(x, r->d.p50); break;
    case W_P90: sql_put_int(x, r->d.p90); break;
    case W_P99: sql_put_int(x, r->d.p99); break;
    case W_MAX: sql_put_int(x, r->d.max); break;
    case W_T0: sql_put_int(x, worst->t0); break;
    case W_T1: sql_put_int(x, worst->t1); break;
    case W_G: sql_put_lane(x, base->s, LANE_G, worst->g); break;
    default: put_differs(c, r, column, x); break;
    }
}

const struct sql_table sql_work = {
    "work",
    "What the program does again and again: one row a population, with its percentiles",
    SQL_COLUMNS(work_columns),
    sizeof(struct row_cursor),
    some,
    work_begin,
    row_next,
    work_cell,
    0,
    NULL};

/* ---- place --------------------------------------------------------------------------------------------- */

#define PLACE(X) \
    X(L_REASON, "reason", NAME, NO, "why goroutines waited, as recorded") \
    X(L_KIND, "kind", NAME, NO, "what the stack adds (inferred)") \
    X(L_FUNC, "func", NAME, NO, "innermost function (LEAF)") \
    X(L_USER_FUNC, "user_func", NAME, NO, "first function outside the runtime and the standard library") \
    X(L_STACK, "stack", ID, NO, "the stack") \
    X(L_N, "n", COUNT, NO, "waits there") \
    X(L_OPEN, "open", COUNT, NO, "of these: not over when the trace ends") \
    X(L_TOTAL, "total_ns", NS, NO, "time waited there, of all goroutines") \
    X(L_MAX, "max_ns", NS, NO, "the longest of those that are over") \
    X(L_T0, "t0", NS, NO, "the longest: when it began") \
    X(L_T1, "t1", NS, NO, "and ended") \
    X(L_G, "g", ID, NO, "its goroutine")
enum { PLACE(SQL_COLUMN_ID) };
static const struct sql_column place_columns[] = {PLACE(SQL_COLUMN_ROW)};

static bool place_begin(struct sql_cursor *c)
{
    const struct triage *tg = sql_tables_of(c->s);
    return rows_from(c, tg, tg ? tg->nwaits : 0);
}

static void place_cell(struct sql_cursor *base, unsigned column, sqlite3_context *x)
{
    const struct sql *s = base->s;
    const struct wait_row *r = &s->tg->waits[((const struct row_cursor *)base)->i];
    switch (column) {
    case L_REASON: sql_put_str(x, s, r->reason); break;
    case L_KIND: sql_put_word(x, stacks_wait_name(s->tr, r->kind, r->stack)); break;
    case L_FUNC: sql_put_func(x, s, r->stack); break;
    case L_USER_FUNC: sql_put_user(x, s, r->stack); break;
    case L_STACK: sql_put_stack(x, r->stack); break;
    case L_N: sql_put_id(x, r->count); break;
    case L_OPEN: sql_put_id(x, r->open); break;
    case L_TOTAL: sql_put_int(x, r->total); break;
    case L_MAX: sql_put_int(x, r->longest_done); break;
    case L_T0: sql_put_int(x, r->longest.t0); break;
    case L_T1: sql_put_int(x, r->longest.t1); break;
    case L_G: sql_put_lane(x, s, LANE_G, r->longest.g); break;
    default: break;
    }
}

const struct sql_table sql_place = {
    "place",
    "Waits of the program's goroutines by reason and stack, the most waited first",
    SQL_COLUMNS(place_columns),
    sizeof(struct row_cursor),
    some,
    place_begin,
    row_next,
    place_cell,
    0,
    NULL};

/* ---- edge ---------------------------------------------------------------------------------------------- */

#define EDGE(X) \
    X(E_FROM, "waiter", NAME, NO, "start function of who waits") \
    X(E_TO, "waited_for", NAME, NO, \
      "start function of who ended the waits; or: the network, a pipe, a timer ..") \
    X(E_GROUP, "is_group", BOOL, NO, "waited_for is a start function") \
    X(E_N, "n", COUNT, NO, "waits") \
    X(E_TOTAL, "total_ns", NS, NO, "how long they took") \
    X(E_SHARE, "share", REAL, NO, "of the waiters' lives, 0 to 1") \
    X(E_AGAIN, "again", BOOL, NO, "more often than once in each of these lives") \
    X(E_KNOT, "knot", COUNT, NO, \
      "both wait for each other, directly or not: the knot's number; NULL: they don't") \
    X(E_T0, "t0", NS, NO, "the longest: when it began") \
    X(E_T1, "t1", NS, NO, "and ended") \
    X(E_G, "g", ID, NO, "its goroutine")
enum { EDGE(SQL_COLUMN_ID) };
static const struct sql_column edge_columns[] = {EDGE(SQL_COLUMN_ROW)};

static bool edge_begin(struct sql_cursor *c)
{
    const struct waitfor *w = sql_waitfor(c->s);
    return rows_from(c, w, w ? w->nedges : 0);
}

static void edge_cell(struct sql_cursor *base, unsigned column, sqlite3_context *x)
{
    const struct sql *s = base->s;
    const struct waitfor_edge *e = &s->wf->edge[((const struct row_cursor *)base)->i];
    switch (column) {
    case E_FROM: sql_put_str(x, s, e->from); break;
    case E_TO:
        if (e->what == WF_GROUP)
            sql_put_str(x, s, e->to);
        else
            sql_put_word(x, waitfor_whom(e->what));
        break;
    case E_GROUP: sql_put_int(x, e->what == WF_GROUP); break;
    case E_N: sql_put_id(x, e->count); break;
    case E_TOTAL: sql_put_int(x, e->ns); break;
    case E_SHARE: sqlite3_result_double(x, e->share); break;
    case E_AGAIN: sql_put_int(x, e->again); break;
    case E_KNOT:
        if (e->knot)
            sql_put_int(x, e->knot);
        break;
    case E_T0: sql_put_int(x, e->longest.t0); break;
    case E_T1: sql_put_int(x, e->longest.t1); break;
    case E_G: sql_put_lane(x, s, LANE_G, e->longest.g); break;
    default: break;
    }
}

const struct sql_table sql_edge = {
    "edge",
    "Who waits for whom: groups of goroutines by start function, the most waited first",
    SQL_COLUMNS(edge_columns),
    sizeof(struct row_cursor),
    some,
    edge_begin,
    row_next,
    edge_cell,
    0,
    NULL};

/* ---- verdict ------------------------------------------------------------------------------------------- */

#define VERDICT(X) \
    X(V_RULE, "rule", NAME, NO, "its kind: docs/RULES.md") \
    X(V_FAMILY, "family", NAME, NO, "the family of that kind") \
    X(V_LEVEL, "level", NAME, NO, "severe, warning or note") \
    X(V_KEY, "key", NAME, NO, \
      "its id: kind and subject, the same in another trace of the program if possible") \
    X(V_INFERRED, "inferred", BOOL, NO, "it rests on what a trace does not record") \
    X(V_SHARE, "share", REAL, NO, "of the time of the work that has it, or of the trace: 0 to 1") \
    X(V_USUAL, "usual_share", REAL, NO, "of the time of usual pieces; NULL: it is of no work") \
    X(V_SLOW, "slow_share", REAL, NO, "of the time of slow pieces; NULL: it is of no work") \
    X(V_HIT, "hit", COUNT, NO, "pieces of work that have it, of those looked at") \
    X(V_OF, "of", COUNT, NO, "how many were looked at") \
    X(V_CLOCK, "clock_ns", NS, NO, "clock time it takes, at most") \
    X(V_TITLE, "title", NAME, NO, "in short") \
    X(V_TEXT, "text", NAME, NO, "one to three sentences with the numbers") \
    X(V_NEXT, "next", NAME, NO, "what to do") \
    X(V_WON_LO, "won_lo", REAL, NO, "share of a piece's time to be won, from; NULL: not told") \
    X(V_WON_HI, "won_hi", REAL, NO, "to") \
    X(V_T0, "t0", NS, NO, "where to look") \
    X(V_T1, "t1", NS, NO, "until when") \
    X(V_G, "g", ID, NO, "at which goroutine") \
    X(V_P, "p", ID, NO, "at which processor") \
    X(V_STACK, "stack", ID, NO, "evidence") \
    X(V_FUNC, "func", NAME, NO, "its innermost function") \
    X(V_USER_FUNC, "user_func", NAME, NO, \
      "first function there outside the runtime and the standard library") \
    X(V_WHERE, "where_func", NAME, NO, "the function to look at; NULL: none") \
    X(V_HOLDER, "holder_func", NAME, NO, \
      "where the one is that holds, serves or does what is waited for; NULL: none")
enum { VERDICT(SQL_COLUMN_ID) };
static const struct sql_column verdict_columns[] = {VERDICT(SQL_COLUMN_ROW)};

static bool verdict_begin(struct sql_cursor *c)
{
    const struct findings *fs = sql_findings(c->s);
    return rows_from(c, fs, fs ? fs->n : 0);
}

static void verdict_cell(struct sql_cursor *base, unsigned column, sqlite3_context *x)
{
    const struct sql *s = base->s;
    const struct finding *f = &s->fs.f[((const struct row_cursor *)base)->i];
    const struct verdict *v = &f->v;
    switch (column) {
    case V_RULE: sql_put_word(x, rule_id(f->rule)); break;
    case V_KEY: put_clean(x, f->key); break;
    case V_FAMILY: sql_put_word(x, family_id(verdict_family(v))); break;
    case V_LEVEL:
        sql_put_word(x, v->level == LEVEL_SEVERE ? "severe" : v->level == LEVEL_WARN ? "warning" : "note");
        break;
    case V_INFERRED: sql_put_int(x, f->inferred); break;
    case V_SHARE: sqlite3_result_double(x, v->harm.share); break;
    case V_USUAL:
    case V_SLOW:
        if (v->harm.work != NO_LANE)
            sqlite3_result_double(x, column == V_USUAL ? v->harm.usual : v->harm.slow);
        break;
    case V_HIT: sql_put_id(x, v->harm.hit); break;
    case V_OF: sql_put_id(x, v->harm.of); break;
    case V_CLOCK: sql_put_int(x, f->severity_ns); break;
    case V_TITLE: put_clean(x, f->title); break;
    case V_TEXT: put_clean(x, f->text); break;
    case V_NEXT: put_clean(x, f->next); break;
    case V_WON_LO:
    case V_WON_HI:
        if (v->gain.known)
            sqlite3_result_double(x, column == V_WON_LO ? v->gain.piece_lo : v->gain.piece_hi);
        break;
    case V_T0: sql_put_int(x, f->t0); break;
    case V_T1: sql_put_int(x, f->t1); break;
    case V_G:
        if (f->lane.kind == LANE_G)
            sql_put_lane(x, s, LANE_G, f->lane.i);
        break;
    case V_P:
        if (f->lane.kind == LANE_P)
            sql_put_lane(x, s, LANE_P, f->lane.i);
        break;
    case V_STACK: sql_put_stack(x, f->stack); break;
    case V_FUNC: sql_put_func(x, s, f->stack); break;
    case V_USER_FUNC: sql_put_user(x, s, f->stack); break;
    case V_WHERE: sql_put_str(x, s, v->where.user); break;
    case V_HOLDER: sql_put_str(x, s, v->holder.at.user); break;
    default: break;
    }
}

const struct sql_table sql_verdict = {
    "verdict",
    "What stands out, as on the first page: warnings by severity, then notes",
    SQL_COLUMNS(verdict_columns),
    sizeof(struct row_cursor),
    some,
    verdict_begin,
    row_next,
    verdict_cell,
    0,
    NULL};
