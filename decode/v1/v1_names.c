/* v1_names.c - see v1_names.h. */
#include "decode/v1/v1_names.h"

#include <stdio.h>
#include <string.h>

#include "decode/base/mem.h"

enum err_code v1_names_init(struct v1_names *vn, struct source *s, struct v1_index *ix)
{
    *vn = (struct v1_names){.s = s, .ix = ix};
    vn->frames = mem_alloc(V1_FRAMES_MAX * sizeof *vn->frames);
    if (!vn->frames)
        return ERR_NOMEM;
    struct err e;
    if (s->opts && s->opts->exe && !ix->dialect.names &&
        symbols_open(s->opts->exe, &vn->symbols, &e) != ERR_OK)
        source_warn(s, e.code, 0, ERR_NO_OFFSET, "no names from the binary: %s", e.what);
    return ERR_OK;
}

void v1_names_free(struct v1_names *vn)
{
    mem_free(vn->frames);
    symbols_close(vn->symbols);
    memset(vn, 0, sizeof *vn);
}

uint32_t v1_text(struct v1_names *vn, const char *p, uint32_t len, bool copy)
{
    uint32_t id = 0;
    vn->oom |= names_str(vn->s->names, p, len, copy, &id);
    return id;
}

/* A name may stand in every row that is written of a trace's events, so its length has a limit. From Go 1.22
 * on the runtime itself cuts names, at 1 KB. */
enum { NAME_MOST = 4096 };

/* Cut a name at its limit, between two characters. */
static uint32_t name_text(struct v1_names *vn, const struct v1_raw *r, uint64_t off)
{
    const char *p = (const char *)r->text;
    uint32_t len = r->len <= NAME_MOST ? r->len : NAME_MOST;
    while (len < r->len && len > NAME_MOST - 4 && (p[len] & 0xc0) == 0x80)
        len--;
    if (len < r->len && !vn->long_reported) {
        vn->long_reported = true;
        source_warn(vn->s, ERR_FORMAT, 0, off, "a name has %u bytes: of such no more than %d are shown",
                    r->len, NAME_MOST);
    }
    return v1_text(vn, p, len, false);
}

/* Returns the interned id of a table's entry. `read` interns it when it is first asked for. 0: the file lacks
 * it. */
static uint32_t id_of(struct v1_names *vn, struct v1_ids *table, uint64_t id, enum v1_type type,
                      uint32_t (*read)(struct v1_names *vn, const struct v1_raw *r, uint64_t off))
{
    uint64_t *val = id ? v1_ids_find(table, id) : NULL;
    struct v1_raw r;
    if (!val) {
        vn->missing += id != 0;
        vn->cut |= table == &vn->ix->stacks && id == table->ndense;
        return 0;
    }
    if (!(*val & V1_KNOWN))
        *val = V1_KNOWN | (v1_index_at(vn->ix, vn->s, *val, type, &r) ? read(vn, &r, *val) : 0);
    return (uint32_t)*val;
}

/* Does as v1_string(), but returns 0 for what the file lacks. */
static uint32_t string_or_0(struct v1_names *vn, uint64_t id)
{
    return id_of(vn, &vn->ix->strings, id, V1_STRING, name_text);
}

uint32_t v1_string(struct v1_names *vn, uint64_t id)
{
    uint32_t nid = string_or_0(vn, id);
    if (nid || !id)
        return nid;
    char text[32];
    return v1_text(vn, text, (uint32_t)snprintf(text, sizeof text, "#%llu", (unsigned long long)id), true);
}

/* Find the names for a bare program counter. It is a return address, so the call is just before it. */
static void resolve(struct v1_names *vn, struct frame *f)
{
    struct symbol y;
    if (!vn->symbols || !f->pc || !symbols_find(vn->symbols, f->pc - 1, &y))
        return;
    f->func = v1_text(vn, y.func, y.func_len, true);
    f->file = y.file ? v1_text(vn, y.file, y.file_len, true) : 0;
    f->line = y.line;
}

uint32_t v1_start(struct v1_names *vn, uint64_t pc)
{
    uint32_t id = 0;
    struct frame f = {.pc = pc + 1};
    if (!pc)
        return 0;
    resolve(vn, &f);
    vn->oom |= names_stack(vn->s->names, &f, 1, &id);
    return id;
}

static uint32_t put_frames(struct v1_names *vn, const struct v1_raw *r, uint64_t off)
{
    (void)off;
    const uint8_t *p = r->text, *end = vn->s->data + vn->s->len;
    uint32_t id = 0, n = 0;
    for (; n < r->len && n < V1_FRAMES_MAX; n++) {
        uint64_t v[4] = {0};
        if (!(p = bytes_varints(p, end, v, vn->ix->dialect.names ? 4 : 1)))
            return 0;
        vn->frames[n] = (struct frame){.pc = v[0], .line = v[3]};
        if (vn->ix->dialect.names) {
            vn->frames[n].func = string_or_0(vn, v[1]);
            vn->frames[n].file = string_or_0(vn, v[2]);
        } else {
            resolve(vn, &vn->frames[n]);
        }
    }
    vn->oom |= names_stack(vn->s->names, vn->frames, n, &id);
    return id;
}

uint32_t v1_stack(struct v1_names *vn, uint64_t id)
{
    return id_of(vn, &vn->ix->stacks, id, V1_STACK, put_frames);
}
