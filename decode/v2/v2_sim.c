/*
 * v2_sim.c - see v2_sim.h.
 *
 * What neutral events say about goroutines is kept with the numbers in the file's event that they come
 * from. The rules are those of v2_adv.c.
 */
#include "decode/v2/v2_sim.h"

#include <inttypes.h>
#include <stdlib.h>

#include "decode/damage/v2_damage.h"

/* ---- goroutines ---------------------------------------------------------------------------------------- */

static struct v2s_g *g_find(struct v2_sim *s, uint64_t id)
{
    const uint32_t i = idmap_get(&s->at, id);
    return i == IDMAP_NONE ? NULL : &s->g[i];
}

static void g_new(struct v2_sim *s, uint64_t id)
{
    uint32_t i = s->spare - 1;
    if (s->spare) {
        s->spare = s->g[i].next;
    } else {
        if (!v2_room(&s->o, s->g, s->capg, s->ng + 1))
            return;
        i = (uint32_t)s->ng++;
    }
    s->g[i] = (struct v2s_g){.id = id};
    s->o.oom |= !idmap_put(&s->at, id, i);
}

static void g_over(struct v2_sim *s, uint64_t id)
{
    const uint32_t i = idmap_get(&s->at, id);
    if (i == IDMAP_NONE)
        return;
    idmap_del(&s->at, id);
    s->g[i].gone = true;
    s->g[i].next = s->spare;
    s->spare = i + 1;
}

/* arg_of - Returns the event's argument that is a string or a stack. */
static uint64_t arg_of(const uint64_t *arg, uint8_t which)
{
    return which ? arg[__builtin_ctz(which)] : 0;
}

/* g_left - Note where a goroutine was when it left the processor or entered a system call. */
static void g_left(struct v2_sim *s, struct v2s_g *g, const struct ev *e, uint64_t stack)
{
    const bool stays = e->state == ST_RUNNING || (e->state == ST_RUNNABLE && !(e->flags & EVF_STOPPED));
    if (stays) /* or it is back from a call */
        return;
    if (e->state != ST_SYSCALL)
        g->label = 0;
    g->stack = e->flags & EVF_OWN_STACK ? stack : 0;
    g->stackgen = s->ordinal;
}

/* keep - Note what the neutral event says, with the numbers of the file's event. */
static void keep(struct v2_sim *s, const struct ev *e, const struct v2_raw_ev *raw)
{
    const struct v2_spec *spec = &v2_specs[raw->type];
    const uint64_t str = arg_of(raw->arg, spec->strs), stack = arg_of(raw->arg, spec->stacks);
    const uint64_t id = e->g == EV_NONE ? 0 : e->g == s->was.g ? s->was.g_id : v2_g_at(&s->o, e->g)->id;
    if (e->kind == EVK_METRIC)
        s->metric[e->state] = (struct v2s_metric){e->arg, raw->type};
    if (e->g == EV_NONE)
        return;
    if (e->kind == EVK_G_CREATE || (e->kind == EVK_G_STATUS && !g_find(s, id)))
        g_new(s, id);
    struct v2s_g *g = g_find(s, id);
    if (!g)
        return;
    if (e->kind == EVK_G_STATE && e->state == ST_NONE) {
        g_over(s, id);
    } else if (e->kind == EVK_G_STATE) {
        g_left(s, g, e, stack);
    } else if (e->kind == EVK_G_STATUS && e->flags & EVF_OWN_STACK) {
        g->stack = stack;
        g->stackgen = s->ordinal;
    } else if (e->kind == EVK_G_LABEL) {
        g->label = str;
        g->labelgen = s->ordinal;
    } else if (e->kind == EVK_RANGE_BEGIN && e->state == RANGE_STW) {
        g->kind = str;
        g->kind_stack = stack;
    }
}

/* ---- called by the order ------------------------------------------------------------------------------- */

/* late - Whether the next event is not before `until`. */
static bool late(struct v2_sim *s, int64_t t)
{
    s->o.stopped |= t >= s->until || s->o.last + 1 >= s->until;
    return s->o.stopped;
}

/* look - Note the state before an event on thread m. */
static void look(struct v2_sim *s, uint32_t m)
{
    const struct v2_order *o = &s->o;
    s->was = (struct v2s_before){o->np, EV_NONE, 0};
    if (m == EV_NONE)
        return;
    s->was.g = o->m[m].g;
    s->was.g_id = s->was.g == EV_NONE ? 0 : v2_g_at(o, s->was.g)->id;
}

static bool before(struct v2_order *o, struct v2_cursor *c)
{
    struct v2_sim *s = v2_sim_of(o);
    look(s, c->m);
    return late(s, c->t);
}

static enum adv lacks(struct v2_order *o, struct v2_cursor *c, enum adv a, bool force)
{
    (void)o, (void)c, (void)force;
    return a; /* then the simulation ends */
}

static struct v2s_thread *thread_of(const struct v2_sim *s, const struct v2_cursor *c)
{
    return &s->thread[(c->m == EV_NONE ? s->o.ncur : s->o.m[c->m].cur) -
                      1]; /* events of no thread come last */
}

uint64_t v2_sim_units(const struct v2_sim *s, const struct v2_cursor *c)
{
    const struct v2s_thread *t = thread_of(s, c);
    struct v2_raw_ev e;
    const uint64_t before = t->batch == c->batch ? t->units : s->gen.batch[s->o.list[c->batch]].time;
    return v2_raw_ev(c->at, c->end, &e) ? before + e.dt : before;
}

