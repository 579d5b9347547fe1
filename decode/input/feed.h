/*
 * feed.h - where the bytes of a program that is running come from: an HTTP endpoint, a file that somebody is
 * still writing, standard input.
 *
 * A plain URL (http://, a unix socket) is fetched by a process that connects and hands on what comes; the
 * answer is read here, in the sandbox. All others (TLS, proxies, passwords in a URL, redirects) are the
 * `curl` program's, started without a shell: nothing of a network is in this process. What is secret goes to
 * it through a pipe, never in its arguments. Either ends with us, however we end, and the program that is
 * traced notices that at once: no trace is left running.
 *
 * What arrives compressed, with gzip or zstd, is unpacked on the way, by the rules for files (unpack.h): what
 * becomes larger than any trace would ends there.
 */
#ifndef GOTOP_DECODE_FEED_H
#define GOTOP_DECODE_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/base/err.h"

enum { FEED_HEADERS = 16, FEED_STALL_S = 15, FEED_ENDLESS = 604800 /* seconds: a week */ };

struct feed_opts { /* all zero = the defaults; strings, and `where`, are borrowed until feed_close() */
    const char *header[FEED_HEADERS]; /* "Name: value" */
    int nheaders;
    const char *token_file; /* its first line becomes "Authorization: Bearer .." */
    const char *cacert, *cert, *key, *unix_socket, *method;
    bool insecure;
    int connect_s;    /* give up after so many seconds without a connection; 0 = 10 */
    int stall_s;      /* ... and without a byte; 0 = FEED_STALL_S */
    uint64_t seconds; /* of trace to ask for; 0 = until we go (FEED_ENDLESS). Who can't be asked is read no
                         longer */
    bool unasked; /* nobody said how many: they are asked for, but none that can't be asked ends by them */
    const char *profile; /* "profile": ask for that instead of "trace" */
};

/* feed_is_url - does this name an endpoint rather than a file? "http://..", "https://..", "host:port",
 * "unix:/path". */
bool feed_is_url(const char *where);
/*
 * feed_url - the URL that is asked for: scheme and "debug/pprof/trace" added where they are missing, and
 * ?seconds=N. A path that ends in /trace or has a query is taken as it is. ERR_ARG: it makes no sense, or
 * holds control bytes.
 */
enum err_code feed_url(const char *where, const struct feed_opts *o, char *out, size_t size, struct err *e);

/* feed_shown - the name as it may stand on a screen, in a log or a ticket: without the user and password of a
 * URL. */
enum { FEED_SHOWN = 512 };
const char *feed_shown(const char *where, char out[FEED_SHOWN]);

struct feed;
/*
 * feed_open - "-" is standard input; a URL as above; else a file, read to its end and then as it grows. On
 * failure *out is NULL. A URL's connection is made later: what is wrong with it feed_read() says.
 */
enum err_code feed_open(const char *where, const struct feed_opts *o, struct feed **out, struct err *e);

/*
 * feed_outside - say before the clerk begins (decode/base/clerk.h) what feed_open() will be asked for: this
 * address or file, by these options, and by `also` (NULL: none). All are borrowed from then on, and the clerk
 * opens nothing else. Standard input needs none.
 */
void feed_outside(const char *where, const struct feed_opts *o, const struct feed_opts *also);

/*
 * Several programs: feed_outside_list - the clerk may also open what stands in a list, by the options of
 * feed_outside(): in `text`, copied, which is of the file `path`, or of none (NULL). One of either kind.
 * feed_list_again - read that file again, in the clerk where there is one, which from then on opens what
 * stands there. *text: mem_free() it.
 */
enum { FEED_LIST_BYTES = 32768, FEED_LIST = 64, FEED_WHERE = 2048 };
void feed_outside_list(const char *path, const char *text);
enum err_code feed_list_again(const char *path, char **text, struct err *e);
/*
 * feed_list_read - a file of places, one a line, blank ones and those that begin with '#' left out. At most
 * FEED_LIST_BYTES. feed_list_next - the next place in *text, which is moved on; "" is the end, ERR_ARG: a
 * line is too long or holds blanks.
 */
enum err_code feed_list_read(const char *path, char **text, struct err *e);
enum err_code feed_list_next(const char **text, char where[FEED_WHERE], struct err *e);

enum feed_state { FEED_DATA, FEED_WAIT, FEED_END, FEED_FAILED };
struct feed_room { /* the caller's, for bytes that come */
    uint8_t *p;
    size_t cap;
    size_t n; /* so many came */
};
/*
 * feed_read - what there is of bytes, waiting for at most timeout_ms (a signal ends the wait). FEED_DATA:
 * to->n > 0. FEED_WAIT: nothing came in time. FEED_END: that was all. FEED_FAILED: *e says why, with what the
 * server answered; what came before stands. A file that grows never ends, unless it is removed, or replaced,
 * truncated or written anew: FEED_FAILED, the latter with ERR_APART: who opens the name again reads on there.
 * After the seconds that were given what can't be asked for them ends; what was asked has time to send the
 * rest, but not for ever: FEED_FAILED.
 */
enum feed_state feed_read(struct feed *f, struct feed_room *to, int timeout_ms, struct err *e);
/* feed_sent - the bytes as they were sent that the last feed_read() took in, whatever it returned; it changes
 * with the next. */
const uint8_t *feed_sent(const struct feed *f, size_t *n);
/* feed_packed - "gzip" or "zstd", if it comes compressed; else NULL. */
const char *feed_packed(const struct feed *f);
/* feed_is_file - it is one, also as standard input: who writes it doesn't wait for us. */
bool feed_is_file(const struct feed *f);
void feed_close(struct feed *f); /* NULL is allowed */

#endif
