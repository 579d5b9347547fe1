/*
 * v1_damage.h - damage of the first family (the states: v2_damage.h): where batches and tables continue after
 * bytes that make no sense; batches that are moved, duplicated or have an impossible time; and what the lost
 * events leave unknown.
 *
 * v1_index.c uses the first two while it reads the whole file, v1_emit.c the last one while it makes
 * events. Times are ticks in the first two, ns in the last.
 */
#ifndef GOTOP_DECODE_V1_DAMAGE_H
#define GOTOP_DECODE_V1_DAMAGE_H

#include "decode/v1/v1_emit.h"
#include "decode/v1/v1_index.h"

/* v1_place.c - where in the file a batch, or tables, seem to begin. It can't be certain; what follows shows
 * whether it was right. */

#define V1_BATCH_BYTES 65536             /* the size of a writer's buffer */
#define V1_PLACE_P 4096                  /* most processors, if the file doesn't say */
#define V1_PLACE_MORE 4                  /* the factor by which a program may raise GOMAXPROCS */
#define V1_NEAR_TICKS (INT64_C(1) << 32) /* a minute or more */

/* v1_place_table - Returns where the tables seem to continue after `at`: at a stack and a few more entries;
 * or the file's end. Repeated calls read each byte once. */
uint64_t v1_place_table(struct v1_index *ix, const struct source *s, uint64_t at);
#define V1_TOO_LONG "a length beyond what follows it"
/* v1_place_behind - Returns where to continue after bytes at `at` that make no sense: at the next batch or
 * table, or the file's end. */
uint64_t v1_place_behind(struct v1_index *ix, const struct source *s, uint64_t at);

/* v1_place_proc - Whether a batch can have this processor number, if there are at most `limit` processors.
 * (-1: a thread without a P.) */
static inline bool v1_place_proc(uint64_t p, uint64_t limit)
{
    return p == UINT64_MAX || p < limit;
}

/* v1_batches.c - batches that are not as they were written: moved, duplicated, or with an impossible time. */

/* v1_batches_mend - Call when all batches are known. Leave out those with a time before the trace's start
 * or after its end, and put each processor's chain in order. Costs nothing if all are as they were written,
 * else one more pass over them. Returns ERR_OK or ERR_NOMEM. */
enum err_code v1_batches_mend(struct v1_index *ix, struct source *s);

/*
 * v1_lossy.c - what is unknown because events are missing or contradict each other
 *
 * Where a P's chain of batches has a gap, the P and what it ran are unknown until the chain continues. The
 * lost events may have changed other goroutines too: the next event of each shows whether they did, by its
 * sequence number and the state it needs. If so, what the goroutine did since the last event that names it
 * is not recorded (EVK_LOST). If it has no further event, its state is unknown since the gap. Nothing is
 * invented.
 */
/* v1_lossy_g, v1_lossy_p - Note that events of a goroutine (row), of a P (index) are missing: its state is
 * unknown since the last event that names it. */
void v1_lossy_g(struct v1_emit *em, uint32_t g);
void v1_lossy_p(struct v1_emit *em, uint32_t p);
/* v1_lossy_gap - Note that a P's events are missing from em->now to these ticks (UINT64_MAX: to the end). */
void v1_lossy_gap(struct v1_emit *em, uint32_t p, uint64_t until);
/* v1_lossy_m_off - Note that a thread (its lane) has no P from em->now on. v1_lossy_m_on - Note that it has
 * a P once more: if a P had a gap meanwhile, that P may have been the thread's. Returns false if out of
 * memory. */
bool v1_lossy_m_off(struct v1_emit *em, uint32_t m);
bool v1_lossy_m_on(struct v1_emit *em, uint32_t m);
/* v1_lossy_local - Call for a goroutine's event without a number on a P that has had a gap: events between
 * it and the last one may be lost. */
void v1_lossy_local(struct v1_emit *em, uint32_t p, uint32_t g);
/* v1_lossy_rest - After all events, make those unknown that have had no event since a gap. Writes like
 * v1_emit_listed(). Returns false to be called once more. */
bool v1_lossy_rest(struct v1_emit *em, size_t cap);

#endif
