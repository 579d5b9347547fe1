/*
 * follow.c - see follow.h.
 *
 * Invariants: a strip holds the header and generations as they came, in order. `now` is decoded by the caller's thread, which
 * alone looks at it; `next` by the maker's, which says under its lock how far it is and gets what is new there. Who has
 * the lock while the maker isn't busy has the model.
 */
#include "viewer/session/follow.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "decode/base/host.h"
#include "decode/base/mem.h"
#include "decode/base/thread.h"
#include "decode/input/joint.h"
#include "viewer/session/strip.h"

enum { FIRST_MS = 200 };
enum { LEAST = 3 }; /* of a size at least the third part is held */
#define MAKE_NS 20000000

struct model {
    struct strip strip;
    struct trace *tr;
    bool waits; /* all of its strip is decoded */
    bool over;  /* and no more of it can be: damage */
};

struct maker {
    pthread_t thread;
    pthread_mutex_t mu;
    pthread_cond_t work, rest;
    bool on, quit, busy, hold; /* the thread runs, shall end, decodes; it must not begin to */
    struct model next;         /* what it makes; next.tr NULL: nothing */
    size_t len;                /* of next's strip, that the trace was told of */
    int64_t end;               /* next's, ns */
    uint64_t done;             /* bytes of next's strip that are decoded */
    struct model gone;         /* to be given back */
};

struct follow {
    struct follow_opts o;
    struct live live;
    FILE *raw;
    int connection;
    struct model now, old;
    struct maker maker;
    uint64_t most; /* bytes of memory that both may take */
    bool behind;   /* decoding can't keep up: what is shown gets no more, `next` takes over as soon as it can */
    size_t whole;  /* bytes of now's strip up to its last whole generation */
    struct live again;
    FILE *raw_again;
    bool connecting; /* `again` is; nothing has come yet */
    bool rejoins;    /* `next` is of the new connection; with what is held before it: */
    bool joined;
    bool mends;     /* `next` is what is shown, read anew: its damage is known now */
    uint32_t noted; /* damages of `now` that were looked at */
    bool ended;
    char why[200], refused[200];
};

static void model_free(struct model *m)
{
    trace_close(m->tr);
    strip_free(&m->strip);
    *m = (struct model){0};
}

static bool model_open(struct follow *f, struct model *m, struct err *e)
{
    struct trace_opts opts = f->o.live.trace;
    opts.grows = true;
    opts.max_memory = UINT64_MAX; /* `most` sees to that */
    return trace_open_mem(m->strip.p, m->strip.n, &opts, &m->tr, e) == ERR_OK;
}

static void decode(struct model *m, int64_t budget_ns)
{
    enum load rc = trace_load(m->tr, budget_ns);
    m->waits = rc != LOAD_MORE;
    m->over = rc == LOAD_DONE;
}

/* ---- the maker ----------------------------------------------------------------------------------------------------- */

/* Under the lock: something to do? */
static bool maker_wanted(const struct maker *k)
{
    return k->gone.tr || (k->next.tr && !k->hold && (!k->next.waits || k->len < k->next.strip.n) && !k->next.over);
}

static void maker_give_back(struct maker *k)
{
    struct model gone = k->gone;
    k->gone = (struct model){0};
    pthread_mutex_unlock(&k->mu);
    model_free(&gone);
    host_trim();
    pthread_mutex_lock(&k->mu);
}

static void *maker_main(void *arg)
{
    struct maker *k = arg;
    pthread_mutex_lock(&k->mu);
    while (!k->quit) {
        if (!maker_wanted(k)) {
            pthread_cond_wait(&k->work, &k->mu);
            continue;
        }
        if (k->gone.tr) {
            maker_give_back(k);
            continue;
        }
        if (k->len < k->next.strip.n) {
            k->len = k->next.strip.n;
            trace_grow(k->next.tr, k->len);
        }
        struct model m = k->next;
        k->busy = true;
        pthread_mutex_unlock(&k->mu);
        decode(&m, MAKE_NS);
        pthread_mutex_lock(&k->mu);
        k->busy = false;
        k->next.waits = m.waits;
        k->next.over = m.over;
        k->end = trace_info(m.tr)->end;
        k->done = trace_info(m.tr)->bytes_done;
        pthread_cond_signal(&k->rest);
    }
    pthread_mutex_unlock(&k->mu);
    return NULL;
}

