/*
 * sentence.h - a sentence in one call: text_say(t, tr, part, ..) adds its parts in their order.
 *
 *     text_say(t, tr, t_where(p->stack, 48), " waits for ", p->count, " answers (", t_dur(avg), " each).");
 *
 * A string is our own text, an integer is a count; every other part states its type by a t_..() function.
 * Text from the trace is cleaned as by the text_..() function of the same name. Without a part from the
 * trace, tr may be NULL. A part of another type does not compile.
 */
#ifndef GOTOP_TRIAGE_SENTENCE_H
#define GOTOP_TRIAGE_SENTENCE_H

#include "triage/each.h"
#include "triage/text.h"

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
#define t_share(of, all) SAY_OF(.how = SAY_SHARE, .part = (of), .whole = (all))
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

#endif
