/*
 * rules_locks.c - rules about goroutines waiting for one another.
 *
 * A trace does not say which lock a wait is for. Waits are put together by the function that asked for the lock; who
 * held it is holder.c's to say.
 */
#include "triage/findings/asks.h"
#include "triage/findings/causes.h"
#include "triage/findings/story.h"
#include "triage/findings/holder.h"
#include "triage/findings/works.h"
#include "triage/findings/rules.h"
#include "triage/findings/thresholds.h"

#include <stdlib.h>

#include "decode/base/mem.h"

struct edge { /* one end of a wait */
    int64_t t;
    uint32_t lock; /* struct lock_wait */
    int32_t by;
    uint32_t wait; /* index in lock_waits */
};

struct stretch { /* while at least threshold CONVOY_WAITERS waited */
    int64_t t0, t1, total;
    uint32_t most, first; /* most at once; index of the wait that began first in the longest stretch */
    uint64_t waits;
};

/* Does it wait for a lock until the trace's end, long enough that nobody may come? rule_stuck() tells of those. */
static bool is_stuck(const struct triage *tg, const struct lock_wait *w)
{
    const int64_t share = (int64_t)(threshold(TH_STUCK_SHARE) * (double)tg->end), time = threshold_ns(TH_STUCK_TIME);
    return w->t1 >= tg->end && w->waker == NO_LANE && w->t1 - w->t0 >= (share < time ? share : time);
}

static uint32_t count_stuck(const struct triage *tg)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < tg->nlock_waits; i++) {
        n += is_stuck(tg, &tg->lock_waits[i]);
    }
    return n;
}

static int cmp_edge(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    return x->lock != y->lock ? (x->lock > y->lock) - (x->lock < y->lock)
           : x->t != y->t     ? (x->t > y->t) - (x->t < y->t)
           : x->by != y->by   ? (x->by > y->by) - (x->by < y->by)
                              : (x->wait > y->wait) - (x->wait < y->wait);
}

static void stretches(const struct edge *e, size_t n, struct stretch *s)
{
    uint32_t now = 0, first = 0, min = (uint32_t)threshold(TH_CONVOY_WAITERS);
    int64_t since = 0;
    min = min ? min : 1;
    *s = (struct stretch){0};
    for (size_t i = 0; i < n; i++) {
        now = e[i].by > 0 ? now + 1 : now - 1;
        s->waits += e[i].by > 0;
        s->most = now > s->most ? now : s->most;
        if (e[i].by > 0 && now == 1) {
            first = e[i].wait;
        }
        if (e[i].by > 0 && now == min) {
            since = e[i].t;
        } else if (e[i].by < 0 && now == min - 1) {
            s->total = ns_add(s->total, e[i].t - since);
            if (e[i].t - since > s->t1 - s->t0) {
                s->t0 = since;
                s->t1 = e[i].t;
                s->first = first;
            }
        }
    }
}

/* The wait that covers t and began first: it was the next in the queue, and who ended it most likely held the lock. One in the place
 * that the lock is called by, if there is one. */
static uint32_t eldest_at(const struct triage *tg, uint32_t lock, int64_t t, uint32_t fallback)
{
    for (uint32_t i = 0; i < tg->nlock_waits && tg->lock_waits[i].t0 <= t; i++) {
        const struct lock_wait *w = &tg->lock_waits[i];
        if (w->t1 > t && w->place == lock) {
            return i;
        }
    }
    return fallback;
}

#define HOG_WITHIN 200000 /* ns: who wakes and finds it taken waits again so soon */

/* Is what is called while the lock is held the device's keeping what was written (fsync)? */
static bool keeps(const struct triage *tg, const struct holder_row *h)
{
    struct span s;
    const int64_t mid = h->longest.t0 + (h->longest.t1 - h->longest.t0) / 2;
    return h->longest.g < tg->ng && trace_span_at(tg->tr, (struct lane){LANE_G, h->longest.g}, mid, &s) &&
           s.state == ST_SYSCALL && each_keeps(tg->tr, s.stack);
}

