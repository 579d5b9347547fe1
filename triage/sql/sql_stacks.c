/*
 * sql_stacks.c - the tables stack and frame.
 */
#include "triage/sql/sql_priv.h"
#include "triage/tables/stacks.h"

struct stack_cursor {
    struct sql_cursor c;
    uint32_t stack, end, depth, frames;
};

static bool stacks_from(struct stack_cursor *c)
{
    const struct sql_where *w = &c->c.w;
    const int64_t n = trace_nstacks(c->c.s->tr), lo = w->lo[SQL_P_ID], hi = w->hi[SQL_P_ID];
    c->stack = lo < 1 ? 1 : lo < n ? (uint32_t)lo : (uint32_t)n;
    c->end = hi < 0 ? 0 : hi < n ? (uint32_t)hi + 1 : (uint32_t)n;
    c->c.eof = c->stack >= c->end;
    c->c.rowid = c->stack;
    return true;
}

/* ---- stack --------------------------------------------------------------------------------------------- */

#define STACK(X) \
    X(K_STACK, "stack", ID, ID, "the number that other tables give") \
    X(K_DEPTH, "frames", COUNT, NO, "how many frames it has") \
    X(K_FUNC, "func", NAME, NO, "innermost function") \
    X(K_USER_FUNC, "user_func", NAME, NO, "first function outside the runtime and the standard library") \
    X(K_TEXT, "text", NAME, NO, "all functions, the innermost first, joined by ' < '")
enum { STACK(SQL_COLUMN_ID) };
static const struct sql_column stack_columns[] = {STACK(SQL_COLUMN_ROW)};

static bool stack_begin(struct sql_cursor *c)
{
    return stacks_from((struct stack_cursor *)c);
}

static bool stack_next(struct sql_cursor *base)
{
    struct stack_cursor *c = (struct stack_cursor *)base;
    base->eof = ++c->stack >= c->end;
    base->rowid = c->stack;
    return true;
}

static void put_text(const struct stack_cursor *c, sqlite3_context *x)
{
    struct text t = {0}, clean = {0};
    const uint32_t n = trace_stack(c->c.s->tr, c->stack);
    for (uint32_t i = 0; i < n; i++) {
        const struct str f = sql_str(c->c.s, trace_frame(c->c.s->tr, c->stack, i).func, &clean);
        if (i)
            text_lit(&t, " < ");
        text_raw(&t, f.len ? f.p : "?", f.len ? f.len : 1);
    }
    if (!text_ok(&t) || !text_ok(&clean))
        sqlite3_result_error_nomem(x);
    else if (n)
        sqlite3_result_text(x, t.p, (int)t.n, SQLITE_TRANSIENT);
    text_free(&t);
    text_free(&clean);
}

static void stack_cell(struct sql_cursor *base, unsigned column, sqlite3_context *x)
{
    const struct stack_cursor *c = (const struct stack_cursor *)base;
    switch (column) {
    case K_STACK: sql_put_int(x, c->stack); break;
    case K_DEPTH: sql_put_int(x, trace_stack(base->s->tr, c->stack)); break;
    case K_FUNC: sql_put_func(x, base->s, c->stack); break;
    case K_USER_FUNC: sql_put_user(x, base->s, c->stack); break;
    case K_TEXT: put_text(c, x); break;
    default: break;
    }
}

static double stack_rows(struct sql *s)
{
    return trace_nstacks(s->tr);
}

const struct sql_table sql_stack = {"stack",
                                    "The stacks that other tables name by number",
                                    SQL_COLUMNS(stack_columns),
                                    sizeof(struct stack_cursor),
                                    stack_rows,
                                    stack_begin,
                                    stack_next,
                                    stack_cell,
                                    0,
                                    NULL};

/* ---- frame --------------------------------------------------------------------------------------------- */

#define FRAME(X) \
    X(F_STACK, "stack", ID, ID, "the stack's number") \
    X(F_DEPTH, "depth", COUNT, NO, "0: the innermost") \
    X(F_FUNC, "func", NAME, NO, "function; NULL: only its address is recorded") \
    X(F_FILE, "file", NAME, NO, "source file") \
    X(F_LINE, "line", COUNT, NO, "line in it") \
    X(F_PC, "pc", ID, NO, "address")
enum { FRAME(SQL_COLUMN_ID) };
static const struct sql_column frame_columns[] = {FRAME(SQL_COLUMN_ROW)};

/* To the next stack that has frames. */
static bool frame_take(struct stack_cursor *c)
{
    while (c->stack < c->end && c->depth >= (c->frames = trace_stack(c->c.s->tr, c->stack))) {
        c->stack++;
        c->depth = 0;
    }
    c->c.eof = c->stack >= c->end;
    c->c.rowid = (int64_t)((uint64_t)c->stack << 31 | c->depth);
    return true;
}

static bool frame_begin(struct sql_cursor *base)
{
    struct stack_cursor *c = (struct stack_cursor *)base;
    c->depth = 0;
    return stacks_from(c) && frame_take(c);
}

static bool frame_next(struct sql_cursor *base)
{
    ((struct stack_cursor *)base)->depth++;
    return frame_take((struct stack_cursor *)base);
}

static void frame_cell(struct sql_cursor *base, unsigned column, sqlite3_context *x)
{
    const struct stack_cursor *c = (const struct stack_cursor *)base;
    const struct frame f = trace_frame(base->s->tr, c->stack, c->depth);
    switch (column) {
    case F_STACK: sql_put_int(x, c->stack); break;
    case F_DEPTH: sql_put_int(x, c->depth); break;
    case F_FUNC: sql_put_str(x, base->s, f.func); break;
    case F_FILE: sql_put_str(x, base->s, f.file); break;
    case F_LINE: sql_put_id(x, f.line); break;
    case F_PC: sql_put_id(x, f.pc); break;
    default: break;
    }
}

static double frame_rows(struct sql *s)
{
    return 8.0 * trace_nstacks(s->tr);
}

const struct sql_table sql_frame = {"frame",
                                    "The frames of the stacks, the innermost first",
                                    SQL_COLUMNS(frame_columns),
                                    sizeof(struct stack_cursor),
                                    frame_rows,
                                    frame_begin,
                                    frame_next,
                                    frame_cell,
                                    0,
                                    NULL};
