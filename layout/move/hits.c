/*
 * hits.c - the actions of a search: going to hits and from one to the next. search.c finds them. In a pop-up
 * of text (help, a goroutine's life) the words of that are searched instead, as it covers the trace.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "triage/query/filter.h"
#include "layout/cells/cells.h"
#include "layout/move/kind.h"
#include "layout/move/lanes.h"
#include "layout/move/move.h"
#include "layout/move/pick.h"
#include "layout/move/search.h"
#include "triage/findings/why.h"

enum { WALK = 100000 };

static void hit_name(const struct view *v, const struct hit *h, char *out, size_t size)
{
    char what[120] = "";
    struct lane_info li = {0};
    if (h->g != NO_LANE)
        li = trace_lane(v->tr, lane_g(h->g));
    if (h->what >= HIT_STATE)
        snprintf(what, sizeof what, "%s", state_name((enum state)(h->what - HIT_STATE)));
    else
        str_shorten(trace_str(v->tr, h->what ? h->what : li.name), 60, true, what, sizeof what);
    if (h->g != NO_LANE)
        snprintf(out, size, "G%" PRIu64 " %s", li.id, what);
    else
        snprintf(out, size, "%s", what);
}

/* Unfolds the group if the hit is in a goroutine whose row is that of a folded one. */
static void out_of_group(struct view *v)
{
    struct lanes *l = &v->lanes[LANE_G];
    if (kind_here(v)->lanes != LANE_G || v->at.focus.kind != LANE_G ||
        !lanes_more(l, lanes_row(l, v->at.focus.i)))
        return;
    lanes_fold(l, trace_g_name(v->tr, v->at.focus.i), false);
    move_anew(v);
}

static void hit_place(struct view *v, const struct hit *h)
{
    v->search->landed = true;
    if (!v->search->typing)
        move_push(v, STEP_JUMP);
    move_to(v, h->t, true);
    if (h->g != NO_LANE)
        kind_show(v, h->g, h->t);
    move_settle(v);
    if (h->g != NO_LANE && !v->search->typing)
        out_of_group(v);
}

/* With a filter, n and N stop only at hits that pass it. */
static bool hit_passes(const struct view *v, const struct hit *h)
{
    struct span sp;
    struct lane l = {LANE_G, h->g};
    return !v->filters.all || h->g == NO_LANE || (trace_span_at(v->tr, l, h->t, &sp) && pick_span(v, l, &sp));
}

static void hit_say(struct view *v, bool wrapped)
{
    const struct search *s = v->search;
    const bool more = s->full || !trace_info(v->tr)->done; /* than are kept, or in the rest of the trace */
    char what[200];
    hit_name(v, &s->hits[s->cur], what, sizeof what);
    if (s->done)
        view_message(v, false, "%s%zu of %zu%s: %s", wrapped ? "from the other end: " : "", s->cur + 1,
                     s->nhits, more ? "+" : "", what);
    else
        view_message(v, false, "%s; counting", what);
}

static void to_hit(struct view *v, size_t i, bool wrapped)
{
    struct search *s = v->search;
    s->cur = i;
    s->hidden = false;
    hit_place(v, &s->hits[i]);
    s->cur_t = v->at.cursor;
    hit_say(v, wrapped);
}

/* Suggests another query when nothing is found. */
static const char *hits_hint(const char *query)
{
    if (*query == '>' || *query == '<' || strncmp(query, "dur", 3) == 0)
        return "; a filter takes durations, a search takes names";
    if (states_named(query) & (1u << ST_IDLE | 1u << ST_SCHED))
        return "; processors are that: in their view > goes to the next span of one state";
    for (const char *c = query; *c && *query != '/' && *query != '~'; c++)
        if (*c >= 'A' && *c <= 'Z')
            return "; capitals make it case-sensitive";
    return "";
}

static unsigned not_found(struct view *v)
{
    struct search *s = v->search;
    s->hidden = true; /* no marks are left for another key to clear */
    if (s->no_text)
        return move_fail(v, "nothing %s is that: %s (names: ~%s)",
                         trace_info(v->tr)->done ? "in this trace"
                                                 : "in what is loaded so far (n looks again)",
                         s->query, s->query);
    return move_fail(v, "not found%s: %.100s%s",
                     trace_info(v->tr)->done ? "" : " in what is loaded so far (n looks again)", s->query,
                     hits_hint(s->query));
}

