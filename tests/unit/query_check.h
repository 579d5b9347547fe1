/*
 * query_check.h - every query of one lane held against a slow, obvious walk over its spans.
 *
 * check_spans() takes the spans that the lane should have; check_lane() takes what the iterator gives.
 */
#ifndef GOTOP_TESTS_QUERY_CHECK_H
#define GOTOP_TESTS_QUERY_CHECK_H

#include "decode/model/retired.h"
#include "tests/unit/decode_help.h"

/* A stream of long events only. */
static inline void fold_events(struct fold *f, const struct ev *ev, size_t n)
{
    fold_stream(f, (const struct ev_half *)(const void *)ev, 2 * n);
}

/* A goroutine and a P with groups of blocks by the dozen, now and then with long spans; what they do mostly
 * changes. */
static inline UNUSED uint64_t many_blocks(struct trace *tr, struct rng *r)
{
    static const uint8_t next[] = {ST_RUNNING, ST_WAITING, ST_RUNNABLE, ST_RUNNING, ST_SYSCALL, ST_RUNNABLE};
    const unsigned n = 40 * SPAN_GROUP * SPAN_BLOCK;
    int64_t t = 1000;
    unsigned more = 0; /* of next: what takes longer for a while */
    assert_int_equal(names_init(&tr->names), ERR_OK);
    assert_int_equal(fold_init(&tr->fold, &tr->names), ERR_OK);
    struct ev e = {.kind = EVK_P_STATE, .state = ST_SCHED, .t = t, .g = EV_NONE, .m = 0, .by = EV_NONE};
    fold_events(&tr->fold, &e, 1);
    e = (struct ev){.kind = EVK_G_CREATE,
                    .state = ST_RUNNABLE,
                    .t = t + 1,
                    .p = EV_NONE,
                    .m = EV_NONE,
                    .by = EV_NONE,
                    .arg = 1};
    fold_events(&tr->fold, &e, 1);
    for (unsigned i = 0; i < n; i++) {
        more = below(r, 3000) ? more : (unsigned)below(r, 7);
        t += 2 + (int64_t)below(r, i / 5000 % 3 == 2 ? 9000 : i % 6 == more ? 300 : 90);
        e = (struct ev){.kind = EVK_G_STATE, .state = next[i % 6], .t = t, .by = EV_NONE};
        fold_events(&tr->fold, &e, 1);
    }
    fold_finish(&tr->fold, (&tr->fold)->end);
    tr->info.end = tr->fold.end;
    tr->info.done = true;
    return n;
}

struct span_list {
    struct span *v;
    size_t n, cap;
};

static inline void list_add(struct span_list *l, struct span s)
{
    if (l->n == l->cap) {
        l->cap = l->cap ? l->cap * 2 : 64;
        l->v = realloc(l->v, l->cap * sizeof *l->v);
        assert_non_null(l->v);
    }
    l->v[l->n++] = s;
}

static inline bool same_span(const struct span *a, const struct span *b)
{
    return a->t0 == b->t0 && a->t1 == b->t1 && a->state == b->state && a->reason == b->reason &&
           a->label == b->label && a->who == b->who && a->proc == b->proc && a->stack == b->stack &&
           a->index == b->index;
}

static inline void same_or_fail(const struct span *got, const struct span *want, const char *what)
{
    if (!same_span(got, want))
        fail_msg("%s: got #%" PRIu64 " %" PRId64 "-%" PRId64 " %s who %u proc %u stack %u, want #%" PRIu64
                 " %" PRId64 "-%" PRId64 " %s who %u proc %u stack %u",
                 what, got->index, got->t0, got->t1, state_name(got->state), got->who, got->proc, got->stack,
                 want->index, want->t0, want->t1, state_name(want->state), want->who, want->proc,
                 want->stack);
}

static inline int64_t overlap(const struct span *s, int64_t t0, int64_t t1)
{
    int64_t a = s->t0 > t0 ? s->t0 : t0, b = s->t1 < t1 ? s->t1 : t1;
    return b > a ? b - a : 0;
}

/* States that a lane of this kind does not tell apart count as ST_NONE. */
static inline bool summed(const struct trace *tr, enum lane_kind k, uint8_t s)
{
    return tr->fold.pool.slot[k][s] != 0;
}

struct wide {
    const struct span_list *l;
    size_t at;
    int64_t t0, t1, min;
    size_t stop;
    uint32_t only;
    bool stopped;
};

static inline bool is_wide(const struct wide *w, const struct span *s)
{
    return s->t0 < w->t1 && s->t1 > w->t0 && s->state != ST_NONE && s->t1 - s->t0 >= w->min &&
           (!w->only || w->only >> s->state & 1);
}

