/*
 * perfetto.h - writes Perfetto's trace format, packet by packet.
 *
 * Names, stacks and words are numbered and written once, when first used; only their numbers are held.
 * Packets may stand in any order of time (Perfetto sorts), but those of one track with one time keep the
 * order they are written in.
 */
#ifndef GOTOP_TRIAGE_PERFETTO_H
#define GOTOP_TRIAGE_PERFETTO_H

#include "triage/exports/export_out.h"
#include "triage/tables/tab.h"

/* Words that stand beside an event. */
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
    bool is_name; /* v is the number of a word: perfetto_word(), perfetto_stack() */
    uint64_t v;
    char *text; /* or this; NULL = v */
};

enum { CAT_TASK = ST_COUNT + 1, CAT_REGION, CAT_LOG, CAT_END }; /* category of a span: its state + 1 */

#define PERFETTO_NOTES 6
struct slice {
    uint64_t track;
    int64_t t0, t1; /* t1 = NO_TIME: it did not end */
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

/* perfetto_begin - writes what comes first; tr and out must outlive p. Without memory p->oom is set, of this
 * and of all below. */
void perfetto_begin(struct perfetto *p, const struct trace *tr, struct out *out);
void perfetto_free(struct perfetto *p);

struct track {
    uint64_t id, parent; /* never 0, but for the topmost's parent */
    int32_t rank;        /* among its siblings */
    bool counter, bytes;
};
/* perfetto_track - announce a track; the name is cleaned by the caller. */
void perfetto_track(struct perfetto *p, const struct track *t, const char *name);
/* perfetto_name - number of an event's name: state_name(state), then the string in brackets; state ST_NONE:
 * the string. */
uint64_t perfetto_name(struct perfetto *p, uint8_t state, uint32_t str);
/* perfetto_wait - that of a wait at a stack, which may say that it was a pipe's (stacks_reason()). */
uint64_t perfetto_wait(struct perfetto *p, uint32_t reason, uint32_t stack);
uint64_t perfetto_word(struct perfetto *p, uint32_t str);    /* the number of a string that a note names */
uint64_t perfetto_stack(struct perfetto *p, uint32_t stack); /* functions, innermost first, a line each */
void perfetto_slice(struct perfetto *p, const struct slice *s);
void perfetto_instant(struct perfetto *p, const struct slice *s); /* at t0 */
void perfetto_count(struct perfetto *p, uint64_t track, int64_t t,
                    uint64_t v); /* a counter's value from t on */

#endif
