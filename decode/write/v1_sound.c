/* v1_sound.c - see v1_sound.h. The prototype has no reader that checks anything. */
#include "decode/write/v1_sound.h"

#include <string.h>

#include "decode/base/mem.h"

enum { UNKNOWN, DEAD, RUNNABLE, RUNNING, WAITING };

bool v1_sound_init(struct v1_sound *s, const struct v1_order *o)
{
    const size_t n = o->d.ix->nproc + (size_t)1;
    *s = (struct v1_sound){.o = o, .p = mem_zalloc(n * sizeof *s->p)};
    if (!s->p || !mem_room_zeros(s->g, s->capg, V1_GC_ROW + 1))
        return false;
    s->g[0].state = RUNNING; /* what runs no goroutine */
    return true;
}

void v1_sound_free(struct v1_sound *s)
{
    mem_free(s->g);
    mem_free(s->p);
    mem_free(s->region);
    idmap_free(&s->tasks);
    idmap_free(&s->sampled);
    *s = (struct v1_sound){0};
}

/* becomes - the processor's goroutine, which runs, stops and is in this state. */
static const char *becomes(struct v1_sound *s, struct v1_sound_p *p, uint32_t g, uint8_t state)
{
    if (!g || s->g[g].state != RUNNING || p->g != g)
        return "its goroutine doesn't run there";
    s->g[g].state = state;
    p->g = 0;
    return NULL;
}

/* turns - a goroutine that is in one state is in another. */
static const char *turns(struct v1_sound_g *g, uint8_t from, uint8_t to, const char *why)
{
    if (g->state != from)
        return why;
    g->state = to;
    return NULL;
}

static const char *starts(struct v1_sound *s, struct v1_sound_p *p, uint32_t g)
{
    if (p->g)
        return "its processor runs another goroutine";
    p->g = g;
    return turns(&s->g[g], RUNNABLE, RUNNING, "its goroutine isn't runnable");
}

/* range - one begins that isn't open, or ends that is. */
static const char *range(bool *open, bool begins)
{
    if (*open == begins)
        return begins ? "it has begun already" : "it hasn't begun";
    *open = begins;
    return NULL;
}

static const char *stw(struct v1_sound *s, struct v1_sound_p *p, unsigned type, uint64_t kind)
{
    const int version = s->o->d.ix->dialect.version;
    if (type == V1_STW_START && version >= 1010 && version < 1021 && kind > 1)
        return "no reason for a stop has this number";
    return range(version < 1010 ? &p->stw : &s->stw, type == V1_STW_START);
}

static const char *task(struct v1_sound *s, unsigned type, uint64_t id)
{
    if (type == V1_TASK_END)
        idmap_del(&s->tasks, id);
    else if (idmap_get(&s->tasks, id) != IDMAP_NONE)
        return "the task is open already";
    else
        s->oom |= !idmap_put(&s->tasks, id, 0);
    return NULL;
}

static const char *region(struct v1_sound *s, struct v1_sound_g *g, const uint64_t v[3])
{
    if (v[1] > 1)
        return "a region neither begins nor ends";
    if (v[1] == 0) {
        s->oom |= !mem_room(s->region, s->capregion, s->nregion + 1);
        if (s->oom)
            return NULL;
        s->region[s->nregion++] = (struct v1_sound_region){v[0], v[2], g->region};
        g->region = (uint32_t)s->nregion;
        return NULL;
    }
    const struct v1_sound_region *r = g->region ? &s->region[g->region - 1] : NULL;
    if (r && (r->task != v[0] || r->name != v[2]))
        return "another region is the innermost one";
    g->region = r ? r->below : 0;
    return NULL;
}

/* wakes - what the processor runs makes a goroutine runnable. */
static const char *wakes(struct v1_sound *s, const struct v1_sound_p *p, const struct v1_ev *e)
{
    if (s->g[e->g].state != RUNNING || p->g != e->g)
        return "its goroutine doesn't run there";
    return turns(&s->g[e->arg_g], WAITING, RUNNABLE, "the goroutine that it names doesn't wait");
}

