/*
 * utf8.h - characters in names from untrusted sources: which bytes form one, and which are never shown.
 */
#ifndef GOTOP_DECODE_UTF8_H
#define GOTOP_DECODE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* utf8_read - Read the character at p, of n > 0 bytes. Returns its length, and its code point in *c. 0: not
 * strict UTF-8. */
size_t utf8_read(const char *p, size_t n, uint32_t *c);
/* utf8_write - Write the 1 to 4 bytes of c, at most 0x10FFFF. Returns how many. */
int utf8_write(uint32_t c, char out[4]);
/* utf8_hidden - Whether a character is never shown in any text: controls of both sets, and invisible ones
 * that change the text around them: directions, joiners, line separators, soft hyphens, tags, selectors,
 * private use. */
bool utf8_hidden(uint32_t c);
/* utf8_lower - Returns the small letter of a capital, else c: for Latin, Greek, Cyrillic and Armenian, in
 * any locale. It takes as many bytes as the capital. */
uint32_t utf8_lower(uint32_t c);
/* utf8_lower_at - The same for the character at p, of n > 0 bytes, in place; invalid bytes stay. Returns
 * its length. */
size_t utf8_lower_at(char *p, size_t n);
/* utf8_plain - Whether all n bytes are characters that may be shown, or tabs and carriage returns. */
bool utf8_plain(const char *p, size_t n);

#endif
