#define _GNU_SOURCE /* accept4, struct ucred */
/*
 * Listening for captures that programs send by themselves.
 */
#include "live/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { QUEUE_LENGTH = 64 };

static hsd_status fail_live_listen(hsd_error *err, int error, const char *where)
{
    hsd_fail_errno(err, error, "cannot listen at %s", where);
    return HSD_E_IO;
}

/* ---- unix: ---- */

/* A socket file that nobody listens at any more is removed. 0 when the name is free, or an errno. */
static int sweep_live_listen(const struct sockaddr_un *name)
{
    struct stat info;
    if (lstat(name->sun_path, &info) != 0) return errno == ENOENT ? 0 : errno;
    if (!S_ISSOCK(info.st_mode)) return EEXIST;
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return errno;
    const int error = connect(fd, (const struct sockaddr *)name, sizeof *name) == 0 ? EADDRINUSE : errno;
    close(fd);
    if (error != ECONNREFUSED) return error;
    return unlink(name->sun_path) == 0 ? 0 : errno;
}

static hsd_status open_unix(hsd_listener *listener, const char *path, const char *where, hsd_error *err)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    struct stat info;
    if (*path == '\0' || strlen(path) >= sizeof name.sun_path)
        return hsd_fail(err, HSD_E_UNSUPPORTED, "%s: the path of a socket has 1 to %zu bytes", where,
                        sizeof name.sun_path - 1);
    memcpy(name.sun_path, path, strlen(path) + 1);
    int error = sweep_live_listen(&name);
    if (error == EADDRINUSE) {
        hsd_fail(err, HSD_E_IO, "someone receives at %s already", where);
        hsd_error_set_hint(err, "choose another path, or end that receiver");
        return HSD_E_IO;
    }
    if (error != 0) return fail_live_listen(err, error, where);
    listener->is_unix = true;
    listener->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener->fd < 0) return fail_live_listen(err, errno, where);
    /* The mode of the socket is the mode of its file, from the moment that there is one. */
    if (fchmod(listener->fd, 0600) != 0 || bind(listener->fd, (struct sockaddr *)&name, sizeof name) != 0)
        return fail_live_listen(err, errno, where);
    if (lstat(path, &info) == 0) {
        memcpy(listener->path, path, strlen(path) + 1);
        listener->device = info.st_dev;
        listener->inode = info.st_ino;
    }
    return listen(listener->fd, QUEUE_LENGTH) == 0 ? HSD_OK : fail_live_listen(err, errno, where);
}

/* ---- tcp: ---- */

static hsd_status refuse_address(const char *where, hsd_error *err)
{
    hsd_fail(err, HSD_E_UNSUPPORTED, "%s is no address of this machine alone", where);
    hsd_error_set_hint(
        err,
        "captures are received at unix:PATH, tcp:127.0.0.1:PORT or tcp:[::1]:PORT; from elsewhere through a tunnel: "
        "ssh -R PORT:127.0.0.1:PORT HOST");
    return HSD_E_UNSUPPORTED;
}

static bool parse_port(const char *text, in_port_t *port)
{
    char *end = NULL;
    if (*text < '1' || *text > '9') return false;
    const unsigned long number = strtoul(text, &end, 10);
    if (*end != '\0' || number > 65535) return false;
    *port = htons((uint16_t)number);
    return true;
}

/* The address into *out; its size, 0 if it is none or not of the loopback. */
static socklen_t parse_address(const char *text, struct sockaddr_storage *out)
{
    struct sockaddr_in four = {.sin_family = AF_INET};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6};
    char host[64];
    const char *colon = strrchr(text, ':');
    if (colon == NULL || colon == text || (size_t)(colon - text) >= sizeof host) return 0;
    const size_t length = (size_t)(colon - text);
    memcpy(host, text, length);
    host[length] = '\0';
    if (strcmp(host, "[::1]") == 0 && parse_port(colon + 1, &six.sin6_port)) {
        six.sin6_addr = in6addr_loopback;
        memcpy(out, &six, sizeof six);
        return sizeof six;
    }
    if (inet_pton(AF_INET, strcmp(host, "localhost") == 0 ? "127.0.0.1" : host, &four.sin_addr) != 1) return 0;
    if (ntohl(four.sin_addr.s_addr) >> 24 != 127 || !parse_port(colon + 1, &four.sin_port)) return 0;
    memcpy(out, &four, sizeof four);
    return sizeof four;
}

static hsd_status open_tcp(hsd_listener *listener, const char *text, const char *where, hsd_error *err)
{
    struct sockaddr_storage address = {0};
    const int yes = 1;
    const socklen_t size = parse_address(text, &address);
    if (size == 0) return refuse_address(where, err);
    listener->fd = socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener->fd < 0) return fail_live_listen(err, errno, where);
    setsockopt(listener->fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(listener->fd, (struct sockaddr *)&address, size) != 0 || listen(listener->fd, QUEUE_LENGTH) != 0)
        return fail_live_listen(err, errno, where);
    return HSD_OK;
}

/* ---- both ---- */

hsd_status hsd_listener_open(hsd_listener *listener, const char *where, hsd_error *err)
{
    hsd_status status;
    *listener = (hsd_listener){.fd = -1};
    if (strncmp(where, "unix:", 5) == 0)
        status = open_unix(listener, where + 5, where, err);
    else if (strncmp(where, "tcp:", 4) == 0)
        status = open_tcp(listener, where + 4, where, err);
    else
        status = refuse_address(where, err);
    if (status != HSD_OK) hsd_listener_close(listener);
    return status;
}

void hsd_listener_close(hsd_listener *listener)
{
    struct stat info;
    const bool is_ours = listener->path[0] != '\0' && lstat(listener->path, &info) == 0 &&
                         info.st_dev == listener->device && info.st_ino == listener->inode;
    if (is_ours) unlink(listener->path);
    if (listener->fd >= 0) close(listener->fd);
    *listener = (hsd_listener){.fd = -1};
}

int hsd_listener_accept(const hsd_listener *listener, long *stranger)
{
    struct ucred peer = {0};
    socklen_t size = sizeof peer;
    *stranger = -1;
    const int fd = accept4(listener->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0 || !listener->is_unix) return fd;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
        (peer.uid == 0 || peer.uid == geteuid() || geteuid() == 0))
        return fd;
    *stranger = (long)peer.uid;
    close(fd);
    return -1;
}
