/* test_verdicts_work.c - what is told of tasks and of those who share work: a sleep for what is done
 * already, work that is shared out unevenly, retries, a start-up and calls one after the other, a library's
 * pool. Each is played beside a twin that has the same waits and no fault. */
#include "play_help.h"

#define REST(f) "runtime.chanrecv2:1," f

static void parks(struct play *p)
{
    waits(p, 1, "select", "runtime.block:1,main.main:3", NEVER);
}

/* ---- a sleep for what is done already --------------------------------------------------------------- */

/* Gives the badge to the printer, sleeps, takes it; the twin sleeps, and gives it away as its last. */
static void handle(struct play *p, unsigned g)
{
    const unsigned id = 1 + (unsigned)p->phase[g] / 2;
    const bool begins = p->phase[g]++ % 2 == 0;
    if (!begins && !p->fault)
        wake(p, 2, "runtime.chansend1:1,main.handle:9");
    if (!begins)
        task(p, id, false);
    if (!begins && p->fault) {
        waits(p, g, "network", "internal/poll.(*FD).Read:1,main.handle:4", 5 * MS);
        return;
    }
    if (!begins)
        p->phase[g]++;
    task(p, 1 + (unsigned)p->phase[g] / 2, true);
    if (p->fault)
        wake(p, 2, "runtime.chansend1:1,main.handle:6");
    waits(p, g, "sleep", "time.Sleep:1,main.await:20,main.handle:7", 40 * MS);
}

static void printer(struct play *p, unsigned g)
{
    if (p->phase[g]++ % 2 == 0)
        waits(p, g, "chan receive", REST("main.printer:30"), NEVER);
    else
        waits(p, g, "network", "internal/poll.(*FD).Write:1,main.print:31,main.printer:32", 3 * MS);
}

static void badges(struct play *p)
{
    (void)born(p, "main.printer:1", "main.main:2", printer);
    (void)born(p, "main.handle:1", "main.main:2", handle);
    parks(p);
}

static void sleeps_for_what_is_done(void **state)
{
    (void)state;
    expect(badges, 1500 * MS, RULE_SLEEP);
}

/* Its loop is in what it begins with, and has a pause of its own. The twin hands over behind its sleep. */
#define STUDIO "main.run:7,main.main.func1:3"
static void studio(struct play *p, unsigned g)
{
    const bool pauses = p->phase[g]++ % 2 == 1;
    if (pauses != p->fault)
        wake(p, 2, "runtime.chansend1:1,main.submit:12," STUDIO);
    waits(p, g, "sleep", pauses ? "time.Sleep:1," STUDIO : "time.Sleep:1,main.await:20," STUDIO,
          (pauses ? 6 : 40) * MS);
}

static void studios(struct play *p)
{
    (void)born(p, "main.printer:1", "main.main:2", printer);
    (void)born(p, "main.main.func1:1", "main.main:2", studio);
    parks(p);
}

static void pauses_in_its_loop(void **state)
{
    (void)state;
    expect(studios, 1500 * MS, RULE_SLEEP);
}

/* ---- a part of a request ------------------------------------------------------------------------------ */

/* Answers each question on its connection when the desk has told it what; the twin's has one question, and
 * writes all the news that it is told. */
static void radio(struct play *p, unsigned g)
{
    switch (p->phase[g]++ % 3) {
    case 0:
        waits(p, g, "network", "internal/poll.(*FD).Read:1,net.(*netFD).Read:2,main.radio:10", 4 * MS);
        break;
    case 1:
        p->queue[p->nqueue++] = g;
        waits(p, g, "chan receive", "runtime.chanrecv1:1,main.radio:11", NEVER);
        break;
    default:
        waits(p, g, "network", "internal/poll.(*FD).Write:1,net.(*netFD).Write:2,main.radio:12", MS / 10);
        p->phase[g] = p->fault ? 0 : 1;
    }
}

static void desk(struct play *p, unsigned g)
{
    while (p->nqueue)
        wake(p, p->queue[--p->nqueue], "runtime.chansend1:1,main.desk:20");
    waits(p, g, "sleep", "time.Sleep:1,main.desk:21", 15 * MS);
}

static void accepts(struct play *p, unsigned g)
{
    if (p->phase[g]++ < 3) {
        (void)born(p, "main.radio:1", "main.listen:31", radio);
        waits(p, g, "network", "internal/poll.(*FD).Accept:1,net.(*netFD).accept:2,main.listen:30", MS);
    } else {
        waits(p, g, "network", "internal/poll.(*FD).Accept:1,net.(*netFD).accept:2,main.listen:30", NEVER);
    }
}

static void radios(struct play *p)
{
    (void)born(p, "main.desk:1", "main.main:2", desk);
    (void)born(p, "main.listen:1", "main.main:2", accepts);
    parks(p);
}

