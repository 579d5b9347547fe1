/* waitfor.c - see waitfor.h. */
#include "triage/text.h"
#include "triage/tables/waitfor.h"

#include "decode/base/order.h"
#include "decode/base/mem.h"

static struct waitfor_edge *edge_of(struct waitfor *w, uint32_t from, uint32_t to, enum waitfor_what what)
{
    const uint32_t i =
        find_first(k, w->nedges, w->edge[k].from == from && w->edge[k].to == to && w->edge[k].what == what);
    if (i == WAITFOR_EDGES)
        return NULL;
    if (i == w->nedges) {
        w->edge[w->nedges++] =
            (struct waitfor_edge){.from = from, .to = to, .what = what, .longest = {0, 0, NO_LANE, NO_LANE}};
    }
    return &w->edge[i];
}

static void edge_add(struct waitfor_edge *e, int64_t ns, uint64_t count, const struct moment *longest)
{
    if (e) {
        e->ns = ns_add(e->ns, ns);
        e->count += count;
        e->longest = longest->t1 - longest->t0 > e->longest.t1 - e->longest.t0 ? *longest : e->longest;
    }
}

static void edges_of(struct waitfor *w, const struct triage *tg)
{
    for (uint32_t i = 0; i < tg->npairs; i++) { /* the largest come first, so the bound drops the smallest */
        const struct pair_row *p = &tg->pairs[i];
        enum waitfor_what what = !p->from_scheduler              ? WF_GROUP
                                 : p->kind != WK_NET             ? WF_TIMER
                                 : stacks_pipe(tg->tr, p->stack) ? WF_PIPE
                                                                 : WF_NETWORK;
        edge_add(edge_of(w, p->waiter, what == WF_GROUP ? p->waker : 0, what), p->total, p->count,
                 &p->longest);
    }
    each_of(r, tg->leaks, tg->nleaks) {
        struct moment m = {r->since, r->since + r->oldest, r->example, NO_LANE};
        bool within = wait_on_channel(r->kind) || r->kind == WK_LOCK || r->kind == WK_COND;
        if (within && r->lost) {
            edge_add(edge_of(w, r->name, 0, WF_NOBODY), (r->oldest + r->youngest) / 2 * (int64_t)r->lost,
                     r->lost, &m);
        }
    }
}

ORDER(cmp_edge, struct waitfor_edge, MOST(r->ns) LEAST(r->from) LEAST(r->to))

struct waitfor *waitfor_new(const struct triage *tg)
{
    struct waitfor *w = mem_zalloc(sizeof *w);
    if (!w)
        return NULL;
    edges_of(w, tg);
    sort(w->edge, w->nedges, cmp_edge);
    for (uint32_t i = 0; i < w->nedges; i++) {
        each_of(from, tg->groups, tg->ngroups) {
            if (from->name == w->edge[i].from) {
                const int64_t life = from->ns[GM_LIFE];
                w->edge[i].share = life > 0 ? (double)w->edge[i].ns / (double)life : w->edge[i].share;
                w->edge[i].again = w->edge[i].count > from->count;
            }
        }
    }
    return w;
}

const char *waitfor_whom(enum waitfor_what what)
{
    static const char *const whom[] = {[WF_GROUP] = "",
                                       [WF_NETWORK] = "the network",
                                       [WF_PIPE] = "a pipe",
                                       [WF_TIMER] = "timers",
                                       [WF_NOBODY] = "nobody that came until the end"};
    return whom[what];
}

void waitfor_edge_text(struct text *t, const struct trace *tr, const struct waitfor_edge *e)
{
    text_say(t, tr, t_func(e->from), " waits for ");
    if (e->what == WF_GROUP)
        text_func(t, tr, e->to, 0);
    else
        text_add(t, "%s", waitfor_whom(e->what));
}
