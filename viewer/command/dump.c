/*
 * dump.c - `gotop dump`: the command line and the exit status; decode/dump.h writes.
 */
#include "viewer/command/commands.h"

#include "decode/base/door.h"
#include "decode/dump.h"
#include "decode/trace.h"
#include "viewer/command/cmdline.h"
#include "viewer/command/say.h"

static const struct command command = {
    "dump", CMD_DUMP,
    "usage: gotop dump [options] TRACE...\n"
    "The model as tab-separated records, one per line, sorted by kind. C event counts, F first stacks,\n"
    "G goroutine intervals, H facts, K CPU samples, L logs, M metrics, P running intervals, R ranges,\n"
    "S sums per goroutine, T tasks, U regions, Z sums per state, D damage.\n",
    "Exit status: 0 complete, 2 wrong usage, unreadable or not written, 3 only part of the trace.\n"};

int dump_main(int argc, char **argv)
{
    struct options o;
    struct trace *tr;
    struct err e = {0};
    int status = options_read(&command, argc, argv, &o);
    if (status < 0)
        status = o.noperands ? options_traces(&command, &o) : options_lack(&command, "TRACE");
    if (status >= 0)
        return status;
    if (trace_open(o.path, &o.trace, &tr, &e)) {
        say_error(o.path, &e);
        return EXIT_UNREADABLE;
    }
    while (trace_load(tr, INT64_MAX) == LOAD_MORE) {
    }
    status = EXIT_UNREADABLE;
    if (trace_fatal(tr)) {
        say_error(o.path, trace_fatal(tr));
    } else {
        for (uint32_t i = 0; i < trace_info(tr)->nwarnings; i++)
            say_error(o.path, trace_warning(tr, i));
        if (trace_info(tr)->ndamages) /* the D records report damage */
            say_error(o.path, trace_damage(tr, 0));
        const bool lacks = dump_trace(tr, stdout) == ERR_NOMEM; /* finish_output() reports a failed write */
        if (lacks)
            door_printf(stderr, "gotop: out of memory: records are missing\n");
        status = finish_output(lacks || trace_info(tr)->ndamages ? EXIT_PARTIAL : EXIT_OK);
    }
    trace_close(tr);
    return status;
}
