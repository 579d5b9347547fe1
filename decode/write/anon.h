/*
 * anon.h - write a trace without the names of its program.
 *
 * Functions, files, tasks, regions, logs and labels get names that say nothing but their kind: p3.f17,
 * file4.go, task1, region2, key1, log9. The same name gets the same replacement everywhere in the trace, by
 * all that the whole trace uses it as: a trace is read twice. What is Go's own stays: functions of the
 * standard library, and their files without the folder that Go is installed in; why a goroutine waits, why
 * the world stops, labels of mark workers. Nothing else of the trace's text is kept.
 *
 * Memory: the strings' places of one generation (second family) or of the whole file (first family), and 48
 * bytes for each name.
 */
#ifndef GOTOP_DECODE_ANON_H
#define GOTOP_DECODE_ANON_H

#include "decode/write/cut.h"
#include "decode/base/idmap.h"

enum anon_role {              /* what a string is used as; of several uses the first in this list decides */
                 ANON_REASON, /* why a goroutine waits or stops, why the world stops: Go's own words */
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
#define ANON_MAX 1100 /* bytes a name may become */

/* All zeros but on_replaced and arg to begin with; free with anon_free(). on_replaced(), if not NULL, is
 * called once for each name that is replaced. */
struct anon {
    void (*on_replaced)(void *arg, const char *role, const char *now, size_t nnow, const uint8_t *was,
                        size_t nwas);
    void *arg;
    struct idmap uses;  /* hash of a name -> its role, of all that it is used as, and whose file it is */
    struct idmap names; /* hash of a name -> its number within its role */
    uint32_t count[ANON_ROLES];
    uint64_t replaced, kept; /* strings in tables that were, that weren't */
    bool oom;
};
void anon_free(struct anon *a);

struct anon_str {     /* a string of a table, and what it's used as */
    const uint8_t *p; /* its bytes; NULL: it was only mentioned so far */
    uint32_t len;
    uint8_t role;
    uint64_t func; /* of a file: the id of a function in it */
};
struct anon_table { /* strings by their ids; all zeros = empty */
    struct anon_str *s;
    size_t n, cap;
    struct idmap ids;
    bool oom;
};
/* anon_string - the string with this id, which is added at its first mention.
 * NULL: out of memory (t->oom). */
struct anon_str *anon_string(struct anon_table *t, uint64_t id);
/* anon_text - set its bytes, unless they are set. anon_role - note a use. anon_frame - note the uses of a
 * frame's strings. */
void anon_text(struct anon_table *t, uint64_t id, const uint8_t *p, uint32_t len);
void anon_role(struct anon_table *t, uint64_t id, enum anon_role r);
void anon_frame(struct anon_table *t, const uint64_t frame[4]);
void anon_table_clear(struct anon_table *t); /* for the next generation: keeps its memory */
void anon_table_free(struct anon_table *t);
/*
 * anon_note - what the strings of a table are used as, for the whole trace: once all of its tables are noted,
 * names are asked for. anon_note_text - the same of a text that stands in no table. a->oom: out of memory.
 */
void anon_note(struct anon *a, const struct anon_table *t);
void anon_note_text(struct anon *a, const uint8_t *p, size_t n, enum anon_role role);
/* anon_name - write what replaces a string, or the string if it stays, to out, at most ANON_MAX bytes;
 * returns how many. */
size_t anon_name(struct anon *a, const uint8_t *p, size_t n, char *out);

struct anon_result {
    uint64_t strings, kept; /* in tables: all; those that stay as they are */
    uint64_t dropped;       /* batches of experiments, whose contents are not known and are left out */
    struct err damage;      /* where the trace is damaged; ERR_OK: nowhere */
    bool ended; /* nothing behind that is written; else zeros stand for the bytes that can't be read */
};
/*
 * anon_trace - write the trace without names to the outlet; a: all zeros but for `on_replaced` and its arg,
 * anon_free() it afterwards. ERR_ARG: in is several traces with times between them. ERR_IO: the outlet broke.
 * ERR_NOMEM. Damage is no error: res tells of it. anon_v1, anon_v2 - the same of a family.
 */
enum err_code anon_trace(const struct input *in, struct anon *a, struct outlet *out, struct anon_result *res,
                         struct err *e);
enum err_code anon_v1(const struct rewrite *r, struct anon *a, struct anon_result *res, struct err *e);
enum err_code anon_v2(const struct rewrite *r, struct anon *a, struct anon_result *res, struct err *e);

#endif
