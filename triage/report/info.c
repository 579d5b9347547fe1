/* info.c - see info.h: the answers, the page, the same as JSON, and the command. */
#include "triage/report/info.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "decode/base/order.h"
#include "decode/base/wide.h"
#include "decode/input/input.h"
#include "decode/model/item.h"
#include "triage/json.h"
#include "triage/load.h"
#include "triage/options.h"
#include "triage/say.h"

#define GENERATIONS 12 /* rows of them on the page */

/* ---- what it can answer -------------------------------------------------------------------------------- */

static const char *const info_can_word[] = {"no", "in part", "yes"};

static struct info_answer answer_to(const char *key, const char *question, enum info_can can, const char *why)
{
    struct info_answer x = {.key = key, .question = question, .can = can};
    snprintf(x.why, sizeof x.why, "%s", why);
    return x;
}

/* Answers by the number of records, for data that is only recorded if it happens. since: the Go version that
 * first records it; NULL: all do. */
static struct info_answer counted(const char *key, const char *question, const char *since, size_t n,
                                  const char *what)
{
    char why[96];
    if (since)
        snprintf(why, sizeof why, "not recorded before Go %s", since);
    else if (!n)
        snprintf(why, sizeof why, "none in this trace");
    else
        snprintf(why, sizeof why, "%zu %s", n, what);
    return answer_to(key, question, !since && n ? INFO_YES : INFO_NO, why);
}

/* Answers "yes", or no better than `else_can`, because of that. */
static struct info_answer if_so(const char *key, const char *question, bool so, enum info_can else_can,
                                const char *why)
{
    return answer_to(key, question, so ? INFO_YES : else_can, so ? "" : why);
}

enum { NAMED_SINCE = 1007 }; /* dialects before it have program counters only */

size_t info_answers(const struct info *i, struct info_answer out[INFO_ANSWERS])
{
    const struct trace_info *t = trace_info(i->tr);
    const struct census *c = i->c;
    const bool heap = trace_npoints(i->tr, METRIC_HEAP) > 0 || trace_npoints(i->tr, METRIC_GOAL) > 0,
               given = t->has_names && t->version < NAMED_SINCE, /* whether of that program nobody says */
        cut = !c->strings || !c->stacks;                         /* frames of stacks are what has names */
    const char *user = t->has_regions ? NULL : "1.11";
    const struct info_answer all[] = {
        answer_to("durations", "how long things took",
                  !t->has_clock      ? INFO_NO
                  : t->clock_assumed ? INFO_PARTLY
                                     : INFO_YES,
                  !t->has_clock      ? "no tick rate: --ticks-per-second"
                  : t->clock_assumed ? "the clock's rate is an assumption"
                                     : ""),
        if_so("wall_clock", "at what time of day", t->has_wall, INFO_NO, "not recorded before Go 1.25"),
        answer_to("names", "which functions",
                  given                  ? INFO_PARTLY
                  : !t->has_names || cut ? INFO_NO
                                         : INFO_YES,
                  !t->has_names ? "program counters only: use --exe"
                  : given       ? "taken from the program given with --exe"
                  : !c->strings ? "its names were cut off"
                  : cut         ? "its stacks were cut off"
                                : ""),
        if_so("stacks", "where a goroutine waited", c->stacks, INFO_NO, "its stacks were cut off"),
        if_so("waits", "why a goroutine waited", t->second_family, INFO_PARTLY,
              "coarsely: lock, channel, network, sleep"),
        if_so("syscalls", "how long a system call took", t->second_family, INFO_PARTLY,
              "of those that lost their P"),
        if_so("threads", "which thread it was on", t->has_m, INFO_NO, "the prototype doesn't record threads"),
        answer_to("locks", "who held a lock", INFO_PARTLY, "likely ones, from who ended the waits"),
        if_so("gc", "what the collector did", t->version >= 1009, INFO_PARTLY, "no mark assists before 1.9"),
        if_so("stops", "why the world stopped", t->version >= 1021, INFO_PARTLY,
              "before 1.21 for the collector"),
        if_so("heap", "how large the heap was", heap, INFO_NO, "no value of it in this trace"),
        counted("tasks", "which request it was for (tasks)", user, item_count(i->tr, ITEM_TASK), "tasks"),
        counted("regions", "in which part of it (regions)", user, item_count(i->tr, ITEM_REGION), "regions"),
        counted("logs", "what it said (logs)", user, item_count(i->tr, ITEM_LOG), "messages"),
        counted("samples", "what code ran (samples)", t->has_samples ? NULL : "1.19",
                c->samples + c->kind[49].n * !t->second_family, "CPU samples")};
    memcpy(out, all, sizeof all);
    return sizeof all / sizeof *all;
}

