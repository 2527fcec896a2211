/* Packing and unpacking, held against each other and against zlib by itself. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "io/zip.h"

enum { SIZE = 300000, ROOM = SIZE + 4096 };

typedef struct collected {
    uint8_t bytes[ROOM];
    size_t size, calls, fail_at;
} collected;

static uint8_t data[SIZE];
static collected packed;

static hsd_status collect(void *context, const void *bytes, size_t size, hsd_error *err)
{
    collected *to = context;
    if (++to->calls == to->fail_at) return hsd_fail(err, HSD_E_IO, "the disk is full");
    cr_assert(to->size + size <= sizeof to->bytes);
    memcpy(to->bytes + to->size, bytes, size);
    to->size += size;
    return HSD_OK;
}

static void fill(void) /* half noise, half repetition: blocks of both kinds */
{
    uint32_t random = 7;
    for (size_t i = 0; i < SIZE; i++) {
        random = random * 1664525 + 1013904223;
        data[i] = i % 20000 < 10000 ? (uint8_t)(random >> 24) : (uint8_t)(i / 512);
    }
}

static hsd_status pack(hsd_zip_form form, size_t step)
{
    hsd_zip *zip;
    hsd_status status = HSD_OK;
    cr_assert(hsd_zip_new(&zip, form, collect, &packed, NULL) == HSD_OK);
    for (size_t at = 0; at < SIZE && status == HSD_OK; at += step)
        status = hsd_zip_write(zip, data + at, at + step < SIZE ? step : SIZE - at, NULL);
    if (status == HSD_OK) status = hsd_zip_finish(zip, NULL);
    hsd_zip_free(zip);
    return status;
}

static size_t unpack_by_zlib(uint8_t *out, size_t room, int window)
{
    z_stream stream = {
        .next_in = packed.bytes, .avail_in = (uInt)packed.size, .next_out = out, .avail_out = (uInt)room};
    cr_assert(inflateInit2(&stream, window) == Z_OK);
    cr_assert(inflate(&stream, Z_FINISH) == Z_STREAM_END);
    cr_expect(stream.avail_in == 0);
    inflateEnd(&stream);
    return room - stream.avail_out;
}

Test(zip, writes_what_zlib_reads, .init = fill)
{
    static uint8_t out[ROOM];
    cr_assert(pack(HSD_ZIP_GZIP, 777) == HSD_OK);
    cr_expect(unpack_by_zlib(out, sizeof out, 15 + 16) == SIZE);
    cr_expect(memcmp(out, data, SIZE) == 0);
    packed.size = 0;
    cr_assert(pack(HSD_ZIP_ZLIB, SIZE) == HSD_OK);
    cr_expect(unpack_by_zlib(out, sizeof out, 15) == SIZE);
    cr_expect(memcmp(out, data, SIZE) == 0);
}

Test(zip, has_neither_time_nor_name_in_its_header, .init = fill)
{
    static const uint8_t header[8] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0}; /* no flags, time 0 */
    cr_assert(pack(HSD_ZIP_GZIP, SIZE) == HSD_OK);
    cr_expect(memcmp(packed.bytes, header, sizeof header) == 0);
}

Test(zip, packs_alike_however_it_is_given, .init = fill)
{
    static collected once;
    cr_assert(pack(HSD_ZIP_GZIP, SIZE) == HSD_OK);
    once = packed;
    packed = (collected){0};
    cr_assert(pack(HSD_ZIP_GZIP, 1013) == HSD_OK);
    cr_expect(packed.size == once.size && memcmp(packed.bytes, once.bytes, once.size) == 0);
}

Test(zip, packs_nothing_into_a_whole_stream)
{
    hsd_zip *zip;
    uint8_t out[8];
    cr_assert(hsd_zip_new(&zip, HSD_ZIP_GZIP, collect, &packed, NULL) == HSD_OK);
    cr_assert(hsd_zip_finish(zip, NULL) == HSD_OK);
    hsd_zip_free(zip);
    cr_expect(unpack_by_zlib(out, sizeof out, 15 + 16) == 0);
}

Test(zip, passes_on_what_the_sink_says, .init = fill)
{
    packed.fail_at = 2;
    cr_expect(pack(HSD_ZIP_GZIP, 5000) == HSD_E_IO);
    packed = (collected){.fail_at = 1};
    cr_expect(pack(HSD_ZIP_GZIP, 5000) == HSD_E_IO);
}

/* Unpacks `packed` in small steps; where it stopped and why. */
static hsd_status unpack(hsd_unzip *unzip, size_t in_step, size_t out_step, uint8_t *out, size_t *got)
{
    size_t at = 0;
    *got = 0;
    for (;;) {
        size_t in = packed.size - at < in_step ? packed.size - at : in_step,
               room = ROOM - *got < out_step ? ROOM - *got : out_step;
        const size_t had = in;
        const hsd_status status = hsd_unzip_step(unzip, packed.bytes + at, &in, out + *got, &room, NULL);
        at += in;
        *got += room;
        if (status != HSD_OK || (had == 0 && room == 0)) return status;
    }
}

Test(unzip, reads_what_was_packed_in_steps_of_any_size, .init = fill)
{
    static uint8_t out[ROOM];
    hsd_unzip *unzip;
    size_t got;
    cr_assert(pack(HSD_ZIP_ZLIB, 4096) == HSD_OK);
    cr_assert(hsd_unzip_new(&unzip, HSD_ZIP_ZLIB, NULL) == HSD_OK);
    cr_expect(unpack(unzip, 1, 70000, out, &got) == HSD_END);
    cr_expect(got == SIZE && memcmp(out, data, SIZE) == 0);
    cr_assert(hsd_unzip_reset(unzip, NULL) == HSD_OK);
    memset(out, 0, sizeof out);
    cr_expect(unpack(unzip, 70000, 3, out, &got) == HSD_END);
    cr_expect(got == SIZE && memcmp(out, data, SIZE) == 0);
    hsd_unzip_free(unzip);
}

Test(unzip, tells_what_is_damaged_and_wants_more_of_what_is_cut, .init = fill)
{
    static uint8_t out[ROOM];
    hsd_unzip *unzip;
    size_t got;
    cr_assert(pack(HSD_ZIP_GZIP, 4096) == HSD_OK);
    cr_assert(hsd_unzip_new(&unzip, HSD_ZIP_GZIP, NULL) == HSD_OK);
    packed.size -= 20;
    cr_expect(unpack(unzip, 4096, 4096, out, &got) == HSD_OK);
    cr_expect(got < SIZE);
    packed.size += 20;
    packed.bytes[packed.size - 5] ^= 1; /* the checksum */
    cr_assert(hsd_unzip_reset(unzip, NULL) == HSD_OK);
    cr_expect(unpack(unzip, 4096, 4096, out, &got) == HSD_E_CORRUPT);
    packed.bytes[0] ^= 1;
    cr_assert(hsd_unzip_reset(unzip, NULL) == HSD_OK);
    cr_expect(unpack(unzip, 4096, 4096, out, &got) == HSD_E_CORRUPT);
    hsd_unzip_free(unzip);
}

Test(zip, frees_what_was_never_made)
{
    hsd_zip_free(NULL);
    hsd_unzip_free(NULL);
    cr_expect(hsd_zip_is_known());
}
