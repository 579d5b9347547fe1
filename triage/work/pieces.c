/*
 * pieces.c - finds what a program does again and again, and divides it into pieces: see work.h.
 */

#include "decode/base/mem.h"
#include "decode/base/order.h"
#include "triage/findings/asks.h"
#include "triage/findings/requests.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"
#include "triage/work/work.h"

enum {
    GROUPS = 48,    /* groups examined: those with the longest total lifetime */
    SPANS = 200000, /* spans walked for the pieces of one group */
    FEW = 1024,     /* spans read of one goroutine that are no more than this are one stretch */
    MEMBERS = 2000, /* goroutines of one group */
    ASKED = 16,     /* of these, how many are checked for where they wait for requests */
    PIECES = 40000, /* pieces of one work: of tasks a sample, else the first ones */
    STANDING = 64,  /* goroutines of one group that run all along */
    OPEN = 64       /* pieces that are not over, of one work */
};

const char *work_kind_name(enum work_kind_id k)
{
    static const char *const name[WORK_KINDS] = {"tasks", "requests", "items", "goroutines", "main"};
    return (unsigned)k < WORK_KINDS ? name[k] : "";
}

struct cut { /* the pieces of one group under construction */
    const struct works *all;
    struct workpiece *v;
    size_t n, cap;
    uint64_t open;
    struct workpiece hung[OPEN], still[OPEN]; /* some of those that are open */
    uint32_t nhung, nstill;
    int64_t over, going; /* ns of all that are over, and of all that are open */
    int64_t seen;        /* of the goroutines' lives */
    uint32_t more;
    bool failed;
};

static void cut_add(void *arg, struct workpiece p)
{
    struct cut *k = arg;
    if (k->n >= PIECES || p.t1 <= p.t0)
        return;
    k->over = ns_add(k->over, p.t1 - p.t0);
    if (mem_room(k->v, k->cap, k->n + 1))
        k->v[k->n++] = p;
    else
        k->failed = true;
}

/* The same goroutines' pieces, found in another way: one of both is kept. */
static void cut_choose(struct cut *k, const struct cut *other, bool better)
{
    const bool failed = k->failed || other->failed;
    mem_free(better ? k->v : other->v);
    *k = better ? *other : *k;
    k->failed = failed;
}

/* A piece that is not over when the trace ends. It hangs if it stands somewhere for most of its time. till:
 * it is known up to then; behind that it waits, or is lost. */
static void cut_open(struct cut *k, struct workpiece p, int64_t till)
{
    const struct stand *s = p.g != NO_LANE ? stand_of(k->all, p.g) : NULL;
    const bool hangs =
        s && s->strange && (double)(p.t1 - s->since) >= threshold(TH_MOST) * (double)(p.t1 - p.t0);
    k->open++;
    p.t1 = hangs ? p.t1 : till;
    k->going = ns_add(k->going, p.t1 > p.t0 ? p.t1 - p.t0 : 0);
    if (hangs && k->nhung < OPEN)
        k->hung[k->nhung++] = p;
    else if (!hangs && k->nstill < OPEN)
        k->still[k->nstill++] = p;
}

/* Who never waits for more, as its queue is never empty, is at one piece all the while. Where such take more
 * time than all that are over, they count. */
static void cut_still(struct cut *k)
{
    const uint32_t n = k->going > k->over ? k->nstill : 0;
    for (uint32_t i = 0; i < n; i++)
        cut_add(k, k->still[i]);
}

/* ---- the pieces of a group ----------------------------------------------------------------------------- */

/* Divides what goroutine g does, in each of n ways: the second one is for those that have few pieces of the
 * first. One stretch of its spans is read, or several; if these hold no piece, they may be too short. */
static void pieces_in(const struct causes *c, uint32_t g, uint32_t steps, bool one, struct parts *of,
                      unsigned n, struct cut *const k[])
{
    struct parting p[2] = {{.since = NO_TIME}, {.since = NO_TIME}};
    int64_t t0, t1, till = 0, seen = 0;
    bool found = false, lost = false; /* lost: in this piece it waits nobody knows where */
    struct walk w;
    if (one)
        walk_at(&w, c->tr, g, 0, steps);
    else
        walk_g(&w, c->tr, g, steps);
    for (const struct span *s; !k[0]->failed && !k[n - 1]->failed && (s = walk_next(&w));) {
        seen = ns_add(seen, s->t1 - s->t0);
        const bool waits = s->state == ST_WAITING;
        till = lost ? till : waits && s->open_end ? s->t0 : s->t1;
        lost |= waits && !s->stack;
        for (unsigned i = 0; i < n && (!i || (double)k[0]->n < threshold(TH_PIECES)); i++)
            if (parting_step(&p[i], &of[i], s, &t0, &t1)) {
                cut_add(k[i], workpiece_of_g(g, t0, t1));
                lost = false;
                found = true;
            }
    }
    if (!one && !found && trace_lane(c->tr, lane_g(g)).nspans > steps) {
        pieces_in(c, g, steps, true, of, n, k);
        return;
    }
    k[0]->seen = ns_add(k[0]->seen, seen);
    const bool ended = trace_lane_who(c->tr, lane_g(g)).ended;
    for (unsigned i = 0; i < n; i++) {
        k[i]->more = p[i].more ? p[i].more : k[i]->more;
        if (ended && parting_last(&p[i], &of[i], &t0, &t1))
            cut_add(k[i], workpiece_of_g(g, t0, t1));
        else if (p[i].since != NO_TIME ||
                 (of[i].http && !p[i].more)) /* or it is at it since before the trace */
            cut_open(k[i], workpiece_of_g(g, p[i].since != NO_TIME ? p[i].since : 0, c->tg->end), till);
    }
}

