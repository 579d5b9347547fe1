/*
 * fold.h - ordered neutral events in, the model out: lanes of spans, ranges, tasks, series.
 *
 * One automaton for all dialects. It is fed by trace.c (or by a test) with fold_stream() and can be read at any
 * moment between two calls. It checks nothing: order and consistency are the reader's business. It must survive
 * any sequence of events all the same: indices may be new at any time, ranges may end that never began.
 */
#ifndef GOTOP_DECODE_FOLD_H
#define GOTOP_DECODE_FOLD_H

#include "decode/events/ev.h"
#include "decode/model/holds.h"
#include "decode/events/names.h"
#include "decode/model/points.h"
#include "decode/model/spans.h"
#include "decode/base/idmap.h"
#include "decode/base/slabs.h"
#include "decode/trace.h"

struct ginfo { /* per goroutine, beside its lane: what a transition seldom needs */
    int64_t seen;
#define FACT(ID, field, type, ...) type field;
#include "decode/model/facts.def"
};

/* ginfo_new - nothing was told of it. */
static inline struct ginfo ginfo_new(void)
{
    return (struct ginfo){
#define FACT(ID, field, type, none, ...) .field = none,
#include "decode/model/facts.def"
    };
}

enum {
    GI_CREATED = 1,
    GI_INFERRED = 2,
    GI_GCWORK = 4,
    GI_SYSTEM = 8,
    GI_ENDED = 16,
    GI_KNOWN = 32,
    GI_CARRIED = 64,   /* it was there when this segment began */
    GI_LABELLED = 128, /* and has been labelled as a mark worker in it */
    GI_LOST = 256      /* events of it were lost */
};

/* lane_flags - what GI_* say of a goroutine. */
static inline void lane_flags(struct lane_info *li, unsigned flags)
{
    li->name_inferred = flags & GI_INFERRED;
    li->ended = flags & GI_ENDED;
    li->created = flags & GI_CREATED;
    li->is_system = flags & GI_SYSTEM;
    li->is_worker = flags & GI_GCWORK;
}

/*
 * Goroutines stand by PAST_GS neighbours in order of appearance, which are put away together once all are over
 * (decode/model/past.h); others take their place. No lane of one that lives ever moves.
 */
#define PAST_GS LANES_ALIKE
struct gseg {
    struct spanlane *lane; /* where they stand; put away: lanes at which nothing can happen any more, read only */
    struct ginfo *info;    /* the same */
    struct past *past;     /* NULL: not put away */
    int32_t over;          /* how many have ended; below 0: they stay where they are */
};

struct pinfo {
    uint64_t id;
    uint32_t g, m;       /* running or in a syscall here; thread */
    uint32_t sweep, stw; /* open ranges, index + 1 */
    int64_t longest;     /* longest span since its M got it */
    int64_t held;        /* until when holds of it are summed up: what it did before is not to be rewritten */
    uint8_t state;       /* ST_NONE, ST_IDLE, ST_SCHED (running) */
    bool lost;           /* ST_NONE: what it does is not recorded */
};

struct minfo {
    uint64_t id;
    uint32_t g, p;
    uint32_t was_g, was_p; /* in a segment: what it held, or called, when that began */
    struct mlane lane;
};

struct vec_range {
    struct range *v;
    size_t n, cap;
    uint32_t *open;
    size_t nopen, capopen;
    bool unsorted;
};
#define REGION_LOST UINT32_MAX /* as prev: it isn't known how long it lasted */
struct vec_region {
    struct region *v;
    size_t n, cap;
    uint32_t *prev; /* the open one around it, index + 1 */
    size_t capprev;
    bool unsorted;
};
struct vec_task {
    struct task *v;
    size_t n, cap;
    bool unsorted;
};
struct vec_log {
    struct logmsg *v;
    size_t n, cap;
};
struct vec_sample {
    struct sample *v;
    size_t n, cap;
};
struct sample_ids { /* of a sample in a segment, of whom that hasn't told yet */
    size_t at;
    uint64_t g, p, m;
};
#ifndef GB_MAX /* fewer for fuzzing, where setting them up would take most of the time */
#define GB_MAX 8192
#endif
#define FIRST_STACKS 256
#define RECENT_TAGS 64
#define STARTS 64

struct fold_start { /* what goroutines are that begin there */
    uint32_t stack, name;
    uint16_t flags;
    bool vague; /* its name */
};

