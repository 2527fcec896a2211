/*
 * fstat and fstatat as system calls: glibc has names for them only from 2.33 on, before they were macros around others.
 * So what is built with a new glibc is loaded by programs with an old one, too. Linked in place of the C library's.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int fstatat64(int folder, const char *name, struct stat64 *out, int flags)
{
    return (int)syscall(SYS_newfstatat, folder, name, out, flags);
}

int fstat64(int fd, struct stat64 *out) { return (int)syscall(SYS_fstat, fd, out); }
