/*
 * made_help.h - a trace written by hand in the notation of tests/support/tracegen.h, with its tables and
 * findings.
 */
#ifndef GOTOP_TESTS_MADE_HELP_H
#define GOTOP_TESTS_MADE_HELP_H

#include "triage_help.h"

#include "tests/support/tracegen.h"

struct made {
    uint8_t *bytes;
    struct loaded l;
};

/* From a text that is whole and undamaged. */
static inline void make(struct made *m, const char *text)
{
    struct err e = {0};
    struct trace_opts o = {0};
    size_t n;
    *m = (struct made){.bytes = tracegen_bytes(text, &n), .l = {.path = "a \x1b[31mpath"}};
    if (trace_open_mem(m->bytes, n, &o, &m->l.tr, &e) != ERR_OK) {
        print_error("%s\n", e.what);
        fail();
    }
    while (trace_load(m->l.tr, INT64_MAX) == LOAD_MORE) {
    }
    assert_null(trace_fatal(m->l.tr));
    if (trace_info(m->l.tr)->ndamages) {
        print_error("%s\n", trace_damage(m->l.tr, 0)->what);
        fail();
    }
    assert_int_equal(triage_new(m->l.tr, &m->l.tg, &e), ERR_OK);
    assert_int_equal(triage_step(m->l.tg, INT64_MAX), TRIAGE_DONE);
    assert_int_equal(findings_of(m->l.tg, &m->l.fs, &e), ERR_OK);
}

static inline void unmake(struct made *m)
{
    load_free(&m->l);
    free(m->bytes);
}

static inline uint32_t g_of(const struct made *m, uint64_t id)
{
    uint32_t g = trace_find_lane(m->l.tr, LANE_G, id);
    assert_int_not_equal(g, NO_LANE);
    return g;
}

#endif
