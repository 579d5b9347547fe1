/*
 * text.h - growing text, and how triage writes times, shares and names from a trace.
 *
 * A struct text starts as all zero and is freed with text_free(). A lack of memory is remembered, not
 * returned by each call: check text_ok() once at the end. What comes from a trace is cleaned when it is
 * added: control bytes, bad UTF-8 and characters that change the writing direction become '?'. With `ascii`
 * set, a character that is not ASCII becomes \u{hex}.
 */
#ifndef GOTOP_TRIAGE_TEXT_H
#define GOTOP_TRIAGE_TEXT_H

#include "decode/trace.h"

struct text {
    char *p; /* NUL-terminated after the first addition, NULL before */
    size_t n, cap;
    bool ascii; /* escape what is not ASCII */
    bool ticks; /* times are ticks of a clock of unknown rate; text_dur() writes them so */
    bool failed;
    size_t width; /* of the terminal it is for, where sentences are folded; 0: any */
};

void text_free(struct text *t);
/* text_take - returns the bytes, which the caller frees with mem_free(), and empties the text; NULL only
 * when out of memory. */
char *text_take(struct text *t);
bool text_ok(const struct text *t); /* nothing failed so far */
void text_add(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* text_raw - adds our own bytes unchanged. */
void text_raw(struct text *t, const char *p, size_t n);
/* text_own - adds a string and frees it with mem_free(); NULL: it was out of memory. */
void text_own(struct text *t, char *s);
/* text_lit - adds a literal, nothing else: a choice of two is text_add(t, "%s", yes ? "x" : "y"). */
#define text_lit(t, s) text_raw(t, "" s, sizeof(s) - 1)
/* text_clean - adds bytes from a trace or the command line, cleaned; at most `max` characters (0 = all),
 * then "..". */
void text_clean(struct text *t, const char *p, size_t n, size_t max);
/* text_tail - the same, but cuts the beginning: the end of a path or a function's name says more. */
void text_tail(struct text *t, const char *p, size_t n, size_t max);
void text_str(struct text *t, const struct trace *tr,
              uint32_t id); /* adds a whole string of the trace, cleaned */
/* text_wait - adds a wait reason in the trace's words; "reason not recorded" if it has none. The stack shows
 * whether it was on a pipe (stacks_reason()); stack 0: "I/O" if it may have been. */
void text_wait(struct text *t, const struct trace *tr, uint32_t reason, uint32_t stack);
void text_pad(struct text *t, size_t from,
              size_t width); /* adds spaces until there are `width` characters after `from` */
size_t text_width(const struct text *t, size_t from); /* number of characters from byte offset `from` on */

/* text_fold - adds a line of n bytes; what goes beyond `width` characters goes on in lines that begin with
 * `hang` blanks, broken between words where that is possible. */
void text_fold(struct text *t, const char *s, size_t n, size_t width, size_t hang);

/* text_dur - adds "0", "812ns", "1.23us", "41.0ms", "2.314s", "3m12s", "2h05m12s"; a minus sign if
 * negative; "812t" for ticks. */
void text_dur(struct text *t, int64_t ns);
/* text_between - adds "41.0ms..58.2ms"; for a short range late in a trace with the digits in which its ends
 * differ. */
void text_between(struct text *t, int64_t t0, int64_t t1);
void text_bytes(struct text *t, uint64_t bytes); /* "812", "1.2K", "38.2M" */
/* share_of - returns a share in its one form: "6.1%", "61.0%", "0%" for nothing, "<0.1%" for a small part,
 * never "100.0%" for less than all; "-" if the whole is 0. text_share - adds the same. */
enum { SHARE_MAX = 24 };
char *share_of(double part, double whole, char out[SHARE_MAX]);
void text_share(struct text *t, double part, double whole);

/* text_func - adds a short form of a function's name, without its package's directory
 * ("net/http.(*conn).serve" -> "http.(*conn).serve"). An empty name is "?". */
void text_func(struct text *t, const struct trace *tr, uint32_t str, size_t max);
/* text_func_is - whether that is the function's name, whole or as text_func() writes it. */
bool text_func_is(const struct trace *tr, uint32_t str, const char *name);
/* text_where - adds the most telling frame of a stack: the first function outside the runtime and the sync
 * packages, after the innermost one if they differ ("sync.(*Mutex).Lock in main.lookup"). "-" for no
 * stack. */
void text_where(struct text *t, const struct trace *tr, uint32_t stack, size_t max);
/* text_calls - adds the program's functions in a stack from a frame outwards, up to a number: "main.ask,
 * called by main.rate, by main.change". Leaves out the standard library between them. */
void text_calls(struct text *t, const struct trace *tr, uint32_t stack, uint32_t frame, unsigned most);
/* text_calls_alike - whether text_calls() gives the same for both. */
bool text_calls_alike(const struct trace *tr, uint32_t stack, uint32_t frame, uint32_t other,
                      uint32_t its_frame, unsigned most);
/* text_who - adds "G77 main.refresh"; "scheduler" for NO_LANE. */
void text_who(struct text *t, const struct trace *tr, uint32_t g);

/*
 * A macro for each of its arguments: EACH(F, a, b) is F(a), F(b). EACH_OF(type, F, a, b) is an array
 * of these and its length, for a function that takes both: so text_say() (text.h) and json_put() (json.h)
 * take arguments of several types.
 *
 * A macro can't call itself: EACH_ADD takes one argument and leaves the name of what takes the next,
 * EACH_MORE, which the preprocessor reads anew with each EACH_AGAIN: enough times for 85 arguments.
 */
/* clang-format off */
#define EACH_AGAIN(...) EACH_AGAIN3(EACH_AGAIN3(EACH_AGAIN3(EACH_AGAIN3(__VA_ARGS__))))
#define EACH_AGAIN3(...) EACH_AGAIN2(EACH_AGAIN2(EACH_AGAIN2(EACH_AGAIN2(__VA_ARGS__))))
#define EACH_AGAIN2(...) EACH_AGAIN1(EACH_AGAIN1(EACH_AGAIN1(EACH_AGAIN1(__VA_ARGS__))))
#define EACH_AGAIN1(...) __VA_ARGS__
#define EACH_NOTHING
#define EACH_MORE() EACH_ADD
#define EACH_ADD(F, x, ...) F(x) __VA_OPT__(, EACH_MORE EACH_NOTHING()(F, __VA_ARGS__))
#define EACH(F, ...) EACH_AGAIN(EACH_ADD(F, __VA_ARGS__))
#define EACH_OF(type, F, ...) \
    (type[]){EACH(F, __VA_ARGS__)}, sizeof((type[]){EACH(F, __VA_ARGS__)}) / sizeof(type)
/* clang-format on */

/*
 * A sentence in one call: text_say(t, tr, part, ..) adds its parts in their order.
 *
 *     text_say(t, tr, t_where(p->stack, 48), " waits for ", p->count, " answers (", t_dur(avg), " each).");
 *
 * A string is our own text, an integer is a count; every other part states its type by a t_..() function.
 * Text from the trace is cleaned as by the text_..() function of the same name. Without a part from the
 * trace, tr may be NULL. A part of another type does not compile.
 */
struct say_part { /* one part */
    enum {
        SAY_WORDS,
        SAY_COUNT,
        SAY_SIGNED,
        SAY_FIXED,
        SAY_DUR,
        SAY_CELL,
        SAY_TO,
        SAY_CLEAN,
        SAY_BYTES,
        SAY_SHARE,
        SAY_FUNC,
        SAY_STR,
        SAY_WHO,
        SAY_WHERE,
        SAY_WAIT,
        SAY_CALLS
    } how;
    uint32_t id, frame; /* a string, a stack, a goroutine; of a wait: a string and a stack */
    size_t most;        /* functions, characters, digits */
    const char *words;
    int64_t n; /* a count (SAY_SIGNED: of a signed type), nanoseconds, bytes */
    double part, whole;
};
void text_say_parts(struct text *t, const struct trace *tr, const struct say_part *v, size_t n);

#define SAY_OF(...) ((struct say_part){__VA_ARGS__})
#define t_dur(ns) SAY_OF(.how = SAY_DUR, .n = (ns))
#define t_cell(ns, w) SAY_OF(.how = SAY_CELL, .n = (ns), .most = (w)) /* a duration, right-aligned */
#define t_right(v, w) say_right(SAY(v), w)                            /* a count, right-aligned */
/* blanks up to that column of this call's text */
#define t_to(column) SAY_OF(.how = SAY_TO, .most = (column))
#define t_clean(s) SAY_OF(.how = SAY_CLEAN, .words = (s)) /* from a trace or the command line */
#define t_bytes(bytes) SAY_OF(.how = SAY_BYTES, .n = (int64_t)(bytes))
#define t_share(of, all) SAY_OF(.how = SAY_SHARE, .part = (double)(of), .whole = (double)(all))
#define t_f0(v) SAY_OF(.how = SAY_FIXED, .part = (v))            /* "%.0f" */
#define t_f1(v) SAY_OF(.how = SAY_FIXED, .part = (v), .most = 1) /* "%.1f" */
#define t_func(str) SAY_OF(.how = SAY_FUNC, .id = (str))         /* all of the name */
#define t_func_cut(str, chars) SAY_OF(.how = SAY_FUNC, .id = (str), .most = (chars))
#define t_str(str) SAY_OF(.how = SAY_STR, .id = (str))
#define t_who(g) SAY_OF(.how = SAY_WHO, .id = (g))
#define t_where(stack, chars) SAY_OF(.how = SAY_WHERE, .id = (stack), .most = (chars))
#define t_wait(reason, stack) SAY_OF(.how = SAY_WAIT, .id = (reason), .frame = (stack))
#define t_calls(stack, from, functions) \
    SAY_OF(.how = SAY_CALLS, .id = (stack), .frame = (from), .most = (functions))

static inline struct say_part say_words(const char *s)
{
    return (struct say_part){.how = SAY_WORDS, .words = s};
}
static inline struct say_part say_count(unsigned long long n)
{
    return (struct say_part){.how = SAY_COUNT, .n = (int64_t)n};
}
static inline struct say_part say_signed(long long n)
{
    return (struct say_part){.how = SAY_SIGNED, .n = n};
}
static inline struct say_part say_right(struct say_part s, size_t w)
{
    s.most = w;
    return s;
}
static inline struct say_part say_same(struct say_part s)
{
    return s;
}
/* clang-format off */
#define SAY(x) _Generic((x), char *: say_words, const char *: say_words, struct say_part: say_same, \
    int: say_signed, long: say_signed, long long: say_signed, \
    unsigned char: say_count, unsigned short: say_count, unsigned: say_count, \
    unsigned long: say_count, unsigned long long: say_count)(x)
/* clang-format on */
#define text_say(t, tr, ...) text_say_parts(t, tr, EACH_OF(const struct say_part, SAY, __VA_ARGS__))

/* ---- numbers with a unit ------------------------------------------------------------------------------- */

enum unit { UNIT_COUNT, UNIT_NS, UNIT_SHARE, UNIT_BYTES };
/* unit_parse - reads "5", "5ms", "12.5%" or "64KB": a number in its unit's base (ns, of 1, bytes). Returns
 * false if it is none. unit_text - adds one in the largest unit that it reaches. */
bool unit_parse(const char *s, double *v, enum unit *unit);
void unit_text(struct text *t, enum unit unit, double v);

#endif
