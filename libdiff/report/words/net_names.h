/*
 * Names of .NET and Mono in narrow places: without the namespaces of the class library.
 *
 *      static System.Collections.Concurrent.BlockingCollection<Job> mailbox    static BlockingCollection<Job> mailbox
 *      static System.Threading.Timer.Scheduler.instance.list                   static Timer.Scheduler.instance.list
 *
 * A program's own namespaces stay: nothing tells them from its classes.
 */
#ifndef HSD_REPORT_NET_NAMES_H
#define HSD_REPORT_NET_NAMES_H

#include <stddef.h>

/* Writes the name without them; `out` has room for `size` bytes. Returns what was used: `size` where there are none. */
size_t hsd_net_namespaces(const char *name, size_t size, char *out);

#endif
