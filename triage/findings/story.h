/*
 * story.h - one story is one finding: rules look at the same trouble from several sides. Before the rules about causes speak, what the others
 * told is named (named.c); behind them, what is a sign of another finding's cause, or is told by it as well, goes under it.
 *
 * Signs are scheduler latency, idle processors with work at hand, mutator utilisation, assists and the collector's stops.
 * Where no cause is told they stay, as notes.
 */
#ifndef GOTOP_TRIAGE_STORY_H
#define GOTOP_TRIAGE_STORY_H

#include "triage/findings/causes.h"

/* story_has - has a rule told something? story_says - does a finding's text name that function? */
bool story_has(const struct rules *rs, enum rule r);
bool story_says(const struct rules *rs, const struct finding *f, uint32_t func);
/* story_is_sign - of another's cause, if one is told. story_is_sign_rule - whatever else is told. */
bool story_is_sign(const struct rules *rs, const struct finding *f);
bool story_is_sign_rule(enum rule r);
/* story_gc_stop - is it about the collector's stops? story_many_gc_stops - and a finding of its own, not the collector's work? */
bool story_gc_stop(const struct finding *f);
bool story_many_gc_stops(const struct rules *rs, const struct finding *f);
/* story_worst - what the signs are signs of: the finding that costs most; if none does, the host. NULL: neither. */
struct finding *story_worst(const struct rules *rs);

#endif
