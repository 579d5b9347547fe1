/*
 * csv.h - rows of comma-separated values (RFC 4180) that a database and a spreadsheet read alike.
 *
 * Fields are added left to right; csv_end() ends the row, csv_flush() the table.
 * Text fields are cleaned by out_name(). One that begins with = + - or @ gets a ' in front, as a spreadsheet
 * would take it for a formula. Numbers are never quoted, "not there" is an empty field.
 */
#ifndef GOTOP_TRIAGE_CSV_H
#define GOTOP_TRIAGE_CSV_H

#include "triage/exports/export_out.h"

struct csv {
    struct out *out;
    struct text row, cell; /* what is not written yet, one cleaned field */
    bool any;              /* the row has a field already */
};
/*
 * A row: one function for each field, in the order of the columns, then csv_end(). Nothing fails: what can't
 * be written breaks the outlet (out_broken()). csv_none - an empty field. csv_text - cleaned (out_name()),
 * quoted if need be; a '\'' in front of what a spreadsheet takes for a formula. csv_flush - write the rows
 * that are held back; call it at the end.
 */
void csv_free(struct csv *c);
void csv_none(struct csv *c);
void csv_int(struct csv *c, int64_t v);
void csv_word(struct csv *c, const char *s); /* our own: written as it is */
void csv_text(struct csv *c, struct str s);
void csv_end(struct csv *c);
void csv_flush(struct csv *c);

#endif
