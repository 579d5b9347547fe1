/*
 * rules_spin.c - the rule about loops that never block: who looks again and again instead of waiting, gives its processor up to be at
 * once in the queue for it, or stands at a select that never waits.
 */
#include "triage/findings/causes.h"
#include "triage/findings/thresholds.h"

#define STEPS 20000   /* spans of each goroutine */
#define MEMBERS 64    /* goroutines of a group */
#define CAUGHT 100000 /* moments of the allocator, of each kind, looked at */

struct spin {
    uint32_t stops, yields,
        looks;       /* preempted; gave the processor up itself; preempted within a look: at a channel, a lock */
    uint32_t allocs; /* stopped in the allocator */
    uint32_t same, line_stack; /* at one line, innermost of the program */
    uint32_t func, within; /* in one function of the program, that of most: where a call is inlined lines differ */
    uint32_t look_stack;   /* of a look, 0: none */
    uint32_t onward; /* looks behind which it went on into a call or a wait at once: once a round, no loop of them */
    int64_t run, life;
    int64_t till_stopped; /* of its running, what ended as it was stopped; */
    int64_t rounds,
        alike;     /* what ended as it called or waited itself; of that, what lasted about as long as up to a look */
    int64_t until; /* so far it was looked at, and it goes on; 0: to its end */
    int64_t ran;   /* running, until then */
    uint32_t waits, calls; /* until then */
    uint32_t on;           /* stopped where it may wait for more, or passes on what it found */
    uint32_t at_looks;     /* since then: stopped at looks and in selects */
    int64_t since;         /* it looks by selects that never wait, from here to its end; 0: not asked of that */
};
/* Where it was stopped. */
struct spin_lines {
    struct {
        uint32_t stack, n;
        struct frame f;
    } v[16];
    uint32_t n;
};

static void line_add(struct spin_lines *l, struct frame f, uint32_t stack, uint32_t times)
{
    uint32_t k = 0;
    while (k < l->n && !(l->v[k].f.func == f.func && l->v[k].f.line == f.line)) {
        k++;
    }
    if (k < 16) {
        if (k == l->n) {
            l->v[l->n].stack = stack;
            l->v[l->n].f = f;
            l->v[l->n++].n = 0;
        }
        l->v[k].n += times;
    }
}

static void lines_end(const struct spin_lines *l, struct spin *s)
{
    for (uint32_t i = 0; i < l->n; i++) {
        uint32_t within = 0;
        if (l->v[i].n > s->same) {
            s->same = l->v[i].n;
            s->line_stack = l->v[i].stack;
        }
        for (uint32_t k = 0; k < l->n; k++) {
            within += l->v[k].f.func == l->v[i].f.func ? l->v[k].n : 0;
        }
        if (within > s->within) {
            s->within = within;
            s->func = l->v[i].f.func;
        }
    }
}

/* Does one of the functions of the runtime and the library on top of that stack begin with one of these? */
static bool on_top(const struct trace *tr, uint32_t stack, const char *const *f, size_t nf)
{
    const uint32_t n = stacks_user_frame(tr, stack);
    struct stack_funcs funcs;
    stack_funcs_of(&funcs, tr, stack);
    for (uint32_t i = 0; i < n; i++) {
        const struct str func = trace_str(tr, stack_func(&funcs, i));
        for (size_t k = 0; k < nf; k++) {
            if (str_starts(func, f[k])) {
                return true;
            }
        }
    }
    return false;
}

/* Is it at a send or receive that may wait? That is no look, though who can't be stopped in what it does before is stopped there. */
static bool may_wait(const struct trace *tr, uint32_t stack)
{
    static const char *const f[] = {"runtime.chanrecv1", "runtime.chanrecv2", "runtime.chansend1"};
    return on_top(tr, stack, f, sizeof f / sizeof *f);
}

/* Is it within a look that never waits? Of a stack at which it does not wait. */
static bool looks_only(const struct trace *tr, uint32_t stack)
{
    static const char *const f[] = {"runtime.selectnb", "runtime.chanrecv",        "runtime.chansend",
                                    "runtime.Gosched",  "sync.(*Mutex).TryLock",   "internal/sync.(*Mutex).TryLock",
                                    "sync/atomic.",     "internal/runtime/atomic."};
    return on_top(tr, stack, f, sizeof f / sizeof *f);
}

