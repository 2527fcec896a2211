#define _GNU_SOURCE
/*
 * The meeting point of an asker and a helper. Where root asks a process of another user the file is made with that
 * user's rights (fsuid, which is a thread's own), so that no file of root's lies in a folder of theirs. See
 * rendezvous.h.
 */
#include "live/node/rendezvous.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "live/node/feed.h"
#include "live/rights.h"

#define AGAIN_MS  50
#define LISTEN_MS 5

static bool is_socket_of(const char *path, uid_t uid)
{
    struct stat stat;
    return lstat(path, &stat) == 0 && S_ISSOCK(stat.st_mode) && stat.st_uid == uid;
}

static struct sockaddr_un address_of(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    memcpy(address.sun_path, path, strlen(path) + 1);
    return address;
}

/* Is someone waiting at a socket that is there? */
static bool is_served(const char *path)
{
    const struct sockaddr_un address = address_of(path);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return true;
    const bool served = connect(fd, (const struct sockaddr *)&address, sizeof address) == 0 || errno != ECONNREFUSED;
    close(fd);
    return served;
}

/* What askers of this user left that ended by kill -9: sockets for processes that have ended. */
static void sweep_rendezvous(const char *folder, const char *prefix, uid_t uid)
{
    DIR *all = opendir(folder);
    if (all == NULL) return;
    const size_t known = strlen(prefix);
    for (struct dirent *one = readdir(all); one != NULL; one = readdir(all)) {
        char path[512], *end;
        if (strncmp(one->d_name, prefix, known) != 0) continue;
        const long pid = strtol(one->d_name + known, &end, 10);
        if (*end != '\0' || pid <= 0 || kill((pid_t)pid, 0) == 0 || errno != ESRCH) continue;
        const int size = snprintf(path, sizeof path, "%s/%s", folder, one->d_name);
        if (size > 0 && (size_t)size < sizeof path && is_socket_of(path, uid)) unlink(path);
    }
    closedir(all);
}

static hsd_status refuse_foreign(const char *path, hsd_error *err)
{
    const hsd_status status =
        hsd_fail(err, HSD_E_UNSUPPORTED, "%s exists and is no socket of the program's user", path);
    hsd_error_set_hint(err, "remove it if it is yours: ls -l %s", path);
    return status;
}

/* fchmod before bind is what the file gets: there is no moment in which it has another mode. HSD_END: another asker
 * waits there. */
static hsd_status bind_it(hsd_rendezvous *meeting, hsd_error *err)
{
    const struct sockaddr_un address = address_of(meeting->path);
    if (fchmod(meeting->fd, 0600) != 0) return hsd_fail_errno(err, errno, "cannot protect a socket");
    for (int again = 0;; again++) {
        if (bind(meeting->fd, (const struct sockaddr *)&address, sizeof address) == 0) break;
        if (errno != EADDRINUSE) return hsd_fail_errno(err, errno, "cannot make the socket %s", meeting->path);
        if (!is_socket_of(meeting->path, meeting->uid)) {
            struct stat what;
            if (lstat(meeting->path, &what) == 0) return refuse_foreign(meeting->path, err);
            if (again < 2) continue; /* it is gone meanwhile */
        }
        if (again > 0 || is_served(meeting->path)) return HSD_END;
        poll(NULL, 0, LISTEN_MS); /* who has just bound it is about to listen */
        if (is_served(meeting->path)) return HSD_END;
        unlink(meeting->path);
    }
    if (listen(meeting->fd, 4) == 0) return HSD_OK;
    const int refused = errno;
    unlink(meeting->path);
    return hsd_fail_errno(err, refused, "cannot listen at %s", meeting->path);
}

/* `hsdiff capture -- node app.js` takes captures by itself, and whoever asks for one of their own meanwhile has only to
 * wait a moment. */
