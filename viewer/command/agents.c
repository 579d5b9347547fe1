/*
 * agents.c - see agents.h. The page is built in, as the keymaps are.
 */
#include "viewer/command/agents.h"

#include <string.h>

#include "triage/say.h"
#include "viewer/keys/keymap_builtin.h"

static const char usage[] =
    "usage: gotop agents [--help]\n"
    "A page for programs and agents that call gotop: which command answers which question, how\n"
    "much it prints, what its ids mean. It is docs/AGENTS.md.\n"
    "  --help   print this help\n"
    "Exit status: 0 done, 2 not written.\n";

int agents_main(int argc, char **argv)
{
    struct text t = {0};
    if (argc > 1)
        return strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0
                   ? say_usage("agents", usage)
                   : say_failed("agents", argv[1], "it takes no argument (--help)");
    text_raw(&t, builtin_pages[0].text, strlen(builtin_pages[0].text));
    return say_list("agents", &t);
}
