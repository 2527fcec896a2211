/*
 * An export from end to end: choose_export who writes, see that the captures can give what it needs, let it write, and
 * make the result appear at once or not at all.
 */
#include <string.h>

#include "base/options.h"
#include "export/exporter.h"

hsd_status hsd_export_write(hsd_export *x, const void *data, size_t size, hsd_error *err)
{
    return hsd_output_write(&x->output, data, size, err);
}

static hsd_status refuse_export(hsd_capture *capture, hsd_error *err, const char *what, const char *hint)
{
    hsd_error_set_file(err, hsd_capture_get_info(capture)->path);
    hsd_fail(err, HSD_E_UNSUPPORTED, "%s", what);
    hsd_error_set_hint(err, "%s", hint);
    return HSD_E_UNSUPPORTED;
}

static hsd_status check_objects(hsd_capture *capture, hsd_error *err)
{
    const hsd_capture_info *info = hsd_capture_get_info(capture);
    if (info->is_baseline)
        return refuse_export(capture, err, "it is a baseline, which holds sums and no objects",
                             "export the capture that it was made from; a profile (--to pprof) can be made of sums");
    if (info->objects == 0 && info->summary_objects > 0)
        return refuse_export(capture, err, "it holds totals alone and no objects",
                             "import it again without --summary, or export it as a profile (--to pprof)");
    return HSD_OK;
}

static hsd_status choose_export(const hsd_exporter **out, const char *path, const hsd_export_options *options,
                                bool is_pair, hsd_error *err)
{
    HSD_TRY(hsd_exporter_choose(out, options->format, path, err));
    const hsd_exporter *exporter = *out;
    if (is_pair && !exporter->info.takes_pair) {
        hsd_fail(err, HSD_E_UNSUPPORTED, "%s holds one capture, not the growth between two", exporter->info.name);
        hsd_error_set_hint(
            err, "export each capture by itself, or name a format that holds growth: hsdiff help formats lists them");
        return HSD_E_UNSUPPORTED;
    }
    if (exporter->opens_file && strcmp(path, "-") == 0) {
        hsd_fail(err, HSD_E_UNSUPPORTED, "%s needs a file and cannot go to standard output", exporter->info.name);
        hsd_error_set_hint(err, "name a file: -o NAME%s", exporter->info.suffix);
        return HSD_E_UNSUPPORTED;
    }
    return HSD_OK;
}

static hsd_status check_export(const hsd_exporter *exporter, const hsd_export *x, hsd_error *err)
{
    if (exporter->opens_file && hsd_crypt_has_recipients(x->run->crypt)) {
        hsd_fail(err, HSD_E_UNSUPPORTED, "%s is written at many places at once, and cannot be encrypted on the way",
                 exporter->info.name);
        hsd_error_set_hint(err, "encrypt what was written: age -r RECIPIENT -o FILE.age FILE");
        return HSD_E_UNSUPPORTED;
    }
    if (!exporter->needs_objects) return HSD_OK;
    if (x->before != NULL) HSD_TRY(check_objects(x->before, err));
    return check_objects(x->after, err);
}

hsd_status hsd_export_check(const char *path, const hsd_export_options *options, bool is_pair, hsd_error *err)
{
    const hsd_exporter *exporter;
    hsd_export_options own;
    HSD_TRY(HSD_TAKE_OPTIONS(hsd_export_options, stacks, &own, options, err));
    if (strcmp(path, "-") != 0) hsd_error_set_file(err, path);
    return choose_export(&exporter, path, &own, is_pair, err);
}

static hsd_status write_output(const hsd_exporter *exporter, hsd_export *x, hsd_error *err)
{
    if (exporter->opens_file) return exporter->run(x, err);
    HSD_TRY(hsd_output_open(&x->output, x->path, x->options->force, err));
    hsd_status status = hsd_output_encrypt(&x->output, x->run->crypt, err);
    if (status == HSD_OK) status = exporter->run(x, err);
    if (x->result->output_bytes == 0) x->result->output_bytes = x->output.size_bytes;
    if (status == HSD_OK) status = hsd_output_finish(&x->output, err);
    hsd_output_close(&x->output);
    return status;
}

hsd_status hsd_export_file(hsd_capture *before, hsd_capture *after, const char *path, const hsd_export_options *options,
                           const hsd_run *run, hsd_export_result *result, hsd_error *err)
{
    hsd_export_options own;
    hsd_run known = run != NULL ? *run : (hsd_run){0};
    hsd_export_result unwanted;
    hsd_temp_space space;
    hsd_reporter reporter;
    const hsd_exporter *exporter;
    if (known.memory_bytes == 0) known.memory_bytes = hsd_run_default_memory();
    if (result == NULL) result = &unwanted;
    *result = (hsd_export_result){.files = 1};
    hsd_export x = {.before = before,
                    .after = after,
                    .path = path,
                    .options = &own,
                    .run = &known,
                    .space = &space,
                    .reporter = &reporter,
                    .memory_bytes = known.memory_bytes,
                    .result = result,
                    .output = {.fd = -1}};
    HSD_TRY(HSD_TAKE_OPTIONS(hsd_export_options, stacks, &own, options, err));
    HSD_TRY(choose_export(&exporter, path, x.options, before != NULL, err));
    result->format = exporter->info.name;
    HSD_TRY(check_export(exporter, &x, err));
    hsd_temp_space_of(&space, &known);
    hsd_reporter_init(&reporter, &known);
    const hsd_status status = write_output(exporter, &x, err);
    hsd_reporter_release(&reporter);
    return status;
}
