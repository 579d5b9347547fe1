/* dialect.c - see dialect.h. The first family's dialects stand here, the second's in events_v2.def. */
#include "decode/input/dialect.h"

#include <stdio.h>
#include <string.h>

#include "decode/v2/v2_events.h"

static const struct {
    int version;
    const char *name;
} table[] = {
    {0, "gotrace"},    {1005, "go 1.5 or 1.6"}, {1007, "go 1.7"},          {1008, "go 1.8"},
    {1009, "go 1.9"},  {1010, "go 1.10"},       {1011, "go 1.11 to 1.18"}, {1019, "go 1.19 or 1.20"},
    {1021, "go 1.21"},
#define D(minor, who) {1000 + (minor), who},
#include "decode/v2/events_v2.def"
};
enum { DIALECTS = sizeof table / sizeof *table };

/* What people give instead, and what to do. What gotop unpacks by itself it has unpacked, once, when this is
 * asked. */
static const struct other {
    const char *magic, *why;
    uint8_t n;
    uint16_t at;
} others[] = {
    {"\x1f\x8b", "is compressed twice, the second time by gzip: unpack it once (gzip -dc)", 2, 0},
    {"\x28\xb5\x2f\xfd", "is compressed twice, the second time by zstd: unpack it once (zstd -dc)", 4, 0},
    {"PK\3\4", "is a zip archive in a pipe, or compressed once more: unpack it first", 4, 0},
    {"\xfd"
     "7zXZ",
     "is compressed by xz, which gotop doesn't read: unpack it first (xz -dc)", 5, 0},
    {"BZh", "is compressed by bzip2, which gotop doesn't read: unpack it first (bzip2 -dc)", 3, 0},
    {"\x04\x22\x4d\x18", "is compressed by lz4, which gotop doesn't read: unpack it first (lz4 -dc)", 4, 0},
    {"ustar", "is a tar archive: unpack it first (tar -xf)", 5, 257},
    {"\n\4\x08", "is a pprof profile: go tool pprof opens it", 3, 0},
    {"Z\4\x08", "is a pprof profile: go tool pprof opens it", 3, 0}, /* Go's own, but for processor time */
    {"\n\4\x08\1\x10\2", "is a pprof profile: go tool pprof opens it", 6,
     10},                                                        /* behind the time it was taken at */
    {"2\0", "is a pprof profile: go tool pprof opens it", 2, 0}, /* gotop pprof writes its strings first */
    {"\x7f"
     "ELF",
     "is a program, not what one recorded", 4, 0},
    {"PERFILE2", "is what perf recorded: perf report opens it", 8, 0},
    {"goroutine ", "is a dump of goroutines' stacks, as text", 10, 0},
    {"Could not enable tracing", "is a program's refusal: somebody else is tracing it", 24, 0},
    {"HTTP/", "begins with an HTTP header: fetch it without (curl without -i)", 5, 0},
    {"404 page not found", "is a server's answer that there is no such page: the path is /debug/pprof/trace",
     18, 0},
    {"<", "is HTML or XML: a login or an error page, perhaps", 1, 0},
    {"{", "is JSON; a trace is binary, as runtime/trace writes it", 1, 0},
};

static enum err_code not_trace(const uint8_t *p, size_t len, struct err *e)
{
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (len >= (size_t)others[i].at + others[i].n &&
            !memcmp(p + others[i].at, others[i].magic, others[i].n))
            return err_set(e, ERR_NOT_TRACE, 0, "not a Go execution trace: it %s", others[i].why);
    char found[72];
    size_t n = 0;
    for (size_t i = 0; i < len && i < 16 && n + 4 < sizeof found; i++)
        n += (size_t)snprintf(found + n, sizeof found - n, p[i] >= 0x20 && p[i] < 0x7f ? "%c" : "\\x%02x",
                              p[i]);
    return err_set(e, ERR_NOT_TRACE, 0, "not a Go execution trace: expected \"go 1.N trace\", found \"%s\"",
                   found);
}

enum err_code dialect_tell(const uint8_t *p, size_t len, struct dialect *d, struct err *e)
{
    if (!len)
        return err_set(e, ERR_EMPTY, 0, "is empty: expected a trace header, found nothing");
    if (len >= 8 && !memcmp(p, "gotrace\0", 8)) {
        *d = (struct dialect){.name = table[0].name, .header = 8};
        return ERR_OK;
    }
    static const char start[] = "go 1.";
    if (memcmp(p, start, len < 5 ? len : 5) != 0)
        return not_trace(p, len, e);
    if (len < 16)
        return err_set(e, ERR_TRUNCATED, len,
                       "the file ends inside the trace header: expected 16 bytes, found %zu", len);
    size_t i = 5;
    int minor = 0;
    while (i < 8 && p[i] >= '0' && p[i] <= '9')
        minor = minor * 10 + (p[i++] - '0');
    if (i == 5 || p[5] == '0' || memcmp(p + i, " trace", 6) != 0)
        return not_trace(p, len, e);
    for (i += 6; i < 16; i++)
        if (p[i])
            return not_trace(p, len, e);
    int version = 1000 + minor;
    const int newest = table[DIALECTS - 1].version;
    for (size_t k = 1; k < DIALECTS; k++)
        if (table[k].version == version || (version > newest && table[k].version == newest)) {
            *d = (struct dialect){.version = version,
                                  .read_as = table[k].version,
                                  .name = table[k].name,
                                  .header = 16,
                                  .second_family = version >= GO_122,
                                  .newer = version > newest};
            return ERR_OK;
        }
    return err_set(e, ERR_VERSION, 5, "header says go 1.%d trace: no Go release writes that dialect", minor);
}
