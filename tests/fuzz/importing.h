/*
 * One importer over one input, as every fuzz target of an importer runs it: into memory, within a small budget. Aborts
 * when the writer was used wrongly, a failure says nothing, what was written breaks a rule of FORMAT.md or is not what
 * the import told of, or a summary of what was read whole has other objects or bytes than the import without one.
 */
#ifndef FUZZ_IMPORTING_H
#define FUZZ_IMPORTING_H

#include "import/importer.h"

void fuzz_import(const hsd_importer *importer, hsd_source *source, const hsd_import_options *options,
                 uint64_t memory_bytes);

/* The same without a look at the other way: of an importer that may say other sums by a summary. */
void fuzz_import_one_way(const hsd_importer *importer, hsd_source *source, const hsd_import_options *options,
                         uint64_t memory_bytes);

/* The input in pieces, as a pipe gives it; its last byte chooses their size and the options. */
void fuzz_import_pieces(const hsd_importer *importer, const uint8_t *data, size_t size, uint64_t memory_bytes);

/* The same as a number chooses, of a dump that names files besides itself. */
typedef struct fuzz_files {
    int (*open)(void *context, const char *path);
    void *context;
} fuzz_files;
void fuzz_import_pieces_with(const hsd_importer *importer, hsd_bytes dump, uint64_t memory_bytes, unsigned choice,
                             const fuzz_files *files);

/* The input through a window of 256 bytes or of 64 KiB, as its last byte chooses, for importers that go back and
 * options of their own. */
void fuzz_import_windowed(const hsd_importer *importer, const uint8_t *data, size_t size,
                          const hsd_import_options *options, uint64_t memory_bytes);

#endif
