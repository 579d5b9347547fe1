/*
 * rules_slow.c - why slow tasks are slow: the slow ones explained beside the usual ones, what differs most first; and
 * goroutines whose work is mostly quick and sometimes long, so that what comes meanwhile stands behind it.
 */
#include "triage/findings/causes.h"
#include "triage/findings/instances.h"
#include "triage/findings/thresholds.h"

#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"

#define USUAL 24
#define MOMENT 3 /* slow ones that lie across one moment are more than chance */

struct ran_at {
    const struct trace *tr;
    uint32_t func, stack, frame;
};

static uint32_t ran_part(void *arg, uint32_t up, const struct explain_part *p)
{
    struct ran_at *r = arg;
    struct ran ran;
    (void)up;
    if (p->cat == EX_RUN && p->depth == 0) {
        const uint32_t func = explain_place(r->tr, p, &r->stack, &r->frame, &ran);
        const bool sure = ran.how == RAN_IN || ran.how == RAN_ABOUT || ran.how == RAN_BETWEEN;
        r->func = sure && stacks_is_program(r->tr, func) ? func : 0;
    }
    return 0;
}

/* What ran on the processors while g stood runnable in [t0,t1): the function, by samples of moments. */
static bool ran_instead(struct causes *c, int64_t t0, int64_t t1, struct leaf *out)
{
    struct leaf v[16];
    uint32_t n = 0, best = 0;
    for (int k = 0; k < 16; k++) {
        int64_t t = t0 + (t1 - t0) * (2 * k + 1) / 32;
        for (uint32_t p = 0; p < c->tg->np && p < 256; p++) {
            struct span s;
            uint32_t i = 0;
            if (!trace_span_at(c->tr, (struct lane){LANE_P, p}, t, &s) || s.state != ST_RUNNING ||
                s.who >= c->tg->ng) {
                continue;
            }
            struct ran_at r = {.tr = c->tr};
            bool cut = false;
            c->rs->failed |= !explain_walk(c->x, s.who, t, t + 1, ran_part, &r, &cut);
            while (i < n && v[i].func != r.func) {
                i++;
            }
            if (!r.func || i == 16) {
                continue;
            }
            if (i == n) {
                v[n++] = (struct leaf){.func = r.func, .stack = r.stack, .frame = r.frame};
            }
            best = ++v[i].count > v[best].count ? i : best;
        }
    }
    if (n) {
        *out = v[best];
    }
    return n > 0;
}

static bool tree_of_instances(struct causes *c, const struct span_type *y, struct leaves *slow, struct leaves *usual)
{
    const struct task *k;
    const struct region *r;
    size_t n = y->is_region ? trace_regions(c->tr, &r) : trace_tasks(c->tr, &k), seen = 0;
    struct explain_tree s, u;
    bool ok = explain_tree_init(&s, c->tr);
    ok = explain_tree_init(&u, c->tr) && ok;
    for (uint32_t i = 0; ok && i < y->nslow && y->slow[i].t1 - y->slow[i].t0 > 2 * y->d.p50; i++) {
        ok = explain_add(c->x, &s, y->slow[i].g, y->slow[i].t0, y->slow[i].t1);
    }
    for (size_t i = 0; ok && i < n && seen < USUAL; i++) {
        uint32_t name = y->is_region ? r[i].name : k[i].name, g = y->is_region ? r[i].g : k[i].g;
        int64_t t0 = y->is_region ? r[i].t0 : k[i].t0, t1 = y->is_region ? r[i].t1 : k[i].t1;
        if (name == y->name && t1 - t0 <= y->d.p50) {
            seen++;
            ok = explain_add(c->x, &u, g, t0, t1);
        }
    }
    if (ok) {
        causes_leaves(&s, slow);
        causes_leaves(&u, usual);
    }
    explain_tree_free(&s);
    explain_tree_free(&u);
    return ok;
}

/* Per instance, what a leaf takes in the usual ones. */
static int64_t usually(const struct leaves *u, const struct leaf *l, uint64_t n)
{
    for (uint32_t i = 0; i < u->n && n; i++) {
        if (u->v[i].cat == l->cat && u->v[i].func == l->func) {
            return u->v[i].ns / (int64_t)n;
        }
    }
    return 0;
}

/*
 * Do nearly all slow ones lie across one moment? Then something stood still there, once: the host, a service, the disk. What is slow
 * again and again doesn't. *at: that moment.
 */
