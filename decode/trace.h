/*
 * trace.h - the model of one execution trace: what triage/, layout/ and viewer/ read.
 *
 * Units. Times are nanoseconds (int64_t) since the trace's first event; intervals are half-open [t0,t1).
 * Ids of the file (goroutine, P, M, task) are 64-bit and untrusted; inside, lanes, strings and stacks go by
 * dense 32-bit indices. String 0 is "", stack 0 is "no stack", lane index NO_LANE is "none".
 *
 * Ownership. Everything belongs to the struct trace and lives until trace_close(). Pointers handed out stay
 * valid until the next trace_load() call: while loading, arrays may move.
 *
 * Threads. A trace is used from one thread. trace_load() may have helper threads of its own, they never touch
 * what a reader sees.
 *
 * Loading is incremental: trace_open() reads the header, trace_load() takes steps. All queries work at any
 * moment between and answer for what has been decoded so far: [0, trace_info()->end).
 *
 * Rules of the model that surprise stand in docs/ARCHITECTURE.md. Every dialect maps onto it.
 */
#ifndef GOTOP_DECODE_TRACE_H
#define GOTOP_DECODE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/base/err.h"
#include "decode/input/joint.h"
#include "decode/model/gmap.h"

struct trace;

struct str { /* bytes of a name: borrowed, not NUL-terminated, hostile (may hold control bytes, bad UTF-8) */
    const char *p;
    uint32_t len;
};

enum state {
#define X(id, name, sp, sg, sm) ST_##id,
#include "decode/model/states.def"
#undef X
    ST_COUNT
};
const char *state_name(enum state s);

#define NO_LANE UINT32_MAX
#define NO_TIME INT64_MIN

/* ---- opening -------------------------------------------------------------------------------------------- */

struct trace_opts { /* all zero = the defaults */
    bool strict;    /* the first damage is an error instead of a mark */
    int threads; /* 0 = as many as the host has processors, 1 = the caller's alone; that of triage and drawing, too */
    uint64_t max_memory;     /* bytes of private memory to stay below, 0 = half of what the host has free: what would
                                be more stands in a temporary file (decode/base/mem.h, mem_limit(): one limit for all that
                                is open, the last one given). Where there is none, decoding ends there, with a damage. */
    double ticks_per_second; /* first family, where the file does not say; 0 = unknown */
    const char *exe;         /* first family: ELF binary to resolve bare program counters with, NULL = none */
    struct joint_paths more; /* further files of the same program, one timeline with it: decode/input/joint.h */
    uint64_t
        glance; /* first family: of a trace of at least so many bytes (0 = 8 MB) the beginning is there before all of it
                                was looked at, where trace_load() is given a budget; the epoch tells when it is decoded anew */
    bool grows; /* trace_open_mem(), second family: more generations will come, see trace_grow() */
};

/*
 * trace_open - open a file ("-" = standard input) and read its header; plain, gzip and zstd are told by their
 * first bytes. On success *out is the trace, nothing decoded yet. On failure *out is NULL and *e says why.
 */
enum err_code trace_open(const char *path, const struct trace_opts *opts, struct trace **out, struct err *e);
/* trace_open_mem - the same for bytes in memory, which must outlive the trace. Plain traces only. */
enum err_code trace_open_mem(const void *data, size_t len, const struct trace_opts *opts, struct trace **out,
                             struct err *e);
/* trace_limit - max_memory as above holds from now on, for what is opened without a trace, too. Returns it as bytes. */
uint64_t trace_limit(uint64_t max_memory);
/* trace_open_input - an input that is open already, and stays so until the trace is closed. */
enum err_code trace_open_input(const struct input *in, const struct trace_opts *opts, struct trace **out,
                               struct err *e);
void trace_close(struct trace *tr); /* NULL is allowed */
/* trace_more - trace_opts.more. */
const struct joint_paths *trace_more(const struct trace *tr);
/*
 * trace_grow - a trace that grows: the bytes at the address it was opened with are `len` now, those from before unchanged,
 * and what is new are whole generations (decode/input/stream.h). trace_grown - that was all: the next trace_load() ends it.
 */
