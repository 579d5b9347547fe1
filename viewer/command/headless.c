/*
 * headless.c - key scripts and screens as text.
 */
#include "viewer/command/headless.h"

#include <stdlib.h>
#include <string.h>

#include "decode/base/door.h"
#include "decode/base/mem.h"
#include "decode/base/utf8.h"
#include "layout/draw/popup.h"
#include "viewer/command/cmdline.h"
#include "viewer/command/svg.h"
#include "viewer/session/app_live.h"
#include "viewer/session/pair.h"
#include "layout/draw/status.h"

static bool print_grid(const struct grid *g, size_t (*line)(const struct grid *, int, char *, size_t),
                       FILE *out)
{
    size_t size = (size_t)g->w * 4 + 1;
    char *buf = mem_alloc(size);
    if (!buf)
        return false;
    for (int y = 0; y < g->h; y++) {
        line(g, y, buf, size);
        fprintf(out, "%s\n", buf);
    }
    mem_free(buf);
    return true;
}

/* Draw until nothing is due: drawing may find that work is left. */
static bool headless_draw(struct app *a)
{
    bool ok = app_draw(a);
    while (ok && app_has(a, DUE_VIEW)) {
        while (app_has(a, DUE_VIEW))
            (void)app_work(a, INT64_MAX);
        ok = app_draw(a);
    }
    return ok;
}

bool headless_print(struct app *a, enum headless_as as, FILE *out)
{
    if (!headless_draw(a))
        return false;
    if (as == HEADLESS_SVG) {
        svg_print(&a->grid, a->colours.palette, out);
        return true;
    }
    bool ok = print_grid(&a->grid, grid_line, out);
    if (ok && as == HEADLESS_STYLES)
        ok = print_grid(&a->grid, grid_line_styles, out);
    return ok;
}

struct script {
    struct app *a;
    enum headless_as as;
    bool linear, reading;
    FILE *out, *errors;
    bool quit, failed;
    int view;              /* the view of the last line */
    char was[STATUS_MOST]; /* what the last line said is under the cursor; "": something else */
};

/* ---- one line ------------------------------------------------------------------------------------------ */

/* Print text, with '?' for characters that this output can't show. */
static void print_safe(const struct script *s, const char *text)
{
    struct str t = str_of(text);
    for (uint32_t at = 0; at < t.len;) {
        int width;
        char out[4];
        uint32_t cp = str_next(t, &at, &width);
        const size_t n = (size_t)utf8_write(s->a->utf8 || cp < 0x7f ? cp : '?', out);
        fwrite(out, 1, n, s->out);
    }
}

/* Print the lines of a pop-up, as they are copied. */
static void print_popup(const struct script *s)
{
    struct text text = {0};
    char *save = NULL;
    popup_print(&s->a->view, &text);
    const char *gap = "";
    for (char *line = text.p ? strtok_r(text.p, "\n", &save) : NULL; line;
         line = strtok_r(NULL, "\n", &save)) {
        line += strspn(line, " ");
        if (!*line)
            continue;
        fputs(gap, s->out);
        print_safe(s, line);
        gap = " ; ";
    }
    text_free(&text);
}

/* Print what is under the cursor, unless the last line said the same and there is something else to say. */
static bool print_here(struct script *s, bool same)
{
    const struct view *v = &s->a->view;
    char line[STATUS_MOST];
    status_text(v, line, sizeof line);
    same = same && v->msg.text[0] && strcmp(line, s->was) == 0;
    if (!same)
        print_safe(s, line);
    snprintf(s->was, sizeof s->was, "%s", line);
    return !same;
}

/* Print the place: the view if it has changed, what is under the cursor, and gotop's message. */
static void print_linear(struct script *s)
{
    const struct view *v = &s->a->view;
    const bool same = v->at.view == s->view;
    bool any = true;
    if (v->prompt.kind)
        return;
    if (!same)
        fprintf(s->out, "[%s] ", keyview_name((enum keyview)v->at.view));
    s->view = v->at.view;
    if (v->popup.kind) {
        print_popup(s);
        s->was[0] = 0;
    } else {
        any = print_here(s, same);
    }
    if (v->msg.text[0])
        fprintf(s->out, "%s(%s)", any ? "  " : "", v->msg.text);
    fputc('\n', s->out);
    s->quit |= fflush(s->out) != 0; /* the reader has gone; finish_output() reports it */
}

/* ---- scripts ------------------------------------------------------------------------------------------- */

