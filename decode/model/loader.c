/*
 * loader.c - loads a second-family trace segment by segment.
 *
 * Finding a generation hops over its batches, and is done when the next one is wanted. Any number of threads
 * decode, the caller's included. Only the caller's thread joins, and what is joined is the trace. So readers
 * need no lock, and the result does not depend on the number of threads.
 *
 * The lock protects: which segments are found and which thread decodes them, which segment is next to name
 * (names are numbered in file order), when each segment ends, and the join, which hints read.
 */
#include <pthread.h>

#include "decode/base/host.h"
#include "decode/base/mem.h"
#include "decode/base/thread.h"
#include "decode/model/retired.h"
#include "decode/model/trace_priv.h"

enum { THREADS_MOST = 64, EVENTS = 4096, FIRST_EVENTS = 64, AGAIN_MOST = 1 };

struct loader {
    struct trace *tr;
    pthread_mutex_t mu;
    pthread_cond_t changed;
    struct segment **seg; /* segments found so far */
    size_t nseg, capseg;
    size_t pos;         /* where the next generation begins */
    struct v2_gen last; /* the last generation found, as far as finding the next one needs it */
    bool all;           /* all segments are found */
    size_t next;        /* the next segment to decode */
    size_t names;       /* the next segment to name */
    size_t ended;       /* the first segment whose end is not known */
    size_t joined;
    bool quit;
    bool newer;   /* see status_join() */
    bool oom;     /* out of memory while finding */
    bool lossy;   /* the trace must be read as one: see gen_sound() and many_tiny() */
    bool full;    /* the memory limit is reached */
    bool stopped; /* nothing after the joined segments can be read */
    bool others;  /* there are segments after the first; the same for any number of threads */
    bool started; /* the trace's start is known */
    int64_t base;
    pthread_t thread[THREADS_MOST];
    int nthreads, want;
    struct segment *mine;  /* the segment that the caller's thread decodes */
    struct segment *again; /* to be decoded anew, before any other; none is joined until that is done */
    struct segment *notes; /* not a segment; holds the notes made while looking for one */
};

/* Returns whether a generation is complete. If something is missing, it needs the generations before it, and
 * the trace must be read as one. */
static bool gen_sound(enum v2_gen_rc rc, const struct v2_gen *g)
{
    const bool cut = g->torn || (rc == V2_GEN_LAST && !g->has_stacks);
    return rc != V2_GEN_OOM && !(rc != V2_GEN_NONE && g->ordinal > 1 && cut) && !g->after_gap &&
           !v2_gen_lossy(g);
}

/* Whether so many generations are tiny that the trace is read as one. A segment costs about 36 KB, whatever
 * its generation holds, and no program writes tiny ones: it writes one a second, each with its tables. */
static bool many_tiny(size_t n, size_t bytes)
{
    enum { MANY = 100, TINY = 1024 };
    return n > MANY && n > bytes / TINY;
}

void loader_free(struct loader *l)
{
    if (!l)
        return;
    pthread_mutex_lock(&l->mu);
    __atomic_store_n(&l->quit, true, __ATOMIC_RELAXED);
    pthread_cond_broadcast(&l->changed);
    pthread_mutex_unlock(&l->mu);
    for (int i = 0; i < l->nthreads; i++)
        pthread_join(l->thread[i], NULL);
    for (size_t i = l->tr->join.n; i < l->nseg; i++)
        segment_free(l->seg[i]);
    segment_free(l->notes);
    mem_free(l->seg);
    pthread_mutex_destroy(&l->mu);
    pthread_cond_destroy(&l->changed);
    mem_free(l);
}

/* ---- finding ------------------------------------------------------------------------------------------- */

/* Find the next generation. Under the lock. */
static void find_next(struct loader *l)
{
    const bool room =
        mem_room(l->seg, l->capseg, l->nseg + 1); /* NOLINT(bugprone-sizeof-expression): of pointers */
    struct source like = l->tr->src;
    like.st = (struct source_status){.has_clock = true};
    struct segment *s = room ? segment_new((uint32_t)l->nseg, &like) : NULL;
    if (!s) {
        l->all = l->oom = true;
        return;
    }
    v2_gen_after(&s->gen, &l->last);
    enum v2_gen_rc rc = v2_gen_scan(s->s, &s->gen, &l->pos);
    l->all = rc != V2_GEN;
    s->oom = rc == V2_GEN_OOM;
    l->lossy |= !s->oom && (!gen_sound(rc, &s->gen) || many_tiny(l->nseg, l->pos));
    v2_gen_after(&l->last, &s->gen);
    if (rc == V2_GEN_NONE)
        l->notes = s;
    else
        l->seg[l->nseg++] = s;
}

