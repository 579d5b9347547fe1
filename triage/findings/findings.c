/*
 * findings.c - runs the rules and ranks what they say: what cost time first, by the time it cost; notes last.
 */
#include "triage/findings/findings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"
#include "triage/findings/asked.h"
#include "triage/findings/rules.h"
#include "triage/tables/slices.h"
#include "triage/views.h"
#include "triage/findings/thresholds.h"

static const struct {
    const char *id, *title, *help;
    int view;
} table[RULE_COUNT] = {
#define X(ID, id, view, title, help) {id, title, help, VIEW_##view},
#include "triage/findings/rules.def"
#undef X
};

const char *rule_id(enum rule r)
{
    return (unsigned)r < RULE_COUNT ? table[r].id : "";
}

const char *rule_title(enum rule r)
{
    return (unsigned)r < RULE_COUNT ? table[r].title : "";
}

const char *rule_help(enum rule r)
{
    return (unsigned)r < RULE_COUNT ? table[r].help : "";
}

int rule_view(enum rule r)
{
    return (unsigned)r < RULE_COUNT ? table[r].view : VIEW_TRIAGE;
}

void draft_start(struct draft *d, enum rule r, int64_t severity_ns)
{
    *d =
        (struct draft){.f = {.rule = r, .severity_ns = severity_ns, .lane = {LANE_G, NO_LANE}, .view = rule_view(r)}};
    snprintf(d->f.key, sizeof d->f.key, "%s", rule_id(r));
}

void draft_subject(struct draft *d, const struct rules *rs, uint32_t str)
{
    struct text t = {.ascii = true};
    size_t n = strlen(d->f.key);
    text_func(&t, rs->tr, str, 0);
    if (t.p && n + 1 < sizeof d->f.key) {
        size_t room = sizeof d->f.key - n - 2, len = t.n < room ? t.n : room;
        d->f.key[n] = ':';
        memcpy(d->f.key + n + 1, t.p + t.n - len, len);
        d->f.key[n + 1 + len] = 0;
    }
    text_free(&t);
}

void draft_about(struct draft *d, const struct rules *rs, uint32_t str, uint32_t stack)
{
    draft_subject(d, rs, str);
    d->f.stack = stack;
}

void draft_moment(struct draft *d, const struct moment *m)
{
    draft_at(d, m->t0, m->t1, LANE_G, m->g);
}

void draft_at(struct draft *d, int64_t t0, int64_t t1, enum lane_kind k, uint32_t lane)
{
    d->f.t0 = t0;
    d->f.t1 = t1;
    d->f.lane = (struct lane){k, lane};
}

static void finding_free(struct finding *f)
{
    mem_free(f->amount);
    mem_free(f->title);
    mem_free(f->text);
    mem_free(f->next);
    mem_free(f->won);
}

void findings_leave_out(struct findings *fs, uint32_t i)
{
    struct finding *f = &fs->f[i];
    finding_free(f);
    memmove(f, f + 1, (--fs->n - i) * sizeof *f);
}

static void draft_drop(struct draft *d)
{
    text_free(&d->amount);
    text_free(&d->text);
    text_free(&d->next);
}

void draft_end(struct rules *rs, struct draft *d)
{
    draft_titled(rs, d, rule_title(d->f.rule));
}

void draft_titled(struct rules *rs, struct draft *d, const char *words)
{
    struct text title = {0};
    if (rule_is_off(d->f.rule) || rule_lost(rs->tg, d->f.rule)) {
        draft_drop(d);
        return;
    }
    struct finding *p = mem_grow(rs->out->f, &rs->cap, (size_t)rs->out->n + 1, sizeof *p);
    if (d->f.severity_ns > rs->tg->end) {
        d->f.severity_ns = rs->tg->end; /* no more can be won than there is */
    }
    text_add(&title, "%s", words);
    d->f.title = text_take(&title);
    if (d->amount.n == 0) {
        text_dur(&d->amount, d->f.severity_ns);
    }
    d->f.amount = text_take(&d->amount);
    d->f.text = text_take(&d->text);
    d->f.next = text_take(&d->next);
    if (p) {
        rs->out->f = p;
    }
    if (!p || !d->f.title || !d->f.amount || !d->f.text || !d->f.next) {
        finding_free(&d->f);
        rs->failed = true;
        return;
    }
    p[rs->out->n++] = d->f;
}