/* What is called while it is held goes elsewhere; but not such calls: they would queue at the device. Of these one does for many. */
static const char *call_advice(const struct triage *tg, const struct holder_row *h)
{
    uint64_t calls = 0;
    if (!keeps(tg, h)) {
        return "Do the system call outside the lock.";
    }
    for (uint32_t i = 0; i < tg->nsyscalls; i++) {
        const struct syscall_row *r = &tg->syscalls[i];
        calls +=
            each_keeps(tg->tr, r->stack) && holder_lock(tg, stacks_place(tg->tr, r->stack)) == h->lock ? r->count : 0;
    }
    return calls * 2 >= h->waits ? KEEPS_TOGETHER
                                 : "There are fewer such calls than waits. If one already commits for several, call "
                                   "it less often, or use a faster device; if not, let it: one call for all that "
                                   "wait (a group commit).";
}

#define LITTLE 8 /* th of their time: not worth an advice */

const char *lock_advice(const struct triage *tg, const struct holder_row *h)
{
    int64_t half = h ? h->told / 2 : 0;
    if (!h || h->told == 0) {
        return "Hold the lock more briefly: see what its holder did meanwhile; or split the lock.";
    }
    if (h->ns[ST_SYSCALL] > half) {
        return call_advice(tg, h);
    }
    if (h->wait_ns[WK_SLEEP] > half) {
        return "Don't sleep while holding the lock.";
    }
    if (h->wait_ns[WK_NET] > half) {
        return holder_pipe(tg, h) ? HOLDER_PIPE : HOLDER_NET;
    }
    if (h->wait_ns[WK_SEND] > half) {
        return "Don't send while holding the lock: a slow receiver holds up everyone waiting for it.";
    }
    if (h->wait_ns[WK_LOCK] > half) {
        return "Its holders wait for another lock: look at that one first, or take only one of the two at a time.";
    }
    if (h->ns[ST_WAITING] > half && h->wait_ns[WK_GC] > h->ns[ST_WAITING] / 2) {
        return "Its holders wait for the collector: allocate less, above all while holding the lock.";
    }
    if (h->ns[ST_WAITING] > half) {
        return HOLDER_WAITS;
    }
    if (holder_queues(tg, h)) {
        return "Its holders wait for a processor: the lock is not the bottleneck, the processors are.";
    }
    if (h->ns[ST_RUNNABLE] > half) {
        return "Most of the time it is held, its new holder is still waiting for a processor, though some are idle: "
               "take it less often (do more each time), or split it (shards, read locks).";
    }
    const bool waits = h->ns[ST_WAITING] > h->told / LITTLE, calls = h->ns[ST_SYSCALL] > h->told / LITTLE;
    if (h->ns[ST_RUNNING] > half || (!waits && !calls)) {
        return "Do less while holding the lock, or split it (shards, read locks).";
    }
    return waits && calls ? "Hold the lock more briefly: its holders run, wait and make system calls."
           : waits        ? "Hold the lock more briefly: its holders run, and wait."
                          : "Hold the lock more briefly: its holders run, and make system calls.";
}

#define PLACES_SAID 4

/* The other places that ask for it: " or main.(*store).get". */
static void places_text(struct text *t, const struct rules *rs, uint32_t lock)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < rs->tg->nholders; i++) {
        const struct holder_row *h = &rs->tg->holders[i];
        if (h->lock == lock && h->place != lock && n++ < PLACES_SAID) {
            text_say(t, rs->tr, " or ", t_func_cut(h->place, 60));
        }
    }
    text_add(t, "%s%s", n > PLACES_SAID ? " or others" : "",
             n ? " (the same lock: releasing it in one lets in a waiter in another; inferred)" : "");
}

