/*
 * v2_mend_priv.h - what v2_mend.c, which decides what a generation lacks, and v2_mend_put.c, which writes it, share.
 */
#ifndef GOTOP_DECODE_V2_MEND_PRIV_H
#define GOTOP_DECODE_V2_MEND_PRIV_H

#include "decode/v2/v2_torn.h"
#include "decode/write/v2_cut.h"

struct thread { /* what is written for a thread; [0] for no thread, [m + 1] */
    uint8_t *p;
    size_t n, cap;
    uint64_t base, last; /* clock units: of the batch, of its last event */
    bool any;
};
struct known { /* of a goroutine or a P, by its id */
    uint64_t seq;
    uint32_t gen;    /* seq is of this generation */
    uint32_t region; /* a goroutine's innermost open one, index + 1 */
    uint32_t on;     /* the generation in which its assist or sweep was last told to be on */
    bool away; /* a goroutine of which nothing is told since generations were missing: it may have ended in these */
    bool gap;  /* what it did before is not all there: regions may end that never began */
};
struct within { /* an open region */
    uint64_t task, name;
    uint32_t below;
};

struct v2_mend_work {
    struct v2_mend *m;
    struct v2_sim s;
    struct idmap gs, ps; /* index into known */
    struct thread *thread;
    size_t cthread;
    struct known *known;
    size_t nknown, cknown;
    struct within *region;
    size_t nregion, cregion;
    uint64_t *stray; /* goroutines that are runnable, and whose next event was lost */
    size_t nstray, cstray;
    uint64_t units;  /* the time of the event that can't come; its thread */
    uint64_t latest; /* the time of the latest event of the trace that came in this generation */
    uint32_t asker;
    uint64_t gc_seq;   /* the number of the collector's last step, as written */
    uint32_t gc_on;    /* the generation in which the collector was last told to be at work */
    uint64_t reason;   /* id of the string V2_NOT_RECORDED */
    uint8_t words[64]; /* the batch with that string */
    bool cut;          /* the generation ends where the file was cut */
    bool behind;       /* generations are missing before it */
    bool missing;      /* it stands for generations that are missing as a whole */
    bool told;         /* due() is done */
    bool regions;      /* some were written: which are open may differ from what the trace has */
};

/* mend_known - what is kept of a goroutine (map: gs) or a P (ps). Without memory w->s.o.oom is set, and it is one that nobody asks for. */
struct known *mend_known(struct v2_mend_work *w, struct idmap *map, uint64_t id);
/* mend_room - room for every thread there is. false: out of memory. */
bool mend_room(struct v2_mend_work *w);
/* mend_renumber - give the event the number that it has among those written. false: it doesn't fit the open regions. */
bool mend_renumber(struct v2_mend_work *w, uint32_t m, uint32_t g, struct v2_raw_ev *e);
/* mend_told - is it a second status in this generation? Numbers would count anew from there, so it isn't written. */
bool mend_told(struct v2_mend_work *w, const struct v2_raw_ev *e);
/* mend_write - add the event to what thread m (EV_NONE: none) has written, at that time or at that of the one before, if that is later. */
void mend_write(struct v2_mend_work *w, uint32_t m, const struct v2_raw_ev *e, uint64_t units);
/* mend_still - if the event ends what began before the generation, and the event that tells that it goes on was lost, write that one. */
void mend_still(struct v2_mend_work *w, const struct v2s_event *e);
/* mend_put_in - carry out and write an event that the trace lacks. false: it can't come, either. */
bool mend_put_in(struct v2_mend_work *w, uint32_t m, struct v2_raw_ev e);
/* mend_result - put w->m->gen together: the tables of gen, what was written, and the string V2_NOT_RECORDED. false: out of memory. */
bool mend_result(struct v2_mend_work *w, const struct v2_raw_gen *gen);

#endif
