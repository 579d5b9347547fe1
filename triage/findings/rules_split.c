/*
 * rules_split.c - work that is shared out at its beginning, each goroutine as many pieces, though pieces differ: one begins several at once
 * and waits for them all; some are done early, and their processors have nothing to do until the longest is done, too.
 *
 * Where only one is left for most of the time, or one has nearly all of the work, others tell it (rules_join.c, rules_leaks.c). A lot that
 * was begun once may just be so many different things; if each that began later takes longer, or shorter, it was split by number.
 */
#include "triage/findings/causes.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/waits_at.h"
#include "triage/findings/works.h"

#include <stdlib.h>

#include "decode/base/mem.h"

#define CHILDREN (1u << 16) /* of a group, looked at */
#define ASKED 12            /* pairs of groups */
#define LOT_MOST 256        /* goroutines of a lot */

struct child {
    uint32_t creator, g;
    int64_t first, last, ran;
};
struct split { /* of all lots of one group */
    struct causes *c;
    uint32_t parents, children; /* groups */
    uint32_t n, of, uneven;     /* lots; goroutines in them; lots that are uneven */
    uint32_t in_order;          /* of these: the later one begins the longer it runs, or the shorter */
    int64_t all, lost;          /* by the clock */
    int64_t most, mean, quick;  /* of the lot in which most is lost: what they ran */
    int64_t worst, t0, t1;      /* that lot */
    uint32_t slow, parent, stack;
};

static int cmp_child(const void *a, const void *b)
{
    const struct child *x = a, *y = b;
    return x->creator != y->creator ? (x->creator > y->creator) - (x->creator < y->creator)
           : x->first != y->first   ? (x->first > y->first) - (x->first < y->first)
                                    : (x->g > y->g) - (x->g < y->g);
}

/* Of the pairs of a lot, do nearly all differ in the same direction as they began? */
static bool by_number(const struct child *v, uint32_t n)
{
    uint32_t up = 0, pairs = 0;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = i + 1; k < n; k++, pairs++) {
            up += v[k].ran > v[i].ran;
        }
    }
    return n > 3 &&
           (threshold_reached(TH_SPLIT_ORDER, up, pairs) || threshold_reached(TH_SPLIT_ORDER, pairs - up, pairs));
}

static bool waits(const struct causes *c, uint32_t g, int64_t t, struct span *s)
{
    if (!trace_span_at(c->tr, (struct lane){LANE_G, g}, t, s) || s->state != ST_WAITING) {
        return false;
    }
    const enum wait_kind k = stacks_wait_kind(c->tr, s->reason, s->stack);
    return k == WK_WAITGROUP || k == WK_RECV || k == WK_SELECT || k == WK_COND;
}

/* n that were there together. */
static void lot_add(struct split *s, const struct child *v, uint32_t n)
{
    const struct causes *c = s->c;
    const double procs = (double)n < c->procs ? (double)n : c->procs;
    int64_t last = 0, ran = 0, lives = 0, most = 0, quick = INT64_MAX;
    uint32_t slow = 0, longest = 0;
    struct span w;
    for (uint32_t i = 0; i < n; i++) {
        slow = v[i].last > last ? v[i].g : slow;
        last = v[i].last > last ? v[i].last : last;
        longest = v[i].ran > most ? v[i].g : longest;
        most = v[i].ran > most ? v[i].ran : most;
        quick = v[i].ran < quick ? v[i].ran : quick;
        ran = ns_add(ran, v[i].ran);
        lives = ns_add(lives, v[i].last - v[i].first);
    }
    const int64_t length = last - v[0].first, mean = ran / (int64_t)n;
    const int64_t lost = length - (int64_t)((double)ran / procs);
    if ((double)n < threshold(TH_TEAM_WORKERS) || n > LOT_MOST || !threshold_reached(TH_SPLIT_RUNS, ran, lives) ||
        (double)(v[n - 1].first - v[0].first) > threshold(TH_TEAM_APART) * (double)length) {
        return;
    }
    s->n++;
    s->of += n;
    s->all = ns_add(s->all, length);
    if ((double)most < threshold(TH_SPLIT_MEAN) * (double)mean || !waits(c, v[0].creator, last - lost / 8, &w)) {
        return;
    }
    if (host_held(c, longest, v[0].first, last)) {
        return; /* its work may be no more than the others' */
    }
    s->uneven++;
    s->in_order += by_number(v, n);
    s->lost = ns_add(s->lost, lost);
    if (lost > s->worst) {
        s->worst = lost;
        s->t0 = v[0].first;
        s->t1 = last;
        s->slow = slow;
        s->parent = v[0].creator;
        s->stack = w.stack;
        s->most = most;
        s->mean = mean;
        s->quick = quick;
    }
}

static struct child *children_of(struct split *s, uint32_t *n)
{
    struct causes *c = s->c;
    const uint32_t most = c->of[s->children].n;
    struct child *v = mem_alloc(((size_t)most + 1) * sizeof *v);
    *n = 0;
    c->rs->failed |= !v;
    for (uint32_t i = 0; v && i < most; i++) {
        const uint32_t g = causes_nth(c, s->children, i);
        const struct lane_info li = trace_lane(c->tr, (struct lane){LANE_G, g});
        if (li.created && li.ended && li.creator < c->tg->ng && gstat_group(c->tg->g, li.creator) == s->parents) {
            v[(*n)++] = (struct child){li.creator, g, li.first, li.last, gstat_ns(c->tg->g, g, GM_EXEC)};
        }
    }
    if (*n) {
        qsort(v, *n, sizeof *v, cmp_child);
    }
    return v;
}

