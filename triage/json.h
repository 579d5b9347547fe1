/*
 * json.h - JSON from what we count, by jansson, on our memory: what it takes is counted and can fail like
 * everything else, and a failure in the middle of a document is known at its end.
 *
 *     json_t *root = json_begin(), *a = json_list(root, "locks");
 *     json_row(a, tr, "place", j_str(h->place), "waits", h->waits, "longest", j_moment(&h->longest));
 *     char *text = json_end(root, JSON_INDENT(1));
 *
 * A member is a key and a value, up to 16 of them in a call. A value is a number, a bool, words (cleaned;
 * NULL: the member is left out), a json_t, which becomes the object's, or says by its j_..() what of the
 * trace it is. A value of another kind does not compile. `true`, and what == and || give, are numbers unless
 * they are cast to bool.
 */
#ifndef GOTOP_TRIAGE_JSON_H
#define GOTOP_TRIAGE_JSON_H

#include <jansson.h>
#include <stdbool.h>

#include "triage/each.h"
#include "triage/triage.h"

/* json_begin - starts a document with its first object. json_end - returns it as text, by jansson's flags;
 * free with mem_free(); NULL when out of memory. json_fail - marks the document as failed: json_end() will
 * return NULL. */
json_t *json_begin(void);
char *json_end(json_t *root, size_t flags);
void json_fail(void);
bool json_whole(void); /* nothing has failed since json_begin() */

struct json_part { /* a key, or a value */
    enum {
        JSON_PART_NONE, /* left out */
        JSON_PART_WORDS,
        JSON_PART_INT,
        JSON_PART_BOOL,
        JSON_PART_REAL,
        JSON_PART_STR,
        JSON_PART_G,
        JSON_PART_P,
        JSON_PART_STACK,
        JSON_PART_DIST,
        JSON_PART_MOMENT,
        JSON_PART_NODE
    } how;
    uint32_t id; /* a string, a lane, a stack */
    union {
        int64_t n;
        double v;
        const char *words;
        json_t *node;
        const struct dist *dist;
        const struct moment *moment;
    };
};
#define json_put(obj, tr, ...) \
    json_put_parts(obj, tr, (const struct json_part[]){EACH(JSON_PART, __VA_ARGS__)}, EACH_N(__VA_ARGS__))
#define json_row(arr, tr, ...) json_put(json_append(arr), tr, __VA_ARGS__) /* appends an object to an array */
#define json_in(obj, key, tr, ...) \
    json_put(json_under(obj, key), tr, __VA_ARGS__) /* adds an object to an object */
json_t *json_put_parts(json_t *obj, const struct trace *tr, const struct json_part *v, size_t n); /* obj */
json_t *json_append(json_t *arr);
json_t *json_under(json_t *obj, const char *key);
json_t *json_list(json_t *obj, const char *key); /* adds an array to an object */

/* json_ran - where the running time went (findings/ran.h); NULL if nothing is known. */
struct ran;
void json_ran(json_t *obj, const struct trace *tr, const struct ran *r);

#define JSON_OF(...) ((struct json_part){__VA_ARGS__})
#define j_str(str) JSON_OF(.how = JSON_PART_STR, .id = (str))
/* Left out if empty: a string, a lane's id, a stack's frames. */
#define j_some(str) json_part_some(str)
#define j_g(lane) JSON_OF(.how = JSON_PART_G, .id = (lane))
#define j_p(lane) JSON_OF(.how = JSON_PART_P, .id = (lane))
#define j_stack(stack) JSON_OF(.how = JSON_PART_STACK, .id = (stack))
#define j_dist(d) JSON_OF(.how = JSON_PART_DIST, .dist = (d))
#define j_moment(m) JSON_OF(.how = JSON_PART_MOMENT, .moment = (m))
#define j_if(there, value) json_part_if(there, JSON_PART(value)) /* if false, the member is left out */

static inline struct json_part json_part_some(uint32_t str)
{
    return (struct json_part){.how = str ? JSON_PART_STR : JSON_PART_NONE, .id = str};
}
static inline struct json_part json_part_if(bool there, struct json_part v)
{
    return there ? v : (struct json_part){.how = JSON_PART_NONE};
}
static inline struct json_part json_part_words(const char *s)
{
    return (struct json_part){.how = s ? JSON_PART_WORDS : JSON_PART_NONE, .words = s};
}
static inline struct json_part json_part_count(unsigned long long n)
{
    return (struct json_part){.how = JSON_PART_INT, .n = n > INT64_MAX ? INT64_MAX : (int64_t)n};
}
static inline struct json_part json_part_signed(long long n)
{
    return (struct json_part){.how = JSON_PART_INT, .n = n};
}
static inline struct json_part json_part_bool(bool v)
{
    return (struct json_part){.how = JSON_PART_BOOL, .n = v};
}
static inline struct json_part json_part_real(double v)
{
    return (struct json_part){.how = JSON_PART_REAL, .v = v};
}
static inline struct json_part json_part_node(json_t *v)
{
    return (struct json_part){.how = JSON_PART_NODE, .node = v};
}
static inline struct json_part json_part_same(struct json_part v)
{
    return v;
}
/* clang-format off */
#define JSON_PART(x) _Generic((x), char *: json_part_words, const char *: json_part_words, \
    struct json_part: json_part_same, json_t *: json_part_node, bool: json_part_bool, \
    double: json_part_real, signed char: json_part_signed, short: json_part_signed, \
    int: json_part_signed, long: json_part_signed, long long: json_part_signed, \
    unsigned char: json_part_count, unsigned short: json_part_count, unsigned: json_part_count, \
    unsigned long: json_part_count, unsigned long long: json_part_count)(x)
/* clang-format on */

#endif