/* Find more than n generations, or all there are. Under the lock. */
static void find_until(struct loader *l, size_t n)
{
    while (l->nseg <= n && !l->all)
        find_next(l);
}

/* Check the first generations before anything is decoded, so that decoding a small file is not wasted. It
 * does not wait for a large file's last headers, which have to come from the disk: find_ahead() reaches
 * them soon. */
static bool first_sound(struct loader *l)
{
    enum { LOOK_AHEAD = 64 << 20 };
    while (!l->all && !l->lossy && l->pos < LOOK_AHEAD)
        find_until(l, l->nseg);
    return !l->lossy && !l->oom && !(l->nseg && l->seg[l->nseg - 1]->oom);
}

struct loader *loader_new(struct trace *tr, int threads)
{
    enum { KEEPS = 256 << 20 }; /* with such a limit, a few megabytes kept by the allocator do not matter */
    struct loader *l = mem_zalloc(sizeof *l);
    if (!l)
        return NULL;
    l->tr = tr;
    l->pos = tr->src.header;
    l->want = threads > THREADS_MOST ? THREADS_MOST : threads;
    pthread_mutex_init(&l->mu, NULL);
    thread_cond(&l->changed);
    if (!first_sound(l)) {
        loader_free(l);
        return NULL;
    }
    if (!mem_limited() || mem_limited() >= KEEPS)
        host_heap_keeps();
    return l;
}

/* Find one more generation each time, while the first segment is decoded and shown. So an incomplete one,
 * which means that the trace must be read as one, is found before much decoding is wasted and before
 * anything is joined. */
static void find_ahead(struct loader *l)
{
    pthread_mutex_lock(&l->mu);
    if (l->started && !l->all)
        find_until(l, l->nseg);
    pthread_mutex_unlock(&l->mu);
}

/* Returns the next segment to decode; NULL if there is none now. Nothing is joined before all are found,
 * and segments that are not joined keep memory that only decoding needs. So if decoding gets too far ahead
 * of joining, more segments are found first. Under the lock. */
static struct segment *take_segment(struct loader *l)
{
    enum { LEAD = 64, MORE = 256 };
    struct segment *again = l->again;
    l->again = NULL;
    if (again)
        return again;
    if (l->next - l->joined > LEAD && !l->all)
        find_until(l, l->nseg + MORE);
    if (l->next >= l->nseg && !l->all)
        find_until(l, l->next);
    if (l->next >= l->nseg)
        return NULL;
    struct segment *s = l->seg[l->next];
    l->next++;
    return s;
}

/* ---- decoding ------------------------------------------------------------------------------------------ */

/* What is known of a goroutine before any segment is joined: what the first one says of it. */
static uint16_t hint_first(const struct segment *s, uint64_t id, uint32_t *name)
{
    struct ginfo room;
    const uint32_t g = idmap_get(&s->order.gs, id);
    const struct ginfo *gi = g == IDMAP_NONE ? NULL : fold_g_info(s->f, g, &room);
    if (!gi)
        return 0;
    *name = gi->name;
    return gi->flags & (GI_GCWORK | GI_SYSTEM | GI_INFERRED);
}

static uint16_t hint(void *arg, uint64_t id, uint32_t *name)
{
    struct segment *s = arg;
    struct loader *l = s->loader;
    pthread_mutex_lock(&l->mu);
    const uint16_t flags = l->joined ? join_hint(&l->tr->join, id, name) : hint_first(l->seg[0], id, name);
    pthread_mutex_unlock(&l->mu);
    return flags;
}

/* Let a segment ask for hints. The holders of Ps are useful only if they are certain. */
static void hints(struct loader *l, struct segment *s)
{
    if (!s->n)
        return;
    s->f->hint = hint;
    s->f->hint_arg = s;
    s->f->others_named = !s->truth;
    if (s->truth) {
        s->order.holder = join_holder;
        s->order.holder_arg = &l->tr->join;
    }
}

