/* instance_diff.c - what the slow instances of a row spend their time on that the usual ones don't. See
 * instances.h. */
#include <stdlib.h>

#include "triage/sentence.h"
#include "triage/findings/causes.h"
#include "triage/findings/leaves.h"
#include "triage/findings/instances.h"

static bool explain_some(struct explainer *x, struct leaves *out, const struct trace *tr,
                         const struct workpiece *v, uint32_t n, bool *cut)
{
    struct explain_tree t;
    bool ok = explain_tree_init(&t, tr);
    for (uint32_t i = 0; ok && i < n; i++)
        ok = explain_add_piece(x, &t, &v[i]);
    if (ok) {
        causes_leaves(&t, out);
        *cut |= t.cut;
    }
    explain_tree_free(&t);
    return ok;
}

static int64_t average(const struct workpiece *v, uint32_t n)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum = ns_add(sum, v[i].t1 - v[i].t0);
    return n ? sum / n : 0;
}

static int cmp_part(const void *a, const void *b)
{
    const struct instance_part *x = a, *y = b;
    int64_t p = x->slow - x->usual, q = y->slow - y->usual;
    return p != q               ? (p < q) - (p > q)
           : x->func != y->func ? (x->func > y->func) - (x->func < y->func)
                                : x->cat - y->cat;
}

static uint32_t parts_of(struct instance_part v[LEAVES], const struct leaves *s, const struct leaves *u,
                         uint32_t ns, uint32_t nu)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        const struct leaf *l = &s->v[i];
        v[n] = (struct instance_part){l->cat,
                                      l->func,
                                      l->stack,
                                      l->frame,
                                      l->mixed,
                                      l->ran,
                                      callers_beyond(&l->callers, &l->beyond, l->ns),
                                      l->ns / (int64_t)ns,
                                      0};
        for (uint32_t k = 0; k < u->n; k++)
            if (u->v[k].cat == l->cat && u->v[k].func == l->func)
                v[n].usual = u->v[k].ns / (int64_t)nu;
        n++;
    }
    qsort(v, n, sizeof *v, cmp_part);
    return n;
}

bool instances_differ(struct explainer *x, const struct instances *in, const struct instance_row *r,
                      struct instance_diff *out)
{
    const struct workpiece *v = in->one + r->at;
    uint32_t n = (uint32_t)r->d.n, slow = n / 10 ? n / 10 : 1, half = n / 2;
    struct leaves s, u;
    struct instance_part all[LEAVES];
    *out = (struct instance_diff){0};
    slow = slow < INSTANCE_LOOK ? slow : INSTANCE_LOOK;
    if (n < 4)
        return true;
    uint32_t usual = slow < n / 4 ? n / 4 : slow; /* around the median, which stands at `half` */
    usual = usual < INSTANCE_LOOK ? usual : INSTANCE_LOOK;
    uint32_t from = half - usual / 2;
    out->slow = average(v, slow);
    out->usual = average(v + from, usual);
    if (from < slow || out->slow < 2 * out->usual)
        return true;
    out->nslow = slow;
    out->nusual = usual;
    if (!explain_some(x, &s, in->tg->tr, v, slow, &out->cut) ||
        !explain_some(x, &u, in->tg->tr, v + from, usual, &out->cut))
        return false;
    uint32_t parts = parts_of(all, &s, &u, slow, usual);
    for (uint32_t i = 0; i < parts && out->n < INSTANCE_PARTS; i++)
        if (all[i].slow - all[i].usual > (out->slow - out->usual) / 20)
            out->part[out->n++] = all[i];
    return true;
}

void instance_diff_text(struct text *t, const struct trace *tr, const struct instance_diff *d)
{
    if (d->n == 0)
        return;
    text_say(t, tr, "the ", d->nslow, " slowest (", t_dur(d->slow), " each; usually ", t_dur(d->usual),
             ") spend more time ");
    for (uint32_t i = 0; i < d->n && i < 3; i++) {
        const struct instance_part *p = &d->part[i];
        text_raw(t, "; ", i ? 2 : 0);
        const struct told_at at = {p->stack, p->frame, p->mixed, p->ran, p->by};
        causes_what_text(t, tr, (enum explain_cat)p->cat, &at);
        text_say(t, tr, " +", t_dur(p->slow - p->usual));
    }
}
