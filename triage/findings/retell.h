/*
 * retell.h - a finding that is told already is told otherwise: words before and behind its text, another advice, another rule.
 */
#ifndef GOTOP_TRIAGE_RETELL_H
#define GOTOP_TRIAGE_RETELL_H

#include "triage/findings/rules.h"

/* retell - its text with something before and behind it, or one of them; they are freed. */
void retell(struct rules *rs, struct finding *f, struct text *before, struct text *behind);
void retell_before(struct rules *rs, struct finding *f, struct text *before);
void retell_behind(struct rules *rs, struct finding *f, struct text *behind);
/* retell_next - what to do next, instead of what it said. retell_advice - the same of a text, which is freed; failed: it stays. */
void retell_next(struct rules *rs, struct finding *f, const char *what);
void retell_advice(struct rules *rs, struct finding *f, struct text *what);
/* retell_as - it is another rule's, under that one's title. */
void retell_as(struct rules *rs, struct finding *f, enum rule r);

#endif
