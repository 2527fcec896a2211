/*
 * A folder of its own for each test, gone afterwards, and a full disk for those who may mount one. Used
 * by the tests of io/ and sort/.
 */
#ifndef HSD_TESTS_UNIT_IO_SCRATCH_H
#define HSD_TESTS_UNIT_IO_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>

extern char scratch[64];

void scratch_make(void);
void scratch_remove(void);

/* The full name of a file in the folder; good until the fourth call after this one. */
const char *scratch_path(const char *name);

/* Lays a tmpfs of this size over the folder, for this process alone. False: not allowed here. */
bool scratch_limit(size_t kibibytes);

/* Number of files in the folder. */
int scratch_count(void);

/* Whole file into a new NUL-terminated allocation, or NULL. */
char *scratch_read(const char *name, size_t *size);
void scratch_write(const char *name, const void *data, size_t size);

#endif
