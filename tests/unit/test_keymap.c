/*
 * test_keymap.c - keys and their names, the keymap language, chords and counts, and the shipped maps.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode/base/mem.h"
#include "viewer/keys/keymap.h"
#include "viewer/keys/keymap_builtin.h"

struct heard {
    int errors, warnings, line; /* line: of the last error, without any of the last warning */
    char last[256], file[256];
};

static void hear(void *arg, bool error, const char *file, int line, const char *what)
{
    struct heard *h = arg;
    if (error)
        h->errors++;
    else
        h->warnings++;
    if (!error && h->errors)
        return;
    h->line = line;
    snprintf(h->last, sizeof h->last, "%s", what);
    snprintf(h->file, sizeof h->file, "%s", file);
}

static struct heard heard;
static const struct file_say say = {hear, &heard};

static struct keymap *parse(const char *text)
{
    struct keymap *km = keymap_new();
    assert_non_null(km);
    memset(&heard, 0, sizeof heard);
    (void)keymap_parse(km, text, strlen(text), "test.keys", &say);
    return km;
}

static keycode key(const char *name)
{
    keycode k = 0;
    assert_true(key_parse(name, strlen(name), &k));
    return k;
}

/* Feed keys by name; the action of the last one, ACT_NONE if nothing came of it. */
static enum action type(const struct keymap *km, enum keyview v, const char *keys, uint32_t *count)
{
    struct keystate st = {0};
    const struct binding *hit = NULL;
    enum action a = ACT_NONE;
    char copy[128], *save = NULL;
    uint32_t n = 0;
    snprintf(copy, sizeof copy, "%s", keys);
    for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save))
        a = keymap_feed(km, &st, v, key(w), &hit, &n) == KEYFEED_HIT ? hit->action : ACT_NONE;
    if (count)
        *count = n;
    return a;
}

static void test_key_names(void **state)
{
    (void)state;
    static const char *same[] = {"a",        "Z",       "C-x",     "M-f",  "C-M-f",   "F5",        "F24",
                                 "Space",    "Esc",     "Enter",   "Tab",  "BackTab", "Backspace", "S-Up",
                                 "C-Left",   "<",       ">",       "M-<",  "M--",     "-",         "|",
                                 "\xc3\xa9", "WheelUp", "C-Space", "C-\\", "C-_"};
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        char buf[KEY_NAME_MAX];
        assert_string_equal(key_text(key(same[i]), buf), same[i]);
    }
    assert_int_equal(key("<Space>"), ' ');
    assert_int_equal(key("<C-Left>"), key("C-Left"));
    assert_int_equal(key("C-X"), key("C-x"));
    assert_int_equal(key("C-m"), key("Enter"));
    assert_int_equal(key("C-i"), key("Tab"));
    assert_int_equal(key("C-["), key("Esc"));
    assert_int_equal(key("C-/"), key("C-_"));
    assert_int_equal(key("M-<Hash>"), K_ALT | '#');
    assert_int_equal(key_normal(1), key("C-a"));
    assert_int_equal(key_normal(127), key("Backspace"));
    assert_int_equal(key_normal(K_ALT | 2), key("C-M-b"));
    static const char *none[] = {"",     "ab",         "C-",   "F0",   "F25",          "Fx",
                                 "\x01", "\x7f",       "\xff", "\xc3", "\xed\xa0\x80", "\xc2\x9b",
                                 "S-a",  "C-\xc3\xa9", "Q-x",  "<>",   "Upp"};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        keycode k;
        if (key_parse(none[i], strlen(none[i]), &k))
            fail_msg("'%s' is taken for a key", none[i]);
    }
}

