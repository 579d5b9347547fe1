/*
 * test_causes_said.c - what else is said of the programs of test_causes.c: what stands beside the cause, which advice fits it,
 * what is not told; and that a number of the user's (--rules) decides it.
 */
#include "triage_help.h"

#include "triage/findings/thresholds.h"

/* Long answers that bring nothing; with as much to do behind them as behind the others they are answers. */
static void news_are_no_answers(void **state)
{
    struct err e = {0};
    const char off[] = "slow-backend.done = 1000\nserial-calls = off\n"; /* they would be calls in a row then */
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct loaded l;
        assert_int_equal(thresholds_parse("rules", off, i ? sizeof off - 1 : 0, &e), ERR_OK);
        help_cause("cleanmailbox", &l);
        const struct finding *f = help_tells(&l, RULE_BACKEND);
        assert_int_equal(f->note, !i);
        assert_int_equal(strstr(f->text, "this looks like long polling") != NULL, !i);
        assert_true(i ? f->severity_ns > 0 : f->severity_ns == 0);
        load_free(&l);
    }
    thresholds_reset();
}

/* Who brings something may wait twice for it, to hand it over and for what becomes of it: that is one. */
static void each_is_counted_once(void **state)
{
    struct loaded l;
    (void)state;
    help_cause("glassblower", &l);
    assert_false(l.fs.f[0].note);
    assert_null(strstr(l.fs.f[0].text, "several at a time"));
    assert_non_null(strstr(l.fs.f[0].next, "make one call for all of it"));
    load_free(&l);
    help_cause("turnkeys", &l); /* who waits for more work is no queue of work */
    assert_non_null(
        strstr(help_tells(&l, RULE_BOTTLENECK)->text, "others had nothing to do but wait for what it brings"));
    load_free(&l);
    help_cause("sluicekeepers", &l); /* as many threads as are said to wait, with a processor or without */
    assert_non_null(strstr(l.fs.f[0].text, "5.3 goroutines are in such calls at any time"));
    assert_string_equal(l.fs.f[0].amount, "5 threads");
    load_free(&l);
}

/* Who takes from a queue is woken by another that takes, in vain: what comes there is brought, so nobody has lost any, nor is it a set. */
static void what_is_brought_is_no_set(void **state)
{
    struct loaded l;
    uint32_t lost = 0;
    (void)state;
    help_cause("weighhouse", &l);
    for (uint32_t i = 0; i < l.fs.n; i++) {
        lost += l.fs.f[i].rule == RULE_LOST;
    }
    assert_int_equal(lost, 1); /* one tick, which both sides wait for, costs what it costs once */
    assert_null(help_told(&l, RULE_SLOTS));
    assert_null(help_told(&l, RULE_POOL));
    load_free(&l);
    help_cause("cleanswarm", &l); /* of 900 goroutines each lets in another one */
    assert_null(help_told(&l, RULE_SLOTS));
    load_free(&l);
}

/* Who is let in behind one that asks, and asks nothing, may have needed just that answer; it may as well have needed something else. */
static void one_question_for_all(void **state)
{
    struct loaded l;
    const struct finding *f;
    (void)state;
    help_cause("countersign", &l);
    f = help_tells(&l, RULE_CONVOY);
    assert_non_null(strstr(f->next, "If those that wait need just what it fetches, it is one question for all"));
    assert_int_equal(f->won_lo, 0);
    load_free(&l);
    help_cause("apothecary", &l); /* each asks */
    f = help_tells(&l, RULE_CONVOY);
    assert_null(strstr(f->next, "one question for all"));
    assert_true(f->won_lo > 0);
    load_free(&l);
}

/* All that ran when the world was stopped were stopped, too: they had not begun together because something was gone. */
static void stopped_together(void **state)
{
    struct loaded l;
    (void)state;
    help_cause("cleanbakers", &l);
    assert_null(help_told(&l, RULE_STAMPEDE));
    load_free(&l);
}

/* A limit on connections that is reached all the time is a note; slow answers are an alarm beside it, though each asks over a new one. */
static void a_limit_that_is_reached(void **state)
{
    struct loaded l;
    (void)state;
    help_cause("gatehouse", &l);
    const struct finding *f = help_tells(&l, RULE_ACCEPT);
    assert_true(f->note);
    assert_non_null(strstr(f->text, "main.(*gate).Accept waits between two connections until another one is closed"));
    assert_false(help_tells(&l, RULE_BACKEND)->note);
    assert_true(help_tells(&l, RULE_CONNS)->note);
    load_free(&l);
}

/* Two clients ask in one function: the one with connections that don't stay is named, and who asks through it. */
static void whose_connections(void **state)
{
    struct loaded l;
    (void)state;
    help_cause("relaystation", &l);
    const struct finding *f = help_tells(&l, RULE_CONNS);
    assert_non_null(strstr(f->text, "main.get, called by main.passOn"));
    assert_non_null(strstr(f->text, "goroutines of http.(*conn).serve ask on average"));
    load_free(&l);
    help_cause("suitors", &l); /* closed because the client no longer waits */
    assert_null(help_told(&l, RULE_CONNS));
    load_free(&l);
    help_cause("treasurers", &l); /* told of who asks, not of the driver as well */
    assert_true(l.fs.n == 1 || l.fs.f[1].rule != RULE_CONNS);
    load_free(&l);
}

