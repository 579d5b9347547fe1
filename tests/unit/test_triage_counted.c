/*
 * test_triage_counted.c - rules look at so many spans of a goroutine: what they count then is of all of it, or it is said of which part.
 */
#define SCRIPT_MOST (1 << 23)
#include "script_help.h"

int main(void)
{
    const struct CMUnitTest tests[] = {};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
