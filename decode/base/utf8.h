/*
 * utf8.h - characters of names that anyone may have written: which bytes are one, and which are never shown.
 */
#ifndef GOTOP_DECODE_UTF8_H
#define GOTOP_DECODE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* utf8_read - the character at p, of n > 0 bytes: its length, its code point in *c. 0: this is no strict
 * UTF-8. */
size_t utf8_read(const char *p, size_t n, uint32_t *c);
/* utf8_write - its bytes, 1 to 4; returns how many. c: at most 0x10FFFF. */
int utf8_write(uint32_t c, char out[4]);
/*
 * utf8_hidden - is this one never shown, wherever text goes? Controls of both sets, and what has no shape of
 * its own but changes what stands around it: directions, joiners, separators of lines, soft hyphens, tags,
 * selectors, private use.
 */
bool utf8_hidden(uint32_t c);
/*
 * utf8_lower - the small letter of a capital, else c itself: of Latin, Greek, Cyrillic and Armenian, in any
 * locale. It takes as many bytes as the capital.
 */
uint32_t utf8_lower(uint32_t c);
/* utf8_lower_at - the same of the character at p, of n > 0 bytes, in place; bytes that are none stay. Returns
 * how many it has. */
size_t utf8_lower_at(char *p, size_t n);
/* utf8_plain - are all n bytes characters that may be shown, or tabs and carriage returns? */
bool utf8_plain(const char *p, size_t n);

#endif
