/*
 * test_causes.c - the rules about causes, on traces of small programs (tests/golden/causes/NAME.go): the right rule speaks
 * first and names the function to change; healthy ones raise nothing. And that a program's number can be changed.
 */
#include "triage_help.h"

#include "triage/findings/callers.h"
#include "triage/findings/thresholds.h"

static const struct {
    const char *name;
    enum rule rule;
    const char *func, *other; /* both are named in the text; other may be NULL */
} planted[] = {
    {"cachemiss", RULE_CONVOY, "main.(*cache).lookup", "running"},      /* few wait, most of their time */
    {"reload", RULE_CONVOY, "main.(*conf).reload", "main.(*conf).get"}, /* readers wait for a writer at work */
    {"once", RULE_CONVOY, "main.(*model).weights is what they wait for", "It is a sync.Once"},
    {"registry", RULE_BOTTLENECK, "main.clerk", "in a system call"}, /* a call for each */
    {"tollbooth", RULE_CONVOY, "main.(*booth).pay",
     "the processors had main.pave, called by"}, /* its holders wait for one */
    {"oarsmen", RULE_CONNS, "main.pull",
     "a new connection 49 times"}, /* others' come back, but one is opened for each */
    {"slots", RULE_POOL, "main.convert", NULL},
    {"straggler", RULE_SLOWEST, "main.resample", "main.epoch, called by"},
    {"skew", RULE_UNBALANCED, "main.drain", NULL},
    {"hive", RULE_UNBALANCED, "main.fill, by main.tend",
     NULL}, /* from a buffer, without a wait: many pieces, none long */
    {"eggboxes", RULE_UNBALANCED, "main.pack", "that of the others"},    /* the mean is much that one's own */
    {"crawl", RULE_SERIAL_CALLS, "main.fetchPage", "30 times in a row"}, /* asks its own process */
    {"farewells", RULE_SERIAL_CALLS, "main.(*house).shut",
     "G1 main.main waits for answers over the network 24 times"},
    {"flight", RULE_BACKEND, "main.(*profiles).loadProfile", NULL},
    {"lend", RULE_POOL, "main.(*db).borrow", "main.(*db).runQuery"}, /* a pool behind a condition */
    {"conns", RULE_CONNS, "main.askPrice", NULL},
    {"collate", RULE_IN_ORDER, "main.gather", "main.printer"},
    {"pigeon", RULE_LINGER, "main.collectBatch", "main.sender"},          /* a batch that is never full */
    {"siesta", RULE_LINGER, "main.(*kitchen).waitForBell", "main.diner"}, /* a signal that was missed */
    {"scroll", RULE_HANDOFF, "main.writeScroll", "main.readScroll"},      /* through io.Pipe */
    {"scribe", RULE_SMALL_CALLS, "main.copyLine", NULL},
    {"twice", RULE_STUCK, "main.(*stock).count, called by main.(*stock).sum", "main.(*stock).put"},
    {"drowsy", RULE_BOTTLENECK, "main.(*board).show", "asleep (time.Sleep)"},
    {"cuckoo", RULE_BUSY_LOOP, "main.(*nest).take", "gave its processor up"},
    {"latch", RULE_BUSY_LOOP, "main.(*pantry).lift", "looking whether there is something to do"}, /* now and then */
    {"patience", RULE_LINGER, "main.askOracle", "16 of 48 waits"}, /* a context's deadline */
    {"toolshed", RULE_POOL, "main.(*shed).borrow", "of the trace"},
    {"deafear", RULE_LINGER, "main.callStation", "24 of 47 waits"},
    {"onebyone", RULE_POOL, "main.(*crew).start", "main.makeAll"}, /* begun one by one */
    {"megaphone", RULE_HUB, "main.speak hands to 6 goroutines", "main.translate"},
    {"carpool", RULE_OWN, "main.loadUser",
     "It is what makes tasks slow"}, /* and slow-task, which says less, is gone */
    {"pester", RULE_LINGER, "48 of 96 waits there", "What is given up seems to be asked again"},
    {"oneflight", RULE_OWN, "main.(*flights).do", "81.0% of the waits follow at once on another one there"},
    {"banquet", RULE_SLOWEST, "main.serveTable", "main.bake"}, /* one of six waits for another's lock */
    {"lostkeys", RULE_SLOTS, "main.rest", "4 times it let nobody in"},
    {"stampede", RULE_STAMPEDE, "main.askBank, called by main.(*rates).get", "12 on average"},
    {"clerks", RULE_CONVOY, "main.importRow calls main.post for 85.0%", "of it called by main.importRow)"},
    {"relay", RULE_SLOWEST, "main.findShoes", "has 5 goroutines of main.runner at work"},
    {"metronome", RULE_HERD, "main.play", "timers that are due at the same moments"},
    {"parade", RULE_IN_ORDER, "main.march", "main.ask waits at"},               /* a window that is too narrow */
    {"gazette", RULE_CONVOY, "main.runPress", "main.(*gazette).publish"},       /* the press is not told once more */
    {"lockers", RULE_POOL, "main.(*lockers).take", "main.(*lockers).giveBack"}, /* few wait, but half of their work */
    {"frontdesk", RULE_SERIAL_CALLS, "called by main.(*desk).long", "4 times in a row"}, /* one page of two */
    {"nightwatch", RULE_TICKERS, "main.letIn", "195ms"},                                 /* and by now it costs */
    {"nursery", RULE_CHILDREN, "main.weigh", "24 of them"},
    {"diary", RULE_TREND, "main.(*diary).write", "each of the tasks \"day\" (80)"},
    {"stutter", RULE_SERIAL_CALLS, "main.sendRow", "61 times in a row"}, /* and stands still between some of them */
    {"gatekeys", RULE_SERIAL_CALLS, "% of it called by main.(*desk).letter)", "100 waits"},
    {"latebell", RULE_SLOW_TASK, "main.sortBag", "timer is due: all of them run on"},
    {"bucketline", RULE_GRAIN, "main.passOn.func1 hands on piece by piece: 4 goroutines", "main.draw.func1"},
    {"needle", RULE_GRAIN, "main.sew, called by", "are switched to 4004 times"},             /* coroutines */
    {"teller", RULE_GRAIN, "main.entry, called by main.add", "main.keep hand to and fro"},   /* an actor */
    {"straws", RULE_GRAIN, "main.drip, called by main.pour.func1", "main.drink, called by"}, /* io.Pipe */
    {"umbrellas", RULE_FINALIZERS, "main.(*stand).borrow", "23 of 23 waits there"},
    {"mower", RULE_CONVOY, "main.mow", "gives it back and takes it again at once"},
    {"scrolls", RULE_PREPARED, "main.readScroll has database/sql prepare",
     "36 are prepared and closed where 36 answers"},
    {"scrollkeys", RULE_CONNS, "main.readScroll has database/sql open", "at least 32 are opened"},
    {"granary", RULE_SHARE, "main.(*granary).take", "60 waits at 12 moments"}, /* one takes all at once */
    {"ovens", RULE_LINE, "called by main.roast", "(30 tasks)"},                /* for the processors */
    {"mailroom", RULE_BOTTLENECK, "in main.enquire (20 waits", "stands behind what main.main.func1.1 has put"},
    {"registrar", RULE_LINE, "of main.(*books).own between", "Behind these stood"},
    {"bootup", RULE_SERIAL, "by main.readyAll: main.main ran alone",
     "at the beginning of the trace (in the region \"start\")"},
    {"inbox", RULE_SERIAL_CALLS, "main.handOn, called by main.deliver",
     "they come faster than they are done, and queue"},
    {"turnpike", RULE_POOL, "main.pass", "it works as a lock"}, /* a channel of one */
    {"stocktake", RULE_CONVOY, "main.count", "gave several locks back at one moment"},
    {"floodgate", RULE_BACKEND, "main.pourOut", "waits to write to the network"},
    {"narrow", RULE_PROCS_BELOW, "main.beModest, called by main.main set GOMAXPROCS from 8 to 2", NULL},
    {"examroom", RULE_POOL, "main.sit", "since no more may run at once (-parallel)"},
    {"rowboats", RULE_POOL, "main.cross", "2 connections are in the trace"}, /* MaxConnsPerHost */
    {"carousel", RULE_KNOT, "main.emit, main.parse and main.resolve stand on each other for good",
     "Behind them stand 1 in main.main.func1.1"},
    {"clamps", RULE_HOLD, "main.(*shed).borrow, called by main.clamp", "until the time of one is up"},
    {"pantry", RULE_LOST, "main.(*pantry).eat", "main.janitor woke all"},
    {"roast", RULE_LEFT, "66 of 66 goroutines of main.order.func1", "in main.roast"},
    {"tollbar", RULE_POOL, "main.(*bar).pass",
     "was waiting for the network in main.askToll"}, /* not the other side alone */
    {"lastcall", RULE_LAST, "main.(*bar).close", "waits all the while in main.(*bar).listen"},
    {"innrooms", RULE_POOL, "main.(*inn).take", "requests (http.(*conn).serve) waited there for"},
    {"runnels", RULE_READER, "main.(*link).reserve, called by main.(*link).send", "in main.(*link).acks"},
    {"porter", RULE_ACCEPT, "waiting for the network in main.greet", "35 of 36 connections were there already"},
    {"almanac", RULE_BURSTS, "main.(*almanac).fetch", "one each 60.0ms, 7 in all"},
    {"telegraph", RULE_PIECES, "main.wire", "39 of 40 waits that were looked at last 40.0ms"},
    {"parcels", RULE_SLOW_TASK, "main.ship, called by main.carry",
     "Tasks that log \"to: Iseltwald\" (18 of 108) take 11.0ms in the median"},
    {"survey", RULE_SERIAL_CALLS, "main.surveyor.measure", "6 times in a row"}, /* and works on these each time */
    {"galley", RULE_PHASES, "main.course, called by main.main waits for all of a step", "they wait for the network"},
    {"bellboys", RULE_SERIAL_CALLS, "main.boy.run",
     "for these calls 22.3% only"}, /* who hands them work keeps a pace */
    {"dictation", RULE_BACKEND, "main.(*desk).dictate", "waits to write to a pipe, 35 waits"},
    {"ledgers", RULE_POOL, "main.(*keys).closeYear, called by main.main.func1 keeps several at once",
     "5 times it ended 7 waits"}, /* a defer in a loop */
    {"visas", RULE_CONTEXTS, "main.(*office).stamp", "1600 ran out in this trace"},
    {"librarian", RULE_SMALL_CALLS, "main.onShelf, called by main.find, by main.librarian makes",
     "pieces of work of main.librarian"},
    {"postboys", RULE_POOL, "the 3 goroutines of main.postboy wait there for the network",
     "hardly ever for more work (3 waits)"},
    {"sexton", RULE_BOTTLENECK, "main.sexton, one goroutine", "waiting for the network in main.fetch"},
    {"pricelist", RULE_CONVOY, "main.(*prices).quote", "running"}, /* that is what its own questions wait for */
    {"tallyman", RULE_GRAIN, "main.unload, called by main.main.func1.1 and main.tallyman", "stand in rows"},
    {"innkeys", RULE_SERIAL_CALLS, "by main.(*inn).guestPage", "4 times in a row on average at one line"},
    {"registrars", RULE_EACH, "main.enter, called by main.deed is in system calls", "syscall.Fsync 1.0 times"},
};
/* What may be as it should be is a note, and the first one. */
static const struct {
    const char *name;
    enum rule rule;
    const char *func;
} noted[] = {
    {"flusher", RULE_BOTTLENECK, "Each call is made for several at a time: 121 calls"},
    {"openbook", RULE_LEAK, "for main.readPage"},
    {"openbook", RULE_LEAK, "With them http.(*persistConn).writeLoop: 60"},
    {"spigot", RULE_LIMIT, "main.(*spigot).Wait"},
    {"turnstile", RULE_LIMIT,
     "main.(*turnstile).turn gives one at a time"}, /* a ticker, not a limit that is waited out */
    {"doorbell", RULE_RETRY, "main.ringDoorbell"},
    {"standoff", RULE_SENDS, "main.exchangePapers"},
    {"errands", RULE_STAMPEDE, "main.askDesk, called by main.(*board).look"}, /* each begun for one; three at once */
    {"inn", RULE_TIME,
     "requests (http.(*conn).serve) of"}, /* neither; the main goroutine waits for another process */
    {"lostparty", RULE_LEAK, "60 created, 20 ended; 26 blocked (sync)"},
    {"pesterer", RULE_SERIAL_CALLS, "asks again and again: it waits for the network 1199 times"},
    {"switchboard", RULE_SERIAL_CALLS, "has come over the network to runtime.chansend1 in main.(*board).answers"},
    {"stamps", RULE_POLL, "main.stamp sleeps (time.Sleep) while others wait to hand something over"},
    {"hauliers", RULE_POOL, "so they share out one lot"},
    {"scrivener", RULE_BOTTLENECK, "all that time more stood ready in its channel"},
    {"carvery", RULE_FULL, "main.carve, called by main.main.func1.1 is where goroutines of http.(*conn).serve were"},
    {"bobbins", RULE_LEAK, "They are coroutines (iter.Pull), and"},
    {"reprint", RULE_BUSY_LOOP, "It allocates there, so it makes something"},
};