static void convoy_text(struct text *t, const struct rules *rs, uint32_t lock, const struct holder_row *h,
                        const struct stretch *s)
{
    text_say(t, rs->tr, "Up to ", s->most, " goroutines at once waited for a lock in ", t_func_cut(lock, 60));
    places_text(t, rs, lock);
    text_say(t, rs->tr, "; at least ", (int)threshold(TH_CONVOY_WAITERS), " of them for ", t_dur(s->total),
             " in all (longest stretch ", t_dur(s->t1 - s->t0), ").");
    if (h && h->told > 0) {
        text_lit(t, " Held most likely by ");
        holder_text(t, rs->tr, h);
        text_lit(t, ". Meanwhile the holders were: ");
        holder_doing_text(t, rs->tg, h);
        text_lit(t, ".");
    }
}

struct hog {                 /* what became of those that a holder let in */
    uint64_t woken, in_vain; /* in_vain: at once they waited there again, and for the same one */
};

static struct hog hog_of(const struct triage *tg, uint32_t lock, uint32_t g)
{
    struct hog h = {0, 0};
    for (uint32_t i = 0; i < tg->nlock_waits; i++) {
        const struct lock_wait *w = &tg->lock_waits[tg->lock_order[i]];
        if (w->waker != g || w->lock != lock) {
            continue;
        }
        const struct lock_wait *next = i + 1 < tg->nlock_waits ? &tg->lock_waits[tg->lock_order[i + 1]] : NULL;
        h.woken++;
        h.in_vain +=
            next && next->g == w->g && next->lock == lock && next->waker == g && next->t0 - w->t1 < HOG_WITHIN;
    }
    return h;
}

static bool is_hog(const struct hog *h)
{
    return (double)h->in_vain >= threshold(TH_CONVOY_VAIN) &&
           threshold_reached(TH_CONVOY_VAIN_SHARE, (int64_t)h->in_vain, (int64_t)h->woken);
}

/* Did it let somebody in meanwhile? Then it had it several times. */
static bool held_in_one(const struct triage *tg, uint32_t lock, const struct moment *m)
{
    for (uint32_t i = 0; i < tg->nlock_waits; i++) {
        const struct lock_wait *w = &tg->lock_waits[i];
        if (w->waker == m->g && w->lock == lock && w->t1 > m->t0 + HOG_WITHIN / 100 &&
            w->t1 < m->t1 - HOG_WITHIN / 100) {
            return false;
        }
    }
    return true;
}

static void hog_text(struct text *t, const struct rules *rs, uint32_t g, const struct hog *h)
{
    text_say(t, rs->tr, " ", t_who(g), " releases it and takes it again at once: of ", h->woken,
             " waits that it ended ", h->in_vain, " were followed by another wait of that one for it within ",
             t_dur(HOG_WITHIN), ".");
}

/* Where the holder let go of the lock at the end of a holding, 0 unknown. */
static uint32_t let_go_stack(const struct triage *tg, uint32_t lock, const struct moment *m)
{
    for (uint32_t i = 0; i < tg->nlock_waits; i++) {
        const struct lock_wait *w = &tg->lock_waits[i];
        if (w->t1 == m->t1 && w->waker == m->g && w->lock == lock) {
            return w->waker_stack;
        }
    }
    return 0;
}

/*
 * A run that goes on behind the holding ends somewhere else, often in quite another function: of the lock only what comes before letting go
 * is told. And one that is longer than the runtime allows was not all running.
 */
static void held_running_text(struct text *t, const struct rules *rs, uint32_t lock, const struct moment *m,
                              struct chain_link *k)
{
    const int64_t from = k->t0 > m->t0 ? k->t0 : m->t0, to = k->t1 < m->t1 ? k->t1 : m->t1;
    const uint32_t let_go = k->t1 > m->t1 ? let_go_stack(rs->tg, lock, m) : 0;
    k->stack = let_go ? let_go : k->stack;
    chain_doing_text(t, rs->tr, k);
    if (trace_info(rs->tr)->version >= 1014 && to - from >= threshold_ns(TH_HOST_RUN)) {
        text_lit(t, ", for longer than the runtime lets a goroutine run: the host had taken its processor, or it "
                    "can't be stopped there (inferred)");
    }
}