void trace_grow(struct trace *tr, size_t len);
void trace_grown(struct trace *tr);
/*
 * trace_doubt - before anything is decoded: a trace of the same bytes has said that a generation (why->gen, 1 = the first)
 * contradicts itself. So it is read as one of which events are missing from its start on, not from where that was noticed.
 */
void trace_doubt(struct trace *tr, const struct err *why);
/*
 * trace_apart - what comes behind what a growing trace has now was recorded apart from that: a gap, as between two files that are
 * read as one. Within it goroutines that live behind it are ST_UNKNOWN, everything else is ST_NONE; a goroutine that isn't told of
 * behind it ends with it, a region begins or ends at it. false: out of memory.
 */
bool trace_apart(struct trace *tr);

enum load { LOAD_MORE, LOAD_DONE, LOAD_WAIT /* a trace that grows: all that is there is decoded */ };
/*
 * trace_load - decode for about budget_ns (0 = one small step, INT64_MAX = all), then return.
 * Damage does not fail: decoding ends (or goes on behind it), trace_info()->damages grows. LOAD_DONE also when
 * nothing could be decoded at all; then trace_fatal() says so.
 */
enum load trace_load(struct trace *tr, int64_t budget_ns);
/* trace_fatal - non-NULL after LOAD_DONE if the file gave nothing to show: print ->what, exit with status 2. */
const struct err *trace_fatal(const struct trace *tr);

struct trace_info {
    const char *path;
    const char
        *dialect; /* "gotrace", "go 1.5" .. "go 1.26 or 1.27": who writes that header; the last for newer ones too */
    int version;  /* 0 prototype, 1005 .. 1026: major*1000+minor as the header names it */
    bool second_family; /* 1.22 and later: threads, generations, wall clock */
    bool has_clock;     /* false: no tick rate in the file, times are ticks (1 "ns" = 1 tick) */
    bool clock_assumed; /* the tick rate is an estimate or --ticks-per-second */
    bool has_m, has_regions, has_samples,
        has_names;              /* what the dialect records; has_names: functions, not bare PCs */
    bool done;                  /* decoded to the end; of a trace that grows: to the end of what there is */
    bool spilled;               /* the input, compressed or a pipe, stands in the temporary file */
    bool more;                  /* it grows: lanes that are open go on, though `done` */
    uint64_t bytes, bytes_done; /* decompressed size (0 while unknown), decoded so far */
    uint64_t events;            /* as Go counts them: without Sync */
    uint64_t batches, experimental_batches;
    uint32_t generations; /* complete or partial, 0 in the first family */
    int64_t first_ns;     /* absolute time of the first event on the trace's clock */
    int64_t end;          /* time of the last event so far */
    bool has_wall;        /* wall_sec/wall_nsec: wall-clock time of t = 0 (from 1.25) */
    int64_t wall_sec;
    int32_t wall_nsec;
    uint32_t gomaxprocs; /* last value, 0 = not recorded */
    uint32_t nwarnings, ndamages;
    bool more_damages;   /* there are more than these: no more are kept */
    uint64_t count[16];  /* events by enum ev_class below */
    uint64_t goroutines; /* that the trace has told of so far */
    struct str tested; /* once it is done: the package whose test binary the program is, "go/parser"; empty: none's */
    uint32_t epoch;    /* changes, while loading, where decoding begins anew: what was shown of the trace is void */
};
const struct trace_info *trace_info(const struct trace *tr);

enum ev_class {
    EC_TRANSITION,
    EC_METRIC,
    EC_RANGE_BEGIN,
    EC_RANGE_ACTIVE,
    EC_RANGE_END,
    EC_TASK_BEGIN,
    EC_TASK_END,
    EC_REGION_BEGIN,
    EC_REGION_END,
    EC_LOG,
    EC_SAMPLE,
    EC_LABEL,
    EC_EXPERIMENTAL,
    EC_COUNT
};

/* Damages and warnings, in file order. A damage means: part of the file is not shown. A warning does not. */
const struct err *trace_damage(const struct trace *tr, uint32_t i);  /* i < ndamages */
const struct err *trace_warning(const struct trace *tr, uint32_t i); /* i < nwarnings */

