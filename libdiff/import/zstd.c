/*
 * The zstd filter of the importers, on io/decompress.
 *
 *      below   [ frame 1 | frame 2 | … ]              bytes of the file
 *      source  [ unpacked 1 + unpacked 2 + … ]        what the importer sees
 *
 * Faults stick: what came before is delivered first, then the same error for ever. There is no random access: a seek
 * forward unpacks, a seek back starts again.
 */
#include "import/zstd.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "io/decompress.h"

typedef struct zstd_input {
    hsd_source *below;
    hsd_unzstd *unzstd;
    bool is_in_frame;
    bool is_at_end;
    uint64_t position; /* unpacked bytes delivered */
    hsd_status fault;  /* sticks */
    hsd_error fault_text;
} zstd_input;

bool hsd_zstd_probe(const void *prefix, size_t size)
{
    static const uint8_t magic[4] = {0x28, 0xb5, 0x2f, 0xfd};
    return size > sizeof magic && memcmp(prefix, magic, sizeof magic) == 0;
}

static void stick_zstd(zstd_input *input, hsd_status status, const hsd_error *text)
{
    input->fault = status;
    input->fault_text = *text;
}

static void zstd_fault(zstd_input *input, hsd_status status, const char *sentence, const char *why)
{
    hsd_error text;
    hsd_error_init(&text);
    hsd_fail_at(&text, status, hsd_source_offset(input->below), "%s%s", sentence, why);
    if (status == HSD_E_UNSUPPORTED) hsd_error_set_hint(&text, "unpack it first: zstd -d --long=31 FILE");
    stick_zstd(input, status, &text);
}

/* One step; *got bytes came out. */
static void unpack_some(zstd_input *input, uint8_t *data, size_t size, size_t *got)
{
    const char *why = "";
    hsd_error text;
    hsd_error_init(&text);
    hsd_status status = hsd_source_peek(input->below, 1, &text);
    if (status < 0) {
        stick_zstd(input, status, &text);
        return;
    }
    size_t used = hsd_source_ahead(input->below);
    if (status == HSD_END && !input->is_in_frame) {
        input->is_at_end = true;
        return;
    }
    *got = size;
    const bool is_over = used == 0; /* what was read already may still give bytes */
    status = hsd_unzstd_step(input->unzstd, input->below->at, &used, data, got, &why);
    hsd_source_take(input->below, used);
    input->is_in_frame = status == HSD_OK;
    if (status == HSD_E_CORRUPT) zstd_fault(input, status, "the zstd data is damaged: ", why);
    if (status == HSD_E_UNSUPPORTED) zstd_fault(input, status, "this zstd file cannot be unpacked here: ", why);
    if (status == HSD_E_NOMEM) zstd_fault(input, status, "out of memory: unpacking zstd", "");
    if (status == HSD_OK && is_over && *got == 0)
        zstd_fault(input, HSD_E_TRUNCATED, "the zstd data ends in the middle", "");
}

static hsd_status zstd_read(void *context, void *data, size_t size, size_t *got, hsd_error *err)
{
    zstd_input *input = context;
    *got = 0;
    while (*got == 0 && !input->is_at_end && input->fault == HSD_OK)
        unpack_some(input, data, size, got);
    input->position += *got;
    if (*got > 0 || input->is_at_end) return HSD_OK;
    if (err != NULL) *err = input->fault_text;
    return input->fault;
}

static hsd_status zstd_rewind(void *context, hsd_error *err)
{
    zstd_input *input = context;
    HSD_TRY(hsd_source_rewind(input->below, err));
    hsd_unzstd_reset(input->unzstd);
    input->is_in_frame = input->is_at_end = false;
    input->position = 0;
    input->fault = HSD_OK;
    return HSD_OK;
}

static void zstd_close(void *context)
{
    zstd_input *input = context;
    hsd_unzstd_free(input->unzstd);
    free(input);
}

static hsd_status zstd_seek(void *context, uint64_t offset, hsd_error *err);

static const hsd_source_ops zstd_ops = {
    .read = zstd_read, .rewind = zstd_rewind, .close = zstd_close, .seek = zstd_seek};
static const hsd_source_ops zstd_once_ops = {.read = zstd_read, .close = zstd_close};

static hsd_status zstd_seek(void *context, uint64_t offset, hsd_error *err)
{
    const zstd_input *input = context;
    return hsd_source_seek_by_reading(&zstd_ops, context, &input->position, offset, err);
}

hsd_status hsd_zstd_open(hsd_source *source, hsd_source *below, size_t window_bytes, bool can_rewind, hsd_error *err)
{
    *source = (hsd_source){0};
    zstd_input *input = calloc(1, sizeof *input);
    if (input == NULL) return hsd_fail_nomem(err, "unpacking zstd");
    input->below = below;
    const hsd_status status = hsd_unzstd_new(&input->unzstd, err);
    if (status != HSD_OK) {
        free(input);
        return status;
    }
    return hsd_source_open_custom(source, can_rewind ? &zstd_ops : &zstd_once_ops, input, below->name, window_bytes,
                                  can_rewind, err);
}
