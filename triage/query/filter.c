/*
 * filter.c - a filter is a conjunction of terms. Each term answers for one span of a goroutine; a goroutine
 * shows when one of its spans satisfies all of them.
 *
 * Deciding goes lane by lane and can stop after any chunk of spans. Before a lane is walked, what is known
 * without walking may exclude it: its id, the exact time it spent in the wished state, its longest span.
 *
 * The time of tasks and regions is kept as intervals per goroutine, sorted, with the largest end so far: a
 * look is a binary search.
 */
#include "triage/query/filter.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "decode/base/order.h"
#include "decode/base/rows.h"
#include "decode/base/host.h"
#include "decode/base/mem.h"
#include "decode/model/item.h"
#include "triage/activity/gstate.h"
#include "triage/query/goto.h"
#include "triage/query/match.h"
#include "triage/triage.h"

enum { TERMS = 24, CHUNK = 2048, FILTER_TERM = MATCH_TEXT + 1 };

/* Terms stand in the order in which they are asked. Those about who the goroutine is come last: that is
 * looked up in its lane, which takes long for millions of spans in a row. */
enum kind {
    T_P,
    T_STATE,
    T_REASON,
    T_DUR,
    T_GC,
    T_WOKENBY,
    T_TASK,
    T_REGION,
    T_FUNC,
    T_G,
    T_COLLECTS, /* works for the collector: a running span of a mark worker, or one with an assist in it */
    T_SYSTEM
};

struct ival { /* a task's or region's time on one goroutine */
    uint32_t g;
    int64_t t0, t1; /* t1: the largest of this goroutine up to here */
};

struct term {
    enum kind kind;
    bool not ;
    uint32_t states; /* T_STATE, T_COLLECTS: bit per enum state */
    uint32_t kinds;  /* T_REASON: bit per enum wait_kind whose word matches, too */
    uint64_t id;     /* T_G, T_P, and NAMEs that are g123 */
    bool by_id;
    int64_t least, most; /* T_DUR */
    struct match m;
    struct ival *iv; /* T_TASK, T_REGION */
    size_t niv, civ;
    size_t seen; /* tasks, regions and logs the intervals were made of */
};

struct filter {
    const struct trace *tr;
    struct term term[TERMS];
    unsigned n;
    struct gstate *gs; /* T_COLLECTS: who assisted when */
    uint8_t *show;     /* by goroutine */
    size_t cap;
    uint32_t lanes; /* how many these are */
    uint32_t at;    /* the next lane */
    int64_t from;   /* where in that lane; INT64_MIN: not begun */
    int64_t end;    /* the trace as it was when lane 0 was decided */
    uint64_t count, version;
};

/* ---- states -------------------------------------------------------------------------------------------- */

uint32_t states_named(const char *word)
{
    static const struct {
        const char *name;
        uint32_t states;
    } also[] = {{"gc", 1u << ST_GC | 1u << ST_GCWORK | 1u << ST_ASSIST},
                {"assist", 1u << ST_ASSIST},
                {"stw", 1u << ST_STW},
                {"blocked", 1u << ST_WAITING},
                {"ready", 1u << ST_RUNNABLE},
                {"runq", 1u << ST_RUNNABLE},
                {"sched", 1u << ST_SCHED},
                {"scheduler", 1u << ST_SCHED},
                {"worker", 1u << ST_GCWORK},
                {"syscall", 1u << ST_SYSCALL},
                {"unknown", 1u << ST_UNKNOWN}};
    uint32_t bits = 0;
    for (int st = ST_NONE + 1; st < ST_COUNT; st++)
        if (!strcasecmp(word, state_name((enum state)st)))
            bits |= 1u << st;
    for (unsigned i = 0; i < sizeof also / sizeof *also; i++)
        if (!strcasecmp(word, also[i].name))
            bits |= also[i].states;
    return bits;
}

/* Returns those of the states that a goroutine's lane, or its processor meanwhile, can be in. */
static uint32_t states_of_goroutine(const char *word)
{
    return states_named(word) & (1u << ST_RUNNING | 1u << ST_RUNNABLE | 1u << ST_WAITING | 1u << ST_SYSCALL |
                                 1u << ST_GCWORK | 1u << ST_ASSIST | 1u << ST_UNKNOWN);
}

