/*
 * same_lock.h - which places ask for the same lock: those between which it passes in both directions, so
 * that a release in one ends waits in the other and vice versa.
 */
#ifndef GOTOP_TRIAGE_SAME_LOCK_H
#define GOTOP_TRIAGE_SAME_LOCK_H

#include "triage/triage.h"

/* same_locks - Set `lock` of triage's holders, sorted by waiting time, and of its lock waits to the first
 * of the places. Returns false if out of memory. */
bool same_locks(struct triage *tg);

#endif
