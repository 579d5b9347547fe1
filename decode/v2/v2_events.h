/*
 * v2_events.h - the table of events of the second family. events_v2.def holds the rows and explains the
 * columns.
 */
#ifndef GOTOP_DECODE_V2_EVENTS_H
#define GOTOP_DECODE_V2_EVENTS_H

#include <stdint.h>

enum v2_dialect { /* GO_123 is Go 1.23, as in the version of struct dialect */
#define D(minor, who) GO_1##minor = 1000 + (minor),
#include "decode/v2/events_v2.def"
};
enum v2_event {
#define X(n, id, ...) V2_##id = n,
#include "decode/v2/events_v2.def"
};
enum v2_means {
    V2_MEANS_nothing, /* no such event */
#define X(n, id, name, since, nargs, context, after, strs, stacks, rule) V2_MEANS_##rule,
#define E(...)
#include "decode/v2/events_v2.def"
    V2_MEANS_counted
};

enum v2_context { V2_CM = 1, V2_CP = 2, V2_CG = 4, V2_NG = 8, V2_SELF = 16, V2_OWN = 32, V2_TELLS = 64 };
enum v2_after {
    V2_AFTER_ANY,
    V2_AFTER_G_RUNS,
    V2_AFTER_G_WAKES,
    V2_AFTER_P_IDLE,
    V2_AFTER_P_CALL,
    V2_AFTER_P_OWN,
    V2_AFTER_P_LEAVES,
    V2_AFTER_GC,
    V2_AFTER_G_NEW,
    V2_AFTER_P_NEW
};

#define V2_ASSUMED_HZ 15625000  /* 64 ns per clock unit, as on nearly every system */
#define V2_ARGS 4               /* most arguments of an event */
#define V2_NO_THREAD UINT64_MAX /* thread of a batch or an event that has none (m = -1) */

struct v2_spec {
    uint8_t nargs; /* number of arguments + 1; 0: no such event */
    uint8_t context, after, since;
    uint8_t means;
    uint8_t strs, stacks; /* bit i set: argument i is the id of a string, of a stack */
    const char *name;     /* such as GO_CREATE */
};
extern const struct v2_spec v2_specs[256];

/* v2_means - Returns what an event means. Compare this, not event numbers: several events may mean the
 * same. */
static inline enum v2_means v2_means(uint8_t type)
{
    return v2_specs[type].means;
}

#endif
