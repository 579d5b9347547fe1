/*
 * asks.h - who serves a connection and is asked over it, and where it waits for the next question. Told by
 * names of functions of the library, by who begins whom, and by what a goroutine does first.
 */
#ifndef GOTOP_TRIAGE_ASKS_H
#define GOTOP_TRIAGE_ASKS_H

#include "triage/findings/causes.h"

/* calls_accepting - is that stack in accepting a connection? calls_connecting - in making one, or waiting for
 * one of net/http's? */
bool calls_accepting(const struct trace *tr, uint32_t stack);
bool calls_connecting(const struct trace *tr, uint32_t stack);
/* calls_serves - was goroutine g begun by one that accepts connections? */
bool calls_serves(const struct causes *c, uint32_t g);
/* calls_first_place - the function in which a goroutine first reads from the network, or waits to: there a
 * server reads what it is asked. */
uint32_t calls_first_place(const struct causes *c, uint32_t g);
/*
 * calls_questions - was goroutine g begun by one that accepts connections, or is it one that was there before
 * the trace began, at rest in a read in its start function, writes then, and hands on little of what it
 * reads? The function in which it waits for the next question; 0 no.
 */
uint32_t calls_questions(const struct causes *c, uint32_t g);
/* calls_asks - does goroutine g read what it wrote a question for: are most of its waits for the network or a
 * pipe behind a write? */
bool calls_asks(const struct causes *c, uint32_t g);
/* calls_child - is that stack in starting a child process, or in waiting for one or for what it writes? */
bool calls_child(const struct trace *tr, uint32_t stack);
/* causes_writes - is a wait for the network one to write: for the other side
 * to take what is there already? */
bool causes_writes(const struct trace *tr, uint32_t stack);

#endif
