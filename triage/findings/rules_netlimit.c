/*
 * rules_netlimit.c - a time limit over the network that is waited out: who asked gets no answer, and waits until its
 * deadline.
 *
 * No trace says what ended a wait for the network. But who is woken because something came reads it, in the function
 * that waited, and that system call is recorded; whose time is up goes on without.
 */
#include "triage/findings/causes.h"
#include "triage/findings/asks.h"
#include "triage/findings/waits_at.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"

#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"

#define PLACES 8
#define WALKED 16  /* goroutines of a group */
#define STEPS 4000 /* spans of each */
#define KEPT 2048
#define NEXT 6 /* spans behind a wait until it reads */

#define LONGEST_ROW 16
#define SHORT 500000 /* ns: no time limit is shorter */

struct limits { /* of one place: waits that no read followed, and the others */
    int64_t up[KEPT], came[KEPT];
    uint32_t nup, ncame;
    uint64_t asked;                 /* of `up`: it had sent something before */
    uint32_t rows[LONGEST_ROW + 1]; /* of one behind the other, by how many */
    uint32_t anew, again;           /* of the second and later ones: over a new connection; all */
    int64_t total, all, life;       /* of `up`; of both; of those that wait there */
    uint64_t sent, silent;          /* of both: it had sent something before; nothing was read behind */
    uint32_t stack, g;              /* of the longest that was up */
    int64_t t0, t1;
};

static bool is_plumbing(struct str s)
{
    return str_starts(s, "runtime.") || str_starts(s, "internal/poll.runtime_") ||
           str_starts(s, "internal/poll.(*pollDesc).") || str_starts(s, "internal/poll.(*FD).Wait");
}

/* The function of the library that waits, and that reads once something has come: a string, 0 none. */
static uint32_t reader_of(const struct trace *tr, uint32_t stack)
{
    const uint32_t n = trace_stack(tr, stack);
    for (uint32_t i = 0; i < n && i < 8; i++) {
        const uint32_t f = trace_frame(tr, stack, i).func;
        if (!is_plumbing(trace_str(tr, f))) {
            const struct str s = trace_str(tr, f);
            return str_starts(s, "internal/poll.(*FD).Read") ? f : 0;
        }
    }
    return 0;
}

enum what { CAME, UP, UNKNOWN };
/* What the goroutine did behind the wait at which the iterator stands: read there, or something else? */
static enum what what_ended(struct span_iter it, uint32_t reader)
{
    for (int i = 0; i < NEXT && span_next(&it); i++) {
        const struct span *s = span_get(&it);
        if (s->state == ST_SYSCALL) {
            return !s->stack ? UNKNOWN : stacks_passes(it.tr, s->stack, reader) ? CAME : UP;
        }
        if (s->state == ST_WAITING) {
            return UP;
        }
    }
    return UNKNOWN;
}

/*
 * Behind the wait at which it stands, is there only one call to read until it waits to read again? That one got
 * nothing.
 */
static bool read_nothing(struct span_iter it, uint32_t reader)
{
    uint32_t reads = 0;
    for (int i = 0; i < NEXT && span_next(&it); i++) {
        const struct span *s = span_get(&it);
        if (s->state == ST_WAITING) {
            return reads <= 1 && reader_of(it.tr, s->stack) == reader;
        }
        reads += s->state == ST_SYSCALL;
    }
    return false;
}

/* One more that is up, behind so many, or the end of a row. */
static void row_step(struct limits *v, enum what w, uint32_t *row, bool anew)
{
    if (w == UP) {
        v->again += *row > 0;
        v->anew += *row > 0 && anew;
        (*row)++;
    } else if (w == CAME && *row) {
        v->rows[*row < LONGEST_ROW ? *row : LONGEST_ROW]++;
        *row = 0;
    }
}

/* What is asked, and whether it was read for: an answer that is there at once is not waited for. */
struct question {
    bool sent, read, waited;
};

