/*
 * v1_index.c - see v1_index.h.
 *
 * Invariants: `at` only grows; every batch in the table holds at least one event with a time, so the table can't
 * outgrow the file; a damaged place ends the batch it stands in, and what follows begins with a Batch event again.
 */
#include "decode/v1/v1_index.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decode/base/mem.h"
#include "decode/base/thread.h"
#include "decode/v1/v1_batches.h"

#define PLAUSIBLE_P 4096
#define MANY_P 64
#define SOME_P 4                                    /* times what it was so far a program may set GOMAXPROCS to */
#define PLAUSIBLE_TICKS (INT64_C(86400) * 62500000) /* a day on the fastest clock seen */
#define NEAR_TICKS (INT64_C(1) << 32)               /* a minute or more */
#define WINDOW (UINT64_C(4) << 20)                  /* bytes that are scanned ahead at a time, by each thread */
#define AHEAD_MIN (2 * BATCH_BYTES)                 /* less is not worth it */
#define BATCH_BYTES 65536                           /* what a writer's buffer holds */

/* ---- ids ------------------------------------------------------------------------------------------------- */

static bool ids_add(struct v1_ids *m, uint64_t id, uint64_t val)
{
    if (!mem_room(m->e, m->cap, m->n + 1))
        return false;
    m->e[m->n++] = (struct v1_id){id, val};
    return true;
}

static int by_id(const void *a, const void *b)
{
    const struct v1_id *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return x->val < y->val ? -1 : x->val > y->val;
}

/* seal_sparse - sort, keep one of each id. Values are offsets: ascending by place in the file. */
static void seal_sparse(struct v1_ids *m, bool last_wins)
{
    size_t n = 0;
    if (m->n)
        qsort(m->e, m->n, sizeof *m->e, by_id);
    for (size_t i = 0; i < m->n; i++) {
        if (!n || m->e[n - 1].id != m->e[i].id)
            m->e[n++] = m->e[i];
        else if (last_wins)
            m->e[n - 1] = m->e[i];
    }
    m->n = n;
}

static bool ids_seal(struct v1_ids *m, bool last_wins)
{
    uint64_t max = 0;
    for (size_t i = 0; i < m->n; i++)
        if (m->e[i].id > max)
            max = m->e[i].id;
    if (max > 4 * (uint64_t)m->n + 1024) {
        seal_sparse(m, last_wins);
        return true;
    }
    m->ndense = max + 1;
    m->dense = mem_alloc(m->ndense * sizeof *m->dense);
    if (!m->dense)
        return false;
    memset(m->dense, 0xff, m->ndense * sizeof *m->dense);
    for (size_t i = 0; i < m->n; i++)
        if (last_wins || m->dense[m->e[i].id] == UINT64_MAX)
            m->dense[m->e[i].id] = m->e[i].val;
    mem_free(m->e);
    m->e = NULL;
    m->cap = 0;
    return true;
}

uint64_t *v1_ids_find(struct v1_ids *m, uint64_t id)
{
    if (m->dense)
        return id < m->ndense && m->dense[id] != UINT64_MAX ? &m->dense[id] : NULL;
    size_t lo = 0, hi = m->n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (m->e[mid].id < id)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < m->n && m->e[lo].id == id ? &m->e[lo].val : NULL;
}

static void ids_free(struct v1_ids *m)
{
    mem_free(m->e);
    mem_free(m->dense);
    memset(m, 0, sizeof *m);
}

/* ---- batches --------------------------------------------------------------------------------------------- */

bool v1_index_init(struct v1_index *ix, const struct source *s)
{
    memset(ix, 0, sizeof *ix);
    ix->at = s->header;
    ix->cur = UINT32_MAX;
    static const bool kept[V1_TYPES] = {[V1_SYS_EXIT] = true,
                                        [V1_SYS_EXIT_LOCAL] = true,
                                        [V1_CPU_SAMPLE] = true,
                                        [V1_FUTILE] = true,
                                        [V1_GOMAXPROCS] = true};
    bool known = v1_dialect_init(&ix->dialect, s->version);
    v1_scan_init(&ix->scan[0], &ix->dialect, kept);
    v1_scan_init(&ix->scan[1], &ix->dialect, kept);
    int threads = s->opts && s->opts->threads ? s->opts->threads : (int)sysconf(_SC_NPROCESSORS_ONLN);
    ix->helped = threads > 1;
    return known;
}

