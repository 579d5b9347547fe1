/*
 * watch.c - `gotop watch`: a flight recorder outside the program. Keeps the last seconds of its trace; when a
 * condition holds, writes them down, and goes on.
 *
 * What is asked is asked each time a generation is whole, of the newest ones (--window): a trace of their
 * own. Files hold whole generations behind the trace's header, so any reader of the format opens them.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "decode/base/child.h"
#include "decode/base/clerk.h"
#include "decode/base/door.h"
#include "decode/base/host.h"
#include "decode/base/mem.h"
#include "triage/exports/export_out.h"
#include "triage/exports/outside.h"
#include "triage/live/live.h"
#include "triage/options.h"
#include "triage/say.h"
#include "triage/tables/metrics.h"
#include "triage/text.h"

enum { UNTIL_MAX = 64, STEP_MS = 200, CAPTURES = 10, REASON_MAX = 300, CHILDREN = 4 };
#define KEEP_NS INT64_C(30000000000)
#define WINDOW_NS INT64_C(2000000000)
#define ROOM ((uint64_t)256 << 20) /* bytes that wait while they can't be looked at */

struct until {
    const char *text;
    int rule; /* a finding's; -1: cond */
    struct condition cond;
};

struct watch {
    struct live_opts live;
    struct until until[UNTIL_MAX];
    uint32_t n;
    int64_t keep_ns, after_ns, window_ns;
    uint64_t keep_bytes; /* memory; what --keep says, or a bound for what its time says */
    bool by_bytes;
    uint64_t max; /* captures */
    const char *dir, *exec;
    /* what is going on */
    uint64_t captured;
    uint64_t missed; /* captures since the last one that could be written */
    int failed;      /* the exit status of a capture that could not be written */
    bool looked;     /* something was asked of */
    bool told_late;  /* that the line is too slow */
    bool tells;      /* standard error is a terminal: how far it is stands there */
    bool pending;    /* a capture waits for --after */
    int64_t due;     /* until this moment of the trace's clock */
    int64_t since;   /* what was written down before isn't a reason again */
    int64_t wall_ns; /* when it was asked for */
    char reason[REASON_MAX];
    pid_t child[CHILDREN]; /* commands that run, 0 = none */
};

static const char usage_head[] =
    "usage: gotop watch [options] --until CONDITION -o DIR WHERE\n"
    "Keeps the last moments of a running program's trace, and writes them to a file when a condition "
    "holds.\n"
    "Meanwhile nobody else can trace the program.\n";
static const struct command command = {"watch", CMD_WATCH, usage_head, LIVE_TAIL};

/* ---- the command line
 * ------------------------------------------------------------------------------------------ */

/* One --until. -1, or 2 said. */
static int until(const char *text, struct until *u)
{
    struct err e = {0};
    *u = (struct until){.text = text, .rule = -1};
    for (int r = 0; r < RULE_COUNT; r++)
        if (strcmp(text, rule_id((enum rule)r)) == 0)
            u->rule = r;
    if (u->rule < 0 && !strpbrk(text, "<>=!")) {
        return live_say(
            "watch", text,
            "neither a condition, as stw.max>1ms (gotop report --metrics), nor the id of a finding (gotop "
            "report --rules)");
    }
    if (u->rule < 0 && (condition_parse(text, false, &u->cond, &e) || condition_check(&u->cond, &e)))
        return live_say("watch", text, e.what);
    return -1;
}

static int complete(const struct watch *w)
{
    struct stat st;
    if (!w->n || !w->dir)
        return options_lack(&command, !w->n ? "--until CONDITION" : "-o DIR");
    if (mkdir(w->dir, 0777) && errno != EEXIST) {
        char why[160];
        snprintf(why, sizeof why, "can't be made: %s", strerror(errno));
        return live_say("watch", w->dir, why);
    }
    if (stat(w->dir, &st) || !S_ISDIR(st.st_mode))
        return live_say("watch", w->dir, "is no folder");
    return -1;
}

