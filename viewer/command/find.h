/*
 * find.h - `gotop find FILTER TRACE...`: spans that match a line of the filter's language
 * (layout/move/filter.h), of many traces, the longest first, each with what opens the viewer there.
 */
#ifndef GOTOP_VIEWER_FIND_H
#define GOTOP_VIEWER_FIND_H

#include <stdbool.h>

/* find_main - argv[0] is "find". Returns an enum exit_status. */
int find_main(int argc, char **argv);
/*
 * find_link - does a word of the command line mean a place in a trace: "FILE@1.25s:g17", and no file is
 * called so? Then it is cut at the '@', and `lane` is "g17@1.25s", as for --lane.
 */
enum { FIND_LANE = 96 };
bool find_link(char *word, char lane[FIND_LANE]);

#endif
