/* trails.c - see trails.h. */
#include "triage/findings/trails.h"

#include "decode/base/mem.h"
#include "triage/tables/slices.h"
#include "triage/tables/tab.h"

static bool found(struct trails *x, const struct tab *ids, uint64_t id, uint32_t g, int64_t t)
{
    const uint32_t task = id && g != NO_LANE ? tab_get(ids, id, 0) : TAB_NONE;
    if (task == TAB_NONE || x->n >= UINT32_MAX - 1)
        return true;
    if (!mem_room(x->by_g, x->cap, x->n + 1))
        return false;
    x->by_g[x->n++] = (struct evidence){t, g, x->place[task]};
    return x->n % 512 || slices_tick();
}

static bool find_all(struct trails *x, const struct tab *ids)
{
    const struct region *r;
    const struct logmsg *m;
    const size_t nr = trace_regions(x->tr, &r), nm = trace_logs(x->tr, &m);
    bool ok = true;
    for (uint32_t i = 0; ok && i < x->ntasks; i++) {
        const struct task *k = &x->task[i];
        ok = (k->open_start || found(x, ids, k->id, k->g, k->t0)) &&
             (k->open_end || found(x, ids, k->id, k->g_end, k->t1));
    }
    for (size_t i = 0; ok && i < nr; i++) {
        ok = (r[i].open_start || found(x, ids, r[i].task, r[i].g, r[i].t0)) &&
             (r[i].open_end || found(x, ids, r[i].task, r[i].g, r[i].t1));
    }
    for (size_t i = 0; ok && i < nm; i++)
        ok = found(x, ids, m[i].task, m[i].g, m[i].t);
    return ok;
}

#define ORDERED(x, lane) \
    lane_order((x)->by_g, sizeof *(x)->by_g, (x)->n, offsetof(struct evidence, lane), \
               offsetof(struct evidence, t))

static bool find_order(struct trails *x)
{
    uint32_t *at = ORDERED(x, g);
    struct evidence *v = at ? mem_alloc((x->n + 1) * sizeof *v) : NULL;
    for (size_t i = 0; v && i < x->n; i++)
        v[i] = x->by_g[at[i]];
    mem_free(at);
    mem_free(x->by_g);
    x->by_g = v;
    x->by_task = v ? ORDERED(x, task) : NULL;
    return x->by_task;
}

/* Parents come before their children. */
static bool families(struct trails *x, struct tab *ids)
{
    const size_t n = (size_t)x->ntasks + 1; /* the last one: whose subtasks those without a parent are */
    struct {
        uint32_t parent, size, next; /* next: the place of its next subtask */
    } *of = mem_zalloc(n * sizeof *of);
    x->place = mem_alloc(n * sizeof *x->place);
    x->size = mem_alloc(n * sizeof *x->size);
    bool ok = of && x->place && x->size;
    for (uint32_t i = 0; ok && i < x->ntasks; i++) {
        const uint32_t up = x->task[i].parent ? tab_get(ids, x->task[i].parent, 0) : TAB_NONE;
        of[i].parent = up < i ? up : x->ntasks;
        of[i].size = 1;
        ok = tab_put(ids, x->task[i].id, 0, i) != TAB_NONE && (i % 512 || slices_tick());
    }
    for (uint32_t i = x->ntasks; ok && i-- > 0;)
        of[of[i].parent].size += of[i].size;
    for (uint32_t i = 0; ok && i < x->ntasks; i++) {
        uint32_t *to = &of[of[i].parent].next;
        x->place[i] = *to;
        x->size[*to] = of[i].size;
        of[i].next = *to + 1;
        *to += of[i].size;
    }
    mem_free(of);
    return ok;
}

struct trails *trails_new(const struct trace *tr)
{
    struct trails *x = mem_zalloc(sizeof *x);
    struct tab ids = {0};
    if (!x)
        return NULL;
    x->tr = tr;
    const size_t n = trace_tasks(tr, &x->task);
    x->ntasks = (uint32_t)(n < NO_TASK ? n : NO_TASK - 1);
    const bool ok = families(x, &ids) && find_all(x, &ids) && find_order(x);
    tab_free(&ids);
    if (!ok) {
        trails_free(x);
        x = NULL;
    }
    return x;
}

void trails_free(struct trails *x)
{
    if (x) {
        mem_free(x->by_g);
        mem_free(x->by_task);
        mem_free(x->own);
        mem_free(x->place);
        mem_free(x->size);
        mem_free(x);
    }
}
