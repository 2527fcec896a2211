/*
 * Captures into a store: labels are checked, the capture is added up, and its rows join those of other captures of the
 * same service and day until the batch is full.
 */
#include <hsdiff/fleet.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/note.h"
#include "base/options.h"
#include "fleet/batch.h"
#include "fleet/bucket.h"
#include "fleet/labels.h"
#include "fleet/layout.h"
#include "fleet/postgres.h"
#include "io/checksum.h"

#define FLOOR_SHARE UINT64_C(4096)
#define FLOOR_LEAST UINT64_C(1024)

struct hsd_fleet_writer {
    char *path;
    const hsd_run *run; /* borrowed; may be NULL */
    hsd_fleet_where where;
    hsd_psql_writer *psql; /* of a database; NULL = to be started anew */
    hsd_fleet_batch batch;
    char service[HSD_FLEET_PART_CHARS], date[HSD_FLEET_PART_CHARS]; /* of the batch */
    hsd_fleet_added added;
};

static hsd_status make_store(hsd_fleet_writer *writer, hsd_error *err)
{
    if (writer->where == HSD_FLEET_DATABASE) return hsd_psql_writer_open(&writer->psql, writer->path, writer->run, err);
    return writer->where == HSD_FLEET_BUCKET ? hsd_bucket_make(writer->path, writer->run, err)
                                             : hsd_fleet_make(writer->path, err);
}

hsd_status hsd_fleet_writer_open(hsd_fleet_writer **out, const char *path, const hsd_run *run, hsd_error *err)
{
    *out = NULL;
    hsd_fleet_writer *writer = calloc(1, sizeof *writer);
    if (writer != NULL) writer->path = strdup(path);
    if (writer == NULL || writer->path == NULL) {
        free(writer);
        return hsd_fail_nomem(err, "a fleet store");
    }
    writer->run = run;
    writer->where = hsd_fleet_where_is(path);
    const hsd_status status = make_store(writer, err);
    if (status == HSD_OK)
        *out = writer;
    else
        hsd_fleet_writer_close(writer);
    return status;
}

void hsd_fleet_writer_close(hsd_fleet_writer *writer)
{
    if (writer == NULL) return;
    hsd_psql_writer_close(writer->psql);
    hsd_fleet_batch_release(&writer->batch);
    free(writer->path);
    free(writer);
}

/* ---- batches */

static hsd_status write_to_folder(hsd_fleet_writer *writer, hsd_fleet_written *written, hsd_error *err)
{
    char *folder;
    HSD_TRY(hsd_fleet_partition(writer->path, writer->service, writer->date, &folder, err));
    const hsd_status status = hsd_fleet_batch_write(&writer->batch, folder, written, err);
    free(folder);
    return status;
}

static hsd_status write_to_bucket(hsd_fleet_writer *writer, hsd_fleet_written *written, hsd_error *err)
{
    hsd_bucket_draft draft;
    hsd_status status = hsd_bucket_draft_open(&draft, writer->run, err);
    snprintf(draft.part, sizeof draft.part, "%s/%s", writer->service, writer->date);
    if (status == HSD_OK) status = hsd_fleet_batch_write(&writer->batch, draft.folder, written, err);
    if (status == HSD_OK)
        status = hsd_bucket_draft_put(&draft, writer->path, written->name, &written->is_known, writer->run, err);
    hsd_bucket_draft_close(&draft);
    return status;
}

/* What it adds is known when it has taken all over. */
static hsd_status write_to_database(hsd_fleet_writer *writer, hsd_error *err)
{
    if (writer->psql == NULL) HSD_TRY(make_store(writer, err));
    return hsd_psql_writer_put(writer->psql, &writer->batch, err);
}

static hsd_status write_batch(hsd_fleet_writer *writer, hsd_error *err)
{
    hsd_fleet_written written = {.rows = 0};
    const uint32_t captures = writer->batch.capture_count;
    if (captures == 0) return HSD_OK;
    const hsd_status status = writer->where == HSD_FLEET_DATABASE ? write_to_database(writer, err)
                              : writer->where == HSD_FLEET_BUCKET ? write_to_bucket(writer, &written, err)
                                                                  : write_to_folder(writer, &written, err);
    hsd_fleet_batch_release(&writer->batch);
    if (status != HSD_OK || writer->where == HSD_FLEET_DATABASE) return status;
    if (written.is_known) {
        writer->added.known += captures;
        return HSD_OK;
    }
    writer->added.captures += captures;
    writer->added.rows += written.rows;
    writer->added.bytes += written.bytes;
    return HSD_OK;
}

/* The batch of the capture's service and day; one that is of another is written first. */
static hsd_status begin_batch(hsd_fleet_writer *writer, const char *service, uint64_t time_ms, hsd_error *err)
{
    char part[HSD_FLEET_PART_CHARS], date[HSD_FLEET_PART_CHARS];
    hsd_fleet_service_part(part, service);
    hsd_fleet_date_part(date, time_ms);
    if (strcmp(part, writer->service) != 0 || strcmp(date, writer->date) != 0) HSD_TRY(write_batch(writer, err));
    memcpy(writer->service, part, sizeof part);
    memcpy(writer->date, date, sizeof date);
    return HSD_OK;
}

