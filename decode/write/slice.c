/* slice.c - see slice.h. The rules that each event must fit: decode/v2/v2_adv.c, v2_ranges.c. */
#include "decode/write/slice.h"

#include <string.h>

#include "decode/base/mem.h"
#include "decode/v2/v2_state.h"
#include "decode/write/v2_put.h"

enum { BATCH = 16384 };             /* bytes of a batch */
#define MADE_UP (UINT64_C(1) << 40) /* ids of threads that the trace doesn't name */

/* ---- bytes --------------------------------------------------------------------------------------------- */

/* room - Make room for number i of s->g, s->p, s->m, ... Returns false for EV_NONE. */
#define room(s, is, i) \
    ((i) != EV_NONE && mem_noted(&(s)->oom, mem_room_zeros((s)->is, (s)->cap##is, (size_t)(i) + 1)))
/* use - A string or a stack is used. */
#define use(s, is, i) (void)(room(s, is, i) && ((s)->is[i] = true))

static bool to_held(void *arg, const void *p, size_t n)
{
    struct slice *s = arg;
    if (!mem_noted(&s->oom, mem_room(s->held.p, s->held.cap, s->held.n + n)))
        return false;
    memcpy(s->held.p + s->held.n, p, n);
    s->held.n += n;
    return true;
}

static void close_batch(struct slice *s, uint32_t m)
{
    struct slice_m *b = &s->m[m];
    struct outlet out = {.write = to_held, .arg = s};
    const uint64_t id = m ? b->id : V2_NO_THREAD;
    if (b->n == 0) /* it may have no buffer either */
        return;
    const struct v2_raw_batch raw = {.gen = 1, .m = id, .time = b->first, .p = b->buf, .end = b->buf + b->n};
    v2_put_batch(&out, &raw);
    b->n = 0;
}

/* now - Returns s->now on the slice's clock. */
static uint64_t now(const struct slice *s)
{
    return s->now > 0 ? (uint64_t)s->now / s->unit : 0;
}

/* put - Write an event of a thread, at s->now. */
static void put(struct slice *s, uint32_t m, struct v2_raw_ev e)
{
    const struct v2_spec *spec = &v2_specs[e.type];
    if (!s->on || !room(s, m, m))
        return;
    if (s->m[m].n + V2_EVENT_MAX > BATCH)
        close_batch(s, m);
    struct slice_m *b = &s->m[m];
    const uint64_t at = now(s);
    if (!mem_noted(&s->oom, mem_room(b->buf, b->cap, b->n + V2_EVENT_MAX)))
        return;
    if (!b->n)
        b->first = b->last = at;
    for (unsigned i = 0; i < e.nargs; i++) {
        if (spec->strs >> i & 1)
            use(s, str, e.arg[i]);
        if (spec->stacks >> i & 1)
            use(s, stack, e.arg[i]);
    }
    b->buf[b->n++] = e.type;
    b->n += v2_put_numbers(b->buf + b->n, (uint64_t[]){at > b->last ? at - b->last : 0}, 1);
    b->n += v2_put_numbers(b->buf + b->n, e.arg, e.nargs);
    b->last = at > b->last ? at : b->last;
}
#define PUT(m, is, ...) \
    put(s, m, \
        (struct v2_raw_ev){.type = (is), .nargs = (uint8_t)(v2_specs[is].nargs - 1), .arg = {__VA_ARGS__}})

/* ---- threads and Ps ------------------------------------------------------------------------------------ */

/* thread - Returns the reader's thread m. */
static uint32_t thread(struct slice *s, uint32_t m)
{
    return m == EV_NONE || !room(s, m, 2 * m + 1) ? 0 : 2 * m + 1;
}

static uint32_t make_thread(struct slice *s)
{
    const uint32_t m = 2 * ++s->made;
    if (!room(s, m, m))
        return 0;
    s->m[m].id = MADE_UP + s->made;
    return m;
}

static void bind(struct slice *s, uint32_t p, uint32_t m, uint8_t status)
{
    s->p[p].m = m;
    s->p[p].status = status;
    s->m[m].p = p + 1;
}

/* p_stops - A P leaves its thread. by: the thread that takes it, 0: its own. */
static void p_stops(struct slice *s, uint32_t p, uint32_t by)
{
    struct slice_p *q = &s->p[p];
    const uint32_t m = q->m;
    if (q->status == V2_PS_SYSCALL)
        PUT(by ? by : m, V2_PROC_STEAL, q->id, ++q->seq, s->m[m].id);
    else
        PUT(m, V2_PROC_STOP, 0);
    s->m[m].p = q->m = 0;
    q->status = V2_PS_IDLE;
}

/* p_starts - A P runs, on thread m if it doesn't run already. Returns its thread. since: one that was not
 * known has run all along. */
static uint32_t p_starts(struct slice *s, uint32_t p, uint32_t m, bool since)
{
    struct slice_p *q = &s->p[p];
    if (q->m && q->status == V2_PS_RUNNING)
        return q->m;
    if (q->m)
        p_stops(s, p, 0);
    if (!m)
        m = make_thread(s);
    if (m && s->m[m].p)
        p_stops(s, s->m[m].p - 1, 0);
    if (!m)
        return 0;
    if (!q->status)
        PUT(m, V2_PROC_STATUS, q->id, since ? V2_PS_RUNNING : V2_PS_IDLE);
    if (q->status || !since)
        PUT(m, V2_PROC_START, q->id, ++q->seq);
    bind(s, p, m, V2_PS_RUNNING);
    return m;
}

/* thread_for - Returns the thread of a P that is to run another goroutine. */
static uint32_t thread_for(struct slice *s, uint32_t p, uint32_t m)
{
    m = p_starts(s, p, m, false);
    if (m && s->m[m].g) { /* it is in a system call without a P */
        p_stops(s, p, 0);
        m = p_starts(s, p, make_thread(s), false);
    }
    return m;
}

static void p_state(struct slice *s, const struct ev *e)
{
    if (!room(s, p, e->p) || (s->over && (s->p[e->p].status || !(e->flags & EVF_BACKDATE))))
        return;
    struct slice_p *q = &s->p[e->p];
    const uint32_t m = thread(s, e->m);
    if (!q->status)
        q->id = e->arg;
    if (e->state == ST_SCHED) {
        p_starts(s, e->p, m, e->flags & EVF_BACKDATE);
    } else if (e->state == ST_SYSCALL && !q->status && m && !s->m[m].p) {
        bind(s, e->p, m, V2_PS_SYSCALL);
        PUT(m, V2_PROC_STATUS, q->id, V2_PS_SYSCALL);
    } else if (e->state == ST_IDLE && !q->status) {
        q->status = V2_PS_IDLE;
        PUT(0, V2_PROC_STATUS, q->id, V2_PS_IDLE);
    } else if (e->state == ST_IDLE && q->m) {
        p_stops(s, e->p, m);
    }
    s->lost |= e->state == ST_NONE;
}

/* ---- goroutines ---------------------------------------------------------------------------------------- */

/* running_on - Returns the thread on which a goroutine runs; 0: it doesn't. */
static uint32_t running_on(const struct slice *s, uint32_t g)
{
    return g != EV_NONE && g < s->capg && s->g[g].state == ST_RUNNING ? s->g[g].m : 0;
}

/* busy_thread - Returns a thread with a P and a goroutine that runs: m, if it is one. 0: there is none. */
static uint32_t busy_thread(struct slice *s, uint32_t m)
{
    for (uint32_t i = m; i < s->capm; i++)
        if (s->m[i].p && s->m[i].g && s->g[s->m[i].g - 1].state == ST_RUNNING)
            return i;
    return m ? busy_thread(s, 0) : 0;
}

static void g_leave(struct slice *s, uint32_t g, uint8_t state)
{
    if (s->g[g].m)
        s->m[s->g[g].m].g = 0;
    s->g[g].m = 0;
    s->g[g].state = state;
}

static void g_enter(struct slice *s, uint32_t g, uint32_t m, uint8_t state)
{
    s->g[g].m = m;
    s->g[g].state = state;
    s->m[m].g = g + 1;
}

/* put_status - Write a goroutine's status. */
static void put_status(struct slice *s, uint32_t g)
{
    struct slice_g *x = &s->g[g];
    const uint64_t m = x->m ? s->m[x->m].id : V2_NO_THREAD;
    if (x->stack && x->state != ST_RUNNING && s->version >= GO_123)
        PUT(x->m, V2_GO_STATUS_STACK, x->id, m, v2_status_of(x->state), x->stack);
    else
        PUT(x->m, V2_GO_STATUS, x->id, m, v2_status_of(x->state));
}

static void g_calls(struct slice *s, uint32_t g, uint32_t stack)
{
    struct slice_g *x = &s->g[g];
    const uint32_t p = s->m[x->m].p;
    if (!p)
        return;
    PUT(x->m, V2_GO_SYSCALL_BEGIN, ++s->p[p - 1].seq, stack);
    s->p[p - 1].status = V2_PS_SYSCALL;
    x->state = ST_SYSCALL;
    x->stack = stack;
}

/* in_call - Whether the goroutine is in a system call with its P. */
static bool in_call(const struct slice *s, const struct slice_g *x)
{
    return x->state == ST_SYSCALL && x->m && s->m[x->m].p && s->p[s->m[x->m].p - 1].status == V2_PS_SYSCALL;
}

static void put_gc_step(struct slice *s, uint32_t m, bool begins, uint32_t stack)
{
    s->gc = begins;
    s->gc_due = false;
    if (begins)
        PUT(m, V2_GC_BEGIN, ++s->gc_seq, stack);
    else
        PUT(m, V2_GC_END, ++s->gc_seq);
}

static void runs(struct slice *s, const struct ev *e)
{
    struct slice_g *x = &s->g[e->g];
    if (in_call(s, x)) {
        PUT(x->m, V2_GO_SYSCALL_END, 0);
        s->p[s->m[x->m].p - 1].status = V2_PS_RUNNING;
        x->state = ST_RUNNING;
        return;
    }
    if (x->state != ST_RUNNABLE || !room(s, p, e->p)) {
        s->lost |= x->state != ST_RUNNING || e->p == EV_NONE;
        return;
    }
    const uint32_t m = thread_for(s, e->p, thread(s, e->m));
    if (!m)
        return;
    PUT(m, V2_GO_START, x->id, ++x->seq);
    g_enter(s, e->g, m, ST_RUNNING);
    x->label = 0;
    if (s->gc_due)
        put_gc_step(s, m, !s->gc, 0);
}

static void g_ready(struct slice *s, const struct ev *e)
{
    struct slice_g *x = &s->g[e->g];
    if (x->state == ST_WAITING) {
        PUT(e->flags & EVF_WOKEN ? running_on(s, e->by) : 0, V2_GO_UNBLOCK, x->id, ++x->seq, e->stack);
    } else if (x->state == ST_SYSCALL) {
        if (in_call(s, x))
            p_stops(s, s->m[x->m].p - 1, 0);
        PUT(x->m, V2_GO_SYSCALL_END_BLOCKED, 0);
    } else if (x->state == ST_RUNNING) {
        PUT(x->m, V2_GO_STOP, e->str, e->stack);
    } else {
        s->lost = true;
        return;
    }
    g_leave(s, e->g, ST_RUNNABLE);
}

static void g_ends(struct slice *s, uint32_t g)
{
    struct slice_g *x = &s->g[g];
    if (in_call(s, x))
        p_stops(s, s->m[x->m].p - 1, 0);
    if (x->state == ST_RUNNING)
        PUT(x->m, V2_GO_DESTROY, 0);
    else if (x->state == ST_SYSCALL)
        PUT(x->m, V2_GO_DESTROY_SYSCALL, 0);
    else
        s->lost = true;
    g_leave(s, g, ST_NONE);
}

static void g_state(struct slice *s, const struct ev *e)
{
    if (!room(s, g, e->g))
        return;
    struct slice_g *x = &s->g[e->g];
    if (e->flags & EVF_OWN_STACK)
        x->stack = e->stack;
    switch (e->state) {
    case ST_RUNNING: runs(s, e); break;
    case ST_RUNNABLE: g_ready(s, e); break;
    case ST_WAITING:
        s->lost |= x->state != ST_RUNNING;
        if (s->lost)
            break;
        PUT(x->m, V2_GO_BLOCK, e->str, e->stack);
        g_leave(s, e->g, ST_WAITING);
        break;
    case ST_SYSCALL:
        if (x->state == ST_RUNNING)
            g_calls(s, e->g, e->stack);
        break;
    case ST_NONE: g_ends(s, e->g); break;
    default: s->lost = true;
    }
}

/* g_status - A goroutine is in this state all along. */
static void g_status(struct slice *s, const struct ev *e)
{
    if (!room(s, g, e->g))
        return;
    struct slice_g *x = &s->g[e->g];
    const bool known = x->state != ST_NONE || x->later, on = e->state == ST_RUNNING || e->state == ST_SYSCALL;
    if (e->flags & EVF_OWN_STACK && !s->over)
        x->stack = e->stack;
    if (known || (s->over && !(e->flags & EVF_BACKDATE)))
        return;
    uint32_t m = on && room(s, p, e->p) && s->p[e->p].m ? s->p[e->p].m : on ? thread(s, e->m) : 0;
    if (on && room(s, p, e->p) && !s->p[e->p].status && !s->over)
        m = p_starts(s, e->p, m, true);
    if (e->state == ST_SYSCALL && (!m || s->m[m].g))
        m = make_thread(s);
    s->lost |= e->state == ST_RUNNING && (!m || !s->m[m].p);
    if (on && (!m || s->m[m].g || (e->state == ST_RUNNING && !s->m[m].p)))
        return;
    const bool inside = e->state == ST_SYSCALL && s->m[m].p && s->p[s->m[m].p - 1].status == V2_PS_RUNNING;
    x->id = e->arg;
    x->stack = e->stack;
    x->state = inside ? ST_RUNNING : e->state;
    if (on)
        g_enter(s, e->g, m, x->state);
    put_status(s, e->g);
    if (inside)
        g_calls(s, e->g, e->stack);
}

static void g_create(struct slice *s, const struct ev *e)
{
    if (!room(s, g, e->g))
        return;
    struct slice_g *x = &s->g[e->g];
    s->lost |= x->state != ST_NONE;
    if (s->lost)
        return;
    *x = (struct slice_g){
        .id = e->arg, .state = s->over ? ST_NONE : e->state, .later = s->over, .stack = e->stack2};
    if (s->over)
        return;
    uint32_t m = running_on(s, e->by);
    if (!m && e->m != EV_NONE)
        m = thread(s, e->m);
    if (e->state == ST_SYSCALL) {
        m = m && !s->m[m].g ? m : make_thread(s);
        PUT(m, V2_GO_CREATE_SYSCALL, x->id);
        g_enter(s, e->g, m, ST_SYSCALL);
        return;
    }
    m = m && s->m[m].p ? m : busy_thread(s, m);
    if (!m)
        put_status(s, e->g);
    else
        PUT(m, e->state == ST_WAITING ? V2_GO_CREATE_BLOCKED : V2_GO_CREATE, x->id, e->stack2, e->stack);
}

/* ---- ranges -------------------------------------------------------------------------------------------- */

/* gc - Before Go 1.10 no goroutine may run then: it is written when one does. */
static void gc(struct slice *s, const struct ev *e)
{
    const uint32_t m = busy_thread(s, thread(s, e->m));
    const bool begins = e->kind != EVK_RANGE_END;
    if (e->kind == EVK_RANGE_ACTIVE && !s->gc) {
        s->gc = true;
        PUT(m, V2_GC_ACTIVE, ++s->gc_seq);
    } else if (begins != (s->gc != s->gc_due)) {
        if (s->on && !m)
            s->gc_due = !s->gc_due;
        else
            put_gc_step(s, m, begins, e->stack);
    }
}

static void stw(struct slice *s, const struct ev *e)
{
    const bool begins = e->kind != EVK_RANGE_END;
    const uint32_t any = busy_thread(s, thread(s, e->m));
    uint32_t g = e->g;
    if (g == EV_NONE)
        g = !begins ? s->stops : any ? s->m[any].g - 1 : EV_NONE;
    const uint32_t m = running_on(s, g);
    if (!m || s->g[g].stw == begins)
        return;
    struct slice_g *x = &s->g[g];
    x->stw = begins;
    s->stops = g;
    x->kind = e->str;
    x->kind_stack = e->stack;
    if (begins)
        PUT(m, V2_STW_BEGIN, e->str, e->stack);
    else
        PUT(m, V2_STW_END, 0);
}

/* gc_work - A P sweeps, or a goroutine assists: `open` says so; it has thread m, or 0. */
static void gc_work(struct slice *s, const struct ev *e, bool *open, uint32_t m, uint64_t id)
{
    const bool begins = e->kind != EVK_RANGE_END, sweeps = e->state == RANGE_SWEEP;
    if (*open == begins || (e->kind != EVK_RANGE_ACTIVE && !m))
        return;
    *open = begins;
    if (e->kind == EVK_RANGE_ACTIVE)
        PUT(m, sweeps ? V2_GC_SWEEP_ACTIVE : V2_GC_ASSIST_ACTIVE, id);
    else if (begins)
        PUT(m, sweeps ? V2_GC_SWEEP_BEGIN : V2_GC_ASSIST_BEGIN, e->stack);
    else
        PUT(m, sweeps ? V2_GC_SWEEP_END : V2_GC_ASSIST_END, e->arg, e->arg2); /* an assist says neither */
}

static void range(struct slice *s, const struct ev *e)
{
    struct slice_g *g = e->state == RANGE_ASSIST && room(s, g, e->g) ? &s->g[e->g] : NULL;
    struct slice_p *p = e->state == RANGE_SWEEP && room(s, p, e->p) ? &s->p[e->p] : NULL;
    if (e->state == RANGE_GC)
        gc(s, e);
    else if (e->state == RANGE_STW)
        stw(s, e);
    else if (p && p->status)
        gc_work(s, e, &p->sweep, p->m, p->id);
    else if (g && g->state != ST_NONE)
        gc_work(s, e, &g->assist, e->kind == EVK_RANGE_ACTIVE ? g->m : running_on(s, e->g), g->id);
}

/* ---- the rest ------------------------------------------------------------------------------------------ */

static void metric_put(struct slice *s, uint32_t m, int k)
{
    static const uint8_t type[METRIC_COUNT] = {
        [METRIC_HEAP] = V2_HEAP_ALLOC, [METRIC_GOAL] = V2_HEAP_GOAL, [METRIC_PROCS] = V2_PROCS_CHANGE};
    if (m && s->metric[k].known)
        PUT(m, type[k], s->metric[k].value);
}

static void put_series(struct slice *s, const struct ev *e)
{
    s->metric[e->state].value = e->arg;
    s->metric[e->state].known = true;
    if (!(e->flags & EVF_QUIET))
        metric_put(s, busy_thread(s, thread(s, e->m)), e->state);
}

static void put_label(struct slice *s, const struct ev *e)
{
    const uint32_t m = running_on(s, e->g);
    if (!m)
        return;
    s->g[e->g].label = e->str;
    PUT(m, V2_GO_LABEL, e->str);
}

static void user(struct slice *s, const struct ev *e)
{
    const uint32_t m = running_on(s, e->g);
    if (!m)
        return;
    switch (e->kind) {
    case EVK_TASK_BEGIN: PUT(m, V2_TASK_BEGIN, e->arg, e->arg2, e->str, e->stack); break;
    case EVK_TASK_END: PUT(m, V2_TASK_END, e->arg, e->stack); break;
    case EVK_REGION_BEGIN: PUT(m, V2_REGION_BEGIN, e->arg, e->str, e->stack); break;
    case EVK_REGION_END: PUT(m, V2_REGION_END, e->arg, e->str, e->stack); break;
    default: PUT(m, V2_USER_LOG, e->arg, e->str, e->stack2, e->stack);
    }
}

static void sample(struct slice *s, const struct ev *e)
{
    const uint32_t m = thread(s, e->m);
    if (!s->on)
        return;
    const struct slice_sample x = {{now(s), m ? s->m[m].id : V2_NO_THREAD,
                                    room(s, p, e->p) ? s->p[e->p].id : UINT64_MAX,
                                    room(s, g, e->g) ? s->g[e->g].id : 0, e->stack}};
    use(s, stack, e->stack);
    s->oom |= !mem_add(s->sample, s->capsample, s->nsample, x);
}

static void m_new(struct slice *s, const struct ev *e)
{
    const uint32_t m = thread(s, e->m);
    if (m)
        s->m[m].id = e->arg;
}

void slice_take(struct slice *s, const struct ev *e)
{
    typedef void take_fn(struct slice *, const struct ev *);
    static take_fn *const take[EVK_KINDS] = {
        [EVK_G_CREATE] = g_create, [EVK_G_STATUS] = g_status,  [EVK_G_STATE] = g_state,
        [EVK_G_LABEL] = put_label, [EVK_P_STATE] = p_state,    [EVK_M_NEW] = m_new,
        [EVK_RANGE_BEGIN] = range, [EVK_RANGE_ACTIVE] = range, [EVK_RANGE_END] = range,
        [EVK_METRIC] = put_series, [EVK_TASK_BEGIN] = user,    [EVK_TASK_END] = user,
        [EVK_REGION_BEGIN] = user, [EVK_REGION_END] = user,    [EVK_LOG] = user,
        [EVK_SAMPLE] = sample};
    const bool tells =
        e->kind == EVK_G_CREATE || e->kind == EVK_G_STATUS || e->kind == EVK_P_STATE || e->kind == EVK_M_NEW;
    s->lost = e->kind == EVK_LOST || e->kind == EVK_GAP;
    if (take[e->kind] && (tells || !s->over))
        take[e->kind](s, e);
}

/* ---- the range's ends ---------------------------------------------------------------------------------- */

static void begin_p(struct slice *s, struct slice_p *q)
{
    q->seq = 0;
    PUT(q->m, V2_PROC_STATUS, q->id, q->status);
    s->now++;
    if (q->sweep)
        PUT(q->m, V2_GC_SWEEP_ACTIVE, q->id);
    s->now += q->sweep;
}

static void begin_g(struct slice *s, uint32_t g)
{
    struct slice_g *x = &s->g[g];
    const bool runs = x->state == ST_RUNNING;
    x->seq = 0;
    put_status(s, g);
    s->now++;
    if (x->assist)
        PUT(x->m, V2_GC_ASSIST_ACTIVE, x->id);
    if (runs && x->label)
        PUT(x->m, V2_GO_LABEL, x->label);
    if (runs && x->stw)
        PUT(x->m, V2_STW_BEGIN, x->kind, x->kind_stack);
    x->stw &= runs;
    s->now++;
}

int64_t slice_begin(struct slice *s, int64_t from)
{
    size_t n = 16;
    for (size_t i = 0; i < s->capg; i++)
        n += s->g[i].state != ST_NONE ? 3 : 0;
    for (size_t i = 0; i < s->capp; i++)
        n += s->p[i].status ? 3 : 0;
    s->on = true;
    s->gc_seq = 1;
    n = (n / s->unit + 3) * s->unit;
    s->now = from - (int64_t)n;
    if (s->gc)
        PUT(0, V2_GC_ACTIVE, s->gc_seq);
    s->now++;
    for (size_t i = 0; i < s->capp; i++)
        if (s->p[i].status && !s->p[i].m)
            begin_p(s, &s->p[i]);
    for (size_t i = 0; i < s->capg; i++)
        if (s->g[i].state != ST_NONE && !s->g[i].m)
            begin_g(s, (uint32_t)i);
    for (size_t i = 0; i < s->capm; i++) {
        if (s->m[i].p)
            begin_p(s, &s->p[s->m[i].p - 1]);
        if (s->m[i].g)
            begin_g(s, s->m[i].g - 1);
    }
    const uint32_t m = busy_thread(s, 0);
    metric_put(s, m, METRIC_PROCS); /* first, as the runtime does */
    for (int k = 0; k < METRIC_COUNT; k++)
        if (k != METRIC_PROCS)
            metric_put(s, m, k);
    return (int64_t)n;
}

void slice_pin(struct slice *s)
{
    uint32_t found = EV_NONE;
    for (size_t i = 0; i < s->capg; i++)
        if (s->g[i].state != ST_NONE && (found == EV_NONE || s->g[found].m))
            found = (uint32_t)i;
    if (found != EV_NONE)
        put_status(s, found);
}

void slice_keep(struct slice *s, struct outlet *out)
{
    for (uint32_t i = 0; i < s->capm; i++)
        close_batch(s, i);
    if (!s->oom)
        outlet_put(out, s->held.p, s->held.n);
    s->held.n = 0;
}

void slice_drop(struct slice *s, size_t nsample)
{
    for (size_t i = 0; i < s->capm; i++)
        s->m[i].n = 0;
    s->held.n = 0;
    s->nsample = nsample;
}

/* ---- tables -------------------------------------------------------------------------------------------- */

void slice_head(struct slice *s, struct outlet *out, const struct v2_raw_clock *snap)
{
    uint8_t buf[64];
    size_t n = 0;
    s->now = (int64_t)snap->at;
    if (s->version >= GO_125)
        buf[n++] = V2R_SYNC;
    buf[n++] = V2R_FREQ;
    n += v2_put_numbers(buf + n, (uint64_t[]){s->freq}, 1);
    if (s->version >= GO_125) {
        buf[n++] = V2R_SNAPSHOT;
        n += v2_put_numbers(buf + n, (uint64_t[]){0, snap->mono, snap->sec, snap->nsec}, 4);
    }
    v2_put_batch(
        out, &(struct v2_raw_batch){.gen = 1, .m = V2_NO_THREAD, .time = now(s), .p = buf, .end = buf + n});
}

static void put_stack(struct slice *s, struct v2_put *w, uint32_t id)
{
    uint8_t buf[V2_RAW_FRAMES * 40];
    uint32_t n = names_depth(s->names, id);
    size_t len = 0;
    n = n < V2_RAW_FRAMES ? n : V2_RAW_FRAMES;
    for (uint32_t i = 0; i < n; i++) {
        const struct frame f = names_frame(s->names, id, i);
        use(s, str, f.func);
        use(s, str, f.file);
        len += v2_put_numbers(buf + len, (uint64_t[]){f.pc, f.func, f.file, f.line}, 4);
    }
    v2_put_entry(w, V2R_STACK, (uint64_t[]){id, n}, 2, buf, len);
}

static void put_tables(struct slice *s, struct v2_put *w)
{
    const uint64_t t = now(s);
    v2_put_open(w, V2_NO_THREAD, t, V2R_SAMPLES);
    for (size_t i = 0; i < s->nsample; i++)
        v2_put_entry(w, V2R_SAMPLE, s->sample[i].v, 5, NULL, 0);
    v2_put_close(w);
    v2_put_open(w, V2_NO_THREAD, t, V2R_STACKS);
    for (uint32_t i = 1; i < s->capstack; i++)
        if (s->stack[i])
            put_stack(s, w, i);
    v2_put_close(w);
    v2_put_open(w, V2_NO_THREAD, t, V2R_STRINGS);
    for (uint32_t i = 1; i < s->capstr; i++) {
        const struct str x = names_get(s->names, i);
        const size_t len = x.len < V2_RAW_STRING ? x.len : V2_RAW_STRING;
        if (s->str[i])
            v2_put_entry(w, V2R_STRING, (uint64_t[]){i, len}, 2, x.p, len);
    }
    v2_put_close(w);
}

void slice_tail(struct slice *s, struct outlet *out)
{
    struct v2_put *w = mem_zalloc(sizeof *w);
    s->oom |= !w;
    if (!w)
        return;
    w->out = out;
    w->gen = 1;
    put_tables(s, w);
    if (s->version >= GO_126)
        outlet_put(out, &(uint8_t){V2R_END}, 1);
    mem_free(w);
}

void slice_free(struct slice *s)
{
    for (size_t i = 0; i < s->capm; i++)
        mem_free(s->m[i].buf);
    mem_free(s->g);
    mem_free(s->p);
    mem_free(s->m);
    mem_free(s->sample);
    mem_free(s->str);
    mem_free(s->stack);
    mem_free(s->held.p);
    memset(s, 0, sizeof *s);
}
