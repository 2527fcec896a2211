/* Deflate on zlib, the one includer of its header. See zip.h. */
#include "io/zip.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/fail.h"
#include "base/unpoison.h"

#ifdef HSD_HAVE_ZLIB
#include <zlib.h>

#define MOST_A_STEP  (UINT32_MAX / 2) /* zlib counts in unsigned ints */
#define OUT_BYTES    ((size_t)32 << 10)
#define WINDOW_BITS  15
#define GZIP_BIT     16 /* zlib's flag: a gzip header instead of its own */
#define MEMORY_LEVEL 8  /* zlib's own default */

struct hsd_unzip {
    z_stream stream;
    int window;
};

struct hsd_zip {
    z_stream stream;
    hsd_zip_sink sink;
    void *context;
    uint8_t out[OUT_BYTES];
};

bool hsd_zip_is_known(void) { return true; }

static int window_of(hsd_zip_form form) { return WINDOW_BITS + (form == HSD_ZIP_GZIP ? GZIP_BIT : 0); }

/* ---- unpacking ---- */

hsd_status hsd_unzip_new(hsd_unzip **out, hsd_zip_form form, hsd_error *err)
{
    hsd_unzip *unzip = calloc(1, sizeof *unzip);
    *out = NULL;
    if (unzip == NULL) return hsd_fail_nomem(err, "unpacking");
    unzip->window = window_of(form);
    if (inflateInit2(&unzip->stream, unzip->window) != Z_OK) {
        free(unzip);
        return hsd_fail_nomem(err, "unpacking");
    }
    *out = unzip;
    return HSD_OK;
}

hsd_status hsd_unzip_reset(hsd_unzip *unzip, hsd_error *err)
{
    return inflateReset2(&unzip->stream, unzip->window) == Z_OK ? HSD_OK : hsd_fail_nomem(err, "unpacking");
}

hsd_status hsd_unzip_step(hsd_unzip *unzip, const void *in, size_t *in_size, void *out, size_t *out_size,
                          hsd_error *err)
{
    z_stream *stream = &unzip->stream;
    stream->next_in = (Bytef *)(uintptr_t)in;
    stream->avail_in = (uInt)hsd_min_u64(*in_size, MOST_A_STEP);
    stream->next_out = out;
    stream->avail_out = (uInt)hsd_min_u64(*out_size, MOST_A_STEP);
    const uInt in_had = stream->avail_in, out_had = stream->avail_out;
    const int code = inflate(stream, Z_NO_FLUSH);
    *in_size = in_had - stream->avail_in;
    *out_size = out_had - stream->avail_out;
    HSD_WRITTEN(out, *out_size);
    if (code == Z_STREAM_END) return HSD_END;
    if (code == Z_OK || code == Z_BUF_ERROR) return HSD_OK;
    if (code == Z_MEM_ERROR) return hsd_fail_nomem(err, "unpacking");
    return hsd_fail(err, HSD_E_CORRUPT, "the packed data is damaged");
}

void hsd_unzip_free(hsd_unzip *unzip)
{
    if (unzip == NULL) return;
    inflateEnd(&unzip->stream);
    free(unzip);
}

/* ---- packing ---- */

hsd_status hsd_zip_new(hsd_zip **out, hsd_zip_form form, hsd_zip_sink sink, void *context, hsd_error *err)
{
    hsd_zip *zip = calloc(1, sizeof *zip);
    *out = NULL;
    if (zip == NULL) return hsd_fail_nomem(err, "packing");
    zip->sink = sink;
    zip->context = context;
    if (deflateInit2(&zip->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, window_of(form), MEMORY_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
        free(zip);
        return hsd_fail_nomem(err, "packing");
    }
    *out = zip;
    return HSD_OK;
}

/* What has been given goes in, and what comes out to the sink. A block that is not full says that there is no more for
 * now. */
static hsd_status pump(hsd_zip *zip, int flush, hsd_error *err)
{
    z_stream *stream = &zip->stream;
    do {
        stream->next_out = zip->out;
        stream->avail_out = OUT_BYTES;
        if (deflate(stream, flush) == Z_STREAM_ERROR)
            return hsd_fail(err, HSD_E_MISUSE, "packing went on behind its end");
        const size_t size = OUT_BYTES - stream->avail_out;
        if (size > 0) HSD_TRY(zip->sink(zip->context, zip->out, size, err));
    } while (stream->avail_out == 0);
    return HSD_OK;
}

hsd_status hsd_zip_write(hsd_zip *zip, const void *data, size_t size, hsd_error *err)
{
    const uint8_t *at = data;
    while (size > 0) {
        const size_t step = (size_t)hsd_min_u64(size, MOST_A_STEP);
        zip->stream.next_in = (Bytef *)(uintptr_t)at;
        zip->stream.avail_in = (uInt)step;
        HSD_TRY(pump(zip, Z_NO_FLUSH, err));
        at += step;
        size -= step;
    }
    return HSD_OK;
}

hsd_status hsd_zip_finish(hsd_zip *zip, hsd_error *err)
{
    zip->stream.avail_in = 0;
    return pump(zip, Z_FINISH, err);
}

void hsd_zip_free(hsd_zip *zip)
{
    if (zip == NULL) return;
    deflateEnd(&zip->stream);
    free(zip);
}

#else

bool hsd_zip_is_known(void) { return false; }

static hsd_status refuse_zip(hsd_error *err, const char *what)
{
    return hsd_fail(err, HSD_E_UNSUPPORTED, "this build cannot %s: it was made without zlib", what);
}

hsd_status hsd_unzip_new(hsd_unzip **out, hsd_zip_form form, hsd_error *err)
{
    (void)form;
    *out = NULL;
    return refuse_zip(err, "unpack");
}

hsd_status hsd_unzip_reset(hsd_unzip *unzip, hsd_error *err)
{
    (void)unzip;
    return refuse_zip(err, "unpack");
}

hsd_status hsd_unzip_step(hsd_unzip *unzip, const void *in, size_t *in_size, void *out, size_t *out_size,
                          hsd_error *err)
{
    (void)unzip, (void)in, (void)out;
    *in_size = *out_size = 0;
    return refuse_zip(err, "unpack");
}

void hsd_unzip_free(hsd_unzip *unzip) { (void)unzip; }

hsd_status hsd_zip_new(hsd_zip **out, hsd_zip_form form, hsd_zip_sink sink, void *context, hsd_error *err)
{
    (void)form, (void)sink, (void)context;
    *out = NULL;
    return refuse_zip(err, "pack");
}

hsd_status hsd_zip_write(hsd_zip *zip, const void *data, size_t size, hsd_error *err)
{
    (void)zip, (void)data, (void)size;
    return refuse_zip(err, "pack");
}

hsd_status hsd_zip_finish(hsd_zip *zip, hsd_error *err)
{
    (void)zip;
    return refuse_zip(err, "pack");
}

void hsd_zip_free(hsd_zip *zip) { (void)zip; }

#endif