/* ---- names and stacks ----------------------------------------------------------------------------------- */

uint32_t trace_nstr(const struct trace *tr);
struct str trace_str(const struct trace *tr, uint32_t id); /* an id out of range gives "" */

struct frame {
    uint64_t pc;
    uint32_t func, file; /* strings; 0 = not in the trace (show pc) */
    uint64_t line;
};
uint32_t trace_nstacks(const struct trace *tr);
/* trace_stack - number of frames of a stack; trace_frame - one of them, 0 = innermost (where it is). */
uint32_t trace_stack(const struct trace *tr, uint32_t stack);
/* trace_funcs - the functions (strings) of frames `from` and those behind it, at most so many: how many there are. */
uint32_t trace_funcs(const struct trace *tr, uint32_t stack, uint32_t from, uint32_t *func, uint32_t most);
/* trace_frames - the same of their numbers, which are equal where the frames are. trace_frame_at - of such a one. */
uint32_t trace_frames(const struct trace *tr, uint32_t stack, uint32_t from, uint32_t *id, uint32_t most);
struct frame trace_frame_at(const struct trace *tr, uint32_t id);
/* trace_stack_ahead - a stack's frames will be asked for soon: of many stacks few are in the processor's caches. */
void trace_stack_ahead(const struct trace *tr, uint32_t stack);
struct frame trace_frame(const struct trace *tr, uint32_t stack, uint32_t i);

/*
 * What a reader of a loaded trace worked out of a string, a frame or a stack, so that it need not do so again: 64 bits of its own for each, 0
 * until some are set. Several threads may ask and set at once. While the trace loads, of one that grows while more of it is decoded, and
 * without memory for it, they stay as they are.
 */
enum aside { ASIDE_STRING, ASIDE_FRAME, ASIDE_STACK, ASIDES };
enum { ASIDES_MOST = 16 };
uint64_t trace_aside(const struct trace *tr, enum aside m, uint32_t id);
void trace_aside_set(const struct trace *tr, enum aside m, uint32_t id,
                     uint64_t bits); /* beside those that are set */
/* trace_aside_ahead - it will be asked for soon. */
void trace_aside_ahead(const struct trace *tr, enum aside m, uint32_t id);
/* trace_frames_asides - those of frames `from` and those behind it, as trace_frames() has them. */
struct asides {
    uint32_t n;
    uint64_t any, all; /* bits that one of them has, that each has */
};
struct asides trace_frames_asides(const struct trace *tr, uint32_t stack, uint32_t from, uint64_t out[ASIDES_MOST]);

/* ---- lanes ---------------------------------------------------------------------------------------------- */

enum lane_kind { LANE_P, LANE_G, LANE_M, LANE_BAND, LANE_KINDS };
enum band { BAND_GC, BAND_STW, BAND_SWEEP, BAND_ASSIST, BAND_COUNT }; /* lane indices of kind LANE_BAND */
/* BAND_GC: ST_GC or ST_NONE. BAND_STW: ST_STW (reason = kind, who = G). BAND_SWEEP, BAND_ASSIST: any P / any G. */

struct lane { /* names one lane */
    enum lane_kind kind;
    uint32_t i; /* dense index, by first appearance in the trace */
};

