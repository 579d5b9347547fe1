/*
 * input.c - see input.h.
 *
 * A file's kind is asked before it is opened, since opening a device can do things, and again afterwards,
 * since the name may have gone to another file in between. What is compressed is unpacked from its mapping,
 * what comes through a pipe as it comes (feed.h).
 */
#include "decode/input/input.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "decode/input/mapped.h"
#include "decode/base/mem.h"
#include "decode/base/origin.h"
#include "decode/base/rows.h"
#include "decode/base/spill.h"
#include "decode/input/unpack.h"
#include "decode/input/zip.h"
#include "decode/v1/v1_wire.h"
#include "decode/v2/v2_raw.h"

/* ---- a URL in place of a file's name ------------------------------------------------------------------- */

static struct feed_opts far_by = {.seconds = INPUT_FAR_S};

void input_far_opts(const struct feed_opts *o)
{
    far_by = *o;
    far_by.seconds = o->seconds ? o->seconds : INPUT_FAR_S;
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

/* ---- opening ------------------------------------------------------------------------------------------- */

/* Returns why it can't be read, or NULL. Standard input may be a socket: that is how some programs make
 * pipes. */
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
    origin_note(*fd, NULL);
    return why ? err_set(e, ERR_IO, ERR_NO_OFFSET, "%s", why) : ERR_OK;
}

/*
 * Returns how much of a file there is to be read. One that says to be so many times as large as what its disk
 * holds of it, as no compressing disk makes it (UNPACK_RATIO), ends at its first hole: behind it stand zeros,
 * for hours.
 */
static uint64_t input_there(int fd, const struct stat *st, struct err *damage)
{
    const uint64_t size = (uint64_t)st->st_size, kept = (uint64_t)st->st_blocks * 512;
    const off_t hole =
        size > UNPACK_FREE && size / UNPACK_RATIO > kept ? lseek(fd, 0, SEEK_HOLE) : st->st_size;
    if (hole <= 0 || hole >= st->st_size)
        return size;
    err_set(damage, ERR_FORMAT, (uint64_t)hole,
            "the file is empty from here on: of %" PRIu64 " bytes its disk holds %" PRIu64, size, kept);
    return (uint64_t)hole;
}

/* Map a file. Files of some file systems can't be: then nothing is mapped, and that is ERR_OK. */
static enum err_code input_map(int fd, uint64_t n, struct input *in, struct err *e)
{
    void *p = mapped_new(fd, n);
    if (!p && errno == ENODEV)
        return ERR_OK;
    if (!p)
        return err_set(e, ERR_IO, ERR_NO_OFFSET, "can't map its %" PRIu64 " bytes: %s", n, strerror(errno));
    madvise(p, (size_t)n, MADV_SEQUENTIAL);
    in->map = p;
    in->data = p;
    in->len = in->maplen = (size_t)n;
    in->mapped = true;
    return ERR_OK;
}

/* ---- what has to be held ------------------------------------------------------------------------------- */

#define STEP ((size_t)1 << 18) /* maximum output between two checks */
#define REST ((size_t)4 << 20) /* after so much pages of the temporary file may go */
#define HEADER 16

struct sink { /* the bytes so far; it grows by an eighth, so that it is never much larger than its contents */
    uint8_t *p;
    size_t n, cap;
    uint64_t limit; /* 0 = no limit */
    uint64_t held;  /* bytes that the decompressor holds; they count towards the limit */
    bool known;     /* the header was found to be a trace's */
};

static size_t beyond(const struct sink *b, struct err *e)
{
    err_set(e, ERR_NOMEM, ERR_NO_OFFSET,
            "a pipe or compressed, it needs more than the limit of %" PRIu64
            " bytes (--max-memory)%s%s; a plain file doesn't",
            b->limit, *spill_why() ? ", and " : "", spill_why());
    return 0;
}

/* Returns whether a batch begins behind the header, as in either family: no disk is to be filled by what has
 * no end, or unpacks to zeros. */
