/*
 * findings.c - makes the works and the verdicts of a trace, and their text. See findings.h.
 */
#include "triage/findings/findings.h"

#include <stdio.h>
#include <string.h>

#include "decode/base/mem.h"
#include "triage/findings/asked.h"
#include "triage/findings/thresholds.h"
#include "triage/tables/slices.h"

void finding_free(struct finding *f)
{
    char *const text[] = {f->amount, f->title, f->at, f->what, f->why, f->harm, f->text, f->next, f->won};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        mem_free(text[i]);
}

void findings_free(struct findings *fs)
{
    for (uint32_t i = 0; i < fs->n; i++)
        finding_free(&fs->f[i]);
    mem_free(fs->f);
    works_free(&fs->works);
    *fs = (struct findings){0};
}

/* "lock-busy:main.(*bank).clerk"; a long name is cut to its end. */
static void finding_key(struct finding *f, const struct trace *tr)
{
    struct text t = {.ascii = true};
    const int n = snprintf(f->key, sizeof f->key, "%s:", rule_id(f->v.rule));
    text_func(&t, tr, f->v.where.user ? f->v.where.user : f->v.creator.at.user, 0);
    if (t.p && n > 0 && (size_t)n + 1 < sizeof f->key) {
        const size_t room = sizeof f->key - (size_t)n - 1, len = t.n < room ? t.n : room;
        memcpy(f->key + n, t.p + t.n - len, len);
        f->key[(size_t)n + len] = 0;
    }
    text_free(&t);
}

typedef void words_fn(struct text *t, const struct works *w, const struct verdict *v);
static char *words(words_fn *f, const struct works *w, const struct verdict *v)
{
    struct text t = {0};
    f(&t, w, v);
    return text_take(&t);
}

/* Join the parts with a space. */
static char *joined(const struct finding *f)
{
    struct text t = {0};
    const char *const part[] = {f->harm, f->what, f->why};
    for (size_t i = 0; i < 3; i++) {
        text_raw(&t, " ", t.n > 0 && part[i] && *part[i]);
        text_add(&t, "%s", part[i] ? part[i] : "");
    }
    return text_take(&t);
}

static bool finding_of(const struct triage *tg, const struct works *w, const struct verdict *v,
                       struct finding *f)
{
    struct text t = {0};
    *f = (struct finding){.v = *v, .note = v->level == LEVEL_NOTE, .inferred = v->sure == SURE_INFERRED};
    f->severity_ns = (int64_t)((v->clock < 1 ? v->clock : 1) * (double)tg->end);
    f->lane = (struct lane){v->lane, v->g};
    f->lane_id = v->g != NO_LANE && v->lane < LANE_BAND ? trace_lane_who(tg->tr, f->lane).id : 0;
    finding_key(f, tg->tr);
    verdict_amount(&t, v);
    f->amount = text_take(&t);
    verdict_title(&t, v);
    f->title = text_take(&t);
    f->at = words(verdict_at, w, v);
    f->what = words(verdict_what, w, v);
    f->why = words(verdict_why, w, v);
    f->harm = words(verdict_harm, w, v);
    f->next = words(verdict_do, w, v);
    f->text = joined(f);
    f->won = v->gain.known ? words(verdict_gain, w, v) : NULL;
    const bool ok = f->amount && f->title && f->at && f->what && f->why && f->harm && f->next && f->text &&
                    (f->won || !v->gain.known);
    if (!ok)
        finding_free(f);
    return ok;
}

static bool tell(const struct triage *tg, struct causes *c, struct findings *out)
{
    struct verdicts v = {0};
    bool ok = works_new(c, &out->works) && verdicts_of(c, &out->works, &v);
    out->f = ok ? mem_zalloc(((size_t)v.n + 1) * sizeof *out->f) : NULL;
    ok = ok && out->f;
    for (uint32_t i = 0; ok && i < v.n && slices_tick(); i++) {
        const bool wanted = !rule_is_off(v.v[i].rule) && !rule_lost(tg, v.v[i].rule);
        ok = !wanted || finding_of(tg, &out->works, &v.v[i], &out->f[out->n]);
        out->n += ok && wanted;
    }
    verdicts_free(&v);
    return ok;
}

enum err_code findings_of(const struct triage *tg, struct findings *out, struct err *e)
{
    struct causes c;
    *out = (struct findings){0};
    if (tg->end <= 0 || !trace_info(tg->tr)->has_clock)
        return ERR_OK; /* nanoseconds mean nothing if times are ticks */
    bool ok = causes_init(&c, tg);
    if (ok) {
        ok = tell(tg, &c, out);
        causes_free(&c);
    }
    if (!ok) {
        findings_free(out);
        return err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory for the findings");
    }
    return ERR_OK;
}

/* ---- in slices ----------------------------------------------------------------------------------------- */

struct findings_job {
    const struct triage *tg;
    struct findings out;
    struct err e;
    struct slices *slices; /* NULL: no thread could be created, so it runs in one step */
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
    if (!j->over)
        j->over = j->slices ? slices_run(j->slices, budget_ns) != SLICES_MORE : (job_all(j), true);
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

bool findings_is_what(const struct finding *f)
{
    return f->note && !f->v.grows && f->v.harm.work != NO_LANE && verdict_family(&f->v) != FAM_SLOW;
}

uint32_t findings_notes(const struct findings *fs)
{
    return (uint32_t)sum_over(f, fs->f, fs->n, f->v.level == LEVEL_NOTE);
}

bool findings_stand_out(const struct findings *fs)
{
    return any_of(i, fs->n, !findings_is_what(&fs->f[i]) || rule_row(fs->f[i].v.rule)->tells >= TELLS_WHO);
}
