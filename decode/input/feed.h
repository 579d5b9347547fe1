/*
 * feed.h - the bytes of a trace from a running program: an HTTP endpoint, a file that is still being
 * written, or standard input.
 *
 * A URL is fetched by the `curl` program, started without a shell, so this process has no network code.
 * Secrets go to it through a pipe, never in its arguments. It ends with this process, however that ends, and
 * the traced program notices that at once: no trace is left running.
 *
 * Input compressed with gzip or zstd is unpacked as it arrives, by the rules for files (unpack.h): it ends
 * where it becomes larger than any trace would.
 */
#ifndef GOTOP_DECODE_FEED_H
#define GOTOP_DECODE_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/base/err.h"

enum { FEED_HEADERS = 16, FEED_STALL_S = 15, FEED_ENDLESS = 604800 /* seconds: a week */ };

struct feed_opts { /* all zero = the defaults; strings and `where` are borrowed until feed_close() */
    const char *header[FEED_HEADERS]; /* "Name: value" */
    int nheaders;
    const char *token_file; /* a file whose first line becomes "Authorization: Bearer .." */
    const char *cacert, *cert, *key, *unix_socket, *method;
    bool insecure;
    uint64_t connect_s; /* timeout of a connection in seconds; 0 = 10 */
    uint64_t stall_s;   /* timeout without a byte in seconds; 0 = FEED_STALL_S */
    /* seconds of trace to ask for; 0 = until we end (FEED_ENDLESS). A source that takes no request is read
     * no longer than that */
    uint64_t seconds;
    /* the user gave no seconds: they are asked for, but they don't end a source that takes no request */
    bool unasked;
    const char *profile; /* "profile": ask for that instead of "trace" */
};

/* feed_is_url - whether a name is an endpoint and not a file: "http://..", "https://..", "host:port",
 * "unix:/path". */
bool feed_is_url(const char *where);
/* feed_url - the URL to fetch: adds a missing scheme, "debug/pprof/trace" and ?seconds=N. A path that ends
 * in /trace or has a query is used as it is. ERR_ARG: the URL is malformed or holds control bytes. */
enum err_code feed_url(const char *where, const struct feed_opts *o, char *out, size_t size, struct err *e);

/* feed_shown - the name for screens, logs and tickets: a URL without user and password. */
enum { FEED_SHOWN = 512 };
const char *feed_shown(const char *where, char out[FEED_SHOWN]);

struct feed;
/* feed_open - open "-" (standard input), a URL as above, or a file, which is read to its end and then as it
 * grows. On failure *out is NULL. A URL is connected to later: feed_read() reports its errors. */
enum err_code feed_open(const char *where, const struct feed_opts *o, struct feed **out, struct err *e);
/* feed_of - read an open descriptor to its end; it stays the caller's. limit: as that of input_open(). */
enum err_code feed_of(int fd, uint64_t limit, struct feed **out, struct err *e);
/* feed_of_bytes - unpack bytes in memory, which stay the caller's: gzip, zstd, or (deflated) as zip archives
 * hold them. */
enum err_code feed_of_bytes(const uint8_t *p, size_t n, bool deflated, uint64_t limit, struct feed **out,
                            struct err *e);

/* feed_outside - declare, before the clerk begins (decode/base/clerk.h), what feed_open() will open: this
 * address or file, with these options and those of `also` (NULL: none). All are borrowed from then on, and
 * the clerk opens nothing else. Standard input needs no call. */
void feed_outside(const char *where, const struct feed_opts *o, const struct feed_opts *also);

/* feed_outside_also - the clerk may open this address, too, by the options of feed_outside(). Borrowed. */
void feed_outside_also(const char *where);

enum feed_state { FEED_DATA, FEED_WAIT, FEED_END, FEED_FAILED };
struct feed_room { /* the caller's buffer for the bytes */
    uint8_t *p;
    size_t cap;
    size_t n; /* number of bytes that arrived */
};
/*
 * feed_read - what there is of bytes, waiting for at most timeout_ms (a signal ends the wait). FEED_DATA:
 * to->n > 0. FEED_WAIT: nothing came in time. FEED_END: that was all. FEED_FAILED: *e says why, with what the
 * server answered; what came before stands. (Of what begins like no trace nothing is handed on before the
 * server has had a moment to say so.) A file that grows never ends, unless it is removed, or replaced,
 * truncated or written anew: FEED_FAILED, the latter with ERR_APART: who opens the name again reads on there.
 * After the seconds that were given what can't be asked for them ends; what was asked has time to send the
 * rest, but not for ever: FEED_FAILED.
 */
enum feed_state feed_read(struct feed *f, struct feed_room *to, int timeout_ms, struct err *e);
/* feed_sent - the bytes as sent (still compressed) that the last feed_read() took in, whatever it returned;
 * valid until the next call. */
const uint8_t *feed_sent(const struct feed *f, size_t *n);
/* feed_packed - "gzip", "zstd" or "deflate" if the input is compressed, else NULL. */
const char *feed_packed(const struct feed *f);
/* feed_is_file - whether it is a file, also as standard input: its writer doesn't wait for us. */
bool feed_is_file(const struct feed *f);
/* feed_held - the memory that its decompressor has. */
size_t feed_held(const struct feed *f);
void feed_close(struct feed *f); /* NULL is allowed */

#endif
