/*
 * diff.c - `gotop diff OLD NEW`, `gotop diff OLD.. -- NEW..`: what changed between runs of a program.
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
#include "triage/diff/diff_parts.h"
#include "triage/say.h"
#include "triage/options.h"
#include "triage/report/report.h"
#include "triage/findings/thresholds.h"
#include "triage/text.h"

#define FAIL_MAX 64
#define RUNS_MAX 64
#define SHORTEST 10000000 /* ns: nothing is claimed of shorter runs */

struct job {
    struct options o;
    const char *const *path[2];
    uint32_t npaths[2];
    struct condition cond[FAIL_MAX];
};

struct runs { /* of one side */
    struct loaded first;
    struct profile *p;
    struct metric_value *v; /* of each run, for each condition */
    uint32_t n;
    bool has_clock;
};

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
    j->path[0] = o->operand;
    j->path[1] = o->operand + old;
    j->npaths[0] = old;
    j->npaths[1] = o->noperands - old;
    for (int s = 0; s < 2; s++)
        if (j->npaths[s] > RUNS_MAX)
            return say_failed("diff", j->path[s][RUNS_MAX], "too many traces: at most 64 a side");
    return j->npaths[0] && j->npaths[1] ? -1 : options_lack(&command, j->npaths[0] ? "NEW" : "OLD");
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

static int read_run(const struct job *j, const char *path, struct runs *r)
{
    struct loaded l;
    struct err e = {0};
    int status = 0;
    if (load_file(path, &j->o.trace, j->o.quiet, &l, &e) != ERR_OK)
        return say_failed("diff", path, e.what);
    if (profile_of(&l, &r->p[r->n], &e) != ERR_OK) {
        status = say_failed("diff", path, e.what);
        profile_free(&r->p[r->n]);
    } else {
        r->has_clock &= trace_info(l.tr)->has_clock;
        struct metric_value *v = r->v + (size_t)r->n * j->o.conditions.n;
        if (any_of(i, j->o.conditions.n,
                   j->cond[i].metric[0] && metric_get(&l, j->cond[i].metric, &v[i], &e) != ERR_OK))
            status = say_failed("diff", "--fail-if", e.what);
        r->n++;
    }
    if (r->n == 1 && !r->first.tr && status == 0)
        r->first = l;
    else
        load_free(&l);
    return status;
}

static int read_side(const struct job *j, int side, struct runs *r)
{
    uint32_t n = j->npaths[side];
    *r = (struct runs){.has_clock = true};
    r->p = mem_zalloc(n * sizeof *r->p);
    r->v = mem_zalloc(((size_t)n * j->o.conditions.n + 1) * sizeof *r->v);
    if (!r->p || !r->v)
        return say_failed("diff", "diff", "out of memory");
    for (uint32_t i = 0; i < n; i++) {
        int status = read_run(j, j->path[side][i], r);
        if (status)
            return status;
    }
    return 0;
}

static void runs_free(struct runs *r)
{
    for (uint32_t i = 0; i < r->n; i++)
        profile_free(&r->p[i]);
    mem_free(r->p);
    mem_free(r->v);
    load_free(&r->first);
}

/* ---- conditions ---------------------------------------------------------------------------------------- */

ORDER(cmp_value, struct metric_value, LEAST(r->known) LEAST(r->v))

/* Computes the median of the runs' values; known only if all runs have it. */
static struct metric_value median_of(const struct job *j, const struct runs *r, uint32_t cond)
{
    struct metric_value v[RUNS_MAX] = {{0}}, m;
    for (uint32_t i = 0; i < r->n; i++)
        v[i] = r->v[(size_t)i * j->o.conditions.n + cond];
    sort(v, r->n, cmp_value);
    m = v[r->n / 2];
    m.v = r->n % 2 ? m.v : (m.v + v[r->n / 2 - 1].v) / 2;
    m.known = v[0].known;
    return m;
}

