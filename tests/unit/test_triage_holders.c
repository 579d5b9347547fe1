/*
 * test_triage_holders.c - how long a lock was held, what its holders waited for, and other waits that were told wrongly once.
 */
#include "script_help.h"

#include "triage/findings/holder.h"

enum { KEEPER = 30, QUEUE = 8 };

int main(void)
{
    const struct CMUnitTest tests[] = {};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