static hsd_status bind_in_turn(hsd_rendezvous *meeting, hsd_live *live, hsd_error *err)
{
    const unsigned seconds = live->options->timeout_seconds == 0 ? 60 : live->options->timeout_seconds;
    for (uint64_t tries = 0; tries < (uint64_t)seconds * (1000 / AGAIN_MS); tries++) {
        const hsd_rights before = hsd_rights_take((hsd_rights){meeting->uid, meeting->gid});
        const hsd_status status = bind_it(meeting, err);
        hsd_rights_return(before);
        if (status != HSD_END) return status;
        HSD_TRY(hsd_progress(live->reporter, "waiting for another capture of this process", 0, 0, err));
        poll(NULL, 0, AGAIN_MS);
    }
    return hsd_fail(err, HSD_E_UNSUPPORTED, "another capture of process %ld is under way, and does not end",
                    live->facts->pid);
}

hsd_status hsd_rendezvous_open(hsd_rendezvous *meeting, hsd_live *live, const char *folder, const char *agent,
                               hsd_error *err)
{
    const hsd_process_facts *facts = live->facts;
    char where[108], prefix[64], path[sizeof meeting->path + 1];
    *meeting = (hsd_rendezvous){.fd = -1, .uid = facts->uid, .gid = facts->gid, .pid = (pid_t)facts->pid};
    const int length = snprintf(where, sizeof where, "%s%s", facts->is_same_mounts ? "" : facts->root, folder);
    snprintf(prefix, sizeof prefix, ".hsdiff-%u-%s-", facts->uid, agent);
    const int size = snprintf(path, sizeof path, "%.90s/%s%ld", where, prefix, facts->inner_pid);
    if (length < 0 || length > 90 || size < 0 || (size_t)size >= sizeof meeting->path) {
        const hsd_status status = hsd_fail(err, HSD_E_UNSUPPORTED, "the path of a socket in %s is too long", folder);
        hsd_error_set_hint(err, "start the program with a shorter XDG_RUNTIME_DIR");
        return status;
    }
    meeting->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (meeting->fd < 0) return hsd_fail_errno(err, errno, "cannot make a socket");
    memcpy(meeting->path, path, (size_t)size + 1);
    const hsd_rights before = hsd_rights_take((hsd_rights){meeting->uid, meeting->gid});
    if (facts->is_same_pids) sweep_rendezvous(where, prefix, meeting->uid);
    hsd_rights_return(before);
    const hsd_status status = bind_in_turn(meeting, live, err);
    if (status == HSD_OK) return HSD_OK;
    close(meeting->fd);
    *meeting = (hsd_rendezvous){.fd = -1};
    return status;
}

void hsd_rendezvous_close(hsd_rendezvous *meeting)
{
    if (meeting->path[0] != '\0') {
        const hsd_rights before = hsd_rights_take((hsd_rights){meeting->uid, meeting->gid});
        unlink(meeting->path);
        hsd_rights_return(before);
    }
    if (meeting->fd >= 0) close(meeting->fd);
    meeting->path[0] = '\0';
    meeting->fd = -1;
}

void hsd_rendezvous_leave(hsd_rendezvous *meeting)
{
    meeting->path[0] = '\0';
    hsd_rendezvous_close(meeting);
}

static bool is_target(const hsd_rendezvous *meeting, int fd)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid == meeting->pid &&
           peer.uid == meeting->uid;
}

hsd_status hsd_rendezvous_accept(hsd_rendezvous *meeting, hsd_live *live, int *fd, hsd_error *err)
{
    for (;;) {
        HSD_TRY(hsd_live_wait_target(live, meeting->fd, err));
        *fd = accept4(meeting->fd, NULL, NULL, SOCK_CLOEXEC);
        if (*fd < 0 && (errno == EINTR || errno == ECONNABORTED)) continue;
        if (*fd < 0) return hsd_fail_errno(err, errno, "cannot take the answer of the program");
        if (is_target(meeting, *fd)) break;
        close(*fd);
    }
    hsd_rendezvous_close(meeting);
    return HSD_OK;
}
