/* preview.c - see preview.h. */
#include "decode/model/preview.h"

/* Fold the beginning into the model. false: it is not what it seemed to be, or there is no memory. */
static bool fold_beginning(struct trace *tr, struct source *s)
{
    struct ev_half *room = tr->ring[0].evs;
    struct err e;
    if (source_v1(s, &e) != ERR_OK)
        return false;
    for (size_t n; (n = s->ops->stream(s, room, CHUNK_HALVES));) {
        pool_ticks(&tr->fold.pool, s->st.tick_ns);
        fold_stream(&tr->fold, room, n);
    }
    s->ops->close(s);
    return s->fatal.code == ERR_OK && !tr->fold.oom && !tr->fold.pool.oom && tr->fold.nlane[LANE_P];
}

bool preview(struct trace *tr, struct source_status *st)
{
    enum { LARGE = 8 << 20 };
    if (tr->in.len < (tr->opts.preview ? tr->opts.preview : LARGE) || tr->in.damage.code || tr->src.ngap)
        return false;
    struct source s = tr->src;
    s.self = NULL;
    s.preview = true;
    s.damage = s.warning = (struct source_notes){0};
    tr->previewed = fold_beginning(tr, &s);
    source_notes_free(&s);
    if (tr->previewed) {
        tr->shown_events = tr->fold.events;
        *st = s.st;
        st->ndamages = tr->src.st.ndamages; /* what the beginning lacks is no damage */
        st->nwarnings = tr->src.st.nwarnings;
        st->bytes_done = 0; /* it will be decoded again */
        st->nstrs = names_nstrs(&tr->names);
        st->nstacks = names_nstacks(&tr->names);
        return true;
    }
    fold_free(&tr->fold);
    names_free(&tr->names);
    tr->fold.oom |= names_init(&tr->names) || fold_init(&tr->fold, &tr->names);
    return false;
}

void preview_over(struct trace *tr)
{
    fold_free(&tr->fold);
    tr->fold.oom |= fold_init(&tr->fold, &tr->names) != ERR_OK;
    tr->previewed = false;
    trace_anew(tr);
}
