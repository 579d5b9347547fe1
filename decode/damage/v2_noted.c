/* v2_noted.c - see v2_noted.h. */
#include "decode/damage/v2_noted.h"

enum { TWICE = 1, FAR_OFF = 2 }; /* number of values in .odd */

static uint64_t odd_key(const struct v2_noted *a, const struct v2_numbers *v, uint64_t number)
{
    return hash_last(hash_next(hash_first((uint64_t)(v - a->v)), number));
}

static uint32_t odd_get(const struct v2_noted *a, const struct v2_numbers *v, uint64_t number)
{
    const uint32_t is = v->odd ? idmap_get(&a->odd, odd_key(a, v, number)) : IDMAP_NONE;
    return is == IDMAP_NONE ? 0 : is;
}

bool v2_noted_odd(const struct v2_noted *a, const struct v2_numbers *v, uint64_t number)
{
    return odd_get(a, v, number) & FAR_OFF;
}

struct v2_numbers *v2_noted_of(const struct v2_noted *a, uint64_t id)
{
    const uint32_t i = idmap_get(&a->at, id);
    return i == IDMAP_NONE ? NULL : &a->v[i];
}

struct v2_numbers *v2_noted_new(struct v2_noted *a, uint64_t id)
{
    const uint32_t i = idmap_get(&a->at, id);
    if (i != IDMAP_NONE)
        return &a->v[i];
    if (!mem_room(a->v, a->cap, a->n + 1) || !idmap_put(&a->at, id, (uint32_t)a->n))
        return NULL;
    a->v[a->n] = (struct v2_numbers){0};
    return &a->v[a->n++];
}

/* Returns the word with this number's bit, or NULL. */
static uint64_t *word_of(struct v2_numbers *v, uint64_t number)
{
    const uint64_t word = number / 64;
    return !word ? &v->low : word <= v->nhigh ? &v->high[word - 1] : NULL;
}

/* The same, but add the word unless it is too far from all others. Returns false if out of memory. */
static bool word_new(struct v2_numbers *v, uint64_t number, uint64_t **to)
{
    enum { LEAST = 16, EACH = 4 };
    const uint64_t word = number / 64;
    *to = word_of(v, number);
    if (*to || word > LEAST + (uint64_t)EACH * v->n)
        return true;
    if (!mem_room_zeros(v->high, v->nhigh, word))
        return false;
    *to = &v->high[word - 1];
    return true;
}

bool v2_noted_put_far(struct v2_noted *a, uint64_t id, uint64_t number)
{
    struct v2_numbers *v = v2_noted_new(a, id);
    uint64_t *word;
    if (!v)
        return false;
    const uint32_t now = number < IDMAP_NONE - 1 ? (uint32_t)number : IDMAP_NONE - 2;
    v->most = now > v->most ? now : v->most;
    v->n += v->n < UINT32_MAX;
    if (!word_new(v, number, &word))
        return false;
    const uint64_t bit = UINT64_C(1) << number % 64;
    const bool is = word && *word & bit;
    const uint32_t was = odd_get(a, v, number);
    a->wrong |= is || was || !number;
    if (word && !is && !was) {
        *word |= bit;
        return true;
    }
    v->odd = true;
    return idmap_put(&a->odd, odd_key(a, v, number),
                     (is || was ? TWICE : 0) | (word && is ? was : was | FAR_OFF));
}

void v2_noted_del(struct v2_noted *a, uint64_t id, uint64_t number)
{
    struct v2_numbers *v = v2_noted_of(a, id);
    uint64_t *word = v ? word_of(v, number) : NULL;
    if (word)
        *word &= ~(UINT64_C(1) << number % 64);
    if (v && v->odd)
        idmap_del(&a->odd, odd_key(a, v, number));
}

bool v2_noted_twice(const struct v2_noted *a, uint64_t id, uint64_t number)
{
    const struct v2_numbers *v = v2_noted_of(a, id);
    return v && odd_get(a, v, number) & TWICE;
}

bool v2_noted_beyond(const struct v2_noted *a, uint64_t id, uint64_t number)
{
    const struct v2_numbers *v = v2_noted_of(a, id);
    return v && v->most > number;
}

bool v2_noted_whole(const struct v2_noted *a)
{
    for (size_t i = 0; i < a->n; i++)
        if (a->v[i].n != a->v[i].most)
            return false;
    return !a->wrong;
}

void v2_noted_free(struct v2_noted *a)
{
    for (size_t i = 0; i < a->n; i++)
        mem_free(a->v[i].high);
    mem_free(a->v);
    idmap_free(&a->at);
    idmap_free(&a->odd);
    *a = (struct v2_noted){0};
}
