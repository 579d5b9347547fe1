/*
 * follow.c - see follow.h.
 *
 * Invariants: a strip holds the header and whole generations, in order; gens[] says where each begins in the strip of the
 * model that is shown. While `next` is being made, what arrives goes to both strips.
 */
#include "viewer/session/follow.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "decode/base/mem.h"

enum { READ_NS = 4000000, FIRST_MS = 200, PAGE = 1 << 21 };
#define STRIP_MAX ((size_t)1 << 37) /* addresses, not memory */
#define STRIP_MIN ((size_t)1 << 26)

struct strip { /* addresses that don't move, behind which memory comes as it is needed */
    uint8_t *p;
    size_t n, usable, cap;
};

struct held {
    size_t at;  /* in the strip */
    int64_t t1; /* its end on the trace's clock, ns; 0 = not decoded yet */
};

struct model {
    struct strip strip;
    struct trace *tr;
    bool waits; /* all of its strip is decoded */
    bool over;  /* and no more of it can be: damage */
};

struct follow {
    struct follow_opts o;
    struct live live;
    FILE *raw;
    struct model now, next, old;
    struct held *gens;
    size_t ngens, cap;
    size_t next_from; /* next holds gens[next_from..] */
    bool ended;
    char why[200];
};

static int64_t mono_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

/* ---- strips ----------------------------------------------------------------------------------------------------- */

static bool strip_make(struct strip *s)
{
    for (size_t cap = STRIP_MAX; cap >= STRIP_MIN; cap /= 4) {
        void *p = mmap(NULL, cap, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p == MAP_FAILED)
            continue;
        *s = (struct strip){.p = p, .cap = cap};
        return true;
    }
    return false;
}

static bool strip_put(struct strip *s, const uint8_t *p, size_t n)
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

static void strip_free(struct strip *s)
{
    if (s->p)
        munmap(s->p, s->cap);
    *s = (struct strip){0};
}

static void model_free(struct model *m)
{
    trace_close(m->tr);
    strip_free(&m->strip);
    *m = (struct model){0};
}

/* ---- holding ---------------------------------------------------------------------------------------------------- */

static bool model_open(struct follow *f, struct model *m, struct err *e)
{
    struct trace_opts opts = f->o.live.trace;
    opts.grows = true;
    if (trace_open_mem(m->strip.p, m->strip.n, &opts, &m->tr, e))
        return false;
    return true;
}

/* Another whole generation: into the strips. false: out of memory. */
static bool take(struct follow *f, const struct stream_gen *g)
{
    struct held *h = mem_grow(f->gens, &f->cap, f->ngens + 1, sizeof *h);
    const uint8_t *p = g->p + STREAM_HEADER;
    size_t n = g->n - STREAM_HEADER;
    if (!h)
        return false;
    f->gens = h;
    h[f->ngens] = (struct held){f->now.strip.n, 0};
    if (!strip_put(&f->now.strip, p, n) || (f->next.tr && !strip_put(&f->next.strip, p, n)))
        return false;
    f->ngens++;
    if (f->now.tr)
        trace_grow(f->now.tr, f->now.strip.n);
    if (f->next.tr)
        trace_grow(f->next.tr, f->next.strip.n);
    f->now.waits = f->next.waits = false;
    return true;
}

static void over(struct follow *f, const char *why)
{
    f->ended = true;
    snprintf(f->why, sizeof f->why, "%s", why);
    feed_close(f->live.feed);
    f->live.feed = NULL;
}

/* Whole generations move from the stream into the strips. */
static void take_all(struct follow *f)
{
    size_t n = stream_whole(&f->live.st), i = 0;
    while (i < n && take(f, &f->live.st.gen[i]))
        i++;
    stream_drop(&f->live.st, n);
    if (i < n)
        over(f, "out of memory for what is held");
}

/* Read for a while. true: a generation became whole, or it ended. */
static bool receive(struct follow *f, int timeout_ms)
{
    struct err e = {0};
    int64_t until = mono_ns() + READ_NS;
    size_t before = f->ngens;
    if (f->ended)
        return false;
    do {
        enum live_state s = live_step(&f->live, timeout_ms, &e);
        take_all(f);
        if (s == LIVE_END || s == LIVE_FAILED) {
            over(f, s == LIVE_FAILED ? e.what : "");
            return true;
        }
        if (s == LIVE_WAIT)
            break;
        timeout_ms = 0;
    } while (mono_ns() < until);
    return f->ngens > before;
}

/* ---- the newer part --------------------------------------------------------------------------------------------- */

/* All that is held is decoded: when do its last generations end? */
static void settle_times(struct follow *f)
{
    const struct trace_info *ti = trace_info(f->now.tr);
    for (size_t i = f->ngens; i-- > 0 && !f->gens[i].t1;)
        f->gens[i].t1 = ti->first_ns + ti->end;
}

/* From which generation on --keep would be enough; 0: all of it. */
static size_t keep_from(const struct follow *f)
{
    const struct held *g = f->gens;
    int64_t newest = f->ngens ? g[f->ngens - 1].t1 : 0;
    size_t i = 0;
    while (i + 1 < f->ngens &&
           (f->o.keep_bytes ? f->now.strip.n - g[i].at > f->o.keep_bytes : g[i].t1 < newest - f->o.keep_ns))
        i++;
    return i;
}

static bool too_much(const struct follow *f)
{
    if (f->ngens < 3)
        return false;
    if (f->o.keep_bytes)
        return f->now.strip.n > f->o.keep_bytes + f->o.keep_bytes / 4;
    return trace_info(f->now.tr)->end > f->o.keep_ns + f->o.keep_ns / 4;
}

