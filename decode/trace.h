/*
 * trace.h - the model of one execution trace: all that triage/, layout/ and viewer/ read.
 *
 * Units. Times are nanoseconds (int64_t) since the trace's first event; intervals are half-open, [t0,t1). Ids
 * from the file (goroutine, P, M, task) are 64 bits wide and untrusted. The model itself uses dense 32-bit
 * indices for lanes, strings and stacks. String 0 is "", stack 0 is "no stack", lane index NO_LANE is "none".
 *
 * Ownership. Everything belongs to the struct trace and lives until trace_close(). A pointer handed out is
 * valid until the next trace_load() call, because arrays may move while loading.
 *
 * Threads. Use a trace from one thread. trace_load() may run helper threads, which never touch what a reader
 * sees. A few functions may be called from several threads at once while nobody loads; they say so.
 *
 * Loading is incremental: trace_open() reads the header, each trace_load() call decodes some more. All
 * queries work at any time in between and answer for what is decoded so far, [0, trace_info()->end).
 *
 * docs/ARCHITECTURE.md lists the rules of the model that surprise. They hold for every dialect.
 */
#ifndef GOTOP_DECODE_TRACE_H
#define GOTOP_DECODE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "decode/base/err.h"
#include "decode/base/rows.h"
#include "decode/input/joint.h"
#include "decode/model/gmap.h"

struct trace;

struct str { /* the bytes of a name: borrowed, not NUL-terminated, hostile (control bytes, bad UTF-8) */
    const char *p;
    uint32_t len;
};
/*
 * str_is, str_starts - compare bytes of a trace with a C string. Of one that stands there the length is
 * known, so nothing is called.
 */
static inline bool str_is(struct str s, const char *c)
{
    return s.len == strlen(c) && memcmp(s.p, c, s.len) == 0;
}
static inline bool str_starts(struct str s, const char *c)
{
    const size_t n = strlen(c);
    return s.len >= n && memcmp(s.p, c, n) == 0;
}

/* str_has - whether the text stands somewhere in it. str_same - whether both are the same bytes. */
static inline bool str_has(struct str s, const char *part)
{
    const size_t n = strlen(part);
    return n <= s.len && (!n || memmem(s.p, s.len, part, n));
}
/* str_dir - its length up to the last slash, which counts; 0: it has none. */
static inline uint32_t str_dir(struct str s)
{
    while (s.len && s.p[s.len - 1] != '/')
        s.len--;
    return s.len;
}
static inline bool str_same(struct str a, struct str b)
{
    return a.len == b.len && (!a.len || memcmp(a.p, b.p, a.len) == 0);
}

enum state {
#define X(id, ...) ST_##id,
#include "decode/model/states.def"
#undef X
    ST_COUNT
};
/* state_name - the state in words, as in states.def; "?" for a number that is no state. */
const char *state_name(enum state s);

#define NO_LANE UINT32_MAX
#define NO_TIME INT64_MIN

/* ---- opening ------------------------------------------------------------------------------------------- */

struct trace_opts { /* All zero = the defaults. Strings and paths are borrowed until trace_close(). */
    bool strict;    /* the first damage is an error (trace_fatal()), not a mark */
    /* for loading, triage and drawing: 0 = one per processor of the host, 1 = the caller's thread alone */
    int threads;
    /*
     * Bytes of private memory to stay below; 0 = half of what the host has free. What does not fit goes to a
     * temporary file (mem_limit() in decode/base/mem.h). Without such a file, decoding ends at the limit with
     * a damage. There is one limit for all open traces: the last one given.
     */
    uint64_t max_memory;
    double ticks_per_second; /* how many units of its clock a second has, whatever the file says; 0 = as the
                                file says */
    const char *exe;         /* first family: ELF binary that resolves bare program counters; NULL = none */
    struct joint_paths more; /* further files of the same program, as one: decode/input/joint.h */
    bool grows; /* trace_open_mem(), second family: more generations will come, see trace_grow() */
    /* Second family: asked within long steps, by any thread: if true, decoding ends, as if out of memory.
     * NULL: nobody is. */
    bool (*leave)(void);
};

/*
 * trace_open - open a file ("-" = standard input) and read its header. The first bytes tell plain, gzip and
 * zstd apart. On success *out is the trace with nothing decoded yet. On failure *out is NULL and *e says why.
 */
