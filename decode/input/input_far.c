/* input_far.c - see input_far.h. */
#include "decode/input/input_far.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "decode/input/input.h"

static struct feed_opts opts = {.seconds = INPUT_FAR_S};

void input_far_opts(const struct feed_opts *o)
{
    opts = *o;
    opts.seconds = o->seconds ? o->seconds : INPUT_FAR_S;
}

const struct feed_opts *input_far_by(void)
{
    return &opts;
}

bool input_is_far(const char *path)
{
    struct stat st;
    char archive[4096];
    return feed_is_url(path) && stat(path, &st) != 0 && !input_member(path, archive, sizeof archive);
}

static struct {
    const char *url;
    char shown[FEED_SHOWN];
} known[INPUT_FARS];
static int nknown;

const char *input_far_add(const char *name)
{
    if (!input_is_far(name))
        return name;
    if (nknown == INPUT_FARS)
        return NULL;
    known[nknown].url = name;
    const char *shown = feed_shown(name, known[nknown].shown);
    if (shown != known[nknown].shown)
        snprintf(known[nknown].shown, FEED_SHOWN, "%s", shown);
    return known[nknown++].shown;
}

const char *input_far_url(const char *name)
{
    for (int i = 0; i < nknown; i++)
        if (strcmp(name, known[i].shown) == 0)
            return known[i].url;
    return name;
}
