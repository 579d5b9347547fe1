/*
 * pprof.c - `gotop pprof`: a table of weighted stacks as a pprof profile.
 *
 * Messages of one type may be concatenated: a reader merges them. So the profile is never built as a whole;
 * each sample, location, function and string is packed as a profile of its own. Strings are numbered in the
 * order they are written, which is the order of the table.
 */
#include <inttypes.h>
#include <string.h>

#include "decode/base/mem.h"
#include "triage/exports/export_out.h"
#include "triage/exports/profile.pb-c.h"
#include "triage/exports/rewrite.h"
#include "triage/load.h"
#include "triage/options.h"
#include "triage/query/goto.h"
#include "triage/say.h"
#include "triage/tables/stackweights.h"
#include "triage/tables/tab.h"

struct part {
    const struct trace *tr;
    const struct options *o;
    int64_t from, to; /* [from,to) in ns; the whole trace: 0, INT64_MAX */
};

struct writer {
    const struct trace *tr;
    struct out *out;
    uint8_t *buf; /* one packed message */
    size_t cap;
    uint64_t *ids; /* locations of one sample */
    size_t cap_ids;
    /* the numbers of what has been written: string; function name and file; pc, function and line */
    struct tab strs, funcs, locs;
    uint32_t nstrs, nfuncs, nlocs;
    bool oom;
};

/* Returns the number of a key, which is `fresh` if it is new; sets oom if it cannot be kept. */
static uint32_t number_of(struct writer *w, struct tab *all, uint64_t a, uint64_t b, uint32_t fresh)
{
    const uint32_t i = tab_put(all, a, b, fresh);
    w->oom |= i == TAB_NONE;
    return i;
}

static void put(struct writer *w, const Pprof__Profile *m)
{
    size_t n = pprof__profile__get_packed_size(m);
    w->oom |= !mem_room(w->buf, w->cap, n);
    if (!w->oom)
        out_write(w->out, w->buf, pprof__profile__pack(m, w->buf));
}

static void put_string(struct writer *w, char *s)
{
    Pprof__Profile m = PPROF__PROFILE__INIT;
    m.n_string_table = 1;
    m.string_table = &s;
    put(w, &m);
    w->nstrs++;
}

/* Adds our own string without a lookup, so use each once. */
static int64_t word(struct writer *w, const char *s)
{
    put_string(w, (char *)(uintptr_t)s); /* only read */
    return w->nstrs - 1;
}

static int64_t name(struct writer *w, uint32_t str)
{
    const uint32_t fresh = w->nstrs, i = str ? number_of(w, &w->strs, str, 0, fresh) : 0;
    if (str && i == fresh && !w->oom) {
        struct text t = {0};
        out_name(&t, trace_str(w->tr, str));
        char *s = text_take(&t);
        if (s)
            put_string(w, s);
        else
            w->oom = true;
        mem_free(s);
    }
    return i;
}

static uint64_t function(struct writer *w, const struct frame *f)
{
    const uint32_t fresh = w->nfuncs + 1, i = number_of(w, &w->funcs, f->func, f->file, fresh);
    if (i != fresh || w->oom)
        return i;
    w->nfuncs++;
    Pprof__Function x = PPROF__FUNCTION__INIT, *px = &x;
    Pprof__Profile m = PPROF__PROFILE__INIT;
    x.id = i;
    x.name = x.system_name = name(w, f->func);
    x.filename = name(w, f->file);
    m.n_function = 1;
    m.function = &px;
    put(w, &m);
    return i;
}

static uint64_t location(struct writer *w, const struct frame *f)
{
    const uint32_t fresh = w->nlocs + 1,
                   i = number_of(w, &w->locs, f->pc, (uint64_t)f->func << 32 | (uint32_t)f->line, fresh);
    if (i != fresh || w->oom)
        return i;
    w->nlocs++;
    Pprof__Line line = PPROF__LINE__INIT, *pline = &line;
    Pprof__Location x = PPROF__LOCATION__INIT, *px = &x;
    Pprof__Profile m = PPROF__PROFILE__INIT;
    x.id = i;
    x.address = f->pc;
    if (f->func) {
        line.function_id = function(w, f);
        line.line = (int64_t)(f->line & INT64_MAX);
        x.n_line = 1;
        x.line = &pline;
    }
    m.n_location = 1;
    m.location = &px;
    put(w, &m);
    return i;
}

