/*
 * sched_sim.h - a scheduler that does anything a tracer may tell of, by chance, and writes it down as a trace
 * of several generations in the notation of tracegen.h: who runs where changes, calls, workers, tasks,
 * regions and ranges cross their seams.
 */
#ifndef GOTOP_TESTS_SCHED_SIM_H
#define GOTOP_TESTS_SCHED_SIM_H

#include "tests/unit/decode_help.h"

enum { SIM_M = 5, SIM_P = 4, SIM_G = 40, SIM_NONE = -1, SIM_TASKS = 6, SIM_DEPTH = 4 };
enum sim_status { SIM_GONE, SIM_RUNNABLE, SIM_RUNNING, SIM_SYSCALL, SIM_WAITING }; /* as GoStatus has them */

/* What a test may want more of. */
static struct {
    int first;    /* the first generation begins with so many values of the heap */
    int procs;    /* each generation tells that GOMAXPROCS is this */
    bool samples; /* CPU samples, of whom and when by chance */
} sim_with;

struct sim_g {
    enum sim_status status;
    int m;
    unsigned seq;
    bool told, assist, worker;
    int depth, region[SIM_DEPTH];
};
struct sim_p {
    enum { SIM_UNTOLD, SIM_P_RUNS, SIM_P_IDLE, SIM_P_CALL } status;
    int m;
    unsigned seq;
    bool told, sweeps;
};
struct sim {
    struct rng r;
    struct sim_g g[SIM_G];
    struct sim_p p[SIM_P];
    struct {
        int p, g;
        struct tracegen_buf text; /* of this generation */
    } m[SIM_M];
    int ng, gen;
    int64_t now;
    uint64_t gc_seq, next_task, task[SIM_TASKS];
    int ntask;
    bool gc, gc_last, procs_known;
};

/* An event of thread i, a while after the last one; now and then it begins a batch. */
#define SIM_DO(s, i, ...) \
    (sim_batch(s, i), tracegen_printf(&(s)->m[i].text, __VA_ARGS__), \
     tracegen_printf(&(s)->m[i].text, " @%" PRId64 "\n", (s)->now += 1 + (int64_t)below(&(s)->r, 900)))

static inline void sim_batch(struct sim *s, int i)
{
    if (!s->m[i].text.n || below(&s->r, 12) == 0)
        tracegen_printf(&s->m[i].text, "batch m=%d t=%" PRId64 "\n", i + 10, s->now);
}

static inline unsigned sim_stack(struct sim *s)
{
    return (unsigned)below(&s->r, 9);
}

static inline void sim_g_tell(struct sim *s, int m, int g)
{
    struct sim_g *v = &s->g[g];
    if (v->told)
        return;
    v->told = true;
    v->seq = 0;
    if (v->status == SIM_RUNNING || v->status == SIM_SYSCALL)
        SIM_DO(s, m, "GoStatus g=%d m=%d gstatus=%d", g + 1, v->m + 10, v->status);
    else if (below(&s->r, 2))
        SIM_DO(s, m, "GoStatus g=%d m=-1 gstatus=%d", g + 1, v->status);
    else
        SIM_DO(s, m, "GoStatusStack g=%d m=-1 gstatus=%d stack=main.f%u:%u", g + 1, v->status, sim_stack(s),
               1 + sim_stack(s));
    if (v->assist)
        SIM_DO(s, m, "GCMarkAssistActive g=%d", g + 1);
}

static inline void sim_p_tell(struct sim *s, int m, int p)
{
    static const char *const word[] = {"", "running", "idle", "syscall"};
    struct sim_p *v = &s->p[p];
    if (v->told)
        return;
    v->told = true;
    v->seq = 0;
    SIM_DO(s, m, "ProcStatus p=%d %s", p,
           v->m != m && v->status == SIM_P_CALL ? "abandoned" : word[v->status]);
    if (v->sweeps)
        SIM_DO(s, m, "GCSweepActive p=%d", p);
}

