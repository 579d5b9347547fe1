/*
 * find.c - `gotop find FILTER TRACE...`: the spans of many traces that match a filter
 * (triage/query/filter.h), longest first. Each comes with the command that opens it in the viewer. Traces
 * are searched one after the other; the longest hits of all of them are kept, as text.
 */
#include "viewer/command/commands.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decode/base/door.h"
#include "decode/base/mem.h"
#include "triage/query/filter.h"
#include "triage/options.h"
#include "triage/folder.h"
#include "triage/query/goto.h"
#include "triage/load.h"
#include "triage/say.h"
#include "triage/tables/stacks.h"
#include "triage/text.h"
#include "viewer/command/cmdline.h"

#define LIMIT 100

static const char usage_head[] =
    "usage: gotop find [options] FILTER TRACE...\nSpans of goroutines that "
    "match, of all traces and folders of them, the longest first. The filter is that of the viewer's \\ key "
    "(docs/FILTERS.md): 'dur>50ms state=runnable main.handler'; a word alone is part of a function's name: "
    "waits for locks are reason=lock. Each line ends in what opens it there: gotop TRACE@TIME:LANE.\n";
static const char usage_tail[] =
    "Exit status: 0 done, 2 an error, 3 done, but only part of a trace could be read.\n";

struct hit {
    int64_t dur;
    uint64_t nth; /* by trace, goroutine and time */
    char *line;   /* the cells, separated by tabs */
};
struct job {
    struct trace_opts trace;
    uint64_t limit, hits;
    bool tsv, quiet, partial, failed;
    struct hit *hit;
    int64_t least; /* hits that are no longer than that need not be kept */
    size_t n, cap;
    /* of the current trace */
    const char *path;
    const struct trace *tr;
    const struct filter *f;
    uint32_t g;
};

static int find_fail(const char *what, const char *why)
{
    return say_failed("find", what, why);
}

/* ---- the longest hits ---------------------------------------------------------------------------------- */

/* Longer ones come first; those as long in order of trace, goroutine and time. */
static int find_by_length(const void *x, const void *y)
{
    const struct hit *a = x, *b = y;
    if (a->dur != b->dur)
        return a->dur > b->dur ? -1 : 1;
    return a->nth < b->nth ? -1 : a->nth > b->nth;
}

/* Sort the hits, and drop those behind the longest `limit`. */
static void find_trim(struct job *j)
{
    if (j->n)
        qsort(j->hit, j->n, sizeof *j->hit, find_by_length);
    while (j->limit && j->n > j->limit)
        mem_free(j->hit[--j->n].line);
    j->least = j->limit && j->n == j->limit ? j->hit[j->n - 1].dur : -1;
}

static char *find_describe(const struct job *j, const struct span *s)
{
    const struct trace *tr = j->tr;
    struct text t = {0};
    const struct lane_info li = trace_lane_who(tr, lane_g(j->g));
    const struct frame f = trace_frame(tr, s->stack, stacks_user_frame(tr, s->stack));
    if (j->tsv)
        text_add(&t, "%" PRId64, s->t1 - s->t0);
    else
        text_dur(&t, s->t1 - s->t0);
    text_say(&t, tr, "\t", state_name((enum state)s->state), "\t", t_str(s->reason));
    text_add(&t, "\tg%" PRIu64 "\t", li.id);
    text_say(&t, tr, t_str(li.name), "\t");
    if (s->stack)
        text_str(&t, tr, f.func);
    text_lit(&t, "\t");
    link_add(&t, j->path, s->t0, LANE_G, li.id);
    char *line = text_ok(&t) ? text_take(&t) : NULL;
    text_free(&t);
    return line;
}

static bool find_keep(struct job *j, const struct span *s)
{
    enum { SPARE = 1024 }; /* hits that are kept before the shortest are dropped */
    struct hit h = {s->t1 - s->t0, j->hits++, NULL};
    if (h.dur <= j->least) /* as long, but later than those that are kept */
        return true;
    h.line = find_describe(j, s);
    if (!mem_noted(&j->failed, h.line && mem_add(j->hit, j->cap, j->n, h))) {
        mem_free(h.line);
        return false;
    }
    if (j->limit && j->n >= j->limit && j->n - j->limit >= SPARE)
        find_trim(j);
    return true;
}

static bool find_look(void *arg, const struct span *s)
{
    struct job *j = arg;
    return !filter_span(j->f, j->g, s) || find_keep(j, s);
}

/* ---- traces -------------------------------------------------------------------------------------------- */

