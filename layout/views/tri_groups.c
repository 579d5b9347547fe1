/*
 * tri_groups.c - view 5: goroutines by start function, and below one of them its goroutines with a histogram.
 *
 * One column is what rows are sorted by, and it is always on the screen: columns are granted from the left,
 * and the sorted one takes the last place if it would not fit. The histogram counts the sorted column's
 * values in steps of 1, 3, 10 ..; a range of its buckets limits the list below it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"
#include "layout/cells/fmt.h"
#include "layout/move/move.h"
#include "layout/views/tri_priv.h"
#include "triage/tables/stacks.h"

static const struct {
    const char *head, *what;
    int w;
    int metric; /* enum gmetric; -1: a count, of groups alone; -2: of one goroutine, too */
} cols[GCOL_END] = {
    [GCOL_RUNNING] = {"running", "time running", 9, GM_EXEC},
    [GCOL_STUCK] = {"may leak", "goroutines that may leak: they wait for ever, it seems", 10, -1},
    [GCOL_COUNT] = {"count", "how many", 8, -1},
    [GCOL_ALIVE] = {"alive", "how many had not ended", 8, -1},
    [GCOL_SCHED] = {"runnable", "time runnable: it waits for a processor", 9, GM_SCHED},
    [GCOL_WAIT] = {"waiting", "time waiting", 9, GM_WAIT},
    [GCOL_SYSCALL] = {"syscall", "time in system calls", 9, GM_SYSCALL},
    [GCOL_ASSIST] = {"assist", "time in mark assists", 9, GM_ASSIST},
    [GCOL_LIFE] = {"life", "time between creation and end", 9, GM_LIFE},
    [GCOL_MOVES] = {"moved", "how often it ran on another processor than before", 8, -2},
    [GCOL_NAME] = {"", "name", 0, -1},
};
/* as they stand on a line, most wanted first */
static const enum gcolumn stand[] = {GCOL_COUNT, GCOL_ALIVE,   GCOL_STUCK,  GCOL_RUNNING, GCOL_SCHED,
                                     GCOL_WAIT,  GCOL_SYSCALL, GCOL_ASSIST, GCOL_LIFE,    GCOL_MOVES};
enum { STAND = sizeof stand / sizeof *stand, NAME_MIN = 24, NAME_MOST = 90, COLS_MAX = STAND };

/* ---- values ---------------------------------------------------------------------------------------------
 */

static int64_t group_value(const struct tri *t, uint32_t g, enum gcolumn c)
{
    const struct group *r = &t->tg->groups[g];
    switch (c) {
    case GCOL_STUCK: return t->stuck[g];
    case GCOL_COUNT: return r->count;
    case GCOL_ALIVE: return (int64_t)r->count - r->ended;
    case GCOL_SYSCALL: return ns_add(r->d[GM_SYSCALL].total, r->d[GM_SYSBLOCK].total);
    case GCOL_MOVES: return (int64_t)r->moves;
    case GCOL_NAME: return 0;
    default: return r->d[cols[c].metric].total;
    }
}

/* Instances: a count says nothing of one, so these columns stand for its life. */
static int64_t member_value(const struct tri *t, uint32_t g, enum gcolumn c)
{
    const struct gstats *s = t->tg->g;
    if (c == GCOL_MOVES)
        return gstat_moves(s, g);
    if (c == GCOL_SYSCALL)
        return ns_add(gstat_ns(s, g, GM_SYSCALL), gstat_ns(s, g, GM_SYSBLOCK));
    return gstat_ns(s, g, cols[c].metric >= 0 ? (enum gmetric)cols[c].metric : GM_LIFE);
}

/* Is a column's value time of system calls that are not timed? */
static bool untimed(const struct tri *t, uint32_t id, enum gcolumn c, int64_t val)
{
    if (c != GCOL_SYSCALL || !val || trace_info(t->tr)->second_family)
        return false;
    return t->group == NO_LANE ? !t->tg->groups[id].timed
                               : tri_none_timed(t->tr, gstat_of(t->tg->g, id).syscalls, val);
}

/* qsort() hands over no context; these are set around each sort, and one thread draws. */
static const struct tri *sorting;

