/*
 * fold_priv.h - what the parts of fold share: fold.c (goroutines, Ps, Ms), fold_lost.c (what is not recorded
 * of them), fold_life.c (its begin and end), fold_counts.c (goroutines per state), fold_lists.c (ranges,
 * tasks, regions, logs, samples, metrics), fold_names.c, retired.c; and join.c, which puts the folds of
 * segments together.
 */
#ifndef GOTOP_DECODE_FOLD_PRIV_H
#define GOTOP_DECODE_FOLD_PRIV_H

#include "decode/model/fold.h"

/* Why a lane's next transition must take the long way: it depends on something that the short one does not
 * look at. */
enum {
    SPECIAL_LANE = 1,  /* no open span: the lane has not begun, or has ended */
    SPECIAL_NAME = 2,  /* a goroutine whose name is missing or may be improved by a stack */
    SPECIAL_RANGE = 4, /* a P that sweeps, a goroutine that assists */
    SPECIAL_WORK = 8,  /* a mark worker */
    SPECIAL_NO_P = 16  /* in a system call without a P: its time is summed up */
};

/* fold_room - mem_room(); a failure sets f->oom. */
#define fold_room(f, array, cap, need) mem_noted(&(f)->oom, mem_room(array, cap, need))
/* fold_special_g, fold_special_p - recompute a lane's SPECIAL_*. Call after any change of what they stand
 * for. */
void fold_special_g(struct fold *f, uint32_t g);
void fold_special_p(struct fold *f, uint32_t p);
/*
 * fold_p_show, fold_m_show - bring the lane of a P or of an M up to date at t.
 * fold_show_on - those of both; EV_NONE: none.
 */
void fold_p_show(struct fold *f, uint32_t p, int64_t t);
void fold_m_show(struct fold *f, uint32_t m, int64_t t);
void fold_show_on(struct fold *f, uint32_t p, uint32_t m, int64_t t);
/* fold_g_transition - put goroutine e->g into e->state, and set its span's `who` and stack. t is when its
 * lane changes: e->t, or earlier if that is back-dated. */
void fold_g_transition(struct fold *f, const struct ev *e, int64_t t, uint32_t who, uint32_t stack);
/* fold_p_off_m - take P p away from M m. lost: what p does from now on is not recorded. */
void fold_p_off_m(struct fold *f, uint32_t p, uint32_t m, bool lost, int64_t t);

/*
 * For a reader that folds runs (fold_hot.h) and counts these events itself.
 * fold_ended - g, which was counted as running, has ended; its last span is closed.
 * fold_created - a goroutine is created; arrays of lanes may move. Returns false when out of memory.
 */
void fold_ended(struct fold *f, uint32_t g, struct spanlane *l);
bool fold_created(struct fold *f, const struct ev *e);

/* ---- fold_lost.c ---- */
/* fold_lost - apply EVK_LOST or EVK_GAP: events of a goroutine, a P, a thread or the collector were lost;
 * or a gap begins or ends. */
void fold_lost(struct fold *f, const struct ev *e);
/* fold_g_unknown - from now on it is unknown what e->g does, and how long its open ranges and regions
 * last. */
void fold_g_unknown(struct fold *f, const struct ev *e);

/* ---- fold_names.c ---- */
/* fold_vague - whether this is no name, or one that a stack may improve. */
static inline bool fold_vague(const struct fold *f, uint32_t name)
{
    return !name || names_helper(f->names, name);
}
/*
 * fold_name - give g a name, unless it has a better one.
 * fold_name_by - name it by one of its own stacks, if that is better.
 */
void fold_name(struct fold *f, uint32_t g, uint32_t name, bool inferred);
void fold_name_by(struct fold *f, uint32_t g, uint32_t stack);
bool fold_label_is_gc(const struct fold *f,
                      uint32_t label); /* whether the runtime gives this label to mark workers */
/*
 * fold_runs - note that goroutines with this creation stack run that function.
 * fold_runs_join - add what a segment has noted.
 */
void fold_runs(struct fold *f, uint32_t create_stack, uint32_t name);
void fold_runs_join(struct fold *f, const struct fold *segment);

/* ---- fold_lists.c ---- */
/*
 * fold_range - a range's event: the lanes of Ps show sweeps and mark assists.
 * fold_listed - an event that only changes lists. A segment keeps it for later.
 * fold_list - change the lists as the event says. gi: of e->g, NULL if that is none. Out of memory sets
 * f->oom, and the entry is missing.
 */
void fold_range(struct fold *f, const struct ev *e);
void fold_listed(struct fold *f, const struct ev *e);
void fold_list(struct fold *f, const struct ev *e, const struct ginfo *gi);
/* fold_regions_end - end g's open regions, because g has ended. */
void fold_regions_end(struct fold *f, uint32_t g, int64_t t);
/*
 * fold_range_lost - from `since` on it is unknown how long the open range of this kind of this P or
 * goroutine (NO_LANE: of the collector), if any, lasts.
 * fold_regions_lost - the same for a goroutine's open regions: their ends may be among its lost events, and
 * an end that comes may belong to another region.
 */
