/*
 * sandbox.c - see sandbox.h.
 *
 * Refused calls fail with EACCES or EPERM like any other: no command ends by it. Landlock is asked by its system calls,
 * since no C library knows them; rights that this kernel's version doesn't know are left out.
 */
#include "viewer/sandbox.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifdef __linux__
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#if __has_include(<linux/landlock.h>) && defined(SYS_landlock_create_ruleset)
#include <linux/landlock.h>
#define HAVE_LANDLOCK 1
#endif
#ifdef GOTOP_SECCOMP
#include <seccomp.h>
#endif
#endif

/* Under a sanitizer the program looks at itself when it ends. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif

/* What is not here needs nothing but its files. */
static const struct {
    const char *command;
    unsigned needs;
} rows[] = {
    {"top", SANDBOX_NET | SANDBOX_EXEC},    /* curl fetches what is no plain http */
    {"record", SANDBOX_NET | SANDBOX_EXEC},
    {"watch", SANDBOX_ALL},                 /* --exec */
};

unsigned sandbox_needs(const char *command, int argc, char *const *argv)
{
    unsigned needs = command ? 0 : SANDBOX_TERMINAL;
    for (size_t i = 0; command && i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].command, command) == 0) needs |= rows[i].needs;
    for (int i = 1; i < argc; i++)
        if (strstr(argv[i], "://")) needs |= SANDBOX_NET | SANDBOX_EXEC;
    return needs;
}

/* ---- Landlock -------------------------------------------------------------------------------------------- */

#ifdef HAVE_LANDLOCK

#ifndef LANDLOCK_ACCESS_FS_REFER
#define LANDLOCK_ACCESS_FS_REFER (1ULL << 13)
#endif
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif

#define ON_FILE (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_TRUNCATE)
#define READ (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define WRITE (LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_TRUNCATE)
#define MAKE (READ | WRITE | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_REFER)

struct rules {
    int fd;
    uint64_t handled;
};

static long landlock_version(void)
{
    long v = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    return v > 0 ? v : 0;
}

static uint64_t landlock_handled(long version)
{
    uint64_t all = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1; /* version 1: each right up to this */
    return version >= 3 ? all | LANDLOCK_ACCESS_FS_REFER | LANDLOCK_ACCESS_FS_TRUNCATE
         : version == 2 ? all | LANDLOCK_ACCESS_FS_REFER : all;
}

static void allow(struct rules *r, const char *path, uint64_t rights)
{
    struct stat st;
    struct landlock_path_beneath_attr a = {.parent_fd = open(path, O_PATH | O_CLOEXEC)};
    if (a.parent_fd < 0) return;
    bool dir = fstat(a.parent_fd, &st) == 0 && S_ISDIR(st.st_mode);
    a.allowed_access = rights & r->handled & (dir ? UINT64_MAX : ON_FILE);
    (void)syscall(SYS_landlock_add_rule, r->fd, LANDLOCK_RULE_PATH_BENEATH, &a, 0);
    close(a.parent_fd);
}

/* A file that will be made: its folder. */
static void allow_making(struct rules *r, const char *path)
{
    char folder[PATH_MAX];
    if (snprintf(folder, sizeof folder, "%s", path) >= (int)sizeof folder) return;
    char *slash = strrchr(folder, '/');
    if (slash) slash[slash == folder] = '\0';
    allow(r, slash ? folder : ".", MAKE);
    allow(r, path, READ | WRITE); /* a device, a pipe, a link to elsewhere */
}

/* Words of the command line: files to be read, and what shall be written. */
static void allow_words(struct rules *r, int argc, char *const *argv)
{
    for (int i = 1; i < argc; i++) {
        const char *eq = argv[i][0] == '-' ? strchr(argv[i], '=') : NULL;
        bool out = strcmp(argv[i - 1], "-o") == 0 && i > 1;
        if (out) allow_making(r, argv[i]);
        else if (strncmp(argv[i], "-o", 2) == 0 && argv[i][2]) allow_making(r, argv[i] + 2);
        else allow(r, eq ? eq + 1 : argv[i], READ);
    }
}

static void allow_config(struct rules *r)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    char path[PATH_MAX];
    if (config && *config && snprintf(path, sizeof path, "%s/gotop", config) < (int)sizeof path) allow(r, path, READ);
    if (home && *home && snprintf(path, sizeof path, "%s/.config/gotop", home) < (int)sizeof path) allow(r, path, READ);
    if (home && *home && snprintf(path, sizeof path, "%s/.terminfo", home) < (int)sizeof path) allow(r, path, READ);
    if (readlink("/proc/self/exe", path, sizeof path - 1) > 0) { /* PREFIX/share, beside PREFIX/bin */
        ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
        path[n > 0 ? n : 0] = '\0';
        for (int up = 0; up < 2 && strrchr(path, '/'); up++) *strrchr(path, '/') = '\0';
        if (strlen(path) + sizeof "/share/gotop" <= sizeof path) allow(r, strcat(path, "/share/gotop"), READ);
    }
}

/* What libraries read, and what is asked about the machine. */
static void allow_system(struct rules *r, unsigned needs)
{
    static const char *const places[] = {"/usr", "/lib", "/lib64", "/etc/localtime", "/etc/terminfo", "/dev/urandom", "/dev/null",
                                         "/sys/devices/system/cpu", "/sys/fs/cgroup", "/proc/meminfo", "/proc/self/io", "/proc/self/cgroup",
                                         "/etc/ld.so.cache", "/nix/store", "/run/current-system"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) allow(r, places[i], READ);
    allow(r, "/dev/null", READ | WRITE);
    allow(r, "/proc/self/fd", READ); /* /dev/stdin */
#ifdef SANITIZED
    allow(r, "/proc", READ);
#endif
    const char *tmp = getenv("TMPDIR"), *terminfo = getenv("TERMINFO");
    if (!(needs & SANDBOX_TERMINAL)) return;
    allow(r, "/dev/tty", READ | WRITE);
    allow(r, tmp && tmp[0] == '/' ? tmp : "/tmp", MAKE & ~READ);
    if (terminfo && terminfo[0] == '/') allow(r, terminfo, READ);
}

