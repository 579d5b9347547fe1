/*
 * v1_scan.c - see v1_scan.h.
 *
 * An event with up to three values ends with the n-th byte below 0x80 behind the first: the high bits of eight bytes
 * tell. One with more has its length written, which is held against the table.
 */
#include "decode/v1/v1_scan.h"

#include <string.h>

#include "decode/base/bytes.h"
#include "decode/base/mem.h"

#define ROOM 16 /* bytes that are looked at from the start of an event */
#define HIGH UINT64_C(0x8080808080808080)
#define STEP_MOST 14 /* bytes of an event that is passed over, at most */

#if defined __x86_64__ && defined __GNUC__
#include <immintrin.h>
#define DEPOSIT __attribute__((target("bmi,bmi2")))
#ifdef __clang__
#define ONE_BY_ONE
#else
#define ONE_BY_ONE __attribute__((optimize("no-tree-slp-vectorize")))
#endif
#endif

void v1_scan_init(struct v1_scan *sc, const struct v1_dialect *d, const bool kept[V1_TYPES])
{
    memset(sc, 0, sizeof *sc);
    for (unsigned b = 0; b < 256; b++) {
        const struct v1_shape *s = &d->shape[b & 63];
        if (!s->timed || kept[b & 63] || (b & 63) == V1_LOG)
            continue;
        if (b >> 6 == 3)
            sc->values[b] = 4;
        else if ((b >> 6) + d->base == s->n && s->n <= 3)
            sc->values[b] = s->n;
        if (sc->values[b] && sc->values[b] < 4)
            sc->last[b] = UINT64_C(1) << (sc->values[b] - 1);
    }
#ifdef DEPOSIT
    sc->deposit =
        __builtin_cpu_supports("bmi2") && !__builtin_cpu_is("znver1") && !__builtin_cpu_is("znver2"); /* slow there */
#endif
}

void v1_scan_free(struct v1_scan *sc)
{
    mem_free(sc->run);
    sc->run = NULL;
    memset(sc->n, 0, sizeof sc->n);
}

/* ends - how many of the first n <= 8 bytes at p end a number. */
static inline unsigned ends(const uint8_t *p, unsigned n)
{
    uint64_t m = ~bytes_load8(p) & HIGH;
    m = n >= 8 ? m : m & ((UINT64_C(1) << 8 * n) - 1);
    return (unsigned)(((m >> 7) * UINT64_C(0x0101010101010101)) >> 56);
}

/* with_length - over an event that says how long it is. */
static const uint8_t *with_length(const struct v1_dialect *d, const uint8_t *p)
{
    unsigned len = p[1];
    if (len - 1 > 11 || p[1 + len] >= 0x80)
        return NULL;
    unsigned have = ends(p + 2, len) + (len > 8 ? ends(p + 8, len - 6) - ends(p + 8, 2) : 0);
    return have == d->shape[*p & 63].n ? p + 2 + len : NULL;
}

/* pass - over one event with ROOM behind it. */
static inline __attribute__((always_inline)) const uint8_t *pass(const struct v1_scan *sc, const struct v1_dialect *d,
                                                                 const uint8_t *p)
{
    uint64_t m = ~bytes_load8(p + 1) & HIGH;
    unsigned values = sc->values[*p];
    if (values == 4)
        return with_length(d, p);
    uint64_t n = *p >> 6; /* not by `values`: that is one load more to wait for; and not by branches */
    m &= (m - 1) | (0 - ((n - 1) >> 63));
    m &= (m - 1) | (0 - ((n - 2) >> 63));
    if (!values || !m)
        return NULL;
    return p + 2 + (unsigned)__builtin_ctzll(m) / 8;
}

const uint8_t *v1_scan_pass(const struct v1_scan *sc, const struct v1_dialect *d, const uint8_t *p,
                            const uint8_t *end)
{
    return end - p < ROOM ? NULL : pass(sc, d, p);
}

