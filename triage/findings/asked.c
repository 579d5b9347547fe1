/*
 * asked.c - see asked.h. A table says what each rule needs, and what of that this trace has not is the reason.
 */
#include "triage/findings/asked.h"

#include <string.h>

#include "triage/findings/thresholds.h"

enum need {
    NAMES = 1,        /* functions: kinds of waits are read off them */
    STACKS = 2,       /* any stacks at all */
    TASKS = 4,        /* tasks or regions */
    STATES = 16,      /* what goroutines do, all through */
    CYCLES = 32,      /* collections */
    HEAP = 64,        /* heap sizes */
    STOPS = 128,      /* stops of the world by kind: before 1.10 they are not told apart */
    WHOLE = 256,      /* nothing missing: damage hides who ended a wait */
    PROCS = 512,      /* what processors did, all but a hundredth */
    BEFORE_CUT = 1024 /* nothing missing before the last generation */
};

/* Rules that are not here need a clock alone. */
static const struct {
    enum rule rule;
    unsigned needs;
} table[] = {
    {RULE_STW, STOPS},
    {RULE_MMU, CYCLES},
    {RULE_HEAP, HEAP},
    {RULE_GC_ASSIST, CYCLES},
    {RULE_GC_SHARE, CYCLES},
    {RULE_FORCED, CYCLES | STACKS | NAMES},
    {RULE_CONVOY, NAMES | STACKS},
    {RULE_BOTTLENECK, NAMES | STACKS},
    {RULE_STUCK, NAMES | STACKS},
    {RULE_SYSCALL, NAMES | STACKS},
    {RULE_HERD, NAMES | STACKS},
    {RULE_WRITER, NAMES | STACKS},
    {RULE_POOL, STACKS},
    {RULE_HUB, STACKS},
    {RULE_SLOTS, STACKS},
    {RULE_STARVED, STACKS | NAMES},
    {RULE_KNOT, STACKS | NAMES | WHOLE},
    {RULE_LEFT, STACKS | NAMES},
    {RULE_LOST, STACKS | NAMES},
    {RULE_LAST, STACKS | NAMES},
    {RULE_HOLD, STACKS | NAMES | WHOLE},
    {RULE_STAMPEDE, STACKS},
    {RULE_OWN, STACKS},
    {RULE_SLOWEST, STACKS},
    {RULE_HANDOFF, STACKS},
    {RULE_SERIAL_CALLS, STACKS},
    {RULE_BACKEND, STACKS},
    {RULE_CONNS, STACKS | NAMES},
    {RULE_ACCEPT, STACKS | NAMES},
    {RULE_PIECES, STACKS | NAMES},
    {RULE_PHASES, STACKS | NAMES},
    {RULE_READER, STACKS | NAMES},
    {RULE_BURSTS, STACKS},
    {RULE_CHILDREN, STACKS | NAMES},
    {RULE_PREPARED, STACKS | NAMES},
    {RULE_SHARE, STACKS | NAMES},
    {RULE_GRAIN, STACKS | NAMES},
    {RULE_CONTEXTS, STACKS | NAMES},
    {RULE_FINALIZERS, STACKS | NAMES | CYCLES},
    {RULE_OPEN, STACKS | NAMES},
    {RULE_POLL, STACKS},
    {RULE_BLOCKING, STACKS},
    {RULE_LEAK, STACKS | BEFORE_CUT},
    {RULE_TICKERS, STACKS},
    {RULE_SLOW_TASK, TASKS},
    {RULE_PROCS_ABOVE, PROCS},
};

static bool has_names(const struct triage *tg)
{
    return trace_info(tg->tr)->has_names;
}

static bool has_stacks(const struct triage *tg)
{
    return trace_nstacks(tg->tr) > 1;
}

/* Is any of what came before the last generation missing? A trace that was cut, or a killed program's, is whole up to there. */
static bool missing_before(const struct trace *tr)
{
    const struct trace_info *in = trace_info(tr);
    bool cut = in->second_family && !in->more_damages && in->generations > 1;
    for (uint32_t i = 0; cut && i < in->ndamages; i++) {
        cut = trace_damage(tr, i)->gen >= in->generations;
    }
    return !cut && triage_part_missing(tr);
}

