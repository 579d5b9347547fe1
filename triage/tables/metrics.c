/*
 * metrics.c - see metrics.h. One table of plain names, one list of sets, and a parser that takes names apart.
 */
#include "triage/tables/metrics.h"
#include "triage/query/goto.h"

#include <stdlib.h>
#include <string.h>

#include "decode/base/wide.h"
#include "decode/base/mem.h"
#include "decode/model/item.h"

#define METRICS(X) \
    X("duration", UNIT_NS, true, (double)tg->end, "from the first to the last event") \
    X("events", UNIT_COUNT, true, (double)in->events, "as Go counts them") \
    X("bytes", UNIT_BYTES, true, (double)in->bytes_done, "of the trace, decompressed") \
    X("damages", UNIT_COUNT, true, (double)in->ndamages, "places where part of the file is not shown") \
    X("procs", UNIT_COUNT, true, triage_mean_procs(tg), "GOMAXPROCS, on average") \
    X("findings", UNIT_COUNT, true, (double)l->fs.n, "findings, notes included") \
    X("goroutines", UNIT_COUNT, true, (double)tg->ng, "seen") \
    X("goroutines.created", UNIT_COUNT, true, (double)tg->g_created, "in the trace") \
    X("goroutines.end", UNIT_COUNT, true, (double)tg->g_at_end, "there when the trace ends") \
    X("goroutines.stuck", UNIT_COUNT, true, stuck(tg), "created in the trace, waiting once and for ever") \
    X("busy.share", UNIT_SHARE, true, ns_share(triage_busy(tg), tg->capacity), "of processor time") \
    X("idle.share", UNIT_SHARE, true, ns_share(tg->p_sum.ns[ST_IDLE], tg->capacity), "of processor time") \
    X("gc.cycles", UNIT_COUNT, true, (double)tg->gc_cycles, "mark phases") \
    X("gc.share", UNIT_SHARE, true, ns_share(triage_gc_work(tg), tg->capacity), \
      "GC workers, assists and sweeping, of processor time") \
    X("gc.mark", UNIT_NS, true, (double)tg->gc_mark_ns, "time under a mark phase") \
    X("gc.assist", UNIT_NS, true, (double)tg->p_sum.ns[ST_ASSIST], "time goroutines assisted") \
    X("heap.max", UNIT_BYTES, tg->heap.known, (double)tg->heap.max, "largest heap") \
    X("heap.over", UNIT_SHARE, tg->heap.known, tg->heap.over, "most above its goal, of the goal") \
    X("samples", UNIT_COUNT, true, (double)item_count(tg->tr, ITEM_SAMPLE), "CPU samples")

static double stuck(const struct triage *tg)
{
    return (double)sum_over(k, tg->leaks, tg->nleaks, k->kind == WK_NET || k->kind == WK_SLEEP ? 0 : k->once);
}

static const struct {
    const char *name, *help;
    enum unit unit;
} plains[] = {
#define X(NAME, UNIT, KNOWN, VALUE, HELP) {NAME, HELP, UNIT},
    METRICS(X)
#undef X
};
enum { PLAINS = sizeof plains / sizeof *plains };

static bool find_plain(const struct loaded *l, const char *name, struct metric_value *out)
{
    const unsigned i = find_first(k, PLAINS, strcmp(name, plains[k].name) == 0);
    if (i == PLAINS || !l) {
        *out = (struct metric_value){.unit = i < PLAINS ? plains[i].unit : UNIT_COUNT};
        return i < PLAINS;
    }
    const struct triage *tg = l->tg;
    const struct trace_info *in = trace_info(l->tr);
    const struct metric_value all[] = {
#define X(NAME, UNIT, KNOWN, VALUE, HELP) {.unit = UNIT, .known = KNOWN, .v = VALUE},
        METRICS(X)
#undef X
    };
    *out = all[i];
    return true;
}

