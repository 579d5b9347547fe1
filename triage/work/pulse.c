/* pulse.c - see pulse.h. */
#include "triage/work/pulse_priv.h"

#include <stdlib.h>
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
        mem_free(p->row[i].name);
        mem_free(p->row[i].handler);
    }
    for (uint32_t i = 0; i < p->nnamed; i++) {
        mem_free(p->named[i].name);
        mem_free(p->named[i].place);
    }
    mem_free(p->piece);
    mem_free(p->was);
    mem_free(p->is);
    mem_free(p->alive);
    mem_free(p->alive_then);
    tab_free(&p->by_id);
    tab_free(&p->of_name);
    tab_free(&p->more);
    mem_free(p);
}

/* ---- names --------------------------------------------------------------------------------------------- */

static char *text_of(const struct trace *tr, uint32_t str)
{
    struct text t = {0};
    text_str(&t, tr, str);
    text_raw(&t, "", 0);
    char *s = text_take(&t);
    text_free(&t);
    return s;
}

static bool same(const struct trace *tr, uint32_t str, const char *s)
{
    struct text t = {0};
    text_str(&t, tr, str);
    const bool is = t.p && strcmp(t.p, s) == 0;
    text_free(&t);
    return is;
}

/* Returns NULL if there is none and no room or memory for one. */
static struct named *named_of(struct pulse *p, const struct trace *tr, uint32_t name, bool make)
{
    for (uint32_t i = 0; i < p->nnamed; i++)
        if (same(tr, name, p->named[i].name))
            return &p->named[i];
    if (!make || p->nnamed == NAMES)
        return NULL;
    struct named *k = &p->named[p->nnamed];
    *k = (struct named){.name = text_of(tr, name), .kind = WORK_KINDS, .row = NO_LANE};
    p->failed |= !k->name;
    p->nnamed += k->name != NULL;
    return k->name ? k : NULL;
}

/* Returns its row, or NO_LANE if there is no room. */
static uint32_t row_for(struct pulse *p, const struct trace *tr, enum work_kind_id kind, uint32_t name)
{
    for (uint32_t i = 0; i < p->nrows; i++)
        if (p->row[i].kind == kind && same(tr, name, p->row[i].name))
            return i;
    if (p->nrows == PULSE_ROWS)
        return NO_LANE;
    struct pulse_row r = {.kind = kind, .name = text_of(tr, name), .handler = text_of(tr, name)};
    if (!r.name || !r.handler) {
        p->failed = true;
        mem_free(r.name);
        mem_free(r.handler);
        return NO_LANE;
    }
    p->row[p->nrows] = r;
    return p->nrows++;
}

/* True if that work counts here, beside tasks. */
static bool counts(const struct trace *tr, const struct work *w)
{
    return w->kind == WORK_REQUESTS ||
           (w->user && !w->standing && (w->kind == WORK_ITEMS || w->kind == WORK_LIVES) &&
            trace_str(tr, w->name).len);
}

bool pulse_learn(struct pulse *p, const struct trace *tr, const struct works *all)
{
    for (uint32_t i = 0; i < all->n && !p->failed; i++) {
        const struct work *w = &all->v[i];
        struct named *k = counts(tr, w) ? named_of(p, tr, w->name, true) : NULL;
        if (!k)
            continue;
        if (k->kind == WORK_KINDS || (k->kind == WORK_LIVES && w->kind != WORK_LIVES)) {
            k->kind = w->kind;
            k->lives = w->lives;
            k->paced = w->paced;
            k->row = NO_LANE;
        }
        if (w->kind == WORK_REQUESTS && !k->place && !request_serves(tr, w->name) && w->more) {
            k->place = text_of(tr, stacks_place(tr, w->more));
            p->failed |= !k->place;
        }
        if (k->row == NO_LANE)
            k->row = row_for(p, tr, k->kind, w->name);
        if (w->user && k->row != NO_LANE && !same(tr, w->user, p->row[k->row].handler)) {
            char *s = text_of(tr, w->user);
            p->failed |= !s;
            if (s) {
                mem_free(p->row[k->row].handler);
                p->row[k->row].handler = s;
            }
        }
    }
    return !p->failed;
}

static void keep(struct pulse *p, const struct under_way *u)
{
    struct under_way *v = mem_grow(p->is, &p->cap_is, (size_t)p->nis + 1, sizeof *v);
    if (!v) {
        p->failed = true;
        return;
    }
    p->is = v;
    v[p->nis++] = *u;
}

/* ---- a goroutine --------------------------------------------------------------------------------------- */

