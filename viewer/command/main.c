/*
 * main.c - the command line: which trace, which keys, a terminal or none.
 *
 * Exit status: 0 done, 1 --check-keymap found mistakes, 2 a command line that makes no sense, or the trace
 * can't be read (one line on standard error says what was found at which offset), 3 from dump, or from the
 * report that stands in for a missing terminal: only a part of it. A reader of our output that goes away (a
 * closed pipe) ends the program quietly.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode/base/child.h"
#include "decode/base/clerk.h"
#include "decode/base/door.h"
#include "decode/base/origin.h"
#include "decode/base/spill.h"
#include "decode/input/input.h"
#include "decode/input/mapped.h"
#include "decode/base/mem.h"
#include "decode/trace.h"
#include "layout/cells/cells.h"
#include "triage/findings/thresholds.h"
#include "triage/live/live.h"
#include "triage/options.h"
#include "triage/report/report.h"
#include "triage/say.h"
#include "viewer/session/app.h"
#include "viewer/session/app_live.h"
#include "viewer/term/charset.h"
#include "viewer/session/follow.h"
#include "viewer/command/bound.h"
#include "viewer/command/commands.h"
#include "viewer/command/headless.h"
#include "viewer/keys/help.h"
#include "viewer/keys/keymap_builtin.h"
#include "viewer/session/interactive.h"
#include "viewer/session/pair.h"
#include "viewer/keys/keymap.h"
#include "viewer/command/cmdline.h"
#include "viewer/command/sandbox.h"
#include "viewer/command/say.h"
#include "viewer/term/term.h"

/* ---- keymaps ------------------------------------------------------------------------------------------- */

static void say_file(void *arg, bool error, const char *file, int line, const char *what)
{
    char name[512];
    str_safe(str_of(file), name, sizeof name);
    if (line)
        door_printf(arg, "%s:%d: %s%s\n", name, line, error ? "" : "warning: ", what);
    else
        door_printf(arg, "%s: %s%s\n", name, error ? "" : "warning: ", what);
}

/* Load the keymap. One that was asked for must have no mistakes. In the reader's own default.keys the good
 * lines count, and the program starts all the same. */
static void no_keymap(const char *name)
{
    door_printf(stderr, "gotop: there is no keymap '%s'; there are", name);
    for (const struct builtin_keymap *b = builtin_keymaps; b->name; b++)
        door_printf(stderr, "%s %s", b == builtin_keymaps ? "" : ",", b->name);
    door_printf(stderr, ", and files\n");
}

static struct keymap *load_keymap(const char *name)
{
    const struct file_say say = {say_file, stderr};
    struct keymap *km = keymap_new();
    enum err_code rc = km ? keymap_load(km, name ? name : "default", &say) : ERR_NOMEM;
    if (rc == ERR_OK || (rc == ERR_FORMAT && !name)) {
        keymap_way_out(km);
        return km;
    }
    if (rc == ERR_IO)
        no_keymap(name ? name : "default");
    if (rc == ERR_NOMEM)
        door_printf(stderr, "gotop: out of memory\n");
    keymap_free(km);
    return NULL;
}

static int dump_keymap(const char *name)
{
    struct keymap *km = load_keymap(name);
    if (!km)
        return EXIT_USAGE;
    keymap_dump(km, stdout);
    keymap_free(km);
    return finish_output(EXIT_OK);
}

static int check_keymap(const char *name)
{
    const struct file_say say = {say_file, stdout};
    struct keymap *km = keymap_new();
    if (!km)
        return EXIT_USAGE;
    enum err_code rc = keymap_load(km, name, &say);
    if (rc == ERR_IO)
        no_keymap(name);
    int errors = rc ? 1 : 0;
    if (rc != ERR_IO)
        errors += keymap_check(km, name, &say);
    keymap_free(km);
    return rc == ERR_IO ? EXIT_USAGE : finish_output(errors ? EXIT_MISTAKES : EXIT_OK);
}

