/*
 * service.h - what rules_service.c and rules_pools.c say of goroutines that others wait for.
 */
#ifndef GOTOP_TRIAGE_SERVICE_H
#define GOTOP_TRIAGE_SERVICE_H

#include "triage/findings/leaves.h"

/*
 * service_won - time won if their work could be spread over the processors that idle; who sleeps needs none of them.
 */
int64_t service_won(const struct causes *c, const struct group_life *l, double share);
/* service_advice - what helps depends on what most of their work is. together: they take what waits at once. */
const char *service_advice(const struct causes *c, const struct group_life *l, const struct leaf *most,
                           bool together);

#endif