/* The longest that it was held while somebody waited, and what went on then: a place to look at. */
static void convoy_example(struct text *t, const struct rules *rs, uint32_t lock, const struct holder_row *h)
{
    struct chain_link k;
    if (!h || h->longest.t1 <= h->longest.t0 || !held_in_one(rs->tg, lock, &h->longest)) {
        return;
    }
    chain_doing(rs->tr, h->longest.g, h->longest.t0, h->longest.t1, &k);
    if (k.state == ST_RUNNING &&
        stacks_has(rs->tr, let_go_stack(rs->tg, lock, &h->longest), "sync.(*RWMutex).RUnlock")) {
        return; /* the last of several readers: others had it before, and when this one took it no trace tells */
    }
    text_say(t, rs->tr, " The longest hold was ", t_dur(h->longest.t1 - h->longest.t0), ", by ", t_who(h->longest.g),
             " (@", t_dur(h->longest.t0), "), ");
    if (k.state == ST_RUNNING) {
        held_running_text(t, rs, lock, &h->longest, &k);
    } else {
        chain_doing_text(t, rs->tr, &k);
    }
    text_lit(t, ".");
}

/* Do all that wait for it want to write what it guards, though readers could share it? */
static bool all_write(const struct rules *rs, uint32_t lock)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < rs->tg->nlock_waits; i++) {
        const struct lock_wait *w = &rs->tg->lock_waits[i];
        if (w->lock == lock && !stacks_has(rs->tr, w->stack, "sync.(*RWMutex).Lock")) {
            return false;
        }
        n += w->lock == lock;
    }
    return n > 0;
}

void lock_readers(struct text *next, const struct rules *rs, uint32_t lock)
{
    if (all_write(rs, lock)) {
        text_lit(next, " It is a sync.RWMutex, and every waiter wants to write: goroutines that only read can use "
                       "RLock, in parallel with other readers.");
    }
}

/*
 * Does hardly any of those that are let in hold it for as long as the one they waited for? Either they need something else, and are kept for
 * nothing, or just what that one fetched, and go on with it: then it is one question for all. Which of these no trace tells.
 */
bool lock_one_for_all(const struct triage *tg, uint32_t lock, const struct holder_row *h)
{
    const int64_t mid = h->longest.t0 + (h->longest.t1 - h->longest.t0) / 2;
    int64_t longest = 0, all = 0, brief = 0;
    struct span s;
    if (h->wait_ns[WK_NET] <= h->told / 2 || h->longest.g >= tg->ng ||
        !trace_span_at(tg->tr, (struct lane){LANE_G, h->longest.g}, mid, &s) || s.state != ST_WAITING ||
        causes_writes(tg->tr, s.stack)) {
        return false; /* nothing is fetched */
    }
    uint32_t n = 0, as_long = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < tg->nlock_waits; i++) {
            const struct lock_wait *w = &tg->lock_waits[i];
            if (w->lock != lock || w->waker >= tg->ng) {
                continue;
            }
            const int64_t got = w->got == NO_LANE ? w->t0 : tg->lock_waits[w->got].t1;
            const int64_t ns = w->t1 - (got > w->elsewhere ? got : w->elsewhere);
            longest = ns > longest ? ns : longest;
            const bool is_long = ns >= longest / 4;
            n += pass;
            as_long += pass && is_long;
            all = pass ? ns_add(all, ns) : 0;
            brief = pass && !is_long ? ns_add(brief, ns) : brief;
        }
    }
    return n >= 8 && as_long * 3 <= n && brief <= all / 10;
}

