/*
 * fuzz_packed.c - libFuzzer entry for compressed input: the first byte chooses what stands before the rest
 * (the magic of gzip or zstd, or nothing: as in a zip archive), the second whether there is a limit.
 */
#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"
#include "decode/input/feed.h"

#define LIMIT (256u << 10)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static const struct {
        uint8_t p[10];
        size_t n;
    } magic[] = {{{0}, 0}, {{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3}, 10}, {{0x28, 0xb5, 0x2f, 0xfd}, 4}};
    if (n < 2)
        return 0;
    size_t m = magic[data[0] % 3].n, live = mem_live();
    uint8_t *copy = malloc(m + n);
    if (!copy)
        return 0;
    memcpy(copy, magic[data[0] % 3].p, m);
    memcpy(copy + m, data + 2, n - 2);
    static uint8_t room[1 << 16];
    struct feed *f;
    struct err e = {0};
    enum feed_state is = FEED_FAILED;
    if (!feed_of_bytes(copy, m + n - 2, !m, data[1] % 2 ? LIMIT : 0, &f, &e))
        do { /* the ratio bounds it */
            struct feed_room to = {.p = room, .cap = sizeof room};
            is = feed_read(f, &to, 0, &e);
            if (to.n > to.cap || (is == FEED_DATA) != (to.n > 0))
                abort();
        } while (is == FEED_DATA || is == FEED_WAIT);
    if (is == FEED_FAILED && !e.what[0])
        abort();
    feed_close(f);
    if (mem_live() != live)
        abort();
    free(copy);
    return 0;
}
