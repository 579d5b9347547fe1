/*
 * model.c - how fast a trace becomes a model, what the model costs, and how fast it is drawn.
 *
 *   model [-t THREADS] [-n RUNS] [-l | -a | -f | -c LABEL | -m MB] TRACE
 *
 *   -n   loads, and runs of triage; the best one counts, since others only show what else the machine did (0:
 *        none, for what a start costs)
 *   -l   load and nothing else: for counting instructions from outside; -a: with all tables and findings
 *   -f   frames alone
 *   -c   one line, for the curve
 *   -m   within so much private memory: what that costs
 *
 * Private memory is what decode/base/mem.h handed out, resident what of it was written to (looked at every 75
 * ms of the first load); the mapped file is not in it. Frames are drawn to a grid, without a terminal, at
 * every zoom by powers of 16 from the whole trace to single spans, in the middle of the trace; their time is
 * what a clock on the wall says, and the curve's, too; processor time, of all threads, stands beside it.
 * Instructions are those of the load, user mode, all threads; not every machine counts them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#endif
#include <time.h>
#include <unistd.h>

#include "decode/base/mem.h"
#include "decode/base/spill.h"
#include "decode/model/trace_priv.h"
#include "layout/frame/frame.h"
#include "layout/move/search.h"
#include "triage/findings/findings.h"
#include "triage/triage.h"

#define SLICE_NS 15000000 /* what the viewer decodes between two frames */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double cpu_now(void) /* processor time of all threads: what others do on the machine is not in it */
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* A counter of this process's instructions and of its threads to come; -1: not here. */
static int counter_open(void)
{
#ifdef __linux__
    struct perf_event_attr a = {.type = PERF_TYPE_HARDWARE,
                                .size = sizeof a,
                                .config = PERF_COUNT_HW_INSTRUCTIONS,
                                .inherit = 1,
                                .exclude_kernel = 1,
                                .exclude_hv = 1,
                                .disabled = 1};
    return (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, 0);
#else
    return -1;
#endif
}

static void counter_run(int fd, bool on)
{
#ifdef __linux__
    if (fd >= 0)
        ioctl(fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
#else
    (void)fd, (void)on;
#endif
}

/* Anonymous pages this process has now: arrays count as far as they were written. 0: not told here. */
static size_t resident(void)
{
    char line[128];
    unsigned long kb = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "RssAnon: %lu kB", &kb) == 1)
            break;
    if (f)
        fclose(f);
    return kb * 1024;
}

struct loaded {
    double s, cpu_s, most; /* wall time, processor time, longest step of the loads in slices */
    uint64_t instructions; /* 0 = not measured */
    size_t resident;       /* most at the end of a step */
};

/* load_model - slice: what to ask of each step, INT64_MAX = all at once. */
static struct trace *load_model(const char *path, const struct trace_opts *o, int64_t slice,
                                struct loaded *out)
{
    struct trace *tr;
    struct err e;
    int fd = counter_open();
    bool more = true;
    *out = (struct loaded){0};
    counter_run(fd, true);
    double t0 = now(), c0 = cpu_now();
    if (trace_open(path, o, &tr, &e)) {
        fprintf(stderr, "model: %s: %s\n", path, e.what);
        return NULL;
    }
    while (more) {
        double step = now();
        more = trace_load(tr, slice) != LOAD_DONE;
        step = now() - step;
        out->most = step > out->most ? step : out->most;
        size_t r = resident();
        out->resident = r > out->resident ? r : out->resident;
    }
    out->s = now() - t0;
    out->cpu_s = cpu_now() - c0;
    if (fd >= 0) {
        counter_run(fd, false);
        if (read(fd, &out->instructions, sizeof out->instructions) != sizeof out->instructions)
            out->instructions = 0;
        close(fd);
    }
    return tr;
}

struct cost { /* ms */
    double wall, cpu;
};

static struct cost cost_now(void)
{
    return (struct cost){now() * 1e3, cpu_now() * 1e3};
}

static struct cost cost_since(struct cost from)
{
    const struct cost to = cost_now();
    return (struct cost){to.wall - from.wall, to.cpu - from.cpu};
}

static void keep_least(struct cost *least, struct cost x)
{
    least->wall = x.wall < least->wall ? x.wall : least->wall;
    least->cpu = x.cpu < least->cpu ? x.cpu : least->cpu;
}

