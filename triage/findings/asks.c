/*
 * asks.c - see asks.h. All is told by the names of functions of the library, and by who begins whom.
 */
#include "triage/findings/asks.h"

#include "triage/findings/requests.h"
#include "triage/findings/thresholds.h"

#define FIRST 32 /* goroutines of a group asked what they do first */

static bool stack_through(const struct trace *tr, uint32_t stack, const char *const *func)
{
    struct stack_funcs f;
    stack_funcs_of(&f, tr, stack);
    for (uint32_t i = 0; i < f.n && i < 16; i++) {
        struct str s = trace_str(tr, stack_func(&f, i));
        for (size_t k = 0; func[k]; k++) {
            if (str_is(s, func[k])) {
                return true;
            }
        }
    }
    return false;
}

bool calls_accepting(const struct trace *tr, uint32_t stack)
{
    static const char *const accepting[] = {"net.(*netFD).accept", "internal/poll.(*FD).Accept", NULL};
    return stack_through(tr, stack, accepting);
}

bool calls_connecting(const struct trace *tr, uint32_t stack)
{
    static const char *const connecting[] = {"net.(*netFD).connect", "net/http.(*Transport).getConn", NULL};
    return stacks_may(tr, stack, STACK_CONNECTS) && stack_through(tr, stack, connecting);
}

bool calls_pooled(const struct trace *tr, uint32_t stack)
{
    static const char *const pooled[] = {"net/http.(*Transport).getConn", NULL};
    return stacks_may(tr, stack, STACK_CONNECTS) && stack_through(tr, stack, pooled);
}

bool calls_reading_on(const struct trace *tr, uint32_t stack)
{
    static const char *const reading_on[] = {"net/http.(*persistConn).Read", "net/http.(*bodyEOFSignal).Read",
                                             "net/http.(*body).Read", NULL};
    return stacks_may(tr, stack, STACK_READS_ON) && stack_through(tr, stack, reading_on);
}

bool calls_accept(const struct causes *c)
{
    bool any = false;
    for (uint32_t i = 0; i < c->tg->nwaits && i < 4096 && !any; i++) {
        any = c->tg->waits[i].kind == WK_NET && calls_accepting(c->tr, c->tg->waits[i].stack);
    }
    return any;
}

/* Does the library wait, not the program itself? */
static bool in_library(const struct trace *tr, uint32_t stack)
{
    const uint32_t n = trace_stack(tr, stack);
    uint32_t i = 0;
    while (i < n && str_starts(trace_str(tr, trace_frame(tr, stack, i).func), "runtime.")) {
        i++;
    }
    return i < n && !stacks_is_program(tr, trace_frame(tr, stack, i).func);
}

bool calls_by_library(const struct causes *c, const struct pair_row *p)
{
    static const char *const sql_pool[] = {"database/sql.(*DB).conn", NULL}; /* others have it: no answer */
    const bool asks = !p->from_scheduler && p->kind == WK_SELECT && in_library(c->tr, p->stack) &&
                      !stack_through(c->tr, p->stack, sql_pool);
    uint32_t g = asks ? causes_group(c, p->waker) : UINT32_MAX;
    return g != UINT32_MAX && !c->tg->groups[g].is_system && !c->life[g].program && c->life[g].by[WK_NET] > 0;
}

bool calls_over_http(const struct causes *c, enum wait_kind kind, const struct span *s)
{
    static const char *const asking[] = {"net/http.(*persistConn).roundTrip", NULL};
    return kind == WK_SELECT && stack_through(c->tr, s->stack, asking);
}

/* Had whoever began a goroutine not tried to accept a connection by then, though it does later? Then it was not begun for one. */
static bool begun_before_any(const struct causes *c, const struct lane_info *li)
{
    enum { LOOKED = 4096 };
    struct span_iter it;
    bool more =
        li->created && li->creator < c->tg->ng && span_seek_index(&it, c->tr, (struct lane){LANE_G, li->creator}, 0);
    uint32_t known = 0;
    for (int i = 0; i < LOOKED && more; i++, more = span_next(&it)) {
        const struct span *s = span_get(&it);
        if ((s->state == ST_WAITING || s->state == ST_SYSCALL) && s->stack && s->stack != known) {
            known = s->stack;
            if (calls_accepting(c->tr, s->stack)) {
                return s->t0 > li->first;
            }
        }
    }
    return false;
}

bool calls_serves(const struct causes *c, uint32_t g)
{
    struct lane_info li = trace_lane(c->tr, (struct lane){LANE_G, g});
    uint32_t by = li.creator < c->tg->ng ? c->tg->groups[gstat_group(c->tg->g, li.creator)].name : 0;
    for (uint32_t i = 0; i < c->tg->nwaits && i < 4096 && li.create_stack; i++) {
        const struct wait_row *w =
            &c->tg->waits[i]; /* begun before the trace, or a wait that does not end: by where */
        if (w->kind == WK_NET && calls_accepting(c->tr, w->stack) &&
            causes_place(c->tr, w->stack) == causes_place(c->tr, li.create_stack)) {
            return !begun_before_any(c, &li);
        }
    }
    for (uint32_t i = 0; i < c->tg->npairs && i < 4096 && by; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        if (p->waiter == by && p->kind == WK_NET && calls_accepting(c->tr, p->stack)) {
            return !begun_before_any(c, &li);
        }
    }
    return false;
}

/* Does it read from a connection there, or wait until it can? */
static bool reads(const struct causes *c, const struct span *s)
{
    return s->state == ST_WAITING
               ? stacks_wait_kind(c->tr, s->reason, s->stack) == WK_NET && !causes_writes(c->tr, s->stack)
               : s->state == ST_SYSCALL && s->stack && stacks_has(c->tr, s->stack, "net.(*netFD).Read");
}