static void test_parse_errors(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int line;
        const char *what;
    } bad[] = {
        {"bind any x no-such-action\n", 1, "unknown action 'no-such-action'"},
        {"\n# note\nbind any x\n", 3, "an action is missing"},
        {"bind nowhere x quit", 1, "unknown view 'nowhere'"},
        {"bind any C-foo quit", 1, "'C-foo' is no key"},
        {"bind any quit", 1, "'quit' is no key"},
        {"bind", 1, "a view is missing"},
        {"bind any", 1, "a key is missing"},
        {"bind any # quit", 1, "a key is missing ('#' begins a comment)"},
        {"map x quit", 1, "not 'map'"},
        {"unbind any x quit", 1, "'quit' is no key"},
        {"include no-such-map", 1, "there is no keymap 'no-such-map'"},
        {"bind any a b c d e f g quit", 1, "more than 6 keys"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct keymap *km = parse(bad[i].text);
        assert_int_equal(heard.errors, 1);
        assert_int_equal(heard.line, bad[i].line);
        assert_string_equal(heard.file, "test.keys");
        if (!strstr(heard.last, bad[i].what))
            fail_msg("'%s' says '%s'", bad[i].text, heard.last);
        keymap_free(km);
    }
}

/* A message never carries control bytes of the file to the terminal. */
static void test_hostile_text(void **state)
{
    (void)state;
    struct keymap *km = keymap_new();
    static const char text[] = "bind any x evil\x1b[2J\nbind any \0 quit\nbind any \xff quit\n";
    memset(&heard, 0, sizeof heard);
    assert_int_equal(keymap_parse(km, text, sizeof text - 1, "h", &say), ERR_FORMAT);
    assert_int_equal(heard.errors, 3);
    assert_null(strchr(heard.last, 0x1b));
    keymap_free(km);
}

static void test_good_lines_stand(void **state)
{
    (void)state;
    struct keymap *km = parse("bind any x quit\nbind any y nonsense\r\nbind any z help\r\n");
    assert_int_equal(heard.errors, 1);
    assert_int_equal(type(km, (enum keyview)VIEW_GC, "x", NULL), ACT_QUIT);
    assert_int_equal(type(km, (enum keyview)VIEW_GC, "z", NULL), ACT_HELP);
    keymap_free(km);
}

static void test_chords_and_views(void **state)
{
    (void)state;
    struct keymap *km = parse("bind any g g goto-start\n"
                              "bind any g e goto-end # behind it a note\n"
                              "bind any x quit\n"
                              "bind log x help\n"
                              "bind log g g zoom-all\n"
                              "bind threads x x redraw\n"
                              "bind any <Hash> undo\n"
                              "bind any C-x C-c quit\n");
    assert_int_equal(heard.errors + heard.warnings, 0);
    assert_int_equal(type(km, (enum keyview)VIEW_PROCS, "g g", NULL), ACT_GOTO_START);
    assert_int_equal(type(km, (enum keyview)VIEW_LOG, "g g", NULL), ACT_ZOOM_ALL);
    assert_int_equal(type(km, (enum keyview)VIEW_LOG, "g e", NULL),
                     ACT_GOTO_END); /* the view's chord goes on in any's */
    assert_int_equal(type(km, (enum keyview)VIEW_LOG, "x", NULL), ACT_HELP);
    assert_int_equal(type(km, (enum keyview)VIEW_GC, "x", NULL), ACT_QUIT);
    assert_int_equal(type(km, (enum keyview)VIEW_THREADS, "x x", NULL), ACT_REDRAW);
    assert_int_equal(type(km, (enum keyview)VIEW_GC, "C-x C-c", NULL), ACT_QUIT);
    assert_int_equal(type(km, (enum keyview)VIEW_GC, "g q x", NULL),
                     ACT_QUIT); /* a wrong second key ends the chord */

    struct keystate st = {0};
    const struct binding *hit;
    uint32_t n;
    char text[64];
    assert_int_equal(keymap_feed(km, &st, (enum keyview)VIEW_GC, 'g', &hit, &n), KEYFEED_MORE);
    assert_string_equal(keystate_text(&st, text, sizeof text), "g");
    size_t on = 0;
    assert_non_null(keymap_continues(km, &st, &on));
    assert_non_null(keymap_continues(km, &st, &on));
    assert_null(keymap_continues(km, &st, &on));
    assert_int_equal(keymap_feed(km, &st, (enum keyview)VIEW_GC, K_ESC, &hit, &n), KEYFEED_CANCEL);
    assert_int_equal(st.n, 0);
    keymap_free(km);
}

