/*
 * v2_ahead.c - facts about a generation that are cheap to get before its events are ordered: v2_gen_late()
 * and v2_gen_workers() in v2_gen.h.
 */
#include "decode/base/bytes.h"
#include "decode/v2/v2_gen.h"
#include "decode/v2/v2_raw.h"
#include "decode/v2/v2_state.h"

/* ---- its last event ------------------------------------------------------------------------------------ */

/* Returns the time of a batch's last event. */
static int64_t batch_last(const struct v2_batch *b, double unit)
{
    const uint64_t whole = v2_whole(unit);
    int64_t t = v2_ns(b->time, unit);
    for (const uint8_t *p = b->p; p < b->end;) {
        const uint8_t nargs = v2_specs[*p].nargs;
        uint64_t dt = 0;
        p = nargs ? bytes_varint(p + 1, b->end, &dt) : NULL;
        const int64_t next = t + v2_delta(dt, unit, whole);
        if (!p || next >= SOURCE_TIME_MAX)
            break;
        t = next;
        for (int i = 1; i < nargs; i++)
            while (p < b->end && *p++ >= 0x80) {
            }
    }
    return t;
}

void v2_gen_late(const struct v2_gen *g, struct v2_late *late)
{
    const double unit = v2_gen_unit(g);
    struct idmap seen = {0}; /* the threads whose last batch has been read */
    late->least = late->most = v2_ns(g->min_time, unit);
    for (size_t i = g->nbatch; i-- > 0;) {
        if (idmap_get(&seen, g->batch[i].m) != IDMAP_NONE)
            continue;
        if (!idmap_put(&seen, g->batch[i].m, 0))
            break;
        const int64_t t = batch_last(&g->batch[i], unit);
        late->most = t > late->most ? t : late->most;
    }
    idmap_free(&seen);
    if (g->nsample && g->sample[g->nsample - 1].ns > late->most)
        late->most = g->sample[g->nsample - 1].ns;
}

int64_t v2_late_last(const struct v2_late *late, int64_t last)
{
    last = last >= late->least ? last + 1 : late->least;
    return late->most > last ? late->most : last;
}

/* ---- its mark workers ---------------------------------------------------------------------------------- */

struct workers {
    v2_worker_fn *found;
    void *arg;
    uint32_t func;    /* the function that they run */
    struct idmap is;  /* stacks of mark workers: the function is their root, their top, or both */
    uint64_t procs;   /* most workers there can be, 0: unknown */
    struct idmap was; /* goroutines that a status names, so no event shows their creation */
    struct idmap are; /* found workers -> whether it is certain */
    uint64_t sure;    /* number of certain ones */
};
enum { ROOT = 1, TOP = 2 };

/* Returns the id in names of their function. false: no stack of the generation can have it. */
static bool worker_func(struct workers *w, const struct v2_gen *g, const struct names *nm)
{
    uint64_t id;
    for (uint32_t at = 0; idmap_next(&g->strs, &at, &id, &w->func);)
        if (str_is(names_get(nm, w->func), "runtime.gcBgMarkWorker"))
            return true;
    return false;
}

/* Returns false if none of the stacks is a mark worker's. (A stack that wasn't kept for lack of memory is
 * none: the generation is then decoded a second time.) */
static bool worker_stacks(struct workers *w, const struct v2_gen *g, const struct names *nm)
{
    uint64_t id;
    uint32_t stack;
    for (uint32_t at = 0; idmap_next(&g->stacks, &at, &id, &stack);) {
        const bool root = names_root_func(nm, stack) == w->func,
                   top = names_frame(nm, stack, 0).func == w->func;
        if (root || top)
            (void)idmap_put(&w->is, id, (root ? ROOT : 0) | (top ? TOP : 0));
    }
    return w->is.used;
}

/* The number of processors is known from one of the first events. */
static void worker_procs(struct workers *w, const struct v2_gen *g)
{
    enum { FIRST = 16 };
    struct v2_raw_ev e;
    for (size_t i = 0; i < g->nbatch; i++) {
        const uint8_t *p = g->batch[i].p;
        for (int k = 0; k < FIRST && (p = v2_raw_ev(p, g->batch[i].end, &e)); k++)
            if (v2_means(e.type) == V2_MEANS_procs && e.arg[0] > w->procs)
                w->procs = e.arg[0];
    }
}

static inline bool is_worker(const struct workers *w, uint64_t stack, uint32_t where)
{
    const uint32_t is = stack ? idmap_get(&w->is, stack) : IDMAP_NONE;
    return is != IDMAP_NONE && is & where;
}

static void worker_note(struct workers *w, uint64_t g, bool inferred)
{
    const bool sure = !inferred || idmap_get(&w->was, g) != IDMAP_NONE;
    w->sure += sure && idmap_get(&w->are, g) != true;
    (void)idmap_put(&w->are, g, sure || idmap_get(&w->are, g) == true);
    w->found(w->arg, g, w->func, inferred);
}

static void has_status(struct workers *w, uint64_t g)
{
    enum { MOST = 1 << 16 }; /* then all events are read */
    if (w->procs && w->was.used < MOST)
        (void)idmap_put(&w->was, g, 0);
    if (idmap_get(&w->are, g) == false) {
        (void)idmap_put(&w->are, g, true);
        w->sure++;
    }
}

/* There is one mark worker per processor, so there are no others to find. */
static bool are_all(const struct workers *w)
{
    return w->procs && w->sure >= w->procs;
}

static void batch_workers(struct workers *w, const struct v2_batch *b)
{
    uint64_t runs = 0; /* 0: unknown */
    struct v2_raw_ev e;
    for (const uint8_t *p = b->p; (p = v2_raw_ev(p, b->end, &e));) {
        const enum v2_means is = v2_means(e.type);
        const uint64_t *const v = e.arg;
        if (is == V2_MEANS_go_start)
            runs = v[0];
        else if (is == V2_MEANS_go_create && is_worker(w, v[1], TOP))
            worker_note(w, v[0], false);
        else if (is == V2_MEANS_go_status || is == V2_MEANS_go_status_stack)
            has_status(w, v[0]);
        else if ((is == V2_MEANS_go_block || is == V2_MEANS_go_stop) && runs && is_worker(w, v[1], ROOT))
            worker_note(w, runs, true);
        if (is == V2_MEANS_go_status_stack && is_worker(w, v[3], ROOT))
            worker_note(w, v[0], true);
    }
}

void v2_gen_workers(const struct v2_gen *g, const struct names *nm, v2_worker_fn *found, void *arg)
{
    enum { BYTES_MOST = 16 << 20 };
    struct workers w = {.found = found, .arg = arg};
    size_t bytes = 0;
    if (worker_func(&w, g, nm) && worker_stacks(&w, g, nm))
        worker_procs(&w, g);
    for (size_t i = 0; w.is.used && i < g->nbatch && bytes < BYTES_MOST && !are_all(&w); i++) {
        bytes += (size_t)(g->batch[i].end - g->batch[i].p);
        batch_workers(&w, &g->batch[i]);
    }
    idmap_free(&w.is);
    idmap_free(&w.was);
    idmap_free(&w.are);
}