/* -1: go on. */
static int parse(struct watch *w, int argc, char **argv)
{
    struct options o;
    const int status = live_parse(&command, argc, argv, &o, &w->live);
    if (status >= 0)
        return status;
    for (w->n = 0; w->n < o.conditions.n; w->n++)
        if (until(o.conditions.v[w->n], &w->until[w->n]) >= 0)
            return 2;
    w->by_bytes = o.keep.bytes > 0;
    w->keep_bytes = w->by_bytes ? o.keep.bytes : host_memory() / 4;
    w->keep_ns = o.keep.ns ? o.keep.ns : KEEP_NS;
    w->after_ns = o.after_ns;
    w->window_ns = o.window_ns ? o.window_ns : WINDOW_NS;
    w->max = o.count ? o.count : CAPTURES;
    w->dir = o.out;
    w->exec = o.exec;
    return complete(w);
}

/* ---- asking
 * ---------------------------------------------------------------------------------------------------- */

/* Does it hold? Then *t says what was found. */
static bool holds(const struct until *u, const struct loaded *l, struct text *t)
{
    struct err e = {0};
    if (u->rule >= 0) {
        for (uint32_t i = 0; i < l->fs.n; i++) {
            const struct finding *f = &l->fs.f[i];
            if (f->rule == (enum rule)u->rule && !f->note) {
                text_add(t, "%s: %s", u->text, f->amount);
                return true;
            }
        }
        return false;
    }
    struct metric_value v;
    if (metric_get(l, u->cond.metric, &v, &e) != ERR_OK || !v.known || !condition_holds(&u->cond, v.v))
        return false;
    text_clean(t, u->text, strlen(u->text), 0);
    text_lit(t, ": ");
    metric_text(t, &v);
    return true;
}

/* How many of the newest whole generations make up the window. Their times are known but for the last one's.
 */
static size_t window_gens(const struct watch *w, const struct live *l)
{
    size_t whole = stream_whole(&l->st), n = 1;
    const size_t most = whole - live_gap(l, whole);
    const struct stream_gen *g = l->st.gen;
    while (n < most && g[whole - n - 1].t1 && (n < 2 || g[whole - 2].t1 - g[whole - n].t0 < w->window_ns) &&
           g[whole - n - 1].t0 >= w->since)
        n++;
    return n;
}

static void ask(struct watch *w, const struct loaded *l)
{
    struct text t = {.ascii = true};
    for (uint32_t i = 0; i < w->n && !w->pending; i++) {
        if (!holds(&w->until[i], l, &t))
            continue;
        w->pending = true;
        w->due = trace_info(l->tr)->first_ns + trace_info(l->tr)->end + w->after_ns;
        w->wall_ns = live_wall_now();
        snprintf(w->reason, sizeof w->reason, "%s", t.p ? t.p : "");
    }
    text_free(&t);
}

/* ---- writing
 * --------------------------------------------------------------------------------------------------- */

static bool file_name(const struct watch *w, char *out, size_t size)
{
    char stamp[64];
    struct stat st;
    live_stamp(w->wall_ns, true, stamp, sizeof stamp);
    for (int i = 0; i < 100; i++) {
        char more[16] = "";
        if (i)
            snprintf(more, sizeof more, "-%d", i);
        int n = snprintf(out, size, "%s/gotop-%s%s.trace", w->dir, stamp, more);
        if (n < 0 || (size_t)n >= size)
            return false;
        if (lstat(out, &st) != 0) /* not even a link to nothing */
            return true;
    }
    return false;
}

/* From which of the whole generations on: other readers take no broken ones and no gaps, so those behind the
 * last of them. */
static size_t sound_from(const struct live *l)
{
    size_t whole = stream_whole(&l->st), i = whole, gap = live_gap(l, whole);
    while (i > gap && !l->st.gen[i - 1].broken)
        i--;
    return i < whole ? i : gap; /* all are broken: better than nothing */
}

static enum err_code write_gens(const struct live *l, const char *path, uint64_t *bytes, struct err *e)
{
    struct out out;
    size_t whole = stream_whole(&l->st);
    enum err_code rc = out_open(&out, path, false, e);
    if (rc)
        return rc;
    out_write(&out, l->st.header, STREAM_HEADER);
    *bytes = STREAM_HEADER;
    for (size_t i = sound_from(l); i < whole; i++) {
        out_write(&out, l->st.gen[i].p + STREAM_HEADER, l->st.gen[i].n - STREAM_HEADER);
        *bytes += l->st.gen[i].n - STREAM_HEADER;
    }
    return out_close(&out, true, e);
}

