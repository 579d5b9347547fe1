/*
 * table_pieces.c - pieces of work: what a worker does from the end of a wait for more of it to the next such
 * wait, a server's request among it; by the start function of the workers. As triage counts them
 * (triage/findings/instances.h).
 */
#include "layout/views/table.h"
#include "triage/findings/instances.h"

/* In a kind's key beside the stack, where not all goroutines were looked at: how many, and of how many (MANY:
 * or more). */
enum { LOOKED = 32, OF = 48, MANY = UINT16_MAX };

static uint64_t pieces_part_of(const struct instance_row *r)
{
    return r->looked < r->of
               ? (r->looked < MANY ? r->looked : MANY) << LOOKED | (r->of < MANY ? r->of : MANY) << OF
               : 0;
}

static bool pieces_add(struct table *t, const struct instances *in, const struct instance_row *r)
{
    uint64_t key = r->stack | pieces_part_of(r);
    for (uint64_t i = r->at; i < r->at + r->d.n; i++) {
        const struct workpiece *x = &in->one[i];
        if (!table_add(t, r->name, key, (struct thing){.t0 = x->t0, .t1 = x->t1, .g = x->g}))
            return false;
    }
    return true;
}

static bool pieces_list(struct table *t)
{
    enum { STEP_NS = 2000000 };
    struct instances in = {0};
    struct err e = {0};
    bool more = instances_new(t->tg, &in, &e) == ERR_OK, ok = more;
    while (ok && more) {
        more = instances_step(&in, STEP_NS, &e);
        ok = e.code == ERR_OK && slices_tick_now();
    }
    for (uint32_t i = 0; ok && i < in.n; i++)
        if (in.row[i].kind == IN_PIECE)
            ok = pieces_add(t, &in, &in.row[i]);
    instances_free(&in);
    return ok;
}

static void pieces_type_name(struct text *out, const struct table *t, const struct ttype *k)
{
    text_func(out, t->tr, (uint32_t)k->a, 0);
    if (k->b >> OF)
        text_add(out, " (%u of %u%s)", (unsigned)(k->b >> LOOKED & MANY), (unsigned)(k->b >> OF),
                 k->b >> OF == MANY ? " and more" : "");
    if (!(uint32_t)k->b)
        return;
    text_lit(out, ", between waits in ");
    text_where(out, t->tr, (uint32_t)k->b, 0);
}

static void pieces_say(struct text *out, const struct view *v, const struct thing *x)
{
    struct shares sh;
    bool first = true;
    trace_shares(v->tr, tri_g(x->g), x->t0, x->t1 > x->t0 ? x->t1 : x->t0 + 1, &sh);
    text_who(out, v->tr, x->g);
    for (int s = ST_NONE + 1; s < ST_COUNT; s++) {
        if (!sh.ns[s])
            continue;
        text_add(out, "%s%s ", first ? ": " : ", ", state_name((enum state)s));
        text_dur(out, sh.ns[s]);
        first = false;
    }
}

static const struct table_from pieces = {
    .thing = "piece of work",
    .things = "pieces of work",
    .types = "workers",
    .none = "no worker waits for more in its own loop here; 1 shows what the program does again and again",
    .counted = true,
    .list = pieces_list,
    .type_name = pieces_type_name,
    .say = pieces_say,
};
const struct view_kind kind_pieces = {IS_THINGS(&pieces)};
