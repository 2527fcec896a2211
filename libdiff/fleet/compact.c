/*
 * Compacting: DuckDB reads all that a service has of a day, process by process, and it is written as one batch, in
 * sections of half a million rows, each in the order that packs well. The new batch gets its name, with a list of those
 * that it stands for, and only then these go: whoever is ended in between leaves a list that says which batches count.
 */
#include <hsdiff/fleet.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/options.h"
#include "fleet/answer.h"
#include "fleet/batch.h"
#include "fleet/bucket.h"
#include "fleet/postgres.h"
#include "fleet/tidy.h"
#include "io/checksum.h"

typedef struct partition {
    const char *store;
    const hsd_run *run;
    const hsd_fleet_list *list;
    bool *chosen;     /* of the batches of the list */
    char folder[256]; /* service=…/date=… */
    bool drops_rows, is_bucket;
    hsd_fleet_batch all;     /* every capture, by process and time, and every name */
    hsd_fleet_batch section; /* rows of some processes */
    hsd_fleet_output *output;
    hsd_buffer line;
    uint32_t next;     /* capture whose rows come; of `all` */
    hsd_fleet_row row; /* that came last */
    bool has_row;
} partition;

/* ---- SQL */

/* Lines by COPY: what SELECT prints is first held as a whole. Texts begin with an x, since COPY quotes what is empty.
 */
#define LINES       "TO '/dev/stdout' (FORMAT csv, DELIMITER '|', HEADER false);\n"
#define HEX(column) "'x' || hex(encode(coalesce(" column ", '')))"

static hsd_status put_question(hsd_buffer *sql, const partition *p, hsd_error *err)
{
    HSD_TRY(hsd_sql_put_settings(sql, p->store, p->run, err));
    HSD_TRY(hsd_sql_put(sql, err, "SET preserve_insertion_order=true;\n"));
    HSD_TRY(hsd_sql_put_view(sql, "captures", HSD_FLEET_CAPTURES, p->list, p->chosen, err));
    HSD_TRY(hsd_sql_put_view(sql, "rows", HSD_FLEET_ROWS, p->list, p->chosen, err));
    HSD_TRY(hsd_sql_put_view(sql, "names", HSD_FLEET_NAMES, p->list, p->chosen, err));
    HSD_TRY(hsd_sql_put(
        sql, err,
        "CREATE TEMP TABLE c AS SELECT *, row_number() OVER (ORDER BY process, time, capture) - 1 AS place FROM "
        "(SELECT "
        "DISTINCT ON (capture) * FROM captures);\n"
        "COPY (SELECT 'C', capture, process, time, coalesce(pid, 0), coalesce(uptime, 0), complete, places, live, "
        "live_objects, unreached, " HEX("service") ", " HEX("version") ", " HEX("host") ", " HEX("pod") ", " HEX(
            "runtime") ", " HEX("domain") ", " HEX("digest") ", " HEX("labels") " FROM c ORDER BY place) " LINES));
    return hsd_sql_put(
        sql, err,
        "COPY (SELECT 'N', kind, key, coalesce(min(parent), 0), " HEX("min(text)") ", " HEX("min(edge)") ", " HEX(
            "min(type)") " FROM names GROUP BY kind, key) " LINES
                         "COPY (SELECT 'R', c.place, r.kind, r.key, r.objects, r.bytes, coalesce(r.retained, -1), "
                         "r.single, "
                         "r.other FROM rows r JOIN c USING (capture) ORDER BY c.place, r.kind, r.key) " LINES);
}

/* ---- what comes back */

