/*
 * top.c - `gotop top`: what the goroutines of a running program do, as plain lines, again and again.
 *
 * Each picture is of the generations since the last one: their times add up, and a program that stands still
 * says so as well as one that is busy. A generation takes about a second, so that is the finest there is.
 */
#include "triage/live/live.h"
#include "triage/options.h"
#include "triage/say.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"
#include "triage/text.h"

enum { ROWS = 15, STEP_MS = 200 };
#define ROOM \
    ((uint64_t)64 << 20) /* bytes that wait while nobody reads our lines (less, a terminal that hangs) */
#define EVERY_NS 1000000000LL
#define LATE_NS 3000000000LL
#define ONE_BY_ONE_NS 2000000000LL

struct top {
    struct live_opts live;
    uint64_t count; /* pictures to show, 0 = until the end */
    int64_t every_ns;
    uint32_t rows;
    uint64_t shown, skipped; /* pictures; generations left out since the last one */
    int64_t late_ns;         /* so late came what is shown */
    bool cut;                /* a generation was too large, which has been said */
    uint64_t lost,
        told; /* bytes left out while nobody took our lines: before this picture, in earlier ones */
};

static const char usage_head[] =
    "usage: gotop top [options] WHERE\n"
    "Shows what the goroutines of a running program do, by start function. On a terminal it opens the "
    "viewer's live top\n"
    "(key M there). In a pipe, or with -n, -d or --rows, it prints lines again and again, of the last "
    "moment each:\n"
    "G is how many goroutines lived in it; RAN and ASSIST are processor time (100%: one processor);\n"
    "RUNNABLE, WAITING and SYSCALL are how many were in that state at once, on average; NEW/S is how\n"
    "many were created per second. Those that ran or were runnable most, both added up, come first.\n";
static const struct command command = {"top", CMD_TOP, usage_head, LIVE_TAIL};

/* -1: go on. */
static int parse(struct top *t, int argc, char **argv)
{
    struct options o;
    const int status = live_parse(&command, argc, argv, &o, &t->live);
    t->count = o.count;
    t->every_ns = o.every_ns ? o.every_ns : EVERY_NS;
    t->rows = o.rows ? (uint32_t)o.rows : ROWS;
    return status;
}

/* ---- one picture
 * ------------------------------------------------------------------------------------------------ */

static double total(const struct group *g, enum gmetric m)
{
    return g->count ? (double)g->d[m].total : 0;
}

static int by_work(const void *a, const void *b)
{
    const struct group *const *x = a, *const *y = b;
    double p = total(*x, GM_EXEC) + total(*x, GM_SCHED), q = total(*y, GM_EXEC) + total(*y, GM_SCHED);
    return (p < q) - (p > q);
}

static void put_head(struct text *t, const struct top *o, const struct loaded *l, int64_t wall_ns)
{
    const struct triage *tg = l->tg;
    const struct trace_info *ti = trace_info(l->tr);
    int64_t ran = l->tg->p_sum.ns[ST_RUNNING], longest = 0;
    char stamp[64];
    live_stamp(wall_ns, false, stamp, sizeof stamp);
    ran +=
        tg->p_sum.ns[ST_GCWORK] + tg->p_sum.ns[ST_ASSIST] + tg->p_sum.ns[ST_SWEEP] + tg->p_sum.ns[ST_SYSCALL];
    for (uint32_t i = 0; i < tg->nstw; i++) {
        int64_t ns = tg->stw[i].longest.t1 - tg->stw[i].longest.t0;
        longest = ns > longest ? ns : longest;
    }
    text_add(t, "%s  %s  %uP %uG  ", stamp, ti->dialect, ti->gomaxprocs, tg->g_at_end);
    text_dur(t, tg->end);
    text_lit(t, "  busy ");
    text_share(t, (double)ran, (double)tg->capacity);
    if (o->late_ns >= LIVE_LATE)
        text_add(t, "  %llds late", (long long)(o->late_ns / 1000000000));
    text_lit(t, "\nsched p99 ");
    text_dur(t, hist_quantile(&tg->sched, 0.99));
    text_lit(t, "  stw ");
    text_dur(t, longest);
    text_add(t, "  gc %llu", (unsigned long long)tg->gc_cycles);
    if (tg->heap.known) {
        text_lit(t, "  heap ");
        text_bytes(t, tg->heap.last);
    }
    if (o->skipped)
        text_add(t, "  (%llu before it left out: too much at once)", (unsigned long long)o->skipped);
    if (o->lost) {
        text_lit(t, "\n");
        text_bytes(t, o->lost);
        text_add(t, " of trace before this were left out%s", o->cut ? "" : ": nobody took these lines");
    }
    text_lit(t, "\n");
}