/* True if a worker of that kind waits there for more work. */
static bool more_there(struct pulse *p, const struct named *k, uint32_t name, const struct span *s)
{
    const uint64_t key = (uint64_t)s->reason << 32 | s->stack, who = (uint64_t)(k - p->named) << 32 | name;
    const uint32_t at = tab_get(&p->more, key, who);
    if (at != TAB_NONE)
        return at;
    bool is = k->paced ? work_pauses(p->tr, name, s) : waits_for_more(p->tr, name, s->reason, s->stack);
    if (!is && k->place && stacks_wait_kind(p->tr, s->reason, s->stack) == WK_NET)
        is = same(p->tr, stacks_place(p->tr, s->stack), k->place);
    p->failed |= tab_put(&p->more, key, who, is) == TAB_NONE;
    return is;
}

struct at_work {
    struct under_way u;
    uint32_t row;
    bool first; /* the current span began before the range read now */
};

/* The first span of a goroutine that waited for more work when the last model ended is that wait, whatever
 * the span says; or the wait ended at that moment. */
static bool goes_on_waiting(struct pulse *p, struct at_work *a, const struct span *s)
{
    const bool idle = a->first && a->u.idle, on = idle && s->state == ST_WAITING;
    a->first = false;
    if (idle && !(on && s->open_end)) {
        a->u.since = on ? p->zero + s->t1 : p->from;
        a->u.idle = false;
    }
    return on;
}

static void item_span(struct pulse *p, struct at_work *a, const struct named *k, uint32_t name,
                      const struct span *s)
{
    if (k->paced && s->state == ST_RUNNABLE && a->u.since == p->zero + s->t0) /* that is still the pause */
        a->u.since = p->zero + s->t1;
    if (goes_on_waiting(p, a, s) || s->state != ST_WAITING || !more_there(p, k, name, s))
        return;
    if (a->u.since != NO_TIME)
        pulse_add(p, a->row, a->u.since, p->zero + s->t0);
    a->u.since = s->open_end ? NO_TIME : p->zero + s->t1;
    a->u.idle = s->open_end;
}

static void request_span(struct pulse *p, struct at_work *a, const struct span *s)
{
    struct request_cut *c = &p->cut;
    int64_t t0, t1;
    const bool idle = a->u.idle, on = goes_on_waiting(p, a, s);
    if (idle && !a->u.idle) {
        c->since = a->u.since - p->zero;
        c->wrote = false;
    }
    if (on)
        return;
    if (request_step(c, p->tr, s, &t0, &t1))
        pulse_add(p, a->row, p->zero + t0, p->zero + t1);
    a->u.idle = s->open_end && s->state == ST_WAITING && request_next(p->tr, s->stack);
}

static void cut_begin(struct pulse *p, const struct under_way *u)
{
    p->cut.since = u->since == NO_TIME ? NO_TIME : u->since - p->zero;
    p->cut.answered = u->answered - p->zero;
    p->cut.wrote = u->wrote;
    p->cut.calls = u->calls;
    p->cut.asked = 0;
}

static void cut_end(struct pulse *p, struct under_way *u)
{
    u->since = p->cut.since == NO_TIME ? NO_TIME : p->zero + p->cut.since;
    u->answered = p->zero + p->cut.answered;
    u->wrote = p->cut.wrote;
    u->calls = p->cut.calls;
}

static void spans_of(struct pulse *p, struct at_work *a, const struct named *k, uint32_t g, uint32_t name)
{
    struct span_iter it;
    const bool http = k->kind == WORK_REQUESTS && !k->place && !k->lives;
    bool more = p->from > p->zero ? span_seek(&it, p->tr, (struct lane){LANE_G, g}, p->from - p->zero)
                                  : span_seek_index(&it, p->tr, (struct lane){LANE_G, g}, 0);
    if (http)
        cut_begin(p, &a->u);
    for (; more && !p->failed; more = span_next(&it)) {
        const struct span *s = span_get(&it);
        if (http)
            request_span(p, a, s);
        else
            item_span(p, a, k, name, s);
    }
    if (http)
        cut_end(p, &a->u);
}

static void goroutine(struct pulse *p, struct named *k, uint32_t g, uint32_t name)
{
    const struct lane_info li = trace_lane(p->tr, (struct lane){LANE_G, g});
    const uint32_t had = tab_get(&p->by_id, li.id, false);
    struct at_work a = {.u = {.id = li.id, .since = NO_TIME}, .row = k->row, .first = had != TAB_NONE};
    if (!li.nspans || p->zero + li.last < p->from || (li.ended && p->zero + li.last == p->from && p->any))
        return;
    if (had != TAB_NONE)
        a.u = p->was[had];
    if (a.row == NO_LANE)
        a.row = k->row = row_for(p, p->tr, k->kind, name);
    if (k->lives) {
        a.u.since = li.created ? p->zero + li.first : a.u.since;
        if (li.ended && a.u.since != NO_TIME)
            pulse_add(p, a.row, a.u.since, p->zero + li.last);
    } else {
        spans_of(p, &a, k, g, name);
        if (li.ended && k->kind == WORK_REQUESTS && !k->place && a.u.since != NO_TIME && a.u.wrote)
            pulse_add(p, a.row, a.u.since, a.u.answered);
    }
    if (!li.ended && (a.u.since != NO_TIME || a.u.idle))
        keep(p, &a.u);
}

