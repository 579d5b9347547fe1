/* callback.c - see callback.h. */
#include "decode/model/callback.h"

#include "decode/base/mem.h"
#include "decode/model/fold_priv.h"
#include "decode/model/retired.h"
#include "decode/model/trace_priv.h"

#include <string.h>

enum {
    EXAMPLES = 3, /* goroutines per creation stack whose callbacks are enough */
    TRIES = 16,   /* most goroutines per creation stack that are looked at */
    SPANS = 64,   /* most spans per goroutine that are looked at */
    ALONE = 4096  /* most goroutines without a creation stack */
};

/* A callback is a string, NOTHING if it isn't known, or SEVERAL if it differs between calls or goroutines. */
enum { NOTHING = 0, SEVERAL = UINT32_MAX };

static void note_callback(uint32_t *callback, uint32_t func)
{
    *callback = *callback == NOTHING || *callback == func ? func : SEVERAL;
}

struct root { /* A line of a function at the root of stacks. */
    uint32_t func, callback;
    uint64_t line;
};
struct helper {
    uint32_t func, first; /* first: the first callback found */
    uint64_t line;
    bool two, differ, is_none; /* two: a second callback was found; differ: even for one creation stack */
    /* number of goroutines that awaited something and then called once; that called repeatedly */
    uint32_t awaits, repeats;
};
struct birth { /* Goroutines with the same helper and creation stack. */
    uint32_t helper, stack, callback;
    uint32_t tried, known;
};
struct alone {
    uint32_t g, helper, callback;
};
struct search {
    struct trace *tr;
    struct root *root;
    size_t nroot, cap_root;
    struct helper helper[GIVEN_HELPERS];
    uint32_t nhelper;
    struct birth *birth;
    size_t nbirth, cap_birth;
    struct alone *alone;
    size_t nalone, cap_alone;
    struct idmap at; /* rows of `root`, then of `birth` */
    bool oom;
};

static bool is_called(const struct names *nm, uint32_t func, const char *name)
{
    return str_starts(names_get(nm, func), name);
}

/* Whether the frame is not the callback, but belongs to the runtime or is a closure of the helper itself. */
static bool is_own(const struct names *nm, uint32_t helper, uint32_t func)
{
    static const char *const beside[] = {"runtime.", "internal/", "sync."};
    const struct str s = names_get(nm, func), h = names_get(nm, helper);
    bool own = !func || (s.len && *s.p == '#'); /* its name is lost */
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++)
        own |= is_called(nm, func, beside[i]);
    uint32_t n = h.len;
    for (uint32_t i = 0; i + 5 < h.len; i++)
        if (!memcmp(h.p + i, ".func", 5) || !memcmp(h.p + i, ".gowr", 5)) {
            n = i + 1;
            break;
        }
    return own || (s.len >= n && !memcmp(s.p, h.p, n));
}

/* Returns the function called at the root's line in a stack of a goroutine that starts there. Stacks from a
 * preemption between two instructions are ignored: while a function enters or returns, its caller may be
 * missing from the stack. */
static uint32_t next_to_root(const struct names *nm, uint32_t stack, struct frame *root)
{
    const uint32_t n = names_depth(nm, stack);
    *root = n ? names_frame(nm, stack, n - 1) : (struct frame){0};
    const uint32_t func = n > 1 ? names_frame(nm, stack, n - 2).func : 0;
    if (!func || is_own(nm, root->func, func))
        return NOTHING;
    for (uint32_t i = 0; i < 2 && i + 2 < n; i++)
        if (is_called(nm, names_frame(nm, stack, i).func, "runtime.asyncPreempt"))
            return NOTHING;
    return func;
}

/* Returns whether the helper itself, at the root of the stack, waits for something from another goroutine (a
 * channel, a condition; not a lock). */
static bool awaits(const struct names *nm, uint32_t stack, uint32_t helper)
{
    static const char *const how[] = {"runtime.selectgo", "runtime.chanrecv", "sync.(*Cond).Wait"};
    const uint32_t n = names_depth(nm, stack);
    bool is = false;
    for (size_t i = 0; n > 1 && i < sizeof how / sizeof *how && names_frame(nm, stack, n - 1).func == helper;
         i++)
        is |= is_called(nm, names_frame(nm, stack, n - 2).func, how[i]);
    return is;
}

/* ---- lines that call different functions --------------------------------------------------------------- */

