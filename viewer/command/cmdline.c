/*
 * cmdline.c - see cmdline.h.
 */
#include "viewer/command/cmdline.h"

#include <stdlib.h>
#include <string.h>

#include "triage/query/goto.h"
#include "layout/move/view.h"
#include "layout/move/kind.h"
#include "triage/text.h"

static const struct command command = {.bit = CMD_VIEW};

bool cmdline_size(const char *s, int *w, int *h)
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

static bool view_number(const char *s, int *out)
{
    char *end;
    long n = strtol(s, &end, 10);
    *out = end == s ? kind_find(s, strlen(s)) : (int)n;
    return end == s ? *out != VIEW_NONE : !*end && n >= 1 && n <= KIND_DIGITS;
}

static bool wrong(const char *option, const char *value, const char *why)
{
    (void)options_wrong(&command, option, value, why);
    return false;
}

static bool wrong_view(const char *value)
{
    struct text t = {0};
    for (int k = VIEW_NONE + 1; k < VIEW_END; k++)
        text_add(&t, "%s%s", k == VIEW_NONE + 1 ? "there are 1 to 9, " : ", ", kind_name(k));
    wrong("--view", value, text_ok(&t) ? t.p : "out of memory");
    text_free(&t);
    return false;
}

/* Read the values that only a viewer understands. */
static bool read_words(struct cmdline *c)
{
    const struct options *o = &c->o;
    struct target t;
    c->o.headless |= o->svg;
    c->tier_given = o->glyphs && tier_parse(o->glyphs, &c->tier);
    if (o->color)
        (void)color_when_parse(o->color, &c->color);
    if (o->size && !cmdline_size(o->size, &c->w, &c->h))
        return wrong("--size", o->size, "this is no screen: columns x rows, 100x30");
    if (o->view_word && !view_number(o->view_word, &c->view))
        return wrong_view(o->view_word);
    if (o->at && (!goto_parse(NULL, o->at, &t, NULL) || t.has_lane))
        return wrong("--at", o->at, "this is no time and no range: 1.25s, 50%, 1.2s..1.3s are");
    if (o->lane_word && (!goto_parse(NULL, o->lane_word, &t, NULL) || !t.has_lane))
        return wrong("--lane", o->lane_word, "this is no lane: g123, p4, m7, g123@1.25s are");
    for (uint32_t i = 0; i < o->roots.n; i++)
        if (!strchr(o->roots.v[i], '='))
            return wrong("--source-root", o->roots.v[i], "A=B says which folder is where");
    c->lane = o->lane_word;
    return true;
}

bool cmdline_parse(int argc, char **argv, struct cmdline *c)
{
    static char link[LINK_PLACE];
    struct target place;
    *c = (struct cmdline){.w = 80, .h = 24};
    if (options_read(&command, argc, argv, &c->o) >= 0 || !read_words(c))
        return false;
    for (uint32_t i = 0; i < c->o.noperands; i++) {
        if (!link_split((char *)(uintptr_t)c->o.operand[i], link)) /* FILE@TIME:LANE: the name ends here */
            continue;
        if (!goto_parse(NULL, link, &place, NULL))
            return options_wrong(&command, link, NULL, "no place in a trace; g17@1.25s is one") < 0;
        c->lane = link;
    }
    return options_traces(&command, &c->o) < 0;
}
