/*
 * Whose socket is at the other end. That another user is refused is tested with the real command
 * (tests/view/test_security.py).
 */
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "view/peer.h"

static const char line[] = "   3: 0100007F:9D3A 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 "
                           "21458 1 0000000000000000 20 4 30 10 -1\n";

Test(peer, an_address_is_written_as_the_kernel_does)
{
    char name[HSD_PEER_NAME_CHARS];
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(8080), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(8080), .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    const struct sockaddr local = {.sa_family = AF_UNIX};
    cr_assert(hsd_peer_name(name, (const struct sockaddr *)&v4));
    cr_expect_str_eq(name, "0100007F:1F90");
    cr_assert(hsd_peer_name(name, (const struct sockaddr *)&v6));
    cr_expect_str_eq(name, "00000000000000000000000001000000:1F90");
    cr_expect_not(hsd_peer_name(name, &local));
}

Test(peer, a_row_says_whose_it_is)
{
    unsigned uid = 0;
    cr_assert(hsd_peer_line_is(line, "0100007F:9D3A", "0100007F:1F90", &uid));
    cr_expect_eq(uid, 1000);
    cr_expect_not(hsd_peer_line_is(line, "0100007F:1F90", "0100007F:9D3A", &uid), "the server's own side");
    cr_expect_not(hsd_peer_line_is(line, "0100007F:9D3B", "0100007F:1F90", &uid));
}

Test(peer, what_is_no_row_says_nothing)
{
    unsigned uid;
    cr_expect_not(hsd_peer_line_is("  sl  local_address rem_address   st tx_queue", "local_address", "rem_address",
                                   &uid));
    cr_expect_not(hsd_peer_line_is("", "", "", &uid));
    cr_expect_not(hsd_peer_line_is("   3: 0100007F:9D3A 0100007F:1F90 01", "0100007F:9D3A", "0100007F:1F90", &uid));
}

Test(peer, a_connection_of_this_process_is_its_own)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    const int listening = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
    cr_assert(bind(listening, (const struct sockaddr *)&address, size) == 0 && listen(listening, 1) == 0);
    cr_assert(getsockname(listening, (struct sockaddr *)&address, &size) == 0);
    cr_assert(connect(client, (const struct sockaddr *)&address, size) == 0);
    const int server = accept(listening, NULL, NULL);
    cr_assert(server >= 0);
    for (int is_asked = 0; is_asked < 2; is_asked++) { /* the table is read where the kernel cannot be asked */
        hsd_peers peers = {.fd = -1};
        if (is_asked) hsd_peers_open(&peers, listening);
        cr_expect_eq(hsd_peer_look(&peers, server), HSD_PEER_OWN);
        cr_expect_eq(hsd_peer_look(&peers, -1), HSD_PEER_OWN, "what cannot be told");
        hsd_peers_close(&peers);
    }
    close(server);
    close(client);
    close(listening);
}
