/*
 * test_tracegen.c - the notation of the tests, tested: both ways for every event of every dialect, and
 * against bytes taken by hand from the format's description.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/tracegen.h"

static const int dialects[] = {0, 1005, 1007, 1008, 1009, 1010, 1011, 1019, 1021, 1022, 1023, 1025, 1026};
#define NDIALECTS (sizeof dialects / sizeof *dialects)

/* How many kinds of timed event each dialect has, by the format's tables. */
static const unsigned kinds[NDIALECTS] = {31, 32, 35, 37, 39, 39, 43, 44, 44, 36, 49, 50, 50};

static void name_of(int version, char *out, size_t n)
{
    if (version == 0)
        snprintf(out, n, "prototype");
    else
        snprintf(out, n, "go %d.%d", version / 1000, version % 1000);
}

/* text_of - a trace with one event of a kind, its arguments distinct and of several lengths. */
static void text_of(int version, const struct tracegen_event *ev, struct tracegen_buf *b)
{
    static const char *const values[] = {"1", "300", "-1", "70000", "5000000000", "0"};
    char name[TRACEGEN_ARGS][16], kind[TRACEGEN_ARGS], head[20];
    unsigned n = tracegen_args(ev, name, kind);
    name_of(version, head, sizeof head);
    tracegen_printf(b, "%s\nnoauto\n", head);
    tracegen_printf(b, version >= 1022   ? "batch gen=1 m=7 t=100\n"
                       : version == 1005 ? "batch p=3 seq=9 t=100\n"
                                         : "batch p=3 t=100\n");
    tracegen_printf(b, "%s +200", ev->name);
    if (version == 1005)
        tracegen_printf(b, " dseq=2");
    for (unsigned i = 0; i < n; i++)
        if (kind[i] == '%')
            tracegen_printf(b, " %s=%s", name[i], tracegen_state(name[i], 1 + i % 4));
        else if (kind[i] == '^')
            tracegen_printf(b, " %s=0x4321", name[i]);
        else
            tracegen_printf(b, " %s=%s", name[i], values[(i + ev->num) % 6]);
    if (version < 1022 && ev->num == 48)
        tracegen_printf(b, " value=\"a \\\"log\\\"\\x0a\"");
    tracegen_printf(b, "\n");
}

static void encode(const char *text, struct tracegen_buf *out)
{
    char err[200] = "";
    if (tracegen_encode(text, out, err, sizeof err) != 0)
        fail_msg("%s\n%s", err, text);
}

static void test_every_event(void **state)
{
    (void)state;
    for (size_t d = 0; d < NDIALECTS; d++) {
        const struct tracegen_event *ev;
        size_t i = 0;
        for (; (ev = tracegen_event(dialects[d], i)); i++) {
            struct tracegen_buf text = {0}, bytes = {0}, back = {0}, again = {0};
            text_of(dialects[d], ev, &text);
            encode((char *)text.p, &bytes);
            tracegen_decode(bytes.p, bytes.n, &back);
            assert_string_equal((char *)text.p, (char *)back.p);
            encode((char *)back.p, &again);
            assert_int_equal(bytes.n, again.n);
            assert_memory_equal(bytes.p, again.p, bytes.n);
            tracegen_free(&text);
            tracegen_free(&bytes);
            tracegen_free(&back);
            tracegen_free(&again);
        }
        assert_int_equal(i, kinds[d]);
    }
}

