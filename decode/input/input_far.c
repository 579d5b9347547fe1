/* input_far.c - see input_far.h. */
#include "decode/input/input_far.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode/base/mem.h"
#include "decode/base/thread.h"
#include "decode/input/input.h"

enum { ROOM = 1 << 16, WAIT_MS = 200 };

static struct feed_opts opts = {.seconds = INPUT_FAR_S};

void input_far_opts(const struct feed_opts *o)
{
    opts = *o;
    opts.seconds = o->seconds ? o->seconds : INPUT_FAR_S;
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

/* All of it to the pipe. false: nobody reads it any more. */
static bool pass_on(int fd, const uint8_t *p, size_t n)
{
    while (n) {
        const ssize_t k = write(fd, p, n);
        if (k < 0 && errno != EINTR)
            return false;
        p += k > 0 ? k : 0;
        n -= k > 0 ? (size_t)k : 0;
    }
    return true;
}

static void *far_main(void *arg)
{
    struct input_far *f = arg;
    uint8_t *buf = mem_alloc(ROOM);
    enum feed_state s = buf ? FEED_WAIT : FEED_END;
    if (!buf)
        err_set(&f->why, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
    while (s == FEED_WAIT || s == FEED_DATA) {
        struct feed_room room = {.p = buf, .cap = ROOM};
        s = feed_read(f->feed, &room, WAIT_MS, &f->why);
        if (s == FEED_DATA && !pass_on(f->to, buf, room.n))
            break;
    }
    if (s != FEED_FAILED && f->why.code != ERR_NOMEM)
        f->why = (struct err){0};
    mem_free(buf);
    close(f->to);
    return NULL;
}

enum err_code input_far_begin(struct input_far *f, const char *url, int *fd, struct err *e)
{
    int end[2];
    *f = (struct input_far){.to = -1};
    *fd = -1;
    if (feed_open(input_far_url(url), &opts, &f->feed, e))
        return e->code;
    if (pipe2(end, O_CLOEXEC)) {
        feed_close(f->feed);
        return err_set(e, ERR_IO, ERR_NO_OFFSET, "no pipe: %s", strerror(errno));
    }
    f->to = end[1];
    *fd = end[0];
    if (thread_start(&f->thread, NULL, far_main, f) == 0)
        return ERR_OK;
    feed_close(f->feed);
    close(end[0]);
    close(end[1]);
    *fd = -1;
    return err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "a thread to read with can't be started");
}

struct err input_far_end(struct input_far *f, int fd)
{
    close(fd);
    pthread_join(f->thread, NULL);
    feed_close(f->feed);
    return f->why;
}
