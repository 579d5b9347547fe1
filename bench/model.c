/*
 * model.c - how fast a trace becomes a model, what the model costs, and how fast it is drawn.
 *
 *   model [-t THREADS] [-n RUNS] TRACE
 *
 * Each run opens and loads the trace anew; the best run counts, since others only show what else the machine did.
 * Private memory is what decode/mem.h handed out; the mapped file is not in it. Frames are drawn to a grid, without a
 * terminal, at every zoom by powers of 16 from the whole trace to single spans, in the middle of the trace.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "decode/mem.h"
#include "decode/trace_priv.h"
#include "layout/frame.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double cpu(void)
{
    struct rusage r;
    getrusage(RUSAGE_SELF, &r);
    return (double)r.ru_utime.tv_sec + (double)r.ru_stime.tv_sec + (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) * 1e-6;
}

static struct trace *load(const char *path, int threads, double *seconds, double *cpu_s)
{
    struct trace_opts o = {.threads = threads};
    struct trace *tr;
    struct err e;
    double t0 = now(), c0 = cpu();
    if (trace_open(path, &o, &tr, &e)) {
        fprintf(stderr, "model: %s: %s\n", path, e.what);
        return NULL;
    }
    while (trace_load(tr, INT64_MAX) != LOAD_DONE) {
    }
    *seconds = now() - t0;
    *cpu_s = cpu() - c0;
    return tr;
}

static uint64_t seg_bytes(const struct segvec *v)
{
    uint64_t n = 0;
    for (unsigned k = 0; k < SEG_MAX; k++)
        n += v->seg[k] ? ((uint64_t)1 << (k + SEG_FIRST_BITS)) * v->size : 0;
    return n;
}

/* What the model consists of; the parts are the arrays' capacities. */
static void account(const struct trace *tr)
{
    const struct fold *f = &tr->fold;
    uint64_t spans = 0, blocks = 0, lanes = 0, holds = 0, ranges = 0, points = 0;
    for (int k = 0; k < LANE_KINDS; k++) {
        if (k != LANE_M)
            lanes += f->caplane[k] * sizeof(struct spanlane);
        for (size_t i = 0; k != LANE_M && i < f->nlane[k]; i++) {
            const struct spanlane *l = &f->lane[k][i];
            spans += spans_count(l);
            blocks += l->capblk * sizeof(struct blk) + (l->group ? (l->capblk / SPAN_GROUP + 1) * sizeof(int64_t) : 0);
        }
    }
    lanes += f->capg * sizeof *f->g + f->capp * sizeof *f->p + f->capm * sizeof *f->m;
    for (size_t i = 0; i < f->nlane[LANE_M]; i++)
        holds += f->m[i].lane.cap * sizeof(struct hold) + f->m[i].lane.capsum * sizeof(struct holdsum) + f->m[i].lane.caprec;
    for (int k = 0; k < RANGE_KINDS; k++)
        ranges += f->range[k].cap * sizeof(struct range);
    for (int k = 0; k < METRIC_COUNT; k++)
        points += f->points[k].cap * sizeof(struct point);
    uint64_t names = seg_bytes(&tr->names.strs) + seg_bytes(&tr->names.frames) + seg_bytes(&tr->names.pool) + seg_bytes(&tr->names.stacks);
    const struct {
        const char *what;
        uint64_t bytes;
    } part[] = {{"packed spans", f->pool.packed_bytes}, {"block index", blocks}, {"lanes", lanes}, {"thread holds", holds},
                {"ranges", ranges}, {"metric points", points}, {"names and stacks", names},
                {"state counts", GB_MAX * sizeof(struct gbucket)}};
    printf("memory account (%" PRIu64 " spans, %.2f packed bytes each):\n", spans, spans ? (double)f->pool.packed_bytes / (double)spans : 0);
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        printf("  %-18s %12" PRIu64 " bytes  %6.3f per file byte  %6.3f per event\n", part[i].what, part[i].bytes,
               (double)part[i].bytes / (double)tr->info.bytes, (double)part[i].bytes / (double)tr->info.events);
}

static double frame_ms(struct view *v, struct grid *g)
{
    struct frame_text txt = {0};
    double best = 1e9;
    for (int i = 0; i < 5; i++) {
        double t = now();
        if (!frame_draw(g, v, &txt))
            return -1;
        t = now() - t;
        best = t < best ? t : best;
    }
    return best * 1e3;
}

static void frames(const struct trace *tr, int w, int h)
{
    static const int views[] = {2, 3, 4};
    static const char *const name[] = {"processors", "goroutines", "threads"};
    for (size_t k = 0; k < 3; k++) {
        struct view v;
        struct grid g = {0};
        if (!view_init(&v, tr))
            return;
        view_resize(&v, w, h);
        view_loaded(&v);
        view_switch(&v, views[k]);
        printf("frame %dx%d %-10s ms by zoom x16:", w, h, name[k]);
        view_zoom_all(&v);
        view_at(&v, trace_info(tr)->end / 2);
        for (int z = 0; z < 7; z++) {
            printf(" %.2f", frame_ms(&v, &g));
            view_zoom(&v, 4);
        }
        printf("\n");
        grid_free(&g);
        view_free(&v);
    }
}

/* From nothing to the first lanes: open, load for 15 ms as the viewer does, draw. */
static double first_lanes_ms(const char *path, int threads)
{
    struct trace_opts o = {.threads = threads};
    struct trace *tr;
    struct err e;
    struct view v;
    struct grid g = {0};
    struct frame_text txt = {.loading = true};
    double t0 = now(), t = -1;
    if (trace_open(path, &o, &tr, &e))
        return -1;
    while (trace_load(tr, 15000000) != LOAD_DONE && !trace_nlanes(tr, LANE_P)) {
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

int main(int argc, char **argv)
{
    int threads = 0, runs = 3, opt;
    while ((opt = getopt(argc, argv, "t:n:")) != -1) {
        if (opt == 't')
            threads = atoi(optarg);
        else if (opt == 'n')
            runs = atoi(optarg);
        else
            return 2;
    }
    if (optind + 1 != argc) {
        fprintf(stderr, "usage: model [-t THREADS] [-n RUNS] TRACE\n");
        return 2;
    }
    const char *path = argv[optind];
    double s, c, best = 1e9, best_cpu = 1e9;
    struct trace *tr = NULL;
    double first = first_lanes_ms(path, threads);
    for (int i = 0; i < runs; i++) {
        trace_close(tr);
        if (!(tr = load(path, threads, &s, &c)))
            return 2;
        best = s < best ? s : best;
        best_cpu = c < best_cpu ? c : best_cpu;
    }
    const struct trace_info *in = trace_info(tr);
    double ev = (double)in->events, mb = (double)in->bytes / 1e6;
    printf("%s: %s, %.1f MB, %" PRIu64 " events, %.2f bytes each, %d threads asked\n", path, in->dialect, mb, in->events,
           (double)in->bytes / ev, threads);
    printf("model: %.3f s, %.1f MB/s, %.2f M events/s, %.1f ns an event; CPU %.3f s, %.1f ns an event\n", best, mb / best,
           ev / best / 1e6, best * 1e9 / ev, best_cpu, best_cpu * 1e9 / ev);
    printf("private memory: peak %.1f MB, %.2f per file byte\n", (double)mem_peak() / 1e6, (double)mem_peak() / 1e6 / mb);
    account(tr);
    printf("first lanes after %.0f ms\n", first);
    frames(tr, 80, 24);
    frames(tr, 200, 60);
    trace_close(tr);
    return 0;
}
