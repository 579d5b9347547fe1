/*
 * sandbox.c - see sandbox.h.
 *
 * What is not listed fails with EACCES, EPERM or ENOSYS like any other call: no command ends by it. Landlock
 * is asked by its system calls, since no C library knows them; what this kernel's version doesn't know is
 * left out. seccomp's filter is made without a library and without memory: libseccomp 2.5 crashes where one
 * of its 1400 allocations fails.
 */
#include "viewer/command/sandbox.h"

#include "decode/base/clerk.h"
#include "decode/base/door.h"
#include "decode/base/spill.h"
#include "triage/exports/outside.h"
#include "triage/live/serve.h"
#include "triage/places.h"
#include "viewer/command/commands.h"
#include "viewer/term/signals.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifdef __linux__
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <wchar.h>
#if __has_include(<linux/landlock.h>) && defined(SYS_landlock_create_ruleset)
#include <linux/landlock.h>
#define HAVE_LANDLOCK 1
#endif
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#if defined(__x86_64__) && !defined(__ILP32__)
#define OUR_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define OUR_ARCH AUDIT_ARCH_AARCH64
#endif
#endif

/* A sanitizer looks at its own process when it ends. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif

unsigned sandbox_needs(const char *command)
{
    const struct command_row *row = command ? command_find(command) : NULL;
    return !command ? SANDBOX_FILES | SANDBOX_TERMINAL | SANDBOX_SLICES | SANDBOX_LIVE
           : row    ? row->needs
                    : SANDBOX_FILES;
}

/* ---- what the clerk may do ----------------------------------------------------------------------------- */

/* Returns the file that the option at argv[i] says to write; NULL: none. */
static const char *written(int i, char *const *argv)
{
    static const char *const names[] = {"-o", "--save", "--map"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        const size_t n = strlen(names[k]);
        if (i > 1 && strcmp(argv[i - 1], names[k]) == 0)
            return argv[i];
        if (strncmp(argv[i], names[k], n) == 0 && argv[i][n] == '=')
            return argv[i] + n + 1;
    }
    return strncmp(argv[i], "-o", 2) == 0 && argv[i][2] ? argv[i] + 2 : NULL;
}

/* Allow the folder of a trace, where a slice may be written. */
static void allow_folder(const char *path)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    if (!slash ||
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path) + 1, path) >= (int)sizeof folder)
        return;
    outside_folder(folder);
}

static void clerk_prepare(unsigned needs, int argc, char *const *argv)
{
    const char *tmp = getenv("TMPDIR"), *file;
    for (int i = 1; i < argc; i++)
        if ((needs & (SANDBOX_OUTPUT | SANDBOX_LIVE)) && (file = written(i, argv)) && strcmp(file, "-") != 0)
            outside_file(file, !(needs & SANDBOX_OUTPUT));
        else if ((needs & SANDBOX_SLICES) && argv[i][0] != '-' && access(argv[i], F_OK) == 0)
            allow_folder(argv[i]);
    if (needs & SANDBOX_SLICES) {
        outside_folder(".");
        outside_folder(tmp && tmp[0] == '/' ? tmp : "/tmp");
    }
    if (needs & SANDBOX_TERMINAL)
        signals_actions();
}

/* ---- Landlock ------------------------------------------------------------------------------------------ */

#ifdef HAVE_LANDLOCK

/* These are rights by the version that brought them; system headers may be older than the kernel. */
enum { VERSION_REFER = 2, VERSION_TRUNCATE = 3, VERSION_NET = 4, VERSION_IOCTL = 5, VERSION_SCOPE = 6 };
#define FS_1 ((LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1)
#define FS_REFER (1ULL << 13)
#define FS_TRUNCATE (1ULL << 14)
#define FS_IOCTL (1ULL << 15)
#define NET_ALL 3ULL   /* TCP: bind and connect */
#define SCOPE_ALL 3ULL /* abstract unix sockets, and signals: only its own */
#define READ LANDLOCK_ACCESS_FS_READ_FILE
#define TREE (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)

