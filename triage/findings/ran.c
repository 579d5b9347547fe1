/* ran.c - see ran.h. */
#include "triage/findings/ran.h"

#include "triage/tables/stacks.h"
#include "triage/tables/tab.h"
#include "triage/text.h"

const char *ran_id(enum ran_how how)
{
    static const char *const id[RAN_HOWS] = {"in", "within", "about", "after", "before", "between"};
    return (unsigned)how < RAN_HOWS ? id[how] : "";
}

const char *ran_word(enum ran_how how, bool library)
{
    static const char *const word[RAN_HOWS] = {" in ",          " in ",           " in or around ",
                                               " in or after ", " in or before ", " between waits in "};
    if (library && (how == RAN_ABOUT || how == RAN_AFTER))
        return " after ";
    return library && how == RAN_BEFORE ? " before " : word[how];
}

/* Returns the index in a of the innermost frame that is in both stacks, counted from their roots, or -1.
 * After calls from two lines of one function they have nothing in common: one had returned before the other
 * began. */
static int common_frame(const struct trace *tr, uint32_t a, uint32_t b)
{
    const uint32_t na = trace_stack(tr, a), nb = trace_stack(tr, b);
    uint32_t same = 0;
    while (same < na && same < nb) {
        const struct frame x = trace_frame(tr, a, na - 1 - same), y = trace_frame(tr, b, nb - 1 - same);
        if (x.func != y.func)
            break;
        same++;
        if (x.line != y.line)
            break;
    }
    return same ? (int)(na - same) : -1;
}

/* True if no function of the program calls it. Then the goroutine was in it all the time: the library's
 * frames below are its start. */
static bool is_outermost(const struct trace *tr, uint32_t stack, uint32_t frame)
{
    const uint32_t n = trace_stack(tr, stack);
    if (!stacks_is_program(tr, trace_frame(tr, stack, frame).func))
        return frame + 1 >= n;
    return !any_of(i, n, i > frame && stacks_is_program(tr, trace_frame(tr, stack, i).func));
}

/* Of the places that both stacks have in common, at index i of a: in what it called there it stood before and
 * behind. */
static struct ran ran_within(const struct trace *tr, uint32_t a, uint32_t a_user, uint32_t b, uint32_t b_user,
                             uint32_t i)
{
    const uint32_t k = i + trace_stack(tr, b) - trace_stack(tr, a);
    const struct frame x = trace_frame(tr, a, i), y = trace_frame(tr, b, k);
    struct ran r = {.how = RAN_WITHIN,
                    .from = a_user < i ? trace_frame(tr, a, a_user).func : 0,
                    .to = b_user < k ? trace_frame(tr, b, b_user).func : 0};
    if (x.line >= y.line && !is_outermost(tr, a, i)) {
        r.how = !r.from && !r.to
                    ? RAN_BETWEEN
                    : RAN_ABOUT; /* who stands in it itself has left it, or what calls it goes round */
    }
    return r;
}

struct ran ran_between(const struct trace *tr, uint32_t a, uint32_t a_user, uint32_t b, uint32_t b_user,
                       uint32_t *frame)
{
    *frame = a ? a_user : b_user;
    if (!a || !b) {
        return (struct ran){.how = is_outermost(tr, a ? a : b, *frame) ? RAN_WITHIN
                                   : a                                 ? RAN_AFTER
                                                                       : RAN_BEFORE};
    }
    if (!stacks_place(tr, a)) /* nothing of the program in it, as in a trace without names: it may be deep */
        return (struct ran){.how = RAN_AFTER};
    const int c = a == b ? (int)a_user : common_frame(tr, a, b);
    const uint32_t n = trace_stack(tr, a);
    for (uint32_t i = c < 0 ? n : (uint32_t)c; i < n; i++) {
        if (stacks_is_program(tr, trace_frame(tr, a, i).func)) {
            *frame = i;
            return ran_within(tr, a, a_user, b, b_user, i);
        }
    }
    return (struct ran){.how = RAN_AFTER};
}

enum ran_how ran_how(const struct ran *r)
{
    const bool several = r->how == RAN_ABOUT || r->how == RAN_WITHIN;
    for (int h = 0; h < RAN_HOWS && several; h++)
        if (r->by[h] > r->ns / 10 * 9)
            return (enum ran_how)h;
    return (enum ran_how)r->how;
}

void ran_lasts(struct ran *r, int64_t ns)
{
    r->ns = r->by[r->how] = ns;
}

void ran_join(struct ran *r, const struct ran *other)
{
    r->ns = ns_add(r->ns, other->ns);
    ns_sum(r->by, other->by, RAN_HOWS);
    if (r->how != other->how) {
        const bool inside = r->how <= RAN_WITHIN && other->how <= RAN_WITHIN;
        r->how = inside ? RAN_WITHIN : RAN_ABOUT;
    }
    if (r->from != other->from || r->to != other->to)
        r->from = r->to = 0;
}

void ran_text(struct text *t, const struct trace *tr, const struct ran *r, uint32_t stack, uint32_t frame,
              unsigned calls)
{
    const bool library = !stacks_is_program(tr, trace_frame(tr, stack, frame).func);
    const enum ran_how how = ran_how(r), said = how == RAN_WITHIN && (r->from || r->to) ? RAN_IN : how;
    text_say(t, tr, said == RAN_WITHIN ? " in or below " : ran_word(said, library),
             t_calls(stack, frame, calls));
    if (!r->from && !r->to)
        return;
    const bool same = r->from == r->to;
    text_say(t, tr,
             same       ? ", between waits in "
             : !r->to   ? ", in or after "
             : !r->from ? ", in or before "
                        : ", from ",
             t_func(r->from ? r->from : r->to));
    if (r->from && r->to && !same)
        text_say(t, tr, " to ", t_func(r->to));
}