/* Was it stopped within the allocator? What only waits for something makes nothing. */
static bool in_allocator(const struct trace *tr, uint32_t stack)
{
    static const char *const f[] = {"runtime.malloc",    "runtime.newobject", "runtime.makeslice",
                                    "runtime.growslice", "runtime.makemap",   "runtime.rawstring"};
    return on_top(tr, stack, f, sizeof f / sizeof *f);
}

/* Did the runtime give the processor up, in something that the program called (runtime.GC waits so for the sweepers)? */
static bool runtime_yields(const struct trace *tr, uint32_t stack)
{
    const uint32_t at =
        str_is(trace_str(tr, trace_frame(tr, stack, 0).func), "runtime.Gosched"); /* not in all dialects */
    return trace_stack(tr, stack) > at && str_starts(trace_str(tr, trace_frame(tr, stack, at).func), "runtime.");
}

/* It calls or waits, having run for so long: behind a look at which it was stopped, having run for `late`, or by itself. */
static void round_ends(struct spin *s, int64_t ran, int64_t late, int64_t look)
{
    if (late) {
        s->onward += (double)ran * threshold(TH_BUSY_ONWARD) < (double)late;
    } else if (look) {
        s->rounds = ns_add(s->rounds, ran);
        s->alike = ran >= look / 2 && ran / 2 <= look ? ns_add(s->alike, ran) : s->alike;
    }
}

struct stops { /* of a goroutine */
    const struct trace *tr;
    struct spin *s;
    struct spin_lines *lines;
    int64_t ran;        /* just before */
    int64_t late, look; /* until it was stopped at a look: if that was just now; the last time */
    uint32_t seen;      /* spans */
};

/* It was stopped, or gave the processor up. false: the runtime did that for it. */
static bool stop_seen(struct stops *w, const struct span_tag *kind, uint32_t stack)
{
    struct spin *s = w->s;
    const struct str reason = trace_str(w->tr, kind->reason);
    const bool yield = str_is(reason, "runtime.Gosched") || str_is(reason, "yield");
    w->late = 0;
    if (yield && runtime_yields(w->tr, stack)) {
        return false;
    }
    s->yields += yield;
    s->stops++;
    s->till_stopped = ns_add(s->till_stopped, w->ran);
    s->allocs += !yield && in_allocator(w->tr, stack);
    const bool on = !yield && may_wait(w->tr, stack);
    s->on += on;
    if (!yield && !on && looks_only(w->tr, stack)) {
        s->looks++;
        s->look_stack = stack;
        w->look = w->late = w->ran;
    }
    line_add(w->lines, trace_frame(w->tr, stack, stacks_user_frame(w->tr, stack)), stack, 1);
    return true;
}

static bool stops_seen(void *arg, const struct span_run *r)
{
    struct stops *w = arg;
    struct spin *s = w->s;
    int64_t t = r->t0;
    for (uint32_t i = 0; i < r->n; t += r->dur[i++]) {
        const struct span_tag *kind = &r->kind[r->tag[i]];
        const uint8_t state = kind->state;
        if (w->seen++ == STEPS) {
            s->until = t;
            return false;
        }
        if (state == ST_SYSCALL || state == ST_WAITING) {
            round_ends(s, w->ran, w->late, w->look);
            w->late = 0;
            s->waits += state == ST_WAITING;
            s->calls += state == ST_SYSCALL;
        }
        if (state == ST_RUNNABLE && r->stack[i] && kind->reason && span_run_g(r, i) == NO_LANE &&
            !stop_seen(w, kind, r->stack[i])) {
            continue;
        }
        w->ran = state == ST_RUNNING ? r->dur[i] : 0;
        s->ran = ns_add(s->ran, w->ran);
    }
    return true;
}

static void stops_of(const struct causes *c, uint32_t g, struct spin *s, struct spin_lines *lines)
{
    struct stops w = {.tr = c->tr, .s = s, .lines = lines};
    trace_states(c->tr, (struct lane){LANE_G, g},
                 &(struct states_ask){.t0 = INT64_MIN, .t1 = INT64_MAX, .all = true, .f = stops_seen, .arg = &w});
}

static int64_t own_run(const struct causes *c, uint32_t g)
{
    return gstat_ns(c->tg->g, g, GM_EXEC) - gstat_ns(c->tg->g, g, GM_ASSIST);
}

