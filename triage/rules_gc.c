/*
 * rules_gc.c - rules about the collector and about stopping the world.
 */
#include "triage/rules.h"

#include <string.h>

static bool by_tracing(const struct trace *tr, uint32_t kind)
{
    struct str s = trace_str(tr, kind);
    return memmem(s.p, s.len, "trace", 5) != NULL; /* "start trace", "stop trace" */
}

static void stw_text(struct draft *d, const struct rules *rs, const struct stw_row *r)
{
    text_str(&d->text, rs->tr, r->kind);
    if (!r->kind) {
        text_lit(&d->text, "GC");
    }
    text_add(&d->text, " stopped the world %llu time%s, longest ", (unsigned long long)r->count,
             r->count == 1 ? "" : "s");
    text_dur(&d->text, r->longest.t1 - r->longest.t0);
    text_lit(&d->text, ", in all ");
    text_dur(&d->text, r->total);
    text_lit(&d->text, ".");
    if (r->last_p != NO_LANE) {
        uint64_t id = trace_lane(rs->tr, (struct lane){LANE_P, r->last_p}).id;
        text_add(&d->text, " Last to stop: P%llu after ", (unsigned long long)id);
        text_dur(&d->text, r->last_ns);
        if (r->last_g != NO_LANE) {
            text_lit(&d->text, ", which ran ");
            text_who(&d->text, rs->tr, r->last_g);
        }
        if (r->last_stack) {
            text_lit(&d->text, " at ");
            text_where(&d->text, rs->tr, r->last_stack, 60);
        }
        text_lit(&d->text, ".");
    }
}

static void rule_stw(struct rules *rs)
{
    for (uint32_t i = 0; i < rs->tg->nstw; i++) {
        const struct stw_row *r = &rs->tg->stw[i];
        int64_t longest = r->longest.t1 - r->longest.t0;
        struct draft d;
        if (by_tracing(rs->tr, r->kind) ||
            (longest < 1000000 && (r->total < 1000000 || r->total < rs->tg->end / 20))) {
            continue;
        }
        draft_start(&d, RULE_STW, r->total);
        draft_subject(&d, rs, r->kind);
        draft_at(&d, r->longest.t0, r->longest.t1, LANE_BAND, BAND_STW);
        text_dur(&d.amount, longest);
        stw_text(&d, rs, r);
        if (r->last_p != NO_LANE && r->last_ns > longest / 2) {
            text_add(&d.next,
                     "Most of it was waiting for one processor to stop: look for a loop without calls or a page "
                     "fault there, or for too little CPU given by the host.");
        } else if (r->is_gc) {
            text_add(&d.next,
                     "Look at the lanes there; the host may have taken the CPU away (more processors than cores, a "
                     "quota).");
        } else {
            text_add(&d.next, "This stop was asked for: find the caller (view 8) and call it less often.");
        }
        draft_end(rs, &d);
    }
}

static void rule_share(struct rules *rs)
{
    const struct triage *tg = rs->tg;
    int64_t workers = tg->p_sum.ns[ST_GCWORK] - tg->label_ns[GC_IDLE];
    int64_t gc = workers + tg->p_sum.ns[ST_ASSIST] + tg->p_sum.ns[ST_SWEEP], busy = 0;
    struct draft d;
    for (int i = ST_SCHED; i <= ST_SYSCALL; i++) {
        busy = ns_add(busy, tg->p_sum.ns[i]);
    }
    busy -= tg->label_ns[GC_IDLE];
    if (gc < 1000000 || gc < busy / 5 || (tg->gc_cycles < 2 && gc < busy / 4)) {
        return;
    }
    draft_start(&d, RULE_GC_SHARE, gc / rules_procs(rs));
    draft_at(&d, tg->t0, tg->t1, LANE_BAND, BAND_GC);
    text_share(&d.amount, (double)gc, (double)busy);
    text_add(&d.text, "%llu cycle%s took ", (unsigned long long)tg->gc_cycles, tg->gc_cycles == 1 ? "" : "s");
    text_share(&d.text, (double)gc, (double)busy);
    text_lit(&d.text, " of the processor time in use (");
    text_dur(&d.text, gc);
    text_lit(&d.text, "): mark workers ");
    text_dur(&d.text, workers);
    text_lit(&d.text, ", assists ");
    text_dur(&d.text, tg->p_sum.ns[ST_ASSIST]);
    text_lit(&d.text, ", sweeping ");
    text_dur(&d.text, tg->p_sum.ns[ST_SWEEP]);
    text_add(&d.text, ".");
    text_add(&d.next,
             "Allocate less, or give the heap more room: a higher GOGC, or GOMEMLIMIT where memory is bounded.");
    draft_end(rs, &d);
}

