/*
 * info.h - `gotop info`: what a trace file is and holds, and what it can answer.
 *
 * argv[0] is the command's name. Exit status: 0 done, 2 wrong usage or unreadable, 3 told, but a part can't
 * be read.
 */
#ifndef GOTOP_TRIAGE_INFO_H
#define GOTOP_TRIAGE_INFO_H

#include "decode/census.h"
#include "triage/text.h"

int info_main(int argc, char **argv);

struct info {
    const char *path;
    uint64_t stored;        /* bytes of the file itself, 0 = not known */
    const struct trace *tr; /* loaded to its end */
    const struct census *c;
    const struct err *packed; /* what is wrong with the compression, code ERR_OK = nothing */
};
/* info_text - the page, in lines of at most 80 characters. */
void info_text(struct text *t, const struct info *i);
/* info_json - the same as one JSON object, mem_free() it; NULL: out of memory. */
char *info_json(const struct info *i);

/*
 * info_archive - of a zip archive: its traces with size, dialect and length, one a line, or as JSON. How many
 * there are; -1: out of memory, or the archive is damaged (e).
 */
struct zip;
int info_archive(struct text *t, const char *path, const struct zip *z, bool json, const struct trace_opts *o,
                 struct err *e);

/* What there is to ask of a trace, and whether this one can say it. */
enum info_can { INFO_NO, INFO_PARTLY, INFO_YES };
struct info_answer {
    const char *key, *question;
    enum info_can can;
    char why[96]; /* "" = as the question has it */
};
/* info_answers - fills out[], returns how many; at most INFO_ANSWERS. */
#define INFO_ANSWERS 16
size_t info_answers(const struct info *i, struct info_answer out[INFO_ANSWERS]);

#define INFO_SCHEMA "gotop.info/1"

#endif