static hsd_status take_capture(partition *p, const hsd_answer_line *line, hsd_error *err)
{
    int64_t n[10];
    hsd_fleet_capture c = {.id = 0};
    hsd_text *const texts[] = {&c.service, &c.version, &c.host, &c.pod, &c.runtime, &c.domain, &c.digest, &c.labels};
    HSD_TRY(hsd_answer_numbers(line, 1, 10, n, err));
    for (unsigned i = 0; i < 8; i++)
        HSD_TRY(hsd_answer_text(line, 11 + i, &p->all.arena, texts[i], err));
    c.id = (uint64_t)n[0];
    c.process = (uint64_t)n[1];
    c.time_ms = (uint64_t)n[2];
    c.pid = (uint64_t)n[3];
    c.uptime_ms = (uint64_t)n[4];
    c.is_complete = n[5] != 0;
    c.has_places = n[6] != 0;
    c.live = (hsd_amount){.bytes = (uint64_t)n[7], .objects = (uint64_t)n[8]};
    c.unreached.bytes = (uint64_t)n[9];
    return hsd_fleet_batch_capture(&p->all, &c, err);
}

static hsd_status take_name(partition *p, const hsd_answer_line *line, hsd_error *err)
{
    int64_t n[2];
    hsd_fleet_name name = {.kind = (uint8_t)hsd_fleet_kind_of(line->fields[1])};
    HSD_TRY(hsd_answer_numbers(line, 2, 2, n, err));
    name.key = (uint64_t)n[0];
    name.parent = (uint64_t)n[1];
    HSD_TRY(hsd_answer_text(line, 4, &p->all.arena, &name.text, err));
    HSD_TRY(hsd_answer_text(line, 5, &p->all.arena, &name.edge, err));
    HSD_TRY(hsd_answer_text(line, 6, &p->all.arena, &name.type, err));
    return hsd_fleet_batch_find(&p->all, name.key) != NULL ? HSD_OK : hsd_fleet_batch_name(&p->all, &name, err);
}

/* All captures up to one, with rows or without: a full section is written where another process begins. */
static hsd_status reach_capture(partition *p, uint32_t place, hsd_error *err)
{
    for (; p->next <= place; p->next++) {
        const hsd_fleet_capture *capture = &p->all.captures[p->next];
        const bool begins = p->next == 0 || capture[-1].process != capture->process;
        if (begins && hsd_fleet_batch_is_full(&p->section)) {
            HSD_TRY(hsd_fleet_output_put(p->output, &p->section, err));
            hsd_fleet_batch_release(&p->section);
        }
        HSD_TRY(hsd_fleet_batch_capture(&p->section, capture, err));
        p->has_row = false;
    }
    return HSD_OK;
}

/* A capture that was added twice has every row twice. */
static hsd_status take_row(partition *p, const hsd_answer_line *line, hsd_error *err)
{
    int64_t place, n[6];
    HSD_TRY(hsd_answer_numbers(line, 1, 1, &place, err));
    HSD_TRY(hsd_answer_numbers(line, 3, 6, n, err));
    if (place < 0 || place >= p->all.capture_count || place + 1 < p->next) return hsd_answer_fail(err);
    const hsd_fleet_row row = {.key = (uint64_t)n[0],
                               .objects = (uint64_t)n[1],
                               .bytes = (uint64_t)n[2],
                               .retained = (uint64_t)n[3],
                               .has_retained = n[3] >= 0,
                               .is_single = n[4] != 0,
                               .other = (uint64_t)n[5],
                               .kind = (uint8_t)hsd_fleet_kind_of(line->fields[2])};
    HSD_TRY(reach_capture(p, (uint32_t)place, err));
    if (p->has_row && p->row.kind == row.kind && p->row.key == row.key) return HSD_OK;
    p->row = row;
    p->has_row = true;
    return hsd_fleet_batch_row(&p->section, &row, err);
}

static hsd_status take_compact_line(void *context, const hsd_answer_line *line, hsd_error *err)
{
    partition *p = context;
    switch (line->fields[0][0]) {
    case 'C': return line->count == 19 ? take_capture(p, line, err) : hsd_answer_fail(err);
    case 'N': return line->count == 7 ? take_name(p, line, err) : hsd_answer_fail(err);
    case 'R': return line->count == 9 ? take_row(p, line, err) : hsd_answer_fail(err);
    default: return hsd_answer_fail(err);
    }
}