static enum err_code maker_start(struct maker *k, struct err *e)
{
    pthread_mutex_init(&k->mu, NULL);
    pthread_cond_init(&k->work, NULL);
    pthread_cond_init(&k->rest, NULL);
    k->on = thread_start(&k->thread, NULL, maker_main, k) == 0;
    return k->on ? ERR_OK : err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "a thread to decode with can't be started");
}

static void maker_stop(struct maker *k)
{
    if (k->on) {
        pthread_mutex_lock(&k->mu);
        k->quit = true;
        pthread_cond_signal(&k->work);
        pthread_mutex_unlock(&k->mu);
        pthread_join(k->thread, NULL);
    }
    k->on = false;
    model_free(&k->next);
    model_free(&k->gone);
}

/* ---- holding ---------------------------------------------------------------------------------------------------- */

static void over(struct follow *f, const char *why)
{
    f->ended = true;
    snprintf(f->why, sizeof f->why, "%s", why);
    live_stop(&f->live);
}

/* Another generation: into the strips. false: out of memory. */
static bool take(struct follow *f, const struct stream_gen *g)
{
    struct maker *k = &f->maker;
    const uint8_t *p = g->p + STREAM_HEADER;
    size_t n = g->n - STREAM_HEADER;
    bool ok = f->behind || strip_put(&f->now.strip, p, n);
    pthread_mutex_lock(&k->mu);
    if (k->next.tr && ok)
        ok = strip_put(&k->next.strip, p, n);
    pthread_cond_signal(&k->work);
    pthread_mutex_unlock(&k->mu);
    if (ok && !g->broken && !f->behind)
        f->whole = f->now.strip.n;
    if (ok && f->now.tr && !f->behind) {
        trace_grow(f->now.tr, f->now.strip.n);
        f->now.waits = false;
    }
    return ok || !f->now.tr;
}

/* Whole generations move from the stream into the strips. */
static void take_all(struct follow *f)
{
    size_t n = f->live.st.ngen, i = 0;
    while (i < n && take(f, &f->live.st.gen[i]))
        i++;
    stream_drop(&f->live.st, n);
    if (i < n)
        over(f, "out of memory for what is held");
}

/* No more comes. What came of the generation that it ended within is read as far as it goes. */
static void end(struct follow *f, const char *why)
{
    over(f, why);
    take_all(f);
    const struct stream_gen *rest = live_rest(&f->live);
    if (rest && rest->n > STREAM_HEADER && f->now.strip.n)
        (void)take(f, rest);
    if (f->now.tr)
        trace_grown(f->now.tr);
    f->now.waits = false;
}

/* What has come. */
static void receive(struct follow *f)
{
    struct err e = {0};
    if (f->ended)
        return;
    enum live_state s = live_step(&f->live, 0, &e);
    take_all(f);
    if (!f->ended && (s == LIVE_END || s == LIVE_FAILED))
        end(f, s == LIVE_FAILED ? e.what : "");
}

/* ---- the newer part --------------------------------------------------------------------------------------------- */

static uint64_t in_memory(const struct follow *f)
{
    return mem_live() + f->now.strip.n + f->maker.next.strip.n;
}

/* Is it time for a second model? for it to take over? (under the lock) */
static bool next_due(const struct follow *f)
{
    const struct follow_opts *o = &f->o;
    return (o->keep_bytes ? f->now.strip.n > o->keep_bytes - o->keep_bytes / LEAST
                          : trace_info(f->now.tr)->end > o->keep_ns) ||
           in_memory(f) > f->most / 2;
}

/* It holds enough, and has come as far as the first; or the first holds too much, then near enough will do. */
static bool next_ready(const struct follow *f)
{
    const struct maker *k = &f->maker;
    const struct follow_opts *o = &f->o;
    if (!k->next.tr || k->next.over || !k->end)
        return false;
    uint64_t begins = f->now.strip.n - k->next.strip.n; /* in the first one's strip */
    bool full = in_memory(f) > f->most, there = begins + k->done >= trace_info(f->now.tr)->bytes_done;
    if (o->keep_bytes)
        return k->next.strip.n > o->keep_bytes / LEAST && (there || full || f->now.strip.n > o->keep_bytes / 4 * 5);
    return full || (k->end > o->keep_ns && (there || k->end > o->keep_ns / 4 * 5));
}

