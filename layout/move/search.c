/*
 * search.c - see search.h. Phases run in order; each is a loop over dense numbers that can stop after any of
 * them, so a step keeps its budget and a half-done search holds no iterator into a trace that may grow.
 *
 * The stack of a runnable span after a wait is the waker's, not the goroutine's own: such a stack is no hit.
 */
#include "layout/move/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/base/rows.h"
#include "decode/base/host.h"
#include "decode/base/mem.h"
#include "decode/base/order.h"
#include "decode/model/item.h"
#include "triage/query/filter.h"
#include "triage/query/goto.h"
#include "triage/tables/tab.h"

enum { PHASE_STRINGS, PHASE_WINDOWS, PHASE_END };
enum { CHUNK = 512 }; /* items between two looks at the clock */

static void parse_query(struct search *s)
{
    const char *q = s->query;
    s->match.files = strstr(q, ".go") != NULL; /* else "serve" would match everything in httpserver.go */
    s->states = states_named(q);
    s->no_text = s->states && strlen(q) < 4; /* gc, stw: "stw" is in NewRequestWithContext, too */
    if (*q == 'g' || *q == 'G')
        q++;
    const char *end = goto_id(q, &s->id);
    s->by_id = end && !*end;
}

/* /text/ and ~text are expressions, the rest is plain. */
static bool pattern(struct search *s, char *why, size_t size)
{
    char text[VIEW_TEXT];
    size_t n = strlen(s->query);
    memcpy(text, s->query, n + 1);
    if (n > 2 && *text == '/' && text[n - 1] == '/') {
        text[n - 1] = 0;
        return match_init(&s->match, text + 1, true, why, size);
    }
    if (n > 1 && *text == '~')
        return match_init(&s->match, text + 1, true, why, size);
    return match_init(&s->match, text, false, why, size);
}

struct search *search_new(const struct trace *tr, const char *query, char *why, size_t size)
{
    struct search *s = mem_zalloc(sizeof *s);
    snprintf(why, size, "out of memory");
    if (!s)
        return NULL;
    strncpy(s->query, query, sizeof s->query - 1);
    if (!pattern(s, why, size)) {
        mem_free(s);
        return NULL;
    }
    parse_query(s);
    s->nstr = trace_nstr(tr);
    s->end = trace_info(tr)->end;
    s->alive = &s->own;
    if (!match_fit(&s->match, tr)) {
        search_free(s);
        return NULL;
    }
    return s;
}

void search_free(struct search *s)
{
    if (!s)
        return;
    match_free(&s->match);
    alive_free(&s->own);
    mem_free(s->hits);
    mem_free(s);
}

static void search_add(struct search *s, int64_t t, uint32_t g, uint32_t what)
{
    t = t < 0 ? 0 : t;
    if (t < s->w0 || t >= s->w1)
        return;
    if (s->nall >= SEARCH_MAX_HITS) {
        s->full = true;
        return;
    }
    if (!mem_add(s->hits, s->cap, s->nall, (struct hit){t, g, what}))
        s->oom = s->full = true;
}

/* ---- phases: do items from s->at on, at most CHUNK; true when the phase is over ---- */

/* A query that is a state's name and nothing else has no text: no string matches. */
static bool search_str(struct search *s, const struct trace *tr, uint32_t str)
{
    return !s->no_text && match_id(&s->match, tr, str);
}

static bool strings(struct search *s, const struct trace *tr)
{
    enum {
        BYTES = 4096
    }; /* bytes matched between clock checks: the slowest expressions take the C library some us a byte */
    uint64_t end = s->at + CHUNK < s->nstr ? s->at + CHUNK : s->nstr;
    size_t bytes = 0;
    if (s->no_text)
        return true;
    for (; s->at < end && (!s->match.is_regex || bytes < BYTES); s->at++) {
        const struct str text = trace_str(tr, (uint32_t)s->at);
        bytes += text.len;
        s->in_strs |= search_str(s, tr, (uint32_t)s->at);
    }
    return s->at >= s->nstr;
}

/* Returns the string that a stack matches by; 0: none. */
static uint32_t stack_hit(struct search *s, const struct trace *tr, uint32_t stack)
{
    if (s->no_text || !match_stack(&s->match, tr, stack))
        return 0;
    for (uint32_t i = 0, n = trace_stack(tr, stack); i < n; i++) {
        const struct frame f = trace_frame(tr, stack, i);
        if (search_str(s, tr, f.func))
            return f.func;
        if (s->match.files && search_str(s, tr, f.file))
            return f.file;
    }
    return 0;
}

/* Returns the string of a span that matches, 0 = none. *by_state: its state matches; a running mark worker
 * counts as "running" in its lane. (Mark assists are ranges and come last.) */
