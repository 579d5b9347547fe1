/*
 * asked.c - see asked.h. families.def lists what each rule needs; what the trace lacks of that is the
 * reason.
 */
#include "triage/findings/asked.h"

#include <string.h>

#include "triage/findings/thresholds.h"

/* True if anything before the last generation is missing. A trace that was cut, or of a killed program, is
 * complete up to there. */
static bool missing_before(const struct trace *tr)
{
    const struct trace_info *in = trace_info(tr);
    bool cut = in->second_family && !in->more_damages && in->generations > 1;
    for (uint32_t i = 0; cut && i < in->ndamages; i++)
        cut = trace_damage(tr, i)->gen >= in->generations;
    return !cut && triage_part_missing(tr);
}

/* Returns the first missing item of `needs`, in words. */
static const char *missing(const struct triage *tg, unsigned needs)
{
    const struct trace_info *in = trace_info(tg->tr);
    if (needs & NEED_STACKS && trace_nstacks(tg->tr) <= 1) {
        return !in->ndamages         ? "the trace has no stacks"
               : in->version >= 1022 ? "its stacks are lost, which stand at a generation's end"
                                     : "its stacks are lost, which stand at the file's end";
    }
    if (needs & NEED_NAMES && !in->has_names)
        return "no function names (--exe PROGRAM gives them)";
    if (needs & NEED_STOPS && in->version < 1010)
        return "its dialect does not tell stops of the world by kind";
    if (needs & NEED_CYCLES && tg->gc_cycles == 0) {
        return missing_before(tg->tr) ? "no collection is in the part of it that is left"
                                      : "no collection is in it";
    }
    if (needs & NEED_HEAP && !tg->heap.known)
        return "no heap sizes are in it";
    const bool lost = (needs & NEED_BEFORE_CUT) && missing_before(tg->tr);
    return lost ? "a part of the trace is missing" : NULL;
}

/* What a trace itself may lack. The other needs depend on what the program did (collections, tasks) or on a
 * longer trace. */
enum { LACKING = NEED_NAMES | NEED_STACKS | NEED_BEFORE_CUT };

bool rule_lost(const struct triage *tg, enum rule r)
{
    return triage_part_missing(tg->tr) && missing(tg, rule_row(r)->needs & LACKING) != NULL;
}

unsigned rules_lacking(const struct triage *tg, const char **why)
{
    const char *lacks[RULE_COUNT];
    unsigned most = 0;
    *why = NULL;
    for (int r = 0; r < RULE_COUNT; r++)
        lacks[r] = rule_is_off((enum rule)r) ? NULL : missing(tg, rule_row((enum rule)r)->needs & LACKING);
    for (int r = 0; r < RULE_COUNT; r++) {
        const unsigned n =
            (unsigned)sum_over(k, lacks, RULE_COUNT, lacks[r] && *k && strcmp(lacks[r], *k) == 0);
        *why = n > most ? lacks[r] : *why;
        most = n > most ? n : most;
    }
    return most;
}

const char *rule_not_asked(const struct triage *tg, enum rule r)
{
    if (rule_is_off(r))
        return "switched off (--rules)";
    if (!trace_info(tg->tr)->has_clock)
        return "the trace has no clock rate (--ticks-per-second)";
    if (tg->end <= 0)
        return "nothing happens in the trace";
    return missing(tg, rule_row(r)->needs);
}

void rules_not_asked_text(struct text *t, const struct triage *tg)
{
    const char *why[RULE_COUNT];
    bool any = false;
    for (int r = 0; r < RULE_COUNT; r++)
        why[r] = rule_not_asked(tg, (enum rule)r);
    for (int r = 0; r < RULE_COUNT; r++) {
        const char *this = why[r];
        if (!this)
            continue;
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
