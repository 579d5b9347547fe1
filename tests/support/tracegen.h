/*
 * tracegen.h - a small text notation for traces, and the way to and from their bytes. For tests only.
 *
 * A scheduler's corner case becomes a readable test, in any dialect of both families:
 *
 *     go 1.26
 *     batch m=7 t=100
 *     ProcStatus +1 p=0 running
 *     GoStatus +1 g=1 m=7 running
 *     GoCreate +5 new_g=2 new_stack=main.worker:30 stack=main.main:12
 *     GoBlock +5 reason="chan receive" stack=main.main:14
 *     GoStart +1 g=2 g_seq=1
 *
 * One thing a line; '#' starts a comment. The first line names the dialect: 'go 1.5' .. 'go 1.26', or
 * 'prototype'.
 *
 * Events. Name (Go's), then time, then arguments, 'name=value' or bare in their order.
 *   +D       time since the previous event of the batch; @T the absolute time instead. Default: +0 in the
 *            first family, +1 in the second.
 *   numbers  decimal, 0x.., or negative (written as the 64-bit pattern); words for states: running, idle,
 *            waiting ..
 *   strings  "text" (escapes \" \\ \n \t \r \xHH): gets an id in the string table; or the id itself
 *   stacks   main.f:10,main.main:20 innermost first: function, line; also main.f@file.go:10 and
 *            main.f:10!0x4321 with a program counter, !0x4321 with nothing else (prototype, 1.5). Or the id
 *            itself, 0 = none (the default).
 *   1.5      dseq=D, the step of the global sequence number; default: events are numbered in the text's
 *            order.
 *
 * Structure.
 *   batch    first family: p=0 t=0 (1.5: seq=). Second: gen=, m=-1, t=; gen stays as it is. size= is computed
 *            and padded as Go's runtime does; size=N and pad=0 (minimal bytes) override.
 *   expbatch an experimental batch (1.23 on): exp=1 gen= m= t=, its contents as 'raw'
 *   endgen   ends a generation: writes what is still owed (below), the end mark from 1.26 on, and counts gen
 *            up
 *   tables   writes the strings and stacks used so far, here
 *   raw      bytes in hexadecimal, as they are: 'raw de ad be ef'. As the first line: a file without header.
 *   end      ends the batch; what follows as 'raw' stands outside
 *   noauto   nothing is added: no tables, clock or end mark but those in the text
 * Table entries can be written by hand: Stacks, Stack id=1 pc:func:file:line.., Strings, String id=1 "text",
 * CPUSamples, CPUSample, Sync, Frequency, ClockSnapshot.
 *
 * What is owed at the end of a generation (second family) or of the file (first): the clock, if the text gave
 * none (1 000 000 000 units a second: times are nanoseconds), string and stack tables, the end mark.
 */
#ifndef GOTOP_TESTS_TRACEGEN_H
#define GOTOP_TESTS_TRACEGEN_H

#include <stddef.h>
#include <stdint.h>

struct tracegen_buf { /* bytes that grow; p is from malloc(), and NUL-terminated behind n */
    uint8_t *p;
    size_t n, cap;
};
void tracegen_put(struct tracegen_buf *b, const void *p, size_t n);
void tracegen_printf(struct tracegen_buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void tracegen_varint(struct tracegen_buf *b, uint64_t v, unsigned pad); /* pad: at least so many bytes */
void tracegen_free(struct tracegen_buf *b);

/*
 * tracegen_encode - text to bytes. 0, or -1 with a message "line N: .." in err. *out is empty on entry, the
 * caller's to free either way.
 */
int tracegen_encode(const char *text, struct tracegen_buf *out, char *err, size_t errlen);
/*
 * tracegen_decode - bytes to text, such that encoding the text gives the same bytes, whatever they are: what
 * the dialect does not allow becomes 'raw' lines. Never fails but for want of memory, which ends the program.
 */
void tracegen_decode(const void *data, size_t n, struct tracegen_buf *out);

/* tracegen_bytes - for tests: encode, or print the error and abort. The result is malloc'd. */
uint8_t *tracegen_bytes(const char *text, size_t *n);

/* ---- the event tables, for tests that walk them -------------------------------------------------------- */

struct tracegen_event {
    const char *name;
    uint8_t num;
    int since, until; /* first and last dialect of this form: 0 the prototype, 1005 .. 1026 */
    const char *args; /* separated by blanks; the last byte says what an argument is: $ string, @ stack, ^
                         program counter, % state; otherwise a number */
};
#define TRACEGEN_ARGS 8
/* tracegen_event - the i-th event with a time stamp of a dialect's family; NULL behind the last. */
const struct tracegen_event *tracegen_event(int version, size_t i);
const struct tracegen_event *tracegen_by_name(int version, const char *name);
const struct tracegen_event *tracegen_by_num(int version, unsigned num);
/* tracegen_args - split an event's argument list: names (at most 15 bytes) and
 * kinds. Returns their number. */
unsigned tracegen_args(const struct tracegen_event *e, char name[TRACEGEN_ARGS][16],
                       char kind[TRACEGEN_ARGS]);
/* tracegen_state - the word for a state of argument `arg` (pstatus, gstatus), NULL if there is none. */
const char *tracegen_state(const char *arg, uint64_t v);
/* tracegen_header - the header's bytes; returns their number, 8 or 16. */
size_t tracegen_header(int version, uint8_t out[16]);

#endif
