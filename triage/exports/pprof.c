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
#include "decode/model/item.h"
#include "triage/exports/export_out.h"
#include "triage/exports/profile.pb-c.h"
#include "triage/exports/rewrite.h"
#include "triage/load.h"
#include "triage/options.h"
#include "triage/query/goto.h"
#include "triage/say.h"
#include "triage/tables/stackweights.h"
#include "triage/tables/tab.h"

struct numbered { /* what has been written: 1 to n */
    struct tab tab;
    uint32_t n;
};
struct writer {
    const struct trace *tr;
    const struct options *o;
    struct sw_filter part;
    struct out out;
    uint8_t *buf; /* one packed message */
    size_t cap;
    uint64_t *ids; /* locations of one sample */
    size_t cap_ids;
    struct numbered strs, funcs, locs; /* by string; function name and file; pc, function and line */
    bool oom;
};

/* Returns whether the key is new, so that it is to be written; *i is its number. */
static bool is_new(struct writer *w, struct numbered *all, uint64_t a, uint64_t b, uint32_t *i)
{
    const uint32_t fresh = all->n + 1;
    *i = tab_put(&all->tab, a, b, fresh);
    w->oom |= *i == TAB_NONE;
    all->n += *i == fresh;
    return *i == fresh;
}

static void put_message(struct writer *w, const Pprof__Profile *m)
{
    size_t n = pprof__profile__get_packed_size(m);
    w->oom |= !mem_room(w->buf, w->cap, n);
    if (!w->oom)
        out_write(&w->out, w->buf, pprof__profile__pack(m, w->buf));
}

static void put_string(struct writer *w, char *s)
{
    Pprof__Profile m = PPROF__PROFILE__INIT;
    m.n_string_table = 1;
    m.string_table = &s;
    put_message(w, &m);
}

/* Adds our own string without a lookup, so use each once. */
static int64_t own_string(struct writer *w, const char *s)
{
    put_string(w, (char *)(uintptr_t)s); /* only read */
    return ++w->strs.n;
}

static int64_t name(struct writer *w, uint32_t str)
{
    uint32_t i = 0;
    if (str && is_new(w, &w->strs, str, 0, &i)) {
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
    uint32_t i;
    if (!is_new(w, &w->funcs, f->func, f->file, &i))
        return i;
    Pprof__Function x = PPROF__FUNCTION__INIT, *px = &x;
    Pprof__Profile m = PPROF__PROFILE__INIT;
    x.id = i;
    x.name = x.system_name = name(w, f->func);
    x.filename = name(w, f->file);
    m.n_function = 1;
    m.function = &px;
    put_message(w, &m);
    return i;
}

static uint64_t location(struct writer *w, const struct frame *f)
{
    uint32_t i;
    if (!is_new(w, &w->locs, f->pc, (uint64_t)f->func << 32 | (uint32_t)f->line, &i))
        return i;
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
    put_message(w, &m);
    return i;
}

/* Writes a sample. per_count is the ns per count; if it is 0, the row says how long it was. */
static void put_sample(struct writer *w, const struct sw_row *row, int64_t per_count)
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
    put_message(w, &m);
}

static void profile_head(struct writer *w, bool cpu, int64_t period)
{
    const struct trace_info *i = trace_info(w->tr);
    const char *const type[3] = {cpu ? "samples" : "contentions", cpu ? "cpu" : "delay",
                                 cpu ? "cpu" : "trace"},
                      *const unit[3] = {"count", "nanoseconds", cpu ? "nanoseconds" : "count"};
    char said[200], none[] = "";
    snprintf(said, sizeof said, "gotop pprof --kind %s, from a trace of %s%s%s", w->o->kind, i->dialect,
             cpu ? "; the time is the number of samples times the period, which is assumed" : "",
             i->ndamages ? "; only a part of the trace could be read" : "");
    Pprof__ValueType t[3], *pt[] = {&t[0], &t[1]}; /* of both values of a sample, and of the period */
    Pprof__Profile m = PPROF__PROFILE__INIT;
    put_string(w, none); /* number 0 */
    for (int k = 0; k < 3; k++) {
        pprof__value_type__init(&t[k]);
        t[k].type = own_string(w, type[k]);
        t[k].unit = own_string(w, unit[k]);
    }
    int64_t comment = own_string(w, said);
    m.n_sample_type = 2;
    m.sample_type = pt;
    m.period_type = &t[2];
    m.period = period;
    if (i->has_wall && i->wall_sec >= 0 && i->wall_sec <= INT64_MAX / 1000000000 - 1000000)
        m.time_nanos = i->wall_sec * 1000000000 + i->wall_nsec + w->part.t0;
    m.duration_nanos = (w->part.t1 < i->end ? w->part.t1 : i->end) - w->part.t0;
    m.n_comment = 1;
    m.comment = &comment;
    put_message(w, &m);
}

