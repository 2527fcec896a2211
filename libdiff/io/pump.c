#define _GNU_SOURCE /* pipe2 */
/* A descriptor whose bytes go to a function. See pump.h. */
#include "io/pump.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "io/fd.h"

#define PIECE_BYTES ((size_t)64 << 10)

static void *run_pump(void *context)
{
    hsd_pump *pump = context;
    uint8_t piece[PIECE_BYTES];
    for (;;) {
        size_t got = 0;
        const int error = hsd_fd_read(pump->from, piece, sizeof piece, HSD_FD_HERE, &got);
        if (error != 0 && pump->status == HSD_OK)
            pump->status = hsd_fail_errno(&pump->error, error, "cannot read what is to be encrypted");
        if (error != 0 || got == 0) return NULL;
        if (pump->status == HSD_OK) pump->status = pump->take(pump->context, piece, got, &pump->error);
    }
}

hsd_status hsd_pump_begin(hsd_pump *pump, hsd_stored_write_fn take, void *context, hsd_error *err)
{
    int ends[2];
    *pump = (hsd_pump){.fd = -1, .from = -1, .take = take, .context = context};
    hsd_error_init(&pump->error);
    if (pipe2(ends, O_CLOEXEC) != 0) return hsd_fail_errno(err, errno, "cannot make a pipe to encrypt by");
    pump->from = ends[0];
    pump->fd = ends[1];
    const int error = pthread_create(&pump->thread, NULL, run_pump, pump);
    pump->is_running = error == 0;
    if (pump->is_running) return HSD_OK;
    close(ends[0]);
    close(ends[1]);
    *pump = (hsd_pump){0};
    return hsd_fail_errno(err, error, "cannot start a thread to encrypt by");
}

hsd_status hsd_pump_finish(hsd_pump *pump, hsd_error *err)
{
    if (!pump->is_running) return HSD_OK;
    close(pump->fd);
    pthread_join(pump->thread, NULL);
    close(pump->from);
    const hsd_status status = pump->status;
    if (status != HSD_OK && err != NULL) *err = pump->error;
    *pump = (hsd_pump){0};
    return status;
}

static hsd_status pass_to_output(void *context, const void *data, size_t size, hsd_error *err)
{
    return hsd_output_write(context, data, size, err);
}

hsd_status hsd_output_encrypt_descriptor(hsd_output *output, hsd_pump *pump, hsd_crypt *crypt, hsd_error *err)
{
    HSD_TRY(hsd_output_encrypt(output, crypt, err));
    return output->is_sealed ? hsd_pump_begin(pump, pass_to_output, output, err) : HSD_OK;
}