/* Advice by what the work is: several goroutines win nothing where all wait for one disk, or one connection. */
static void advice_fits_the_work(void **state)
{
    struct loaded l;
    (void)state;
    help_cause("flusher", &l);
    assert_non_null(strstr(l.fs.f[0].next, "already takes several at a time"));
    load_free(&l);
    help_cause("cleanhiccup", &l);
    assert_non_null(strstr(help_tells(&l, RULE_SLOW_TASK)->next, "stalled at that moment"));
    load_free(&l);
    help_cause("latebell", &l);
    assert_non_null(strstr(help_tells(&l, RULE_SLOW_TASK)->next, "Run fewer of those at once"));
    load_free(&l);
    help_cause("gazette", &l);
    assert_non_null(strstr(l.fs.f[0].next, "Don't send while holding the lock"));
    load_free(&l);
    help_cause("registry", &l);
    assert_non_null(strstr(l.fs.f[0].next, "make one call for all of it"));
    load_free(&l);
    help_cause("engrossers", &l); /* a file each */
    assert_non_null(strstr(l.fs.f[0].next, "append several to one file"));
    assert_null(help_told(&l, RULE_BLOCKING));
    load_free(&l);
    help_cause("turnpike", &l);
    assert_non_null(strstr(l.fs.f[0].next, "may not be intended"));
    load_free(&l);
    help_cause("annals", &l); /* what the language itself copies */
    assert_non_null(strstr(l.fs.f[0].text, "(mostly by joining strings with +, which copies both)"));
    assert_non_null(strstr(l.fs.f[0].next, "Write into a strings.Builder"));
    load_free(&l);
    help_cause("boatmen", &l); /* the office sleeps over each answer, and sets nobody a pace */
    assert_null(help_told(&l, RULE_LIMIT));
    load_free(&l);
    help_cause("beggars", &l); /* its answers take no longer than others */
    const struct finding *slow = help_tells(&l, RULE_SLOW_TASK);
    assert_non_null(strstr(slow->text, "They wait there 12.0 times each"));
    assert_non_null(strstr(slow->text, "the usual ones 1.0 times"));
    assert_non_null(strstr(slow->next, "They ask again and again"));
    load_free(&l);
    help_cause("metronomes", &l); /* each has a clock of its own */
    assert_null(help_told(&l, RULE_LIMIT));
    load_free(&l);
    help_cause("straggler", &l); /* lot after lot, by one */
    assert_non_null(strstr(help_tells(&l, RULE_SLOWEST)->next, "don't wait for it, let the same number"));
    load_free(&l);
    help_cause("flight", &l); /* it may be its own other side */
    assert_non_null(strstr(l.fs.f[0].next, "Find out who answers"));
    load_free(&l);
    help_cause("conns", &l); /* what is outside makes no queue in here */
    assert_null(strstr(l.fs.f[0].text, "Symptoms"));
    load_free(&l);
    help_cause("notaries", &l); /* a call for each of them; or for all that wait */
    assert_non_null(strstr(l.fs.f[0].next, "Let one goroutine commit for all"));
    load_free(&l);
    help_cause("cleannotaries", &l);
    assert_non_null(strstr(help_tells(&l, RULE_CONVOY)->next, "If one already commits for several"));
    load_free(&l);
    help_cause("frontdesk", &l); /* who waits for answers makes no garbage */
    assert_null(strstr(l.fs.f[0].text, "Symptoms: long stop"));
    load_free(&l);
    help_cause("lend", &l); /* several are out */
    assert_null(strstr(l.fs.f[0].text, "like a lock"));
    load_free(&l);
    help_cause("stocktake", &l);
    assert_non_null(strstr(l.fs.f[0].next, "Release each lock"));
    load_free(&l);
    help_cause("clerks", &l); /* one lock */
    assert_null(strstr(l.fs.f[0].text, "several locks"));
    load_free(&l);
    help_cause("cleanlightermen", &l); /* accepted while nobody waits any more: they are asked, and ask nobody */
    assert_null(help_told(&l, RULE_BACKEND));
    load_free(&l);
    help_cause("archivists", &l); /* who accepted them is not in the trace, and they answer all the same */
    assert_non_null(strstr(help_tells(&l, RULE_BACKEND)->text, "Goroutines of this process write these answers"));
    load_free(&l);
    help_cause("coachmen", &l); /* give up already, and ask another */
    assert_true(help_tells(&l, RULE_SLOWEST)->note);
    assert_non_null(strstr(help_tells(&l, RULE_SLOWEST)->next, "Use a shorter timeout"));
    load_free(&l);
    help_cause("floodgate", &l);
    assert_false(help_told(&l, RULE_SERIAL_CALLS));
    assert_non_null(strstr(l.fs.f[0].next, "Send less"));
    load_free(&l);
}

