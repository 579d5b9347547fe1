/*
 * test_v1_symbols.c - names for bare program counters, from line tables built here in the layout that
 * programs of Go 1.5 have.
 *
 * The made-up program: main.alpha at 0x401000 (a.go, line 10, from +0x10 line 12), main.beta at 0x401040
 * (b.go, line 30), end at 0x401080. As an ELF file of 64 or 32 bits, either byte order.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <unistd.h>

#include "decode/v1/symbols.h"
#include "tests/unit/v1_lines.h"

#define TEXT 0x401000u
#define TABLE_AT 512

struct image {
    uint8_t b[2048];
    size_t n;
    bool big, wide;
};

static void put_n(struct image *m, size_t at, uint64_t v, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        m->b[at + (m->big ? n - 1 - i : i)] = (uint8_t)(v >> (8 * i));
    if (at + n > m->n)
        m->n = at + n;
}

static void put_s(struct image *m, size_t at, const void *s, size_t n)
{
    memcpy(m->b + at, s, n);
    if (at + n > m->n)
        m->n = at + n;
}

/* Steps (zigzag of the value's change, distance): line 10 for 16 bytes, 12 for 48; file 1 or 2 throughout. */
static const uint8_t lines_alpha[] = {22, 16, 4, 48, 0}, lines_beta[] = {62, 64, 0};
static const uint8_t file_1[] = {4, 64, 0}, file_2[] = {6, 64, 0};

enum { NAMES = 300, FILES = 360, TABLES = 400, FUNCS = 160, FUNC2 = 220, FILETAB = 280 };

/* func - one function's record. */
static void func(struct image *m, size_t at, uint64_t entry, uint32_t name, uint32_t file, uint32_t line)
{
    const unsigned ptr = m->wide ? 8 : 4;
    put_n(m, at, entry, ptr);
    put_n(m, at + ptr, name, 4);
    put_n(m, at + ptr + 16, file, 4);
    put_n(m, at + ptr + 20, line, 4);
}

static void table(struct image *m)
{
    const size_t t = TABLE_AT;
    const unsigned ptr = m->wide ? 8 : 4;
    const uint64_t entries[] = {TEXT, FUNCS, TEXT + 0x40, FUNC2, TEXT + 0x80};
    put_n(m, t, 0xfffffffbu, 4);
    m->b[t + 6] = 1;
    m->b[t + 7] = (uint8_t)ptr;
    put_n(m, t + 8, 2, ptr);
    for (unsigned i = 0; i < 5; i++)
        put_n(m, t + 8 + ptr + i * ptr, entries[i], ptr);
    put_n(m, t + 8 + ptr + 5 * ptr, FILETAB, 4); /* table of files: count, then offsets; 0 is no file */
    put_n(m, t + FILETAB, 3, 4);
    put_n(m, t + FILETAB + 4, FILES, 4);
    put_n(m, t + FILETAB + 8, FILES + 5, 4);
    put_s(m, t + NAMES, "main.alpha\0main.beta", 21);
    put_s(m, t + FILES, "a.go\0b.go", 10);
    put_s(m, t + TABLES + 1, lines_alpha, sizeof lines_alpha);
    put_s(m, t + TABLES + 10, lines_beta, sizeof lines_beta);
    put_s(m, t + TABLES + 20, file_1, 3);
    put_s(m, t + TABLES + 30, file_2, 3);
    func(m, t + FUNCS, TEXT, NAMES, TABLES + 20, TABLES + 1);
    func(m, t + FUNC2, TEXT + 0x40, NAMES + 11, TABLES + 30, TABLES + 10);
    m->n = TABLE_AT + 500;
}

static void elf(struct image *m, bool big, bool wide)
{
    memset(m, 0, sizeof *m);
    m->big = big;
    m->wide = wide;
    put_s(m, 0, "\177ELF", 4);
    m->b[4] = wide ? 2 : 1;
    m->b[5] = big ? 2 : 1;
    table(m);
}

static void finds(const struct symbols *s, uint64_t pc, const char *want)
{
    struct symbol y;
    char got[64] = "nothing";
    if (symbols_find(s, pc, &y))
        snprintf(got, sizeof got, "%.*s %.*s:%d", (int)y.func_len, y.func, (int)y.file_len,
                 y.file ? y.file : "", (int)y.line);
    assert_string_equal(got, want);
}

