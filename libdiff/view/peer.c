/*
 * The client's socket is a row of the kernel's table: its local address is our peer's, its remote one is ours.
 */
#include "view/peer.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LINE_CHARS = 512 };

typedef union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
} address;

/* Addresses are words of 32 bits as they lie in memory, ports are numbers. */
bool hsd_peer_name(char out[HSD_PEER_NAME_CHARS], const struct sockaddr *socket_address)
{
    uint32_t words[4];
    if (socket_address->sa_family == AF_INET) {
        struct sockaddr_in v4;
        memcpy(&v4, socket_address, sizeof v4);
        snprintf(out, HSD_PEER_NAME_CHARS, "%08X:%04X", (unsigned)v4.sin_addr.s_addr, (unsigned)ntohs(v4.sin_port));
        return true;
    }
    if (socket_address->sa_family != AF_INET6) return false;
    struct sockaddr_in6 v6;
    memcpy(&v6, socket_address, sizeof v6);
    memcpy(words, &v6.sin6_addr, sizeof words);
    snprintf(out, HSD_PEER_NAME_CHARS, "%08X%08X%08X%08X:%04X", (unsigned)words[0], (unsigned)words[1],
             (unsigned)words[2], (unsigned)words[3], (unsigned)ntohs(v6.sin6_port));
    return true;
}

bool hsd_peer_line_is(const char *line, const char *local, const char *remote, unsigned *uid)
{
    char own[HSD_PEER_NAME_CHARS], other[HSD_PEER_NAME_CHARS];
    return sscanf(line, " %*[0-9]: %39s %39s %*s %*s %*s %*s %u", own, other, uid) == 3 && strcmp(own, local) == 0 &&
           strcmp(other, remote) == 0;
}

/* HSD_PEER_OWN where it is not in the table, or there is none. */
static hsd_peer look_up_peer(const char *table, const char *local, const char *remote)
{
    char line[LINE_CHARS];
    unsigned uid = 0;
    bool is_found = false;
    FILE *file = fopen(table, "re");
    if (!file) return errno == ENOENT || errno == EACCES || errno == EPERM ? HSD_PEER_OWN : HSD_PEER_NOT_SEEN;
    while (!is_found && fgets(line, sizeof line, file))
        is_found = hsd_peer_line_is(line, local, remote, &uid);
    const bool is_seen = is_found || !ferror(file);
    fclose(file);
    if (!is_seen) return HSD_PEER_NOT_SEEN;
    return is_found && uid != 0 && uid != (unsigned)geteuid() ? HSD_PEER_OF_OTHER_USER : HSD_PEER_OWN;
}

hsd_peer hsd_peer_look(int fd)
{
    address client, server;
    socklen_t client_size = sizeof client, server_size = sizeof server;
    char local[HSD_PEER_NAME_CHARS], remote[HSD_PEER_NAME_CHARS];
    if (getpeername(fd, &client.any, &client_size) != 0 || getsockname(fd, &server.any, &server_size) != 0)
        return HSD_PEER_OWN;
    if (!hsd_peer_name(local, &client.any) || !hsd_peer_name(remote, &server.any)) return HSD_PEER_OWN;
    return look_up_peer(client.any.sa_family == AF_INET6 ? "/proc/net/tcp6" : "/proc/net/tcp", local, remote);
}
