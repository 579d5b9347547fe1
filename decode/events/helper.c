/* helper.c - see helper.h. */
#include "decode/events/helper.h"

#include <string.h>

static bool str_ends(struct str s, const char *with)
{
    const size_t n = strlen(with);
    return s.len > n && !memcmp(s.p + s.len - n, with, n);
}

static const struct {
    const char *is;     /* the function; what ends with '.' begins the names of several */
    const char *own[2]; /* so begin the names of the frames that are the helper's */
} known[] = {
    {"runtime.main", {"runtime."}},
    {"runtime.corostart", {"iter."}}, /* iter.Pull */
    {"testing.tRunner", {"testing."}},
    {"testing.(*B).", {"testing."}},
    {"golang.org/x/sync/errgroup.", {"golang.org/x/sync/errgroup."}},
    {"golang.org/x/sync/singleflight.", {"golang.org/x/sync/singleflight."}},
    {"github.com/sourcegraph/conc.", {"github.com/sourcegraph/conc.", "github.com/sourcegraph/conc/panics."}},
};
#define KNOWN (sizeof known / sizeof *known)

static size_t known_row(struct str f)
{
    for (size_t i = 0; i < KNOWN; i++) {
        const size_t n = strlen(known[i].is);
        if (str_starts(f, known[i].is) && (known[i].is[n - 1] == '.' || f.len == n))
            return i;
    }
    return KNOWN;
}

/*
 * A closure of a method Go of a group, "sync.(*WaitGroup).Go.func1", or of a function Go of a package: how
 * much of its name is before "Go", 0 if it is no such one. Methods Go of other types may run a loop of their
 * own.
 */
static uint32_t before_go(struct str f)
{
    static const char *const tail[] = {".Go.func1", ".Go.func2", ".Go.gowrap1", ".TryGo.func1",
                                       ".GoSafe.func1"};
    for (size_t i = 0; i < sizeof tail / sizeof *tail; i++)
        if (str_ends(f, tail[i])) {
            const struct str of = {f.p, f.len - (uint32_t)strlen(tail[i])};
            return !memchr(of.p, ')', of.len) || str_ends(of, "Group)") ? of.len + 1 : 0;
        }
    return 0;
}

bool helper_is(struct str func)
{
    return known_row(func) < KNOWN || before_go(func);
}

bool helper_own(struct str helper, struct str frame)
{
    const size_t row = known_row(helper);
    if (str_starts(frame, "runtime.")) /* given to nobody: a benchmark's helper calls the collector first */
        return true;
    if (row < KNOWN)
        return str_starts(frame, known[row].own[0]) ||
               (known[row].own[1] && str_starts(frame, known[row].own[1]));
    uint32_t n = before_go(helper);
    if (memchr(helper.p, ')', n) == NULL) /* of a package: all of "pkg.Go" */
        n = helper.len - (uint32_t)strlen(".func1");
    return frame.len >= n && !memcmp(frame.p, helper.p, n) &&
           (frame.len == n || frame.p[n - 1] == '.' || frame.p[n] == '.');
}

bool helper_hidden(struct str helper)
{
    return known_row(helper) == 0;
}