static const char *creates(struct v1_sound *s, const struct v1_sound_p *p, const struct v1_ev *e)
{
    if (s->g[e->g].state != RUNNING || p->g != e->g)
        return "its goroutine doesn't run there";
    if (idmap_get(&s->sampled, s->o->d.g[e->arg_g].id) != IDMAP_NONE)
        return "a CPU sample of it is earlier";
    return turns(&s->g[e->arg_g], UNKNOWN, RUNNABLE, "there has been such a goroutine");
}

static const char *proc(struct v1_sound_p *p, bool starts)
{
    if (!starts && p->g)
        return "its processor runs a goroutine";
    return range(&p->on, starts);
}

/*
 * returns - a system call ends: from 1.7 on that is told at its real time and once more where it was written.
 */
static const char *returns(struct v1_sound *s, const struct v1_ev *e)
{
    struct v1_sound_g *g = &s->g[e->g];
    const bool twice = s->o->d.ix->dialect.version >= 1007 && (e->moved || v1_ev_real_ticks(&s->o->d, e));
    if (twice && g->back != !e->moved)
        return "its system call ends when that can't be";
    g->back = twice && e->moved;
    return twice && !e->moved ? NULL : turns(g, WAITING, RUNNABLE, "its goroutine isn't in a system call");
}

const char *v1_sound_next(struct v1_sound *s, const struct v1_ev *e, const struct v1_raw *r)
{
    const int version = s->o->d.ix->dialect.version;
    if (version < 1005)
        return NULL;
    s->oom |= !mem_room_zeros(s->g, s->capg, s->o->d.ng);
    if (s->oom)
        return NULL;
    struct v1_sound_p *p = &s->p[e->p < s->o->d.ix->nproc ? e->p : s->o->d.ix->nproc];
    const unsigned type = e->tag.type;
    switch (e->tag.means) {
    case V1_MEANS_START:
    case V1_MEANS_START_LABEL: return starts(s, p, e->g);
    case V1_MEANS_STOP:
        return becomes(s, p, e->g,
                       type == V1_GO_END || type == V1_GO_STOP        ? DEAD
                       : type == V1_GO_SCHED || type == V1_GO_PREEMPT ? RUNNABLE
                                                                      : WAITING);
    case V1_MEANS_BLOCK: return becomes(s, p, e->g, WAITING);
    case V1_MEANS_CALL: return !e->g || p->g != e->g ? "its goroutine doesn't run there" : NULL;
    case V1_MEANS_EXIT: return returns(s, e);
    case V1_MEANS_STATUS: return turns(&s->g[e->g], RUNNABLE, WAITING, "its goroutine isn't runnable");
    case V1_MEANS_WAKE: return wakes(s, p, e);
    case V1_MEANS_CREATE: return creates(s, p, e);
    case V1_MEANS_PROC_START: return proc(p, true);
    case V1_MEANS_PROC_STOP: return proc(p, false);
    case V1_MEANS_GC: return range(&s->gc, type == V1_GC_START);
    case V1_MEANS_STW: return stw(s, p, type, r->v[0]);
    case V1_MEANS_SWEEP: return range(&p->sweep, type == V1_SWEEP_START);
    case V1_MEANS_ASSIST:
        if (type == V1_ASSIST_START)
            return range(&s->g[e->g].assist, true);
        s->g[e->g].assist = false;
        return NULL;
    case V1_MEANS_TASK: return task(s, type, r->v[0]);
    case V1_MEANS_SAMPLE:
        if (r->v[2] && (!e->g || s->g[e->g].state == UNKNOWN))
            s->oom |= !idmap_put(&s->sampled, r->v[2], 0);
        return NULL;
    case V1_MEANS_REGION: return region(s, &s->g[e->g], r->v);
    default: return NULL;
    }
}
