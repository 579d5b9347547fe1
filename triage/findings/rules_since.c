/*
 * rules_since.c - since when: where the waits that a finding is about were short, or hardly any, until some moment, and are long ever since,
 * it says so. A fault that began late is told with that moment: what changed about then is what to look for.
 */
#include "triage/findings/course.h"
#include "triage/findings/retell.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"

#include <stdlib.h>
#include <string.h>

#define MEMBERS 16                /* goroutines of the group */
#define STEPS 128                 /* spans of each in a slice */
#define ASKED 12                  /* findings */
#define LEAST 3                   /* slices on either side that are compared */
#define BEGUN (COURSE_SLICES / 4) /* a change in the first of them is how a program starts */
#define PART 0.10                 /* of the trace that such waits last together, at least */
#define LONGER 3.0                /* times as long, or .. */
#define MORE 4.0                  /* .. times as many that wait, and .. */
#define WAITING 0.5               /* .. so many, on average */
#define LIVES 0.8 /* of a group whose goroutines are there for less of the trace not all are there at once */

/* Of one goroutine: the spans with which each slice begins. */
static void waits_of(const struct causes *c, uint32_t g, struct course *k)
{
    const int64_t width = c->tg->end / COURSE_SLICES + 1;
    uint32_t last = 0;
    bool at = false;
    for (int i = 0; i < COURSE_SLICES; i++) {
        const int64_t a = width * i, z = a + width;
        struct walk w;
        walk_at(&w, c->tr, g, a, STEPS);
        for (const struct span *s; (s = walk_next(&w)) && s->t0 < z;) {
            const int64_t t0 = s->t0 > a ? s->t0 : a, t1 = s->t1 < z ? s->t1 : z;
            const double ns = t1 > t0 ? (double)(t1 - t0) : 0;
            k->seen[i] += ns;
            if (s->state != ST_WAITING) {
                continue;
            }
            at = s->stack == last ? at
                                  : causes_place(c->tr, s->stack) == k->place &&
                                        stacks_wait_kind(c->tr, s->reason, s->stack) == k->most->kind;
            last = s->stack;
            k->there[i] += at ? ns : 0;
            if (at && s->t0 >= a && !s->open_end) {
                k->ns[i] += (double)(s->t1 - s->t0);
                k->n[i]++;
            }
        }
    }
}

