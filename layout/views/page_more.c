/*
 * page_more.c - what view 1 shows in the room its findings do not use: the goroutines that ran most, the
 * places with the most waiting, all numbers. See page.h.
 */
#include <string.h>

#include "decode/base/order.h"
#include "layout/draw/draw.h"
#include "layout/views/page.h"

enum { ROWS_LEAST = 12, NARROW = 40, GROUPS_FROM = 80, ALL_FROM = 34 };

/* Returns the rows of one of several lists below each other: a third of the room. */
static int part_rows(struct box b)
{
    const int part = b.h / 3 > ROWS_LEAST ? b.h / 3 : ROWS_LEAST;
    return part < b.h - 1 ? part : b.h - 1;
}

int page_busiest(struct grid *g, struct view *v, struct box b)
{
    uint32_t lane[VIEW_BUSY];
    const int most = b.h < VIEW_BUSY ? b.h : VIEW_BUSY;
    if (most < 1 || page_axis(b).w < 8)
        return 0;
    const int n = rows_busiest(v->tri->tg, lane, most);
    for (int i = 0; i < n; i++)
        page_lane(g, v, i ? "" : "ran most", lane[i], window_of(0, view_end(v)),
                  (struct box){b.x, b.y + i, b.w, 1});
    return n;
}

/* Writes "lock in main.(*ledger).append", as a tree does. */
static void place_words(struct text *t, const struct trace *tr, const struct wait_row *r)
{
    const uint32_t user = trace_stack(tr, r->stack) ? stacks_user(tr, r->stack) : 0;
    if (r->kind == WK_OTHER)
        text_wait(t, tr, r->reason, r->stack);
    else
        text_add(t, "%s", stacks_wait_name(tr, r->kind, r->stack));
    if (user)
        text_say(t, tr, " in ", t_func(user));
}

/* Groups waits by their text: stacks that differ above it are one place. */
struct waited {
    struct text said;
    int64_t total;
};

ORDER(by_total, struct waited, MOST(r->total))

/* Finds the places of the LOOKED longest waits. Returns how many there are. */
enum { LOOKED = 256 };
static int places_of(const struct view *v, struct waited p[LOOKED])
{
    const struct triage *tg = v->tri->tg;
    int n = 0;
    for (uint32_t i = 0; i < tg->nwaits && i < LOOKED && tg->waits[i].total > 0; i++) {
        struct text t = {.ticks = when_ticks(v->tr)};
        int k = 0;
        place_words(&t, v->tr, &tg->waits[i]);
        while (k < n && !(p[k].said.n == t.n && (!t.n || memcmp(p[k].said.p, t.p, t.n) == 0)))
            k++;
        if (k == n)
            p[n++] = (struct waited){t, 0};
        else
            text_free(&t);
        p[k].total = time_add(p[k].total, tg->waits[i].total);
    }
    sort(p, (size_t)n, by_total);
    return n;
}

static void place_line(struct grid *g, const struct view *v, const struct waited *p, int64_t most,
                       struct box b)
{
    enum { TIME = 8 };
    char d[FMT_MAX], buf[600];
    grid_right(g, b.x, b.y, TIME, when_dur(v->tr, p->total, d), STYLE_NORMAL);
    int x = b.x + TIME + 1;
    tri_bar(g, v, x, b.y, TRI_BAR, p->total, most, STYLE_WAITING);
    x += TRI_BAR + 1;
    str_where(str_of(p->said.p ? p->said.p : ""), b.x + b.w - x, glyph_dots(v->scr.tier), buf, sizeof buf);
    grid_str(g, x, b.y, b.x + b.w - x, buf, STYLE_NORMAL);
}

int page_places(struct grid *g, struct view *v, struct box b)
{
    const struct triage *tg = v->tri->tg;
    struct waited p[LOOKED];
    int n = 0;
    if (b.h < 2 || b.w < NARROW || !tg->nwaits || tg->waits[0].total <= 0)
        return 0;
    grid_str(g, b.x, b.y, b.w, "  waited  where goroutines wait, all together", STYLE_RULER);
    const int all = places_of(v, p);
    for (; n < part_rows(b) && n < all; n++)
        place_line(g, v, &p[n], p[0].total, (struct box){b.x, b.y + 1 + n, b.w, 1});
    for (int i = 0; i < all; i++)
        text_free(&p[i].said);
    return 1 + n;
}

/* Draws its goroutines, what they ran, waited for a processor, waited; a bar of what they ran. */
static void group_line(struct grid *g, const struct view *v, const struct group *r, int64_t most,
                       struct box b)
{
    enum { COUNT = 7, TIME = 10 };
    static const enum gmetric of[] = {GM_EXEC, GM_RUNNABLE, GM_WAIT};
    char n[FMT_MAX], name[1024];
    int x = b.x + COUNT;
    grid_right(g, b.x, b.y, COUNT, fmt_count(r->count, n), STYLE_NORMAL);
    for (size_t i = 0; i < sizeof of / sizeof *of; i++, x += TIME)
        grid_right(g, x, b.y, TIME, r->ns[of[i]] ? when_dur(v->tr, r->ns[of[i]], n) : "-", STYLE_NORMAL);
    tri_bar(g, v, x + 1, b.y, TRI_BAR, r->ns[GM_EXEC], most, STYLE_RUNNING);
    x += TRI_BAR + 2;
    const struct str f = trace_str(v->tr, r->name);
    str_shorten(f.len ? f : str_of(TRI_UNNAMED), b.x + b.w - x, glyph_dots(v->scr.tier), name, sizeof name);
    tri_say(g, x, b.y, b.x + b.w - x, STYLE_NORMAL, "%s", name);
}

int page_groups(struct grid *g, struct view *v, struct box b)
{
    const struct triage *tg = v->tri->tg;
    int n = 0;
    if (b.h < 2 || b.w < GROUPS_FROM)
        return 0;
    for (uint32_t i = 0; i < tg->ngroups && n < part_rows(b); i++)
        if (!tg->groups[i].is_system || b.h >= ALL_FROM) {
            group_line(g, v, &tg->groups[i], tg->groups[0].ns[GM_EXEC],
                       (struct box){b.x, b.y + 1 + n, b.w, 1});
            n++;
        }
    if (n)
        grid_str(g, b.x, b.y, b.w,
                 "  count   running  runnable   waiting            goroutines that begin with", STYLE_RULER);
    return n ? 1 + n : 0;
}

int page_all(struct grid *g, struct view *v, struct box b)
{
    struct rich all = {0};
    struct rich_row row = {0};
    size_t most = SIZE_MAX; /* the first that does not fit is left out as a whole */
    int n = 0;
    if (b.w >= NARROW)
        page_read_numbers(v, &all);
    for (int i = 0; most == SIZE_MAX && rich_row(&all, b.w, &row); i++)
        most = i < b.h ? most : row.para;
    row = (struct rich_row){0};
    while (rich_row(&all, b.w, &row) && row.para < most)
        rich_put(&all, &row, g, b.x, b.y + n++, b.w, STYLE_DIM);
    rich_free(&all);
    return n;
}
