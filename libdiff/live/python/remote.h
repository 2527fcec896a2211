/*
 * The memory of another process: what is mapped where, by which file, and at which address a loaded object has a
 * symbol. All of it is read from the process itself, so that a file that was replaced or lies in another container does
 * not matter. Nothing that is read is trusted.
 */
#ifndef HSD_LIVE_PYTHON_REMOTE_H
#define HSD_LIVE_PYTHON_REMOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hsdiff/status.h>

enum { HSD_REMOTE_NAME_BYTES = 64 };

typedef struct hsd_remote_mapping {
    uint64_t begin, end, offset;
    bool is_readable, is_writable, is_executable, is_anonymous;
    char name[HSD_REMOTE_NAME_BYTES]; /* last part of the path; "" = none, or longer */
} hsd_remote_mapping;

typedef struct hsd_remote {
    long pid;
    hsd_remote_mapping *mappings;
    size_t count, room;
} hsd_remote;

/* HSD_E_IO, HSD_E_NOMEM. A zeroed one may be closed. */
hsd_status hsd_remote_open(hsd_remote *out, long pid, hsd_error *err);
void hsd_remote_close(hsd_remote *remote);

/* Reads exactly so many bytes. */
bool hsd_remote_read(const hsd_remote *remote, uint64_t address, void *out, size_t size);
/* Writes to memory that the process may write itself. */
bool hsd_remote_write(const hsd_remote *remote, uint64_t address, const void *data, size_t size);

/* The mapping that holds this address; NULL = none. */
const hsd_remote_mapping *hsd_remote_find(const hsd_remote *remote, uint64_t address);

/* Index of the first mapping of an object (its ELF header) whose name begins so, from `from` on; SIZE_MAX = none. */
size_t hsd_remote_object(const hsd_remote *remote, const char *prefix, size_t from);

/* The address of a symbol that the object at this index defines for others; 0 = none. */
uint64_t hsd_remote_symbol(const hsd_remote *remote, size_t object, const char *name);

/* Where these bytes stand in code of the object; 0 = nowhere. */
uint64_t hsd_remote_code(const hsd_remote *remote, size_t object, const void *bytes, size_t size);

#endif
