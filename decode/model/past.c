/* past.c - see past.h. */
#include "decode/model/past.h"

#include <stdlib.h>
#include <string.h>

#include "decode/base/columns.h"
#include "decode/model/fold_priv.h"
#include "decode/base/mem.h"

enum value {
    ID,
    START,
    LASTED,
    PACKED,
    NPACKED,
    SEEN,
    NAME,
    CREATOR,
    CREATE_STACK,
    START_STACK,
    FLAGS,
    NO_P,
    BLOCKS,
    COLUMNS
};
enum { FLAG_BACKDATED = 1 << 8 }; /* beside GI_* */
enum { AHEAD = 8 };
#define NEVER INT32_MIN /* neighbours that are not put away (again) */

struct past {
    struct columns c;
};

static inline uint64_t column(const struct past *p, enum value c, uint32_t g)
{
    return columns_get(&p->c, COLUMNS, g % PAST_GS, c);
}

/* ---- putting away ----------------------------------------------------------------------------------------- */

/* false: there is more to it than the columns tell. */
static bool is_plain(const struct spanlane *l, const struct ginfo *gi)
{
    return l->begun && l->ended && (l->packed || !l->cap) && (l->p & l->m) == EV_NONE && l->state == ST_NONE &&
           !gi->assist && !gi->stw && !gi->region && gi->no_p_since == NO_TIME;
}

static void values(const struct spanlane *l, const struct ginfo *gi, uint64_t v[COLUMNS])
{
    v[ID] = gi->id;
    v[START] = (uint64_t)l->wait_t0;
    v[LASTED] = (uint64_t)(l->t0 - l->wait_t0);
    v[PACKED] = l->packed ? (uintptr_t)l->wait.packed : 0;
    v[NPACKED] = l->cap;
    v[SEEN] = (uint64_t)(gi->seen - spans_first(l));
    v[NAME] = gi->name;
    v[CREATOR] = (uint32_t)(gi->creator + 1); /* NO_LANE + 1 is 0 */
    v[CREATE_STACK] = gi->create_stack;
    v[START_STACK] = gi->start_stack;
    v[FLAGS] = gi->flags | (l->backdated ? FLAG_BACKDATED : 0);
    v[NO_P] = (uint64_t)gi->no_p;
    v[BLOCKS] = (uintptr_t)l->blocks;
}

/* NULL: it can't be, or out of memory. */
static struct past *past_make(const struct spanlane *l, const struct ginfo *gi)
{
    uint64_t v[PAST_GS][COLUMNS];
    for (uint32_t i = 0; i < PAST_GS; i++) {
        if (!is_plain(&l[i], &gi[i]))
            return NULL;
        values(&l[i], &gi[i], v[i]);
    }
    return (struct past *)columns_make(v[0], PAST_GS, COLUMNS);
}

