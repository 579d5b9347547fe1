/*
 * v1_source.c - the first family's reader. It makes an index of the file, then merges the Ps' events and
 * emits them.
 *
 * A futile wake-up is a goroutine that is woken for nothing and blocks again. All of its events are left out,
 * but only the last one tells that they are futile. So a trace with futile wake-ups is merged twice: first to
 * note where each of them begins and ends in the final order, then to emit everything else.
 */
#include <inttypes.h>

#include "decode/base/mem.h"
#include "decode/damage/v1_damage.h"

#define INDEX_STEP (8u << 20) /* bytes indexed per call */

struct futile { /* events [start, end] of the final order, of goroutine g */
    uint64_t start, end;
    uint32_t next; /* next one of the same goroutine, index + 1 */
};

struct futile_g {
    uint64_t start; /* position of its wake-up + 1, 0 = none */
    bool futile;
    uint32_t first, last; /* index + 1 in the list; in the second pass `first` is the current one */
};

struct v1 {
    struct v1_index ix;
    struct v1_names names;
    struct v1_order order;
    struct v1_emit emit;
    enum { INDEX, REHEARSE, EVENTS, END } phase;
    const struct v1_ev *pending;
    uint64_t pos; /* of the next event in final order */
    struct futile *futile;
    size_t nfutile, futile_cap;
    struct futile_g *fg;
    size_t nfg;
};

/* ---- futile wake-ups ----------------------------------------------------------------------------------- */

static const enum {
    NO_PART,
    WOKEN,
    GOES_ON,
    PROVES,
    ENDS
} PART[V1_TYPES] = {
#define V1_LEAVES(id, state, reason, wakeup, ...) [V1_##id] = wakeup,
#include "decode/v1/events_v1.def"
};

/* Returns the goroutine to whose wake-up an event belongs, or 0. */
static uint32_t woken_of(const struct v1_ev *e)
{
    const unsigned part = PART[e->tag.type];
    return part == NO_PART ? 0 : part == WOKEN ? e->arg_g : e->g;
}

static bool futile_note(struct v1 *v, const struct v1_ev *e, uint64_t pos)
{
    const unsigned part = PART[e->tag.type];
    const uint32_t g = woken_of(e);
    if (!g)
        return true;
    if (!mem_room_zeros(v->fg, v->nfg, (size_t)g + 1))
        return false;
    struct futile_g *f = &v->fg[g];
    if (part != ENDS) {
        if (!f->start || part == WOKEN)
            f->start = pos + 1;
        f->futile |= part == PROVES;
        return true;
    }
    if (f->futile) {
        if (v->nfutile >= UINT32_MAX - 1 ||
            !mem_add(v->futile, v->futile_cap, v->nfutile, (struct futile){f->start - 1, pos, 0}))
            return false;
        if (f->last)
            v->futile[f->last - 1].next = (uint32_t)v->nfutile;
        else
            f->first = (uint32_t)v->nfutile;
        f->last = (uint32_t)v->nfutile;
    }
    f->start = 0;
    f->futile = false;
    return true;
}

static bool futile_drop(struct v1 *v, const struct v1_ev *e, uint64_t pos)
{
    const uint32_t g = woken_of(e);
    if (!g || g >= v->nfg)
        return false;
    struct futile_g *f = &v->fg[g];
    while (f->first && v->futile[f->first - 1].end < pos)
        f->first = v->futile[f->first - 1].next;
    return f->first && v->futile[f->first - 1].start <= pos;
}

/* ---- phases -------------------------------------------------------------------------------------------- */

static void stop(struct v1 *v, struct source *s, enum err_code c)
{
    v->phase = END;
    if (c == ERR_NOMEM)
        source_damage(s, ERR_NOMEM, 0, ERR_NO_OFFSET, "out of memory: the rest is not shown");
}

static void start_events(struct v1 *v, struct source *s)
{
    enum err_code c = v1_order_init(&v->order, s, &v->ix);
    if (c == ERR_OK)
        c = v1_emit_init(&v->emit, s, &v->ix, &v->order, &v->names);
    v->phase = EVENTS;
    v->pos = 0;
    if (c != ERR_OK)
        stop(v, s, c);
}

static void indexed(struct v1 *v, struct source *s)
{
    if (!v->ix.nbatch) {
        if (s->fatal.code == ERR_OK)
            err_set(&s->fatal, ERR_EMPTY, s->header, "no events: %s",
                    s->len > s->header ? "nothing in the file could be read"
                                       : "the file holds a header and nothing else");
        v->phase = END;
        return;
    }
    if (!v->ix.nfutile) {
        start_events(v, s);
        return;
    }
    if (s->version >= 1011)
        source_damage(s, ERR_FORMAT, 0, ERR_NO_OFFSET,
                      "event 36 (FutileWakeup), which no writer of this dialect makes");
    enum err_code c = v1_order_init(&v->order, s, &v->ix);
    v->order.quiet = true;
    v->phase = REHEARSE;
    if (c != ERR_OK)
        stop(v, s, c);
}

