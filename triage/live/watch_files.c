/*
 * watch_files.c - see watch.h: how captures become files, and old ones are removed, by the clerk where there
 * is a sandbox: the folder and its bounds are settled before it begins, and only files with a capture's name
 * in that folder are removed.
 *
 * NAME.trace holds whole generations behind the trace's header, so every reader of the format opens it; no
 * generation is in two captures. NAME.txt says why it was written, the conditions' values, and what `gotop
 * report` says about it. NAME-rest.trace is the generation that the connection cut; it lacks the tables at
 * a generation's end, so only gotop reads it.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "decode/base/clerk.h"
#include "decode/base/mem.h"
#include "triage/exports/export_out.h"
#include "triage/live/watch.h"
#include "triage/report/report.h"
#include "triage/say.h"

enum { NAME_BYTES = 4000 };
#define PAGE_BYTES ((size_t)32 << 20) /* at most so many bytes of trace, the newest, make a page */

struct capture {
    char base[NAME_BYTES]; /* DIR/gotop-TIME.. */
    char file[NAME_BYTES + 16];
    size_t from, to; /* generations */
    uint64_t bytes;
    int64_t ns;
    const struct stream_gen *rest; /* NULL: none */
};

static bool free_name(struct capture *c)
{
    struct stat st;
    static const char *const ends[] = {".trace", ".txt", "-rest.trace"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        snprintf(c->file, sizeof c->file, "%s%s", c->base, ends[i]);
        if (lstat(c->file, &st) == 0) /* not even a dangling link */
            return false;
    }
    return true;
}

static bool name_capture(const struct watch *w, struct capture *c)
{
    char stamp[64], more[16] = "";
    live_stamp(w->wall_ns, true, stamp, sizeof stamp);
    for (int i = 0; i < 100; i++) {
        if (i)
            snprintf(more, sizeof more, "-%d", i);
        int n = snprintf(c->base, sizeof c->base, "%s/gotop-%s%s", w->o.out, stamp, more);
        if (n < 0 || (size_t)n >= sizeof c->base)
            return false;
        if (free_name(c))
            return true;
    }
    return false;
}

/* Chooses the generations to write: of those in no file yet, the last ones without damage or a gap, since
 * other readers accept neither. If the last one is damaged, it becomes the rest behind sound ones. */
static void choose(const struct watch *w, bool at_end, struct capture *c)
{
    const struct stream_gen *g = w->line.st.gen;
    const size_t first = w->written;
    size_t to = w->asked;
    c->rest = at_end ? live_rest(&w->line) : NULL;
    if (at_end && to > first + 1 && g[to - 1].broken && !c->rest)
        c->rest = &g[--to];
    size_t gap = live_gap(&w->line, to), from = to;
    gap = gap < first ? first : gap;
    while (from > gap && !g[from - 1].broken)
        from--;
    c->from = from < to ? from : gap; /* all are damaged, which is better than nothing */
    c->to = to;
    c->ns = to > c->from ? g[to - 1].t1 - g[c->from].t0 : 0;
}

/* Writes the file of the capture whose name ends so. */
static enum err_code capture_put(const struct capture *c, const char *ends, char path[sizeof c->file],
                                 const void *p, size_t n, struct err *e)
{
    struct out out;
    snprintf(path, sizeof c->file, "%s%s", c->base, ends);
    enum err_code rc = out_open(&out, path, false, e);
    if (rc)
        return rc;
    out_write(&out, p, n);
    return out_close(&out, ERR_OK, e);
}

static enum err_code put_trace(const struct watch *w, struct capture *c, struct err *e)
{
    struct out out;
    const struct stream *st = &w->line.st;
    snprintf(c->file, sizeof c->file, "%s.trace", c->base);
    enum err_code rc = out_open(&out, c->file, false, e);
    if (rc)
        return rc;
    out_write(&out, st->header, STREAM_HEADER);
    c->bytes = STREAM_HEADER;
    for (size_t i = c->from; i < c->to; i++) {
        out_write(&out, st->gen[i].p + STREAM_HEADER, st->gen[i].n - STREAM_HEADER);
        c->bytes += st->gen[i].n - STREAM_HEADER;
    }
    return out_close(&out, ERR_OK, e);
}

static enum err_code put_rest(struct capture *c, struct err *e)
{
    char path[sizeof c->file];
    const bool alone = c->from == c->to;
    c->bytes = alone ? c->rest->n : c->bytes;
    return capture_put(c, "-rest.trace", alone ? c->file : path, c->rest->p, c->rest->n, e);
}

/* Adds the page of the newest generations of the capture, or of what there is of one. */
static void put_page(const struct watch *w, const struct capture *c, struct text *p)
{
    const struct stream *st = &w->line.st;
    struct loaded in;
    struct err e = {0};
    size_t i = c->to, len = 0;
    while (i > c->from && (i == c->to || len + st->gen[i - 1].n <= PAGE_BYTES))
        len += st->gen[--i].n;
    if (i > c->from)
        text_lit(p, "\nThe page is of its last part alone.\n");
    text_lit(p, "\n");
    uint8_t *joined = i < c->to ? stream_join(st, i, c->to - i, &len) : NULL;
    if (i < c->to && !joined)
        err_nomem(&e);
    else if (!load_mem(joined ? joined : c->rest->p, joined ? len : c->rest->n, &w->o.trace, &in, &e)) {
        in.path = c->file;
        report_text(p, &in);
        load_free(&in);
    }
    if (e.code)
        text_say(p, NULL, "There is no page of it: ", t_clean(e.what), "\n");
    mem_free(joined);
}