static void convoy(struct rules *rs, uint32_t lock, const struct stretch *s)
{
    const struct lock_wait *w = &rs->tg->lock_waits[eldest_at(rs->tg, lock, s->t0, s->first)];
    struct holder_row sum;
    const struct holder_row *h = holder_of_lock(rs->tg, lock, &sum) ? &sum : NULL;
    struct draft d;
    draft_start(&d, RULE_CONVOY, s->total);
    draft_about(&d, rs, lock, w->stack);
    draft_at(&d, s->t0, s->t1, LANE_G, w->g);
    d.f.inferred = true;
    convoy_text(&d.text, rs, lock, h, s);
    const struct hog hog = h && h->g_ns > h->told / 2 ? hog_of(rs->tg, lock, h->g) : (struct hog){0, 0};
    convoy_example(&d.text, rs, lock, h);
    if (s->t1 - s->t0 == s->total && !threshold_reached(TH_CONVOY_ONCE, s->total, rs->tg->end)) {
        d.f.note = true; /* a beginning, one moment */
        text_lit(&d.text, " It happened once.");
    }
    if (stacks_once(rs->tr, w->stack)) {
        text_lit(&d.text, " It is a sync.Once: everyone waits until its first call has returned.");
        text_lit(&d.next, "Do that before anyone needs it (at startup), or make it faster: its steps may be able to "
                          "run in parallel.");
        draft_titled(rs, &d, "everyone waits for a sync.Once");
        return;
    }
    if (is_hog(&hog)) {
        hog_text(&d.text, rs, h->g, &hog);
        text_lit(&d.next, "Taking it again at once keeps out the goroutine just woken: do the long part outside the "
                          "lock, or let others go first. ");
    }
    d.f.at_device = h && h->ns[ST_SYSCALL] > h->told / 2 && keeps(rs->tg, h);
    text_add(&d.next, "%s", lock_advice(rs->tg, h));
    if (h && lock_one_for_all(rs->tg, lock, h)) {
        text_lit(&d.next,
                 " If those that wait need just what it fetches, it is one question for all: ask it earlier, "
                 "or make it quicker.");
    }
    lock_readers(&d.next, rs, lock);
    draft_end(rs, &d);
}

static void rule_convoy(struct rules *rs)
{
    const struct triage *tg = rs->tg;
    size_t n = 0;
    struct edge *e = mem_alloc(((size_t)tg->nlock_waits * 2 + 1) * sizeof *e);
    if (!e) {
        rs->failed = true;
        return;
    }
    const bool told = count_stuck(tg) >= threshold(TH_STUCK_COUNT); /* a convoy of them is the same once more */
    for (uint32_t i = 0; i < tg->nlock_waits; i++) {
        const struct lock_wait *w = &tg->lock_waits[i];
        if (told && is_stuck(tg, w)) {
            continue;
        }
        e[n++] = (struct edge){w->t0, w->lock, 1, i};
        e[n++] = (struct edge){w->t1, w->lock, -1, i};
    }
    if (n) {
        qsort(e, n, sizeof *e, cmp_edge);
    }
    for (size_t i = 0, j; i < n; i = j) {
        struct stretch s;
        for (j = i; j < n && e[j].lock == e[i].lock; j++) {
        }
        stretches(e + i, j - i, &s);
        if (s.total >= threshold_ns(TH_CONVOY_TOTAL) && threshold_reached(TH_CONVOY_SHARE, s.total, tg->end)) {
            convoy(rs, e[i].lock, &s);
        }
    }
    mem_free(e);
}

/* ---- blocked for good -------------------------------------------------------------------------------------- */

struct stuck_at {                   /* by place */
    uint32_t func, stack, n, outer; /* outer: a caller that takes a lock itself, 0: none */
};
enum { STUCK_PLACES = 16 };
struct stuck {
    struct stuck_at v[STUCK_PLACES];
    uint32_t places, n, who; /* who: the longest */
    int64_t longest;
};

/* A function further out in the stack in which others wait for a lock: who waits here may hold that one. */
static uint32_t outer_lock(const struct rules *rs, uint32_t stack, uint32_t place)
{
    const struct triage *tg = rs->tg;
    const uint32_t n = trace_stack(rs->tr, stack);
    bool beyond = false;
    for (uint32_t i = 0; i < n && i < 64; i++) {
        const uint32_t f = trace_frame(rs->tr, stack, i).func;
        for (uint32_t k = 0; beyond && f && f != place && k < tg->nlock_waits; k++) {
            if (tg->lock_waits[k].place == f) {
                return f;
            }
        }
        beyond |= f == place;
    }
    return 0;
}

