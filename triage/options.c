/*
 * options.c - see options.h. getopt_long() takes the command line apart, by the rows of options.def that the
 * command has; each value is read by its kind.
 */
#include "decode/input/input.h"
#include "triage/options.h"

#include <errno.h>
#include <getopt.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decode/base/door.h"
#include "decode/base/mem.h"
#include "triage/query/goto.h"
#include "triage/say.h"

/* ---- values -------------------------------------------------------------------------------------------- */

static bool read_count0(const char *s, void *to)
{
    const char *end = goto_id(s, to);
    return end && !*end && *(uint64_t *)to != UINT64_MAX;
}

bool options_size(const char *s, uint64_t *bytes)
{
    static const char units[] = "KMGT";
    uint64_t n;
    const char *end = goto_id(s, &n);
    if (!end || !n)
        return false;
    const char *u = *end ? strchr(units, *end & ~0x20) : NULL;
    const int shift = u ? 10 * (int)(u - units + 1) : 0;
    if (u)
        end += 1 + (end[1] == 'i');
    if (u && *end == 'B')
        end++;
    if (*end || n > UINT64_MAX >> shift)
        return false;
    *bytes = n << shift;
    return true;
}

/* Reads "30s", "500ms", "2m", "1h" or "7d"; a bare number is seconds. */
static bool read_time0(const char *v, void *to)
{
    const char *rest;
    return goto_time(v, 1000000000, to, &rest) && !*rest && *(int64_t *)to < INT64_MAX / 2;
}

static bool read_flag(const char *v, void *to)
{
    (void)v;
    return *(bool *)to = true;
}

static bool read_text0(const char *v, void *to)
{
    *(const char **)to = v;
    return true;
}

static bool read_text(const char *v, void *to)
{
    return read_text0(v, to) && *v;
}

static bool read_list(const char *v, void *to)
{
    struct words *w = to;
    if (w->n == sizeof w->v / sizeof w->v[0])
        return false;
    w->v[w->n++] = v;
    return true;
}

static bool read_count(const char *v, void *to)
{
    return read_count0(v, to) && *(uint64_t *)to > 0;
}

static bool read_rate(const char *v, void *to)
{
    char *end;
    const double d = *(double *)to = strtod(v, &end);
    return end != v && !*end && d > 0 && d <= 1e15;
}

static bool read_threads(const char *v, void *to)
{
    uint64_t n;
    const bool good = read_count0(v, &n) && n >= 1 && n <= 256;
    *(int *)to = good ? (int)n : 0;
    return good;
}

static bool read_size(const char *v, void *to)
{
    return options_size(v, to);
}

static bool read_time(const char *v, void *to)
{
    return read_time0(v, to) && *(int64_t *)to > 0;
}

static bool read_seconds(const char *v, void *to)
{
    int64_t ns;
    const bool good = read_time(v, &ns) && ns % 1000000000 == 0 && ns / 1000000000 <= FEED_ENDLESS;
    *(uint64_t *)to = good ? (uint64_t)ns / 1000000000 : 0;
    return good;
}

static bool read_keep(const char *v, void *to)
{
    struct keep *keep = to;
    const bool bare = v[strspn(v, "0123456789")] == '\0'; /* bytes, as everywhere that sizes stand */
    return (!bare && read_time(v, &keep->ns)) || options_size(v, &keep->bytes);
}

/* Reads a time, a size, or both with a comma between. */
static bool read_limit(const char *v, void *to)
{
    char one[64];
    do {
        const size_t n = strcspn(v, ",");
        snprintf(one, sizeof one, "%.*s", (int)n, v);
        if (n >= sizeof one || !read_keep(one, to))
            return false;
        v += n;
    } while (*v && *++v);
    return true;
}

