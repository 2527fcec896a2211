#define _GNU_SOURCE /* setns, struct ucred */
/*
 * To an agent's socket. Its name is in the network namespace of the process; root can go there, on a thread that ends
 * with it, and come back with the connection. Where the process has users of its own, root is nobody there: it comes
 * as the user of the process. Anyone may have taken the name: who listens is what the kernel says, not the name.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "live/connect.h"

enum { QUEUE_LENGTH = 4, PATIENCE_SECONDS = 10 };

typedef struct visit {
    const hsd_process_facts *facts;
    const struct sockaddr *name;
    socklen_t size;
    bool enters_network, is_as_user;
    int fd, error;
} visit;

void hsd_agent_name(char out[HSD_AGENT_NAME_BYTES], const hsd_process_facts *facts, const char *agent, unsigned turn)
{
    if (turn == 1)
        snprintf(out, HSD_AGENT_NAME_BYTES, "hsdiff/1/%s/%ld", agent, facts->inner_pid);
    else
        snprintf(out, HSD_AGENT_NAME_BYTES, "hsdiff/1/%s/%ld.%u", agent, facts->inner_pid, turn);
}

/* A queue that is full is that of a process which is stopped, or busy with others. */
static void set_patience(int fd, time_t seconds)
{
    const struct timeval patience = {.tv_sec = seconds};
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
}

static void connect_here(visit *v)
{
    v->fd = socket(v->name->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (v->fd >= 0) set_patience(v->fd, PATIENCE_SECONDS);
    if (v->fd >= 0 && connect(v->fd, v->name, v->size) == 0) {
        set_patience(v->fd, 0);
        return;
    }
    v->error = errno == EAGAIN || errno == EINPROGRESS ? ETIMEDOUT : errno;
    if (v->fd >= 0) close(v->fd);
    v->fd = -1;
}

static int enter_network(const hsd_process_facts *facts)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/ns/net", facts->pid);
    const int space = open(path, O_RDONLY | O_CLOEXEC);
    const int error = space < 0 || setns(space, CLONE_NEWNET) != 0 ? errno : 0;
    if (space >= 0) close(space);
    return error;
}

/* This thread alone, so by the system calls themselves. */
static int become_user(const hsd_process_facts *facts)
{
    const int dumpable = prctl(PR_GET_DUMPABLE); /* the kernel takes it from the whole process */
    const bool is_done =
        syscall(SYS_setresgid, -1, facts->gid, -1) == 0 && syscall(SYS_setresuid, -1, facts->uid, -1) == 0;
    const int error = is_done ? 0 : errno;
    if (dumpable == 1) prctl(PR_SET_DUMPABLE, 1);
    return error;
}

/* A socket that has a path is found with the rights from before: its user may not be allowed the way to it. */
static void connect_as_user(visit *v)
{
    const struct sockaddr_un *given = (const struct sockaddr_un *)v->name;
    struct sockaddr_un found = {.sun_family = AF_UNIX};
    const bool has_path = given->sun_family == AF_UNIX && given->sun_path[0] != '\0';
    const int fd = has_path ? open(given->sun_path, O_PATH | O_CLOEXEC) : -1;
    if (has_path && fd < 0) {
        v->error = errno;
        return;
    }
    if (has_path) {
        snprintf(found.sun_path, sizeof found.sun_path, "/proc/self/fd/%d", fd);
        v->name = (const struct sockaddr *)&found;
        v->size = sizeof found;
    }
    v->error = become_user(v->facts);
    if (v->error == 0) connect_here(v);
    if (fd >= 0) close(fd);
}

static void *connect_there(void *context)
{
    visit *v = context;
    if (v->enters_network) v->error = enter_network(v->facts);
    if (v->error == 0 && v->is_as_user)
        connect_as_user(v);
    else if (v->error == 0)
        connect_here(v);
    return NULL;
}

static bool needs_user(const hsd_process_facts *facts) { return facts->has_other_users && geteuid() == 0; }

static int go(int *out, visit *v)
{
    pthread_t thread;
    v->fd = -1;
    v->is_as_user = needs_user(v->facts);
    if (!v->enters_network && !v->is_as_user)
        connect_here(v);
    else if ((v->error = pthread_create(&thread, NULL, connect_there, v)) == 0)
        pthread_join(thread, NULL);
    *out = v->fd;
    return v->fd >= 0 ? 0 : v->error;
}

