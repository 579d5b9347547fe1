/*
 * v1_index.c - see v1_index.h.
 *
 * Invariants: `at` only grows; every batch in the table holds at least one event with a time, so the table
 * can't outgrow the file; a damaged place ends the batch it stands in, and what follows begins with a Batch
 * event again.
 */
#include "decode/damage/v1_damage.h"

#include <inttypes.h>
#include <string.h>

#include "decode/base/idmap.h"
#include "decode/base/mem.h"
#include "decode/base/order.h"

#define RATE_LEAST 1000 /* no clock has fewer ticks per second, or more than RATE_MOST */
#define RATE_MOST UINT64_C(10000000000)
/* These are rates of real clocks. A number that has lost or gained a byte is far from them. */
#define RATE_USUAL(rate) ((rate) >= 1 << 22 && (rate) <= INT64_C(1) << 31)

/* ---- ids of strings and stacks ------------------------------------------------------------------------- */

static enum err_code ids_add(struct v1_ids *m, uint64_t id, uint64_t val)
{
    return mem_add(m->e, m->cap, m->n, (struct v1_id){id, val}) ? ERR_OK : ERR_NOMEM;
}

static uint64_t *id_place(struct v1_ids *m, uint64_t id)
{
    const uint32_t far = id < m->ndense ? 0 : idmap_get(&m->far, id);
    return id < m->ndense ? &m->dense[id] : far != IDMAP_NONE ? &m->dense[m->ndense + far] : NULL;
}

/* Returns whether two entries of strings have different texts. */
static bool texts_differ(const struct v1_index *ix, const struct source *s, uint64_t at, uint64_t other)
{
    struct v1_raw a, b;
    return v1_index_at(ix, s, at, V1_STRING, &a) && v1_index_at(ix, s, other, V1_STRING, &b) &&
           (a.len != b.len || memcmp(a.text, b.text, a.len) != 0);
}

/* Make the ids quick to find, once all are there. Of two entries of one stack the last counts, of a string
 * the first: the runtime gives each id once, so an id with two different texts is damage, and names may be
 * wrong. Returns false if out of memory. */
static bool ids_seal(struct v1_index *ix, struct source *s, struct v1_ids *m)
{
    uint64_t max = 0;
    bool reported = m == &ix->stacks;
    for (size_t i = 0; i < m->n; i++) {
        const uint64_t id = m->e[i].id;
        if (id <= 4 * (uint64_t)m->n + 1024)
            max = id > max ? id : max;
        else if (idmap_get(&m->far, id) == IDMAP_NONE && !idmap_put(&m->far, id, m->far.used))
            return false;
    }
    m->ndense = max + 1;
    m->dense = mem_alloc((m->ndense + m->far.used) * sizeof *m->dense);
    if (!m->dense)
        return false;
    memset(m->dense, 0xff, (m->ndense + m->far.used) * sizeof *m->dense);
    for (size_t i = 0; i < m->n; i++) {
        uint64_t *val = id_place(m, m->e[i].id);
        if (*val != UINT64_MAX && !reported && texts_differ(ix, s, *val, m->e[i].val)) {
            source_damage(s, ERR_FORMAT, 0, m->e[i].val,
                          "string %" PRIu64 " has another text before: names may be wrong", m->e[i].id);
            reported = true;
        }
        if (*val == UINT64_MAX || m == &ix->stacks)
            *val = m->e[i].val;
    }
    mem_free(m->e);
    m->e = NULL;
    m->cap = 0;
    return true;
}

uint64_t *v1_ids_find(struct v1_ids *m, uint64_t id)
{
    uint64_t *val = id_place(m, id);
    return val && *val != UINT64_MAX ? val : NULL;
}

bool v1_ids_whole(const struct v1_ids *m)
{
    return m->ndense > 1 && !m->far.used && !any_of(id, m->ndense, id && m->dense[id] == UINT64_MAX);
}

static void ids_free(struct v1_ids *m)
{
    mem_free(m->e);
    mem_free(m->dense);
    idmap_free(&m->far);
    memset(m, 0, sizeof *m);
}

/* ---- events that only have to be counted ----------------------------------------------------------------
 *
 * A number ends with a byte below 0x80. So an event with n values, up to three, ends at the n-th such byte
 * after its first, which the high bits of eight bytes show at once. An event with more values has its length
 * written in the file. So ends are found without decoding values.
 */

#define ROOM 16 /* bytes that pass() may look at from an event's start */
#define HIGH UINT64_C(0x8080808080808080)

