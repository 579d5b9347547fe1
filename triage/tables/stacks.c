/*
 * stacks.c - infers kinds of waits from reasons and function names. The reasons are spelled as in
 * decode/v2/words_v2.def, in all dialects.
 */
#include "triage/tables/stacks.h"

#include <string.h>

const char *wait_kind_name(enum wait_kind k)
{
    static const char *const name[WK_KINDS] = {
#define KIND(id, word) [WK_##id] = word,
#include "triage/words.def"
    };
    return (unsigned)k < WK_KINDS ? name[k] : "waiting";
}

enum how { IS, BEGINS, HAS }; /* how a name is compared with the one of a table */

struct pattern { /* of a name like that */
    const char *name;
    enum how how;
    unsigned is;
};

static bool named(struct str f, const struct pattern *t)
{
    return t->how == IS       ? str_is(f, t->name)
           : t->how == BEGINS ? str_starts(f, t->name)
                              : str_has(f, t->name);
}

/* WK_KINDS means that the stack tells. */
static enum wait_kind kind_of_reason(struct str r)
{
    static const struct pattern known[] = {{"sync", IS, WK_KINDS},
                                           {"sync.(*Cond)", BEGINS, WK_COND},
                                           {"sync cond", IS, WK_COND},
                                           {"chan send", IS, WK_SEND},
                                           {"chan receive", IS, WK_RECV},
                                           {"select", BEGINS, WK_SELECT},
                                           {"forever", IS, WK_SELECT},
                                           {"network", IS, WK_NET},
                                           {"sleep", IS, WK_SLEEP},
                                           {"GC ", BEGINS, WK_GC},
                                           {"wait until GC ends", IS, WK_GC},
                                           {"system goroutine", BEGINS, WK_SYSTEM}};
    enum { N = sizeof known / sizeof *known };
    const unsigned i = find_first(k, N, named(r, &known[k]));
    return i < N ? (enum wait_kind)known[i].is : WK_OTHER;
}

/* Go's standard library by the first element of a package's path: it does what its caller asked for. */
static bool is_library(struct str f)
{
    static const char packages[] =
        "archive\0bufio\0bytes\0cmp\0compress\0container\0context\0crypto\0database\0"
        "debug\0embed\0encoding\0errors\0expvar\0flag\0fmt\0go\0hash\0html\0image\0"
        "index\0internal\0io\0iter\0log\0maps\0math\0mime\0net\0os\0path\0plugin\0"
        "reflect\0regexp\0runtime\0slices\0sort\0strconv\0strings\0structs\0sync\0"
        "syscall\0testing\0text\0time\0unicode\0unique\0unsafe\0vendor\0weak\0";
    size_t n = 0;
    while (n < f.len && f.p[n] != '.' && f.p[n] != '/')
        n++;
    if (n == f.len || n == 0)
        return f.len == 0;
    for (const char *p = packages; *p; p += strlen(p) + 1)
        if (strlen(p) == n && memcmp(p, f.p, n) == 0)
            return true;
    return str_starts(f, "type:.eq");
}

/* ---- found once: what is known of a string, and of a stack, kept beside it (trace_memo()) -------------- */

/* As a function's name a string has KNOWN and what follows, with marks (enum stack_mark) on top; as a reason
 * its kind + 1. PLUMBING is a library package that every wait and call passes through. */
enum { KNOWN = 1, LIBRARY = 2, PLUMBING = 4, KIND = 4 /* of a wait in it */, REASON = 8, MARKS = 12 };
enum { KINDS = 15 };
_Static_assert((int)WK_KINDS < (int)KINDS, "a kind, and one that says none, take four bits");
_Static_assert(WK_OTHER == 0, "most functions are of no kind");
#define WAITS(kind) ((unsigned)WK_##kind << KIND)
#define MARK(mark) ((unsigned)STACK_##mark << MARKS)

