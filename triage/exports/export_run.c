/*
 * export_run.c - see export_run.h.
 */
#include "triage/exports/export_run.h"

#include <string.h>
#include <unistd.h>

#include "triage/say.h"

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

const char *export_name(const struct options *o)
{
    return o->trace.more.n ? "these traces" : strcmp(o->path, "-") == 0 ? "standard input" : o->path;
}
