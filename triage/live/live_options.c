/*
 * live_options.c - the command line of what looks at a running program: options that all of it has, and the
 * loop of the commands that have their own beside them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "decode/base/door.h"
#include "triage/live/live.h"
#include "triage/say.h"
#include "triage/text.h"

const char live_usage[] =
    "WHERE is http://host:port, host:port or unix:/path, with a path before /debug/pprof or a\n"
    "whole path; a file that is still being written; or - for standard input.\n"
    "  -H 'NAME: VALUE'     a request header; repeatable\n"
    "  --token-file FILE    send its first line as a bearer token\n"
    "  --cacert FILE        certificate authorities to trust\n"
    "  --cert FILE          client certificate\n"
    "  --key FILE           the key of that certificate\n"
    "  --insecure           don't verify the server's certificate\n"
    "  --unix-socket PATH   connect to this socket\n"
    "  --method NAME        GET (default), POST\n"
    "  --seconds N          stop after N seconds\n"
    "  --connect-timeout N  give up after N seconds without a connection (10)\n"
    "  --stall-timeout N    give up after N seconds without a byte (15; record: and its seconds)\n";

int live_say(const char *command, const char *what, const char *message)
{
    struct text t = {0};
    char shown[FEED_SHOWN];
    what = feed_shown(what, shown);
    text_clean(&t, what, strlen(what), 0);
    text_lit(&t, ": ");
    text_clean(&t, message, strlen(message), 0);
    door_printf(stderr, "gotop%s%s: %s\n", command ? " " : "", command ? command : "",
                t.p ? t.p : "out of memory");
    text_free(&t);
    return 2;
}

bool live_ns(const char *s, int64_t *out)
{
    static const struct {
        const char *name;
        double ns;
    } unit[] = {{"ms", 1e6}, {"us", 1e3}, {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}};
    char *end;
    double v = strtod(s, &end);
    if (end == s || !(v > 0))
        return false;
    for (size_t i = 0; i < sizeof unit / sizeof unit[0]; i++) {
        if (strcmp(end, unit[i].name) == 0 && v * unit[i].ns < 9e18) {
            *out = (int64_t)(v * unit[i].ns);
            return true;
        }
    }
    return false;
}

static bool number(const char *s, uint64_t *out)
{
    char *end;
    int64_t ns;
    if (live_ns(s, &ns)) { /* 5s, 2m: of whole seconds */
        *out = (uint64_t)ns / 1000000000;
        return ns % 1000000000 == 0 && *out <= FEED_ENDLESS;
    }
    errno = 0;
    unsigned long long n = strtoull(s, &end, 10);
    *out = n;
    return end != s && !*end && *s != '-' && !errno && n > 0 && n <= FEED_ENDLESS;
}

/* Options whose value is text that somebody else judges. */
static const char **text_option(struct feed_opts *f, const char *name)
{
    const struct {
        const char *name, **to;
    } row[] = {{"--token-file", &f->token_file},
               {"--cacert", &f->cacert},
               {"--cert", &f->cert},
               {"--key", &f->key},
               {"--unix-socket", &f->unix_socket},
               {"--method", &f->method}};
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++)
        if (strcmp(name, row[i].name) == 0)
            return row[i].to;
    return NULL;
}

static enum live_option number_option(struct feed_opts *f, const char *name, const char *value)
{
    const struct {
        const char *name;
        int *to;
    } row[] = {{"--connect-timeout", &f->connect_s}, {"--stall-timeout", &f->stall_s}};
    uint64_t n = 0;
    if (strcmp(name, "--seconds") == 0)
        return !value ? LIVE_NEEDS : number(value, &f->seconds) ? LIVE_VALUE : LIVE_WRONG;
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++)
        if (strcmp(name, row[i].name) == 0) {
            if (!value)
                return LIVE_NEEDS;
            if (!number(value, &n))
                return LIVE_WRONG;
            *row[i].to = (int)n;
            return LIVE_VALUE;
        }
    return LIVE_NOT;
}