/* Lives of which both ends are in the trace, and that are one thing each; and those that run all along. */
static bool lives_in(const struct causes *c, uint32_t group, struct cut *k)
{
    const struct group *grp = &c->tg->groups[group];
    const bool stand =
        grp->count && (double)grp->ns[GM_LIFE] / grp->count > threshold(TH_STANDS) * (double)c->tg->end;
    const bool created = grp->created == grp->count; /* all of them */
    each_member(g, c, group, stand ? STANDING : PIECES) {
        struct lifetime life;
        trace_lives(c->tr, LANE_G, g, 1, &life);
        k->seen = ns_add(k->seen, life.last - life.first);
        if (stand || (life.over && (created || trace_lane_who(c->tr, lane_g(g)).created)))
            cut_add(k, workpiece_of_g(g, life.first, life.last));
        else
            cut_open(k, workpiece_of_g(g, life.first, c->tg->end), c->tg->end);
    }
    return stand;
}

/* True if the goroutine that reads from a connection creates these goroutines for what it reads, and reads
 * on, as RPC servers do. Then each is one request. */
static bool begun_by_reader(const struct causes *c, uint32_t group)
{
    uint32_t is = 0;
    each_member(g, c, group, ASKED) {
        const struct lane_info li = trace_lane(c->tr, lane_g(g));
        is += li.created && calls_reads_on(c->tr, li.creator, li.first);
    }
    return is * 2 > causes_look(c, group, ASKED);
}

static void own_pieces(const struct causes *c, uint32_t group, bool http, const struct serving *parts,
                       struct cut cut[SERVING], struct cut *paced)
{
    struct parts of[SERVING][2];
    uint64_t left = SPANS, all = causes_look(c, group, MEMBERS);
    for (uint32_t i = 0; i < parts->n; i++) {
        of[i][0] = (struct parts){.tr = c->tr, .name = c->tg->groups[group].name, .http = http};
        of[i][1] = of[i][0];
        of[i][1].paced = true;
        if (!http && parts->v[i])
            of[i][0].place = trace_str(c->tr, parts->v[i]);
        else if (!http)
            of[i][1].place = trace_str(c->tr, calls_loop(c, group));
    }
    each_member(g, c, group, MEMBERS) {
        const uint64_t fair = left / all-- + 1, spans = trace_lane(c->tr, lane_g(g)).nspans;
        const uint32_t steps = (uint32_t)(fair < 64 ? 64 : fair);
        const uint32_t part = serving_at(c, http, parts, g);
        /* The piece at each end of a stretch is lost. So it is one stretch where only few spans are read, and
         * on a connection, whose requests are alike. */
        pieces_in(c, g, steps, http || steps < FEW, of[part], http || parts->v[part] ? 1 : 2,
                  (struct cut *const[]){&cut[part], paced});
        const uint64_t used = spans < steps ? spans : steps;
        left -= used < left ? used : left;
    }
}

/* ---- works --------------------------------------------------------------------------------------------- */

void work_free(struct work *w)
{
    mem_free(w->v);
    mem_free(w->hung);
    tree_free(&w->tree);
    *w = (struct work){0};
}

ORDER(cmp_piece, struct workpiece, MOST(r->t1 - r->t0) LEAST(r->t0) LEAST(r->g))

/* Select those of the slowest tenth that stand out, if they take a good part of all the time, else all of
 * it. */
static uint32_t slow_of(const struct work *w)
{
    const uint32_t tenth = w->looked / 10 ? w->looked / 10 : w->looked > 0;
    const double usual = (double)w->d.p50;
    double longer = 0;
    uint32_t n = 0;
    for (; n < tenth; n++) {
        const double ns = (double)(w->v[n].t1 - w->v[n].t0);
        if (ns < threshold(TH_TAIL) * usual || ns - usual < threshold(TH_FELT))
            break;
        longer += ns - usual;
    }
    return longer >= threshold(TH_SHARE) * (double)w->d.total ? n : tenth;
}