static void landlock_enter(unsigned needs, int argc, char *const *argv)
{
    long version = landlock_version();
    struct landlock_ruleset_attr a = {.handled_access_fs = landlock_handled(version)};
    if (!version) return;
    struct rules r = {(int)syscall(SYS_landlock_create_ruleset, &a, sizeof a, 0), a.handled_access_fs};
    if (r.fd < 0) return;
    allow_words(&r, argc, argv);
    allow_config(&r);
    allow_system(&r, needs);
    if (needs & SANDBOX_EXEC) allow(&r, "/", READ | LANDLOCK_ACCESS_FS_EXECUTE);
    if (needs & SANDBOX_EXEC) allow(&r, "/dev/null", READ | WRITE);
    (void)syscall(SYS_landlock_restrict_self, r.fd, 0);
    close(r.fd);
}

#endif

/* ---- seccomp --------------------------------------------------------------------------------------------- */

#ifdef GOTOP_SECCOMP

/* Names, since not every machine has each of them. */
static const char *const never[] = {
    "ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "kcmp", "bpf", "perf_event_open", "userfaultfd",
    "io_uring_setup", "io_uring_enter", "io_uring_register", "mount", "umount", "umount2", "pivot_root", "chroot", "move_mount",
    "open_tree", "fsopen", "fsmount", "fsconfig", "fspick", "setns", "unshare", "swapon", "swapoff", "reboot", "kexec_load",
    "kexec_file_load", "init_module", "finit_module", "delete_module", "acct", "quotactl", "keyctl", "add_key", "request_key",
    "open_by_handle_at", "name_to_handle_at", "settimeofday", "clock_settime", "adjtimex", "sethostname", "setdomainname", "iopl",
    "ioperm", "personality", "syslog", "vhangup", "setuid", "setgid", "setreuid", "setregid", "setresuid", "setresgid", "setgroups",
    "setfsuid", "setfsgid", "capset", "chown", "lchown", "fchown", "fchownat", "mknod", "mknodat", "symlink", "symlinkat",
    "link", "linkat", "mkdir", "mkdirat", "rmdir", "setxattr", "lsetxattr", "fsetxattr", "removexattr", "lremovexattr",
    "fremovexattr", "fanotify_init", "inotify_init1", "shmget", "shmat", "msgget", "semget", "mq_open", "memfd_create", "memfd_secret",
};
static const char *const net[] = {"socket", "socketpair", "connect", "bind", "listen", "accept", "accept4", "sendto", "sendmsg", "sendmmsg",
                                  "recvfrom", "recvmsg", "recvmmsg", "socketcall"};
static const char *const start[] = {"execve", "execveat", "vfork"};

static void refuse(scmp_filter_ctx f, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int nr = seccomp_syscall_resolve_name(names[i]);
#ifdef SANITIZED
        if (strcmp(names[i], "ptrace") == 0 || strcmp(names[i], "process_vm_readv") == 0) continue;
#endif
        if (nr != __NR_SCMP_ERROR) (void)seccomp_rule_add(f, SCMP_ACT_ERRNO(EPERM), nr, 0);
    }
}

/* Typing for the reader's shell: the terminal is ours to draw on, not to type into. */
static void refuse_typing(scmp_filter_ctx f)
{
    enum { TYPE = 0x5412, CONSOLE = 0x541C }; /* TIOCSTI, TIOCLINUX */
    (void)seccomp_rule_add(f, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(ioctl), 1, SCMP_A1(SCMP_CMP_MASKED_EQ, 0xffffffffu, TYPE));
    (void)seccomp_rule_add(f, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(ioctl), 1, SCMP_A1(SCMP_CMP_MASKED_EQ, 0xffffffffu, CONSOLE));
}

static void seccomp_enter(unsigned needs)
{
    scmp_filter_ctx f = seccomp_init(SCMP_ACT_ALLOW);
    if (!f) return;
    refuse(f, never, sizeof never / sizeof *never);
    refuse_typing(f);
    if (!(needs & SANDBOX_NET)) refuse(f, net, sizeof net / sizeof *net);
    if (!(needs & SANDBOX_EXEC)) refuse(f, start, sizeof start / sizeof *start);
    (void)seccomp_load(f);
    seccomp_release(f);
}

#endif

/* ---- both ------------------------------------------------------------------------------------------------ */

void sandbox_enter(unsigned needs, int argc, char *const *argv)
{
    if (needs & SANDBOX_ALL) return;
#ifdef __linux__
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return;
#endif
#ifdef HAVE_LANDLOCK
    landlock_enter(needs, argc, argv);
#endif
#ifdef GOTOP_SECCOMP
    seccomp_enter(needs);
#endif
    (void)argc;
    (void)argv;
}

const char *sandbox_text(char *buf, size_t size)
{
    size_t n = 0;
    buf[0] = '\0';
#ifdef HAVE_LANDLOCK
    if (landlock_version()) n = (size_t)snprintf(buf, size, "Landlock %ld", landlock_version());
#endif
#ifdef GOTOP_SECCOMP
    if (n < size) snprintf(buf + n, size - n, "%sseccomp", n ? ", " : "");
    n = 1;
#endif
    if (!n) snprintf(buf, size, "none");
    return buf;
}
