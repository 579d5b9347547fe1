/*
 * picture.h - the screen as a picture in a file, while the program runs: what --svg prints.
 */
#ifndef GOTOP_VIEWER_PICTURE_H
#define GOTOP_VIEWER_PICTURE_H

#include "viewer/session/app.h"

/* picture_write - write the screen as it was drawn last, in its colours, into gotop-1.svg (or the next free
 * number) in the current folder. A message says where, or why not. Returns refresh flags. */
unsigned picture_write(struct app *a);

#endif
