/*
 * apart.h - rules that ask nothing of what other rules have told, nor of the explainer, whose budget they share: they are carried out side
 * by side, each for itself, and what they told is told when their turn comes. So findings come in one order for any number of threads.
 */
#ifndef GOTOP_TRIAGE_APART_H
#define GOTOP_TRIAGE_APART_H

#include "triage/findings/causes.h"

typedef void rule_fn(struct causes *c);
struct apart; /* one of them, carried out */

/* aparts_do - n rules, by as many threads as the trace may have. NULL: out of memory, which c->rs knows, or no longer wanted. */
struct apart *aparts_do(struct causes *c, rule_fn *const f[], size_t n);
/* apart_tell - what the i-th told; once: but for what was told by the same rule of the same place before. */
void apart_tell(struct causes *c, struct apart *all, size_t i, bool once);
void aparts_free(struct apart *all, size_t n); /* NULL is allowed */

#endif
