/*
 * test_triage_holders.c - how long a lock was held, what its holders waited for, and other waits that were told wrongly once.
 */
#include "script_help.h"

#include "triage/findings/holder.h"

enum { KEEPER = 30, QUEUE = 8 };

/* Who takes it and lets go of it in one function has not had it since before it waited elsewhere, though another waited in another one. */
static void taken_at_two_places(void **state)
{
    for (int both = 0; both < 2; both++) {
        struct made m;
        struct holding h[HOLDINGS_MAX];
        (void)state;
        begin(1);
        create(1 * US, 2, "queue");
        create(2 * US, KEEPER, "keep");
        block(3 * US, "sleep", "time.Sleep:1,main.main:2");
        start(4 * US, KEEPER);
        block(5 * US, "sync", both ? "sync.(*Mutex).Lock:1,main.put:30" : "sync.(*Mutex).Lock:1,main.set:30");
        start(6 * US, 2);
        wake(7 * US, KEEPER, "sync.(*Mutex).Unlock:1,main.get:21");
        block(MS, "sync", "sync.(*Mutex).Lock:1,main.get:20");
        start(MS + 20 * US, KEEPER);
        block(MS + 30 * US, "network", "internal/poll.(*FD).Read:1,main.serve:9");
        wake(3 * MS, KEEPER, "0");
        start(3 * MS + US, KEEPER);
        wake(4 * MS, 2, "sync.(*Mutex).Unlock:1,main.put:31");
        over(4 * MS + 10 * US);
        start(4 * MS + 20 * US, 2);
        over(4 * MS + 30 * US);
        made_of(&m);
        assert_int_equal(m.l.tg->nlock_waits, 2);
        const struct lock_wait *w = &m.l.tg->lock_waits[1];
        assert_int_equal(holder_parts(m.l.tg, w->g, w->t0, h), 1);
        assert_int_equal(h[0].g, lane_of(&m, KEEPER));
        assert_near_ns(h[0].t1 - h[0].t0, both ? MS : 3 * MS);
        unmade(&m);
    }
}

/* Who allocates under a lock may have to start a collection: that is no waiting that could be done before. */
static void waits_for_the_collector(void **state)
{
    struct made m;
    int64_t t = MS;
    (void)state;
    begin(1);
    for (unsigned g = 2; g < 2 + QUEUE; g++) {
        create(g * US, g, "queue");
    }
    create(20 * US, KEEPER, "keep");
    block(30 * US, "sleep", "time.Sleep:1,main.main:2");
    for (unsigned g = 2; g < 2 + QUEUE; g++, t += 5 * US) {
        start(t, g);
        block(t + US, "sync", "sync.(*Mutex).Lock:1,main.get:20");
    }
    start(t, KEEPER);
    block(t + US, "sync", "runtime.gcStart:1,runtime.mallocgc:2,main.keep:4");
    wake(t += 12 * MS, KEEPER, "0");
    start(t += US, KEEPER);
    for (unsigned g = 2; g < 2 + QUEUE; g++) {
        wake(t += US, g, "sync.(*Mutex).Unlock:1,main.keep:5");
    }
    over(t + US);
    made_of(&m);
    const struct finding *f = told(&m, RULE_CONVOY);
    assert_non_null(f);
    assert_non_null(strstr(f->text, "waiting for the collector 9"));
    assert_non_null(strstr(f->next, "Its holders wait for the collector"));
    unmade(&m);
}

/* Of several readers the last one lets in who wants to write. While it ran it may have come and gone: since when it reads, no trace tells. */
static void the_last_of_readers(void **state)
{
    (void)state;
    for (int reads = 0; reads < 2; reads++) {
        struct made m;
        int64_t t = MS;
        begin(1);
        for (unsigned g = 2; g < 2 + QUEUE; g++) {
            create(g * US, g, "queue");
        }
        create(20 * US, KEEPER, "keep");
        block(30 * US, "sleep", "time.Sleep:1,main.main:2");
        for (unsigned g = 2; g < 2 + QUEUE; g++, t += 5 * US) {
            start(t, g);
            block(t + US, "sync", "sync.(*RWMutex).Lock:1,main.put:20");
        }
        start(t, KEEPER);
        t += 12 * MS;
        for (unsigned g = 2; g < 2 + QUEUE; g++) {
            wake(t += US, g, reads ? "sync.(*RWMutex).RUnlock:1,main.get:5" : "sync.(*RWMutex).Unlock:1,main.put:5");
        }
        over(t + US);
        made_of(&m);
        const struct finding *f = told(&m, RULE_CONVOY);
        assert_non_null(f);
        assert_int_equal(strstr(f->text, "The longest hold was") != NULL, !reads);
        unmade(&m);
    }
}

