/*
 * live.c - see live.h.
 */
#include "triage/live/live.h"

#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "decode/base/host.h"
#include "decode/base/mem.h"
#include "decode/base/thread.h"
#include "triage/live/saved.h"
#include "triage/say.h"

enum { READ_SIZE = 1 << 20, READ_MS = 100 };

const char live_too_short[] =
    "it ended before the first second of it was complete: there was nothing to look at";

const char live_too_large[] =
    "a generation was larger than 128 MB: it is left out, since no more of one is held";
_Static_assert(LIVE_GENERATION == (uint64_t)128 << 20, "as it is said");

int live_parse(const struct command *c, int argc, char **argv, struct options *o)
{
    const int status = options_read(c, argc, argv, o);
    if (status >= 0)
        return status;
    if (o->noperands > 1)
        return say_failed(c->name, o->operand[1], "one program at a time");
    o->path = o->noperands ? o->operand[0] : NULL;
    return o->path ? -1 : options_lack(c, "WHERE");
}

void live_shut(const struct options *o, const struct feed_opts *also)
{
    if (!options_door)
        return;
    if (strcmp(o->path, "-") != 0)
        feed_outside(o->path, &o->feed, also);
    options_door(o);
}

/* ---- the stream ---------------------------------------------------------------------------------------- */

struct live_reader {
    pthread_t thread;
    pthread_mutex_t mu;
    pthread_cond_t news, taken;
    bool on;          /* the thread runs */
    atomic_bool quit; /* it shall end */
    struct feed *feed;
    struct saved *saved;
    uint8_t *buf;
    uint64_t most; /* memory of whole generations that live_step() has not taken yet */
    bool loses;    /* beyond this, generations are left out, or reading waits */
    /* guarded by mu: */
    struct stream in;
    int64_t began_ns; /* monotonic: when the first bytes came; 0: none yet */
    bool ended;
    struct err why;
    struct err unsaved;
};

static void reader_over(struct live_reader *r, const struct err *why)
{
    pthread_mutex_lock(&r->mu);
    stream_end(&r->in);
    r->ended = true;
    r->why = *why;
    pthread_cond_signal(&r->news);
    pthread_mutex_unlock(&r->mu);
}

/* Takes n bytes that have come. Returns false when reading is to end. */
static bool reader_took(struct live_reader *r, size_t n)
{
    struct err e = {0};
    pthread_mutex_lock(&r->mu);
    size_t before = stream_whole(&r->in);
    enum err_code rc = stream_put(&r->in, r->buf, n, &e);
    int64_t now = live_wall_now(), heard = host_now();
    if (!r->began_ns)
        r->began_ns = heard;
    for (size_t i = before; i < stream_whole(&r->in); i++) {
        r->in.gen[i].came_ns = now;
        r->in.gen[i].heard_ns = heard;
    }
    if (stream_whole(&r->in) > before)
        pthread_cond_signal(&r->news);
    while (r->loses && r->in.held > r->most && stream_whole(&r->in) > 1) /* a single one may be larger */
        (void)stream_lose(&r->in);
    while (!r->loses && r->in.held > r->most && !r->quit)
        pthread_cond_wait(&r->taken, &r->mu);
    pthread_mutex_unlock(&r->mu);
    if (rc)
        reader_over(r, &e);
    return !rc;
}

/* Save the bytes as they were sent, while that works. If the disk is full, watching goes on. */
static void reader_save(struct live_reader *r)
{
    struct err e = {0};
    size_t n;
    const uint8_t *p = feed_sent(r->feed, &n);
    if (!n || !r->saved || saved_put(r->saved, p, n, r->in.known, &e))
        return;
    r->saved = NULL;
    pthread_mutex_lock(&r->mu);
    r->unsaved = e;
    pthread_mutex_unlock(&r->mu);
}

