/*
 * fam_conns.c - connections that are made anew: what pieces of a work wait for, or do, until they have one.
 * See verdict.h.
 */
#include "triage/findings/asks.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"
#include "triage/verdicts/ways.h"

enum { ROWS = 64, GROUPS = 64 };

/* Connections opened at one place: by system calls that connect, or, where they are not recorded, by waits
 * for that. */
struct conns {
    uint32_t user;
    const struct wait_row *row; /* the first of that place */
    uint64_t calls, waits;
    int64_t ns;
};

static void conns_add(struct conns *v, uint32_t *n, const struct works *w, const struct wait_row *r)
{
    const uint32_t user = verdict_place_of(w, r->stack, r->longest.g).user;
    const uint32_t k = find_first(i, *n, v[i].user == user);
    if (k == ROWS || !user)
        return;
    if (k == *n)
        v[(*n)++] = (struct conns){.user = user, .row = r};
    *(r->kind == WK_NET ? &v[k].waits : &v[k].calls) += r->count;
    v[k].ns = ns_add(v[k].ns, r->total);
}

/* How many pieces there are of the work that has most: who opens far fewer connections keeps them. */
static double most_pieces(const struct works *w)
{
    const struct work *most = largest_of(k, w->v, w->n, work_counts(k) && !k->standing ? k->n : 0);
    return most ? (double)most->n : 0;
}

static bool connects(const struct trace *tr, uint32_t stack)
{
    return stacks_has(tr, stack, "syscall.connect") || stacks_has(tr, stack, "syscall.Connect");
}

/* Whether most waits for a connection are for one that another one gives back: few are opened. */
static bool gives_back(const struct causes *c)
{
    uint64_t opened = 0, waits = 0;
    each_of(r, c->tg->syscalls, c->tg->nsyscalls)
        opened += connects(c->tr, r->stack) ? r->count : 0;
    each_of(r, c->tg->waits, c->tg->nwaits)
        if (stacks_may(c->tr, r->stack, STACK_CONNECTS))
            *(r->kind == WK_NET ? &opened : &waits) += r->count;
    return opened * 2 < waits;
}

bool verdict_conn_back(const struct causes *c, const struct tree_node *n)
{
    return n->cat == EX_WAIT && n->stack && stacks_may(c->tr, n->stack, STACK_CONNECTS) && gives_back(c);
}

/* Of the life of goroutines of one kind, the largest share in which they wait until one is opened there. */
static struct harm waits_for_one(const struct causes *c, const struct works *w, uint32_t user)
{
    struct harm most = {.work = NO_LANE, .of_work = NO_LANE};
    if (gives_back(c))
        return most;
    for (uint32_t group = 0; group < c->tg->ngroups && group < GROUPS; group++) {
        const double life = (double)c->tg->groups[group].ns[GM_LIFE];
        const uint32_t name = c->tg->groups[group].name;
        const int64_t ns = sum_over(
            p, c->tg->pairs, works_pairs(c),
            verdict_waits_at(w, p, name, user) && stacks_may(c->tr, p->stack, STACK_CONNECTS) ? p->total : 0);
        if (life <= 0 || (double)ns / life <= most.share)
            continue;
        most.share = (double)ns / life;
        most.of_work = NO_LANE;
        for (uint32_t k = 0; k < w->n; k++)
            most.of_work = w->v[k].group == group ? k : most.of_work;
    }
    return most;
}

struct opening { /* in one work's tree, of one function */
    int64_t ns[TREE_SETS];
    uint32_t node; /* the largest one; NO_LANE: none */
};

static void opening_in(const struct causes *c, const struct work_tree *t, uint32_t node, uint32_t user,
                       struct opening *o)
{
    for (uint32_t k = t->v[node].first; k != NO_LANE; k = t->v[k].next) {
        const struct tree_node *n = &t->v[k];
        if (!n->stack || n->user != user || !stacks_may(c->tr, n->stack, STACK_CONNECTS) ||
            verdict_conn_back(c, n)) {
            opening_in(c, t, k, user, o);
            continue;
        }
        ns_sum(o->ns, n->ns, TREE_SETS);
        o->node = o->node == NO_LANE || tree_both(n) > tree_both(&t->v[o->node]) ? k : o->node;
    }
}

/* ---- what follows the connection: a greeting, a login, keys -------------------------------------------- */

enum { DEPTH = 64, SAMPLE = 256, STEPS = 400 };

struct greeting {                        /* [0]: of all pieces; [1]: of the slow ones */
    uint32_t reads[DEPTH], after[DEPTH]; /* by frames shared with who connects; after: it has connected */
    int64_t ns[DEPTH][2], whole[2];
};

