/*
 * verdict.h - what a trace says is wrong, as fields: family, where, who, why, since when, what it costs of
 * which work, what there is to win.
 *
 * A verdict comes from a family (families.def): a predicate over the works' trees (triage/work/work.h) or
 * over a resource's table. It holds no text: words.c puts sentences together from the fields, for screens,
 * reports and JSON alike. No verdict asks what another one said.
 *
 * One currency: `share`, of the explained time of one work's pieces, that lies under the verdict's nodes: of
 * all of them, or of the slow ones, whichever is more. Order, `!` or note, and gain come from it
 * (decide.c). What is idle is in no node, and costs nothing.
 *
 * Units: ns; shares 0..1. Strings, stacks and lanes are those of the trace. 0 and NO_LANE mean: not told.
 */
#ifndef GOTOP_TRIAGE_VERDICT_H
#define GOTOP_TRIAGE_VERDICT_H

#include "triage/text.h"
#include "triage/work/work.h"

enum family {
#define F(ID, id) FAM_##ID,
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
enum family rule_family(enum rule r);
const char *rule_id(enum rule r);     /* "lock-over-sleep": scripts, --rules, watch --until */
const char *rule_title(enum rule r);  /* "lock held over a sleep" */
const char *rule_help(enum rule r);   /* when it speaks, with the names of its thresholds */
int rule_view(enum rule r);           /* the view that shows more */
enum rule_need {                      /* what of a trace a rule cannot do without: rule_needs() */
                 NEED_NAMES = 1,      /* functions: kinds of waits are read off them */
                 NEED_STACKS = 2,     /* any stacks at all */
                 NEED_CYCLES = 4,     /* collections */
                 NEED_HEAP = 8,       /* heap sizes */
                 NEED_STOPS = 16,     /* stops of the world by kind: before 1.10 they are not told apart */
                 NEED_BEFORE_CUT = 32 /* nothing missing before the last generation */
};
unsigned rule_needs(enum rule r);
enum culprit {
    CULPRIT_WHERE,
    CULPRIT_CALLER, /* who goes there: what calls it, unless all of the work begins in that */
    CULPRIT_HOLDER,
    CULPRIT_DOES,
    CULPRIT_CREATOR
}; /* the field with the function to change */
enum explains { EXPLAINS_NONE, EXPLAINS_QUEUE, EXPLAINS_IDLE };
enum culprit rule_culprit(enum rule r);
/* rule_explains - what a rule explains that is no work's. */
enum explains rule_explains(enum rule r);
/* rule_tells - how much a rule tells of a cause: that there is something, what it is, who does it, why. */
enum tells { TELLS_SIGN, TELLS_WHAT, TELLS_WHO, TELLS_WHY };
enum tells rule_tells(enum rule r);

enum evidence_kind {
#define X(ID, ...) EV_##ID,
#include "triage/verdicts/evidence.def"
#undef X
    EV_KINDS
};
enum evidence_unit { EU_COUNT, EU_TENTHS, EU_NS, EU_SHARE, EU_BYTES };
const char *evidence_id(enum evidence_kind k);
enum evidence_unit evidence_unit(enum evidence_kind k);

struct site { /* LEAF, in the user's function */
    uint32_t leaf, user, stack, frame;
};
struct role {          /* one side of it */
    uint32_t group, g; /* start function (string), the goroutine of the best example (lane) */
    struct site at;
    uint32_t n; /* goroutines of that group on average, 0: not counted */
};
struct did { /* what somebody did meanwhile, and how much of that time it is */
    uint8_t cat, kind;
    struct site at;
    double share;
    uint32_t who, g; /* whose time it is: start function (string), goroutine (lane); who 0: not known */
};
enum { DOINGS = 3, LINKS = 4 };
struct link { /* of the way from who waits to the cause: who waits where, for what, that whom lets go */
    uint32_t who, by;
    uint8_t kind;
    struct site at, let_go;
};

enum sure { SURE_RECORDED, SURE_INFERRED };
enum level { LEVEL_NOTE, LEVEL_WARN, LEVEL_SEVERE };
/* level_id - "note", "warn", "severe", as JSON and metrics have it. level_word - where people read it, and in
 * SQL: "warning". level_mark - in front of a line: ".", "!", "!!". */
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
    uint32_t work;    /* index in works, NO_LANE: of no work, `share` is of the trace */
    double all, slow; /* share of all pieces' time, of the slow ones' (work.h) */
    double usual;     /* of those around the median */
    double share;     /* the larger of `all` and `slow`, or of a resource what it takes */
    bool slow_only;   /* hit and of: of the slow ones */
    uint64_t hit, of; /* pieces that have it, of those looked at */
};
struct gain {
    bool known;
    double piece_lo, piece_hi; /* of the time of a piece that is hit */
    double p99_lo, p99_hi;     /* of the slow ones' time */
    double trace_lo, trace_hi; /* of the trace */
};

