/*
 * table.h - views that are tables of things with a beginning and an end (GC cycles, stops, tasks, system
 * calls ..), or of the kinds of such things. A kind's file says how the things are found and what is said of
 * one (struct table_from); here is what all tables have in common: order by any column, a filter, the
 * distribution of a column and how it went over time, the way from a kind to its things and from a thing to
 * its place in the lanes, all of it as TSV.
 *
 * Of very many things the longest are listed; all are counted. Finding and ordering them runs in slices
 * (slices.h), so view_work() goes on with it.
 */
#ifndef GOTOP_LAYOUT_TABLE_H
#define GOTOP_LAYOUT_TABLE_H

#include <stdio.h>

#include "layout/cells/spectrum.h"
#include "layout/views/tri_priv.h"
#include "triage/tables/tab.h"

struct thing {
    int64_t t0, t1;
    uint32_t g;     /* goroutine, NO_LANE: none */
    uint32_t index; /* the provider's: in the model's array */
    uint32_t type;  /* in table.type */
    bool open;      /* its beginning or end is not in the trace */
    bool untimed;   /* open, and how long it took is not known at all; [t0,t1) is where it stands */
};

struct ttype {     /* things of one kind */
    uint64_t a, b; /* the provider's key */
    uint64_t n, open, untimed;
    int64_t total, max; /* of those that are timed */
    int64_t p50, p90,
        p99; /* of those with both ends; nearest rank, or within 1.6 % if not all are listed; -1: unknown */
    struct hist *lengths; /* while they are being found, once not all can be listed */
    uint32_t first, kept; /* in table.thing */
    uint32_t longest;     /* in table.thing */
};

enum tcol_kind { TCOL_DUR, TCOL_TIME, TCOL_COUNT, TCOL_BYTES, TCOL_SHARE, TCOL_NAME };
enum { SHARE_WHOLE = 1000000 }; /* of TCOL_SHARE */
struct tcol {
    const char *head, *what;
    enum tcol_kind kind;
    int w;          /* columns it takes, blanks before it included */
    enum style bar; /* of what a row's bar is made when rows are sorted by it; 0: the table's */
};
/*
 * A duration's value: -1 there is none; TABLE_UNTIMED not known; less than that: of several, none known, the
 * more the greater.
 */
enum { TABLE_UNTIMED = -2 };
enum { THING_TOOK, THING_AT, THING_OWN }; /* columns of things; behind them the provider's, then the name */
enum { TYPE_COUNT, TYPE_TOTAL, TYPE_P50, TYPE_P99, TYPE_MAX, TYPE_NAME };
enum { TABLE_THINGS = 1 << 20, TABLE_HISTS = 512, TABLE_FILTER = 128, TABLE_TYPES = UINT32_MAX };

struct table;
struct table_from {
    const char *thing, *things, *types; /* "GC cycle", "GC cycles"; "kinds of stops", NULL: it has none */
    const char *none;                   /* what is said where there is nothing */
    const struct tcol *col;             /* its own columns */
    int ncols;
    enum style bar; /* of what a row's bar is made; 0: of what runs */
    bool counted;   /* found in triage's tables: table.tg is there */
    int first;      /* the column things are sorted by at first */
    int name_least; /* columns that names need before numbers have more; 0: as many as usual */
    /* type_col - columns of its kinds instead of count, total, p50, p99, longest (NULL), and which is the
     * first to sort by. Its kinds have no spectrum above them then: a value of several is none of theirs. */
    const struct tcol *type_col;
    int ntype_cols, type_first;
    /*
     * list - table_add() all there are, and slices_tick() where what is passed over takes long. false: one of
     * them said so.
     */
    bool (*list)(struct table *t);
    void (*drop)(void *own); /* frees what it put into table.own */
    int64_t (*value)(const struct table *t, const struct thing *x, int col); /* of its own columns, 0.. */
    void (*name)(struct text *out, const struct table *t, const struct thing *x);
    void (*type_name)(struct text *out, const struct table *t, const struct ttype *k);
    int64_t (*type_value)(const struct table *t, const struct ttype *k, int col); /* of type_col */
    /* type_say - lines 0 and 1 about a kind; NULL: its name and quantiles, and its longest thing. type_lists
     * - is line 1 a list, the most telling items first? NULL: never */
    void (*type_say)(struct text *out, const struct view *v, const struct ttype *k, int line);
    bool (*type_lists)(const struct table *t, const struct ttype *k);
    void (*say)(struct text *out, const struct view *v, const struct thing *x);
    /* lane - where to look at it; NULL: at its goroutine */
    struct lane (*lane)(const struct table *t, const struct thing *x);
    /* moment - and when: *t0, *t1 are its own before; NULL: then */
    void (*moment)(const struct view *v, const struct thing *x, int64_t *t0, int64_t *t1);
};

