/* retired.c - see retired.h. */
#include "decode/model/retired.h"

#include "decode/base/columns.h"
#include "decode/model/fold_priv.h"
#include "decode/base/mem.h"

enum { LANES = RETIRED_GS * sizeof(struct spanlane), PLACE = LANES + RETIRED_GS * sizeof(struct ginfo) };
_Static_assert(PLACE % SLABS_ALIGN == 0, "places stand side by side");
#define NEVER INT32_MIN /* gseg.over: never pack this group away */

struct retired {
    struct columns c;
};

inline uint64_t retired_value(const struct retired *p, enum retired_value c, uint32_t g)
{
    return columns_get(&p->c, RETIRED_COLUMNS, g % RETIRED_GS, c);
}

/* ---- packing groups away ------------------------------------------------------------------------------- */

/* Returns whether the columns can hold all that is known of it. */
static bool fits_columns(const struct spanlane *l, const struct ginfo *gi)
{
    bool none = true;
#define OPEN(ID, field, type, nothing, ...) none &= gi->field == nothing;
#include "decode/model/facts.def"
    return none && l->started && l->ended && (l->p & l->m) == EV_NONE && l->state == ST_NONE;
}

static void values(const struct spanlane *l, const struct ginfo *gi, uint64_t v[RETIRED_COLUMNS])
{
    v[PV_START] = (uint64_t)l->wait_t0;
    v[PV_LASTED] = (uint64_t)(l->t0 - l->wait_t0);
    v[PV_PACKED] = l->packed ? (uintptr_t)l->wait.packed : 0;
    v[PV_NPACKED] = spans_nwait(l);
#define KEPT(ID, field, type, none, ...) v[PV_##ID] = (uint64_t)(type)(gi->field - none);
#include "decode/model/facts.def"
    v[PV_FLAGS] |= l->backdated ? RETIRED_BACKDATED : 0;
    v[PV_SEEN] = (uint64_t)(gi->seen - spans_first(l));
    v[PV_BLOCKS] = (uintptr_t)l->blocks;
}

/* Pack a group, in the pool of spans. Returns NULL if out of memory. */
static struct retired *retired_make(struct fold *f, const struct gseg *s)
{
    uint64_t v[RETIRED_GS][RETIRED_COLUMNS];
    for (uint32_t i = 0; i < RETIRED_GS; i++)
        values(&s->lane[i], &s->info[i], v[i]);
    return (struct retired *)columns_make(v[0], RETIRED_GS, RETIRED_COLUMNS, pool_bytes, &f->pool);
}

/* ---- memory of groups ---------------------------------------------------------------------------------- */

/* Lanes for packed goroutines, because code that folds events looks at lanes without checking. They show
 * that nothing can happen, and are never written. */
static const struct spanlane gone[RETIRED_GS] = {
    [0 ... RETIRED_GS -
     1] = {.started = true, .ended = true, .p = EV_NONE, .m = EV_NONE, .special = SPECIAL_LANE}};
static const struct ginfo gone_info[RETIRED_GS];

static bool place_take(struct slabs *places, struct gseg *s)
{
    uint8_t *p = slabs_get(places, PLACE);
    if (!p)
        return false;
    s->lane = (struct spanlane *)(void *)p;
    s->info = (struct ginfo *)(void *)(p + LANES);
    return true;
}

bool retired_room(struct fold *f, size_t need)
{
    const size_t segs = (need + RETIRED_GS - 1) / RETIRED_GS;
    if (!fold_room(f, f->seg, f->capseg, segs))
        return false;
    for (; f->nseg < segs; f->nseg++) {
        f->seg[f->nseg] = (struct gseg){0};
        if (!mem_noted(&f->oom, place_take(&f->places, &f->seg[f->nseg])))
            return false;
    }
    for (; f->nlane[LANE_G] < need; f->nlane[LANE_G]++) {
        const uint32_t g = (uint32_t)f->nlane[LANE_G];
        *fold_lane_at(f, g) = (struct spanlane){.p = EV_NONE, .m = EV_NONE, .special = SPECIAL_LANE};
        *fold_info_at(f, g) = ginfo_new();
    }
    return true;
}

/* Pack a group away, all of whose goroutines have ended. */
static void put_away(struct fold *f, struct gseg *s)
{
    if (f->nobody_retires)
        return;
    if (any_of(i, RETIRED_GS, !fits_columns(&s->lane[i], &s->info[i])) || f->pool.oom ||
        !(s->retired = retired_make(f, s))) {
        s->over = NEVER;
        return;
    }
    slabs_put(&f->places, s->lane);
    s->lane = (struct spanlane *)(uintptr_t)gone;
    s->info = (struct ginfo *)(uintptr_t)gone_info;
}

