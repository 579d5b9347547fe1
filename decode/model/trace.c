/*
 * trace.c - opens a trace and decodes it step by step.
 *
 *   first family    input -> dialect -> source_v1 (orders events) -> chunks of events -> fold (builds the
 *                   model)
 *   second family   input -> dialect -> loader.c: segments, each ordered and folded by itself, then joined;
 *                   what can't be cut into segments: source_v2 (orders events), which folds as it goes
 *
 * With more than one thread, a first-family reader runs in a thread of its own and hands over chunks through
 * a ring, and segments are decoded side by side. What the model is read from changes only in the caller's
 * thread, within trace_load(), so readers need no lock. Any number of threads gives the same model.
 */
#include "decode/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "decode/base/host.h"
#include "decode/input/mapped.h"
#include "decode/model/callback.h"
#include "decode/base/mem.h"
#include "decode/base/origin.h"
#include "decode/base/spill.h"
#include "decode/base/thread.h"
#include "decode/model/trace_priv.h"
#include "decode/model/fast_path.h"

/* ---- the reader's side --------------------------------------------------------------------------------- */

/* Returns a reader's status, with the present number of names. */
static struct source_status status_now(const struct trace *tr, const struct source_status *of)
{
    struct source_status st = *of;
    st.nstrs = names_nstrs(&tr->names);
    st.nstacks = names_nstacks(&tr->names);
    return st;
}

/* Fill a chunk. A reader that folds as it goes folds into f instead. */
static void chunk_fill(struct trace *tr, struct chunk *c, struct fold *f)
{
    if (tr->src.ops->run) {
        struct fast_path ts;
        fast_path_init(&ts, f);
        c->n = tr->src.ops->run(&tr->src, &ts.k, FOLD_EVENTS);
    } else {
        c->n = tr->src.ops->stream(&tr->src, c->evs, CHUNK_HALVES);
    }
    c->st = status_now(tr, &tr->src.st);
}

static void *reader_main(void *arg)
{
    struct trace *tr = arg;
    for (;;) {
        pthread_mutex_lock(&tr->mu);
        while (tr->head - tr->tail == RING && !tr->quit)
            pthread_cond_wait(&tr->freed, &tr->mu);
        bool quit = tr->quit;
        struct chunk *c = &tr->ring[tr->head % RING];
        pthread_mutex_unlock(&tr->mu);
        if (quit)
            return NULL;
        chunk_fill(tr, c, NULL);
        bool end = !c->n;
        pthread_mutex_lock(&tr->mu);
        tr->head++;
        pthread_cond_signal(&tr->filled);
        pthread_mutex_unlock(&tr->mu);
        if (end)
            return NULL;
    }
}

static void reader_stop(struct trace *tr)
{
    if (!tr->thread_on)
        return;
    pthread_mutex_lock(&tr->mu);
    tr->quit = true;
    pthread_cond_signal(&tr->freed);
    pthread_mutex_unlock(&tr->mu);
    pthread_join(tr->thread, NULL);
    tr->thread_on = false;
}

static void ring_free(struct trace *tr)
{
    for (int i = 0; i < RING; i++) {
        mem_free(tr->ring[i].evs);
        tr->ring[i].evs = NULL;
    }
}

static void reader_start(struct trace *tr)
{
    tr->head = tr->tail = 0;
    tr->quit = false;
    tr->threaded = tr->thread_on = thread_start(&tr->thread, NULL, reader_main, tr) == 0;
}

/* ---- opening ------------------------------------------------------------------------------------------- */

/* Add the notes that precede the first event. */
static void notes_first(struct trace *tr)
{
    const struct dialect *d = &tr->dialect;
    if (d->newer)
        source_warn(&tr->src, ERR_VERSION, 0, 5,
                    "header says go 1.%d, newer than this gotop knows: read as %s", d->version % 1000,
                    d->name);
    if (tr->in.damage.code)
        source_damage(&tr->src, tr->in.damage.code, 0, tr->in.damage.offset, "%s", tr->in.damage.what);
}

/* Put the reader at the file's start, and make an empty model. */
static enum err_code decode_begin(struct trace *tr, struct err *e)
{
    const bool second_family = tr->dialect.second_family;
    if (names_init(&tr->names) || fold_init(&tr->fold, &tr->names))
        return err_nomem(e);
    enum err_code rc = second_family ? source_v2(&tr->src, e) : source_v1(&tr->src, e);
    if (rc)
        return rc;
    notes_first(tr);
    /* A growing trace arrives more slowly than one thread decodes. */
    tr->threaded = tr->threads > 1 && !second_family && !tr->opts.grows;
    for (int i = 0; i < (tr->threaded ? RING : second_family ? 0 : 1); i++)
        if (!(tr->ring[i].evs = mem_alloc(CHUNK_HALVES * sizeof(struct ev_half))))
            return err_nomem(e);
    return ERR_OK;
}

