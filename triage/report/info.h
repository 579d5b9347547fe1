/*
 * info.h - `gotop info`: what a trace file is, what it contains, and which questions it can answer.
 */
#ifndef GOTOP_TRIAGE_INFO_H
#define GOTOP_TRIAGE_INFO_H

#include "decode/census.h"
#include "triage/text.h"

int info_main(int argc, char **argv);

struct info {
    const char *path;
    uint64_t stored;        /* size of the file itself in bytes, 0 = unknown */
    const struct trace *tr; /* read to its end */
    const struct census *c;
    const struct err *packed; /* error in the compressed data; code ERR_OK = none */
};
/* info_text - adds the page, in lines of at most 80 characters. */
void info_text(struct text *t, const struct info *i);
/* info_json - returns the same as one JSON object, which the caller frees with mem_free(); NULL when out of
 * memory. */
char *info_json(const struct info *i);

/* One question about a trace, and whether this trace can answer it. */
enum info_can { INFO_NO, INFO_PARTLY, INFO_YES };
struct info_answer {
    const char *key, *question;
    enum info_can can;
    char why[96]; /* "" = as the question says */
};
/* info_answers - fills out[] and returns the number of answers, at most INFO_ANSWERS. */
#define INFO_ANSWERS 16
size_t info_answers(const struct info *i, struct info_answer out[INFO_ANSWERS]);

#define INFO_SCHEMA "gotop.info/2"

#endif
