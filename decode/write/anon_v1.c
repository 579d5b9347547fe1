/*
 * anon_v1.c - see anon.h: the first family.
 *
 * Two passes over all events: the first finds the use of each string, as that may come anywhere; the second
 * writes the same events, except for strings and the text of logs. The prototype and 1.5 have no names at
 * all, only program counters.
 */
#include <string.h>

#include "decode/write/anon.h"
#include "decode/base/mem.h"
#include "decode/v1/v1_wire.h"

struct file_anon {
    struct anon *a;
    struct outlet *out;
    struct v1_dialect d;
    const uint8_t *data, *end;
    struct anon_table t;
};

static void frames(struct file_anon *w, const struct v1_raw *r)
{
    const uint8_t *p = r->text;
    for (uint32_t i = 0; w->d.names && i < r->len && p; i++) {
        uint64_t v[4] = {0};
        for (int k = 0; k < 4 && p; k++)
            p = bytes_varint(p, w->end, &v[k]);
        anon_frame(&w->t, v);
    }
}

static void roles(struct file_anon *w, const struct v1_raw *r)
{
    const struct v1_shape *s = &w->d.shape[r->type];
    const int str = v1_which(s, 's');
    if (r->type == V1_STRING)
        anon_text(&w->t, r->v[0], r->text, r->len);
    else if (r->type == V1_STACK)
        frames(w, r);
    else if (str >= 0)
        anon_role(&w->t, r->v[s->timed + str],
                  r->type == V1_GO_START_LABEL ? ANON_LABEL
                  : r->type == V1_TASK_CREATE  ? ANON_TASK
                  : r->type == V1_REGION       ? ANON_REGION
                                               : ANON_KEY);
    if (r->type == V1_LOG)
        anon_note_text(w->a, r->text, r->len, ANON_LOG);
}

/* ---- writing ------------------------------------------------------------------------------------------- */

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

/* pass - Go over all events; write: the second pass. Returns where it can't continue, or the end. */
static const uint8_t *pass(struct file_anon *w, const uint8_t *p, bool write, const char **why)
{
    struct v1_raw r;
    const uint8_t *done = p; /* what follows it has not been written */
    while (p < w->end && !w->t.oom && !w->a->oom && !w->out->broken) {
        const uint8_t *at = p;
        if (v1_read(&w->d, &p, w->end, &r, why) != V1_READ_OK)
            break;
        if (!write) {
            roles(w, &r);
        } else if (r.type == V1_STRING || r.type == V1_LOG) {
            outlet_put(w->out, done, (size_t)(at - done));
            done = p;
            if (r.type == V1_STRING)
                put_string(w, &r);
            else
                put_log(w, &r, at);
        }
    }
    if (write)
        outlet_put(w->out, done, (size_t)(p - done));
    return p;
}

enum err_code anon_v1(const struct rewrite *r, struct anon *a, struct anon_result *res, struct err *e)
{
    const struct input *in = r->in;
    struct file_anon w = {.a = a, .out = r->out, .data = in->data, .end = in->data + in->len};
    const char *why = "";
    (void)v1_dialect_init(&w.d, r->d.version); /* one that the header names */
    const uint8_t *stop = pass(&w, in->data + r->d.header, false, &why);
    res->ended = stop < w.end;
    if (res->ended && !w.t.oom)
        err_set(&res->damage, ERR_FORMAT, (uint64_t)(stop - in->data), "no event can be read here%s%s",
                *why ? ": " : "", why);
    anon_note(a, &w.t);
    outlet_put(r->out, in->data, r->d.header);
    w.end = stop;
    if (!w.t.oom)
        (void)pass(&w, in->data + r->d.header, true, &why);
    anon_table_free(&w.t);
    return w.t.oom ? err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory for names") : ERR_OK;
}
