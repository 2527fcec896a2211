/*
 * Lines of /proc, taken apart. What other processes can write into them (names of files, of sockets, of themselves) is
 * foreign: nothing here trusts a length or an order.
 */
#ifndef HSD_LIVE_PROCFS_H
#define HSD_LIVE_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A file of /proc whole, at most `most` bytes of it, NUL-terminated in an allocation of its own; NULL with errno. */
char *hsd_procfs_read(const char *path, size_t most, size_t *size);

/* The last part of a path, of which " (deleted)" behind it is none; its length in *size. */
const char *hsd_procfs_last_part(const char *path, size_t *size);

/* Is `name` the last part of the path in this line of maps (`prefix`: its beginning)? */
bool hsd_procfs_maps_line_is(const char *line, const char *name, bool prefix);

/* Does this line of net/unix stand for a socket that listens at the abstract name? */
bool hsd_procfs_unix_line_is(const char *line, const char *name);
/* The abstract name at which the socket of this line listens, to its end; NULL = it does not, or has a path. */
const char *hsd_procfs_unix_line_name(const char *line);

/* The text behind "Key:" and white space in status, up to the end of its line; NULL if there is none. */
const char *hsd_procfs_status_value(const char *status, const char *key);

/* A field of stat by its number in proc(5), from 3 on; 0 if there is none. */
uint64_t hsd_procfs_stat_number(const char *stat, unsigned field);

/* Unsigned decimal digits at `text`; false if there are none or too many. */
bool hsd_procfs_number(const char *text, uint64_t *out);

#endif
