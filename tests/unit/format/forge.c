/* Captures made to order. See forge.h. */
#include "unit/format/forge.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <hsdiff/dump.h>

#include "format/bytes.h"
#include "format/encode.h"
#include "format/header.h"
#include "io/checksum.h"
#include "support/reseal.h"

static void append(hsd_buffer *buffer, const void *data, size_t size)
{
    cr_assert_eq(hsd_buffer_append(buffer, data, size, NULL), HSD_OK);
}

forge forge_begin(void)
{
    forge f = {0};
    uint8_t header[HSC_FILE_HEADER_BYTES];
    memcpy(f.id, "0123456789abcdef", 16);
    f.seed = hsd_capture_seed(f.id);
    hsd_file_header_build(header, f.id, HSC_VERSION_MINOR);
    append(&f.bytes, header, sizeof header);
    return f;
}

void forge_free(forge *f)
{
    hsd_buffer_release(&f->bytes);
    hsd_buffer_release(&f->payload);
    hsd_block_list_release(&f->blocks);
}

void forge_column(forge *f, unsigned id, const uint64_t *values, size_t count)
{
    cr_assert_eq(hsd_encode_column_always(&f->payload, id, values, (uint32_t)count, NULL), HSD_OK);
}

void forge_raw_column(forge *f, unsigned id, unsigned coding, unsigned transform, unsigned shift, uint32_t count,
                      const void *data, size_t size)
{
    uint8_t header[HSC_COLUMN_HEADER_BYTES] = {(uint8_t)id, (uint8_t)(coding | transform << 4), (uint8_t)shift, 0};
    hsd_put_u32(header + 4, count);
    hsd_put_u32(header + 8, (uint32_t)size);
    append(&f->payload, header, sizeof header);
    append(&f->payload, data, size);
}

void forge_text(forge *f, unsigned id, const char *text)
{
    forge_raw_column(f, id, HSC_CODING_BYTES, HSC_TRANSFORM_NONE, 0, (uint32_t)strlen(text), text, strlen(text));
}

void forge_number(forge *f, unsigned key, uint64_t value)
{
    cr_assert_eq(hsd_fact_put_number(&f->payload, key, value, NULL), HSD_OK);
    f->facts++;
}

void forge_bytes(forge *f, unsigned key, const void *bytes, size_t size)
{
    cr_assert_eq(hsd_fact_put_bytes(&f->payload, key, (hsd_bytes){bytes, size}, NULL), HSD_OK);
    f->facts++;
}

void forge_block(forge *f, uint8_t type, uint16_t flags, uint32_t records, uint64_t first_ordinal)
{
    uint8_t bytes[HSC_BLOCK_HEADER_BYTES];
    hsd_fault fault;
    hsd_block_header header = {.type = type,
                               .flags = flags,
                               .record_count = records,
                               .number = f->next_number++,
                               .first_ordinal = first_ordinal,
                               .raw_bytes = (uint32_t)f->payload.size,
                               .stored_bytes = (uint32_t)f->payload.size};
    hsd_block_header_build(bytes, &header, f->seed, f->payload.data);
    const hsd_block_ref ref = hsd_block_ref_of(&header, f->bytes.size);
    cr_assert_eq(hsd_block_list_add(&f->blocks, &ref, &fault), HSD_OK);
    append(&f->bytes, bytes, sizeof bytes);
    append(&f->bytes, f->payload.data, f->payload.size);
    hsd_buffer_clear(&f->payload);
    f->facts = 0;
}

void forge_info(forge *f, uint64_t targets, uint64_t facts)
{
    forge_bytes(f, HSC_INFO_CAPTURE_ID, f->id, 16);
    forge_number(f, HSC_INFO_FACTS, facts);
    forge_number(f, HSC_INFO_TARGETS, targets);
    forge_block(f, HSC_BLOCK_INFO, 0, f->facts, 0);
}

static void index_column(forge *f, unsigned id, size_t blocks)
{
    uint64_t values[64];
    cr_assert_leq(blocks, 64);
    for (size_t i = 0; i < blocks; i++) {
        const hsd_block_ref *ref = &f->blocks.refs[i];
        values[i] = id == HSC_COL_OFFSET       ? ref->offset_bytes
                    : id == HSC_COL_BLOCK_TYPE ? ref->type
                    : id == HSC_COL_RECORDS    ? ref->record_count
                    : id == HSC_COL_ORDINAL    ? ref->first_ordinal
                    : id == HSC_COL_STORED     ? ref->stored_bytes
                                               : ref->number;
    }
    forge_column(f, id, values, blocks);
}