/* Commands that have ended are forgotten; true: there is room for one more. */
static bool reap(struct watch *w)
{
    bool room = false;
    for (int i = 0; i < CHILDREN; i++) {
        if (w->child[i] > 0 && waitpid(w->child[i], NULL, WNOHANG) == w->child[i])
            w->child[i] = 0;
        room |= w->child[i] <= 0;
    }
    return room;
}

extern char **environ;

/* 0, or an errno; EBUSY: too many run. */
static int spawn(struct watch *w, const char *file)
{
    char name[PATH_MAX], *argv[] = {(char *)(uintptr_t)w->exec, name, NULL};
    posix_spawnattr_t attr;
    sigset_t none, usual;
    int i = 0;
    if (!child_name(file, name, sizeof name))
        return EINVAL;
    if (!reap(w))
        return EBUSY;
    while (w->child[i] > 0)
        i++;
    sigemptyset(&none);
    child_defaults(&usual);
    posix_spawnattr_init(&attr);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&attr, &none);
    posix_spawnattr_setsigdefault(&attr, &usual);
    int rc = posix_spawnp(&w->child[i], w->exec, NULL, &attr, argv, environ);
    posix_spawnattr_destroy(&attr);
    if (rc)
        w->child[i] = 0;
    return rc;
}

static struct watch *watched; /* whose --exec the clerk runs */
static int deed_exec;

/* In the clerk: on files that were written there, and on nothing else. */
static void do_exec(const char *file, struct clerk_said *said)
{
    said->error = outside_made(file) ? spawn(watched, file) : EACCES;
}

static void run(struct watch *w, const char *file)
{
    struct clerk_said said = {0};
    if (clerk_on())
        (void)clerk_ask(deed_exec, file, &said);
    else
        said.error = spawn(w, file);
    if (said.error) {
        (void)live_say("watch", w->exec,
                       said.error == EBUSY    ? "is still busy with the files before: not run for this one"
                       : said.error == EINVAL ? "the file's name is no argument: not run for this one"
                                              : strerror(said.error));
    }
}

static void put_log(struct watch *w, const struct live *l, const char *path, uint64_t bytes)
{
    struct text t = {.ascii = true};
    char stamp[64];
    size_t whole = stream_whole(&l->st);
    live_stamp(w->wall_ns, false, stamp, sizeof stamp);
    text_add(&t, "%s captured ", stamp);
    text_clean(&t, path, strlen(path), 0);
    text_lit(&t, " ");
    text_dur(&t, l->st.gen[whole - 1].t1 - l->st.gen[sound_from(l)].t0);
    text_lit(&t, " ");
    text_bytes(&t, bytes);
    text_add(&t, " because %s\n", w->reason);
    struct err e;
    if (!live_out(&t, &e) && e.code)
        w->failed = live_say("watch", "standard output", e.what);
    text_free(&t);
}

/* A disk that stays full is told as often as the failures double: a night of it is no reason for ten thousand
 * lines. */
static void miss(struct watch *w, const char *what, const char *why)
{
    char line[320];
    w->missed++;
    w->failed = 2;
    if (w->missed & (w->missed - 1))
        return;
    snprintf(line, sizeof line, "%s (%llu captures in a row)", why, (unsigned long long)w->missed);
    (void)live_say("watch", what, w->missed > 1 ? line : why);
}

/* A file that can't be written is said, and watching goes on: room may come back. */
static void capture(struct watch *w, const struct live *l)
{
    char path[4096];
    struct err e = {0};
    uint64_t bytes;
    size_t whole = stream_whole(&l->st);
    w->pending = false;
    if (w->tells)
        door_wipe();
    if (!whole)
        return;
    w->since = l->st.gen[whole - 1].t1;
    if (!file_name(w, path, sizeof path)) {
        miss(w, w->dir, "no name is free for a file there");
        return;
    }
    if (write_gens(l, path, &bytes, &e)) {
        miss(w, w->live.where, e.what); /* it names the file */
        return;
    }
    w->missed = 0;
    w->captured++;
    put_log(w, l, path, bytes);
    if (w->exec)
        run(w, path);
}

/* What is too old or too much goes; of what --window asks for the newest stays. */
static void forget(const struct watch *w, struct live *l)
{
    size_t whole = stream_whole(&l->st), n = 0;
    uint64_t held = l->st.held;
    int64_t newest = whole ? l->st.gen[whole - 1].t1 : 0;
    while (n + 1 < whole && (held > w->keep_bytes || (!w->by_bytes && l->st.gen[n].t1 < newest - w->keep_ns)))
        held -= stream_cost(&l->st.gen[n++]);
    stream_drop(&l->st, n);
}