static inline int sim_any_g(struct sim *s, enum sim_status st)
{
    const int at = (int)below(&s->r, (uint64_t)s->ng);
    for (int i = 0; i < s->ng; i++)
        if (s->g[(at + i) % s->ng].status == st)
            return (at + i) % s->ng;
    return SIM_NONE;
}

static inline void sim_leaves(struct sim *s, int m, enum sim_status st)
{
    struct sim_g *g = &s->g[s->m[m].g];
    g->status = st;
    g->m = s->m[m].g = SIM_NONE;
}

static inline void sim_takes(struct sim *s, int m, int g)
{
    s->g[g].status = SIM_RUNNING;
    s->g[g].m = m;
    s->m[m].g = g;
}

static inline void sim_create(struct sim *s, int m, bool blocked)
{
    if (s->ng == SIM_G)
        return;
    const unsigned f = sim_stack(s);
    struct sim_g *g = &s->g[s->ng];
    *g = (struct sim_g){
        .status = blocked ? SIM_WAITING : SIM_RUNNABLE, .m = SIM_NONE, .told = true, .worker = f == 0};
    SIM_DO(s, m, "%s new_g=%d new_stack=%s%u:%u stack=main.f%u:7", blocked ? "GoCreateBlocked" : "GoCreate",
           ++s->ng, f ? "main.g" : "runtime.gcBgMarkWorker", f, f, sim_stack(s));
}

static inline void sim_note(struct sim *s, int m) /* its goroutine's tasks, regions, logs, labels */
{
    struct sim_g *g = &s->g[s->m[m].g];
    const int k = (int)below(&s->r, 7);
    if (k == 0 && s->ntask < SIM_TASKS) {
        s->task[s->ntask++] = ++s->next_task;
        SIM_DO(s, m, "UserTaskBegin task=%" PRIu64 " parent=%" PRIu64 " name=\"task%u\" stack=main.f%u:1",
               s->next_task, s->task[0], sim_stack(s) % 3, sim_stack(s));
    } else if (k == 1 && s->ntask) {
        const uint64_t id = s->task[--s->ntask];
        SIM_DO(s, m, "UserTaskEnd task=%" PRIu64 " stack=0", id);
    } else if (k == 2 && g->depth < SIM_DEPTH) {
        const int name = g->region[g->depth++] = (int)sim_stack(s) % 3;
        SIM_DO(s, m, "UserRegionBegin task=0 name=\"region%d\" stack=main.f%u:2", name, sim_stack(s));
    } else if (k == 3 && g->depth) {
        g->depth--;
        SIM_DO(s, m, "UserRegionEnd task=0 name=\"region%d\" stack=0", g->region[g->depth]);
    } else if (k == 4) {
        SIM_DO(s, m, "UserLog task=%" PRIu64 " key=\"k%u\" value=\"v\" stack=main.f1:3", s->next_task,
               sim_stack(s) % 3);
    } else if (k == 5 && g->worker) {
        SIM_DO(s, m, "GoLabel label=\"GC (dedicated)\"");
    } else if (k == 6) {
        SIM_DO(s, m, "HeapAlloc bytes=%u", 1000 * sim_stack(s));
    }
}

static inline void sim_collector(struct sim *s, int m)
{
    struct sim_g *g = &s->g[s->m[m].g];
    struct sim_p *p = &s->p[s->m[m].p];
    switch (below(&s->r, 4)) {
    case 0:
        SIM_DO(s, m, s->gc ? "GCEnd gc_seq=%" PRIu64 : "GCBegin gc_seq=%" PRIu64 " stack=main.f2:4",
               s->gc_seq + 1);
        s->gc_seq++;
        s->gc = !s->gc;
        break;
    case 1:
        SIM_DO(s, m, g->assist ? "GCMarkAssistEnd" : "GCMarkAssistBegin stack=main.f3:5");
        g->assist = !g->assist;
        break;
    case 2:
        SIM_DO(s, m, p->sweeps ? "GCSweepEnd swept=8192 reclaimed=4096" : "GCSweepBegin stack=main.f3:5");
        p->sweeps = !p->sweeps;
        break;
    default:
        SIM_DO(s, m, "STWBegin kind=\"kind%u\" stack=main.f4:6", sim_stack(s) % 2);
        SIM_DO(s, m, "STWEnd");
    }
}