static void forge_index(forge *f)
{
    const size_t blocks = f->blocks.count;
    for (unsigned id = HSC_COL_OFFSET; id <= (f->with_numbers ? HSC_COL_NUMBER : HSC_COL_STORED); id++)
        index_column(f, id, blocks);
    forge_block(f, HSC_BLOCK_INDEX, 0, (uint32_t)blocks, 0);
}

void forge_finish(forge *f, uint64_t state)
{
    uint8_t trailer[HSC_TRAILER_BYTES];
    const uint64_t index_offset = f->bytes.size;
    forge_index(f);
    const uint64_t end_offset = f->bytes.size;
    forge_number(f, HSC_END_STATE, state);
    f->end[HSC_END_BLOCKS] += f->blocks.count;
    for (unsigned key = HSC_END_OBJECTS; key <= HSC_END_COUNTED_BYTES; key++)
        forge_number(f, key, f->end[key]);
    if (f->with_later_entry) forge_bytes(f, 999, "abc", 3);
    forge_block(f, HSC_BLOCK_END, 0, f->facts, 0);
    hsd_trailer_build(trailer, f->seed, &(hsd_trailer){index_offset, end_offset});
    append(&f->bytes, trailer, sizeof trailer);
}

uint8_t *forge_last_header(forge *f) { return f->bytes.data + f->blocks.refs[f->blocks.count - 1].offset_bytes; }

void forge_reseal(forge *f) { reseal(f->bytes.data, f->bytes.size); }

memfile forge_file(const forge *f) { return memfile_of(f->bytes.data, f->bytes.size); }

static void take_fault(void *context, const char *rule, uint64_t offset_bytes, uint64_t block, const char *text)
{
    char *first = context;
    (void)offset_bytes, (void)block;
    cr_assert(text[0] != '\0' && strchr(text, '\n') == NULL);
    if (first[0] == '\0') snprintf(first, 8, "%s", rule);
}

const char *forge_verify(const forge *f)
{
    static char rule[8];
    hsd_error err;
    hsd_verify_result result;
    memfile file = forge_file(f);
    hsd_error_init(&err);
    rule[0] = '\0';
    const hsd_status status = hsd_capture_verify(file.path, NULL, take_fault, rule, &result, &err);
    memfile_close(&file);
    if (status != HSD_OK) return hsd_status_name(status);
    cr_assert((result.faults > 0) == (rule[0] != '\0'));
    return rule;
}

/* ---- all that is told ---- */

typedef struct told {
    const forge *f;
    unsigned lines;
    size_t size;
    char text[8192];
} told;

static void take_line(void *context, const char *rule, uint64_t offset_bytes, uint64_t block, const char *text)
{
    told *t = context;
    char place[64];
    if (block == HSD_NO_BLOCK)
        snprintf(place, sizeof place, "at %llu", (unsigned long long)offset_bytes);
    else
        snprintf(place, sizeof place, "of %llu", (unsigned long long)block);
    for (size_t i = 0; i < t->f->blocks.count; i++) {
        const hsd_block_ref *ref = &t->f->blocks.refs[i];
        if (ref->number != block || ref->offset_bytes == offset_bytes) continue;
        snprintf(place, sizeof place, "of %llu at %llu", (unsigned long long)block, (unsigned long long)offset_bytes);
    }
    const int size = snprintf(t->text + t->size, sizeof t->text - t->size, "%s %s: %s\n", rule, place, text);
    cr_assert(size > 0 && (size_t)size < sizeof t->text - t->size);
    t->size += (size_t)size;
    t->lines++;
}

const char *forge_told(const forge *f)
{
    static told t;
    hsd_error err;
    hsd_verify_result result;
    memfile file = forge_file(f);
    hsd_error_init(&err);
    t = (told){.f = f};
    const hsd_status status = hsd_capture_verify(file.path, NULL, take_line, &t, &result, &err);
    memfile_close(&file);
    cr_assert_eq(status, HSD_OK, "%s", err.text);
    cr_assert_geq(result.faults, t.lines > 0);
    return t.text;
}

/* ---- reading ---- */

static hsd_status drop(void *context, const char *bytes, size_t size, hsd_error *err)
{
    (void)context, (void)bytes, (void)size, (void)err;
    return HSD_OK;
}

hsd_status forge_read(const forge *f, hsd_damage damage, hsd_error *err)
{
    hsd_capture *capture;
    memfile file = forge_file(f);
    hsd_error_init(err);
    hsd_status status = hsd_capture_open_fd(&capture, file.fd, "forged.hs", damage, NULL, err);
    if (status == HSD_OK) {
        status = hsd_capture_dump(capture, drop, NULL, err);
        hsd_capture_close(capture);
    }
    return status;
}
