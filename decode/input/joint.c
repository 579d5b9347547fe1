/*
 * joint.c - see joint.h. Each file is hopped over, its generations are put into one row, and the row is
 * looked at: is it what one process writes? Only then bytes are copied.
 */
#include "decode/input/joint.h"

#include <inttypes.h>
#include <string.h>

#include "decode/base/idmap.h"
#include "decode/base/mem.h"
#include "decode/base/order.h"
#include "decode/base/rows.h"
#include "decode/input/dialect.h"
#include "decode/v2/v2_gen.h"

struct jfile {
    const char *path;
    struct input in;
    struct dialect d;
};

struct jgen {
    uint32_t file;
    size_t start, end; /* in the file */
    uint64_t number, freq, min_time;
    int64_t ahead; /* the wall clock before the trace's, ns */
    bool has_snap, torn;
    bool begins; /* recording began with it */
};

struct joint {
    struct jfile *file;
    uint32_t nfile;
    struct jgen *gen;
    size_t ngen, cap;
    struct names names;
    struct idmap threads; /* of all files -> the last file that has it */
    struct idmap pcs;     /* program counter -> its function, of the files looked at so far */
    const struct jfile *torn;
    uint64_t torn_gen;
};

/* The wall clock may be set right by so much while a program runs. */
enum { WALL_NS = 2000000000 };

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

/* Returns what tells one path from another: its last name, or its end where both have the same. */
static const char *name_of(const char *path, const char *other)
{
    enum { SHOWN = 48 };
    const char *name = base_name(path);
    size_t n = strlen(path);
    if (strcmp(name, base_name(other)) != 0)
        return name;
    return n > SHOWN ? path + n - SHOWN : path;
}

/* Refuse with "A and B WHY". */
static enum err_code refuse(struct err *e, const struct jfile *a, const struct jfile *b, const char *why)
{
    return err_set(e, ERR_APART, ERR_NO_OFFSET, "%.48s and %.48s %s", name_of(a->path, b->path),
                   name_of(b->path, a->path), why);
}

/* ---- what a file has ----------------------------------------------------------------------------------- */

static bool has_word(const uint8_t *p, const uint8_t *end, const char *word)
{
    size_t n = strlen(word);
    for (; (p = (size_t)(end - p) >= n ? memchr(p, *word, (size_t)(end - p) - n + 1) : NULL); p++)
        if (!memcmp(p, word, n))
            return true;
    return false;
}

static bool gen_add(struct joint *j, uint32_t file, const struct v2_gen *g)
{
    if (!mem_room(j->gen, j->cap, j->ngen + 1))
        return false;
    struct jgen *x = &j->gen[j->ngen++];
    /* The runtime stops the world to begin, and that is the first thing it writes. */
    const bool begins = any_of(i, g->ntable, has_word(g->table[i].p, g->table[i].end, "start trace"));
    *x = (struct jgen){.file = file,
                       .start = g->start,
                       .end = g->end,
                       .number = g->number,
                       .freq = g->no_freq ? 0 : g->freq,
                       .min_time = g->min_time,
                       .has_snap = g->snap.has_wall && g->snap.sec < (uint64_t)1 << 32,
                       .torn = g->torn,
                       .begins = begins};
    if (x->has_snap)
        x->ahead = (int64_t)g->snap.sec * 1000000000 + (int64_t)(g->snap.nsec % 1000000000) -
                   v2_ns(g->snap.at, v2_gen_unit(g));
    return true;
}

/* Count, of the stacks from `from` on, the frames of functions that stand where they did before, and the
 * others. */
static bool pcs_note(struct joint *j, uint32_t from, uint64_t *same, uint64_t *other)
{
    for (uint32_t s = from; s < j->names.stacks.n; s++)
        for (uint32_t i = 0, n = names_depth(&j->names, s); i < n; i++) {
            struct frame f = names_frame(&j->names, s, i);
            if (!f.func || (i + 1 < n && names_frame(&j->names, s, i + 1).pc == f.pc))
                continue; /* its name was lost; inlined: the same address is in both */
            uint32_t was = idmap_get(&j->pcs, f.pc);
            if (was == IDMAP_NONE && !idmap_put(&j->pcs, f.pc, f.func))
                return false;
            *same += was == f.func;
            *other += was != IDMAP_NONE && was != f.func;
        }
    return true;
}