static int by_name(const struct tri *t, uint32_t a, uint32_t b)
{
    struct str x = trace_str(t->tr, t->tg->groups[a].name), y = trace_str(t->tr, t->tg->groups[b].name);
    int c = memcmp(x.p, y.p, x.len < y.len ? x.len : y.len);
    return c ? c : x.len < y.len ? -1 : x.len > y.len;
}

static int order_rows(uint32_t a, uint32_t b, int64_t x, int64_t y)
{
    int c = x > y ? -1 : x < y;
    if (sorting->invert)
        c = -c;
    return c ? c : a < b ? -1 : a > b;
}

static int cmp_group(const void *pa, const void *pb)
{
    uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
    if (sorting->sort == GCOL_NAME) {
        int c = by_name(sorting, a, b);
        return c ? (sorting->invert ? -c : c) : a < b ? -1 : a > b;
    }
    int64_t x = group_value(sorting, a, sorting->sort), y = group_value(sorting, b, sorting->sort);
    if (x == y && sorting->sort == GCOL_STUCK) { /* leaks of another kind are many that live on */
        x = group_value(sorting, a, GCOL_ALIVE);
        y = group_value(sorting, b, GCOL_ALIVE);
    }
    return order_rows(a, b, x, y);
}

static int cmp_member(const void *pa, const void *pb)
{
    uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
    return order_rows(a, b, member_value(sorting, a, sorting->sort), member_value(sorting, b, sorting->sort));
}

static void sort_by(const struct tri *t, uint32_t *v, uint32_t n, int (*cmp)(const void *, const void *))
{
    sorting = t;
    qsort(v, n, sizeof *v, cmp);
    sorting = NULL;
}

/* ---- the groups -----------------------------------------------------------------------------------------
 */

static void find_leaks(struct tri *t)
{
    const struct triage *tg = t->tg;
    for (uint32_t i = 0; i < tg->ngroups; i++)
        t->leak[i] = NO_LANE;
    for (uint32_t i = 0; i < tg->nleaks; i++) {
        const struct leak_row *l = &tg->leaks[i];
        if (l->example >= tg->ng || gstat_group(tg->g, l->example) >= tg->ngroups)
            continue;
        uint32_t g = gstat_group(tg->g, l->example);
        t->stuck[g] += l->lost; /* as the finding counts them */
        if (t->leak[g] == NO_LANE || l->lost > tg->leaks[t->leak[g]].lost)
            t->leak[g] = i;
    }
}

bool groups_order(struct tri *t)
{
    uint32_t n = t->tg->ngroups;
    if (!t->order) {
        t->order = mem_alloc(((size_t)n + 1) * sizeof *t->order);
        t->stuck = mem_zalloc(((size_t)n + 1) * sizeof *t->stuck);
        t->leak = mem_alloc(((size_t)n + 1) * sizeof *t->leak);
        if (!t->order || !t->stuck || !t->leak)
            return false;
        for (uint32_t i = 0; i < n; i++)
            t->order[i] = i;
        find_leaks(t);
    }
    sort_by(t, t->order, n, cmp_group);
    return true;
}

/* ---- the instances --------------------------------------------------------------------------------------
 */

static int bucket_of(const struct tri *t, int64_t v)
{
    int b = 0;
    while (b + 1 < t->nbuckets && v >= t->bucket_from[b + 1])
        b++;
    return b;
}

static int64_t next_step(int64_t x, int64_t p) /* p = 100: 0 100 300 1000 3000 .. */
{
    if (x < p)
        return p;
    while (p <= x / 10)
        p *= 10;
    return x < 3 * p ? 3 * p : 10 * p;
}

static void make_buckets(struct tri *t, int64_t min, int64_t max)
{
    const int64_t least = t->sort == GCOL_MOVES ? 1 : 100;
    int64_t from = 0;
    while (next_step(from, least) <= min && from < INT64_MAX / 100)
        from = next_step(from, least);
    t->nbuckets = 0;
    memset(t->bucket, 0, sizeof t->bucket);
    for (;;) {
        t->bucket_from[t->nbuckets++] = from;
        if (t->nbuckets == TRI_BUCKETS || from > INT64_MAX / 100 || next_step(from, least) > max)
            break;
        from = next_step(from, least);
    }
    t->bucket_from[t->nbuckets] = from > INT64_MAX / 100 ? INT64_MAX : next_step(from, least);
}