struct ruleset { /* struct landlock_ruleset_attr of version 6 */
    uint64_t fs, net, scope;
};
struct rules {
    int fd;
    uint64_t handled;
};

static long landlock_version(void)
{
    long v = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    return v > 0 ? v : 0;
}

/* Allow access to what this path names now. For a file only rights that a file has are asked. */
static void allow_path(struct rules *r, const char *path, uint64_t rights)
{
    struct stat st;
    struct landlock_path_beneath_attr a = {.parent_fd = open(path, O_PATH | O_CLOEXEC)};
    if (a.parent_fd < 0)
        return;
    const bool dir = fstat(a.parent_fd, &st) == 0 && S_ISDIR(st.st_mode),
               tree = rights & LANDLOCK_ACCESS_FS_READ_DIR;
    a.allowed_access = rights & r->handled & (dir ? UINT64_MAX : ~(uint64_t)LANDLOCK_ACCESS_FS_READ_DIR);
    if (!dir || tree)
        (void)syscall(SYS_landlock_add_rule, r->fd, LANDLOCK_RULE_PATH_BENEATH, &a, 0);
    close(a.parent_fd);
}

/* Options whose value is a secret. The clerk reads those files. */
static bool secret(const char *option)
{
    static const char *const names[] = {"--token-file", "--cert", "--key", "--cacert"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t n = strlen(names[i]);
        if (strncmp(names[i], option, n) == 0 && (!option[n] || option[n] == '='))
            return true;
    }
    return false;
}

/* Allow an operand's file, without a member of an archive (after a colon) or a place (after an @). */
static void allow_word(struct rules *r, const char *word, uint64_t rights)
{
    char path[PATH_MAX];
    allow_path(r, word, rights);
    for (const char *c = strpbrk(word, ":@"); c; c = strpbrk(c + 1, ":@"))
        if (snprintf(path, sizeof path, "%.*s", (int)(c - word), word) < (int)sizeof path && *path)
            allow_path(r, path, READ);
}

static void allow_words(struct rules *r, unsigned needs, int argc, char *const *argv)
{
    const uint64_t rights = needs & SANDBOX_FOLDERS ? TREE : READ;
    for (int i = 1; i < argc; i++) {
        const char *eq = argv[i][0] == '-' ? strchr(argv[i], '=') : NULL;
        if (!written(i, argv) && !secret(argv[i]) && (i == 1 || !secret(argv[i - 1])))
            allow_word(r, eq ? eq + 1 : argv[i], rights);
    }
}

static void allow_config(struct rules *r)
{
    char path[PLACES_PATH];
    for (int p = PLACE_USER; p < PLACE_INSTALLED; p++)
        if (places_folder(p, path))
            allow_path(r, path, TREE);
    if (places_share(path))
        allow_path(r, path, TREE);
}

/* Allow files about the machine, the time and the terminal. */
static void allow_system(struct rules *r, unsigned needs)
{
    static const char *const places[] = {
        "/etc/localtime",
        "/usr/share/zoneinfo",
        "/dev/urandom",
        "/dev/null",
        "/sys/devices/system/cpu",
        "/sys/fs/cgroup",
        "/proc/meminfo",
        "/proc/self/io",
        "/proc/self/cgroup",
#ifdef SANITIZED
        "/proc",
        "/usr",
        "/lib",
        "/lib64",
        "/etc/ld.so.cache",
#endif
    };
    static const char *const terminals[] = {"/etc/terminfo",
                                            "/lib/terminfo",
                                            "/usr/lib/terminfo",
                                            "/usr/share/terminfo",
                                            "/usr/share/lib/terminfo",
                                            "/usr/share/misc/terminfo",
                                            "/usr/local/share/terminfo",
                                            "/nix/store",
                                            "/run/current-system"};
    const char *terminfo = getenv("TERMINFO"), *home = getenv("HOME");
    char own[PATH_MAX];
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        allow_path(r, places[i], TREE);
    allow_path(r, "/dev/null", READ | LANDLOCK_ACCESS_FS_WRITE_FILE);
    if (!(needs & SANDBOX_TERMINAL))
        return;
    for (size_t i = 0; i < sizeof terminals / sizeof *terminals; i++)
        allow_path(r, terminals[i], TREE);
    allow_path(r, "/dev/tty", READ | LANDLOCK_ACCESS_FS_WRITE_FILE | FS_IOCTL);
    if (terminfo && terminfo[0] == '/')
        allow_path(r, terminfo, TREE);
    if (home && *home && snprintf(own, sizeof own, "%s/.terminfo", home) < (int)sizeof own)
        allow_path(r, own, TREE);
}

