/*
 * same_lock.h - which places ask for the same lock: those between which it passes to and fro, so that who
 * lets go in one ends waits in the other, and the other way round.
 */
#ifndef GOTOP_TRIAGE_SAME_LOCK_H
#define GOTOP_TRIAGE_SAME_LOCK_H

#include "triage/triage.h"

/* same_locks - sets `lock` of triage's holders, which are sorted by what is waited, and of its lock waits:
 * the first of the places. false: out of memory. */
bool same_locks(struct triage *tg);

#endif