int64_t rules_procs(const struct rules *rs)
{
    int64_t end = rs->tg->end, p = end > 0 ? (rs->tg->capacity + end / 2) / end : 1;
    return p < 1 ? 1 : p;
}

static int cmp_finding(const void *a, const void *b)
{
    const struct finding *x = a, *y = b;
    if (x->note != y->note) {
        return x->note - y->note;
    }
    if (x->score != y->score) {
        return x->score < y->score ? 1 : -1;
    }
    if (x->severity_ns != y->severity_ns) {
        return x->severity_ns < y->severity_ns ? 1 : -1;
    }
    return x->rule != y->rule ? (x->rule > y->rule) - (x->rule < y->rule) : strcmp(x->key, y->key);
}

enum err_code findings_of(const struct triage *tg, struct findings *out, struct err *e)
{
    struct rules rs = {.tg = tg, .tr = tg->tr, .out = out};
    *out = (struct findings){0};
    static void (*const rules[])(struct rules *) = {rules_gc,    rules_sched, rules_locks,
                                                    rules_leaks, rules_churn, rules_causes};
    const bool timed =
        tg->end > 0 && trace_info(tg->tr)->has_clock; /* thresholds in ns mean nothing where times are ticks */
    for (size_t i = 0; timed && i < sizeof rules / sizeof *rules && slices_tick_now(); i++) {
        rules[i](&rs);
    }
    if (rs.failed) {
        findings_free(out);
        return err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory for the findings");
    }
    for (uint32_t i = 0; i < out->n; i++) {
        struct finding *f = &out->f[i];
        f->lane_id = f->lane.kind < LANE_BAND && f->lane.i != NO_LANE ? trace_lane_who(tg->tr, f->lane).id : 0;
    }
    findings_sort(out);
    return ERR_OK;
}

/* ---- in slices --------------------------------------------------------------------------------------------------------- */

struct findings_job {
    const struct triage *tg;
    struct findings out;
    struct err e;
    struct slices *slices; /* NULL: no thread to be had, so it is done in one step */
    bool over;
};

static bool job_all(void *arg)
{
    struct findings_job *j = arg;
    return findings_of(j->tg, &j->out, &j->e) == ERR_OK;
}

struct findings_job *findings_begin(const struct triage *tg)
{
    struct findings_job *j = mem_zalloc(sizeof *j);
    if (j) {
        j->tg = tg;
        j->slices = slices_new(job_all, j);
    }
    return j;
}

bool findings_step(struct findings_job *j, int64_t budget_ns)
{
    if (!j->over) {
        j->over = j->slices ? slices_run(j->slices, budget_ns) != SLICES_MORE : (job_all(j), true);
    }
    return j->over;
}

enum err_code findings_end(struct findings_job *j, struct findings *out, struct err *e)
{
    *out = j->out;
    *e = j->e;
    j->out = (struct findings){0};
    const enum err_code c = j->e.code;
    findings_drop(j);
    return c;
}

void findings_drop(struct findings_job *j)
{
    if (j) {
        slices_free(j->slices);
        findings_free(&j->out);
        mem_free(j);
    }
}

void findings_sort(struct findings *fs)
{
    if (fs->n) {
        qsort(fs->f, fs->n, sizeof *fs->f, cmp_finding);
    }
}

void finding_lead(struct text *t, const struct finding *f, const struct triage *tg)
{
    if (!f->note && f->severity_ns > 0) {
        text_share(t, (double)f->severity_ns, (double)tg->end);
    } else if (*f->amount == '+') {
        text_clean(t, f->amount, strlen(f->amount), 0);
    }
}

bool findings_stand_out(const struct findings *fs)
{
    for (uint32_t i = 0; i < fs->n; i++) {
        const struct finding *f = &fs->f[i];
        if (f->rule != RULE_TIME && !(f->rule == RULE_POLL && f->note && !f->looks)) {
            return true;
        }
    }
    return false;
}

void findings_free(struct findings *fs)
{
    for (uint32_t i = 0; i < fs->n; i++) {
        finding_free(&fs->f[i]);
    }
    mem_free(fs->f);
    *fs = (struct findings){0};
}