static void waits_within_a_request(void **state)
{
    (void)state;
    expect(radios, 1500 * MS, RULE_DOZES);
}

/* ---- one of several ----------------------------------------------------------------------------------- */

/* Sends to one client after the other; the first of them does not read for 200 ms each time. */
static void broadcast(struct play *p, unsigned g)
{
    const unsigned to = 2 + (unsigned)p->phase[g]++ % 4;
    if (p->phase[to] == 1) {
        wake(p, to, "runtime.chansend1:1,main.broadcast:9");
        waits(p, g, "select", "runtime.selectgo:1,main.broadcast:8", 10 * MS);
    } else {
        p->queue[to] = g;
        waits(p, g, "chan send", "runtime.chansend1:1,main.broadcast:9", NEVER);
    }
}

static void pump(struct play *p, unsigned g)
{
    const bool given = p->phase[g] == 1 || p->queue[g];
    if (p->queue[g])
        wake(p, p->queue[g], REST("main.pump:11"));
    p->queue[g] = 0;
    p->phase[g] = given ? 2 : 1;
    if (given)
        waits(p, g, "network", "internal/poll.(*FD).Write:1,main.pump:12",
              g == 2 && p->fault ? 200 * MS : MS);
    else
        waits(p, g, "chan receive", REST("main.pump:11"), NEVER);
}

static void clients(struct play *p)
{
    for (int i = 0; i < 4; i++)
        (void)born(p, "main.pump:1", "main.main:2", pump);
    (void)born(p, "main.broadcast:1", "main.main:2", broadcast);
    parks(p);
}

static void one_blocks_all(void **state)
{
    (void)state;
    expect(clients, 1500 * MS, RULE_MEMBER);
}

/* ---- retries ------------------------------------------------------------------------------------------ */

/* Each eighth task asks five times, and sleeps in between, some twice as long each time; that of the twin
 * asks somebody else in between. */
static void quote(struct play *p, unsigned g)
{
    const unsigned n = (unsigned)p->phase[g] / 16, at = (unsigned)p->phase[g] % 16;
    const bool tries = n % 8 == 7;
    if (at == 0)
        task(p, g * 1000 + n, true);
    if (at == 1 && !tries)
        p->phase[g] += 10;
    if (at > 10 || (at == 1 && !tries)) {
        task(p, g * 1000 + n, false);
        p->phase[g] = (int)(n + 1) * 16;
        waits(p, g, "chan receive", REST("main.quote:5"), 3 * MS);
        return;
    }
    p->phase[g]++;
    if (at % 2 == 0)
        waits(p, g, "network", "internal/poll.(*FD).Read:1,main.ask:20,main.quote:6", MS);
    else if (p->fault)
        waits(p, g, "sleep", "time.Sleep:1,main.backOff:30,main.quote:7", (g % 2 ? 5 << at / 2 : 20) * MS);
    else
        waits(p, g, "network", "internal/poll.(*FD).Read:1,main.askOther:30,main.quote:7", 20 * MS);
}

static void quotes(struct play *p)
{
    for (int i = 0; i < 4; i++)
        (void)born(p, "main.quote:1", "main.main:2", quote);
    parks(p);
}

static void tries_again(void **state)
{
    (void)state;
    expect(quotes, (int64_t)6000 * MS, RULE_RETRY);
}

/* ---- one call after the other ------------------------------------------------------------------------- */

/* Main asks for 40 things and then serves; main of the twin asks to the end. */
static void starts(struct play *p, unsigned g)
{
    const int n = p->phase[g]++;
    if ((n < 80 || !p->fault) && n % 2 == 0)
        waits(p, g, "network", "internal/poll.(*FD).Write:1,main.attach:19,main.main:3", MS);
    else if (n < 80 || !p->fault)
        waits(p, g, "network", "internal/poll.(*FD).Read:1,main.attach:20,main.main:3", 20 * MS);
    else
        waits(p, g, "select", "runtime.selectgo:1,main.serve:30,main.main:4", 10 * MS);
}

static void start(struct play *p)
{
    p->step[1] = starts;
    starts(p, 1);
}

static void starts_slowly(void **state)
{
    (void)state;
    expect(start, 1500 * MS, RULE_START);
}

/* A task asks at five lines, or always at one. It writes each question, which nobody takes at once. */
static void asker(struct play *p, unsigned g)
{
    const int at = p->phase[g] % 11, line = p->fault ? 20 + at : 20;
    const unsigned id = 1 + g * 1000 + (unsigned)p->phase[g] / 11;
    char stack[96];
    p->phase[g]++;
    if (at == 0)
        task(p, id, true);
    if (at == 10) {
        task(p, id, false);
        waits(p, g, "chan receive", REST("main.asker:5"), 3 * MS);
        return;
    }
    if (at % 2 == 0) {
        waits(p, g, "network", "internal/poll.(*FD).Write:1,shop/price%2ev2.ask:19,main.asker:6", MS / 100);
        return;
    }
    snprintf(stack, sizeof stack, "internal/poll.(*FD).Read:1,shop/price%%2ev2.Of:%d,main.asker:6", line);
    waits(p, g, "network", stack, 5 * MS);
}