void retired_ended(struct fold *f, uint32_t g)
{
    struct gseg *s = &f->seg[g / RETIRED_GS];
    spans_rest(&f->pool, &s->lane[g % RETIRED_GS]);
    if (++s->over == (int32_t)RETIRED_GS)
        put_away(f, s);
}

/* ---- reading ------------------------------------------------------------------------------------------- */

void retired_lane(const struct retired *p, uint32_t g, struct spanlane *out)
{
    int64_t start = (int64_t)retired_value(p, PV_START, g);
    uint8_t *packed = (uint8_t *)(uintptr_t)retired_value(p, PV_PACKED, g); /* NULL: no spans waited */
    *out = (struct spanlane){.t0 = start + (int64_t)retired_value(p, PV_LASTED, g),
                             .cap = (uint8_t)retired_value(p, PV_NPACKED, g),
                             .ended = true,
                             .packed = packed,
                             .backdated = retired_value(p, PV_FLAGS, g) & RETIRED_BACKDATED,
                             .started = true,
                             .wait.packed = packed,
                             .blocks = (struct spanblocks *)(uintptr_t)retired_value(p, PV_BLOCKS, g),
                             .wait_t0 = start,
                             .p = EV_NONE,
                             .m = EV_NONE};
}

/* Returns the start of its first span. */
static inline int64_t first_of(const struct retired *p, uint32_t g)
{
    const struct spanlane l = {.wait_t0 = (int64_t)retired_value(p, PV_START, g),
                               .blocks = (struct spanblocks *)(uintptr_t)retired_value(p, PV_BLOCKS, g)};
    return spans_first(&l);
}

void retired_info(const struct retired *p, uint32_t g, struct ginfo *out)
{
    *out = (struct ginfo){
        .seen = (int64_t)retired_value(p, PV_SEEN, g) + first_of(p, g),
#define OPEN(ID, field, type, none, ...) .field = none,
#define KEPT(ID, field, type, none, ...) .field = (type)(retired_value(p, PV_##ID, g) + none),
#include "decode/model/facts.def"
    };
}

static bool has_blocks(const struct retired *p)
{
    return p->c.col[PV_BLOCKS].width || p->c.col[PV_BLOCKS].least;
}

void retired_lives(const struct retired *p, uint32_t g, uint32_t n, struct lifetime *out)
{
    for (uint32_t i = 0; i < n; i++)
        out[i] = (struct lifetime){
            first_of(p, g + i),
            (int64_t)(retired_value(p, PV_START, g + i) + retired_value(p, PV_LASTED, g + i)), true, true};
}

bool retired_rows(const struct retired *p, enum retired_value first, struct retired_rows *out)
{
    if (has_blocks(p))
        return false;
    for (unsigned c = first; c < RETIRED_WALKED; c++)
        out->step[c] = columns_all(&p->c, RETIRED_COLUMNS, RETIRED_GS, c, out->v[c]);
    return true;
}

/* Returns whether one of the group may have this id. */
static bool may_have(const struct retired *p, uint64_t id)
{
    const struct column *ids = &p->c.col[PV_ID];
    return id >= ids->least && (ids->width == 8 || !((id - ids->least) >> 8 * ids->width));
}

uint32_t fold_g_find(const struct fold *f, uint64_t id)
{
    for (size_t i = f->nlane[LANE_G]; i-- > 0;) {
        const struct retired *p = f->seg[i / RETIRED_GS].retired;
        if (p && !may_have(p, id))
            i -= i % RETIRED_GS; /* to the next group */
        else if (fold_g_id(f, (uint32_t)i) == id)
            return (uint32_t)i;
    }
    return NO_LANE;
}

/* ---- blocks -------------------------------------------------------------------------------------------- */

static void each_lane(struct retired *p, void (*f)(struct spanlane *l))
{
    for (uint32_t i = 0; has_blocks(p) && i < RETIRED_GS; i++) {
        struct spanlane l;
        retired_lane(p, i, &l);
        f(&l);
    }
}

void retired_trim(struct retired *p)
{
    each_lane(p, spans_trim);
}

void retired_free(struct retired *p)
{
    if (p)
        each_lane(p, spans_free);
}
