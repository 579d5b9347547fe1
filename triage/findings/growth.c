/* growth.c - see growth.h. */
#include "triage/findings/growth.h"

#include "decode/base/mem.h"
#include "triage/findings/thresholds.h"
#include "triage/tables/slices.h"

struct stands { /* one that waits at the end */
    uint32_t create_stack, stack;
    int64_t ns;
};
struct grown { /* of a group */
    uint32_t group;
    struct tab by_stack; /* which of `by` those of a creation stack are */
    struct growth *by;
    size_t nby, capby;
    struct stands *v;
    size_t n, cap;
};

static bool count(struct grown *w, const struct causes *c, uint32_t g)
{
    const struct lane l = {LANE_G, g};
    const struct lane_info li = trace_lane(c->tr, l);
    const int64_t q = (int64_t)((double)li.first / (double)c->tg->end * 4);
    struct span s;
    if (!li.created) {
        return true;
    }
    const uint32_t i = tab_put(&w->by_stack, li.create_stack, 0, (uint32_t)w->nby);
    if (i == TAB_NONE || (i == w->nby && !mem_room_zeros(w->by, w->capby, w->nby + 1))) {
        return false;
    }
    w->nby += i == w->nby;
    w->by[i].begun++;
    w->by[i].ended += li.ended;
    w->by[i].alone +=
        !li.ended && li.creator != NO_LANE && trace_lane(c->tr, (struct lane){LANE_G, li.creator}).ended;
    w->by[i].quarter[q < 0 ? 0 : q > 3 ? 3 : q]++;
    if (li.ended || !trace_span_at(c->tr, l, li.last - 1, &s) || s.state != ST_WAITING) {
        return true;
    }
    if (!mem_room(w->v, w->cap, w->n + 1)) {
        return false;
    }
    w->v[w->n++] = (struct stands){li.create_stack, s.stack, s.t1 - s.t0};
    return true;
}

/* What is known of a group, found out when it is first asked for. NULL: out of memory. */
static const struct grown *grown_of(struct growths *k, struct causes *c, uint32_t group)
{
    for (size_t i = 0; i < k->n; i++) {
        if (k->v[i].group == group) {
            return &k->v[i];
        }
    }
    if (!mem_room(k->v, k->cap, k->n + 1)) {
        return NULL;
    }
    struct grown *w = &k->v[k->n++];
    *w = (struct grown){.group = group};
    for (uint32_t i = 0; i < c->of[group].n && (i % 128 || slices_tick()); i++) {
        if (!count(w, c, causes_nth(c, group, i))) {
            return NULL;
        }
    }
    return w;
}

struct growth growth_of(struct growths *k, struct causes *c, const struct leak_row *r, uint32_t group, double least)
{
    const struct grown *of = grown_of(k, c, group);
    struct growth w = {0};
    if (!of) {
        c->rs->failed = true;
        return w;
    }
    const uint32_t i = tab_get(&of->by_stack, r->create_stack, 0);
    if (i != TAB_NONE) {
        w = of->by[i];
    }
    for (size_t n = 0; n < of->n; n++) {
        const struct stands *s = &of->v[n];
        w.still += s->create_stack == r->create_stack && s->stack == r->stack && (double)s->ns >= least &&
                   s->ns >= c->tg->end / 20;
    }
    return w;
}

void growths_free(struct growths *k)
{
    for (size_t i = 0; i < k->n; i++) {
        tab_free(&k->v[i].by_stack);
        mem_free(k->v[i].by);
        mem_free(k->v[i].v);
    }
    mem_free(k->v);
    *k = (struct growths){0};
}

bool growth_all_along(const struct growth *w)
{
    bool all_along = (double)w->begun >= threshold(TH_LEAK_GROWS);
    for (int i = 0; i < 4; i++) {
        all_along &= w->quarter[i] >= threshold(TH_LEAK_QUARTER) * w->begun;
    }
    return all_along && (double)w->ended <= threshold(TH_LEAK_LEFT) * w->begun;
}

bool growth_for_good(const struct growth *w)
{
    return growth_all_along(w) && (double)w->alone >= threshold(TH_LEAK_ALONE) * w->begun;
}

void growth_begun(struct draft *d, const struct causes *c, const struct growth *w)
{
    text_say(&d->text, c->tr, w->begun, " begun (", w->quarter[0], ", ", w->quarter[1], ", ", w->quarter[2], ", ",
             w->quarter[3], " in the quarters of the trace), ", w->ended, " ended. ");
}