/* all: those of its group together, to which it is added. */
static void spin_of(const struct causes *c, uint32_t g, struct spin *s, struct spin *all,
                    struct spin_lines *all_lines)
{
    struct spin_lines lines = {.n = 0};
    *s = (struct spin){.life = gstat_ns(c->tg->g, g, GM_LIFE), .run = own_run(c, g)};
    stops_of(c, g, s, &lines);
    lines_end(&lines, s);
    if (s->within < threshold(TH_BUSY_SAME) * s->stops && s->look_stack) {
        s->line_stack = s->look_stack; /* no function is that of most: where it looks */
    }
    all->stops += s->stops;
    all->yields += s->yields;
    all->looks += s->looks;
    all->onward += s->onward;
    all->on += s->on;
    all->rounds = ns_add(all->rounds, s->rounds);
    all->alike = ns_add(all->alike, s->alike);
    all->allocs += s->allocs;
    all->run = ns_add(all->run, s->run);
    all->until = s->until > all->until ? s->until : all->until;
    all->till_stopped = ns_add(all->till_stopped, s->till_stopped);
    for (uint32_t i = 0; i < lines.n; i++) {
        line_add(all_lines, lines.v[i].f, lines.v[i].stack, lines.v[i].n);
    }
}

/* Who gives the processor up after a piece of work, to be fair, does not spin. */
static bool yields_at_once(const struct spin *s)
{
    return s->yields > s->stops / 2 && s->ran / s->yields < threshold_ns(TH_BUSY_TURN);
}

/*
 * Is a look but where it can be stopped? Behind it, it goes on to something else, and where it is not stopped it runs as long: what takes so
 * long is before it, and can't be stopped. Who looks again and again is at times done at once.
 */
static bool looks_in_passing(const struct spin *s)
{
    return s->looks && !yields_at_once(s) && s->onward >= threshold(TH_BUSY_SAME) * s->looks &&
           s->rounds > s->till_stopped / 2 && (double)s->alike >= threshold(TH_BUSY_SAME) * (double)s->rounds;
}

/* Does it make system calls all the time? Then those are what it does: rules_small.c. */
static bool calls_often(const struct spin *s)
{
    return (double)s->calls * threshold(TH_BUSY_CALLS) >= (double)s->ran;
}

static bool spins_for_sure(const struct spin *s)
{
    return yields_at_once(s) || (s->looks > threshold(TH_BUSY_LOOKS) * (s->stops - s->on) && !looks_in_passing(s));
}

/* Does a method's or function's name say that it waits, and is it stopped in its own code there? A lock of the program's own looks so. */
static bool named_to_wait(const struct trace *tr, const struct spin *s)
{
    static const char *const begins[] = {"await", "wait", "acquire", "poll"}, *const is[] = {"lock", "rlock"};
    const struct str f = trace_str(tr, s->func);
    char name[16] = {0};
    size_t from = f.len, n = 0;
    bool waits = false;
    while (from > 0 && f.p[from - 1] != '.') {
        from--;
    }
    for (; from + n < f.len && n + 1 < sizeof name; n++) {
        const char ch = f.p[from + n];
        name[n] = (char)(ch >= 'A' && ch <= 'Z' ? ch - 'A' + 'a' : ch);
    }
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
        waits |= str_starts((struct str){name, (uint32_t)n}, begins[i]);
    }
    for (size_t i = 0; i < sizeof is / sizeof *is; i++) {
        waits |= str_is((struct str){name, (uint32_t)n}, is[i]);
    }
    const uint32_t at = s->line_stack ? stacks_user_frame(tr, s->line_stack) : 0;
    const bool own =
        at == 0 || str_starts(trace_str(tr, trace_frame(tr, s->line_stack, at - 1).func), "runtime.asyncP");
    return waits && own && s->line_stack && s->within >= threshold(TH_BUSY_SAME) * s->stops &&
           trace_frame(tr, s->line_stack, at).func == s->func;
}

static const char *which_was(uint32_t n)
{
    return n == 1 ? "it" : "one of them";
}

/* What is counted is not of all its life. */
static void until_text(struct text *t, const struct spin *s)
{
    if (s->until) {
        text_lit(t, " until ");
        text_dur(t, s->until);
    }
}