/* Returns how many of their outermost functions two stacks share. */
static uint32_t shared(const struct trace *tr, uint32_t a, uint32_t b)
{
    const uint32_t na = trace_stack(tr, a), nb = trace_stack(tr, b);
    uint32_t n = 0;
    while (n < na && n < nb && n < DEPTH - 1 &&
           trace_frame(tr, a, na - 1 - n).func == trace_frame(tr, b, nb - 1 - n).func)
        n++;
    return n;
}

/* As that, for who connects in a function with `own` frames up to it: what another one than the standard
 * library's reads, which that function calls, is read for the connection as well. */
static uint32_t shared_with(const struct causes *c, struct owners *o, uint32_t stack, uint32_t connects,
                            uint32_t own)
{
    const uint32_t n = shared(c->tr, stack, connects), all = trace_stack(c->tr, stack);
    const struct frame next = n < all ? trace_frame(c->tr, stack, all - 1 - n) : (struct frame){0};
    return n == own && next.func && owner_of(o, &next) >= OWNER_LIBRARY && n < DEPTH - 1 ? n + 1 : n;
}

static void greeting_in(const struct causes *c, struct owners *o, const struct workpiece *p,
                        const struct site *at, bool slow, struct greeting *k)
{
    const uint32_t own = trace_stack(c->tr, at->stack) - at->frame; /* frames up to the user's */
    bool connected = false;
    each_between(s, c->tr, p->g, p->t0, p->t1, STEPS) {
        if (s->t0 < p->t0 || !s->stack)
            continue;
        if (stacks_may(c->tr, s->stack, STACK_CONNECTS)) { /* that time is in opening_in() */
            connected |= owner_func(o, s->stack) == at->user;
            continue;
        }
        if (s->state != ST_WAITING || stacks_wait_kind(c->tr, s->reason, s->stack) != WK_NET)
            continue;
        const uint32_t n = shared_with(c, o, s->stack, at->stack, own);
        k->reads[n]++;
        k->after[n] += connected;
        k->ns[n][0] = ns_add(k->ns[n][0], s->t1 - s->t0);
        k->ns[n][1] = ns_add(k->ns[n][1], slow ? s->t1 - s->t0 : 0);
    }
    k->whole[0] = ns_add(k->whole[0], p->t1 - p->t0);
    k->whole[1] = ns_add(k->whole[1], slow ? p->t1 - p->t0 : 0);
}

/* Sets the part of the time of all pieces and of the slow ones that waits for answers in a library's function
 * that always connects before it: it belongs to opening a connection, if other answers follow. at: where the
 * user's function connects. */
static void greetings(const struct causes *c, struct owners *o, const struct work *k, const struct site *at,
                      double part[2])
{
    struct greeting g = {.whole = {0}};
    const uint32_t own = trace_stack(c->tr, at->stack) - at->frame; /* frames up to the user's */
    int64_t ns[2] = {0};
    for (uint32_t i = 0; i < k->looked; i += k->looked / SAMPLE + 1)
        greeting_in(c, o, &k->v[i], at, i < k->slow, &g);
    uint32_t others = 0;
    for (uint32_t n = 0; n < DEPTH; n++) {
        const bool opens = n > own && g.after[n] == g.reads[n];
        others += opens ? 0 : g.reads[n];
        for (int s = 0; s < 2 && opens; s++)
            ns[s] = ns_add(ns[s], g.ns[n][s]);
    }
    for (int s = 0; s < 2; s++)
        part[s] = others && g.whole[s] > 0 ? (double)ns[s] / (double)g.whole[s] : 0;
}

/* The part of a set that function `user` waits in vain, until a timer fires. */
static double in_vain(const struct work_tree *t, uint32_t node, uint32_t user, bool inside, enum tree_set s)
{
    double sum = 0;
    for (uint32_t k = t->v[node].first; k != NO_LANE; k = t->v[k].next) {
        const struct tree_node *n = &t->v[k];
        const bool in = inside || n->user == user;
        sum += in && (n->cat == EX_TIMER || n->cat == EX_DEADLINE) ? tree_share(t, k, s)
                                                                   : in_vain(t, k, user, in, s);
    }
    return sum;
}

/* The part of the pieces' time that goes into opening them: what is known to connect; or all that the
 * function which does so takes, where the usual ones are hardly in it. Who opens one for ten pieces or
 * fewer keeps them; then it matters to the slow ones, if it is most of what these do. */
