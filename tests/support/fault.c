/*
 * See fault.h. Each wrapped call asks strike() first: it counts the call and says whether this one fails. What the
 * linker's
 * --wrap=NAME does: the program's NAME becomes __wrap_NAME, below; the true one is __real_NAME.
 */
#define _GNU_SOURCE
#include "support/fault.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_POINTS  4
#define SHORT_COUNT (-1) /* in place of an errno */

typedef struct plan {
    _Atomic uint64_t calls;
    uint64_t at[MAX_POINTS];
    unsigned point_count;
    bool forever;
    int error;
} plan;

static plan plans[HSD_FAULT_FAMILY_COUNT];
static plan any_io; /* HSD_FAULT_IO_CALL=any counts all families but malloc together */
static _Atomic uint64_t strikes;
static int count_fd = -1; /* opened at the start: later the sandbox of the command forbids it */

const char *hsd_fault_name(hsd_fault_family family)
{
    static const char *const names[HSD_FAULT_FAMILY_COUNT] = {
        "malloc", "open",  "read", "pread", "write", "pwrite", "sync",
        "rename", "close", "size", "seek",  "stat",  "map",    "thread",
    };
    return names[family];
}

/* ---- the plan ---- */

static bool is_due(plan *p, uint64_t call)
{
    if (p->point_count == 0) return false;
    for (unsigned i = 0; i < p->point_count; i++) {
        if (call == p->at[i] || (p->forever && call > p->at[i])) return true;
    }
    return false;
}

/* 0 = go ahead; an errno; or SHORT_COUNT. */
static int strike(hsd_fault_family family)
{
    plan *p = &plans[family];
    int error = 0;
    if (is_due(p, atomic_fetch_add(&p->calls, 1) + 1)) error = p->error;
    if (family != HSD_FAULT_MALLOC && is_due(&any_io, atomic_fetch_add(&any_io.calls, 1) + 1)) {
        error = any_io.error;
    }
    if (error != 0) atomic_fetch_add(&strikes, 1);
    return error;
}

/* True when the call must fail; errno is then set. A short count means nothing to calls without one. */
static bool fails(hsd_fault_family family)
{
    const int error = strike(family);
    if (error == 0 || error == SHORT_COUNT) return false;
    errno = error;
    return true;
}

/* The same for calls that move bytes: *size shrinks for a short count. */
static bool transfer_fails(hsd_fault_family family, int fd, size_t *size)
{
    if (fd == STDERR_FILENO) return false;
    const int error = strike(family);
    if (error == SHORT_COUNT && *size > 1) *size /= 2;
    if (error == 0 || error == SHORT_COUNT) return false;
    errno = error;
    return true;
}

static void arm(plan *p, uint64_t at, bool forever, int error)
{
    if (p->point_count == MAX_POINTS) return;
    p->at[p->point_count++] = at;
    p->forever = forever;
    p->error = error;
}

void hsd_fault_arm(hsd_fault_family family, uint64_t at, bool forever, int error)
{
    if (error == 0) abort(); /* it would never strike, and the test would pass for nothing */
    arm(&plans[family], at, forever, error);
}

void hsd_fault_arm_short(hsd_fault_family family, uint64_t at, bool forever)
{
    arm(&plans[family], at, forever, SHORT_COUNT);
}

static void clear(plan *p)
{
    p->point_count = 0;
    atomic_store(&p->calls, 0);
}

void hsd_fault_reset(void)
{
    for (int i = 0; i < HSD_FAULT_FAMILY_COUNT; i++)
        clear(&plans[i]);
    clear(&any_io);
    atomic_store(&strikes, 0);
}

uint64_t hsd_fault_calls(hsd_fault_family family) { return atomic_load(&plans[family].calls); }
uint64_t hsd_fault_strikes(void) { return atomic_load(&strikes); }

/* ---- the environment ---- */

static int error_from_name(const char *name)
{
    static const struct {
        const char *name;
        int number;
    } errors[] = {
        {"EIO", EIO},       {"ENOSPC", ENOSPC}, {"EDQUOT", EDQUOT}, {"EINTR", EINTR},   {"EAGAIN", EAGAIN},
        {"EMFILE", EMFILE}, {"EACCES", EACCES}, {"EPIPE", EPIPE},   {"ENOMEM", ENOMEM}, {"SHORT", SHORT_COUNT},
    };
    for (size_t i = 0; name != NULL && i < sizeof errors / sizeof errors[0]; i++) {
        if (strcmp(name, errors[i].name) == 0) return errors[i].number;
    }
    return EIO;
}

