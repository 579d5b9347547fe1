/* source.c - see source.h. */
#include "decode/events/source.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "decode/base/mem.h"

const struct err *source_note(const struct source_notes *l, uint32_t i)
{
    static const struct err lost = {
        .code = ERR_NOMEM, .offset = ERR_NO_OFFSET, .what = "out of memory for what was found"};
    return i < l->cap ? &l->v[i] : &lost;
}

void source_note_put(struct source_notes *l, uint32_t i, const struct err *e)
{
    if (i < SOURCE_NOTES && mem_room(l->v, l->cap, i + 1u))
        l->v[i] = *e;
}

bool source_notes_room(struct source *s)
{
    return mem_room(s->damage.v, s->damage.cap, SOURCE_NOTES) &&
           mem_room(s->warning.v, s->warning.cap, SOURCE_NOTES);
}

void source_notes_free(struct source *s)
{
    mem_free(s->damage.v);
    mem_free(s->warning.v);
    s->damage = s->warning = (struct source_notes){0};
}

bool source_gap(const struct source *s, size_t at)
{
    return any_of(i, s->ngap, s->gap[i] == at);
}

void source_tell(struct source *s, bool damage, enum err_code code, uint32_t gen, uint64_t off,
                 const char *fmt, ...)
{
    uint32_t *const n = damage ? &s->st.ndamages : &s->st.nwarnings;
    if (*n < SOURCE_NOTES) {
        struct err e = {.gen = gen};
        char text[sizeof e.what];
        va_list ap;
        va_start(ap, fmt);
        vsnprintf(text, sizeof text, fmt, ap);
        va_end(ap);
        err_set(&e, code, off, "%s", text);
        source_note_put(damage ? &s->damage : &s->warning, *n, &e);
    }
    *n += *n < UINT32_MAX;
}

void source_lacks(struct source *s, uint64_t n, uint32_t gen, uint64_t off)
{
    s->st.lacks += n;
    source_warn(s, ERR_FORMAT, gen, off,
                "%" PRIu64
                " use%s of stacks or strings that are in no table: a stack is shown as not recorded, "
                "a string as its number",
                n, n == 1 ? "" : "s");
}

bool source_starved(const struct source *s)
{
    return s->fatal.code == ERR_NOMEM ||
           any_of(i, s->st.ndamages, i < SOURCE_NOTES && source_note(&s->damage, i)->code == ERR_NOMEM);
}