/* ---- preparing ----------------------------------------------------------------------------------------- */

/* Note the ends of segments, as far as they are known. Under the lock. */
static void ends_follow(struct loader *l)
{
    for (; l->ended < l->nseg; l->ended++) {
        struct segment *s = l->seg[l->ended];
        if (!s->last_known && s->looked)
            s->last = segment_end(s, s->n ? l->seg[s->n - 1]->last : INT64_MIN);
        else if (!s->last_known)
            break;
        s->last_known = true;
    }
    pthread_cond_broadcast(&l->changed);
}

/* Returns whether a segment's end is predicted. The last one's is not, nor any if only one thread decodes.
 * Under the lock. */
static bool end_predicted(const struct loader *l, const struct segment *s)
{
    return l->want > 1 && !(l->all && s->n + 1 == l->nseg);
}

/* Read the segment's tables, and predict its end, if others may be decoded in parallel: what needs no other
 * segment. Under the lock, but unlocks for the work. */
static void prepare(struct loader *l, struct segment *s)
{
    const bool looks = end_predicted(l, s);
    pthread_mutex_unlock(&l->mu);
    segment_read(s);
    if (looks)
        segment_look(s);
    pthread_mutex_lock(&l->mu);
    s->looked = looks;
    ends_follow(l);
}

/* Wait for the segment's turn, and give its tables the trace's names, as one thread at a time may. Under the
 * lock, but unlocks for the work. */
static void give_names(struct loader *l, struct segment *s)
{
    while (l->names < s->n && !l->quit)
        pthread_cond_wait(&l->changed, &l->mu);
    if (l->quit)
        return;
    pthread_mutex_unlock(&l->mu);
    s->oom = s->oom || !v2_names_give(s->s, &s->gen);
    pthread_mutex_lock(&l->mu);
    l->names = s->n + 1;
    pthread_cond_broadcast(&l->changed);
    pthread_mutex_unlock(&l->mu);
    if (!s->oom)
        v2_names_put(&s->gen);
    pthread_mutex_lock(&l->mu);
}

/* Wait until the first segment is decoded, whose names of goroutines are hints, and until the end of the
 * previous one is known. Under the lock. */
static void await_others(struct loader *l, const struct segment *s)
{
    while (s->n && !(l->seg[0]->decoded && l->seg[s->n - 1]->last_known) && !l->quit)
        pthread_cond_wait(&l->changed, &l->mu);
}

/* Prepare a segment for decoding, anew if it was decoded before. Returns false if out of memory or asked to
 * quit. */
static bool begin_segment(struct loader *l, struct segment *s)
{
    struct fold *f = !s->n ? &l->tr->fold : s->tried ? s->f : mem_zalloc(sizeof *f);
    if (s->tried)
        fold_free(f);
    s->f = f;
    bool ok = f && (!s->n || fold_init(f, &l->tr->names) == ERR_OK);
    pthread_mutex_lock(&l->mu);
    s->started = true;
    if (!s->tried) {
        prepare(l, s);
        give_names(l, s);
        await_others(l, s);
    }
    s->loader = l;
    s->procs = l->tr->join.procs;
    s->truth = s->n && l->joined == s->n;
    const int64_t before = s->tried ? l->tr->join.last : s->n ? l->seg[s->n - 1]->last : INT64_MIN;
    s->oom |= l->quit || !ok;
    pthread_mutex_unlock(&l->mu);
    if (s->oom || (s->n && (s->gen.torn || s->gen.unnamed)))
        return false;
    if (!segment_begin(s, l->base, before, f))
        return false;
    s->gen.closed |= l->others;
    hints(l, s);
    return true;
}

static void done(struct loader *l, struct segment *s)
{
    pthread_mutex_lock(&l->mu);
    s->decoded = true;
    if (!s->last_known) { /* no segment is decoded in parallel */
        s->last_known = true;
        s->last = s->order.last;
    }
    ends_follow(l);
    pthread_mutex_unlock(&l->mu);
}

