/*
 * Where bytes leave the library: a sink that takes as many as it likes, made to take all. Also the two
 * built-in sinks, a descriptor of the caller and a file of our own.
 */
#ifndef HSC_OUTPUT_H
#define HSC_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hscapture/hscapture.h>

/* A descriptor to write to; for a file of our own also how to remove it again. */
typedef struct hsc_file {
    int fd;
    bool is_ours;
    int folder_fd;
    char *name; /* in that folder; allocated */
} hsc_file;

typedef struct hsc_output {
    hsc_sink sink;
    hsc_file file;    /* context of the built-in sinks */
    uint64_t written; /* bytes that the sink has taken */
    int system_error; /* errno of the call that failed */
} hsc_output;

/* Lead the output to a callback, to a descriptor that stays the caller's, or to a new file. */
void hsc_output_to_sink(hsc_output *output, const hsc_sink *sink);
void hsc_output_to_fd(hsc_output *output, int fd);
hsc_status hsc_output_to_new_file(hsc_output *output, const char *path);

/* All of the bytes, however many calls that takes; false with system_error set if the sink refuses. */
bool hsc_output_write(hsc_output *output, const void *bytes, size_t size);

/* Closes a file of our own: kept if that succeeds and `keep` is true, else removed. */
bool hsc_output_finish(hsc_output *output, bool keep);

#endif
