/*
 * The public face of the result file: an opaque handle over io/output.h.
 */
#include <stdlib.h>

#include "base/fail.h"
#include "io/output.h"
#include <hsdiff/output.h>

struct hsd_result_file {
    hsd_output output;
};

hsd_status hsd_result_file_open(hsd_result_file **out, const char *path, bool force, hsd_error *err)
{
    *out = NULL;
    hsd_result_file *file = calloc(1, sizeof *file);
    if (file == NULL) return hsd_fail_nomem(err, "an output");
    const hsd_status status = hsd_output_open(&file->output, path, force, err);
    if (status != HSD_OK) {
        free(file);
        return status;
    }
    *out = file;
    return HSD_OK;
}

hsd_status hsd_result_file_encrypt(hsd_result_file *file, hsd_crypt *crypt, hsd_error *err)
{
    return hsd_output_encrypt(&file->output, crypt, err);
}

hsd_status hsd_result_file_write(void *file, const void *data, size_t size, hsd_error *err)
{
    hsd_result_file *self = file;
    return hsd_output_write(&self->output, data, size, err);
}

bool hsd_result_file_is_empty(const hsd_result_file *file) { return file->output.size_bytes == 0; }

hsd_status hsd_result_file_finish(hsd_result_file *file, hsd_error *err)
{
    return hsd_output_finish(&file->output, err);
}

void hsd_result_file_close(hsd_result_file *file)
{
    if (file == NULL) return;
    hsd_output_close(&file->output);
    free(file);
}
