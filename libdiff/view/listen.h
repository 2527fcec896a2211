/*
 * A socket that only this machine can reach.
 */
#ifndef HSD_VIEW_LISTEN_H
#define HSD_VIEW_LISTEN_H

#include <stdbool.h>
#include <stdint.h>

#include <hsdiff/status.h>

/*
 * Listens on 127.0.0.1, or on ::1, and on nothing else. *port 0 becomes the one that the system chose. *fd is the
 * caller's. HSD_E_IO when the port is taken or the machine has no such address.
 */
hsd_status hsd_view_listen(int *fd, uint16_t *port, bool use_ipv6, hsd_error *err);

#endif
