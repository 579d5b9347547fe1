/*
 * causes.h - what the rules about causes share: how the program's goroutine groups spend their lives, and explanations.
 *
 * Built from triage's tables when the findings are made; all shares are of the time in which the group was there.
 */
#ifndef GOTOP_TRIAGE_CAUSES_H
#define GOTOP_TRIAGE_CAUSES_H

#include "triage/findings/explain.h"
#include "triage/findings/rules.h"

struct member_of { /* goroutines by group */
    uint32_t at, n;
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
    uint32_t *member;        /* lanes, by group: member[of[i].at ..] */
    struct member_of *of;
    struct tab by_name;      /* groups by their start function's string */
    bool alone_asked;        /* alone_finding() has looked */
    struct caught *caught;   /* rules_alloc.c */
    struct in_lines **lines; /* rules_work.c: by group, NULL: not asked yet */
    double procs, running,
        idle; /* on average: processors, goroutines of the program running, processors without work */
};
bool causes_init(struct causes *c, struct rules *rs); /* false: out of memory */
void causes_free(struct causes *c);
/* causes_group - the group that goroutines of a start function belong to, UINT32_MAX none. */
uint32_t causes_group(const struct causes *c, uint32_t name);

/* causes_member - of at most so many goroutines of a group, spread over all of it, the i-th: a lane. */
uint32_t causes_member(const struct causes *c, uint32_t group, uint32_t i, uint32_t most);

/* causes_place - the first function outside the runtime and the standard library, 0 if there is none. */
uint32_t causes_place(const struct trace *tr, uint32_t stack);
/* causes_told_at - has the rule spoken of that place already? */
bool causes_told_at(const struct causes *c, enum rule rule, uint32_t place);
/* causes_told_of - is one of its goroutines what a finding, and no note, is about? Signs of others tell of whom they meet. */
bool causes_told_of(const struct causes *c, uint32_t group);


/* causes_sends - does a stack write to something, by the names of its innermost functions? */
bool causes_sends(const struct trace *tr, uint32_t stack);

/* causes_writes - is a wait for the network one to write: for the other side to take what is there already? */
bool causes_writes(const struct trace *tr, uint32_t stack);
#define CAUSES_WRITE_LESS \
    "Send less (together, compressed), drop what is too much, or make the other side read faster; several " \
    "goroutines on one connection (or pipe) win nothing."

/* moments_most - moments.c: the group of the program that runs most, UINT32_MAX none. */
uint32_t moments_most(const struct causes *c);
/*
 * moments_inside - where goroutines of a group were at most of the moments inside their runs that a trace has stacks of: the function
 * farthest in that is on enough of them. false: none is, or hardly anything of the program runs.
 */
struct inside {
    uint32_t func, stack;
    uint32_t callee; /* of the library, called there by most of them; 0: none */
    uint32_t n, all; /* moments there, and in all */
};
bool moments_inside(const struct causes *c, uint32_t group, struct inside *out);
/* inside_text - "main.encode, called by main.list (mostly in fmt.Sprintf, which it calls) is where goroutines of http.(*conn).serve, which
 * run most, were at 53 of 60 moments .." */
void inside_text(struct text *t, const struct causes *c, uint32_t group, const struct inside *v);

/* Waits at one place, put together from the pairs; most: the pair that waited longest. */
struct waits_at {
    uint32_t place;
    int64_t total;
    uint64_t count;
    const struct pair_row *most;
};
#define PAIRS_ASKED 4096 /* rows of waits, the largest, of which a rule asks what costs a walk over others for each */
/* waits_at_add - adds a pair to the row of its place among v[*n], of which there is room for `most`; else it is left out. */
void waits_at_add(struct waits_at *v, uint32_t *n, uint32_t most, uint32_t place, const struct pair_row *p);
/* waits_at_text - "link.ask, called by main.notifyShop, by main.run": as many callers as nearly all of it had; where it has several, the
 * one of half of it or more, with its share. */
void waits_at_text(struct text *t, const struct causes *c, const struct waits_at *p);

