/* input.c - see input.h. */
#include "decode/input.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "decode/mem.h"

struct buf {
    uint8_t *p;
    size_t n, cap;
    uint64_t limit;
};

static enum err_code buf_room(struct buf *b, size_t more, struct err *e)
{
    if (b->limit && b->n + more > b->limit)
        return err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "a pipe or compressed, it needs more than the limit of %" PRIu64 " bytes (--max-memory); a plain file doesn't",
                       b->limit);
    uint8_t *p = mem_grow(b->p, &b->cap, b->n + more, 1);
    if (!p)
        return err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory after %zu bytes of input", b->n);
    b->p = p;
    return ERR_OK;
}

static enum err_code read_all(int fd, struct buf *b, struct err *e)
{
    for (;;) {
        enum err_code rc = buf_room(b, 1 << 20, e);
        if (rc)
            return rc;
        ssize_t n = read(fd, b->p + b->n, 1 << 20);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_set(e, ERR_IO, b->n, "can't read: %s", strerror(errno));
        if (n == 0)
            return ERR_OK;
        b->n += (size_t)n;
    }
}

static enum err_code gunzip(const uint8_t *src, size_t len, struct buf *b, struct err *damage, struct err *e)
{
    z_stream z = {.next_in = (Bytef *)(uintptr_t)src};
    if (inflateInit2(&z, 15 + 16) != Z_OK)
        return err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
    enum err_code rc = ERR_OK;
    size_t left = len;
    for (;;) {
        if ((rc = buf_room(b, 1 << 18, e)))
            break;
        if (!z.avail_in && left) {
            z.avail_in = left > 1u << 30 ? 1u << 30 : (uInt)left;
            left -= z.avail_in;
        }
        z.next_out = b->p + b->n;
        z.avail_out = 1 << 18;
        int r = inflate(&z, Z_NO_FLUSH);
        size_t got = (1 << 18) - z.avail_out;
        b->n += got;
        if (r == Z_STREAM_END) {
            if (!z.avail_in && !left)
                break;
            if (inflateReset(&z) != Z_OK || *z.next_in != 0x1f) /* another member, or padding: that is the end */
                break;
        } else if (r != Z_OK && !(r == Z_BUF_ERROR && (z.avail_in || left))) {
            err_set(damage, r == Z_BUF_ERROR ? ERR_TRUNCATED : ERR_FORMAT, b->n, r == Z_BUF_ERROR ?
                    "the gzip file ends early" : "the gzip data is damaged here");
            break;
        } else if (!got && !z.avail_in && !left) {
            err_set(damage, ERR_TRUNCATED, b->n, "the gzip file ends early");
            break;
        }
    }
    inflateEnd(&z);
    return rc;
}

static enum err_code unzstd(const uint8_t *src, size_t len, struct buf *b, struct err *damage, struct err *e)
{
    ZSTD_DStream *z = ZSTD_createDStream();
    if (!z)
        return err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
    ZSTD_inBuffer in = {src, len, 0};
    enum err_code rc = ERR_OK;
    size_t r = 1;
    for (;;) {
        if ((rc = buf_room(b, 1 << 18, e)))
            break;
        ZSTD_outBuffer out = {b->p + b->n, 1 << 18, 0};
        r = ZSTD_decompressStream(z, &out, &in);
        b->n += out.pos;
        if (ZSTD_isError(r)) {
            err_set(damage, ERR_FORMAT, b->n, "the zstd data is damaged here: %s", ZSTD_getErrorName(r));
            break;
        }
        if (in.pos == in.size && out.pos < out.size) {
            if (r)
                err_set(damage, ERR_TRUNCATED, b->n, "the zstd file ends early");
            break;
        }
    }
    ZSTD_freeDStream(z);
    return rc;
}

static void own(struct input *in, struct buf *b)
{
    uint8_t *p = b->n && b->n < b->cap ? mem_resize(b->p, b->n) : NULL; /* give back what doubling left over */
    b->p = p ? p : b->p;
    in->data = b->p;
    in->len = b->n;
    in->map = b->p;
    in->mapped = false;
}

static enum err_code decompress(struct input *in, uint64_t limit, struct err *e)
{
    static const uint8_t zstd[4] = {0x28, 0xb5, 0x2f, 0xfd};
    bool gz = in->len >= 2 && in->data[0] == 0x1f && in->data[1] == 0x8b;
    bool zs = in->len >= 4 && !memcmp(in->data, zstd, 4);
    if (!gz && !zs)
        return ERR_OK;
    struct buf b = {.limit = limit};
    struct err damage = {0};
    enum err_code rc = (gz ? gunzip : unzstd)(in->data, in->len, &b, &damage, e);
    if (rc) {
        mem_free(b.p);
        return rc;
    }
    input_close(in);
    in->damage = damage;
    own(in, &b);
    if (!in->len)
        return err_set(e, damage.code ? damage.code : ERR_EMPTY, 0, "%s",
                       damage.code ? damage.what : "the compressed file holds nothing");
    return ERR_OK;
}

enum err_code input_open(const char *path, uint64_t limit, struct input *in, struct err *e)
{
    memset(in, 0, sizeof *in);
    bool is_stdin = !strcmp(path, "-");
    int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return err_set(e, ERR_IO, ERR_NO_OFFSET, "can't open: %s", strerror(errno));
    struct stat st;
    enum err_code rc = ERR_OK;
    if (fstat(fd, &st))
        rc = err_set(e, ERR_IO, ERR_NO_OFFSET, "can't read: %s", strerror(errno));
    else if (S_ISDIR(st.st_mode))
        rc = err_set(e, ERR_IO, ERR_NO_OFFSET, "is a directory, not a trace");
    else if (S_ISREG(st.st_mode) && st.st_size > 0) {
        void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (p == MAP_FAILED) {
            rc = err_set(e, ERR_IO, ERR_NO_OFFSET, "can't map: %s", strerror(errno));
        } else {
            madvise(p, (size_t)st.st_size, MADV_SEQUENTIAL);
            in->map = p;
            in->data = p;
            in->len = in->maplen = (size_t)st.st_size;
            in->mapped = true;
        }
    } else {
        struct buf b = {.limit = limit};
        if (!(rc = read_all(fd, &b, e))) /* files of size 0, too: some only tell when read */
            own(in, &b);
        else
            mem_free(b.p);
    }
    if (!is_stdin)
        close(fd);
    if (!rc && !in->len)
        rc = err_set(e, ERR_EMPTY, 0, "is empty: expected a trace header, found nothing");
    if (!rc)
        rc = decompress(in, limit, e);
    if (rc)
        input_close(in);
    return rc;
}

void input_close(struct input *in)
{
    if (in->mapped)
        munmap(in->map, in->maplen);
    else
        mem_free(in->map);
    memset(in, 0, sizeof *in);
}
