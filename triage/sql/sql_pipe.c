/*
 * sql_pipe.c - see sql_pipe.h.
 */
#include "triage/sql/sql_pipe.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "triage/sql/sql.h"

#define SEPARATORS " ,"
enum { SUMS = 8 };

/* The next bar outside of quotes, between blanks or at an end of the line. NULL: there is none. */
static const char *bar(const char *s)
{
    bool quoted = false;
    for (const char *c = s; *c; c++) {
        quoted ^= *c == '"';
        if (*c == '|' && !quoted && (c == s || c[-1] == ' ') && (!c[1] || c[1] == ' '))
            return c;
    }
    return NULL;
}

bool sql_pipe_is(const char *line)
{
    return bar(line) != NULL;
}

size_t sql_pipe_filter(const char *line)
{
    const char *end = bar(line);
    size_t n = end ? (size_t)(end - line) : strlen(line);
    while (n && line[n - 1] == ' ')
        n--;
    return n;
}

/* Names that the filter's language and people have for columns. */
static const char *column_of(const char *word, size_t n)
{
    static const char *const also[][2] = {
        {"user_frame", "user_func"}, {"frame", "func"}, {"group", "name"},
        {"goroutine", "g"},          {"on", "p"},       {"wokenby", "waker_name"}};
    const char *c;
    size_t table = 0;
    for (size_t i = 0; i < sizeof also / sizeof *also; i++)
        if (strlen(also[i][0]) == n && memcmp(word, also[i][0], n) == 0)
            return also[i][1];
    while (sql_table(table) && strcmp(sql_table(table), "span") != 0)
        table++;
    for (size_t i = 0; sql_table(table) && (c = sql_column(table, i)) != NULL; i++)
        if (strlen(c) == n && memcmp(word, c, n) == 0)
            return c;
    return NULL;
}

/* "by a, b": the columns, separated by commas. */
static bool columns(const char *s, size_t n, struct text *out, struct err *e)
{
    const char *end = s + n;
    unsigned found = 0;
    s += strspn(s, " ");
    if (end - s < 3 || strncmp(s, "by ", 3) != 0)
        return err_set(e, ERR_ARG, ERR_NO_OFFSET,
                       "behind a bar stands: by COLUMN, as in | by user_frame | p99"),
               false;
    for (s += 3; (s += strspn(s, SEPARATORS)) < end; found++) {
        size_t word = strcspn(s, SEPARATORS "|");
        const char *c = column_of(s, word);
        if (!c)
            return err_set(
                       e, ERR_ARG, ERR_NO_OFFSET,
                       "'%.*s' is nothing to group by; user_frame, reason, state, group, p, wokenby .. are",
                       (int)(word < 40 ? word : 40), s),
                   false;
        text_add(out, "%s%s", found ? ", " : "", c);
        s += word;
    }
    return found || (err_set(e, ERR_ARG, ERR_NO_OFFSET, "by what? | by user_frame | p99"), false);
}

/* Write a sum as SQL, in ns where it is a time. */
static bool sum_of(const char *word, size_t n, char sql[40], bool *time)
{
    static const char *const known[][2] = {{"n", "count(*)"},
                                           {"count", "count(*)"},
                                           {"total", "sum(dur)"},
                                           {"mean", "avg(dur)"},
                                           {"max", "max(dur)"},
                                           {"hist", "hist(dur)"},
                                           {"goroutines", "count(distinct g)"}};
    unsigned percent = 0;
    size_t i = 1;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        if (strlen(known[k][0]) == n && memcmp(word, known[k][0], n) == 0) {
            snprintf(sql, 40, "%s", known[k][1]);
            *time = strstr(sql, "(dur)") && sql[0] != 'h';
            return true;
        }
    }
    for (; i < n && i < 4 && word[i] >= '0' && word[i] <= '9'; i++)
        percent = 10 * percent + (unsigned)(word[i] - '0');
    *time = true;
    snprintf(sql, 40, "p(%u, dur)", percent);
    return n > 1 && word[0] == 'p' && i == n && percent <= 100;
}

static bool sums(const char *s, size_t n, struct text *out, char order[40], struct err *e)
{
    const char *end = s + n;
    unsigned found = 0;
    char sql[40];
    bool time;
    for (; (s += strspn(s, SEPARATORS)) < end; found++) {
        const size_t word = strcspn(s, SEPARATORS "|");
        if (!sum_of(s, word, sql, &time) || found == SUMS)
            return err_set(e, ERR_ARG, ERR_NO_OFFSET,
                           "'%.*s' is no sum; n, total, mean, p50, p99, max, hist are",
                           (int)(word < 40 ? word : 40), s),
                   false;
        if (!found)
            memcpy(order, sql, sizeof sql);
        text_add(out, ", %s%s%s %.*s", time ? "dur(" : "", sql, time ? ")" : "", (int)word, s);
        s += word;
    }
    if (!found)
        text_lit(out, ", count(*) n, dur(sum(dur)) total, dur(p(50, dur)) p50, dur(p(99, dur)) p99");
    return true;
}

bool sql_pipe_query(const char *line, int64_t least, struct text *sql, struct err *e)
{
    struct text by = {0}, of = {0};
    char order[40] = "sum(dur)";
    const char *first = bar(line), *second = first ? bar(first + 1) : NULL, *end = line + strlen(line);
    bool ok = first && columns(first + 1, (size_t)((second ? second : end) - first - 1), &by, e);
    if (ok && second && bar(second + 1))
        ok = err_set(e, ERR_ARG, ERR_NO_OFFSET, "two bars at most: FILTER | by COLUMN | p99 max") == ERR_OK;
    ok = ok && sums(second ? second + 1 : end, second ? (size_t)(end - second - 1) : 0, &of, order, e);
    if (ok && text_ok(&by) && text_ok(&of)) {
        /* SQLite takes t0 and g from the row with the max(), which is the longest. */
        text_add(sql, "select %s%s, dur(max(dur)) longest, t0, g from span where matches(rowid)", by.p, of.p);
        if (least > 1)
            text_add(sql, " and dur >= %" PRId64, least);
        text_add(sql, " group by %s order by %s desc", by.p, order);
    } else if (ok) {
        ok = err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory") == ERR_OK;
    }
    text_free(&by);
    text_free(&of);
    return ok && text_ok(sql);
}
