/*
 * test_causes.c - the rules about causes, on traces of small programs (tests/golden/causes/NAME.go): the right rule speaks
 * first and names the function to change; healthy ones raise nothing. What else is said of them: test_causes_said.c and
 * test_causes_won.c.
 */
#include "triage_help.h"

static const struct planted {
    const char *name;
    enum rule rule;
    const char *func, *other; /* both are named in the text; other may be NULL */
} planted[] = {
    {"cachemiss", RULE_CONVOY, "main.(*cache).lookup", "running"},      /* few wait, most of their time */
    {"reload", RULE_CONVOY, "main.(*conf).reload", "main.(*conf).get"}, /* readers wait for a writer at work */
    {"apothecary", RULE_CONVOY, "main.ask, called by main.(*apothecary).gather.func1 is what they wait for",
     "in main.(*apothecary).mix"}, /* and no slow other side: most wait for the lock */
    {"once", RULE_CONVOY, "main.(*model).weights is what they wait for", "It is a sync.Once"},
    {"registry", RULE_BOTTLENECK, "main.clerk", "in a system call"}, /* a call for each */
    {"tollbooth", RULE_CONVOY, "main.(*booth).pay",
     "the processors had main.pave, called by"}, /* its holders wait for one */
    {"envoys", RULE_CONNS, "main.introduce, called by main.envoy opens a connection 60 times",
     "a greeting, a login: inferred"}, /* the connect itself takes nothing */
    {"rowers", RULE_SLOTS, "main.boats.take, called by main.boats.row", "and nobody has any left"},
    {"telegraphists", RULE_CONNS, "main.login, called by main.telegram opens a connection 48 times for 48 answers",
     "in main.(*line).ask, called by main.login for what is exchanged on it"}, /* a helper of its own dials */
    {"smithy", RULE_LINE, "main.hammer occupies the processors",
     "goroutines of http.(*conn).serve run for"}, /* and never waits for anything */
    {"oarsmen", RULE_CONNS, "main.pull",
     "a new connection 49 times"}, /* others' come back, but one is opened for each */
    {"slots", RULE_POOL, "main.convert", NULL},
    {"straggler", RULE_SLOWEST, "main.resample", "main.epoch, called by"},
    {"skew", RULE_UNBALANCED, "main.drain", NULL},
    {"hive", RULE_UNBALANCED, "main.fill, by main.tend",
     NULL}, /* from a buffer, without a wait: many pieces, none long */
    {"eggboxes", RULE_UNBALANCED, "main.pack", "that of the others"},    /* the mean is much that one's own */
    {"crawl", RULE_SERIAL_CALLS, "main.fetchPage", "30 times in a row"}, /* asks its own process */
    {"tailor", RULE_SERIAL_CALLS, "main.(*tailor).cloth, by main.(*tailor).cutCoat",
     "main.get, called by main.order asks from within this process"}, /* who orders is in the same process */
    {"farewells", RULE_SERIAL_CALLS, "main.(*house).shut",
     "G1 main.main waits for answers over the network 24 times"},
    {"flight", RULE_BACKEND, "main.(*profiles).loadProfile", NULL},
    {"lend", RULE_POOL, "main.(*db).borrow", "main.(*db).runQuery"}, /* a pool behind a condition */
    {"conns", RULE_CONNS, "main.askPrice", NULL},
    {"ghosttown", RULE_CONNS, "main.visit", "connecting fails, or is given up"}, /* nothing to keep */
    {"collate", RULE_IN_ORDER, "main.gather", "main.printer"},
    {"pigeon", RULE_LINGER, "main.collectBatch", "main.sender"},          /* a batch that is never full */
    {"siesta", RULE_LINGER, "main.(*kitchen).waitForBell", "main.diner"}, /* a signal that was missed */
    {"scroll", RULE_HANDOFF, "main.writeScroll", "main.readScroll"},      /* through io.Pipe */
    {"scribe", RULE_SMALL_CALLS, "main.copyLine", NULL},
    {"twice", RULE_STUCK, "main.(*stock).count, called by main.(*stock).sum", "main.(*stock).put"},
    {"foreman", RULE_BOTTLENECK, "main.work, called by main.foreman",
     "2 goroutines of main.hand wait for what it passes on"},
    {"sorter", RULE_BOTTLENECK,
     "main.(*heap).sort, a single goroutine, waited for more work until 2.75ms and never since",
     "main.(*heap).put, called by main.postman, continues"},
    {"gatekeeper", RULE_LINE, "main.sweep, called by main.keeper",
     "who waits for what it gives meanwhile queues behind it"},
    {"drowsy", RULE_BOTTLENECK, "main.(*board).show", "asleep (time.Sleep)"},
    {"weighbridge", RULE_BUSY_LOOP, "main.(*bridge).watch",
     "the check is incidental"}, /* its time goes into a raw system call */
    {"cloakroom", RULE_BUSY_LOOP, "main.stand", "32 of 32 times that it was preempted it was in a select"},
    {"signalbox", RULE_BUSY_LOOP, "main.signalman",
     "29 of 29 times that it was stopped it was there, checking"}, /* others run, and hardly ever have something for it */
    {"cuckoo", RULE_BUSY_LOOP, "main.(*nest).take", "yielded its processor"},
    {"latch", RULE_BUSY_LOOP, "main.(*pantry).lift", "together (2."}, /* now and then */
    {"patience", RULE_LINGER, "main.askOracle", "16 of 48 waits"},    /* a context's deadline */
    {"toolshed", RULE_POOL, "main.(*shed).borrow", "of the trace"},
    {"closedshop", RULE_LINGER, "main.price, called by main.main.func2 waits for a connection until",
     "36 of 40 that net/http dials"},
    {"townhall", RULE_CONVOY, "The holder writes 4.0 times before unlocking",
     "in main.tell: if that is to several connections"},
    {"chamber", RULE_CONVOY, "of the time in which they neither slept nor waited for the next request",
     "in main.tell: if that is to several connections"},
    {"dockers", RULE_POOL, "waiting to write to the network in main.deliver", NULL},
    {"chronicle", RULE_BACKEND, "main.(*chronicler).write: waits to write to a pipe", NULL}, /* nothing comes there */
    {"quayside", RULE_BACKEND, "main.deliver, called by main.serve: waits to write to the network", NULL},
    {"nightrounds", RULE_LINGER, "waits for the network, nearly always equally long",
     "nothing is read after 95 of them"},
    {"rubbish", RULE_GC_SHARE, "4 of the 13 cycles were asked for (debug.FreeOSMemory) by main.cook",
     "without these calls the runtime would"},
    {"wherrymen", RULE_BLOCKING, "main.await, called by main.ferry", "of them the processor had been taken away"},
    {"doorbook", RULE_BLOCKING, "main.enter, called by main.main.func1 sits in system calls",
     "These wait for a file lock (flock)"},
    {"deafear", RULE_LINGER, "main.callStation", "24 of 47 waits"},
    {"chapters", RULE_POOL, "main.bind, called by main.binder started 126 goroutines", "7.0 of them in a row"},
    {"petition", RULE_SERIAL_CALLS, "main.again stands 2 times, one within the other",
     "three at each of these levels are 9 (inferred"},
    {"twoquills", RULE_BACKEND, "main.post", "No goroutine waits to read from the network meanwhile"},
    {"onebyone", RULE_POOL, "main.(*crew).start", "main.makeAll"}, /* begun one by one */
    {"megaphone", RULE_HUB, "main.speak passes items to 6 goroutines", "main.translate"},
    {"armoury", RULE_BACKEND, "since about 130ms for 5.90ms on average, until then for 976us", NULL},
    {"counters", RULE_HUB, "87.6% of that is for one of them: G25 main.counter",
     "the others 86.7% of theirs (the middle one)"},
    {"carpool", RULE_OWN, "main.loadUser",
     "This is what makes tasks slow"}, /* and slow-task, which says less, is gone */
    {"pester", RULE_LINGER, "48 of 96 waits there", "What is given up seems to be retried"},
    {"oneflight", RULE_OWN, "main.(*flights).do", "81.0% of the waits follow at once on another one there"},
    {"banquet", RULE_SLOWEST, "main.serveTable", "main.bake"}, /* one of six waits for another's lock */
    {"castaways", RULE_SLOTS, "main.send, called by main.castaway: all 4 goroutines",
     "The 72 waits there that ended took 2.3"}, /* one after the other waits for good */
    {"lostkeys", RULE_SLOTS, "main.rest", "4 times it never let anyone else in"},
    {"annals", RULE_GC_SHARE, "main.writeAnnals, called by", "joining strings with +"},
    {"boatmen", RULE_STAMPEDE, "main.askOffice, called by main.(*tides).look",
     "10 on average and up to 14"}, /* the last of them waits longer than it is quiet then */
    {"gardeners", RULE_UNBALANCED, "main.weed",
     "main.assign, called by main.main.func1, by main.traced hands out their work"},
    {"weathermen", RULE_STAMPEDE, "main.(*forecasts).askOffice, called by main.(*forecasts).look",
     "a crowd of goroutines of main.main.func1.1 asks there within"}, /* no pause parts the waves */
    {"stampede", RULE_STAMPEDE, "main.askBank, called by main.(*rates).get", "12 on average"},
    {"clerks", RULE_CONVOY, "main.importRow calls main.post for 85.0%", "of it called by main.importRow)"},
    {"relay", RULE_SLOWEST, "main.findShoes", "has 5 goroutines of main.runner at work"},
    {"metronome", RULE_HERD, "main.play", "timers that fire at the same moments"},
    {"parade", RULE_IN_ORDER, "main.march", "main.ask waits at"},               /* a window that is too narrow */
    {"gazette", RULE_CONVOY, "main.runPress", "main.(*gazette).publish"},       /* the press is not told once more */
    {"lockers", RULE_POOL, "main.(*lockers).take", "main.(*lockers).giveBack"}, /* few wait, but half of their work */
    {"frontdesk", RULE_SERIAL_CALLS, "called by main.(*desk).long", "98.4% of what these take"}, /* one page of two */
    {"nightwatch", RULE_TICKERS, "main.letIn", "195ms"}, /* and by now it costs */
    {"lithographer", RULE_CHILDREN, "main.etch, called by main.series", "starts them all, one after the other"},
    {"nursery", RULE_CHILDREN, "main.weigh", "24 of them"},
    {"diary", RULE_TREND, "main.(*diary).write", "each of the tasks \"day\" (80)"},
    {"stutter", RULE_SERIAL_CALLS, "main.sendRow", "61 times in a row"}, /* and stands still between some of them */
    {"gatekeys", RULE_SERIAL_CALLS, "% of it called by main.(*desk).letter)", "100 waits"},
    {"latebell", RULE_SLOW_TASK, "main.sortBag", "timer is due: all of them keep running"},
    {"bucketline", RULE_GRAIN, "main.passOn.func1 passes items on one at a time: 4 goroutines", "main.draw.func1"},
    {"needle", RULE_GRAIN, "main.sew, called by", "are switched to 4004 times"},             /* coroutines */
    {"teller", RULE_GRAIN, "main.entry, called by main.add", "main.keep ping-pong"},         /* an actor */
    {"straws", RULE_GRAIN, "main.drip, called by main.pour.func1", "main.drink, called by"}, /* io.Pipe */
    {"umbrellas", RULE_FINALIZERS, "main.(*stand).borrow", "23 of 23 waits there"},
    {"mower", RULE_CONVOY, "main.mow", "releases it and takes it again at once"},
    {"scrolls", RULE_PREPARED, "main.readScroll has database/sql prepare",
     "36 are prepared and closed for 36 answers"},
    {"scrollkeys", RULE_CONNS, "main.readScroll has database/sql open", "at least 36 are opened"},
    {"granary", RULE_SHARE, "main.(*granary).take", "60 waits at 12 moments"}, /* one takes all at once */
    {"ovens", RULE_LINE, "called by main.roast", "(30 tasks)"},                /* for the processors */
    {"mailroom", RULE_BOTTLENECK, "in main.enquire (20 waits", "queues behind what main.main.func1.1 has put"},
    {"registrar", RULE_LINE, "of main.(*books).own between", "Queued behind these"},
    {"bootup", RULE_SERIAL, "by main.readyAll: main.main ran alone",
     "at the beginning of the trace (in the region \"start\")"},
    {"inbox", RULE_SERIAL_CALLS, "main.handOn, called by main.deliver",
     "they arrive faster than they finish, and queue"},
    {"turnpike", RULE_POOL, "main.pass", "it works like a lock"}, /* a channel of one */
    {"stocktake", RULE_CONVOY, "main.count", "released several locks at one moment"},
    {"floodgate", RULE_BACKEND, "main.pourOut", "waits to write to the network"},
    {"narrow", RULE_PROCS_BELOW, "main.beModest, called by main.main set GOMAXPROCS from 8 to 2", NULL},
    {"examroom", RULE_POOL, "main.sit", "since no more may run at once (-parallel)"},
    {"rowboats", RULE_POOL, "main.cross", "2 connections are in the trace"}, /* MaxConnsPerHost */
    {"carousel", RULE_KNOT, "main.emit, main.parse and main.resolve block each other forever",
     "Behind them wait 1 in main.main.func1.1"},
    {"lamplighter", RULE_CHURN, "starts the next one as soon as the last has ended",
     "while 4 of the same function stay"},
    {"ragman", RULE_FORCED, "main.haul, called by main.main asks for collections",
     "runtime.GC"},                                                       /* go runtime.GC() */
    {"gauger", RULE_STW, "main.gauge, called by main.fill", "601 times"}, /* once by another way */
    {"inkwells", RULE_SLOTS, "main.write, called by main.pupil", "4 times it never let anyone else in"},
    {"bulletin", RULE_KNOT, "main.(*board).publish and main.(*board).leave block each other",
     "main.(*board).publish is a method of the same type"}, /* nobody had waited for that lock before */
    {"clamps", RULE_HOLD, "main.(*shed).borrow, called by main.clamp", "until one of them times out"},
    {"dairy", RULE_LOST, "main.(*dairy).bring, called by main.main.func1", "found what it waited for at"},
    {"pantry", RULE_LOST, "main.(*pantry).eat", "main.janitor woke everyone"},
    {"couriers", RULE_LEFT, "main.stable.send", "then waits for whichever answers first: 80 of 80"},
    {"roast", RULE_LEFT, "66 of 66 goroutines of main.order.func1", "in main.roast"},
    {"tollbar", RULE_POOL, "main.(*bar).pass",
     "was waiting for the network in main.askToll"}, /* not the other side alone */
    {"lastcall", RULE_LAST, "main.(*bar).close", "waits all the while in main.(*bar).listen"},
    {"innrooms", RULE_POOL, "main.(*inn).take", "requests (http.(*conn).serve) waited there for"},
    {"runnels", RULE_READER, "main.(*link).reserve, called by main.(*link).send", "in main.(*link).acks"},
    {"porter", RULE_ACCEPT, "waiting for the network in main.greet", "35 of 36 connections were already waiting"},
    {"almanac", RULE_BURSTS, "main.(*almanac).fetch", "one every 60.0ms, 7 in all"},
    {"telegraph", RULE_PIECES, "main.wire", "39 of 40 waits examined last 40.0ms"},
    {"parcels", RULE_SLOW_TASK, "main.ship, called by main.carry",
     "Tasks that log \"to: Iseltwald\" (18 of 108) take 11.0ms in the median"},
    {"survey", RULE_SERIAL_CALLS, "main.surveyor.measure", "6 times in a row"}, /* and works on these each time */
    {"galley", RULE_PHASES, "main.course, called by main.main seems to finish all of one step",
     "they wait for the network"},
    {"bellboys", RULE_SERIAL_CALLS, "main.boy.run",
     "for these calls only 22.3%"}, /* who hands them work keeps a pace */
    {"dictation", RULE_BACKEND, "main.(*desk).dictate", "waits to write to a pipe, 35 waits"},
    {"ledgers", RULE_POOL, "main.(*keys).closeYear, called by main.main.func1 holds several at once",
     "5 times it ended 7 waits"}, /* a defer in a loop */
    {"deckhands", RULE_POOL, "main.(*deck).board",
     "The first in line wants more than is free"},                        /* shares of two sizes */
    {"motorists", RULE_POOL, "main.(*deck).board", "main.(*deck).leave"}, /* and of one */
    {"lanternmen", RULE_CHILDREN, "main.light, called by main.main", "another process that inherited the pipe"},
    {"visas", RULE_CONTEXTS, "main.(*office).stamp", "1600 expired in this trace"},
    {"librarian", RULE_SMALL_CALLS, "main.onShelf, called by main.find, by main.librarian makes",
     "pieces of work of main.librarian"},
    {"postboys", RULE_POOL, "the 3 goroutines of main.postboy wait there for the network",
     "hardly ever for more work (3 waits)"},
    {"sexton", RULE_BOTTLENECK, "main.sexton, one goroutine", "waiting for the network in main.fetch"},
    {"pricelist", RULE_CONVOY, "main.(*prices).quote", "running"}, /* that is what its own questions wait for */
    {"tallyman", RULE_GRAIN, "main.unload, called by main.main.func1.1 and main.tallyman", "come in rows"},
    {"innkeys", RULE_SERIAL_CALLS, "by main.(*inn).guestPage", "4 times in a row on average at one line"},
    {"guestbook", RULE_SMALL_CALLS, "main.sign, called by", "It opens a file 400 times and closes one 400 times"},
    {"heralds", RULE_LINGER, "21 of 21 times these are 3 in a row", "each time over a new connection"},
    {"notaries", RULE_CONVOY, "main.(*archive).enter", "6.38ms in a system call at syscall.Fsync"},
    {"bargemen", RULE_HANDOFF, "main.dig, main.tow and main.unload pass items from one to the next",
     "none of them is the bottleneck"},
    {"inkpots", RULE_GC_SHARE, "A sync.Pool (Get) calls main.fill", "main.fill, called by main.write"},
    {"dressmakers", RULE_STARVED, "main.workshop.dress, called by main.main.func1.1.1, by main.workshop.bench",
     "of 6 goroutines of main.workshop.bench 2.8 were waiting there"},
    {"notary", RULE_GRAIN, "main.(*book).put, called by main.(*book).deed",
     "main.(*book).keep ping-pong"}, /* and sleep half of their lives */
    {"ferrymen", RULE_CONNS, "main.cross, called by main.main.func2: net/http opens 62 connections for 160 answers",
     "most are closed again after an answer"},
    {"curfew", RULE_SERIAL_CALLS,
     "main.(*gate).shut, called by main.curfew, by main.main asks goroutines of main.(*gate).porter",
     "Up to 16 in a row"}, /* of another goroutine each */
    {"capstone", RULE_SERIAL, "main.build.func1 ran alone",
     "the other processors idled"}, /* who takes first holds nobody */
    {"toymaker", RULE_SERIAL_CALLS, "main.send, called by main.fetchPart",
     "67.5% of the lives of goroutines of main.main.func1, mostly in main.rest"}, /* before it tries again */
    {"callboy", RULE_POOL, "main.(*stage).call, called by main.play", "waited there for 92.7% of that time"},
    {"tinker", RULE_SMALL_CALLS, "main.scoop, called by main.solder",
     "this trace doesn't record how long they take"}, /* a byte each; of Go 1.21 */
    {"headcount", RULE_EXPLOSION, "main.(*slate).countFlock, called by main.main",
     "They wait for a lock in main.(*slate).mark as well"},
    {"dervish", RULE_BUSY_LOOP, "main.(*whirl).lock, called by main.dance", "its name says that it waits"},
    {"fortuneteller", RULE_LEFT, "main.ask, called by main.main.func1 gives up at its timeout",
     "goroutines of main.readCards"}, /* none of them has answered in time */
    {"steeple", RULE_SERIAL, "In or around main.buildTable, called by main.buildTables",
     "hardly any other goroutine ran"}, /* but for a heartbeat, a log and the like */
    {"chapels", RULE_PHASES, "main.(*fanout).each, called by main.nightlyStep",
     "both happen together for only 1.2%"}, /* 168 goroutines in all */
    {"registrars", RULE_EACH, "main.enter, called by main.deed is in system calls", "syscall.Fsync 1.0 times"},
    {"dyers", RULE_BOTTLENECK, "main.vat.dye, one goroutine", NULL}, /* three stages of one generic type */
    {"households", RULE_SLOWEST, "main.askDoctor", "starts 4 goroutines of main.(*household).send.func1 at a time"},
    {"cooperage", RULE_BOTTLENECK, "main.main.func5, one goroutine",
     "main.(*shop).hoop"}, /* hired by a helper of its own */
    {"coopers", RULE_BOTTLENECK, "main.main.func5, one goroutine", "main.(*shop).hoop"},
    {"crier", RULE_STW, "main.cry, called by main.main.func1.1: all goroutine stack trace", NULL}, /* of Go 1.21 */
    {"gaugers", RULE_STW, "Goroutines of main.gauger ask for it: read mem stats", "76 times"},
    {"cattle", RULE_HERD, "main.(*rack).fill, called by main.main.func1",
     NULL}, /* a crowd is no queue for who wakes it */
    {"glassblower", RULE_BOTTLENECK, "main.blower, one goroutine", "in a system call in main.blow"},
    {"gravediggers", RULE_CONVOY, "main.(*churchyard).level is what they wait for",
     "was running in or below main.(*churchyard).level"}, /* a finalizer has the lock */
    {"tanners", RULE_POOL, "main.main.func1.4, 2 goroutines, were at work", "main.tan"}, /* begun by one helper */
    {"weighhouse", RULE_LOST, "main.(*scales).put", "main.(*scales).wakeAll woke everyone"},
    {"bathhouse", RULE_POOL, "requests (http.(*conn).serve) waited there for",
     "of 8 processors were idle"}, /* nearly half of them are in use */
    {"lodgers", RULE_POOL, "requests (http.(*conn).serve) waited there for",
     "waits of"}, /* a connection for each request: 16 of them would tell of 16 */
    {"coachhouse", RULE_LEFT, "http.(*timeoutHandler).ServeHTTP gives up", "in main.harness"}, /* of Go 1.21 */
    {"treasurers", RULE_CONNS, "main.count has database/sql open a connection for every second query or more",
     "at least 61 are opened for 96 answers"}, /* which are there at once; then there is a login */
    {"beadles", RULE_OWN,
     "main.(*chapter).ask: ", "follow at once on another one there"}, /* by other ways each time */
    {"engrossers", RULE_EACH, "main.engross, called by main.main.func1 is in system calls",
     "syscall.Fsync 1.0 times"}, /* which calls, not only that they keep threads */
    {"campanile", RULE_CONVOY, "in main.(*bell).ring",
     "system calls in main.strike kept their processor"}, /* of Go 1.21: they pass for running */
    {"vestry", RULE_CONVOY, "main.(*register).copyOut, called by main.main.func1 is what they wait for",
     "running in or before main.(*register).copyOut"},             /* where the library's goroutine came to */
    {"oracles", RULE_POOL, "main.ask: ", "main.sideBySide.func1"}, /* few wait at once: they sleep most of the time */
    {"boxoffice", RULE_POOL, "main.sell: ", "by main.charge"},     /* database/sql gives them out in no order */
    {"wharfmen", RULE_CONNS, "main.hail, called by main.ferryOver",
     "a new connection 72 times (main.ferryOver waits for 72 answers)"}, /* which opens it, asks and closes it */
    {"moorings", RULE_SERIAL_CALLS, "main.ask, called by main.moor", "9 times in a row"}, /* before anybody works */
    {"dredgers", RULE_SERIAL, "Between waits in main.crew, called by main.unload",
     "main.main ran alone"}, /* after what the crew did, not in it */
};
/* What may be as it should be is a note, and the first one. */
static const struct {
    const char *name;
    enum rule rule;
    const char *func;
} noted[] = {
    {"sieve", RULE_BUSY_LOOP, "22 of 22 times that it was preempted it was in a select"}, /* there is */
    {"nightpairs", RULE_LINGER, "or the pace at which data comes: something is read after 111 of them"},
    {"readership", RULE_LEAK, "so each new one adds work for those that wake them"},
    {"drummer", RULE_LAST, "main.beat, called by main.cross.func1: main.cross"},
    {"blotters", RULE_TIME, "calls of syscall.Fsync in main.enter kept their processor"}, /* of Go 1.21 */
    {"ushers", RULE_LEAK, "They are woken in crowds of up to 248 at once"}, /* nobody waits for the bell */
    {"cleanregistrar", RULE_BOTTLENECK, "It asks for several at a time: 60 questions, 300 waits ended."},
    {"cleanclerks", RULE_BOTTLENECK,
     "36 calls of syscall.Fsync in main.desk.file kept their processor"}, /* Go 1.21 */
    {"flusher", RULE_BOTTLENECK, "Each call is made for several at a time: 121 calls"},
    {"flusher", RULE_BOTTLENECK, "others waited for it on average, most of all main.client at sync.(*Cond).Wait"},
    {"tallybook", RULE_PHASES, "G1 main.main asks over the network and works by turns: it waits for 19 answers"},
    {"sealwax", RULE_BOTTLENECK, "main.seal sleeps (time.Sleep) while others wait for an answer"},
    {"tenants", RULE_LEAK, "10 times as long as any wait there that ended"}, /* they had gone on before */
    {"larder", RULE_BACKEND, "the calls cost the responses nothing"},
    {"lookout", RULE_LINGER, "In this trace nobody waits for these goroutines"}, /* it looks who is there */
    {"lostpost", RULE_LINGER, "31 of 1231 times, 35.7ms on average"},            /* each of the others 44 us */
    {"anglers", RULE_RETRY, "They never get shorter again"}, /* its calls are a seventh of these lives */
    {"wicket", RULE_LIMIT, "waits are those of others, most of main.carter"}, /* requests pass there, too */
    {"spigot", RULE_LIMIT, "main.(*spigot).Wait"},
    {"fountain", RULE_LIMIT, "main.(*fountain).flow gives 3.0 at a time"}, /* less than wait */
    {"turnstile", RULE_LIMIT,
     "main.(*turnstile).turn gives one at a time"}, /* a ticker, not a limit that is waited out */
    {"doorbell", RULE_RETRY, "main.ringDoorbell"},
    {"standoff", RULE_SENDS, "main.exchangePapers"},
    {"errands", RULE_STAMPEDE, "main.askDesk, called by main.(*board).look"}, /* each begun for one; three at once */
    {"inn", RULE_TIME,
     "requests (http.(*conn).serve) of"}, /* neither; the main goroutine waits for another process */
    {"beekeeper", RULE_SERIAL_CALLS, "wait there for answers over the network 6 times each"}, /* not all in a row */
    {"noticeboard", RULE_LINGER, "main.(*notices).pin, called by main.main.func1.2 waits for main.(*notices).hang"},
    {"weatherman", RULE_SERIAL_CALLS, "is a timer: unless something outside waits"},
    {"lostparty", RULE_LEAK, "26 of them never woken there"},
    {"pesterer", RULE_SERIAL_CALLS, "asks again and again: it waits for the network at least 1199 times"},
    {"switchboard", RULE_SERIAL_CALLS, "arrives over the network at runtime.chansend1 in main.(*board).answers"},
    {"penpals", RULE_SERIAL_CALLS, "each wait for answers through a pipe 30 times in a row"}, /* of several alike */
    {"beachcombers", RULE_POLL, "60 times it moved on after a check, 60 of them after the first pause"},
    {"ferryhands", RULE_RETRY, "after some of the calls over the network in main.(*quay).ship"},
    {"shepherds", RULE_POLL, "1 of 2 goroutines of main.main.func1 (G8 main.main.func1) sleeps there"},
    {"stamps", RULE_POLL, "main.stamp sleeps (time.Sleep) while others wait to hand something over"},
    {"hauliers", RULE_POOL, "so they share one batch of work"},
    {"scrivener", RULE_BOTTLENECK, "its channel had more ready all that time"},
    {"hotline", RULE_LEAK, "57 of them wait at the end at poll.(*FD).Read in main.(*hotline).hear"},
    {"carvery", RULE_FULL, "main.carve, called by main.main.func1.1 is where goroutines of http.(*conn).serve were"},
    {"bobbins", RULE_LEAK, "They are coroutines (iter.Pull), and"},
    {"intercom", RULE_SERIAL_CALLS, "asks the same goroutine of main.kitchen again and again"},
    {"revolvingdoor", RULE_CONNS, "main.announce opens a connection 100 times (in main.connect) for 198 answers"},
    {"engraver", RULE_SMALL_CALLS,
     "main.engrave, called by main.main.func1"}, /* of Go 1.19: nothing says how long they are */
    {"annalists", RULE_TIME, "calls of syscall.Fsync in main.writePage kept their processor"}, /* of Go 1.19 */
    {"reprint", RULE_BUSY_LOOP, "It allocates there, so it produces something"},
};

