/*
 * pick.c - filters are kept as one line of text (so that --filter and a yanked command can hold it) with
 * the position of each filter; removing the last one cuts the line there and recompiles the rest.
 */
#include "layout/move/pick.h"

#include <inttypes.h>
#include <string.h>

#include "decode/base/mem.h"
#include "triage/query/filter.h"
#include "layout/cells/fmt.h"
#include "layout/move/lanes.h"
#include "layout/move/move.h"
#include "triage/activity/wakeups.h"
#include "triage/findings/why.h"
#include "layout/move/kind.h"
#include "layout/move/naming.h"

/* ---- filters ------------------------------------------------------------------------------------------- */

void pick_filter(struct view *v, struct filter *f)
{
    filter_free(v->filters.all);
    v->filters.all = f;
    v->lanes[LANE_G].filter = f;
    v->lanes[LANE_G].rows_stale = true;
    v->filters.done = !f;
}

/* Returns whether the filter is active: adding it would hide nothing, and cost one more step to drop. */
static bool have_filter(const struct view *v, const char *text, size_t n)
{
    const struct filters *f = &v->filters;
    for (int i = 0; i < f->n; i++) {
        const size_t at = f->cut[i] + (i > 0), end = i + 1 < f->n ? f->cut[i + 1] : strlen(f->text);
        if (end - at == n && !memcmp(f->text + at, text, n))
            return true;
    }
    return false;
}

unsigned view_filter(struct view *v, const char *text)
{
    char why[FILTER_WHY];
    char all[VIEW_TEXT];
    const size_t have = strlen(v->filters.text), from = have + (have > 0);
    text += strspn(text, " ");
    size_t n = strlen(text);
    while (n && text[n - 1] == ' ')
        n--;
    if (!n)
        return v->filters.n
                   ? VR_DRAW
                   : move_fail(v, "a filter is: a function, g12, state=waiting, reason=sync, dur>1ms, gc");
    if (have_filter(v, text, n))
        return move_fail(v, "this filter is in force already");
    if (n + 2 > sizeof all)
        return move_fail(v, "a filter may have %zu bytes, and this one has %zu", sizeof all - 2, n);
    if (v->filters.n == VIEW_FILTERS || from + n + 1 > sizeof all)
        return move_fail(v, "too many filters: drop some");
    memcpy(all, v->filters.text, have);
    all[have] = ' ';
    memcpy(all + from, text, n);
    all[from + n] = '\0';
    struct filter *f = filter_new(v->tr, all, why);
    if (!f)
        return move_fail(v, "filter: %s", why);
    v->filters.cut[v->filters.n++] = have;
    memcpy(v->filters.text, all, from + n + 1);
    v->job.to_top = false;
    pick_filter(v, f);
    return pick_work(v, VIEW_AT_ONCE_NS) | VR_DRAW;
}

unsigned view_filter_pop(struct view *v)
{
    char why[FILTER_WHY];
    if (!v->filters.n)
        return move_fail(v, "there is no filter");
    v->filters.text[v->filters.cut[--v->filters.n]] = 0;
    struct filter *f = v->filters.n ? filter_new(v->tr, v->filters.text, why) : NULL;
    if (v->filters.n && !f) {
        v->filters.n = 0;
        v->filters.text[0] = 0;
    }
    pick_filter(v, f);
    v->scr.recenter = true;
    unsigned r = pick_work(v, VIEW_AT_ONCE_NS) | VR_DRAW;
    move_settle(v);
    if (!(r & VR_WORK))
        view_message(v, false, v->filters.n ? "the last filter is gone" : "no filter any more");
    return r;
}

unsigned view_filter_clear(struct view *v)
{
    if (!v->filters.n)
        return move_fail(v, "there is no filter");
    v->filters.n = 0;
    v->filters.text[0] = 0;
    pick_filter(v, NULL);
    move_anew(v);
    return view_message(v, false, "no filter any more");
}

void pick_loaded(struct view *v)
{
    v->filters.done = !v->filters.all;
}

bool pick_span(const struct view *v, struct lane l, const struct span *s)
{
    struct span gs;
    if (!v->filters.all)
        return true;
    if (l.kind == LANE_G)
        return filter_span(v->filters.all, l.i, s);
    return s->who != NO_LANE && trace_span_at(v->tr, lane_g(s->who), s->t0 < 0 ? 0 : s->t0, &gs) &&
           filter_span(v->filters.all, s->who, &gs);
}

