/*
 * match.h - a search pattern, plain text or a regular expression, matched against a trace's strings.
 *
 * Smart case: a pattern without capitals, in any script that utf8_lower() knows, ignores case. Expressions
 * are POSIX extended; at most MATCH_MAX bytes of a string are searched and back references are rejected, so
 * one match has bounded cost.
 */
#ifndef GOTOP_TRIAGE_MATCH_H
#define GOTOP_TRIAGE_MATCH_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/trace.h"

enum { MATCH_MAX = 2048, MATCH_TEXT = 256 };

struct match {
    char text[MATCH_TEXT];
    size_t len;
    bool fold; /* ignore case */
    bool is_regex;
    bool files; /* match_stack(): so does the file of a frame */
    regex_t re;
    struct match_known { /* which strings and stacks of a trace match: each is tested once */
        uint8_t *is;
        size_t n;
    } str, stack;
};

/* match_init - compiles a pattern. A character that the screen shows as its code point, <5D0>, may be typed
 * like that. Returns false for a bad expression, with the reason in why[]. Call match_free() only after
 * true. */
bool match_init(struct match *m, const char *text, bool regex, char *why, size_t size);
void match_free(struct match *m); /* a zeroed struct is allowed */
/* match_str - returns whether the pattern occurs in s. An empty pattern matches nothing. */
bool match_str(const struct match *m, struct str s);

/* match_id, match_stack - return whether a string or stack of the trace matches: a stack when the function
 * of one of its frames does. String 0 and stack 0 never match. Several threads may ask concurrently. */
bool match_id(const struct match *m, const struct trace *tr, uint32_t str);
bool match_stack(const struct match *m, const struct trace *tr, uint32_t stack);
/* match_fit - makes room to remember all current strings and stacks. Returns false if out of memory; all
 * still works, more slowly. */
bool match_fit(struct match *m, const struct trace *tr);

#endif