static uint32_t span_hit(struct search *s, const struct trace *tr, const struct lane_info *li,
                         const struct span *p, uint8_t before, bool *by_state)
{
    bool woken =
        p->state == ST_RUNNABLE && (before == ST_WAITING || before == ST_SYSCALL || before == ST_NONE);
    *by_state = (s->states >> p->state & 1) ||
                (li->is_worker && p->state == ST_RUNNING && s->states >> ST_GCWORK & 1);
    if (search_str(s, tr, p->reason))
        return p->reason;
    if (search_str(s, tr, p->label))
        return p->label;
    return !woken ? stack_hit(s, tr, p->stack) : 0;
}

/* ---- tasks, regions, logs, and ranges if requested: s->array counts these ---- */

/* Adds a hit for the i-th entry if the string matches. */
static void add_named(struct search *s, const struct trace *tr, uint32_t name, int64_t t, uint32_t g)
{
    if (search_str(s, tr, name))
        search_add(s, t, g, name);
}

/* Checks item *i of a kind. Returns false if there is none. */
static bool array_entry(struct search *s, const struct trace *tr, enum item_kind k, uint64_t *i)
{
    const struct logmsg *m;
    struct item x;
    size_t at = (size_t)*i;
    const bool is_range = k < ITEM_TASK;
    if ((is_range && !(s->states >> item_state(k) & 1)) || !item_next(tr, k, &at, &x))
        return false;
    *i = at;
    if (is_range)
        search_add(s, x.t0, x.g, HIT_STATE + item_state(k));
    else if (k == ITEM_LOG && !search_str(s, tr, x.name) && trace_logs(tr, &m))
        add_named(s, tr, m[x.index].category, x.t0, x.g);
    else
        add_named(s, tr, x.name, x.t0, x.g);
    return true;
}

static bool arrays(struct search *s, const struct trace *tr)
{
    for (int i = 0; i < CHUNK && s->array < ITEM_KINDS; i++)
        if (!array_entry(s, tr, s->array, &s->at)) {
            s->array++;
            s->at = 0;
        }
    return s->array == ITEM_KINDS;
}

/* ---- goroutines, window by window ---- */

/* Finds the first span of a lane that starts in the window; before: the state preceding it. Returns false if
 * there is none. (Spans of length 0 share their moment.) */
static bool first_span(const struct search *s, const struct trace *tr, struct lane l, struct span_iter *it,
                       uint8_t *before)
{
    *before = ST_NONE;
    if (s->sub ? !span_seek_index(it, tr, l, s->sub - 1) : !span_seek(it, tr, l, s->w0))
        return false;
    while (!s->sub && span_get(it)->t0 >= s->w0 && span_prev(it))
        ;
    if (!s->sub && span_get(it)->t0 >= s->w0)
        return true; /* the lane's first */
    *before = span_get(it)->state;
    return span_next(it);
}

/* Checks one lane's spans in the window, from index s->sub on; true when done. */
static bool check_spans(struct search *s, const struct trace *tr, struct lane l, const struct lane_info *li)
{
    struct span_iter it;
    uint8_t before;
    if (!first_span(s, tr, l, &it, &before))
        return true;
    for (int i = 0; i < CHUNK; i++) {
        const struct span *p = span_get(&it);
        bool by_state;
        if (p->t0 >= s->w1)
            return true;
        uint32_t what = span_hit(s, tr, li, p, before, &by_state);
        before = p->state;
        if (what || by_state)
            search_add(s, p->t0, l.i, what);
        s->sub = p->index + 1;
        if (!span_next(&it))
            return true;
    }
    return false;
}

/* Returns true when the lane is done. */
static bool search_lane(struct search *s, const struct trace *tr, uint32_t g)
{
    const struct lane l = {LANE_G, g};
    const struct lane_info li = trace_lane(tr, l);
    if (s->sub == 0 && li.first >= s->w0 && li.first < s->w1) {
        if (s->by_id && li.id == s->id)
            search_add(s, li.first, g, 0);
        else
            add_named(s, tr, li.name, li.first, g);
    }
    return check_spans(s, tr, l, &li);
}

/* Chooses the next window, four times as long as what is known, on one side up to the trace's end, then on
 * the other; where little is to be looked at, all of it. Returns false if all is known. */
static bool next_window(struct search *s)
{
    const bool on = s->hi <= s->end, back = s->lo > 0;
    const int64_t len = s->hi > s->lo ? time_muldiv(time_sub(s->hi, s->lo), 4, 1) : s->end / 1024 + 1;
    if (!on && !back)
        return false;
    if (!s->in_strs && !s->states) {
        s->w0 = INT64_MIN;
        s->w1 = INT64_MAX;
    } else if (on && (s->jump >= 0 || !back)) {
        s->w0 = s->hi;
        s->w1 = time_add(s->hi, len) > s->end ? INT64_MAX : time_add(s->hi, len);
        s->w0 = s->w0 <= 0 ? INT64_MIN : s->w0; /* includes events back-dated to before the trace */
    } else {
        s->w1 = s->lo;
        s->w0 = time_sub(s->lo, len) <= 0 ? INT64_MIN : time_sub(s->lo, len);
    }
    return true;
}