/* The goroutines of the chosen group, counted; those within the chosen buckets, sorted. */
static bool list_members(struct tri *t)
{
    const struct triage *tg = t->tg;
    int64_t min = INT64_MAX, max = 0;
    uint32_t n = 0;
    for (uint32_t g = 0; g < tg->ng; g++) {
        if (gstat_group(tg->g, g) != t->group)
            continue;
        int64_t v = member_value(t, g, t->sort);
        min = v < min ? v : min;
        max = v > max ? v : max;
        n++;
    }
    uint32_t *m = mem_resize(t->member, ((size_t)n + 1) * sizeof *m);
    if (!m)
        return false;
    t->member = m;
    t->members = n;
    t->nmember = 0;
    make_buckets(t, n ? min : 0, max);
    int lo = t->b0 < t->b1 ? t->b0 : t->b1, hi = t->b0 < t->b1 ? t->b1 : t->b0;
    for (uint32_t g = 0; g < tg->ng; g++) {
        if (gstat_group(tg->g, g) != t->group)
            continue;
        int b = bucket_of(t, member_value(t, g, t->sort));
        t->bucket[b]++;
        if (t->b0 == TRI_NO_BUCKET || (b >= lo && b <= hi))
            m[t->nmember++] = g;
    }
    sort_by(t, m, t->nmember, cmp_member);
    return true;
}

static unsigned open_group(struct view *v, uint32_t group)
{
    struct tri *t = v->tri;
    t->row[0] = v->at.row; /* view 0 there is none: its place keeps the row of the groups */
    t->top[0] = v->at.top;
    t->group = group;
    t->b0 = t->b1 = TRI_NO_BUCKET;
    t->ranging = false;
    if (t->sort == GCOL_NAME)
        t->sort = GCOL_RUNNING;
    if (!list_members(t)) {
        t->group = NO_LANE;
        return move_fail(v, "out of memory for the list");
    }
    v->at.row = v->at.top = 0;
    return VR_DRAW;
}

/* Where of a goroutine to look: at its longest span of the kind the rows are sorted by. */
static unsigned open_member(struct view *v, uint32_t g)
{
    static const enum state of[GCOL_END] = {
        [GCOL_SCHED] = ST_RUNNABLE,  [GCOL_WAIT] = ST_WAITING,    [GCOL_STUCK] = ST_WAITING,
        [GCOL_SYSCALL] = ST_SYSCALL, [GCOL_RUNNING] = ST_RUNNING, [GCOL_ASSIST] = ST_ASSIST};
    struct lane_info li = trace_lane(v->tr, tri_g(g));
    enum state want = of[v->tri->sort];
    struct span_iter it;
    struct span best = {.t0 = li.first, .t1 = li.last};
    int64_t longest = -1;
    uint64_t left = 2000000; /* a goroutine of more spans is shown whole */
    if (want && span_seek_index(&it, v->tr, tri_g(g), 0))
        do {
            const struct span *s = span_get(&it);
            if (s->state == want && s->t1 - s->t0 > longest) {
                longest = s->t1 - s->t0;
                best = *s;
            }
        } while (--left && span_next(&it));
    return tri_goto(v, tri_g(g), best.t0, best.t1);
}

static unsigned enter(struct view *v)
{
    struct tri *t = v->tri;
    return t->group == NO_LANE ? open_group(v, t->order[v->at.row]) : open_member(v, t->member[v->at.row]);
}

static unsigned groups_back(struct view *v, int n)
{
    (void)n;
    struct tri *t = v->tri;
    if (t->group == NO_LANE)
        return VR_QUIT;
    if (t->b0 != TRI_NO_BUCKET) {
        t->b0 = t->b1 = TRI_NO_BUCKET;
        t->ranging = false;
        (void)list_members(t);
        return VR_DRAW;
    }
    t->group = NO_LANE;
    v->at.row = t->row[0];
    v->at.top = t->top[0];
    return VR_DRAW;
}

