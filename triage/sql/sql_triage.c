/*
 * sql_triage.c - the tables of what triage makes of a trace: work, branch, place, edge, verdict. It is
 * counted when a query first asks for one of them.
 */
#include "decode/base/mem.h"
#include "triage/sql/sql_priv.h"
#include "triage/tables/metrics.h"
#include "triage/work/work_text.h"

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

/* Returns all verdicts. Only this function knows where they come from. */
const struct findings *sql_findings(struct sql *s)
{
    struct err e;
    const struct triage *tg = sql_tables_of(s);
    if (tg && !s->has_fs)
        s->has_fs = findings_of(tg, &s->fs, &e) == ERR_OK;
    return s->has_fs ? &s->fs : NULL;
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
    mem_free(s->wf);
    if (s->has_fs)
        findings_free(&s->fs);
    triage_free(s->tg);
}

/* ---- work ---------------------------------------------------------------------------------------------- */

#define WORK(X) \
    X(W_WORK, "work", ID, NO, v_int(c->i), "its number: 0, 1, ..; those that count most first") \
    X(W_KIND, "kind", NAME, NO, v_word(work_kind_name(w->kind)), \
      "tasks, requests, items (of a loop that waits or pauses), goroutines, main") \
    X(W_NAME, "name", NAME, NO, v_str(w->name), "type of task, or start function") \
    X(W_HANDLER, "handler", NAME, NO, v_str(w->user), "the function of the user's that does it") \
    X(W_N, "n", COUNT, NO, v_id(w->n), "how many have both ends in the trace") \
    X(W_LOOKED, "looked", COUNT, NO, v_id(w->looked), \
      "of these: how many were looked at; the times are theirs") \
    X(W_OPEN, "open", COUNT, NO, v_id(w->open), "begun before the trace, or not ended in it") \
    X(W_TOTAL, "total_ns", NS, NO, v_int(w->total), "all n together") \
    X(W_MIN, "min_ns", NS, NO, v_int(w->d.min), "the shortest") \
    X(W_P50, "p50_ns", NS, NO, v_int(w->d.p50), "half are no longer") \
    X(W_P90, "p90_ns", NS, NO, v_int(w->d.p90), "nine of ten are no longer") \
    X(W_P99, "p99_ns", NS, NO, v_int(w->d.p99), "99 of 100 are no longer") \
    X(W_MAX, "max_ns", NS, NO, v_int(w->d.max), "the longest") \
    X(W_T0, "t0", NS, NO, v_if(w->looked, v_int(w->v[0].t0)), "the longest: when it began") \
    X(W_T1, "t1", NS, NO, v_if(w->looked, v_int(w->v[0].t1)), "and ended") \
    X(W_G, "g", ID, NO, v_if(w->looked, v_lane(s, LANE_G, w->v[0].g)), "its goroutine") \
    X(W_WEIGHT, "weight", REAL, NO, v_real(w->weight), "its part of their time; the largest has 1") \
    X(W_BACKGROUND, "background", BOOL, NO, v_int(w->background), "nobody waits for it") \
    X(W_INNER, "inner", BOOL, NO, v_int(w->inner), "its time is in another work's branches")
static bool work_begin(struct sql_cursor *c)
{
    const struct findings *fs = sql_findings(c->s);
    return fs && sql_rows_from(c, 0, fs->works.n);
}

SQL_CELLS(work, WORK, struct sql_row_cursor, const struct work *w = &s->fs.works.v[c->i])
SQL_TABLE(
    work, WORK, struct sql_row_cursor, work_begin, sql_rows_next,
    "What the program does again and again, as on the first page: one row a work, with its percentiles");

/* ---- branch -------------------------------------------------------------------------------------------- */

struct branch_cursor {
    struct sql_cursor c;
    uint32_t work, node;
};

/* Returns the average ns of a branch in one of the pieces of a set. */
static struct sql_value v_each(const struct work_tree *t, const struct tree_node *n, enum tree_set set)
{
    return v_if(t->pieces[set], v_int(n->ns[set] / (int64_t)t->pieces[set]));
}

