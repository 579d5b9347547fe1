/*
 * triage_help.h - a trace with its tables, for the tests of triage. Traces that the repository does not hold
 * are read from ../shared/traces where that folder exists.
 */
#ifndef GOTOP_TESTS_TRIAGE_HELP_H
#define GOTOP_TESTS_TRIAGE_HELP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decode/base/mem.h"
#include "triage/load.h"

#define SHARED "../shared/traces/"

static inline bool help_have_shared(void)
{
    return access(SHARED "MANIFEST.tsv", R_OK) == 0;
}

static inline void help_load(const char *path, struct loaded *l)
{
    struct err e = {0};
    struct trace_opts o = {0};
    if (load_file(path, &o, true, l, &e) != ERR_OK) {
        print_error("%s: %s\n", path, e.what);
        fail();
    }
}

/* The trace of the program tests/golden/causes/NAME.go. */
static inline void help_cause(const char *name, struct loaded *l)
{
    char path[128];
    snprintf(path, sizeof path, "tests/golden/causes/%s.trace", name);
    help_load(path, l);
}

/* The first finding of a rule; NULL: it is silent. */
static inline const struct finding *help_told(const struct loaded *l, enum rule r)
{
    for (uint32_t i = 0; i < l->fs.n; i++)
        if (l->fs.f[i].v.rule == r)
            return &l->fs.f[i];
    return NULL;
}

/* The same, which there has to be. */
static inline const struct finding *help_tells(const struct loaded *l, enum rule r)
{
    const struct finding *f = help_told(l, r);
    if (!f)
        fail_msg("%s is not told", rule_id(r));
    return f;
}

/* Calls f with the path of each file in dir whose name begins with `prefix` and ends with ".trace". */
static inline unsigned help_each(const char *dir, const char *prefix, void (*f)(const char *path))
{
    struct dirent **list;
    int n = scandir(dir, &list, NULL, alphasort);
    unsigned done = 0;
    for (int i = 0; i < n; i++) {
        size_t len = strlen(list[i]->d_name);
        char path[512];
        snprintf(path, sizeof path, "%s/%s", dir, list[i]->d_name);
        if (strncmp(list[i]->d_name, prefix, strlen(prefix)) == 0 && len > 6 &&
            strcmp(list[i]->d_name + len - 6, ".trace") == 0) {
            f(path);
            done++;
        }
        free(list[i]);
    }
    if (n >= 0)
        free(list);
    return done;
}

#endif
