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
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "decode/base/bisect.h"
#include "decode/base/host.h"
#include "decode/base/mem.h"
#include "triage/activity/gstate.h"
#include "triage/query/goto.h"
#include "triage/query/match.h"
#include "triage/query/states.h"
#include "triage/triage.h"

enum { TERMS = 24, CHUNK = 2048 };

enum kind {
    T_FUNC,
    T_G,
    T_P,
    T_STATE,
    T_REASON,
    T_DUR_MORE,
    T_DUR_LESS,
    T_GC,
    T_WOKENBY,
    T_TASK,
    T_REGION,
    T_COLLECTS, /* works for the collector: a running span of a mark worker, or one with an assist in it */
    T_SYSTEM
};

struct ival { /* a task's or region's time on one goroutine */
    uint32_t g;
    int64_t t0, t1, most; /* most: the largest t1 of this goroutine up to here */
};

struct term {
    enum kind kind;
    bool not ;
    uint32_t states; /* T_STATE, T_COLLECTS: bit per enum state */
    uint32_t kinds;  /* T_REASON: bit per enum wait_kind whose word matches, too */
    uint64_t id;     /* T_G, T_P, and NAMEs that are g123 */
    bool by_id;
    int64_t ns; /* T_DUR_MORE, T_DUR_LESS: at least, at most */
    struct match m;
    struct match_cache cache;
    struct ival *iv; /* T_TASK, T_REGION */
    size_t niv, civ;
    size_t seen; /* tasks, regions and logs the intervals were made of */
};

struct filter {
    const struct trace *tr;
    struct term term[TERMS];
    int n;
    struct gstate *gs; /* T_COLLECTS: who assisted when */
    uint64_t *show;    /* bit per goroutine */
    uint32_t lanes;    /* bits there are */
    uint32_t at;       /* the next lane */
    uint64_t sub;      /* the next span of that lane */
    int64_t end;       /* the trace as it was when lane 0 was decided */
    uint64_t count, version;
};

static bool bit(const uint64_t *set, uint32_t i)
{
    return set[i / 64] >> (i % 64) & 1;
}

static void set_bit(uint64_t *set, uint32_t i)
{
    set[i / 64] |= 1ull << (i % 64);
}

static bool fit_bits(uint64_t **set, uint32_t have, uint32_t want)
{
    size_t a = ((size_t)have + 63) / 64, b = ((size_t)want + 63) / 64;
    if (b <= a && *set)
        return true;
    uint64_t *p = mem_resize(*set, (b ? b : 1) * 8);
    if (!p)
        return false;
    memset(p + a, 0, ((b ? b : 1) - a) * 8);
    *set = p;
    return true;
}

/* ---- parsing ------------------------------------------------------------------------------------------- */

struct parser {
    const char *text;
    size_t at, from; /* next byte; where the present term begins */
    struct filter_error *e;
};

static bool bad(const struct parser *p, size_t at, const char *what)
{
    p->e->at = (int)at;
    snprintf(p->e->what, sizeof p->e->what, "%s", what);
    return false;
}

/* One word: blanks within double quotes belong to it, the quotes don't. *begin: where each byte came from is
   lost but for the word's own place. */
static bool word(struct parser *p, char *out, size_t size)
{
    size_t n = 0;
    bool quoted = false;
    for (; p->text[p->at] && (quoted || !isspace((unsigned char)p->text[p->at])); p->at++) {
        char c = p->text[p->at];
        if (c == '"') {
            quoted = !quoted;
            continue;
        }
        if (n + 1 >= size)
            return bad(p, p->from, "this term is too long");
        out[n++] = c;
    }
    out[n] = 0;
    return !quoted || bad(p, p->from, "a quote is not closed");
}

static bool parse_id(const char *s, uint64_t *id)
{
    const char *rest = goto_id(s, id);
    return rest && !*rest;
}

