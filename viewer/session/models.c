/*
 * models.c - see models.h.
 */
#include "viewer/session/models.h"

#include <string.h>
#include <sys/mman.h>

#include "decode/base/mem.h"

/* ---- the bytes ----------------------------------------------------------------------------------------- */

enum { PAGE = 1 << 21 };
/* So many addresses are reserved; no memory is taken for them. */
#define ADDRESSES_MAX ((size_t)(UINT64_C(1) << (sizeof(size_t) > 4 ? 37 : 29)))
#define ADDRESSES_MIN ((size_t)1 << 26)

static bool model_reserve(struct model *m)
{
    *m = (struct model){0};
    for (size_t cap = ADDRESSES_MAX; !m->p && cap >= ADDRESSES_MIN; cap /= 4) {
        void *p = mmap(NULL, cap, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        m->p = p == MAP_FAILED ? NULL : p;
        m->cap = cap;
    }
    return m->p;
}

bool model_put(struct model *m, const uint8_t *p, size_t n)
{
    if (n > m->cap - m->n)
        return false;
    size_t need = (m->n + n + PAGE - 1) & ~(size_t)(PAGE - 1);
    if (need > m->usable && mprotect(m->p + m->usable, need - m->usable, PROT_READ | PROT_WRITE))
        return false;
    m->usable = need > m->usable ? need : m->usable;
    memcpy(m->p + m->n, p, n);
    m->n += n;
    return true;
}

static bool gap_at(struct model *m, size_t at)
{
    return (m->ngap && m->gap[m->ngap - 1] == at) || mem_add(m->gap, m->capgap, m->ngap, at);
}

bool model_gap(struct model *m)
{
    return gap_at(m, m->n);
}

/* ---- the trace ----------------------------------------------------------------------------------------- */

static bool model_start(struct model *m, size_t len, bool grows, const struct trace_opts *o, struct err *e)
{
    struct trace_opts opts = *o;
    opts.grows = grows;
    opts.max_memory = UINT64_MAX; /* follow.c bounds memory */
    m->len = len;
    const enum err_code rc = trace_open_mem(m->p, len, &opts, &m->tr, e);
    if (rc)
        model_free(m);
    return !rc;
}

static bool no_room(struct model *m, struct err *e)
{
    model_free(m);
    return err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "no room for what is held") == ERR_OK;
}

bool model_open(struct model *m, const uint8_t header[STREAM_HEADER], const struct trace_opts *o,
                struct err *e)
{
    if (!model_reserve(m) || !model_put(m, header, STREAM_HEADER))
        return no_room(m, e);
    return model_start(m, m->n, true, o, e);
}

bool model_again(struct model *m, const struct model *of, size_t n, bool whole, const struct trace_opts *o,
                 struct err *e)
{
    const bool gaps = of->ngap && of->gap[of->ngap - 1] > STREAM_HEADER;
    bool ok = model_reserve(m) && !(whole && gaps) && model_put(m, of->p, n);
    for (size_t i = 0; ok && !whole && i < of->ngap && of->gap[i] <= n; i++)
        ok = gap_at(m, of->gap[i]);
    return ok ? model_start(m, whole ? n : STREAM_HEADER, !whole, o, e) : no_room(m, e);
}

static void model_tell(struct model *m, size_t to)
{
    m->len = to;
    trace_grow(m->tr, to);
}

bool model_grow(struct model *m)
{
    for (; m->known < m->ngap && m->gap[m->known] < m->n; m->known++) {
        model_tell(m, m->gap[m->known]);
        if (!trace_gap(m->tr))
            return false;
    }
    if (m->len < m->n) {
        m->waits = false;
        model_tell(m, m->n);
    }
    return true;
}

void model_decode(struct model *m, int64_t budget_ns)
{
    enum load rc = trace_load(m->tr, budget_ns);
    m->waits = rc != LOAD_MORE;
    m->over = rc == LOAD_DONE;
}

size_t model_left(const struct model *m)
{
    const uint64_t done = m->tr ? trace_info(m->tr)->bytes_done : 0;
    return m->n - (done > STREAM_HEADER ? (size_t)done : m->n ? STREAM_HEADER : 0);
}

void model_free(struct model *m)
{
    trace_close(m->tr);
    if (m->p)
        munmap(m->p, m->cap);
    mem_free(m->gap);
    *m = (struct model){0};
}
