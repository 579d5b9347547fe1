/*
 * agents.h - `gotop agents`: docs/AGENTS.md, which command answers which question, for programs that call
 * gotop.
 */
#ifndef GOTOP_VIEWER_AGENTS_H
#define GOTOP_VIEWER_AGENTS_H

/* agents_main - argv[0] is "agents". Returns an enum exit_status. */
int agents_main(int argc, char **argv);

#endif
