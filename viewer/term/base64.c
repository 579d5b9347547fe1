/*
 * base64.c - see base64.h.
 */
#include "viewer/term/base64.h"

#include <stdint.h>

size_t base64_write(const char *in, size_t n, char *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t at = 0;
    for (size_t i = 0; i < n; i += 3) {
        size_t left = n - i;
        uint32_t v = (uint32_t)(unsigned char)in[i] << 16;
        if (left > 1)
            v |= (uint32_t)(unsigned char)in[i + 1] << 8;
        if (left > 2)
            v |= (unsigned char)in[i + 2];
        out[at++] = digits[v >> 18];
        out[at++] = digits[v >> 12 & 63];
        out[at++] = left > 1 ? digits[v >> 6 & 63] : '=';
        out[at++] = left > 2 ? digits[v & 63] : '=';
    }
    return at;
}
