/* table_copy.c - a table's rows as text for another program: all of them, in slices. */
#include <inttypes.h>

#include "decode/base/host.h"
#include "decode/base/mem.h"
#include "layout/move/move.h"
#include "layout/cells/when.h"
#include "layout/views/table.h"

struct table_copy {
    struct job job;
    uint64_t made;  /* table.made when copying started */
    uint32_t row;   /* next row */
    struct text to; /* what is large grows there without being copied */
};

static int copy_cols(const struct table *t)
{
    return table_cols(t) - t->from->nameless;
}

static void copy_head(const struct table *t, struct text *to)
{
    for (int c = 0; c < copy_cols(t); c++) {
        struct tcol k = table_col(t, c);
        const char *unit = k.kind == TCOL_DUR || k.kind == TCOL_TIME ? when_ticks(t->tr) ? " ticks" : " ns"
                           : k.kind == TCOL_BYTES                    ? " bytes"
                           : k.kind == TCOL_SHARE                    ? " ppm"
                                                                     : "";
        text_add(to, "%s%s%s", c ? "\t" : "", k.kind == TCOL_NAME ? "name" : k.head, unit);
    }
    text_lit(to, "\n");
}

static void copy_row(const struct table *t, uint32_t i, struct text *to)
{
    for (int c = 0; c < copy_cols(t); c++) {
        text_raw(to, "\t", c > 0);
        if (table_cell(to, t, t->row[i], c))
            continue;
        const int64_t x = table_value(t, t->row[i], c);
        if (x >= 0 && table_col(t, c).kind == TCOL_MEAN)
            text_add(to, "%.6g", (double)x / SHARE_WHOLE);
        else if (x >= 0 || table_col(t, c).kind == TCOL_TIME)
            text_add(to, "%" PRId64, x);
    }
    text_lit(to, "\n");
}

static void copy_drop(struct job *j)
{
    text_free(&((struct table_copy *)j)->to);
}

/* The text is complete: view_work()'s caller takes it from the view. */
static unsigned copy_over(struct view *v, struct job *j)
{
    struct table_copy *c = (struct table_copy *)j;
    if (!table_ready(v) || v->table->made != c->made)
        return move_fail(v, "%s", j->left);
    mem_free(v->job.copied);
    v->job.copied = text_take(&c->to);
    if (!v->job.copied)
        return move_fail(v, "out of memory");
    view_message(v, false, "copied: all rows, as TSV");
    return VR_DRAW | VR_YANK;
}

static bool copy_step(struct view *v, struct job *j, int64_t budget_ns)
{
    enum { LOOK = 128 }; /* rows between clock checks */
    struct table_copy *c = (struct table_copy *)j;
    const struct table *t = v->table;
    const int64_t until = host_until(budget_ns);
    while (table_ready(v) && t->made == c->made && c->row < t->nrows) {
        copy_row(t, c->row++, &c->to);
        if (c->row % LOOK || !host_over(until))
            continue;
        view_message(v, false, "copying %d%%", (int)((uint64_t)c->row * 100 / t->nrows));
        return false;
    }
    return true;
}

unsigned table_copy(struct view *v)
{
    const struct table *t = v->table;
    if (!table_ready(v) || !t->nrows)
        return VR_NONE;
    struct table_copy *c = mem_zalloc(sizeof *c);
    if (c) {
        c->job = (struct job){.step = copy_step,
                              .over = copy_over,
                              .drop = copy_drop,
                              .left = "nothing copied: the rows have changed meanwhile"};
        c->made = t->made;
        copy_head(t, &c->to);
    }
    return job_begin(v, c ? &c->job : NULL);
}
