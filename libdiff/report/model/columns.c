/*
 * Columns that several results have.
 */
#include "report/model/columns.h"

#include "report/model/holder_rows.h"
#include "report/sentences/place.h"

/* ---- captures ---- */

static hsd_value format_of(const hsd_scope *scope)
{
    const hsd_capture_info *info = &((const hsd_side *)scope->row)->info;
    return hsd_value_string(info->source_format && info->source_format[0] ? info->source_format : "hs");
}

static hsd_value identity_of(const hsd_scope *scope)
{
    switch (((const hsd_side *)scope->row)->info.identity) {
    case HSD_IDENTITY_EXACT: return hsd_value_string("exact");
    case HSD_IDENTITY_ADDRESS: return hsd_value_string("address");
    case HSD_IDENTITY_MOVING: return hsd_value_string("moving");
    case HSD_IDENTITY_NONE: break;
    }
    return hsd_value_string("none");
}

static hsd_value state_of(const hsd_scope *scope)
{
    return hsd_value_string(((const hsd_side *)scope->row)->info.is_complete ? "complete" : "incomplete");
}

static bool has_digest(const hsd_scope *scope) { return ((const hsd_side *)scope->row)->info.has_digest; }
static bool is_incomplete(const hsd_scope *scope) { return !((const hsd_side *)scope->row)->info.is_complete; }
static bool has_process(const hsd_scope *scope)
{
    const char *name = ((const hsd_side *)scope->row)->info.process_name;
    return name && name[0];
}
static bool knows_soft(const hsd_scope *scope)
{
    return scope->above && ((const hsd_capture_row *)scope->above->row)->has_soft;
}

static hsd_value digest_of(const hsd_scope *scope)
{
    hsd_value value = {.kind = HSD_KIND_HEX};
    hsd_format_hex(value.hex, ((const hsd_side *)scope->row)->info.digest);
    return value;
}

/* By name, in the unit that FORMAT.md gives it. */
static const hsd_column metric_columns[] = {
    {NULL, HSD_KIND_TEXT, HSD_AT(hsd_profile_metric, name)},
    {NULL, HSD_KIND_COUNT, HSD_AT(hsd_profile_metric, value)},
    {0},
};

/* What a capture does not know is left out. */
const hsd_column hsd_side_columns[] = {
    {"path", HSD_KIND_STRING, HSD_AT(hsd_side, info.path)},
    {"runtime", HSD_KIND_STRING, HSD_AT(hsd_side, info.runtime)},
    {"format", HSD_KIND_STRING, .get = format_of},
    {"digest", HSD_KIND_HEX, .get = digest_of, .is_known = has_digest},
    {"complete", HSD_KIND_FLAG, HSD_AT(hsd_side, info.is_complete)},
    {"incomplete_reason", HSD_KIND_STRING, HSD_AT(hsd_side, info.incomplete_reason), .has = is_incomplete},
    {"identity", HSD_KIND_STRING, .get = identity_of},
    {"process", HSD_KIND_STRING, HSD_AT(hsd_side, info.process_name), .has = has_process},
    {"pid", HSD_KIND_COUNT, HSD_AT(hsd_side, info.pid), .flags = HSD_IF_ANY},
    {"started", HSD_KIND_TIME, HSD_AT(hsd_side, info.started_unix_ns), .flags = HSD_IF_ANY},
    {"taken", HSD_KIND_TIME, HSD_AT(hsd_side, info.taken_unix_ns), .flags = HSD_IF_ANY},
    {"domain", HSD_KIND_HEX, HSD_AT(hsd_side, info.domain), .flags = HSD_IF_ANY},
    {"objects", HSD_KIND_COUNT, HSD_AT(hsd_side, live.objects)},
    {"bytes", HSD_KIND_COUNT, HSD_AT(hsd_side, live.bytes)},
    {"unreached", HSD_KIND_AMOUNT, HSD_AT(hsd_side, unreached)},
    {"soft", HSD_KIND_AMOUNT, HSD_AT(hsd_side, soft), .is_known = knows_soft},
    {"has_roots", HSD_KIND_FLAG, HSD_AT(hsd_side, has_roots)},
    {"has_references", HSD_KIND_FLAG, HSD_AT(hsd_side, has_references)},
    {"dangling_references", HSD_KIND_COUNT, HSD_AT(hsd_side, dangling)},
    {"lost", HSD_KIND_COUNT, HSD_AT(hsd_side, info.lost)},
    {"damaged_blocks", HSD_KIND_COUNT, HSD_AT(hsd_side, info.damaged_blocks)},
    {"state", HSD_KIND_STRING, .in = HSD_IN_PLAIN, .get = state_of},
    {"metrics", HSD_KIND_LIST, HSD_LIST_AT(hsd_side, metrics, metric_count, hsd_profile_metric),
     .columns = metric_columns, .flags = HSD_IF_ANY | HSD_AS_MAP},
    {0},
};

