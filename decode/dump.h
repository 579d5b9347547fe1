/*
 * dump.h - the model as stable text: sorted, tab-separated records, in the form of the reference output of
 * Go's reader.
 *
 * One record a line: C event counts, F first own stacks, G goroutine intervals, H facts, K number of CPU
 * samples, L logs, M metric values, P running intervals per P, R ranges, S sums per goroutine, T tasks, U
 * regions, Z sums per state. A damaged trace ends with D records: offset, message. Names are escaped: no
 * control bytes.
 */
#ifndef GOTOP_DECODE_DUMP_H
#define GOTOP_DECODE_DUMP_H

#include <stdio.h>

#include "decode/trace.h"

/*
 * dump_trace - write all records of a loaded trace. ERR_IO: writing failed. ERR_NOMEM: some kinds of records
 * are missing.
 */
enum err_code dump_trace(const struct trace *tr, FILE *out);

#endif