/* m is what the maker makes from now on. Of what it holds nothing is decoded. */
static void next_put(struct follow *f, const struct model *m)
{
    struct maker *k = &f->maker;
    pthread_mutex_lock(&k->mu);
    k->next = *m;
    k->next.waits = false;
    k->len = m->strip.n;
    k->end = 0;
    k->done = 0;
    pthread_cond_signal(&k->work);
    pthread_mutex_unlock(&k->mu);
}

static void next_begin(struct follow *f)
{
    struct model m = {0};
    struct err e = {0};
    if (!strip_make(&m.strip) || !strip_put(&m.strip, f->live.st.header, STREAM_HEADER) || !model_open(f, &m, &e)) {
        model_free(&m);
        return;
    }
    m.waits = true;
    next_put(f, &m);
}

/* Is more waiting to be decoded than may be held? */
static bool too_late(const struct follow *f)
{
    uint64_t waiting = f->now.strip.n - trace_info(f->now.tr)->bytes_done, keep = f->o.keep_bytes;
    return !f->now.waits && (keep ? f->now.strip.n > keep + keep / 4 && waiting > keep / 4 : in_memory(f) > f->most);
}

/* From the newest on, then: what was to be decoded before it is left out. */
static void fall_behind(struct follow *f)
{
    struct maker *k = &f->maker;
    pthread_mutex_lock(&k->mu);
    bool can = !k->busy && !k->gone.tr && too_late(f);
    if (can) {
        k->gone = k->next;
        k->next = (struct model){0};
        pthread_cond_signal(&k->work);
    }
    pthread_mutex_unlock(&k->mu);
    if (!can)
        return;
    next_begin(f);
    f->behind = k->next.tr != NULL;
}

/* How much later one trace begins than another: by the time of day if both tell it, else by the host's clock. */
static int64_t later_by(const struct trace *one, const struct trace *other)
{
    enum { MOST_S = 1 << 30 };
    const struct trace_info *a = trace_info(one), *b = trace_info(other);
    int64_t s = b->wall_sec - a->wall_sec;
    if (a->has_wall && b->has_wall && s < MOST_S && s > -MOST_S)
        return s * 1000000000 + b->wall_nsec - a->wall_nsec;
    return b->first_ns - a->first_ns;
}

/* ---- connecting again ----------------------------------------------------------------------------------------------- */

static enum err_code raw_open(const struct follow *f, int connection, FILE **raw, struct err *e)
{
    char path[4096];
    int n = connection > 1 ? snprintf(path, sizeof path, "%s.%d", f->o.raw, connection)
                           : snprintf(path, sizeof path, "%s", f->o.raw);
    if (n < 0 || (size_t)n >= sizeof path)
        return err_set(e, ERR_IO, ERR_NO_OFFSET, "the file's name is too long");
    if (!(*raw = fopen(path, "wbe")))
        return err_set(e, ERR_IO, ERR_NO_OFFSET, "%s: %s", path, strerror(errno));
    return ERR_OK;
}

static enum err_code connect_to(const struct follow *f, struct live *l, int connection, FILE **raw, struct err *e)
{
    enum err_code rc = f->o.raw ? raw_open(f, connection, raw, e) : ERR_OK;
    l->raw = *raw;
    return rc ? rc : live_open(l, &f->o.live, e);
}

static void again_away(struct follow *f)
{
    live_close(&f->again);
    if (f->raw_again)
        fclose(f->raw_again);
    f->raw_again = NULL;
    f->connecting = false;
}

/* A model of what is held, and of what comes behind it; or of that alone. */
static bool again_model(struct follow *f, struct model *m)
{
    struct err e = {0};
    const struct stream_gen *g = &f->again.st.gen[0];
    f->joined =
        joint_follows((struct joint_part){f->now.strip.p, f->whole}, (struct joint_part){g->p, g->n}, &e) == ERR_OK;
    const uint8_t *from = f->joined ? f->now.strip.p : g->p;
    m->waits = true;
    return strip_make(&m->strip) && strip_put(&m->strip, from, f->joined ? f->whole : STREAM_HEADER) &&
           model_open(f, m, &e) && (!f->joined || trace_apart(m->tr));
}

