/*
 * fold.h - turns ordered neutral events into the model: lanes of spans, ranges, tasks, series.
 *
 * One automaton for all dialects. It is fed with fold_stream(), or event by event (fold_begin()), and the
 * model can be read between any two calls. It checks nothing: order and consistency are the reader's
 * business. Yet it survives any sequence of events: an index may be new at any time, and a range may end that
 * never began.
 */
#ifndef GOTOP_DECODE_FOLD_H
#define GOTOP_DECODE_FOLD_H

#include "decode/events/ev.h"
#include "decode/model/misuse.h"
#include "decode/model/mlane.h"
#include "decode/events/names.h"
#include "decode/model/points.h"
#include "decode/model/spans.h"
#include "decode/base/idmap.h"
#include "decode/base/slabs.h"
#include "decode/trace.h"

struct ginfo { /* What is known of a goroutine besides its lane; transitions seldom need it. */
    int64_t seen;
#define FACT(ID, field, type, ...) type field;
#include "decode/model/facts.def"
};

/* ginfo_new - the info of a goroutine of which nothing is known yet. */
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
    GI_CARRIED = 64,   /* existed when this segment began */
    GI_LABELLED = 128, /* and a mark worker's label was seen on it */
    GI_LOST = 256,     /* some of its events were lost */
    GI_ASSISTED = 512  /* it was in a mark assist when this segment began */
};

/* lane_flags - set the fields that the GI_* flags stand for. */
static inline void lane_flags(struct lane_info *li, unsigned flags)
{
    li->name_inferred = flags & GI_INFERRED;
    li->ended = flags & GI_ENDED;
    li->created = flags & GI_CREATED;
    li->is_system = flags & GI_SYSTEM;
    li->is_worker = flags & GI_GCWORK;
}

/*
 * Goroutines are stored in groups of RETIRED_GS neighbours, in order of appearance. When all of a group have
 * ended, it is packed away (decode/model/retired.h) and its place is reused. The lane of a live goroutine
 * never moves.
 */
#define RETIRED_GS LANES_PACK
struct gseg {
    struct spanlane *lane;   /* the group's lanes; if packed away, a read-only lane that no event may touch */
    struct ginfo *info;      /* likewise for the infos */
    struct retired *retired; /* NULL: not packed away */
    int32_t over;            /* number of ended ones; below 0: never pack this group away */
};

struct pinfo {
    uint64_t id;
    uint32_t g, m; /* the goroutine running or in a system call here; the thread */
    int64_t held;  /* holds are summed up to here: the lane must not change before this time */
    uint8_t state; /* ST_NONE, ST_IDLE, ST_SCHED (running) */
    bool sweep;    /* it sweeps */
    bool lost;     /* with ST_NONE: what it does is not recorded */
};

struct minfo {
    uint64_t id;
    uint32_t g, p;
    uint32_t was_g, was_p; /* in a segment: the G (in a call) and P it had when the segment began */
    bool lost;             /* what it does is not recorded */
    struct mlane lane;
};

/* This is a list; unsorted: some entries came late. */
#define VEC(name, type) \
    struct name { \
        type *v; \
        size_t n, cap; \
        bool unsorted; \
    }
VEC(vec_range, struct range);
VEC(vec_region, struct region);
VEC(vec_task, struct task);
VEC(vec_log, struct logmsg);
VEC(vec_sample, struct sample);
VEC(vec_ev, struct ev);
#ifndef GB_MAX /* fewer for fuzzing, where setting them up would take most of the time */
#define GB_MAX 8192
#endif
#define FIRST_STACKS 256
#define RECENT_TAGS 64
#define STARTS 64

struct fold_start { /* The name and flags of goroutines with this start stack. */
    uint32_t stack, name;
    uint16_t flags;
    bool vague; /* a stack may give a better name */
};

