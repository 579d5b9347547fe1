/*
 * verdict.h - the verdicts on a trace, as fields: family, place, waiter, holder, cause, since when, what it
 * costs which work, and the possible gain.
 *
 * A verdict comes from a family (families.def): a predicate over the works' trees (triage/work/work.h) or
 * over a resource's table. It holds no text: words.c makes sentences from the fields, for screens, reports
 * and JSON alike. No family looks at the verdicts of another one.
 *
 * All verdicts have one currency: `share`, the part of the explained time of one work's pieces that lies
 * under the verdict's nodes, taken over all pieces or over the slow ones, whichever is larger. The order,
 * the level and the gain follow from it (decide.c). Idle time is in no node and costs nothing.
 *
 * Times are in ns, shares are 0..1. Strings, stacks and lanes are those of the trace; 0 and NO_LANE mean
 * unknown.
 */
#ifndef GOTOP_TRIAGE_VERDICT_H
#define GOTOP_TRIAGE_VERDICT_H

#include "triage/text.h"
#include "triage/work/work.h"

enum family {
#define F(ID, id, SHAPE) FAM_##ID,
#include "triage/verdicts/families.def"
    FAM_COUNT,
    FAM_NONE = FAM_COUNT
};
enum rule { /* a shape of a family, by its stable id */
#define S(ID, ...) RULE_##ID,
#include "triage/verdicts/families.def"
            RULE_COUNT
};
const char *family_id(enum family f); /* "lock": JSON */
enum rule_need {                      /* the data that a rule requires in a trace */
                 NEED_NAMES = 1,      /* function names: the kinds of waits follow from them */
                 NEED_STACKS = 2,     /* any stacks at all */
                 NEED_CYCLES = 4,     /* collections */
                 NEED_HEAP = 8,       /* heap sizes */
                 NEED_STOPS = 16,     /* STW pauses by kind: Go before 1.10 does not record the kind */
                 NEED_BEFORE_CUT = 32 /* nothing missing before the last generation */
};
enum culprit {
    CULPRIT_WHERE,
    CULPRIT_CALLER, /* the caller, unless all goroutines of the work start in it */
    CULPRIT_HOLDER,
    CULPRIT_DOES,
    CULPRIT_CREATOR
}; /* the field with the function to change */
enum explains { EXPLAINS_NONE, EXPLAINS_QUEUE, EXPLAINS_IDLE };
enum tells { TELLS_SIGN, TELLS_WHAT, TELLS_WHO, TELLS_WHY };
struct rule_row {
    const char *id; /* "lock-over-sleep": scripts, --rules, watch --until */
    enum family family;
    int view; /* that shows more */
    unsigned needs;
    enum culprit culprit;
    enum explains of;  /* apart from works: a queue for processors, or idle processors */
    enum tells tells;  /* of a cause: that there is a problem, what it is, who causes it, or why */
    const char *title; /* "lock held over a sleep" */
    const char *what, *why, *advice;
    const char *when; /* the condition, with the names of its thresholds */
};
const struct rule_row *rule_row(enum rule r); /* of no rule: one without words */
static inline const char *rule_id(enum rule r)
{
    return rule_row(r)->id;
}
enum rule rule_named(struct str id); /* RULE_COUNT: none */

enum evidence_kind {
#define X(ID, ...) EV_##ID,
#include "triage/verdicts/evidence.def"
#undef X
    EV_KINDS
};
enum evidence_unit { EU_COUNT, EU_TENTHS, EU_NS, EU_SHARE, EU_BYTES };
const char *evidence_id(enum evidence_kind k);
enum evidence_unit evidence_unit(enum evidence_kind k);