static void skips_init(struct v1_index *ix)
{
    static const bool kept[V1_TYPES] = {
        [V1_SYS_EXIT] = true, [V1_SYS_EXIT_LOCAL] = true, [V1_CPU_SAMPLE] = true,
        [V1_FUTILE] = true,   [V1_GOMAXPROCS] = true,     [V1_LOG] = true};
    for (unsigned b = 0; b < 256; b++) {
        const struct v1_shape *s = &ix->dialect.shape[b & 63];
        if (!s->timed || kept[b & 63])
            continue;
        if (b >> 6 == 3)
            ix->skips[b] = 4;
        else if ((b >> 6) + ix->dialect.base == s->n && s->n <= 3)
            ix->skips[b] = s->n;
    }
}

/* Returns how many of the first n <= 8 bytes at p end a number. */
static inline unsigned ends(const uint8_t *p, unsigned n)
{
    uint64_t m = ~bytes_load8(p) & HIGH;
    m = n >= 8 ? m : m & ((UINT64_C(1) << 8 * n) - 1);
    return (unsigned)(((m >> 7) * UINT64_C(0x0101010101010101)) >> 56);
}

/* Skip an event that says how long it is. */
static const uint8_t *with_length(const struct v1_dialect *d, const uint8_t *p)
{
    unsigned len = p[1];
    if (len - 1 > 11 || p[1 + len] >= 0x80)
        return NULL;
    unsigned have = ends(p + 2, len) + (len > 8 ? ends(p + 8, len - 6) - ends(p + 8, 2) : 0);
    return have == d->shape[*p & 63].n ? p + 2 + len : NULL;
}

/* Skip one event, at least ROOM bytes before the end. NULL: it needs a closer look. */
static inline __attribute__((always_inline)) const uint8_t *pass(const struct v1_index *ix, const uint8_t *p)
{
    uint64_t m = ~bytes_load8(p + 1) & HIGH;
    unsigned values = ix->skips[*p];
    if (values == 4)
        return with_length(&ix->dialect, p);
    uint64_t n = *p >> 6; /* `values` would be one more load to wait for; branches would be guessed wrong */
    m &= (m - 1) | (0 - ((n - 1) >> 63));
    m &= (m - 1) | (0 - ((n - 2) >> 63));
    if (!values || !m)
        return NULL;
    return p + 2 + (unsigned)__builtin_ctzll(m) / 8;
}

/* ---- batches ------------------------------------------------------------------------------------------- */

void v1_index_init(struct v1_index *ix, const struct source *s)
{
    memset(ix, 0, sizeof *ix);
    ix->at = s->header;
    ix->cur = UINT32_MAX;
    v1_dialect_init(&ix->dialect, s->version);
    skips_init(ix);
}

void v1_index_free(struct v1_index *ix)
{
    mem_free(ix->batch);
    mem_free(ix->proc);
    idmap_free(&ix->proc_of);
    mem_free(ix->exit);
    mem_free(ix->sample);
    ids_free(&ix->strings);
    ids_free(&ix->stacks);
    memset(ix, 0, sizeof *ix);
}

/* Returns the index of the P with this id (-1 to V1_PROCS_MAX - 1), which is added if it is new; UINT32_MAX
 * if out of memory. */
static uint32_t proc_index(struct v1_index *ix, int64_t id)
{
    const uint64_t key = (uint64_t)(id + 1);
    const uint32_t had = idmap_get(&ix->proc_of, key), at = (uint32_t)ix->nproc;
    if (had != IDMAP_NONE)
        return had;
    if (!idmap_row(&ix->proc_of, key, ix->proc, ix->proc_cap, ix->nproc))
        return UINT32_MAX;
    ix->proc[ix->nproc++] = (struct v1_proc){.id = id, .first = V1_NO_BATCH, .last = V1_NO_BATCH};
    return at;
}

/* Extend the current batch to `end`, where one of its events ends. A batch gets its place in the table only
 * with its first such event. */