static void arm_list(plan *p, const char *list, bool forever, int error)
{
    while (list != NULL && *list != '\0') {
        char *end;
        const uint64_t at = strtoull(list, &end, 10);
        if (end == list) return;
        arm(p, at, forever, error);
        list = *end == ',' ? end + 1 : end;
    }
}

static plan *plan_from_name(const char *name)
{
    for (int i = 0; name != NULL && i < HSD_FAULT_FAMILY_COUNT; i++) {
        if (strcmp(name, hsd_fault_name((hsd_fault_family)i)) == 0) return &plans[i];
    }
    return &any_io;
}

int __real_open64(const char *path, int flags, ...);
ssize_t __real_write(int fd, const void *data, size_t size);
int __real_close(int fd);

ssize_t __real_read(int fd, void *data, size_t size);

/* The leak sanitizer asks. */
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void) { return getenv("HSD_FAULT_NO_LEAKS") != NULL; }

#define RUN_SECONDS 60

/* A line without its end; false when there is none. */
static bool read_request(char *line, size_t capacity)
{
    size_t size = 0;
    while (size + 1 < capacity && __real_read(STDIN_FILENO, line + size, 1) == 1) {
        if (line[size] == '\n') {
            line[size] = '\0';
            return true;
        }
        size++;
    }
    return false;
}

static void put_stream(const char *folder, const char *name, int flags, int fd)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    const int opened = __real_open64(path, flags, 0600);
    if (opened < 0 || dup2(opened, fd) < 0) _exit(120);
    if (opened != fd) __real_close(opened);
}

