/*
 * owner.h - whose code a function is: the runtime's, the standard library's, another library's or the
 * program's own. A trace has a function's name and its file; they decide as the Go tools lay files out.
 *
 *   module cache   a file below "/pkg/mod/", or with "@v" in a directory's name    library
 *   vendor         a file below "/vendor/"                                         library
 *   GOPATH         ".../src/HOST/OWNER/NAME/..": the program's own if main's files are in the same tree, else
 *                  library
 *   main module    package main, and what lies below the directory, or the module path, that main's files are
 *                  in
 *
 * Where these do not decide (a name without a file, another module beside the main one) a function of a path
 * with a dot in its first element is `unclear`, and counts as a library's: the program's own frames further
 * out are better.
 *
 * Use: owners_new() on a loaded trace, owner_of() any number of times, owners_free(). Memory: a byte for each
 * string. One thread.
 */
#ifndef GOTOP_TRIAGE_OWNER_H
#define GOTOP_TRIAGE_OWNER_H

#include "decode/trace.h"

enum owner { OWNER_NONE, OWNER_RUNTIME, OWNER_STD, OWNER_LIBRARY, OWNER_PROGRAM };

struct owners;
struct owners *owners_new(const struct trace *tr); /* NULL: out of memory */
void owners_free(struct owners *o);                /* NULL is allowed */
/* owner_of - Returns the owner of a frame's function, or OWNER_NONE if it has no name. */
enum owner owner_of(struct owners *o, const struct frame *f);
/* owner_leaf - Returns the index of the innermost frame outside the runtime and its plumbing (sync,
 * internal/..), or of what it exports (runtime.GC): what a goroutine called. 0 if there is none. owner_user
 * - Returns the index of the innermost frame of the program, else of a library, else owner_leaf(). */
uint32_t owner_leaf(struct owners *o, uint32_t stack);
uint32_t owner_user(struct owners *o, uint32_t stack);
/* owner_func - Returns the user's function of a stack (string): that of owner_user(). owner_at - Returns the
 * owner of a stack's frame. */
uint32_t owner_func(struct owners *o, uint32_t stack);
enum owner owner_at(struct owners *o, uint32_t stack, uint32_t frame);
/* owner_user_from - The same from a frame outwards; the frame itself if none further out is the program's
 * or a library's. */
uint32_t owner_user_from(struct owners *o, uint32_t stack, uint32_t from);
/* owner_root - Returns the outermost function of the program in a stack (string): what it is done for; 0:
 * none. */
uint32_t owner_root(struct owners *o, uint32_t stack);
/* owner_id - Returns "runtime", "std", "library" or "program", for JSON. */
const char *owner_id(enum owner w);

#endif
