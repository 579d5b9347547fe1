/* segment.c - see segment.h. */
#include "decode/model/segment.h"

#include <inttypes.h>

#include "decode/base/mem.h"
#include "decode/model/fast_path.h"
#include "decode/v2/v2_gen.h"

struct segment *segment_new(uint32_t n, const struct source *like)
{
    struct segment *s = mem_zalloc(sizeof *s);
    if (!s || !(s->s = mem_zalloc(sizeof *s->s))) {
        mem_free(s);
        return NULL;
    }
    *s->s = *like;
    s->s->damage = s->s->warning = (struct source_notes){0};
    s->n = n;
    return s;
}

void segment_rest(struct segment *s)
{
    v2_gen_free(&s->gen);
    v2_order_free(&s->order);
    if (s->s)
        source_notes_free(s->s);
    mem_free(s->s);
    s->s = NULL;
}

void segment_free(struct segment *s)
{
    if (!s)
        return;
    segment_rest(s);
    if (s->n && s->f) {
        fold_free(s->f);
        mem_free(s->f);
    }
    mem_free(s->gmap);
    mem_free(s->pmap);
    mem_free(s->mmap);
    mem_free(s->old);
    mem_free(s);
}

void segment_read(struct segment *s)
{
    s->oom |= !v2_gen_parse(s->s, &s->gen);
    s->damages = s->s->st.ndamages;
    s->warnings = s->s->st.nwarnings;
    s->missing = s->gen.missing;
}

/* Returns the time of a batch's last event. */
static int64_t batch_end(const struct v2_batch *b, double unit)
{
    const uint64_t whole = v2_whole(unit);
    struct v2_raw_ev e;
    int64_t t = v2_ns(b->time, unit), next;
    for (const uint8_t *p = b->p; (p = v2_raw_ev(p, b->end, &e)); t = next)
        if ((next = t + v2_delta(e.dt, unit, whole)) >= SOURCE_TIME_MAX)
            break;
    return t;
}

void segment_look(struct segment *s)
{
    const struct v2_gen *g = &s->gen;
    const double unit = v2_gen_unit(g);
    struct idmap seen = {0}; /* the threads whose last batch has been read */
    s->least = s->most = v2_ns(g->min_time, unit);
    for (size_t i = g->nbatch; i-- > 0;) {
        if (idmap_get(&seen, g->batch[i].m) != IDMAP_NONE)
            continue;
        if (!idmap_put(&seen, g->batch[i].m, 0))
            break;
        const int64_t t = batch_end(&g->batch[i], unit);
        s->most = t > s->most ? t : s->most;
    }
    idmap_free(&seen);
    if (g->nsample && g->sample[g->nsample - 1].ns > s->most)
        s->most = g->sample[g->nsample - 1].ns;
}

int64_t segment_end(const struct segment *s, int64_t last)
{
    last = last >= s->least ? last + 1 : s->least;
    return s->most > last ? s->most : last;
}

/* Returns the start of its last batch, in the trace's time. */
static int64_t last_batch(const struct segment *s, int64_t base)
{
    uint64_t last = 0;
    for (size_t i = 0; i < s->gen.nbatch; i++)
        last = s->gen.batch[i].time > last ? s->gen.batch[i].time : last;
    return v2_ns(last, v2_gen_unit(&s->gen)) - base;
}

void segment_based(struct segment *s)
{
    fold_reaches(s->f, last_batch(s, s->order.base));
}

bool segment_begin(struct segment *s, int64_t base, int64_t before, struct fold *f)
{
    struct v2_order *o = &s->order;
    v2_order_free(o);
    o->s = s->s;
    o->lossy = s->gen.at_end && s->gen.torn;
    /* The predicted time may lie before the trace's start, and a segment that cannot be decoded has no end:
     * joining checks both. */
    s->before = s->n && before < base ? base : before;
    s->over = s->oom = false;
    s->f = f;
    s->s->st.ndamages = s->damages;
    s->s->st.nwarnings = s->warnings;
    s->s->st.lacks = 0;
    s->gen.missing = s->missing;
    s->gen.by_order = false;
    s->gen.closed = s->n;
    fold_beside(f, s->s->len);
    if (s->n) {
        o->alone = o->have_base = true;
        o->base = base;
        o->last = s->before;
        fold_segment(f, s->before - base, last_batch(s, base));
        f->procs = s->procs;
    }
    s->oom = !v2_order_begin(o, &s->gen);
    if (s->n)
        o->first_gen = false;
    return !s->oom;
}

bool segment_some(struct segment *s, size_t cap)
{
    struct fast_path ts;
    fast_path_init(&ts, s->f);
    size_t n = s->over || s->oom ? 0 : v2_order_run(&s->order, &ts.k, cap);
    s->s->st.bytes_done = s->gen.start + s->order.consumed;
    s->oom |= s->order.oom || s->f->oom;
    if (n && !s->oom) {
        v2_wall_clock(s->s, &s->gen, &s->order);
        return true;
    }
    if (!s->over && !s->oom)
        v2_gen_notes(s->s, &s->gen, &s->order);
    if (!s->over && s->n)
        fold_rest(s->f);
    s->oom |= s->f->oom || s->f->pool.oom;
    s->over = true;
    return false;
}