/* What leaves of a tree were, put together by category and function, largest first; so many of the largest. */
struct leaf {
    uint8_t cat, kind;
    uint32_t func, who, stack, frame, reason, g; /* who: start function of whose time the longest is */
    int64_t ns, t0, t1;
    uint64_t count;
    bool mixed;                     /* not all were called by those that called the longest: no caller is said */
    struct ran ran;                 /* of running */
    struct callers callers, beyond; /* beyond: who called these */
};
/* causes_calls_text - the leaf's place: "link.ask, called by main.notifyShop", with the caller of most of it where there are several. */
void causes_calls_text(struct text *t, const struct trace *tr, const struct leaf *l);
#define LEAVES 24
struct leaves {
    struct leaf v[LEAVES];
    uint32_t n;
    int64_t all;
};
void causes_leaves(const struct explain_tree *t, struct leaves *out);
/* causes_leaves_of - put together by category and by whose time it was: leaf.func is a start function. */
void causes_leaves_of(const struct explain_tree *t, struct leaves *out);
/* causes_tops - of the time itself, waits not followed: by category and function. */
void causes_tops(const struct explain_tree *t, struct leaves *out);
/* causes_what_text - "waiting for the network in main.ask, called by main.rate". causes_leaf_text: with its share. */
struct told_at { /* a function of a stack, and what is known of running there */
    uint32_t stack, frame;
    bool mixed;
    struct ran ran;
    struct caller by;
};
void causes_what_text(struct text *t, const struct trace *tr, enum explain_cat cat, const struct told_at *at);
void causes_leaf_text(struct text *t, const struct trace *tr, const struct leaf *l, int64_t of);
/* causes_doing - what goroutines of a group did while they were not waiting for work: running and calls, at most 8 of them. */
bool causes_doing(struct causes *c, uint32_t group, struct leaves *out);

/* causes_main_tree - the main goroutine's way, followed: what it did and waited for. false: there is none, or no memory. To be freed. */
bool causes_main_tree(struct causes *c, struct explain_tree *t);
/* causes_main_way - what the main goroutine did and waited for, followed to its end; by (NULL: not asked): the same
 * by whose time it was. false: there is none, or out of memory. */
bool causes_main_way(struct causes *c, struct leaves *out, struct leaves *by);
/* causes_idle_least - processors that must have nothing to do for more of them to be used: of few a quarter of them. */
double causes_idle_least(const struct causes *c);
/*
 * causes_aside - aside.c: does a server's process answer without goroutines of the group `works` and those of `waits`, which wait for
 * them? Main may wait for them at its end. causes_aside_text - says so: a note, that costs nothing.
 */
bool causes_aside(const struct causes *c, uint32_t works, uint32_t waits);
void causes_aside_text(struct draft *d, const struct causes *c, uint32_t waits);
/*
 * causes_beside_requests - does the process answer what comes over connections, while none of those that do, nor the main goroutine, waits
 * for goroutines of that group, or for who waits for them, and so on?
 */
bool causes_beside_requests(const struct causes *c, uint32_t group);
/* causes_all_at_once - did who ended the longest wait there end those of others together with it? Then it was for an event, not for one of a set. */
bool causes_all_at_once(const struct causes *c, const struct pair_row *p, uint32_t group);

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
struct instance_one;
bool work_each(struct causes *c, uint32_t group, struct work_kind *w,
               void (*one)(void *arg, const struct instance_one *p), void *arg);
/* works_name - "requests (http.(*conn).serve)", "pieces of work of main.worker". work_in_flight - by the clock: while one is there. */
void works_name(struct text *t, const struct causes *c, const struct work_kind *w);
double work_in_flight(const struct work_kind *w);
/*
 * hot_begin - rules_hot.c: is most of that time (what work takes, or the main goroutine's way) the own work of goroutines of that group, and
 * most of that inside one function? Then *d begins as a finding that says so. in_flight: what all of the time is by the clock.
 */
bool hot_begin(struct draft *d, const struct causes *c, uint32_t group, const struct leaves *v, double in_flight);
/* full_finding - rules_full.c: is it the program's own work, of which w[0] is most, that has the processors? Then it is told. */
bool full_finding(struct causes *c, const struct work_kind *w, uint32_t n);
/*
 * each_finding - rules_each.c: is most of what a kind of work takes system calls of one function? Then they are told. each_on_way: of the
 * way that the main goroutine waits along, whose largest part and whole time these are.
 */
