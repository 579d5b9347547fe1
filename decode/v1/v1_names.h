/*
 * v1_names.h - the first family's ids of strings and stacks -> interned ids.
 *
 * A string or stack is read, from where the index found it, when it is first asked for. So only names in use
 * take memory, and the commonest ones tend to get small ids, which pack well.
 */
#ifndef GOTOP_DECODE_V1_NAMES_H
#define GOTOP_DECODE_V1_NAMES_H

#include "decode/v1/symbols.h"
#include "decode/v1/v1_index.h"

/* A value of the index's maps (struct v1_ids) is a file offset, or with this bit set an interned id;
 * UINT64_MAX: there is none. */
#define V1_KNOWN (UINT64_C(1) << 63)

struct v1_names {
    struct source *s;
    struct v1_index *ix;
    struct symbols *symbols; /* NULL: bare program counters stay bare */
    struct frame *frames;    /* room for one stack */
    uint64_t missing;        /* uses of stacks and strings that are not in the file */
    bool cut;                /* one of them is the stack behind the last one of the table */
    bool long_reported;      /* it was reported that a name is too long */
    bool oom;
};

/* v1_names_init - s and ix must outlive it. ERR_NOMEM: v1_names_free() it all the same. */
enum err_code v1_names_init(struct v1_names *vn, struct source *s, struct v1_index *ix);
void v1_names_free(struct v1_names *vn);
/* v1_string, v1_stack - the interned id. A string that the file lacks becomes "#17", a stack 0. Out of
 * memory: 0, and vn->oom. */
uint32_t v1_string(struct v1_names *vn, uint64_t id);
uint32_t v1_stack(struct v1_names *vn, uint64_t id);
/* v1_start - a stack of one frame for a start function, given by its address. */
uint32_t v1_start(struct v1_names *vn, uint64_t pc);
/* v1_text - the interned id of these bytes; copy: they don't live as long as the names. */
uint32_t v1_text(struct v1_names *vn, const char *p, uint32_t len, bool copy);

#endif