/* Take over those of the pieces that hang that are much older than the p99. */
static bool hung_set(struct work *w, const struct cut *k)
{
    if ((double)w->d.n < threshold(TH_PIECES) || !k->nhung)
        return true;
    w->hung = mem_alloc(k->nhung * sizeof *w->hung);
    for (uint32_t i = 0; w->hung && i < k->nhung; i++)
        if ((double)(k->hung[i].t1 - k->hung[i].t0) >= threshold(TH_DOUBLE) * (double)w->d.p99)
            w->hung[w->nhung++] = k->hung[i];
    sort(w->hung, w->nhung, cmp_piece);
    return w->hung != NULL;
}

static uint64_t by_length(const void *row)
{
    const struct workpiece *x = row;
    return most_first(x->t1 - x->t0);
}

/* Take the pieces over. times: the estimated number of pieces per piece found. */
static bool work_set(struct work *w, struct cut *k, double times)
{
    int64_t *ns = mem_alloc((k->n + 1) * sizeof *ns);
    if (!ns || !rows_by(k->v, sizeof *k->v, k->n, by_length, cmp_piece, NULL)) {
        mem_free(ns);
        return false;
    }
    for (size_t i = 0; i < k->n; i++)
        ns[i] = k->v[i].t1 - k->v[i].t0;
    dist_of(&w->d, ns, k->n);
    mem_free(ns);
    w->v = k->v;
    w->looked = (uint32_t)k->n;
    w->slow = slow_of(w);
    w->more = k->more;
    w->open = k->open;
    times = times > 1 ? times : 1;
    w->n = (uint64_t)((double)k->n * times + 0.5);
    w->total = ns_clamp((int64_t)((double)w->d.total * times));
    k->v = NULL;
    return hung_set(w, k);
}

static struct work *work_add(struct works *all, size_t *cap)
{
    if (!mem_room(all->v, *cap, (size_t)all->n + 1))
        return NULL;
    all->v[all->n] = (struct work){.group = UINT32_MAX};
    return &all->v[all->n++];
}

struct task_type {
    uint32_t name;
    int64_t total; /* ns, of those that have both ends */
};

ORDER(by_total, struct task_type, MOST(r->total) LEAST(r->name))

/* The types of n tasks, those that take longest in all first; free with mem_free(). NULL: out of memory. */
static struct task_type *task_types(const struct task *t, size_t n, uint32_t *types)
{
    struct tab by_name = {0};
    struct task_type *v = mem_alloc(sizeof *v), *x = v;
    bool made;
    *types = 0;
    for (size_t i = 0; x && i < n; i++) {
        if (!(x = tab_row(&by_name, v, *types, t[i].name, 0, &made)))
            break;
        x->name = t[i].name;
        x->total = ns_add(x->total, t[i].open_start || t[i].open_end ? 0 : t[i].t1 - t[i].t0);
    }
    tab_free(&by_name);
    sort(v, *types, by_total);
    if (!x)
        mem_free(v);
    return x ? v : NULL;
}

static bool add_tasks(struct causes *c, struct works *all, size_t *cap)
{
    const struct task *t;
    const size_t n = trace_tasks(c->tr, &t);
    uint32_t types;
    struct task_type *type = task_types(t, n, &types);
    bool ok = type;
    for (uint32_t i = 0; ok && i < types && i < WORKS_MOST / 2; i++) {
        struct cut k = {.all = all};
        const size_t step = n / PIECES + 1;
        for (size_t j = 0; j < n && !k.failed; j += step) {
            if (t[j].name == type[i].name) {
                if (!t[j].open_start && !t[j].open_end && t[j].g != NO_LANE)
                    cut_add(&k, workpiece_of_task(c->tr, j));
                else
                    cut_open(&k, workpiece_of_task(c->tr, j), c->tg->end);
            }
        }
        struct work *w = k.n ? work_add(all, cap) : NULL;
        ok = !k.failed && (!k.n || w);
        if (ok && w) {
            w->kind = WORK_TASKS;
            w->name = type[i].name;
            ok = work_set(w, &k, (double)step);
        }
        mem_free(k.v);
    }
    mem_free(type);
    return ok;
}

struct group_works {
    struct work v[SERVING];
    uint32_t n;
};

