/*
 * follow.c - see follow.h.
 */
#include "viewer/session/follow.h"

#include <stdio.h>
#include <string.h>

#include "decode/base/host.h"
#include "decode/base/mem.h"
#include "decode/input/joint.h"
#include "triage/live/saved.h"
#include "viewer/session/models.h"

enum { FIRST_MS = 200 };
/* Generations are left out beyond this, even with a smaller --keep. */
#define MEMORY_LEAST ((uint64_t)64 << 20)
#define WAITING_MOST ((uint64_t)128 << 20)

struct follow {
    struct options o;
    struct live live;
    struct saved *saved;
    int connection;
    struct model now, next, old; /* next.tr NULL: none is being made */
    uint64_t most;               /* bytes of memory to use at most */
    bool stands;                 /* `now` gets no more: `next` replaces it as soon as it can */
    size_t whole;                /* bytes of `now` up to the end of its last whole generation */
    bool losing;                 /* generations are being left out */
    uint64_t lost;               /* bytes left out here; live.lost has those left out before */
    uint64_t lost_before;        /* bytes left out that the caller knows of */
    struct live next_live;
    struct saved *saved_next;
    bool connecting; /* next_live connects; nothing has come yet */
    bool rejoins;    /* `next` has the new connection's trace */
    bool joined;
    bool rereads;              /* `next` reads what is shown once more, knowing its damage */
    bool reread_at_end;        /* that has been done at the end: it is done once */
    int64_t heard_ns, late_ns; /* when the last generation came, 0: seen to; how late it was */
    bool broken;               /* a generation with damage has come */
    uint32_t noted;            /* number of now's damages that were seen to */
    struct err unsaved;        /* why the last of the files could not be written */
    bool reported_unsaved;     /* reported for this connection */
    bool ended, replaced;
    char why[200], refused[200];
};

/* ---- how much there is --------------------------------------------------------------------------------- */

static uint64_t follow_memory(const struct follow *f)
{
    return mem_live() + f->now.n + f->next.n + f->old.n;
}

/* Returns the bytes that `now` has not decoded yet. */
static uint64_t follow_waiting(const struct follow *f)
{
    return f->stands ? 0 : model_left(&f->now);
}

enum { MODEL = 2 }; /* memory per byte of trace, once decoded */

/* Returns the memory used once everything is decoded. */
static uint64_t follow_will_take(const struct follow *f)
{
    return follow_memory(f) + MODEL * (follow_waiting(f) + model_left(&f->next));
}

/* Returns whether another generation of n bytes may be taken. It may not when too much waits to be decoded,
 * or when memory would run out once all is decoded; but the first generation of `next` may, since `next` will
 * free some. Once generations are left out, that continues until there is room for several. */
static bool follow_has_room(struct follow *f, size_t n)
{
    const struct model *now = &f->now, *next = &f->next;
    if (!now->tr || next->n == STREAM_HEADER)
        return true;
    const uint64_t most = f->most > MEMORY_LEAST ? f->most : MEMORY_LEAST, quarter = most / 4;
    const uint64_t may = quarter < WAITING_MOST ? quarter : WAITING_MOST;
    const uint64_t waits = follow_waiting(f);
    const uint64_t memory = follow_will_take(f) + n * (1 + MODEL);
    return waits <= (f->losing ? may / 4 : may) && memory <= (f->losing ? most - most / 8 : most);
}

/* ---- holding ------------------------------------------------------------------------------------------- */

static void follow_over(struct follow *f, const char *why)
{
    f->ended = true;
    snprintf(f->why, sizeof f->why, "%s", why);
    live_stop(&f->live);
}

static bool follow_put(struct follow *f, struct model *m, const struct stream_gen *g)
{
    return ((!f->losing && !g->lost_before) || model_gap(m)) &&
           model_put(m, g->p + STREAM_HEADER, g->n - STREAM_HEADER);
}

