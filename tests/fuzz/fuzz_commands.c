/*
 * fuzz_commands.c - libFuzzer entry for what prints and what writes: each command on a trace. The first byte
 * chooses the command, the second the dialect. What is compared is the trace and its first half.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "decode/base/mem.h"
#include "tests/support/tracegen.h"
#include "triage/exports/rewrite.h"
#include "triage/report/info.h"
#include "triage/report/report.h"
#include "triage/sql/sql.h"

static char path[40], half[40];

static const struct {
    int (*main)(int argc, char **argv);
    char *words[8];
} rows[] = {
    {report_main, {"report", "--quiet", path}},
    {report_main, {"report", "--quiet", "--json", path}},
    {report_main, {"report", "--quiet", "--utf8", "--assert", "stw.max<1ms", path}},
    {diff_main, {"diff", "--quiet", path, path}},
    {pprof_main, {"pprof", "--quiet", "--kind", "sync", path}},
    {pprof_main, {"pprof", "--quiet", "--kind", "cpu", path}},
    {sql_main, {"sql", "--quiet", "--csv", "select * from span", path}},
    {sql_main, {"sql", "--quiet", "--csv", "select * from goroutine", path}},
    {sql_main, {"sql", "--quiet", "--csv", "select * from wait", path}},
    {sql_main, {"sql", "--quiet", "--csv", "select * from range", path}},
    {sql_main, {"sql", "--quiet", "--csv", "select * from task", path}},
    {sql_main, {"sql", "--quiet", "--tsv", "-f", "docs/perfetto.sql", path}},
    {sql_main, {"sql", "--quiet", "--tsv", "-f", "docs/folded.sql", path}},
    /* From here on a first byte above 127 chooses (what the corpus holds keeps its meaning). */
    {diff_main, {"diff", "--quiet", path, half}},
    {diff_main, {"diff", "--quiet", "--json", half, path}},
    {diff_main, {"diff", "--quiet", path, half, "--", half, path}},
    {report_main, {"report", "--quiet", "--timeline", path, path}},
    {report_main, {"report", "--quiet", "--assert", "stw.max<1ms", path, half}},
    {explain_main, {"explain", "--quiet", path, "g1"}},
    {explain_main, {"explain", "--quiet", "--json", path, "task:1"}},
    {info_main, {"info", "--quiet", path}},
    {info_main, {"info", "--quiet", "--json", path}},
    {slice_main, {"slice", "--quiet", "--from", "10%", "--to", "60%", path}},
    {anonymize_main, {"anonymize", "--quiet", path}},
    {sql_main, {"sql", "--quiet", "--csv", "select * from region", path}},
    {sql_main, {"sql", "--quiet", "--csv", "select * from sample where t > 1000", path}},
    {pprof_main, {"pprof", "--quiet", "--kind", "net", "--to", "50%", path}},
    {pprof_main, {"pprof", "--quiet", "--kind", "syscall", "--from", "1ms", path}},
    {pprof_main, {"pprof", "--quiet", "--kind", "sched", "--all", path}},
};
enum { FIRST_ROWS = 13 };
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
    static int fd = -1, fd2 = -1;
    uint8_t head[16];
    if (n < 2)
        return 0;
    if (fd < 0) {
        fd = memfd_create("trace", 0);
        fd2 = memfd_create("half", 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        snprintf(half, sizeof half, "/proc/self/fd/%d", fd2);
        nowhere = fopen("/dev/null", "w");
        if (fd < 0 || !nowhere)
            abort();
    }
    size_t k = tracegen_header(fuzz_version(data), head);
    if (ftruncate(fd, 0) || pwrite(fd, head, k, 0) < 0 || pwrite(fd, data + 2, n - 2, (off_t)k) < 0)
        abort();
    if (ftruncate(fd2, 0) || pwrite(fd2, head, k, 0) < 0 || pwrite(fd2, data + 2, (n - 2) / 2, (off_t)k) < 0)
        abort();
    FILE *out = stdout, *err = stderr;
    char *argv[16] = {NULL};
    int argc = 0,
        row = data[0] < 128 ? data[0] % FIRST_ROWS : FIRST_ROWS + data[0] % ((int)NROWS - FIRST_ROWS);
    argv[argc++] = rows[row].words[0];
    static char o[] = "-o", null[] = "/dev/null", threads[] = "--threads", one[] = "1";
    if (rows[row].main != slice_main && rows[row].main != anonymize_main && rows[row].main != explain_main) {
        argv[argc++] = threads;
        argv[argc++] = one;
    }
    if (rows[row].main != info_main) {
        argv[argc++] = o;
        argv[argc++] = null;
    }
    for (int i = 1; i < 8 && rows[row].words[i]; i++)
        argv[argc++] = rows[row].words[i];
    size_t live = mem_live();
    stdout = stderr = nowhere;
    int status = rows[row].main(argc, argv);
    stdout = out;
    stderr = err;
    if (status < 0 || status > 3 || mem_live() != live) {
        fprintf(stderr, "%s: status %d, %td bytes left\n", rows[row].words[0], status,
                (ptrdiff_t)(mem_live() - live));
        abort();
    }
    return 0;
}
