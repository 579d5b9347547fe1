/*
 * each.h - a macro for each of up to 32 arguments: EACH(F, a, b) is F(a), F(b); EACH_N(a, b) is 2. Variadic
 * macros with arguments of several types convert them to an array of one type: text_say() (sentence.h),
 * json_put() (json.h).
 */
#ifndef GOTOP_TRIAGE_EACH_H
#define GOTOP_TRIAGE_EACH_H

/* clang-format off */
#define EACH_1(F, x) F(x)
#define EACH_2(F, x, ...) F(x), EACH_1(F, __VA_ARGS__)
#define EACH_3(F, x, ...) F(x), EACH_2(F, __VA_ARGS__)
#define EACH_4(F, x, ...) F(x), EACH_3(F, __VA_ARGS__)
#define EACH_5(F, x, ...) F(x), EACH_4(F, __VA_ARGS__)
#define EACH_6(F, x, ...) F(x), EACH_5(F, __VA_ARGS__)
#define EACH_7(F, x, ...) F(x), EACH_6(F, __VA_ARGS__)
#define EACH_8(F, x, ...) F(x), EACH_7(F, __VA_ARGS__)
#define EACH_9(F, x, ...) F(x), EACH_8(F, __VA_ARGS__)
#define EACH_10(F, x, ...) F(x), EACH_9(F, __VA_ARGS__)
#define EACH_11(F, x, ...) F(x), EACH_10(F, __VA_ARGS__)
#define EACH_12(F, x, ...) F(x), EACH_11(F, __VA_ARGS__)
#define EACH_13(F, x, ...) F(x), EACH_12(F, __VA_ARGS__)
#define EACH_14(F, x, ...) F(x), EACH_13(F, __VA_ARGS__)
#define EACH_15(F, x, ...) F(x), EACH_14(F, __VA_ARGS__)
#define EACH_16(F, x, ...) F(x), EACH_15(F, __VA_ARGS__)
#define EACH_17(F, x, ...) F(x), EACH_16(F, __VA_ARGS__)
#define EACH_18(F, x, ...) F(x), EACH_17(F, __VA_ARGS__)
#define EACH_19(F, x, ...) F(x), EACH_18(F, __VA_ARGS__)
#define EACH_20(F, x, ...) F(x), EACH_19(F, __VA_ARGS__)
#define EACH_21(F, x, ...) F(x), EACH_20(F, __VA_ARGS__)
#define EACH_22(F, x, ...) F(x), EACH_21(F, __VA_ARGS__)
#define EACH_23(F, x, ...) F(x), EACH_22(F, __VA_ARGS__)
#define EACH_24(F, x, ...) F(x), EACH_23(F, __VA_ARGS__)
#define EACH_25(F, x, ...) F(x), EACH_24(F, __VA_ARGS__)
#define EACH_26(F, x, ...) F(x), EACH_25(F, __VA_ARGS__)
#define EACH_27(F, x, ...) F(x), EACH_26(F, __VA_ARGS__)
#define EACH_28(F, x, ...) F(x), EACH_27(F, __VA_ARGS__)
#define EACH_29(F, x, ...) F(x), EACH_28(F, __VA_ARGS__)
#define EACH_30(F, x, ...) F(x), EACH_29(F, __VA_ARGS__)
#define EACH_31(F, x, ...) F(x), EACH_30(F, __VA_ARGS__)
#define EACH_32(F, x, ...) F(x), EACH_31(F, __VA_ARGS__)
#define EACH_NTH(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, \
                 a16, a17, a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, \
                 a31, a32, n, ...) \
    n
#define EACH_N(...) EACH_NTH(__VA_ARGS__, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, \
                                          17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define EACH_OF_(n) EACH_##n
#define EACH_OF(n) EACH_OF_(n)
#define EACH(F, ...) EACH_OF(EACH_N(__VA_ARGS__))(F, __VA_ARGS__)
/* clang-format on */

#endif
