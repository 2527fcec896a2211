/*
 * Resolving into a file that is whole or not there.
 */
#include "io/output.h"
#include "io/pump.h"
#include <hsdiff/symbols.h>

hsd_status hsd_symbols_resolve_file(int in_fd, const char *out_path, bool force, const hsd_symbol_options *options,
                                    const hsd_run *run, hsd_symbol_result *result, hsd_error *err)
{
    hsd_output output;
    HSD_TRY(hsd_output_open(&output, out_path, force, err));
    hsd_pump pump = {0};
    hsd_status status = hsd_output_encrypt_descriptor(&output, &pump, run == NULL ? NULL : run->crypt, err);
    if (status == HSD_OK)
        status = hsd_symbols_resolve(in_fd, pump.is_running ? pump.fd : output.fd, options, run, result, err);
    if (status == HSD_OK) status = hsd_pump_finish(&pump, err);
    hsd_pump_finish(&pump, NULL);
    if (status == HSD_OK) status = hsd_output_finish(&output, err);
    hsd_output_close(&output);
    return status;
}
