/*
 * What a report of paths says, schema hsdiff.paths/1: the ways to the objects of a type, or to one object, shortest
 * first.
 */
#include "report/model/columns.h"
#include "report/model/open.h"
#include "report/model/paths_rows.h"
#include "report/model/say.h"

typedef struct paths_model {
    hsd_model model;
    hsd_capture_row capture;
    hsd_path_row others, total;
} paths_model;

static bool is_of_id(const hsd_scope *scope) { return ((const hsd_paths *)scope->result)->is_id; }
static bool is_of_type(const hsd_scope *scope) { return !is_of_id(scope); }

static const hsd_column asked_columns[] = {
    {"object", HSD_KIND_ID, HSD_AT(hsd_paths, id), .has = is_of_id},
    {"type", HSD_KIND_TEXT, HSD_AT(hsd_paths, type)},
    {"live", HSD_KIND_AMOUNT, HSD_AT(hsd_paths, live)},
    {"unreached", HSD_KIND_AMOUNT, HSD_AT(hsd_paths, unreached)},
    {0},
};

static const hsd_path_row *row_of(const hsd_scope *scope) { return scope->row; }

static hsd_value type_of(const hsd_scope *scope)
{
    const hsd_path_row *row = row_of(scope);
    return hsd_value_text(row->step_count > 0 ? row->steps[row->step_count - 1].type : row->root);
}

static hsd_status path_of(hsd_buffer *text, const hsd_scope *scope, hsd_error *err)
{
    return scope->is_rest ? HSD_OK : hsd_path_append(text, row_of(scope), err);
}

static bool is_row(const hsd_scope *scope) { return !scope->is_rest; }

static const hsd_column path_columns[] = {
    {"references", HSD_KIND_COUNT, HSD_AT(hsd_path_row, length), .in = HSD_IN_PROGRAMS, .is_known = is_row},
    {"live", HSD_KIND_AMOUNT, HSD_AT(hsd_path_row, objects), .in = HSD_IN_JSON},
    {"objects", HSD_KIND_COUNT, HSD_AT(hsd_path_row, objects.objects), .in = HSD_IN_CSV},
    {"bytes", HSD_KIND_COUNT, HSD_AT(hsd_path_row, objects.bytes), .in = HSD_IN_CSV},
    {"type", HSD_KIND_TEXT, .in = HSD_IN_CSV, .get = type_of},
    {"root", HSD_KIND_TEXT, HSD_AT(hsd_path_row, root), .in = HSD_IN_PROGRAMS},
    {"kind", HSD_KIND_ROOT, HSD_AT(hsd_path_row, root_kind), .in = HSD_IN_JSON},
    {"path", HSD_KIND_LIST, HSD_LIST_AT(hsd_path_row, steps, step_count, hsd_step), .in = HSD_IN_JSON,
     .columns = hsd_step_columns},
    {"path_cut", HSD_KIND_COUNT, HSD_AT(hsd_path_row, step_cut), .in = HSD_IN_JSON, .flags = HSD_IF_ANY},
    {"path", HSD_KIND_WORDS, .in = HSD_IN_CSV, .words = path_of},
    {"path", HSD_KIND_WORDS, .in = HSD_IN_TABLES, .title = "Path", .words = path_of},
    {"references", HSD_KIND_COUNT, HSD_AT(hsd_path_row, length), .in = HSD_IN_TABLES, .title = "References",
     .is_known = is_row},
    {"objects", HSD_KIND_COUNT, HSD_AT(hsd_path_row, objects.objects), .in = HSD_IN_TABLES, .title = "Objects",
     .has = is_of_type},
    {"bytes", HSD_KIND_BYTES, HSD_AT(hsd_path_row, objects.bytes), .in = HSD_IN_TABLES, .title = "Bytes",
     .has = is_of_type},
    {0},
};

static const hsd_column other_columns[] = {{"live", HSD_KIND_AMOUNT, HSD_AT(hsd_path_row, objects)}, {0}};

static const hsd_column rest_columns[] = {
    {"rows", HSD_KIND_COUNT, HSD_AT(hsd_paths, other_rows)},
    {"live", HSD_KIND_AMOUNT, HSD_AT(hsd_paths, others)},
    {0},
};

static hsd_status say_capture(hsd_buffer *text, const hsd_model *model, hsd_error *err)
{
    return hsd_say_capture(text, &((const hsd_paths *)model->result)->side, err);
}

/* As many as a family of gauges may have; the others sum up the rest. */
static size_t rows_shown(paths_model *m, const hsd_paths *paths)
{
    const bool is_cut = m->model.format == HSD_IN_GAUGES && paths->row_count > HSD_GAUGES_MOST;
    const size_t shown = is_cut ? HSD_GAUGES_MOST : paths->row_count;
    m->others = (hsd_path_row){.root = {"", 0}, .objects = paths->others};
    for (size_t i = shown; i < paths->row_count; i++) {
        m->others.objects.objects += paths->rows[i].objects.objects;
        m->others.objects.bytes += paths->rows[i].objects.bytes;
    }
    return shown;
}

const size_t hsd_model_paths_bytes = sizeof(paths_model);

hsd_status hsd_model_paths(hsd_model *model, const hsd_paths *paths, const hsd_model_request *request)
{
    paths_model *m = (paths_model *)(void *)model;
    (void)request;
    model->schema = "hsdiff.paths/1";
    model->result = paths;
    model->others_key = "of";
    m->capture = (hsd_capture_row){.side = &paths->side};
    const size_t shown = rows_shown(m, paths);
    if (model->format != HSD_IN_PLAIN) hsd_model_add(model, hsd_captures_part(&m->capture, 1, NULL));
    m->total = (hsd_path_row){.root = {"", 0}, .objects = paths->live};
    hsd_model_add(model, (hsd_part){.kind = HSD_PART_ANSWER, .in = HSD_IN_PEOPLE, .say = hsd_say_paths});
    hsd_model_add(model, (hsd_part){.kind = HSD_PART_RELATION, .in = HSD_IN_PEOPLE, .say = say_capture});
    hsd_model_add(model, hsd_warnings_part(paths->warnings, paths->warning_count));
    if (model->format == HSD_IN_PLAIN) hsd_model_add(model, hsd_captures_part(&m->capture, 1, HSD_PLAIN_CAPTURE));
    hsd_model_add(model, (hsd_part){.kind = HSD_PART_FACTS,
                                    .in = HSD_IN_JSON,
                                    .record = "asked",
                                    .columns = asked_columns,
                                    .row = paths});
    hsd_model_add(model, (hsd_part){.kind = HSD_PART_TABLE,
                                    .in = HSD_IN_PROGRAMS | HSD_IN_PLAIN | (paths->row_count > 0 ? HSD_IN_TABLES : 0),
                                    .names = "path, others",
                                    .others_record = "others",
                                    .title = "Paths",
                                    .one = "path",
                                    .many = "paths",
                                    .member = "paths",
                                    .record = "path",
                                    .first = "row",
                                    .columns = path_columns,
                                    .plain = "references objects bytes path",
                                    .sheet = {.rows = {paths->rows, shown, sizeof *paths->rows, false},
                                              .other_count = paths->other_rows + paths->row_count - shown,
                                              .others = &m->others,
                                              .total = paths->is_id ? NULL : &m->total,
                                              .other_columns = other_columns,
                                              .others_in = HSD_OTHERS_NONE}});
    hsd_model_add(model, (hsd_part){.kind = HSD_PART_RECORD,
                                    .in = HSD_IN_DOCUMENT,
                                    .member = "others",
                                    .columns = rest_columns,
                                    .row = paths});
    return HSD_OK;
}