static void path_of(char *out, size_t size, const char *name)
{
    snprintf(out, size, "tests/golden/causes/%s.trace", name);
}

static void the_cause_is_first(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof planted / sizeof *planted; i++) {
        struct loaded l;
        char path[128];
        path_of(path, sizeof path, planted[i].name);
        help_load(path, &l);
        const struct finding *f = l.fs.n ? &l.fs.f[0] : NULL;
        if (!f || f->note || f->rule != planted[i].rule || !strstr(f->text, planted[i].func) ||
            (planted[i].other && !strstr(f->text, planted[i].other))) {
            print_error("%s: %s: %s\n", path, f ? rule_id(f->rule) : "nothing", f ? f->text : "");
            fail();
        }
        for (uint32_t k = 0; k < l.fs.n; k++) {
            assert_true(l.fs.f[k].severity_ns <= l.tg->end);
            assert_true(!l.fs.f[k].has_won || l.fs.f[k].won_more || l.fs.f[k].severity_ns <= l.fs.f[k].won_hi);
            assert_true(l.fs.f[k].rule != RULE_PROCS_ABOVE || f->severity_ns < l.tg->end / 10); /* that says why */
            assert_true(l.fs.f[k].note || l.fs.f[k].severity_ns * 100 >= l.tg->end);
            assert_true(l.fs.f[k].rule != RULE_SCHED && l.fs.f[k].rule != RULE_IDLE); /* signs of it */
            assert_true(l.fs.f[k].rule != RULE_TIME);                                 /* told by the finding */
            assert_true(k == 0 || l.fs.f[k].note || strcmp(planted[i].name, "gazette") != 0);
        }
        load_free(&l);
    }
}