static enum err_code file_look(struct joint *j, uint32_t n, struct err *e)
{
    struct jfile *f = &j->file[n];
    struct source s = source_of(&f->in, f->d.read_as, f->d.header, &j->names);
    struct v2_gen g = {0};
    size_t pos = f->d.header;
    uint64_t same = 0, other = 0, met = 0;
    uint32_t stacks = j->names.stacks.n;
    bool ok = true;
    for (enum v2_gen_rc rc = V2_GEN; ok && rc == V2_GEN;) {
        rc = v2_gen_scan(&s, &g, &pos);
        if (rc == V2_GEN_NONE)
            break;
        ok = rc != V2_GEN_OOM && gen_add(j, n, &g);
        if (ok && g.ordinal == 1 && j->nfile > 1)
            ok = v2_gen_tables(&s, &g);
        for (size_t i = 0; ok && i < g.nbatch; i++) {
            uint32_t was = idmap_get(&j->threads, g.batch[i].m);
            met += was != IDMAP_NONE && was != n && g.batch[i].m != V2_NO_THREAD;
            ok = was == n || idmap_put(&j->threads, g.batch[i].m, n);
        }
    }
    v2_gen_free(&g);
    source_notes_free(&s);
    if (!ok || !pcs_note(j, stacks, &same, &other))
        return err_nomem(e);
    if (n && other > same)
        return refuse(e, &j->file[0], f, "are of two programs: their functions stand at other addresses");
    if (n && !met)
        return refuse(e, &j->file[0], f,
                      "are of two programs, or of two runs of one: they have no thread in common");
    return ERR_OK;
}

/* ---- one row ------------------------------------------------------------------------------------------- */

/* Of the generations of one number, the whole one comes first. */
ORDER(by_number, struct jgen, LEAST(r->number) LEAST(r->torn) LEAST(r->file))

static bool same_gen(const struct joint *j, const struct jgen *a, const struct jgen *b)
{
    const size_t n = a->end - a->start, m = b->end - b->start, both = n < m ? n : m;
    const bool torn = a->torn || b->torn;
    if (a->freq && b->freq && a->freq != b->freq)
        return false;
    if (torn && a->min_time == b->min_time)
        return true;
    return (torn || n == m) &&
           !memcmp(j->file[a->file].in.data + a->start, j->file[b->file].in.data + b->start, both);
}

/* Take each generation once; what is cut short and not the last is left out. */
static enum err_code row_make(struct joint *j, struct err *e)
{
    size_t n = 0;
    struct jgen was = {0};
    sort(j->gen, j->ngen, by_number);
    const uint64_t last = j->ngen ? j->gen[j->ngen - 1].number : 0;
    for (size_t i = 0; i < j->ngen; i++) {
        const struct jgen g = j->gen[i];
        if (i && was.number == g.number) {
            if (!same_gen(j, &was, &g))
                return refuse(e, &j->file[was.file], &j->file[g.file],
                              "are of two programs, or of two runs of one: both count the same generations");
            continue;
        }
        was = g;
        if (g.torn && g.number != last) {
            j->torn = &j->file[g.file];
            j->torn_gen = g.number;
        } else {
            j->gen[n++] = g;
        }
    }
    j->ngen = n;
    return ERR_OK;
}

static enum err_code row_check(const struct joint *j, struct err *e)
{
    const struct jgen *snap = NULL;
    uint64_t freq = 0;
    for (size_t i = 0; i < j->ngen; i++) {
        const struct jgen *g = &j->gen[i], *was = i ? g - 1 : g;
        const struct jfile *a = &j->file[was->file], *b = &j->file[g->file];
        if (freq && g->freq && g->freq != freq)
            return refuse(e, &j->file[0], b, "have other clocks: they were recorded on two hosts");
        freq = g->freq ? g->freq : freq;
        if (g->min_time < was->min_time && a != b)
            return refuse(
                e, a, b,
                "are of two programs, or of two runs of one: the later one counts earlier generations");
        if (snap && g->has_snap && (g->ahead - snap->ahead > WALL_NS || snap->ahead - g->ahead > WALL_NS))
            return refuse(
                e, &j->file[snap->file], b,
                "don't agree about the time of day: two hosts, or the host's clock was set in between");
        snap = g->has_snap ? g : snap;
    }
    return ERR_OK;
}

