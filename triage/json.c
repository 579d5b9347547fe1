/* json.c - see json.h. */
#include "triage/json.h"

#include "decode/base/mem.h"

static bool failed; /* documents are made one after another, by the thread that prints */

static void *take(size_t n)
{
    void *p = mem_alloc(n);
    failed |= !p;
    return p;
}

void json_begin(void)
{
    failed = false;
    json_set_alloc_funcs(take, mem_free);
}

bool json_whole(void)
{
    return !failed;
}