/* ---- the page ------------------------------------------------------------------------------------------ */

static void wall(struct text *t, int64_t sec, int64_t nsec)
{
    time_t s = (time_t)(sec + nsec / 1000000000);
    struct tm tm;
    char buf[40];
    if (gmtime_r(&s, &tm) && strftime(buf, sizeof buf, "%Y-%m-%d %H:%M:%S", &tm))
        text_add(t, "%s.%06" PRId64, buf, nsec % 1000000000 / 1000);
}

static void info_head(struct text *t, const struct info *i)
{
    enum { AT = 14 }; /* a column more behind a line feed */
    const struct trace_info *in = trace_info(i->tr);
    const uint32_t np = trace_nlanes(i->tr, LANE_P);
    text_say(t, NULL, "gotop info: ", t_clean(i->path), "\n");
    text_say(t, NULL, "  dialect", t_to(AT), in->dialect,
             in->second_family ? ""
             : in->version     ? " (the format before Go 1.22)"
                               : " (the prototype of 2014)",
             "\n");
    text_say(t, NULL, "  size", t_to(AT), t_bytes(in->bytes));
    if (i->stored && i->stored != in->bytes)
        text_say(t, NULL, " (", t_bytes(i->stored), " compressed)");
    text_say(t, NULL, "\n  clock", t_to(AT + 1));
    if (i->c->hz > 0)
        text_add(t, "%.6g MHz, %.4g ns a unit%s", i->c->hz / 1e6, 1e9 / i->c->hz,
                 in->clock_assumed ? ", says the file; assumed: as given" : "");
    else
        text_add(t, "the file doesn't say%s", in->clock_assumed ? "; assumed" : "");
    text_say(t, NULL, "\n  duration", t_to(AT + 1), t_dur(in->end), "\n");
    if (in->has_wall) {
        text_say(t, NULL, "  wall clock", t_to(AT));
        wall(t, in->wall_sec, in->wall_nsec);
        text_lit(t, " to ");
        wall(t, in->wall_sec, in->wall_nsec + in->end);
        text_lit(t, " UTC\n");
    }
    text_say(t, NULL, "  who", t_to(AT), in->goroutines,
             in->goroutines == 1 ? " goroutine, " : " goroutines, ", np, np == 1 ? " P" : " Ps");
    if (in->has_m)
        text_say(t, NULL, ", ", trace_nlanes(i->tr, LANE_M), " threads");
    if (in->gomaxprocs)
        text_say(t, NULL, ", GOMAXPROCS ", in->gomaxprocs);
    text_say(t, NULL, "\n  events", t_to(AT + 1), in->events, " in ", i->c->batches, " batches\n");
}

/* Returns when a generation begins, or 0 if that is unknown (unit 0). */
static int64_t info_from(const struct info *i, const struct census_gen *g)
{
    return g->unit > 0 ? to_i64((double)g->time * g->unit) - trace_info(i->tr)->first_ns : 0;
}