static void stuck_add(const struct rules *rs, struct stuck *s, uint32_t i)
{
    const struct lock_wait *w = &rs->tg->lock_waits[i];
    uint32_t k = 0;
    s->n++;
    if (w->t1 - w->t0 > s->longest) {
        s->longest = w->t1 - w->t0;
        s->who = i;
    }
    while (k < s->places && (s->v[k].func != w->place || s->v[k].stack != w->stack)) {
        k++;
    }
    if (k == s->places && k < STUCK_PLACES) {
        s->v[s->places++] =
            (struct stuck_at){.func = w->place, .stack = w->stack, .outer = outer_lock(rs, w->stack, w->place)};
    }
    if (k < STUCK_PLACES) {
        s->v[k].n++;
    }
}

/* "sync.(*RWMutex).RLock in main.(*stock).count, called by main.(*stock).sum" */
static void stuck_where(struct text *t, const struct trace *tr, uint32_t stack)
{
    const uint32_t n = trace_stack(tr, stack), at = stacks_user_frame(tr, stack);
    const uint32_t func = trace_frame(tr, stack, at).func;
    uint32_t i = at + 1;
    text_where(t, tr, stack, 60);
    while (i < n &&
           (trace_frame(tr, stack, i).func == func || !stacks_is_program(tr, trace_frame(tr, stack, i).func))) {
        i++;
    }
    if (i < n) {
        text_say(t, tr, ", called by ", t_func_cut(trace_frame(tr, stack, i).func, 60));
    }
}

/* Do some want to read, and some to write, what the same type guards? */
static bool reads_and_writes(const struct rules *rs, const struct stuck *s)
{
    bool reads = false, writes = false;
    for (uint32_t k = 0; k < s->places; k++) {
        reads |= stacks_has(rs->tr, s->v[k].stack, "sync.(*RWMutex).RLock");
        writes |= stacks_has(rs->tr, s->v[k].stack, "sync.(*RWMutex).Lock");
    }
    return reads && writes;
}

/* Who waits where; and who takes a lock and calls what waits for one. */
static void stuck_text(struct draft *d, const struct rules *rs, const struct stuck *s)
{
    const struct lock_wait *w = &rs->tg->lock_waits[s->who];
    const struct stuck_at *nested = NULL;
    text_say(&d->text, rs->tr, s->n,
             " goroutines wait for a lock when the trace ends and were not woken, the longest for ",
             t_dur(s->longest), ": ", t_who(w->g), " at ");
    stuck_where(&d->text, rs->tr, w->stack);
    for (uint32_t k = 0, told = 0; k < s->places && told < 4; k++) {
        nested = !nested && s->v[k].outer ? &s->v[k] : nested;
        if (s->v[k].stack != w->stack) {
            text_add(&d->text, "; %u at ", s->v[k].n);
            stuck_where(&d->text, rs->tr, s->v[k].stack);
            told++;
        }
    }
    text_lit(&d->text, ".");
    if (nested) {
        text_say(&d->text, rs->tr, " ", t_func(nested->outer), " takes a lock itself and calls ",
                 t_func(nested->func),
                 ", which waits for one: if it is the same lock, it waits for itself (inferred; a second read lock "
                 "does so as soon as a writer waits in between).");
        draft_subject(d, rs, nested->outer);
        d->f.inferred = true;
    }
    text_add(&d->next, "%s",
             nested                    ? "Take the lock once: split off the part of the callee that expects it held."
             : reads_and_writes(rs, s) ? "Compare the stacks of the stuck goroutines (view 6): a read lock taken "
                                         "again by its holder (in a caller of the waiting function), with a writer "
                                         "in between; locks taken in different orders; or one never released."
                                       : "Compare the stacks of the stuck goroutines (view 6): locks taken in "
                                         "different orders, or one never released.");
}

static bool stays_stuck(const struct triage *tg, uint32_t g)
{
    for (uint32_t i = 0; i < tg->nlock_waits; i++) {
        if (tg->lock_waits[i].g == g && is_stuck(tg, &tg->lock_waits[i])) {
            return true;
        }
    }
    return false;
}

