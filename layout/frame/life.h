/*
 * life.h - what a view works out and can work out again.
 */
#ifndef GOTOP_LAYOUT_FRAME_LIFE_H
#define GOTOP_LAYOUT_FRAME_LIFE_H

#include "layout/move/view.h"

/* life_forget - drop what was added up, listed or looked for in lanes that are gone now. */
void life_forget(struct view *v);

#endif
