/*
 * answer.h - an HTTP answer as it arrives: its status, and the bytes of its body. http-parser reads it.
 *
 * Nothing in it is trusted and little is kept: the status and the target of a redirect. The parser bounds
 * headers (80 KB); lengths of chunks are counted and never allocated. One thread, no memory but the struct.
 */
#ifndef GOTOP_DECODE_ANSWER_H
#define GOTOP_DECODE_ANSWER_H

#include <http_parser.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ANSWER_TO = 1024, ANSWER_INTERIM = 16 /* an interim answer such as "100 Continue" */ };

struct answer {
    http_parser parser;
    int status;         /* status of the final answer; 0: not known yet */
    bool whole;         /* the answer is complete */
    const char *broken; /* why it is not valid HTTP; NULL: valid so far */
    char to[ANSWER_TO]; /* "Location: " of a redirect; "": absent or too long */
    /* state of the parser: */
    bool begun, at_location;
    unsigned interim;
    size_t nto;
    uint8_t *out;
    char name[16];
    size_t nname;
};

void answer_begin(struct answer *a);
/* answer_take - parse n more bytes. Moves those of the body to p and returns their number. Bytes after the
 * answer's end, or that are not HTTP, are dropped. */
size_t answer_take(struct answer *a, uint8_t *p, size_t n);
/* answer_end - no more bytes arrive: an answer without a length is complete then. */
void answer_end(struct answer *a);

#endif
