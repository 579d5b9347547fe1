/*
 * sandbox.c - see sandbox.h.
 *
 * Refused calls fail with EACCES or EPERM like any other: no command ends by it. Landlock is asked by its system calls,
 * since no C library knows them; rights that this kernel's version doesn't know are left out. seccomp's filter is a plain
 * list of numbers, made without a library and without memory: libseccomp 2.5 crashes where one of its 1400 allocations
 * fails.
 */
#include "viewer/command/sandbox.h"

#include "triage/places.h"
#include "decode/input/feed.h"

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
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#if defined(__x86_64__) && !defined(__ILP32__)
#define OUR_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define OUR_ARCH AUDIT_ARCH_AARCH64
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
    {"top", SANDBOX_NET | SANDBOX_EXEC}, /* curl fetches what is no plain http */
    {"record", SANDBOX_NET | SANDBOX_EXEC},
    {"watch", SANDBOX_ALL}, /* --exec */
};

unsigned sandbox_needs(const char *command, int argc, char *const *argv)
{
    unsigned needs = command ? 0 : SANDBOX_TERMINAL | SANDBOX_SLICES;
    for (size_t i = 0; command && i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].command, command) == 0)
            needs |= rows[i].needs;
    for (int i = 1; i < argc && !(command && strcmp(command, "sql") == 0); i++) /* "://" may stand in a query */
        if (strstr(argv[i], "://") || feed_is_url(argv[i]))
            needs |= SANDBOX_NET | SANDBOX_EXEC;
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

#define ON_FILE \
    (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_EXECUTE | \
     LANDLOCK_ACCESS_FS_TRUNCATE)
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
    return version >= 3   ? all | LANDLOCK_ACCESS_FS_REFER | LANDLOCK_ACCESS_FS_TRUNCATE
           : version == 2 ? all | LANDLOCK_ACCESS_FS_REFER
                          : all;
}

static void allow(struct rules *r, const char *path, uint64_t rights)
{
    struct stat st;
    struct landlock_path_beneath_attr a = {.parent_fd = open(path, O_PATH | O_CLOEXEC)};
    if (a.parent_fd < 0)
        return;
    bool dir = fstat(a.parent_fd, &st) == 0 && S_ISDIR(st.st_mode);
    a.allowed_access = rights & r->handled & (dir ? UINT64_MAX : ON_FILE);
    (void)syscall(SYS_landlock_add_rule, r->fd, LANDLOCK_RULE_PATH_BENEATH, &a, 0);
    close(a.parent_fd);
}

/* A file that will be made: its folder. */
static void allow_making(struct rules *r, const char *path)
{
    char folder[PATH_MAX];
    if (snprintf(folder, sizeof folder, "%s", path) >= (int)sizeof folder)
        return;
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[slash == folder] = '\0';
    allow(r, slash ? folder : ".", MAKE);
    allow(r, path, READ | WRITE); /* a device, a pipe, a link to elsewhere */
}

/* A word that names a file, or a member of an archive behind a colon. */
static void allow_reading(struct rules *r, const char *word)
{
    char path[PATH_MAX];
    allow(r, word, READ);
    for (const char *c = strchr(word, ':'); c; c = strchr(c + 1, ':'))
        if (snprintf(path, sizeof path, "%.*s", (int)(c - word), word) < (int)sizeof path && *path)
            allow(r, path, READ);
}

/* Options whose value is a file to be written. */
static bool written(const char *option, size_t n)
{
    static const char *const names[] = {"-o", "--save", "--map"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == n && memcmp(names[i], option, n) == 0)
            return true;
    return false;
}

/* Words of the command line: files to be read, and what shall be written. */
static void allow_words(struct rules *r, int argc, char *const *argv)
{
    for (int i = 1; i < argc; i++) {
        const char *eq = argv[i][0] == '-' ? strchr(argv[i], '=') : NULL;
        if (i > 1 && written(argv[i - 1], strlen(argv[i - 1])))
            allow_making(r, argv[i]);
        else if (eq && written(argv[i], (size_t)(eq - argv[i])))
            allow_making(r, eq + 1);
        else if (strncmp(argv[i], "-o", 2) == 0 && argv[i][2])
            allow_making(r, argv[i] + 2);
        else
            allow_reading(r, eq ? eq + 1 : argv[i]);
    }
}

/* A slice that the viewer writes: beside the trace, in the current folder, in TMPDIR. */
static void allow_slices(struct rules *r, int argc, char *const *argv)
{
    for (int i = 1; i < argc; i++)
        if (argv[i][0] != '-' && access(argv[i], F_OK) == 0)
            allow_making(r, argv[i]);
    allow(r, ".", MAKE);
}

