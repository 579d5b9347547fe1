/* owner.c - see owner.h. */
#include "triage/work/owner.h"

#include <string.h>

#include "decode/base/mem.h"
#include "triage/tables/stacks.h"

enum { ROOT = 512, LOOK = 20000 /* stacks searched for a file of package main */ };

struct owners { /* asked by several threads, which find the same answers */
    const struct trace *tr;
    uint8_t *known; /* by string: enum owner + 1; 0: not computed yet */
    struct {
        uint16_t leaf, user; /* owner_leaf() + 1, owner_user() + 1; 0: not computed yet */
    } * at;                  /* by stack */
    uint32_t nstr, nstacks;
    struct str main[2]; /* directories of files of package main: the shortest and another one */
    unsigned nmain;
};

/* Returns the length of two paths' common prefix, up to the end of an element. */
static uint32_t common(struct str a, struct str b)
{
    uint32_t n = 0, end = 0;
    while (n < a.len && n < b.len && a.p[n] == b.p[n]) {
        n++;
        end = a.p[n - 1] == '/' ? n : end;
    }
    return end;
}

static uint32_t elements(struct str s, uint32_t len)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < len && i < s.len; i++)
        n += s.p[i] == '/';
    return n;
}

static bool in_main(struct str func)
{
    return str_starts(func, "main.") || str_starts(func, "command-line-arguments.");
}

/* Find the directories of package main's files: where the main module lies. */
static void find_main(struct owners *o)
{
    for (uint32_t s = 1; s < o->nstacks && s < LOOK && o->nmain < 2; s++) {
        const uint32_t n = trace_stack(o->tr, s);
        for (uint32_t i = n; i-- > 0 && i + 4 > n && o->nmain < 2;) { /* main's functions are outermost */
            const struct frame f = trace_frame(o->tr, s, i);
            const struct str file = trace_str(o->tr, f.file), dir = {file.p, str_dir(file)};
            if (in_main(trace_str(o->tr, f.func)) && dir.len &&
                !(o->nmain && common(o->main[0], dir) == dir.len && o->main[0].len == dir.len))
                o->main[o->nmain++] = dir;
        }
    }
}

struct owners *owners_new(const struct trace *tr)
{
    struct owners *o = mem_zalloc(sizeof *o);
    if (!o)
        return NULL;
    o->tr = tr;
    o->nstr = trace_nstr(tr);
    o->nstacks = trace_nstacks(tr);
    o->known = mem_zalloc((size_t)o->nstr + 1);
    o->at = mem_zalloc(((size_t)o->nstacks + 1) * sizeof *o->at);
    if (!o->known || !o->at) {
        owners_free(o);
        return NULL;
    }
    find_main(o);
    return o;
}

void owners_free(struct owners *o)
{
    if (o) {
        mem_free(o->known);
        mem_free(o->at);
        mem_free(o);
    }
}

/* Returns the part of a GOPATH file's path after "/src/", if it begins with a host. */
static bool gopath(struct str file, struct str *path)
{
    const char *at = file.len ? memmem(file.p, file.len, "/src/", 5) : NULL;
    if (!at)
        return false;
    *path = (struct str){at + 5, file.len - (uint32_t)(at + 5 - file.p)};
    const char *slash = memchr(path->p, '/', path->len);
    return slash && memchr(path->p, '.', (size_t)(slash - path->p));
}

/* True if a file is in the main module: below a directory that main's files share with it, deeper than a
 * home directory. */
static bool beside_main(const struct owners *o, struct str file)
{
    for (unsigned i = 0; i < o->nmain; i++) {
        const uint32_t same = common(o->main[i], file), deep = elements(file, same);
        const uint32_t mains = elements(o->main[i], o->main[i].len);
        const bool rooted = file.p[0] == '/';
        /* below main's own directory, or a sibling: main is in ROOT/cmd/NAME, the file in ROOT/internal/.. */
        if (same == o->main[i].len || (mains <= deep + 2 && deep >= (rooted ? 3u : 1u)))
            return true;
    }
    return o->nmain == 0;
}

static enum owner by_file(const struct owners *o, struct str func, struct str file)
{
    struct str path, mains;
    if (str_has(file, "/pkg/mod/") || str_has(file, "@v") || str_has(file, "/vendor/") ||
        str_starts(file, "vendor/"))
        return OWNER_LIBRARY;
    if (gopath(file, &path)) {
        const bool same = o->nmain && gopath(o->main[0], &mains) && elements(path, common(path, mains)) >= 2;
        return same ? OWNER_PROGRAM : OWNER_LIBRARY;
    }
    if (file.len && beside_main(o, file))
        return OWNER_PROGRAM;
    const char *slash = memchr(func.p, '/', func.len);
    return slash && memchr(func.p, '.', (size_t)(slash - func.p)) ? OWNER_LIBRARY : OWNER_PROGRAM;
}

