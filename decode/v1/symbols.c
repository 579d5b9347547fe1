/*
 * symbols.c - see symbols.h.
 *
 * The line table is found by its first bytes, as not every binary has section headers. Its tables hold
 * offsets into each other, and the file may be hostile: so every read goes through get(), which returns 0 out
 * of bounds, and every walk has a limited number of steps.
 */
#include "decode/v1/symbols.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode/input/mapped.h"
#include "decode/base/rows.h"
#include "decode/base/bytes.h"
#include "decode/base/mem.h"

#define MAGIC 0xfffffffbu
#define NAME_MAX_BYTES 4096
#define STEPS_MAX (1u << 20) /* limit of a walk in a program-counter table */

struct symbols {
    const uint8_t *elf;
    size_t elf_len;
    bool mapped, big_endian;
    const uint8_t *tab; /* the line table, and all of the file behind it */
    uint64_t len;
    unsigned ptr, quantum;            /* bytes of an address; of the smallest instruction */
    uint64_t nfunc, functab, filetab; /* the tables: offsets in tab */
};

/* ---- bounded reading ----------------------------------------------------------------------------------- */

static uint64_t get(const struct symbols *s, uint64_t off, unsigned n)
{
    uint64_t x = 0;
    if (off > s->len || s->len - off < n)
        return 0;
    for (unsigned i = 0; i < n; i++)
        x |= (uint64_t)s->tab[off + (s->big_endian ? n - 1 - i : i)] << (8 * i);
    return x;
}

static bool text_at(const struct symbols *s, uint64_t off, const char **p, uint32_t *n)
{
    if (off >= s->len)
        return false;
    uint64_t max = s->len - off < NAME_MAX_BYTES ? s->len - off : NAME_MAX_BYTES;
    const uint8_t *end = memchr(s->tab + off, 0, max);
    if (!end || end == s->tab + off)
        return false;
    *p = (const char *)s->tab + off;
    *n = (uint32_t)(end - (s->tab + off));
    return true;
}

/* ---- the table ----------------------------------------------------------------------------------------- */

static uint64_t func_entry(const struct symbols *s, uint64_t i)
{
    return get(s, s->functab + 2 * s->ptr * i, s->ptr);
}

/* Finds the record of function i, and its name. */
static bool symbol_name(const struct symbols *s, uint64_t i, uint64_t *func, const char **p, uint32_t *n)
{
    *func = get(s, s->functab + 2 * s->ptr * i + s->ptr, s->ptr);
    return *func < s->len && text_at(s, get(s, *func + s->ptr, 4), p, n);
}

/* Take the bytes from here as the line table, if they make sense as one. */
static bool table_at(struct symbols *s, uint64_t off)
{
    s->tab = s->elf + off;
    s->len = s->elf_len - off;
    if (s->len < 64 || get(s, 0, 4) != MAGIC || s->tab[4] || s->tab[5])
        return false;
    s->quantum = s->tab[6];
    s->ptr = s->tab[7];
    if ((s->quantum != 1 && s->quantum != 2 && s->quantum != 4) || (s->ptr != 4 && s->ptr != 8))
        return false;
    s->nfunc = get(s, 8, s->ptr);
    s->functab = 8 + s->ptr;
    if (!s->nfunc || s->nfunc > s->len / (2 * s->ptr))
        return false;
    s->filetab = get(s, s->functab + s->nfunc * 2 * s->ptr + s->ptr, 4);
    uint64_t func;
    const char *name;
    uint32_t n;
    return func_entry(s, 0) <= func_entry(s, s->nfunc - 1) && symbol_name(s, 0, &func, &name, &n);
}

/* ---- the binary ---------------------------------------------------------------------------------------- */

/* Take the first aligned place that looks like the table. */
static bool table_find(struct symbols *s)
{
    for (uint64_t off = 0; off + 64 <= s->elf_len; off += 8) {
        const uint8_t *p = s->elf + off;
        if (p[s->big_endian ? 0 : 3] == 0xff && !p[4] && !p[5] && table_at(s, off))
            return true;
    }
    return false;
}