hsd_status hsd_fleet_writer_finish(hsd_fleet_writer *writer, hsd_fleet_added *added, hsd_error *err)
{
    HSD_TRY(write_batch(writer, err));
    if (writer->psql != NULL) {
        const hsd_status status = hsd_psql_writer_finish(writer->psql, &writer->added, err);
        hsd_psql_writer_close(writer->psql);
        writer->psql = NULL;
        HSD_TRY(status);
    }
    if (added != NULL) *added = writer->added;
    return HSD_OK;
}

/* ---- the row of a capture */

static bool is_domain_known(const uint8_t id[16])
{
    for (unsigned i = 0; i < 16; i++)
        if (id[i] != 0) return true;
    return false;
}

static hsd_text hex_text(char room[HSD_HEX_CHARS], const uint8_t id[16])
{
    hsd_format_hex(room, id);
    return (hsd_text){room, strlen(room)};
}

static uint64_t mix_text(uint64_t seed, hsd_text text)
{
    const uint64_t size = text.size;
    return hsd_checksum(text.data, text.size, hsd_checksum(&size, sizeof size, seed));
}

/* A process is one run of a program: after a restart it is another. */
static uint64_t process_of(const hsd_fleet_capture *row, const hsd_capture_info *info)
{
    const uint64_t numbers[2] = {info->pid, info->started_unix_ns / 1000000u};
    uint64_t process = hsd_checksum(numbers, sizeof numbers, 0);
    process = mix_text(process, row->service);
    process = mix_text(process, row->version);
    process = mix_text(process, row->host);
    process = mix_text(process, row->pod);
    return mix_text(process, row->domain);
}

static uint64_t capture_of(const hsd_fleet_capture *row)
{
    const uint64_t numbers[3] = {row->time_ms, row->live.objects, row->live.bytes};
    return mix_text(mix_text(hsd_checksum(numbers, sizeof numbers, row->process), row->digest), row->labels);
}

typedef struct one_capture {
    hsd_fleet_writer *writer;
    const hsd_fleet_add_options *options;
    const hsd_capture_info *info;
    const hsd_profile *profile;
    hsd_fleet_labels labels;
    uint64_t taken_ns;
} one_capture;

static hsd_status put_batch_capture(const one_capture *one, hsd_error *err)
{
    char domain[HSD_HEX_CHARS], digest[HSD_HEX_CHARS];
    const hsd_capture_info *info = one->info;
    const hsd_side *side = &one->profile->side;
    const hsd_fleet_labels *labels = &one->labels;
    const bool has_start = info->started_unix_ns > 0 && info->started_unix_ns <= one->taken_ns;
    const hsd_text none = {"", 0};
    hsd_fleet_capture row = {.time_ms = one->taken_ns / 1000000u,
                             .uptime_ms = has_start ? (one->taken_ns - info->started_unix_ns) / 1000000u : 0,
                             .pid = info->pid,
                             .service = labels->service,
                             .version = labels->version,
                             .host = labels->host,
                             .pod = labels->pod,
                             .runtime = {info->runtime, strlen(info->runtime)},
                             .labels = {(const char *)labels->others.data, labels->others.size},
                             .domain = is_domain_known(info->domain) ? hex_text(domain, info->domain) : none,
                             .digest = info->has_digest ? hex_text(digest, info->digest) : none,
                             .live = side->live,
                             .unreached = side->unreached,
                             .is_complete = info->is_complete,
                             .has_places = one->profile->has_places};
    row.process = process_of(&row, info);
    row.id = capture_of(&row);
    return hsd_fleet_batch_capture(&one->writer->batch, &row, err);
}

static hsd_status take_profile(const one_capture *one, hsd_error *err)
{
    hsd_fleet_writer *writer = one->writer;
    const uint64_t share = one->profile->side.live.bytes / FLOOR_SHARE;
    const uint64_t by_default = share > FLOOR_LEAST ? share : FLOOR_LEAST;
    HSD_TRY(begin_batch(writer, one->labels.service.data, one->taken_ns / 1000000u, err));
    HSD_TRY(put_batch_capture(one, err));
    HSD_TRY(hsd_fleet_batch_profile(&writer->batch, one->profile,
                                    one->options->floor_bytes > 0 ? one->options->floor_bytes : by_default, err));
    return hsd_fleet_batch_is_full(&writer->batch) ? write_batch(writer, err) : HSD_OK;
}

hsd_status hsd_fleet_writer_add(hsd_fleet_writer *writer, hsd_capture *capture, const hsd_fleet_add_options *options,
                                hsd_error *err)
{
    hsd_fleet_add_options own;
    hsd_profile *profile = NULL;
    HSD_TRY(HSD_TAKE_OPTIONS(hsd_fleet_add_options, partial, &own, options, err));
    one_capture one = {.writer = writer, .options = &own, .info = hsd_capture_get_info(capture)};
    one.taken_ns = one.info->taken_unix_ns;
    if (one.taken_ns == 0) one.taken_ns = own.taken_unix_ns > 0 ? own.taken_unix_ns : hsd_unix_now_ns();
    hsd_status status = hsd_fleet_labels_read(&one.labels, own.labels, own.label_count, err);
    if (status == HSD_OK) {
        hsd_profile_options wanted = HSD_OPTIONS_INIT(hsd_profile_options);
        wanted.no_places = own.no_places;
        wanted.partial = own.partial;
        status = hsd_profile_make(&profile, capture, &wanted, writer->run, err);
    }
    one.profile = profile;
    if (status == HSD_OK) status = take_profile(&one, err);
    hsd_profile_free(profile);
    hsd_fleet_labels_release(&one.labels);
    return status;
}
