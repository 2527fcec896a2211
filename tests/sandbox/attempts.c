#define _GNU_SOURCE /* everything */
/*
 * What an importer would do that has been taken over. A library that is loaded in front of libc (LD_PRELOAD) into the
 * command as it is shipped: at the first read of the file that HSD_ATTEMPTS_ON names it makes each attempt of the table
 * once, with the rights that the command has at that moment, and prints a line for each on standard error:
 *
 *      attempt NAME refused                  EPERM, EACCES, ENOSYS; EXDEV, as Landlock refuses to move between folders
 *      attempt NAME succeeded ERRNO          done, or refused for another reason: the kernel would have done it
 *
 * The others are told in the environment: HSD_ATTEMPTS_OUTSIDE a folder with a file `victim`, HSD_ATTEMPTS_TEMP the
 * temporary folder, HSD_ATTEMPTS_PID a process of this user, HSD_ATTEMPTS_PORT a port of the loopback and
 * HSD_ATTEMPTS_SOCKET a Unix socket at which somebody listens. Nothing that is done without a sandbox harms the
 * machine.
 */
#undef _FILE_OFFSET_BITS /* which makes pread and pread64 one name */

#include <arpa/inet.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/keyctl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *outside, *temp, *input, *socket_path;
static pid_t other;
static uint16_t port;

/* ---- what attempts are made of: each returns -1 and errno, or anything else ---- */

/* Borrowed until the next. */
static const char *in(const char *folder, const char *name)
{
    static char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static long close_it(long fd)
{
    if (fd >= 0) close((int)fd);
    return fd;
}

static long opens(const char *path, int flags) { return close_it(open(path, flags | O_CLOEXEC, 0600)); }

static long opens_of_other(const char *name, int flags)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/%s", (long)other, name);
    return opens(path, flags);
}

static long lists(const char *path)
{
    DIR *list = opendir(path);
    if (list) closedir(list);
    return list ? 0 : -1;
}

static long connects(int family, const void *name, socklen_t size)
{
    const int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -1;
    const int result = connect(fd, name, size), error = errno;
    close(fd);
    errno = error;
    return result;
}

static long connects_tcp(void)
{
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = htons(port)};
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return connects(AF_INET, &name, sizeof name);
}

static long connects_unix(void)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    snprintf(name.sun_path, sizeof name.sun_path, "%s", socket_path);
    return connects(AF_UNIX, &name, sizeof name);
}

/* Nobody listens: that is not for a process without rights to find out. */
static long connects_abstract(void)
{
    const struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "\0hsdiff-nobody"};
    return connects(AF_UNIX, &name, sizeof name);
}

static long listens(void)
{
    const struct sockaddr_in name = {.sin_family = AF_INET};
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -1;
    const long result = bind(fd, (const struct sockaddr *)&name, sizeof name) == 0 ? listen(fd, 1) : -1;
    close(fd);
    return result;
}

static long sends_datagram(void)
{
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = htons(9)};
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -1;
    const long result = sendto(fd, "x", 1, 0, (const struct sockaddr *)&name, sizeof name);
    close(fd);
    return result;
}

static long pairs_sockets(void)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return -1;
    close(ends[0]);
    return close_it(ends[1]);
}

/* In a child where there can be one; else the process itself would become another program, which is a success, too. */
static long executes(bool by_descriptor)
{
    char *const words[] = {(char *)(uintptr_t) "true", NULL};
    char *const none[] = {NULL};
    const long child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    const bool is_forked = child >= 0;
    int status;
    if (child > 0) return waitpid((pid_t)child, &status, 0) == child && WEXITSTATUS(status) == 0 ? 0 : -1;
    long result;
    if (by_descriptor) {
        const int fd = open("/bin/true", O_PATH | O_CLOEXEC);
        result = syscall(SYS_execveat, fd, "", words, none, AT_EMPTY_PATH);
        close_it(fd);
    } else {
        result = execve("/bin/true", words, none);
    }
    if (is_forked) _exit(1);
    return result;
}

static long forks(unsigned long flags)
{
    int status;
    const long child = syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0);
    if (child == 0) _exit(0);
    if (child > 0) waitpid((pid_t)child, &status, 0);
    return child;
}

