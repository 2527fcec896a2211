/*
 * Calls of libc that the memory sanitizer of clang 14 does not know, as glibc had them as macros until 2.33: what they
 * have written counts as written. The linker leads them here (--wrap, cmake/HsdBuild.cmake).
 */
#define _GNU_SOURCE
#include <stddef.h>
#include <sys/stat.h>

void __msan_unpoison(const volatile void *data, size_t size);

#define WRAP_STAT(name, type, parameters, arguments)                                                                   \
    int __real_##name parameters;                                                                                      \
    int __wrap_##name parameters;                                                                                      \
    int __wrap_##name parameters                                                                                       \
    {                                                                                                                  \
        const int result = __real_##name arguments;                                                                    \
        if (result == 0) __msan_unpoison(out, sizeof(type));                                                           \
        return result;                                                                                                 \
    }

WRAP_STAT(stat, struct stat, (const char *path, struct stat *out), (path, out))
WRAP_STAT(lstat, struct stat, (const char *path, struct stat *out), (path, out))
WRAP_STAT(fstat, struct stat, (int fd, struct stat *out), (fd, out))
WRAP_STAT(fstatat, struct stat, (int at, const char *path, struct stat *out, int flags), (at, path, out, flags))
WRAP_STAT(stat64, struct stat64, (const char *path, struct stat64 *out), (path, out))
WRAP_STAT(lstat64, struct stat64, (const char *path, struct stat64 *out), (path, out))
WRAP_STAT(fstat64, struct stat64, (int fd, struct stat64 *out), (fd, out))
WRAP_STAT(fstatat64, struct stat64, (int at, const char *path, struct stat64 *out, int flags), (at, path, out, flags))
