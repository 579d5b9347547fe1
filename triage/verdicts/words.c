/* words.c - a verdict's fields as sentences, by the templates of families.def. See verdict.h. */
#include "triage/text.h"
#include "triage/verdicts/verdict.h"
#include "triage/views.h"
#include "triage/work/work_text.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

static const struct rule_row rules[RULE_COUNT + 1] = {
#define S(ID, id, FAMILY, VIEW, needs, CULPRIT, OF, TELLS, WARNS, ...) \
    {id, FAM_##FAMILY, VIEW_##VIEW, needs, CULPRIT_##CULPRIT, EXPLAINS_##OF, TELLS_##TELLS, __VA_ARGS__},
#include "triage/verdicts/families.def"
    {"", FAM_NONE, VIEW_TRIAGE, 0, CULPRIT_WHERE, EXPLAINS_NONE, TELLS_SIGN, "", "", "", "", ""}};
static const char *const families[FAM_COUNT] = {
#define F(ID, id, SHAPE) id,
#include "triage/verdicts/families.def"
};
static const struct {
    const char *id;
    enum evidence_unit unit;
} evidence[EV_KINDS] = {
#define X(ID, name, UNIT) {name, EU_##UNIT},
#include "triage/verdicts/evidence.def"
#undef X
};

const char *family_id(enum family f)
{
    return (unsigned)f < FAM_COUNT ? families[f] : "";
}

const struct rule_row *rule_row(enum rule r)
{
    return &rules[(unsigned)r < RULE_COUNT ? r : RULE_COUNT];
}

enum rule rule_named(struct str id)
{
    return (enum rule)find_first(r, RULE_COUNT, str_is(id, rules[r].id));
}

const char *evidence_id(enum evidence_kind k)
{
    return (unsigned)k < EV_KINDS ? evidence[k].id : "";
}

enum evidence_unit evidence_unit(enum evidence_kind k)
{
    return (unsigned)k < EV_KINDS ? evidence[k].unit : EU_COUNT;
}

/* ---- parts --------------------------------------------------------------------------------------------- */

static const char *doing_word(const struct did *d)
{
    return d->cat == EX_TIMER && d->kind == WK_SLEEP ? "asleep"
           : d->cat == EX_SYSCALL                    ? "in a system call"
                                                     : explain_cat_name((enum explain_cat)d->cat);
}

void site_text(struct text *t, const struct trace *tr, const struct site *p)
{
    if (!p->user) {
        text_add(t, t->n ? "a place that is not recorded" : "A place that is not recorded");
        return;
    }
    if (p->leaf && p->leaf != p->user)
        text_say(t, tr, t_func(p->leaf), " in ");
    text_say(t, tr, t_func(p->user));
}

/* "store.go:57"; nothing if it is not known. */
static void line_text(struct text *t, const struct trace *tr, const struct site *p)
{
    const struct frame f = p->stack ? trace_frame(tr, p->stack, p->frame) : (struct frame){0};
    if (!f.file || f.func != p->user)
        return;
    const struct str file = trace_str(tr, f.file);
    const uint32_t from = str_dir(file);
    text_clean(t, file.p + from, file.len - from, 0);
    text_add(t, ":%llu", (unsigned long long)f.line);
}

static void way_text(struct text *t, const struct works *w, const struct verdict *v)
{
    for (unsigned i = 0; i < v->nlinks; i++) {
        const struct link *l = &v->link[i];
        const bool lock = l->kind == WK_LOCK;
        text_raw(t, " ", i > 0);
        site_text(t, w->tr, &l->at);
        const bool last = i + 1 == v->nlinks && rule_row(v->rule)->culprit == CULPRIT_HOLDER;
        const uint32_t whom = last && v->culprit.user ? v->culprit.user
                              : l->let_go.user        ? l->let_go.user
                                                      : l->by;
        if (whom == l->at.user) {
            text_add(t, lock ? " waits for a lock that another goroutine holds there"
                             : " waits for another goroutine there");
        } else {
            text_say(t, w->tr, lock ? " waits for a lock that " : " waits for ", t_func(whom),
                     lock ? " holds" : "");
        }
        if (l->by && l->by != l->who && l->by != whom)
            text_say(t, w->tr, " (", t_func(l->by), ")");
        text_lit(t, ".");
    }
}

/* " in ", or what is known of where it ran. */
static const char *doing_in(const struct works *w, const struct did *d)
{
    const struct frame f = d->at.stack ? trace_frame(w->tr, d->at.stack, d->at.frame) : (struct frame){0};
    const bool library = f.func == d->at.user && owner_of(w->own, &f) != OWNER_PROGRAM;
    return d->cat == EX_RUN ? ran_word((enum ran_how)d->ran, library) : " in ";
}

static void deeds_text(struct text *t, const struct works *w, const struct verdict *v)
{
    for (unsigned i = 0; i < v->ndoing; i++) {
        const struct did *d = &v->doing[i];
        text_say(t, w->tr, i ? ", " : "", t_share(d->share, 1), " ", doing_word(d));
        if (d->at.user) {
            text_add(t, "%s", doing_in(w, d));
            site_text(t, w->tr, &d->at);
        }
    }
}

static bool role_text(struct text *t, const struct works *w, const struct role *r)
{
    if (!r->at.user && !r->group)
        return false;
    text_say(t, w->tr, t_func(r->at.user ? r->at.user : r->group));
    if (r->group && r->at.user && r->group != r->at.user)
        text_say(t, w->tr, " (", t_func(r->group), ")");
    return true;
}

static bool evidence_text(struct text *t, const struct verdict *v, enum evidence_kind k)
{
    if (!(v->known >> k & 1))
        return false;
    switch (evidence[k].unit) {
    case EU_COUNT: text_add(t, "%.0f", v->ev[k]); break;
    case EU_TENTHS:
        text_add(t, v->ev[k] < 10 && fabs(v->ev[k] - round(v->ev[k])) >= 0.05 ? "%.1f" : "%.0f", v->ev[k]);
        break;
    case EU_NS: text_dur(t, (int64_t)v->ev[k]); break;
    case EU_SHARE: text_share(t, v->ev[k], 1); break;
    case EU_BYTES: text_bytes(t, (uint64_t)v->ev[k]); break;
    }
    return true;
}

static bool is(const char *name, size_t n, const char *word)
{
    return strlen(word) == n && memcmp(name, word, n) == 0;
}

/* What the slow ones do that the usual ones don't; NULL: something else. */
static const char *slow_word(const struct verdict *v)
{
    const struct did *d = &v->doing[0];
    const uint8_t cat = v->ndoing ? d->cat : EX_OPEN;
    return cat == EX_RUN                            ? "run longer"
           : cat == EX_TIMER && d->kind == WK_SLEEP ? "sleep"
           : cat == EX_TIMER || cat == EX_DEADLINE  ? "wait until a timer is up"
           : explain_waits_outside(cat)             ? "wait for the remote end"
           : cat == EX_SYSCALL                      ? "are in system calls"
           : cat == EX_WAIT                         ? "wait for others"
                                                    : NULL;
}

static bool condition(const struct verdict *v, const char *name, size_t n)
{
    const char *slow = slow_word(v);
    return is(name, n, "noted")   ? v->level == LEVEL_NOTE
           : is(name, n, "usual") ? v->known >> EV_USUAL & 1
                                  : slow && is(name, n, slow);
}

/* false: the verdict does not have that field. A field "if-.." prints nothing: it is there if
 * the slow ones do what its name says behind that, if it counts usual ones, or if it is a note. */
static bool field(struct text *t, const struct works *w, const struct verdict *v, const char *name, size_t n)
{
    if (is(name, n, "where")) {
        site_text(t, w->tr, &v->where);
        return v->where.user != 0;
    }
    const struct {
        const char *name;
        uint32_t string;
        bool func;
    } said[] = {{"user", v->where.user, true},
                {"culprit", v->culprit.user, true},
                {"region", v->region, false},
                {"kind", v->kind, false}};
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        if (is(name, n, said[i].name)) {
            text_say(t, w->tr, said[i].func ? t_func(said[i].string) : t_str(said[i].string));
            return said[i].string != 0;
        }
    if (is(name, n, "piece")) { /* main, or the only one, is no piece of anything */
        const struct work *of = v->harm.work != NO_LANE ? &w->v[v->harm.work] : NULL;
        const bool known = of && of->kind != WORK_MAIN && of->n > 1;
        text_add(t, "%s%s", known && v->harm.slow_only ? "slow " : "", known ? work_one(of->kind) : "");
        return known;
    }
    if (n > 3 && is(name, 3, "if-"))
        return condition(v, name + 3, n - 3);
    if (is(name, n, "way")) {
        way_text(t, w, v);
        return v->nlinks > 0;
    }
    if (is(name, n, "parts")) {
        deeds_text(t, w, v);
        return v->ndoing > 1;
    }
    if (is(name, n, "deeds")) {
        deeds_text(t, w, v);
        return v->ndoing > 0;
    }
    const struct {
        const char *name;
        const struct role *role;
    } roles[] = {{"waiter", &v->waiter}, {"holder", &v->holder}, {"creator", &v->creator}};
    for (unsigned i = 0; i < sizeof roles / sizeof *roles; i++) {
        if (is(name, n, roles[i].name)) {
            struct role r = *roles[i].role; /* who holds is told by what it did meanwhile */
            const bool holds = roles[i].role == &v->holder && (r.group || r.at.user);
            if (holds && rule_row(v->rule)->culprit == CULPRIT_HOLDER && v->culprit.user)
                r.at = v->culprit;
            return role_text(t, w, &r);
        }
    }
    for (int k = 0; k < EV_KINDS; k++)
        if (is(name, n, evidence[k].id))
            return evidence_text(t, v, (enum evidence_kind)k);
    return false;
}

static void cut(struct text *t, size_t to)
{
    if (t->p && to <= t->n) {
        t->n = to;
        t->p[to] = 0;
    }
}

/* What stands in brackets goes if one of its fields is missing; of one the
 * noun behind the number has no s, and one time is once. */
static void say(struct text *t, const struct works *w, const struct verdict *v, const char *words)
{
    size_t from = t->n;
    bool whole = true, one = false;
    for (const char *p = words; *p; p++) {
        if (*p == '[') {
            from = t->n;
            whole = true;
        } else if (*p == ']') {
            cut(t, whole ? t->n : from);
        } else if (*p == '{') {
            const char *end = strchr(p, '}');
            const size_t at = t->n;
            whole &= field(t, w, v, p + 1, (size_t)(end - p - 1));
            one = t->n == at + 1 && t->p[at] == '1';
            p = end;
            if (one && strncmp(p + 1, " times", 6) == 0) {
                cut(t, at);
                text_lit(t, "once");
                p += 6;
            }
        } else {
            const bool ends = !isalpha((unsigned char)p[1]) && isalpha((unsigned char)*p);
            if (!one || !ends || *p != 's')
                text_raw(t, p, 1);
            one &= !ends;
        }
    }
}

void verdict_at(struct text *t, const struct works *w, const struct verdict *v)
{
    line_text(t, w->tr, &v->culprit);
    if (t->n && v->caller.user) {
        text_say(t, w->tr, ", called by ", t_func(v->caller.user), " at ");
        line_text(t, w->tr, &v->caller);
    }
}

void verdict_title(struct text *t, const struct verdict *v)
{
    const char *slow = v->rule == RULE_SLOW ? slow_word(v) : NULL;
    text_add(t, slow ? "the slow ones %s" : "%s",
             slow                     ? slow
             : verdict_only_sleeps(v) ? "sleeps"
                                      : rule_row(v->rule)->title);
}

void verdict_what(struct text *t, const struct works *w, const struct verdict *v)
{
    say(t, w, v, rules[v->rule].what);
}

void verdict_why(struct text *t, const struct works *w, const struct verdict *v)
{
    say(t, w, v, rules[v->rule].why);
}

/* What to do depends on what the holder did most. */
static const char *held_advice(const struct verdict *v)
{
    const uint8_t cat = v->ndoing ? v->doing[0].cat : EX_CATS;
    const bool answer = explain_waits_outside(cat);
    if (rule_row(v->rule)->family == FAM_SET)
        return answer ? "Have more of what {user} waits for, or don't wait for an answer while holding one."
                      : "Have more of what {user} waits for, or hold one for less time.";
    switch (cat) {
    case EX_NET:
    case EX_DEADLINE:
        return "Don't wait for an answer with the lock held: ask before, or copy what is needed and ask "
               "after.";
    case EX_PIPE:
        return "Don't use the pipe with the lock held: do that in a goroutine of its own, with a queue.";
    case EX_TIMER: return "Don't sleep with the lock held.";
    case EX_SYSCALL: return "Make the call without the lock, or one call for all that wait (a group commit).";
    default: return "Hold the lock for less time, or split it.";
    }
}

/* What a work mostly does is no fault, and needs no advice. */
void verdict_do(struct text *t, const struct works *w, const struct verdict *v)
{
    const char *s = rules[v->rule].advice;
    const bool is_what = v->level == LEVEL_NOTE && v->harm.work != NO_LANE && !v->grows;
    if (!is_what || rules[v->rule].tells != TELLS_WHAT)
        say(t, w, v, s ? s : held_advice(v));
}
