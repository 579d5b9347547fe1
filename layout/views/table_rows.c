/*
 * table_rows.c - the columns and values of a table, which rows pass its filter, and their order. See table.h.
 */
#include "layout/views/table.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "decode/base/mem.h"
#include "triage/query/goto.h"
#include "triage/query/match.h"

enum { WORDS = 6, LETTERS = 32 };

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

bool table_shows_types(const struct table_order *o)
{
    return o->open == TABLE_TYPES;
}

int table_cols(const struct table *t, const struct table_order *o)
{
    const int own = t->type_col ? t->ntype_cols : TYPE_NAME;
    return table_shows_types(o) ? own + 1 : THING_OWN + t->from->ncols + 1;
}

struct tcol table_col(const struct table *t, const struct table_order *o, int c)
{
    if (c < 0 || c >= table_cols(t, o) - 1)
        return name_col;
    if (table_shows_types(o))
        return t->type_col ? t->type_col[c] : type_cols[c];
    return c < THING_OWN ? thing_cols[c] : t->from->col[c - THING_OWN];
}

bool table_by_text(enum tcol_kind k)
{
    return k == TCOL_NAME || k == TCOL_TEXT;
}

/* Returns whether the sort is descending: numbers start with the largest, times and texts with the first. */
bool table_down(const struct table *t, const struct table_order *o)
{
    enum tcol_kind k = table_col(t, o, o->sort).kind;
    return (k != TCOL_TIME && !table_by_text(k)) != o->invert;
}

const struct thing *table_thing(const struct table *t, uint32_t row)
{
    return &t->thing[table_shows_types(&t->have) ? t->type[row].longest : row];
}

void table_name(struct text *out, const struct table *t, const struct table_order *o, uint32_t row)
{
    if (table_shows_types(o))
        t->from->type_name(out, t, &t->type[row]);
    else if (t->from->name)
        t->from->name(out, t, &t->thing[row]);
    else
        text_who(out, t->tr, t->thing[row].g);
}

bool table_cell(struct text *out, const struct table *t, const struct table_order *o, uint32_t row, int col)
{
    const enum tcol_kind k = table_col(t, o, col).kind;
    if (k == TCOL_NAME)
        table_name(out, t, o, row);
    else if (k == TCOL_TEXT || k == TCOL_CELL)
        t->from->type_cell(out, t, &t->type[row], col);
    else
        return false;
    return true;
}

/* Returns a text as a number that sorts like its letters from `from` on, as many as it takes. */
static int64_t text_key(const struct table *t, const struct table_order *o, uint32_t row, int col,
                        size_t from)
{
    struct text cell = {0};
    uint64_t key = 0;
    if (t->from->nameless && col >= table_cols(t, o) - 1)
        return row;
    (void)table_cell(&cell, t, o, row, col);
    for (size_t i = from; i < from + 8; i++)
        key = key << 8 | (i < cell.n ? (unsigned char)tolower((unsigned char)cell.p[i]) : 0u);
    text_free(&cell);
    return (int64_t)(key ^ (uint64_t)1 << 63);
}

int64_t table_value(const struct table *t, const struct table_order *o, uint32_t row, int col)
{
    if (table_by_text(table_col(t, o, col).kind))
        return text_key(t, o, row, col, 0);
    if (table_shows_types(o) && t->from->type_value)
        return t->from->type_value(t, &t->type[row], col);
    if (table_shows_types(o)) {
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
        if ((*word == '>' || *word == '<') && goto_time(word + 1, 1, &s->ns[i], &rest) && !*rest) {
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
    const bool by = !table_shows_types(o) && table_col(t, o, o->sort).kind == TCOL_DUR;
    int64_t d = table_shows_types(o) ? t->type[row].max
                : by                 ? table_value(t, o, row, o->sort)
                                     : t->thing[row].t1 - t->thing[row].t0;
    struct text name = {0};
    bool ok = true;
    for (int i = 0; ok && i < s->n; i++) {
        if (s->how[i] == 't' && !name.p)
            table_name(&name, t, o, row);
        ok = s->how[i] == '>'   ? d > s->ns[i]
             : s->how[i] == '<' ? d < s->ns[i]
                                : match_str(&s->m[i], (struct str){name.p ? name.p : "", (uint32_t)name.n});
    }
    text_free(&name);
    return ok;
}

/* Returns whether it overlaps the window in use; a type does if one of its things does. */
static bool table_within(const struct table *t, const struct table_order *o, uint32_t row)
{
    uint32_t from = row, to = row + 1;
    if (!o->windowed)
        return true;
    if (table_shows_types(o)) {
        from = t->type[row].first;
        to = from + t->type[row].kept;
    }
    for (uint32_t i = from; i < to; i++)
        if (t->thing[i].t0 < o->win.t1 && t->thing[i].t1 >= o->win.t0)
            return true;
    return false;
}

/* ---- the order ----------------------------------------------------------------------------------------- */

/* Finds the columns in which no type has a value. */
static uint64_t empty_columns(const struct table *t, const struct table_order *o)
{
    const int n = table_cols(t, &t->have) - 1;
    uint64_t empty = table_shows_types(o) && !t->from->asks ? ((uint64_t)1 << n) - 1 : 0;
    for (uint32_t i = 0; empty && i < t->nrows && slices_tick(); i++)
        for (int c = 0; c < n; c++)
            if ((empty >> c & 1) &&
                (table_col(t, &t->have, c).kind >= TCOL_TEXT || table_value(t, o, t->row[i], c) != -1))
                empty &= ~((uint64_t)1 << c);
    return empty;
}

/* Sorts rows; those of texts by eight letters at a time, the last ones first. */
static bool table_sort_rows(const struct table *t, const struct table_order *o, struct keyed_row *k,
                            uint32_t n)
{
    const bool falling = table_down(t, o);
    bool ok = true;
    for (int from = table_by_text(table_col(t, o, o->sort).kind) ? LETTERS - 8 : 0; ok && from >= 0;
         from -= 8) {
        for (uint32_t i = 0; ok && i < n; i++) {
            const int64_t v =
                from ? text_key(t, o, k[i].row, o->sort, (size_t)from) : table_value(t, o, k[i].row, o->sort);
            const uint64_t key = (uint64_t)v ^ (uint64_t)1 << 63;
            k[i].key = falling ? ~key : key;
            ok = i % 64 || slices_tick();
        }
        ok = ok && rows_sort(k, n);
    }
    return ok;
}

bool table_order_rows(struct table *t)
{
    struct table_order o = t->want;
    uint32_t from = 0, n = t->ntypes, kept = 0;
    struct sieve s;
    if (!table_shows_types(&o)) {
        from = o.open < t->ntypes && t->from->types ? t->type[o.open].first : 0;
        n = o.open < t->ntypes && t->from->types ? t->type[o.open].kept : t->n;
    }
    struct keyed_row *k = mem_alloc(((size_t)n + 1) * sizeof *k);
    uint32_t *row = mem_alloc(((size_t)n + 1) * sizeof *row);
    int64_t *sorted = mem_alloc(((size_t)n + 1) * sizeof *sorted);
    bool ok = k && row && sorted, falling = table_down(t, &o);
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