static unsigned name_is(struct str f)
{
    static const struct pattern known[] = {{"sync.(*Mutex)", BEGINS, WAITS(LOCK)},
                                           {"sync.(*RWMutex)", BEGINS, WAITS(LOCK)},
                                           {"internal/sync.(*Mutex)", BEGINS, WAITS(LOCK)},
                                           {"sync.(*WaitGroup)", BEGINS, WAITS(WAITGROUP)},
                                           {"sync.(*Cond)", BEGINS, WAITS(COND)},
                                           {"sync.(*Once)", BEGINS, WAITS(LOCK)},
                                           {"sync.runtime_SemacquireMutex", BEGINS, WAITS(LOCK)},
                                           {"sync.runtime_SemacquireRWMutex", BEGINS, WAITS(LOCK)},
                                           {"sync.runtime_SemacquireWaitGroup", BEGINS, WAITS(WAITGROUP)},
                                           {"internal/sync.runtime_SemacquireMutex", BEGINS, WAITS(LOCK)},
                                           {"internal/poll.(*fdMutex)", BEGINS, WAITS(LOCK)},
                                           {"internal/poll.runtime_Semacquire", BEGINS, WAITS(LOCK)},
                                           {"internal/poll.runtime_pollWait", BEGINS, WAITS(NET)},
                                           {"runtime.netpollblock", BEGINS, WAITS(NET)},
                                           {"runtime.chanrecv", BEGINS, WAITS(RECV)},
                                           {"runtime.chansend", BEGINS, WAITS(SEND)},
                                           {"runtime.selectgo", BEGINS, WAITS(SELECT)},
                                           {"runtime.timeSleep", BEGINS, WAITS(SLEEP)},
                                           {"time.Sleep", BEGINS, WAITS(SLEEP)},
                                           {"internal/poll.(*FD).Read", BEGINS, MARK(READS)},
                                           {"internal/poll.(*FD).Write", BEGINS, MARK(WRITES)},
                                           {"internal/poll.SendFile", BEGINS, MARK(WRITES)},
                                           {"internal/poll.(*FD).Accept", IS, MARK(ACCEPTS)},
                                           {"net.(*netFD).Write", BEGINS, MARK(WRITES)},
                                           {"net.(*netFD).accept", IS, MARK(ACCEPTS)},
                                           {"net.(*netFD).connect", IS, MARK(CONNECTS)},
                                           {"net/http.(*Transport).getConn", IS, MARK(CONNECTS)},
                                           {"net/http.(*persistConn).roundTrip", IS, MARK(TRIP)},
                                           {"runtime.mallocgc", BEGINS, MARK(ALLOCATES)},
                                           {"runtime.GC", IS, MARK(COLLECTS)},
                                           {"runtime/debug.FreeOSMemory", IS, MARK(COLLECTS)},
                                           {"os.(*File).", BEGINS, MARK(FILE)},
                                           {"os.(*Process)", HAS, MARK(CHILD)},
                                           {"forkExec", HAS, MARK(CHILD)},
                                           {"os/exec.", HAS, MARK(CHILD)},
                                           {"net.", BEGINS, MARK(CONN) | PLUMBING},
                                           {"runtime.", BEGINS, PLUMBING},
                                           {"runtime/", BEGINS, PLUMBING},
                                           {"sync.", BEGINS, PLUMBING},
                                           {"sync/", BEGINS, PLUMBING},
                                           {"internal/", BEGINS, PLUMBING},
                                           {"syscall.", BEGINS, PLUMBING},
                                           {"os.", BEGINS, PLUMBING},
                                           {"io.", BEGINS, PLUMBING},
                                           {"bufio.", BEGINS, PLUMBING},
                                           {"crypto/tls.", BEGINS, PLUMBING},
                                           {"time.", BEGINS, PLUMBING},
                                           {"", IS, PLUMBING}};
    unsigned is = KNOWN;
    each_of(t, known, sizeof known / sizeof *known)
        is |= named(f, t) ? t->is : 0;
    return is;
}

static unsigned func_is(const struct trace *tr, uint32_t func)
{
    unsigned is = (unsigned)trace_memo(tr, MEMO_STRING, func);
    if (!(is & KNOWN)) {
        const struct str f = trace_str(tr, func), own = trace_info(tr)->tested;
        /* A library package that the program tests is part of the program. */
        const bool tested =
            own.len && f.len > own.len && memcmp(f.p, own.p, own.len) == 0 &&
            (f.p[own.len] == '.' || (f.len > own.len + 6 && memcmp(f.p + own.len, "_test.", 6) == 0));
        is = name_is(f) | (is_library(f) && !tested ? LIBRARY : 0);
        trace_memo_set(tr, MEMO_STRING, func, is);
    }
    return is;
}

/* A stack has stacks_user_frame() + 1, the kind of its waits where the reason says only "sync", its marks,
 * and stacks_place(). */
enum { FRAME_MOST = 0xffff, STACK_KIND = 16, STACK_MARKS = 20, STACK_PLACE = 32 };
enum { KIND_FRAMES = 8 };
enum { ENDS = (STACK_FILE | STACK_CONN) << MARKS };

/* Finds what a frame has: its function, and func_is() of that. */
static uint64_t frame_memo(const struct trace *tr, uint32_t id)
{
    const uint32_t func = trace_frame_at(tr, id).func;
    const uint64_t memo = (uint64_t)func << 32 | func_is(tr, func);
    trace_memo_set(tr, MEMO_FRAME, id, memo);
    return memo;
}