/* The child's way back to main. */
static void become_run(const char *folder, char *request)
{
    put_stream("/dev", "null", O_RDONLY, STDIN_FILENO);
    put_stream(folder, "out", O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
    put_stream(folder, "err", O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
    for (char *rest = NULL, *word = strtok_r(request, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(word, '=');
        if (value == NULL) _exit(121);
        *value = '\0';
        setenv(word, value + 1, 1);
    }
    unsetenv("HSD_FAULT_SERVE");
    alarm(RUN_SECONDS);
}

/* Returns in children alone. */
static void serve_runs(const char *folder)
{
    char request[1024], answer[32];
    int status;
    while (read_request(request, sizeof request)) {
        const pid_t child = fork();
        if (child == 0) {
            become_run(folder, request);
            return;
        }
        if (child < 0 || waitpid(child, &status, 0) != child) _exit(122);
        const int size = snprintf(answer, sizeof answer, "%d\n", status);
        if (__real_write(STDOUT_FILENO, answer, (size_t)size) != size) _exit(123);
    }
    _exit(0);
}

__attribute__((constructor)) static void read_environment(void)
{
    if (getenv("HSD_FAULT_SERVE") != NULL) serve_runs(getenv("HSD_FAULT_SERVE"));
    const char *path = getenv("HSD_FAULT_COUNT_FILE");
    if (path != NULL) count_fd = __real_open64(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    arm_list(&plans[HSD_FAULT_MALLOC], getenv("HSD_FAULT_MALLOC_AT"), getenv("HSD_FAULT_MALLOC_FOREVER") != NULL,
             ENOMEM);
    arm_list(plan_from_name(getenv("HSD_FAULT_IO_CALL")), getenv("HSD_FAULT_IO_AT"),
             getenv("HSD_FAULT_IO_FOREVER") != NULL, error_from_name(getenv("HSD_FAULT_ERRNO")));
}

__attribute__((destructor)) static void write_counts(void)
{
    char text[1024];
    size_t size = 0;
    if (count_fd < 0) return;
    for (int i = 0; i < HSD_FAULT_FAMILY_COUNT; i++) {
        size += (size_t)snprintf(text + size, sizeof text - size, "%s %llu\n", hsd_fault_name((hsd_fault_family)i),
                                 (unsigned long long)hsd_fault_calls((hsd_fault_family)i));
    }
    size += (size_t)snprintf(text + size, sizeof text - size, "any %llu\nfaults %llu\n",
                             (unsigned long long)atomic_load(&any_io.calls), (unsigned long long)hsd_fault_strikes());
    (void)!__real_write(count_fd, text, size);
    __real_close(count_fd);
}

/* ---- the wrapped calls ---- */

/* Declares NAME's two forms and opens the body of the one that is called. */
#define WRAP(result, name, ...)                                                                                        \
    result __real_##name(__VA_ARGS__);                                                                                 \
    result __wrap_##name(__VA_ARGS__);                                                                                 \
    result __wrap_##name(__VA_ARGS__)

/* A call that fails with `bad` or is passed on. */
#define WRAP_PLAIN(family, bad, result, name, parameters, arguments)                                                   \
    result __real_##name parameters;                                                                                   \
    result __wrap_##name parameters;                                                                                   \
    result __wrap_##name parameters                                                                                    \
    {                                                                                                                  \
        if (fails(family)) return bad;                                                                                 \
        return __real_##name arguments;                                                                                \
    }

WRAP_PLAIN(HSD_FAULT_MALLOC, NULL, void *, malloc, (size_t size), (size))
WRAP_PLAIN(HSD_FAULT_MALLOC, NULL, void *, calloc, (size_t count, size_t size), (count, size))
WRAP_PLAIN(HSD_FAULT_MALLOC, NULL, void *, realloc, (void *old, size_t size), (old, size))
WRAP_PLAIN(HSD_FAULT_MALLOC, NULL, void *, reallocarray, (void *old, size_t count, size_t size), (old, count, size))
WRAP_PLAIN(HSD_FAULT_MALLOC, NULL, void *, aligned_alloc, (size_t alignment, size_t size), (alignment, size))
WRAP_PLAIN(HSD_FAULT_MALLOC, ENOMEM, int, posix_memalign, (void **out, size_t alignment, size_t size),
           (out, alignment, size))
WRAP_PLAIN(HSD_FAULT_MALLOC, NULL, char *, strdup, (const char *text), (text))
WRAP_PLAIN(HSD_FAULT_MALLOC, NULL, char *, strndup, (const char *text, size_t size), (text, size))

WRAP_PLAIN(HSD_FAULT_OPEN, -1, int, mkostemp, (char *name, int flags), (name, flags))
WRAP_PLAIN(HSD_FAULT_OPEN, -1, int, mkostemp64, (char *name, int flags), (name, flags))
WRAP_PLAIN(HSD_FAULT_OPEN, NULL, FILE *, fopen, (const char *path, const char *mode), (path, mode))
WRAP_PLAIN(HSD_FAULT_OPEN, NULL, FILE *, fopen64, (const char *path, const char *mode), (path, mode))
WRAP_PLAIN(HSD_FAULT_OPEN, NULL, FILE *, fdopen, (int fd, const char *mode), (fd, mode))

WRAP_PLAIN(HSD_FAULT_SYNC, -1, int, fsync, (int fd), (fd))
WRAP_PLAIN(HSD_FAULT_SYNC, -1, int, fdatasync, (int fd), (fd))
WRAP_PLAIN(HSD_FAULT_RENAME, -1, int, rename, (const char *from, const char *to), (from, to))
WRAP_PLAIN(HSD_FAULT_RENAME, -1, int, renameat, (int a, const char *from, int b, const char *to), (a, from, b, to))
WRAP_PLAIN(HSD_FAULT_RENAME, -1, int, renameat2, (int a, const char *from, int b, const char *to, unsigned flags),
           (a, from, b, to, flags))
WRAP_PLAIN(HSD_FAULT_RENAME, -1, int, link, (const char *from, const char *to), (from, to))
WRAP_PLAIN(HSD_FAULT_RENAME, -1, int, linkat, (int a, const char *from, int b, const char *to, int flags),
           (a, from, b, to, flags))

WRAP_PLAIN(HSD_FAULT_SIZE, -1, int, ftruncate, (int fd, off_t size), (fd, size))
WRAP_PLAIN(HSD_FAULT_SIZE, -1, int, ftruncate64, (int fd, off_t size), (fd, size))
WRAP_PLAIN(HSD_FAULT_SIZE, -1, int, fallocate, (int fd, int mode, off_t from, off_t size), (fd, mode, from, size))
WRAP_PLAIN(HSD_FAULT_SIZE, -1, int, fallocate64, (int fd, int mode, off_t from, off_t size), (fd, mode, from, size))
WRAP_PLAIN(HSD_FAULT_SIZE, errno, int, posix_fallocate, (int fd, off_t from, off_t size), (fd, from, size))
WRAP_PLAIN(HSD_FAULT_SIZE, errno, int, posix_fallocate64, (int fd, off_t from, off_t size), (fd, from, size))
WRAP_PLAIN(HSD_FAULT_SEEK, -1, off_t, lseek, (int fd, off_t offset, int whence), (fd, offset, whence))
WRAP_PLAIN(HSD_FAULT_SEEK, -1, off_t, lseek64, (int fd, off_t offset, int whence), (fd, offset, whence))

WRAP_PLAIN(HSD_FAULT_STAT, -1, int, stat, (const char *path, struct stat *out), (path, out))
WRAP_PLAIN(HSD_FAULT_STAT, -1, int, stat64, (const char *path, struct stat64 *out), (path, out))
WRAP_PLAIN(HSD_FAULT_STAT, -1, int, lstat, (const char *path, struct stat *out), (path, out))
WRAP_PLAIN(HSD_FAULT_STAT, -1, int, lstat64, (const char *path, struct stat64 *out), (path, out))
WRAP_PLAIN(HSD_FAULT_STAT, -1, int, fstat, (int fd, struct stat *out), (fd, out))
WRAP_PLAIN(HSD_FAULT_STAT, -1, int, fstat64, (int fd, struct stat64 *out), (fd, out))
WRAP_PLAIN(HSD_FAULT_STAT, -1, int, fstatat, (int at, const char *path, struct stat *out, int flags),
           (at, path, out, flags))
WRAP_PLAIN(HSD_FAULT_STAT, -1, int, fstatat64, (int at, const char *path, struct stat64 *out, int flags),
           (at, path, out, flags))

WRAP_PLAIN(HSD_FAULT_THREAD, errno, int, pthread_create,
           (pthread_t * thread, const pthread_attr_t *attributes, void *(*run)(void *), void *context),
           (thread, attributes, run, context))

#define WRAP_TRANSFER(family, name, parameters, arguments)                                                             \
    ssize_t __real_##name parameters;                                                                                  \
    ssize_t __wrap_##name parameters;                                                                                  \
    ssize_t __wrap_##name parameters                                                                                   \
    {                                                                                                                  \
        if (transfer_fails(family, fd, &size)) return -1;                                                              \
        return __real_##name arguments;                                                                                \
    }

WRAP_TRANSFER(HSD_FAULT_READ, read, (int fd, void *data, size_t size), (fd, data, size))
WRAP_TRANSFER(HSD_FAULT_PREAD, pread, (int fd, void *data, size_t size, off_t at), (fd, data, size, at))
WRAP_TRANSFER(HSD_FAULT_PREAD, pread64, (int fd, void *data, size_t size, off_t at), (fd, data, size, at))
WRAP_TRANSFER(HSD_FAULT_WRITE, write, (int fd, const void *data, size_t size), (fd, data, size))
/* As the checked C library calls them, where an optimizer knows how large the buffer is. */
WRAP_TRANSFER(HSD_FAULT_READ, __read_chk, (int fd, void *data, size_t size, size_t room), (fd, data, size, room))
WRAP_TRANSFER(HSD_FAULT_PREAD, __pread64_chk, (int fd, void *data, size_t size, off_t at, size_t room),
              (fd, data, size, at, room))
WRAP_TRANSFER(HSD_FAULT_PWRITE, pwrite, (int fd, const void *data, size_t size, off_t at), (fd, data, size, at))
WRAP_TRANSFER(HSD_FAULT_PWRITE, pwrite64, (int fd, const void *data, size_t size, off_t at), (fd, data, size, at))

/* Vectors: a short count means the first piece alone. */
WRAP(ssize_t, readv, int fd, const struct iovec *pieces, int count)
{
    size_t shown = (size_t)count;
    if (transfer_fails(HSD_FAULT_READ, fd, &shown)) return -1;
    return __real_readv(fd, pieces, (int)shown);
}

WRAP(ssize_t, writev, int fd, const struct iovec *pieces, int count)
{
    size_t shown = (size_t)count;
    if (transfer_fails(HSD_FAULT_WRITE, fd, &shown)) return -1;
    return __real_writev(fd, pieces, (int)shown);
}

/* Streams. What fails says so through its result; the stream's own error flag cannot be set from here. */
WRAP(size_t, fread, void *data, size_t size, size_t count, FILE *file)
{
    return fails(HSD_FAULT_READ) ? 0 : __real_fread(data, size, count, file);
}

WRAP(size_t, fwrite, const void *data, size_t size, size_t count, FILE *file)
{
    return file != stderr && fails(HSD_FAULT_WRITE) ? 0 : __real_fwrite(data, size, count, file);
}

WRAP(int, fputs, const char *text, FILE *file)
{
    return file != stderr && fails(HSD_FAULT_WRITE) ? EOF : __real_fputs(text, file);
}

WRAP(int, fputc, int character, FILE *file)
{
    return file != stderr && fails(HSD_FAULT_WRITE) ? EOF : __real_fputc(character, file);
}

WRAP(int, fflush, FILE *file) { return file != stderr && fails(HSD_FAULT_WRITE) ? EOF : __real_fflush(file); }

/* Closed all the same, as the kernel does it, so that a leaked descriptor is the program's own. */
WRAP(int, close, int fd)
{
    const bool is_failing = fails(HSD_FAULT_CLOSE);
    const int error = errno;
    const int result = __real_close(fd);
    if (!is_failing) return result;
    errno = error;
    return -1;
}

WRAP(int, fclose, FILE *file)
{
    const bool is_failing = fails(HSD_FAULT_CLOSE);
    const int error = errno;
    const int result = __real_fclose(file);
    if (!is_failing) return result;
    errno = error;
    return EOF;
}

static mode_t mode_of(int flags, va_list arguments)
{
    return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(arguments, mode_t) : 0;
}

#define WRAP_OPEN(name)                                                                                                \
    int __real_##name(const char *path, int flags, ...);                                                               \
    int __wrap_##name(const char *path, int flags, ...);                                                               \
    int __wrap_##name(const char *path, int flags, ...)                                                                \
    {                                                                                                                  \
        va_list arguments;                                                                                             \
        va_start(arguments, flags);                                                                                    \
        const mode_t mode = mode_of(flags, arguments);                                                                 \
        va_end(arguments);                                                                                             \
        if (fails(HSD_FAULT_OPEN)) return -1;                                                                          \
        return __real_##name(path, flags, mode);                                                                       \
    }

#define WRAP_OPENAT(name)                                                                                              \
    int __real_##name(int at, const char *path, int flags, ...);                                                       \
    int __wrap_##name(int at, const char *path, int flags, ...);                                                       \
    int __wrap_##name(int at, const char *path, int flags, ...)                                                        \
    {                                                                                                                  \
        va_list arguments;                                                                                             \
        va_start(arguments, flags);                                                                                    \
        const mode_t mode = mode_of(flags, arguments);                                                                 \
        va_end(arguments);                                                                                             \
        if (fails(HSD_FAULT_OPEN)) return -1;                                                                          \
        return __real_##name(at, path, flags, mode);                                                                   \
    }

WRAP_PLAIN(HSD_FAULT_OPEN, -1, int, __open64_2, (const char *path, int flags), (path, flags))
WRAP_PLAIN(HSD_FAULT_OPEN, -1, int, __openat64_2, (int at, const char *path, int flags), (at, path, flags))

WRAP_OPEN(open)
WRAP_OPEN(open64)
WRAP_OPENAT(openat)
WRAP_OPENAT(openat64)

static bool map_fails(int flags) { return fails((flags & MAP_ANONYMOUS) != 0 ? HSD_FAULT_MALLOC : HSD_FAULT_MAP); }

WRAP(void *, mmap, void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
    return map_fails(flags) ? MAP_FAILED : __real_mmap(at, size, protection, flags, fd, offset);
}

WRAP(void *, mmap64, void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
    return map_fails(flags) ? MAP_FAILED : __real_mmap64(at, size, protection, flags, fd, offset);
}