/* ---- parsing ------------------------------------------------------------------------------------------- */

/* Reads a word; blanks in double quotes belong to it, the quotes don't. Returns why it is none, or NULL. */
static const char *filter_word(const char **at, char out[FILTER_TERM])
{
    size_t n = 0;
    bool quoted = false;
    for (; **at && n + 1 < FILTER_TERM && (quoted || !isspace((unsigned char)**at)); ++*at)
        if (**at == '"')
            quoted = !quoted;
        else
            out[n++] = **at;
    out[n] = 0;
    return n + 1 == FILTER_TERM ? "this term is too long" : quoted ? "a quote is not closed" : NULL;
}

static bool parse_id(const char *s, uint64_t *id)
{
    const char *rest = goto_id(s, id);
    return rest && !*rest;
}

/* ">1ms" */
static bool read_dur(struct term *t, const char *s)
{
    const char *rest;
    int64_t ns;
    const bool more = *s == '>', equal = *s && s[1] == '=';
    if ((*s != '<' && *s != '>') || !goto_time(s + 1 + equal, 1, &ns, &rest) || *rest)
        return false;
    t->kind = T_DUR;
    t->least = !more ? INT64_MIN : equal || ns == INT64_MAX ? ns : ns + 1;
    t->most = more ? INT64_MAX : equal ? ns : ns - 1;
    return true;
}

/* Parses a term that has no name in it. Returns whether it is one. */
static bool read_plain(struct term *t, const char *s)
{
    const bool lane = *s == 'g' || *s == 'p';
    if (lane && parse_id(s + 1 + (s[1] == ':' || s[1] == '='), &t->id))
        t->kind = *s == 'g' ? T_G : T_P;
    else if (!strcmp(s, "gc"))
        t->kind = T_GC;
    else if (!strcmp(s, "is:system") || !strcmp(s, "is=system"))
        t->kind = T_SYSTEM;
    else
        return read_dur(t, strncmp(s, "dur", 3) ? s : s + 3);
    return true;
}

static const char *read_state(struct term *t, const char *s)
{
    t->states = states_of_goroutine(s);
    if (t->states & (1u << ST_GCWORK | 1u << ST_ASSIST)) /* a goroutine's lane says running then */
        t->kind = T_COLLECTS;
    return t->states
               ? NULL
               : "no such state: running, runnable (ready), waiting, syscall, gc, assist, unknown; what "
                 "is waited for: reason=sync";
}

static const char *read_name(struct term *t, const char *s, char why[FILTER_WHY])
{
    const bool re = *s == '~';
    if (!s[re])
        return "a name is missing here";
    t->by_id = *s == 'g' && parse_id(s + 1, &t->id);
    if (!match_init(&t->m, s + re, re, why, FILTER_WHY))
        return why;
    if (t->kind != T_REASON)
        return NULL;
    /* View 6 says "lock" where the trace's reason is "sync". */
    t->kinds = match_str(&t->m, (struct str){"mutex", 5}) ? 1u << WK_LOCK : 0;
    for (unsigned k = WK_OTHER + 1; k < WK_KINDS; k++) {
        const char *word = wait_kind_name((enum wait_kind)k);
        t->kinds |= match_str(&t->m, (struct str){word, (uint32_t)strlen(word)}) ? 1u << k : 0;
    }
    return NULL;
}

static const char *read_term(struct term *t, const char *s, char why[FILTER_WHY])
{
    static const struct {
        const char *word;
        enum kind kind;
    } words[] = {{"state", T_STATE}, {"reason", T_REASON}, {"wokenby", T_WOKENBY},
                 {"task", T_TASK},   {"region", T_REGION}, {"func", T_FUNC}};
    const size_t k = strcspn(s, ":=<>~");
    const bool sign = s[k] == ':' || s[k] == '=';
    if (read_plain(t, s))
        return NULL;
    if (s[k] && k == 3 && !memcmp(s, "dur", 3))
        return "not a duration: dur>1ms, dur<=20us, dur>1.5s";
    each_of(w, words, sizeof words / sizeof *words) {
        if (sign && strlen(w->word) == k && !memcmp(s, w->word, k)) {
            t->kind = w->kind;
            return t->kind == T_STATE ? read_state(t, s + k + 1) : read_name(t, s + k + 1, why);
        }
    }
    t->kind = T_FUNC; /* a function's name may hold any of the other signs */
    return sign ? "no such term: NAME g1 p1 state= reason= dur> gc wokenby: task: region: is:system"
                : read_name(t, s, why);
}

