/* explain_subject.c - see explain_parts.h. */
#include "triage/report/explain_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/base/order.h"
#include "decode/base/mem.h"
#include "decode/model/item.h"
#include "triage/query/goto.h"
#include "triage/report/report.h"

enum { FRAMES = 64 };

/* The rule of a finding's key, or of that id. */
static enum rule rule_of(const char *key)
{
    return rule_named((struct str){key, (uint32_t)strcspn(key, ":")});
}

static bool is_stack(const char *id)
{
    return strncmp(id, "stack:", 6) == 0;
}

bool explain_needs_tables(const char *id)
{
    return is_stack(id) || rule_of(id) != RULE_COUNT;
}

/* ---- stacks -------------------------------------------------------------------------------------------- */

static void frames(struct text *t, const struct trace *tr, uint32_t stack)
{
    const uint32_t n = trace_stack(tr, stack);
    for (uint32_t i = 0; i < n && i < FRAMES; i++) {
        const struct frame f = trace_frame(tr, stack, i);
        if (f.func)
            text_say(t, tr, "    ", t_str(f.func));
        else
            text_add(t, "    0x%" PRIx64, f.pc);
        if (f.file)
            text_say(t, tr, "  ", t_str(f.file), ":", f.line);
        text_lit(t, "\n");
    }
    if (n > FRAMES)
        text_say(t, tr, "    .. and ", n - FRAMES, " more\n");
}

static void open_with(struct text *t, const struct loaded *l, int64_t t0, struct lane lane)
{
    if (lane.i == NO_LANE)
        return;
    text_lit(t, "  open   gotop ");
    link_add(t, l->path, t0, lane.kind, trace_lane_who(l->tr, lane).id);
    text_lit(t, "\n");
}

static bool stack_text(struct text *t, const struct loaded *l, const char *id, const char **why)
{
    char *end;
    errno = 0;
    const unsigned long long no = strtoull(id, &end, 10);
    *why = "no such stack in this trace";
    if (end == id || *end || errno || !no || no > UINT32_MAX || !trace_stack(l->tr, (uint32_t)no))
        return false;
    text_add(t, "stack:%llu\n", no);
    frames(t, l->tr, (uint32_t)no);
    each_of(w, l->tg->waits, l->tg->nwaits) {
        if (w->stack != no)
            continue;
        text_say(t, l->tr, "  waits  ", t_wait(w->reason, w->stack), ": ", w->count, ", ", t_dur(w->total));
        if (w->open)
            text_say(t, l->tr, ", ", w->open, " not over");
        text_say(t, l->tr, ", the longest ", t_dur(w->longest.t1 - w->longest.t0), "\n");
        open_with(t, l, w->longest.t0, lane_g(w->longest.g));
    }
    return true;
}

/* ---- verdicts ------------------------------------------------------------------------------------------ */

static void verdict_text(struct text *t, const struct loaded *l, const struct finding *f)
{
    text_say(t, NULL, t_clean(f->key), "\n");
    report_finding(t, l, f);
    open_with(t, l, f->v.t0, f->lane);
    if (f->v.where.stack) {
        text_add(t, "  at     stack:%" PRIu32 "\n", f->v.where.stack);
        frames(t, l->tr, f->v.where.stack);
    }
}

bool explain_id(struct text *t, const struct loaded *l, const char *id, const char **why)
{
    if (is_stack(id))
        return stack_text(t, l, id + 6, why);
    const enum rule r = rule_of(id);
    bool any = false;
    each_of(f, l->fs.f, l->fs.n) {
        if (f->v.rule != r || (strchr(id, ':') && strcmp(f->key, id) != 0))
            continue;
        text_add(t, "%s", any ? "\n" : "");
        verdict_text(t, l, f);
        any = true;
    }
    *why = "there is no such finding in this trace; gotop report lists them";
    return any;
}

/* ---- moments ------------------------------------------------------------------------------------------- */

static void state_text(struct text *t, const struct trace *tr, const struct span *s)
{
    text_say(t, tr, state_name((enum state)s->state));
    if (s->state == ST_WAITING)
        text_say(t, tr, " (", t_wait(s->reason, s->stack), ")");
    if (s->stack && s->state != ST_RUNNABLE)
        text_say(t, tr, " at ", t_where(s->stack, 0));
}

