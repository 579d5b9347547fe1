/*
 * terms.h - descriptions of the usual terminals, built into the static program (make static).
 *
 * viewer/term/terms.sh makes them from the terminfo of the machine that builds. Other builds have none,
 * since their host describes its terminals.
 */
#ifndef GOTOP_VIEWER_TERMS_H
#define GOTOP_VIEWER_TERMS_H

struct builtin_term {
    const char *name;     /* as TERM has it; the last row's is NULL */
    const char *terminfo; /* as ncurses takes it in the environment variable TERMINFO */
};
extern const struct builtin_term builtin_terms[];

#endif