static void notes_name_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof noted / sizeof *noted; i++) {
        struct loaded l;
        char path[128];
        path_of(path, sizeof path, noted[i].name);
        help_load(path, &l);
        assert_true(l.fs.n > 0 && l.fs.f[0].note && l.fs.f[0].rule == noted[i].rule);
        assert_non_null(strstr(l.fs.f[0].text, noted[i].func));
        load_free(&l);
    }
}

static void healthy_ones(void **state)
{
    static const char *const name[] = {
        "cleanmap", "cleanpool", "coldstart",
        /* sleeps after its work; all processors busy; gives way after each piece */
        "cleanpace", "cleanfull", "cleanfair", "cleancrew", "cleanopen", "cleanlull", /* deadlines that are meant */
        "cleanrounds",                                                                /* uneven work side by side */
        "cleanflight",                                                                /* one asks, the others go on */
        "cleanframes",                                         /* works alone at a fixed rate, then sleeps */
        "cleanshops",                                          /* one worker has most to do, and time to spare */
        "cleanlens",                                           /* a short step grows, a long one does not */
        "cleanguests",                                         /* a thousand goroutines that wait, then go */
        "cleanoffice",                                         /* asks itself */
        "cleanlease", /* polls, mostly in vain */ "cleanpost", /* waits for what handlers hand it */
        "cleanhiccup",                                         /* slow once, all at one moment */
        "cleanfeeder",                                         /* waits for one of them by chance, once for long */
        "cleanwings",                                          /* begins several at a time, each of its own kind */
        "cleansitter",                                         /* a child process now and then */
        "cleandiary",                                          /* longer by a third from the middle on */
        "cleannews",                                           /* asks for news, anew each time */
        "cleanbraid",                                          /* coroutines, all of them pulled from to the end */
        "cleanmailbox",                                        /* asks for news over the network */
        "cleanorders",                                         /* is told news over the network, and answers some */
        "cleanferryman", /* greets, then waits for the next question elsewhere */
        "cleanquota",    /* asks no oftener than it may */
        "cleanparley",   /* a server that greets, then talks step by step elsewhere */
        "cleanstalled",  /* processors stand still, and then all is due */
        "cleanbench"};   /* asks for collections; one goroutine; the file is compressed */
    (void)state;
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        struct loaded l;
        char path[128];
        bool time = false;
        path_of(path, sizeof path, name[i]);
        help_load(path, &l);
        for (uint32_t k = 0; k < l.fs.n; k++) {
            if (!l.fs.f[k].note) {
                print_error("%s: %s: %s\n", path, rule_id(l.fs.f[k].rule), l.fs.f[k].text);
                fail();
            }
            assert_true(l.fs.f[k].rule != RULE_LEAK || strcmp(name[i], "cleanbraid") != 0);
            time |= l.fs.f[k].rule == RULE_TIME;
        }
        assert_true(time);
        load_free(&l);
    }
}

