/*
 * options.c - the command line, parsed by a table: --name VALUE and --name=VALUE, in any order, "--" ends
 * them.
 */
#include "viewer/command/options.h"

#include "viewer/command/find.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "decode/base/door.h"
#include "layout/move/goto.h"
#include "layout/move/view.h"
#include "layout/views/kind.h"

enum option_id {
#define X(id, name, arg, help) OPT_##id,
#include "viewer/command/options.def"
#undef X
    OPT_COUNT
};

static const struct {
    const char *name, *arg, *help;
} rows[OPT_COUNT] = {
#define X(id, n, a, h) [OPT_##id] = {n, a, h},
#include "viewer/command/options.def"
#undef X
};

void options_usage(FILE *f)
{
    for (int i = 0; i < OPT_COUNT; i++) {
        char left[40];
        snprintf(left, sizeof left, "--%s%s%s", rows[i].name, rows[i].arg ? " " : "",
                 rows[i].arg ? rows[i].arg : "");
        fprintf(f, "  %-24s %s\n", left, rows[i].help);
    }
}

bool options_size(const char *s, int *w, int *h)
{
    char *end;
    long a = strtol(s, &end, 10);
    if (end == s || (*end != 'x' && *end != 'X'))
        return false;
    const char *rest = end + 1;
    long b = strtol(rest, &end, 10);
    if (end == rest || *end || a < 1 || b < 1 || a > 2000 || b > 1000)
        return false;
    *w = (int)a;
    *h = (int)b;
    return true;
}

static bool parse_bytes(const char *s, uint64_t *out)
{
    char *end;
    errno = 0;
    unsigned long long n = strtoull(s, &end, 10);
    static const char units[] = "KMGT";
    int shift = 0;
    if (end == s || *s == '-' || errno)
        return false;
    if (*end) {
        const char *u = strchr(units, *end & ~0x20);
        if (!u || !*u)
            return false;
        shift = 10 * (int)(u - units + 1);
        end++;
        if (*end == 'i')
            end++;
        if (*end == 'B')
            end++;
    }
    if (*end || n == 0 || n > (UINT64_MAX >> shift))
        return false;
    *out = (uint64_t)n << shift;
    return true;
}

static bool parse_threads(const char *s, int *out)
{
    char *end;
    long n = strtol(s, &end, 10);
    if (end == s || *end || n < 1 || n > 256)
        return false;
    *out = (int)n;
    return true;
}

static bool parse_ticks(const char *s, double *out)
{
    char *end;
    double d = strtod(s, &end);
    if (end == s || *end || !(d > 0) || d > 1e15)
        return false;
    *out = d;
    return true;
}

static bool parse_view(const char *s, int *out)
{
    char *end;
    long n = strtol(s, &end, 10);
    *out = end == s ? kind_find(s, strlen(s)) : (int)n;
    return end == s ? *out != VIEW_NONE : end > s && !*end && n >= 1 && n <= KIND_DIGITS;
}

static bool set_option(struct options *o, enum option_id id, const char *v)
{
    struct target tg;
    switch (id) {
    case OPT_HEADLESS: o->headless = true; return true;
    case OPT_LINEAR: o->linear = true; return true;
    case OPT_SIZE: return options_size(v, &o->w, &o->h);
    case OPT_KEYS: o->keys = v; return true;
    case OPT_STYLES: o->styles = true; return true;
    case OPT_SVG: o->svg = o->headless = true; return true;
    case OPT_VIEW: return parse_view(v, &o->view);
    case OPT_AT: o->at = v; return goto_is(v, &tg) && !tg.has_lane;
    case OPT_LANE: o->lane = v; return goto_is(v, &tg) && tg.has_lane;
    case OPT_FILTER: o->filter = v; return true;
    case OPT_SOURCE_ROOT:
        if (o->nroots == OPTIONS_ROOTS || !strchr(v, '='))
            return false;
        o->root[o->nroots++] = v;
        return true;
    case OPT_KEYMAP: o->keymap = v; return true;
    case OPT_COLOR: return color_when_parse(v, &o->color);
    case OPT_PALETTE: o->palette = v; return *v;
    case OPT_GLYPHS: return o->tier_given = tier_parse(v, &o->tier);
    case OPT_NO_MOUSE: o->no_mouse = true; return true;
    case OPT_FOLLOW: o->follow = true; return true;
    case OPT_KEEP: return live_ns(v, &o->keep_ns) || parse_bytes(v, &o->keep_bytes);
    case OPT_THREADS: return parse_threads(v, &o->trace.threads);
    case OPT_MAX_MEMORY: return parse_bytes(v, &o->trace.max_memory);
    case OPT_RULES:
        o->rules = *v ? v : NULL;
        o->list_rules = !*v;
        return true;
    case OPT_STRICT: o->trace.strict = true; return true;
    case OPT_TICKS: return parse_ticks(v, &o->trace.ticks_per_second);
    case OPT_EXE: o->trace.exe = v; return true;
    case OPT_NO_SPILL:
    case OPT_NO_SANDBOX: return true; /* main() has seen it */
    case OPT_DEBUG: o->debug = true; return true;
    case OPT_LIST_ACTIONS: o->list_actions = true; return true;
    case OPT_DUMP_KEYMAP: o->dump_keymap = v; return true;
    case OPT_CHECK_KEYMAP: o->check_keymap = v; return true;
    case OPT_KEYS_MARKDOWN: o->keys_markdown = true; return true;
    case OPT_HELP: o->help = true; return true;
    case OPT_VERSION: o->version = true; return true;
    case OPT_COUNT: break;
    }
    return false;
}

