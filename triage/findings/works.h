/*
 * works.h - what a program does many times: requests, pieces of work; and what is told of work that has the processors itself.
 */
#ifndef GOTOP_TRIAGE_WORKS_H
#define GOTOP_TRIAGE_WORKS_H

#include "triage/findings/leaves.h"

/* What a program does many times, by start function: what it is between two waits for more, or a goroutine's whole life. */
#define WORKS 3
struct work_kind {
    uint32_t group;
    uint64_t n;           /* so many, about */
    int64_t ns;           /* together, about */
    int64_t there;        /* by the clock, while any of it is there, at most */
    bool lives, requests; /* goroutines begun for one thing each; of a server over HTTP */
    bool fed;             /* by a channel: pieces may run together */
    bool about;           /* requests of which not all were looked at */
    bool merged;          /* more requests were answered than could be told from each other: n is how many at least */
    struct leaves v;      /* of those looked at: causes_tops() */
};
/* works_of - the WORKS that take most time, largest first; *n: how many there are. false: out of memory. rules_work.c */
bool works_of(struct causes *c, struct work_kind *out, uint32_t *n);
void work_text(struct text *t, const struct causes *c, const struct work_kind *w, uint32_t n);
/* work_each - what the work of a group is, and each piece of it that is looked at; w->n = 0: it has none. false: out of memory. */
bool work_each(struct causes *c, uint32_t group, struct work_kind *w,
               void (*one)(void *arg, const struct workpiece *p), void *arg);
/* works_name - "requests (http.(*conn).serve)", "pieces of work of main.worker". work_in_flight - by the clock: while one is there. */
void works_name(struct text *t, const struct causes *c, const struct work_kind *w);
double work_in_flight(const struct work_kind *w);
/* work_in_lines - rows of calls at one line within what goroutines of a group do, of rules_work; what is told already is not again. */
void work_in_lines(struct causes *c, uint32_t group);
/* works_in_lots - rules_lots.c: are most goroutines of a group begun several at a time by one, and done at about one moment, within about
 * as long as a call takes? Then they share out what there is to do. */
bool works_in_lots(struct causes *c, uint32_t group, int64_t call);
/* in_lines_ahead - such rows are counted once: now, where rules_work() will ask. */
struct in_lines **in_lines_new(const struct triage *tg); /* NULL: out of memory */
void in_lines_free(struct causes *c);
/* moments_most - moments.c: the group of the program that runs most, UINT32_MAX none. */
uint32_t moments_most(const struct causes *c);
/*
 * moments_inside - where goroutines of a group were at most of the moments inside their runs that a trace has stacks of: the function
 * farthest in that is on enough of them. false: none is, or hardly anything of the program runs.
 */
struct inside {
    uint32_t func, stack;    /* stack: a moment's there, of the caller that most of them have */
    uint32_t callee;         /* of the library, called there by most of them; 0: none */
    uint32_t caller, called; /* that one, 0: it began there; so many of the moments there are of it */
    uint32_t n, all;         /* moments there, and in all */
    uint32_t panics;         /* of those there with a panic under way */
    bool mixed;              /* several call that caller */
};
bool moments_inside(const struct causes *c, uint32_t group, struct inside *out);
/* inside_panics - is a panic under way at most of them? */
static inline bool inside_panics(const struct inside *v)
{
    return v->panics * 2 > v->n;
}
/* inside_name - "main.encode, called by main.list, by main.show", or "main.encode (80.0% of that called by main.list)". */
void inside_name(struct text *t, const struct causes *c, const struct inside *v, uint32_t functions);
/* inside_text - "main.encode, called by main.list (mostly in fmt.Sprintf, which it calls) is where goroutines of http.(*conn).serve, which
 * run most, were at 53 of 60 moments .." */
void inside_text(struct text *t, const struct causes *c, uint32_t group, const struct inside *v);
/*
 * hot_begin - rules_hot.c: is most of that time (what work takes, or the main goroutine's way) the own work of goroutines of that group, and
 * most of that inside one function? Then *d begins as a finding that says so. in_flight: what all of the time is by the clock.
 */
bool hot_begin(struct draft *d, const struct causes *c, uint32_t group, const struct leaves *v, double in_flight);
/* full_finding - rules_full.c: is it the program's own work, of which w[0] is most, that has the processors? Then it is told. */
bool full_finding(struct causes *c, const struct work_kind *w, uint32_t n);
/*
 * each_finding - rules_each.c: is most of what a kind of work takes system calls of one function? Then they are told. each_on_way: of the
 * way that the main goroutine waits along, of which they are the largest part.
 */
/* each_keeps - does that call have the device keep what was written (fsync)? */
bool each_keeps(const struct trace *tr, uint32_t stack);
#define KEEPS_TOGETHER \
    "Let one goroutine commit for all: the lock holder writes what all waiters have queued and syncs " \
    "once for them (a group commit). Outside the lock the calls would queue at the device."
/*
 * untimed_text - of such calls in that function of the program (0: any), or of those that the program makes there past the library, whose ends
 * are not in the trace (Go up to 1.21): a call for a device, or to C, lasts, and passes for running. untimed_calls - how many; 0: too few to
 * speak of. untimed_keeps - are they for a device? rules_path.c
 */
void untimed_text(struct text *t, const struct causes *c, uint32_t func);
uint64_t untimed_calls(const struct causes *c, uint32_t func);
bool untimed_keeps(const struct causes *c, uint32_t func);
bool each_finding(struct causes *c, const struct work_kind *w);
bool each_on_way(struct causes *c, const struct leaves *way);
/* nested_on_way - rules_nested.c: is that part of the way calls over the network around which one function stands several times? Then it is told. */
void nested_on_way(struct causes *c, const struct leaf *l, int64_t all);

#endif
