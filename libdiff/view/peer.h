/*
 * Who is at the other end of a connection on the loopback: the kernel knows whose socket that is. The token stands on the command line
 * of a browser that --open starts, where other users of the machine may read it; with this it is worth nothing to them.
 */
#ifndef HSD_VIEW_PEER_H
#define HSD_VIEW_PEER_H

#include <stdbool.h>
#include <sys/socket.h>

#define HSD_PEER_NAME_CHARS 40 /* of an address as /proc/net/tcp writes it, "0100007F:1F90", with its NUL */

/* Writes it; false for what is neither IPv4 nor IPv6. */
bool hsd_peer_name(char out[HSD_PEER_NAME_CHARS], const struct sockaddr *socket_address);

/* A line of /proc/net/tcp or tcp6: true if its socket is at `local` and connected to `remote`; then its user. */
bool hsd_peer_line_is(const char *line, const char *local, const char *remote, unsigned *uid);

/* True if the client of this connection is a process of another user than ours and root. False also where the system does not tell. Cost:
 * a reading of /proc/net/tcp. */
bool hsd_peer_is_other_user(int fd);

#endif
