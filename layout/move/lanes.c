/*
 * lanes.c - works in two steps: put all lanes in an order, then select those that show. An order is a sort
 * by one 64-bit key per lane, ties by index, so it is the same on every run. While a trace loads it is
 * remade only now and then.
 *
 * Rows: first the pinned lanes, then in order those that are not hidden, are alive in the window (if so
 * chosen), pass the filter, and are not folded into their group's first lane. The lane with the cursor
 * always shows, so that a jump never ends nowhere. A list of related lanes replaces the order.
 */
#include "layout/move/lanes.h"

#include <string.h>

#include "decode/base/mem.h"
#include "triage/query/filter.h"
#include "triage/tables/slices.h"
#include "triage/tables/tab.h"

enum { AT_ONCE = 20000 }; /* sort at most this many lanes without slices */

struct lanes_making { /* an order in progress: its settings and its result */
    struct slices *job;
    enum slices_state state;
    const struct trace *tr;
    enum lane_kind kind;
    enum sort sort;
    bool invert, by_name, named;          /* as in struct lanes; by_name: lanes of one name are adjacent */
    uint32_t n, keyed;                    /* number of lanes; number of them with a key */
    uint32_t *order, *group_end, ngroups; /* as in struct lanes */
};

/* Returns the first bytes of a name as a number, which orders names well enough for a screen. */
static uint64_t name_key(struct str s)
{
    uint64_t k = 0;
    for (uint32_t i = 0; i < 8; i++)
        k = k << 8 | (i < s.len ? (unsigned char)s.p[i] : 0);
    return k;
}

static uint64_t lanes_key_of(const struct lanes_making *m, uint32_t lane)
{
    struct lane at = {m->kind, lane};
    if (m->sort == SORT_SEEN)
        return lane;
    struct lane_info li = trace_lane_who(m->tr, at);
    if (m->sort == SORT_ID)
        return li.id;
    if (m->sort == SORT_NAME)
        return name_key(trace_str(m->tr, li.name));
    struct shares sh;
    trace_shares(m->tr, at, 0, trace_info(m->tr)->end, &sh);
    int64_t ns = m->sort == SORT_RUNNABLE  ? sh.ns[ST_RUNNABLE]
                 : m->sort == SORT_WAITING ? sh.ns[ST_WAITING]
                 : m->sort == SORT_SYSCALL ? sh.ns[ST_SYSCALL]
                                           : sh.ns[ST_RUNNING] + sh.ns[ST_GCWORK] + sh.ns[ST_ASSIST];
    return UINT64_MAX - (uint64_t)ns; /* the largest first */
}

static void forget_groups(struct lanes *l)
{
    mem_free(l->group_end);
    l->group_end = NULL;
    l->ngroups = 0;
}

/* ---- an order ------------------------------------------------------------------------------------------ */

/* Returns the index, in the input, of the i-th lane of the sorted order. */
static uint32_t sorted_lane(const struct lanes_making *m, uint32_t i)
{
    return m->invert ? m->n - 1 - i : i;
}

/* Counts lanes per name, with names in the order of their first lane: rank[name] from 1; at[rank] is where
 * its lanes start. */
static bool order_ranks(struct lanes_making *m, const struct keyed_row *k, const uint32_t *name,
                        uint32_t *rank, uint32_t *at)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < m->n; i++) {
        uint32_t *r = &rank[name[k[sorted_lane(m, i)].row]];
        if (!*r)
            *r = ++m->ngroups;
        at[*r + 1]++;
        ok = i % 256 || slices_tick();
    }
    for (uint32_t r = 1; r <= m->ngroups; r++)
        at[r + 1] += at[r];
    return ok;
}

/* Keeps the sorted order, but moves lanes of one name next to their first. */
static bool order_groups(struct lanes_making *m, const struct keyed_row *k, const uint32_t *name)
{
    const size_t names = (size_t)trace_nstr(m->tr) + 1;
    uint32_t *rank = mem_zalloc(names * sizeof *rank), *at = mem_zalloc((names + 2) * sizeof *at);
    bool ok = rank && at && order_ranks(m, k, name, rank, at);
    for (uint32_t i = 0; ok && i < m->n; i++) {
        const uint32_t lane = k[sorted_lane(m, i)].row;
        m->order[at[rank[name[lane]]]++] = lane;
        ok = i % 256 || slices_tick();
    }
    m->group_end = ok ? mem_alloc(((size_t)m->ngroups + 1) * sizeof *m->group_end) : NULL;
    if (m->group_end)
        memcpy(m->group_end, at + 1, (size_t)m->ngroups * sizeof *at);
    mem_free(rank);
    mem_free(at);
    return m->group_end != NULL;
}