const char *metric_number(size_t i)
{
    static const char *const more[] = {
        "sched.count",  "sched.total", "sched.p50", "sched.p90",  "sched.p99",  "sched.max",
        "stw.count",    "stw.total",   "stw.max",   "stw.gc.max", "task.count", "task.p99",
        "region.count", "region.p99",  "mmu(1ms)",  "mmu(10ms)",  "mmu(100ms)"};
    return i < PLAINS ? plains[i].name : i - PLAINS < sizeof more / sizeof *more ? more[i - PLAINS] : NULL;
}

const char *metric_list(size_t i, const char **help)
{
    static const struct {
        const char *name, *help;
    } more[] = {
        {"mmu(10ms)", "minimum mutator utilisation of a window (any length)"},
        {"p99(sched)", "statistic of waits for a processor"},
        {"stw.max", "statistic of stops of the world"},
        {"total(stw.gc)", "statistic of stops for GC"},
        {"p90(task:NAME)", "statistic of the tasks of a type; task: of all"},
        {"p90(region:NAME)", "statistic of the regions of a type; region: of all"},
        {"p99.9(request)", "statistic of requests answered; request:NAME: of a handler"},
        {"p95(piece:NAME)", "statistic of pieces of work: of a handler, a start function, a type of task"},
        {"avg(exec:FUNC)",
         "statistic over the goroutines of a start function; also wait, sched, syscall, assist, life"},
        {"total(blocked:REASON)", "count, total or max of waits for a reason"},
    };
    if (i < PLAINS) {
        *help = plains[i].help;
        return plains[i].name;
    }
    if (i - PLAINS >= sizeof more / sizeof *more)
        return NULL;
    *help = more[i - PLAINS].help;
    return more[i - PLAINS].name;
}

/* ---- sets of durations --------------------------------------------------------------------------------- */

/* A set of durations. get() fills in those of a name (NULL: all), and returns false when out of memory. */
struct set {
    const char *word;
    bool whole, of; /* the word may stand alone; a name may stand behind it and a colon */
    bool (*get)(const struct loaded *l, const struct set *s, const char *name, struct dist *d);
    enum gmetric m; /* of goroutines */
};

static bool set_spans(const struct loaded *l, const struct set *s, const char *name, struct dist *d)
{
    const enum item_kind kind = strcmp(s->word, "region") == 0 ? ITEM_REGION : ITEM_TASK;
    int64_t *v = mem_alloc((item_count(l->tr, kind) + 1) * sizeof *v);
    struct item x;
    size_t k = 0;
    for (size_t i = 0; v && item_at(l->tr, kind, i, &x); i++)
        if (!x.open_start && !x.open_end && (!name || str_is(trace_str(l->tr, x.name), name)))
            v[k++] = x.t1 - x.t0;
    if (v)
        dist_of(d, v, k);
    mem_free(v);
    return v;
}

static bool set_group(const struct loaded *l, const struct set *s, const char *func, struct dist *d)
{
    const uint32_t n = l->tg->ngroups, i = find_first(k, n, text_func_is(l->tr, l->tg->groups[k].name, func));
    struct dist *all = i < n ? triage_group_dists(l->tg, s->m) : NULL;
    *d = all ? all[i] : *d;
    mem_free(all);
    return all || i == n;
}

static bool set_blocked(const struct loaded *l, const struct set *s, const char *reason, struct dist *d)
{
    (void)s;
    each_of(w, l->tg->waits, l->tg->nwaits) {
        int64_t longest = w->longest.t1 - w->longest.t0;
        if (str_is(trace_str(l->tr, w->reason), reason)) {
            d->n += w->count;
            d->total = ns_add(d->total, w->total);
            d->max = longest > d->max ? longest : d->max;
        }
    }
    return true;
}

static bool set_hist(const struct loaded *l, const struct set *s, const char *name, struct dist *d)
{
    (void)name;
    hist_dist(s->word[1] == 'c'        ? &l->tg->sched
              : strcmp(s->word, "stw") ? &l->tg->stw_gc
                                       : &l->tg->stw_all,
              d);
    return true;
}