struct site { /* the leaf function, and the user's function that called it */
    uint32_t leaf, user, stack, frame;
};
struct role {          /* one side of a wait */
    uint32_t group, g; /* start function (string); the goroutine of the best example (lane) */
    struct site at;
    uint32_t n; /* average number of goroutines of the group; 0: not counted */
};
struct did {                /* what a goroutine did meanwhile, and its share of that time */
    uint8_t cat, kind, ran; /* ran: of running, enum ran_how */
    struct site at;
    double share;
    uint32_t who, g; /* start function (string) and goroutine (lane) whose time it is; who 0: unknown */
};
enum { DOINGS = 3, LINKS = 4 };
/* one step from the waiter to the cause: the waiter, its place, the kind of wait, and who ends it where */
struct link {
    uint32_t who, by;
    uint8_t kind;
    struct site at, let_go;
};

enum sure { SURE_RECORDED, SURE_INFERRED };
enum level { LEVEL_NOTE, LEVEL_WARN, LEVEL_SEVERE };
/* level_id - returns "note", "warn" or "severe", for JSON and metrics. level_word - returns the word for
 * people and SQL: "warning". level_mark - returns the prefix of a line: ".", "!" or "!!". */
static inline const char *level_id(enum level l)
{
    return l == LEVEL_SEVERE ? "severe" : l == LEVEL_WARN ? "warn" : "note";
}
static inline const char *level_word(enum level l)
{
    return l == LEVEL_WARN ? "warning" : level_id(l);
}
static inline const char *level_mark(enum level l)
{
    return l == LEVEL_SEVERE ? "!!" : l == LEVEL_WARN ? "!" : ".";
}
struct harm {
    uint32_t work;    /* index in works; NO_LANE: no work, and `share` is of the trace */
    double all, slow; /* share of the time of all pieces, and of the slow ones (work.h) */
    double usual;     /* share of the time of the pieces around the median */
    double share;     /* the larger of `all` and `slow`; for a resource, the share that it takes */
    bool slow_only;   /* hit and of count slow pieces only */
    uint64_t hit, of; /* pieces that have it, and pieces examined */
    uint32_t of_work; /* without `work`: the work whose time `share` is of, or NO_LANE */
    bool of_slow;     /* its slow pieces' time */
};
struct gain {
    bool known;
    double piece_lo, piece_hi; /* share of the time of a piece that is hit */
    double p99_lo, p99_hi;     /* share of the time of the slow pieces */
    double trace_lo, trace_hi; /* share of the trace */
};

enum { SYMPTOMS = 4 };
struct symptom { /* another verdict that this one explains */
    enum rule rule;
    uint32_t user; /* string */
    double share;
    bool warned; /* true if it would warn by itself */
};

struct verdict {
    enum rule rule;
    struct site where;
    struct site culprit; /* the function to change, and the line in it (culprit.c) */
    struct site caller;  /* the program's function that called it there; .user 0: none */
    /* holder: the goroutine that holds, serves or does what the waiter waits for */
    struct role waiter, holder, creator;
    uint32_t known; /* bit k is set if ev[k] is known */
    double ev[EV_KINDS];
    struct link link[LINKS]; /* from the outermost to the innermost */
    unsigned nlinks;
    struct did doing[DOINGS]; /* what the holder did, or else what the work itself did; largest first */
    unsigned ndoing;
    struct symptom symptom[SYMPTOMS]; /* largest first */
    unsigned nsymptoms;
    struct harm harm;
    struct gain gain;
    enum sure sure;
    enum level level; /* set by level.c for a work, by the family for a resource (harm.work is NO_LANE) */
    uint32_t region;  /* string: the user region that contains it; 0: none */
    uint32_t kind;    /* string: the kind of an STW pause; 0: not an STW pause */
    bool held;        /* most of its running is in runs too long to be the program's (tree_held()) */
    bool usual_too;   /* the usual pieces have it as well, but shorter */
    bool grows;   /* it gets worse or never ends, whatever it costs so far; sorts before what the work does */
    double clock; /* upper bound of the share of the trace that it takes */
    double score; /* the sort key */
    uint32_t cause; /* index of the verdict that explains it (decide.c), or NO_LANE */
    int64_t t0, t1; /* time range of an example */
    enum lane_kind lane;
    uint32_t g; /* lane of the example, NO_LANE: none in particular */
};
struct verdicts {
    struct verdict *v; /* sorted by level and score */
    uint32_t n;
    size_t cap;
};

