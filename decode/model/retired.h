/*
 * retired.h - goroutines that have ended, packed into a dozen bytes each.
 *
 * A server makes a goroutine per request. Most goroutines of a trace ended long ago, and their lanes (struct
 * spanlane, struct ginfo) are read now and then but never written again. Lanes are in order of appearance, so
 * neighbours end about the same time. When a group of RETIRED_GS neighbours has ended it is packed away: each
 * field becomes a column of (value - smallest), as wide as the largest of these needs. New goroutines then
 * use the group's memory, which the processor has in its caches. No event changes a goroutine that has
 * ended, whatever a broken file says of it (fold_g_over()).
 *
 * To read a goroutine that may be packed away, use fold_g_lane(), fold_g_info() and fold_g_FACT().
 */
#ifndef GOTOP_DECODE_RETIRED_H
#define GOTOP_DECODE_RETIRED_H

#include "decode/model/fold.h"

/* retired_room - make room for `need` goroutines; new ones have no span. false:
 * out of memory, f->oom is set. */
bool retired_room(struct fold *f, size_t need);
/* retired_ended - call when a goroutine's lane has ended. May pack its group away, including this lane. */
void retired_ended(struct fold *f, uint32_t g);
/*
 * fold_g_retired - whether it is packed away. Then it has no lane and no info of its own: fold_lane_at() and
 * fold_info_at() return those of some ended goroutine, which must not be written.
 * fold_g_over - whether it has ended, packed away or not.
 */
static inline bool fold_g_retired(const struct fold *f, uint32_t g)
{
    return f->seg[g / RETIRED_GS].retired;
}

static inline bool fold_g_over(const struct fold *f, uint32_t g)
{
    return fold_lane_at(f, g)->ended;
}

/* The columns of a packed group: those a walk reads come first, blocks of spans last. */
enum retired_value {
    PV_START,
    PV_LASTED,
    PV_PACKED,
    PV_NPACKED,
#define WALKED(ID, ...) PV_##ID, /* facts are stored as their difference from `none` */
#include "decode/model/facts.def"
    RETIRED_WALKED,
    RETIRED_WHO = PV_NPACKED + 1, /* from here on they tell who it is, before it of its spans */
    PV_SEEN = RETIRED_WALKED,
#define ASKED(ID, ...) PV_##ID,
#include "decode/model/facts.def"
    PV_BLOCKS,
    RETIRED_COLUMNS
};
enum { RETIRED_BACKDATED = 1 << 16 }; /* in PV_FLAGS, besides GI_* */
uint64_t retired_value(const struct retired *p, enum retired_value c, uint32_t g);
/* retired_lane, retired_info - rebuild a goroutine's lane and info. The open span and SPECIAL_* are lost;
 * no caller needs them. */
void retired_lane(const struct retired *p, uint32_t g, struct spanlane *out);
void retired_info(const struct retired *p, uint32_t g, struct ginfo *out);
/*
 * retired_rows - unpack the values that a walk reads, from `first` on, of all RETIRED_GS neighbours. false:
 * some have blocks of spans; read each by itself.
 * retired_row - one of these values of goroutine g.
 */
struct retired_rows {
    unsigned step[RETIRED_WALKED]; /* 0: the same value for all */
    uint64_t v[RETIRED_WALKED][RETIRED_GS];
};
bool retired_rows(const struct retired *p, enum retired_value first, struct retired_rows *out);
static inline uint64_t retired_row(const struct retired_rows *r, enum retired_value c, uint32_t g)
{
    return r->v[c][g % RETIRED_GS * r->step[c]];
}
/* retired_lives - first and last moment of each of n neighbours from g on, all in this group. */
void retired_lives(const struct retired *p, uint32_t g, uint32_t n, struct lifetime *out);

/* fold_g_lane, fold_g_info - return a goroutine's lane and info; if it is packed away `room` is filled in
 * and returned. */
static inline const struct spanlane *fold_g_lane(const struct fold *f, uint32_t g, struct spanlane *room)
{
    if (!fold_g_retired(f, g))
        return fold_lane_at(f, g);
    retired_lane(f->seg[g / RETIRED_GS].retired, g, room);
    return room;
}

static inline const struct ginfo *fold_g_info(const struct fold *f, uint32_t g, struct ginfo *room)
{
    if (!fold_g_retired(f, g))
        return fold_info_at(f, g);
    retired_info(f->seg[g / RETIRED_GS].retired, g, room);
    return room;
}

/* fold_g_id, fold_g_name, .. - return a single fact, which is cheaper. */
#define KEPT(ID, field, type, none, ...) \
    static inline type fold_g_##field(const struct fold *f, uint32_t g) \
    { \
        return fold_g_retired(f, g) \
                   ? (type)(retired_value(f->seg[g / RETIRED_GS].retired, PV_##ID, g) + none) \
                   : fold_info_at(f, g)->field; \
    }
#include "decode/model/facts.def"

/* fold_g_find - the last goroutine with this id, or NO_LANE. A step for each packed group and for each
 * goroutine that is not packed away. */
uint32_t fold_g_find(const struct fold *f, uint64_t id);

/*
 * retired_trim - spans_trim() the lanes.
 * retired_free - free their blocks; the rest is freed with the fold's pool.
 */
void retired_trim(struct retired *p);
void retired_free(struct retired *p);

#endif
