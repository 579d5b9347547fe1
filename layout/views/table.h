/*
 * table.h - views that are tables of things with a start and an end (GC cycles, stops, tasks, system calls
 * ..), or of types of such things (by name, reason, place). A provider (struct table_from) finds the things
 * and describes one. This file has what all tables share: sorting by any column, a filter, the distribution
 * of a column and its course over time, going from a type to its things and from a thing to its place in the
 * lanes, export as TSV.
 *
 * A table that must be found anew, since the trace grew or the moment that it is of moved, shows its old rows
 * until the new ones are there; the cursor stays with its row.
 *
 * If there are too many things, only the longest are listed, but all are counted. Finding and sorting run
 * in slices (slices.h) from view_work().
 */
#ifndef GOTOP_LAYOUT_TABLE_H
#define GOTOP_LAYOUT_TABLE_H

#include "layout/cells/spectrum.h"
#include "decode/model/item.h"
#include "layout/views/tri.h"
#include "triage/text.h"
#include "triage/tables/tab.h"

struct thing {
    int64_t t0, t1;
    uint32_t g;     /* goroutine, NO_LANE: none */
    uint32_t index; /* for the provider: index in the model's array */
    uint32_t type;  /* in table.type */
    bool open;      /* its start or end is not in the trace */
    bool untimed;   /* open, and its duration is unknown; [t0,t1) is where it shows */
};

struct ttype {     /* of things */
    uint64_t a, b; /* the provider's key */
    uint64_t n, open, untimed;
    int64_t total, max; /* of things with a known duration */
    /* quantiles of things with both ends; nearest rank, or within 1.6 % if not all are listed; -1: unknown */
    int64_t p50, p90, p99;
    struct hist *lengths; /* used while finding, once not all fit the list */
    uint32_t first, kept; /* in table.thing */
    uint32_t longest;     /* in table.thing */
};

/* TCOL_MEAN is a number in millionths. TCOL_TEXT has text of the provider's, ordered by it and aligned to the
 * left; TCOL_CELL is ordered by `type_value`, and aligned to the right as numbers are. */
enum tcol_kind {
    TCOL_DUR,
    TCOL_TIME,
    TCOL_COUNT,
    TCOL_BYTES,
    TCOL_SHARE,
    TCOL_MEAN,
    TCOL_TEXT,
    TCOL_CELL,
    TCOL_NAME
};
enum { SHARE_WHOLE = 1000000 }; /* the whole, for TCOL_SHARE */
struct tcol {
    const char *head, *what;
    enum tcol_kind kind;
    int w;          /* width, leading blanks included */
    enum style bar; /* style of a row's bar when sorted by this column; 0: the table's */
};
/* Values of durations: -1: none; TABLE_UNTIMED: unknown; less: several, all unknown; sorts by their
 * number. */
enum { TABLE_UNTIMED = -2 };
enum { THING_TOOK, THING_AT, THING_OWN }; /* columns of things: these, the provider's, then the name */
enum { TYPE_COUNT, TYPE_TOTAL, TYPE_P50, TYPE_P99, TYPE_MAX, TYPE_NAME };
enum { TABLE_THINGS = 1 << 20, TABLE_HISTS = 512, TABLE_FILTER = 128, TABLE_TYPES = UINT32_MAX };

