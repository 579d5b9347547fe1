/*
 * known.h - until when a damaged trace records a thread. Threads are stored as the processors they hold, so
 * a thread whose record has ended looks like an idle one.
 */
#ifndef GOTOP_TRIAGE_KNOWN_H
#define GOTOP_TRIAGE_KNOWN_H

#include <stdint.h>

#include "decode/trace.h"

/* known_torn - returns when a damaged trace first stops recording a processor; INT64_MAX if it never does. */
int64_t known_torn(const struct trace *tr);
/* known_until - returns until when a lane is recorded; torn: the result of known_torn(). From then on
 * nothing is known of a thread that is idle at its end, though it may have run. Otherwise INT64_MAX:
 * unrecorded time is a state of its own. */
int64_t known_until(const struct trace *tr, int64_t torn, struct lane l);

#endif
