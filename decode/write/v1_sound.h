/*
 * v1_sound.h - does Go's reader of the first family take an event behind those before it? That a goroutine is
 * in the state which the event needs, on the processor where it happened; that ranges don't begin twice, nor
 * end that didn't begin.
 *
 * Use: v1_sound_init(), then v1_sound_next() with each event in the final order (v1_merge_next(),
 * v1_order.strict), from the trace's first one on. What it refuses no slice may hold, nor anything behind it.
 */
#ifndef GOTOP_DECODE_V1_SOUND_H
#define GOTOP_DECODE_V1_SOUND_H

#include "decode/base/idmap.h"
#include "decode/v1/v1_order.h"

struct v1_sound {
    const struct v1_order *o;
    struct v1_sound_g { /* by row of v1_decoder.g */
        uint8_t state;
        bool assist;
        bool back; /* its system call has ended; the event that says so is to come where it was written */
        uint32_t region; /* its innermost open one, index + 1 */
    } * g;
    struct v1_sound_p { /* by processor; one more for events of none */
        bool on, stw, sweep;
        uint32_t g;
    } * p;
    struct v1_sound_region {
        uint64_t task, name;
        uint32_t below;
    } * region;
    size_t capg, nregion, capregion;
    bool gc, stw;
    struct idmap tasks;   /* those that are open */
    struct idmap sampled; /* ids of goroutines of which there was a CPU sample, and nothing before it */
    bool oom;
};

/* v1_sound_init - o must outlive it. false: out of memory; v1_sound_free() it all the same. */
bool v1_sound_init(struct v1_sound *s, const struct v1_order *o);
/* v1_sound_next - NULL: it is taken (or s->oom). Else why not. r: its values. */
const char *v1_sound_next(struct v1_sound *s, const struct v1_ev *e, const struct v1_raw *r);
void v1_sound_free(struct v1_sound *s);

#endif
