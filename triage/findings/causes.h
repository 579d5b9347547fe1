/*
 * causes.h - which goroutines belong to which group, and what the program has of processors. Works and
 * verdicts are made from this.
 *
 * Built from triage's tables when the findings are made.
 */
#ifndef GOTOP_TRIAGE_CAUSES_H
#define GOTOP_TRIAGE_CAUSES_H

#include "triage/findings/explain.h"
#include "triage/tables/slices.h"
#include "triage/triage.h"

struct member_of { /* the goroutines of a group: so many from causes.member[at] on */
    uint32_t n, at;
    bool hands_on; /* others wait for what it reads from the network */
};
struct causes {
    const struct triage *tg;
    const struct trace *tr;
    uint32_t *member;
    struct member_of *of; /* by group */
    struct tab by_name;   /* group by string of the start function */
    struct tab accepts;   /* strings: the functions of the program in which connections are accepted */
    /* Averages: */
    double procs; /* processors */
    double idle;  /* of these, known to be idle; for a damaged trace not all are known */
    double ran;   /* ns that the program's goroutines ran, in all */
};
bool causes_init(struct causes *c, const struct triage *tg); /* false: out of memory */
void causes_free(struct causes *c);
/* causes_group - Returns the group of goroutines with this start function, or UINT32_MAX. */
uint32_t causes_group(const struct causes *c, uint32_t name);
/* causes_group_of - Returns that of a goroutine; UINT32_MAX: there is no such goroutine. */
static inline uint32_t causes_group_of(const struct causes *c, uint32_t g)
{
    return g < c->tg->ng ? c->tg->group_of[g] : UINT32_MAX;
}
/* causes_at_once - Returns how many goroutines of a group there were, on average while there were any. */
double causes_at_once(const struct causes *c, uint32_t group);

/* causes_nth - Returns the k-th goroutine of a group. each_member - A loop over the goroutines g of a sample
 * of at most so many, spread evenly over the group, unless it is UINT32_MAX. causes_look - How many these
 * are. */
static inline uint32_t causes_nth(const struct causes *c, uint32_t group, uint32_t k)
{
    return c->member[c->of[group].at + k];
}
static inline uint32_t causes_look(const struct causes *c, uint32_t group, uint32_t most)
{
    return group == UINT32_MAX ? 0 : c->of[group].n < most ? c->of[group].n : most;
}
static inline bool causes_next(const struct causes *c, uint32_t group, uint32_t most, uint32_t *i,
                               uint32_t *g)
{
    const uint32_t n = causes_look(c, group, most);
    if (*i == n || !slices_tick())
        return false;
    *g = causes_nth(c, group, (uint32_t)((uint64_t)(*i)++ * c->of[group].n / n));
    return true;
}
#define each_member(g, c, group, most) for (uint32_t g, i_##g = 0; causes_next(c, group, most, &i_##g, &g);)

#endif
