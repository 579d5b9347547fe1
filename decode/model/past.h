/*
 * past.h - goroutines that have ended, packed into a dozen bytes each.
 *
 * A server makes a goroutine per request. Most goroutines of a trace ended long ago, and their lanes (struct
 * spanlane, struct ginfo) are read now and then but never written again. Lanes are in order of appearance, so
 * neighbours end about the same time. When a group of PAST_GS neighbours has ended it is packed away: each value
 * becomes a column whose width is what the largest value needs above the smallest. New goroutines then use the
 * group's memory, which the processor has in its caches. No event should name a goroutine that has ended. If a file
 * has one all the same, fold_g_back() unpacks its group, for good.
 *
 * To read a goroutine that may be packed away, use fold_g_lane(), fold_g_info() and fold_g_FACT().
 */
#ifndef GOTOP_DECODE_PAST_H
#define GOTOP_DECODE_PAST_H

#include "decode/model/fold.h"

/* past_room - make room for `need` goroutines; new ones have no span. false: out of memory, f->oom is set. */
bool past_room(struct fold *f, size_t need);
/* past_ended - call when a goroutine's lane has ended: may pack its group away, and its lane with it. */
void past_ended(struct fold *f, uint32_t g);
/*
 * past_take_out - unpack a goroutine that is packed away, and its neighbours.
 * fold_g_back - do so if it is packed away. Both return false when out of memory, and set f->oom.
 */
bool past_take_out(struct fold *f, uint32_t g);

static inline bool fold_g_past(const struct fold *f, uint32_t g)
{
    return f->seg[g / PAST_GS].past;
}

static inline bool fold_g_back(struct fold *f, uint32_t g)
{
    return __builtin_expect(!fold_g_past(f, g), 1) || past_take_out(f, g);
}

/* The columns of a packed group: those a walk reads come first, blocks of spans last. */
enum past_value {
    PV_START,
    PV_LASTED,
    PV_PACKED,
    PV_NPACKED,
#define WALKED(ID, ...) PV_##ID, /* facts are stored as their difference from `none` */
#include "decode/model/facts.def"
    PAST_WALKED,
    PV_SEEN = PAST_WALKED,
#define ASKED(ID, ...) PV_##ID,
#include "decode/model/facts.def"
    PV_BLOCKS,
    PAST_COLUMNS
};
enum { PAST_BACKDATED = 1 << 16 }; /* in PV_FLAGS, besides GI_* */
uint64_t past_value(const struct past *p, enum past_value c, uint32_t g);
/*
 * past_lane, past_info - rebuild a goroutine's lane and info. The open span and SPECIAL_* are lost; nobody asks for
 * them.
 */
void past_lane(const struct past *p, uint32_t g, struct spanlane *out);
void past_info(const struct past *p, uint32_t g, struct ginfo *out);
/*
 * past_rows - unpack what a walk reads of all PAST_GS neighbours. false: some have blocks of spans; ask for each by
 * itself.
 * past_row - one of these values of goroutine g.
 */
struct past_rows {
    unsigned step[PAST_WALKED]; /* 0: the same value for all */
    uint64_t v[PAST_WALKED][PAST_GS];
    const struct columns
        *alike; /* columns with the spans of all of them (decode/model/alike.h); NULL: each has its own */
};
bool past_rows(const struct past *p, struct past_rows *out);
static inline uint64_t past_row(const struct past_rows *r, enum past_value c, uint32_t g)
{
    return r->v[c][g % PAST_GS * r->step[c]];
}
/*
 * past_few - length (ns) of the k-th span of n neighbours from g on. false: their spans are not stored together, or
 * they have fewer.
 */
bool past_few(const struct past *p, uint32_t g, uint32_t n, unsigned k, int64_t *ns);
bool past_one_creator(const struct past *p); /* do all have the same creator? */
bool past_workers(const struct past *p);     /* may any have GI_GCWORK? */
/* past_find - the last goroutine with this id among the packed ones, or NO_LANE. One step per group. */
uint32_t past_find(const struct fold *f, uint64_t id);
/* past_lives - first and last moment of each of n neighbours from g on, all in this group. */
void past_lives(const struct past *p, uint32_t g, uint32_t n, struct lifetime *out);

/*
 * past_compact - no more goroutines will be packed away: move the others together and free the rest. Out of memory:
 * nothing changes.
 */
void past_compact(struct fold *f);

/* fold_g_lane, fold_g_info - a goroutine's lane and info; `room` is filled in and returned if it is packed away. */
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

/* fold_g_id, fold_g_name, .. - a single fact, which is cheaper. */
#define KEPT(ID, field, type, none, ...) \
    static inline type fold_g_##field(const struct fold *f, uint32_t g) \
    { \
        return fold_g_past(f, g) ? (type)(past_value(f->seg[g / PAST_GS].past, PV_##ID, g) + none) \
                                 : fold_info_at(f, g)->field; \
    }
#include "decode/model/facts.def"

/* fold_g_workers - may one of the neighbours in g's group be a mark worker? */
static inline bool fold_g_workers(const struct fold *f, uint32_t g)
{
    return !fold_g_past(f, g) || past_workers(f->seg[g / PAST_GS].past);
}

/* past_trim - spans_trim() the lanes. past_free - free their blocks; the rest is freed with the fold's pool. */
void past_trim(struct past *p);
void past_free(struct past *p);
size_t past_bytes(const struct past *p); /* memory it takes by itself, for accounting */

#endif