static void beside_text(struct text *t, const struct trace *tr, const char *when, struct lane lane,
                        int64_t at)
{
    struct span_iter it = {.tr = NULL};
    if (at < 0 || !span_seek_at(&it, tr, lane, at))
        return;
    const struct span *s = span_get(&it);
    text_add(t, "  %-6s ", when);
    state_text(t, tr, s);
    text_say(t, tr, ", ", t_dur(s->t1 - s->t0));
    if (s->state == ST_RUNNABLE && s->who != NO_LANE && when[0] == 't') {
        text_say(t, tr, "; woken by ", t_who(s->who));
        if (s->stack)
            text_say(t, tr, " at ", t_where(s->stack, 0));
    }
    text_lit(t, "\n");
}

/* Stores the span of goroutine g at t in *s and describes it: what it is, what came before, what ended it.
 * Returns false if g has no span there. */
static bool explain_moment(struct text *t, const struct trace *tr, uint32_t g, int64_t at, struct span *s)
{
    const struct lane lane = lane_g(g);
    struct span_iter it = {.tr = NULL};
    char place[LINK_PLACE];
    if (!span_seek_at(&it, tr, lane, at))
        return false;
    *s = *span_get(&it);
    link_place(place, s->t0, LANE_G, trace_lane_who(tr, lane).id);
    text_add(t, "  id     %s\n  is     ", place);
    state_text(t, tr, s);
    if (s->state == ST_RUNNABLE && s->who != NO_LANE)
        text_say(t, tr, ", made so by ", t_who(s->who));
    text_lit(t, "\n");
    if (s->stack) {
        text_add(t, "  %-6s stack:%" PRIu32 "\n", s->state == ST_RUNNABLE ? "by" : "at", s->stack);
        frames(t, tr, s->stack);
    }
    beside_text(t, tr, "before", lane, s->t0 - 1);
    beside_text(t, tr, "then", lane, s->t1);
    return true;
}

/* ---- subjects ------------------------------------------------------------------------------------------ */

void asked_free(struct asked *q)
{
    text_free(&q->title);
    text_free(&q->moment);
    text_free(&q->others);
    mem_free(q->v);
    *q = (struct asked){0};
}

static void ask(struct asked *q, struct workpiece p)
{
    if (p.g == NO_LANE || p.t1 <= p.t0)
        return;
    if (mem_room(q->v, q->cap, q->n + 1))
        q->v[q->n++] = p;
    else
        q->failed = true;
}

/* "123", "123@1.25s": the span there, "123@1.2s..1.3s" */
static bool ask_goroutine(struct asked *q, const struct trace *tr, const char *s, const char **why)
{
    char place[LINK_PLACE * 2];
    struct target to;
    const int n = snprintf(place, sizeof place, "g%s", s);
    if (n >= (int)sizeof place || !goto_parse(tr, place, &to, why)) {
        *why = *why ? *why : "a goroutine is g123, g123@1.25s or g123@1.2s..1.3s";
        return false;
    }
    const uint32_t g = trace_find_lane(tr, LANE_G, to.id);
    *why = "no such goroutine in this trace";
    if (g == NO_LANE)
        return false;
    const struct lane_info li = trace_lane(tr, lane_g(g));
    struct span is = {.t0 = to.has_range ? to.t0 : li.first, .t1 = to.has_range ? to.t1 : li.last};
    *why = "this goroutine isn't there at that moment";
    if (to.has_time && !explain_moment(&q->moment, tr, g, to.t0, &is))
        return false;
    text_who(&q->title, tr, g);
    ask(q, workpiece_of_g(g, is.t0, is.t1));
    q->all = 1;
    *why = is.t1 > trace_info(tr)->end ? "the range ends behind the trace's end" : "it has no length";
    return q->n > 0 && is.t1 <= trace_info(tr)->end;
}

static bool named(const struct trace *tr, uint32_t str, const char *name)
{
    return str_is(trace_str(tr, str), name);
}

static void ask_items(struct asked *q, const struct trace *tr, enum item_kind kind, const char *s)
{
    char *end;
    const uint64_t id = strtoull(s, &end, 10);
    const bool task = kind == ITEM_TASK, by_id = task && end != s && !*end;
    struct item x;
    for (size_t i = 0; item_at(tr, kind, i, &x); i++)
        if (by_id ? x.task == id : named(tr, x.name, s))
            ask(q, task ? workpiece_of_task(tr, i) : workpiece_of_g(x.g, x.t0, x.t1));
    text_add(&q->title, "%s ", task ? "task" : "region");
    text_clean(&q->title, s, strlen(s), 60);
}