/* Append a generation to the models, or leave it out. Returns false when out of memory. */
static bool follow_take(struct follow *f, const struct stream_gen *g)
{
    if (!follow_has_room(f, g->n)) {
        f->losing = true;
        f->lost += g->n - STREAM_HEADER;
        return true;
    }
    f->broken |= g->broken && g->whole;
    const bool ok = (f->stands || follow_put(f, &f->now, g)) && (!f->next.tr || follow_put(f, &f->next, g));
    f->losing &= !ok;
    if (ok && !f->stands) {
        f->heard_ns = f->live.patient ? 0 : g->heard_ns;
        f->whole = g->broken ? f->whole : f->now.n;
        return model_grow(&f->now);
    }
    return ok;
}

/* Move whole generations from the stream into the models. */
static void follow_take_all(struct follow *f)
{
    size_t n = f->live.st.ngen, i = 0;
    while (i < n && (!f->live.patient || follow_has_room(f, f->live.st.gen[i].n)) &&
           follow_take(f, &f->live.st.gen[i]))
        i++;
    bool waits = i < n && f->live.patient && !follow_has_room(f, f->live.st.gen[i].n);
    stream_drop(&f->live.st, waits ? i : n);
    if (i < n && !waits)
        follow_over(f, "out of memory for what is held");
}

/* Take the end: no more comes. The generation that was cut is read as far as it goes. */
static void follow_end(struct follow *f, const char *why)
{
    follow_over(f, why);
    follow_take_all(f);
    const struct stream_gen *rest = live_rest(&f->live);
    if (rest && rest->n > STREAM_HEADER && f->now.tr)
        (void)follow_take(f, rest);
    f->broken |= f->now.tr && trace_info(f->now.tr)->ndamages;
    if (f->now.tr)
        trace_grown(f->now.tr);
    f->now.waits = false;
}

/* Another trace is in the file. A trace of so many seconds (--seconds) ends with its file. */
static bool file_replaced(const struct follow *f, const struct live *l)
{
    return l->why.code == ERR_APART && !f->o.feed.seconds;
}

/* Take what has come. A file that is read can wait; a program can't. */
static void follow_receive(struct follow *f)
{
    if (f->ended)
        return;
    follow_take_all(f);
    if (f->live.st.ngen)
        return;
    (void)live_step(&f->live, 0);
    follow_take_all(f);
    if (f->ended || f->live.st.ngen || !f->live.ended)
        return;
    f->replaced = file_replaced(f, &f->live);
    follow_end(f, f->live.why.what);
}

/* ---- the newer part ------------------------------------------------------------------------------------ */

/* Returns whether it is time to begin a second model. */
static bool next_due(const struct follow *f)
{
    return (!f->o.keep.bytes && trace_info(f->now.tr)->end > f->o.keep.ns) ||
           follow_will_take(f) > f->most / 16 * 7;
}

/* Returns whether `next` holds enough and has caught up; if memory is short, near enough will do. */
static bool next_ready(const struct follow *f)
{
    const int64_t keep = f->o.keep.ns, end = trace_info(f->next.tr)->end;
    if (f->next.over || !end)
        return false;
    uint64_t used = follow_will_take(f);
    bool there = model_left(&f->next) <= model_left(&f->now);
    if (used > f->most / 16 * 12)
        return there || used > f->most / 16 * 13;
    return !f->o.keep.bytes && end > keep && (there || end > keep / 4 * 5);
}

/* Returns how much later `other` begins than `one`, ns: by the time of day if both record it, else by the
 * host's clock. */
static int64_t follow_later_by(const struct trace *one, const struct trace *other)
{
    enum { MOST_S = 1 << 30 };
    const struct trace_info *a = trace_info(one), *b = trace_info(other);
    int64_t s = b->wall_sec - a->wall_sec;
    if (a->has_wall && b->has_wall && s < MOST_S && s > -MOST_S)
        return s * 1000000000 + b->wall_nsec - a->wall_nsec;
    return b->first_ns - a->first_ns;
}

/* ---- connecting again ---------------------------------------------------------------------------------- */

static enum err_code follow_save_to(const struct follow *f, int connection, struct saved **out, struct err *e)
{
    char path[4096];
    int n = connection > 1 ? snprintf(path, sizeof path, "%s.%d", f->o.out, connection)
                           : snprintf(path, sizeof path, "%s", f->o.out);
    if (n < 0 || (size_t)n >= sizeof path)
        return err_set(e, ERR_IO, ERR_NO_OFFSET, "the file's name is too long");
    return saved_open(path, out, e);
}