static void landlock_enter(unsigned needs, int argc, char *const *argv)
{
    const long v = landlock_version();
    struct ruleset a = {.fs = FS_1 | (v >= VERSION_REFER ? FS_REFER : 0) |
                              (v >= VERSION_TRUNCATE ? FS_TRUNCATE : 0) | (v >= VERSION_IOCTL ? FS_IOCTL : 0),
                        .net = v >= VERSION_NET ? NET_ALL : 0,
                        .scope = v >= VERSION_SCOPE ? SCOPE_ALL : 0};
    const size_t known = v >= VERSION_SCOPE ? sizeof a
                         : v >= VERSION_NET ? offsetof(struct ruleset, scope)
                                            : sizeof a.fs;
    if (!v)
        return;
    struct rules r = {(int)syscall(SYS_landlock_create_ruleset, &a, known, 0), a.fs};
    if (r.fd < 0)
        return;
    if (needs & SANDBOX_FILES)
        allow_words(&r, needs, argc, argv);
    allow_config(&r);
    allow_system(&r, needs);
    (void)syscall(SYS_landlock_restrict_self, r.fd, 0);
    close(r.fd);
}

#endif

/* ---- seccomp ------------------------------------------------------------------------------------------- */

#ifdef OUR_ARCH

/* These calls are allowed with any arguments. Some have an older form on x86 only. */
static const int reading[] = {
    SYS_read,      SYS_pread64,    SYS_readv,      SYS_lseek,    SYS_close,  SYS_fstat,   SYS_newfstatat,
    SYS_faccessat, SYS_readlinkat, SYS_getdents64, SYS_getcwd,   SYS_statfs, SYS_fstatfs, SYS_fadvise64,
#ifdef SYS_statx
    SYS_statx,
#endif
#ifdef SYS_stat
    SYS_stat,      SYS_lstat,      SYS_access,     SYS_readlink,
#endif
};
static const int writing[] = {
    /* on open files */
    SYS_write, SYS_writev, SYS_pwrite64, SYS_ftruncate, SYS_fallocate, SYS_dup, SYS_dup3, SYS_pipe2,
#ifdef SYS_dup2
    SYS_dup2,  SYS_pipe,
#endif
};
static const int memory[] = {SYS_munmap, SYS_mremap, SYS_madvise, SYS_brk};
static const int threads[] = {
    SYS_futex, SYS_set_robust_list, SYS_sched_yield, SYS_sched_getaffinity, SYS_gettid,
    SYS_exit,  SYS_exit_group,
#ifdef SYS_rseq
    SYS_rseq,
#endif
};
static const int asking[] = {
    /* the time, and facts about this process */
    SYS_clock_gettime, SYS_clock_getres, SYS_gettimeofday, SYS_getpid,    SYS_getppid,
    SYS_getuid,        SYS_geteuid,      SYS_getgid,       SYS_getegid,   SYS_getpgid,
    SYS_uname,         SYS_sysinfo,      SYS_getrusage,    SYS_getrandom, SYS_umask,
#ifdef SYS_getrlimit
    SYS_getrlimit,
#endif
#ifdef SYS_time
    SYS_time,          SYS_getpgrp,
#endif
};
static const int waiting[] = {
    SYS_nanosleep,      SYS_clock_nanosleep, SYS_ppoll,        SYS_pselect6,    SYS_rt_sigaction,
    SYS_rt_sigprocmask, SYS_rt_sigpending,   SYS_rt_sigreturn, SYS_sigaltstack, SYS_restart_syscall,
#ifdef SYS_poll
    SYS_poll,           SYS_select,
#endif
};
static const int children[] = {SYS_wait4}; /* for the clerk */
#ifdef SANITIZED
static const int sanitizers[] = {
    SYS_ptrace,   SYS_process_vm_readv, SYS_wait4, SYS_clone,    SYS_prctl,
    SYS_kill,     SYS_tgkill,           SYS_mmap,  SYS_mprotect,
#ifdef SYS_getdents
    SYS_getdents,
#endif
};
#endif
enum { ALWAYS = ~0 };
#define GROUP(rights, calls) \
    { \
        (unsigned)(rights), calls, sizeof(calls) / sizeof *(calls) \
    }
