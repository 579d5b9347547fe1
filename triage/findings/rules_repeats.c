/*
 * rules_repeats.c - the same small system call again and again in each request, or in each piece of work: none of them is long, and no
 * goroutine makes so many without a wait between that rules_small.c would see it, but together they are much of what the work has its
 * processor for.
 */
#include "triage/findings/causes.h"
#include "triage/findings/works.h"
#include "triage/findings/instances.h"
#include "triage/findings/requests.h"
#include "triage/findings/thresholds.h"

#define GROUPS 32
#define PLACES 16
#define SPANS 400000 /* of one group */
#define ENTER 1000   /* ns: what entering and leaving a call takes beside it, with tracing, about */

struct repeat { /* calls at one function of the program */
    uint32_t func, stack, g;
    uint64_t n, longest, vote; /* vote: for the stack that most of them have */
    int64_t ns, t0, t1;
};
struct repeats {
    const struct causes *c;
    struct span_iter it;
    struct repeat v[PLACES];
    uint32_t n, last, at; /* of the last stack: its row */
    uint64_t pieces, steps, waits;
    int64_t had, ran; /* the processor, or was in a call; of that not in a call */
};

static struct repeat *repeat_at(struct repeats *k, uint32_t stack)
{
    if (stack != k->last) {
        const uint32_t func = causes_place(k->c->tr, stack);
        k->last = stack;
        for (k->at = 0; k->at < k->n && k->v[k->at].func != func; k->at++) {
        }
        k->at = func ? k->at : PLACES;
        if (k->at == k->n && k->n < PLACES) {
            k->v[k->n++] = (struct repeat){.func = func, .stack = stack};
        }
    }
    return k->at < k->n ? &k->v[k->at] : NULL;
}

static void one_piece(void *arg, const struct workpiece *p)
{
    struct repeats *k = arg;
    uint64_t n[PLACES] = {0};
    struct span_iter *it = &k->it; /* pieces stand one behind another */
    bool more = k->steps < SPANS && span_seek_on(it, k->c->tr, (struct lane){LANE_G, p->g}, p->t0);
    k->pieces += more;
    for (; more && k->steps < SPANS && span_get(it)->t0 < p->t1; more = span_next(it), k->steps++) {
        const struct span *s = span_get(it);
        const bool call = s->state == ST_SYSCALL;
        k->ran = s->state == ST_RUNNING ? ns_add(k->ran, s->t1 - s->t0) : k->ran;
        k->had = call || s->state == ST_RUNNING || s->state == ST_ASSIST ? ns_add(k->had, s->t1 - s->t0) : k->had;
        k->waits += s->state == ST_WAITING;
        struct repeat *r = call && s->stack ? repeat_at(k, s->stack) : NULL;
        if (r) {
            r->stack = r->vote ? r->stack : s->stack;
            r->vote += s->stack == r->stack ? 1 : -1;
            r->n++;
            r->ns = ns_add(r->ns, s->t1 - s->t0);
            if (++n[k->at] > r->longest) {
                r->longest = n[k->at];
                r->g = p->g;
                r->t0 = p->t0;
                r->t1 = p->t1;
            }
        }
    }
}

