/*
 * answer.h - an HTTP answer as it comes in: its status, and the bytes of its body. http-parser reads it.
 *
 * Nothing of it is trusted and little is kept: the status, where it redirects to. Headers are bounded by the
 * parser (80 KB), lengths of chunks are counted and never allocated. One thread, no memory but the struct.
 */
#ifndef GOTOP_DECODE_ANSWER_H
#define GOTOP_DECODE_ANSWER_H

#include <http_parser.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ANSWER_TO = 1024, ANSWER_INTERIM = 16 /* "100 Continue" and the like, before the answer proper */ };

struct answer {
    http_parser parser;
    int status;         /* of the answer proper; 0: it isn't known yet */
    bool whole;         /* all of it has come */
    const char *broken; /* it is no HTTP, and why; NULL: it is so far */
    char to[ANSWER_TO]; /* "Location: " of a redirect; "": none, or too long */
    /* while it is read: */
    bool begun, at_location;
    unsigned interim;
    size_t nto;
    uint8_t *out;
    char name[16];
    size_t nname;
};

void answer_begin(struct answer *a);
/* answer_take - n more bytes. Those of the body stand at p when it returns: so many. What comes behind the
 * answer, or is no HTTP, is left out. */
size_t answer_take(struct answer *a, uint8_t *p, size_t n);
/* answer_end - no more bytes come: an answer without a length is whole then. */
void answer_end(struct answer *a);

#endif
