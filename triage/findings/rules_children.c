/*
 * rules_children.c - a child process for each piece of work: one function of the program starts many, each of them short.
 *
 * What a child does no trace tells. That it is started, and how long who starts it is held up by that (forking, its pipes, its
 * end), is recorded: in all of this the stack passes through the functions of os/exec, os and syscall that start and await processes.
 */
#include "triage/findings/causes.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"

#define STEPS 20000 /* spans of each goroutine */
#define PLACES 8
#define WALKED 1024      /* goroutines of a group */
#define ALL_STEPS 320000 /* of these together */

struct children { /* of one function of the program */
    uint32_t place, stack, g;
    uint64_t n;
    int64_t ns, awaited; /* held up by them; of that waiting for their end */
    int64_t left,
        timer; /* and, their end seen, for a pipe of theirs that another keeps open; until a timer of exec's is up, not in ns */
    int64_t t0, t1; /* the longest */
};
struct walked { /* goroutines of one group */
    struct children v[PLACES];
    uint32_t n, of, looked;
    int64_t life, steps;
};

enum part { NO_CHILD, BEGINS, STARTS, AWAITS, ENDS };

static bool is_end(struct str s)
{
    return str_starts(s, "os.(*Process).") || str_is(s, "syscall.Wait4") || str_is(s, "internal/syscall/unix.Waitid");
}

/* What of a child's life a stack is in; STARTS: the one call of each start in which the child says that it runs. */
static enum part part_of(const struct trace *tr, uint32_t stack)
{
    const uint32_t n = trace_stack(tr, stack);
    enum part p = NO_CHILD;
    bool reads = false;
    for (uint32_t i = 0; i < n && i < 24; i++) {
        const uint32_t f = trace_frame(tr, stack, i).func;
        const struct str s = trace_str(tr, f);
        if (stacks_is_program(tr, f)) {
            return p;
        }
        if (str_is(s, "syscall.forkExec")) {
            return reads ? STARTS : BEGINS;
        }
        reads = str_is(s, "syscall.readlen");
        if (is_end(s)) {
            p = AWAITS;
        } else if (p == NO_CHILD && str_starts(s, "os/exec.(*Cmd).")) {
            p = str_is(s, "os/exec.(*Cmd).Wait") || str_is(s, "os/exec.(*Cmd).awaitGoroutines") ? ENDS : BEGINS;
        }
    }
    return p;
}

static struct children *row_of(struct walked *w, const struct trace *tr, uint32_t stack)
{
    const uint32_t place = causes_place(tr, stack);
    uint32_t i = 0;
    while (i < w->n && w->v[i].place != place) {
        i++;
    }
    if (!place || i == PLACES) {
        return NULL;
    }
    if (i == w->n) {
        w->v[w->n++] = (struct children){.place = place, .stack = stack};
    }
    return &w->v[i];
}

/*
 * A wait in (*Cmd).Wait has ended. Behind the end of the process it is for the goroutines of exec that copy its output: if these wait for
 * the pipe, somebody who inherited it has it still.
 */
static void waited_on(const struct causes *c, struct children *k, const struct span *wait, const struct span *next,
                      bool ended)
{
    const int64_t ns = wait->t1 - wait->t0;
    struct span s;
    if (next->state != ST_RUNNABLE) {
        return;
    }
    if ((next->who == NO_LANE || next->who >= c->tg->ng) &&
        stacks_wait_kind(c->tr, wait->reason, wait->stack) == WK_SELECT) {
        k->timer = ns_add(k->timer, ns);
        k->ns -= ns;
    } else if (ended && next->who < c->tg->ng &&
               trace_span_at(c->tr, (struct lane){LANE_G, next->who}, wait->t0 + ns / 2, &s) &&
               s.state == ST_WAITING && stacks_wait_kind(c->tr, s.reason, s.stack) == WK_NET &&
               stacks_pipe(c->tr, s.stack)) {
        k->left = ns_add(k->left, ns);
    }
}

/* A goroutine's: such spans, and what runs between two of them that follow each other, for the same child. */
static void walk(const struct causes *c, uint32_t g, struct walked *w)
{
    struct walk k0;
    uint32_t last = 0;
    enum part p = NO_CHILD;
    struct children *under_way = NULL;
    struct span wait = {.state = ST_NONE}; /* in (*Cmd).Wait, just over */
    int64_t between = 0, since = 0;
    bool awaited = false; /* the one under way */
    w->looked++;
    walk_g(&k0, c->tr, g, STEPS);
    for (const struct span *s; (s = walk_next(&k0));) {
        const int64_t ns = s->t1 - s->t0;
        w->steps++;
        if (wait.state == ST_WAITING && under_way) {
            waited_on(c, under_way, &wait, s, awaited);
        }
        wait.state = ST_NONE;
        if (s->state == ST_NONE) {
            under_way = NULL;
        }
        w->life = ns_add(w->life, ns);
        if ((s->state != ST_SYSCALL && s->state != ST_WAITING) || !s->stack) {
            between += ns;
            continue;
        }
        p = s->stack == last ? p : part_of(c->tr, s->stack);
        last = s->stack;
        struct children *k = p == NO_CHILD ? NULL : row_of(w, c->tr, s->stack);
        const bool new = k && (k != under_way || (awaited && (p == BEGINS || p == STARTS)));
        since = new ? s->t0 : since;
        awaited = (awaited && !new) || p == AWAITS;
        if (k) {
            k->n += p == STARTS;
            k->stack = p == STARTS ? s->stack : k->stack;
            k->ns = ns_add(k->ns, ns_add(ns, new ? 0 : between));
            k->awaited = ns_add(k->awaited, p == AWAITS ? ns : 0);
            if (s->t1 - since > k->t1 - k->t0) {
                k->t0 = since;
                k->t1 = s->t1;
                k->g = g;
            }
        }
        wait = k && p == ENDS ? *s : wait;
        under_way = k;
        between = 0;
    }
}

