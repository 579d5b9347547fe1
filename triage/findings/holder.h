/*
 * holder.h - who held the locks that goroutines waited for, and what the holders did meanwhile. Inferred: a
 * trace says who woke whom, not who holds what.
 *
 * Who wakes a waiter lets the lock go. When did that one get it? If it had waited for the same lock itself,
 * when it was woken; before that the one held it that woke it, and so on backwards through the hand-offs. So
 * the last link of a convoy, which held for a microsecond, does not stand for the one that held for
 * milliseconds before it. Two waits are for the same lock if they were asked for in one function, or the
 * waker let go in the function where it had asked. Where that is one function, who holds it is in there:
 * waits and system calls elsewhere were before it had got it.
 *
 * Findings, views and reports all take the holder from here.
 */
#ifndef GOTOP_TRIAGE_HOLDER_H
#define GOTOP_TRIAGE_HOLDER_H

#include "triage/text.h"
#include "triage/triage.h"

/* holder_place - the function that asked for the lock of a wait's stack: what the rows of triage.holders go
 * by. */
uint32_t holder_place(const struct trace *tr, uint32_t stack);
/* holder_at - the row of a place, NULL: nobody waited there for a lock, or was woken by anyone. After
 * TRIAGE_DONE. */
const struct holder_row *holder_at(const struct triage *tg, uint32_t place);
/*
 * holder_text - "G9 main.main.func1 in main.(*store).flush (inferred), 71.0% of the waiting"; or, where no
 * one has half of it: "12 goroutines, most by main.worker in ..". The function is where most of it was let
 * go. Only if told is not 0.
 */
void holder_text(struct text *t, const struct trace *tr, const struct holder_row *h);

#endif