/* As it is shown elsewhere: without the directory of its package. */
static bool shown_as(const struct trace *tr, uint32_t name, const char *s)
{
    const struct str f = trace_str(tr, name);
    const size_t n = strlen(s);
    return n && f.len > n && f.p[f.len - n - 1] == '/' && memcmp(f.p + f.len - n, s, n) == 0;
}

static void ask_group(struct asked *q, const struct trace *tr, const char *s)
{
    uint32_t n = trace_nlanes(tr, LANE_G);
    for (uint32_t g = 0; g < n; g++) {
        struct lane_info li = trace_lane(tr, lane_g(g));
        const uint32_t begins = trace_frame(tr, li.start_stack, 0).func; /* a helper, if it isn't that name */
        if (named(tr, li.name, s) || shown_as(tr, li.name, s) || named(tr, begins, s) ||
            shown_as(tr, begins, s))
            ask(q, workpiece_of_g(g, li.first, li.last));
    }
    text_lit(&q->title, "goroutines of ");
    text_clean(&q->title, s, strlen(s), 60);
}

enum { OTHERS = 8 }; /* number of names that are listed */
struct names_seen {
    uint32_t v[OTHERS];
    size_t n;
    bool more;
};

static void see(struct names_seen *s, uint32_t name)
{
    if (any_of(i, s->n, s->v[i] == name))
        return;
    if (s->n == OTHERS)
        s->more = true;
    else
        s->v[s->n++] = name;
}

/* No such name: list the ones there are. kind: as in a subject. */
static const char *others(struct asked *q, const struct trace *tr, const char *kind)
{
    struct names_seen s = {.n = 0};
    struct item x;
    const uint32_t lanes = kind[0] == 's' ? trace_nlanes(tr, LANE_G) : 0;
    for (size_t i = 0;
         kind[0] != 's' && item_at(tr, kind[0] == 't' ? ITEM_TASK : ITEM_REGION, i, &x) && !s.more; i++)
        see(&s, x.name);
    for (uint32_t g = 0; g < lanes && !s.more; g++)
        see(&s, trace_lane(tr, lane_g(g)).name);
    text_add(&q->others,
             s.n ? "no %s of that name in this trace; there are: " : "there is no %s in this trace", kind);
    for (size_t i = 0; i < s.n; i++)
        text_say(&q->others, tr, i ? ", " : "", t_str(s.v[i]));
    text_add(&q->others, "%s", s.more ? " and more" : "");
    return text_ok(&q->others) ? q->others.p : "nothing of that name in this trace";
}

ORDER(cmp_one, struct workpiece, MOST(r->t1 - r->t0) LEAST(r->t0) LEAST(r->g))

bool explain_subject_of(struct asked *q, const struct trace *tr, const char *s, const char **why)
{
    bool slowest = strncmp(s, "slowest:", 8) == 0;
    *why = "a subject is g123, g123@TIME, g123@FROM..TO, task:ID, task:NAME, region:NAME, group:FUNCTION, "
           "slowest:.., stack:ID or a finding's rule";
    const char *id = s + (s[0] == 'g' || s[0] == 'G'); /* as keys take it, as the screen writes it, or bare */
    if (*id >= '0' && *id <= '9')
        return ask_goroutine(q, tr, id, why);
    if (slowest) {
        s += 8;
        text_lit(&q->title, "the slowest ");
    }
    if (strncmp(s, "task:", 5) == 0)
        ask_items(q, tr, ITEM_TASK, s + 5);
    else if (strncmp(s, "region:", 7) == 0)
        ask_items(q, tr, ITEM_REGION, s + 7);
    else if (strncmp(s, "group:", 6) == 0)
        ask_group(q, tr, s + 6);
    else
        return false;
    if (!q->n)
        *why = others(q, tr, s[0] == 't' ? "task" : s[0] == 'r' ? "region" : "start function");
    q->all = q->n;
    sort(q->v, q->n, cmp_one);
    q->n = slowest && q->n ? 1 : q->n;
    return q->n > 0;
}
