/*
 * claims.c - see claims.h. Quantities are compared as logarithms of what they are and a floor: what is below
 * the floor matters to nobody, so that its ratio says nothing.
 */
#include "triage/diff/claims.h"

#include <math.h>
#include <string.h>

#include "decode/base/order.h"

#define RESAMPLES 200
#define BLOCK (PROFILE_SLICES / 8)
#define PRIOR_RUNS 4 /* as if so many more runs had shown the spread we expect of any program */
#define SURE 3.0     /* standard errors beyond which it moved */

/* Each kind has a spread that is expected before any run is seen, and changes below which nothing matters.
 * Floors and amounts are shares, of a second (time) or of all waits and calls (count); the counts of the
 * collector and of stops are per second, the time of a work is seconds a piece. */
enum { COUNT, TIME };
static const struct kind {
    double floor[2];
    double spread[2]; /* of the logarithm, from run to run of one program */
    double factor[2]; /* smaller changes are not claimed */
    double amount;    /* nor less time than this, or for MK_CALL and MK_TAKE less of all counts */
} kinds[MK_KINDS] = {
    [MK_WORK] = {{0, 1e-6}, {0.20, 0.20}, {1.5, 1.5}, 0},
    [MK_LOCK] = {{0.010, 0.01}, {0.20, 0.30}, {1.5, 1.8}, 0.02},
    [MK_GIVE] = {{0.020, 0.05}, {0.20, 0.35}, {2.0, 2.0}, 0.10},
    [MK_GC] = {{2, 0.02}, {0.15, 0.20}, {1.8, 1.5}, 0.01},
    [MK_STOP] = {{2, 0.005}, {0.20, 0.40}, {2.0, 2.0}, 0.005},
    [MK_RUN] = {{0.050, 0.03}, {0.20, 0.30}, {2.0, 2.0}, 0.08},
    [MK_CALL] = {{0.030, 0.03}, {0.15, 0.40}, {2.0, 2.0}, 0.05},
    [MK_TAKE] = {{0.030, 0.05}, {0.15, 0.40}, {2.0, 2.0}, 0.05},
};

struct judge {
    struct side side[2];
    double pace[2][RUNS_MAX]; /* of each run, against the first */
    bool by_work;             /* how often pieces of work are done */
    double all;               /* waits and calls a second, at the first run's pace */
};

static double run_seconds(const struct profile *p)
{
    return p->end > 0 ? (double)p->end / 1e9 : 1;
}

/* ---- pace ---------------------------------------------------------------------------------------------- */

struct ratio {
    double log, weight;
};

ORDER(cmp_ratio, struct ratio, LEAST(r->log))

#define RATIOS 256
#define ENOUGH 30 /* fewer tell no pace */
/* Returns how often things happen in run p against run r: the weighted median over the works, or the waits
 * and calls, that are frequent in both; 0: none is. */
static double pace(const struct profile *r, const struct profile *p, bool by_work)
{
    struct ratio v[RATIOS];
    uint32_t n = 0;
    double half = 0;
    for (uint32_t i = 0; i < r->n && n < RATIOS; i++) {
        const struct measure *x = &r->m[i], *y = profile_find(p, x->kind, x->name);
        if ((by_work ? x->kind == MK_WORK : x->kind == MK_TAKE || x->kind == MK_CALL) && y &&
            x->count[PROFILE_ALL] >= ENOUGH && y->count[PROFILE_ALL] >= ENOUGH) {
            v[n++] = (struct ratio){log(y->count[PROFILE_ALL] / run_seconds(p)) -
                                        log(x->count[PROFILE_ALL] / run_seconds(r)),
                                    fmin(x->count[PROFILE_ALL], y->count[PROFILE_ALL])};
            half += v[n - 1].weight / 2;
        }
    }
    if (n == 0)
        return 0;
    sort(v, n, cmp_ratio);
    const uint32_t i = find_first(k, n - 1, (half -= v[k].weight) <= 0);
    return exp(v[i].log);
}

