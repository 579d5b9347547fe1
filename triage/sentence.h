/*
 * sentence.h - a sentence in one piece: text_say(t, tr, part, ..) adds its parts as they stand there, up to
 * 32 of them.
 *
 *     text_say(&d.text, c->tr, t_place(p->stack, 3), " waits for ", p->count, " answers (", t_dur(avg), " on
 * average).");
 *
 * A string is words of our own, a whole number is a count, all else says by its t_..() what it is; what comes
 * from the trace is cleaned as by the text_..() it is named after. A part of another kind does not compile.
 */
#ifndef GOTOP_TRIAGE_SENTENCE_H
#define GOTOP_TRIAGE_SENTENCE_H

#include "triage/text.h"

struct say_part { /* one part */
    enum {
        SAY_WORDS,
        SAY_COUNT,
        SAY_SIGNED,
        SAY_F0,
        SAY_F1,
        SAY_DUR,
        SAY_BYTES,
        SAY_SHARE,
        SAY_FUNC,
        SAY_STR,
        SAY_WHO,
        SAY_WHERE,
        SAY_CALLS,
        SAY_PLACE
    } how;
    uint32_t id, frame; /* a string, a stack, a goroutine */
    unsigned most;      /* functions, characters */
    const char *words;
    int64_t n; /* a count (SAY_SIGNED: of a signed type), nanoseconds, bytes */
    double part, whole;
};
void text_say_parts(struct text *t, const struct trace *tr, const struct say_part *v, size_t n);

#define SAY_OF(...) ((struct say_part){__VA_ARGS__})
#define t_dur(ns) SAY_OF(.how = SAY_DUR, .n = (ns))
#define t_bytes(bytes) SAY_OF(.how = SAY_BYTES, .n = (int64_t)(bytes))
#define t_share(of, all) SAY_OF(.how = SAY_SHARE, .part = (of), .whole = (all))
#define t_f0(v) SAY_OF(.how = SAY_F0, .part = (v))       /* "%.0f" */
#define t_f1(v) SAY_OF(.how = SAY_F1, .part = (v))       /* "%.1f" */
#define t_func(str) SAY_OF(.how = SAY_FUNC, .id = (str)) /* all of the name */
#define t_func_cut(str, chars) SAY_OF(.how = SAY_FUNC, .id = (str), .most = (chars))
#define t_str(str) SAY_OF(.how = SAY_STR, .id = (str))
#define t_who(g) SAY_OF(.how = SAY_WHO, .id = (g))
#define t_where(stack, chars) SAY_OF(.how = SAY_WHERE, .id = (stack), .most = (chars))
#define t_place(stack, functions) SAY_OF(.how = SAY_PLACE, .id = (stack), .most = (functions))
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
static inline struct say_part say_same(struct say_part s)
{
    return s;
}
/* clang-format off */
#define SAY(x) _Generic((x), char *: say_words, const char *: say_words, struct say_part: say_same, \
    int: say_signed, long: say_signed, long long: say_signed, \
    unsigned: say_count, unsigned long: say_count, unsigned long long: say_count)(x)
#define SAY_1(x) SAY(x)
#define SAY_2(x, ...) SAY(x), SAY_1(__VA_ARGS__)
#define SAY_3(x, ...) SAY(x), SAY_2(__VA_ARGS__)
#define SAY_4(x, ...) SAY(x), SAY_3(__VA_ARGS__)
#define SAY_5(x, ...) SAY(x), SAY_4(__VA_ARGS__)
#define SAY_6(x, ...) SAY(x), SAY_5(__VA_ARGS__)
#define SAY_7(x, ...) SAY(x), SAY_6(__VA_ARGS__)
#define SAY_8(x, ...) SAY(x), SAY_7(__VA_ARGS__)
#define SAY_9(x, ...) SAY(x), SAY_8(__VA_ARGS__)
#define SAY_10(x, ...) SAY(x), SAY_9(__VA_ARGS__)
#define SAY_11(x, ...) SAY(x), SAY_10(__VA_ARGS__)
#define SAY_12(x, ...) SAY(x), SAY_11(__VA_ARGS__)
#define SAY_13(x, ...) SAY(x), SAY_12(__VA_ARGS__)
#define SAY_14(x, ...) SAY(x), SAY_13(__VA_ARGS__)
#define SAY_15(x, ...) SAY(x), SAY_14(__VA_ARGS__)
#define SAY_16(x, ...) SAY(x), SAY_15(__VA_ARGS__)
#define SAY_17(x, ...) SAY(x), SAY_16(__VA_ARGS__)
#define SAY_18(x, ...) SAY(x), SAY_17(__VA_ARGS__)
#define SAY_19(x, ...) SAY(x), SAY_18(__VA_ARGS__)
#define SAY_20(x, ...) SAY(x), SAY_19(__VA_ARGS__)
#define SAY_21(x, ...) SAY(x), SAY_20(__VA_ARGS__)
#define SAY_22(x, ...) SAY(x), SAY_21(__VA_ARGS__)
#define SAY_23(x, ...) SAY(x), SAY_22(__VA_ARGS__)
#define SAY_24(x, ...) SAY(x), SAY_23(__VA_ARGS__)
#define SAY_25(x, ...) SAY(x), SAY_24(__VA_ARGS__)
#define SAY_26(x, ...) SAY(x), SAY_25(__VA_ARGS__)
#define SAY_27(x, ...) SAY(x), SAY_26(__VA_ARGS__)
#define SAY_28(x, ...) SAY(x), SAY_27(__VA_ARGS__)
#define SAY_29(x, ...) SAY(x), SAY_28(__VA_ARGS__)
#define SAY_30(x, ...) SAY(x), SAY_29(__VA_ARGS__)
#define SAY_31(x, ...) SAY(x), SAY_30(__VA_ARGS__)
#define SAY_32(x, ...) SAY(x), SAY_31(__VA_ARGS__)
#define SAY_NTH(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, \
                a16, a17, a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, \
                a31, a32, n, ...) \
    n
#define SAY_N(...) SAY_NTH(__VA_ARGS__, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, \
                                       17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define SAY_FOR_(n) SAY_##n
#define SAY_FOR(n) SAY_FOR_(n)
#define SAY_ALL(...) SAY_FOR(SAY_N(__VA_ARGS__))(__VA_ARGS__)
/* clang-format on */
#define text_say(t, tr, ...) \
    text_say_parts(t, tr, (const struct say_part[]){SAY_ALL(__VA_ARGS__)}, SAY_N(__VA_ARGS__))

#endif