/* ---- the loop
 * -------------------------------------------------------------------------------------------------- */

static void tell_late(struct watch *w, const struct live *l)
{
    if (l->late_ns < LIVE_LATE || w->told_late)
        return;
    w->told_late = true;
    (void)live_say("watch", w->live.where,
                   "what comes is late: the line is slower than the trace, and the program holds the rest in "
                   "its memory");
}

/* A terminal says that it goes on, and how far from the first condition that is. */
static void tell_now(const struct watch *w, const struct live *l, const struct loaded *in)
{
    enum { COLS = 79 };
    struct text t = {.ascii = true};
    struct metric_value v;
    struct err e;
    if (!w->tells)
        return;
    text_lit(&t, "watching, ");
    text_dur(&t, l->st.gen[stream_whole(&l->st) - 1].t1 - l->st.gen[0].t0);
    text_add(&t, " kept, %llu file%s", (unsigned long long)w->captured, w->captured == 1 ? "" : "s");
    for (uint32_t i = 0; i < w->n && t.n < COLS / 2; i++) {
        const struct until *u = &w->until[i];
        if (u->rule >= 0 || metric_get(in, u->cond.metric, &v, &e) != ERR_OK || !v.known)
            continue;
        text_lit(&t, "; ");
        text_clean(&t, u->text, strlen(u->text), 0);
        text_lit(&t, ": now ");
        metric_text(&t, &v);
    }
    if (text_ok(&t)) {
        char line[COLS + 1];
        snprintf(line, sizeof line, "%.*s", (int)t.n, t.p);
        door_status(line);
    }
    text_free(&t);
}

/* Another generation is there. Not 0: give up with this status. */
static int look(struct watch *w, struct live *l)
{
    struct loaded in;
    struct err e = {0};
    uint8_t *mem;
    size_t whole = stream_whole(&l->st);
    if (!whole)
        return 0;
    size_t n = window_gens(w, l);
    w->looked = true;
    if (live_load(l, whole - n, n, &w->live.trace, &in, &mem, &e)) {
        forget(w, l);
        return e.code == ERR_NOMEM ? live_say("watch", w->live.where, e.what) : 0;
    }
    tell_late(w, l);
    if (!w->pending)
        ask(w, &in);
    if (w->tells)
        door_wipe();
    tell_now(w, l, &in);
    load_free(&in);
    mem_free(mem);
    if (w->pending && l->st.gen[whole - 1].t1 >= w->due)
        capture(w, l);
    forget(w, l);
    return 0;
}

static int watch_on(struct watch *w, struct live *l)
{
    struct err e = {0};
    enum live_state s = LIVE_WAIT;
    int status = 0;
    while (!status && !l->ended && !live_stop_asked() && w->captured < w->max) {
        size_t before = stream_whole(&l->st);
        s = live_step(l, STEP_MS, &e);
        live_tell(l, s, "watch", w->live.where);
        (void)reap(w);
        if (s == LIVE_GEN || stream_whole(&l->st) > before)
            status = look(w, l);
    }
    if (!status && w->pending)
        capture(w, l);
    if (!status && s == LIVE_FAILED)
        status = live_say("watch", w->live.where, e.what);
    else if (!status && l->ended && !w->looked)
        status = live_say("watch", w->live.where, live_too_short);
    return status ? status : w->failed;
}

int watch_main(int argc, char **argv)
{
    struct watch w = {0};
    struct live l = {.room = ROOM};
    struct err e = {0};
    int status = parse(&w, argc, argv);
    if (status >= 0)
        return status;
    watched = &w;
    outside_folder(w.dir);
    deed_exec = w.exec ? clerk_add(do_exec, NULL) : 0;
    live_shut(&w.live, NULL);
    if (live_open(&l, &w.live, &e)) {
        live_close(&l);
        return live_say("watch", w.live.where, e.what);
    }
    live_stop_hold();
    w.tells = isatty(STDERR_FILENO);
    if (w.tells)
        door_status("watching: waiting for the program's first second");
    status = watch_on(&w, &l);
    if (w.tells)
        door_wipe();
    live_stop_tell("watch", w.live.where);
    live_close(&l);
    return status;
}
