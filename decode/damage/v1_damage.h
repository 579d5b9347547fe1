/*
 * v1_damage.h - damage of the first family (the states: damage.h). Where batches and tables go on behind
 * bytes that make no sense; batches that are moved, doubled or of an impossible time; a batch that is missing
 * without a hole; and what the events that are lost leave unknown.
 *
 * v1_index.c asks the first three while it looks at the whole file, v1_emit.c the last one while it makes
 * events. All times are ticks in the first three, ns in the last.
 */
#ifndef GOTOP_DECODE_V1_DAMAGE_H
#define GOTOP_DECODE_V1_DAMAGE_H

#include "decode/v1/v1_emit.h"
#include "decode/v1/v1_index.h"

/*
 * v1_place.c - where in the file a batch, or tables, seem to begin. It can't be known for sure; what follows
 * shows whether it was one.
 */

#define V1_BATCH_BYTES 65536             /* what a writer's buffer holds */
#define V1_PLACE_P 4096                  /* processors there may be, where nothing tells */
#define V1_PLACE_MORE 4                  /* times what it was so far a program may set GOMAXPROCS to */
#define V1_NEAR_TICKS (INT64_C(1) << 32) /* a minute or more */

/* v1_place_work - the cost of having read the events from..to, and `last` behind them as far as it went: one
 * for each value, about. */
static inline uint64_t v1_place_work(const uint8_t *from, const uint8_t *to, const struct v1_raw *last)
{
    return (uint64_t)(to - from) + (last->type == V1_STACK ? 4 * (uint64_t)last->len : 1);
}

/* v1_place_next - the first offset in [off, end) at which a batch and a few events seem to begin; end: there
 * is none. */
uint64_t v1_place_next(const struct v1_index *ix, const struct source *s, uint64_t off, uint64_t end);
/* v1_place_table - behind `at`, where the tables seem to go on, by a stack and a few of what is in them; the
   file's end: nowhere. Asked again and again it looks at each byte once. */
uint64_t v1_place_table(struct v1_index *ix, const struct source *s, uint64_t at);
#define V1_TOO_LONG "a length beyond what follows it"
/* v1_place_behind - where to go on behind bytes at `at` that make no sense: the next of both, or the file's
 * end. */
uint64_t v1_place_behind(struct v1_index *ix, const struct source *s, uint64_t at);

/* v1_place_proc - can a batch have this processor number, if there are at most `limit`? (-1: a thread without
 * a P.) */
static inline bool v1_place_proc(uint64_t p, uint64_t limit)
{
    return p == UINT64_MAX || p < limit;
}

/*
 * v1_batches.c - batches that are not as they were written: moved, doubled, or with an impossible time
 *.
 */

/*
 * v1_batches_mend - once all batches were seen: leave out those with a time before the trace's begin or
 * behind its end, and put each processor's chain in order. Costs nothing if all are as they were written,
 * else one more pass over them. ERR_OK or ERR_NOMEM.
 */
enum err_code v1_batches_mend(struct v1_index *ix, struct source *s);

/*
 * v1_lack.c - what only the file as a whole tells
 *.
 */

/*
 * v1_lack - are events missing from a file that seems to be whole? Damage is noted then. Once the index is
 * done: behind the events, whose reader has met nearly all stacks, that costs little, before them a pass over
 * them.
 */
bool v1_lack(struct v1_index *ix, struct source *s);

/*
 * v1_lossy.c - what is not known because events are missing or contradict each other
 *
 * Where a P's chain of batches has a gap, nothing is known of the P and of what it ran until the chain goes
 * on. The lost events may have changed other goroutines, too: the next event of each shows whether they did,
 * by its sequence number and the state it needs. If so, what the goroutine did since it was last told of is
 * not recorded (EVK_LOST). If it has no further event, its state is unknown since the gap. Nothing is made
 * up.
 */
/* v1_lossy_g, v1_lossy_p - events of this goroutine (row), of this P (index) are missing: its state is
 * unknown since it was last told of. */
void v1_lossy_g(struct v1_emit *em, uint32_t g);
void v1_lossy_p(struct v1_emit *em, uint32_t p);
/* v1_lossy_gap - a P's events are missing from em->now to these ticks (UINT64_MAX: to the end). */
void v1_lossy_gap(struct v1_emit *em, uint32_t p, uint64_t until);
/*
 * v1_lossy_m_off - a thread (its lane) has no P from em->now on. v1_lossy_m_on - it has one again: if a P had
 * a gap meanwhile, it may have been the thread's. false: out of memory.
 */
bool v1_lossy_m_off(struct v1_emit *em, uint32_t m);
bool v1_lossy_m_on(struct v1_emit *em, uint32_t m);
/* v1_lossy_local - a goroutine's event without a number comes on a P that has had a gap: events between it
 * and the last one may be lost. */
void v1_lossy_local(struct v1_emit *em, uint32_t p, uint32_t g);
/* v1_lossy_rest - behind all events: those that have none since a gap are unknown. Writes as v1_emit_listed()
 * does; false: call it again. */
bool v1_lossy_rest(struct v1_emit *em, size_t cap);

#endif