/* Where only a part of a work's pieces was looked at, count and total are estimates for all of them. */
static bool set_pieces(const struct loaded *l, const struct set *s, const char *name, struct dist *d)
{
    const bool requests = strcmp(s->word, "request") == 0;
    int64_t *v = NULL;
    size_t cap = 0, n = 0;
    double all = 0;
    bool ok = true;
    each_of(w, l->fs.works.v, l->fs.works.n) {
        if ((requests && w->kind != WORK_REQUESTS) || w->kind == WORK_MAIN ||
            (name && !text_func_is(l->tr, w->name, name) && !(w->user && text_func_is(l->tr, w->user, name))))
            continue;
        for (uint32_t k = 0; k < w->looked && ok; k++)
            ok = mem_add(v, cap, n, w->v[k].t1 - w->v[k].t0);
        all += (double)w->n;
    }
    const double times = n ? all / (double)n : 0;
    dist_of(d, v, n);
    d->total = to_i64((double)d->total * times);
    d->n = to_u64((double)n * times);
    mem_free(v);
    return ok;
}

static const struct set sets[] = {{"sched", true, false, set_hist, 0},
                                  {"stw", true, false, set_hist, 0},
                                  {"stw.gc", true, false, set_hist, 0},
                                  {"task", true, true, set_spans, 0},
                                  {"region", true, true, set_spans, 0},
                                  {"request", true, true, set_pieces, 0},
                                  {"piece", false, true, set_pieces, 0},
                                  {"blocked", false, true, set_blocked, 0},
                                  {"exec", false, true, set_group, GM_EXEC},
                                  {"wait", false, true, set_group, GM_WAIT},
                                  {"sched", false, true, set_group, GM_RUNNABLE},
                                  {"syscall", false, true, set_group, GM_SYSCALL},
                                  {"assist", false, true, set_group, GM_ASSIST},
                                  {"life", false, true, set_group, GM_LIFE}};

/* Returns the set that "task:NAME" or "task" calls; *name is what stands behind the colon, or NULL. */
static const struct set *set_find(const char *text, const char **name)
{
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        const size_t n = strlen(sets[i].word);
        if (strncmp(text, sets[i].word, n) != 0 || (text[n] && text[n] != ':'))
            continue;
        *name = text[n] && text[n + 1] ? text + n + 1 : NULL;
        if (*name ? sets[i].of : sets[i].whole && (!text[n] || sets[i].of))
            return &sets[i];
    }
    return NULL;
}

static const char *const known[] = {"count", "total", "min", "avg",   "sd", "p50",
                                    "p90",   "p95",   "p99", "p99.9", "max"};

static bool statistic(const char *name, const struct dist *d, struct metric_value *out)
{
    enum { N = sizeof known / sizeof *known };
    const double v[N] = {(double)d->n,   (double)d->total, (double)d->min, (double)dist_avg(d),
                         dist_sd(d),     (double)d->p50,   (double)d->p90, (double)d->p95,
                         (double)d->p99, (double)d->p999,  (double)d->max};
    const unsigned i = find_first(k, N, strcmp(name, known[k]) == 0);
    if (i < N)
        *out = (struct metric_value){i ? UNIT_NS : UNIT_COUNT, i < 2 || d->n > 0, v[i]};
    return i < N;
}

/* Splits "p99(sched)" or "sched.p99" in place. Returns false if the name is neither. */
static bool stat_split(char *name, char **set, char **stat)
{
    const size_t n = strlen(name);
    char *open = strchr(name, '('), *dot = strrchr(name, '.');
    if (open && n > 1 && name[n - 1] == ')') {
        *open = name[n - 1] = 0;
        *set = open + 1;
        *stat = name;
        return true;
    }
    if (dot && dot - name > 4 && strcmp(dot - 4, ".p99.9") == 0) /* its own has a dot */
        dot -= 4;
    if (!dot)
        return false;
    *dot = 0;
    *set = name;
    *stat = dot + 1;
    return true;
}