/* ---- the new batch */

static hsd_status fail_file(const char *name, const char *what, hsd_error *err)
{
    const int error = errno;
    hsd_fail_errno(err, error, "%s", what);
    hsd_error_set_file(err, name);
    return HSD_E_IO;
}

/* In a bucket those stay that were replaced before. Then they may go in any order. */
static hsd_status list_older(const partition *p, hsd_buffer *text, hsd_error *err)
{
    const size_t size = strlen(p->folder);
    for (size_t i = 0; i < p->list->replaced_count; i++) {
        const char *path = p->list->replaced[i];
        if (strncmp(path, p->folder, size) != 0 || path[size] != '/') continue;
        HSD_TRY(hsd_buffer_append(text, path + size + 1, strlen(path + size + 1), err));
        HSD_TRY(hsd_buffer_append(text, "\n", 1, err));
    }
    return HSD_OK;
}

/* Names of the batches that it stands for, and its own name, made of these. */
static hsd_status list_replaced(const partition *p, hsd_buffer *text, uint64_t *name, hsd_error *err)
{
    for (size_t i = 0; i < p->list->count; i++) {
        if (!p->chosen[i]) continue;
        const char *batch = strrchr(p->list->batches[i].path, '/') + 1;
        *name = hsd_checksum(batch, strlen(batch), *name);
        HSD_TRY(hsd_buffer_append(text, batch, strlen(batch), err));
        HSD_TRY(hsd_buffer_append(text, "\n", 1, err));
    }
    return p->is_bucket ? list_older(p, text, err) : HSD_OK;
}

static hsd_status fill_batch(partition *p, hsd_error *err)
{
    hsd_fleet_written written;
    hsd_answer answer = {.take = take_compact_line, .context = p};
    hsd_buffer sql = {0};
    hsd_status status = put_question(&sql, p, err);
    if (status == HSD_OK) status = hsd_answer_ask(&answer, p->store, &sql, p->run, err);
    hsd_buffer_release(&sql);
    HSD_TRY(status);
    if (p->all.capture_count > 0) HSD_TRY(reach_capture(p, p->all.capture_count - 1, err));
    HSD_TRY(hsd_fleet_output_put(p->output, &p->section, err));
    HSD_TRY(hsd_fleet_output_names(p->output, &p->all, err));
    return hsd_fleet_output_finish(p->output, &written, err);
}

/* Writes the folder of that name, whose parent is there. */
static hsd_status write_batch_folder(partition *p, const char *path, const hsd_buffer *replaces, hsd_error *err)
{
    hsd_status status = hsd_fleet_output_open(&p->output, path, p->drops_rows, err);
    if (status == HSD_OK) status = hsd_fleet_output_text(p->output, HSD_FLEET_REPLACES, replaces, err);
    if (status == HSD_OK) status = fill_batch(p, err);
    hsd_fleet_output_close(p->output);
    p->output = NULL;
    hsd_buffer_release(&p->line);
    hsd_fleet_batch_release(&p->all);
    hsd_fleet_batch_release(&p->section);
    p->next = 0;
    return status;
}

static hsd_status make_batch_at(partition *p, const char *parent, const char *name, const hsd_buffer *replaces,
                                hsd_error *err)
{
    const size_t room = strlen(parent) + strlen(name) + 2;
    char *path = malloc(room);
    if (path == NULL) return hsd_fail_nomem(err, "the name of a batch");
    snprintf(path, room, "%s/%s", parent, name);
    const hsd_status status = write_batch_folder(p, path, replaces, err);
    free(path);
    return status;
}

