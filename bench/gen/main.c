/*
 * main.c - gen-trace: large traces for the benchmarks, the same bytes for the same arguments.
 *
 *     gen-trace --size 100M [--go 1.26] [--shape http] [--procs 8] [--goroutines 1000] [--gens N] [--slow N]
 * [--seed N] FILE
 *
 * The traces are valid by Go's own reader. --go is the dialect: 1.19 and 1.21 of the first
 * family, 1.22, 1.23, 1.25, 1.26 of the second. --shape is the program: `http` mixes events as traces of a
 * small HTTP server do, `one` is one goroutine on one P that makes system calls and yields, `churn` starts
 * short-lived goroutines. --goroutines are alive all the time. --gens is approximate; without it a generation
 * has about 8 MB, what a busy server writes in a second.
 * --slow makes the clock of the second family so many times slower: an hour in a few hundred megabytes.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/gen/gen.h"

FILE *out_file;
uint64_t out_bytes, out_held;

void out_write(const void *p, size_t n)
{
    if (fwrite(p, 1, n, out_file) != n) {
        perror("gen-trace");
        exit(1);
    }
    out_bytes += n;
}

void out_room(struct obuf *o, uint32_t n)
{
    out_held += o->n - o->held;
    o->held = o->n;
    if (o->n + n <= o->cap)
        return;
    o->cap = (o->n + n) * 2;
    o->b = realloc(o->b, o->cap);
    if (!o->b) {
        fprintf(stderr, "gen-trace: out of memory\n");
        exit(1);
    }
}

void out_flushed(struct obuf *o)
{
    out_held -= o->held;
    o->n = o->held = 0;
}

void out_text(struct obuf *o, const void *p, uint32_t n)
{
    memcpy(o->b + o->n, p, n);
    o->n += n;
}

void out_byte(struct obuf *o, unsigned v)
{
    o->b[o->n++] = (uint8_t)v;
}

void out_varint(struct obuf *o, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        o->b[o->n++] = (uint8_t)(v | 0x80);
    o->b[o->n++] = (uint8_t)v;
}

void out_padded(struct obuf *o, uint64_t v)
{
    for (int i = 0; i < 9; i++, v >>= 7)
        o->b[o->n++] = (uint8_t)((v & 0x7f) | 0x80);
    o->b[o->n++] = (uint8_t)v;
}

static uint32_t mixed(uint32_t x)
{
    x = (x ^ x >> 16) * 0x45d9f3bu;
    x = (x ^ x >> 16) * 0x45d9f3bu;
    return x ^ x >> 16;
}

unsigned gen_stack(uint32_t id, uint32_t func[32])
{
    unsigned n = id <= 8 ? 1 : 1 + mixed(id) % 12; /* the first ones are start functions */
    for (unsigned k = 0; k < n; k++)
        func[k] = id <= 8 ? id : k + 1 == n ? 1 + mixed(id * 31) % 8 : 1 + mixed(id * 97 + k / 2) % NFUNCS;
    return n;
}

static const char *const pkg[] = {
    "net/http", "main", "runtime", "internal/poll", "encoding/json", "database/sql", "example.com/shop/store",
    "sync"};
static const char *const word[] = {"serve", "read",   "write",  "lookup", "flush",
                                   "park",  "decode", "accept", "poll",   "query"};

unsigned gen_func_name(uint32_t f, char *out, unsigned cap)
{
    if (f <= 8)
        return (unsigned)snprintf(out, cap, "main.(*server).%s", word[f]);
    return (unsigned)snprintf(out, cap, "%s.(*conn%u).%s", pkg[f % 8], f / 80, word[f / 8 % 10]);
}

unsigned gen_file_name(uint32_t f, char *out, unsigned cap)
{
    return (unsigned)snprintf(out, cap, "%s/file%u.go", pkg[f % 8], f / 20);
}