static void after(struct script *s, unsigned flags)
{
    bool busy;
    s->a = pair_shown(s->a);
    if (s->a->follow && !(flags & VR_QUIT)) /* the program has ended, and the view may want tables now */
        flags |= app_live(s->a, INT64_MAX, &busy);
    for (unsigned news; app_busy(s->a) && !(flags & VR_QUIT); flags |= news)
        (void)app_step(s->a, INT64_MAX, &news);
    if (flags & VR_QUIT)
        s->quit = true;
    /* Drawing tells a pop-up its length, and a reader would see every step drawn. */
    s->failed |= !s->quit && !headless_draw(s->a);
    if (s->linear && !s->quit)
        print_linear(s);
}

static void type_key(struct script *s, keycode k)
{
    struct key_event ev = {k, -1, -1};
    if (!s->quit)
        after(s, app_key(s->a, &ev));
}

static void type_text(struct script *s, const char *text, size_t len)
{
    for (size_t at = 0, n; at < len; at += n) {
        uint32_t c = '?';
        n = utf8_read(text + at, len - at, &c);
        n += n == 0;
        type_key(s, c);
    }
}

static bool run_directive(struct script *s, const char *w, size_t len)
{
    int width, height;
    char copy[40];
    if (len == 6 && memcmp(w, "@print", 6) == 0) {
        s->failed |= !headless_print(s->a, s->as, s->out);
        return true;
    }
    if (len <= 6 || len >= sizeof copy || memcmp(w, "@size=", 6) != 0)
        return false;
    memcpy(copy, w + 6, len - 6);
    copy[len - 6] = '\0';
    if (!cmdline_size(copy, &width, &height))
        return false;
    after(s, app_resize(s->a, width, height));
    return true;
}

static bool run_word(struct script *s, const char *w, size_t len)
{
    keycode k;
    enum action act = action_find(w, len);
    bool digits = len > 0;
    for (size_t i = 0; i < len; i++)
        digits &= w[i] >= '0' && w[i] <= '9';
    if (w[0] == '@' && len > 1)
        return run_directive(s, w, len);
    bool is_key = key_parse(w, len, &k);
    if (s->a->view.prompt.kind && !is_key)
        type_text(s, w, len);
    else if (act != ACT_NONE)
        after(s, app_do(s->a, act, 0, NULL));
    else if (is_key)
        type_key(s, k);
    else if (digits || w[0] == '/' || w[0] == ':') /* digits are a count; a prompt takes what is typed */
        type_text(s, w, len);
    else
        return false;
    return true;
}

static bool run_words(struct script *s, const char *p)
{
    while (*(p += strspn(p, " \t\n")) && !s->quit && !s->failed) {
        const char *close = *p == '"' ? strchr(p + 1, '"') : NULL;
        size_t len = close ? (size_t)(close - p) + 1 : strcspn(p, " \t\n");
        if (close) {
            type_text(s, p + 1, len - 2);
        } else if (!run_word(s, p, len)) {
            char word[200];
            str_safe((struct str){p, (uint32_t)(len < 100 ? len : 100)}, word, sizeof word);
            door_printf(s->reading ? s->out : s->errors, "%s'%s' is no key and no action\n",
                        s->reading ? "" : "gotop: --keys: ", word);
            if (!s->reading)
                return false;
        }
        p += len;
    }
    return true;
}

static bool headless_begin(struct app *a)
{
    unsigned flags;
    while (app_busy(a))
        (void)app_step(a, INT64_MAX, &flags);
    return headless_draw(a);
}

bool headless_linear(struct app *a, const char *keys, FILE *in, FILE *out, FILE *errors)
{
    struct script s = {.a = pair_shown(a), .linear = true, .reading = !keys, .out = out, .errors = errors};
    char line[4096];
    if (!headless_begin(s.a))
        return false;
    if (trace_fatal(s.a->tr))
        return true;
    print_linear(&s);
    if (keys)
        return run_words(&s, keys) && !s.failed;
    while (!s.quit && !s.failed && fgets(line, sizeof line, in)) {
        if (line[strspn(line, " \t\r\n")])
            (void)run_words(&s, line);
        else
            print_linear(&s);
        fflush(out);
    }
    return !s.failed;
}

bool headless_run(struct app *a, const char *keys, enum headless_as as, FILE *out, FILE *errors)
{
    struct script s = {.a = pair_shown(a), .as = as, .out = out, .errors = errors};
    if (!headless_begin(s.a))
        return false;
    if (!run_words(&s, keys ? keys : "") || s.failed)
        return false;
    return s.quit || headless_print(s.a, as, out);
}