void v1_index_free(struct v1_index *ix)
{
    mem_free(ix->batch);
    mem_free(ix->proc);
    mem_free(ix->proc_of);
    mem_free(ix->exit);
    mem_free(ix->sample);
    v1_scan_free(&ix->scan[0]);
    v1_scan_free(&ix->scan[1]);
    ids_free(&ix->strings);
    ids_free(&ix->stacks);
    memset(ix, 0, sizeof *ix);
}

/* proc_index - of a P of the file, made if new; UINT32_MAX = out of memory. id is -1 .. V1_PROCS_MAX - 1. */
static uint32_t proc_index(struct v1_index *ix, int64_t id)
{
    size_t slot = (size_t)(id + 1), old = ix->proc_of_cap;
    if (slot >= old) {
        if (!mem_room(ix->proc_of, ix->proc_of_cap, slot + 1))
            return UINT32_MAX;
        memset(ix->proc_of + old, 0xff, (ix->proc_of_cap - old) * sizeof *ix->proc_of);
    }
    if (ix->proc_of[slot] != UINT32_MAX)
        return ix->proc_of[slot];
    if (!mem_room(ix->proc, ix->proc_cap, ix->nproc + 1))
        return UINT32_MAX;
    ix->proc[ix->nproc] = (struct v1_proc){.id = id, .first = V1_NO_BATCH, .last = V1_NO_BATCH};
    return ix->proc_of[slot] = (uint32_t)ix->nproc++;
}

static bool plausible_proc(uint64_t p, uint64_t limit)
{
    return p == UINT64_MAX || p < limit;
}

/* other_run - a batch of a P or a time that a program of this GOMAXPROCS, since when the others are, can't have. */
static bool other_run(const struct v1_index *ix, const struct v1_raw *r)
{
    const uint64_t p = r->v[0], ticks = r->v[r->n - 1];
    if (p != UINT64_MAX && ix->procs && p / SOME_P >= ix->procs && p >= MANY_P)
        return true;
    return ix->batch_ticks && (int64_t)(ticks - ix->least_ticks) < -NEAR_TICKS && ticks < ix->least_ticks / 16;
}

/* timed - an event of the current batch ends at `end`: the batch reaches as far. */
static enum err_code timed(struct v1_index *ix, uint64_t end)
{
    if (!ix->batch_open) {
        if (ix->nbatch >= V1_NO_BATCH - 1 || !mem_room(ix->batch, ix->batch_cap, ix->nbatch + 1))
            return ERR_NOMEM;
        ix->batch[ix->nbatch] = (struct v1_batch){.off = ix->batch_off, .next = V1_NO_BATCH};
        struct v1_proc *p = &ix->proc[ix->cur];
        ix->unsorted |= p->last != V1_NO_BATCH && (int64_t)ix->batch_ticks <= (int64_t)p->ticks && p->id >= 0;
        p->ticks = ix->batch_ticks;
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

/* ---- events ---------------------------------------------------------------------------------------------- */

static enum err_code add_exit(struct v1_index *ix, const struct v1_raw *r)
{
    struct v1_exit e = {.g = r->v[ix->dialect.shape[r->type].timed]};
    unsigned a = ix->dialect.shape[r->type].timed;
    if (ix->dialect.version == 1005) {
        e.key = r->v[a + 1];
        e.ticks = r->v[a + 2] ? r->v[a + 2] : ix->run_ticks;
    } else {
        e.key = e.ticks = r->v[r->type == V1_SYS_EXIT ? a + 2 : a + 1];
        if (!e.ticks)
            return ERR_OK; /* happened where it was written */
    }
    if (!mem_room(ix->exit, ix->exit_cap, ix->nexit + 1))
        return ERR_NOMEM;
    ix->exit[ix->nexit++] = e;
    return ERR_OK;
}

static enum err_code add_sample(struct v1_index *ix, const struct v1_raw *r)
{
    if (!mem_room(ix->sample, ix->sample_cap, ix->nsample + 1))
        return ERR_NOMEM;
    ix->sample[ix->nsample++] = (struct v1_sample){(int64_t)r->v[1], ix->at};
    return ERR_OK;
}

static enum err_code structure(struct v1_index *ix, struct source *s, const struct v1_raw *r)
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
        ix->batch_open = ix->tables = false;
        s->st.batches++;
        return ERR_OK;
    case V1_FREQUENCY:
        ix->has_footer = ix->tables = true;
        if ((int64_t)r->v[0] > 0)
            ix->frequency = (int64_t)r->v[0];
        else
            source_damage(s, ERR_CLOCK, 0, ix->at, "the tick rate is %lld: the clocks of the processors disagree",
                          (long long)r->v[0]);
        return ERR_OK;
    case V1_STRING: return ids_add(&ix->strings, r->v[0], ix->at) ? ERR_OK : ERR_NOMEM;
    case V1_STACK:
        ix->has_footer = ix->tables = true;
        if (!r->v[0] || !r->len)
            return ERR_OK;
        return ids_add(&ix->stacks, r->v[0], ix->at) ? ERR_OK : ERR_NOMEM;
    default: return ERR_OK;
    }
}

