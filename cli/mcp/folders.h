/*
 * The folders that were allowed, and the only way to a file: beneath one of them. A folder is opened once, when the
 * server starts; a name is resolved by the kernel beneath that descriptor (openat2, RESOLVE_BENEATH), so neither "..",
 * nor a symbolic link, nor a folder that is swapped meanwhile leads out. A kernel without openat2 has each part of the
 * name opened by itself, and there no link is followed at all. What is opened is a plain file that is not of the
 * kernel's own making (/proc, /sys): no device, pipe or socket is ever opened, not even for a moment.
 */
#ifndef MCP_FOLDERS_H
#define MCP_FOLDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include <hsdiff/status.h>

#define MCP_FOLDERS_MOST 16u
#define MCP_PATH_BYTES   4096u

typedef struct mcp_folder {
    int fd;      /* of the folder itself, O_PATH */
    char *given; /* as it was named; owned */
    char *real;  /* without links, from the root; owned */
} mcp_folder;

typedef struct mcp_folders {
    mcp_folder list[MCP_FOLDERS_MOST];
    size_t count;
    bool steps_alone; /* each part of a name by itself, as without openat2: for tests */
} mcp_folders;

/* Opens `count` folders, at most MCP_FOLDERS_MOST; 0 = the working folder. HSD_E_IO names the one that cannot be
 * opened; HSD_E_MISUSE for too many; HSD_E_NOMEM. Closed by the caller in any case. */
hsd_status mcp_folders_open(mcp_folders *folders, const char *const *names, size_t count, hsd_error *err);
void mcp_folders_close(mcp_folders *folders);

/*
 * Opens a plain file for reading. `path` begins at one of the folders, or is one of the first that has it. `what` gets
 * its facts. HSD_E_IO when it is not there or may not be read; HSD_E_MISUSE for a path that leads out, and for what is
 * no plain file. The hint names the folders.
 */
hsd_status mcp_folders_open_file(const mcp_folders *folders, const char *path, int *fd, struct stat *what,
                                 hsd_error *err);

/*
 * Opens the folder that a new file is to lie in, and says the last part of its name (in `path`). Fails as
 * mcp_folders_open_file does.
 */
hsd_status mcp_folders_open_parent(const mcp_folders *folders, const char *path, int *fd, const char **name,
                                   hsd_error *err);

/* Opens a folder beneath folder `i` for listing, "" = itself; -1 when there is none. */
int mcp_folders_open_below(const mcp_folders *folders, size_t i, const char *path);

#endif
