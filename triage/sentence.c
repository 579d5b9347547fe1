/* sentence.c - see sentence.h. */
#include "triage/sentence.h"

#include <string.h>

static void part(struct text *t, const struct trace *tr, const struct say_part *p)
{
    switch (p->how) {
    case SAY_WORDS: text_raw(t, p->words, strlen(p->words)); break;
    case SAY_COUNT: text_add(t, "%llu", (unsigned long long)p->n); break;
    case SAY_SIGNED: text_add(t, "%lld", (long long)p->n); break;
    case SAY_F0: text_add(t, "%.0f", p->part); break;
    case SAY_F1: text_add(t, "%.1f", p->part); break;
    case SAY_DUR: text_dur(t, p->n); break;
    case SAY_BYTES: text_bytes(t, (uint64_t)p->n); break;
    case SAY_SHARE: text_share(t, p->part, p->whole); break;
    case SAY_FUNC: text_func(t, tr, p->id, p->most); break;
    case SAY_STR: text_str(t, tr, p->id); break;
    case SAY_WHO: text_who(t, tr, p->id); break;
    case SAY_WHERE: text_where(t, tr, p->id, p->most); break;
    case SAY_CALLS: text_calls(t, tr, p->id, p->frame, p->most); break;
    case SAY_PLACE: text_place(t, tr, p->id, p->most); break;
    }
}

void text_say_parts(struct text *t, const struct trace *tr, const struct say_part *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        part(t, tr, &v[i]);
}
