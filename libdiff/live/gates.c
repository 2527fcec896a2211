/*
 * Gates that stand between this program and a process, in words, each with the smallest thing that opens it. Root is
 * never the first advice, and no protection of the machine is to be switched off.
 */
#include <errno.h>
#include <inttypes.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live/facts.h"
#include "live/procfs.h"

void hsd_user_name(char *out, size_t size, unsigned uid)
{
    struct passwd entry, *found = NULL;
    char texts[4096];
    if (getpwuid_r((uid_t)uid, &entry, texts, sizeof texts, &found) == 0 && found != NULL)
        snprintf(out, size, "%s", found->pw_name);
    else
        snprintf(out, size, "#%u", uid);
}

hsd_status hsd_gate_of_absence(long pid, hsd_error *err)
{
    if (kill((pid_t)pid, 0) != 0 && errno == EPERM) {
        hsd_fail(err, HSD_E_UNSUPPORTED,
                 "process %ld belongs to another user, and /proc does not show it (it is mounted with hidepid)", pid);
        hsd_error_set_hint(err, "run hsdiff as the user that started it");
        return HSD_E_UNSUPPORTED;
    }
    hsd_fail(err, HSD_E_NOT_FOUND, "there is no process %ld", pid);
    hsd_error_set_hint(err,
                       "name the program instead: hsdiff capture NAME; a container counts its processes for itself");
    return HSD_E_NOT_FOUND;
}

static hsd_status pass_user(const hsd_process_facts *facts, hsd_error *err)
{
    char name[64], owner[64];
    const uid_t own = geteuid();
    if (own == 0 || facts->uid == own) return HSD_OK;
    hsd_process_own_name(facts, name, sizeof name);
    hsd_user_name(owner, sizeof owner, facts->uid);
    hsd_fail(err, HSD_E_UNSUPPORTED, "process %ld (%s) belongs to another user, %s", facts->pid, name, owner);
    hsd_error_set_hint(err, "run hsdiff as that user: sudo -u '%s' hsdiff capture %ld", owner, facts->pid);
    return HSD_E_UNSUPPORTED;
}

hsd_status hsd_gates_pass(const hsd_process_facts *facts, hsd_error *err)
{
    if (facts->is_zombie) {
        hsd_fail(err, HSD_E_UNSUPPORTED,
                 "process %ld (%s) has ended, and has no memory any more: its parent has not asked how it ended",
                 facts->pid, facts->command);
        hsd_error_set_hint(err, "capture it while it runs, as from its start: hsdiff capture --every 60s -- COMMAND");
        return HSD_E_UNSUPPORTED;
    }
    if (facts->is_kernel)
        return hsd_fail(err, HSD_E_UNSUPPORTED, "process %ld (%s) is a thread of the kernel: it has no heap",
                        facts->pid, facts->command);
    return pass_user(facts, err);
}

/* Does this program live in a user namespace of its own, as in a rootless container? */
static bool has_own_users(void)
{
    uint64_t inner = 0, outer = 0, count = 0;
    char *map = hsd_procfs_read("/proc/self/uid_map", 4096, NULL);
    const bool is_known = map != NULL && sscanf(map, "%" SCNu64 " %" SCNu64 " %" SCNu64, &inner, &outer, &count) == 3;
    free(map);
    return is_known && !(inner == 0 && outer == 0 && count == UINT32_MAX);
}

void hsd_gate_hint_rights(const hsd_process_facts *facts, hsd_error *err, const char *otherwise)
{
    char owner[64];
    if (has_own_users()) {
        hsd_error_set_hint(err,
                           "hsdiff runs in a user namespace of its own (a rootless container, unshare -U), whose root "
                           "is no more than its user outside: run it outside, or where the process is; or %s",
                           otherwise);
        return;
    }
    if (facts->uid == geteuid() && geteuid() != 0) {
        hsd_error_set_hint(err,
                           "its user may not look into it, because it said so (prctl PR_SET_DUMPABLE), took other "
                           "rights, or runs from a file that its user may not read: run hsdiff as root; or %s",
                           otherwise);
        return;
    }
    hsd_user_name(owner, sizeof owner, facts->uid);
    if (facts->uid != geteuid())
        hsd_error_set_hint(err,
                           "run hsdiff as its user, %u, which needs no capability: sudo -u '%s' hsdiff capture %ld; or "
                           "as root with CAP_SYS_PTRACE (--cap-add=SYS_PTRACE, doc/kubernetes.md); or %s",
                           facts->uid, owner, facts->pid, otherwise);
    else
        hsd_error_set_hint(err,
                           "it has rights that hsdiff lacks: give it CAP_SYS_PTRACE (--cap-add=SYS_PTRACE, "
                           "doc/kubernetes.md); or %s",
                           otherwise);
}

hsd_gate hsd_gate_of_network(const hsd_process_facts *facts, hsd_error *err)
{
    /* root goes in and comes back: connect.c */
    if (facts->is_same_network || geteuid() == 0) return HSD_GATE_OPEN;
    hsd_fail(err, HSD_E_UNSUPPORTED, "process %ld is in another network namespace, where its agent listens",
             facts->pid);
    hsd_error_set_hint(err, "run hsdiff inside: docker exec CONTAINER hsdiff capture %ld -o x.hs", facts->inner_pid);
    return HSD_GATE_CLOSED;
}