struct table;
struct table_from {
    const char *thing, *things, *types; /* "GC cycle", "GC cycles"; "kinds of stops", NULL: it has none */
    const char *none;                   /* the text for an empty table */
    const struct tcol *col;             /* the provider's columns */
    int ncols;
    enum style bar; /* style of a row's bar; 0: that of running */
    bool counted;   /* needs triage's tables (table.tg) */
    int first;      /* the initial sort column of things */
    /* link - what stands between the two ends of a name, " <- ": each end has a column of its own, ends[] are
     * their titles. NULL: names have one end. */
    const char *link, *ends[2];
    bool early;    /* its rows are found while the trace loads, too */
    bool nameless; /* rows have columns only; behind the last one the order is that in which they came */
    /* type_col - columns of types, instead of count, total, p50, p99, longest (NULL); type_first is the
     * initial sort column. Types with columns of their own have no spectrum, as their values are sums over
     * things. */
    const struct tcol *type_col;
    int ntype_cols, type_first;
    /* take - called first: may set table.own, type_col and ntype_cols by the view's state. Returns false when
     * out of memory. NULL: not needed. */
    bool (*take)(struct table *t, struct view *v);
    /* asks - the interval and moment that the rows are of; its columns stay even if they are empty. NULL: the
     * rows are of the whole trace. */
    void (*asks)(const struct view *v, int64_t *t0, int64_t *t1, int64_t *at);
    /* above - the number of its own lines above the column names; head draws them. NULL: the usual ones. */
    int (*above)(const struct view *v, int rows);
    void (*head)(struct grid *g, struct view *v, int y, int n);
    /* list - calls table_add() for all things, and slices_tick() where skipping takes long. Returns false
     * if one of them did. */
    bool (*list)(struct table *t);
    enum item_kind item;            /* for table_items() */
    const struct spans_from *spans; /* for table_spans() */
    void (*drop)(void *own);        /* frees table.own; NULL: it isn't the table's */
    /* col: from 0, in the provider's columns */
    int64_t (*value)(const struct table *t, const struct thing *x, int col);
    void (*name)(struct text *out, const struct table *t, const struct thing *x); /* NULL: its goroutine's */
    void (*type_name)(struct text *out, const struct table *t, const struct ttype *k);
    int64_t (*type_value)(const struct table *t, const struct ttype *k, int col); /* col: in type_col */
    void (*type_cell)(struct text *out, const struct table *t, const struct ttype *k, int col);
    /* type_note - what stands behind a name where there is room. NULL: nothing. */
    void (*type_note)(struct text *out, const struct table *t, const struct ttype *k);
    /* type_say - lines 0 and 1 about a type; NULL: its name and quantiles, and its longest thing. */
    void (*type_say)(struct text *out, const struct view *v, const struct ttype *k, int line);
    void (*say)(struct text *out, const struct view *v, const struct thing *x);
    /* lane - the lane that shows the thing; NULL: its goroutine's, or where it has none the processor that
     * was viewed last */
    struct lane (*lane)(const struct table *t, const struct thing *x);
    /* moment - adjusts the interval to show; initially that of the thing. NULL: keeps it */
    void (*moment)(const struct view *v, const struct thing *x, int64_t *t0, int64_t *t1);
};

struct table_order { /* which rows show, in which order */
    int sort;        /* column */
    bool invert;
    uint32_t open; /* the type whose things are shown; TABLE_TYPES: types are shown */
    bool windowed; /* only what overlaps `win` */
    struct window win;
    char filter[TABLE_FILTER];
};

struct table {
    struct view *view;
    const struct trace *tr;
    const struct table_from *from;
    const struct triage *tg;   /* NULL: not ready, or not needed */
    const struct works *works; /* with tg */
    uint32_t epoch;            /* epoch and end of the trace when the things were found */
    int64_t end, t0, t1, at;   /* and what they are of, see `asks` */

    struct thing *thing; /* ordered by type, then as found */
    uint32_t n;
    size_t cap;
    uint64_t all;  /* number of things found */
    int64_t least; /* shorter things are not listed */
    struct ttype *type;
    uint32_t ntypes;
    size_t types_cap;
    struct tab map;
    struct hist *lengths; /* of listed things, while finding */
    uint32_t hists;       /* number of types with a histogram of their own */
    bool shed;
    bool listed, failed;
    bool cut;  /* set by `take`: there are more rows than it takes */
    void *own; /* the provider's; NULL: none */
    const struct tcol *type_col;
    int ntype_cols; /* as in `from`, or set by its `take` */

    struct table_order want, have; /* `have` is the order of row */
    uint32_t *row;                 /* index in thing or type */
    int64_t *sorted;               /* sort key of each row */
    uint32_t nrows;
    uint64_t made;  /* counts completed orders */
    uint64_t empty; /* bit set of columns without any value; only for types */
    struct slices *job;
    struct spectrum spectrum;
};

/* table_type - the number of the type with that key; TAB_NONE: out of memory. */
uint32_t table_type(struct table *t, uint64_t a, uint64_t b);
/* table_add - adds a thing of a type, table_type(); called by `list`. Returns false when out of memory or
 * cancelled (slices_tick()). */
bool table_add(struct table *t, uint32_t type, struct thing x);
/* table_items - for `list`: adds all items of the kind `item`; an item's type, if there are any, is its
 * name. */
bool table_items(struct table *t);
void table_free(struct table *t); /* NULL is allowed */
/* table_stop - ends all work on tables, as what they read is about to go. */
void table_stop(struct view *v);
/* table_forget - drops the rows of a view; they are found again, in the initial order. */
void table_forget(struct view *v, int view);