static void askers(struct play *p)
{
    (void)born(p, "main.asker:1", "main.main:2", asker);
    parks(p);
}

static void asks_from_one_line(void **state)
{
    (void)state;
    for (int lines = 1; lines >= 0; lines--) {
        struct play p;
        struct made m;
        begin(&p, lines);
        askers(&p);
        play(&p, 1500 * MS, &m);
        const struct finding *one = help_told(&m.l, RULE_SERIAL),
                             *told = lines ? help_told(&m.l, RULE_BACKEND) : one;
        if (!told || (lines ? one != NULL : one->note))
            fail_msg("%s", lines ? "several lines" : "one line");
        assert_non_null(strstr(told->what, "price.v2.Of ")); /* as its source has it */
        unmake(&m);
    }
}

/* ---- a pool ------------------------------------------------------------------------------------------- */

/* Twelve share two connections of a library's pool, which two functions of the program take; or each of the
 * two has a pool of its own. */
#define POOL "example.org/redis.(*Pool).Get@/go/pkg/mod/example.org/redis/pool.go:9"
static const char *pool_at(const struct play *p, unsigned g)
{
    return g % 2      ? p->fault ? "runtime.selectgo:1," POOL ",main.load:5,main.serve:2"
                                 : "runtime.selectgo:1,main.load:5,main.serve:2"
           : p->fault ? "runtime.selectgo:1," POOL ",main.save:6,main.serve:2"
                      : "runtime.selectgo:1,main.save:6,main.serve:2";
}

/* 0: wants a connection; 1: it is given one; 2: it gives it back. */
static void server(struct play *p, unsigned g)
{
    unsigned first = p->nqueue ? p->at % p->nqueue : 0; /* any of those that wait */
    if (p->phase[g] == 2) {
        for (unsigned i = 0; i < p->nqueue && !p->fault && p->queue[first] % 2 != g % 2; i++)
            first = (first + 1) % p->nqueue;
        if (p->nqueue && !p->fault && p->queue[first] % 2 != g % 2)
            first = p->nqueue;
        if (first < p->nqueue) {
            const unsigned to = p->queue[first];
            memmove(p->queue + first, p->queue + first + 1, (--p->nqueue - first) * sizeof *p->queue);
            wake(p, to, pool_at(p, g));
        } else {
            p->slots++;
        }
        p->phase[g] = 0;
    }
    if (p->phase[g] == 0 && p->slots <= 0) {
        p->phase[g] = 1;
        p->queue[p->nqueue++] = g;
        waits(p, g, "select", pool_at(p, g), NEVER);
    } else {
        p->slots -= p->phase[g] == 0;
        p->phase[g] = 2;
        waits(p, g, "network",
              g % 2 ? "internal/poll.(*FD).Read:1,main.load:8,main.serve:2"
                    : "internal/poll.(*FD).Read:1,main.save:8,main.serve:2",
              (4 + p->now / MS % 3) * MS);
    }
}

static void servers(struct play *p)
{
    p->slots = 2;
    for (int i = 0; i < 12; i++)
        (void)born(p, "main.serve:1", "main.main:2", server);
    parks(p);
}

static void one_pool_once(void **state)
{
    (void)state;
    for (int one = 1; one >= 0; one--) {
        struct play p;
        struct made m;
        uint32_t told = 0;
        begin(&p, one);
        servers(&p);
        play(&p, 1500 * MS, &m);
        for (uint32_t i = 0; i < m.l.fs.n; i++)
            told += m.l.fs.f[i].v.rule == RULE_SET;
        assert_int_equal(told, one ? 1 : 2);
        unmake(&m);
    }
}

/* ---- a queue that is never empty ------------------------------------------------------------------- */

/* Waits for each of 20 things, 5 ms each; then its peer is slow, and there is always one more. */
static void hub(struct play *p, unsigned g)
{
    if (p->phase[g] < 40 && p->phase[g]++ % 2 == 0)
        waits(p, g, "chan receive", REST("main.hub:5"), 5 * MS);
    else
        waits(p, g, "network", "internal/poll.(*FD).Write:1,main.send:20,main.hub:6",
              (p->phase[g] < 40 ? 1 : 30) * MS);
}

static void hubs(struct play *p)
{
    (void)born(p, "main.hub:1", "main.main:2", hub);
    parks(p);
}

