/*
 * patience.c - a thread that only sleeps and writes a line, while the caller's thread works.
 */
#include "viewer/term/patience.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "decode/base/door.h"
#include "decode/base/mem.h"
#include "decode/base/thread.h"

enum { FIRST_MS = 333, LINE_MS = 1000 };

struct patience {
    pthread_t thread;
    int over[2]; /* a pipe that becomes readable once it is over */
    const char *what;
};

static bool is_over(const struct patience *p, int ms)
{
    struct pollfd f = {.fd = p->over[0], .events = POLLIN};
    return poll(&f, 1, ms) > 0;
}

static void *run(void *arg)
{
    const struct patience *p = arg;
    if (is_over(p, FIRST_MS))
        return NULL;
    for (int seconds = 0; seconds == 0 || !is_over(p, LINE_MS); seconds++) {
        char line[80];
        snprintf(line, sizeof line, "gotop: %s (%ds, Ctrl-C leaves)", p->what, seconds);
        door_status(line);
    }
    door_wipe();
    return NULL;
}

struct patience *patience_begin(const char *what)
{
    struct patience *p = isatty(STDERR_FILENO) ? mem_zalloc(sizeof *p) : NULL;
    if (!p)
        return NULL;
    p->what = what;
    if (pipe2(p->over, O_CLOEXEC) == 0) {
        if (!thread_start(&p->thread, NULL, run, p))
            return p;
        close(p->over[0]);
        close(p->over[1]);
    }
    mem_free(p);
    return NULL;
}

void patience_end(struct patience *p)
{
    if (!p)
        return;
    close(p->over[1]);
    pthread_join(p->thread, NULL);
    close(p->over[0]);
    mem_free(p);
}
