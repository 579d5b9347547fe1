/*
 * symbols.h - look up function, file and line of a bare program counter in the program's ELF binary.
 *
 * Traces of the prototype and of Go 1.5 and 1.6 hold addresses only. Every Go binary, stripped or not,
 * holds Go's own line table (pclntab). No program that records such a trace has a newer table than Go
 * 1.2's, so that layout is the only one that is read. Nothing in the binary is trusted: every look-up is
 * bounded, and a wrong table gives no answer.
 */
#ifndef GOTOP_DECODE_SYMBOLS_H
#define GOTOP_DECODE_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/base/err.h"

struct symbols;

struct symbol {              /* names are borrowed from the symbols */
    const char *func, *file; /* file may be NULL */
    uint32_t func_len, file_len;
    uint64_t line; /* 0 = unknown */
};

/* symbols_open - map a binary. symbols_open_mem - the same for bytes that outlive the symbols. */
enum err_code symbols_open(const char *path, struct symbols **out, struct err *e);
enum err_code symbols_open_mem(const void *data, size_t len, struct symbols **out, struct err *e);
void symbols_close(struct symbols *s); /* NULL is allowed */
/* symbols_find - the function and line of the instruction at pc. For a return address pass pc - 1. O(log
 * functions). */
bool symbols_find(const struct symbols *s, uint64_t pc, struct symbol *out);

#endif