static bool read_when(const char *v, void *to)
{
    int64_t t;
    const char *why;
    return read_text0(v, to) && goto_when(NULL, v, &t, &why);
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

/* How a value of each kind is read, and the message if it can't be. */
struct kind {
    bool (*read)(const char *value, void *to);
    const char *fits;
};
#define KIND(name, read, fits) static const struct kind name = {read, fits}
KIND(FLAG, read_flag, "");
KIND(TEXT, read_text, "it is empty");
KIND(TEXT0, read_text0, "");
KIND(WORD, read_text0, "");
KIND(RULES, read_text, "it is empty");
KIND(LIST, read_list, "too many of them: at most 64");
KIND(COUNT, read_count, "this is no number above 0");
KIND(COUNT0, read_count0, "this is no number");
KIND(RATE, read_rate, "this is no rate: a number above 0 is");
KIND(THREADS, read_threads, "this is no number of threads (1 to 256)");
KIND(SIZE, read_size, "this is no size (500M, 4G)");
KIND(TIME, read_time, "this is no time: 500ms, 30s, 2m are");
KIND(TIME0, read_time0, "this is no time: 500ms, 30s, 2m, 0 are");
KIND(SECONDS, read_seconds, "these are no whole seconds: 5, 5s, 2m are");
KIND(KEEP, read_keep, "this is no time and no size: 30s, 2m, 500M are");
KIND(LIMIT, read_limit, "this is no limit: 2G, 7d and 2G,7d are");
KIND(WHEN, read_when, "this is no time: 1.2s, 300ms, 1m30s, 40%, 14:03:22.5 are");

static const struct row {
    const char *name, *arg;
    unsigned commands;
    const struct kind *kind;
    size_t field;
    const char *help;
} rows[] = {
#define X(n, a, c, k, f, h) {n, a, c, &k, offsetof(struct options, f), h},
#include "triage/options.def"
#undef X
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static bool is_short(const struct row *r)
{
    return !r->name[1];
}

void options_help(struct text *t, unsigned command)
{
    for (int i = 0; i < ROWS; i++) {
        char left[64];
        if (!(rows[i].commands & command))
            continue;
        snprintf(left, sizeof left, "%s%s%s%s", is_short(&rows[i]) ? "-" : "--", rows[i].name,
                 rows[i].arg ? " " : "", rows[i].arg ? rows[i].arg : "");
        text_add(t, "  %-22s  %s\n", left, rows[i].help);
    }
}

int options_wrong(const struct command *c, const char *option, const char *value, const char *why)
{
    struct text t = {0};
    text_say(&t, NULL, option, value ? " " : "", value ? value : "");
    const int status = say_failed(c->name, text_ok(&t) ? t.p : option, why);
    text_free(&t);
    return status;
}

int options_lack(const struct command *c, const char *what)
{
    char line[120];
    snprintf(line, sizeof line, "is missing (gotop %s --help tells the rest)", c->name);
    door_printf(stderr, "%.*s\n", (int)strcspn(c->head, "\n"), c->head);
    return say_failed(c->name, what, line);
}

/* Returns whether the value is one of the words "a|b|c". */
static bool word_known(const char *words, const char *value)
{
    const size_t n = strlen(value);
    for (const char *w = words; *w; w += strcspn(w, "|"), w += *w == '|')
        if (strcspn(w, "|") == n && memcmp(w, value, n) == 0)
            return true;
    return false;
}

/* ---- the command line ---------------------------------------------------------------------------------- */

enum { FIRST_LONG = 256 }; /* what getopt_long() returns of rows[i]: that and i */

struct parser {
    const struct command *c;
    struct options *o;
    char shorts[64];
    struct option longs[ROWS + 1];
    const char **operand;
};

static void parser_rows(struct parser *p)
{
    size_t s = 0, n = 0;
    p->shorts[s++] = '-'; /* operands in their place, */
    p->shorts[s++] = ':'; /* and a value that lacks told apart from an option that isn't known */
    p->shorts[s++] = 'h';
    for (int i = 0; i < ROWS; i++) {
        if (!(rows[i].commands & p->c->bit))
            continue;
        if (is_short(&rows[i])) {
            p->shorts[s++] = rows[i].name[0];
            p->shorts[s++] = ':';
        } else {
            const int arg = rows[i].kind == &RULES ? optional_argument : rows[i].arg != NULL;
            p->longs[n++] = (struct option){rows[i].name, arg, NULL, FIRST_LONG + i};
        }
    }
    p->shorts[s] = '\0';
    p->longs[n] = (struct option){0};
}

static const struct row *option_row(const struct parser *p, int c)
{
    if (c >= FIRST_LONG)
        return &rows[c - FIRST_LONG];
    return &rows[find_first(i, ROWS,
                            is_short(&rows[i]) && rows[i].commands & p->c->bit && rows[i].name[0] == c)];
}

/* Handles one option; `word` has it as typed. Returns 0, or 2 after an error message. */
static int take_option(struct parser *p, const struct row *r, const char *word, const char *value)
{
    struct options *o = p->o;
    char name[40];
    snprintf(name, sizeof name, "%s%s", is_short(r) ? "-" : "--", r->name);
    const size_t n = strlen(name);
    if (!is_short(r) && (strncmp(word, name, n) != 0 || (word[n] && word[n] != '=')))
        return options_wrong(p->c, word, NULL, "unknown option (--help lists them)"); /* a part of a name */
    if (r->kind == &RULES && !value) {
        o->list_rules = true;
        return 0;
    }
    if (r->kind == &WORD && !word_known(r->arg, value)) {
        char why[80];
        snprintf(why, sizeof why, "there are %s", r->arg);
        return options_wrong(p->c, name, value, why);
    }
    if (!r->kind->read(value, (char *)o + r->field))
        return options_wrong(p->c, name, value, r->kind->fits);
    return 0;
}

/* Says why getopt_long() refused a word. Returns 2. */
static int say_refused(struct parser *p, int c, const char *word)
{
    const char letter[] = {'-', (char)optopt, '\0'};
    if (optopt > 0 && optopt < FIRST_LONG)
        word = letter;
    return options_wrong(p->c, word, NULL,
                         c == ':'               ? "it needs a value (--help tells)"
                         : optopt >= FIRST_LONG ? "it takes no value"
                                                : "unknown option (--help lists them)");
}

/* Reads options and operands up to "--" or the end; *used is the number of words. Returns 0, or 2 after an
 * error message. */
static int read_part(struct parser *p, int argc, char **argv, int *used)
{
    struct options *o = p->o;
    optind = 0; /* the way to restart getopt in GNU's libc and musl */
    opterr = 0;
    for (int c; (c = getopt_long(argc, argv, p->shorts, p->longs, NULL)) != -1;) {
        const char *word = argv[optind - 1];
        if (c == 1) {
            p->operand[o->noperands++] = optarg;
            continue;
        }
        if (c == 'h' || (c == '?' && optopt == '?')) {
            o->help = true;
            continue;
        }
        if (c == '?' || c == ':')
            return say_refused(p, c, word);
        const struct row *r = option_row(p, c);
        const char *value = optarg;
        if (value == word)
            word = argv[optind - 2];
        if (r->kind == &RULES && !value && optind < argc && argv[optind][0] != '-')
            value = argv[optind++];
        if (take_option(p, r, word, value))
            return 2;
    }
    *used = optind;
    return 0;
}

static int read_argv(struct parser *p, int argc, char **argv)
{
    struct options *o = p->o;
    int used = 0;
    if (read_part(p, argc, argv, &used))
        return 2;
    o->split = o->noperands;
    o->splits = used <= argc && used > 1 && strcmp(argv[used - 1], "--") == 0;
    if (o->splits && p->c->bit == CMD_DIFF) { /* its second side has options, too */
        argc -= used - 1;
        argv += used - 1;
        if (read_part(p, argc, argv, &used))
            return 2;
    }
    while (used < argc)
        p->operand[o->noperands++] = argv[used++];
    return 0;
}

void (*options_door)(const struct options *o);

int options_read(const struct command *c, int argc, char **argv, struct options *o)
{
    static const char *few[64], **many; /* a usual line's operands; those of a longer one */
    mem_free(many);
    many = argc < 64 ? NULL : mem_alloc(((size_t)argc + 1) * sizeof *many);
    const char **operand = argc < 64 ? few : many;
    struct parser p = {.c = c, .o = o, .operand = operand};
    *o = (struct options){.operand = operand, .limit = OPTIONS_UNSET, .timeout_ns = -1, .cooldown_ns = -1};
    if (!operand)
        return say_failed(c->name, "the command line", "out of memory");
    parser_rows(&p);
    if (read_argv(&p, argc, argv))
        return 2;
    if (o->headers.n > FEED_HEADERS)
        return options_wrong(c, "-H", NULL, "too many of them: at most 16");
    memcpy(o->feed.header, o->headers.v, o->headers.n * sizeof o->headers.v[0]);
    o->feed.nheaders = (int)o->headers.n;
    if (!o->help && (c->bit & CMD_FAR) && /* URLs get their names for messages */
        any_of(i, o->noperands, !(operand[i] = input_far_add(operand[i]))))
        return options_wrong(c, "URLs", NULL, "too many of them: at most 64");
    if (!o->help && !(c->bit & CMD_LIVE) && options_door)
        options_door(o);
    if (!o->help || !c->head)
        return -1;
    struct text all = {0}, t = {0};
    text_raw(&all, c->head, strlen(c->head));
    options_help(&all, c->bit);
    text_raw(&all, c->tail, strlen(c->tail));
    if (text_ok(&all))
        say_help(&t, all.p);
    t.failed |= !text_ok(&all);
    text_free(&all);
    return say_list(c->name, &t);
}

int options_traces(const struct command *c, struct options *o)
{
    if (!o->noperands)
        return -1;
    o->path = o->operand[0];
    o->trace.more = (struct joint_paths){o->operand + 1, o->noperands - 1};
    return o->trace.more.n < JOINT_MAX
               ? -1
               : options_wrong(c, o->operand[0], NULL, "too many traces at once: at most 4096");
}

int options_of_trace(const struct command *c, int argc, char **argv, struct options *o)
{
    int status = options_read(c, argc, argv, o);
    if (status < 0)
        status = options_traces(c, o);
    return status < 0 && !o->path ? options_lack(c, "TRACE") : status;
}

int options_binary(const struct command *c, const struct options *o)
{
    if ((o->out && strcmp(o->out, "-") != 0) || !isatty(STDOUT_FILENO))
        return -1;
    return say_failed(c->name, "standard output", "is a terminal, and this is binary: give a file with -o");
}

const char *options_name(const struct options *o)
{
    return o->trace.more.n ? "these traces" : strcmp(o->path, "-") == 0 ? "standard input" : o->path;
}
