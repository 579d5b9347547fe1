/*
 * v1_order.c - see v1_order.h.
 *
 * Invariants: every cursor that has not ended is either in the heap, if its head may come next, or in the
 * list of the one goroutine whose state its head needs. A goroutine's list is checked when the goroutine
 * changes. If all cursors wait, events are missing or contradict each other: then the earliest head is
 * forced, and counted. Checking lists has a budget, so that a made-up file with thousands of processors
 * can't take quadratic time.
 */
#include "decode/v1/v1_order.h"

#include <string.h>

#include "decode/base/mem.h"

#define NO_CURSOR 0
#define TIE_MAX 64 /* maximum number of heads that tie() checks */

/* ---- the heap ------------------------------------------------------------------------------------------ */

static inline int64_t head_key(const struct v1_order *o, uint32_t cur)
{
    return v1_order_key(o, v1_order_head(o, cur));
}

static void cursor_push(struct v1_order *o, uint32_t cur)
{
    heap_push(o->heap, &o->nheap, (struct heap){.t = head_key(o, cur), .cursor = cur});
}

/* Returns how many ticks a head may be waited for. The clocks of a host's processors differ by less. */
static uint64_t slack(const struct v1_order *o, int64_t per_second)
{
    enum { FASTEST = 62500000 };
    const int64_t rate = o->d.ix->frequency > 0 ? o->d.ix->frequency : FASTEST;
    return (uint64_t)(rate / per_second) + 1;
}

void v1_order_lossy(struct v1_order *o)
{
    o->slack = slack(o, 50000);
}

/* ---- who may come next --------------------------------------------------------------------------------- */

static inline bool event_ready(const struct v1_order *o, const struct v1_ev *e)
{
    return v1_ready(&o->d, e) || o->by_time;
}

/* Update the state of the goroutine that orders an event. */
static inline void apply(const struct v1_order *o, const struct v1_ev *e)
{
    struct v1_g *g = &o->d.g[e->rule_g];
    const struct v1_kind *k = &o->d.kind[e->tag.type];
    if (v1_ready(&o->d, e))
        g->key += (uint64_t)(int64_t)e->tag.delta;
    else
        g->key = (g->key & k->keep) + k->add + ((e->own & k->numbered) << 2);
}

static void wait_for(struct v1_order *o, uint32_t cur)
{
    struct v1_cursor *c = &o->d.cur[cur];
    struct v1_g *g = &o->d.g[v1_order_head(o, cur)->rule_g];
    const int64_t key = head_key(o, cur);
    if (!o->nwaiting || key < o->oldest)
        o->oldest = key;
    c->waiting = true;
    c->next_wait = g->waiters;
    g->waiters = cur + 1;
    o->nwaiting++;
}

static void place_cursor(struct v1_order *o, uint32_t cur)
{
    if (event_ready(o, v1_order_head(o, cur)))
        cursor_push(o, cur);
    else
        wait_for(o, cur);
}

/* Check all cursors that wait for g. */
static void wake(struct v1_order *o, uint32_t g)
{
    uint32_t w = o->d.g[g].waiters;
    o->d.g[g].waiters = NO_CURSOR;
    while (w) {
        uint32_t cur = w - 1;
        w = o->d.cur[cur].next_wait;
        o->d.cur[cur].waiting = false;
        o->nwaiting--;
        o->work++;
        place_cursor(o, cur);
    }
}

static void order_give_up(struct v1_order *o, const char *why)
{
    o->by_time = true;
    if (!o->quiet)
        source_damage(o->d.s, ERR_ORDER, 0, ERR_NO_OFFSET,
                      "%s: from here on events are in order of time alone", why);
    for (uint32_t i = 0; i < o->d.ix->nproc; i++) {
        if (!o->d.cur[i].waiting)
            continue;
        o->d.g[v1_order_head(o, i)->rule_g].waiters = NO_CURSOR;
        o->d.cur[i].waiting = false;
        cursor_push(o, i);
    }
    o->nwaiting = 0;
}

/* Returns whether C threads call Go. Go before 1.22 doesn't record how their goroutines were created, and its
 * own reader refuses such traces. */
static bool calls_back(const struct names *nm)
{
    return any_of(i, names_nstrs(nm), str_is(names_get(nm, i), "runtime.cgocallback"));
}

/* Returns why no order can be made. What cuts a trace has not read its names, and can't say. */
static const char *why_none(const struct names *nm)
{
    return !nm              ? ""
           : calls_back(nm) ? ": threads of C call Go (cgo), of which Go before 1.22 doesn't record all"
                            : ": some are missing";
}

