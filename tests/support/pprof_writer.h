/*
 * Heap profiles of pprof, byte by byte: for tests, seeds and benches. What a profile holds is added in any order; how
 * it stands in the file is chosen at the end.
 */
#ifndef HSD_TESTS_PPROF_WRITER_H
#define HSD_TESTS_PPROF_WRITER_H

#include <stddef.h>
#include <stdint.h>

typedef struct pprof_bytes {
    uint8_t *data;
    size_t size, capacity;
} pprof_bytes;

enum { PPROF_KINDS = 16 };

typedef struct pprof_writer {
    pprof_bytes of_kind[PPROF_KINDS]; /* fields of each number of Profile, one behind the other */
    char **strings;
    uint64_t *hashes; /* of strings */
    uint32_t string_count;
    uint64_t mapping_count, function_count, location_count;
    int has_dense_ids; /* locations are numbered from 1, as by most; else far apart */
    int packing;       /* of repeated numbers: 0 each alone, 1 packed, 2 the first half packed, the rest alone */
} pprof_writer;        /* zeroed: an empty profile */

typedef struct pprof_code_line {
    uint64_t function, line;
} pprof_code_line;

/* A text, or with `text` NULL a number and its unit (may be NULL). */
typedef struct pprof_label {
    const char *key, *text;
    int64_t number;
    const char *unit;
} pprof_label;

uint32_t pprof_put_string(pprof_writer *w, const char *text);
void pprof_put_sample_type(pprof_writer *w, const char *type, const char *unit);
void pprof_put_period(pprof_writer *w, const char *type, const char *unit, int64_t period);
void pprof_put_time(pprof_writer *w, int64_t unix_ns);

/* Ids of what was put: no two alike, far apart. */
uint64_t pprof_put_mapping(pprof_writer *w, uint64_t start, uint64_t limit, uint64_t offset, const char *file,
                           const char *build_id);
uint64_t pprof_put_function(pprof_writer *w, const char *name, const char *file);
uint64_t pprof_put_location(pprof_writer *w, uint64_t mapping, uint64_t address, const pprof_code_line *lines,
                            size_t count);

void pprof_put_sample(pprof_writer *w, const uint64_t *locations, size_t location_count, const int64_t *values,
                      size_t value_count, const pprof_label *labels, size_t label_count);

typedef enum pprof_order {
    PPROF_AS_NUMBERED, /* samples before all that they refer to, as most encoders write */
    PPROF_AS_GO,       /* tables, samples, mappings, strings last */
    PPROF_TABLES_FIRST,
    PPROF_ORDERS
} pprof_order;

/* The profile as bytes, which the caller frees; the writer is empty again. */
pprof_bytes pprof_finish(pprof_writer *w, pprof_order order);

/* Protobuf itself. */
void pprof_append(pprof_bytes *out, const void *data, size_t size);
void pprof_append_number(pprof_bytes *out, uint32_t field, uint64_t value);
void pprof_append_bytes(pprof_bytes *out, uint32_t field, const void *data, size_t size);

#endif