/* What of `needs` is missing, the first as words. */
static const char *missing(const struct triage *tg, unsigned needs)
{
    const struct trace_info *in = trace_info(tg->tr);
    const struct task *task;
    const struct region *region;
    if (needs & STACKS && !has_stacks(tg)) {
        return !in->ndamages         ? "the trace has no stacks"
               : in->version >= 1022 ? "its stacks are lost, which stand at a generation's end"
                                     : "its stacks are lost, which stand at the file's end";
    }
    if (needs & NAMES && !has_names(tg)) {
        return "no function names (--exe PROGRAM gives them)";
    }
    if (needs & STOPS && in->version < 1010) {
        return "its dialect does not tell stops of the world by kind";
    }
    if (needs & CYCLES && tg->gc_cycles == 0) {
        return missing_before(tg->tr) ? "no collection is in the part of it that is left" : "no collection is in it";
    }
    if (needs & HEAP && !tg->heap.known) {
        return "no heap sizes are in it";
    }
    if (needs & TASKS && trace_tasks(tg->tr, &task) == 0 && trace_regions(tg->tr, &region) == 0) {
        return !in->has_regions ? "its dialect has no tasks and regions" : "the program marks no tasks or regions";
    }
    if (needs & PROCS && tg->lost > tg->capacity / 100) {
        return "what processors did is missing";
    }
    const bool lost = needs & WHOLE ? triage_part_missing(tg->tr) : (needs & BEFORE_CUT) && missing_before(tg->tr);
    return lost ? "a part of the trace is missing" : NULL;
}

/* What a trace itself may lack. Other needs are what a program has to have done (collections, tasks), or a longer trace. */
enum { LACKING = NAMES | STACKS | WHOLE | BEFORE_CUT };

bool rule_lost(const struct triage *tg, enum rule r)
{
    size_t i = 0;
    while (i < sizeof table / sizeof *table && table[i].rule != r) {
        i++;
    }
    return triage_part_missing(tg->tr) && i < sizeof table / sizeof *table &&
           missing(tg, table[i].needs & (LACKING | PROCS)) != NULL;
}

unsigned rules_lacking(const struct triage *tg, const char **why)
{
    const char *first[RULE_COUNT] = {NULL};
    unsigned n = 0, most = 0, of[RULE_COUNT] = {0};
    *why = NULL;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const char *this = rule_is_off(table[i].rule) ? NULL : missing(tg, table[i].needs & LACKING);
        unsigned k = 0;
        while (this && k < n && strcmp(first[k], this) != 0) {
            k++;
        }
        if (this) {
            first[k] = this;
            n += k == n;
            if (++of[k] > most) {
                most = of[k];
                *why = this;
            }
        }
    }
    return most;
}

const char *rule_not_asked(const struct triage *tg, enum rule r)
{
    if (rule_is_off(r)) {
        return "switched off (--rules)";
    }
    if (!trace_info(tg->tr)->has_clock) {
        return "the trace has no clock rate (--ticks-per-second)";
    }
    if (tg->end <= 0) {
        return "nothing happens in the trace";
    }
    if (r == RULE_MMU && tg->end < threshold_ns(TH_MMU_TRACE)) {
        return "the trace is too short";
    }
    if (r == RULE_PROCS_ABOVE && tg->end < threshold_ns(TH_ABOVE_TRACE)) {
        return "the trace is too short";
    }
    if (r == RULE_PROCS_BELOW && tg->end < threshold_ns(TH_BELOW_TRACE)) {
        return "the trace is too short";
    }
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (table[i].rule == r) {
            return missing(tg, table[i].needs);
        }
    }
    return NULL;
}

void rules_not_asked_text(struct text *t, const struct triage *tg)
{
    const char *why[RULE_COUNT];
    bool any = false;
    for (int r = 0; r < RULE_COUNT; r++) {
        why[r] = rule_not_asked(tg, (enum rule)r);
    }
    for (int r = 0; r < RULE_COUNT; r++) {
        const char *this = why[r];
        if (!this) {
            continue;
        }
        text_add(t, "%s%s", any ? "; " : "not applicable: ", rule_id((enum rule)r));
        for (int k = r + 1; k < RULE_COUNT; k++) {
            if (why[k] && strcmp(why[k], this) == 0) {
                text_add(t, ", %s", rule_id((enum rule)k));
                why[k] = NULL;
            }
        }
        text_add(t, ": %s", this);
        any = true;
    }
}