static bool has_which(const hsd_scope *scope) { return ((const hsd_capture_row *)scope->row)->which != NULL; }
static bool has_point(const hsd_scope *scope) { return ((const hsd_capture_row *)scope->row)->point != NULL; }
static hsd_value label_of(const hsd_scope *scope)
{
    return hsd_value_text(((const hsd_capture_row *)scope->row)->point->label);
}
static hsd_value name_of(const hsd_scope *scope)
{
    const hsd_capture_row *row = scope->row;
    return row->point ? label_of(scope) : hsd_value_string(row->side->info.path);
}

static const void *side_of(const hsd_scope *scope) { return ((const hsd_capture_row *)scope->row)->side; }

const hsd_column hsd_capture_columns[] = {
    {"side", HSD_KIND_STRING, HSD_AT(hsd_capture_row, which), .in = HSD_IN_RECORDS | HSD_IN_PLAIN, .has = has_which},
    {"label", HSD_KIND_TEXT, .get = label_of, .has = has_point},
    {"name", HSD_KIND_TEXT, .in = HSD_IN_PLAIN, .get = name_of},
    {NULL, HSD_KIND_SPREAD, .into = side_of, .columns = hsd_side_columns},
    {0},
};

void hsd_capture_rows_of_diff(hsd_capture_row rows[2], const hsd_diff *diff, bool has_soft)
{
    rows[0] = (hsd_capture_row){.which = "before", .side = &diff->before, .has_soft = has_soft};
    rows[1] = (hsd_capture_row){.which = "after", .side = &diff->after, .has_soft = has_soft};
}

void hsd_capture_rows_of_series(hsd_capture_row *rows, const hsd_series *series)
{
    for (size_t i = 0; i < series->point_count; i++)
        rows[i] = (hsd_capture_row){.side = &series->points[i].side, .point = &series->points[i]};
}

hsd_part hsd_captures_part(const hsd_capture_row *rows, size_t count, const char *plain)
{
    return (hsd_part){.kind = HSD_PART_TABLE,
                      .in = HSD_IN_JSON | HSD_IN_PLAIN,
                      .names = "capture",
                      .plain = plain,
                      .member = "captures",
                      .record = "capture",
                      .columns = hsd_capture_columns,
                      .sheet = {.rows = {rows, count, sizeof *rows, false}}};
}

hsd_part hsd_warnings_part(const hsd_text *warnings, size_t count)
{
    return (hsd_part){.kind = HSD_PART_TEXTS,
                      .in = HSD_IN_JSON | HSD_IN_PLAIN | HSD_IN_PEOPLE,
                      .member = "warnings",
                      .record = "warning",
                      .one = "warning",
                      .many = "warnings",
                      .texts = warnings,
                      .text_count = count};
}

hsd_part hsd_answer_part(void (*tell)(hsd_out *, const hsd_model *, hsd_escape_form),
                         hsd_status (*say)(hsd_buffer *, const hsd_model *, hsd_error *))
{
    return (hsd_part){
        .kind = HSD_PART_SAID, .in = HSD_IN_JSON, .member = "answer", .record = "answer", .tell = tell, .say = say};
}

/* ---- paths and stacks ---- */

static bool is_repeated(const hsd_scope *scope) { return ((const hsd_step *)scope->row)->repeat > 1; }

const hsd_column hsd_step_columns[] = {
    {"edge", HSD_KIND_TEXT, HSD_AT(hsd_step, edge)},
    {"type", HSD_KIND_TEXT, HSD_AT(hsd_step, type)},
    {"name", HSD_KIND_TEXT, HSD_AT(hsd_step, name), .flags = HSD_IF_ANY},
    {"repeat", HSD_KIND_COUNT32, HSD_AT(hsd_step, repeat), .has = is_repeated},
    {0},
};

