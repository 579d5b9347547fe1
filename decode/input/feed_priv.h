/*
 * feed_priv.h - what the files feed*.c share; no other file includes it.
 */
#ifndef GOTOP_DECODE_FEED_PRIV_H
#define GOTOP_DECODE_FEED_PRIV_H

#include <sys/types.h>

#include "decode/input/feed.h"
#include "decode/input/unpack.h"

enum { FEED_SAID = 400, FEED_TOKEN = 8192 + 32 };
struct answer;

struct feed_is {     /* what is known once it is open; the clerk passes it on */
    bool grows;      /* it is a file: its end may move */
    bool told;       /* it was asked for the seconds */
    bool by_socket;  /* it connects to a unix socket */
    bool http;       /* fd brings an unparsed HTTP answer, which is parsed here */
    bool secret;     /* the request has secrets, which must not follow a redirect */
    int stall_s;     /* timeout without a byte */
    char asked[128]; /* the requested path, without a query */
};

struct feed {
    int fd; /* where bytes come from; -1: nowhere any more */
    struct feed_is is;
    bool own;              /* this struct owns fd */
    const char *path;      /* grows: mem_free() it */
    int64_t gone_ns;       /* since then no file has its name; 0: one has */
    uint64_t got;          /* bytes read from fd */
    int64_t until, most;   /* host_now() when we stop, when it should have; 0: none, or nothing came yet */
    uint64_t seconds;      /* of that; 0: until it ends */
    pid_t pid;             /* curl, 0 = none */
    int far;               /* it is the clerk's: its number there, from 1 on; 0 = ours, or none */
    bool by_curl;          /* whatever the URL is */
    bool alone;            /* this process has only one thread */
    struct answer *answer; /* of an HTTP answer that is read here */
    struct feed_opts opts; /* with which it is asked again, if it has moved, */
    const char *where;     /* for that; borrowed */
    int err_fd;            /* what it says */
    char said[FEED_SAID];  /* the end of that */
    size_t nsaid;
    char body[FEED_SAID]; /* first bytes of the answer, which explain an error */
    size_t nbody;
    bool told_packed;   /* the first bytes were checked for compression */
    const char *packed; /* "gzip" or "zstd"; NULL: not compressed */
    struct unpacker unpacker;
    struct err damage;   /* code: no more of it can be unpacked */
    struct feed_room in; /* packed, or not told yet: bytes that came, */
    size_t at;           /* of which so many were handed on */
    const uint8_t *sent; /* what feed_sent() returns */
    size_t nsent;
};

/* Two HTTP clients, each in a process of its own that fd, err_fd and pid belong to. feed_http (feed_http.c)
 * makes plain requests and passes the answer on unparsed; feed_http_takes - whether it can fetch this URL.
 * feed_curl starts curl, which passes on the body. feed_http_end, feed_curl_end - wait for the process.
 * ERR_OK if it ended well; else *e says why. ERR_APART: it was redirected, and may be asked for there. */
bool feed_http_takes(const char *url, const struct feed_opts *o);
enum err_code feed_http(struct feed *f, const char *url, const struct feed_opts *o, struct err *e);
enum err_code feed_http_end(struct feed *f, struct err *e);
enum err_code feed_curl(struct feed *f, const char *url, const struct feed_opts *o, struct err *e);
enum err_code feed_curl_end(struct feed *f, struct err *e);

enum { FEED_TEXT = 32768 };
struct feed_text { /* what is sent: a request, or curl's configuration */
    char text[FEED_TEXT];
    size_t n;
    bool bad; /* it is too long, or has a control character */
};
/* feed_put - append to it, as printf does. */
void feed_put(struct feed_text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

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
/* feed_open_far - the same through the clerk. */
enum err_code feed_open_far(struct feed *f, const char *where, const struct feed_opts *o, struct err *e);
/* feed_wait - wait for curl's end; kill: end it first. Returns its status as waitpid() does. */
int feed_wait(struct feed *f, bool kill);

#endif