/* ---- help ---------------------------------------------------------------------------------------------- */

static void usage_lines(FILE *f)
{
    struct text options = {0};
    fprintf(f,
            "gotop - a trace viewer for Go execution traces\n\n"
            "  gotop [OPTION...] TRACE...     TRACE: a file, plain, gzip, zstd or ARCHIVE.zip:MEMBER; - is "
            "standard input. Several files of one program are shown as one timeline; between two traces of "
            "different programs or runs, ! switches. Without a terminal, prints the report.\n"
            "  gotop [OPTION...] WHERE        a running program: http://host:port, see below.\n");
    commands_usage(f);
    fprintf(f, "\n");
    options_help(&options, CMD_VIEW);
    fwrite(options.p, 1, options.n, f);
    text_free(&options);
    fprintf(
        f,
        "\n" LIVE_WHERE "\nIn the viewer, ? lists the keys.\n"
        "Exit status: 0 done, 1 mistakes in a keymap that is checked, 2 wrong usage or unreadable trace, 3 "
        "report or dump of only a part.\n");
}

static void usage(FILE *to)
{
    char *all = NULL;
    size_t n;
    struct text t = {0};
    FILE *f = open_memstream(&all, &n);
    if (!f)
        return;
    usage_lines(f);
    if (fclose(f) == 0) {
        say_help(&t, all);
        fwrite(t.p, 1, t.n, to);
    }
    text_free(&t);
    free(all);
}

/* Without an option, print what fits on a small screen: the beginning of a long report would scroll away. */
static const char usage_short[] =
    "gotop - a trace viewer for Go execution traces. Name a trace:\n\n"
    "  gotop trace.out              view it: ? lists the keys, q quits\n"
    "  gotop http://host:6060       view a running program\n"
    "  gotop report trace.out       what stands out, on one page\n"
    "  gotop explain trace.out g1   where a goroutine's time went\n"
    "  gotop diff OLD NEW           what changed between runs\n"
    "  gotop info trace.out         what the file contains, and what it can answer\n\n"
    "Traces come from runtime/trace, go test -trace FILE and /debug/pprof/trace:\n"
    "plain, gzip or zstd, even truncated.\n"
    "gotop --help lists all commands and options.\n";

/* A report for a reader has the width of the terminal, also through a pager. This is asked before the
 * sandbox closes. */
static void fit_terminal(void)
{
    struct winsize ws;
    struct stat st;
    const bool piped = fstat(STDOUT_FILENO, &st) == 0 && S_ISFIFO(st.st_mode);
    const int seen = piped ? STDERR_FILENO : STDOUT_FILENO;
    if (isatty(seen) && ioctl(seen, TIOCGWINSZ, &ws) == 0 && ws.ws_col >= 40)
        say_columns(ws.ws_col);
}

/* ---- the viewer ---------------------------------------------------------------------------------------- */

/* Returns the glyphs that fonts of this kind of terminal have. */
static enum tier usual_tier(void)
{
    static const struct {
        const char *type;
        enum tier tier;
    } kinds[] = {{"linux", TIER_BLOCK},
                 {"vt", TIER_ASCII},
                 {"cons", TIER_BLOCK},
                 {"ansi", TIER_ASCII},
                 {"sun", TIER_ASCII}};
    const char *type = getenv("TERM");
    for (size_t i = 0; type && i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(type, kinds[i].type, strlen(kinds[i].type)) == 0)
            return kinds[i].tier;
    return TIER_EIGHTH;
}

/* Choose the glyphs: an option decides, else the locale, else the terminal's answer. */
static void choose_glyphs(struct app *a, const struct cmdline *o, enum charset *charset)
{
    if (o->tier_given ? o->tier != TIER_ASCII : o->o.svg)
        *charset = CHARSET_UTF8;
    else if (*charset == CHARSET_UNSAID && (o->tier_given || o->o.headless || o->o.linear))
        *charset = CHARSET_ASCII;
    if (*charset != CHARSET_ASCII)
        charset_force();
    a->utf8 = *charset == CHARSET_UTF8;
    a->utf8_tier = o->tier_given ? o->tier : o->o.headless || o->o.linear ? TIER_EIGHTH : usual_tier();
    a->view.scr.tier = a->utf8 ? a->utf8_tier : TIER_ASCII;
}