static void repair(struct v1_order *o, const struct v1_ev *e)
{
    v1_order_lossy(o);
    if (!o->repairs++ && !o->quiet)
        source_damage(
            o->d.s, ERR_ORDER, 0, ERR_NO_OFFSET,
            "no order makes all events consistent (first at %s, goroutine %llu)%s", v1_type_name(e->tag.type),
            (unsigned long long)(e->rule_g > V1_GC_ROW ? o->d.g[e->rule_g].id : 0), why_none(o->d.s->names));
    if (o->repairs > o->max_repairs)
        order_give_up(o, "too many events contradict each other");
}

/* Let the earliest waiting cursor go on, because all cursors wait, or because the event that it waits for
 * would have come by now. */
static void force(struct v1_order *o)
{
    o->work += o->d.ix->nproc;
    uint32_t best = UINT32_MAX;
    int64_t least = 0;
    for (uint32_t i = 0; i < o->d.ix->nproc; i++) {
        if (!o->d.cur[i].waiting || (best != UINT32_MAX && head_key(o, i) >= least))
            continue;
        best = i;
        least = head_key(o, i);
    }
    o->oldest = least;
    if (o->nheap && !v1_order_overdue(o, o->heap[0].t))
        return;
    struct v1_cursor *c = &o->d.cur[best];
    repair(o, v1_order_head(o, best));
    if (o->by_time)
        return; /* all of them are in the heap now */
    uint32_t *link = &o->d.g[v1_order_head(o, best)->rule_g].waiters;
    while (*link != best + 1)
        link = &o->d.cur[*link - 1].next_wait;
    *link = c->next_wait;
    c->waiting = false;
    c->forced = true;
    o->nwaiting--;
    cursor_push(o, best);
}

/* Returns whether the goroutine that the event names is in the state that the event needs. */
static bool fits(const struct v1_order *o, const struct v1_ev *e)
{
    uint8_t s = o->d.g[e->arg_g].state;
    switch (e->tag.means) {
    case V1_MEANS_START:
    case V1_MEANS_STATUS: return s == V1S_RUNNABLE || s == V1S_LISTED;
    case V1_MEANS_WAKE: return s == V1S_WAITING;
    case V1_MEANS_EXIT: return s == V1S_SYSCALL;
    default: return true;
    }
}

/* Take one that fits(): the prototype's clock is coarse, so many heads have the same time. */
static void tie(struct v1_order *o)
{
    size_t at = 0, stack[TIE_MAX], n = 0, looked = 0;
    int64_t key = o->heap[at].t;
    stack[n++] = at;
    while (n && looked++ < TIE_MAX) {
        size_t i = stack[--n];
        if (fits(o, v1_order_head(o, o->heap[i].cursor))) {
            struct heap x = o->heap[i];
            o->heap[i] = o->heap[at];
            o->heap[at] = x;
            return;
        }
        for (size_t k = 2 * i + 1; k <= 2 * i + 2 && k < o->nheap; k++)
            if (o->heap[k].t == key && n < TIE_MAX)
                stack[n++] = k;
    }
}

void v1_order_settle(struct v1_order *o, uint32_t g, uint32_t cur, bool more)
{
    heap_drop(o->heap, &o->nheap);
    if (o->d.g[g].waiters)
        wake(o, g);
    if (more)
        place_cursor(o, cur);
}

/* Returns the next event in the order in which the events were written. */
static const struct v1_ev *order_next(struct v1_order *o)
{
    const struct v1_ev *e;
    uint32_t cur;
    if (o->work > o->max_work && !o->by_time)
        order_give_up(o, "too many processors wait for each other");
    for (;;) {
        if (o->d.oom || (!o->nheap && !o->nwaiting))
            return NULL;
        if (!o->nheap || v1_order_overdue(o, o->heap[0].t))
            force(o);
        if (o->d.ix->dialect.version == 0)
            tie(o);
        cur = o->heap[0].cursor;
        e = v1_order_head(o, cur);
        if (event_ready(o, e) || o->d.cur[cur].forced)
            break;
        heap_drop(o->heap, &o->nheap); /* another event needed the same state, and came first */
        wait_for(o, cur);
        repair(o, e);
    }
    struct v1_cursor *c = &o->d.cur[cur];
    c->forced = false;
    bool more = ++c->head != c->fill || v1_fill(&o->d, c);
    if (o->d.oom)
        return NULL;
    o->head_broke = !v1_ready(&o->d, e);
    apply(o, e);
    if (more && !o->d.g[e->rule_g].waiters && event_ready(o, v1_order_head(o, cur))) /* the usual case */
        v1_order_replace(o, head_key(o, cur));
    else
        v1_order_settle(o, e->rule_g, cur, more);
    return e;
}

/* ---- the final order ----------------------------------------------------------------------------------- */

/* Whether the next end of a system call that is moved to its own time comes before x (NULL: the end). */
static bool exit_due(const struct v1_order *o, const struct v1_ev *x)
{
    if (o->exit >= o->d.ix->nexit)
        return false;
    int64_t key = (int64_t)o->d.ix->exit[o->exit].key;
    if (!x)
        return o->d.ix->dialect.version == 1005;
    if (key < v1_order_key(o, x))
        return true;
    /* x is where such an end was written, perhaps this very one: it must come before that place */
    uint64_t real = v1_ev_real_ticks(&o->d, x);
    return real && key <= (int64_t)real;
}

