/* census.c - see census.h. */
#include "decode/census.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "decode/base/mem.h"
#include "decode/v1/v1_wire.h"
#include "decode/v2/v2_gen.h"

/* "GO_CREATE" as Go writes it: "GoCreate". */
static void name_of(const char *id, char out[CENSUS_NAME])
{
    size_t n = 0;
    for (bool up = true; *id && n + 1 < CENSUS_NAME; id++) {
        if (*id == '_') {
            up = true;
            continue;
        }
        bool word = up && (strncmp(id, "GC_", 3) == 0 || strncmp(id, "STW_", 4) == 0);
        for (; word && *id != '_'; id++)
            out[n++] = *id;
        if (word) {
            id--;
            continue;
        }
        out[n++] = up ? *id : (char)tolower((unsigned char)*id);
        up = false;
    }
    out[n] = '\0';
}

/* ---- second family ------------------------------------------------------------------------------------- */

/* Count a batch's content, as far as it can be read. */
static void batch(struct census *c, struct census_gen *g, const struct v2_raw_batch *b)
{
    struct v2_raw_string s;
    struct v2_raw_stack k;
    struct v2_raw_ev e;
    uint64_t v[5];
    const bool table = v2_raw_table(b);
    c->batches++;
    if (b->lead == V2R_EXPERIMENTAL || b->first == V2R_FREQ || b->first == V2R_SYNC)
        return;
    for (const uint8_t *p = b->p + table, *q = p; p < b->end && q; p = q) {
        q = NULL;
        if (b->first == V2R_STRINGS && (q = v2_raw_string(p, b->end, &s))) {
            c->strings++;
        } else if (b->first == V2R_STACKS && (q = v2_raw_stack(p, b->end, &k))) {
            c->stacks++;
        } else if (b->first == V2R_SAMPLES && (q = v2_raw_sample(p, b->end, v))) {
            c->samples++;
        } else if (!table && (q = v2_raw_ev(p, b->end, &e))) {
            g->events++;
            c->kind[e.type].n++;
        }
    }
}

static bool generation(struct census *c, const struct v2_raw_gen *raw, const uint8_t *data)
{
    if (!mem_room(c->gen, c->capgen, c->ngen + 1))
        return false;
    struct census_gen *g = &c->gen[c->ngen++];
    const uint64_t samples = c->samples;
    *g = (struct census_gen){.number = raw->number,
                             .offset = (uint64_t)(raw->start - data),
                             .bytes = (uint64_t)(raw->end - raw->start),
                             .time = raw->min_time,
                             .whole = !raw->torn};
    for (size_t i = 0; i < raw->n; i++)
        batch(c, g, &raw->batch[i]);
    if (raw->clock.freq) {
        c->hz = (double)raw->clock.freq;
        g->unit = 1e9 / c->hz;
    }
    c->events += g->events + c->samples - samples;
    return true;
}

/* The generation at *pos. In several files read as one, it does not reach beyond its own file. */
static bool next_gen(const struct input *in, int version, size_t *pos, struct v2_raw_gen *gen, struct err *e)
{
    const struct v2_file file = {in->data, input_stretch(in, *pos), version};
    return v2_raw_gen(&file, pos, gen, e);
}

static enum err_code take_v2(const struct input *in, const struct dialect *d, struct census *c, struct err *e)
{
    struct v2_raw_gen gen = {0};
    size_t pos = d->header;
    bool ok = true;
    for (int i = 0; i < 256; i++)
        if (v2_specs[i].nargs)
            name_of(v2_specs[i].name, c->kind[i].name);
    while (ok && next_gen(in, d->read_as, &pos, &gen, e))
        ok = generation(c, &gen, in->data);
    ok = ok && e->code != ERR_NOMEM;
    v2_raw_gen_free(&gen);
    return ok ? ERR_OK : err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory for generations");
}

/* ---- first family -------------------------------------------------------------------------------------- */

static void one(struct census *c, const struct v1_dialect *d, const struct v1_raw *r)
{
    switch (r->type) {
    case V1_BATCH: c->batches++; break;
    case V1_FREQUENCY: c->hz = (int64_t)r->v[0] > 0 ? (double)(int64_t)r->v[0] : 0; break;
    case V1_STRING: c->strings++; break;
    case V1_STACK: c->stacks++; break;
    default:
        c->kind[r->type].n++;
        c->events += d->shape[r->type].timed > 0;
        break;
    }
}

/* What stands behind damage isn't counted. */
static void take_v1(const struct input *in, const struct dialect *dl, struct census *c)
{
    struct v1_dialect d;
    const uint8_t *p = in->data + dl->header, *const end = in->data + in->len;
    const char *why;
    struct v1_raw r;
    (void)v1_dialect_init(&d, dl->version); /* the header names it, so it exists */
    for (unsigned i = 0; i < V1_TYPES; i++)
        if (d.shape[i].name)
            snprintf(c->kind[i].name, CENSUS_NAME, "%s", d.shape[i].name);
    while (p < end && v1_read(&d, &p, end, &r, &why) == V1_READ_OK)
        one(c, &d, &r);
}

enum err_code census_take(const struct input *in, struct census *c, struct err *e)
{
    struct dialect d;
    *c = (struct census){0};
    const enum err_code rc = dialect_tell(in->data, in->len, &d, e);
    if (rc)
        return rc;
    if (d.second_family)
        return take_v2(in, &d, c, e);
    take_v1(in, &d, c);
    return ERR_OK;
}

void census_free(struct census *c)
{
    mem_free(c->gen);
    *c = (struct census){0};
}