static bool order_keys(struct lanes_making *m, struct keyed_row *k, uint32_t *name)
{
    const uint32_t names = trace_nstr(m->tr);
    for (uint32_t i = 0; i < m->n; m->keyed = ++i) {
        const uint32_t str = name ? trace_g_name(m->tr, i) : 0;
        k[i] = (struct keyed_row){lanes_key_of(m, i), i};
        if (name)
            name[i] = str < names ? str : 0;
        if (i % 64 == 0 && !slices_tick())
            return false;
    }
    return rows_sort(k, m->n);
}

static bool order_make(void *arg)
{
    struct lanes_making *m = arg;
    const size_t n = (size_t)m->n + 1;
    struct keyed_row *k = mem_alloc(n * sizeof *k);
    uint32_t *name = m->by_name ? mem_alloc(n * sizeof *name) : NULL;
    m->order = mem_alloc(n * sizeof *m->order);
    bool ok = k && m->order && (name || !m->by_name) && order_keys(m, k, name);
    if (ok && name)
        ok = order_groups(m, k, name);
    else
        for (uint32_t i = 0; ok && i < m->n; i++) {
            m->order[i] = k[sorted_lane(m, i)].row;
            ok = i % 256 || slices_tick();
        }
    mem_free(k);
    mem_free(name);
    return ok;
}

static void drop_making(struct lanes *l)
{
    struct lanes_making *m = l->making;
    l->making = NULL;
    if (!m)
        return;
    slices_free(m->job);
    mem_free(m->order);
    mem_free(m->group_end);
    mem_free(m);
}

/* Installs the finished order. */
static void take_order(struct lanes *l)
{
    struct lanes_making *m = l->making;
    forget_groups(l);
    mem_free(l->order);
    l->order = m->order;
    l->total = m->n;
    l->group_end = m->group_end;
    l->ngroups = m->ngroups;
    l->named = m->named;
    m->order = m->group_end = NULL;
}

/* Returns true when the order is new, and false while in progress or when out of memory (*ok). */
static bool make_order(struct lanes *l, const struct trace *tr, uint32_t n, bool *ok)
{
    const bool by_name = l->group && l->kind == LANE_G;
    *ok = true;
    drop_making(l);
    if (l->sort == SORT_SEEN && !l->invert && !by_name) {
        mem_free(l->order);
        forget_groups(l);
        l->order = NULL;
        l->total = n;
        return true;
    }
    struct lanes_making *m = l->making = mem_zalloc(sizeof *m);
    if (!m)
        return *ok = false;
    m->tr = tr;
    m->kind = l->kind;
    m->sort = l->sort;
    m->invert = l->invert;
    m->by_name = by_name;
    m->named = trace_info(tr)->done;
    m->n = n;
    if (n > AT_ONCE && (m->job = slices_new(order_make, m)))
        return false;
    if ((*ok = order_make(m)))
        take_order(l);
    drop_making(l);
    return *ok;
}

bool lanes_work(struct lanes *l, int64_t budget_ns)
{
    struct lanes_making *m = l->making;
    if (!m)
        return true;
    if (m->state == SLICES_MORE) {
        m->state = slices_run(m->job, budget_ns);
        if (m->state == SLICES_MORE || budget_ns != INT64_MAX) /* making the rows takes a slice of its own */
            return false;
    }
    if (m->state == SLICES_DONE) {
        take_order(l);
        l->rows_stale = true;
    }
    drop_making(l);
    return true;
}

int lanes_share(const struct lanes *l)
{
    return l->making && l->making->n ? (int)((uint64_t)l->making->keyed * 100 / l->making->n) : 100;
}

/* Returns whether the order must be remade: while loading only after growth by a quarter, as sorting a
 * million goroutines at every step would take all the time. */
