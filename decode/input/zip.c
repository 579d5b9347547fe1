/* zip.c - see zip.h. */
#include "decode/input/zip.h"

#include <stdio.h>
#include <string.h>

#include "decode/base/rows.h"
#include "decode/input/unpack.h"

#define EOCD 22  /* bytes of the record at the end, before its comment */
#define HEAD 30  /* bytes of a member's own header */
#define ENTRY 46 /* bytes of a member's entry in the directory */

static uint64_t le(const uint8_t *p, int n)
{
    uint64_t v = 0;
    while (n--)
        v = v << 8 | p[n];
    return v;
}

static bool is_id(const uint8_t *p, uint8_t a, uint8_t b)
{
    return p[0] == 'P' && p[1] == 'K' && p[2] == a && p[3] == b;
}

bool zip_is(const uint8_t *p, size_t n)
{
    return n >= EOCD && (is_id(p, 3, 4) || is_id(p, 5, 6));
}

/* zip64 - find the record that a locator before the end points at, if there is one. */
static void zip64(struct zip *z, size_t eocd)
{
    const uint8_t *p = z->p;
    if (eocd < 20 || !is_id(p + eocd - 20, 6, 7))
        return;
    uint64_t at = le(p + eocd - 20 + 8, 8);
    if (at > z->n || z->n - at < 56 || !is_id(p + at, 6, 6))
        return;
    z->end = le(p + at + 40, 8);
    z->dir = le(p + at + 48, 8);
}

enum err_code zip_open(const uint8_t *p, size_t n, struct zip *z, struct err *e)
{
    *z = (struct zip){p, n, 0, 0};
    size_t last = n >= EOCD ? n - EOCD : 0, first = last > 65535 ? last - 65535 : 0;
    for (size_t at = last + 1; at-- > first;) {
        if (n < EOCD || !is_id(p + at, 5, 6) || le(p + at + 20, 2) > n - at - EOCD)
            continue;
        z->end = le(p + at + 12, 4);
        z->dir = le(p + at + 16, 4);
        zip64(z, at);
        if (z->dir > n || z->end > n - z->dir)
            return err_set(e, ERR_FORMAT, at, "the zip archive's directory lies outside of it");
        z->end += z->dir;
        return ERR_OK;
    }
    return err_set(e, ERR_TRUNCATED, n, "the zip archive ends early: its directory is missing");
}

/* wide - sizes of more than 4 GB stand in an extra field, in this order, those that need it. */
static void wide(struct zip_member *m, const uint8_t *p, size_t n)
{
    for (; n >= 4;) {
        size_t len = le(p + 2, 2);
        if (len > n - 4)
            return;
        if (le(p, 2) == 1) {
            uint64_t *v[] = {&m->size, &m->packed, &m->at};
            const uint8_t *q = p + 4;
            for (int i = 0; i < 3; i++)
                if (*v[i] == UINT32_MAX && len >= 8) {
                    *v[i] = le(q, 8);
                    q += 8;
                    len -= 8;
                }
            return;
        }
        p += 4 + len;
        n -= 4 + len;
    }
}

bool zip_next(const struct zip *z, uint64_t *pos, struct zip_member *m)
{
    uint64_t at = z->dir + *pos, left = z->end - z->dir >= *pos ? z->end - at : 0;
    const uint8_t *p = z->p + at;
    if (left < ENTRY || !is_id(p, 1, 2))
        return false;
    uint64_t name = le(p + 28, 2), extra = le(p + 30, 2), comment = le(p + 32, 2);
    if (name + extra + comment > left - ENTRY)
        return false;
    *m = (struct zip_member){.name = (const char *)p + ENTRY,
                             .len = (uint32_t)name,
                             .method = (uint16_t)le(p + 10, 2),
                             .encrypted = p[8] & 1,
                             .crc = (uint32_t)le(p + 16, 4),
                             .packed = le(p + 20, 4),
                             .size = le(p + 24, 4),
                             .at = le(p + 42, 4)};
    wide(m, p + ENTRY + name, extra);
    *pos += ENTRY + name + extra + comment;
    return true;
}

/* Returns the compression of a member that can't be unpacked here; NULL: it can be. */
static const char *packed_by(const struct zip_member *m)
{
    static const struct {
        uint16_t method;
        const char *name;
    } known[] = {{1, "shrink"}, {6, "implode"}, {9, "deflate64"}, {12, "bzip2"},
                 {14, "lzma"},  {93, "zstd"},   {95, "xz"},       {98, "ppmd"}};
    if (m->method == ZIP_STORED || m->method == ZIP_DEFLATED)
        return NULL;
    const size_t i = find_first(k, sizeof known / sizeof *known, known[k].method == m->method);
    return i < sizeof known / sizeof *known ? known[i].name : "a method that isn't known";
}

static bool locked(const struct zip_member *m)
{
    enum { AES = 99 };
    return m->encrypted || m->method == AES;
}

bool zip_apart(const struct zip *z, const struct zip_member *m, uint64_t *spent)
{
    if (m->packed > z->n || *spent > z->n - m->packed || z->n - m->packed - *spent < HEAD)
        return false;
    *spent += m->packed + HEAD;
    return true;
}