/* Goes to the next hit from there. VR_WORK means that it is not known yet. */
static unsigned jump_hit(struct view *v, int64_t from, int dir, bool at_too)
{
    struct search *s = v->search;
    size_t i;
    bool wrapped = false;
    if (!at_too && s->cur < s->nhits && s->cur_t == from)
        i = dir > 0 ? s->cur + 1 : s->cur ? s->cur - 1 : s->nhits; /* several hits may share a moment */
    else if (dir > 0)
        i = search_from(s, at_too ? from : time_add(from, 1));
    else
        i = search_from(s, from) ? search_from(s, from) - 1 : s->nhits;
    for (size_t tries = 0;; tries++) {
        if (!s->done && (i >= s->nhits || from < s->lo || from > s->hi))
            return VR_WORK;
        if (!s->nhits)
            return not_found(v);
        if (i >= s->nhits) {
            i = dir > 0 ? 0 : s->nhits - 1;
            wrapped = true;
        }
        if (hit_passes(v, &s->hits[i]))
            break;
        if (tries > s->nhits || tries > WALK)
            return move_fail(v, "no hit passes the filter: %.60s", s->query);
        i = dir > 0 ? i + 1 : i ? i - 1 : s->nhits;
    }
    to_hit(v, i, wrapped);
    return VR_DRAW;
}

unsigned hits_work(struct view *v, int64_t budget_ns)
{
    struct search *s = v->search;
    if (!s || s->done)
        return VR_NONE;
    const int64_t began = move_began(budget_ns);
    unsigned f = VR_WORK;
    bool said = false; /* with all hits known */
    do {
        search_step(s, v->tr, move_left(budget_ns, began));
        if (s->jump && !s->jumped && !s->oom) {
            f = jump_hit(v, s->origin, s->jump, s->at_too);
            s->jumped = f != VR_WORK;
            said = s->done;
        }
    } while (!s->done && move_left(budget_ns, began) > 1);
    if (s->oom)
        return move_fail(v, "out of memory: not all hits are known");
    const bool there = s->jumped && s->cur < s->nhits && s->cur_t == v->at.cursor;
    if (s->done && !said && there)
        hit_say(v, false);
    else if (s->done && !said && s->jump) /* the reader moved on meanwhile */
        v->msg.text[0] = 0;
    else if (!s->done && s->jump && !there)
        view_message(v, false, "searching %d%%: %.100s", search_share(s), s->query);
    else if (!s->done)
        return f | VR_WORK; /* keep the message of the hit */
    return (f & ~(unsigned)VR_WORK) | VR_DRAW | (s->done ? VR_NONE : VR_WORK);
}

void hits_loaded(struct view *v)
{
    if (v->search && v->search->end != trace_info(v->tr)->end)
        v->search->old = true;
}

static unsigned hits_begin(struct view *v, const char *text, int dir, bool at_too)
{
    char why[120];
    struct search *s = search_new(v->tr, text, why, sizeof why);
    if (!s)
        return move_fail(v, "no search: %s", why);
    search_free(v->search);
    v->search = s;
    s->alive = &v->lanes[LANE_G].alive;
    s->jump = dir;
    s->at_too = at_too;
    s->origin = v->at.cursor;
    s->cur_t = NO_TIME;
    return v->prompt.kind == PROMPT_SEARCH ? VR_DRAW | VR_WORK : view_work(v, VIEW_AT_ONCE_NS);
}

bool popup_finds(const struct view *v)
{
    return v->popup.kind == POPUP_LINES && v->popup.find.text[0];
}

/* Goes to the next matching entry at or after `from` (1: the first one), dir < 0: before it; wraps around.
 * Says which of all that match it is. */
