/*
 * v1_wire.c - see v1_wire.h.
 *
 * An event is a byte (six bits of type, two bits of count), for count 3 a length, then numbers. The dialect's
 * table also says how many values a type has, so an event whose count differs is damage.
 */
#include "decode/v1/v1_wire.h"

#include <string.h>

static const char *const NAMES[V1_TYPES] = {
#define V1_EVENT(number, id, text, whose, means, from, shape) [number] = text,
#include "decode/v1/events_v1.def"
};

static const struct {
    uint8_t type;
    int from, to;
    const char *shape;
} SHAPES[] = {
#define V1_EVENT(number, id, text, whose, means, from, shape) {number, from, V1_LAST, shape},
#define V1_SHAPE(id, from, to, shape) {V1_##id, from, to, shape},
#include "decode/v1/events_v1.def"
};

const char *v1_type_name(unsigned type)
{
    return type < V1_TYPES && NAMES[type] ? NAMES[type] : "?";
}

void v1_dialect_init(struct v1_dialect *d, int version)
{
    memset(d, 0, sizeof *d);
    d->version = version;
    d->base = version == 1005 ? 2 : 1;
    d->names = version >= 1007;
    for (size_t i = 0; i < sizeof SHAPES / sizeof SHAPES[0]; i++) {
        if (version < SHAPES[i].from || version > SHAPES[i].to)
            continue;
        struct v1_shape *s = &d->shape[SHAPES[i].type];
        const char *c = SHAPES[i].shape;
        s->name = NAMES[SHAPES[i].type];
        s->stack = -1;
        for (; *c; c++) {
            if (*c == 'T') {
                s->n = version == 1005 ? 2 : 1;
                s->timed = s->n;
                continue;
            }
            if (*c == 'k')
                s->stack = (int8_t)s->n;
            s->n++;
        }
        if (SHAPES[i].type > d->max)
            d->max = SHAPES[i].type;
    }
}

/* This is the reading of one event. */
struct reading {
    const uint8_t *p, *end;
    const char *why;
};

/* Keep why reading failed. An event that the input's end cuts needs no message. */
static enum v1_read wire_bad(struct reading *in, const char *what)
{
    in->why = what;
    return V1_READ_BAD;
}

/* Does as bytes_varint(), but tells a number that the input's end cuts from one that is too long. */
static enum v1_read read_number(struct reading *in, uint64_t *v)
{
    const uint8_t *q = bytes_varint(in->p, in->end, v);
    if (!q)
        return in->end - in->p < 10 ? V1_READ_CUT : wire_bad(in, "a number of more than ten bytes");
    in->p = q;
    return V1_READ_OK;
}

static enum v1_read inline_text(struct reading *in, struct v1_raw *out)
{
    uint64_t len;
    enum v1_read r = read_number(in, &len);
    if (r != V1_READ_OK)
        return r;
    if (len > V1_STRING_MAX)
        return wire_bad(in, "a string of more than a million bytes");
    if (len > (uint64_t)(in->end - in->p))
        return V1_READ_CUT;
    out->text = in->p;
    out->len = (uint32_t)len;
    in->p += len;
    return V1_READ_OK;
}

static enum v1_read read_string(struct reading *in, struct v1_raw *out)
{
    enum v1_read r = read_number(in, &out->v[0]);
    if (r == V1_READ_OK)
        r = inline_text(in, out);
    if (r != V1_READ_OK)
        return r;
    if (!out->v[0])
        return wire_bad(in, "a string with the reserved number 0");
    if (!out->len)
        return wire_bad(in, "an empty string in the table");
    out->n = 1;
    return V1_READ_OK;
}

/* Check a stack's values, n of them or (UINT64_MAX) all that the event has, and keep only where they are. */
static enum v1_read wire_stack(const struct v1_dialect *d, struct reading *in, uint64_t n, struct v1_raw *out)
{
    enum v1_read r;
    if (n < 2)
        return wire_bad(in, "a stack without a size");
    for (unsigned i = 0; i < 2; i++)
        if ((r = read_number(in, &out->v[i])) != V1_READ_OK)
            return r;
    out->n = 2;
    if (out->v[1] > V1_FRAMES_MAX)
        return wire_bad(in, "a stack of more than 1000 frames");
    uint64_t want = out->v[1] * (d->names ? 4 : 1), skipped;
    out->text = in->p;
    out->len = (uint32_t)out->v[1];
    if (n != UINT64_MAX && n != want + 2)
        return wire_bad(in, "a stack with a wrong number of values");
    for (uint64_t i = 0; i < want; i++)
        if ((r = read_number(in, &skipped)) != V1_READ_OK)
            return r;
    return V1_READ_OK;
}

static enum v1_read read_values(const struct v1_dialect *d, struct reading *in, uint64_t n,
                                struct v1_raw *out)
{
    if (out->type == V1_STACK)
        return wire_stack(d, in, n, out);
    unsigned want = d->shape[out->type].n;
    if (n != UINT64_MAX && n != want)
        return wire_bad(in, "a wrong number of arguments");
    for (unsigned i = 0; i < want; i++) {
        enum v1_read r = read_number(in, &out->v[i]);
        if (r != V1_READ_OK)
            return r;
    }
    out->n = (uint8_t)want;
    return V1_READ_OK;
}

/* Read an event that says how many bytes its values take. */
static enum v1_read read_sized(const struct v1_dialect *d, struct reading *in, struct v1_raw *out)
{
    uint64_t len;
    const uint8_t *const end = in->end;
    enum v1_read r = read_number(in, &len);
    if (r != V1_READ_OK)
        return r;
    if (len > (uint64_t)(end - in->p))
        return len > 10 * (2 + 4 * (uint64_t)V1_FRAMES_MAX) ? wire_bad(in, "an event that is too long")
                                                            : V1_READ_CUT;
    in->end = in->p + len;
    r = read_values(d, in, UINT64_MAX, out);
    if (r == V1_READ_CUT || (r == V1_READ_OK && in->p != in->end))
        r = wire_bad(in, "values that do not fit the event's length");
    in->end = end;
    return r;
}

enum v1_read v1_read(const struct v1_dialect *d, const uint8_t **p, const uint8_t *end, struct v1_raw *out,
                     const char **why)
{
    struct reading in = {*p, end, NULL};
    enum v1_read r;
    if (in.p == end)
        return V1_READ_CUT;
    const unsigned type = *in.p & 63, n = *in.p >> 6;
    in.p++;
    out->type = (uint8_t)type;
    out->n = 0;
    out->text = NULL;
    out->len = 0;
    if (!d->shape[type].name)
        r = wire_bad(&in, "an unknown event type");
    else if (type == V1_STRING)
        r = read_string(&in, out);
    else if (n < 3)
        r = read_values(d, &in, n + d->base, out);
    else
        r = read_sized(d, &in, out);
    if (r == V1_READ_OK && type == V1_LOG)
        r = inline_text(&in, out);
    if (r == V1_READ_OK)
        *p = in.p;
    if (r == V1_READ_BAD)
        *why = in.why;
    return r;
}
