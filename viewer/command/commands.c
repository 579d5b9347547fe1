/*
 * commands.c - the table of subcommands: who runs `gotop NAME`, and what --help says about it.
 */
#include "viewer/command/commands.h"

#include <string.h>

static const struct {
    const char *name, *operands, *help;
    command_main *main;
} rows[] = {
#define X(n, operands, help, fn) {#n, operands, help, fn},
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

#define WORD 16 /* longer words are not compared */
#define FEW 2   /* typing errors that a word may have */

static int commands_least(int a, int b)
{
    return a < b ? a : b;
}

/* The number of letters that are missing, added, changed or swapped. Both words are shorter than WORD. */
static int slips(const char *a, const char *b)
{
    int n[WORD][WORD];
    size_t la = strlen(a), lb = strlen(b);
    for (size_t i = 0; i <= la; i++)
        for (size_t k = 0; k <= lb; k++) {
            n[i][k] = i && k ? n[i - 1][k - 1] + (a[i - 1] != b[k - 1]) : (int)(i + k);
            if (i && k)
                n[i][k] = commands_least(n[i][k], commands_least(n[i - 1][k], n[i][k - 1]) + 1);
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
                n[i][k] = commands_least(n[i][k], n[i - 2][k - 2] + 1);
        }
    return n[la][lb];
}

const char *command_near(const char *word)
{
    const char *near = NULL;
    int best = FEW + 1;
    for (int i = 0; i < NROWS && strlen(word) < WORD; i++) {
        int n = slips(word, rows[i].name);
        if (n < best && (size_t)n < strlen(word) / 2) {
            best = n;
            near = rows[i].name;
        }
    }
    return near;
}

void commands_usage(FILE *f)
{
    for (int i = 0; i < NROWS; i++) {
        char left[64];
        snprintf(left, sizeof left, "gotop %s %s", rows[i].name, rows[i].operands);
        fprintf(f, "  %-30s %s\n", left, rows[i].help);
    }
}
