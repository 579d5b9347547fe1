/*
 * g_names.h - the start function of each goroutine in a byte, for those who ask for many in no order: few
 * programs have more than some dozens of start functions.
 */
#ifndef GOTOP_TRIAGE_G_NAMES_H
#define GOTOP_TRIAGE_G_NAMES_H

#include "decode/trace.h"

enum { G_NAMES = 255 }; /* so many are told apart; a goroutine with another one has this as its number */
struct g_names {
    const struct trace *tr;
    uint32_t ng, n, name[G_NAMES]; /* ng: goroutines; n: names, strings */
    uint8_t of[];                  /* by goroutine: its name's number */
};

/* g_names_new - of a loaded trace; NULL: out of memory, or no longer wanted. The caller frees it (mem_free).
 * g_name - what trace_g_name() says of a goroutine. */
struct g_names *g_names_new(const struct trace *tr);
static inline uint32_t g_name(const struct g_names *k, uint32_t g)
{
    const uint8_t i = g < k->ng ? k->of[g] : G_NAMES;
    return i < G_NAMES ? k->name[i] : trace_g_name(k->tr, g);
}

#endif