static enum err_code capture_text(const struct watch *w, const struct capture *c, struct err *e)
{
    struct text p = {.ascii = true};
    char stamp[64], path[sizeof c->file], shown[FEED_SHOWN];
    const char *where = feed_shown(w->o.path, shown);
    live_stamp(w->wall_ns, false, stamp, sizeof stamp);
    text_say(&p, NULL, "gotop watch: ", stamp, " because ", w->reason, "\nprogram  ", t_clean(where),
             "\ntrace    ", t_clean(c->file), ", ", t_dur(c->ns));
    if (c->rest)
        text_lit(&p, "\nrest     beside it, as far as it came: gotop opens both as one");
    if (w->values.n)
        text_say(&p, NULL, "\nconditions, of the last ", t_dur(w->o.window_ns), "\n", w->values.p);
    else
        text_lit(&p, "\n");
    put_page(w, c, &p);
    enum err_code rc = text_ok(&p) ? capture_put(c, ".txt", path, p.p, p.n, e)
                                   : err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory for the page");
    text_free(&p);
    return rc;
}

/* Reports a full disk at the first failure and each time the number doubles, so that a night does not fill
 * the log. */
static void miss(struct watch *w, const char *what, const char *why)
{
    char line[320];
    w->missed++;
    w->failed = 2;
    if (w->missed & (w->missed - 1))
        return;
    snprintf(line, sizeof line, "%s (%llu captures in a row)", why, (unsigned long long)w->missed);
    (void)say_failed("watch", what, w->missed > 1 ? line : why);
}

/* What can't be written stays pending and is tried again with the next generation. */
void watch_capture(struct watch *w, bool at_end)
{
    struct capture c = {0};
    struct err e = {0};
    choose(w, at_end, &c);
    if (c.from == c.to && !c.rest) {
        w->pending = false;
        return;
    }
    if (!name_capture(w, &c)) {
        miss(w, w->o.out, "no name is free for a file there");
        return;
    }
    if ((c.from < c.to && put_trace(w, &c, &e)) || (c.rest && put_rest(&c, &e))) {
        miss(w, w->o.path, e.what); /* the message names the file */
        return;
    }
    if (capture_text(w, &c, &e))
        w->failed = say_failed("watch", w->o.path, e.what);
    w->pending = false;
    w->written = w->asked;
    w->missed = 0;
    w->captured++;
    struct text line = {.ascii = true};
    text_say(&line, NULL, "captured ", t_clean(c.file), " ", t_dur(c.ns), " ", t_bytes(c.bytes), " because ",
             w->reason);
    watch_note(w, w->wall_ns, &line);
    watch_tidy(w);
}

/* ---- old ones are removed ------------------------------------------------------------------------------ */

static const struct watch *watched;
static int action_tidy = -1;

enum { MOMENT = 26 /* "gotop-20261121T235558.256Z" */ };
#define DD "[0-9][0-9]"

/* Returns whether that is the name of a capture or of a file that goes with one. */
static int is_capture(const struct dirent *f)
{
    static const char form[] = "gotop-" DD DD DD DD "T" DD DD DD "." DD "[0-9]Z*.t*";
    const char *end = strrchr(f->d_name, '.');
    return fnmatch(form, f->d_name, 0) == 0 && (strcmp(end, ".txt") == 0 || strcmp(end, ".trace") == 0);
}

static bool is_file(int dir, const struct dirent *f, struct stat *st)
{
    return fstatat(dir, f->d_name, st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st->st_mode);
}

/* Removes old captures by the bounds that were settled, and says in said->value how many. The newest
 * stays. */
static void do_tidy(const char *text, struct clerk_said *said)
{
    const struct keep most = watched->o.keep_files;
    const time_t now = time(NULL);
    struct dirent **v = NULL;
    struct stat st;
    uint64_t sum = 0;
    (void)text;
    const int dir = open(watched->o.out, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int n = dir < 0 ? -1 : scandir(watched->o.out, &v, is_capture, alphasort); /* the oldest first */
    said->error = n < 0 ? errno : 0;
    for (int i = 0; i < n; i++)
        sum += is_file(dir, v[i], &st) ? (uint64_t)st.st_size : 0;
    for (int i = 0; i < n && memcmp(v[i]->d_name, v[n - 1]->d_name, MOMENT) != 0; i++) {
        if (!is_file(dir, v[i], &st) ||
            !((most.ns && now - st.st_mtime > most.ns / 1000000000) || (most.bytes && sum > most.bytes)))
            continue;
        if (unlinkat(dir, v[i]->d_name, 0) == 0) {
            sum -= (uint64_t)st.st_size;
            said->value++;
        } else {
            said->error = errno;
        }
    }
    for (int i = 0; i < n; i++)
        free(v[i]);
    free(v);
    if (dir >= 0)
        close(dir);
}

void watch_tidy_asked(struct watch *w)
{
    watched = w;
    if (w->o.keep_files.bytes || w->o.keep_files.ns)
        action_tidy = clerk_add(do_tidy, NULL);
}

void watch_tidy(struct watch *w)
{
    struct clerk_said said = {0};
    if (action_tidy < 0)
        return;
    if (clerk_on())
        (void)clerk_ask(action_tidy, "", &said);
    else
        do_tidy("", &said);
    if (said.error)
        w->failed = say_failed("watch", w->o.out, strerror(said.error));
    if (said.value) {
        struct text t = {.ascii = true};
        text_add(&t, "removed %d old file%s (--keep-files)", (int)said.value, said.value == 1 ? "" : "s");
        watch_note(w, live_wall_now(), &t);
    }
}