/* An interval within the trace, and words for it; who is held up by others can win, so its lower end is above nothing. */
static void what_could_be_won(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof planted / sizeof *planted; i++) {
        struct loaded l;
        char path[128];
        path_of(path, sizeof path, planted[i].name);
        help_load(path, &l);
        for (uint32_t k = 0; k < l.fs.n; k++) {
            const struct finding *f = &l.fs.f[k];
            assert_true(f->note || f->has_won);
            assert_true(f->note || f->severity_ns >= f->won_lo);
            assert_true(!f->has_won ||
                        (f->won && f->won_lo >= 0 && f->won_lo <= f->won_hi && f->won_hi <= l.tg->end));
        }
        enum rule r = l.fs.f[0].rule;
        const bool paced = strcmp(planted[i].name, "stocktake") == 0 || /* who counts takes as long */
                           strcmp(planted[i].name, "tollbooth") == 0;   /* who has the processors goes on with them */
        if (!paced && (r == RULE_CONVOY || r == RULE_POOL || r == RULE_BOTTLENECK)) {
            assert_true(l.fs.f[0].won_lo > l.tg->end / 20); /* all of it only where nothing but sleep is lost */
            assert_true(l.fs.f[0].won_hi < l.tg->end || r == RULE_BOTTLENECK);
        }
        load_free(&l);
    }
}

/* Its lower end is a share of the upper one, which is a number of the user's like others, and in the words. */
static void what_goes_at_least(void **state)
{
    struct err e = {0};
    const char less[] = "time-spent.part = 30%\n";
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct loaded l;
        assert_int_equal(thresholds_parse("rules", less, i ? sizeof less - 1 : 0, &e), ERR_OK);
        help_load("tests/golden/causes/skew.trace", &l);
        const struct finding *f = &l.fs.f[0];
        const double spread = threshold(TH_WON_SPREAD) * (double)l.tg->end, part = i ? 0.3 : 0.7;
        assert_int_equal(f->rule, RULE_UNBALANCED);
        assert_true(((double)f->won_lo + spread) / ((double)f->won_hi - spread) > part - 0.001);
        assert_true(((double)f->won_lo + spread) / ((double)f->won_hi - spread) < part + 0.001);
        assert_non_null(strstr(f->won, i ? "if 30 % of it to all of it goes" : "if 70 % of it to all of it goes"));
        load_free(&l);
    }
    thresholds_reset();
}

static const struct finding *told_as(const struct loaded *l, enum rule r)
{
    for (uint32_t i = 0; i < l->fs.n; i++) {
        if (l->fs.f[i].rule == r) {
            return &l->fs.f[i];
        }
    }
    fail_msg("%s is not told", rule_id(r));
    return NULL;
}

static bool says(const struct loaded *l, enum rule r)
{
    for (uint32_t i = 0; i < l->fs.n; i++) {
        if (l->fs.f[i].rule == r) {
            return true;
        }
    }
    return false;
}

/* Long answers that bring nothing; with as much to do behind them as behind the others they are answers. */
static void news_are_no_answers(void **state)
{
    struct err e = {0};
    const char off[] = "slow-backend.done = 1000\nserial-calls = off\n"; /* they would be calls in a row then */
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct loaded l;
        assert_int_equal(thresholds_parse("rules", off, i ? sizeof off - 1 : 0, &e), ERR_OK);
        help_load("tests/golden/causes/cleanmailbox.trace", &l);
        const struct finding *f = told_as(&l, RULE_BACKEND);
        assert_int_equal(f->note, !i);
        assert_int_equal(strstr(f->text, "it seems to ask for news") != NULL, !i);
        assert_true(i ? f->severity_ns > 0 : f->severity_ns == 0);
        load_free(&l);
    }
    thresholds_reset();
}

