/*
 * feed_far.c - lets the clerk (decode/base/clerk.h) open feeds, because this process may be in the sandbox
 * and can't. The clerk opens the file or starts curl, and passes on the descriptors.
 *
 * The clerk opens only addresses of feed_outside() and feed_outside_also(). So a request names one of these,
 * and whoever takes over this process can't make the clerk open anything else.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "decode/base/clerk.h"
#include "decode/base/mem.h"
#include "decode/base/rows.h"
#include "decode/input/feed_priv.h"

enum { FEEDS = 16, PLACES = 128, ASKED = 2, WAIT = 'w', KILL = 'k' };

static const char *place[PLACES];
static unsigned nplaces;
static const struct feed_opts *asked[ASKED];
static int action_open, action_end;

int feed_wait(struct feed *f, bool kill_it)
{
    struct clerk_said said;
    int status = 0;
    if (f->far) {
        char which[16];
        snprintf(which, sizeof which, "%c%d", kill_it ? KILL : WAIT, f->far - 1);
        f->far = 0;
        return clerk_ask(action_end, which, &said) ? (int)said.value : -1;
    }
    if (f->pid > 0) {
        if (kill_it)
            kill(f->pid, SIGTERM);
        while (waitpid(f->pid, &status, 0) < 0 && errno == EINTR) {
        }
    }
    f->pid = 0;
    return status;
}

/* ---- the clerk ----------------------------------------------------------------------------------------- */

static struct feed feed[FEEDS];
static bool used[FEEDS];

static void forget_feed(struct feed *f)
{
    mem_free((char *)(uintptr_t)f->path);
    used[f - feed] = false;
}

/* The request is a digit, which says which options apply, and the address. */
static void do_fetch(const char *text, struct clerk_said *said)
{
    const int which = *text - '0';
    const char *what = *text ? text + 1 : text;
    struct err e = {0};
    const int at = (int)find_first(i, FEEDS, !used[i]);
    const bool known = any_of(i, nplaces, strcmp(what, place[i]) == 0);
    if (which < 0 || which >= ASKED || !asked[which] || at == FEEDS || !known) {
        said->error = at == FEEDS ? EMFILE : EINVAL;
        return;
    }
    struct feed *f = &feed[at];
    *f = (struct feed){.fd = -1, .err_fd = -1};
    used[at] = true;
    said->code = (int)feed_open_near(f, what, asked[which], &e);
    said->error = said->code ? EIO : 0;
    memcpy(said->text, e.what, sizeof e.what);
    if (said->code) {
        feed_shut(&f->fd);
        feed_shut(&f->err_fd);
        (void)feed_wait(f, true);
        forget_feed(f);
        return;
    }
    memcpy(said->text, &f->is, sizeof f->is);
    said->fd[0] = f->fd;
    said->fd[1] = f->err_fd;
    said->value = at;
}

/* The request says whether to end it first, and which one it is. */
static void do_end(const char *text, struct clerk_said *said)
{
    const int i = *text ? atoi(text + 1) : -1;
    if (i < 0 || i >= FEEDS || !used[i]) {
        said->error = EINVAL;
        return;
    }
    said->value = feed_wait(&feed[i], *text == KILL);
    forget_feed(&feed[i]);
}

static void end_all(void)
{
    for (int i = 0; i < FEEDS; i++)
        if (used[i])
            (void)feed_wait(&feed[i], true);
}

/* ---- this process -------------------------------------------------------------------------------------- */

void feed_outside_also(const char *what)
{
    if (nplaces < PLACES)
        place[nplaces++] = what;
}

void feed_outside(const char *what, const struct feed_opts *o, const struct feed_opts *also)
{
    feed_outside_also(what);
    asked[0] = o;
    asked[1] = also;
    action_open = clerk_add(do_fetch, end_all);
    action_end = clerk_add(do_end, NULL);
}

enum err_code feed_open_far(struct feed *f, const char *what, const struct feed_opts *o, struct err *e)
{
    struct clerk_said said;
    char which[CLERK_TEXT];
    const size_t n = strlen(what) + 1;
    snprintf(which, sizeof which, "%c%s", '0' + (o->profile != NULL), what);
    if (!clerk_ask(action_open, which, &said))
        return said.code ? err_set(e, (enum err_code)said.code, ERR_NO_OFFSET, "%.199s", said.text)
                         : err_set(e, ERR_IO, ERR_NO_OFFSET, "can't open: %s", strerror(said.error));
    memcpy(&f->is, said.text, sizeof f->is);
    f->fd = said.fd[0];
    f->err_fd = said.fd[1];
    f->own = true;
    f->far = (int)said.value + 1;
    if (!f->is.grows)
        return ERR_OK;
    f->path = mem_alloc(n);
    if (!f->path)
        return err_nomem(e);
    memcpy((char *)(uintptr_t)f->path, what, n);
    return ERR_OK;
}
