/*
 * table_priv.h - shared by table.c (life and keys), table_find.c (the things) and table_rows.c (the rows).
 */
#ifndef GOTOP_LAYOUT_TABLE_PRIV_H
#define GOTOP_LAYOUT_TABLE_PRIV_H

#include "layout/views/table.h"

/* table_list - finds all things, in slices. Returns false if out of memory or cancelled.
 * table_forget_lengths - frees the histograms that are used while finding. */
bool table_list(struct table *t);
void table_forget_lengths(struct table *t);

/* table_kinds - whether an order shows kinds, not things. table_ncols, table_col_of - its columns, the name
 * included. */
bool table_kinds(const struct table_order *o);
int table_ncols(const struct table *t, const struct table_order *o);
struct tcol table_col_of(const struct table *t, const struct table_order *o, int c);
/* table_by_text - whether such columns are sorted by their letters, from the first on. */
bool table_by_text(enum tcol_kind k);
/* table_order_rows - makes the rows of t->want, which becomes t->have. Returns false if out of memory or
 * cancelled. */
bool table_order_rows(struct table *t);

#endif
