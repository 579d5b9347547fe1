/* finding_parts.c - see finding_parts.h. */
#include "triage/findings/finding_parts.h"

#include <string.h>

#include "decode/base/mem.h"
#include "triage/text.h"

#define PARTS_FINDINGS 512 /* of a program that makes ever new ones, so many are kept */

static struct finding *same(const struct finding_parts *p, const struct finding *f)
{
    for (uint32_t i = 0; i < p->all.n; i++) {
        if (p->all.f[i].rule == f->rule && strcmp(p->all.f[i].key, f->key) == 0) {
            return &p->all.f[i];
        }
    }
    return NULL;
}

static void strings_free(struct finding *f)
{
    mem_free(f->amount);
    mem_free(f->title);
    mem_free(f->text);
    mem_free(f->next);
}

/* Is what it is called just what it cost? Then the sum is what it is to be called. */
static bool named_by_cost(const struct finding *f)
{
    struct text t = {0};
    text_dur(&t, f->severity_ns);
    bool is = t.p && strcmp(t.p, f->amount) == 0;
    text_free(&t);
    return is;
}

/* One bad moment's measure is not a sum. */
static bool adds(enum rule r)
{
    return r != RULE_MMU && r != RULE_STUCK;
}

static void join(struct finding *a, struct finding *b)
{
    int64_t cost = adds(a->rule)                 ? ns_add(a->cost_ns, b->severity_ns)
                   : b->severity_ns > a->cost_ns ? b->severity_ns
                                                 : a->cost_ns;
    uint32_t parts = a->parts + 1;
    bool swap = b->severity_ns > a->severity_ns;
    struct finding keep = swap ? *b : *a, drop = swap ? *a : *b;
    strings_free(&drop);
    *a = keep;
    a->cost_ns = cost;
    a->parts = parts;
}

bool finding_parts_add(struct finding_parts *p, const struct triage *tg, struct findings *of)
{
    bool ok = true;
    p->parts++;
    for (uint32_t i = 0; i < of->n; i++) {
        struct finding *f = &of->f[i], *old = same(p, f);
        f->part0 = tg->t0;
        f->part1 = tg->t1;
        f->cost_ns = f->severity_ns;
        f->parts = 1;
        if (old) {
            join(old, f);
            continue;
        }
        struct finding *v =
            ok && p->all.n < PARTS_FINDINGS ? mem_grow(p->all.f, &p->cap, (size_t)p->all.n + 1, sizeof *v) : NULL;
        if (v) {
            p->all.f = v;
            v[p->all.n++] = *f;
        } else {
            ok = ok && p->all.n >= PARTS_FINDINGS;
            strings_free(f);
        }
    }
    mem_free(of->f);
    *of = (struct findings){0};
    return ok;
}

static bool say_parts(struct finding *f, uint32_t parts)
{
    struct text t = {0}, amount = {0};
    if (parts < 2) {
        return true;
    }
    text_raw(&t, f->text, strlen(f->text));
    if (f->parts == parts) {
        text_add(&t, " In all %u parts of the trace", parts);
    } else {
        text_add(&t, " In %u of %u parts of the trace", f->parts, parts);
    }
    if (!f->note && f->parts > 1 && adds(f->rule)) {
        text_lit(&t, ", ");
        text_dur(&t, f->cost_ns);
        text_lit(&t, " together");
    }
    text_lit(&t, "; these numbers are of ");
    text_dur(&t, f->part0);
    text_lit(&t, "..");
    text_dur(&t, f->part1);
    text_lit(&t, ".");
    if (f->parts > 1 && named_by_cost(f)) {
        text_dur(&amount, f->cost_ns);
    } else {
        text_raw(&amount, f->amount, strlen(f->amount));
    }
    char *text = text_take(&t), *a = text_take(&amount);
    if (!text || !a) {
        mem_free(text);
        mem_free(a);
        return false;
    }
    mem_free(f->text);
    mem_free(f->amount);
    f->text = text;
    f->amount = a;
    f->severity_ns = f->cost_ns;
    return true;
}

bool finding_parts_end(struct finding_parts *p)
{
    bool ok = true;
    for (uint32_t i = 0; i < p->all.n && ok; i++) {
        ok = say_parts(&p->all.f[i], p->parts);
    }
    findings_sort(&p->all);
    return ok;
}

void finding_parts_free(struct finding_parts *p)
{
    findings_free(&p->all);
    *p = (struct finding_parts){0};
}
