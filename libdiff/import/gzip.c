/*
 * The gzip filter of the importers, on io/zip.
 *
 *      below   [ member 1 | member 2 | … | zeros ]        bytes of the file
 *                   inflate, next member, …
 *      source  [ unpacked 1 + unpacked 2 + …     ]        what the importer sees
 *
 * Faults stick: what came before is delivered first, then the same error for ever. There is no
 * random access: a seek forward unpacks, a seek back starts again.
 */
#include "import/gzip.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "io/zip.h"

#define GZIP_HEADER_BYTES 10

typedef struct gzip_input {
    hsd_source *below;
    hsd_unzip *unzip;
    bool is_in_member;
    bool is_at_end;
    uint64_t position; /* unpacked bytes delivered */
    hsd_status fault;  /* sticks */
    hsd_error fault_text;
} gzip_input;

bool hsd_gzip_probe(const void *prefix, size_t size)
{
    const uint8_t *at = prefix;
    return size >= GZIP_HEADER_BYTES && at[0] == 0x1f && at[1] == 0x8b && at[2] == 8 && (at[3] & 0xe0) == 0;
}

static void restart(gzip_input *input)
{
    input->is_in_member = input->is_at_end = false;
    input->position = 0;
    input->fault = HSD_OK;
}

static hsd_status stick(gzip_input *input, hsd_status status, const hsd_error *text)
{
    input->fault = status;
    input->fault_text = *text;
    return status;
}

static hsd_status fault_at(gzip_input *input, hsd_status status, const char *sentence)
{
    hsd_error text;
    hsd_error_init(&text);
    hsd_fail_at(&text, status, hsd_source_offset(input->below), "%s", sentence);
    return stick(input, status, &text);
}

/* Between two members: another one, zeros up to the end, or the end. */
static hsd_status begin_member(gzip_input *input)
{
    hsd_error text;
    hsd_error_init(&text);
    hsd_status status = hsd_source_peek(input->below, GZIP_HEADER_BYTES, &text);
    if (status < 0) return stick(input, status, &text);
    const uint8_t *at = input->below->at;
    const size_t ahead = hsd_source_ahead(input->below);
    if (ahead >= 2 && at[0] == 0x1f && at[1] == 0x8b) {
        input->is_in_member = true;
        return hsd_unzip_reset(input->unzip, NULL) == HSD_OK
                   ? HSD_OK
                   : fault_at(input, HSD_E_NOMEM, "out of memory: unpacking gzip");
    }
    for (;;) {
        status = hsd_source_peek(input->below, 1, &text);
        if (status < 0) return stick(input, status, &text);
        if (status == HSD_END) break;
        if (*input->below->at != 0)
            return fault_at(input, HSD_E_CORRUPT, "bytes that are not gzip follow the gzip data");
        hsd_source_take(input->below, 1);
    }
    input->is_at_end = true;
    return HSD_OK;
}

/* One step; *got bytes came out. */
static hsd_status inflate_some(gzip_input *input, uint8_t *data, size_t size, size_t *got)
{
    hsd_error text;
    hsd_error_init(&text);
    const hsd_status status = hsd_source_peek(input->below, 1, &text);
    if (status < 0) return stick(input, status, &text);
    if (status == HSD_END) return fault_at(input, HSD_E_TRUNCATED, "the gzip data ends in the middle");
    size_t used = hsd_source_ahead(input->below);
    *got = size;
    const hsd_status code = hsd_unzip_step(input->unzip, input->below->at, &used, data, got, NULL);
    hsd_source_take(input->below, used);
    if (code == HSD_END) input->is_in_member = false;
    if (code == HSD_END || (code == HSD_OK && used + *got > 0)) return HSD_OK;
    if (code == HSD_E_NOMEM) return fault_at(input, HSD_E_NOMEM, "out of memory: unpacking gzip");
    return fault_at(input, HSD_E_CORRUPT, "the gzip data is damaged");
}

static hsd_status gzip_read(void *context, void *data, size_t size, size_t *got, hsd_error *err)
{
    gzip_input *input = context;
    *got = 0;
    while (*got == 0 && !input->is_at_end && input->fault == HSD_OK) {
        if (input->is_in_member)
            inflate_some(input, data, size, got);
        else
            begin_member(input);
    }
    input->position += *got;
    if (*got > 0 || input->is_at_end) return HSD_OK;
    if (err != NULL) *err = input->fault_text;
    return input->fault;
}

static hsd_status gzip_rewind(void *context, hsd_error *err)
{
    gzip_input *input = context;
    HSD_TRY(hsd_source_rewind(input->below, err));
    restart(input);
    return HSD_OK;
}

static void gzip_close(void *context)
{
    gzip_input *input = context;
    hsd_unzip_free(input->unzip);
    free(input);
}

static hsd_status gzip_seek(void *context, uint64_t offset, hsd_error *err);

static const hsd_source_ops gzip_ops = {
    .read = gzip_read, .rewind = gzip_rewind, .close = gzip_close, .seek = gzip_seek};
static const hsd_source_ops gzip_once_ops = {.read = gzip_read, .close = gzip_close};

static hsd_status gzip_seek(void *context, uint64_t offset, hsd_error *err)
{
    const gzip_input *input = context;
    return hsd_source_seek_by_reading(&gzip_ops, context, &input->position, offset, err);
}

static hsd_status open_unzip(gzip_input *input, hsd_error *err)
{
    const hsd_status status = hsd_unzip_new(&input->unzip, HSD_ZIP_GZIP, err);
    if (status != HSD_E_UNSUPPORTED) return status;
    hsd_error_set_file(err, input->below->name);
    hsd_error_set_hint(err, "gunzip the file first");
    return status;
}

hsd_status hsd_gzip_open(hsd_source *source, hsd_source *below, size_t window_bytes, bool can_rewind, hsd_error *err)
{
    *source = (hsd_source){0};
    gzip_input *input = calloc(1, sizeof *input);
    if (input == NULL) return hsd_fail_nomem(err, "unpacking gzip");
    input->below = below;
    const hsd_status status = open_unzip(input, err);
    if (status != HSD_OK) {
        free(input);
        return status;
    }
    return hsd_source_open_custom(source, can_rewind ? &gzip_ops : &gzip_once_ops, input, below->name, window_bytes,
                                  can_rewind, err);
}
