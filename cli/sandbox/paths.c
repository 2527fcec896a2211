#define _GNU_SOURCE /* O_PATH */
/*
 * Landlock: rights over files, which the kernel takes away from a process at its own wish. Since Linux 5.13; each ABI
 * knows some rights more. The calls have no wrapper in libc, and headers of a system may be older than its kernel: both
 * stand here as the kernel's documents have them (Documentation/userspace-api/landlock.rst).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox/parts.h"

/* The numbers are the same on all machines. */
enum { CALL_CREATE_RULESET = 444, CALL_ADD_RULE = 445, CALL_RESTRICT_SELF = 446 };
enum { WANT_VERSION = 1, RULE_PATH_BENEATH = 1 };

enum {
    FS_EXECUTE = 1 << 0,
    FS_WRITE_FILE = 1 << 1,
    FS_READ_FILE = 1 << 2,
    FS_READ_DIR = 1 << 3,
    FS_REMOVE_DIR = 1 << 4,
    FS_REMOVE_FILE = 1 << 5,
    FS_MAKE_DIR = 1 << 7,
    FS_MAKE_REG = 1 << 8,
    FS_OF_ABI_1 = (1 << 13) - 1,
    FS_REFER = 1 << 13,     /* 2: move between folders */
    FS_TRUNCATE = 1 << 14,  /* 3 */
    FS_IOCTL_DEV = 1 << 15, /* 5 */
    FS_OF_FILES = FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE
};
enum { NET_BIND_TCP = 1 << 0, NET_CONNECT_TCP = 1 << 1 };         /* 4 */
enum { SCOPE_ABSTRACT_SOCKETS = 1 << 0, SCOPE_SIGNALS = 1 << 1 }; /* 6 */

typedef struct ruleset_rights {
    uint64_t files, net, scope;
} ruleset_rights;

typedef struct path_rule {
    uint64_t rights;
    int32_t folder;
} __attribute__((packed)) path_rule;

/* What this kernel can take away. A ruleset takes as many of the three as its ABI knows. */
static ruleset_rights rights_of_abi(long abi, unsigned may, size_t *size)
{
    ruleset_rights all = {.files = FS_OF_ABI_1};
    *size = sizeof all.files;
    if (abi >= 2) all.files |= FS_REFER;
    if (abi >= 3) all.files |= FS_TRUNCATE;
    if (abi >= 4) {
        all.net = ((may & MAY_CONNECT) != 0 ? 0u : NET_CONNECT_TCP) | ((may & MAY_LISTEN) != 0 ? 0u : NET_BIND_TCP);
        *size = 2 * sizeof all.files;
    }
    if (abi >= 5) all.files |= FS_IOCTL_DEV;
    if (abi >= 6) {
        all.scope = SCOPE_ABSTRACT_SOCKETS | SCOPE_SIGNALS;
        *size = 3 * sizeof all.files;
    }
    return all;
}

static uint64_t rights_of(sandbox_right right)
{
    switch (right) {
    case SANDBOX_READ: return FS_READ_FILE | FS_READ_DIR;
    case SANDBOX_READ_FILE: return FS_READ_FILE;
    case SANDBOX_RUN: return FS_READ_FILE | FS_READ_DIR | FS_EXECUTE;
    case SANDBOX_WRITE_FILE: return FS_WRITE_FILE;
    case SANDBOX_TEMPORARY: return FS_READ_FILE | FS_WRITE_FILE | FS_TRUNCATE | FS_MAKE_REG | FS_REMOVE_FILE;
    case SANDBOX_RESULTS:
        return FS_READ_FILE | FS_READ_DIR | FS_WRITE_FILE | FS_TRUNCATE | FS_MAKE_REG | FS_MAKE_DIR | FS_REMOVE_FILE |
               FS_REMOVE_DIR | FS_REFER;
    }
    return 0;
}

typedef struct ruleset {
    int fd;
    bool has_failed; /* a path may be there and has no rule: nothing is restricted then, or the command could not read
                        it */
    ruleset_rights all;
} ruleset;

static bool is_not_to_be_had(int error)
{
    return error == ENOENT || error == ENOTDIR || error == EACCES || error == ELOOP || error == ENAMETOOLONG;
}

/* What is not there, or is for others, needs no right. */
static void allow(void *context, const char *path, sandbox_right right)
{
    ruleset *rules = context;
    path_rule rule = {.rights = rights_of(right) & rules->all.files};
    rule.folder = open(path, O_PATH | O_CLOEXEC);
    struct stat what;
    if (rule.folder < 0) {
        rules->has_failed = rules->has_failed || !is_not_to_be_had(errno);
        return;
    }
    if (fstat(rule.folder, &what) != 0) {
        rules->has_failed = true;
    } else {
        if (!S_ISDIR(what.st_mode)) rule.rights &= FS_OF_FILES;
        if (S_ISDIR(what.st_mode) && right == SANDBOX_READ_FILE)
            rule.rights = FS_READ_DIR; /* so that it is told what it is */
        /* A pipe without a name is refused here (EBADFD), and allowed anyway. */
        if (rule.rights != 0) (void)syscall(CALL_ADD_RULE, rules->fd, RULE_PATH_BENEATH, &rule, 0);
    }
    close(rule.folder);
}

/* The rule of a folder of /proc lasts as long as somebody holds it open; it is never closed. */
static void hold_own_process(void) { (void)!open("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC); }

const char *sandbox_restrict_paths(const sandbox_policy *policy, const cli_app *cli)
{
    size_t size;
    const bool listens = (policy->may & MAY_LISTEN) != 0;
    const long abi = syscall(CALL_CREATE_RULESET, NULL, 0, WANT_VERSION);
    if (abi < 1) return errno == ENOSYS ? "this kernel has no Landlock (5.13)" : "Landlock is switched off here";
    ruleset rules = {.all = rights_of_abi(abi, policy->may, &size)};
    rules.fd = (int)syscall(CALL_CREATE_RULESET, &rules.all, size, 0);
    if (rules.fd < 0) return "Landlock refuses its rules";
    if (listens) hold_own_process();
    sandbox_paths_of(policy, cli, allow, &rules);
    if (rules.has_failed) {
        close(rules.fd);
        return "not all of its rules can be made";
    }
    const bool is_in = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && syscall(CALL_RESTRICT_SELF, rules.fd, 0) == 0;
    close(rules.fd);
    return is_in ? NULL : "Landlock cannot be entered";
}