void fold_range_lost(struct fold *f, enum range_kind k, uint32_t owner, int64_t since);
void fold_regions_lost(struct fold *f, uint32_t g, int64_t since);
void fold_all_regions_lost(struct fold *f, int64_t since); /* of all goroutines */
void fold_bands_reopen(struct fold *f); /* at the end: rebuild bands with ranges that were lost */
void fold_metric(struct fold *f, const struct ev *e);
void fold_point(struct fold *f, enum metric m, int64_t t, uint64_t value); /* append a metric's point */
void fold_points_pack(struct fold *f);                                     /* call it now and then */
void fold_lists_finish(struct fold *f);
void fold_lists_free(struct fold *f);

/* ---- fold_counts.c ---- */
void fold_gcount_trim(struct fold *f); /* free spare room; more may come later */
bool fold_gcount_init(struct fold *f); /* false: out of memory */
void fold_gcount_segment(struct fold *f, int64_t t0,
                         int64_t last); /* count for a segment that begins at t0 */
void fold_gcount_lost(struct fold *f, uint8_t state, int64_t t0, int64_t t1); /* one fewer was in it */
void fold_gcount_add(struct fold *f, uint8_t state, int64_t t0, int64_t t1);  /* one more was in it */
/* While a run of events is folded the last bucket counts ahead: fold_gcount_ahead() before it,
 * fold_gcount_next_bucket() where t lies after that bucket, fold_gcount_back_to_end() after the run. */
void fold_gcount_ahead(struct fold *f);
void fold_gcount_back_to_end(struct fold *f);
void fold_gcount_next_bucket(struct fold *f, int64_t t);

extern const uint8_t fold_gcount_of[ST_COUNT]; /* enum gcount + 1, 0 = not counted */

/*
 * fold_gcount_move - one goroutine changes its state at t < f->gb_end, which changes two counts only. While a
 * run of events is folded, the last bucket counts ahead as if nothing changed until its end, so a transition
 * moves the remaining time from one state to the other.
 */
static inline __attribute__((always_inline)) void fold_gcount_move(struct fold *f, uint8_t from, uint8_t to,
                                                                   int64_t t)
{
    unsigned a = fold_gcount_of[from], b = fold_gcount_of[to];
    if (a == b)
        return;
    struct gbucket *gb = f->gb_last;
    uint64_t left = (uint64_t)(f->gb_end - t);
    if (a-- && f->gnow[a]) {
        gb->ns[a] -= left;
        f->gnow[a]--;
    }
    if (b--) {
        uint64_t n = ++f->gnow[b];
        gb->ns[b] += left;
        if (n > gb->max[b])
            gb->max[b] = (uint32_t)n;
    }
}

/* fold_g_count - count a goroutine's change of state now. */
static inline void fold_g_count(struct fold *f, uint8_t from, uint8_t to)
{
    if (f->end >= f->gb_end)
        fold_gcount_next_bucket(f, f->end);
    fold_gcount_move(f, from, to, f->end);
}

/* ---- lanes ---- */

/* fold_g_bind - g is on this P and M from now on (EV_NONE: on none).
 * fold_show_on() then updates the lanes. */
static inline void fold_g_bind(struct fold *f, uint32_t g, uint32_t p, uint32_t m)
{
    struct spanlane *l = fold_lane_at(f, g);
    if (l->p != p && l->p != EV_NONE && f->p[l->p].g == g)
        f->p[l->p].g = EV_NONE;
    if (l->m != m && l->m != EV_NONE && f->m[l->m].g == g)
        f->m[l->m].g = EV_NONE;
    l->p = p;
    l->m = m;
    if (p != EV_NONE) {
        f->p[p].g = g;
        f->p[p].state = ST_SCHED;
        if (m != EV_NONE)
            f->p[p].m = m;
    }
    if (m != EV_NONE) {
        f->m[m].g = g;
        f->m[m].p = p;
    }
}

/* fold_tag - the tag (struct span_tag) of a state and a reason, without a label. */
static inline uint32_t fold_tag(struct fold *f, uint8_t state, uint32_t reason)
{
    unsigned k = reason % RECENT_TAGS;
    if (f->recent[state][k].reason != reason) {
        f->recent[state][k].tag = pool_tag(&f->pool, state, reason, 0);
        f->recent[state][k].reason = reason;
    }
    return f->recent[state][k].tag;
}

/* wait_same - whether two open spans are the same. */
static inline bool wait_same(const struct waitspan *a, const struct waitspan *b)
{
    return a->dur_who == b->dur_who && a->rest == b->rest;
}

/* fold_lane_set - put a P's or band's lane into this state from t on. */
static inline void fold_lane_set(struct fold *f, enum lane_kind k, uint32_t i, int64_t t, uint32_t tag,
                                 uint32_t who)
{
    struct spanlane *l = &f->lane[k][i];
    const struct waitspan open = waitspan(0, who, 0, tag);
    if (!l->started) {
        if (f->carrying) {
            l->open = open;
            return;
        }
        if (f->segment && wait_same(&l->open, &open))
            return;
        spans_begin(l, t, open);
        if (k == LANE_P)
            fold_special_p(f, i);
        return;
    }
    if (wait_same(&l->open, &open))
        return;
    if (l->t0 >= t) { /* no time has passed: the later state counts */
        l->open = open;
        return;
    }
    spans_push(&f->pool, k, l, t, open);
}

#endif