struct fold {
    const struct names *names;
    struct span_pool pool;
    struct spanlane *lane[LANE_KINDS]; /* except LANE_G */
    size_t nlane[LANE_KINDS], caplane[LANE_KINDS];
    struct gseg *seg; /* groups of RETIRED_GS goroutines; read them with retired.h's functions */
    size_t nseg, capseg;
    struct slabs places; /* memory of the groups */
    bool nobody_retires; /* for a test: never pack goroutines away */
    struct pinfo *p;
    struct minfo *m;
    size_t capp, capm;
    uint32_t tag[ST_COUNT]; /* tags of states without a reason */
    struct {
        uint32_t reason, tag;
    } recent[ST_COUNT][RECENT_TAGS]; /* cache of tags by state and reason, direct mapped */
    struct fold_start start[STARTS]; /* cache by start stack, direct mapped */
    uint32_t band_open[BAND_COUNT];
    struct vec_range range[RANGE_KINDS];
    struct idmap openranges[RANGE_KINDS]; /* owner -> index of its open range */
    struct vec_task tasks;
    struct idmap opentasks;  /* id of an open task -> index in tasks */
    struct idmap knowntasks; /* ids of the first nknown tasks; filled by fold_task_known() */
    size_t nknown;
    struct vec_region regions;
    uint32_t *around; /* per region: the open one around it, index + 1 */
    size_t caparound;
    struct idmap openregions; /* goroutine -> its innermost open region */
    struct misuse misuse[MISUSE_KINDS];
    struct vec_log logs;
    struct vec_sample samples;
    struct points points[METRIC_COUNT];
    struct gbucket *gb;
    struct gbucket *gb_last; /* gb[ngb - 1] */
    size_t ngb, capgb;
    unsigned gb_shift; /* a bucket is 1 << gb_shift ns wide */
    int64_t gb_end;    /* end of the last bucket */
    uint64_t gnow[GC_COUNT];
    int64_t gb_until;   /* the counts are complete up to here */
    struct gback *back; /* per bucket: back-dated goroutines first reported in it, not added to gb yet */
    size_t nback;
    struct first_stack first[FIRST_STACKS];
    size_t nfirst;
    uint64_t events, count[EC_COUNT];
    uint64_t procs;       /* the last GOMAXPROCS reported, 0 = none yet */
    uint64_t procs_first; /* the first one reported */
    int64_t procs_at;     /* when it took its present value */
    uint64_t procs_work;  /* P lanes visited so far because of GOMAXPROCS events */
    int64_t end;
    bool lossy;    /* events were lost: a range that ends may have begun before or during the loss */
    uint8_t late;  /* bit per band: some of its ranges were lost */
    int64_t began; /* start of back-dated spans: 0, or the end of the last gap */
    /* For a segment (decode/model/segment.h), which does not know the time before t0. Events that report
     * what already held then (EVF_CARRIED) change no lane: a lane begins with the first event that changes
     * it. Counts of goroutines are relative to those at t0; they start at FOLD_MANY, because they cannot go
     * below 0. Its lists stay empty, because what an event does to them may depend on the time before t0:
     * the events wait until the segment is joined. */
    bool segment;
    bool carrying; /* an EVF_CARRIED event is being folded */
    bool unsure;   /* something depends on the time before t0 and was not reported */
    int64_t t0;
    struct vec_ev later;  /* the events for the lists, in the segment's indices */
    struct carried {      /* the goroutines that existed before, ascending */
        uint32_t g, name; /* name and flags: what hint said */
        uint16_t flags;
        uint8_t state; /* at the start */
    } * carried;
    size_t ncarried, capcarried;
    uint64_t procs_known; /* the first GOMAXPROCS reported in this segment, 0 = none */
    uint64_t gb_first;    /* number of the first bucket */
    /*
     * hint - what is known of a goroutine that existed before: returns GI_GCWORK and GI_SYSTEM flags, sets
     * *name. NULL: nothing is known.
     */
    uint16_t (*hint)(void *arg, uint64_t id, uint32_t *name);
    void *hint_arg;
    /* Those that hint did not name have a name all the same, and are no mark workers. */
    bool others_named;
    uint32_t str_gcworker; /* string "runtime.gcBgMarkWorker", once seen */
    struct idmap runs;     /* creation stack -> function that those goroutines run (fold_names.c) */
    bool oom;
    bool finished;
};

/* fold_lane_at, fold_info_at - of a goroutine that is not packed away. */
static inline struct spanlane *fold_lane_at(const struct fold *f, uint32_t g)
{
    return &f->seg[g / RETIRED_GS].lane[g % RETIRED_GS];
}

static inline struct ginfo *fold_info_at(const struct fold *f, uint32_t g)
{
    return &f->seg[g / RETIRED_GS].info[g % RETIRED_GS];
}

/* fold_init - an empty model; names must outlive it. ERR_NOMEM: fold_free() it all the same. */
enum err_code fold_init(struct fold *f, const struct names *names);
void fold_free(struct fold *f);
/* fold_beside - prepare for being one of many folds, of a trace of this many bytes. Each fold leaves its
 * last chunk of packed spans half empty, so chunks become smaller, but not too small for the temporary file
 * if they may have to go there. */
void fold_beside(struct fold *f, uint64_t bytes);
/*
 * fold_segment - make a freshly initialised fold that of a segment: it begins at t0 and has events up to
 * `until` or later. Count buckets take their final width at once.
 * fold_reaches - set `until` of the first segment's fold, once it is known. Call it between two runs of
 * events.
 */
#define FOLD_MANY ((uint64_t)1 << 30)
void fold_segment(struct fold *f, int64_t t0, int64_t until);
void fold_reaches(struct fold *f, int64_t until);
/* fold_rest - no more events will come: pack every lane. */
void fold_rest(struct fold *f);
/* fold_counts_add - add the goroutine counts of the segment that comes next in time. */
void fold_counts_add(struct fold *f, const struct fold *segment);
/* fold_stream - fold events in order, n halves of them. Out of memory sets f->oom; the model stays
 * readable. */
void fold_stream(struct fold *f, const struct ev_half *v, size_t n);
/* fold_begin, fold_any, fold_end - the same for a reader that folds as it goes: fold_begin(), then any
 * number of events (the commonest with the functions of fold_hot.h, all others with fold_any()), then
 * fold_end() with the last event's time and the number of events folded by fold_hot.h. false: out of
 * memory, send no more events. */
bool fold_begin(struct fold *f);
bool fold_any(struct fold *f, const struct ev *e);
void fold_end(struct fold *f, int64_t last, uint64_t hot);
/* fold_patch_open - set the end of everything that is open to `end`, for now. Call it before reading
 * ranges, tasks or regions. */
void fold_patch_open(struct fold *f, int64_t end);
/* fold_back_counts - add to the counts what back-dated goroutines did before their first report. Call it
 * before reading gb. */
void fold_back_counts(struct fold *f);
/* fold_finish - sort what came out of order and pack everything; no more events will come. What is open
 * ends at `end`. */
void fold_finish(struct fold *f, int64_t end);

#endif
