/*
 * tracegen_encode.c - the notation to bytes.
 *
 * Line by line. Second family: a batch's payload collects in `body` and is written when the batch ends, since
 * its size stands before it. Literal strings and stacks get ids at first use, from 1, anew in each
 * generation; their tables are written by tables_v2(). First family: everything goes straight out, tables
 * last.
 */
#include <stdbool.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/tracegen.h"

#define MAX_TOKENS 512

struct tok {
    char key[16]; /* "" = none */
    char *val;    /* unescaped, NUL-terminated (and may hold NULs) */
    size_t len;
    bool quoted, used;
};

struct lit { /* a literal: string, or stack as a run of frames */
    char *text;
    size_t len;
    uint32_t first, n;
};
struct lits {
    struct lit *v;
    size_t n, cap, done; /* done: already in a table */
};
struct frame_lit {
    uint64_t pc, line, func, file; /* func, file: string ids of the current generation */
};

struct enc {
    int version, lineno;
    bool v2, noauto, explicit_clock, failed;
    char *err;
    size_t errlen;
    struct tracegen_buf *out, body;
    /* the open batch */
    bool open, experimental;
    uint64_t gen, m, t, time, size, exp;
    bool size_given;
    unsigned pad;
    /* the generation */
    bool gen_used;
    uint64_t gen_t;
    /* first family */
    uint64_t seq, batch_seq;
    struct lits strs, stacks;
    struct frame_lit *frames;
    size_t nframes, capframes;
    struct lits pcs; /* frame text -> program counter, for the whole file */
    struct tok tok[MAX_TOKENS];
    unsigned ntok;
};

