/* retell.c - see retell.h. */
#include "triage/findings/retell.h"

#include <string.h>

#include "decode/base/mem.h"

void retell(struct rules *rs, struct finding *f, struct text *before, struct text *behind)
{
    struct text t = {0};
    text_raw(&t, before->p ? before->p : "", before->n);
    text_raw(&t, f->text, strlen(f->text));
    text_raw(&t, behind->p ? behind->p : "", behind->n);
    char *s = text_ok(before) && text_ok(behind) ? text_take(&t) : NULL;
    text_free(&t);
    text_free(before);
    text_free(behind);
    if (!s) {
        rs->failed = true;
        return;
    }
    mem_free(f->text);
    f->text = s;
}

void retell_before(struct rules *rs, struct finding *f, struct text *before)
{
    retell(rs, f, before, &(struct text){0});
}

void retell_behind(struct rules *rs, struct finding *f, struct text *behind)
{
    retell(rs, f, &(struct text){0}, behind);
}

static void replace(struct rules *rs, char **old, struct text *t)
{
    char *s = text_take(t);
    rs->failed |= !s;
    if (s) {
        mem_free(*old);
        *old = s;
    }
}

void retell_next(struct rules *rs, struct finding *f, const char *what)
{
    struct text next = {0};
    text_raw(&next, what, strlen(what));
    replace(rs, &f->next, &next);
}

void retell_advice(struct rules *rs, struct finding *f, struct text *what)
{
    replace(rs, &f->next, what);
}

void retell_as(struct rules *rs, struct finding *f, enum rule r)
{
    struct text title = {0};
    text_add(&title, "%s", rule_title(r));
    replace(rs, &f->title, &title);
    f->rule = r;
    f->view = rule_view(r);
}
