/*
 * fold_life.c - see fold.h: initialises, completes and frees a fold.
 */
#include "decode/model/fold_priv.h"

#include <string.h>

#include "decode/base/mem.h"
#include "decode/model/retired.h"

enum err_code fold_init(struct fold *f, const struct names *names)
{
    memset(f, 0, sizeof *f);
    f->names = names;
    if (pool_init(&f->pool))
        return ERR_NOMEM;
    for (unsigned s = 0; s < ST_COUNT; s++)
        f->tag[s] = f->recent[s][0].tag = pool_tag(&f->pool, (uint8_t)s, 0, 0);
    f->start[0].vague = true; /* this entry matches goroutines without a start stack */
    if (!fold_gcount_init(f) || f->pool.oom ||
        !fold_room(f, f->lane[LANE_BAND], f->caplane[LANE_BAND], BAND_COUNT))
        return ERR_NOMEM;
    f->nlane[LANE_BAND] = BAND_COUNT;
    for (int b = 0; b < BAND_COUNT; b++) {
        f->lane[LANE_BAND][b] = (struct spanlane){.p = EV_NONE, .m = EV_NONE, .special = SPECIAL_LANE};
        spans_begin(&f->lane[LANE_BAND][b], 0, waitspan(0, 0, 0, f->tag[ST_NONE]));
    }
    return ERR_OK;
}

void fold_beside(struct fold *f, uint64_t bytes)
{
    enum { LEAST = 16 << 10, TIMES = 8 }; /* a trace takes less than TIMES its bytes, see docs/SCALE.md */
    const bool fits = bytes < mem_limited() / TIMES;
    f->pool.bump.most = MEM_SPILLS;
    f->pool.bump.next = fits ? LEAST : MEM_SPILLS;
}

void fold_segment(struct fold *f, int64_t t0, int64_t until)
{
    const int64_t last = until > t0 ? until : t0;
    f->segment = true;
    f->t0 = f->end = t0;
    f->nlane[LANE_BAND] = 0; /* the trace's own fold draws them */
    fold_gcount_segment(f, t0, last);
}

void fold_rest(struct fold *f)
{
    bool wait = false;
    for (int k = 0; k < LANE_KINDS; k++)
        for (size_t i = 0; k != LANE_M && i < f->nlane[k]; i++) {
            if (k == LANE_G && fold_g_retired(f, (uint32_t)i)) {
                retired_trim(f->seg[i / RETIRED_GS].retired);
                i |= RETIRED_GS - 1; /* to the next group */
                continue;
            }
            struct spanlane *l = k == LANE_G ? fold_lane_at(f, (uint32_t)i) : &f->lane[k][i];
            spans_rest(&f->pool, l);
            spans_trim(l);
            wait |= l->cap && !l->packed; /* out of memory */
        }
    for (size_t i = 0; i < f->nlane[LANE_M]; i++)
        mlane_trim(&f->m[i].lane);
    if (!wait)
        pool_waits_free(&f->pool);
    for (int k = 0; k < LANE_KINDS; k++)
        if (k != LANE_G)
            mem_fit(f->lane[k], f->caplane[k], f->nlane[k]);
    mem_fit(f->seg, f->capseg, f->nseg);
}

void fold_finish(struct fold *f, int64_t end)
{
    if (f->finished)
        return;
    fold_bands_reopen(f);
    fold_patch_open(f, end);
    fold_back_counts(f);
    f->finished = true;
    fold_rest(f);
    fold_lists_finish(f);
}

void fold_free(struct fold *f)
{
    for (int k = 0; k < LANE_KINDS; k++) {
        for (size_t i = 0; k != LANE_M && i < f->nlane[k]; i++)
            if (k == LANE_G && fold_g_retired(f, (uint32_t)i)) {
                retired_free(f->seg[i / RETIRED_GS].retired);
                i |= RETIRED_GS - 1;
            } else {
                spans_free(k == LANE_G ? fold_lane_at(f, (uint32_t)i) : &f->lane[k][i]);
            }
        mem_free(f->lane[k]);
    }
    mem_free(f->seg);
    slabs_free(&f->places);
    mem_free(f->p);
    for (size_t i = 0; i < f->nlane[LANE_M]; i++)
        mlane_free(&f->m[i].lane);
    mem_free(f->m);
    fold_lists_free(f);
    mem_free(f->carried);
    mem_free(f->gb);
    mem_free(f->back);
    idmap_free(&f->runs);
    pool_free(&f->pool);
    memset(f, 0, sizeof *f);
}
