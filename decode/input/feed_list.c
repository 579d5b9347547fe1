/*
 * feed_list.c - see feed.h. A list is a file that names a program on each line.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "decode/base/mem.h"
#include "decode/base/origin.h"
#include "decode/input/feed_priv.h"

/* Returns all that can be read, with a NUL after it. NULL: it is too long, or errno says why. */
static char *whole(int fd, size_t *n)
{
    char *p = mem_alloc(FEED_LIST_BYTES + 1);
    ssize_t k = 1;
    *n = 0;
    while (p && *n < FEED_LIST_BYTES && (k = read(fd, p + *n, FEED_LIST_BYTES - *n)) != 0)
        if (k > 0)
            *n += (size_t)k;
        else if (errno != EINTR)
            break;
    if (p && k == 0) {
        p[*n] = '\0';
        return p;
    }
    errno = !p ? ENOMEM : k > 0 ? EFBIG : errno;
    mem_free(p);
    return NULL;
}

char *feed_list_whole(int fd)
{
    size_t n;
    return whole(fd, &n);
}

enum err_code feed_list_read(const char *path, char **text, struct err *e)
{
    size_t n;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    *text = fd >= 0 ? whole(fd, &n) : NULL;
    const int why = errno;
    if (fd >= 0) {
        origin_note(fd);
        close(fd);
    }
    if (!*text)
        return err_set(e, why == ENOMEM ? ERR_NOMEM : ERR_IO, ERR_NO_OFFSET, "the list can't be read: %s",
                       strerror(why));
    if (memchr(*text, '\0', n)) {
        mem_free(*text);
        *text = NULL;
        return err_set(e, ERR_ARG, ERR_NO_OFFSET, "the list is no text");
    }
    return ERR_OK;
}

enum err_code feed_list_next(const char **text, char where[FEED_WHERE], struct err *e)
{
    where[0] = '\0';
    while (**text) {
        const char *line = *text + strspn(*text, " \t\r\n");
        size_t n = strcspn(line, "\n");
        *text = line + n;
        while (n && strchr(" \t\r", line[n - 1]))
            n--;
        if (!n || *line == '#')
            continue;
        if (n >= FEED_WHERE)
            return err_set(e, ERR_ARG, ERR_NO_OFFSET, "a line of the list is too long");
        memcpy(where, line, n);
        where[n] = '\0';
        for (size_t i = 0; i < n; i++)
            if ((unsigned char)where[i] <= 0x20 || where[i] == 0x7f) {
                where[0] = '\0';
                return err_set(e, ERR_ARG, ERR_NO_OFFSET, "a line of the list is one place, without blanks");
            }
        return ERR_OK;
    }
    return ERR_OK;
}
