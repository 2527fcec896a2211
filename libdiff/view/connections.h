/*
 * How long each connection has been at its request. A client that sends a byte now and then is never idle, and would
 * keep a connection for ever: it is cut off from another thread, by shutting its socket down, when its time is up. An
 * answer may take longer: a report of many MiB through a tunnel. Where there is a crowd nobody has that time: whoever
 * comes takes the place of the one that has been at its request for longest, so that there is always room for one that
 * knows what it wants.
 */
#ifndef HSD_VIEW_CONNECTIONS_H
#define HSD_VIEW_CONNECTIONS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HSD_CONNECTIONS_MOST    64u
#define HSD_CONNECTIONS_CROWD   48u /* from so many on */
#define HSD_CONNECTIONS_FEW     8u  /* from so many on other users are not even told that they get nothing */
#define HSD_CONNECTION_ANSWERED UINT64_MAX

typedef struct hsd_connection {
    int fd; /* -1 = free */
    /* accepted, or done with its last request; HSD_CONNECTION_ANSWERED while that is answered */
    uint64_t since_ns;
    bool is_cut; /* shut down, and not yet removed */
} hsd_connection;

typedef struct hsd_connections {
    /* of all below: a socket is never shut down once its owner may have closed it */
    pthread_mutex_t lock;
    hsd_connection all[HSD_CONNECTIONS_MOST];
} hsd_connections;

void hsd_connections_init(hsd_connections *connections);
void hsd_connections_release(hsd_connections *connections);

/* A connection was accepted; in a crowd another is shut down for it. NULL when there is no room; everything else
 * accepts NULL. */
hsd_connection *hsd_connections_add(hsd_connections *connections, int fd, uint64_t now_ns);

/* How many there are. */
size_t hsd_connections_count(hsd_connections *connections);

/* Its time begins anew; with HSD_CONNECTION_ANSWERED it has as much as it wants. */
void hsd_connections_renew(hsd_connections *connections, hsd_connection *connection, uint64_t now_ns);

/* Its socket is about to be closed. */
void hsd_connections_remove(hsd_connections *connections, hsd_connection *connection);

/* Shuts down those that are older than that. */
void hsd_connections_cut(hsd_connections *connections, uint64_t now_ns, uint64_t patience_ns);

#endif
