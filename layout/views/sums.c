/*
 * sums.c - see sums.h. Tables are dense arrays by string number: a trace has few names.
 *
 * Exactness: a goroutine's states come from trace_shares(), so their sum is the length of the range for each.
 * Places count the part of a span that lies in the range; when a step limit cuts that walk, the text says so.
 */
#include "layout/views/sums.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/base/host.h"
#include "decode/base/mem.h"
#include "layout/draw/gstate.h"
#include "layout/move/asof.h"
#include "layout/move/when.h"
#include "layout/move/move.h"
#include "layout/draw/status.h"
#include "triage/triage.h"

enum { TOP = 10, KEPT = 40, CHUNK = 1024 }; /* of a table as text; that are kept */
enum { WALK_MOST = 20000000 };

enum { BY_RUNNING, BY_RUNNABLE, BY_WAITING, BY_SYSCALL, BY_COUNT };

enum { COLLECTS = 3 };
static const enum state collects[COLLECTS] = {ST_GCWORK, ST_ASSIST, ST_SWEEP};

struct row {
    int64_t ns[BY_COUNT];
    int64_t collected[COLLECTS]; /* of its running */
    uint32_t count, key;
    bool timed; /* of its system calls one at least (triage.h) */
};

struct sums {
    const struct trace *tr;
    const struct view *v;
    struct alive *alive;
    struct lane lane;
    bool group; /* whose row stands for all of its start function */
    int64_t t0, t1;
    bool mine_timed, procs_timed, all_timed; /* one of the system calls in these at least */
    int64_t runtime_ready;     /* runnable, of the runtime's own goroutines: the rest is the program's */
    struct shares mine, procs; /* the lane with the cursor; all processors */
    struct shares all;         /* all goroutines */
    struct row top[BY_COUNT][KEPT];
    int ntop[BY_COUNT];
    struct row *func;  /* by name */
    struct row *place; /* by function in which they waited */
    uint32_t nstr;
    uint32_t proc, at; /* the next processor, goroutine */
    bool in_lane;      /* lane `at` is half walked */
    uint64_t sub, walked, lanes;
    uint64_t moves;   /* how often goroutines ran on another P than before, within the range */
    uint32_t on;      /* where the half walked one ran last, NO_LANE: not yet */
    struct asof asof; /* when it was begun */
    bool cut, done;
    bool light; /* goroutines alone: no names, no places */
};

/*
 * Is one of its system calls timed? Then what sh has of them is the time of those that are. Of very many
 * spans that isn't added up: a key would wait for it, and those that are not timed are 1 ns each of much
 * longer ones.
 */
static bool has_timed(const struct sums *s, struct lane l, struct shares *sh)
{
    enum { MANY = 100000 }; /* spans */
    const int64_t ns = sh->ns[ST_SYSCALL];
    if (!ns || trace_info(s->tr)->second_family)
        return ns > 0;
    if (trace_count(s->tr, l, s->t0, s->t1) > MANY)
        return tri_any_timed(s->tr, l, s->t0, s->t1);
    const int64_t timed = tri_timed_ns(s->tr, l, s->t0, s->t1);
    sh->ns[ST_SYSCALL] = timed ? timed : ns;
    return timed > 0;
}

/* Calls that aren't timed are an instant each, which is kept where there are no others. */
static void add_calls(int64_t *sum, bool *timed, int64_t ns, bool are_timed)
{
    if (are_timed && !*timed)
        *sum = ns;
    else if (are_timed == *timed)
        *sum = time_add(*sum, ns);
    *timed = *timed || are_timed;
}

static void add_shares(struct shares *sum, bool *timed, const struct shares *sh, bool are_timed)
{
    for (int k = 0; k < ST_COUNT; k++) /* times are as large as a file claims */
        if (k != ST_SYSCALL)
            sum->ns[k] = time_add(sum->ns[k], sh->ns[k]);
    add_calls(&sum->ns[ST_SYSCALL], timed, sh->ns[ST_SYSCALL], are_timed);
}

/* Up to so many more processors. */
static void add_procs(struct sums *s, uint32_t most)
{
    for (uint32_t n = trace_nlanes(s->tr, LANE_P); s->proc < n && most; s->proc++, most--) {
        struct shares sh;
        const struct lane l = {LANE_P, s->proc};
        trace_shares(s->tr, l, s->t0, s->t1, &sh);
        const bool timed = has_timed(s, l, &sh);
        add_shares(&s->procs, &s->procs_timed, &sh, timed);
    }
}