/* ---- one quantity -------------------------------------------------------------------------------------- */

struct portion {
    double num, den;
};

/* Returns a quantity in one slice of a run, or in all of it. m is NULL if the run does not have it. */
static struct portion quantity(const struct profile *p, const struct measure *m, double pace_of, int what,
                               int i)
{
    const double part = i == PROFILE_ALL ? 1 : 1.0 / PROFILE_SLICES;
    if (what == COUNT)
        return (struct portion){m ? m->count[i] : 0, run_seconds(p) * part * pace_of};
    if (!m)
        return (struct portion){0, (double)p->end * part};
    if (m->kind == MK_WORK)
        return (struct portion){m->ns[i] / 1e9, m->count[i]};
    struct portion r = {m->ns[i], m->kind == MK_GC ? p->busy[i] : (double)p->end * part};
    if (m->kind == MK_RUN)
        r.den *= p->procs > 0 ? p->procs * pace_of : pace_of;
    return r;
}

/* This is xorshift: its numbers are the same each time, so that a verdict is the same, too. */
static uint64_t next_random(uint64_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return *s;
}

/* Returns how far the logarithm of a run's quantity may be off, by moving blocks of its own time. */
static double own_spread(const struct profile *p, const struct measure *m, double pace_of, int what,
                         double floor)
{
    uint64_t seed = 88172645463325252u;
    double sum = 0, squares = 0;
    if (!m)
        return 0;
    for (int r = 0; r < RESAMPLES; r++) {
        double num = 0, den = 0, v;
        for (int b = 0; b < PROFILE_SLICES / BLOCK; b++) {
            int at = (int)(next_random(&seed) % PROFILE_SLICES);
            for (int i = 0; i < BLOCK; i++) {
                const struct portion x = quantity(p, m, pace_of, what, (at + i) % PROFILE_SLICES);
                num += x.num;
                den += x.den;
            }
        }
        v = log((den > 0 ? num / den : 0) + floor);
        sum += v;
        squares += v * v;
    }
    return sqrt(fmax(0, squares / RESAMPLES - sum / RESAMPLES * (sum / RESAMPLES)));
}

struct stats {
    double mean, value, squares; /* of the logarithms; plain mean; squared deviations between runs */
    double own;                  /* variance of the mean that one run's own time tells */
};

static struct stats stats_of(const struct judge *j, int s, const char *name, enum measure_kind kind, int what,
                             double floor)
{
    const struct side *side = &j->side[s];
    struct stats st = {0};
    double sum2 = 0;
    for (uint32_t i = 0; i < side->n; i++) {
        const struct profile *p = &side->run[i];
        const struct measure *m = profile_find(p, kind, name);
        const struct portion r = quantity(p, m, j->pace[s][i], what, PROFILE_ALL);
        const double v = r.den > 0 ? r.num / r.den : 0;
        st.value += v / side->n;
        st.mean += log(v + floor) / side->n;
        sum2 += log(v + floor) * log(v + floor);
        if (side->n == 1) {
            double own = own_spread(p, m, j->pace[s][i], what, floor);
            /* Cycles depend on what is allocated: a run may end with one more or less. */
            if (kind == MK_GC && what == COUNT && r.den > 0)
                own = fmin(own, log((r.num + 1) / r.den + floor) - log(v + floor));
            st.own = own * own;
        }
    }
    st.squares = fmax(0, sum2 - side->n * st.mean * st.mean);
    return st;
}

