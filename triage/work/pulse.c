/* pulse.c - see pulse.h. */
#include "triage/work/pulse_priv.h"

#include <string.h>

#include "decode/base/host.h"
#include "decode/base/mem.h"
#include "triage/findings/requests.h"
#include "triage/tables/tab.h"
#include "triage/text.h"

enum { LOOK = 64 }; /* goroutines between two checks of the clock */
#define TASKS_MOST ((uint32_t)1 << 20)

struct pulse *pulse_new(void)
{
    return mem_zalloc(sizeof(struct pulse));
}

void pulse_free(struct pulse *p)
{
    if (!p)
        return;
    for (uint32_t i = 0; i < p->nrows; i++) {
        mem_free(p->row[i].row.name);
        mem_free(p->row[i].row.handler);
        mem_free(p->row[i].place);
    }
    mem_free(p->piece);
    mem_free(p->on);
    mem_free(p->alive);
    tab_free(&p->by_id);
    tab_free(&p->of_name);
    mem_free(p);
}

/* ---- names --------------------------------------------------------------------------------------------- */

static char *text_of(const struct trace *tr, uint32_t str)
{
    struct text t = {0};
    text_str(&t, tr, str);
    return text_take(&t);
}

/* Returns the last one of that name, of tasks or of goroutines; NULL: there is none. */
static struct known *row_of(struct pulse *p, const struct trace *tr, bool task, uint32_t name)
{
    struct known *last = NULL;
    char *s = text_of(tr, name);
    for (uint32_t i = 0; s && i < p->nrows; i++)
        if ((p->row[i].row.kind == WORK_TASKS) == task && strcmp(s, p->row[i].row.name) == 0)
            last = &p->row[i];
    mem_free(s);
    return last;
}

/* Returns NULL if there is no room or memory for another one. */
static struct known *row_new(struct pulse *p, const struct trace *tr, enum work_kind_id kind, uint32_t name)
{
    if (p->nrows == PULSE_ROWS)
        return NULL;
    struct pulse_row r = {.kind = kind, .name = text_of(tr, name), .handler = text_of(tr, name)};
    if (!r.name || !r.handler) {
        p->failed = true;
        mem_free(r.name);
        mem_free(r.handler);
        return NULL;
    }
    p->row[p->nrows] = (struct known){.row = r};
    return &p->row[p->nrows++];
}

/* True if that work counts here, beside tasks. */
static bool counts(const struct trace *tr, const struct work *w)
{
    return w->kind == WORK_REQUESTS ||
           (w->own && !w->standing && (w->kind == WORK_ITEMS || w->kind == WORK_LIVES) &&
            trace_str(tr, w->name).len);
}

bool pulse_learn(struct pulse *p, const struct trace *tr, const struct works *all)
{
    for (uint32_t i = 0; i < all->n && !p->failed; i++) {
        const struct work *w = &all->v[i];
        /* who takes from others is not told by itself: it lives */
        const enum work_kind_id kind = w->single && !w->paced ? WORK_LIVES : w->kind;
        struct known *k = counts(tr, w) ? row_of(p, tr, false, w->name) : NULL;
        if (counts(tr, w) && (!k || (k->row.kind == WORK_LIVES && kind != WORK_LIVES))) {
            k = row_new(p, tr, kind, w->name);
            if (k) {
                k->lives = w->lives || kind != w->kind;
                k->paced = w->paced;
            }
        }
        const bool placed = w->paced || (w->kind == WORK_REQUESTS && !request_serves(tr, w->name));
        if (k && placed && !k->place && w->more) {
            k->place = text_of(tr, stacks_place(tr, w->more));
            p->failed |= !k->place;
        }
        /* net/http's requests may yet show other handlers: their name holds for all */
        if (k && w->user && !request_serves(tr, w->name)) {
            char *s = text_of(tr, w->user);
            p->failed |= !s;
            if (s) {
                mem_free(k->row.handler);
                k->row.handler = s;
            }
        }
    }
    return !p->failed;
}

static void keep(struct pulse *p, struct under_way u)
{
    if (mem_room(p->on, p->cap_on, (size_t)p->non + 1))
        p->on[p->non++] = u;
    else
        p->failed = true;
}

