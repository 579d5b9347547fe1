/*
 * tracegen_decode.c - bytes to the notation.
 *
 * An item (batch head, event, table entry) is written as a line only if encoding that line gives the same
 * bytes: known to the dialect, its numbers in their shortest form. Otherwise its bytes, or all that is left
 * of the batch or file, become 'raw' lines. So the text holds everything, also of a damaged file.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/tracegen.h"

struct cur { /* a cursor over bytes; bad: ran out, or an overlong number */
    const uint8_t *p, *end;
    bool bad, padded;
};

struct dec {
    struct tracegen_buf *out;
    int version;
    unsigned base; /* first family: values of an event that its count leaves out */
};

static uint64_t varint(struct cur *c)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < 10; i++) {
        if (c->p == c->end)
            break;
        uint8_t b = *c->p++;
        v |= (uint64_t)(b & 0x7f) << (7 * i);
        if (b < 0x80) {
            if (i > 0 && b == 0)
                c->padded = true;
            if (i == 9 && b > 1)
                break;
            return v;
        }
    }
    c->bad = true;
    return 0;
}

static void put_number(struct dec *d, uint64_t v)
{
    if (v >> 63)
        tracegen_printf(d->out, "-%llu", (unsigned long long)-v);
    else
        tracegen_printf(d->out, "%llu", (unsigned long long)v);
}

static void put_option(struct dec *d, const char *key, uint64_t v)
{
    tracegen_printf(d->out, " %s=", key);
    put_number(d, v);
}

static void put_quoted(struct dec *d, const uint8_t *s, size_t n)
{
    tracegen_put(d->out, "\"", 1);
    for (size_t i = 0; i < n; i++)
        if (s[i] == '"' || s[i] == '\\')
            tracegen_printf(d->out, "\\%c", s[i]);
        else if (s[i] < 0x20 || s[i] >= 0x7f)
            tracegen_printf(d->out, "\\x%02x", s[i]);
        else
            tracegen_put(d->out, s + i, 1);
    tracegen_put(d->out, "\"", 1);
}

static void put_raw(struct dec *d, const uint8_t *p, const uint8_t *end)
{
    while (p < end) {
        tracegen_printf(d->out, "raw");
        for (unsigned i = 0; i < 32 && p < end; i++)
            tracegen_printf(d->out, " %02x", *p++);
        tracegen_printf(d->out, "\n");
    }
}

/* put_args - an event's arguments behind its name and time. */
static void put_args(struct dec *d, const struct tracegen_event *ev, const uint64_t *v)
{
    char name[TRACEGEN_ARGS][16], kind[TRACEGEN_ARGS];
    unsigned n = tracegen_args(ev, name, kind);
    for (unsigned i = 0; i < n; i++) {
        const char *word = kind[i] == '%' ? tracegen_state(name[i], v[i]) : NULL;
        if (word)
            tracegen_printf(d->out, " %s=%s", name[i], word);
        else if (kind[i] == '^')
            tracegen_printf(d->out, " %s=0x%llx", name[i], (unsigned long long)v[i]);
        else
            put_option(d, name[i], v[i]);
    }
}

static unsigned nargs(const struct tracegen_event *ev)
{
    char name[TRACEGEN_ARGS][16], kind[TRACEGEN_ARGS];
    return tracegen_args(ev, name, kind);
}

/* entry_stack - id, n, frames; `width` values a frame. The values are read twice: nothing is written before
 * all are good. */
static bool entry_stack(struct dec *d, struct cur *c, const uint8_t *limit, unsigned width, const char *pad)
{
    struct cur look = *c;
    if (limit)
        look.end = limit;
    uint64_t id = varint(&look), n = varint(&look);
    if (look.bad || n > (uint64_t)(look.end - look.p) || n > 400)
        return false;
    struct cur again = look;
    for (uint64_t i = 0; i < n * width; i++)
        varint(&look);
    if (look.bad || look.padded || (limit && look.p != limit))
        return false;
    tracegen_printf(d->out, "Stack id=%llu%s", (unsigned long long)id, pad);
    for (uint64_t i = 0; i < n; i++) {
        tracegen_printf(d->out, " 0x%llx", (unsigned long long)varint(&again));
        for (unsigned k = 1; k < width; k++)
            tracegen_printf(d->out, ":%llu", (unsigned long long)varint(&again));
    }
    tracegen_printf(d->out, "\n");
    c->p = look.p;
    return true;
}

