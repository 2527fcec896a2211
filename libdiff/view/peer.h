/*
 * Who is at the other end of a connection on the loopback: the kernel knows whose socket that is. The token stands on
 * the command line of a browser that --open starts, where other users of the machine may read it; with this it is worth
 * nothing to them.
 */
#ifndef HSD_VIEW_PEER_H
#define HSD_VIEW_PEER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#define HSD_PEER_NAME_CHARS 40 /* of an address as /proc/net/tcp writes it, "0100007F:1F90", with its NUL */

/* Writes it; false for what is neither IPv4 nor IPv6. */
bool hsd_peer_name(char out[HSD_PEER_NAME_CHARS], const struct sockaddr *socket_address);

/* A line of /proc/net/tcp or tcp6: true if its socket is at `local` and connected to `remote`; then its user. */
bool hsd_peer_line_is(const char *line, const char *local, const char *remote, unsigned *uid);

typedef enum hsd_peer {
    HSD_PEER_OWN, /* a process of our user or of root, or the system does not tell */
    HSD_PEER_OF_OTHER_USER,
    HSD_PEER_NOT_SEEN /* the system would tell, but there is no descriptor or memory to read it */
} hsd_peer;

/*
 * Who is asked: the kernel, by a netlink socket that is opened before the sandbox forbids it: one question and one
 * answer, less than 20 us however many connections the machine has; where there is none, /proc/net/tcp is read, a line
 * for each of them.
 */
typedef struct hsd_peers {
    int fd;         /* -1 = none */
    uint32_t asked; /* questions so far */
} hsd_peers;

/* `listening` is a socket of ours that listens: whether the kernel knows it says whether it can be asked. */
void hsd_peers_open(hsd_peers *peers, int listening);
void hsd_peers_close(hsd_peers *peers);

/* Whose process the socket at `client` is, which is connected to `server`. */
hsd_peer hsd_peer_of(hsd_peers *peers, const struct sockaddr *client, const struct sockaddr *server);

/* The same for the other end of a connection. */
hsd_peer hsd_peer_look(hsd_peers *peers, int fd);

#endif
