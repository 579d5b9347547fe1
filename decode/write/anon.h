/*
 * anon.h - write a trace without the names of its program.
 *
 * Functions, files, tasks, regions, logs and labels get names that say nothing but their kind: p3.f17,
 * file4.go, task1, region2, key1, log9. The same name gets the same replacement everywhere in the trace,
 * depending on all its uses in the whole trace; so its events are read first, as for any view. Go's own
 * names stay: functions of the standard library, and their files without the folder that Go is installed in;
 * wait and stop reasons; labels of mark workers. No other text of the trace is kept.
 *
 * Memory: what decoding needs, and 48 bytes for each name.
 */
#ifndef GOTOP_DECODE_ANON_H
#define GOTOP_DECODE_ANON_H

#include "decode/write/cut.h"
#include "decode/base/idmap.h"
#include "decode/trace.h"

enum anon_role {              /* the use of a string; if it has several, the first in this list decides */
                 ANON_REASON, /* wait, stop and STW reasons: Go's own words */
                 ANON_FUNC,
                 ANON_FILE,
                 ANON_TASK,
                 ANON_REGION,
                 ANON_KEY,
                 ANON_LOG,
                 ANON_LABEL,
                 ANON_OTHER,
                 ANON_PACKAGE,
                 ANON_ROLES
};
#define ANON_MAX 1100 /* most bytes of a replacement */

/* Start with zeros except on_replaced and arg; free with anon_free(). on_replaced(), if not NULL, is called
 * once for each replaced name. */
struct anon {
    void (*on_replaced)(void *arg, const char *role, const char *now, size_t nnow, const uint8_t *was,
                        size_t nwas);
    void *arg;
    struct idmap uses;  /* hash of a name -> all its uses */
    struct idmap names; /* hash of a name -> its number within its role */
    uint32_t count[ANON_ROLES];
    uint64_t replaced, kept; /* number of strings in tables that were replaced, that were kept */
    bool oom;
};
void anon_free(struct anon *a);

/* anon_note - Note the uses of a name in the whole trace: a bit for each role, and ANON_STANDARD for a file
 * that has a standard function. Note all names before asking for one. Out of memory: a->oom. */
#define ANON_STANDARD (1u << ANON_ROLES)
void anon_note(struct anon *a, struct str name, unsigned uses);
/* anon_name - Write the replacement of a string, or the string if it stays, to out. Returns its length, at
 * most ANON_MAX bytes. */
size_t anon_name(struct anon *a, struct str s, char *out);

struct anon_result {
    uint64_t strings, kept; /* number of names in tables: all; those that stay */
    uint64_t dropped;       /* number of batches of experiments, whose contents are unknown and left out */
    struct err damage;      /* the first damage of the trace, or ERR_OK */
    bool ended; /* nothing after the damage is written; else zeros replace the bytes that can't be read */
};
/* anon_trace - Write the trace without names to the outlet. a: zeros except on_replaced and arg; call
 * anon_free() afterwards. Returns ERR_ARG if `in` is several traces with times between them, ERR_IO if the
 * outlet broke, or ERR_NOMEM. Damage is no error: see res. */
enum err_code anon_trace(const struct input *in, struct anon *a, struct outlet *out, struct anon_result *res,
                         struct err *e);

#endif