struct lane_info {
    uint64_t nspans;
    int64_t first, last; /* its life as far as shown: first span's start, last span's end */
    int64_t seen;        /* G: when the trace first mentioned it; before that the first span is back-dated */
    bool name_inferred;  /* G: the name is of the root of one of its stacks, not of its creation */
    bool ended;          /* G: its end is in the trace */
    bool created;        /* G: its creation is in the trace (else it existed when the trace began) */
    bool is_system;      /* G: a goroutine of the runtime itself, by its start function */
    bool is_worker;      /* G: a mark worker: by its name, or by a "GC (..)" label if it has none (see fold.c) */
#define KEPT(ID, field, type, ...) type field; /* G: what facts.def says; id: of any lane, P number or thread id */
#include "decode/model/facts.def"
};
enum g_fact {
#define KEPT(ID, ...) FACT_##ID,
#include "decode/model/facts.def"
};
uint32_t trace_nlanes(const struct trace *tr, enum lane_kind k);
/* trace_lives - of the lanes from i on, n of them: when each lived, as trace_lane() says, for a fraction of the cost. */
struct lifetime {
    int64_t first, last;
    bool begun; /* it has a span */
    bool over;  /* a goroutine whose end is in the trace */
};
void trace_lives(const struct trace *tr, enum lane_kind k, uint32_t i, uint32_t n, struct lifetime *out);
struct lane_info trace_lane(const struct trace *tr, struct lane l);
/* trace_lane_who - the same without its spans (first, last and nspans are 0), for a fraction of the cost. */
struct lane_info trace_lane_who(const struct trace *tr, struct lane l);
/* trace_find_lane - index of the lane with the file's id, NO_LANE if there is none. O(1); O(threads) while it loads. */
uint32_t trace_find_lane(const struct trace *tr, enum lane_kind k, uint64_t id);

struct span {
    int64_t t0, t1;
    uint8_t state;   /* enum state */
    bool open_start; /* it began before the trace (or before its first mention) */
    bool open_end;   /* it lasts at the end of what is decoded */
    uint32_t reason; /* string: wait or stop reason (into this state), STW kind; 0 = none */
    uint32_t label;  /* string: GC worker label of a running span; 0 = none */
    uint32_t who; /* G running, syscall: P index (the one the call began on). G runnable after a wait or its creation:
                           waker's or creator's G index. P, M: G index. NO_LANE none */
    uint32_t proc;      /* M lanes: P index held, NO_LANE none; others NO_LANE */
    uint32_t stack;     /* stack at its start: G waiting, syscall, runnable-by-stop: the goroutine's own stack;
                           G runnable after a wait: the waker's stack. 0 = none recorded. P and M lanes: 0 */
    uint32_t stack_end; /* the next span's start stack = stack at this one's end (waiting: the waker's) */
    uint64_t index;     /* 0.. within the lane */
};
/*
 * A span iterator walks one lane both ways. Spans of a lane are contiguous: a gap is a span of ST_NONE (P, M,
 * BAND) or the lane's end (G). It holds a decoded block (about 4 KB): keep it on the stack, not in arrays.
 * Invalid after trace_load().
 */
#define SPAN_BLOCK 128
#define SPAN_ROOM (SPAN_BLOCK + 16)
struct spancols { /* spans side by side, by columns; with room for the open one, and for what vectors write behind */
    int64_t dur[SPAN_ROOM];
    uint32_t who[SPAN_ROOM]; /* lane index + 1, 0 = none */
    uint32_t stack[SPAN_ROOM];
    uint32_t tag[SPAN_ROOM]; /* index into tags: state, reason, label; at most 16 bits */
};
struct span_iter {
    const struct trace *tr;
    struct lane lane;
    uint64_t base;        /* index of the first span at hand */
    uint64_t hold;        /* M lanes: which hold */
    uint32_t piece, sub;  /* of the lane; the block in it, or (M lanes) in piece `under` of the P's */
    uint32_t under, proc; /* proc: M lanes, the P */
    uint32_t n, at;       /* spans at hand, the current one */
    const struct span_tag *kind;
    const struct segment *seg;
    bool open_start, open_end; /* of the first one at hand, of the last one */
    int64_t t[SPAN_ROOM];      /* where each begins; where the last one ends */
    struct spancols c;
    struct span cur;
};
/* span_seek - place at the span that covers t (or the first/last if t is outside). false: the lane has no spans. */
bool span_seek(struct span_iter *it, const struct trace *tr, struct lane l, int64_t t);
/* span_seek_on - the same with an iterator that has stood on some lane (or, tr being NULL, nowhere): what it has at hand isn't read again. */
bool span_seek_on(struct span_iter *it, const struct trace *tr, struct lane l, int64_t t);
/* span_seek_at - the same, but false where no span covers t. */
bool span_seek_at(struct span_iter *it, const struct trace *tr, struct lane l, int64_t t);
bool span_seek_index(struct span_iter *it, const struct trace *tr, struct lane l, uint64_t index);
const struct span *span_get(const struct span_iter *it);
bool span_next(struct span_iter *it); /* false at the lane's end; the iterator then stays where it was */
bool span_prev(struct span_iter *it);

