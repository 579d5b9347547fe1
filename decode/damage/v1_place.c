/* v1_place.c - see v1_damage.h. */
#include "decode/damage/v1_damage.h"

#include <string.h>

#define PLAUSIBLE_TICKS (INT64_C(86400) * 62500000) /* a day on the fastest clock seen */

/* Returns the cost of reading the events from..to, and the incomplete `last` event after
 * them: about one for each value. */
static uint64_t work_of(const uint8_t *from, const uint8_t *to, const struct v1_raw *last)
{
    return (uint64_t)(to - from) + (last->type == V1_STACK ? 4 * (uint64_t)last->len : 1);
}

/* starts_batch - Whether this is the start of a batch, of a plausible processor and time. */
static bool starts_batch(const struct v1_index *ix, const struct v1_raw *r)
{
    int64_t d = (int64_t)(r->v[r->n - 1] - ix->batch_ticks);
    return r->type == V1_BATCH &&
           v1_place_proc(r->v[0], ix->procs ? V1_PLACE_MORE * ix->procs : V1_PLACE_P) &&
           (!ix->batch_ticks ||
            (d <= PLAUSIBLE_TICKS && (int64_t)(r->v[r->n - 1] - ix->least_ticks) >= -V1_NEAR_TICKS));
}

/* is_place - Whether a Batch event and some plausible events seem to begin at p. The cost of reading them
 * is added to *work. */
static bool is_place(const struct v1_index *ix, const uint8_t *p, const uint8_t *end, uint64_t *work)
{
    const uint8_t *const from = p;
    struct v1_raw r = {0};
    bool is = true;
    const char *why;
    for (int i = 0; is && i < 8 && p < end; i++) {
        const uint8_t *at = p;
        if (end - p > 1 && *p >> 6 == 3 && (*p & 63) != V1_STACK && (*p & 63) != V1_STRING && p[1] >= 0x80) {
            is = false;
            break;
        }
        enum v1_read c = v1_read(&ix->dialect, &p, end, &r, &why);
        if (c != V1_READ_OK) {
            is = c == V1_READ_CUT && i > 0;
            break;
        }
        is = i || starts_batch(ix, &r);
        if (i && r.type == V1_STACK && p - at > 4096)
            break;
    }
    *work += work_of(from, p, &r);
    return is;
}

/* Places that overlap, each of which turns out to be none soon after it, are tried as long as that costs no
 * more than this many times what was skipped. */
enum { WORK = 4, WORK_LEAST = 1 << 16 };

typedef bool seems(const struct v1_index *ix, const uint8_t *p, const uint8_t *end, uint64_t *work);

/* place_from - Returns the first offset in [off, end) with this byte at which the wanted place seems to
 * begin, or end. */
static uint64_t place_from(const struct v1_index *ix, const struct source *s, uint64_t off, uint64_t end,
                           uint8_t byte, seems *is)
{
    const uint64_t from = off;
    uint64_t work = 0;
    for (; off < end; off++) {
        const uint8_t *p = memchr(s->data + off, byte, end - off);
        if (!p)
            break;
        off = source_off(s, p);
        if (work < WORK_LEAST + WORK * (off - from) && is(ix, p, s->data + s->len, &work))
            return off;
    }
    return end;
}

static uint64_t batch_from(const struct v1_index *ix, const struct source *s, uint64_t off, uint64_t end)
{
    return place_from(ix, s, off, end, 1 << 6 | V1_BATCH, is_place);
}

/* is_table - Whether stacks and names, and nothing else, seem to begin at p with a stack: eight of them, or
 * three and the file's end. */
static bool is_table(const struct v1_index *ix, const uint8_t *p, const uint8_t *end, uint64_t *work)
{
    const uint8_t *const from = p;
    struct v1_raw r = {0};
    bool is = true;
    const char *why;
    int n = 0;
    for (; is && n < 8 && p < end; n++) {
        const enum v1_read c = v1_read(&ix->dialect, &p, end, &r, &why);
        is = c == V1_READ_OK &&
             (r.type == V1_STACK ? r.v[0] && r.len : n && (r.type == V1_STRING || r.type == V1_FREQUENCY));
        if (c == V1_READ_CUT) {
            is = n > 2;
            break;
        }
    }
    *work += work_of(from, p, &r);
    return is && n > 2;
}

static uint64_t table_from(const struct v1_index *ix, const struct source *s, uint64_t off, uint64_t end)
{
    return place_from(ix, s, off, end, 3 << 6 | V1_STACK, is_table);
}

uint64_t v1_place_table(struct v1_index *ix, const struct source *s, uint64_t at)
{
    if (ix->table_at <= at)
        ix->table_at = table_from(ix, s, at + 1, s->len);
    return ix->table_at;
}

/* After the start of the tables there may be no further batch; before it the tables may be far away. So the
 * search starts with what is likely to be near, and the other one is searched for only up to there. */
uint64_t v1_place_behind(struct v1_index *ix, const struct source *s, uint64_t at)
{
    if (ix->has_footer)
        return batch_from(ix, s, at + 1, v1_place_table(ix, s, at));
    const uint64_t batch = batch_from(ix, s, at + 1, s->len), table = table_from(ix, s, at + 1, batch);
    if (table < batch)
        ix->table_at = table;
    return table;
}
