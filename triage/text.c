/*
 * text.c - see text.h. One invariant: whatever text_clean() lets through is valid UTF-8 without control
 * characters, so a struct text may be sent to a terminal once it is complete.
 */
#include "triage/text.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"
#include "decode/base/utf8.h"
#include "triage/tables/stacks.h"

void text_free(struct text *t)
{
    mem_free(t->p);
    *t = (struct text){.ascii = t->ascii, .ticks = t->ticks};
}

bool text_ok(const struct text *t)
{
    return !t->failed;
}

char *text_take(struct text *t)
{
    char *p = t->p;
    bool failed = t->failed;
    *t = (struct text){.ascii = t->ascii, .ticks = t->ticks, .width = t->width};
    if (failed) {
        mem_free(p);
        return NULL;
    }
    return p ? p : mem_zalloc(1);
}

static bool text_room(struct text *t, size_t more)
{
    if (t->failed || more > SIZE_MAX / 2 - t->n) {
        t->failed = true;
        return false;
    }
    if (t->p && t->n + more < t->cap)
        return true;
    t->failed = !mem_room(t->p, t->cap, t->n + more + 1);
    return !t->failed;
}

void text_raw(struct text *t, const char *p, size_t n)
{
    if (!text_room(t, n))
        return;
    if (n)
        memcpy(t->p + t->n, p, n);
    t->n += n;
    t->p[t->n] = 0;
}

void text_own(struct text *t, char *s)
{
    t->failed |= !s;
    text_raw(t, s ? s : "", s ? strlen(s) : 0);
    mem_free(s);
}

void text_add(struct text *t, const char *fmt, ...)
{
    size_t more = 0;
    for (bool fits = false; !fits && text_room(t, more);) { /* most fit into the room that is there */
        const size_t room = t->cap - t->n;
        va_list ap;
        va_start(ap, fmt);
        const int n = vsnprintf(t->p + t->n, room, fmt, ap);
        va_end(ap);
        t->failed |= n < 0;
        more = n > 0 ? (size_t)n : 0;
        fits = n >= 0 && more < room;
        t->n += fits ? more : 0;
        t->p[t->n] = 0;
    }
}

static size_t clean_one(struct text *t, const char *p, size_t n)
{
    uint32_t c = 0;
    size_t len = utf8_read(p, n, &c);
    if (!len || utf8_hidden(c)) {
        text_lit(t, "?");
        return len ? len : 1;
    }
    if (t->ascii && c > 0x7e)
        text_add(t, "\\u{%x}", c);
    else
        text_raw(t, p, len);
    return len;
}

void text_clean(struct text *t, const char *p, size_t n, size_t max)
{
    const size_t start = t->n;
    for (size_t i = 0; i < n;) {
        if (max && text_width(t, start) + 2 >= max && n - i > 2) {
            text_lit(t, "..");
            return;
        }
        i += clean_one(t, p + i, n - i);
    }
}

void text_tail(struct text *t, const char *p, size_t n, size_t max)
{
    size_t chars = 0, i = n;
    while (i > 0 && (!max || chars + 2 < max || i <= 2)) {
        i--;
        while (i > 0 && ((unsigned char)p[i] & 0xc0) == 0x80)
            i--;
        chars++;
    }
    if (i > 0)
        text_lit(t, "..");
    text_clean(t, p + i, n - i, 0);
}

size_t text_width(const struct text *t, size_t from)
{
    size_t w = 0;
    for (size_t i = from; i < t->n; i++)
        w += ((unsigned char)t->p[i] & 0xc0) != 0x80;
    return w;
}

void text_wait(struct text *t, const struct trace *tr, uint32_t reason, uint32_t stack)
{
    const struct str s = stacks_reason(tr, reason, stack);
    if (s.p != trace_str(tr, reason).p)
        text_clean(t, s.p, s.len, 0);
    else if (s.len)
        text_str(t, tr, reason);
    else
        text_lit(t, "reason not recorded");
}

void text_pad(struct text *t, size_t from, size_t width)
{
    for (size_t w = text_width(t, from); w < width && !t->failed; w++)
        text_lit(t, " ");
}