static unsigned groups_side(struct view *v, int n)
{
    struct tri *t = v->tri;
    if (t->group == NO_LANE)
        return move_fail(v, "Enter lists the goroutines of this group; there a range can be chosen");
    int b = t->b1 == TRI_NO_BUCKET ? (n < 0 ? t->nbuckets : -1) : t->b1, by = n < 0 ? -1 : 1;
    b += n ? n : 1;
    while (!t->ranging && b >= 0 && b < t->nbuckets && !t->bucket[b]) /* empty ones are no choice */
        b += by;
    if (b < 0 || b >= t->nbuckets)
        return move_fail(v, "this is the %s bucket (Esc: all again)", n < 0 ? "first" : "last");
    t->b1 = b;
    if (!t->ranging || t->b0 == TRI_NO_BUCKET)
        t->b0 = b;
    v->at.row = v->at.top = 0;
    return list_members(t) ? VR_DRAW : move_fail(v, "out of memory for the list");
}

static unsigned groups_range(struct view *v, int n)
{
    (void)n;
    struct tri *t = v->tri;
    if (t->group == NO_LANE)
        return move_fail(v, "Enter lists the goroutines of this group; there a range can be chosen");
    if (t->b0 == TRI_NO_BUCKET)
        return groups_side(v, 1);
    t->ranging = !t->ranging;
    view_message(v, false, t->ranging ? "the range widens with each step to a side" : "the range stands");
    return VR_DRAW;
}

static unsigned groups_sort(struct view *v, int n)
{
    struct tri *t = v->tri;
    int s = (int)t->sort;
    do {
        s = ((s + n) % GCOL_END + GCOL_END) % GCOL_END;
        n = n < 0 ? -1 : n > 0 ? 1 : 0;
    } while (n && t->group != NO_LANE && cols[s].metric == -1); /* of one goroutine there is no count */
    t->sort = (enum gcolumn)s;
    t->b0 = t->b1 = TRI_NO_BUCKET;
    const bool ok = !t->tg || (groups_order(t) &&
                               (t->group == NO_LANE || list_members(t))); /* else once they are there */
    if (!ok)
        return move_fail(v, "out of memory: the order stays");
    v->at.row = v->at.top = 0;
    view_message(v, false, "by %s%s", cols[s].what, t->invert ? ", smallest first" : "");
    return VR_DRAW;
}

/* ---- drawing --------------------------------------------------------------------------------------------
 */

static int choose(const struct tri *t, int w, enum gcolumn out[COLS_MAX])
{
    int room = w - NAME_MIN, n = 0;
    bool has = false, one = t->group != NO_LANE;
    for (int i = 0; i < STAND; i++) {
        if ((one && cols[stand[i]].metric == -1) || cols[stand[i]].w > room)
            continue;
        room -= cols[stand[i]].w;
        has |= stand[i] == t->sort;
        out[n++] = stand[i];
    }
    if (!has && n && cols[t->sort].w && (!one || cols[t->sort].metric != -1))
        out[n - 1] = t->sort;
    return n;
}

static int name_width(const enum gcolumn *c, int n, int w)
{
    for (int i = 0; i < n; i++)
        w -= cols[c[i]].w;
    return w - 1 > NAME_MOST ? NAME_MOST : w - 1 > 1 ? w - 1 : 1;
}

static uint32_t count(const struct view *v)
{
    return v->tri->group == NO_LANE ? v->tri->tg->ngroups : v->tri->nmember;
}

/* Columns of a bar at the end of the name's; 0: the names need them. */
static int bar_width(int name)
{
    return name >= 48 ? 12 : name >= 36 ? 8 : 0;
}