/* Some terminals put their colours into COLORFGBG, "foreground;background"; backgrounds 7 and 15 are
 * light. */
static enum ground said_ground(void)
{
    const char *says = getenv("COLORFGBG"), *ground = says ? strrchr(says, ';') : NULL;
    if (!ground || ground[1] < '0' || ground[1] > '9')
        return GROUND_UNKNOWN;
    return strcmp(ground, ";7") == 0 || strcmp(ground, ";15") == 0 ? GROUND_LIGHT : GROUND_DARK;
}

/* Load the palette. One that was asked for must have no mistakes; in the reader's own default.palette the
 * good lines count. Without either, the palette suits the ground, if that is known. Returns false after an
 * error was printed. */
static bool load_palette(const struct cmdline *o, enum palette *p)
{
    const struct file_say say = {say_file, stderr};
    enum err_code rc = palette_load(o->o.palette ? o->o.palette : "default", p, &say);
    if (!o->o.palette && rc == ERR_IO)
        *p = palette_on(PALETTE_NEUTRAL, said_ground());
    if (!o->o.palette || rc == ERR_OK)
        return true;
    if (rc == ERR_IO) {
        door_printf(stderr, "gotop: there is no palette '%s'; there are", o->o.palette);
        for (enum palette i = 0; i < PALETTE_COUNT; i++)
            door_printf(stderr, "%s %s", i ? "," : "", palette_name(i));
        door_printf(stderr, ", and files\n");
    }
    return false;
}

#define EXIT_NO_WORD 4 /* a result of the functions below: out of memory, and nothing was printed yet */
enum {
    HEADLESS_MS = 20,
    HEADLESS_NS = 50000000
}; /* pause before the program is asked again: without news, with news */

static int run_headless(struct app *a, const struct cmdline *o)
{
    a->colours.none = !o->o.svg;
    a->view.scr.mono = o->o.svg ? o->color == COLOR_NEVER : o->color != COLOR_ALWAYS;
    if ((o->o.svg || o->o.palette) && !load_palette(o, &a->colours.palette))
        return EXIT_NO_WORD;
    if (!o->o.palette && a->colours.palette == PALETTE_NEUTRAL)
        a->colours.palette = PALETTE_DARK; /* a picture brings its own ground */
    a->live.unseen = true;
    for (bool busy = true; a->follow && (busy || app_live_waits(a));)
        if (!app_live(a, HEADLESS_NS, &busy) && !busy)
            poll(NULL, 0, HEADLESS_MS);
    while (app_load(a, INT64_MAX)) {
    }
    if (trace_fatal(a->tr))
        return EXIT_OK; /* main_view reports it */
    if (a->open.filter_error) {
        door_printf(stderr, "gotop: --filter: %s\n", a->open.filter_error);
        return EXIT_USAGE;
    }
    bool ok = o->o.linear ? headless_linear(a, o->o.keys, stdin, stdout, stderr)
                          : headless_run(a, o->o.keys,
                                         o->o.svg      ? HEADLESS_SVG
                                         : o->o.styles ? HEADLESS_STYLES
                                                       : HEADLESS_TEXT,
                                         stdout, stderr);
    if (!ok)
        return EXIT_NO_WORD;
    return finish_output(EXIT_OK);
}