void text_fold(struct text *t, const char *s, size_t n, size_t width, size_t hang)
{
    size_t room = width;
    while (n > room) {
        size_t cut = room;
        while (cut > 0 && s[cut] != ' ')
            cut--;
        cut = cut <= strspn(s, " ") ? room : cut; /* a word that is longer than a line */
        while (cut > 1 && ((unsigned char)s[cut] & 0xC0) == 0x80)
            cut--;
        text_raw(t, s, cut);
        text_add(t, "\n%*s", (int)hang, "");
        s += cut;
        n -= cut;
        const size_t skip = strspn(s, " ") < n ? strspn(s, " ") : n;
        s += skip;
        n -= skip;
        room = width - hang;
    }
    text_raw(t, s, n);
}

void text_str(struct text *t, const struct trace *tr, uint32_t id)
{
    const struct str s = trace_str(tr, id);
    const bool lost = trace_info(tr)->ndamages && s.len > 1 && *s.p == '#' && isdigit((unsigned char)s.p[1]);
    text_add(t, "%s", lost ? "name lost (" : ""); /* with the table of strings: its number stands for it */
    text_clean(t, s.p, s.len, 0);
    text_add(t, "%s", lost ? ")" : "");
}

static void text_unit(struct text *t, double v, const char *unit)
{
    text_add(t, v < 9.995 ? "%.2f%s" : v < 99.95 ? "%.1f%s" : "%.0f%s", v, unit);
}

void text_dur(struct text *t, int64_t ns)
{
    uint64_t u = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
    if (ns < 0)
        text_lit(t, "-");
    if (t->ticks) {
        text_add(t, u ? "%llut" : "%llu", (unsigned long long)u);
    } else if (u < 1000) {
        text_add(t, u ? "%dns" : "%d", (int)u);
    } else if (u < 999500) {
        text_unit(t, (double)u / 1e3, "us");
    } else if (u < 999500000) {
        text_unit(t, (double)u / 1e6, "ms");
    } else if (u < 120000000000u) {
        text_add(t, "%.3fs", (double)u / 1e9);
    } else {
        u = u / 500000000u / 2 + (u / 500000000u & 1); /* to whole seconds */
        if (u >= 3600)                                 /* with seconds: it may be a moment to go to */
            text_add(t, "%lluh%02d", (unsigned long long)(u / 3600), (int)(u / 60 % 60));
        else
            text_add(t, "%d", (int)(u / 60));
        text_add(t, "m%02ds", (int)(u % 60));
    }
}

/* Adds a moment, not negative, with as many digits as a tenth of `len` needs; the rest is cut off. */
static void text_moment(struct text *t, int64_t ns, int64_t len)
{
    static const struct {
        int64_t ns;
        int digits;
        const char *name;
    } units[] = {{1000000000, 9, "s"}, {1000000, 6, "ms"}, {1000, 3, "us"}, {1, 0, "ns"}};
    size_t u = 0;
    while (ns < units[u].ns && units[u].ns > 1)
        u++;
    int digits = units[u].digits;
    int64_t behind = ns % units[u].ns;
    for (int64_t r = 10; digits > 0 && r <= len / 10; r *= 10) {
        behind /= 10;
        digits--;
    }
    if (digits > 0)
        text_add(t, "%lld.%0*lld%s", (long long)(ns / units[u].ns), digits, (long long)behind, units[u].name);
    else
        text_add(t, "%lld%s", (long long)(ns / units[u].ns), units[u].name);
}

void text_between(struct text *t, int64_t t0, int64_t t1)
{
    enum { TELLS = 20 }; /* of a moment text_dur() says at least that part */
    const int64_t len = t1 - t0;
    const bool exact = !t->ticks && t0 > 0 && len < t1 / TELLS;
    exact ? text_moment(t, t0, len) : text_dur(t, t0);
    text_lit(t, "..");
    exact ? text_moment(t, t1, len) : text_dur(t, t1);
}

void text_bytes(struct text *t, uint64_t b)
{
    static const char unit[] = "KMGTPE";
    double v = (double)b;
    int i = -1;
    if (b < 1024) {
        text_add(t, "%u", (unsigned)b);
        return;
    }
    while (v >= 1023.95 && i < 5) {
        v /= 1024;
        i++;
    }
    text_add(t, v < 99.95 ? "%.1f%c" : "%.0f%c", v, unit[i]);
}