/* Advice by what the work is: several goroutines win nothing where all wait for one disk, or one connection. */
static void advice_fits_the_work(void **state)
{
    struct loaded l;
    (void)state;
    help_load("tests/golden/causes/flusher.trace", &l);
    assert_non_null(strstr(l.fs.f[0].next, "takes several at a time already"));
    load_free(&l);
    help_load("tests/golden/causes/cleanhiccup.trace", &l);
    assert_non_null(strstr(told_as(&l, RULE_SLOW_TASK)->next, "stood still at that moment"));
    load_free(&l);
    help_load("tests/golden/causes/latebell.trace", &l);
    assert_non_null(strstr(told_as(&l, RULE_SLOW_TASK)->next, "Let fewer of those run at once"));
    load_free(&l);
    help_load("tests/golden/causes/gazette.trace", &l);
    assert_non_null(strstr(l.fs.f[0].next, "Don't send while holding the lock"));
    load_free(&l);
    help_load("tests/golden/causes/registry.trace", &l);
    assert_non_null(strstr(l.fs.f[0].next, "make the call once for them"));
    load_free(&l);
    help_load("tests/golden/causes/turnpike.trace", &l);
    assert_non_null(strstr(l.fs.f[0].next, "may not be meant"));
    load_free(&l);
    help_load("tests/golden/causes/lend.trace", &l); /* several are out */
    assert_null(strstr(l.fs.f[0].text, "as a lock"));
    load_free(&l);
    help_load("tests/golden/causes/stocktake.trace", &l);
    assert_non_null(strstr(l.fs.f[0].next, "Give each lock back"));
    load_free(&l);
    help_load("tests/golden/causes/clerks.trace", &l); /* one lock */
    assert_null(strstr(l.fs.f[0].text, "several locks"));
    load_free(&l);
    help_load("tests/golden/causes/floodgate.trace", &l);
    assert_false(says(&l, RULE_SERIAL_CALLS));
    assert_non_null(strstr(l.fs.f[0].next, "Send less"));
    load_free(&l);
}

/* Goroutines that hand to and fro: what to do instead depends on what they hand over. */
static void to_and_fro(void **state)
{
    struct loaded l;
    (void)state;
    help_load("tests/golden/causes/teller.trace", &l);
    assert_non_null(strstr(told_as(&l, RULE_GRAIN)->next, "Ask for many at once"));
    load_free(&l);
    help_load("tests/golden/causes/straws.trace", &l);
    assert_non_null(strstr(told_as(&l, RULE_GRAIN)->next, "bufio.Writer"));
    load_free(&l);
}

/* What runs most is told by the moments inside its runs; one goroutine that makes all calls could have others beside it. */
static void moments_inside(void **state)
{
    struct loaded l;
    (void)state;
    help_load("tests/golden/causes/cleanoffice.trace", &l);
    assert_non_null(
        strstr(told_as(&l, RULE_TIME)->text,
               "main.busy, called by main.answer is where goroutines of main.answer, which run most, were at "
               "13 of 13 moments"));
    load_free(&l);
    help_load("tests/golden/causes/cleanfair.trace", &l); /* just in what they began with: that says nothing */
    assert_null(strstr(told_as(&l, RULE_TIME)->text, "which run most"));
    load_free(&l);
    help_load("tests/golden/causes/inbox.trace", &l);
    assert_non_null(strstr(l.fs.f[0].next, "let several like it make them side by side"));
    load_free(&l);
}

/* What the program calls is told with the function that calls it, where that allocates most. */
static void what_it_calls_allocates(void **state)
{
    struct loaded l;
    bool told = false;
    (void)state;
    help_load("tests/golden/causes/scrubber.trace", &l);
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
    help_load("tests/golden/causes/latch.trace", &l);
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
                      often[] = "one-goroutine.more = 1000\n";
    (void)state;
    struct loaded l;
    help_load("tests/golden/causes/sexton.trace", &l);
    assert_false(says(&l, RULE_SERIAL_CALLS));
    assert_non_null(strstr(told_as(&l, RULE_BOTTLENECK)->next, "Ask for many at once"));
    load_free(&l);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(thresholds_parse("rules", i ? far : more, (i ? sizeof far : sizeof more) - 1, &e), ERR_OK);
        help_load("tests/golden/causes/postboys.trace", &l);
        assert_false(says(&l, RULE_POOL));
        load_free(&l);
        thresholds_reset();
    }
    help_load("tests/golden/causes/scrivener.trace", &l);
    assert_true(told_as(&l, RULE_BOTTLENECK)->won_lo == 0);
    assert_string_equal(told_as(&l, RULE_BOTTLENECK)->title, "work queues for one goroutine");
    load_free(&l);
    assert_int_equal(thresholds_parse("rules", often, sizeof often - 1, &e), ERR_OK);
    help_load("tests/golden/causes/scrivener.trace", &l);
    assert_false(says(&l, RULE_BOTTLENECK));
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
    } v[] = {{"scrubber", RULE_GC_SHARE, "were in regexp.MustCompile, which by its name makes something new",
              "Keep what regexp.MustCompile makes"},
             {"innrooms", RULE_POOL, "Who had it was waiting for the network in", "Don't hold it while"},
             {"crawl", RULE_SERIAL_CALLS, "whether it is its own other side no trace tells", "Ask for all at once"}};
    (void)state;
    for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
        struct loaded l;
        char path[128];
        path_of(path, sizeof path, v[i].name);
        help_load(path, &l);
        const struct finding *f = told_as(&l, v[i].rule);
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
        help_load("tests/golden/causes/pricelist.trace", &l);
        assert_int_equal(says(&l, RULE_BACKEND), i);
        load_free(&l);
    }
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
    help_load("tests/golden/causes/librarian.trace", &l);
    assert_false(says(&l, RULE_SMALL_CALLS));
    load_free(&l);
    thresholds_reset();
    assert_int_equal(thresholds_parse("rules", alarm, sizeof alarm - 1, &e), ERR_OK);
    help_load("tests/golden/causes/librarian.trace", &l);
    assert_true(told_as(&l, RULE_SMALL_CALLS)->note);
    load_free(&l);
    thresholds_reset();
    assert_int_equal(thresholds_parse("rules", rows, sizeof rows - 1, &e), ERR_OK);
    help_load("tests/golden/causes/tallyman.trace", &l);
    assert_false(says(&l, RULE_GRAIN));
    load_free(&l);
    thresholds_reset();
}

