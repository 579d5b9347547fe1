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
#include "triage/say.h"

#define STEP 100000000 /* ns between two words on the terminal */

int export_say(const char *name, const char *what, const char *message)
{
    struct text t = {0};
    text_clean(&t, what, strlen(what), 0);
    text_raw(&t, ": ", 2);
    text_clean(&t, message, strlen(message), 0);
    door_printf(stderr, "gotop %s: %s\n", name, t.p ? t.p : "out of memory");
    text_free(&t);
    return 2;
}

/* ---- progress
 * ----------------------------------------------------------------------------------------------- */

static void say_nothing(bool talk)
{
    if (talk)
        door_wipe();
}

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

void export_lanes(struct export *x, const bool lane[LANE_KINDS])
{
    x->done = x->lanes_done = 0;
    x->total = 1;
    for (int k = 0; k < LANE_KINDS && x->talk; k++) {
        uint32_t n = lane[k] ? trace_nlanes(x->tr, (enum lane_kind)k) : 0;
        for (uint32_t i = 0; i < n; i++)
            x->total += trace_lane(x->tr, (struct lane){(enum lane_kind)k, i}).nspans;
    }
}

/* A lane may have been left early, or not been asked for. */
void export_lane(struct export *x, struct lane l)
{
    if (x->talk) {
        x->lanes_done += trace_lane(x->tr, l).nspans;
        x->done = x->lanes_done;
        export_progress(x, (double)x->done / (double)x->total);
    }
}

void export_walk(struct export *x, const enum lane_kind order[3], void (*f)(void *arg, struct lane l),
                 bool (*stop)(void *arg), void *arg)
{
    static const bool usual[LANE_KINDS] = {[LANE_P] = true, [LANE_G] = true};
    const bool *wanted = x->o->lanes_given ? x->o->lane : usual;
    export_lanes(x, wanted);
    for (int k = 0; k < 3; k++) {
        const uint32_t n = wanted[order[k]] ? trace_nlanes(x->tr, order[k]) : 0;
        for (uint32_t i = 0; i < n && !stop(arg); i++) {
            f(arg, (struct lane){order[k], i});
            export_lane(x, (struct lane){order[k], i});
        }
    }
}

/* ---- the command line
 * --------------------------------------------------------------------------------------- */

static bool read_lanes(const char *s, struct export_opts *o)
{
    static const char letters[] = {[LANE_P] = 'p', [LANE_G] = 'g', [LANE_M] = 'm'};
    o->lanes_given = true;
    memset(o->lane, 0, sizeof o->lane);
    for (;;) {
        int k = LANE_P;
        while (k <= LANE_M && (*s | 0x20) != letters[k])
            k++;
        if (k > LANE_M || (s[1] && s[1] != ','))
            return false;
        o->lane[k] = true;
        if (!s[1])
            return true;
        s += 2;
    }
}

static bool read_count(const char *s, uint64_t *out)
{
    char *end;
    errno = 0;
    unsigned long long v = *s >= '0' && *s <= '9' ? strtoull(s, &end, 10) : 0;
    if (!(*s >= '0' && *s <= '9') || *end || errno)
        return false;
    *out = v;
    return true;
}

static bool read_positive(const char *s, double *out)
{
    char *end;
    *out = strtod(s, &end);
    return end != s && !*end && *out > 0 && *out < 1e15;
}

bool export_size(const char *s, uint64_t *out)
{
    static const char units[] = "KMGT";
    char *end;
    errno = 0;
    unsigned long long v = *s >= '0' && *s <= '9' ? strtoull(s, &end, 10) : 0;
    if (!v || errno)
        return false;
    const char *u = *end ? strchr(units, *end & ~0x20) : NULL;
    int shift = u ? 10 * (int)(u - units + 1) : 0;
    if ((u ? end[1] : *end) || v > UINT64_MAX >> shift)
        return false;
    *out = (uint64_t)v << shift;
    return true;
}

bool export_threads(const char *s, int *out)
{
    uint64_t n = 0;
    bool ok = read_count(s, &n) && n >= 1 && n <= 256;
    *out = ok ? (int)n : *out;
    return ok;
}

enum found { NOT_MINE, TAKEN, WRONG };

