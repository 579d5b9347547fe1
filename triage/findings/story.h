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

/* ---- what the rules about causes say in findings of others ---- */

/*
 * logged_text - rules_logged.c: of the tasks that a finding of slow ones is about, those with one thing logged, if they are the slow ones: a
 * sentence for its text, and one for its advice. false: nothing is.
 */
bool logged_text(struct text *behind, struct text *next, const struct rules *rs, const struct finding *slow);
/* causes_tell_holders - what the holders of a convoy's lock did, in its text. */
void causes_tell_holders(struct causes *c, struct finding *f);
#define HOLDER_WAITS "Don't wait while holding the lock." /* where no kind of wait is most of it */
#define HOLDER_NET "Don't wait for the network while holding the lock."
/* lock_advice - rules_locks.c: what to do about a lock, by what most of its holders' time went to, over all waits. h NULL: nobody knows. */
const char *lock_advice(const struct triage *tg, const struct holder_row *h);
/* lock_readers - of a lock that readers could share, and that all take to write: says so behind the advice. */
void lock_readers(struct text *next, const struct rules *rs, uint32_t lock);
/* lock_one_for_all - may those that wait for it need just what the few fetch that hold it for long? */
bool lock_one_for_all(const struct triage *tg, uint32_t lock, const struct holder_row *h);
#define HOLDER_PIPE \
    "Don't wait for a pipe while holding the lock: whoever is at its other end holds up all of them. Hand what is " \
    "to " \
    "be written to a goroutine of its own (a channel with room); of those that answer have several."
/* causes_tell_gc - who allocates and what makes the collector run, in a finding about it (rules_alloc.c). */
void causes_tell_gc(struct causes *c, uint32_t i);
/* stops_held - in a finding of the collector's stops: who runs on while the world is to stop, if it is always the same. rules_stops.c */
bool stops_held(struct causes *c, struct finding *f);
/* stops_asked - in a finding of other stops: who asks for them, if a stack tells. */
void stops_asked(struct causes *c, struct finding *f);

#endif
