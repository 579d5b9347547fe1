/* maker.c - see maker.h. */
#include "viewer/session/maker.h"

#include <stdatomic.h>
#include <string.h>

#include "decode/base/host.h"
#include "decode/base/thread.h"

#define MAKE_NS 20000000

/* maker_stop() waits for the thread: no step of it may take long then. */
static atomic_bool leaving;

static bool leaves(void)
{
    return leaving;
}

/* ---- a model
 * ---------------------------------------------------------------------------------------------------- */

/* Behind its header, which stands there only while it is opened; of its bytes up to m->len. */
static bool open_at(struct model *m, const uint8_t header[STREAM_HEADER], bool grows,
                    const struct trace_opts *o, struct err *e)
{
    struct trace_opts opts = *o;
    uint8_t was[STREAM_HEADER], *at = m->strip->p + m->from - STREAM_HEADER;
    opts.grows = grows;
    opts.max_memory = UINT64_MAX; /* who follows sees to that */
    opts.leave = leaves;
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
    return open_at(m, header, true, o, e);
}

bool model_whole(struct model *m, const struct model *of, const uint8_t header[STREAM_HEADER],
                 const struct trace_opts *o, struct err *e)
{
    const struct strip *s = of->strip;
    *m = (struct model){.strip = of->strip, .from = of->from, .len = s->n, .gap = s->ngap};
    return (!s->ngap || s->gap[s->ngap - 1] <= of->from) && open_at(m, header, false, o, e);
}

void model_alone(struct model *m, const uint8_t header[STREAM_HEADER])
{
    memcpy(m->strip->p + m->from - STREAM_HEADER, header, STREAM_HEADER);
}

static void tell(struct model *m, size_t to)
{
    m->len = to;
    trace_grow(m->tr, to - m->from + STREAM_HEADER);
}

bool model_grow(struct model *m)
{
    const struct strip *s = m->strip;
    for (; m->gap < s->ngap && s->gap[m->gap] < s->n; m->gap++) {
        tell(m, s->gap[m->gap]);
        if (!trace_apart(m->tr))
            return false;
    }
    if (m->len < s->n) {
        m->waits = false;
        tell(m, s->n);
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

/* ---- the thread
 * ------------------------------------------------------------------------------------------------- */

/* Under the lock: something to do? */
static bool wanted(const struct maker *k)
{
    const struct model *m = &k->next;
    return k->gone.tr || (m->tr && !k->hold && (!m->waits || m->len < m->strip->n) && !m->over);
}

static void clear(struct maker *k)
{
    struct model gone = k->gone;
    pthread_mutex_unlock(&k->mu);
    model_free(&gone);
    host_trim();
    pthread_mutex_lock(&k->mu);
    k->gone = (struct model){0};
}

static void make(struct maker *k)
{
    bool ok = k->next.len == k->next.strip->n || model_grow(&k->next);
    struct model m = k->next;
    k->busy = true;
    pthread_mutex_unlock(&k->mu);
    if (ok)
        model_decode(&m, MAKE_NS);
    pthread_mutex_lock(&k->mu);
    k->busy = false;
    k->next.waits = m.waits;
    k->next.over = m.over || !ok;
    k->end = trace_info(m.tr)->end;
    k->done = model_done(&m);
}

static void *maker_main(void *arg)
{
    struct maker *k = arg;
    pthread_mutex_lock(&k->mu);
    while (!k->quit)
        if (!wanted(k))
            pthread_cond_wait(&k->work, &k->mu);
        else if (k->gone.tr)
            clear(k);
        else
            make(k);
    pthread_mutex_unlock(&k->mu);
    return NULL;
}

enum err_code maker_start(struct maker *k, struct err *e)
{
    pthread_mutex_init(&k->mu, NULL);
    pthread_cond_init(&k->work, NULL);
    k->on = thread_start(&k->thread, NULL, maker_main, k) == 0;
    return k->on ? ERR_OK : err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "a thread to decode with can't be started");
}

void maker_stop(struct maker *k)
{
    if (k->on) {
        pthread_mutex_lock(&k->mu);
        k->quit = leaving = true;
        pthread_cond_signal(&k->work);
        pthread_mutex_unlock(&k->mu);
        pthread_join(k->thread, NULL);
        leaving = false;
    }
    k->on = false;
    model_free(&k->next);
    model_free(&k->gone);
}

void maker_put(struct maker *k, const struct model *m)
{
    pthread_mutex_lock(&k->mu);
    k->next = *m;
    k->end = 0;
    k->done = m->from;
    pthread_cond_signal(&k->work);
    pthread_mutex_unlock(&k->mu);
}

bool maker_drop(struct maker *k)
{
    pthread_mutex_lock(&k->mu);
    bool can = !k->busy && !k->gone.tr;
    if (can) {
        k->gone = k->next;
        k->next = (struct model){0};
        pthread_cond_signal(&k->work);
    }
    pthread_mutex_unlock(&k->mu);
    return can;
}

void maker_give_back(struct maker *k, struct model *m)
{
    pthread_mutex_lock(&k->mu);
    k->gone = *m;
    *m = (struct model){0};
    pthread_cond_signal(&k->work);
    pthread_mutex_unlock(&k->mu);
}