/* Returns true when the goroutines that live in the window are done. */
static bool search_lanes(struct search *s, const struct trace *tr)
{
    const uint32_t n = trace_nlanes(tr, LANE_G);
    if (!s->in_strs && !s->states) { /* only one lane can match */
        uint32_t i = s->by_id ? trace_find_lane(tr, LANE_G, s->id) : NO_LANE;
        if (i != NO_LANE)
            search_add(s, trace_lane(tr, lane_g(i)).first, i, 0);
        return true;
    }
    for (int budget = CHUNK; budget > 0 && s->at < n; budget--) {
        uint32_t lane = (uint32_t)s->at;
        const bool is =
            s->sub || alive_some(s->alive, &(struct alive_ask){tr, LANE_G, s->w0, s->w1, n}, &lane);
        s->at = lane;
        if (is && !search_lane(s, tr, lane))
            return false;
        budget -= is ? (int)(s->sub < CHUNK ? s->sub / 8 : CHUNK) : CHUNK / 8;
        s->at += is;
        s->sub = 0;
    }
    return s->at >= n;
}

ORDER(search_by_time, struct hit, LEAST(r->t) LEAST(r->g) LEAST(r->what))

static uint64_t hit_time(const void *hit)
{
    return (uint64_t)((const struct hit *)hit)->t; /* not negative */
}

/* Orders the window's hits by time, then those of one moment. Returns how many remain: a goroutine's name and
 * its first span may both match, which is one hit. */
static size_t window_order(struct search *s, struct hit *h, size_t n)
{
    s->oom |= !rows_by(h, sizeof *h, n, hit_time, search_by_time, NULL);
    if (s->oom)
        return 0;
    size_t kept = n > 0;
    for (size_t i = 1; i < n; i++)
        if (h[i].t != h[kept - 1].t || h[i].g != h[kept - 1].g)
            h[kept++] = h[i];
    return kept;
}

/* Puts the window's hits, now known, before those of later windows or behind those of earlier ones. */
static void window_over(struct search *s)
{
    const size_t n = s->hits ? window_order(s, s->hits + s->nhits, s->nall - s->nhits) : 0;
    if (n && s->nhits && s->w0 < s->lo) {
        struct hit *first = mem_alloc(n * sizeof *first);
        s->oom |= !first;
        if (first) {
            memcpy(first, s->hits + s->nhits, n * sizeof *first);
            memmove(s->hits + n, s->hits, s->nhits * sizeof *first);
            memcpy(s->hits, first, n * sizeof *first);
        }
        mem_free(first);
    }
    s->cur += s->w0 < s->lo || s->cur == s->nhits ? n : 0;
    s->nhits += n;
    s->nall = s->nhits;
    s->hi = s->w1 > s->hi ? s->w1 : s->hi;
    s->lo = s->w0 < s->lo ? s->w0 : s->lo;
    s->w0 = s->w1 = 0;
    s->array = 0;
    s->at = s->sub = 0;
}

static bool windows(struct search *s, const struct trace *tr)
{
    if (s->w1 <= s->w0 && !next_window(s))
        return true;
    const bool in_arrays = s->array < ITEM_KINDS;
    if (!s->full && (!(in_arrays ? arrays(s, tr) : search_lanes(s, tr)) || in_arrays))
        return false;
    window_over(s);
    return s->full || s->oom;
}

bool search_step(struct search *s, const struct trace *tr, int64_t budget_ns)
{
    static bool (*const phases[PHASE_END])(struct search *, const struct trace *) = {strings, windows};
    int64_t start = budget_ns == INT64_MAX ? 0 : host_now();
    while (!s->done) {
        const size_t known = s->nhits;
        if (phases[s->phase](s, tr)) {
            s->at = s->sub = 0;
            s->done = ++s->phase == PHASE_END;
            if (s->phase == PHASE_WINDOWS)
                s->lo = s->hi = s->origin;
        }
        if (s->jump && !s->jumped && s->nhits > known) /* show it at once */
            break;
        if (budget_ns != INT64_MAX && host_now() - start >= budget_ns)
            break;
    }
    return s->done;
}

int search_share(const struct search *s)
{
    if (s->done)
        return 100;
    const int64_t known = (s->hi < s->end ? s->hi : s->end) - (s->lo > 0 ? s->lo : 0);
    return s->phase < PHASE_WINDOWS  ? 5
           : known > 0 && s->end > 0 ? 10 + (int)time_muldiv(known, 85, s->end)
                                     : 10;
}

size_t search_from(const struct search *s, int64_t t)
{
    return bisected(s->nhits, i, s->hits[i].t < t);
}

bool search_in(const struct search *s, int64_t t0, int64_t t1)
{
    if (!s || !s->done || s->hidden || t1 <= t0)
        return false;
    const size_t i = search_from(s, t0);
    return i < s->nhits && s->hits[i].t < t1;
}