/* true: the answer before came at once. */
static bool call_step(const struct causes *c, const struct span *s, struct question *q)
{
    bool came = false;
    if (s->stack && causes_sends(c->tr, s->stack)) {
        came = q->sent && q->read && !q->waited;
        *q = (struct question){.sent = true};
    } else if (s->stack) {
        q->read |= stacks_has(c->tr, s->stack, "poll.(*FD).Read");
    }
    return came;
}

static void walk(const struct causes *c, uint32_t g, uint32_t place, struct limits *v)
{
    struct walk w;
    uint32_t row = 0;
    struct question q = {0};
    bool anew = false;
    walk_g(&w, c->tr, g, STEPS);
    for (const struct span *s; (s = walk_next(&w));) {
        v->life = ns_add(v->life, s->t1 - s->t0);
        if (s->state == ST_NONE) {
            q = (struct question){0};
            row = 0;
            anew = false;
        }
        if (s->state == ST_SYSCALL && call_step(c, s, &q)) {
            row_step(v, CAME, &row, anew);
        }
        anew = anew || (s->stack && calls_connecting(c->tr, s->stack));
        if (s->state != ST_WAITING || s->open_start || s->open_end ||
            stacks_wait_kind(c->tr, s->reason, s->stack) != WK_NET || causes_place(c->tr, s->stack) != place) {
            continue;
        }
        const uint32_t reader = reader_of(c->tr, s->stack);
        const enum what how = reader ? what_ended(w.it, reader) : UNKNOWN;
        const int64_t ns = s->t1 - s->t0;
        if (how != UNKNOWN) { /* connecting waits, too */
            row_step(v, how, &row, anew);
            anew = false;
            q.waited = true;
        }
        if (how != UNKNOWN) {
            v->all = ns_add(v->all, ns);
            v->sent += q.sent;
            v->silent += read_nothing(w.it, reader);
        }
        if (how == CAME && v->ncame < KEPT) {
            v->came[v->ncame++] = ns;
        } else if (how == UP && v->nup < KEPT) {
            v->up[v->nup++] = ns;
            v->asked += q.sent;
            v->total = ns_add(v->total, ns);
            if (ns > v->t1 - v->t0) {
                v->stack = s->stack;
                v->g = g;
                v->t0 = s->t0;
                v->t1 = s->t1;
            }
        }
        q.sent = false;
    }
    row_step(v, CAME, &row, false);
}

/* Limits are one number: how many end from it on and not much later, as a share. *limit: the number. */
static double alike(struct limits *v, int64_t *limit)
{
    uint32_t near = 0;
    qsort(v->up, v->nup, sizeof v->up[0], cmp_ns);
    qsort(v->came, v->ncame, sizeof v->came[0], cmp_ns);
    *limit = v->nup ? v->up[v->nup / 10] : 0;
    for (uint32_t i = 0; i < v->nup; i++) {
        near += v->up[i] >= *limit - *limit / 20 &&
                (double)v->up[i] <= threshold(TH_NETLIMIT_ALIKE) * (double)*limit + threshold(TH_NETLIMIT_LATE);
    }
    return v->nup ? (double)near / v->nup : 0;
}

/*
 * Are nearly all rows of one length, of two or more? Who asks again until an answer comes has rows of any length, so
 * it gives up after so many tries, of which none helps. 0: no.
 */
static uint32_t tries(const struct limits *v, uint32_t *all)
{
    uint32_t most = 1;
    *all = 0;
    for (uint32_t i = 1; i <= LONGEST_ROW; i++) {
        *all += v->rows[i];
        most = v->rows[i] > v->rows[most] ? i : most;
    }
    return most > 1 && most < LONGEST_ROW && (double)v->rows[most] >= threshold(TH_LINGER_TIMES) &&
                   threshold_reached(TH_NETLIMIT_ROWS, v->rows[most], *all)
               ? most
               : 0;
}

