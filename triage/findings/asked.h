/*
 * asked.h - which rules cannot be evaluated on a trace, and why: "no findings" and "not recorded" are
 * different answers.
 */
#ifndef GOTOP_TRIAGE_ASKED_H
#define GOTOP_TRIAGE_ASKED_H

#include "triage/findings/findings.h"
#include "triage/text.h"

/* rule_not_asked - Returns why a rule cannot be evaluated on this trace, as the end of a sentence ("the
 * trace has no stacks"), or NULL if it was evaluated. Valid after TRIAGE_DONE. */
const char *rule_not_asked(const struct triage *tg, enum rule r);

/* What a reader can do about a trace whose clock rate was cut off, with the runtime's tick rates up to Go
 * 1.21. */
#define CLOCK_HINT "--ticks-per-second N sets one (x86: the host's base clock / 64; 2.4 GHz: 37500000)"

/* rule_lost - True if the data a rule needs was lost with a part of the trace. Its findings from the rest
 * must not be reported. */
bool rule_lost(const struct triage *tg, enum rule r);

/* rules_lacking - Returns how many rules cannot be evaluated for the most common reason among those a trace
 * may lack itself (stacks, names, a part of it), and stores that reason in *why. Returns 0 and stores NULL
 * if all can. */
unsigned rules_lacking(const struct triage *tg, const char **why);

/* rules_not_asked_text - Appends "could not be asked: lock-convoy, stuck-lock: the trace has no function
 * names; ..", one part per reason. Appends nothing if all rules were evaluated. */
void rules_not_asked_text(struct text *t, const struct triage *tg);

#endif
