/* census.c - see census.h. */
#include "decode/census.h"

#include "decode/base/mem.h"
#include "decode/v1/v1_wire.h"
#include "decode/v2/v2_gen.h"

/* ---- second family ------------------------------------------------------------------------------------- */

/* Count what a table has, as far as it can be read. */
static void table(struct census *c, const struct v2_slice *t)
{
    struct v2_raw_string s;
    struct v2_raw_stack k;
    uint64_t v[5];
    const uint8_t *p = t->p + 1;
    if (*t->p == V2R_STRINGS)
        for (; (p = v2_raw_string(p, t->end, &s)); c->strings++) {
        }
    else if (*t->p == V2R_STACKS)
        for (; (p = v2_raw_stack(p, t->end, &k)); c->stacks++) {
        }
    else
        for (; (p = v2_raw_sample(p, t->end, v)); c->samples++) {
        }
}

static bool generation(struct census *c, const struct v2_gen *gen)
{
    struct v2_raw_ev e;
    if (!mem_room(c->gen, c->capgen, c->ngen + 1))
        return false;
    struct census_gen *g = &c->gen[c->ngen++];
    const uint64_t samples = c->samples;
    *g = (struct census_gen){.number = gen->number,
                             .offset = gen->start,
                             .bytes = gen->end - gen->start,
                             .time = gen->min_time,
                             .whole = !gen->torn};
    for (size_t i = 0; i < gen->ntable; i++)
        table(c, &gen->table[i]);
    for (size_t i = 0; i < gen->nbatch; i++)
        for (const uint8_t *p = gen->batch[i].p; (p = v2_raw_ev(p, gen->batch[i].end, &e)); g->events++)
            c->kind[e.type].n++;
    if (!gen->no_freq) {
        c->hz = (double)gen->freq;
        g->unit = v2_gen_unit(gen);
    }
    c->events += g->events + c->samples - samples;
    return true;
}

static enum err_code take_v2(const struct input *in, const struct dialect *d, struct census *c, struct err *e)
{
    struct source s = source_of(in, d->read_as, d->header, NULL);
    struct v2_gen gen = {0};
    size_t pos = d->header;
    bool ok = s.grows = true;
#define X(n, id, go, ...) c->kind[n].name = go;
#include "decode/v2/events_v2.def"
    for (enum v2_gen_rc rc = V2_GEN; ok && rc == V2_GEN;) {
        rc = v2_gen_scan(&s, &gen, &pos);
        ok = rc != V2_GEN_OOM && (rc == V2_GEN_NONE || generation(c, &gen));
    }
    c->batches = s.st.batches;
    v2_gen_free(&gen);
    source_notes_free(&s);
    return ok ? ERR_OK : err_nomem(e);
}

/* ---- first family -------------------------------------------------------------------------------------- */

static void count_v1(struct census *c, const struct v1_dialect *d, const struct v1_raw *r)
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
    v1_dialect_init(&d, dl->version);
    for (unsigned i = 0; i < V1_TYPES; i++)
        c->kind[i].name = d.shape[i].name;
    while (p < end && v1_read(&d, &p, end, &r, &why) == V1_READ_OK)
        count_v1(c, &d, &r);
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
