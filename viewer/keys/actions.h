/*
 * actions.h - everything a key can do, as numbers, names and help. The rows are in actions.def.
 */
#ifndef GOTOP_VIEWER_ACTIONS_H
#define GOTOP_VIEWER_ACTIONS_H

#include <stddef.h>

enum action {
    ACT_NONE, /* no action; also "unknown name" */
#define X(id, name, group, help, call) ACT_##id,
#include "viewer/keys/actions.def"
#undef X
    ACT_COUNT
};

const char *action_name(enum action a);
const char *action_group(enum action a); /* a heading of the help screen; the rows of a group are adjacent */
const char *action_help(enum action a);
/* action_find - by name, ACT_NONE if there is none. Only len bytes of name are read. */
enum action action_find(const char *name, size_t len);
/* action_complete - the action of exactly that name, or the only one that begins with it; else ACT_NONE. */
enum action action_complete(const char *name, size_t len);

#endif
