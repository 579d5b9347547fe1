/*
 * holder.h - the holders of the locks that goroutines waited for, and what they did meanwhile. Inferred: a
 * trace records who unblocks whom, not who holds what.
 *
 * A goroutine that unblocks a waiter releases the lock. If it had waited for the same lock itself, it got
 * the lock when it was unblocked; before that the goroutine that unblocked it was the holder, and so on
 * backwards through the hand-offs. So the last link of a convoy, which held for a microsecond, does not
 * replace the one that held for milliseconds before it. Two waits are for the same lock if they were in one
 * function, or if the waker released in the function where it had waited. Where that is a single function,
 * the holder is within it: its waits and system calls elsewhere came before it had the lock.
 *
 * Findings, views and reports all take the holder from here.
 */
#ifndef GOTOP_TRIAGE_HOLDER_H
#define GOTOP_TRIAGE_HOLDER_H

#include "triage/text.h"
#include "triage/triage.h"

/* holder_place - Returns the function that asked for the lock in a wait's stack: the key of the rows of
 * triage.holders. */
uint32_t holder_place(const struct trace *tr, uint32_t stack);
/* holder_at - Returns the row of a place, or NULL if no goroutine waited there for a lock or none was
 * unblocked by a goroutine. Valid after TRIAGE_DONE. */
const struct holder_row *holder_at(const struct triage *tg, uint32_t place);
/* holder_text - Append "G9 main.main.func1 in main.(*store).flush (inferred), 71.0% of the waiting", or, if
 * no holder has half of it, "12 goroutines, most by main.worker in ..". The function is the one that
 * released most of it. Requires h->told > 0. */
void holder_text(struct text *t, const struct trace *tr, const struct holder_row *h);

#endif
