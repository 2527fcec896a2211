/*
 * Calls that a program with one thread may make, and one that has the agent's as well may not, in front of libc's. The
 * agent stops listening for them, and its thread ends; another one begins behind them.
 *
 *      unshare, setns      into a namespace of users: EINVAL where there are two threads
 *      setuid, setgroups…  glibc has all threads change their user, and ends the program where one of them may not: a
 *                          thread that began before the program kept its rights (PR_SET_KEEPCAPS), or took other ones
 */
#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "native/start.h"

#define HOOK __attribute__((visibility("default")))

int setgroups(size_t count, const gid_t *groups);
int initgroups(const char *user, gid_t group);

enum { NO_FIXUP = 1 << 2, VERSION_OF_RIGHTS = 0x20080522 }; /* SECBIT_NO_SETUID_FIXUP, _LINUX_CAPABILITY_VERSION_3 */

/* Those that are in effect: the first of three words, twice. */
static bool read_rights(int tid, uint64_t *out)
{
    uint32_t header[2] = {VERSION_OF_RIGHTS, (uint32_t)tid}, data[6];
    if (syscall(SYS_capget, header, data) != 0) return false;
    *out = (uint64_t)data[3] << 32 | data[0];
    return true;
}

/* Rights that the caller keeps or has, and the agent's thread will not or has not. */
static bool differs_in_rights(void)
{
    uint64_t own, agents;
    const int tid = hsn_agent_tid(); /* 0: it has not begun */
    if (prctl(PR_GET_KEEPCAPS) == 1 || (prctl(PR_GET_SECUREBITS) & NO_FIXUP) != 0) return true;
    return tid == 0 || (read_rights(0, &own) && read_rights(tid, &agents) && own != agents);
}

static bool stop_if(bool is_in_the_way)
{
    const int error = errno;
    const bool stops = is_in_the_way && hsn_listen_stop();
    errno = error;
    return stops;
}

static void go_on_if(bool has_stopped)
{
    const int error = errno;
    if (has_stopped) hsn_listen_again();
    errno = error;
}

#define ALONE(name, is_in_the_way, parameters, arguments)                                                              \
    HOOK int name parameters                                                                                           \
    {                                                                                                                  \
        static int(*next) parameters;                                                                                  \
        if (next == NULL) {                                                                                            \
            void *found = dlsym(RTLD_NEXT, #name);                                                                     \
            memcpy(&next, &found, sizeof next);                                                                        \
        }                                                                                                              \
        const bool has_stopped = stop_if(hsn_is_listening() && (is_in_the_way));                                       \
        const int result = next arguments;                                                                             \
        go_on_if(has_stopped);                                                                                         \
        return result;                                                                                                 \
    }

ALONE(unshare, (flags & CLONE_NEWUSER) != 0, (int flags), (flags))
ALONE(setns, kind == 0 || (kind & CLONE_NEWUSER) != 0, (int fd, int kind), (fd, kind))
ALONE(setuid, differs_in_rights(), (uid_t user), (user))
ALONE(seteuid, differs_in_rights(), (uid_t user), (user))
ALONE(setreuid, differs_in_rights(), (uid_t real, uid_t effective), (real, effective))
ALONE(setresuid, differs_in_rights(), (uid_t real, uid_t effective, uid_t saved), (real, effective, saved))
ALONE(setgid, differs_in_rights(), (gid_t group), (group))
ALONE(setegid, differs_in_rights(), (gid_t group), (group))
ALONE(setregid, differs_in_rights(), (gid_t real, gid_t effective), (real, effective))
ALONE(setresgid, differs_in_rights(), (gid_t real, gid_t effective, gid_t saved), (real, effective, saved))
ALONE(setgroups, differs_in_rights(), (size_t count, const gid_t *groups), (count, groups))
ALONE(initgroups, differs_in_rights(), (const char *user, gid_t group), (user, group))
