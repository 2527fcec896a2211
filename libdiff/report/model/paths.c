/*
 * What a report of paths says, schema hsdiff.paths/1: the ways to the objects of a type, or to one object, shortest
 * first.
 */
#include <stdlib.h>
#include <string.h>

#include "report/model/columns.h"
#include "report/model/open.h"
#include "report/model/paths_rows.h"
#include "report/model/say.h"
#include "report/sentences/place.h"
#include "report/text/capture.h"

#define STEPS_HEAD 10 /* lines of a long path: so many at its beginning, */
#define STEPS_TAIL 9  /* and at its end */

/* A line of text: a path with its root, or below it one of its steps, or how many references have none. */
typedef struct path_line {
    const hsd_path_row *row;
    const hsd_step *step;
    uint64_t hidden;
} path_line;

typedef struct paths_model {
    hsd_model model;
    hsd_capture_row capture;
    hsd_path_row others, total;
    path_line *lines; /* of text */
    size_t line_count;
    path_line other_line, total_line;
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

/* ---- lines of text ---- */

/*
 *      PATH                                    REFERENCES     OBJECTS       BYTES
 *      global.sessions: Map                             3     412,310   163.9 MiB
 *        .entries: Entry<string,Session>[]
 *        [*].value: Session
 */
static const path_line *line_of(const hsd_scope *scope) { return scope->row; }
static size_t depth_of(const hsd_scope *scope) { return line_of(scope)->step != NULL || line_of(scope)->hidden > 0; }
static bool is_start(const hsd_scope *scope) { return depth_of(scope) == 0; }
static bool is_path(const hsd_scope *scope) { return !scope->is_rest && is_start(scope); }

static hsd_status words_of(hsd_buffer *text, const hsd_scope *scope, hsd_error *err)
{
    const path_line *line = scope->row;
    if (line->hidden > 0) return hsd_path_append_cut(text, line->hidden, err);
    return line->step ? hsd_step_append_with_type(text, line->step, err) : hsd_path_append_start(text, line->row, err);
}

static hsd_value line_references(const hsd_scope *scope) { return hsd_value_count(line_of(scope)->row->length); }
static hsd_value line_objects(const hsd_scope *scope) { return hsd_value_count(line_of(scope)->row->objects.objects); }
static hsd_value line_bytes(const hsd_scope *scope) { return hsd_value_bytes(line_of(scope)->row->objects.bytes); }

static const hsd_column line_columns[] = {
    {"path", HSD_KIND_WORDS, .title = "Path", .words = words_of},
    {"references", HSD_KIND_COUNT, .title = "References", .get = line_references, .is_known = is_path},
    {"objects", HSD_KIND_COUNT, .title = "Objects", .get = line_objects, .has = is_of_type, .is_known = is_start},
    {"bytes", HSD_KIND_BYTES, .title = "Bytes", .get = line_bytes, .has = is_of_type, .is_known = is_start,
     .flags = HSD_TO_THE_LAST},
    {0},
};

/* The start, and the lower steps; references that are not shown have a line, whoever left them out. */
static void put_lines(paths_model *m, const hsd_path_row *row)
{
    const size_t first = hsd_path_first_step(row), count = row->step_count - first;
    const bool is_long = count > STEPS_HEAD + STEPS_TAIL + 1;
    const size_t head_end = is_long ? first + STEPS_HEAD : row->step_count / 2,
                 tail = is_long ? row->step_count - STEPS_TAIL : head_end;
    uint64_t hidden = row->step_cut;
    for (size_t i = head_end; i < tail; i++)
        hidden += row->steps[i].repeat > 1 ? row->steps[i].repeat : 1;
    m->lines[m->line_count++] = (path_line){.row = row};
    for (size_t i = first; i < row->step_count; i++) {
        if (i == head_end && hidden > 0) m->lines[m->line_count++] = (path_line){.row = row, .hidden = hidden};
        if (i < head_end || i >= tail) m->lines[m->line_count++] = (path_line){.row = row, .step = &row->steps[i]};
    }
}

static hsd_status add_lines(paths_model *m, const hsd_paths *paths, hsd_error *err)
{
    size_t most = 1;
    for (size_t i = 0; i < paths->row_count; i++)
        most += paths->rows[i].step_count + 2;
    m->lines = calloc(most, sizeof *m->lines);
    if (!m->lines) return hsd_fail(err, HSD_E_NOMEM, "no memory for a table of %zu rows", most);
    for (size_t i = 0; i < paths->row_count; i++)
        put_lines(m, &paths->rows[i]);
    m->other_line.row = &m->others;
    m->total_line.row = &m->total;
    if (paths->row_count > 0)
        hsd_model_add(&m->model, (hsd_part){.kind = HSD_PART_TABLE,
                                            .in = HSD_IN_TEXT,
                                            .one = "path",
                                            .many = "paths",
                                            .columns = line_columns,
                                            .sheet = {.rows = {m->lines, m->line_count, sizeof *m->lines, false},
                                                      .depth = depth_of,
                                                      .other_count = paths->other_rows,
                                                      .others = &m->other_line,
                                                      .total = paths->is_id ? NULL : &m->total_line}});
    return HSD_OK;
}

static void tell_capture(hsd_out *out, const hsd_model *model, hsd_escape_form form)
{
    hsd_text_capture(out, model->options, form, &((const hsd_paths *)model->result)->side);
}

static void tell_next(hsd_out *out, const hsd_model *model, hsd_escape_form form)
{
    const hsd_paths *paths = model->result;
    hsd_next list[3];
    char id[HSD_NUMBER_CHARS];
    size_t count = 0;
    (void)form;
    hsd_format_id(id, &paths->side.info, paths->id);
    if (paths->other_rows > 0)
        list[count++] = (hsd_next){"hsdiff paths", "--top 100", paths->is_id ? (hsd_text){id, strlen(id)} : paths->type,
                                   "more of them"};
    list[count++] = (hsd_next){"hsdiff top", "", {"", 0}, "what holds most"};
    hsd_text_suggest_import(model->options, list, &count);
    hsd_text_next(out, model->options, list, count);
}

static hsd_status add_screen(paths_model *m, const hsd_paths *paths, const hsd_model_request *request)
{
    hsd_model *model = &m->model;
    hsd_model_add(model, hsd_warnings_part(paths->warnings, paths->warning_count));
    hsd_model_add(model, (hsd_part){.kind = HSD_PART_LINES, .in = HSD_IN_TEXT, .tell = tell_capture});
    hsd_model_add(model, (hsd_part){.kind = HSD_PART_SENTENCE, .in = HSD_IN_TEXT, .say = hsd_say_paths});
    HSD_TRY(add_lines(m, paths, request->err));
    hsd_model_add(model, (hsd_part){.kind = HSD_PART_LINES, .in = HSD_IN_TEXT, .tell = tell_next});
    return HSD_OK;
}

/* ---- the rest of a document ---- */

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

static void release_path_model(hsd_model *model) { free(((paths_model *)(void *)model)->lines); }

const size_t hsd_model_paths_bytes = sizeof(paths_model);

hsd_status hsd_model_paths(hsd_model *model, const hsd_paths *paths, const hsd_model_request *request)
{
    paths_model *m = (paths_model *)(void *)model;
    model->schema = "hsdiff.paths/1";
    model->result = paths;
    model->others_key = "of";
    model->release = release_path_model;
    m->capture = (hsd_capture_row){.side = &paths->side};
    const size_t shown = rows_shown(m, paths);
    hsd_model_add(model, hsd_answer_part(NULL, hsd_say_paths));
    if (model->format != HSD_IN_PLAIN) hsd_model_add(model, hsd_captures_part(&m->capture, 1, NULL));
    m->total = (hsd_path_row){.root = {"", 0}, .objects = paths->live};
    if (model->format == HSD_AS_TEXT) return add_screen(m, paths, request);
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
