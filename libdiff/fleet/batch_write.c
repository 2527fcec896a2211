/*
 * A batch as a folder of three Parquet files. Rows of one key stand together, and of one process one behind the other
 * in time: differences are small then, and what engines group by is sorted.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "export/parquet/writer.h"
#include "export/tables/inserter.h"
#include "fleet/batch.h"
#include "fleet/layout.h"
#include "io/checksum.h"
#include "io/folder.h"

#define DAY_MS UINT64_C(86400000)

__extension__ typedef unsigned __int128 hsd_state_product;

/* ---- order */

static int compare_u64(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

static int compare_captures(const void *left, const void *right)
{
    const hsd_fleet_capture *a = *(hsd_fleet_capture *const *)left, *b = *(hsd_fleet_capture *const *)right;
    const int by_process = compare_u64(a->process, b->process), by_time = compare_u64(a->time_ms, b->time_ms);
    return by_process != 0 ? by_process : by_time != 0 ? by_time : compare_u64(a->id, b->id);
}

static int compare_rows(const void *left, const void *right)
{
    const hsd_fleet_row *a = left, *b = right;
    if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
    if (a->key != b->key) return ((int64_t)a->key < (int64_t)b->key ? -1 : 1);
    return compare_u64(a->capture, b->capture);
}

static int compare_names(const void *left, const void *right)
{
    const hsd_fleet_name *a = left, *b = right;
    if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
    return compare_u64(a->key, b->key);
}

/* Captures by process and time, rows by key and then as captures, names by key. The slots of names are no good then. */
static hsd_status sort_batch(hsd_fleet_batch *batch, hsd_error *err)
{
    const uint32_t count = batch->capture_count;
    hsd_fleet_capture **order = malloc((size_t)count * sizeof *order + 1);
    hsd_fleet_capture *sorted = malloc((size_t)count * sizeof *sorted + 1);
    uint32_t *places = malloc((size_t)count * sizeof *places + 1);
    const bool has_memory = order != NULL && sorted != NULL && places != NULL;
    if (has_memory) {
        for (uint32_t i = 0; i < count; i++)
            order[i] = &batch->captures[i];
        if (count > 0) qsort(order, count, sizeof(hsd_fleet_capture *), compare_captures);
        for (uint32_t i = 0; i < count; i++) {
            sorted[i] = *order[i];
            places[order[i] - batch->captures] = i;
        }
        if (count > 0) memcpy(batch->captures, sorted, (size_t)count * sizeof *sorted);
        for (uint32_t i = 0; i < batch->row_count; i++)
            batch->rows[i].capture = places[batch->rows[i].capture];
        if (batch->row_count > 0) qsort(batch->rows, batch->row_count, sizeof *batch->rows, compare_rows);
        if (batch->name_count > 0) qsort(batch->names, batch->name_count, sizeof *batch->names, compare_names);
        free(batch->slots);
        batch->slots = NULL;
        batch->slot_count = 0;
    }
    free(order);
    free(sorted);
    free(places);
    return has_memory ? HSD_OK : hsd_fail_nomem(err, "the order of a batch");
}

/* ---- files */

#define NUMBER(word)                                                                                                   \
    {                                                                                                                  \
        .name = word, .is_required = true                                                                              \
    }
#define NUMBER_OR(word)                                                                                                \
    {                                                                                                                  \
        .name = word                                                                                                   \
    }
#define TEXT(word)                                                                                                     \
    {                                                                                                                  \
        .name = word, .is_text = true, .is_required = true                                                             \
    }
#define TEXT_OR(word)                                                                                                  \
    {                                                                                                                  \
        .name = word, .is_text = true                                                                                  \
    }

static const hsd_column_text of_captures[] = {
    NUMBER("capture"),   NUMBER("time"),     NUMBER("process"), TEXT("service"),     TEXT("version"),
    TEXT("host"),        TEXT("pod"),        NUMBER_OR("pid"),  NUMBER_OR("uptime"), TEXT("runtime"),
    TEXT_OR("domain"),   NUMBER("complete"), NUMBER("places"),  NUMBER("live"),      NUMBER("live_objects"),
    NUMBER("unreached"), TEXT_OR("digest"),  TEXT("labels")};
static const hsd_column_text of_rows[] = {NUMBER("capture"), TEXT("kind"),          NUMBER("key"),    NUMBER("objects"),
                                          NUMBER("bytes"),   NUMBER_OR("retained"), NUMBER("single"), NUMBER("other")};
static const hsd_column_text of_names[] = {NUMBER("key"),       TEXT("kind"),    TEXT("text"),
                                           NUMBER_OR("parent"), TEXT_OR("edge"), TEXT("type")};

#define COUNT(array) ((unsigned)(sizeof(array) / sizeof(array)[0]))

static const hsd_column_text of_states[] = {NUMBER("process"), TEXT("kind"),    NUMBER("key"),  NUMBER("origin"),
                                            NUMBER("n"),       NUMBER("st"),    NUMBER("sv"),   NUMBER("stv"),
                                            NUMBER("stt"),     NUMBER("least"), NUMBER("most"), NUMBER("t_first"),
                                            NUMBER("t_last"),  NUMBER("first"), NUMBER("last"), NUMBER("single")};

static const struct table {
    const char *name;
    const hsd_column_text *columns;
    unsigned count;
} tables[] = {{"captures", of_captures, COUNT(of_captures)},
              {"rows", of_rows, COUNT(of_rows)},
              {"names", of_names, COUNT(of_names)},
              {"states", of_states, COUNT(of_states)}};

typedef struct folder_sink {
    hsd_sink sink; /* first */
    hsd_folder folder;
} folder_sink;

struct hsd_fleet_output {
    folder_sink sink;
    hsd_inserter captures, rows, names, states;
    bool has_states;
    uint64_t row_count;
};

static hsd_status open_fleet_table(hsd_sink *sink, const char *prefix, const char *name, void **rows, unsigned *columns,
                                   hsd_error *err)
{
    folder_sink *s = (folder_sink *)(void *)sink;
    char file[64], about[100];
    hsd_output *output;
    hsd_parquet *parquet;
    const struct table *table = &tables[0];
    (void)prefix;
    while (strcmp(table->name, name) != 0)
        table++;
    snprintf(file, sizeof file, "%s" HSD_FLEET_SUFFIX, name);
    snprintf(about, sizeof about, "fleet table %s, version %d", name, HSD_FLEET_VERSION);
    HSD_TRY(hsd_folder_add(&s->folder, file, &output, err));
    HSD_TRY(hsd_parquet_open(&parquet, output, table->columns, table->count, about, err));
    *columns = table->count;
    *rows = parquet;
    return HSD_OK;
}

static hsd_status put_fleet_rows(hsd_sink *sink, void *rows, const hsd_cell *cells, unsigned count,
                                 const uint8_t *texts, hsd_error *err)
{
    (void)sink;
    return hsd_parquet_put(rows, cells, count, texts, err);
}

static hsd_status close_fleet_table(hsd_sink *sink, void *rows, hsd_status status, hsd_error *err)
{
    (void)sink;
    if (status == HSD_OK && rows != NULL) status = hsd_parquet_finish(rows, err);
    hsd_parquet_close(rows);
    return status;
}

static const hsd_sink_kind folder_kind = {.open = open_fleet_table, .put = put_fleet_rows, .close = close_fleet_table};

/* ---- tables */

static hsd_status put_captures(const hsd_fleet_batch *batch, hsd_inserter *in, hsd_error *err)
{
    for (uint32_t i = 0; i < batch->capture_count; i++) {
        const hsd_fleet_capture *c = &batch->captures[i];
        hsd_put_id(in, c->id);
        hsd_put_count(in, c->time_ms);
        hsd_put_id(in, c->process);
        hsd_put_text(in, c->service);
        hsd_put_text(in, c->version);
        hsd_put_text(in, c->host);
        hsd_put_text(in, c->pod);
        hsd_put_some(in, c->pid);
        hsd_put_some(in, c->uptime_ms);
        hsd_put_text(in, c->runtime);
        hsd_put_text_or_null(in, c->domain);
        hsd_put_count(in, c->is_complete);
        hsd_put_count(in, c->has_places);
        hsd_put_count(in, c->live.bytes);
        hsd_put_count(in, c->live.objects);
        hsd_put_count(in, c->unreached.bytes);
        hsd_put_text_or_null(in, c->digest);
        hsd_put_text(in, c->labels);
        HSD_TRY(hsd_put_row(in, err));
    }
    return HSD_OK;
}

static hsd_status put_rows(const hsd_fleet_batch *batch, hsd_inserter *in, hsd_error *err)
{
    for (uint32_t i = 0; i < batch->row_count; i++) {
        const hsd_fleet_row *row = &batch->rows[i];
        hsd_put_id(in, batch->captures[row->capture].id);
        hsd_put_word(in, hsd_fleet_kind_name(row->kind));
        hsd_put_id(in, row->key);
        hsd_put_count(in, row->objects);
        hsd_put_count(in, row->bytes);
        if (row->has_retained && row->retained != row->bytes)
            hsd_put_count(in, row->retained);
        else
            hsd_put_null(in);
        hsd_put_count(in, row->is_single);
        hsd_put_count(in, row->other);
        HSD_TRY(hsd_put_row(in, err));
    }
    return HSD_OK;
}

static hsd_status put_names(const hsd_fleet_batch *batch, hsd_inserter *in, hsd_error *err)
{
    for (uint32_t i = 0; i < batch->name_count; i++) {
        const hsd_fleet_name *name = &batch->names[i];
        hsd_put_id(in, name->key);
        hsd_put_word(in, hsd_fleet_kind_name(name->kind));
        hsd_put_text(in, name->text);
        if (name->parent != 0)
            hsd_put_id(in, name->parent);
        else
            hsd_put_null(in);
        hsd_put_text_or_null(in, name->edge);
        hsd_put_text(in, name->type);
        HSD_TRY(hsd_put_row(in, err));
    }
    return HSD_OK;
}

/* ---- sums of each process and key */

typedef struct state {
    uint64_t n, st, sv, stt, least, most, t_first, t_last, first, last;
    hsd_state_product stv;
    bool is_single;
} state;

static void add_state(state *s, uint64_t t, uint64_t v, bool is_single)
{
    if (s->n == 0) *s = (state){.least = v, .most = v, .t_first = t, .first = v, .is_single = true};
    s->n++;
    s->st += t;
    s->stt += t * t;
    s->sv += v;
    s->stv += (hsd_state_product)t * v;
    s->least = v < s->least ? v : s->least;
    s->most = v > s->most ? v : s->most;
    s->t_last = t;
    s->last = v;
    s->is_single = s->is_single && is_single;
}

/* Past 63 bits, petabytes all day long, a sum sticks. */
static uint64_t bounded_product(hsd_state_product sum) { return sum > INT64_MAX ? INT64_MAX : (uint64_t)sum; }

static hsd_status put_state(hsd_inserter *in, const hsd_fleet_row *row, const hsd_fleet_capture *capture,
                            const state *s, hsd_error *err)
{
    hsd_put_id(in, capture->process);
    hsd_put_word(in, hsd_fleet_kind_name(row->kind));
    hsd_put_id(in, row->key);
    hsd_put_count(in, capture->time_ms / DAY_MS * (DAY_MS / 1000));
    const uint64_t numbers[] = {s->n,      s->st,    s->sv,   bounded_product(s->stv),
                                s->stt,    s->least, s->most, s->t_first,
                                s->t_last, s->first, s->last};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        hsd_put_count(in, numbers[i]);
    hsd_put_count(in, s->is_single);
    return hsd_put_row(in, err);
}

/* Rows are sorted: those of a key and process and day stand together, in time. */
static hsd_status put_states(const hsd_fleet_batch *batch, hsd_inserter *in, hsd_error *err)
{
    state s = {.n = 0};
    for (uint32_t i = 0; i < batch->row_count; i++) {
        const hsd_fleet_row *row = &batch->rows[i], *next = i + 1 < batch->row_count ? row + 1 : NULL;
        const hsd_fleet_capture *capture = &batch->captures[row->capture];
        if (row->other > 0 || row->kind == HSD_FLEET_ROOT) continue;
        const uint64_t value = row->kind == HSD_FLEET_PLACE && row->has_retained ? row->retained : row->bytes;
        add_state(&s, capture->time_ms % DAY_MS / 1000, value, row->is_single);
        const hsd_fleet_capture *after = next != NULL ? &batch->captures[next->capture] : NULL;
        if (after != NULL && next->kind == row->kind && next->key == row->key && next->other == 0 &&
            after->process == capture->process && after->time_ms / DAY_MS == capture->time_ms / DAY_MS)
            continue;
        HSD_TRY(put_state(in, row, capture, &s, err));
        s.n = 0;
    }
    return HSD_OK;
}

/* ---- the folder */

hsd_status hsd_fleet_output_open(hsd_fleet_output **out, const char *path, bool has_states, hsd_error *err)
{
    hsd_fleet_output *output = calloc(1, sizeof *output);
    *out = output;
    if (output == NULL) return hsd_fail_nomem(err, "a batch");
    output->sink.sink = (hsd_sink){.kind = &folder_kind, .is_told_by_others = true};
    output->has_states = has_states;
    hsd_sink *sink = &output->sink.sink;
    HSD_TRY(hsd_folder_open(&output->sink.folder, path, HSD_FLEET_SUFFIX, false, err));
    HSD_TRY(hsd_inserter_open(&output->captures, sink, "", "captures", 0, err));
    HSD_TRY(hsd_inserter_open(&output->rows, sink, "", "rows", 0, err));
    HSD_TRY(hsd_inserter_open(&output->names, sink, "", "names", 0, err));
    return has_states ? hsd_inserter_open(&output->states, sink, "", "states", 0, err) : HSD_OK;
}

hsd_status hsd_fleet_output_put(hsd_fleet_output *output, hsd_fleet_batch *batch, hsd_error *err)
{
    if (batch->capture_count == 0) return HSD_OK;
    HSD_TRY(sort_batch(batch, err));
    HSD_TRY(put_captures(batch, &output->captures, err));
    if (output->has_states) return put_states(batch, &output->states, err);
    output->row_count += batch->row_count;
    return put_rows(batch, &output->rows, err);
}

hsd_status hsd_fleet_output_names(hsd_fleet_output *output, hsd_fleet_batch *names, hsd_error *err)
{
    HSD_TRY(sort_batch(names, err));
    return put_names(names, &output->names, err);
}

hsd_status hsd_fleet_output_text(hsd_fleet_output *output, const char *name, const hsd_buffer *text, hsd_error *err)
{
    hsd_output *file;
    HSD_TRY(hsd_folder_add(&output->sink.folder, name, &file, err));
    return hsd_output_write(file, text->data, text->size, err);
}

hsd_status hsd_fleet_output_finish(hsd_fleet_output *output, hsd_fleet_written *written, hsd_error *err)
{
    hsd_inserter *const all[] = {&output->captures, &output->rows, &output->names, &output->states};
    hsd_status status = HSD_OK;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        status = hsd_inserter_close(all[i], status, err);
        *all[i] = (hsd_inserter){0};
    }
    HSD_TRY(status);
    *written = (hsd_fleet_written){.rows = output->row_count};
    for (unsigned i = 0; i < output->sink.folder.count; i++)
        written->bytes += output->sink.folder.files[i].output.size_bytes;
    return hsd_folder_finish(&output->sink.folder, err);
}

