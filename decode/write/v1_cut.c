/*
 * v1_cut.c - see cut.h: the first family.
 *
 * All events are read in their final order (v1_order.h). Before the range only the state of goroutines and
 * Ps is kept. It is then written as a tracer that starts there would: every goroutine is created, and
 * waits, is in a system call, or runs on its P. From there on each event is written to its P's batch.
 * Sequence numbers count from the goroutine's creation there: later ones are reduced by the number of
 * events before.
 *
 * The end of a system call happens when its argument says, and is written when the goroutine next had a P.
 * One that ended before the range and is written in it is left out; one that ends in the range and is
 * written after it is written at its end. A system call that blocks after the range blocks at its end: else
 * it would look like a short one.
 */
#include <string.h>
#include <unistd.h>

#include "decode/base/mem.h"
#include "decode/damage/v1_damage.h"
#include "decode/base/round.h"
#include "decode/v1/v1_order.h"
#include "decode/write/v1_put.h"

#define NO_P UINT32_MAX
/* v1_g.flags: the slice starts with it runnable, so the end of its call must not be written */
#define F_TOLD 2

struct row { /* of a goroutine, beside its struct v1_g */
    /* subtracted from its sequence numbers in the slice; also used for the row of GC cycles */
    uint64_t less;
    uint64_t start;       /* stack of its start function, or its program counter */
    uint64_t label, exit; /* string of a worker's label; when its system call ended */
    uint64_t call;        /* stack of the system call it is in, with its P */
    bool assist;
};
struct proc {
    uint32_t g;
    uint64_t m;
    bool on, seen, sweep, stw;
    uint64_t kind;
};

struct v1_cut {
    struct source s;
    struct v1_index ix;
    struct v1_order o;
    struct v1_put w;
    struct row *row;
    size_t nrow;
    struct proc *p;
    double ns_per_tick;
    uint64_t base, from, to;  /* ticks */
    bool based, started, cut; /* cut: the start is rewritten */
    bool listing;             /* the range begins within the trace's own start, which is kept */
    const struct v1_ev *ev;   /* the merge has it, but it isn't processed yet */
    bool gc;
    struct {
        uint64_t value;
        bool known;
    } metric[METRIC_COUNT];
    uint32_t any; /* P for events without a P */
    struct cut_result *res;
};

static struct v1_g *gor(struct v1_cut *c, uint32_t g)
{
    return &c->o.d.g[g];
}

/* ---- states -------------------------------------------------------------------------------------------- */

static void leave(struct v1_cut *c, uint32_t g)
{
    struct v1_g *s = gor(c, g);
    if (s->p != NO_P && s->p < c->ix.nproc && c->p[s->p].g == g)
        c->p[s->p].g = 0;
    s->p = NO_P;
}

/* goroutine - Put it into the state after the event (events_v1.def). */
static void goroutine(struct v1_cut *c, const struct v1_ev *e, const struct v1_raw *r)
{
    const enum v1_means is = e->tag.means;
    const uint32_t g = is == V1_MEANS_CREATE || is == V1_MEANS_WAKE ? e->arg_g : e->g;
    struct row *row = &c->row[g];
    struct v1_g *s = gor(c, g);
    if (is == V1_MEANS_ASSIST)
        row->assist = e->tag.type == V1_ASSIST_START;
    if (!V1_LEFT[e->tag.type].becomes || (is == V1_MEANS_CALL && !v1_blocks(&c->o.d, &c->o.d.cur[e->p])) ||
        (is == V1_MEANS_EXIT && !v1_exits(&c->o, e)))
        return;
    s->state = V1_LEFT[e->tag.type].becomes;
    row->start = is == V1_MEANS_CREATE ? r->v[1] : row->start;
    row->call = is == V1_MEANS_CALL ? r->v[0] : row->call;
    row->exit = is == V1_MEANS_EXIT ? e->ticks : row->exit;
    if (is == V1_MEANS_CALL)
        return; /* with its P */
    leave(c, g);
    row->label = is == V1_MEANS_START_LABEL ? r->v[2] : 0;
    if (s->state == V1S_RUNNING) {
        s->p = e->p;
        c->p[e->p].g = g;
    }
}

static void metric(struct v1_cut *c, enum metric m, uint64_t value)
{
    c->metric[m].value = value;
    c->metric[m].known = true;
}