/* What stands for good is no note, whatever it costs. */
static const struct {
    const char *name;
    enum rule rule;
    const char *says;
    bool costs; /* all of a kind stand */
} for_good[] = {
    {"hoarder", RULE_OPEN, "main.fetchLetter, called by main.main.func1, by main.traced opens 300 files", false},
    {"lampman", RULE_LEAK, "What received the values sent there, G21 main.lampman in main.lampman, ended at", true},
    {"lamps", RULE_LEAK, "Created at main.guard, called by main.light", false}, /* as many in each quarter */
    {"openbook", RULE_LEAK, "for main.readPage", false},                        /* answers that nobody reads */
    {"openbook", RULE_LEAK, "With them http.(*persistConn).writeLoop: 60", false},
    {"hastybook", RULE_LEAK, "each request opens a new one first", false},          /* and no connection-churn */
    {"boarders", RULE_LEAK, "120 outlive the goroutines that started them", false}, /* woken again and again before */
    {"doorman", RULE_LEAK,
     "Goroutines that main.(*bar).shut, called by main.evening wakes there end, 30 of 30 times: it uses Signal",
     false},
};

/* The right rule speaks first, and nothing that is only a sign of it. */
static void is_first(const struct planted *p, const struct loaded *l)
{
    const struct finding *f = l->fs.n ? &l->fs.f[0] : NULL;
    if (!f || f->note || f->rule != p->rule || !strstr(f->text, p->func) ||
        (p->other && !strstr(f->text, p->other))) {
        fail_msg("%s: %s: %s", p->name, f ? rule_id(f->rule) : "nothing", f ? f->text : "");
    }
    for (uint32_t k = 0; k < l->fs.n; k++) {
        const struct finding *g = &l->fs.f[k];
        assert_true(g->severity_ns <= l->tg->end);
        assert_true(!g->has_won || g->won_more || g->severity_ns <= g->won_hi);
        assert_true(g->rule != RULE_PROCS_ABOVE || f->severity_ns < l->tg->end / 10); /* that says why */
        assert_true(g->note || g->severity_ns * 100 >= l->tg->end);
        assert_true(g->rule != RULE_SCHED && g->rule != RULE_IDLE); /* signs of it */
        assert_true(g->rule != RULE_TIME);                          /* told by the finding */
        assert_true(f->rule != RULE_SLOTS || g->rule != RULE_HOLD); /* nobody holds what is lost */
        assert_true(k == 0 || g->note || strcmp(p->name, "gazette") != 0);
        assert_true(g->rule != RULE_SERIAL_CALLS || strcmp(p->name, "quayside") != 0); /* written in pieces */
    }
}

