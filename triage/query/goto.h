/*
 * goto.h - a typed target as data: a moment, a range, a lane, or a lane at a moment.
 *
 *     1.25s  300us  12ms  1m2.5s  500       (no unit: seconds if it has a point, else nanoseconds)
 *     1.2s..1.3s   1.2s+5ms   ..300ms
 *     14:03:22.5  14:03..14:04                       (times of day, where the trace tells them)
 *     50%  12.5%..20%                                (shares of the trace once it is loaded)
 *     g123  p4  m7     each may be followed by @TIME or by a blank and a time or range: "g12 1.2s"
 */
#ifndef GOTOP_TRIAGE_GOTO_H
#define GOTOP_TRIAGE_GOTO_H

#include "triage/text.h"

struct target {
    bool has_lane, has_time, has_range;
    enum lane_kind kind;
    uint64_t id;    /* the file's id of the lane */
    int64_t t0, t1; /* time: t0; range: [t0,t1), t1 > t0 */
};

/* goto_parse - parses a target. Returns false if it is none, or if this trace has no such time of day or
 * share; then *why (may be NULL) is the reason, else NULL. If tr is NULL, any share or time of day is
 * accepted and its time means nothing. Saturates at the largest time. */
bool goto_parse(const struct trace *tr, const char *line, struct target *out, const char **why);
/* goto_time - parses one time, in ns or in ticks ("12724t", if the trace has no clock rate). *rest points
 * after it. A number without unit or point is so many times `bare` ns. */
bool goto_time(const char *s, int64_t bare, int64_t *ns, const char **rest);
/* goto_id - parses the number of a lane, saturated. Returns what follows it; NULL if there is none. */
const char *goto_id(const char *s, uint64_t *id);
/* goto_when - parses a word that is one moment: a time, a share of the trace, or a time of day, which may lie
 * before the trace. Returns false if it is none or this trace can't tell it; *why says which. If tr is NULL,
 * any share or time of day is accepted and its time means nothing. */
bool goto_when(const struct trace *tr, const char *s, int64_t *t, const char **why);

/* The id of a place in a trace, the same in all commands: "g17@1250000ns", a lane and a moment; and with its
 * file, "trace.out@1250000ns:g17". `find`, `report --json` and SQL print them, `explain` and the viewer take
 * them. link_place - writes it. */
enum { LINK_PLACE = 64 }; /* bytes of a place's id */
void link_place(char out[LINK_PLACE], int64_t t, enum lane_kind k, uint64_t id);
/* link_add - adds the id with its file, cleaned. */
void link_add(struct text *out, const char *path, int64_t t, enum lane_kind k, uint64_t id);
/* link_split - if the word is such an id and not itself the name of a file, cuts it to its file and stores
 * the place in `place`. The moment is written as elsewhere: 1.25s, 40%, 14:03:22. */
bool link_split(char *word, char place[LINK_PLACE]);

#endif