static bool pattern(struct parser *p, struct term *t, const char *s, size_t at)
{
    char why[120];
    bool re = *s == '~';
    if (!s[re])
        return bad(p, at, "a name is missing here");
    t->by_id = *s == 'g' && parse_id(s + 1, &t->id);
    return match_init(&t->m, s + re, re, why, sizeof why) || bad(p, at, why);
}

static bool parse_state(struct parser *p, struct term *t, const char *s, size_t at)
{
    t->states = states_of_goroutine(s);
    if (t->states & (1u << ST_GCWORK | 1u << ST_ASSIST)) /* a goroutine's lane says running then */
        t->kind = T_COLLECTS;
    if (t->states)
        return true;
    return bad(
        p, at,
        !strcmp(s, "sweep")
            ? "sweeping is recorded of processors, not of goroutines"
            : "no such state: running, runnable (ready), waiting, syscall, gc, assist, unknown; what is "
              "waited for: reason=sync");
}

static bool parse_dur(struct parser *p, struct term *t, const char *s, size_t at)
{
    const char *rest;
    bool more = *s == '>', equal = s[1] == '=';
    if (*s != '<' && *s != '>')
        return bad(p, at, "dur needs < or >: dur>1ms");
    s += 1 + equal;
    if (!goto_time(s, &t->ns, &rest) || *rest)
        return bad(p, at + 1 + equal, "not a duration: 1ms, 20us, 1.5s");
    t->kind = more ? T_DUR_MORE : T_DUR_LESS;
    if (!equal)
        t->ns = more ? (t->ns < INT64_MAX ? t->ns + 1 : t->ns) : t->ns - 1;
    return true;
}

/* View 6 says "lock" where the trace's reason is "sync". */
static uint32_t kinds_of(const struct match *m)
{
    uint32_t kinds = match_str(m, (struct str){"mutex", 5}) ? 1u << WK_LOCK : 0;
    for (unsigned k = WK_OTHER + 1; k < WK_KINDS; k++) {
        const char *word = wait_kind_name((enum wait_kind)k);
        kinds |= match_str(m, (struct str){word, (uint32_t)strlen(word)}) ? 1u << k : 0;
    }
    return kinds;
}

static bool parse_term(struct parser *p, struct term *t, const char *s, size_t at)
{
    static const struct {
        const char *word;
        enum kind kind;
    } named[] = {{"reason", T_REASON},
                 {"wokenby", T_WOKENBY},
                 {"task", T_TASK},
                 {"region", T_REGION},
                 {"func", T_FUNC}};
    size_t k = strcspn(s, ":=<>~");
    char sep = s[k];
    int64_t ns;
    const char *rest;
    if (!k && (sep == '<' || sep == '>') && goto_time(s + 1 + (s[1] == '='), &ns, &rest) && !*rest)
        return parse_dur(p, t, s, at); /* as in tables */
    if (*s == '~' || !sep) {
        if ((*s == 'g' || *s == 'p') && parse_id(s + 1, &t->id)) {
            t->kind = *s == 'g' ? T_G : T_P;
            return true;
        }
        t->kind = !strcmp(s, "gc") ? T_GC : T_FUNC;
        return t->kind == T_GC || pattern(p, t, s, at);
    }
    if (k == 3 && !memcmp(s, "dur", 3))
        return parse_dur(p, t, s + 3, at + 3);
    if (sep != ':' && sep != '=') { /* a function's name may hold any of these */
        t->kind = T_FUNC;
        return pattern(p, t, s, at);
    }
    if (k == 5 && !memcmp(s, "state", 5)) {
        t->kind = T_STATE;
        return parse_state(p, t, s + 6, at + 6);
    }
    if (k == 2 && !memcmp(s, "is", 2)) {
        t->kind = T_SYSTEM;
        return !strcmp(s + 3, "system") || bad(p, at + 3, "only is:system is known");
    }
    if (k == 1 && (*s == 'g' || *s == 'p') && parse_id(s + 2, &t->id)) {
        t->kind = *s == 'g' ? T_G : T_P;
        return true;
    }
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (k == strlen(named[i].word) && !memcmp(s, named[i].word, k)) {
            t->kind = named[i].kind;
            const bool ok = pattern(p, t, s + k + 1, at + k + 1);
            t->kinds = ok && t->kind == T_REASON ? kinds_of(&t->m) : 0;
            return ok;
        }
    return bad(p, at, "no such term: NAME g1 p1 state= reason= dur> gc wokenby: task: region: is:system");
}