static void allow_config(struct rules *r)
{
    const char *home = getenv("HOME");
    char path[PATH_MAX];
    for (int p = PLACE_USER; p < PLACE_INSTALLED; p++)
        if (places_folder(p, path))
            allow(r, path, READ);
    if (home && *home && snprintf(path, sizeof path, "%s/.terminfo", home) < (int)sizeof path)
        allow(r, path, READ);
    if (readlink("/proc/self/exe", path, sizeof path - 1) > 0) { /* PREFIX/share, beside PREFIX/bin */
        ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
        path[n > 0 ? n : 0] = '\0';
        for (int up = 0; up < 2 && strrchr(path, '/'); up++)
            *strrchr(path, '/') = '\0';
        size_t len = strlen(path);
        if (snprintf(path + len, sizeof path - len, "/share/gotop") < (int)(sizeof path - len))
            allow(r, path, READ);
    }
}

/* What libraries read, and what is asked about the machine. */
static void allow_system(struct rules *r, unsigned needs)
{
    static const char *const places[] = {"/usr",
                                         "/lib",
                                         "/lib64",
                                         "/etc/localtime",
                                         "/etc/terminfo",
                                         "/dev/urandom",
                                         "/dev/null",
                                         "/sys/devices/system/cpu",
                                         "/sys/fs/cgroup",
                                         "/proc/meminfo",
                                         "/proc/self/io",
                                         "/proc/self/cgroup",
                                         "/etc/ld.so.cache",
                                         "/nix/store",
                                         "/run/current-system"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        allow(r, places[i], READ);
    allow(r, "/dev/null", READ | WRITE);
    allow(r, "/proc/self/fd", READ); /* /dev/stdin */
#ifdef SANITIZED
    allow(r, "/proc", READ);
#endif
    const char *tmp = getenv("TMPDIR"), *terminfo = getenv("TERMINFO");
    if (!(needs & SANDBOX_TERMINAL))
        return;
    allow(r, "/dev/tty", READ | WRITE);
    allow(r, tmp && tmp[0] == '/' ? tmp : "/tmp", MAKE & ~LANDLOCK_ACCESS_FS_READ_DIR);
    if (terminfo && terminfo[0] == '/')
        allow(r, terminfo, READ);
}

static void landlock_enter(unsigned needs, int argc, char *const *argv)
{
    long version = landlock_version();
    struct landlock_ruleset_attr a = {.handled_access_fs = landlock_handled(version)};
    if (!version)
        return;
    struct rules r = {(int)syscall(SYS_landlock_create_ruleset, &a, sizeof a, 0), a.handled_access_fs};
    if (r.fd < 0)
        return;
    allow_words(&r, argc, argv);
    if (needs & SANDBOX_SLICES)
        allow_slices(&r, argc, argv);
    allow_config(&r);
    allow_system(&r, needs);
    if (needs & SANDBOX_EXEC)
        allow(&r, "/", READ | LANDLOCK_ACCESS_FS_EXECUTE);
    if (needs & SANDBOX_EXEC)
        allow(&r, "/dev/null", READ | WRITE);
    (void)syscall(SYS_landlock_restrict_self, r.fd, 0);
    close(r.fd);
}

#endif

/* ---- seccomp --------------------------------------------------------------------------------------------- */

#ifdef OUR_ARCH

/* What each kernel since 5.1 has; then what some machines and headers lack. */
static const int never[] = {
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_kcmp,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_setns,
    SYS_unshare,
    SYS_swapon,
    SYS_swapoff,
    SYS_reboot,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_acct,
    SYS_quotactl,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_open_by_handle_at,
    SYS_name_to_handle_at,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_adjtimex,
    SYS_clock_adjtime,
    SYS_sethostname,
    SYS_setdomainname,
    SYS_personality,
    SYS_syslog,
    SYS_vhangup,
    SYS_setuid,
    SYS_setgid,
    SYS_setreuid,
    SYS_setregid,
    SYS_setresuid,
    SYS_setresgid,
    SYS_setgroups,
    SYS_setfsuid,
    SYS_setfsgid,
    SYS_capset,
    SYS_fchown,
    SYS_fchownat,
    SYS_mknodat,
    SYS_symlinkat,
    SYS_linkat,
    SYS_mkdirat,
    SYS_setxattr,
    SYS_lsetxattr,
    SYS_fsetxattr,
    SYS_removexattr,
    SYS_lremovexattr,
    SYS_fremovexattr,
    SYS_fanotify_init,
    SYS_inotify_init1,
    SYS_shmget,
    SYS_shmat,
    SYS_msgget,
    SYS_semget,
    SYS_mq_open,
    SYS_memfd_create,
    SYS_kexec_load,
#ifdef SYS_chown
    SYS_chown,
    SYS_lchown,
    SYS_mknod,
    SYS_symlink,
    SYS_link,
    SYS_mkdir,
    SYS_rmdir,
    SYS_inotify_init,
#endif
#ifdef SYS_iopl
    SYS_iopl,
    SYS_ioperm,
    SYS_modify_ldt,
#endif
#ifdef SYS_kexec_file_load
    SYS_kexec_file_load,
#endif
#ifdef SYS_io_uring_setup
    SYS_io_uring_setup,
    SYS_io_uring_enter,
    SYS_io_uring_register,
#endif
#ifdef SYS_open_tree
    SYS_open_tree,
    SYS_move_mount,
    SYS_fsopen,
    SYS_fsconfig,
    SYS_fsmount,
    SYS_fspick,
#endif
#ifdef SYS_pidfd_getfd
    SYS_pidfd_getfd,
#endif
#ifdef SYS_mount_setattr
    SYS_mount_setattr,
#endif
#ifdef SYS_memfd_secret
    SYS_memfd_secret,
#endif
};
static const int net[] = {SYS_socket,   SYS_socketpair, SYS_connect, SYS_bind,    SYS_listen,
                          SYS_accept,   SYS_accept4,    SYS_sendto,  SYS_sendmsg, SYS_sendmmsg,
                          SYS_recvfrom, SYS_recvmsg,    SYS_recvmmsg};
static const int start[] = {
    SYS_execve,
    SYS_execveat,
#ifdef SYS_vfork
    SYS_vfork,
#endif
};

enum { FILTER_MAX = 400 };
struct filter {
    struct sock_filter v[FILTER_MAX];
    unsigned short n;
};

static void put(struct filter *f, struct sock_filter ins)
{
    if (f->n < FILTER_MAX)
        f->v[f->n++] = ins;
}

static void load(struct filter *f, size_t offset)
{
    put(f, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

static void refuse_if(struct filter *f, unsigned how, uint32_t value)
{
    put(f, (struct sock_filter)BPF_JUMP((uint16_t)(BPF_JMP | how | BPF_K), value, 0, 1));
    put(f, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
}

static void refuse(struct filter *f, const int *calls, size_t n)
{
    for (size_t i = 0; i < n; i++) {
#ifdef SANITIZED
        if (calls[i] == SYS_ptrace || calls[i] == SYS_process_vm_readv)
            continue;
#endif
        refuse_if(f, BPF_JEQ, (uint32_t)calls[i]);
    }
}

/* Another machine's calls, by which a filter for this one is walked around. */
static void refuse_others(struct filter *f)
{
    load(f, offsetof(struct seccomp_data, arch));
    put(f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OUR_ARCH, 1, 0));
    put(f, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
    load(f, offsetof(struct seccomp_data, nr));
    refuse_if(f, BPF_JGE, 0x40000000u); /* x32 */
}

/* Typing for the reader's shell: the terminal is ours to draw on, not to type into. Last: another word is loaded. */
static void refuse_typing(struct filter *f)
{
    enum { TYPE = 0x5412, CONSOLE = 0x541C }; /* TIOCSTI, TIOCLINUX */
    put(f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 1, 0));
    put(f, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    load(f,
         offsetof(struct seccomp_data, args) + sizeof(uint64_t)); /* the low half: both machines are little-endian */
    refuse_if(f, BPF_JEQ, TYPE);
    refuse_if(f, BPF_JEQ, CONSOLE);
    put(f, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
}

static void seccomp_enter(unsigned needs)
{
    static struct filter f;
    refuse_others(&f);
    refuse(&f, never, sizeof never / sizeof *never);
    if (!(needs & SANDBOX_NET))
        refuse(&f, net, sizeof net / sizeof *net);
    if (!(needs & SANDBOX_EXEC))
        refuse(&f, start, sizeof start / sizeof *start);
    refuse_typing(&f);
    struct sock_fprog prog = {f.n, f.v};
    if (f.n < FILTER_MAX)
        (void)prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog, 0, 0);
}

static bool seccomp_there(void)
{
    return prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0;
}

#endif

/* ---- both ------------------------------------------------------------------------------------------------ */

void sandbox_enter(unsigned needs, int argc, char *const *argv)
{
    if (needs & SANDBOX_ALL)
        return;
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
    (void)argc;
    (void)argv;
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
    if (seccomp_there() && n < size)
        n += (size_t)snprintf(buf + n, size - n, "%sseccomp", n ? ", " : "");
#endif
    if (!n)
        snprintf(buf, size, "none");
    return buf;
}
