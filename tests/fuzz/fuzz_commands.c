/*
 * fuzz_commands.c - libFuzzer entry for what prints: report, diff, explain and the exports, each on a trace. The first byte
 * chooses the command, the second the dialect.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "decode/base/mem.h"
#include "tests/support/tracegen.h"
#include "triage/exports/export.h"
#include "triage/report/report.h"

static char path[40];

static const struct {
    int (*main)(int argc, char **argv);
    char *words[6];
} rows[] = {
    {report_main, {"report", "--quiet", path}},
    {report_main, {"report", "--quiet", "--json", path}},
    {report_main, {"report", "--quiet", "--utf8", "--assert", "stw.max<1ms", path}},
    {diff_main, {"diff", "--quiet", path, path}},
    {pprof_main, {"pprof", "--quiet", "--kind", "sync", path}},
    {pprof_main, {"pprof", "--quiet", "--kind", "cpu", path}},
    {csv_main, {"csv", "--quiet", "spans", path}},
    {csv_main, {"csv", "--quiet", "goroutines", path}},
    {csv_main, {"csv", "--quiet", "waits", path}},
    {csv_main, {"csv", "--quiet", "gc", path}},
    {csv_main, {"csv", "--quiet", "tasks", path}},
    {perfetto_main, {"perfetto", "--quiet", path}},
    {folded_main, {"folded", "--quiet", path}},
};
#define NROWS (sizeof rows / sizeof *rows)

int fuzz_skips(void);
int fuzz_skips(void)
{
    return 2;
}

int fuzz_version(const uint8_t *data);
int fuzz_version(const uint8_t *data)
{
    static const int dialect[] = {1022, 1023, 1025, 1026, 1005, 1007, 1011, 1019, 1021, 0};
    return dialect[data[1] % 10];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static FILE *nowhere;
    static int fd = -1;
    uint8_t head[16];
    if (n < 2)
        return 0;
    if (fd < 0) {
        fd = memfd_create("trace", 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        nowhere = fopen("/dev/null", "w");
        if (fd < 0 || !nowhere)
            abort();
    }
    size_t k = tracegen_header(fuzz_version(data), head);
    if (ftruncate(fd, 0) || pwrite(fd, head, k, 0) < 0 || pwrite(fd, data + 2, n - 2, (off_t)k) < 0)
        abort();
    FILE *out = stdout, *err = stderr;
    char *argv[10] = {NULL};
    int argc = 0, row = data[0] % (int)NROWS;
    for (; argc < 6 && rows[row].words[argc]; argc++)
        argv[argc] = rows[row].words[argc];
    static char o[] = "-o", null[] = "/dev/null";
    argv[argc++] = o;
    argv[argc++] = null;
    size_t live = mem_live();
    stdout = stderr = nowhere;
    int status = rows[row].main(argc, argv);
    stdout = out;
    stderr = err;
    if (status < 0 || status > 3 || mem_live() != live)
        abort();
    return 0;
}