const uint8_t *zip_bytes(const struct zip *z, const struct zip_member *m, struct err *e)
{
    const char *by = packed_by(m), *why = locked(m) ? "is encrypted: unpack it first" : NULL;
    if (!why && by) {
        err_set(e, ERR_FORMAT, m->at,
                "the zip archive's member %.*s is compressed by %s (method %d), and only deflate is read "
                "here: unpack "
                "it first",
                (int)(m->len < 80 ? m->len : 80), m->name, by, (int)m->method);
        return NULL;
    }
    if (!why && (m->at > z->n || z->n - m->at < HEAD || !is_id(z->p + m->at, 3, 4)))
        why = "isn't where the archive's directory says";
    const uint64_t from = why ? 0 : m->at + HEAD + le(z->p + m->at + 26, 2) + le(z->p + m->at + 28, 2);
    if (!why && from <= z->n && m->packed <= z->n - from)
        return z->p + from;
    err_set(e, why ? ERR_FORMAT : ERR_TRUNCATED, m->at, "the zip archive's member %.*s %s",
            (int)(m->len < 100 ? m->len : 100), m->name, why ? why : "lies outside of it");
    return NULL;
}

bool zip_trace(const struct zip *z, const struct zip_member *m, struct dialect *d)
{
    uint8_t head[16];
    struct err e;
    const uint8_t *p = zip_bytes(z, m, &e);
    size_t n = p && m->packed < sizeof head ? (size_t)m->packed : sizeof head;
    if (!p || !m->packed)
        return false;
    if (m->method == ZIP_STORED && !unpack_packed(p, n)) /* else it was compressed before it was put in */
        return dialect_tell(p, n, d, &e) == ERR_OK;
    struct unpacker u;
    struct unpack_piece io = {p, m->packed < 4096 ? (size_t)m->packed : 4096, head, sizeof head};
    if (unpacker_begin(&u, p, n, m->method == ZIP_DEFLATED, 0, &e))
        return false;
    (void)unpacker_step(&u, &io, &e);
    unpacker_end(&u);
    return dialect_tell(head, sizeof head - io.room, d, &e) == ERR_OK;
}

/* None of so many members is a trace; some can't be looked into, the last of which is packed by that. */
struct shut {
    uint64_t all, locked, other;
    const char *by;
};

static enum err_code zip_none(const struct shut *s, struct err *e)
{
    char others[80] = "";
    if (!s->locked && !s->other)
        return err_set(e, ERR_NOT_TRACE, 0, "is a zip archive without a trace in it");
    if (s->other)
        snprintf(others, sizeof others, ", compressed by %s: %llu", s->by, (unsigned long long)s->other);
    return err_set(
        e, ERR_NOT_TRACE, 0,
        "is a zip archive without a trace that can be read (members: %llu, encrypted: %llu%s): unpack it "
        "first",
        (unsigned long long)s->all, (unsigned long long)s->locked, others);
}

/* Find the only trace, or say why there is none. */
static enum err_code only(const struct zip *z, struct zip_member *m, struct err *e)
{
    struct zip_member x, first = {0};
    struct dialect d;
    struct shut shut = {0};
    uint64_t pos = 0, n = 0, spent = 0;
    for (; shut.all < ZIP_LOOKED && zip_next(z, &pos, &x); shut.all++) {
        const char *by = locked(&x) ? NULL : packed_by(&x);
        shut.locked += locked(&x);
        shut.other += by != NULL;
        shut.by = by ? by : shut.by;
        if (!zip_bytes(z, &x, e))
            continue;
        if (!zip_apart(z, &x, &spent))
            return err_set(e, ERR_FORMAT, x.at,
                           "is a zip archive whose members overlap, as no program writes them: name one "
                           "(ARCHIVE:MEMBER)");
        if (zip_trace(z, &x, &d) && !n++)
            first = x;
    }
    *m = first;
    *e = (struct err){0};
    if (n == 1)
        return ERR_OK;
    if (!n)
        return zip_none(&shut, e);
    char closed[64] = "";
    if (shut.locked + shut.other)
        snprintf(closed, sizeof closed, " (%llu more can't be looked into)",
                 (unsigned long long)(shut.locked + shut.other));
    return err_set(e, ERR_ARG, ERR_NO_OFFSET,
                   "holds %llu traces%s: open one as ARCHIVE:%.*s; gotop sql 'select dur from trace' ARCHIVE "
                   "lists them",
                   (unsigned long long)n, closed, (int)(first.len < 80 ? first.len : 80), first.name);
}

enum err_code zip_find(const struct zip *z, const char *name, struct zip_member *m, struct err *e)
{
    uint64_t pos = 0;
    if (!name)
        return only(z, m, e);
    while (zip_next(z, &pos, m))
        if (m->len == strlen(name) && memcmp(m->name, name, m->len) == 0)
            return ERR_OK;
    return err_set(
        e, ERR_IO, ERR_NO_OFFSET,
        "the zip archive has no member %.80s; gotop sql 'select dur from trace' ARCHIVE lists them", name);
}
