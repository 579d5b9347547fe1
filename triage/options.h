/*
 * options.h - the command line of every command, as data. options.def has a row for each option; the values
 * go to one struct.
 *
 * A command calls options_read(), then reads the fields of its rows and the operands. Strings point into
 * argv. Times are ns, sizes bytes.
 */
#ifndef GOTOP_TRIAGE_OPTIONS_H
#define GOTOP_TRIAGE_OPTIONS_H

#include "decode/input/feed.h"
#include "decode/trace.h"

enum {
    CMD_VIEW = 1 << 0, /* gotop itself */
    CMD_DUMP = 1 << 1,
    CMD_REPORT = 1 << 2,
    CMD_DIFF = 1 << 3,
    CMD_EXPLAIN = 1 << 4,
    CMD_SQL = 1 << 5,
    CMD_FIND = 1 << 6,
    CMD_PPROF = 1 << 7,
    CMD_INFO = 1 << 8,
    CMD_SLICE = 1 << 9,
    CMD_ANONYMIZE = 1 << 10,
    CMD_TOP = 1 << 11,
    CMD_WATCH = 1 << 12,
    CMD_RECORD = 1 << 13,
    CMD_AGENTS = 1 << 14,
    CMD_REWRITES = CMD_SLICE | CMD_ANONYMIZE,
    CMD_LIVE = CMD_VIEW | CMD_TOP | CMD_WATCH | CMD_RECORD, /* commands that contact a running program */
    CMD_FILES =
        CMD_REPORT | CMD_DIFF | CMD_EXPLAIN | CMD_SQL | CMD_FIND | CMD_PPROF | CMD_INFO | CMD_REWRITES,
    /* commands that accept a URL instead of a file */
    CMD_FAR = CMD_FILES | CMD_DUMP,
    /* commands that build a model of a trace */
    CMD_TRACES = (CMD_FILES & ~CMD_REWRITES) | CMD_VIEW | CMD_DUMP,
    CMD_ALL = (1 << 15) - 1
};

struct words { /* values of an option that may be repeated */
    const char *v[64];
    uint32_t n;
};

struct keep { /* how much of a stream to keep; both 0 = not given */
    int64_t ns;
    uint64_t bytes;
};

struct options {
    /* operands: the arguments that are not options */
    const char *const *operand; /* valid until options_read() is called again */
    uint32_t noperands;
    uint32_t split;   /* number of operands before the first "--"; without one: noperands */
    bool splits;      /* there is a "--" */
    const char *path; /* options_traces(): the first trace; the others are trace.more */

    struct trace_opts trace;
    struct feed_opts feed;
    struct words headers; /* -H: also in feed */
    bool help, version, seen_by_main;
    bool quiet, json, csv, tsv, utf8;
    const char *out;   /* -o */
    const char *bytes; /* main() has taken it (viewer/command/bound.h) */
    const char *rules;
    bool list_rules;         /* --rules without a file */
    struct words conditions; /* --assert, --fail-if, --until */
    uint64_t count, rows;    /* -n, --max, --rows; 0 = not given */

    /* the viewer; viewer/command/cmdline.h parses these words further */
    bool headless, linear, styles, svg, no_mouse, debug, follow, list_actions;
    const char *size, *view_word, *at, *lane_word, *filter, *keys, *keymap, *dump_keymap, *check_keymap;
    const char *color, *palette, *glyphs;
    struct words roots; /* --source-root: "recorded=here" */

    /* report, sql, find */
    bool timeline, list_metrics, schema;
    const char *sql_file, *save;
    uint64_t limit; /* OPTIONS_UNSET = not given */
    int64_t timeout_ns;

    /* profiles, slices, anonymized traces */
    const char *kind; /* --kind; NULL = not given */
    bool all;
    double hz;             /* CPU samples per second of processor time; 0 = not given */
    const char *from, *to; /* as typed: parsing them needs the end of the trace */
    const char *map;

    /* commands that watch a running program */
    struct keep keep;
    int64_t after_ns, window_ns, every_ns; /* 0 = not given */
    int64_t cooldown_ns;                   /* -1 = not given */
    struct keep keep_files;
    const char *serve_at; /* --prometheus */
    bool cpu;
};
#define OPTIONS_UNSET UINT64_MAX

struct command {
    const char *name; /* NULL: gotop itself */
    unsigned bit;     /* CMD_* */
    /* --help prints it before the options: first "usage: gotop NAME ..", then a description */
    const char *head;
    const char *tail; /* printed after the options: the exit status */
};

/* options_read - parses the command line. Returns -1 to go on, else the exit status: 0 after --help; 2
 * after an error, which one line on standard error explains. The caller prints gotop's own help. Takes
 * --name VALUE and --name=VALUE, whole names, anywhere among the operands; "--" ends the options, except
 * between the sides of `diff`. */
int options_read(const struct command *c, int argc, char **argv, struct options *o);
/* options_door - called after the command line is read (in CMD_LIVE by live_shut()), before anything is
 * opened; may be NULL. */
extern void (*options_door)(const struct options *o);
/* options_traces - takes the operands as traces: o->path, o->trace.more. Returns -1, or 2 if there are too
 * many. */
int options_traces(const struct command *c, struct options *o);
/* options_of_trace - parses the command line of a command of one trace. Returns -1, else the exit status.
 * options_binary - returns 2 if what it writes, no text, would go to a terminal; else -1. options_name - what
 * is read, for messages: a path, "standard input", "these traces". */
int options_of_trace(const struct command *c, int argc, char **argv, struct options *o);
int options_binary(const struct command *c, const struct options *o);
const char *options_name(const struct options *o);
/* options_wrong - prints "gotop NAME: --OPTION VALUE: WHY" to standard error (value may be NULL); returns
 * 2. */
int options_wrong(const struct command *c, const char *option, const char *value, const char *why);
/* options_lack - prints one line of usage and the missing operand, named as in the usage: "TRACE"; returns
 * 2. */
int options_lack(const struct command *c, const char *what);
/* options_help - adds the lines of its options. */
struct text;
void options_help(struct text *t, unsigned command);

/* options_size - parses "500M", "4G", "512MiB". Returns false if the text is no size. */
bool options_size(const char *s, uint64_t *bytes);

#endif