static int by_number(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* Give back where those stood that were put away, runs of neighbours at once: each time costs a system call. */
static void give_back(struct fold *f)
{
    qsort(f->due, f->ndue, sizeof *f->due, by_number);
    for (size_t i = 0, n; i < f->ndue; i += n) {
        for (n = 1; i + n < f->ndue && f->due[i + n] == f->due[i] + n; n++) {
        }
        size_t first = (size_t)f->due[i] * PAST_GS, gs = n * PAST_GS;
        bool lanes = mem_hollow(f->lane[LANE_G], first * sizeof(struct spanlane), gs * sizeof(struct spanlane));
        bool infos = mem_hollow(f->g, first * sizeof *f->g, gs * sizeof *f->g);
        for (size_t k = 0; k < n; k++) {
            f->seg[f->due[i + k]].hollow_lanes = lanes;
            f->seg[f->due[i + k]].hollow_infos = infos;
        }
    }
    f->ndue = 0;
}

static void put_away(struct fold *f, uint32_t seg)
{
    size_t first = (size_t)seg * PAST_GS;
    struct gseg *s = &f->seg[seg];
    s->past = past_make(&f->lane[LANE_G][first], &f->g[first]);
    if (!s->past) {
        s->over = NEVER;
        return;
    }
    f->due[f->ndue++] = seg;
    if (f->ndue == PAST_DUE)
        give_back(f);
}

void past_ended(struct fold *f, uint32_t g)
{
    struct gseg *s = &f->seg[g / PAST_GS];
    if (++s->over == (int32_t)PAST_GS && f->nlane[LANE_G] >= f->past_from)
        put_away(f, g / PAST_GS);
}

void past_begin(struct fold *f)
{
    for (size_t i = 0; i < f->nlane[LANE_G] / PAST_GS; i++)
        if (f->seg[i].over == (int32_t)PAST_GS && !f->seg[i].past)
            put_away(f, (uint32_t)i);
}

void past_compact(struct fold *f)
{
    const size_t n = f->nlane[LANE_G], groups = (n + PAST_GS - 1) / PAST_GS;
    size_t left = 0;
    for (size_t i = 0; i < groups; i++) {
        struct gseg *s = &f->seg[i];
        if (s->over == (int32_t)PAST_GS && !s->past)
            s->past = past_make(&f->lane[LANE_G][i * PAST_GS], &f->g[i * PAST_GS]);
        left += !s->past;
    }
    struct spanlane *l = left ? mem_alloc(left * PAST_GS * sizeof *l) : NULL;
    struct ginfo *g = l ? mem_alloc(left * PAST_GS * sizeof *g) : NULL;
    if (left && !g) { /* they stay where they are */
        mem_free(l);
        return;
    }
    for (size_t i = 0, to = 0; i < groups; i++) {
        if (f->seg[i].past)
            continue;
        const size_t here = n - i * PAST_GS < PAST_GS ? n - i * PAST_GS : PAST_GS;
        memcpy(l + to, f->lane[LANE_G] + i * PAST_GS, here * sizeof *l);
        memcpy(g + to, f->g + i * PAST_GS, here * sizeof *g);
        f->seg[i].at = (uint32_t)to;
        to += PAST_GS;
    }
    mem_free(f->lane[LANE_G]);
    mem_free(f->g);
    f->lane[LANE_G] = l;
    f->g = g;
    f->caplane[LANE_G] = f->capg = left * PAST_GS;
    f->compact = true;
}

void past_take_out(struct fold *f, uint32_t g)
{
    struct gseg *s = &f->seg[g / PAST_GS];
    uint32_t first = g / PAST_GS * PAST_GS;
    give_back(f); /* none is due any more */
    if (s->hollow_lanes)
        mem_refill(f->lane[LANE_G], PAST_GS * sizeof(struct spanlane));
    if (s->hollow_infos)
        mem_refill(f->g, PAST_GS * sizeof *f->g);
    for (uint32_t i = first; i < first + PAST_GS; i++) {
        past_lane(s->past, i, &f->lane[LANE_G][i]);
        past_info(s->past, i, &f->g[i]);
        fold_special_g(f, i);
    }
    mem_free(s->past);
    *s = (struct gseg){.over = NEVER};
}

/* ---- reading ---------------------------------------------------------------------------------------------- */

void past_lane(const struct past *p, uint32_t g, struct spanlane *out)
{
    int64_t start = (int64_t)column(p, START, g);
    uint8_t *packed = (uint8_t *)(uintptr_t)column(p, PACKED, g); /* NULL: nothing waited */
    *out = (struct spanlane){.t0 = start + (int64_t)column(p, LASTED, g),
                             .cap = (uint8_t)column(p, NPACKED, g),
                             .ended = true,
                             .packed = packed,
                             .backdated = column(p, FLAGS, g) & FLAG_BACKDATED,
                             .begun = true,
                             .wait.packed = packed,
                             .blocks = (struct spanblocks *)(uintptr_t)column(p, BLOCKS, g),
                             .wait_t0 = start,
                             .p = EV_NONE,
                             .m = EV_NONE};
}

void past_ahead(const struct fold *f, uint32_t g)
{
    if (g < f->nlane[LANE_G] && fold_g_past(f, g)) {
        const char *p = (const char *)(uintptr_t)column(f->seg[g / PAST_GS].past, PACKED, g);
        __builtin_prefetch(p);
        __builtin_prefetch(p + 64);
    }
}

void past_info(const struct past *p, uint32_t g, struct ginfo *out)
{
    struct spanlane l = {.wait_t0 = (int64_t)column(p, START, g),
                         .blocks = (struct spanblocks *)(uintptr_t)column(p, BLOCKS, g)};
    *out = (struct ginfo){.id = column(p, ID, g),
                          .seen = (int64_t)column(p, SEEN, g) + spans_first(&l),
                          .no_p = (int64_t)column(p, NO_P, g),
                          .no_p_since = NO_TIME,
                          .name = (uint32_t)column(p, NAME, g),
                          .creator = (uint32_t)column(p, CREATOR, g) - 1,
                          .create_stack = (uint32_t)column(p, CREATE_STACK, g),
                          .start_stack = (uint32_t)column(p, START_STACK, g),
                          .flags = (uint8_t)column(p, FLAGS, g)};
}

static bool has_blocks(const struct past *p)
{
    return p->c.col[BLOCKS].width || p->c.col[BLOCKS].least;
}

void past_lives(const struct past *p, uint32_t g, uint32_t n, struct lifetime *out)
{
    for (uint32_t i = 0; i < n; i++) {
        int64_t start = (int64_t)column(p, START, g + i);
        out[i] = (struct lifetime){start, start + (int64_t)column(p, LASTED, g + i), true, true};
    }
    for (uint32_t i = 0; has_blocks(p) && i < n; i++) {
        struct spanlane l = {.wait_t0 = out[i].first,
                             .blocks = (struct spanblocks *)(uintptr_t)column(p, BLOCKS, g + i)};
        out[i].first = spans_first(&l);
    }
}

uint64_t past_id(const struct past *p, uint32_t g)
{
    return column(p, ID, g);
}

uint8_t past_flags(const struct past *p, uint32_t g)
{
    return (uint8_t)column(p, FLAGS, g);
}

bool past_workers(const struct past *p)
{
    const struct column *c = &p->c.col[FLAGS];
    return c->width || c->least & GI_GCWORK;
}

uint32_t past_name(const struct past *p, uint32_t g)
{
    return (uint32_t)column(p, NAME, g);
}

uint32_t past_find(const struct fold *f, uint64_t id)
{
    for (size_t i = f->nlane[LANE_G] / PAST_GS; i-- > 0;) {
        const struct past *p = f->seg[i].past;
        if (i >= AHEAD && f->seg[i - AHEAD].past)
            __builtin_prefetch(f->seg[i - AHEAD].past);
        if (!p)
            continue;
        const struct column *ids = &p->c.col[ID];
        if (id < ids->least || (ids->width < 8 && (id - ids->least) >> 8 * ids->width))
            continue;
        for (uint32_t g = PAST_GS; g-- > 0;)
            if (column(p, ID, g) == id)
                return (uint32_t)(i * PAST_GS + g);
    }
    return NO_LANE;
}

/* ---- blocks ----------------------------------------------------------------------------------------------- */

static void each_lane(struct past *p, void (*f)(struct spanlane *l))
{
    for (uint32_t i = 0; has_blocks(p) && i < PAST_GS; i++) {
        struct spanlane l;
        past_lane(p, i, &l);
        f(&l);
    }
}

void past_trim(struct past *p)
{
    each_lane(p, spans_trim);
}

void past_strip(struct past *p)
{
    each_lane(p, spans_free);
    p->c.col[BLOCKS].width = 0; /* the last column: nothing stands behind it */
    p->c.col[BLOCKS].least = 0;
}

size_t past_bytes(const struct past *p)
{
    return columns_bytes(&p->c, PAST_GS);
}

void past_free(struct past *p)
{
    if (p)
        past_strip(p);
    mem_free(p);
}