static hsd_status make_in_folder(partition *p, const char *name, const hsd_buffer *replaces, hsd_error *err)
{
    const size_t room = strlen(p->store) + strlen(p->folder) + 2;
    char *parent = malloc(room);
    if (parent == NULL) return hsd_fail_nomem(err, "the name of a batch");
    snprintf(parent, room, "%s/%s", p->store, p->folder);
    const hsd_status status = make_batch_at(p, parent, name, replaces, err);
    free(parent);
    return status;
}

static hsd_status make_in_bucket(partition *p, const char *name, const hsd_buffer *replaces, hsd_error *err)
{
    hsd_bucket_draft draft;
    bool is_known;
    hsd_status status = hsd_bucket_draft_open(&draft, p->run, err);
    snprintf(draft.part, sizeof draft.part, "%s", p->folder);
    if (status == HSD_OK) status = make_batch_at(p, draft.folder, name, replaces, err);
    if (status == HSD_OK) status = hsd_bucket_draft_put(&draft, p->store, name, &is_known, p->run, err);
    hsd_bucket_draft_close(&draft);
    return status;
}

static hsd_status make_batch(partition *p, hsd_error *err)
{
    char name[40];
    hsd_buffer replaces = {0};
    uint64_t sum = p->drops_rows;
    hsd_status status = list_replaced(p, &replaces, &sum, err);
    snprintf(name, sizeof name, HSD_FLEET_BATCH_PREFIX "%016llx", (unsigned long long)sum);
    if (status == HSD_OK)
        status = p->is_bucket ? make_in_bucket(p, name, &replaces, err) : make_in_folder(p, name, &replaces, err);
    hsd_buffer_release(&replaces);
    return status;
}

static hsd_status compact_partition(partition *p, hsd_error *err)
{
    HSD_TRY(make_batch(p, err));
    for (size_t i = 0; i < p->list->count && !p->is_bucket; i++)
        if (p->chosen[i]) HSD_TRY(hsd_fleet_remove_batch(p->store, p->list->batches[i].path, err));
    return HSD_OK;
}

/* ---- all of them */

static size_t folder_size(const char *path) { return (size_t)(strrchr(path, '/') - path); }

/* Of one folder from batch `first` on, those with rows; how many, and in *end what comes behind the folder. */
static size_t choose_batches(partition *p, size_t first, size_t *behind)
{
    const char *path = p->list->batches[first].path;
    const size_t size = folder_size(path);
    size_t end = first, chosen = 0;
    memset(p->chosen, 0, p->list->count * sizeof *p->chosen);
    snprintf(p->folder, sizeof p->folder, "%.*s", (int)size, path);
    for (; end < p->list->count && folder_size(p->list->batches[end].path) == size &&
           memcmp(p->list->batches[end].path, path, size) == 0;
         end++) {
        p->chosen[end] = !p->list->batches[end].has_states;
        chosen += p->chosen[end];
    }
    *behind = end;
    return chosen;
}

/* "date=2026-11-28" of the folder comes before that of the moment. */
static bool is_before(const partition *p, uint64_t moment_ns)
{
    char date[HSD_FLEET_PART_CHARS];
    const char *slash = strchr(p->folder, '/');
    hsd_fleet_date_part(date, moment_ns / 1000000u);
    return moment_ns > 0 && slash != NULL && strcmp(slash + 1, date) < 0;
}

static hsd_status compact_list(const char *path, const hsd_fleet_list *list, const hsd_fleet_compact_options *options,
                               const hsd_run *run, hsd_fleet_compacted *done, hsd_error *err)
{
    partition p = {.store = path, .run = run, .list = list, .chosen = calloc(list->count + 1, sizeof *p.chosen)};
    hsd_status status = p.chosen != NULL ? HSD_OK : hsd_fail_nomem(err, "a list of batches");
    p.is_bucket = hsd_fleet_where_is(path) == HSD_FLEET_BUCKET;
    for (size_t i = 0; i < list->replaced_count && status == HSD_OK && !p.is_bucket; i++)
        status = hsd_fleet_remove_batch(path, list->replaced[i], err);
    for (size_t i = 0; i < list->count && status == HSD_OK;) {
        const size_t count = choose_batches(&p, i, &i);
        p.drops_rows = is_before(&p, options->keep_unix_ns);
        if (count > 1 || (count == 1 && p.drops_rows)) {
            status = compact_partition(&p, err);
            done->partitions++;
        }
    }
    free(p.chosen);
    return status;
}

