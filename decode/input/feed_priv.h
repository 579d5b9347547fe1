/* feed_priv.h - what the files feed*.c share: nobody else includes it. */
#ifndef GOTOP_DECODE_FEED_PRIV_H
#define GOTOP_DECODE_FEED_PRIV_H

#include <sys/types.h>

#include "decode/input/feed.h"
#include "decode/input/unpack.h"

enum { FEED_SAID = 400, FEED_TOKEN = 8192 + 32 };
struct answer;

struct feed_is {     /* what is known once it is open; the clerk passes it on */
    bool grows;      /* a file: its end is only its end so far */
    bool told;       /* it was asked for the seconds */
    bool by_socket;  /* it connects to a unix socket */
    bool http;       /* fd brings an HTTP answer as it is, read here */
    bool secret;     /* what was sent with the request doesn't follow a redirect */
    int stall_s;     /* it gives up after so long without a byte */
    char asked[128]; /* the path it asks for, without a query */
};

struct feed {
    int fd; /* where bytes come from; -1: nowhere any more */
    struct feed_is is;
    bool own;              /* fd is ours to close */
    const char *path;      /* grows: mem_free() it */
    int64_t gone_ns;       /* since then no file has its name; 0: one has */
    uint64_t got;          /* bytes read from fd */
    int64_t until, most;   /* host_now() when we stop, when it should have; 0: none, or nothing came yet */
    uint64_t seconds;      /* of that; 0: until it ends */
    pid_t pid;             /* curl, 0 = none */
    int far;               /* it is the clerk's: its number there, from 1 on; 0 = ours, or none */
    bool by_curl;          /* whatever the URL is */
    bool alone;            /* this process has but one thread */
    struct answer *answer; /* of an HTTP answer that is read here */
    struct feed_opts opts; /* with which feed_again() asks, */
    const char *where;     /* for that; borrowed */
    int err_fd;            /* what it says */
    char said[FEED_SAID];  /* the end of that */
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

/*
 * Two HTTP clients, each a process of its own that fd, err_fd and pid are of. feed_http (feed_http.c) asks
 * for what is plain and hands the answer on as it is; feed_http_takes - is this URL for it? feed_curl starts
 * curl, which hands on the body. feed_http_end, feed_curl_end - wait for it. ERR_OK if it ended well; else *e
 * says why. ERR_APART: it was redirected to where feed_again() may follow.
 */
bool feed_http_takes(const char *url, const struct feed_opts *o);
enum err_code feed_http(struct feed *f, const char *url, const struct feed_opts *o, struct err *e);
enum err_code feed_http_end(struct feed *f, struct err *e);
enum err_code feed_curl(struct feed *f, const char *url, const struct feed_opts *o, struct err *e);
enum err_code feed_curl_end(struct feed *f, struct err *e);

/*
 * Of both, in feed_request.c. feed_note - note what is asked: of a URL its path, as what is behind "?" may be
 * secret. feed_start - begin a client: a process in a group of its own, so that Ctrl-C is for us to act on,
 * which ends when we do. It calls run(), which returns with errno if there is no such program, with standard
 * input, output and error as pipes from and to us; what it reads are n bytes, at most 64 KiB. Returns 0, or
 * errno. The others: what may be asked, and what is said of an answer.
 */
struct feed_client {
    void (*run)(const void *arg);
    const void *arg;
    const char *in;
    size_t n;
};
void feed_note(struct feed *f, const char *url, const struct feed_opts *o);
int feed_start(struct feed *f, const struct feed_client *c);
/* feed_request_wrong - ERR_ARG: its headers or method are none. feed_secret - is
 * anything sent that must not follow a redirect? feed_token - the header that a token's file makes. */
enum err_code feed_request_wrong(const struct feed_opts *o, struct err *e);
bool feed_secret(const struct feed_opts *o);
enum err_code feed_token(const char *path, char header[FEED_TOKEN], struct err *e);
extern const char feed_bad_request[];
const char *feed_first_line(char *s);
enum err_code feed_refused(const struct feed *f, int http, const char *why, struct err *e);
enum err_code feed_moved(const struct feed *f, int http, const char *to, struct err *e);
enum err_code feed_no_socket(struct err *e);
enum err_code feed_stalled(const struct feed *f, struct err *e);

/* feed_open_near - feed_open() of a file or a URL in this process. */
enum err_code feed_open_near(struct feed *f, const char *where, const struct feed_opts *o, struct err *e);
/* feed_open_far - the same by the clerk. */
enum err_code feed_open_far(struct feed *f, const char *where, const struct feed_opts *o, struct err *e);
/* feed_list_whole - all that a descriptor has, as text; NULL: out of memory, or more than a list has. */
char *feed_list_whole(int fd);
/* feed_wait - for curl's end; kill: which is brought about. Its status, as of waitpid(). */
int feed_wait(struct feed *f, bool kill);

#endif
