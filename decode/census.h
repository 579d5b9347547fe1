/*
 * census.h - counts what a trace file has: events by kind, entries of its tables, generations.
 *
 * It reads the bytes alone, in file order, and interprets no event; the model (trace.h) does that.
 */
#ifndef GOTOP_DECODE_CENSUS_H
#define GOTOP_DECODE_CENSUS_H

#include "decode/input/dialect.h"
#include "decode/input/input.h"
#include "decode/base/err.h"

struct census_kind {
    const char *name; /* "GoCreate"; NULL: there is no such event */
    uint64_t n;
};

struct census_gen { /* A generation; the first family has none. */
    uint64_t number, offset, bytes, events;
    uint64_t time; /* of its earliest batch, in clock units */
    double unit;   /* ns per clock unit; 0 = the file does not say */
    bool whole;
};

struct census {
    struct census_kind kind[256];      /* timed events, by event number */
    uint64_t strings, stacks, samples; /* entries of the tables */
    uint64_t events, batches;
    double hz; /* clock units per second; 0 = the file does not say */
    struct census_gen *gen;
    size_t ngen, capgen;
};

/*
 * census_take - count what an input has into *c, which census_free() frees, after an error, too. ERR_NOMEM or
 * no trace header: *e says why. What can't be read is not counted; the model tells of it.
 */
enum err_code census_take(const struct input *in, struct census *c, struct err *e);
void census_free(struct census *c);

#endif
