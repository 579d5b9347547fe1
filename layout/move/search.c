/*
 * search.c - see search.h. Phases run in order; each is a loop over dense numbers that can stop after any of
 * them, so a step keeps its budget and a half-done search holds no iterator into a trace that may grow.
 *
 * The stack of a runnable span after a wait is the waker's, not the goroutine's own: such a stack is no hit.
 */
#include "layout/move/search.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "decode/base/bisect.h"
#include "decode/base/host.h"
#include "decode/base/mem.h"
#include "triage/query/states.h"
#include "triage/tables/slices.h"
#include "triage/tables/tab.h"

enum {
    PHASE_STRINGS,
    PHASE_STACKS,
    PHASE_PROBE,
    PHASE_LANES,
    PHASE_TASKS,
    PHASE_REGIONS,
    PHASE_LOGS,
    PHASE_RANGES,
    PHASE_SORT,
    PHASE_END
};
enum { CHUNK = 512 }; /* items between two looks at the clock */

static bool bit(const uint64_t *set, uint32_t n, uint32_t i)
{
    return i < n && (set[i / 64] >> (i % 64) & 1);
}

static void set_bit(uint64_t *set, uint32_t i)
{
    set[i / 64] |= 1ull << (i % 64);
}

static void parse_query(struct search *s)
{
    const char *q = s->query;
    s->files = strstr(q, ".go") != NULL; /* else "serve" would find all of httpserver.go */
    s->states = states_named(q);
    s->no_text = s->states && strlen(q) < 4; /* gc, stw: "stw" is in NewRequestWithContext, too */
    if (*q == 'g' || *q == 'G')
        q++;
    if (!isdigit((unsigned char)*q))
        return;
    uint64_t id = 0;
    for (; isdigit((unsigned char)*q); q++)
        id = id > (UINT64_MAX - 9) / 10 ? UINT64_MAX : id * 10 + (uint64_t)(*q - '0');
    s->by_id = !*q;
    s->id = id;
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
    s->nstacks = trace_nstacks(tr);
    s->end = trace_info(tr)->end;
    s->alive = &s->own;
    s->strs = mem_zalloc(((size_t)s->nstr / 64 + 1) * 8);
    s->stacks = mem_zalloc(((size_t)s->nstacks / 64 + 1) * 8);
    if (!s->strs || !s->stacks) {
        search_free(s);
        return NULL;
    }
    return s;
}

void search_free(struct search *s)
{
    if (!s)
        return;
    slices_free(s->sorting);
    match_free(&s->match);
    alive_free(&s->own);
    mem_free(s->strs);
    mem_free(s->stacks);
    mem_free(s->hits);
    mem_free(s);
}

static void search_add(struct search *s, int64_t t, uint32_t g, uint32_t what)
{
    if (s->nhits >= SEARCH_MAX_HITS) {
        s->full = true;
        return;
    }
    struct hit *p = mem_grow(s->hits, &s->cap, s->nhits + 1, sizeof *p);
    if (!p) {
        s->oom = s->full = true;
        return;
    }
    s->hits = p;
    p[s->nhits++] = (struct hit){t < 0 ? 0 : t, g, what};
}

/* ---- phases: do items from s->at on, at most CHUNK; true when the phase is over ---- */

static bool strings(struct search *s, const struct trace *tr)
{
    enum {
        BYTES = 4096
    }; /* of what an expression is held against: the dearest takes the C library some us a byte */
    uint64_t end = s->at + CHUNK < s->nstr ? s->at + CHUNK : s->nstr;
    size_t bytes = 0;
    if (s->no_text)
        return true;
    for (; s->at < end && (!s->match.is_regex || bytes < BYTES); s->at++) {
        const struct str text = trace_str(tr, (uint32_t)s->at);
        bytes += text.len;
        if (match_str(&s->match, text)) {
            set_bit(s->strs, (uint32_t)s->at);
            s->in_strs = true;
        }
    }
    return s->at >= s->nstr;
}

