/*
 * test_triage_kinds.c - kinds of causes that look like another: a crowd that timers let go, one that has work
 * to do, the collector on processors to spare or because the program asks for it, sleeps that pace,
 * conditions that were told too early.
 */
#include "decode/base/mem.h"
#include "script_help.h"

#include "triage/findings/explain.h"
#include "triage/tables/waitfor.h"

/* ---- a library's own tests ----------------------------------------------------------------------------- */

/* G1 waits in a function of the library; a test calls it, or the program. */
static void waits_under(const char *test)
{
    char stack[200];
    snprintf(stack, sizeof stack, "runtime.chanrecv1:1,go/parser.parse:3,%s:5,testing.tRunner:7", test);
    begin(1);
    create(US, 2, "other");
    block(MS, "chan receive", stack);
    start(MS + US, 2);
    wake(2 * MS, 1, "go/parserx.no:1");
    over(2 * MS + US);
    start(2 * MS + 2 * US, 1);
    over(3 * MS);
}

static const char *first_own(const struct made *m)
{
    static char name[64];
    const struct wait_row *w = &m->l.tg->waits[0];
    const struct str s = trace_str(m->l.tr, stacks_user(m->l.tr, w->stack));
    snprintf(name, sizeof name, "%.*s", (int)s.len, s.p);
    return name;
}

/* In the test binary of a package of the library that package is the program; elsewhere it is what the
 * program calls. */
static void a_package_under_test(void **state)
{
    struct made m;
    (void)state;
    waits_under("go/parser_test.TestParse");
    made_of(&m);
    const struct str own = trace_info(m.l.tr)->tested;
    assert_true(own.len == 9 && memcmp(own.p, "go/parser", 9) == 0);
    assert_string_equal(first_own(&m), "go/parser.parse");
    unmade(&m);
    waits_under("example.org/go/parser.TestParse");
    made_of(&m);
    assert_int_equal(trace_info(m.l.tr)->tested.len, 21);
    assert_string_equal(first_own(&m), "example.org/go/parser.TestParse");
    unmade(&m);
    waits_under("main.parse"); /* calls it, is no test */
    made_of(&m);
    assert_int_equal(trace_info(m.l.tr)->tested.len, 0);
    assert_string_equal(first_own(&m), "main.parse");
    unmade(&m);
}

/* Every package of the library is known by its first element, and no other of a name that is like one. */
static void the_library_is_known(void **state)
{
    static const char library[] =
        "archive/tar.a:1,bufio.a:1,bytes.a:1,cmp.a:1,compress/gzip.a:1,container/list.a:1,context.a:1,crypto/"
        "tls.a:1,database/sql.a:1,debug/elf.a:1,embed.a:1,encoding/"
        "json.a:1,errors.a:1,expvar.a:1,flag.a:1,fmt.a:1,go/ast.a:1,hash/crc32.a:1,html.a:1,image/"
        "png.a:1,index/"
        "suffixarray.a:1,internal/poll.a:1,io.a:1,iter.a:1,log.a:1,maps.a:1,math.a:1,mime.a:1,net/"
        "http.a:1,os.a:1,path.a:1,plugin.a:1,reflect.a:1,regexp.a:1,runtime.a:1,slices.a:1,sort.a:1,strconv."
        "a:1,"
        "strings.a:1,structs.a:1,sync.a:1,syscall.a:1,testing.a:1,text/"
        "template.a:1,time.a:1,unicode.a:1,unique.a:1,unsafe.a:1,vendor/x.a:1,weak.a:1";
    static const char others[] =
        "main.a:1,archiver.a:1,gopher/x.a:1,example.org/"
        "io.a:1,ios.a:1,zlib.a:1,weaker.a:1,containers.a:1,Runtime.a:1,a.b:1,netx/http.a:1";
    struct made m;
    (void)state;
    begin(1);
    create(US, 2, "other");
    block(MS, "chan receive", library);
    start(MS + US, 2);
    block(2 * MS, "chan receive", others);
    made_of(&m);
    uint32_t seen[2] = {0};
    for (uint32_t k = 0; k < m.l.tg->nwaits; k++) {
        const uint32_t stack = m.l.tg->waits[k].stack, n = trace_stack(m.l.tr, stack);
        for (uint32_t i = 0; i < n; i++) {
            const bool is = stacks_is_program(m.l.tr, trace_frame(m.l.tr, stack, i).func);
            assert_true(is == (n < 20));
            seen[is]++;
        }
    }
    assert_int_equal(seen[0], 50);
    assert_int_equal(seen[1], 11);
    unmade(&m);
}

