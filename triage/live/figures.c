/* figures.c - see figures.h. */
#include "triage/live/figures.h"

#include <string.h>

#include "decode/base/mem.h"

const char *const fig_state[FIG_STATES] = {"running", "runnable", "waiting", "syscall"};

bool fig_new(struct figures *f)
{
    *f = (struct figures){.pulse = pulse_new()};
    return f->pulse;
}

void fig_free(struct figures *f)
{
    pulse_free(f->pulse);
    each_of(g, f->sum.group, f->sum.ngroups)
        mem_free(g->name);
    each_of(x, f->sum.finding, f->sum.nfindings)
        finding_free(&x->f);
    *f = (struct figures){0};
}

int64_t fig_ns(const struct group *g, int state)
{
    return ns_add(g->ns[state], state == GM_SYSCALL ? g->ns[GM_SYSBLOCK] : 0);
}

int64_t fig_all_ns(const struct triage *tg, int state)
{
    return sum_over(g, tg->groups, tg->ngroups, fig_ns(g, state));
}

/* ---- groups -------------------------------------------------------------------------------------------- */

/* Adds what goroutines of a start function did to its row, a new one while there is room. */
static bool take_group(struct figures *f, const struct group *g)
{
    struct text t = {0};
    struct fig_sums *s = &f->sum;
    text_str(&t, f->l->tr, g->name);
    char *name = text_take(&t);
    if (!name)
        return false;
    const uint32_t i = find_first(k, s->ngroups, strcmp(s->group[k].name, name) == 0);
    if (i == s->ngroups && i < FIG_GROUPS)
        s->group[s->ngroups++] = (struct fig_group){.name = name};
    else
        mem_free(name);
    if (i == s->ngroups)
        return true;
    for (int k = 0; k < FIG_STATES; k++)
        s->group[i].ns[k] = ns_add(s->group[i].ns[k], fig_ns(g, k));
    s->group[i].created += g->created;
    s->group[i].there += g->count - g->ended;
    return true;
}

static bool take_groups(struct figures *f)
{
    const struct triage *tg = f->l->tg;
    each_of(g, f->sum.group, f->sum.ngroups)
        g->there = 0;
    return !any_of(i, tg->ngroups, tg->groups[i].name && !take_group(f, &tg->groups[i]));
}

/* ---- findings ------------------------------------------------------------------------------------------ */

/* Returns the finding that was seen least, whose row may be used again; NULL if the last picture has all
 * of them. */
static struct fig_finding *least_finding(struct fig_sums *s)
{
    struct fig_finding *least = NULL;
    each_of(x, s->finding, s->nfindings)
        least = !x->now && (!least || x->pictures < least->pictures) ? x : least;
    return least;
}

static struct fig_finding *finding_for(struct fig_sums *s, const char *key)
{
    const uint32_t i = find_first(k, s->nfindings, strcmp(s->finding[k].f.key, key) == 0);
    if (i < s->nfindings)
        return &s->finding[i];
    struct fig_finding *x = s->nfindings < FIG_FINDINGS ? &s->finding[s->nfindings++] : least_finding(s);
    if (x)
        x->pictures = 0;
    return x;
}

static void take_findings(struct fig_sums *s, struct findings *fs)
{
    each_of(x, s->finding, s->nfindings)
        x->now = false;
    each_of(f, fs->f, fs->n) {
        struct fig_finding *x = finding_for(s, f->key);
        if (!x)
            continue;
        finding_free(&x->f);
        x->f = *f;
        *f = (struct finding){0};
        x->pictures++;
        x->now = true;
    }
}

/* ---- a picture ----------------------------------------------------------------------------------------- */

static bool take_work(struct figures *f, bool gap)
{
    static const int64_t most[FIG_WINDOWS] = {1000000000, 10000000000, FIG_HELD_NS};
    struct pulse *p = f->pulse;
    bool failed = false;
    if (gap)
        pulse_gap(p);
    if (!pulse_learn(p, f->l->tr, &f->l->fs.works))
        return false;
    pulse_begin(p, f->l->tr);
    (void)pulse_step(p, INT64_MAX, &failed);
    const int64_t end = pulse_end(p);
    pulse_forget(p, end - FIG_HELD_NS);
    for (int w = 0; w < FIG_WINDOWS && !failed; w++) {
        const int64_t held = end - pulse_since(p);
        f->window_ns[w] = held < most[w] ? held : most[w];
        failed = !pulse_of(p, end - f->window_ns[w], end, f->work[w]);
    }
    f->nwork = failed ? 0 : pulse_rows(p);
    pulse_order(p, f->work[FIG_TEN], f->order);
    return !failed;
}

bool fig_take(struct figures *f, struct loaded *l, bool gap)
{
    const struct triage *tg = l->tg;
    const struct trace_info *ti = trace_info(l->tr);
    struct fig_sums *s = &f->sum;
    f->l = l;
    s->bytes += ti->bytes_done;
    s->events += ti->events;
    s->lost_bytes += f->lost;
    s->created += tg->g_created;
    s->gc_cycles += tg->gc_cycles;
    s->seen_ns = ns_add(s->seen_ns, tg->end);
    s->gc_ns = ns_add(s->gc_ns, ns_add(tg->p_sum.ns[ST_GCWORK], tg->p_sum.ns[ST_SWEEP]));
    s->assist_ns = ns_add(s->assist_ns, tg->p_sum.ns[ST_ASSIST]);
    s->busy_ns = ns_add(s->busy_ns, triage_busy(tg));
    s->capacity_ns = ns_add(s->capacity_ns, tg->capacity);
    hist_sum(&s->sched, &tg->sched);
    hist_sum(&s->stw, &tg->stw_all);
    take_findings(s, &l->fs);
    return take_groups(f) && take_work(f, gap);
}