static bool batch_follows(const struct sink *b)
{
    struct dialect d;
    struct err e;
    if (dialect_tell(b->p, b->n, &d, &e) || b->n <= d.header)
        return false;
    const uint8_t first = b->p[d.header];
    return d.second_family ? first == V2R_EVENTS || first == V2R_EXPERIMENTAL
                           : (first & (V1_TYPES - 1)) == V1_BATCH;
}

/* Make room for the next bytes, at b->p + b->n. Returns for how many; 0: none, beyond the limit. */
static size_t sink_room(struct sink *b, struct err *e)
{
    const bool bound = b->limit && (!mem_spills() || (b->n >= b->limit && !batch_follows(b)));
    const uint64_t most = bound ? b->limit > b->held ? b->limit - b->held : 0 : SIZE_MAX / 2;
    if (b->n >= most)
        return beyond(b, e);
    const size_t room = most - b->n < STEP ? (size_t)(most - b->n) : STEP;
    if (b->cap - b->n >= room)
        return room;
    size_t cap = b->n + room > b->cap + b->cap / 8 ? b->n + room : b->cap + b->cap / 8;
    cap = cap > most ? (size_t)most : cap;
    uint8_t *p = mem_resize(b->p, cap);
    if (!p && b->limit && cap > b->limit && !mem_spills())
        return beyond(b, e);
    if (!p)
        return err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory after %zu bytes of input", b->n), 0;
    b->p = p;
    b->cap = cap;
    return room;
}

/* Take n more bytes. A trace says so in its first ones, so what is none is refused after them. */
static enum err_code sink_got(struct sink *b, size_t n, struct err *e)
{
    struct dialect d;
    if ((b->n + n) / REST != b->n / REST)
        mem_rest();
    b->n += n;
    if (b->known || b->n < HEADER)
        return ERR_OK;
    b->known = true;
    return dialect_tell(b->p, b->n, &d, e);
}

/* Make all that comes the input, in place of what it was. What came before something went wrong is the trace,
 * damaged; if nothing came, that is what went wrong. */
static enum err_code input_feed(struct input *in, struct feed *f, uint64_t limit, struct err *e)
{
    enum { WAIT_MS = 200 };
    struct sink b = {.limit = limit};
    struct err why = {0};
    enum feed_state s = FEED_WAIT;
    while ((s == FEED_WAIT || s == FEED_DATA) && !e->code) {
        struct feed_room to = {.cap = sink_room(&b, e)};
        if (!to.cap)
            break;
        to.p = b.p + b.n;
        s = feed_read(f, &to, WAIT_MS, &why);
        b.held = feed_held(f);
        if (s == FEED_DATA)
            (void)sink_got(&b, to.n, e);
    }
    const bool packed = feed_packed(f);
    feed_close(f);
    why = s == FEED_FAILED ? why : (struct err){0};
    if (!e->code && (!b.n || why.code == ERR_NOMEM))
        *e = why.code ? why
                      : (struct err){.code = ERR_EMPTY,
                                     .what = "is empty: expected a trace header, found nothing"};
    if (e->code == ERR_EMPTY && packed)
        err_set(e, ERR_EMPTY, 0, "the compressed file holds nothing");
    if (e->code) {
        mem_free(b.p);
        return e->code;
    }
    input_close(in);
    uint8_t *p = b.n < b.cap ? mem_resize(b.p, b.n) : NULL; /* give back what it grew too much */
    in->map = p ? p : b.p;
    in->data = in->map;
    in->len = b.n;
    in->damage = why;
    return ERR_OK;
}

/* Make the bytes of a mapped file the input, unpacked. */
static enum err_code input_unpack(struct input *in, const uint8_t *p, size_t n, bool deflated, uint64_t limit,
                                  struct err *e)
{
    struct feed *f;
    if (!feed_of_bytes(p, n, deflated, limit, &f, e))
        return input_feed(in, f, limit, e);
    feed_close(f);
    return e->code;
}

