/* A capture in a temporary file, encrypted where it matters. See kept.h. */
#include "live/kept.h"

#include "base/check.h"
#include "io/fd.h"

#define PIECE_BYTES ((size_t)64 << 10)

static hsd_status put_temp(void *context, const void *data, size_t size, hsd_error *err)
{
    hsd_kept *kept = context;
    return hsd_temp_write(&kept->temp, kept->temp.size_bytes, data, size, err);
}

static hsd_status put_sealed(void *context, const void *data, size_t size, hsd_error *err)
{
    hsd_kept *kept = context;
    return hsd_sealing_add(&kept->sealing, data, size, err);
}

hsd_status hsd_kept_begin(hsd_kept *kept, hsd_temp_space *space, hsd_crypt *crypt, hsd_error *err)
{
    *kept = (hsd_kept){.temp = {.fd = -1}};
    HSD_TRY(hsd_temp_open(&kept->temp, space, err));
    if (!hsd_crypt_has_recipients(crypt)) return HSD_OK;
    HSD_TRY(hsd_sealing_begin(&kept->sealing, crypt, true, put_temp, kept, err));
    return hsd_pump_begin(&kept->pump, put_sealed, kept, err);
}

int hsd_kept_target(const hsd_kept *kept) { return kept->pump.is_running ? kept->pump.fd : kept->temp.fd; }

hsd_status hsd_kept_end(hsd_kept *kept, hsd_error *err)
{
    if (!kept->pump.is_running) return HSD_OK;
    HSD_TRY(hsd_pump_finish(&kept->pump, err));
    return hsd_sealing_finish(&kept->sealing, err);
}

void hsd_kept_close(hsd_kept *kept)
{
    hsd_pump_finish(&kept->pump, NULL);
    hsd_sealing_release(&kept->sealing);
    hsd_temp_close(&kept->temp);
}

static hsd_status read_plain(int fd, char *piece, hsd_piece_fn take, void *context, hsd_error *err)
{
    for (off_t at = 0;;) {
        size_t got = 0;
        const int error = hsd_fd_read(fd, piece, PIECE_BYTES, at, &got);
        if (error != 0) return hsd_fail_errno(err, error, "cannot read the capture back");
        if (got == 0) return HSD_OK;
        HSD_TRY(take(context, piece, got, err));
        at += (off_t)got;
    }
}

static hsd_status read_sealed(int fd, hsd_crypt *crypt, char *piece, hsd_piece_fn take, void *context, hsd_error *err)
{
    hsd_unsealed *file = NULL;
    HSD_TRY(hsd_unsealed_open_fd(&file, fd, crypt, err));
    const uint64_t size = hsd_unsealed_size(file);
    hsd_status status = HSD_OK;
    for (uint64_t at = 0; status == HSD_OK && at < size; at += PIECE_BYTES) {
        const size_t step = (size_t)hsd_min_u64(PIECE_BYTES, size - at);
        status = hsd_unsealed_read(file, at, piece, step, err);
        if (status == HSD_OK) status = take(context, piece, step, err);
    }
    hsd_unsealed_close(file);
    return status;
}

hsd_status hsd_kept_read(int fd, hsd_crypt *crypt, hsd_piece_fn take, void *context, hsd_error *err)
{
    char piece[PIECE_BYTES];
    size_t got = 0;
    const int error = hsd_fd_read(fd, piece, 8, 0, &got);
    if (error != 0) return hsd_fail_errno(err, error, "cannot read the capture back");
    return hsd_age_probe(piece, got) ? read_sealed(fd, crypt, piece, take, context, err)
                                     : read_plain(fd, piece, take, context, err);
}
