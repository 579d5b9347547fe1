/*
 * under.h - one trouble is told once: what another finding tells as well goes under that one (under.def).
 */
#ifndef GOTOP_TRIAGE_UNDER_H
#define GOTOP_TRIAGE_UNDER_H

#include "triage/findings/causes.h"

/* under_all - leaves out all findings that go under others; what is to be kept of them, these say. */
void under_all(struct rules *rs);

#endif