int hsd_connect_in(int *out, const hsd_process_facts *facts, const struct sockaddr *name, socklen_t size)
{
    return go(out, &(visit){.facts = facts, .name = name, .size = size, .enters_network = !facts->is_same_network});
}

int hsd_connect_path(int *out, const hsd_process_facts *facts, const struct sockaddr_un *address)
{
    return go(out,
              &(visit){.facts = facts, .name = (const struct sockaddr *)address, .size = (socklen_t)sizeof *address});
}

/* Who listens is, for those who connect, who called listen. */
static void *listen_there(void *context)
{
    visit *v = context;
    v->error = become_user(v->facts);
    if (v->error == 0 && listen(v->fd, QUEUE_LENGTH) != 0) v->error = errno;
    return NULL;
}

int hsd_listen_for(int fd, const hsd_process_facts *facts)
{
    visit v = {.facts = facts, .fd = fd};
    pthread_t thread;
    if (!needs_user(facts)) return listen(fd, QUEUE_LENGTH) == 0 ? 0 : errno;
    const int error = pthread_create(&thread, NULL, listen_there, &v);
    if (error != 0) return error;
    pthread_join(thread, NULL);
    return v.error;
}

static hsd_status refuse_stranger(const hsd_process_facts *facts, const struct ucred *peer, hsd_error *err)
{
    hsd_fail(err, HSD_E_UNSUPPORTED,
             "what listens in the name of process %ld is process %ld of user %u: it is not asked", facts->pid,
             (long)peer->pid, (unsigned)peer->uid);
    return HSD_E_UNSUPPORTED;
}

/* The process itself must be on the other side: as of now, or as it was before it gave up its rights. */
static hsd_status check_peer(int fd, const hsd_process_facts *facts, hsd_error *err)
{
    struct ucred peer = {0};
    socklen_t size = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
        return hsd_fail_errno(err, errno, "cannot ask who listens for process %ld", facts->pid);
    const bool is_it = (long)peer.pid == facts->pid;
    const bool is_owner = peer.uid == facts->uid || peer.uid == 0 || peer.uid == geteuid();
    return is_it && is_owner ? HSD_OK : refuse_stranger(facts, &peer, err);
}

static hsd_status fail_to_reach(const hsd_process_facts *facts, const char *agent, int error, hsd_error *err)
{
    if (kill((pid_t)facts->pid, 0) != 0 && errno == ESRCH)
        return hsd_fail(err, HSD_E_NOT_FOUND, "process %ld (%s) has ended", facts->pid, facts->command);
    if (error != ECONNREFUSED)
        return hsd_fail_errno(err, error, "cannot reach the agent %s in process %ld", agent, facts->pid);
    hsd_fail(err, HSD_E_IO, "the agent %s in process %ld (%s) does not listen any more", agent, facts->pid,
             facts->command);
    hsd_error_set_hint(err, "did it execute another program, or run out of descriptors or memory? hsdiff ps %ld",
                       facts->pid);
    if (err != NULL) err->sys_errno = error;
    return HSD_E_IO;
}

static hsd_status connect_as(int *out, const hsd_process_facts *facts, const char *agent, unsigned turn, hsd_error *err)
{
    char name[HSD_AGENT_NAME_BYTES];
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd;
    hsd_agent_name(name, facts, agent, turn);
    memcpy(address.sun_path + 1, name, strlen(name));
    const socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name));
    const int error = hsd_connect_in(&fd, facts, (const struct sockaddr *)&address, size);
    if (error != 0) return fail_to_reach(facts, agent, error, err);
    const hsd_status status = check_peer(fd, facts, err);
    if (status == HSD_OK)
        *out = fd;
    else
        close(fd);
    return status;
}

/* A name that another process has, maybe one of this number in another container, leads on to the next; so does one
 * that nobody has any more. */
hsd_status hsd_agent_connect(int *out, const hsd_process_facts *facts, const char *agent, hsd_error *err)
{
    hsd_error first, why;
    hsd_status status = HSD_OK;
    *out = -1;
    for (unsigned turn = 1; turn <= HSD_AGENT_NAME_TURNS; turn++) {
        hsd_error_init(&why);
        const hsd_status one = connect_as(out, facts, agent, turn, &why);
        if (one == HSD_OK) return HSD_OK;
        /* who is a stranger says more than nobody */
        if (turn > 1 && !(status == HSD_E_IO && one == HSD_E_UNSUPPORTED)) continue;
        status = one;
        first = why;
    }
    if (err != NULL) *err = first;
    return status;
}
