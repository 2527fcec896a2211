#define _GNU_SOURCE /* SOCK_CLOEXEC */
/*
 * Listening on the loopback.
 */
#include "view/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Where it is full the system drops whoever knocks, who tries again after one, three and seven seconds. */
enum { QUEUE_LENGTH = 4096 };

typedef union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
} address;

static socklen_t fill_view_listen(address *name, uint16_t port, bool use_ipv6)
{
    memset(name, 0, sizeof *name);
    if (use_ipv6) {
        name->v6.sin6_family = AF_INET6;
        name->v6.sin6_port = htons(port);
        name->v6.sin6_addr = in6addr_loopback;
        return sizeof name->v6;
    }
    name->v4.sin_family = AF_INET;
    name->v4.sin_port = htons(port);
    name->v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return sizeof name->v4;
}

/* 0 or an errno. The port of a viewer that has just ended, with its connections not quite forgotten, can be had again
 * at once; one at which somebody listens can not. */
static int listen_at(int fd, address *name, socklen_t size, uint16_t *port)
{
    const int is_again = 1;
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &is_again, sizeof is_again) != 0) return errno;
    if (bind(fd, &name->any, size) != 0 || listen(fd, QUEUE_LENGTH) != 0) return errno;
    if (getsockname(fd, &name->any, &size) != 0) return errno;
    *port = ntohs(name->any.sa_family == AF_INET6 ? name->v6.sin6_port : name->v4.sin_port);
    return 0;
}

hsd_status hsd_view_listen(int *fd, uint16_t *port, bool use_ipv6, hsd_error *err)
{
    address name;
    const socklen_t size = fill_view_listen(&name, *port, use_ipv6);
    *fd = socket(name.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const int error = *fd < 0 ? errno : listen_at(*fd, &name, size, port);
    if (error == 0) return HSD_OK;
    if (*fd >= 0) close(*fd);
    *fd = -1;
    hsd_fail_errno(err, error, "cannot listen on %s, port %u", use_ipv6 ? "::1" : "127.0.0.1", (unsigned)*port);
    if (error == EADDRINUSE) hsd_error_set_hint(err, "leave out --port: a free one is taken then");
    if (error == EACCES)
        hsd_error_set_hint(err, "ports below 1024 are for root: leave out --port, and a free one is taken");
    if (use_ipv6 && (error == EADDRNOTAVAIL || error == EAFNOSUPPORT)) hsd_error_set_hint(err, "leave out --ipv6");
    return HSD_E_IO;
}
