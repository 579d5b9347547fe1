/*
 * play_help.h - goroutines of a few lines each, played one at a time to a trace: each is a step that ends in
 * a wait or an end. Who tests a rule plays its fault, and beside it a twin that has the same waits and no
 * fault.
 */
#ifndef GOTOP_TESTS_PLAY_HELP_H
#define GOTOP_TESTS_PLAY_HELP_H

#include "made_help.h"

enum { GS = 1200, MS = 1000000, NEVER = -1 };

struct play {
    struct tracegen_buf b;
    int64_t now;
    unsigned seq[GS], n, ready[GS], nready, at;
    int64_t due[GS]; /* a timer wakes it then */
    int phase[GS];   /* its own, for its step */
    void (*step[GS])(struct play *p, unsigned g);
    int slots; /* how many are left */
    unsigned queue[GS], nqueue;
    bool fault;
};

static inline void begin(struct play *p, bool fault)
{
    *p = (struct play){.fault = fault, .now = 1000};
    for (unsigned i = 0; i < GS; i++)
        p->due[i] = NEVER;
    tracegen_printf(&p->b, "go 1.26\nbatch m=7 t=0\nProcStatus +0 p=0 running\nGoStatus +0 g=1 m=7 running\n"
                           "ProcsChange +0 procs=1 stack=0\n");
    p->n = 1;
}

static inline int64_t later(struct play *p)
{
    if (++p->at % 400 == 0)
        tracegen_printf(&p->b, "batch m=7 t=%lld\n", (long long)p->now);
    return p->now += 1000;
}

/* The one that runs begins another one. */
static inline unsigned born(struct play *p, const char *name, const char *by,
                            void (*step)(struct play *, unsigned))
{
    const unsigned g = ++p->n;
    assert_true(g < GS);
    tracegen_printf(&p->b, "GoCreate @%lld new_g=%u new_stack=%s stack=%s\n", (long long)later(p), g, name,
                    by);
    p->step[g] = step;
    p->ready[p->nready++] = g;
    return g;
}

/* The one that runs, or nobody, wakes g. */
static inline void wake(struct play *p, unsigned g, const char *stack)
{
    p->due[g] = NEVER;
    tracegen_printf(&p->b, "GoUnblock @%lld g=%u g_seq=%u%s%s\n", (long long)later(p), g, ++p->seq[g],
                    stack ? " stack=" : " stack=0", stack ? stack : "");
    p->ready[p->nready++] = g;
}

static inline void waits(struct play *p, unsigned g, const char *reason, const char *stack, int64_t ns)
{
    tracegen_printf(&p->b, "GoBlock @%lld reason=\"%s\" stack=%s\n", (long long)later(p), reason, stack);
    p->due[g] = ns == NEVER ? NEVER : p->now + ns;
}

/* A task of the one that runs begins, or ends. */
static inline void task(struct play *p, unsigned id, bool begins)
{
    if (begins)
        tracegen_printf(&p->b, "UserTaskBegin @%lld task=%u parent=0 name=\"job\" stack=0\n",
                        (long long)later(p), id);
    else
        tracegen_printf(&p->b, "UserTaskEnd @%lld task=%u stack=0\n", (long long)later(p), id);
}

static inline void ends(struct play *p)
{
    tracegen_printf(&p->b, "GoDestroy @%lld\n", (long long)later(p));
}

/* Plays to that moment, and what is told of it. */
static inline void play(struct play *p, int64_t end, struct made *m)
{
    for (;;) {
        unsigned g = 0;
        if (p->nready) {
            g = p->ready[0];
            memmove(p->ready, p->ready + 1, --p->nready * sizeof *p->ready);
            tracegen_printf(&p->b, "GoStart @%lld g=%u g_seq=%u\n", (long long)later(p), g, ++p->seq[g]);
            p->step[g](p, g);
            continue;
        }
        for (unsigned i = 1; i <= p->n; i++)
            g = p->due[i] != NEVER && (!g || p->due[i] < p->due[g]) ? i : g;
        if (!g || p->due[g] > end)
            break;
        p->now = p->due[g] > p->now ? p->due[g] : p->now;
        wake(p, g, NULL);
    }
    p->now = end > p->now ? end : p->now;
    wake(p, 1, NULL);
    make(m, (const char *)p->b.p);
    tracegen_free(&p->b);
}

static inline void expect(void (*scene)(struct play *p), int64_t end, enum rule r)
{
    for (int fault = 1; fault >= 0; fault--) {
        struct play p;
        struct made m;
        begin(&p, fault);
        scene(&p);
        play(&p, end, &m);
        const struct finding *f = help_told(&m.l, r);
        if (fault && (!f || f->note))
            fail_msg("%s: %s", rule_id(r), f ? "is a note" : "is not told");
        if (!fault && f && !f->note)
            fail_msg("%s is told of its twin", rule_id(r));
        unmake(&m);
    }
}

#endif
