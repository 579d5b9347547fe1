/*
 * commands.c - the table of subcommands: who runs `gotop NAME`, and what --help says about it.
 */
#include "viewer/command/commands.h"

#include <string.h>

static const struct {
    const char *name, *operands, *help;
    command_main *main;
} rows[] = {
#define X(n, operands, help, fn, needs) {#n, operands, help, fn},
#include "viewer/command/commands.def"
#undef X
};

enum { NROWS = sizeof rows / sizeof rows[0] };

command_main *command_find(const char *name)
{
    for (int i = 0; i < NROWS; i++)
        if (strcmp(name, rows[i].name) == 0)
            return rows[i].main;
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
