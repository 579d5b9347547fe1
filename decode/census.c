/* census.c - see census.h. Every byte is counted once: kinds, tables, structure and unread add up to the
 * file. */
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

static void add(struct census_table *t, uint64_t bytes)
{
    t->n++;
    t->bytes += bytes;
}

static void writer(struct census *c, uint64_t id)
{
    if (idmap_get(&c->writers, id) != IDMAP_NONE)
        return;
    c->oom |= !idmap_put(&c->writers, id, 0);
    c->threads++;
}

/* ---- second family ------------------------------------------------------------------------------------- */

/* Count a batch's content. Returns where reading had to stop; the batch's end if all could be read. */
static const uint8_t *payload(struct census *c, struct census_gen *g, const struct v2_raw_batch *b)
{
    const uint8_t *p = b->p, *q;
    struct v2_raw_string s;
    struct v2_raw_stack k;
    struct v2_raw_ev e;
    uint64_t v[5];
    const bool table = v2_raw_table(b);
    c->structure += table;
    for (p += table; p < b->end; p = q) {
        if (b->first == V2R_STRINGS && (q = v2_raw_string(p, b->end, &s))) {
            g->strings++;
            add(&c->strings, (uint64_t)(q - p));
        } else if (b->first == V2R_STACKS && (q = v2_raw_stack(p, b->end, &k))) {
            g->stacks++;
            c->frames += k.n;
            add(&c->stacks, (uint64_t)(q - p));
        } else if (b->first == V2R_SAMPLES && (q = v2_raw_sample(p, b->end, v))) {
            g->samples++;
            add(&c->samples, (uint64_t)(q - p));
        } else if (!table && (q = v2_raw_ev(p, b->end, &e))) {
            g->events++;
            c->kind[e.type].n++;
            c->kind[e.type].bytes += (uint64_t)(q - p);
        } else {
            break;
        }
    }
    return p;
}

static void batch(struct census *c, struct census_gen *g, const struct v2_raw_batch *b, const uint8_t *data)
{
    const uint8_t *p = b->end;
    c->structure += (uint64_t)(b->p - b->at);
    c->batches++;
    g->batches++;
    if (b->lead == V2R_EXPERIMENTAL) {
        add(&c->experiments, (uint64_t)(b->end - b->p));
    } else if (b->first == V2R_FREQ || b->first == V2R_SYNC) {
        add(&c->clock, (uint64_t)(b->end - b->p));
    } else if (b->p < b->end) {
        if (!v2_raw_table(b) && b->m != V2_NO_THREAD)
            writer(c, b->m);
        p = payload(c, g, b);
    }
    if (p < b->end && !b->torn && !c->damage.code)
        err_set(&c->damage, ERR_FORMAT, (uint64_t)(p - data), "this can't be read");
    c->unread += (uint64_t)(b->end - p);
}

static bool generation(struct census *c, const struct v2_raw_gen *raw, const uint8_t *data)
{
    if (!mem_room(c->gen, c->capgen, c->ngen + 1))
        return false;
    struct census_gen *g = &c->gen[c->ngen++];
    *g = (struct census_gen){.number = raw->number,
                             .offset = (uint64_t)(raw->start - data),
                             .bytes = (uint64_t)(raw->end - raw->start),
                             .time = raw->min_time,
                             .whole = !raw->torn};
    for (size_t i = 0; i < raw->n; i++)
        batch(c, g, &raw->batch[i], data);
    c->structure += raw->marked;
    if (raw->clock.freq) {
        c->hz = (double)raw->clock.freq;
        g->unit = 1e9 / c->hz;
    }
    c->events += g->events + g->samples;
    if (raw->damage.code && !c->damage.code)
        c->damage = raw->damage;
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
    if (e->code && e->code != ERR_NOMEM && !c->damage.code)
        c->damage = *e;
    ok = ok && e->code != ERR_NOMEM;
    v2_raw_gen_free(&gen);
    return ok ? ERR_OK : err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory for generations");
}

/* ---- first family -------------------------------------------------------------------------------------- */

static void one(struct census *c, const struct v1_dialect *d, const struct v1_raw *r, uint64_t bytes)
{
    switch (r->type) {
    case V1_BATCH:
        c->batches++;
        c->structure += bytes;
        writer(c, r->v[0]);
        break;
    case V1_FREQUENCY:
        add(&c->clock, bytes);
        c->hz = (int64_t)r->v[0] > 0 ? (double)(int64_t)r->v[0] : 0;
        break;
    case V1_STRING: add(&c->strings, bytes); break;
    case V1_STACK:
        add(&c->stacks, bytes);
        c->frames += r->len;
        break;
    default:
        c->kind[r->type].n++;
        c->kind[r->type].bytes += bytes;
        c->events += d->shape[r->type].timed > 0;
        break;
    }
}

/* What stands behind damage isn't counted. */
static void take_v1(const struct input *in, const struct dialect *dl, struct census *c)
{
    struct v1_dialect d;
    const uint8_t *p = in->data + dl->header, *const end = in->data + in->len;
    (void)v1_dialect_init(&d, dl->version); /* the header names it, so it exists */
    for (unsigned i = 0; i < V1_TYPES; i++)
        if (d.shape[i].name)
            snprintf(c->kind[i].name, CENSUS_NAME, "%s", d.shape[i].name);
    while (p < end) {
        const uint8_t *at = p;
        const char *why = NULL;
        struct v1_raw r;
        if (v1_read(&d, &p, end, &r, &why) != V1_READ_OK) {
            err_set(&c->damage, ERR_FORMAT, (uint64_t)(at - in->data), "%s",
                    why ? why : "it ends within an event");
            return;
        }
        one(c, &d, &r, (uint64_t)(p - at));
    }
}

enum err_code census_take(const struct input *in, struct census *c, struct err *e)
{
    struct dialect d;
    const size_t len = in->len;
    *c = (struct census){.bytes = len};
    enum err_code rc = dialect_tell(in->data, len, &d, e);
    if (rc)
        return rc;
    c->structure = d.header;
    if (d.second_family)
        rc = take_v2(in, &d, c, e);
    else
        take_v1(in, &d, c);
    if (rc == ERR_OK && c->oom)
        rc = err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory for threads");
    uint64_t sum = c->structure + c->unread + c->strings.bytes + c->stacks.bytes + c->samples.bytes +
                   c->experiments.bytes + c->clock.bytes;
    for (int i = 0; i < 256; i++)
        sum += c->kind[i].bytes;
    c->unread += len > sum ? len - sum : 0; /* behind the damage */
    return rc;
}

void census_free(struct census *c)
{
    mem_free(c->gen);
    idmap_free(&c->writers);
    *c = (struct census){0};
}
