/*
 * table_waits.c - which goroutines waited for which, and all waits by reason and place: as types, and one
 * by one.
 *
 * Contention is waiting for what other goroutines hold or do: locks, full channels, conditions, groups.
 * Idle waits (receiving, selecting, sleeping) are no contention and show only among the places.
 */
#include "layout/views/table_spans.h"

#include <inttypes.h>

/* ---- one wait ------------------------------------------------------------------------------------------ */

/* Gets the lane that ended the wait, and the span after the wait. NO_LANE: *why says what is known of its
 * end. */
static uint32_t waits_ender(const struct trace *tr, const struct thing *x, struct span *s, const char **why)
{
    const bool over = spans_next(tr, x, s);
    *why = over ? "not recorded who ended it" : "not over in this trace";
    return over && s->state == ST_RUNNABLE ? s->who : NO_LANE;
}

/* Names the waiting and the unblocking goroutine; the place is in the status. */
static void waits_name(struct text *out, const struct table *t, const struct thing *x)
{
    struct span s;
    const char *why;
    const uint32_t ender = waits_ender(t->tr, x, &s, &why);
    text_say(out, t->tr, t_who(x->g), " <- ");
    if (ender != NO_LANE)
        text_who(out, t->tr, ender);
    else
        text_add(out, "%s", why);
}

static void waits_say(struct text *out, const struct view *v, const struct thing *x)
{
    struct span s;
    const char *why;
    const uint32_t ender = waits_ender(v->tr, x, &s, &why);
    const bool known = trace_stack(v->tr, x->index);
    text_say(out, v->tr, t_who(x->g), " waited at ",
             known ? t_where(x->index, 0) : t_clean("a place that is not recorded"), "; ",
             ender == NO_LANE ? why : "ended by ");
    if (ender != NO_LANE)
        text_who(out, v->tr, ender);
    if (ender != NO_LANE && s.stack)
        text_say(out, v->tr, " at ", t_where(s.stack, 0));
}

#define OF_WAITS \
    .bar = STYLE_WAITING, .link = " <- ", .ends = {"who waited", "who ended it"}, .list = table_spans, \
    .name = waits_name

/* ---- who waited for whom ------------------------------------------------------------------------------- */

static bool contended(const struct trace *tr, const struct span *s, const struct span *next)
{
    switch (stacks_wait_kind(tr, s->reason, s->stack)) {
    case WK_LOCK:
    case WK_SEND:
    case WK_COND:
    case WK_WAITGROUP: return true;
    case WK_OTHER: return next && next->who != NO_LANE; /* not by a timer or the network */
    default: return false;
    }
}

/* Returns the program's function in a stack; without names the stack itself, which is no string's number. */
static uint32_t function_of(const struct trace *tr, uint32_t stack)
{
    const uint32_t f = stacks_user(tr, stack);
    return f ? f : ~stack;
}

/* What is waited for (a kind, or behind all of these the reason) and who waited; who asked for the lock,
 * where that is another function, and who ended it. */
static void pairs_key(const struct trace *tr, const struct span *s, uint32_t ender, uint64_t *a, uint64_t *b)
{
    const enum wait_kind k = stacks_wait_kind(tr, s->reason, s->stack);
    const bool gc = k == WK_OTHER && trace_stack(tr, s->stack) && /* an allocation begins or ends a cycle */
                    str_starts(trace_str(tr, trace_frame(tr, s->stack, 0).func), "runtime.gc");
    const uint32_t what = gc              ? WK_GC
                          : k == WK_OTHER ? WK_KINDS + s->reason
                                          : k,
                   who = function_of(tr, s->stack), asks = k == WK_LOCK ? stacks_user(tr, s->stack) : 0;
    *a = (uint64_t)what << 32 | who;
    *b = (uint64_t)(asks == who ? 0 : asks) << 32 | function_of(tr, ender);
}

/* Without names the caller's program counter tells places apart: that of the call itself is the library's. */
static void function_text(struct text *out, const struct trace *tr, uint32_t f)
{
    const uint32_t stack = ~f, n = f > INT32_MAX ? trace_stack(tr, stack) : 0;
    if (n)
        text_add(out, "0x%" PRIx64, trace_frame(tr, stack, n > 1).pc);
    else if (f > INT32_MAX)
        text_lit(out, "(no stack)");
    else
        text_func(out, tr, f, 0);
}

static void pairs_type_name(struct text *out, const struct table *t, const struct ttype *k)
{
    const uint32_t what = (uint32_t)(k->a >> 32), asks = (uint32_t)(k->b >> 32);
    if (what > WK_KINDS)
        text_wait(out, t->tr, what - WK_KINDS, 0);
    else
        text_add(out, "%s", wait_kind_name(what == WK_KINDS ? WK_OTHER : (enum wait_kind)what));
    text_lit(out, " ");
    function_text(out, t->tr, (uint32_t)k->a);
    if (asks)
        text_say(out, t->tr, " at ", t_func(asks));
    text_lit(out, " <- ");
    function_text(out, t->tr, (uint32_t)k->b);
}

/* Writes how many of those unblocked there had to wait once more at once. */
static void pairs_say_futile(struct text *out, const struct triage *tg, uint32_t stack, uint32_t ended)
{
    for (uint32_t i = 0; i < tg->npairs; i++) {
        const struct pair_row *p = &tg->pairs[i];
        if (!p->futile || p->stack != stack || p->waker_stack != ended)
            continue;
        text_add(out, "; %" PRIu64 " of %" PRIu64 " ran for less than %dus and waited there again", p->futile,
                 p->count, FUTILE_RUN / 1000);
        return;
    }
}

static void pairs_say(struct text *out, const struct view *v, const struct thing *x)
{
    const struct triage *tg = v->table->have.open == TABLE_TYPES ? v->table->tg : NULL;
    struct span s;
    waits_say(out, v, x);
    if (tg && spans_next(v->tr, x, &s))
        pairs_say_futile(out, tg, x->index, s.stack);
}

static const struct table_from pairs = {
    OF_WAITS,
    .thing = "contended wait",
    .things = "contended waits",
    .types = "waiters and wakers",
    .none = "no wait for a lock, a full channel, a condition or a group; Tab: all waits",
    .counted = true,
    .spans =
        &(const struct spans_from){
            .state = ST_WAITING, .wanted = contended, .key = pairs_key, .by_ender = true},
    .type_name = pairs_type_name,
    .say = pairs_say,
};
const struct view_kind kind_waits = {IS_THINGS(&pairs)};

/* ---- by reason and place ------------------------------------------------------------------------------- */

static void places_type_name(struct text *out, const struct table *t, const struct ttype *k)
{
    const uint32_t reason = (uint32_t)k->b, stack = k->kept ? t->thing[k->longest].index : 0;
    enum wait_kind w = k->kept ? stacks_wait_kind(t->tr, reason, stack) : WK_OTHER;
    if (w != WK_OTHER)
        text_add(out, "%s", stacks_wait_name(t->tr, w, stack));
    else
        text_wait(out, t->tr, reason, 0);
    text_lit(out, " at ");
    spans_place(out, t, k);
}

static const struct table_from places = {
    OF_WAITS,
    .thing = "wait",
    .things = "waits",
    .types = "waits by reason and place",
    .none = "no goroutine waited in this trace",
    .spans = &(const struct spans_from){.state = ST_WAITING, .key = spans_key},
    .type_name = places_type_name,
    .say = waits_say,
};
const struct view_kind kind_places = {IS_THINGS(&places)};
