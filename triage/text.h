/*
 * text.h - growing text, and how triage writes times, shares and names from a trace.
 *
 * A struct text starts as all zero and is freed with text_free(). Out of memory is remembered, not reported
 * by each call: look at text_ok() once at the end. What comes from a trace is cleaned on the way in: control
 * bytes, bad UTF-8 and characters that turn the writing direction become '?'. With `ascii` set, what is not
 * ASCII becomes \u{hex}.
 */
#ifndef GOTOP_TRIAGE_TEXT_H
#define GOTOP_TRIAGE_TEXT_H

#include "decode/trace.h"

struct text {
    char *p; /* NUL-terminated once something was added, NULL before */
    size_t n, cap;
    bool ascii; /* escape what is not ASCII */
    bool ticks; /* times are ticks of a clock of unknown rate: text_dur() says so */
    bool failed;
};

void text_free(struct text *t);
/* text_take - hand over the bytes (mem_free() them) and start anew; NULL when out of memory. Never NULL
 * otherwise. */
char *text_take(struct text *t);
bool text_ok(const struct text *t); /* nothing failed so far */
void text_add(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* text_raw - bytes of our own, as they are. */
void text_raw(struct text *t, const char *p, size_t n);
/* text_lit - a string literal; anything else, a choice of two for instance, does not compile. */
#define text_lit(t, s) text_raw(t, "" s, sizeof(s) - 1)
/* text_clean - bytes from a trace or the command line, cleaned; at most `max` characters (0 = all), then
 * "..". */
void text_clean(struct text *t, const char *p, size_t n, size_t max);
/* text_tail - as text_clean, but what is cut is the beginning: of a path and a
 * function's name the end tells. */
void text_tail(struct text *t, const char *p, size_t n, size_t max);
void text_str(struct text *t, const struct trace *tr,
              uint32_t id); /* a string of the trace, cleaned, whole */
/* text_reason - why goroutines waited, in the trace's words; "reason not recorded" where it gives none, "I/O"
 * of what may be a pipe's. */
void text_reason(struct text *t, const struct trace *tr, uint32_t id);
/* text_wait - the same of a wait at a stack, which says whether it was a pipe's (stacks_reason()). */
void text_wait(struct text *t, const struct trace *tr, uint32_t reason, uint32_t stack);
void text_pad(struct text *t, size_t from,
              size_t width); /* spaces until `width` characters stand behind `from` */
size_t text_width(const struct text *t, size_t from); /* characters from byte offset `from` on */

/* text_dur - "0", "812ns", "1.23us", "41.0ms", "2.314s", "3m12s", "2h05m12s"; a negative one with a minus
 * sign; "812t" for ticks.
 */
void text_dur(struct text *t, int64_t ns);
/* text_between - "41.0ms..58.2ms"; of a short range late in a trace with the
 * digits in which its ends differ. */
void text_between(struct text *t, int64_t t0, int64_t t1);
void text_bytes(struct text *t, uint64_t bytes); /* "812", "1.2K", "38.2M" */
/*
 * share_of - the one form of a share: "6.1%", "61.0%", "0%" for nothing, "<0.1%" for what is there but small,
 * never "100.0%" for what is not all; "-" if the whole is 0. text_share - the same.
 */
enum { SHARE_MAX = 24 };
char *share_of(double part, double whole, char out[SHARE_MAX]);
void text_share(struct text *t, double part, double whole);

/*
 * text_func - a function's name made short for a line: the directory of its package is left out
 * ("net/http.(*conn).serve" -> "http.(*conn).serve"). An empty name is "?".
 */
void text_func(struct text *t, const struct trace *tr, uint32_t str, size_t max);
/*
 * text_where - the frame of a stack that tells most: the first function outside the runtime and the sync
 * packages, behind the innermost one if they differ ("sync.(*Mutex).Lock in main.lookup"). "-" for no stack.
 */
void text_where(struct text *t, const struct trace *tr, uint32_t stack, size_t max);
/* text_at - the same in a sentence, behind "at": of no stack "a place that is not recorded". */
void text_at(struct text *t, const struct trace *tr, uint32_t stack, size_t max);
/*
 * text_calls - the functions of the program in a stack from a frame outwards, at most so many: "main.ask,
 * called by main.rate, by main.change". What the standard library has between them is left out.
 */
void text_calls(struct text *t, const struct trace *tr, uint32_t stack, uint32_t frame, unsigned most);
/* text_place - the same from the first function outside the runtime and the standard library on:
 * stacks_user_frame(). */
void text_place(struct text *t, const struct trace *tr, uint32_t stack, unsigned most);
/* text_caller - the function that stands so far out there (1: who called the first), 0 none. */
uint32_t text_caller(const struct trace *tr, uint32_t stack, uint32_t frame, unsigned out);
/* text_calls_alike - would text_calls() say the same of both? */
bool text_calls_alike(const struct trace *tr, uint32_t stack, uint32_t frame, uint32_t other,
                      uint32_t its_frame, unsigned most);
/* text_who - "G77 main.refresh"; "scheduler" for NO_LANE. */
void text_who(struct text *t, const struct trace *tr, uint32_t g);

#endif
