/*
 * live.h - what `top`, `watch` and `record` share: options, and a running program as a list of generations.
 *
 * A generation is a trace of its own (decode/input/stream.h). So the last seconds are a trace of the last
 * generations, with the same model, tables and findings as a file. All calls come from one thread.
 */
#ifndef GOTOP_TRIAGE_LIVE_H
#define GOTOP_TRIAGE_LIVE_H

#include "decode/input/feed.h"
#include "decode/input/stream.h"
#include "triage/load.h"
#include "triage/options.h"

/* ---- the command line ---------------------------------------------------------------------------------- */

/* live_parse - parse the command line; o->path: a URL, a file, or "-". Returns -1 to go on, else the exit
 * status, after an error was printed. */
int live_parse(const struct command *c, int argc, char **argv, struct options *o);
/* The end of --help, after the options. */
#define LIVE_WHERE \
    "WHERE is http://host:port, host:port or unix:/path, with a path before /debug/pprof or a whole path; " \
    "a file that is still being written; or - for standard input.\n"
#define LIVE_TAIL \
    LIVE_WHERE "Exit status: 0 it ended as asked, or with the program; 2 wrong usage, the program can't be " \
               "reached, the connection broke, or a file can't be written.\n"
/* live_shut - enters the sandbox, if there is one, by options_door(), now that it is known what the clerk may
 * do (decode/base/clerk.h), before the first byte is read. also: a second feed's options, NULL: none. */
void live_shut(const struct options *o, const struct feed_opts *also);
/* live_too_short - the message when a program's trace ended before there was anything to see. */
extern const char live_too_short[];
/* live_too_large - the message when a generation was larger than LIVE_GENERATION. */
extern const char live_too_large[];

/* ---- the stream ---------------------------------------------------------------------------------------- */

/* How late is what comes? The clocks of the program and of this host differ by an unknown constant. So the
 * most prompt arrival so far is the measure: the trace's first bytes, which contain its first event, or a
 * generation. live_late - how late something that happened at t1, on the trace's clock, was when it arrived
 * at heard_ns; ns. From LIVE_LATE on it is reported, since the program holds in its memory what the
 * connection does not take. */
#define LIVE_LATE INT64_C(3000000000)
struct live_pace {
    bool known;
    int64_t least_ns;
};
int64_t live_late(struct live_pace *p, int64_t heard_ns, int64_t t1);

/* A thread reads what comes as fast as it comes, since the program must never wait for gotop. live_step()
 * hands over whole generations. Those not taken yet are bounded. With `room`, the newest are left out
 * (stream_lose()); without it, reading waits at a quarter of free memory. A file can always wait: it is
 * read at most LIVE_PATIENT bytes ahead. A generation of more than LIVE_GENERATION bytes is left out; of a
 * program that writes so much in a second, only that is shown. */
#define LIVE_GENERATION ((uint64_t)128 << 20)
struct live {
    /* whole generations, oldest first, which the caller drops; not the one that is arriving */
    struct stream st;
    struct saved
        *saved; /* gets every byte as sent; NULL: nothing is saved. Borrowed; set before live_open() */
    struct err unsaved;          /* code set: saving has failed, and why */
    uint64_t room;               /* bytes; 0: see above; set before live_open() */
    uint64_t lost;               /* bytes left out so far */
    uint64_t cut;                /* generations among these that were too large */
    bool ended;                  /* no more comes, and all is in st */
    struct err why;              /* code set: it ended since something went wrong */
    int64_t quiet_ns;            /* since when nothing has come, for live_tell() */
    bool reported, reported_cut; /* the silence and the cut were, once each */
    bool patient;                /* a file: it can wait, and nobody waits for gotop */
    int64_t began_ns;            /* monotonic: when the first bytes came */
    struct live_pace pace;
    int64_t late_ns; /* how late the last generation that live_load() took was, ns */
    struct live_reader *reader;
};

enum { LIVE_PATIENT = 4 << 20 };

enum err_code live_open(struct live *l, const struct options *o, struct err *e);
/* live_step - wait at most timeout_ms for another whole generation, or the end. Returns false when neither
 * has come. */
bool live_step(struct live *l, int timeout_ms);
/* live_gap - the last of the first n generations of l->st before which some were left out; 0: none. The
 * generations on both sides of a gap can't be one trace. */
size_t live_gap(const struct live *l, size_t n);
/* live_tell - report at the end of a step that returned this, once each: a file is not written on and is
 * waited for; a generation was too large. */
void live_tell(struct live *l, bool came, const char *command, const char *where);
/* live_rest - after the end, the generation that was cut, as far as it came; NULL: none. */
const struct stream_gen *live_rest(const struct live *l);
/* live_stop - let the program go: no more comes. */
void live_stop(struct live *l);
/* live_load - make the model, tables and findings of n whole generations from i on, for load_free(). It notes
 * their times in the stream's generations, and whether the last one is `broken`. The stream may go on
 * meanwhile. A signal (live_stop_asked()) ends it with ERR_IO. */
enum err_code live_load(struct live *l, size_t i, size_t n, const struct trace_opts *o, struct loaded *out,
                        struct err *e);
void live_close(struct live *l);

/* live_stop_asked - SIGINT, SIGTERM, SIGHUP or SIGTSTP (Ctrl-Z) came since live_stop_hold(true). From
 * then until live_stop_hold(false) they do not end or stop the process. A stopped gotop would read nothing,
 * and the program would hold the rest of its trace in memory. */
void live_stop_hold(bool held);
bool live_stop_asked(void);
/* live_stop_tell - at a command's end, say so if SIGTSTP ended it. */
void live_stop_tell(const char *command, const char *where);
/* live_out - say_out() in pieces. While nobody reads them, such a signal ends it, too (false with ERR_OK). */
bool live_out(const struct text *t, struct err *e);
/* live_stamp - UTC as "2026-11-21T23:45:12.345Z"; for a file's name, without colons and dashes. */
void live_stamp(int64_t wall_ns, bool for_name, char *out, size_t size);
int64_t live_wall_now(void); /* ns since 1970 */

int top_main(int argc, char **argv);
int watch_main(int argc, char **argv);
int record_main(int argc, char **argv);

#endif
