/*
 * cmdline.h - the viewer's command line: what triage/options.h reads, and of it what only a viewer knows, as
 * a screen's size, a view's name, a place in a trace.
 */
#ifndef GOTOP_VIEWER_CMDLINE_H
#define GOTOP_VIEWER_CMDLINE_H

#include <stdbool.h>

#include "layout/cells/glyphs.h"
#include "triage/options.h"
#include "viewer/term/theme.h"

#define GOTOP_VERSION "0.1"

/*
 * One meaning per number, in all commands: 1 says that what was asked about is not so (a mistake in a keymap,
 * an
 * --assert), 2 that nothing could be done: wrong usage or an unreadable trace, as grep has it.
 */
enum exit_status { EXIT_OK = 0, EXIT_MISTAKES = 1, EXIT_USAGE = 2, EXIT_UNREADABLE = 2, EXIT_PARTIAL = 3 };

struct cmdline {
    struct options o; /* o.path: the trace, NULL = none given */
    int w, h;
    int view; /* 0 = not given */
    const char *lane;
    enum color_when color;
    bool tier_given;
    enum tier tier;
};

/* cmdline_parse - read argv[1..]. All strings point into argv. false: it makes
 * no sense; one line said why. */
bool cmdline_parse(int argc, char **argv, struct cmdline *c);
/* cmdline_size - "100x30", columns and rows of a terminal; false: it isn't, or is more than 2000x1000. */
bool cmdline_size(const char *s, int *w, int *h);

#endif