static enum found option_value(const struct export_command *c, const char *name, const char *v,
                               struct export_opts *o)
{
    bool needs;
    if ((strcmp(name, "--from") == 0 || strcmp(name, "--to") == 0) && c->options & EXPORT_RANGE) {
        *(name[2] == 'f' ? &o->from : &o->to) = v;
        return scope_typed(v, &needs) ? TAKEN : WRONG;
    } else if (strcmp(name, "-o") == 0 && c->options & EXPORT_OUT) {
        o->out = v;
    } else if (strcmp(name, "--goroutine") == 0 && c->options & EXPORT_WHO) {
        o->one = true;
        return read_count(v, &o->id) ? TAKEN : WRONG;
    } else if (strcmp(name, "--group") == 0 && c->options & EXPORT_WHO) {
        o->group = v;
    } else if (strcmp(name, "--exe") == 0) {
        o->trace.exe = v;
    } else if (strcmp(name, "--ticks-per-second") == 0) {
        return read_positive(v, &o->trace.ticks_per_second) ? TAKEN : WRONG;
    } else if (strcmp(name, "--threads") == 0) {
        return export_threads(v, &o->trace.threads) ? TAKEN : WRONG;
    } else if (strcmp(name, "--max-memory") == 0) {
        return export_size(v, &o->trace.max_memory) ? TAKEN : WRONG;
    } else if (strcmp(name, "--kind") == 0 && c->options & EXPORT_KIND) {
        o->kind = v;
    } else if (strcmp(name, "--lanes") == 0 && c->options & EXPORT_LANES) {
        return read_lanes(v, o) ? TAKEN : WRONG;
    } else if (strcmp(name, "--hz") == 0 && c->options & EXPORT_HZ) {
        return read_positive(v, &o->hz) ? TAKEN : WRONG;
    } else {
        return NOT_MINE;
    }
    return TAKEN;
}

static bool option_flag(const struct export_command *c, const char *name, struct export_opts *o)
{
    const struct {
        const char *name;
        unsigned needs;
        bool *to;
    } flags[] = {{"--quiet", 0, &o->quiet},      {"--strict", 0, &o->trace.strict},
                 {"--help", 0, &o->help},        {"-h", 0, &o->help},
                 {"--all", EXPORT_ALL, &o->all}, {"--reason-last", EXPORT_LEAF, &o->leaf}};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        if (strcmp(name, flags[i].name) == 0 && (c->options & flags[i].needs) == flags[i].needs) {
            *flags[i].to = true;
            return true;
        }
    }
    return false;
}

/* "--name=value" is cut in two: the name goes to buf. Returns the value, NULL if there is no '='. */
static const char *cut_name(const char *arg, char *buf, size_t size)
{
    const char *eq = arg[1] == '-' ? strchr(arg, '=') : NULL;
    if (!eq || (size_t)(eq - arg) >= size)
        return NULL;
    memcpy(buf, arg, (size_t)(eq - arg));
    buf[eq - arg] = 0;
    return eq + 1;
}

static const char *what_fits(const char *name)
{
    return strcmp(name, "--from") == 0 || strcmp(name, "--to") == 0
               ? "this is no time: 1.2s, 300ms, 1m30s, 40%, 14:03:22.5 are"
           : strcmp(name, "--goroutine") == 0 ? "this is no goroutine's number"
                                              : "this value makes no sense (--help tells)";
}

static bool read_option(const struct export_command *c, int argc, char **argv, int *i, struct export_opts *o)
{
    char buf[32];
    const char *inner = cut_name(argv[*i], buf, sizeof buf), *name = inner ? buf : argv[*i];
    const char *value = inner ? inner : *i + 1 < argc ? argv[*i + 1] : NULL;
    if (!inner && option_flag(c, name, o))
        return true;
    enum found f = value ? option_value(c, name, value, o) : NOT_MINE;
    if (f == WRONG) {
        struct text t = {0};
        text_add(&t, "%s ", name);
        text_clean(&t, value, strlen(value), 0);
        export_say(c->name, t.p ? t.p : name, what_fits(name));
        text_free(&t);
    } else if (f == NOT_MINE) {
        export_say(c->name, argv[*i], "unknown option, or its value is missing (--help lists them)");
    } else if (!inner) {
        ++*i;
    }
    return f == TAKEN;
}

