/*
 * act.h - the part of app.h that obeys actions: app_do() is implemented here.
 */
#ifndef GOTOP_VIEWER_ACT_H
#define GOTOP_VIEWER_ACT_H

#include "viewer/session/app.h"

/* act_answers - does an action do anything in the view shown? For the footer and help, which offer nothing
 * else. */
bool act_answers(const struct view *v, enum action act);
/* act_leads - does it show a view, and was it by its key that one came to this one? Then it leads on. */
bool act_leads(const struct view *v, enum action act);
/* act_word - what the view shown calls that, NULL: nothing of its own. */
const char *act_word(const struct view *v, enum action act);

#endif