#ifdef DEPOSIT
/* next - behind the event at p; NULL: it needs a closer look. */
DEPOSIT static inline __attribute__((always_inline)) const uint8_t *next(const struct v1_scan *sc,
                                                                         const struct v1_dialect *d, const uint8_t *p)
{
    uint64_t m = _pdep_u64(sc->last[*p], ~bytes_load8(p + 1) & HIGH);
    if (m)
        return p + 2 + (_tzcnt_u64(m) >> 3);
    return sc->values[*p] == 4 ? with_length(d, p) : NULL;
}

/*
 * together - over up to `most` events from each of the four places, as long as none needs a closer look. Returns how
 * many from each. Four chains of loads, each a dozen cycles a step: what counts is that little else stands between.
 */
DEPOSIT ONE_BY_ONE static uint32_t together(const struct v1_scan *sc, const struct v1_dialect *d,
                                            const uint8_t *place[V1_SCAN_LANES], uint32_t most)
{
    const uint8_t *a = place[0], *b = place[1], *c = place[2], *e = place[3];
    uint32_t n = 0;
    for (; n < most; n++) {
        const uint8_t *na = next(sc, d, a), *nb = next(sc, d, b), *nc = next(sc, d, c), *ne = next(sc, d, e);
        if (!na || !nb || !nc || !ne)
            break;
        a = na;
        b = nb;
        c = nc;
        e = ne;
    }
    place[0] = a;
    place[1] = b;
    place[2] = c;
    place[3] = e;
    return n;
}
#else
static uint32_t together(const struct v1_scan *sc, const struct v1_dialect *d, const uint8_t *place[V1_SCAN_LANES],
                         uint32_t most)
{
    (void)sc, (void)d, (void)place, (void)most;
    return 0;
}
#endif

struct lane {
    const uint8_t *p, *from, *stop; /* the run that is being noted, where the lane ends */
    uint32_t events;
    bool done;
};

/* note - the lane can't go on as it did: its run ends, over what stops it by v1_read(). */
static void note(struct v1_scan *sc, const struct v1_dialect *d, size_t i, struct lane *l)
{
    struct v1_raw r;
    const char *why;
    if (l->p > l->from)
        sc->run[i * V1_SCAN_RUNS + sc->n[i]++] =
            (struct v1_scan_run){(uint32_t)(l->from - sc->data - (ptrdiff_t)sc->base),
                                 (uint32_t)(l->p - sc->data - (ptrdiff_t)sc->base), l->events};
    l->done = l->p >= l->stop || sc->n[i] == V1_SCAN_RUNS || v1_read(d, &l->p, sc->stop, &r, &why) != V1_READ_OK ||
              l->p >= l->stop;
    l->from = l->p;
    l->events = 0;
}

/* Steps that together() may take before any of the places can be behind its lane's end. */
static uint32_t steps_at_least(const struct lane l[V1_SCAN_LANES], const uint8_t *const p[V1_SCAN_LANES])
{
    ptrdiff_t room = PTRDIFF_MAX;
    for (size_t i = 0; i < V1_SCAN_LANES; i++)
        room = l[i].stop - p[i] < room ? l[i].stop - p[i] : room;
    return room < STEP_MOST ? 0 : (uint32_t)((size_t)room / STEP_MOST);
}

/*
 * in_step - over as many events from each place p, which move, as long as none needs a closer look or is at its lane's end: then
 * its `goes` is NULL. Returns how many.
 */
