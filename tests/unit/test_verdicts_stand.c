/*
 * test_verdicts_stand.c - what is told of a program in which something does not go on: slots that are not
 * given back, goroutines that never end, one that does all that comes. Each is played by goroutines of a few
 * lines, beside a twin that has the same waits and no fault.
 */
#include "play_help.h"

/* ---- slots ------------------------------------------------------------------------------------------ */

#define SELL "main.sell:20,main.serve:5"
#define GIVES "runtime.chanrecv1:1," SELL

/* 0: begun; 1: waits for a slot; 2: has one. Who comes after 500 ms does not give it back. */
static void sale(struct play *p, unsigned g)
{
    if (p->phase[g] == 1 && p->nqueue && p->queue[0] == g) { /* its limit is up */
        memmove(p->queue, p->queue + 1, --p->nqueue * sizeof *p->queue);
        ends(p);
    } else if (p->phase[g] == 2) {
        const bool keeps = p->fault && p->now > 500 * MS;
        if (!keeps && p->nqueue) {
            p->phase[p->queue[0]] = 3;
            wake(p, p->queue[0], GIVES);
            memmove(p->queue, p->queue + 1, --p->nqueue * sizeof *p->queue);
        } else {
            p->slots += !keeps;
        }
        ends(p);
    } else if (p->phase[g] == 0 && !p->slots) {
        p->phase[g] = 1;
        p->queue[p->nqueue++] = g;
        waits(p, g, "select", "runtime.selectgo:1,main.acquire:30," SELL, 100 * MS);
    } else {
        p->slots -= p->phase[g] == 0;
        p->phase[g] = 2;
        waits(p, g, "network", "internal/poll.(*FD).Read:1,main.authorise:40," SELL, 5 * MS);
    }
}

static void comes(struct play *p, unsigned g)
{
    (void)born(p, "main.serve:1", "main.load:9", sale);
    waits(p, g, "sleep", "time.Sleep:1,main.load:8", 4 * MS);
}

static void sales(struct play *p)
{
    p->slots = 6;
    (void)born(p, "main.load:1", "main.main:2", comes);
    waits(p, 1, "select", "runtime.block:1,main.main:3", NEVER);
}

static void slots_are_lost(void **state)
{
    (void)state;
    expect(sales, 1500 * MS, RULE_SLOTS);
}

/* Takes a slot, asks the store, gives it back to who waits first; after 500 ms it keeps it. */
static void worker(struct play *p, unsigned g)
{
    if (p->phase[g] == 2) {
        const bool keeps = p->fault && p->now > 500 * MS;
        if (!keeps && p->nqueue) {
            p->phase[p->queue[0]] = 1;
            wake(p, p->queue[0], "runtime.chanrecv1:1,main.work:20,main.worker:14");
            memmove(p->queue, p->queue + 1, --p->nqueue * sizeof *p->queue);
        } else {
            p->slots += !keeps;
        }
        p->phase[g] = 0;
        waits(p, g, "sleep", "time.Sleep:1,main.worker:12", MS);
    } else if (p->phase[g] == 1 || p->slots) {
        p->slots -= p->phase[g] == 0;
        p->phase[g] = 2;
        waits(p, g, "network", "internal/poll.(*FD).Read:1,main.store:40,main.work:19,main.worker:14",
              5 * MS);
    } else {
        p->queue[p->nqueue++] = g;
        waits(p, g, "chan send", "runtime.chansend1:1,main.work:18,main.worker:14", NEVER);
    }
}

static void crew(struct play *p)
{
    p->slots = 2;
    for (int i = 0; i < 8; i++)
        (void)born(p, "main.worker:1", "main.main:2", worker);
    waits(p, 1, "select", "runtime.block:1,main.main:3", NEVER);
}

static void slots_are_gone(void **state)
{
    (void)state;
    expect(crew, 1500 * MS, RULE_SLOTS);
}

/* ---- goroutines that stay --------------------------------------------------------------------------- */

/* Ends after 5 ms; after 500 ms each third one stands for good, or, of the twin, for 300 ms. */
static void watch(struct play *p, unsigned g)
{
    if (p->phase[g]++)
        ends(p);
    else
        waits(p, g, "select", "runtime.selectgo:1,main.watch:5",
              p->now < 500 * MS || g % 3 ? 5 * MS
              : p->fault                 ? NEVER
                                         : 300 * MS);
}

static void assay(struct play *p, unsigned g)
{
    (void)born(p, "main.watch:1", "main.assay:9", watch);
    waits(p, g, "sleep", "time.Sleep:1,main.assay:8", 6 * MS);
}

static void lab(struct play *p)
{
    (void)born(p, "main.assay:1", "main.main:2", assay);
    waits(p, 1, "select", "runtime.block:1,main.main:3", NEVER);
}

static void some_stay(void **state)
{
    (void)state;
    expect(lab, 1500 * MS, RULE_STAY);
}

/* ---- one does all ----------------------------------------------------------------------------------- */

/* A library's loop calls the program back, which takes 8 ms; of the twin it is handed over at once. */
#define LOOP "example.org/bus.loop@/go/pkg/mod/example.org/bus/bus.go"
static void loop(struct play *p, unsigned g)
{
    if (p->phase[g])
        p->slots--;
    p->phase[g] = p->slots > 0;
    if (!p->slots)
        waits(p, g, "chan receive", "runtime.chanrecv2:1," LOOP ":5", NEVER);
    else
        waits(p, g, "sleep", "time.Sleep:1,main.lookup:30,main.onScan:20," LOOP ":6",
              p->fault ? 8 * MS : MS / 100);
}

static void feed(struct play *p, unsigned g)
{
    if (p->slots++ == 0)
        wake(p, 2, "runtime.chansend1:1,main.feed:9");
    waits(p, g, "network", "internal/poll.(*FD).Read:1,main.feed:5",
          p->phase[g]++ % 20 < 17 ? 4 * MS : 40 * MS);
}

static void bus(struct play *p)
{
    (void)born(p, LOOP ":1", "main.main:2", loop);
    (void)born(p, "main.feed:1", "main.main:2", feed);
    waits(p, 1, "select", "runtime.block:1,main.main:3", NEVER);
}

static void one_takes_all(void **state)
{
    (void)state;
    expect(bus, 1500 * MS, RULE_TAKES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(slots_are_lost), cmocka_unit_test(slots_are_gone),
                                       cmocka_unit_test(some_stay), cmocka_unit_test(one_takes_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