static void root_put(struct search *s, const struct frame *f, uint32_t callback)
{
    const uint64_t key = f->line << 32 | f->func;
    uint32_t at = idmap_get(&s->at, key);
    if (at == IDMAP_NONE) {
        if (!mem_noted(&s->oom, idmap_row(&s->at, key, s->root, s->cap_root, s->nroot)))
            return;
        at = (uint32_t)s->nroot++;
        s->root[at] = (struct root){.func = f->func, .line = f->line};
    }
    note_callback(&s->root[at].callback, callback);
}

static void helpers_of_stacks(struct search *s)
{
    const struct names *nm = &s->tr->names;
    for (uint32_t i = 1; i < names_nstacks(nm) && !s->oom; i++) {
        struct frame root;
        const uint32_t callback = next_to_root(nm, i, &root);
        if (callback && !names_helper(nm, root.func))
            root_put(s, &root, callback);
    }
    for (size_t i = 0; i < s->nroot && s->nhelper < GIVEN_HELPERS; i++) {
        const struct root *r = &s->root[i];
        if (r->callback != SEVERAL)
            continue;
        const uint32_t k = find_first(j, s->nhelper, s->helper[j].func == r->func);
        if (k < s->nhelper)
            s->helper[k].is_none = true;
        else
            s->helper[s->nhelper++] = (struct helper){.func = r->func, .line = r->line};
    }
    idmap_free(&s->at);
}

/* ---- the helpers' goroutines --------------------------------------------------------------------------- */

/* This is one goroutine's callback, and for how much of the time before its call something was awaited. */
struct life {
    uint32_t callback, calls; /* calls: number of calls of it, with a wait in between */
    int64_t awaited, all;     /* ns */
    bool awaits;              /* it awaited something after its last call */
};

static void life_add(struct life *l, const struct span *is, bool awaited, uint32_t func)
{
    l->all += is->t1 - is->t0;
    l->awaited += awaited && !l->calls ? is->t1 - is->t0 : 0;
    if (func) {
        note_callback(&l->callback, func);
        l->calls += l->awaits || !l->calls;
    }
    l->awaits = awaited || (l->awaits && !func);
}

static struct life helper_life(const struct search *s, const struct helper *h, uint32_t g)
{
    const struct trace *tr = s->tr;
    struct span_iter it;
    struct life l = {.callback = NOTHING};
    bool more = span_seek_index(&it, tr, lane_g(g), 0);
    for (uint32_t i = 0; more && i < SPANS && l.callback != SEVERAL; i++) {
        struct frame root;
        const struct span *is = span_get(&it);
        /* Else the stack is the unblocker's. */
        const bool own = is->state == ST_WAITING || is->state == ST_SYSCALL || is->who == NO_LANE;
        const uint32_t func = own && is->stack ? next_to_root(&tr->names, is->stack, &root) : 0;
        const bool awaited = is->state == ST_WAITING && is->stack && awaits(&tr->names, is->stack, h->func);
        life_add(&l, is, awaited, func && root.func == h->func && root.line == h->line ? func : NOTHING);
        more = span_next(&it);
    }
    return l;
}

static uint32_t birth_at(struct search *s, uint32_t helper, uint32_t stack)
{
    const uint64_t key = callback_key(helper, stack);
    uint32_t at = idmap_get(&s->at, key);
    if (at != IDMAP_NONE)
        return at;
    if (!mem_noted(&s->oom, idmap_row(&s->at, key, s->birth, s->cap_birth, s->nbirth)))
        return IDMAP_NONE;
    s->birth[s->nbirth] = (struct birth){.helper = helper, .stack = stack};
    return (uint32_t)s->nbirth++;
}

/* Returns "Read" of "net.(*conn).Read"; empty for a closure, which has no name of its own. */
static struct str last_of(struct str s)
{
    uint32_t at = s.len;
    while (at > 0 && s.p[at - 1] != '.')
        at--;
    const struct str last = {s.p + at, s.len - at};
    const bool closure = last.len && last.p[last.len - 1] >= '0' && last.p[last.len - 1] <= '9';
    return closure ? (struct str){"", 0} : last;
}

/* Returns whether a and b are different callbacks. Methods of the same name at one line come from a call of
 * an interface, not from a callback. */
static bool is_other(const struct names *nm, uint32_t a, uint32_t b)
{
    const struct str x = last_of(names_get(nm, a)), y = last_of(names_get(nm, b));
    return a != b && !(x.len && str_same(x, y));
}