/* A wait in the stack: what is told of it, asked twice, since the second answer is remembered. */
static void says(const char *stack, const char *place, uint32_t user, unsigned marks)
{
    struct made m;
    begin(1);
    create(US, 2, "other");
    block(MS, "sync", stack);
    made_of(&m);
    const struct trace *tr = m.l.tr;
    assert_int_equal(m.l.tg->nwaits, 1);
    const uint32_t at = m.l.tg->waits[0].stack;
    for (int twice = 0; twice < 2; twice++) {
        assert_true(str_is(trace_str(tr, stacks_place(tr, at)), place));
        assert_int_equal(stacks_user_frame(tr, at), user);
        for (unsigned k = 1; k <= STACK_TRIP; k *= 2)
            assert_int_equal(stacks_may(tr, at, k), (marks & k) != 0);
    }
    unmade(&m);
}

static void what_a_stack_says(void **state)
{
    (void)state;
    says("sync.(*Mutex).Lock:1,main.get:2,main.get:3,io.Copy:1,main.serve:4", "main.get", 1, 0);
    says("runtime.gopark:1,runtime.mallocgcSmall:2,regexp.Compile:3,main.load:4", "main.load", 3,
         STACK_ALLOCATES);
    says("runtime.gopark:1,net/http.(*persistConn).Read:1,net/http.(*Transport).getConn:2,bufio.a:3", "", 1,
         STACK_CONNECTS); /* of the library alone: the first that isn't what all go through */
    says("runtime.gopark:1,sync.a:2,runtime.GC:1,os.a:3", "", 0, STACK_COLLECTS); /* nor one that is not */
    says("main.a:1,b.b:1,b.b:2,b.b:3,b.b:4,b.b:5,b.b:6,b.b:7,b.b:8,b.b:9,b.b:10,b.b:11,b.b:12,b.b:13,b.b:14,"
         "runtime."
         "GC:1,runtime.newstack:1,net.(*netFD).connect:1,c.c:1",
         "main.a", 0, STACK_COLLECTS); /* further out than STACK_MARKED nobody looks */
    says("fmt.a:1,fmt.a:2,fmt.a:3,fmt.a:4,fmt.a:5,fmt.a:6,fmt.a:7,fmt.a:8,fmt.a:9,fmt.a:10,fmt.a:11,fmt.a:12,"
         "fmt.a:"
         "13,fmt.a:14,fmt.a:15,fmt.a:16,net.(*netFD).connect:1,main.a:1,main.b:1",
         "main.a", 17, STACK_CONNECTS | STACK_CONN); /* but to the program's function */
    says("internal/poll.(*FD).Read:1,os.(*File).Read:2,io.Copy:3,main.a:4", "main.a", 3, STACK_FILE);
    says("internal/poll.(*FD).Read:1,net.(*conn).Read:2,os.(*File).ReadFrom:3,main.a:4", "main.a", 3,
         STACK_CONN);
    says("internal/poll.(*FD).Write:1,os.(*File).Write:2,net.(*TCPConn).WriteTo:3,main.a:4", "main.a", 3,
         STACK_FILE | STACK_WRITES);
    says("internal/poll.(*FD).Accept:1,net.(*netFD).accept:2,main.a:3", "main.a", 2,
         STACK_ACCEPTS | STACK_CONN);
    says("internal/poll.(*FD).WriteOut:1,net/http.(*persistConn).roundTrip:2,main.a:3", "main.a", 2,
         STACK_WRITES | STACK_TRIP);
}

