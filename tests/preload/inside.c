/*
 * inside.c - loaded before gotop (LD_PRELOAD), it does what a process would that a trace has taken over: as
 * soon as the sandbox is shut (prctl(PR_SET_SECCOMP) comes back), it tries all that gives power over other
 * files, processes, the net and itself.
 *
 * To the descriptor INSIDE_FD goes a line for each thing that went otherwise than it should, and one at the
 * end: "inside: 180 tried, 0 wrong". INSIDE_DIR is a folder of which the command line names nothing: victim,
 * run and sub/ are in it. INSIDE_PID is a process of the same user, INSIDE_TRACE the trace ("": none).
 * INSIDE_SPARE: a deed of the clerk that would stop the test itself. Where a try isn't refused it does as
 * little as it can: arguments that make no sense are told by another error.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static int out = 2, tried, wrong;
static const char *dir, *trace;
static long other;

static void tell(const char *what, long rc, int why)
{
    char line[200];
    int n = snprintf(line, sizeof line, "inside: %s: %s\n", what, rc >= 0 ? "ALLOWED" : strerror(why));
    wrong++;
    (void)!write(out, line, (size_t)n);
}

static void no(const char *what, long rc)
{
    const int why = errno;
    tried++;
    if (rc >= 0 || (why != EPERM && why != EACCES && why != ENOSYS))
        tell(what, rc, why);
}

static void yes(const char *what, long rc)
{
    const int why = errno;
    tried++;
    if (rc < 0)
        tell(what, rc, why);
}

/* A child that shouldn't be there has nothing to say. */
static long childless(long pid)
{
    if (pid == 0)
        (void)syscall(SYS_exit_group, 0);
    return pid;
}

static const char *in(const char *name)
{
    static char path[2][512];
    static int n;
    n = !n;
    snprintf(path[n], sizeof path[n], "%s/%s", dir, name);
    return path[n];
}

#define CALL(nr, ...) no(#nr, syscall(nr, __VA_ARGS__))
#define NEW(name, nr, ...) no(name, syscall(nr, __VA_ARGS__))

/* ---- files --------------------------------------------------------------------------------------------- */

static void reading(void)
{
    static const char *const secret[] = {"/etc/passwd",    "/etc/hosts",         "/proc/1/status",
                                         "/proc/self/mem", "/proc/self/environ", "/proc/self/maps",
                                         "/dev/mem",       "/dev/kmsg",          "/usr/bin/env"};
    for (size_t i = 0; i < sizeof secret / sizeof *secret; i++)
        if (access(secret[i], F_OK) == 0)
            no(secret[i], open(secret[i], O_RDONLY));
    no("read the victim", open(in("victim"), O_RDONLY));
    no("list a folder", open(dir, O_RDONLY | O_DIRECTORY));
    no("list /", open("/", O_RDONLY | O_DIRECTORY));
    no("list the current folder", open(".", O_RDONLY | O_DIRECTORY));
    if (*trace) {
        yes("read the trace", open(trace, O_RDONLY));
        no("write the trace", open(trace, O_RDWR));
    }
}

static void making(void)
{
    static const char *const where[] = {
        "gotop-was-here",       "/gotop-was-here",         "/tmp/gotop-was-here",    "/etc/gotop-was-here",
        "/root/gotop-was-here", "/var/tmp/gotop-was-here", "/dev/shm/gotop-was-here"};
    for (size_t i = 0; i < sizeof where / sizeof *where; i++) {
        no(where[i], open(where[i], O_WRONLY | O_CREAT, 0600));
        NEW("mkdir", SYS_mkdirat, AT_FDCWD, where[i], 0700);
        NEW("symlink", SYS_symlinkat, "/etc", AT_FDCWD, where[i]);
        NEW("link", SYS_linkat, AT_FDCWD, in("victim"), AT_FDCWD, where[i], 0);
        NEW("mknod", SYS_mknodat, AT_FDCWD, where[i], S_IFIFO | 0600, 0);
        NEW("rename", SYS_renameat2, AT_FDCWD, in("victim"), AT_FDCWD, where[i], 0);
    }
    no("make beside the victim", open(in("new"), O_WRONLY | O_CREAT, 0600));
    no("make with creat()", creat(in("new"), 0600));
    no("an unnamed file", open("/tmp", O_TMPFILE | O_RDWR, 0600));
    uint64_t how[3] = {O_CREAT | O_WRONLY, 0600, 0};
    NEW("openat2", 437, AT_FDCWD, in("new"), how, sizeof how);
}