/* What the goroutines of a group do. */
static bool works_of(const struct causes *c, const struct works *all, uint32_t group, struct group_works *out)
{
    const struct group *grp = &c->tg->groups[group];
    if (grp->is_system || !grp->count || !grp->name)
        return true;
    const bool serves = request_serves(c->tr, grp->name);
    const uint32_t messages = serves ? serving_messages(c, group) : 0;
    const bool http = serves && !messages;
    const struct serving parts = messages ? (struct serving){{messages}, 1} : serving_of(c, group, http);
    const bool requests = http || parts.v[0];
    struct cut k[SERVING] = {{.all = all}, {.all = all}, {.all = all}, {.all = all}}, paced = {.all = all};
    struct work like = {.name = grp->name, .group = group, .kind = requests ? WORK_REQUESTS : WORK_ITEMS};
    own_pieces(c, group, http, &parts, k, &paced);
    like.paced = like.single = (double)k[0].n < threshold(TH_PIECES) && !requests;
    cut_choose(&k[0], &paced, like.paced);
    if (!requests) {
        struct cut taken = {.all = all, .seen = grp->ns[GM_LIFE], .more = k[0].more};
        taken.failed |= !pieces_taken(c, group, cut_add, &taken);
        const bool more = (double)taken.n >= threshold(TH_PIECES) && taken.n > k[0].n;
        cut_choose(&k[0], &taken, more);
        like.single |= more;
        like.paced &= !more;
    }
    if (!requests && (double)k[0].n >= threshold(TH_PIECES)) {
        cut_still(&k[0]);
    } else if (!requests) {
        struct cut lives = {.all = all, .more = k[0].more};
        like.standing = lives_in(c, group, &lives);
        like.job = like.standing && grp->ended == grp->count;
        cut_choose(&k[0], &lives, true);
        like.kind = !like.standing && begun_by_reader(c, group) ? WORK_REQUESTS : WORK_LIVES;
        like.lives = true;
        like.paced = like.single = false;
    }
    bool ok = true;
    int64_t seen = 0;
    for (uint32_t i = 0; i < parts.n; i++)
        seen = ns_add(seen, k[i].seen);
    for (uint32_t i = 0; i < parts.n; i++) {
        if (ok && !k[i].failed && k[i].n) {
            out->v[out->n] = like;
            ok = work_set(&out->v[out->n++], &k[i], seen > 0 ? (double)grp->ns[GM_LIFE] / (double)seen : 1);
        }
        ok &= !k[i].failed;
        mem_free(k[i].v);
    }
    return ok;
}

struct all_groups { /* each group's works, found by themselves */
    const struct causes *c;
    struct works *all;
    size_t cap;
    uint32_t mains; /* main's group is none of them */
    bool full;      /* there are as many works as are wanted */
};

static bool group_work(void *arg, size_t i, void **kept)
{
    const struct all_groups *k = arg;
    struct group_works *w = mem_zalloc(sizeof *w);
    *kept = w;
    if (__atomic_load_n(&k->full, __ATOMIC_RELAXED) || i == k->mains)
        return w;
    return w && works_of(k->c, k->all, (uint32_t)i, w);
}

static void group_drop(void *kept)
{
    struct group_works *w = kept;
    for (uint32_t i = 0; w && i < w->n; i++)
        work_free(&w->v[i]);
    mem_free(w);
}

static bool group_add(void *arg, size_t i, void *kept)
{
    struct all_groups *k = arg;
    struct group_works *w = kept;
    bool ok = true;
    (void)i;
    for (uint32_t n = 0; ok && n < w->n && !k->full; n++) {
        struct work *to = work_add(k->all, &k->cap);
        __atomic_store_n(&k->full, k->all->n >= WORKS_MOST, __ATOMIC_RELAXED);
        ok = to != NULL;
        if (to) {
            *to = w->v[n];
            w->v[n] = (struct work){0};
        }
    }
    group_drop(w);
    return ok;
}

bool works_find(struct causes *c, struct works *all)
{
    const uint32_t g1 = trace_find_lane(c->tr, LANE_G, 1), mains = causes_group_of(c, g1);
    const uint32_t groups = c->tg->ngroups < GROUPS ? c->tg->ngroups : GROUPS;
    struct all_groups each = {.c = c, .all = all, .mains = mains};
    bool ok = add_tasks(c, all, &each.cap) &&
              slices_each(trace_threads(c->tr), groups,
                          &(struct slices_job){group_work, group_add, group_drop, &each});
    if (ok && mains != UINT32_MAX) {
        struct cut k = {0};
        const struct lane_info li = trace_lane(c->tr, lane_g(g1));
        cut_add(&k, workpiece_of_g(g1, li.first, li.last));
        struct work *w = k.n ? work_add(all, &each.cap) : NULL;
        ok = !k.n || w;
        if (w) {
            w->kind = WORK_MAIN;
            w->name = c->tg->groups[mains].name;
            w->group = mains;
            w->standing = true;
            ok = work_set(w, &k, 1);
        }
        mem_free(k.v);
    }
    return ok && works_matter(c, all, mains);
}
