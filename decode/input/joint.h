/*
 * joint.h - several trace files of one program as one trace.
 *
 * A generation of the second family refers to nothing before it, so the generations of several files, in the order of their
 * numbers and behind one header, are a trace. A generation that is in several files is taken once, from where it is whole.
 * Between two of which something is missing, or between two recordings, there is a gap: input.gap says where, and what
 * reads on there knows nothing of what had been before (decode/v2/v2_order.h).
 *
 * The format names no program. One program is told by what can't be the same of two: a process counts generations up
 * as long as it lives, on one clock; it keeps its threads; a function stands at one address. ERR_APART: that isn't so, or it
 * is the first family, whose files have a beginning and an end each; the message says which and why. Not told apart: two
 * processes of one binary in containers of their own, where both have low thread ids, if one was recorded after the other.
 */
#ifndef GOTOP_DECODE_JOINT_H
#define GOTOP_DECODE_JOINT_H

#include "decode/input/input.h"

enum { JOINT_MAX = 4096 }; /* files */

/* Further files, beside the one that is named first. In any order: the clock decides. */
struct joint_paths {
    const char *const *path;
    uint32_t n;
};

/*
 * joint_paths_add - a name of the command line: the first one goes to *first, the others to *more. They stand in room of
 * the program's own: one command line can be read. false: there are JOINT_MAX.
 */
bool joint_paths_add(struct joint_paths *more, const char **first, const char *path);
/* input_open_all - path and more as one input; with none more it is input_open(). Limit as there; of all together. */
enum err_code input_open_all(const char *path, const struct joint_paths *more, uint64_t limit, struct input *in,
                             struct err *e);
/*
 * joint_follows - two traces in memory, as that of a program that was connected to twice: can the second stand behind the first,
 * as one trace? ERR_OK; ERR_APART: no, *e says why; ERR_NOMEM.
 */
struct joint_part {
    const uint8_t *p;
    size_t n;
};
enum err_code joint_follows(struct joint_part first, struct joint_part second, struct err *e);

#endif
