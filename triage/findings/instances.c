/* instances.c - see instances.h. */
#include "triage/findings/instances_priv.h"

#include <string.h>

#include "decode/base/host.h"
#include "decode/base/mem.h"
#include "triage/findings/holder.h"
#include "triage/findings/requests.h"
#include "triage/tri.h"

#define ROWS 4096 /* bound on names; later ones are in no row */
#define LOOK 64   /* lanes between two checks of the clock */

const char *instance_kind_id(enum instance_kind k)
{
    static const char *const id[IN_KINDS] = {"task", "region", "group", "piece", "place"};
    return (unsigned)k < IN_KINDS ? id[k] : "";
}

static void work_free(struct instances_work *w)
{
    if (w) {
        tab_free(&w->rows);
        tab_free(&w->waits);
        mem_free(w->place);
        mem_free(w->found);
        mem_free(w->walk);
        mem_free(w->walked);
        mem_free(w->members);
        mem_free(w);
    }
}

void instances_free(struct instances *in)
{
    work_free(in->work);
    mem_free(in->row);
    mem_free(in->one);
    *in = (struct instances){0};
}

bool instances_all(const struct triage *tg, uint64_t spans, struct instances_all *out)
{
    struct err e = {0};
    *out = (struct instances_all){0};
    if (instances_new(tg, &out->in, &e) != ERR_OK)
        return false;
    while (instances_step(&out->in, INT64_MAX, &e)) {
    }
    out->x = explain_new(tg->tr);
    if (out->x)
        explain_budget(out->x, spans);
    return out->x && e.code == ERR_OK;
}

void instances_all_free(struct instances_all *all)
{
    explain_free(all->x);
    instances_free(&all->in);
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

/* Returns the row of a kind and name, or TAB_NONE if there are ROWS already. */
static bool row_of(struct instances *in, enum instance_kind k, enum wait_kind wait, uint32_t name,
                   uint32_t *row)
{
    struct instances_work *w = in->work;
    uint64_t key = (uint64_t)k << 8 | wait;
    *row = tab_get(&w->rows, key, name);
    if (*row != TAB_NONE || in->n == ROWS)
        return true;
    struct instance_row *v = mem_grow(in->row, &w->cap_rows, (size_t)in->n + 1, sizeof *v);
    if (!v)
        return false;
    in->row = v;
    *row = tab_put(&w->rows, key, name, in->n);
    if (*row == TAB_NONE)
        return false;
    v[in->n++] = (struct instance_row){.kind = k, .wait = wait, .name = name};
    return true;
}

/* Add an instance to a row; without both ends it is only counted. */
static bool put_piece(struct instances *in, uint32_t row, struct workpiece p, bool whole)
{
    struct instances_work *w = in->work;
    struct instance_row *r = &in->row[row];
    if (!whole || p.t1 < p.t0 || p.g == NO_LANE) {
        r->open++;
        return true;
    }
    struct found *v = mem_grow(w->found, &w->cap_found, w->nfound + 1, sizeof *v);
    if (!v)
        return false;
    w->found = v;
    v[w->nfound++] = (struct found){row, p};
    return true;
}

static bool put(struct instances *in, uint32_t row, uint32_t g, int64_t t0, int64_t t1, bool whole)
{
    return put_piece(in, row, workpiece_of_g(g, t0, t1), whole);
}

static bool within(const struct triage *tg, int64_t t0, int64_t t1)
{
    return t0 >= 0 && t1 <= tg->end;
}

static bool add_task(struct instances *in, size_t task, bool look)
{
    const struct task *all, *k = (trace_tasks(in->tg->tr, &all), &all[task]);
    uint32_t row;
    if (!row_of(in, IN_TASK, WK_OTHER, k->name, &row))
        return false;
    if (row == TAB_NONE)
        return true;
    in->row[row].of++;
    in->row[row].looked += look;
    return !look || put_piece(in, row, workpiece_of_task(in->tg->tr, task),
                              !k->open_start && !k->open_end && within(in->tg, k->t0, k->t1));
}

static bool add_region(struct instances *in, const struct region *r, bool look)
{
    uint32_t row;
    if (!row_of(in, IN_REGION, WK_OTHER, r->name, &row))
        return false;
    if (row == TAB_NONE)
        return true;
    in->row[row].of++;
    in->row[row].looked += look;
    return !look ||
           put(in, row, r->g, r->t0, r->t1, !r->open_start && !r->open_end && within(in->tg, r->t0, r->t1));
}

static bool add_goroutine(struct instances *in, uint32_t g, bool look)
{
    const struct group *grp = &in->tg->groups[gstat_group(in->tg->g, g)];
    uint32_t row;
    if (grp->is_system || grp->count < 2 || !grp->name)
        return true;
    if (!row_of(in, IN_GROUP, WK_OTHER, grp->name, &row))
        return false;
    if (row == TAB_NONE)
        return true;
    in->row[row].of++;
    in->row[row].looked += look;
    if (!look)
        return true;
    struct lane_info li = trace_lane(in->tg->tr, (struct lane){LANE_G, g});
    return put(in, row, g, li.first, li.last, li.created && li.ended && within(in->tg, li.first, li.last));
}

/* ---- pieces and places --------------------------------------------------------------------------------- */

/* Returns the innermost function outside the runtime, or 0. */
static uint32_t asked_by(const struct trace *tr, uint32_t stack)
{
    uint32_t n = trace_stack(tr, stack);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t f = trace_frame(tr, stack, i).func;
        if (!str_starts(trace_str(tr, f), "runtime."))
            return f;
    }
    return 0;
}