static enum option_id find_option(const char *name, size_t len)
{
    int i = 0;
    while (i < OPT_COUNT && (strlen(rows[i].name) != len || memcmp(rows[i].name, name, len) != 0))
        i++;
    return (enum option_id)i;
}

/* One "--name", "--name=value" or "--name value"; *i is moved over a value that stands apart. */
static bool read_option(int argc, char **argv, int *i, struct options *o, FILE *errors)
{
    const char *name = argv[*i] + 2, *eq = strchr(name, '=');
    enum option_id id = find_option(name, eq ? (size_t)(eq - name) : strlen(name));
    if (id == OPT_COUNT) {
        door_printf(errors, "gotop: unknown option %s (--help lists them)\n", argv[*i]);
        return false;
    }
    const char *value = eq ? eq + 1 : NULL;
    if (rows[id].arg && !value)
        value = *i + 1 < argc ? argv[++*i] : id == OPT_RULES ? "" : NULL;
    if (!rows[id].arg != !value) {
        if (rows[id].arg)
            door_printf(errors, "gotop: --%s needs a value: %s\n", rows[id].name, rows[id].arg);
        else
            door_printf(errors, "gotop: --%s takes no value\n", rows[id].name);
        return false;
    }
    if (set_option(o, id, value))
        return true;
    door_printf(errors, "gotop: --%s %s: %s", rows[id].name, value, rows[id].help);
    for (int k = VIEW_NONE + 1; id == OPT_VIEW && k < VIEW_END; k++) /* all of them */
        door_printf(errors, "%s%s", k == VIEW_NONE + 1 ? "; there are " : ", ", kind_name(k));
    door_printf(errors, "\n");
    return false;
}

/* An option of what follows a program. */
static enum live_option live_read(struct options *o, int argc, char **argv, int *i)
{
    char name[LIVE_NAME];
    bool apart;
    const char *value = live_split(argc, argv, *i, name, &apart);
    enum live_option is = live_option(&o->live, name, value);
    *i += is == LIVE_VALUE && apart;
    return is == LIVE_FLAG && !apart ? LIVE_WRONG : is;
}

bool options_parse(int argc, char **argv, struct options *o, FILE *errors)
{
    static char link[FIND_LANE];
    bool ended = false;
    enum live_option live;
    *o = (struct options){.w = 80, .h = 24};
    for (int i = 1; i < argc; i++) {
        if (!ended && strcmp(argv[i], "--") == 0) {
            ended = true;
        } else if (!ended && (strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "-?") == 0)) {
            o->help = true;
        } else if (!ended && strcmp(argv[i], "-o") == 0 && i + 1 < argc) {
            o->save = argv[++i];
        } else if (!ended && argv[i][0] == '-' && (live = live_read(o, argc, argv, &i)) != LIVE_NOT) {
            if (live != LIVE_FLAG && live != LIVE_VALUE) {
                (void)live_say(NULL, argv[i],
                               live == LIVE_NEEDS ? "needs a value" : "makes no sense with this value");
                return false;
            }
        } else if (!ended && strncmp(argv[i], "--", 2) == 0) {
            if (!read_option(argc, argv, &i, o, errors))
                return false;
        } else if (!ended && argv[i][0] == '-' && argv[i][1]) {
            door_printf(errors, "gotop: unknown option %s (--help lists them)\n", argv[i]);
            return false;
        } else if (find_link(argv[i], link)) { /* FILE@TIME:LANE */
            o->lane = link;
            i--; /* now it is a file's name */
        } else if (!joint_paths_add(&o->trace.more, &o->path, argv[i])) {
            door_printf(errors, "gotop: too many traces at once, at most %d\n", JOINT_MAX);
            return false;
        }
    }
    return true;
}
