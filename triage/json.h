/*
 * json.h - jansson on our memory: what it takes is counted and can fail like everything else, and a failure
 * in the middle of an object is known at its end.
 */
#ifndef GOTOP_TRIAGE_JSON_H
#define GOTOP_TRIAGE_JSON_H

#include <jansson.h>
#include <stdbool.h>

/* json_begin - before the first value of a document. What json_dumps() returns
 * is mem_free()'s from then on. */
void json_begin(void);
/* json_whole - has every allocation since json_begin() succeeded? */
bool json_whole(void);

#endif
