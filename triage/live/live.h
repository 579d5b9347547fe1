/*
 * live.h - what `top`, `watch` and `record` share: options, and a program that is running as a list of
 * generations.
 *
 * A generation is a trace of its own (decode/input/stream.h), so what is asked of the last seconds is asked
 * of a trace of the last generations: the same model, tables and findings as of a file. One thread.
 */
#ifndef GOTOP_TRIAGE_LIVE_H
#define GOTOP_TRIAGE_LIVE_H

#include "decode/input/feed.h"
#include "decode/input/stream.h"
#include "triage/load.h"

/* ---- the command line ---------------------------------------------------------------------------------- */

struct live_opts {
    struct feed_opts feed;
    struct trace_opts trace;
    const char *where; /* URL, file or "-" */
};

/* live_parse - the whole command line: options, and what is looked at. -1: go on; else the exit status, what
 * was wrong has been said. */
struct command;
struct options;
int live_parse(const struct command *c, int argc, char **argv, struct options *o, struct live_opts *live);
/* Of --help, behind its options. */
#define LIVE_WHERE \
    "WHERE is http://host:port, host:port or unix:/path, with a path before /debug/pprof or a whole path;\n" \
    "a file that is still being written; or - for standard input.\n"
#define LIVE_TAIL \
    LIVE_WHERE "Exit status: 0 it ended as asked, or with the program; 2 wrong usage, the program can't be " \
               "reached, the connection broke, or a file can't be written.\n"
/*
 * live_door - shuts the sandbox: what is called once all is known that the clerk may do
 * (decode/base/clerk.h), and before the first byte is read. NULL: there is none. live_shut - calls it, for
 * these options; also: another feed's, NULL: none.
 */
extern void (*live_door)(void);
void live_shut(const struct live_opts *o, const struct feed_opts *also);
/* live_too_short - what there is to say of a program whose trace ended before
 * there was anything to look at. */
extern const char live_too_short[];
/* live_too_large - of a generation that was larger than LIVE_GENERATION. */
extern const char live_too_large[];

/* ---- the stream ---------------------------------------------------------------------------------------- */

/*
 * How late is what comes? The program's clock and the host's differ by something that nobody knows, but that
 * stays: what came most promptly so far is the measure of the rest: the trace's first bytes, which tell of
 * its first event, or a generation. live_late - of what happened at t1 on the trace's clock and was there at
 * heard_ns, ns. From LIVE_LATE on it is told; a program holds in its memory what the line doesn't take.
 */
#define LIVE_LATE INT64_C(3000000000)
struct live_pace {
    bool known;
    int64_t least_ns;
};
int64_t live_late(struct live_pace *p, int64_t heard_ns, int64_t t1);

/*
 * A thread of its own reads what comes, as fast as it comes: the program that is traced must never wait for
 * us. Whole generations are handed over by live_step(). Those that nobody takes are bounded: by `room`, then
 * the newest are left out (stream_lose()); without it by a quarter of free memory, then reading waits. A file
 * can always wait: it is read no further than LIVE_PATIENT bytes ahead. The one that arrives is bounded, too:
 * one of more than LIVE_GENERATION bytes is left out. Of a program that sends so much in a second nothing is
 * seen but that.
 */
#define LIVE_GENERATION ((uint64_t)128 << 20)
struct live {
    struct stream st; /* whole generations, oldest first: the caller drops them; what arrives is not in it */
    struct saved
        *saved; /* every byte as sent goes there, too; NULL = nowhere; borrowed, set before live_open() */
    struct err unsaved;  /* code: since then nothing goes there, and why */
    uint64_t room;       /* bytes; 0 = see above; set before live_open() */
    uint64_t lost;       /* bytes left out so far */
    uint64_t cut;        /* generations among that which were too large */
    bool ended;          /* no more comes */
    int64_t quiet_ns;    /* since when nothing has come; live_tell()'s */
    bool told, told_cut; /* that, and that one was too large, once */
    bool patient;        /* a file: what nobody takes can wait, without anybody waiting for us */
    int64_t began_ns;    /* monotonic: its first bytes came; no line is too slow for these */
    struct live_pace pace;
    int64_t late_ns; /* how late what live_load() took last came */
    struct live_reader *reader;
};

enum { LIVE_PATIENT = 4 << 20 };
enum live_state { LIVE_WAIT, LIVE_GEN, LIVE_END, LIVE_FAILED };

enum err_code live_open(struct live *l, const struct live_opts *o, struct err *e);
/*
 * live_step - wait at most timeout_ms for another whole generation. LIVE_WAIT: none came. LIVE_GEN: l->st has
 * more. LIVE_END, LIVE_FAILED: no more comes, and all is in l->st; LIVE_FAILED: *e says what is wrong.
 */
enum live_state live_step(struct live *l, int timeout_ms, struct err *e);
/* live_gap - before which of the first n generations of l->st some were left out, the last such place; 0:
 * nowhere. What lies on both sides of it is no trace together. */
size_t live_gap(const struct live *l, size_t n);
/* live_tell - a step's end: what is to be said of it, once: that a file isn't written on and is waited for;
 * that a generation was too large to be held. */
void live_tell(struct live *l, enum live_state s, const char *command, const char *where);
/* live_rest - after the end: the generation that it ended within, as far as it came; NULL: none. */
const struct stream_gen *live_rest(const struct live *l);
/* live_stop - let the program go: no more comes. */
void live_stop(struct live *l);
/*
 * live_load - model, tables and findings of the n whole generations from i on. Their times are noted in the
 * stream's generations, and of the last one whether it is `broken`. *mem is their trace: mem_free() it after
 * load_free(). The stream may go on meanwhile. A signal ends it (live_stop_asked()): ERR_IO.
 */
enum err_code live_load(struct live *l, size_t i, size_t n, const struct trace_opts *o, struct loaded *out,
                        uint8_t **mem, struct err *e);
void live_close(struct live *l);

/*
 * live_stop_asked - SIGINT, SIGTERM or SIGHUP came since live_stop_hold(), which keeps them from ending the
 * process until live_stop_release(). So does SIGTSTP (Ctrl-Z): who stands still reads nothing, and what the
 * line doesn't take stays in the memory of the program that is traced.
 */
void live_stop_hold(void);
void live_stop_release(void);
bool live_stop_asked(void);
/* live_stop_tell - at a command's end: if that was SIGTSTP's doing, it is said. */
void live_stop_tell(const char *command, const char *where);
/* live_stop_ask - as such a signal would, for as long as the process lives; from any thread. */
void live_stop_ask(void);
/* live_out - say_out() by pieces: while nobody takes them such a signal ends the waiting, too (false,
 * ERR_OK). */
bool live_out(const struct text *t, struct err *e);
/* live_stamp - wall-clock time in UTC, "2026-11-21T23:45:12.345Z"; for a file's name without colons and
 * dashes. */
void live_stamp(int64_t wall_ns, bool for_name, char *out, size_t size);
int64_t live_wall_now(void); /* ns since 1970 */

int top_main(int argc, char **argv);
int watch_main(int argc, char **argv);
int record_main(int argc, char **argv);

#endif
