/*
 * models.c - see models.h.
 */
#include "viewer/session/models.h"

#include <string.h>
#include <sys/mman.h>

#include "decode/base/mem.h"

/* ---- the strip ----------------------------------------------------------------------------------------- */

enum { PAGE = 1 << 21 };
/* of addresses; no memory is taken for them */
#define STRIP_MAX ((size_t)(UINT64_C(1) << (sizeof(size_t) > 4 ? 37 : 29)))
#define STRIP_MIN ((size_t)1 << 26)

static void *model_no_memory(size_t n)
{
    return mmap(NULL, n, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

struct strip *strip_new(void)
{
    struct strip *s = mem_zalloc(sizeof *s);
    for (size_t cap = STRIP_MAX; s && cap >= STRIP_MIN; cap /= 4) {
        void *p = model_no_memory(cap);
        if (p == MAP_FAILED)
            continue;
        *s = (struct strip){.p = p, .cap = cap, .users = 1};
        return s;
    }
    mem_free(s);
    return NULL;
}

void strip_use(struct strip *s)
{
    s->users++;
}

void strip_leave(struct strip *s)
{
    if (!s || --s->users)
        return;
    munmap(s->p, s->cap);
    mem_free(s->gap);
    mem_free(s);
}

bool strip_put(struct strip *s, const uint8_t *p, size_t n)
{
    if (n > s->cap - s->n)
        return false;
    size_t need = (s->n + n + PAGE - 1) & ~(size_t)(PAGE - 1);
    if (need > s->usable && mprotect(s->p + s->usable, need - s->usable, PROT_READ | PROT_WRITE))
        return false;
    s->usable = need > s->usable ? need : s->usable;
    memcpy(s->p + s->n, p, n);
    s->n += n;
    return true;
}

bool strip_gap(struct strip *s)
{
    if (s->ngap && s->gap[s->ngap - 1] == s->n)
        return true;
    size_t *gap = mem_grow(s->gap, &s->capgap, s->ngap + 1, sizeof *gap);
    if (!gap)
        return false;
    s->gap = gap;
    gap[s->ngap++] = s->n;
    return true;
}

void strip_cut(struct strip *s, size_t n)
{
    s->n = n < s->n ? n : s->n;
}

/* Give memory before `to` back. A new mapping replaces it, so its page tables go, too. */
static void strip_forget(struct strip *s, size_t to)
{
    const size_t from = s->gone;
    to &= ~(size_t)(PAGE - 1);
    if (to <= from || mmap(s->p + from, to - from, PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
        return;
    s->gone = to;
}

size_t strip_held(const struct strip *s)
{
    return s->n - s->gone;
}

bool strip_is_long(const struct strip *s)
{
    return s->n > s->cap / 2;
}

/* ---- a model ------------------------------------------------------------------------------------------- */

/* Open the trace with the header written before its first generation, and put back what the header
 * covered. */
static bool model_open_at(struct model *m, const uint8_t header[STREAM_HEADER], bool grows,
                          const struct trace_opts *o, struct err *e)
{
    struct trace_opts opts = *o;
    uint8_t was[STREAM_HEADER], *at = m->strip->p + m->from - STREAM_HEADER;
    opts.grows = grows;
    opts.max_memory = UINT64_MAX; /* follow.c bounds memory */
    strip_use(m->strip);
    memcpy(was, at, sizeof was);
    memcpy(at, header, sizeof was);
    enum err_code rc = trace_open_mem(at, m->len - m->from + STREAM_HEADER, &opts, &m->tr, e);
    memcpy(at, was, sizeof was);
    if (rc)
        model_free(m);
    return !rc;
}

bool model_open(struct model *m, struct strip *strip, size_t from, const uint8_t header[STREAM_HEADER],
                const struct trace_opts *o, struct err *e)
{
    *m = (struct model){.strip = strip, .from = from, .len = from};
    while (m->gap < strip->ngap && strip->gap[m->gap] <= from)
        m->gap++;
    return model_open_at(m, header, true, o, e);
}

bool model_whole(struct model *m, const struct model *of, const uint8_t header[STREAM_HEADER],
                 const struct trace_opts *o, struct err *e)
{
    const struct strip *s = of->strip;
    *m = (struct model){.strip = of->strip, .from = of->from, .len = s->n, .gap = s->ngap};
    return (!s->ngap || s->gap[s->ngap - 1] <= of->from) && model_open_at(m, header, false, o, e);
}

void model_alone(struct model *m, const uint8_t header[STREAM_HEADER])
{
    memcpy(m->strip->p + m->from - STREAM_HEADER, header, STREAM_HEADER);
}

static void model_tell(struct model *m, size_t to)
{
    m->len = to;
    trace_grow(m->tr, to - m->from + STREAM_HEADER);
}

bool model_grow(struct model *m)
{
    const struct strip *s = m->strip;
    for (; m->gap < s->ngap && s->gap[m->gap] < s->n; m->gap++) {
        model_tell(m, s->gap[m->gap]);
        if (!trace_gap(m->tr))
            return false;
    }
    if (m->len < s->n) {
        m->waits = false;
        model_tell(m, s->n);
    }
    return true;
}

void model_decode(struct model *m, int64_t budget_ns)
{
    enum load rc = trace_load(m->tr, budget_ns);
    m->waits = rc != LOAD_MORE;
    m->over = rc == LOAD_DONE;
}

size_t model_done(const struct model *m)
{
    uint64_t done = trace_info(m->tr)->bytes_done;
    return m->from + (done > STREAM_HEADER ? (size_t)done - STREAM_HEADER : 0);
}

void model_free(struct model *m)
{
    trace_close(m->tr);
    if (m->strip && m->forget)
        strip_forget(m->strip, m->forget);
    strip_leave(m->strip);
    *m = (struct model){0};
}