static uint64_t stack_memo(const struct trace *tr, uint32_t stack)
{
    const uint32_t n = trace_stack(tr, stack);
    uint32_t id[STACK_MARKED], user = n,
                               outside = n; /* outside: the first frame outside the common packages */
    uint64_t all = 0, kind = WK_OTHER, place = 0;
    for (uint32_t i = 0; i < n && (user == n || i % STACK_MARKED); i++) {
        if (i % STACK_MARKED == 0)
            (void)trace_frames(tr, stack, i, id, STACK_MARKED);
        const uint64_t known = trace_memo(tr, MEMO_FRAME, id[i % STACK_MARKED]),
                       f = known ? known : frame_memo(tr, id[i % STACK_MARKED]);
        all |=
            all & ENDS ? f & ~(uint64_t)ENDS : f; /* of a file and a connection the inner one is waited for */
        kind = kind == WK_OTHER && i < KIND_FRAMES ? f >> KIND & KINDS : kind;
        outside = outside == n && !(f & PLUMBING) ? i : outside;
        place = user == n && !(f & LIBRARY) ? f >> 32 : place;
        user = user == n && !(f & LIBRARY) ? i : user;
    }
    user = user < n ? user : outside < n ? outside : 0;
    user = user < FRAME_MOST ? user : FRAME_MOST - 1; /* no reader returns deeper stacks */
    const uint64_t marks = (uint32_t)all >> MARKS,
                   memo = place << STACK_PLACE | marks << STACK_MARKS | kind << STACK_KIND | (user + 1);
    trace_memo_set(tr, MEMO_STACK, stack, memo);
    return memo;
}

static inline uint64_t stack_is(const struct trace *tr, uint32_t stack)
{
    const uint64_t known = trace_memo(tr, MEMO_STACK, stack);
    return known ? known : stack_memo(tr, stack);
}

enum wait_kind stacks_wait_kind(const struct trace *tr, uint32_t reason, uint32_t stack)
{
    unsigned k = (unsigned)trace_memo(tr, MEMO_STRING, reason) >> REASON & KINDS;
    if (!k) {
        k = (unsigned)kind_of_reason(trace_str(tr, reason)) + 1;
        trace_memo_set(tr, MEMO_STRING, reason, k << REASON);
    }
    return (enum wait_kind)(k - 1 < WK_KINDS ? k - 1 : stack_is(tr, stack) >> STACK_KIND & KINDS);
}

enum wait_kind stacks_kind_untold(const struct trace *tr, uint32_t stack)
{
    return (enum wait_kind)(stack_is(tr, stack) >> STACK_KIND & KINDS);
}

bool stacks_is_program(const struct trace *tr, uint32_t func)
{
    return !(func_is(tr, func) & LIBRARY);
}

uint32_t stacks_place(const struct trace *tr, uint32_t stack)
{
    return (uint32_t)(stack_is(tr, stack) >> STACK_PLACE);
}

bool stacks_may(const struct trace *tr, uint32_t stack, unsigned marks)
{
    return stack_is(tr, stack) >> STACK_MARKS & marks;
}

bool stacks_has(const struct trace *tr, uint32_t stack, const char *part)
{
    const uint32_t n = trace_stack(tr, stack), most = n < KIND_FRAMES ? n : KIND_FRAMES;
    return any_of(i, most, str_has(trace_str(tr, trace_frame(tr, stack, i).func), part));
}

bool stacks_passes(const struct trace *tr, uint32_t stack, uint32_t func)
{
    const uint32_t n = trace_stack(tr, stack);
    return any_of(i, n, trace_frame(tr, stack, i).func == func);
}

bool stacks_pipe(const struct trace *tr, uint32_t stack)
{
    return stacks_may(tr, stack, STACK_FILE);
}

const char *stacks_wait_name(const struct trace *tr, enum wait_kind k, uint32_t stack)
{
    return k == WK_NET && stacks_pipe(tr, stack) ? "pipe" : wait_kind_name(k);
}

struct str stacks_reason(const struct trace *tr, uint32_t reason, uint32_t stack)
{
    const enum wait_kind k = stacks_wait_kind(tr, reason, stack);
    if (!reason || k == WK_OTHER || k == WK_GC || k == WK_SYSTEM) /* which the trace says more of */
        return trace_str(tr, reason);
    const char *name = k == WK_NET && !stack ? "I/O" : stacks_wait_name(tr, k, stack);
    return (struct str){name, strlen(name)};
}

uint32_t stacks_user_frame(const struct trace *tr, uint32_t stack)
{
    return ((uint32_t)stack_is(tr, stack) & FRAME_MOST) - 1;
}
