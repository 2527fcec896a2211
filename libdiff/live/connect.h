/*
 * A connection to what listens in a process: an agent, or a runtime.
 */
#ifndef HSD_LIVE_CONNECT_H
#define HSD_LIVE_CONNECT_H

#include <sys/socket.h>
#include <sys/un.h>

#include "live/way.h"

enum { HSD_AGENT_NAME_BYTES = 96, HSD_AGENT_NAME_TURNS = 9 };

/* The abstract name, without the NUL in front of it, of this turn from 1 on: an agent takes the first that is free. */
void hsd_agent_name(char out[HSD_AGENT_NAME_BYTES], const hsd_process_facts *facts, const char *agent, unsigned turn);

/* A new stream socket, connected to this name in the network namespace of the process (another one takes root); root
 * comes as the user of a process that has another user namespace. 0 with *out, which is owned by the caller; else
 * errno, and *out is -1. ETIMEDOUT: the queue of who listens stayed full for ten seconds. */
int hsd_connect_in(int *out, const hsd_process_facts *facts, const struct sockaddr *name, socklen_t size);

/* The same by a path, which is found from here, whatever the network of the process. */
int hsd_connect_path(int *out, const hsd_process_facts *facts, const struct sockaddr_un *address);

/* Listens at a socket that has a name, as who may be trusted by the process. 0, or errno. */
int hsd_listen_for(int fd, const hsd_process_facts *facts);

/* *out is owned by the caller. HSD_E_IO: it does not listen; HSD_E_UNSUPPORTED: someone else does. */
hsd_status hsd_agent_connect(int *out, const hsd_process_facts *facts, const char *agent, hsd_error *err);

#endif
