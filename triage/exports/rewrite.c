/*
 * rewrite.c - see rewrite.h.
 *
 * Nothing is written over the trace that is read, not even through a link, and what is written has its name
 * only when it is whole (target.h).
 */
#include "triage/exports/rewrite.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode/base/mem.h"
#include "decode/input/input.h"
#include "decode/input/mapped.h"
#include "decode/write/anon.h"
#include "triage/exports/export_out.h"
#include "triage/load.h"
#include "triage/options.h"
#include "triage/query/goto.h"
#include "triage/say.h"
#include "triage/wall.h"

/* Checks that it is said where to write, and that is no terminal. Returns -1, or 2 after a message. */
static int to_what(const struct command *c, const struct options *o)
{
    return o->out ? options_binary(c, o)
                  : say_failed(c->name, "where to?", "give a file with -o (- is standard output)");
}

static bool to_out(void *arg, const void *p, size_t n)
{
    out_write(arg, p, n);
    return !((struct out *)arg)->error;
}

enum err_code slice_file(const char *from, const struct joint_paths *more, const char *to,
                         const struct cut_range *r, struct cut_result *res, struct err *e)
{
    struct input in;
    struct out out;
    enum err_code rc = input_open_all(from, more, mem_limited(), &in, e);
    if (rc)
        return rc;
    struct outlet to_file = {.write = to_out, .arg = &out};
    rc = out_open(&out, to, false, e);
    if (!rc)
        rc = out_close(&out, cut_trace(&in, r, &to_file, res, e), e);
    input_close(&in);
    return rc;
}

/* ---- gotop slice --------------------------------------------------------------------------------------- */

/* Returns whether only a loaded trace can tell which moment the text is. */
static bool needs_trace(const char *s)
{
    return s && (strchr(s, '%') || wall_is(s));
}

static enum err_code asked_range(const struct options *o, struct cut_range *r, struct err *e)
{
    struct trace *tr = NULL;
    const char *why;
    enum err_code rc = ERR_OK;
    *r = (struct cut_range){INT64_MIN, INT64_MAX, o->trace.ticks_per_second};
    if (needs_trace(o->from) || needs_trace(o->to)) {
        if (!strcmp(o->path, "-") || input_is_far(o->path))
            return err_set(
                e, ERR_ARG, ERR_NO_OFFSET,
                "a share of it (%%) or a time of day needs a file: it is read once before it is cut");
        rc = load_model(o->path, &o->trace, true, &tr, e);
    }
    if (rc == ERR_OK && ((o->from && !goto_when(tr, o->from, &r->from, &why)) ||
                         (o->to && !goto_when(tr, o->to, &r->to, &why))))
        rc = err_set(e, ERR_ARG, ERR_NO_OFFSET, "%s", why);
    trace_close(tr);
    return rc;
}

static void say_slice(const struct options *o, const struct cut_result *r)
{
    char what[240];
    if (o->quiet || !isatty(STDERR_FILENO))
        return;
    if (r->whole)
        snprintf(what, sizeof what, "the whole trace, as it is");
    else
        snprintf(what, sizeof what,
                 "%.6f s to %.6f s, %" PRIu64 " events; the range begins %" PRId64 " ns into it",
                 (double)r->from * 1e-9, (double)r->to * 1e-9, r->events, r->lead);
    say_failed("slice", o->out, what);
}

/* Says why the slice is not the whole range, if it isn't. Returns the exit status. */
static int say_left_out(const char *name, const struct cut_result *r)
{
    char what[800], at[40] = "";
    if (!r->damage.code)
        return 0;
    if (r->damage.offset != ERR_NO_OFFSET)
        snprintf(at, sizeof at, " (offset %" PRIu64 ")", r->damage.offset);
    snprintf(what, sizeof what, "written %s %.6f s%s where the trace is damaged: %s%s",
             r->late ? "from" : "up to", (double)(r->late ? r->from : r->to) * 1e-9,
             r->late ? " on, behind" : ",", r->damage.what, at);
    say_failed("slice", name, what);
    return 3;
}

/* Says that the trace became shorter while it was read: what is gone was read as zeros, perhaps after it had
 * been examined. Returns the exit status. */
static int say_shorter(const char *command, const char *name)
{
    if (mapped_lost())
        say_failed(command, name,
                   "the trace became shorter while it was read: what was gone is missing in the copy");
    return mapped_lost() ? 3 : 0;
}

int slice_main(int argc, char **argv)
{
    static const struct command c = {
        "slice", CMD_SLICE,
        "usage: gotop slice [options] --from TIME --to TIME -o FILE TRACE\nWrite part of a trace as a "
        "trace.\nThe slice has the same dialect; gotop and Go's own tools open it. Times in the range stay "
        "the same; what was in progress when it begins looks as if tracing had started then. Waits that had "
        "begun before lose their reason, and tasks their name (docs/SLICES.md).\n",
        "Of a damaged trace only what is sound is written, in one piece: what is left out is said.\nExit "
        "status: 0 done, 2 wrong usage, unreadable or not written, 3 written, but a part of the range is "
        "left out.\n"};
    struct options o;
    struct cut_range r;
    struct cut_result res = {0};
    struct err e = {0};
    int status = options_of_trace(&c, argc, argv, &o);
    if (status < 0 && !o.from && !o.to)
        status = say_failed("slice", "which part?", "give --from, --to, or both");
    if (status < 0)
        status = to_what(&c, &o);
    if (status >= 0)
        return status;
    const char *name = options_name(&o);
    (void)trace_limit(o.trace.max_memory);
    if (asked_range(&o, &r, &e) || slice_file(o.path, &o.trace.more, o.out, &r, &res, &e))
        return say_failed(c.name, name, e.what);
    say_slice(&o, &res);
    status = say_left_out(name, &res);
    return say_shorter(c.name, name) | status;
}