/* Goroutines that hand to and fro: what to do instead depends on what they hand over. */
static void to_and_fro(void **state)
{
    struct loaded l;
    (void)state;
    help_cause("teller", &l);
    assert_non_null(strstr(help_tells(&l, RULE_GRAIN)->next, "Ask for many at once"));
    load_free(&l);
    help_cause("straws", &l);
    assert_non_null(strstr(help_tells(&l, RULE_GRAIN)->next, "bufio.Writer"));
    load_free(&l);
}

/* What runs most is told by the moments inside its runs; one goroutine that makes all calls could have others beside it. */
static void moments_inside(void **state)
{
    struct loaded l;
    (void)state;
    help_cause("cleanoffice", &l);
    assert_non_null(strstr(help_tells(&l, RULE_HOT)->text, "main.busy, called by main.answer is where goroutines of "
                                                           "main.answer, which run most, were at 13 of 13 moments"));
    load_free(&l);
    help_cause("cleanfair", &l); /* just in what they began with: that says nothing */
    assert_null(strstr(help_tells(&l, RULE_TIME)->text, "which run most"));
    load_free(&l);
    help_cause("inbox", &l);
    assert_non_null(strstr(l.fs.f[0].next, "let several like it make them in parallel"));
    load_free(&l);
}

/* What the program calls is told with the function that calls it, where that allocates most. */
static void what_it_calls_allocates(void **state)
{
    struct loaded l;
    bool told = false;
    (void)state;
    help_cause("scrubber", &l);
    for (uint32_t i = 0; i < l.fs.n; i++) {
        told |= strstr(l.fs.f[i].text, "main.scrub, called by main.main.func1 (mostly by regexp.MustCompile, which "
                                       "it calls) allocates most") != NULL;
    }
    assert_true(told);
    load_free(&l);
}

/* Long runs of those that spin are told as theirs. */
static void who_spins_beside_the_host(void **state)
{
    struct loaded l;
    bool told = false;
    (void)state;
    help_cause("latch", &l);
    for (uint32_t i = 0; i < l.fs.n; i++) {
        told |= l.fs.f[i].rule == RULE_HOST && strstr(l.fs.f[i].text, "main.main.func1, which spin (busy-loop)");
    }
    assert_true(told);
    load_free(&l);
}

/* What is told of the one that all wait for is not told once more of what it waits for itself; the two numbers decide who is few. */
static void one_story_of_waiting(void **state)
{
    struct err e = {0};
    static const char more[] = "pool-too-small.set-waits = 99.9%\n", far[] = "pool-too-small.set-calls = 31\n",
                      often[] = "one-goroutine.more = 1000\n", gone[] = "slots-lost.workers = 5\n";
    (void)state;
    struct loaded l;
    help_cause("sexton", &l);
    assert_false(help_told(&l, RULE_SERIAL_CALLS));
    assert_non_null(strstr(help_tells(&l, RULE_BOTTLENECK)->next, "Ask for many at once"));
    load_free(&l);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(thresholds_parse("rules", i ? far : more, (i ? sizeof far : sizeof more) - 1, &e), ERR_OK);
        help_cause("postboys", &l);
        assert_false(help_told(&l, RULE_POOL));
        load_free(&l);
        thresholds_reset();
    }
    help_cause("castaways", &l); /* what never ended is no wait of theirs */
    assert_false(help_told(&l, RULE_POOL));
    assert_string_equal(help_tells(&l, RULE_SLOTS)->title, "workers lost to answers that do not come");
    load_free(&l);
    assert_int_equal(thresholds_parse("rules", gone, sizeof gone - 1, &e), ERR_OK);
    help_cause("castaways", &l);
    assert_false(help_told(&l, RULE_SLOTS) || help_told(&l, RULE_POOL));
    load_free(&l);
    thresholds_reset();
    help_cause("scrivener", &l);
    assert_true(help_tells(&l, RULE_BOTTLENECK)->won_lo == 0);
    assert_string_equal(help_tells(&l, RULE_BOTTLENECK)->title, "work queues for one goroutine");
    load_free(&l);
    assert_int_equal(thresholds_parse("rules", often, sizeof often - 1, &e), ERR_OK);
    help_cause("scrivener", &l);
    assert_false(help_told(&l, RULE_BOTTLENECK));
    load_free(&l);
    thresholds_reset();
}

/* Advice by what is known: what is made anew may be kept, what is held need not be while others are asked, who is asked may be itself. */
static void advice_fits(void **state)
{
    static const struct {
        const char *name;
        enum rule rule;
        const char *text, *next;
    } v[] = {{"scrubber", RULE_GC_SHARE, "is made in regexp.MustCompile, whose name says that it makes something new",
              "Reuse what regexp.MustCompile makes"},
             {"turnkeys", RULE_CONVOY, "Meanwhile the holders were: running",
              "its new holder is still waiting for a processor"},
             {"innrooms", RULE_POOL, "The holder was waiting for the network in", "Don't hold it while"},
             {"crawl", RULE_SERIAL_CALLS, "does not show whether it talks to itself", "Ask for all at once"}};
    (void)state;
    for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
        struct loaded l;
        help_cause(v[i].name, &l);
        const struct finding *f = help_tells(&l, v[i].rule);
        assert_non_null(strstr(f->text, v[i].text));
        assert_non_null(strstr(f->next, v[i].next));
        load_free(&l);
    }
}

