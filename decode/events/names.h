/*
 * names.h - strings and stacks of a whole trace, interned.
 *
 * One writer (the reader thread) adds; any number of readers look up ids that they were handed through the
 * event queue. Storage is segmented (segment k holds 2^k times the first one's elements) and never moves, so
 * a look-up needs no lock. Ids are dense and in order of first appearance: hot names get small ids, which
 * pack well. String 0 is "", stack 0 is "no stack"; both exist from the start.
 */
#ifndef GOTOP_DECODE_NAMES_H
#define GOTOP_DECODE_NAMES_H

#include "decode/base/idmap.h"
#include "decode/trace.h"

#define SEG_FIRST_BITS 8
#define SEG_MAX 25
struct segvec {  /* grows, never moves */
    size_t size; /* size of an element in bytes */
    uint32_t n;
    void *seg[SEG_MAX];
};

#define NAMES_HELPERS 64
struct names {
    struct segvec strs;      /* struct str, and its hash */
    struct segvec frames;    /* struct frame, shared by all stacks */
    struct segvec stacks;    /* struct stack_ref */
    struct lists {           /* see names.c */
        struct segvec chunk; /* uint16_t * */
        uint16_t *last;
        uint32_t used, cap;            /* of the last chunk, in elements */
        uint64_t all;                  /* total capacity of the chunks */
    } lists, copies;                   /* the stacks' frame ids; bytes of strings that are not in the input */
    struct idmap hstr, hframe, hstack; /* ids by hash: see names.c */

    uint32_t helper[NAMES_HELPERS], nhelper; /* strings that are such functions (helper.h), the first */
};

/* names_init - begin with the empty string as 0 and the empty stack as 0. ERR_NOMEM: call names_free() all
 * the same. */
enum err_code names_init(struct names *nm);
void names_free(struct names *nm);
/* names_rest - free the hash tables; nothing can be added after that. */
void names_rest(struct names *nm);

/* names_str - intern bytes; *id is their id. This and the functions below return ERR_OK or ERR_NOMEM. copy:
 * copy the bytes, which don't live as long as the names (the mapped input does). */
enum err_code names_str(struct names *nm, const char *p, uint32_t len, bool copy, uint32_t *id);
/* names_str_of - intern string i of other names. */
enum err_code names_str_of(struct names *nm, const struct names *from, uint32_t i, bool copy, uint32_t *id);
/* names_stack - intern a stack, frame 0 innermost. n = 0 gives id 0. names_frame_id - intern a frame. */
enum err_code names_stack(struct names *nm, const struct frame *f, uint32_t n, uint32_t *id);
enum err_code names_frame_id(struct names *nm, const struct frame *f, uint32_t *id);
/*
 * For a reader that has read stacks by itself and adds them in the file's order. All stacks of a trace are
 * added this way, or none is.
 *
 * names_stack_like - intern a stack of the n frames with these ids; `hash` is a hash of what it says, the
 * same for the same stack. names_frame_hash - such a hash of one frame: equal in all names that have the
 * frame. names_stack_ahead - fetch what looking up a stack of that hash will read first.
 */
enum err_code names_stack_like(struct names *nm, uint32_t hash, const uint32_t *ids, uint32_t n,
                               uint32_t *id);
uint64_t names_frame_hash(const struct names *nm, const struct frame *f);
static inline void names_stack_ahead(const struct names *nm, uint32_t hash)
{
    if (nm->hstack.cap)
        __builtin_prefetch(nm->hstack.key + (hash & (nm->hstack.cap - 1)));
}

/* names_nframes - the number of frames; names_frame_at - one of them, in the order of their first appearance.
 * For the writer only. */
static inline uint32_t names_nframes(const struct names *nm)
{
    return nm->frames.n;
}
struct frame names_frame_at(const struct names *nm, uint32_t id);

/* names_nstrs, names_nstacks - the number of strings, of stacks; another thread may add more meanwhile. */
static inline uint32_t names_nstrs(const struct names *nm)
{
    return __atomic_load_n(&nm->strs.n, __ATOMIC_RELAXED);
}
static inline uint32_t names_nstacks(const struct names *nm)
{
    return __atomic_load_n(&nm->stacks.n, __ATOMIC_RELAXED);
}
struct str names_get(const struct names *nm, uint32_t id);                    /* out of range: "" */
uint32_t names_depth(const struct names *nm, uint32_t stack);                 /* out of range: 0 */
struct frame names_frame(const struct names *nm, uint32_t stack, uint32_t i); /* out of range: all zero */
/* names_ids - write the ids of a stack's frames from frame `from` on, at most `most`, which names_frame_at()
 * takes; returns their number. Equal frames have equal ids. */
uint32_t names_ids(const struct names *nm, uint32_t stack, uint32_t from, uint32_t *id, uint32_t most);
uint32_t names_root_func(const struct names *nm, uint32_t stack); /* string id of the last frame's function */

/* names_helper - whether a string is a helper function (decode/events/helper.h). */
static inline bool names_helper(const struct names *nm, uint32_t id)
{
    return any_of(i, __atomic_load_n(&nm->nhelper, __ATOMIC_ACQUIRE), nm->helper[i] == id);
}
/* names_runs - string id of the function that the goroutine with this stack runs: that of its last frame
 * or, if that is a helper, the function that the helper runs. begins: the goroutine's start function, 0:
 * not known. Returns 0 if the stack doesn't say: it was cut off before that function, or has nothing but
 * the helper. */
uint32_t names_runs(const struct names *nm, uint32_t stack, uint32_t begins);

#endif
