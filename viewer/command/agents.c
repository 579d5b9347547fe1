/*
 * agents.c - `gotop agents`: docs/AGENTS.md, which command answers which question, for programs that call
 * gotop. The page is built in, as the keymaps are.
 */
#include "viewer/command/commands.h"

#include <string.h>

#include "triage/options.h"
#include "triage/say.h"
#include "viewer/keys/keymap_builtin.h"

static const struct command command = {
    "agents", CMD_AGENTS,
    "usage: gotop agents [--help]\n"
    "A page for programs and agents that call gotop: which command answers which question, how much it\n"
    "prints, what its ids mean. It is docs/AGENTS.md.\n",
    "Exit status: 0 done, 2 not written.\n"};

int agents_main(int argc, char **argv)
{
    struct options o;
    struct text t = {0};
    const int status = options_read(&command, argc, argv, &o);
    if (status >= 0)
        return status;
    if (o.noperands)
        return options_wrong(&command, o.operand[0], NULL, "it takes no argument (--help)");
    text_raw(&t, builtin_pages[0].text, strlen(builtin_pages[0].text));
    return say_list("agents", &t);
}