enum err_code trace_open(const char *path, const struct trace_opts *opts, struct trace **out, struct err *e);
/* trace_open_mem - the same for bytes in memory, which must outlive the trace.
 * They must not be compressed. */
enum err_code trace_open_mem(const void *data, size_t len, const struct trace_opts *opts, struct trace **out,
                             struct err *e);
/* trace_limit - set the memory limit (trace_opts.max_memory) without opening a trace. Returns the limit in
 * bytes. */
uint64_t trace_limit(uint64_t max_memory);
/*
 * trace_open_input - as trace_open(), for an input that is already open; it must stay open until the trace is
 * closed.
 */
enum err_code trace_open_input(const struct input *in, const struct trace_opts *opts, struct trace **out,
                               struct err *e);
void trace_close(struct trace *tr); /* tr may be NULL */
/* trace_more - the trace_opts.more that the trace was opened with. */
const struct joint_paths *trace_more(const struct trace *tr);
/*
 * trace_grow - tell a growing trace that there are `len` bytes now, at the address it was opened with. The
 * earlier bytes must be unchanged, and the new ones whole generations (decode/input/stream.h). trace_grown -
 * say that no more will come: the next trace_load() finishes the trace.
 */
void trace_grow(struct trace *tr, size_t len);
void trace_grown(struct trace *tr);
/*
 * trace_doubt - call before anything is decoded, when another trace of the same bytes found that generation
 * why->gen (1 = the first) contradicts itself. That generation is then read as one with missing events from
 * its start on, not from where the contradiction was noticed.
 */
void trace_doubt(struct trace *tr, const struct err *why);
/*
 * trace_gap - say that what follows the present end of a growing trace was recorded separately, which
 * leaves a gap, as between two files read as one. In the gap a goroutine is ST_UNKNOWN if the trace mentions
 * it again after the gap; else its lane ends at the gap. P and band lanes are ST_NONE there, M lanes ST_IDLE.
 * Regions end or begin at the gap. Returns false when out of memory.
 */
bool trace_gap(struct trace *tr);

enum load { LOAD_MORE, LOAD_DONE, LOAD_WAIT /* a growing trace: all bytes so far are decoded */ };
/*
 * trace_load - decode for about budget_ns nanoseconds (0 = one small step, INT64_MAX = all of it), then
 * return. Damage is no failure: decoding ends there or goes on behind it, and trace_info()->ndamages grows.
 * Returns LOAD_DONE also when nothing could be decoded; trace_fatal() then says so.
 */
enum load trace_load(struct trace *tr, int64_t budget_ns);
/*
 * trace_fatal - after LOAD_DONE: why there is nothing to show (or the first damage, with trace_opts.strict);
 * NULL if there is no such error. Callers print ->what and exit with status 2.
 */
const struct err *trace_fatal(const struct trace *tr);

