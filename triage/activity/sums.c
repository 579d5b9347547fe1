/*
 * sums.c - see sums.h. Tables are dense arrays by string number: a trace has few names.
 *
 * Exactness: a goroutine's states come from trace_shares(), so their sum is the length of the range for each.
 * Places count the part of a span that lies in the range; when a step limit cuts that walk, the text says so.
 */

#include "triage/activity/sums.h"

#include <stdlib.h>
#include <string.h>

#include "decode/base/host.h"
#include "decode/base/mem.h"
#include "triage/activity/gstate.h"
#include "triage/activity/window.h"
#include "triage/tables/stacks.h"
#include "triage/triage.h"

const enum state sums_collects[COLLECTS] = {ST_GCWORK, ST_ASSIST, ST_SWEEP};

enum { CHUNK = 1024, WALK_MOST = 20000000 };

static void add_shares(struct shares *sum, bool *timed, const struct shares *sh, bool are_timed)
{
    for (int k = 0; k < ST_COUNT; k++) /* times are as large as a file claims */
        sum->ns[k] = time_add(sum->ns[k], sh->ns[k]);
    *timed |= are_timed;
}

/* Adds at most so many more processors. */
static void add_procs(struct sums *s, uint32_t most)
{
    for (uint32_t n = trace_nlanes(s->tr, LANE_P); s->proc < n && most; s->proc++, most--) {
        struct shares sh;
        const struct lane l = {LANE_P, s->proc};
        trace_shares(s->tr, l, s->t0, s->t1, &sh);
        const bool timed = tri_any_timed(s->tr, l, s->t0, s->t1, sh.ns[ST_SYSCALL]);
        add_shares(&s->procs, &s->procs_timed, &sh, timed);
    }
}

struct sums *sums_new(const struct trace *tr, struct gstate *const *gs, struct alive *alive, int64_t t0,
                      int64_t t1)
{
    struct sums *s = mem_zalloc(sizeof *s);
    if (!s)
        return NULL;
    s->tr = tr;
    s->gs = gs;
    s->alive = alive;
    s->lane = (struct lane){LANE_G, NO_LANE}; /* none yet */
    s->t0 = t0;
    s->t1 = t1;
    s->nstr = trace_nstr(tr);
    s->func = mem_zalloc(((size_t)s->nstr + 1) * sizeof *s->func);
    s->place = mem_zalloc(((size_t)s->nstr + 1) * sizeof *s->place);
    if (!s->func || !s->place) {
        sums_free(s);
        return NULL;
    }
    add_procs(s, 256);
    return s;
}

void sums_lane(struct sums *s, struct lane l, bool group)
{
    s->group = group;
    if (s->lane.kind == l.kind && s->lane.i == l.i)
        return;
    s->lane = l;
    s->mine = (struct shares){{0}};
    if (l.i < trace_nlanes(s->tr, l.kind))
        gstate_shares(*s->gs, s->tr, l, s->t0, s->t1, &s->mine);
    s->mine_timed = tri_any_timed(s->tr, l, s->t0, s->t1, s->mine.ns[ST_SYSCALL]);
}

void sums_free(struct sums *s)
{
    if (!s)
        return;
    mem_free(s->func);
    mem_free(s->place);
    mem_free(s);
}

bool sums_is(const struct sums *s, int64_t t0, int64_t t1)
{
    return s && s->t0 == t0 && s->t1 == t1;
}

/* ---- adding up ----------------------------------------------------------------------------------------- */

static void rank(struct sums *s, int by, const struct sums_row *r)
{
    struct sums_row *top = s->top[by];
    int n = s->ntop[by];
    if (!r->ns[by] || (by == BY_SYSCALL && !r->timed) || (n == SUMS_KEPT && top[n - 1].ns[by] >= r->ns[by]))
        return;
    int i = n < SUMS_KEPT ? n : SUMS_KEPT - 1;
    for (; i > 0 && top[i - 1].ns[by] < r->ns[by]; i--)
        top[i] = top[i - 1];
    top[i] = *r;
    s->ntop[by] = n < SUMS_KEPT ? n + 1 : SUMS_KEPT;
}

