/* callers.c - see callers.h. */
#include "triage/findings/callers.h"

#include "triage/tables/tab.h"
#include "triage/sentence.h"

#define HALF 0.5f

void callers_add(struct callers *c, uint32_t func, int64_t ns)
{
    int at = -1, least = 0;
    for (int i = 0; i < CALLERS; i++) {
        if (c->func[i] == func && func) {
            c->ns[i] = ns_add(c->ns[i], ns);
            return;
        }
        at = c->func[i] || at >= 0 ? at : i;
        least = c->ns[i] < c->ns[least] ? i : least;
    }
    if (!func || ns <= 0)
        return;
    if (at < 0) { /* subtract the smallest count from each */
        const int64_t gone = c->ns[least] < ns ? c->ns[least] : ns;
        c->more = true;
        for (int i = 0; i < CALLERS; i++) {
            c->ns[i] -= gone;
            c->func[i] = c->ns[i] > 0 ? c->func[i] : 0;
            at = c->func[i] ? at : i;
        }
        ns -= gone;
    }
    if (at >= 0 && ns > 0) {
        c->func[at] = func;
        c->ns[at] = ns;
    }
}

void callers_merge(struct callers *c, const struct callers *other)
{
    for (int i = 0; i < CALLERS; i++)
        callers_add(c, other->func[i], other->ns[i]);
    c->more |= other->more;
}

struct caller callers_most(const struct callers *c, int64_t all)
{
    int best = 0;
    for (int i = 1; i < CALLERS; i++)
        best = c->ns[i] > c->ns[best] ? i : best;
    const float share = all > 0 ? (float)((double)c->ns[best] / (double)all) : 0;
    return share >= HALF ? (struct caller){.func = c->func[best], .share = share, .least = c->more}
                         : (struct caller){0};
}

#define ALL 0.9995f /* only outer callers differ */

struct caller callers_beyond(const struct callers *c, const struct callers *beyond, int64_t all)
{
    struct caller by = callers_most(c, all);
    if (by.func && by.share > ALL) {
        const struct caller out = callers_most(beyond, all);
        by.beyond = out.func;
        by.beyond_share = out.share;
        by.beyond_least = out.least;
    }
    return by;
}

static void part_text(struct text *t, const struct trace *tr, bool least, float share, const char *how,
                      uint32_t func)
{
    text_say(t, tr, " (", least ? "at least " : "", t_share(share, 1), " of it ", how, " ", t_func(func),
             ")");
}

void caller_text(struct text *t, const struct trace *tr, const struct caller *by)
{
    if (!by->func)
        return;
    if (by->share <= ALL) {
        part_text(t, tr, by->least, by->share, "called by", by->func);
        return;
    }
    text_say(t, tr, ", called by ", t_func(by->func));
    if (by->beyond && by->beyond_share > ALL)
        text_say(t, tr, ", by ", t_func(by->beyond));
    else if (by->beyond)
        part_text(t, tr, by->beyond_least, by->beyond_share, "by", by->beyond);
}
