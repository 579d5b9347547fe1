/*
 * asks.h - who asks whom over the network: who serves a connection and is asked, where the next question is waited for, where an answer; and
 * the findings about answers, one of which rule_network() tells of each place.
 */
#ifndef GOTOP_TRIAGE_ASKS_H
#define GOTOP_TRIAGE_ASKS_H

#include "triage/findings/waits_at.h"

/* nested_also - rules_nested.c: in a finding about calls at that stack, that one function stands around each several times, if so. */
void nested_also(struct draft *d, const struct causes *c, uint32_t stack);
/* calls_accept - does the process accept connections? */
bool calls_accept(const struct causes *c);
/* calls_accepting - is that stack in accepting a connection? */
bool calls_accepting(const struct trace *tr, uint32_t stack);
/* calls_connecting - is it in making a connection, or waiting for one of net/http's? calls_pooled - the latter? calls_reading_on - in the
 * rest of an answer that has begun? */
bool calls_connecting(const struct trace *tr, uint32_t stack);
bool calls_pooled(const struct trace *tr, uint32_t stack);
bool calls_reading_on(const struct trace *tr, uint32_t stack);
/* dials_for_http - does who waits there dial for net/http, in a goroutine begun for that? rules_dials.c */
bool dials_for_http(const struct causes *c, const struct pair_row *p);
/* calls_serves - was goroutine g begun by one that accepts connections? */
bool calls_serves(const struct causes *c, uint32_t g);
/* calls_group_serves - do goroutines of a group serve a connection each? Of one of them it is asked. */
bool calls_group_serves(const struct causes *c, uint32_t group);
/* calls_first_place - the function in which a goroutine first reads from the network, or waits to: where a server reads what it is asked, before it asks itself. */
uint32_t calls_first_place(const struct causes *c, uint32_t g);
/*
 * calls_read_first - do all of a group's that begin in the trace read from the network before they send anything? Then each is asked over a
 * connection that it was given, though nobody is seen to accept one.
 */
bool calls_read_first(const struct causes *c, uint32_t group);
/* calls_questions - was goroutine g begun by one that accepts connections? The function in which it waits for the next question; 0 no. */
uint32_t calls_questions(const struct causes *c, uint32_t g);
/* calls_is_asked - does a server's goroutine wait for its side's next question at that function, as meant_for_questions() says? */
bool calls_is_asked(const struct causes *c, uint32_t g, uint32_t place);
/* calls_for_questions - are the network waits of p, at that function, a server's for the next question, not for an answer? */
bool calls_for_questions(const struct causes *c, const struct pair_row *p, uint32_t place);
/* calls_over_http - does it wait there for an answer of net/http's client? */
bool calls_over_http(const struct causes *c, enum wait_kind kind, const struct span *s);
/* calls_by_library - is it a wait in what the program called that a goroutine of the library ended, one that waits for the network itself (an
 * HTTP client's)? */
bool calls_by_library(const struct causes *c, const struct pair_row *p);
/*
 * calls_answering - how long goroutines that answer connections were at it: all their lives but for the waits for the next question, and
 * sleep. Where the same process asks them, what its clients wait for is in this trace, and nobody outside is slow.
 */
int64_t calls_answering(const struct causes *c);
/* calls_answered_inside - rules_inside.c: are the answers waited for there written by goroutines of this process (inferred)? */
bool calls_answered_inside(struct causes *c, const struct waits_at *p);
/* meant_for_questions - does goroutine g read at that function first, and answer there before it reads again? Then it is asked there, and
 * does not ask, if it serves a connection. rules_meant.c */
bool meant_for_questions(const struct causes *c, uint32_t g, uint32_t place);
/*
 * meant_for_session - may the waits there be for what comes next on the connection that goroutine g, begun for one, serves? It does not go
 * back to where it read first, and what it sends behind them is as near to them, by the functions both are called through, as what it
 * sent before: a client's answer is nearer to its question.
 */
bool meant_for_session(const struct causes *c, uint32_t g, uint32_t place);
/*
 * meant_for_news - are most of the answers waited for there none (inferred)? The long ones, one of which is told, are about as long as each
 * other, and it asks again at once behind them, while there is much to do behind the quick ones; and nobody waits for what comes. 0: no.
 */