/* What rows are sorted by, as a bar beside the largest, in the colour of its state. */
static void bar(struct grid *g, const struct view *v, uint32_t id, int name, int y, bool focus)
{
    static const enum style of[GCOL_END] = {[GCOL_RUNNING] = STYLE_RUNNING,
                                            [GCOL_SCHED] = STYLE_RUNNABLE,
                                            [GCOL_WAIT] = STYLE_WAITING,
                                            [GCOL_SYSCALL] = STYLE_SYSCALL,
                                            [GCOL_ASSIST] = STYLE_ASSIST};
    const struct tri *t = v->tri;
    const bool groups = t->group == NO_LANE;
    const uint32_t rows = count(v), *row = groups ? t->order : t->member;
    if (t->sort == GCOL_NAME || !rows)
        return;
    const uint32_t top = row[t->invert ? rows - 1 : 0];
    const int64_t val = groups ? group_value(t, id, t->sort) : member_value(t, id, t->sort),
                  most = groups ? group_value(t, top, t->sort) : member_value(t, top, t->sort);
    const enum style s = focus ? STYLE_LANE_FOCUS : of[t->sort] ? of[t->sort] : STYLE_LANE;
    const int w = bar_width(name);
    glyph_bar(g, v->scr.tier, name - w, y, w, val > 0 ? (uint64_t)val : 0, most > 0 ? (uint64_t)most : 0, s);
}

static int head_lines(const struct view *v, int rows)
{
    if (v->tri->group == NO_LANE)
        return rows > 2 ? 1 : 0;
    return rows >= 12 ? 6 : rows > 2 ? 1 : 0;
}

static void titles(struct grid *g, const struct view *v, int y)
{
    enum gcolumn c[COLS_MAX];
    const struct tri *t = v->tri;
    int n = choose(t, g->w, c), x = name_width(c, n, g->w);
    grid_fill(g, 0, y, g->w, 1, ' ', STYLE_RULER);
    char mark[5] = "";
    const bool by_name = t->sort == GCOL_NAME && t->group == NO_LANE; /* of names A comes first */
    mark[str_utf8(tri_order_mark(v->scr.tier, by_name ? t->invert : !t->invert), mark)] = 0;
    tri_say(g, 0, y, x, by_name ? STYLE_STATUS_KEY : STYLE_RULER, "%s%s", by_name ? mark : "",
            t->group != NO_LANE ? "goroutine"
            : x >= 28           ? "goroutines by start function"
                                : "start function");
    for (int i = 0; i < n; i++) {
        char head[24];
        snprintf(head, sizeof head, "%s%s", c[i] == t->sort ? mark : "", cols[c[i]].head);
        tri_cell(g, x + 1, y, cols[c[i]].w, c[i] == t->sort ? STYLE_STATUS_KEY : STYLE_RULER, head);
        x += cols[c[i]].w;
    }
}

static unsigned groups_invert(struct view *v, int n);

/* By the column there; by that already: the other way round. */
static unsigned titled(struct view *v, int x)
{
    struct tri *t = v->tri;
    enum gcolumn c[COLS_MAX];
    const int n = choose(t, v->scr.w, c);
    int at = name_width(c, n, v->scr.w), i = -1;
    while (i < n && x > at)
        at += ++i < n ? cols[c[i]].w : 0;
    const enum gcolumn by = i < 0 ? GCOL_NAME : i < n ? c[i] : t->sort;
    if (i >= n || (i < 0 && t->group != NO_LANE))
        return VR_NONE;
    return by == t->sort ? groups_invert(v, 1) : groups_sort(v, (int)by - (int)t->sort);
}

/* Where a bucket begins, in as few columns as can be: ">1us", since ">1.00us" touches the next. */
static char *bucket_dur(const struct view *v, int64_t ns, char out[FMT_MAX])
{
    if (v->tri->sort == GCOL_MOVES)
        return fmt_count((uint64_t)ns, out);
    char *dot = strchr(tri_dur(v->tr, ns, out), '.'), *behind = dot;
    while (behind && (*behind == '.' || *behind == '0'))
        behind++;
    if (behind && (*behind < '0' || *behind > '9'))
        memmove(dot, behind, strlen(behind) + 1);
    return out;
}