static enum err_code row_copy(struct joint *j, uint64_t limit, struct input *in, struct err *e)
{
    const struct jfile *f = &j->file[0];
    size_t n = f->d.header, gaps = 0;
    for (size_t i = 0; i < j->ngen; i++) {
        if (n > SIZE_MAX / 2 - (j->gen[i].end - j->gen[i].start))
            return err_nomem(e);
        n += j->gen[i].end - j->gen[i].start;
        gaps += i && (j->gen[i].begins || j->gen[i].number != j->gen[i - 1].number + 1);
    }
    if (limit && n > limit && !mem_spills())
        return err_set(e, ERR_NOMEM, ERR_NO_OFFSET,
                       "together they are %zu MiB, which must be held and is more than --max-memory",
                       n >> 20);
    uint8_t *p = mem_alloc(n);
    size_t *gap = gaps ? mem_alloc(gaps * sizeof *gap) : NULL;
    if (!p || (gaps && !gap)) {
        mem_free(p);
        mem_free(gap);
        return err_nomem(e);
    }
    *in = (struct input){.data = p, .map = p, .len = n, .gap = gap};
    memcpy(p, f->in.data, n = f->d.header);
    for (size_t i = 0; i < j->ngen; i++) {
        const struct jgen *g = &j->gen[i];
        if (i && (g->begins || g->number != g[-1].number + 1))
            in->gap[in->ngap++] = n;
        memcpy(p + n, j->file[g->file].in.data + g->start, g->end - g->start);
        n += g->end - g->start;
    }
    for (uint32_t k = 0; k < j->nfile && !in->damage.code; k++)
        in->damage = j->file[k].in.damage;
    if (j->torn && !in->damage.code)
        err_set(&in->damage, ERR_TRUNCATED, ERR_NO_OFFSET,
                "%.60s ends within generation %" PRIu64 ": it is left out", base_name(j->torn->path),
                j->torn_gen);
    return ERR_OK;
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

static enum err_code file_take(struct joint *j, uint32_t n, enum err_code rc, struct err *e)
{
    struct jfile *f = &j->file[n];
    if (!rc)
        rc = dialect_tell(f->in.data, f->in.len, &f->d, e);
    if (rc) {
        struct err was = *e;
        return err_set(e, rc, was.offset, "%.60s: %s", base_name(f->path), was.what);
    }
    if (!f->d.second_family)
        return err_set(e, ERR_APART, ERR_NO_OFFSET,
                       "%.60s is of %s: before Go 1.22 each file has a beginning and an end of its own",
                       base_name(f->path), f->d.name);
    if (f->d.version != j->file[0].d.version)
        return err_set(e, ERR_APART, ERR_NO_OFFSET, "%.48s is of %s, %.48s of %s: two programs",
                       name_of(j->file[0].path, f->path), j->file[0].d.name,
                       name_of(f->path, j->file[0].path), f->d.name);
    return file_look(j, n, e);
}

/* Make all files' generations one row. open: the files are still to be read; *met: how many they have
 * together. */
static enum err_code row_of_files(struct joint *j, bool open, uint64_t limit, size_t *met, struct err *e)
{
    enum err_code rc = ERR_OK;
    if (names_init(&j->names))
        return err_nomem(e);
    for (uint32_t i = 0; i < j->nfile && !rc; i++)
        rc = file_take(j, i, open ? input_open(j->file[i].path, limit, &j->file[i].in, e) : ERR_OK, e);
    *met = j->ngen;
    if (!rc && open && !j->ngen)
        rc = err_set(e, ERR_EMPTY, ERR_NO_OFFSET, "none of the traces has a generation");
    if (!rc)
        rc = row_make(j, e);
    return rc ? rc : row_check(j, e);
}

static void joint_free(struct joint *j)
{
    names_free(&j->names);
    idmap_free(&j->threads);
    idmap_free(&j->pcs);
    mem_free(j->gen);
}

enum err_code input_open_all(const char *path, const struct joint_paths *more, uint64_t limit,
                             struct input *in, struct err *e)
{
    struct joint j = {0};
    struct err unheard = {0};
    e = e ? e : &unheard;
    if (!more || !more->n)
        return input_open(path, limit, in, e);
    *in = (struct input){0};
    if (more->n >= JOINT_MAX)
        return err_set(e, ERR_ARG, ERR_NO_OFFSET, "too many traces at once, at most %d", JOINT_MAX);
    if (!(j.file = mem_zalloc((more->n + 1) * sizeof *j.file)))
        return err_nomem(e);
    j.nfile = more->n + 1;
    for (uint32_t i = 0; i < j.nfile; i++)
        j.file[i].path = i ? more->path[i - 1] : path;
    size_t met;
    enum err_code rc = row_of_files(&j, true, limit, &met, e);
    if (!rc)
        rc = row_copy(&j, limit, in, e);
    for (uint32_t i = 0; i < j.nfile; i++)
        input_close(&j.file[i].in);
    joint_free(&j);
    mem_free(j.file);
    return rc;
}

enum err_code joint_follows(struct joint_part first, struct joint_part second, struct err *e)
{
    struct jfile file[2] = {{"before", {.data = first.p, .len = first.n}, {0}},
                            {"now", {.data = second.p, .len = second.n}, {0}}};
    struct joint j = {.file = file, .nfile = 2};
    size_t met = 0;
    enum err_code rc = row_of_files(&j, false, 0, &met, e);
    bool behind = j.ngen == met;
    for (size_t i = 1; i < j.ngen; i++)
        behind &= j.gen[i].file >= j.gen[i - 1].file;
    if (!rc && !behind)
        rc = refuse(e, &file[0], &file[1], "are not one behind the other");
    joint_free(&j);
    return rc;
}
