/*
 * v2_damage.h - the folder for damaged traces. Start here.
 *
 * The readers in v1/ and v2/ put events in order by Go's own rules and note what contradicts them. This
 * folder handles the contradictions. Nothing but the order is invented: what is unknown becomes EVK_LOST,
 * from when it was last known, and is shown as "not recorded". A trace without damage never comes here.
 *
 *  The second family: the states of a trace, and of each of its generations
 *
 *     each by itself, on any thread (model/segment.c)
 *        |
 *        |  a batch that can't be read, a generation cut short, an order that nothing makes possible
 *        v
 *     read as one, by one thread (v2_source.c), from the trace's start
 *        |
 *        v
 *     +-------+                                                                  +------------------+
 *     | sound | ---------------------------------------------------------------> | lossy            |
 *     +-------+  the bytes, a status or the order tell it: become_lossy()        | (o->lossy: what  |
 *        ^                                                                       | is done then)    |
 *        |  it lacks nothing itself: v2_lossy_sound()                            +------------------+
 *        |                                                                         |  next generation
 *        |                                                                         v
 *        +---------------------------------------------- rough: lossy, as statuses may contradict
 *                                                        what is known
 *
 *  Of a lossy generation: an event that can't come yet, or contradicts what is known
 *
 *     what it waits for is there (v2_step.c) --------------------> it waits, v2_order.patience at most
 *     what it waits for was lost (v2_lossy_gaps.c) --------------> a gap, and it comes
 *     nothing makes it possible ---------------------------------> it is left out
 *
 *  The state of a goroutine, a P or a thread, in both families
 *
 *              its number jumps; its thread's events end;
 *              after all events, a hole is later than its state (v2_hole())
 *     known ------------------------------------------------------> unknown
 *       ^                                                             |  v2_blank.c: later generations
 *       |         an event or a status that names it                  |  no longer look at it
 *       +-------------------------------------------------------------+
 *
 *  The first family has no generations: v1_damage.h. A gap in a P's batches makes the P and what it runs
 *  unknown; the next event of each goroutine shows whether it did something meanwhile.
 *
 *     v2_batches   which batches are wrong; where the next one begins       v1_place, v1_batches
 *     v2_lossy*    the slow path: looking ahead, gaps, what is unknown      v1_lossy
 *     v2_step      which numbers exist, and what an event waits for
 *     v2_blank     what is entirely unknown
 */
#ifndef GOTOP_DECODE_V2_DAMAGE_H
#define GOTOP_DECODE_V2_DAMAGE_H

#include "decode/v2/v2_raw.h"
#include "decode/v2/v2_state.h"

/* The clocks of a host's processors may differ by so many ns. */
#define DAMAGE_SKEW_NS INT64_C(1000000)
/* They never differ by so much. */
#define DAMAGE_LATE_NS INT64_C(10000000)
/* How long before a generation's clock batch one of its threads may have started to write, ns. On a busy
 * host the thread that opens that batch may have to wait for a processor. */
#define DAMAGE_EARLY_NS INT64_C(1000000000)
/* The same for a generation that can't be put in order. */
#define DAMAGE_EARLY_BAD_NS INT64_C(100000000)
/* How long an event waits for another whose time has passed, on a system with one clock. In complete traces
 * none waits a fifth of it. */
#define DAMAGE_WAIT_NS INT64_C(100000)

/*
 * ---- v2_batches.c: where the next batch begins after broken bytes, and which have a time outside of their
 * generation. One that is left out is reported as damage and leaves a hole (v2_gen.hole): what its thread
 * did meanwhile is not recorded.
 */

/* v2_resync - Returns the next place from `from` on where a batch of generation `number` or number + 1 (0:
 * of any) seems to begin (v2_raw_likely()), at a time not far from `near` (0: any), and is followed by a
 * batch, an end mark or the end of the file. NULL: none. */
const uint8_t *v2_resync(const struct source *s, const uint8_t *from, uint64_t number, uint64_t near);
/* v2_hole_note - Note that batches were lost or left out at this file offset; known: those of thread m. */
void v2_hole_note(struct v2_gen *g, size_t off, uint64_t m, bool known);
/* v2_batches_time - Called with each batch of any kind; updates v2_gen.min_time and first. */
void v2_batches_time(struct v2_gen *g, const struct v2_raw_batch *b, size_t off);
/* v2_batches_bounds - Called with each batch of tables or of the clock; updates v2_gen.lo and hi. */
void v2_batches_bounds(struct v2_gen *g, const struct v2_raw_batch *b);
/* v2_batches_latest - Returns a time (ns) that is later than all events of the generation. SOURCE_TIME_MAX:
 * unknown. */