/* Members of such a view's object, see kind.h. */
bool table_ready(const struct view *v);
unsigned table_open(struct view *v, int no);
void table_draw(struct grid *g, struct view *v, const struct plan *p);
unsigned table_sort(struct view *v, int n);
unsigned table_invert(struct view *v, int n);
unsigned table_here(struct view *v, int n);
unsigned table_back(struct view *v, int n);
const char *table_back_word(const struct view *v);
bool table_pending(const struct view *v);
unsigned table_work(struct view *v, int64_t budget_ns);
unsigned table_find(struct view *v, const char *text);
/* table_tsv - writes the column names and the first KIND_COPIED rows, for view_yank(). Returns false if there
 * is no row. */
bool table_tsv(const struct view *v, struct text *to);
uint32_t table_rows(const struct view *v);
void table_detail(struct text *out, const struct view *v, uint32_t row, int line);
unsigned table_enter(struct view *v);
bool table_about_row(const struct view *v, uint32_t *g, int64_t *t0, int64_t *t1);

/* For drawing. */
/* order: `have`, or that which is being made. row: index in thing or type, depending on it */
int table_cols(const struct table *t, const struct table_order *o); /* the name included */
struct tcol table_col(const struct table *t, const struct table_order *o, int c);
bool table_down(const struct table *t, const struct table_order *o); /* whether the largest comes first */
int64_t table_value(const struct table *t, const struct table_order *o, uint32_t row, int col);
void table_name(struct text *out, const struct table *t, const struct table_order *o, uint32_t row);
/* false: it is a number */
bool table_cell(struct text *out, const struct table *t, const struct table_order *o, uint32_t row, int col);
const struct thing *table_thing(const struct table *t, uint32_t row); /* for a type: its longest thing */
/* In table_draw.c: the head (the spectrum, a line about the rows, the column names) and a row. */
int table_head_lines(const struct view *v, int rows);
void table_head(struct grid *g, struct view *v, int y, int n);
unsigned table_titled(struct view *v, int x);
void table_row(struct grid *g, struct view *v, uint32_t row, int y, bool focus);

/* TABLE_ROWS - members of a view whose rows are those of a provider. IS_THINGS - of one that is a table of
 * things and nothing else. */
#define TABLE_ROWS(provider) \
    TIMELESS_PLAN, .things = provider, .status_most = tri_status_most, .rows = table_rows, .row = table_row, \
                   .head = table_head, .head_lines = table_head_lines, .titled = table_titled, \
                   .detail = table_detail, .about = table_about_row, .ready = table_ready, \
                   .touch = tri_touch, .speak = tri_speak, .where = tri_where, .find = table_find, \
                   .tsv = table_tsv, .back_word = table_back_word
#define ANSWER_TABLE \
    ANSWER_ROWS, [REQ_CAUSE] = tri_cause, [REQ_SORT] = table_sort, [REQ_INVERT] = table_invert, \
                 [REQ_HERE] = table_here, [REQ_BACK] = table_back
#define IS_THINGS(provider) \
    TABLE_ROWS(provider), \
        .enter = table_enter, .open = table_open, .draw = table_draw, .pending = table_pending, \
        .work = table_work, .refuse = "Enter opens the lanes first", \
        .answer = {ANSWER_TABLE, ANSWER_SIDE(table_sort)}, .refusal = {REFUSE_ZOOM, REFUSE_SELECT}, \
        .word = { \
            ANSWER_SIDE("column"), [REQ_SORT] = NULL, [REQ_DETAILS] = "open", [REQ_HERE] = "window only"}

/* table_name_string - the name of a type whose key `a` is a string number, as in most tables. */
void table_name_string(struct text *out, const struct table *t, const struct ttype *k);

/* ---- shared by table.c (life and keys), table_find.c (the things) and table_rows.c (the rows) ---- */

/* table_list - finds all things, in slices. Returns false if out of memory or cancelled.
 * table_forget_lengths - frees the histograms that are used while finding. */
bool table_list(struct table *t);
void table_forget_lengths(struct table *t);

/* table_shows_types - whether an order shows types, not things. */
bool table_shows_types(const struct table_order *o);
/* table_by_text - whether such columns are sorted by their letters, from the first on. */
bool table_by_text(enum tcol_kind k);
/* table_order_rows - makes the rows of t->want, which becomes t->have. Returns false if out of memory or
 * cancelled. */
bool table_order_rows(struct table *t);

#endif
