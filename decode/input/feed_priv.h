/* feed_priv.h - feed.c and feed_curl.c: nobody else includes it. */
#ifndef GOTOP_DECODE_FEED_PRIV_H
#define GOTOP_DECODE_FEED_PRIV_H

#include <sys/types.h>

#include "decode/input/feed.h"
#include "decode/input/unpack.h"

enum { FEED_SAID = 400 };

struct feed {
    int fd;               /* where bytes come from; -1: nowhere any more */
    bool grows;           /* a file: its end is only its end so far */
    bool own;             /* fd is ours to close */
    const char *path;     /* grows: mem_free() it */
    int64_t gone_ns;      /* since then no file has its name; 0: one has */
    uint64_t got;         /* bytes read from fd */
    int64_t until, most;  /* host_now() when we stop, when it should have; 0: none, or nothing came yet */
    uint64_t seconds;     /* of that; 0: until it ends */
    bool told;            /* ... and so it was asked */
    pid_t pid;            /* curl, 0 = none */
    int far;              /* it is the clerk's: its number there, from 1 on; 0 = ours, or none */
    int stall_s;          /* it gives up after so long without a byte */
    bool by_socket;       /* it connects to a unix socket */
    bool secret;          /* what was sent with the request doesn't follow a redirect */
    char asked[128];      /* the path it asks for, without a query */
    int err_fd;           /* what it says */
    char said[FEED_SAID]; /* the end of that */
    size_t nsaid;
    char body[FEED_SAID]; /* the first bytes of the answer: an error's reason */
    size_t nbody;
    bool told_packed;   /* the first bytes were seen, they tell whether it is compressed */
    const char *packed; /* "gzip", "zstd"; NULL: it is not */
    struct unpacker unpacker;
    struct err damage;   /* code: no more of it can be unpacked */
    struct feed_room in; /* packed, or not told yet: bytes that came, */
    size_t at;           /* of which so many were handed on */
    const uint8_t *sent; /* feed_sent() */
    size_t nsent;
};

/* feed_curl - start curl for a URL; f->fd, f->err_fd and f->pid become its. */
enum err_code feed_curl(struct feed *f, const char *url, const struct feed_opts *o, struct err *e);
/* feed_curl_end - wait for it. ERR_OK if it ended well; else *e says why. */
enum err_code feed_curl_end(struct feed *f, struct err *e);

/* feed_open_near - feed_open() of a file or a URL in this process. */
enum err_code feed_open_near(struct feed *f, const char *where, const struct feed_opts *o, struct err *e);
/* feed_open_far - the same by the clerk. */
enum err_code feed_open_far(struct feed *f, const char *where, const struct feed_opts *o, struct err *e);
/* feed_list_whole - all that a descriptor has, as text; NULL: out of memory, or more than a list has. */
char *feed_list_whole(int fd);
/* feed_wait - for curl's end; kill: which is brought about. Its status, as of waitpid(). */
int feed_wait(struct feed *f, bool kill);

#endif