static inline bool wide_one(void *arg, const struct span *s)
{
    struct wide *w = arg;
    if (w->stopped)
        fail_msg("trace_wide goes on after it was stopped");
    while (w->at < w->l->n && !is_wide(w, &w->l->v[w->at]))
        w->at++;
    if (w->at == w->l->n)
        fail_msg("trace_wide tells of a span too many, at %" PRId64, s->t0);
    same_or_fail(s, &w->l->v[w->at], "trace_wide");
    w->at++;
    if (w->stop && !--w->stop)
        w->stopped = true;
    return !w->stopped;
}

/* trace_states() with some states alone: it tells of all long ones of these,
 * and of nothing that isn't there. */
struct only {
    const struct span_list *l;
    const struct states_ask *ask;
    size_t at;
};
static uint64_t states_left_out; /* spans */

static inline bool only_wants(const struct only *o, const struct span *s)
{
    const int64_t min = s->state == ST_NONE ? 1 : o->ask->min_ns;
    return o->ask->only >> s->state & 1 && s->t1 - s->t0 >= min && overlap(s, o->ask->t0, o->ask->t1);
}

/* On to the span that begins at t, has that state and lasts so long: some of 0 ns may begin with it. */
static inline void only_to(struct only *o, int64_t t, uint8_t state, int64_t dur)
{
    for (; o->at < o->l->n; o->at++) {
        const struct span *s = &o->l->v[o->at];
        if (s->t0 == t && s->state == state && s->t1 - s->t0 == dur)
            return;
        if (only_wants(o, s))
            fail_msg("trace_states passes over the %s at %" PRId64 ", min %" PRId64, state_name(s->state),
                     s->t0, o->ask->min_ns);
        states_left_out += overlap(s, o->ask->t0, o->ask->t1) > 0;
    }
}

static inline bool only_run(void *arg, const struct span_run *r)
{
    struct only *o = arg;
    int64_t t = r->t0;
    for (uint32_t i = 0; i < r->n; t += r->dur[i++]) {
        only_to(o, t, r->kind[r->tag[i]].state, r->dur[i]);
        if (o->at == o->l->n)
            fail_msg("trace_states tells of a span that isn't there, at %" PRId64, t);
        o->at++;
    }
    return true;
}

static inline void check_only(const struct trace *tr, struct lane l, const struct span_list *list, int64_t t0,
                              int64_t t1, int64_t min)
{
    for (int st = ST_NONE; st < ST_GC; st++) {
        struct only o = {.l = list};
        const struct states_ask ask = {.t0 = t0,
                                       .t1 = t1,
                                       .min_ns = min,
                                       .f = only_run,
                                       .arg = &o,
                                       .only = 1u << st | 1u << (st * 5 + 3) % ST_GC};
        if (!summed(tr, l.kind, (uint8_t)st) && st)
            continue; /* with ST_NONE in the index */
        o.ask = &ask;
        trace_states(tr, l, &ask);
        only_to(&o, INT64_MAX, ST_COUNT, 0);
    }
}

static inline void check_window(const struct trace *tr, struct lane l, const struct span_list *list,
                                int64_t t0, int64_t t1, int64_t min)
{
    struct shares sh, want = {{0}};
    uint64_t count = 0;
    int64_t longest = -1, in = 0;
    for (size_t i = 0; i < list->n; i++) {
        const struct span *s = &list->v[i];
        int64_t o = overlap(s, t0, t1);
        in += o;
        want.ns[summed(tr, l.kind, s->state) ? s->state : ST_NONE] += o;
        count += s->t0 < t1 && s->t1 > t0;
        if (s->t0 < t1 && (s->t1 > t0 || (s->t0 == s->t1 && s->t0 >= t0)) && s->state != ST_NONE &&
            s->t1 - s->t0 > longest)
            longest = s->t1 - s->t0;
    }
    want.ns[ST_NONE] += t1 - t0 - in;
    trace_shares(tr, l, t0, t1, &sh);
    for (int s = 0; s < ST_COUNT; s++)
        if (sh.ns[s] != want.ns[s])
            fail_msg("shares of %c[%u] in [%" PRId64 ",%" PRId64 "): %s is %" PRId64 ", want %" PRId64,
                     "PGMB"[l.kind], l.i, t0, t1, state_name((enum state)s), sh.ns[s], want.ns[s]);
    uint64_t got = trace_count(tr, l, t0, t1);
    if (got != count)
        fail_msg("count of %c[%u] in [%" PRId64 ",%" PRId64 ") is %" PRIu64 ", want %" PRIu64, "PGMB"[l.kind],
                 l.i, t0, t1, got, count);
    struct span s;
    bool any = trace_longest(tr, l, t0, t1, &s);
    if (any != (longest >= 0) || (any && (s.t1 - s.t0 != longest || s.t0 >= t1 || s.t1 < t0)))
        fail_msg("longest of %c[%u] in [%" PRId64 ",%" PRId64 "): %d %" PRId64 ", want %" PRId64,
                 "PGMB"[l.kind], l.i, t0, t1, any, any ? s.t1 - s.t0 : -1, longest);
    struct wide w;
    for (int st = ST_NONE; st < ST_GC; st++) {
        if (st && !summed(tr, l.kind, (uint8_t)st))
            continue;
        w = (struct wide){.l = list, .t0 = t0, .t1 = t1, .min = min, .only = st ? 1u << st : 0};
        trace_wide(tr, l, &(struct wide_ask){t0, t1, min, wide_one, &w, w.only});
        while (w.at < list->n)
            if (is_wide(&w, &list->v[w.at++]))
                fail_msg("trace_wide leaves out the span at %" PRId64 " in [%" PRId64 ",%" PRId64
                         ") min %" PRId64,
                         list->v[w.at - 1].t0, t0, t1, min);
    }
    w = (struct wide){.l = list, .t0 = t0, .t1 = t1, .min = min, .stop = 2};
    trace_wide(tr, l, &(struct wide_ask){t0, t1, min, wide_one, &w, 0});
    if (l.kind == LANE_P || l.kind == LANE_G)
        check_only(tr, l, list, t0, t1, min);
}

