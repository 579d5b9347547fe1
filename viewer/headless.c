/*
 * headless.c - key scripts and screens as text.
 */
#include "viewer/headless.h"

#include <stdlib.h>
#include <string.h>

#include "decode/mem.h"

static bool print_grid(const struct grid *g, size_t (*line)(const struct grid *, int, char *, size_t), FILE *out)
{
    size_t size = (size_t)g->w * 4 + 1;
    char *buf = mem_alloc(size);
    if (!buf) return false;
    for (int y = 0; y < g->h; y++) {
        line(g, y, buf, size);
        fprintf(out, "%s\n", buf);
    }
    mem_free(buf);
    return true;
}

bool headless_print(struct app *a, bool styles, FILE *out)
{
    if (!app_draw(a)) return false;
    bool ok = print_grid(&a->grid, grid_line, out);
    if (ok && styles) ok = print_grid(&a->grid, grid_line_styles, out);
    return ok;
}

struct script {
    struct app *a;
    bool styles;
    FILE *out, *errors;
    bool quit, failed;
};

static void after(struct script *s, unsigned flags)
{
    while (s->a->working && !(flags & VR_QUIT)) flags |= app_work(s->a, INT64_MAX);
    if (flags & VR_QUIT) s->quit = true;
    /* pop-ups learn their length when drawn, and a reader would see every step */
    if (!s->quit && !app_draw(s->a)) s->failed = true;
}

static void type_key(struct script *s, keycode k)
{
    struct key_event ev = {k, -1, -1};
    if (!s->quit) after(s, app_key(s->a, &ev));
}

static void type_text(struct script *s, const char *text, size_t len)
{
    struct str str = {text, (uint32_t)len};
    for (uint32_t at = 0; at < str.len;) {
        int width;
        type_key(s, str_next(str, &at, &width));
    }
}

static bool run_directive(struct script *s, const char *w, size_t len)
{
    int width, height;
    char copy[40];
    if (len == 6 && memcmp(w, "@print", 6) == 0) {
        s->failed |= !headless_print(s->a, s->styles, s->out);
        return true;
    }
    if (len <= 6 || len >= sizeof copy || memcmp(w, "@size=", 6) != 0) return false;
    memcpy(copy, w + 6, len - 6);
    copy[len - 6] = '\0';
    if (sscanf(copy, "%dx%d", &width, &height) != 2 || width < 1 || height < 1) return false;
    after(s, app_resize(s->a, width, height));
    return true;
}

static bool run_word(struct script *s, const char *w, size_t len)
{
    keycode k;
    enum action act = action_find(w, len);
    bool digits = len > 0;
    for (size_t i = 0; i < len; i++) digits &= w[i] >= '0' && w[i] <= '9';
    if (w[0] == '@' && len > 1) return run_directive(s, w, len);
    bool is_key = key_parse(w, len, &k);
    if (s->a->view.prompt && !is_key) {
        type_text(s, w, len);
    } else if (act != ACT_NONE) {
        after(s, app_do(s->a, act, 0, NULL));
    } else if (is_key) {
        type_key(s, k);
    } else if (digits || w[0] == '/' || w[0] == ':') { /* a count; a prompt and what is typed there */
        type_text(s, w, len);
    } else {
        return false;
    }
    return true;
}

bool headless_run(struct app *a, const char *keys, bool styles, FILE *out, FILE *errors)
{
    struct script s = {.a = a, .styles = styles, .out = out, .errors = errors};
    while (app_load(a, INT64_MAX)) {
    }
    while (a->triaging) (void)app_triage(a, INT64_MAX);
    if (!app_draw(a)) return false;
    const char *p = keys ? keys : "";
    while (*(p += strspn(p, " \t\n")) && !s.quit && !s.failed) {
        const char *close = *p == '"' ? strchr(p + 1, '"') : NULL;
        size_t len = close ? (size_t)(close - p) + 1 : strcspn(p, " \t\n");
        if (close) {
            type_text(&s, p + 1, len - 2);
        } else if (!run_word(&s, p, len)) {
            fprintf(errors, "gotop: --keys: '%.*s' is no key and no action\n", (int)len, p);
            return false;
        }
        p += len;
    }
    if (s.failed) return false;
    return s.quit || headless_print(a, styles, out);
}
