/*
 * fuzz_v1.c - libFuzzer entry for the first family: the first byte chooses the dialect, the rest follows its
 * header.
 */
#include "tests/fuzz/walk.h"

int fuzz_version(const uint8_t *data);
int fuzz_version(const uint8_t *data)
{
    static const int dialect[] = {0, 1005, 1007, 1008, 1009, 1010, 1011, 1019, 1021};
    return dialect[data[0] % 9];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (n)
        walk_as(fuzz_version(data), data + 1, n - 1);
    return 0;
}
