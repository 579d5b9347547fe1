/* cut.c - see cut.h. */
#include "decode/write/cut.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool outlet_put(struct outlet *s, const void *p, size_t n)
{
    if (!s->broken && n && !s->write(s->arg, p, n))
        s->broken = true;
    s->bytes += n;
    return !s->broken;
}

/* add - append to a message; what doesn't fit is left out. */
static void add(char *buf, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static void add(char *buf, size_t size, const char *fmt, ...)
{
    const size_t n = strlen(buf);
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(buf + n, size - n, fmt, ap);
    va_end(ap);
}

static double seconds(int64_t ns)
{
    return (double)ns * 1e-9;
}

/* say_left - append what is left out, and why. */
static void say_left(const struct cut_left *l, char *buf, size_t size)
{
    if (l->generations) {
        add(buf, size, "%" PRIu32 " generation%s of %" PRIu64 " bytes %s broken, %sfrom %.6f s",
            l->generations, l->generations == 1 ? "" : "s", l->bytes, l->generations == 1 ? "is" : "are",
            l->generations == 1 ? "" : "the first ", seconds(l->from));
        if (l->to == INT64_MAX)
            add(buf, size, " to the end");
        else
            add(buf, size, " to %.6f s", seconds(l->to));
        add(buf, size, ": ");
    }
    add(buf, size, "%s", l->why.what);
    if (l->why.offset != ERR_NO_OFFSET)
        add(buf, size, " (offset %" PRIu64 ")", l->why.offset);
}

void cut_say_stretches(const struct cut_left *l, char *buf, size_t size)
{
    for (uint32_t i = 0; i < l->nstretch && i < CUT_STRETCHES; i++)
        add(buf, size, "%s%.6f s to %.6f s", i ? ", " : "", seconds(l->stretch[i].from),
            seconds(l->stretch[i].to));
    if (l->nstretch > CUT_STRETCHES)
        add(buf, size, " and %" PRIu32 " more", l->nstretch - CUT_STRETCHES);
}

bool cut_say(const struct cut_result *r, char *buf, size_t size)
{
    const struct err *why = r->damage.code ? &r->damage : &r->lost;
    *buf = '\0';
    if (r->left.why.code) {
        add(buf, size, "only %.6f s to %.6f s is in it: ", seconds(r->from), seconds(r->to));
        say_left(&r->left, buf, size);
        if (r->left.nstretch > 1) {
            add(buf, size, "; sound are ");
            cut_say_stretches(&r->left, buf, size);
        }
        return true;
    }
    if (!why->code)
        return false;
    add(buf, size, "%s: %s",
        r->damage.code ? "written up to where the trace is damaged"
                       : "events are missing in the trace, and so in it",
        why->what);
    if (why->offset != ERR_NO_OFFSET)
        add(buf, size, " (offset %" PRIu64 ")", why->offset);
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