static void after(struct v2_order *o, const struct v2_cursor *c, size_t at)
{
    struct v2_sim *s = v2_sim_of(o);
    struct v2s_thread *t = thread_of(s, c);
    const uint64_t units = v2_sim_units(s, c);
    struct v2s_event e = {.m = c->m};
    const bool status = v2_raw_ev(c->at, c->end, &e.ev) && v2_specs[c->type].context & V2_TELLS;
    const unsigned new = v2_specs[c->type].after;
    e.fresh = status &&
              (new == V2_AFTER_P_NEW ? o->np > s->was.np : new == V2_AFTER_G_NEW && !g_find(s, e.ev.arg[0]));
    t->batch = c->batch;
    t->units = units;
    s->n++;
    for (; at < o->nout; at++)
        keep(s, &o->out[at], &e.ev);
    o->oom |= s->seen && !s->seen(s->arg, &e);
    late(s, INT64_MIN);
}

static const struct v2_lossy_ops strict = {.before = before, .lacks = lacks, .after = after};

/* ---- the sink ------------------------------------------------------------------------------------------ */

static bool sink_take(struct v2_sink *k)
{
    k->o->nout = 0;
    return !late(v2_sim_of(k->o), INT64_MIN);
}

/* doubt - End at anything that was noted, even a mere event that is newer than the header. */
static void doubt(struct v2_sim *s)
{
    if (s->gen.missing)
        source_damage(&s->s, ERR_FORMAT, s->ordinal, s->gen.start,
                      "%" PRIu32 " use%s of strings or stacks that are not in its tables", s->gen.missing,
                      s->gen.missing == 1 ? "" : "s");
    if (s->s.st.ndamages || s->s.st.nwarnings)
        s->damage = *source_note(s->s.st.ndamages ? &s->s.damage : &s->s.warning, 0);
}

enum v2s_rc v2_sim_run(struct v2_sim *s, int64_t until)
{
    struct v2_order *o = &s->o;
    struct v2_sink k = {.take = sink_take};
    const size_t all = s->gen.nsample, sample = o->sample;
    if (s->damage.code || o->oom)
        return V2S_END;
    while (s->gen.nsample > sample && s->gen.sample[s->gen.nsample - 1].ns >= until)
        s->gen.nsample--;
    s->until = until;
    if (!late(s, INT64_MIN))
        v2_order_run(o, &k, SIZE_MAX);
    s->gen.nsample = all;
    s->n += o->sample - sample;
    o->stopped = false;
    doubt(s);
    return !s->damage.code && (o->nheap || o->park.n || o->park.nwoken || o->sample < all) ? V2S_UNTIL
                                                                                           : V2S_END;
}

/* ---- a generation -------------------------------------------------------------------------------------- */

static bool gen_fill(struct v2_sim *s, const struct v2_raw_gen *raw)
{
    struct v2_gen *g = &s->gen;
    const uint64_t freq = g->freq;
    bool ok = true;
    v2_names_free(g);
    idmap_clear(&g->strs);
    idmap_clear(&g->stacks);
    memset(g->reason, 0, sizeof g->reason);
    g->ordinal = s->ordinal;
    g->number = raw->number;
    g->freq = raw->clock.freq ? raw->clock.freq : freq ? freq : V2_ASSUMED_HZ;
    g->snap = raw->clock;
    g->min_time = raw->min_time;
    g->lo = raw->lo;
    g->hi = raw->hi;
    g->lo_near = raw->lo_near;
    g->closed = true;
    g->missing = 0;
    g->nbatch = g->ntable = g->nsample = 0;
    g->start = (size_t)(raw->start - s->data);
    g->end = (size_t)(raw->end - s->data);
    g->at_end = g->end == s->s.len;
    g->nhole = raw->nhole;
    memcpy(g->hole, raw->hole, sizeof g->hole);
    for (size_t i = 0; i < raw->n && ok; i++)
        if (v2_raw_timed(&raw->batch[i]) || v2_raw_table(&raw->batch[i]))
            ok = v2_gen_add(g, &raw->batch[i]);
    if (ok)
        v2_batches_check(&s->s, g);
    return ok && v2_gen_tables(&s->s, g);
}

bool v2_sim_begin(struct v2_sim *s, const struct v2_file *f, const struct v2_raw_gen *raw)
{
    struct v2_order *o = &s->o;
    s->data = s->s.data = f->data;
    s->s.len = f->len;
    s->s.version = f->version;
    s->s.names = &s->names;
    o->s = &s->s;
    o->lossy = &strict;
    s->ordinal++;
    o->strict = true;
    if ((!s->names.strs.size && names_init(&s->names)) || !gen_fill(s, raw) || !v2_order_begin(o, &s->gen))
        return false;
    s->damage = raw->damage;
    if (!s->damage.code)
        doubt(s);
    if (!v2_room(o, s->thread, s->capthread, o->ncur + 1))
        return false;
    struct v2s_thread *t = s->thread;
    for (size_t i = 0, at = 0; i < o->ncur; i++) {
        const size_t end = i + 1 < o->ncur ? at + 1 : o->nlist;
        t[i] = (struct v2s_thread){.first = (uint32_t)at, .batch = UINT32_MAX};
        for (at = end; i + 1 < o->ncur && s->gen.batch[o->list[at]].m == s->gen.batch[o->list[at - 1]].m;)
            at++;
        t[i].n = (uint32_t)at - t[i].first;
    }
    return true;
}

void v2_sim_free(struct v2_sim *s)
{
    source_notes_free(&s->s);
    v2_order_free(&s->o);
    v2_gen_free(&s->gen);
    names_free(&s->names);
    mem_free(s->g);
    mem_free(s->thread);
    idmap_free(&s->at);
    *s = (struct v2_sim){0};
}