static struct moved moved_of(const struct judge *j, const char *name, enum measure_kind kind, int what)
{
    const double prior = kinds[kind].spread[what], least = log(kinds[kind].factor[what]);
    const uint32_t na = j->side[0].n, nb = j->side[1].n;
    double floor = kinds[kind].floor[what];
    if (what == COUNT && kind != MK_GC && kind != MK_STOP)
        floor *= j->all;
    floor = floor > 0 ? floor : 1e-9;
    const struct stats a = stats_of(j, 0, name, kind, what, floor),
                       b = stats_of(j, 1, name, kind, what, floor);
    double between = (PRIOR_RUNS * prior * prior + a.squares + b.squares) / (PRIOR_RUNS + na + nb - 2);
    double error = sqrt(between / na + between / nb + a.own + b.own), d = b.mean - a.mean;
    return (struct moved){.old = a.value,
                          .new = b.value,
                          .factor = exp(d),
                          .low = exp(d - 2.6 * error),
                          .high = exp(d + 2.6 * error),
                          .sure = fabs(d) > SURE *error &&fabs(d) > least};
}

/* ---- what is claimed ----------------------------------------------------------------------------------- */

/* It is in most runs of one side and in almost none of the other: a newly contended place. */
#define NEW_WAITS 30
#define NEW_SLICES (PROFILE_SLICES / 8)
#define NEW_TIMES 10
#define NEW_TIME 0.01

ORDER(cmp_double, double, LEAST(*r))

/* Counts the waits of a side's median run, if they come all through it, and those of the run with most. */
static double usual_waits(const struct side *s, const struct change *c, double *most)
{
    double v[RUNS_MAX];
    *most = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        const struct measure *m = profile_find(&s->run[i], c->kind, c->name);
        int slices = 0;
        for (int k = 0; m && k < PROFILE_SLICES; k++)
            slices += m->count[k] > 0;
        v[i] = m && slices >= NEW_SLICES ? m->count[PROFILE_ALL] : 0;
        *most = fmax(*most, m ? m->count[PROFILE_ALL] : 0);
    }
    sort(v, s->n, cmp_double);
    return v[(s->n - 1) / 2];
}

/* That goroutines wait where none waited before, or the reverse, is no chance, however little it is. */
static bool appeared(const struct judge *j, const struct change *c)
{
    double most[2];
    const double was = usual_waits(&j->side[0], c, &most[0]), is = usual_waits(&j->side[1], c, &most[1]);
    return fmax(c->time.old, c->time.new) >= NEW_TIME &&
           (is >= NEW_WAITS + NEW_TIMES * most[0] || was >= NEW_WAITS + NEW_TIMES * most[1]);
}

static double far(const struct moved *m)
{
    return fmax(m->factor, 1 / m->factor);
}

/* Returns whether one side has three times as many events as the other, and 20 a second more. */
static bool many_more(const struct moved *m)
{
    return fmax(m->old, m->new) >= 3 * fmin(m->old, m->new) + 20;
}

#define REST_FLOOR 0.005 /* of the processor time: a run below it says nothing about the host */

/* Returns the running time of all other start functions per event: the logarithm's mean over the runs of a
 * side. */
static double rest_changed(const struct judge *j, int s, const struct change *c, double *least)
{
    double mean = 0;
    for (uint32_t i = 0; i < j->side[s].n; i++) {
        const struct profile *p = &j->side[s].run[i];
        double num = 0, den = (double)p->end * (p->procs > 0 ? p->procs : 1) * j->pace[s][i];
        for (uint32_t k = 0; k < p->n; k++)
            num += p->m[k].kind == MK_RUN && strcmp(p->m[k].name, c->name) != 0 ? p->m[k].ns[PROFILE_ALL] : 0;
        double v = den > 0 ? num / den : 0;
        *least = fmin(*least, v);
        mean += log(v + REST_FLOOR) / j->side[s].n;
    }
    return mean;
}

/* A host that takes processors away lengthens all runs by about the same factor, so a change that other
 * functions share is not one of this function. If hardly anything runs beside it, this cannot be decided. */