static void find_in(struct job *j, struct filter *f)
{
    while (!filter_step(f, INT64_MAX))
        continue;
    j->f = f;
    const int64_t least = filter_wide(f);
    for (uint32_t g = filter_next(f, 0); g != NO_LANE && !j->failed; g = filter_next(f, g + 1)) {
        const struct wide_ask ask = {INT64_MIN, INT64_MAX, least > 1 ? least : 1, find_look, j, 0};
        j->g = g;
        trace_wide(j->tr, lane_g(g), &ask);
    }
}

/* Returns 0, or 2 after an error was printed. *wrong: the filter itself is wrong, so no other trace is
 * tried. */
static int find_one_trace(struct job *j, const struct folder_file *file, const char *text, bool *wrong)
{
    j->path = file->path;
    const char *name = strcmp(j->path, "-") == 0 ? "standard input" : j->path;
    char why[FILTER_WHY];
    struct trace *tr = NULL;
    struct err e = {0};
    int status = 0;
    const enum err_code rc = load_model(j->path, &j->trace, j->quiet, &tr, &e);
    if (rc != ERR_OK) {
        status = folder_skips(file, rc) ? 0 : find_fail(name, e.what);
    } else {
        j->tr = tr;
        struct filter *f = filter_new(tr, text, why);
        *wrong = !f;
        if (f)
            find_in(j, f);
        else
            status = find_fail(text, why);
        filter_free(f);
        if (f && trace_info(tr)->ndamages) {
            j->partial = true;
            find_fail(name, "only a part of this trace can be read");
        }
    }
    trace_close(tr);
    return j->failed ? find_fail(name, "out of memory") : status;
}

/* ---- output -------------------------------------------------------------------------------------------- */

enum { CELLS = 7 };

/* Split a hit's line into its cells, which point into it. */
static void find_cells(const struct hit *h, const char *cell[CELLS], int n[CELLS])
{
    const char *at = h->line;
    for (int i = 0; i < CELLS; i++) {
        n[i] = (int)strcspn(at, "\t");
        cell[i] = at;
        at += n[i] + (at[n[i]] == '\t');
    }
}

static void find_print(const struct job *j, struct text *out)
{
    int width[CELLS] = {0}, n[CELLS];
    const char *cell[CELLS];
    for (size_t i = 0; i < j->n; i++) {
        find_cells(&j->hit[i], cell, n);
        for (int c = 0; c < CELLS; c++)
            width[c] = n[c] > width[c] ? n[c] : width[c];
    }
    for (size_t i = 0; i < j->n; i++) {
        find_cells(&j->hit[i], cell, n);
        for (int c = 0; c < CELLS; c++) {
            const int pad = c + 1 < CELLS && !j->tsv ? width[c] - n[c] : 0;
            text_raw(out, j->tsv ? "\t" : "  ", c ? (j->tsv ? 1 : 2) : 0);
            text_raw(out, cell[c], (size_t)n[c]);
            text_add(out, "%*s", pad, "");
        }
        text_lit(out, "\n");
    }
}

static int find_finish(struct job *j)
{
    struct text out = {0};
    find_trim(j);
    find_print(j, &out);
    const int status = say_list("find", &out);
    if (!status && j->hits == 0 && !j->quiet)
        door_printf(stderr, "gotop find: no span matches\n");
    if (!status && j->hits > j->n)
        door_printf(stderr,
                    "gotop find: the longest %zu of %" PRIu64 "; --limit N gives more, --limit 0 all\n", j->n,
                    j->hits);
    return status;
}

/* ---- command line -------------------------------------------------------------------------------------- */

static const struct command command = {"find", CMD_FIND, usage_head, usage_tail};

int find_main(int argc, char **argv)
{
    struct options o;
    bool wrong = false;
    int status = options_read(&command, argc, argv, &o), bad = 0;
    if (status >= 0)
        return status;
    if (o.noperands < 2)
        return options_lack(&command, o.noperands ? "TRACE" : "FILTER");
    struct job j = {.trace = o.trace,
                    .limit = o.limit == OPTIONS_UNSET ? LIMIT : o.limit,
                    .least = -1,
                    .tsv = o.tsv,
                    .quiet = o.quiet};
    struct folder files;
    if (!folder_of(o.operand + 1, (int)o.noperands - 1, &files))
        return find_fail("the traces", "out of memory");
    for (size_t i = 0; i < files.n && !wrong && !j.failed; i++)
        bad |= find_one_trace(&j, &files.file[i], o.operand[0], &wrong);
    if (!wrong && !j.failed)
        bad |= find_finish(&j);
    for (size_t i = 0; i < j.n; i++)
        mem_free(j.hit[i].line);
    mem_free(j.hit);
    folder_free(&files);
    return bad ? EXIT_UNREADABLE : j.partial ? EXIT_PARTIAL : EXIT_OK;
}
