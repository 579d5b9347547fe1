/*
 * source.c - the source file and line of what is under the cursor.
 *
 * Paths come from the trace and are hostile. Only regular files that can be read are opened, and the editor
 * gets the path as one argument that it can't take for an option (decode/base/child.h).
 */
#include "viewer/session/source.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode/base/child.h"
#include "triage/tables/stacks.h"

static bool source_border(const char *root, size_t n, struct str path)
{
    return path.len > n && memcmp(path.p, root, n) == 0 && (path.p[n] == '/' || (n && root[n - 1] == '/'));
}

bool source_path(const char *const *roots, int n, struct str rec, char *out, size_t size)
{
    char path[sizeof((struct app *)0)->source];
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

static bool source_readable(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, R_OK) == 0;
}

/* The stack of the code under the cursor. */
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
    if (l.kind != LANE_G && s.who != NO_LANE && !trace_span_at(a->tr, (struct lane){LANE_G, s.who}, t, &s))
        return 0;
    bool waits = s.state == ST_WAITING || s.state == ST_SYSCALL || s.state == ST_RUNNABLE;
    return waits || !s.stack_end ? s.stack : s.stack_end;
}

unsigned source_open(struct app *a)
{
    uint32_t stack = stack_here(a), n = trace_stack(a->tr, stack);
    char first[sizeof a->source.path] = "";
    if (!n) {
        view_message(&a->view, true, "no stack is recorded here");
        return VR_DRAW | VR_BELL;
    }
    for (uint32_t i = stacks_user_frame(a->tr, stack); i < n; i++) {
        struct frame f = trace_frame(a->tr, stack, i);
        if (!source_path(a->source.roots, a->source.nroots, trace_str(a->tr, f.file), a->source.path,
                         sizeof a->source.path))
            continue;
        if (source_readable(a->source.path)) {
            a->source.line = f.line;
            return AR_SOURCE | VR_DRAW;
        }
        if (!first[0])
            memcpy(first, a->source.path, sizeof first);
    }
    view_message(&a->view, true,
                 first[0] ? "no such file here: %.120s (--source-root A=B says where sources are)"
                          : "the trace names no file here%s",
                 first);
    return VR_DRAW | VR_BELL;
}