enum live_option live_option(struct live_opts *o, const char *name, const char *value)
{
    const char **to = text_option(&o->feed, name);
    if (strcmp(name, "--insecure") == 0) {
        o->feed.insecure = true;
        return LIVE_FLAG;
    }
    if (strcmp(name, "-H") == 0) {
        if (value && o->feed.nheaders < FEED_HEADERS)
            o->feed.header[o->feed.nheaders++] = value;
        else
            return value ? LIVE_WRONG : LIVE_NEEDS;
        return LIVE_VALUE;
    }
    if (!to)
        return number_option(&o->feed, name, value);
    if (value)
        *to = value;
    return value ? LIVE_VALUE : LIVE_NEEDS;
}

static enum live_option own_option(const struct live_command *c, const char *name, const char *value,
                                   int *status)
{
    for (const struct live_own *own = c->own; own->name; own++) {
        if (strcmp(name, own->name) != 0)
            continue;
        if (!own->flag && !value)
            return LIVE_NEEDS;
        bool good = own->set(c->arg, value, status);
        return !good ? LIVE_WRONG : own->flag ? LIVE_FLAG : LIVE_VALUE;
    }
    return LIVE_NOT;
}

/* What is wrong with an option, if anything is: the exit status, else 0. */
static int option_wrong(const struct live_command *c, enum live_option is, const char *arg, bool apart,
                        int status)
{
    if (status)
        return status;
    if (is == LIVE_NOT) {
        char what[80];
        snprintf(what, sizeof what, "unknown option (gotop %s --help)", c->name);
        return live_say(c->name, arg, what);
    }
    if (is == LIVE_NEEDS)
        return live_say(c->name, arg, "needs a value");
    if (is == LIVE_WRONG)
        return live_say(c->name, arg, "makes no sense with this value");
    return is == LIVE_FLAG && !apart ? live_say(c->name, arg, "takes no value") : 0;
}

const char *live_split(int argc, char **argv, int i, char name[LIVE_NAME], bool *apart)
{
    const char *arg = argv[i], *eq = arg[1] == '-' ? strchr(arg, '=') : NULL;
    snprintf(name, LIVE_NAME, "%.*s", eq ? (int)(eq - arg) : (int)strlen(arg), arg);
    *apart = !eq;
    return eq ? eq + 1 : i + 1 < argc ? argv[i + 1] : NULL;
}

static int read_option(const struct live_command *c, int argc, char **argv, int *i)
{
    char name[LIVE_NAME];
    bool apart;
    const char *arg = argv[*i], *value = live_split(argc, argv, *i, name, &apart);
    int status = 0;
    enum live_option is = own_option(c, name, value, &status);
    if (is == LIVE_NOT)
        is = live_option(c->live, name, value);
    *i += is == LIVE_VALUE && apart;
    return option_wrong(c, is, arg, apart, status);
}

int live_parse(const struct live_command *c, int argc, char **argv)
{
    int status = 0;
    bool ended = false;
    for (int i = 1; i < argc && !status; i++) {
        if (!ended && (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)) {
            struct text t = {0};
            say_fitted(&t, c->usage);
            say_fitted(&t, live_usage);
            say_fitted(&t, "Exit status: 0 it ended as asked, or with the program; 2 wrong usage, the "
                           "program can't be reached, "
                           "the connection broke, or a file can't be written.\n");
            return say_list(c->name, &t);
        }
        if (!ended && strcmp(argv[i], "--") == 0)
            ended = true;
        else if (!ended && argv[i][0] == '-' && argv[i][1])
            status = read_option(c, argc, argv, &i);
        else if (c->live->where)
            status = live_say(c->name, argv[i], "one program at a time");
        else
            c->live->where = argv[i];
    }
    return status ? status : -1;
}