/* n: goroutines that it is told of. */
static void stopped_text(struct text *t, const struct spin *s, uint64_t line, uint32_t n)
{
    const double alike = threshold(TH_BUSY_SAME) * s->stops;
    const bool one_line = s->same >= alike, one_func = s->within >= alike;
    text_add(t, "%u of %u times that %s was stopped",
             one_line   ? s->same
             : one_func ? s->within
                        : s->looks,
             s->stops, which_was(n));
    until_text(t, s);
    text_lit(t, " it was ");
    if (one_line) {
        text_add(t, "at line %llu", (unsigned long long)line);
    } else if (one_func) {
        text_lit(t, "there");
    }
    if (s->looks) {
        text_add(t, "%schecking whether there is something to do", one_line || one_func ? ", " : "");
    }
    text_lit(t, ".");
}

/* Was the allocator caught working for the collector there, too, a tenth as often? What only looks again and again does not allocate. */
static bool allocates(const struct causes *c, const struct spin *s)
{
    static const enum range_kind kind[] = {RANGE_ASSIST, RANGE_SWEEP};
    const uint32_t place = causes_place(c->tr, s->line_stack);
    uint64_t times = 0;
    uint32_t last = 0;
    bool there = false;
    for (size_t k = 0; k < sizeof kind / sizeof *kind; k++) {
        const struct range *r;
        const size_t n = trace_ranges(c->tr, kind[k], &r), step = n / CAUGHT + 1;
        for (size_t i = 0; i < n; i += step) {
            there = r[i].stack == last ? there : causes_place(c->tr, r[i].stack) == place;
            last = r[i].stack;
            times += last && there ? step : 0;
        }
    }
    return (double)times + s->allocs >= threshold(TH_BUSY_SOME) * s->stops;
}

/* It calculates, then, and is what keeps the collector busy. */
static void makes_text(struct draft *d, const struct causes *c)
{
    text_say(&d->text, c->tr,
             " It allocates there, so it produces something rather than waiting. The collector marks for ",
             t_share((double)c->tg->gc_mark_ns, (double)c->tg->end), " of the trace (", c->tg->gc_cycles,
             " cycles).");
    text_lit(&d->next, "Produce less of it, or less often: update only what has changed, and reuse what you can.");
}

/* What it runs in keeps its processor, whether it works there or waits. */
static void passing_text(struct draft *d, const struct spin *s)
{
    text_add(&d->text,
             " But after %u of the %u checks it went straight into a system call or a wait, and where it was not "
             "preempted it ran as long: the check is incidental, and what it runs before, for ",
             s->onward, s->looks);
    text_dur(&d->text, s->till_stopped / (int64_t)s->stops);
    text_lit(&d->text, " on average, can't be preempted (inferred).");
    d->f.inferred = d->f.unstopped = true;
    text_lit(&d->next,
             "Look at what it calls between two checks: a system call made past the scheduler (syscall.RawSyscall) "
             "keeps the processor while it waits: make it through syscall.Syscall, or read through the poller "
             "(os.File, net.Conn). If it is long work in assembly, do it in pieces.");
}

/* It gives its processor up after work of some length, or a long look. */
static void yielded_text(struct text *t, const struct causes *c, const struct spin *s, uint32_t g, uint32_t n)
{
    const uint32_t moves = gstat_moves(c->tg->g, g);
    text_add(t, "%s yielded its processor %u times", which_was(n), s->yields);
    until_text(t, s);
    text_say(t, c->tr, ", after running for ", t_dur(s->ran / s->yields), " on average");
    if (moves) {
        text_say(t, c->tr, ", and moved to another processor ", moves, moves == 1 ? " time" : " times");
    }
    text_lit(t, ".");
}

/* What several ran together is no share of the trace. */
static void ran_for_text(struct text *t, const struct causes *c, int64_t run, uint32_t n)
{
    const double end = (double)c->tg->end;
    text_say(t, c->tr, " running for ", t_dur(run));
    if (n == 1) {
        text_say(t, c->tr, " (", t_share((double)run, end), " of the trace)");
    } else {
        text_lit(t, " together");
        if ((double)run / end >= 0.05) { /* 0.0 of them says nothing */
            text_add(t, " (%.1f of %.0f processors all the time)", (double)run / end, c->procs);
        }
    }
}

