/*
 * ran.h - what is known of where a goroutine ran. A trace has stacks only where a goroutine stopped and
 * where it unblocked others.
 *
 * So running is attributed by the places before and after it. A function that called both is where it was,
 * unless the goroutine returned from it and came back. With one place known, it ran on from that place or
 * up to it, there or in a caller; whether that place or what followed took the time is unknown. The place
 * is recorded exactly if the goroutine was preempted there, and within a region.
 */
#ifndef GOTOP_TRIAGE_RAN_H
#define GOTOP_TRIAGE_RAN_H

#include "triage/text.h"

enum ran_how {
    RAN_IN,     /* there: recorded */
    RAN_WITHIN, /* there or in its callees: both places are in it, or no function of the program calls it */
    /* there or in its caller: it made calls before and after, the later one at the same line or an earlier
     * one */
    RAN_ABOUT,
    RAN_AFTER,  /* in it or after it: the next place is unknown or has nothing in common */
    RAN_BEFORE, /* in it or before it */
    /* between two waits or system calls in it, the later one at the same line or an earlier one: mostly in
     * its caller */
    RAN_BETWEEN,
    RAN_HOWS
};
struct ran {
    uint8_t how;
    /* strings: the callees of this function that it was in before and after; 0: none, or several */
    uint32_t from, to;
    int64_t ns, by[RAN_HOWS]; /* total time, and its parts by how it is known */
};
/* ran_how - Returns what is known of at least nine tenths of the time. */
enum ran_how ran_how(const struct ran *r);
const char *ran_id(enum ran_how how); /* "in", "about" ..: for JSON */
/* ran_word - " in ", " in or after " ..: what stands between "running" and the function. library: it is not
 * the program's, so what ran is what called it. */
const char *ran_word(enum ran_how how, bool library);

/* ran_between - Returns what is known of running between two stacks, of which 0 is unknown; a_user and
 * b_user are their stacks_user_frame(). *frame is the frame of `a` (of b if a is 0) that it is attributed
 * to. Sets no time. */
struct ran ran_between(const struct trace *tr, uint32_t a, uint32_t a_user, uint32_t b, uint32_t b_user,
                       uint32_t *frame);
/* ran_lasts - of one that was not joined. */
void ran_lasts(struct ran *r, int64_t ns);
/* ran_join - Combine two: what is true of both. */
void ran_join(struct ran *r, const struct ran *other);
/* ran_text - Append " in main.handle, called by main.serve, from main.query to main.reply", to follow
 * "running". */
void ran_text(struct text *t, const struct trace *tr, const struct ran *r, uint32_t stack, uint32_t frame,
              unsigned calls);

#endif
