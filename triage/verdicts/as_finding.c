/* as_finding.c - verdicts as the findings that screens, reports and diff read: the same fields, in words. */
#include "triage/verdicts/verdict.h"

#include <string.h>

#include "decode/base/mem.h"

/* One of a family: its words come from the fields. false: out of memory. */
static bool told(struct rules *rs, const struct works *w, const struct verdict *v)
{
    struct draft d;
    draft_start(&d, v->rule, (int64_t)(v->harm.share * (double)rs->tg->end));
    draft_about(&d, rs, v->where.user, v->where.stack);
    draft_at(&d, v->t0, v->t1, LANE_G, v->g);
    d.f.note = v->level == LEVEL_NOTE;
    d.f.inferred = v->sure == SURE_INFERRED;
    d.f.score = v->score;
    d.f.family = v->family;
    text_share(&d.amount, v->harm.share, 1);
    verdict_harm(&d.text, w, v);
    text_lit(&d.text, " ");
    verdict_what(&d.text, w, v);
    text_lit(&d.text, " ");
    verdict_why(&d.text, w, v);
    verdict_do(&d.next, w, v);
    draft_titled(rs, &d, family_title(v->family));
    return !rs->failed;
}

static bool tell(struct causes *c, const struct works *w, struct verdicts *v)
{
    struct findings rules = *c->rs->out; /* what the rules said; each goes on, or is freed */
    bool ok = verdicts_ways(c, w, v) && verdicts_legacy(c, w, v);
    if (ok) {
        verdicts_decide(c, w, v);
    }
    *c->rs->out = (struct findings){0};
    c->rs->cap = 0;
    for (uint32_t i = 0; ok && i < v->n; i++) {
        struct verdict *one = &v->v[i];
        if (!one->legacy) {
            ok = told(c->rs, w, one);
            continue;
        }
        struct finding *to = mem_grow(c->rs->out->f, &c->rs->cap, (size_t)c->rs->out->n + 1, sizeof *to), *f = &rules.f[one->legacy - 1];
        ok = to != NULL;
        if (ok) {
            c->rs->out->f = to;
            to += c->rs->out->n++;
            *to = *f;
            to->note = one->level == LEVEL_NOTE;
            to->score = one->score;
            to->family = one->family;
            *f = (struct finding){0};
        }
    }
    findings_free(&rules);
    return ok;
}

void verdicts_tell(struct causes *c)
{
    struct works w;
    struct verdicts v = {0};
    bool ok = works_new(c, &w);
    if (ok) {
        ok = tell(c, &w, &v);
        works_free(&w);
    }
    verdicts_free(&v);
    c->rs->failed |= !ok;
}