static void spin_finding(struct causes *c, uint32_t group, uint32_t g, const struct spin *s, uint32_t n, int64_t run)
{
    const bool named = !spins_for_sure(s) && named_to_wait(c->tr, s);
    bool sure = named || spins_for_sure(s);
    struct frame f = trace_frame(c->tr, s->line_stack, stacks_user_frame(c->tr, s->line_stack));
    struct draft d;
    draft_start(&d, RULE_BUSY_LOOP, sure ? (int64_t)((double)run / c->procs) : 0);
    d.f.note = !sure;
    d.f.severity_ns = d.f.severity_ns ? d.f.severity_ns : (int64_t)((double)run / c->procs);
    draft_about(&d, c->rs, f.func, s->line_stack);
    draft_at(&d, c->life[group].first, c->life[group].last, LANE_G, g);
    text_share(&d.amount, (double)run, c->procs * (double)c->tg->end);
    text_say(&d.text, c->tr, t_place(s->line_stack, 3), " kept ", n, " goroutine", n == 1 ? "" : "s", " of ",
             t_func(c->tg->groups[group].name));
    ran_for_text(&d.text, c, run, n);
    text_add(&d.text, "%s: ", gstat_waits(c->tg->g, g) ? "" : " without ever blocking");
    if (yields_at_once(s)) {
        text_add(&d.text, "%s yielded its processor %u times", which_was(n), s->yields);
        until_text(&d.text, s);
        text_lit(&d.text, " and continued at once each time.");
    } else if (s->yields > s->stops / 2) {
        yielded_text(&d.text, c, s, g, n);
    } else {
        stopped_text(&d.text, s, f.line, n);
    }
    if (looks_in_passing(s)) {
        passing_text(&d, s);
        d.f.note = c->idle >= causes_idle_least(c);
        draft_titled(c->rs, &d, "runs where it can't be preempted");
        return;
    }
    if (!sure && allocates(c, s)) {
        makes_text(&d, c);
        draft_titled(c->rs, &d, "allocates at one place all the time");
        return;
    }
    if (named) {
        text_lit(&d.text, " It calls nothing there, and its name says that it waits (inferred).");
        d.f.inferred = true;
    }
    d.f.looks = named || s->looks > 0;
    text_add(&d.next, "%s",
             yields_at_once(s) ? "Wait on a channel, a condition or a WaitGroup instead of yielding and checking "
                                 "again (runtime.Gosched)."
             : named ? "Use a sync.Mutex, a channel or a condition instead: who spins keeps a processor from those "
                       "it waits for."
             : sure  ? "Block instead of checking again and again: a select without default, a condition, Lock "
                       "instead of TryLock, a longer pause."
             : d.f.looks && !gstat_waits(c->tg->g, g)
                 ? "Let it wait for what it checks (a select without default), unless it computes between two "
                   "checks, which a trace cannot tell."
                 : "If this loop waits for something, block instead; a trace cannot tell whether it computes.");
    draft_titled(c->rs, &d, sure ? rule_title(RULE_BUSY_LOOP) : "runs at one place all the time");
}

/* Running and, for one that gives its processor up and is at once in the queue again, that, too. */
static int64_t spent(const struct causes *c, uint32_t g)
{
    return ns_add(gstat_ns(c->tg->g, g, GM_EXEC), gstat_ns(c->tg->g, g, GM_SCHED));
}

/* Is that within a select? One that waits is no place to be stopped in: it was to go on at once. */
static bool in_select(const struct trace *tr, uint32_t stack)
{
    const uint32_t n = stacks_user_frame(tr, stack);
    for (uint32_t i = 0; i < n; i++) {
        if (str_is(trace_str(tr, trace_frame(tr, stack, i).func), "runtime.selectgo")) {
            return true;
        }
    }
    return false;
}

/* At its last wait or system call among the last `most` spans, or at the first of these. false: it has none. */
static bool at_last_wait(struct span_iter *it, const struct trace *tr, struct lane l, uint64_t nspans, uint64_t most)
{
    bool is = nspans && span_seek_index(it, tr, l, nspans - 1);
    for (uint64_t i = 1; is && i < most && span_get(it)->state != ST_WAITING && span_get(it)->state != ST_SYSCALL;
         i++) {
        if (!span_prev(it)) {
            break;
        }
    }
    return is;
}

/*
 * What it does from its last wait on, if that is long: where it runs all the time, and is stopped within a select often enough, that
 * never waits any more, for one of its cases is always ready.
 */
