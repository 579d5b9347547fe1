/* v1_preview.c - see v1_index.h. */

#include <string.h>

#include "decode/v1/v1_index.h"

enum {
    PART = 1 << 20,      /* bytes of either end that are looked at first, */
    PART_MOST = 4 << 20, /* and at most */
    TABLES_MOST = 8 << 20,
    TABLES_SEEN = 64,              /* events of tables that follow one another: these are tables */
    TABLES_WORK = 4 * TABLES_MOST, /* that is done to see whether they are: places may lie in one another */
    RATE_LEAST = 1 << 16,
    HOPS = 4096
};

/* are_tables - does the tick rate that the tables begin with stand at p? What it took to see that is added to
 * *work. */
static bool are_tables(const struct v1_index *ix, const uint8_t *p, const uint8_t *end, uint64_t *work)
{
    const uint8_t *at = p;
    struct v1_raw r;
    const char *why;
    bool are = v1_read(&ix->dialect, &p, end, &r, &why) == V1_READ_OK && r.v[0] >= RATE_LEAST;
    for (int i = 0; are && i < TABLES_SEEN && p < end; i++)
        are = v1_read(&ix->dialect, &p, end, &r, &why) == V1_READ_OK && !ix->dialect.shape[r.type].timed;
    *work += v1_place_work(at, p, &r);
    return are;
}

/* tables_at - where they seem to begin; 0: not near the end. */
static uint64_t tables_at(const struct v1_index *ix, const struct source *s)
{
    const size_t from = s->len > TABLES_MOST ? s->len - TABLES_MOST : s->header;
    uint64_t work = 0;
    for (size_t n = s->len - from; n && work < TABLES_WORK;) {
        const uint8_t *p = memrchr(s->data + from, V1_FREQUENCY, n);
        if (!p)
            break;
        if (are_tables(ix, p, s->data + s->len, &work))
            return source_off(s, p);
        n = source_off(s, p) - from;
    }
    return 0;
}

/* has - does a batch of this processor stand in what was indexed? */
static bool has(const struct v1_index *ix, int64_t p)
{
    const size_t slot = (size_t)(p + 1);
    return slot < ix->proc_of_cap && ix->proc_of[slot] != UINT32_MAX &&
           ix->proc[ix->proc_of[slot]].first != V1_NO_BATCH;
}

/*
 * all_begun - has each processor of the last batches its first one among the first, or earlier than the
 * latest of these among the last? One in between was put down later than all of the first, and the next of
 * its processor begins later still.
 */
static bool all_begun(const struct v1_index *ix, const struct v1_index *last, int64_t latest)
{
    bool begun = true;
    for (size_t i = 0; begun && i < last->nproc; i++) {
        const struct v1_proc *p = &last->proc[i];
        begun = p->first == V1_NO_BATCH || has(ix, p->id) || (int64_t)last->batch[p->first].ticks < latest;
    }
    return begun;
}

/* all_end - is each processor still there at the end, as a writer leaves it? */
static bool all_end(const struct v1_index *ix, const struct v1_index *last)
{
    bool end = true;
    for (size_t i = 0; end && i < ix->nproc; i++)
        end = has(last, ix->proc[i].id);
    return end;
}

/* A batch ends where the next one begins: so long are those that were full. */
struct full {
    uint64_t least, most;
};

static struct full full_of(const struct v1_index *ix)
{
    struct full f = {UINT64_MAX, 0};
    for (size_t i = 1; i < ix->nbatch; i++) {
        const uint64_t n = ix->batch[i].off - ix->batch[i - 1].off;
        f.least = n < f.least ? n : f.least;
        f.most = n > f.most ? n : f.most;
    }
    return f;
}

/* seldom - the first batches of processors that do little, by hops over those of the others. */
static enum err_code seldom(struct v1_index *ix, const struct v1_index *last, struct source *s,
                            int64_t latest, uint64_t end)
{
    enum { SPREAD = 128 };
    const struct full full = full_of(ix);
    enum err_code c = ERR_OK;
    uint64_t at = ix->batch_off;
    struct v1_raw r; /* v[0]: the batch's processor */
    if (full.least <= SPREAD || full.least > full.most)
        return ERR_OK;
    for (int i = 0; i < HOPS && c == ERR_OK && !all_begun(ix, last, latest); i++) {
        const uint64_t most = at + full.most + SPREAD < end ? at + full.most + SPREAD : end;
        const uint64_t next = v1_place_next(ix, s, at + full.least - SPREAD, most);
        if (next >= most || !v1_index_at(ix, s, at, V1_BATCH, &r))
            break;
        if (!has(ix, (int64_t)r.v[0])) {
            v1_index_leap(ix, at);
            c = v1_index_step(ix, s, next - at);
        }
        at = next;
    }
    return c;
}

/* ends_known - of so many bytes of either end: they tell the beginning. `last` is the index of the last ones.
 */
static bool ends_known(struct v1_index *ix, struct v1_index *last, struct source *s, uint64_t tables,
                       uint64_t bytes)
{
    if (v1_index_step(ix, s, bytes) != ERR_OK || ix->at + bytes >= tables ||
        ix->procs > PART_MOST / V1_BATCH_BYTES || (2 * ix->nproc > ix->nbatch && bytes < PART_MOST))
        return false; /* not all have come */
    const int64_t latest = (int64_t)ix->last_ticks;
    const uint64_t end = v1_place_next(ix, s, tables - bytes, tables);
    v1_index_leap(last, end);
    if (end >= tables || v1_index_step(last, s, tables - end) != ERR_OK || !all_end(ix, last) ||
        seldom(ix, last, s, latest, end) != ERR_OK || !all_begun(ix, last, latest))
        return false;
    v1_index_leap(ix, end);
    return v1_index_step(ix, s, s->len) == ERR_OK && ix->done;
}

/* both_ends - the same, of an index made anew. */
static bool both_ends(struct v1_index *ix, struct source *s, uint64_t tables, uint64_t bytes)
{
    struct v1_index last;
    v1_index_free(ix);
    const bool known =
        v1_index_init(&last, s) && v1_index_init(ix, s) && ends_known(ix, &last, s, tables, bytes);
    v1_index_free(&last);
    return known;
}

bool v1_preview_index(struct v1_index *ix, struct source *s)
{
    const uint64_t tables =
        s->version >= 1011 ? tables_at(ix, s) : 0; /* before that wake-ups may prove futile */
    bool known = false;
    for (uint64_t bytes = s->len / 8 < PART ? s->len / 8 : PART; bytes <= PART_MOST && 4 * bytes < s->len;
         bytes *= 4)
        if (tables && (known = both_ends(ix, s, tables, bytes)))
            break;
    return known && ix->ngomaxprocs && !ix->nfutile && !s->st.ndamages;
}