static enum err_code trace_start(struct trace *tr, struct err *e)
{
    enum err_code rc = dialect_tell(tr->in.data, tr->in.len, &tr->dialect, e);
    if (rc)
        return rc;
    const struct dialect *d = &tr->dialect;
    struct source *s = &tr->src;
    *s = source_of(&tr->in, d->read_as, d->header, &tr->names);
    s->opts = &tr->opts;
    s->grows = tr->opts.grows;
    if (!source_notes_room(s))
        return err_nomem(e);
    tr->threads = tr->opts.threads ? tr->opts.threads : (int)sysconf(_SC_NPROCESSORS_ONLN);
    if ((rc = decode_begin(tr, e)))
        return rc;
    tr->info = (struct trace_info){.path = tr->path,
                                   .dialect = d->name,
                                   .version = d->version,
                                   .second_family = d->second_family,
                                   .has_clock = true,
                                   .has_m = d->version > 0,
                                   .has_regions = d->version >= 1011,
                                   .has_samples = d->version >= 1019,
                                   .has_names = d->version >= 1007 || tr->opts.exe,
                                   .bytes = tr->in.len,
                                   .spilled = spill_size(tr->in.map)};
    pthread_mutex_init(&tr->mu, NULL);
    thread_cond(&tr->filled);
    thread_cond(&tr->freed);
    return ERR_OK;
}

uint64_t trace_limit(uint64_t max_memory)
{
    const uint64_t limit = max_memory ? max_memory : host_memory() / 2;
    mem_limit(limit);
    return limit;
}

static struct trace *trace_new(const char *path, const struct trace_opts *opts, struct err *e)
{
    struct trace *tr = mem_zalloc(sizeof *tr);
    size_t n = strlen(path) + 1;
    if (!tr || !(tr->path = mem_alloc(n))) {
        mem_free(tr);
        err_nomem(e);
        return NULL;
    }
    memcpy(tr->path, path, n);
    if (opts)
        tr->opts = *opts;
    tr->opts.max_memory = trace_limit(tr->opts.max_memory);
    return tr;
}

static enum err_code trace_finish_open(struct trace *tr, enum err_code rc, struct trace **out, struct err *e)
{
    if (!rc)
        rc = trace_start(tr, e);
    if (rc)
        trace_close(tr);
    else
        *out = tr;
    return rc;
}

enum err_code trace_open(const char *path, const struct trace_opts *opts, struct trace **out, struct err *e)
{
    *out = NULL;
    struct trace *tr = trace_new(path, opts, e);
    if (!tr)
        return ERR_NOMEM;
    origin_note(-1, tr->opts.exe); /* whether or not this trace needs it */
    return trace_finish_open(tr, input_open_all(path, &tr->opts.more, tr->opts.max_memory, &tr->in, e), out,
                             e);
}

enum err_code trace_open_mem(const void *data, size_t len, const struct trace_opts *opts, struct trace **out,
                             struct err *e)
{
    return trace_open_input(&(struct input){.data = data, .len = len}, opts, out, e);
}

enum err_code trace_open_input(const struct input *in, const struct trace_opts *opts, struct trace **out,
                               struct err *e)
{
    *out = NULL;
    struct trace *tr = trace_new("(memory)", opts, e);
    if (!tr)
        return ERR_NOMEM;
    tr->in = (struct input){.data = in->data, .len = in->len, .gap = in->gap, .ngap = in->ngap};
    return trace_finish_open(tr, ERR_OK, out, e);
}

const struct joint_paths *trace_more(const struct trace *tr)
{
    return &tr->opts.more;
}

/* Free everything that decoding has made. */
static void decode_end(struct trace *tr)
{
    reader_stop(tr);
    if (tr->src.ops) {
        loader_free(tr->loader);
        tr->loader = NULL;
        join_free(&tr->join);
        tr->src.ops->close(&tr->src);
    }
    ring_free(tr);
    fold_free(&tr->fold);
    names_free(&tr->names);
    callback_free(&tr->callback);
    for (int m = 0; m < MEMOS; m++) {
        mem_free(tr->memo[m]);
        tr->memo[m] = NULL;
        tr->nmemo[m] = 0;
    }
}

