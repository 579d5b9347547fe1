/*
 * thresholds.c - see thresholds.h. One table of numbers and what they are. A second set is filled while a
 * file is read, so that a mistake in its last line changes nothing.
 */
#include "triage/findings/thresholds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"
#include "triage/places.h"
#include "triage/text.h"

static const struct {
    enum rule rule;
    const char *name, *meaning;
    enum threshold_unit unit;
} table[TH_COUNT] = {
#define X(ID, rule, name, value, unit, meaning) {RULE_##rule, name, meaning, unit},
#include "triage/findings/thresholds.def"
#undef X
};

struct set {
    double v[TH_COUNT];
    bool off[RULE_COUNT];
};
static const struct set shipped = {.v = {
#define X(ID, rule, name, value, unit, meaning) value,
#include "triage/findings/thresholds.def"
#undef X
                                   }};
static struct set now = {.v = {
#define X(ID, rule, name, value, unit, meaning) value,
#include "triage/findings/thresholds.def"
#undef X
                         }};

/* Rules divide by values that reached a threshold, so a user's 0 is replaced by the smallest positive
 * value. */
#define LEAST 1e-9

double threshold(enum threshold t)
{
    return now.v[t] > LEAST ? now.v[t] : LEAST;
}

int64_t threshold_ns(enum threshold t)
{
    return now.v[t] > 1 ? (int64_t)now.v[t] : 1;
}

bool threshold_reached(enum threshold t, int64_t part, int64_t whole)
{
    return (double)part >= threshold(t) * (double)whole;
}

bool rule_is_off(enum rule r)
{
    return now.off[r];
}

void thresholds_reset(void)
{
    now = shipped;
}

/* ---- a user's file ------------------------------------------------------------------------------------- */

struct part { /* of a line */
    const char *p;
    size_t n;
};

static struct part trimmed(const char *p, size_t n)
{
    while (n && (*p == ' ' || *p == '\t')) {
        p++;
        n--;
    }
    while (n && (p[n - 1] == ' ' || p[n - 1] == '\t' || p[n - 1] == '\r'))
        n--;
    return (struct part){p, n};
}

static bool part_is(struct part a, const char *s, size_t n)
{
    return a.n == n && memcmp(a.p, s, n) == 0;
}

/* Parse a number into its unit's base; false: not a number of that unit. */
static bool value_of(struct part a, enum threshold_unit unit, double *out)
{
    static const struct {
        const char *name;
        double k;
        enum threshold_unit unit;
    } suffix[] = {{"ns", 1, TU_NS},          {"us", 1e3, TU_NS},
                  {"ms", 1e6, TU_NS},        {"s", 1e9, TU_NS},
                  {"%", 0.01, TU_SHARE},     {"", 1, TU_SHARE},
                  {"B", 1, TU_BYTES},        {"KB", 1024, TU_BYTES},
                  {"MB", 1048576, TU_BYTES}, {"GB", 1073741824, TU_BYTES},
                  {"", 1, TU_COUNT}};
    char buf[64], *end;
    double v;
    if (a.n == 0 || a.n >= sizeof buf || a.p[0] == '-' || a.p[0] == '+')
        return false;
    memcpy(buf, a.p, a.n);
    buf[a.n] = 0;
    v = strtod(buf, &end);
    if (end == buf || !isfinite(v))
        return false;
    end += strspn(end, " ");
    for (size_t i = 0; i < sizeof suffix / sizeof *suffix; i++) {
        if (suffix[i].unit == unit && strcmp(end, suffix[i].name) == 0) {
            *out = suffix[i].name[0] == '%' ? v / 100 : v * suffix[i].k; /* 95% is 0.95 to the last bit */
            return *out <= 9e18 && (unit != TU_SHARE || *out <= 1);
        }
    }
    return false;
}

static const char *expected(enum threshold_unit unit)
{
    static const char *const what[] = {"a time as 5ms (ns us ms s)", "a share as 20% or 0.2, at most 100%",
                                       "bytes as 4MB (B KB MB GB)", "a count as 8"};
    return what[unit];
}

struct here { /* the line being read, and where errors in it are stored */
    const char *file;
    unsigned line;
    struct err *e;
};

static enum err_code bad(const struct here *h, struct part at, const char *why)
{
    return err_set(h->e, ERR_ARG, ERR_NO_OFFSET, "%.60s:%u: '%.*s' %s", h->file, h->line,
                   (int)(at.n < 40 ? at.n : 40), at.p, why);
}

static enum err_code set_rule(struct set *s, enum rule r, struct part v, const struct here *h)
{
    bool off = part_is(v, "off", 3);
    if (!off && !part_is(v, "on", 2))
        return bad(h, v, "is neither on nor off; a number of the rule is RULE.name (--rules lists them)");
    s->off[r] = off;
    return ERR_OK;
}

static enum err_code set_number(struct set *s, enum rule r, struct part name, struct part v,
                                const struct here *h)
{
    for (int i = 0; i < TH_COUNT; i++) {
        if (table[i].rule == r && part_is(name, table[i].name, strlen(table[i].name))) {
            char why[100];
            snprintf(why, sizeof why, "is not what stands there: expected %s", expected(table[i].unit));
            return value_of(v, table[i].unit, &s->v[i]) ? ERR_OK : bad(h, v, why);
        }
    }
    return bad(h, name, "is no number of this rule (--rules lists them)");
}