static void test_unbind_and_replace(void **state)
{
    (void)state;
    struct keymap *km = parse("bind any g g goto-start\nbind any g e goto-end\nbind any x quit\n"
                              "unbind any g\nbind any g help\nbind any x undo\nunbind any q\n");
    assert_int_equal(heard.errors, 0);
    assert_int_equal(heard.warnings, 1); /* nothing was bound to q */
    assert_int_equal(type(km, (enum keyview)VIEW_GC, "g", NULL), ACT_HELP);
    assert_int_equal(type(km, (enum keyview)VIEW_GC, "x", NULL), ACT_UNDO);
    keymap_free(km);
    km = parse("bind any g g goto-start\nunbind any g g\nbind any z help\n");
    assert_int_equal(type(km, (enum keyview)VIEW_GC, "g z", NULL), ACT_HELP); /* g is no prefix any more */
    keymap_free(km);
}

static void test_counts(void **state)
{
    (void)state;
    uint32_t n;
    struct keymap *km = parse("bind any l pan-right\nbind any j lane-down 3\nbind log 2 view-processors\n"
                              "bind any ; count\nbind any g 5 help\nbind any F5 goto 1.5s .. 2s  # note\n");
    assert_int_equal(type(km, (enum keyview)VIEW_GC, "l", &n), ACT_PAN_RIGHT);
    assert_int_equal(n, 0);
    assert_int_equal(type(km, (enum keyview)VIEW_GC, "5 l", &n), ACT_PAN_RIGHT);
    assert_int_equal(n, 5);
    assert_int_equal(type(km, (enum keyview)VIEW_GC, "1 2 l", &n), ACT_PAN_RIGHT);
    assert_int_equal(n, 12);
    assert_int_equal(type(km, (enum keyview)VIEW_LOG, "2", NULL), ACT_VIEW_PROCS);
    assert_int_equal(type(km, (enum keyview)VIEW_LOG, "; 2 l", &n), ACT_PAN_RIGHT);
    assert_int_equal(n, 2);
    assert_int_equal(type(km, (enum keyview)VIEW_LOG, "5 l", &n),
                     ACT_PAN_RIGHT); /* one digit is bound: none counts */
    assert_int_equal(n, 0);
    assert_int_equal(type(km, (enum keyview)VIEW_GC, "g 5", NULL), ACT_HELP); /* within a chord it is a key */
    assert_int_equal(type(km, (enum keyview)VIEW_GC, "9 9 9 9 9 9 9 9 9 9 9 9 l", &n), ACT_PAN_RIGHT);
    assert_int_equal(n, KEYMAP_COUNT_MAX);
    assert_int_equal(type(km, (enum keyview)VIEW_GC, "7 Esc l", &n), ACT_PAN_RIGHT);
    assert_int_equal(n, 0);

    const struct binding *b;
    bool three = false, text = false;
    for (size_t at = 0; (b = keymap_next(km, KEYVIEW_ANY, ACT_LANE_DOWN, &at)) != NULL;)
        three |= b->times == 3;
    for (size_t at = 0; (b = keymap_next(km, KEYVIEW_ANY, ACT_GOTO, &at)) != NULL;)
        text |= b->arg && strcmp(b->arg, "1.5s .. 2s") == 0;
    assert_true(three && text);
    keymap_free(km);
}

static int check(struct keymap *km)
{
    memset(&heard, 0, sizeof heard);
    return keymap_check(km, "test.keys", &say);
}