/* Three rows high, six columns a bucket, as many as fit around the chosen one. */
static void histogram(struct grid *g, const struct view *v, int y)
{
    const struct tri *t = v->tri;
    int each = 7, fit = g->w / each > 0 ? g->w / each : 1, from = 0;
    uint32_t most = 1;
    for (int i = 0; i < t->nbuckets; i++)
        most = t->bucket[i] > most ? t->bucket[i] : most;
    if (t->b1 >= fit)
        from = t->b1 - fit + 1;
    int lo = t->b0 < t->b1 ? t->b0 : t->b1, hi = t->b0 < t->b1 ? t->b1 : t->b0;
    for (int i = from; i < t->nbuckets && i < from + fit; i++) {
        int x = (i - from) * each;
        bool in = t->b0 == TRI_NO_BUCKET || (i >= lo && i <= hi);
        int level = (int)((uint64_t)t->bucket[i] * 16 / most);
        char c[FMT_MAX], d[FMT_MAX];
        if (t->bucket[i] && !level)
            level = 1;
        for (int k = 0; k < 2; k++) {
            int part = level - (1 - k) * 8;
            grid_fill(g, x, y + k, each - 1, 1,
                      glyph_height(v->scr.tier, part < 0   ? 0
                                                : part > 8 ? 8
                                                           : part),
                      in ? STYLE_RUNNING : STYLE_DIM);
        }
        tri_say(g, x, y + 2, each, in ? STYLE_NORMAL : STYLE_DIM, "%s",
                t->bucket[i] ? fmt_count(t->bucket[i], c) : "");
        tri_say(g, x, y + 3, each, t->b0 != TRI_NO_BUCKET && in ? STYLE_LANE_FOCUS : STYLE_RULER, ">%s",
                bucket_dur(v, t->bucket_from[i], d));
    }
}

static void head(struct grid *g, struct view *v, int y, int n)
{
    const struct tri *t = v->tri;
    if (n >= 6) {
        char name[400];
        int w = g->w - 40 > 20 ? g->w - 40 : 20;
        str_shorten(trace_str(v->tr, t->tg->groups[t->group].name), w, glyph_dots(v->scr.tier), name,
                    sizeof name);
        tri_say(g, 0, y, g->w, STYLE_STATUS_KEY, "%s: %u of %u, by %s", name, t->nmember, t->members,
                cols[t->sort].metric != -1 ? cols[t->sort].what : cols[GCOL_LIFE].what);
        histogram(g, v, y + 1);
    }
    titles(g, v, y + n - 1);
}

static void row(struct grid *g, struct view *v, uint32_t i, int y, bool focus)
{
    const struct tri *t = v->tri;
    enum gcolumn c[COLS_MAX];
    int n = choose(t, g->w, c), x = name_width(c, n, g->w);
    enum style s = focus ? STYLE_LANE_FOCUS : STYLE_NORMAL;
    uint32_t id = t->group == NO_LANE ? t->order[i] : t->member[i];
    if (focus)
        grid_fill(g, 0, y, g->w, 1, ' ', s);
    if (t->group == NO_LANE) {
        tri_name(g, v, 0, y, x - bar_width(x) - (bar_width(x) > 0), s, t->tg->groups[id].name);
    } else {
        struct lane_info li = trace_lane(v->tr, tri_g(id));
        char from[FMT_MAX];
        tri_say(g, 0, y, x - bar_width(x), s, "G%" PRIu64 "%s%s%s", li.id, li.created ? "  from " : "",
                li.created ? tri_dur(v->tr, li.first, from) : "", li.ended ? "" : "  not ended");
    }
    bar(g, v, id, x, y, focus);
    for (int k = 0; k < n; k++) {
        char buf[FMT_MAX];
        int64_t val = t->group == NO_LANE ? group_value(t, id, c[k]) : member_value(t, id, c[k]);
        if (untimed(t, id, c[k], val))
            snprintf(buf, sizeof buf, TRI_UNTIMED);
        else if (val == 0 && c[k] != GCOL_COUNT)
            snprintf(buf, sizeof buf, "-");
        else if (cols[c[k]].metric >= 0)
            tri_dur(v->tr, val, buf);
        else
            fmt_count((uint64_t)val, buf);
        tri_cell(g, x + 1, y, cols[c[k]].w, s, buf);
        x += cols[c[k]].w;
    }
}

/* ---- status ---------------------------------------------------------------------------------------------
 */

