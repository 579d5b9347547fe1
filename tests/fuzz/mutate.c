/*
 * mutate.c - libFuzzer's mutator, which knows what a trace is: it turns the bytes into the tests' notation
 * (tracegen.h), changes lines of it (whole events and batches: taken away, doubled, moved, exchanged; numbers
 * and names of events: others), and encodes that again. One time in three, and where an entry's input is no
 * trace, bytes are changed as ever.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/tracegen.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);
/* An entry whose input is a trace says its dialect, and how many bytes stand before it. */
int fuzz_version(const uint8_t *data) __attribute__((weak));
int fuzz_skips(void) __attribute__((weak));

static uint64_t state;
static uint64_t below(uint64_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return n ? state % n : 0;
}

enum { LINES = 4096 };
struct lines {
    const char *p[LINES];
    size_t n[LINES];
    size_t k;
};

static void split(struct lines *l, const char *p, const char *end)
{
    for (l->k = 0; p < end && l->k < LINES; l->k++) {
        const char *nl = memchr(p, '\n', (size_t)(end - p));
        l->p[l->k] = p;
        l->n[l->k] = (size_t)((nl ? nl : end) - p);
        p = nl ? nl + 1 : end;
    }
}

static void drop(struct lines *l, size_t i)
{
    memmove(l->p + i, l->p + i + 1, (l->k - i - 1) * sizeof *l->p);
    memmove(l->n + i, l->n + i + 1, (l->k - i - 1) * sizeof *l->n);
    l->k--;
}

static void insert(struct lines *l, size_t i, const char *p, size_t n)
{
    if (l->k == LINES)
        return;
    memmove(l->p + i + 1, l->p + i, (l->k - i) * sizeof *l->p);
    memmove(l->n + i + 1, l->n + i, (l->k - i) * sizeof *l->n);
    l->p[i] = p;
    l->n[i] = n;
    l->k++;
}

/* A line with one of its numbers another. room is where it may be kept. */
static void renumber(struct lines *l, size_t i, char *room, size_t size)
{
    static const char *const odd[] = {"0",
                                      "1",
                                      "2",
                                      "3",
                                      "7",
                                      "127",
                                      "128",
                                      "65535",
                                      "4294967295",
                                      "2305843009213693952",
                                      "9223372036854775807",
                                      "18446744073709551615",
                                      "1000000000"};
    size_t at[64], k = 0;
    for (size_t c = 0; c < l->n[i] && k < 64; c++)
        if (l->p[i][c] >= '0' && l->p[i][c] <= '9' && (!c || l->p[i][c - 1] < '0' || l->p[i][c - 1] > '9'))
            at[k++] = c;
    if (!k)
        return;
    size_t from = at[below(k)], to = from;
    while (to < l->n[i] && l->p[i][to] >= '0' && l->p[i][to] <= '9')
        to++;
    char near[24];
    snprintf(near, sizeof near, "%llu", strtoull(l->p[i] + from, NULL, 10) + below(5) - 2);
    const char *with = below(2) ? near : odd[below(sizeof odd / sizeof *odd)];
    int n = snprintf(room, size, "%.*s%s%.*s", (int)from, l->p[i], with, (int)(l->n[i] - to), l->p[i] + to);
    if (n > 0 && (size_t)n < size) {
        l->p[i] = room;
        l->n[i] = (size_t)n;
    }
}

/* An event of the dialect, with small numbers. */
static size_t event(int version, char *room, size_t size)
{
    size_t many = 0;
    while (tracegen_event(version, many))
        many++;
    const struct tracegen_event *e = tracegen_event(version, below(many));
    char name[TRACEGEN_ARGS][16], kind[TRACEGEN_ARGS];
    unsigned k = e ? tracegen_args(e, name, kind) : 0;
    size_t n = e ? (size_t)snprintf(room, size, "%s +%llu", e->name, (unsigned long long)below(50)) : 0;
    for (unsigned i = 0; i < k && n + 40 < size; i++)
        n += (size_t)snprintf(room + n, size - n, " %s=%llu", name[i], (unsigned long long)below(8));
    return n;
}

static void change(struct lines *l, int version, char *room, size_t size)
{
    size_t i = 1 + below(l->k - 1), j = 1 + below(l->k - 1);
    switch (below(7)) {
    case 0: drop(l, i); break;
    case 1: insert(l, j, l->p[i], l->n[i]); break;
    case 2: {
        const char *p = l->p[i];
        size_t n = l->n[i];
        l->p[i] = l->p[j];
        l->n[i] = l->n[j];
        l->p[j] = p;
        l->n[j] = n;
        break;
    }
    case 3: {
        size_t n = event(version, room, size);
        if (n)
            insert(l, i, room, n);
        break;
    }
    default: renumber(l, i, room, size); break;
    }
}

static size_t mutate_text(uint8_t *data, size_t size, size_t max, size_t skip)
{
    struct tracegen_buf text = {0}, out = {0}, bytes = {0};
    static struct lines l;
    static char room[6][512];
    char err[200];
    uint8_t head[16];
    int version = fuzz_version(data);
    size_t h = tracegen_header(version, head), n = 0;
    tracegen_put(&bytes, head, h);
    tracegen_put(&bytes, data + skip, size - skip);
    tracegen_decode(bytes.p, bytes.n, &text);
    split(&l, (char *)text.p, (char *)text.p + text.n);
    for (uint64_t k = 1 + below(5), i = 0; i < k && l.k > 2; i++)
        change(&l, version, room[i], sizeof room[i]);
    bytes.n = 0;
    for (size_t i = 0; i < l.k; i++) {
        tracegen_put(&bytes, l.p[i], l.n[i]);
        tracegen_put(&bytes, "\n", 1);
    }
    if (tracegen_encode((char *)bytes.p, &out, err, sizeof err) == 0 && out.n > h &&
        out.n - h + skip <= max) {
        memcpy(data + skip, out.p + h, out.n - h);
        n = out.n - h + skip;
    }
    tracegen_free(&text);
    tracegen_free(&out);
    tracegen_free(&bytes);
    return n;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    state = seed * 0x9E3779B97F4A7C15u + 1;
    size_t skip = fuzz_skips ? (size_t)fuzz_skips() : 1, n = 0;
    if (fuzz_version && size > skip && size < 8192 && below(3))
        n = mutate_text(data, size, max, skip);
    return n ? n : LLVMFuzzerMutate(data, size, max);
}