static const struct {
    unsigned rights; /* any process */
    const int *calls;
    size_t n;
} groups[] = {
    GROUP(ALWAYS, reading),
    GROUP(ALWAYS, writing),
    GROUP(ALWAYS, memory),
    GROUP(ALWAYS, threads),
    GROUP(ALWAYS, asking),
    GROUP(ALWAYS, waiting),
    GROUP(SANDBOX_TERMINAL | SANDBOX_OUTPUT | SANDBOX_SLICES | SANDBOX_LIVE, children),
#ifdef SANITIZED
    GROUP(ALWAYS, sanitizers),
#endif
};

/* These calls are allowed with certain arguments. Rows of one call are alternatives; the conditions of a row
 * must all hold. */
enum how { NONE, IS, ANY_OF, NONE_OF, NULL_POINTER };
enum {
    OURSELVES = -2,
    CLERK = -3,
    LISTENER = -4
}; /* replaced by: this process's number, the clerk's socket, the socket that clients are accepted from */
struct condition {
    int arg;
    enum how how;
    int64_t value;
};
enum {
    OPEN_MAKES = O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY),
    NAMES_MEMORY = 0x53564d41 /* PR_SET_VMA */
};
/* ioctl requests of terminals have the same numbers on both machines. Newer C libraries use the second kind
 * (TCGETS2), too. */
enum {
    GETS = 0x5401,
    SETS,
    SETSW,
    SETSF,
    DRAIN = 0x5409,
    FLOW,
    FLUSH,
    GROUP_OF = 0x540F,
    SIZE = 0x5413,
    READABLE = 0x541B,
    SETS2 = 0x402C542B,
    SETSW2,
    SETSF2
};
#define GETS2 0x802C542ALL
static const struct {
    unsigned rights;
    int call;
    struct condition is[2];
} checked[] = {
    {ALWAYS, SYS_mmap, {{2, NONE_OF, PROT_EXEC}}},
    {ALWAYS, SYS_mprotect, {{2, NONE_OF, PROT_EXEC}}},
    {ALWAYS, SYS_openat, {{2, NONE_OF, OPEN_MAKES}}},
#ifdef SYS_open
    {ALWAYS, SYS_open, {{1, NONE_OF, OPEN_MAKES}}},
#endif
    {ALWAYS, SYS_clone, {{0, ANY_OF, CLONE_THREAD}}},
    {ALWAYS, SYS_fcntl, {{1, IS, F_GETFD}}},
    {ALWAYS, SYS_fcntl, {{1, IS, F_SETFD}}},
    {ALWAYS, SYS_fcntl, {{1, IS, F_GETFL}}},
    {ALWAYS, SYS_fcntl, {{1, IS, F_SETFL}, {2, NONE_OF, O_ASYNC}}},
    {ALWAYS, SYS_fcntl, {{1, IS, F_DUPFD_CLOEXEC}}},
    {ALWAYS, SYS_fcntl, {{1, IS, F_DUPFD}}},
    {ALWAYS, SYS_ioctl, {{1, IS, GETS}}},
    {ALWAYS, SYS_ioctl, {{1, IS, GETS2}}},
    {ALWAYS, SYS_ioctl, {{1, IS, SIZE}}},
    {ALWAYS, SYS_ioctl, {{1, IS, GROUP_OF}}},
    {SANDBOX_TERMINAL, SYS_ioctl, {{1, IS, SETS}}},
    {SANDBOX_TERMINAL, SYS_ioctl, {{1, IS, SETSW}}},
    {SANDBOX_TERMINAL, SYS_ioctl, {{1, IS, SETSF}}},
    {SANDBOX_TERMINAL, SYS_ioctl, {{1, IS, SETS2}}},
    {SANDBOX_TERMINAL, SYS_ioctl, {{1, IS, SETSW2}}},
    {SANDBOX_TERMINAL, SYS_ioctl, {{1, IS, SETSF2}}},
    {SANDBOX_TERMINAL, SYS_ioctl, {{1, IS, DRAIN}}},
    {SANDBOX_TERMINAL, SYS_ioctl, {{1, IS, FLOW}}},
    {SANDBOX_TERMINAL, SYS_ioctl, {{1, IS, FLUSH}}},
    {SANDBOX_TERMINAL, SYS_ioctl, {{1, IS, READABLE}}},
    {ALWAYS, SYS_tgkill, {{0, IS, OURSELVES}}},
    {ALWAYS, SYS_kill, {{0, IS, OURSELVES}}},
    {ALWAYS, SYS_tkill, {{0, IS, OURSELVES}}},
    {ALWAYS, SYS_prlimit64, {{0, IS, 0}, {2, NULL_POINTER, 0}}},
    {ALWAYS, SYS_prctl, {{0, IS, PR_SET_NAME}}},
    {ALWAYS, SYS_prctl, {{0, IS, NAMES_MEMORY}}},
    {ALWAYS, SYS_recvmsg, {{0, IS, CLERK}}},
    {SANDBOX_LIVE, SYS_accept4, {{0, IS, LISTENER}}},
};

