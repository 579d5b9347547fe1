/*
 * search.c - see search.h. Phases run in order; each is a loop over dense numbers that can stop after any of them,
 * so a step keeps its budget and a half-done search holds no iterator into a trace that may grow.
 *
 * The stack of a runnable span after a wait is the waker's, not the goroutine's own: such a stack is no hit.
 */
#include "layout/search.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "decode/mem.h"

enum { PHASE_STRINGS, PHASE_STACKS, PHASE_LANES, PHASE_TASKS, PHASE_REGIONS, PHASE_LOGS, PHASE_SORT, PHASE_END };
enum { CHUNK = 512 }; /* items between two looks at the clock */

static int64_t now_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

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
    s->fold = true;
    for (const char *p = q; *p; p++)
        if (isupper((unsigned char)*p))
            s->fold = false;
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

struct search *search_new(const struct trace *tr, const char *query)
{
    struct search *s = mem_zalloc(sizeof *s);
    if (!s)
        return NULL;
    strncpy(s->query, query, sizeof s->query - 1);
    parse_query(s);
    s->nstr = trace_nstr(tr);
    s->nstacks = trace_nstacks(tr);
    s->end = trace_info(tr)->end;
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
    mem_free(s->strs);
    mem_free(s->stacks);
    mem_free(s->hits);
    mem_free(s);
}

bool search_match(const struct search *s, struct str text)
{
    size_t n = strlen(s->query);
    if (!n || n > text.len)
        return false;
    if (!s->fold)
        return memmem(text.p, text.len, s->query, n) != NULL;
    for (size_t i = 0; i + n <= text.len; i++) {
        size_t k = 0;
        while (k < n && tolower((unsigned char)text.p[i + k]) == (unsigned char)s->query[k])
            k++;
        if (k == n)
            return true;
    }
    return false;
}

static void add(struct search *s, int64_t t, uint32_t g, uint32_t what)
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
    uint64_t end = s->at + CHUNK < s->nstr ? s->at + CHUNK : s->nstr;
    for (; s->at < end; s->at++)
        if (search_match(s, trace_str(tr, (uint32_t)s->at))) {
            set_bit(s->strs, (uint32_t)s->at);
            s->in_strs = true;
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
    for (; s->at < end; s->at++)
        if (stack_hit(s, tr, (uint32_t)s->at)) {
            set_bit(s->stacks, (uint32_t)s->at);
            s->in_stacks = true;
        }
    return s->at >= s->nstacks;
}

/* One lane's spans from index s->sub on; true when the lane is over. */
static bool lane_spans(struct search *s, const struct trace *tr, struct lane l)
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
        bool woken = p->state == ST_RUNNABLE && (before == ST_WAITING || before == ST_SYSCALL || before == ST_NONE);
        before = p->state;
        if (p->reason && bit(s->strs, s->nstr, p->reason))
            add(s, p->t0, l.i, p->reason);
        else if (p->label && bit(s->strs, s->nstr, p->label))
            add(s, p->t0, l.i, p->label);
        else if (!woken && p->stack && bit(s->stacks, s->nstacks, p->stack))
            add(s, p->t0, l.i, stack_hit(s, tr, p->stack));
        s->sub = p->index + 1;
        if (!span_next(&it))
            return true;
    }
    return false;
}

static bool lanes(struct search *s, const struct trace *tr)
{
    uint32_t n = trace_nlanes(tr, LANE_G);
    if (!s->in_strs && s->by_id) { /* only one lane can match */
        uint32_t i = trace_find_lane(tr, LANE_G, s->id);
        if (i != NO_LANE)
            add(s, trace_lane(tr, (struct lane){LANE_G, i}).first, i, 0);
        return true;
    }
    for (int budget = CHUNK; budget > 0 && s->at < n; budget--) {
        struct lane l = {LANE_G, (uint32_t)s->at};
        if (s->sub == 0) {
            struct lane_info li = trace_lane(tr, l);
            if (s->by_id && li.id == s->id)
                add(s, li.first, l.i, 0);
            else if (li.name && bit(s->strs, s->nstr, li.name))
                add(s, li.first, l.i, li.name);
        }
        if (s->in_strs) {
            if (!lane_spans(s, tr, l))
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
            add(s, t[s->at].t0, t[s->at].g, t[s->at].name);
    return s->at >= n;
}

static bool regions(struct search *s, const struct trace *tr)
{
    const struct region *r;
    size_t n = trace_regions(tr, &r);
    for (int i = 0; i < CHUNK && s->at < n; i++, s->at++)
        if (bit(s->strs, s->nstr, r[s->at].name))
            add(s, r[s->at].t0, r[s->at].g, r[s->at].name);
    return s->at >= n;
}

static bool logs(struct search *s, const struct trace *tr)
{
    const struct logmsg *m;
    size_t n = trace_logs(tr, &m);
    for (int i = 0; i < CHUNK && s->at < n; i++, s->at++) {
        uint32_t what = bit(s->strs, s->nstr, m[s->at].message) ? m[s->at].message
                      : bit(s->strs, s->nstr, m[s->at].category) ? m[s->at].category : 0;
        if (what)
            add(s, m[s->at].t, m[s->at].g, what);
    }
    return s->at >= n;
}

static int by_time(const void *a, const void *b)
{
    const struct hit *x = a, *y = b;
    if (x->t != y->t)
        return x->t < y->t ? -1 : 1;
    if (x->g != y->g)
        return x->g < y->g ? -1 : 1;
    return x->what < y->what ? -1 : x->what > y->what;
}

static bool sort_hits(struct search *s, const struct trace *tr)
{
    (void)tr;
    if (!s->nhits)
        return true;
    qsort(s->hits, s->nhits, sizeof *s->hits, by_time);
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
        strings, stacks, lanes, tasks, regions, logs, sort_hits};
    int64_t start = budget_ns == INT64_MAX ? 0 : now_ns();
    while (!s->done) {
        if (phases[s->phase](s, tr) || (s->full && s->phase < PHASE_SORT)) {
            s->phase = s->full && s->phase < PHASE_SORT ? PHASE_SORT : s->phase + 1;
            s->at = s->sub = 0;
            if (s->phase == PHASE_END) {
                s->done = true;
                s->cur = s->nhits;
            }
        }
        if (budget_ns != INT64_MAX && now_ns() - start >= budget_ns)
            break;
    }
    return s->done;
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
    size_t lo = 0, hi = s->nhits;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (s->hits[mid].t < t)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}
