/*
 * Hostile numbers behind right checksums: every field of the file header, of block headers, of columns and entries, and
 * of the trailer set to values where sums break. Whatever the answer is, it comes within a second and in little memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "core/layout.h"
#include "integrity/kit.h"
#include "support/make_samples.h"
#include "support/reseal.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MEASURES_MEMORY 0 /* freed memory is kept in quarantine */
#else
#define MEASURES_MEMORY 1
#endif
#define MEMORY_MAX_KIB (64L << 10)

static const uint64_t boundaries[] = {0,
                                      1,
                                      0x7F,
                                      0x80,
                                      0xFF,
                                      0xFFFF,
                                      0x7FFFFFFF,
                                      0x80000000,
                                      0xFFFFFFFF,
                                      UINT64_C(0x100000000),
                                      UINT64_C(1) << 63,
                                      UINT64_MAX};
#define BOUNDARIES (sizeof boundaries / sizeof boundaries[0])

typedef struct target {
    const sample *s;
    memfile *file;
    uint8_t *bytes; /* the damaged copy */
} target;

static uint32_t get_u32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void put(uint8_t *at, unsigned width, uint64_t value)
{
    for (unsigned i = 0; i < width; i++)
        at[i] = (uint8_t)(value >> (8 * i));
}

static void try_bytes(const target *t, size_t offset)
{
    hsd_salvage_result result;
    hsd_error err;
    reseal(t->bytes, t->s->size);
    memfile_set(t->file, t->bytes, t->s->size);
    case_begin();
    const reading refused = read_all(t->file, HSD_DAMAGE_REFUSE);
    if (refused.status != HSD_OK && refused.err.text[0] == '\0') wrong(t->s, t->file, "byte %zu: no text", offset);
    const reading partial = read_all(t->file, HSD_DAMAGE_SKIP);
    if (partial.was_opened && partial.status != HSD_OK)
        wrong(t->s, t->file, "byte %zu: read in part: %s", offset, partial.err.text);
    const verdict v = verify(t->file->path);
    if (v.status != HSD_OK && v.err.text[0] == '\0') wrong(t->s, t->file, "byte %zu: verify has no text", offset);
    if (salvage(t->file->path, &result, &err) == HSD_OK) {
        const verdict after = verify(salvage_path());
        if (!partial.is_complete && after.status == HSD_OK && after.faults > v.faults) {
            wrong(t->s, t->file, "byte %zu: salvage made it worse: rule %s: %s", offset, after.first_rule,
                  after.first_text);
        }
    }
    case_end();
}

/* One field, all boundaries around it: value - 1, value, value + 1 of its present one, and the powers of two. */
static void try_field(const target *t, size_t offset, unsigned width)
{
    uint8_t old[8] = {0};
    const size_t step = is_long() ? 1 : 7;
    memcpy(old, t->bytes + offset, width);
    for (size_t i = offset % step; i < BOUNDARIES; i += step) {
        put(t->bytes + offset, width, boundaries[i]);
        try_bytes(t, offset);
    }
    for (int change = -1; is_long() && change <= 1; change += 2) {
        put(t->bytes + offset, width, get_u32(old) + (uint64_t)change);
        try_bytes(t, offset);
    }
    memcpy(t->bytes, t->s->bytes, t->s->size);
}

static void try_columns(const target *t, size_t at, size_t end)
{
    while (end - at >= HSC_COLUMN_HEADER_BYTES) {
        const size_t bytes = get_u32(t->bytes + at + 8);
        for (size_t i = 0; i < 4; i++)
            try_field(t, at + i, 1);
        try_field(t, at + 4, 4);
        try_field(t, at + 8, 4);
        if (bytes >= 8) try_field(t, at + HSC_COLUMN_HEADER_BYTES, 8); /* a constant, or control bytes and values */
        at += HSC_COLUMN_HEADER_BYTES + bytes;
    }
}

static void try_entries(const target *t, size_t at, size_t end)
{
    while (end - at >= HSC_ENTRY_HEADER_BYTES) {
        const size_t length = get_u32(t->bytes + at + 4);
        try_field(t, at, 2);
        try_field(t, at + 2, 2);
        try_field(t, at + 4, 4);
        if (length >= 8) try_field(t, at + HSC_ENTRY_HEADER_BYTES, 8);
        at += HSC_ENTRY_HEADER_BYTES + length;
    }
}

static void try_block(const target *t, size_t at)
{
    static const struct {
        unsigned offset, width;
    } fields[] = {{4, 1}, {5, 1}, {6, 2}, {8, 4}, {12, 4}, {16, 8}, {24, 8}, {32, 4}, {36, 4}};
    const uint8_t type = t->bytes[at + 4], codec = t->bytes[at + 5];
    const size_t payload = at + HSC_BLOCK_HEADER_BYTES, end = at + block_bytes(t->bytes, at);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        try_field(t, at + fields[i].offset, fields[i].width);
    if (codec != HSC_CODEC_NONE) return;
    if (type == HSC_BLOCK_INFO || type == HSC_BLOCK_END)
        try_entries(t, payload, end);
    else
        try_columns(t, payload, end);
}

static void sweep(const sample *s, memfile *file)
{
    const target t = {.s = s, .file = file, .bytes = malloc(s->size)};
    if (t.bytes == NULL) exit(2);
    memcpy(t.bytes, s->bytes, s->size);
    for (size_t at = 8; at < 16; at += 2)
        try_field(&t, at, 2);
    try_field(&t, 12, 4);
    for (size_t at = 16; at < 56; at += 8)
        try_field(&t, at, 8);
    const size_t step = is_long() ? 1 : 1 + s->blocks / 4;
    for (size_t i = 0; i < s->blocks; i += step)
        try_block(&t, s->offsets[i]);
    try_block(&t, s->offsets[s->blocks - 1]);
    try_field(&t, s->size - HSC_TRAILER_BYTES, 8);
    try_field(&t, s->size - HSC_TRAILER_BYTES + 8, 8);
    free(t.bytes);
}

static long peak_kib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

int main(void)
{
    memfile file = memfile_of("", 0);
    const long before = peak_kib();
    static const char *const names[] = {"tiny",   "everything-stored", "blocks-stored", "continuation", "edges",
                                        "summary"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        sample s = sample_load(memfile_sample_index(names[i]));
        if (is_long() || s.size < 6000) sweep(&s, &file);
        sample_free(&s);
    }
    memfile_close(&file);
    report("hostile fields");
    const long grown = peak_kib() - before;
    if (MEASURES_MEMORY) printf("memory: %ld KiB at most\n", grown);
    return MEASURES_MEMORY && grown > MEMORY_MAX_KIB;
}
