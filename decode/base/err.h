/*
 * err.h - errors as values.
 *
 * A fallible function returns enum err_code (ERR_OK is 0) and fills a caller-owned struct err. The message
 * is one line a user can act on: what was expected, what was found, at which file offset. It holds no control
 * bytes: err_set() replaces them, so a message may be printed as it is.
 */
#ifndef GOTOP_DECODE_ERR_H
#define GOTOP_DECODE_ERR_H

#include <stdint.h>

enum err_code {
    ERR_OK = 0,
    ERR_IO,        /* the system refused: missing, unreadable, a directory */
    ERR_NOT_TRACE, /* the first bytes are no trace header */
    ERR_VERSION,   /* a header no Go release writes */
    ERR_EMPTY,     /* the file is empty */
    ERR_NOMEM,     /* out of memory, or --max-memory reached */
    ERR_TRUNCATED, /* the input ends inside something */
    ERR_FORMAT,    /* bytes that the format does not allow */
    ERR_ORDER,     /* events that no order makes consistent */
    ERR_CLOCK,     /* time runs backwards */
    ERR_ARG,       /* the caller's request makes no sense */
    ERR_APART      /* traces that can't share a timeline: decode/input/joint.h */
};

#define ERR_NO_OFFSET UINT64_MAX

struct err {
    enum err_code code;
    uint32_t gen;    /* generation where it happened (second family), 0 if none */
    uint64_t offset; /* byte offset in the decompressed trace, ERR_NO_OFFSET if none */
    char what[200];  /* one line, no control bytes, NUL-terminated */
};

/* err_set - Fill *e and return code, so that "return err_set(...)" reads well. e may be NULL. */
enum err_code err_set(struct err *e, enum err_code code, uint64_t offset, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* err_nomem - err_set() for what has no offset and needs no more words: "out of memory". */
enum err_code err_nomem(struct err *e);

#endif
