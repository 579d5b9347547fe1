/*
 * find.h - `gotop find FILTER TRACE...`: spans that match a line of the filter's language
 * (layout/move/filter.h), of many traces, the longest first, each with what opens the viewer there.
 */
#ifndef GOTOP_VIEWER_FIND_H
#define GOTOP_VIEWER_FIND_H

/* find_main - argv[0] is "find". Returns an enum exit_status. */
int find_main(int argc, char **argv);

#endif
