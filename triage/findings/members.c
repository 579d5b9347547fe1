/*
 * members.c - which goroutines belong to a group. In a program that starts goroutines of one kind by the
 * million, most have neighbouring numbers: a group whose members are in long runs is stored as runs, any
 * other one goroutine by goroutine.
 */
#include "triage/findings/causes.h"

#include "decode/base/bisect.h"
#include "decode/base/mem.h"

/* A run of consecutive goroutines of one group is two words: the first goroutine, and its index in the
 * group. */
enum { RUN_WORDS = 2, RUN_LEAST = 8 /* average number of goroutines */ };

struct found { /* of a group, so far */
    uint32_t n, runs;
    uint32_t till; /* end of its last run */
};

/* Count the members or, with c->member, store them. */
static void find(struct causes *c, struct found *found)
{
    const struct triage *tg = c->tg;
    /* Add consecutive goroutines of one group at once. */
    for (uint32_t g = 0, n; g < tg->ng; g += n) {
        const uint32_t group = tg->group_of[g];
        for (n = 1; g + n < tg->ng && tg->group_of[g + n] == group;)
            n++;
        const struct member_of *m = &c->of[group];
        struct found *f = &found[group];
        const bool begins = !f->n || f->till != g;
        uint32_t *to = c->member ? c->member + m->at : NULL;
        for (uint32_t i = 0; to && !m->runs && i < n; i++)
            to[f->n + i] = g + i;
        if (to && m->runs && begins) {
            to[f->runs * RUN_WORDS] = g;
            to[f->runs * RUN_WORDS + 1] = f->n;
        }
        f->runs += begins;
        f->n += n;
        f->till = g + n;
    }
}

bool causes_members(struct causes *c)
{
    const uint32_t n = c->tg->ngroups;
    struct found *found = mem_zalloc(((size_t)n + 1) * sizeof *found);
    uint32_t words = 0;
    c->of = mem_zalloc(((size_t)n + 1) * sizeof *c->of);
    if (found && c->of) {
        find(c, found);
        for (uint32_t i = 0; i < n; i++) {
            const bool runs = found[i].runs <= found[i].n / RUN_LEAST;
            c->of[i] = (struct member_of){found[i].n, words, runs ? found[i].runs : 0};
            words += runs ? found[i].runs * RUN_WORDS : found[i].n;
            found[i] = (struct found){0};
        }
        c->member = mem_alloc(((size_t)words + 1) * sizeof *c->member);
    }
    if (c->member)
        find(c, found);
    mem_free(found);
    return c->member;
}

uint32_t causes_nth(const struct causes *c, uint32_t group, uint32_t k)
{
    const struct member_of *m = &c->of[group];
    const uint32_t *at = c->member + m->at;
    if (!m->runs)
        return at[k];
    uint32_t run = 0;
    bisect(run, m->runs, i, at[i * RUN_WORDS + 1] <= k);
    at += (run - 1) * RUN_WORDS;
    return at[0] + (k - at[1]);
}

uint32_t causes_member(const struct causes *c, uint32_t group, uint32_t i, uint32_t most)
{
    const uint32_t n = c->of[group].n;
    return causes_nth(c, group, (uint32_t)((uint64_t)i * n / (n < most ? n : most)));
}