static void next_begin(struct follow *f)
{
    struct err e = {0};
    size_t from = keep_from(f), at = f->gens[from].at;
    if (!from || !strip_make(&f->next.strip))
        return;
    if (!strip_put(&f->next.strip, f->live.st.header, STREAM_HEADER) ||
        !strip_put(&f->next.strip, f->now.strip.p + at, f->now.strip.n - at) || !model_open(f, &f->next, &e))
        model_free(&f->next);
    f->next_from = from;
}

static int64_t next_takes_over(struct follow *f)
{
    int64_t by = trace_info(f->next.tr)->first_ns - trace_info(f->now.tr)->first_ns;
    size_t shift = f->gens[f->next_from].at - STREAM_HEADER;
    f->old = f->now;
    f->now = f->next;
    f->next = (struct model){0};
    f->ngens -= f->next_from;
    memmove(f->gens, f->gens + f->next_from, f->ngens * sizeof *f->gens);
    for (size_t i = 0; i < f->ngens; i++)
        f->gens[i].at -= shift;
    return by;
}

/* ---- the face --------------------------------------------------------------------------------------------------- */

static void decode(struct model *m, int64_t budget_ns)
{
    if (!m->tr || m->waits)
        return;
    enum load rc = trace_load(m->tr, budget_ns);
    m->waits = rc != LOAD_MORE;
    m->over = rc == LOAD_DONE;
}

/* What comes can't be decoded any further: that is its end, and is said. */
static bool damaged(struct follow *f)
{
    if (f->ended || !f->now.over)
        return false;
    const struct err *e = trace_damage(f->now.tr, 0);
    over(f, e ? e->what : "the rest can't be decoded");
    return true;
}

unsigned follow_step(struct follow *f, int64_t budget_ns, int64_t *by)
{
    unsigned news = 0;
    bool was = f->ended;
    (void)receive(f, 0);
    if (f->ended && !was) {
        trace_grown(f->now.tr);
        f->now.waits = false;
        news |= FOLLOW_ENDED;
    }
    if (budget_ns <= 0)
        return news;
    if (!f->now.waits) {
        decode(&f->now, budget_ns);
        if (damaged(f))
            news |= FOLLOW_ENDED;
        if (f->now.waits)
            settle_times(f);
        news |= FOLLOW_GREW;
    } else if (f->next.tr && !f->ended) {
        decode(&f->next, budget_ns);
        if (f->next.waits && !trace_fatal(f->next.tr)) {
            *by = next_takes_over(f);
            news |= FOLLOW_MOVED | FOLLOW_GREW;
        }
    } else if (!f->ended && !f->old.tr && too_much(f)) {
        next_begin(f);
    }
    if (!f->now.waits || (f->next.tr && !f->next.waits))
        news |= FOLLOW_BUSY;
    return news;
}

void follow_let_go(struct follow *f)
{
    model_free(&f->old);
}

void follow_stop(struct follow *f)
{
    if (f->ended)
        return;
    over(f, "the connection was given up");
    trace_grown(f->now.tr);
    f->now.waits = false;
}

struct trace *follow_trace(const struct follow *f)
{
    return f->now.tr;
}

const char *follow_why(const struct follow *f)
{
    return f->why;
}

bool follow_ended(const struct follow *f)
{
    return f->ended;
}

/* The first generation: nothing can be shown before. */
static enum err_code first(struct follow *f, struct err *e)
{
    if (!strip_make(&f->now.strip))
        return err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "no room for addresses");
    while (!stream_whole(&f->live.st)) {
        enum live_state s = live_step(&f->live, FIRST_MS, e);
        if (s == LIVE_FAILED)
            return e->code;
        if (s == LIVE_END)
            break;
        if (live_stop_asked())
            return err_set(e, ERR_IO, ERR_NO_OFFSET, "nothing had come yet");
    }
    if (!stream_whole(&f->live.st))
        return err_set(e, ERR_TRUNCATED, f->live.st.bytes, "it ended within its first generation");
    if (!strip_put(&f->now.strip, f->live.st.header, STREAM_HEADER))
        return err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
    take_all(f);
    return model_open(f, &f->now, e) ? ERR_OK : e->code;
}

enum err_code follow_open(const struct follow_opts *o, struct follow **out, struct err *e)
{
    struct follow *f = mem_zalloc(sizeof *f);
    *out = NULL;
    if (!f)
        return err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
    f->o = *o;
    if (!f->o.keep_ns)
        f->o.keep_ns = 30000000000;
    enum err_code rc = ERR_OK;
    if (o->raw && !(f->raw = fopen(o->raw, "wbe")))
        rc = err_set(e, ERR_IO, ERR_NO_OFFSET, "%s: %s", o->raw, strerror(errno));
    if (!rc)
        rc = live_open(&f->live, &o->live, e);
    f->live.raw = f->raw;
    if (!rc)
        rc = first(f, e);
    if (!rc && f->live.ended)
        over(f, "");
    if (!rc && f->ended)
        trace_grown(f->now.tr);
    if (rc)
        follow_close(f);
    else
        *out = f;
    return rc;
}

void follow_close(struct follow *f)
{
    if (!f)
        return;
    live_close(&f->live);
    model_free(&f->now);
    model_free(&f->next);
    model_free(&f->old);
    if (f->raw)
        fclose(f->raw);
    mem_free(f->gens);
    mem_free(f);
}
