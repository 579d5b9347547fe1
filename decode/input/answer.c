/* answer.c - see answer.h. */
#include "decode/input/answer.h"

#include <string.h>
#include <strings.h>

static struct answer *of(http_parser *p)
{
    return p->data;
}

static int on_begin(http_parser *p)
{
    struct answer *a = of(p);
    if (a->whole) /* more behind the answer: nobody asked for it */
        return 1;
    a->begun = true;
    a->to[a->nto = 0] = '\0';
    return 0;
}

/* A header's name may come in pieces; of longer ones than we look for it suffices that they are longer. */
static int on_field(http_parser *p, const char *at, size_t n)
{
    struct answer *a = of(p);
    if (a->at_location || a->nname == SIZE_MAX) { /* the value before it is over */
        a->nname = 0;
        a->at_location = false;
    }
    for (size_t i = 0; i < n && a->nname + 1 < sizeof a->name; i++)
        a->name[a->nname++] = at[i];
    a->name[a->nname] = '\0';
    return 0;
}

static int on_value(http_parser *p, const char *at, size_t n)
{
    struct answer *a = of(p);
    if (a->nname != SIZE_MAX) {
        a->at_location = strcasecmp(a->name, "Location") == 0;
        a->nto = a->at_location ? 0 : a->nto;
        a->nname = SIZE_MAX;
    }
    if (!a->at_location)
        return 0;
    for (size_t i = 0; i < n; i++) {
        if (a->nto + 1 == sizeof a->to || (unsigned char)at[i] <= 0x20 || at[i] == 0x7f)
            a->nto = sizeof a->to; /* too long, or no address */
        if (a->nto < sizeof a->to)
            a->to[a->nto++] = at[i];
    }
    if (a->nto < sizeof a->to)
        a->to[a->nto] = '\0';
    else
        a->to[0] = '\0';
    return 0;
}

static int on_headers(http_parser *p)
{
    struct answer *a = of(p);
    a->at_location = false;
    a->nname = 0;
    if (p->status_code / 100 != 1)
        a->status = (int)p->status_code;
    else if (p->status_code == 101 || ++a->interim > ANSWER_INTERIM)
        return -1;
    return 0;
}

static int on_body(http_parser *p, const char *at, size_t n)
{
    struct answer *a = of(p);
    memmove(a->out, at, n); /* what frames it stood before it */
    a->out += n;
    return 0;
}

static int on_end(http_parser *p)
{
    struct answer *a = of(p);
    a->whole = a->status != 0;
    if (a->whole)
        http_parser_pause(p, 1);
    return 0;
}

static const http_parser_settings settings = {.on_message_begin = on_begin,
                                              .on_header_field = on_field,
                                              .on_header_value = on_value,
                                              .on_headers_complete = on_headers,
                                              .on_body = on_body,
                                              .on_message_complete = on_end};

void answer_begin(struct answer *a)
{
    memset(a, 0, sizeof *a);
    http_parser_init(&a->parser, HTTP_RESPONSE);
    a->parser.data = a;
}

static void look(struct answer *a, bool at_end)
{
    const enum http_errno no = HTTP_PARSER_ERRNO(&a->parser);
    if (a->whole)
        return;
    if (no == HPE_HEADER_OVERFLOW)
        a->broken = "its headers are longer than 80 KB";
    else if (no != HPE_OK && !(at_end && no == HPE_INVALID_EOF_STATE))
        a->broken = "it is no HTTP";
    else if (a->parser.upgrade)
        a->broken = "it goes over to another protocol";
    if (a->broken)
        a->to[0] = '\0';
}

size_t answer_take(struct answer *a, uint8_t *p, size_t n)
{
    if (a->whole || a->broken || !n)
        return 0;
    a->out = p;
    (void)http_parser_execute(&a->parser, &settings, (const char *)p, n);
    look(a, false);
    return (size_t)(a->out - p);
}

void answer_end(struct answer *a)
{
    if (a->whole || a->broken)
        return;
    a->out = NULL; /* no body comes of nothing */
    (void)http_parser_execute(&a->parser, &settings, NULL, 0);
    look(a, true);
}