static void lots_of(struct split *s)
{
    uint32_t n;
    struct child *v = children_of(s, &n);
    for (uint32_t i = 0, k; v && i < n; i = k) {
        int64_t last = v[i].last;
        for (k = i + 1; k < n && v[k].creator == v[i].creator && v[k].first < last; k++) {
            last = v[k].last > last ? v[k].last : last;
        }
        lot_add(s, v + i, k - i);
    }
    mem_free(v);
}

static void finding(struct split *s)
{
    struct causes *c = s->c;
    const double of = (double)s->of / s->n;
    struct inside in;
    struct draft d;
    draft_start(&d, RULE_UNBALANCED, s->lost);
    draft_about(&d, c->rs, causes_place(c->tr, s->stack), s->stack);
    draft_at(&d, s->t0, s->t1, LANE_G, s->slow);
    d.f.inferred = true;
    text_share(&d.amount, (double)s->lost, (double)s->all);
    text_say(&d.text, c->tr, t_place(s->stack, 3), " starts ", t_f0(of), " goroutines of ",
             t_func(c->tg->groups[s->children].name), " at once", s->n > 1 ? ", again and again," : "",
             " and waits for all of them, but some have more to do than others: ");
    if (s->n > 1) {
        text_say(&d.text, c->tr, "in ", s->uneven, " of ", s->n, " such rounds the longest ran ",
                 t_f1(threshold(TH_SPLIT_MEAN)), " times the mean or more; in the worst ");
    }
    text_say(&d.text, c->tr, t_dur(s->most), s->n > 1 ? ", the mean is " : " the longest, the mean is ",
             t_dur(s->mean), ", the shortest ", t_dur(s->quick), ".");
    if (s->in_order * 4 >= s->uneven * 3) {
        text_lit(&d.text, " The later one of them starts the longer (or the shorter) it takes: that depends on the "
                          "share it is given (inferred).");
    }
    text_say(&d.text, c->tr, " Divided evenly it would take ", t_dur(s->lost), " less; ", t_f1(c->idle), " of ",
             t_f0(c->procs), " processors were idle.");
    if ((double)s->uneven <= threshold(TH_SPLIT_FEW) * (double)s->n) {
        text_lit(&d.text, " All other rounds are even: what made these few longer may be the host, or a rare piece.");
        d.f.note = true;
    }
    if (moments_inside(c, s->children, &in)) {
        text_lit(&d.text, " Most of it is in ");
        inside_name(&d.text, c, &in, 2);
        text_lit(&d.text, ".");
    }
    text_lit(
        &d.next,
        "Let each take the next small piece when it finishes one (a shared counter or channel) instead of a share "
        "fixed at the beginning; or give shares of equal work, not of equal number; or split long pieces.");
    draft_titled(c->rs, &d, "work divided unevenly");
}

static bool told(const struct causes *c)
{
    bool is = false;
    for (uint32_t i = 0; i < c->rs->out->n; i++) {
        const struct finding *f = &c->rs->out->f[i];
        is |= !f->note && (f->rule == RULE_SLOWEST || f->rule == RULE_UNBALANCED);
    }
    return is;
}

static void split_at(struct causes *c, uint32_t parents, uint32_t children)
{
    struct split s = {.c = c, .parents = parents, .children = children, .worst = -1};
    lots_of(&s);
    if (s.uneven == 0 || s.worst <= 0 || !causes_place(c->tr, s.stack)) {
        return;
    }
    const double width = (double)s.of / s.n < c->procs ? (double)s.of / s.n : c->procs;
    const int64_t idle =
        (int64_t)(c->idle * (double)c->tg->end / width); /* what stood idle is all that others could have done */
    s.lost = s.lost < idle ? s.lost : idle;
    if ((s.uneven > 1 || s.in_order) && threshold_reached(TH_SPLIT_LOST, s.lost, c->tg->end)) {
        finding(&s);
    }
}

void rules_split(struct causes *c)
{
    uint64_t seen[ASKED];
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->tg->npairs && i < PAIRS_ASKED && n < ASKED && !c->rs->failed && !told(c); i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        const bool kind = p->kind == WK_WAITGROUP || p->kind == WK_RECV || p->kind == WK_SELECT || p->kind == WK_COND;
        const uint32_t a = causes_group(c, p->waiter),
                       b = p->from_scheduler || !kind ? UINT32_MAX : causes_group(c, p->waker);
        const uint64_t key = (uint64_t)a << 32 | b;
        uint32_t k = 0;
        while (k < n && seen[k] != key) {
            k++;
        }
        if (a == UINT32_MAX || b == UINT32_MAX || a == b || k < n || c->idle < causes_idle_least(c) ||
            !c->life[b].program || c->of[b].n > CHILDREN || (double)c->of[b].n < threshold(TH_TEAM_WORKERS)) {
            continue;
        }
        seen[n++] = key;
        split_at(c, a, b);
    }
}
