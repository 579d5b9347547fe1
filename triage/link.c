/*
 * link.c - see link.h.
 */
#include "triage/link.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char letter(enum lane_kind k)
{
    return k == LANE_G ? 'g' : k == LANE_P ? 'p' : 'm';
}

void link_place(char out[LINK_PLACE], int64_t t, enum lane_kind k, uint64_t id)
{
    snprintf(out, LINK_PLACE, "%c%" PRIu64 "@%" PRId64 "ns", letter(k), id, t);
}

void link_add(struct text *out, const char *path, int64_t t, enum lane_kind k, uint64_t id)
{
    text_clean(out, path, strlen(path), 0);
    text_add(out, "@%" PRId64 "ns:%c%" PRIu64, t, letter(k), id);
}

bool link_split(char *word, char place[LINK_PLACE])
{
    char *colon = strrchr(word, ':'), *at = strrchr(word, '@');
    if (!colon || !at || at == word || colon < at + 2 || !strchr("gpm", colon[1]) || !colon[1])
        return false;
    const size_t digits = strspn(colon + 2, "0123456789");
    if (!digits || colon[2 + digits] || access(word, F_OK) == 0)
        return false;
    if (snprintf(place, LINK_PLACE, "%s@%.*s", colon + 1, (int)(colon - at - 1), at + 1) >= LINK_PLACE)
        return false;
    *at = '\0';
    return true;
}