/* An interval within the trace, and words for it; who is held up by others can win, so its lower end is above nothing. */
static void can_be_won(const struct planted *p, const struct loaded *l)
{
    for (uint32_t k = 0; k < l->fs.n; k++) {
        const struct finding *f = &l->fs.f[k];
        assert_true(f->note || f->has_won);
        assert_true(f->note || f->severity_ns >= f->won_lo);
        assert_true(!f->has_won || (f->won && f->won_lo >= 0 && f->won_lo <= f->won_hi && f->won_hi <= l->tg->end));
    }
    const bool paced =
        strcmp(p->name, "stocktake") == 0 || /* who counts takes as long */
        strcmp(p->name, "sorter") == 0 ||    /* nobody waits for the heap */
        strcmp(p->name, "vestry") == 0 ||    /* who asks, over the network, is not known */
        strcmp(p->name, "chamber") == 0 ||   /* who speaks pauses, mostly */
        strcmp(p->name, "tanners") == 0 ||   /* two take turns: a wait is shorter than what serving it takes */
        strcmp(p->name, "tollbooth") == 0;   /* who has the processors goes on with them */
    if (!paced && (p->rule == RULE_CONVOY || p->rule == RULE_POOL || p->rule == RULE_BOTTLENECK)) {
        assert_true(l->fs.f[0].won_lo > l->tg->end / 20); /* all of it only where nothing but sleep is lost */
        assert_true(l->fs.f[0].won_hi < l->tg->end || p->rule == RULE_BOTTLENECK);
    }
}

