/*
 * diff.c - `gotop diff OLD NEW`, `gotop diff OLD.. -- NEW..`: what changed between runs of a program, as text
 * or as one JSON object; docs/REPORT.md describes it.
 *
 * The verdict comes first: what changed, with its cause, or that nothing did (claims.h). Findings, numbers
 * and works behind it are those of the first run of each side, since traces are read one after another and
 * only the first of each side stays; of the others their profiles do.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "decode/base/order.h"
#include "decode/base/door.h"
#include "decode/base/mem.h"
#include "triage/diff/claims.h"
#include "triage/json.h"
#include "triage/say.h"
#include "triage/options.h"
#include "triage/report/report.h"
#include "triage/findings/thresholds.h"

#define FAIL_MAX 64
#define SHORTEST 10000000 /* ns: nothing is claimed of shorter runs */
#define DIFF_SCHEMA "gotop.diff/2"

struct runs { /* of one side */
    const char *const *path;
    uint32_t npaths, n; /* n: of these are read */
    struct loaded first;
    struct profile p[RUNS_MAX];
    struct metric_value v[RUNS_MAX][FAIL_MAX]; /* for each condition */
};

struct job { /* too much for the stack */
    struct options o;
    struct condition cond[FAIL_MAX];
    struct runs r[2];
    struct claim v;
    const char *not_asked; /* why nothing is claimed of these runs; NULL: it is asked */
};

static void diff_job_free(struct job *j)
{
    for (int s = 0; j && s < 2; s++)
        for (uint32_t i = 0; i < j->r[s].n; i++)
            profile_free(&j->r[s].p[i]);
    mem_free(j);
}

/* ---- command line -------------------------------------------------------------------------------------- */

static const struct command command = {
    "diff", CMD_DIFF,
    "usage: gotop diff [options] OLD NEW\n       gotop diff [options] OLD.. -- NEW..\nWhat changed from one "
    "run of a program to another. With several runs per side it learns from them how far runs differ. Prints "
    "\"no meaningful change\" if two runs of one program may differ as much.\n",
    "Exit status: 0 fine, 1 a condition came true, 2 a trace can't be read, 3 only part of a trace could be "
    "read.\n"};

/* Without "--" there are two traces, one a side. */
static int diff_sides(struct job *j)
{
    const struct options *o = &j->o;
    if (!o->splits && o->noperands > 2)
        return say_failed("diff", o->operand[2],
                          "more than two traces: put -- between the old and the new ones");
    const uint32_t old = o->splits ? o->split : o->noperands > 0;
    j->r[0].path = o->operand;
    j->r[1].path = o->operand + old;
    j->r[0].npaths = old;
    j->r[1].npaths = o->noperands - old;
    each_of(r, j->r, 2)
        if (r->npaths > RUNS_MAX)
            return say_failed("diff", r->path[RUNS_MAX], "too many traces: at most 64 a side");
    return old && j->r[1].npaths ? -1 : options_lack(&command, old ? "NEW" : "OLD");
}

static int diff_parse(struct job *j, int argc, char **argv)
{
    struct options *o = &j->o;
    struct err e = {0};
    int status = options_read(&command, argc, argv, o);
    if (status < 0 && o->rules && thresholds_read(o->rules, &e) != ERR_OK)
        return say_failed("diff", "--rules", e.what);
    for (uint32_t i = 0; status < 0 && i < o->conditions.n; i++) {
        const char *s = o->conditions.v[i];
        if (strcmp(s, "change") != 0 && condition_parse(s, true, &j->cond[i], &e))
            return say_failed("diff", "--fail-if", e.what);
    }
    return status < 0 ? diff_sides(j) : status;
}

/* ---- reading ------------------------------------------------------------------------------------------- */