/* trace_g_name - trace_lane()'s name of a goroutine, for less. trace_next_worker - the first mark worker from g on; NO_LANE. */
uint32_t trace_g_name(const struct trace *tr, uint32_t g);
uint32_t trace_next_worker(const struct trace *tr, uint32_t g);

/* Neighbouring spans of one lane, by columns: each begins where the one before it ends. */
struct span_tag {
    uint8_t state;
    uint32_t reason, label;
};
struct span_run {
    uint32_t n;
    int64_t t0; /* of the first */
    const int64_t *dur;
    const uint32_t *stack, *tag;
    const struct span_tag *kind; /* by tag */
    bool open_start, open_end;   /* the first one, the last one */
    const uint32_t *local;       /* span_run_who()'s */
    const uint32_t *gmap;        /* span_run_g()'s */
    const struct segment *seg;
};
uint32_t span_run_who(const struct span_run *r, uint32_t i); /* struct span's `who` of a goroutine's span */
/* span_run_g - the same where it is a goroutine: of no span that runs or is a system call. span_run_g_name - its trace_g_name(), for less. */
static inline uint32_t span_run_g(const struct span_run *r, uint32_t i)
{
    const uint32_t who = r->local[i] - 1;
    return r->gmap && who != NO_LANE ? gmap_at(r->gmap, who) : who;
}
uint32_t span_run_g_name(const struct trace *tr, const struct span_run *r, uint32_t i);

/*
 * trace_walk - all spans of goroutines g0 .. g1-1, one goroutine after another, each one's in order: for who counts everything.
 * begin is told of each (not its id, when it was seen, its start stack); spans of up to SPAN_BLOCK + 1 of its spans at a time; then end. Returns false as soon as one of them does.
 * spans NULL: begin alone, for less than a trace_lane() of each. by: who isn't created by such a one (NO_LANE: nobody knows by whom)
 * is passed over; NULL: nobody is. alike: behind begin of a goroutine, told instead of begin of those that come next and are as it is, but
 * for their times (struct lanes_alike); NULL: begin is. few: before that, if all of them have spans of the same kinds at the same places, one or
 * two each: done = true if that is all there is to tell of them, so that neither alike, spans nor end is told; NULL: these are. Several threads may
 * walk at once, while nobody loads (or ask trace_states() and look-ups by time).
 */
#ifndef LANES_ALIKE /* fewer for fuzzing, whose traces are small */
#define LANES_ALIKE 128u
#endif
enum { LANES_FEW = 2 };
struct lanes_alike {
    uint32_t g, n; /* goroutines g .. g+n-1, all of them over; made at the same place, of the same name and flags */
    int64_t first[LANES_ALIKE], last[LANES_ALIKE], no_p_ns[LANES_ALIKE]; /* as in lane_info */
};
struct lanes_few { /* of lanes_alike, with the one begin was told of */
    uint32_t g, n;
    unsigned nspans; /* of each: the first one begins with it, the last one ends with it */
    struct span_tag kind[LANES_FEW];
    bool open_start;                                                            /* the first span of each */
    int64_t first[LANES_ALIKE], life[LANES_ALIKE], dur[LANES_FEW][LANES_ALIKE]; /* below 2^32 a span */
};
struct span_walk {
    bool (*begin)(void *arg, uint32_t g, const struct lane_info *li);
    bool (*spans)(void *arg, uint32_t g, const struct span_run *r);
    bool (*end)(void *arg, uint32_t g);
    void *arg;
    bool (*by)(void *arg, uint32_t creator);
    bool (*alike)(void *arg, const struct lane_info *li,
                  const struct lanes_alike *a); /* li: as begin had it; a stands until their ends */
    bool (*few)(void *arg, const struct lane_info *li, const struct lanes_few *f, bool *done);
};
bool trace_walk(const struct trace *tr, uint32_t g0, uint32_t g1, const struct span_walk *w);
/* trace_few - how long the k-th span of each of n goroutines from g on lasted: of those that lanes_few was told of, much faster than a walk. */
void trace_few(const struct trace *tr, uint32_t g, uint32_t n, unsigned k, int64_t *ns);
/*
 * trace_states - the spans of a goroutine's or P's lane that overlap [t0,t1), in order, a block at a time. all: with stacks and
 * `who`. Blocks with no span of min_ns (ST_NONE apart) are left out. only: a bit per state, 0 = all: so are blocks in which none of
 * these takes min_ns in all; with ST_NONE among them every block with time of that state is told. Until f returns false.
 */
