/*
 * live_options.c - the command line of the commands that look at a running program.
 */
#include <string.h>

#include "decode/base/door.h"
#include "triage/live/live.h"
#include "triage/options.h"
#include "triage/say.h"

int live_parse(const struct command *c, int argc, char **argv, struct options *o, struct live_opts *live)
{
    const int status = options_read(c, argc, argv, o);
    if (status >= 0)
        return status;
    if (o->noperands > 1)
        return say_failed(c->name, o->operand[1], "one program at a time");
    *live = (struct live_opts){o->feed, o->trace, o->noperands ? o->operand[0] : NULL};
    return live->where ? -1 : options_lack(c, "WHERE");
}