/* ---- a goroutine --------------------------------------------------------------------------------------- */

static int64_t moved(int64_t t, int64_t by)
{
    return t == NO_TIME ? t : t + by;
}

/* The first span of a goroutine that waited for more work when the last model ended is that wait, whatever
 * the span says; or the wait ended at that moment. Returns true if it is. */
static bool goes_on_waiting(const struct pulse *p, struct parting *k, const struct span *s)
{
    const bool on = s->state == ST_WAITING;
    if (!(on && s->open_end)) {
        k->since = on ? s->t1 : p->from - p->zero;
        k->idle = k->wrote = false;
    }
    return on;
}

static void spans_of(struct pulse *p, struct under_way *u, struct known *k, uint32_t g)
{
    struct span_iter it;
    struct parting *at = &u->p;
    int64_t t0, t1;
    bool more = p->from > p->zero ? span_seek(&it, p->tr, lane_g(g), p->from - p->zero)
                                  : span_seek_index(&it, p->tr, lane_g(g), 0);
    at->since = moved(at->since, -p->zero);
    at->answered -= p->zero;
    for (bool waited = at->idle; more && !p->failed; more = span_next(&it), waited = false) {
        const struct span *s = span_get(&it);
        if (!(waited && goes_on_waiting(p, at, s)) && parting_step(at, &k->parts, s, &t0, &t1))
            pulse_add(p, k, p->zero + t0, p->zero + t1);
    }
    at->since = moved(at->since, p->zero);
    at->answered += p->zero;
}

static void goroutine(struct pulse *p, struct known *k, uint32_t g)
{
    const struct lane_info li = trace_lane(p->tr, lane_g(g));
    const uint32_t had = tab_get(&p->by_id, li.id, false);
    struct under_way u = {.id = li.id, .p = {.since = NO_TIME}};
    int64_t t0, t1;
    if (!li.nspans || p->zero + li.last < p->from || (li.ended && p->zero + li.last == p->from && p->any))
        return;
    if (had != TAB_NONE)
        u = p->on[had];
    if (k->lives) {
        u.p.since = li.created ? p->zero + li.first : u.p.since;
        if (li.ended && u.p.since != NO_TIME)
            pulse_add(p, k, u.p.since, p->zero + li.last);
    } else {
        spans_of(p, &u, k, g);
        if (li.ended && parting_last(&u.p, &k->parts, &t0, &t1))
            pulse_add(p, k, t0, t1);
    }
    if (!li.ended && (u.p.since != NO_TIME || u.p.idle))
        keep(p, u);
}

/* Returns what a goroutine with that start function does; NULL: nothing that counts. */
static struct known *known(struct pulse *p, uint32_t name)
{
    uint32_t at = tab_get(&p->of_name, name, 0);
    if (at == TAB_NONE) {
        const bool http = request_serves(p->tr, name);
        struct known *k = row_of(p, p->tr, false, name);
        k = k || !http ? k : row_new(p, p->tr, WORK_REQUESTS, name);
        at = k ? (uint32_t)(k - p->row) + 1 : 0;
        p->failed |= tab_put(&p->of_name, name, 0, at) == TAB_NONE;
    }
    struct known *k = at ? &p->row[at - 1] : NULL;
    if (k && k->parts.name != name) {
        k->parts = (struct parts){.tr = p->tr, .name = name, .paced = k->paced};
        k->parts.http = k->row.kind == WORK_REQUESTS && !k->place;
        if (k->place)
            k->parts.place = (struct str){k->place, (uint32_t)strlen(k->place)};
    }
    return k;
}

/* ---- tasks --------------------------------------------------------------------------------------------- */