/* The group whose goroutines assisted most. */
static uint32_t most_assisting(const struct triage *tg)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < tg->ngroups; i++) {
        best = tg->groups[i].d[GM_ASSIST].total > tg->groups[best].d[GM_ASSIST].total ? i : best;
    }
    return best;
}

static void rule_assist(struct rules *rs)
{
    const struct triage *tg = rs->tg;
    int64_t exec = 0, assist = 0;
    uint32_t most;
    struct draft d;
    for (uint32_t i = 0; i < tg->ngroups; i++) {
        exec = ns_add(exec, tg->groups[i].is_system ? 0 : tg->groups[i].d[GM_EXEC].total);
        assist = ns_add(assist, tg->groups[i].is_system ? 0 : tg->groups[i].d[GM_ASSIST].total);
    }
    if (assist < 1000000 || assist < exec / 20 || (tg->gc_cycles < 2 && assist < 5000000)) {
        return;
    }
    most = most_assisting(tg);
    draft_start(&d, RULE_GC_ASSIST, assist / rules_procs(rs));
    draft_at(&d, tg->t0, tg->t1, LANE_BAND, BAND_ASSIST);
    text_share(&d.amount, (double)assist, (double)exec);
    text_lit(&d.text, "Goroutines assisted the collector for ");
    text_dur(&d.text, assist);
    text_lit(&d.text, ", ");
    text_share(&d.text, (double)assist, (double)exec);
    text_add(&d.text, " of their running time (%llu assists), most of all ", (unsigned long long)tg->assists);
    text_func(&d.text, rs->tr, tg->groups[most].name, 60);
    text_lit(&d.text, " with ");
    text_dur(&d.text, tg->groups[most].d[GM_ASSIST].total);
    text_lit(&d.text, ".");
    text_add(&d.next, "They allocate faster than the workers mark: allocate less there, or raise GOGC.");
    draft_end(rs, &d);
}

static void rule_mmu(struct rules *rs)
{
    const struct triage *tg = rs->tg;
    for (uint32_t i = 0; i < tg->nmmu && tg->end >= 20000000; i++) {
        const struct mmu_point *m = &tg->mmu[i];
        struct draft d;
        if (m->window != 10000000 || m->mmu >= 0.5) {
            continue;
        }
        draft_start(&d, RULE_MMU, (int64_t)((1 - m->mmu) * (double)m->window));
        draft_at(&d, m->at, m->at + m->window, LANE_BAND, BAND_GC);
        text_add(&d.amount, "%.0f%%", m->mmu * 100);
        text_add(&d.text, "In the worst 10 ms the program had only %.1f%% of the processors, the collector the rest.",
                 m->mmu * 100);
        text_add(&d.next,
                 "See the MMU curve (view 8) and the lanes there: stops of the world, or assists and workers?");
        draft_end(rs, &d);
    }
}

static void rule_heap(struct rules *rs)
{
    const struct heap_stat *h = &rs->tg->heap;
    struct draft d;
    if (rs->tg->gc_cycles < 4 || h->low_last < 2 * h->low_first || h->low_last - h->low_first < 4u << 20) {
        return;
    }
    draft_start(&d, RULE_HEAP, 0);
    d.f.note = true;
    draft_at(&d, rs->tg->t0, rs->tg->t1, LANE_BAND, BAND_GC);
    text_lit(&d.amount, "+");
    text_bytes(&d.amount, h->low_last - h->low_first);
    text_lit(&d.text, "The heap at the end of a cycle grew from ");
    text_bytes(&d.text, h->low_first);
    text_lit(&d.text, " to ");
    text_bytes(&d.text, h->low_last);
    text_add(&d.text, " over %llu cycles.", (unsigned long long)rs->tg->gc_cycles);
    text_add(&d.next, "Fine while a program fills its caches; else take two heap profiles and compare them.");
    draft_end(rs, &d);
}

void rules_gc(struct rules *rs)
{
    rule_stw(rs);
    rule_share(rs);
    rule_assist(rs);
    rule_mmu(rs);
    rule_heap(rs);
}
