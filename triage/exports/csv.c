/*
 * csv.c - see csv.h. Rows gather in one buffer until there are some kilobytes of them: large tables have ten
 * millions.
 */
#include "triage/exports/csv.h"

#include <inttypes.h>
#include <string.h>

#define FLUSH 32768

void csv_free(struct csv *c)
{
    text_free(&c->row);
    text_free(&c->cell);
}

static void next(struct csv *c)
{
    text_raw(&c->row, ",", c->any);
    c->any = true;
}

void csv_none(struct csv *c)
{
    next(c);
}

void csv_word(struct csv *c, const char *s)
{
    next(c);
    text_raw(&c->row, s, strlen(s));
}

/* Numbers by hand: they are most of a table, and printf is most of the time. */
static void csv_id(struct csv *c, uint64_t v)
{
    char buf[21], *p = buf + sizeof buf;
    do {
        *--p = (char)('0' + v % 10);
    } while (v /= 10);
    if (c->any)
        *--p = ',';
    c->any = true;
    text_raw(&c->row, p, (size_t)(buf + sizeof buf - p));
}

void csv_int(struct csv *c, int64_t v)
{
    if (v >= 0) {
        csv_id(c, (uint64_t)v);
    } else {
        next(c);
        text_add(&c->row, "%" PRId64, v);
    }
}

/* Most names: printable ASCII that needs neither quotes nor anything else. */
static bool is_plain(struct str s)
{
    bool odd = *s.p == '=' || *s.p == '+' || *s.p == '-' || *s.p == '@';
    for (uint32_t i = 0; i < s.len; i++)
        odd |= s.p[i] <= ' ' || s.p[i] > '~' || s.p[i] == ',' || s.p[i] == '"';
    return !odd;
}

void csv_text(struct csv *c, struct str s)
{
    struct text *t = &c->cell;
    next(c);
    if (!s.len)
        return;
    if (is_plain(s)) {
        text_raw(&c->row, s.p, s.len);
        return;
    }
    t->n = 0;
    if (strchr("=+-@", s.p[0]) && s.p[0])
        text_raw(t, "'", 1);
    out_name(t, s, NULL);
    if (!text_ok(t)) {
        c->row.failed = true;
        return;
    }
    bool quote =
        t->p[0] == ' ' || t->p[t->n - 1] == ' ' || memchr(t->p, ',', t->n) || memchr(t->p, '"', t->n);
    text_raw(&c->row, "\"", quote);
    for (size_t i = 0; i < t->n;) { /* a quote stands twice */
        const char *q = memchr(t->p + i, '"', t->n - i);
        size_t len = q ? (size_t)(q - t->p) - i + 1 : t->n - i;
        text_raw(&c->row, t->p + i, len);
        text_raw(&c->row, "\"", q != NULL);
        i += len;
    }
    text_raw(&c->row, "\"", quote);
}

void csv_end(struct csv *c)
{
    text_raw(&c->row, "\r\n", 2);
    c->any = false;
    if (c->row.n >= FLUSH || c->row.failed)
        csv_flush(c);
}

void csv_flush(struct csv *c)
{
    out_text(c->out, &c->row);
    c->row.n = 0;
}
