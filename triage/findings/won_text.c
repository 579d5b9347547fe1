/* won_text.c - a possible gain in words: in a table's column (won.h), and as a sentence. */
#include "triage/findings/won.h"
#include "triage/findings/won_parts.h"

#define NEARLY_ALL 0.99

/* Between nothing and all of it: that says nothing. */
static bool says_nothing(const struct finding *f, double end)
{
    return f->won_lo <= 0 && !f->won_more && (double)f->won_hi >= NEARLY_ALL * end;
}

void finding_won_short(struct text *t, const struct finding *f, int64_t end)
{
    if (f->won_hi <= 0) {
        text_lit(t, "none of this trace's time");
        return;
    }
    if (says_nothing(f, (double)end)) {
        text_lit(t, "unknown");
        return;
    }
    if (f->won_lo > 0) {
        text_share(t, (double)f->won_lo, (double)end);
        text_lit(t, " to ");
    } else {
        text_lit(t, "up to ");
    }
    text_share(t, (double)f->won_hi, (double)end);
    if (f->won_more) {
        text_lit(t, ", or more");
    }
}

static void between_text(struct text *t, const struct finding *f, double end)
{
    if (f->won_lo > 0) {
        text_share(t, (double)f->won_lo, end);
        text_lit(t, " to ");
        text_share(t, (double)f->won_hi, end);
        text_lit(t, " of the trace (");
        text_dur(t, f->won_lo);
        text_lit(t, " to ");
    } else {
        text_lit(t, "up to ");
        text_share(t, (double)f->won_hi, end);
        text_lit(t, " of the trace (");
    }
    text_dur(t, f->won_hi);
    text_lit(t, ")");
}

/* What can't be bounded from above is told so. */
static void more_text(struct text *t, const struct finding *f, double end)
{
    between_text(t, f, end);
    text_lit(t, ", or more");
}

void won_text(struct text *t, const struct finding *f, const struct causes *c, const struct span_of_won *o)
{
    text_lit(t, "Possible gain: ");
    if (o->hi <= 0 && !o->more) {
        text_add(t, "none of this trace's time; %s.", o->words);
        return;
    }
    if (says_nothing(f, (double)c->tg->end)) {
        text_add(t, "unknown (between nothing and all of it)%s%s.", o->words ? ", " : "", o->words ? o->words : "");
        return;
    }
    (f->won_more ? more_text : between_text)(t, f, (double)c->tg->end);
    if (o->bound == ON_WAY) {
        text_say(t, c->tr, " for those that wait. The trace as a whole gains less: this is only ", t_share(o->on, 1),
                 " of the main goroutine's critical path.");
    } else if (o->bound == BEYOND) {
        text_lit(t,
                 " for those that wait. Whether the trace as a whole gains is unknown: the main goroutine waits for "
                 "the network, whose other end may be in this process, and which goroutine that is is not recorded.");
    } else if (o->words) {
        text_add(t, ", %s.", o->words);
    } else if (o->hi > (double)f->severity_ns / (double)c->tg->end + SPREAD) {
        const bool of_cost = o->lo * (double)c->tg->end < (double)f->severity_ns * (LEAST + SPREAD);
        text_add(t, ", from %.0f %% of %s to all of that plus what may go away with it.", LEAST * 100,
                 of_cost ? "its cost" : "what the waiters lose");
    } else {
        text_add(t, ", if between %.0f %% and all of it goes away and the rest stays the same.", LEAST * 100);
    }
}