struct trace_info {
    const char *path;
    /*
     * "gotrace", "go 1.5 or 1.6" .. "go 1.26 or 1.27": the releases that write this header; the last one for
     * newer headers, too
     */
    const char *dialect;
    int version;        /* 0 = prototype, 1005 .. 1026: major*1000+minor as in the header */
    bool second_family; /* Go 1.22 and later: threads, generations, wall clock */
    bool has_clock;     /* false: the file has no tick rate, and times are ticks (1 "ns" = 1 tick) */
    bool clock_assumed; /* the tick rate is an estimate or from --ticks-per-second */
    bool has_m, has_regions, has_samples, has_names; /* what the dialect records; has_names: function names,
                                                        not bare PCs, or trace_opts.exe is given */
    bool done;                  /* decoded to the end (growing trace: to the end of what has come) */
    bool spilled;               /* the input was compressed or a pipe and is kept in the temporary file */
    bool more;                  /* a growing trace: open lanes go on, even when `done` */
    uint64_t bytes, bytes_done; /* decompressed size (0 = not known yet); how much of it is decoded */
    uint64_t events;            /* as Go counts them: without Sync */
    uint64_t batches, experimental_batches;
    uint32_t generations; /* complete and partial ones; 0 in the first family */
    int64_t first_ns;     /* the first event's time on the trace's own clock */
    int64_t end;          /* time of the last event so far */
    bool has_wall;        /* wall_sec and wall_nsec are the wall-clock time of t = 0 (Go 1.25 on) */
    int64_t wall_sec;
    int32_t wall_nsec;
    uint32_t gomaxprocs; /* the last value; 0 = not recorded */
    uint32_t nwarnings, ndamages;
    bool more_damages;   /* there were more damages than are kept */
    uint64_t count[16];  /* number of events per enum ev_class */
    uint64_t goroutines; /* how many the trace has mentioned so far */
    /* Set once loading is done: if the program is a test binary, the package under test ("go/parser"); else
     * empty. */
    struct str tested;
    uint32_t epoch; /* Changes when decoding starts anew: everything read from the trace before is void. */
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

/*
 * Damages and warnings, in file order. A damage means that part of the file is not shown; a warning does not.
 * NULL if there is no such one.
 */
const struct err *trace_damage(const struct trace *tr, uint32_t i);  /* i < ndamages */
const struct err *trace_warning(const struct trace *tr, uint32_t i); /* i < nwarnings */

/* ---- names and stacks ---------------------------------------------------------------------------------- */

/* trace_nstr, trace_nstacks - how many ids there are so far, 0 included. */
uint32_t trace_nstr(const struct trace *tr);
struct str trace_str(const struct trace *tr, uint32_t id); /* "" if there is no such id */

struct frame {
    uint64_t pc;
    uint32_t func, file; /* strings; 0 = not in the trace (show pc) */
    uint64_t line;
};
uint32_t trace_nstacks(const struct trace *tr);
/*
 * trace_stack - number of frames of a stack; 0 if there is no such stack.
 * trace_frame - one frame; 0 is the innermost, where the goroutine is. Zeros if there is no such frame.
 */
uint32_t trace_stack(const struct trace *tr, uint32_t stack);
struct frame trace_frame(const struct trace *tr, uint32_t stack, uint32_t i);
/*
 * trace_frames - copy the ids of frames `from` and up, at most `most` of them: equal frames have equal ids.
 * Returns how many.
 * trace_frame_at - the frame with this id.
 */
uint32_t trace_frames(const struct trace *tr, uint32_t stack, uint32_t from, uint32_t *id, uint32_t most);
struct frame trace_frame_at(const struct trace *tr, uint32_t id);

/*
 * A place where a reader of a loaded trace keeps what it worked out about a string, frame or stack: 64 bits
 * for each, 0 at first. trace_memo - the bits of this id. trace_memo_set - set further bits of it. Both may
 * be called from several threads at once. No bits are kept while the trace loads, for names that a growing
 * trace has not finished decoding, and when out of memory: they stay 0.
 */
enum memo { MEMO_STRING, MEMO_FRAME, MEMO_STACK, MEMOS };
uint64_t trace_memo(const struct trace *tr, enum memo m, uint32_t id);
void trace_memo_set(const struct trace *tr, enum memo m, uint32_t id, uint64_t bits);

/* ---- lanes --------------------------------------------------------------------------------------------- */

enum lane_kind { LANE_P, LANE_G, LANE_M, LANE_BAND, LANE_KINDS };
enum band { BAND_GC, BAND_STW, BAND_SWEEP, BAND_ASSIST, BAND_COUNT }; /* the lane indices of kind LANE_BAND */
/*
 * States. BAND_GC: ST_GC or ST_NONE. BAND_STW: ST_STW (reason = kind, who = G). BAND_SWEEP, BAND_ASSIST: some
 * P sweeps, some G assists.
 */

struct lane {
    enum lane_kind kind;
    uint32_t i; /* dense index, by first appearance in the trace */
};
/* lane_g, lane_p, lane_m - the lane of a goroutine, P or M, by its index. */
static inline struct lane lane_g(uint32_t i)
{
    return (struct lane){LANE_G, i};
}
static inline struct lane lane_p(uint32_t i)
{
    return (struct lane){LANE_P, i};
}
static inline struct lane lane_m(uint32_t i)
{
    return (struct lane){LANE_M, i};
}

struct lane_info {
    uint64_t nspans;
    int64_t first, last; /* start of the first span, end of the last one */
    int64_t seen; /* G: when the trace first mentioned it; a first span that starts earlier is back-dated */
    bool name_inferred; /* G: the name is from a stack, its own or of one created like it, not from its
                           creation */
    bool ended;         /* G: its end is in the trace */
    bool created;       /* G: its creation is in the trace (else it existed when the trace began) */
    bool is_system;     /* G: started by the runtime for itself, judging by its start function */
    bool is_worker;     /* G: a mark worker, by its name or, if it has none, by a "GC (..)" label */
/* G: the facts of facts.def; `id` is set for all lanes: P number, thread id */
#define KEPT(ID, field, type, ...) type field;
#include "decode/model/facts.def"
};
/* trace_nlanes - number of lanes of a kind; their indices are 0 .. n-1. */
uint32_t trace_nlanes(const struct trace *tr, enum lane_kind k);
/* trace_lives - when each of n lanes from i on lived, as trace_lane() says but much cheaper. */
struct lifetime {
    int64_t first, last;
    bool started; /* it has a span */
    bool over;    /* G: its end is in the trace */
};
void trace_lives(const struct trace *tr, enum lane_kind k, uint32_t i, uint32_t n, struct lifetime *out);
/* trace_lane - what is known of a lane. For an index that does not exist: zeros, and creator NO_LANE. */
struct lane_info trace_lane(const struct trace *tr, struct lane l);
/* trace_lane_who - the same without first, last and nspans (0), for a fraction of the cost. */
struct lane_info trace_lane_who(const struct trace *tr, struct lane l);
/*
 * trace_find_lane - the index of the lane with this id from the file; the last one, if several goroutines
 * have it. NO_LANE if there is none. Takes a step for each lane, but for goroutines that were packed away a
 * step for 128 of them.
 */
uint32_t trace_find_lane(const struct trace *tr, enum lane_kind k, uint64_t id);

struct span {
    int64_t t0, t1;
    uint8_t state;   /* enum state */
    bool open_start; /* it began before the trace (or before its lane was first mentioned) */
    bool open_end;   /* it still lasts at the end of what is decoded */
    uint32_t reason; /* string: why the lane entered this state (wait or stop reason, STW kind); 0 = none */
    uint32_t label;  /* string: GC worker label of a running span; 0 = none */
    /*
     * G running or in a system call: P index (for a call, the P it began on). G runnable after a wait or its
     * creation: G index of the waker or creator. P and M: G index. NO_LANE = none.
     */
    uint32_t who;
    uint32_t proc; /* M: index of the P it holds, NO_LANE = none; other lanes: NO_LANE */
    /*
     * Stack at the span's start. G waiting, in a system call, or runnable because it stopped: its own stack.
     * G runnable after a wait: the waker's. 0 = none recorded, and always for P and M.
     */
    uint32_t stack;
    uint32_t stack_end; /* the next span's `stack`: that at this one's end (after a wait, the waker's) */
    uint64_t index;     /* 0.. within the lane */
};
/*
 * A span iterator walks one lane in both directions. The spans of a lane are contiguous: a gap is a span of
 * ST_NONE (P, M, band), or the lane has ended (G). An iterator holds a decoded block of about 4 KB, so keep
 * it on the stack, not in arrays. trace_load() makes it invalid. Its fields are private.
 */
#define SPAN_BLOCK 128
#define SPAN_ROOM (SPAN_BLOCK + 16)
/* Columns of neighbouring spans, with room for the open span and for what
 * vector code writes behind the end. */
struct spancols {
    int64_t dur[SPAN_ROOM];
    uint32_t who[SPAN_ROOM]; /* lane index + 1, 0 = none */
    uint32_t stack[SPAN_ROOM];
    uint32_t tag[SPAN_ROOM]; /* index of a struct span_tag: state, reason, label; at most 16 bits */
};
struct span_iter {
    const struct trace *tr;
    struct lane lane;
    uint64_t base;        /* index of the first loaded span */
    uint64_t hold;        /* M: number of the hold within the piece */
    uint32_t piece, sub;  /* sub: block of the piece; of M: of piece `under` of the P's lane */
    uint32_t under, proc; /* M: see sub; the P held */
    uint32_t n, at;       /* number of loaded spans; the current one */
    const struct span_tag *kind;
    const struct segment *seg;
    bool open_start, open_end; /* of the first loaded span; of the last one */
    bool last;                 /* the last loaded span is the lane's */
    int64_t t[SPAN_ROOM];      /* start of each loaded span, then the end of the last one */
    struct spancols c;
    struct span cur;
};
/*
 * span_seek - go to the span that covers t, or to the first or last span if t is outside the lane. Returns
 * false if the lane has no spans.
 */
bool span_seek(struct span_iter *it, const struct trace *tr, struct lane l, int64_t t);
/*
 * span_seek_on - the same for an iterator that was used before (or has tr == NULL): reuses its block if that
 * covers t.
 */
bool span_seek_on(struct span_iter *it, const struct trace *tr, struct lane l, int64_t t);
/* span_seek_at - as span_seek_on(), but false if no span covers t. */
bool span_seek_at(struct span_iter *it, const struct trace *tr, struct lane l, int64_t t);
/*
 * span_seek_index - go to the span with this index. false: there is none. M: walks from the lane's start.
 * span_get - the current span, valid until the iterator moves.
 * span_next, span_prev - move by one span. false at the lane's end or start; the current span then stays.
 */
bool span_seek_index(struct span_iter *it, const struct trace *tr, struct lane l, uint64_t index);
static inline const struct span *span_get(const struct span_iter *it)
{
    return &it->cur;
}
bool span_next(struct span_iter *it);
bool span_prev(struct span_iter *it);
/* each_span - a loop over the spans s of a lane from the one that covers t on (INT64_MIN: all of them). */
#define each_span(s, it, tr, lane, t) \
    for (const struct span *s = span_seek(&(it), tr, lane, t) ? span_get(&(it)) : NULL; s; \
         s = span_next(&(it)) ? span_get(&(it)) : NULL)

/* trace_g_name - a goroutine's name as in trace_lane(), but cheaper. */
uint32_t trace_g_name(const struct trace *tr, uint32_t g);

/* Neighbouring spans of one lane as columns: each span begins where the one before it ends. */
struct span_tag {
    uint8_t state;
    uint32_t reason, label;
};
struct span_run {
    uint32_t n;
    int64_t t0; /* start of the first span */
    const int64_t *dur;
    const uint32_t *stack, *tag;
    const struct span_tag *kind; /* indexed by a span's tag */
    bool open_start, open_end;   /* of the first span; of the last one */
    const uint32_t *local;       /* private: span_run_who() */
    const uint32_t *gmap;        /* private: span_run_g() */
    const struct segment *seg;
};
uint32_t span_run_who(const struct span_run *r, uint32_t i); /* struct span.who of span i, a goroutine's */
/*
 * span_run_g - the same, cheaper, where `who` is a goroutine: in a P's span, and in a goroutine's that is
 * neither running nor in a system call.
 */
static inline uint32_t span_run_g(const struct span_run *r, uint32_t i)
{
    const uint32_t who = r->local[i] - 1;
    return r->gmap && who != NO_LANE ? gmap_at(r->gmap, who) : who;
}
/* span_run_p - of a running span: its P by a number that is the P's in this run alone; 0: not recorded. */
static inline uint32_t span_run_p(const struct span_run *r, uint32_t i)
{
    return r->local[i];
}

/*
 * trace_walk - report all spans of goroutines g0 .. g1-1, one goroutine after another, for readers that count
 * everything. Returns false as soon as one of the functions in w does. Several threads may walk at once, and
 * call trace_states() and look-ups by time, while nobody loads.
 *
 *   begin   called for each goroutine. Not filled in: id, seen, start_stack.
 *   spans   called with up to SPAN_BLOCK + 1 of its spans at a time, in order. NULL: only begin is called,
 *           without first, last and nspans: this is cheaper than trace_lane_who() for each.
 *   end     called after its last span.
 *   skips   asked after begin: whether spans and end are not to be called for this one. NULL: never.
 *
 * Up to LANES_PACK neighbours are stored together, so walks should begin at multiples of it.
 */
#ifndef LANES_PACK /* fewer for fuzzing, whose traces are small */
#define LANES_PACK 128u
#endif
struct span_walk {
    bool (*begin)(void *arg, uint32_t g, const struct lane_info *li);
    bool (*spans)(void *arg, uint32_t g, const struct span_run *r);
    bool (*end)(void *arg, uint32_t g);
    bool (*skips)(void *arg);
    void *arg;
};
bool trace_walk(const struct trace *tr, uint32_t g0, uint32_t g1, const struct span_walk *w);
/*
 * trace_states - report the spans of a goroutine's or P's lane that overlap [t0,t1), in order, a block at a
 * time, until f returns false. Threads' lanes have none.
 *
 *   min_ns  skip blocks that have no span of at least this length (ST_NONE does not count).
 *   all     fill in stacks and `who`, too.
 *   only    a bit per state, 0 = all: also skip blocks in which none of these states takes min_ns in total.
 *           With ST_NONE among them, every block that has some ST_NONE is reported.
 */
struct states_ask {
    int64_t t0, t1, min_ns;
    bool all;
    bool (*f)(void *arg, const struct span_run *r);
    void *arg;
    uint32_t only;
};
void trace_states(const struct trace *tr, struct lane l, const struct states_ask *ask);
/* threads that may work on the trace at once, the caller's included: >= 1 */
int trace_threads(const struct trace *tr);

/* trace_span_at - the span that covers t. false if there is none. O(log spans). */
bool trace_span_at(const struct trace *tr, struct lane l, int64_t t, struct span *out);

/*
 * Exact time per state, in ns. The sum over all states is the interval's length; outside the lane's life it
 * is ST_NONE.
 */
struct shares {
    int64_t ns[ST_COUNT];
};
/* trace_shares - of [t0,t1). O(log spans). */
void trace_shares(const struct trace *tr, struct lane l, int64_t t0, int64_t t1, struct shares *out);
/* trace_ns - of one state; 0 if t1 <= t0. */
static inline int64_t trace_ns(const struct trace *tr, struct lane l, enum state st, int64_t t0, int64_t t1)
{
    struct shares s;
    if (t1 <= t0)
        return 0;
    trace_shares(tr, l, t0, t1, &s);
    return s.ns[st];
}
/* trace_columns - of n columns; edges[0..n] are ascending. O(n log spans), never a walk over all spans. */
void trace_columns(const struct trace *tr, struct lane l, const int64_t *edges, uint32_t n,
                   struct shares *out);
/* trace_count - number of spans that overlap [t0,t1). O(log spans). */
uint64_t trace_count(const struct trace *tr, struct lane l, int64_t t0, int64_t t1);
/*
 * trace_longest - the longest span (its whole length counts) of those that overlap [t0,t1), ST_NONE apart.
 * Returns false if there is none.
 */
bool trace_longest(const struct trace *tr, struct lane l, int64_t t0, int64_t t1, struct span *out);
/*
 * trace_wide - call f for each span that overlaps [t0,t1), is at least min_ns long and not ST_NONE, in time
 * order, until f returns false; only: of these states, a bit each, 0 = of all. Costs a step per 2048 spans of
 * the interval, and unpacking each block that has such a span and in which these states take min_ns (a
 * thread's: that has such a span).
 */
struct wide_ask {
    int64_t t0, t1, min_ns;
    bool (*f)(void *arg, const struct span *s);
    void *arg;
    uint32_t only;
};
void trace_wide(const struct trace *tr, struct lane l, const struct wide_ask *ask);

/* ---- what overlaps: ranges, tasks, regions, logs, samples, metrics ------------------------------------- */

enum range_kind { RANGE_GC, RANGE_STW, RANGE_SWEEP, RANGE_ASSIST, RANGE_KINDS };
struct range {
    int64_t t0, t1;
    uint8_t kind; /* enum range_kind */
    bool open_start, open_end;
    bool scope_p; /* STW before Go 1.10: the owner is a P */
    /* GC: NO_LANE. SWEEP: P index. ASSIST, STW: G index, NO_LANE if unknown. With scope_p: P index. */
    uint32_t owner;
    uint32_t name;  /* STW: string, the kind */
    uint32_t stack; /* at its begin, 0 = none */
    int64_t seen;   /* when the trace first mentioned it: t0, except with open_start */
    /*
     * SWEEP: bytes swept, bytes reclaimed. GC: a is its sequence number. ASSIST: a is 1 + the ns that its
     * goroutine ran during it, or 0 if that is to be computed from its lane; b is 1 + those before it
     * stopped, if it stopped once and then ran up to the end, or 0.
     */
    uint64_t a, b;
};
/*
 * These arrays are sorted by t0 once loading is done. Before that, an entry that turned out to have begun
 * earlier may come late. Each function sets *out to the first entry and returns how many there are; they are
 * the trace's.
 */
size_t trace_ranges(const struct trace *tr, enum range_kind k, const struct range **out);
/*
 * trace_stop - stop-the-world i of n, as one pause: before Go 1.10 every P that helps reports it, at the same
 * time, and these are merged. Returns the index where the next pause begins.
 */
size_t trace_stop(const struct range *r, size_t n, size_t i, struct range *out);

struct task {
    uint64_t id, parent; /* parent 0 = none */
    int64_t t0, t1;
    bool open_start, open_end;
    uint32_t name;
    uint32_t g, g_end; /* lanes that began and ended it, NO_LANE = unknown */
    uint32_t stack;
};
size_t trace_tasks(const struct trace *tr, const struct task **out); /* as trace_ranges() */

struct region {
    uint64_t task;
    int64_t t0, t1;
    bool open_start, open_end;
    uint32_t g, name, stack, stack_end;
    uint16_t depth; /* 0 = outermost on its goroutine */
};
size_t trace_regions(const struct trace *tr, const struct region **out); /* as trace_ranges() */

struct logmsg {
    int64_t t;
    uint64_t task;
    uint32_t g, category, message, stack;
};
/* trace_logs, trace_samples - set *out to the first entry and return how many there are; in the order in
 * which they came. */
size_t trace_logs(const struct trace *tr, const struct logmsg **out);

struct sample { /* a CPU profile sample */
    int64_t t;
    uint32_t g, p, m; /* NO_LANE = none, or not recorded */
    uint32_t stack;
};
size_t trace_samples(const struct trace *tr, const struct sample **out);

enum metric {
    METRIC_HEAP,
    METRIC_GOAL,
    METRIC_PROCS,
    METRIC_COUNT
}; /* bytes, bytes (0 = none), processors */
/*
 * goal_none - is this heap goal the one of a collector that is off? Some releases record it as 0, others as
 * nearly 2^63.
 */
static inline bool goal_none(uint64_t goal)
{
    return goal == 0 || goal >= UINT64_C(1) << 62;
}
struct point {
    int64_t t;
    uint64_t v; /* the value from t to the next point */
};
size_t trace_npoints(const struct trace *tr, enum metric m);               /* how many there are */
struct point trace_point(const struct trace *tr, enum metric m, size_t i); /* the i-th, by time */
size_t trace_points_before(const struct trace *tr, enum metric m,
                           int64_t t); /* how many lie before t; O(log points) */
/* trace_minmax - the smallest and largest value within [t0,t1). Returns false if there is no point before t1.
 * A step per 128 points. */
bool trace_minmax(const struct trace *tr, enum metric m, int64_t t0, int64_t t1, uint64_t *min,
                  uint64_t *max);
/* trace_extents - the same for n columns; edges[0..n] are ascending. */
struct extent {
    uint64_t min, max;
    bool known;
};
void trace_extents(const struct trace *tr, enum metric m, const int64_t *edges, uint32_t n,
                   struct extent *out);

/*
 * trace_gcounts - how many goroutines are in each state over time, in buckets of *width ns. There are at most
 * 8192: the width doubles as the trace grows. max is the most at one moment of the bucket, ns the integral
 * over it in goroutine-nanoseconds. For the run-queue curve.
 */
enum gcount { GC_RUNNABLE, GC_RUNNING, GC_SYSCALL, GC_WAITING, GC_COUNT };
struct gbucket {
    uint64_t ns[GC_COUNT];
    uint32_t max[GC_COUNT];
};
size_t trace_gcounts(const struct trace *tr, int64_t *width, const struct gbucket **out);

/*
 * trace_first_stacks - the first goroutine transitions that carry the goroutine's own stack, at most 256, for
 * `dump`.
 */
struct first_stack {
    int64_t t;
    uint32_t g, stack;
};
size_t trace_first_stacks(const struct trace *tr, const struct first_stack **out);

#endif
