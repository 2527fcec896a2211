/*
 * Every bit of a capture, flipped: found by a checksum or a magic number before any payload is decompressed or looked
 * at. What loads a block for every reader (hsd_block_read, the one gate before the decompressor) is driven directly for
 * all flips; the whole of verify and of reading for a sample of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/index.h"
#include "integrity/kit.h"
#include "support/make_samples.h"

/* Rules that are held over bytes as stored. */
static bool is_early(const char *rule)
{
    static const char *const early[] = {"3.2", "3.3", "4.2", "4.3", "4.4", "9.2", "9.3"};
    for (size_t i = 0; i < sizeof early / sizeof early[0]; i++) {
        if (strcmp(rule, early[i]) == 0) return true;
    }
    return false;
}

/* Header, trailer and the block that the byte lies in; true if one of them shows the flip by its checksum. */
static bool is_found(const hsd_file *undamaged, const hsd_block_ref *refs, const sample *s, size_t byte,
                     hsd_block *block)
{
    hsd_file file = *undamaged;
    hsd_fault fault = {.block = HSD_NO_BLOCK};
    hsd_trailer trailer;
    if (byte < HSC_FILE_HEADER_BYTES) return hsd_file_read_header(&file, &fault) != HSD_OK && is_early(fault.rule);
    if (byte >= s->offsets[s->blocks])
        return hsd_file_read_trailer(&file, &trailer, &fault) != HSD_OK && is_early(fault.rule);
    size_t i = 0;
    while (s->offsets[i + 1] <= byte)
        i++;
    const hsd_status status = hsd_block_read(block, &file.input, &refs[i], file.header.seed, &fault);
    return status == HSD_E_CORRUPT && is_early(fault.rule);
}

static void check_whole(const sample *s, const memfile *file, size_t byte, unsigned bit)
{
    const verdict v = verify(file->path);
    if (v.faults == 0 && v.status == HSD_OK) wrong(s, file, "bit %u of byte %zu: verify finds nothing", bit, byte);
    if (v.status == HSD_OK && !is_early(v.first_rule))
        wrong(s, file, "bit %u of byte %zu: found as rule %s", bit, byte, v.first_rule);
    const reading refused = read_all(file, HSD_DAMAGE_REFUSE);
    /* Reading needs neither INDEX nor END twice: all flips are in something that reading touches. */
    if (refused.status == HSD_OK) wrong(s, file, "bit %u of byte %zu: read without an error", bit, byte);
    if (refused.err.text[0] == '\0') wrong(s, file, "bit %u of byte %zu: no text", bit, byte);
    const reading partial = read_all(file, HSD_DAMAGE_SKIP);
    if (partial.is_complete) wrong(s, file, "bit %u of byte %zu: complete", bit, byte);
    if (partial.was_opened && partial.status != HSD_OK)
        wrong(s, file, "bit %u of byte %zu: read in part: %s", bit, byte, partial.err.text);
}

static void check_flip(const sample *s, memfile *file, const hsd_file *open, const hsd_block_ref *refs,
                       hsd_block *block, size_t bit, bool with_all)
{
    const size_t byte = bit / 8;
    const uint8_t flipped = (uint8_t)(s->bytes[byte] ^ 1u << bit % 8);
    case_begin();
    if (pwrite(file->fd, &flipped, 1, (off_t)byte) != 1) exit(2);
    if (!is_found(open, refs, s, byte, block))
        wrong(s, file, "bit %zu of byte %zu is not found by a checksum", bit % 8, byte);
    if (with_all) check_whole(s, file, byte, (unsigned)(bit % 8));
    if (pwrite(file->fd, &s->bytes[byte], 1, (off_t)byte) != 1) exit(2);
    case_end();
}

static void sweep(const sample *s, memfile *file, test_random *random)
{
    hsd_file open = {0};
    hsd_fault fault = {.block = HSD_NO_BLOCK};
    hsd_block block = {0};
    hsd_error err;
    hsd_error_init(&err);
    memfile_set(file, s->bytes, s->size);
    if (hsd_input_open(&open.input, file->path, NULL, &err) != HSD_OK || hsd_file_read_header(&open, &fault) != HSD_OK)
        exit(2);
    hsd_block_ref *refs = calloc(s->blocks, sizeof *refs);
    for (size_t i = 0; refs != NULL && i < s->blocks; i++) {
        hsd_block_header header;
        if (hsd_file_read_block_header(&open, s->offsets[i], &header, &fault) != HSD_OK) exit(2);
        refs[i] = hsd_block_ref_of(&header, s->offsets[i]);
    }
    const size_t bits = 8 * s->size;
    const size_t tries = is_long() ? bits : 1500;
    const size_t each = is_long() ? 997 : 50; /* one in so many goes through everything */
    for (size_t k = 0; refs != NULL && k < tries; k++) {
        check_flip(s, file, &open, refs, &block, is_long() ? k : (size_t)test_below(random, bits), k % each == 0);
    }
    free(refs);
    hsd_block_release(&block);
    hsd_input_close(&open.input);
}

int main(void)
{
    test_random random = {test_seed(2)};
    memfile file = memfile_of("", 0);
    for (size_t i = 0; i < hsd_sample_count(); i++) {
        sample s = sample_load(i);
        sweep(&s, &file, &random);
        sample_free(&s);
    }
    memfile_close(&file);
    report("bit flips");
    return 0;
}