/* A task is in every model that has a part of it, and ends once. */
static void task(struct pulse *p, const struct task *t)
{
    const uint32_t had = tab_get(&p->by_id, t->id, true);
    const int64_t t0 = p->zero + t->t0, t1 = p->zero + t->t1;
    struct under_way u = {.id = t->id, .p = {.since = t0}, .task = true};
    if (t->open_end) {
        if (!t->open_start && had == TAB_NONE && p->non - p->was < TASKS_MOST)
            keep(p, u);
        return;
    }
    if (had != TAB_NONE)
        p->on[had].over = true;
    if (t1 > p->from && (!t->open_start || had != TAB_NONE)) {
        struct known *k = row_of(p, p->tr, true, t->name);
        k = k ? k : row_new(p, p->tr, WORK_TASKS, t->name);
        pulse_add(p, k, t->open_start ? p->on[had].p.since : t0, t1);
    }
}

static void tasks(struct pulse *p)
{
    const struct task *t;
    const size_t n = trace_tasks(p->tr, &t);
    for (size_t i = 0; i < n && !p->failed; i++)
        task(p, &t[i]);
    for (uint32_t i = 0; i < p->was && !p->failed; i++)
        if (p->on[i].task && !p->on[i].over)
            keep(p, p->on[i]);
}

/* ---- a model ------------------------------------------------------------------------------------------- */

void pulse_gap(struct pulse *p)
{
    p->was = 0;
    tab_free(&p->by_id);
    p->gap = true;
}

void pulse_begin(struct pulse *p, const struct trace *tr)
{
    const struct trace_info *ti = trace_info(tr);
    /* Another model may have the address of the last one, but it begins at another moment. */
    const bool grown = p->tr == tr && p->epoch == ti->epoch && p->zero == ti->first_ns && p->any && !p->gap;
    p->zero = ti->first_ns;
    p->to = p->zero + ti->end;
    p->from = p->any && !p->gap && p->end > p->zero ? p->end : p->zero;
    p->since = p->any ? p->since : p->zero;
    p->end = p->any ? p->end : p->zero; /* of no length: that was all */
    p->done = p->to <= p->from;
    p->tr = tr;
    p->epoch = ti->epoch;
    p->lanes_then = grown ? p->lanes : 0;
    p->alive_then = grown ? p->nalive : 0;
    p->nalive = 0;
    p->lanes = trace_nlanes(tr, LANE_G);
    p->next = 0;
    for (uint32_t i = 0; i < p->nrows; i++)
        p->row[i].parts = (struct parts){0};
    p->non = p->was;
    tab_free(&p->of_name);
}

/* Returns the next goroutine that may have continued; NO_LANE: none is left. */
static uint32_t next_lane(struct pulse *p)
{
    const uint32_t i = p->next++;
    if (i < p->alive_then)
        return p->alive[i];
    const uint64_t g = (uint64_t)p->lanes_then + (i - p->alive_then);
    return g < p->lanes ? (uint32_t)g : NO_LANE;
}

static void pulse_look(struct pulse *p, uint32_t g)
{
    const struct lane_info li = trace_lane_who(p->tr, lane_g(g));
    if (!li.ended) {
        p->failed |= !mem_room(p->alive, p->cap_alive, (size_t)p->nalive + 1);
        if (p->failed)
            return;
        p->alive[p->nalive++] = g;
    }
    struct known *k = li.is_system ? NULL : known(p, li.name);
    if (k)
        goroutine(p, k, g);
}

/* Index what is in progress by id. */
static void turn(struct pulse *p)
{
    const uint32_t n = p->non - p->was;
    if (n)
        memmove(p->on, p->on + p->was, n * sizeof *p->on);
    p->was = n;
    tab_free(&p->by_id);
    for (uint32_t i = 0; i < n && !p->failed; i++)
        p->failed |= tab_put(&p->by_id, p->on[i].id, p->on[i].task, i) == TAB_NONE;
}

bool pulse_step(struct pulse *p, int64_t budget_ns, bool *failed)
{
    const int64_t until = host_until(budget_ns);
    uint32_t g;
    for (unsigned i = 1; !p->done && !p->failed && (g = next_lane(p)) != NO_LANE; i++) {
        pulse_look(p, g);
        if (i % LOOK == 0 && host_over(until))
            return false;
    }
    if (!p->done && !p->failed) {
        tasks(p);
        turn(p);
        p->end = p->to;
        p->any = true;
        p->gap = false;
    }
    p->done = true;
    *failed = p->failed;
    return true;
}