/* Is nobody left who waited or let go at that place, but stuck ones? Then they have what they wait for: each other's. */
static bool only_they(const struct triage *tg, uint32_t place)
{
    uint32_t looked = 0;
    for (uint32_t i = 0; i < tg->nlock_waits; i++) {
        const struct lock_wait *w = &tg->lock_waits[i];
        const uint32_t who[2] = {w->g, w->waker};
        for (int k = 0; k < 2 && w->place == place; k++) {
            if (who[k] == NO_LANE || trace_lane(tg->tr, (struct lane){LANE_G, who[k]}).ended) {
                continue;
            }
            if (++looked > 1000 || !stays_stuck(tg, who[k])) {
                return false;
            }
        }
    }
    return true;
}

static void rule_stuck(struct rules *rs)
{
    const struct triage *tg = rs->tg;
    struct stuck s = {0};
    struct draft d;
    for (uint32_t i = 0; i < tg->nlock_waits; i++) {
        if (is_stuck(tg, &tg->lock_waits[i])) {
            stuck_add(rs, &s, i);
        }
    }
    if (s.n == 0 || s.n < threshold(TH_STUCK_COUNT)) {
        return;
    }
    draft_start(&d, RULE_STUCK, s.longest);
    draft_at(&d, tg->lock_waits[s.who].t0, tg->end, LANE_G, tg->lock_waits[s.who].g);
    d.f.stack = tg->lock_waits[s.who].stack;
    draft_subject(&d, rs, holder_place(rs->tr, d.f.stack));
    text_add(&d.amount, "%u stuck", s.n);
    stuck_text(&d, rs, &s);
    if (only_they(tg, tg->lock_waits[s.who].place)) {
        text_lit(&d.text, " No other goroutine that ever waited or unlocked there is left: they wait for each other, "
                          "a deadlock, or who took it ended without releasing it (inferred).");
    }
    draft_end(rs, &d);
}

/* ---- system calls that others wait for --------------------------------------------------------------------- */

struct calls {
    struct rules *rs;
    struct tab seen; /* (goroutine, span): a call counts once, however many wait */
    const struct lock_wait *w;
    int64_t *overlap; /* by row of `seen` */
    size_t cap;
    uint32_t n;
    int64_t total, worst;
    uint32_t waker; /* the only one so far, NO_LANE: none */
    bool several;
    struct span worst_span;
    const struct lock_wait *worst_wait;
    uint64_t waits;
};

/* Does that call never wait? What the library reads, writes and accepts of the network is set so; such a call lasts where the host takes its thread. */
static bool never_waits(const struct trace *tr, uint32_t stack)
{
    return stacks_has(tr, stack, "net.(*netFD).Read") || stacks_has(tr, stack, "net.(*netFD).Write") ||
           stacks_has(tr, stack, "net.(*netFD).accept");
}

static bool call_span(void *arg, const struct span *s)
{
    struct calls *c = arg;
    int64_t a = s->t0 > c->w->t0 ? s->t0 : c->w->t0, z = s->t1 < c->w->t1 ? s->t1 : c->w->t1, *p;
    uint32_t i;
    if (s->state != ST_SYSCALL || z - a < threshold_ns(TH_CALL_LEAST) || never_waits(c->rs->tr, s->stack)) {
        return true;
    }
    i = tab_put(&c->seen, c->w->waker, s->index, c->n);
    if (i == TAB_NONE || !(p = mem_grow(c->overlap, &c->cap, (size_t)c->n + 1, sizeof *p))) {
        c->rs->failed = true;
        return false;
    }
    c->overlap = p;
    if (i == c->n) {
        p[c->n++] = 0;
    }
    c->waits++;
    c->several |= c->waker != NO_LANE && c->waker != c->w->waker;
    c->waker = c->w->waker;
    if (z - a > p[i]) {
        c->total = ns_add(c->total, z - a - p[i]);
        p[i] = z - a;
    }
    if (z - a > c->worst) {
        c->worst = z - a;
        c->worst_span = *s;
        c->worst_wait = c->w;
    }
    return true;
}