static void tries_text(struct draft *d, const struct causes *c, const struct limits *v)
{
    uint32_t rows;
    const uint32_t n = tries(v, &rows);
    if (!n) {
        text_lit(&d->next,
                 "The other side does not answer in time: find out which one is silent, or whether the timeout is "
                 "shorter than the request takes; ask the one that answered last first, or two at once.");
        return;
    }
    text_say(&d->text, c->tr, " ", v->rows[n], " of ", rows, " times these are ", n,
             " in a row, after which it goes on: the request seems to be retried, ",
             threshold_reached(TH_NETLIMIT_ROWS, v->anew, v->again) ? "each time over a new connection, " : "",
             "and no retry helps (inferred).");
    text_lit(
        &d->next,
        "Retrying with the same timeout does not help: it may be shorter than these requests take. Allow more time, "
        "or give up after the first; an answer may still be on its way on the connection that is given up.");
}

static void finding(struct causes *c, const struct limits *v, uint32_t place, uint32_t group, int64_t limit)
{
    const struct group_life *l = &c->life[group];
    const double share = (double)v->total / (double)v->life;
    struct draft d;
    draft_start(&d, RULE_LINGER, (int64_t)(share * (double)(l->last - l->first)));
    draft_about(&d, c->rs, place, v->stack);
    draft_at(&d, v->t0, v->t1, LANE_G, v->g);
    d.f.inferred = true;
    /* where no answer ever comes it may be a pace */
    d.f.note = v->ncame * 10 < v->nup || share < threshold(TH_LINGER_LIFE);
    text_share(&d.amount, share, 1);
    text_say(&d.text, c->tr, t_place(v->stack, 3), " waits for an answer over the network until its timeout (about ",
             t_dur(limit), "): after ", v->nup, " of ", v->nup + v->ncame, " waits there nothing is read; they last ",
             t_dur(v->total / (int64_t)v->nup), " on average");
    if (v->ncame) {
        text_say(&d.text, c->tr, ", half of the others ", t_dur(v->came[v->ncame / 2]), " or less");
    }
    text_say(&d.text, c->tr, ". That is ", t_share(share, 1), " of the lives of goroutines of ",
             t_func(c->tg->groups[group].name), "; ", t_f1(c->idle), " of ", t_f0(c->procs),
             " processors were idle.");
    tries_text(&d, c, v);
    draft_end(c->rs, &d);
}

/*
 * Who reads several connections in turn, with a time limit each, waits that long at each that has nothing, and finds
 * something at the next at once. Nothing is sent, and the waits are as long as each other. Where now and then one
 * ends and nothing is read behind it, these are limits; where something always is, it may be one connection over
 * which things come at that pace. 0: no.
 */
static int64_t regular(const struct limits *v, uint32_t *alike_n)
{
    uint32_t near = 0, n = 0;
    int64_t *all = mem_alloc(((size_t)v->nup + v->ncame + 1) * sizeof *all);
    for (uint32_t i = 0; all && i < v->nup; i++) {
        all[n++] = v->up[i];
    }
    for (uint32_t i = 0; all && i < v->ncame; i++) {
        all[n++] = v->came[i];
    }
    if (n) {
        qsort(all, n, sizeof *all, cmp_ns);
    }
    const int64_t limit = n ? all[n / 10] : 0;
    for (uint32_t i = n / 10; i < n; i++) {
        near += (double)all[i] <= threshold(TH_NETLIMIT_ALIKE) * (double)limit;
    }
    mem_free(all);
    *alike_n = near;
    return v->sent * 10 <= n && threshold_reached(TH_NETLIMIT_TURN, n - (int64_t)v->silent, n) &&
                   (double)n >= threshold(TH_NETLIMIT_TURNS) && limit >= SHORT &&
                   threshold_reached(TH_NETLIMIT_REGULAR, near, n)
               ? limit
               : 0;
}

