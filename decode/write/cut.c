/* cut.c - see cut.h. */
#include "decode/write/cut.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool outlet_put(struct outlet *s, const void *p, size_t n)
{
    if (!s->broken && n && !s->write(s->arg, p, n))
        s->broken = true;
    s->bytes += n;
    return !s->broken;
}

bool cut_say(const struct cut_result *r, char *buf, size_t size)
{
    char at[40] = "";
    *buf = '\0';
    if (!r->damage.code)
        return false;
    if (r->damage.offset != ERR_NO_OFFSET)
        snprintf(at, sizeof at, " (offset %" PRIu64 ")", r->damage.offset);
    snprintf(buf, size, "written %s %.6f s%s where the trace is damaged: %s%s", r->late ? "from" : "up to",
             (double)(r->late ? r->from : r->to) * 1e-9, r->late ? " on, behind" : ",", r->damage.what, at);
    return true;
}

enum err_code cut_trace(const struct input *in, const struct cut_range *r, struct outlet *out,
                        struct cut_result *res, struct err *e)
{
    struct rewrite w = {.in = in, .out = out};
    *res = (struct cut_result){0};
    enum err_code rc = dialect_tell(in->data, in->len, &w.d, e);
    if (rc)
        return rc;
    if (r->from >= r->to)
        return err_set(e, ERR_ARG, ERR_NO_OFFSET, "the range is empty: it must end after it begins");
    if (w.d.second_family && r->ticks_per_second > 0)
        return err_set(e, ERR_ARG, ERR_NO_OFFSET, CUT_RATE);
    rc = (w.d.second_family ? cut_v2 : cut_v1)(&w, r, res, e);
    if (rc == ERR_OK && out->broken)
        rc = err_set(e, ERR_IO, ERR_NO_OFFSET, "what is written can't be");
    if (rc == ERR_OK && in->damage.code && !res->damage.code && r->to == INT64_MAX)
        res->damage = in->damage;
    return rc;
}
