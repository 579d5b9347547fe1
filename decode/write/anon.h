/*
 * anon.h - a trace without the names of the program it is of.
 *
 * Functions, files, tasks, regions, logs, labels get names that say what they are and nothing else: p3.f17, file4.go,
 * task1, region2, key1, log9. The same name is replaced by the same one, everywhere in the trace. What belongs to Go
 * itself stays: the standard library's functions, and its files without the folder Go is installed in; why a goroutine
 * waits, why the world stops, what a mark worker's label says. Nothing else of the trace's text is kept.
 *
 * A table of where names stand is held, of one generation (second family) or all (first family), and 24 bytes a name.
 */
#ifndef GOTOP_DECODE_ANON_H
#define GOTOP_DECODE_ANON_H

#include "decode/write/cut.h"
#include "decode/base/idmap.h"

enum anon_role {              /* what a string is used as; the lowest that holds decides */
                 ANON_REASON, /* of a wait, a stop, of stopping the world: Go's own words */
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

/* told - of every replacement when it's made first, if it isn't NULL. */
struct anon {
    void (*told)(void *arg, const char *role, const char *now, size_t nnow, const uint8_t *was, size_t nwas);
    void *arg;
    struct idmap names; /* hash of a name -> its number within its role, and the role */
    uint32_t count[ANON_ROLES];
    uint64_t replaced, kept; /* strings of tables */
    bool oom;
};
void anon_free(struct anon *a);

struct anon_str {     /* a string of a table, and what it's used as */
    const uint8_t *p; /* NULL: only mentioned so far */
    uint32_t len;
    uint8_t role;
    uint64_t func; /* a file: the id of one of its functions */
};
struct anon_table { /* strings by their ids; all zeros = empty */
    struct anon_str *s;
    size_t n, cap;
    struct idmap ids;
    bool oom;
};
/* anon_string - the string with this id, which is in the table from its first mention on. NULL: out of memory. */
struct anon_str *anon_string(struct anon_table *t, uint64_t id);
/* anon_text - what it says; the first time counts. anon_role - what it's used as. anon_frame - a frame's function and file. */
void anon_text(struct anon_table *t, uint64_t id, const uint8_t *p, uint32_t len);
void anon_role(struct anon_table *t, uint64_t id, enum anon_role r);
void anon_frame(struct anon_table *t, const uint64_t frame[4]);
void anon_table_clear(struct anon_table *t);
void anon_table_free(struct anon_table *t);
/* anon_name - what stands for a string; at most ANON_MAX bytes. */
size_t anon_name(struct anon *a, const struct anon_table *t, const struct anon_str *s, char *out);

struct anon_result {
    uint64_t strings, kept; /* in tables: all, those that stay as they are */
    uint64_t dropped;       /* batches that are no part of the format (experiments) */
    struct err damage;      /* where the trace is damaged: what is written ends there */
};
enum err_code anon_trace(const struct input *in, struct anon *a, struct outlet *out, struct anon_result *res,
                         struct err *e);
enum err_code anon_v1(const struct rewrite *r, struct anon *a, struct anon_result *res, struct err *e);
enum err_code anon_v2(const struct rewrite *r, struct anon *a, struct anon_result *res, struct err *e);

#endif
