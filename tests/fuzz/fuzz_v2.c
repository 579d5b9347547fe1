/*
 * fuzz_v2.c - libFuzzer entry for the second family: the first byte chooses the dialect, the rest follows its header.
 */
#include "tests/fuzz/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static const int dialect[] = {1022, 1023, 1025, 1026, 1027};
    if (n)
        walk_as(dialect[data[0] % 5], data + 1, n - 1);
    return 0;
}