static inline void check_columns(const struct trace *tr, struct lane l, struct rng *r, int64_t a, int64_t b)
{
    int64_t e[201];
    struct shares col[200], one;
    uint32_t n = 1 + (uint32_t)below(r, below(r, 2) ? 200 : 4); /* few: many blocks in each */
    e[0] = a;
    for (uint32_t i = 1; i <= n; i++) {
        int64_t step = below(r, 4) ? (b - a) / n : (int64_t)below(r, (uint64_t)((b - a) / n * 2 + 2));
        e[i] = e[i - 1] > b - step ? b : e[i - 1] + step;
    }
    trace_columns(tr, l, e, n, col);
    for (uint32_t i = 0; i < n; i++) {
        int64_t sum = 0;
        trace_shares(tr, l, e[i], e[i + 1], &one);
        for (int s = 0; s < ST_COUNT; s++) {
            sum += col[i].ns[s];
            if (col[i].ns[s] != one.ns[s] || col[i].ns[s] < 0)
                fail_msg("column %u of %c[%u], [%" PRId64 ",%" PRId64 "): %s %" PRId64 ", alone %" PRId64, i,
                         "PGMB"[l.kind], l.i, e[i], e[i + 1], state_name((enum state)s), col[i].ns[s],
                         one.ns[s]);
        }
        if (sum != e[i + 1] - e[i])
            fail_msg("column %u of %c[%u] does not add up", i, "PGMB"[l.kind], l.i);
    }
}

/* A moment near a border, or anywhere. */
static inline int64_t some_time(struct rng *r, const struct span_list *list)
{
    int64_t a = list->v[0].t0, b = list->v[list->n - 1].t1;
    const struct span *s = &list->v[below(r, list->n)];
    switch (below(r, 5)) {
    case 0: return s->t0;
    case 1: return s->t1;
    case 2: return s->t0 + (int64_t)below(r, (uint64_t)(s->t1 - s->t0) + 1);
    case 3: return s->t0 + (int64_t)below(r, 3) - 1;
    default: return a + (int64_t)below(r, (uint64_t)(b - a) + 1);
    }
}

/* One step of the iterator at index i, both ways, and by index. */
static inline void check_walk(const struct trace *tr, struct lane l, const struct span_list *list,
                              struct rng *r)
{
    struct span_iter it;
    size_t n = list->n;
    assert_true(span_seek_index(&it, tr, l, 0));
    for (size_t i = 0;; i++) {
        same_or_fail(span_get(&it), &list->v[i], "forwards");
        struct spanlane room;
        bool over = l.kind == LANE_G &&
                    (tr->join.n ? trace_lane(tr, l).ended : fold_g_lane(&tr->fold, l.i, &room)->ended);
        bool open_end = i + 1 == n && !over;
        if (span_get(&it)->open_end != open_end && l.kind != LANE_M)
            fail_msg("%c[%u]: open_end of span %zu of %zu", "PGMB"[l.kind], l.i, i, n);
        if (l.kind == LANE_G && span_get(&it)->stack_end != (i + 1 < n ? list->v[i + 1].stack : 0))
            fail_msg("stack_end of span %zu", i);
        if (!span_next(&it)) {
            assert_int_equal(i, n - 1);
            break;
        }
    }
    assert_false(span_next(&it));
    for (size_t i = n; i-- > 0;) {
        same_or_fail(span_get(&it), &list->v[i], "backwards");
        if (!span_prev(&it))
            assert_int_equal(i, 0);
    }
    for (int k = 0; k < 20; k++) {
        uint64_t i = below(r, n);
        assert_true(span_seek_index(&it, tr, l, i));
        same_or_fail(span_get(&it), &list->v[i], "by index");
        for (int step = 0; step < 5; step++) { /* to and fro over block borders */
            bool fwd = below(r, 2), ok = fwd ? span_next(&it) : span_prev(&it);
            assert_int_equal(ok, fwd ? i + 1 < n : i > 0);
            i += ok ? (fwd ? 1 : (uint64_t)-1) : 0;
            same_or_fail(span_get(&it), &list->v[i], "to and fro");
        }
    }
    assert_false(span_seek_index(&it, tr, l, n));
}