static enum err_code follow_connect(const struct follow *f, struct live *l, int connection, struct saved **to,
                                    struct err *e)
{
    enum err_code rc = f->o.out ? follow_save_to(f, connection, to, e) : ERR_OK;
    const uint64_t most = f->most > MEMORY_LEAST ? f->most : MEMORY_LEAST, share = most / 8;
    l->saved = *to;
    l->room = share < WAITING_MOST ? share : WAITING_MOST;
    return rc ? rc : live_open(l, &f->o, e);
}

static void reconnect_drop(struct follow *f)
{
    live_close(&f->next_live);
    saved_close(f->saved_next);
    f->saved_next = NULL;
    f->connecting = false;
}

/* Open a model of what is held and what is appended to it, if one process made both; else of the new trace
 * alone. */
static bool reconnect_model(struct follow *f, struct model *m)
{
    struct err e = {0};
    const struct stream_gen *g = &f->next_live.st.gen[0];
    const struct joint_part held = {f->now.p, f->whole};
    f->joined = joint_follows(held, (struct joint_part){g->p, g->n}, &e) == ERR_OK;
    return f->joined ? model_again(m, &f->now, f->whole, false, &f->o.trace, &e) && model_gap(m)
                     : model_open(m, g->p, &f->o.trace, &e);
}

/* Look whether the new connection has sent its first generation. */
static unsigned reconnect_step(struct follow *f)
{
    struct model m = {0};
    const bool came = live_step(&f->next_live, 0);
    bool there = f->next_live.st.ngen > 0, can = !f->old.tr && f->now.waits;
    struct err e = f->next_live.why;
    model_free(&f->next); /* it is of no use now */
    if ((there && !can) || (!there && !came))
        return 0;
    if (!there && file_replaced(f, &f->next_live)) { /* the file was replaced before anything was in it */
        reconnect_drop(f);
        if (!follow_reconnect(f, &e))
            return 0;
    }
    if (!there || !reconnect_model(f, &m)) {
        snprintf(f->refused, sizeof f->refused, "%s",
                 there    ? "out of memory"
                 : e.code ? e.what
                          : "it ended within its first generation");
        model_free(&m);
        reconnect_drop(f);
        return FOLLOW_REFUSED;
    }
    f->lost += f->live.lost;
    live_close(&f->live);
    saved_close(f->saved);
    f->live = f->next_live;
    f->saved = f->saved_next;
    f->next_live = (struct live){0};
    f->saved_next = NULL;
    f->replaced = false;
    f->connecting = f->ended = f->losing = f->reread_at_end = f->reported_unsaved = false;
    f->stands = f->rejoins = true;
    f->next = m;
    follow_take_all(f);
    return 0;
}

/* ---- damage -------------------------------------------------------------------------------------------- */

/* Returns the last contradiction (ERR_ORDER) that was not seen to yet; NULL: none. */
static const struct err *follow_contradiction(const struct follow *f)
{
    for (uint32_t i = trace_info(f->now.tr)->ndamages; i-- > f->noted;) {
        const struct err *e = trace_damage(f->now.tr, i);
        if (e && e->code == ERR_ORDER)
            return e;
    }
    return NULL;
}

/* Returns whether there is damage that was not seen to. At the end all of it counts, since what came later
 * may say where a broken generation ends. */
static bool reread_due(const struct follow *f)
{
    const bool at_end = f->ended && !f->reread_at_end;
    return trace_info(f->now.tr)->ndamages > (at_end ? 0 : f->noted);
}

/* Damage that is found in the middle of a generation makes earlier parts of it doubtful, too. So what is
 * held is read once more, beside what is shown. */