static int fail(struct enc *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static int fail(struct enc *e, const char *fmt, ...)
{
    if (!e->failed) {
        int n = snprintf(e->err, e->errlen, "line %d: ", e->lineno);
        va_list ap;
        va_start(ap, fmt);
        if (n >= 0 && (size_t)n < e->errlen)
            vsnprintf(e->err + n, e->errlen - (size_t)n, fmt, ap);
        va_end(ap);
    }
    e->failed = true;
    return -1;
}

static void *grow(void *p, size_t *cap, size_t need, size_t size)
{
    if (need <= *cap)
        return p;
    *cap = need * 2 + 16;
    p = realloc(p, *cap * size);
    if (!p) {
        fprintf(stderr, "tracegen: out of memory\n");
        abort();
    }
    return p;
}

/* lits_id - index of a literal, added if it is new. */
static size_t lits_id(struct lits *l, const char *text, size_t len, bool *fresh)
{
    const size_t last =
        len - !!len; /* where alike ones differ, before a call that costs much where it is sanitized */
    for (size_t i = 0; i < l->n; i++)
        if (l->v[i].len == len &&
            (!len || (l->v[i].text[last] == text[last] && l->v[i].text[last / 2] == text[last / 2])) &&
            memcmp(l->v[i].text, text, len) == 0) {
            *fresh = false;
            return i;
        }
    l->v = grow(l->v, &l->cap, l->n + 1, sizeof *l->v);
    char *copy = malloc(len + 1);
    if (!copy)
        abort();
    memcpy(copy, text, len);
    copy[len] = 0;
    l->v[l->n] = (struct lit){copy, len, 0, 0};
    *fresh = true;
    return l->n++;
}

static void lits_clear(struct lits *l)
{
    for (size_t i = 0; i < l->n; i++)
        free(l->v[i].text);
    free(l->v);
    memset(l, 0, sizeof *l);
}

static uint64_t string_id(struct enc *e, const char *s, size_t len)
{
    bool fresh;
    return len == 0 ? 0 : lits_id(&e->strs, s, len, &fresh) + 1;
}

/* ---- lines to tokens ----------------------------------------------------------------------------------- */

static int hexdigit(int c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* unquote - a quoted text in place, *p behind the opening quote on entry,
 * behind the closing one at the end. */
static int unquote(struct enc *e, char **p, struct tok *t)
{
    char *in = *p, *o = *p;
    t->val = o;
    t->quoted = true;
    for (; *in != '"'; in++) {
        if (!*in)
            return fail(e, "a quoted text has no end");
        if (*in != '\\') {
            *o++ = *in;
            continue;
        }
        in++;
        if (*in == 'x' && hexdigit(in[1]) >= 0 && hexdigit(in[2]) >= 0) {
            *o++ = (char)(hexdigit(in[1]) * 16 + hexdigit(in[2]));
            in += 2;
        } else if (*in == 'n' || *in == 't' || *in == 'r') {
            *o++ = *in == 'n' ? '\n' : *in == 't' ? '\t' : '\r';
        } else if (*in == '"' || *in == '\\') {
            *o++ = *in;
        } else {
            return fail(e, "unknown escape in a quoted text");
        }
    }
    t->len = (size_t)(o - t->val);
    *p = in + 1;
    return 0;
}

static int tokenize(struct enc *e, char *line)
{
    e->ntok = 0;
    for (char *p = line;;) {
        p += strspn(p, " \t\r");
        if (!*p || *p == '#')
            return 0;
        if (e->ntok == MAX_TOKENS)
            return fail(e, "more than %d words", MAX_TOKENS);
        struct tok *t = &e->tok[e->ntok++];
        memset(t, 0, sizeof *t);
        size_t key = strspn(p, "abcdefghijklmnopqrstuvwxyz_");
        if (key && key < sizeof t->key && p[key] == '=') {
            memcpy(t->key, p, key);
            p += key + 1;
        }
        if (*p == '"') {
            p++;
            if (unquote(e, &p, t))
                return -1;
            if (*p && !strchr(" \t\r", *p))
                return fail(e, "no blank behind a quoted text");
        } else {
            t->val = p;
            t->len = strcspn(p, " \t\r");
            p += t->len;
        }
        if (*p)
            *p++ = 0;
        t->val[t->len] = 0;
    }
}

static int number(struct enc *e, const char *s, uint64_t *v)
{
    char *end;
    const char *digits = *s == '-' ? s + 1 : s;
    *v = strtoull(s, &end, strncmp(digits, "0x", 2) == 0 ? 16 : 10);
    if (end == s || *end)
        return fail(e, "'%.60s' is no number", s);
    return 0;
}

static struct tok *find(struct enc *e, const char *key)
{
    for (unsigned i = 1; i < e->ntok; i++)
        if (*e->tok[i].key == *key && strcmp(e->tok[i].key, key) == 0)
            return &e->tok[i];
    return NULL;
}

/* option - number given as key=.., or as it was. */
static int option(struct enc *e, const char *key, uint64_t *v)
{
    struct tok *t = find(e, key);
    if (!t)
        return 0;
    t->used = true;
    return number(e, t->val, v);
}

static int all_used(struct enc *e)
{
    for (unsigned i = 1; i < e->ntok; i++)
        if (!e->tok[i].used)
            return fail(e, "'%.40s' is not understood here",
                        e->tok[i].key[0] ? e->tok[i].key : e->tok[i].val);
    return 0;
}

/* ---- values -------------------------------------------------------------------------------------------- */

/* frame_text - one frame, func@file:line!pc with parts left out. */
static int frame_text(struct enc *e, char *s, struct frame_lit *f)
{
    bool fresh;
    char file[200];
    size_t known = lits_id(&e->pcs, s, strlen(s), &fresh);
    memset(f, 0, sizeof *f);
    f->pc = 0x401000 + 0x10 * (uint64_t)known;
    char *p = strrchr(s, '!');
    if (p) {
        *p = 0;
        if (number(e, p + 1, &f->pc))
            return -1;
    }
    p = strrchr(s, ':');
    if (p && p[1] && strspn(p + 1, "0123456789") == strlen(p + 1)) {
        *p = 0;
        f->line = strtoull(p + 1, NULL, 10);
    }
    if (e->version <= 1005) /* only program counters are written */
        return 0;
    p = strrchr(s, '@');
    if (p) {
        *p = 0;
        snprintf(file, sizeof file, "%s", p + 1);
    } else {
        const char *slash = strrchr(s, '/');
        size_t len = strcspn(slash ? slash + 1 : s, ".") + (slash ? (size_t)(slash + 1 - s) : 0);
        snprintf(file, sizeof file, "%.*s.go", (int)len, s);
    }
    f->func = string_id(e, s, strlen(s));
    f->file = *s ? string_id(e, file, strlen(file)) : 0;
    return 0;
}

static int stack_id(struct enc *e, const struct tok *t, uint64_t *id)
{
    bool fresh;
    size_t i = lits_id(&e->stacks, t->val, t->len, &fresh);
    *id = i + 1;
    if (!fresh)
        return 0;
    uint32_t first = (uint32_t)e->nframes;
    char *copy = strdup(t->val), *save = NULL;
    int bad = copy ? 0 : -1;
    for (char *s = copy ? strtok_r(copy, ",", &save) : NULL; s && !bad; s = strtok_r(NULL, ",", &save)) {
        struct frame_lit f;
        bad = frame_text(e, s, &f);
        e->frames = grow(e->frames, &e->capframes, e->nframes + 1, sizeof *e->frames);
        e->frames[e->nframes++] = f;
    }
    free(copy);
    e->stacks.v[i].first = first;
    e->stacks.v[i].n = (uint32_t)e->nframes - first;
    return bad;
}

static bool is_number(const struct tok *t)
{
    return !t->quoted && (t->val[0] == '-' || (t->val[0] >= '0' && t->val[0] <= '9'));
}

static int value(struct enc *e, const struct tok *t, const char *arg, char kind, uint64_t *v)
{
    if (is_number(t))
        return number(e, t->val, v);
    switch (kind) {
    case '$':
        if (!t->quoted)
            return fail(e, "%s: a string stands in quotes", arg);
        *v = string_id(e, t->val, t->len);
        return 0;
    case '@': return stack_id(e, t, v);
    case '^': {
        struct frame_lit f = {0};
        char *copy = strdup(t->val);
        int bad = copy ? frame_text(e, copy, &f) : -1;
        free(copy);
        *v = f.pc;
        return bad;
    }
    case '%':
        for (uint64_t s = 0; tracegen_state(arg, s); s++)
            if (strcmp(t->val, tracegen_state(arg, s)) == 0) {
                *v = s;
                return 0;
            }
        return fail(e, "%s: no state is called '%.40s'", arg, t->val);
    default: return fail(e, "%s: '%.40s' is no number", arg, t->val);
    }
}

/* arguments - the values of an event's arguments: by name, or the bare ones in their order. */
static int arguments(struct enc *e, const struct tracegen_event *ev, uint64_t *v, unsigned *n)
{
    char name[TRACEGEN_ARGS][16], kind[TRACEGEN_ARGS];
    unsigned bare = 1;
    *n = tracegen_args(ev, name, kind);
    for (unsigned i = 0; i < *n; i++) {
        struct tok *t = find(e, name[i]);
        if (!t) {
            while (bare < e->ntok && (e->tok[bare].key[0] || e->tok[bare].used))
                bare++;
            t = bare < e->ntok ? &e->tok[bare++] : NULL;
        }
        v[i] = 0;
        if (t) {
            t->used = true;
            if (value(e, t, name[i], kind[i], &v[i]))
                return -1;
        } else if (kind[i] != '@') {
            return fail(e, "%s needs %s=", ev->name, name[i]);
        }
    }
    return 0;
}

/* step - the event's time step from +D or @T, and the batch's running time moved on. */
static int step(struct enc *e, uint64_t *d)
{
    *d = e->v2 ? 1 : 0;
    for (unsigned i = 1; i < e->ntok; i++) {
        struct tok *t = &e->tok[i];
        if (t->key[0] || t->quoted || t->used || (t->val[0] != '+' && t->val[0] != '@'))
            continue;
        t->used = true;
        if (number(e, t->val + 1, d))
            return -1;
        if (t->val[0] == '@')
            *d -= e->time;
        break;
    }
    e->time += *d;
    return 0;
}

/* ---- second family ------------------------------------------------------------------------------------- */

static void batch_head(struct enc *e, uint64_t m, uint64_t t, uint64_t size, unsigned pad)
{
    if (!e->gen_used)
        e->gen_t = t;
    e->gen_used = true;
    tracegen_varint(e->out, e->gen, 0);
    tracegen_varint(e->out, m, 0);
    tracegen_varint(e->out, t, 0);
    tracegen_varint(e->out, size, pad);
}

static void batch_close(struct enc *e)
{
    if (e->v2 && e->open) {
        uint8_t exp[2] = {49, (uint8_t)e->exp};
        if (e->experimental)
            tracegen_put(e->out, exp, 2);
        else
            tracegen_put(e->out, "\1", 1);
        batch_head(e, e->m, e->t, e->size_given ? e->size : e->body.n, e->pad);
        tracegen_put(e->out, e->body.p, e->body.n);
        e->body.n = 0;
    }
    e->open = false;
}

static void own_batch(struct enc *e, const struct tracegen_buf *payload)
{
    tracegen_put(e->out, "\1", 1);
    batch_head(e, UINT64_MAX, e->gen_t, payload->n, 10);
    tracegen_put(e->out, payload->p, payload->n);
}

static void put_byte(struct tracegen_buf *b, unsigned v)
{
    uint8_t c = (uint8_t)v;
    tracegen_put(b, &c, 1);
}

/*
 * default_clock - what Go writes: from 1.25 a Sync batch first in a generation, before that a frequency at
 * its end.
 */
static void default_clock(struct enc *e)
{
    struct tracegen_buf b = {0};
    if (e->version >= 1025)
        put_byte(&b, 50);
    put_byte(&b, 8);
    tracegen_varint(&b, 1000000000, 0);
    if (e->version >= 1025) {
        put_byte(&b, 51);
        tracegen_varint(&b, 0, 0);
        tracegen_varint(&b, e->gen_t, 0);
        tracegen_varint(&b, 1700000000, 0);
        tracegen_varint(&b, 0, 0);
    }
    own_batch(e, &b);
    tracegen_free(&b);
}

static void put_stack(struct enc *e, struct tracegen_buf *b, size_t i)
{
    const struct lit *l = &e->stacks.v[i];
    tracegen_varint(b, i + 1, 0);
    tracegen_varint(b, l->n, 0);
    for (uint32_t k = 0; k < l->n; k++) {
        const struct frame_lit *f = &e->frames[l->first + k];
        tracegen_varint(b, f->pc, 0);
        if (e->version > 1005) {
            tracegen_varint(b, f->func, 0);
            tracegen_varint(b, f->file, 0);
            tracegen_varint(b, f->line, 0);
        }
    }
}

static void put_string(struct tracegen_buf *b, unsigned type, uint64_t id, const char *s, size_t len)
{
    put_byte(b, type);
    tracegen_varint(b, id, 0);
    tracegen_varint(b, len, 0);
    tracegen_put(b, s, len);
}

static void tables_v2(struct enc *e)
{
    struct tracegen_buf b = {0};
    batch_close(e);
    if (e->stacks.done < e->stacks.n) {
        put_byte(&b, 2);
        for (; e->stacks.done < e->stacks.n; e->stacks.done++) {
            put_byte(&b, 3);
            put_stack(e, &b, e->stacks.done);
        }
        own_batch(e, &b);
        b.n = 0;
    }
    if (e->strs.done < e->strs.n) {
        put_byte(&b, 4);
        for (; e->strs.done < e->strs.n; e->strs.done++)
            put_string(&b, 5, e->strs.done + 1, e->strs.v[e->strs.done].text, e->strs.v[e->strs.done].len);
        own_batch(e, &b);
    }
    tracegen_free(&b);
}

static void end_generation(struct enc *e)
{
    batch_close(e);
    if (!e->noauto && e->gen_used) {
        if (!e->explicit_clock && e->version < 1025)
            default_clock(e);
        tables_v2(e);
    }
    if (e->version >= 1026)
        put_byte(e->out, 52);
    lits_clear(&e->strs);
    lits_clear(&e->stacks);
    e->nframes = 0;
    e->gen_used = false;
    e->gen++;
}

static int batch_v2(struct enc *e, bool experimental)
{
    uint64_t pad = 10;
    batch_close(e);
    e->experimental = experimental;
    e->exp = 1;
    e->m = UINT64_MAX;
    e->size_given = find(e, "size") != NULL;
    if (option(e, "gen", &e->gen) || option(e, "m", &e->m) || option(e, "t", &e->t) ||
        option(e, "size", &e->size) || option(e, "pad", &pad) ||
        (experimental && option(e, "exp", &e->exp)) || all_used(e))
        return -1;
    e->pad = pad > 10 ? 10 : (unsigned)pad;
    if (!e->gen_used && !e->noauto && !e->explicit_clock && e->version >= 1025) {
        e->gen_t = e->t;
        e->gen_used = true;
        default_clock(e);
    }
    e->time = e->t;
    e->open = true;
    return 0;
}

/* ---- first family -------------------------------------------------------------------------------------- */

/* put_v1 - an event: up to three arguments by count, more by length. `base` values are not counted. */
static void put_v1(struct enc *e, unsigned type, const uint64_t *v, unsigned n)
{
    unsigned base = e->version == 1005 ? 2 : 1;
    unsigned count = n < base ? 0 : n - base > 3 ? 3 : n - base;
    struct tracegen_buf b = {0};
    for (unsigned i = 0; i < n; i++)
        tracegen_varint(&b, v[i], 0);
    put_byte(e->out, type | count << 6);
    if (count == 3)
        tracegen_varint(e->out, b.n, 0);
    tracegen_put(e->out, b.p, b.n);
    tracegen_free(&b);
}

static void batch_event(struct enc *e, uint64_t p, uint64_t t)
{
    uint64_t v[3] = {p, t, 0};
    unsigned n = 2;
    if (e->version == 1005) {
        v[1] = e->batch_seq;
        v[2] = t;
        n = 3;
    }
    put_v1(e, 1, v, n);
    e->t = e->time = t;
}

static int batch_v1(struct enc *e)
{
    uint64_t p = 0, t = e->time;
    e->batch_seq = e->seq + 1;
    if (option(e, "p", &p) || option(e, "t", &t) || option(e, "seq", &e->batch_seq) || all_used(e))
        return -1;
    batch_event(e, p, t);
    return 0;
}

static void footer_frequency(struct enc *e, uint64_t freq)
{
    uint64_t v[2] = {freq, 0};
    put_v1(e, 2, v, e->version == 1005 ? 2 : 1);
}

static void tables_v1(struct enc *e)
{
    struct tracegen_buf b = {0};
    for (; e->strs.done < e->strs.n; e->strs.done++)
        put_string(e->out, 37, e->strs.done + 1, e->strs.v[e->strs.done].text, e->strs.v[e->strs.done].len);
    for (; e->stacks.done < e->stacks.n; e->stacks.done++) {
        b.n = 0;
        put_stack(e, &b, e->stacks.done);
        put_byte(e->out, 3 | 3 << 6);
        tracegen_varint(e->out, b.n, 10);
        tracegen_put(e->out, b.p, b.n);
    }
    tracegen_free(&b);
}

/* footer - frequency and tables in the place and order of the dialect's writer. */
static void footer(struct enc *e)
{
    bool clock = !e->explicit_clock;
    if (e->version >= 1021)
        batch_event(e, 0, e->time);
    if (clock && e->version > 1005)
        footer_frequency(e, 1000000000);
    if (e->version >= 1011 && e->version < 1021)
        batch_event(e, 0, e->time);
    tables_v1(e);
    if (clock && e->version <= 1005)
        footer_frequency(e, 1000000000);
}

/* ---- table entries and events written out -------------------------------------------------------------- */

static int line_stack(struct enc *e, struct tracegen_buf *b)
{
    struct tracegen_buf s = {0};
    uint64_t id = 0, n = 0, pad = 10, v;
    int bad = option(e, "id", &id);
    for (unsigned i = 1; i < e->ntok; i++)
        n += !e->tok[i].key[0];
    bad = bad || option(e, "n", &n) || option(e, "pad", &pad);
    tracegen_varint(&s, id, 0);
    tracegen_varint(&s, n, 0);
    for (unsigned i = 1; i < e->ntok && !bad; i++) {
        char *save = NULL;
        if (e->tok[i].key[0])
            continue;
        e->tok[i].used = true;
        for (char *p = strtok_r(e->tok[i].val, ":", &save); p && !bad; p = strtok_r(NULL, ":", &save)) {
            bad = number(e, p, &v);
            tracegen_varint(&s, v, 0);
        }
    }
    put_byte(b, e->v2 ? 3 : 3 | 3 << 6);
    if (!e->v2)
        tracegen_varint(b, s.n, (unsigned)pad);
    tracegen_put(b, s.p, s.n);
    tracegen_free(&s);
    return bad || all_used(e);
}

static int line_string(struct enc *e, struct tracegen_buf *b)
{
    uint64_t id = 0;
    struct tok *t = find(e, "");
    if (option(e, "id", &id))
        return -1;
    if (!t || !t->quoted)
        return fail(e, "String needs a text in quotes");
    t->used = true;
    put_string(b, e->v2 ? 5 : 37, id, t->val, t->len);
    return all_used(e);
}

/* line_entry - what has no time step. 1 = it was such a line, 0 = it was not. */
static int line_entry(struct enc *e, const char *name, struct tracegen_buf *b)
{
    static const struct tracegen_event freq = {"Frequency", 8, 0, 0, "freq"},
                                       timer = {"TimerGoroutine", 35, 0, 0, "g"},
                                       sample = {"CPUSample", 7, 0, 0, "time m p g stack@"};
    static const struct {
        const char *name;
        uint8_t num;
    } marks[] = {{"Stacks", 2}, {"Strings", 4}, {"CPUSamples", 6}, {"Sync", 50}};
    uint64_t v[TRACEGEN_ARGS] = {0};
    unsigned n;
    if (strcmp(name, "Stack") == 0)
        return line_stack(e, b) ? -1 : 1;
    if (strcmp(name, "String") == 0)
        return line_string(e, b) ? -1 : 1;
    for (size_t i = 0; i < sizeof marks / sizeof *marks && e->v2; i++)
        if (*name == *marks[i].name && strcmp(name, marks[i].name) == 0) {
            put_byte(b, marks[i].num);
            return all_used(e) ? -1 : 1;
        }
    const struct tracegen_event *ev = strcmp(name, "Frequency") == 0                  ? &freq
                                      : !e->v2 && strcmp(name, "TimerGoroutine") == 0 ? &timer
                                      : e->v2 && strcmp(name, "CPUSample") == 0       ? &sample
                                                                                      : NULL;
    if (!ev)
        return 0;
    if (arguments(e, ev, v, &n) || all_used(e))
        return -1;
    if (!e->v2) {
        put_v1(e, ev == &freq ? 2 : 35, v, e->version == 1005 ? 2 : 1);
        return 1;
    }
    put_byte(b, ev->num);
    for (unsigned i = 0; i < n; i++)
        tracegen_varint(b, v[i], 0);
    return 1;
}

static int line_event_v1(struct enc *e, const struct tracegen_event *ev)
{
    uint64_t v[TRACEGEN_ARGS + 2], dseq = 0, d;
    unsigned head = 0, n;
    struct tok *text = NULL;
    if (e->version == 1005) {
        dseq = e->seq + 1 - e->batch_seq;
        if (option(e, "dseq", &dseq))
            return -1;
        e->batch_seq += dseq;
        if (e->batch_seq > e->seq)
            e->seq = e->batch_seq;
        v[head++] = dseq;
    }
    if (step(e, &d))
        return -1;
    v[head++] = d;
    if (ev->num == 48) {
        text = find(e, "value");
        if (!text)
            return fail(e, "UserLog needs value=");
        text->used = true;
    }
    if (arguments(e, ev, v + head, &n) || all_used(e))
        return -1;
    put_v1(e, ev->num, v, head + n);
    if (text) {
        tracegen_varint(e->out, text->len, 0);
        tracegen_put(e->out, text->val, text->len);
    }
    return 0;
}

static int line_event_v2(struct enc *e, const struct tracegen_event *ev)
{
    uint64_t v[TRACEGEN_ARGS], d;
    unsigned n;
    if (!e->open)
        return fail(e, "%s stands outside of a batch", ev->name);
    if (step(e, &d) || arguments(e, ev, v, &n) || all_used(e))
        return -1;
    put_byte(&e->body, ev->num);
    tracegen_varint(&e->body, d, 0);
    for (unsigned i = 0; i < n; i++)
        tracegen_varint(&e->body, v[i], 0);
    return 0;
}

static int line_raw(struct enc *e)
{
    struct tracegen_buf *b = e->v2 && e->open ? &e->body : e->out;
    for (unsigned i = 1; i < e->ntok; i++) {
        const char *s = e->tok[i].val;
        for (; *s; s += 2) {
            if (hexdigit(s[0]) < 0 || hexdigit(s[1]) < 0)
                return fail(e, "raw: '%.20s' is not hexadecimal", e->tok[i].val);
            put_byte(b, (unsigned)(hexdigit(s[0]) * 16 + hexdigit(s[1])));
        }
    }
    return 0;
}

static int line_header(struct enc *e, const char *name)
{
    uint8_t head[16];
    if (strcmp(name, "raw") == 0) {
        e->version = 1022;
        e->v2 = e->noauto = true;
        return line_raw(e);
    }
    if (strcmp(name, "prototype") == 0) {
        e->version = 0;
    } else if (strcmp(name, "go") == 0 && e->ntok == 2) {
        unsigned major, minor;
        if (sscanf(e->tok[1].val, "%u.%u", &major, &minor) != 2 || major > 99 || minor > 999)
            return fail(e, "'go %.20s' is no version", e->tok[1].val);
        e->version = (int)(major * 1000 + minor);
    } else {
        return fail(e, "the first line is 'go 1.N' or 'prototype'");
    }
    e->v2 = e->version >= 1022;
    tracegen_put(e->out, head, tracegen_header(e->version, head));
    return 0;
}

static int line_do(struct enc *e)
{
    const char *name = e->tok[0].val;
    if (e->version < 0)
        return line_header(e, name);
    if (strcmp(name, "raw") == 0)
        return line_raw(e);
    if (strcmp(name, "batch") == 0)
        return e->v2 ? batch_v2(e, false) : batch_v1(e);
    if (strcmp(name, "expbatch") == 0 && e->v2)
        return batch_v2(e, true);
    if (strcmp(name, "noauto") == 0 || strcmp(name, "noclock") == 0) {
        e->noauto = e->noauto || name[2] == 'a';
        e->explicit_clock = true;
        return 0;
    }
    if (strcmp(name, "end") == 0 || (strcmp(name, "endgen") == 0 && e->v2)) {
        if (name[3])
            end_generation(e);
        batch_close(e);
        return all_used(e);
    }
    if (strcmp(name, "tables") == 0) {
        if (e->v2)
            tables_v2(e);
        else
            tables_v1(e);
        return all_used(e);
    }
    /* In the first family CPUSample is an event, in the second a table's entry. */
    const struct tracegen_event *ev = tracegen_by_name(e->version, name);
    if (ev)
        return e->v2 ? line_event_v2(e, ev) : line_event_v1(e, ev);
    if (e->v2 && !e->open)
        return fail(e, "'%.40s' stands outside of a batch, or is unknown", name);
    int r = line_entry(e, name, e->v2 ? &e->body : e->out);
    if (r == 0)
        return fail(e, "go %d.%d has no event '%.40s'", e->version / 1000, e->version % 1000, name);
    return r < 0 ? -1 : 0;
}

/* says_clock - whether a line of the text brings a clock of its own. */
static bool says_clock(const char *text)
{
    for (const char *p = text; p; p = strchr(p, '\n')) {
        p += strspn(p, "\n \t");
        if (strncmp(p, "Frequency", 9) == 0 || strncmp(p, "Sync", 4) == 0 || strncmp(p, "noclock", 7) == 0)
            return true;
    }
    return false;
}

int tracegen_encode(const char *text, struct tracegen_buf *out, char *err, size_t errlen)
{
    struct enc *e = calloc(1, sizeof *e);
    char *copy = strdup(text);
    if (!e || !copy)
        abort();
    e->out = out;
    e->err = err;
    e->errlen = errlen;
    e->version = -1;
    e->gen = 1;
    e->explicit_clock = says_clock(text);
    tracegen_put(out, "", 0);
    for (char *p = copy; p && !e->failed;) {
        char *nl = strchr(p, '\n');
        if (nl)
            *nl = 0;
        e->lineno++;
        if (tokenize(e, p) == 0 && e->ntok > 0 && line_do(e) != 0)
            fail(e, "not understood");
        p = nl ? nl + 1 : NULL;
    }
    if (!e->failed && e->version < 0)
        fail(e, "the text is empty");
    if (!e->failed && !e->noauto && e->v2 && (e->gen_used || e->open))
        end_generation(e);
    else if (!e->failed && !e->noauto && !e->v2)
        footer(e);
    batch_close(e);
    int r = e->failed ? -1 : 0;
    lits_clear(&e->strs);
    lits_clear(&e->stacks);
    lits_clear(&e->pcs);
    free(e->frames);
    tracegen_free(&e->body);
    free(copy);
    free(e);
    return r;
}
