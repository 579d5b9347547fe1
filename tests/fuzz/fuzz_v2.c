/*
 * fuzz_v2.c - libFuzzer entry for the second family: the first byte chooses the dialect, the rest follows its
 * header.
 */
#include "tests/fuzz/walk.h"

int fuzz_version(const uint8_t *data);
int fuzz_version(const uint8_t *data)
{
    static const int dialect[] = {1022, 1023, 1025, 1026, 1027};
    return dialect[data[0] % 5];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (n)
        walk_as(fuzz_version(data), data + 1, n - 1);
    return 0;
}
