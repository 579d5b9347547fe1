/*
 * sql_print.c - see sql_print.h. A row is its cells with something before, between and behind them; rows
 * gather in one buffer until there are some kilobytes of them, since large tables have ten millions.
 */
#include "triage/sql/sql_print.h"

#include <math.h>
#include <string.h>

#include "decode/base/mem.h"

#define APART '\x1f' /* between held cells: no cell has such a byte */
enum { FLUSH = 32768 };

static const struct {
    const char *before, *behind;
    char between;
} form[] = {[SQL_ALIGNED] = {"", "\n", APART},
            [SQL_CSV] = {"", "\r\n", ','},
            [SQL_TSV] = {"", "\n", '\t'},
            [SQL_JSON] = {"\n{", "}", ','}};

static inline void add_byte(struct text *t, char c)
{
    if (t->n + 1 < t->cap) {
        t->p[t->n++] = c;
        t->p[t->n] = '\0';
    } else {
        text_raw(t, &c, 1);
    }
}

/* ---- one cell ------------------------------------------------------------------------------------------ */

/* This is written by hand, because most cells are numbers and printf would take most of the time. */
static void add_int(struct text *t, int64_t v)
{
    char buf[21], *p = buf + sizeof buf;
    uint64_t rest = v < 0 ? -(uint64_t)v : (uint64_t)v;
    do {
        *--p = (char)('0' + rest % 10);
    } while (rest /= 10);
    if (v < 0)
        *--p = '-';
    text_raw(t, p, (size_t)(buf + sizeof buf - p));
}

static void add_real(struct text *t, double r)
{
    if (isfinite(r))
        text_add(t, "%.15g%s", r, fabs(r) < 1e15 && r == floor(r) ? ".0" : "");
    else
        text_add(t, "%s", isnan(r) ? "NaN" : r > 0 ? "Inf" : "-Inf");
}

/* Append the text, with another byte before each of these bytes. */
static void add_escaped(struct text *t, struct str s, const char *which, char with)
{
    for (uint32_t i = 0; i < s.len; i++) {
        if (strchr(which, s.p[i]))
            add_byte(t, with);
        add_byte(t, s.p[i]);
    }
}

/* Returns whether the text is printable ASCII that no format escapes and no spreadsheet takes for a formula,
 * as most names are. */
static bool needs_no_escape(struct str s)
{
    bool odd = s.len && (*s.p == '=' || *s.p == '+' || *s.p == '-' || *s.p == '@');
    for (uint32_t i = 0; i < s.len; i++)
        odd |= s.p[i] <= ' ' || s.p[i] > '~' || s.p[i] == ',' || s.p[i] == '"' || s.p[i] == '\\';
    return !odd;
}

/* Quotes as RFC 4180 says, so that databases and spreadsheets read it alike. A text that a spreadsheet would
 * take for a formula gets a '. */
static void add_csv_text(struct text *t, struct str s)
{
    const bool formula = s.len && strchr("=+-@", s.p[0]);
    const bool quote = s.len && ((!formula && s.p[0] == ' ') || s.p[s.len - 1] == ' ' ||
                                 memchr(s.p, ',', s.len) || memchr(s.p, '"', s.len));
    text_raw(t, "\"", quote);
    text_raw(t, "'", formula);
    add_escaped(t, s, "\"", '"');
    text_raw(t, "\"", quote);
}

/* A query's functions (upper(), char(7), x'00') can make unclean text of clean names. */
static void add_text(struct sql_print *p, struct text *t, struct str s, bool head)
{
    const bool json = p->format == SQL_JSON;
    if (p->format == SQL_ALIGNED && !head) {
        text_clean(t, s.p, s.len, SQL_CELL);
        return;
    }
    text_raw(t, "\"", json);
    if (needs_no_escape(s)) {
        text_raw(t, s.p, s.len);
    } else {
        p->cell.n = 0;
        out_name(&p->cell, s);
        const struct str clean = {p->cell.p ? p->cell.p : "", (uint32_t)p->cell.n};
        if (json)
            add_escaped(t, clean, "\"\\", '\\');
        else if (p->format == SQL_CSV)
            add_csv_text(t, clean);
        else
            text_raw(t, clean.p, clean.len);
    }
    text_raw(t, "\"", json);
}

