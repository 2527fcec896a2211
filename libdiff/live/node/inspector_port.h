/*
 * Where the inspector of a process listens: the ports that its command line or NODE_OPTIONS names, else 9229, of those
 * on which the process itself listens on loopback. A port of another process is never connected to.
 */
#ifndef HSD_LIVE_INSPECTOR_PORT_H
#define HSD_LIVE_INSPECTOR_PORT_H

#include "live/way.h"

typedef struct hsd_inspector_port {
    uint16_t port;
    bool is_v6; /* at ::1, else at 127.0.0.1 */
} hsd_inspector_port;

enum { HSD_INSPECTOR_PORTS = 16 };

/* False where the port was left to the system: then any on which the process listens may be the inspector's, or none.
 */
bool hsd_inspector_port_is_named(const hsd_process_facts *facts);

/* How many of at most HSD_INSPECTOR_PORTS are in `out`. More than one only where the port was left to the system
 * (--inspect=0). */
size_t hsd_inspector_ports(const hsd_process_facts *facts, hsd_inspector_port *out);

/* A line of net/tcp or net/tcp6 (is_v6): does it stand for a socket that listens where loopback reaches it? */
bool hsd_inspector_tcp_line(const char *line, bool is_v6, hsd_inspector_port *out, uint64_t *inode);

/* Port in a word such as "--inspect=127.0.0.1:9230" or "--inspect-brk"; -1: none of these words; 0 = left to the
 * system. */
int hsd_inspector_word_port(const char *word);

#endif