static bool filter_parse(struct filter *f, const char *text, struct filter_error *e)
{
    struct parser p = {.text = text, .e = e};
    char s[MATCH_TEXT];
    for (;;) {
        while (isspace((unsigned char)text[p.at]))
            p.at++;
        if (!text[p.at])
            return f->n > 0 || bad(&p, 0, "nothing to filter by");
        p.from = p.at;
        if (f->n == TERMS)
            return bad(&p, p.at, "too many terms");
        if (!word(&p, s, sizeof s))
            return false;
        struct term *t = &f->term[f->n++];
        t->not = *s == '-';
        if (t->not &&!s[1])
            return bad(&p, p.from, "'-' negates the term behind it");
        if (!parse_term(&p, t, s + t->not, p.from + t->not ))
            return false;
    }
}

struct filter *filter_new(const struct trace *tr, const char *text, struct filter_error *e)
{
    struct filter *f = mem_zalloc(sizeof *f);
    e->at = -1;
    snprintf(e->what, sizeof e->what, "out of memory");
    if (!f)
        return NULL;
    f->tr = tr;
    if (!filter_parse(f, text, e)) {
        filter_free(f);
        return NULL;
    }
    filter_step(f, 0);
    return f;
}

void filter_free(struct filter *f)
{
    if (!f)
        return;
    for (int i = 0; i < f->n; i++) {
        match_free(&f->term[i].m);
        match_cache_free(&f->term[i].cache);
        mem_free(f->term[i].iv);
    }
    gstate_free(f->gs);
    mem_free(f->show);
    mem_free(f);
}

/* ---- tasks and regions --------------------------------------------------------------------------------- */

static void add_ival(struct term *t, uint32_t g, int64_t t0, int64_t t1)
{
    if (g != NO_LANE && mem_room(t->iv, t->civ, t->niv + 1))
        t->iv[t->niv++] = (struct ival){g, t0, t1 > t0 ? t1 : t0 + 1, 0};
}

static int by_ival(const void *a, const void *b)
{
    const struct ival *x = a, *y = b;
    if (x->g != y->g)
        return x->g < y->g ? -1 : 1;
    return x->t0 < y->t0 ? -1 : x->t0 > y->t0;
}

static int by_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static bool has_u64(const uint64_t *a, size_t n, uint64_t x)
{
    return n && bsearch(&x, a, n, sizeof *a, by_u64) != NULL;
}

/* A task's time counts on the goroutine that began it; its regions and logs on theirs. */
static void task_ivals(struct term *t, const struct trace *tr)
{
    const struct task *k;
    const struct region *r;
    const struct logmsg *m;
    size_t nk = trace_tasks(tr, &k), nr = trace_regions(tr, &r), nm = trace_logs(tr, &m), n = 0;
    uint64_t *ids = mem_alloc((nk + 1) * sizeof *ids);
    if (!ids)
        return;
    for (size_t i = 0; i < nk; i++)
        if (match_id(&t->m, &t->cache, tr, k[i].name)) {
            ids[n++] = k[i].id;
            add_ival(t, k[i].g, k[i].t0, k[i].t1);
        }
    qsort(ids, n, sizeof *ids, by_u64);
    for (size_t i = 0; i < nr; i++)
        if (has_u64(ids, n, r[i].task))
            add_ival(t, r[i].g, r[i].t0, r[i].t1);
    for (size_t i = 0; i < nm; i++)
        if (has_u64(ids, n, m[i].task))
            add_ival(t, m[i].g, m[i].t, m[i].t);
    mem_free(ids);
}