static enum err_code timed_event(struct v1_index *ix, uint64_t end)
{
    if (!ix->batch_open) {
        if (ix->nbatch >= V1_NO_BATCH - 1 || !mem_room(ix->batch, ix->batch_cap, ix->nbatch + 1))
            return ERR_NOMEM;
        ix->batch[ix->nbatch] =
            (struct v1_batch){.off = ix->batch_off, .ticks = ix->batch_ticks, .next = V1_NO_BATCH};
        struct v1_proc *p = &ix->proc[ix->cur];
        ix->unsorted |= p->last != V1_NO_BATCH && p->id >= 0 &&
                        (int64_t)ix->batch_ticks <= (int64_t)ix->batch[p->last].ticks;
        if (!ix->nbatch || ix->batch_ticks < ix->first_ticks) {
            ix->first = (uint32_t)ix->nbatch;
            ix->first_ticks = ix->batch_ticks;
        }
        if (!ix->nbatch || ix->batch_ticks > ix->last_ticks)
            ix->last_ticks = ix->batch_ticks;
        if (p->last != V1_NO_BATCH)
            ix->batch[p->last].next = (uint32_t)ix->nbatch & V1_NO_BATCH;
        else
            p->first = (uint32_t)ix->nbatch;
        p->last = (uint32_t)ix->nbatch++;
        ix->batch_open = true;
    }
    struct v1_batch *b = &ix->batch[ix->nbatch - 1];
    b->len = (uint32_t)(end - b->off);
    return ERR_OK;
}

/* ---- events -------------------------------------------------------------------------------------------- */

static enum err_code add_exit(struct v1_index *ix, const struct v1_raw *r)
{
    struct v1_exit e = {.g = r->v[ix->dialect.shape[r->type].timed], .seq = V1_NO_SEQ};
    unsigned a = ix->dialect.shape[r->type].timed;
    if (ix->dialect.version == 1005) {
        e.key = r->v[a + 1];
        e.ticks = r->v[a + 2] ? r->v[a + 2] : ix->run_ticks;
    } else {
        e.key = e.ticks = r->v[r->type == V1_SYS_EXIT ? a + 2 : a + 1];
        e.seq = r->type == V1_SYS_EXIT ? r->v[a + 1] : V1_NO_SEQ;
        if (!e.ticks)
            return ERR_OK; /* it was written when it happened, so it needs no other place */
    }
    return mem_add(ix->exit, ix->exit_cap, ix->nexit, e) ? ERR_OK : ERR_NOMEM;
}

static enum err_code structure(struct v1_index *ix, struct source *s, const struct v1_raw *r, uint64_t end)
{
    switch (r->type) {
    case V1_BATCH:
        ix->cur = proc_index(ix, (int64_t)r->v[0]);
        if (ix->cur == UINT32_MAX)
            return ERR_NOMEM;
        ix->batch_off = ix->at;
        ix->batch_ticks = ix->run_ticks = r->v[r->n - 1];
        if (!s->st.batches || ix->batch_ticks < ix->least_ticks)
            ix->least_ticks = ix->batch_ticks;
        ix->batch_open = ix->tables = ix->profile = false;
        if (ix->has_footer && !ix->end_ticks)
            ix->end_ticks = ix->batch_ticks;
        s->st.batches++;
        return ERR_OK;
    case V1_FREQUENCY:
        if (!ix->has_footer && !ix->batch_open && !ix->profile) /* its batch holds no events */
            ix->end_ticks = ix->batch_ticks;
        ix->has_footer = ix->tables = true;
        ix->rate_end = end;
        if (r->v[0] >= RATE_LEAST && r->v[0] <= RATE_MOST)
            ix->frequency = (int64_t)r->v[0];
        else
            source_damage(s, ERR_CLOCK, 0, ix->at,
                          "the tick rate is %lld: the clocks of the processors disagree", (long long)r->v[0]);
        return ERR_OK;
    case V1_STRING: return ids_add(&ix->strings, r->v[0], ix->at);
    case V1_STACK:
        ix->has_footer = ix->tables = true;
        return r->v[0] && r->len ? ids_add(&ix->stacks, r->v[0], ix->at) : ERR_OK;
    default: return ERR_OK;
    }
}

/* Note one event that v1_read() has read and that ends at offset `end`. */
static enum err_code index_event(struct v1_index *ix, struct source *s, const struct v1_raw *r, uint64_t end)
{
    enum err_code c = ERR_OK;
    unsigned t = ix->dialect.shape[r->type].timed;
    ix->events++;
    ix->nfutile += r->type == V1_FUTILE;
    ix->ngomaxprocs += r->type == V1_GOMAXPROCS;
    if (r->type == V1_GOMAXPROCS && r->v[t] > ix->procs)
        ix->procs = r->v[t];
    if (!t)
        return structure(ix, s, r, end);
    ix->run_ticks += r->v[t - 1];
    if (r->type == V1_SYS_EXIT || r->type == V1_SYS_EXIT_LOCAL) {
        if (ix->dialect.version)
            c = add_exit(ix, r);
    } else if (r->type == V1_CPU_SAMPLE) {
        const struct v1_sample x = {r->v[1], ix->at};
        c = mem_add(ix->sample, ix->sample_cap, ix->nsample, x) ? ERR_OK : ERR_NOMEM;
        if (!ix->batch_open) {
            ix->profile = true;
            return c;
        }
    }
    return c == ERR_OK ? timed_event(ix, end) : c;
}

