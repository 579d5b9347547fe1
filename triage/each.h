/*
 * each.h - a macro for each of its arguments: EACH(F, a, b) is F(a), F(b). EACH_OF(type, F, a, b) is an array
 * of these and its length, for a function that takes both: so text_say() (text.h) and json_put() (json.h)
 * take arguments of several types.
 *
 * A macro can't call itself: EACH_ADD takes one argument and leaves the name of what takes the next,
 * EACH_MORE, which the preprocessor reads anew with each EACH_AGAIN: enough times for 85 arguments.
 */
#ifndef GOTOP_TRIAGE_EACH_H
#define GOTOP_TRIAGE_EACH_H

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

#endif