/* Who asks itself waits for no slow other side, where goroutines of its own write the answers. */
static void its_own_answers(void **state)
{
    struct err e = {0};
    static const char surely[] = "slow-backend.answered-chance = 1000\n";
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct loaded l;
        assert_int_equal(thresholds_parse("rules", surely, i ? sizeof surely - 1 : 0, &e), ERR_OK);
        help_cause("pricelist", &l);
        assert_int_equal(help_told(&l, RULE_BACKEND) != NULL, i);
        load_free(&l);
    }
    thresholds_reset();
}

/* What package testing does around each run of a benchmark is no fault of the program's, and main's least of all. */
static void what_testing_asks_for(void **state)
{
    static const char *const rules[] = {"stw-long.longest = 1us\n", "gc-share = off\n"};
    struct err e = {0};
    struct loaded l;
    (void)state;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(thresholds_parse("rules", rules[i], strlen(rules[i]), &e), ERR_OK);
        help_cause("bellfounder", &l);
        const struct finding *f = help_tells(&l, i ? RULE_FORCED : RULE_GC_SHARE), *stops = help_told(&l, RULE_STW);
        assert_true(f->note);
        assert_false(f->has_won);
        assert_non_null(
            strstr(f->text, "Package testing asks for a collection before each run of a benchmark (runtime.GC"));
        assert_non_null(strstr(f->text, i ? "8 times in 8 cycles" : "8 times): 8 cycles"));
        assert_non_null(strstr(f->next, "Nothing to change"));
        for (uint32_t k = 0; !i && k < l.fs.n; k++) {
            stops = l.fs.f[k].rule == RULE_STW && strstr(l.fs.f[k].text, "read mem stats") ? &l.fs.f[k] : stops;
        }
        assert_true(i || (stops && stops->note && !stops->has_won));
        assert_true(i || strstr(stops->text, "Package testing asks, around each run of a benchmark (16 times): "));
        load_free(&l);
        thresholds_reset();
    }
}

/* Subtests run one after the other unless they say otherwise; and what net/http starts for itself is nothing that a handler waits for. */
static void what_the_library_begins(void **state)
{
    struct loaded l;
    (void)state;
    help_cause("examiners", &l);
    const struct finding *f = help_tells(&l, RULE_POOL);
    assert_true(f->note);
    assert_non_null(strstr(f->next, "t.Parallel"));
    load_free(&l);
    help_cause("deafporter", &l);
    assert_null(help_told(&l, RULE_POLL));
    load_free(&l);
}

/* What is stuck has not been done, and says nothing of how long one takes. */
static void what_was_done(void **state)
{
    struct loaded l;
    (void)state;
    help_cause("lostletters", &l);
    assert_non_null(strstr(help_tells(&l, RULE_TIME)->text, "120 goroutines of main.letter, 1.27ms on average"));
    load_free(&l);
}

/* Who was gone before one began to ask again and again says nothing of how often others ask. */
static void those_that_are_gone(void **state)
{
    static const char rules[] = "serial-calls.share = 90%\nserial-calls.again = 300\n";
    struct err e = {0};
    struct loaded l;
    (void)state;
    assert_int_equal(thresholds_parse("rules", rules, sizeof rules - 1, &e), ERR_OK);
    help_cause("lateasker", &l);
    assert_null(help_told(&l, RULE_SERIAL_CALLS));
    load_free(&l);
    help_cause("pesterer", &l);
    assert_non_null(
        strstr(help_tells(&l, RULE_SERIAL_CALLS)->text, "Of 5 goroutines of main.main.func1 that were there"));
    load_free(&l);
    thresholds_reset();
}

/* A call now and then, or one that waits between, is not made again and again; a small part of the trace is a note. */
static void calls_that_are_few(void **state)
{
    struct err e = {0};
    static const char piece[] = "small-calls.piece = 200\n", alarm[] = "small-calls.piece-alarm = 90%\n",
                      rows[] = "fine-grained.rows = 99.9%\n";
    struct loaded l;
    (void)state;
    assert_int_equal(thresholds_parse("rules", piece, sizeof piece - 1, &e), ERR_OK);
    help_cause("librarian", &l);
    assert_false(help_told(&l, RULE_SMALL_CALLS));
    load_free(&l);
    thresholds_reset();
    assert_int_equal(thresholds_parse("rules", alarm, sizeof alarm - 1, &e), ERR_OK);
    help_cause("librarian", &l);
    assert_true(help_tells(&l, RULE_SMALL_CALLS)->note);
    load_free(&l);
    thresholds_reset();
    assert_int_equal(thresholds_parse("rules", rows, sizeof rows - 1, &e), ERR_OK);
    help_cause("tallyman", &l);
    assert_false(help_told(&l, RULE_GRAIN));
    load_free(&l);
    thresholds_reset();
    help_cause("bedwatcher", &l); /* one file is opened, and 600 are asked about */
    assert_null(strstr(help_tells(&l, RULE_SMALL_CALLS)->text, "opens a file"));
    assert_non_null(strstr(help_tells(&l, RULE_SMALL_CALLS)->next, "Ask for all with one call"));
    load_free(&l);
    help_cause("guestbook", &l); /* a trace tells no names of files */
    assert_non_null(strstr(help_tells(&l, RULE_SMALL_CALLS)->next, "If it is the same file each time"));
    load_free(&l);
}