enum { SYMPTOMS = 4 };
struct symptom { /* another verdict that this one explains */
    enum rule rule;
    uint32_t user; /* string */
    double share;
    bool warned; /* by itself it would */
};

struct verdict {
    enum rule rule;
    struct site where;
    struct site culprit;                 /* the function to change, and the line in it: culprit.c */
    struct site caller;                  /* the program's function that called it there; .user 0: none */
    struct role waiter, holder, creator; /* holder: who holds, serves, or does what is waited for */
    uint32_t known;                      /* which of `ev` are, a bit each */
    double ev[EV_KINDS];
    struct link link[LINKS]; /* from the outside in */
    unsigned nlinks;
    struct did doing[DOINGS]; /* what the holder did, or what it is itself; largest first */
    unsigned ndoing;
    struct symptom symptom[SYMPTOMS]; /* largest first */
    unsigned nsymptoms;
    struct harm harm;
    struct gain gain;
    enum sure sure;
    enum level level; /* of a work's: level.c decides; of a resource's (harm.work is NO_LANE): the family */
    uint32_t region;  /* string: the region of the program's own that it is in; 0: none */
    uint32_t kind;    /* string: of a stop of the world, what it is for; 0: it is none */
    bool usual_too;   /* the usual pieces have it as well, only shorter */
    bool grows;   /* it gets worse, or never ends, whatever it costs so far: stands before what the work is */
    double clock; /* share of the trace that it takes, at most */
    double score; /* what the order is by */
    uint32_t cause; /* decide.c: the verdict that explains it, NO_LANE */
    int64_t t0, t1; /* example: where to look */
    enum lane_kind lane;
    uint32_t g; /* its lane, NO_LANE: none in particular */
};
struct verdicts {
    struct verdict *v; /* by level and score */
    uint32_t n;
    size_t cap;
};

static inline enum family verdict_family(const struct verdict *v)
{
    return rule_family(v->rule);
}
static inline void verdict_ev(struct verdict *v, enum evidence_kind k, double n)
{
    v->known |= 1u << k;
    v->ev[k] = n;
}
/* verdict_add - one more. false: out of memory. */
bool verdict_add(struct verdicts *to, const struct verdict *v);

/* verdicts_of - all of a trace, decided. false: out of memory. */
bool verdicts_of(struct causes *c, const struct works *w, struct verdicts *out);
void verdicts_free(struct verdicts *v);

/* ---- inside the room ----------------------------------------------------------------------------------- */

/* A family: it looks at works and tables, and adds what it finds. false: out of memory. */
typedef bool family_fn(struct causes *c, const struct works *w, struct verdicts *out);
#define L(name) family_fn fam_##name;
#include "triage/verdicts/families.def"
/* verdicts_decide - decide.c: level, gain, culprit, order; what another one explains becomes its symptom.
 * false: out of memory. */