static long forks_by_clone3(void)
{
    uint64_t arguments[8] = {[4] = SIGCHLD};
    int status;
    const long child = syscall(435, arguments, sizeof arguments);
    if (child == 0) _exit(0);
    if (child > 0) waitpid((pid_t)child, &status, 0);
    return child;
}

static long maps_code(void)
{
    void *page = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return -1;
    return munmap(page, 4096);
}

static long makes_code(void)
{
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return 0;
    const long result = mprotect(page, 4096, PROT_READ | PROT_EXEC);
    const int error = errno;
    munmap(page, 4096);
    errno = error;
    return result;
}

static long attaches(void)
{
    int status;
    const long result = ptrace(PTRACE_ATTACH, other, NULL, NULL);
    if (result != 0) return -1;
    waitpid(other, &status, 0);
    return ptrace(PTRACE_DETACH, other, NULL, NULL);
}

/* Of a page that is nowhere: EFAULT comes after the question whether it may. */
static long touches_memory(long call)
{
    char byte = 0;
    const struct iovec own = {&byte, 1}, far = {(void *)(uintptr_t)8, 1};
    return syscall(call, (long)other, &own, 1L, &far, 1L, 0L);
}

static long mounts(void) { return syscall(SYS_mount, "none", in(outside, "absent"), "tmpfs", 0L, NULL); }

static long registers_key(void) { return syscall(SYS_keyctl, (long)KEYCTL_GET_KEYRING_ID, -3L, 0L, 0L, 0L); }

static long pushes_input(void)
{
    char key = '\n';
    return ioctl(STDIN_FILENO, TIOCSTI, &key);
}

static long takes_descriptor(void)
{
    const long own = syscall(SYS_pidfd_open, (long)other, 0L);
    if (own < 0) return -1;
    const long result = syscall(438, own, 0L, 0L);
    close_it(result);
    return close_it(own);
}

static long opens_again(void)
{
    const int at = open(outside, O_PATH | O_DIRECTORY | O_CLOEXEC);
    const long result = at < 0 ? -1 : close_it(openat(at, "victim", O_RDWR | O_CLOEXEC));
    const int error = errno;
    close_it(at);
    errno = error;
    return result;
}

static long renames(void)
{
    char to[PATH_MAX];
    snprintf(to, sizeof to, "%s/moved", outside);
    if (rename(in(outside, "victim"), to) != 0) return -1;
    char from[PATH_MAX];
    snprintf(from, sizeof from, "%s/victim", outside);
    return rename(to, from);
}

static long links_into_temp(void)
{
    char from[PATH_MAX];
    snprintf(from, sizeof from, "%s/victim", outside);
    if (link(from, in(temp, "linked")) != 0) return -1;
    return unlink(in(temp, "linked"));
}

static long makes_pipe(void)
{
    if (mkfifo(in(temp, "pipe"), 0600) != 0) return -1;
    return unlink(in(temp, "pipe"));
}

static long makes_link(void)
{
    if (symlink("/etc/passwd", in(temp, "link")) != 0) return -1;
    return unlink(in(temp, "link"));
}

static long makes_file(void)
{
    if (opens(in(outside, "new"), O_CREAT | O_EXCL | O_WRONLY) < 0) return -1;
    return unlink(in(outside, "new"));
}

static long makes_folder(void)
{
    if (mkdir(in(outside, "folder"), 0700) != 0) return -1;
    return rmdir(in(outside, "folder"));
}

static long makes_nameless(void) { return opens(outside, O_TMPFILE | O_RDWR); }

/* ---- the table ---- */

#define TRY(name, what)                                                                                                \
    static long try_##name(void) { return (what); }
#define ROW(name, what) {#name, try_##name},