/* Of those that mostly pause the calls cost no more than their share; that no pause is shorter again says much only with calls between. */
static void calls_beside_pauses(void **state)
{
    struct err e = {0};
    static const char share[] = "serial-calls.share = 15%\n"; /* by the clock they are there for no more */
    static const char pauses[] = "serial-calls.share = 15%\nserial-calls.pauses = 95%\nretry.between = 5\n";
    struct loaded l;
    (void)state;
    assert_int_equal(thresholds_parse("rules", share, sizeof share - 1, &e), ERR_OK);
    help_cause("anglers", &l);
    assert_false(help_told(&l, RULE_SERIAL_CALLS));
    load_free(&l);
    assert_int_equal(thresholds_parse("rules", pauses, sizeof pauses - 1, &e), ERR_OK);
    help_cause("anglers", &l);
    assert_true(help_told(&l, RULE_SERIAL_CALLS));
    assert_null(strstr(help_tells(&l, RULE_RETRY)->text, "They never get shorter"));
    load_free(&l);
    thresholds_reset();
}

/* What a server has done beside its answers, one by one, may be meant so. */
static void work_in_the_background(void **state)
{
    struct loaded l;
    (void)state;
    help_cause("sweepers", &l);
    const struct finding *f = help_tells(&l, RULE_POOL);
    assert_true(f->note && f->severity_ns == 0 && !f->has_won);
    assert_non_null(strstr(f->text, "none of these waits for main.housekeeper"));
    assert_false(help_told(&l, RULE_BOTTLENECK));
    load_free(&l);
}

/* Many collections stop the world as much as they mark: their stops count; of few they don't. */
static void stops_of_many_collections(void **state)
{
    struct err e = {0};
    static const char many[] = "gc-share.share = 45%\ngc-share.often = 2\n", few[] = "gc-share.often = 3\n";
    struct loaded l;
    (void)state;
    assert_int_equal(thresholds_parse("rules", many, sizeof many - 1, &e), ERR_OK);
    help_cause("scrubber", &l);
    assert_non_null(strstr(help_tells(&l, RULE_GC_SHARE)->text, "its stops of the world"));
    load_free(&l);
    assert_int_equal(thresholds_parse("rules", few, sizeof few - 1, &e), ERR_OK);
    help_cause("scrubber", &l);
    assert_false(help_told(&l, RULE_GC_SHARE));
    load_free(&l);
    thresholds_reset();
}

/* Calls that each waits for are a note where nobody else makes such beside it. */
static void calls_of_one_at_a_time(void **state)
{
    struct err e = {0};
    static const char side[] = "calls-each.side = 4\n", share[] = "calls-each.share = 99%\n";
    struct loaded l;
    (void)state;
    assert_int_equal(thresholds_parse("rules", side, sizeof side - 1, &e), ERR_OK);
    help_cause("registrars", &l);
    const struct finding *f = help_tells(&l, RULE_EACH);
    assert_true(f->note && f->severity_ns == 0 && help_told(&l, RULE_TIME));
    load_free(&l);
    thresholds_reset();
    assert_int_equal(thresholds_parse("rules", share, sizeof share - 1, &e), ERR_OK);
    help_cause("registrars", &l);
    assert_false(help_told(&l, RULE_EACH));
    load_free(&l);
    thresholds_reset();
}

/* Work that fills the processors is told instead of its signs; where they are not full, only where the time went. */
static void work_that_fills(void **state)
{
    struct err e = {0};
    static const char full[] = "full-of-work.busy = 100%\n";
    static const char looking[] =
        "full-of-work.busy = 94.9%\n"; /* with the 0.2 % that look for work it would be 95.0 */
    struct loaded l;
    (void)state;
    assert_int_equal(thresholds_parse("rules", looking, sizeof looking - 1, &e), ERR_OK);
    help_cause("carvery", &l);
    assert_false(help_told(&l, RULE_FULL));
    load_free(&l);
    thresholds_reset();
    help_cause("carvery", &l);
    const struct finding *f = help_tells(&l, RULE_FULL);
    assert_true(f->note && f->stack && f->has_won && f->won_lo == 0);
    assert_non_null(strstr(f->text, "1 % of the waits for a processor lasted"));
    assert_false(help_told(&l, RULE_SCHED) || help_told(&l, RULE_TIME));
    load_free(&l);
    assert_int_equal(thresholds_parse("rules", full, sizeof full - 1, &e), ERR_OK);
    help_cause("carvery", &l);
    assert_false(help_told(&l, RULE_FULL));
    assert_true(help_told(&l, RULE_TIME));
    load_free(&l);
    thresholds_reset();
}