void trace_close(struct trace *tr)
{
    if (!tr)
        return;
    decode_end(tr);
    source_notes_free(&tr->src);
    if (tr->opts.grows) /* else they belong to the input */
        mem_free(tr->in.gap);
    input_close(&tr->in);
    mem_free(tr->path);
    mem_free(tr);
}

/* ---- loading ------------------------------------------------------------------------------------------- */

/* Copy the notes that the reader made up to this chunk. The lists only grow, so no lock is needed. */
static void notes_take(struct trace *tr, const struct source_status *st)
{
    for (; tr->taken_damages < st->ndamages && tr->taken_damages < SOURCE_NOTES; tr->taken_damages++)
        tr->damage[tr->ndamage++] = *source_note(&tr->src.damage, tr->taken_damages);
    for (; tr->taken_warnings < st->nwarnings && tr->taken_warnings < SOURCE_NOTES; tr->taken_warnings++)
        tr->warning[tr->nwarning++] = *source_note(&tr->src.warning, tr->taken_warnings);
}

/* Make the warnings that have a count. Where events are missing an annotation's end without a beginning is
 * no misuse. */
static void notes_count(struct trace *tr)
{
    tr->ncounted = 0;
    for (int k = 0; k < MISUSE_KINDS && !tr->ndamage; k++)
        if (tr->fold.misuse[k].n)
            misuse_say(&tr->fold.misuse[k], (enum misuse_kind)k, &tr->names, &tr->counted[tr->ncounted++]);
}

static void own_damage(struct trace *tr, enum err_code code, const char *what)
{
    if (tr->ndamage < sizeof tr->damage / sizeof *tr->damage)
        err_set(&tr->damage[tr->ndamage++], code, tr->st.bytes_done, "%s", what);
}

/* Stop decoding, because the memory limit is reached. The memory needed is estimated from what the file has
 * taken so far. */
static void damage_full(struct trace *tr)
{
    char what[sizeof tr->damage[0].what];
    const struct source_status *st = &tr->src.st;
    double share = st->bytes_done && tr->in.len ? (double)st->bytes_done / (double)tr->in.len : 1;
    if (mem_spills())
        snprintf(what, sizeof what,
                 "--max-memory is too low, some %.0f MiB are needed: the rest is not shown",
                 (double)mem_live() / (share > 0 && share < 1 ? share : 1) / 1048576 + 4);
    else
        snprintf(what, sizeof what,
                 "memory limit reached (--max-memory), and %s: the rest of the trace is not shown",
                 spill_why());
    own_damage(tr, ERR_NOMEM, what);
}

static void damage_oom(struct trace *tr)
{
    own_damage(tr, ERR_NOMEM, "out of memory: the rest of the trace is not shown");
}

/* Free pages that were read of the file and of what is spilled, if memory is short. */
static void trace_release(struct trace *tr)
{
    enum { STEPS = 256 };
    if (tr->steps++ % STEPS || !spill_bytes())
        return;
    if (tr->in.mapped && host_mapped() > tr->opts.max_memory / 4)
        (void)madvise(tr->in.map, tr->in.maplen, MADV_DONTNEED);
    mem_rest();
}

static void status_take(struct trace *tr, const struct source_status *st)
{
    notes_take(tr, st);
    notes_count(tr);
    tr->st = *st;
    struct trace_info *i = &tr->info;
    const struct fold *f = &tr->fold;
    i->has_clock = st->has_clock;
    i->clock_assumed = st->clock_assumed;
    i->bytes_done = st->bytes_done;
    i->more = tr->src.grows;
    if (tr->opts.grows)
        i->bytes = i->bytes_done; /* the final size is unknown */
    i->batches = st->batches;
    i->experimental_batches = st->experimental_batches;
    i->generations = st->generations;
    i->first_ns = st->first_ns;
    i->has_wall = st->has_wall;
    i->wall_sec = st->wall_sec;
    i->wall_nsec = st->wall_nsec;
    i->nwarnings = tr->nwarning + tr->ncounted;
    i->ndamages = tr->ndamage;
    i->more_damages = st->ndamages > SOURCE_NOTES;
    i->events = f->events;
    i->end = trace_last(tr);
    i->gomaxprocs = f->procs > UINT32_MAX ? UINT32_MAX : (uint32_t)f->procs;
    memcpy(i->count, f->count, sizeof f->count);
}

