/*
 * commands.h - the subcommands, as rows of commands.def.
 */
#ifndef GOTOP_VIEWER_COMMANDS_H
#define GOTOP_VIEWER_COMMANDS_H

#include <stdio.h>

/* command_main - run a subcommand; argv[0] is its name. Returns the exit status. Each row's is declared. */
typedef int command_main(int argc, char **argv);
#define X(name, operands, help, fn, needs) command_main fn;
#include "viewer/command/commands.def"
#undef X
struct command_row {
    const char *name, *operands, *help;
    command_main *main;
    unsigned needs; /* rights that the sandbox leaves it */
};
/* command_find - the subcommand of that name; NULL: there is none. */
const struct command_row *command_find(const char *name);
/* commands_usage - print their lines of --help. */
void commands_usage(FILE *f);

#endif
