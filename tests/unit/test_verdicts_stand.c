/*
 * test_verdicts_stand.c - what is told of a program in which something does not go on: slots that are not
 * given back, a crew that stands, answers that get lost, goroutines that never end, one that does all that
 * comes. Each is played by goroutines of a few lines, beside a twin that has the same waits and no fault.
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

/* ---- a crew ----------------------------------------------------------------------------------------- */

/* Works in rounds; each takes a slot. After 500 ms slots are not given back, or all are at rest for more. */
static void worker(struct play *p, unsigned g)
{
    const bool late = p->now > 500 * MS;
    if (p->phase[g] == 1) {
        p->slots += !(p->fault && late);
        p->phase[g] = 0;
        waits(p, g, "chan receive", "runtime.chanrecv2:1,main.worker:12", late && !p->fault ? NEVER : 3 * MS);
    } else if (p->slots) {
        p->slots--;
        p->phase[g] = 1;
        waits(p, g, "network", "internal/poll.(*FD).Read:1,main.store:40,main.worker:14", 5 * MS);
    } else {
        waits(p, g, "chan receive", "runtime.chanrecv1:1,main.acquire:30,main.worker:13", NEVER);
    }
}

static void crew(struct play *p)
{
    p->slots = 6;
    for (int i = 0; i < 6; i++)
        (void)born(p, "main.worker:1", "main.main:2", worker);
    waits(p, 1, "select", "runtime.block:1,main.main:3", NEVER);
}

static void crew_stands(void **state)
{
    (void)state;
    expect(crew, 1500 * MS, RULE_CREW);
}

/* ---- answers ---------------------------------------------------------------------------------------- */

#define ASK "runtime.selectgo:1,main.ask:20,main.client:6"

/* Asks, and is answered within 3 ms, but each 40th, which waits its limit out: of the twin that is short. */
static void client(struct play *p, unsigned g)
{
    const int64_t limit = p->fault ? 200 * MS : 6 * MS;
    if (p->phase[g]++ % 2 == 0) {
        p->queue[p->nqueue++] = g;
        waits(p, g, "select", ASK, limit);
    } else {
        waits(p, g, "sleep", "time.Sleep:1,main.client:7", 5 * MS);
    }
}

static void answers_what_is_due(struct play *p, unsigned g)
{
    for (unsigned i = 0; i < p->nqueue; i++)
        if (++p->phase[g] % 40 && p->due[p->queue[i]] != NEVER)
            wake(p, p->queue[i], "runtime.chansend1:1,main.receive:9");
    p->nqueue = 0;
}

static void answers(struct play *p, unsigned g)
{
    answers_what_is_due(p, g);
    waits(p, g, "sleep", "time.Sleep:1,main.receive:5", 3 * MS);
}

static void passes_answers_on(struct play *p, unsigned g)
{
    answers_what_is_due(p, g);
    waits(p, g, "network", "internal/poll.(*FD).Read:1,main.receive:5", 3 * MS);
}

static void ask(struct play *p, void (*who)(struct play *p, unsigned g))
{
    for (int i = 0; i < 12; i++)
        (void)born(p, "main.client:1", "main.main:2", client);
    (void)born(p, "main.receive:1", "main.main:2", who);
    waits(p, 1, "select", "runtime.block:1,main.main:3", NEVER);
}

static void asked(struct play *p)
{
    ask(p, answers);
}

static void asked_afar(struct play *p)
{
    ask(p, passes_answers_on);
}

static void answers_are_lost(void **state)
{
    (void)state;
    expect(asked, 1500 * MS, RULE_LOST);
    struct play p; /* the remote end is silent: nothing got lost here */
    struct made m;
    begin(&p, true);
    asked_afar(&p);
    play(&p, 1500 * MS, &m);
    assert_null(help_told(&m.l, RULE_LOST));
    unmake(&m);
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

/* ---- all stands still --------------------------------------------------------------------------------- */

/* Sleeps, asks the other one and waits for it, round after round; a look-out ticks beside. After 800 ms the
 * other one misses what it is asked, or, of the twin, ends. */
static void pacer(struct play *p, unsigned g)
{
    if (p->phase[g]++ % 2 == 0) {
        waits(p, g, "sleep", "time.Sleep:1,main.pacer:5", 2 * MS);
    } else {
        if (p->slots == 0)
            wake(p, 3, "runtime.chansend1:1,main.pacer:6");
        waits(p, g, "chan receive", "runtime.chanrecv1:1,main.pacer:7", NEVER);
    }
}

static void peer(struct play *p, unsigned g)
{
    const bool late = p->now > 800 * MS;
    p->slots = late;
    if (late && !p->fault) {
        ends(p);
    } else {
        if (p->phase[g]++ && !late)
            wake(p, 2, "runtime.chansend1:1,main.peer:6");
        waits(p, g, "chan receive", "runtime.chanrecv1:1,main.peer:5", NEVER);
    }
}

static void look_out(struct play *p, unsigned g)
{
    waits(p, g, "select", "runtime.selectgo:1,main.lookOut:5", 50 * MS);
}

static void rounds(struct play *p)
{
    (void)born(p, "main.pacer:1", "main.main:2", pacer);
    (void)born(p, "main.peer:1", "main.main:2", peer);
    (void)born(p, "main.lookOut:1", "main.main:2", look_out);
    waits(p, 1, "select", "runtime.block:1,main.main:3", NEVER);
}

static void all_stands_still(void **state)
{
    (void)state;
    expect(rounds, 1500 * MS, RULE_STALL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slots_are_lost),   cmocka_unit_test(crew_stands),
        cmocka_unit_test(answers_are_lost), cmocka_unit_test(some_stay),
        cmocka_unit_test(one_takes_all),    cmocka_unit_test(all_stands_still)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
