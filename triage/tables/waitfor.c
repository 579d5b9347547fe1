/* waitfor.c - see waitfor.h. */
#include "triage/tables/waitfor.h"

#include "decode/base/order.h"
#include "decode/base/mem.h"

static void edge_add(struct waitfor *w, uint32_t from, uint32_t to, enum waitfor_what what, int64_t ns,
                     uint64_t count, const struct moment *longest)
{
    const uint32_t i =
        find_first(k, w->nedges, w->edge[k].from == from && w->edge[k].to == to && w->edge[k].what == what);
    struct waitfor_edge *e = &w->edge[i];
    if (i == WAITFOR_EDGES)
        return;
    if (i == w->nedges) {
        w->nedges++;
        *e = (struct waitfor_edge){from, to, what, .longest = {0, 0, NO_LANE, NO_LANE}};
    }
    e->ns = ns_add(e->ns, ns);
    e->count += count;
    e->longest = longest->t1 - longest->t0 > e->longest.t1 - e->longest.t0 ? *longest : e->longest;
}

static void edges_of(struct waitfor *w, const struct triage *tg)
{
    each_of(p, tg->pairs, tg->npairs) { /* the largest come first, so the bound drops the smallest */
        enum waitfor_what what = !p->from_scheduler              ? WF_GROUP
                                 : p->kind != WK_NET             ? WF_TIMER
                                 : stacks_pipe(tg->tr, p->stack) ? WF_PIPE
                                                                 : WF_NETWORK;
        edge_add(w, p->waiter, what == WF_GROUP ? p->waker : 0, what, p->total, p->count, &p->longest);
    }
    each_of(r, tg->leaks, tg->nleaks) {
        struct moment m = {r->since, r->since + r->oldest, r->example, NO_LANE};
        bool within = wait_on_channel(r->kind) || r->kind == WK_LOCK || r->kind == WK_COND;
        if (within && r->lost)
            edge_add(w, r->name, 0, WF_NOBODY, (r->oldest + r->youngest) / 2 * (int64_t)r->lost, r->lost, &m);
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
    each_of(e, w->edge, w->nedges) {
        each_of(from, tg->groups, tg->ngroups) {
            if (from->name == e->from) {
                const int64_t life = from->ns[GM_LIFE];
                e->share = life > 0 ? (double)e->ns / (double)life : e->share;
                e->again = e->count > from->count;
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
