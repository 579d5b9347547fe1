/* allocs_text.c - see allocs_text.h. */
#include "triage/findings/allocs_text.h"
#include "triage/sentence.h"

#define TOLD 2

static void starts_text(struct text *t, const struct trace *tr, const struct allocs *a)
{
    bool more = false;
    text_say(t, tr, " Of ", a->all.starts, a->all.starts == 1 ? " collection" : " collections",
             " that an allocation began, ");
    for (uint32_t i = 0; i < a->n && i < TOLD; i++) {
        if (a->row[i].starts) {
            text_say(t, tr, more ? ", " : "", a->row[i].starts, more ? " in " : " began in ",
                     t_func(a->row[i].func));
            more = true;
        }
    }
    text_add(t, "%s", more ? "." : "none began in these.");
}

/* Each one's part of a kind of evidence. */
static void parts_text(struct text *t, const struct trace *tr, const struct allocs *a, const char *of,
                       double (*part)(const struct alloc_row *r))
{
    bool more = false;
    text_say(t, tr, " Of ", of, " ");
    for (uint32_t i = 0; i < a->n && i < TOLD; i++) {
        if (part(&a->row[i]) > 0 || i == 0) {
            text_say(t, tr, more ? ", " : "", t_func(a->row[i].func), more ? " " : " had ",
                     t_share(part(&a->row[i]), part(&a->all)));
            more = true;
        }
    }
    text_lit(t, ".");
}

static double assist_part(const struct alloc_row *r)
{
    return (double)r->assist_ns;
}

static double sample_part(const struct alloc_row *r)
{
    return (double)r->samples;
}

static double sweep_part(const struct alloc_row *r)
{
    return (double)r->sweeps;
}

void allocs_text(struct text *t, const struct trace *tr, const struct allocs *a)
{
    struct text of = {.ascii = t->ascii};
    if (!a->n)
        return;
    if (a->all.starts)
        starts_text(t, tr, a);
    if (a->all.assist_ns > 0)
        parts_text(t, tr, a, "the time in mark assists", assist_part);
    if (a->all.samples) {
        text_add(&of, "%llu CPU samples in the allocator", (unsigned long long)a->all.samples);
        parts_text(t, tr, a, text_ok(&of) ? of.p : "the CPU samples in the allocator", sample_part);
    }
    if (!a->all.starts && a->all.assist_ns <= 0 && !a->all.samples)
        parts_text(t, tr, a, "the sweeping for new spans", sweep_part);
    text_free(&of);
}