/* Its goroutine leaves: it stops, blocks, ends, hands over, or makes a call. */
static inline void sim_go(struct sim *s, int m)
{
    struct sim_g *g = &s->g[s->m[m].g];
    const int other = sim_any_g(s, SIM_WAITING), k = (int)below(&s->r, 6);
    struct sim_p *p = &s->p[s->m[m].p];
    if (g->assist || (p->sweeps && k > 3))
        return;
    if (k == 0) {
        SIM_DO(s, m, "GoStop reason=\"preempted\" stack=main.f%u:8", sim_stack(s));
        sim_leaves(s, m, SIM_RUNNABLE);
    } else if (k <= 2) {
        SIM_DO(s, m, "GoBlock reason=\"%s\" stack=main.f%u:9", k == 1 ? "sync" : "chan receive",
               sim_stack(s));
        sim_leaves(s, m, SIM_WAITING);
    } else if (k == 3 && other != SIM_NONE) {
        const bool ends = below(&s->r, 3) == 0;
        sim_g_tell(s, m, other);
        SIM_DO(s, m, "%s g=%d g_seq=%u", ends ? "GoSwitchDestroy" : "GoSwitch", other + 1,
               s->g[other].seq + 1);
        s->g[other].seq++;
        sim_leaves(s, m, ends ? SIM_GONE : SIM_WAITING);
        sim_takes(s, m, other);
    } else if (k == 4 && s->ng > 8) {
        SIM_DO(s, m, "GoDestroy");
        sim_leaves(s, m, SIM_GONE);
    } else if (k == 5) {
        SIM_DO(s, m, "GoSyscallBegin p_seq=%u stack=main.f%u:10", p->seq + 1, sim_stack(s));
        p->seq++;
        p->status = SIM_P_CALL;
        g->status = SIM_SYSCALL;
    }
}

static inline void sim_call(struct sim *s, int m) /* its goroutine is in a call */
{
    if (s->m[m].p != SIM_NONE && below(&s->r, 2)) {
        sim_p_tell(s, m, s->m[m].p);
        sim_g_tell(s, m, s->m[m].g);
        SIM_DO(s, m, "GoSyscallEnd");
        s->p[s->m[m].p].status = SIM_P_RUNS;
        s->g[s->m[m].g].status = SIM_RUNNING;
    } else if (s->m[m].p == SIM_NONE) {
        sim_g_tell(s, m, s->m[m].g);
        SIM_DO(s, m, "GoSyscallEndBlocked");
        sim_leaves(s, m, SIM_RUNNABLE);
    }
}

/* A P is taken from a thread in a call. */
static inline void sim_steal(struct sim *s, int m)
{
    for (int p = 0; p < SIM_P; p++) {
        struct sim_p *v = &s->p[p];
        if (v->status != SIM_P_CALL || v->m == m)
            continue;
        sim_p_tell(s, m, p);
        SIM_DO(s, m, "ProcSteal p=%d p_seq=%u m=%d", p, v->seq + 1, v->m + 10);
        v->seq++;
        v->status = SIM_P_IDLE;
        s->m[v->m].p = SIM_NONE;
        v->m = SIM_NONE;
        return;
    }
}

static inline void sim_without_p(struct sim *s, int m)
{
    for (int p = 0; p < SIM_P; p++)
        if (s->p[p].status == SIM_P_IDLE) {
            sim_p_tell(s, m, p);
            SIM_DO(s, m, "ProcStart p=%d p_seq=%u", p, s->p[p].seq + 1);
            s->p[p].seq++;
            s->p[p].status = SIM_P_RUNS;
            s->p[p].m = m;
            s->m[m].p = p;
            return;
        }
    sim_steal(s, m);
}

