/*
 * Sockets whose calls end by a time of the socket's own (SO_RCVTIMEO, SO_SNDTIMEO), which the kernel reads when such a
 * call begins. One that is taken up again begins anew: for that moment alone its socket has what is left.
 */
#ifndef HSN_SOCKET_TIMES_H
#define HSN_SOCKET_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "native/calls.h"

/* Does the call wait for this socket by a time of it? The whole time in *ns, which may be NULL. */
bool hsn_socket_time(const hsn_call *call, int fd, uint64_t *ns);

/* False: the socket has the time it had. */
bool hsn_socket_time_set(const hsn_call *call, int fd, uint64_t ns);

#endif
