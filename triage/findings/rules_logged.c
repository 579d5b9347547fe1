/*
 * rules_logged.c - which tasks are the slow ones, in the program's own words: what they log (trace.Log: a category and a message), where
 * those that log it take much longer than those that log something else there.
 */
#include "triage/findings/causes.h"
#include "triage/findings/story.h"
#include "triage/findings/thresholds.h"

#include <stdlib.h>

#include "decode/base/mem.h"

#define LOGS 200000 /* looked at */
#define VALUES 4096 /* different ones; more say nothing */
#define LONG 40     /* characters of one */

struct value {
    uint32_t category, message;
    uint64_t n, slow;
};
struct said { /* a task of the type with a log */
    uint32_t value;
    int64_t ns;
};
struct logged {
    struct tab task, value; /* durations by task; values by category and message */
    int64_t *ns;
    uint32_t tasks;
    uint64_t slow; /* of all */
    struct value *v;
    uint32_t nv;
    struct said *said;
    size_t nsaid, cap;
};

static void logged_free(struct logged *l)
{
    tab_free(&l->task);
    tab_free(&l->value);
    mem_free(l->ns);
    mem_free(l->v);
    mem_free(l->said);
}

static bool is_slow(const struct span_type *y, int64_t ns)
{
    return (double)ns >= threshold(TH_SLOW_LOGGED) * (double)y->d.p50;
}

static bool tasks_of(struct logged *l, const struct trace *tr, const struct span_type *y)
{
    const struct task *k;
    const size_t n = trace_tasks(tr, &k);
    l->ns = mem_alloc(((size_t)y->d.n + 1) * sizeof *l->ns);
    for (size_t i = 0; l->ns && i < n && l->tasks < y->d.n; i++) {
        if (k[i].name != y->name || k[i].open_start || k[i].open_end) {
            continue;
        }
        if (tab_put(&l->task, k[i].id, 0, l->tasks) == TAB_NONE) {
            return false;
        }
        l->ns[l->tasks++] = k[i].t1 - k[i].t0;
        l->slow += is_slow(y, k[i].t1 - k[i].t0);
    }
    return l->ns != NULL;
}

static bool values_of(struct logged *l, const struct trace *tr, const struct span_type *y)
{
    const struct logmsg *m;
    const size_t n = trace_logs(tr, &m);
    l->v = mem_zalloc(VALUES * sizeof *l->v);
    for (size_t i = 0; l->v && i < n && i < LOGS; i++) {
        const uint32_t t = tab_get(&l->task, m[i].task, 0);
        const uint32_t row = t == TAB_NONE ? TAB_NONE : tab_put(&l->value, m[i].category, m[i].message, l->nv);
        if (t == TAB_NONE) {
            continue;
        }
        if (row == l->nv && l->nv < VALUES) {
            l->v[l->nv++] = (struct value){m[i].category, m[i].message, 0, 0};
        }
        if (row >= l->nv) { /* too many, or out of memory */
            return false;
        }
        struct said *s = mem_grow(l->said, &l->cap, l->nsaid + 1, sizeof *s);
        if (!s) {
            return false;
        }
        l->said = s;
        s[l->nsaid++] = (struct said){row, l->ns[t]};
        l->v[row].n++;
        l->v[row].slow += is_slow(y, l->ns[t]);
    }
    return l->v != NULL;
}

static int cmp_said(const void *a, const void *b)
{
    const struct said *x = a, *y = b;
    return x->value != y->value ? (x->value > y->value) - (x->value < y->value) : (x->ns > y->ns) - (x->ns < y->ns);
}

/* Half of those with the value (or, not: of those with another one of its category) take so long or less. */
static int64_t median(const struct logged *l, uint32_t value, bool with)
{
    int64_t *v = mem_alloc((l->nsaid + 1) * sizeof *v), ns = 0;
    size_t n = 0;
    for (size_t i = 0; v && i < l->nsaid; i++) {
        const struct said *s = &l->said[i];
        if (with ? s->value == value : s->value != value && l->v[s->value].category == l->v[value].category) {
            v[n++] = s->ns;
        }
    }
    if (n) {
        qsort(v, n, sizeof *v, cmp_ns);
        ns = v[n / 2];
    }
    mem_free(v);
    return ns;
}

static void value_text(struct text *t, const struct trace *tr, const struct value *v)
{
    const struct str category = trace_str(tr, v->category), message = trace_str(tr, v->message);
    text_lit(t, "\"");
    text_clean(t, category.p, category.len, LONG);
    text_raw(t, ": ", category.len ? 2 : 0);
    text_clean(t, message.p, message.len, LONG);
    text_lit(t, "\"");
}

static const struct span_type *type_of(const struct triage *tg, int64_t t0, int64_t t1)
{
    for (uint32_t i = 0; i < tg->ntypes; i++) {
        const struct span_type *y = &tg->types[i];
        if (!y->is_region && y->nslow && y->slow[0].t0 == t0 && y->slow[0].t1 == t1) {
            return y;
        }
    }
    return NULL;
}

bool logged_text(struct text *behind, struct text *next, const struct rules *rs, const struct finding *slow)
{
    const struct span_type *y = type_of(rs->tg, slow->t0, slow->t1);
    struct logged l = {0};
    uint32_t best = UINT32_MAX;
    int64_t with = 0, others = 0;
    if (y && tasks_of(&l, rs->tr, y) && values_of(&l, rs->tr, y) && l.nsaid) {
        qsort(l.said, l.nsaid, sizeof *l.said, cmp_said);
        for (uint32_t i = 0; i < l.nv; i++) {
            best = best == UINT32_MAX || l.v[i].slow > l.v[best].slow ? i : best;
        }
        const struct value *v = &l.v[best];
        with = median(&l, best, true);
        others = median(&l, best, false);
        if ((double)v->n < threshold(TH_LOGGED_TASKS) ||
            !threshold_reached(TH_LOGGED_SLOW, (int64_t)v->slow, (int64_t)l.slow) ||
            (double)v->n > threshold(TH_LOGGED_MOST) * (double)l.tasks || others <= 0 ||
            (double)with < threshold(TH_SLOW_LOGGED) * (double)others) {
            best = UINT32_MAX;
        }
    }
    if (best != UINT32_MAX) {
        const struct value *v = &l.v[best];
        text_lit(behind, " Tasks that log ");
        value_text(behind, rs->tr, v);
        text_say(behind, rs->tr, " (", v->n, " of ", l.tasks, ") take ", t_dur(with),
                 " in the median, those that log something else ", t_dur(others), ".");
        text_lit(next, "Look first at what is special about those that log ");
        value_text(next, rs->tr, v);
        text_lit(next, ": the others are fast.");
    }
    logged_free(&l);
    return best != UINT32_MAX;
}
