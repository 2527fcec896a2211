/*
 * The temporary capture of an import is written once, read twice and gone. As it is it is written and read faster than
 * packed, as long as it lies in the memory that the system has for files, and as its folder has room:
 *
 *      five eighths of the memory, 8 GiB at most, or --memory where that is more
 *      half of what is free in the folder; an eighth where the folder is memory itself (tmpfs)
 *
 * whichever is less, and half of it where two inputs share it.
 */
#ifndef HSD_CLI_CACHE_H
#define HSD_CLI_CACHE_H

#include "cli.h"

/* From run.memory_bytes and run.temp_dir. Reads /proc and asks the file system. */
void cli_cache_find(cli_cache *out, const cli_app *cli);

/* Whether the capture of a dump of `size` bytes may lie as it is: it takes less than the dump does unpacked. */
bool cli_cache_has_room(const cli_cache *cache, int fd, uint64_t size);

#endif
