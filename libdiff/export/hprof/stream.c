/* The bytes of an HPROF file. See stream.h. */
#include "export/hprof/stream.h"

#include <stdlib.h>

#include "base/fail.h"

static const uint8_t zeros[4096];

hsd_status hsd_hout_open(hout_stream *s, hsd_export *x, hsd_error *err)
{
    *s = (hout_stream){.x = x, .buffer = malloc(HOUT_BUFFER_BYTES)};
    return s->buffer != NULL ? HSD_OK : hsd_fail_nomem(err, "the buffer of a heap dump");
}

void hsd_hout_close(hout_stream *s)
{
    free(s->buffer);
    s->buffer = NULL;
}

/* The length of the open record, which ends here. */
static void seal(hout_stream *s)
{
    if (s->is_open) hsd_hout_u4(s->buffer + s->record + 5, (uint32_t)(s->used - s->record - HOUT_RECORD_BYTES));
    s->is_open = false;
}

static uint8_t *put_header(uint8_t *at, uint8_t tag, uint32_t length)
{
    at = hsd_hout_u1(at, tag);
    at = hsd_hout_u4(at, 0); /* microseconds since the header: HotSpot writes 0, too */
    return hsd_hout_u4(at, length);
}

hsd_status hsd_hout_flush(hout_stream *s, hsd_error *err)
{
    seal(s);
    const size_t size = s->used;
    s->used = 0;
    return size == 0 ? HSD_OK : hsd_export_write(s->x, s->buffer, size, err);
}

hsd_status hsd_hout_record(hout_stream *s, uint8_t tag, size_t size, uint8_t **body, hsd_error *err)
{
    seal(s);
    if (s->used + HOUT_RECORD_BYTES + size > HOUT_BUFFER_BYTES) HSD_TRY(hsd_hout_flush(s, err));
    *body = put_header(s->buffer + s->used, tag, (uint32_t)size);
    s->used += HOUT_RECORD_BYTES + size;
    return HSD_OK;
}

hsd_status hsd_hout_text(hout_stream *s, uint64_t id, const void *text, size_t size, hsd_error *err)
{
    uint8_t *at;
    if (size > HOUT_PIECE_BYTES - HOUT_ID_BYTES) size = HOUT_PIECE_BYTES - HOUT_ID_BYTES;
    HSD_TRY(hsd_hout_record(s, HOUT_STRING, HOUT_ID_BYTES + size, &at, err));
    at = hsd_hout_u8(at, id);
    if (size > 0) memcpy(at, text, size);
    return HSD_OK;
}

hsd_status hsd_hout_turn(hout_stream *s, size_t size, hsd_error *err)
{
    if (s->is_open || s->used + HOUT_RECORD_BYTES + size > HOUT_BUFFER_BYTES) HSD_TRY(hsd_hout_flush(s, err));
    s->record = s->used;
    s->is_open = true;
    put_header(s->buffer + s->used, HOUT_SEGMENT, 0);
    s->used += HOUT_RECORD_BYTES;
    return HSD_OK;
}

hsd_status hsd_hout_large(hout_stream *s, uint64_t size, hsd_error *err)
{
    uint8_t header[HOUT_RECORD_BYTES];
    HSD_TRY(hsd_hout_flush(s, err));
    put_header(header, HOUT_SEGMENT, (uint32_t)size);
    return hsd_export_write(s->x, header, sizeof header, err);
}

hsd_status hsd_hout_piece(hout_stream *s, const void *data, size_t size, hsd_error *err)
{
    return hsd_export_write(s->x, data, size, err);
}

hsd_status hsd_hout_zeros(hout_stream *s, uint64_t size, hsd_error *err)
{
    while (size > 0) {
        const size_t piece = size < sizeof zeros ? (size_t)size : sizeof zeros;
        HSD_TRY(hsd_export_write(s->x, zeros, piece, err));
        size -= piece;
    }
    return HSD_OK;
}
