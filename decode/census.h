/*
 * census.h - what a trace file is made of, byte by byte: events by kind, tables, generations.
 *
 * Reads the bytes alone, in file order, and understands none of them; the model (trace.h) does that.
 */
#ifndef GOTOP_DECODE_CENSUS_H
#define GOTOP_DECODE_CENSUS_H

#include "decode/input/dialect.h"
#include "decode/input/input.h"
#include "decode/base/err.h"
#include "decode/base/idmap.h"

#define CENSUS_NAME 32
struct census_kind {
    char name[CENSUS_NAME]; /* "GoCreate"; "" = no such event */
    uint64_t n, bytes;
};

struct census_gen { /* a generation; of the first family there is none */
    uint64_t number, offset, bytes, batches, events, strings, stacks, samples;
    uint64_t time; /* of its earliest batch, clock units */
    double unit;   /* ns per unit; 0 = not told */
    bool whole;
};

struct census_table {
    uint64_t n, bytes;
};

struct census {
    struct census_kind kind[256]; /* timed events, by number */
    struct census_table strings, stacks, samples, experiments, clock;
    uint64_t frames;                          /* of all stacks */
    uint64_t structure;                       /* bytes of headers of the file, of batches, of tables, end marks */
    uint64_t unread;                          /* bytes behind the damage, or that can't be read */
    uint64_t events, batches, threads, bytes; /* threads: that wrote batches; in the first family Ps */
    double hz;                                /* clock units per second, 0 = the file doesn't say */
    struct census_gen *gen;
    size_t ngen, capgen;
    struct idmap writers;
    struct err damage; /* where reading ended early; code ERR_OK = it didn't */
    bool oom;
};

enum err_code census_take(const struct input *in, struct census *c, struct err *e);
void census_free(struct census *c);

#endif
