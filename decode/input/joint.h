/*
 * joint.h - several trace files of one program as one trace.
 *
 * A generation of the second family refers to nothing before it. So the generations of several files, in the
 * order of their numbers and behind one header, are a trace. A generation that is in several files is taken
 * once, from a file that has it whole. Where generations are missing, and between two recordings, there is a
 * gap: input.gap says where, and readers forget all states there (v2_order_forget()).
 *
 * The format doesn't name the program. That it is the same one is known by what no two processes share: a
 * process counts its generations up as long as it lives, on one clock; it keeps its threads; its functions
 * keep their addresses. ERR_APART: that isn't so, or the files are of the first family, each of which has a
 * beginning and an end of its own; the message says which and why. Two processes of one binary in separate
 * containers, both with low thread ids, can't be told apart if one was recorded after the other.
 */
#ifndef GOTOP_DECODE_JOINT_H
#define GOTOP_DECODE_JOINT_H

#include "decode/input/input.h"

enum { JOINT_MAX = 4096 }; /* number of files */

/* These are files beside the first one, in any order. */
struct joint_paths {
    const char *const *path;
    uint32_t n;
};

/* input_open_all - open path and `more` as one input; without `more` it is input_open(). The limit is for
 * all files together. */
enum err_code input_open_all(const char *path, const struct joint_paths *more, uint64_t limit,
                             struct input *in, struct err *e);
/* joint_follows - whether two traces in memory, as from two connections to a program, can be joined, the
 * second after the first. ERR_OK; ERR_APART: they can't, *e says why; ERR_NOMEM. */
struct joint_part {
    const uint8_t *p;
    size_t n;
};
enum err_code joint_follows(struct joint_part first, struct joint_part second, struct err *e);

#endif