void hsd_fleet_output_close(hsd_fleet_output *output)
{
    if (output == NULL) return;
    hsd_inserter *const all[] = {&output->captures, &output->rows, &output->names, &output->states};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        hsd_inserter_close(all[i], HSD_E_CANCELLED, NULL); /* what was finished is closed already */
    hsd_folder_close(&output->sink.folder);
    free(output);
}

/* ---- a batch by itself */

/* Named by the captures in it, so the same captures twice are one batch. */
static hsd_status name_batch(const hsd_fleet_batch *batch, const char *folder, char **path, hsd_error *err)
{
    const size_t room = strlen(folder) + 64;
    uint64_t name = 0;
    for (uint32_t i = 0; i < batch->capture_count; i++)
        name = hsd_checksum(&batch->captures[i].id, sizeof batch->captures[i].id, name);
    *path = malloc(room);
    if (*path == NULL) return hsd_fail_nomem(err, "the name of a batch");
    snprintf(*path, room, "%s/" HSD_FLEET_BATCH_PREFIX "%016llx", folder, (unsigned long long)name);
    return HSD_OK;
}

hsd_status hsd_fleet_batch_write(hsd_fleet_batch *batch, const char *folder, hsd_fleet_written *written, hsd_error *err)
{
    hsd_fleet_output *output = NULL;
    hsd_error own;
    char *path;
    hsd_error_init(&own);
    *written = (hsd_fleet_written){.rows = 0};
    if (batch->capture_count == 0) return HSD_OK;
    HSD_TRY(sort_batch(batch, err));
    HSD_TRY(name_batch(batch, folder, &path, err));
    hsd_status status = hsd_fleet_output_open(&output, path, false, &own);
    if (status == HSD_OK) status = hsd_fleet_output_put(output, batch, &own);
    if (status == HSD_OK) status = put_names(batch, &output->names, &own);
    if (status == HSD_OK) status = hsd_fleet_output_finish(output, written, &own);
    hsd_fleet_output_close(output);
    snprintf(written->name, sizeof written->name, "%s", strrchr(path, '/') + 1);
    free(path);
    if (status == HSD_E_IO && own.sys_errno == EEXIST) {
        *written = (hsd_fleet_written){.is_known = true};
        return HSD_OK;
    }
    if (status != HSD_OK && err != NULL) *err = own;
    return status;
}
