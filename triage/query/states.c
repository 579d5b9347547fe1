/* states.c - see states.h. */
#include "triage/query/states.h"

#include <strings.h>

#include "decode/trace.h"

uint32_t states_named(const char *word)
{
    static const struct {
        const char *name;
        uint32_t states;
    } also[] = {{"gc", 1u << ST_GC | 1u << ST_GCWORK | 1u << ST_ASSIST},
                {"assist", 1u << ST_ASSIST},
                {"stw", 1u << ST_STW},
                {"blocked", 1u << ST_WAITING},
                {"ready", 1u << ST_RUNNABLE},
                {"runq", 1u << ST_RUNNABLE},
                {"sched", 1u << ST_SCHED},
                {"scheduler", 1u << ST_SCHED},
                {"worker", 1u << ST_GCWORK},
                {"syscall", 1u << ST_SYSCALL},
                {"unknown", 1u << ST_UNKNOWN}};
    uint32_t bits = 0;
    for (int st = ST_NONE + 1; st < ST_COUNT; st++)
        if (!strcasecmp(word, state_name((enum state)st)))
            bits |= 1u << st;
    for (unsigned i = 0; i < sizeof also / sizeof *also; i++)
        if (!strcasecmp(word, also[i].name))
            bits |= also[i].states;
    return bits;
}

uint32_t states_of_goroutine(const char *word)
{
    return states_named(word) & (1u << ST_RUNNING | 1u << ST_RUNNABLE | 1u << ST_WAITING | 1u << ST_SYSCALL |
                                 1u << ST_GCWORK | 1u << ST_ASSIST | 1u << ST_UNKNOWN);
}
