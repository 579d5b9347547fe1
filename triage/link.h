/*
 * link.h - the id of a place in a trace, the same in all commands: "g17@1250000ns", a lane and a moment; and
 * with its file, "trace.out@1250000ns:g17". `find`, `report --json` and SQL print them, `explain` and the
 * viewer take them.
 */
#ifndef GOTOP_TRIAGE_LINK_H
#define GOTOP_TRIAGE_LINK_H

#include "triage/text.h"

enum { LINK_PLACE = 64 }; /* bytes of a place's id */

void link_place(char out[LINK_PLACE], int64_t t, enum lane_kind k, uint64_t id);
/* link_add - adds the id with its file, cleaned. */
void link_add(struct text *out, const char *path, int64_t t, enum lane_kind k, uint64_t id);
/* link_split - if the word is such an id and not itself the name of a file, cuts it to its file and stores
 * the place in `place`. The moment is written as elsewhere: 1.25s, 40%, 14:03:22. */
bool link_split(char *word, char place[LINK_PLACE]);

#endif