/* The first run of a side stays loaded. */
static int read_run(struct job *j, struct runs *r, const char *path)
{
    struct loaded l;
    struct err e = {0};
    const char *bad = NULL;
    if (load_file(path, &j->o.trace, j->o.quiet, &l, &e) != ERR_OK)
        return say_failed("diff", path, e.what);
    struct metric_value *v = r->v[r->n];
    if (profile_of(&l, &r->p[r->n++], &e) != ERR_OK)
        bad = path;
    else if (any_of(i, j->o.conditions.n,
                    j->cond[i].metric[0] && metric_get(&l, j->cond[i].metric, &v[i], &e) != ERR_OK))
        bad = "--fail-if";
    if (r->n == 1)
        r->first = l;
    else
        load_free(&l);
    return bad ? say_failed("diff", bad, e.what) : 0;
}

static int read_runs(struct job *j)
{
    int status = 0;
    each_of(r, j->r, 2)
        for (uint32_t i = 0; i < r->npaths && !status; i++)
            status = read_run(j, r, r->path[i]);
    return status;
}

static const char *not_asked(const struct runs r[2])
{
    for (int s = 0; s < 2; s++) {
        if (any_of(i, r[s].n, !r[s].p[i].has_clock))
            return "a trace has no clock rate: nothing can be called more or less";
        if (any_of(i, r[s].n, r[s].p[i].end < SHORTEST))
            return "a trace is shorter than 10 ms: chance alone moves everything";
    }
    return NULL;
}

static void claims_of(struct job *j)
{
    const struct side old = {j->r[0].p, j->r[0].n}, new = {j->r[1].p, j->r[1].n};
    verdict_of(&old, &new, &j->v);
    j->not_asked = not_asked(j->r);
    j->v.claimed = j->not_asked ? 0 : j->v.claimed;
}

/* ---- conditions ---------------------------------------------------------------------------------------- */

ORDER(cmp_value, struct metric_value, LEAST(r->known) LEAST(r->v))

/* Computes the median of the runs' values; known only if all runs have it. */
static struct metric_value median_of(const struct runs *r, uint32_t cond)
{
    struct metric_value v[RUNS_MAX] = {{0}}, m;
    for (uint32_t i = 0; i < r->n; i++)
        v[i] = r->v[i][cond];
    sort(v, r->n, cmp_value);
    m = v[r->n / 2];
    m.v = r->n % 2 ? m.v : (m.v + v[r->n / 2 - 1].v) / 2;
    m.known = v[0].known;
    return m;
}

/* Says whether the condition is true. */
static bool diff_judge(const struct job *j, uint32_t i, struct text *t)
{
    const struct condition *c = &j->cond[i];
    if (!c->metric[0]) { /* "change" */
        text_add(t, "%s change: %u\n", j->v.claimed ? "FAILED" : "passed", j->v.claimed);
        return j->v.claimed > 0;
    }
    const struct metric_value x = median_of(&j->r[0], i), y = median_of(&j->r[1], i);
    const double v = !c->relative  ? y.v
                     : !c->percent ? y.v - x.v
                     : x.v > 0     ? y.v / x.v - 1
                     : y.v > 0     ? INFINITY
                                   : 0;
    const bool hit = y.known && (x.known || !c->relative) && condition_holds(c, v);
    text_say(t, NULL, hit ? "FAILED" : "passed", " ", t_clean(j->o.conditions.v[i]), ": ");
    diff_change(t, &x, &y);
    text_lit(t, "\n");
    return hit;
}

/* ---- the page ------------------------------------------------------------------------------------------ */

static void side_text(struct text *t, const char *what, const struct runs *r)
{
    text_add(t, "  %s ", what);
    text_tail(t, r->first.path, strlen(r->first.path), 70);
    if (r->n > 1)
        text_add(t, " and %u more run%s", r->n - 1, r->n == 2 ? "" : "s");
    text_lit(t, "\n");
}

/* Adds the factor of what is claimed, but not for what was nearly nothing: there it is one over the floor,
 * and no ratio of the two values. */