static hsd_status count_batches(const char *path, const hsd_run *run, uint64_t *batches, uint64_t *bytes,
                                hsd_fleet_list *list, hsd_error *err)
{
    HSD_TRY(hsd_fleet_list_batches(list, path, run, NULL, NULL, err));
    *batches = list->count;
    *bytes = 0;
    for (size_t i = 0; i < list->count; i++)
        *bytes += list->batches[i].bytes;
    return HSD_OK;
}

static hsd_status lock_store(int store, const char *path, int *lock, hsd_error *err)
{
    *lock = openat(store, HSD_FLEET_MARK, O_RDONLY | O_CLOEXEC);
    if (*lock < 0) return fail_file(path, "cannot be opened", err);
    if (flock(*lock, LOCK_EX | LOCK_NB) == 0) return HSD_OK;
    const int error = errno;
    if (error != EWOULDBLOCK) return fail_file(path, "cannot be locked", err);
    hsd_fail_errno(err, error, "is being compacted by somebody else");
    hsd_error_set_file(err, path);
    return HSD_E_IO;
}

static hsd_status compact_listed(const char *path, const hsd_fleet_compact_options *wanted, const hsd_run *run,
                                 hsd_fleet_compacted *own, hsd_error *err)
{
    hsd_fleet_list list = {0};
    hsd_status status = count_batches(path, run, &own->batches_before, &own->bytes_before, &list, err);
    if (status == HSD_OK) status = compact_list(path, &list, wanted, run, own, err);
    hsd_fleet_list_release(&list);
    if (status == HSD_OK) status = count_batches(path, run, &own->batches_after, &own->bytes_after, &list, err);
    own->left_behind = list.replaced_count;
    hsd_fleet_list_release(&list);
    return status;
}

static hsd_status compact_folder(const char *path, const hsd_fleet_compact_options *wanted, const hsd_run *run,
                                 hsd_fleet_compacted *own, hsd_error *err)
{
    int lock = -1;
    HSD_TRY(hsd_fleet_check(path, err));
    const int store = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (store < 0) return fail_file(path, "cannot be opened", err);
    hsd_status status = lock_store(store, path, &lock, err);
    if (status == HSD_OK) {
        hsd_fleet_sweep(path);
        status = compact_listed(path, wanted, run, own, err);
        hsd_fleet_sweep(path);
    }
    if (lock >= 0) close(lock);
    close(store);
    return status;
}

hsd_status hsd_fleet_compact(const char *path, const hsd_fleet_compact_options *options, const hsd_run *run,
                             hsd_fleet_compacted *done, hsd_error *err)
{
    hsd_fleet_compact_options wanted;
    hsd_fleet_compacted own = {0};
    HSD_TRY(HSD_TAKE_OPTIONS(hsd_fleet_compact_options, keep_unix_ns, &wanted, options, err));
    const hsd_fleet_where where = hsd_fleet_where_is(path);
    if (where == HSD_FLEET_DATABASE)
        HSD_TRY(hsd_psql_compact(path, wanted.keep_unix_ns / 1000000u, run, &own, err));
    else if (where == HSD_FLEET_BUCKET)
        HSD_TRY(compact_listed(path, &wanted, run, &own, err));
    else
        HSD_TRY(compact_folder(path, &wanted, run, &own, err));
    if (done != NULL) *done = own;
    return HSD_OK;
}
