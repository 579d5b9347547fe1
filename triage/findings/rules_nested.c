/*
 * rules_nested.c - calls of the main goroutine's way that one function of the program stands around several times: if it tries again what
 * failed, each of its tries holds tries of its own, and they multiply.
 *
 * A trace does not tell a failed call from another, so this is said with an if. Of a walk (a tree, a chain of handlers) the depth differs from
 * one call to the next, or requests pass it once each: neither is told.
 */
#include "triage/findings/asks.h"
#include "triage/findings/works.h"
#include "triage/findings/thresholds.h"

struct nested {
    uint32_t func, times;
};

/* The function of the program that stands there most often, another one between each two. */
static struct nested nested_in(const struct trace *tr, uint32_t stack)
{
    enum { DEEP = 64 };
    const uint32_t all = trace_stack(tr, stack), n = all < DEEP ? all : DEEP;
    struct nested best = {0, 0};
    for (uint32_t i = 0; i < n; i++) {
        struct nested v = {trace_frame(tr, stack, i).func, 0};
        bool apart = stacks_is_program(tr, v.func);
        for (uint32_t k = i; k < n && apart; k++) {
            const uint32_t func = trace_frame(tr, stack, k).func;
            v.times += func == v.func;
            apart = k == i || func != v.func || trace_frame(tr, stack, k - 1).func != func;
        }
        best = apart && v.times > best.times ? v : best;
    }
    return best;
}

/* Of the waits for the network there nearly all have it as often. *count, *goroutines: these, and whose they are. */
static bool always_so(const struct causes *c, uint32_t place, struct nested want, uint64_t *count,
                      uint32_t *goroutines)
{
    int64_t alike = 0, all = 0;
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        if (p->kind != WK_NET || causes_place(c->tr, p->stack) != place) {
            continue;
        }
        const struct nested is = nested_in(c->tr, p->stack);
        const uint32_t g = causes_group(c, p->waiter);
        all = ns_add(all, p->total);
        if (is.func == want.func && is.times == want.times) {
            alike = ns_add(alike, p->total);
            *count += p->count;
            *goroutines = g != UINT32_MAX && c->of[g].n > *goroutines ? c->of[g].n : *goroutines;
        }
    }
    return threshold_reached(TH_RETRY_NESTED, alike, all);
}

#define IN_ONE \
    "Retry in only one of these, best the innermost or the outermost, and not what is refused for good; count " \
    "the tries."

static void nested_text(struct text *t, const struct causes *c, struct nested v)
{
    text_say(t, c->tr, " If it retries what failed, the tries multiply: three at each of these levels are ",
             (uint64_t)(v.times == 2   ? 9
                        : v.times == 3 ? 27
                                       : 81),
             v.times > 3 ? " and more" : "", " (inferred; a trace does not show which failed).");
}

/* Those of the network at that stack's function that are so; times = 0: they are not, or requests pass it. */
static struct nested nested_calls(const struct causes *c, uint32_t stack, uint64_t *count, uint32_t *goroutines)
{
    const struct nested v = nested_in(c->tr, stack), none = {0, 0};
    *count = *goroutines = 0;
    const bool is = (double)v.times >= threshold(TH_RETRY_DEEP) && !calls_accept(c) &&
                    always_so(c, causes_place(c->tr, stack), v, count, goroutines) && *goroutines > 0;
    return is && (double)*count >= threshold(TH_RETRY_ROWS) * *goroutines ? v : none;
}

void nested_also(struct draft *d, const struct causes *c, uint32_t stack)
{
    uint64_t count;
    uint32_t goroutines;
    const struct nested v = nested_calls(c, stack, &count, &goroutines);
    if (v.times) {
        text_say(&d->text, c->tr, " On the stack of each of them ", t_func(v.func), " stands ", (uint64_t)v.times,
                 " times, one within the other.");
        nested_text(&d->text, c, v);
        text_lit(&d->next,
                 " If they are retries: retry in only one of these functions, and not what is refused for good.");
    }
}

void nested_on_way(struct causes *c, const struct leaf *l, int64_t all)
{
    uint64_t count;
    uint32_t goroutines;
    struct draft d;
    if (!explain_waits_outside(l->cat) || !l->stack || !threshold_reached(TH_TIME_WAITS, l->ns, all)) {
        return;
    }
    const struct nested v = nested_calls(c, l->stack, &count, &goroutines);
    if (v.times == 0) {
        return;
    }
    const double share = (double)l->ns / (double)all;
    draft_start(&d, RULE_RETRY, (int64_t)(share * (double)c->tg->end));
    d.f.note = true;
    d.f.inferred = true;
    d.f.won_hi = (int64_t)(share * (double)c->tg->end);
    draft_about(&d, c->rs, v.func, l->stack);
    draft_at(&d, l->t0, l->t1, LANE_G, l->g);
    text_add(&d.amount, "%u deep", (unsigned)v.times);
    text_say(&d.text, c->tr, t_func(v.func), " stands ", (uint64_t)v.times,
             " times, one within the other, on the stack of ", count, " waits for the network in ",
             t_place(l->stack, 3), ", ", t_f0((double)count / goroutines), " one after the other in each goroutine, ",
             t_share(share, 1), " of the main goroutine's critical path.");
    nested_text(&d.text, c, v);
    text_lit(&d.next, IN_ONE);
    draft_titled(c->rs, &d, "calls within the same function, nested");
}
