/*
 * Small reference captures, made by the capture library: every type of block, every shape a reader has to expect. The
 * same bytes every time (ids and times are fixed), each at most 256 KiB. Readers are swept over their prefixes and bit
 * flips, fuzzers start from them, the second reader must agree with the library on each.
 */
#ifndef HSD_TESTS_MAKE_SAMPLES_H
#define HSD_TESTS_MAKE_SAMPLES_H

#include <stddef.h>

#include <hscapture/hscapture.h>

size_t hsd_sample_count(void);

/* A short word for file names; NULL past the last. */
const char *hsd_sample_name(size_t index);

/* True if the sample ends as a complete capture. */
bool hsd_sample_is_complete(size_t index);

/* Writes a sample into a new file, or into any sink. HSC_OK, or what the writer said. */
hsc_status hsd_sample_write(size_t index, const char *path);
hsc_status hsd_sample_write_to(size_t index, const hsc_sink *sink);

#endif
