/*
 * states.h - the words for states that one types: in a search, in a filter.
 */
#ifndef GOTOP_TRIAGE_STATES_H
#define GOTOP_TRIAGE_STATES_H

#include <stdint.h>

/* states_named - a bit for each enum state that a word names, as the screen does or as Go's readers do; case
 * is the same. 0: none. */
uint32_t states_named(const char *word);
/* states_of_goroutine - those of them that a goroutine's lane, or what its processor does meanwhile, can be
 * in. */
uint32_t states_of_goroutine(const char *word);

#endif