/* What stands still until each 100 ms are over has a quota; nothing else is said to. */
static void a_quota_has_periods(void **state)
{
    struct loaded l;
    (void)state;
    for (int i = 0; i < 2; i++) {
        bool host = false, quota = false;
        help_cause(i ? "latch" : "ration", &l);
        for (uint32_t k = 0; k < l.fs.n; k++) {
            host |= l.fs.f[k].rule == RULE_HOST;
            quota |= l.fs.f[k].rule == RULE_HOST && strstr(l.fs.f[k].text, "A CPU quota (cpu.max");
        }
        assert_true(host);
        assert_int_equal(quota, !i);
        assert_true(i || (l.fs.f[0].rule == RULE_HOST && l.fs.f[0].quota)); /* first, whatever runs there */
        assert_true(i || !help_told(&l, RULE_PROCS_BELOW));
        load_free(&l);
    }
}

/* Stops of the collector of which a quarter are quite short cost by the others, that nobody is known to hold up. */
static void some_stops_are_short(void **state)
{
    struct err e = {0};
    static const char alone[] =
        "gc-share.share = 100%\ngc-assist.share = 100%\nforced-gc.share = 100%\ngc-assist.cycles = 1\n",
                      none[] = "stw-long.usual = 0%\n";
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct loaded l;
        assert_int_equal(thresholds_parse("rules", alone, sizeof alone - 1, &e), ERR_OK);
        assert_int_equal(thresholds_parse("rules", none, i ? sizeof none - 1 : 0, &e), ERR_OK);
        help_cause("scrubber", &l);
        const struct finding *f = help_tells(&l, RULE_STW);
        assert_int_equal(strstr(f->text, "A quarter of them took") != NULL, !i);
        assert_true(f->note || i);
        load_free(&l);
        thresholds_reset();
    }
}

/* What happens once, and is a small part of the trace, is a note. */
static void once_is_a_note(void **state)
{
    struct err e = {0};
    static const char often[] = "lock-convoy.once = 100%\n";
    struct loaded l;
    (void)state;
    help_cause("once", &l);
    assert_false(help_tells(&l, RULE_CONVOY)->note);
    load_free(&l);
    assert_int_equal(thresholds_parse("rules", often, sizeof often - 1, &e), ERR_OK);
    help_cause("once", &l);
    const struct finding *f = help_tells(&l, RULE_CONVOY);
    assert_true(f->note && strstr(f->text, "It happened once."));
    load_free(&l);
    thresholds_reset();
}

/* One goroutine's call that can't be interrupted is not the host's doing. */
static void one_call_is_not_the_host(void **state)
{
    struct loaded l;
    (void)state;
    help_cause("engraver", &l);
    assert_false(help_told(&l, RULE_HOST));
    load_free(&l);
}

/* Who asks again what was not answered in time would ask more often if it gave up sooner; who goes on to the next might as well. */
static void when_to_give_up(void **state)
{
    struct loaded l;
    (void)state;
    help_cause("pester", &l);
    assert_non_null(strstr(l.fs.f[0].next, "Allow it more time"));
    load_free(&l);
    help_cause("patience", &l);
    assert_non_null(strstr(l.fs.f[0].next, "or give up sooner"));
    assert_null(strstr(l.fs.f[0].text, "retried"));
    load_free(&l);
    help_cause("heralds", &l); /* none of its tries helps */
    assert_non_null(strstr(l.fs.f[0].next, "it may be shorter than these requests take"));
    load_free(&l);
    help_cause("ferry", &l); /* what they wait for others of them have */
    assert_int_equal(l.fs.f[0].rule, RULE_LINGER);
    assert_non_null(strstr(l.fs.f[0].text, "when one of their own kind releases what they share"));
    assert_null(strstr(l.fs.f[0].text, "retried"));
    assert_null(strstr(l.fs.f[0].next, "more time"));
    load_free(&l);
    help_cause("carpool", &l);
    for (uint32_t k = 0; k < l.fs.n; k++) {
        assert_int_not_equal(l.fs.f[k].rule, RULE_SLOW_TASK);
    }
    load_free(&l);
}

/* What nothing else tells, where the time went tells. */
static void a_slow_start_is_where_the_time_went(void **state)
{
    struct loaded l;
    (void)state;
    help_cause("coldstart", &l);
    const struct finding *f = &l.fs.f[l.fs.n - 1];
    assert_int_equal(f->rule, RULE_TIME);
    assert_non_null(strstr(f->text, "waiting for a timer in main.fetchSecret, called by main.boot"));
    load_free(&l);
}

