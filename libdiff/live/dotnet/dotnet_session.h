/*
 * A session of a .NET runtime that tells its heap.
 *
 * CoreCLR 3.1 may crash when the connection of a session is closed before the session was ended, or before an answer
 * was written. So this process holds none of it alone: a process of its own, the keeper, has the same connection, asks
 * for the heap, is told when to end the session, and does so by itself when this process is gone.
 *
 *      this process     ── connection ──►  runtime        reads what comes
 *         │ pipe                             ▲
 *         ▼                                  │
 *      keeper           ── the same: asks; and one more, to end the session. Reads the rest if nobody else does
 */
#ifndef HSD_LIVE_DOTNET_SESSION_H
#define HSD_LIVE_DOTNET_SESSION_H

#include "live/dotnet/dotnet_socket.h"

typedef struct hsd_dotnet_session {
    int fd;     /* the stream; owned */
    int keeper; /* pipe to the keeper; owned */
} hsd_dotnet_session;

/* Asks for the heap and waits for the answer: what follows at `fd` is nettrace. HSD_E_UNSUPPORTED: the runtime refuses.
 */
hsd_status hsd_dotnet_session_open(hsd_dotnet_session *session, hsd_live *live, hsd_error *err);

/* Waits until it tells more than that it is there. HSD_E_NOT_FOUND: it has not for a few seconds, and will not; without
 * an error set. */
hsd_status hsd_dotnet_session_listen(const hsd_dotnet_session *session, hsd_live *live, hsd_error *err);

/* Has it ended: what is still to come comes, and then the end of the stream. Does not wait. */
void hsd_dotnet_session_end(hsd_dotnet_session *session);

/* In whatever state it is; the keeper ends what is not ended. Does not wait. */
void hsd_dotnet_session_close(hsd_dotnet_session *session);

#endif