static bool one_moment(const struct causes *c, const struct span_type *y, int64_t *at)
{
    const struct task *k;
    const struct region *r;
    const size_t n = y->is_region ? trace_regions(c->tr, &r) : trace_tasks(c->tr, &k);
    int64_t end = INT64_MAX, all = 0, elsewhere = 0;
    *at = y->slow[0].t0;
    for (uint32_t i = 0; i < y->nslow && i < MOMENT; i++) {
        *at = y->slow[i].t0 > *at ? y->slow[i].t0 : *at;
        end = y->slow[i].t1 < end ? y->slow[i].t1 : end;
    }
    for (size_t i = 0; i < n && y->nslow >= MOMENT && *at < end; i++) {
        const uint32_t name = y->is_region ? r[i].name : k[i].name;
        const int64_t t0 = y->is_region ? r[i].t0 : k[i].t0, t1 = y->is_region ? r[i].t1 : k[i].t1;
        if (name == y->name && (double)(t1 - t0) >= threshold(TH_SLOW_MEDIAN) * (double)y->d.p50) {
            all = ns_add(all, t1 - t0);
            elsewhere = t0 > *at || t1 < *at ? ns_add(elsewhere, t1 - t0) : elsewhere;
        }
    }
    return all > 0 && !threshold_reached(TH_SLOW_ELSEWHERE, elsewhere, all);
}

static void tell_slow(struct causes *c, struct finding *f)
{
    for (uint32_t i = 0; i < c->tg->ntypes; i++) {
        const struct span_type *y = &c->tg->types[i];
        struct leaves s, u;
        struct text before = {0}, behind = {0};
        uint32_t best = 0;
        if (!y->nslow || y->slow[0].t0 != f->t0 || y->slow[0].t1 != f->t1) {
            continue;
        }
        if (!tree_of_instances(c, y, &s, &u)) {
            c->rs->failed = true;
            return;
        }
        uint64_t ns = 0, nu = USUAL;
        for (; ns < y->nslow && y->slow[ns].t1 - y->slow[ns].t0 > 2 * y->d.p50; ns++) {
        }
        if (s.n == 0 || ns == 0) {
            return;
        }
        for (uint32_t k = 1; k < s.n; k++) {
            int64_t d = s.v[k].ns / (int64_t)ns - usually(&u, &s.v[k], nu),
                    b = s.v[best].ns / (int64_t)ns - usually(&u, &s.v[best], nu);
            best = d > b ? k : best;
        }
        if (!s.v[best].stack) {
            return;
        }
        const struct leaf *l = &s.v[best];
        struct leaf ran;
        f->queued = l->cat == EX_SCHED;
        if ((l->cat == EX_SCHED) && ran_instead(c, l->t0, l->t1, &ran)) {
            causes_calls_text(&before, c->tr, &ran);
            text_lit(&before, " has the processors while the slow ones wait for one. ");
        } else {
            causes_calls_text(&before, c->tr, l);
            text_lit(&before, " is what the slow ones spend more time on. ");
        }
        text_add(&behind, " Followed to its end, the %llu slowest were ", (unsigned long long)ns);
        for (uint32_t k = 0; k < s.n && k < 3 && (k == 0 || s.v[k].ns > s.all / 20); k++) {
            text_raw(&behind, "; ", k ? 2 : 0);
            causes_leaf_text(&behind, c->tr, &s.v[k], s.all);
        }
        text_lit(&behind, ".");
        for (uint32_t k = 0; k < s.n; k++) {
            if (s.v[k].cat == EX_SCHED && k != best && s.v[k].ns > s.all / 10 &&
                ran_instead(c, s.v[k].t0, s.v[k].t1, &ran)) {
                text_lit(&behind, " While they waited for a processor, the processors had ");
                causes_calls_text(&behind, c->tr, &ran);
                text_lit(&behind, ".");
                break;
            }
        }
        int64_t at;
        if (one_moment(c, y, &at)) {
            text_lit(&behind, " Most of the time of the slow ones lies across one moment (@");
            text_dur(&behind, at);
            text_lit(&behind, "): something stood still then, once; what it was may be outside.");
            f->note = true;
        }
        if (l->cat == EX_RUN && usually(&u, l, nu) > 0) { /* what all of them do, only longer */
            text_lit(&behind, " They ran longer in what the usual ones run, too: more work, or a host that took the "
                              "thread away; a trace "
                              "can't tell which.");
            f->note = true;
        }
        causes_retell(c->rs, f, &before, &behind);
        return;
    }
}

/* ---- quick and long work of one goroutine ------------------------------------------------------------------------------ */

#define ITEMS threshold(TH_LINE_ITEMS)
#define LONG_TIMES threshold(TH_LINE_TIMES)
#define LONG_LEAST threshold_ns(TH_LINE_LEAST)
#define LONG_SHARE threshold(TH_LINE_SHARE)
#define STEPS 5000 /* spans of each goroutine */

struct items {
    int64_t *v;
    size_t n, cap;
    int64_t longest, t0, t1;
    uint32_t stack;   /* where it stopped within the longest, else where it waits for work */
    uint64_t answers; /* items at the end of which it woke somebody */
};

static bool item_add(struct items *k, int64_t t0, int64_t t1, int64_t ran, uint32_t within, uint32_t after)
{
    int64_t *p = mem_grow(k->v, &k->cap, k->n + 1, sizeof *p);
    if (!p) {
        return false;
    }
    k->v = p;
    p[k->n++] = ran;
    if (ran > k->longest) {
        k->longest = ran;
        k->t0 = t0;
        k->t1 = t1;
        k->stack = within ? within : after;
    }
    return true;
}