static void keep_most(struct cost *most, struct cost x)
{
    most->wall = x.wall > most->wall ? x.wall : most->wall;
    most->cpu = x.cpu > most->cpu ? x.cpu : most->cpu;
}

enum { ZOOMS = 7 };
struct frame_cost {
    struct cost best[ZOOMS], first; /* by zoom; the slowest first drawing */
    bool ok;
};
static const char *const VIEW_NAME[] = {"processors", "goroutines", "threads"};

static struct cost one_frame(struct grid *g, struct view *v, bool *ok)
{
    struct frame_text txt = {0};
    const struct cost from = cost_now();
    *ok &= frame_draw(g, v, &txt);
    return cost_since(from);
}

static struct frame_cost frame_cost(const struct trace *tr, int view, int w, int h)
{
    struct frame_cost c = {.ok = false};
    struct view v;
    struct grid g = {0};
    if (!view_init(&v, tr))
        return c;
    view_resize(&v, w, h);
    view_loaded(&v);
    view_switch(&v, 2 + view);
    view_zoom_all(&v, 1);
    view_at(&v, trace_info(tr)->end / 2);
    c.ok = true;
    for (int z = 0; z < ZOOMS; z++) {
        c.best[z] = (struct cost){1e9, 1e9};
        for (int i = 0; i < 5; i++) {
            const struct cost t = one_frame(&g, &v, &c.ok);
            keep_least(&c.best[z], t);
            if (!i)
                keep_most(&c.first, t);
        }
        view_zoom(&v, 4);
    }
    grid_free(&g);
    view_free(&v);
    return c;
}

/* A picture that moves on by an eighth: the middle of seven, at the zoom where that is slowest. */
static struct cost moved(const struct trace *tr, int view, int w, int h)
{
    enum { STEPS = 7 };
    struct frame_text txt = {0};
    struct view v;
    struct grid g = {0};
    struct cost most = {0, 0}, t[STEPS];
    if (!view_init(&v, tr))
        return most;
    view_resize(&v, w, h);
    view_loaded(&v);
    view_switch(&v, 2 + view);
    while (view_work(&v, INT64_MAX) & VR_WORK) { /* groups */
    }
    view_zoom_all(&v, 1);
    view_at(&v, trace_info(tr)->end / 2);
    for (int z = 0; z < 6; z++) {
        view_zoom(&v, z ? 4 : 2);
        (void)frame_draw(&g, &v, &txt);
        for (int i = 0; i < STEPS; i++) {
            const struct cost from = cost_now();
            view_pan(&v, 1); /* which goroutines live there is a part of it */
            (void)frame_draw(&g, &v, &txt);
            const struct cost x = cost_since(from);
            int k = i;
            for (; k > 0 && x.wall < t[k - 1].wall; k--)
                t[k] = t[k - 1];
            t[k] = x;
        }
        keep_most(&most, t[STEPS / 2]);
    }
    grid_free(&g);
    view_free(&v);
    return most;
}

static double slowest(const struct frame_cost *c)
{
    struct cost most = {0, 0};
    for (int z = 0; z < ZOOMS; z++)
        keep_most(&most, c->best[z]);
    return c->ok ? most.wall : -1;
}

static void frames(const struct trace *tr, int w, int h)
{
    for (int k = 0; k < 3; k++) {
        const struct frame_cost c = frame_cost(tr, k, w, h);
        const struct cost m = moved(tr, k, w, h);
        printf("frame %dx%d %-10s ms (of the processors) by zoom x16:", w, h, VIEW_NAME[k]);
        for (int z = 0; z < ZOOMS; z++)
            printf(" %.2f (%.2f)", c.best[z].wall, c.best[z].cpu);
        printf("; slowest first drawing %.2f (%.2f), an eighth further on %.2f (%.2f)\n", c.first.wall,
               c.first.cpu, m.wall, m.cpu);
    }
}