static uint32_t in_step(const struct v1_scan *sc, const struct v1_dialect *d, const struct lane l[V1_SCAN_LANES],
                        const uint8_t *p[V1_SCAN_LANES], const uint8_t *goes[V1_SCAN_LANES])
{
    const uint8_t *a = p[0], *b = p[1], *c = p[2], *e = p[3], *na, *nb, *nc, *ne;
    uint32_t steps = 0;
    for (;; steps++) {
        if (sc->deposit) {
            const uint8_t *q[V1_SCAN_LANES] = {a, b, c, e};
            const uint32_t most = steps_at_least(l, q);
            steps += most ? together(sc, d, q, most) : 0;
            a = q[0];
            b = q[1];
            c = q[2];
            e = q[3];
        }
        na = a < l[0].stop ? a : NULL;
        nb = b < l[1].stop ? b : NULL;
        nc = c < l[2].stop ? c : NULL;
        ne = e < l[3].stop ? e : NULL;
        if (!na || !nb || !nc || !ne)
            break;
        na = pass(sc, d, a);
        nb = pass(sc, d, b);
        nc = pass(sc, d, c);
        ne = pass(sc, d, e);
        if (!na || !nb || !nc || !ne) /* those that could go on take this step again */
            break;
        a = na;
        b = nb;
        c = nc;
        e = ne;
    }
    memcpy(p, (const uint8_t *[]){a, b, c, e}, V1_SCAN_LANES * sizeof *p);
    memcpy(goes, (const uint8_t *[]){na, nb, nc, ne}, V1_SCAN_LANES * sizeof *goes);
    return steps;
}

/* All four as far as all go on. */
static void lanes_together(struct v1_scan *sc, const struct v1_dialect *d, struct lane l[V1_SCAN_LANES])
{
    while (!l[0].done && !l[1].done && !l[2].done && !l[3].done) {
        const uint8_t *p[V1_SCAN_LANES] = {l[0].p, l[1].p, l[2].p, l[3].p}, *goes[V1_SCAN_LANES];
        const uint32_t steps = in_step(sc, d, l, p, goes);
        for (size_t i = 0; i < V1_SCAN_LANES; i++) {
            l[i].p = p[i];
            l[i].events += steps;
            if (!goes[i])
                note(sc, d, i, &l[i]);
        }
    }
}

static void lane_alone(struct v1_scan *sc, const struct v1_dialect *d, size_t i, struct lane *l)
{
    while (!l->done) {
        const uint8_t *p = l->p < l->stop ? pass(sc, d, l->p) : NULL;
        if (p) {
            l->p = p;
            l->events++;
        } else {
            note(sc, d, i, l);
        }
    }
}

void v1_scan_window(struct v1_scan *sc, const struct v1_dialect *d, const uint8_t *data, uint64_t len,
                    const struct v1_window *w)
{
    struct lane l[V1_SCAN_LANES];
    const uint8_t *safe = data + (len > ROOM ? len - ROOM : 0);
    memset(sc->n, 0, sizeof sc->n);
    sc->base = w->at[0];
    sc->end = w->end;
    sc->data = data;
    sc->stop = data + len;
    sc->lane = sc->at = 0;
    if (!sc->run && !(sc->run = mem_alloc(V1_SCAN_LANES * V1_SCAN_RUNS * sizeof *sc->run)))
        return;
    for (size_t i = 0; i < V1_SCAN_LANES; i++) {
        const uint8_t *p = data + w->at[i < w->n ? i : w->n - 1],
                      *stop = data + (i + 1 < w->n ? w->at[i + 1] : w->end);
        l[i] = (struct lane){.p = p, .from = p, .stop = stop < safe ? stop : safe};
        l[i].done = i >= w->n || p >= l[i].stop;
    }
    lanes_together(sc, d, l);
    for (size_t i = 0; i < V1_SCAN_LANES; i++)
        lane_alone(sc, d, i, &l[i]);
}

bool v1_scan_take(struct v1_scan *sc, uint64_t at, uint64_t *to, uint32_t *events)
{
    if (at < sc->base || at >= sc->end)
        return false;
    uint32_t from = (uint32_t)(at - sc->base);
    for (; sc->lane < V1_SCAN_LANES; sc->lane++, sc->at = 0) {
        const struct v1_scan_run *r = &sc->run[sc->lane * V1_SCAN_RUNS];
        while (sc->at < sc->n[sc->lane] && r[sc->at].from < from)
            sc->at++;
        if (sc->at == sc->n[sc->lane])
            continue;
        if (r[sc->at].from != from)
            return false;
        *to = sc->base + r[sc->at].to;
        *events = r[sc->at].events;
        return true;
    }
    return false;
}