static unsigned filter_over(struct view *v)
{
    char n[FMT_MAX];
    v->filters.done = true;
    uint64_t count = filter_known(v->filters.all).count;
    uint32_t to = v->at.focus.i;
    if (v->at.focus.kind == LANE_G && !filter_shows(v->filters.all, to) && count) {
        struct lanes *l = &v->lanes[LANE_G];
        l->rows_stale = true;
        lanes_update(l, v->tr, v->at.win, NO_LANE);
        if (l->n)
            v->at.focus.i = lanes_at(l, 0);
    }
    move_settle(v);
    if (!count) {
        char hint[120];
        filter_hint(v->filters.all, hint, sizeof hint);
        return move_fail(v, "no goroutine passes the filter: %.100s%s", v->filters.text, hint);
    }
    return view_message(v, false, "%s goroutine%s pass%s the filter", fmt_count(count, n),
                        count == 1 ? "" : "s", count == 1 ? "es" : "");
}

static unsigned order_over(struct view *v)
{
    struct lanes *l = &v->lanes[LANE_G];
    lanes_update(l, v->tr, v->at.win, NO_LANE);
    if (v->job.to_top && kind_here(v)->lanes == LANE_G && l->n)
        v->at.focus.i = lanes_at(l, 0);
    move_settle(v);
    if (v->job.to_top)
        view_message(v, false, "goroutines by %s%s", sort_name(l->sort), l->invert ? ", backwards" : "");
    else
        pick_say_groups(v);
    v->job.to_top = false;
    return VR_DRAW;
}

unsigned pick_work(struct view *v, int64_t budget_ns)
{
    unsigned r = VR_NONE;
    struct lanes *l = &v->lanes[LANE_G];
    if (l->making) {
        if (lanes_work(l, budget_ns))
            r |= order_over(v);
        else
            return view_message(v, false, "sorting %d%%", lanes_share(l)) | VR_WORK;
    }
    if (v->filters.all && !v->filters.done) {
        if (filter_step(v->filters.all, budget_ns)) {
            r |= filter_over(v);
        } else {
            view_message(v, false, "filter %d%%: %" PRIu64 " goroutines so far",
                         filter_known(v->filters.all).share, filter_known(v->filters.all).count);
            r |= VR_DRAW | VR_WORK;
        }
    }
    return r;
}

/* ---- marks --------------------------------------------------------------------------------------------- */

static struct place *mark_of(struct view *v, const char *letter)
{
    const int small = letter[0] | 0x20;
    return small >= 'a' && small <= 'z' && !letter[1] ? &v->trail.mark[letter[0] - 'A'] : NULL;
}

unsigned view_mark(struct view *v, const char *letter)
{
    char t[FMT_MAX];
    struct place *mark = mark_of(v, letter);
    if (!mark)
        return move_fail(v, "a mark is a letter, a to z or A to Z");
    *mark = v->at;
    mark->guest = 0;
    return view_message(v, false, "mark %s: %s", letter, when_exact(v->tr, v->at.cursor, t));
}

unsigned view_mark_go(struct view *v, const char *letter)
{
    const struct place *mark = mark_of(v, letter);
    if (!strcmp(letter, "'")) /* as in other programs: the place before the jump */
        return view_undo(v, 1);
    if (!mark || mark->view == VIEW_NONE)
        return move_fail(v, "no mark of this letter is set");
    const uint32_t guest = v->at.guest;
    move_push(v, STEP_JUMP);
    v->at = *mark;
    move_guest(v, guest);
    return move_anew(v);
}

/* ---- pins, hiding -------------------------------------------------------------------------------------- */

static struct lanes *with_lane(struct view *v)
{
    struct lanes *l = move_lanes(v);
    return l && l->n && v->at.focus.i < trace_nlanes(v->tr, l->kind) ? l : NULL;
}

static int pin_of(const struct lanes *l, uint32_t lane)
{
    const int i = (int)find_first(k, (unsigned)l->npin, l->pin[k] == lane);
    return i < l->npin ? i : -1;
}

static void unpin(struct lanes *l, int i)
{
    memmove(&l->pin[i], &l->pin[i + 1], (size_t)(--l->npin - i) * sizeof *l->pin);
    l->rows_stale = true;
}