static struct sums *new (const struct view *v, struct alive *alive, int64_t t0, int64_t t1)
{
    struct sums *s = mem_zalloc(sizeof *s);
    if (!s)
        return NULL;
    s->tr = v->tr;
    s->v = v;
    s->alive = alive;
    s->lane = (struct lane){LANE_G, NO_LANE}; /* none yet */
    s->t0 = t0;
    s->t1 = t1;
    s->asof = asof_now(v->tr);
    return s;
}

struct sums *sums_light(const struct view *v, struct alive *alive, int64_t t0, int64_t t1)
{
    struct sums *s = new (v, alive, t0, t1);
    if (s) {
        s->light = true;
        s->proc = trace_nlanes(s->tr, LANE_P);
    }
    return s;
}

uint32_t sums_top(const struct sums *s, int i, int64_t *ran, int64_t *ready)
{
    if (i < 0 || i >= s->ntop[BY_RUNNING])
        return NO_LANE;
    *ran = s->top[BY_RUNNING][i].ns[BY_RUNNING];
    *ready = s->top[BY_RUNNING][i].ns[BY_RUNNABLE];
    return s->top[BY_RUNNING][i].key;
}

bool sums_stale(const struct sums *s)
{
    return !asof_holds(&s->asof, s->tr, s->t1);
}

struct sums *sums_new(const struct view *v, struct alive *alive, int64_t t0, int64_t t1)
{
    struct sums *s = new (v, alive, t0, t1);
    if (!s)
        return NULL;
    s->nstr = trace_nstr(v->tr);
    s->func = mem_zalloc(((size_t)s->nstr + 1) * sizeof *s->func);
    s->place = mem_zalloc(((size_t)s->nstr + 1) * sizeof *s->place);
    if (!s->func || !s->place) {
        sums_free(s);
        return NULL;
    }
    add_procs(s, 256);
    return s;
}

void sums_lane(struct sums *s, struct lane l, bool group)
{
    s->group = group;
    if (s->lane.kind == l.kind && s->lane.i == l.i)
        return;
    s->lane = l;
    s->mine = (struct shares){{0}};
    if (l.i < trace_nlanes(s->tr, l.kind))
        gstate_shares(s->v->cache.gstate, s->tr, l, s->t0, s->t1, &s->mine);
    s->mine_timed = has_timed(s, l, &s->mine);
}

void sums_free(struct sums *s)
{
    if (!s)
        return;
    mem_free(s->func);
    mem_free(s->place);
    mem_free(s);
}

bool sums_is(const struct sums *s, int64_t t0, int64_t t1)
{
    return s && s->t0 == t0 && s->t1 == t1;
}

int64_t sums_state(const struct sums *s, enum state st)
{
    return s->all.ns[st];
}

/* ---- adding up ------------------------------------------------------------------------------------------
 */

static void rank(struct sums *s, int by, const struct row *r)
{
    struct row *top = s->top[by];
    int n = s->ntop[by];
    if (!r->ns[by] || (by == BY_SYSCALL && !r->timed) || (n == KEPT && top[n - 1].ns[by] >= r->ns[by]))
        return;
    int i = n < KEPT ? n : KEPT - 1;
    for (; i > 0 && top[i - 1].ns[by] < r->ns[by]; i--)
        top[i] = top[i - 1];
    top[i] = *r;
    s->ntop[by] = n < KEPT ? n + 1 : KEPT;
}

