/*
 * source.c - see source.h. Paths come from the trace and are hostile: what holds control bytes is no path,
 * and none begins as an option does (decode/base/child.h).
 */
#include "viewer/session/source.h"

#include <string.h>

#include "decode/base/child.h"
#include "triage/tables/stacks.h"

static bool source_border(const char *root, size_t n, struct str path)
{
    return path.len > n && memcmp(path.p, root, n) == 0 && (path.p[n] == '/' || (n && root[n - 1] == '/'));
}

bool source_path(const char *const *roots, int n, struct str rec, char *out, size_t size)
{
    char path[4096];
    int len = -1;
    if (rec.len && memchr(rec.p, 0, rec.len))
        return false;
    for (int i = 0; i < n && len < 0; i++) {
        const char *eq = strchr(roots[i], '=');
        size_t from = eq ? (size_t)(eq - roots[i]) : 0;
        if (!eq || !source_border(roots[i], from, rec))
            continue;
        bool slash = eq[1] && eq[strlen(eq) - 1] == '/';
        while (slash && from < rec.len && rec.p[from] == '/')
            from++;
        len = snprintf(path, sizeof path, "%s%.*s", eq + 1, (int)(rec.len - from), rec.p + from);
    }
    if (len < 0)
        len = snprintf(path, sizeof path, "%.*s", (int)rec.len, rec.p);
    return len > 0 && (size_t)len < sizeof path && child_name(path, out, size);
}

/* Returns the stack of the code under the cursor. */
static uint32_t stack_here(const struct app *a)
{
    const struct view *v = &a->view;
    struct lane l = v->popup.kind == POPUP_SPAN ? v->popup.lane : v->at.focus;
    int64_t t = v->popup.kind == POPUP_SPAN ? v->popup.t : v->at.cursor;
    struct span s;
    if (v->popup.kind != POPUP_SPAN) {
        if (!view_span_here(v, &l, &s))
            return 0;
        if (t < s.t0 || t >= s.t1)
            t = s.t0;
    } else if (!trace_span_at(a->tr, l, t, &s)) {
        return 0;
    }
    if (l.kind != LANE_G && s.who != NO_LANE && !trace_span_at(a->tr, lane_g(s.who), t, &s))
        return 0;
    bool waits = s.state == ST_WAITING || s.state == ST_SYSCALL || s.state == ST_RUNNABLE;
    return waits || !s.stack_end ? s.stack : s.stack_end;
}

bool source_here(struct app *a, char *path, size_t size, uint64_t *line)
{
    const uint32_t stack = stack_here(a), n = trace_stack(a->tr, stack);
    for (uint32_t i = n ? stacks_user_frame(a->tr, stack) : 0; i < n; i++) {
        const struct frame f = trace_frame(a->tr, stack, i);
        *line = f.line;
        if (source_path(a->roots, a->nroots, trace_str(a->tr, f.file), path, size))
            return true;
    }
    view_message(&a->view, true, n ? "the trace names no file here" : "no stack is recorded here");
    return false;
}
