/*
 * pulse.h - how long a running program's work takes, moment by moment: the pieces of works (work.h) as they
 * end.
 *
 * What comes of a program is a row of models (a generation each), or one model that grows; a piece may begin
 * in one and end in a later one. So what a goroutine is in the middle of is kept from one to the next, by its
 * number, and nothing is looked at twice. All times are of the trace's clock, so models may follow one
 * another.
 *
 * Which goroutines work piece by piece the works tell (pulse_learn()); requests of net/http and tasks need no
 * telling. Background work that no function of the user's does is left out. A piece counts where it ends. Of
 * those that began before the first model, or before something that was left out (pulse_gap()), nothing is
 * known: they don't count.
 *
 * Bounds: PULSE_ROWS works, PULSE_PIECES pieces; the oldest go first, and pulse_since() tells from when on
 * all are held. Owner: pulse_free(). One thread.
 */
#ifndef GOTOP_TRIAGE_PULSE_H
#define GOTOP_TRIAGE_PULSE_H

#include "triage/work/work.h"

enum { PULSE_ROWS = 64, PULSE_PIECES = 1 << 21, PULSE_BOUNDS = 18 };
extern const double pulse_bound_s[PULSE_BOUNDS]; /* of `bucket`, in seconds */

struct pulse_row {
    enum work_kind_id kind;
    char *name;      /* type of task, or start function; clean text */
    char *handler;   /* the user's function that does it, as it was told last; may be `name` */
    uint64_t n;      /* pieces since the beginning */
    double total_ns; /* theirs together */
    uint64_t bucket[PULSE_BOUNDS +
                    1]; /* how many took no longer than pulse_bound_s[i], and longer than the one before */
};

struct pulse;
struct pulse *pulse_new(void); /* NULL: out of memory */
void pulse_free(struct pulse *p);
/* pulse_learn - what works were found, of any model of the program. pulse_gap - the next model doesn't go on
 * where the last one ended. */
bool pulse_learn(struct pulse *p, const struct trace *tr, const struct works *w); /* false: out of memory */
void pulse_gap(struct pulse *p);
/* pulse_begin - what a model has behind what was seen so far; pulse_step() until it is done (true); *failed:
 * out of memory. The model must not change meanwhile. */
void pulse_begin(struct pulse *p, const struct trace *tr);
bool pulse_step(struct pulse *p, int64_t budget_ns, bool *failed);

uint32_t pulse_rows(const struct pulse *p);
const struct pulse_row *pulse_row(const struct pulse *p, uint32_t i); /* NULL: there is none */
/* pulse_end - to where all was looked at. pulse_since - from when on pieces are held. */
int64_t pulse_end(const struct pulse *p);
int64_t pulse_since(const struct pulse *p);
/* pulse_forget - pieces that ended before t. */
void pulse_forget(struct pulse *p, int64_t t);
/* pulse_of - of the pieces of each row that ended in (t0,t1]. false: out of memory. */
bool pulse_of(const struct pulse *p, int64_t t0, int64_t t1, struct dist out[PULSE_ROWS]);
/* pulse_all - the same of the pieces of all rows that `is` says yes to, together, whenever they ended. */
bool pulse_all(const struct pulse *p, bool (*is)(const void *arg, const struct pulse_row *r), const void *arg,
               struct dist *out);
/* pulse_order - the rows: those first that somebody waits for outside, then by
 * their time in `d`. One thread. */
void pulse_order(const struct pulse *p, const struct dist d[PULSE_ROWS], uint32_t order[PULSE_ROWS]);

#endif
