/* legs.c - see legs.h. */
#include "triage/findings/trails.h"

#include "decode/base/rows.h"
#include "decode/base/mem.h"
#include "decode/base/order.h"
#include "triage/findings/requests.h"
#include "triage/tables/slices.h"

#define HELPERS 8  /* consecutive goroutines without evidence */
#define GLANCES 16 /* pieces of evidence that cost as much as a span */
#define BEFORE 16  /* spans read to find what a goroutine waited for before it began a task */

struct workpiece workpiece_of_task(const struct trace *tr, size_t task)
{
    const struct task *k;
    (void)trace_tasks(tr, &k);
    return (struct workpiece){k[task].t0, k[task].t1, k[task].g != NO_LANE ? k[task].g : k[task].g_end,
                              (uint32_t)task};
}

struct workpiece workpiece_at(const struct trace *tr, uint32_t g, int64_t t0, int64_t t1)
{
    const struct task *k;
    const size_t n = trace_tasks(tr, &k);
    for (size_t lo = bisected(n, i, k[i].t0 < t0); lo < n && lo < NO_TASK && k[lo].t0 == t0; lo++) {
        const struct workpiece w = workpiece_of_task(tr, lo);
        if (w.t1 == t1 && w.g == g)
            return w;
    }
    return workpiece_of_g(g, t0, t1);
}

void legs_free(struct legs *l)
{
    mem_free(l->v);
    *l = (struct legs){0};
}

/* ---- evidence of a task -------------------------------------------------------------------------------- */

struct way { /* of one task */
    struct trails *x;
    const struct task *k;
    int64_t t0, t1;
    uint32_t more; /* a stack: what the goroutine that began it waits for between tasks; 0: unknown */
    uint64_t *spans;
    unsigned glances;
    struct legs *out; /* last to first */
};

static bool spend(struct way *w)
{
    *w->spans -= *w->spans > 0;
    w->out->cut |= *w->spans == 0;
    return *w->spans > 0;
}

static bool glance(struct way *w)
{
    return ++w->glances % GLANCES ? *w->spans > 0 : spend(w);
}

/* Returns how much evidence lies before goroutine g at t: what g has until then is right before that. */
static size_t before(const struct trails *x, uint32_t g, int64_t t)
{
    const struct evidence *e = x->by_g;
    return bisected(x->n, i, e[i].g < g || (e[i].g == g && e[i].t < t));
}

static bool is_of(const struct trails *x, uint32_t place, uint32_t of)
{
    return place >= of && place - of < x->size[of];
}

/* True if it is of the task, a subtask, or what it is a subtask of. */
static bool mine(const struct trails *x, const struct evidence *e)
{
    return is_of(x, e->task, x->asked) || is_of(x, x->asked, e->task);
}

ORDER(cmp_evidence, struct evidence, LEAST(r->t) LEAST(r->g))

/* Select a task: gather its evidence and that of its subtasks. Returns false if out of memory. */
static bool ask(struct way *w, uint32_t place)
{
    struct trails *x = w->x;
    x->asked = place;
    x->nown = 0;
    size_t lo = bisected(x->n, i, x->by_g[x->by_task[i]].task < place);
    for (; lo < x->n && is_of(x, x->by_g[x->by_task[lo]].task, place) && glance(w); lo++) {
        const struct evidence *e = &x->by_g[x->by_task[lo]];
        if (!mem_room(x->own, x->cap_own, x->nown + 1))
            return false;
        x->own[x->nown] = *e;
        x->nown += e->t >= w->t0 && e->t <= w->t1;
    }
    if (x->size[place] > 1 && x->nown > 1)
        sort(x->own, x->nown, cmp_evidence);
    return true;
}

/* Returns goroutine g's last evidence of the task at or before t, or NO_TIME. */
static int64_t had(struct way *w, uint32_t g, int64_t t)
{
    for (size_t i = before(w->x, g, t + 1); i-- > 0 && w->x->by_g[i].g == g && w->x->by_g[i].t >= w->t0;) {
        if (mine(w->x, &w->x->by_g[i]))
            return w->x->by_g[i].t;
        if (!glance(w))
            break;
    }
    return NO_TIME;
}

/* Returns the time from which goroutine g had the task that it has at t: its first evidence in an unbroken
 * row, or t. *busy: when it last worked for another task before, or the task's begin. */