static void put_share(struct text *t, double ns, double whole, size_t w)
{
    size_t from = t->n;
    text_share(t, ns, whole);
    text_pad(t, from, w);
}

/* How many were so at once, on average. */
static void put_many(struct text *t, double ns, double whole, size_t w)
{
    size_t from = t->n;
    text_add(t, "%.*f", whole > 0 && ns / whole < 100 ? 2 : 0, whole > 0 ? ns / whole : 0);
    text_pad(t, from, w);
}

static void put_group(struct text *t, const struct loaded *l, const struct group *g)
{
    double end = (double)l->tg->end;
    size_t from = t->n;
    text_func(t, l->tr, g->name, 29);
    text_pad(t, from, 30);
    text_add(t, "%6u ", g->count);
    put_share(t, total(g, GM_EXEC), end, 7);
    put_share(t, total(g, GM_ASSIST), end, 7);
    put_many(t, total(g, GM_SCHED), end, 9);
    put_many(t, total(g, GM_WAIT), end, 8);
    put_many(t, total(g, GM_SYSCALL) + total(g, GM_SYSBLOCK), end, 8);
    text_add(t, "%llu\n", (unsigned long long)((double)g->created * 1e9 / (end > 0 ? end : 1)));
}

static void put_picture(struct text *t, const struct top *o, const struct loaded *l, int64_t wall_ns)
{
    const struct triage *tg = l->tg;
    const struct group **row = mem_alloc((tg->ngroups + 1) * sizeof *row);
    if (!row) {
        t->failed = true;
        return;
    }
    for (uint32_t i = 0; i < tg->ngroups; i++)
        row[i] = &tg->groups[i];
    qsort(row, tg->ngroups, sizeof *row, by_work);
    put_head(t, o, l, wall_ns);
    text_lit(t, "GROUP                              G RAN    ASSIST RUNNABLE WAITING SYSCALL NEW/S\n");
    for (uint32_t i = 0; i < tg->ngroups && i < o->rows; i++)
        put_group(t, l, row[i]);
    if (tg->ngroups > o->rows)
        text_add(t, "and %u more group%s\n", tg->ngroups - o->rows, tg->ngroups - o->rows == 1 ? "" : "s");
    text_lit(t, "\n");
    mem_free(row);
}

/* Who can't keep up leaves the oldest out: a picture is of now. */
static void skip_old(struct top *o, struct live *l)
{
    size_t gap = live_gap(l, stream_whole(&l->st));
    for (size_t i = 0; i <= gap && i < l->st.ngen; i++) {
        o->lost += l->st.gen[i].lost_before;
        l->st.gen[i].lost_before = 0; /* counted once, however long it stays */
    }
    stream_drop(&l->st, gap); /* what lies on both sides of a gap isn't added up */
    o->skipped += gap;
    int64_t late = o->every_ns > LATE_NS / 2 ? 2 * o->every_ns : LATE_NS, now = live_wall_now();
    size_t n = stream_whole(&l->st), i = 0;
    while (i + 1 < n && l->st.gen[i].came_ns < now - late)
        i++;
    stream_drop(&l->st, i);
    o->skipped += i;
}