/* What a server has done beside its answers, one by one, may be meant so. */
static void work_in_the_background(void **state)
{
    struct loaded l;
    (void)state;
    help_load("tests/golden/causes/sweepers.trace", &l);
    const struct finding *f = told_as(&l, RULE_POOL);
    assert_true(f->note && f->severity_ns == 0 && !f->has_won);
    assert_non_null(strstr(f->text, "none of these waits for main.housekeeper"));
    assert_false(says(&l, RULE_BOTTLENECK));
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
    help_load("tests/golden/causes/scrubber.trace", &l);
    assert_non_null(strstr(told_as(&l, RULE_GC_SHARE)->text, "its stops of the world"));
    load_free(&l);
    assert_int_equal(thresholds_parse("rules", few, sizeof few - 1, &e), ERR_OK);
    help_load("tests/golden/causes/scrubber.trace", &l);
    assert_false(says(&l, RULE_GC_SHARE));
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
    help_load("tests/golden/causes/registrars.trace", &l);
    const struct finding *f = told_as(&l, RULE_EACH);
    assert_true(f->note && f->severity_ns == 0 && says(&l, RULE_TIME));
    load_free(&l);
    thresholds_reset();
    assert_int_equal(thresholds_parse("rules", share, sizeof share - 1, &e), ERR_OK);
    help_load("tests/golden/causes/registrars.trace", &l);
    assert_false(says(&l, RULE_EACH));
    load_free(&l);
    thresholds_reset();
}

/* Work that fills the processors is told instead of its signs; where they are not full, only where the time went. */
static void work_that_fills(void **state)
{
    struct err e = {0};
    static const char full[] = "full-of-work.busy = 100%\n";
    struct loaded l;
    (void)state;
    help_load("tests/golden/causes/carvery.trace", &l);
    const struct finding *f = told_as(&l, RULE_FULL);
    assert_true(f->note && f->stack && f->has_won && f->won_lo == 0);
    assert_non_null(strstr(f->text, "Of the waits for a processor 1 % lasted"));
    assert_false(says(&l, RULE_SCHED) || says(&l, RULE_TIME));
    load_free(&l);
    assert_int_equal(thresholds_parse("rules", full, sizeof full - 1, &e), ERR_OK);
    help_load("tests/golden/causes/carvery.trace", &l);
    assert_false(says(&l, RULE_FULL));
    assert_true(says(&l, RULE_TIME));
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
        help_load(i ? "tests/golden/causes/latch.trace" : "tests/golden/causes/ration.trace", &l);
        for (uint32_t k = 0; k < l.fs.n; k++) {
            host |= l.fs.f[k].rule == RULE_HOST;
            quota |= l.fs.f[k].rule == RULE_HOST && strstr(l.fs.f[k].text, "A CPU quota (cpu.max");
        }
        assert_true(host);
        assert_int_equal(quota, !i);
        assert_true(i || (l.fs.f[0].rule == RULE_HOST && l.fs.f[0].quota)); /* first, whatever runs there */
        assert_true(i || !says(&l, RULE_PROCS_BELOW));
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
        help_load("tests/golden/causes/scrubber.trace", &l);
        const struct finding *f = told_as(&l, RULE_STW);
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
    help_load("tests/golden/causes/once.trace", &l);
    assert_false(told_as(&l, RULE_CONVOY)->note);
    load_free(&l);
    assert_int_equal(thresholds_parse("rules", often, sizeof often - 1, &e), ERR_OK);
    help_load("tests/golden/causes/once.trace", &l);
    const struct finding *f = told_as(&l, RULE_CONVOY);
    assert_true(f->note && strstr(f->text, "It happened once."));
    load_free(&l);
    thresholds_reset();
}

/* One goroutine's call that can't be interrupted is not the host's doing. */
static void one_call_is_not_the_host(void **state)
{
    struct loaded l;
    (void)state;
    help_load("tests/golden/causes/engraver.trace", &l);
    assert_false(says(&l, RULE_HOST));
    load_free(&l);
}

