/*
 * Baselines: what one capture holds as sums, small enough for a repository (FORMAT.md 7.11).
 *
 *      capture ──hsd_profile_make──► profile ──numbers──► put once, to derive the id ──► put again, into the file
 *                     └─ objects, where they are wanted ──► a temporary file ──┘
 *
 * The capture id is a hash of the bytes that the file would have with a fixed one, so that it depends on what is in it
 * and on nothing else, and two baselines have one id only if they are one.
 */
#include <string.h>

#include <hsdiff/output.h>
#include <hsdiff/profile.h>

#include "base/names.h"
#include "base/options.h"
#include "export/baseline_write.h"

/* ---- what can be kept ---- */

static bool is_zero_baseline(const uint8_t *bytes, size_t size)
{
    uint8_t all = 0;
    for (size_t i = 0; i < size; i++)
        all |= bytes[i];
    return all == 0;
}

static hsd_status check_identities(const hsd_capture_info *info, hsd_error *err)
{
    const bool has_ids = info->identity == HSD_IDENTITY_EXACT || info->identity == HSD_IDENTITY_ADDRESS;
    /* taken for those of one process, as in a diff */
    const bool is_exact = info->identity == HSD_IDENTITY_EXACT;
    if (is_exact || (has_ids && !is_zero_baseline(info->domain, sizeof info->domain))) return HSD_OK;
    hsd_error_set_file(err, info->path);
    hsd_fail(err, HSD_E_UNSUPPORTED,
             has_ids ? "the capture does not say of which process its ids are, so keeping them tells nothing later"
                     : "the ids of its objects say nothing in another capture, so keeping them tells nothing later");
    hsd_error_set_hint(err, "write the baseline without identities: types, roots and places are compared all the same");
    return HSD_E_UNSUPPORTED;
}

/* Places that are missing for want of memory would make other bytes than those of a larger budget. */
static hsd_status check_places(const hsd_profile *profile, const hsd_capture_info *info, hsd_error *err)
{
    const bool had_none = !info->is_complete || (info->is_baseline && (info->sums & HSC_SUMS_PLACES) == 0);
    const bool has_graph = profile->side.has_roots && profile->side.has_references && !profile->is_summary;
    if (profile->has_places || had_none || !has_graph) return HSD_OK;
    hsd_error_set_file(err, info->path);
    hsd_fail(err, HSD_E_OVER_BUDGET, "a baseline needs its places: %.300s", profile->why_no_places.data);
    hsd_error_set_hint(err, "give it more with --memory, or ask for fewer places");
    return HSD_E_OVER_BUDGET;
}

/* ---- the id ---- */

typedef struct fingerprint {
    uint64_t halves[2];
} fingerprint;

static hsd_status add_to_id(void *context, const void *bytes, size_t size, hsd_error *err)
{
    fingerprint *id = context;
    (void)err;
    for (size_t i = 0; i < 2; i++)
        id->halves[i] = hsd_hash_bytes(bytes, size, id->halves[i]);
    return HSD_OK;
}

static hsd_status derive_id(const hsd_baseline_source *source, uint8_t out[16], hsd_error *err)
{
    fingerprint id = {{1, 2}};
    HSD_TRY(hsd_baseline_put(source, (const uint8_t *)"hsdiff baseline", add_to_id, &id, err));
    for (size_t i = 0; i < 16; i++)
        out[i] = (uint8_t)(id.halves[i / 8] >> (8 * (i % 8)));
    if (is_zero_baseline(out, 16)) out[0] = 1; /* all 0 would be drawn at random */
    return HSD_OK;
}

/* ---- the whole ---- */

typedef struct target {
    hsd_result_file *file;
    uint64_t bytes;
} target;

static hsd_status put_bytes(void *context, const void *bytes, size_t size, hsd_error *err)
{
    target *to = context;
    to->bytes += size;
    return hsd_result_file_write(to->file, bytes, size, err);
}

static hsd_status put_profile(hsd_baseline_source *source, target *to, hsd_error *err)
{
    hsd_baseline_names names;
    uint8_t id[16];
    hsd_status status = hsd_baseline_names_init(&names, source->profile, err);
    source->names = &names;
    if (status == HSD_OK) status = derive_id(source, id, err);
    if (status == HSD_OK) status = hsd_baseline_put(source, id, put_bytes, to, err);
    hsd_baseline_names_release(&names);
    return status == HSD_OK ? hsd_result_file_finish(to->file, err) : status;
}

static hsd_status run_baseline_with(hsd_baseline_source *source, const hsd_baseline_options *options,
                                    const hsd_run *run, target *to, hsd_error *err)
{
    const hsd_profile_options wanted = {.places = options->places != 0 ? options->places : HSD_BASELINE_PLACES,
                                        .partial = options->partial,
                                        .each = source->objects != NULL ? hsd_kept_objects_add : NULL,
                                        .each_context = source->objects};
    hsd_profile *profile;
    HSD_TRY(hsd_profile_make(&profile, source->capture, &wanted, run, err));
    source->profile = profile;
    hsd_status status = check_places(profile, hsd_capture_get_info(source->capture), err);
    if (status == HSD_OK && source->objects != NULL) status = hsd_kept_objects_finish(source->objects, err);
    if (status == HSD_OK) status = put_profile(source, to, err);
    hsd_profile_free(profile);
    return status;
}

static hsd_status write_into(target *to, hsd_capture *capture, const hsd_baseline_options *options, const hsd_run *run,
                             hsd_error *err)
{
    hsd_reporter reporter;
    hsd_temp_space space;
    hsd_kept_objects objects = {.temp.fd = -1};
    hsd_baseline_source source = {.capture = capture, .reporter = &reporter};
    hsd_status status = HSD_OK;
    hsd_reporter_init(&reporter, run);
    hsd_temp_space_of(&space, run);
    if (options->identities) {
        source.objects = &objects;
        status = hsd_kept_objects_init(&objects, &space, err);
    }
    if (status == HSD_OK) status = run_baseline_with(&source, options, run, to, err);
    hsd_kept_objects_release(&objects);
    hsd_reporter_release(&reporter);
    return status;
}

hsd_status hsd_baseline_write(hsd_capture *capture, const char *path, const hsd_baseline_options *options,
                              const hsd_run *run, uint64_t *bytes_written, hsd_error *err)
{
    hsd_baseline_options own;
    target to = {0};
    HSD_TRY(HSD_TAKE_OPTIONS(hsd_baseline_options, partial, &own, options, err));
    if (own.identities) HSD_TRY(check_identities(hsd_capture_get_info(capture), err));
    hsd_status status = hsd_result_file_open(&to.file, path, own.force, err);
    if (status == HSD_OK) status = hsd_result_file_encrypt(to.file, run == NULL ? NULL : run->crypt, err);
    if (status == HSD_OK)
        status = write_into(&to, capture, &own, run, err);
    else
        hsd_error_set_file(err, path);
    hsd_result_file_close(to.file);
    if (status == HSD_OK && bytes_written != NULL) *bytes_written = to.bytes;
    return status;
}
