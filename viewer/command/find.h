/*
 * find.h - `gotop find FILTER TRACE...`: the spans of many traces that match a filter
 * (triage/query/filter.h), longest first. Each comes with the command that opens it in the viewer.
 */
#ifndef GOTOP_VIEWER_FIND_H
#define GOTOP_VIEWER_FIND_H

/* find_main - argv[0] is "find". Returns an enum exit_status. */
int find_main(int argc, char **argv);

#endif
