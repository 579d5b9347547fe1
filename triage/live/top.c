/*
 * top.c - `gotop top`: what the goroutines of a running program do, as plain lines, again and again.
 *
 * Each picture is of the generations since the last one, so the times of all pictures add up, and a program
 * that stands still is shown like one that is busy. A generation takes about a second, so there are no
 * finer pictures.
 */
#include "triage/live/figures.h"
#include "triage/live/live.h"
#include "triage/live/serve.h"
#include "triage/say.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "decode/base/order.h"
#include "decode/base/door.h"
#include "decode/base/mem.h"

enum { ROWS = 15, WORKS = 4, STEP_MS = 200, AGAIN_MOST_S = 30 };
#define ROOM \
    ((uint64_t)64 << 20) /* bytes of lines that wait while nobody reads them (less, a terminal that hangs) */
#define EVERY_NS 1000000000LL

struct top {
    struct options opt;
    struct serve *serve; /* of --prometheus */
    struct figures fig;
    bool gap;       /* something before the next picture was left out */
    uint64_t shown; /* pictures so far */
    size_t tried;   /* so many generations were not long enough: again once an eighth more has come */
    bool cut;       /* it has been reported that a generation was too large */
};

static const struct command command = {
    "top", CMD_TOP,
    "usage: gotop top [options] WHERE\nShows what the goroutines of a running program do, by start function. "
    "On a terminal it opens the viewer's live top (key M there). In a pipe, or with -n, -d or --rows, it "
    "prints lines again and again, of the last moment each:\nG is how many goroutines lived in it; RAN and "
    "ASSIST are processor time (100%: one processor); RUNNABLE, WAITING and SYSCALL are how many were in "
    "that state at once, on average; NEW/S is how many were created per second. Those that ran or were "
    "runnable most, both added up, come first. WORK is what the program does again and again (requests, "
    "tasks, items of workers): those that ended in the last second, ten seconds and minute.\n",
    LIVE_TAIL};

/* ---- one picture --------------------------------------------------------------------------------------- */

ORDER(by_work, struct group *const, MOST(ns_add(fig_ns(*r, GM_EXEC), fig_ns(*r, GM_RUNNABLE))))

static void put_head(struct text *t, const struct top *o)
{
    const struct loaded *l = o->fig.l;
    const struct triage *tg = l->tg;
    const struct trace_info *ti = trace_info(l->tr);
    char stamp[64];
    live_stamp(o->fig.wall_ns, false, stamp, sizeof stamp);
    text_say(t, NULL, stamp, "  ", ti->dialect, "  ", ti->gomaxprocs, "P ", tg->g_at_end, "G  ",
             t_dur(tg->end), "  busy ", t_share(triage_busy(tg), tg->capacity));
    if (o->fig.late_ns >= LIVE_LATE)
        text_add(t, "  %llds late", (long long)(o->fig.late_ns / 1000000000));
    text_say(t, NULL, "\nsched p99 ", t_dur(hist_quantile(&tg->sched, 0.99)), "  stw ",
             t_dur(hist_quantile(&tg->stw_all, 1)), "  gc ", tg->gc_cycles);
    if (tg->heap.known)
        text_say(t, NULL, "  heap ", t_bytes(tg->heap.last));
    if (o->fig.skipped)
        text_add(t, "  (%llu before it left out: too much at once)", (unsigned long long)o->fig.skipped);
    if (o->fig.lost) {
        text_say(t, NULL, "\n", t_bytes(o->fig.lost), " of trace before this were left out",
                 o->cut ? "" : ": there was no time to show it");
    }
    text_lit(t, "\n");
}

/* Returns how many were in a state on average: the time of all over the whole time. */
static struct say_part how_many(const struct group *g, int state, int64_t whole)
{
    const double n = ns_share(fig_ns(g, state), whole);
    return SAY_OF(.how = SAY_FIXED, .part = n, .most = n < 100 ? 2 : 0);
}

static void put_group(struct text *t, const struct loaded *l, const struct group *g)
{
    const int64_t end = l->tg->end;
    text_say(t, l->tr, t_func_cut(g->name, 29), t_to(30), t_right(g->count, 6), " ",
             t_share(fig_ns(g, GM_EXEC), end), t_to(44), t_share(g->ns[GM_ASSIST], end), t_to(51),
             how_many(g, GM_RUNNABLE, end), t_to(60), how_many(g, GM_WAIT, end), t_to(68),
             how_many(g, GM_SYSCALL, end), t_to(76),
             (uint64_t)((double)g->created * 1e9 / (double)(end > 0 ? end : 1)), "\n");
}

