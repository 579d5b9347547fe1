/*
 * fuzz_packed.c - libFuzzer entry for compressed input: the first byte chooses what stands before the rest
 * (the magic of gzip or zstd, or nothing), the second whether there is a limit.
 */
#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"
#include "decode/input/unpack.h"

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
    struct sink b = {.limit = data[1] % 2 ? LIMIT : 0};
    struct err damage = {0}, e = {0};
    if (data[1] % 4 < 2) /* without a limit the ratio bounds it */
        b.known = true;
    enum err_code rc = unpack(copy, m + n - 2, false, &b, &damage, &e);
    if ((rc && !e.what[0]) || (b.limit && b.cap > LIMIT) || b.n > b.cap)
        abort();
    mem_free(b.p);
    if (mem_live() != live)
        abort();
    free(copy);
    return 0;
}
