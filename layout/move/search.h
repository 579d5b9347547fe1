/*
 * search.h - text search over the trace: goroutines by id and start function; spans by the functions of
 * their own stacks, their reasons and their states; tasks, regions and logs; and ranges, if the query names
 * a state that only ranges have (gc, stw, assist). File names count when the query holds ".go". A query is
 * plain text or a regular expression: /text/ or ~text.
 *
 * The search covers windows of time that start at the cursor and grow: all hits between two moments are known
 * and in order at any time, the nearest ones first.
 *
 * Smart case: a query without capitals ignores case. Each string is matched once, and each stack when a span
 * first has it (match.h), so a span costs a look. The work runs in steps with a budget.
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
    /* what - the string that matched, 0 = the id or its state; from HIT_STATE on, the state of a range. */
    uint32_t what;
};
#define HIT_STATE (UINT32_MAX - 255)

struct search {
    char query[VIEW_TEXT];
    struct match match;
    uint32_t states; /* the query is a state's name: bit per state */
    bool no_text;    /* the query is exactly a state's name, not part of a name */
    bool by_id;      /* the query is a goroutine's id, too */
    uint64_t id;
    bool done, full; /* full: more than SEARCH_MAX_HITS hits; the rest is dropped */
    bool oom;
    bool hidden; /* Esc was pressed: marks are off, n and N still work */
    bool old;    /* the trace has grown since */
    int64_t end; /* size of the trace when the search started */
    int phase;
    unsigned array;      /* of tasks, logs, ranges: the one looked through */
    uint64_t at, sub;    /* position in the phase */
    uint32_t nstr;       /* strings to match */
    bool in_strs;        /* one of them does */
    struct alive *alive; /* which goroutines live when: the view's index, or its own */
    struct alive own;
    /* hits[0..nhits) are all there are in [lo,hi), in order of time. Behind them, up to nall, are those of
     * the window [w0,w1) that is being searched; w1 <= w0: none is. */
    struct hit *hits;
    size_t nhits, nall, cap;
    int64_t lo, hi, w0, w1;
    size_t cur;    /* the hit the cursor went to; nhits = none */
    int64_t cur_t; /* the cursor's place on it */
    bool jumped;   /* the cursor went to it from origin */
    bool landed;   /* the cursor is or was on a hit */
    bool typing;   /* the query is still being typed: letters make no undo steps */
    int jump;      /* +1 / -1 jump to the next / previous hit from origin, 0 stay */
    int64_t origin;
    bool at_too; /* a hit at the origin itself counts */
};

/* search_new - starts a search. Returns NULL when out of memory or for a bad expression, which why[] then
 * explains. */
struct search *search_new(const struct trace *tr, const char *query, char *why, size_t size);
void search_free(struct search *s);
/* search_step - works for about budget_ns, or until more hits are known if there is a jump to be made;
 * returns true when done. */
bool search_step(struct search *s, const struct trace *tr, int64_t budget_ns);
/* search_share - the share that is done, in per cent */
int search_share(const struct search *s);
/* search_from - the index of the first known hit at or after t. search_in - whether there is one in [t0,t1),
 * if the search is over and its marks show; s NULL: no. */
size_t search_from(const struct search *s, int64_t t);
bool search_in(const struct search *s, int64_t t0, int64_t t1);

/* popup_finds - whether a pop-up's words are searched. popup_typed - the prompt's line changed. */
bool popup_finds(const struct view *v);
unsigned popup_typed(struct view *v);

#endif
