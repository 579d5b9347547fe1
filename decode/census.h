/*
 * census.h - counts what the bytes of a trace file are: events by kind, tables, generations.
 *
 * It reads the bytes alone, in file order, and interprets no event; the model (trace.h) does that.
 */
#ifndef GOTOP_DECODE_CENSUS_H
#define GOTOP_DECODE_CENSUS_H

#include "decode/input/dialect.h"
#include "decode/input/input.h"
#include "decode/base/err.h"
#include "decode/base/idmap.h"

#define CENSUS_NAME 32
struct census_kind {
    char name[CENSUS_NAME]; /* "GoCreate"; "" = there is no such event */
    uint64_t n, bytes;
};

struct census_gen { /* A generation; the first family has none. */
    uint64_t number, offset, bytes, batches, events, strings, stacks, samples;
    uint64_t time; /* of its earliest batch, in clock units */
    double unit;   /* ns per clock unit; 0 = the file does not say */
    bool whole;
};

struct census_table {
    uint64_t n, bytes;
};

struct census {
    struct census_kind kind[256]; /* timed events, by event number */
    struct census_table strings, stacks, samples, experiments, clock;
    uint64_t frames;    /* of all stacks */
    uint64_t structure; /* bytes of the file's header, of headers of batches and tables, and of end marks */
    uint64_t unread;    /* bytes behind damage, or unreadable */
    uint64_t events, batches, threads, bytes; /* threads: those that wrote batches (first family: Ps) */
    double hz;                                /* clock units per second; 0 = the file does not say */
    struct census_gen *gen;
    size_t ngen, capgen;
    struct idmap writers;
    struct err damage; /* the first one; code ERR_OK = none */
    bool oom;
};

/*
 * census_take - count an input's bytes into *c, which census_free() frees, after an error, too. ERR_NOMEM or
 * no trace header: *e says why. Damage is no error: it is in c->damage.
 */
enum err_code census_take(const struct input *in, struct census *c, struct err *e);
void census_free(struct census *c);

#endif
