/*
 * test_zip.c - zip archives whose directory says whatever it likes (decode/input/zip.h): what is said of it,
 * and what is read.
 */
#include <zlib.h>

#include "decode/input/zip.h"
#include "tests/unit/decode_help.h"

static void le(struct tracegen_buf *b, uint64_t v, int n)
{
    for (; n--; v >>= 8)
        tracegen_put(b, &(uint8_t){(uint8_t)v}, 1);
}

/* A member as the directory has it. What differs from its own header is set by the caller. */
struct entry {
    const char *name;
    uint16_t method, flags;
    uint32_t packed, size, at;
    const void *extra;
    uint16_t nextra, comment;
};

static void put_head(struct tracegen_buf *b, const struct entry *m)
{
    tracegen_put(b, "PK\3\4", 4);
    le(b, 20, 2), le(b, m->flags, 2), le(b, m->method, 2), le(b, 0, 4), le(b, 0, 4);
    le(b, m->packed, 4), le(b, m->size, 4), le(b, strlen(m->name), 2), le(b, 0, 2);
    tracegen_put(b, m->name, strlen(m->name));
}

static void put_entry(struct tracegen_buf *b, const struct entry *m)
{
    tracegen_put(b, "PK\1\2", 4);
    le(b, 20, 2), le(b, 20, 2), le(b, m->flags, 2), le(b, m->method, 2), le(b, 0, 4), le(b, 0x1234, 4);
    le(b, m->packed, 4), le(b, m->size, 4), le(b, strlen(m->name), 2), le(b, m->nextra, 2),
        le(b, m->comment, 2);
    le(b, 0, 8), le(b, m->at, 4);
    tracegen_put(b, m->name, strlen(m->name));
    tracegen_put(b, m->extra, m->nextra);
}

static void put_end(struct tracegen_buf *b, uint32_t size, uint32_t dir, const char *comment)
{
    tracegen_put(b, "PK\5\6", 4);
    le(b, 0, 4), le(b, 1, 2), le(b, 1, 2), le(b, size, 4), le(b, dir, 4), le(b, strlen(comment), 2);
    tracegen_put(b, comment, strlen(comment));
}

static const uint8_t *bytes(size_t *n)
{
    static uint8_t *p;
    static size_t len;
    if (!p)
        p = tracegen_bytes("go 1.26\nbatch m=7 t=100\nProcStatus +1 p=0 running\n", &len);
    *n = len;
    return p;
}

/* An archive of one stored trace, whose entry `is` may lie. */
static struct tracegen_buf archive(struct entry is, const char *comment)
{
    struct tracegen_buf b = {0};
    size_t n;
    const uint8_t *p = bytes(&n);
    const struct entry real = {.name = "a.trace", .packed = (uint32_t)n, .size = (uint32_t)n};
    put_head(&b, &real);
    tracegen_put(&b, p, n);
    const uint32_t dir = (uint32_t)b.n;
    put_entry(&b, &is);
    put_end(&b, (uint32_t)b.n - dir, dir, comment);
    return b;
}

static struct entry truth(void)
{
    size_t n;
    bytes(&n);
    return (struct entry){.name = "a.trace", .packed = (uint32_t)n, .size = (uint32_t)n};
}