static int run_terminal(struct app *a, const struct cmdline *o, enum charset charset, int *signal_out)
{
    struct term *t;
    struct err e = {0};
    struct term_opts to = {o->color, PALETTE_NEUTRAL, !o->o.no_mouse, charset};
    if (!load_palette(o, &to.palette))
        return EXIT_USAGE;
    if (term_open(&t, &to, &e)) {
        door_printf(stderr, "gotop: %s\n", e.what);
        return EXIT_USAGE;
    }
    a->colours.palette = to.palette;
    a->colours.by_ground = !o->o.palette || to.palette == PALETTE_BLIND;
    a->colours.none = term_depth(t) == DEPTH_MONO;
    a->view.scr.mono = a->colours.none;
    if (!term_now(t).utf8) {
        a->utf8 = false;
        a->view.scr.tier = TIER_ASCII;
    }
    a->note = term_now(t).note;
    *signal_out = interactive_run(a, t, o->o.debug && !isatty(STDERR_FILENO));
    term_close(t);
    return EXIT_OK;
}

/* Connect to a running program, or follow a file that grows, and wait for its first generation. */
static enum err_code open_live(const struct cmdline *o, struct follow **f, struct trace **tr, struct err *e)
{
    origin_note(-1, o->o.path); /* the file of -o is opened first */
    if (strcmp(o->o.path, "-") == 0)
        origin_note(STDIN_FILENO, NULL);
    live_stop_hold(true);
    enum err_code rc = follow_open(&o->o, f, e);
    live_stop_hold(false);
    *tr = rc ? NULL : follow_now(*f).trace;
    return rc;
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

/* Open two traces that make no timeline, the second one in an app of its own. */
static bool open_both(const struct cmdline *o, struct trace **tr, struct app **second,
                      const struct keymap *km, struct err *e)
{
    struct trace_opts one = o->o.trace;
    struct trace *tr2;
    one.more.n = 0;
    if (trace_open(o->o.path, &one, tr, e))
        return false;
    if (trace_open(o->o.trace.more.path[0], &one, &tr2, e) == ERR_OK) {
        *second = mem_alloc(sizeof **second);
        if (*second && app_init(*second, tr2, km, o->w, o->h))
            return true;
        err_nomem(e);
        mem_free(*second);
        *second = NULL;
        trace_close(tr2);
    }
    trace_close(*tr);
    return false;
}

static void close_second(struct app *second)
{
    struct trace *tr = second ? second->tr : NULL;
    if (!second)
        return;
    app_free(second);
    mem_free(second);
    trace_close(tr);
}

/* Pass the command line's values to a session, and to that of a second trace (NULL: none). */
static void set_session(struct app *a, struct app *second, const struct cmdline *o, enum charset *charset)
{
    a->open.view = o->view;
    a->open.at = o->o.at;
    a->open.lane = o->lane;
    a->open.filter = o->o.filter;
    a->roots = o->o.roots.v;
    a->nroots = (int)o->o.roots.n;
    a->ticks_per_second = o->o.trace.ticks_per_second;
    choose_glyphs(a, o, charset);
    if (!second)
        return;
    second->ticks_per_second = a->ticks_per_second;
    second->roots = a->roots;
    second->nroots = a->nroots;
    if (!pair_begin(a, second))
        door_printf(stderr, "gotop: out of memory for two traces: one is shown\n");
}

/* What a session owns. */
struct shown {
    struct trace *tr;
    struct app *second;    /* the second trace; NULL: none */
    struct follow *follow; /* the running program that tr belongs to; NULL: tr is a file */
    bool piped;
    char name[160]; /* the title's name; "": the file's */
};

/* What may take seconds before the screen opens (a pipe, unpacking, a program's first second) is said on the
 * terminal, and wiped away once it is there. */
static enum err_code shown_read(const struct cmdline *o, struct shown *s, struct err *e)
{
    const bool live = o->o.follow || feed_is_url(o->o.path), screen = isatty(STDERR_FILENO);
    if (screen)
        door_status(live       ? "gotop: waiting for the program's first second (Ctrl-C leaves)"
                    : s->piped ? "gotop: reading the trace from standard input (Ctrl-C leaves)"
                               : "gotop: reading the trace (Ctrl-C leaves)");
    enum err_code rc =
        live ? open_live(o, &s->follow, &s->tr, e) : trace_open(o->o.path, &o->o.trace, &s->tr, e);
    door_wipe();
    return rc;
}

static void shown_name(const struct cmdline *o, struct shown *s)
{
    char shown[FEED_SHOWN];
    if (s->piped)
        snprintf(s->name, sizeof s->name, "standard input");
    else if (o->o.trace.more.n && !s->second)
        snprintf(s->name, sizeof s->name, "%.120s and %u more", base_of(o->o.path),
                 (unsigned)o->o.trace.more.n);
    else if (s->follow)
        snprintf(s->name, sizeof s->name, "%.159s", feed_shown(o->o.path, shown));
}

/* One trace, or several of one program, are one timeline. Two that make none (of two programs, runs or hosts,
 * or before Go 1.22: trace_open() says so, decode/input/joint.h) are opened each by itself. Returns false
 * when there is nothing to show; *status is then the exit status. */
static bool shown_open(const struct cmdline *o, const struct keymap *km, struct shown *s, int *status)
{
    struct err e = {0};
    s->piped = strcmp(o->o.path, "-") == 0;
    *status = EXIT_UNREADABLE;
    const enum err_code rc = shown_read(o, s, &e);
    const bool two = rc == ERR_APART && o->o.trace.more.n == 1;
    if (rc && !(two && open_both(o, &s->tr, &s->second, km, &e))) {
        say_error(o->o.trace.more.n ? "these traces" : o->o.path, &e);
        return false;
    }
    shown_name(o, s);
    return true;
}

static int shown_run(struct app *a, struct shown *s, const struct keymap *km, const struct cmdline *o,
                     enum charset charset, int *by_signal)
{
    int status = EXIT_NO_WORD;
    if (!app_init(a, s->tr, km, o->w, o->h)) {
        door_printf(stderr, "gotop: out of memory\n");
        return status;
    }
    a->name = s->name[0] ? s->name : a->name;
    set_session(a, s->second, o, &charset);
    if (s->follow)
        app_live_begin(a, s->follow, s->name);
    status = o->o.headless || o->o.linear ? run_headless(a, o) : run_terminal(a, o, charset, by_signal);
    pair_end(a);
    app_free(a);
    return status;
}

static void shown_close(struct shown *s)
{
    if (s->follow)
        follow_close(s->follow);
    else
        trace_close(s->tr);
    close_second(s->second);
}

static int main_view(const struct cmdline *o, enum charset charset)
{
    struct shown s = {0};
    struct app *a = mem_alloc(sizeof *a); /* some 100 KB, too much for the stack */
    struct keymap *km = a ? load_keymap(o->o.keymap) : NULL;
    int status = EXIT_NO_WORD, by_signal = 0;
    if (km && shown_open(o, km, &s, &status)) {
        status = shown_run(a, &s, km, o, charset, &by_signal);
        const struct trace *tr = s.follow ? follow_now(s.follow).trace : s.tr;
        if (!app_has(a, DUE_LOAD) && trace_fatal(tr)) {
            say_error(o->o.path, trace_fatal(tr));
            status = EXIT_UNREADABLE;
        }
        if (s.follow && *follow_now(s.follow).unsaved) {
            door_printf(stderr, "gotop: %s\n", follow_now(s.follow).unsaved);
            status = EXIT_UNREADABLE;
        }
        shown_close(&s);
    }
    if (km)
        keymap_free(km);
    mem_free(a);
    if (by_signal) { /* end by the signal, now that the terminal is restored */
        clerk_end();
        signal(by_signal, SIG_DFL);
        raise(by_signal);
    }
    return status;
}

/* A mapped file may shrink while it is read (decode/input/mapped.h). */
static void on_sigbus(int sig, siginfo_t *info, void *context)
{
    (void)sig;
    (void)context;
    if (info->si_code != BUS_ADRERR || !mapped_mend(info->si_addr))
        raise(SIGSEGV); /* a crash of gotop's own: the terminal's handler restores the screen */
}

static void survive_shrinking_files(void)
{
    struct sigaction sa = {.sa_sigaction = on_sigbus, .sa_flags = SA_SIGINFO};
    sigaction(SIGBUS, &sa, NULL);
}

/* Memory was refused somewhere, so something may be missing in the output though nothing else failed. */
static int main_ended(int status)
{
    const int code = status == EXIT_NO_WORD ? EXIT_UNREADABLE : status;
    if (!mem_ran_out() || status == EXIT_UNREADABLE)
        return code;
    door_printf(stderr, "gotop: memory ran out: something may be missing\n");
    return code ? code : EXIT_PARTIAL;
}

/* Take the options that every command has out of argv. Only names follow "--". Returns false after an error
 * was printed. */
static bool common_options(int *argc, char **argv, bool *open)
{
    int n = 1;
    bool ok = true, names = false;
    for (int i = 1; ok && i < *argc; i++) {
        names |= strcmp(argv[i], "--") == 0;
        if (!names && strcmp(argv[i], "--no-sandbox") == 0) {
            *open = true;
        } else if (!names && strcmp(argv[i], "--no-spill") == 0) {
            spill_forbid();
        } else if (!names && strcmp(argv[i], "--bytes") == 0) {
            ok = bound_take(i + 1 < *argc ? argv[++i] : "");
        } else if (!names && strncmp(argv[i], "--bytes=", 8) == 0) {
            ok = bound_take(argv[i] + 8);
        } else {
            if (!names && strcmp(argv[i], "--json") == 0)
                bound_json();
            argv[n++] = argv[i];
        }
    }
    argv[n] = NULL;
    *argc = n;
    return ok;
}

/* Returns the trace's word if it names no file: perhaps it is a command. After "--" all words are files. */
static const char *bare_word(const struct cmdline *o)
{
    return o->o.path && o->o.split && access(o->o.path, F_OK) && errno == ENOENT ? o->o.path : "";
}

static void one_at_a_time(const struct cmdline *o)
{
    char a[FEED_SHOWN], b[FEED_SHOWN];
    door_printf(stderr, "gotop: one program at a time: %s or %s\n", feed_shown(o->o.path, a),
                feed_shown(o->o.trace.more.path[0], b));
}

/* Without operands, a trace that is piped in is read. Returns NULL when standard input is neither a pipe
 * nor a file. */
static const char *piped(void)
{
    struct stat st;
    const bool there = fstat(STDIN_FILENO, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISREG(st.st_mode));
    return there ? "-" : NULL;
}

static const char command_names[] =
#define X(name, operands, help, fn, needs) " " #name
#include "viewer/command/commands.def"
#undef X
    ;

/* Do what only prints; *status is then the exit status. Returns false when a trace is to be shown. */
static bool no_session(struct cmdline *o, int *status)
{
    const char *word = bare_word(o);
    struct err e = {0};
    char kept[64];
    *status = EXIT_USAGE;
    if (strcmp(word, "help") == 0 && o->o.trace.more.n) {
        door_printf(stderr, "gotop: help: there is no command %s; there are%s\n", o->o.trace.more.path[0],
                    command_names);
    } else if (o->o.help || strcmp(word, "help") == 0) {
        usage(stdout);
        *status = finish_output(EXIT_OK);
    } else if (o->o.version || strcmp(word, "version") == 0) {
        printf("gotop (trace viewer) %s\nsandbox: %s\n", GOTOP_VERSION, sandbox_text(kept, sizeof kept));
        *status = finish_output(EXIT_OK);
    } else if (o->o.list_actions) {
        help_actions(stdout);
        *status = finish_output(EXIT_OK);
    } else if (o->o.rules && thresholds_read(o->o.rules, &e)) {
        door_printf(stderr, "gotop: --rules: %s\n", e.what);
    } else if (o->o.list_rules || (o->o.rules && !o->o.path)) {
        *status = report_rules("--rules");
    } else if (o->o.dump_keymap) {
        *status = dump_keymap(o->o.dump_keymap);
    } else if (o->o.check_keymap) {
        *status = check_keymap(o->o.check_keymap);
    } else if (!o->o.path && !(o->o.path = piped())) {
        fputs(usage_short, stderr);
    } else if (command_find(word)) {
        door_printf(stderr, "gotop: %s: no such file; a command comes before its options: gotop %s ..\n",
                    word, word);
    } else if (*word && !word[strspn(word, "abcdefghijklmnopqrstuvwxyz")]) {
        door_printf(stderr, "gotop: %s: no such file or command; the commands are%s\n", word, command_names);
    } else if (o->o.trace.more.n && (o->o.follow || feed_is_url(o->o.path))) {
        one_at_a_time(o);
    } else if (o->o.out && !o->o.follow && !feed_is_url(o->o.path)) {
        door_printf(stderr, "gotop: -o saves what a running program sends, and %s is a file: %s\n", o->o.path,
                    o->o.headless ? "> FILE takes what is printed" : "gotop COMMAND -o FILE writes of it");
    } else if (o->o.linear && !o->o.keys && strcmp(o->o.path, "-") == 0) {
        door_printf(stderr, "gotop: --linear reads keys from standard input, so the trace must be a file\n");
    } else {
        return false;
    }
    return true;
}

/* If one of the standard three is closed, the next file that is opened would get its number, and reports
 * would be written into it. Writing to a closed output still fails, and that is reported. */
static void standard_streams(void)
{
    static const int how[] = {O_RDONLY, O_RDONLY, O_WRONLY};
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", how[fd]) < 0)
            (void)!open("/", O_RDONLY);
}

/* Without descriptors, a file would seem to be missing or forbidden: say what is really wrong. */
static bool descriptors(void)
{
    enum { NEEDED = 24 };
    int fd[NEEDED], n = 0;
    while (n < NEEDED && (fd[n] = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)) >= 0)
        n++;
    for (int i = 0; i < n; i++)
        close(fd[i]);
    if (n < NEEDED)
        door_printf(
            stderr,
            "gotop: too few files may be open at once (ulimit -n): %d are free, up to %d are needed\n", n,
            NEEDED);
    return n == NEEDED;
}