static void make_ivals(struct term *t, const struct trace *tr)
{
    const struct task *k;
    const struct region *r;
    const struct logmsg *m;
    const size_t nr = trace_regions(tr, &r), seen = trace_tasks(tr, &k) + nr + trace_logs(tr, &m);
    if (t->seen == seen && t->iv)
        return;
    t->seen = seen;
    t->niv = 0;
    if (t->kind == T_TASK)
        task_ivals(t, tr);
    else
        for (size_t i = 0; i < nr; i++)
            if (match_id(&t->m, &t->cache, tr, r[i].name))
                add_ival(t, r[i].g, r[i].t0, r[i].t1);
    if (t->niv)
        qsort(t->iv, t->niv, sizeof *t->iv, by_ival);
    for (size_t i = 0; i < t->niv; i++) {
        bool same = i && t->iv[i - 1].g == t->iv[i].g;
        t->iv[i].most = same && t->iv[i - 1].most > t->iv[i].t1 ? t->iv[i - 1].most : t->iv[i].t1;
    }
}

/* Returns whether one of the goroutine's intervals overlaps [t0,t1). The last one that starts before t1 knows
 * the largest end of all before it, so no other is looked at. */
static bool in_ivals(const struct term *t, uint32_t g, int64_t t0, int64_t t1)
{
    const struct ival *const v = t->iv;
    size_t lo = 0;
    bisect(lo, t->niv, i, v[i].g < g || (v[i].g == g && v[i].t0 < t1));
    return lo && v[lo - 1].g == g && v[lo - 1].most > t0;
}

/* ---- one span ------------------------------------------------------------------------------------------ */

static bool names_g(const struct term *t, const struct trace *tr, uint32_t g)
{
    if (g == NO_LANE)
        return false;
    struct lane_info li = trace_lane_who(tr, (struct lane){LANE_G, g});
    if (t->by_id)
        return li.id == t->id;
    return match_id(&t->m, (struct match_cache *)(uintptr_t)&t->cache, tr, li.name);
}

/* The stack of a goroutine woken or created by another one is that one's: not its own. */
static bool own_stack(const struct span *s)
{
    return s->stack && !(s->state == ST_RUNNABLE && s->who != NO_LANE);
}

static bool holds(const struct filter *f, const struct term *t, uint32_t g, const struct lane_info *li,
                  const struct span *s)
{
    const struct trace *tr = f->tr;
    struct match_cache *c = (struct match_cache *)(uintptr_t)&t->cache; /* it only remembers */
    switch (t->kind) {
    case T_FUNC:
        return match_id(&t->m, c, tr, li->name) || (own_stack(s) && match_stack(&t->m, c, tr, s->stack));
    case T_G: return li->id == t->id;
    case T_P:
        return s->who != NO_LANE && s->state != ST_RUNNABLE && s->state != ST_WAITING &&
               trace_lane_who(tr, (struct lane){LANE_P, s->who}).id == t->id;
    case T_STATE: return t->states >> s->state & 1;
    case T_REASON:
        return match_id(&t->m, c, tr, s->reason) || match_id(&t->m, c, tr, s->label) ||
               (t->kinds && s->state == ST_WAITING &&
                t->kinds >> stacks_wait_kind(tr, s->reason, s->stack) & 1);
    case T_DUR_MORE: return s->t1 - s->t0 >= t->ns;
    case T_DUR_LESS: return s->t1 - s->t0 <= t->ns;
    case T_GC: return tri_in_band(tr, BAND_GC, s->t0, s->t1 > s->t0 ? s->t1 : s->t0 + 1) > 0;
    case T_WOKENBY: return s->state == ST_RUNNABLE && names_g(t, tr, s->who);
    case T_TASK:
    case T_REGION: return in_ivals(t, g, s->t0, s->t1 > s->t0 ? s->t1 : s->t0 + 1);
    case T_COLLECTS:
        return s->state == ST_RUNNING &&
               (li->is_worker ? t->states >> ST_GCWORK & 1
                              : gstate_any(f->gs, tr, g, s->t0, s->t1 > s->t0 ? s->t1 : s->t0 + 1));
    case T_SYSTEM: return li->is_system;
    }
    return false;
}