static void reread_begin(struct follow *f)
{
    const bool at_end = f->ended && !f->reread_at_end;
    if (at_end)
        f->noted = 0;
    const struct err *why = follow_contradiction(f);
    const bool all = at_end && (why || f->broken);
    const struct trace_opts *o = &f->o.trace;
    const struct model *now = &f->now;
    struct model m;
    struct err e = {0};
    if (why || all)
        model_free(&f->next);
    f->noted = trace_info(now->tr)->ndamages;
    f->reread_at_end = f->ended;
    if (!all || !model_again(&m, now, now->n, true, o, &e)) {
        if (!why || (f->ended && !at_end) || !model_again(&m, now, now->n, false, o, &e))
            return;
        trace_doubt(m.tr, why);
    }
    f->stands = f->rejoins = f->rereads = true;
    f->next = m;
}

/* Show `next`. */
static void next_take_over(struct follow *f, int64_t *by)
{
    *by = f->rejoins && !f->joined && !f->rereads
              ? follow_later_by(f->now.tr, f->next.tr)
              : trace_info(f->next.tr)->first_ns - trace_info(f->now.tr)->first_ns;
    if (f->rejoins && !f->rereads) { /* another connection may have another clock */
        f->live.pace = (struct live_pace){0};
        f->heard_ns = f->late_ns = 0;
    }
    f->old = f->now;
    f->now = f->next;
    f->next = (struct model){0};
    f->stands = f->rejoins = f->rereads = false;
    f->noted = trace_info(f->now.tr)->ndamages;
    f->whole = f->now.n;
    if (!model_grow(&f->now))
        follow_over(f, "out of memory for what is held");
}

/* Returns whether `next` can be shown: all that was held has been read once more, or the new connection's
 * trace shows something, or no more can be decoded. */
static bool reconnect_ready(const struct follow *f)
{
    const struct model *m = &f->next;
    const bool all = m->waits && m->len == m->n;
    return m->over || (all && (trace_info(m->tr)->end > 0 || f->rereads || f->ended));
}

/* Returns true when `next` is shown from now on. */
static bool next_takes_over(struct follow *f, int64_t *by)
{
    if (!f->next.tr) {
        struct err e = {0};
        if (next_due(f)) /* of what comes from now on; if it fails, once more later */
            (void)model_open(&f->next, f->live.st.header, &f->o.trace, &e);
        return false;
    }
    if (f->rejoins ? reconnect_ready(f) : next_ready(f)) {
        next_take_over(f, by);
        return true;
    }
    if (f->next.over) /* it is damaged: another one begins after the damage */
        model_free(&f->next);
    return false;
}

/* Decode some of `next`. Returns whether there is more. */
static bool next_make(struct follow *f, int64_t budget_ns)
{
    struct model *m = &f->next;
    if (!m->tr || m->over || (m->waits && m->len == m->n))
        return false;
    m->over = m->len < m->n && !model_grow(m);
    if (!m->over)
        model_decode(m, budget_ns);
    return !m->over && !m->waits;
}

/* Everything taken is decoded, so the end of the trace is known: how late is it? */
static void follow_look_late(struct follow *f)
{
    const struct trace_info *ti = trace_info(f->now.tr);
    if (f->ended || f->stands || !f->now.waits || !f->heard_ns)
        return;
    if (!f->live.pace.known && !f->joined)
        (void)live_late(&f->live.pace, f->live.began_ns, ti->first_ns);
    f->late_ns = live_late(&f->live.pace, f->heard_ns, ti->first_ns + ti->end);
    f->heard_ns = 0;
}

/* ---- the face ------------------------------------------------------------------------------------------ */

/* What comes can't be decoded any further: the trace ends here, and the reader is told why. */
static bool follow_damaged(struct follow *f)
{
    if (f->ended || !f->now.over)
        return false;
    const struct err *e = trace_damage(f->now.tr, 0);
    follow_over(f, e ? e->what : "the rest can't be decoded");
    return true;
}