/* clang-format off */
#define ATTEMPTS(X)                                                                                                     \
    X(make_a_file, makes_file())                                                                                       \
    X(make_a_nameless_file, makes_nameless())                                                                          \
    X(make_a_folder, makes_folder())                                                                                   \
    X(write_a_file, opens(in(outside, "victim"), O_WRONLY))                                                            \
    X(write_a_file_below_a_folder, opens_again())                                                                      \
    X(write_the_input, opens(input, O_RDWR))                                                                           \
    X(write_in_the_temporary_folder, opens(in(temp, "victim"), O_WRONLY))                                              \
    X(truncate_a_file, truncate(in(outside, "victim"), 1))                                                             \
    X(read_the_users, opens("/etc/passwd", O_RDONLY))                                                                  \
    X(read_a_file, opens(in(outside, "victim"), O_RDONLY))                                                             \
    X(read_through_proc, opens("/proc/self/root/etc/passwd", O_RDONLY))                                                \
    X(list_a_folder, lists(outside))                                                                                   \
    X(list_the_root, lists("/"))                                                                                       \
    X(rename_a_file, renames())                                                                                        \
    X(remove_a_file, unlink(in(outside, "spare")))                                                                     \
    X(link_a_file, links_into_temp())                                                                                  \
    X(make_a_symbolic_link, makes_link())                                                                              \
    X(make_a_pipe, makes_pipe())                                                                                       \
    X(change_a_mode, chmod(in(outside, "victim"), 0644))                                                               \
    X(change_an_owner, chown(in(outside, "victim"), getuid(), getgid()))                                               \
    X(change_the_folder, chdir("."))                                                                                   \
    X(change_the_root, chroot("/"))                                                                                    \
    X(open_by_handle, syscall(SYS_open_by_handle_at, -1L, NULL, 0L))                                                   \
    X(connect_to_the_loopback, connects_tcp())                                                                         \
    X(connect_to_a_unix_socket, connects_unix())                                                                       \
    X(connect_to_an_abstract_socket, connects_abstract())                                                              \
    X(send_a_datagram, sends_datagram())                                                                               \
    X(listen_for_others, listens())                                                                                    \
    X(ask_the_kernel_of_the_network, close_it(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, 0)))                         \
    X(pair_sockets, pairs_sockets())                                                                                   \
    X(execute_a_program, executes(false))                                                                              \
    X(execute_a_descriptor, executes(true))                                                                            \
    X(fork, forks(0))                                                                                                  \
    X(fork_by_clone3, forks_by_clone3())                                                                               \
    X(fork_into_a_namespace, forks(CLONE_NEWUSER))                                                                     \
    X(leave_a_namespace, unshare(CLONE_NEWUSER | CLONE_NEWNS))                                                         \
    X(enter_a_namespace, setns(-1, 0))                                                                                 \
    X(make_code, makes_code())                                                                                         \
    X(map_code, maps_code())                                                                                           \
    X(make_a_file_in_memory, close_it(syscall(SYS_memfd_create, "x", 0L)))                                             \
    X(attach_to_a_process, attaches())                                                                                 \
    X(be_traced, ptrace(PTRACE_SETOPTIONS, other, NULL, NULL))                                                         \
    X(read_memory_of_a_process, touches_memory(SYS_process_vm_readv))                                                  \
    X(write_memory_of_a_process, touches_memory(SYS_process_vm_writev))                                                \
    X(open_memory_of_a_process, opens_of_other("mem", O_RDONLY))                                                       \
    X(read_the_environment_of_a_process, opens_of_other("environ", O_RDONLY))                                          \
    X(signal_a_process, kill(other, 0))                                                                                \
    X(signal_a_thread, syscall(SYS_tgkill, (long)other, (long)other, 0L))                                              \
    X(signal_a_group, kill(-other, 0))                                                                                 \
    X(take_a_descriptor_of_a_process, takes_descriptor())                                                              \
    X(mount_a_file_system, mounts())                                                                                   \
    X(unmount_a_file_system, syscall(SYS_umount2, in(outside, "absent"), 0L))                                          \
    X(load_a_bpf_program, syscall(SYS_bpf, 0L, NULL, 0L))                                                              \
    X(open_a_performance_counter, syscall(SYS_perf_event_open, NULL, 0L, -1L, -1L, 0L))                                \
    X(set_up_io_uring, syscall(SYS_io_uring_setup, 1L, NULL))                                                          \
    X(handle_page_faults, close_it(syscall(SYS_userfaultfd, 0L)))                                                      \
    X(look_for_a_key, registers_key())                                                                                 \
    X(load_a_module, syscall(SYS_finit_module, -1L, "", 0L))                                                           \
    X(restart_the_machine, syscall(SYS_reboot, 0L, 0L, 0L, NULL))                                                      \
    X(swap_to_a_file, syscall(SYS_swapon, in(outside, "absent"), 0L))                                                  \
    X(read_the_log_of_the_kernel, syscall(SYS_syslog, 10L, NULL, 0L))                                                  \
    X(push_input_to_a_terminal, pushes_input())                                                                        \
    X(watch_files, close_it(syscall(SYS_inotify_init1, 0L)))                                                           \
    X(share_memory, syscall(SYS_shmget, 0L, 4096L, 01600L))                                                            \
    X(change_the_user, syscall(SYS_setresuid, (long)getuid(), (long)getuid(), (long)getuid()))                         \
    X(change_how_it_is_dumped, prctl(PR_SET_DUMPABLE, 1, 0, 0, 0))
