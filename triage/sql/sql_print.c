/*
 * sql_print.c - see sql_print.h.
 */
#include "triage/sql/sql_print.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "decode/base/mem.h"

#define APART '\x1f' /* between held cells: no cell has such a byte */

/* ---- one cell ------------------------------------------------------------------------------------------ */

static void add_real(struct text *t, double r)
{
    if (isfinite(r))
        text_add(t, "%.15g%s", r, fabs(r) < 1e15 && r == floor(r) ? ".0" : "");
    else
        text_add(t, "%s", isnan(r) ? "NaN" : r > 0 ? "Inf" : "-Inf");
}

static void add_json_text(struct text *t, struct str s)
{
    text_lit(t, "\"");
    for (uint32_t i = 0; i < s.len;) {
        uint32_t k = i;
        while (k < s.len && s.p[k] != '"' && s.p[k] != '\\')
            k++;
        text_raw(t, s.p + i, k - i);
        if (k < s.len) {
            text_lit(t, "\\");
            text_raw(t, s.p + k++, 1);
        }
        i = k;
    }
    text_lit(t, "\"");
}

/* What a query makes of names (upper(), char(7), x'00') may be no clean text any more. */
static struct str cleaned(struct sql_print *p, struct str s)
{
    p->cell.n = 0;
    out_name(&p->cell, s, NULL);
    return (struct str){p->cell.p ? p->cell.p : "", (uint32_t)p->cell.n};
}

static void add_cell(struct sql_print *p, struct text *t, const struct sql_cell *c)
{
    const bool json = p->format == SQL_JSON;
    switch (c->kind) {
    case SQL_NULL:
        if (json)
            text_lit(t, "null");
        break;
    case SQL_INT: text_add(t, "%" PRId64, c->i); break;
    case SQL_REAL:
        if (json && !isfinite(c->r))
            text_lit(t, "null");
        else
            add_real(t, c->r);
        break;
    case SQL_TEXT:
        if (json)
            add_json_text(t, cleaned(p, c->s));
        else if (p->format == SQL_ALIGNED)
            text_clean(t, c->s.p, c->s.len, SQL_CELL);
        else {
            const struct str s = cleaned(p, c->s);
            text_raw(t, s.p, s.len);
        }
        break;
    }
}

/* ---- tables -------------------------------------------------------------------------------------------- */

static void line_out(struct sql_print *p)
{
    while (p->line.n && p->line.p[p->line.n - 1] == ' ')
        p->line.n--;
    text_lit(&p->line, "\n");
    out_text(p->out, &p->line);
    p->line.n = 0;
}

static const char *cell_end(const char *cell, const char *end)
{
    const char *e = memchr(cell, APART, (size_t)(end - cell));
    return e ? e : end;
}

static uint32_t chars(const char *p, const char *end)
{
    uint32_t n = 0;
    for (; p < end; p++)
        n += ((unsigned char)*p & 0xC0) != 0x80;
    return n;
}

/* Cells of a held line, aligned. Text goes to the left; of the heads each as its column. */
static void aligned(struct sql_print *p, const char *at, const char *end)
{
    for (unsigned i = 0; i < p->width; i++) {
        const char *e = cell_end(at, end);
        const uint32_t n = chars(at, e), pad = p->cols[i] > n ? p->cols[i] - n : 0;
        if (i)
            text_lit(&p->line, "  ");
        if (!p->left[i])
            text_add(&p->line, "%*s", (int)pad, "");
        text_raw(&p->line, at, (size_t)(e - at));
        if (p->left[i] && i + 1 < p->width)
            text_add(&p->line, "%*s", (int)pad, "");
        at = e < end ? e + 1 : end;
    }
    line_out(p);
}

static void widen(struct sql_print *p, const char *at, const char *end)
{
    for (unsigned i = 0; i < p->width; i++) {
        const char *e = cell_end(at, end);
        const uint32_t n = chars(at, e);
        p->cols[i] = n > p->cols[i] ? n : p->cols[i];
        at = e < end ? e + 1 : end;
    }
}

/* The rows that are held back, with the widths that they need. */
static void release(struct sql_print *p)
{
    const char *end = p->held.p + p->held.n, *nl;
    if (!p->held.n || p->held.failed)
        return;
    for (const char *at = p->held.p; at < end; at = nl + 1) {
        nl = memchr(at, '\n', (size_t)(end - at));
        widen(p, at, nl);
    }
    bool heads = !p->headed;
    for (const char *at = p->held.p; at < end; at = nl + 1) {
        nl = memchr(at, '\n', (size_t)(end - at));
        aligned(p, at, nl);
        for (unsigned i = 0; heads && i < p->width; i++)
            text_add(&p->line, "%s%.*s", i ? "  " : "", (int)(p->cols[i] < 200 ? p->cols[i] : 200),
                     "---------------------------------------------------------------------------------------"
                     "-------"
                     "---------------------------------------------------------------------------------------"
                     "-------");
        if (heads)
            line_out(p);
        heads = false;
    }
    p->headed = true;
    p->held.n = p->nheld = 0;
}

static bool hold(struct sql_print *p, const struct sql_query *q)
{
    struct text *t = &p->held;
    const unsigned shift = p->trace ? 1 : 0;
    if (shift)
        text_clean(t, p->trace, strlen(p->trace), SQL_CELL);
    for (unsigned i = 0; i + shift < p->width; i++) {
        const struct sql_cell c = sql_cell(q, i);
        if (i + shift)
            text_raw(t, (const char[]){APART}, 1);
        add_cell(p, t, &c);
        p->left[i + shift] |= c.kind == SQL_TEXT;
    }
    text_lit(t, "\n");
    if (++p->nheld >= SQL_LOOK)
        release(p);
    return text_ok(t);
}

