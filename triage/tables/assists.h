/*
 * assists.h - when goroutines ran within a mark assist: they may be stopped there, and may wait for work to assist with.
 *
 * A goroutine assists again and again, so its assists are gone through together: what it did is unpacked once, not once for each.
 */
#ifndef GOTOP_TRIAGE_ASSISTS_H
#define GOTOP_TRIAGE_ASSISTS_H

#include "decode/trace.h"

/* A goroutine's assist, and a time that overlaps it in which it ran, on which P (NO_LANE: not known). */
struct assist_run {
    const struct range *r;
    int64_t t0, t1;
    uint8_t state;
    uint32_t p;
};
/* assists_each - all of them, one goroutine after another, by time. Returns false as soon as f does, or is unwanted, or without memory. */
bool assists_each(const struct trace *tr, bool (*f)(void *arg, const struct assist_run *a), void *arg);

#endif