static void factor_text(struct text *t, const struct change *c)
{
    const bool counts =
        c->kind == MK_CALL || c->kind == MK_TAKE || c->kind == MK_STOP || (c->kind == MK_GC && c->count.sure);
    const struct moved *m = counts ? &c->count : &c->time;
    const double plain = m->old > 0 ? m->new / m->old : 0;
    const bool less = m->factor < 1;
    if (plain > 0 && m->high > m->low && m->low > 0 && fabs(log(plain / m->factor)) < 0.7)
        text_add(t, "; %.4g times %s (99%%: %.4g .. %.4g)", less ? 1 / m->factor : m->factor,
                 less ? "less" : "as much", less ? 1 / m->high : m->low, less ? 1 / m->low : m->high);
}

static void verdict_text(struct text *t, const struct job *j)
{
    const struct claim *v = &j->v;
    text_lit(t, "\nVERDICT\n");
    if (j->not_asked) {
        text_add(t, "  none: %s\n", j->not_asked);
        return;
    }
    const bool other_pace = v->pace < 0.67 || v->pace > 1.5;
    const char *const paced = v->by_work ? "work is done" : "waits and calls come";
    if (v->claimed == 0) { /* a value relative to the pace says nothing about the pace itself */
        if (other_pace) {
            text_add(t,
                     "  another pace: %s %.2f times as often as before: the load,\n"
                     "  the host, or how soon each is answered has changed\n",
                     paced, v->pace);
        }
        text_add(t, "  %sno meaningful change, of %u measures: two runs of one program may differ as much\n",
                 other_pace ? "beside that " : "", v->n);
    }
    for (uint32_t i = 0; i < v->claimed; i++) {
        text_lit(t, "! ");
        change_text(t, &v->c[i]);
        factor_text(t, &v->c[i]);
        text_lit(t, "\n");
    }
    if (v->claimed == 0 && v->n) {
        text_lit(t, "  what moved most: ");
        change_text(t, &v->c[0]);
        text_lit(t, "\n");
    }
    if (v->claimed && other_pace)
        text_add(t, "  pace: %s %.2f times as often as before\n", paced, v->pace);
    if (j->r[0].n == 1 || j->r[1].n == 1)
        text_lit(t, "  with several runs a side (gotop diff OLD.. -- NEW..) smaller changes show\n");
}

static int diff_page(const struct job *j, struct text *t)
{
    const struct runs *const r = j->r;
    int status = 0;
    for (int s = 0; s < 2; s++)
        status = any_of(i, r[s].n, r[s].p[i].partial) ? 3 : status;
    if (!j->o.json) {
        text_lit(t, "gotop diff\n");
        side_text(t, "old:", &r[0]);
        side_text(t, "new:", &r[1]);
        if (status)
            text_lit(t, "PARTIAL: part of a trace is missing; numbers are for what is there\n");
        verdict_text(t, j);
        if (r[0].n > 1 || r[1].n > 1)
            text_lit(t, "\nFindings, numbers and works are of the first run of each side.\n");
        diff_tables(t, &r[0].first, &r[1].first);
    }
    for (uint32_t i = 0; i < j->o.conditions.n; i++) {
        struct text line = {.ascii = true};
        if (diff_judge(j, i, &line))
            status = 1;
        text_raw(t, "\n", !j->o.json && i == 0);
        if (j->o.json)
            door_printf(stderr, "%s", line.p ? line.p : "");
        else
            text_raw(t, line.p ? line.p : "", line.n);
        text_free(&line);
    }
    return status;
}

/* ---- as JSON ------------------------------------------------------------------------------------------- */

static void out_runs(json_t *root, const char *key, const struct runs *r)
{
    json_t *arr = json_list(root, key);
    each_of(p, r->p, r->n)
        json_row(arr, NULL, "path", r->path[p - r->p], "duration_ns", p->end, "partial", p->partial);
}

static json_t *out_moved(const struct moved *m)
{
    return json_put(json_object(), NULL, "old", m->old, "new", m->new, "factor", m->factor, "low", m->low,
                    "high", m->high, "sure", m->sure);
}