/* Make room for the present names; the bits of earlier ones stay. */
static void memos_room(struct trace *tr)
{
    const uint32_t count[MEMOS] = {[MEMO_STRING] = tr->st.nstrs,
                                   [MEMO_FRAME] = names_nframes(&tr->names),
                                   [MEMO_STACK] = tr->st.nstacks};
    for (int m = 0; m < MEMOS; m++) {
        const uint32_t n = count[m], had = tr->nmemo[m];
        uint64_t *room =
            n > had || !tr->memo[m] ? mem_resize(tr->memo[m], ((size_t)n + 1) * sizeof *room) : NULL;
        if (!room)
            continue;
        memset(room + had, 0, ((size_t)n + 1 - had) * sizeof *room);
        tr->memo[m] = room;
        tr->nmemo[m] = n;
    }
}

static void load_end(struct trace *tr)
{
    reader_stop(tr);
    fold_finish(&tr->fold, trace_last(tr));
    struct source_status st = status_now(tr, tr->done ? &tr->st : &tr->src.st);
    if (!tr->ndamage && !tr->src.st.ndamages && !tr->fold.oom)
        st.bytes_done = tr->in.len;
    tr->done = tr->info.done = true;
    if (tr->in.mapped && mapped_lost())
        own_damage(tr, ERR_IO, "the file became shorter while it was read: what is gone is not shown");
    status_take(tr, &st);
    if (tr->src.fatal.code)
        tr->fatal = tr->in.mapped && mapped_lost() ? tr->damage[tr->ndamage - 1] : tr->src.fatal;
    else if (tr->opts.strict && tr->ndamage)
        tr->fatal = tr->damage[0];
    tr->info.tested = tested_package(tr);
    callback_find(tr);
    memos_room(tr);
    tr->info.goroutines = trace_nlanes(tr, LANE_G);
    if (!tr->src.ops)
        return;
    tr->src.ops->close(&tr->src); /* the reader's tables and the ring are no longer needed */
    ring_free(tr);
}

static void chunk_fold(struct trace *tr, const struct chunk *c)
{
    if (!c->n)
        return;
    pool_ticks(&tr->fold.pool, c->st.tick_ns);
    fold_stream(&tr->fold, c->evs, c->n);
}

/* Update the status: a chunk's events are in the model. Returns false if that was the last chunk to take. */
static bool chunk_took(struct trace *tr, const struct chunk *c)
{
    if (!c->n)
        return false;
    status_take(tr, &c->st);
    if (tr->fold.oom) {
        damage_oom(tr);
        return false;
    }
    tr->full = trace_full(tr->fold.nlane[LANE_G]);
    if (tr->full)
        return false;
    trace_release(tr);
    return !(tr->opts.strict && tr->ndamage);
}

/* Take a chunk from the reader's thread. Returns TOOK_END if there are no more, TOOK_NONE if none came in
 * time. */
enum took { TOOK_NONE, TOOK_ONE, TOOK_END };
static enum took chunk_take(struct trace *tr, int64_t stop)
{
    pthread_mutex_lock(&tr->mu);
    while (tr->head == tr->tail)
        if (!thread_wait(&tr->filled, &tr->mu, stop) && tr->head == tr->tail) {
            pthread_mutex_unlock(&tr->mu);
            return TOOK_NONE;
        }
    struct chunk *c = &tr->ring[tr->tail % RING];
    pthread_mutex_unlock(&tr->mu);
    chunk_fold(tr, c);
    bool more = chunk_took(tr, c);
    pthread_mutex_lock(&tr->mu);
    tr->tail++;
    pthread_cond_signal(&tr->freed);
    pthread_mutex_unlock(&tr->mu);
    return more ? TOOK_ONE : TOOK_END;
}

static bool load_step(struct trace *tr, int64_t stop, bool *late)
{
    if (tr->threaded) {
        enum took t = chunk_take(tr, stop);
        *late = t == TOOK_NONE;
        return t != TOOK_END;
    }
    chunk_fill(tr, &tr->ring[0], &tr->fold);
    if (!tr->src.ops->run)
        chunk_fold(tr, &tr->ring[0]);
    return chunk_took(tr, &tr->ring[0]);
}

/* Returns whether a growing trace waits for more input, with all input so far decoded. */
static bool waits_for_more(struct trace *tr)
{
    if (!tr->src.waiting || tr->fold.oom || (tr->opts.strict && tr->info.ndamages))
        return false;
    tr->info.done = true; /* as far as the input goes */
    callback_update(tr);
    memos_room(tr);
    tr->info.goroutines = trace_nlanes(tr, LANE_G);
    return true;
}

void trace_grow(struct trace *tr, size_t len)
{
    tr->in.len = tr->src.len = len;
    tr->info.done = false;
}

