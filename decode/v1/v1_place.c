/* v1_place.c - see v1_place.h. */
#include "decode/v1/v1_place.h"

#include <string.h>

#define PLAUSIBLE_TICKS (INT64_C(86400) * 62500000) /* a day on the fastest clock seen */

/* is_place - a Batch event and some that make sense seem to begin at off. */
static bool is_place(const struct v1_index *ix, const struct source *s, uint64_t off)
{
    const uint8_t *p = s->data + off, *end = s->data + s->len;
    struct v1_raw r;
    const char *why;
    for (int i = 0; i < 8 && p < end; i++) {
        const uint8_t *at = p;
        if (end - p > 1 && *p >> 6 == 3 && (*p & 63) != V1_STACK && (*p & 63) != V1_STRING && p[1] >= 0x80)
            return false;
        enum v1_read c = v1_read(&ix->dialect, &p, end, &r, &why);
        if (c != V1_READ_OK)
            return c == V1_READ_CUT && i > 0;
        if (i == 0) {
            int64_t d = (int64_t)(r.v[r.n - 1] - ix->batch_ticks);
            if (r.type != V1_BATCH || !v1_place_proc(r.v[0], ix->procs ? V1_PLACE_MORE * ix->procs : V1_PLACE_P))
                return false;
            if (ix->batch_ticks &&
                (d > PLAUSIBLE_TICKS || (int64_t)(r.v[r.n - 1] - ix->least_ticks) < -V1_NEAR_TICKS))
                return false;
        } else if (r.type == V1_STACK && p - at > 4096) {
            return true;
        }
    }
    return true;
}

uint64_t v1_place_next(const struct v1_index *ix, const struct source *s, uint64_t off, uint64_t end)
{
    for (; off < end; off++) {
        const uint8_t *p = memchr(s->data + off, 1 << 6 | V1_BATCH, end - off);
        if (!p)
            break;
        off = (uint64_t)(p - s->data);
        if (is_place(ix, s, off))
            return off;
    }
    return end;
}

uint64_t v1_place_guess(const struct v1_index *ix, const struct source *s, uint64_t off, uint64_t end)
{
    end = end - off < V1_PLACE_NEAR ? end : off + V1_PLACE_NEAR;
    for (; off < end; off++) {
        const uint8_t *p = memchr(s->data + off, 1 << 6 | V1_BATCH, end - off);
        struct v1_raw r;
        const char *why;
        if (!p)
            break;
        off = (uint64_t)(p - s->data);
        if (v1_read(&ix->dialect, &p, s->data + s->len, &r, &why) != V1_READ_OK || p == s->data + s->len)
            continue;
        int64_t d = (int64_t)(r.v[r.n - 1] - ix->batch_ticks);
        if (v1_place_proc(r.v[0], V1_PLACE_P) && d > -V1_NEAR_TICKS && d < PLAUSIBLE_TICKS &&
            ix->dialect.shape[*p & 63].timed)
            return off;
    }
    return end;
}