static void add_cell(struct sql_print *p, struct text *t, const struct sql_cell *c, bool head)
{
    const bool json = p->format == SQL_JSON;
    if (c->kind == SQL_INT)
        add_int(t, c->i);
    else if (c->kind == SQL_TEXT)
        add_text(p, t, c->s, head);
    else if (c->kind == SQL_REAL && (isfinite(c->r) || !json))
        add_real(t, c->r);
    else if (json)
        text_lit(t, "null");
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

/* Print the cells of a held line, aligned. Text is aligned left, and heads like their column. */
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

/* Print the held rows, with the widths that they need. */
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

/* ---- all formats --------------------------------------------------------------------------------------- */

static struct str str_of(const char *s)
{
    return (struct str){s, (uint32_t)strlen(s)};
}

/* Returns the i-th cell of a row or of the heads; with several traces the first one is the trace's name. */
static struct sql_cell cell_at(const struct sql_print *p, const struct sql_query *q, unsigned i, bool head)
{
    if (p->trace && !i)
        return (struct sql_cell){.kind = SQL_TEXT, .s = head ? str_of("trace") : str_of(p->trace)};
    i -= p->trace != NULL;
    return head ? (struct sql_cell){.kind = SQL_TEXT, .s = sql_head(q, i)} : sql_cell(q, i);
}

static void print_row(struct sql_print *p, const struct sql_query *q, bool head)
{
    struct text *t = p->format == SQL_ALIGNED ? &p->held : &p->line;
    if (p->format == SQL_JSON && p->rows)
        text_lit(t, ",");
    text_raw(t, form[p->format].before, strlen(form[p->format].before));
    for (unsigned i = 0; i < p->width; i++) {
        const struct sql_cell c = cell_at(p, q, i, head);
        if (i)
            add_byte(t, form[p->format].between);
        if (p->format == SQL_JSON) {
            add_text(p, t, cell_at(p, q, i, true).s, true);
            text_lit(t, ":");
        }
        add_cell(p, t, &c, head);
        p->left[i] |= !head && c.kind == SQL_TEXT;
    }
    text_raw(t, form[p->format].behind, strlen(form[p->format].behind));
}

static void flush(struct sql_print *p)
{
    out_text(p->out, &p->line);
    p->line.n = 0;
}

bool sql_print_begin(struct sql_print *p, const struct sql_query *q)
{
    const unsigned width = sql_width(q) + (p->trace != NULL);
    if (p->width)
        return true; /* the same statement on another trace */
    p->width = width;
    p->left = mem_zalloc(width + 1);
    p->cols = mem_zalloc((width + 1) * sizeof *p->cols);
    if (!p->left || !p->cols)
        return false;
    if (p->format == SQL_JSON)
        text_lit(&p->line, "[");
    else
        print_row(p, q, true);
    p->headed = p->format != SQL_ALIGNED;
    return !p->cell.failed;
}

bool sql_print_row(struct sql_print *p, const struct sql_query *q)
{
    print_row(p, q, false);
    p->rows++;
    if (p->format == SQL_ALIGNED && ++p->nheld >= SQL_LOOK)
        release(p);
    if (p->line.n > FLUSH)
        flush(p);
    return text_ok(&p->held) && text_ok(&p->line) && text_ok(&p->cell);
}

bool sql_print_end(struct sql_print *p)
{
    if (p->format == SQL_ALIGNED)
        release(p);
    if (p->format == SQL_JSON && p->width)
        text_raw(&p->line, p->rows ? "\n]\n" : "]\n", p->rows ? 3 : 2);
    if (p->line.n || p->line.failed)
        flush(p);
    const bool ok = text_ok(&p->line) && text_ok(&p->cell) && text_ok(&p->held);
    sql_print_free(p);
    return ok;
}

void sql_print_free(struct sql_print *p)
{
    mem_free(p->left);
    mem_free(p->cols);
    text_free(&p->held);
    text_free(&p->line);
    text_free(&p->cell);
    *p = (struct sql_print){.format = p->format, .out = p->out, .trace = p->trace};
}
