/*
 * asked.h - of which rules a trace can't say whether they hold: "none" and "not recorded" are two answers.
 */
#ifndef GOTOP_TRIAGE_ASKED_H
#define GOTOP_TRIAGE_ASKED_H

#include "triage/findings/findings.h"
#include "triage/text.h"

/*
 * rule_not_asked - why a rule can't be asked of this trace, as the end of a sentence ("the trace has no
 * stacks"); NULL: it was asked, and where it did not speak, there was nothing to tell. After TRIAGE_DONE.
 */
const char *rule_not_asked(const struct triage *tg, enum rule r);

/* What a reader can do about a trace whose clock rate was cut off: what the runtime's ticks were up to
 * Go 1.21. */
#define CLOCK_HINT "--ticks-per-second N sets one (x86: the host's base clock / 64; 2.4 GHz: 37500000)"

/* rule_lost - what a rule needs was lost with a part of the trace: whatever it makes of the rest is not to be
 * told. */
bool rule_lost(const struct triage *tg, enum rule r);

/* rules_lacking - how many rules can't be asked for the reason that keeps most of them from it, of what a
 * trace may lack itself (stacks, names, a part of it), and *why: that reason, as above; 0 and NULL: all can.
 */
unsigned rules_lacking(const struct triage *tg, const char **why);

/* rules_not_asked_text - "could not be asked: lock-convoy, stuck-lock: the trace has no function names; ..",
 * a part for each reason; nothing if all were asked. */
void rules_not_asked_text(struct text *t, const struct triage *tg);

#endif