/* Adds a line for one work in one window: "requests main.serve 10s 4012/s ..". */
static void put_latency(struct text *t, const struct figures *f, uint32_t row, int window)
{
    enum { NAME = 26, OF = 5, RATE = 9, CELL = 8 };
    const struct pulse_row *w = pulse_row(f->pulse, row);
    const struct dist *d = &f->work[window][row];
    const double s = (double)f->window_ns[window] / 1e9, rate = s > 0 ? (double)d->n / s : 0;
    const size_t from = t->n;
    if (window == FIG_SECOND) {
        text_add(t, "%s ", work_kind_name(w->kind));
        const char *slash = strrchr(w->handler, '/'), *name = slash ? slash + 1 : w->handler;
        text_tail(t, name, strlen(name), NAME - (t->n - from) - 1);
    }
    text_pad(t, from, NAME);
    text_say(t, NULL, t_f0(s), "s", t_to(OF), rate < 10 ? t_f1(rate) : t_f0(rate), t_to(OF + RATE));
    const int64_t v[] = {d->p50, d->p95, d->p99, d->p999};
    for (int i = 0; i < 4; i++)
        text_say(t, NULL, d->n ? t_dur(v[i]) : t_clean("-"), t_to(CELL));
    text_say(t, NULL, d->n ? t_dur(d->max) : t_clean("-"), "\n");
}

/* Adds lines for works, those that people wait for first, as many as there is room for; none if nothing
 * repeats. */
static void put_works(struct text *t, const struct figures *f)
{
    uint32_t shown = 0;
    for (uint32_t i = 0; i < f->nwork && shown < WORKS; i++) {
        if (!f->work[FIG_HELD][f->order[i]].n)
            continue;
        if (!shown++)
            text_lit(t, "WORK                      OF   PER S    P50     P95     P99     P99.9   MOST\n");
        for (int w = 0; w < FIG_WINDOWS; w++)
            if (!w || f->window_ns[w] > f->window_ns[w - 1] + f->window_ns[0] / 2)
                put_latency(t, f, f->order[i], w);
    }
}

static void put_picture(struct text *t, const struct top *o)
{
    const struct loaded *l = o->fig.l;
    const struct triage *tg = l->tg;
    const struct group **row = mem_alloc((tg->ngroups + 1) * sizeof *row);
    if (!row) {
        t->failed = true;
        return;
    }
    for (uint32_t i = 0; i < tg->ngroups; i++)
        row[i] = &tg->groups[i];
    sort(row, tg->ngroups, by_work);
    put_head(t, o);
    put_works(t, &o->fig);
    text_lit(t, "GROUP                              G RAN    ASSIST RUNNABLE WAITING SYSCALL NEW/S\n");
    for (uint32_t i = 0; i < tg->ngroups && i < o->opt.rows; i++)
        put_group(t, l, row[i]);
    const uint64_t more = tg->ngroups > o->opt.rows ? tg->ngroups - o->opt.rows : 0;
    if (more)
        text_say(t, NULL, "and ", more, " more group", more == 1 ? "" : "s", "\n");
    text_lit(t, "\n");
    mem_free(row);
}

/* When pictures can't keep up, the oldest generations are left out: a picture shows the present. */
static void skip_old(struct top *o, struct live *l)
{
    size_t gap = live_gap(l, stream_whole(&l->st));
    for (size_t i = 0; i <= gap && i < l->st.ngen; i++) {
        o->fig.lost += l->st.gen[i].lost_before;
        l->st.gen[i].lost_before = 0; /* counted once, however long it stays */
    }
    stream_drop(&l->st, gap); /* times on both sides of a gap aren't added up */
    o->fig.skipped += gap;
    int64_t late = o->opt.every_ns > LIVE_LATE / 2 ? 2 * o->opt.every_ns : LIVE_LATE, now = live_wall_now();
    size_t n = stream_whole(&l->st), i = 0;
    while (i + 1 < n && l->st.gen[i].came_ns < now - late)
        i++;
    stream_drop(&l->st, i);
    o->fig.skipped += i;
    o->tried = gap || i ? 0 : o->tried;
}

static void put_metrics(const struct top *o, bool up)
{
    struct text m = {0};
    fig_prometheus(&m, &o->fig, up);
    if (text_ok(&m))
        serve_put(o->serve, &m);
    text_free(&m);
}

/* Write lines or JSON for the reader, and metrics for clients. Returns false when nobody reads, or *e says
 * what is wrong. */
static bool write_picture(struct top *o, struct err *e)
{
    struct text t = {.ascii = !o->opt.json};
    struct err why = {0};
    bool good = true;
    if (o->opt.json) {
        text_own(&t, fig_json(&o->fig));
        text_lit(&t, "\n");
    } else if (!o->serve) {
        put_picture(&t, o);
    }
    if (t.n || t.failed)
        good = live_out(&t, &why);
    if (why.code)
        err_set(e, why.code, ERR_NO_OFFSET, "standard output: %s", why.what);
    text_free(&t);
    if (o->serve)
        put_metrics(o, true);
    return good;
}

static bool picture(struct top *o, struct live *l, struct loaded *in, size_t n, struct err *e)
{
    struct figures *f = &o->fig;
    f->late_ns = l->late_ns;
    o->cut = l->cut;
    f->wall_ns = l->st.gen[n - 1].came_ns ? l->st.gen[n - 1].came_ns : live_wall_now();
    if (!fig_take(f, in, o->gap || f->skipped || f->lost)) {
        err_nomem(e);
        return false;
    }
    const bool good = write_picture(o, e);
    f->l = NULL;
    stream_drop(&l->st, n);
    o->tried = 0;
    o->shown++;
    f->skipped = f->lost = 0;
    o->gap = false;
    return good;
}