static int cmp_double(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* What a slice has, on average, on one side of a moment: sorted. Slices of which nothing is known are left out. */
struct side {
    double v[COURSE_SLICES], mean;
    int n;
};
static void side_of(const double *sum, const double *weight, int from, int to, struct side *out)
{
    double all = 0, of = 0;
    out->n = 0;
    for (int i = from; i < to; i++) {
        if (weight[i] > 0) {
            out->v[out->n++] = sum[i] / weight[i];
            all += sum[i];
            of += weight[i];
        }
    }
    out->mean = of > 0 ? all / of : 0;
    qsort(out->v, (size_t)out->n, sizeof out->v[0], cmp_double);
}

/*
 * Is there a moment from which on it is `times` as much on average as before, and in nearly each slice twice what it was in nearly any before?
 * Out of seven one may be otherwise: the host takes processors away now and then.
 */
static bool changes(const double *sum, const double *weight, double times, struct change *out)
{
    double most = 0;
    for (int at = LEAST; at <= COURSE_SLICES - LEAST; at++) {
        struct side b, s;
        side_of(sum, weight, 0, at, &b);
        side_of(sum, weight, at, COURSE_SLICES, &s);
        const double apart =
            (s.mean - b.mean) * (s.mean - b.mean) * b.n * s.n; /* what tells the two sides apart best */
        if (b.n < LEAST || s.n < LEAST || s.mean < b.mean || apart <= most) {
            continue;
        }
        most = apart;
        const double low = s.v[s.n / 7], high = b.v[b.n - 1 - b.n / 7];
        *out = (struct change){at >= BEGUN && low > 0 && low >= 2 * high && s.mean >= times * b.mean ? at : 0, b.mean,
                               s.mean};
    }
    return most > 0 && out->at > 0;
}

bool course_at(const struct causes *c, uint32_t place, struct course *k)
{
    *k = (struct course){.place = place};
    for (uint32_t i = 0; i < c->tg->npairs && k->place; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        if ((!k->most || p->total > k->most->total) && causes_place(c->tr, p->stack) == k->place) {
            k->most = p;
        }
    }
    k->group = k->most ? causes_group(c, k->most->waiter) : UINT32_MAX;
    if (k->group == UINT32_MAX || (double)k->most->count < threshold(TH_BOTTLE_WAITS) ||
        (double)k->most->total < PART * (double)c->tg->end) {
        return false;
    }
    k->looked = c->of[k->group].n < MEMBERS ? c->of[k->group].n : MEMBERS;
    for (uint32_t i = 0; i < k->looked; i++) {
        const uint32_t g = causes_member(c, k->group, i, MEMBERS);
        const struct lane_info li = trace_lane(c->tr, (struct lane){LANE_G, g});
        k->lives += (double)(li.last - li.first) / (double)c->tg->end / k->looked;
        waits_of(c, g, k);
    }
    return true;
}

bool course_longer(const struct course *k, struct change *out)
{
    return changes(k->ns, k->n, LONGER, out);
}

int64_t course_moment(const struct causes *c, const struct change *v)
{
    return (int64_t)((double)v->at * (double)c->tg->end / COURSE_SLICES);
}

static void more_text(struct text *t, const struct causes *c, const struct course *k, const struct change *v,
                      int64_t when)
{
    const double all = (double)c->of[k->group].n;
    if (k->lives >= LIVES) {
        text_say(t, c->tr, " In ", t_func(k->place), " ", t_f1(v->before * all), " goroutines of ",
                 t_func(k->most->waiter), " waited on average until about ", t_dur(when), ", and ",
                 t_f1(v->since * all), " since then.");
    } else {
        text_say(t, c->tr, " Goroutines of ", t_func(k->most->waiter), " spent ", t_share(v->before, 1),
                 " of their time waiting in ", t_func(k->place), " until about ", t_dur(when), ", and ",
                 t_share(v->since, 1), " since then.");
    }
}

static bool since_text(struct text *t, const struct causes *c, const struct course *k, int64_t *when)
{
    struct change v;
    const double at_once = k->lives >= LIVES ? (double)c->of[k->group].n : c->life[k->group].n;
    if (course_longer(k, &v)) {
        *when = course_moment(c, &v);
        text_say(t, c->tr, " Waits in ", t_func(k->place), " took ", t_dur((int64_t)v.before),
                 " on average until about ", t_dur(*when), ", and ", t_dur((int64_t)v.since), " since then.");
        return true;
    }
    if (changes(k->there, k->seen, MORE, &v) && v.since * at_once >= WAITING) {
        *when = course_moment(c, &v);
        more_text(t, c, k, &v, *when);
        return true;
    }
    return false;
}

void rules_since(struct causes *c)
{
    for (uint32_t i = 0, asked = 0; i < c->rs->out->n && asked < ASKED && !c->rs->failed; i++) {
        struct finding *f = &c->rs->out->f[i];
        struct text t = {0}, next = {0};
        struct course k;
        int64_t when;
        if (f->for_good || f->later || !f->stack || !course_at(c, causes_place(c->tr, f->stack), &k)) {
            continue;
        }
        asked++;
        if (since_text(&t, c, &k, &when)) {
            retell_behind(c->rs, f, &t);
            text_say(&next, c->tr, "Find out what changed at about ", t_dur(when), ". ");
            text_raw(&next, f->next, strlen(f->next));
            retell_advice(c->rs, f, &next);
        }
    }
}