/* Returns what a wait means for the goroutines of a start function; stores a place's function in *place. */
static enum at_wait wait_means(const struct trace *tr, uint32_t name, uint32_t reason, uint32_t stack,
                               enum wait_kind *kind, uint32_t *place)
{
    *kind = stacks_wait_kind(tr, reason, stack);
    *place = 0;
    if (*kind == WK_LOCK || *kind == WK_COND || *kind == WK_SEND) {
        *place = stack ? holder_place(tr, stack) : 0;
        return *place ? AW_PLACE : AW_NONE;
    }
    if (*kind == WK_RECV || *kind == WK_SELECT) {
        uint32_t f = asked_by(tr, stack); /* a wait in a callee, even of a library, is within a piece */
        return f && f == name && stacks_is_program(tr, f) ? AW_MORE : AW_NONE;
    }
    return *kind == WK_NET && request_next(tr, stack) ? AW_MORE : AW_NONE;
}

bool instance_wants_more(const struct trace *tr, uint32_t start_function, uint32_t reason, uint32_t stack)
{
    enum wait_kind kind;
    uint32_t place;
    return wait_means(tr, start_function, reason, stack, &kind, &place) == AW_MORE;
}

/* The same with a cache, for all start functions together, since a stack's root is its goroutine's start
 * function. */
static bool wait_is(struct instances *in, const struct group *grp, const struct span *s, enum at_wait *means,
                    enum wait_kind *kind, uint32_t *place)
{
    struct instances_work *w = in->work;
    uint64_t key = (uint64_t)s->reason << 32 | s->stack;
    uint32_t at = tab_get(&w->waits, key, grp->name);
    if (at == TAB_NONE) {
        uint32_t *v = mem_grow(w->place, &w->cap_places, w->nplaces + 2, sizeof *v);
        if (!v)
            return false;
        w->place = v;
        at = (uint32_t)w->nplaces;
        *means = wait_means(in->tg->tr, grp->name, s->reason, s->stack, kind, &v[at + 1]);
        v[at] = (uint32_t)*means << 8 | (uint32_t)*kind;
        w->nplaces += 2;
        return tab_put(&w->waits, key, grp->name, at) != TAB_NONE && (*place = v[at + 1], true);
    }
    *means = (enum at_wait)(w->place[at] >> 8);
    *kind = (enum wait_kind)(w->place[at] & 0xff);
    *place = w->place[at + 1];
    return true;
}

static bool may_have_any(const struct triage *tg, const struct group *grp)
{
    bool server = request_serves(tg->tr, grp->name);
    for (uint32_t k = 0; k < grp->nwaits && !grp->is_system; k++) {
        uint32_t reason = tg->group_waits[grp->waits + k].reason;
        enum wait_kind kind = stacks_wait_kind(tg->tr, reason, 0);
        if (wait_on_channel(kind) || kind == WK_COND || (kind == WK_NET && server) ||
            str_is(trace_str(tg->tr, reason), "sync"))
            return true;
    }
    return false;
}