static inline enum family verdict_family(const struct verdict *v)
{
    return rule_row(v->rule)->family;
}
static inline void verdict_ev(struct verdict *v, enum evidence_kind k, double n)
{
    v->known |= 1u << k;
    v->ev[k] = n;
}
/* verdict_shows - sets the example: lane g from t0 to t1. node_site - returns the site of a node. */
static inline void verdict_shows(struct verdict *v, uint32_t g, int64_t t0, int64_t t1)
{
    v->g = g;
    v->t0 = t0;
    v->t1 = t1;
}
static inline struct site node_site(const struct tree_node *n)
{
    return (struct site){n->leaf, n->user, n->stack, n->frame};
}
/* verdict_did - returns what is done at the end `end` of a tree, as told of the node `at` on the way to
 * it. */
static inline struct did verdict_did(const struct tree_node *end, const struct tree_node *at, double share)
{
    const struct site p = {end->leaf, at->user, at->stack, at->frame};
    return (struct did){end->cat, end->kind, (uint8_t)ran_how(&end->ran), p, share, at->who, at->g};
}
/* verdict_only_sleeps - returns whether it sleeps, and nobody knows what for: a pace, a peer that is played,
 * a limit of a rate. The tree shows how much; it is said where there is nothing else to say. */
static inline bool verdict_only_sleeps(const struct verdict *v)
{
    return v->rule == RULE_SLEEP && !(v->known >> EV_FIRST & 1);
}
/* verdict_add - appends a copy of v. Returns false if out of memory. */
bool verdict_add(struct verdicts *to, const struct verdict *v);

/* verdicts_of - finds and ranks all verdicts on a trace. Returns false if out of memory. */
bool verdicts_of(struct causes *c, const struct works *w, struct verdicts *out);
void verdicts_free(struct verdicts *v);

/* ---- private to triage/verdicts ------------------------------------------------------------------------ */

/* A family examines works and tables, or one work, or one node of its tree, and adds the verdicts that it
 * finds. Returns false if out of memory. */
typedef bool family_fn(struct causes *c, const struct works *w, struct verdicts *out);
typedef bool family_work_fn(struct causes *c, const struct works *all, uint32_t work, struct verdicts *out);
typedef bool family_node_fn(struct causes *c, const struct works *all, uint32_t work, uint32_t node,
                            struct verdicts *out);
#define L(name) family_fn fam_##name;
#define W(name) family_work_fn fam_##name;
#define N(name) family_node_fn fam_##name;
#include "triage/verdicts/families.def"
/* verdicts_decide - sets level, gain, culprit and order of all verdicts (decide.c). A verdict that another
 * one explains becomes its symptom. Returns false if out of memory. */
bool verdicts_decide(struct causes *c, const struct works *w, struct verdicts *out);
/* verdict_level - sets level, gain and score of a verdict about a work (level.c). Returns false if it says
 * nothing. */
bool verdict_level(struct causes *c, const struct works *w, struct verdict *v);
/* family_contends - returns whether other goroutines have what a piece waits for. */
static inline bool family_contends(enum family f)
{
    return f == FAM_LOCK || f == FAM_SET || f == FAM_SERVER || f == FAM_SLOW_ONE;
}
/* verdicts_culprits - sets the culprit of each verdict (culprit.c). Returns false if out of memory. */
bool verdicts_culprits(const struct works *w, struct verdicts *out);
/* verdict_sleeps - returns whether a node is a sleep, or a receive that a timer ended: nothing else could
 * have ended it. A select that a timer ended is a limit. */
static inline bool verdict_sleeps(const struct tree_node *n)
{
    return n->cat == EX_TIMER && (n->kind == WK_SLEEP || n->kind == WK_RECV);
}
/* verdict_called_back - returns what a goroutine's loop calls, by a stack of what it does: of a library's
 * loop (*library) the outermost function of the program's own; else what the function calls in which it
 * began, if that is the program's. */
