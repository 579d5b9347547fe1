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
    enum unit unit;
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
static struct set own;
static const struct set *now = &shipped; /* or &own: by a user's file */

/* Rules divide by values that reached a threshold, so a user's 0 is replaced by the smallest positive
 * value. */
#define LEAST 1e-9

double threshold(enum threshold t)
{
    return now->v[t] > LEAST ? now->v[t] : LEAST;
}

int64_t threshold_ns(enum threshold t)
{
    return now->v[t] > 1 ? (int64_t)now->v[t] : 1;
}

bool threshold_reached(enum threshold t, int64_t part, int64_t whole)
{
    return (double)part >= threshold(t) * (double)whole;
}

bool rule_is_off(enum rule r)
{
    return now->off[r];
}

/* ---- a user's file ------------------------------------------------------------------------------------- */

static struct str trimmed(const char *p, size_t n)
{
    while (n && (*p == ' ' || *p == '\t')) {
        p++;
        n--;
    }
    while (n && (p[n - 1] == ' ' || p[n - 1] == '\t' || p[n - 1] == '\r'))
        n--;
    return (struct str){p, (uint32_t)n};
}

/* Parse a number into its unit's base; false: not a number of that unit. */
static bool value_of(struct str a, enum unit unit, double *out)
{
    char buf[64];
    enum unit is;
    snprintf(buf, sizeof buf, "%.*s", (int)a.len, a.p);
    return a.len && a.len < sizeof buf && a.p[0] != '-' && a.p[0] != '+' && unit_parse(buf, out, &is) &&
           (is == unit || (unit == UNIT_SHARE && is == UNIT_COUNT)) && *out <= 9e18 &&
           (unit != UNIT_SHARE || *out <= 1);
}

struct here { /* the line being read, and where errors in it are stored */
    const char *file;
    unsigned line;
    struct err *e;
};

static enum err_code bad(const struct here *h, struct str at, const char *why)
{
    return err_set(h->e, ERR_ARG, ERR_NO_OFFSET, "%.60s:%u: '%.*s' %s", h->file, h->line,
                   (int)(at.len < 40 ? at.len : 40), at.p, why);
}

static enum err_code set_rule(struct set *s, enum rule r, struct str v, const struct here *h)
{
    const bool off = str_is(v, "off");
    if (!off && !str_is(v, "on"))
        return bad(h, v, "is neither on nor off; a number of the rule is RULE.name (--rules lists them)");
    s->off[r] = off;
    return ERR_OK;
}

static enum err_code set_number(struct set *s, enum rule r, struct str name, struct str v,
                                const struct here *h)
{
    static const char *const expected[] = {"a count as 8", "a time as 5ms (ns us ms s)",
                                           "a share as 20% or 0.2, at most 100%",
                                           "bytes as 4MB (B KB MB GB)"};
    for (int i = 0; i < TH_COUNT; i++) {
        if (table[i].rule == r && str_is(name, table[i].name)) {
            char why[100];
            snprintf(why, sizeof why, "is not what stands there: expected %s", expected[table[i].unit]);
            return value_of(v, table[i].unit, &s->v[i]) ? ERR_OK : bad(h, v, why);
        }
    }
    return bad(h, name, "is no number of this rule (--rules lists them)");
}

static enum err_code line_of(struct set *s, struct str l, const struct here *h)
{
    const char *eq = memchr(l.p, '=', l.len);
    if (!eq)
        return bad(h, l, "has no '=': expected RULE.name = VALUE, or RULE = off");
    const struct str name = trimmed(l.p, (size_t)(eq - l.p)),
                     value = trimmed(eq + 1, l.len - (size_t)(eq + 1 - l.p));
    const char *dot = memchr(name.p, '.', name.len);
    const struct str rule = dot ? (struct str){name.p, (uint32_t)(dot - name.p)} : name;
    const enum rule r = rule_named(rule);
    if (r == RULE_COUNT)
        return bad(h, rule, "is no rule (--rules lists them)");
    const struct str number = {dot ? dot + 1 : "", dot ? name.len - rule.len - 1 : 0};
    return dot ? set_number(s, r, number, value, h) : set_rule(s, r, value, h);
}

enum err_code thresholds_parse(const char *name, const char *text, size_t n, struct err *e)
{
    struct set s = shipped;
    unsigned line = 0;
    for (size_t i = 0, len; i < n; i += len + 1) {
        const char *end = memchr(text + i, '\n', n - i);
        enum err_code c;
        line++;
        len = end ? (size_t)(end - text) - i : n - i;
        const char *remark = memchr(text + i, '#', len);
        const struct str l = trimmed(text + i, remark ? (size_t)(remark - text) - i : len);
        if (l.len && (c = line_of(&s, l, &(struct here){name, line, e})) != ERR_OK)
            return c;
    }
    own = s;
    now = &own;
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

static void numbers_text(struct text *t, enum rule r)
{
    for (int i = 0; i < TH_COUNT; i++) {
        size_t start = t->n;
        if (table[i].rule != r)
            continue;
        text_add(t, "    %s.%s = ", rule_id(r), table[i].name);
        unit_text(t, table[i].unit, now->v[i]);
        text_pad(t, start, 40);
        text_add(t, " # %s", table[i].meaning);
        if (now->v[i] != shipped.v[i]) {
            text_lit(t, "; shipped: ");
            unit_text(t, table[i].unit, shipped.v[i]);
        }
        text_lit(t, "\n");
    }
}

#define HELP_WIDTH 96

/* Append the words of s as remarks, in lines of at most HELP_WIDTH. */
static void remark(struct text *t, const char *s)
{
    struct text u = {0};
    text_fold(&u, s, strlen(s), HELP_WIDTH - 4, 0);
    for (const char *p = u.p ? u.p : ""; *p; p += strcspn(p, "\n") + (p[strcspn(p, "\n")] == '\n'))
        text_add(t, "#   %.*s\n", (int)strcspn(p, "\n"), p);
    text_free(&u);
}

void rules_text(struct text *t)
{
    text_lit(t, "# The rules, and the numbers that decide when they speak. To change some, copy their lines "
                "with = into a\n"
                "# file and pass it as --rules FILE. RULE = off turns a rule off.\n");
    for (int r = 0; r < RULE_COUNT; r++) {
        text_add(t, "\n# %s (%s)%s\n", rule_id((enum rule)r), rule_row((enum rule)r)->title,
                 now->off[r] ? ", off" : "");
        remark(t, rule_row((enum rule)r)->when);
        if (now->off[r])
            text_add(t, "    %s = off\n", rule_id((enum rule)r));
        numbers_text(t, (enum rule)r);
    }
}