struct fold {
    const struct names *names;
    struct span_pool pool;
    struct spanlane *lane[LANE_KINDS]; /* but for goroutines */
    size_t nlane[LANE_KINDS], caplane[LANE_KINDS];
    struct gseg *seg; /* of each PAST_GS goroutines: to be read by decode/model/past.h's functions */
    size_t nseg, capseg;
    struct slabs places; /* where they stand */
    bool nobody_past;    /* a test's: who is over stays where it is */
    struct pinfo *p;
    struct minfo *m;
    size_t capp, capm;
    uint32_t tag[ST_COUNT]; /* tags of states without a reason */
    struct {
        uint32_t reason, tag;
    } recent[ST_COUNT][RECENT_TAGS]; /* tags by state and reason, direct mapped */
    struct fold_start start[STARTS]; /* by their start stacks, direct mapped */
    uint32_t band_open[BAND_COUNT];
    struct vec_range range[RANGE_KINDS];
    uint32_t gc_open, stw_open; /* index + 1; stw_open: one without a goroutine */
    struct vec_task tasks;
    struct idmap opentasks; /* of those that are open: index into tasks */
    struct vec_region regions;
    struct vec_log logs;
    struct vec_sample samples;
    struct points points[METRIC_COUNT];
    struct gbucket *gb;
    struct gbucket *gb_last; /* the last one, gb[ngb - 1] */
    size_t ngb, capgb;
    unsigned gb_shift; /* a bucket is 1 << gb_shift ns */
    int64_t gb_end;    /* end of the last bucket */
    uint64_t gnow[GC_COUNT];
    int64_t gb_until;   /* so far they are counted */
    struct gback *back; /* per bucket: back-dated goroutines first told of in it, not yet in gb */
    size_t nback;
    struct first_stack first[FIRST_STACKS];
    size_t nfirst;
    uint64_t events, count[EC_COUNT];
    uint64_t procs;       /* GOMAXPROCS as last told, 0 = not yet */
    uint64_t procs_first; /* as first told */
    int64_t procs_at;     /* when it became what it is */
    uint64_t procs_work;  /* P lanes looked at because it was told */
    int64_t end;
    bool lossy;    /* events were lost: what ends may have begun then, or before */
    int64_t began; /* what is back-dated holds since then: 0, or the end of the last gap */
    /*
     * A segment of a trace (decode/model/segment.h), which knows nothing of what was before t0. What is told of as being so when it
     * began (EVF_CARRIED) changes no lane: lanes begin with the first thing that happens to them, counts of goroutines
     * are as many more as there were (and begin at FOLD_MANY, for below 0 they can't go).
     */
    bool segment;
    bool carrying; /* while such an event is folded */
    bool unsure;   /* something depends on what was before, and nobody told */
    uint8_t late;  /* bits: bands of whose ranges some were told of late */
    int64_t t0;
    uint64_t procs_told; /* the first GOMAXPROCS told of here, 0: none */
    struct sample_ids *ids;
    size_t nids, capids;
    uint64_t gb_first; /* number of the first bucket */
    /* hint - what is known of a goroutine that was there before: GI_GCWORK, GI_SYSTEM, and its name. NULL: nobody knows. */
    uint16_t (*hint)(void *arg, uint64_t id, uint32_t *name);
    void *hint_arg;
    bool others_named; /* who was there before and isn't named by it has a name all the same, and is no mark worker */
    uint32_t str_gcworker; /* "runtime.gcBgMarkWorker" once seen */
    struct idmap runs;     /* by a stack that creates: what is run (fold_names.c) */
    bool oom;
    bool finished;
};

/* Of a goroutine that isn't put away. */
static inline struct spanlane *fold_lane_at(const struct fold *f, uint32_t g)
{
    return &f->seg[g / PAST_GS].lane[g % PAST_GS];
}

static inline struct ginfo *fold_info_at(const struct fold *f, uint32_t g)
{
    return &f->seg[g / PAST_GS].info[g % PAST_GS];
}

enum err_code fold_init(struct fold *f, const struct names *names);
void fold_free(struct fold *f);
/* fold_beside - it is one of many of a trace of so many bytes, each of whose last chunk of packed spans isn't full: chunks are smaller,
   but for what may have to go to a file. */
void fold_beside(struct fold *f, uint64_t bytes);
/*
 * fold_segment - a fold that was just initialised becomes that of a segment which begins at t0, and has events up to `until`, or further.
 * fold_reaches - that is known of another one, between two runs of events: its buckets of counts are as wide at once as they'll be.
 */
#define FOLD_MANY ((uint64_t)1 << 30)
void fold_segment(struct fold *f, int64_t t0, int64_t until);
void fold_reaches(struct fold *f, int64_t until);
/* fold_rest - no more events will come: every lane is packed. */
void fold_rest(struct fold *f);
/* fold_segment_end - a segment's last event is folded. */
void fold_segment_end(struct fold *f);
/* fold_counts_add - the counts of a segment, the next one in time, to those of all before it. */
void fold_counts_add(struct fold *f, const struct fold *segment);
/* fold_stream - events in order, n halves of them. Out of memory sets f->oom; what was built stays readable. */
void fold_stream(struct fold *f, const struct ev_half *v, size_t n);
/*
 * The same for a reader that folds as it goes: fold_begin(), any number of events - the commonest by the functions of
 * fold_hot.h, all others by fold_any() - and fold_end() with the time of the last one and how many were folded by
 * those. false: out of memory, no more events.
 */
bool fold_begin(struct fold *f);
bool fold_any(struct fold *f, const struct ev *e);
void fold_end(struct fold *f, int64_t last, uint64_t hot);
/* fold_patch_open - let everything open end, for now, at `end`. Before reading ranges and the like. */
void fold_patch_open(struct fold *f, int64_t end);
/* fold_back_counts - add what back-dated goroutines did before they were told of to the counts. Before reading gb. */
void fold_back_counts(struct fold *f);
/* fold_finish - no more events: sort what came out of order, pack everything. What is open ends at `end`. */
void fold_finish(struct fold *f, int64_t end);

#endif