static bool more_than_the_rest(const struct judge *j, const struct change *c)
{
    double least = 1, rest = -rest_changed(j, 0, c, &least);
    rest += rest_changed(j, 1, c, &least);
    bool same_way = rest != 0 && (rest > 0) == (c->time.factor > 1);
    return least < REST_FLOOR || !same_way ||
           fabs(log(c->time.factor)) - fabs(rest) > log(kinds[c->kind].factor[TIME]);
}

#define MUCH_MORE 4

static bool matters(const struct judge *j, const struct change *c)
{
    const struct kind *k = &kinds[c->kind];
    double dt = fabs(c->time.new - c->time.old), dc = fabs(c->count.new - c->count.old);
    bool same_way = (c->time.new > c->time.old) == (c->count.new > c->count.old);
    switch (c->kind) {
    case MK_WORK: return c->time.sure;
    case MK_LOCK:
        if (appeared(j, c))
            return true;
        /* It happens more often and longer, or much longer and not by one burst. */
        if (dt >= k->amount && c->count.sure && same_way && far(&c->count) > MUCH_MORE &&
            many_more(&c->count))
            return true; /* a burst on one side hides a change of the time, but not of the count */
        return dt >= k->amount && c->time.sure && same_way &&
               (c->count.sure || (far(&c->time) > 4 && many_more(&c->count)));
    case MK_GIVE: return dt >= k->amount && c->time.sure && c->count.sure && same_way;
    case MK_GC: return dt >= k->amount && same_way && (c->count.sure || (c->time.sure && dt >= 0.05));
    case MK_STOP: return c->count.sure && same_way && dt >= k->amount;
    case MK_RUN: return dt >= k->amount && c->time.sure && more_than_the_rest(j, c);
    case MK_CALL:
    case MK_TAKE: return dc >= k->amount * j->all && c->count.sure;
    case MK_KINDS: break;
    }
    return false;
}

/* Returns the size of a change relative to the usual spread; used for the order. */
static double reach(const struct change *c)
{
    const struct kind *k = &kinds[c->kind];
    double t = fabs(log(c->time.factor)), n = fabs(log(c->count.factor));
    return c->kind == MK_WORK ? t / k->spread[TIME]
           : c->kind == MK_CALL || c->kind == MK_TAKE
               ? n / k->spread[COUNT]
               : fmin(t / k->spread[TIME], 3) + fmin(n / k->spread[COUNT], 3);
}

ORDER(cmp_change, struct change,
      MOST(r->claimed) LEAST(r->claimed ? (int)r->kind : 0)
          MOST(r->claimed ? fabs(r->time.new - r->time.old) : reach(r)) LEAST(r->kind) ALPHA(r->name))

static double goal_over_live(const struct side *s)
{
    double sum = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        if (s->run[i].heap_live <= 0 || s->run[i].heap_goal <= 0)
            return 0;
        sum += s->run[i].heap_goal / s->run[i].heap_live / s->n;
    }
    return sum;
}

static const char *gc_why(const struct judge *j)
{
    double was = goal_over_live(&j->side[0]), is = goal_over_live(&j->side[1]);
    if (was <= 0 || is <= 0)
        return NULL;
    if (is < was / 1.5)
        return "its heap goal is tighter over what lives: a lower GOGC or memory limit";
    return is > was * 1.5
               ? "its heap goal is wider over what lives: a higher GOGC or memory limit"
               : "its heap goal is as wide over what lives as before: the program allocates more or less, "
                 "or keeps more or less";
}

static const char *held_at(const struct side *s, const struct change *c)
{
    const struct measure *m = NULL;
    (void)any_of(i, s->n, (m = profile_find(&s->run[i], c->kind, c->name)) && m->held);
    return m ? m->held : NULL;
}

/* A work that not all runs have, or hardly: a piece of it may be another thing there. */
static bool everywhere(const struct judge *j, const struct measure *m)
{
    for (int s = 0; s < 2; s++)
        each_of(p, j->side[s].run, j->side[s].n) {
            const struct measure *x = profile_find(p, m->kind, m->name);
            if (!x || x->count[PROFILE_ALL] < ENOUGH)
                return false;
        }
    return true;
}