static void test_check_finds(void **state)
{
    (void)state;
    struct keymap *km = parse("include default\nbind any g g zoom-all\n");
    assert_int_equal(heard.errors, 0);
    assert_int_equal(check(km), 1);
    assert_int_equal(heard.line, 2);
    assert_non_null(strstr(heard.last, "'g g' can't be typed"));
    keymap_free(km);

    km = parse("include default\nunbind any u\n");
    assert_int_equal(check(km), 1);
    assert_non_null(strstr(heard.last, "undo"));
    keymap_free(km);

    km = parse("include default\nbind any C-b help\n");
    assert_int_equal(check(km), 0);
    assert_int_equal(heard.warnings >= 1, 1);
    keymap_free(km);

    km = parse("include default\nunbind any u\nbind any M-u undo\n");
    assert_int_equal(check(km), 0);
    assert_non_null(strstr(heard.last, "alone"));
    keymap_free(km);
}

/* Every shipped map: no complaint, every action within reach of a plain keyboard, and it dumps to itself. */
static void test_shipped(void **state)
{
    (void)state;
    int maps = 0;
    for (const struct builtin_keymap *b = builtin_keymaps; b->name; b++, maps++) {
        struct keymap *km = keymap_new();
        memset(&heard, 0, sizeof heard);
        enum err_code rc = keymap_parse(km, b->text, strlen(b->text), b->name, &say);
        if (rc || heard.errors || heard.warnings)
            fail_msg("%s:%d: %s", heard.file, heard.line, heard.last);
        if (check(km))
            fail_msg("%s: %s", b->name, heard.last);
        if (strstr(heard.last, "alone"))
            fail_msg("%s: %s", b->name, heard.last);

        char *one = NULL, *two = NULL;
        size_t n1, n2;
        FILE *f = open_memstream(&one, &n1);
        keymap_dump(km, f);
        fclose(f);
        struct keymap *back = parse(one);
        assert_int_equal(heard.errors + heard.warnings, 0);
        f = open_memstream(&two, &n2);
        keymap_dump(back, f);
        fclose(f);
        assert_string_equal(one, two);
        free(one);
        free(two);
        keymap_free(back);
        keymap_free(km);
    }
    assert_int_equal(maps, 3);
}

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* The user's default.keys is found first, and its "include default" is the shipped one. */
static void test_search_path(void **state)
{
    (void)state;
    char dir[] = "/tmp/gotop-keymap-XXXXXX", path[300], sub[256];
    assert_non_null(mkdtemp(dir));
    snprintf(sub, sizeof sub, "%s/gotop", dir);
    assert_int_equal(mkdir(sub, 0700), 0);
    setenv("XDG_CONFIG_HOME", dir, 1);
    snprintf(path, sizeof path, "%s/default.keys", sub);
    write_file(path, "include default\nbind any x quit\n");

    struct keymap *km = keymap_new();
    memset(&heard, 0, sizeof heard);
    assert_int_equal(keymap_load(km, "default", &say), ERR_OK);
    assert_int_equal(heard.errors, 0);
    assert_int_equal(type(km, (enum keyview)VIEW_GC, "x", NULL), ACT_QUIT);
    assert_int_equal(type(km, (enum keyview)VIEW_GC, "u", NULL), ACT_UNDO);
    keymap_free(km);

    km = keymap_new();
    assert_int_equal(keymap_load(km, path, &say), ERR_OK); /* by path as well */
    assert_int_equal(keymap_load(km, "no-such", &say), ERR_IO);
    assert_int_equal(keymap_load(km, sub, &say), ERR_IO); /* a folder */
    keymap_free(km);

    static const struct {
        const char *text;
        enum action u, j; /* what these keys do */
    } nothing[] = {{"", ACT_UNDO, ACT_LANE_DOWN},
                   {"# mine\n\n", ACT_UNDO, ACT_LANE_DOWN},
                   {"unbind any u\n", ACT_NONE, ACT_LANE_DOWN}};
    for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++) { /* binds nothing: the shipped one holds */
        write_file(path, nothing[i].text);
        for (int by_path = 0; by_path < 2; by_path++) {
            km = keymap_new();
            memset(&heard, 0, sizeof heard);
            assert_int_equal(keymap_load(km, by_path ? path : "default", &say), ERR_OK);
            assert_int_equal(heard.errors, 0);
            assert_true(heard.warnings > 0);
            assert_int_equal(type(km, (enum keyview)VIEW_GC, "u", NULL), nothing[i].u);
            assert_int_equal(type(km, (enum keyview)VIEW_GC, "j", NULL), nothing[i].j);
            keymap_free(km);
        }
    }

    write_file(path, "include other\n");
    char other[300];
    snprintf(other, sizeof other, "%s/other.keys", sub);
    write_file(other, "include default\n"); /* a circle */
    km = keymap_new();
    memset(&heard, 0, sizeof heard);
    assert_int_equal(keymap_load(km, "default", &say), ERR_FORMAT);
    assert_true(heard.errors >= 1);
    keymap_free(km);
    unlink(path);
    unlink(other);
    rmdir(sub);
    rmdir(dir);
    unsetenv("XDG_CONFIG_HOME");
}