/* Returns why the text is no filter, or NULL. *s is its last term. */
static const char *filter_parse(struct filter *f, const char *text, char s[FILTER_TERM], char why[FILTER_WHY])
{
    const char *bad = NULL;
    while (!bad) {
        while (isspace((unsigned char)*text))
            text++;
        if (!*text)
            return f->n > 0 ? NULL : "nothing to filter by";
        bad = filter_word(&text, s);
        if (bad || f->n == TERMS)
            return bad ? bad : "too many terms";
        struct term *t = &f->term[f->n++];
        t->not = *s == '-';
        bad = t->not &&!s[1] ? "'-' negates the term behind it" : read_term(t, s + t->not, why);
    }
    return bad;
}

ORDER(by_cost, struct term, LEAST(r->kind))

struct filter *filter_new(const struct trace *tr, const char *text, char why[FILTER_WHY])
{
    char term[FILTER_TERM] = "", said[FILTER_WHY];
    struct filter *f = mem_zalloc(sizeof *f);
    snprintf(why, FILTER_WHY, "out of memory");
    if (!f)
        return NULL;
    f->tr = tr;
    const char *bad = filter_parse(f, text, term, said);
    if (bad) {
        struct text t = {0};
        text_clean(&t, term, strlen(term), 24);
        snprintf(why, FILTER_WHY, "%s%s%s", t.p ? t.p : "", *term ? ": " : "", bad);
        text_free(&t);
        filter_free(f);
        return NULL;
    }
    sort(f->term, f->n, by_cost);
    filter_step(f, 0);
    return f;
}

void filter_free(struct filter *f)
{
    if (!f)
        return;
    for (unsigned i = 0; i < f->n; i++) {
        match_free(&f->term[i].m);
        mem_free(f->term[i].iv);
    }
    gstate_free(f->gs);
    mem_free(f->show);
    mem_free(f);
}

/* ---- tasks and regions --------------------------------------------------------------------------------- */

ORDER(by_ival, struct ival, LEAST(r->g) LEAST(r->t0))

/* A task's time counts on the goroutine that began it; its regions and logs on theirs. */
static void make_ivals(struct term *t, const struct trace *tr)
{
    const size_t seen = item_count(tr, ITEM_TASK) + item_count(tr, ITEM_REGION) + item_count(tr, ITEM_LOG);
    const bool task = t->kind == T_TASK;
    struct tab ids = {0};
    struct item x;
    if (t->seen == seen && t->iv)
        return;
    t->seen = seen;
    t->niv = 0;
    for (int k = task ? ITEM_TASK : ITEM_REGION; k <= (task ? ITEM_LOG : ITEM_REGION); k++)
        for (size_t i = 0; item_at(tr, (enum item_kind)k, i, &x); i++)
            if ((k == ITEM_TASK ? match_id(&t->m, tr, x.name) && tab_put(&ids, x.task, 0, 0) != TAB_NONE
                 : task         ? tab_get(&ids, x.task, 0) != TAB_NONE
                                : match_id(&t->m, tr, x.name)) &&
                x.g != NO_LANE && mem_room(t->iv, t->civ, t->niv + 1))
                t->iv[t->niv++] = (struct ival){x.g, x.t0, x.t1 > x.t0 ? x.t1 : x.t0 + 1};
    tab_free(&ids);
    sort(t->iv, t->niv, by_ival);
    for (size_t i = 1; i < t->niv; i++)
        if (t->iv[i - 1].g == t->iv[i].g && t->iv[i - 1].t1 > t->iv[i].t1)
            t->iv[i].t1 = t->iv[i - 1].t1;
}

/* Returns whether one of the goroutine's intervals overlaps [t0,t1). The last one that starts before t1 knows
 * the largest end of all before it, so no other is looked at. */
static bool in_ivals(const struct term *t, uint32_t g, int64_t t0, int64_t t1)
{
    const struct ival *const v = t->iv;
    const size_t lo = bisected(t->niv, i, v[i].g < g || (v[i].g == g && v[i].t0 < t1));
    return lo && v[lo - 1].g == g && v[lo - 1].t1 > t0;
}