bool each_finding(struct causes *c, const struct work_kind *w);
bool each_on_way(struct causes *c, const struct leaf *l, int64_t all);
/* calls_questions - was goroutine g begun by one that accepts connections? The function in which it waits for the next question; 0 no. */
uint32_t calls_questions(const struct causes *c, uint32_t g);
/* calls_is_asked - does a server's goroutine wait for its side's next question at that function, as meant_for_questions() says? */
bool calls_is_asked(const struct causes *c, uint32_t g, uint32_t place);
/* calls_over_http - does it wait there for an answer of net/http's client? */
bool calls_over_http(const struct causes *c, enum wait_kind kind, const struct span *s);
/* calls_serves - was goroutine g begun by one that accepts connections? */
bool calls_serves(const struct causes *c, uint32_t g);
/* calls_answered_inside - rules_inside.c: are the answers waited for there written by goroutines of this process (inferred)? */
bool calls_answered_inside(struct causes *c, const struct waits_at *p);
/* calls_accept - does the process accept connections? */
bool calls_accept(const struct causes *c);
/* calls_accepting - is that stack in accepting a connection? */
bool calls_accepting(const struct trace *tr, uint32_t stack);

/* held_advice - who had what others wait for waited for the network with it: not to, then. false: it did not, or not mostly. */
bool held_advice(struct text *next, const struct trace *tr, const struct leaves *v);
void rules_service(struct causes *c); /* rules_service.c: goroutines that others wait for, pools, hand-offs */
void rules_join(
    struct causes *c); /* rules_join.c: one decides for many: a hub, one of their own, the slowest of a lot */
void rules_slots(struct causes *c); /* rules_slots.c: fewer and fewer of what is passed round come back */
void rules_waves(struct causes *c); /* rules_waves.c: stampedes */
void rules_begun(struct causes *c); /* rules_begun.c: goroutines begun one by one, who begins them waits for each */
/* begun_longest - of a finding of rules_begun: how long the longest of the goroutines was there; 0: it is none of those. */
int64_t begun_longest(const struct causes *c, const struct finding *f);
void rules_children(struct causes *c); /* rules_children.c: child processes */
void rules_trend(struct causes *c);    /* rules_trend.c: work that takes longer each time */
void rules_path(struct causes *c);     /* rules_path.c: one works while the rest waits; where the time went */
/* alone_finding - rules_alone.c: rows of calls of the only goroutines at work; v: all that waits for the network, by function; true: told.
 * It looks once. */
bool alone_finding(struct causes *c, const struct waits_at *v, uint32_t n);
void rule_network(struct causes *c);  /* rules_calls.c: waits for the network */
void rule_conns(struct causes *c);    /* connections */
void rule_blocking(struct causes *c); /* system calls */
/* small_advice - what to do about many small system calls there: it depends on whether they move bytes. */
const char *small_advice(const struct trace *tr, uint32_t stack);
/* small_opens - does that function open and close a file for (nearly) each read or write? Then t says so, and next what to do. */
bool small_opens(struct text *t, struct text *next, const struct causes *c, uint32_t func);
void rule_small(struct causes *c);   /* rules_small.c: many small system calls */
void rule_repeats(struct causes *c); /* rules_repeats.c: the same small system call again and again in each request */
void rule_poll(struct causes *c);    /* rules_polls.c: sleeps that last longer than what they wait for */
/* calls_for_questions - are the network waits of p, at that function, a server's for the next question, not for an answer? */
bool calls_for_questions(const struct causes *c, const struct pair_row *p, uint32_t place);
/* meant_for_questions - does goroutine g read at that function first, and answer there before it reads again? Then it is asked there, and
 * does not ask, if it serves a connection. rules_meant.c */
bool meant_for_questions(const struct causes *c, uint32_t g, uint32_t place);
/*
 * meant_for_session - may the waits there be for what comes next on the connection that goroutine g, begun for one, serves? It does not go
 * back to where it read first, and what it sends behind them is as near to them, by the functions both are called through, as what it
 * sent before: a client's answer is nearer to its question.
 */
