/*
 * dump.h - `gotop dump TRACE`: the whole model as text on standard output.
 */
#ifndef GOTOP_VIEWER_DUMP_H
#define GOTOP_VIEWER_DUMP_H

/* dump_main - argv[0] is "dump". Returns an enum exit_status. */
int dump_main(int argc, char **argv);

#endif