static void add_lane(struct sums *s, uint32_t g, const struct lane_info *li)
{
    struct shares sh;
    struct row r = {.count = 1, .key = g};
    if (s->light) /* how long it ran: for what, nobody asks */
        trace_shares(s->tr, (struct lane){LANE_G, g}, s->t0, s->t1, &sh);
    else
        gstate_shares(s->v->cache.gstate, s->tr, (struct lane){LANE_G, g}, s->t0, s->t1, &sh);
    r.timed = !s->light && has_timed(s, (struct lane){LANE_G, g}, &sh);
    sh.ns[ST_NONE] = 0;
    add_shares(&s->all, &s->all_timed, &sh, r.timed);
    r.ns[BY_RUNNING] = sh.ns[ST_RUNNING] + sh.ns[ST_GCWORK] + sh.ns[ST_ASSIST] + sh.ns[ST_SWEEP];
    for (int k = 0; k < COLLECTS; k++)
        r.collected[k] = sh.ns[collects[k]];
    r.ns[BY_RUNNABLE] = sh.ns[ST_RUNNABLE];
    s->runtime_ready = time_add(s->runtime_ready, li->is_system ? sh.ns[ST_RUNNABLE] : 0);
    r.ns[BY_WAITING] = sh.ns[ST_WAITING];
    r.ns[BY_SYSCALL] = sh.ns[ST_SYSCALL];
    struct row *f = s->light ? NULL : &s->func[li->name < s->nstr ? li->name : 0];
    if (f) {
        f->count++;
        add_calls(&f->ns[BY_SYSCALL], &f->timed, r.ns[BY_SYSCALL], r.timed);
    }
    for (int k = 0; f && k < COLLECTS; k++)
        f->collected[k] = time_add(f->collected[k], r.collected[k]);
    for (int k = 0; k < BY_COUNT; k++) {
        if (f && k != BY_SYSCALL)
            f->ns[k] = time_add(f->ns[k], r.ns[k]);
        rank(s, k, &r);
    }
    s->lanes++;
}

/* Where it waited; true: the lane is over. */
static bool add_places(struct sums *s, uint32_t g)
{
    struct span_iter it;
    struct lane l = {LANE_G, g};
    if (!(s->in_lane ? span_seek_index(&it, s->tr, l, s->sub) : span_seek(&it, s->tr, l, s->t0)))
        return true;
    if (!s->in_lane)
        s->on = NO_LANE;
    s->in_lane = true;
    for (int i = 0; i < CHUNK; i++) {
        const struct span *p = span_get(&it);
        int64_t a = p->t0 > s->t0 ? p->t0 : s->t0, b = p->t1 < s->t1 ? p->t1 : s->t1;
        if (p->t0 >= s->t1)
            return true;
        if (b > a && p->stack && (p->state == ST_WAITING || p->state == ST_SYSCALL)) {
            uint32_t f = status_function(s->v, p->stack);
            struct row *r = &s->place[f < s->nstr ? f : 0];
            r->count++;
            if (p->state == ST_SYSCALL)
                add_calls(&r->ns[BY_SYSCALL], &r->timed, b - a, !tri_untimed(s->tr, p->t1 - p->t0));
            else
                r->ns[BY_WAITING] = time_add(r->ns[BY_WAITING], b - a);
        }
        if (p->state == ST_RUNNING && p->who != NO_LANE) {
            s->moves += s->on != NO_LANE && p->who != s->on;
            s->on = p->who;
        }
        s->walked++;
        s->sub = p->index + 1;
        if (!span_next(&it))
            return true;
    }
    return false;
}

/* The goroutine at hand, or what of it is looked at in one step. true: that may have taken long. */
static bool add_some(struct sums *s)
{
    enum { LONG = 64 }; /* spans: many blocks to unpack */
    struct lane_info li = trace_lane(s->tr, (struct lane){LANE_G, s->at});
    bool lives = li.nspans && li.first < s->t1 && li.last > s->t0, over = true;
    if (lives) {
        if (!s->in_lane)
            add_lane(s, s->at, &li);
        s->cut |= s->walked >= WALK_MOST;
        over = s->cut || s->light || add_places(s, s->at);
    }
    if (over) {
        s->at++;
        s->in_lane = false;
    }
    return lives && li.nspans > LONG;
}

bool sums_step(struct sums *s, int64_t budget_ns)
{
    int64_t until = budget_ns == INT64_MAX ? INT64_MAX : host_now() + budget_ns;
    uint32_t n = trace_nlanes(s->tr, LANE_G);
    while (s->proc < trace_nlanes(s->tr, LANE_P)) {
        add_procs(s, 32);
        if (until != INT64_MAX && host_now() >= until)
            return false;
    }
    for (int i = 0; !s->done && s->at < n; i++) {
        const bool longer =
            (s->in_lane ||
             alive_some(s->alive, &(struct alive_ask){s->tr, LANE_G, s->t0, s->t1, n}, &s->at)) &&
            add_some(s);
        if ((i % 8 == 7 || longer) && until != INT64_MAX && host_now() >= until)
            return s->done = s->at >= n;
    }
    s->at = n;
    return s->done = true;
}

int sums_share(const struct sums *s)
{
    uint32_t n = trace_nlanes(s->tr, LANE_G);
    return s->done || !n ? 100 : (int)((uint64_t)s->at * 100 / n);
}

/* ---- as text --------------------------------------------------------------------------------------------
 */

