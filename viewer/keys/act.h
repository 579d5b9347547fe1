/*
 * act.h - actions are obeyed here: app_do() of app.h, and what the footer and help ask about actions.
 */
#ifndef GOTOP_VIEWER_ACT_H
#define GOTOP_VIEWER_ACT_H

#include "viewer/session/app.h"

/* act_answers - the action does something in the view shown. */
bool act_answers(const struct view *v, enum action act);
/* act_leads - the action's key opened this view, and pressed again it opens the next one. */
bool act_leads(const struct view *v, enum action act);
/* act_word - the view's own word for the action; NULL: none. */
const char *act_word(const struct view *v, enum action act);

#endif