bool meant_for_session(const struct causes *c, uint32_t g, uint32_t place);
/*
 * meant_for_news - are most of the answers waited for there none (inferred)? The long ones, one of which is told, are about as long as each
 * other, and it asks again at once behind them, while there is much to do behind the quick ones; and nobody waits for what comes. 0: no.
 */
int64_t meant_for_news(struct causes *c, const struct waits_at *p);
/* limits_back - is a connection of net/http's waited for, and ended by one's reader, which gives it back? rules_limits.c */
bool limits_back(const struct causes *c, const struct pair_row *p);
/* limits_conns - of so many waits for connections: are these for as many as are allowed (MaxConnsPerHost), not for new ones? */
bool limits_conns(const struct causes *c, uint64_t waits, int64_t waited, int64_t back);
/* limits_tell - the finding about these, of that function of the program; where there is something to be won. */
void limits_tell(struct causes *c, uint32_t func, const struct pair_row *most, uint64_t waits, int64_t waited);
/* limits_test_slot - does a test that has called Parallel wait there until one of those that run is over? (Until its turn comes at all it
 * waits elsewhere.) */
bool limits_test_slot(const struct trace *tr, uint32_t stack);
void rules_limits(struct causes *c); /* tests that wait for each other's end (-parallel) */
void rules_work(struct causes *c);   /* rules_work.c: what requests wait for */
/* work_in_lines - rows of calls at one line within what goroutines of a group do, of rules_work; what is told already is not again. */
void work_in_lines(struct causes *c, uint32_t group);
/* in_lines_ahead - such rows are counted once: now, where rules_work() will ask. */
struct in_lines **in_lines_new(const struct triage *tg); /* NULL: out of memory */
void in_lines_ahead(struct causes *c);
void in_lines_free(struct causes *c);
void rules_part(struct causes *c);     /* rules_part.c: a set that is too small for a part of the trace */
void rules_netlimit(struct causes *c); /* rules_netlimit.c: deadlines of the network that are waited out */
void rule_crowds(struct causes *c);    /* rules_wakes.c: crowds that wake at once */
void rule_storm(struct causes *c);     /* timers */
void rule_growth(struct causes *c);    /* goroutines that come and don't end */
void rule_busy(struct causes *c);      /* loops that never block */
void rules_timers(struct causes *c);   /* rules_timers.c: limits, retries, time limits that are waited out */
void rule_line(struct causes *c);      /* rules_line.c: long work before short */
void rules_slow(struct causes *c);     /* rules_slow.c: what slow tasks do more of */
void rule_forced(struct causes *c);    /* rules_alloc.c: collections asked for */
/* stops_held - in a finding of the collector's stops: who runs on while the world is to stop, if it is always the same. rules_stops.c */
bool stops_held(struct causes *c, struct finding *f);
/* stops_asked - in a finding of other stops: who asks for them, if a stack tells. */
void stops_asked(struct causes *c, struct finding *f);
void rules_sql(struct causes *c); /* rules_sql.c: what database/sql does beside the question */
/* sql_caller - the function of the program that called database/sql, 0 if the stack has none. */
uint32_t sql_caller(const struct trace *tr, uint32_t stack);
/* sql_covers - is b, waits for the network, told by a, a finding of rules_sql? */
bool sql_covers(const struct trace *tr, const struct finding *a, const struct finding *b);
void rules_behind(struct causes *c); /* rules_behind.c: short work that stands behind long for the processors */
void rules_share(struct causes *c);  /* rules_share.c: one holds up all others that share something with it */
void rules_grain(struct causes *c);  /* rules_grain.c: pieces so small that handing them on is most of the work */
void rules_again(struct causes *c);  /* rules_again.c: few of many ask the same again and again */
/* grain_coroutine - does that stack, in which a goroutine was made, make a coroutine (iter.Pull)? */
bool grain_coroutine(const struct trace *tr, uint32_t create_stack);
void rules_accept(struct causes *c); /* rules_accept.c: connections that wait to be accepted */
/*
 * logged_text - rules_logged.c: of the tasks that a finding of slow ones is about, those with one thing logged, if they are the slow ones: a
 * sentence for its text, and one for its advice. false: nothing is.
 */
