/*
 * actions.c - the table of actions, expanded from actions.def.
 */
#include "viewer/keys/actions.h"

#include <string.h>

static const struct {
    const char *name, *group, *help;
} rows[ACT_COUNT] = {
    [ACT_NONE] = {"none", "", "nothing"},
#define X(id, n, g, h, call) [ACT_##id] = {n, g, h},
#include "viewer/keys/actions.def"
#undef X
};

const char *action_name(enum action a)
{
    return a < ACT_COUNT ? rows[a].name : "none";
}

const char *action_group(enum action a)
{
    return a < ACT_COUNT ? rows[a].group : "";
}

const char *action_help(enum action a)
{
    return a < ACT_COUNT ? rows[a].help : "";
}

enum action action_find(const char *name, size_t len)
{
    for (enum action a = ACT_NONE + 1; a < ACT_COUNT; a++)
        if (strlen(rows[a].name) == len && memcmp(rows[a].name, name, len) == 0)
            return a;
    return ACT_NONE;
}

enum action action_complete(const char *name, size_t len)
{
    enum action found = action_find(name, len);
    if (found != ACT_NONE || len == 0)
        return found;
    for (enum action a = ACT_NONE + 1; a < ACT_COUNT; a++) {
        if (strncmp(rows[a].name, name, len) != 0)
            continue;
        if (found != ACT_NONE)
            return ACT_NONE;
        found = a;
    }
    return found;
}