static inline void sim_wake(struct sim *s, int m)
{
    const int g = sim_any_g(s, SIM_WAITING);
    if (g == SIM_NONE)
        return;
    sim_g_tell(s, m, g);
    SIM_DO(s, m, "GoUnblock g=%d g_seq=%u stack=main.f%u:11", g + 1, s->g[g].seq + 1, sim_stack(s));
    s->g[g].seq++;
    s->g[g].status = SIM_RUNNABLE;
}

static inline void sim_idle(struct sim *s, int m) /* it has a P and no goroutine */
{
    const int g = sim_any_g(s, SIM_RUNNABLE), k = (int)below(&s->r, 6);
    if (k <= 3 && g != SIM_NONE) {
        sim_g_tell(s, m, g);
        SIM_DO(s, m, "GoStart g=%d g_seq=%u", g + 1, s->g[g].seq + 1);
        s->g[g].seq++;
        sim_takes(s, m, g);
    } else if (k == 4 && !s->p[s->m[m].p].sweeps) {
        SIM_DO(s, m, "ProcStop");
        s->p[s->m[m].p].status = SIM_P_IDLE;
        s->p[s->m[m].p].m = SIM_NONE;
        s->m[m].p = SIM_NONE;
    } else {
        sim_wake(s, m);
    }
}

static inline void sim_step(struct sim *s)
{
    const int m = (int)below(&s->r, SIM_M), k = (int)below(&s->r, 8);
    const int g = s->m[m].g;
    if (!s->gc_last && g != SIM_NONE && s->g[g].status == SIM_RUNNING) {
        s->gc_last = true;
        SIM_DO(s, m, "GCActive gc_seq=%" PRIu64, ++s->gc_seq);
    }
    if (sim_with.procs && !s->procs_known && g != SIM_NONE && s->g[g].status == SIM_RUNNING) {
        s->procs_known = true;
        SIM_DO(s, m, "ProcsChange procs=%d stack=0", sim_with.procs);
    }
    if (g != SIM_NONE && s->g[g].status == SIM_SYSCALL)
        sim_call(s, m);
    else if (s->m[m].p == SIM_NONE)
        sim_without_p(s, m);
    else if (g == SIM_NONE)
        sim_idle(s, m);
    else if (k == 0)
        sim_create(s, m, below(&s->r, 4) == 0);
    else if (k == 1)
        sim_wake(s, m);
    else if (k <= 3)
        sim_note(s, m);
    else if (k == 4)
        sim_collector(s, m);
    else if (k == 5)
        sim_steal(s, m);
    else
        sim_go(s, m);
}

/* Who runs tells of itself first; of everybody else whoever meets it, or the last one. */
static inline void sim_gen_begin(struct sim *s)
{
    for (int i = 0; i < s->ng; i++)
        s->g[i].told = s->g[i].status == SIM_GONE;
    for (int i = 0; i < SIM_P; i++)
        s->p[i].told = false;
    s->gc_last = !s->gc;
    s->procs_known = false;
    for (int m = 0; m < SIM_M; m++)
        if (s->m[m].p != SIM_NONE && s->p[s->m[m].p].status == SIM_P_RUNS) {
            sim_p_tell(s, m, s->m[m].p);
            if (s->m[m].g != SIM_NONE)
                sim_g_tell(s, m, s->m[m].g);
        }
}

static inline bool sim_busy(const struct sim *s, int m)
{
    return s->m[m].p != SIM_NONE && s->p[s->m[m].p].status == SIM_P_RUNS;
}

