/*
 * sql_lean.c - what the static program leaves out of SQLite: full-text search, R-trees, and libraries that
 * are loaded at run time. Nothing could ask for them, and they are half a megabyte. SQLite's archive has each
 * in an object of its own, which isn't linked where its symbol is here already. In the ordinary program this
 * file is empty.
 */
#ifdef GOTOP_STATIC
#include <stddef.h>

int sqlite3Fts3Init(void *db);
int sqlite3Fts5Init(void *db);
int sqlite3RtreeInit(void *db);
void *__wrap_dlopen(const char *file, int how);

int sqlite3Fts3Init(void *db)
{
    (void)db;
    return 0;
}

int sqlite3Fts5Init(void *db)
{
    (void)db;
    return 0;
}

int sqlite3RtreeInit(void *db)
{
    (void)db;
    return 0;
}

void *__wrap_dlopen(const char *file, int how)
{
    (void)file, (void)how;
    return NULL;
}
#else
typedef int sql_lean_is_empty;
#endif
