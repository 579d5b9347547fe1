/*
 * rules_host.c - the host that took the processor away: a note, since it is not the program's doing.
 *
 * From Go 1.14 on the runtime stops a goroutine that runs for 10 ms, and looks at least every 10 ms whether one does. So
 * a goroutine that runs for longer than both, without an event, did not run all that time: its thread, or the thread that
 * looks, had no processor. Where all goroutines that run fall silent together, it was the whole process.
 */
#include "triage/findings/causes.h"
#include "triage/findings/thresholds.h"

#include <stdlib.h>

#include "decode/base/mem.h"

#define LIMIT threshold_ns(TH_HOST_RUN)
#define FAIR threshold_ns(TH_HOST_FAIR)
#define RUNS threshold(TH_HOST_TIMES)
#define SHARE threshold(TH_HOST_SHARE)

struct late {
    struct causes *c;
    uint32_t g;
    int64_t lost, all, longest, t0, t1;
    uint32_t n, at;
};

static bool long_run(void *arg, const struct span *s)
{
    struct late *l = arg;
    int64_t ns = s->t1 - s->t0;
    if ((s->state == ST_RUNNING || s->state == ST_ASSIST) && !s->open_start && ns >= LIMIT) {
        l->n++;
        l->all = ns_add(l->all, ns);
        l->lost = ns_add(l->lost, ns - FAIR);
        if (ns > l->longest) {
            l->longest = ns;
            l->t0 = s->t0;
            l->t1 = s->t1;
            l->at = l->g;
        }
    }
    return true;
}

void rules_host(struct causes *c)
{
    struct late l = {.c = c};
    struct draft d;
    const struct trace_info *ti = trace_info(c->tr);
    if (ti->version < 1014) {
        return; /* before, a loop without calls ran on */
    }
    for (uint32_t g = 0; g < c->tg->ng; g++) {
        if (gstat_ns(c->tg->g, g, GM_EXEC) >= LIMIT && !c->tg->groups[gstat_group(c->tg->g, g)].is_system) {
            l.g = g;
            trace_wide(c->tr, (struct lane){LANE_G, g}, 0, c->tg->end, LIMIT, long_run, &l);
        }
    }
    double share = (double)l.all / c->procs / (double)c->tg->end;
    if (l.n < RUNS || share < SHARE) {
        return;
    }
    int64_t cost = (int64_t)((double)l.lost / c->procs);
    draft_start(&d, RULE_HOST, cost < c->tg->end ? cost : c->tg->end);
    d.f.note = true;
    d.f.inferred = true;
    draft_at(&d, l.t0, l.t1, LANE_G, l.at);
    text_share(&d.amount, (double)d.f.severity_ns, (double)c->tg->end);
    text_add(&d.text,
             "The host had its processors elsewhere (inferred): %u times a goroutine ran for more than 25 ms without "
             "being "
             "stopped, though the runtime stops each after 10 to 20 ms, up to ",
             l.n);
    text_dur(&d.text, l.longest);
    text_lit(&d.text, "; so its thread, or the thread that looks after it, stood still. Such runs are ");
    text_dur(&d.text, l.all);
    text_lit(&d.text, " together, and at least ");
    text_dur(&d.text, l.lost);
    text_lit(&d.text, " of them were not the program's. While that lasts, all times of this trace are longer than "
                      "the program's own.");
    text_add(&d.next, "Other processes, a CPU quota or a stopped virtual machine: look at cpu.max and throttled_usec "
                      "of its cgroup, at "
                      "steal time, at what else runs there; or GOMAXPROCS is above the processors there are. Trace "
                      "again on a quiet host before you change the program.");
    draft_end(c->rs, &d);
}
