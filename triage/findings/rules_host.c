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

#include "decode/base/bisect.h"
#include "decode/base/mem.h"

#define LIMIT threshold_ns(TH_HOST_RUN)
#define FAIR threshold_ns(TH_HOST_FAIR)
#define RUNS threshold(TH_HOST_TIMES)
#define SHARE threshold(TH_HOST_SHARE)

#define QUIETS 64
#define EVENTS 1000
#define QUOTA_PERIOD 100000000 /* of cpu.max, where nothing else is set */
#define QUOTA_NEAR 2500000
#define SEEKS 100000 /* of processors' lanes, for all long runs together: a second of many processors has many */

struct late {
    struct causes *c;
    uint32_t g;
    int64_t lost, all, longest, t0, t1;
    uint32_t n, at;
    uint32_t group, ends; /* of the first such run: whose, and the function in which it ended */
    uint32_t alike;       /* how many are of that group and ended there */
    uint32_t spins, spun; /* a group that is told to spin, UINT32_MAX none; how many are its */
    bool surely;
    int64_t quiet[QUIETS]; /* where each stretch in which no processor did anything else ended */
    uint32_t nquiet, seeks;
};

bool host_held(const struct causes *c, uint32_t g, int64_t t0, int64_t t1)
{
    struct span_iter it;
    bool more =
        trace_info(c->tr)->version >= 1014 && t1 - t0 >= LIMIT && span_seek(&it, c->tr, (struct lane){LANE_G, g}, t0);
    for (int i = 0; more && i < EVENTS && span_get(&it)->t0 < t1; i++, more = span_next(&it)) {
        const struct span *s = span_get(&it);
        const int64_t from = s->t0 > t0 ? s->t0 : t0, to = s->t1 < t1 ? s->t1 : t1;
        if (s->state == ST_RUNNING && to - from >= LIMIT) {
            return true;
        }
    }
    return false;
}

static int by_time(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The longest stretch of a long run in which nothing happened on any processor: the whole process stood still. */
static void quiet_within(struct late *l, int64_t t0, int64_t t1)
{
    int64_t at[EVENTS + 2], longest = 0, end = 0;
    uint32_t n = 0;
    const uint32_t lanes = trace_nlanes(l->c->tr, LANE_P);
    if (l->nquiet == QUIETS || lanes > SEEKS - l->seeks) {
        return; /* enough, or not to be looked at */
    }
    l->seeks += lanes;
    at[n++] = t0;
    for (uint32_t p = 0; p < lanes && n < EVENTS; p++) {
        struct span_iter it;
        bool more = span_seek(&it, l->c->tr, (struct lane){LANE_P, p}, t0);
        for (; more && n < EVENTS && span_get(&it)->t0 < t1; more = span_next(&it)) {
            if (span_get(&it)->t0 > t0) {
                at[n++] = span_get(&it)->t0;
            }
        }
    }
    if (n >= EVENTS) {
        return; /* not quiet */
    }
    at[n++] = t1;
    qsort(at, n, sizeof *at, by_time);
    for (uint32_t i = 1; i < n; i++) {
        if (at[i] - at[i - 1] > longest) {
            longest = at[i] - at[i - 1];
            end = at[i];
        }
    }
    for (uint32_t i = 0; i < l->nquiet; i++) {
        if (end - l->quiet[i] < QUOTA_NEAR && l->quiet[i] - end < QUOTA_NEAR) {
            return; /* others ran as well */
        }
    }
    if (longest >= LIMIT && longest < QUOTA_PERIOD) {
        l->quiet[l->nquiet++] = end;
    }
}

/* How many such stretches ended whole periods from each other, where it is nearly all of them and at least so many; else 0. */
static uint32_t by_period(const struct late *l)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < l->nquiet; i++) {
        uint32_t n = 0;
        for (uint32_t k = 0; k < l->nquiet; k++) {
            const int64_t d = l->quiet[k] > l->quiet[i] ? l->quiet[k] - l->quiet[i] : l->quiet[i] - l->quiet[k];
            const int64_t off = d % QUOTA_PERIOD;
            n += off < QUOTA_NEAR || QUOTA_PERIOD - off < QUOTA_NEAR;
        }
        most = n > most ? n : most;
    }
    return most >= threshold(TH_HOST_PERIODS) && most >= threshold(TH_HOST_ALIKE) * l->nquiet ? most : 0;
}