#define BRANCH(X) \
    X(B_WORK, "work", ID, NO, v_int(c->work), "the work: work.work") \
    X(B_NODE, "node", ID, NO, v_int(c->node), "its number in that work's tree; 0: the whole") \
    X(B_UP, "up", ID, NO, v_if(c->node, v_int(n->up)), \
      "the branch that it is part of: who ended that wait did this meanwhile") \
    X(B_WHAT, "what", NAME, NO, v_if(c->node, v_word(node_word(n))), "running, lock, network ..") \
    X(B_FUNC, "func", NAME, NO, v_str(n->leaf), "the function that was called (LEAF)") \
    X(B_USER_FUNC, "user_func", NAME, NO, v_str(n->user), "the first function of the user's around it") \
    X(B_WHO, "who", NAME, NO, v_str(n->who), "start function of the goroutine whose time it is") \
    X(B_LET_GO, "let_go", NAME, NO, v_str(n->let_go), "the user's function that ended most of the wait") \
    X(B_PIECES, "pieces", COUNT, NO, v_int(n->pieces[TREE_ALL]), "how many of those looked at have it") \
    X(B_ALL, "all_ns", NS, NO, v_each(t, n, TREE_ALL), "its time in one, on average") \
    X(B_USUAL, "usual_ns", NS, NO, v_each(t, n, TREE_USUAL), "in a usual one; NULL: there is none") \
    X(B_SLOW, "slow_ns", NS, NO, v_each(t, n, TREE_SLOW), "in a slow one; NULL: there is none") \
    X(B_STACK, "stack", ID, NO, v_some(n->stack), "where the longest was") \
    X(B_T0, "t0", NS, NO, v_if(c->node, v_int(n->t0)), "the longest: when it began") \
    X(B_T1, "t1", NS, NO, v_if(c->node, v_int(n->t1)), "and ended") \
    X(B_G, "g", ID, NO, v_if(c->node, v_lane(s, LANE_G, n->g)), "its goroutine")
/* Goes to the node at hand, or to the first of the next work that has a tree. */
static bool branch_settle(struct branch_cursor *b)
{
    const struct works *all = &b->c.s->fs.works;
    for (; b->work < all->n && b->node >= all->v[b->work].tree.n; b->work++)
        b->node = 0;
    b->c.eof = b->work >= all->n;
    b->c.rowid = (int64_t)((uint64_t)b->work << 32 | b->node);
    return true;
}

static bool branch_begin(struct sql_cursor *c)
{
    struct branch_cursor *b = (struct branch_cursor *)c;
    b->work = b->node = 0;
    return sql_findings(c->s) && branch_settle(b);
}

static bool branch_next(struct sql_cursor *c)
{
    struct branch_cursor *b = (struct branch_cursor *)c;
    b->node++;
    return branch_settle(b);
}

SQL_CELLS(branch, BRANCH, struct branch_cursor, const struct work_tree *t = &s->fs.works.v[c->work].tree;
          const struct tree_node *n = &t->v[c->node])
SQL_TABLE(branch, BRANCH, struct branch_cursor, branch_begin, branch_next,
          "Where the time of each work goes, as its tree on the first page; what slow ones have more of");

/* ---- edge ---------------------------------------------------------------------------------------------- */

#define EDGE(X) \
    X(E_FROM, "waiter", NAME, NO, v_str(e->from), "start function of who waits") \
    X(E_TO, "waited_for", NAME, NO, (e->what == WF_GROUP) ? v_str(e->to) : v_word(waitfor_whom(e->what)), \
      "start function of who ended the waits; or: the network, a pipe, a timer ..") \
    X(E_GROUP, "is_group", BOOL, NO, v_int(e->what == WF_GROUP), "waited_for is a start function") \
    X(E_N, "n", COUNT, NO, v_id(e->count), "waits") \
    X(E_TOTAL, "total_ns", NS, NO, v_int(e->ns), "how long they took") \
    X(E_SHARE, "share", REAL, NO, v_real(e->share), "of the waiters' lives, 0 to 1") \
    X(E_AGAIN, "again", BOOL, NO, v_int(e->again), "more often than once in each of these lives") \
    X(E_T0, "t0", NS, NO, v_int(e->longest.t0), "the longest: when it began") \
    X(E_T1, "t1", NS, NO, v_int(e->longest.t1), "and ended") \
    X(E_G, "g", ID, NO, v_lane(s, LANE_G, e->longest.g), "its goroutine")
static bool edge_begin(struct sql_cursor *c)
{
    const struct waitfor *w = sql_waitfor(c->s);
    return w && sql_rows_from(c, 0, w->nedges);
}

SQL_CELLS(edge, EDGE, struct sql_row_cursor, const struct waitfor_edge *e = &s->wf->edge[c->i])
SQL_TABLE(edge, EDGE, struct sql_row_cursor, edge_begin, sql_rows_next,
          "Who waits for whom: groups of goroutines by start function, the most waited first");

/* ---- number -------------------------------------------------------------------------------------------- */

#define NUMBER(X) \
    X(N_NAME, "name", NAME, NO, v_word(metric_number((size_t)c->i)), \
      "as `gotop report --metrics` lists them") \
    X(N_VALUE, "value", REAL, NO, v_if(v.known, v_real(v.v)), "NULL: the trace does not have it") \
    X(N_UNIT, "unit", NAME, NO, v_word(unit[v.unit]), "count, ns, share (0 to 1), bytes")
static bool number_begin(struct sql_cursor *c)
{
    int64_t n = 0;
    while (metric_number((size_t)n))
        n++;
    return sql_findings(c->s) && sql_rows_from(c, 0, n);
}