/* Finds a metric's value; without l only its unit. */
static enum err_code get(const struct loaded *l, const char *name, struct metric_value *out, struct err *e)
{
    char buf[128] = "", *set, *stat;
    const char *of;
    if (find_plain(l, name, out))
        return ERR_OK;
    if (strlen(name) < sizeof buf && stat_split(strcpy(buf, name), &set, &stat)) {
        int64_t ns;
        if (strcmp(stat, "mmu") == 0 && goto_time(set, 1, &ns, &of) && !*of && ns > 0) {
            struct mmu_point p = {0};
            const enum err_code c = l ? triage_mmu(l->tg, &ns, 1, &p, e) : ERR_OK;
            *out = (struct metric_value){.unit = UNIT_SHARE, .known = true, .v = p.mmu};
            return c;
        }
        const struct set *s = set_find(set, &of);
        struct dist d = {0};
        if (s && l && !s->get(l, s, of, &d))
            return err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory for the durations of %s", set);
        if (s && statistic(stat, &d, out))
            return ERR_OK;
    }
    return err_set(e, ERR_ARG, ERR_NO_OFFSET, "no metric named '%s' (gotop report --metrics lists them)",
                   name);
}

enum err_code metric_get(const struct loaded *l, const char *name, struct metric_value *out, struct err *e)
{
    enum err_code c = get(l, name, out, e);
    if (c == ERR_OK && out->unit == UNIT_NS && !trace_info(l->tr)->has_clock)
        out->known = false; /* ticks are no time */
    return c;
}

void metric_text(struct text *t, const struct metric_value *v)
{
    if (!v->known)
        text_lit(t, "-");
    else if (v->unit == UNIT_NS)
        text_dur(t, to_i64(v->v));
    else if (v->unit == UNIT_BYTES)
        text_bytes(t, to_u64(v->v));
    else if (v->unit == UNIT_SHARE)
        text_add(t, "%.2f%%", v->v * 100);
    else
        text_add(t, "%.6g", v->v);
}

/* ---- conditions ---------------------------------------------------------------------------------------- */

enum err_code condition_parse(const char *s, bool change, struct condition *c, struct err *e)
{
    static const char *const ops[] = {"<=", ">=", "==", "!=", "<", ">"};
    enum { N = sizeof ops / sizeof *ops };
    static const char *const example[] = {"a number: 5", "a time: 5us, 1ms, 2s", "a share: 12.5%",
                                          "a size: 64KB, 5MB, 1GB"};
    struct metric_value is;
    const char *at = s + strcspn(s, "<>=!");
    const unsigned op = find_first(i, N, strncmp(at, ops[i], strlen(ops[i])) == 0);
    size_t end = (size_t)(at - s);
    *c = (struct condition){0};
    while (end > 0 && s[end - 1] == ' ')
        end--;
    if (op < N && end < sizeof c->metric) {
        memcpy(c->metric, s, end);
        strcpy(c->op, ops[op]);
        at += strlen(c->op);
        at += strspn(at, " ");
        c->relative = change && (*at == '+' || *at == '-');
    }
    if (!end || !*c->op || !unit_parse(at, &c->v, &c->unit))
        return err_set(
            e, ERR_ARG, ERR_NO_OFFSET,
            "a condition reads METRIC<VALUE, as stw.max<1ms (also <= > >= == !=; ns us ms s %% B KB "
            "MB GB or no unit); this is '%s'",
            s);
    c->percent = c->relative && c->unit == UNIT_SHARE;
    if (get(NULL, c->metric, &is, e))
        return ERR_ARG;
    return c->percent || c->unit == is.unit || c->v == 0
               ? ERR_OK
               : err_set(e, ERR_ARG, ERR_NO_OFFSET, "%s is %s", c->metric, example[is.unit]);
}

bool condition_holds(const struct condition *c, double v)
{
    bool eq = v == c->v;
    switch (c->op[0]) {
    case '<': return v < c->v || (c->op[1] && eq);
    case '>': return v > c->v || (c->op[1] && eq);
    case '!': return !eq;
    default: return eq;
    }
}