/* take - Apply the changes of an event. */
static void take(struct v1_cut *c, const struct v1_ev *e, const struct v1_raw *r)
{
    struct proc *p = e->p < c->ix.nproc ? &c->p[e->p] : &c->p[c->ix.nproc];
    switch (e->tag.type) {
    case V1_GOMAXPROCS: metric(c, METRIC_PROCS, r->v[0]); break;
    case V1_HEAP_ALLOC: metric(c, METRIC_HEAP, r->v[0]); break;
    case V1_HEAP_GOAL: metric(c, METRIC_GOAL, r->v[0]); break;
    case V1_PROC_START:
        p->on = p->seen = true;
        p->m = r->v[0];
        break;
    case V1_PROC_STOP: p->on = false; break;
    case V1_GC_START:
    case V1_GC_DONE: c->gc = e->tag.type == V1_GC_START; break;
    case V1_STW_START:
        p->stw = true;
        p->kind = r->v[0];
        break;
    case V1_STW_DONE:
        for (size_t i = 0; i < c->ix.nproc && c->ix.dialect.version >= 1010; i++)
            c->p[i].stw = false;
        p->stw = false;
        break;
    case V1_SWEEP_START:
    case V1_SWEEP_DONE: p->sweep = e->tag.type == V1_SWEEP_START; break;
    default: goroutine(c, e, r); break;
    }
}

/* ---- the start ----------------------------------------------------------------------------------------- */

static bool exists(struct v1_cut *c, size_t g)
{
    return gor(c, (uint32_t)g)->state != V1S_NONE && gor(c, (uint32_t)g)->state != V1S_ENDED;
}

#define EVENT(is, ...) (&(const struct v1_raw){.type = (is), .v = {__VA_ARGS__}})
static void put(struct v1_cut *c, uint32_t p, uint64_t ticks, const struct v1_raw *e)
{
    v1_put_event(&c->w, p, ticks, e);
}

/* seq_of - Returns a row's next sequence number, without the event that the merge has processed and the
 * slice hasn't. */
static uint64_t seq_of(const struct v1_cut *c, size_t g)
{
    const struct v1_ev *ahead = c->o.head ? c->o.head : c->ev;
    const bool is = ahead && ahead->rule_g == g;
    return (c->o.d.g[g].key - (is ? (uint64_t)(int64_t)ahead->tag.delta : 0)) / 4;
}

static void put_goroutines(struct v1_cut *c, uint64_t at)
{
    for (size_t g = V1_GC_ROW + 1; g < c->o.d.ng; g++) {
        struct v1_g *s = gor(c, (uint32_t)g);
        struct row *r = &c->row[g];
        if (!exists(c, g))
            continue;
        const bool blocked = v1_off_p(s);
        put(c, c->any, at, EVENT(V1_GO_CREATE, s->id, r->start));
        if (s->state == V1S_WAITING || blocked)
            put(c, c->any, at, EVENT(blocked ? V1_GO_IN_SYSCALL : V1_GO_WAITING, s->id));
        r->less = seq_of(c, g) + (s->flags & V1F_EXITED ? 1 : 0) - (s->state == V1S_RUNNABLE ? 1 : 2);
        if (s->flags & V1F_EXITED)
            s->flags |= F_TOLD;
    }
}

/* Whether it runs with a label, in a dialect that has these. */
static bool labelled(const struct v1_cut *c, const struct proc *p)
{
    return p->g && c->row[p->g].label && c->ix.dialect.shape[V1_GO_START_LABEL].name;
}

/* procs_of - Returns GOMAXPROCS; before it is known, the number of Ps. */
static uint64_t procs_of(const struct v1_cut *c)
{
    return c->metric[METRIC_PROCS].known ? c->metric[METRIC_PROCS].value : c->ix.nproc;
}

static void put_procs(struct v1_cut *c, uint64_t at)
{
    for (uint32_t i = 0; i < c->ix.nproc; i++) {
        struct proc *p = &c->p[i];
        bool idle =
            !p->on && p->seen && (!c->metric[METRIC_PROCS].known || (uint64_t)c->ix.proc[i].id < procs_of(c));
        if (p->on || idle)
            put(c, i, at, EVENT(V1_PROC_START, p->m));
        if (idle) /* there is no other way to show that it exists */
            put(c, i, at, EVENT(V1_PROC_STOP, 0));
        if (p->g && !labelled(c, p))
            put(c, i, at, EVENT(V1_GO_START, gor(c, p->g)->id, 1));
    }
}

/* After the first Gomaxprocs: before it, Go's tools don't take a start with a label for a start, and then
 * lack such a goroutine. */