static uint32_t stack_hit(const struct search *s, const struct trace *tr, uint32_t stack)
{
    uint32_t n = trace_stack(tr, stack);
    for (uint32_t i = 0; i < n; i++) {
        struct frame f = trace_frame(tr, stack, i);
        if (bit(s->strs, s->nstr, f.func))
            return f.func;
        if (s->files && bit(s->strs, s->nstr, f.file))
            return f.file;
    }
    return 0;
}

static bool stacks(struct search *s, const struct trace *tr)
{
    uint64_t end = s->at + CHUNK < s->nstacks ? s->at + CHUNK : s->nstacks;
    if (!s->in_strs)
        return true;
    if (!s->at)
        s->in_reasons = trace_has_reason(tr, s->strs, s->nstr);
    for (; s->at < end; s->at++)
        if (stack_hit(s, tr, (uint32_t)s->at)) {
            set_bit(s->stacks, (uint32_t)s->at);
            s->in_stacks = true;
        }
    return s->at >= s->nstacks;
}

/* Can any span match at all? */
static bool in_spans(const struct search *s)
{
    return s->in_stacks || s->in_reasons || s->states;
}

/*
 * What of a span matches: a string, 0 = nothing. *by_state: its state is what was asked for; that of a mark
 * worker that runs is "running" in its lane. (Assists are ranges: they come last.)
 */
static uint32_t span_hit(const struct search *s, const struct trace *tr, const struct lane_info *li,
                         const struct span *p, uint8_t before, bool *by_state)
{
    bool woken =
        p->state == ST_RUNNABLE && (before == ST_WAITING || before == ST_SYSCALL || before == ST_NONE);
    *by_state = (s->states >> p->state & 1) ||
                (li->is_worker && p->state == ST_RUNNING && s->states >> ST_GCWORK & 1);
    if (p->reason && bit(s->strs, s->nstr, p->reason))
        return p->reason;
    if (p->label && bit(s->strs, s->nstr, p->label))
        return p->label;
    return !woken && p->stack && bit(s->stacks, s->nstacks, p->stack) ? stack_hit(s, tr, p->stack) : 0;
}