unsigned view_pin(struct view *v)
{
    struct lanes *l = with_lane(v);
    if (!l)
        return move_fail(v, "no lane here");
    const uint32_t lane = v->at.focus.i;
    const int i = pin_of(l, lane);
    if (i < 0 && l->npin == LANES_PINS)
        return move_fail(v, "%d lanes are pinned: enough", LANES_PINS);
    if (i >= 0) {
        unpin(l, i);
        if (l->kind == LANE_G && lane + 1 == v->at.guest)
            view_guest(v, NO_LANE, 0);
    } else {
        l->pin[l->npin++] = lane;
    }
    view_message(v, false, i < 0 ? "%s stays on top" : "%s is not pinned any more",
                 name_lane(v, v->at.focus).s);
    l->rows_stale = true;
    return move_settle(v);
}

void move_guest(struct view *v, uint32_t was)
{
    struct lanes *l = &v->lanes[LANE_G];
    const uint32_t now = v->at.guest;
    const int i = was && was != now ? pin_of(l, was - 1) : -1;
    if (i >= 0)
        unpin(l, i);
    if (!now || now == was)
        return;
    if (now > trace_nlanes(v->tr, LANE_G) || pin_of(l, now - 1) >= 0 || l->npin == LANES_PINS) {
        v->at.guest = 0; /* the reader pinned it: it is on top already */
        return;
    }
    l->pin[l->npin++] = now - 1;
    l->rows_stale = true;
}

void view_guest(struct view *v, uint32_t g, int64_t t)
{
    const uint32_t was = v->at.guest;
    v->at.guest = g == NO_LANE ? 0 : g + 1;
    v->at.guest_t = t;
    move_guest(v, was);
    if (g != NO_LANE)
        return;
    for (int i = 0; i < VIEW_UNDO;
         i++) /* the reader unpinned it: undoing something else does not bring it back */
        v->trail.undo[i].guest = 0;
}

unsigned view_hide(struct view *v)
{
    struct lanes *l = with_lane(v);
    if (!l)
        return move_fail(v, "no lane here");
    if (l->n <= 1)
        return move_fail(v, "this is the last lane that shows");
    const uint32_t lane = v->at.focus.i, row = lanes_row(l, lane);
    const uint32_t next = lanes_at(l, row + 1 < l->n ? row + 1 : row - 1);
    if (!lanes_hide(l, lane, true))
        return move_fail(v, "out of memory");
    if (lanes_pinned(l, lane))
        view_pin(v);
    v->at.focus.i = next;
    v->at.exact = false;
    move_settle(v);
    return view_message(v, false, "%s is hidden (%" PRIu32 " in all)",
                        name_lane(v, (struct lane){l->kind, lane}).s, l->hidden_n);
}

unsigned view_show_all(struct view *v)
{
    bool any = v->filters.n > 0 || v->at.guest;
    view_guest(v, NO_LANE, 0);
    for (int k = 0; k < LANE_BAND; k++) {
        struct lanes *l = &v->lanes[k];
        any |= l->npin || l->hidden_n || l->only;
        l->npin = 0;
        mem_free(l->only);
        l->only = NULL;
        l->nonly = 0;
        lanes_unhide(l);
    }
    if (!any)
        return move_fail(v, "nothing is pinned, hidden or filtered");
    if (v->filters.n)
        view_filter_clear(v);
    move_anew(v);
    return view_message(v, false, "all lanes show");
}

/* ---- groups -------------------------------------------------------------------------------------------- */

void pick_say_groups(struct view *v)
{
    view_message(v, false,
                 v->lanes[LANE_G].group ? "goroutines by start function: a row adds up what all of a group do"
                                        : "goroutines one by one");
}

unsigned view_group(struct view *v)
{
    v->scr.grouped = true;
    struct lanes *l = &v->lanes[LANE_G];
    if (kind_here(v)->lanes != LANE_G)
        return move_fail(v, "only goroutines can be grouped (view 3)");
    l->group = !l->group;
    l->nopen = 0;
    l->stale = true;
    move_anew(v);
    pick_say_groups(v);
    return l->making ? VR_DRAW | VR_WORK : VR_DRAW;
}

