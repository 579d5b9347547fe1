/*
 * fuzz_stream.c - libFuzzer entry for a trace that arrives: the first byte chooses the dialect, the second
 * the size of the pieces. However it is cut, the same generations come, within the limit; each is a trace,
 * and so are all of them joined.
 */
#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"
#include "decode/input/stream.h"
#include "tests/fuzz/walk.h"
#include "tests/support/tracegen.h"

#define LIMIT (1u << 20)

int fuzz_skips(void);
int fuzz_skips(void)
{
    return 2;
}

int fuzz_version(const uint8_t *data);
int fuzz_version(const uint8_t *data)
{
    static const int dialect[] = {1022, 1023, 1025, 1026};
    return dialect[data[0] % 4];
}

static void put_all(struct stream *st, const uint8_t *p, size_t n, size_t piece)
{
    struct err e = {0};
    for (size_t at = 0; at < n; at += piece)
        if (stream_put(st, p + at, n - at < piece ? n - at : piece, &e)) {
            if (!e.what[0])
                abort();
            break;
        }
    stream_end(st);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct stream a = {.max = LIMIT}, b = {.max = LIMIT};
    uint8_t *copy = n < 2 ? NULL : malloc(n + 16);
    const size_t live = mem_live();
    if (!copy)
        return 0;
    size_t len = tracegen_header(fuzz_version(data), copy);
    memcpy(copy + len, data + 2, n - 2);
    len += n - 2;
    put_all(&a, copy, len, len);
    put_all(&b, copy, len, 1 + data[1] % 61);
    if (stream_whole(&a) != stream_whole(&b) || a.ndamages != b.ndamages)
        abort();
    for (size_t i = 0; i < stream_whole(&a); i++) {
        if (a.gen[i].n != b.gen[i].n || memcmp(a.gen[i].p, b.gen[i].p, a.gen[i].n) || a.gen[i].n > LIMIT)
            abort();
        walk_bytes(a.gen[i].p, a.gen[i].n);
    }
    size_t all = 0;
    uint8_t *joined = stream_whole(&a) > 1 ? stream_join(&a, 0, stream_whole(&a), &all) : NULL;
    if (joined)
        walk_bytes(joined, all);
    mem_free(joined);
    stream_free(&a);
    stream_free(&b);
    free(copy);
    if (mem_live() != live)
        abort();
    return 0;
}
