/*
 * Streams of numbers. One buffer serves both directions, since nobody reads what is still being written.
 */
#include "series/stream.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"

hsd_status hsd_stream_open(hsd_stream *stream, hsd_temp_space *space, hsd_error *err)
{
    *stream = (hsd_stream){.space = space, .buffer = malloc(HSD_STREAM_BUFFER_BYTES)};
    return stream->buffer != NULL ? HSD_OK : hsd_fail_nomem(err, "a buffer");
}

hsd_status hsd_stream_flush(hsd_stream *stream, hsd_error *err)
{
    if (!stream->has_file) {
        HSD_TRY(hsd_temp_open(&stream->file, stream->space, err));
        stream->has_file = true;
    }
    HSD_TRY(hsd_temp_write(&stream->file, stream->written_bytes, stream->buffer, stream->used, err));
    stream->written_bytes += stream->used;
    stream->used = 0;
    return HSD_OK;
}

hsd_status hsd_stream_rewind(hsd_stream *stream, hsd_error *err)
{
    stream->at = 0;
    if (!stream->has_file) return HSD_OK;
    if (stream->read_bytes == 0 && stream->used > 0) HSD_TRY(hsd_stream_flush(stream, err)); /* the last puts */
    stream->used = 0;
    stream->read_bytes = 0;
    return HSD_OK;
}

hsd_status hsd_stream_fill(hsd_stream *stream, hsd_error *err)
{
    const size_t left = stream->used - stream->at;
    if (!stream->has_file) return left > 0 ? HSD_OK : HSD_END; /* it all stays where it is, to be read again */
    memmove(stream->buffer, stream->buffer + stream->at, left);
    stream->at = 0;
    stream->used = left;
    if (stream->read_bytes < stream->written_bytes) {
        const uint64_t more = hsd_min_u64(HSD_STREAM_BUFFER_BYTES - left, stream->written_bytes - stream->read_bytes);
        HSD_TRY(hsd_temp_read(&stream->file, stream->read_bytes, stream->buffer + left, (size_t)more, err));
        stream->read_bytes += more;
        stream->used += (size_t)more;
    }
    return stream->used > 0 ? HSD_OK : HSD_END;
}

void hsd_stream_close(hsd_stream *stream)
{
    if (stream->has_file) hsd_temp_close(&stream->file);
    free(stream->buffer);
    memset(stream, 0, sizeof *stream);
}