struct states_ask {
    int64_t t0, t1, min_ns;
    bool all;
    bool (*f)(void *arg, const struct span_run *r);
    void *arg;
    uint32_t only;
};
void trace_states(const struct trace *tr, struct lane l, const struct states_ask *ask);
int trace_threads(const struct trace *tr); /* how many may be at work on it, the caller's included: >= 1 */

/* trace_span_at - the span covering t; false if the lane has none there. O(log spans). */
bool trace_span_at(const struct trace *tr, struct lane l, int64_t t, struct span *out);

/* Exact time per state. The sum over states of one interval is its length (outside the lane's life: ST_NONE). */
struct shares {
    int64_t ns[ST_COUNT];
};
/* trace_shares - for [t0,t1). O(log spans). */
void trace_shares(const struct trace *tr, struct lane l, int64_t t0, int64_t t1, struct shares *out);
/* trace_columns - for n columns; edges[0..n] ascending. O(n log spans), never a walk over all spans. */
void trace_columns(const struct trace *tr, struct lane l, const int64_t *edges, uint32_t n, struct shares *out);
/*
 * trace_columns_about - the same for who needs no exact time: bounds, and exact times only of columns where these don't do.
 * Of a column that many spans overlap enough() is told the least and the most time that each set of states (a bit per
 * enum state, but for ST_NONE) can have in it, and again more closely, until it says that this will do.
 * sure[]: of which columns it did; out[] is filled in for the others alone. Columns as trace_columns() has them.
 */
struct shares_ask {
    const int64_t *edges;
    uint32_t columns;
    bool *sure;
    unsigned n; /* sets, at most 8 */
    uint32_t set[8];
    bool (*enough)(void *arg, uint32_t column, const int64_t *least, const int64_t *most);
    void *arg;
};
void trace_columns_about(const struct trace *tr, struct lane l, const struct shares_ask *ask, struct shares *out);
/* trace_count - number of spans that overlap [t0,t1). O(log spans). */
uint64_t trace_count(const struct trace *tr, struct lane l, int64_t t0, int64_t t1);
/* trace_has_reason - is a string of this set (a bit each, n of them) the reason or label of any span? May err to true. */
bool trace_has_reason(const struct trace *tr, const uint64_t *set, uint32_t n);
/* trace_longest - the span with the longest overlap-free duration among those that overlap [t0,t1). */
bool trace_longest(const struct trace *tr, struct lane l, int64_t t0, int64_t t1, struct span *out);
/*
 * trace_wide - call f for each span overlapping [t0,t1) that is at least min_ns long and not ST_NONE, in time order,
 * until f returns false. O(found * log spans).
 */
struct wide_ask {
    int64_t t0, t1, min_ns;
    bool (*f)(void *arg, const struct span *s);
    void *arg;
};
void trace_wide(const struct trace *tr, struct lane l, const struct wide_ask *ask);

/* ---- what overlaps: ranges, tasks, regions, logs, samples, metrics --------------------------------------- */

