/* words.c - a verdict's fields as sentences: see verdict.h. */
#include "triage/sentence.h"
#include "triage/verdicts/verdict.h"
#include "triage/work/work_text.h"

static const char *doing(const struct deed *d)
{
    static const char *const word[EX_CATS] = {
        "running",        "in mark assist", "in system calls", "runnable",          "runnable while a processor was idle",
        "stopped",        "in the network", "in a pipe",       "asleep",            "waiting for the collector",
        "waiting for good", "waiting",      "absent",          "in no recorded state"};
    return d->cat == EX_TIMER && d->kind != WK_SLEEP ? "waiting for a timer" : word[d->cat];
}

void place_text(struct text *t, const struct trace *tr, const struct place *p)
{
    if (p->leaf && p->leaf != p->user) {
        text_say(t, tr, t_func(p->leaf), ", in ");
    }
    if (p->user) {
        text_say(t, tr, t_func(p->user));
    } else {
        text_lit(t, "a place that is not recorded");
    }
}

static void share(struct text *t, double v)
{
    text_share(t, v, 1);
}

static const char *link_words(const struct link *l)
{
    return l->kind == WK_LOCK ? " waits for the lock that " : " waits for ";
}

/* "main.Quote waits for the lock that main.Delay holds; main.Delay waits for .." */
static void way_text(struct text *t, const struct works *w, const struct verdict *v)
{
    for (unsigned i = 0; i < v->nlinks; i++) {
        const struct link *l = &v->link[i];
        text_raw(t, " ", t->n > 0);
        place_text(t, w->tr, &l->at);
        text_say(t, w->tr, link_words(l), t_func(l->let_go.user ? l->let_go.user : l->by),
                 l->kind == WK_LOCK ? " holds" : "");
        if (l->by && l->by != l->who && l->by != l->let_go.user) {
            text_say(t, w->tr, " (", t_func(l->by), ")");
        }
        text_lit(t, ".");
    }
}

void verdict_what(struct text *t, const struct works *w, const struct verdict *v)
{
    const struct trace *tr = w->tr;
    switch (v->family) {
    case FAM_LOCK:
    case FAM_SET:
    case FAM_SERVER:
        if (v->crowd > 1) {
            text_add(t, "Up to %u goroutines wait at once.", v->crowd);
        }
        way_text(t, w, v);
        break;
    case FAM_SERIAL:
        place_text(t, tr, &v->where);
        text_add(t, " waits for %.0f answers one after the other in each piece, ", v->harm.times);
        text_say(t, tr, t_dur(v->harm.each), " each.");
        break;
    case FAM_BACKEND:
        place_text(t, tr, &v->where);
        text_say(t, tr, " waits for answers from outside, ", t_dur(v->harm.each), " each.");
        break;
    case FAM_SLOW:
        text_say(t, tr, "The slow pieces are ", doing(&v->deed[0]), " in ");
        place_text(t, tr, &v->where);
        text_lit(t, ".");
        break;
    case FAM_STOP:
        text_say(t, tr, t_func(v->holder.at.user ? v->holder.at.user : v->holder.group), " stops the world.");
        break;
    default:
        place_text(t, tr, &v->where);
        text_say(t, tr, " is ", doing(&v->deed[0]), ".");
    }
}

static void deed_text(struct text *t, const struct works *w, const struct deed *d)
{
    text_say(t, w->tr, doing(d));
    if (d->at.user) {
        text_lit(t, " in ");
        place_text(t, w->tr, &d->at);
    }
    text_lit(t, " ");
    share(t, d->share);
}

void verdict_why(struct text *t, const struct works *w, const struct verdict *v)
{
    if (v->holder.at.user || v->holder.group) {
        text_say(t, w->tr, "Meanwhile ", t_func(v->holder.group ? v->holder.group : v->holder.at.user), " is ");
    } else {
        text_lit(t, "It is ");
    }
    for (unsigned i = 0; i < v->ndeeds; i++) {
        text_raw(t, ", ", i ? 2 : 0);
        deed_text(t, w, &v->deed[i]);
    }
    text_lit(t, ".");
}

void verdict_harm(struct text *t, const struct works *w, const struct verdict *v)
{
    const struct work *k = &w->v[v->harm.work];
    if (v->harm.slow > v->harm.all && v->harm.share == v->harm.slow) {
        share(t, v->harm.slow);
        text_lit(t, " of the slowest tenth of ");
    } else {
        share(t, v->harm.all);
        text_lit(t, " of the time of ");
    }
    work_head(t, w, k);
    text_add(t, "; %llu of %llu %shave it.", (unsigned long long)v->harm.hit, (unsigned long long)v->harm.of,
             v->harm.slow_only ? "slow ones " : "");
}

static const char *held_advice(const struct verdict *v)
{
    switch (v->ndeeds ? v->deed[0].cat : EX_CATS) {
    case EX_NET:
    case EX_PIPE: return "Don't wait for the other side with it held: ask before, or copy what is needed and ask after.";
    case EX_TIMER: return "Don't sleep with it held.";
    case EX_SYSCALL: return "Make the system call outside of it, or one call for all that wait (group commit).";
    default: return NULL;
    }
}

static const char *const advice[FAM_COUNT] = {
#define X(ID, id, RULE, title, advice) advice,
#include "triage/verdicts/families.def"
#undef X
};

void verdict_do(struct text *t, const struct works *w, const struct verdict *v)
{
    const char *s = v->family == FAM_LOCK || v->family == FAM_SET ? held_advice(v) : NULL;
    (void)w;
    text_add(t, "%s", s ? s : advice[v->family]);
}

void verdict_gain(struct text *t, const struct works *w, const struct verdict *v)
{
    (void)w;
    if (!v->gain.known) {
        return;
    }
    const bool tail = v->harm.slow > v->harm.all && v->harm.share == v->harm.slow;
    text_add(t, "Possible gain: %.0f to %.0f %% of %s.", 100 * (tail ? v->gain.p99_lo : v->gain.piece_lo),
             100 * (tail ? v->gain.p99_hi : v->gain.piece_hi), tail ? "a slow piece" : "a piece");
}
