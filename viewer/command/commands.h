/*
 * commands.h - the subcommands, as rows of commands.def.
 */
#ifndef GOTOP_VIEWER_COMMANDS_H
#define GOTOP_VIEWER_COMMANDS_H

#include <stdio.h>

/* command_main - runs a subcommand; argv[0] is its name. Returns the exit status. */
typedef int command_main(int argc, char **argv);
/* command_find - the subcommand of that name, NULL if there is none. */
command_main *command_find(const char *name);
/* commands_usage - their lines of --help. */
void commands_usage(FILE *f);

#endif
