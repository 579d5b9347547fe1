/*
 * rules_open.c - files, and connections of the program's own, that are opened all the time and hardly ever closed: a process may have only so
 * many. Counted by the system calls that open and close; what a finalizer closes counts as closed.
 */
#include "triage/findings/causes.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"

#define PLACES 8
#define STEPS 20000    /* spans of each goroutine */
#define WALKED 2000000 /* of all */
#define QUARTERS 4

enum what { NEITHER, A_FILE, A_CONN };
struct opens { /* by one function of the program */
    enum what what;
    uint32_t place, stack; /* stack: the one with most of them */
    uint64_t n, most, in[QUARTERS];
    uint64_t closed; /* of that kind, wherever */
    struct moment last;
};

static enum what opened_by(const struct trace *tr, uint32_t stack)
{
    const struct str call = stack ? trace_str(tr, trace_frame(tr, stack, 0).func) : (struct str){0};
    return str_starts(call, "syscall.open") || str_starts(call, "syscall.Open") ? A_FILE
           : str_is(call, "syscall.connect") || str_is(call, "syscall.Connect") ? A_CONN
                                                                                : NEITHER;
}

static enum what closed_by(const struct trace *tr, uint32_t stack)
{
    const struct str call = stack ? trace_str(tr, trace_frame(tr, stack, 0).func) : (struct str){0};
    if (!str_starts(call, "syscall.Close") && !str_starts(call, "syscall.close")) {
        return NEITHER;
    }
    return stacks_has(tr, stack, "net.(*netFD).Close") ? A_CONN : A_FILE;
}

static uint32_t opens_of(const struct causes *c, struct opens *v)
{
    uint32_t n = 0;
    uint64_t closed[A_CONN + 1] = {0};
    for (uint32_t i = 0; i < c->tg->nsyscalls; i++) {
        const struct syscall_row *r = &c->tg->syscalls[i];
        const enum what what = opened_by(c->tr, r->stack);
        const uint32_t place = what ? causes_place(c->tr, r->stack) : 0;
        uint32_t k = 0;
        closed[closed_by(c->tr, r->stack)] += r->count;
        while (k < n && (v[k].place != place || v[k].what != what)) {
            k++;
        }
        if (!place || k == PLACES) {
            continue;
        }
        if (k == n) {
            v[n++] = (struct opens){.what = what, .place = place};
        }
        v[k].n += r->count;
        if (r->count > v[k].most) {
            v[k].most = r->count;
            v[k].stack = r->stack;
            v[k].last = r->longest;
        }
    }
    for (uint32_t k = 0; k < n; k++) {
        v[k].closed = closed[v[k].what];
    }
    return n;
}

/* When they are opened. false: there is too much to look at. */
static bool quarters(const struct causes *c, struct opens *v)
{
    uint64_t left = WALKED;
    uint32_t seen = 0;
    bool its = false;
    for (uint32_t g = 0; g < c->tg->ng; g++) {
        struct walk w;
        uint64_t steps = 0;
        walk_g(&w, c->tr, g, STEPS);
        for (const struct span *s; (s = walk_next(&w)); steps++) {
            if (s->state != ST_SYSCALL || !s->stack) {
                continue;
            }
            its = s->stack == seen
                      ? its
                      : opened_by(c->tr, s->stack) == v->what && causes_place(c->tr, s->stack) == v->place;
            seen = s->stack;
            const int64_t q = its ? s->t0 / (c->tg->end / QUARTERS + 1) : -1;
            if (q >= 0 && q < QUARTERS) {
                v->in[q]++;
            }
        }
        if (steps > left) {
            return false;
        }
        left -= steps;
    }
    return true;
}

static bool stays_open(const struct opens *v)
{
    return (double)v->n >= threshold(TH_OPEN_COUNT) && (double)v->closed <= threshold(TH_OPEN_CLOSED) * (double)v->n;
}

static void open_finding(struct causes *c, const struct opens *v)
{
    const bool file = v->what == A_FILE;
    const double quarter = (double)c->tg->end / QUARTERS / 1e9;
    struct draft d;
    draft_start(&d, RULE_OPEN, 0);
    draft_about(&d, c->rs, v->place, v->stack);
    draft_moment(&d, &v->last);
    d.f.inferred = true;
    d.f.for_good = (double)v->n >= threshold(TH_OPEN_ALARM);
    d.f.note = !d.f.for_good;
    text_add(&d.amount, "%llu opened", (unsigned long long)v->n);
    text_say(&d.text, c->tr, t_place(v->stack, 3), " opens ", v->n, file ? " files" : " connections",
             " in this trace (", v->in[0], ", ", v->in[1], ", ", v->in[2], " and ", v->in[3],
             " in its quarters), and the whole program closes ", v->closed, file ? " files" : " connections",
             ": the others stay open (inferred). At the rate of the last "
             "quarter 1024 more, a common limit (ulimit -n), are open after ",
             t_dur((int64_t)(1024 / ((double)v->in[QUARTERS - 1] / quarter) * 1e9)), ".");
    text_add(
        &d.next, "%s",
        file ? "Close each file after its last use (defer f.Close(), on the error paths, too), unless these are "
               "meant to stay open, and are not opened twice."
             : "Close each connection after its last use (on the error paths, too), or give it to a pool that others "
               "take it from; fine while the number of clients grows.");
    draft_end(c->rs, &d);
}

void rules_open(struct causes *c)
{
    struct opens v[PLACES];
    const uint32_t n = opens_of(c, v);
    for (uint32_t k = 0; k < n; k++) {
        bool throughout = stays_open(&v[k]) && quarters(c, &v[k]);
        for (uint32_t q = 0; throughout && q < QUARTERS; q++) {
            throughout = (double)v[k].in[q] >= threshold(TH_OPEN_QUARTER) * (double)v[k].n;
        }
        if (throughout) {
            open_finding(c, &v[k]);
        }
    }
}
