/*
 * verdict.h - what a trace says is wrong, as fields: family, where, who, why, since when, what it costs of which work, what there is to win.
 *
 * A verdict comes from a family (families.def): a predicate over the works' trees (triage/work/work.h) or over a resource's table. It holds no
 * text: words.c puts sentences together from the fields, for screens, reports and JSON alike. No verdict asks what another one said.
 *
 * One currency: `share`, of the explained time of one work's pieces, that lies under the verdict's nodes: of all of them, or of the slowest
 * tenth, whichever is more. Order, `!` or note, and gain come from it (decide.c). What is idle is in no node, and costs nothing.
 *
 * Units: ns; shares 0..1. Strings, stacks and lanes are those of the trace. 0 and NO_LANE mean: not told.
 */
#ifndef GOTOP_TRIAGE_VERDICT_H
#define GOTOP_TRIAGE_VERDICT_H

#include "triage/work/work.h"

enum family {
#define X(ID, id, rule, title, advice) FAM_##ID,
#include "triage/verdicts/families.def"
#undef X
    FAM_COUNT,
    FAM_NONE = FAM_COUNT
};
const char *family_id(enum family f);    /* "lock": JSON, --rules */
const char *family_title(enum family f); /* "lock" */
enum rule family_rule(enum family f);    /* the id that scripts know */

struct place { /* LEAF, in the user's function */
    uint32_t leaf, user, stack, frame;
};
struct role { /* one side of it */
    uint32_t group, g; /* start function (string), the goroutine of the best example (lane) */
    struct place at;
    uint32_t n; /* goroutines of that group on average, 0: not counted */
};
struct deed { /* what somebody did meanwhile, and how much of that time it is */
    uint8_t cat, kind;
    struct place at;
    double share;
};
enum { DEEDS = 3, LINKS = 4 };
struct link { /* of the way from who waits to the cause: who waits where, for what, that whom lets go */
    uint32_t who, by;
    uint8_t kind;
    struct place at, let_go;
};

enum sure { SURE_RECORDED, SURE_INFERRED };
enum level { LEVEL_NOTE, LEVEL_WARN, LEVEL_SEVERE };
struct harm {
    uint32_t work;       /* index in works, NO_LANE: of no work, `share` is of the trace */
    double all, slow;    /* share of all pieces' time, of the slowest tenth's */
    double usual;        /* of those around the median */
    double share;        /* the larger of `all` and `slow`, or of a resource what it takes */
    bool slow_only;      /* hit and of: of the slowest tenth */
    uint64_t hit, of;    /* pieces that have it, of those looked at */
    double times;        /* parts in each of these */
    int64_t each;        /* ns a part */
};
struct gain {
    bool known;
    double piece_lo, piece_hi; /* of the time of a piece that is hit */
    double p99_lo, p99_hi;     /* of the slowest tenth's time */
    double trace_lo, trace_hi; /* of the trace */
};

struct verdict {
    enum family family;
    enum rule rule; /* as scripts know it */
    struct place where;
    struct role waiter, holder; /* holder: who holds, serves, or does what is waited for */
    struct link link[LINKS];    /* from the outside in */
    unsigned nlinks;
    struct deed deed[DEEDS]; /* what the holder did, or what it is itself; largest first */
    unsigned ndeeds;
    uint32_t crowd;   /* goroutines that waited at once, at the example */
    double busy;      /* of the holder's group: share of its life in which it did not wait for more; 0: not told */
    int64_t longest;  /* the longest wait or part */
    struct harm harm;
    struct gain gain;
    enum sure sure;
    enum level level;
    uint32_t legacy;  /* 1 + the finding that a rule made it from, 0: it is a family's (legacy.def) */
    double score;     /* what the order is by */
    int64_t t0, t1;   /* example: where to look */
    uint32_t g;       /* its lane */
};
struct verdicts {
    struct verdict *v; /* by level and score */
    uint32_t n;
    size_t cap;
};

/* verdicts_ways - ways.c: what the trees of the works tell. false: out of memory. */
bool verdicts_ways(struct causes *c, const struct works *w, struct verdicts *out);
/* verdicts_legacy - legacy.c: what rules said that no family has replaced yet. rule_family - whose it will be. */
bool verdicts_legacy(struct causes *c, const struct works *w, struct verdicts *out);
enum family rule_family(enum rule r);
/* verdicts_decide - decide.c: level, gain, order; what says the same as a larger one goes. */
void verdicts_decide(struct causes *c, const struct works *w, struct verdicts *out);
void verdicts_free(struct verdicts *v);

/* verdicts_tell - as_finding.c: makes works and verdicts, and puts them in place of what the rules said. */
void verdicts_tell(struct causes *c);

/* words.c: fields as sentences, without a final line break. */
void verdict_what(struct text *t, const struct works *w, const struct verdict *v);  /* what happens */
void verdict_why(struct text *t, const struct works *w, const struct verdict *v);   /* who, and what it did meanwhile */
void verdict_harm(struct text *t, const struct works *w, const struct verdict *v);  /* of which work, how much */
void verdict_do(struct text *t, const struct works *w, const struct verdict *v);    /* what to do */
void verdict_gain(struct text *t, const struct works *w, const struct verdict *v);  /* what there is to win */
void place_text(struct text *t, const struct trace *tr, const struct place *p);     /* "fsync at os.(*File).Sync in main.f" */

#endif