static bool spins_at_last(const struct causes *c, uint32_t g, struct spin *s)
{
    enum { MOST = 20000 };
    const struct lane l = {LANE_G, g};
    const struct lane_info li = trace_lane(c->tr, l);
    struct span_iter it;
    if (!at_last_wait(&it, c->tr, l, li.nspans, MOST)) {
        return false;
    }
    *s = (struct spin){.since = li.first};
    do {
        const struct span *p = span_get(&it);
        if (p->state == ST_WAITING || p->state == ST_SYSCALL) {
            *s = (struct spin){.since = p->t1};
        } else if (p->state == ST_RUNNING) {
            s->run = ns_add(s->run, p->t1 - p->t0);
        } else if (p->state == ST_RUNNABLE && p->who == NO_LANE && p->stack && p->reason) {
            s->stops++;
            if (in_select(c->tr, p->stack)) {
                s->looks++;
                s->line_stack = s->look_stack = p->stack;
            }
            const bool on = may_wait(c->tr, p->stack);
            s->on += on;
            s->at_looks += !on && (in_select(c->tr, p->stack) || looks_only(c->tr, p->stack));
        }
    } while (span_next(&it));
    s->life = li.last - s->since;
    return s->stops >= threshold(TH_BUSY_STOPS) && threshold_reached(TH_BUSY_GROUP, s->run, c->tg->end) &&
           (double)s->run > threshold(TH_BUSY_LIFE) * (double)s->life &&
           s->looks > threshold(TH_BUSY_LOOKS) * s->stops;
}

/* Is there always more for it? To send takes as long as a select that receives, so whoever does runs for part of the time. */
static bool fed(const struct causes *c, const struct spin *s)
{
    return c->running * (double)c->tg->end - (double)s->run > threshold(TH_BUSY_FED) * (double)s->run;
}

/*
 * Does it hardly ever find something? Then it is stopped at looks and selects alone, and who it deals with is woken seldom: one that takes
 * from others as fast as they send wakes one of them with each piece. (From a channel with room for a million it takes without that, so
 * this says nothing of who is stopped in selects alone: those wait, if there is no default.)
 */
static bool in_vain(const struct causes *c, uint32_t g, const struct spin *s)
{
    return s->at_looks >= threshold(TH_BUSY_SAME) * (s->stops - s->on) &&
           (double)s->run > threshold(TH_BUSY_VAIN) * gstat_ended(c->tg->g, g);
}

static void select_finding(struct causes *c, uint32_t group, uint32_t g, const struct spin *s)
{
    const bool sure = !fed(c, s);
    struct draft d;
    draft_start(&d, RULE_BUSY_LOOP, (int64_t)((double)s->run / c->procs));
    d.f.note = !sure;
    d.f.inferred = true;
    draft_about(&d, c->rs, trace_frame(c->tr, s->line_stack, stacks_user_frame(c->tr, s->line_stack)).func,
                s->line_stack);
    draft_at(&d, s->since, s->since + s->life, LANE_G, g);
    d.f.looks = sure;
    text_share(&d.amount, (double)s->run, c->procs * (double)c->tg->end);
    text_say(&d.text, c->tr, t_place(s->line_stack, 3), " has kept a goroutine of ",
             t_func(c->tg->groups[group].name), " running since ", t_dur(s->since), ", for ", t_dur(s->run),
             " without ever waiting: ", s->looks, " of ", s->stops,
             " times that it was preempted it was in a select, one case of which must have been ready each time "
             "(inferred).",
             sure ? " Hardly anything else runs, so nobody is sending to it all the time." : "");
    text_add(&d.next, "%s",
             sure ? "A closed channel is always ready: set it to nil there, or end the loop; a default case is "
                    "always ready, too."
                  : "A closed channel is always ready, and so is a default case; or there is always more for it: "
                    "then this is its work.");
    draft_titled(c->rs, &d, sure ? rule_title(RULE_BUSY_LOOP) : "its select is always ready");
}

