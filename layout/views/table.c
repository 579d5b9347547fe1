/*
 * table.c - see table.h. One job finds the things (once) and sorts the wanted rows; the old rows stay until
 * it is done. What is found anew is a table of its own meanwhile. A job runs only while view_work() waits for
 * it, so its data needs no lock.
 */
#include "layout/views/table.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"
#include "triage/query/goto.h"
#include "triage/query/match.h"

enum { AT_ONCE_NS = 30 * 1000 * 1000, LOADING_NS = 2 * 1000 * 1000, WORDS = 6, LETTERS = 32 };

/* ---- finding the things -------------------------------------------------------------------------------- */

/* Gives a kind its own histogram, so that quantiles include things that are not listed. */
static void count_own_lengths(struct table *t, struct ttype *k)
{
    if (t->hists < TABLE_HISTS && (k->lengths = mem_zalloc(sizeof *k->lengths)))
        t->hists++;
}

uint32_t table_type(struct table *t, uint64_t a, uint64_t b)
{
    uint32_t at = tab_put(&t->map, a, b, t->ntypes);
    if (at != t->ntypes)
        return at;
    struct ttype *p = mem_grow(t->type, &t->types_cap, (size_t)t->ntypes + 1, sizeof *p);
    if (!p)
        return TAB_NONE;
    t->type = p;
    p[t->ntypes] = (struct ttype){.a = a, .b = b, .p50 = -1, .p90 = -1, .p99 = -1};
    if (t->shed)
        count_own_lengths(t, &p[t->ntypes]);
    return t->ntypes++;
}

/* Before things are dropped for the first time: all are still listed, so count them. */
static void first_shed(struct table *t)
{
    for (uint32_t i = 0; i < t->ntypes; i++)
        count_own_lengths(t, &t->type[i]);
    for (uint32_t i = 0; i < t->n; i++) {
        const struct thing *x = &t->thing[i];
        if (t->type[x->type].lengths && !x->open)
            hist_add(t->type[x->type].lengths, x->t1 - x->t0);
    }
    t->shed = true;
}

/* The list is full: drops the shorter half. */
static void table_shed(struct table *t)
{
    if (!t->shed)
        first_shed(t);
    int64_t half = hist_quantile(t->lengths, 0.5), least = half > t->least ? half : t->least + 1;
    uint32_t n = 0;
    memset(t->lengths, 0, sizeof *t->lengths);
    for (uint32_t i = 0; i < t->n; i++) {
        struct thing x = t->thing[i];
        if (x.t1 - x.t0 < least)
            continue;
        hist_add(t->lengths, x.t1 - x.t0);
        t->thing[n++] = x;
    }
    t->n = n;
    t->least = least;
}

bool table_add(struct table *t, uint64_t a, uint64_t b, struct thing x)
{
    x.type = table_type(t, a, b);
    if (x.type == TAB_NONE || (t->all % 64 == 0 && !slices_tick()))
        return false;
    x.t1 = x.t1 < x.t0 ? x.t0 : x.t1;
    if (x.t1 - x.t0 < 0)
        x.t1 = x.t0;
    struct ttype *k = &t->type[x.type];
    int64_t d = x.t1 - x.t0;
    t->all++;
    k->n++;
    k->open += x.open;
    k->untimed += x.untimed;
    if (!x.untimed) {
        k->total = ns_add(k->total, d);
        k->max = d > k->max ? d : k->max;
    }
    if (k->lengths && !x.open)
        hist_add(k->lengths, d);
    if (d < t->least)
        return true;
    struct thing *p = mem_grow(t->thing, &t->cap, (size_t)t->n + 1, sizeof *p);
    if (!p)
        return false;
    t->thing = p;
    p[t->n++] = x;
    hist_add(t->lengths, d);
    if (t->n >= TABLE_THINGS)
        table_shed(t);
    return true;
}

/* Sorts things by kind, each kind's in the order they were found. */
static bool by_type(struct table *t)
{
    struct thing *to = mem_alloc(((size_t)t->n + 1) * sizeof *to);
    if (!to)
        return false;
    for (uint32_t i = 0; i < t->n; i++)
        t->type[t->thing[i].type].kept++;
    uint32_t at = 0;
    for (uint32_t i = 0; i < t->ntypes; i++) {
        t->type[i].first = at;
        at += t->type[i].kept;
        t->type[i].kept = 0;
    }
    for (uint32_t i = 0; i < t->n; i++) {
        struct ttype *k = &t->type[t->thing[i].type];
        to[k->first + k->kept++] = t->thing[i];
    }
    to[t->n] = (struct thing){.g = NO_LANE}; /* the longest of a kind of which none is listed */
    mem_free(t->thing);
    t->thing = to;
    t->cap = (size_t)t->n + 1;
    return true;
}