/* ---- one span ------------------------------------------------------------------------------------------ */

struct asked { /* a span of a goroutine, and who that is once it was looked up */
    const struct filter *f;
    uint32_t g;
    const struct span *s;
    struct lane_info li;
    bool known, yes; /* yes: this span matches, for filter_look() */
    int looked;      /* at so many of them, up to `at` */
    int64_t at;
};

static const struct lane_info *who(struct asked *a)
{
    if (!a->known)
        a->li = trace_lane_who(a->f->tr, lane_g(a->g));
    a->known = true;
    return &a->li;
}

static bool term_holds(const struct term *t, struct asked *a)
{
    const struct trace *tr = a->f->tr;
    const struct span *s = a->s;
    const int64_t end = s->t1 > s->t0 ? s->t1 : s->t0 + 1;
    switch (t->kind) {
    case T_FUNC: /* the stack of one woken or created by another one is that one's: not its own */
        return match_id(&t->m, tr, who(a)->name) ||
               (s->stack && !(s->state == ST_RUNNABLE && s->who != NO_LANE) &&
                match_stack(&t->m, tr, s->stack));
    case T_G: return who(a)->id == t->id;
    case T_P:
        return s->who != NO_LANE && s->state != ST_RUNNABLE && s->state != ST_WAITING &&
               trace_lane_who(tr, lane_p(s->who)).id == t->id;
    case T_STATE: return t->states >> s->state & 1;
    case T_REASON:
        return match_id(&t->m, tr, s->reason) || match_id(&t->m, tr, s->label) ||
               (t->kinds && s->state == ST_WAITING &&
                t->kinds >> stacks_wait_kind(tr, s->reason, s->stack) & 1);
    case T_DUR: return s->t1 - s->t0 >= t->least && s->t1 - s->t0 <= t->most;
    case T_GC: return tri_in_band(tr, BAND_GC, s->t0, end) > 0;
    case T_WOKENBY: {
        if (s->state != ST_RUNNABLE || s->who == NO_LANE)
            return false;
        const struct lane_info by = trace_lane_who(tr, lane_g(s->who));
        return t->by_id ? by.id == t->id : match_id(&t->m, tr, by.name);
    }
    case T_TASK:
    case T_REGION: return in_ivals(t, a->g, s->t0, end);
    case T_COLLECTS:
        return s->state == ST_RUNNING &&
               (who(a)->is_worker ? t->states >> ST_GCWORK & 1 : gstate_any(a->f->gs, tr, a->g, s->t0, end));
    case T_SYSTEM: return who(a)->is_system;
    }
    return false;
}

static bool all_hold(struct asked *a)
{
    const struct term *const t = a->f->term;
    return !any_of(i, a->f->n, term_holds(&t[i], a) == t[i].not );
}

bool filter_span(const struct filter *f, uint32_t g, const struct span *s)
{
    return g < trace_nlanes(f->tr, LANE_G) && all_hold(&(struct asked){.f = f, .g = g, .s = s});
}

static bool of_lane(const struct term *t)
{
    return t->kind == T_G || t->kind == T_SYSTEM;
}

bool filter_whole(const struct filter *f)
{
    return !any_of(i, f->n, !of_lane(&f->term[i]));
}

int64_t filter_wide(const struct filter *f)
{
    int64_t min = 0;
    each_of(t, f->term, f->n)
        min = t->kind == T_DUR && !t->not &&t->least > min ? t->least : min;
    return min;
}

/* ---- goroutines ---------------------------------------------------------------------------------------- */

/* Returns whether the term excludes the whole goroutine; a->s has nothing of a span. */
static bool excludes(const struct term *t, struct asked *a, int64_t end)
{
    const struct trace *tr = a->f->tr;
    struct shares sh;
    int64_t sum = 0;
    if (of_lane(t))
        return term_holds(t, a) == t->not ;
    if (t->not )
        return false;
    if (t->kind == T_TASK || t->kind == T_REGION)
        return !in_ivals(t, a->g, INT64_MIN, INT64_MAX);
    if (t->kind == T_COLLECTS)
        return !a->li.is_worker && !gstate_any(a->f->gs, tr, a->g, a->li.first, end);
    if (t->kind != T_STATE)
        return false;
    trace_shares(tr, lane_g(a->g), a->li.first, end, &sh);
    for (int st = 0; st < ST_COUNT; st++)
        sum += t->states >> st & 1 ? sh.ns[st] : 0;
    return !sum; /* states of no length at all are not looked for */
}

