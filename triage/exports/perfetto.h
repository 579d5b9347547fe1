/*
 * perfetto.h - writes Perfetto's trace format, packet by packet.
 *
 * Names, stacks and strings are numbered and written once, at their first use; only their numbers are kept
 * in memory. Packets may be in any order of time (Perfetto sorts), but packets of one track and one time
 * keep the order in which they are written.
 */
#ifndef GOTOP_TRIAGE_PERFETTO_H
#define GOTOP_TRIAGE_PERFETTO_H

#include "triage/exports/export_out.h"
#include "triage/tables/tab.h"

/* The names of an event's notes. */
enum note_name {
    NOTE_GOROUTINE = 1,
    NOTE_START,
    NOTE_PROCESSOR,
    NOTE_REASON,
    NOTE_STACK,
    NOTE_WAKER,
    NOTE_WAKER_START,
    NOTE_WAKER_STACK,
    NOTE_TASK,
    NOTE_PARENT,
    NOTE_MESSAGE,
    NOTE_NAMES
};
struct note {
    enum note_name name;
    bool is_name; /* v is the number of a string: perfetto_word(), perfetto_stack() */
    uint64_t v;
    char *text; /* this text instead; NULL = v */
};

enum { CAT_TASK = ST_COUNT + 1, CAT_REGION, CAT_LOG, CAT_END }; /* category of a span: its state + 1 */

#define PERFETTO_NOTES 6
struct slice {
    uint64_t track;
    int64_t t0, t1; /* t1 = NO_TIME: it is not over */
    unsigned category;
    uint64_t name; /* perfetto_name() */
    uint32_t n;
    struct note note[PERFETTO_NOTES];
};

struct perfetto {
    const struct trace *tr;
    struct out *out;
    uint8_t *buf;
    size_t cap;
    struct tab names, words;
    uint32_t nnames, nwords;
    struct text tmp;
    bool oom;
};

/* perfetto_begin - writes the header; tr and out must outlive p. When out of memory, this and all functions
 * below set p->oom. */
void perfetto_begin(struct perfetto *p, const struct trace *tr, struct out *out);
void perfetto_free(struct perfetto *p);

struct track {
    uint64_t id, parent; /* never 0, except for the parent of a top-level track */
    int32_t rank;        /* position among its siblings */
    bool counter, bytes;
};
/* perfetto_track - declares a track; the caller cleans the name. */
void perfetto_track(struct perfetto *p, const struct track *t, const char *name);
/* perfetto_name - returns the number of an event's name: state_name(state), then the string in brackets;
 * for ST_NONE only the string. */
uint64_t perfetto_name(struct perfetto *p, uint8_t state, uint32_t str);
/* perfetto_wait - the same for a wait at a stack, which may show that it was on a pipe (stacks_reason()). */
uint64_t perfetto_wait(struct perfetto *p, uint32_t reason, uint32_t stack);
uint64_t perfetto_word(struct perfetto *p, uint32_t str);    /* the number of a string that a note names */
uint64_t perfetto_stack(struct perfetto *p, uint32_t stack); /* functions, innermost first, a line each */
void perfetto_slice(struct perfetto *p, const struct slice *s);
void perfetto_instant(struct perfetto *p, const struct slice *s); /* at t0 */
void perfetto_count(struct perfetto *p, uint64_t track, int64_t t,
                    uint64_t v); /* a counter's value from t on */

#endif