static void syscall_finding(struct rules *rs, const struct calls *c)
{
    struct chain_link link[CHAIN_MAX];
    uint32_t n = chain_follow(rs->tr, c->worst_wait->g, c->worst_wait->t0, link);
    struct draft d;
    draft_start(&d, RULE_SYSCALL, c->total);
    d.f.note = c->n < 3; /* once may be the host's or the disk's bad moment */
    draft_about(&d, rs, holder_place(rs->tr, c->worst_span.stack), c->worst_span.stack);
    draft_at(&d, c->worst_span.t0, c->worst_span.t1, LANE_G, c->worst_wait->waker);
    d.f.inferred = true;
    text_say(&d.text, rs->tr, c->n, " system call", c->n == 1 ? "" : "s", " of ", t_who(c->worst_wait->waker),
             c->several ? " and others" : "", " took ", t_dur(c->total),
             " while others waited for a lock that the caller then released (inferred); ", c->waits, " waits.");
    if (n > 1) {
        text_lit(&d.text, " The longest: ");
        chain_text(&d.text, rs->tr, link, n);
        text_lit(&d.text, ".");
    }
    text_lit(&d.next, "Do the call outside the lock, or hand it to a goroutine that nobody waits for.");
    draft_end(rs, &d);
}

static void rule_syscall(struct rules *rs)
{
    const struct triage *tg = rs->tg;
    struct calls c = {.rs = rs, .waker = NO_LANE};
    int64_t min = threshold_ns(TH_CALL_LEAST) > 0 ? threshold_ns(TH_CALL_LEAST) : 1;
    for (uint32_t i = 0; i < tg->nlock_waits && !rs->failed; i++) {
        c.w = &tg->lock_waits[i];
        if (c.w->waker != NO_LANE && c.w->t1 - c.w->t0 >= min) {
            trace_wide(rs->tr, (struct lane){LANE_G, c.w->waker},
                       &(struct wide_ask){c.w->t0, c.w->t1, min, call_span, &c, 1u << ST_SYSCALL});
        }
    }
    if (!rs->failed && c.worst_wait && c.total >= threshold_ns(TH_CALL_TOTAL) &&
        threshold_reached(TH_CALL_SHARE, c.total, tg->end)) {
        syscall_finding(rs, &c);
    }
    tab_free(&c.seen);
    mem_free(c.overlap);
}

static void rule_herd(struct rules *rs)
{
    const struct triage *tg = rs->tg;
    for (uint32_t i = 0; i < tg->nherds; i++) {
        const struct herd_row *h = &tg->herds[i];
        const struct pair_row *p = &tg->pairs[h->pair];
        struct draft d;
        if (h->bursts < threshold(TH_HERD_BURSTS) ||
            (double)h->futile < threshold(TH_HERD_FUTILE) * (double)h->wakes ||
            !threshold_reached(TH_HERD_SHARE, h->lost, tg->end)) {
            continue;
        }
        const int64_t each = h->lost / rules_procs(rs);
        draft_start(&d, RULE_HERD, each < h->clock ? each : h->clock);
        draft_about(&d, rs, holder_place(rs->tr, p->stack), p->stack);
        draft_moment(&d, &h->at);
        text_add(&d.amount, "%u woken", h->largest);
        text_say(&d.text, rs->tr, h->futile, " of ", h->wakes, " wake-ups at ", t_where(p->stack, 60),
                 " were for nothing (soon waiting there again), up to ", h->largest, " at once, by ",
                 t_func_cut(p->waker, 48), "; this took ", t_dur(h->ran), " of running in all, over ",
                 t_share((double)h->clock, (double)tg->end), " of the trace.");
        text_lit(&d.next,
                 "Give each kind of waiter its own condition (or channel), and wake only those that can continue. "
                 "Signal instead of Broadcast is enough only if any of them can take what there is.");
        draft_end(rs, &d);
    }
}

void rules_locks(struct rules *rs)
{
    rule_convoy(rs);
    rule_stuck(rs);
    rule_syscall(rs);
    rule_herd(rs);
}