static bool quantiles(struct table *t)
{
    int64_t *v = mem_alloc(((size_t)t->n + 1) * sizeof *v);
    if (!v)
        return false;
    bool ok = true;
    for (uint32_t i = 0; ok && i < t->ntypes; i++) {
        struct ttype *k = &t->type[i];
        struct dist d;
        size_t n = 0;
        k->longest = k->kept ? k->first : t->n;
        for (uint32_t j = k->first; j < k->first + k->kept; j++) {
            const struct thing *x = &t->thing[j], *y = &t->thing[k->longest];
            if (x->t1 - x->t0 > y->t1 - y->t0)
                k->longest = j;
            if (!x->open)
                v[n++] = x->t1 - x->t0;
        }
        if (k->kept == k->n && n) {
            dist_of(&d, v, n);
            k->p50 = d.p50, k->p90 = d.p90, k->p99 = d.p99;
        } else if (k->lengths && k->lengths->n) {
            hist_dist(k->lengths, &d);
            k->p50 = d.p50, k->p90 = d.p90, k->p99 = d.p99;
        }
        ok = slices_tick();
    }
    mem_free(v);
    return ok;
}

static void forget_lengths(struct table *t)
{
    mem_free(t->lengths);
    t->lengths = NULL;
    for (uint32_t i = 0; i < t->ntypes; i++) {
        mem_free(t->type[i].lengths);
        t->type[i].lengths = NULL;
    }
    t->hists = 0;
    t->shed = false;
}