static uint64_t spans_of(const struct triage *tg, uint32_t g)
{
    const struct gstat s = gstat_of(tg->g, g);
    return (uint64_t)s.runs + s.scheds + s.waits + s.syscalls;
}

static bool walk_start(struct instances *in)
{
    const struct triage *tg = in->tg;
    struct instances_work *w = in->work;
    uint64_t all = 0;
    w->walk = mem_zalloc(((size_t)tg->ngroups + 1) * sizeof *w->walk);
    w->walked = mem_zalloc(((size_t)tg->ngroups + 1) * sizeof *w->walked);
    w->members = mem_zalloc(((size_t)tg->ngroups + 1) * sizeof *w->members);
    if (!w->walk || !w->walked || !w->members)
        return false;
    for (uint32_t i = 0; i < tg->ngroups; i++)
        w->walk[i] = may_have_any(tg, &tg->groups[i]);
    bool ok = true;
    for (uint32_t g = 0; g < tg->ng && ok; g++) {
        all += w->walk[gstat_group(tg->g, g)] ? spans_of(tg, g) + 1 : 0;
        ok = g % 512 || slices_tick();
    }
    w->step = all / INSTANCES_WALK + 1;
    return ok;
}

static bool add_piece(struct instances *in, uint32_t g, uint32_t stack, int64_t t0, int64_t t1, bool whole)
{
    uint32_t row;
    if (!row_of(in, IN_PIECE, WK_OTHER, in->tg->groups[gstat_group(in->tg->g, g)].name, &row))
        return false;
    if (row == TAB_NONE)
        return true;
    in->row[row].stack = stack;
    return put(in, row, g, t0, t1, whole);
}

static bool add_place(struct instances *in, uint32_t g, const struct span *s, enum wait_kind kind,
                      uint32_t place)
{
    uint32_t row;
    if (!row_of(in, IN_PLACE, kind, place, &row))
        return false;
    if (row == TAB_NONE)
        return true;
    in->row[row].stack = in->row[row].stack ? in->row[row].stack : s->stack;
    return put(in, row, g, s->t0, s->t1, !s->open_start && !s->open_end && within(in->tg, s->t0, s->t1));
}

static bool step_served(struct instances *in, uint32_t g, const struct span *s, struct request_cut *cut)
{
    int64_t t0, t1;
    return !request_step(cut, in->tg->tr, s, &t0, &t1) ||
           add_piece(in, g, cut->asked, t0, t1, within(in->tg, t0, t1));
}

static bool end_served(struct instances *in, uint32_t g, const struct request_cut *cut)
{
    const bool ended = trace_lane(in->tg->tr, (struct lane){LANE_G, g}).ended;
    int64_t t0, t1;
    if (ended && request_last(cut, &t0, &t1))
        return add_piece(in, g, cut->asked, t0, t1, within(in->tg, t0, t1));
    return ended || cut->since == NO_TIME || add_piece(in, g, cut->asked, cut->since, cut->since, false);
}

struct walking { /* along one goroutine */
    struct instances *in;
    uint32_t g, group, more;
    bool serves, ok;
    struct request_cut cut;
    int64_t since;
    uint64_t n;
};

/* A wait, or for a server's goroutine a system call. */
static bool walk_span(struct walking *k, const struct span *s)
{
    struct instances *in = k->in;
    enum at_wait means = AW_NONE;
    enum wait_kind kind;
    uint32_t place;
    if (s->state == ST_WAITING && !wait_is(in, &in->tg->groups[k->group], s, &means, &kind, &place))
        return false;
    if (means == AW_PLACE && !add_place(in, k->g, s, kind, place))
        return false;
    if (k->serves)
        return step_served(in, k->g, s, &k->cut);
    if (means == AW_MORE) {
        if (k->since != NO_TIME &&
            !add_piece(in, k->g, s->stack, k->since, s->t0, within(in->tg, k->since, s->t0)))
            return false;
        k->since = s->open_end ? NO_TIME : s->t1;
        k->more = s->stack;
    }
    return true;
}

