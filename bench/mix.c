/*
 * mix.c - what a trace consists of, on the wire: the share of each event type, and its bytes.
 *
 *   mix TRACE..
 *   mix -h TRACE     how many bytes at its beginning are a trace of their own: second family, its first
 *                    generation; first family, 3 MB or all
 *
 * One column per trace, per thousand events, so that what gen-trace writes can be held against real traces.
 * It walks the bytes itself and orders nothing. Traces of one family at a time; no damage is looked for.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/base/bytes.h"
#include "decode/input/input.h"
#include "decode/v1/v1_wire.h"

#define MAX_TRACES 8

struct mix {
    uint64_t n[256], bytes[256], events, batches, gens, table_bytes, all;
};

static const struct v2_type {
    const char *name;
    int args;
} V2[256] = {
#define X(number, id, go, since, nargs, ...) [number] = {#id, nargs},
#include "decode/v2/events_v2.def"
};

static bool v2_batch(struct mix *m, const uint8_t *p, const uint8_t *end)
{
    while (p < end) {
        const uint8_t *at = p;
        const struct v2_type *t = &V2[*p];
        uint64_t v;
        if (!t->name)
            return false;
        p++;
        for (int i = 0; i <= t->args; i++)
            if (!(p = bytes_varint(p, end, &v)))
                return false;
        m->n[*at]++;
        m->bytes[*at] += (uint64_t)(p - at);
        m->events++;
    }
    return true;
}

/* first: NULL, or where to note the end of the first generation. */
static bool v2_walk(struct mix *m, const uint8_t *p, const uint8_t *end, const uint8_t **first)
{
    uint64_t gen = 0;
    while (p < end) {
        uint64_t f[4];
        const uint8_t *at = p;
        uint8_t lead = *p++;
        if (lead == 52 && first) {
            *first = p;
            return true;
        }
        if (lead == 52)
            continue;
        if (lead == 49)
            p++;
        for (int i = 0; i < 4; i++)
            if (p >= end || !(p = bytes_varint(p, end, &f[i])))
                return false;
        if ((uint64_t)(end - p) < f[3])
            return false;
        if (first && gen && f[0] != gen) {
            *first = at;
            return true;
        }
        m->gens += f[0] != gen;
        gen = f[0];
        uint8_t what = f[3] ? *p : 0;
        if (lead == 49 || what == 2 || what == 4 || what == 6 || what == 8 || what == 50)
            m->table_bytes += f[3];
        else if (!v2_batch(m, p, p + f[3]))
            return false;
        else
            m->batches++;
        p += f[3];
    }
    return true;
}

static bool v1_walk(struct mix *m, int version, const uint8_t *p, const uint8_t *end)
{
    struct v1_dialect d;
    v1_dialect_init(&d, version);
    while (p < end) {
        const uint8_t *at = p;
        const char *why;
        struct v1_raw raw;
        if (v1_read(&d, &p, end, &raw, &why) != V1_READ_OK)
            return false;
        uint64_t n = (uint64_t)(p - at);
        if (raw.type == V1_BATCH) {
            m->batches++;
        } else if (raw.type == V1_STRING || raw.type == V1_STACK || raw.type == V1_FREQUENCY) {
            m->table_bytes += n;
        } else {
            m->n[raw.type]++;
            m->bytes[raw.type] += n;
            m->events++;
        }
    }
    return true;
}

/* head: only how many bytes the first generation takes is said. second: the family of those before it, -1
 * none. false: it can't be. */
static bool count(struct mix *m, const char *path, bool head, int *second)
{
    struct input in;
    struct err e;
    if (input_open(path, 0, &in, &e)) {
        fprintf(stderr, "mix: %s: %s\n", path, e.what);
        return false;
    }
    int minor = in.len > 16 && memcmp(in.data, "go 1.", 5) == 0 ? atoi((const char *)in.data + 5) : 0;
    const bool two = minor >= 22, same = *second < 0 || *second == two;
    const uint8_t *end = in.data + in.len, *cut = end;
    *second = two;
    m->all = in.len;
    if (!same)
        fprintf(stderr, "mix: traces of both families\n");
    if (same && head) {
        if (two)
            v2_walk(m, in.data + 16, end, &cut);
        printf("%zu\n", two ? (size_t)(cut - in.data) : in.len < 3000000 ? in.len : 3000000);
    } else if (same && !(two ? v2_walk(m, in.data + 16, end, NULL)
                             : v1_walk(m, 1000 + minor, in.data + (minor ? 16 : 8), end))) {
        fprintf(stderr, "mix: %s: stopped at something it does not know\n", path);
    }
    input_close(&in);
    return same;
}

static void say_sizes(const struct mix *mix, int n, char **path)
{
    for (int i = 0; i < n; i++) {
        double ev = mix[i].events ? (double)mix[i].events : 1;
        printf("%d: %s: %" PRIu64
               " events, %.2f bytes each (%.2f with tables and headers), %.0f events a batch, %" PRIu64
               " generations\n",
               i + 1, path[i], mix[i].events, (double)(mix[i].all - mix[i].table_bytes) / ev,
               (double)mix[i].all / ev, ev / (double)(mix[i].batches ? mix[i].batches : 1), mix[i].gens);
    }
}

static void say_types(const struct mix *mix, int n, bool second)
{
    printf("%-24s", "of 1000 events (bytes)");
    for (int i = 0; i < n; i++)
        printf("  %14d", i + 1);
    printf("\n");
    for (unsigned t = 0; t < 256; t++) {
        uint64_t any = 0;
        for (int i = 0; i < n; i++)
            any += mix[i].n[t];
        if (!any)
            continue;
        printf("%-24s", second ? V2[t].name : v1_type_name(t));
        for (int i = 0; i < n; i++) {
            uint64_t k = mix[i].n[t];
            printf("  %7.2f (%4.1f)", 1e3 * (double)k / (double)mix[i].events,
                   k ? (double)mix[i].bytes[t] / (double)k : 0);
        }
        printf("\n");
    }
}

/* Half the sum of the differences: what would have to be of another type. */
static void say_difference(const struct mix *mix, int n)
{
    printf("%-24s", "other than in 1");
    for (int i = 0; i < n; i++) {
        double d = 0;
        for (unsigned t = 0; t < 256; t++) {
            double a = 1e3 * (double)mix[0].n[t] / (double)mix[0].events,
                   b = 1e3 * (double)mix[i].n[t] / (double)mix[i].events;
            d += a > b ? a - b : b - a;
        }
        printf("  %7.2f       ", d / 2);
    }
    printf("\n");
}

int main(int argc, char **argv)
{
    static struct mix mix[MAX_TRACES];
    bool head = argc == 3 && strcmp(argv[1], "-h") == 0;
    int n = argc - 1 - head, second = -1;
    argv += 1 + head;
    if (n < 1 || n > MAX_TRACES) {
        fprintf(stderr, "usage: mix [-h] TRACE.. (at most %d)\n", MAX_TRACES);
        return 2;
    }
    for (int i = 0; i < n; i++)
        if (!count(&mix[i], argv[i], head, &second))
            return 2;
    if (head)
        return 0;
    say_sizes(mix, n, argv);
    say_types(mix, n, second);
    say_difference(mix, n);
    return 0;
}