/* search - time until the first hit is known, and until all are, working in steps as the viewer does. */
static void search(const struct trace *tr, const char *what, const char *query)
{
    char why[80];
    double t0 = now(), first = -1;
    struct search *s = search_new(tr, query, why, sizeof why);
    if (!s)
        return;
    bool done;
    s->jump = 1; /* as a search from the prompt, the cursor in the middle */
    s->origin = trace_info(tr)->end / 2;
    s->cur_t = NO_TIME;
    do {
        done = search_step(s, tr, 5000000);
        if (first < 0 && s->nhits)
            first = (now() - t0) * 1e3;
    } while (!done);
    if (first >= 0)
        printf("search for %s: first hit after %.1f ms, all %zu%s after %.0f ms\n", what, first, s->nhits,
               s->full ? " it keeps" : "", (now() - t0) * 1e3);
    else
        printf("search for %s: none, after %.0f ms\n", what, (now() - t0) * 1e3);
    search_free(s);
}

static void searches(const struct trace *tr)
{
    uint32_t n = trace_nlanes(tr, LANE_G);
    char id[32];
    search(tr, "a reason to wait", "network");
    search(tr, "part of function names", "serve");
    search(tr, "what isn't there", "no such name");
    if (n) {
        snprintf(id, sizeof id, "g%" PRIu64, trace_lane(tr, (struct lane){LANE_G, n - 1}).id);
        search(tr, "the last goroutine", id);
    }
}

/* From nothing to the first lanes: open, load for one slice as the viewer does, draw. */
static double first_lanes_ms(const char *path, const struct trace_opts *o)
{
    struct trace *tr;
    struct err e;
    struct view v;
    struct grid g = {0};
    struct frame_text txt = {.loading = true};
    double t0 = now(), t = -1;
    if (trace_open(path, o, &tr, &e))
        return -1;
    while (trace_load(tr, SLICE_NS) != LOAD_DONE && !trace_nlanes(tr, LANE_P)) {
    }
    if (view_init(&v, tr)) {
        view_resize(&v, 80, 24);
        if (frame_draw(&g, &v, &txt))
            t = (now() - t0) * 1e3;
        view_free(&v);
    }
    grid_free(&g);
    trace_close(tr);
    return t;
}

static int usage(void)
{
    fprintf(stderr, "usage: model [-t THREADS] [-n RUNS] [-l | -a | -f | -c LABEL | -m MB] TRACE\n");
    return 2;
}

static void curve_line(const struct trace *tr, const char *label, const struct loaded *best, size_t peak)
{
    const struct trace_info *in = trace_info(tr);
    double ev = (double)in->events;
    printf("%-28s %7.1f %7.2f %7.1f %7.2f %7.2f", label, (double)in->bytes / 1e6, ev / 1e6,
           best->cpu_s * 1e9 / ev, (double)peak / (double)in->bytes, (double)in->bytes / ev);
    for (int k = 0; k < 3; k++) {
        struct frame_cost c = frame_cost(tr, k, 200, 60);
        printf(" %6.2f", slowest(&c));
    }
    printf("\n");
}

/* bounded - a trace loaded within a limit: what that took. */
static void bounded(const struct trace *tr, double limit, const struct loaded *best)
{
    const struct trace_info *in = trace_info(tr);
    printf("within %.0f MB: decoded in %.3f s, %.1f MB/s, peak %.1f MB, %.1f MB in a file; %s\n", limit / 1e6,
           best->s, (double)in->bytes / 1e6 / best->s, (double)mem_peak() / 1e6, (double)spill_bytes() / 1e6,
           in->ndamages ? trace_damage(tr, 0)->what : "all of it held");
}

/* findings_once - all tables and findings of a loaded model; wall and processor time are lowered to what this
 * run took. */
static bool findings_once(const struct trace *tr, double *s, double *cpu)
{
    struct triage *tg = NULL;
    struct findings fs = {0};
    struct err e;
    const double t0 = now(), c0 = cpu_now();
    const bool ok = triage_new(tr, &tg, &e) == ERR_OK && triage_step(tg, INT64_MAX) == TRIAGE_DONE &&
                    findings_of(tg, &fs, &e) == ERR_OK;
    const double ds = now() - t0, dc = cpu_now() - c0;
    *s = ds < *s ? ds : *s;
    *cpu = dc < *cpu ? dc : *cpu;
    findings_free(&fs);
    triage_free(tg);
    return ok;
}

/*
 * findings - what the user waits for: from the model, loaded in best->s, to all tables and findings, by as
 * many threads. Of as many runs as there were loads the best one counts, as there. Returns the most private
 * memory since the start.
 */
