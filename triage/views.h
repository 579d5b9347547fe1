/*
 * views.h - the views' numbers, by name: findings say which one shows more, layout draws them, keymaps name
 * them.
 */
#ifndef GOTOP_TRIAGE_VIEWS_H
#define GOTOP_TRIAGE_VIEWS_H

enum view_no {
    VIEW_NONE,
#define X(ID, name, object, key) VIEW_##ID,
#include "triage/views.def"
#undef X
    VIEW_END
};

#endif