static enum err_code line_of(struct set *s, struct part l, const struct here *h)
{
    const char *eq = memchr(l.p, '=', l.n), *dot;
    struct part name, value, rule;
    if (!eq)
        return bad(h, l, "has no '=': expected RULE.name = VALUE, or RULE = off");
    name = trimmed(l.p, (size_t)(eq - l.p));
    value = trimmed(eq + 1, l.n - (size_t)(eq + 1 - l.p));
    dot = memchr(name.p, '.', name.n);
    rule = dot ? (struct part){name.p, (size_t)(dot - name.p)} : name;
    for (int r = 0; r < RULE_COUNT; r++) {
        if (part_is(rule, rule_id((enum rule)r), strlen(rule_id((enum rule)r)))) {
            struct part number = {dot ? dot + 1 : "", dot ? name.n - rule.n - 1 : 0};
            return dot ? set_number(s, (enum rule)r, number, value, h) : set_rule(s, (enum rule)r, value, h);
        }
    }
    return bad(h, rule, "is no rule (--rules lists them)");
}

enum err_code thresholds_parse(const char *name, const char *text, size_t n, struct err *e)
{
    struct set s = now;
    unsigned line = 0;
    for (size_t i = 0, len; i < n; i += len + 1) {
        const char *end = memchr(text + i, '\n', n - i), *remark;
        struct part l;
        enum err_code c;
        line++;
        len = end ? (size_t)(end - text) - i : n - i;
        remark = memchr(text + i, '#', len);
        l = trimmed(text + i, remark ? (size_t)(remark - text) - i : len);
        if (l.n && (c = line_of(&s, l, &(struct here){name, line, e})) != ERR_OK)
            return c;
    }
    now = s;
    return ERR_OK;
}

enum err_code thresholds_read(const char *path, struct err *e)
{
    char named[PLACES_PATH], *text = NULL;
    size_t n = 0;
    enum err_code c = places_read(PLACE_COUNT, path, &text, &n);
    for (int p = 0; c == ERR_IO && p < PLACE_BUILTIN && !strchr(path, '/'); p++) {
        /* a name: NAME.rules in the directory of key maps */
        if (places_path(p, path, "rules", named) && (c = places_read(p, named, &text, &n)) != ERR_IO)
            path = named;
    }
    c = c == ERR_OK ? thresholds_parse(path, text, n, e)
                    : err_set(e, c, ERR_NO_OFFSET, "%.120s: %s", path,
                              c == ERR_NOMEM ? "out of memory"
                              : c == ERR_ARG ? PLACES_UNTRUSTED
                                             : "can't be read, or is longer than a megabyte");
    mem_free(text);
    return c;
}

/* ---- in words ------------------------------------------------------------------------------------------ */

static void value_text(struct text *t, enum threshold_unit unit, double v)
{
    static const struct {
        const char *name;
        double k;
    } time[] = {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}},
      size[] = {{"GB", 1073741824}, {"MB", 1048576}, {"KB", 1024}, {"B", 1}};
    int i = 0;
    if (unit == TU_SHARE) {
        text_add(t, "%.4g%%", v * 100);
    } else if (unit == TU_COUNT) {
        text_add(t, "%.6g", v);
    } else {
        while (i < 3 && v < (unit == TU_NS ? time[i].k : size[i].k))
            i++;
        text_add(t, "%.6g%s", v / (unit == TU_NS ? time[i].k : size[i].k),
                 unit == TU_NS ? time[i].name : size[i].name);
    }
}

static void numbers_text(struct text *t, enum rule r)
{
    for (int i = 0; i < TH_COUNT; i++) {
        size_t start = t->n;
        if (table[i].rule != r)
            continue;
        text_add(t, "    %s.%s = ", rule_id(r), table[i].name);
        value_text(t, table[i].unit, now.v[i]);
        text_pad(t, start, 40);
        text_add(t, " # %s", table[i].meaning);
        if (now.v[i] != shipped.v[i]) {
            text_lit(t, "; shipped: ");
            value_text(t, table[i].unit, shipped.v[i]);
        }
        text_lit(t, "\n");
    }
}

#define HELP_WIDTH 96

/* Append the words of s as remarks, in lines of at most HELP_WIDTH. */
static void remark(struct text *t, const char *s)
{
    size_t col = HELP_WIDTH;
    while (*s) {
        size_t n = strcspn(s, " ");
        if (col + n + 1 > HELP_WIDTH) {
            text_lit(t, "\n#  ");
            col = 3;
        }
        text_lit(t, " ");
        text_raw(t, s, n);
        col += n + 1;
        s += n + (s[n] == ' ');
    }
    text_lit(t, "\n");
}

void rules_text(struct text *t)
{
    text_lit(t, "# The rules, and the numbers that decide when they speak. To change some, copy their lines "
                "with = into a\n"
                "# file and pass it as --rules FILE. RULE = off turns a rule off.\n");
    for (int r = 0; r < RULE_COUNT; r++) {
        text_add(t, "\n# %s (%s)%s", rule_id((enum rule)r), rule_row((enum rule)r)->title,
                 now.off[r] ? ", off" : "");
        remark(t, rule_row((enum rule)r)->when);
        if (now.off[r])
            text_add(t, "    %s = off\n", rule_id((enum rule)r));
        numbers_text(t, (enum rule)r);
    }
}