/* Returns whether the goroutine can't match, matches as a whole, or its spans must be looked at. */
static enum answer { NO, YES, LOOK } quick(struct asked *a)
{
    const struct filter *f = a->f;
    static const struct span none = {.who = NO_LANE};
    const int64_t end = a->li.last > a->li.first ? a->li.last : a->li.first + 1;
    a->s = &none;
    if (!a->li.nspans || any_of(i, f->n, excludes(&f->term[i], a, end)))
        return NO;
    return filter_whole(f) ? YES : LOOK;
}

static bool filter_look(void *arg, const struct span *s)
{
    struct asked *a = arg;
    a->s = s;
    a->at = s->t1;
    a->yes = all_hold(a);
    return !a->yes && ++a->looked < CHUNK;
}

/* Decides lane f->at, at most CHUNK spans of it. Returns true when it is decided. */
static bool decide(struct filter *f)
{
    const struct lane l = lane_g(f->at);
    struct asked a = {.f = f, .g = l.i, .li = trace_lane(f->tr, l), .known = true};
    enum answer is = f->from > INT64_MIN ? LOOK : quick(&a);
    if (is == LOOK) { /* the index knows the long ones */
        trace_wide(f->tr, l, &(struct wide_ask){f->from, INT64_MAX, filter_wide(f), filter_look, &a, 0});
        is = a.yes ? YES : a.looked == CHUNK ? LOOK : NO;
        f->from = a.at;
    }
    f->count += is == YES && !f->show[l.i];
    f->show[l.i] |= is == YES;
    return is != LOOK;
}

/* Makes room for what grows with the trace. A trace that went on is decided anew; what showed keeps
 * showing. */
static bool filter_prepare(struct filter *f)
{
    uint32_t n = trace_nlanes(f->tr, LANE_G);
    int64_t end = trace_info(f->tr)->end;
    if (end == f->end && n == f->lanes && f->show)
        return true;
    if (!mem_room_zeros(f->show, f->cap, (size_t)n + 1))
        return false;
    f->lanes = n;
    f->end = end;
    f->at = 0;
    f->from = INT64_MIN;
    f->version++;
    each_of(t, f->term, f->n) {
        match_fit(&t->m, f->tr);
        if (t->kind == T_TASK || t->kind == T_REGION)
            make_ivals(t, f->tr);
        if (t->kind == T_COLLECTS)
            (void)gstate_update(&f->gs, f->tr);
    }
    return true;
}

bool filter_step(struct filter *f, int64_t budget_ns)
{
    if (!filter_prepare(f) || f->at >= f->lanes)
        return true;
    uint64_t before = f->count;
    int64_t until = host_until(budget_ns);
    for (int i = 0; f->at < f->lanes; i++) {
        const bool over = decide(f);
        if (over) {
            f->from = INT64_MIN;
            f->at++;
        }
        if ((!over || i % 64 == 63) && host_over(until))
            break;
    }
    f->version += f->count != before || f->at >= f->lanes;
    return f->at >= f->lanes;
}

struct filter_known filter_known(const struct filter *f)
{
    return (struct filter_known){f->lanes ? (int)((uint64_t)f->at * 100 / f->lanes) : 100, f->count,
                                 f->version};
}

bool filter_shows(const struct filter *f, uint32_t g)
{
    return g < f->lanes && f->show[g];
}

uint32_t filter_next(const struct filter *f, uint32_t g)
{
    const uint8_t *at = g < f->lanes ? memchr(f->show + g, 1, f->lanes - g) : NULL;
    return at ? (uint32_t)(at - f->show) : NO_LANE;
}

void filter_hint(const struct filter *f, char *out, size_t size)
{
    *out = 0;
    each_of(t, f->term, f->n) {
        if (t->kind != T_FUNC || t->not )
            continue;
        if (states_of_goroutine(t->m.text))
            snprintf(out, size, "; that is a name, a state is state=%s", t->m.text);
        else if (!t->m.is_regex && !t->m.fold)
            snprintf(out, size, "; capitals make it case-sensitive");
    }
}