int64_t meant_for_news(struct causes *c, const struct waits_at *p);
/* causes_sends - does a stack write to something, by the names of its innermost functions? */
bool causes_sends(const struct trace *tr, uint32_t stack);
/* causes_writes - is a wait for the network one to write: for the other side to take what is there already? */
bool causes_writes(const struct trace *tr, uint32_t stack);
/* write_stalls - rules_stalls.c: in a finding about waits to write, that few of them until a limit are nearly all of the time; with what to
 * do. false: not so. */
bool write_stalls(struct draft *d, const struct causes *c, const struct waits_at *p);
#define CAUSES_WRITE_LESS \
    "Send less (together, compressed), drop what is too much, or make the other side read faster; several " \
    "goroutines on one connection (or pipe) win nothing."
/* reader_ends - are waits on a channel or condition ended by a goroutine of the program that reads from the network most of its life? */
bool reader_ends(const struct causes *c, const struct pair_row *p);
/* limits_back - is a connection of net/http's waited for, and ended by one's reader, which gives it back? rules_limits.c */
bool limits_back(const struct causes *c, const struct pair_row *p);
/* limits_opened - how many connections net/http opened in the trace. */
uint64_t limits_opened(const struct causes *c);
/* limits_kept - how many of net/http's connections there were on average, from the first to the end of the last. */
double limits_kept(const struct causes *c);
/* limits_conns - of so many waits for connections: are these for as many as are allowed (MaxConnsPerHost), not for new ones? */
bool limits_conns(const struct causes *c, uint64_t waits, int64_t waited, int64_t back);
/* limits_tell - the finding about these, of that function of the program; where there is something to be won. */
void limits_tell(struct causes *c, uint32_t func, const struct pair_row *most, uint64_t waits, int64_t waited);
/* limits_test_slot - does a test that has called Parallel wait there until one of those that run is over? (Until its turn comes at all it
 * waits elsewhere.) */
bool limits_test_slot(const struct trace *tr, uint32_t stack);
/* sql_covers - is b, waits for the network, told by a, a finding of rules_sql? */
bool sql_covers(const struct trace *tr, const struct finding *a, const struct finding *b);
/* sql_within - is that in what database/sql does for the program? Then rules_sql.c tells of it. */
bool sql_within(const struct trace *tr, uint32_t stack);
/* alone_finding - rules_alone.c: rows of calls of the only goroutines at work; v: all that waits for the network, by function; true: told.
 * It looks once. */
bool alone_finding(struct causes *c, const struct waits_at *v, uint32_t n);
/* rows_between_runs - rules_rows.c: so many calls over the network at that place follow each other, and then it works on them; 0: not so. */
uint32_t rows_between_runs(struct causes *c, uint32_t group, uint32_t place);
/* pieces_finding - rules_pieces.c: are answers at that place late because questions are written in pieces? Then it is told. */
bool pieces_finding(struct causes *c, const struct waits_at *p, double share);
#define MORE_OF_THEM \
    "More of these goroutines, as many as the other side takes at once: who waits needs no processor. Else quicker " \
    "answers, or fewer questions."
/* few_finding - rules_few.c: do few workers that are never idle wait for the network there? Then it is told that they are few. */
bool few_finding(struct causes *c, const struct waits_at *p);
/* gone_finding - rules_gone.c: do goroutines stand there, lost one after the other to answers that do not come? Then it is told. */
bool gone_finding(struct causes *c, const struct waits_at *p);
/* pace_of - of what the caller that waited longest waits, for the network there and for a clock that ticks, the clock's share: it asks at a
 * pace. rules_pace.c */
double pace_of(struct causes *c, const struct waits_at *p);
/* pace_fed - where who hands the callers their work does so at a pace, says it, and bounds the finding's cost by what that one waits;
 * below what the rule asks for it is a note. true: it is so. */
bool pace_fed(struct causes *c, const struct waits_at *p, struct draft *d);
/* backlog_since_text - rules_backlog.c: from when on goroutine g, that takes from a channel, never found it empty; else nothing. */
void backlog_since_text(struct text *t, const struct causes *c, uint32_t g);

#endif