static bool to_entry(struct view *v, size_t from, int dir)
{
    struct match m;
    char why[120];
    const size_t n = rich_paras(v->popup.text);
    if (!match_init(&m, v->popup.find.text, false, why, sizeof why))
        return false;
    size_t nth = 0, all = 0;
    for (size_t i = 0; i < n; i++) {
        const size_t at = dir < 0 ? (from + 2 * n - 1 - i) % n : (from + n - 1 + i) % n;
        if (!match_str(&m, rich_at(v->popup.text, at)))
            continue;
        v->popup.find.hit = all++ ? v->popup.find.hit : at + 1;
        nth += at < v->popup.find.hit;
    }
    match_free(&m);
    if (!all)
        return false;
    v->popup.find.show = true;
    view_message(v, false, "%zu of %zu: %.100s", nth, all, v->popup.find.text);
    return true;
}

unsigned popup_typed(struct view *v)
{
    memcpy(v->popup.find.text, v->prompt.text, sizeof v->popup.find.text);
    v->popup.find.hit = 0;
    v->popup.top = v->popup.find.from_top;
    v->msg.text[0] = '\0';
    if (v->prompt.len)
        (void)to_entry(v, v->popup.find.from ? v->popup.find.from : 1, 1);
    return VR_DRAW;
}

static unsigned popup_find_next(struct view *v, int n)
{
    const bool back = n < 0;
    const size_t all = rich_paras(v->popup.text);
    if (!all)
        return VR_NONE;
    for (int i = 0; i < (back ? -n : n) && i < 1000; i++)
        if (!to_entry(v, back ? v->popup.find.hit + all - 1 : v->popup.find.hit + 1, n))
            return move_fail(v, "not found here: %.100s", v->popup.find.text);
    return VR_DRAW;
}

/* Searches at once for what the line after '/' has become, from where the prompt was opened. */
unsigned move_typed(struct view *v)
{
    if (v->prompt.kind != PROMPT_SEARCH)
        return VR_DRAW;
    if (v->popup.kind == POPUP_LINES)
        return popup_typed(v);
    if (kind_here(v)->find)
        return kind_here(v)->find(v, v->prompt.text);
    v->at = v->prompt.from;
    search_free(v->search);
    v->search = NULL;
    v->msg.text[0] = 0;
    move_settle(v);
    if (v->prompt.len < 2)
        return VR_DRAW;
    unsigned r = hits_begin(v, v->prompt.text, 1, true);
    if (v->search)
        v->search->typing = true;
    return r & ~(unsigned)VR_BELL; /* an incomplete expression is no error yet */
}

/* Answers Enter: keeps what was found while typing, as one undo step. */
bool move_typed_done(struct view *v, const char *line)
{
    struct search *s = v->search;
    if (!s || !s->typing || strcmp(s->query, line) != 0)
        return false;
    s->typing = false;
    struct place to = v->at;
    v->at = v->prompt.from;
    move_push(v, STEP_JUMP);
    v->at = to;
    if (s->landed)
        out_of_group(v);
    return true;
}

unsigned move_typed_on(struct view *v)
{
    struct search *s = v->search;
    if (!s->done)
        return view_work(v, VIEW_AT_ONCE_NS);
    return s->landed ? VR_DRAW : jump_hit(v, s->origin, s->jump, s->at_too);
}

unsigned view_search(struct view *v, const char *text)
{
    if (kind_here(v)->find)
        return kind_here(v)->find(v, text);
    if (!*text)
        return view_search_next(v, 1);
    return hits_begin(v, text, 1, true);
}

unsigned view_search_next(struct view *v, int n)
{
    n = move_times(n);
    struct search *s = v->search;
    if (popup_finds(v))
        return popup_find_next(v, n);
    if (!s)
        return move_fail(v, kind_here(v)->find ? "/ keeps rows here; n goes on with a search of the lanes"
                                               : "nothing to search for yet: / begins a search");
    if (s->done && s->old) {
        char again[VIEW_TEXT];
        memcpy(again, s->query, sizeof again);
        return hits_begin(v, again, n < 0 ? -1 : 1, false);
    }
    unsigned r = VR_NONE;
    for (int i = 0; i < (n < 0 ? -n : n) && r != VR_WORK; i++)
        r = jump_hit(v, v->at.cursor, n < 0 ? -1 : 1, false);
    if (r == VR_WORK)
        view_message(v, false, "searching %d%%: no further hit is known yet", search_share(s));
    return s->done ? r : r | VR_DRAW | VR_WORK;
}