static void *worker(void *arg)
{
    struct loader *l = arg;
    for (;;) {
        pthread_mutex_lock(&l->mu);
        struct segment *s = NULL;
        while (!l->quit && !(s = take_segment(l)) && (!l->all || l->next < l->nseg))
            pthread_cond_wait(&l->changed, &l->mu);
        bool quit = l->quit;
        pthread_mutex_unlock(&l->mu);
        if (quit || !s)
            return NULL;
        if (begin_segment(l, s))
            while (segment_some(s, EVENTS) && !__atomic_load_n(&l->quit, __ATOMIC_RELAXED)) {
            }
        done(l, s);
    }
}

/* Start worker threads, if there is more than one segment. */
static void start_threads(struct loader *l)
{
    pthread_mutex_lock(&l->mu);
    find_until(l, 1);
    l->others = l->nseg > 1;
    pthread_mutex_unlock(&l->mu);
    while (l->others && l->nthreads < l->want - 1 &&
           thread_start(&l->thread[l->nthreads], NULL, worker, l) == 0)
        l->nthreads++;
}

/* Note that the first segment has reported the trace's start. */
static void started(struct loader *l)
{
    pthread_mutex_lock(&l->mu);
    l->base = l->seg[0]->order.base;
    l->started = true;
    pthread_cond_broadcast(&l->changed);
    pthread_mutex_unlock(&l->mu);
}

/* ---- joining ------------------------------------------------------------------------------------------- */

/* The trace begins as its first segment does, which alone has a wall clock. */
static void status_begins(struct trace *tr, const struct segment *s)
{
    struct source_status *t = &tr->src.st;
    const struct source_status *f = &s->s->st;
    if (s->n)
        return;
    t->first_ns = f->first_ns;
    t->lead_ns = f->lead_ns;
    t->has_wall = f->has_wall;
    t->wall_sec = f->wall_sec;
    t->wall_nsec = f->wall_nsec;
}

/* Add note i of a segment to the n of the trace. */
static void note_join(struct source_notes *to, uint32_t *n, const struct source_notes *from, uint32_t i)
{
    if (i < SOURCE_NOTES)
        source_note_put(to, *n, source_note(from, i));
    ++*n;
}

/* Add a segment's status to the trace's. *newer: events newer than the header were already reported. */
static void status_join(struct trace *tr, const struct source *s, bool *newer)
{
    bool said = *newer;
    struct source_status *t = &tr->src.st;
    const struct source_status *f = &s->st;
    for (uint32_t i = 0; i < f->ndamages; i++)
        note_join(&tr->src.damage, &t->ndamages, &s->damage, i);
    for (uint32_t i = 0; i < f->nwarnings; i++) {
        bool is = i < SOURCE_NOTES && source_note(&s->warning, i)->code == ERR_VERSION;
        *newer |= is;
        if (!is || !said)
            note_join(&tr->src.warning, &t->nwarnings, &s->warning, i);
    }
    t->lacks += f->lacks;
    t->batches += f->batches;
    t->experimental_batches += f->experimental_batches;
    t->clock_assumed |= f->clock_assumed;
}

/* Join the next segment. Under the lock. */
static enum joined join_one(struct loader *l, struct segment *s)
{
    struct trace *tr = l->tr;
    enum joined rc = join_next(tr, s);
    if (rc == JOIN_NOT && s->order.stopped && s->n && !s->truth)
        return JOIN_REDO; /* perhaps only because it did not know what is known now */
    if (rc == JOIN_NOT && s->order.stopped) {
        tr->src.bad = s->gen.ordinal;
        if (s->damages < SOURCE_NOTES && s->s->st.ndamages > s->damages)
            tr->src.why_bad = *source_note(&s->s->damage, s->damages);
    }
    if (rc != JOINED)
        return rc;
    status_begins(tr, s);
    status_join(tr, s->s, &l->newer);
    tr->src.st.generations = s->gen.ordinal;
    tr->src.st.bytes_done = s->gen.end;
    segment_rest(s);
    l->joined++;
    l->full = trace_full(tr->join.ng);
    l->stopped |= l->full;
    pthread_cond_broadcast(&l->changed);
    return JOINED;
}

