/*
 * pulse.h - durations of a running program's work, moment by moment: the pieces of works (work.h) as they
 * end.
 *
 * A program's trace is a sequence of models (one per generation), or one model that grows. A piece may
 * begin in one model and end in a later one, so the current state of each goroutine is kept between models,
 * by goroutine number, and nothing is read twice. All times are on the trace's clock, so that models may
 * follow one another.
 *
 * The works say which goroutines work piece by piece (pulse_learn()); requests of net/http and tasks are
 * recognized without them. Background work that no function of the user's does is skipped. A piece counts
 * where it ends. Pieces that began before the first model, or before a gap (pulse_gap()), are unknown and
 * do not count.
 *
 * Bounds: PULSE_ROWS works, PULSE_PIECES pieces. The oldest go first; pulse_since() returns the time from
 * which all are held. Owner: pulse_free(). Single-threaded.
 */
#ifndef GOTOP_TRIAGE_PULSE_H
#define GOTOP_TRIAGE_PULSE_H

#include "triage/work/work.h"

enum { PULSE_ROWS = 64, PULSE_PIECES = 1 << 21, PULSE_BOUNDS = 18 };
extern const double pulse_bound_s[PULSE_BOUNDS]; /* duration of `bucket` in seconds */

struct pulse_row {
    enum work_kind_id kind;
    char *name;      /* type of task or start function; clean text */
    char *handler;   /* the user's function that does it, from the last pulse_learn(); may be `name` */
    uint64_t n;      /* number of pieces so far */
    double total_ns; /* their total duration */
    uint64_t bucket[PULSE_BOUNDS +
                    1]; /* number of pieces above the previous pulse_bound_s and up to pulse_bound_s[i] */
};

struct pulse;
struct pulse *pulse_new(void); /* NULL: out of memory */
void pulse_free(struct pulse *p);
/* pulse_learn - Take the works found in any model of the program. pulse_gap - The next model does not
 * continue where the last one ended. */
bool pulse_learn(struct pulse *p, const struct trace *tr, const struct works *w); /* false: out of memory */
void pulse_gap(struct pulse *p);
/* pulse_begin - Start on what a model adds to what was read so far. pulse_step() until it returns true;
 * *failed: out of memory. The model must not change meanwhile. */
void pulse_begin(struct pulse *p, const struct trace *tr);
bool pulse_step(struct pulse *p, int64_t budget_ns, bool *failed);

uint32_t pulse_rows(const struct pulse *p);
const struct pulse_row *pulse_row(const struct pulse *p, uint32_t i); /* NULL: there is none */
/* pulse_end - Returns the time up to which all was read. pulse_since - Returns the time from which pieces
 * are held. */
int64_t pulse_end(const struct pulse *p);
int64_t pulse_since(const struct pulse *p);
/* pulse_forget - Drop the pieces that ended before t. */
void pulse_forget(struct pulse *p, int64_t t);
/* pulse_of - Compute the durations of each row's pieces that ended in (t0,t1]. Returns false if out of
 * memory. */
bool pulse_of(const struct pulse *p, int64_t t0, int64_t t1, struct dist out[PULSE_ROWS]);
/* pulse_order - Sort the rows: first those that someone outside waits for, then by their time in `d`. */
void pulse_order(const struct pulse *p, const struct dist d[PULSE_ROWS], uint32_t order[PULSE_ROWS]);

#endif