/* This is the running command, for options_door(). */
static struct {
    int argc;
    char **argv;
    bool open; /* --no-sandbox */
} command_line;

static void shut(const struct options *o)
{
    (void)o;
    sandbox_enter(sandbox_needs(command_line.argv[1]), command_line.argc, command_line.argv);
}

/* Parse a command that reads files. The clerk may fetch the URLs among its operands, and nothing else. */
static void shut_far(const struct options *o)
{
    static struct feed_opts feed;
    const char *first = NULL;
    feed = o->feed;
    feed.seconds = feed.seconds ? feed.seconds : INPUT_FAR_S;
    for (uint32_t i = 0; i < o->noperands; i++)
        if (input_is_far(o->operand[i])) {
            const char *url = input_far_url(o->operand[i]);
            first = first ? first : url;
            feed_outside_also(url);
        }
    input_far_opts(&feed);
    if (command_line.open) {
        (void)spill_open();
    } else {
        if (first)
            feed_outside(first, &feed, NULL);
        const unsigned needs = sandbox_needs(command_line.argv[1]);
        sandbox_enter(needs | (first ? SANDBOX_LIVE : 0), command_line.argc, command_line.argv);
    }
}

/* Such a command enters the sandbox itself, once it knows what is fetched. */
static int command_run(const struct command_row *command, int argc, char **argv, bool open)
{
    command_line.argc = argc;
    command_line.argv = argv;
    command_line.open = open;
    if (!(command->needs & SANDBOX_LIVE))
        options_door = shut_far;
    else if (!open)
        options_door = shut;
    if (!options_door)
        (void)spill_open();
    bound_begin(true);
    const int status = bound_end(command->main(argc - 1, argv + 1));
    clerk_end();
    return main_ended(status);
}

