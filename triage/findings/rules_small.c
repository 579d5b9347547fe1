/*
 * rules_small.c - many small system calls, one after the other, that a buffer would put together.
 */
#include "triage/findings/causes.h"
#include "triage/findings/asks.h"
#include "triage/findings/leaves.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"

#define STEPS 20000   /* spans of each goroutine: whether it is so */
#define WHOLE 2000000 /* and of the one that is named, of which all is said */
#define ENTER 1000    /* ns: what entering and leaving a call takes beside it, with tracing, about */

struct small { /* of one goroutine, by the program's function that makes them */
    uint32_t func, stack;
    uint64_t n, vote;   /* vote: for the stack that most of them have */
    uint64_t instants;  /* of these: traces up to Go 1.21 have no end of a call that did not block */
    int64_t ns, queued; /* queued: waiting for a processor, of its life */
    uint64_t waits;     /* of all spans that were looked at */
    int64_t life;       /* how long these are */
    int64_t until;      /* when they end, if more follow; 0: all of its life was looked at */
    uint32_t also;      /* a function that calls func and makes such calls itself, which are counted, too; 0: none */
};

/* Is that one of those that called what the stack shows? */
static bool calls_it(const struct trace *tr, uint32_t stack, uint32_t func)
{
    const uint32_t n = trace_stack(tr, stack);
    for (uint32_t i = stacks_user_frame(tr, stack) + 1; i < n; i++) {
        if (trace_frame(tr, stack, i).func == func) {
            return true;
        }
    }
    return false;
}

/* The place with most of them, with the same calls that its callers make themselves. */
static struct small most_of(const struct trace *tr, const struct small *v, uint32_t n)
{
    struct small best = {0};
    for (uint32_t i = 0; i < n; i++) {
        best = v[i].func && v[i].n > best.n ? v[i] : best;
    }
    for (uint32_t i = 0; i < n && best.func; i++) {
        if (v[i].func && v[i].func != best.func &&
            trace_frame(tr, v[i].stack, 0).func == trace_frame(tr, best.stack, 0).func &&
            calls_it(tr, best.stack, v[i].func)) {
            best.also = v[i].func;
            best.n += v[i].n;
            best.instants += v[i].instants;
            best.ns = ns_add(best.ns, v[i].ns);
        }
    }
    return best;
}

/* A goroutine's calls by place, so many spans of it: where most are made. */
static void smalls_of(const struct causes *c, uint32_t g, uint32_t steps, struct small *best)
{
    struct small v[8] = {0};
    uint32_t n = 0, last = 0, at = 0;
    uint64_t waits = 0;
    int64_t queued = 0;
    struct walk w;
    int64_t life = 0;
    walk_g(&w, c->tr, g, steps);
    for (const struct span *s; (s = walk_next(&w));) {
        life += s->t1 - s->t0;
        queued += s->state == ST_RUNNABLE ? s->t1 - s->t0 : 0;
        waits += s->state == ST_WAITING;
        if (s->state != ST_SYSCALL || !s->stack) {
            continue;
        }
        if (s->stack != last) { /* mostly the same one again */
            uint32_t func = causes_place(c->tr, s->stack);
            for (at = 0; at < n && v[at].func != func; at++) {
            }
            last = s->stack;
        }
        if (at == 8) {
            continue;
        }
        if (at == n) {
            v[n++] = (struct small){.func = causes_place(c->tr, s->stack), .stack = s->stack};
        }
        v[at].stack = v[at].vote ? v[at].stack : s->stack;
        v[at].vote += s->stack == v[at].stack ? 1 : -1;
        v[at].n++;
        v[at].instants += tri_untimed(c->tr, s->t1 - s->t0);
        v[at].ns += s->t1 - s->t0;
    }
    *best = most_of(c->tr, v, n);
    best->queued = queued;
    best->waits = waits;
    best->life = life;
    best->until = walk_until(&w);
}

/* A call of a byte is shorter than what it takes to enter and leave it: both are its cost. */
static double with_entering(const struct small *k)
{
    return (double)k->ns + (double)k->n * ENTER;
}

static bool takes_a_part(const struct small *k)
{
    return with_entering(k) >=
           threshold(TH_SMALL_LIFE) * (double)(k->life - k->queued); /* a busy host makes no call rare */
}

