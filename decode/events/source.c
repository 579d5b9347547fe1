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
    uint32_t i = 0;
    while (i < s->ngap && s->gap[i] < at)
        i++;
    return i < s->ngap && s->gap[i] == at;
}

/* note - e, and what it says. */
static void note(struct source_notes *l, uint32_t *n, struct err e, const char *fmt, va_list ap)
{
    if (*n < SOURCE_NOTES) {
        char text[sizeof e.what];
        vsnprintf(text, sizeof text, fmt, ap);
        err_set(&e, e.code, e.offset, "%s", text);
        source_note_put(l, *n, &e);
    }
    if (*n < UINT32_MAX)
        ++*n;
}

void source_damage(struct source *s, enum err_code code, uint32_t gen, uint64_t off, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    note(&s->damage, &s->st.ndamages, (struct err){.code = code, .gen = gen, .offset = off}, fmt, ap);
    va_end(ap);
}

void source_warn(struct source *s, enum err_code code, uint32_t gen, uint64_t off, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    note(&s->warning, &s->st.nwarnings, (struct err){.code = code, .gen = gen, .offset = off}, fmt, ap);
    va_end(ap);
}

void source_lack_add(struct source_lack *l, const struct source_lack *later)
{
    const uint64_t n = l->n;
    if (!n)
        *l = *later;
    l->n = n + later->n;
}

void source_lack_say(const struct source_lack *l, struct err *e)
{
    char who[96] = "", often[48] = "";
    if (l->event && l->g)
        snprintf(who, sizeof who, "event %s of G%" PRIu64 " names ", l->event, l->g);
    else if (l->event)
        snprintf(who, sizeof who, "event %s names ", l->event);
    if (l->n > 1)
        snprintf(often, sizeof often, " (the first of %" PRIu64 " such uses)", l->n);
    e->gen = l->gen;
    err_set(e, ERR_FORMAT, l->off, "%s%s %" PRIu64 ", which is in no table%s: it is shown as %s", who,
            l->stack ? "stack" : "string", l->id, often, l->stack ? "not recorded" : "its number");
}
