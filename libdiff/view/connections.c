/*
 * The table of connections, some dozens: looked through from end to end.
 */
#include "view/connections.h"

#include <sys/socket.h>

void hsd_connections_init(hsd_connections *connections)
{
    pthread_mutex_init(&connections->lock, NULL);
    for (size_t i = 0; i < HSD_CONNECTIONS_MOST; i++)
        connections->all[i].fd = -1;
}

void hsd_connections_release(hsd_connections *connections) { pthread_mutex_destroy(&connections->lock); }

static void cut_connection(hsd_connection *connection)
{
    shutdown(connection->fd, SHUT_RDWR);
    connection->is_cut = true;
}

/* For a newcomer: what is answered goes on. */
static void give_place_to(hsd_connections *connections, const hsd_connection *newcomer)
{
    hsd_connection *oldest = NULL;
    size_t count = 0;
    for (size_t i = 0; i < HSD_CONNECTIONS_MOST; i++) {
        hsd_connection *one = &connections->all[i];
        if (one->fd < 0 || one->is_cut) continue;
        count++;
        if (one == newcomer || one->since_ns == HSD_CONNECTION_ANSWERED) continue;
        if (!oldest || one->since_ns < oldest->since_ns) oldest = one;
    }
    if (count > HSD_CONNECTIONS_CROWD && oldest) cut_connection(oldest);
}

hsd_connection *hsd_connections_add(hsd_connections *connections, int fd, uint64_t now_ns)
{
    hsd_connection *found = NULL;
    pthread_mutex_lock(&connections->lock);
    for (size_t i = 0; i < HSD_CONNECTIONS_MOST && !found; i++)
        if (connections->all[i].fd < 0) found = &connections->all[i];
    if (found) *found = (hsd_connection){.fd = fd, .since_ns = now_ns};
    if (found) give_place_to(connections, found);
    pthread_mutex_unlock(&connections->lock);
    return found;
}

size_t hsd_connections_count(hsd_connections *connections)
{
    size_t count = 0;
    pthread_mutex_lock(&connections->lock);
    for (size_t i = 0; i < HSD_CONNECTIONS_MOST; i++)
        count += connections->all[i].fd >= 0;
    pthread_mutex_unlock(&connections->lock);
    return count;
}

void hsd_connections_renew(hsd_connections *connections, hsd_connection *connection, uint64_t now_ns)
{
    if (!connection) return;
    pthread_mutex_lock(&connections->lock);
    connection->since_ns = now_ns;
    pthread_mutex_unlock(&connections->lock);
}

void hsd_connections_remove(hsd_connections *connections, hsd_connection *connection)
{
    if (!connection) return;
    pthread_mutex_lock(&connections->lock);
    connection->fd = -1;
    pthread_mutex_unlock(&connections->lock);
}

void hsd_connections_cut(hsd_connections *connections, uint64_t now_ns, uint64_t patience_ns)
{
    pthread_mutex_lock(&connections->lock);
    for (size_t i = 0; i < HSD_CONNECTIONS_MOST; i++) {
        hsd_connection *one = &connections->all[i];
        if (one->fd >= 0 && now_ns > one->since_ns && now_ns - one->since_ns > patience_ns) cut_connection(one);
    }
    pthread_mutex_unlock(&connections->lock);
}
