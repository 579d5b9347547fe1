/*
 * info_main.c - see info.h: the command. It reads the file once and examines it twice: its bytes for its
 * parts, and as a model for its length and its errors.
 */
#include <string.h>
#include <sys/stat.h>

#include "decode/input/input.h"
#include "triage/load.h"
#include "triage/options.h"
#include "triage/report/info.h"
#include "triage/say.h"

static const char info_head[] =
    "usage: gotop info [options] TRACE\nWhat a trace file contains, and what it can answer.\nDialect, clock, "
    "duration, time of day; generations; events by kind and tables; damage.\n";
static const char info_tail[] =
    "Exit status: 0 done, 2 wrong usage or unreadable, 3 printed, but part of the trace can't be read.\n";

static int print(const struct info *i, bool json)
{
    struct text t = {.ticks = !trace_info(i->tr)->has_clock};
    if (json)
        text_own(&t, info_json(i));
    else
        info_text(&t, i);
    text_raw(&t, "\n", json);
    if (say_list("info", &t))
        return 2;
    return trace_info(i->tr)->ndamages || i->packed->code ? 3 : 0;
}

static int tell(const struct options *o, const struct input *in, bool json)
{
    struct census c;
    struct trace *tr = NULL;
    struct err e = {0};
    struct stat st;
    const char *name = strcmp(o->path, "-") == 0 ? "standard input" : o->path;
    if (census_take(in, &c, &e)) {
        census_free(&c);
        return say_failed("info", name, e.what);
    }
    int status;
    if (trace_open_input(in, &o->trace, &tr, &e) || load_rest(tr, true, &e)) {
        status = say_failed("info", name, e.what);
    } else {
        struct info i = {.path = name, .tr = tr, .c = &c, .packed = &in->damage};
        i.stored = strcmp(o->path, "-") != 0 && stat(o->path, &st) == 0 && S_ISREG(st.st_mode)
                       ? (uint64_t)st.st_size
                       : 0;
        status = print(&i, json);
    }
    trace_close(tr);
    census_free(&c);
    return status;
}

int info_main(int argc, char **argv)
{
    static const struct command c = {"info", CMD_INFO, info_head, info_tail};
    struct options o;
    struct input in;
    struct err e = {0};
    int status = options_of_trace(&c, argc, argv, &o);
    if (status >= 0)
        return status;
    if (input_open_all(o.path, &o.trace.more, trace_limit(o.trace.max_memory), &in, &e))
        return say_failed(c.name, options_name(&o), e.what);
    status = tell(&o, &in, o.json);
    input_close(&in);
    return status;
}