static void turn_finding(struct causes *c, const struct limits *v, const struct waits_at *p, uint32_t group,
                         int64_t limit, uint32_t alike_n)
{
    const struct group_life *l = &c->life[group];
    const double share = (double)v->all / (double)v->life;
    const uint32_t n = v->nup + v->ncame;
    const bool limits = threshold_reached(TH_NETLIMIT_TURN, (int64_t)v->silent, n);
    struct draft d;
    draft_start(&d, RULE_LINGER, limits ? (int64_t)(share * (double)(l->last - l->first)) : 0);
    draft_about(&d, c->rs, p->place, p->most->stack);
    draft_moment(&d, &p->most->longest);
    d.f.inferred = true;
    d.f.note = !limits;
    text_share(&d.amount, share, 1);
    text_say(&d.text, c->tr, t_place(p->most->stack, 3),
             " waits for the network, nearly always equally long: ", alike_n, " of ", n, " waits are of ",
             t_dur(limit), " to ", t_dur((int64_t)(threshold(TH_NETLIMIT_ALIKE) * (double)limit)),
             ", and nothing is sent before. That is ", t_share(share, 1), " of the lives of goroutines of ",
             t_func(c->tg->groups[group].name), ".");
    text_say(&d.text, c->tr,
             limits ? " It is the timeout of a goroutine that reads several connections in turn (inferred): nothing "
                      "is read after "
                    : " It may be the timeout of a goroutine that reads several connections in turn, or the pace at "
                      "which data comes: something is read after ",
             limits ? v->silent : n - v->silent, " of them",
             limits ? ", and after the others what came meanwhile, over another connection." : ".");
    text_lit(&d.next, "If several connections are read in turn: give each its own goroutine that passes on what "
                      "arrives (a channel); then a silent one does not keep the others waiting.");
    draft_titled(c->rs, &d, "always waits equally long");
}

static bool in_reader(const struct causes *c, const struct pair_row *p)
{
    return p->kind == WK_NET && reader_of(c->tr, p->stack);
}

void rules_netlimit(struct causes *c)
{
    struct waits_at at[PLACES];
    struct limits *v = NULL;
    const uint32_t n = waits_at_rows(c, at, PLACES, PAIRS_ALL, in_reader);
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t group = causes_group(c, at[k].most->waiter);
        const struct group_life *l = group == UINT32_MAX ? NULL : &c->life[group];
        if (!l || l->life <= 0 || (double)at[k].count < threshold(TH_NETLIMIT_TIMES) ||
            !threshold_reached(TH_NETLIMIT_LIFE, at[k].total, l->life) || c->idle < causes_idle_least(c) ||
            calls_for_questions(c, at[k].most, at[k].place)) {
            continue;
        }
        v = v ? v : mem_alloc(sizeof *v);
        if (!v) {
            c->rs->failed = true;
            return;
        }
        memset(v, 0, sizeof *v);
        const uint32_t m = c->of[group].n, look = m < WALKED ? m : WALKED;
        for (uint32_t i = 0; i < look; i++) {
            walk(c, causes_member(c, group, i, WALKED), at[k].place, v);
        }
        int64_t limit = 0;
        uint32_t same = 0;
        /* (a read must be seen somewhere: there are systems on which the kernel reads before it wakes) */
        if ((double)v->nup >= threshold(TH_NETLIMIT_TIMES) && v->ncame && v->asked * 2 > v->nup && v->life > 0 &&
            threshold_reached(TH_NETLIMIT_LIFE, v->total, v->life) &&
            alike(v, &limit) >= threshold(TH_NETLIMIT_PART)) {
            finding(c, v, at[k].place, group, limit);
        } else if (v->life > 0 && threshold_reached(TH_LINGER_LIFE, v->all, v->life) && (limit = regular(v, &same))) {
            turn_finding(c, v, &at[k], group, limit, same);
        }
    }
    mem_free(v);
}
