/*
 * g_spans.c - counts what a goroutine did into a subtotal: its waits, contention pairs, system calls and
 * scheduler latency.
 *
 * All spans of a trace pass through here one by one, so the common work is one short loop whose sums are
 * stored once a block; rare work is in separate functions.
 *
 * Invariants. A wait is counted in its pair when the next span shows which goroutine ended it. Waits and
 * calls of the runtime's own goroutines count only in their groups: they are not contention of the program.
 */
#include "triage/tables/g_walk.h"

#include <string.h>

#include "decode/base/mem.h"

/* ---- processors --------------------------------------------------------------------------------------- */

static inline void moved_on(struct g_walk *w, const struct span_run *r, uint32_t i)
{
    struct moved *const m = &w->moved;
    const uint32_t p = span_run_p(r, i);
    if (!p || p == m->p)
        return;
    m->n += m->p || (w->on != NO_LANE && span_run_who(r, i) != w->on);
    m->p = p;
    m->at = i;
}

static inline void moved_end(struct g_walk *w, const struct span_run *r)
{
    struct moved *const m = &w->moved;
    if (m->p)
        w->on = span_run_who(r, m->at);
    w->tg->moves[w->g] += m->n; /* no two subtotals share a goroutine */
    w->y->groups[w->y->group].moves += m->n;
    *m = (struct moved){0};
}

/* ---- waits -------------------------------------------------------------------------------------------- */

/* Counts it with those of its group for that reason. */
static inline bool note_reason(struct g_walk *w, uint32_t reason, int64_t ns)
{
    struct group_part *p = &w->y->groups[w->y->group];
    struct lately *l = &p->reasons[reason % REASONS];
    if (l->key != reason || !l->row)
        *l = (struct lately){reason, subtotal_wait_of(w->y, p->group, reason) + 1};
    if (!l->row) /* out of memory: TAB_NONE + 1 */
        return false;
    struct wait_of *of = &w->y->wait_of[l->row - 1];
    of->count++;
    of->total = ns_more(of->total, ns);
    of->longest = ns > of->longest ? ns : of->longest;
    return true;
}

static RARELY bool walk_waiting(struct g_walk *w, struct at s, int64_t t0, int64_t t1)
{
    const uint32_t reason = s.run->kind[s.run->tag[s.i]].reason;
    if (!note_reason(w, reason, t1 - t0))
        return false;
    if (w->system)
        return true;
    w->wait = (struct waited){t0, t1, reason, stack_of(s)};
    if (w->cond_pair != TAB_NONE && w->cond_stack == w->wait.stack && w->cond_run < FUTILE_RUN) {
        const bool ok = note_futile(w, t0);
        w->cond_pair = TAB_NONE;
        return ok;
    }
    return true;
}

/* ---- system calls ------------------------------------------------------------------------------------- */

/* Counts it in row w->call. */
static inline void call_add(struct g_walk *w, int64_t t0, int64_t t1, bool open)
{
    struct syscall_row *r = &w->y->syscalls[w->call];
    r->count++;
    r->open += open;
    r->total = ns_more(r->total, t1 - t0);
    longer(&r->longest, t0, t1, w->g, r->count);
}

static RARELY uint32_t syscall_row_of(struct g_walk *w, uint32_t stack)
{
    struct subtotal *y = w->y;
    struct lately *l = &y->lately_call[stack * 0x9e3779b1u >> 24];
    bool made;
    if (l->row && l->key == stack)
        return l->row - 1;
    struct syscall_row *r =
        tab_row(&y->by_syscall, y->syscalls, y->nsyscalls, y->cap_syscalls, stack, 0, &made);
    if (!r)
        return TAB_NONE;
    r->stack = stack;
    *l = (struct lately){stack, (uint32_t)(r - y->syscalls) + 1};
    return l->row - 1;
}

static RARELY bool walk_syscall(struct g_walk *w, struct at s, int64_t t0, int64_t t1)
{
    const uint32_t stack = stack_of(s);
    w->y->groups[w->y->group].timed |= t1 - t0 > 1;
    w->cond_pair = TAB_NONE; /* a goroutine that made a call was not woken in vain */
    if (w->system)
        return true;
    if (w->call == TAB_NONE || w->y->syscalls[w->call].stack != stack) {
        w->call = syscall_row_of(w, stack);
        if (w->call == TAB_NONE)
            return false;
    }
    call_add(w, t0, t1, open_end(s));
    return true;
}

/* ---- runnable ----------------------------------------------------------------------------------------- */

/* Counts a runnable span; since: its start is known. */
static inline void walk_runnable(struct g_walk *w, bool since, const struct time_of *x)
{
    const int64_t ns = x->t1 - x->t0;
    if (since && !w->system)
        hist_add(&w->y->sched, ns);
    if (x->was == ST_SYSCALL && !w->system)
        w->y->syscalls[w->call].blocking++;
    if (ns > w->y->worst.least && since && !w->system)
        longest_add(&w->y->worst, x);
}

/* ---- spans -------------------------------------------------------------------------------------------- */

/* Updates the mode in which a mark worker runs. */
static RARELY void count_modes(struct g_walk *w, const struct span_run *r)
{
    for (uint32_t i = 0; i < r->n; i++) {
        const struct span_tag *kind = &r->kind[r->tag[i]];
        w->mode = gc_mode_next(w->tg->tr, w->mode, kind);
        if (tri_is_exec(kind->state))
            w->y->label_ns[w->mode] = ns_add(w->y->label_ns[w->mode], r->dur[i]);
    }
}

bool g_spans(struct g_walk *w, const struct span_run *r)
{
    const int64_t *const dur = r->dur;
    const uint32_t *const tag = r->tag, n = r->n;
    const struct span_tag *const kind = r->kind;
    /* the spans of a run fit into their lane, so these sums cannot overflow */
    int64_t exec = 0, runnable = 0, waiting = 0, call = 0, unknown = 0;
    int64_t t = r->t0;
    uint8_t was = w->was;
    if (w->worker)
        count_modes(w, r);
    for (uint32_t i = 0; i < n; i++) {
        const struct at s = {r, i};
        const uint8_t before = was;
        const int64_t t0 = t, ns = dur[i];
        was = kind[tag[i]].state;
        t += ns;
        if (before == ST_WAITING && !w->system && !note_waited(w, s, was))
            return false;
        if (tri_is_exec(was)) { /* every second one */
            exec += ns;
            moved_on(w, r, i);
            w->cond_run += ns;
        } else if (was == ST_RUNNABLE) {
            runnable += ns;
            walk_runnable(w, i || !r->open_start, &(struct time_of){t0, t, w->g, before});
        } else if (was == ST_WAITING) {
            waiting += ns;
            if (!walk_waiting(w, s, t0, t))
                return false;
        } else if (was == ST_SYSCALL) {
            call += ns;
            if (!walk_syscall(w, s, t0, t))
                return false;
        } else if (was == ST_UNKNOWN) {
            unknown += ns;
        }
    }
    count(w, GM_EXEC, exec);
    count(w, GM_SCHED, runnable);
    count(w, GM_WAIT, waiting);
    count(w, GM_SYSCALL, call);
    count(w, GM_UNKNOWN, unknown);
    w->ran += exec;
    w->called += call;
    moved_end(w, r);
    w->was = was;
    w->open = r->open_end;
    return true;
}

bool g_spans_end(struct g_walk *w)
{
    return w->was != ST_WAITING || w->system || note_wait(w, w->open ? WAIT_OPEN : WAIT_OVER);
}
