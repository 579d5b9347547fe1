/*
 * rules_sql.c - what database/sql does beside the question itself: connections opened for nearly each one, since none is
 * kept, and statements prepared and closed for each. Told by the library's own frames, and of the function that called it.
 */
#include "triage/findings/causes.h"
#include "triage/findings/asks.h"
#include "triage/findings/thresholds.h"

#include <string.h>

#include "decode/base/mem.h"

#define CALLERS_OF_SQL 32
#define NEARLY 0.8

enum step { ASKS, OPENS, PREPARES, CLOSES, STEPS, NONE = STEPS };

struct sql {
    uint32_t func; /* of the program, that calls database/sql */
    int64_t ns[STEPS];
    uint64_t n[STEPS],
        connects; /* connects: calls for one, or waits until the other side takes it, one for each at most */
    const struct pair_row *most[STEPS];
};

static bool in_sql(struct str f)
{
    return str_starts(f, "database/sql.");
}

/* The function of the program that called database/sql, 0: the stack has none. */
static uint32_t sql_caller(const struct trace *tr, uint32_t stack)
{
    const uint32_t n = trace_stack(tr, stack);
    bool within = false;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t f = trace_frame(tr, stack, i).func;
        const bool sql = in_sql(trace_str(tr, f));
        if (within && !sql && stacks_is_program(tr, f)) {
            return f;
        }
        within |= sql;
    }
    return 0;
}

/* What the innermost of database/sql's functions that says it is at. */
static enum step step_of(const struct trace *tr, uint32_t stack)
{
    static const struct {
        const char *name;
        enum step step;
    } v[] = {{"database/sql.ctxDriverPrepare", PREPARES},    {"database/sql.ctxDriverStmt", ASKS},
             {"database/sql.ctxDriverQuery", ASKS},          {"database/sql.ctxDriverExec", ASKS},
             {"database/sql.(*driverStmt).Close", CLOSES},   {"database/sql.(*DB).conn", OPENS},
             {"database/sql.(*DB).openNewConnection", OPENS}};
    const uint32_t n = trace_stack(tr, stack);
    for (uint32_t i = 0; i < n; i++) {
        const struct str f = trace_str(tr, trace_frame(tr, stack, i).func);
        for (size_t k = 0; in_sql(f) && k < sizeof v / sizeof *v; k++) {
            if (str_starts(f, v[k].name)) {
                return v[k].step;
            }
        }
    }
    return NONE;
}

static bool connects(const struct trace *tr, uint32_t stack)
{
    const uint32_t n = trace_stack(tr, stack);
    for (uint32_t i = 0; i < n && i < 8; i++) {
        if (str_starts(trace_str(tr, trace_frame(tr, stack, i).func), "net.(*netFD).connect")) {
            return true;
        }
    }
    return false;
}

/* On a network that is near, a connection is there at once: nobody waits until it is, but it is asked for. */
static void calls_to_connect(const struct causes *c, struct sql *v, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        uint64_t calls = 0;
        for (uint32_t i = 0; i < c->tg->nsyscalls && v[k].n[OPENS]; i++) {
            const struct syscall_row *r = &c->tg->syscalls[i];
            const bool opens = r->stack && stacks_has(c->tr, r->stack, "syscall.Connect");
            calls += opens && sql_caller(c->tr, r->stack) == v[k].func ? r->count : 0;
        }
        v[k].connects = calls > v[k].connects ? calls : v[k].connects;
    }
}

static uint32_t gather(const struct causes *c, struct sql v[CALLERS_OF_SQL])
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        const uint32_t func = p->kind == WK_NET ? sql_caller(c->tr, p->stack) : 0;
        const enum step s = func ? step_of(c->tr, p->stack) : NONE;
        uint32_t k = 0;
        while (k < n && v[k].func != func) {
            k++;
        }
        if (s == NONE || k == CALLERS_OF_SQL) {
            continue;
        }
        if (k == n) {
            v[n++] = (struct sql){.func = func};
        }
        v[k].n[s] += p->count;
        v[k].ns[s] = ns_add(v[k].ns[s], p->total);
        v[k].connects += s == OPENS && connects(c->tr, p->stack) ? p->count : 0;
        v[k].most[s] = !v[k].most[s] || p->total > v[k].most[s]->total ? p : v[k].most[s];
    }
    calls_to_connect(c, v, n);
    return n;
}