/* Most of them have no length in the trace: that they take a quarter of its life can't be known, and need not be. */
static bool untimed_row(const struct small *k)
{
    return k->instants * 2 > k->n && (double)k->life / (double)k->n <= threshold(TH_SMALL_APART);
}

static bool many_small(const struct small *k)
{
    return (double)k->n >= threshold(TH_SMALL_COUNT) && k->life > 0 &&
           (double)k->n / (double)k->life * 1e9 >= threshold(TH_SMALL_RATE) &&
           k->ns / (int64_t)k->n <= threshold_ns(TH_SMALL_LENGTH) &&
           (double)k->n >= threshold(TH_SMALL_ROW) * (double)(k->waits + 1) && (untimed_row(k) || takes_a_part(k));
}

/* Does the main goroutine wait along other goroutines, and (nearly) never along those of that group? Then it is over no sooner without. */
static bool off_the_way(struct causes *c, uint32_t group, uint32_t func)
{
    const uint32_t main_lane = trace_find_lane(c->tr, LANE_G, 1);
    struct leaves v;
    int64_t others = 0, its = 0;
    if (main_lane >= c->tg->ng || !causes_main_way(c, &v, NULL)) {
        return false;
    }
    const uint32_t own = c->tg->groups[gstat_group(c->tg->g, main_lane)].name, name = c->tg->groups[group].name;
    for (uint32_t i = 0; i < v.n; i++) {
        if (v.v[i].who == name || v.v[i].func == func) {
            its = ns_add(its, v.v[i].ns);
        } else if (v.v[i].who != own) {
            others = ns_add(others, v.v[i].ns);
        }
    }
    return name != own && (double)others >= threshold(TH_CALLS_OTHERS) * (double)v.all &&
           !threshold_reached(TH_CALLS_FOR, its, v.all);
}

/* Reads or writes bytes: a buffer does more with each. Else it asks something, and the answer may be kept. */
static bool moves_bytes(const struct trace *tr, uint32_t stack)
{
    static const char *const raw[] = {"syscall.Read",  "syscall.Write", "syscall.read",   "syscall.write",
                                      "syscall.Pread", "syscall.pread", "syscall.Pwrite", "syscall.pwrite"};
    const uint32_t n = trace_stack(tr, stack);
    for (uint32_t i = 0; i < n && i < 8; i++) {
        const struct str s = trace_str(tr, trace_frame(tr, stack, i).func);
        for (size_t k = 0; k < sizeof raw / sizeof *raw; k++) {
            if (str_is(s, raw[k])) {
                return true;
            }
        }
        if (str_starts(s, "internal/poll.(*FD).")) {
            return true;
        }
    }
    return causes_sends(tr, stack);
}

const char *small_advice(const struct trace *tr, uint32_t stack)
{
    return moves_bytes(tr, stack) ? "Put a buffer in front of it (bufio), or do more with each call."
                                  : "Ask for all with one call; or, if each of them asks the same, ask once and "
                                    "cache the answer for a while.";
}

/* The calls at one function; how many of them open a file, close one, and move bytes. */
struct files {
    uint64_t all, opens, closes, moves;
};

static struct files files_of(const struct causes *c, uint32_t func)
{
    struct files n = {0};
    for (uint32_t i = 0; i < c->tg->nsyscalls; i++) {
        const struct syscall_row *r = &c->tg->syscalls[i];
        if (causes_place(c->tr, r->stack) != func) {
            continue;
        }
        const struct str call = trace_str(c->tr, trace_frame(c->tr, r->stack, 0).func);
        n.all += r->count;
        if (str_starts(call, "syscall.open") || str_starts(call, "syscall.Open")) {
            n.opens += r->count;
        } else if (str_starts(call, "syscall.close") || str_starts(call, "syscall.Close")) {
            n.closes += r->count;
        } else if (moves_bytes(c->tr, r->stack)) {
            n.moves += r->count;
        }
    }
    return n;
}