/* Whatever a map leaves out, one gets out. */
static void test_way_out(void **state)
{
    (void)state;
    static const struct {
        const char *text, *key;
        enum action is;
    } maps[] = {{"bind any x lane-down\n", "q", ACT_BACK},
                {"bind any q lane-down\n", "Q", ACT_QUIT},
                {"bind gc q z lane-down\nbind popup Q lane-down\n", "F10", ACT_QUIT},
                {"bind any x quit\n", "q", ACT_NONE},
                {"bind any x back\n", "q", ACT_NONE}};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
        struct keymap *km = parse(maps[i].text);
        keymap_way_out(km);
        assert_int_equal(type(km, (enum keyview)VIEW_WAITS, maps[i].key, NULL), maps[i].is);
        keymap_free(km);
    }
}

/* Help stands on a screen of 80 columns, a line an action. */
static void test_action_rows(void **state)
{
    (void)state;
    for (enum action a = ACT_NONE + 1; a < ACT_COUNT; a++) {
        if (strlen(action_help(a)) > 53)
            fail_msg("%s: its help is too long", action_name(a));
        assert_true(strlen(action_name(a)) <= 18);
        assert_int_equal(action_find(action_name(a), strlen(action_name(a))), a);
        assert_int_equal(action_complete(action_name(a), strlen(action_name(a))), a);
        keycode k;
        assert_false(
            key_parse(action_name(a), strlen(action_name(a)), &k)); /* no action is called like a key */
    }
    assert_int_equal(action_find("nope", 4), ACT_NONE);
    assert_int_equal(action_complete("zoom-o", 6), ACT_ZOOM_OUT);
    assert_int_equal(action_complete("zoom-", 5), ACT_NONE); /* more than one */
    assert_int_equal(action_complete("", 0), ACT_NONE);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    size_t before = mem_live();
    static const char text[] =
        "bind any g g goto-start\nbind log x pan-left 4\nunbind any g\ninclude default\n";
    for (long n = 1; n < 2000; n++) {
        mem_fail_after(n);
        struct keymap *km = keymap_new();
        enum err_code rc = km ? keymap_parse(km, text, sizeof text - 1, "t", NULL) : ERR_NOMEM;
        mem_fail_after(-1);
        keymap_free(km);
        assert_int_equal(mem_live(), before);
        if (rc == ERR_OK)
            return;
        assert_int_equal(rc, ERR_NOMEM);
    }
    fail_msg("never succeeded");
}

int main(void)
{
    setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_key_names),        cmocka_unit_test(test_parse_errors),
        cmocka_unit_test(test_hostile_text),     cmocka_unit_test(test_good_lines_stand),
        cmocka_unit_test(test_chords_and_views), cmocka_unit_test(test_unbind_and_replace),
        cmocka_unit_test(test_counts),           cmocka_unit_test(test_check_finds),
        cmocka_unit_test(test_shipped),          cmocka_unit_test(test_search_path),
        cmocka_unit_test(test_way_out),          cmocka_unit_test(test_action_rows),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests_name("keymap", tests, NULL, NULL);
}