/* clang-format on */

ATTEMPTS(TRY)

static const struct attempt {
    const char *name;
    long (*make)(void);
} attempts[] = {ATTEMPTS(ROW)};

static void make_all(void)
{
    const char *of_port = getenv("HSD_ATTEMPTS_PORT"), *of_pid = getenv("HSD_ATTEMPTS_PID");
    outside = getenv("HSD_ATTEMPTS_OUTSIDE");
    temp = getenv("HSD_ATTEMPTS_TEMP");
    socket_path = getenv("HSD_ATTEMPTS_SOCKET");
    port = (uint16_t)(of_port ? strtoul(of_port, NULL, 10) : 0);
    other = of_pid ? (pid_t)strtol(of_pid, NULL, 10) : 0;
    for (size_t i = 0; outside && temp && socket_path && other > 0 && i < sizeof attempts / sizeof attempts[0]; i++) {
        errno = 0;
        const bool is_done = attempts[i].make() != -1;
        const int error = is_done ? 0 : errno;
        const bool is_refused = error == EPERM || error == EACCES || error == ENOSYS || error == EXDEV;
        char line[160];
        const int size = is_refused ? snprintf(line, sizeof line, "attempt %s refused\n", attempts[i].name)
                                    : snprintf(line, sizeof line, "attempt %s succeeded %d\n", attempts[i].name, error);
        (void)!write(STDERR_FILENO, line, (size_t)size);
    }
}

/* ---- in front of libc ---- */

/* The first four bytes are looked at before, to tell a core (cli/sandbox/policy.c): nothing is made of them. */
#define LOOKED_AT 4

static void look_at(int fd, size_t wanted)
{
    static atomic_flag was_made = ATOMIC_FLAG_INIT;
    char link[64], path[PATH_MAX];
    const int error = errno;
    input = wanted > LOOKED_AT ? getenv("HSD_ATTEMPTS_ON") : NULL;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t size = input ? readlink(link, path, sizeof path - 1) : -1;
    if (size > 0) {
        path[size] = 0;
        if (strcmp(path, input) == 0 && !atomic_flag_test_and_set(&was_made)) make_all();
    }
    errno = error;
}

ssize_t read(int fd, void *data, size_t size)
{
    look_at(fd, size);
    return syscall(SYS_read, fd, data, size);
}

static ssize_t read_at(int fd, void *data, size_t size, off_t offset)
{
    look_at(fd, size);
    return syscall(SYS_pread64, fd, data, size, offset);
}

ssize_t pread(int fd, void *data, size_t size, off_t offset) { return read_at(fd, data, size, offset); }
ssize_t pread64(int fd, void *data, size_t size, off_t offset) { return read_at(fd, data, size, offset); }

ssize_t __read_chk(int fd, void *data, size_t size, size_t room);
ssize_t __read_chk(int fd, void *data, size_t size, size_t room)
{
    (void)room;
    return read(fd, data, size);
}

ssize_t __pread_chk(int fd, void *data, size_t size, off_t offset, size_t room);
ssize_t __pread_chk(int fd, void *data, size_t size, off_t offset, size_t room)
{
    (void)room;
    return read_at(fd, data, size, offset);
}

ssize_t __pread64_chk(int fd, void *data, size_t size, off_t offset, size_t room);
ssize_t __pread64_chk(int fd, void *data, size_t size, off_t offset, size_t room)
{
    (void)room;
    return read_at(fd, data, size, offset);
}
