/*
 * call_rows.c - see call_rows.h.
 */
#include "triage/findings/asks.h"
#include "triage/findings/call_rows.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"

#define STEPS 20000 /* spans of a goroutine */
#define TASKS 128   /* of all that there are */
#define RAN_ROWS 3  /* of one goroutine, between runs */

static void row_end(struct rows *r, uint32_t *now, bool bounded)
{
    if (*now && bounded) {
        const uint32_t i = *now < ROW_MOST ? *now : ROW_MOST;
        r->len[i]++;
        r->in[i] += *now;
        r->n++;
    }
    *now = 0;
}

/*
 * Rows of one goroutine that begin or end where it only ran for longer than usual. A host that takes processors away for a moment makes
 * such ends, too, and of all goroutines at once, so that their rows are even alike: what the program does comes again in each.
 */
static void rows_by_runs(struct rows *r, const struct rows *ran)
{
    if (ran->n < RAN_ROWS) {
        return;
    }
    for (uint32_t i = 1; i <= ROW_MOST; i++) {
        r->len[i] += ran->len[i];
        r->in[i] += ran->in[i];
    }
    r->n += ran->n;
}

/*
 * Was a wait of goroutine g that lasted until t ended by a goroutine of that start function? `behind` is the span behind it, read
 * already; only where that took no time the one behind it must be looked for.
 */
static bool ended_by(const struct causes *c, uint32_t g, int64_t t, const struct span *behind, uint32_t name)
{
    struct span s;
    if (behind->t0 != t || behind->t1 == t) {
        behind = trace_span_at(c->tr, (struct lane){LANE_G, g}, t, &s) ? &s : NULL;
    }
    return behind && behind->state == ST_RUNNABLE && behind->who < c->tg->ng &&
           c->tg->groups[gstat_group(c->tg->g, behind->who)].name == name;
}

/* The outermost function of the program's in a stack: of a server's goroutine, that begins in the library, the handler. */
uint32_t rows_root(const struct trace *tr, uint32_t stack)
{
    for (uint32_t i = trace_stack(tr, stack); i--;) {
        const uint32_t f = trace_frame(tr, stack, i).func;
        if (stacks_is_program(tr, f)) {
            return f;
        }
    }
    return 0;
}

/* root 0: any */
static bool is_of(const struct trace *tr, uint32_t stack, uint32_t place, uint32_t root)
{
    return causes_place(tr, stack) == place && (!root || rows_root(tr, stack) == root);
}

/*
 * A row ends where something else is waited for, longer than a call usually takes. What a goroutine does all its life is
 * no row, unless it is (nearly) the only one that does: `alone`.
 */
void rows_of(const struct causes *c, uint32_t g, const struct waits_at *p, uint32_t root, bool alone, struct rows *r)
{
    struct walk w;
    uint32_t now = 0, last = 0, stack = 0;
    int64_t usual = p->total / (int64_t)p->count, between = 0;
    bool bounded = alone, sent = false, by_run = false; /* by_run: the row begins behind a run */
    struct rows ran = {0};
    const bool own = p->most->kind != WK_NET && reader_ends(c, p->most);
    const struct span *next = walk_first(&w, c->tr, g, STEPS);
    for (struct span s; walk_pair(&w, &s, &next);) {
        if (s.state == ST_NONE) { /* where the row ends that goes on, and where the next one began, is not known */
            row_end(by_run && !alone ? &ran : r, &now, alone);
            bounded = alone;
            by_run = sent = false;
            between = 0;
        } else if (s.state == ST_WAITING) {
            enum wait_kind kind = stacks_wait_kind(c->tr, s.reason, s.stack);
            bool net = kind == WK_NET;
            if (!net && kind == p->most->kind && !ended_by(c, g, s.t1, next ? next : &s, p->most->waker)) {
                between += calls_connecting(c->tr, s.stack) ? 0 : s.t1 - s.t0; /* the same question's other waits */
            } else if (kind == p->most->kind && (s.stack == last || is_of(c->tr, s.stack, p->place, root))) {
                last = s.stack;
                if (between > usual) {
                    row_end(alone ? r : &ran, &now, bounded);
                    bounded = by_run = true;
                }
                now++;
                r->calls++;
                r->asked += sent || (!net && !own) || calls_connecting(c->tr, s.stack); /* the library's sends */
                between = 0;
            } else if (net || s.t1 - s.t0 > usual) {
                row_end(by_run && !alone ? &ran : r, &now, bounded);
                bounded = true;
                by_run = false;
                between = 0;
            } else {
                between += s.t1 - s.t0;
            }
            sent = false;
        } else {
            between += s.state == ST_RUNNABLE ? 0 : s.t1 - s.t0; /* a late processor is no other work */
            if (s.state == ST_SYSCALL && s.stack && !sent) {
                sent = s.stack == stack || causes_sends(c->tr, s.stack);
                stack = sent ? s.stack : stack;
            }
        }
    }
    row_end(r, &now, alone);
    rows_by_runs(r, &ran);
}