static void states(const struct sums *s, struct lines *t, const char *title, enum lane_kind kind,
                   const struct shares *sh, bool timed, int64_t whole)
{
    char line[400] = "", d[FMT_MAX], p[FMT_MAX];
    size_t n = 0;
    bool done[ST_COUNT] = {false};
    for (;;) {
        int best = -1;
        for (int k = 0; k < ST_COUNT; k++)
            if (!done[k] && sh->ns[k] > 0 && (best < 0 || sh->ns[k] > sh->ns[best]))
                best = k;
        if (best < 0)
            break;
        done[best] = true;
        const bool none = best == ST_SYSCALL && !timed;
        int k = snprintf(line + n, sizeof line - n, "  %s %s%s%s", status_state(kind, (enum state)best),
                         none ? TRI_NOT_TIMED : when_dur(s->tr, sh->ns[best], d), none ? "" : " ",
                         none ? "" : fmt_percent(sh->ns[best], whole, p));
        if (k < 0 || (size_t)k >= sizeof line - n)
            break;
        n += (size_t)k;
    }
    lines_add(t, "%s:%s", title, n ? line : "  nothing");
}

static int name_room(int w)
{
    int room = w - 46;
    return room > 60 ? 60 : room < 10 ? 10 : room;
}

static void head(struct lines *t, const char *what, int w)
{
    lines_add(t, "%s", "");
    lines_add(t, "%-*.*s %8s %8s %8s %8s %7s", name_room(w), name_room(w), what, "running", "runnable",
              "waiting", "syscall", "count");
}

static void put_row(const struct sums *s, struct lines *t, const char *name, const struct row *r, int w)
{
    char a[BY_COUNT][FMT_MAX], c[FMT_MAX];
    int room = name_room(w), used = str_width(str_of(name), room);
    for (int k = 0; k < BY_COUNT; k++)
        if (k == BY_SYSCALL && r->ns[k] && !r->timed)
            snprintf(a[k], sizeof a[k], "%s", TRI_UNTIMED);
        else
            when_dur(s->tr, r->ns[k], a[k]);
    lines_add(t, "%s%*s %8s %8s %8s %8s %7s", name, room - used, "", a[0], a[1], a[2], a[3],
              fmt_count(r->count, c));
}

static int by_most(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    int64_t m = 0, n = 0;
    for (int k = 0; k < BY_COUNT; k++) /* waiting alone would bring what sleeps for ever to the top */
        m = time_add(m, k == BY_WAITING ? 0 : x->ns[k]), n = time_add(n, k == BY_WAITING ? 0 : y->ns[k]);
    if (m != n)
        return m > n ? -1 : 1;
    if (x->ns[BY_WAITING] != y->ns[BY_WAITING])
        return x->ns[BY_WAITING] > y->ns[BY_WAITING] ? -1 : 1;
    return x->key < y->key ? -1 : x->key > y->key;
}

static int by_wait(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    int64_t m = time_add(x->ns[BY_WAITING], x->ns[BY_SYSCALL]),
            n = time_add(y->ns[BY_WAITING], y->ns[BY_SYSCALL]);
    return m != n ? (m > n ? -1 : 1) : x->key < y->key ? -1 : x->key > y->key;
}

static void table(const struct sums *s, struct lines *t, const char *what, const struct row *rows,
                  int (*order)(const void *, const void *), int w)
{
    struct row *r = mem_alloc(((size_t)s->nstr + 1) * sizeof *r);
    size_t n = 0;
    char name[400], c[FMT_MAX];
    if (!r)
        return;
    for (uint32_t i = 0; i < s->nstr; i++)
        if (rows[i].count) {
            r[n] = rows[i];
            r[n++].key = i;
        }
    if (n) {
        qsort(r, n, sizeof *r, order);
        head(t, what, w);
    }
    for (size_t i = 0; i < n && i < TOP; i++) {
        if (r[i].key)
            str_shorten(trace_str(s->tr, r[i].key), name_room(w), glyph_dots(s->v->scr.tier), name,
                        sizeof name);
        else
            snprintf(name, sizeof name, "(unknown)");
        put_row(s, t, name, &r[i], w);
    }
    if (n > TOP)
        lines_add(t, "and %s more", fmt_count(n - TOP, c));
    mem_free(r);
}

