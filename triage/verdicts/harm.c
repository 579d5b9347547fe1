/* harm.c - what a verdict costs, of what that is a share, and what there is to gain, in words: verdict.h. */
#include "triage/findings/thresholds.h"
#include "triage/verdicts/verdict.h"
#include "triage/work/work_text.h"

static bool of_slow(const struct verdict *v)
{
    return v->harm.slow > v->harm.all && v->harm.share == v->harm.slow;
}

/* What else would warn: "It also explains: slower and slower, garbage collector (38.5%)." */
static void symptoms_text(struct text *t, const struct verdict *v)
{
    bool first = true;
    for (unsigned i = 0; i < v->nsymptoms; i++) {
        const struct symptom *s = &v->symptom[i];
        const bool told = any_of(k, i, v->symptom[k].warned && v->symptom[k].rule == s->rule);
        if (!s->warned || told || s->rule == v->rule || rule_row(s->rule)->family == FAM_SLOW)
            continue;
        text_add(t, "%s%s", first ? t->n ? " It also explains: " : "It also explains: " : ", ",
                 s->rule == RULE_LOCK ? "a lock held" : rule_row(s->rule)->title);
        if (s->share > 0 && s->share < 1) {
            text_lit(t, " (");
            text_share(t, s->share, 1);
            text_lit(t, ")");
        }
        first = false;
    }
    text_raw(t, ".", !first);
}

static void of_work_text(struct text *t, const struct works *w, const struct verdict *v)
{
    text_share(t, v->harm.share, 1);
    const struct work *k = &w->v[v->harm.work];
    const bool rests = work_rest(k) >= threshold(TH_ROOM); /* which is no cost, and in no share */
    text_add(t, " of the time %s%s", rests ? "that " : "of ",
             !of_slow(v)                ? ""
             : k->slow < k->looked / 10 ? "the slowest of "
                                        : "the slowest tenth of ");
    work_head(t, w, k);
    text_add(t, "%s", !rests ? "" : k->n == 1 ? " is not at rest" : " are not at rest");
    const bool same_ones = of_slow(v) == v->harm.slow_only; /* those that the sentence begins with */
    if (v->harm.of > 1 && v->harm.hit < v->harm.of && same_ones)
        text_add(t, ". %llu of the %llu that were examined %s affected", (unsigned long long)v->harm.hit,
                 (unsigned long long)v->harm.of, v->harm.hit == 1 ? "is" : "are");
    text_lit(t, ".");
}

void verdict_harm(struct text *t, const struct works *w, const struct verdict *v)
{
    if (v->harm.work != NO_LANE)
        of_work_text(t, w, v);
    symptoms_text(t, v);
}

void verdict_amount(struct text *t, const struct verdict *v)
{
    const bool counted = v->known >> EV_COUNT & 1, sized = v->known >> EV_AFTER & 1;
    if (v->grows && sized) {
        text_lit(t, "+");
        text_bytes(t, (uint64_t)(v->ev[EV_AFTER] - v->ev[EV_BEFORE]));
    } else if (v->grows && counted)
        text_add(t, "+%.0f", v->ev[EV_COUNT]);
    else if (v->harm.share <= 0 && counted) /* of no work: how often it is */
        text_add(t, "%.0fx", v->ev[EV_COUNT]);
    else
        text_share(t, v->harm.share, 1);
}

void verdict_base(struct text *t, const struct works *w, const struct verdict *v)
{
    static const char *const of_what[RULE_COUNT] = {
        [RULE_GC_SHARE] = "of CPU in use",    [RULE_GC_SETTING] = "of CPU in use",
        [RULE_FORCED] = "of CPU in use",      [RULE_CHURN] = "of all CPU time",
        [RULE_GRAIN] = "of all CPU time",     [RULE_HOST] = "of all CPU time",
        [RULE_BUSY_LOOP] = "of all CPU time", [RULE_PROCS_BELOW] = "of time to run",
        [RULE_EXPLOSION] = "of their lives",  [RULE_TAKES] = "of its life",
        [RULE_NOBODY] = "of all CPU time",    [RULE_LINE] = "of its time"};
    const bool own = v->harm.work != NO_LANE, slow = own ? of_slow(v) : v->harm.of_slow;
    const uint32_t work = own ? v->harm.work : v->harm.of_work;
    if (v->grows && (v->known >> EV_AFTER & 1 || v->known >> EV_COUNT & 1))
        text_add(t, "%s", v->known >> EV_AFTER & 1 ? "of live heap" : "goroutines");
    if (v->grows || v->harm.share <= 0)
        return;
    if (work == NO_LANE)
        text_add(t, "%s", of_what[v->rule] ? of_what[v->rule] : "of the trace");
    else if (w->v[work].kind == WORK_MAIN)
        text_lit(t, "of main's time");
    else
        text_add(t, slow ? "of slow %ss" : "of %s time", work_one(w->v[work].kind));
}

/* "67 to 84% of ". */
static void gain_text(struct text *t, const struct verdict *v)
{
    const bool slow = of_slow(v);
    text_add(t, "%.0f to %.0f%% of ", 100 * (slow ? v->gain.p99_lo : v->gain.piece_lo),
             100 * (slow ? v->gain.p99_hi : v->gain.piece_hi));
}

void verdict_saves(struct text *t, const struct works *w, const struct verdict *v)
{
    if (v->gain.known) {
        const bool slow = of_slow(v);
        const struct work *of = v->harm.work == NO_LANE ? NULL : &w->v[v->harm.work];
        gain_text(t, v);
        const bool few = !slow && v->harm.hit < v->harm.of;
        if (of && of->kind == WORK_MAIN)
            text_lit(t, "the main goroutine's time");
        else if (few && of)
            text_add(t, "the time of each affected %s", work_one(of->kind));
        else
            text_add(t, "%s %s's time", slow ? "a slow" : "each", of ? work_one(of->kind) : "one");
    }
}

void verdict_gain(struct text *t, const struct works *w, const struct verdict *v)
{
    (void)w;
    if (v->gain.known) {
        text_lit(t, "Possible gain: ");
        gain_text(t, v);
        text_add(t, "%s.", of_slow(v) ? "a slow one" : "each");
    }
}