/* Whether the term asks who the goroutine is. That is looked up in its lane, which takes long for millions of
 * spans in a row, so these terms come last. */
static bool of_who(const struct term *t)
{
    return t->kind == T_FUNC || t->kind == T_G || t->kind == T_SYSTEM || t->kind == T_COLLECTS;
}

/* Whether the terms hold that ask who the goroutine is (`who`), or all others, which do not look at li. */
static bool terms_hold(const struct filter *f, bool who, uint32_t g, const struct lane_info *li,
                       const struct span *s)
{
    for (int i = 0; i < f->n; i++)
        if (of_who(&f->term[i]) == who && holds(f, &f->term[i], g, li, s) == f->term[i].not )
            return false;
    return true;
}

static bool span_matches(const struct filter *f, uint32_t g, const struct lane_info *li, const struct span *s)
{
    return terms_hold(f, false, g, li, s) && terms_hold(f, true, g, li, s);
}

bool filter_span(const struct filter *f, uint32_t g, const struct span *s)
{
    bool who = false;
    if (g == NO_LANE || g >= trace_nlanes(f->tr, LANE_G) || !terms_hold(f, false, g, NULL, s))
        return false;
    for (int i = 0; i < f->n; i++)
        who |= of_who(&f->term[i]);
    if (!who)
        return true;
    const struct lane_info li = trace_lane_who(f->tr, (struct lane){LANE_G, g});
    return terms_hold(f, true, g, &li, s);
}

static bool of_lane(const struct term *t)
{
    return t->kind == T_G || t->kind == T_SYSTEM;
}

bool filter_whole(const struct filter *f)
{
    for (int i = 0; i < f->n; i++)
        if (!of_lane(&f->term[i]))
            return false;
    return true;
}

int64_t filter_wide(const struct filter *f)
{
    int64_t min = 0;
    for (int i = 0; i < f->n; i++)
        if (f->term[i].kind == T_DUR_MORE && !f->term[i].not &&f->term[i].ns > min)
            min = f->term[i].ns;
    return min;
}

/* ---- goroutines ---------------------------------------------------------------------------------------- */

/* Returns 0 if the goroutine can't match, 1 if all of it does, 2 if its spans must be looked at. */
static int quick(const struct filter *f, uint32_t g, const struct lane_info *li)
{
    struct span s = {.who = NO_LANE};
    struct shares sh;
    bool shares = false;
    struct lane l = {LANE_G, g};
    int64_t wide = filter_wide(f), end = li->last > li->first ? li->last : li->first + 1;
    if (!li->nspans)
        return 0;
    for (int i = 0; i < f->n; i++) {
        const struct term *t = &f->term[i];
        if (of_lane(t) && holds(f, t, g, li, &s) == t->not )
            return 0;
        if (t->kind == T_STATE && !t->not ) {
            int64_t sum = 0;
            if (!shares)
                trace_shares(f->tr, l, li->first, end, &sh);
            shares = true;
            for (int st = 0; st < ST_COUNT; st++)
                if (t->states >> st & 1)
                    sum += sh.ns[st];
            if (!sum)
                return 0; /* (states of no length at all are not looked for) */
        }
        if ((t->kind == T_TASK || t->kind == T_REGION) && !t->not &&!in_ivals(t, g, INT64_MIN, INT64_MAX))
            return 0;
        if (t->kind == T_COLLECTS && !t->not &&!li->is_worker && !gstate_any(f->gs, f->tr, g, li->first, end))
            return 0;
    }
    if (filter_whole(f))
        return 1;
    if (wide > 0 && (!trace_longest(f->tr, l, li->first, end, &s) || s.t1 - s.t0 < wide))
        return 0;
    return 2;
}

struct wide {
    const struct filter *f;
    const struct lane_info *li;
    uint32_t g;
    bool found;
};

static bool filter_look(void *arg, const struct span *s)
{
    struct wide *w = arg;
    w->found = span_matches(w->f, w->g, w->li, s);
    return !w->found;
}