static bool walk_run(void *arg, const struct span_run *r)
{
    struct walking *k = arg;
    int64_t t = r->t0;
    for (uint32_t i = 0; i < r->n && k->ok && t < k->in->tg->end; t += r->dur[i++]) {
        const struct span_tag *tag = &r->kind[r->tag[i]];
        if (tag->state != ST_WAITING && !(k->serves && tag->state == ST_SYSCALL))
            continue;
        k->ok = walk_span(k, &(struct span){.t0 = t,
                                            .t1 = t + r->dur[i],
                                            .state = tag->state,
                                            .reason = tag->reason,
                                            .stack = r->stack[i],
                                            .open_start = i == 0 && r->open_start,
                                            .open_end = i + 1 == r->n && r->open_end});
    }
    k->n += r->n;
    k->ok = k->ok && slices_tick();
    return k->ok && k->n < INSTANCES_WALK;
}

static bool walk(struct instances *in, uint32_t g)
{
    const struct triage *tg = in->tg;
    struct instances_work *w = in->work;
    struct walking k = {.in = in, .g = g, .group = gstat_group(tg->g, g), .ok = true, .since = NO_TIME};
    k.cut.since = NO_TIME;
    if (!w->walk[k.group] || w->members[k.group]++ % w->step)
        return true;
    k.serves = request_serves(tg->tr, tg->groups[k.group].name);
    trace_states(tg->tr, (struct lane){LANE_G, g},
                 &(struct states_ask){.t1 = tg->end, .all = true, .f = walk_run, .arg = &k});
    w->walked[k.group] += k.n > 0;
    if (!k.ok || (k.serves && !end_served(in, g, &k.cut)))
        return false;
    /* The last piece ends with its goroutine, or is open. */
    return k.since == NO_TIME || add_piece(in, g, k.more, k.since, k.since, false);
}

static void walk_end(struct instances *in)
{
    const struct instances_work *w = in->work;
    for (uint32_t i = 0; i < in->n; i++) {
        struct instance_row *r = &in->row[i];
        for (uint32_t k = 0; k < in->tg->ngroups; k++) {
            if (r->kind == IN_PLACE || (r->kind == IN_PIECE && in->tg->groups[k].name == r->name)) {
                r->looked += w->walked[k];
                r->of += w->members[k];
            }
        }
    }
}

/* ---- all steps ----------------------------------------------------------------------------------------- */

enum err_code instances_new(const struct triage *tg, struct instances *out, struct err *e)
{
    *out = (struct instances){.tg = tg, .work = mem_zalloc(sizeof *out->work)};
    if (!out->work || !walk_start(out)) {
        instances_free(out);
        return err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory for the instances");
    }
    return ERR_OK;
}

/* Take the next item of a phase; false at its end. */
static bool one_more(struct instances *in, bool *ok)
{
    const struct trace *tr = in->tg->tr;
    struct instances_work *w = in->work;
    const struct task *k = NULL;
    const struct region *r = NULL;
    size_t n = w->phase == PH_TASKS     ? trace_tasks(tr, &k)
               : w->phase == PH_REGIONS ? trace_regions(tr, &r)
                                        : in->tg->ng;
    size_t i = w->next++;
    bool look = i % (n / INSTANCES_MOST + 1) == 0;
    if (i >= n)
        return false;
    *ok = w->phase == PH_TASKS     ? add_task(in, i, look)
          : w->phase == PH_REGIONS ? add_region(in, &r[i], look)
          : w->phase == PH_GROUPS  ? add_goroutine(in, (uint32_t)i, look)
                                   : walk(in, (uint32_t)i);
    return *ok;
}

bool instances_step(struct instances *in, int64_t budget_ns, struct err *e)
{
    struct instances_work *w = in->work;
    int64_t until = host_until(budget_ns);
    bool ok = true;
    for (unsigned looks = 1; w && ok && w->phase != PH_SORT; looks++) {
        if (!one_more(in, &ok) && ok) {
            w->phase++;
            w->next = 0;
        }
        if (looks % LOOK == 0 && host_over(until))
            break;
    }
    if (w && ok && w->phase != PH_SORT)
        return true;
    if (w && ok)
        walk_end(in);
    ok = ok && (!w || instances_sort(in));
    work_free(w);
    in->work = NULL;
    if (!ok) {
        instances_free(in);
        err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory for the instances");
    }
    return false;
}
