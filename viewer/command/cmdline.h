/*
 * cmdline.h - the viewer's command line: the options of triage/options.h, and the values that only a viewer
 * understands, such as a screen's size, a view, a place in a trace.
 */
#ifndef GOTOP_VIEWER_CMDLINE_H
#define GOTOP_VIEWER_CMDLINE_H

#include <stdbool.h>

#include "layout/cells/glyphs.h"
#include "triage/options.h"
#include "viewer/term/theme.h"

#define GOTOP_VERSION "0.1"

/* Exit statuses mean the same in all commands. 1: what was asked is not so (a mistake in a keymap, an
 * --assert). 2: nothing could be done (wrong usage, an unreadable trace), as with grep. */
enum exit_status { EXIT_OK = 0, EXIT_MISTAKES = 1, EXIT_USAGE = 2, EXIT_UNREADABLE = 2, EXIT_PARTIAL = 3 };

struct cmdline {
    struct options o; /* o.path: the trace; NULL: none was given */
    int w, h;
    int view; /* 0: not given */
    const char *lane;
    enum color_when color;
    bool tier_given;
    enum tier tier;
};

/* cmdline_parse - parse argv[1..]. All strings point into argv. Returns false after an error was printed. */
bool cmdline_parse(int argc, char **argv, struct cmdline *c);
/* cmdline_size - parse "100x30", columns and rows. Returns false if it is no size, or above 2000x1000. */
bool cmdline_size(const char *s, int *w, int *h);

#endif
