/* v2_ahead.c - predicts when a generation ends, before its events are ordered: v2_gen_late() in v2_gen.h. */
#include "decode/base/bytes.h"
#include "decode/v2/v2_gen.h"
#include "decode/v2/v2_state.h"

/* Returns the time of a batch's last event. */
static int64_t batch_last(const struct v2_batch *b, double unit)
{
    const uint64_t whole = v2_whole(unit);
    int64_t t = v2_ns(b->time, unit);
    for (const uint8_t *p = b->p; p < b->end;) {
        const uint8_t nargs = v2_specs[*p].nargs;
        uint64_t dt = 0;
        p = nargs ? bytes_varint(p + 1, b->end, &dt) : NULL;
        const int64_t next = t + v2_delta(dt, unit, whole);
        if (!p || next >= SOURCE_TIME_MAX)
            break;
        t = next;
        for (int i = 1; i < nargs; i++)
            while (p < b->end && *p++ >= 0x80) {
            }
    }
    return t;
}

void v2_gen_late(const struct v2_gen *g, struct v2_late *late)
{
    const double unit = v2_gen_unit(g);
    struct idmap seen = {0}; /* the threads whose last batch has been read */
    late->least = late->most = v2_ns(g->min_time, unit);
    for (size_t i = g->nbatch; i-- > 0;) {
        if (idmap_get(&seen, g->batch[i].m) != IDMAP_NONE)
            continue;
        if (!idmap_put(&seen, g->batch[i].m, 0))
            break;
        const int64_t t = batch_last(&g->batch[i], unit);
        late->most = t > late->most ? t : late->most;
    }
    idmap_free(&seen);
    if (g->nsample && g->sample[g->nsample - 1].ns > late->most)
        late->most = g->sample[g->nsample - 1].ns;
}

int64_t v2_late_last(const struct v2_late *late, int64_t last)
{
    last = last >= late->least ? last + 1 : late->least;
    return late->most > last ? late->most : last;
}