/* ---- all formats --------------------------------------------------------------------------------------- */

static void heads(struct sql_print *p, const struct sql_query *q)
{
    struct text *t = p->format == SQL_ALIGNED ? &p->held : &p->line;
    for (unsigned i = 0; i < p->width; i++) {
        const struct str s = !p->trace ? sql_head(q, i) : i ? sql_head(q, i - 1) : (struct str){"trace", 5};
        const struct str clean = cleaned(p, s);
        if (p->format == SQL_CSV) {
            csv_text(&p->csv, clean);
            continue;
        }
        if (i)
            text_raw(t, p->format == SQL_TSV ? "\t" : (const char[]){APART}, 1);
        text_raw(t, clean.p, clean.len);
    }
    if (p->format == SQL_CSV) {
        csv_end(&p->csv);
    } else {
        text_lit(t, "\n");
        if (p->format == SQL_TSV)
            out_text(p->out, t);
        p->line.n = 0;
    }
}

bool sql_print_begin(struct sql_print *p, const struct sql_query *q)
{
    const unsigned width = sql_width(q) + (p->trace != NULL);
    if (p->width)
        return true; /* the same statement, of another trace */
    p->width = width;
    p->left = mem_zalloc(width + 1);
    p->cols = mem_zalloc((width + 1) * sizeof *p->cols);
    p->csv.out = p->out;
    if (!p->left || !p->cols)
        return false;
    p->left[0] = p->trace != NULL;
    if (p->format == SQL_JSON)
        out_write(p->out, "[", 1);
    else
        heads(p, q);
    p->headed = p->format != SQL_ALIGNED;
    return !p->cell.failed;
}

static void json_row(struct sql_print *p, const struct sql_query *q)
{
    struct text *t = &p->line;
    text_raw(t, p->rows ? ",\n{" : "\n{", p->rows ? 3 : 2);
    if (p->trace) {
        text_lit(t, "\"trace\":");
        add_json_text(t, cleaned(p, (struct str){p->trace, (uint32_t)strlen(p->trace)}));
    }
    for (unsigned i = 0; i < sql_width(q); i++) {
        const struct sql_cell c = sql_cell(q, i);
        if (i || p->trace)
            text_lit(t, ",");
        add_json_text(t, cleaned(p, sql_head(q, i)));
        text_lit(t, ":");
        add_cell(p, t, &c);
    }
    text_lit(t, "}");
    out_text(p->out, t);
    t->n = 0;
}

static void csv_row(struct sql_print *p, const struct sql_query *q)
{
    if (p->trace)
        csv_text(&p->csv, (struct str){p->trace, (uint32_t)strlen(p->trace)});
    for (unsigned i = 0; i < sql_width(q); i++) {
        const struct sql_cell c = sql_cell(q, i);
        if (c.kind == SQL_INT) {
            csv_int(&p->csv, c.i);
        } else if (c.kind == SQL_NULL) {
            csv_none(&p->csv);
        } else if (c.kind == SQL_REAL) {
            p->cell.n = 0;
            add_real(&p->cell, c.r);
            csv_word(&p->csv, p->cell.p ? p->cell.p : "");
        } else {
            csv_text(&p->csv, c.s);
        }
    }
    csv_end(&p->csv);
}

static void tsv_row(struct sql_print *p, const struct sql_query *q)
{
    struct text *t = &p->line;
    if (p->trace)
        out_name(t, (struct str){p->trace, (uint32_t)strlen(p->trace)}, NULL);
    for (unsigned i = 0; i < sql_width(q); i++) {
        const struct sql_cell c = sql_cell(q, i);
        if (i || p->trace)
            text_lit(t, "\t");
        add_cell(p, t, &c);
    }
    text_lit(t, "\n");
    if (t->n > 32768) {
        out_text(p->out, t);
        t->n = 0;
    }
}

bool sql_print_row(struct sql_print *p, const struct sql_query *q)
{
    bool ok = true;
    switch (p->format) {
    case SQL_ALIGNED: ok = hold(p, q); break;
    case SQL_CSV: csv_row(p, q); break;
    case SQL_TSV: tsv_row(p, q); break;
    case SQL_JSON: json_row(p, q); break;
    }
    p->rows++;
    return ok && text_ok(&p->line) && text_ok(&p->cell);
}

bool sql_print_end(struct sql_print *p)
{
    if (p->format == SQL_ALIGNED)
        release(p);
    else if (p->format == SQL_CSV && p->csv.out) /* NULL: it never began */
        csv_flush(&p->csv);
    else if (p->format == SQL_JSON && p->width)
        out_write(p->out, p->rows ? "\n]\n" : "]\n", p->rows ? 3 : 2);
    else
        out_text(p->out, &p->line);
    const bool ok = text_ok(&p->line) && text_ok(&p->cell) && text_ok(&p->held);
    sql_print_free(p);
    return ok;
}

void sql_print_free(struct sql_print *p)
{
    mem_free(p->left);
    mem_free(p->cols);
    csv_free(&p->csv);
    text_free(&p->held);
    text_free(&p->line);
    text_free(&p->cell);
    *p = (struct sql_print){.format = p->format, .out = p->out, .trace = p->trace};
}
