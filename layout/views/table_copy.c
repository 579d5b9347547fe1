/* table_copy.c - a table's rows as text for another program: all of them, in slices. */
#include <inttypes.h>

#include "decode/base/host.h"
#include "decode/base/mem.h"
#include "layout/move/move.h"
#include "layout/cells/when.h"
#include "layout/views/table.h"

struct table_copy {
    uint64_t made;   /* how often they had been put in order */
    struct place at; /* where it was asked */
    uint32_t row;    /* the next one */
    struct text to;  /* what is large grows there without being copied */
};

static void copy_head(const struct table *t, struct text *to)
{
    for (int c = 0; c < table_cols(t) - 1; c++) {
        struct tcol k = table_col(t, c);
        const char *unit = k.kind == TCOL_DUR || k.kind == TCOL_TIME ? when_ticks(t->tr) ? " ticks" : " ns"
                           : k.kind == TCOL_BYTES                    ? " bytes"
                           : k.kind == TCOL_SHARE                    ? " ppm"
                                                                     : "";
        text_add(to, "%s%s\t", k.head, unit);
    }
    text_lit(to, "name\n");
}

static void copy_row(const struct table *t, uint32_t i, struct text *to)
{
    struct text name = {0};
    for (int c = 0; c < table_cols(t) - 1; c++) {
        int64_t x = table_value(t, t->row[i], c);
        bool told = x >= 0 || table_col(t, c).kind == TCOL_TIME;
        if (told)
            text_add(to, "%" PRId64, x);
        text_lit(to, "\t");
    }
    table_name(&name, t, t->row[i]);
    text_raw(to, name.p ? name.p : "", name.n);
    text_lit(to, "\n");
    text_free(&name);
}

void table_copy_stop(struct view *v)
{
    struct table_copy *c = v->job.copy;
    if (!c)
        return;
    text_free(&c->to);
    mem_free(c);
    v->job.copy = NULL;
}

unsigned table_copy(struct view *v)
{
    const struct table *t = v->table;
    table_copy_stop(v);
    if (!table_ready(v) || !t->nrows)
        return VR_NONE;
    struct table_copy *c = v->job.copy = mem_zalloc(sizeof *c);
    if (!c)
        return move_fail(v, "out of memory");
    c->made = t->made;
    c->at = v->at;
    copy_head(t, &c->to);
    return table_copy_work(v, trace_info(v->tr)->done ? VIEW_AT_ONCE_NS : INT64_MAX);
}

/* The text is whole: whoever asked takes it from the view. */
static unsigned done(struct view *v)
{
    mem_free(v->job.copied);
    v->job.copied = text_take(&v->job.copy->to);
    table_copy_stop(v);
    if (!v->job.copied)
        return move_fail(v, "out of memory");
    view_message(v, false, "copied: all rows, as TSV");
    return VR_DRAW | VR_YANK;
}

unsigned table_copy_work(struct view *v, int64_t budget_ns)
{
    enum { LOOK = 128 }; /* so many rows, then the clock */
    struct table_copy *c = v->job.copy;
    const struct table *t = v->table;
    if (!c)
        return VR_NONE;
    if (!move_stays(v, &c->at) || v->popup.kind || !table_ready(v) ||
        t->made != c->made) { /* the reader went on, or the rows did */
        table_copy_stop(v);
        view_message(v, true, "nothing copied: the rows have changed meanwhile");
        return VR_DRAW;
    }
    const int64_t until = budget_ns == INT64_MAX ? INT64_MAX : host_now() + budget_ns;
    while (c->row < t->nrows) {
        copy_row(t, c->row++, &c->to);
        if (c->row % LOOK || until == INT64_MAX || host_now() < until)
            continue;
        view_message(v, false, "copying %d%%", (int)((uint64_t)c->row * 100 / t->nrows));
        return VR_DRAW | VR_WORK;
    }
    return done(v);
}
