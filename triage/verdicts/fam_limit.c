/*
 * fam_limit.c - reads that give up. Who waits for the network, and is woken because there is something, reads
 * it by a system call at once. Who is woken by a deadline does not.
 */
#include "triage/findings/asks.h"
#include "triage/findings/walk.h"
#include "triage/verdicts/verdict.h"

enum { MEMBERS = 16, STEPS = 4000, LEAST = 3 };

struct reads {
    const struct causes *c;
    const struct works *w;
    uint32_t user;
    uint32_t in_vain, answered;
    double vain, all; /* ns */
};

static void look_at(struct reads *r, uint32_t g)
{
    int64_t ns = 0; /* of a wait that has not been told yet */
    struct walk k;
    walk_g(&k, r->c->tr, g, STEPS);
    for (const struct span *s; (s = walk_next(&k));) {
        const bool goes_on = s->state == ST_RUNNABLE || s->state == ST_RUNNING;
        if (s->state == ST_NONE) {
            ns = 0;
        } else if (ns && !goes_on) {
            const bool read = s->state == ST_SYSCALL && s->stack &&
                              stacks_has(r->c->tr, s->stack, "internal/poll.(*FD).Read");
            r->all += (double)ns;
            r->vain += read ? 0 : (double)ns;
            r->answered += read;
            r->in_vain += !read;
            ns = 0;
        }
        if (s->state == ST_WAITING && s->stack && !s->open_end &&
            stacks_wait_kind(r->c->tr, s->reason, s->stack) == WK_NET &&
            stacks_has(r->c->tr, s->stack, "internal/poll.(*FD).Read") &&
            verdict_place(r->w, s->stack).user == r->user)
            ns = s->t1 - s->t0;
    }
}

double verdict_gives_up(const struct causes *c, const struct works *w, const struct verdict *v, double *each)
{
    struct reads r = {.c = c, .w = w, .user = v->where.user};
    const uint32_t group = causes_group(c, v->waiter.group);
    for (uint32_t k = 0; group != UINT32_MAX && k < c->of[group].n && k < MEMBERS; k++)
        look_at(&r, causes_member(c, group, k, MEMBERS));
    if (r.in_vain < LEAST || r.answered < LEAST)
        return 0;
    *each = r.vain / r.in_vain;
    return r.vain / r.all;
}