/* What it does from then on is a piece as well, as long as it may be: most of its time goes there. */
static void never_waits_for_more(void **state)
{
    struct play p;
    struct made m;
    (void)state;
    begin(&p, true);
    hubs(&p);
    play(&p, 1500 * MS, &m);
    const struct works *all = &m.l.fs.works;
    const uint32_t at = find_first(i, all->n, all->v[i].kind == WORK_ITEMS);
    assert_true(at < all->n);
    assert_true(all->v[at].d.max > 1000 * MS);
    unmake(&m);
}

/* ---- news ------------------------------------------------------------------------------- */

/* Each is begun for one request. It wants one of two slots, and gives it back after 5 ms; or each fourth one
 * of the twin's brings news, and the others wait for some. */
#define RPC "example.org/rpc.serve@/go/pkg/mod/example.org/rpc/serve.go:9"
static void call(struct play *p, unsigned g)
{
    const bool brings = p->fault || g % 4 == 0;
    enum { BEGUN, ASKED, LET_IN, HAS } was = (unsigned)p->phase[g];
    if (was == BEGUN) {
        p->phase[g] = ASKED;
        waits(p, g, "network", "internal/poll.(*FD).Read:1,main.login:5," RPC, MS);
    } else if (was == HAS || (was == LET_IN && !brings)) {
        if (was == HAS && p->nqueue) {
            p->phase[p->queue[0]] = LET_IN;
            wake(p, p->queue[0],
                 p->fault ? "runtime.chansend1:1,main.work:3," RPC
                          : "runtime.chansend1:1,main.assign:3," RPC);
            memmove(p->queue, p->queue + 1, --p->nqueue * sizeof *p->queue);
        } else {
            p->slots += was == HAS;
        }
        ends(p);
    } else if (was == LET_IN || (brings && (!p->fault || p->slots > 0))) {
        p->slots -= was == ASKED;
        p->phase[g] = HAS;
        waits(p, g, "network",
              p->fault ? "internal/poll.(*FD).Read:1,main.ask:9,main.work:2," RPC
                       : "internal/poll.(*FD).Read:1,main.assign:2," RPC,
              5 * MS);
    } else {
        p->queue[p->nqueue++] = g;
        waits(p, g, "select",
              p->fault ? "runtime.selectgo:1,main.take:7,main.work:2," RPC
                       : "runtime.selectgo:1,main.watch:7," RPC,
              NEVER);
    }
}

static void calls(struct play *p, unsigned g)
{
    (void)born(p, RPC, "main.listen:9", call);
    waits(p, g, "sleep", "time.Sleep:1,main.listen:8", 2 * MS);
}

static void rpcs(struct play *p)
{
    p->slots = 2;
    (void)born(p, "main.listen:1", "main.main:2", calls);
    parks(p);
}

static void brings_news(void **state)
{
    (void)state;
    for (int fault = 1; fault >= 0; fault--) {
        struct play p;
        struct made m;
        begin(&p, fault);
        rpcs(&p);
        play(&p, 1500 * MS, &m);
        assert_true((help_told(&m.l, RULE_SET) != NULL) == fault);
        unmake(&m);
    }
}

/* ---- one hangs -------------------------------------------------------------------------------------- */

/* Each task asks and is answered within 5 ms; after 500 ms one of them never is, or one of the twin's
 * workers waits for more. */
static void fetch(struct play *p, unsigned g)
{
    const bool late = g == 3 && p->now > 500 * MS;
    const unsigned id = g * 1000 + (unsigned)p->phase[g] / 2;
    if (p->phase[g]++ % 2 == 0) {
        task(p, id, true);
        waits(p, g, "network", "internal/poll.(*FD).Read:1,main.fetch:20,main.worker:6",
              late && p->fault ? NEVER : 5 * MS);
    } else {
        task(p, id, false);
        waits(p, g, "chan receive", REST("main.worker:5"), late && !p->fault ? NEVER : 3 * MS);
    }
}

static void fetchers(struct play *p)
{
    for (int i = 0; i < 4; i++)
        (void)born(p, "main.worker:1", "main.main:2", fetch);
    parks(p);
}

static void one_hangs(void **state)
{
    (void)state;
    expect(fetchers, 1500 * MS, RULE_OPEN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sleeps_for_what_is_done),
        cmocka_unit_test(pauses_in_its_loop),
        cmocka_unit_test(waits_within_a_request),
        cmocka_unit_test(one_blocks_all),
        cmocka_unit_test(tries_again),
        cmocka_unit_test(starts_slowly),
        cmocka_unit_test(asks_from_one_line),
        cmocka_unit_test(one_pool_once),
        cmocka_unit_test(one_hangs),
        cmocka_unit_test(brings_news),
        cmocka_unit_test(never_waits_for_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
