/*
 * search.h - text over the trace: goroutines by id and start function, spans by the functions of their own
 * stacks, their reasons and their states, tasks, regions, logs; and where a state's name is asked for that
 * only ranges have (gc, stw, assist), these. Files count when the query holds ".go". Plain text, or a regular
 * expression: /text/ or ~text.
 *
 * It is looked at in windows of time that begin where the reader is and grow, so that the nearest hit is
 * known long before all are.
 *
 * Smart case: a query without capitals matches both. Each distinct string is looked at once, then stacks by
 * their functions, then spans by their stacks' numbers: a span costs a bit test. Work is done in steps with a
 * budget.
 */
#ifndef GOTOP_LAYOUT_SEARCH_H
#define GOTOP_LAYOUT_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "triage/query/match.h"
#include "layout/move/view.h"

enum { SEARCH_MAX_HITS = 1 << 20 };

struct hit {
    int64_t t;
    uint32_t g; /* goroutine lane; NO_LANE = no lane of its own */
    /* what - the string that matched, 0 = the id or its state; from HIT_STATE on: a range, of that state. */
    uint32_t what;
};
#define HIT_STATE (UINT32_MAX - 255)

struct search {
    char query[VIEW_TEXT];
    struct match match;
    uint32_t states; /* the query is a state's name: bit per state */
    bool no_text;    /* it is that alone, and no part of a name */
    bool files;      /* the query looks like a file's name: files of frames count, too */
    bool by_id;      /* the query is a goroutine's id, too */
    uint64_t id;
    bool done, full; /* full: more hits than SEARCH_MAX_HITS, the rest is left out */
    bool oom;
    bool hidden; /* Esc: marks are off, n and N still work */
    bool old;    /* the trace has grown since */
    int64_t end; /* how much of the trace was there when it began */
    int phase;
    uint64_t at, sub;        /* where in the phase */
    uint64_t *strs, *stacks; /* bit sets of what matches */
    uint32_t nstr, nstacks;
    bool in_stacks, in_strs; /* any bit set */
    bool in_reasons;         /* a string that matches is the reason or label of some span */
    struct alive *alive;     /* which goroutines live when: the view's, or own */
    struct alive own;
    struct hit *hits;       /* sorted by time once done */
    struct slices *sorting; /* NULL: not yet, or no more */
    size_t nhits, cap;
    size_t cur;    /* the hit the cursor went to; nhits = none */
    int64_t cur_t; /* where the cursor came to stand for it */
    bool found;    /* the nearest hit is known before all are: first */
    struct hit first;
    bool jumped;    /* the cursor went there */
    bool landed;    /* the cursor stands on a hit, or has stood */
    bool typing;    /* the query is still being typed: no undo step for each letter */
    int64_t lo, hi; /* all hits in [lo,hi) are known: it grows from the origin, first where one jumps */
    int64_t w0, w1; /* the window beside it that is looked at; w1 <= w0: none */
    bool grown;     /* more is known than was when a hit to jump to was looked for */
    int jump;       /* when done: +1 / -1 go to the next / previous from origin, 0 stay */
    int64_t origin;
    bool at_too; /* a hit at the origin itself counts */
};

/* search_new - begin; NULL: out of memory, or a bad expression (why[] then says so). */
struct search *search_new(const struct trace *tr, const char *query, char *why, size_t size);
void search_free(struct search *s);
/* search_step - work for about budget_ns; true when done. */
bool search_step(struct search *s, const struct trace *tr, int64_t budget_ns);
/*
 * search_nearest - of the hits known so far the next one behind `from` (dir < 0: before it; at_too: or at
 * it). false: none of these is, or one that is not known yet may be nearer.
 */
bool search_nearest(const struct search *s, int64_t from, int dir, bool at_too, struct hit *out);
/* search_share - how much is done, in per cent. */
int search_share(const struct search *s);
/* search_from - index of the first hit at or after t (done searches). */
size_t search_from(const struct search *s, int64_t t);
/* search_is_hidden - are its marks off? */
bool search_is_hidden(const struct search *s);

#endif