static int64_t stay(struct way *w, uint32_t g, int64_t t, int64_t *busy)
{
    const struct trails *x = w->x;
    int64_t first = t;
    *busy = w->t0;
    for (size_t i = before(x, g, t + 1); i-- > 0 && x->by_g[i].g == g && x->by_g[i].t >= w->t0;) {
        if (!mine(x, &x->by_g[i])) {
            if (first == t && x->by_g[i].t == t)
                continue; /* a subtask's end and the next one's begin, say: neither is before the other */
            *busy = x->by_g[i].t;
            break;
        }
        first = x->by_g[i].t;
        if (!glance(w))
            break;
    }
    return first;
}

/* ---- hand-overs ---------------------------------------------------------------------------------------- */

struct taken {   /* how a goroutine came to the task */
    int64_t t;   /* NO_TIME: not seen */
    uint32_t by; /* the goroutine that unblocked or created it; NO_LANE: unknown */
};

/* Returns the stack of goroutine g's last wait before t; 0: unknown. */
static uint32_t waited_for(struct way *w, uint32_t g, int64_t t)
{
    struct span_iter *it = &w->x->it;
    if (!span_seek_at(it, w->x->tr, lane_g(g), t))
        return 0;
    for (int i = 0; i < BEFORE && span_prev(it) && spend(w); i++)
        if (span_get(it)->state == ST_WAITING)
            return span_get(it)->stack;
    return 0;
}

/* True if that is a wait for more work. */
static bool wants_more(const struct way *w, uint32_t g, uint32_t name, const struct span *s)
{
    return (g == w->k->g && s->stack && s->stack == w->more) ||
           waits_for_more(w->x->tr, name, s->reason, s->stack);
}

/* Find when goroutine g, which has had the task since `first` or earlier, received it, at lo or later. */
static struct taken take_up(struct way *w, uint32_t g, int64_t lo, int64_t first)
{
    const struct trace *tr = w->x->tr;
    const struct lane lane = lane_g(g);
    const struct lane_info li = trace_lane(tr, lane);
    const uint32_t name = trace_g_name(tr, g);
    struct taken out = {NO_TIME, NO_LANE};
    struct span_iter *it = &w->x->it;
    struct span next = {.state = ST_NONE, .who = NO_LANE};
    if (li.created && li.first >= lo)
        return (struct taken){li.first, li.creator};
    if (!span_seek_on(it, tr, lane, first))
        return out;
    do {
        const struct span s = *span_get(it);
        if (s.t1 < lo || !spend(w))
            break;
        if (s.state == ST_WAITING && s.t1 <= first && !s.open_end) {
            const uint32_t by = next.state == ST_RUNNABLE && next.who != g ? next.who : NO_LANE;
            if (wants_more(w, g, name, &s))
                return (struct taken){s.t1, by};
            if (by != NO_LANE && had(w, by, s.t1) != NO_TIME)
                out = (struct taken){s.t1, by}; /* the earliest of them */
        }
        next = s;
    } while (span_prev(it));
    return out;
}

/* Find when goroutine g, whose last evidence of the task is at `since`, was done with it, when `to` took it
 * up at `taken`: it worked for another task, waited for what it had waited for before, or was just then
 * waiting for something other than `to`. */
static int64_t done_with(struct way *w, uint32_t g, int64_t since, uint32_t to, int64_t taken)
{
    const struct trace *tr = w->x->tr;
    const struct lane lane = lane_g(g);
    const uint32_t name = trace_g_name(tr, g), more = waited_for(w, g, since);
    struct span_iter *it = &w->x->it;
    int64_t end = taken;
    for (size_t i = before(w->x, g, since + 1); i < w->x->n && w->x->by_g[i].g == g && w->x->by_g[i].t < end;
         i++) {
        if (!mine(w->x, &w->x->by_g[i]))
            end = w->x->by_g[i].t;
        if (!glance(w))
            break;
    }
    if (!span_seek_on(it, tr, lane, since))
        return end;
    for (bool go = true; go && span_get(it)->t0 < end && spend(w);) {
        const struct span s = *span_get(it);
        go = span_next(it);
        if (s.state != ST_WAITING || s.t0 < since)
            continue;
        const uint32_t by = go && span_get(it)->state == ST_RUNNABLE ? span_get(it)->who : NO_LANE;
        if ((more && s.stack == more) || (s.t1 >= taken && by != to) || wants_more(w, g, name, &s))
            return s.t0;
    }
    const int64_t last = trace_lane(tr, lane).last;
    return last < end && last >= since ? last : end;
}

