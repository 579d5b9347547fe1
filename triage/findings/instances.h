/*
 * instances.h - what a program did many times, as rows with counts and percentiles, and the instances of
 * each row.
 *
 * A row is a type of task, a name of region, a group of goroutines by start function, the pieces of work of
 * such a group (from the end of a wait for more work to the begin of the next one: a wait on a channel in
 * the start function itself, or where a server reads its next HTTP request: requests.h), or a contended
 * place: a function in which goroutines waited for a lock, a condition or to send on a channel.
 *
 * Use, after TRIAGE_DONE: instances_new(), instances_step() until it is done, then read; triage must
 * outlive it.
 *
 * Cost: at most INSTANCES_MOST tasks, regions and goroutines each are read, and for pieces and places about
 * INSTANCES_WALK spans of the goroutines that have any. Beyond that, some are skipped, evenly: then
 * `looked` is below `of`, and a row's numbers describe what was read. Memory is 24 bytes per instance read.
 * explain_legs() finds whose time an instance is: several goroutines' for a task that was handed on.
 *
 * Units: ns. An instance without both ends in the trace is counted in `open` only. If a channel holds
 * several items, pieces merge, as a trace records waits, not receives.
 */
#ifndef GOTOP_TRIAGE_INSTANCES_H
#define GOTOP_TRIAGE_INSTANCES_H

#include "triage/findings/explain.h"
#include "triage/text.h"
#include "triage/triage.h"

enum instance_kind { IN_TASK, IN_REGION, IN_GROUP, IN_PIECE, IN_PLACE, IN_KINDS };
/* instance_kind_id - returns "task", "region", "group", "piece", "place": SQL. */
const char *instance_kind_id(enum instance_kind k);

struct instance_row {
    enum instance_kind kind;
    enum wait_kind wait; /* of a place */
    uint32_t name;       /* string: type, region, start function, the function that waited */
    uint32_t stack;      /* place: one of its stacks; pieces: where it waits for more work; else 0 */
    uint64_t looked, of; /* instances (pieces, places: goroutines) read, and their total count */
    uint64_t open;       /* instances that began before, or did not end within, what the tables cover */
    struct dist d;       /* of those read with both ends, exact; d.n > 0 */
    uint32_t at;         /* its instances are one[at .. at + d.n), longest first */
};
#define INSTANCES_WALK 1000000
#define INSTANCES_MOST (1u << 18)

struct instances {
    const struct triage *tg;
    struct instance_row *row; /* by kind, then by total time, largest first */
    uint32_t n;
    struct workpiece *one;
    size_t none;
    struct instances_work *work; /* while steps are due */
};
/* instance_wants_more - True if a goroutine of that start function waits there for more work, not within a
 * piece. */
bool instance_wants_more(const struct trace *tr, uint32_t start_function, uint32_t reason, uint32_t stack);
enum err_code instances_new(const struct triage *tg, struct instances *out, struct err *e);
/* instances_step - Work for about budget_ns (INT64_MAX: all). Returns true if there is more to do. Sets *e
 * if out of memory. */
bool instances_step(struct instances *in, int64_t budget_ns, struct err *e);
void instances_free(struct instances *in);
/* instances_all - Run all steps, and explain single instances in at most so many spans together. Returns
 * false if out of memory. */
struct instances_all {
    struct instances in;
    struct explainer *x;
};
bool instances_all(const struct triage *tg, uint64_t spans, struct instances_all *out);
void instances_all_free(struct instances_all *all);

/* What the slow instances do more of than the usual ones: the slowest tenth (at least 1, at most
 * INSTANCE_LOOK of them) are explained next to as many from around the median, merged by category and
 * function. */
#define INSTANCE_LOOK 24
#define INSTANCE_PARTS 8
struct instance_part {
    uint8_t cat;                 /* enum explain_cat */
    uint32_t func, stack, frame; /* explain_place(), of the longest part */
    bool mixed;                  /* some of them had other callers */
    struct ran ran;              /* of running: what is known of all of them being there */
    struct caller by;            /* the caller with most of it then */
    int64_t slow, usual;         /* average ns per instance; sorted by slow - usual, largest first */
};
struct instance_diff {
    uint32_t nslow, nusual; /* number read; 0: too few, or all alike (slow is less than twice the usual) */
    int64_t slow, usual;    /* their average length */
    struct instance_part part[INSTANCE_PARTS];
    uint32_t n;
    bool cut; /* some waits were not followed to their end */
};
/* instances_differ - Returns false if out of memory. Costs at most the spans left in x's budget
 * (explain.h). */
bool instances_differ(struct explainer *x, const struct instances *in, const struct instance_row *r,
                      struct instance_diff *out);
/* instance_diff_text - Append "the slow ones (12, 84.1ms on average, the usual ones 1.2ms) wait longer for
 * the network in main.ask (+71.0ms), ..", or nothing if nothing differs. */
void instance_diff_text(struct text *t, const struct trace *tr, const struct instance_diff *d);

#endif