struct table_order { /* which rows, in which order */
    int sort;        /* column */
    bool invert;
    uint32_t open; /* the kind whose things these are; TABLE_TYPES: the kinds */
    bool windowed; /* only what overlaps win */
    struct window win;
    char filter[TABLE_FILTER];
};

struct table {
    const struct trace *tr;
    const struct table_from *from;
    const struct triage *tg; /* NULL: not there, or not needed */
    uint32_t epoch;          /* of the trace, and where it ended, as these were found */
    int64_t end;

    struct thing *thing; /* by kind, then as found */
    uint32_t n;
    size_t cap;
    uint64_t all;  /* how many there were */
    int64_t least; /* shorter ones are not listed */
    struct ttype *type;
    uint32_t ntypes;
    size_t types_cap;
    struct tab map;
    struct hist *lengths; /* of those listed, while they are being found */
    uint32_t hists;       /* kinds that have one of their own */
    bool shed;
    bool listed, failed;
    void *own; /* the provider's, of what it found; NULL: nothing */

    struct table_order want, have; /* `have` is that of row */
    uint32_t *row;                 /* in thing or type */
    int64_t *sorted;               /* what each is sorted by */
    uint32_t nrows;
    uint64_t made;  /* counts the orders that were made */
    uint64_t empty; /* columns, as bits, of which no kind has a value: only those of kinds */
    struct slices *job;
    struct spectrum spectrum;

    int8_t sort[VIEW_END][2]; /* 1 + column, per view and level; 0: its first */
    bool invert[VIEW_END][2];
    uint32_t type_row, type_top; /* where the cursor was among the kinds */
};

/*
 * table_add - for `list`: one more, of the kind with this key. false: out of memory, or it is no longer
 * wanted (slices_tick()).
 */
bool table_add(struct table *t, uint64_t a, uint64_t b, struct thing x);
/* table_type - that kind's number; TAB_NONE: out of memory. */
uint32_t table_type(struct table *t, uint64_t a, uint64_t b);
void table_free(struct table *t);

/* The object of such a view, see kind.h. */
bool table_ready(const struct view *v);
const struct table_from *table_of(const struct view *v);
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
/* table_copy - view_yank() of all rows, as TSV, as a job (move.h); VR_NONE: there is none. Behind VR_YANK the
 * text is v->job.copied. */
unsigned table_copy(struct view *v);
uint32_t table_rows(const struct view *v);
void table_detail(struct text *out, const struct view *v, uint32_t row, int line);
bool table_lists(const struct view *v, uint32_t row);
unsigned table_enter(struct view *v);
bool table_about_row(const struct view *v, uint32_t *g, int64_t *t0, int64_t *t1);

/* For the drawing of it. */
int table_cols(const struct table *t);
struct tcol table_col(const struct table *t, int c);
bool table_down(const struct table *t);                            /* the largest first */
int64_t table_value(const struct table *t, uint32_t row, int col); /* row: in thing or type, as `have` says */
void table_name(struct text *out, const struct table *t, uint32_t row);
const struct thing *table_thing(const struct table *t, uint32_t row); /* of a kind: its longest */
/* In table_draw.c: above the rows their spectrum, a line about what they are,
 * the columns' names; and a row. */
int table_head_lines(const struct view *v, int rows);
void table_head(struct grid *g, struct view *v, int y, int n);
unsigned table_titled(struct view *v, int x);
void table_row(struct grid *g, struct view *v, uint32_t row, int y, bool focus);

#define IS_THINGS(provider) \
    TIMELESS_PLAN, \
        .things = provider, .status_most = tri_status_most, .rows = table_rows, .row = table_row, \
        .head = table_head, .head_lines = table_head_lines, .titled = table_titled, .detail = table_detail, \
        .lists = table_lists, .enter = table_enter, .about = table_about_row, .ready = table_ready, \
        .open = table_open, .draw = table_draw, .touch = tri_touch, .speak = tri_speak, .where = tri_where, \
        .pending = table_pending, .work = table_work, .find = table_find, .copy = table_copy, \
        .back_word = table_back_word, .refuse = "Enter opens the lanes first", \
        .answer = {ANSWER_ROWS, \
                   ANSWER_SIDE(table_sort), \
                   [REQ_CAUSE] = tri_cause, \
                   [REQ_SORT] = table_sort, \
                   [REQ_INVERT] = table_invert, \
                   [REQ_HERE] = table_here, \
                   [REQ_BACK] = table_back}, \
        .refusal = {REFUSE_ZOOM, REFUSE_SELECT}, \
        .word = { \
            ANSWER_SIDE("column"), [REQ_SORT] = NULL, [REQ_DETAILS] = "open", [REQ_HERE] = "window only"}

/* table_name_string - a kind whose name is the string its number a stands for; most are. */
void table_name_string(struct text *out, const struct table *t, const struct ttype *k);

#endif