static bool put_labelled(struct v1_cut *c, uint64_t at)
{
    bool any = false;
    for (uint32_t i = 0; i < c->ix.nproc; i++)
        if (labelled(c, &c->p[i])) {
            put(c, i, at, EVENT(V1_GO_START_LABEL, gor(c, c->p[i].g)->id, 1, c->row[c->p[i].g].label));
            any = true;
        }
    return any;
}

/* Write open ranges, and system calls last, as the next event shows whether one blocks. */
static void put_open(struct v1_cut *c, uint64_t at)
{
    bool kinds = c->ix.dialect.version >= 1010;
    if (c->gc)
        put(c, c->any, at, EVENT(V1_GC_START, 0));
    for (uint32_t i = 0; i < c->ix.nproc; i++) {
        struct proc *p = &c->p[i];
        if (p->stw)
            put(c, i, at, EVENT(V1_STW_START, kinds ? p->kind : 0));
        if (p->sweep)
            put(c, i, at, EVENT(V1_SWEEP_START, 0));
        if (p->g && c->row[p->g].assist)
            put(c, i, at, EVENT(V1_ASSIST_START, 0));
        if (p->g && gor(c, p->g)->state == V1S_SYSCALL)
            put(c, i, at, EVENT(V1_SYS_CALL, c->row[p->g].call));
    }
}

/* begin - Start the range: write the current state, early enough that every event has a nanosecond of its
 * own. */
static void begin(struct v1_cut *c)
{
    c->started = true;
    outlet_put(c->w.out, c->s.data, c->s.header);
    if (!c->cut)
        return;
    size_t n = 16 + 8 * c->ix.nproc;
    for (size_t g = V1_GC_ROW + 1; g < c->o.d.ng; g++)
        n += exists(c, g) ? 2 : 0;
    uint64_t before = 8 + to_u64((double)n / c->ns_per_tick), at = c->from > before ? c->from - before : 0;
    for (uint32_t i = (uint32_t)c->ix.nproc; i--;)
        if (c->ix.proc[i].id >= 0 && (c->p[i].on || !c->p[c->any].on || c->ix.proc[c->any].id < 0))
            c->any = i;
    put_goroutines(c, at);
    put_procs(c, at + 1);
    put(c, c->any, at + 2, EVENT(V1_GOMAXPROCS, procs_of(c)));
    if (c->metric[METRIC_HEAP].known)
        put(c, c->any, at + 3, EVENT(V1_HEAP_ALLOC, c->metric[METRIC_HEAP].value));
    if (c->metric[METRIC_GOAL].known)
        put(c, c->any, at + 3, EVENT(V1_HEAP_GOAL, c->metric[METRIC_GOAL].value));
    put_open(c, put_labelled(c, at + 4) ? at + 5 : at + 4);
    c->row[V1_GC_ROW].less = seq_of(c, V1_GC_ROW) - (c->gc ? 1 : 0);
    c->res->lead = to_i64((double)(c->from - at) * c->ns_per_tick);
}

/* ---- events in the range ------------------------------------------------------------------------------- */

static void put_event(struct v1_cut *c, const struct v1_ev *e, const struct v1_raw *raw)
{
    struct v1_raw own = *raw, *r = &own; /* numbers change */
    unsigned type = e->tag.type;
    uint32_t p = e->p < c->ix.nproc ? e->p : c->any;
    uint64_t ticks = e->ticks < c->from ? c->from : e->ticks;
    c->res->events++;
    if (e->moved && c->ix.dialect.version >= 1007)
        return; /* it is written where it's written */
    if (type == V1_SYS_EXIT &&
        c->ix.dialect.version == 1005) { /* written where it belongs: then both numbers are one */
        put(c, c->any, ticks, EVENT(V1_SYS_EXIT, gor(c, e->g)->id, c->w.next_seq, ticks));
        return;
    }
    if ((type == V1_SYS_EXIT || type == V1_SYS_EXIT_LOCAL) && gor(c, e->g)->flags & F_TOLD) {
        gor(c, e->g)->flags &= (uint8_t)~F_TOLD;
        return;
    }
    if (type == V1_CPU_SAMPLE)
        p = (uint32_t)c->ix.nproc; /* Go's reader doesn't add up its times with those of other events */
    const int seq = v1_which(&c->ix.dialect.shape[type], 'q');
    if (seq >= 0)
        r->v[seq] -= c->row[e->rule_g].less;
    v1_put_event(&c->w, p, ticks, r);
}