static bool entry_string(struct dec *d, struct cur *c)
{
    struct cur look = *c;
    uint64_t id = varint(&look), n = varint(&look);
    if (look.bad || look.padded || n > (uint64_t)(look.end - look.p))
        return false;
    tracegen_printf(d->out, "String id=%llu ", (unsigned long long)id);
    put_quoted(d, look.p, n);
    tracegen_printf(d->out, "\n");
    c->p = look.p + n;
    return true;
}

/* ---- second family ------------------------------------------------------------------------------------- */

static bool item_v2(struct dec *d, struct cur *c)
{
    static const struct {
        unsigned num;
        const char *name;
    } marks[] = {{2, "Stacks"}, {4, "Strings"}, {6, "CPUSamples"}, {50, "Sync"}};
    struct cur look = *c;
    unsigned type = *look.p++;
    if (type == 3 || type == 5) {
        bool ok = type == 3 ? entry_stack(d, &look, NULL, 4, "") : entry_string(d, &look);
        *c = ok ? look : *c;
        return ok;
    }
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (marks[i].num == type) {
            tracegen_printf(d->out, "%s\n", marks[i].name);
            *c = look;
            return true;
        }
    const struct tracegen_event freq = {"Frequency", 8, 0, 0, "freq"},
                                sample = {"CPUSample", 7, 0, 0, "time m p g stack@"};
    const struct tracegen_event *ev = type == 8   ? &freq
                                      : type == 7 ? &sample
                                                  : tracegen_by_num(d->version, type);
    if (!ev)
        return false;
    bool timed = type > 8;
    uint64_t v[TRACEGEN_ARGS], delta = timed ? varint(&look) : 0;
    unsigned n = nargs(ev);
    for (unsigned i = 0; i < n; i++)
        v[i] = varint(&look);
    if (look.bad || look.padded)
        return false;
    tracegen_printf(d->out, "%s", ev->name);
    if (timed) {
        tracegen_printf(d->out, " +");
        put_number(d, delta);
    }
    put_args(d, ev, v);
    tracegen_printf(d->out, "\n");
    *c = look;
    return true;
}

/* batch_v2 - a batch head and all that is in it. */
static bool batch_v2(struct dec *d, struct cur *c)
{
    struct cur look = *c;
    bool experimental = *look.p++ == 49;
    unsigned exp = 0;
    if (experimental) {
        if (look.p == look.end)
            return false;
        exp = *look.p++;
    }
    uint64_t gen = varint(&look), m = varint(&look), t = varint(&look);
    bool padded = look.padded;
    const uint8_t *before = look.p;
    uint64_t size = varint(&look);
    size_t wrote = (size_t)(look.p - before);
    if (look.bad || padded || (look.padded && wrote != 10))
        return false;
    tracegen_printf(d->out, experimental ? "expbatch" : "batch");
    if (experimental)
        put_option(d, "exp", exp);
    put_option(d, "gen", gen);
    put_option(d, "m", m);
    put_option(d, "t", t);
    if (wrote != 10)
        tracegen_printf(d->out, " pad=0");
    struct cur body = {look.p, look.end, false, false};
    if (size <= (uint64_t)(look.end - look.p))
        body.end = look.p + size;
    else
        put_option(d, "size", size);
    tracegen_printf(d->out, "\n");
    while (!experimental && body.p < body.end && item_v2(d, &body))
        ;
    put_raw(d, body.p, body.end);
    c->p = body.end;
    return true;
}

static void decode_v2(struct dec *d, struct cur *c)
{
    while (c->p < c->end) {
        if (*c->p == 52 && d->version >= 1026) {
            tracegen_printf(d->out, "endgen\n");
            c->p++;
        } else if ((*c->p != 1 && *c->p != 49) || !batch_v2(d, c)) {
            tracegen_printf(d->out, "end\n");
            put_raw(d, c->p, c->end);
            return;
        }
    }
}

/* ---- first family -------------------------------------------------------------------------------------- */

struct values {
    uint64_t v[8];
    unsigned n;
};

/* values_v1 - the values of an event that begins at *c (behind its first byte); canonical forms only. */
static bool values_v1(const struct dec *d, struct cur *c, unsigned count, struct values *out)
{
    out->n = 0;
    if (count < 3) {
        for (unsigned i = 0; i < count + d->base; i++)
            out->v[out->n++] = varint(c);
        return !c->bad && !c->padded;
    }
    uint64_t len = varint(c);
    if (c->bad || c->padded || len > (uint64_t)(c->end - c->p))
        return false;
    const uint8_t *end = c->p + len;
    while (c->p < end && out->n < 8)
        out->v[out->n++] = varint(c);
    return !c->bad && !c->padded && c->p == end && out->n >= d->base + 3;
}