/* On a terminal, "gotop top WHERE" is the viewer's live top. In a pipe it prints lines, and so it does with
 * options that only lines have: how many, how long each, how many rows. */
static bool wants_live_top(int argc, char **argv)
{
    const char *type = getenv("TERM");
    if (argc < 3 || strcmp(argv[1], "top") != 0 || !isatty(STDOUT_FILENO) ||
        (type && strcmp(type, "dumb") == 0))
        return false;
    for (int i = 2; i < argc; i++) {
        static const char *const lines[] = {"-n",     "-d",     "-h",     "-?",
                                            "--rows", "--help", "--json", "--prometheus"};
        for (size_t k = 0; k < sizeof lines / sizeof *lines; k++)
            if (strncmp(argv[i], lines[k], strlen(lines[k])) == 0)
                return false;
    }
    return true;
}

/* "help CMD" means "CMD --help", unless a file is called help. */
static const struct command_row *help_of(int argc, char **argv)
{
    static char dash_help[] = "--help";
    if (argc != 3 || strcmp(argv[1], "help") != 0 || access("help", F_OK) == 0)
        return NULL;
    const struct command_row *command = command_find(argv[2]);
    if (command) {
        argv[1] = argv[2];
        argv[2] = dash_help;
    }
    return command;
}

int main(int argc, char **argv)
{
    struct cmdline o;
    bool open = false; /* --no-sandbox */
    standard_streams();
    fit_terminal();
    enum charset charset = charset_start();
    door_utf8(charset == CHARSET_UTF8);
    survive_shrinking_files();
    if (!descriptors() || !common_options(&argc, argv, &open))
        return EXIT_USAGE;
    child_ignore(SIGPIPE);
    child_ignore(SIGXFSZ); /* a limit on file size is reported like a full disk */
    const bool top = wants_live_top(argc, argv);
    if (top) { /* the command's word goes; the viewer parses the rest */
        argv[1] = argv[0];
        argv++, argc--;
    }
    const struct command_row *command = argc > 1 && !top ? command_find(argv[1]) : NULL;
    if (!command && !top)
        command = help_of(argc, argv);
    if (command)
        return command_run(command, argc, argv, open);
    if (!cmdline_parse(argc, argv, &o))
        return EXIT_USAGE;
    int status;
    o.view = top ? VIEW_TOP : o.view;
    o.o.follow |= top && o.o.path && !feed_is_url(o.o.path);
    if (no_session(&o, &status))
        return status;
    bool terminal = !o.o.headless && !o.o.linear && isatty(STDOUT_FILENO), url = feed_is_url(o.o.path);
    const bool viewer = terminal || o.o.headless || o.o.linear;
    if (url && !terminal && !o.o.feed.seconds)
        o.o.feed.seconds = INPUT_FAR_S; /* it ends the process */
    const unsigned needs =
        sandbox_needs(viewer ? NULL : "report") & ~(unsigned)(terminal ? 0 : SANDBOX_TERMINAL);
    if (!open && (url || o.o.follow) && strcmp(o.o.path, "-") != 0)
        feed_outside(o.o.path, &o.o.feed, NULL);
    if (!open)
        sandbox_enter(needs, argc, argv);
    (void)spill_open();
    status = EXIT_USAGE;
    bound_begin(!terminal);
    if (viewer)
        status = main_view(&o, charset);
    else if (!o.o.follow && !url)
        status = report_page(&o.o); /* no terminal for keys */
    else
        door_printf(stderr,
                    "gotop: a program that is running needs a terminal here; gotop top prints lines\n");
    status = bound_end(status);
    clerk_end();
    return terminal && status != EXIT_NO_WORD ? status : main_ended(status);
}