char *share_of(double part, double whole, char out[SHARE_MAX])
{
    const double s = whole > 0 ? part / whole * 100 : 0;
    if (whole <= 0)
        snprintf(out, SHARE_MAX, "-");
    else if (part == 0)
        snprintf(out, SHARE_MAX, "0%%");
    else if (s > 0 && s < 0.05)
        snprintf(out, SHARE_MAX, "<0.1%%");
    else
        snprintf(out, SHARE_MAX, "%.1f%%", part < whole && s > 99.9 ? 99.9 : s);
    return out;
}

void text_share(struct text *t, double part, double whole)
{
    char out[SHARE_MAX];
    text_add(t, "%s", share_of(part, whole, out));
}

/* Undoes %2e, the linker's point in the last part of a package's path. Returns false if there is none. */
static bool unescape(const char *p, size_t n, struct text *out)
{
    const char *end = p + n, *at;
    for (; (at = memmem(p, (size_t)(end - p), "%2e", 3)); p = at + 3) {
        text_raw(out, p, (size_t)(at - p));
        text_lit(out, ".");
    }
    if (out->p)
        text_raw(out, p, (size_t)(end - p));
    return out->p != NULL;
}

void text_func(struct text *t, const struct trace *tr, uint32_t str, size_t max)
{
    struct str s = trace_str(tr, str);
    size_t cut = 0;
    for (size_t i = 0; i < s.len; i++)
        if (s.p[i] == '/')
            cut = i + 1;
        else if (s.p[i] == '(' || s.p[i] == '[')
            break; /* type arguments may hold paths, too */
    struct text plain = {.n = 0};
    if (s.len == 0)
        text_lit(t, "?");
    else if (unescape(s.p + cut, s.len - cut, &plain))
        text_tail(t, plain.p, plain.n, max);
    else
        text_tail(t, s.p + cut, s.len - cut, max);
    text_free(&plain);
}

bool text_func_is(const struct trace *tr, uint32_t str, const char *name)
{
    struct text t = {0};
    text_func(&t, tr, str, 0);
    const bool is = str_is(trace_str(tr, str), name) || (t.p && strcmp(t.p, name) == 0);
    text_free(&t);
    return is;
}

void text_where(struct text *t, const struct trace *tr, uint32_t stack, size_t max)
{
    uint32_t n = trace_stack(tr, stack), i = stacks_user_frame(tr, stack);
    struct frame top, user;
    size_t start = t->n;
    top = n ? trace_frame(tr, stack, 0) : (struct frame){0};
    if (n == 0 || (n == 1 && !top.func && !top.pc)) {
        text_lit(t, "-");
        return;
    }
    if (!top.func) {
        text_add(t, "pc 0x%llx", (unsigned long long)top.pc);
        if (n > 1)
            text_add(t, " in 0x%llx", (unsigned long long)trace_frame(tr, stack, 1).pc);
        return;
    }
    if (i == 0 || i >= n) {
        text_func(t, tr, top.func, max);
        return;
    }
    user = trace_frame(tr, stack, i);
    text_func(t, tr, top.func, max ? max / 2 : 0);
    text_lit(t, " in ");
    text_func(t, tr, user.func, max > text_width(t, start) + 8 ? max - text_width(t, start) : max ? 8 : 0);
}

void text_who(struct text *t, const struct trace *tr, uint32_t g)
{
    struct lane_info li;
    if (g == NO_LANE || g >= trace_nlanes(tr, LANE_G)) {
        text_lit(t, "scheduler");
        return;
    }
    li = trace_lane(tr, lane_g(g));
    text_add(t, "G%llu", (unsigned long long)li.id);
    if (li.name) {
        text_lit(t, " ");
        text_func(t, tr, li.name, 80);
    }
}

/* Returns the next function of the program at *i or further out, except `last`; 0: none. The first is taken
 * as it is. */
static uint32_t next_call(const struct trace *tr, uint32_t stack, uint32_t *i, uint32_t last)
{
    for (const uint32_t n = trace_stack(tr, stack); *i < n;) {
        const uint32_t func = trace_frame(tr, stack, (*i)++).func;
        if (!last || (func != last && stacks_is_program(tr, func)))
            return func;
    }
    return 0;
}

