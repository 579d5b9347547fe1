/*
 * dump.h - the model as stable text: tab-separated records, sorted, in the form of Go's reader's reference output.
 *
 * One record a line: C event counts, F first own stacks, G goroutine intervals, H facts, K number of CPU samples,
 * L logs, M metric values, P running intervals by processor, R ranges, S sums per goroutine, T tasks, U regions,
 * Z sums per state; a damaged trace ends with D records: offset, message. Names are escaped: no control bytes.
 */
#ifndef GOTOP_DECODE_DUMP_H
#define GOTOP_DECODE_DUMP_H

#include <stdio.h>

#include "decode/trace.h"

/* dump_trace - write all records of a loaded trace. ERR_IO: writing failed. ERR_NOMEM: whole kinds of records are missing. */
enum err_code dump_trace(const struct trace *tr, FILE *out);

#endif