static bool table_list(struct table *t)
{
    t->lengths = mem_zalloc(sizeof *t->lengths);
    bool ok = t->lengths && t->from->list(t) && by_type(t) && quantiles(t);
    forget_lengths(t);
    return ok;
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

static const struct tcol type_cols[] = {
    [TYPE_COUNT] = {"count", "how many", TCOL_COUNT, .w = 9},
    [TYPE_TOTAL] = {"total", "their time in all", TCOL_DUR, .w = 9},
    [TYPE_P50] = {"p50", "the median", TCOL_DUR, .w = 9},
    [TYPE_P99] = {"p99", "what 99 of 100 stay below", TCOL_DUR, .w = 9},
    [TYPE_MAX] = {"longest", "the longest", TCOL_DUR, .w = 9},
};
static const struct tcol thing_cols[] = {
    [THING_TOOK] = {"took", "how long it took", TCOL_DUR, .w = 9},
    [THING_AT] = {"at", "time", TCOL_TIME, .w = 11},
};
static const struct tcol name_col = {"", "name", TCOL_NAME, 0, STYLE_NORMAL};

static bool kinds(const struct table_order *o)
{
    return o->open == TABLE_TYPES;
}

static int cols(const struct table *t, const struct table_order *o)
{
    const int own = t->type_col ? t->ntype_cols : TYPE_NAME;
    return kinds(o) ? own + 1 : THING_OWN + t->from->ncols + 1;
}

static struct tcol table_col_of(const struct table *t, const struct table_order *o, int c)
{
    if (c < 0 || c >= cols(t, o) - 1)
        return name_col;
    if (kinds(o))
        return t->type_col ? t->type_col[c] : type_cols[c];
    return c < THING_OWN ? thing_cols[c] : t->from->col[c - THING_OWN];
}

int table_cols(const struct table *t)
{
    return cols(t, &t->have);
}

struct tcol table_col(const struct table *t, int c)
{
    return table_col_of(t, &t->have, c);
}

static bool by_text(enum tcol_kind k)
{
    return k == TCOL_NAME || k == TCOL_TEXT;
}

/* Whether the sort is descending: numbers start with the largest, times and texts with the first. */
static bool table_falls(const struct table *t, const struct table_order *o)
{
    enum tcol_kind k = table_col_of(t, o, o->sort).kind;
    return (k != TCOL_TIME && !by_text(k)) != o->invert;
}

bool table_down(const struct table *t)
{
    return table_falls(t, &t->have);
}

const struct thing *table_thing(const struct table *t, uint32_t row)
{
    return &t->thing[kinds(&t->have) ? t->type[row].longest : row];
}

static void table_name_of(struct text *out, const struct table *t, const struct table_order *o, uint32_t row)
{
    if (kinds(o))
        t->from->type_name(out, t, &t->type[row]);
    else
        t->from->name(out, t, &t->thing[row]);
}

void table_name(struct text *out, const struct table *t, uint32_t row)
{
    table_name_of(out, t, &t->have, row);
}

static bool table_cell_of(struct text *out, const struct table *t, const struct table_order *o, uint32_t row,
                          int col)
{
    const enum tcol_kind k = table_col_of(t, o, col).kind;
    if (k == TCOL_NAME)
        table_name_of(out, t, o, row);
    else if (k == TCOL_TEXT || k == TCOL_CELL)
        t->from->type_cell(out, t, &t->type[row], col);
    else
        return false;
    return true;
}

bool table_cell(struct text *out, const struct table *t, uint32_t row, int col)
{
    return table_cell_of(out, t, &t->have, row, col);
}

/* Returns a text as a number that sorts like its letters from `from` on, as many as it takes. */
static int64_t text_key(const struct table *t, const struct table_order *o, uint32_t row, int col,
                        size_t from)
{
    struct text cell = {0};
    uint64_t key = 0;
    if (t->from->nameless && col >= cols(t, o) - 1)
        return row;
    (void)table_cell_of(&cell, t, o, row, col);
    for (size_t i = from; i < from + 8; i++)
        key = key << 8 | (i < cell.n ? (unsigned char)tolower((unsigned char)cell.p[i]) : 0u);
    text_free(&cell);
    return (int64_t)(key ^ (uint64_t)1 << 63);
}

static int64_t table_value_of(const struct table *t, const struct table_order *o, uint32_t row, int col)
{
    if (by_text(table_col_of(t, o, col).kind))
        return text_key(t, o, row, col, 0);
    if (kinds(o) && t->from->type_value)
        return t->from->type_value(t, &t->type[row], col);
    if (kinds(o)) {
        const struct ttype *k = &t->type[row];
        const int64_t v[] = {(int64_t)k->n, k->total, k->p50, k->p99, k->max};
        if (k->untimed == k->n && (col == TYPE_TOTAL || col == TYPE_MAX)) /* in order by how many */
            return (int64_t)(k->n < INT32_MAX ? k->n : INT32_MAX) + INT32_MIN + TABLE_UNTIMED;
        return v[col];
    }
    const struct thing *x = &t->thing[row];
    if (col == THING_TOOK)
        return x->untimed ? TABLE_UNTIMED : x->t1 - x->t0;
    return col == THING_AT ? x->t0 : t->from->value(t, x, col - THING_OWN);
}

int64_t table_value(const struct table *t, uint32_t row, int col)
{
    return table_value_of(t, &t->have, row, col);
}

/* ---- the filter ---------------------------------------------------------------------------------------- */

struct sieve { /* words that must all hold: text in the name, >1ms, <1ms */
    struct match m[WORDS];
    int64_t ns[WORDS];
    char how[WORDS];
    int n;
};

static void sieve_make(struct sieve *s, const char *filter)
{
    char word[TABLE_FILTER], why[80];
    s->n = 0;
    while (s->n < WORDS) {
        filter += strspn(filter, " ");
        size_t len = strcspn(filter, " ");
        if (!len)
            return;
        snprintf(word, sizeof word, "%.*s", (int)len, filter);
        filter += len;
        const char *rest = word;
        int i = s->n;
        s->how[i] = 't';
        if ((*word == '>' || *word == '<') && goto_time(word + 1, &s->ns[i], &rest) && !*rest) {
            s->how[i] = *word;
            s->n++;
        } else if (*word != '>' && *word != '<' && match_init(&s->m[i], word, false, why, sizeof why)) {
            s->n++;
        } /* else half a number: no filter yet */
    }
}

static void sieve_free(struct sieve *s)
{
    for (int i = 0; i < s->n; i++)
        if (s->how[i] == 't')
            match_free(&s->m[i]);
}

static bool sieve_passes(const struct sieve *s, const struct table *t, const struct table_order *o,
                         uint32_t row)
{
    const bool by = !kinds(o) && table_col_of(t, o, o->sort).kind == TCOL_DUR;
    int64_t d = kinds(o) ? t->type[row].max
                : by     ? table_value_of(t, o, row, o->sort)
                         : t->thing[row].t1 - t->thing[row].t0;
    struct text name = {0};
    bool ok = true;
    for (int i = 0; ok && i < s->n; i++) {
        if (s->how[i] == 't' && !name.p)
            table_name_of(&name, t, o, row);
        ok = s->how[i] == '>'   ? d > s->ns[i]
             : s->how[i] == '<' ? d < s->ns[i]
                                : match_str(&s->m[i], (struct str){name.p ? name.p : "", (uint32_t)name.n});
    }
    text_free(&name);
    return ok;
}

/* Whether it overlaps the window in use; a kind does if one of its things does. */
static bool table_within(const struct table *t, const struct table_order *o, uint32_t row)
{
    uint32_t from = row, to = row + 1;
    if (!o->windowed)
        return true;
    if (kinds(o)) {
        from = t->type[row].first;
        to = from + t->type[row].kept;
    }
    for (uint32_t i = from; i < to; i++)
        if (t->thing[i].t0 < o->win.t1 && t->thing[i].t1 >= o->win.t0)
            return true;
    return false;
}

/* ---- the order ----------------------------------------------------------------------------------------- */

/* Columns in which no kind has a value. */
static uint64_t empty_columns(const struct table *t, const struct table_order *o)
{
    const int n = table_cols(t) - 1;
    uint64_t empty = kinds(o) && !t->from->asks ? ((uint64_t)1 << n) - 1 : 0;
    for (uint32_t i = 0; empty && i < t->nrows && slices_tick(); i++)
        for (int c = 0; c < n; c++)
            if ((empty >> c & 1) &&
                (table_col(t, c).kind >= TCOL_TEXT || table_value_of(t, o, t->row[i], c) != -1))
                empty &= ~((uint64_t)1 << c);
    return empty;
}

/* Sorts rows; those of texts by eight letters at a time, the last ones first. */
static bool table_sort_rows(const struct table *t, const struct table_order *o, struct keyed_row *k,
                            uint32_t n)
{
    const bool falling = table_falls(t, o);
    bool ok = true;
    for (int from = by_text(table_col_of(t, o, o->sort).kind) ? LETTERS - 8 : 0; ok && from >= 0; from -= 8) {
        for (uint32_t i = 0; ok && i < n; i++) {
            const int64_t v = from ? text_key(t, o, k[i].row, o->sort, (size_t)from)
                                   : table_value_of(t, o, k[i].row, o->sort);
            const uint64_t key = (uint64_t)v ^ (uint64_t)1 << 63;
            k[i].key = falling ? ~key : key;
            ok = i % 64 || slices_tick();
        }
        ok = ok && rows_sort(k, n);
    }
    return ok;
}

static bool table_order_rows(struct table *t)
{
    struct table_order o = t->want;
    uint32_t from = 0, n = t->ntypes, kept = 0;
    struct sieve s;
    if (!kinds(&o)) {
        from = o.open < t->ntypes && t->from->types ? t->type[o.open].first : 0;
        n = o.open < t->ntypes && t->from->types ? t->type[o.open].kept : t->n;
    }
    struct keyed_row *k = mem_alloc(((size_t)n + 1) * sizeof *k);
    uint32_t *row = mem_alloc(((size_t)n + 1) * sizeof *row);
    int64_t *sorted = mem_alloc(((size_t)n + 1) * sizeof *sorted);
    bool ok = k && row && sorted, falling = table_falls(t, &o);
    sieve_make(&s, o.filter);
    for (uint32_t i = from; ok && i < from + n; i++) {
        if (i % 64 == 0)
            ok = slices_tick();
        if (table_within(t, &o, i) && (!s.n || sieve_passes(&s, t, &o, i)))
            k[kept++].row = i;
    }
    sieve_free(&s);
    ok = ok && table_sort_rows(t, &o, k, kept);
    for (uint32_t i = 0; ok && i < kept; i++) {
        row[i] = k[i].row;
        sorted[i] = (int64_t)((falling ? ~k[i].key : k[i].key) ^ (uint64_t)1 << 63);
    }
    mem_free(k);
    if (!ok) {
        mem_free(row);
        mem_free(sorted);
        return false;
    }
    mem_free(t->row);
    mem_free(t->sorted);
    t->row = row;
    t->sorted = sorted;
    t->nrows = kept;
    t->have = o;
    t->empty = empty_columns(t, &o);
    t->made++;
    return true;
}

static bool table_job(void *arg)
{
    struct table *t = arg;
    if (!t->listed && !table_list(t))
        return false;
    t->listed = true;
    return table_order_rows(t);
}

static unsigned job_over(struct table *t, enum slices_state st)
{
    if (st == SLICES_MORE)
        return VR_DRAW | VR_WORK;
    slices_free(t->job);
    t->job = NULL;
    t->failed = st == SLICES_FAILED;
    return VR_DRAW;
}

/* Sorts the wanted rows; short work is done at once. */
static unsigned table_start(struct table *t)
{
    slices_free(t->job);
    t->job = slices_new(table_job, t);
    t->failed = !t->job;
    return t->job ? job_over(t, slices_run(t->job, AT_ONCE_NS)) : VR_DRAW;
}

/* ---- life ---------------------------------------------------------------------------------------------- */

static void table_drop(struct table *t)
{
    table_free(t->next);
    slices_free(t->job);
    forget_lengths(t);
    mem_free(t->thing);
    mem_free(t->type);
    mem_free(t->row);
    mem_free(t->sorted);
    tab_free(&t->map);
    spectrum_free(&t->spectrum);
    if (t->own && t->from->drop)
        t->from->drop(t->own);
    t->own = NULL;
    t->next = NULL;
    t->job = NULL;
    t->thing = NULL;
    t->type = NULL;
    t->row = NULL;
    t->sorted = NULL;
    t->map = (struct tab){0};
    t->cap = t->types_cap = 0;
    t->n = t->ntypes = t->nrows = 0;
    t->all = 0;
    t->least = 0;
    t->counting = t->listed = t->failed = false;
}

void table_free(struct table *t)
{
    if (!t)
        return;
    table_drop(t);
    mem_free(t);
}

void table_stop(struct table *t)
{
    if (!t)
        return;
    table_free(t->next);
    slices_free(t->job);
    t->next = NULL;
    t->job = NULL;
    t->counting = false;
    t->epoch = UINT32_MAX;
}

void table_forget(struct view *v, int view)
{
    struct table *t = v->table;
    if (!t)
        return;
    t->sort[view][0] = t->sort[view][1] = 0;
    t->invert[view][0] = t->invert[view][1] = false;
    if (t->from != kind_of(view)->things)
        return;
    table_drop(t);
    t->from = NULL;
    t->tr = NULL;
}

static const struct table_from *table_of(const struct view *v)
{
    return kind_here(v)->things;
}

/* What its things are found in, if that isn't the trace alone. */
static const struct triage *table_counted(const struct view *v)
{
    return table_of(v)->counted && v->tri ? v->tri->tg : NULL;
}

/* Whether its things are those of the view shown, or were until the trace grew or the moment moved. */
static bool table_kept(const struct table *t, const struct view *v)
{
    return t->from == table_of(v) && t->tr == v->tr && t->tg == table_counted(v) &&
           t->epoch == trace_info(v->tr)->epoch;
}

static void table_asks(const struct table_from *from, const struct view *v, int64_t of[3])
{
    of[0] = of[1] = of[2] = 0;
    if (from->asks)
        from->asks(v, &of[0], &of[1], &of[2]);
}

static bool table_stale(const struct table *t, const struct view *v)
{
    int64_t of[3];
    if (!table_kept(t, v) || t->end != trace_info(v->tr)->end)
        return true;
    table_asks(t->from, v, of);
    return t->t0 != of[0] || t->t1 != of[1] || t->at != of[2];
}

bool table_ready(const struct view *v)
{
    const struct table *t = v->table;
    return t && table_kept(t, v) && t->listed && t->made;
}

static int table_level(const struct table_order *o)
{
    return kinds(o) ? 0 : 1;
}

static void order_wanted(struct table *t, int view, uint32_t open)
{
    t->want.open = open;
    int8_t s = t->sort[view][table_level(&t->want)];
    const int first = t->from->nameless ? t->ntype_cols : t->type_col ? t->from->type_first : TYPE_TOTAL;
    t->want.sort = s ? s - 1 : kinds(&t->want) ? first : t->from->first;
    t->want.invert = t->invert[view][table_level(&t->want)];
}

static void table_is_of_now(struct table *t, const struct view *v)
{
    int64_t of[3];
    table_asks(t->from, v, of);
    t->t0 = of[0];
    t->t1 = of[1];
    t->at = of[2];
    t->end = trace_info(v->tr)->end;
}

/* Takes the provider of the view shown, and what it is to find. */
static bool table_take(struct table *t, struct view *v)
{
    t->from = table_of(v);
    t->type_col = t->from->type_col;
    t->ntype_cols = t->from->ntype_cols;
    t->cut = false;
    t->tr = v->tr;
    t->tg = table_counted(v);
    t->epoch = trace_info(v->tr)->epoch;
    table_is_of_now(t, v);
    t->counting = t->from->count != NULL;
    t->failed = t->from->take && !t->from->take(t, v);
    return !t->failed;
}

/* Can those of the view shown be found? */
static bool table_can(const struct view *v)
{
    const struct table_from *f = table_of(v);
    return f && (trace_info(v->tr)->done || f->early) && (!f->counted || table_counted(v));
}

/* The new rows are there: the cursor stays with its kind, or on the first row. */
static unsigned table_exchange(struct view *v)
{
    struct table *t = v->table, was = *t, *next = t->next;
    const bool at = v->at.row && v->at.row < was.nrows && kinds(&was.have);
    const struct ttype *k = at ? &was.type[was.row[v->at.row]] : NULL;
    *t = *next;
    mem_free(next);
    was.next = NULL;
    memcpy(t->sort, was.sort, sizeof t->sort);
    memcpy(t->invert, was.invert, sizeof t->invert);
    t->made += was.made;
    if (kinds(&was.want) || !t->from->types)
        t->want = was.want;
    for (uint32_t i = 0; k && i < t->nrows; i++)
        if (t->type[t->row[i]].a == k->a && t->type[t->row[i]].b == k->b)
            v->at.row = i;
    table_drop(&was);
    return memcmp(&t->want, &t->have, sizeof t->want) ? table_start(t) : VR_DRAW; /* another order is asked */
}

static bool table_busy(const struct table *t)
{
    return t && (t->counting || t->job);
}

static unsigned table_run(struct table *t, struct view *v, int64_t budget_ns)
{
    if (!t->counting)
        return t->job ? job_over(t, slices_run(t->job, budget_ns)) : VR_DRAW;
    const enum slices_state st = t->from->count(t, v, budget_ns);
    t->counting = st == SLICES_MORE;
    t->failed = st == SLICES_FAILED;
    return st == SLICES_MORE ? VR_DRAW | VR_WORK : t->failed ? VR_DRAW : table_start(t);
}

/* Goes on with what is under way: the order of the rows first, then finding them anew. */
static unsigned table_go_on(struct view *v, int64_t budget_ns)
{
    struct table *t = v->table, *n = table_busy(t) || !t->next ? t : t->next;
    const unsigned f = table_run(n, v, budget_ns);
    if (table_busy(n))
        return f;
    if (n == t) {
        move_ready(v);
        return f;
    }
    if (!n->failed)
        return table_exchange(v);
    table_free(n);
    t->next = NULL;
    t->failed = true;
    table_is_of_now(t, v);
    return VR_DRAW;
}

static int64_t table_at_once(const struct view *v)
{
    return trace_info(v->tr)->done ? AT_ONCE_NS : LOADING_NS;
}

/* Starts finding them beside the rows that are there. */
static unsigned table_renew(struct view *v)
{
    struct table *t = v->table, *n = mem_zalloc(sizeof *n);
    table_free(t->next);
    t->next = n;
    if (!n || !table_take(n, v)) {
        table_free(n);
        t->next = NULL;
        t->failed = true;
        table_is_of_now(t, v);
        return VR_DRAW;
    }
    memcpy(n->sort, t->sort, sizeof n->sort);
    memcpy(n->invert, t->invert, sizeof n->invert);
    n->want = t->want;
    if (!kinds(&n->want) && n->from->types) /* kinds have new numbers */
        order_wanted(n, v->at.view, TABLE_TYPES);
    if (!n->counting)
        (void)table_start(n);
    return table_go_on(v, table_at_once(v));
}

/* Starts finding the things of the view shown, unless they are there. What is under way goes on while the
 * trace grows, but not if it is of another moment. */
static unsigned table_follow(struct view *v)
{
    struct table *t = v->table;
    if (!t && !(t = v->table = mem_zalloc(sizeof *t)))
        return VR_DRAW;
    if (!table_can(v) || !table_stale(t, v))
        return VR_NONE;
    const struct table *n = table_busy(t) ? t : t->next;
    if (table_busy(n) && table_kept(n, v) && (!table_stale(n, v) || n->end != trace_info(v->tr)->end))
        return trace_info(v->tr)->done ? VR_WORK : table_go_on(v, LOADING_NS);
    if (table_ready(v))
        return table_renew(v);
    bool same = t->from == table_of(v) && t->tr == v->tr;
    table_drop(t);
    if (!table_take(t, v))
        return VR_DRAW;
    if (!same) {
        t->want = (struct table_order){0};
        t->made = 0;
        order_wanted(t, v->at.view, t->from->types ? TABLE_TYPES : 0);
    } else if (!kinds(&t->want) && t->from->types) { /* kinds have new numbers */
        order_wanted(t, v->at.view, TABLE_TYPES);
    }
    move_ready(v);
    return t->counting ? table_go_on(v, table_at_once(v)) : table_start(t);
}

unsigned table_open(struct view *v, int no)
{
    (void)tri_open(v, no);
    return VR_DRAW | table_follow(v);
}

bool table_pending(const struct view *v)
{
    const struct table *t = v->table;
    return t && ((table_busy(t) && table_kept(t, v)) ||
                 (trace_info(v->tr)->done && table_can(v) && table_stale(t, v)));
}

unsigned table_work(struct view *v, int64_t budget_ns)
{
    if (!table_pending(v))
        return VR_NONE;
    const struct table *t = v->table, *n = table_busy(t) ? t : t->next;
    return table_busy(n) && table_kept(n, v) ? table_go_on(v, budget_ns) : table_follow(v);
}

/* ---- what keys do -------------------------------------------------------------------------------------- */

static unsigned table_again(struct view *v)
{
    v->at.row = v->at.top = 0;
    return VR_DRAW | (v->table->tr && !v->table->counting ? table_start(v->table) : VR_NONE);
}

static void say_order(struct view *v)
{
    const struct table *t = v->table;
    struct tcol c = table_col_of(t, &t->want, t->want.sort);
    view_message(v, false, "by %s%s", c.kind == TCOL_NAME && t->from->nameless ? "the query" : c.what,
                 !t->want.invert                          ? ""
                 : c.kind == TCOL_TIME || by_text(c.kind) ? ", the last first"
                                                          : ", the smallest first");
}

/* Stores the sort order for things that are not found yet. false: out of memory. */
static bool order_early(struct view *v)
{
    struct table *t = v->table ? v->table : (v->table = mem_zalloc(sizeof *t));
    if (!t || table_ready(v) || t->from == table_of(v))
        return t != NULL;
    table_drop(t);
    (void)table_take(t, v);
    t->tr = NULL; /* this makes them be found once more */
    order_wanted(t, v->at.view, t->from->types ? TABLE_TYPES : 0);
    return true;
}

unsigned table_sort(struct view *v, int n)
{
    if (!order_early(v))
        return move_fail(v, "out of memory: the order stays");
    struct table *t = v->table;
    int all = cols(t, &t->want), s = (t->want.sort + n) % all;
    s = s < 0 ? s + all : s;
    t->want.sort = s;
    t->want.invert = false;
    t->sort[v->at.view][table_level(&t->want)] = (int8_t)(s + 1);
    t->invert[v->at.view][table_level(&t->want)] = false;
    unsigned f = table_again(v);
    say_order(v);
    return f;
}

unsigned table_invert(struct view *v, int n)
{
    if (!order_early(v))
        return move_fail(v, "out of memory: the order stays");
    struct table *t = v->table;
    (void)n;
    t->want.invert = !t->want.invert;
    t->invert[v->at.view][table_level(&t->want)] = t->want.invert;
    unsigned f = table_again(v);
    say_order(v);
    return f;
}

/* Restricts rows to those overlapping the window of the lanes, or the selected range. */
unsigned table_here(struct view *v, int n)
{
    struct table *t = v->table;
    char a[FMT_MAX], b[FMT_MAX];
    (void)n;
    t->want.windowed = !t->want.windowed;
    t->want.win = v->sel.stands ? window_of(v->sel.t0, v->sel.t1) : v->at.win;
    unsigned f = table_again(v);
    if (t->want.windowed)
        view_message(v, false, "only what overlaps %s..%s, the %s", when_exact(v->tr, t->want.win.t0, a),
                     when_exact(v->tr, t->want.win.t1, b),
                     v->sel.stands ? "selected range" : "window of the lanes");
    else
        view_message(v, false, "of the whole trace");
    return f;
}

unsigned table_find(struct view *v, const char *text)
{
    struct table *t = v->table;
    if (!table_ready(v))
        return move_not_yet(v, "the table is not done yet");
    if (strcmp(t->want.filter, text) == 0)
        return VR_DRAW;
    snprintf(t->want.filter, sizeof t->want.filter, "%s", text);
    return table_again(v);
}

unsigned table_back(struct view *v, int n)
{
    struct table *t = v->table;
    (void)n;
    if (!t || !table_ready(v))
        return VR_QUIT;
    if (t->want.filter[0])
        return table_find(v, "");
    if (!kinds(&t->want) && t->from->types) {
        order_wanted(t, v->at.view, TABLE_TYPES);
        unsigned f = table_start(t);
        v->at.row = t->type_row;
        v->at.top = t->type_top;
        return f;
    }
    return VR_QUIT;
}

const char *table_back_word(const struct view *v)
{
    const struct table *t = v->table;
    return !t || !table_ready(v)                ? NULL
           : t->want.filter[0]                  ? "no filter"
           : !kinds(&t->want) && t->from->types ? "back"
                                                : NULL;
}

static unsigned open_kind(struct view *v, uint32_t type)
{
    struct table *t = v->table;
    t->type_row = v->at.row;
    t->type_top = v->at.top;
    t->want.filter[0] = 0;
    order_wanted(t, v->at.view, type);
    return table_again(v);
}

static void table_took(struct text *out, const struct thing *x)
{
    if (x->untimed) {
        text_lit(out, TRI_NOT_TIMED);
        return;
    }
    if (x->open)
        text_lit(out, "at least ");
    text_dur(out, x->t1 - x->t0);
}

unsigned table_enter(struct view *v)
{
    struct table *t = v->table;
    if (t->job) /* the rows are those of another order */
        (void)job_over(t, slices_run(t->job, INT64_MAX));
    if (v->at.row >= t->nrows)
        return move_fail(v, "nothing here");
    uint32_t row = t->row[v->at.row];
    if (kinds(&t->have) && (t->type[row].n > 1 || !t->type[row].kept))
        return open_kind(v, row);
    row = kinds(&t->have) ? t->type[row].longest : row; /* of a kind of one thing: that */
    struct thing x = t->thing[row];
    struct lane l = t->from->lane ? t->from->lane(t, &x) : tri_g(x.g);
    struct text of = {.ticks = when_ticks(v->tr)}, say = {.ticks = of.ticks};
    text_add(&of, "%s%s", t->from->thing,
             x.untimed ? ", " : " of "); /* it stands below the words of a span */
    table_took(&of, &x);
    if (t->from->say)
        t->from->say(&say, v, &x);
    if (t->from->moment)
        t->from->moment(v, &x, &x.t0, &x.t1);
    unsigned f = tri_goto(v, l, x.t0, x.t1);
    if (of.p && say.n)
        view_message(v, false, "%s: %s", of.p, say.p);
    text_free(&of);
    text_free(&say);
    return f;
}

bool table_about_row(const struct view *v, uint32_t *g, int64_t *t0, int64_t *t1)
{
    const struct table *t = v->table;
    if (!table_ready(v) || v->at.row >= t->nrows)
        return false;
    const struct thing *x = table_thing(t, t->row[v->at.row]);
    *g = x->g;
    *t0 = x->t0;
    *t1 = x->t1;
    return !x->untimed;
}

/* ---- rows for tri.c ------------------------------------------------------------------------------------ */

uint32_t table_rows(const struct view *v)
{
    return v->table->nrows;
}

void table_detail(struct text *out, const struct view *v, uint32_t row, int line)
{
    const struct table *t = v->table;
    uint32_t i = t->row[row];
    if (kinds(&t->have) && t->from->type_say) {
        t->from->type_say(out, v, &t->type[i], line);
        return;
    }
    if (kinds(&t->have) && line == 0) {
        const struct ttype *k = &t->type[i];
        table_name(out, t, i);
        text_add(out, ": %" PRIu64 " %s, ", k->n, k->n == 1 ? t->from->thing : t->from->things);
        if (k->untimed == k->n) {
            text_lit(out, TRI_NOT_TIMED);
            return;
        }
        text_dur(out, k->total);
        text_lit(out, " in all");
        if (k->p50 >= 0) {
            text_lit(out, "; p50 ");
            text_dur(out, k->p50);
            text_lit(out, ", p90 ");
            text_dur(out, k->p90);
            text_lit(out, ", p99 ");
            text_dur(out, k->p99);
        }
        if (k->open > k->untimed)
            text_add(out, "; %" PRIu64 " not whole in this trace", k->open - k->untimed);
        if (k->untimed)
            text_add(out, "; %" PRIu64 " not timed", k->untimed);
        return;
    }
    const struct thing *x = table_thing(t, i);
    if (kinds(&t->have) && !t->type[i].kept)
        return; /* all are shorter than those listed */
    if (line == 0)
        table_name(out, t, i);
    if (line == 0 || kinds(&t->have)) {
        text_raw(out, line == 0 ? ": " : "the longest: ", line == 0 ? 2 : 13);
        table_took(out, x);
        text_add(out, "%s", x->untimed ? " at " : " from ");
        text_dur(out, x->t0);
        if (line == 0)
            return;
    }
    struct text say = {.ticks = out->ticks}, name = {.ticks = out->ticks};
    if (t->from->say)
        t->from->say(&say, v, x);
    if (!kinds(&t->have))
        table_name(&name, t, i);
    if (say.n && (say.n != name.n || memcmp(say.p, name.p, say.n) != 0)) /* the first line has it already */
        text_add(out, "%s%s", out->n ? "; " : "", say.p);
    text_free(&say);
    text_free(&name);
}

bool table_lists(const struct view *v, uint32_t row)
{
    const struct table *t = v->table;
    return kinds(&t->have) && t->from->type_lists && t->from->type_lists(t, &t->type[t->row[row]]);
}

/* The trace grew, or another part of it is loaded: the things have to be found once more. */
void table_draw(struct grid *g, struct view *v, const struct plan *p)
{
    (void)table_follow(v);
    tri_draw(g, v, p);
}

void table_name_string(struct text *out, const struct table *t, const struct ttype *k)
{
    if (trace_str(t->tr, (uint32_t)k->a).len)
        text_str(out, t->tr, (uint32_t)k->a);
    else
        text_lit(out, "(no name)");
}
