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

static void finding_free(struct fig_finding *x)
{
    mem_free(x->title);
    mem_free(x->amount);
    mem_free(x->text);
}

void fig_free(struct figures *f)
{
    pulse_free(f->pulse);
    for (uint32_t i = 0; i < f->sum.ngroups; i++)
        mem_free(f->sum.group[i].name);
    for (uint32_t i = 0; i < f->sum.nfindings; i++)
        finding_free(&f->sum.finding[i]);
    *f = (struct figures){0};
}

int64_t fig_ns(const struct group *g, int state)
{
    return ns_add(g->ns[state], state == GM_SYSCALL ? g->ns[GM_SYSBLOCK] : 0);
}

int64_t fig_all_ns(const struct triage *tg, int state)
{
    int64_t ns = 0;
    for (uint32_t i = 0; i < tg->ngroups; i++)
        ns = ns_add(ns, fig_ns(&tg->groups[i], state));
    return ns;
}

/* ---- groups -------------------------------------------------------------------------------------------- */

/* Returns the row of a start function, a new one while there is room; NULL if there is no room, or no
 * memory (*failed). */
static struct fig_group *group_for(struct figures *f, uint32_t name, bool *failed)
{
    struct text t = {0};
    text_str(&t, f->l->tr, name);
    text_raw(&t, "", 0);
    struct fig_sums *s = &f->sum;
    struct fig_group *found = NULL;
    for (uint32_t i = 0; t.p && i < s->ngroups && !found; i++)
        if (strcmp(s->group[i].name, t.p) == 0)
            found = &s->group[i];
    if (t.p && !found && s->ngroups < FIG_GROUPS) {
        found = &s->group[s->ngroups];
        *found = (struct fig_group){.name = text_take(&t)};
        s->ngroups += found->name != NULL;
        found = found->name ? found : NULL;
        *failed |= !found;
    }
    *failed |= !text_ok(&t);
    text_free(&t);
    return found;
}

static bool take_groups(struct figures *f)
{
    const struct triage *tg = f->l->tg;
    bool failed = false;
    for (uint32_t i = 0; i < f->sum.ngroups; i++)
        f->sum.group[i].there = 0;
    for (uint32_t i = 0; i < tg->ngroups && !failed; i++) {
        const struct group *g = &tg->groups[i];
        struct fig_group *to = g->name ? group_for(f, g->name, &failed) : NULL;
        if (!to)
            continue;
        for (int s = 0; s < FIG_STATES; s++)
            to->ns[s] = ns_add(to->ns[s], fig_ns(g, s));
        to->created += g->created;
        to->there += g->count - g->ended;
    }
    return !failed;
}

/* ---- findings ------------------------------------------------------------------------------------------ */

/* Returns the finding that was seen least, whose row may be used again; NULL if the last picture has all
 * of them. */
static struct fig_finding *least(struct fig_sums *s)
{
    struct fig_finding *x = NULL;
    for (uint32_t i = 0; i < s->nfindings; i++)
        if (!s->finding[i].now && (!x || s->finding[i].pictures < x->pictures))
            x = &s->finding[i];
    return x;
}

static struct fig_finding *finding_for(struct fig_sums *s, const char *key)
{
    for (uint32_t i = 0; i < s->nfindings; i++)
        if (strcmp(s->finding[i].key, key) == 0)
            return &s->finding[i];
    struct fig_finding *x = s->nfindings < FIG_FINDINGS ? &s->finding[s->nfindings++] : least(s);
    if (x) {
        finding_free(x);
        *x = (struct fig_finding){.title = NULL};
    }
    return x;
}

static void keep(char **words, char **of)
{
    if (*of) {
        mem_free(*words);
        *words = *of;
        *of = NULL;
    }
}

static void take_findings(struct fig_sums *s, struct findings *fs)
{
    for (uint32_t i = 0; i < s->nfindings; i++)
        s->finding[i].now = false;
    for (uint32_t i = 0; i < fs->n; i++) {
        struct finding *f = &fs->f[i];
        struct fig_finding *x = finding_for(s, f->key);
        if (!x)
            continue;
        memcpy(x->key, f->key, sizeof x->key);
        keep(&x->title, &f->title);
        keep(&x->amount, &f->amount);
        keep(&x->text, &f->text);
        x->rule = rule_id(f->rule);
        x->level = level_id(f->v.level);
        x->pictures++;
        x->now = true;
    }
}

/* ---- a picture ----------------------------------------------------------------------------------------- */

static bool take_work(struct figures *f, bool gap)
{
    static const int64_t most[FIG_WINDOWS] = {1000000000, 10000000000, FIG_HELD_NS};
    struct pulse *p = f->pulse;
    bool failed = false, ok = true;
    if (gap)
        pulse_gap(p);
    if (!pulse_learn(p, f->l->tr, &f->l->fs.works))
        return false;
    pulse_begin(p, f->l->tr);
    (void)pulse_step(p, INT64_MAX, &failed);
    const int64_t end = pulse_end(p);
    pulse_forget(p, end - FIG_HELD_NS);
    for (int w = 0; w < FIG_WINDOWS && ok && !failed; w++) {
        const int64_t held = end - pulse_since(p);
        f->window_ns[w] = held < most[w] ? held : most[w];
        ok = pulse_of(p, end - f->window_ns[w], end, f->work[w]);
    }
    f->nwork = ok ? pulse_rows(p) : 0;
    if (ok)
        pulse_order(p, f->work[FIG_TEN], f->order);
    return ok && !failed;
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
