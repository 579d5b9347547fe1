/*
 * export_run.c - see export_run.h.
 */
#include "triage/exports/export_run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "decode/base/host.h"
#include "decode/base/door.h"
#include "triage/load.h"
#include "triage/query/goto.h"
#include "triage/say.h"

#define STEP 100000000 /* ns between two progress messages */

/* ---- progress ------------------------------------------------------------------------------------------ */

void export_progress(struct export *x, double share)
{
    if (!x->talk)
        return;
    int64_t now = host_now();
    if (now - x->said >= STEP) {
        x->said = now;
        door_progress("writing", share);
    }
}

static bool in_scope(const void *scope, uint32_t g)
{
    return scope_g(scope, g);
}

static void tick(void *x, double share)
{
    export_progress(x, share);
}

struct sw_filter export_filter(struct export *x)
{
    const struct scope *sc = &x->scope;
    return (struct sw_filter){.t0 = sc->from,
                              .t1 = sc->to,
                              .system = true,
                              .want = scope_all_g(sc) ? NULL : in_scope,
                              .arg = sc,
                              .tick = tick,
                              .tick_arg = x};
}

/* ---- the command line ---------------------------------------------------------------------------------- */

int export_options(const struct export_command *c, int argc, char **argv, struct options *o)
{
    int status = options_read(&c->command, argc, argv, o);
    if (status < 0)
        status = options_traces(&c->command, o);
    if (status >= 0)
        return status;
    if (!o->path)
        return options_lack(&c->command, "TRACE");
    if (c->check && !c->check(o))
        return 2;
    if (c->binary && (!o->out || strcmp(o->out, "-") == 0) && isatty(STDOUT_FILENO)) {
        return say_failed(c->command.name, "standard output",
                          "is a terminal, and this is binary: give a file with -o");
    }
    return -1;
}

/* ---- from trace to file -------------------------------------------------------------------------------- */

static enum err_code set_scope(const struct options *o, const struct trace *tr, struct scope *sc,
                               struct err *e)
{
    int64_t end = trace_info(tr)->end;
    *sc = (struct scope){tr, 0, INT64_MAX, o->group, o->goroutine.given, o->goroutine.id};
    const char *why;
    if ((o->from && !goto_when(tr, o->from, &sc->from, &why)) ||
        (o->to && !goto_when(tr, o->to, &sc->to, &why)))
        return err_set(e, ERR_ARG, ERR_NO_OFFSET, "%s", why);
    sc->from = sc->from < 0 ? 0 : sc->from; /* a time of day before the trace began */
    if (sc->to < 0)
        return err_set(e, ERR_ARG, ERR_NO_OFFSET, "--to lies before the trace");
    if (sc->from >= sc->to)
        return err_set(e, ERR_ARG, ERR_NO_OFFSET, "--from is not before --to");
    if (sc->from > end) {
        return err_set(e, ERR_ARG, ERR_NO_OFFSET,
                       "--from lies behind the trace's end, which is %" PRId64 " ns", end);
    }
    if (sc->one && trace_find_lane(tr, LANE_G, sc->id) == NO_LANE)
        return err_set(e, ERR_ARG, ERR_NO_OFFSET, "there is no goroutine %" PRIu64 " in this trace", sc->id);
    if (sc->group) {
        uint32_t g = 0, n = trace_nlanes(tr, LANE_G);
        while (g < n && !scope_g(sc, g))
            g++;
        if (g == n) {
            return err_set(e, ERR_ARG, ERR_NO_OFFSET, "no goroutine's start function contains '%s'",
                           sc->group);
        }
    }
    return ERR_OK;
}

static enum err_code write_trace(const struct export_command *c, const struct options *o,
                                 const struct trace *tr, bool talk, struct err *e)
{
    struct out out;
    struct export x = {.tr = tr, .o = o, .out = &out, .talk = talk, .said = talk ? host_now() : 0};
    enum err_code rc = set_scope(o, tr, &x.scope, e);
    const struct sample *sample;
    if (rc == ERR_OK && o->kind && strcmp(o->kind, "cpu") == 0 && trace_samples(tr, &sample) == 0) {
        rc = err_set(e, ERR_ARG, ERR_NO_OFFSET, /* an empty file would say that nothing ran */
                     "no CPU samples are in it: they come where a CPU profile runs beside the trace");
    }
    if (rc == ERR_OK)
        rc = out_open(&out, o->out, c->gzip, e);
    if (rc != ERR_OK)
        return rc;
    rc = c->write(&x, e);
    enum err_code closed = out_close(&out, rc == ERR_OK, rc == ERR_OK ? e : NULL);
    return rc != ERR_OK ? rc : closed;
}

static enum err_code load(const struct options *o, struct trace **tr, struct err *e)
{
    enum err_code rc = trace_open(o->path, &o->trace, tr, e);
    if (rc == ERR_OK)
        rc = out_may(o->out, e);
    return rc == ERR_OK ? load_rest(*tr, o->quiet, e) : rc;
}

const char *export_name(const struct options *o)
{
    return o->trace.more.n ? "these traces" : strcmp(o->path, "-") == 0 ? "standard input" : o->path;
}

static int partial(const struct export_command *c, const struct options *o, const struct trace *tr)
{
    const struct trace_info *i = trace_info(tr);
    const char *name = strcmp(o->path, "-") == 0 ? "standard input" : o->path;
    char what[320];
    for (uint32_t k = 0; k < i->nwarnings && trace_warning(tr, k); k++)
        say_failed(c->command.name, name, trace_warning(tr, k)->what);
    if (!i->ndamages)
        return 0;
    snprintf(what, sizeof what, "written, but only a part of this trace can be read: %s%s",
             trace_damage(tr, 0)->what, i->ndamages > 1 ? " (and more)" : "");
    say_failed(c->command.name, name, what);
    return 3;
}

int export_main(const struct export_command *c, int argc, char **argv)
{
    struct options o;
    struct trace *tr = NULL;
    struct err e = {0};
    int status = export_options(c, argc, argv, &o);
    if (status >= 0)
        return status;
    bool talk = !o.quiet && isatty(STDERR_FILENO);
    enum err_code rc = load(&o, &tr, &e);
    if (rc == ERR_OK) {
        rc = write_trace(c, &o, tr, talk, &e);
        if (talk)
            door_wipe();
    }
    if (rc == ERR_OK)
        status = partial(c, &o, tr);
    else
        status = say_failed(c->command.name, export_name(&o), e.what);
    trace_close(tr);
    return status;
}
