/*
 * read_file.h - a whole file, for tests that change its bytes or hand them over piece by piece.
 */
#ifndef GOTOP_TESTS_READ_FILE_H
#define GOTOP_TESTS_READ_FILE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

/* read_file - *n bytes, the caller's until free(); NULL: it cannot be read. */
static inline __attribute__((unused)) uint8_t *read_file(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    *n = 0;
    if (!f)
        return NULL;
    fseek(f, 0, SEEK_END);
    long len = ftell(f);
    rewind(f);
    uint8_t *p = malloc((size_t)len + 1);
    *n = fread(p, 1, (size_t)len, f);
    fclose(f);
    return p;
}

#endif
