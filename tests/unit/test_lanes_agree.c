/*
 * test_lanes_agree.c - what a P's lane says of the goroutine on it is what that goroutine's lane says, at
 * each span: in traces of every dialect, and where a goroutine's system call ends while another one has long
 * been running on its P.
 */
#include "made_help.h"

static uint64_t spans;

/* Whether a goroutine's span may stand under one of its P, whose lane tells running apart further. */
static bool agrees(const struct span *p, const struct span *g)
{
    return g->state == p->state || (p->state != ST_SYSCALL && g->state == ST_RUNNING);
}

static void lanes_agree(const struct trace *tr, const char *path)
{
    for (uint32_t p = 0; p < trace_nlanes(tr, LANE_P); p++) {
        struct span_iter it;
        for (bool more = span_seek_index(&it, tr, (struct lane){LANE_P, p}, 0); more; more = span_next(&it)) {
            const struct span *s = span_get(&it);
            struct span g;
            if (s->who == NO_LANE || s->t0 == s->t1)
                continue;
            spans++;
            if (!trace_span_at(tr, (struct lane){LANE_G, s->who}, s->t0, &g) || !agrees(s, &g) ||
                g.t1 < s->t1)
                fail_msg("%s: P %u says %s of g[%u] from %lld to %lld, its lane %s from %lld to %lld", path,
                         p, state_name(s->state), s->who, (long long)s->t0, (long long)s->t1,
                         state_name(g.state), (long long)g.t0, (long long)g.t1);
        }
    }
}

static void file_agrees(const char *path)
{
    struct loaded l;
    help_load(path, &l);
    if (!trace_info(l.tr)->ndamages)
        lanes_agree(l.tr, path);
    load_free(&l);
}

static void of_files(void **state)
{
    (void)state;
    spans = 0;
    assert_true(help_each("samples", "", file_agrees) >= 30);
    assert_true(spans > 10000);
}

/*
 * g2's call lost P 1 to g3, which calls and calls there, so that the P's lane is packed meanwhile, within a
 * call; then g2 comes back on another P. All this within one bucket of the goroutines' counts (1024 ns),
 * where fold_stream() keeps P 1's run open.
 */
static void call_ends(void **state)
{
    struct tracegen_buf b = {0};
    struct made m;
    (void)state;
    tracegen_printf(
        &b, "go 1.21\nbatch p=0 t=1000\nGoCreate +0 g=1 new_stack=main.main:1 stack=runtime/trace.Start:1\n"
            "ProcStart +1 thread=7\nGoStart +1 g=1 seq=1\nGomaxprocs +1 procs=3\n"
            "GoCreate +1 g=2 new_stack=main.read:1 stack=main.main:2\n"
            "GoCreate +1 g=3 new_stack=main.work:1 stack=main.main:3\nGoEnd +400000\nProcStop +1\n"
            "batch p=1 t=1000\nProcStart +0 thread=8\nGoStart +10 g=2 seq=1\n"
            "GoSysCall +10 stack=os.Read:1,main.read:3\nGoSysBlock +5100\nGoStart +10 g=3 seq=1\n");
    for (int i = 0; i < 300; i++)
        tracegen_printf(&b, "GoSysCall +4 stack=0\n");
    tracegen_printf(&b, "GoEnd +10\nProcStop +1\nbatch p=2 t=6300\nProcStart +1 thread=9\n"
                        "GoSysExit +83 g=2 seq=2 ticks=0\nGoStart +10 g=2 seq=3\nGoEnd +100\nProcStop +1\n");
    make(&m, (char *)b.p);
    tracegen_free(&b);
    spans = 0;
    lanes_agree(m.l.tr, "a call that ends late");
    assert_true(spans > 600);
    unmake(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_files),
        cmocka_unit_test(call_ends),
    };
    return cmocka_run_group_tests_name("lanes_agree", tests, NULL, NULL);
}
