/*
 * terms.h - descriptions of the usual terminals, built into the program that carries everything with it (make
 * static).
 *
 * viewer/term/terms.sh makes them from the terminfo of the machine that builds; the other builds have none,
 * their system describes its terminals.
 */
#ifndef GOTOP_VIEWER_TERMS_H
#define GOTOP_VIEWER_TERMS_H

struct builtin_term {
    const char *name;     /* as TERM has it; the last row's is NULL */
    const char *terminfo; /* as ncurses takes it in the environment variable TERMINFO */
};
extern const struct builtin_term builtin_terms[];

#endif