static void the_cause_is_first(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof planted / sizeof *planted; i++) {
        struct loaded l;
        help_cause(planted[i].name, &l);
        is_first(&planted[i], &l);
        can_be_won(&planted[i], &l);
        load_free(&l);
    }
}

static void notes_name_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof noted / sizeof *noted; i++) {
        struct loaded l;
        help_cause(noted[i].name, &l);
        const struct finding *f = l.fs.n ? &l.fs.f[0] : NULL;
        if (!f || !f->note || f->rule != noted[i].rule || !strstr(f->text, noted[i].func)) {
            fail_msg("%s: %s: %s", noted[i].name, f ? rule_id(f->rule) : "nothing", f ? f->text : "");
        }
        load_free(&l);
    }
}

static void stands_for_good(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof for_good / sizeof *for_good; i++) {
        struct loaded l;
        help_cause(for_good[i].name, &l);
        const struct finding *f = &l.fs.f[0];
        assert_true(l.fs.n > 0 && !f->note && f->rule == for_good[i].rule);
        assert_non_null(strstr(f->text, for_good[i].says));
        assert_null(strstr(f->text, "Symptoms"));
        assert_int_equal(f->severity_ns > 0, for_good[i].costs);
        assert_true(f->severity_ns <= f->won_hi);
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
        "cleanframes",                   /* works alone at a fixed rate, then sleeps */
        "cleanspell", "cleannewsreel",   /* answers that are slow for a while; news, of which there is less */
        "cleantowboat", "cleantowboats", /* begin two at a time, and wait for both */
        "cleanwharfmen",                 /* open their connections once, in a function that only does that */
        "cleancounters",                 /* alike, and all have as much to do */
        "cleanshops",                    /* one worker has most to do, and time to spare */
        "cleanlens",                     /* a short step grows, a long one does not */
        "cleanspelling",                 /* those that queue were woken one by one, each with its last letter */
        "cleanancestors",                /* wait for those they began themselves */
        "cleansieves",                   /* in a row, and drop some */
        "cleancrier",                    /* hands each of a crowd something to do */
        "cleantorch",                    /* handed on, or taken by the next one */
        "cleanfranking",                 /* answers, then looks for more */
        "cleanscribes", "cleancopyists", /* one has the device keep what several have written */
        "cleanbellows",                  /* has more processors for a while */
        "cleanpostbag",                  /* reads much at once under a lock: no wait within the call */
        "cleanstills",                   /* are stopped where they take the next barrel, which is there */
        "cleanguests",                   /* a thousand goroutines that wait, then go */
        "cleanoffice",                   /* asks itself */
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
        "cleanferryman",     /* greets, then waits for the next question elsewhere */
        "cleanquota",        /* asks no oftener than it may */
        "cleanparley",       /* a server that greets, then talks step by step elsewhere */
        "cleanboatmen",      /* one asks, the others go by what there was */
        "cleandairy",        /* wakes one for each churn; the foreman wakes in vain */
        "cleanboarders",     /* stay, and who began them does */
        "cleanpostmen",      /* share out the calls of each lot */
        "cleantailor",       /* asks for all at once */
        "cleanbargemen",     /* have room between them */
        "cleaninkpots",      /* puts back what it took */
        "cleanheralds",      /* wait long enough */
        "cleanfarewells",    /* wait side by side for a twentieth of the trace */
        "cleanbeachcombers", /* are told when it is there, by many timers: none is put off */
        "cleandressmakers",  /* do themselves what they waited for */
        "cleanfountain",     /* a bell that all hear */
        "cleanhotline",      /* connections that stay, and are spoken on now and then */
        "cleanringer",       /* begins one for each answer, to be able to give up */
        "cleanstalled",      /* processors stand still, and then all is due */
        "cleanpages",        /* each waits for its own next piece, which others of its kind bring */
        "cleangossips",      /* wait for each other's letters, each for its own */
        "cleanbeacon",       /* a ticker that others only listen to */
        "cleanmeters",       /* a ticker each; the host wakes them at whole milliseconds: nothing is tried again */
        "cleanflights",      /* ask side by side; the host stops them all at two moments */
        "cleandesk",         /* is quick, but for when the host stops it */
        "cleanmillers",      /* bring and grind, begun in one function: no set of which each takes one */
        "cleanscrolls",      /* the library's own goroutines of a connection have nothing to do meanwhile */
        "cleanbacklog",      /* its log is read slowly, and nobody waits for that */
        "cleanbench"};       /* asks for collections; one goroutine; the file is compressed */
    (void)state;
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        struct loaded l;
        bool time = false;
        help_cause(name[i], &l);
        for (uint32_t k = 0; k < l.fs.n; k++) {
            if (!l.fs.f[k].note) {
                print_error("%s: %s: %s\n", name[i], rule_id(l.fs.f[k].rule), l.fs.f[k].text);
                fail();
            }
            assert_true(l.fs.f[k].rule != RULE_LINGER ||
                        (strcmp(name[i], "cleanbeachcombers") != 0 && strcmp(name[i], "cleanbeacon") != 0));
            assert_true(l.fs.f[k].rule != RULE_LIMIT ||
                        (strcmp(name[i], "cleanfountain") != 0 && strcmp(name[i], "cleanshops") != 0));
            assert_true(l.fs.f[k].rule != RULE_LEAK ||
                        (strcmp(name[i], "cleanbraid") != 0 && strcmp(name[i], "cleanhotline") != 0));
            assert_true(l.fs.f[k].rule != RULE_RETRY || strcmp(name[i], "cleanmeters") != 0);
            time |= l.fs.f[k].rule == RULE_TIME || l.fs.f[k].rule == RULE_HOT;
        }
        assert_true(time);
        load_free(&l);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cause_is_first),
        cmocka_unit_test(notes_name_it),
        cmocka_unit_test(stands_for_good),
        cmocka_unit_test(healthy_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
