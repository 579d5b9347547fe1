/*
 * sql_stacks.c - the tables stack and frame.
 */
#include "triage/sql/sql_priv.h"
#include "triage/tables/stacks.h"

struct stack_cursor {
    struct sql_cursor c;
    uint32_t stack, end, depth;
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
    X(K_STACK, "stack", ID, ID, v_int(c->stack), "the number that other tables give") \
    X(K_DEPTH, "frames", COUNT, NO, v_int(trace_stack(s->tr, c->stack)), "how many frames it has") \
    X(K_FUNC, "func", NAME, NO, v_func(s, c->stack), "innermost function") \
    X(K_USER_FUNC, "user_func", NAME, NO, v_user(s, c->stack), \
      "first function outside the runtime and the standard library") \
    X(K_TEXT, "text", NAME, NO, v_frames(c), "all functions, the innermost first, joined by ' < '")
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

static struct sql_value v_frames(const struct stack_cursor *c)
{
    struct text t = {0}, clean = {0};
    const uint32_t n = trace_stack(c->c.s->tr, c->stack);
    for (uint32_t i = 0; i < n; i++) {
        const struct str f = sql_str(c->c.s, trace_frame(c->c.s->tr, c->stack, i).func, &clean);
        if (i)
            text_lit(&t, " < ");
        text_raw(&t, f.len ? f.p : "?", f.len ? f.len : 1);
    }
    t.failed |= clean.failed;
    text_free(&clean);
    return v_own(text_take(&t));
}

SQL_CELLS(stack, STACK, struct stack_cursor)

static double stack_rows(const struct sql *s, const struct sql_table *t)
{
    (void)t;
    return trace_nstacks(s->tr);
}

SQL_TABLE(stack, STACK, struct stack_cursor, stack_begin, stack_next,
          "The stacks that other tables name by number", .rows = stack_rows);

/* ---- frame --------------------------------------------------------------------------------------------- */

#define FRAME(X) \
    X(F_STACK, "stack", ID, ID, v_int(c->stack), "the stack's number") \
    X(F_DEPTH, "depth", COUNT, NO, v_int(c->depth), "0: the innermost") \
    X(F_FUNC, "func", NAME, NO, v_str(f.func), "function; NULL: only its address is recorded") \
    X(F_FILE, "file", NAME, NO, v_str(f.file), "source file") \
    X(F_LINE, "line", COUNT, NO, v_id(f.line), "line in it") \
    X(F_PC, "pc", ID, NO, v_id(f.pc), "address")
/* Go to the next stack that has frames. */
static bool frame_take(struct stack_cursor *c)
{
    while (c->stack < c->end && c->depth >= trace_stack(c->c.s->tr, c->stack)) {
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

SQL_CELLS(frame, FRAME, struct stack_cursor, const struct frame f = trace_frame(s->tr, c->stack, c->depth))

static double frame_rows(const struct sql *s, const struct sql_table *t)
{
    (void)t;
    return 8.0 * trace_nstacks(s->tr);
}

SQL_TABLE(frame, FRAME, struct stack_cursor, frame_begin, frame_next,
          "The frames of the stacks, the innermost first", .rows = frame_rows);