static bool lanes_unsorted(const struct lanes *l, const struct trace *tr, uint32_t n)
{
    if (l->making && l->making->n == n && !l->stale)
        return false;
    if (l->group && l->group_end && !l->named && trace_info(tr)->done)
        return true; /* names may have changed */
    return l->stale || (n != l->total && (trace_info(tr)->done || n < 4096 || n / 5 * 4 > l->total));
}

/* ---- what is hidden, pinned, folded -------------------------------------------------------------------- */

bool lanes_pinned(const struct lanes *l, uint32_t lane)
{
    return any_of(i, (unsigned)l->npin, l->pin[i] == lane);
}

bool lanes_is_hidden(const struct lanes *l, uint32_t lane)
{
    return lane < l->nhidden && l->hidden[lane / 64] >> (lane % 64) & 1;
}

bool lanes_hide(struct lanes *l, uint32_t lane, bool hide)
{
    const uint32_t n = (lane / 64 + 1) * 64;
    if (lanes_is_hidden(l, lane) == hide)
        return true;
    if (n > l->nhidden) {
        uint64_t *p = mem_resize(l->hidden, n / 8);
        if (!p)
            return false;
        memset(p + l->nhidden / 64, 0, (n - l->nhidden) / 8);
        l->hidden = p;
        l->nhidden = n;
    }
    l->hidden[lane / 64] ^= 1ull << (lane % 64);
    l->hidden_n += hide ? 1 : (uint32_t)-1;
    l->rows_stale = true;
    return true;
}

void lanes_unhide(struct lanes *l)
{
    mem_free(l->hidden);
    l->hidden = NULL;
    l->nhidden = l->hidden_n = 0;
    l->rows_stale = true;
}

bool lanes_folded(const struct lanes *l, uint32_t name)
{
    return l->group && !any_of(i, (unsigned)l->nopen, l->open[i] == name);
}

void lanes_fold(struct lanes *l, uint32_t name, bool fold)
{
    const int i = (int)find_first(k, (unsigned)l->nopen, l->open[k] == name);
    if (fold && i < l->nopen) {
        l->open[i] = l->open[--l->nopen];
    } else if (!fold && i == l->nopen) {
        if (l->nopen == LANES_OPEN) /* fold the group that was unfolded first */
            memmove(l->open, l->open + 1, --l->nopen * sizeof *l->open);
        l->open[l->nopen++] = name;
    }
    l->rows_stale = true;
}

