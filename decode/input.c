/*
 * input.c - see input.h.
 *
 * A file's kind is asked before it is opened, since opening a device can do things, and again afterwards, since the name
 * may have gone to another file in between. What is compressed is unpacked from its mapping, what comes through a pipe
 * as it comes.
 */
#include "decode/input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode/mapped.h"
#include "decode/mem.h"
#include "decode/unpack.h"

/* NULL: it can be read. Else why it isn't. Standard input may be a socket: that is how some programs make pipes. */
static const char *no_file(const struct stat *st, bool is_stdin)
{
    if (S_ISDIR(st->st_mode))
        return "is a directory, not a trace";
    if (S_ISCHR(st->st_mode) || S_ISBLK(st->st_mode))
        return is_stdin ? "is a device or a terminal, not a trace: name a file, or pipe one into it"
                        : "is a device, not a trace";
    return S_ISSOCK(st->st_mode) && !is_stdin ? "is a socket, not a trace" : NULL;
}

static enum err_code input_fd(const char *path, bool is_stdin, int *fd, struct stat *st, struct err *e)
{
    const char *why = NULL;
    *fd = -1;
    if (!is_stdin && !stat(path, st) && (why = no_file(st, !strcmp(path, "/dev/stdin"))))
        return err_set(e, ERR_IO, ERR_NO_OFFSET, "%s", why);
    *fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (*fd < 0)
        return err_set(e, ERR_IO, ERR_NO_OFFSET, "can't open: %s", strerror(errno));
    if (fstat(*fd, st))
        return err_set(e, ERR_IO, ERR_NO_OFFSET, "can't read: %s", strerror(errno));
    why = no_file(st, is_stdin);
    return why ? err_set(e, ERR_IO, ERR_NO_OFFSET, "%s", why) : ERR_OK;
}

static enum err_code input_map(int fd, size_t n, struct input *in, struct err *e)
{
    void *p = mapped_new(fd, n);
    if (!p)
        return err_set(e, ERR_IO, ERR_NO_OFFSET, "can't map: %s", strerror(errno));
    madvise(p, n, MADV_SEQUENTIAL);
    in->map = p;
    in->data = p;
    in->len = in->maplen = n;
    in->mapped = true;
    return ERR_OK;
}

/* What the stream gives becomes the input, in place of what it was before. */
static enum err_code input_take(struct input *in, struct feed *f, uint64_t limit, struct err *e)
{
    struct sink b = {.limit = limit};
    struct err damage = {0};
    enum err_code rc = unpack(f, &b, &damage, e);
    if (!rc && !f->taken)
        rc = err_set(e, ERR_EMPTY, 0, "is empty: expected a trace header, found nothing");
    else if (!rc && !b.n)
        rc = err_set(e, damage.code ? damage.code : ERR_EMPTY, 0, "%s",
                     damage.code ? damage.what : "the compressed file holds nothing");
    if (rc) {
        mem_free(b.p);
        return rc;
    }
    input_close(in);
    uint8_t *p = b.n < b.cap ? mem_resize(b.p, b.n) : NULL; /* give back what it grew too much */
    in->map = p ? p : b.p;
    in->data = in->map;
    in->len = b.n;
    in->damage = damage;
    return ERR_OK;
}

static enum err_code input_stream(int fd, uint64_t limit, struct input *in, struct err *e)
{
    struct feed f = {.fd = fd, .buf = mem_alloc(FEED_BYTES)};
    if (!f.buf)
        return err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
    enum err_code rc = input_take(in, &f, limit, e);
    mem_free(f.buf);
    return rc;
}

enum err_code input_open(const char *path, uint64_t limit, struct input *in, struct err *e)
{
    struct err unheard;
    struct stat st;
    bool is_stdin = !strcmp(path, "-");
    int fd;
    e = e ? e : &unheard;
    memset(in, 0, sizeof *in);
    enum err_code rc = input_fd(path, is_stdin, &fd, &st, e);
    if (!rc && S_ISREG(st.st_mode) && st.st_size > 0) {
        rc = input_map(fd, (size_t)st.st_size, in, e);
        struct feed f = {in->data, in->len, -1, NULL, in->len};
        if (!rc && unpack_packed(in->data, in->len))
            rc = input_take(in, &f, limit, e);
    } else if (!rc) { /* files of size 0, too: some only tell when read */
        rc = input_stream(fd, limit, in, e);
    }
    if (!is_stdin && fd >= 0)
        close(fd);
    if (rc)
        input_close(in);
    return rc;
}

void input_close(struct input *in)
{
    if (in->mapped)
        mapped_free(in->map, in->maplen);
    else
        mem_free(in->map);
    memset(in, 0, sizeof *in);
}