unsigned follow_step(struct follow *f, int64_t budget_ns, int64_t *by)
{
    unsigned news = 0;
    bool was = f->ended;
    follow_receive(f);
    if (f->connecting)
        news |= reconnect_step(f);
    if (f->ended && !was)
        news |= FOLLOW_ENDED;
    if (f->live.unsaved.code && !f->reported_unsaved) {
        f->unsaved = f->live.unsaved;
        f->reported_unsaved = true;
        news |= FOLLOW_UNSAVED;
    }
    if (f->lost + f->live.lost != f->lost_before)
        news |= FOLLOW_LEFT_OUT;
    f->lost_before = f->lost + f->live.lost;
    if (budget_ns <= 0)
        return news;
    if (f->now.waits && !f->stands && !f->connecting && reread_due(f))
        reread_begin(f);
    bool stands = f->stands, again = f->rejoins && !f->rereads;
    if ((!f->ended || stands) && !f->old.tr && next_takes_over(f, by)) {
        news |= FOLLOW_MOVED | FOLLOW_GREW | (again ? FOLLOW_RECONNECTED : 0);
        if (f->ended) {
            trace_grown(f->now.tr);
            f->now.waits = false; /* the end is yet to be read */
        }
    } else if (!f->now.waits && !stands) {
        model_decode(&f->now, budget_ns);
        if (follow_damaged(f))
            news |= FOLLOW_ENDED;
        news |= FOLLOW_GREW;
    }
    follow_look_late(f);
    if (next_make(f, budget_ns) || (!f->now.waits && !f->stands))
        news |= FOLLOW_BUSY;
    return news;
}

void follow_release(struct follow *f)
{
    model_free(&f->old);
    host_trim();
}

void follow_stop(struct follow *f)
{
    if (!f->ended)
        follow_end(f, "gotop let the program go to be suspended");
}

struct follow_now follow_now(const struct follow *f)
{
    return (struct follow_now){
        .trace = f->now.tr,
        .ended = f->ended,
        .replaced = f->ended && f->replaced && !f->connecting,
        .connecting = f->connecting || (f->rejoins && !f->rereads),
        .joined = f->joined,
        .lacks = f->stands || !f->now.waits || reread_due(f),
        .saves = !f->live.unsaved.code,
        .late_ns = f->late_ns,
        .left_out = f->lost + f->live.lost,
        .why = f->why,
        .refused = f->refused,
        .unsaved = f->unsaved.code ? f->unsaved.what : "",
    };
}

/* Wait for the first generation. Nothing can be shown before. */
static enum err_code follow_first(struct follow *f, struct err *e)
{
    do
        if (live_stop_asked())
            return err_set(e, ERR_IO, ERR_NO_OFFSET, "nothing had come yet");
    while (!live_step(&f->live, FIRST_MS));
    const struct stream_gen *rest = live_rest(&f->live);
    bool whole = f->live.st.ngen > 0;
    if (!whole && f->live.cut)
        return err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "%s", live_too_large);
    if (!whole && (!rest || rest->n <= STREAM_HEADER))
        return !f->live.why.code
                   ? err_set(e, ERR_TRUNCATED, ERR_NO_OFFSET, "it ended within its first generation")
                   : (*e = f->live.why).code;
    if (!model_open(&f->now, f->live.st.header, &f->o.trace, e))
        return e->code;
    follow_take_all(f);
    if (!whole)
        follow_end(f, f->live.why.what);
    return ERR_OK;
}

enum err_code follow_open(const struct options *o, struct follow **out, struct err *e)
{
    struct follow *f = mem_zalloc(sizeof *f);
    *out = NULL;
    if (!f)
        return err_nomem(e);
    f->o = *o;
    f->connection = 1;
    f->most = f->o.keep.bytes ? f->o.keep.bytes : host_memory() / 2;
    if (!f->o.keep.ns)
        f->o.keep.ns = 30000000000;
    enum err_code rc = follow_connect(f, &f->live, 1, &f->saved, e);
    if (!rc)
        rc = follow_first(f, e);
    if (rc)
        follow_close(f);
    else
        *out = f;
    return rc;
}

enum err_code follow_reconnect(struct follow *f, struct err *e)
{
    enum err_code rc = follow_connect(f, &f->next_live, f->connection + 1, &f->saved_next, e);
    f->connecting = true;
    if (rc)
        reconnect_drop(f);
    else
        f->connection++;
    return rc;
}

void follow_close(struct follow *f)
{
    if (!f)
        return;
    reconnect_drop(f);
    live_close(&f->live);
    model_free(&f->now);
    model_free(&f->next);
    model_free(&f->old);
    saved_close(f->saved);
    mem_free(f);
}
