/*
 * tracegen.c - the event tables of all dialects, and the small tools that both directions share.
 *
 * The tables were written from the format's description and by no other table of this program, so that a slip
 * in the decoder's does not hide behind the same slip here.
 */
#include "tests/support/tracegen.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LAST 9999

static const struct tracegen_event v1[] = {
    {"Gomaxprocs", 4, 0, LAST, "procs stack@"},
    {"ProcStart", 5, 0, 0, ""},
    {"ProcStart", 5, 1005, LAST, "thread"},
    {"ProcStop", 6, 0, LAST, ""},
    {"GCStart", 7, 0, 1005, "stack@"},
    {"GCStart", 7, 1007, LAST, "seq stack@"},
    {"GCDone", 8, 0, LAST, ""},
    {"STWStart", 9, 0, 1009, ""},
    {"STWStart", 9, 1010, LAST, "kind"},
    {"STWDone", 10, 0, LAST, ""},
    {"GCSweepStart", 11, 0, LAST, "stack@"},
    {"GCSweepDone", 12, 0, 1008, ""},
    {"GCSweepDone", 12, 1009, LAST, "swept reclaimed"},
    {"GoCreate", 13, 0, 1005, "g pc^ stack@"},
    {"GoCreate", 13, 1007, LAST, "g new_stack@ stack@"},
    {"GoStart", 14, 0, 1005, "g"},
    {"GoStart", 14, 1007, LAST, "g seq"},
    {"GoEnd", 15, 0, LAST, ""},
    {"GoStop", 16, 0, LAST, "stack@"},
    {"GoSched", 17, 0, LAST, "stack@"},
    {"GoPreempt", 18, 0, LAST, "stack@"},
    {"GoSleep", 19, 0, LAST, "stack@"},
    {"GoBlock", 20, 0, LAST, "stack@"},
    {"GoUnblock", 21, 0, 1005, "g stack@"},
    {"GoUnblock", 21, 1007, LAST, "g seq stack@"},
    {"GoBlockSend", 22, 0, LAST, "stack@"},
    {"GoBlockRecv", 23, 0, LAST, "stack@"},
    {"GoBlockSelect", 24, 0, LAST, "stack@"},
    {"GoBlockSync", 25, 0, LAST, "stack@"},
    {"GoBlockCond", 26, 0, LAST, "stack@"},
    {"GoBlockNet", 27, 0, LAST, "stack@"},
    {"GoSysCall", 28, 0, LAST, "stack@"},
    {"GoSysExit", 29, 0, 0, "g"},
    {"GoSysExit", 29, 1005, LAST, "g seq ticks"},
    {"GoSysBlock", 30, 0, 0, "stack@"},
    {"GoSysBlock", 30, 1005, LAST, ""},
    {"GoWaiting", 31, 0, LAST, "g"},
    {"GoInSyscall", 32, 0, LAST, "g"},
    {"HeapAlloc", 33, 0, LAST, "bytes"},
    {"HeapGoal", 34, 0, LAST, "bytes"},
    {"FutileWakeup", 36, 1005, LAST, ""},
    {"GoStartLocal", 38, 1007, LAST, "g"},
    {"GoUnblockLocal", 39, 1007, LAST, "g stack@"},
    {"GoSysExitLocal", 40, 1007, LAST, "g ticks"},
    {"GoStartLabel", 41, 1008, LAST, "g seq label$"},
    {"GoBlockGC", 42, 1008, LAST, "stack@"},
    {"GCMarkAssistStart", 43, 1009, LAST, "stack@"},
    {"GCMarkAssistDone", 44, 1009, LAST, ""},
    {"UserTaskCreate", 45, 1011, LAST, "task parent name$ stack@"},
    {"UserTaskEnd", 46, 1011, LAST, "task stack@"},
    {"UserRegion", 47, 1011, LAST, "task mode name$ stack@"},
    {"UserLog", 48, 1011, LAST, "task key$ stack@"}, /* and value="..", which stands behind the event */
    {"CPUSample", 49, 1019, LAST, "ticks p g stack@"},
};