/* event - note one event that v1_read() took apart; `end` is where it ends. */
static enum err_code event(struct v1_index *ix, struct source *s, const struct v1_raw *r, uint64_t end)
{
    enum err_code c = ERR_OK;
    unsigned t = ix->dialect.shape[r->type].timed;
    ix->events++;
    ix->nfutile += r->type == V1_FUTILE;
    ix->ngomaxprocs += r->type == V1_GOMAXPROCS;
    if (r->type == V1_GOMAXPROCS && r->v[t] > ix->procs)
        ix->procs = r->v[t];
    if (!t)
        return structure(ix, s, r);
    ix->run_ticks += r->v[t - 1];
    if (r->type == V1_SYS_EXIT || r->type == V1_SYS_EXIT_LOCAL) {
        if (ix->dialect.version)
            c = add_exit(ix, r);
    } else if (r->type == V1_CPU_SAMPLE) {
        c = add_sample(ix, r);
    }
    return c == ERR_OK ? timed(ix, end) : c;
}

/* ---- damage ---------------------------------------------------------------------------------------------- */

/* plausible - a Batch event and some that make sense seem to begin at off. */
static bool plausible(const struct v1_index *ix, const struct source *s, uint64_t off)
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
            if (r.type != V1_BATCH || !plausible_proc(r.v[0], ix->procs ? SOME_P * ix->procs : PLAUSIBLE_P))
                return false;
            if (ix->batch_ticks && (d > PLAUSIBLE_TICKS || (int64_t)(r.v[r.n - 1] - ix->least_ticks) < -NEAR_TICKS))
                return false;
        } else if (r.type == V1_STACK && p - at > 4096) {
            return true;
        }
    }
    return true;
}

/* next_plausible - where such a place is in [off, end), or end. */
static uint64_t next_plausible(const struct v1_index *ix, const struct source *s, uint64_t off, uint64_t end)
{
    for (; off < end; off++) {
        const uint8_t *p = memchr(s->data + off, 1 << 6 | V1_BATCH, end - off);
        if (!p)
            break;
        off = (uint64_t)(p - s->data);
        if (plausible(ix, s, off))
            return off;
    }
    return end;
}

/* resync - bytes at ix->at make no sense: go to the next plausible batch, or to the end. */
static void resync(struct v1_index *ix, struct source *s, const char *why)
{
    uint64_t bad = ix->at, off = next_plausible(ix, s, bad + 1, s->len);
    unsigned type = s->data[bad] & 63;
    source_damage(s, ERR_FORMAT, 0, bad, "%s (event %u, %s); skipped %llu bytes%s", why, type, v1_type_name(type),
                  (unsigned long long)(off - bad), off == s->len ? " to the end of the file" : "");
    ix->at = off;
    if (ix->has_footer) { /* names are missing then, but no events */
        ix->batch_open = false;
        return;
    }
    ix->incomplete = true;
    if (ix->batch_open)
        ix->batch[ix->nbatch - 1].gap = 1;
    if (off - bad >= BATCH_BYTES) /* it may have held batches of any P */
        for (size_t i = 0; i < ix->nproc; i++)
            if (ix->proc[i].last != V1_NO_BATCH)
                ix->batch[ix->proc[i].last].gap = 1;
    ix->batch_open = false;
}