/* Let a segment be decoded again, with what is known now. */
static enum joined again(struct loader *l, struct segment *s)
{
    l->tr->cost.redone++;
    if (s->tried++ >= AGAIN_MOST)
        return JOIN_NOT;
    pthread_mutex_lock(&l->mu);
    s->started = s->decoded = false;
    l->again = s;
    pthread_cond_broadcast(&l->changed);
    pthread_mutex_unlock(&l->mu);
    return JOINED;
}

/* Join the segments that are ready. */
static enum joined join_some(struct loader *l, int64_t stop, bool *any)
{
    enum joined rc = JOINED;
    *any = false;
    do {
        pthread_mutex_lock(&l->mu);
        if (l->lossy) {
            pthread_mutex_unlock(&l->mu);
            return JOIN_NOT;
        }
        struct segment *s = l->all && l->joined < l->nseg && l->seg[l->joined]->decoded && !l->stopped
                                ? l->seg[l->joined]
                                : NULL;
        if (s && !s->n)
            fold_rest(&l->tr->fold);
        rc = s ? join_one(l, s) : JOINED;
        l->tr->cost.segments += s && rc == JOINED;
        pthread_mutex_unlock(&l->mu);
        if (!s)
            break;
        *any = true;
        if (rc == JOIN_REDO)
            return again(l, s);
    } while (rc == JOINED && host_now() < stop);
    return rc;
}

static bool all_joined(struct loader *l)
{
    pthread_mutex_lock(&l->mu);
    bool over = l->stopped || (l->all && l->joined == l->nseg);
    pthread_mutex_unlock(&l->mu);
    return over;
}

/* Decode some events of the caller's own segment. */
static void mine_some(struct loader *l)
{
    struct segment *s = l->mine;
    if (!s->n && !s->started)
        start_threads(l);
    bool more = s->started || begin_segment(l, s);
    more = more && !s->oom && segment_some(s, s->n || l->started ? EVENTS : FIRST_EVENTS);
    if (!s->n && s->order.have_base && !l->started) {
        segment_based(s);
        started(l);
    }
    if (more)
        return;
    l->mine = NULL;
    if (!s->n && !s->oom && !l->started) {
        pthread_mutex_lock(&l->mu);
        find_until(l, 1);        /* a worker thread may have found it already */
        l->lossy |= l->nseg > 1; /* other threads would wait for the trace's start */
        pthread_mutex_unlock(&l->mu);
    }
    done(l, s);
}

static void wait_some(struct loader *l, int64_t stop)
{
    pthread_mutex_lock(&l->mu);
    if (l->all && l->joined < l->next && !l->seg[l->joined]->decoded) /* a worker thread decodes it */
        (void)thread_wait(&l->changed, &l->mu, stop);
    pthread_mutex_unlock(&l->mu);
}

/* Update the trace's status while the next segment to be joined is decoded. */
static void status_mine(const struct loader *l)
{
    struct source_status *t = &l->tr->src.st;
    const struct segment *s = l->mine;
    if (!s || s->n != l->tr->join.n || !s->s)
        return;
    t->bytes_done = s->s->st.bytes_done;
    t->generations = s->gen.ordinal;
    status_begins(l->tr, s);
}

enum loaded_rc loader_some(struct loader *l, int64_t stop)
{
    do {
        bool any;
        find_ahead(l);
        enum joined rc = join_some(l, stop, &any);
        if (rc == JOIN_NOT)
            return LOADER_CANT;
        bool all = rc == JOIN_OOM || all_joined(l);
        if (rc == JOIN_OOM || (all && l->oom && !l->stopped))
            l->tr->fold.oom = true;
        if (all) {
            if (l->notes)
                status_join(l->tr, l->notes->s, &l->newer);
            return l->full ? LOADER_FULL : l->tr->join.n || l->tr->fold.oom ? LOADER_DONE : LOADER_CANT;
        }
        if (any &&
            host_now() >= stop) /* joining, and starting or ending a segment, takes long enough by itself */
            break;
        if (!l->mine) {
            pthread_mutex_lock(&l->mu);
            l->mine = take_segment(l);
            pthread_mutex_unlock(&l->mu);
        }
        if (l->mine)
            mine_some(l);
        else if (!any)
            wait_some(l, stop);
    } while (host_now() < stop);
    status_mine(l);
    return LOADER_MORE;
}