/* An event of a later dialect is refused by its line, and its bytes are raw. */
static void test_events_by_dialect(void **state)
{
    (void)state;
    struct {
        int version;
        const char *line, *why;
    } bad[] = {
        {1022, "GoSwitch +1 g=1 g_seq=1", "line 3: go 1.22 has no event 'GoSwitch'"},
        {1007, "GoStartLabel +1 g=1 seq=1 label=0", "line 3: go 1.7 has no event 'GoStartLabel'"},
        {0, "FutileWakeup", "line 3: go 0.0 has no event 'FutileWakeup'"},
        {1021, "GoStart +1 g=2", "line 3: GoStart needs seq="},
        {1021, "GoStart +1 g=2 seq=x", "line 3: seq: 'x' is no number"},
        {1021, "GoStart +1 2 3 4", "line 3: '4' is not understood here"},
        {1026, "GoBlock +1 reason=\"chan", "line 3: a quoted text has no end"},
        {1026, "GoStatus +1 g=1 m=1 gstatus=asleep", "line 3: gstatus: no state is called 'asleep'"},
        {1026, "raw 0g", "line 3: raw: '0g' is not hexadecimal"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct tracegen_buf out = {0};
        char text[200], head[20], err[200];
        name_of(bad[i].version, head, sizeof head);
        snprintf(text, sizeof text, "%s # a comment\nbatch\n%s\n", head, bad[i].line);
        assert_int_equal(tracegen_encode(text, &out, err, sizeof err), -1);
        assert_string_equal(err, bad[i].why);
        tracegen_free(&out);
    }
}

static void expect(const char *text, const char *hex)
{
    struct tracegen_buf out = {0}, want = {0}, raw = {0};
    encode(text, &out);
    tracegen_printf(&raw, "raw %s", hex);
    encode((char *)raw.p, &want);
    if (out.n != want.n || memcmp(out.p, want.p, out.n) != 0) {
        struct tracegen_buf shown = {0};
        for (size_t i = 0; i < out.n; i++)
            tracegen_printf(&shown, "%02x ", out.p[i]);
        fail_msg("%s\ngives  %s\nwanted %s", text, (char *)shown.p, hex);
    }
    tracegen_free(&out);
    tracegen_free(&want);
    tracegen_free(&raw);
}

static void test_bytes_of_1_21(void **state)
{
    (void)state;
    expect("go 1.21\nnoauto\n"
           "batch p=0 t=60800780021\n"
           "GoCreate +7 g=1 new_stack=2 stack=1\n"
           "ProcStart +3 thread=0\n"
           "GoStartLocal +7 g=1\n"
           "String id=1 \"Not worker\"\n"
           "Gomaxprocs +40 procs=1 stack=7\n"
           "GoUnblockLocal +9 g=1 stack=13\n"
           "Frequency 40571031\n"
           "Stack id=4 0x41e2e0:5:6:273\n",
           "67 6f 20 31 2e 32 31 20 74 72 61 63 65 00 00 00  41 00 f5 8d 89 c0 e2 01  cd 04 07 01 02 01 45 "
           "03 00  66 "
           "07 01  25 01 0a 4e6f7420776f726b6572  84 28 01 07  a7 09 01 0d  02 97 a1 ac 13 c3 8a 80 80 80 80 "
           "80 80 "
           "80 80 00 04 01 e0 c5 87 02 05 06 91 02");
}

static void test_bytes_of_1_26(void **state)
{
    (void)state;
    expect("go 1.26\nnoauto\n"
           "batch gen=1 m=-1 t=23692586564\n"
           "Sync\n"
           "Frequency 15625000\n"
           "ClockSnapshot +52 mono=1516325543438 sec=1795244981 nsec=933370441\n"
           "batch gen=1 m=27640 t=23692586655\n"
           "ProcStatus +51 p=0 running\n"
           "GoStatus +5 g=1 m=27640 running\n"
           "GoCreate +87 new_g=9 new_stack=10 stack=11\n"
           "GoBlock +10 reason=12 stack=12\n"
           "endgen\n",
           "67 6f 20 31 2e 32 36 20 74 72 61 63 65 00 00 00 01 01 ffffffffffffffffff01 c4dcc0a158 "
           "98808080808080808000 32 08 a8d6b907 33 34 8ebcaee0902c b58785d806 c9b488bd03 01 01 f8d701 "
           "9fddc0a158 "
           "94808080808080808000 0d 33 00 01 19 05 01 f8d701 02 0e 57 09 0a 0b 14 0a 0c 0c 34");
}

/* Strings and stacks in words become tables; what a generation owes is added at its end. */
static void test_tables(void **state)
{
    (void)state;
    expect("go 1.26\n"
           "batch m=7 t=100\n"
           "GoBlock +5 reason=\"select\" stack=main.f:10\n",
           "67 6f 20 31 2e 32 36 20 74 72 61 63 65 00 00 00 01 01 ffffffffffffffffff01 64 "
           "90808080808080808000 32 08 "
           "8094ebdc03 33 00 64 80e2cfaa06 00 01 01 07 64 84808080808080808000 14 05 01 01 01 01 "
           "ffffffffffffffffff01 64 8b808080808080808000 02 03 01 01 80a08002 02 03 0a 01 01 "
           "ffffffffffffffffff01 64 "
           "9d808080808080808000 04 05 01 06 73656c656374 05 02 06 6d61696e2e66 05 03 07 6d61696e2e676f 34");
    expect("go 1.7\n"
           "batch p=0 t=100\n"
           "GoBlock +5 stack=main.f:10\n",
           "67 6f 20 31 2e 37 20 74 72 61 63 65 00 00 00 00  41 00 64  54 05 01  02 8094ebdc03 25 01 06 "
           "6d61696e2e66 "
           "25 02 07 6d61696e2e676f c3 89808080808080808000 01 01 80a08002 01 02 0a");
}

/* go 1.5 numbers all events of the file; the text's order is that order, across batches. */
static void test_global_sequence(void **state)
{
    (void)state;
    expect("go 1.5\nnoauto\n"
           "batch p=0 t=100\n"
           "GoStart +0 g=1\n"
           "batch p=1 t=101\n"
           "GoStart +0 g=2\n"
           "batch p=0 t=103\n"
           "GoEnd +1\n"
           "HeapAlloc +1 77\n",
           "67 6f 20 31 2e 35 20 74 72 61 63 65 00 00 00 00  41 00 01 64  4e 00 00 01  41 01 02 65  4e 00 00 "
           "02 41 "
           "00 03 67  0f 00 01  61 01 01 4d");
}

/* Whatever the bytes are, the text gives them back. */
static void test_any_bytes(void **state)
{
    (void)state;
    uint64_t x = 88172645463325252u;
    for (int round = 0; round < 2000; round++) {
        uint8_t data[300];
        size_t head = tracegen_header(dialects[round % (int)NDIALECTS], data), n = head + (size_t)round % 200;
        for (size_t i = head; i < n; i++) {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            data[i] =
                (uint8_t)((x >> 32) & (round % 3 ? 0x3f : 0xff)); /* mostly small: more of it is an event */
        }
        if (dialects[round % (int)NDIALECTS] >= 1022 && n > head + 5) {
            data[head] = 1;
            data[head + 4] = (uint8_t)(n - head - 5) & 0x7f;
        }
        struct tracegen_buf text = {0}, back = {0};
        tracegen_decode(data, n, &text);
        encode((char *)text.p, &back);
        assert_int_equal(back.n, n);
        assert_memory_equal(back.p, data, n);
        tracegen_free(&text);
        tracegen_free(&back);
    }
}

static uint8_t *slurp(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    struct tracegen_buf b = {0};
    uint8_t chunk[4096];
    size_t got;
    tracegen_put(&b, "", 0);
    while ((got = fread(chunk, 1, sizeof chunk, f)) > 0)
        tracegen_put(&b, chunk, got);
    fclose(f);
    *n = b.n;
    return b.p;
}

/* Every sample: the text gives the same bytes, and nothing in a good trace needs to be raw. */
static void test_samples(void **state)
{
    (void)state;
    unsigned seen = 0;
    DIR *dir = opendir("samples");
    assert_non_null(dir);
    for (struct dirent *de; (de = readdir(dir));) {
        size_t n, len = strlen(de->d_name);
        char path[400];
        if (len < 7 || strcmp(de->d_name + len - 6, ".trace") != 0)
            continue;
        snprintf(path, sizeof path, "samples/%s", de->d_name);
        uint8_t *data = slurp(path, &n);
        assert_non_null(data);
        struct tracegen_buf text = {0}, back = {0};
        tracegen_decode(data, n, &text);
        encode((char *)text.p, &back);
        assert_int_equal(back.n, n);
        assert_memory_equal(back.p, data, n);
        if (strstr((char *)text.p, "\nraw "))
            fail_msg("%s: not all of it was understood", path);
        tracegen_free(&text);
        tracegen_free(&back);
        free(data);
        seen++;
    }
    closedir(dir);
    assert_true(seen > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_event),   cmocka_unit_test(test_events_by_dialect),
        cmocka_unit_test(test_bytes_of_1_21), cmocka_unit_test(test_bytes_of_1_26),
        cmocka_unit_test(test_tables),        cmocka_unit_test(test_global_sequence),
        cmocka_unit_test(test_any_bytes),     cmocka_unit_test(test_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
