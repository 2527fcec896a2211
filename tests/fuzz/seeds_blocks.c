/*
 * Seeds of the targets that take a part of a capture, from the reference captures, written to a folder. Built twice:
 * for fuzz_records the payload of every block, behind the bytes from which that takes the header; with SEEDS_OF_ENDS,
 * for fuzz_index, INDEX, END and trailer.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/index.h"
#include "support/make_samples.h"
#include "support/memfile.h"
#include "support/reseal.h"

#define MAX_BLOCKS 4096

#ifdef SEEDS_OF_ENDS
#define WRITE_SEEDS write_end
#else
#define WRITE_SEEDS write_records
#endif

static void write_seed(const char *folder, const char *name, size_t number, const void *head, size_t head_size,
                       const void *bytes, size_t size)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s-%zu", folder, name, number);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(head, 1, head_size, file) != head_size || fwrite(bytes, 1, size, file) != size ||
        fclose(file) != 0) {
        perror(path);
        exit(1);
    }
}

#ifndef SEEDS_OF_ENDS

static void write_payload(const char *folder, const char *name, size_t number, const hsd_file *file, size_t offset)
{
    hsd_block block = {0};
    hsd_block_header header;
    hsd_fault fault;
    if (hsd_file_read_block_header(file, offset, &header, &fault) != HSD_OK) exit(1);
    const hsd_block_ref ref = hsd_block_ref_of(&header, offset);
    if (hsd_block_load(&block, &file->input, &ref, file->header.seed, &fault) != HSD_OK) exit(1);
    const uint32_t records = header.record_count - 1;
    const uint8_t head[8] = {header.type, (uint8_t)header.flags, (uint8_t)records, (uint8_t)(records >> 8),
                             (uint8_t)header.first_ordinal};
    if (records <= 0xFFFF) write_seed(folder, name, number, head, sizeof head, block.payload, header.raw_bytes);
    hsd_block_release(&block);
}

static void write_records(const char *folder, const char *name, const uint8_t *bytes, size_t size)
{
    static size_t offsets[MAX_BLOCKS];
    hsd_file file = {0};
    hsd_fault fault;
    memfile memory = memfile_of(bytes, size);
    if (hsd_input_open(&file.input, memory.path, NULL, NULL) != HSD_OK || hsd_file_read_header(&file, &fault) != HSD_OK)
        exit(1);
    const size_t blocks = block_offsets(bytes, size, offsets, MAX_BLOCKS);
    const size_t step = 1 + blocks / 24;
    for (size_t i = 0; i < blocks; i += step)
        write_payload(folder, name, i, &file, offsets[i]);
    hsd_input_close(&file.input);
    memfile_close(&memory);
}

#else

static void write_end(const char *folder, const char *name, const uint8_t *bytes, size_t size)
{
    static size_t offsets[MAX_BLOCKS];
    const size_t blocks = block_offsets(bytes, size, offsets, MAX_BLOCKS);
    size_t first = offsets[blocks - 1];
    for (size_t i = 0; i < blocks; i++) {
        if (bytes[offsets[i] + 4] == HSC_BLOCK_INDEX && offsets[i] < first) first = offsets[i];
    }
    write_seed(folder, name, 0, "", 0, bytes + first, size - first);
}

#endif

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return 2;
    }
    for (size_t i = 0; i < hsd_sample_count(); i++) {
        size_t size;
        uint8_t *bytes = memfile_sample(i, &size);
        WRITE_SEEDS(argv[1], hsd_sample_name(i), bytes, size);
        free(bytes);
    }
    return 0;
}