/* Has the first of the new connection come? */
static unsigned again_step(struct follow *f)
{
    struct maker *k = &f->maker;
    struct err e = {0};
    struct model m = {0};
    enum live_state s = live_step(&f->again, 0, &e);
    pthread_mutex_lock(&k->mu);
    bool can = !k->busy && !k->gone.tr && !k->next.tr;
    if (!can && !k->busy && !k->gone.tr) { /* nothing comes of it any more */
        k->gone = k->next;
        k->next = (struct model){0};
        pthread_cond_signal(&k->work);
    }
    pthread_mutex_unlock(&k->mu);
    bool there = f->again.st.ngen > 0;
    if ((there && (!can || f->old.tr)) || (!there && s == LIVE_WAIT))
        return 0;
    if (!there || !again_model(f, &m)) {
        snprintf(f->refused, sizeof f->refused, "%s",
                 there           ? "out of memory"
                 : s == LIVE_END ? "it ended within its first generation"
                                 : e.what);
        model_free(&m);
        again_away(f);
        return FOLLOW_REFUSED;
    }
    live_close(&f->live);
    if (f->raw)
        fclose(f->raw);
    f->live = f->again;
    f->raw = f->raw_again;
    f->again = (struct live){0};
    f->raw_again = NULL;
    f->connecting = f->ended = false;
    f->behind = f->rejoins = true;
    next_put(f, &m);
    take_all(f);
    return 0;
}

/* ---- damage --------------------------------------------------------------------------------------------------------- */

/* A contradiction that was not known of yet; the last one. */
static const struct err *contradiction(const struct follow *f)
{
    for (uint32_t i = trace_info(f->now.tr)->ndamages; i-- > f->noted;) {
        const struct err *e = trace_damage(f->now.tr, i);
        if (e && e->code == ERR_ORDER)
            return e;
    }
    return NULL;
}

/*
 * What is noticed in the middle of a generation makes more of it unsure than what is known before: so what is held is read
 * once more, beside what is shown. Not across a gap of our own.
 */
static void mend(struct follow *f)
{
    struct maker *k = &f->maker;
    const struct err *why = contradiction(f);
    struct model m = {0};
    struct err e = {0};
    if (!why || f->joined) {
        f->noted = trace_info(f->now.tr)->ndamages;
        return;
    }
    pthread_mutex_lock(&k->mu);
    bool can = !k->busy && !k->gone.tr;
    if (can) {
        k->gone = k->next;
        k->next = (struct model){0};
        pthread_cond_signal(&k->work);
    }
    pthread_mutex_unlock(&k->mu);
    if (!can)
        return;
    f->noted = trace_info(f->now.tr)->ndamages;
    if (!strip_make(&m.strip) || !strip_put(&m.strip, f->now.strip.p, f->now.strip.n) || !model_open(f, &m, &e)) {
        model_free(&m);
        return;
    }
    trace_doubt(m.tr, why);
    f->behind = f->rejoins = f->mends = true;
    next_put(f, &m);
}

/* true: the second model has taken over. */
static bool next_takes_over(struct follow *f, int64_t *by)
{
    struct maker *k = &f->maker;
    pthread_mutex_lock(&k->mu);
    bool due = !k->next.tr  ? next_due(f)
               : f->rejoins ? k->end > 0 && k->next.waits && k->len == k->next.strip.n
               : f->behind  ? k->end > 0
                            : next_ready(f);
    k->hold = k->next.tr && due;
    while (k->hold && k->busy)
        pthread_cond_wait(&k->rest, &k->mu);
    k->hold = false;
    if (k->next.tr && due) {
        *by = f->rejoins && !f->joined && !f->mends
                  ? later_by(f->now.tr, k->next.tr)
                  : trace_info(k->next.tr)->first_ns - trace_info(f->now.tr)->first_ns;
        f->old = f->now;
        f->now = k->next;
        k->next = (struct model){0};
        f->behind = f->rejoins = f->mends = false;
        f->noted = trace_info(f->now.tr)->ndamages;
        f->now.waits = false;
        f->whole = f->now.strip.n;
        pthread_mutex_unlock(&k->mu);
        trace_grow(f->now.tr, f->now.strip.n);
        return true;
    }
    if (k->next.over && !k->busy && !k->gone.tr) { /* damage: the next one begins behind it */
        k->gone = k->next;
        k->next = (struct model){0};
        pthread_cond_signal(&k->work);
    }
    bool begin = due && !k->next.tr && !k->gone.tr;
    pthread_mutex_unlock(&k->mu);
    if (begin)
        next_begin(f);
    return false;
}