static void *reader_main(void *arg)
{
    struct live_reader *r = arg;
    struct err e = {0};
    enum feed_state s = FEED_WAIT;
    while ((s == FEED_WAIT || s == FEED_DATA) && !r->quit) {
        struct feed_room room = {.p = r->buf, .cap = READ_SIZE};
        s = feed_read(r->feed, &room, READ_MS, &e);
        const bool over = s == FEED_DATA && !reader_took(r, room.n);
        reader_save(r);
        if (over)
            return NULL;
    }
    if (s == FEED_END && !r->in.known)
        err_set(&e, r->in.bytes ? ERR_TRUNCATED : ERR_EMPTY, r->in.bytes,
                "it ended before a trace's header was complete");
    reader_over(r, &e);
    return NULL;
}

enum err_code live_open(struct live *l, const struct options *o, struct err *e)
{
    struct live_reader *r = l->reader = mem_zalloc(sizeof *r);
    if (!r || !(r->buf = mem_alloc(READ_SIZE)))
        return err_nomem(e);
    pthread_mutex_init(&r->mu, NULL);
    thread_cond(&r->news);
    thread_cond(&r->taken);
    r->saved = l->saved;
    const uint64_t quarter = host_memory() / 4;
    r->in.max = LIVE_GENERATION < quarter ? LIVE_GENERATION : quarter;
    r->most = l->room ? l->room : quarter;
    enum err_code rc = feed_open(o->path, &o->feed, &r->feed, e);
    if (rc)
        return rc;
    l->patient = feed_is_file(r->feed);
    if (l->patient)
        r->most = LIVE_PATIENT;
    r->loses = l->room && !l->patient;
    r->on = thread_start(&r->thread, NULL, reader_main, r) == 0;
    return r->on ? ERR_OK : err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "a thread to read with can't be started");
}

void live_stop(struct live *l)
{
    struct live_reader *r = l->reader;
    if (!r)
        return;
    pthread_mutex_lock(&r->mu);
    r->quit = true;
    pthread_cond_signal(&r->taken);
    pthread_mutex_unlock(&r->mu);
    if (r->on)
        pthread_join(r->thread, NULL);
    r->on = false;
    feed_close(r->feed);
    r->feed = NULL;
}

void live_close(struct live *l)
{
    live_stop(l);
    if (l->reader) {
        stream_free(&l->reader->in);
        mem_free(l->reader->buf);
        mem_free(l->reader);
    }
    stream_free(&l->st);
    *l = (struct live){0};
}

const struct stream_gen *live_rest(const struct live *l)
{
    return l->ended && l->reader ? stream_rest(&l->reader->in) : NULL;
}

bool live_step(struct live *l, int timeout_ms)
{
    struct live_reader *r = l->reader;
    pthread_mutex_lock(&r->mu);
    const int64_t until = host_now() + timeout_ms * (int64_t)1000000;
    while (timeout_ms > 0 && !r->ended && !stream_whole(&r->in) && thread_wait(&r->news, &r->mu, until)) {
    }
    l->lost = r->in.left;
    l->cut = r->in.ncut;
    l->unsaved = r->unsaved;
    l->began_ns = r->began_ns;
    const bool more = stream_whole(&r->in) > 0, over = r->ended && !more;
    if (over)
        l->why = r->why;
    if (!stream_hand(&r->in, &l->st)) /* without generations: the trace's header */
        err_set(&l->why, ERR_NOMEM, ERR_NO_OFFSET, "out of memory for what came");
    l->ended = over || l->why.code;
    pthread_cond_signal(&r->taken);
    pthread_mutex_unlock(&r->mu);
    return more || over;
}

size_t live_gap(const struct live *l, size_t n)
{
    while (n > 0 && !l->st.gen[n - 1].lost_before)
        n--;
    return n ? n - 1 : 0;
}

void live_tell(struct live *l, bool came, const char *command, const char *where)
{
    enum { QUIET_S = 3 };
    const int64_t now = live_wall_now();
    if (l->cut && !l->reported_cut)
        (void)say_failed(command, where, live_too_large);
    l->reported_cut = l->cut;
    if (!l->patient || l->reported)
        return;
    if (came || !l->quiet_ns)
        l->quiet_ns = now;
    if (now - l->quiet_ns < INT64_C(1000000000) * QUIET_S)
        return;
    l->reported = true;
    (void)say_failed(
        command, where,
        "nothing is written to this file: waiting (if it is complete, gotop FILE shows it, M as gotop top)");
}