uint32_t lanes_more(const struct lanes *l, uint32_t row)
{
    return l->grouped && row < l->n ? l->more[row] : 0;
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

static void lanes_drop_rows(struct lanes *l)
{
    mem_free(l->row_lane);
    mem_free(l->lane_row);
    mem_free(l->more);
    l->row_lane = l->lane_row = l->more = NULL;
    l->nrow_lane = l->nlane_row = 0;
    l->cap_rows = 0;
    l->listed = l->grouped = false;
}

/* Makes room for rows of all lanes, all empty. Clears only the rows that were filled. */
static bool clear_rows(struct lanes *l)
{
    size_t n = (size_t)l->total + 1;
    if (l->nrow_lane > l->nlane_row / 4) /* most of them */
        memset(l->lane_row, 0xFF, l->nlane_row * sizeof *l->lane_row);
    else
        for (uint32_t i = 0; i < l->nrow_lane; i++)
            l->lane_row[l->row_lane[i]] = NO_LANE;
    l->nrow_lane = 0;
    if (n > l->cap_rows) {
        size_t cap = n + n / 4;
        uint32_t *p[3] = {mem_resize(l->row_lane, cap * sizeof *p[0]), NULL, NULL};
        l->row_lane = p[0] ? p[0] : l->row_lane;
        p[1] = mem_resize(l->lane_row, cap * sizeof *p[1]);
        l->lane_row = p[1] ? p[1] : l->lane_row;
        p[2] = mem_resize(l->more, cap * sizeof *p[2]);
        l->more = p[2] ? p[2] : l->more;
        if (!p[0] || !p[1] || !p[2])
            return false;
        l->cap_rows = cap;
    }
    if (n > l->nlane_row) /* NO_LANE */
        memset(l->lane_row + l->nlane_row, 0xFF, (n - l->nlane_row) * sizeof *l->lane_row);
    l->nlane_row = (uint32_t)n;
    return true;
}

static void lanes_put(struct lanes *l, uint32_t lane)
{
    if (l->lane_row[lane] != NO_LANE)
        return;
    if (l->grouped)
        l->more[l->nrow_lane] = 0;
    l->lane_row[lane] = l->nrow_lane;
    l->row_lane[l->nrow_lane++] = lane;
}

static bool lanes_plain(const struct lanes *l, bool all)
{
    return all && !l->order && !l->filter && !l->npin && !l->hidden_n && !l->only;
}

/* Returns whether the window hides none. */
static bool lanes_all(const struct lanes *l, const struct trace *tr)
{
    return !l->here || (l->seen.t0 <= 0 && l->seen.t1 >= trace_info(tr)->end);
}

/* Finds the first lane at or after `lane` that is not hidden, passes the filter and is alive in the window,
 * or is `keep`. */
static uint32_t next_shown(struct lanes *l, const struct trace *tr, bool all, uint32_t keep, uint32_t lane)
{
    const struct window w = l->seen;
    uint32_t from = lane, at = lane;
    while (at < l->total) {
        if (l->filter && (at = filter_next(l->filter, at)) >= l->total)
            break;
        uint32_t here =
            all ? at : alive_next(&l->alive, &(struct alive_ask){tr, l->kind, w.t0, w.t1, l->total}, at);
        if (here == at || !l->filter)
            at = here;
        /* This one passes but is not alive: continue at the next that is alive. */
        else if (here != NO_LANE && here > at) {
            at = here;
            continue;
        } else
            at = NO_LANE;
        if (!lanes_is_hidden(l, at))
            break;
        at++;
    }
    if (keep != NO_LANE && keep >= from && keep < l->total && keep < at)
        return keep;
    return at < l->total ? at : NO_LANE;
}

uint32_t lanes_behind(struct lanes *l, const struct trace *tr, uint32_t lane)
{
    const bool all = lanes_all(l, tr);
    for (uint32_t i = lane; l->grouped && (i = next_shown(l, tr, all, l->seen_keep, i)) != NO_LANE; i++) {
        const uint32_t row = l->lane_row[i];
        if (row == NO_LANE || l->more[row] > 0)
            return i;
    }
    return NO_LANE;
}

/* Adds rows group by group: the first lane of a folded group stands for the others. */
static void put_groups(struct lanes *l, const struct trace *tr, const uint64_t *shown, uint32_t keep)
{
    for (uint32_t g = 0, i = 0; g < l->ngroups; g++) {
        const uint32_t end = l->group_end[g];
        const bool folded = i < end && lanes_folded(l, trace_g_name(tr, l->order[i]));
        uint32_t head = NO_LANE, more = 0;
        for (; i < end; i++) {
            const uint32_t lane = l->order[i];
            if (shown && !(shown[lane / 64] >> lane % 64 & 1))
                continue;
            if (l->lane_row[lane] != NO_LANE)
                continue;
            if (head != NO_LANE && folded && lane != keep) {
                more++;
                continue;
            }
            head = head == NO_LANE ? l->nrow_lane : head;
            lanes_put(l, lane);
        }
        if (more)
            l->more[head] = more;
    }
}

static void set_bits(uint64_t *bits, uint32_t from, uint32_t n)
{
    for (; n && from % 64; from++, n--)
        bits[from / 64] |= 1ull << from % 64;
    for (; n >= 64; from += 64, n -= 64)
        bits[from / 64] = UINT64_MAX;
    for (; n; from++, n--)
        bits[from / 64] |= 1ull << from % 64;
}

/* Returns how many consecutive lanes show, from a lane that does. */
static uint32_t run_shown(const struct lanes *l, bool all, uint32_t lane)
{
    return l->filter || l->hidden_n ? 1
           : all                    ? l->total - lane
                                    : alive_run(&l->alive, l->seen.t0, l->seen.t1, lane, l->total);
}

/* Adds rows in the order: sets a bit for each lane that shows, then walks the order. */
static void put_ordered(struct lanes *l, const struct trace *tr, uint32_t keep, bool all)
{
    const uint32_t n = l->total;
    const size_t words = (size_t)n / 64 + 1;
    uint64_t *shown = all && !l->filter && !l->hidden_n ? NULL : mem_zalloc(words * sizeof *shown);
    for (uint32_t i = shown ? next_shown(l, tr, all, keep, 0) : NO_LANE, run; i != NO_LANE;
         i = next_shown(l, tr, all, keep, i + run)) {
        run = run_shown(l, all, i); /* (`keep` may not be alive here, nor its chunk as a whole) */
        set_bits(shown, i, run);
    }
    if (l->grouped)
        put_groups(l, tr, shown, keep);
    for (uint32_t i = 0; i < n && !l->grouped; i++) /* out of memory: show all rather than none */
        if (!shown || shown[l->order[i] / 64] >> l->order[i] % 64 & 1)
            lanes_put(l, l->order[i]);
    mem_free(shown);
}

static void fill_rows(struct lanes *l, const struct trace *tr, uint32_t keep, bool all)
{
    const uint32_t n = l->total;
    for (int i = 0; i < l->npin; i++)
        if (l->pin[i] < n)
            lanes_put(l, l->pin[i]);
    for (uint32_t i = 0; l->only && i < l->nonly; i++)
        if (l->only[i] < n && !lanes_is_hidden(l, l->only[i]))
            lanes_put(l, l->only[i]);
    if (l->only) {
        if (keep < n)
            lanes_put(l, keep);
        return;
    }
    if (l->order)
        put_ordered(l, tr, keep, all);
    else
        for (uint32_t i = 0; (i = next_shown(l, tr, all, keep, i)) != NO_LANE; i++)
            lanes_put(l, i);
}

/* Makes the rows: the whole order, or those of it that show. */
static bool make_rows(struct lanes *l, const struct trace *tr, uint32_t keep)
{
    const bool all = lanes_all(l, tr);
    l->rows_stale = false;
    l->n = l->total;
    l->listed = l->grouped = false;
    if (lanes_plain(l, all))
        return true;
    if (!clear_rows(l)) {
        lanes_drop_rows(l);
        mem_free(l->order); /* a lane's row is unknown without memory: show all by index */
        l->order = NULL;
        return false;
    }
    l->listed = true;
    l->grouped = l->group && l->kind == LANE_G && l->group_end;
    fill_rows(l, tr, keep, all);
    l->n = l->nrow_lane;
    return true;
}

bool lanes_update(struct lanes *l, const struct trace *tr, struct window w, uint32_t keep)
{
    uint32_t n = trace_nlanes(tr, l->kind);
    bool ok = true, fresh = false, identity = l->sort == SORT_SEEN && !l->invert && !l->group;
    if (identity ? l->stale || n != l->total : lanes_unsorted(l, tr, n)) {
        fresh = make_order(l, tr, n, &ok);
        l->stale = false;
        if (!fresh && l->making && !l->order) { /* in order of appearance until the new order is ready */
            l->total = n;
            fresh = true;
        }
    }
    uint64_t version = l->filter ? filter_known(l->filter).version : 0;
    bool windowed = l->here && !l->only, lost = keep < l->total && lanes_row(l, keep) == NO_LANE;
    bool moved = (windowed && (w.t0 != l->seen.t0 || w.t1 != l->seen.t1)) || l->rows_stale ||
                 version != l->filter_seen || (keep != l->seen_keep && lost);
    if (!fresh && !moved)
        return ok;
    l->seen = w;
    l->seen_keep = keep;
    l->filter_seen = version;
    return make_rows(l, tr, keep) && ok;
}

void lanes_free(struct lanes *l)
{
    drop_making(l);
    lanes_drop_rows(l);
    forget_groups(l);
    alive_free(&l->alive);
    mem_free(l->order);
    mem_free(l->only);
    lanes_unhide(l);
    l->order = l->only = NULL;
    l->n = l->total = l->nonly = 0;
    l->npin = l->nopen = 0;
}

uint32_t lanes_at(const struct lanes *l, uint32_t row)
{
    return row >= l->n ? NO_LANE : l->listed ? l->row_lane[row] : row;
}

uint32_t lanes_row(const struct lanes *l, uint32_t lane)
{
    if (lane >= l->total)
        return NO_LANE;
    if (!l->listed)
        return lane;
    return lane < l->nlane_row ? l->lane_row[lane] : NO_LANE; /* a lane added after the rows were made */
}