/* ---- which part ---------------------------------------------------------------------------------------- */

static enum err_code part_of(struct writer *w, struct err *e)
{
    const struct options *o = w->o;
    const int64_t end = trace_info(w->tr)->end;
    const char *why;
    struct sw_filter *p = &w->part;
    *p = (struct sw_filter){.t1 = INT64_MAX, .like_go = !o->all};
    if ((o->from && !goto_when(w->tr, o->from, &p->t0, &why)) ||
        (o->to && !goto_when(w->tr, o->to, &p->t1, &why)))
        return err_set(e, ERR_ARG, ERR_NO_OFFSET, "%s", why);
    p->t0 = p->t0 < 0 ? 0 : p->t0; /* a time of day before the trace began */
    if (p->t0 >= p->t1 || p->t0 > end)
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

static enum err_code write_pprof(struct writer *w, struct err *e)
{
    const enum sw_kind k = sw_kind_of(w->o->kind); /* options.def has the words */
    const bool cpu = k == SW_CPU;
    const int64_t period = cpu ? (int64_t)(1e9 / (w->o->hz > 0 ? w->o->hz : 100)) : 1;
    struct sw_table v;
    w->oom = !stackweights_build(w->tr, k, &w->part, &v);
    profile_head(w, cpu, period);
    for (uint32_t i = 0; i < v.n && !w->oom && !w->out.error; i++)
        put_sample(w, &v.row[i], cpu ? period : 0);
    stackweights_free(&v);
    tab_free(&w->strs.tab);
    tab_free(&w->funcs.tab);
    tab_free(&w->locs.tab);
    mem_free(w->buf);
    mem_free(w->ids);
    return w->oom ? err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory for the profile") : ERR_OK;
}

static enum err_code write_file(struct writer *w, struct err *e)
{
    const enum err_code rc = part_of(w, e);
    if (rc != ERR_OK)
        return rc;
    if (strcmp(w->o->kind, "cpu") == 0 && item_count(w->tr, ITEM_SAMPLE) == 0)
        return err_set(e, ERR_ARG, ERR_NO_OFFSET, /* an empty file would say that nothing ran */
                       "no CPU samples are in it: they come where a CPU profile runs beside the trace");
    const enum err_code opened = out_open(&w->out, w->o->out, true, e);
    return opened ? opened : out_close(&w->out, write_pprof(w, e), e);
}

/* Says what of the trace could not be read. Returns the exit status. */
static int say_partial(const struct options *o, const struct trace *tr)
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
    struct trace *tr;
    struct err e = {0};
    int status = options_of_trace(&command, argc, argv, &o);
    if (status < 0 && !o.kind)
        status = say_failed("pprof", "--kind", "say which: net, sync, syscall, sched or cpu");
    if (status < 0)
        status = options_binary(&command, &o);
    if (status >= 0)
        return status;
    const bool written = load_model(o.path, &o.trace, o.quiet, &tr, &e) == ERR_OK &&
                         write_file(&(struct writer){.tr = tr, .o = &o}, &e) == ERR_OK;
    status = written ? say_partial(&o, tr) : say_failed("pprof", options_name(&o), e.what);
    trace_close(tr);
    return status;
}
