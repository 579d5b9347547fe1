/* gens_help.h - the generations of a second-family trace, each with all its batches, without a model. */
#ifndef GOTOP_TESTS_GENS_HELP_H
#define GOTOP_TESTS_GENS_HELP_H

#include "decode/v2/v2_gen.h"

struct gens {
    struct source s;
    struct v2_gen g;
    size_t pos;
};

static inline struct gens gens_of(const uint8_t *p, size_t n, int version)
{
    return (struct gens){
        .s = {.data = p, .len = n, .version = version, .grows = true}, .g = {.lists = true}, .pos = 16};
}

/* The next one is in x->g; false: there is none. */
static inline bool gens_next(struct gens *x)
{
    return x->pos < x->s.len && v2_gen_scan(&x->s, &x->g, &x->pos) <= V2_GEN_LAST;
}

static inline void gens_free(struct gens *x)
{
    source_notes_free(&x->s);
    v2_gen_free(&x->g);
}

#endif