static void changing(const char *victim)
{
    struct timespec now[2] = {{0, UTIME_NOW}, {0, UTIME_NOW}};
    struct {
        uint64_t value;
        uint32_t size, flags;
    } x = {(uint64_t)(uintptr_t) "1", 1, 0};
    const int fd = *trace ? open(trace, O_RDONLY) : -1;
    no("write the victim", open(victim, O_WRONLY));
    no("append to it", open(victim, O_WRONLY | O_APPEND));
    no("empty it", open(victim, O_RDONLY | O_TRUNC));
    no("truncate", truncate(victim, 3));
    no("unlink", unlink(victim));
    no("rmdir", rmdir(in("sub")));
    no("chmod", chmod(victim, 0777));
    CALL(SYS_fchmodat, AT_FDCWD, victim, 0777);
    NEW("fchmodat2", 452, AT_FDCWD, victim, 0777, 0);
    CALL(SYS_fchmod, fd, 0777);
    CALL(SYS_fchownat, AT_FDCWD, victim, 1, 1, 0);
    CALL(SYS_fchown, fd, 1, 1);
    CALL(SYS_utimensat, AT_FDCWD, victim, now, 0);
    NEW("futimens", SYS_utimensat, fd, NULL, now, 0);
    CALL(SYS_setxattr, victim, "user.x", "1", 1, 0);
    CALL(SYS_lsetxattr, victim, "user.x", "1", 1, 0);
    CALL(SYS_fsetxattr, fd, "user.x", "1", 1, 0);
    CALL(SYS_removexattr, victim, "user.x");
    NEW("setxattrat", 463, AT_FDCWD, victim, 0, "user.y", &x, sizeof x);
    NEW("a file's flags", SYS_ioctl, fd, 0x40086602, &x);
    CALL(SYS_flock, fd, 2);
    CALL(SYS_name_to_handle_at, AT_FDCWD, victim, &x, &x, 0);
    CALL(SYS_open_by_handle_at, AT_FDCWD, &x, 0);
    CALL(SYS_quotactl, 0, "/", 0, &x);
    CALL(SYS_chroot, dir);
    CALL(SYS_chdir, dir);
    CALL(SYS_mount, "none", dir, "no such", 0, NULL);
    CALL(SYS_umount2, in("victim"), 2);
    CALL(SYS_pivot_root, dir, dir);
    NEW("open_tree", 428, AT_FDCWD, dir, 0);
    NEW("fsopen", 430, "tmpfs", 0);
    NEW("mount_setattr", 442, AT_FDCWD, dir, 0, &x, sizeof x);
    CALL(SYS_inotify_init1, 0);
    CALL(SYS_fanotify_init, 0, 0);
    if (fd >= 0)
        close(fd);
}

/* ---- processes ----------------------------------------------------------------------------------------- */

static void others(void)
{
    struct rlimit l = {1, 1};
    struct iovec v = {&l, sizeof l};
    siginfo_t info = {.si_code = SI_QUEUE};
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET(0, &cpus);
    no("is it there", kill((pid_t)other, 0));
    no("SIGSTOP", kill((pid_t)other, SIGSTOP));
    no("SIGKILL", kill((pid_t)other, SIGKILL));
    no("the group", kill(0, 0));
    no("all", kill(-1, 0));
    no("its parent", kill(getppid(), 0));
    CALL(SYS_tgkill, other, other, SIGSTOP);
    CALL(SYS_tkill, other, SIGSTOP);
    CALL(SYS_rt_sigqueueinfo, other, SIGSTOP, &info);
    CALL(SYS_rt_tgsigqueueinfo, other, other, SIGSTOP, &info);
    NEW("pidfd_open", 434, other, 0);
    NEW("pidfd_send_signal", 424, 0, SIGSTOP, NULL, 0);
    NEW("pidfd_getfd", 438, 0, 0, 0);
    NEW("process_madvise", 440, 0, &v, 1, 0, 0);
    CALL(SYS_setpriority, PRIO_PROCESS, other, 19);
    CALL(SYS_setpriority, PRIO_PROCESS, 0, 19);
    CALL(SYS_getpriority, PRIO_PROCESS, other);
    CALL(SYS_sched_setaffinity, other, sizeof cpus, &cpus);
    CALL(SYS_sched_setscheduler, other, 0, &l);
    CALL(SYS_ioprio_set, 1, other, 0);
    CALL(SYS_prlimit64, other, RLIMIT_NOFILE, NULL, &l);
    CALL(SYS_prlimit64, 0, RLIMIT_CORE, &l, NULL);
    CALL(SYS_setpgid, 0, 0);
    CALL(SYS_setsid, 0);
    CALL(SYS_ptrace, 16, other, 0, 0);
    CALL(SYS_ptrace, 0, 0, 0, 0);
    CALL(SYS_process_vm_readv, other, &v, 1, &v, 1, 0);
    CALL(SYS_process_vm_writev, other, &v, 1, &v, 1, 0);
    CALL(SYS_kcmp, getpid(), other, 0, 0, 0);
    CALL(SYS_waitid, 0, other, &info, 0x01000000 | 4, NULL);
}