/* Set when the next event of the two lists, ends of system calls and samples, is due. */
static void look_stalled(struct v1_order *o)
{
    o->side = INT64_MAX;
    if (o->exit < o->d.ix->nexit)
        o->side = (int64_t)o->d.ix->exit[o->exit].key;
    if (o->sample < o->d.ix->nsample && (int64_t)o->d.ix->sample[o->sample].ticks < o->side)
        o->side = (int64_t)o->d.ix->sample[o->sample].ticks;
}

static const struct v1_ev *take_exit(struct v1_order *o)
{
    const struct v1_exit *x = &o->d.ix->exit[o->exit++];
    look_stalled(o);
    uint32_t g = v1_find_g(&o->d, x->g);
    o->extra = (struct v1_ev){.tag = o->d.kind[V1_SYS_EXIT].bare,
                              .moved = true,
                              .p = UINT32_MAX,
                              .g = g,
                              .arg_g = g,
                              .own = x->seq,
                              .ticks = x->ticks,
                              .seq = x->key};
    return o->d.oom ? NULL : &o->extra;
}

static const struct v1_ev *take_sample(struct v1_order *o)
{
    const struct v1_sample *x = &o->d.ix->sample[o->sample++];
    look_stalled(o);
    o->extra = (struct v1_ev){.tag = o->d.kind[V1_CPU_SAMPLE].bare,
                              .p = UINT32_MAX,
                              .ticks = x->ticks,
                              .at = o->d.s->data + x->off,
                              .stack = V1_FAR_STACK};
    struct v1_raw r;
    if (!v1_ev_values(&o->d, &o->extra, &r))
        return &o->extra;
    const uint32_t g = r.v[2] ? idmap_get(&o->d.gid, r.v[2]) : IDMAP_NONE;
    o->extra.g = g == IDMAP_NONE ? 0 : g;
    if (r.v[1] < V1_PROCS_MAX) /* else the sample is of a thread without a P */
        o->extra.p = idmap_get(&o->d.ix->proc_of, r.v[1] + 1);
    return &o->extra;
}

const struct v1_ev *v1_merge_next(struct v1_order *o)
{
    if (!o->head)
        o->head = order_next(o);
    if (o->d.oom)
        return NULL;
    const struct v1_ev *x = o->head;
    o->broke = o->head_broke;
    if (x && v1_order_key(o, x) <= o->side && x->tag.type != V1_SYS_EXIT &&
        x->tag.type != V1_SYS_EXIT_LOCAL) {
        o->head = NULL;
        return x;
    }
    bool exit = exit_due(o, x);
    bool sample =
        o->sample < o->d.ix->nsample && (!x || (int64_t)o->d.ix->sample[o->sample].ticks < (int64_t)x->ticks);
    if (exit && sample && (int64_t)o->d.ix->sample[o->sample].ticks < (int64_t)o->d.ix->exit[o->exit].ticks)
        exit = false;
    if (exit || sample) {
        o->broke = false;
        return exit ? take_exit(o) : take_sample(o);
    }
    o->head = NULL;
    return x;
}

bool v1_exits(const struct v1_order *o, const struct v1_ev *e)
{
    struct v1_g *s = &o->d.g[e->g];
    if (o->d.ix->dialect.version < 1007)
        return true;
    const bool exited = s->flags & V1F_EXITED;
    if (!e->moved) {
        s->flags &= (uint8_t)~V1F_EXITED;
        return !exited;
    }
    s->flags |= v1_off_p(s) ? V1F_EXITED : 0;
    return v1_off_p(s);
}

/* ---- set-up -------------------------------------------------------------------------------------------- */

enum err_code v1_order_init(struct v1_order *o, struct source *s, const struct v1_index *ix)
{
    memset(o, 0, sizeof *o);
    o->max_repairs = ix->events / 100 > 64 ? ix->events / 100 : 64;
    o->max_work = 64 * ix->events + 1000000;
    o->d.ix = ix;
    o->slack = slack(o, 1000);
    o->heap = mem_alloc((ix->nproc + 1) * sizeof *o->heap);
    if (v1_decoder_init(&o->d, s, ix) != ERR_OK || !o->heap) {
        v1_order_free(o);
        return ERR_NOMEM;
    }
    look_stalled(o);
    for (uint32_t i = 0; i < ix->nproc; i++)
        if (v1_fill(&o->d, &o->d.cur[i]))
            place_cursor(o, i);
    return o->d.oom ? ERR_NOMEM : ERR_OK;
}

void v1_order_free(struct v1_order *o)
{
    v1_decoder_free(&o->d);
    mem_free(o->heap);
    memset(o, 0, sizeof *o);
}
