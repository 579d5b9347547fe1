/*
 * commands.c - the table of subcommands: who runs `gotop NAME`, and what --help says about it.
 */
#include "viewer/command/commands.h"

#include <string.h>

#include "viewer/command/sandbox.h"

enum { FILES = SANDBOX_FILES, FOLDERS = SANDBOX_FOLDERS, OUTPUT = SANDBOX_OUTPUT, LIVE = SANDBOX_LIVE };
static const struct command_row rows[] = {
#define X(n, operands, help, fn, needs) {#n, operands, help, fn, needs},
#include "viewer/command/commands.def"
#undef X
};

enum { NROWS = sizeof rows / sizeof rows[0] };

const struct command_row *command_find(const char *name)
{
    for (int i = 0; i < NROWS; i++)
        if (strcmp(name, rows[i].name) == 0)
            return &rows[i];
    return NULL;
}

void commands_usage(FILE *f)
{
    for (int i = 0; i < NROWS; i++) {
        char left[64];
        snprintf(left, sizeof left, "gotop %s %s", rows[i].name, rows[i].operands);
        fprintf(f, "  %-30s %s\n", left, rows[i].help);
    }
}