/* Says whether the condition is true. */
static bool diff_judge(const struct job *j, uint32_t i, const struct runs r[2], const struct claim *verdict,
                       struct text *t)
{
    const struct condition *c = &j->cond[i];
    const char *said = j->o.conditions.v[i];
    struct metric_value x = {0}, y = {0};
    bool known, hit;
    double v;
    if (!c->metric[0]) { /* "change" */
        text_add(t, "%s change: %u\n", verdict->claimed ? "FAILED" : "passed", verdict->claimed);
        return verdict->claimed > 0;
    }
    x = median_of(j, &r[0], i);
    y = median_of(j, &r[1], i);
    v = !c->relative ? y.v : !c->percent ? y.v - x.v : x.v > 0 ? y.v / x.v - 1 : y.v > 0 ? INFINITY : 0;
    known = y.known && (x.known || !c->relative);
    hit = known && condition_holds(c, v);
    text_say(t, NULL, hit ? "FAILED" : "passed", " ", t_clean(said), ": ");
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

static const char *not_asked(const struct runs r[2])
{
    for (int s = 0; s < 2; s++) {
        if (!r[s].has_clock)
            return "a trace has no clock rate: nothing can be called more or less";
        for (uint32_t i = 0; i < r[s].n; i++)
            if (r[s].p[i].end < SHORTEST)
                return "a trace is shorter than 10 ms: chance alone moves everything";
    }
    return NULL;
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

static void verdict_text(struct text *t, const struct claim *v, const struct runs r[2], const char *why_not)
{
    text_lit(t, "\nVERDICT\n");
    if (why_not) {
        text_add(t, "  none: %s\n", why_not);
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
        change_text(t, v, &v->c[i]);
        factor_text(t, &v->c[i]);
        text_lit(t, "\n");
    }
    if (v->claimed == 0 && v->n) {
        text_lit(t, "  what moved most: ");
        change_text(t, v, &v->c[0]);
        text_lit(t, "\n");
    }
    if (v->claimed && other_pace)
        text_add(t, "  pace: %s %.2f times as often as before\n", paced, v->pace);
    if (r[0].n == 1 || r[1].n == 1)
        text_lit(t, "  with several runs a side (gotop diff OLD.. -- NEW..) smaller changes show\n");
}

static int diff_page(const struct job *j, const struct runs r[2], const struct claim *v, struct text *t)
{
    int status = 0;
    for (int s = 0; s < 2; s++)
        for (uint32_t i = 0; i < r[s].n; i++)
            status = r[s].p[i].partial ? 3 : status;
    if (!j->o.json) {
        text_lit(t, "gotop diff\n");
        side_text(t, "old:", &r[0]);
        side_text(t, "new:", &r[1]);
        if (status)
            text_lit(t, "PARTIAL: part of a trace is missing; numbers are for what is there\n");
        verdict_text(t, v, r, not_asked(r));
        if (r[0].n > 1 || r[1].n > 1)
            text_lit(t, "\nFindings, numbers and works are of the first run of each side.\n");
        diff_tables(t, &r[0].first, &r[1].first);
    }
    for (uint32_t i = 0; i < j->o.conditions.n; i++) {
        struct text line = {.ascii = true};
        if (diff_judge(j, i, r, v, &line))
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

static enum err_code claims_of(const struct runs r[2], struct side side[2], struct claim *v, struct err *e)
{
    for (int s = 0; s < 2; s++)
        side[s] = (struct side){r[s].p, r[s].n};
    const enum err_code rc = verdict_of(&side[0], &side[1], v, e);
    if (not_asked(r))
        v->claimed = 0;
    return rc;
}

static int diff_compare(const struct job *j, const struct runs r[2])
{
    struct side side[2];
    struct claim v;
    struct err e = {0};
    struct text t = {.ascii = !j->o.utf8 && !j->o.json};
    int status;
    if (claims_of(r, side, &v, &e) != ERR_OK)
        return say_failed("diff", "diff", e.what);
    if (j->o.json) {
        text_own(&t, diff_json(side, &v, not_asked(r), &r[0].first, &r[1].first));
        text_lit(&t, "\n");
    }
    status = diff_page(j, r, &v, &t);
    mem_free(v.c);
    if (say_answer("diff", j->o.json, j->o.out, &t))
        status = 2;
    text_free(&t);
    return status;
}

enum err_code diff_two(const struct loaded *old, const struct loaded *new, struct text *t, struct err *e)
{
    static const struct job plain;
    struct profile p[2] = {{0}};
    struct runs r[2] = {{.first = *old, .p = &p[0], .n = 1, .has_clock = trace_info(old->tr)->has_clock},
                        {.first = *new, .p = &p[1], .n = 1, .has_clock = trace_info(new->tr)->has_clock}};
    struct side side[2];
    struct claim v = {0};
    enum err_code rc = profile_of(old, &p[0], e);
    rc = rc ? rc : profile_of(new, &p[1], e);
    rc = rc ? rc : claims_of(r, side, &v, e);
    if (!rc) {
        (void)diff_page(&plain, r, &v, t);
        rc = text_ok(t) ? ERR_OK : err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory for the comparison");
    }
    mem_free(v.c);
    profile_free(&p[0]);
    profile_free(&p[1]);
    return rc;
}

int diff_main(int argc, char **argv)
{
    struct job *j = mem_zalloc(sizeof *j); /* some kilobytes: not for the stack */
    struct runs r[2] = {0};
    int status = j ? diff_parse(j, argc, argv) : say_failed("diff", "diff", "out of memory");
    if (status >= 0) {
        mem_free(j);
        return status;
    }
    status = read_side(j, 0, &r[0]);
    status = status ? status : read_side(j, 1, &r[1]);
    status = status ? status : diff_compare(j, r);
    runs_free(&r[0]);
    runs_free(&r[1]);
    mem_free(j);
    return status;
}