/* put_end - Write the end of a range that ends before the trace does. */
static void put_end(struct v1_cut *c)
{
    uint64_t at = c->to;
    for (size_t g = V1_GC_ROW + 1; g < c->o.d.ng; g++) {
        const struct v1_g *s = gor(c, (uint32_t)g);
        if (!exists(c, g))
            continue;
        if (s->state == V1S_SYSCALL && s->p != NO_P)
            put(c, s->p, at, EVENT(V1_SYS_BLOCK, 0));
        if (s->flags & V1F_EXITED && !(s->flags & F_TOLD))
            put(c, c->any, at, EVENT(V1_SYS_EXIT, s->id, seq_of(c, g) - c->row[g].less, c->row[g].exit));
    }
    put(c, c->any, at, EVENT(V1_GOMAXPROCS, procs_of(c)));
}

/* goes_on - Whether the event is no earlier than those before it, the last of which was at `least`. Else
 * the slice ends. */
static bool goes_on(struct v1_cut *c, const struct v1_ev *e, uint64_t least)
{
    const bool goes = (int64_t)(e->ticks - least) >= 0;
    if (!goes)
        err_set(&c->res->damage, ERR_ORDER, e->at ? source_off(&c->s, e->at) : ERR_NO_OFFSET,
                "the time of event %s is before that of the one before it", v1_type_name(e->tag.type));
    return goes;
}

/* next - Returns the next event; NULL: there is none, or what follows is impossible, or events are missing
 * there. */
static const struct v1_ev *next(struct v1_cut *c)
{
    const struct v1_ev *e = v1_merge_next(&c->o);
    const bool noted = c->s.st.ndamages > 0, extra_only = !e || e == &c->o.extra;
    if (!extra_only || c->o.head || (!c->o.nheap && !c->o.nwaiting) || c->o.d.oom)
        return e;
    c->res->damage = noted ? *source_note(&c->s.damage, 0)
                           : (struct err){.code = ERR_ORDER,
                                          .offset = ERR_NO_OFFSET,
                                          .what = "no order makes the events behind it consistent"};
    return NULL;
}

static uint64_t ticks_of(const struct v1_cut *c, int64_t ns)
{
    double t = (double)ns / c->ns_per_tick;
    return c->base + (t < 9e18 ? (uint64_t)t : UINT64_C(1) << 62);
}

/* too_late - The range begins after what can be cut, which ends at `end` (s). */
static enum err_code too_late(const struct v1_cut *c, double end, struct err *e)
{
    if (c->res->damage.code)
        return err_set(
            e, ERR_ARG, c->res->damage.offset,
            "it is damaged before this range, at %.6f s, and no slice of its format can say what isn't known "
            "from there on",
            end);
    return err_set(e, ERR_ARG, ERR_NO_OFFSET,
                   "the range begins behind the trace's last event, which is at %.9f s", end);
}

