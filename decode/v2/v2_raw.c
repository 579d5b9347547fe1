/*
 * v2_raw.c - see v2_raw.h. Every read is bounded by its batch, every batch by the input.
 */
#include "decode/v2/v2_raw.h"

#include <inttypes.h>
#include <string.h>

#include "decode/base/bytes.h"

enum { CM = V2_CM, CP = V2_CP, CG = V2_CG, NG = V2_NG, SELF = V2_SELF, OWN = V2_OWN, TELLS = V2_TELLS };
const struct v2_spec v2_specs[256] = {
#define X(n, id, name, since, nargs, context, after, strs, stacks, rule) \
    [n] = {nargs + 1, context, V2_AFTER_##after, since, V2_MEANS_##rule, strs, stacks, #id},
#include "decode/v2/events_v2.def"
};
#define X(n, id, name, since, nargs, ...) \
    _Static_assert((nargs) <= V2_ARGS, "there is room for " #id "'s arguments");
#include "decode/v2/events_v2.def"

/* ---- batches ------------------------------------------------------------------------------------------- */

static const uint8_t *ends_inside(const uint8_t *data, const uint8_t *at, struct err *e, const char *what)
{
    err_set(e, ERR_TRUNCATED, (uint64_t)(at - data), "the file ends inside %s", what);
    return NULL;
}

enum { VARINT_MOST = 10 };

const uint8_t *v2_raw_head(const uint8_t *p, const uint8_t *end, struct v2_raw_batch *b, const uint8_t **bad)
{
    uint64_t *const field[] = {&b->gen, &b->m, &b->time, &b->size};
    const ptrdiff_t lead = *p == V2R_EXPERIMENTAL ? 2 : 1;
    b->lead = *p;
    p = end - p > lead ? p + lead : end;
    for (int i = 0; i < 4 && p; i++) {
        *bad = p;
        p = bytes_varint(p, end, field[i]);
    }
    return p;
}

const uint8_t *v2_raw_likely(const uint8_t *p, const uint8_t *end, uint64_t number, struct v2_raw_batch *b)
{
    const uint8_t *bad;
    if (*p != V2R_EVENTS || !(p = v2_raw_head(p, end, b, &bad)) || p - bad != VARINT_MOST ||
        b->size > V2_RAW_BATCH)
        return NULL;
    return b->gen && (!number || b->gen == number || b->gen == number + 1) ? p : NULL;
}

const uint8_t *v2_raw_batch(const uint8_t *data, size_t len, const uint8_t *p, struct v2_raw_batch *b,
                            struct err *e)
{
    const uint8_t *end = data + len, *at = p;
    *b = (struct v2_raw_batch){.at = p};
    *e = (struct err){0};
    if (p == end)
        return NULL;
    b->lead = *p++;
    b->p = b->end = p;
    if (b->lead == V2R_END)
        return p;
    if (end - at >= 16 && !memcmp(at, "go 1.", 5) && !memcmp(at + 7, " trace", 6)) {
        const uint64_t off = (uint64_t)(at - data);
        err_set(e, ERR_FORMAT, off,
                "another trace begins at byte %" PRIu64 " and is not shown (tail -c +%" PRIu64
                " FILE gives it)",
                off, off + 1);
        return NULL;
    }
    if (b->lead != V2R_EVENTS && b->lead != V2R_EXPERIMENTAL) {
        err_set(e, ERR_FORMAT, (uint64_t)(at - data), "expected a batch (byte 1, 49 or 52), found byte %u",
                b->lead);
        return NULL;
    }
    const uint8_t *bad = at;
    if (!(p = v2_raw_head(at, end, b, &bad))) {
        if (end - bad < VARINT_MOST)
            return ends_inside(data, at, e, "a batch header");
        err_set(e, ERR_FORMAT, (uint64_t)(bad - data), "a varint of a batch header is longer than 10 bytes");
        return NULL;
    }
    if (b->size > V2_RAW_BATCH) {
        err_set(e, ERR_FORMAT, (uint64_t)(at - data), "batch of %" PRIu64 " bytes, at most %d are allowed",
                b->size, V2_RAW_BATCH);
        return NULL;
    }
    b->p = p;
    b->torn = (uint64_t)(end - p) < b->size;
    b->end = b->torn ? end : p + b->size;
    b->first = b->p < b->end ? *b->p : 0;
    if (b->torn)
        ends_inside(data, p, e, "a batch");
    return b->end;
}

bool v2_raw_clock(const struct v2_raw_batch *b, struct v2_raw_clock *c, struct err *e)
{
    const bool sync = b->first == V2R_SYNC;
    *c = (struct v2_raw_clock){0};
    for (const uint8_t *p = b->p + sync, *at = p; p < b->end; at = p) {
        const bool rate = *p == V2R_FREQ, wall = *p == V2R_SNAPSHOT && sync && !c->has_wall;
        const uint64_t off = (uint64_t)(p++ - b->p);
        uint64_t first = 0, *const v[] = {&first, &c->mono, &c->sec, &c->nsec};
        if (!rate && !wall)
            return !err_set(e, ERR_FORMAT, off, "expected frequency or clock snapshot event, found %u", *at);
        for (int i = 0; i < (rate ? 1 : 4) && p; i++)
            p = bytes_varint(p, b->end, v[i]);
        if (!p)
            return !err_set(e, ERR_TRUNCATED, off, "malformed frequency batch");
        if (rate && (!first || c->freq))
            return !err_set(e, ERR_CLOCK, off,
                            first ? "second frequency in one generation" : "clock frequency is zero");
        if (rate)
            c->freq = first;
        else
            c->at = b->time + first;
        c->has_wall |= wall;
    }
    return true;
}

/* ---- events and table entries -------------------------------------------------------------------------- */

const uint8_t *v2_raw_ev(const uint8_t *p, const uint8_t *end, struct v2_raw_ev *ev)
{
    if (p == end || !v2_specs[*p].nargs)
        return NULL;
    ev->type = *p++;
    ev->nargs = (uint8_t)(v2_specs[ev->type].nargs - 1);
    p = bytes_varint(p, end, &ev->dt);
    return p ? bytes_varints(p, end, ev->arg, ev->nargs) : NULL;
}

const uint8_t *v2_raw_string(const uint8_t *p, const uint8_t *end, struct v2_raw_string *s)
{
    uint64_t len;
    if (p == end || *p != V2R_STRING || !(p = bytes_varint(p + 1, end, &s->id)) ||
        !(p = bytes_varint(p, end, &len)) || len > V2_RAW_STRING || (uint64_t)(end - p) < len)
        return NULL;
    s->p = p;
    s->len = (uint32_t)len;
    return p + len;
}

const uint8_t *v2_raw_stack(const uint8_t *p, const uint8_t *end, struct v2_raw_stack *s)
{
    uint64_t n, v[4];
    if (p == end || *p != V2R_STACK || !(p = bytes_varint(p + 1, end, &s->id)) ||
        !(p = bytes_varint(p, end, &n)) || n > V2_RAW_FRAMES)
        return NULL;
    s->n = (uint32_t)n;
    s->frames = p;
    for (uint64_t i = 0; i < n && p; i++)
        p = bytes_varints(p, end, v, 4);
    return p;
}

const uint8_t *v2_raw_sample(const uint8_t *p, const uint8_t *end, uint64_t v[5])
{
    return p == end || *p != V2R_SAMPLE ? NULL : bytes_varints(p + 1, end, v, 5);
}
