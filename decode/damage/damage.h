/*
 * damage.h - the folder for damaged traces. Start here.
 *
 * The readers in v1/ and v2/ put events in order by Go's own rules and note what contradicts them. This
 * folder handles the contradictions. Only an order is invented: what is unknown becomes EVK_LOST, from when
 * it was last known, and is shown as "not recorded". A trace without damage never comes here.
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
 *     +-------+  a number is missing: v2_lossy_suspect() looks if source.doubt   +------------------+
 *     | sound | ---------------------------------------------------------------> | lossy            |
 *     +-------+  the bytes, a status or the order tell it: become_lossy()        | (o->lossy: what  |
 *        ^                                                                       | is done then)    |
 *        |  it lacks nothing itself: v2_lossy_sound()                            +------------------+
 *        |                                                                         |  next generation
 *        |                                                                         v
 *        +---------------------------------------------- rough: lossy, and a status that contradicts
 *                                                        is no new loss
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
#ifndef GOTOP_DECODE_DAMAGE_H
#define GOTOP_DECODE_DAMAGE_H

#include <stdint.h>

/* How far the clocks of a host's processors may differ, ns; and a difference that they never reach. */
#define DAMAGE_SKEW_NS INT64_C(1000000)
#define DAMAGE_LATE_NS INT64_C(10000000)
/* How long before a generation's clock batch one of its threads may have started to write, ns. On a busy
 * host the thread that opens that batch may have to wait for a processor. The second value is for a
 * generation that can't be put in order. */
#define DAMAGE_EARLY_NS INT64_C(1000000000)
#define DAMAGE_EARLY_BAD_NS INT64_C(100000000)
/* How long an event waits for another whose time has passed, on a system with one clock. In complete traces
 * none waits a fifth of it. */
#define DAMAGE_WAIT_NS INT64_C(100000)

#endif
