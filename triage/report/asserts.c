/* asserts.c - see asserts.h. */
#include "triage/report/asserts.h"
#include "triage/sentence.h"

#include <string.h>

bool asserts_of(struct asserts *a, const struct loaded *l, const struct assert_on *on, uint32_t n,
                uint32_t *which, struct err *e)
{
    *a = (struct asserts){.path = l->path, .partial = l->partial};
    for (uint32_t i = 0; i < n && i < ASSERTS_MOST; i++) {
        struct asserted *x = &a->v[a->n++];
        const struct condition *c = &on[i].cond;
        *which = i;
        x->on = &on[i];
        if (metric_get(l, c->metric, &x->v, e) != ERR_OK)
            return false;
        if (x->v.known && c->unit != x->v.unit && !(c->unit == UNIT_COUNT && c->v == 0)) {
            err_set(e, ERR_ARG, ERR_NO_OFFSET, "the value's unit is not the metric's");
            return false;
        }
        x->held = x->v.known && condition_holds(c, x->v.v);
    }
    return true;
}

uint32_t asserts_broken(const struct asserts *a)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < a->n; i++)
        n += !a->v[i].held;
    return n;
}

static void put_value(struct text *t, const struct asserted *x)
{
    if (x->v.known)
        metric_text(t, &x->v);
    else
        text_lit(t, "the trace has no such thing");
}

void asserts_text(struct text *t, const struct asserts *a)
{
    for (uint32_t i = 0; i < a->n; i++) {
        const struct asserted *x = &a->v[i];
        text_say(t, NULL, x->held ? "held  " : "BROKEN", " ", t_clean(x->on->said), ": ");
        put_value(t, x);
        text_say(t, NULL, "  ", t_clean(a->path), a->partial ? "  (partial)" : "", "\n");
    }
}

/* ---- JUnit --------------------------------------------------------------------------------------------- */

/* Adds text cleaned of control bytes, with each of these bytes replaced by its `as`. */
static void escaped(struct text *t, const char *s, const char *bytes, const char *const as[])
{
    struct text c = {0};
    text_clean(&c, s, strlen(s), 0);
    for (size_t i = 0; i < c.n; i++) {
        const char *at = strchr(bytes, c.p[i]), *with = at ? as[at - bytes] : &c.p[i];
        text_raw(t, with, at ? strlen(with) : 1);
    }
    t->failed |= c.failed;
    text_free(&c);
}

static void xml(struct text *t, const char *s)
{
    static const char *const entity[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&apos;"};
    escaped(t, s, "<>&\"'", entity);
}

void asserts_junit_begin(struct text *t, uint32_t tests, uint32_t failures)
{
    text_add(t,
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"gotop\" tests=\"%u\" "
             "failures=\"%u\">\n",
             tests, failures);
}

void asserts_junit(struct text *t, const struct asserts *a)
{
    text_lit(t, " <testsuite name=\"");
    xml(t, a->path);
    text_add(t, "\" tests=\"%u\" failures=\"%u\" errors=\"0\" skipped=\"0\">\n", a->n, asserts_broken(a));
    for (uint32_t i = 0; i < a->n; i++) {
        const struct asserted *x = &a->v[i];
        struct text v = {0};
        put_value(&v, x);
        text_lit(t, "  <testcase classname=\"");
        xml(t, a->path);
        text_lit(t, "\" name=\"");
        xml(t, x->on->said);
        text_lit(t, "\"");
        if (x->held) {
            text_lit(t, "/>\n");
        } else {
            text_lit(t, ">\n   <failure type=\"assertion\" message=\"");
            xml(t, v.p ? v.p : "");
            text_lit(t, "\">");
            xml(t, x->on->said);
            text_lit(t, ": ");
            xml(t, v.p ? v.p : "");
            text_lit(t, "</failure>\n  </testcase>\n");
        }
        t->failed |= v.failed;
        text_free(&v);
    }
    text_lit(t, " </testsuite>\n");
}

void asserts_junit_end(struct text *t)
{
    text_lit(t, "</testsuites>\n");
}

/* ---- GitHub -------------------------------------------------------------------------------------------- */

/* A property has more special characters than the message. */
static void command_text(struct text *t, const char *s, bool property)
{
    static const char *const code[] = {"%25", "%3A", "%2C"};
    escaped(t, s, property ? "%:," : "%", code);
}

void asserts_github(struct text *t, const struct asserts *a)
{
    for (uint32_t i = 0; i < a->n; i++) {
        const struct asserted *x = &a->v[i];
        struct text v = {0};
        if (x->held)
            continue;
        put_value(&v, x);
        text_lit(t, "::error title=gotop ");
        command_text(t, x->on->said, true);
        text_lit(t, "::");
        command_text(t, x->on->said, false);
        text_lit(t, " is broken: ");
        command_text(t, v.p ? v.p : "", false);
        text_lit(t, " in ");
        command_text(t, a->path, false);
        text_lit(t, "\n");
        t->failed |= v.failed;
        text_free(&v);
    }
}