int64_t live_late(struct live_pace *p, int64_t heard_ns, int64_t t1)
{
    const int64_t apart = heard_ns - t1;
    if (!p->known || apart < p->least_ns)
        *p = (struct live_pace){true, apart};
    return apart - p->least_ns;
}

enum err_code live_load(struct live *l, size_t i, size_t n, const struct trace_opts *o, struct loaded *out,
                        struct err *e)
{
    size_t len;
    struct trace_opts opts = *o;
    opts.leave = live_stop_asked;
    uint8_t *mem = stream_join(&l->st, i, n, &len);
    if (!mem)
        return err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory for the generations that are looked at");
    enum err_code rc = load_mem(mem, len, &opts, out, e);
    out->mem = mem;
    if (rc) {
        load_free(out);
        return live_stop_asked() ? e->code = ERR_IO : rc; /* what is left ends as if out of memory */
    }
    const struct trace_info *ti = trace_info(out->tr);
    struct stream_gen *last = &l->st.gen[i + n - 1];
    last->t0 = n > 1 && last[-1].t1 ? last[-1].t1 : ti->first_ns;
    last->t1 = ti->first_ns + ti->end;
    if (l->st.gen[i].offset == STREAM_HEADER && !l->pace.known)
        (void)live_late(&l->pace, l->began_ns, ti->first_ns);
    if (last->heard_ns && !l->patient)
        l->late_ns = live_late(&l->pace, last->heard_ns, last->t1);
    /* Generations that are missing before the window do not count. */
    last->broken |= ti->ndamages && !any_of(k, n - 1, l->st.gen[i + k].broken);
    return ERR_OK;
}

/* ---- signals, the wall clock --------------------------------------------------------------------------- */

void live_stop_hold(bool held)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGTSTP);
    sigprocmask(held ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}

bool live_stop_asked(void)
{
    sigset_t set;
    struct sigaction a; /* a cut connection (ssh) is as Ctrl-C, unless SIGHUP is ignored (nohup) */
    return sigpending(&set) == 0 &&
           (sigismember(&set, SIGINT) || sigismember(&set, SIGTERM) || sigismember(&set, SIGTSTP) ||
            (sigismember(&set, SIGHUP) && sigaction(SIGHUP, NULL, &a) == 0 && a.sa_handler != SIG_IGN));
}

void live_stop_tell(const char *command, const char *where)
{
    sigset_t set;
    if (sigpending(&set) == 0 && sigismember(&set, SIGTSTP))
        (void)say_failed(
            command, where,
            "ended by Ctrl-Z: while this stood still the program would keep its trace in its memory");
}

bool live_out(const struct text *t, struct err *e)
{
    bool good = text_ok(t) && t->n;
    if (!good)
        return say_out(t, e);
    for (size_t at = 0; good && at < t->n; at += PIPE_BUF) {
        const size_t rest = t->n - at;
        const struct text piece = {.p = t->p + at, .n = rest < PIPE_BUF ? rest : PIPE_BUF};
        struct pollfd f = {.fd = STDOUT_FILENO, .events = POLLOUT};
        *e = (struct err){0};
        while (poll(&f, 1, READ_MS) == 0 && good) /* until there is room in the pipe, or a signal comes */
            good = !live_stop_asked();
        good = good && say_out(&piece, e);
    }
    return good;
}

int64_t live_wall_now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_REALTIME, &ts);
    return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

void live_stamp(int64_t wall_ns, bool for_name, char *out, size_t size)
{
    time_t s = (time_t)(wall_ns / 1000000000);
    struct tm tm;
    char date[40] = "";
    if (gmtime_r(&s, &tm))
        (void)strftime(date, sizeof date, for_name ? "%Y%m%dT%H%M%S" : "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(out, size, "%s.%03dZ", date, (int)(wall_ns / 1000000 % 1000));
}