static enum err_code walk(struct v1_cut *c, const struct cut_range *r, struct err *e)
{
    const struct v1_ev *ev = NULL;
    bool over = false;
    uint64_t last = 0;
    while (!over && !c->w.out->broken && (ev = c->ev = next(c))) {
        struct v1_raw raw = {0};
        if (!mem_room_zeros(c->row, c->nrow, c->o.d.ng))
            return err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory for goroutines");
        if (!c->based) {
            c->based = true;
            c->base = ev->ticks;
            c->from = c->cut ? ticks_of(c, r->from) : 0;
            c->to = r->to == INT64_MAX ? UINT64_MAX : ticks_of(c, r->to);
        }
        (void)v1_ev_values(&c->o.d, ev, &raw);
        if (!goes_on(c, ev, last > c->base ? last : c->base))
            break;
        if (!c->started && ev->ticks >= c->from) {
            c->listing = c->cut && c->ix.ngomaxprocs && !c->metric[METRIC_PROCS].known;
            if (c->listing)
                return ERR_OK;
            begin(c);
        }
        over = ev->ticks >= c->to;
        if (over)
            break;
        if (c->started)
            put_event(c, ev, &raw);
        take(c, ev, &raw);
        last = ev->ticks > last ? ev->ticks : last;
    }
    if (c->o.d.oom)
        return err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory for events");
    if (!c->started && !c->w.out->broken)
        return too_late(c, (double)(last - c->base) * c->ns_per_tick * 1e-9, e);
    if (c->res->damage.code && !c->res->events) {
        *e = c->res->damage; /* nothing comes before it */
        return e->code;
    }
    if (!over)
        c->to = last > c->from ? last : c->from;
    if (over || c->res->damage.code)
        put_end(c);
    c->res->from = c->cut ? to_i64((double)(c->from - c->base) * c->ns_per_tick) : 0;
    c->res->to = to_i64((double)(c->to - c->base) * c->ns_per_tick);
    return ERR_OK;
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

static enum err_code index_all(struct v1_cut *c, const struct cut_range *r, struct err *e)
{
    (void)v1_index_init(&c->ix, &c->s); /* of a dialect that the header names */
    while (!c->ix.done)
        if (v1_index_step(&c->ix, &c->s, UINT64_C(64) << 20))
            return err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory for the index of batches");
    if (!c->ix.nbatch)
        return err_set(e, ERR_EMPTY, c->s.header, "no events");
    if (c->ix.frequency && r->ticks_per_second > 0)
        return err_set(e, ERR_ARG, ERR_NO_OFFSET, CUT_RATE);
    if (!c->ix.frequency && !(r->ticks_per_second >= 1))
        return err_set(e, ERR_CLOCK, c->s.len,
                       "it was cut short before its tick rate: give --ticks-per-second");
    c->ns_per_tick = 1e9 / (c->ix.frequency ? (double)c->ix.frequency : r->ticks_per_second);
    return ERR_OK;
}

/* run - Read from the trace's start. */
static enum err_code run(struct v1_cut *c, const struct cut_range *r, struct err *e)
{
    v1_order_free(&c->o);
    mem_free(c->p);
    if (c->nrow)
        memset(c->row, 0, c->nrow * sizeof *c->row);
    c->p = mem_zalloc((c->ix.nproc + 1) * sizeof *c->p);
    if (!c->p || v1_order_init(&c->o, &c->s, &c->ix))
        return err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
    c->o.strict = true;
    c->o.d.ahead = 1;
    c->based = c->started = c->listing = false;
    c->ev = NULL;
    c->cut = r->from > 0;
    return walk(c, r, e);
}

static bool to_nowhere(void *arg, const void *p, size_t n)
{
    (void)arg, (void)p, (void)n;
    return true;
}

/* rewrite - Write the range, up to where the trace is damaged. */
static enum err_code rewrite(struct v1_cut *c, const struct cut_range *r, struct outlet *out, struct err *e)
{
    c->res->damage = (struct err){0};
    c->res->events = 0;
    if (!v1_put_init(&c->w, out, &c->s, &c->ix))
        return err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
    enum err_code rc = run(c, r, e);
    if (rc == ERR_OK && c->listing) {
        struct cut_range all = {INT64_MIN, r->to, r->ticks_per_second};
        rc = run(c, &all, e);
    }
    if (rc == ERR_OK)
        v1_put_tables(&c->w, (uint64_t)(1e9 / c->ns_per_tick + 0.5));
    if (rc == ERR_OK && c->w.oom)
        rc = err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory for tables");
    v1_put_free(&c->w);
    return rc;
}

static enum err_code cut(struct v1_cut *c, const struct cut_range *r, struct outlet *out, struct err *e)
{
    enum err_code rc = index_all(c, r, e);
    if (rc)
        return rc;
    if (r->from <= 0 && r->to == INT64_MAX && !c->ix.twice && !c->s.st.ndamages) {
        struct outlet nowhere = {.write = to_nowhere};
        rc = rewrite(c, r, &nowhere, e);
        if (rc == ERR_OK && !c->res->damage.code) {
            outlet_put(out, c->s.data, c->s.len);
            c->res->whole = true;
        }
        if (rc || c->res->whole)
            return rc;
    }
    rc = rewrite(c, r, out, e);
    if (!c->res->damage.code && c->s.st.ndamages)
        c->res->damage = *source_note(&c->s.damage, 0);
    return rc;
}

enum err_code cut_v1(const struct rewrite *w, const struct cut_range *r, struct cut_result *res,
                     struct err *e)
{
    struct v1_cut *c = mem_zalloc(sizeof *c);
    if (!c)
        return err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
    c->s = (struct source){
        .data = w->in->data, .len = w->in->len, .version = w->d.version, .header = w->d.header};
    c->res = res;
    enum err_code rc = cut(c, r, w->out, e);
    v1_order_free(&c->o);
    v1_index_free(&c->ix);
    source_notes_free(&c->s);
    mem_free(c->row);
    mem_free(c->p);
    mem_free(c);
    return rc;
}