static void detail_leak(struct text *t, const struct view *v, const struct leak_row *l, uint32_t all)
{
    text_add(t, "may leak: %u ", l->lost);
    if (l->lost < all)
        text_add(t, "of these %u ", all);
    text_lit(t, "wait for ever, it seems (");
    text_wait(t, v->tr, l->reason, l->stack);
    text_lit(t, ") at ");
    text_where(t, v->tr, l->stack, 60);
    text_lit(t, ", longest ");
    text_dur(t, l->oldest);
    if (l->quarter[0] + l->quarter[1] + l->quarter[2] + l->quarter[3] ==
        l->lost) /* else some had gone on before */
        text_add(t, "; created by quarter of the trace %u %u %u %u", l->quarter[0], l->quarter[1],
                 l->quarter[2], l->quarter[3]);
    text_lit(t, "; created in ");
    text_where(t, v->tr, l->create_stack, 60);
}

static void detail_typical(struct text *t, const struct typical *y, uint32_t i)
{
    if (!y->exec || !y->life)
        return;
    text_lit(t, "; running p50 ");
    text_dur(t, y->exec[i].p50);
    text_lit(t, " p99 ");
    text_dur(t, y->exec[i].p99);
    text_lit(t, "; life p50 ");
    text_dur(t, y->life[i].p50);
    text_lit(t, " max ");
    text_dur(t, y->life[i].max);
}

/* Does it say what a group's goroutines waited for, or how they may leak? */
static bool lists_waits(const struct tri *tr, uint32_t group)
{
    return !tr->stuck[group] || tr->leak[group] == NO_LANE;
}

static void detail_group(struct text *t, const struct view *v, uint32_t i, int line)
{
    const struct tri *tr = v->tri;
    const struct group *g = &tr->tg->groups[i];
    if (line == 0) {
        tri_func(t, v->tr, g->name, 60);
        text_add(t, ": %u goroutine%s, %u created, %u ended", g->count, g->count == 1 ? "" : "s", g->created,
                 g->ended);
        if (tr->typical.made)
            detail_typical(t, &tr->typical, i);
        return;
    }
    if (!lists_waits(tr, i)) {
        detail_leak(t, v, &tr->tg->leaks[tr->leak[i]], tr->stuck[i]);
        return;
    }
    text_add(t, "%s", g->nwaits ? "waits: " : "it never waits");
    for (uint32_t k = 0; k < g->nwaits && k < 6; k++) {
        const struct group_wait *w = &tr->tg->group_waits[g->waits + k];
        text_raw(t, ", ", k ? 2 : 0);
        text_reason(t, v->tr, w->reason);
        text_lit(t, " ");
        text_dur(t, w->d.total);
        text_lit(t, " (longest ");
        text_dur(t, w->longest);
        text_lit(t, ")");
    }
}

struct longest {
    enum state state;
    int64_t ns;
};

static bool longer(void *arg, const struct span_run *r)
{
    struct longest *l = arg;
    for (uint32_t i = 0; i < r->n; i++)
        if (r->kind[r->tag[i]].state == l->state && r->dur[i] > l->ns)
            l->ns = r->dur[i];
    return true;
}

/* The longest of so many spans in a state, that last `all` together: none is shorter than they are on
 * average. */
static int64_t longest_of(const struct trace *tr, const struct lane_info *li, uint32_t g, enum state state,
                          int64_t all, uint32_t n)
{
    struct longest l = {.state = state};
    if (n)
        trace_states(tr, tri_g(g),
                     &(struct states_ask){
                         .t0 = li->first, .t1 = li->last + 1, .min_ns = all / n, .f = longer, .arg = &l});
    return l.ns;
}