/* A fault that began late is told with its beginning; what has been so all the time is not. */
static void since_when(void **state)
{
    struct loaded l;
    (void)state;
    help_cause("landslip", &l);
    const struct finding *f = &l.fs.f[0];
    assert_int_equal(f->rule, RULE_BACKEND); /* what it costs is a finding of its own: told once */
    assert_non_null(strstr(f->text, "since about 515ms for 13.6ms on average, until then for 843us."));
    assert_null(strstr(f->text, "since then"));
    assert_true(f->won_lo > 0 && f->won_hi < l.tg->end / 2);
    load_free(&l);
    help_cause("cleannewsreel", &l); /* nothing is asked for: no answer is late */
    f = &l.fs.f[0];
    assert_int_equal(f->rule, RULE_TIME);
    assert_non_null(
        strstr(f->text, "Waits in main.fetch took 810us on average until about 104ms, and 6.76ms since then."));
    assert_non_null(strstr(f->next, "Find out what changed at about 104ms."));
    load_free(&l);
    help_cause("wards", &l); /* 150 come, and are soon done: at most 10 wait at once */
    f = &l.fs.f[0];
    assert_int_equal(f->rule, RULE_LINGER);
    assert_non_null(strstr(f->text,
                           " Goroutines of main.lie spent 0.0% of their time waiting in main.lie until about "
                           "81.8ms, and 99.8% since then."));
    assert_null(strstr(f->text, "waited on average"));
    load_free(&l);
    help_cause("lostpost", &l);
    for (uint32_t i = 0; i < l.fs.n; i++) {
        assert_null(strstr(l.fs.f[i].text, "since then"));
    }
    load_free(&l);
}

/* What costs the trace nothing since nobody waits for it is a note behind what does. */
static void nobody_waits_for_the_mirror(void **state)
{
    struct loaded l;
    (void)state;
    help_cause("mirror", &l);
    assert_int_equal(l.fs.n, 2);
    assert_true(l.fs.f[0].rule == RULE_CONVOY && strstr(l.fs.f[0].text, "main.addUp"));
    assert_true(l.fs.f[1].rule == RULE_SERIAL_CALLS && l.fs.f[1].note && l.fs.f[1].severity_ns == 0);
    assert_non_null(strstr(l.fs.f[1].text, "No other goroutine waits for these"));
    assert_true(!l.fs.f[1].has_won && !l.fs.f[1].won); /* it costs nothing */
    load_free(&l);
}

/* What a finding costs beside time is said instead of what would be won; where its text says that it costs nothing neither is. */
static void nothing_is_won(void **state)
{
    static const struct {
        const char *name;
        enum rule rule;
        const char *says;
    } row[] = {{"bobbins", RULE_LEAK, "none of this trace's time; its cost is memory, or latency."},
               {"larder", RULE_BACKEND, NULL},
               {"cleanmailbox", RULE_BACKEND, NULL},
               {"cleanquota", RULE_BACKEND, NULL}};
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct loaded l;
        help_cause(row[i].name, &l);
        const struct finding *f = help_tells(&l, row[i].rule);
        assert_int_equal(f->severity_ns, 0);
        if (row[i].says) {
            assert_true(f->has_won && f->won_lo == 0 && f->won_hi == 0);
            assert_non_null(strstr(f->won, row[i].says));
        } else {
            assert_true(!f->has_won && !f->won);
        }
        load_free(&l);
    }
}

/* One whose long work others stand behind works alone meanwhile: that is told by it. */
static void one_that_works_long_is_told_once(void **state)
{
    struct loaded l;
    (void)state;
    help_cause("gatekeeper", &l);
    assert_false(help_told(&l, RULE_SERIAL));
    load_free(&l);
}

static bool tells(const char *name, enum rule r)
{
    struct loaded l;
    help_cause(name, &l);
    const bool told = help_told(&l, r);
    load_free(&l);
    return told;
}

/* Steps of a recursion begin one another: they share no work, however uneven they are. */
static void levels_are_no_team(void **state)
{
    struct err e = {0};
    const char off[] = "serial-phase = off\n"; /* which is told, and right: one level works alone */
    (void)state;
    assert_int_equal(thresholds_parse("rules", off, sizeof off - 1, &e), ERR_OK);
    assert_false(tells("cleansplit", RULE_UNBALANCED));
    assert_true(tells("skew", RULE_UNBALANCED));
    thresholds_reset();
}

static void numbers_of_the_users(void **state)
{
    struct err e = {0};
    const char off[] = "pool-too-small.waiting = 40\nslowest-decides = off\nserial-phase = off\n";
    const char one[] = "slowest-decides = off\nunbalanced-workers = off\n"; /* what they cover is told then */
    (void)state;
    assert_true(tells("slots", RULE_POOL));
    assert_int_equal(thresholds_parse("rules", off, sizeof off - 1, &e), ERR_OK);
    assert_false(tells("slots", RULE_POOL));
    assert_false(tells("straggler", RULE_SERIAL));
    thresholds_reset();
    assert_true(tells("straggler", RULE_SLOWEST));
    assert_false(tells("straggler", RULE_SERIAL));
    assert_int_equal(thresholds_parse("rules", one, sizeof one - 1, &e), ERR_OK);
    assert_true(tells("straggler", RULE_SERIAL));
    thresholds_reset();
}

/* Of goroutines that begin in one function those are counted that are where it is said they are. */
static void others_are_elsewhere(void **state)
{
    struct loaded l;
    (void)state;
    help_cause("grinders", &l);
    assert_non_null(strstr(help_tells(&l, RULE_HOT)->text, "main.grind, called by main.begin kept 3 goroutines"));
    assert_non_null(strstr(help_tells(&l, RULE_HOT)->next, "If it waits for something, block instead."));
    assert_null(help_told(&l, RULE_BUSY_LOOP)); /* not the same function once more */
    load_free(&l);
}