static int usage(void)
{
    fprintf(stderr,
            "usage: gen-trace --size 100M [--go 1.26] [--shape http|one|churn] [--procs 8] [--goroutines "
            "1000] [--gens N] [--slow N] [--seed N] FILE\n");
    return 2;
}

static uint64_t size_arg(const char *s)
{
    char *end;
    double v = strtod(s, &end);
    return (uint64_t)(v * (*end == 'G' ? 1e9 : *end == 'M' ? 1e6 : *end == 'K' ? 1e3 : 1));
}

static bool shape_arg(const char *name, enum shape *out)
{
    static const char *const names[] = {"http", "one", "churn"};
    for (unsigned i = 0; i < 3; i++)
        if (strcmp(name, names[i]) == 0) {
            *out = (enum shape)i;
            return true;
        }
    return false;
}

struct asked {
    uint64_t size, gens, seed;
    int version;
    const char *file;
};

/* false: not understood. */
static bool arguments(int argc, char **argv, struct asked *o, struct sim *s)
{
    for (int i = 1; i < argc; i++) {
        const char *v = i + 1 < argc ? argv[i + 1] : "";
        bool option = argv[i][0] == '-' && argv[i][1];
        if (strcmp(argv[i], "--size") == 0)
            o->size = size_arg(v);
        else if (strcmp(argv[i], "--go") == 0)
            o->version = strncmp(v, "1.", 2) == 0 ? 1000 + atoi(v + 2) : 0;
        else if (strcmp(argv[i], "--shape") == 0 && shape_arg(v, &s->shape))
            ;
        else if (strcmp(argv[i], "--procs") == 0)
            s->np = (uint32_t)atoi(v);
        else if (strcmp(argv[i], "--goroutines") == 0)
            s->nlong = (uint32_t)atoi(v);
        else if (strcmp(argv[i], "--gens") == 0)
            o->gens = strtoull(v, NULL, 10);
        else if (strcmp(argv[i], "--slow") == 0)
            s->slow = (uint32_t)atoi(v);
        else if (strcmp(argv[i], "--seed") == 0)
            o->seed = strtoull(v, NULL, 10);
        else if (option || o->file)
            return false;
        else
            o->file = argv[i];
        i += option;
    }
    bool known = o->version == 1019 || (o->version >= 1021 && o->version <= 1026 && o->version != 1024);
    return o->file && o->size && known && s->np >= 1 && s->slow >= 1 && s->np <= 100000 && s->nlong >= 1;
}

int main(int argc, char **argv)
{
    static struct sim s = {.np = 8, .slow = 1, .nlong = 1000};
    struct asked o = {.seed = 1, .version = 1026};
    if (!arguments(argc, argv, &o, &s))
        return usage();
    if (s.shape == SHAPE_ONE)
        s.np = s.nlong = 1;
    out_file = strcmp(o.file, "-") == 0 ? stdout : fopen(o.file, "wb");
    if (!out_file) {
        perror(o.file);
        return 1;
    }
    setvbuf(out_file, NULL, _IOFBF, 1 << 20);
    s.rng[0] = o.seed * 0x9e3779b97f4a7c15u + 1;
    s.rng[1] = o.seed ^ 0xd1b54a32d192ed03u;
    emit = o.version >= 1022 ? &emit_v2 : &emit_v1;
    emit->begin(&s, o.version);
    sim_run(&s, o.size, o.gens ? o.size / o.gens : 8000000);
    if (fclose(out_file) != 0) {
        perror(o.file);
        return 1;
    }
    fprintf(stderr, "%llu bytes, %llu events, %u generations, %llu goroutines, %.3f s of program time\n",
            (unsigned long long)out_bytes, (unsigned long long)s.events, s.generation,
            (unsigned long long)s.next_id - 1,
            (double)(s.last - (uint64_t)UNITS_PER_SECOND * 3600) / UNITS_PER_SECOND);
    return 0;
}