bool logged_text(struct text *behind, struct text *next, const struct rules *rs, const struct finding *slow);
/* rows_between_runs - rules_rows.c: so many calls over the network at that place follow each other, and then it works on them; 0: not so. */
uint32_t rows_between_runs(struct causes *c, uint32_t group, uint32_t place);
void rules_phases(struct causes *c); /* rules_phases.c: steps that don't overlap */
/* pieces_finding - rules_pieces.c: are answers at that place late because questions are written in pieces? Then it is told. */
bool pieces_finding(struct causes *c, const struct waits_at *p, double share);
void rules_reader(struct causes *c); /* rules_reader.c: the network waited for through one that reads */
/* backlog_since_text - rules_backlog.c: from when on goroutine g, that takes from a channel, never found it empty; else nothing. */
void backlog_since_text(struct text *t, const struct causes *c, uint32_t g);
void rules_backlog(struct causes *c);
void rules_deals(struct causes *c); /* rules_deals.c: one has the work, and others wait for what it hands on */
void rules_pile(struct causes *c); /* rules_pile.c: one that has not found its pile of work empty since some moment */
#define MORE_OF_THEM \
    "More of these goroutines, as many as the other side takes at once: who waits needs no processor. Else quicker " \
    "answers, or fewer questions."
/* few_finding - rules_few.c: do few workers that are never idle wait for the network there? Then it is told that they are few. */
bool few_finding(struct causes *c, const struct waits_at *p);
/* gone_finding - rules_gone.c: do goroutines stand there, lost one after the other to answers that do not come? Then it is told. */
bool gone_finding(struct causes *c, const struct waits_at *p);
/* reader_ends - are waits on a channel or condition ended by a goroutine of the program that reads from the network most of its life? */
bool reader_ends(const struct causes *c, const struct pair_row *p);
/* pace_of - of what the caller that waited longest waits, for the network there and for a clock that ticks, the clock's share: it asks at a
 * pace. rules_pace.c */
double pace_of(struct causes *c, const struct waits_at *p);
/* pace_fed - where who hands the callers their work does so at a pace, says it, and bounds the finding's cost by what that one waits;
 * below what the rule asks for it is a note. true: it is so. */
bool pace_fed(struct causes *c, const struct waits_at *p, struct draft *d);
void rules_finalizers(struct causes *c); /* rules_finalizers.c: waits for what finalizers give back */
void rules_kept(struct causes *c);       /* rules_kept.c: one that keeps of a set what others wait for */
void rules_contexts(struct causes *c);   /* rules_contexts.c: contexts that nobody cancels */
void rules_knot(struct causes *c);       /* rules_knot.c: goroutines that stand on each other for good */
void rules_hold(struct causes *c);       /* rules_hold.c: those that wait for something hold some of it */
void rules_clock(struct causes *c);      /* rules_clock.c: lost wake-ups; the last stretch until a limit is up */
void rules_left(struct causes *c);       /* rules_left.c: work that goes on after it was given up */
void rules_host(struct causes *c);       /* rules_host.c: the host took the processors */

/* causes_ran_instead - what ran on the processors in [t0,t1), by samples of moments: the function. false: no one has most of them. */
bool causes_ran_instead(struct causes *c, int64_t t0, int64_t t1, struct leaf *out);
/* causes_tell_holders - what the holders of a convoy's lock did, in its text. */
void causes_tell_holders(struct causes *c, struct finding *f);
#define HOLDER_WAITS "Don't wait while holding the lock." /* where no kind of wait is most of it */
#define HOLDER_NET "Don't wait for the network while holding the lock."
#define HOLDER_PIPE \
    "Don't wait for a pipe while holding the lock: whoever is at its other end holds up all of them. Hand what is " \
    "to " \
    "be written to a goroutine of its own (a channel with room); of those that answer have several."
/* causes_tell_gc - who allocates and what makes the collector run, in a finding about it (rules_alloc.c). */
void causes_tell_gc(struct causes *c, uint32_t i);
/* caught_ahead - what that asks is found out once: now, if one of those told so far asks it. */
struct caught *caught_new(const struct findings *told); /* NULL: out of memory */
void caught_ahead(struct causes *c);
void caught_free(struct caught *k); /* NULL is allowed */
/* story.c, before and after the rules above: name whom it is about; what is a sign of another finding goes under it. */
void story_names(struct causes *c);
void story_end(struct causes *c);

#endif