static void rehearse(struct v1 *v, struct source *s)
{
    const struct v1_ev *e;
    for (unsigned i = 0; i < 1u << 20; i++) {
        e = v1_merge_next(&v->order);
        if (!e)
            break;
        if (!futile_note(v, e, v->pos++)) {
            stop(v, s, ERR_NOMEM);
            return;
        }
    }
    if (e)
        return;
    bool oom = v->order.d.oom;
    v1_order_free(&v->order);
    if (oom)
        stop(v, s, ERR_NOMEM);
    else
        start_events(v, s);
}

static void v1_finish(struct v1 *v, struct source *s)
{
    v->phase = END;
    s->st.bytes_done = s->len;
    if (v->order.d.oom || v->names.oom)
        stop(v, s, ERR_NOMEM);
    const bool torn = v->ix.table_at && v->ix.table_at < s->len; /* there are tables after the broken place */
    const uint64_t missing = v->names.missing;
    if (missing && !s->st.ndamages && !v->names.cut && v1_ids_whole(&v->ix.stacks))
        source_lacks(s, missing, 0, ERR_NO_OFFSET);
    else if (missing)
        source_damage(s, torn ? ERR_FORMAT : ERR_TRUNCATED, 0, torn ? ERR_NO_OFFSET : s->len,
                      "%" PRIu64 " use%s of stacks or strings that are not in the file: %s is missing",
                      missing, missing == 1 ? "" : "s", torn ? "a part of its tables" : "its end");
    const bool only = !s->st.ndamages; /* they are the only sign that the file is not what was written */
    if (v->emit.contradictions)
        source_tell(s, only, ERR_ORDER, 0, ERR_NO_OFFSET, "%" PRIu64 " event%s what came before%s",
                    v->emit.contradictions, v->emit.contradictions == 1 ? " contradicts" : "s contradict",
                    only ? ": what may be lost between is not recorded" : "");
}

static size_t events(struct v1 *v, struct source *s, struct ev_half *out, size_t cap)
{
    v->emit.out = out;
    v->emit.n = 0;
    v1_emit_sweep(&v->emit);
    bool quick = s->version >= 1007 && !v->nfutile;
    while (v->emit.n + V1_EMIT_ROOM <= cap) {
        if (quick && !v->pending)
            v1_fast(&v->emit, cap);
        if (v->emit.n + V1_EMIT_ROOM > cap)
            break;
        const struct v1_ev *e = v->pending ? v->pending : v1_merge_next(&v->order);
        v->pending = NULL;
        if (!e || v->names.oom) {
            if (v1_lossy_rest(&v->emit, cap))
                v1_finish(v, s);
            break;
        }
        if (v->emit.listing && !v1_emit_listed(&v->emit, e, cap)) {
            v->pending = e;
            break;
        }
        if (!v->nfutile || !futile_drop(v, e, v->pos++))
            v1_emit_event(&v->emit, e);
    }
    if (v->phase == EVENTS)
        s->st.bytes_done = s->header + v->order.d.bytes;
    return v->emit.n;
}

/* Emit an event of a step that has nothing to show yet, since none would mean the end. */
static size_t put_tick(struct ev_half *out)
{
    *(struct ev *)(void *)out = ev_at(0, EVK_TICK, EVF_QUIET);
    return 2;
}

static size_t v1_stream(struct source *s, struct ev_half *out, size_t cap)
{
    struct v1 *v = s->self;
    while (v->phase != END) {
        if (v->phase == EVENTS) {
            size_t n = events(v, s, out, cap);
            if (n || v->phase == END)
                return n;
        } else if (v->phase == REHEARSE) {
            rehearse(v, s);
            if (v->phase == REHEARSE)
                return put_tick(out);
        } else {
            enum err_code c = v1_index_step(&v->ix, s, INDEX_STEP);
            if (c != ERR_OK)
                stop(v, s, c);
            else if (v->ix.done)
                indexed(v, s);
            else
                return put_tick(out);
        }
    }
    return 0;
}

static void v1_close(struct source *s)
{
    struct v1 *v = s->self;
    if (!v)
        return;
    v1_emit_free(&v->emit);
    v1_order_free(&v->order);
    v1_names_free(&v->names);
    v1_index_free(&v->ix);
    mem_free(v->futile);
    mem_free(v->fg);
    mem_free(v);
    s->self = NULL;
}

enum err_code source_v1(struct source *s, struct err *e)
{
    static const struct source_ops ops = {.stream = v1_stream, .close = v1_close};
    struct v1 *v = mem_zalloc(sizeof *v);
    if (!v)
        return err_nomem(e);
    s->ops = &ops;
    s->self = v;
    v1_index_init(&v->ix, s);
    if (v1_names_init(&v->names, s, &v->ix) != ERR_OK) {
        v1_close(s);
        return err_nomem(e);
    }
    return ERR_OK;
}