static size_t findings(const struct trace *tr, const struct loaded *best, int runs)
{
    double s = 1e9, cpu = 1e9;
    bool ok = findings_once(tr, &s, &cpu);
    for (int i = 1; i < runs && ok; i++)
        ok = findings_once(tr, &s, &cpu);
    if (!ok)
        printf("file to findings: out of memory\n");
    else
        printf("file to findings: %.3f s, %.2f times the model's; CPU %.3f s, %.2f times; %.2f M events/s\n",
               best->s + s, (best->s + s) / best->s, best->cpu_s + cpu, (best->cpu_s + cpu) / best->cpu_s,
               (double)trace_info(tr)->events / (best->s + s) / 1e6);
    return mem_peak();
}

static void whole(const struct trace *tr, const char *path, const struct trace_opts *o,
                  const struct loaded *best, int runs, size_t peak)
{
    const struct trace_info *in = trace_info(tr);
    double ev = (double)in->events, mb = (double)in->bytes / 1e6;
    struct loaded slow;
    const size_t all =
        findings(tr, best, runs); /* first: what follows loads the trace again beside this one */
    double first = first_lanes_ms(path, o);
    struct trace *again = load_model(path, o, SLICE_NS, &slow);
    trace_close(again);
    printf("%s: %s, %.1f MB, %" PRIu64 " events, %.2f bytes each, %d threads asked\n", path, in->dialect, mb,
           in->events, (double)in->bytes / ev, o->threads);
    printf("model: %.3f s, %.1f MB/s, %.2f M events/s, %.1f ns an event; CPU %.3f s, %.1f ns an event\n",
           best->s, mb / best->s, ev / best->s / 1e6, best->s * 1e9 / ev, best->cpu_s,
           best->cpu_s * 1e9 / ev);
    const struct load_cost *c = &tr->cost;
    if (c->segments)
        printf("segments: %u, %u decoded again\n", c->segments, c->redone);
    if (best->instructions)
        printf("instructions: %.1f an event\n", (double)best->instructions / ev);
    printf("private memory: peak %.1f MB, %.2f per file byte; of it resident %.1f MB, %.2f\n",
           (double)peak / 1e6, (double)peak / 1e6 / mb, (double)best->resident / 1e6,
           (double)best->resident / 1e6 / mb);
    printf("with triage: peak %.1f MB, %.2f per file byte\n", (double)all / 1e6, (double)all / 1e6 / mb);
    printf("first lanes after %.0f ms; longest step while loading in steps of %d ms: %.0f ms\n", first,
           SLICE_NS / 1000000, slow.most * 1e3);
    searches(tr);
    frames(tr, 80, 24);
    frames(tr, 200, 60);
}

int main(int argc, char **argv)
{
    struct trace_opts o = {0};
    int runs = 3, opt;
    bool only_load = false, only_findings = false, only_frames = false;
    const char *label = NULL;
    while ((opt = getopt(argc, argv, "t:n:lafc:m:")) != -1)
        if (opt == 't')
            o.threads = atoi(optarg);
        else if (opt == 'n')
            runs = atoi(optarg);
        else if (opt == 'l')
            only_load = true;
        else if (opt == 'a')
            only_findings = true;
        else if (opt == 'f')
            only_frames = true;
        else if (opt == 'c')
            label = optarg;
        else if (opt == 'm')
            o.max_memory = strtoull(optarg, NULL, 10) * 1000000;
        else
            return usage();
    if (optind + 1 != argc)
        return usage();
    struct loaded best = {.s = 1e9}, one;
    size_t most = 0;
    struct trace *tr = NULL;
    for (int i = 0; i < runs; i++) {
        trace_close(tr);
        if (!(tr = load_model(argv[optind], &o, i ? INT64_MAX : 5 * SLICE_NS, &one)))
            return 2;
        most = i ? most : one.resident; /* later ones find what the allocator kept */
        if (one.s < best.s)
            best = one;
    }
    best.resident = most;
    const size_t peak = mem_peak();
    if (tr && label)
        curve_line(tr, label, &best, peak);
    else if (tr && o.max_memory)
        bounded(tr, (double)o.max_memory, &best);
    else if (tr && only_findings)
        findings(tr, &best, runs);
    else if (tr && only_frames)
        frames(tr, 80, 24), frames(tr, 200, 60);
    else if (tr && !only_load)
        whole(tr, argv[optind], &o, &best, runs, peak);
    trace_close(tr);
    return 0;
}