static void test_reads(void **state)
{
    (void)state;
    struct zip z;
    struct zip_member m;
    struct dialect d;
    struct err e;
    size_t n;
    const uint8_t *p = bytes(&n);
    struct tracegen_buf b = archive(truth(), "what else PK\5\6 there is to say");
    assert_true(zip_is(b.p, b.n));
    assert_int_equal(zip_open(b.p, b.n, &z, &e), ERR_OK);
    assert_int_equal(zip_find(&z, NULL, &m, &e), ERR_OK);
    assert_int_equal(m.crc, 0x1234);
    assert_memory_equal(m.name, "a.trace", m.len);
    const uint8_t *q = zip_bytes(&z, &m, &e);
    assert_non_null(q);
    assert_int_equal(m.packed, n);
    assert_memory_equal(q, p, n);
    assert_true(zip_trace(&z, &m, &d));
    assert_int_equal(d.version, 1026);
    assert_int_equal(zip_find(&z, "a.trac", &m, &e), ERR_IO);
    assert_non_null(strstr(e.what, "has no member a.trac;"));
    tracegen_free(&b);
    /* Nothing in it but its end. */
    put_end(&b, 0, 0, "");
    assert_true(zip_is(b.p, b.n));
    assert_false(zip_is(b.p, b.n - 1));
    assert_int_equal(zip_open(b.p, b.n, &z, &e), ERR_OK);
    assert_int_equal(zip_find(&z, NULL, &m, &e), ERR_NOT_TRACE);
    assert_int_equal(zip_open(b.p, b.n - 1, &z, &e), ERR_TRUNCATED);
    tracegen_free(&b);
}

/* Where the sizes don't fit they stand in an extra field, and the directory's
 * place in a record of its own. */
static void test_wide(void **state)
{
    (void)state;
    struct zip z;
    struct zip_member m;
    struct err e;
    struct entry is = truth();
    struct tracegen_buf extra = {0};
    le(&extra, 0x5455, 2), le(&extra, 5, 2), le(&extra, 0, 5); /* another one before it */
    le(&extra, 1, 2), le(&extra, 24, 2), le(&extra, is.size, 8), le(&extra, is.packed, 8), le(&extra, 0, 8);
    is.size = is.packed = is.at = UINT32_MAX;
    is.extra = extra.p;
    is.nextra = (uint16_t)extra.n;
    struct tracegen_buf b = {0}, plain = archive(is, "");
    assert_int_equal(zip_open(plain.p, plain.n, &z, &e), ERR_OK);
    const uint64_t dir = z.dir, size = z.end - z.dir;
    assert_int_equal(zip_find(&z, "a.trace", &m, &e), ERR_OK);
    assert_int_equal(m.size, truth().size);
    assert_int_equal(m.packed, truth().packed);
    assert_int_equal(m.at, 0);
    assert_non_null(zip_bytes(&z, &m, &e));
    /* The same with the record: the end itself says nothing of use. */
    tracegen_put(&b, plain.p, plain.n - 22);
    const uint64_t at = b.n;
    tracegen_put(&b, "PK\6\6", 4);
    le(&b, 44, 8), le(&b, 0, 4), le(&b, 0, 8), le(&b, 1, 8), le(&b, 1, 8), le(&b, size, 8), le(&b, dir, 8);
    tracegen_put(&b, "PK\6\7", 4);
    le(&b, 0, 4), le(&b, at, 8), le(&b, 1, 4);
    put_end(&b, UINT32_MAX, UINT32_MAX, "");
    assert_int_equal(zip_open(b.p, b.n, &z, &e), ERR_OK);
    assert_int_equal(zip_find(&z, NULL, &m, &e), ERR_OK);
    /* A locator that points nowhere, or at something else: then the end's word counts. */
    for (int i = 0; i < 2; i++) {
        b.p[b.n - 22 - 20 + 8 + (i ? 7 : 0)] ^= 0x7f;
        assert_int_equal(zip_open(b.p, b.n, &z, &e), ERR_FORMAT);
        assert_non_null(strstr(e.what, "directory lies outside of it"));
    }
    tracegen_free(&b);
    tracegen_free(&plain);
    /* A field that is longer than there is room, or too short for its numbers: the entry's own count. */
    uint8_t bad[] = {1, 0, 200, 0, 1, 2, 3};
    is.extra = bad;
    is.nextra = sizeof bad;
    for (int i = 0; i < 2; i++) {
        plain = archive(is, "");
        assert_int_equal(zip_open(plain.p, plain.n, &z, &e), ERR_OK);
        assert_int_equal(zip_find(&z, "a.trace", &m, &e), ERR_OK);
        assert_int_equal(m.packed, UINT32_MAX);
        assert_null(zip_bytes(&z, &m, &e));
        tracegen_free(&plain);
        bad[2] = 3;
    }
    tracegen_free(&extra);
}