static void page_generations(struct text *t, const struct info *i)
{
    const struct census *c = i->c;
    if (!c->ngen)
        return;
    text_add(t, "\nGENERATIONS  %zu\n      no       offset       bytes     events  from\n", c->ngen);
    for (size_t k = 0; k < c->ngen; k++) {
        const struct census_gen *g = &c->gen[k];
        if (c->ngen > GENERATIONS && k == GENERATIONS / 2) {
            text_add(t, "  .. %zu more (--json lists them)\n", c->ngen - GENERATIONS);
            k = c->ngen - GENERATIONS / 2;
            g = &c->gen[k];
        }
        text_say(t, NULL, "  ", t_right(g->number, 6), " ", t_right(g->offset, 12), " ",
                 t_right(g->bytes, 11), " ", t_right(g->events, 10), "  ");
        const int64_t from = info_from(i, g);
        if (g->unit > 0)
            text_dur(t, from > 0 ? from : 0);
        else
            text_lit(t, "?");
        text_add(t, "%s\n", g->whole ? "" : "  torn");
    }
}

ORDER(most_kind_first, struct census_kind *const, MOST((*r)->n) ALPHA((*r)->name))

static void info_part(struct text *t, const char *name, uint64_t n)
{
    if (n)
        text_say(t, NULL, "  ", name, t_to(26), t_right(n, 11), "\n");
}

static void page_kinds(struct text *t, const struct info *i)
{
    const struct census *c = i->c;
    const struct census_kind *k[256] = {0};
    size_t n = 0;
    for (int j = 0; j < 256; j++)
        if (c->kind[j].n)
            k[n++] = &c->kind[j];
    sort(k, n, most_kind_first);
    text_lit(t, "\nWHAT IT IS MADE OF              number\n");
    for (size_t j = 0; j < n; j++)
        info_part(t, k[j]->name, k[j]->n);
    info_part(t, "(strings)", c->strings);
    info_part(t, "(stacks)", c->stacks);
    info_part(t, "(CPU samples)", c->samples);
}

static void info_note(struct text *t, const struct err *e)
{
    text_add(t, "  %s", e->what);
    if (e->offset != ERR_NO_OFFSET)
        text_add(t, " (offset %" PRIu64 ")", e->offset);
    text_lit(t, "\n");
}

static void page_damage(struct text *t, const struct info *i)
{
    const struct trace_info *in = trace_info(i->tr);
    text_lit(t, "\nDAMAGE\n");
    if (!in->ndamages && !i->packed->code && !in->nwarnings)
        text_lit(t, "  none\n");
    if (i->packed->code)
        info_note(t, i->packed);
    for (uint32_t k = 0; k < in->ndamages && trace_damage(i->tr, k); k++)
        info_note(t, trace_damage(i->tr, k));
    if (in->more_damages)
        text_lit(t, "  and more\n");
    for (uint32_t k = 0; k < in->nwarnings && trace_warning(i->tr, k); k++) {
        text_lit(t, "  warning:");
        info_note(t, trace_warning(i->tr, k));
    }
}

static void page_answers(struct text *t, const struct info *i)
{
    struct info_answer a[INFO_ANSWERS];
    size_t n = info_answers(i, a);
    text_lit(t, "\nWHAT IT CAN ANSWER\n");
    for (size_t k = 0; k < n; k++)
        text_say(t, NULL, "  ", info_can_word[a[k].can], t_to(11), a[k].question, a[k].why[0] ? ": " : "",
                 a[k].why, "\n");
}

void info_text(struct text *t, const struct info *i)
{
    info_head(t, i);
    page_answers(t, i);
    page_damage(t, i);
    page_generations(t, i);
    page_kinds(t, i);
}

/* ---- as one JSON object; times are nanoseconds, sizes bytes -------------------------------------------- */

static void out_generations(json_t *root, const struct info *i)
{
    json_t *arr = json_list(root, "generations");
    each_of(g, i->c->gen, i->c->ngen) {
        json_row(arr, NULL, "number", g->number, "offset", g->offset, "bytes", g->bytes, "events", g->events,
                 "from_ns", j_if(g->unit > 0, info_from(i, g)), "whole", g->whole);
    }
}

static void out_made_of(json_t *root, const struct census *c)
{
    json_t *o = json_in(root, "made_of", NULL, "strings", c->strings, "stacks", c->stacks, "samples",
                        c->samples),
           *kinds = json_under(o, "events");
    for (int k = 0; k < 256; k++)
        if (c->kind[k].n)
            json_put(kinds, NULL, c->kind[k].name, c->kind[k].n);
}