/* Who asks again what was not answered in time would ask more often if it gave up sooner; who goes on to the next might as well. */
static void when_to_give_up(void **state)
{
    struct loaded l;
    (void)state;
    help_load("tests/golden/causes/pester.trace", &l);
    assert_non_null(strstr(l.fs.f[0].next, "Allow it more time"));
    load_free(&l);
    help_load("tests/golden/causes/patience.trace", &l);
    assert_non_null(strstr(l.fs.f[0].next, "or give up sooner"));
    assert_null(strstr(l.fs.f[0].text, "asked again"));
    load_free(&l);
    help_load("tests/golden/causes/ferry.trace", &l); /* what they wait for others of them have */
    assert_int_equal(l.fs.f[0].rule, RULE_LINGER);
    assert_non_null(strstr(l.fs.f[0].text, "when one of their own kind gives back what they share"));
    assert_null(strstr(l.fs.f[0].text, "asked again"));
    assert_null(strstr(l.fs.f[0].next, "more time"));
    load_free(&l);
    help_load("tests/golden/causes/carpool.trace", &l);
    for (uint32_t k = 0; k < l.fs.n; k++) {
        assert_int_not_equal(l.fs.f[k].rule, RULE_SLOW_TASK);
    }
    load_free(&l);
}

/* How much of it at least, and at most: by what the program's source says would be left. */
static void what_is_won_has_bounds(void **state)
{
    static const struct {
        const char *name;
        enum rule rule;
        double least, most; /* the upper end lies between */
        bool more;          /* and it may be more than that */
        const char *words;
    } row[] = {
        {"clerks", RULE_CONVOY, 0.80, 0.9, false,
         "waits for a processor that"}, /* what is done under it stays to be done */
        {"reload", RULE_CONVOY, 0.36, 0.6, false,
         "waits for a processor that"}, /* who holds it doesn't wait for it */
        {"tollbooth", RULE_CONVOY, 0.60, 1, false, "if its holders need not wait for a processor"},
        {"lostkeys", RULE_SLOTS, 0.70, 0.95, false, "all that they wait there"},
        {"stampede", RULE_STAMPEDE, 0.36, 0.5, false, NULL}, /* and queue for processors */
        {"nightwatch", RULE_TICKERS, 0.18, 0.4, true, "how late it makes other timers no trace tells"},
        {"cleanstalled", RULE_HOST, 0.05, 0.9, true, "shows only in part"}, /* never all of it */
        {"crawl", RULE_SERIAL_CALLS, 0.95, 1, false, NULL},                 /* main does nothing else */
    };
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct loaded l;
        char path[128];
        path_of(path, sizeof path, row[i].name);
        help_load(path, &l);
        const struct finding *f = told_as(&l, row[i].rule);
        const double end = (double)l.tg->end, hi = (double)f->won_hi / end;
        if (hi < row[i].least || hi > row[i].most || f->won_more != row[i].more) {
            fail_msg("%s: at most %.3f: %s", row[i].name, hi, f->won);
        }
        assert_true(!row[i].words || strstr(f->won, row[i].words));
        assert_true(f->won_hi >= f->severity_ns || f->rule == RULE_CONVOY); /* a convoy's is told of who waits */
        load_free(&l);
    }
}

/* What timers begin can't be done in place. */
static void what_timers_begin(void **state)
{
    struct loaded l;
    (void)state;
    help_load("tests/golden/causes/alarmclock.trace", &l);
    const struct finding *f = told_as(&l, RULE_CHURN);
    assert_non_null(strstr(f->text, "main.(*clock).touch.func1"));
    assert_non_null(strstr(f->text, "No goroutine begins them, but timers do"));
    assert_non_null(strstr(f->next, "Reset"));
    assert_null(strstr(f->next, "in place"));
    assert_true(f->severity_ns < l.tg->end / 50 && f->won_lo == 0 && f->won_more); /* 1 us each, not their waits */
    load_free(&l);
}

/* No more is sure than what lies on the main goroutine's way; how far it leads through what it asks over the network nobody knows. */
static void what_the_way_leaves_out(void **state)
{
    struct loaded l;
    (void)state;
    help_load("tests/golden/causes/frontdesk.trace", &l);
    const struct finding *f = told_as(&l, RULE_SERIAL_CALLS);
    assert_int_equal(f->won_lo, 0);
    assert_true(f->severity_ns > l.tg->end / 4);
    assert_non_null(strstr(f->won, "which this process gives itself"));
    load_free(&l);
    help_load("tests/golden/causes/hive.trace", &l);
    f = told_as(&l, RULE_UNBALANCED);
    assert_true(f->won_lo > 0 && (double)f->won_lo < 0.6 * (double)f->severity_ns);
    assert_non_null(strstr(f->won, "followed to its end, is this for"));
    load_free(&l);
}

/* One goroutine that waits for answers nearly all its life can win nearly all of it, whatever the finding costs. */
static void calls_of_one_goroutine(void **state)
{
    struct loaded l;
    (void)state;
    help_load("tests/golden/causes/flight.trace", &l);
    const struct finding *f = &l.fs.f[0];
    assert_int_equal(f->rule, RULE_BACKEND);
    assert_true(f->won_hi >= f->severity_ns && f->won_hi <= l.tg->end);
    load_free(&l);
}

