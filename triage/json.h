/*
 * json.h - JSON from what we count, by jansson, on our memory: what it takes is counted and can fail like
 * everything else, and a failure in the middle of a document is known at its end.
 *
 *     json_t *root = json_begin(), *a = json_list(root, "locks");
 *     json_row(a, tr, "place", j_str(h->place), "waits", h->waits, "goroutine", j_g(h->g));
 *     char *text = json_end(root, JSON_INDENT(1));
 *
 * A member is a key and a value. A value is a number, a bool, words (cleaned;
 * NULL: the member is left out), or a json_t, which becomes the object's: j_..() make those of what is in the
 * trace. A value of another kind does not compile. `true`, and what == and || give, are numbers unless
 * they are cast to bool.
 */
#ifndef GOTOP_TRIAGE_JSON_H
#define GOTOP_TRIAGE_JSON_H

#include <jansson.h>
#include <stdbool.h>

#include "triage/text.h"
#include "triage/triage.h"

/* json_begin - starts a document with its first object. It is a statement of its own, since the values of a
 * call are made before it. json_end - returns it as text, by jansson's flags;
 * free with mem_free(); NULL when out of memory. json_fail - marks the document as failed: json_end() will
 * return NULL. */
json_t *json_begin(void);
char *json_end(json_t *root, size_t flags);
void json_fail(void);
bool json_whole(void); /* nothing has failed since json_begin() */

#define json_put(obj, tr, ...) (json_of(tr), json_put_parts(obj, EACH_OF(json_t *const, JSON, __VA_ARGS__)))
#define json_row(arr, tr, ...) json_put(json_append(arr), tr, __VA_ARGS__) /* appends an object to an array */
#define json_in(obj, key, tr, ...) \
    json_put(json_under(obj, key), tr, __VA_ARGS__)              /* adds an object to an object */
json_t *json_put_parts(json_t *obj, json_t *const *v, size_t n); /* keys and values, which it owns; obj */
/* json_of - the trace of the strings, lanes and stacks that follow. NULL: as before. */
void json_of(const struct trace *tr);
json_t *json_append(json_t *arr);
json_t *json_under(json_t *obj, const char *key);
json_t *json_list(json_t *obj, const char *key); /* adds an array to an object */

/* json_notes - adds what the reader noted, trace_damage() or trace_warning(), as an array. */
json_t *json_notes(json_t *obj, const char *key, const struct trace *tr,
                   const struct err *(*get)(const struct trace *, uint32_t));

json_t *j_str(uint32_t str);
/* These return NULL for what is empty, so that it is left out: a string, a lane's id, a stack's frames. */
json_t *j_some(uint32_t str);
json_t *j_g(uint32_t lane);
json_t *j_p(uint32_t lane);
json_t *j_stack(uint32_t stack);
#define j_if(there, value) ((there) ? JSON(value) : NULL) /* if false, the member is left out */

json_t *json_words(const char *s);
json_t *json_count(unsigned long long n);
json_t *json_bool(bool v);
json_t *json_number(double v);
static inline json_t *json_itself(json_t *v)
{
    return v;
}
/* clang-format off */
#define JSON(x) _Generic((x), char *: json_words, const char *: json_words, json_t *: json_itself, \
    bool: json_bool, double: json_number, signed char: json_integer, short: json_integer, \
    int: json_integer, long: json_integer, long long: json_integer, \
    unsigned char: json_count, unsigned short: json_count, unsigned: json_count, \
    unsigned long: json_count, unsigned long long: json_count)(x)
/* clang-format on */

#endif
