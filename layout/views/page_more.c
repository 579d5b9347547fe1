/* page_more.c - what view 1 shows in the room that its findings leave: the goroutines that ran most, the
 * places at which most is waited, all numbers. See page.h. */
#include <stdio.h>

#include "decode/base/mem.h"
#include "layout/cells/fmt.h"
#include "layout/cells/lines.h"
#include "layout/views/page.h"

enum { BUSIEST = 16, LITTLE = 20, PLACES = 12, NARROW = 40 };

/* The goroutines of the program that ran for longest, longest first, without those that ran for little beside
 * the first; how many. */
static int busiest(const struct triage *tg, uint32_t lane[BUSIEST], int most)
{
    int64_t ns[BUSIEST];
    int n = 0;
    int64_t least = 1;
    for (uint32_t i = gstats_next_with(tg->g, 0, GM_EXEC, least); i != NO_LANE;
         i = gstats_next_with(tg->g, i + 1, GM_EXEC, least)) {
        if (tg->groups[gstat_group(tg->g, i)].is_system)
            continue;
        const int64_t ran = gstat_ns(tg->g, i, GM_EXEC);
        int at = n < most ? n++ : n - 1;
        for (; at > 0 && ns[at - 1] < ran; at--) {
            ns[at] = ns[at - 1];
            lane[at] = lane[at - 1];
        }
        ns[at] = ran;
        lane[at] = i;
        least = n == most ? ns[n - 1] + 1 : 1;
    }
    while (n > 1 && ns[n - 1] < ns[0] / LITTLE)
        n--;
    return n;
}

int page_busiest(struct grid *g, const struct view *v, struct box b)
{
    uint32_t lane[BUSIEST];
    const int most = b.h < BUSIEST ? b.h : BUSIEST;
    if (most < 1 || page_axis(b).w < 8)
        return 0;
    const int n = busiest(v->tri->tg, lane, most);
    for (int i = 0; i < n; i++)
        page_lane(g, v, i ? "" : "ran most", lane[i], (struct box){b.x, b.y + i, b.w, 1});
    return n;
}

/* "lock in main.(*ledger).append", as a tree says it. */
static void place_words(struct text *t, const struct trace *tr, const struct wait_row *r)
{
    const uint32_t user =
        trace_stack(tr, r->stack) ? trace_frame(tr, r->stack, stacks_user_frame(tr, r->stack)).func : 0;
    if (r->kind == WK_OTHER)
        text_wait(t, tr, r->reason, r->stack);
    else
        text_add(t, "%s", stacks_wait_name(tr, r->kind, r->stack));
    if (user) {
        text_lit(t, " in ");
        text_func(t, tr, user, 0);
    }
}

static void place_line(struct grid *g, const struct view *v, const struct wait_row *r, struct box b)
{
    enum { TIME = 8, BAR = 10 };
    char d[FMT_MAX], buf[600];
    struct text t = {.ticks = when_ticks(v->tr)};
    tri_cell(g, b.x, b.y, TIME, STYLE_NORMAL, tri_dur(v->tr, r->total, d));
    int x = b.x + TIME + 1;
    glyph_bar(g, v->scr.tier, x, b.y, BAR, (uint64_t)r->total, (uint64_t)v->tri->tg->waits[0].total,
              STYLE_WAITING);
    x += BAR + 1;
    place_words(&t, v->tr, r);
    str_where(str_of(t.p ? t.p : ""), b.x + b.w - x, glyph_dots(v->scr.tier), buf, sizeof buf);
    grid_str(g, x, b.y, b.x + b.w - x, buf, STYLE_NORMAL);
    text_free(&t);
}

int page_places(struct grid *g, const struct view *v, struct box b)
{
    const struct triage *tg = v->tri->tg;
    int n = 0;
    if (b.h < 2 || b.w < NARROW || !tg->nwaits || tg->waits[0].total <= 0)
        return 0;
    grid_str(g, b.x, b.y, b.w, "  waited  where goroutines wait, all together", STYLE_RULER);
    while (n < PLACES && n + 1 < b.h && (uint32_t)n < tg->nwaits && tg->waits[n].total > 0) {
        place_line(g, v, &tg->waits[n], (struct box){b.x, b.y + 1 + n, b.w, 1});
        n++;
    }
    return 1 + n;
}

int page_all(struct grid *g, const struct view *v, struct box b)
{
    struct lines *all = b.w < NARROW ? NULL : lines_new("");
    int n = 0;
    if (all)
        page_read_numbers(v, all, b.w);
    for (; all && n < b.h && (size_t)n < all->n; n++)
        grid_str(g, b.x, b.y + n, b.w, all->line[n], STYLE_DIM);
    lines_free(all);
    return n;
}
