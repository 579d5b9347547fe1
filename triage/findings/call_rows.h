/*
 * call_rows.h - how many calls follow each other in a goroutine before it waits for something else: rows, counted by their length.
 */
#ifndef GOTOP_TRIAGE_CALL_ROWS_H
#define GOTOP_TRIAGE_CALL_ROWS_H

#include "triage/findings/waits_at.h"

#define ROW_MOST 63
struct rows {                   /* how many calls followed each other */
    uint32_t len[ROW_MOST + 1]; /* [i]: rows of i calls, the last one: or more */
    uint64_t in[ROW_MOST + 1];  /* the calls in these */
    uint64_t n;
    uint64_t calls, asked; /* calls, and those before which it had sent something */
};
/*
 * rows_of - adds the rows of a goroutine's calls at p's place, of that handler (rows_root(); 0: any). alone: what it does all its life is a row,
 * too. rows_of_tasks - where work is marked as tasks, a row is what one of them waits so.
 */
void rows_of(const struct causes *c, uint32_t g, const struct waits_at *p, uint32_t root, bool alone, struct rows *r);
void rows_of_tasks(const struct causes *c, const struct waits_at *p, struct rows *r);
/* rows_root - the outermost function of the program's in a stack: of a server's goroutine, that begins in the library, the handler. */
uint32_t rows_root(const struct trace *tr, uint32_t stack);
/* row_median - half of the rows are so long or shorter. row_of_calls - half of the calls are in rows so long or longer. */
uint32_t row_median(const struct rows *r);
uint32_t row_of_calls(const struct rows *r);
/* rows_alike - are the rows of about that length, as those are that a program makes? */
bool rows_alike(const struct rows *r, uint32_t median);

#endif