/* What nothing else tells, where the time went tells. */
static void a_slow_start_is_where_the_time_went(void **state)
{
    struct loaded l;
    (void)state;
    help_load("tests/golden/causes/coldstart.trace", &l);
    const struct finding *f = &l.fs.f[l.fs.n - 1];
    assert_int_equal(f->rule, RULE_TIME);
    assert_non_null(strstr(f->text, "waiting for a timer in main.fetchSecret, called by main.boot"));
    load_free(&l);
}

/* What costs the trace nothing since nobody waits for it is a note behind what does. */
static void nobody_waits_for_the_mirror(void **state)
{
    struct loaded l;
    (void)state;
    help_load("tests/golden/causes/mirror.trace", &l);
    assert_int_equal(l.fs.n, 2);
    assert_true(l.fs.f[0].rule == RULE_CONVOY && strstr(l.fs.f[0].text, "main.addUp"));
    assert_true(l.fs.f[1].rule == RULE_SERIAL_CALLS && l.fs.f[1].note && l.fs.f[1].severity_ns == 0);
    assert_non_null(strstr(l.fs.f[1].text, "No other goroutine waits for these"));
    load_free(&l);
}

/* Of more callers than are counted the one with most is told, with a share that it has at least; below half none is. */
static void callers_are_counted(void **state)
{
    struct callers a = {0}, b = {0};
    (void)state;
    callers_add(&a, 7, 60);
    callers_add(&a, 8, 40);
    callers_add(&a, 0, 50); /* unknown */
    assert_int_equal(callers_most(&a, 100).func, 7);
    assert_false(callers_most(&a, 100).least);
    assert_int_equal(callers_most(&a, 150).func, 0);
    for (uint32_t i = 1; i < 9; i++) {
        callers_add(&b, i, i == 7 ? 900 : 10);
    }
    const struct caller most = callers_most(&b, 970);
    assert_true(most.func == 7 && most.least && most.share > 0.85f && most.share <= 900.0f / 970);
    callers_merge(&a, &b);
    assert_true(callers_most(&a, 1070).func == 7 && callers_most(&a, 1070).least);
    struct callers one = {0}, out = {0};
    callers_add(&one, 3, 100);
    callers_add(&out, 4, 80);
    callers_add(&out, 5, 20);
    const struct caller by = callers_beyond(&one, &out, 100);
    assert_true(by.func == 3 && by.beyond == 4 && by.beyond_share > 0.79f && by.beyond_share < 0.81f);
    callers_add(&one, 6, 20); /* two callers: who called them is not told */
    assert_int_equal(callers_beyond(&one, &out, 120).beyond, 0);
}

static bool tells(const char *path, enum rule r)
{
    struct loaded l;
    bool told = false;
    help_load(path, &l);
    for (uint32_t k = 0; k < l.fs.n; k++) {
        told |= l.fs.f[k].rule == r;
    }
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
    assert_false(tells("tests/golden/causes/cleansplit.trace", RULE_UNBALANCED));
    assert_true(tells("tests/golden/causes/skew.trace", RULE_UNBALANCED));
    thresholds_reset();
}

static void numbers_of_the_users(void **state)
{
    struct err e = {0};
    const char off[] = "pool-too-small.waiting = 40\nslowest-decides = off\nserial-phase = off\n";
    const char one[] = "slowest-decides = off\n"; /* what it covers is told then */
    (void)state;
    assert_true(tells("tests/golden/causes/slots.trace", RULE_POOL));
    assert_int_equal(thresholds_parse("rules", off, sizeof off - 1, &e), ERR_OK);
    assert_false(tells("tests/golden/causes/slots.trace", RULE_POOL));
    assert_false(tells("tests/golden/causes/straggler.trace", RULE_SERIAL));
    thresholds_reset();
    assert_true(tells("tests/golden/causes/straggler.trace", RULE_SLOWEST));
    assert_false(tells("tests/golden/causes/straggler.trace", RULE_SERIAL));
    assert_int_equal(thresholds_parse("rules", one, sizeof one - 1, &e), ERR_OK);
    assert_true(tells("tests/golden/causes/straggler.trace", RULE_SERIAL));
    thresholds_reset();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cause_is_first),
        cmocka_unit_test(notes_name_it),
        cmocka_unit_test(healthy_ones),
        cmocka_unit_test(what_could_be_won),
        cmocka_unit_test(what_is_won_has_bounds),
        cmocka_unit_test(what_the_way_leaves_out),
        cmocka_unit_test(what_timers_begin),
        cmocka_unit_test(news_are_no_answers),
        cmocka_unit_test(advice_fits_the_work),
        cmocka_unit_test(who_spins_beside_the_host),
        cmocka_unit_test(one_story_of_waiting),
        cmocka_unit_test(advice_fits),
        cmocka_unit_test(calls_that_are_few),
        cmocka_unit_test(its_own_answers),
        cmocka_unit_test(work_that_fills),
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
        cmocka_unit_test(what_goes_at_least),
        cmocka_unit_test(when_to_give_up),
        cmocka_unit_test(calls_of_one_goroutine),
        cmocka_unit_test(a_slow_start_is_where_the_time_went),
        cmocka_unit_test(nobody_waits_for_the_mirror),
        cmocka_unit_test(callers_are_counted),
        cmocka_unit_test(levels_are_no_team),
        cmocka_unit_test(numbers_of_the_users),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