unsigned view_fold(struct view *v)
{
    struct lanes *l = &v->lanes[LANE_G];
    const int before = kind_before(v);
    if (before != v->at.view) /* one of several views of a key: go to the previous one */
        return kind_of(before)->open(v, before);
    if (kind_here(v)->lanes != LANE_G)
        return move_fail(v, "only groups of goroutines can be folded (view 3)");
    if (!l->group)
        return view_group(v);
    uint32_t name = trace_lane(v->tr, v->at.focus).name, rows = l->n;
    bool folded = lanes_folded(l, name);
    lanes_fold(l, name, !folded);
    if (!folded) { /* move the cursor to the goroutine that stands for the group */
        uint32_t row = lanes_row(l, v->at.focus.i);
        while (row != NO_LANE && row > 0 && !lanes_pinned(l, lanes_at(l, row - 1)) &&
               trace_g_name(v->tr, lanes_at(l, row - 1)) == name)
            row--;
        if (row != NO_LANE)
            v->at.focus.i = lanes_at(l, row);
    }
    move_anew(v);
    if (l->n == rows && !l->making) {
        lanes_fold(l, name, folded);
        move_settle(v);
        return move_fail(v, "this is the only goroutine of its function: there is nothing to fold");
    }
    return VR_DRAW;
}

unsigned view_unfold(struct view *v)
{
    if (kind_here(v)->lanes != LANE_G)
        return move_fail(v, "only goroutines are unfolded (view 3)");
    v->scr.unfolded = !v->scr.unfolded;
    move_settle(v);
    if (v->scr.unfolded && !v->scr.unfold_n)
        return view_message(v, false, "there is no room for its rows here");
    return VR_DRAW;
}

/* ---- related goroutines -------------------------------------------------------------------------------- */

struct relating {
    struct job job;
    struct related of;
};

/* Shows only these goroutines, in this order, even those that were hidden; NULL: all. */
static void pick_only(struct view *v, uint32_t *lane, uint32_t n)
{
    struct lanes *l = &v->lanes[LANE_G];
    mem_free(l->only);
    l->only = lane;
    l->nonly = n;
    l->rows_stale = true;
    for (uint32_t i = 0; i < n; i++)
        (void)lanes_hide(l, lane[i], false);
}

static bool related_go_on(struct view *v, struct job *j, int64_t budget_ns)
{
    return related_step(&((struct relating *)j)->of, v->tr, &v->lanes[LANE_G].alive, budget_ns);
}

/* Shows only the related goroutines, once they are known. */
static unsigned related_over(struct view *v, struct job *j)
{
    const struct related *r = &((const struct relating *)j)->of;
    if (r->n < 2)
        return move_fail(v, "no other goroutine created, woke or was woken by this one");
    uint32_t *only = mem_alloc(r->n * sizeof *only);
    if (!only)
        return move_fail(v, "out of memory");
    memcpy(only, r->lane, r->n * sizeof *only);
    pick_only(v, only, r->n);
    move_push(v, STEP_JUMP);
    move_lane(v, lane_g(r->g));
    v->at.top = 0;
    move_settle(v);
    return view_message(
        v, false, "%s: its creator, %s%" PRIu32 " created by it, %swho woke it, whom it wakes in this window",
        name_lane(v, lane_g(r->g)).s, r->few ? "at least " : "", r->created, r->cut ? "(not all) " : "");
}

unsigned view_related(struct view *v)
{
    if (v->lanes[LANE_G].only) {
        pick_only(v, NULL, 0);
        move_anew(v);
        return view_message(v, false, "all goroutines again");
    }
    uint32_t g = move_lanes_const(v) ? move_goroutine(v, v->at.focus, v->at.cursor) : NO_LANE;
    if (g == NO_LANE)
        return move_fail(v, move_lanes_const(v) ? "no goroutine here" : "Enter opens the lanes first");
    struct relating *r = mem_zalloc(sizeof *r);
    if (r)
        *r = (struct relating){.job = {.step = related_go_on,
                                       .over = related_over,
                                       .soon = "whom it created is being looked for"},
                               .of = {.g = g, .t0 = v->at.win.t0, .t1 = v->at.win.t1}};
    return job_begin(v, r ? &r->job : NULL);
}

/* ---- the goroutines of an explanation ------------------------------------------------------------------ */

bool why_lanes(struct view *v)
{
    uint32_t *p = mem_alloc((v->why->nchain + 1) * sizeof *p);
    if (!p)
        return false;
    for (uint32_t i = 0; i < v->why->nchain; i++)
        p[i] = v->why->chain[i].g;
    pick_only(v, p, v->why->nchain);
    return true;
}

bool why_shown(const struct view *v)
{
    const struct lanes *l = &v->lanes[LANE_G];
    return v->why && l->only && l->nonly == v->why->nchain && l->only[0] == v->why->g;
}
