/*
 * slice.c - see slice.h. decode/write/cut.h reads the file once more; the model on the screen is not used.
 */
#include "viewer/session/slice.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "layout/cells/fmt.h"
#include "layout/move/move.h"
#include "triage/exports/outside.h"
#include "triage/exports/rewrite.h"

unsigned slice_ask(struct app *a)
{
    if (strcmp(trace_info(a->tr)->path, "-") == 0)
        return move_fail(&a->view,
                         "a slice needs the trace in a file: what came from standard input can't be "
                         "read again");
    return view_prompt(&a->view, PROMPT_SLICE);
}

/* A file of that name exists. Naming it a second time overwrites it. */
static bool slice_spare(struct app *a, const char *name)
{
    struct stat st;
    bool again = strcmp(a->slice_over, name) == 0;
    a->slice_over[0] = '\0';
    if (lstat(name, &st) != 0 || again)
        return false;
    snprintf(a->slice_over, sizeof a->slice_over, "%s", name);
    return true;
}

unsigned slice_write(struct app *a, const char *name)
{
    const struct view *v = &a->view;
    struct cut_range r = {v->sel.stands ? v->sel.t0 : v->at.win.t0, v->sel.stands ? v->sel.t1 : v->at.win.t1,
                          0};
    struct cut_result res = {0};
    struct err e = {0};
    char t0[FMT_MAX], t1[FMT_MAX];
    const char *path = trace_info(a->tr)->path;
    name += strspn(name, " ");
    if (!*name)
        return VR_DRAW;
    if (strcmp(path, "-") == 0)
        return slice_ask(a);
    if (!trace_info(a->tr)->has_clock)
        return move_fail(&a->view, "a slice needs the tick rate: --ticks-per-second");
    const int why = outside_may(name);
    if (why == EEXIST)
        return move_fail(&a->view,
                         "%.200s is there already: give a new name (gotop --no-sandbox can write over files)",
                         name);
    if (why == EACCES)
        return move_fail(
            &a->view,
            "%.200s: slices go right into the current folder, the trace's or TMPDIR, and aren't hidden",
            name);
    if (slice_spare(a, name))
        return move_fail(&a->view, "%.200s is there already: the same name again writes over it", name);
    if (r.to >= trace_info(a->tr)->end && trace_info(a->tr)->done)
        r.to = INT64_MAX;
    r.ticks_per_second = a->ticks_per_second;
    view_message(&a->view, false, "writing %.200s ..", name); /* a large part takes seconds */
    if (a->show)
        a->show(a->show_arg);
    if (slice_file(path, trace_more(a->tr), name, &r, &res, &e))
        return move_fail(&a->view, "%.200s: %s", name, e.what);
    return view_message(&a->view, false, "%s to %s: %" PRIu64 " events in %.200s%s",
                        when_exact(a->tr, res.from, t0), when_exact(a->tr, res.to, t1), res.events, name,
                        res.late          ? "; it begins behind where the trace is damaged"
                        : res.damage.code ? "; it ends where the trace is damaged"
                                          : "");
}