static void starting(void)
{
    static char *const argv[] = {"run", NULL};
    no("fork", childless(fork()));
    no("clone", childless(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)));
#ifdef SYS_vfork
    no("clone, as vfork", childless(syscall(SYS_clone, 0x4000 | SIGCHLD, 0, 0, 0, 0)));
#endif
    uint64_t how[11] = {0, 0, 0, 0, SIGCHLD};
    no("clone3", childless(syscall(435, how, sizeof how)));
    no("execve", execve(in("run"), argv, argv));
    no("execve /bin/true", execve("/bin/true", argv, argv));
    CALL(SYS_execveat, AT_FDCWD, in("run"), argv, argv, 0);
    CALL(SYS_unshare, CLONE_NEWUSER);
    CALL(SYS_setns, 0, 0);
}

/* ---- the net, memory, the kernel ----------------------------------------------------------------------- */

static void talking(void)
{
    static const int family[] = {AF_INET, AF_INET6, AF_UNIX, AF_NETLINK, AF_PACKET, AF_VSOCK};
    int two[2];
    for (size_t i = 0; i < sizeof family / sizeof *family; i++)
        no("socket", socket(family[i], SOCK_STREAM, 0));
    no("socketpair", socketpair(AF_UNIX, SOCK_STREAM, 0, two));
    CALL(SYS_bind, 0, NULL, 0);
    CALL(SYS_connect, 0, NULL, 0);
    CALL(SYS_listen, 0, 1);
    CALL(SYS_accept4, 0, NULL, NULL, 0);
    CALL(SYS_sendto, 0, "", 0, 0, NULL, 0);
    CALL(SYS_sendmsg, 0, NULL, 0);
    CALL(SYS_recvfrom, 0, NULL, 0, 0, NULL, NULL);
    CALL(SYS_recvmsg, 0, NULL, 0);
    CALL(SYS_shmget, 1, 4096, 01600);
    CALL(SYS_msgget, 1, 01600);
    CALL(SYS_semget, 1, 1, 01600);
    CALL(SYS_mq_open, "x", O_CREAT, 0600, NULL);
}

static long mapped(const void *p)
{
    return p == MAP_FAILED ? -1 : 0;
}

static void coding(void)
{
    const int rw = PROT_READ | PROT_WRITE, x = PROT_EXEC, how = MAP_PRIVATE | MAP_ANONYMOUS;
    void *p = mmap(NULL, 4096, rw, how, -1, 0);
    yes("memory", mapped(p));
    no("writable code", mapped(mmap(NULL, 4096, rw | x, how, -1, 0)));
    no("code", mapped(mmap(NULL, 4096, PROT_READ | x, how, -1, 0)));
    no("memory becomes code", mprotect(p, 4096, PROT_READ | x));
    no("memory becomes writable code", mprotect(p, 4096, rw | x));
    CALL(SYS_pkey_mprotect, p, 4096, rw | x, -1);
    CALL(SYS_memfd_create, "x", 0);
    NEW("memfd_secret", 447, 0);
    CALL(SYS_remap_file_pages, p, 4096, 0, 0, 0);
    CALL(SYS_shmat, 0, NULL, 0);
    CALL(SYS_personality, 0x0400000);
}