bool small_opens(struct text *t, struct text *next, const struct causes *c, uint32_t func)
{
    const struct files n = files_of(c, func);
    if (n.opens == 0 || n.closes < n.opens / 2 || (double)n.opens < threshold(TH_SMALL_OPENS) * (double)n.moves ||
        (double)n.opens < threshold(TH_SMALL_FILES) * (double)n.all) {
        return false; /* or most of its calls are about something else */
    }
    text_add(t, " It opens a file %llu times and closes one %llu times", (unsigned long long)n.opens,
             (unsigned long long)n.closes);
    if (n.moves) {
        text_add(t, ", for %llu reads or writes", (unsigned long long)n.moves);
    }
    text_lit(t, ".");
    text_lit(next, "If it is the same file each time, open it once and keep it open (with a bufio buffer), or cache "
                   "what is read. If each is another one, let several goroutines share them out.");
    return true;
}

static void small_finding(struct causes *c, uint32_t g, const struct small *k, uint32_t others)
{
    struct draft d;
    struct lane_info li = trace_lane(c->tr, (struct lane){LANE_G, g});
    const bool instants = k->instants * 2 > k->n;
    const double life = (double)k->life, share = (instants ? with_entering(k) : (double)k->ns) / life;
    double there = (double)(li.last - li.first) / (double)c->tg->end;
    draft_start(&d, RULE_SMALL_CALLS, (int64_t)(share * there * (double)c->tg->end));
    /* Where others like it have the processors meanwhile, these calls make it wait for them, too. */
    const double around = with_entering(k) / (life - (double)k->queued);
    d.f.won_hi = (int64_t)((around < 1 ? around : 1) * there * (double)c->tg->end);
    d.f.note = around < threshold(TH_SMALL_LIFE);
    draft_about(&d, c->rs, k->func, k->stack);
    draft_at(&d, li.first, li.last, LANE_G, g);
    text_share(&d.amount, share, 1);
    text_say(&d.text, c->tr, t_place(k->stack, 3));
    if (k->also) {
        text_say(&d.text, c->tr, " (and ", t_func(k->also), " itself)");
    }
    text_say(&d.text, c->tr, " makes ", t_f0((double)k->n / life * 1e9), " system calls a second, ");
    if (instants) {
        text_lit(&d.text, "too short to give up their processor (this trace doesn't record how long they take), one "
                          "after the other: at a microsecond each, the least, ");
    } else {
        text_say(&d.text, c->tr, "of ", t_dur(k->ns / (int64_t)k->n), " on average, one after the other: ");
    }
    text_say(&d.text, c->tr, t_share(share, 1), " of the life of ", t_who(g));
    if (k->until) {
        text_say(&d.text, c->tr, " until ", t_dur(k->until));
    }
    text_add(&d.text, "%s.", others ? " and of others like it" : "");
    if (off_the_way(c, gstat_group(c->tg->g, g), k->func)) {
        d.f.note = true;
        d.f.severity_ns = d.f.won_hi = 0;
        text_lit(&d.text,
                 " The main goroutine's critical path runs through others: this costs the trace hardly anything.");
    }
    if (!small_opens(&d.text, &d.next, c, k->func)) {
        text_add(&d.next, "%s", small_advice(c->tr, k->stack));
    }
    draft_end(c->rs, &d);
}

void rule_small(struct causes *c)
{
    for (uint32_t i = 0; i < c->tg->ngroups && i < 24; i++) {
        const struct group *grp = &c->tg->groups[i];
        uint32_t found = NO_LANE, others = 0;
        struct small k, best = {0};
        const int64_t calls = ns_add(grp->d[GM_SYSCALL].total, grp->d[GM_SYSBLOCK].total);
        if (!c->life[i].program || (trace_info(c->tr)->second_family && /* before it most have no length */
                                    (double)calls < threshold(TH_SMALL_LIFE) / 8 * (double)grp->d[GM_LIFE].total)) {
            continue;
        }
        for (uint32_t m = 0; m < c->of[i].n && m < 8; m++) {
            uint32_t g = causes_member(c, i, m, 8);
            smalls_of(c, g, STEPS, &k);
            if (many_small(&k)) {
                others += found != NO_LANE;
                if (k.n > best.n) {
                    best = k;
                    found = g;
                }
            }
        }
        if (found != NO_LANE && best.until) { /* how it begins may not be how it goes on */
            smalls_of(c, found, WHOLE, &best);
        }
        if (found != NO_LANE && many_small(&best) &&
            (takes_a_part(&best) || !off_the_way(c, gstat_group(c->tg->g, found), best.func))) {
            small_finding(c, found, &best, others);
        }
    }
}
