/*
 * states.h - the names of states that users type in searches and filters.
 */
#ifndef GOTOP_TRIAGE_STATES_H
#define GOTOP_TRIAGE_STATES_H

#include <stdint.h>

/* states_named - returns a bit for each enum state that a word names, as on screen or in Go's own tools;
 * ignores case. 0: none. */
uint32_t states_named(const char *word);
/* states_of_goroutine - returns those of the states that a goroutine's lane, or its processor meanwhile,
 * can be in. */
uint32_t states_of_goroutine(const char *word);

#endif