/* The runtime's reason is one for all that its poller looks after: what is read there the stack says, in
 * tables and in explanations. */
static void a_pipe_is_no_network(void **state)
{
    static const struct {
        const char *stack, *kind, *waits;
        enum explain_cat cat;
    } at[] = {{"internal/poll.(*FD).Read:1,os.(*File).Read:2,bytes.(*Buffer).ReadFrom:3,main.other:4", "pipe",
               "a pipe", EX_PIPE},
              {"internal/poll.(*FD).Read:1,net.(*conn).Read:2,bytes.(*Buffer).ReadFrom:3,main.other:4",
               "network", "the network", EX_NET}};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct made m;
        begin(1);
        create(US, 2, "other");
        block(MS, "sleep", "time.Sleep:1,main.main:2");
        start(MS + US, 2);
        block(2 * MS, "network", at[i].stack);
        nothing_to_do(3 * MS, 9 * MS);
        wake(9 * MS + US, 2, "0");
        start(9 * MS + 2 * US, 2);
        over(10 * MS);
        made_of(&m);
        uint32_t row = 0;
        while (row < m.l.tg->nwaits && m.l.tg->waits[row].kind != WK_NET)
            row++;
        assert_true(row < m.l.tg->nwaits);
        const struct wait_row *w = &m.l.tg->waits[row];
        struct text t = {0};
        text_wait(&t, m.l.tr, w->reason, w->stack);
        assert_string_equal(t.p, at[i].kind);
        assert_string_equal(stacks_wait_name(m.l.tr, w->kind, w->stack), at[i].kind);
        text_free(&t);
        text_wait(&t, m.l.tr, w->reason, 0); /* of a sum over stacks nobody knows */
        assert_string_equal(t.p, "I/O");
        text_free(&t);
        struct waitfor *who = waitfor_new(m.l.tg);
        uint32_t e = 0;
        while (e < who->nedges && who->edge[e].what != WF_NETWORK && who->edge[e].what != WF_PIPE)
            e++;
        assert_true(e < who->nedges);
        assert_true(str_is(trace_str(m.l.tr, who->edge[e].from), "main.other"));
        assert_string_equal(waitfor_whom(who->edge[e].what), at[i].waits);
        mem_free(who);
        struct explainer *x = explain_new(m.l.tr, NULL);
        struct explain_list list;
        assert_true(explain_list(x, workpiece_of_g(w->longest.g, w->longest.t0, w->longest.t1), &list));
        assert_int_equal(list.n, 1);
        assert_int_equal(list.v[0].part.cat, at[i].cat);
        explain_list_free(&list);
        explain_free(x);
        unmade(&m);
    }
}

/* ---- uneven work --------------------------------------------------------------------------------------- */

/* A stack of which nothing is known names no place. */
static void nothing_known_of_a_stack(void **state)
{
    struct text t = {0};
    struct made m;
    (void)state;
    begin(1);
    block(MS, "sleep", "1");
    script.n += (size_t)snprintf(script.p + script.n, sizeof script.p - script.n,
                                 "batch m=-1 t=0\nStacks\nStack id=1 0:0:0:0\n");
    made_of(&m);
    text_where(&t, m.l.tr, m.l.tg->waits[0].stack, 0);
    assert_int_equal(trace_stack(m.l.tr, m.l.tg->waits[0].stack), 1);
    assert_string_equal(t.p, "-");
    text_free(&t);
    unmade(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_known_of_a_stack), cmocka_unit_test(a_package_under_test),
        cmocka_unit_test(the_library_is_known),     cmocka_unit_test(what_a_stack_says),
        cmocka_unit_test(a_pipe_is_no_network),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