enum owner owner_of(struct owners *o, const struct frame *f)
{
    if (!f->func || f->func >= o->nstr)
        return OWNER_NONE;
    uint8_t known = __atomic_load_n(&o->known[f->func], __ATOMIC_RELAXED);
    if (!known) {
        const struct str func = trace_str(o->tr, f->func);
        const enum owner w = str_starts(func, "runtime.") || str_starts(func, "runtime/internal")
                                 ? OWNER_RUNTIME
                             : !stacks_is_program(o->tr, f->func) ? OWNER_STD
                             : in_main(func)                      ? OWNER_PROGRAM
                                             : by_file(o, func, trace_str(o->tr, f->file));
        known = (uint8_t)(w + 1);
        __atomic_store_n(&o->known[f->func], known, __ATOMIC_RELAXED);
    }
    return (enum owner)(known - 1);
}

/* Exported functions are no plumbing: runtime.GC, runtime.Stack. */
static bool plumbing(struct str f)
{
    if (str_starts(f, "runtime.") && f.len > 8 && f.p[8] >= 'A' && f.p[8] <= 'Z')
        return false;
    return str_starts(f, "sync.") || str_starts(f, "internal/") || str_starts(f, "syscall.") ||
           str_starts(f, "runtime");
}

/* A frame that was found before is kept in *at, plus one. */
static uint32_t kept(struct owners *o, uint32_t stack, uint16_t *at, uint32_t find(struct owners *, uint32_t))
{
    uint16_t v = __atomic_load_n(at, __ATOMIC_RELAXED);
    if (!v) {
        const uint32_t i = find(o, stack);
        v = (uint16_t)(i < UINT16_MAX ? i + 1 : 1);
        __atomic_store_n(at, v, __ATOMIC_RELAXED);
    }
    return v - 1u;
}

static uint32_t find_leaf(struct owners *o, uint32_t stack)
{
    const uint32_t n = trace_stack(o->tr, stack);
    for (uint32_t i = 0; i < n; i++) {
        const struct frame f = trace_frame(o->tr, stack, i);
        if (f.func && !plumbing(trace_str(o->tr, f.func)))
            return i;
    }
    return 0;
}

uint32_t owner_leaf(struct owners *o, uint32_t stack)
{
    return stack < o->nstacks ? kept(o, stack, &o->at[stack].leaf, find_leaf) : 0;
}

uint32_t owner_user_from(struct owners *o, uint32_t stack, uint32_t from)
{
    const uint32_t n = trace_stack(o->tr, stack);
    uint32_t library = UINT32_MAX;
    for (uint32_t i = from; i < n; i++) {
        const enum owner w = owner_at(o, stack, i);
        if (w == OWNER_PROGRAM)
            return i;
        library = w == OWNER_LIBRARY && library == UINT32_MAX ? i : library;
    }
    return library != UINT32_MAX ? library : from;
}

static uint32_t find_user(struct owners *o, uint32_t stack)
{
    const uint32_t i = owner_user_from(o, stack, 0);
    const enum owner w = owner_at(o, stack, i);
    return w == OWNER_PROGRAM || w == OWNER_LIBRARY ? i : owner_leaf(o, stack);
}

uint32_t owner_user(struct owners *o, uint32_t stack)
{
    return stack < o->nstacks ? kept(o, stack, &o->at[stack].user, find_user) : 0;
}

uint32_t owner_func(struct owners *o, uint32_t stack)
{
    return trace_frame(o->tr, stack, owner_user(o, stack)).func;
}

enum owner owner_at(struct owners *o, uint32_t stack, uint32_t frame)
{
    const struct frame f = trace_frame(o->tr, stack, frame);
    return owner_of(o, &f);
}

uint32_t owner_root(struct owners *o, uint32_t stack)
{
    for (uint32_t i = stack ? trace_stack(o->tr, stack) : 0; i-- > 0;) {
        const struct frame f = trace_frame(o->tr, stack, i);
        if (owner_of(o, &f) == OWNER_PROGRAM)
            return f.func;
    }
    return 0;
}

const char *owner_id(enum owner w)
{
    static const char *const id[] = {"unknown", "runtime", "std", "library", "program"};
    return (unsigned)w < sizeof id / sizeof *id ? id[w] : id[0];
}