/* Make a picture of the generations since the last one, if they are long enough; of a file, no more of them
 * than needed. Returns false when nobody reads, or *e says what is wrong. */
static bool show(struct top *o, struct live *l, struct err *e)
{
    struct loaded in;
    skip_old(o, l);
    const size_t whole = stream_whole(&l->st);
    if (!l->ended && whole < o->tried + 1 + o->tried / 8)
        return true;
    for (size_t n = l->patient && o->tried < whole ? o->tried + 1 : whole; n && n <= whole; n++) {
        o->tried = n;
        if (live_load(l, 0, n, &o->opt.trace, &in, e)) {
            stream_drop(&l->st, n);
            o->tried = 0;
            o->gap = true;
            if (e->code == ERR_NOMEM)
                return false;
            *e = (struct err){0};
            return true;
        }
        const bool full = trace_info(in.tr)->end >= o->opt.every_ns - o->opt.every_ns / 8 ||
                          (l->ended && n == whole),
                   good = !full || picture(o, l, &in, n, e);
        load_free(&in);
        if (full)
            return good;
    }
    return true;
}

/* Returns whether more pictures are to come. */
static bool more_pictures(const struct top *o)
{
    return !live_stop_asked() && (!o->opt.count || o->shown < o->opt.count);
}

/* Show one picture after the other until the end. Returns the exit status. */
static int pictures(struct top *o, struct live *l)
{
    const uint64_t before = o->shown;
    while (!l->ended && more_pictures(o)) {
        struct err bad = {0};
        size_t left;
        const bool came = live_step(l, STEP_MS);
        live_tell(l, came, "top", o->opt.path);
        do {
            left = stream_whole(&l->st);
            if (came && !show(o, l, &bad))
                return bad.code ? say_failed("top", o->opt.path, bad.what) : 0;
        } while (l->patient && more_pictures(o) && stream_whole(&l->st) && stream_whole(&l->st) < left);
    }
    if (l->ended && l->lost > o->fig.sum.lost_bytes && !l->cut && !o->serve &&
        !o->opt.json) { /* no later picture can */
        struct text t = {.ascii = true};
        struct err ignored; /* without a reader nothing else was reported either */
        text_say(&t, NULL, t_bytes(l->lost - o->fig.sum.lost_bytes),
                 " of trace after this were left out, up to its end: there was no time to show it\n");
        (void)live_out(&t, &ignored);
        text_free(&t);
    }
    if (l->why.code && (!o->opt.count || o->shown < o->opt.count))
        return say_failed("top", o->opt.path, l->why.what);
    if (l->ended && o->shown == before)
        return say_failed("top", o->opt.path, live_too_short);
    return 0;
}

static int connected(struct top *o)
{
    struct live l = {.room = ROOM};
    struct err e = {0};
    const int status = live_open(&l, &o->opt, &e) ? say_failed("top", o->opt.path, e.what) : pictures(o, &l);
    live_close(&l);
    return status;
}

/* A server of metrics survives a program's end, a deploy, a busy tracer: it serves until it is told to
 * end. */
static int serving(struct top *o)
{
    struct err e = {0};
    int pause = 1;
    if (serve_begin(o->serve, &e))
        return say_failed("top", "--prometheus", e.what);
    door_printf(stderr, "gotop top: http://%s/metrics\n", serve_at(o->serve));
    for (;;) {
        const uint64_t before = o->shown;
        const int status = connected(o);
        if (!more_pictures(o) || !feed_is_url(o->opt.path))
            return o->shown ? 0 : status;
        pause = o->shown > before ? 1 : pause < AGAIN_MOST_S / 2 ? 2 * pause : AGAIN_MOST_S;
        o->gap = true;
        put_metrics(o, false); /* the program is not there */
        for (int ms = 0; ms < pause * 1000 && !live_stop_asked(); ms += STEP_MS)
            poll(NULL, 0, STEP_MS);
        if (!more_pictures(o))
            return 0;
    }
}

int top_main(int argc, char **argv)
{
    struct top o = {0};
    struct err e = {0};
    int status = live_parse(&command, argc, argv, &o.opt);
    if (status >= 0)
        return status;
    o.opt.every_ns = o.opt.every_ns ? o.opt.every_ns : EVERY_NS;
    o.opt.rows = o.opt.rows ? o.opt.rows : ROWS;
    if (o.opt.serve_at && serve_open(o.opt.serve_at, &o.serve, &e))
        return say_failed("top", o.opt.serve_at, e.what);
    live_shut(&o.opt, NULL);
    status = fig_new(&o.fig) ? 0 : say_failed("top", o.opt.path, "out of memory");
    if (!status) {
        o.fig.where = o.opt.path;
        live_stop_hold(true);
        status = o.serve ? serving(&o) : connected(&o);
        live_stop_tell("top", o.opt.path);
    }
    serve_close(o.serve);
    fig_free(&o.fig);
    return status;
}