static bool stack_v1(struct dec *d, struct cur *c)
{
    const uint8_t *before = c->p;
    uint64_t len = varint(c);
    size_t wrote = (size_t)(c->p - before);
    if (c->bad || (c->padded && wrote != 10) || len > (uint64_t)(c->end - c->p))
        return false;
    c->padded = false;
    return entry_stack(d, c, c->p + len, d->version <= 1005 ? 1 : 4, wrote == 10 ? "" : " pad=0");
}

static bool structural_v1(struct dec *d, unsigned type, const struct values *a)
{
    unsigned spare = d->version == 1005 ? 1 : 0;
    if (type == 1 && a->n == 2 + spare) {
        tracegen_printf(d->out, "batch");
        put_option(d, "p", a->v[0]);
        if (spare)
            put_option(d, "seq", a->v[1]);
        put_option(d, "t", a->v[1 + spare]);
    } else if ((type == 2 || type == 35) && a->n == 1 + spare && (!spare || a->v[1] == 0)) {
        tracegen_printf(d->out, type == 2 ? "Frequency" : "TimerGoroutine");
        put_option(d, type == 2 ? "freq" : "g", a->v[0]);
    } else {
        return false;
    }
    tracegen_printf(d->out, "\n");
    return true;
}

static bool item_v1(struct dec *d, struct cur *c)
{
    struct cur look = *c;
    struct values a;
    unsigned type = *look.p & 0x3f, count = *look.p >> 6, spare = d->version == 1005 ? 1 : 0;
    look.p++;
    if (type == 37 && d->version >= 1007 && count == 0) {
        bool ok = entry_string(d, &look);
        *c = ok ? look : *c;
        return ok;
    }
    if (type == 3 && count == 3) {
        bool ok = stack_v1(d, &look);
        *c = ok ? look : *c;
        return ok;
    }
    if (!values_v1(d, &look, count, &a))
        return false;
    if (type == 1 || type == 2 || type == 35) {
        bool ok = structural_v1(d, type, &a);
        *c = ok ? look : *c;
        return ok;
    }
    const struct tracegen_event *ev = tracegen_by_num(d->version, type);
    if (!ev || a.n != 1 + spare + nargs(ev))
        return false;
    uint64_t len = type == 48 ? varint(&look) : 0;
    if (look.bad || look.padded || len > (uint64_t)(look.end - look.p))
        return false;
    tracegen_printf(d->out, "%s +", ev->name);
    put_number(d, a.v[spare]);
    if (spare)
        put_option(d, "dseq", a.v[0]);
    put_args(d, ev, a.v + 1 + spare);
    if (type == 48) {
        tracegen_printf(d->out, " value=");
        put_quoted(d, look.p, len);
        look.p += len;
    }
    tracegen_printf(d->out, "\n");
    *c = look;
    return true;
}

static int header(const uint8_t *p, size_t n, size_t *len)
{
    uint8_t head[16];
    *len = 8;
    if (n >= 8 && memcmp(p, "gotrace", 8) == 0)
        return 0;
    for (int v = 1005; v < 1100; v++) {
        *len = tracegen_header(v, head);
        if (n >= 16 && memcmp(p, head, 16) == 0)
            return v;
    }
    return -1;
}

void tracegen_decode(const void *data, size_t n, struct tracegen_buf *out)
{
    struct cur c = {data, (const uint8_t *)data + n, false, false};
    struct dec d = {out, 0, 1};
    size_t len;
    tracegen_put(out, "", 0);
    d.version = header(data, n, &len);
    if (d.version < 0) {
        put_raw(&d, c.p, c.end);
        return;
    }
    c.p += len;
    if (d.version == 0)
        tracegen_printf(out, "prototype\n");
    else
        tracegen_printf(out, "go %d.%d\n", d.version / 1000, d.version % 1000);
    tracegen_printf(out, "noauto\n");
    if (d.version >= 1022) {
        decode_v2(&d, &c);
        return;
    }
    d.base = d.version == 1005 ? 2 : 1;
    while (c.p < c.end && item_v1(&d, &c))
        ;
    put_raw(&d, c.p, c.end);
}
