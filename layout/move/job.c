/*
 * job.c - work requested by one key that takes longer than a key press may (move.h). One job runs at a
 * time, while the reader stays in place; elsewhere its result would be in the way.
 */
#include <string.h>

#include "decode/base/host.h"
#include "decode/base/mem.h"
#include "layout/move/move.h"

int64_t move_began(int64_t budget_ns)
{
    return budget_ns == INT64_MAX ? 0 : host_now();
}

int64_t move_left(int64_t budget_ns, int64_t began)
{
    if (budget_ns == INT64_MAX)
        return budget_ns;
    const int64_t left = budget_ns - (host_now() - began);
    return left > 1 ? left : 1;
}

/* Returns whether the reader is still where the job was requested. */
static bool stays(const struct view *v, const struct place *was)
{
    const struct place *at = &v->at;
    return !v->prompt.kind && was->view == at->view && was->row == at->row && was->cursor == at->cursor &&
           was->focus.kind == at->focus.kind && was->focus.i == at->focus.i;
}

static void job_free(struct job *j)
{
    if (j->drop)
        j->drop(j);
    mem_free(j);
}

void job_stop(struct view *v)
{
    struct job *j = v->job.asked;
    v->job.asked = NULL;
    if (j)
        job_free(j);
}

unsigned job_work(struct view *v, int64_t budget_ns)
{
    struct job *j = v->job.asked;
    if (!j)
        return VR_NONE;
    if (!stays(v, &j->at)) {
        job_stop(v);
        return VR_NONE;
    }
    const bool said = strcmp(v->msg.text, j->soon) == 0; /* it is on the screen */
    if (!j->step(v, j, budget_ns)) {
        if (!said)
            view_message(v, false, "%s", j->soon);
        return said ? VR_WORK : VR_DRAW | VR_WORK;
    }
    v->job.asked = NULL;
    if (said)
        view_message(v, false, "%s", "");
    const unsigned f = j->over(v, j);
    job_free(j);
    return f;
}

unsigned job_begin(struct view *v, struct job *j)
{
    job_stop(v);
    if (!j)
        return move_fail(v, "out of memory");
    j->at = v->at;
    v->job.asked = j;
    /* While a trace loads, its own steps have priority, so the job runs to its end at once. */
    return job_work(v, trace_info(v->tr)->done ? VIEW_AT_ONCE_NS : INT64_MAX);
}