static void detail_member(struct text *t, const struct view *v, uint32_t g, int line)
{
    const struct gstat s = gstat_of(v->tri->tg->g, g);
    struct lane_info li = trace_lane(v->tr, tri_g(g));
    if (line == 0) {
        text_who(t, v->tr, g);
        text_lit(t, ":");
        for (int m = 0; m < GM_COUNT; m++) {
            if (!s.ns[m])
                continue;
            text_add(t, "%s%s ", t->p[t->n - 1] == ':' ? " " : ", ", gmetric_name((enum gmetric)m));
            if (m == GM_SYSCALL && tri_none_timed(v->tr, s.syscalls, ns_add(s.ns[m], s.ns[GM_SYSBLOCK])))
                text_lit(t, TRI_NOT_TIMED);
            else
                text_dur(t, s.ns[m]);
        }
        return;
    }
    text_add(t, "%u run%s, %u wait%s, %u system call%s; moved to another processor %u time%s; longest wait ",
             s.runs, s.runs == 1 ? "" : "s", s.waits, s.waits == 1 ? "" : "s", s.syscalls,
             s.syscalls == 1 ? "" : "s", s.moves, s.moves == 1 ? "" : "s");
    text_dur(t, longest_of(v->tr, &li, g, ST_WAITING, s.ns[GM_WAIT], s.waits));
    text_lit(t, ", runnable ");
    text_dur(t, longest_of(v->tr, &li, g, ST_RUNNABLE, s.ns[GM_SCHED], s.scheds));
    if (li.creator != NO_LANE) {
        text_lit(t, "; created by ");
        text_who(t, v->tr, li.creator);
    } else if (tri_by_timer(v->tr, tri_g(g), &li)) {
        text_lit(t, "; " TRI_BY_TIMER);
    }
}

static void detail(struct text *t, const struct view *v, uint32_t row_no, int line)
{
    const struct tri *tr = v->tri;
    if (tr->group == NO_LANE)
        detail_group(t, v, tr->order[row_no], line);
    else
        detail_member(t, v, tr->member[row_no], line);
}

static bool lists(const struct view *v, uint32_t row_no)
{
    return v->tri->group == NO_LANE && lists_waits(v->tri, v->tri->order[row_no]);
}

static unsigned groups_invert(struct view *v, int n)
{
    (void)n;
    v->tri->invert = !v->tri->invert;
    return groups_sort(v, 0);
}

/* ---- what a group's goroutines have each ------------------------------------------------------------------
 */

static bool make_typical(void *arg)
{
    struct tri *t = arg;
    t->typical.exec = triage_group_dists(t->tg, GM_EXEC);
    t->typical.life = triage_group_dists(t->tg, GM_LIFE);
    return t->typical.exec && t->typical.life;
}

static bool typical_pending(const struct view *v)
{
    return v->tri && v->tri->tg && !v->tri->typical.made;
}

static unsigned typical_work(struct view *v, int64_t budget_ns)
{
    struct typical *y = typical_pending(v) ? &v->tri->typical : NULL;
    if (!y)
        return VR_NONE;
    if (!y->making && !(y->making = slices_new(make_typical, v->tri)))
        (void)make_typical(v->tri);
    else if (slices_run(y->making, budget_ns) == SLICES_MORE)
        return VR_WORK;
    slices_free(y->making);
    y->making = NULL;
    y->made = true;
    return VR_DRAW;
}

/* The histogram is that of instances. */
static bool can(const struct view *v, enum deed d)
{
    return (d != DEED_SELECT && d != DEED_PAN) || (v->tri && v->tri->group != NO_LANE);
}

static const char *back_word(const struct view *v)
{
    const struct tri *t = v->tri;
    return !t || t->group == NO_LANE ? NULL : t->b0 != TRI_NO_BUCKET ? "all of them" : "groups";
}

static const struct tri_view tri_groups = {.rows = count,
                                           .head = head,
                                           .head_lines = head_lines,
                                           .titled = titled,
                                           .row = row,
                                           .detail = detail,
                                           .lists = lists,
                                           .enter = enter};
const struct view_kind kind_groups = {
    IS_TABLE,
    .plan = PLAN_TABLE,
    .status_most = tri_status_most,
    .list = &tri_groups,
    .sorts_early = true,
    .back_word = back_word,
    .answer = {ANSWER_ROWS, ANSWER_SIDE(groups_side), [DEED_SORT] = groups_sort,
               [DEED_INVERT] = groups_invert, [DEED_SELECT] = groups_range, [DEED_BACK] = groups_back},
    .can = can,
    .pending = typical_pending,
    .work = typical_work,
    .refusal = {REFUSE_ZOOM},
    .word = {[DEED_DETAILS] = "open", ANSWER_SIDE("histogram")},
};