/* Make a member of the mapped archive the input; member NULL: the only one that is a trace. */
static enum err_code input_zip(struct input *in, const char *member, uint64_t limit, struct err *e)
{
    struct zip z;
    struct zip_member m;
    enum err_code rc = zip_open(in->data, in->len, &z, e);
    if (!rc)
        rc = zip_find(&z, member, &m, e);
    const uint8_t *p = rc ? NULL : zip_bytes(&z, &m, e);
    if (!p)
        return rc ? rc : e->code;
    if (m.method == ZIP_DEFLATED || unpack_packed(p, (size_t)m.packed)) {
        rc = input_unpack(in, p, (size_t)m.packed, m.method == ZIP_DEFLATED, limit, e);
    } else {
        in->data = p;
        in->len = (size_t)m.packed;
        rc = in->len ? ERR_OK : err_set(e, ERR_EMPTY, 0, "is empty: expected a trace header, found nothing");
    }
    if (!rc && !in->damage.code && m.crc != crc32_z(0, in->data, in->len) && m.method == ZIP_DEFLATED)
        err_set(&in->damage, ERR_FORMAT, ERR_NO_OFFSET,
                "the zip archive's checksum of this member is another one");
    return rc;
}

const char *input_member(const char *path, char *buf, size_t size)
{
    struct stat st;
    if (!strcmp(path, "-") || !stat(path, &st))
        return NULL;
    for (const char *c = strchr(path, ':'); c; c = strchr(c + 1, ':')) {
        size_t n = (size_t)(c - path);
        if (!n || n >= size)
            continue;
        memcpy(buf, path, n);
        buf[n] = 0;
        if (!stat(buf, &st) && S_ISREG(st.st_mode))
            return c + 1;
    }
    return NULL;
}

enum err_code input_open(const char *path, uint64_t limit, struct input *in, struct err *e)
{
    struct err unheard = {0};
    struct stat st;
    bool is_stdin = !strcmp(path, "-");
    int fd;
    char archive[4096];
    const char *member = input_member(path, archive, sizeof archive);
    e = e ? e : &unheard;
    *e = (struct err){0}; /* what unpacks looks at it */
    memset(in, 0, sizeof *in);
    struct feed *f;
    if (input_is_far(path))
        return feed_open(input_far_url(path), &far_by, &f, e) ? e->code : input_feed(in, f, limit, e);
    path = member ? archive : path;
    enum err_code rc = input_fd(path, is_stdin, &fd, &st, e);
    struct err hole = {0};
    const uint64_t there = !rc && S_ISREG(st.st_mode) ? input_there(fd, &st, &hole) : 0;
    if (!rc && there)
        rc = input_map(fd, there, in, e);
    if (!rc && !in->mapped) /* files of size 0, too: some only tell when read */
        rc = feed_of(fd, limit, &f, e) ? e->code : input_feed(in, f, limit, e);
    else if (!rc && zip_is(in->data, in->len))
        rc = input_zip(in, member, limit, e);
    else if (!rc && member)
        rc = err_set(e, ERR_FORMAT, 0, "no zip archive stands before the colon");
    else if (!rc && unpack_packed(in->data, in->len))
        rc = input_unpack(in, in->data, in->len, false, limit, e);
    if (!rc && hole.code && in->mapped) /* else unpacking tells what is missing */
        in->damage = hole;
    if (!is_stdin && fd >= 0)
        close(fd);
    if (rc)
        input_close(in);
    return rc;
}

bool input_archive(const char *path, struct input *in)
{
    struct stat st;
    struct err e;
    int fd;
    memset(in, 0, sizeof *in);
    if (!strcmp(path, "-"))
        return false;
    bool is = !input_fd(path, false, &fd, &st, &e) && S_ISREG(st.st_mode) && st.st_size > 0 &&
              !input_map(fd, (uint64_t)st.st_size, in, &e) && zip_is(in->data, in->len);
    if (fd >= 0)
        close(fd);
    if (!is)
        input_close(in);
    return is;
}

size_t input_stretch(const struct input *in, size_t pos)
{
    const uint32_t i = find_first(k, in->ngap, in->gap[k] > pos);
    return i < in->ngap ? in->gap[i] : in->len;
}

void input_close(struct input *in)
{
    if (in->mapped)
        mapped_free(in->map, in->maplen);
    else
        mem_free(in->map);
    if (in->map)
        mem_free(in->gap);
    memset(in, 0, sizeof *in);
}
