/*
 * export_help.h - what the tests of the exports share: run a command into memory, read protocol buffers and
 * CSV.
 *
 * The readers know the formats' numbers by themselves; they share nothing with the writers.
 */
#ifndef GOTOP_TESTS_EXPORT_HELP_H
#define GOTOP_TESTS_EXPORT_HELP_H

#include "tests/unit/decode_help.h"

#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "triage/exports/rewrite.h"

/* ---- running a command --------------------------------------------------------------------------------- */

static char out_path[64] = "/tmp/gotop-export-XXXXXX";

static inline UNUSED int make_out(void **state)
{
    (void)state;
    int fd = mkstemp(out_path);
    close(fd);
    return fd < 0;
}

static inline UNUSED int remove_out(void **state)
{
    (void)state;
    unlink(out_path);
    return 0;
}

struct bytes {
    char *p; /* NUL-terminated behind n */
    size_t n;
};

/* The file at `path`, decompressed if it is gzip. */
static inline UNUSED struct bytes slurp(const char *path)
{
    struct bytes b = {0};
    size_t cap = 0;
    int got = 0;
    gzFile z = gzopen(path, "rb");
    assert_non_null(z);
    do {
        b.n += (size_t)got;
        if (b.n + 65537 > cap)
            b.p = realloc(b.p, cap = 2 * cap + 65537);
        got = gzread(z, b.p + b.n, 65536);
    } while (got > 0);
    assert_int_equal(got, 0);
    assert_int_equal(gzclose(z), Z_OK);
    b.p[b.n] = 0;
    return b;
}

/* run - COMMAND words.. -o out_path, NULL-terminated. Returns the exit status. */
static inline UNUSED int run(int (*cmd)(int, char **), const char *const *words)
{
    char *argv[20] = {(char *)"test", (char *)"-o", out_path, (char *)"--quiet"};
    int argc = 4;
    while (words[argc - 4])
        argv[argc] = (char *)(uintptr_t)words[argc - 4], argc++;
    return cmd(argc, argv);
}
#define RUN(cmd, ...) run(cmd, (const char *const[]){__VA_ARGS__, NULL})

static inline UNUSED struct bytes export_of(int (*cmd)(int, char **), const char *const *words)
{
    int status = run(cmd, words);
    if (status)
        fail_msg("%s %s: status %d", words[0], words[1] ? words[1] : "", status);
    return slurp(out_path);
}
#define EXPORT(cmd, ...) export_of(cmd, (const char *const[]){__VA_ARGS__, NULL})

/* A trace of the notation as a file, and its model. */
static inline UNUSED struct loaded text_file(const char *text, const char *path)
{
    struct loaded l = load_text(text);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(l.bytes, 1, l.n, f), l.n);
    fclose(f);
    return l;
}

static inline UNUSED struct loaded load_path(const char *path)
{
    struct loaded l = {0};
    struct err e;
    l.bytes = read_file(path, &l.n);
    assert_non_null(l.bytes);
    assert_int_equal(load_bytes_opts(l.bytes, l.n, NULL, &l.tr, &e), 0);
    return l;
}

/* ---- protocol buffers ---------------------------------------------------------------------------------- */

struct pb {
    const uint8_t *p, *end;
};
struct field {
    uint32_t num;
    bool is_bytes;
    uint64_t v;
    struct pb sub; /* of bytes */
};

static inline struct pb pb_of(struct bytes b)
{
    return (struct pb){(const uint8_t *)b.p, (const uint8_t *)b.p + b.n};
}

static inline uint64_t pb_varint(struct pb *m)
{
    uint64_t v = 0;
    for (int shift = 0;; shift += 7) {
        assert_true(m->p < m->end && shift < 64);
        v |= (uint64_t)(*m->p & 0x7f) << shift;
        if (!(*m->p++ & 0x80))
            return v;
    }
}

static inline bool pb_next(struct pb *m, struct field *f)
{
    if (m->p == m->end)
        return false;
    uint64_t key = pb_varint(m);
    *f = (struct field){.num = (uint32_t)(key >> 3), .is_bytes = (key & 7) == 2};
    assert_true((key & 7) == 0 || (key & 7) == 2);
    f->v = pb_varint(m);
    if (f->is_bytes) {
        assert_true(f->v <= (uint64_t)(m->end - m->p));
        f->sub = (struct pb){m->p, m->p + f->v};
        m->p += f->v;
    }
    return true;
}

/* The value of field `num`, the first one; `none` if it is not there. */
static inline UNUSED uint64_t pb_get(struct pb m, uint32_t num, uint64_t none)
{
    struct field f;
    while (pb_next(&m, &f))
        if (f.num == num && !f.is_bytes)
            return f.v;
    return none;
}

static inline UNUSED bool pb_sub(struct pb m, uint32_t num, struct pb *out)
{
    struct field f;
    while (pb_next(&m, &f))
        if (f.num == num && f.is_bytes) {
            *out = f.sub;
            return true;
        }
    return false;
}

/* ---- text ---------------------------------------------------------------------------------------------- */

/* Valid UTF-8 without control characters. */
static inline UNUSED bool text_fine(const char *s, size_t n)
{
    const unsigned char *p = (const unsigned char *)s, *end = p + n;
    while (p < end) {
        int more = *p < 0x80 ? 0 : *p < 0xc2 ? -1 : *p < 0xe0 ? 1 : *p < 0xf0 ? 2 : *p < 0xf5 ? 3 : -1;
        if (more < 0 || *p < 0x20 || *p == 0x7f || end - p <= more || (*p == 0xc2 && p[1] < 0xa0))
            return false;
        for (int i = 1; i <= more; i++)
            if ((p[i] & 0xc0) != 0x80)
                return false;
        p += more + 1;
    }
    return true;
}

/* ---- CSV: RFC 4180 ------------------------------------------------------------------------------------- */

#define CSV_COLUMNS 32
struct row {
    uint32_t n;
    char *cell[CSV_COLUMNS]; /* point into the text, which is overwritten */
};

/* The next row; false at the end. Fails the test on anything the RFC does not allow. */
static inline UNUSED bool csv_row(char **at, struct row *r)
{
    char *p = *at;
    r->n = 0;
    if (!*p)
        return false;
    for (;;) {
        assert_true(r->n < CSV_COLUMNS);
        char *out = p;
        r->cell[r->n++] = out;
        if (*p == '"') {
            for (p++; *p != '"' || p[1] == '"'; p++) {
                assert_true(*p != 0);
                p += *p == '"';
                *out++ = *p;
            }
            p++;
        } else {
            while (*p && *p != ',' && *p != '\r' && *p != '"' && *p != '\n')
                *out++ = *p++;
        }
        char end = *p;
        assert_true(end == ',' || (end == '\r' && p[1] == '\n'));
        *out = 0;
        p++;
        if (end == '\r') {
            *at = p + 1;
            return true;
        }
    }
}

static inline UNUSED int column(const struct row *head, const char *name)
{
    for (uint32_t i = 0; i < head->n; i++)
        if (!strcmp(head->cell[i], name))
            return (int)i;
    fail_msg("there is no column %s", name);
    return -1;
}

#endif