const hsd_column hsd_frame_columns[] = {
    {"function", HSD_KIND_TEXT, HSD_AT(hsd_site_frame, function)},
    {"file", HSD_KIND_TEXT, HSD_AT(hsd_site_frame, file)},
    {"line", HSD_KIND_COUNT32, HSD_AT(hsd_site_frame, line)},
    {"column", HSD_KIND_COUNT32, HSD_AT(hsd_site_frame, column)},
    {0},
};

const hsd_column hsd_text_column[] = {{NULL, HSD_KIND_TEXT, .at = 0}, {0}};

/* ---- who holds it ---- */

static hsd_value root_kind_of(hsd_text root, uint32_t kind)
{
    return hsd_root_is_nobody(root) || hsd_root_is_code(root) ? hsd_value_null()
                                                              : hsd_value_string(hsd_root_kind_word(kind));
}

static hsd_value co_holder_kind(const hsd_scope *scope)
{
    const hsd_co_holder *by = scope->row;
    return root_kind_of(by->root, by->root_kind);
}

static hsd_value holder_kind(const hsd_scope *scope)
{
    const hsd_holder *holder = scope->row;
    return root_kind_of(holder->root, holder->root_kind);
}

/* What is not an object has no type: the name of a root. */
static bool is_typed_co_holder(const hsd_scope *scope)
{
    const hsd_co_holder *by = scope->row;
    return by->type.size > 0 || by->path_count > 0;
}

static bool is_typed_holder(const hsd_scope *scope)
{
    const hsd_holder *holder = scope->row;
    return holder->type.size > 0 || holder->path_count > 0;
}

static bool has_id(const hsd_scope *scope) { return ((const hsd_holder *)scope->row)->has_id; }
static bool is_reached_elsewhere(const hsd_scope *scope)
{
    return ((const hsd_holder *)scope->row)->is_reached_elsewhere;
}
static bool is_together(const hsd_scope *scope) { return ((const hsd_holder *)scope->row)->by_count > 0; }

static const hsd_column co_holder_columns[] = {
    {"type", HSD_KIND_TEXT, HSD_AT(hsd_co_holder, type), .is_known = is_typed_co_holder},
    {"root", HSD_KIND_TEXT, HSD_AT(hsd_co_holder, root)},
    {"kind", HSD_KIND_STRING, .get = co_holder_kind},
    {"path", HSD_KIND_LIST, HSD_LIST_AT(hsd_co_holder, path, path_count, hsd_step), .columns = hsd_step_columns},
    {"path_cut", HSD_KIND_COUNT, HSD_AT(hsd_co_holder, path_cut), .flags = HSD_IF_ANY},
    {"bytes", HSD_KIND_COUNT, HSD_AT(hsd_co_holder, bytes)},
    {0},
};

const hsd_column hsd_who_columns[] = {
    {"type", HSD_KIND_TEXT, HSD_AT(hsd_holder, type), .is_known = is_typed_holder},
    {"object", HSD_KIND_ID, HSD_AT(hsd_holder, id), .is_known = has_id},
    {"root", HSD_KIND_TEXT, HSD_AT(hsd_holder, root)},
    {"kind", HSD_KIND_STRING, .get = holder_kind},
    {"path", HSD_KIND_LIST, HSD_LIST_AT(hsd_holder, path, path_count, hsd_step), .columns = hsd_step_columns},
    {"path_cut", HSD_KIND_COUNT, HSD_AT(hsd_holder, path_cut), .flags = HSD_IF_ANY},
    {"threads", HSD_KIND_COUNT32, HSD_AT(hsd_holder, thread_count), .flags = HSD_IF_ANY},
    {"held_together_bytes", HSD_KIND_COUNT, HSD_AT(hsd_holder, by_bytes), .has = is_together},
    {"reached_elsewhere", HSD_KIND_FLAG, HSD_AT(hsd_holder, is_reached_elsewhere), .has = is_reached_elsewhere},
    {"held_by", HSD_KIND_LIST, HSD_LIST_AT(hsd_holder, by, by_count, hsd_co_holder), .columns = co_holder_columns,
     .flags = HSD_IF_ANY},
    {0},
};

const hsd_column hsd_held_columns[] = {
    {NULL, HSD_KIND_SPREAD, .columns = hsd_who_columns},
    {"growth_bytes", HSD_KIND_SIGNED, HSD_AT(hsd_holder, growth_bytes)},
    {0},
};