static void ruling(void)
{
    uint64_t x[16] = {0};
    CALL(SYS_setuid, 0);
    CALL(SYS_setgid, 0);
    CALL(SYS_setresuid, 0, 0, 0);
    CALL(SYS_setgroups, 0, NULL);
    CALL(SYS_setfsuid, 0);
    CALL(SYS_capset, x, x);
    CALL(SYS_bpf, 0, x, sizeof x);
    CALL(SYS_perf_event_open, x, 0, -1, -1, 0);
    CALL(SYS_userfaultfd, 0);
    NEW("io_uring_setup", 425, 1, x);
    CALL(SYS_add_key, "user", "x", "1", 1, -3);
    CALL(SYS_keyctl, 0, -3, 1);
    CALL(SYS_reboot, 0, 0, 0, NULL);
    CALL(SYS_syslog, 3, x, 8);
    CALL(SYS_sethostname, NULL, 1);
    CALL(SYS_clock_settime, 0, NULL);
    CALL(SYS_clock_adjtime, 0, x);
    CALL(SYS_adjtimex, x);
    CALL(SYS_init_module, x, 8, "");
    CALL(SYS_finit_module, 0, "", 0);
    CALL(SYS_kexec_load, 0, 0, NULL, -1L);
    CALL(SYS_swapon, "/dev/null", 0);
    CALL(SYS_acct, in("sub"));
    CALL(SYS_timer_create, 0, NULL, x);
    CALL(SYS_setitimer, 0, x, NULL);
    CALL(SYS_epoll_create1, 0);
    CALL(SYS_eventfd2, 0, 0);
    CALL(SYS_signalfd4, -1, x, 8, 0);
    CALL(SYS_timerfd_create, 0, 0);
    CALL(SYS_seccomp, 1, 0, NULL);
    NEW("landlock_create_ruleset", 444, NULL, 0, 1);
    CALL(SYS_prctl, PR_SET_DUMPABLE, 1, 0, 0, 0);
    CALL(SYS_prctl, PR_SET_PDEATHSIG, 9, 0, 0, 0);
    CALL(SYS_prctl, PR_SET_MM, 1, 0, 0, 0);
    CALL(SYS_prctl, 0x59616d61, -1, 0, 0, 0); /* PR_SET_PTRACER */
#ifdef SYS_iopl
    CALL(SYS_iopl, 3);
    CALL(SYS_ioperm, 0, 8, 1);
    CALL(SYS_modify_ldt, 0, x, 8);
    CALL(SYS_arch_prctl, 0x1003, x);
#endif
}

static void terminal(void)
{
    int one = 1;
    NEW("TIOCSTI", SYS_ioctl, 0, 0x5412, "x");
    NEW("TIOCLINUX", SYS_ioctl, 0, 0x541C, "x");
    NEW("TIOCSCTTY", SYS_ioctl, 0, 0x540E, 1);
    NEW("TIOCSPGRP", SYS_ioctl, 0, 0x5410, &one);
    NEW("TIOCSETD", SYS_ioctl, 0, 0x5423, &one);
    NEW("TIOCCONS", SYS_ioctl, 0, 0x541D, 0);
    NEW("FIOASYNC", SYS_ioctl, 1, 0x5452, &one);
    NEW("FIOSETOWN", SYS_ioctl, 1, 0x8901, &one);
    NEW("TIOCSTI, high half set", SYS_ioctl, 0, 0x100005412ULL, "x");
    no("F_SETOWN", fcntl(1, F_SETOWN, (int)other));
    no("F_SETSIG", fcntl(1, 10, SIGKILL));
    no("F_SETLEASE", fcntl(1, 1024, F_WRLCK));
    no("F_NOTIFY", fcntl(1, 1026, 1));
    no("O_ASYNC", fcntl(1, F_SETFL, O_ASYNC));
}

#ifdef __x86_64__
static sigjmp_buf back;

static void fault(int sig)
{
    siglongjmp(back, sig);
}

/* The calls of i386 and x32: numbers that mean something else here. */
static void other_machines(void)
{
    struct sigaction sa = {.sa_handler = fault}, was;
    long rc = -EPERM;
    sigaction(SIGSEGV, &sa, &was);
    if (!sigsetjmp(back, 1)) {
        __asm__ volatile("int $0x80" : "=a"(rc) : "a"(20L) : "memory", "r8", "r9", "r10", "r11"); /* getpid */
        errno = (int)-rc;
        no("i386", rc < 0 ? -1 : 0);
    }
    sigaction(SIGSEGV, &was, NULL);
    NEW("x32", 0x40000000L + SYS_getpid, 0);
}
#endif

/* ---- the clerk ----------------------------------------------------------------------------------------- */

