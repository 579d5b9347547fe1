/*
 * signals.h - the signals of a process that has a terminal: flags, a pipe, and the way out in an emergency.
 */
#ifndef GOTOP_VIEWER_SIGNALS_H
#define GOTOP_VIEWER_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

enum { LEAVE_MAX = 256 };

struct signals {
    volatile sig_atomic_t winch, tstp, cont, leave; /* a signal has come; leave: its number */
    int pipe[2];                                    /* readable once a signal has come */
    bool open;                                      /* handlers may change the terminal */
    int fd;                                         /* the rest is for the emergency exit */
    struct termios found;
    char leave_text[LEAVE_MAX];
    size_t leave_len;
};
extern struct signals sig;

bool signals_pipe(void); /* returns false with errno set */
void signals_on(void);
void signals_off(void); /* closes the pipe, too */
/* signals_actions - let the clerk, if there will be one, do signals_copy() and signals_stop(). */
void signals_actions(void);
/* signals_copy - make a private file in TMPDIR that is removed when the program ends, however it ends, and
 * store its name in path. Returns a descriptor; -1 if that fails, also for a second one. */
int signals_copy(char *path, size_t size);
/* signals_removed - remove it now. */
void signals_removed(void);
/* signals_stop - send SIGTSTP to all programs of the pipeline, including this one. */
void signals_stop(void);
/* signals_leave_text - add bytes that restore the terminal. NULL and terminfo's -1 add none. */
void signals_leave_text(const char *s);

#endif
