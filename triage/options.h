/*
 * options.h - the command line of every command, as data. options.def has a row for each option; what is
 * read of it goes to one struct.
 *
 * A command calls options_read(), then looks at the fields that its rows name and at the operands. Strings
 * point into argv. Times are ns, sizes bytes.
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
    CMD_CSV = 1 << 8,
    CMD_PERFETTO = 1 << 9,
    CMD_FOLDED = 1 << 10,
    CMD_INFO = 1 << 11,
    CMD_SLICE = 1 << 12,
    CMD_ANONYMIZE = 1 << 13,
    CMD_TOP = 1 << 14,
    CMD_WATCH = 1 << 15,
    CMD_RECORD = 1 << 16,
    CMD_AGENTS = 1 << 17,
    CMD_EXPORTS = CMD_PPROF | CMD_CSV | CMD_PERFETTO | CMD_FOLDED,
    CMD_REWRITES = CMD_SLICE | CMD_ANONYMIZE,
    CMD_LIVE = CMD_VIEW | CMD_TOP | CMD_WATCH | CMD_RECORD, /* what reaches a running program */
    CMD_FILES =
        CMD_REPORT | CMD_DIFF | CMD_EXPLAIN | CMD_SQL | CMD_FIND | CMD_EXPORTS | CMD_INFO | CMD_REWRITES,
    CMD_FAR = CMD_FILES | CMD_DUMP,                                 /* where a URL may stand for a file */
    CMD_TRACES = (CMD_FILES & ~CMD_REWRITES) | CMD_VIEW | CMD_DUMP, /* what makes a model of a trace */
    CMD_ALL = (1 << 18) - 1
};

struct words { /* values of an option that may be repeated */
    const char *v[64];
    uint32_t n;
};

struct lanes_asked {
    bool given, kind[LANE_KINDS];
};
struct goroutine_asked {
    bool given;
    uint64_t id;
};
struct keep { /* how much of what comes; both 0 = not given */
    int64_t ns;
    uint64_t bytes;
};

struct options {
    /* operands: what stands there beside options */
    const char *const *operand; /* valid until options_read() is called again */
    uint32_t noperands;
    uint32_t split;   /* so many of them stand before the first "--"; without one: noperands */
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

    /* the viewer; its words are read further by viewer/command/cmdline.h */
    bool headless, linear, styles, svg, no_mouse, debug, follow, list_actions, keys_markdown;
    const char *size, *view_word, *at, *lane_word, *filter, *keys, *keymap, *dump_keymap, *check_keymap;
    const char *color, *palette, *glyphs;
    struct words roots; /* --source-root: "recorded=here" */

    /* report, sql, find */
    bool timeline, list_metrics, schema, odd;
    bool github;
    const char *junit;
    const char *rank, *sql_file, *save;
    uint64_t limit; /* OPTIONS_UNSET = not given */
    int64_t timeout_ns;

    /* exports, slices, anonymized traces */
    const char *kind; /* --kind; NULL = not given */
    struct lanes_asked lanes;
    bool all, reason_last;
    double hz;             /* CPU samples per second of processor time; 0 = not given */
    const char *from, *to; /* as typed: the end of the trace is needed to read them */
    const char *group;     /* part of the start function's name */
    struct goroutine_asked goroutine;
    const char *map;

    /* what looks at a running program */
    struct keep keep;
    int64_t after_ns, window_ns, every_ns, per_ns; /* 0 = not given */
    int64_t cooldown_ns;                           /* -1 = not given */
    struct keep keep_files;
    const char *exec;
    const char *serve_at; /* --prometheus */
    bool cpu;
};
#define OPTIONS_UNSET UINT64_MAX

struct command {
    const char *name; /* NULL: gotop itself */
    unsigned bit;     /* CMD_* */
    const char *head; /* of --help, before its options: first "usage: gotop NAME ..", then what it does */
    const char *tail; /* behind them: exit status */
};

/*
 * options_read - the command line. -1: go on; else the exit status: help was printed (0), or something makes
 * no sense and one line on standard error said what would (2). The help of gotop itself is the caller's.
 * --name VALUE and --name=VALUE, whole names, anywhere among the operands; "--" ends them, except between
 * the sides of `diff`.
 */
int options_read(const struct command *c, int argc, char **argv, struct options *o);
/*
 * options_door - is called when a command line was read of a command that isn't of CMD_LIVE, before anything
 * is opened; NULL: nothing is.
 */
extern void (*options_door)(const struct options *o);
/* options_traces - the operands from `first` on are traces: o->path, o->trace.more. -1, or 2: too many. */
int options_traces(const struct command *c, struct options *o, uint32_t first);
/* options_wrong - "gotop NAME: --OPTION VALUE: WHY" to standard error (value: may be NULL); returns 2. */
int options_wrong(const struct command *c, const char *option, const char *value, const char *why);
/* options_lack - its usage in a line, and what is missing, as usage calls it: "TRACE"; returns 2. */
int options_lack(const struct command *c, const char *what);
/* options_help - the lines of its options. */
struct text;
void options_help(struct text *t, unsigned command);

/* Values as they are typed. size: "500M", "4G", "512MiB". time: "30s", "500ms", "2m", "1h", "7d"; a number
 * alone is seconds. false: it is none. */
bool options_size(const char *s, uint64_t *bytes);
bool options_time(const char *s, int64_t *ns);

#endif