int64_t v2_batches_latest(const struct v2_gen *g);
/* v2_batches_skew_ns - Returns how far the clocks of its processors may differ: less where the system has
 * one clock for all. */
static inline int64_t v2_batches_skew_ns(const struct v2_gen *g)
{
    return g->freq == V2_ASSUMED_HZ ? DAMAGE_SKEW_NS : DAMAGE_LATE_NS;
}
/* v2_batches_check - Called when all batches are known: leave out the wrong ones. */
void v2_batches_check(struct source *s, struct v2_gen *g);

/*
 * ---- v2_blank.c: which goroutines, Ps and threads are entirely unknown. Where events are missing, each
 * generation walks over all of a kind. Once many were lost or have ended, those walks would find nothing. So
 * each block of V2_GS has a flag: whether it has anything to look at.
 */

/* v2_look - Walk over all goroutines, Ps or threads from number *i on, except blank ones; over ended
 * goroutines only if others of their V2_GS have not ended. Stops when o->nout reaches `room`; the next call
 * continues. *i: how far it has come. */
struct v2_look {
    enum v2_kind { V2_ALL_G, V2_ALL_P, V2_ALL_M } of;
    enum v2_pass {
        V2_BLANK = 1, /* each is unknown or has ended; a thread: has nothing */
        V2_BLANKED,   /* threads: and an event says so of each */
        V2_NONE_BLANK /* none is skipped as blank */
    } pass;
    size_t room;
    void (*at)(struct v2_order *o, uint32_t i); /* handles one of them */
};
void v2_look(struct v2_order *o, const struct v2_look *k, size_t *i);

/*
 * ---- v2_step.c: events as steps: the numbered events of a goroutine, of a P or of the GC, and their
 * statuses (column `after` of events_v2.def). If events of a generation may be missing, all its steps are
 * noted beforehand (v2_loss.has), to know whether what an event waits for will come.
 */

#define V2_NO_P UINT64_MAX

enum v2_step_of { V2_STEP_NONE, V2_STEP_G, V2_STEP_P, V2_STEP_GC, V2_STEP_G_TOLD, V2_STEP_P_TOLD };
struct v2_step {
    enum v2_step_of of;
    int8_t seq; /* index of the argument with the number, -1: it has none */
    uint64_t id;
};
/* v2_step - Returns which step an event is. *p: the P of its thread, or V2_NO_P; set to what the thread has
 * after the event. */
struct v2_step v2_step(uint8_t type, const uint64_t *arg, uint64_t *p);
/* v2_steps_event - Note the step of an event. Returns false if out of memory. v2_steps_drop - Forget it.
 * v2_steps_free - Forget all. */
bool v2_steps_event(struct v2_order *o, uint8_t type, const uint64_t *arg, uint64_t *p);
void v2_steps_drop(struct v2_order *o, uint8_t type, const uint64_t *arg, uint64_t *p);
void v2_steps_free(struct v2_order *o);
/* v2_steps_has - Whether that step was noted. For a status (.._TOLD): any of this id; seq is ignored. */
bool v2_steps_has(const struct v2_order *o, enum v2_step_of of, uint64_t id, uint64_t seq);
/* v2_steps_lost - Whether that step is missing: it was not noted, and there are later ones, or the last
 * events of threads may be missing. */
bool v2_steps_lost(const struct v2_order *o, enum v2_step_of of, uint64_t id, uint64_t seq);

/* v2_lack_of - Returns whether what the cursor's event waits for will come, was lost, or has happened
 * already (V2_STALE). */
enum v2_lack { V2_TO_COME, V2_GONE, V2_STALE };
enum v2_lack v2_lack_of(const struct v2_order *o, const struct v2_cursor *c);

/* v2_has_more - Whether the thread has further events. */
bool v2_has_more(const struct v2_order *o, uint32_t m);

/* v2_p_of - Returns the id of the P that a thread has, or V2_NO_P. */
static inline uint64_t v2_p_of(const struct v2_order *o, uint32_t m)
{
    return m < o->nm && o->m[m].p != EV_NONE ? o->p[o->m[m].p].id : V2_NO_P;
}

