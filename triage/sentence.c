/* sentence.c - see sentence.h. */
#include "triage/sentence.h"

#include <string.h>

static void cell(struct text *t, int64_t ns, size_t w)
{
    struct text c = {.ticks = t->ticks};
    text_dur(&c, ns);
    text_add(t, "%*s", (int)w, c.p ? c.p : "");
    text_free(&c);
}

static void part(struct text *t, const struct trace *tr, const struct say_part *p, size_t begin)
{
    switch (p->how) {
    case SAY_WORDS: text_raw(t, p->words, strlen(p->words)); break;
    case SAY_COUNT: text_add(t, "%*llu", (int)p->most, (unsigned long long)p->n); break;
    case SAY_SIGNED: text_add(t, "%*lld", (int)p->most, (long long)p->n); break;
    case SAY_FIXED: text_add(t, "%.*f", (int)p->most, p->part); break;
    case SAY_DUR: text_dur(t, p->n); break;
    case SAY_CELL: cell(t, p->n, p->most); break;
    case SAY_TO: text_pad(t, begin, p->most); break;
    case SAY_CLEAN: text_clean(t, p->words, strlen(p->words), p->most); break;
    case SAY_BYTES: text_bytes(t, (uint64_t)p->n); break;
    case SAY_SHARE: text_share(t, p->part, p->whole); break;
    case SAY_FUNC: text_func(t, tr, p->id, p->most); break;
    case SAY_STR: text_str(t, tr, p->id); break;
    case SAY_WHO: text_who(t, tr, p->id); break;
    case SAY_WHERE: text_where(t, tr, p->id, p->most); break;
    case SAY_WAIT: text_wait(t, tr, p->id, p->frame); break;
    case SAY_CALLS: text_calls(t, tr, p->id, p->frame, (unsigned)p->most); break;
    }
}

void text_say_parts(struct text *t, const struct trace *tr, const struct say_part *v, size_t n)
{
    const size_t begin = t->n;
    for (size_t i = 0; i < n; i++)
        part(t, tr, &v[i], begin);
}