void trace_doubt(struct trace *tr, const struct err *why)
{
    tr->src.bad = why->gen;
    tr->src.why_bad = *why;
}

bool trace_gap(struct trace *tr)
{
    uint32_t n = tr->in.ngap;
    size_t *gap = mem_resize(tr->in.gap, (n + 1) * sizeof *gap);
    if (!gap)
        return false;
    gap[n] = tr->in.len;
    tr->src.gap = tr->in.gap = gap;
    tr->src.ngap = tr->in.ngap = n + 1;
    return true;
}

void trace_grown(struct trace *tr)
{
    tr->src.grows = tr->info.more = false;
}

/* Discard what is decoded, and put the reader at the file's start. Returns false when out of memory;
 * fold.oom is set. */
static bool start_over(struct trace *tr)
{
    struct err e;
    decode_end(tr);
    tr->info.epoch++; /* the model shown so far is void; lanes get other indices */
    tr->ndamage = tr->nwarning = tr->ncounted = tr->taken_damages = tr->taken_warnings = 0;
    tr->src.st = (struct source_status){0};
    const bool ok = decode_begin(tr, &e) == ERR_OK;
    tr->fold.oom |= !ok;
    return ok;
}

/* Start over with one thread. Several threads use more memory at once, and how much depends on timing; with
 * one, decoding always ends at the same place. Returns false as start_over(). */
static bool start_alone(struct trace *tr)
{
    tr->threads = 1;
    tr->full = false;
    tr->src.bad = 0;
    if (!start_over(tr))
        return false;
    if (tr->dialect.second_family)
        tr->loader = loader_new(tr, tr->threads);
    return true;
}

/* Load some segments. Returns false if there are no more. */
static bool load_segments(struct trace *tr, int64_t stop)
{
    enum loaded_rc rc = loader_some(tr->loader, stop);
    const bool cant =
        rc == LOADER_CANT; /* the segments cannot be decoded independently: read the trace as one */
    if (cant || (rc == LOADER_FULL && tr->threads > 1)) {
        if (cant ? start_over(tr) : start_alone(tr))
            return true;
        rc = LOADER_DONE;
    }
    const struct source_status st = status_now(tr, &tr->src.st);
    status_take(tr, &st);
    if (tr->fold.oom)
        damage_oom(tr);
    if (rc == LOADER_FULL)
        damage_full(tr);
    trace_release(tr);
    if (rc == LOADER_MORE && !(tr->opts.strict && tr->ndamage))
        return true;
    loader_free(tr->loader);
    tr->loader = NULL;
    names_rest(&tr->names);
    return false;
}

static void load_begin(struct trace *tr)
{
    if (tr->dialect.second_family && !tr->src.grows && !tr->in.ngap)
        tr->loader = loader_new(tr, tr->threads);
    if (tr->threaded)
        reader_start(tr);
    tr->started = true;
}

enum load trace_load(struct trace *tr, int64_t budget_ns)
{
    if (tr->done)
        return LOAD_DONE;
    int64_t stop = host_until(budget_ns);
    if (!tr->started)
        load_begin(tr);
    while (tr->loader) {
        if (!load_segments(tr, stop)) {
            load_end(tr);
            return LOAD_DONE;
        }
        if (tr->loader && host_now() >= stop) {
            tr->info.goroutines = trace_nlanes(tr, LANE_G);
            return LOAD_MORE;
        }
    }
    bool late = false;
    do {
        if (!load_step(tr, stop, &late)) {
            if (tr->full && tr->threaded) {
                if (start_alone(tr))
                    continue;
                damage_oom(tr);
            }
            if (tr->full)
                damage_full(tr);
            if (waits_for_more(tr))
                return LOAD_WAIT;
            load_end(tr);
            return LOAD_DONE;
        }
    } while (!late && (stop == INT64_MAX || host_now() < stop));
    tr->info.goroutines = trace_nlanes(tr, LANE_G);
    return LOAD_MORE;
}

const struct err *trace_fatal(const struct trace *tr)
{
    return tr->done && tr->fatal.code ? &tr->fatal : NULL;
}

const struct trace_info *trace_info(const struct trace *tr)
{
    return &tr->info;
}

const struct err *trace_damage(const struct trace *tr, uint32_t i)
{
    return i < tr->ndamage ? &tr->damage[i] : NULL;
}

const struct err *trace_warning(const struct trace *tr, uint32_t i)
{
    return i < tr->nwarning                  ? &tr->warning[i]
           : i - tr->nwarning < tr->ncounted ? &tr->counted[i - tr->nwarning]
                                             : NULL;
}
