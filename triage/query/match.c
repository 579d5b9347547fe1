/*
 * match.c - see match.h.
 */
#include "triage/query/match.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"
#include "decode/base/utf8.h"

/* Returns the last byte of the [set] that begins at p, or of the text if the set has no end. */
static const char *set_end(const char *p)
{
    p += p[1] == '^';
    p += p[1] == ']';
    while (p[1] && p[1] != ']') {
        p++;
        if (*p == '[' && (p[1] == ':' || p[1] == '.' || p[1] == '=')) {
            const char close[] = {p[1], ']', 0}, *end = strstr(p + 2, close);
            p = end ? end + 1 : p;
        }
    }
    return p + (p[1] != 0);
}

/* Returns why the pattern isn't taken: it has back references, or it would become too long once the C library
 * has written its repetitions out. A '+' behind a group doubles it, a count repeats; several multiply. */
static const char *why_refused(const char *p)
{
    enum { MOST = 1500 };
    uint64_t cost = strlen(p), counts = 0;
    bool again = false;
    for (const char *end, *at = p; *at && cost <= MOST; at = end + 1) {
        const bool repeats = strchr("*+?{", *at);
        end = *at == '[' ? set_end(at) : *at == '\\' && at[1] ? at + 1 : at;
        if (*at == '\\' && at[1] >= '1' && at[1] <= '9')
            return "back references are not allowed";
        if ((repeats && again) || (*at == '{' && counts++))
            return "a repetition of a repetition, and several counts, are not allowed";
        again = repeats;
        cost *= *at == '+' && at > p && at[-1] == ')' ? 2 : 1;
        for (const char *c = at + 1; *at == '{' && *c && *c != '}'; c++) {
            const uint64_t n = strtoul(c, NULL, 10);
            cost *= n > 1 && (c[-1] == '{' || c[-1] == ',') ? n < MOST ? n : MOST : 1;
        }
    }
    return cost > MOST ? "its repetitions are too many" : NULL;
}

/* Replaces <5D0>, as the screen writes a character that terminals may move, by that character. Its bytes are
 * no more than the code's. */
static size_t uncoded(const char *p, char *out)
{
    char *const from = out;
    while (*p) {
        const size_t digits = *p == '<' ? strspn(p + 1, "0123456789ABCDEF") : 0;
        const bool closed = digits >= 2 && digits <= 6 && p[digits + 1] == '>';
        uint32_t c = closed ? (uint32_t)strtoul(p + 1, NULL, 16) : 0;
        const size_t n = c > 0x7F && c <= 0x10FFFF ? (size_t)utf8_write(c, out) : 0;
        if (n && utf8_read(out, n, &c)) { /* no half of a pair */
            out += n;
            p += digits + 2;
        } else {
            *out++ = *p++;
        }
    }
    *out = 0;
    return (size_t)(out - from);
}

/* Returns whether a pattern has no capitals. */
static bool folds(const char *text, size_t n, bool regex)
{
    for (size_t i = 0, len; i < n; i += len + !len) {
        uint32_t c = 0;
        len = utf8_read(text + i, n - i, &c);
        if (regex && text[i] == '\\')
            len = text[i + 1] ? 2 : 1; /* \S is no capital */
        else if (len && utf8_lower(c) != c)
            return false;
    }
    return true;
}

bool match_init(struct match *m, const char *text, bool regex, char *why, size_t size)
{
    char buf[100];
    const char *no = strlen(text) < sizeof m->text ? NULL : "too long";
    memset(m, 0, sizeof *m);
    m->len = no ? 0 : uncoded(text, m->text);
    m->fold = folds(m->text, m->len, regex);
    no = no || !regex ? no : why_refused(m->text);
    if (regex && !no) {
        const int rc = regcomp(&m->re, m->text, REG_EXTENDED | REG_NOSUB | (m->fold ? REG_ICASE : 0));
        if (rc)
            regerror(rc, &m->re, buf, sizeof buf);
        no = rc ? buf : NULL;
        m->is_regex = !rc;
    }
    if (no)
        snprintf(why, size, "%s", no);
    return !no;
}

void match_free(struct match *m)
{
    if (m->is_regex)
        regfree(&m->re);
    mem_free(m->str.is);
    mem_free(m->stack.is);
    *m = (struct match){0};
}

/* Returns whether p and text, which has no capitals, differ in capitals only. */
static bool same_folded(const char *p, const char *text, size_t len)
{
    for (size_t i = 0, n; i < len; i += n) {
        char c[4] = {0};
        n = 1;
        if ((unsigned char)p[i] < 0x80) {
            if (tolower((unsigned char)p[i]) != text[i])
                return false;
            continue;
        }
        memcpy(c, p + i, len - i < sizeof c ? len - i : sizeof c);
        n = utf8_lower_at(c, len - i < sizeof c ? len - i : sizeof c);
        if (memcmp(c, text + i, n) != 0)
            return false;
    }
    return true;
}

bool match_str(const struct match *m, struct str s)
{
    char buf[MATCH_MAX + 1];
    if (m->is_regex) {
        size_t n = s.len < MATCH_MAX ? s.len : MATCH_MAX;
        memcpy(buf, s.p, n);
        buf[n] = 0;
        for (size_t i = 0; m->fold && i < n;) /* the library's REG_ICASE knows those of its locale */
            i += (unsigned char)buf[i] < 0x80 ? 1 : utf8_lower_at(buf + i, n - i);
        return regexec(&m->re, buf, 0, NULL, 0) == 0;
    }
    if (!m->len || m->len > s.len)
        return false;
    if (!m->fold)
        return memmem(s.p, s.len, m->text, m->len) != NULL;
    return any_of(i, s.len - m->len + 1, same_folded(s.p + i, m->text, m->len));
}

/* ---- strings and stacks of a trace --------------------------------------------------------------------- */

bool match_fit(struct match *m, const struct trace *tr)
{
    const bool ok = mem_room_zeros(m->str.is, m->str.n, trace_nstr(tr));
    return mem_room_zeros(m->stack.is, m->stack.n, trace_nstacks(tr)) && ok;
}

/* 0: not tested, 1: no match, 2: match */
static uint8_t kept(const struct match_known *k, uint32_t id)
{
    return id < k->n ? __atomic_load_n(&k->is[id], __ATOMIC_RELAXED) : 0;
}

static bool keep_known(const struct match_known *k, uint32_t id, bool is)
{
    if (id < k->n)
        __atomic_store_n(&k->is[id], is ? 2 : 1, __ATOMIC_RELAXED);
    return is;
}

bool match_id(const struct match *m, const struct trace *tr, uint32_t str)
{
    const uint8_t is = kept(&m->str, str);
    return is ? is == 2 : str && keep_known(&m->str, str, match_str(m, trace_str(tr, str)));
}

static bool match_frames(const struct match *m, const struct trace *tr, uint32_t stack)
{
    const uint32_t n = trace_stack(tr, stack);
    return any_of(i, n,
                  match_id(m, tr, trace_frame(tr, stack, i).func) ||
                      (m->files && match_id(m, tr, trace_frame(tr, stack, i).file)));
}

bool match_stack(const struct match *m, const struct trace *tr, uint32_t stack)
{
    const uint8_t is = kept(&m->stack, stack);
    return is ? is == 2 : stack && keep_known(&m->stack, stack, match_frames(m, tr, stack));
}