int export_options(const struct export_command *c, int argc, char **argv, struct export_opts *o)
{
    bool ended = false;
    *o = (struct export_opts){.hz = 100};
    for (int i = 1; i < argc; i++) {
        if (!ended && strcmp(argv[i], "--") == 0) {
            ended = true;
        } else if (!ended && argv[i][0] == '-' && argv[i][1]) {
            if (!read_option(c, argc, argv, &i, o))
                return 2;
        } else if (c->table && !o->kind) {
            o->kind = argv[i];
        } else if (!joint_paths_add(&o->trace.more, &o->path, argv[i])) {
            return export_say(c->name, argv[i], "too many traces at once");
        }
    }
    if (o->help)
        return say_usage(c->name, c->usage);
    if (!o->path && o->kind && c->check && !c->check(o))
        return 2; /* `gotop csv TRACE`: the table is missing */
    if (!o->path)
        return say_lacks(c->name, c->table && !o->kind ? "TABLE" : "TRACE", c->usage);
    if (c->check && !c->check(o))
        return 2;
    if (c->binary && (!o->out || strcmp(o->out, "-") == 0) && isatty(STDOUT_FILENO)) {
        return export_say(c->name, "standard output",
                          "is a terminal, and this is binary: give a file with -o");
    }
    return -1;
}

/* ---- from trace to file
 * ------------------------------------------------------------------------------------- */

static enum err_code set_scope(const struct export_opts *o, const struct trace *tr, struct scope *sc,
                               struct err *e)
{
    int64_t end = trace_info(tr)->end;
    *sc = (struct scope){tr, 0, INT64_MAX, o->group, o->one, o->id};
    const char *why;
    if ((o->from && !scope_when(o->from, tr, &sc->from, &why)) ||
        (o->to && !scope_when(o->to, tr, &sc->to, &why)))
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

enum err_code export_trace(const struct export_command *c, const struct export_opts *o,
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

static enum err_code load(const struct export_opts *o, bool talk, struct trace **tr, struct err *e)
{
    enum err_code rc = trace_open(o->path, &o->trace, tr, e);
    if (rc == ERR_OK)
        rc = out_may(o->out, e);
    if (rc != ERR_OK)
        return rc;
    while (trace_load(*tr, talk ? STEP : INT64_MAX) == LOAD_MORE) {
        const struct trace_info *i = trace_info(*tr);
        if (talk)
            door_progress("reading", i->bytes ? (double)i->bytes_done / (double)i->bytes : 0);
    }
    if (trace_fatal(*tr)) {
        *e = *trace_fatal(*tr);
        return e->code != ERR_OK ? e->code : ERR_EMPTY;
    }
    return ERR_OK;
}

static int partial(const struct export_command *c, const struct export_opts *o, const struct trace *tr)
{
    const struct trace_info *i = trace_info(tr);
    const char *name = strcmp(o->path, "-") == 0 ? "standard input" : o->path;
    char what[320];
    for (uint32_t k = 0; k < i->nwarnings && trace_warning(tr, k); k++)
        export_say(c->name, name, trace_warning(tr, k)->what);
    if (!i->ndamages)
        return 0;
    snprintf(what, sizeof what, "written, but only a part of this trace can be read: %s%s",
             trace_damage(tr, 0)->what, i->ndamages > 1 ? " (and more)" : "");
    export_say(c->name, name, what);
    return 3;
}

int export_main(const struct export_command *c, int argc, char **argv)
{
    struct export_opts o;
    struct trace *tr = NULL;
    struct err e = {0};
    int status = export_options(c, argc, argv, &o);
    if (status >= 0)
        return status;
    bool talk = !o.quiet && isatty(STDERR_FILENO);
    enum err_code rc = load(&o, talk, &tr, &e);
    say_nothing(talk);
    if (rc == ERR_OK) {
        rc = export_trace(c, &o, tr, talk, &e);
        say_nothing(talk);
    }
    if (rc == ERR_OK) {
        status = partial(c, &o, tr);
    } else {
        status = export_say(c->name,
                            o.trace.more.n             ? "these traces"
                            : strcmp(o.path, "-") == 0 ? "standard input"
                                                       : o.path,
                            e.what);
    }
    trace_close(tr);
    return status;
}