/* Returns what a goroutine with that start function does; NULL: nothing that counts. */
static struct named *known(struct pulse *p, uint32_t name)
{
    uint32_t at = tab_get(&p->of_name, name, 0);
    if (at == TAB_NONE) {
        const bool http = request_serves(p->tr, name);
        struct named *k = named_of(p, p->tr, name, http);
        if (k && http)
            k->kind = WORK_REQUESTS;
        at = k && k->kind != WORK_KINDS ? (uint32_t)(k - p->named) + 1 : 0;
        p->failed |= tab_put(&p->of_name, name, 0, at) == TAB_NONE;
    }
    return at ? &p->named[at - 1] : NULL;
}

/* ---- tasks --------------------------------------------------------------------------------------------- */

/* A task is in every model that has a part of it, and ends once. */
static void task(struct pulse *p, const struct task *t)
{
    const uint32_t had = tab_get(&p->by_id, t->id, true);
    const int64_t t0 = p->zero + t->t0, t1 = p->zero + t->t1;
    struct under_way u = {.id = t->id, .since = t0, .task = true};
    if (t->open_end) {
        if (!t->open_start && had == TAB_NONE && p->nis < TASKS_MOST)
            keep(p, &u);
        return;
    }
    if (had != TAB_NONE)
        p->was[had].over = true;
    if (t1 > p->from && (!t->open_start || had != TAB_NONE))
        pulse_add(p, row_for(p, p->tr, WORK_TASKS, t->name), t->open_start ? p->was[had].since : t0, t1);
}

static void tasks(struct pulse *p)
{
    const struct task *t;
    const size_t n = trace_tasks(p->tr, &t);
    for (size_t i = 0; i < n && !p->failed; i++)
        task(p, &t[i]);
    for (uint32_t i = 0; i < p->nwas && !p->failed; i++)
        if (p->was[i].task && !p->was[i].over)
            keep(p, &p->was[i]);
}

/* ---- a model ------------------------------------------------------------------------------------------- */

void pulse_gap(struct pulse *p)
{
    p->nwas = 0;
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
    p->nalive_then = 0;
    p->lanes_then = grown ? p->lanes : 0;
    if (grown) { /* swap them */
        uint32_t *v = p->alive_then;
        const size_t cap = p->cap_alive_then;
        p->alive_then = p->alive;
        p->cap_alive_then = p->cap_alive;
        p->nalive_then = p->nalive;
        p->alive = v;
        p->cap_alive = cap;
    }
    p->lanes = trace_nlanes(tr, LANE_G);
    p->nalive = 0;
    p->next = 0;
    p->cut = (struct request_cut){.since = NO_TIME};
    p->nis = 0;
    tab_free(&p->of_name);
    tab_free(&p->more);
}

/* Returns the next goroutine that may have continued; NO_LANE: none is left. */
static uint32_t next_lane(struct pulse *p)
{
    const uint32_t i = p->next++;
    if (i < p->nalive_then)
        return p->alive_then[i];
    const uint64_t g = (uint64_t)p->lanes_then + (i - p->nalive_then);
    return g < p->lanes ? (uint32_t)g : NO_LANE;
}

static void look(struct pulse *p, uint32_t g)
{
    const struct lane_info li = trace_lane_who(p->tr, (struct lane){LANE_G, g});
    if (!li.ended) {
        uint32_t *v = mem_grow(p->alive, &p->cap_alive, (size_t)p->nalive + 1, sizeof *v);
        p->failed |= !v;
        if (!v)
            return;
        p->alive = v;
        v[p->nalive++] = g;
    }
    struct named *k = li.is_system ? NULL : known(p, li.name);
    if (k)
        goroutine(p, k, g, li.name);
}

/* Index what is in progress by id. */
static void turn(struct pulse *p)
{
    struct under_way *v = p->was;
    const size_t cap = p->cap_was;
    p->was = p->is;
    p->cap_was = p->cap_is;
    p->nwas = p->nis;
    p->is = v;
    p->cap_is = cap;
    p->nis = 0;
    tab_free(&p->by_id);
    for (uint32_t i = 0; i < p->nwas && !p->failed; i++)
        p->failed |= tab_put(&p->by_id, p->was[i].id, p->was[i].task, i) == TAB_NONE;
}

bool pulse_step(struct pulse *p, int64_t budget_ns, bool *failed)
{
    const int64_t until = host_until(budget_ns);
    uint32_t g;
    for (unsigned i = 1; !p->done && !p->failed && (g = next_lane(p)) != NO_LANE; i++) {
        look(p, g);
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