/* ---- gotop anonymize ----------------------------------------------------------------------------------- */

/* Returns whether both names are of one file. A file that does not exist yet is known by its folder and
 * name. */
static bool one_file(const char *a, const char *b)
{
    const char *const path[2] = {a, b}, *name[2];
    char to[2][PATH_MAX], dot[] = ".";
    struct stat st[2];
    if (stat(a, &st[0]) == 0 && stat(b, &st[1]) == 0)
        return st[0].st_dev == st[1].st_dev && st[0].st_ino == st[1].st_ino;
    for (int i = 0; i < 2; i++) {
        if (strcmp(path[i], "-") == 0 || !target_leads(path[i], to[i]))
            return false;
        char *slash = strrchr(to[i], '/');
        name[i] = slash ? slash + 1 : to[i];
        if (stat(slash == to[i] ? "/" : slash ? (*slash = 0, to[i]) : dot, &st[i]))
            return false;
    }
    return st[0].st_dev == st[1].st_dev && st[0].st_ino == st[1].st_ino && strcmp(name[0], name[1]) == 0;
}

static void to_map(void *arg, const char *role, const char *now, size_t nnow, const uint8_t *was, size_t nwas)
{
    struct out *out = arg;
    struct text t = {0};
    text_add(&t, "%s\t", role);
    text_raw(&t, now, nnow);
    text_raw(&t, "\t", 1);
    out_name(&t, (struct str){(const char *)was, (uint32_t)nwas});
    text_raw(&t, "\n", 1);
    out_text(out, &t);
    text_free(&t);
}

static enum err_code anonymize_to(const struct input *in, const struct options *o, struct anon_result *res,
                                  struct err *e)
{
    struct out out, map = {0};
    struct anon a = {.on_replaced = o->map ? to_map : NULL, .arg = &map};
    enum err_code rc = out_open(&out, o->out, false, e);
    if (rc)
        return rc;
    if (o->map && (rc = out_open(&map, o->map, false, e)))
        return out_close(&out, rc, e);
    struct outlet to_file = {.write = to_out, .arg = &out};
    const enum err_code whole = anon_trace(in, &a, &to_file, res, e);
    anon_free(&a);
    rc = out_close(&out, whole, e);
    const enum err_code mapped = o->map ? out_close(&map, whole ? whole : rc, e) : ERR_OK;
    return rc || whole ? rc : mapped;
}

int anonymize_main(int argc, char **argv)
{
    static const struct command c = {
        "anonymize", CMD_ANONYMIZE,
        "usage: gotop anonymize [options] -o FILE TRACE\nWrite the same trace without the program's "
        "names.\nFunctions, files, tasks, regions, logs and labels get names like p3.f17, file4.go, task1; "
        "equal names stay equal. Go's own stay: the standard library's functions and files, reasons of "
        "waits. All times and counts stay the same (docs/SLICES.md).\n",
        "Exit status: 0 done, 2 wrong usage, unreadable or not written, 3 written, but the trace is "
        "damaged.\n"};
    struct options o;
    struct input in;
    struct anon_result res = {0};
    struct err e = {0};
    int status = options_of_trace(&c, argc, argv, &o);
    if (status < 0)
        status = to_what(&c, &o);
    if (status >= 0)
        return status;
    const char *name = options_name(&o);
    if (o.map && one_file(o.map, o.out))
        return say_failed(c.name, o.map, "is the file for the trace: give another one for the names");
    if (input_open_all(o.path, &o.trace.more, trace_limit(o.trace.max_memory), &in, &e))
        return say_failed(c.name, name, e.what);
    enum err_code rc = anonymize_to(&in, &o, &res, &e);
    input_close(&in);
    if (rc)
        return say_failed(c.name, name, e.what);
    char what[320];
    if (!o.quiet && isatty(STDERR_FILENO)) {
        snprintf(what, sizeof what, "%" PRIu64 " names replaced, %" PRIu64 " of Go's own kept",
                 res.strings - res.kept, res.kept);
        say_failed(c.name, o.out, what);
    }
    status = say_shorter(c.name, name);
    if (!res.damage.code)
        return status;
    snprintf(what, sizeof what, "%s: %s (offset %" PRIu64 ")",
             res.ended ? "written up to where the trace is damaged"
                       : "the copy is damaged as the trace is, with zeros where bytes can't be read",
             res.damage.what, res.damage.offset);
    say_failed(c.name, name, what);
    return 3;
}
