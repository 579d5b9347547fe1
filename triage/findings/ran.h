/*
 * ran.h - what is known of where a goroutine ran: a trace has its stacks where it stopped and where it woke
 * others, none between.
 *
 * So running is told by the places before and behind it. What is called by both is where it was, unless it
 * went back past that and came again; with one place known it ran on from it or up to it, there or in what
 * calls it: whether what it stood in took the time or what came behind is not known. Where it was stopped
 * (preempted), and within a region, the place itself is recorded.
 */
#ifndef GOTOP_TRIAGE_RAN_H
#define GOTOP_TRIAGE_RAN_H

#include "triage/text.h"

enum ran_how {
    RAN_IN,      /* there: recorded */
    RAN_WITHIN,  /* there, or in what it calls: both places are in it, or nothing of the program calls it */
    RAN_ABOUT,   /* there, or in what calls it: it stood in what that calls before and behind, later at an
                    earlier line */
    RAN_AFTER,   /* in it or behind it: where it stood next is not known, or has nothing in common */
    RAN_BEFORE,  /* in it or before it */
    RAN_BETWEEN, /* between two waits (or system calls) in it, the later at the same line or an earlier one:
                    in what calls it, mostly */
    RAN_FOR,     /* a goroutine of the library ran while that function waited for it */
    RAN_HOWS
};
struct ran {
    uint8_t how;
    uint32_t from, to; /* strings: the functions, called by this one, it stood in before and behind; 0: none,
                          or several */
    int64_t ns, by[RAN_HOWS]; /* how long; of that by how it is known */
};
/* ran_how - in one word: what is known of nine tenths of it. */
enum ran_how ran_how(const struct ran *r);
const char *ran_id(enum ran_how how); /* "in", "about" ..: for JSON */

/*
 * ran_between - between two stacks, of which 0 is not known; a_user, b_user: their stacks_user_frame().
 * *frame: of `a` (of b where a is 0) the one it is put down to. Says nothing of how long.
 */
struct ran ran_between(const struct trace *tr, uint32_t a, uint32_t a_user, uint32_t b, uint32_t b_user,
                       uint32_t *frame);
/* ran_lasts - of one that was not joined. */
void ran_lasts(struct ran *r, int64_t ns);
/* ran_join - both together: what is true of each. */
void ran_join(struct ran *r, const struct ran *other);
/* ran_text - " in main.handle, called by main.serve, from main.query to main.reply": to stand behind
 * "running". */
void ran_text(struct text *t, const struct trace *tr, const struct ran *r, uint32_t stack, uint32_t frame,
              unsigned calls);

#endif