struct site verdict_called_back(const struct works *w, uint32_t stack, bool *library);
/* verdict_polls - for a verdict about sleeps, returns the share of sleeps in which the work that was handed
 * over had already finished (fam_polling.c); 0 if no piece of work tells so. Sets who did it as the holder,
 * and EV_FIRST to how long that took, if anything was handed over and done. */
double verdict_polls(const struct causes *c, const struct works *w, struct verdict *v);
/* verdict_retries - for waits that a timer ends, returns how often a slow piece waits there, each time longer
 * than before and with other work in between, or each time between two waits at one line (retry.c); 0 if it
 * tries nothing again. Sets the rule: retries, or, if usual pieces do that as well, asking again and again.
 * Raises the harm by the waits in between, and records as done where it asks again. */
double verdict_retries(const struct causes *c, const struct works *w, struct verdict *v);
/* verdict_backs_off - returns the same, and sets the rule, for waits in a goroutine that nothing parts into
 * pieces: each pause is about twice as long as the one before it, and then they begin anew. */
double verdict_backs_off(const struct causes *c, const struct works *w, struct verdict *v);
/* verdict_starts_up - returns whether main's calls, one after the other, are the program's startup
 * (start.c). *ns receives how long they take, *n the number of waits. */
bool verdict_starts_up(const struct causes *c, const struct works *w, const struct verdict *v, int64_t *ns,
                       uint32_t *n);
/* verdict_dozes - for pieces that wait for a goroutine that sleeps, returns whether it mostly slept before
 * they came, and does what they want once it is up. Sets the share of such pieces, and how long it sleeps. */
bool verdict_dozes(const struct causes *c, const struct works *all, struct verdict *v);
/* verdict_limit_of - for waits that end at a time limit, returns RULE_DEAD if each piece that waits there
 * waits once until then, and is answered there, too; RULE_FILL if who waits there is brought more by other
 * pieces, which wait for the same limit; else RULE_LIMIT. */
enum rule verdict_limit_of(const struct works *all, const struct verdict *v);
/* verdict_rate_limited - for waits that a timer ends, returns whether several goroutines wait there at a
 * time and are let go one by one at even distances (limit.c). Records these as evidence: crowd, each (the
 * distance), longest (the usual wait). */
bool verdict_rate_limited(const struct causes *c, const struct works *all, struct verdict *v);
/* verdict_by_timer - returns whether nobody ended a wait, or only a goroutine that was created when a timer
 * fired, such as a context's deadline (limit.c). The waiter did not get what it waited for. */
bool verdict_by_timer(const struct trace *tr, uint32_t who);
/* verdict_slots_lost - for waits that a timer ends, or for a set, returns whether nobody passes that place
 * from some moment on, for a good part of the trace, although none that passed is still in what follows
 * (slots.c). Records that moment, and how many waits have been in vain since, as evidence. */
bool verdict_slots_lost(const struct causes *c, const struct works *all, struct verdict *v);
/* verdict_conn_back - returns whether a node waits for a connection of net/http's that another one gives
 * back: far more wait than are opened (fam_conns.c). */
bool verdict_conn_back(const struct causes *c, const struct tree_node *n);
/* verdict_began_at - returns whether a work's slow pieces begin at some moment, *since, and go on to the end
 * (onset.c). */
bool verdict_began_at(const struct causes *c, const struct work *w, int64_t *since);
/* verdict_runs_at - returns where goroutines of a group (by the string of its start function) mostly run:
 * where they stop in the program's functions (a majority vote by time), at a line where one was preempted if
 * any was; if they stop nowhere else than in the library's, their handler. */
struct site verdict_runs_at(const struct causes *c, const struct works *w, uint32_t name);
/* verdict_new - returns a verdict about a resource: `share` of the trace, at a place, no work, no lane. */
struct verdict verdict_new(enum rule r, double share, struct site where);
/* verdict_standing - returns a severe verdict about n goroutines that wait to the end of the trace, *s of
 * which first. */
