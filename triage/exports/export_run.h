/*
 * export_run.h - what the export commands share: command line, loading, progress, exit status.
 */
#ifndef GOTOP_TRIAGE_EXPORT_RUN_H
#define GOTOP_TRIAGE_EXPORT_RUN_H

#include "triage/exports/export_out.h"
#include "triage/exports/export_scope.h"
#include "triage/options.h"
#include "triage/tables/stackweights.h"

struct export
{
    const struct trace *tr;
    const struct options *o;
    struct scope scope;
    struct out *out;
    bool talk;                        /* say on the terminal how far it is */
    int64_t said;                     /* when that was last said */
    uint64_t done, lanes_done, total; /* spans: walked, of lanes done with, of all lanes to walk */
};

struct export_command {
    struct command command;
    bool table;        /* the first word is a table's name, not the trace */
    bool gzip, binary; /* binary: not to a terminal */
    /* check - whether the options make sense; a message on standard error if not. NULL = they do */
    bool (*check)(const struct options *o);
    /* write - everything to x->out; stops early once out_broken(). */
    enum err_code (*write)(struct export *x, struct err *e);
};

int export_main(const struct export_command *c, int argc, char **argv);
/* export_options - the command line alone, and whether its output may go where it would: -1 to go on, else
 * the exit status. All strings point into argv. */
int export_options(const struct export_command *c, int argc, char **argv, struct options *o);
/* export_trace - write a loaded trace; what export_main() does after loading. */
enum err_code export_trace(const struct export_command *c, const struct options *o, const struct trace *tr,
                           bool talk, struct err *e);
/* export_progress - now and then a word on the terminal. Cheap. */
void export_progress(struct export *x, double share);
/* export_filter - of stackweights: the goroutines and the time that are asked for, with progress. */
struct sw_filter export_filter(struct export *x);
/*
 * export_walk - f for each lane of the kinds asked for (by default processors and goroutines), kinds in that
 * order, until stop() says so; with progress by spans: f calls export_span() for each.
 */
void export_walk(struct export *x, const enum lane_kind order[3], void (*f)(void *arg, struct lane l),
                 bool (*stop)(void *arg), void *arg);
/* The same progress, for those who walk goroutines in their own way: export_lanes() first, export_lane() when
 * done with one. */
void export_lanes(struct export *x, const bool lane[LANE_KINDS]);
void export_lane(struct export *x, struct lane l);
static inline void export_span(struct export *x)
{
    if ((++x->done & 8191) == 0)
        export_progress(x, (double)x->done / (double)x->total);
}

#endif