/* What feeds a pipe that is read slowly gains nothing by being several; that it is slow costs no response, though main began it. */
static void a_pipe_has_one_end(void **state)
{
    struct loaded l;
    (void)state;
    help_cause("cleanbacklog", &l);
    assert_non_null(strstr(help_tells(&l, RULE_BOTTLENECK)->next, "(or pipe) win nothing"));
    const struct finding *f = help_tells(&l, RULE_BACKEND);
    assert_true(f->note);
    assert_non_null(strstr(f->text, "the calls cost the responses nothing"));
    load_free(&l);
}

/* What runs deferred behind a panic does so because it panics. */
static void panics_are_told(void **state)
{
    struct loaded l;
    (void)state;
    help_cause("tumblers", &l);
    const struct finding *f = help_tells(&l, RULE_HOT);
    assert_non_null(strstr(f->text, "of these a panic was under way"));
    assert_non_null(strstr(f->next, "Return an error instead"));
    load_free(&l);
}

/* Up to Go 1.22 a timer is kept until it fires. */
static void timers_are_kept(void **state)
{
    struct loaded l;
    (void)state;
    help_cause("hourglass", &l);
    const struct finding *f = help_tells(&l, RULE_HEAP);
    assert_non_null(strstr(f->text, "% is timers, mostly made by time.After in main.next: up to Go 1.22"));
    assert_non_null(strstr(f->next, "Reset it"));
    load_free(&l);
}

/* One thread that runs one goroutine and nothing else, and no other thread that runs it; in registry it goes from thread to thread. */
static void locked_to_a_thread(void **state)
{
    struct loaded l;
    (void)state;
    help_cause("glassblower", &l);
    assert_non_null(strstr(l.fs.f[0].text,
                           "main.blower seems to be locked to its thread (runtime.LockOSThread; inferred): "
                           "its last 185 runs were all on one thread"));
    load_free(&l);
    help_cause("registry", &l);
    assert_int_equal(l.fs.f[0].rule, RULE_BOTTLENECK);
    assert_null(strstr(l.fs.f[0].text, "locked to its thread"));
    load_free(&l);
}

/* The same call at two lines of one function: both are counted, as they are in the share of the lives. */
static void calls_at_all_lines(void **state)
{
    struct loaded l;
    (void)state;
    help_cause("interpreters", &l);
    const struct finding *f = help_tells(&l, RULE_BLOCKING);
    assert_non_null(strstr(f->text, "96 calls of 6.14ms on average; 5.7 goroutines are in such calls"));
    assert_string_equal(f->amount, "6 threads");
    load_free(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(news_are_no_answers),
        cmocka_unit_test(each_is_counted_once),
        cmocka_unit_test(what_is_brought_is_no_set),
        cmocka_unit_test(one_question_for_all),
        cmocka_unit_test(stopped_together),
        cmocka_unit_test(whose_connections),
        cmocka_unit_test(a_limit_that_is_reached),
        cmocka_unit_test(advice_fits_the_work),
        cmocka_unit_test(who_spins_beside_the_host),
        cmocka_unit_test(one_story_of_waiting),
        cmocka_unit_test(advice_fits),
        cmocka_unit_test(what_testing_asks_for),
        cmocka_unit_test(what_the_library_begins),
        cmocka_unit_test(those_that_are_gone),
        cmocka_unit_test(what_was_done),
        cmocka_unit_test(calls_that_are_few),
        cmocka_unit_test(its_own_answers),
        cmocka_unit_test(work_that_fills),
        cmocka_unit_test(calls_beside_pauses),
        cmocka_unit_test(work_in_the_background),
        cmocka_unit_test(stops_of_many_collections),
        cmocka_unit_test(calls_of_one_at_a_time),
        cmocka_unit_test(a_quota_has_periods),
        cmocka_unit_test(some_stops_are_short),
        cmocka_unit_test(once_is_a_note),
        cmocka_unit_test(one_call_is_not_the_host),
        cmocka_unit_test(moments_inside),
        cmocka_unit_test(to_and_fro),
        cmocka_unit_test(what_it_calls_allocates),
        cmocka_unit_test(when_to_give_up),
        cmocka_unit_test(a_slow_start_is_where_the_time_went),
        cmocka_unit_test(since_when),
        cmocka_unit_test(nobody_waits_for_the_mirror),
        cmocka_unit_test(nothing_is_won),
        cmocka_unit_test(one_that_works_long_is_told_once),
        cmocka_unit_test(levels_are_no_team),
        cmocka_unit_test(others_are_elsewhere),
        cmocka_unit_test(a_pipe_has_one_end),
        cmocka_unit_test(panics_are_told),
        cmocka_unit_test(timers_are_kept),
        cmocka_unit_test(locked_to_a_thread),
        cmocka_unit_test(calls_at_all_lines),
        cmocka_unit_test(numbers_of_the_users),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