/* Decide lane f->at, at most CHUNK spans of it; true when it is decided. */
static bool decide(struct filter *f)
{
    struct lane l = {LANE_G, f->at};
    struct lane_info li = trace_lane(f->tr, l);
    struct span_iter it;
    int q = f->sub ? 2 : quick(f, l.i, &li);
    bool yes = q == 1;
    if (q == 2 && filter_wide(f) > 0) { /* the index knows the long ones */
        struct wide w = {f, &li, l.i, false};
        trace_wide(f->tr, l, &(struct wide_ask){li.first, li.last, filter_wide(f), filter_look, &w, 0});
        yes = w.found;
    } else if (q == 2 && span_seek_index(&it, f->tr, l, f->sub)) {
        for (int k = 0;; k++) {
            const struct span *s = span_get(&it);
            if (span_matches(f, l.i, &li, s)) {
                yes = true;
                break;
            }
            f->sub = s->index + 1;
            if (!span_next(&it))
                break;
            if (k == CHUNK)
                return false;
        }
    }
    if (yes && !bit(f->show, l.i)) {
        set_bit(f->show, l.i);
        f->count++;
    }
    return true;
}

/* Makes room for what grows with the trace. A trace that went on is decided anew; what showed keeps
 * showing. */
static bool prepare(struct filter *f)
{
    uint32_t n = trace_nlanes(f->tr, LANE_G);
    int64_t end = trace_info(f->tr)->end;
    if (end == f->end && n == f->lanes && f->show)
        return true;
    if (!fit_bits(&f->show, f->show ? f->lanes : 0, n))
        return false;
    f->lanes = n;
    f->end = end;
    f->at = 0;
    f->sub = 0;
    f->version++;
    for (int i = 0; i < f->n; i++) {
        struct term *t = &f->term[i];
        match_cache_fit(&t->cache, f->tr);
        if (t->kind == T_TASK || t->kind == T_REGION)
            make_ivals(t, f->tr);
        if (t->kind == T_COLLECTS)
            (void)gstate_update(&f->gs, f->tr);
    }
    return true;
}

bool filter_step(struct filter *f, int64_t budget_ns)
{
    if (!prepare(f) || f->at >= f->lanes)
        return true;
    uint64_t before = f->count;
    int64_t until = host_until(budget_ns);
    for (int i = 0; f->at < f->lanes; i++) {
        const bool over = decide(f);
        if (over) {
            f->sub = 0;
            f->at++;
        }
        if ((!over || i % 64 == 63) && host_over(until))
            break;
    }
    f->version += f->count != before || f->at >= f->lanes;
    return f->at >= f->lanes;
}

int filter_share(const struct filter *f)
{
    return f->lanes ? (int)((uint64_t)f->at * 100 / f->lanes) : 100;
}

uint64_t filter_count(const struct filter *f)
{
    return f->count;
}

uint64_t filter_version(const struct filter *f)
{
    return f->version;
}

bool filter_shows(const struct filter *f, uint32_t g)
{
    return g < f->lanes && bit(f->show, g);
}

uint32_t filter_next(const struct filter *f, uint32_t g)
{
    for (; g < f->lanes; g = (g | 63) + 1) {
        uint64_t w = f->show[g / 64] >> g % 64;
        if (w)
            return g + (uint32_t)__builtin_ctzll(w) < f->lanes ? g + (uint32_t)__builtin_ctzll(w) : NO_LANE;
    }
    return NO_LANE;
}

void filter_hint(const struct filter *f, char *out, size_t size)
{
    *out = 0;
    for (int i = 0; i < f->n; i++) {
        const struct term *t = &f->term[i];
        if (t->kind != T_FUNC || t->not )
            continue;
        if (states_of_goroutine(t->m.text))
            snprintf(out, size, "; that is a name, a state is state=%s", t->m.text);
        else if (!t->m.is_regex && !t->m.fold)
            snprintf(out, size, "; capitals make it case-sensitive");
    }
}