/* Where a run ended: the function that it was in when it waited or was stopped next. */
static uint32_t ended_in(const struct causes *c, uint32_t g, int64_t t1)
{
    struct span s;
    const bool more = t1 < c->tg->end && trace_span_at(c->tr, (struct lane){LANE_G, g}, t1, &s);
    return more && s.stack ? trace_frame(c->tr, s.stack, stacks_user_frame(c->tr, s.stack)).func : 0;
}

static void compare(struct late *l, int64_t t1)
{
    const uint32_t group = gstat_group(l->c->tg->g, l->g), ends = ended_in(l->c, l->g, t1);
    if (l->n == 1) {
        l->group = group;
        l->ends = ends;
    }
    l->alike += l->group == group && l->ends == ends && ends;
}

/*
 * The host takes any thread. Where all such runs are of one group, and end in one function, though others run as well and
 * would have been hit by now, it is a call that can't be interrupted: a large copy, a loop in assembler, a raw system call.
 */
static bool one_call(const struct late *l)
{
    const struct causes *c = l->c;
    int64_t all = 0;
    for (uint32_t i = 0; i < c->tg->ngroups; i++) {
        all = ns_add(all, c->tg->groups[i].is_system ? 0 : c->tg->groups[i].d[GM_EXEC].total);
    }
    double chance = 1; /* that all of so many hit that group */
    for (uint32_t i = 0; i < l->n && i < 1000 && all > 0; i++) {
        chance *= (double)c->tg->groups[l->group].d[GM_EXEC].total / (double)all;
    }
    return (double)l->alike >= threshold(TH_HOST_ALIKE) * (double)l->n && chance < threshold(TH_HOST_CHANCE);
}

/* Who stops the world runs, on paper, until the others have stopped. */
static bool stops_others(const struct late *l, const struct span *s)
{
    const struct range *r;
    const size_t n = trace_ranges(l->c->tr, RANGE_STW, &r);
    size_t lo = 0;
    bisect(lo, n, i, r[i].t0 < s->t1); /* the first that begins behind the run */
    for (; lo > 0 && r[lo - 1].t1 > s->t0; lo--) {
        const int64_t t0 = r[lo - 1].t0 > s->t0 ? r[lo - 1].t0 : s->t0,
                      t1 = r[lo - 1].t1 < s->t1 ? r[lo - 1].t1 : s->t1;
        if (r[lo - 1].owner == l->g && t1 - t0 > (s->t1 - s->t0) / 2) {
            return true;
        }
    }
    return false;
}

static bool long_run(void *arg, const struct span *s)
{
    struct late *l = arg;
    int64_t ns = s->t1 - s->t0;
    if ((s->state == ST_RUNNING || s->state == ST_ASSIST) && !s->open_start && ns >= LIMIT && !stops_others(l, s)) {
        l->n++;
        l->all = ns_add(l->all, ns);
        l->lost = ns_add(l->lost, ns - FAIR);
        l->spun += gstat_group(l->c->tg->g, l->g) == l->spins;
        compare(l, s->t1);
        quiet_within(l, s->t0, s->t1);
        if (ns > l->longest) {
            l->longest = ns;
            l->t0 = s->t0;
            l->t1 = s->t1;
            l->at = l->g;
        }
    }
    return true;
}

/* Whose goroutines are told to spin? */
static void who_spins(struct late *l)
{
    const struct findings *out = l->c->rs->out;
    for (uint32_t i = 0; i < out->n; i++) {
        const struct finding *f = &out->f[i];
        if (f->rule == RULE_BUSY_LOOP && !f->unstopped && f->lane.kind == LANE_G && f->lane.i < l->c->tg->ng) {
            l->spins = gstat_group(l->c->tg->g, f->lane.i);
            l->surely = !f->note;
            return;
        }
    }
}