enum range_kind { RANGE_GC, RANGE_STW, RANGE_SWEEP, RANGE_ASSIST, RANGE_KINDS };
struct range {
    int64_t t0, t1;
    uint8_t kind; /* enum range_kind */
    bool open_start, open_end;
    bool scope_p;   /* STW before 1.10: scope is the P */
    uint32_t owner; /* GC: NO_LANE; SWEEP: P index; ASSIST and STW: G index (NO_LANE possible) */
    uint32_t name;  /* STW: string, the kind */
    uint32_t stack; /* at its begin, 0 = none */
    int64_t seen;   /* when the trace first told of it: t0, but for open_start */
    /* SWEEP: bytes swept, reclaimed. GC: sequence number. ASSIST: 1 + how long its goroutine ran in it, or 0: ask its lane */
    uint64_t a, b;
};
/* Arrays sorted by t0 once loading is done; before that, what turns out to have begun earlier may stand late. */
size_t trace_ranges(const struct trace *tr, enum range_kind k, const struct range **out);
/* trace_stop - the i-th of n stop-the-worlds as one happened: before Go 1.10 each processor that helps tells of it, at the same
 * time. Returns where the next one begins. */
size_t trace_stop(const struct range *r, size_t n, size_t i, struct range *out);

struct task {
    uint64_t id, parent; /* parent 0 = none */
    int64_t t0, t1;
    bool open_start, open_end;
    uint32_t name;
    uint32_t g, g_end; /* lanes that began and ended it, NO_LANE unknown */
    uint32_t stack;
};
size_t trace_tasks(const struct trace *tr, const struct task **out);

struct region {
    uint64_t task;
    int64_t t0, t1;
    bool open_start, open_end;
    uint32_t g, name, stack, stack_end;
    uint16_t depth; /* 0 = outermost on its goroutine */
};
size_t trace_regions(const struct trace *tr, const struct region **out);

struct logmsg {
    int64_t t;
    uint64_t task;
    uint32_t g, category, message, stack;
};
size_t trace_logs(const struct trace *tr, const struct logmsg **out);

struct sample { /* CPU profile sample */
    int64_t t;
    uint32_t g, p, m; /* NO_LANE = none, not recorded */
    uint32_t stack;
};
size_t trace_samples(const struct trace *tr, const struct sample **out);

enum metric { METRIC_HEAP, METRIC_GOAL, METRIC_PROCS, METRIC_COUNT }; /* bytes, bytes (0 = none), processors */
/* goal_none - is that the goal where the collector is off? It is recorded as 0 by some releases, near 2^63 by others. */
static inline bool goal_none(uint64_t goal)
{
    return goal == 0 || goal >= UINT64_C(1) << 62;
}
struct point {
    int64_t t;
    uint64_t v; /* holds from t to the next point */
};
size_t trace_npoints(const struct trace *tr, enum metric m);
struct point trace_point(const struct trace *tr, enum metric m, size_t i); /* the i-th, by time */
size_t trace_points_before(const struct trace *tr, enum metric m,
                           int64_t t); /* how many lie before t; O(log points) */
/* trace_most - of points i0 .. i1-1 the first with the largest value; i1: there are none. O(log points). */
size_t trace_most(const struct trace *tr, enum metric m, size_t i0, size_t i1);
/* trace_minmax - smallest and largest value that holds within [t0,t1); false before the first point. O(log points). */
bool trace_minmax(const struct trace *tr, enum metric m, int64_t t0, int64_t t1, uint64_t *min, uint64_t *max);
/* trace_extents - the same for n columns; edges[0..n] ascending. */
struct extent {
    uint64_t min, max;
    bool known;
};
void trace_extents(const struct trace *tr, enum metric m, const int64_t *edges, uint32_t n, struct extent *out);

/*
 * Goroutines by state over time, in buckets whose width doubles as the trace grows (at most 8192 buckets; width in
 * *width ns). max: most at one moment in the bucket; ns: integral (goroutine-nanoseconds). For the run-queue curve.
 */
enum gcount { GC_RUNNABLE, GC_RUNNING, GC_SYSCALL, GC_WAITING, GC_COUNT };
struct gbucket {
    uint64_t ns[GC_COUNT];
    uint32_t max[GC_COUNT];
};
size_t trace_gcounts(const struct trace *tr, int64_t *width, const struct gbucket **out);

/* The first goroutine transitions that carried the goroutine's own stack (for `dump`): time, G lane, stack. */
struct first_stack {
    int64_t t;
    uint32_t g, stack;
};
size_t trace_first_stacks(const struct trace *tr, const struct first_stack **out);

#endif
