/*
 * writing.c - see writing.h.
 */
#include "viewer/session/writing.h"

#include <sys/stat.h>
#include <time.h>

enum { LOOKS = 15, FRESH_S = 10 };

void writing_begin(struct writing *w, const char *path, int64_t now_ms)
{
    struct stat st;
    *w = (struct writing){.path = path, .next_ms = now_ms + WRITING_MS};
    if (!path || stat(path, &st) || !S_ISREG(st.st_mode))
        return;
    const int64_t age_s = (int64_t)time(NULL) - (int64_t)st.st_mtime;
    w->size = st.st_size;
    w->looks = age_s <= FRESH_S && age_s >= -FRESH_S ? LOOKS : 0;
}

bool writing_waits(const struct writing *w)
{
    return w->looks > 0;
}

bool writing_seen(struct writing *w, int64_t now_ms)
{
    struct stat st;
    if (!w->looks || now_ms < w->next_ms)
        return false;
    w->next_ms = now_ms + WRITING_MS;
    w->looks--;
    if (stat(w->path, &st) || st.st_size <= w->size)
        return false;
    w->looks = 0;
    return true;
}