static void tops(const struct sums *s, struct lines *t, int w)
{
    static const char *const titles[BY_COUNT] = {"goroutines that ran most", "goroutines runnable longest",
                                                 NULL, "longest in system calls"};
    char name[400];
    for (int k = 0; k < BY_COUNT; k++) {
        if (!titles[k] || !s->ntop[k])
            continue;
        head(t, titles[k], w);
        for (int i = 0; i < s->ntop[k] && i < (k ? 5 : TOP); i++) {
            status_name(s->v, s->top[k][i].key, name_room(w), name, sizeof name);
            put_row(s, t, name, &s->top[k][i], w);
        }
    }
}

/* All of its start function: what a folded group's row stands for. */
static void group_states(const struct sums *s, struct lines *t, int w)
{
    const uint32_t name = trace_lane(s->tr, s->lane).name;
    const struct row *r = &s->func[name < s->nstr ? name : 0];
    struct shares sh = {.ns = {[ST_RUNNING] = r->ns[BY_RUNNING],
                               [ST_RUNNABLE] = r->ns[BY_RUNNABLE],
                               [ST_WAITING] = r->ns[BY_WAITING],
                               [ST_SYSCALL] = r->ns[BY_SYSCALL]}};
    char what[400], title[460], c[FMT_MAX];
    int64_t whole = 0;
    for (int k = 0; k < COLLECTS; k++) {
        sh.ns[collects[k]] = r->collected[k];
        sh.ns[ST_RUNNING] = time_sub(sh.ns[ST_RUNNING], r->collected[k]);
    }
    str_shorten(trace_str(s->tr, name), name_room(w), glyph_dots(s->v->scr.tier), what, sizeof what);
    for (int k = 0; k < BY_COUNT; k++)
        whole = time_add(whole, r->ns[k]);
    snprintf(title, sizeof title, "all %s goroutines %s", fmt_count(r->count, c), what);
    if (s->done)
        states(s, t, title, LANE_G, &sh, r->timed, whole);
    else
        lines_add(t, "all goroutines %s: adding up", what);
}

void sums_text(const struct sums *s, const struct view *v, struct lines *t, int w)
{
    char a[FMT_MAX], b[FMT_MAX], d[FMT_MAX], id[32], c[FMT_MAX];
    int64_t len = time_sub(s->t1, s->t0);
    uint32_t np = trace_nlanes(s->tr, LANE_P);
    lines_add(t, "%s .. %s: %s", when_exact(s->tr, s->t0, a), when_exact(s->tr, s->t1, b),
              when_exact(s->tr, len, d));
    if (s->group && s->lane.kind == LANE_G && s->lane.i < trace_nlanes(s->tr, LANE_G)) {
        group_states(s, t, w);
    } else if (s->lane.i < trace_nlanes(s->tr, s->lane.kind)) {
        status_lane(v, s->lane, id);
        states(s, t, id, s->lane.kind, &s->mine, s->mine_timed, len);
    }
    states(s, t, "all processors", LANE_P, &s->procs, s->procs_timed,
           len > INT64_MAX / ((int64_t)np + 1) ? INT64_MAX : len * (int64_t)np);
    if (!s->done)
        lines_add(t, "goroutines: adding up, %d%% so far", sums_share(s));
    int64_t all = 0;
    for (int k = 0; k < ST_COUNT; k++)
        all = time_add(all, s->all.ns[k]);
    fmt_count(s->lanes, c);
    if (!s->done)
        lines_add(t, "%s of those that live here are added up", c);
    else
        lines_add(t, s->lanes == 1 ? "%s goroutine lives here" : "%s goroutines live here", c);
    states(s, t, "all goroutines", LANE_G, &s->all, s->all_timed, all);
    lines_add(t, "%s time%s a goroutine ran on another processor than before", fmt_count(s->moves, c),
              s->moves == 1 ? "" : "s");
    if (s->runtime_ready)
        lines_add(t, "runnable: %s of the program's goroutines, %s of the runtime's own",
                  when_dur(s->tr, s->all.ns[ST_RUNNABLE] - s->runtime_ready, a),
                  when_dur(s->tr, s->runtime_ready, b));
    if (s->all.ns[ST_GCWORK] || s->all.ns[ST_ASSIST] || s->all.ns[ST_SWEEP])
        lines_add(t, "below, running is also what ran for the collector: mark workers, mark assists");
    table(s, t, "by start function", s->func, by_most, w);
    tops(s, t, w);
    table(s, t, "waits and calls by place", s->place, by_wait, w);
    if (s->cut)
        lines_add(t, "too many spans: places and moves are not complete (the other sums are exact)");
}