/* Where work is marked as tasks, a row is what one of them waits so. */
void rows_of_tasks(const struct causes *c, const struct waits_at *p, struct rows *r)
{
    const struct task *k;
    size_t n = trace_tasks(c->tr, &k);
    for (size_t i = 0, looked = 0; i < n && looked < TASKS; i += n / TASKS + 1, looked++) {
        struct span_iter it;
        uint32_t now = 0;
        bool whole = k[i].g < c->tg->ng && !k[i].open_start && !k[i].open_end;
        bool more = whole && span_seek(&it, c->tr, (struct lane){LANE_G, k[i].g}, k[i].t0);
        for (int steps = 0; more && steps < 500 && span_get(&it)->t0 < k[i].t1; steps++) {
            const struct span s = *span_get(&it);
            more = span_next(&it);
            now += s.state == ST_WAITING && s.t0 >= k[i].t0 && causes_place(c->tr, s.stack) == p->place &&
                   stacks_wait_kind(c->tr, s.reason, s.stack) == p->most->kind &&
                   (p->most->kind == WK_NET || ended_by(c, k[i].g, s.t1, span_get(&it), p->most->waker));
        }
        row_end(r, &now, true);
    }
}

uint32_t row_median(const struct rows *r)
{
    uint64_t seen = 0;
    for (uint32_t i = 1; i <= ROW_MOST; i++) {
        seen += r->len[i];
        if (seen * 2 >= r->n && r->n) {
            return i;
        }
    }
    return 0;
}

/*
 * Half of the calls are in rows so long or longer. Where one goroutine does nothing but call, a host that takes its thread away now
 * and then cuts off many short rows and leaves few long ones; those have the calls.
 */
uint32_t row_of_calls(const struct rows *r)
{
    uint64_t all = 0, seen = 0;
    uint32_t i = ROW_MOST;
    for (uint32_t k = 1; k <= ROW_MOST; k++) {
        all += r->in[k];
    }
    for (; i && all; i--) {
        seen += r->in[i];
        if (seen * 2 >= all) {
            return i;
        }
    }
    return 0;
}

/*
 * Rows that a program makes are of about one length, and have the calls; where they only happen to end, lengths are all over the place, and
 * where the host, or a collection, cuts the endless ones of all goroutines at some moments, most calls are in rows too long to be counted.
 */
bool rows_alike(const struct rows *r, uint32_t median)
{
    uint64_t n = 0, calls = 0, all = 0;
    for (uint32_t i = 1; i <= ROW_MOST; i++) {
        const bool alike = i >= median / 2 && i <= median * 2;
        n += alike ? r->len[i] : 0;
        calls += alike && i < ROW_MOST ? r->in[i] : 0;
        all += r->in[i];
    }
    return (double)n >= threshold(TH_CALLS_ALIKE) * (double)r->n &&
           (double)calls >= threshold(TH_CALLS_ALIKE) * (double)all;
}
