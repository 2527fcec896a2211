/*
 * What the sweeps over damaged captures share: a damaged file in memory, everything that the library can do with it,
 * and counting. Each sweep is a program of its own; a sample of its cases runs in the ordinary suite, all of them with
 * HSD_LONG=1. It prints how many cases it tried and fails on the first wrong answer.
 */
#ifndef HSD_TESTS_INTEGRITY_KIT_H
#define HSD_TESTS_INTEGRITY_KIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hsdiff/capture.h>

#include "support/memfile.h"
#include "support/random.h"

/* A reference capture as bytes and blocks. */
typedef struct sample {
    const char *name;
    uint8_t *bytes;
    size_t size;
    size_t *offsets; /* of its blocks, then that of the trailer */
    size_t blocks;
    bool is_complete;
} sample;

sample sample_load(size_t index);
/* A small random heap, written in a random form: number `number` of the draw. */
sample sample_random(uint64_t number);
void sample_free(sample *s);

/* True when HSD_LONG is set: try everything. */
bool is_long(void);

/* ---- what the library makes of a file ---- */

typedef struct reading {
    hsd_status status; /* of opening and then reading everything */
    bool was_opened, is_complete;
    uint64_t objects, bytes, damaged_blocks;
    hsd_error err;
} reading;

/* Opens a file. */
reading open_only(const memfile *file, hsd_damage damage);

/* Opens a file and reads every record of it. */
reading read_all(const memfile *file, hsd_damage damage);

typedef struct verdict {
    hsd_status status;
    uint64_t faults;
    char first_rule[8], first_text[256];
    uint64_t first_offset;
    hsd_verify_result result;
    hsd_error err;
} verdict;

verdict verify(const char *path);

/* Salvages to a file of its own, named by salvage_path(). */
hsd_status salvage(const char *path, hsd_salvage_result *result, hsd_error *err);
const char *salvage_path(void);

/* The text of a capture, to be freed; NULL when it cannot be read. */
char *dump_text(const char *path, hsd_damage damage, size_t *size);

/* ---- saying what is wrong ---- */

/* Ends the program with a message, the damaged bytes left in a file whose name is told. */
void wrong(const sample *s, const memfile *file, const char *format, ...)
    __attribute__((format(printf, 3, 4), noreturn));

/* Counts one case and remembers the slowest, in processor time: call before and after. */
void case_begin(void);
void case_end(void);

/* With HSD_LONG=1: are there fewer than `wanted` cases yet? Then random captures follow the reference captures. */
bool wants_more(uint64_t wanted);

/* "prefixes: 200,123 tried, slowest 3.1 ms". Fails when a case took longer than a second. */
void report(const char *what);

#endif