enum err_code symbols_open_mem(const void *data, size_t len, struct symbols **out, struct err *e)
{
    const uint8_t *p = data;
    *out = NULL;
    if (len < 64 || memcmp(p, "\177ELF", 4) != 0 || p[4] < 1 || p[4] > 2 || p[5] < 1 || p[5] > 2)
        return err_set(e, ERR_FORMAT, 0, "not an ELF binary");
    struct symbols *s = mem_zalloc(sizeof *s);
    if (!s)
        return err_nomem(e);
    s->elf = p;
    s->elf_len = len;
    s->big_endian = p[5] == 2;
    if (!table_find(s)) {
        mem_free(s);
        return err_set(e, ERR_FORMAT, ERR_NO_OFFSET, "the binary has no line table of Go");
    }
    *out = s;
    return ERR_OK;
}

enum err_code symbols_open(const char *path, struct symbols **out, struct err *e)
{
    struct stat st;
    *out = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return err_set(e, ERR_IO, ERR_NO_OFFSET, "cannot open %s", path);
    if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size <= 0) {
        close(fd);
        return err_set(e, ERR_IO, ERR_NO_OFFSET, "%s is not a regular file with something in it", path);
    }
    void *p = mapped_new(fd, (uint64_t)st.st_size);
    close(fd);
    if (!p)
        return err_set(e, ERR_IO, ERR_NO_OFFSET, "cannot map %s", path);
    enum err_code c = symbols_open_mem(p, (size_t)st.st_size, out, e);
    if (c != ERR_OK)
        mapped_free(p, (size_t)st.st_size);
    else
        (*out)->mapped = true;
    return c;
}

void symbols_close(struct symbols *s)
{
    if (!s)
        return;
    if (s->mapped)
        mapped_free((void *)(uintptr_t)s->elf, s->elf_len);
    mem_free(s);
}

/* ---- looking up ---------------------------------------------------------------------------------------- */

static bool varint(const struct symbols *s, uint64_t *off, uint32_t *v)
{
    uint64_t x;
    const uint8_t *p = *off < s->len ? bytes_varint(s->tab + *off, s->tab + s->len, &x) : NULL;
    if (!p)
        return false;
    *off = (uint64_t)(p - s->tab);
    *v = (uint32_t)x;
    return true;
}

/* Returns the value at pc in a table of (value, distance) steps, or -1 if it has none. */
static int64_t pc_value(const struct symbols *s, uint64_t off, uint64_t entry, uint64_t pc)
{
    uint64_t at = entry;
    int32_t val = -1;
    for (unsigned i = 0; i < STEPS_MAX; i++) {
        uint32_t uv, dist;
        if (!varint(s, &off, &uv) || (uv == 0 && i) || !varint(s, &off, &dist))
            return -1;
        val = (int32_t)((uint32_t)val + (uv & 1 ? ~(uv >> 1) : uv >> 1));
        at += (uint64_t)dist * s->quantum;
        if (pc < at)
            return val;
    }
    return -1;
}

/* Returns the place of a file's name in the table, or 0 if it has none. */
static uint64_t file_name(const struct symbols *s, int64_t file)
{
    return file >= 0 && file < (int64_t)get(s, s->filetab, 4) ? get(s, s->filetab + 4 * (uint64_t)file, 4)
                                                              : 0;
}

bool symbols_find(const struct symbols *s, uint64_t pc, struct symbol *out)
{
    uint64_t behind = 0; /* the first entry above pc */
    const unsigned n = s->ptr;
    bisect(behind, s->nfunc, i, func_entry(s, i) <= pc);
    if (!behind || (behind == s->nfunc && pc >= func_entry(s, s->nfunc)))
        return false;
    memset(out, 0, sizeof *out);
    const uint64_t entry = func_entry(s, behind - 1);
    uint64_t func;
    if (!symbol_name(s, behind - 1, &func, &out->func, &out->func_len))
        return false;
    const int64_t file = pc_value(s, get(s, func + n + 16, 4), entry, pc);
    const int64_t line = pc_value(s, get(s, func + n + 20, 4), entry, pc);
    const uint64_t name = file_name(s, file);
    if (name && text_at(s, name, &out->file, &out->file_len) && line > 0)
        out->line = (uint64_t)line;
    return true;
}