enum { FILTER_MAX = 400, NEW_CALLS = 424, X32 = 0x40000000 };
struct filter {
    struct sock_filter v[FILTER_MAX];
    unsigned short n;
};

static void filter_put(struct filter *f, struct sock_filter ins)
{
    if (f->n < FILTER_MAX)
        f->v[f->n++] = ins;
}

static void filter_load(struct filter *f, size_t offset)
{
    filter_put(f, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

static void filter_end(struct filter *f, uint32_t how)
{
    filter_put(f, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, how));
}

/* Add a conditional jump over the next n instructions. */
static void filter_skip(struct filter *f, unsigned how, uint32_t value, bool if_so, size_t n)
{
    filter_put(f, (struct sock_filter)BPF_JUMP((uint16_t)(BPF_JMP | how | BPF_K), value,
                                               (uint8_t)(if_so ? n : 0), (uint8_t)(if_so ? 0 : n)));
}

/* Calls of another machine type, which would bypass a filter for this one. */
static void filter_refuse_others(struct filter *f)
{
    filter_load(f, offsetof(struct seccomp_data, arch));
    filter_skip(f, BPF_JEQ, OUR_ARCH, true, 1);
    filter_end(f, SECCOMP_RET_ERRNO | EPERM);
    filter_load(f, offsetof(struct seccomp_data, nr));
    filter_skip(f, BPF_JGE, X32, false, 1);
    filter_end(f, SECCOMP_RET_ERRNO | EPERM);
}

/* Returns where half of an argument is; both machines are little-endian. */
static size_t filter_half(int arg, bool high)
{
    return offsetof(struct seccomp_data, args) + (size_t)arg * sizeof(uint64_t) +
           (high ? sizeof(uint32_t) : 0);
}

static size_t condition_length(const struct condition *c)
{
    return c->how == NULL_POINTER ? 4 : c->how ? 2 : 0;
}

/* If the condition does not hold, the next `rest` instructions are skipped. */
static void filter_condition(struct filter *f, const struct condition *c, size_t rest)
{
    const int64_t v = c->value == OURSELVES  ? getpid()
                      : c->value == CLERK    ? clerk_fd()
                      : c->value == LISTENER ? serve_listens
                                             : c->value;
    if (!c->how)
        return;
    filter_load(f, filter_half(c->arg, false));
    filter_skip(f, c->how == IS || c->how == NULL_POINTER ? BPF_JEQ : BPF_JSET, (uint32_t)v,
                c->how == NONE_OF, c->how == NULL_POINTER ? rest + 2 : rest);
    if (c->how != NULL_POINTER)
        return;
    filter_load(f, filter_half(c->arg, true));
    filter_skip(f, BPF_JEQ, 0, false, rest);
}

static void filter_checked(struct filter *f, unsigned needs)
{
    for (size_t i = 0; i < sizeof checked / sizeof *checked; i++) {
        const struct condition *a = &checked[i].is[0], *b = &checked[i].is[1];
        const size_t second = condition_length(b);
        if (!(checked[i].rights & needs) || (a->value == CLERK && !clerk_on()) ||
            (a->value == LISTENER && serve_listens < 0))
            continue;
        filter_load(f, offsetof(struct seccomp_data, nr));
        filter_skip(f, BPF_JEQ, (uint32_t)checked[i].call, false, condition_length(a) + second + 1);
        filter_condition(f, a, second + 1);
        filter_condition(f, b, 1);
        filter_end(f, SECCOMP_RET_ALLOW);
    }
}

static void seccomp_enter(unsigned needs)
{
    static struct filter f;
    filter_refuse_others(&f);
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
        for (size_t i = 0; groups[g].rights & needs && i < groups[g].n; i++) {
            filter_skip(&f, BPF_JEQ, (uint32_t)groups[g].calls[i], false, 1);
            filter_end(&f, SECCOMP_RET_ALLOW);
        }
    filter_checked(&f, needs);
    /* Calls newer than this list fail with ENOSYS: libraries then use the older call. */
    filter_load(&f, offsetof(struct seccomp_data, nr));
    filter_skip(&f, BPF_JGE, NEW_CALLS, false, 1);
    filter_end(&f, SECCOMP_RET_ERRNO | ENOSYS);
    filter_end(&f, SECCOMP_RET_ERRNO | EPERM);
    struct sock_fprog prog = {f.n, f.v};
    if (f.n < FILTER_MAX)
        (void)prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog, 0, 0);
}