/* ---- backwards through the goroutines ------------------------------------------------------------------ */

static bool put_leg(struct legs *l, uint32_t g, bool queued, int64_t t0, int64_t t1)
{
    struct leg *last = l->n ? &l->v[l->n - 1] : NULL;
    if (t1 <= t0)
        return true;
    if (last && last->g == g && last->queued == queued && last->t0 == t1) {
        last->t0 = t0;
        return true;
    }
    const bool ok = mem_room(l->v, l->cap, l->n + 1);
    l->failed |= !ok;
    if (ok)
        l->v[l->n++] = (struct leg){t0, t1, g, queued};
    return ok;
}

/* Returns the goroutine other than g with the last evidence of the task at or before t, or NO_LANE; *at:
 * its time. */
static uint32_t one_before(struct way *w, uint32_t g, int64_t t, int64_t *at)
{
    const struct trails *x = w->x;
    size_t lo = bisected(x->nown, i, x->own[i].t <= t);
    while (lo-- > 0 && glance(w)) {
        if (x->own[lo].g != g) {
            *at = x->own[lo].t;
            return x->own[lo].g;
        }
    }
    return NO_LANE;
}

/* Goroutine *g has the task until *t: add its leg, and find which goroutine had it before, until when.
 * Returns false if it had the task from the begin, *t, or the one before is unknown. */
static bool leg_back(struct way *w, uint32_t *g, int64_t *t)
{
    const uint32_t ng = trace_nlanes(w->x->tr, LANE_G), to = *g;
    const size_t legs = w->out->n;
    int64_t busy, at = 0, first = stay(w, to, *t, &busy);
    uint32_t cur = to;
    if (first <= w->t0)
        return false;
    const int64_t had_since = first;
    int64_t woken = NO_TIME;
    for (int n = 0; n <= HELPERS && cur < ng; n++) {
        const struct taken k = take_up(w, cur, n ? w->t0 : busy, first);
        woken = n ? woken : k.t;
        if (k.t == NO_TIME || k.by >= ng || !put_leg(w->out, cur, false, k.t, n ? first : *t))
            break;
        cur = k.by;
        first = k.t;
        if (had(w, cur, first) != NO_TIME) {
            *g = cur;
            *t = first;
            return true;
        }
    }
    w->out->n = legs; /* they lead nowhere */
    const uint32_t from = one_before(w, to, had_since, &at);
    if (from == NO_LANE)
        return false;
    const int64_t taken = woken > at  ? woken
                          : busy > at ? busy
                                      : had_since,
                  gone = done_with(w, from, at, to, taken);
    (void)put_leg(w->out, to, false, taken, *t);
    (void)put_leg(w->out, to, true, gone, taken);
    *g = from;
    *t = gone;
    return true;
}

static bool turn_round(struct legs *l)
{
    for (size_t i = 0, k = l->n; i + 1 < k; i++) {
        const struct leg v = l->v[i];
        l->v[i] = l->v[--k];
        l->v[k] = v;
    }
    return !l->failed;
}

bool legs_of(struct trails *x, const struct workpiece *p, uint64_t *spans, struct legs *out)
{
    out->n = 0;
    out->cut = out->failed = false;
    if (p->task == NO_TASK || !x || p->task >= x->ntasks)
        return p->g == NO_LANE || put_leg(out, p->g, false, p->t0, p->t1);
    struct way w = {x, &x->task[p->task], p->t0, p->t1, 0, spans, 0, out};
    w.more = w.k->g != NO_LANE ? waited_for(&w, w.k->g, p->t0) : 0;
    if (!ask(&w, x->place[p->task]))
        return false;
    /* the goroutine that had it last */
    uint32_t g = w.k->g_end != NO_LANE ? w.k->g_end : x->nown ? x->own[x->nown - 1].g : w.k->g;
    int64_t t = p->t1;
    if (g == NO_LANE)
        return true;
    for (size_t i = 0; i <= x->nown + 1 && t > w.t0 && *spans && leg_back(&w, &g, &t); i++)
        if (!slices_tick())
            return false;
    return put_leg(out, g, false, w.t0, t) && turn_round(out);
}
