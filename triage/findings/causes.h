/*
 * causes.h - what the rules about causes share: how the program's goroutine groups spend their lives, and
 * explanations.
 *
 * Built from triage's tables when the findings are made; all shares are of the time in which the group was there.
 */
#ifndef GOTOP_TRIAGE_CAUSES_H
#define GOTOP_TRIAGE_CAUSES_H

#include "triage/findings/explain.h"
#include "triage/findings/rules.h"

struct member_of { /* a group's goroutines: causes_nth() */
    uint32_t n;
    uint32_t at, runs; /* where they are told in causes.member, members.c knows how */
};
struct group_life {
    int64_t first, last;  /* the group was there */
    int64_t life;         /* of all its goroutines together */
    int64_t by[WK_KINDS]; /* waits, by kind of their reason ("sync" counts as WK_LOCK here) */
    double n;             /* goroutines on average */
    double busy;  /* share of their life that is neither waiting for work, time or locks nor to hand work on */
    bool program; /* begins outside the runtime and the standard library */
};
struct causes {
    struct rules *rs;
    const struct triage *tg;
    const struct trace *tr;
    struct explainer *x;
    struct group_life *life; /* by group */
    uint32_t *member;
    struct member_of *of;    /* by group */
    struct tab by_name;      /* groups by their start function's string */
    uint64_t dials_up;       /* rules_dials.c: connections that were waited for until a limit was up, about */
    bool saturated;          /* rules_service.c: others queue for who can do no more */
    bool alone_asked;        /* alone_finding() has looked */
    struct caught *caught;   /* rules_alloc.c */
    struct in_lines **lines; /* rules_work.c: by group, NULL: not asked yet */
    /* On average: */
    double procs, running; /* processors; goroutines of the program running */
    double idle, busy;     /* processors known to have no work, to have some: of a damaged trace not all are either */
    double looks;          /* of these: look for some, running no goroutine */
};
bool causes_init(struct causes *c, struct rules *rs); /* false: out of memory */
void causes_free(struct causes *c);
/* causes_group - the group that goroutines of a start function belong to, UINT32_MAX none. */
uint32_t causes_group(const struct causes *c, uint32_t name);

/*
 * causes_members - which goroutines belong to which group. false: out of memory. causes_nth - the k-th of a group's.
 */
bool causes_members(struct causes *c);
uint32_t causes_nth(const struct causes *c, uint32_t group, uint32_t k);
/* causes_member - of at most so many goroutines of a group, spread over all of it, the i-th: a lane. */
uint32_t causes_member(const struct causes *c, uint32_t group, uint32_t i, uint32_t most);

/* causes_place - the first function outside the runtime and the standard library, 0 if there is none. */
static inline uint32_t causes_place(const struct trace *tr, uint32_t stack)
{
    return stacks_place(tr, stack);
}
/*
 * causes_counted - where a finding's numbers are of a part of what it speaks of, says of which: so many of its
 * goroutines, of each what was until a moment at least, or WALK_SPREAD (0: all of it). Where nothing is left out it
 * says nothing.
 */
void causes_counted(struct text *t, uint32_t looked, uint32_t of, int64_t until);
/* causes_counted_in - from a moment on (0: the beginning), until one (0: the end). */
void causes_counted_in(struct text *t, int64_t from, int64_t until);
/* causes_until - the earlier of two such moments. */
static inline int64_t causes_until(int64_t a, int64_t b)
{
    return !a || (b && b < a) ? b : a;
}
/* causes_told_at - has the rule spoken of that place already? */
bool causes_told_at(const struct causes *c, enum rule rule, uint32_t place);
/* causes_told_there - has any? */
bool causes_told_there(const struct causes *c, uint32_t place);
/*
 * causes_told_of - is one of its goroutines what a finding, and no note, is about? Signs of others tell of whom they
 * meet.
 */
bool causes_told_of(const struct causes *c, uint32_t group);

/*
 * causes_idle_least - processors that must have nothing to do for more of them to be used: of few a quarter of them.
 */
double causes_idle_least(const struct causes *c);
/*
 * causes_aside - aside.c: does a server's process answer without goroutines of the group `works` and those of
 * `waits`, which wait for them? Main may wait for them at its end. causes_aside_text - says so: a note, that costs
 * nothing.
 */
bool causes_aside(const struct causes *c, uint32_t works, uint32_t waits);
void causes_aside_text(struct draft *d, const struct causes *c, uint32_t waits);
/*
 * causes_beside_requests - does the process answer what comes over connections, while none of those that do, nor the
 * main goroutine, waits for goroutines of that group, or for who waits for them, and so on?
 */
bool causes_beside_requests(const struct causes *c, uint32_t group);
/*
 * causes_all_at_once - did who ended the longest wait there end those of others together with it? Then it was for an
 * event, not for one of a set.
 */
bool causes_all_at_once(const struct causes *c, const struct pair_row *p, uint32_t group);

/*
 * begun_longest - of a finding of rules_begun: how long the longest of the goroutines was there; 0: it is none of
 * those.
 */
int64_t begun_longest(const struct causes *c, const struct finding *f);
/* small_advice - what to do about many small system calls there: it depends on whether they move bytes. */
const char *small_advice(const struct trace *tr, uint32_t stack);
/*
 * shared_limit - rules_shared.c: in a finding about a limit there, what requests wait for it, and who else takes it.
 */
void shared_limit(struct causes *c, uint32_t place, struct draft *d);
/*
 * small_opens - does that function open and close a file for (nearly) each read or write? Then t says so, and next
 * what to do.
 */
bool small_opens(struct text *t, struct text *next, const struct causes *c, uint32_t func);
/*
 * timers_delay - rules_timers.c: does the main goroutine wait, in the end, for timers of goroutines of that start
 * function at that place, or may somebody outside, whose connections they serve?
 */
bool timers_delay(struct causes *c, uint32_t place, uint32_t who);
/*
 * locked_text - rules_locked.c: in a finding about turns with a group of one goroutine, that it seems to be locked to
 * its thread. false: it does not, or they are several; nothing is said.
 */
bool locked_text(struct draft *d, const struct causes *c, uint32_t group);
/* grain_coroutine - does that stack, in which a goroutine was made, make a coroutine (iter.Pull)? */
bool grain_coroutine(const struct trace *tr, uint32_t create_stack);

/* caught_ahead - what that asks is found out once: now, if one of those told so far asks it. */
struct caught *caught_new(const struct findings *told); /* NULL: out of memory */
void caught_free(struct caught *k);                     /* NULL is allowed */

/* The rules about causes, in the order in which they speak. */
#define X(rule, how) void rule(struct causes *c);
#include "triage/findings/steps.def"
#undef X

/*
 * host_held - did goroutine g run within [t0,t1) for longer than the runtime lets it before it preempts
 * (rules_host.c)? Then its thread had no processor of the host's for a part of it, and how long that took says
 * nothing of its work.
 */
bool host_held(const struct causes *c, uint32_t g, int64_t t0, int64_t t1);

#endif
