/*
 * The diagnostics socket of a .NET runtime: where it is, and its messages.
 *
 *      $TMPDIR/dotnet-diagnostic-<pid>-<start in clock ticks>-socket     pid and folder as the process sees them; 0600
 *
 *      "DOTNET_IPC_V1\0"  u16 bytes in all  u8 set  u8 command  u16 0  payload        little-endian
 */
#ifndef HSD_LIVE_DOTNET_SOCKET_H
#define HSD_LIVE_DOTNET_SOCKET_H

#include <sys/socket.h>
#include <sys/un.h>

#include "live/way.h"

/* Looks for the socket. HSD_GATE_NOT_MINE if there is none; closed, with the error, if what is there belongs to someone
 * else. */
hsd_gate hsd_dotnet_find(const hsd_process_facts *facts, hsd_error *err);

typedef struct hsd_dotnet_address { /* good in this process and in what it forks */
    int folder;                     /* in which the socket lies; owned */
    struct sockaddr_un socket;
} hsd_dotnet_address;

/* HSD_E_UNSUPPORTED: it is not there, or not the process' own. */
hsd_status hsd_dotnet_locate(hsd_dotnet_address *out, const hsd_process_facts *facts, hsd_error *err);
void hsd_dotnet_forget(hsd_dotnet_address *address);

/* A new connection, or -errno. Safe between fork and exec. */
int hsd_dotnet_connect(const hsd_dotnet_address *address);

/* Does the process itself listen at the other end? HSD_E_UNSUPPORTED: someone else. */
hsd_status hsd_dotnet_check_peer(int fd, const hsd_process_facts *facts, hsd_error *err);

/* ---- messages ---- */

typedef struct hsd_dotnet_message {
    uint8_t bytes[256];
    size_t size;
} hsd_dotnet_message;

void hsd_dotnet_ask_heap(hsd_dotnet_message *out);
void hsd_dotnet_ask_end(hsd_dotnet_message *out, uint64_t session);

#define HSD_DOTNET_ANSWER_BYTES ((size_t)28) /* at most */

typedef enum hsd_dotnet_answer {
    HSD_DOTNET_OK,
    HSD_DOTNET_MORE,
    HSD_DOTNET_REFUSED,
    HSD_DOTNET_FOREIGN
} hsd_dotnet_answer;

/* What the first `size` bytes of an answer say: *number is that of the session, or of the error. MORE: it is longer. */
hsd_dotnet_answer hsd_dotnet_read_answer(const uint8_t *bytes, size_t size, uint64_t *number);

#endif