enum { TEXT = 4096 };

/* Whatever deed N is: does it hand out, or do anything to, what it shouldn't? Files are looked at by who
 * started us. */
static void demand(int clerk, int deed, const char *how, const char *text, const struct stat *victim)
{
    struct {
        int deed;
        char text[TEXT];
    } r = {.deed = deed};
    static char answer[2 * TEXT];
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(4 * sizeof(int))];
    } c;
    struct iovec v = {answer, sizeof answer};
    struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1, .msg_control = &c, .msg_controllen = sizeof c};
    struct stat st;
    snprintf(r.text, sizeof r.text, "%s%s", how, text);
    if (write(clerk, &r, sizeof r) != sizeof r || recvmsg(clerk, &m, 0) <= 0)
        return;
    for (struct cmsghdr *h = CMSG_FIRSTHDR(&m); h; h = CMSG_NXTHDR(&m, h)) {
        int fd[4];
        const size_t n = (h->cmsg_len - CMSG_LEN(0)) / sizeof *fd;
        memcpy(fd, CMSG_DATA(h), n * sizeof *fd);
        for (size_t i = 0; i < n; i++) {
            const bool taken =
                fstat(fd[i], &st) == 0 && st.st_dev == victim->st_dev && st.st_ino == victim->st_ino;
            errno = EPERM;
            no("the clerk hands out the victim", taken ? 0 : -1);
            close(fd[i]);
        }
    }
}

static void clerk(void)
{
    enum { FROM = 3, TO = 64, DEEDS = 16 };
    const char *spare = getenv("INSIDE_SPARE"), *kept = getenv("INSIDE_KEPT");
    const char *texts[] = {in("victim"),
                           in("run"),
                           ".hidden",
                           "../gotop-was-here",
                           "/etc/gotop-was-here",
                           "sub/gotop-was-here",
                           kept,
                           "",
                           "0",
                           trace,
                           "./../inside/victim",
                           "/"},
               *const hows[] = {"", "=", "+"}; /* of opening, before a file's name */
    struct stat st, victim = {0};
    (void)stat(in("victim"), &victim);
    for (int fd = FROM; fd < TO; fd++) {
        if (fstat(fd, &st) != 0 || !S_ISSOCK(st.st_mode))
            continue;
        for (int deed = 0; deed < DEEDS; deed++)
            for (size_t i = 0; i < 3 * sizeof texts / sizeof *texts; i++)
                if (texts[i / 3] && !(spare && deed == atoi(spare)) && deed < atoi(getenv("INSIDE_DEEDS")))
                    demand(fd, deed, hows[i % 3], texts[i / 3], &victim);
    }
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

static void *thread(void *arg)
{
    reading();
    no("a thread's socket", socket(AF_INET, SOCK_STREAM, 0));
    no("a thread's SIGSTOP", kill((pid_t)other, SIGSTOP));
    no("a thread's fork", childless(fork()));
    return arg;
}

static void try_all(void)
{
    const char *fd = getenv("INSIDE_FD"), *pid = getenv("INSIDE_PID");
    pthread_t t;
    char line[100];
    dir = getenv("INSIDE_DIR");
    trace = getenv("INSIDE_TRACE");
    if (!fd || !pid || !dir || !trace)
        return;
    out = atoi(fd);
    other = atol(pid);
    reading();
    making();
    changing(in("victim"));
    if (*trace)
        changing(trace);
    others();
    starting();
    talking();
    coding();
    ruling();
    terminal();
#ifdef __x86_64__
    other_machines();
#endif
    if (getenv("INSIDE_DEEDS"))
        clerk();
    yes("itself", kill(getpid(), 0));
    yes("a thread", pthread_create(&t, NULL, thread, NULL) == 0 ? pthread_join(t, NULL) : -1);
    int n = snprintf(line, sizeof line, "inside: %d tried, %d wrong\n", tried, wrong);
    (void)!write(out, line, (size_t)n);
}

int prctl(int what, ...)
{
    va_list ap;
    unsigned long a[4];
    va_start(ap, what);
    for (int i = 0; i < 4; i++)
        a[i] = va_arg(ap, unsigned long);
    va_end(ap);
    const int rc = (int)syscall(SYS_prctl, what, a[0], a[1], a[2], a[3]);
    if (what == PR_SET_SECCOMP && rc == 0)
        try_all();
    return rc;
}
