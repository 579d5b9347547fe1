/* as_finding.c - a verdict as the finding that screens, reports and diff still read: the same fields, in words. */
#include "triage/verdicts/verdict.h"

bool verdict_finding(struct rules *rs, const struct works *w, const struct verdict *v)
{
    struct draft d;
    draft_start(&d, v->rule, (int64_t)(v->harm.share * (double)rs->tg->end));
    draft_about(&d, rs, v->where.user, v->where.stack);
    draft_at(&d, v->t0, v->t1, LANE_G, v->g);
    d.f.note = v->level == LEVEL_NOTE;
    d.f.inferred = v->sure == SURE_INFERRED;
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