/* out_of_place - an event with a time within the tables, or a tick rate in front of one: no writer makes these. */
static bool out_of_place(const struct v1_index *ix, const struct source *s, const struct v1_raw *r, const uint8_t *p)
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

/* slow - one event by v1_read(). */
static enum err_code slow(struct v1_index *ix, struct source *s)
{
    const uint8_t *p = s->data + ix->at, *end = s->data + s->len;
    struct v1_raw r;
    const char *why = "";
    enum v1_read c = v1_read(&ix->dialect, &p, end, &r, &why);
    if (c == V1_READ_OK && r.type == V1_BATCH && !plausible_proc(r.v[0], V1_PROCS_MAX)) {
        c = V1_READ_BAD;
        why = "a processor number that makes no sense";
    }
    if (c == V1_READ_OK && r.type == V1_BATCH && other_run(ix, &r)) {
        c = V1_READ_BAD;
        why = "a batch of no processor and time of this trace";
    }
    if (c == V1_READ_OK && ix->cur == UINT32_MAX && ix->dialect.shape[r.type].timed) {
        c = V1_READ_BAD;
        why = "an event before the first batch";
    }
    if (c == V1_READ_OK && ix->batch_open && p - s->data - (int64_t)ix->batch[ix->nbatch - 1].off > UINT32_MAX) {
        c = V1_READ_BAD;
        why = "a batch of more than 4 GB";
    }
    if (c == V1_READ_OK && out_of_place(ix, s, &r, p)) {
        c = V1_READ_BAD;
        why = r.type == V1_FREQUENCY ? "a tick rate among events" : "an event among tables";
    }
    if (c == V1_READ_CUT) {
        source_damage(s, ERR_TRUNCATED, 0, ix->at, "the file ends inside an event (%s)",
                      v1_type_name(s->data[ix->at] & 63));
        ix->incomplete |= !ix->has_footer;
        ix->end = ix->at;
        ix->at = s->len;
        return ERR_OK;
    }
    if (c == V1_READ_BAD) {
        resync(ix, s, why);
        return ERR_OK;
    }
    enum err_code e = event(ix, s, &r, (uint64_t)(p - s->data));
    ix->at = (uint64_t)(p - s->data);
    ix->end = ix->at;
    return e;
}

static int by_key(const void *a, const void *b)
{
    const struct v1_exit *x = a, *y = b;
    return x->key != y->key ? ((int64_t)x->key < (int64_t)y->key ? -1 : 1) : x->g < y->g ? -1 : x->g > y->g;
}

static int by_time(const void *a, const void *b)
{
    const struct v1_sample *x = a, *y = b;
    return x->ticks != y->ticks ? (x->ticks < y->ticks ? -1 : 1) : x->off < y->off ? -1 : x->off > y->off;
}

static enum err_code finish(struct v1_index *ix, struct source *s)
{
    ix->done = true;
    v1_scan_free(&ix->scan[0]);
    v1_scan_free(&ix->scan[1]);
    if (!ix->has_footer && !ix->incomplete) {
        ix->incomplete = true;
        source_damage(s, ERR_TRUNCATED, 0, s->len, "the file ends without its tables of stacks and names");
    } else if (!ix->frequency && !ix->incomplete && !s->st.ndamages) {
        source_damage(s, ERR_TRUNCATED, 0, s->len, "the file ends without its tick rate");
    }
    if (ix->unsorted && v1_batches_mend(ix, s) != ERR_OK)
        return ERR_NOMEM;
    if (ix->incomplete)
        for (size_t i = 0; i < ix->nproc; i++)
            if (ix->proc[i].last != V1_NO_BATCH)
                ix->batch[ix->proc[i].last].gap = 1;
    if (ix->nexit)
        qsort(ix->exit, ix->nexit, sizeof *ix->exit, by_key);
    if (ix->nsample)
        qsort(ix->sample, ix->nsample, sizeof *ix->sample, by_time);
    return ids_seal(&ix->strings, false) && ids_seal(&ix->stacks, true) ? ERR_OK : ERR_NOMEM;
}

/* guess - a place in [off, end) that looks like the start of a batch not far in time from the last one, or end. */
static uint64_t guess(const struct v1_index *ix, const struct source *s, uint64_t off, uint64_t end)
{
    end = end - off < 2 * BATCH_BYTES ? end : off + 2 * BATCH_BYTES;
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
        if (plausible_proc(r.v[0], PLAUSIBLE_P) && d > -NEAR_TICKS && d < PLAUSIBLE_TICKS &&
            ix->dialect.shape[*p & 63].timed)
            return off;
    }
    return end;
}

