/*
 * signals.h - the signals of a process that has a terminal: flags, a pipe, and the way out in an emergency.
 * For term.c, of which there is one.
 */
#ifndef GOTOP_VIEWER_SIGNALS_H
#define GOTOP_VIEWER_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

enum { LEAVE_MAX = 256 };

struct signals {
    volatile sig_atomic_t winch, tstp, cont, leave; /* has come; leave: which one */
    int pipe[2];                                    /* readable once one has come */
    bool open;                                      /* handlers may act on the terminal */
    int fd;                                         /* what follows is for the emergency exit */
    struct termios found;
    char leave_text[LEAVE_MAX];
    size_t leave_len;
};
extern struct signals sig;

bool signals_pipe(void); /* false: errno says why there is none */
void signals_on(void);
void signals_off(void);
/* signals_remove - a file that goes with the program, however it ends; "" = none any more. */
void signals_remove(const char *path);
/* signals_removed - it goes now. */
void signals_removed(void);
/* signals_leave_text - bytes that give the terminal back are added; NULL and terminfo's -1 add none. */
void signals_leave_text(const char *s);

#endif
