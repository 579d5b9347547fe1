/*
 * fuzz_v1.c - libFuzzer entry for the first family: the first byte chooses the dialect, the rest follows its header.
 */
#include "tests/fuzz/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static const int dialect[] = {0, 1005, 1007, 1008, 1009, 1010, 1011, 1019, 1021};
    if (n)
        walk_as(dialect[data[0] % 9], data + 1, n - 1);
    return 0;
}