static struct harm in_work(const struct causes *c, const struct works *w, uint32_t i, const struct verdict *v)
{
    const struct work *k = &w->v[i];
    struct harm h = {.work = i}, all = {.work = i};
    struct opening o = {.node = NO_LANE};
    double more[2];
    const bool keeps = v->ev[EV_COUNT] < threshold(TH_SHARE) * (double)k->n;
    if (!work_counts(k) || !k->tree.n)
        return h;
    opening_in(c, &k->tree, 0, v->where.user, &o);
    greetings(c, w->own, k, &v->where, more);
    h.all = tree_part(&k->tree, o.ns[TREE_ALL], TREE_ALL) + more[0];
    h.slow = tree_part(&k->tree, o.ns[TREE_SLOW], TREE_SLOW) + more[1];
    h.usual = tree_part(&k->tree, o.ns[TREE_USUAL], TREE_USUAL);
    h.share = h.all > h.slow ? h.all : h.slow;
    verdict_share_at(&k->tree, v->where.user, 0, &all);
    all.all -= in_vain(&k->tree, 0, v->where.user, false, TREE_ALL);
    all.slow -= in_vain(&k->tree, 0, v->where.user, false, TREE_SLOW);
    all.share = all.all > all.slow ? all.all : all.slow;
    if (!keeps && work_awaited(k) && all.all >= threshold(TH_SET_SHARE) &&
        all.usual * threshold(TH_TAIL) < all.all)
        h = all;
    if (keeps && h.slow < threshold(TH_MOST))
        return (struct harm){.work = i};
    h.hit = o.node != NO_LANE ? k->tree.v[o.node].pieces[TREE_ALL] : 0;
    h.of = k->tree.pieces[TREE_ALL];
    return h;
}

/* Whether each goroutine of g's kind opened one at most, and they began in the first quarter of the
 * trace: they keep them. */
static bool once_each(const struct causes *c, uint32_t g, double count)
{
    const uint32_t group = c->tg->group_of[g];
    const double first = members_by(c, group, c->tg->end / 4), n = (double)c->of[group].n;
    return n >= count && first >= (1 - threshold(TH_SHARE)) * n;
}

/* Finds the work that spends the largest part on it. It is about tasks and requests; of others, whether they
 * could keep them is unknown: a note. Returns whether there is enough of it to be told. */
static bool tells(const struct causes *c, const struct works *w, struct verdict *v)
{
    struct harm most = {.work = NO_LANE};
    for (uint32_t i = 0; i < w->n; i++) {
        const struct harm h = in_work(c, w, i, v);
        most = h.share > most.share ? h : most;
    }
    const bool much = most.share >= threshold(TH_SHARE);
    if (much && work_awaited(&w->v[most.work])) {
        v->harm = most;
        verdict_ev(v, EV_EACH, most.all * (double)w->v[most.work].total / v->ev[EV_COUNT]);
        return true;
    }
    if (most.work != NO_LANE)
        verdict_raise(&v->harm, most.work, most.all, most.slow);
    const struct harm waits = waits_for_one(c, w, v->where.user);
    v->harm = waits.share > v->harm.share ? waits : v->harm;
    v->score = v->harm.share;
    v->clock =
        v->score > threshold(TH_LITTLE) ? v->score : threshold(TH_LITTLE); /* so many are worth a line */
    return much ||
           (!once_each(c, v->g, v->ev[EV_COUNT]) && v->ev[EV_COUNT] >= threshold(TH_MOST) * most_pieces(w));
}

bool fam_conns(struct causes *c, const struct works *w, struct verdicts *out)
{
    struct conns v[ROWS];
    uint32_t n = 0;
    bool ok = true;
    each_of(r, c->tg->syscalls, c->tg->nsyscalls)
        if (connects(c->tr, r->stack) &&
            !stacks_has(c->tr, r->stack, "net.(*sysDialer).dialUDP")) /* which connects nothing */
            conns_add(v, &n, w, r);
    each_of(r, c->tg->waits, c->tg->nwaits)
        if (r->kind == WK_NET && stacks_may(c->tr, r->stack, STACK_CONNECTS))
            conns_add(v, &n, w, r);
    for (uint32_t i = 0; ok && i < n; i++) {
        const double count = (double)(v[i].calls > v[i].waits ? v[i].calls : v[i].waits);
        const struct moment *m = &v[i].row->longest;
        struct verdict d = verdict_new(RULE_CONNS, 0, verdict_place_of(w, v[i].row->stack, m->g));
        d.waiter = (struct role){.group = trace_g_name(c->tr, m->g), .g = m->g, .at = d.where};
        verdict_shows(&d, m->g, m->t0, m->t1);
        verdict_ev(&d, EV_COUNT, count);
        verdict_ev(&d, EV_RATE, count * 1e9 / (double)c->tg->end);
        verdict_ev(&d, EV_EACH, (double)v[i].ns / count);
        ok = count < threshold(TH_MANY) || !tells(c, w, &d) || verdict_add(out, &d);
    }
    return ok;
}