static void out_changes(json_t *root, const char *key, const struct claim *v, uint32_t from, uint32_t to)
{
    static const char *const kind_word[MK_KINDS] = {"work", "collector", "lock",        "hand-over",
                                                    "stop", "running",   "system call", "wait"};
    json_t *arr = json_list(root, key);
    for (uint32_t i = from; i < to; i++) {
        const struct change *c = &v->c[i];
        struct text t = {0};
        change_text(&t, c);
        if (!text_ok(&t))
            json_fail();
        json_row(arr, NULL, "kind", kind_word[c->kind], "name", c->name, "per_second", out_moved(&c->count),
                 c->kind == MK_WORK ? "seconds_each" : "share", out_moved(&c->time), "text", t.p, "held_in",
                 c->held, "why", c->why);
        text_free(&t);
    }
}

static json_t *old_new(int64_t old, int64_t new)
{
    return json_put(json_object(), NULL, "old", old, "new", new);
}

static void diff_out_work(void *arg, const struct diff_work *d)
{
    const struct work *o = d->w[0], *w = d->w[1];
    json_t *r = json_row(arg, d->tr, "kind", work_kind_name(w->kind), "name", j_str(w->name), "handler",
                         j_str(w->user ? w->user : w->name), "count", old_new((int64_t)o->n, (int64_t)w->n),
                         "p50_ns", old_new(o->d.p50, w->d.p50), "p99_ns", old_new(o->d.p99, w->d.p99),
                         "avg_ns", old_new(dist_avg(&o->d), dist_avg(&w->d))),
           *parts = json_list(r, "parts");
    each_of(p, d->v, d->n)
        json_row(parts, NULL, "what", p->what, "func", p->func, "ns", old_new(p->ns[0], p->ns[1]));
}

static char *diff_json(const struct job *j)
{
    const struct loaded *a = &j->r[0].first, *b = &j->r[1].first;
    const struct claim *v = &j->v;
    const char *word = j->not_asked ? "not asked" : v->claimed ? "changed" : "no meaningful change";
    json_t *root = json_begin();
    json_put(root, NULL, "schema", DIFF_SCHEMA);
    out_runs(root, "old", &j->r[0]);
    out_runs(root, "new", &j->r[1]);
    json_put(root, NULL, "verdict", word, "because", j->not_asked, "pace", v->pace);
    out_changes(root, "changes", v, 0, v->claimed);
    out_changes(root, "unchanged", v, v->claimed, v->n);
    if (!diff_works_each(a, b, diff_out_work, json_list(root, "works")))
        json_fail();
    return json_end(root, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

static int diff_compare(struct job *j)
{
    struct text t = {.ascii = !j->o.utf8 && !j->o.json};
    claims_of(j);
    if (j->o.json) {
        text_own(&t, diff_json(j));
        text_lit(&t, "\n");
    }
    int status = diff_page(j, &t);
    if (say_answer("diff", j->o.json, j->o.out, &t))
        status = 2;
    text_free(&t);
    return status;
}

enum err_code diff_two(const struct loaded *old, const struct loaded *new, struct text *t, struct err *e)
{
    const struct loaded *const l[2] = {old, new};
    struct job *j = mem_zalloc(sizeof *j);
    enum err_code rc = j ? ERR_OK : ERR_NOMEM;
    for (int s = 0; s < 2 && !rc; s++) {
        struct runs *r = &j->r[s];
        r->first = *l[s];
        rc = profile_of(l[s], &r->p[r->n++], e);
    }
    if (!rc) {
        claims_of(j);
        (void)diff_page(j, t);
    }
    diff_job_free(j);
    return !rc && text_ok(t) ? ERR_OK
                             : err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory for the comparison");
}

int diff_main(int argc, char **argv)
{
    struct job *j = mem_zalloc(sizeof *j);
    int status = j ? diff_parse(j, argc, argv) : say_failed("diff", "diff", "out of memory");
    if (status < 0) {
        status = read_runs(j);
        status = status ? status : diff_compare(j);
        load_free(&j->r[0].first);
        load_free(&j->r[1].first);
    }
    diff_job_free(j);
    return status;
}
