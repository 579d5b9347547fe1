/*
 * match.h - a pattern as typed by a reader: plain text or a regular expression, held against a trace's
 * strings.
 *
 * Smart case: a pattern without capitals, of any script that utf8_lower() knows, matches both cases.
 * Expressions are POSIX extended ones; at most MATCH_MAX bytes of a string are looked at, and back references
 * are refused, so one look has bounded cost.
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
    regex_t re;
};

/*
 * match_init - a character that the screen writes as its code point, <5D0>, may be typed as that, too. false:
 * a bad expression; why[] says what is wrong with it. match_free() only after true.
 */
bool match_init(struct match *m, const char *text, bool regex, char *why, size_t size);
void match_free(struct match *m); /* a zeroed one is allowed */
/* match_str - does it occur in s? An empty pattern matches nothing. */
bool match_str(const struct match *m, struct str s);

/*
 * match_cache - which strings and stacks match, remembered: each is looked at once. A stack matches when the
 * function of one of its frames does, or with files the file. A zeroed cache is empty. Several threads may
 * ask one cache beside each other.
 */
struct match_cache {
    uint8_t *str, *stack; /* 0 not looked at, 1 no, 2 yes */
    uint32_t nstr, nstack;
    bool files;
};
/* match_cache_fit - room for all there are now; false: out of memory (it still answers, slower). */
bool match_cache_fit(struct match_cache *c, const struct trace *tr);
void match_cache_free(struct match_cache *c);
/* match_id, match_stack - does a string, a stack of the trace match? String 0 and stack 0 don't. */
bool match_id(const struct match *m, struct match_cache *c, const struct trace *tr, uint32_t str);
bool match_stack(const struct match *m, struct match_cache *c, const struct trace *tr, uint32_t stack);

#endif
