/*
 * v1_names.h - the first family's ids of strings and stacks to interned ones.
 *
 * Tables are not built ahead: a string or stack is read where the index found it when it is first asked for, so
 * that only names in use take memory and the hot ones get the small ids.
 */
#ifndef GOTOP_DECODE_V1_NAMES_H
#define GOTOP_DECODE_V1_NAMES_H

#include "decode/v1/symbols.h"
#include "decode/v1/v1_index.h"

/* Values of the index's maps are file offsets, or with this set the interned id; UINT64_MAX: not there. */
#define V1_KNOWN (UINT64_C(1) << 63)

struct v1_names {
    struct source *s;
    struct v1_index *ix;
    struct symbols *symbols; /* NULL: bare program counters stay bare */
    struct frame *frames;    /* room for one stack */
    uint64_t missing;        /* stacks and strings asked for in vain */
    bool long_told;          /* that a name is too long has been said */
    bool oom;
};

enum err_code v1_names_init(struct v1_names *vn, struct source *s, struct v1_index *ix);
void v1_names_free(struct v1_names *vn);
/* v1_string - interned id; a string that the (cut) file lacks is "#17". */
uint32_t v1_string(struct v1_names *vn, uint64_t id);
uint32_t v1_stack(struct v1_names *vn, uint64_t id); /* 0 if the file lacks it */
/* v1_start - the one-frame stack of a start function, given by its bare address. */
uint32_t v1_start(struct v1_names *vn, uint64_t pc);
uint32_t v1_text(struct v1_names *vn, const char *p, uint32_t len); /* bytes of the input, or static ones */

#endif