static void test_lies(void **state)
{
    (void)state;
    struct entry locked = truth(), other = truth(), far = truth(), inside = truth(), large = truth(),
                 none = truth();
    locked.flags = 1;
    other.method = 14;
    far.at = 1 << 30;
    inside.at = 5;
    large.packed = 1 << 20;
    none.packed = 0;
    const struct {
        struct entry is;
        enum err_code code;
        const char *what;
    } cases[] = {
        {locked, ERR_FORMAT, "a.trace is encrypted"},
        {other, ERR_FORMAT, "a.trace is compressed by lzma (method 14), and only deflate"},
        {far, ERR_FORMAT, "a.trace isn't where the archive's directory says"},
        {inside, ERR_FORMAT, "a.trace isn't where the archive's directory says"},
        {large, ERR_TRUNCATED, "a.trace lies outside of it"},
        {none, ERR_OK, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct zip z;
        struct zip_member m;
        struct dialect d;
        struct err e = {0};
        struct tracegen_buf b = archive(cases[i].is, "");
        assert_int_equal(zip_open(b.p, b.n, &z, &e), ERR_OK);
        assert_int_equal(zip_find(&z, "a.trace", &m, &e), ERR_OK);
        assert_int_equal(zip_bytes(&z, &m, &e) != NULL, !cases[i].code);
        if (e.code != cases[i].code || !strstr(e.what, cases[i].what))
            fail_msg("case %zu: %d '%s'", i, (int)e.code, e.what);
        assert_false(zip_trace(&z, &m, &d)); /* so it is none of the traces */
        assert_int_equal(zip_find(&z, NULL, &m, &e), ERR_NOT_TRACE);
        assert_non_null(strstr(e.what, "without a trace"));
        tracegen_free(&b);
    }
    /* The directory ends within an entry: there is none. */
    struct entry says = truth();
    says.comment = 500;
    struct tracegen_buf b = archive(says, "");
    struct zip z;
    struct zip_member m;
    struct err e;
    assert_int_equal(zip_open(b.p, b.n, &z, &e), ERR_OK);
    assert_int_equal(zip_find(&z, "a.trace", &m, &e), ERR_IO);
    tracegen_free(&b);
}

/* Several traces, and packed ones: each is told by its first bytes. */
static void test_several(void **state)
{
    (void)state;
    struct tracegen_buf b = {0};
    struct entry m[3] = {{.name = "first"},
                         {.name = "second", .method = ZIP_DEFLATED},
                         {.name = "broken", .method = ZIP_DEFLATED}};
    size_t n;
    const uint8_t *p = bytes(&n);
    uint8_t out[4096];
    for (int i = 0; i < 3; i++) {
        z_stream s = {
            .next_in = (Bytef *)(uintptr_t)p, .avail_in = (uInt)n, .next_out = out, .avail_out = sizeof out};
        assert_int_equal(deflateInit2(&s, 6, Z_DEFLATED, i ? -15 : 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
        assert_int_equal(deflate(&s, Z_FINISH), Z_STREAM_END);
        deflateEnd(&s);
        if (i == 2)
            memset(out, 0xff, 20);
        m[i].packed = (uint32_t)(sizeof out - s.avail_out);
        m[i].size = (uint32_t)n;
        m[i].at = (uint32_t)b.n;
        put_head(&b, &m[i]);
        tracegen_put(&b, out, m[i].packed);
    }
    const uint32_t dir = (uint32_t)b.n;
    for (int i = 0; i < 3; i++)
        put_entry(&b, &m[i]);
    put_end(&b, (uint32_t)b.n - dir, dir, "");
    struct zip z;
    struct zip_member x;
    struct dialect d;
    struct err e;
    uint64_t pos = 0;
    assert_int_equal(zip_open(b.p, b.n, &z, &e), ERR_OK);
    for (int i = 0; i < 3; i++) {
        assert_true(zip_next(&z, &pos, &x));
        assert_int_equal(zip_trace(&z, &x, &d), i < 2); /* gzip that was stored; deflated; neither */
    }
    assert_false(zip_next(&z, &pos, &x));
    assert_int_equal(zip_find(&z, NULL, &x, &e), ERR_ARG);
    assert_non_null(strstr(e.what, "holds 2 traces: open one as ARCHIVE:first;"));
    tracegen_free(&b);
}

/*
 * Of an archive in which nothing can be looked into that is said, and by what it is packed; a trace beside it
 * is found.
 */
static void test_shut(void **state)
{
    (void)state;
    size_t n;
    const uint8_t *p = bytes(&n);
    struct entry m[4] = {{.name = "aes", .method = 99},
                         {.name = "locked", .flags = 1},
                         {.name = "zst", .method = 93},
                         {.name = "plain"}};
    for (int with = 3; with <= 4; with++) {
        struct tracegen_buf b = {0};
        for (int i = 0; i < with; i++) {
            m[i].packed = m[i].size = (uint32_t)n;
            m[i].at = (uint32_t)b.n;
            put_head(&b, &m[i]);
            tracegen_put(&b, p, n);
        }
        const uint32_t dir = (uint32_t)b.n;
        for (int i = 0; i < with; i++)
            put_entry(&b, &m[i]);
        put_end(&b, (uint32_t)b.n - dir, dir, "");
        struct zip z;
        struct zip_member x;
        struct err e = {0};
        assert_int_equal(zip_open(b.p, b.n, &z, &e), ERR_OK);
        assert_int_equal(zip_find(&z, NULL, &x, &e), with == 3 ? ERR_NOT_TRACE : ERR_OK);
        if (with == 3 &&
            !strstr(e.what, "(members: 3, encrypted: 2, compressed by zstd: 1): unpack it first"))
            fail_msg("'%s'", e.what);
        assert_int_equal(zip_find(&z, "aes", &x, &e), ERR_OK);
        assert_null(zip_bytes(&z, &x, &e));
        assert_non_null(strstr(e.what, "aes is encrypted"));
        tracegen_free(&b);
    }
}

/* Members that are the same bytes: each of so many would be looked into. By its name one is still opened. */
static void test_overlap(void **state)
{
    (void)state;
    enum { MANY = 1000 };
    size_t n;
    const uint8_t *p = bytes(&n);
    const struct entry m = {.name = "same", .packed = (uint32_t)n, .size = (uint32_t)n};
    for (int many = 1; many <= MANY; many += MANY - 1) {
        struct tracegen_buf b = {0};
        put_head(&b, &m);
        tracegen_put(&b, p, n);
        const uint32_t dir = (uint32_t)b.n;
        for (int i = 0; i < many; i++)
            put_entry(&b, &m);
        put_end(&b, (uint32_t)b.n - dir, dir, "");
        struct zip z;
        struct zip_member x;
        struct err e = {0};
        uint64_t spent = 0, pos = 0;
        int apart = 0;
        assert_int_equal(zip_open(b.p, b.n, &z, &e), ERR_OK);
        assert_int_equal(zip_find(&z, NULL, &x, &e), many == 1 ? ERR_OK : ERR_FORMAT);
        if (many > 1)
            assert_non_null(strstr(e.what, "members overlap"));
        while (zip_next(&z, &pos, &x) && zip_apart(&z, &x, &spent))
            apart++;
        assert_true(apart >= 1 && spent <= b.n); /* what is looked into is no more than there is */
        assert_int_equal(zip_find(&z, "same", &x, &e), ERR_OK);
        assert_non_null(zip_bytes(&z, &x, &e));
        x.packed = UINT64_MAX;
        assert_false(zip_apart(&z, &x, &spent));
        tracegen_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads),   cmocka_unit_test(test_wide), cmocka_unit_test(test_lies),
        cmocka_unit_test(test_several), cmocka_unit_test(test_shut), cmocka_unit_test(test_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