static const struct tracegen_event v2[] = {
    {"ProcsChange", 9, 1022, LAST, "procs stack@"},
    {"ProcStart", 10, 1022, LAST, "p p_seq"},
    {"ProcStop", 11, 1022, LAST, ""},
    {"ProcSteal", 12, 1022, LAST, "p p_seq m"},
    {"ProcStatus", 13, 1022, LAST, "p pstatus%"},
    {"GoCreate", 14, 1022, LAST, "new_g new_stack@ stack@"},
    {"GoCreateSyscall", 15, 1022, LAST, "new_g"},
    {"GoStart", 16, 1022, LAST, "g g_seq"},
    {"GoDestroy", 17, 1022, LAST, ""},
    {"GoDestroySyscall", 18, 1022, LAST, ""},
    {"GoStop", 19, 1022, LAST, "reason$ stack@"},
    {"GoBlock", 20, 1022, LAST, "reason$ stack@"},
    {"GoUnblock", 21, 1022, LAST, "g g_seq stack@"},
    {"GoSyscallBegin", 22, 1022, LAST, "p_seq stack@"},
    {"GoSyscallEnd", 23, 1022, LAST, ""},
    {"GoSyscallEndBlocked", 24, 1022, LAST, ""},
    {"GoStatus", 25, 1022, LAST, "g m gstatus%"},
    {"STWBegin", 26, 1022, LAST, "kind$ stack@"},
    {"STWEnd", 27, 1022, LAST, ""},
    {"GCActive", 28, 1022, LAST, "gc_seq"},
    {"GCBegin", 29, 1022, LAST, "gc_seq stack@"},
    {"GCEnd", 30, 1022, LAST, "gc_seq"},
    {"GCSweepActive", 31, 1022, LAST, "p"},
    {"GCSweepBegin", 32, 1022, LAST, "stack@"},
    {"GCSweepEnd", 33, 1022, LAST, "swept reclaimed"},
    {"GCMarkAssistActive", 34, 1022, LAST, "g"},
    {"GCMarkAssistBegin", 35, 1022, LAST, "stack@"},
    {"GCMarkAssistEnd", 36, 1022, LAST, ""},
    {"HeapAlloc", 37, 1022, LAST, "bytes"},
    {"HeapGoal", 38, 1022, LAST, "bytes"},
    {"GoLabel", 39, 1022, LAST, "label$"},
    {"UserTaskBegin", 40, 1022, LAST, "task parent name$ stack@"},
    {"UserTaskEnd", 41, 1022, LAST, "task stack@"},
    {"UserRegionBegin", 42, 1022, LAST, "task name$ stack@"},
    {"UserRegionEnd", 43, 1022, LAST, "task name$ stack@"},
    {"UserLog", 44, 1022, LAST, "task key$ value$ stack@"},
    {"GoSwitch", 45, 1023, LAST, "g g_seq"},
    {"GoSwitchDestroy", 46, 1023, LAST, "g g_seq"},
    {"GoCreateBlocked", 47, 1023, LAST, "new_g new_stack@ stack@"},
    {"GoStatusStack", 48, 1023, LAST, "g m gstatus% stack@"},
    {"ClockSnapshot", 51, 1025, LAST, "mono sec nsec"},
    {"Span", 128, 1023, LAST, "id npages class"},
    {"SpanAlloc", 129, 1023, LAST, "id npages class"},
    {"SpanFree", 130, 1023, LAST, "id"},
    {"HeapObject", 131, 1023, LAST, "id type"},
    {"HeapObjectAlloc", 132, 1023, LAST, "id type"},
    {"HeapObjectFree", 133, 1023, LAST, "id"},
    {"GoroutineStack", 134, 1023, LAST, "id order"},
    {"GoroutineStackAlloc", 135, 1023, LAST, "id order"},
    {"GoroutineStackFree", 136, 1023, LAST, "id"},
};

static const struct tracegen_event *in_dialect(int version, size_t i, size_t *n)
{
    const struct tracegen_event *t = version >= 1022 ? v2 : v1;
    *n = version >= 1022 ? sizeof v2 / sizeof *v2 : sizeof v1 / sizeof *v1;
    return i < *n && t[i].since <= version && version <= t[i].until ? &t[i] : NULL;
}