/* per_count: ns per count; 0: the row says how long it was. */
static void sample(struct writer *w, const struct sw_row *row, int64_t per_count)
{
    uint32_t n = trace_stack(w->tr, row->stack);
    w->oom |= !mem_room(w->ids, w->cap_ids, n);
    for (uint32_t i = 0; i < n && !w->oom; i++) {
        struct frame f = trace_frame(w->tr, row->stack, i);
        w->ids[i] = location(w, &f);
    }
    Pprof__Sample s = PPROF__SAMPLE__INIT, *ps = &s;
    Pprof__Profile m = PPROF__PROFILE__INIT;
    int64_t value[2] = {(int64_t)row->count, per_count ? (int64_t)row->count * per_count : row->ns};
    s.n_location_id = n;
    s.location_id = w->ids;
    s.n_value = 2;
    s.value = value;
    m.n_sample = 1;
    m.sample = &ps;
    put(w, &m);
}

static void head(struct writer *w, const struct part *p, bool cpu, int64_t period)
{
    const struct trace_info *i = trace_info(p->tr);
    const char *const type[3] = {cpu ? "samples" : "contentions", cpu ? "cpu" : "delay",
                                 cpu ? "cpu" : "trace"},
                      *const unit[3] = {"count", "nanoseconds", cpu ? "nanoseconds" : "count"};
    char said[200];
    snprintf(said, sizeof said, "gotop pprof --kind %s, from a trace of %s%s%s", p->o->kind, i->dialect,
             cpu ? "; the time is the number of samples times the period, which is assumed" : "",
             i->ndamages ? "; only a part of the trace could be read" : "");
    Pprof__ValueType t[3], *pt[] = {&t[0], &t[1]}; /* of both values of a sample, and of the period */
    Pprof__Profile m = PPROF__PROFILE__INIT;
    word(w, "");
    for (int k = 0; k < 3; k++) {
        pprof__value_type__init(&t[k]);
        t[k].type = word(w, type[k]);
        t[k].unit = word(w, unit[k]);
    }
    int64_t comment = word(w, said);
    m.n_sample_type = 2;
    m.sample_type = pt;
    m.period_type = &t[2];
    m.period = period;
    if (i->has_wall && i->wall_sec >= 0 && i->wall_sec <= INT64_MAX / 1000000000 - 1000000)
        m.time_nanos = i->wall_sec * 1000000000 + i->wall_nsec + p->from;
    m.duration_nanos = (p->to < i->end ? p->to : i->end) - p->from;
    m.n_comment = 1;
    m.comment = &comment;
    put(w, &m);
}

/* ---- which part ---------------------------------------------------------------------------------------- */

static enum err_code part_of(struct part *p, struct err *e)
{
    const struct options *o = p->o;
    const int64_t end = trace_info(p->tr)->end;
    const char *why;
    p->to = INT64_MAX;
    if ((o->from && !goto_when(p->tr, o->from, &p->from, &why)) ||
        (o->to && !goto_when(p->tr, o->to, &p->to, &why)))
        return err_set(e, ERR_ARG, ERR_NO_OFFSET, "%s", why);
    p->from = p->from < 0 ? 0 : p->from; /* a time of day before the trace began */
    if (p->from >= p->to || p->from > end)
        return err_set(e, ERR_ARG, ERR_NO_OFFSET,
                       "--from to --to is no part of the trace, which ends at %" PRId64 " ns", end);
    return ERR_OK;
}

/* ---- gotop pprof --------------------------------------------------------------------------------------- */