/* Measures too small to ever matter are left out: of thousands of places a few would move by chance. */
static bool worth(const struct judge *j, const struct profile *p, const struct measure *m)
{
    bool rare = m->kind == MK_GC || m->kind == MK_STOP;
    if (m->kind == MK_WORK)
        return everywhere(j, m);
    return rare || m->ns[PROFILE_ALL] >= kinds[m->kind].floor[TIME] / 4 * (double)p->end ||
           m->count[PROFILE_ALL] >= 50;
}

/* Decides whether one measure changed, and whether that matters. */
static struct change change_of(const struct judge *j, enum measure_kind kind, const char *name)
{
    struct change c = {.kind = kind, .name = name};
    c.count = moved_of(j, name, kind, COUNT);
    c.time = moved_of(j, name, kind, TIME);
    c.claimed = matters(j, &c);
    return c;
}

static void all_changes(const struct judge *j, struct claim *v)
{
    for (int s = 0; s < 2; s++) {
        each_of(p, j->side[s].run, j->side[s].n) {
            each_of(m, p->m, p->n) {
                if (v->n == MEASURES_MAX || !worth(j, p, m) ||
                    any_of(k, v->n, v->c[k].kind == m->kind && strcmp(v->c[k].name, m->name) == 0))
                    continue;
                struct change *c = &v->c[v->n++];
                *c = change_of(j, m->kind, m->name);
                c->held = c->kind == MK_LOCK ? held_at(&j->side[c->time.new > c->time.old], c) : NULL;
            }
        }
    }
}

/* Computes the pace of each run, by its works or by what is frequent. Returns whether all runs have one. */
static bool paces_by(struct judge *j, bool work)
{
    bool all = true;
    for (int s = 0; s < 2; s++)
        for (uint32_t i = 0; i < j->side[s].n; i++) {
            const double is = pace(&j->side[0].run[0], &j->side[s].run[i], work);
            j->pace[s][i] = is > 0 ? is : 1;
            all &= is > 0;
        }
    return all;
}

/* Computes how often things happen in each run, and in all of them. */
static void paces(struct judge *j)
{
    j->by_work = paces_by(j, true);
    if (!j->by_work)
        paces_by(j, false);
    for (int s = 0; s < 2; s++) {
        for (uint32_t i = 0; i < j->side[s].n; i++) {
            const struct profile *p = &j->side[s].run[i];
            each_of(m, p->m, p->n) {
                bool counts =
                    m->kind == MK_TAKE || m->kind == MK_CALL || m->kind == MK_LOCK || m->kind == MK_GIVE;
                j->all += counts ? m->count[PROFILE_ALL] / run_seconds(p) / j->pace[s][i] : 0;
            }
        }
    }
    j->all /= j->side[0].n + j->side[1].n;
}

/* A change that every single pair of an old and a new run shows, in the same direction, is claimed of all
 * runs too: their spread does not hide it. */
static void in_each_pair(const struct side *old, const struct side *new, struct claim *v)
{
    const uint32_t pairs = old->n * new->n;
    for (uint32_t i = 0, left = v->n; i < pairs && left; i++) {
        struct judge j = {.side = {{&old->run[i / new->n], 1}, {&new->run[i % new->n], 1}}};
        paces(&j);
        left = 0;
        each_of(c, v->c, v->n) {
            if (c->claimed || (i && !c->way))
                continue;
            const struct change x = change_of(&j, c->kind, c->name);
            const struct moved *m = x.kind == MK_CALL || x.kind == MK_TAKE ? &x.count : &x.time;
            const int is = !x.claimed ? 0 : m->new > m->old ? 1 : -1; /* in this pair of runs alone */
            c->way = !i || is == c->way ? is : 0;
            left += c->way != 0;
        }
    }
    each_of(c, v->c, v->n)
        c->claimed |= c->way != 0;
}

