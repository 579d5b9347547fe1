/*
 * kind.c - the views by number, and how a key becomes a request to the view that is shown.
 */
#include "layout/move/kind.h"

#include <string.h>
#include <strings.h>

#include "decode/model/item.h"
#include "layout/move/lanes.h"
#include "layout/move/move.h"
#include "layout/views/evlog.h"
#include "layout/views/tri.h"

static const struct view_kind *const kinds[VIEW_END] = {
#define X(ID, name, object, key) [VIEW_##ID] = &kind_##object,
#include "triage/views.def"
#undef X
};
static const struct {
    const char *name;
    int key;
} rows[VIEW_END] = {
#define X(ID, name, object, key) [VIEW_##ID] = {name, VIEW_##key},
#include "triage/views.def"
#undef X
};

const struct view_kind *kind_of(int view)
{
    return view > VIEW_NONE && view < VIEW_END ? kinds[view] : &kind_procs;
}

const char *kind_name(int view)
{
    return view > VIEW_NONE && view < VIEW_END ? rows[view].name : "?";
}

int kind_key(int view)
{
    return view > VIEW_NONE && view < VIEW_END ? rows[view].key : VIEW_NONE;
}

int kind_next(const struct view *v)
{
    int key = kind_key(v->at.view);
    for (int no = v->at.view + 1; no < VIEW_END; no++)
        if (no != key && rows[no].key == key && (!kinds[no]->has || kinds[no]->has(v)))
            return no;
    return key;
}

int kind_before(const struct view *v)
{
    int key = kind_key(v->at.view), from = v->at.view == key ? VIEW_END : v->at.view;
    if (kind_here(v)->has) /* a view that is not always there leads back */
        return kind_next(v);
    for (int no = from - 1; no > VIEW_NONE; no--)
        if (no != key && rows[no].key == key && (!kinds[no]->has || kinds[no]->has(v)))
            return no;
    return key;
}

int kind_find(const char *name, size_t len)
{
    for (int no = VIEW_NONE + 1; no < VIEW_END; no++)
        if (strlen(rows[no].name) == len && !strncasecmp(rows[no].name, name, len))
            return no;
    return len == 5 && !strncasecmp("lanes", name, len) ? VIEW_PROCS : VIEW_NONE; /* in words of footers */
}

const struct view_kind *kind_here(const struct view *v)
{
    return kind_of(v->at.view);
}

/* Actions on rows are offered only where there are rows. */
static bool needs_rows(const struct view_kind *k, enum request d)
{
    switch (d) {
    case REQ_LANE:
    case REQ_LANE_PAGE:
    case REQ_FIRST:
    case REQ_LAST:
    case REQ_SPAN:
    case REQ_FIT:
    case REQ_SWAP:
    case REQ_SORT:
    case REQ_INVERT:
    case REQ_DETAILS: return true;
    case REQ_PAN:
    case REQ_CURSOR:
    case REQ_PAGE:
    case REQ_START:
    case REQ_END:
    case REQ_SELECT: return k->table && k->rows; /* else these are moves in time */
    default: return false;
    }
}

/* A page, the first and the last row are moves by so many rows. A view answers one request for all of
 * these, unless it says otherwise. In tables, which have no time axis, moves in time mean the same. */
static enum request rows_asked(const struct view *v, enum request d, int *n)
{
    const struct view_kind *k = kind_here(v);
    const int page = v->scr.rows > 1 ? v->scr.rows - 1 : 1;
    *n = move_times(*n);
    if (k->answer[d] || (!k->table && (d == REQ_PAGE || d == REQ_START || d == REQ_END)))
        return d;
    switch (d) {
    case REQ_PAGE:
    case REQ_LANE_PAGE: *n *= page; return REQ_LANE;
    case REQ_FIRST:
    case REQ_START: *n = -REQ_FAR; return REQ_LANE;
    case REQ_LAST:
    case REQ_END: *n = REQ_FAR; return REQ_LANE;
    default: return d;
    }
}

bool view_answers(const struct view *v, enum request d)
{
    const struct view_kind *k = kind_here(v);
    int n = 1;
    return k->answer[rows_asked(v, d, &n)] && !(needs_rows(k, d) && k->rows && !tri_rows(v));
}

/* What moves over rows scrolls a pop-up. Returns false when it is no such request. */
static bool scroll(struct view *v, enum request d, int n, unsigned *f)
{
    enum { FAR = 1 << 20 };
    const struct popup *p = &v->popup;
    const int page = p->rows > 1 ? p->rows - 1 : 1;
    if (d == REQ_PAGE && p->kind == POPUP_SPAN && p->lines <= p->rows)
        return false; /* vi's C-f, Emacs's C-v: for texts, and for a span's stacks that have more lines */
    const int by = d == REQ_LANE                         ? n
                   : d == REQ_LANE_PAGE || d == REQ_PAGE ? move_times(n) * page
                   : d == REQ_FIRST || d == REQ_START    ? -FAR
                   : d == REQ_LAST || d == REQ_END       ? FAR
                                                         : 0;
    if (by)
        *f = view_popup_scroll(v, by);
    return by != 0;
}