/* Is most of it waiting for what a child that has ended leaves open? */
static bool leaves_open(const struct children *k)
{
    return k->left * 2 > k->ns && k->left / (int64_t)k->n >= threshold_ns(TH_CHILD_LEFT);
}

static void left_text(struct draft *d, const struct children *k)
{
    struct text *t = &d->text;
    text_lit(t, " After the child's exit it waits ");
    text_dur(t, k->left / (int64_t)k->n);
    text_lit(t, " on average for the end of its output: another process that inherited the pipe (one the child "
                "started in the background) still holds it open.");
    text_lit(&d->next, "Set the command's WaitDelay, give it a file instead of a pipe, or redirect the background "
                       "process's output.");
}

static void children_finding(struct causes *c, uint32_t group, const struct walked *w, const struct children *k)
{
    const struct group_life *l = &c->life[group];
    const double share = (double)k->ns / (double)w->life;
    const int64_t each = k->ns / (int64_t)k->n;
    const bool left = leaves_open(k),
               in_row = !left && w->of == 1; /* one goroutine waits for each before it starts the next */
    struct draft d;
    draft_start(&d, RULE_CHILDREN, (int64_t)(share * (double)(l->last - l->first)));
    d.f.note = !left && each > threshold_ns(TH_CHILD_LENGTH) &&
               !(in_row && share >= threshold(TH_CHILD_ROW) && (double)k->n >= threshold(TH_CHILD_MANY));
    draft_about(&d, c->rs, k->place, k->stack);
    draft_at(&d, k->t0, k->t1, LANE_G, k->g);
    text_add(&d.amount, "%llu", (unsigned long long)k->n);
    text_say(&d.text, c->tr, t_place(k->stack, 3), " starts a child process for each piece of work: ", k->n,
             " of them", w->of > w->looked ? " by those looked at" : "", ", each holds up its goroutine for ",
             t_dur(each), " on average, ", t_dur(k->awaited / (int64_t)k->n),
             " of it waiting for the child to exit; that is ", t_share(share, 1), " of the lives of goroutines of ",
             t_func(c->tg->groups[group].name), ". A trace does not show what the child does.");
    if (k->timer > k->ns / 20) {
        text_say(&d.text, c->tr, " Not counted in that: ", t_dur(k->timer / (int64_t)k->n),
                 " each until a timer fires (WaitDelay, a deadline).");
    }
    if (in_row) {
        text_lit(&d.text, " One goroutine starts them all, one after the other.");
        text_lit(&d.next, "Let several goroutines start them in parallel, as many as the host has processors. ");
    }
    if (left) {
        left_text(&d, k);
    }
    text_add(&d.next, "%s",
             left ? ""
                  : "Do it in this process (a package instead of the tool), or let one child handle many: pass it a "
                    "list, or keep one running.");
    draft_titled(c->rs, &d, left ? "child ended, output still awaited" : rule_title(RULE_CHILDREN));
}

static bool any_start(const struct causes *c)
{
    bool any = false;
    for (uint32_t i = 0; i < c->tg->nsyscalls && !any; i++) {
        any = part_of(c->tr, c->tg->syscalls[i].stack) == STARTS;
    }
    return any;
}

void rules_children(struct causes *c)
{
    if (!any_start(c)) {
        return;
    }
    for (uint32_t i = 0; i < c->tg->ngroups && i < 32; i++) {
        struct walked w = {.of = c->of[i].n};
        const struct children *best = NULL;
        for (uint32_t m = 0; c->life[i].program && m < c->of[i].n && m < WALKED && w.steps < ALL_STEPS; m++) {
            walk(c, causes_member(c, i, m, WALKED), &w);
        }
        for (uint32_t k = 0; k < w.n; k++) {
            best = w.v[k].n && (!best || w.v[k].ns > best->ns) ? &w.v[k] : best;
        }
        if (best && (double)best->n >= threshold(TH_CHILD_COUNT) &&
            (leaves_open(best) || best->ns / (int64_t)best->n <= threshold_ns(TH_CHILD_LONG)) &&
            threshold_reached(TH_CHILD_LIFE, best->ns, w.life)) {
            children_finding(c, i, &w, best);
        }
    }
}