uint32_t calls_first_place(const struct causes *c, uint32_t g)
{
    struct span_iter it;
    bool more = span_seek_index(&it, c->tr, (struct lane){LANE_G, g}, 0);
    for (int i = 0; i < 64 && more; i++, more = span_next(&it)) {
        if (reads(c, span_get(&it))) {
            return causes_place(c->tr, span_get(&it)->stack);
        }
    }
    return 0;
}

enum act { NONE_YET, READS, SENDS };
/* What a goroutine does first over the network. Who makes the connection asks, though the other side may speak first. */
static enum act first_act(const struct causes *c, uint32_t g)
{
    struct span_iter it;
    bool more = span_seek_index(&it, c->tr, (struct lane){LANE_G, g}, 0);
    for (int i = 0; i < 64 && more; i++, more = span_next(&it)) {
        const struct span *s = span_get(&it);
        const bool waits = s->state == ST_WAITING && stacks_wait_kind(c->tr, s->reason, s->stack) == WK_NET;
        if ((waits || s->state == ST_SYSCALL) && s->stack &&
            (causes_sends(c->tr, s->stack) || causes_writes(c->tr, s->stack) || calls_connecting(c->tr, s->stack))) {
            return SENDS;
        }
        if (reads(c, s)) {
            return READS;
        }
    }
    return NONE_YET;
}

bool calls_read_first(const struct causes *c, uint32_t group)
{
    const uint32_t look = c->of[group].n < FIRST ? c->of[group].n : FIRST;
    uint32_t reads = 0, sends = 0;
    for (uint32_t i = 0; i < look && c->life[group].program; i++) {
        const uint32_t g = causes_member(c, group, i, FIRST);
        const enum act a = trace_lane(c->tr, (struct lane){LANE_G, g}).created ? first_act(c, g) : NONE_YET;
        reads += a == READS;
        sends += a == SENDS;
    }
    return (double)reads >= threshold(TH_CALLS_FIRST) && !sends;
}

uint32_t calls_questions(const struct causes *c, uint32_t g)
{
    return calls_serves(c, g) ? calls_first_place(c, g) : 0;
}

bool calls_is_asked(const struct causes *c, uint32_t g, uint32_t place)
{
    return calls_serves(c, g) && (meant_for_questions(c, g, place) || meant_for_session(c, g, place));
}

/*
 * Are the waits there a server's for the next question, not for an answer? Of connections that were there before the trace
 * that can't be seen; in a process that accepts any, and in a goroutine's own loop, such waits are taken for a server's.
 */
bool calls_for_questions(const struct causes *c, const struct pair_row *p, uint32_t place)
{
    uint32_t g = p->longest.g;
    bool born = trace_lane(c->tr, (struct lane){LANE_G, g}).created;
    const uint32_t group = gstat_group(c->tg->g, g);
    bool own = place == c->tg->groups[group].name;
    const bool library = !c->life[group].program && place; /* a library's server reads what it is asked itself */
    return p->kind == WK_NET && !library &&
           (born ? calls_serves(c, g) || calls_read_first(c, group) : own || calls_accept(c)) &&
           (calls_first_place(c, g) == place ||
            (born && (meant_for_questions(c, g, place) || meant_for_session(c, g, place))));
}

bool calls_group_serves(const struct causes *c, uint32_t group)
{
    const uint32_t g = c->of[group].n ? causes_nth(c, group, 0) : NO_LANE;
    if (g == NO_LANE || c->tg->groups[group].is_system) {
        return false;
    }
    /* net/http's may find each question there already, and never wait for one */
    return request_serves(c->tr, c->tg->groups[group].name) || (c->life[group].by[WK_NET] && calls_serves(c, g));
}

int64_t calls_answering(const struct causes *c)
{
    int64_t ns = 0;
    for (uint32_t i = 0; i < c->tg->ngroups; i++) {
        if (!calls_group_serves(c, i)) {
            continue;
        }
        const uint32_t asked = c->life[i].program ? calls_first_place(c, causes_nth(c, i, 0)) : 0;
        int64_t questions = 0;
        for (uint32_t k = 0; k < c->tg->npairs; k++) {
            const struct pair_row *p = &c->tg->pairs[k];
            if (p->waiter == c->tg->groups[i].name && p->kind == WK_NET && causes_place(c->tr, p->stack) == asked) {
                questions = ns_add(questions, p->total);
            }
        }
        questions = ns_add(questions, c->life[i].by[WK_SLEEP]);
        ns = ns_add(ns, c->life[i].life > questions ? c->life[i].life - questions : 0);
    }
    return ns;
}

bool causes_sends(const struct trace *tr, uint32_t stack)
{
    const uint32_t n = trace_stack(tr, stack);
    for (uint32_t i = 0; i < n && i < 8; i++) {
        if (stacks_sends(tr, trace_frame(tr, stack, i).func)) {
            return true;
        }
    }
    return false;
}

bool causes_writes(const struct trace *tr, uint32_t stack)
{
    const uint32_t n = trace_stack(tr, stack);
    for (uint32_t i = 0; i < n && i < 8; i++) {
        const struct str s = trace_str(tr, trace_frame(tr, stack, i).func);
        if (str_starts(s, "internal/poll.(*FD).Write") || str_starts(s, "internal/poll.SendFile") ||
            str_starts(s, "net.(*netFD).Write")) {
            return true;
        }
    }
    return false;
}