/* ---- damage -------------------------------------------------------------------------------------------- */

/* Mark a gap after each processor's last batch. */
static void gaps(struct v1_index *ix)
{
    for (size_t i = 0; i < ix->nproc; i++)
        if (ix->proc[i].last != V1_NO_BATCH)
            ix->batch[ix->proc[i].last].gap = 1;
}

/* Skip bytes at ix->at that make no sense, up to where events begin again or to the end of the file. */
static void resync(struct v1_index *ix, struct source *s, const char *why)
{
    uint64_t bad = ix->at, off = v1_place_behind(ix, s, bad);
    unsigned type = s->data[bad] & 63;
    source_damage(s, ERR_FORMAT, 0, bad, "%s (event %u, %s); skipped %llu bytes%s", why, type,
                  v1_type_name(type), (unsigned long long)(off - bad),
                  off == s->len ? " to the end of the file" : "");
    ix->at = off;
    if (ix->frequency && bad == ix->rate_end && !RATE_USUAL(ix->frequency)) {
        source_damage(s, ERR_CLOCK, 0, bad,
                      "the tick rate in front of it, %lld, may be another number: it is not taken",
                      (long long)ix->frequency);
        ix->frequency = 0;
    }
    if (ix->has_footer) { /* all events come before the tables, so only names are missing */
        ix->batch_open = false;
        return;
    }
    ix->incomplete = true;
    if (ix->batch_open)
        ix->batch[ix->nbatch - 1].gap = 1;
    if (off - bad >= V1_BATCH_BYTES) /* batches of any P may have been there */
        gaps(ix);
    ix->batch_open = false;
}

/* Returns whether no writer would put this event here: an event with a time among the tables, or a tick rate
 * before such an event. */
static bool out_of_place(const struct v1_index *ix, const struct source *s, const struct v1_raw *r,
                         const uint8_t *p)
{
    struct v1_raw next;
    const char *why;
    if (ix->dialect.shape[r->type].timed)
        return ix->tables;
    if (r->type != V1_FREQUENCY || ix->has_footer)
        return false;
    return v1_read(&ix->dialect, &p, s->data + s->len, &next, &why) == V1_READ_OK &&
           ix->dialect.shape[next.type].timed;
}

/* Returns why the event that ends at p is impossible, or NULL if it is possible. */
static const char *makes_no_sense(const struct v1_index *ix, const struct source *s, const struct v1_raw *r,
                                  const uint8_t *p)
{
    if (r->type == V1_BATCH && !v1_place_proc(r->v[0], V1_PROCS_MAX))
        return "a processor number that makes no sense";
    if (ix->cur == UINT32_MAX && ix->dialect.shape[r->type].timed)
        return "an event before the first batch";
    if (ix->batch_open && source_off(s, p) - ix->batch[ix->nbatch - 1].off > UINT32_MAX)
        return "a batch of more than 4 GB";
    if (out_of_place(ix, s, r, p))
        return r->type == V1_FREQUENCY ? "a tick rate among events" : "an event among tables";
    return NULL;
}

/* Read one event in the general way. */
static enum err_code slow(struct v1_index *ix, struct source *s)
{
    const uint8_t *p = s->data + ix->at, *end = s->data + s->len;
    struct v1_raw r;
    const char *why = "";
    enum v1_read c = v1_read(&ix->dialect, &p, end, &r, &why);
    const char *wrong = c == V1_READ_BAD ? why : c == V1_READ_OK ? makes_no_sense(ix, s, &r, p) : NULL;
    if (c == V1_READ_CUT && v1_place_table(ix, s, ix->at) < s->len)
        wrong = V1_TOO_LONG;
    else if (c == V1_READ_CUT) {
        source_damage(s, ERR_TRUNCATED, 0, ix->at, "the file ends inside an event (%s)",
                      v1_type_name(s->data[ix->at] & 63));
        ix->incomplete |= !ix->has_footer;
        ix->at = s->len;
        return ERR_OK;
    }
    if (wrong) {
        resync(ix, s, wrong);
        return ERR_OK;
    }
    enum err_code e = index_event(ix, s, &r, source_off(s, p));
    ix->at = source_off(s, p);
    return e;
}