/* A reader in Read waits for what comes next, whatever the connection is made of; one in its own loop for somebody to read the body. */
static void idle_connections(void **state)
{
    (void)state;
    for (int idle = 0; idle < 2; idle++) {
        struct made m;
        begin(1);
        block(US, "sleep", at_rest);
        for (unsigned g = 2; g < 82; g += 2) {
            int64_t t = g * MS;
            wake(t, 1, "0");
            start(t + US, 1);
            ev(t + 2 * US, "GoCreate",
               "new_g=%u new_stack=net/http.(*persistConn).readLoop:1 stack=net/http.(*Transport).dialConn:7", g);
            ev(t + 3 * US, "GoCreate",
               "new_g=%u new_stack=net/http.(*persistConn).writeLoop:1 stack=net/http.(*Transport).dialConn:8",
               g + 1);
            block(t + 4 * US, "sleep", at_rest);
            start(t + 5 * US, g);
            block(t + 6 * US, "select",
                  idle ? "runtime.selectgo:1,main.(*pipe).Read:2,net/http.(*persistConn).Read:3,"
                         "net/http.(*persistConn).readLoop:4"
                       : "runtime.selectgo:1,net/http.(*persistConn).readLoop:5");
            start(t + 7 * US, g + 1);
            block(t + 8 * US, "select", "runtime.selectgo:1,net/http.(*persistConn).writeLoop:2");
        }
        made_of(&m);
        const struct finding *f = told(&m, RULE_LEAK);
        assert_non_null(f);
        assert_int_equal(strstr(f->next, "Their connections wait for the response body") != NULL, !idle);
        assert_int_equal(strstr(f->next, "Their connections are idle, or wait for an answer") != NULL, idle);
        unmade(&m);
    }
}

/* Four in each round wait for what the keeper closes behind its sleep, and end: told to stop, they are no queue. What is sent is an answer. */
static void told_to_stop(void **state)
{
    (void)state;
    for (int sends = 0; sends < 2; sends++) {
        struct made m;
        int64_t t = MS;
        unsigned id = 100;
        begin(2);
        create(20 * US, KEEPER, "keep");
        block(30 * US, "sleep", at_rest);
        for (int r = 0; r < 8; r++) {
            wake(t += US, 1, "0");
            start(t += US, 1);
            for (unsigned k = 0; k < 4; k++) {
                create(t += US, id + k, "queue");
            }
            block(t += US, "sleep", at_rest);
            for (unsigned k = 0; k < 4; k++) {
                start(t += US, id + k);
                block(t += US, "select", "runtime.selectgo:1,main.queue:20");
            }
            if (r) {
                wake(t += US, KEEPER, "0");
            }
            start(t += US, KEEPER);
            for (unsigned k = 0; k < 4; k++, t += 2 * US) {
                call(t + US, t + 2 * US, "syscall.read:5,main.keep:3");
            }
            block(t += US, "sleep", "time.Sleep:1,main.keep:4");
            wake(t += 12 * MS, KEEPER, "0");
            start(t += US, KEEPER);
            for (unsigned k = 0; k < 4; k++) {
                wake(t += US, id + k, sends ? "runtime.chansend1:1,main.keep:5" : "main.keep:5");
            }
            block(t += US, "sleep", "time.Sleep:1,main.keep:6");
            for (unsigned k = 0; k < 4; k++) {
                start(t += US, id + k);
                over(t += US);
            }
            id += 4;
        }
        made_of(&m);
        const struct finding *f = told(&m, RULE_BOTTLENECK);
        assert_int_equal(f && strstr(f->text, "sleeps (time.Sleep) while others wait for an answer"), sends);
        unmade(&m);
    }
}

/* Four wait for what one reads from the network. If it writes nothing, several that ask would be no advice for it. */
static void reader_of_one_connection(void **state)
{
    (void)state;
    for (int writes = 0; writes < 2; writes++) {
        struct made m;
        int64_t t = MS;
        begin(2);
        for (unsigned g = 2; g < 6; g++) {
            create(g * US, g, "queue");
        }
        create(20 * US, KEEPER, "keep");
        block(30 * US, "sleep", at_rest);
        for (int r = 0; r < 8; r++) {
            for (unsigned g = 2; g < 6; g++) {
                start(t += US, g);
                if (r && g == 2) {
                    wake(t += US, KEEPER, "runtime.chansend1:1,main.queue:8");
                }
                block(t += US, "select", "runtime.selectgo:1,main.ask:20,main.queue:9");
            }
            start(t += US, KEEPER);
            if (writes) {
                call(t + US, t + 2 * US, "syscall.write:5,main.keep:3");
                t += 2 * US;
            }
            block(t += US, "network", "internal/poll.(*FD).Read:1,main.keep:4");
            wake(t += 12 * MS, KEEPER, "0");
            start(t += US, KEEPER);
            for (unsigned g = 2; g < 6; g++) {
                wake(t += US, g, "runtime.chansend1:1,main.keep:5");
            }
            block(t += US, "select", "runtime.selectgo:1,main.keep:6");
        }
        made_of(&m);
        const struct finding *f = told(&m, RULE_BOTTLENECK);
        assert_non_null(f);
        assert_true(f->note);
        assert_int_equal(strstr(f->text, "It writes nothing") != NULL, !writes);
        assert_int_equal(strstr(f->next, "ask in parallel") != NULL, writes);
        unmade(&m);
    }
}