static bool number_at(const struct sql *s, int64_t i, struct metric_value *v)
{
    const struct loaded l = {.tr = (struct trace *)(uintptr_t)s->tr, .tg = s->tg, .fs = s->fs};
    struct err e;
    return metric_get(&l, metric_number((size_t)i), v, &e) == ERR_OK;
}

static const char *const unit[] = {"count", "ns", "share", "bytes"};
SQL_CELLS(number, NUMBER, struct sql_row_cursor, struct metric_value v;
          if (column != N_NAME && !number_at(s, c->i, &v)) return v_own(NULL))
SQL_TABLE(number, NUMBER, struct sql_row_cursor, number_begin, sql_rows_next,
          "Single numbers of the whole trace, for conditions and to compare traces by");

/* ---- verdict ------------------------------------------------------------------------------------------- */

#define VERDICT(X) \
    X(V_RULE, "rule", NAME, NO, v_word(rule_id(f->v.rule)), "its kind: docs/RULES.md") \
    X(V_FAMILY, "family", NAME, NO, v_word(family_id(verdict_family(v))), "the family of that kind") \
    X(V_LEVEL, "level", NAME, NO, v_word(level_word(v->level)), "severe, warning or note") \
    X(V_KEY, "key", NAME, NO, v_word(f->key), \
      "its id: kind and subject, the same in another trace of the program if possible") \
    X(V_INFERRED, "inferred", BOOL, NO, v_int(f->inferred), "it rests on what a trace does not record") \
    X(V_SHARE, "share", REAL, NO, v_real(v->harm.share), \
      "of the time of the work that has it, or of the trace: 0 to 1") \
    X(V_USUAL, "usual_share", REAL, NO, \
      v_if(v->harm.work != NO_LANE, v_real(column == V_USUAL ? v->harm.usual : v->harm.slow)), \
      "of the time of usual ones; NULL: it is of no work") \
    X(V_SLOW, "slow_share", REAL, NO, \
      v_if(v->harm.work != NO_LANE, v_real(column == V_USUAL ? v->harm.usual : v->harm.slow)), \
      "of the time of slow ones; NULL: it is of no work") \
    X(V_HIT, "hit", COUNT, NO, v_id(v->harm.hit), "how many have it, of those looked at") \
    X(V_OF, "of", COUNT, NO, v_id(v->harm.of), "how many were looked at") \
    X(V_CLOCK, "clock_ns", NS, NO, v_int(f->severity_ns), "clock time it takes, at most") \
    X(V_TITLE, "title", NAME, NO, v_word(f->title), "in short") \
    X(V_TEXT, "text", NAME, NO, v_word(f->text), "one to three sentences with the numbers") \
    X(V_NEXT, "next", NAME, NO, v_word(f->next), "what to do") \
    X(V_WON_LO, "won_lo", REAL, NO, \
      v_if(v->gain.known, v_real(column == V_WON_LO ? v->gain.piece_lo : v->gain.piece_hi)), \
      "share of the time of each to be won, from; NULL: not told") \
    X(V_WON_HI, "won_hi", REAL, NO, \
      v_if(v->gain.known, v_real(column == V_WON_LO ? v->gain.piece_lo : v->gain.piece_hi)), "to") \
    X(V_T0, "t0", NS, NO, v_int(f->v.t0), "where to look") \
    X(V_T1, "t1", NS, NO, v_int(f->v.t1), "until when") \
    X(V_G, "g", ID, NO, v_if(f->lane.kind == LANE_G, v_lane(s, LANE_G, f->lane.i)), "at which goroutine") \
    X(V_P, "p", ID, NO, v_if(f->lane.kind == LANE_P, v_lane(s, LANE_P, f->lane.i)), "at which processor") \
    X(V_STACK, "stack", ID, NO, v_some(f->v.where.stack), "evidence") \
    X(V_FUNC, "func", NAME, NO, v_func(s, f->v.where.stack), "its innermost function") \
    X(V_USER_FUNC, "user_func", NAME, NO, v_user(s, f->v.where.stack), \
      "first function there outside the runtime and the standard library") \
    X(V_WHERE, "where_func", NAME, NO, v_str(v->where.user), "the function to look at; NULL: none") \
    X(V_HOLDER, "holder_func", NAME, NO, v_str(v->holder.at.user), \
      "where the one is that holds, serves or does what is waited for; NULL: none")
static bool verdict_begin(struct sql_cursor *c)
{
    const struct findings *fs = sql_findings(c->s);
    return fs && sql_rows_from(c, 0, fs->n);
}

SQL_CELLS(verdict, VERDICT, struct sql_row_cursor, const struct finding *f = &s->fs.f[c->i];
          const struct verdict *v = &f->v)
SQL_TABLE(verdict, VERDICT, struct sql_row_cursor, verdict_begin, sql_rows_next,
          "What stands out, as on the first page: warnings by severity, then notes");
