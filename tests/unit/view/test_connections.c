/*
 * Who is too slow is cut off, and nobody else.
 */
#include <criterion/criterion.h>
#include <sys/socket.h>
#include <unistd.h>

#include "view/connections.h"

#define SECOND UINT64_C(1000000000)

typedef struct wire {
    int near, far;
    hsd_connection *connection;
} wire;

static hsd_connections connections;

static wire plug(uint64_t now_ns)
{
    int ends[2];
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    return (wire){ends[0], ends[1], hsd_connections_add(&connections, ends[0], now_ns)};
}

/* The other end reads the end of the stream. */
static bool is_cut(const wire *of)
{
    char byte;
    return recv(of->far, &byte, 1, MSG_DONTWAIT) == 0;
}

static void unplug(wire *of)
{
    hsd_connections_remove(&connections, of->connection);
    close(of->near);
    close(of->far);
}

Test(connections, cuts_who_is_too_slow)
{
    hsd_connections_init(&connections);
    wire early = plug(10 * SECOND), late = plug(15 * SECOND);
    cr_assert(early.connection && late.connection && early.connection != late.connection);
    hsd_connections_cut(&connections, 20 * SECOND, 10 * SECOND);
    cr_assert_not(is_cut(&early), "ten seconds are not more than ten");
    hsd_connections_cut(&connections, 20 * SECOND + 1, 10 * SECOND);
    cr_assert(is_cut(&early));
    cr_assert_not(is_cut(&late));
    unplug(&early);
    unplug(&late);
    hsd_connections_release(&connections);
}

Test(connections, gives_time_anew)
{
    hsd_connections_init(&connections);
    wire one = plug(10 * SECOND);
    hsd_connections_renew(&connections, one.connection, 19 * SECOND);
    hsd_connections_cut(&connections, 25 * SECOND, 10 * SECOND);
    cr_assert_not(is_cut(&one));
    hsd_connections_cut(&connections, 30 * SECOND, 10 * SECOND);
    cr_assert(is_cut(&one));
    unplug(&one);
    hsd_connections_release(&connections);
}

Test(connections, waits_for_an_answer_as_long_as_it_takes)
{
    hsd_connections_init(&connections);
    wire one = plug(10 * SECOND);
    hsd_connections_renew(&connections, one.connection, HSD_CONNECTION_ANSWERED);
    hsd_connections_cut(&connections, 100000 * SECOND, 10 * SECOND);
    cr_assert_not(is_cut(&one));
    hsd_connections_renew(&connections, one.connection, 100000 * SECOND);
    hsd_connections_cut(&connections, 100011 * SECOND, 10 * SECOND);
    cr_assert(is_cut(&one), "its next request has to come in time");
    unplug(&one);
    hsd_connections_release(&connections);
}

Test(connections, leaves_alone_whoever_was_removed)
{
    hsd_connections_init(&connections);
    wire one = plug(10 * SECOND);
    hsd_connections_remove(&connections, one.connection);
    hsd_connections_cut(&connections, 1000 * SECOND, 10 * SECOND);
    cr_assert_not(is_cut(&one), "the number may be that of another file by now");
    unplug(&one);
    hsd_connections_release(&connections);
}

Test(connections, does_not_mind_a_clock_behind)
{
    hsd_connections_init(&connections);
    wire one = plug(10 * SECOND);
    hsd_connections_cut(&connections, 9 * SECOND, 1);
    cr_assert_not(is_cut(&one));
    unplug(&one);
    hsd_connections_release(&connections);
}

/* Who is answered stays, and so does whoever comes. */
Test(connections, gives_place_in_a_crowd_to_whoever_comes)
{
    hsd_connections_init(&connections);
    wire all[HSD_CONNECTIONS_CROWD + 2];
    for (size_t i = 0; i < HSD_CONNECTIONS_CROWD; i++) {
        all[i] = plug((10 + i) * SECOND);
        cr_assert_not(is_cut(&all[i]));
    }
    hsd_connections_renew(&connections, all[0].connection, HSD_CONNECTION_ANSWERED);
    for (size_t i = HSD_CONNECTIONS_CROWD; i < HSD_CONNECTIONS_CROWD + 2; i++)
        all[i] = plug(SECOND); /* by a clock behind, the oldest */
    for (size_t i = 0; i < HSD_CONNECTIONS_CROWD + 2; i++) {
        const bool should_go = i == 1 || i == HSD_CONNECTIONS_CROWD;
        cr_assert_eq(is_cut(&all[i]), should_go, "connection %zu", i);
    }
    for (size_t i = 0; i < HSD_CONNECTIONS_CROWD + 2; i++)
        unplug(&all[i]);
    hsd_connections_release(&connections);
}

Test(connections, has_a_place_for_each)
{
    hsd_connections_init(&connections);
    hsd_connection *all[HSD_CONNECTIONS_MOST];
    for (size_t i = 0; i < HSD_CONNECTIONS_MOST; i++) {
        all[i] = hsd_connections_add(&connections, 1000 + (int)i, SECOND);
        cr_assert_not_null(all[i]);
    }
    cr_assert_null(hsd_connections_add(&connections, 2000, SECOND));
    hsd_connections_renew(&connections, NULL, SECOND);
    hsd_connections_remove(&connections, NULL);
    hsd_connections_remove(&connections, all[7]);
    cr_assert_eq(hsd_connections_add(&connections, 2000, SECOND), all[7]);
    hsd_connections_release(&connections);
}