/* ---- the face --------------------------------------------------------------------------------------------------- */

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
    receive(f);
    if (f->connecting)
        news |= again_step(f);
    if (f->ended && !was)
        news |= FOLLOW_ENDED;
    if (budget_ns <= 0)
        return news;
    if (f->now.waits && !f->behind && !f->connecting && trace_info(f->now.tr)->ndamages > f->noted)
        mend(f);
    bool stands = f->behind, again = f->rejoins && !f->mends, skips = stands && !f->rejoins;
    bool may = (!f->ended || stands) && !f->old.tr;
    if (may && next_takes_over(f, by)) {
        news |= FOLLOW_MOVED | FOLLOW_GREW | (again ? FOLLOW_AGAIN : skips ? FOLLOW_SKIPPED : 0);
        if (f->ended)
            trace_grown(f->now.tr);
    } else if (!f->now.waits && !stands) {
        decode(&f->now, budget_ns);
        if (damaged(f))
            news |= FOLLOW_ENDED;
        news |= FOLLOW_GREW;
        if (may && too_late(f))
            fall_behind(f);
    }
    if (!f->now.waits && !f->behind)
        news |= FOLLOW_BUSY;
    return news;
}

void follow_let_go(struct follow *f)
{
    pthread_mutex_lock(&f->maker.mu);
    f->maker.gone = f->old;
    f->old = (struct model){0};
    pthread_cond_signal(&f->maker.work);
    pthread_mutex_unlock(&f->maker.mu);
}

void follow_stop(struct follow *f)
{
    if (!f->ended)
        end(f, "the connection was given up");
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

bool follow_connecting(const struct follow *f)
{
    return f->connecting || (f->rejoins && !f->mends);
}

bool follow_stands(const struct follow *f)
{
    return f->behind;
}

const char *follow_refused(const struct follow *f)
{
    return f->refused;
}

bool follow_joined(const struct follow *f)
{
    return f->joined;
}

/* The first generation: nothing can be shown before. */
static enum err_code first(struct follow *f, struct err *e)
{
    enum live_state s = LIVE_WAIT;
    while (s == LIVE_WAIT) {
        if (live_stop_asked())
            return err_set(e, ERR_IO, ERR_NO_OFFSET, "nothing had come yet");
        s = live_step(&f->live, FIRST_MS, e);
    }
    const struct stream_gen *rest = live_rest(&f->live);
    bool whole = f->live.st.ngen > 0;
    if (!whole && (!rest || rest->n <= STREAM_HEADER))
        return s == LIVE_END ? err_set(e, ERR_TRUNCATED, ERR_NO_OFFSET, "it ended within its first generation")
                             : e->code;
    if (!strip_put(&f->now.strip, f->live.st.header, STREAM_HEADER))
        return err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
    take_all(f);
    if (!model_open(f, &f->now, e))
        return e->code;
    if (!whole)
        end(f, s == LIVE_FAILED ? e->what : "");
    return ERR_OK;
}

enum err_code follow_open(const struct follow_opts *o, struct follow **out, struct err *e)
{
    struct follow *f = mem_zalloc(sizeof *f);
    *out = NULL;
    if (!f)
        return err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
    f->o = *o;
    f->connection = 1;
    f->most = host_memory() / 2;
    if (!f->o.keep_ns)
        f->o.keep_ns = 30000000000;
    enum err_code rc = maker_start(&f->maker, e);
    if (!rc && !strip_make(&f->now.strip))
        rc = err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "no room for addresses");
    if (!rc)
        rc = connect_to(f, &f->live, 1, &f->raw, e);
    if (!rc)
        rc = first(f, e);
    if (rc)
        follow_close(f);
    else
        *out = f;
    return rc;
}

enum err_code follow_again(struct follow *f, struct err *e)
{
    enum err_code rc = connect_to(f, &f->again, f->connection + 1, &f->raw_again, e);
    f->connecting = true;
    if (rc)
        again_away(f);
    else
        f->connection++;
    return rc;
}

void follow_close(struct follow *f)
{
    if (!f)
        return;
    again_away(f);
    live_close(&f->live);
    maker_stop(&f->maker);
    model_free(&f->now);
    model_free(&f->old);
    if (f->raw)
        fclose(f->raw);
    mem_free(f);
}