/* Work between two waits for more of it on a channel. */
static bool items_of(const struct causes *c, uint32_t g, struct items *k)
{
    struct span_iter it;
    int64_t since = NO_TIME, ran = 0;
    uint32_t within = 0, name = c->tg->groups[gstat_group(c->tg->g, g)].name;
    if (!span_seek_index(&it, c->tr, (struct lane){LANE_G, g}, 0)) {
        return true;
    }
    for (int i = 0; i < STEPS; i++) {
        const struct span *s = span_get(&it);
        if (s->state == ST_WAITING) {
            bool work = instance_wants_more(c->tr, name, s->reason, s->stack);
            if (since != NO_TIME && !(work ? item_add(k, since, s->t0, ran, within, s->stack) : true)) {
                return false;
            }
            since = work ? s->t1 : NO_TIME; /* an item that waits itself is another matter */
            within = 0;
            ran = 0;
        } else if (s->state != ST_RUNNABLE) {
            ran += s->t1 - s->t0;
        } else if (s->state == ST_RUNNABLE && s->who == NO_LANE && s->stack) {
            within = s->stack;
        }
        if (!span_next(&it)) {
            break;
        }
    }
    return true;
}

/*
 * Does it take in what others wait to send? Then it never waits while they stand behind it, and what lies between two of
 * its waits is no piece of work, but as many as there were.
 */
static bool takes_at_once(const struct causes *c, uint32_t name, size_t pieces)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        n += !p->from_scheduler && p->waker == name && p->kind == WK_SEND ? p->count : 0;
    }
    return n > pieces / 4;
}

static void rule_line(struct causes *c)
{
    for (uint32_t i = 0; i < c->tg->ngroups && i < 32 && !c->rs->failed; i++) {
        struct items k = {0};
        int64_t life = 0, lost = 0;
        uint64_t many = 0;
        uint32_t g = NO_LANE;
        struct draft d;
        if (!c->life[i].program || !c->life[i].by[WK_RECV] + !c->life[i].by[WK_SELECT] == 2 ||
            c->of[i].n > threshold(TH_LINE_MEMBERS)) {
            continue;
        }
        for (uint32_t m = 0; m < c->of[i].n; m++) {
            uint32_t at = c->member[c->of[i].at + m];
            int64_t before = k.longest;
            c->rs->failed |= !items_of(c, at, &k);
            g = k.longest > before ? at : g;
            life = ns_add(life, gstat_ns(c->tg->g, at, GM_LIFE));
        }
        if (k.n) {
            qsort(k.v, k.n, sizeof *k.v, cmp_ns);
        }
        int64_t usual = k.n ? k.v[k.n / 2] : 0;
        for (size_t m = 0; m < k.n; m++) {
            if ((double)k.v[m] >= LONG_TIMES * (double)usual && k.v[m] >= LONG_LEAST) {
                lost = ns_add(lost, k.v[m]);
                many++;
            }
        }
        mem_free(k.v);
        if ((double)k.n < ITEMS || g == NO_LANE || takes_at_once(c, c->tg->groups[i].name, k.n) ||
            (double)many < threshold(TH_LINE_LONGS) || (double)lost < LONG_SHARE * (double)life ||
            c->idle < threshold(TH_BOTTLE_IDLE)) {
            continue;
        }
        draft_start(&d, RULE_LINE, 0);
        d.f.note = true;
        draft_subject(&d, c->rs, causes_place(c->tr, k.stack) ? causes_place(c->tr, k.stack) : c->tg->groups[i].name);
        draft_at(&d, k.t0, k.t1, LANE_G, g);
        d.f.stack = k.stack;
        text_dur(&d.amount, k.longest);
        text_calls(&d.text, c->tr, k.stack, stacks_user_frame(c->tr, k.stack), 3);
        text_add(&d.text, ": half of the work of %u goroutines of ", c->of[i].n);
        text_func(&d.text, c->tr, c->tg->groups[i].name, 0);
        text_lit(&d.text, " between two waits for more takes ");
        text_dur(&d.text, usual);
        text_add(&d.text, " or less, but %llu of %zu pieces took %.0f times as much and up to ",
                 (unsigned long long)many, k.n, LONG_TIMES);
        text_dur(&d.text, k.longest);
        text_lit(&d.text, ", ");
        text_share(&d.text, (double)lost, (double)life);
        text_lit(&d.text, " of their life: what comes meanwhile stands behind it.");
        text_add(&d.next, "Let long work go to goroutines of its own, so that short work need not wait behind it.");
        draft_end(c->rs, &d);
    }
}

void rules_slow(struct causes *c)
{
    for (uint32_t i = 0; i < c->rs->out->n && !c->rs->failed; i++) {
        if (c->rs->out->f[i].rule == RULE_SLOW_TASK) {
            tell_slow(c, &c->rs->out->f[i]);
        }
    }
    rule_line(c);
}