struct window {
    struct v1_scan *scan;
    const struct v1_index *ix;
    const struct source *s;
    uint64_t at[V1_SCAN_LANES], end;
    size_t n;
};

static void *scan_window(void *arg)
{
    struct window *w = arg;
    v1_scan_window(w->scan, &w->ix->dialect, w->s->data, w->s->len, w->at, w->n, w->end);
    return NULL;
}

/* window - from at to end, with places in between. */
static struct window window(struct v1_index *ix, const struct source *s, size_t k, uint64_t at, uint64_t end)
{
    struct window w = {.scan = &ix->scan[k], .ix = ix, .s = s, .at = {at}, .end = end, .n = 1};
    for (size_t i = 1; i < V1_SCAN_LANES; i++) {
        uint64_t from = at + (end - at) / V1_SCAN_LANES * i, to = at + (end - at) / V1_SCAN_LANES * (i + 1);
        uint64_t off = guess(ix, s, from, to);
        if (off < to && off - from < 2 * BATCH_BYTES)
            w.at[w.n++] = off;
    }
    return w;
}

/*
 * look_ahead - scan the next part of the file, from places in it that seem to begin a batch. While there is nothing
 * to show yet, the processor that will fold has nothing to do: it takes the second half.
 */
static void look_ahead(struct v1_index *ix, const struct source *s, uint64_t stop)
{
    uint64_t end = stop - ix->at < 2 * WINDOW ? stop : ix->at + 2 * WINDOW, half = end;
    if (ix->helped && end - ix->at > WINDOW / 2) {
        uint64_t from = ix->at + (end - ix->at) / 2, off = guess(ix, s, from, end);
        half = off - from < 2 * BATCH_BYTES ? off : end;
    }
    struct window a = window(ix, s, 0, ix->at, half), b = {0};
    pthread_t helper;
    bool on = false;
    if (half < end) {
        b = window(ix, s, 1, half, end);
        on = thread_start(&helper, NULL, scan_window, &b) == 0;
    }
    scan_window(&a);
    if (on)
        pthread_join(helper, NULL);
    else if (half < end)
        scan_window(&b);
    ix->scanned = end;
}

/* run - over events with a time that need no more than to be counted, as far as that goes. */
static enum err_code run(struct v1_index *ix, const struct source *s, uint64_t stop)
{
    uint64_t was = ix->at;
    const uint8_t *end = s->data + s->len, *q;
    uint64_t to, limit = ix->batch_off + (1u << 30); /* so that lengths fit; v1_read() goes on */
    uint32_t n;
    if (ix->at >= ix->scanned && stop - ix->at >= AHEAD_MIN)
        look_ahead(ix, s, stop);
    if ((v1_scan_take(&ix->scan[0], ix->at, &to, &n) || v1_scan_take(&ix->scan[1], ix->at, &to, &n)) && to < limit) {
        ix->at = to;
        ix->events += n;
    } else {
        for (const uint8_t *p = s->data + ix->at; ix->at < stop && ix->at < limit; ix->events++) {
            if (!(q = v1_scan_pass(&ix->scan[0], &ix->dialect, p, end)))
                break;
            p = q;
            ix->at = (uint64_t)(p - s->data);
        }
    }
    ix->end = ix->at;
    return ix->at > was ? timed(ix, ix->at) : ERR_OK;
}

enum err_code v1_index_step(struct v1_index *ix, struct source *s, uint64_t bytes)
{
    uint64_t stop = bytes < s->len - ix->at ? ix->at + bytes : s->len;
    const bool timed = ix->dialect.version != 1005; /* there the running time is needed */
    while (ix->at < stop) {
        uint64_t was = ix->at;
        const bool fast = timed && !ix->tables;
        enum err_code c = fast && ix->cur != UINT32_MAX ? run(ix, s, stop) : ERR_OK;
        if (c == ERR_OK && ix->at == was)
            c = slow(ix, s);
        if (c != ERR_OK)
            return c;
    }
    return ix->at >= s->len && !ix->done ? finish(ix, s) : ERR_OK;
}