/* Of what these calls take and the goroutines that make them run, as a share of the trace while any is there. */
static double share_of(const struct causes *c, const struct sql *k, int64_t part, const struct pair_row *p)
{
    const uint32_t g = causes_group(c, p->waiter);
    int64_t all = g == UINT32_MAX ? 0 : c->tg->groups[g].d[GM_EXEC].total;
    for (int s = 0; s < STEPS; s++) {
        all = ns_add(all, k->ns[s]);
    }
    const double there = (double)all / (double)c->tg->end;
    return all > 0 ? (double)part / (double)all * (there < 1 ? there : 1) : 0;
}

static void begin(struct causes *c, struct draft *d, enum rule r, const struct sql *k, enum step s, double share)
{
    const struct pair_row *p = k->most[s];
    draft_start(d, r, (int64_t)(share * (double)c->tg->end));
    d->f.won_hi = d->f.severity_ns;
    draft_about(d, c->rs, k->func, p->stack);
    draft_moment(d, &p->longest);
    text_func(&d->text, c->tr, k->func, 0);
}

static void opens_finding(struct causes *c, const struct sql *k, double share)
{
    struct draft d;
    begin(c, &d, RULE_CONNS, k, OPENS, share);
    text_add(&d.amount, "%llu", (unsigned long long)k->connects);
    const bool most = (double)k->connects >= NEARLY * (double)k->n[ASKS];
    text_say(&d.text, c->tr, " has database/sql open a connection for ",
             most ? "nearly every query: at least " : "every second query or more: at least ", k->connects,
             " are opened for ", k->n[ASKS], " answers. Opening them, in ", t_place(k->most[OPENS]->stack, 2),
             ", takes ", t_dur(k->ns[OPENS]), " in all, the answers ", t_dur(k->ns[ASKS]), ".");
    text_lit(&d.next, "Keep idle connections: SetMaxIdleConns as high as there are concurrent queries (the default "
                      "keeps two), and no short SetConnMaxLifetime or SetConnMaxIdleTime.");
    draft_end(c->rs, &d);
}

static void prepares_finding(struct causes *c, const struct sql *k, double share)
{
    const int64_t beside = ns_add(k->ns[PREPARES], k->ns[CLOSES]);
    struct draft d;
    begin(c, &d, RULE_PREPARED, k, PREPARES, share);
    text_add(&d.amount, "%llu", (unsigned long long)k->n[PREPARES]);
    text_say(&d.text, c->tr, " has database/sql prepare a statement for each query: ", k->n[PREPARES],
             " are prepared", k->n[CLOSES] ? " and closed" : "", " for ", k->n[ASKS],
             " answers, each an extra round trip, one after the other. That is ", t_dur(beside), " beside ",
             t_dur(k->ns[ASKS]), " for the answers.");
    text_lit(&d.next, "Prepare once and keep the statement, or let the driver send query and arguments together (an "
                      "option of many drivers).");
    draft_end(c->rs, &d);
}

void rules_sql(struct causes *c)
{
    struct sql v[CALLERS_OF_SQL];
    const uint32_t n = gather(c, v);
    for (uint32_t i = 0; i < n; i++) {
        const struct sql *k = &v[i];
        if (k->most[OPENS] && (double)k->connects >= threshold(TH_CONNS_COUNT) &&
            (double)k->connects >= threshold(TH_CONNS_SHARE) * (double)k->n[ASKS]) {
            const double share = share_of(c, k, k->ns[OPENS], k->most[OPENS]);
            if (share >= threshold(TH_CONNS_TRACE)) {
                opens_finding(c, k, share);
            }
        }
        if (k->most[PREPARES] && (double)k->n[PREPARES] >= threshold(TH_PREPARED_COUNT) &&
            (double)k->n[PREPARES] >= threshold(TH_PREPARED_SHARE) * (double)k->n[ASKS]) {
            const double share = share_of(c, k, ns_add(k->ns[PREPARES], k->ns[CLOSES]), k->most[PREPARES]);
            if (share >= threshold(TH_PREPARED_TRACE)) {
                prepares_finding(c, k, share);
            }
        }
    }
}

bool sql_within(const struct trace *tr, uint32_t stack)
{
    return sql_caller(tr, stack) != 0;
}

bool sql_covers(const struct trace *tr, const struct finding *a, const struct finding *b)
{
    const uint32_t func = sql_caller(tr, a->stack);
    return (a->rule == RULE_CONNS || a->rule == RULE_PREPARED) && func && sql_caller(tr, b->stack) == func &&
           (step_of(tr, b->stack) != ASKS || a->severity_ns >= b->severity_ns);
}
