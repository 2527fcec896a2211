/*
 * Every bit of a capture, flipped: found by a checksum or a magic number before any payload is decompressed or looked
 * at. What loads a block for every reader (hsd_block_read, the one gate before the decompressor) is driven directly for
 * all flips; the whole of verify and of reading for a sample of them. Then bursts: any bits within 2 to 64 neighbours.
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

/* A capture that is open, undamaged, with its blocks. */
typedef struct opened {
    const sample *s;
    memfile *file;
    hsd_file open;
    hsd_block_ref *refs;
    hsd_block block;
} opened;

/* `pattern` says which of the 64 bits from `bit` on are flipped; those past the end of the file are not. Bit 0 is. */
static void check_flips(opened *o, size_t bit, uint64_t pattern, bool with_all)
{
    const sample *s = o->s;
    const size_t byte = bit / 8, size = s->size - byte < 9 ? s->size - byte : 9;
    uint8_t flipped[9];
    case_begin();
    memcpy(flipped, s->bytes + byte, size);
    for (size_t i = 0; i < 64 && bit % 8 + i < 8 * size; i++)
        flipped[(bit % 8 + i) / 8] ^= (uint8_t)((pattern >> i & 1) << (bit + i) % 8);
    if (pwrite(o->file->fd, flipped, size, (off_t)byte) != (ssize_t)size) exit(2);
    if (!is_found(&o->open, o->refs, s, byte, &o->block)) {
        wrong(s, o->file, "bit %zu of byte %zu (and %llx behind it) is not found by a checksum", bit % 8, byte,
              (unsigned long long)pattern);
    }
    if (with_all) check_whole(s, o->file, byte, (unsigned)(bit % 8));
    if (pwrite(o->file->fd, s->bytes + byte, size, (off_t)byte) != (ssize_t)size) exit(2);
    case_end();
}

static void flip_bits(opened *o, test_random *random)
{
    const size_t bits = 8 * o->s->size;
    const size_t tries = is_long() ? bits : 1400;
    const size_t each = is_long() ? 997 : 50; /* one in so many goes through everything */
    for (size_t k = 0; k < tries; k++)
        check_flips(o, is_long() ? k : (size_t)test_below(random, bits), 1, k % each == 0);
}

static void flip_bursts(opened *o, test_random *random)
{
    const size_t tries = is_long() ? 20000 : 100;
    for (size_t k = 0; k < tries; k++) {
        const uint64_t last = UINT64_C(1) << (1 + test_below(random, 63));
        const uint64_t pattern = 1 | last | (test_next(random) & (last - 1));
        check_flips(o, (size_t)test_below(random, 8 * o->s->size - 1), pattern, k % 997 == 0);
    }
}

static void sweep(sample s, memfile *file, test_random *random, void (*flip)(opened *, test_random *))
{
    opened o = {.s = &s, .file = file};
    hsd_fault fault = {.block = HSD_NO_BLOCK};
    hsd_error err;
    hsd_error_init(&err);
    memfile_set(file, s.bytes, s.size);
    if (hsd_input_open(&o.open.input, file->path, NULL, &err) != HSD_OK ||
        hsd_file_read_header(&o.open, &fault) != HSD_OK)
        exit(2);
    o.refs = calloc(s.blocks, sizeof *o.refs);
    if (o.refs == NULL) exit(2);
    for (size_t i = 0; i < s.blocks; i++) {
        hsd_block_header header;
        if (hsd_file_read_block_header(&o.open, s.offsets[i], &header, &fault) != HSD_OK) exit(2);
        o.refs[i] = hsd_block_ref_of(&header, s.offsets[i]);
    }
    flip(&o, random);
    free(o.refs);
    hsd_block_release(&o.block);
    hsd_input_close(&o.open.input);
    sample_free(&s);
}

static void sweep_all(memfile *file, void (*flip)(opened *, test_random *), uint64_t wanted)
{
    test_random random = {test_seed(2)};
    for (size_t i = 0; i < hsd_sample_count(); i++)
        sweep(sample_load(i), file, &random, flip);
    while (wants_more(wanted))
        sweep(sample_random(test_next(&random)), file, &random, flip);
}

int main(void)
{
    memfile file = memfile_of("", 0);
    sweep_all(&file, flip_bits, 12500000);
    report("bit flips");
    sweep_all(&file, flip_bursts, 1000000);
    report("bursts");
    memfile_close(&file);
    return 0;
}
