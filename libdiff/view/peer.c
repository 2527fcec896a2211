#define _GNU_SOURCE /* SOCK_CLOEXEC */
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
#ifdef __linux__
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#endif

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

/* ---- asking the kernel ---- */

typedef enum told { TOLD_NOTHING, TOLD_THERE_IS_NONE, TOLD_A_USER } told;

#ifdef __linux__
typedef struct question {
    struct nlmsghdr head;
    struct inet_diag_req_v2 body;
} question;

static void put_end(__be32 to[4], __be16 *port, const struct sockaddr *of)
{
    address name = {.any = {0}};
    memcpy(&name, of, of->sa_family == AF_INET6 ? sizeof name.v6 : sizeof name.v4);
    *port = of->sa_family == AF_INET6 ? name.v6.sin6_port : name.v4.sin_port;
    if (of->sa_family == AF_INET6)
        memcpy(to, &name.v6.sin6_addr, 16);
    else
        memcpy(to, &name.v4.sin_addr, 4);
}

/* One datagram, which may be the answer to an older question. */
static told read_kernel_answer(const hsd_peers *peers, unsigned *uid, bool *is_ours)
{
    union {
        struct nlmsghdr head;
        char bytes[4096];
    } answer;
    const ssize_t size = recv(peers->fd, &answer, sizeof answer, MSG_DONTWAIT);
    *is_ours = size < (ssize_t)sizeof answer.head || answer.head.nlmsg_seq == peers->asked;
    if (size < (ssize_t)sizeof answer.head || answer.head.nlmsg_len > (size_t)size) return TOLD_NOTHING;
    const char *body = answer.bytes + NLMSG_HDRLEN;
    const size_t left = answer.head.nlmsg_len - (answer.head.nlmsg_len < NLMSG_HDRLEN ? 0 : NLMSG_HDRLEN);
    if (answer.head.nlmsg_type == NLMSG_ERROR && left >= sizeof(struct nlmsgerr)) {
        struct nlmsgerr error;
        memcpy(&error, body, sizeof error);
        return error.error == -ENOENT ? TOLD_THERE_IS_NONE : TOLD_NOTHING;
    }
    if (answer.head.nlmsg_type != SOCK_DIAG_BY_FAMILY || left < sizeof(struct inet_diag_msg)) return TOLD_NOTHING;
    struct inet_diag_msg found;
    memcpy(&found, body, sizeof found);
    *uid = found.idiag_uid;
    return TOLD_A_USER;
}

static told ask_kernel(hsd_peers *peers, const struct sockaddr *local, const struct sockaddr *remote, unsigned *uid)
{
    question q = {.head = {.nlmsg_len = sizeof q, .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST},
                  .body = {.sdiag_family = (uint8_t)local->sa_family,
                           .sdiag_protocol = IPPROTO_TCP,
                           .idiag_states = UINT32_MAX,
                           .id = {.idiag_cookie = {INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE}}}};
    bool is_ours = false;
    told answer = TOLD_NOTHING;
    if (peers->fd < 0) return TOLD_NOTHING;
    q.head.nlmsg_seq = ++peers->asked;
    put_end(q.body.id.idiag_src, &q.body.id.idiag_sport, local);
    if (remote) put_end(q.body.id.idiag_dst, &q.body.id.idiag_dport, remote);
    if (send(peers->fd, &q, sizeof q, MSG_DONTWAIT) != (ssize_t)sizeof q) return TOLD_NOTHING;
    while (!is_ours) /* the answer is there once the question is sent */
        answer = read_kernel_answer(peers, uid, &is_ours);
    return answer;
}

void hsd_peers_open(hsd_peers *peers, int listening)
{
    address own = {.any = {0}};
    socklen_t size = sizeof own;
    unsigned uid;
    *peers = (hsd_peers){.fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG)};
    const bool is_known = getsockname(listening, &own.any, &size) == 0 &&
                          (own.any.sa_family == AF_INET || own.any.sa_family == AF_INET6) &&
                          ask_kernel(peers, &own.any, NULL, &uid) == TOLD_A_USER;
    if (!is_known) hsd_peers_close(peers);
}
#else
static told ask_kernel(hsd_peers *peers, const struct sockaddr *local, const struct sockaddr *remote, unsigned *uid)
{
    (void)peers, (void)local, (void)remote, (void)uid;
    return TOLD_NOTHING;
}

void hsd_peers_open(hsd_peers *peers, int listening)
{
    (void)listening;
    *peers = (hsd_peers){.fd = -1};
}
#endif

void hsd_peers_close(hsd_peers *peers)
{
    if (peers->fd >= 0) close(peers->fd);
    peers->fd = -1;
}

/* ---- */

hsd_peer hsd_peer_of(hsd_peers *peers, const struct sockaddr *client, const struct sockaddr *server)
{
    char local[HSD_PEER_NAME_CHARS], remote[HSD_PEER_NAME_CHARS];
    unsigned uid = 0;
    if (client->sa_family != server->sa_family || !hsd_peer_name(local, client) || !hsd_peer_name(remote, server))
        return HSD_PEER_OWN;
    const told answer = ask_kernel(peers, client, server, &uid);
    if (answer == TOLD_NOTHING)
        return look_up_peer(client->sa_family == AF_INET6 ? "/proc/net/tcp6" : "/proc/net/tcp", local, remote);
    return answer == TOLD_A_USER && uid != 0 && uid != (unsigned)geteuid() ? HSD_PEER_OF_OTHER_USER : HSD_PEER_OWN;
}

hsd_peer hsd_peer_look(hsd_peers *peers, int fd)
{
    address client = {.any = {0}}, server = {.any = {0}};
    socklen_t client_size = sizeof client, server_size = sizeof server;
    if (getpeername(fd, &client.any, &client_size) != 0 || getsockname(fd, &server.any, &server_size) != 0)
        return HSD_PEER_OWN;
    return hsd_peer_of(peers, &client.any, &server.any);
}