unsigned view_do(struct view *v, enum request d, int n)
{
    const struct view_kind *k = kind_here(v);
    unsigned f;
    if (v->popup.kind && scroll(v, d, n, &f))
        return f;
    d = rows_asked(v, d, &n);
    if (!k->answer[d])
        return d == REQ_BACK ? VR_QUIT : move_fail(v, "%s", k->refusal[d] ? k->refusal[d] : k->refuse);
    const bool sorts = k->things && v->tri && !v->tri->trouble && (d == REQ_SORT || d == REQ_INVERT);
    if (k->table && !sorts && (f = tri_hold(v)) != VR_NONE)
        return d == REQ_BACK ? VR_QUIT : f;
    return k->answer[d](v, n);
}

/* ---- rows as drawn, under a pointer -------------------------------------------------------------------- */

void kind_listed(struct view *v, uint32_t row, int y, int lines)
{
    struct listed *l = &v->scr.listed;
    if (l->n == VIEW_LISTED)
        return;
    l->row[l->n] = row;
    l->y[l->n++] = y;
    l->y[l->n] = y + lines;
}

int kind_row_y(const struct view *v, uint32_t row)
{
    const struct listed *l = &v->scr.listed;
    const int i = (int)find_first(k, (unsigned)l->n, l->row[k] == row);
    return i < l->n ? l->y[i] : -1;
}

bool view_listed(const struct view *v, int y, int64_t *by)
{
    const struct listed *l = &v->scr.listed;
    const struct lanes *lanes = move_lanes_const(v);
    const int64_t now = lanes                    ? lanes_row(lanes, v->at.focus.i)
                        : v->at.view != VIEW_LOG ? v->at.row
                        : v->cache.log           ? (int64_t)v->cache.log->cur
                                                 : 0;
    for (int i = 0; i < l->n; i++)
        if (y >= l->y[i] && y < l->y[i + 1]) {
            *by = (int64_t)l->row[i] - now;
            return true;
        }
    return false;
}

void kind_show(struct view *v, uint32_t g, int64_t t)
{
    if (kind_here(v)->show)
        kind_here(v)->show(v, g, t);
    else
        move_lane(v, lane_g(g));
}

/* ---- coming and going ---------------------------------------------------------------------------------- */

unsigned view_enter(struct view *v)
{
    if (v->popup.kind) {
        v->popup.kind = POPUP_NONE;
        return VR_DRAW;
    }
    const struct place from = v->at;
    const unsigned f = view_do(v, REQ_DETAILS, 0);
    kind_leads(v, &from);
    return f;
}

void kind_leads(struct view *v, const struct place *from)
{
    v->trail.led |= kind_of(from->view)->table && !kind_here(v)->table;
}

/* Returns the steps back to the last place in a table, or in a view that lies over none; 0: there is none. */
static int steps_back(const struct view *v, bool table)
{
    for (int i = 1; i <= v->trail.n; i++) {
        const struct view_kind *k = kind_of(v->trail.undo[(v->trail.at + VIEW_UNDO - i) % VIEW_UNDO].view);
        if (table ? k->table : !k->over)
            return i;
    }
    return 0;
}

const char *kind_led(const struct view *v)
{
    const int i = v->trail.led && !kind_here(v)->table ? steps_back(v, true) : 0;
    return i ? kind_name(v->trail.undo[(v->trail.at + VIEW_UNDO - i) % VIEW_UNDO].view) : NULL;
}

unsigned kind_return(struct view *v)
{
    const int i = steps_back(v, true);
    v->trail.led = false;
    return view_undo(v, i); /* what is undone can be redone */
}

int kind_under(const struct view *v)
{
    return kind_here(v)->over ? steps_back(v, false) : 0;
}

static bool kind_empty(const struct view *v, unsigned needs)
{
    bool any = !needs || !trace_info(v->tr)->done;
    for (int k = 0; k < ITEM_KINDS && !any; k++)
        any = needs >> k & 1 && item_count(v->tr, (enum item_kind)k);
    return !any;
}

int kind_opens(const struct view *v, int key)
{
    for (int no = key; no < VIEW_END; no++)
        if (rows[no].key == key && (!kinds[no]->has || kinds[no]->has(v)) && !kind_empty(v, kinds[no]->needs))
            return no;
    return key;
}

unsigned view_switch(struct view *v, int no)
{
    if (no <= VIEW_NONE || no >= VIEW_END)
        return move_fail(v, "there is no view %d", no);
    if (no == kind_key(v->at.view)) /* the key again: the next view that it leads to */
        no = kind_next(v);
    else if (no == kind_key(no))
        no = kind_opens(v, no);
    return view_show(v, no);
}

unsigned view_show(struct view *v, int no)
{
    v->trail.led = false;
    return no == v->at.view ? VR_NONE : kind_of(no)->open(v, no);
}