void text_calls(struct text *t, const struct trace *tr, uint32_t stack, uint32_t frame, unsigned most)
{
    unsigned said = 0;
    for (uint32_t func = 0; said < most && (func = next_call(tr, stack, &frame, func)); said++) {
        text_add(t, "%s", said == 0 ? "" : said == 1 ? ", called by " : ", by ");
        text_func(t, tr, func, 0);
    }
    if (!said)
        text_lit(t, "?");
}

bool text_calls_alike(const struct trace *tr, uint32_t stack, uint32_t frame, uint32_t other,
                      uint32_t its_frame, unsigned most)
{
    uint32_t last = 0;
    if (stack == other && frame == its_frame)
        return true;
    for (unsigned k = 0; k < most; k++) {
        const uint32_t a = next_call(tr, stack, &frame, last), b = next_call(tr, other, &its_frame, last);
        if (a != b)
            return false;
        if (!a)
            break;
        last = a;
    }
    return true;
}

/* ---- sentences ----------------------------------------------------------------------------------------- */

static void say_part_add(struct text *t, const struct trace *tr, const struct say_part *p, size_t begin)
{
    struct text cell = {.ticks = t->ticks};
    switch (p->how) {
    case SAY_WORDS: text_raw(t, p->words, strlen(p->words)); break;
    case SAY_COUNT: text_add(t, "%*llu", (int)p->most, (unsigned long long)p->n); break;
    case SAY_SIGNED: text_add(t, "%*lld", (int)p->most, (long long)p->n); break;
    case SAY_FIXED: text_add(t, "%.*f", (int)p->most, p->part); break;
    case SAY_DUR: text_dur(t, p->n); break;
    case SAY_CELL:
        text_dur(&cell, p->n);
        text_add(t, "%*s", (int)p->most, cell.p ? cell.p : "");
        text_free(&cell);
        break;
    case SAY_TO: text_pad(t, begin, p->most); break;
    case SAY_CLEAN: text_clean(t, p->words, strlen(p->words), p->most); break;
    case SAY_BYTES: text_bytes(t, (uint64_t)p->n); break;
    case SAY_SHARE: text_share(t, p->part, p->whole); break;
    case SAY_FUNC: text_func(t, tr, p->id, p->most); break;
    case SAY_STR: text_str(t, tr, p->id); break;
    case SAY_WHO: text_who(t, tr, p->id); break;
    case SAY_WHERE: text_where(t, tr, p->id, p->most); break;
    case SAY_WAIT: text_wait(t, tr, p->id, p->frame); break;
    case SAY_CALLS: text_calls(t, tr, p->id, p->frame, (unsigned)p->most); break;
    }
}

void text_say_parts(struct text *t, const struct trace *tr, const struct say_part *v, size_t n)
{
    const size_t begin = t->n;
    for (size_t i = 0; i < n; i++)
        say_part_add(t, tr, &v[i], begin);
}

/* ---- numbers with a unit ------------------------------------------------------------------------------- */

static const struct { /* of each unit the largest first */
    const char *name;
    double k;
    enum unit unit;
} units[] = {{"", 1, UNIT_COUNT},
             {"s", 1e9, UNIT_NS},
             {"ms", 1e6, UNIT_NS},
             {"us", 1e3, UNIT_NS},
             {"ns", 1, UNIT_NS},
             {"%", 0.01, UNIT_SHARE},
             {"GB", 1073741824, UNIT_BYTES},
             {"MB", 1048576, UNIT_BYTES},
             {"KB", 1024, UNIT_BYTES},
             {"B", 1, UNIT_BYTES}};
enum { UNITS = sizeof units / sizeof *units };

bool unit_parse(const char *s, double *v, enum unit *unit)
{
    char *end;
    const double n = strtod(s, &end);
    const char *name = end + strspn(end, " ");
    const unsigned i = find_first(k, UNITS, strcmp(name, units[k].name) == 0);
    if (end == s || !isfinite(n) || i == UNITS)
        return false;
    *unit = units[i].unit;
    *v = *unit == UNIT_SHARE ? n / 100 : n * units[i].k; /* 95% is 0.95 to the last bit */
    return true;
}

void unit_text(struct text *t, enum unit unit, double v)
{
    const unsigned i = find_first(k, UNITS, units[k].unit == unit && (v >= units[k].k || units[k].k <= 1));
    text_add(t, unit == UNIT_SHARE ? "%.4g%s" : "%.6g%s", unit == UNIT_SHARE ? v * 100 : v / units[i].k,
             units[i].name);
}
