/*
 * sum.h - sums of times. A trace of many goroutines that wait for years makes them larger than a number holds: they stay
 * at the largest one then.
 */
#ifndef GOTOP_TRIAGE_SUM_H
#define GOTOP_TRIAGE_SUM_H

#include <stdint.h>

static inline int64_t sum_ns(int64_t a, int64_t b) /* neither below 0 */
{
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

#endif