static void add_lane(struct sums *s, uint32_t g, const struct lane_info *li)
{
    struct shares sh;
    struct sums_row r = {.count = 1, .key = g};
    gstate_shares(*s->gs, s->tr, (struct lane){LANE_G, g}, s->t0, s->t1, &sh);
    r.timed = tri_any_timed(s->tr, (struct lane){LANE_G, g}, s->t0, s->t1, sh.ns[ST_SYSCALL]);
    sh.ns[ST_NONE] = 0;
    add_shares(&s->all, &s->all_timed, &sh, r.timed);
    r.ns[BY_RUNNING] = sh.ns[ST_RUNNING] + sh.ns[ST_GCWORK] + sh.ns[ST_ASSIST] + sh.ns[ST_SWEEP];
    for (int k = 0; k < COLLECTS; k++)
        r.collected[k] = sh.ns[sums_collects[k]];
    r.ns[BY_RUNNABLE] = sh.ns[ST_RUNNABLE];
    s->runtime_ready = time_add(s->runtime_ready, li->is_system ? sh.ns[ST_RUNNABLE] : 0);
    r.ns[BY_WAITING] = sh.ns[ST_WAITING];
    r.ns[BY_SYSCALL] = sh.ns[ST_SYSCALL];
    struct sums_row *f = &s->func[li->name < s->nstr ? li->name : 0];
    f->count++;
    f->timed |= r.timed;
    for (int k = 0; k < COLLECTS; k++)
        f->collected[k] = time_add(f->collected[k], r.collected[k]);
    for (int k = 0; k < BY_COUNT; k++) {
        f->ns[k] = time_add(f->ns[k], r.ns[k]);
        rank(s, k, &r);
    }
    s->lanes++;
}

/* Adds the places where it waited. Returns true at the end of the lane. */
static bool add_places(struct sums *s, uint32_t g)
{
    struct span_iter it;
    struct lane l = {LANE_G, g};
    if (!(s->in_lane ? span_seek_index(&it, s->tr, l, s->sub) : span_seek(&it, s->tr, l, s->t0)))
        return true;
    if (!s->in_lane)
        s->on = NO_LANE;
    s->in_lane = true;
    for (int i = 0; i < CHUNK; i++) {
        const struct span *p = span_get(&it);
        int64_t a = p->t0 > s->t0 ? p->t0 : s->t0, b = p->t1 < s->t1 ? p->t1 : s->t1;
        if (p->t0 >= s->t1)
            return true;
        if (b > a && p->stack && (p->state == ST_WAITING || p->state == ST_SYSCALL)) {
            uint32_t f = stacks_function(s->tr, p->stack, true);
            struct sums_row *r = &s->place[f < s->nstr ? f : 0];
            r->count++;
            const int by = p->state == ST_SYSCALL ? BY_SYSCALL : BY_WAITING;
            r->ns[by] = time_add(r->ns[by], b - a);
            r->timed |= p->state == ST_SYSCALL && !tri_untimed(s->tr, p->t1 - p->t0);
        }
        if (p->state == ST_RUNNING && p->who != NO_LANE) {
            s->moves += s->on != NO_LANE && p->who != s->on;
            s->on = p->who;
        }
        s->walked++;
        s->sub = p->index + 1;
        if (!span_next(&it))
            return true;
    }
    return false;
}

/* Adds the current goroutine, or as much of it as one step takes. Returns true if that may have taken
 * long. */
static bool add_some(struct sums *s)
{
    enum { LONG = 64 }; /* spans: many blocks to unpack */
    struct lane_info li = trace_lane(s->tr, (struct lane){LANE_G, s->at});
    bool lives = li.nspans && li.first < s->t1 && li.last > s->t0, over = true;
    if (lives) {
        if (!s->in_lane)
            add_lane(s, s->at, &li);
        s->cut |= s->walked >= WALK_MOST;
        over = s->cut || add_places(s, s->at);
    }
    if (over) {
        s->at++;
        s->in_lane = false;
    }
    return lives && li.nspans > LONG;
}

bool sums_step(struct sums *s, int64_t budget_ns)
{
    int64_t until = host_until(budget_ns);
    uint32_t n = trace_nlanes(s->tr, LANE_G);
    while (s->proc < trace_nlanes(s->tr, LANE_P)) {
        add_procs(s, 32);
        if (host_over(until))
            return false;
    }
    for (int i = 0; !s->done && s->at < n; i++) {
        const bool longer =
            (s->in_lane ||
             alive_some(s->alive, &(struct alive_ask){s->tr, LANE_G, s->t0, s->t1, n}, &s->at)) &&
            add_some(s);
        if ((i % 8 == 7 || longer) && host_over(until))
            return s->done = s->at >= n;
    }
    s->at = n;
    return s->done = true;
}

int sums_share(const struct sums *s)
{
    uint32_t n = trace_nlanes(s->tr, LANE_G);
    return s->done || !n ? 100 : (int)((uint64_t)s->at * 100 / n);
}