static double mean_of(const double *v, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += log(v[i]) / n;
    return exp(sum);
}

void verdict_of(const struct side *old, const struct side *new, struct claim *out)
{
    struct judge j = {.side = {*old, *new}};
    memset(out, 0, sizeof *out);
    paces(&j);
    all_changes(&j, out);
    if (old->n + new->n > 2)
        in_each_pair(old, new, out);
    out->pace = mean_of(j.pace[1], new->n) / mean_of(j.pace[0], old->n);
    out->by_work = j.by_work;
    each_of(c, out->c, out->n) {
        out->claimed += c->claimed;
        c->why = c->claimed && c->kind == MK_GC ? gc_why(&j) : NULL;
    }
    sort(out->c, out->n, cmp_change);
}

/* ---- in words ------------------------------------------------------------------------------------------ */

static void change_rate(struct text *t, double n)
{
    if (n > 0 && n < 1e-3)
        text_lit(t, "<0.001");
    else
        text_add(t, n >= 1000 ? "%.0f" : "%.4g", n);
}

/* Adds "NEW, before OLD", with words around both. */
static void rates(struct text *t, const struct change *c, const char *begin, const char *between,
                  const char *end)
{
    text_add(t, "%s", begin);
    change_rate(t, c->count.new);
    text_add(t, "%s", between);
    change_rate(t, c->count.old);
    text_add(t, "%s", end);
}

/* Says what takes time: "lock in main.f: goroutines wait 1.9s a second, before 3.1ms (.. waits a second,
 * ..)"; or how often something is done for the same amount of work. */
static void change_usual(struct text *t, const struct change *c)
{
    static const char wait[] = "goroutines wait ", waits[] = " waits a second, before ";
    static const struct {
        const char *what, *verb, *each;
    } of[MK_KINDS] = {[MK_LOCK] = {"lock in ", wait, waits},
                      [MK_GIVE] = {"handing over (send, condition, wait group) in ", wait, waits},
                      [MK_STOP] = {"stops of the world for ", "", " a second, before "},
                      [MK_CALL] = {"system calls in ", NULL, NULL},
                      [MK_TAKE] = {"waits (network, channels, sleep) in ", NULL, NULL}};
    text_say(t, NULL, of[c->kind].what, t_clean(c->name));
    if (!of[c->kind].each) {
        rates(t, c, ": ", " a second, for the same amount of work ", " before");
        return;
    }
    text_say(t, NULL, ": ", of[c->kind].verb, t_dur((int64_t)(c->time.new * 1e9)), " a second, before ",
             t_dur((int64_t)(c->time.old * 1e9)));
    rates(t, c, " (", of[c->kind].each, ")");
    if (c->held && c->time.new > c->time.old)
        text_say(t, NULL, "; held in ", t_clean(c->held));
}

void change_text(struct text *t, const struct change *c)
{
    if (c->kind == MK_WORK) {
        text_say(t, NULL, t_clean(c->name), ": one takes ", t_dur((int64_t)(c->time.new * 1e9)),
                 " on average, before ", t_dur((int64_t)(c->time.old * 1e9)));
    } else if (c->kind == MK_GC) {
        text_say(t, NULL, "collector: ", t_share(c->time.new, 1), " of the processor time in use, before ",
                 t_share(c->time.old, 1));
        rates(t, c, " (", " cycles a second, before ", ")");
        if (c->why)
            text_say(t, NULL, "; ", c->why);
    } else if (c->kind == MK_RUN) {
        text_say(t, NULL, "goroutines of ", t_clean(c->name), ": run ", t_share(c->time.new, 1),
                 " of the processor time there is, for the same amount of work ", t_share(c->time.old, 1),
                 " before");
    } else {
        change_usual(t, c);
    }
}
