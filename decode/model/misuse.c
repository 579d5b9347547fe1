/* misuse.c - see misuse.h. */
#include "decode/model/misuse.h"

#include <inttypes.h>
#include <stdio.h>

enum { NAME = 32, PLACE = 72 }; /* most bytes of a name, of a place in a warning */

static int most(struct str s, int n)
{
    return s.len < (uint32_t)n ? (int)s.len : n;
}

/* Write the frame that calls runtime/trace: its function, and the file without its folder. */
static void call_place(const struct names *nm, uint32_t stack, char *out, size_t size)
{
    const uint32_t depth = names_depth(nm, stack);
    struct frame f = {0};
    struct str func = {0};
    for (uint32_t i = 0; i < depth; i++) {
        f = names_frame(nm, stack, i);
        func = names_get(nm, f.func);
        if (!str_starts(func, "runtime/trace."))
            break;
    }
    struct str file = names_get(nm, f.file);
    const uint32_t dir = str_dir(file);
    file = (struct str){file.p + dir, file.len - dir};
    if (!func.len)
        *out = 0;
    else
        snprintf(out, size, " in %.*s %.*s:%" PRIu64, most(func, PLACE - 30), func.p, most(file, 24), file.p,
                 f.line);
}

void misuse_say(const struct misuse *m, enum misuse_kind kind, const struct names *names, struct err *e)
{
    char where[PLACE + 32], who[32] = "something", often[40] = "";
    const struct str name = names_get(names, m->name), inner = names_get(names, m->inner);
    call_place(names, m->stack, where, sizeof where);
    if (m->g)
        snprintf(who, sizeof who, "G%" PRIu64, m->g);
    if (m->n > 1)
        snprintf(often, sizeof often, " (the first of %" PRIu64 ")", m->n);
    e->gen = 0;
    if (kind == MISUSE_TASK)
        err_set(e, ERR_ORDER, ERR_NO_OFFSET,
                "%s ends task %" PRIu64 " \"%.*s\" again%s, at %.6f s%s: its first end counts", who, m->task,
                most(name, NAME), name.p, where, (double)m->t * 1e-9, often);
    else if (kind == MISUSE_REGION)
        err_set(e, ERR_ORDER, ERR_NO_OFFSET,
                "%s ends region \"%.*s\"%s, at %.6f s, where it is not open%s: left out", who,
                most(name, NAME), name.p, where, (double)m->t * 1e-9, often);
    else
        err_set(e, ERR_ORDER, ERR_NO_OFFSET,
                "%s ends region \"%.*s\"%s, at %.6f s, before \"%.*s\" within it%s", who, most(name, NAME),
                name.p, where, (double)m->t * 1e-9, most(inner, NAME), inner.p, often);
}