/* One lane's spans from index s->sub on; true when the lane is over. */
static bool lane_spans(struct search *s, const struct trace *tr, struct lane l, const struct lane_info *li)
{
    struct span_iter it;
    if (!span_seek_index(&it, tr, l, s->sub ? s->sub - 1 : 0))
        return true;
    uint8_t before = ST_NONE;
    if (s->sub) {
        before = span_get(&it)->state;
        if (!span_next(&it))
            return true;
    }
    for (int i = 0; i < CHUNK; i++) {
        const struct span *p = span_get(&it);
        bool by_state;
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

/* ---- the nearest hit first ---- */

static void nearer(struct search *s, int64_t t, uint32_t g, uint32_t what)
{
    t = t < 0 ? 0 : t;
    if (t < s->probe0 || t >= s->probe1)
        return;
    if (!s->has_best || (s->jump < 0 ? t > s->best.t : t < s->best.t))
        s->best = (struct hit){t, g, what};
    s->has_best = true;
}

/* Ranges have states, too, that no goroutine's lane is in. */
static const enum state range_state[RANGE_KINDS] = {
    [RANGE_GC] = ST_GC, [RANGE_STW] = ST_STW, [RANGE_SWEEP] = ST_SWEEP, [RANGE_ASSIST] = ST_ASSIST};

static uint32_t range_goroutine(const struct range *r)
{
    return (r->kind == RANGE_STW || r->kind == RANGE_ASSIST) && !r->scope_p ? r->owner : NO_LANE;
}

static void probe_ranges(struct search *s, const struct trace *tr)
{
    for (int k = 0; k < RANGE_KINDS; k++) {
        const struct range *r;
        const size_t n = trace_ranges(tr, (enum range_kind)k, &r);
        size_t from = 0;
        if (!(s->states >> range_state[k] & 1))
            continue;
        bisect(from, n, i, r[i].t0 < (s->jump > 0 ? s->probe0 : s->probe1));
        if (s->jump < 0 && from-- == 0)
            continue;
        if (from < n)
            nearer(s, r[from].t0, range_goroutine(&r[from]), HIT_STATE + range_state[k]);
    }
}

/* Returns how many spans were looked at. */
static int probe_lane(struct search *s, const struct trace *tr, uint32_t g)
{
    struct lane l = {LANE_G, g};
    struct lane_info li = trace_lane(tr, l);
    struct span_iter it;
    uint8_t before = ST_NONE;
    if (li.first >= s->probe1 || li.last < s->probe0)
        return 0;
    if (s->by_id && li.id == s->id)
        nearer(s, li.first, g, 0);
    else if (li.name && bit(s->strs, s->nstr, li.name))
        nearer(s, li.first, g, li.name);
    if (!in_spans(s) || !span_seek(&it, tr, l, s->probe0))
        return 0;
    if (span_prev(&it)) {
        before = span_get(&it)->state;
        span_next(&it);
    }
    int i = 0;
    for (; i < 4 * CHUNK; i++) {
        const struct span *p = span_get(&it);
        bool by_state;
        if (p->t0 >= s->probe1)
            return i;
        uint32_t what = span_hit(s, tr, &li, p, before, &by_state);
        before = p->state;
        if (what || by_state)
            nearer(s, p->t0, g, what);
        if (s->jump >= 0 && s->has_best && p->t0 >= s->best.t)
            return i;
        if (!span_next(&it))
            return i;
    }
    return i;
}

/*
 * Windows that begin at the cursor and double from a thousandth of the trace: the nearest hit is known long
 * before all are counted. (Goroutines and ranges alone; what tasks and logs have comes with the count.)
 */
static bool probe(struct search *s, const struct trace *tr)
{
    uint32_t n = trace_nlanes(tr, LANE_G);
    int64_t from = s->jump > 0 ? s->origin + !s->at_too : s->origin + s->at_too;
    if (!s->jump || (!s->in_strs && !s->states)) /* an id alone is found at once */
        return true;
    if (s->probe1 <= s->probe0) {
        int64_t len = s->end / 1024 + 1;
        s->probe0 = s->jump > 0 ? from : from > len ? from - len : 0;
        s->probe1 = s->jump > 0 ? time_add(from, len) : from;
    }
    for (int budget = CHUNK; budget > 0 && s->at < n; budget--) {
        uint32_t lane = (uint32_t)s->at;
        const bool is = alive_some(s->alive, &(struct alive_ask){tr, LANE_G, s->probe0, s->probe1, n}, &lane);
        s->at = lane + is;
        budget -= is ? probe_lane(s, tr, lane) / 16 : CHUNK / 8;
    }
    if (s->at < n)
        return false;
    s->at = 0;
    probe_ranges(s, tr);
    if (s->has_best) {
        s->first = s->best;
        return s->found = true;
    }
    int64_t len = s->probe1 - s->probe0;
    if (s->jump > 0 ? s->probe1 > s->end : s->probe0 <= 0)
        return true;
    if (s->jump > 0) {
        s->probe0 = s->probe1;
        s->probe1 = time_add(s->probe0, len > INT64_MAX / 8 ? len : len * 4);
    } else {
        s->probe1 = s->probe0;
        len = len > INT64_MAX / 8 ? INT64_MAX / 2 : len * 4;
        s->probe0 = s->probe1 > len ? s->probe1 - len : 0;
    }
    return false;
}

static bool search_lanes(struct search *s, const struct trace *tr)
{
    uint32_t n = trace_nlanes(tr, LANE_G);
    if (!s->in_strs && !s->states && s->by_id) { /* only one lane can match */
        uint32_t i = trace_find_lane(tr, LANE_G, s->id);
        if (i != NO_LANE)
            search_add(s, trace_lane(tr, (struct lane){LANE_G, i}).first, i, 0);
        return true;
    }
    for (int budget = CHUNK; budget > 0 && s->at < n; budget--) {
        struct lane l = {LANE_G, (uint32_t)s->at};
        const struct lane_info li = trace_lane(tr, l);
        if (s->sub == 0) {
            if (s->by_id && li.id == s->id)
                search_add(s, li.first, l.i, 0);
            else if (li.name && bit(s->strs, s->nstr, li.name))
                search_add(s, li.first, l.i, li.name);
        }
        if (in_spans(s)) {
            if (!lane_spans(s, tr, l, &li))
                return false;
            budget -= (int)(s->sub < CHUNK ? s->sub / 8 : CHUNK);
        }
        s->sub = 0;
        s->at++;
    }
    return s->at >= n;
}

static bool tasks(struct search *s, const struct trace *tr)
{
    const struct task *t;
    size_t n = trace_tasks(tr, &t);
    for (int i = 0; i < CHUNK && s->at < n; i++, s->at++)
        if (bit(s->strs, s->nstr, t[s->at].name))
            search_add(s, t[s->at].t0, t[s->at].g, t[s->at].name);
    return s->at >= n;
}

static bool regions(struct search *s, const struct trace *tr)
{
    const struct region *r;
    size_t n = trace_regions(tr, &r);
    for (int i = 0; i < CHUNK && s->at < n; i++, s->at++)
        if (bit(s->strs, s->nstr, r[s->at].name))
            search_add(s, r[s->at].t0, r[s->at].g, r[s->at].name);
    return s->at >= n;
}

static bool logs(struct search *s, const struct trace *tr)
{
    const struct logmsg *m;
    size_t n = trace_logs(tr, &m);
    for (int i = 0; i < CHUNK && s->at < n; i++, s->at++) {
        uint32_t what = bit(s->strs, s->nstr, m[s->at].message)    ? m[s->at].message
                        : bit(s->strs, s->nstr, m[s->at].category) ? m[s->at].category
                                                                   : 0;
        if (what)
            search_add(s, m[s->at].t, m[s->at].g, what);
    }
    return s->at >= n;
}

/* Cycles, stops, sweeping, assists, if they were asked for; s->sub counts their kinds. */
static bool search_ranges(struct search *s, const struct trace *tr)
{
    for (int i = 0; s->sub < RANGE_KINDS; s->sub++, s->at = 0) {
        const struct range *r;
        const size_t n = trace_ranges(tr, (enum range_kind)s->sub, &r);
        if (!(s->states >> range_state[s->sub] & 1))
            continue;
        while (s->at < n) {
            struct range one = r[s->at];
            if (i++ == CHUNK)
                return false;
            s->at = s->sub == RANGE_STW ? trace_stop(r, n, s->at, &one) : s->at + 1;
            search_add(s, one.t0, range_goroutine(&one), HIT_STATE + range_state[s->sub]);
        }
    }
    return true;
}

static int search_by_time(const void *a, const void *b)
{
    const struct hit *x = a, *y = b;
    if (x->t != y->t)
        return x->t < y->t ? -1 : 1;
    if (x->g != y->g)
        return x->g < y->g ? -1 : 1;
    return x->what < y->what ? -1 : x->what > y->what;
}

/* By time first, all at once, then what stands at one moment. false: out of memory, or no longer wanted. */
static bool sort_many(void *arg)
{
    struct search *s = arg;
    struct keyed_row *k = mem_alloc((s->nhits + 1) * sizeof *k);
    struct hit *to = mem_alloc((s->nhits + 1) * sizeof *to);
    bool ok = k && to;
    for (size_t i = 0; i < s->nhits && ok; i++) {
        k[i] = (struct keyed_row){(uint64_t)s->hits[i].t, (uint32_t)i}; /* none is negative */
        ok = i % CHUNK || slices_tick();
    }
    ok = ok && rows_sort(k, s->nhits);
    for (size_t i = 0; i < s->nhits && ok; i++) {
        to[i] = s->hits[k[i].row];
        ok = i % CHUNK || slices_tick();
    }
    mem_free(k);
    if (!ok) {
        mem_free(to);
        return false;
    }
    mem_free(s->hits);
    s->hits = to;
    s->cap = s->nhits + 1;
    for (size_t i = 0, j; i < s->nhits && slices_tick(); i = j) {
        for (j = i + 1; j < s->nhits && to[j].t == to[i].t; j++)
            ;
        if (j - i > 1)
            qsort(to + i, j - i, sizeof *to, search_by_time);
    }
    return true;
}

/* Many in slices. true: they are sorted, or how else they can be is to be done at once (s->nhits). */
static bool sort_slice(struct search *s, bool *sorted)
{
    enum { SLICE_NS = 2000000 };
    *sorted = false;
    if (s->nhits < 10000)
        return true;
    if (!s->sorting && !(s->sorting = slices_new(sort_many, s)))
        return true;
    const enum slices_state now = slices_run(s->sorting, SLICE_NS);
    if (now == SLICES_MORE)
        return false;
    *sorted = now == SLICES_DONE;
    slices_free(s->sorting);
    s->sorting = NULL;
    return true;
}

static bool sort_hits(struct search *s, const struct trace *tr)
{
    (void)tr;
    bool sorted;
    if (!s->nhits)
        return true;
    if (!sort_slice(s, &sorted))
        return false;
    if (!sorted)
        qsort(s->hits, s->nhits, sizeof *s->hits, search_by_time);
    size_t n = 1; /* a goroutine's name and its first span may both match: one hit */
    for (size_t i = 1; i < s->nhits; i++)
        if (s->hits[i].t != s->hits[n - 1].t || s->hits[i].g != s->hits[n - 1].g)
            s->hits[n++] = s->hits[i];
    s->nhits = n;
    return true;
}

bool search_step(struct search *s, const struct trace *tr, int64_t budget_ns)
{
    static bool (*const phases[PHASE_END])(struct search *, const struct trace *) = {
        strings, stacks, probe, search_lanes, tasks, regions, logs, search_ranges, sort_hits};
    int64_t start = budget_ns == INT64_MAX ? 0 : host_now();
    while (!s->done) {
        if (phases[s->phase](s, tr) || (s->full && s->phase < PHASE_SORT)) {
            s->phase = s->full && s->phase < PHASE_SORT ? PHASE_SORT : s->phase + 1;
            s->at = s->sub = 0;
            if (s->phase == PHASE_END) {
                s->done = true;
                s->cur = s->nhits;
            }
        }
        if (s->found && !s->jumped) /* it shall be shown at once */
            break;
        if (budget_ns != INT64_MAX && host_now() - start >= budget_ns)
            break;
    }
    return s->done;
}

bool search_nearest(struct search *s, const struct trace *tr, int64_t from, int dir, int64_t budget_ns,
                    struct hit *out)
{
    int64_t until = host_now() + budget_ns;
    if (s->phase <= PHASE_PROBE || s->done)
        return false;
    struct search near = *s; /* the count goes on where it is */
    near.at = 0;
    near.origin = from;
    near.at_too = false;
    near.jump = dir;
    near.probe0 = near.probe1 = 0;
    near.has_best = near.found = false;
    while (!probe(&near, tr))
        if (host_now() >= until)
            break;
    s->own = near.own;
    *out = near.first;
    return near.found;
}

int search_share(const struct search *s, const struct trace *tr)
{
    if (s->done)
        return 100;
    if (s->phase < PHASE_LANES)
        return 5;
    uint32_t n = trace_nlanes(tr, LANE_G);
    return s->phase > PHASE_LANES ? 95 : n ? 10 + (int)(s->at * 85 / n) : 10;
}

bool search_is_hidden(const struct search *s)
{
    return s->hidden;
}

size_t search_from(const struct search *s, int64_t t)
{
    size_t lo = 0;
    bisect(lo, s->nhits, i, s->hits[i].t < t);
    return lo;
}