static inline void sim_samples(struct sim *s, struct tracegen_buf *out, int64_t from)
{
    tracegen_printf(out, "batch m=-1 t=%" PRId64 "\nCPUSamples\n", from);
    for (int i = 0; i < 30; i++)
        tracegen_printf(out, "CPUSample time=%" PRId64 " m=%d p=%d g=%d stack=main.f%u:3\n",
                        from + (int64_t)below(&s->r, (uint64_t)(s->now - from)),
                        below(&s->r, 4) ? 10 + (int)below(&s->r, SIM_M + 1) : -1,
                        below(&s->r, 4) ? (int)below(&s->r, SIM_P + 1) : -1,
                        below(&s->r, 5) ? 1 + (int)below(&s->r, (uint64_t)s->ng + 2) : 0, sim_stack(s));
}

static inline void sim_gen_end(struct sim *s, struct tracegen_buf *out, int64_t from, bool last)
{
    int any = 0;
    while (any < SIM_M - 1 && !sim_busy(s, any))
        any++;
    for (int p = 0; p < SIM_P; p++)
        sim_p_tell(s, any, p);
    for (int g = 0; g < s->ng; g++)
        if (s->g[g].status == SIM_SYSCALL)
            sim_g_tell(s, s->g[g].m, g);
        else
            sim_g_tell(s, any, g);
    for (int m = 0; m < SIM_M; m++) {
        tracegen_put(out, s->m[m].text.n ? (char *)s->m[m].text.p : "", s->m[m].text.n);
        tracegen_free(&s->m[m].text);
    }
    if (sim_with.samples)
        sim_samples(s, out, from);
    if (!last)
        tracegen_printf(out, "endgen\n");
}

/* sim_trace - of so many generations, of so many steps each. free() it. */
static inline char *sim_trace(uint64_t seed, int gens, int steps)
{
    static struct sim s;
    struct tracegen_buf out = {0};
    s = (struct sim){.r = {seed * 0x9e3779b97f4a7c15u + 1}, .now = 1000};
    tracegen_printf(&out, "go 1.26\n");
    for (int m = 0; m < SIM_M; m++)
        s.m[m].p = s.m[m].g = SIM_NONE;
    for (int p = 0; p < SIM_P; p++) {
        s.p[p].status = p < 2 ? SIM_P_RUNS : SIM_P_IDLE;
        s.p[p].m = p < 2 ? p : SIM_NONE;
        if (p < 2)
            s.m[p].p = p;
    }
    for (s.ng = 0; s.ng < 6; s.ng++)
        s.g[s.ng] = (struct sim_g){.status = s.ng & 1 ? SIM_WAITING : SIM_RUNNABLE, .m = SIM_NONE};
    for (s.gen = 0; s.gen < gens; s.gen++) {
        const int64_t from = s.now;
        sim_gen_begin(&s);
        for (int i = 0; s.gen == 0 && i < sim_with.first; i++)
            SIM_DO(&s, 0, "HeapAlloc bytes=%d", i);
        for (int i = 0; i < steps; i++)
            sim_step(&s);
        sim_gen_end(&s, &out, from, s.gen == gens - 1);
        s.now += 100;
    }
    return (char *)out.p;
}

/* sim_harmed - of its batches about one of `one_in` is missing, and as many stand there twice. free() it. */
static inline char *sim_harmed(const char *text, uint64_t seed, unsigned one_in)
{
    struct rng r = {seed * 0x9e3779b97f4a7c15u + 1};
    struct tracegen_buf out = {0};
    for (const char *p = text, *next; *p; p = next) {
        next = strstr(p + 1, "\nbatch");
        const char *end = strstr(p + 1, "\nendgen");
        next = !next || (end && end < next) ? end : next;
        next = next ? next + 1 : p + strlen(p);
        const uint64_t what = strncmp(p, "batch", 5) ? 2 : below(&r, one_in);
        for (int times = what == 0 ? 0 : what == 1 ? 2 : 1; times > 0; times--)
            tracegen_put(&out, p, (size_t)(next - p));
    }
    return (char *)out.p;
}

#endif