static inline void check_at(const struct trace *tr, struct lane l, const struct span_list *list, int64_t t)
{
    struct span_iter it;
    struct span s;
    size_t want = 0;
    while (want + 1 < list->n && list->v[want + 1].t0 <= t)
        want++;
    assert_true(span_seek(&it, tr, l, t));
    same_or_fail(span_get(&it), &list->v[want], "span_seek");
    const struct span *w = &list->v[want];
    bool in = t >= w->t0 && (t < w->t1 || (span_get(&it)->open_end && t == w->t1));
    assert_int_equal(trace_span_at(tr, l, t, &s), in);
}

static inline UNUSED void check_spans(const struct trace *tr, struct lane l, const struct span_list *list,
                                      struct rng *r, int windows)
{
    struct lane_info li = trace_lane(tr, l);
    size_t lasting =
        list->n; /* a thread's newest span, while it has no length yet, may or may not be told of */
    if (l.kind == LANE_M && lasting && list->v[lasting - 1].t0 == list->v[lasting - 1].t1)
        lasting--;
    if (li.nspans != lasting)
        fail_msg("%c[%u] has %zu spans, nspans says %" PRIu64, "PGMB"[l.kind], l.i, list->n, li.nspans);
    if (!list->n) {
        struct span_iter it;
        assert_false(span_seek(&it, tr, l, 0));
        assert_false(span_seek_index(&it, tr, l, 0));
        assert_int_equal(trace_count(tr, l, 0, INT64_MAX), 0);
        return;
    }
    assert_int_equal(li.first, list->v[0].t0);
    assert_int_equal(li.last, list->v[list->n - 1].t1);
    check_walk(tr, l, list, r);
    int64_t a = list->v[0].t0, b = list->v[list->n - 1].t1;
    if (a < b)
        check_window(tr, l, list, a, b, 0);
    for (int k = 0; k < windows; k++) {
        int64_t t0 = some_time(r, list), t1 = below(r, 3) ? some_time(r, list) : t0 + (int64_t)below(r, 200);
        if (t1 < t0) {
            int64_t t = t0;
            t0 = t1;
            t1 = t;
        }
        check_at(tr, l, list, t0);
        if (t0 < b && t0 < t1)
            check_window(tr, l, list, t0, t1 < b ? t1 : b,
                         (int64_t)below(r, below(r, 2) ? 100 : (uint64_t)(b - a) + 1));
        if (k % 8 == 0 && t0 < b && t1 > t0)
            check_columns(tr, l, r, t0, t1 < b ? t1 : b);
    }
    if (b < INT64_MAX / 2 && a > 0) /* beyond its life there is nothing */
        check_columns(tr, l, r, 0, b + 1000);
}

/* The spans as the iterator gives them: contiguous, in order. */
static inline UNUSED void check_lane(const struct trace *tr, struct lane l, struct rng *r, int windows)
{
    struct span_list list = {0};
    struct span_iter it;
    if (span_seek_index(&it, tr, l, 0)) {
        do {
            const struct span *s = span_get(&it);
            if (list.n && s->t0 != list.v[list.n - 1].t1)
                fail_msg("%c[%u]: a gap before span %zu", "PGMB"[l.kind], l.i, list.n);
            if (s->t1 < s->t0 || s->index != list.n)
                fail_msg("%c[%u]: span %zu is %" PRId64 "-%" PRId64 ", #%" PRIu64, "PGMB"[l.kind], l.i,
                         list.n, s->t0, s->t1, s->index);
            list_add(&list, *s);
        } while (span_next(&it));
    }
    check_spans(tr, l, &list, r, windows);
    free(list.v);
}

static inline UNUSED void check_all_lanes(const struct trace *tr, struct rng *r, int windows)
{
    for (int k = 0; k < LANE_KINDS; k++)
        for (uint32_t i = 0; i < trace_nlanes(tr, (enum lane_kind)k); i++)
            check_lane(tr, (struct lane){(enum lane_kind)k, i}, r, windows);
}

#endif
