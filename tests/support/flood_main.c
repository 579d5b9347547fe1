/*
 * flood_main.c - what a server may send to who looks on: a trace of Go 1.26 that is little to send and much
 * to hold, or that never comes to an end.
 *
 *   flood SHAPE N     writes it to standard output
 *
 * tiny: N generations of 17 bytes and little more, each one empty batch; endless: one generation of N batches
 * of 64 KB of zeros, which has no end; batches: one generation of N empty batches; stacks, strings: one
 * generation of N tables of 64 KB, in which each entry is another one. The last three have an end.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE = 64000, ENTRY = 64, END = 52 };

struct bytes {
    unsigned char p[TABLE + ENTRY];
    size_t n;
};

static void put(struct bytes *b, unsigned char byte)
{
    b->p[b->n++] = byte;
}

static void varint(struct bytes *b, uint64_t v)
{
    for (; v >= 128; v >>= 7)
        put(b, (unsigned char)(v | 128));
    put(b, (unsigned char)v);
}

/* A batch, its size in ten bytes as the runtime writes it. */
static void batch(uint64_t gen, const unsigned char *p, size_t n)
{
    struct bytes head = {.n = 0};
    put(&head, 1);
    varint(&head, gen);
    varint(&head, 0);
    varint(&head, 1);
    for (int i = 0; i < 9; i++)
        put(&head, (unsigned char)(n >> 7 * i | 128));
    put(&head, 0);
    fwrite(head.p, 1, head.n, stdout);
    fwrite(p, 1, n, stdout);
}

/* One entry more: its number says what it is. */
static void stack(struct bytes *b, uint64_t i)
{
    put(b, 3);
    varint(b, i);
    put(b, 1);
    varint(b, i);
    put(b, 0);
    put(b, 0);
    varint(b, i);
}

static void string(struct bytes *b, uint64_t i)
{
    char text[24];
    const int n = snprintf(text, sizeof text, "%020llu", (unsigned long long)i);
    put(b, 5);
    varint(b, i);
    varint(b, (uint64_t)n);
    for (int k = 0; k < n; k++)
        put(b, (unsigned char)text[k]);
}

static void tables(unsigned char kind, void (*entry)(struct bytes *, uint64_t), uint64_t n)
{
    uint64_t id = 0;
    for (uint64_t i = 0; i < n; i++) {
        struct bytes b = {.n = 0};
        put(&b, kind);
        while (b.n < TABLE)
            entry(&b, ++id);
        batch(1, b.p, b.n);
    }
    putchar(END);
}

static int flood(const char *shape, uint64_t n)
{
    static const unsigned char zeros[TABLE];
    fwrite("go 1.26 trace\0\0\0", 1, 16, stdout);
    if (strcmp(shape, "stacks") == 0) {
        tables(2, stack, n);
    } else if (strcmp(shape, "strings") == 0) {
        tables(4, string, n);
    } else if (strcmp(shape, "tiny") == 0) {
        for (uint64_t i = 1; i <= n; i++) {
            batch(i, zeros, 0);
            putchar(END);
        }
    } else if (strcmp(shape, "endless") == 0 || strcmp(shape, "batches") == 0) {
        for (uint64_t i = 0; i < n; i++)
            batch(1, zeros, *shape == 'e' ? sizeof zeros : 0);
        if (*shape == 'b')
            putchar(END);
    } else {
        return 2;
    }
    return fflush(stdout) != 0;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: flood SHAPE N\n");
        return 2;
    }
    return flood(argv[1], strtoull(argv[2], NULL, 10));
}
