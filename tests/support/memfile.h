/*
 * Captures in memory for tests: a file without a disk behind it, with a path that opens it again.
 */
#ifndef HSD_TESTS_MEMFILE_H
#define HSD_TESTS_MEMFILE_H

#include <stddef.h>
#include <stdint.h>

typedef struct memfile {
    int fd;        /* -1: not open */
    char path[40]; /* opens the same file once more */
} memfile;

/* A file with these bytes; ends the program when the system has none to give. */
memfile memfile_of(const void *bytes, size_t size);

/* Makes it hold these bytes instead. */
void memfile_set(memfile *file, const void *bytes, size_t size);

void memfile_close(memfile *file);

/* Everything in a file, to be freed; NULL when it cannot be read. */
uint8_t *memfile_read_all(const char *path, size_t *size);

/* A reference capture (make_samples.h) as bytes, to be freed. Ends the program when it cannot be written. */
uint8_t *memfile_sample(size_t index, size_t *size);

/* Number of the sample of this name. */
size_t memfile_sample_index(const char *name);

#endif
