/*
 * known.h - until when a damaged trace tells of a thread. Threads are kept as the processors they hold, so
 * one whose record has ended looks like one at rest.
 */
#ifndef GOTOP_TRIAGE_KNOWN_H
#define GOTOP_TRIAGE_KNOWN_H

#include <stdint.h>

#include "decode/trace.h"

/* known_torn - when a damaged trace first tells nothing of a processor; INT64_MAX: of no other, or never. */
int64_t known_torn(const struct trace *tr);
/*
 * known_until - until when a lane's record goes; torn: known_torn(). Of a thread that is at rest in the end
 * nothing is known from then on, though it may have run. Else INT64_MAX: what isn't recorded is a state of
 * its own.
 */
int64_t known_until(const struct trace *tr, int64_t torn, struct lane l);

#endif