/* Are they long enough for a picture? Asked of each alone, so that none is read again and again. */
static bool enough(const struct top *o, struct live *l, struct err *e)
{
    struct loaded in;
    uint8_t *mem;
    int64_t all = 0;
    size_t n = stream_whole(&l->st);
    if (o->every_ns <= ONE_BY_ONE_NS || l->ended)
        return true;
    for (size_t i = 0; i < n && !live_stop_asked(); i++) {
        struct stream_gen *g = &l->st.gen[i];
        if (!g->t1 && live_load(l, i, 1, &o->live.trace, &in, &mem, e) == ERR_OK) {
            load_free(&in);
            mem_free(mem);
        }
        all += g->t1 - g->t0;
    }
    return all >= o->every_ns - o->every_ns / 8;
}

/* The generations since the last picture, if they are long enough. false: nobody reads, or *e says what is
 * wrong. */
static bool show(struct top *o, struct live *l, struct err *e)
{
    struct loaded in;
    uint8_t *mem;
    skip_old(o, l);
    size_t n = stream_whole(&l->st);
    if (!n || !enough(o, l, e))
        return true;
    if (live_load(l, 0, n, &o->live.trace, &in, &mem, e)) {
        stream_drop(&l->st, n);
        if (e->code == ERR_NOMEM)
            return false;
        *e = (struct err){0};
        return true;
    }
    bool good = true;
    if (trace_info(in.tr)->end >= o->every_ns - o->every_ns / 8 || l->ended) {
        struct text t = {.ascii = true};
        o->late_ns = l->late_ns;
        o->cut = l->cut;
        put_picture(&t, o, &in, l->st.gen[n - 1].came_ns ? l->st.gen[n - 1].came_ns : live_wall_now());
        struct err why;
        good = live_out(&t, &why);
        text_free(&t);
        if (why.code)
            err_set(e, why.code, ERR_NO_OFFSET, "standard output: %s", why.what);
        stream_drop(&l->st, n);
        o->shown++;
        o->told += o->lost;
        o->skipped = o->lost = 0;
    }
    load_free(&in);
    mem_free(mem);
    return good;
}

/* What was left out up to the program's end has no picture behind it that could say so. */
static void tell_lost_end(const struct top *o, const struct live *l)
{
    struct text t = {.ascii = true};
    struct err ignored; /* who doesn't read it was told nothing else either */
    text_bytes(&t, l->lost - o->told);
    text_lit(&t, " of trace after this were left out, up to its end: nobody took these lines\n");
    (void)live_out(&t, &ignored);
    text_free(&t);
}

/* One picture after the other, until the end of them or of the program. The exit status. */
static int pictures(struct top *o, struct live *l)
{
    struct err e = {0};
    enum live_state s = LIVE_WAIT;
    while (!l->ended && !live_stop_asked() && (!o->count || o->shown < o->count)) {
        struct err bad = {0};
        s = live_step(l, STEP_MS, &e);
        live_tell(l, s, "top", o->live.where);
        if (s != LIVE_WAIT && !show(o, l, &bad))
            return bad.code ? live_say("top", o->live.where, bad.what) : 0;
    }
    if (l->ended && l->lost > o->told && !l->cut)
        tell_lost_end(o, l);
    if (s == LIVE_FAILED && (!o->count || o->shown < o->count))
        return live_say("top", o->live.where, e.what);
    if (l->ended && !o->shown)
        return live_say("top", o->live.where, live_too_short);
    return 0;
}

int top_main(int argc, char **argv)
{
    struct top o = {0};
    struct live l = {.room = ROOM};
    struct err e = {0};
    int status = parse(&o, argc, argv);
    if (status >= 0)
        return status;
    live_shut(&o.live, NULL);
    if (live_open(&l, &o.live, &e)) {
        live_close(&l);
        return live_say("top", o.live.where, e.what);
    }
    live_stop_hold();
    status = pictures(&o, &l);
    live_stop_tell("top", o.live.where);
    live_close(&l);
    return status;
}
