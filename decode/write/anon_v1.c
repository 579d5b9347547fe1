/*
 * anon_v1.c - see anon.h: the first family.
 *
 * The same events are written, except for strings and the text of logs. The prototype and 1.5 have no names
 * at all, only program counters.
 */
#include <string.h>

#include "decode/write/anon.h"
#include "decode/v1/v1_wire.h"

struct file_anon {
    struct anon *a;
    struct outlet *out;
    const uint8_t *end;
};

static void put_string(struct file_anon *w, const struct v1_raw *r)
{
    char name[ANON_MAX];
    uint8_t head[21] = {V1_STRING};
    const size_t len = anon_name(w->a, r->text, r->len, name);
    size_t n = 1 + bytes_put_varint(head + 1, r->v[0]);
    n += bytes_put_varint(head + n, len);
    outlet_put(w->out, head, n);
    outlet_put(w->out, name, len);
}

/* put_log - Write all of a log but the text, which follows. */
static void put_log(struct file_anon *w, const struct v1_raw *r, const uint8_t *at)
{
    uint8_t head[10];
    char name[ANON_MAX];
    size_t len = anon_name(w->a, r->text, r->len, name);
    uint64_t n = 0; /* bytes of the values: there are four of them, so this length precedes them */
    const uint8_t *p = bytes_varint(at + 1, w->end, &n) + n; /* the length of the text */
    outlet_put(w->out, at, (size_t)(p - at));
    outlet_put(w->out, head, bytes_put_varint(head, len));
    outlet_put(w->out, name, len);
}

enum err_code anon_v1(const struct rewrite *r, struct anon *a, struct anon_result *res)
{
    const struct input *in = r->in;
    struct file_anon w = {.a = a, .out = r->out, .end = in->data + in->len};
    struct v1_dialect d;
    struct v1_raw e;
    const char *why = "";
    const uint8_t *p = in->data + r->d.header, *done = in->data; /* what follows it has not been written */
    v1_dialect_init(&d, r->d.version);
    while (p < w.end && !a->oom && !r->out->broken) {
        const uint8_t *at = p;
        if (v1_read(&d, &p, w.end, &e, &why) != V1_READ_OK) {
            res->ended = true;
            err_set(&res->damage, ERR_FORMAT, (uint64_t)(p - in->data), "no event can be read here%s%s",
                    *why ? ": " : "", why);
            break;
        }
        if (e.type != V1_STRING && e.type != V1_LOG)
            continue;
        outlet_put(r->out, done, (size_t)(at - done));
        done = p;
        if (e.type == V1_STRING)
            put_string(&w, &e);
        else
            put_log(&w, &e, at);
    }
    outlet_put(r->out, done, (size_t)(p - done));
    return ERR_OK;
}