static const struct command command = {
    "pprof", CMD_PPROF,
    "usage: gotop pprof --kind KIND [options] TRACE\nA profile for `go tool pprof`, gzip-compressed. Counts "
    "and times equal those of `go tool trace -pprof=KIND`.\n",
    "Exit status: 0 done, 2 an error, 3 done, but only part of the trace could be read. See "
    "docs/EXPORTS.md.\n"};

static enum err_code write_pprof(struct part *p, struct out *out, struct err *e)
{
    const enum sw_kind k = sw_kind_of(p->o->kind); /* options.def has the words */
    const bool cpu = k == SW_CPU;
    const int64_t period = cpu ? (int64_t)(1e9 / (p->o->hz > 0 ? p->o->hz : 100)) : 1;
    const struct sw_filter f = {.t0 = p->from, .t1 = p->to, .like_go = !p->o->all};
    struct sw_table v;
    struct writer w = {.tr = p->tr, .out = out};
    w.oom = !stackweights_build(p->tr, k, &f, &v);
    head(&w, p, cpu, period);
    for (uint32_t i = 0; i < v.n && !w.oom && !out->error; i++)
        sample(&w, &v.row[i], cpu ? period : 0);
    stackweights_free(&v);
    tab_free(&w.strs);
    tab_free(&w.funcs);
    tab_free(&w.locs);
    mem_free(w.buf);
    mem_free(w.ids);
    return w.oom ? err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory for the profile") : ERR_OK;
}

static enum err_code write_file(struct part *p, struct err *e)
{
    struct out out;
    const struct sample *sample;
    enum err_code rc = part_of(p, e);
    if (rc == ERR_OK && strcmp(p->o->kind, "cpu") == 0 && trace_samples(p->tr, &sample) == 0) {
        rc = err_set(e, ERR_ARG, ERR_NO_OFFSET, /* an empty file would say that nothing ran */
                     "no CPU samples are in it: they come where a CPU profile runs beside the trace");
    }
    if (rc == ERR_OK)
        rc = out_open(&out, p->o->out, true, e);
    if (rc != ERR_OK)
        return rc;
    rc = write_pprof(p, &out, e);
    const enum err_code closed = out_close(&out, rc == ERR_OK, rc == ERR_OK ? e : NULL);
    return rc != ERR_OK ? rc : closed;
}

/* Says what of the trace could not be read. Returns the exit status. */
static int partial(const struct options *o, const struct trace *tr)
{
    const struct trace_info *i = trace_info(tr);
    char what[320];
    for (uint32_t k = 0; k < i->nwarnings && trace_warning(tr, k); k++)
        say_failed("pprof", options_name(o), trace_warning(tr, k)->what);
    if (!i->ndamages)
        return 0;
    snprintf(what, sizeof what, "written, but only a part of this trace can be read: %s%s",
             trace_damage(tr, 0)->what, i->ndamages > 1 ? " (and more)" : "");
    say_failed("pprof", options_name(o), what);
    return 3;
}

int pprof_main(int argc, char **argv)
{
    struct options o;
    struct trace *tr = NULL;
    struct err e = {0};
    int status = options_of_trace(&command, argc, argv, &o);
    if (status < 0 && !o.kind)
        status = say_failed("pprof", "--kind", "say which: net, sync, syscall, sched or cpu");
    if (status < 0)
        status = options_binary(&command, &o);
    if (status >= 0)
        return status;
    enum err_code rc = trace_open(o.path, &o.trace, &tr, &e);
    if (rc == ERR_OK)
        rc = out_may(o.out, &e);
    if (rc == ERR_OK)
        rc = load_rest(tr, o.quiet, &e);
    if (rc == ERR_OK) {
        struct part p = {.tr = tr, .o = &o};
        rc = write_file(&p, &e);
    }
    status = rc == ERR_OK ? partial(&o, tr) : say_failed("pprof", options_name(&o), e.what);
    trace_close(tr);
    return status;
}
