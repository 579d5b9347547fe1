/*
 * base64.h - bytes as terminals take them in control sequences.
 */
#ifndef GOTOP_VIEWER_BASE64_H
#define GOTOP_VIEWER_BASE64_H

#include <stddef.h>

/* base64_write - n bytes as base64 with padding into out, which holds (n + 2) / 3 * 4. Returns that. */
size_t base64_write(const char *in, size_t n, char *out);

#endif