static void test_layouts(void **state)
{
    (void)state;
    for (unsigned k = 0; k < 4; k++) {
        struct image m;
        struct symbols *s;
        struct err e;
        elf(&m, k & 1, k & 2);
        if (symbols_open_mem(m.b, m.n, &s, &e) != ERR_OK)
            fail_msg("case %u: %s", k, e.what);
        finds(s, TEXT - 1, "nothing");
        finds(s, TEXT, "main.alpha a.go:10");
        finds(s, TEXT + 0xf, "main.alpha a.go:10");
        finds(s, TEXT + 0x10, "main.alpha a.go:12");
        finds(s, TEXT + 0x3f, "main.alpha a.go:12");
        finds(s, TEXT + 0x40, "main.beta b.go:30");
        finds(s, TEXT + 0x7f, "main.beta b.go:30");
        finds(s, TEXT + 0x80, "nothing");
        symbols_close(s);
    }
}

static void test_refused(void **state)
{
    (void)state;
    struct symbols *s;
    struct err e;
    struct image m;
    assert_int_equal(symbols_open("/nonexistent/prog", &s, &e), ERR_IO);
    assert_int_equal(symbols_open("/", &s, &e), ERR_IO);
    elf(&m, false, true);
    assert_int_equal(symbols_open_mem("#!/bin/sh", 9, &s, &e), ERR_FORMAT);
    m.b[TABLE_AT] = 0x17;
    assert_int_equal(symbols_open_mem(m.b, m.n, &s, &e), ERR_FORMAT);
    assert_null(s);
    symbols_close(NULL);
}

/* Whatever the table says, no read leaves the bytes (a sanitizer looks on) and no walk goes on for ever. */
static void test_hostile(void **state)
{
    (void)state;
    uint32_t x = 99;
    for (unsigned k = 0; k < 4000; k++) {
        struct image m;
        struct symbols *s;
        struct err e;
        elf(&m, false, k & 2);
        size_t n = k % 3 ? m.n : 64 + x % (m.n - 64);
        for (unsigned i = 0; i < 1 + x % 6; i++) {
            x = x * 1664525 + 1013904223;
            m.b[x >> 8 & 1 ? (x >> 9) % 64 : TABLE_AT + (x >> 9) % 500] = (uint8_t)(x >> 24);
        }
        uint8_t *exact = malloc(n);
        memcpy(exact, m.b, n);
        if (symbols_open_mem(exact, n, &s, &e) == ERR_OK) {
            struct symbol y;
            volatile unsigned sum = 0;
            for (uint64_t pc = TEXT - 8; pc < TEXT + 0x90; pc += 8)
                if (symbols_find(s, pc, &y))
                    sum = sum + (unsigned)y.func[0] + (y.file ? (unsigned)y.file[y.file_len - 1] : 0);
            symbols_close(s);
        }
        free(exact);
    }
}

/* A trace of 1.5 with its program: frames hold return addresses, so what is looked up is one byte before. */
static void test_trace_with_program(void **state)
{
    (void)state;
    struct image m;
    char path[] = "/tmp/gotop-test-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    elf(&m, false, true);
    assert_int_equal(write(fd, m.b, m.n), m.n);
    close(fd);
    const char *trace =
        "go 1.5\nbatch p=0 seq=1 t=0\nGoCreate g=1 pc=0x401040\nProcStart thread=0\nGoStart g=1\n"
        "Gomaxprocs procs=1\nGoBlock +5 stack=!0x401040,!0x401010\nGoUnblock +5 g=1 stack=!0x999\n";
    reads_with(trace,
               "~0 m0\n0< p0 sched m0\n1< g1 is running p0 in main.beta\n~1 procs 1\n"
               "5 g1 waiting at main.alpha\n"
               "10 g1 runnable at 0x999\n",
               0, path);
    unlink(path);
    reads_with(
        trace,
        "~0 m0\n0< p0 sched m0\n1< g1 is running p0 in 0x401041\n~1 procs 1\n5 g1 waiting at 0x401040\n"
        "10 g1 runnable at 0x999\n",
        0, path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layouts),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_trace_with_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