/*
 * ---- v2_lossy.c: ordering a generation of which events were lost: because the program was killed before
 * its threads had written all, or because a part of the file is missing.
 *
 * An event whose predecessor is in the file waits for it, as always. An event whose predecessor was lost
 * comes at its time, and what the goroutine or P did since the last event that names it becomes a gap
 * (EVK_LOST: not recorded). When a thread's events end, what it ran is unknown from then on; at the end so
 * is all that the lost events may have changed.
 */

/*
 * What the order calls in such a generation (v2_order.lossy). Each may add events to o->out.
 *
 * v2_lossy_begin - Note which steps the generation has, and when events of it may be missing; called before
 * its first event. Returns false if out of memory (o->oom).
 *
 * v2_lossy_due - Add what comes before the first event, a few at each call, until loss.started is set.
 * v2_lossy_rest - Add what comes after all events. Returns false if there is nothing more.
 *
 * v2_lossy_before - Called before the cursor's event is tried. Returns true if the state has changed: then
 * look for the earliest event once more.
 *
 * v2_lossy_lacks - Called when v2_adv() returned `a` for the cursor's event. Returns ADV_WAIT if the event
 * it waits for will come. Else the event was carried out or left out. force: no other event can come, so it
 * must not return ADV_WAIT.
 *
 * v2_lossy_after - Called after the cursor's event; its events are o->out[at] and following. v2_lossy_over
 * - Called when the thread has no more events after `since`.
 */
bool v2_lossy_begin(struct v2_order *o);
void v2_lossy_due(struct v2_order *o);
bool v2_lossy_rest(struct v2_order *o);
bool v2_lossy_before(struct v2_order *o, struct v2_cursor *c);
enum adv v2_lossy_lacks(struct v2_order *o, struct v2_cursor *c, enum adv a, bool force);
void v2_lossy_after(struct v2_order *o, const struct v2_cursor *c, size_t at);
void v2_lossy_over(struct v2_order *o, uint32_t thread, int64_t since);
/* v2_lossy_sound - As far as is known, this generation lacks nothing itself; the one before it may. */
bool v2_lossy_sound(const struct v2_order *o);
/* v2_lossy_report - Report as damage what was missing, once the generation is done. */
void v2_lossy_report(struct v2_order *o);

/* ---- shared by its parts ------------------------------------------------------------------------------ */

enum { V2_CLOSE_NS = 100000 }; /* a batch always takes more time than this to write */

/* v2_hole - Note that events may be missing between these times. If there are too many such holes, some
 * become one. */
void v2_hole(struct v2_order *o, int64_t from, int64_t to);

/*
 * v2_lost - Make what g or p did (EV_NONE: neither, then the GC) unknown from `since` on, or
 * since the last event that names it if that is later. Returns the event that says so. All times are
 * absolute.
 *
 * v2_lost_m - The same for a thread: as far as is known it has neither P nor goroutine.
 */
struct ev *v2_lost(struct v2_order *o, uint32_t g, uint32_t p, int64_t since);
void v2_lost_m(struct v2_order *o, uint32_t m, int64_t since);
/* v2_unsure - Count that the state of something is unknown from `since` on. v2_gap_from - Also count this
 * as a gap. */
void v2_unsure(struct v2_order *o, int64_t since);
void v2_gap_from(struct v2_order *o, int64_t since);
/* v2_lose_g - Make the goroutine that a thread runs unknown from now on. v2_lose_p - The same for its P. */
void v2_lose_g(struct v2_order *o, struct v2_m *m, int64_t since);
void v2_lose_p(struct v2_order *o, struct v2_m *m, int64_t since);
/* v2_g_gap, v2_p_gap - Make it unknown since the last event that names it, until the cursor's, and set its
 * next status. v2_g_gap returns the event that says so; NULL: nothing was known of it. */
struct ev *v2_g_gap(struct v2_order *o, const struct v2_cursor *c, uint32_t g, uint8_t next);
void v2_p_gap(struct v2_order *o, const struct v2_cursor *c, uint32_t p, uint8_t next);

/* v2_lossy_mend_wait - Make the cursor's event possible although what it waits for was lost.
 * v2_lossy_mend_bad - The same although it contradicts the known state. They return false if they can't. */
bool v2_lossy_mend_wait(struct v2_order *o, const struct v2_cursor *c);
bool v2_lossy_mend_bad(struct v2_order *o, const struct v2_cursor *c);

#endif
