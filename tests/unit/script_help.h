/*
 * script_help.h - a small trace made step by step, as a script for the generator: one thread on P0 that
 * begins with G1 running; then what triage tells of it.
 */
#ifndef GOTOP_TESTS_SCRIPT_HELP_H
#define GOTOP_TESTS_SCRIPT_HELP_H

#include "triage_help.h"

#include "tests/support/tracegen.h"

#define MS 1000000LL
#define US 1000LL
/* Equal times are pushed apart by 1 ns each; a step of a script takes up to a few microseconds. */
#define assert_near_ns(a, b) assert_in_range((a) + 20000 - (b), 0, 40000)

#ifndef SCRIPT_MOST
#define SCRIPT_MOST (1 << 17)
#endif

struct script { /* of one thread on P0 that begins with G1 running */
    char p[SCRIPT_MOST];
    size_t n;
    int64_t now;
    unsigned seq[512], p_seq; /* of goroutines, of P0 */
    unsigned events;          /* of the batch, which may have 64 KiB */
};
static struct script script;

static void ev(int64_t at, const char *name, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static void ev(int64_t at, const char *name, const char *fmt, ...)
{
    struct script *s = &script;
    va_list ap;
    assert_true(at >= s->now);
    if (++s->events % 4096 == 0)
        s->n += (size_t)snprintf(s->p + s->n, sizeof s->p - s->n, "batch m=7 t=%lld\n", (long long)s->now);
    s->n += (size_t)snprintf(s->p + s->n, sizeof s->p - s->n, "%s +%lld ", name, (long long)(at - s->now));
    va_start(ap, fmt);
    s->n += (size_t)vsnprintf(s->p + s->n, sizeof s->p - s->n, fmt, ap);
    va_end(ap);
    s->n += (size_t)snprintf(s->p + s->n, sizeof s->p - s->n, "\n");
    assert_true(s->n < sizeof s->p - 1);
    s->now = at;
}

static inline void begin(unsigned procs)
{
    script.n = (size_t)snprintf(script.p, sizeof script.p,
                                "go 1.26\nbatch m=7 t=0\nProcStatus +0 p=0 running\n"
                                "GoStatus +0 g=1 m=7 running\nProcsChange +0 procs=%u stack=0\n",
                                procs);
    script.now = 0;
    script.p_seq = script.events = 0;
    memset(script.seq, 0, sizeof script.seq);
}

static inline void start(int64_t at, unsigned g)
{
    ev(at, "GoStart", "g=%u g_seq=%u", g, ++script.seq[g]);
}

static inline void wake(int64_t at, unsigned g, const char *stack)
{
    ev(at, "GoUnblock", "g=%u g_seq=%u stack=%s", g, ++script.seq[g], stack);
}

static inline void block(int64_t at, const char *reason, const char *stack)
{
    ev(at, "GoBlock", "reason=\"%s\" stack=%s", reason, stack);
}

static inline void create(int64_t at, unsigned g, const char *f)
{
    ev(at, "GoCreate", "new_g=%u new_stack=main.%s:1 stack=main.main:%u", g, f, 10);
}

/* P0 has nothing to do from t0 to t1. */
static inline void nothing_to_do(int64_t t0, int64_t t1)
{
    ev(t0, "ProcStop", "%s", "");
    ev(t1, "ProcStart", "p=0 p_seq=%u", ++script.p_seq);
}

static inline void over(int64_t at)
{
    ev(at, "GoDestroy", "%s", "");
}

static inline void yield(int64_t at)
{
    ev(at, "GoStop", "%s", "reason=\"preempted\" stack=main.work:3");
}

static inline void call(int64_t t0, int64_t t1, const char *stack)
{
    ev(t0, "GoSyscallBegin", "p_seq=%u stack=%s", ++script.p_seq, stack);
    ev(t1, "GoSyscallEnd", "%s", "");
}

#define at_rest "time.Sleep:1,main.rest:4"

struct made {
    uint8_t *bytes;
    struct loaded l;
};

static inline void made_of(struct made *m)
{
    struct err e = {0};
    struct trace_opts o = {0};
    size_t n;
    *m = (struct made){.bytes = tracegen_bytes(script.p, &n), .l = {.path = "made"}};
    assert_int_equal(trace_open_mem(m->bytes, n, &o, &m->l.tr, &e), ERR_OK);
    while (trace_load(m->l.tr, INT64_MAX) == LOAD_MORE) {
    }
    if (trace_info(m->l.tr)->ndamages) {
        print_error("%s\n", trace_damage(m->l.tr, 0)->what);
        fail();
    }
    assert_int_equal(triage_new(m->l.tr, &m->l.tg, &e), ERR_OK);
    assert_int_equal(triage_step(m->l.tg, INT64_MAX), TRIAGE_DONE);
    assert_int_equal(findings_of(m->l.tg, &m->l.fs, &e), ERR_OK);
}

static inline void unmade(struct made *m)
{
    load_free(&m->l);
    free(m->bytes);
}

static inline const struct finding *told(const struct made *m, enum rule r)
{
    return help_told(&m->l, r);
}

static inline uint32_t lane_of(const struct made *m, uint64_t id)
{
    return trace_find_lane(m->l.tr, LANE_G, id);
}

#endif