struct verdict verdict_standing(const struct causes *c, const struct works *w, enum rule r,
                                const struct stand *s, uint32_t n);
/* verdict_raise - raises `share` to the larger of two shares of a work's time: of all its pieces, of the
 * slow ones. */
void verdict_raise(struct harm *h, uint32_t work, double all, double slow);
/* verdict_in_works - raises harm.share to the largest share of a foreground work that lies in the outermost
 * nodes of where.user with one of these categories (a bit each, 0: any). */
void verdict_in_works(const struct works *w, struct verdict *v, unsigned cats);
/* verdict_share_at - sets all, slow and usual of *out to the part of a work's tree that lies in the
 * outermost nodes of function `user` (string) with one of these categories (a bit each, 0: any). */
void verdict_share_at(const struct work_tree *t, uint32_t user, unsigned cats, struct harm *out);
/* allocates_most - returns the place that allocates most, estimated from stacks (fam_collector.c); .user is
 * 0 if no place has a third. */
struct site allocates_most(const struct causes *c, const struct works *w);
/* verdict_slow_place - returns the site with most of the slow pieces' time, and what they do there and for
 * which share of that time as *does. Its .user is 0 if they wait for a processor there, or for a thread
 * that the host had elsewhere. */
struct site verdict_slow_place(const struct work *k, struct did *does);
/* verdict_is_chance - returns whether one or two of many pieces that were examined have it, and the slow ones
 * are too few for the p99: that may be chance. */
bool verdict_is_chance(const struct works *all, const struct verdict *v);
/* verdict_place - returns the site of a stack. */
struct site verdict_place(const struct works *w, uint32_t stack);
/* verdict_handler - returns the function of the program's that does what a group does again and again (a
 * handler); 0: none is known. */
uint32_t verdict_handler(const struct works *w, uint32_t group);
/* verdict_own - returns whether a site is in the program's own code, and known. */
bool verdict_own(const struct works *w, struct site p);
/* verdict_waits_at - returns whether waits of a pair are those of goroutines of that name at that function
 * (strings). */
static inline bool verdict_waits_at(const struct works *w, const struct pair_row *p, uint32_t name,
                                    uint32_t user)
{
    return p->waiter == name && p->stack && owner_func(w->own, p->stack) == user;
}
/* verdict_lines - returns a hash of the program's own lines in a stack. */
uint32_t verdict_lines(const struct works *w, uint32_t stack);
/* verdict_place_of - returns the site of a stack of goroutine g. If a library created g for the program,
 * that is the site that created it. */
struct site verdict_place_of(const struct works *w, uint32_t stack, uint32_t g);

/* words.c: append fields as sentences, without a final line break. A part without words appends nothing. */
void verdict_title(struct text *t, const struct verdict *v); /* the rule's, or what the slow ones do */
void verdict_at(struct text *t, const struct works *w, const struct verdict *v);   /* the line to change */
void verdict_what(struct text *t, const struct works *w, const struct verdict *v); /* what happens */
void verdict_why(struct text *t, const struct works *w,
                 const struct verdict *v); /* the holder, and what it did meanwhile */
void verdict_do(struct text *t, const struct works *w, const struct verdict *v); /* the advice */
void verdict_harm(struct text *t, const struct works *w,
                  const struct verdict *v); /* how much of which work */
void verdict_amount(struct text *t,
                    const struct verdict *v); /* the share that ranks it, or a count: "84.1%", "400" */
void verdict_base(struct text *t, const struct works *w,
                  const struct verdict *v); /* what that is a share of: "of slow requests" */
void verdict_gain(struct text *t, const struct works *w,
                  const struct verdict *v); /* the possible gain, as a sentence */
void verdict_saves(struct text *t, const struct works *w,
                   /* the possible gain, as a field: "67 to 84% of each task's time" */
                   const struct verdict *v);
void site_text(struct text *t, const struct trace *tr, const struct site *p); /* "(*File).Sync in main.f" */

#endif