/* All are let go at once, and then take one lock, each for 4 us: that they queue for it is the crowd's doing. */
static void a_crowd_takes_a_lock(void **state)
{
    enum { CROWD = 32 };
    (void)state;
    for (int elsewhere = 0; elsewhere < 2; elsewhere++) {
        struct made m;
        int64_t t = 11 * US;
        begin(1);
        for (unsigned g = 2; g < 2 + CROWD; g++) {
            create(g * 100, g, "ship");
        }
        block(10 * US, "sleep", at_rest);
        for (unsigned g = 2; g < 2 + CROWD; g++) {
            start(t += US, g);
            block(t += US, "chan receive", "runtime.chanrecv1:1,main.ship:5");
        }
        for (int r = 0; r < 4; r++) {
            nothing_to_do(t + US, t + 249 * US);
            wake(t += 250 * US, 1, "0");
            start(t += US, 1);
            for (unsigned g = 2; g < 2 + CROWD; g++) {
                wake(t += 100, g, "main.publish:7");
            }
            yield(t += US);
            for (unsigned g = 2; g < 2 + CROWD; g++) {
                start(t += 100, g);
                if (elsewhere) { /* each has been to the disk before it takes the lock */
                    block(t += US, "chan receive", "runtime.chanrecv1:1,main.read:6");
                    wake(t += 100, g, "0");
                    start(t += 100, g);
                }
                block(t += 8 * US, "sync", "sync.(*Mutex).Lock:1,main.next:9");
            }
            start(t += 100, 1);
            wake(t += US, 2, "sync.(*Mutex).Unlock:1,main.publish:9");
            block(t += US, "sleep", at_rest);
            for (unsigned g = 2; g < 2 + CROWD; g++) {
                start(t += 100, g);
                if (g + 1 < 2 + CROWD) {
                    wake(t += 4 * US, g + 1, "sync.(*Mutex).Unlock:1,main.next:10");
                }
                block(t += US, "chan receive", "runtime.chanrecv1:1,main.ship:5");
            }
        }
        made_of(&m);
        const struct finding *f = told(&m, RULE_HERD);
        assert_non_null(f);
        assert_int_equal(strstr(f->text, "They wait for a lock in main.next as well") != NULL, !elsewhere);
        assert_int_equal(told(&m, RULE_CONVOY) != NULL, elsewhere);
        unmade(&m);
    }
}

/*
 * Rows of short sleeps with something else behind them, as many as it takes: polling. In the loop of the goroutine itself (1) they may be its
 * pace; as many each time (2), a pause.
 */
static void short_sleeps_in_rows(void **state)
{
    (void)state;
    for (int how = 0; how < 3; how++) {
        struct made m;
        int64_t t = 50 * US;
        unsigned rows = 0;
        begin(1);
        block(10 * US, "sleep", at_rest);
        for (unsigned g = 2; g < 5; g++) {
            wake(t += US, 1, "0");
            start(t += US, 1);
            create(t += US, g, "serve");
            block(t += US, "sleep", at_rest);
            start(t += US, g);
            for (unsigned r = 0; r < 7; r++, rows++) {
                for (unsigned k = 0; k < (how == 2 ? 6 : 2 + rows % 4 * 3); k++) {
                    block(t += 5 * US, "sleep",
                          how == 1 ? "time.Sleep:1,main.serve:3" : "time.Sleep:1,main.acquire:3,main.serve:9");
                    wake(t += 400 * US, g, "0");
                    start(t += US, g);
                }
                block(t += 5 * US, "network", "internal/poll.(*FD).Read:1,main.ask:4,main.serve:10");
                wake(t += 300 * US, g, "0");
                start(t += US, g);
            }
            over(t += US);
        }
        made_of(&m);
        const struct finding *f = told(&m, RULE_POLL);
        assert_int_equal(f && strstr(f->text, "they look again and again whether they may"), how == 0);
        assert_true(how ||
                    strstr(f->text, "main.acquire, called by main.serve: goroutines of main.serve sleep there"));
        unmade(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(taken_at_two_places),  cmocka_unit_test(waits_for_the_collector),
        cmocka_unit_test(the_last_of_readers),  cmocka_unit_test(idle_connections),
        cmocka_unit_test(told_to_stop),         cmocka_unit_test(reader_of_one_connection),
        cmocka_unit_test(a_crowd_takes_a_lock), cmocka_unit_test(short_sleeps_in_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
