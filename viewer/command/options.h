/*
 * options.h - the command line as data.
 */
#ifndef GOTOP_VIEWER_OPTIONS_H
#define GOTOP_VIEWER_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "decode/trace.h"
#include "layout/draw/glyphs.h"
#include "triage/live/live.h"
#include "viewer/term/theme.h"

#define GOTOP_VERSION "0.1"

/*
 * One meaning per number, in all commands: 1 says that what was asked about is not so (a mistake in a keymap,
 * an
 * --assert), 2 that nothing could be done: wrong usage or an unreadable trace, as grep has it.
 */
enum exit_status { EXIT_OK = 0, EXIT_MISTAKES = 1, EXIT_USAGE = 2, EXIT_UNREADABLE = 2, EXIT_PARTIAL = 3 };

enum { OPTIONS_ROOTS = 16 };

struct options {
    struct trace_opts trace;
    bool headless, linear, styles, svg, no_mouse, debug, list_actions, keys_markdown, help, version;
    int w, h;
    int view; /* 0 = not given */
    const char *at, *lane, *filter;
    const char *rules; /* a file of thresholds, NULL = not given */
    bool list_rules;
    const char *root[OPTIONS_ROOTS]; /* "recorded=here" */
    int nroots;
    const char *keys, *keymap, *dump_keymap, *check_keymap;
    enum color_when color;
    const char *palette; /* a name or a file; NULL = not given */
    bool tier_given;
    enum tier tier;
    bool follow;           /* the file is still being written */
    struct live_opts live; /* where a program is reached */
    int64_t keep_ns;       /* of a program that is running; 0 = not given */
    uint64_t keep_bytes;
    const char *save; /* -o: its bytes as sent */
    const char *path; /* the trace, NULL = none given; those named behind it: trace.more */
};

/*
 * options_parse - read argv[1..]. All strings point into argv. false: it makes no sense; one line went to
 * errors.
 */
bool options_parse(int argc, char **argv, struct options *o, FILE *errors);
/* options_size - "100x30", columns and rows of a terminal; false: it isn't, or is more than 2000x1000. */
bool options_size(const char *s, int *w, int *h);
/* options_usage - the option lines of --help. */
void options_usage(FILE *f);

#endif