static void repeat_finding(struct causes *c, const struct repeats *k, const struct repeat *r,
                           const struct work_kind *w)
{
    const double each = (double)r->n / (double)k->pieces, all = each * (double)w->n,
                 ns = (double)r->ns / (double)r->n * all,
                 beside =
                     (double)k->ran / (double)k->pieces * (double)w->n, /* entering and leaving is in what they ran */
        enter = all * ENTER < beside ? all * ENTER : beside,
                 had = (double)k->had / (double)k->pieces * (double)w->n / (double)c->tg->end,
                 at_once = had < 1          ? 1
                           : had < c->procs ? had
                                            : c->procs;
    struct draft d;
    draft_start(&d, RULE_SMALL_CALLS, (int64_t)(ns / at_once));
    d.f.won_hi = (int64_t)((ns + enter) / at_once);
    d.f.note = !threshold_reached(TH_SMALL_ALARM, d.f.severity_ns, c->tg->end);
    draft_about(&d, c->rs, r->func, r->stack);
    draft_at(&d, r->t0, r->t1, LANE_G, r->g);
    text_add(&d.amount, "%.0f", each);
    text_say(&d.text, c->tr, t_place(r->stack, 3), " makes ", t_f0(each), " system calls in each of the ",
             w->merged  ? "at least "
             : w->about ? "about "
                        : "",
             w->n, " ");
    works_name(&d.text, c, w);
    text_say(&d.text, c->tr, " on average", w->fed ? " (as far as one can be told from the next)" : "", ", about ",
             t_f0(all), " in all, of ", t_dur(r->ns / (int64_t)r->n), ": ", t_share((double)r->ns, (double)k->had),
             " of the processor time these have, and entering and leaving so many calls takes ",
             enter < beside ? "about " : "up to ", t_dur((int64_t)enter), " of processor time more.");
    if (!small_opens(&d.text, &d.next, c, r->func)) {
        text_add(&d.next, "%s", small_advice(c->tr, r->stack));
    }
    draft_end(c->rs, &d);
}

static bool repeats(const struct repeats *k, const struct repeat *r)
{
    return (double)r->n >= threshold(TH_SMALL_PIECE) * (double)k->pieces &&
           (double)r->n >= threshold(TH_SMALL_COUNT) && r->ns / (int64_t)r->n <= threshold_ns(TH_SMALL_LENGTH) &&
           (double)r->n >= threshold(TH_SMALL_BETWEEN) * (double)k->waits &&
           threshold_reached(TH_SMALL_PART, ns_add(r->ns, (int64_t)r->n * ENTER), k->had);
}

/*
 * Requests that make so many that few of them could be looked at one by one: from the table of all calls, those below the goroutines that
 * answer, and as many requests as there were watchers of their connections.
 */
static void by_table(const struct causes *c, const struct group *g, struct repeats *k, struct work_kind *w)
{
    const uint64_t requests = request_watchers(c->tg);
    if ((double)requests < threshold(TH_TIME_PIECES)) {
        return;
    }
    for (uint32_t i = 0; i < c->tg->nsyscalls; i++) {
        const struct syscall_row *y = &c->tg->syscalls[i];
        const uint32_t n = trace_stack(c->tr, y->stack);
        struct repeat *r = n && trace_frame(c->tr, y->stack, n - 1).func == g->name ? repeat_at(k, y->stack) : NULL;
        if (r) {
            if (y->count > r->vote) {
                r->vote = y->count;
                r->stack = y->stack;
                r->g = y->longest.g;
                r->t0 = y->longest.t0;
                r->t1 = y->longest.t1;
            }
            r->n += y->count;
            r->ns = ns_add(r->ns, y->total);
        }
    }
    k->pieces = w->n = requests;
    k->waits = requests;
    k->ran = g->d[GM_EXEC].total;
    k->had = ns_add(ns_add(g->d[GM_EXEC].total, g->d[GM_SYSCALL].total), g->d[GM_SYSBLOCK].total);
    w->about = true;
}

void rule_repeats(struct causes *c)
{
    for (uint32_t i = 0; i < c->tg->ngroups && i < GROUPS && !c->rs->failed; i++) {
        const struct group *g = &c->tg->groups[i];
        struct repeats k = {.c = c};
        struct work_kind w = {0};
        const struct repeat *best = NULL;
        if (g->is_system || (double)ns_add(g->d[GM_SYSCALL].total, g->d[GM_SYSBLOCK].total) <
                                threshold(TH_SMALL_PART) / 2 * (double)g->d[GM_EXEC].total) {
            continue;
        }
        if (!work_each(c, i, &w, one_piece, &k)) {
            c->rs->failed = true;
        }
        if (w.n == 0 && w.requests) {
            by_table(c, g, &k, &w);
        }
        for (uint32_t m = 0; m < k.n; m++) {
            best = repeats(&k, &k.v[m]) && (!best || k.v[m].ns > best->ns) ? &k.v[m] : best;
        }
        if (best && w.n && !causes_told_at(c, RULE_SMALL_CALLS, best->func)) {
            repeat_finding(c, &k, best, &w);
        }
    }
}
