/*
 * life.h - what a view has derived from the trace and can derive again.
 */
#ifndef GOTOP_LAYOUT_FRAME_LIFE_H
#define GOTOP_LAYOUT_FRAME_LIFE_H

#include "layout/move/view.h"

/* life_forget - drop lists and searches that are of lanes which are gone. */
void life_forget(struct view *v);

#endif