const struct tracegen_event *tracegen_event(int version, size_t i)
{
    size_t n = 1, seen = 0;
    for (size_t k = 0; k < n; k++) {
        const struct tracegen_event *e = in_dialect(version, k, &n);
        if (e && seen++ == i)
            return e;
    }
    return NULL;
}

const struct tracegen_event *tracegen_by_name(int version, const char *name)
{
    size_t n = 1;
    for (size_t k = 0; k < n; k++) {
        const struct tracegen_event *e = in_dialect(version, k, &n);
        if (e && *e->name == *name && strcmp(e->name, name) == 0) /* sanitized, a call costs much */
            return e;
    }
    return NULL;
}

const struct tracegen_event *tracegen_by_num(int version, unsigned num)
{
    size_t n = 1;
    for (size_t k = 0; k < n; k++) {
        const struct tracegen_event *e = in_dialect(version, k, &n);
        if (e && e->num == num)
            return e;
    }
    return NULL;
}

unsigned tracegen_args(const struct tracegen_event *e, char name[TRACEGEN_ARGS][16], char kind[TRACEGEN_ARGS])
{
    unsigned n = 0;
    for (const char *p = e->args; *p && n < TRACEGEN_ARGS; n++) {
        size_t len = strcspn(p, " "), body = len;
        kind[n] = strchr("$@^%", p[len - 1]) ? p[len - 1] : '#';
        if (kind[n] != '#')
            body--;
        body = body < 15 ? body : 15;
        memcpy(name[n], p, body);
        name[n][body] = 0;
        p += len + (p[len] == ' ');
    }
    return n;
}

const char *tracegen_state(const char *arg, uint64_t v)
{
    static const char *const p[] = {"bad", "running", "idle", "syscall", "abandoned"};
    static const char *const g[] = {"bad", "runnable", "running", "syscall", "waiting"};
    return v > 4 ? NULL : strcmp(arg, "pstatus") == 0 ? p[v] : g[v];
}

size_t tracegen_header(int version, uint8_t out[16])
{
    char text[40];
    memset(out, 0, 16);
    if (version == 0) {
        memcpy(out, "gotrace", 8);
        return 8;
    }
    int n = snprintf(text, sizeof text, "go %d.%d trace", version / 1000, version % 1000);
    memcpy(out, text, n < 16 ? (size_t)n : 16);
    return 16;
}

void tracegen_put(struct tracegen_buf *b, const void *p, size_t n)
{
    if (b->n + n + 1 > b->cap) {
        size_t cap = b->cap ? b->cap : 256;
        while (cap < b->n + n + 1)
            cap *= 2;
        uint8_t *q = realloc(b->p, cap);
        if (!q) {
            fprintf(stderr, "tracegen: out of memory\n");
            abort();
        }
        b->p = q;
        b->cap = cap;
    }
    if (n)
        memcpy(b->p + b->n, p, n);
    b->n += n;
    b->p[b->n] = 0;
}

void tracegen_printf(struct tracegen_buf *b, const char *fmt, ...)
{
    char s[512];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(s, sizeof s, fmt, ap);
    va_end(ap);
    tracegen_put(b, s, n < (int)sizeof s ? (size_t)n : sizeof s - 1);
}

void tracegen_varint(struct tracegen_buf *b, uint64_t v, unsigned pad)
{
    uint8_t out[10];
    unsigned n = 0;
    do {
        out[n++] = (uint8_t)((v & 0x7f) | 0x80);
        v >>= 7;
    } while (v || (n < pad && n < sizeof out));
    out[n - 1] &= 0x7f;
    tracegen_put(b, out, n);
}

void tracegen_free(struct tracegen_buf *b)
{
    free(b->p);
    memset(b, 0, sizeof *b);
}

uint8_t *tracegen_bytes(const char *text, size_t *n)
{
    struct tracegen_buf b = {0};
    char err[200];
    if (tracegen_encode(text, &b, err, sizeof err) != 0) {
        fprintf(stderr, "tracegen: %s\n", err);
        abort();
    }
    *n = b.n;
    return b.p;
}