static bool spins(const struct causes *c, uint32_t g, const struct spin *s)
{
    const bool deals = (double)(gstat_ended(c->tg->g, g) + gstat_waits(c->tg->g, g)) * threshold(TH_BUSY_DEALS) >
                       (double)s->life; /* with others, each 10 ms or oftener */
    const bool yields = yields_at_once(s) && s->yields > threshold(TH_BUSY_ROW) * (1.0 + s->waits);
    return s->stops >= threshold(TH_BUSY_STOPS) &&
           (yields || threshold_reached(TH_BUSY_RAN, gstat_ns(c->tg->g, g, GM_EXEC), c->tg->end)) &&
           (double)(s->run + gstat_ns(c->tg->g, g, GM_SCHED)) > threshold(TH_BUSY_LIFE) * (double)s->life &&
           (yields || (double)gstat_ns(c->tg->g, g, GM_WAIT) < threshold(TH_BUSY_WAITS) * (double)s->life) &&
           ((s->within >= threshold(TH_BUSY_SAME) * s->stops && !deals) ||
            s->looks >= threshold(TH_BUSY_SOME) * s->stops || spins_for_sure(s));
}

/*
 * Now and then each of them spins, and waits between: most of what they run ends as they are stopped, late, in one function, and often
 * enough while they only look: a quarter of the times for sure.
 */
static bool spin_in_turn(const struct trace *tr, const struct spin *all)
{
    return all->stops >= 2 * threshold(TH_BUSY_STOPS) && all->yields == 0 &&
           (all->looks >= threshold(TH_BUSY_SOME) * all->stops || named_to_wait(tr, all)) &&
           all->within >= threshold(TH_BUSY_SAME) * all->stops &&
           (double)all->till_stopped > threshold(TH_BUSY_LIFE) * (double)all->run &&
           all->till_stopped / all->stops >= threshold_ns(TH_BUSY_LONG);
}

/* The function it is told of. */
static uint32_t spin_place(const struct trace *tr, const struct spin *s)
{
    return trace_frame(tr, s->line_stack, stacks_user_frame(tr, s->line_stack)).func;
}

static void busy_group(struct causes *c, uint32_t i)
{
    struct spin best = {0}, all = {0};
    struct spin_lines lines = {.n = 0};
    struct {
        uint32_t place;
        int64_t run;
    } one[MEMBERS];
    uint32_t n = 0, there = 0, at = 0, most = NO_LANE, members = 0;
    int64_t run = 0;
    for (uint32_t k = 0; k < c->of[i].n && k < MEMBERS; k++) {
        uint32_t g = causes_nth(c, i, k);
        struct spin s;
        if (!threshold_reached(TH_BUSY_RAN, spent(c, g), c->tg->end)) {
            continue;
        }
        spin_of(c, g, &s, &all, &lines);
        members += s.stops > 0;
        most = most == NO_LANE || own_run(c, g) > own_run(c, most) ? g : most;
        struct spin last;
        const bool loops = spins(c, g, &s);
        if (spins_at_last(c, g, &last) && !(loops && spins_for_sure(&s) && fed(c, &last) && in_vain(c, g, &last))) {
            select_finding(c, i, g, &last);
            return;
        }
        if (loops) {
            one[n].place = spin_place(c->tr, &s);
            one[n++].run = s.run;
            if (s.stops > best.stops) {
                best = s;
                at = g;
            }
        }
    }
    for (uint32_t k = 0; k < n; k++) { /* what others of them do, begun alike, is another thing */
        const bool alike = one[k].place == spin_place(c->tr, &best);
        there += alike;
        run = alike ? ns_add(run, one[k].run) : run;
    }
    if (n && (spins_for_sure(&best) || looks_in_passing(&best) ||
              (n < c->procs && !calls_often(&best) &&
               (!allocates(c, &best) ||
                threshold_reached(TH_BUSY_MARKS, c->tg->gc_mark_ns,
                                  c->tg->end))))) { /* all processors' worth of them are a calculation's */
        spin_finding(c, i, at, &best, there, run);
        return;
    }
    lines_end(&lines, &all);
    if (!n && spin_in_turn(c->tr, &all) && threshold_reached(TH_BUSY_GROUP, all.till_stopped, c->tg->end)) {
        spin_finding(c, i, most, &all, members, all.till_stopped);
    }
}

void rule_busy(struct causes *c)
{
    for (uint32_t i = 0; i < c->tg->ngroups && i < 32; i++) {
        const struct group *g = &c->tg->groups[i];
        if (c->life[i].program &&
            threshold_reached(TH_BUSY_GROUP, ns_add(g->d[GM_EXEC].total, g->d[GM_SCHED].total), c->tg->end)) {
            busy_group(c, i);
        }
    }
}