bool verdicts_decide(struct causes *c, const struct works *w, struct verdicts *out);
/* verdict_level - level.c: level, gain and score of one that is about a work. */
void verdict_level(struct causes *c, const struct works *w, struct verdict *v);
/* family_contends - is it that others have what a piece waits for? */
static inline bool family_contends(enum family f)
{
    return f == FAM_LOCK || f == FAM_SET || f == FAM_SERVER || f == FAM_SLOW_ONE;
}
/* verdicts_culprits - culprit.c: of each. false: out of memory. */
bool verdicts_culprits(const struct works *w, struct verdicts *out);
/*
 * verdict_polls - fam_polling.c: of one that sleeps, the share of its sleeps in which what it had handed over
 * was done already; 0: it handed nothing over, or nobody was done earlier.
 */
double verdict_polls(const struct causes *c, const struct works *w, const struct verdict *v);
/* verdict_retries - retry.c: of one that waits until a timer is up: how often a piece does so, each time for
 * longer than before, with something done in between; 0: it doesn't. */
double verdict_retries(const struct causes *c, const struct works *w, const struct verdict *v);
/* verdict_starts_up - start.c: of calls of main, one after the other: are they how the program starts? *ns:
 * how long that takes; *n: so many waits. */
bool verdict_starts_up(const struct causes *c, const struct works *w, const struct verdict *v, int64_t *ns,
                       uint32_t *n);
/*
 * verdict_asks_dead - limit.c: of one that waits until a limit ends it: does each piece of work that waits
 * there wait in vain once, and is answered then? What it asks first does not answer.
 */
bool verdict_asks_dead(const struct works *all, const struct verdict *v);
/* verdict_by_timer - limit.c: did nobody end a wait, or a goroutine that only came to be because a timer was
 * up (a context's deadline)? It had nothing of what was waited for. */
bool verdict_by_timer(const struct trace *tr, uint32_t who);
/*
 * verdict_slots_lost - slots.c: the same; does nobody pass there any more since a moment, though nobody who
 * had passed is still at work? That moment, and how many waited in vain since, become evidence.
 */
bool verdict_slots_lost(const struct causes *c, const struct works *all, struct verdict *v);
/* verdict_new - of a resource: `share` of the trace, no work, no lane. */
struct verdict verdict_new(enum rule r, double share);
/*
 * verdict_in_works - harm: what of a work that counts lies at that function (string), in nodes of these
 * categories (a bit each, 0: any), the outermost ones; of none: as it was.
 */
void verdict_in_works(const struct works *w, struct verdict *v, uint32_t user, unsigned cats);
/* verdict_share_at - of a work's tree what lies at that function (string), the outermost nodes: into all,
 * slow and usual. */
void verdict_share_at(const struct work_tree *t, uint32_t user, struct harm *out);
/* allocates_most - fam_collector.c: the place that allocates most, as far as stacks tell; .user 0: none has a
 * third. */
struct site allocates_most(const struct causes *c, const struct works *w);
/* verdict_place - of a stack. */
struct site verdict_place(const struct works *w, uint32_t stack);
/* verdict_place_of - the same of goroutine g; where it is a library's own, begun for the program, the place
 * that began it. */
struct site verdict_place_of(const struct works *w, uint32_t stack, uint32_t g);

/* words.c: fields as sentences, without a final line break. A part that has no words adds nothing. */
void verdict_at(struct text *t, const struct works *w, const struct verdict *v);   /* the line to change */
void verdict_what(struct text *t, const struct works *w, const struct verdict *v); /* what happens */
void verdict_why(struct text *t, const struct works *w,
                 const struct verdict *v); /* who, and what it did meanwhile */
void verdict_do(struct text *t, const struct works *w, const struct verdict *v); /* what to do */
void verdict_harm(struct text *t, const struct works *w,
                  const struct verdict *v); /* of which work, how much */
void verdict_amount(struct text *t,
                    const struct verdict *v); /* the share that it is ranked by, or a count: "84.1%", "400" */
void verdict_gain(struct text *t, const struct works *w,
                  const struct verdict *v); /* what there is to win, a sentence */
void verdict_saves(struct text *t, const struct works *w,
                   const struct verdict *v); /* the same as a field: "67 to 84% of each task's time" */
void site_text(struct text *t, const struct trace *tr, const struct site *p); /* "(*File).Sync in main.f" */

#endif