static uint32_t helper_note(const struct search *s, struct helper *h, uint32_t g)
{
    const struct life l = helper_life(s, h, g);
    const uint32_t callback = l.callback;
    h->repeats += l.calls > 1;
    h->awaits += l.calls == 1 && l.awaited > l.all / 2;
    if (callback == SEVERAL)
        h->is_none = true;
    else if (callback && !h->first)
        h->first = callback;
    else if (callback && is_other(&s->tr->names, callback, h->first))
        h->two = true;
    return callback;
}

static void look_at_stack(struct search *s, uint32_t g, uint32_t helper, uint32_t stack, bool to_the_end)
{
    struct helper *h = &s->helper[helper];
    if (!stack) {
        const bool room = s->nalone < ALONE && mem_room(s->alone, s->cap_alone, s->nalone + 1);
        const uint32_t callback = room ? helper_note(s, h, g) : NOTHING;
        if (callback && to_the_end)
            s->alone[s->nalone++] = (struct alone){g, helper, callback};
        return;
    }
    const uint32_t at = birth_at(s, helper, stack);
    struct birth *b = at == IDMAP_NONE ? NULL : &s->birth[at];
    if (!b || b->known >= EXAMPLES || b->tried >= TRIES)
        return;
    const uint32_t callback = helper_note(s, h, g);
    b->tried++;
    b->known += callback != NOTHING;
    if (callback)
        note_callback(&b->callback, callback);
    h->differ |= b->callback == SEVERAL;
}

static void goroutines(struct search *s)
{
    const uint32_t n = trace_nlanes(s->tr, LANE_G);
    const bool any = any_of(k, s->nhelper, !s->helper[k].is_none);
    for (uint32_t g = 0, run; any && g < n && !s->oom; g += run) {
        const struct home h = trace_home(s->tr, g);
        run = h.run;
        for (uint32_t i = 0; i < run; i++) {
            const uint32_t name = fold_g_name(h.f, h.local + i),
                           k = find_first(j, s->nhelper, s->helper[j].func == name && !s->helper[j].is_none);
            if (k < s->nhelper)
                look_at_stack(s, g + i, k, fold_g_create_stack(h.f, h.local + i),
                              !fold_g_retired(h.f, h.local + i));
        }
    }
}

/* ---- names --------------------------------------------------------------------------------------------- */

static bool is_helper(const struct search *s, uint32_t k)
{
    const struct helper *h = &s->helper[k];
    const bool ticks = !h->differ && h->awaits <= 2 * h->repeats;
    return h->two && !h->is_none && (ticks || h->awaits + h->repeats == 0);
}

static void keep(struct callback *gv, struct idmap *in, uint64_t key, uint32_t callback, bool *oom)
{
    if (callback && callback != SEVERAL && gv->n)
        *oom |= !idmap_put(in, key, callback);
}

static void name_them(struct search *s, struct callback *gv)
{
    for (uint32_t k = 0; k < s->nhelper; k++)
        if (is_helper(s, k))
            gv->helper[gv->n++] = s->helper[k].func;
    for (size_t i = 0; i < s->nbirth; i++) {
        const struct birth *b = &s->birth[i];
        if (is_helper(s, b->helper))
            keep(gv, &gv->runs, callback_key(s->helper[b->helper].func, b->stack), b->callback, &s->oom);
    }
    for (size_t i = 0; i < s->nalone; i++)
        if (is_helper(s, s->alone[i].helper))
            keep(gv, &gv->alone, s->alone[i].g, s->alone[i].callback, &s->oom);
}

void callback_free(struct callback *gv)
{
    idmap_free(&gv->runs);
    idmap_free(&gv->alone);
    *gv = (struct callback){0};
}

uint32_t callback_name(const struct callback *gv, uint32_t g, const struct ginfo *info)
{
    if (!callback_helper(gv, info->name))
        return IDMAP_NONE;
    return info->create_stack ? idmap_get(&gv->runs, callback_key(info->name, info->create_stack))
                              : idmap_get(&gv->alone, g);
}

void callback_find(struct trace *tr)
{
    struct search s = {.tr = tr};
    struct callback found = {.events = tr->fold.events};
    helpers_of_stacks(&s);
    if (s.nhelper && !s.oom)
        goroutines(&s);
    if (!s.oom)
        name_them(&s, &found);
    if (s.oom)
        callback_free(&found);
    callback_free(&tr->callback);
    tr->callback = found;
    mem_free(s.root);
    mem_free(s.birth);
    mem_free(s.alone);
    idmap_free(&s.at);
}

void callback_update(struct trace *tr)
{
    if (tr->callback.events != tr->fold.events)
        callback_find(tr);
}