ORDER(by_key, struct v1_exit, LEAST((int64_t)r->key) LEAST(r->g))
ORDER(by_time, struct v1_sample, LEAST((int64_t)r->ticks) LEAST(r->off))

/* Returns whether it is a time within the trace. */
static bool in_time(const struct v1_index *ix, uint64_t ticks)
{
    const uint64_t skew = v1_index_skew(ix), lo = ix->first_ticks > skew ? ix->first_ticks - skew : 0;
    return ticks >= lo && ticks <= (ix->end_ticks ? ix->end_ticks + skew : UINT64_MAX);
}

/* Drop ends of system calls and samples that say a time before or after the trace: damage changed them. */
static void drop_out_of_time(struct v1_index *ix, struct source *s)
{
    size_t exits = 0, samples = 0;
    for (size_t i = 0; i < ix->nexit; i++)
        if (ix->dialect.version == 1005 || in_time(ix, ix->exit[i].ticks))
            ix->exit[exits++] = ix->exit[i];
    for (size_t i = 0; i < ix->nsample; i++)
        if (in_time(ix, ix->sample[i].ticks))
            ix->sample[samples++] = ix->sample[i];
    const size_t dropped = ix->nexit - exits, others = ix->nsample - samples;
    ix->nexit = exits;
    ix->nsample = samples;
    if (dropped || others)
        source_damage(s, ERR_CLOCK, 0, ERR_NO_OFFSET,
                      "%zu end%s of system calls and %zu CPU sample%s say times before the trace or behind "
                      "it: left out",
                      dropped, dropped == 1 ? "" : "s", others, others == 1 ? "" : "s");
}

static enum err_code index_finish(struct v1_index *ix, struct source *s)
{
    ix->done = true;
    if (!ix->has_footer && !ix->incomplete) {
        ix->incomplete = true;
        source_damage(s, ERR_TRUNCATED, 0, s->len, "the file ends without its tables of stacks and names");
    } else if (!ix->frequency && !ix->incomplete && !s->st.ndamages) {
        source_damage(s, ERR_TRUNCATED, 0, s->len, "the file ends without its tick rate");
    }
    if (v1_batches_mend(ix, s) != ERR_OK)
        return ERR_NOMEM;
    if (ix->incomplete)
        gaps(ix);
    sort(ix->exit, ix->nexit, by_key);
    sort(ix->sample, ix->nsample, by_time);
    drop_out_of_time(ix, s);
    return ids_seal(ix, s, &ix->strings) && ids_seal(ix, s, &ix->stacks) ? ERR_OK : ERR_NOMEM;
}

/* Skip the events that only have to be counted, as far as pass() can. */
static enum err_code skip_counted(struct v1_index *ix, const struct source *s, uint64_t stop)
{
    const uint64_t was = ix->at,
                   limit = ix->batch_off + (1u << 30); /* a batch's length must fit into 32 bits */
    const uint8_t *p = s->data + was, *to = s->data + (stop < limit ? stop : limit);
    if (to > s->data + s->len - ROOM)
        to = s->data + s->len - ROOM + 1;
    for (const uint8_t *q; p < to && (q = pass(ix, p)); p = q)
        ix->events++;
    ix->at = source_off(s, p);
    return ix->at > was ? timed_event(ix, ix->at) : ERR_OK;
}

enum err_code v1_index_step(struct v1_index *ix, struct source *s, uint64_t bytes)
{
    uint64_t stop = bytes < s->len - ix->at ? ix->at + bytes : s->len;
    /* In version 1005 the end of a system call may say no time. Then the time of its place counts. */
    const bool timed = ix->dialect.version != 1005;
    while (ix->at < stop) {
        uint64_t was = ix->at;
        const bool fast = timed && !ix->tables;
        enum err_code c = fast && ix->cur != UINT32_MAX ? skip_counted(ix, s, stop) : ERR_OK;
        if (c == ERR_OK && ix->at == was)
            c = slow(ix, s);
        if (c != ERR_OK)
            return c;
    }
    return ix->at >= s->len && !ix->done ? index_finish(ix, s) : ERR_OK;
}