#endif

/* ---- both ---------------------------------------------------------------------------------------------- */

/* A C library may load another library when a character is first converted, and no code can be mapped
 * later. So one is converted now. */
static void load_libraries(void)
{
    mbstate_t in = {0}, out = {0};
    char bytes[MB_LEN_MAX];
    wchar_t w = L'a';
    if (mbrtowc(&w, "a", 1, &in) == 1)
        (void)!wcrtomb(bytes, w, &out);
}

/* Valgrind makes code while it runs, and makes calls of its own. */
static bool translated(void)
{
    const char *first = getenv("LD_PRELOAD");
    return first && strstr(first, "/vgpreload_");
}

void sandbox_enter(unsigned needs, int argc, char *const *argv)
{
    if (translated())
        return;
    clerk_prepare(needs, argc, argv);
    load_libraries();
    if (!clerk_begin())
        door_printf(stderr, "gotop: no process can be started that writes files: %s\n", strerror(errno));
    (void)spill_open();
#ifdef __linux__
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return;
#endif
#ifdef HAVE_LANDLOCK
    landlock_enter(needs, argc, argv);
#endif
#ifdef OUR_ARCH
    seccomp_enter(needs);
#endif
}

const char *sandbox_text(char *buf, size_t size)
{
    size_t n = 0;
    buf[0] = '\0';
#ifdef HAVE_LANDLOCK
    if (landlock_version())
        n = (size_t)snprintf(buf, size, "Landlock %ld", landlock_version());
#endif
#ifdef OUR_ARCH
    if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0 && n < size)
        n += (size_t)snprintf(buf + n, size - n, "%sseccomp", n ? ", " : "");
#endif
    if (!n)
        snprintf(buf, size, "none");
    return buf;
}
