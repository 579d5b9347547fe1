/*
 * feed_priv.h - what the files feed*.c share; no other file includes it.
 */
#ifndef GOTOP_DECODE_FEED_PRIV_H
#define GOTOP_DECODE_FEED_PRIV_H

#include <sys/types.h>
#include <unistd.h>

#include "decode/input/feed.h"
#include "decode/input/unpack.h"

enum { FEED_SAID = 400 };

struct feed_is {     /* what is known once it is open; the clerk passes it on */
    bool grows;      /* it is a file: its end may move */
    bool timed;      /* it was asked for the seconds */
    bool by_socket;  /* it connects to a unix socket */
    bool secret;     /* the request has secrets, which must not follow a redirect */
    int stall_s;     /* timeout without a byte */
    char asked[128]; /* the requested path, without a query */
};

struct feed {
    int fd; /* where bytes come from; -1: nowhere any more */
    struct feed_is is;
    bool own;             /* this struct owns fd */
    const char *path;     /* grows: mem_free() it */
    int64_t gone_ns;      /* since then no file has its name; 0: one has */
    uint64_t got;         /* bytes read from fd */
    int64_t until, most;  /* host_now() when we stop, when it should have; 0: none, or nothing came yet */
    uint64_t seconds;     /* of that; 0: until it ends */
    pid_t pid;            /* curl, 0 = none */
    int far;              /* it is the clerk's: its number there, from 1 on; 0 = ours, or none */
    int err_fd;           /* what it says */
    char said[FEED_SAID]; /* the end of that */
    size_t nsaid;
    char body[FEED_SAID]; /* first bytes of the answer, which explain an error */
    size_t nbody;
    bool checked;       /* the first bytes were checked for compression */
    int64_t odd_ns;     /* host_now() when they were seen to be no trace's; 0: they are not */
    const char *packed; /* "gzip" or "zstd"; NULL: not compressed */
    struct unpacker unpacker;
    uint64_t limit;      /* for that; 0: none */
    struct err damage;   /* code: no more of it can be unpacked */
    struct feed_room in; /* packed, or not known yet: bytes that came, */
    size_t at;           /* of which so many were handed on */
    const uint8_t *sent; /* what feed_sent() returns */
    size_t nsent;
};

/* feed_shut - close a descriptor, if it is one, which is none from then on. */
static inline void feed_shut(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* feed_curl - start curl, to which fd, err_fd and pid belong from then on. feed_curl_end - wait for it.
 * ERR_OK if it ended well; else *e says why. */
enum err_code feed_curl(struct feed *f, const char *url, const struct feed_opts *o, struct err *e);
enum err_code feed_curl_end(struct feed *f, struct err *e);

/* feed_open_near - feed_open() of a file or a URL in this process. */
enum err_code feed_open_near(struct feed *f, const char *where, const struct feed_opts *o, struct err *e);
/* feed_open_far - the same through the clerk. */
enum err_code feed_open_far(struct feed *f, const char *where, const struct feed_opts *o, struct err *e);
/* feed_wait - wait for curl's end; kill: end it first. Returns its status as waitpid() does. */
int feed_wait(struct feed *f, bool kill);

#endif
