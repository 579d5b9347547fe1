/*
 * v1_wire.c - see v1_wire.h.
 *
 * An event is a byte (six bits type, two bits count), for count 3 a length, then numbers. The count is redundant:
 * the dialect's table says how many values a type has, and an event that disagrees with it is damage.
 */
#include "decode/v1/v1_wire.h"

#include <string.h>

static const char *const NAMES[V1_TYPES] = {
#define V1_EVENT(number, id, text, whose, means) [number] = text,
#include "decode/v1/events_v1.def"
};

static const struct {
    uint8_t type;
    int from, to;
    const char *shape;
} SHAPES[] = {
#define V1_SHAPE(id, from, to, shape) {V1_##id, from, to, shape},
#include "decode/v1/events_v1.def"
};

const char *v1_type_name(unsigned type)
{
    return type < V1_TYPES && NAMES[type] ? NAMES[type] : "?";
}

bool v1_dialect_init(struct v1_dialect *d, int version)
{
    static const int VERSIONS[] = {0, 1005, 1007, 1008, 1009, 1010, 1011, 1019, 1021};
    bool known = false;
    for (size_t i = 0; i < sizeof VERSIONS / sizeof VERSIONS[0]; i++)
        known |= VERSIONS[i] == version;
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
        s->is = c + (*c == 'T');
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
    return known;
}

int v1_which(const struct v1_shape *s, char is)
{
    const char *at = s->is ? strchr(s->is, is) : NULL;
    return at ? (int)(at - s->is) : -1;
}

/* bad - the message of a failed read, for those that are not plainly cut. */
static enum v1_read bad(const char **why, const char *what)
{
    *why = what;
    return V1_READ_BAD;
}

/* number - like bytes_varint, but tells the end of the input from an endless number. */
static enum v1_read number(const uint8_t **p, const uint8_t *end, uint64_t *v, const char **why)
{
    const uint8_t *q = bytes_varint(*p, end, v);
    if (!q)
        return end - *p < 10 ? V1_READ_CUT : bad(why, "a number of more than ten bytes");
    *p = q;
    return V1_READ_OK;
}

static enum v1_read inline_text(const uint8_t **p, const uint8_t *end, struct v1_raw *out, const char **why)
{
    uint64_t len;
    enum v1_read r = number(p, end, &len, why);
    if (r != V1_READ_OK)
        return r;
    if (len > V1_STRING_MAX)
        return bad(why, "a string of more than a million bytes");
    if (len > (uint64_t)(end - *p))
        return V1_READ_CUT;
    out->text = *p;
    out->len = (uint32_t)len;
    *p += len;
    return V1_READ_OK;
}

static enum v1_read read_string(const uint8_t **p, const uint8_t *end, struct v1_raw *out, const char **why)
{
    enum v1_read r = number(p, end, &out->v[0], why);
    if (r == V1_READ_OK)
        r = inline_text(p, end, out, why);
    if (r != V1_READ_OK)
        return r;
    if (!out->v[0])
        return bad(why, "a string with the reserved number 0");
    if (!out->len)
        return bad(why, "an empty string in the table");
    out->n = 1;
    return V1_READ_OK;
}

/* read_stack - its values fill [p, end) or number n: check them all, keep where they are. */
static enum v1_read read_stack(const struct v1_dialect *d, const uint8_t **p, const uint8_t *end, uint64_t n,
                               struct v1_raw *out, const char **why)
{
    enum v1_read r;
    if (n < 2)
        return bad(why, "a stack without a size");
    for (unsigned i = 0; i < 2; i++)
        if ((r = number(p, end, &out->v[i], why)) != V1_READ_OK)
            return r;
    out->n = 2;
    if (out->v[1] > V1_FRAMES_MAX)
        return bad(why, "a stack of more than 1000 frames");
    uint64_t want = out->v[1] * (d->names ? 4 : 1), skipped;
    out->text = *p;
    out->len = (uint32_t)out->v[1];
    if (n != UINT64_MAX && n != want + 2)
        return bad(why, "a stack with a wrong number of values");
    for (uint64_t i = 0; i < want; i++)
        if ((r = number(p, end, &skipped, why)) != V1_READ_OK)
            return r;
    return V1_READ_OK;
}

static enum v1_read read_values(const struct v1_dialect *d, const uint8_t **p, const uint8_t *end, uint64_t n,
                                struct v1_raw *out, const char **why)
{
    if (out->type == V1_STACK)
        return read_stack(d, p, end, n, out, why);
    unsigned want = d->shape[out->type].n;
    if (n != UINT64_MAX && n != want)
        return bad(why, "a wrong number of arguments");
    for (unsigned i = 0; i < want; i++) {
        enum v1_read r = number(p, end, &out->v[i], why);
        if (r != V1_READ_OK)
            return r;
    }
    out->n = (uint8_t)want;
    return V1_READ_OK;
}

enum v1_read v1_read(const struct v1_dialect *d, const uint8_t **pp, const uint8_t *end, struct v1_raw *out,
                     const char **why)
{
    const uint8_t *p = *pp;
    enum v1_read r;
    if (p == end)
        return V1_READ_CUT;
    unsigned type = *p & 63, n = *p >> 6;
    p++;
    out->type = (uint8_t)type;
    out->n = 0;
    out->text = NULL;
    out->len = 0;
    if (!d->shape[type].name)
        return bad(why, "an unknown event type");
    if (type == V1_STRING) {
        r = read_string(&p, end, out, why);
    } else if (n < 3) {
        r = read_values(d, &p, end, n + d->base, out, why);
    } else {
        uint64_t len;
        r = number(&p, end, &len, why);
        if (r != V1_READ_OK)
            return r;
        if (len > (uint64_t)(end - p))
            return len > 10 * (2 + 4 * (uint64_t)V1_FRAMES_MAX) ? bad(why, "an event that is too long") : V1_READ_CUT;
        const uint8_t *stop = p + len;
        r = read_values(d, &p, stop, UINT64_MAX, out, why);
        if (r == V1_READ_CUT || (r == V1_READ_OK && p != stop))
            r = bad(why, "values that do not fit the event's length");
    }
    if (r == V1_READ_OK && type == V1_LOG)
        r = inline_text(&p, end, out, why);
    if (r == V1_READ_OK)
        *pp = p;
    return r;
}