static void spun_text(struct text *t, const struct late *l)
{
    if (l->spun) {
        text_say(t, l->c->tr, " ", l->spun, " of these runs are of goroutines of ",
                 t_func(l->c->tg->groups[l->spins].name), ", which ", l->surely ? "spin (busy-loop)" : "may spin",
                 ": spinning takes processors away where the host has fewer than GOMAXPROCS, and such "
                 "runs get shorter once it blocks.");
    }
}

/* Whose work has the processors is told behind why there are so few of them; and this behind who spins, if those are the runs. */
static void in_order(const struct late *l, struct finding *host)
{
    const struct causes *c = l->c;
    for (uint32_t i = 0; i < c->rs->out->n; i++) {
        const struct finding *f = &c->rs->out->f[i];
        if (f->rule == RULE_BUSY_LOOP && !host->quota && (double)l->spun >= threshold(TH_HOST_ALIKE) * (double)l->n &&
            f->severity_ns > 0 && host->severity_ns >= f->severity_ns) {
            host->severity_ns = f->severity_ns - 1;
        }
    }
    for (uint32_t i = 0; i < c->rs->out->n; i++) {
        struct finding *f = &c->rs->out->f[i];
        if (f->rule == RULE_FULL && f->severity_ns >= host->severity_ns) {
            f->severity_ns = host->severity_ns > 0 ? host->severity_ns - 1 : 0;
        }
    }
}

void rules_host(struct causes *c)
{
    struct late l = {.c = c, .spins = UINT32_MAX};
    struct draft d;
    const struct trace_info *ti = trace_info(c->tr);
    if (ti->version < 1014) {
        return; /* before, a loop without calls ran on */
    }
    who_spins(&l);
    for (uint32_t g = 0; (g = gstats_next_with(c->tg->g, g, GM_EXEC, LIMIT)) != NO_LANE; g++) {
        if (!c->tg->groups[gstat_group(c->tg->g, g)].is_system) {
            l.g = g;
            trace_wide(c->tr, (struct lane){LANE_G, g},
                       &(struct wide_ask){0, c->tg->end, LIMIT, long_run, &l, 1u << ST_RUNNING | 1u << ST_ASSIST});
        }
    }
    double share = (double)l.all / c->procs / (double)c->tg->end;
    if (l.n < RUNS || share < SHARE || one_call(&l)) {
        return;
    }
    int64_t cost = (int64_t)((double)l.lost / c->procs);
    draft_start(&d, RULE_HOST, cost < c->tg->end ? cost : c->tg->end);
    d.f.note = true;
    d.f.inferred = true;
    draft_at(&d, l.t0, l.t1, LANE_G, l.at);
    text_share(&d.amount, (double)d.f.severity_ns, (double)c->tg->end);
    const uint32_t periods = by_period(&l);
    d.f.quota = periods > 0;
    if (periods) {
        text_add(&d.text,
                 "A CPU quota (cpu.max of its cgroup) stops the process (inferred): %s%u times nothing happened on "
                 "any processor for 25 ms or more, ending at multiples of 100 ms from each other. ",
                 l.nquiet == QUIETS ? "at least " : "", periods);
    }
    text_say(&d.text, c->tr,
             periods ? "So the host used its CPUs for something else"
                     : "The host used its CPUs for something else (inferred)",
             ": ", l.n,
             " times a goroutine ran for more than 25 ms without being preempted, though the runtime preempts after "
             "10 to 20 ms, up to ",
             t_dur(l.longest), "; so its thread, or the runtime's monitor thread, was not running. Such runs are ",
             t_dur(l.all), " together, and at least ", t_dur(l.lost),
             " of that was not the program's. While this goes on, all times in this trace are longer than the "
             "program's own.");
    spun_text(&d.text, &l);
    text_add(&d.next, "%s",
             periods ? "Raise the quota, or let the program use less at once: GOMAXPROCS no higher than the quota "
                       "(the default from Go 1.25 on). throttled_usec in its cgroup's cpu.stat shows the time lost."
                     : "Other processes, a CPU quota or a stopped virtual machine: look at cpu.max and "
                       "throttled_usec of its cgroup, at steal time, at what else runs there; or GOMAXPROCS exceeds "
                       "the CPUs there are. Trace again on a quiet host before you change the program.");
    in_order(&l, &d.f);
    draft_end(c->rs, &d);
}