static void out_answers(json_t *root, const struct info *i)
{
    struct info_answer a[INFO_ANSWERS];
    const size_t n = info_answers(i, a);
    json_t *o = json_under(root, "answers");
    for (size_t k = 0; k < n; k++)
        json_in(o, a[k].key, NULL, "answer", info_can_word[a[k].can], "question", a[k].question, "why",
                a[k].why);
}

static void out_facts(json_t *root, const struct info *i)
{
    const struct trace_info *in = trace_info(i->tr);
    json_put(root, NULL, "schema", INFO_SCHEMA, "file", i->path, "dialect", in->dialect, "version",
             in->version, "second_family", in->second_family, "bytes", in->bytes, "stored_bytes", i->stored,
             "clock_hz", j_if(i->c->hz > 0, i->c->hz), "clock_assumed", in->clock_assumed,
             in->has_clock ? "duration_ns" : "duration_ticks", in->end, "wall_sec",
             j_if(in->has_wall, in->wall_sec), "wall_nsec", j_if(in->has_wall, in->wall_nsec), "events",
             in->events, "batches", i->c->batches, "goroutines", in->goroutines);
    json_put(root, NULL, "processors", trace_nlanes(i->tr, LANE_P), "threads", trace_nlanes(i->tr, LANE_M),
             "gomaxprocs", in->gomaxprocs);
}

char *info_json(const struct info *i)
{
    json_t *root = json_begin();
    out_facts(root, i);
    out_answers(root, i);
    json_t *damage = json_notes(root, "damage", i->tr, trace_damage);
    if (i->packed->code)
        json_row(damage, NULL, "what", i->packed->what);
    json_put(root, NULL, "more_damage",
             j_if(trace_info(i->tr)->more_damages, trace_info(i->tr)->more_damages));
    json_notes(root, "warnings", i->tr, trace_warning);
    out_generations(root, i);
    out_made_of(root, i->c);
    return json_end(root, JSON_INDENT(1));
}

/* ---- the command: it examines the file twice, its bytes and as a model --------------------------------- */

static int info_tell(const struct options *o, const struct input *in)
{
    struct census c;
    struct trace *tr = NULL;
    struct err e = {0};
    struct stat st;
    const char *name = strcmp(o->path, "-") == 0 ? "standard input" : o->path;
    int status;
    if (census_take(in, &c, &e) || trace_open_input(in, &o->trace, &tr, &e) || load_rest(tr, true, &e)) {
        status = say_failed("info", name, e.what);
    } else {
        struct info i = {.path = name, .tr = tr, .c = &c, .packed = &in->damage};
        struct text t = {.ticks = !trace_info(tr)->has_clock};
        if (strcmp(o->path, "-") != 0 && stat(o->path, &st) == 0 && S_ISREG(st.st_mode))
            i.stored = (uint64_t)st.st_size;
        if (o->json)
            text_own(&t, info_json(&i));
        else
            info_text(&t, &i);
        text_raw(&t, "\n", o->json);
        status = say_list("info", &t) ? 2 : trace_info(tr)->ndamages || in->damage.code ? 3 : 0;
    }
    trace_close(tr);
    census_free(&c);
    return status;
}

int info_main(int argc, char **argv)
{
    static const struct command c = {
        "info", CMD_INFO,
        "usage: gotop info [options] TRACE\nWhat a trace file contains, and what it can answer.\nDialect, "
        "clock, duration, time of day; generations; events by kind and tables; damage.\n",
        "Exit status: 0 done, 2 wrong usage or unreadable, 3 printed, but part of the trace can't be "
        "read.\n"};
    struct options o;
    struct input in;
    struct err e = {0};
    int status = options_of_trace(&c, argc, argv, &o);
    if (status >= 0)
        return status;
    if (input_open_all(o.path, &o.trace.more, trace_limit(o.trace.max_memory), &in, &e))
        return say_failed(c.name, options_name(&o), e.what);
    status = info_tell(&o, &in);
    input_close(&in);
    return status;
}
