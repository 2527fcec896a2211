#define _GNU_SOURCE
/*
 * Files that a snapshot names while its program runs: scripts and their source maps, as the program sees them, which
 * may be in a container. Nothing that the program says leads out of its root.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "live/node/node_process.h"

/* linux/openat2.h, which is younger than some of the kernels' headers that this is built with */
struct node_open_how {
    uint64_t flags, mode, resolve;
};
#define NO_MAGIC_LINKS 0x02u
#define IN_ROOT        0x10u
#ifndef SYS_openat2
#define SYS_openat2 437
#endif

static int open_in_root(void *context, const char *path)
{
    const hsd_process_facts *facts = context;
    const struct node_open_how how = {.flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK,
                                      .resolve = NO_MAGIC_LINKS | IN_ROOT};
    char root[64];
    snprintf(root, sizeof root, "/proc/%ld/root", facts->pid);
    const int folder = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return -1;
    const int fd = (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
    const int error = errno;
    close(folder);
    errno = error;
    return fd;
}

hsd_import_options hsd_node_import_options(const hsd_live *live, const hsd_import_origin *origin)
{
    return (hsd_import_options){.struct_bytes = sizeof(hsd_import_options),
                                .origin = origin,
                                .compression = live->options->compression,
                                .with_values = live->options->with_values,
                                .open_file = open_in_root,
                                .open_context = (void *)(uintptr_t)live->facts};
}
