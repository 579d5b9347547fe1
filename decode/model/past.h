/*
 * past.h - goroutines that are over, in a dozen bytes each.
 *
 * A server makes a goroutine per request; most of what a trace tells of are long over, and their lanes (struct
 * spanlane, struct ginfo) are read now and then but never written again. Lanes are given out in order of appearance, so
 * neighbours end about the same time. Once PAST_GS neighbours have all ended they are put away: each of their values
 * becomes a column of as many bytes as the largest of them needs above the smallest, and others take their place, which the
 * processor has at hand. Of a goroutine that is over no event is told. Should a file tell one all the same, its neighbours
 * are taken out again, and stay out: fold_g_back().
 *
 * Who reads the model asks fold_g_lane(), fold_g_info() and fold_g_id().
 */
#ifndef GOTOP_DECODE_PAST_H
#define GOTOP_DECODE_PAST_H

#include "decode/model/fold.h"

/* past_room - there are `need` goroutines, those that are new without a span. false: out of memory, which f knows. */
bool past_room(struct fold *f, size_t need);
/* past_ended - the lane of a goroutine has ended: it, and its neighbours, may be put away now. */
void past_ended(struct fold *f, uint32_t g);
/* past_take_out - bring back a goroutine that was put away, and its neighbours. fold_g_back - if it was. false: as past_room(). */
bool past_take_out(struct fold *f, uint32_t g);

static inline bool fold_g_past(const struct fold *f, uint32_t g)
{
    return f->seg[g / PAST_GS].past;
}

static inline bool fold_g_back(struct fold *f, uint32_t g)
{
    return __builtin_expect(!fold_g_past(f, g), 1) || past_take_out(f, g);
}

/* Of one that was put away; what a walk asks for comes first, blocks of spans last. */
enum past_value {
    PV_START,
    PV_LASTED,
    PV_PACKED,
    PV_NPACKED,
#define WALKED(ID, ...) PV_##ID, /* facts: above their none */
#include "decode/model/facts.def"
    PAST_WALKED,
    PV_SEEN = PAST_WALKED,
#define ASKED(ID, ...) PV_##ID,
#include "decode/model/facts.def"
    PV_BLOCKS,
    PAST_COLUMNS
};
enum { PAST_BACKDATED = 1 << 16 }; /* of PV_FLAGS, beside GI_* */
uint64_t past_value(const struct past *p, enum past_value c, uint32_t g);
/* past_lane, past_info - all of it, as it was (its open span and SPECIAL_*, which nobody asks for, are not known). */
void past_lane(const struct past *p, uint32_t g, struct spanlane *out);
void past_info(const struct past *p, uint32_t g, struct ginfo *out);
/*
 * past_rows - what a walk asks of all PAST_GS neighbours, read at once. false: they have blocks of spans, too, and each is to be asked
 * for by itself. past_row - one of these values of one of them.
 */
struct past_rows {
    unsigned step[PAST_WALKED]; /* 0: all are alike */
    uint64_t v[PAST_WALKED][PAST_GS];
    const struct columns
        *alike; /* where the spans of all of them are (decode/model/alike.h); NULL: each has its own */
};
bool past_rows(const struct past *p, struct past_rows *out);
static inline uint64_t past_row(const struct past_rows *r, enum past_value c, uint32_t g)
{
    return r->v[c][g % PAST_GS * r->step[c]];
}
/* past_few - how long the k-th span of n neighbours from g on lasted. false: their spans don't stand together (decode/model/alike.h). */
bool past_few(const struct past *p, uint32_t g, uint32_t n, unsigned k, int64_t *ns);
bool past_one_creator(const struct past *p); /* have all of them the same? */
bool past_workers(const struct past *p);     /* may any of them have GI_GCWORK? */
/* past_find - the last goroutine with an id among those that were put away, or NO_LANE. A step for each PAST_GS of them. */
uint32_t past_find(const struct fold *f, uint64_t id);
/* past_lives - when each of n neighbours from g on lived: first and last moment. All n are of this struct past. */
void past_lives(const struct past *p, uint32_t g, uint32_t n, struct lifetime *out);

/* past_compact - no more will be put away: those that weren't close ranks. */
void past_compact(struct fold *f);

/* fold_g_lane, fold_g_info - a goroutine's lane and what else is known of it; room: where to make it up, if it was put away. */
static inline const struct spanlane *fold_g_lane(const struct fold *f, uint32_t g, struct spanlane *room)
{
    if (!fold_g_past(f, g))
        return fold_lane_at(f, g);
    past_lane(f->seg[g / PAST_GS].past, g, room);
    return room;
}

static inline const struct ginfo *fold_g_info(const struct fold *f, uint32_t g, struct ginfo *room)
{
    if (!fold_g_past(f, g))
        return fold_info_at(f, g);
    past_info(f->seg[g / PAST_GS].past, g, room);
    return room;
}

/* fold_g_id, fold_g_name, .. - one of these facts, for less. */
#define KEPT(ID, field, type, none, ...) \
    static inline type fold_g_##field(const struct fold *f, uint32_t g) \
    { \
        return fold_g_past(f, g) ? (type)(past_value(f->seg[g / PAST_GS].past, PV_##ID, g) + none) \
                                 : fold_info_at(f, g)->field; \
    }
#include "decode/model/facts.def"

/* fold_g_workers - may any of the PAST_GS neighbours of g be a mark worker? */
static inline bool fold_g_workers(const struct fold *f, uint32_t g)
{
    return !fold_g_past(f, g) || past_workers(f->seg[g / PAST_GS].past);
}

/* Blocks of lanes that were put away: past_trim - spans_trim() each. past_free - they are freed; the rest goes with the fold's pool. */
void past_trim(struct past *p);
void past_free(struct past *p);
size_t past_bytes(const struct past *p); /* what it takes by itself, for who counts */

#endif
